// What the entries of a model are made of, and the calls that add them: see mbsens/build.h.
// Made by `mbsens list header` from the field tables that the reader itself uses: do not edit.
// clang-format off
#ifndef MBSENS_ELEMENTS_H
#define MBSENS_ELEMENTS_H

#include <mbsens/build.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#define MBS_NOTHING_GIVEN {}
#else
#define MBS_NOTHING_GIVEN {0}
#endif

// a rigid body or a point mass
typedef struct MbsBodyDef {
  // required
  const char *name;
  // number, kg, default 0: mass
  const char *mass;
  // vector, m, default 0: centre of mass in body axes
  const char *com[3];
  // number or tensor, kg m2: moment of inertia about the centre of mass; in space [xx, yy, zz] or
  // [xx, yy, zz, xy, xz, yz] (xy = -integral of x y dm) in body axes, or one number for a thin rod;
  // a body without it is a point mass
  const char *inertia[6];
  // vector, m: where to start the assembly: position of the body's origin
  const char *position[3];
  // number, rad: where to start the assembly, in the plane: angle of the body's x axis
  const char *angle;
  // vector, rad: where to start the assembly, in space: rotation vector of the body's axes
  const char *rotation[3];
} MbsBodyDef;

static inline MbsBodyDef mbs_default_body_def(void) {
  MbsBodyDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_body(
    MbsContext *context, MbsModel *model, const MbsBodyDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "bodies", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"mass", 1, &def->mass},
      {"com", 3, def->com},
      {"inertia", 6, def->inertia},
      {"position", 3, def->position},
      {"angle", 1, &def->angle},
      {"rotation", 3, def->rotation},
  };
  return mbs_model_add_element(context, model, "bodies", NULL, def->name, 6, fields);
}

// a coordinate of the model's own: a number that moves
typedef struct MbsCoordinateDef {
  // required
  const char *name;
  // number, default 0: J of its kinetic energy 1/2 J rate^2; zero where a constraint determines the
  // coordinate
  const char *inertia;
  // number, default 0: where to start the assembly: its value
  const char *guess;
} MbsCoordinateDef;

static inline MbsCoordinateDef mbs_default_coordinate_def(void) {
  MbsCoordinateDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_coordinate(
    MbsContext *context, MbsModel *model, const MbsCoordinateDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "coordinates", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"inertia", 1, &def->inertia},
      {"guess", 1, &def->guess},
  };
  return mbs_model_add_element(context, model, "coordinates", NULL, def->name, 2, fields);
}

// a state of first order: a number whose rate is given
typedef struct MbsStateDef {
  // required
  const char *name;
  // expression, required: its rate: an expression of positions, velocities, states, t and
  // parameters
  const char *rate;
  // number, default 0: its value at the start
  const char *initial;
} MbsStateDef;

static inline MbsStateDef mbs_default_state_def(void) {
  MbsStateDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_state(
    MbsContext *context, MbsModel *model, const MbsStateDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "states", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"rate", 1, &def->rate},
      {"initial", 1, &def->initial},
  };
  return mbs_model_add_element(context, model, "states", NULL, def->name, 2, fields);
}

// an expression of positions, time and parameters that is kept at zero
typedef struct MbsConstraintJointDef {
  // may be left out
  const char *name;
  // expression, required: an expression of positions, angles, t and parameters that is kept at zero
  const char *expression;
} MbsConstraintJointDef;

static inline MbsConstraintJointDef mbs_default_constraint_joint_def(void) {
  MbsConstraintJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_constraint_joint(
    MbsContext *context, MbsModel *model, const MbsConstraintJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "constraint", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"constraint", 1, &def->expression},
  };
  return mbs_model_add_element(context, model, "joints", "constraint", def->name, 1, fields);
}

// one body turns about and slides along a line of another
typedef struct MbsCylindricalJointDef {
  // may be left out
  const char *name;
  // [point, point], required: a point of the line on the first body, and the point of the second
  // body that stays on it
  const char *ends[2];
  // vector or name, required: direction of the line in the axes of the first body (any length but
  // zero)
  const char *axis[3];
  // vector or name: the same direction in the axes of the second body (default: the numbers of
  // axis)
  const char *axis2[3];
} MbsCylindricalJointDef;

static inline MbsCylindricalJointDef mbs_default_cylindrical_joint_def(void) {
  MbsCylindricalJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_cylindrical_joint(
    MbsContext *context, MbsModel *model, const MbsCylindricalJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "cylindrical", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"cylindrical", 2, def->ends},
      {"axis", 3, def->axis},
      {"axis2", 3, def->axis2},
  };
  return mbs_model_add_element(context, model, "joints", "cylindrical", def->name, 3, fields);
}

// two points keep their distance, as if tied by a massless rod
typedef struct MbsDistanceJointDef {
  // may be left out
  const char *name;
  // [point, point], required: the two points
  const char *ends[2];
  // number, m, required: their distance
  const char *length;
} MbsDistanceJointDef;

static inline MbsDistanceJointDef mbs_default_distance_joint_def(void) {
  MbsDistanceJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_distance_joint(
    MbsContext *context, MbsModel *model, const MbsDistanceJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "distance", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"distance", 2, def->ends},
      {"length", 1, &def->length},
  };
  return mbs_model_add_element(context, model, "joints", "distance", def->name, 2, fields);
}

// a coordinate follows a function of time and parameters
typedef struct MbsDriverJointDef {
  // may be left out
  const char *name;
  // expression, required: the coordinate: angle(crank), distance(A, B), slide(guide), r(P).x, ...
  const char *expression;
  // expression, required: its value over time: an expression of t and parameters
  const char *value;
} MbsDriverJointDef;

static inline MbsDriverJointDef mbs_default_driver_joint_def(void) {
  MbsDriverJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_driver_joint(
    MbsContext *context, MbsModel *model, const MbsDriverJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "driver", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"driver", 1, &def->expression},
      {"value", 1, &def->value},
  };
  return mbs_model_add_element(context, model, "joints", "driver", def->name, 2, fields);
}

// two bodies move as one
typedef struct MbsFixedJointDef {
  // may be left out
  const char *name;
  // [point, point], required: the point on each body that they share
  const char *ends[2];
  // number, rad, default 0: in the plane: angle of the second body's x axis from the first body's
  const char *angle;
  // vector or name: in space: the second body's x axis in the axes of the first (default: the first
  // body's own)
  const char *x_axis[3];
  // vector or name: in space: the second body's y axis in the axes of the first (default: the first
  // body's own)
  const char *y_axis[3];
} MbsFixedJointDef;

static inline MbsFixedJointDef mbs_default_fixed_joint_def(void) {
  MbsFixedJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_fixed_joint(
    MbsContext *context, MbsModel *model, const MbsFixedJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "fixed", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"fixed", 2, def->ends},
      {"angle", 1, &def->angle},
      {"x_axis", 3, def->x_axis},
      {"y_axis", 3, def->y_axis},
  };
  return mbs_model_add_element(context, model, "joints", "fixed", def->name, 4, fields);
}

// couples the angles of two joints
typedef struct MbsGearJointDef {
  // may be left out
  const char *name;
  // [joint, joint], required: two revolute joints, by name
  const char *subject;
  // number, required: turns of the second joint per turn of the first (negative: opposite sense)
  const char *ratio;
  // number, rad, default 0: angle of the second joint where the first has none
  const char *offset;
} MbsGearJointDef;

static inline MbsGearJointDef mbs_default_gear_joint_def(void) {
  MbsGearJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_gear_joint(
    MbsContext *context, MbsModel *model, const MbsGearJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "gear", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"gear", 1, &def->subject},
      {"ratio", 1, &def->ratio},
      {"offset", 1, &def->offset},
  };
  return mbs_model_add_element(context, model, "joints", "gear", def->name, 3, fields);
}

// a point of one body moves on another along an edge only, not sideways
typedef struct MbsKnifeEdgeJointDef {
  // may be left out
  const char *name;
  // [point, point], required: any point of the body it moves on, and the point of the second body
  // that does not move sideways
  const char *ends[2];
  // vector or name, required: direction of the edge in the axes of the second body (any length but
  // zero)
  const char *edge[3];
  // vector or name: in space: normal of the surface in the axes of the first body; sideways is
  // normal to it and to the edge
  const char *normal[3];
} MbsKnifeEdgeJointDef;

static inline MbsKnifeEdgeJointDef mbs_default_knife_edge_joint_def(void) {
  MbsKnifeEdgeJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_knife_edge_joint(
    MbsContext *context, MbsModel *model, const MbsKnifeEdgeJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "knife_edge", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"knife_edge", 2, def->ends},
      {"edge", 3, def->edge},
      {"normal", 3, def->normal},
  };
  return mbs_model_add_element(context, model, "joints", "knife_edge", def->name, 3, fields);
}

// one body moves in a plane of another
typedef struct MbsPlanarJointDef {
  // may be left out
  const char *name;
  // [point, point], required: a point of the plane on the first body, and the point of the second
  // body that stays in it
  const char *ends[2];
  // vector or name, required: normal of the plane in the axes of the first body (any length but
  // zero)
  const char *normal[3];
  // vector or name: the same direction in the axes of the second body (default: the numbers of
  // normal)
  const char *normal2[3];
} MbsPlanarJointDef;

static inline MbsPlanarJointDef mbs_default_planar_joint_def(void) {
  MbsPlanarJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_planar_joint(
    MbsContext *context, MbsModel *model, const MbsPlanarJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "planar", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"planar", 2, def->ends},
      {"normal", 3, def->normal},
      {"normal2", 3, def->normal2},
  };
  return mbs_model_add_element(context, model, "joints", "planar", def->name, 3, fields);
}

// a point of one body stays on a line of another
typedef struct MbsPointOnLineJointDef {
  // may be left out
  const char *name;
  // [point, point], required: a point of the line on the first body, and the point of the second
  // body that stays on it
  const char *ends[2];
  // vector or name, required: direction of the line in the axes of the first body (any length but
  // zero)
  const char *axis[3];
} MbsPointOnLineJointDef;

static inline MbsPointOnLineJointDef mbs_default_point_on_line_joint_def(void) {
  MbsPointOnLineJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_point_on_line_joint(
    MbsContext *context, MbsModel *model, const MbsPointOnLineJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "point_on_line", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"point_on_line", 2, def->ends},
      {"axis", 3, def->axis},
  };
  return mbs_model_add_element(context, model, "joints", "point_on_line", def->name, 2, fields);
}

// a point of one body stays in a plane of another
typedef struct MbsPointOnPlaneJointDef {
  // may be left out
  const char *name;
  // [point, point], required: a point of the plane on the first body, and the point of the second
  // body that stays in it
  const char *ends[2];
  // vector or name, required: normal of the plane in the axes of the first body (any length but
  // zero)
  const char *normal[3];
  // number, m, default 0: distance from the plane, along the normal
  const char *offset;
} MbsPointOnPlaneJointDef;

static inline MbsPointOnPlaneJointDef mbs_default_point_on_plane_joint_def(void) {
  MbsPointOnPlaneJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_point_on_plane_joint(
    MbsContext *context, MbsModel *model, const MbsPointOnPlaneJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "point_on_plane", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"point_on_plane", 2, def->ends},
      {"normal", 3, def->normal},
      {"offset", 1, &def->offset},
  };
  return mbs_model_add_element(context, model, "joints", "point_on_plane", def->name, 3, fields);
}

// one body slides along a line of another without turning
typedef struct MbsPrismaticJointDef {
  // may be left out
  const char *name;
  // [point, point], required: a point of the line on the first body, and the point of the second
  // body that slides on it
  const char *ends[2];
  // vector or name, required: direction of the line in the axes of the first body (any length but
  // zero)
  const char *axis[3];
  // vector or name: the same direction in the axes of the second body (default: the numbers of
  // axis)
  const char *axis2[3];
  // vector or name: in space: a direction of the first body, not along the axis, that stays in one
  // plane with the axis and reference2 (default: one normal to the axis, with the same numbers on
  // both)
  const char *reference[3];
  // vector or name: in space: the corresponding direction of the second body (default: the numbers
  // of reference)
  const char *reference2[3];
} MbsPrismaticJointDef;

static inline MbsPrismaticJointDef mbs_default_prismatic_joint_def(void) {
  MbsPrismaticJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_prismatic_joint(
    MbsContext *context, MbsModel *model, const MbsPrismaticJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "prismatic", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"prismatic", 2, def->ends},
      {"axis", 3, def->axis},
      {"axis2", 3, def->axis2},
      {"reference", 3, def->reference},
      {"reference2", 3, def->reference2},
  };
  return mbs_model_add_element(context, model, "joints", "prismatic", def->name, 5, fields);
}

// couples the slide of a joint to the angle of another
typedef struct MbsRackJointDef {
  // may be left out
  const char *name;
  // [joint, joint], required: the pinion's revolute joint and the rack's prismatic joint, by name
  const char *subject;
  // number, m/rad, required: way of the rack per angle of the pinion (negative: opposite sense)
  const char *radius;
  // number, m, default 0: slide of the rack where the pinion's angle is zero
  const char *offset;
} MbsRackJointDef;

static inline MbsRackJointDef mbs_default_rack_joint_def(void) {
  MbsRackJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_rack_joint(
    MbsContext *context, MbsModel *model, const MbsRackJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "rack", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"rack", 1, &def->subject},
      {"radius", 1, &def->radius},
      {"offset", 1, &def->offset},
  };
  return mbs_model_add_element(context, model, "joints", "rack", def->name, 3, fields);
}

// two bodies turn about a common point, in space about a common axis
typedef struct MbsRevoluteJointDef {
  // may be left out
  const char *name;
  // [point, point], required: the point on each body that they share
  const char *ends[2];
  // vector or name: in space: direction of the axis in the axes of the first body (any length but
  // zero)
  const char *axis[3];
  // vector or name: the same direction in the axes of the second body (default: the numbers of
  // axis)
  const char *axis2[3];
} MbsRevoluteJointDef;

static inline MbsRevoluteJointDef mbs_default_revolute_joint_def(void) {
  MbsRevoluteJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_revolute_joint(
    MbsContext *context, MbsModel *model, const MbsRevoluteJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "revolute", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"revolute", 2, def->ends},
      {"axis", 3, def->axis},
      {"axis2", 3, def->axis2},
  };
  return mbs_model_add_element(context, model, "joints", "revolute", def->name, 3, fields);
}

// a disc of one body rolls without slipping on a plane of another
typedef struct MbsRollingJointDef {
  // may be left out
  const char *name;
  // [point, point], required: a point of the plane on the first body, and the centre of the disc on
  // the second
  const char *ends[2];
  // vector or name, required: normal of the plane in the axes of the first body, to the side where
  // the disc is (any length but zero); in the plane: of the line
  const char *normal[3];
  // vector or name: in space: direction of the axle in the axes of the second body (any length but
  // zero)
  const char *axle[3];
  // number, m, required: radius of the disc
  const char *radius;
} MbsRollingJointDef;

static inline MbsRollingJointDef mbs_default_rolling_joint_def(void) {
  MbsRollingJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_rolling_joint(
    MbsContext *context, MbsModel *model, const MbsRollingJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "rolling", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"rolling", 2, def->ends},
      {"normal", 3, def->normal},
      {"axle", 3, def->axle},
      {"radius", 1, &def->radius},
  };
  return mbs_model_add_element(context, model, "joints", "rolling", def->name, 4, fields);
}

// one body turns about a line of another and goes along it by a pitch
typedef struct MbsScrewJointDef {
  // may be left out
  const char *name;
  // [point, point], required: a point of the line on the first body, and the point of the second
  // body that stays on it
  const char *ends[2];
  // vector or name, required: direction of the line in the axes of the first body (any length but
  // zero)
  const char *axis[3];
  // number, m/rev, required: way of the second body along the line per turn (negative: left-handed)
  const char *pitch;
  // number, m, default 0: way along the line where the angle is zero
  const char *offset;
  // vector or name: the same direction in the axes of the second body (default: the numbers of
  // axis)
  const char *axis2[3];
} MbsScrewJointDef;

static inline MbsScrewJointDef mbs_default_screw_joint_def(void) {
  MbsScrewJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_screw_joint(
    MbsContext *context, MbsModel *model, const MbsScrewJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "screw", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"screw", 2, def->ends},
      {"axis", 3, def->axis},
      {"pitch", 1, &def->pitch},
      {"offset", 1, &def->offset},
      {"axis2", 3, def->axis2},
  };
  return mbs_model_add_element(context, model, "joints", "screw", def->name, 5, fields);
}

// two bodies turn freely about a common point
typedef struct MbsSphericalJointDef {
  // may be left out
  const char *name;
  // [point, point], required: the point on each body that they share
  const char *ends[2];
} MbsSphericalJointDef;

static inline MbsSphericalJointDef mbs_default_spherical_joint_def(void) {
  MbsSphericalJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_spherical_joint(
    MbsContext *context, MbsModel *model, const MbsSphericalJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "spherical", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"spherical", 2, def->ends},
  };
  return mbs_model_add_element(context, model, "joints", "spherical", def->name, 1, fields);
}

// two bodies share a point, and an axis of one stays normal to an axis of the other
typedef struct MbsUniversalJointDef {
  // may be left out
  const char *name;
  // [point, point], required: the point on each body that they share
  const char *ends[2];
  // vector or name, required: the arm of the cross on the first body, in its axes (any length but
  // zero)
  const char *axis[3];
  // vector or name, required: the arm of the cross on the second body, in its axes: normal to the
  // first
  const char *axis2[3];
} MbsUniversalJointDef;

static inline MbsUniversalJointDef mbs_default_universal_joint_def(void) {
  MbsUniversalJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_universal_joint(
    MbsContext *context, MbsModel *model, const MbsUniversalJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "universal", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"universal", 2, def->ends},
      {"axis", 3, def->axis},
      {"axis2", 3, def->axis2},
  };
  return mbs_model_add_element(context, model, "joints", "universal", def->name, 3, fields);
}

// an expression, linear in velocities, that is kept at zero
typedef struct MbsVelocityConstraintJointDef {
  // may be left out
  const char *name;
  // expression, required: an expression, linear in velocities, of v(), omega(), positions, t and
  // parameters that is kept at zero
  const char *expression;
} MbsVelocityConstraintJointDef;

static inline MbsVelocityConstraintJointDef mbs_default_velocity_constraint_joint_def(void) {
  MbsVelocityConstraintJointDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_velocity_constraint_joint(
    MbsContext *context, MbsModel *model, const MbsVelocityConstraintJointDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "joints", "velocity_constraint", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"velocity_constraint", 1, &def->expression},
  };
  return mbs_model_add_element(context, model, "joints", "velocity_constraint",
                               def->name, 1, fields);
}

// drag of the air on a point, against its velocity
typedef struct MbsAirDragDef {
  // may be left out
  const char *name;
  // point, required: the point it acts on
  const char *point;
  // number, required: drag coefficient
  const char *coefficient;
  // number, m2, required: the area that the coefficient is for
  const char *area;
  // number, kg/m3, default 1.2: of the air
  const char *density;
  // vector expression, m/s: velocity of the air: expressions of t, positions and parameters
  // (default: none)
  const char *wind[3];
} MbsAirDragDef;

static inline MbsAirDragDef mbs_default_air_drag_def(void) {
  MbsAirDragDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_air_drag(
    MbsContext *context, MbsModel *model, const MbsAirDragDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "forces", "air_drag", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"air_drag", 1, &def->point},
      {"coefficient", 1, &def->coefficient},
      {"area", 1, &def->area},
      {"density", 1, &def->density},
      {"wind", 3, def->wind},
  };
  return mbs_model_add_element(context, model, "forces", "air_drag", def->name, 5, fields);
}

// holds two bodies together elastically, along and about axes of its own
typedef struct MbsBushingDef {
  // may be left out
  const char *name;
  // [point, point], required: the point on each body that it connects; its axes are on the first
  const char *ends[2];
  // vector, N/m, default 0: stiffness along each of its axes
  const char *stiffness[3];
  // vector, N s/m, default 0: damping along each of its axes, of the velocity as seen from the
  // first body
  const char *damping[3];
  // vector, N, default 0: force on the second body along each of its axes when nothing is displaced
  const char *preload[3];
  // vector expression, N: the force that pulls the second body back, for each axis an expression of
  // displacement, rate, t, parameters and signals, instead of the three
  const char *law[3];
  // number, in space vector, N m/rad, default 0: stiffness of rotation (plane), or about each of
  // its axes
  const char *turning_stiffness;
  // number, in space vector, N m s/rad, default 0: damping of the same
  const char *turning_damping;
  // number, in space vector, N m, default 0: torque on the second body when nothing is turned
  const char *turning_preload;
  // expression, in space vector, N m: the torque that turns the second body back: an expression of
  // angle, rate, t, parameters and signals, in space for each axis, instead of the three
  const char *turning_law[3];
  // vector or name: its x axis, in the axes of the first body (default: the first body's own)
  const char *x_axis[3];
  // vector or name: in space, with x_axis: a direction of the first body on the side of its y axis;
  // the y axis is normal to the x axis
  const char *y_axis[3];
  // vector or name: where its x axis is in the second body when it is relaxed (default: the numbers
  // of x_axis)
  const char *x_axis2[3];
  // vector or name: in space, with x_axis2: likewise, as y_axis (default: that of y_axis)
  const char *y_axis2[3];
} MbsBushingDef;

static inline MbsBushingDef mbs_default_bushing_def(void) {
  MbsBushingDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_bushing(
    MbsContext *context, MbsModel *model, const MbsBushingDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "forces", "bushing", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"bushing", 2, def->ends},
      {"stiffness", 3, def->stiffness},
      {"damping", 3, def->damping},
      {"preload", 3, def->preload},
      {"law", 3, def->law},
      {"turning_stiffness", 1, &def->turning_stiffness},
      {"turning_damping", 1, &def->turning_damping},
      {"turning_preload", 1, &def->turning_preload},
      {"turning_law", 3, def->turning_law},
      {"x_axis", 3, def->x_axis},
      {"y_axis", 3, def->y_axis},
      {"x_axis2", 3, def->x_axis2},
      {"y_axis2", 3, def->y_axis2},
  };
  return mbs_model_add_element(context, model, "forces", "bushing", def->name, 13, fields);
}

// contact of a point or a sphere with a plane, with friction if wanted
typedef struct MbsContactDef {
  // may be left out
  const char *name;
  // [point, point], required: a point of the plane on the first body, and the point (or centre of a
  // sphere) of the second body
  const char *ends[2];
  // vector or name, required: normal of the plane in the axes of the first body (any length but
  // zero), to the side where the second body is free
  const char *normal[3];
  // number, m, default 0: of a sphere (in the plane: a disc); 0: a point
  const char *radius;
  // number, required: k: the force is k d^exponent at a depth d
  const char *stiffness;
  // number, default 1.5: of the depth: 1.5 for a sphere (Hertz)
  const char *exponent;
  // number, s/m, default 0: c of Hunt and Crossley: the force is larger by c times the rate of the
  // depth
  const char *damping;
  // number: coefficient of friction where it slides (default: none)
  const char *mu_dynamic;
  // number: the largest coefficient of friction, at the stiction velocity (default: mu_dynamic)
  const char *mu_static;
  // number, m/s, default 0.01: below which it creeps instead of sticking
  const char *stiction_velocity;
} MbsContactDef;

static inline MbsContactDef mbs_default_contact_def(void) {
  MbsContactDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_contact(
    MbsContext *context, MbsModel *model, const MbsContactDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "forces", "contact", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"contact", 2, def->ends},
      {"normal", 3, def->normal},
      {"radius", 1, &def->radius},
      {"stiffness", 1, &def->stiffness},
      {"exponent", 1, &def->exponent},
      {"damping", 1, &def->damping},
      {"mu_dynamic", 1, &def->mu_dynamic},
      {"mu_static", 1, &def->mu_static},
      {"stiction_velocity", 1, &def->stiction_velocity},
  };
  return mbs_model_add_element(context, model, "forces", "contact", def->name, 9, fields);
}

// a force along any coordinate: an angle, a distance, a slide, ...
typedef struct MbsCoordinateForceDef {
  // may be left out
  const char *name;
  // expression, required: the coordinate it acts along: an expression of positions and t such as
  // angle(J), distance(P, Q), or x of the model's own
  const char *expression;
  // expression, required: the force that does work along it: an expression of its value and rate,
  // t, signals and parameters, such as -k*(value - x0) - c*rate
  const char *value;
} MbsCoordinateForceDef;

static inline MbsCoordinateForceDef mbs_default_coordinate_force_def(void) {
  MbsCoordinateForceDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_coordinate_force(
    MbsContext *context, MbsModel *model, const MbsCoordinateForceDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "forces", "coordinate_force", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"coordinate_force", 1, &def->expression},
      {"value", 1, &def->value},
  };
  return mbs_model_add_element(context, model, "forces", "coordinate_force", def->name, 2, fields);
}

// friction along a coordinate: a slide, an angle
typedef struct MbsFrictionDef {
  // may be left out
  const char *name;
  // expression, required: the coordinate that it acts along: an expression of positions and t such
  // as slide(J) or angle(J)
  const char *expression;
  // expression, N, required: the normal force, an expression of positions, velocities, states, t
  // and parameters (its magnitude counts); not of reactions
  const char *normal;
  // number, required: coefficient of friction where it slides
  const char *mu_dynamic;
  // number: the largest coefficient, at the stiction velocity (default: mu_dynamic)
  const char *mu_static;
  // number, m/s, required: below which it creeps instead of sticking
  const char *stiction_velocity;
  // number, m, default 1: of an angle: where it acts; velocity and torque are that of the
  // coordinate times it
  const char *radius;
  // number, N s/m, default 0: a force besides, proportional to the velocity
  const char *viscous;
} MbsFrictionDef;

static inline MbsFrictionDef mbs_default_friction_def(void) {
  MbsFrictionDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_friction(
    MbsContext *context, MbsModel *model, const MbsFrictionDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "forces", "friction", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"friction", 1, &def->expression},
      {"normal", 1, &def->normal},
      {"mu_dynamic", 1, &def->mu_dynamic},
      {"mu_static", 1, &def->mu_static},
      {"stiction_velocity", 1, &def->stiction_velocity},
      {"radius", 1, &def->radius},
      {"viscous", 1, &def->viscous},
  };
  return mbs_model_add_element(context, model, "forces", "friction", def->name, 7, fields);
}

// a force on a point, or between two, by expressions
typedef struct MbsPointForceDef {
  // may be left out
  const char *name;
  // point, required: the point it acts on
  const char *point;
  // vector expression, N, required: the force: expressions of t, signals and parameters
  const char *value[3];
  // global or body, default global: the axes of its components; with those of the point's body it
  // follows the body
  const char *axes;
  // point: the point of another body that the opposite force acts on; the two make a couple unless
  // the force is along their line
  const char *against;
} MbsPointForceDef;

static inline MbsPointForceDef mbs_default_point_force_def(void) {
  MbsPointForceDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_point_force(
    MbsContext *context, MbsModel *model, const MbsPointForceDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "forces", "point_force", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"point_force", 1, &def->point},
      {"value", 3, def->value},
      {"axes", 1, &def->axes},
      {"against", 1, &def->against},
  };
  return mbs_model_add_element(context, model, "forces", "point_force", def->name, 4, fields);
}

// spring-damper between two points, with constants or a law
typedef struct MbsSpringDef {
  // may be left out
  const char *name;
  // [point, point], required: the two points it pulls together
  const char *ends[2];
  // number, N/m, default 0: stiffness
  const char *stiffness;
  // number, N s/m, default 0: damping
  const char *damping;
  // number, m: natural length; needed unless there is a law
  const char *length;
  // expression, N: tension as an expression of length, rate, t, parameters and signals, instead of
  // the three numbers
  const char *law;
} MbsSpringDef;

static inline MbsSpringDef mbs_default_spring_def(void) {
  MbsSpringDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_spring(
    MbsContext *context, MbsModel *model, const MbsSpringDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "forces", "spring", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"spring", 2, def->ends},
      {"stiffness", 1, &def->stiffness},
      {"damping", 1, &def->damping},
      {"length", 1, &def->length},
      {"law", 1, &def->law},
  };
  return mbs_model_add_element(context, model, "forces", "spring", def->name, 5, fields);
}

// stops that bound a coordinate: bump stops, clearances
typedef struct MbsStopDef {
  // may be left out
  const char *name;
  // expression, required: the coordinate that it bounds: an expression of positions and t such as
  // slide(J), angle(J) or distance(P, Q)
  const char *expression;
  // number: where the lower stop begins (default: there is none)
  const char *lower;
  // number: where the upper stop begins (default: there is none)
  const char *upper;
  // number, required: k: the force is k d^exponent at a depth d beyond the stop
  const char *stiffness;
  // number, default 1.5: of the depth; 1: a linear spring, whose force has a kink where it begins
  const char *exponent;
  // number, s/m, default 0: c of Hunt and Crossley: the force is larger by c times the rate of the
  // depth
  const char *damping;
} MbsStopDef;

static inline MbsStopDef mbs_default_stop_def(void) {
  MbsStopDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_stop(
    MbsContext *context, MbsModel *model, const MbsStopDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "forces", "stop", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"stop", 1, &def->expression},
      {"lower", 1, &def->lower},
      {"upper", 1, &def->upper},
      {"stiffness", 1, &def->stiffness},
      {"exponent", 1, &def->exponent},
      {"damping", 1, &def->damping},
  };
  return mbs_model_add_element(context, model, "forces", "stop", def->name, 6, fields);
}

// a torque on a body, or between two, by expressions
typedef struct MbsTorqueDef {
  // may be left out
  const char *name;
  // body, required: the body it acts on
  const char *body;
  // expression, in space vector, N m, required: the torque, in space a vector: expressions of t,
  // signals and parameters
  const char *value[3];
  // global or body, default global: in space: the axes of its components; with those of the body it
  // follows the body
  const char *axes;
  // body: the body that the opposite torque acts on
  const char *against;
} MbsTorqueDef;

static inline MbsTorqueDef mbs_default_torque_def(void) {
  MbsTorqueDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_torque(
    MbsContext *context, MbsModel *model, const MbsTorqueDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "forces", "torque", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"torque", 1, &def->body},
      {"value", 3, def->value},
      {"axes", 1, &def->axes},
      {"against", 1, &def->against},
  };
  return mbs_model_add_element(context, model, "forces", "torque", def->name, 4, fields);
}

// torsional spring-damper between two bodies, with constants or a law
typedef struct MbsTorsionalSpringDef {
  // may be left out
  const char *name;
  // [body, body], required: the two bodies
  const char *ends[2];
  // number, N m/rad, default 0: stiffness
  const char *stiffness;
  // number, N m s/rad, default 0: damping
  const char *damping;
  // number, rad, default 0: angle of the second body's x axis from the first body's when relaxed
  const char *angle;
  // expression, N m: torque as an expression of angle, rate, t, parameters and signals, instead of
  // the three numbers
  const char *law;
  // vector or name: in space: the direction they turn about, in the axes of the first body; a joint
  // keeps it common
  const char *axis[3];
  // vector or name: the same direction in the axes of the second body (default: the numbers of
  // axis)
  const char *axis2[3];
} MbsTorsionalSpringDef;

static inline MbsTorsionalSpringDef mbs_default_torsional_spring_def(void) {
  MbsTorsionalSpringDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_torsional_spring(
    MbsContext *context, MbsModel *model, const MbsTorsionalSpringDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "forces", "torsional_spring", NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"torsional_spring", 2, def->ends},
      {"stiffness", 1, &def->stiffness},
      {"damping", 1, &def->damping},
      {"angle", 1, &def->angle},
      {"law", 1, &def->law},
      {"axis", 3, def->axis},
      {"axis2", 3, def->axis2},
  };
  return mbs_model_add_element(context, model, "forces", "torsional_spring", def->name, 7, fields);
}

// a curve y(x) or a map z(x, y) given by points
typedef struct MbsTableDef {
  // required
  const char *name;
  // [number, ...] or name, required: points, numbers that increase; with file: a column, by its
  // name or number
  const char *x;
  // [number, ...] or name, required: ordinates, one for each x: expressions of parameters, or the
  // name of an array of parameters; of a map its points along the second argument
  const char *y;
  // [[number, ...], ...] or name: of a map: its ordinates, for each x a list with one for each y
  const char *z;
  // linear or akima or monotone or spline or step, default linear: what is between the points:
  // lines, cubics by Akima's, by monotone or by spline slopes, or steps (each ordinate holds from
  // its x on)
  const char *kind;
  // error or hold or linear, default error: what is beyond the ends: a run that goes there fails,
  // or the ordinate at the end holds, or the curve goes on in a straight line
  const char *outside;
  // number: period of x: the curve goes around
  const char *periodic;
  // text: CSV file with the columns, beside the model
  const char *file;
} MbsTableDef;

static inline MbsTableDef mbs_default_table_def(void) {
  MbsTableDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_table(
    MbsContext *context, MbsModel *model, const MbsTableDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "tables", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"x", 1, &def->x},
      {"y", 1, &def->y},
      {"z", 1, &def->z},
      {"kind", 1, &def->kind},
      {"outside", 1, &def->outside},
      {"periodic", 1, &def->periodic},
      {"file", 1, &def->file},
  };
  return mbs_model_add_element(context, model, "tables", NULL, def->name, 7, fields);
}

// what happens where an expression passes zero
typedef struct MbsEventDef {
  // required
  const char *name;
  // expression, required: the guard: the event happens where this expression of positions,
  // velocities and time passes zero
  const char *when;
  // both or falling or rising, default both: which way the guard passes zero
  const char *direction;
  // number: an impact: the guard is a gap, whose rate becomes minus this times what it was, by an
  // impulse along the gap
  const char *restitution;
  // newton or poisson or energetic, default newton: what restitution is the ratio of, between the
  // second part of an impact and the first: rates of the gap, normal impulses, or (its square) work
  // of the normal impulse; without friction all three are the same
  const char *law;
  // [joint, ...]: joints that act from there on, whose points and directions must be in place; an
  // impulse brings velocities to what they allow
  const char *add;
  // [joint, ...]: joints that do not act from there on
  const char *remove;
  // no or yes, default no: yes: the run ends there
  const char *stop;
} MbsEventDef;

static inline MbsEventDef mbs_default_event_def(void) {
  MbsEventDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_event(
    MbsContext *context, MbsModel *model, const MbsEventDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "events", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"when", 1, &def->when},
      {"direction", 1, &def->direction},
      {"restitution", 1, &def->restitution},
      {"law", 1, &def->law},
      {"add", 1, &def->add},
      {"remove", 1, &def->remove},
      {"stop", 1, &def->stop},
  };
  return mbs_model_add_element(context, model, "events", NULL, def->name, 7, fields);
}

// a rate that an event sets
typedef struct MbsEventVelocityDef {
  // required: the event it belongs to, which is there already
  const char *event;
  // expression, required: a function of the position, such as r(P2).y
  const char *coordinate;
  // expression, required: its rate after the event, an expression of the state before it
  const char *velocity;
} MbsEventVelocityDef;

static inline MbsEventVelocityDef mbs_default_event_velocity_def(void) {
  MbsEventVelocityDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_event_velocity(
    MbsContext *context, MbsModel *model, const MbsEventVelocityDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "events.velocities", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"coordinate", 1, &def->coordinate},
      {"velocity", 1, &def->velocity},
  };
  return mbs_model_add_element(context, model, "events.velocities", NULL, def->event, 2, fields);
}

// friction in an impact
typedef struct MbsEventFrictionDef {
  // required: the event it belongs to, which is there already
  const char *event;
  // number, required: Coulomb's: the friction impulse is at most this times the normal one
  const char *coefficient;
  // expression, required: a function of the position whose rate is the velocity of slip, such as
  // r(P).x
  const char *along;
} MbsEventFrictionDef;

static inline MbsEventFrictionDef mbs_default_event_friction_def(void) {
  MbsEventFrictionDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_event_friction(
    MbsContext *context, MbsModel *model, const MbsEventFrictionDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "events.friction", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"coefficient", 1, &def->coefficient},
      {"along", 1, &def->along},
  };
  return mbs_model_add_element(context, model, "events.friction", NULL, def->event, 2, fields);
}

// fixes one degree of freedom at the start
typedef struct MbsIndependentCoordinateDef {
  // expression, required: a function of the position, such as r(P2).x, angle(A1) or distance(A, P2)
  const char *coordinate;
  // number: its value at the start (default: as bodies, points and coordinates are placed)
  const char *value;
  // number, default 0: its rate at the start
  const char *velocity;
} MbsIndependentCoordinateDef;

static inline MbsIndependentCoordinateDef mbs_default_independent_coordinate_def(void) {
  MbsIndependentCoordinateDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_independent_coordinate(
    MbsContext *context, MbsModel *model, const MbsIndependentCoordinateDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "initial.independent", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"coordinate", 1, &def->coordinate},
      {"value", 1, &def->value},
      {"velocity", 1, &def->velocity},
  };
  return mbs_model_add_element(context, model, "initial.independent", NULL, NULL, 3, fields);
}

// what an equilibrium leaves where it is
typedef struct MbsHeldCoordinateDef {
  // expression, required: a function of the position that stays as it is at the start, such as
  // r(car.O).x
  const char *coordinate;
} MbsHeldCoordinateDef;

static inline MbsHeldCoordinateDef mbs_default_held_coordinate_def(void) {
  MbsHeldCoordinateDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_held_coordinate(
    MbsContext *context, MbsModel *model, const MbsHeldCoordinateDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "equilibrium.hold", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"coordinate", 1, &def->coordinate},
  };
  return mbs_model_add_element(context, model, "equilibrium.hold", NULL, NULL, 1, fields);
}

// what an equilibrium is to meet besides
typedef struct MbsTrimConditionDef {
  // expression, required: of positions, forces, reactions and parameters: what has the value in
  // equilibrium
  const char *expression;
  // number, default 0: that it has
  const char *value;
} MbsTrimConditionDef;

static inline MbsTrimConditionDef mbs_default_trim_condition_def(void) {
  MbsTrimConditionDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_trim_condition(
    MbsContext *context, MbsModel *model, const MbsTrimConditionDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "equilibrium.conditions", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"expression", 1, &def->expression},
      {"value", 1, &def->value},
  };
  return mbs_model_add_element(context, model, "equilibrium.conditions", NULL, NULL, 2, fields);
}

// a number to differentiate: of one kind, with what belongs to that
typedef struct MbsObjectiveDef {
  // required
  const char *name;
  // expression: integral over time of this expression
  const char *integral;
  // expression: this expression at the end
  const char *final;
  // expression: an expression of parameters and of other objectives
  const char *value;
  // expression: root mean square of this expression over the run, sqrt(1/T integral x^2)
  const char *rms;
  // expression: (1/T integral abs(x)^p)^(1/p): with a large p a smooth measure of the largest
  // abs(x)
  const char *pnorm;
  // number, default 8: of pnorm: the exponent
  const char *p;
  // expression: integral of the square by which this expression is above, or below, a limit
  const char *violation;
  // expression: of violation: the limit that is not to be passed
  const char *above;
  // expression: of violation: the limit that is to be kept up to
  const char *below;
  // expression: largest value over the run of this expression, between steps too
  const char *maximum;
  // expression: the smallest, likewise
  const char *minimum;
  // expression: this expression at a time, or at an event
  const char *at;
  // number, s: of at: when; may depend on parameters
  const char *time;
  // text: of at: the name of an event
  const char *event;
  // text: the time of an event, by name
  const char *event_time;
  // whole number, default 1: of event and event_time: the how manieth of that name
  const char *number;
  // before or after, default before: of event: the state before it, or after it
  const char *side;
  // expression: the last time at which this expression of positions, velocities and time comes into
  // a band around a target; the end, if it is outside there
  const char *settling;
  // number, default 0: of settling: that target
  const char *target;
  // number: of settling: half the width of the band
  const char *band;
  // expression: this expression in equilibrium: of the command equilibrium, and of runs that start
  // there
  const char *equilibrium;
  // real or imag or frequency or damping: of a mode of the motion near the start, or the
  // equilibrium: its real or imaginary part, 1/s, natural frequency, Hz, or damping ratio
  const char *eigenvalue;
  // whole number, default 1: of eigenvalue: which, as mbsens linearize numbers them; it is followed
  // by its shape
  const char *mode;
} MbsObjectiveDef;

static inline MbsObjectiveDef mbs_default_objective_def(void) {
  MbsObjectiveDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_objective(
    MbsContext *context, MbsModel *model, const MbsObjectiveDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "objectives", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"integral", 1, &def->integral},
      {"final", 1, &def->final},
      {"value", 1, &def->value},
      {"rms", 1, &def->rms},
      {"pnorm", 1, &def->pnorm},
      {"p", 1, &def->p},
      {"violation", 1, &def->violation},
      {"above", 1, &def->above},
      {"below", 1, &def->below},
      {"maximum", 1, &def->maximum},
      {"minimum", 1, &def->minimum},
      {"at", 1, &def->at},
      {"time", 1, &def->time},
      {"event", 1, &def->event},
      {"event_time", 1, &def->event_time},
      {"number", 1, &def->number},
      {"side", 1, &def->side},
      {"settling", 1, &def->settling},
      {"target", 1, &def->target},
      {"band", 1, &def->band},
      {"equilibrium", 1, &def->equilibrium},
      {"eigenvalue", 1, &def->eigenvalue},
      {"mode", 1, &def->mode},
  };
  return mbs_model_add_element(context, model, "objectives", NULL, def->name, 23, fields);
}

// a signal with a name, for histories and results
typedef struct MbsOutputDef {
  // required
  const char *name;
  // expression, required: a number or a vector: any expression that an integral may have
  const char *value;
  // text: written with it, such as N; nothing is converted
  const char *unit;
  // text: what it is, in words
  const char *description;
} MbsOutputDef;

static inline MbsOutputDef mbs_default_output_def(void) {
  MbsOutputDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_output(
    MbsContext *context, MbsModel *model, const MbsOutputDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "outputs", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"value", 1, &def->value},
      {"unit", 1, &def->unit},
      {"description", 1, &def->description},
  };
  return mbs_model_add_element(context, model, "outputs", NULL, def->name, 3, fields);
}

// where the model holds: elsewhere a run stops, or warns
typedef struct MbsValidityDef {
  // required
  const char *name;
  // expression, required: an expression of positions, velocities, states and time that is positive
  // where the model holds
  const char *positive;
  // text, default the model does not hold there: what is wrong where it is not
  const char *message;
  // stop or warn, default stop: where it is not: the run stops, or it goes on and its result has a
  // warning that says when
  const char *otherwise;
} MbsValidityDef;

static inline MbsValidityDef mbs_default_validity_def(void) {
  MbsValidityDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_validity(
    MbsContext *context, MbsModel *model, const MbsValidityDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "validity", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"positive", 1, &def->positive},
      {"message", 1, &def->message},
      {"otherwise", 1, &def->otherwise},
  };
  return mbs_model_add_element(context, model, "validity", NULL, def->name, 3, fields);
}

// what a body looks like in a report; changes no result
typedef struct MbsShapeDef {
  // point, required: the point where it is; its body carries it
  const char *at;
  // box or sphere or cylinder or wheel or spring or line or mesh, required: box, sphere, cylinder
  // and mesh stand for the body, in place of what its points suggest; wheel, spring and line, and a
  // cylinder between two points, are drawn besides
  const char *kind;
  // point or [point, ...]: of a spring, line or cylinder: the other end, on any body; of a line
  // also a list of points that it goes through
  const char *to;
  // vector or name: of a wheel or cylinder in space: its axis, in axes of the body or the name of a
  // vector
  const char *axis[3];
  // vector, m: of a box: how long it is along each axis of the body
  const char *size[3];
  // number, m: of a sphere, cylinder, wheel or spring
  const char *radius;
  // number, m: of a wheel or a cylinder with an axis: along it (default: of a wheel 0.6 radius)
  const char *width;
  // vector, m, default 0: how far its middle is from the point, in axes of the body
  const char *offset[3];
  // text: of a mesh: an .stl or .obj file, beside the model
  const char *file;
  // number, default 1: of a mesh: metres of one unit of the file
  const char *scale;
  // x or y or z or xy or xz or yz or xyz: of a mesh: the axes of the file whose sign changes; in a
  // mirrored assembly those of the mirror besides
  const char *mirror;
  // vector expression, m: of a line, in place of to: its points from `at` on, in axes of the body,
  // as expressions of `s` and of parameters: [s, road(s)]
  const char *curve[3];
  // [number, ...] or name: of a curve: the first and the last s
  const char *range;
  // whole number, default 200: of a curve: how many straight ones, to 1000
  const char *pieces;
  // text: "#rrggbb" (default: that of the body)
  const char *colour;
  // number, default 1: 0 to 1
  const char *opacity;
} MbsShapeDef;

static inline MbsShapeDef mbs_default_shape_def(void) {
  MbsShapeDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_shape(
    MbsContext *context, MbsModel *model, const MbsShapeDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "shapes", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"at", 1, &def->at},
      {"kind", 1, &def->kind},
      {"to", 1, &def->to},
      {"axis", 3, def->axis},
      {"size", 3, def->size},
      {"radius", 1, &def->radius},
      {"width", 1, &def->width},
      {"offset", 3, def->offset},
      {"file", 1, &def->file},
      {"scale", 1, &def->scale},
      {"mirror", 1, &def->mirror},
      {"curve", 3, def->curve},
      {"range", 1, &def->range},
      {"pieces", 1, &def->pieces},
      {"colour", 1, &def->colour},
      {"opacity", 1, &def->opacity},
  };
  return mbs_model_add_element(context, model, "shapes", NULL, NULL, 16, fields);
}

// bounds of what has no place for them of its own, such as components of hardpoints
typedef struct MbsDesignRangeDef {
  // text, required: a parameter, an array, a component of a hardpoint P.x, or ordinates f.y
  const char *parameter;
  // number: it stays above this
  const char *lower;
  // number: and below this
  const char *upper;
  // number: how much of it is a large change
  const char *scale;
} MbsDesignRangeDef;

static inline MbsDesignRangeDef mbs_default_design_range_def(void) {
  MbsDesignRangeDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_design_range(
    MbsContext *context, MbsModel *model, const MbsDesignRangeDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "optimization.bounds", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"parameter", 1, &def->parameter},
      {"lower", 1, &def->lower},
      {"upper", 1, &def->upper},
      {"scale", 1, &def->scale},
  };
  return mbs_model_add_element(context, model, "optimization.bounds", NULL, NULL, 4, fields);
}

// a limit that an objective must keep
typedef struct MbsDesignConstraintDef {
  // text, required: which one, by name
  const char *objective;
  // number: it is to stay below this
  const char *below;
  // number: it is to stay above this
  const char *above;
  // number: it is to be this
  const char *equals;
  // number: what a large violation is (default: the size of the limit, or of the objective at the
  // start)
  const char *scale;
} MbsDesignConstraintDef;

static inline MbsDesignConstraintDef mbs_default_design_constraint_def(void) {
  MbsDesignConstraintDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_design_constraint(
    MbsContext *context, MbsModel *model, const MbsDesignConstraintDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "optimization.constraints", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"objective", 1, &def->objective},
      {"below", 1, &def->below},
      {"above", 1, &def->above},
      {"equals", 1, &def->equals},
      {"scale", 1, &def->scale},
  };
  return mbs_model_add_element(context, model, "optimization.constraints", NULL, NULL, 5, fields);
}

// what a column of the data is in the model
typedef struct MbsMeasuredOutputDef {
  // text, required: an output of the model, or another column of its histories: P.x, theta'
  const char *output;
  // text: of the data files, by the name in the first line (default: called like the output)
  const char *column;
  // number: standard deviation of a measurement (default: estimated from what is left)
  const char *sigma;
} MbsMeasuredOutputDef;

static inline MbsMeasuredOutputDef mbs_default_measured_output_def(void) {
  MbsMeasuredOutputDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_measured_output(
    MbsContext *context, MbsModel *model, const MbsMeasuredOutputDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "identification.outputs", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"output", 1, &def->output},
      {"column", 1, &def->column},
      {"sigma", 1, &def->sigma},
  };
  return mbs_model_add_element(context, model, "identification.outputs", NULL, NULL, 3, fields);
}

// a parameter that is another one in the run of one data file
typedef struct MbsKnownValueDef {
  // text, required: one of the data files
  const char *data;
  // text, required: a parameter that is a number, and not to be found
  const char *parameter;
  // number, required: what it is in that run
  const char *value;
} MbsKnownValueDef;

static inline MbsKnownValueDef mbs_default_known_value_def(void) {
  MbsKnownValueDef def = MBS_NOTHING_GIVEN;
  return def;
}

static inline MbsStatus mbs_model_add_known_value(
    MbsContext *context, MbsModel *model, const MbsKnownValueDef *def) {
  if (!def) {
    return mbs_model_add_element(context, model, "identification.known", NULL, NULL, 0, NULL);
  }
  const MbsFieldTexts fields[] = {
      {"data", 1, &def->data},
      {"parameter", 1, &def->parameter},
      {"value", 1, &def->value},
  };
  return mbs_model_add_element(context, model, "identification.known", NULL, NULL, 3, fields);
}

#undef MBS_NOTHING_GIVEN
#ifdef __cplusplus
}
#endif
// clang-format on
#endif
