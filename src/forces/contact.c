// Contact of a point or a sphere of the second body with a plane of the first, as a spring of one side with Hunt and
// Crossley's damping (contact_core.h). With n the normal and r2 the point, or the centre of a sphere of radius R,
//     d = R - n.(r2 - r1)                          depth
//     F = k d^p max(0, 1 + c d')                   along n on the second body
// acts along -d, so that both bodies have it where it belongs, couples included. For a mass m that meets the plane with
// the velocity v the work of F gives the velocity v' with which it leaves, whatever k and p are:
//     v - ln(1 + c v)/c = -v' - ln(1 - c v')/c
//
// Friction acts at the place of contact, r2 - R n, against the slip s of the second body's surface on the first's, by
// the law of contact_core.h with |s| = sqrt(s.s + (v_s/1000)^2), which is smooth.
#include "expressions/vector.h"
#include "forces/contact_core.h"
#include "model/rotation.h"

enum { ENDS, NORMAL, RADIUS, STIFFNESS, EXPONENT, DAMPING, SLIDING, FIXED, STICTION, COUNT };

static const MbsField fields[] = {
    [ENDS] = {"contact", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "a point of the plane on the first body, and the point (or centre of a sphere) of the second "
                         "body"},
    [NORMAL] = {"normal", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_required = true,
                .summary = "normal of the plane in the axes of the first body (any length but zero), to the side where "
                           "the second body is free"},
    [RADIUS] = {"radius", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .default_text = "0", .unit = "m",
                .summary = "of a sphere (in the plane: a disc); 0: a point"},
    [STIFFNESS] = {"stiffness", MBS_FIELD_NUMBER, .is_required = true, .check = MBS_CHECK_NOT_NEGATIVE,
                   .summary = "k: the force is k d^exponent at a depth d"},
    [EXPONENT] = {"exponent", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE, .default_text = "1.5",
                  .summary = "of the depth: 1.5 for a sphere (Hertz)"},
    [DAMPING] = {"damping", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .default_text = "0", .unit = "s/m",
                 .summary = "c of Hunt and Crossley: the force is larger by c times the rate of the depth"},
    [SLIDING] = {"mu_dynamic", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE,
                 .summary = "coefficient of friction where it slides (default: none)"},
    [FIXED] = {"mu_static", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE,
               .summary = "the largest coefficient of friction, at the stiction velocity (default: mu_dynamic)"},
    [STICTION] = {"stiction_velocity", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE, .default_text = "0.01",
                  .unit = "m/s", .summary = "below which it creeps instead of sticking"},
};

typedef struct Ends {
  MbsPointReference point[2];
  MbsDirection normal;
  MbsExpression n, between;  // in global axes: the normal, and r2 - r1
} Ends;

static MbsStatus find_ends(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsRecord *record,
                           Ends *ends) {
  const MbsValue *names = mbs_record_value(record, ENDS);
  MbsForm forms[2], line, normal;
  for (int i = 0; i < 2; ++i) {
    MBS_TRY(mbs_blueprint_find_point(context, blueprint, owner, names->texts[i], &ends->point[i]));
    MBS_TRY(mbs_form_of_point(context, blueprint, ends->point[i], &forms[i]));
  }
  if (ends->point[0].body == ends->point[1].body) {
    return mbs_fail(context, MBS_ERROR_INPUT, names->texts[1].place, "%s: both points are on body \"%s\"", owner,
                    blueprint->bodies.items[ends->point[0].body].name);
  }
  if (ends->point[0].body != MBS_GROUND) {
    MBS_TRY(mbs_force_needs_rigid(context, blueprint, owner, names->texts[0], ends->point[0].body));
  }
  MBS_TRY(mbs_direction_read(context, blueprint, owner, &fields[NORMAL], mbs_record_value(record, NORMAL),
                             ends->point[0].body, ends->point[0].body, &ends->normal));
  MBS_TRY(mbs_form_subtract(context, blueprint, &forms[1], &forms[0], &line));
  MBS_TRY(mbs_form_of_direction(context, blueprint, &ends->normal, &normal));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &normal, MBS_SIGNAL_POSITION, &ends->n));
  return mbs_signal_of_form(context, blueprint, &line, MBS_SIGNAL_POSITION, &ends->between);
}

// the velocity of a point r from a body's point, in global axes
static MbsStatus surface_velocity(MbsContext *context, MbsBlueprint *blueprint, MbsPointReference point,
                                  const MbsNode r[3], MbsNode velocity[3]) {
  MbsGraph *g = blueprint->graph;
  MbsForm form;
  MbsExpression v, omega = {.size = 0};
  int d = blueprint->dimension;
  bool turns = point.body != MBS_GROUND && blueprint->bodies.items[point.body].kind == MBS_BODY_RIGID;
  MBS_TRY(mbs_form_of_point(context, blueprint, point, &form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_VELOCITY, &v));
  if (turns) {
    MBS_TRY(mbs_rotation_rate(context, blueprint, point.body, false, &omega));
  }
  for (int k = 0; k < d; ++k) {
    velocity[k] = v.node[k];
    if (turns && d == 2) {  // omega J r
      MbsNode part = mbs_graph_multiply(g, omega.node[0], r[1 - k]);
      velocity[k] = k == 0 ? mbs_graph_subtract(g, velocity[k], part) : mbs_graph_add(g, velocity[k], part);
    } else if (turns) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      MbsNode cross =
          mbs_graph_subtract(g, mbs_graph_multiply(g, omega.node[i], r[j]), mbs_graph_multiply(g, omega.node[j], r[i]));
      velocity[k] = mbs_graph_add(g, velocity[k], cross);
    }
  }
  return MBS_OK;
}

// directions along the plane, in global axes
static MbsStatus find_tangents(MbsContext *context, MbsBlueprint *blueprint, const Ends *ends, MbsNode tangent[2][3]) {
  if (blueprint->dimension == 2) {
    tangent[0][0] = mbs_graph_negate(blueprint->graph, ends->n.node[1]);
    tangent[0][1] = ends->n.node[0];
    return MBS_OK;
  }
  MbsDirection directions[2];
  MBS_TRY(mbs_direction_normals(context, blueprint, &ends->normal, directions));
  for (int i = 0; i < 2; ++i) {
    MbsForm form;
    MbsExpression value;
    MBS_TRY(mbs_form_of_direction(context, blueprint, &directions[i], &form));
    MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &value));
    for (int k = 0; k < 3; ++k) {
      tangent[i][k] = value.node[k];
    }
  }
  return MBS_OK;
}

// -mu(|s|)/|s| F s, along the slip
static MbsStatus add_friction(MbsContext *context, MbsBlueprint *blueprint, const Ends *ends, MbsNode radius,
                              MbsNode force, const MbsFrictionLaw *law, MbsForceAlong *along) {
  MbsGraph *g = blueprint->graph;
  int d = blueprint->dimension;
  MbsNode arm[2][3], velocity[2][3], tangent[2][3], slip[2];
  for (int k = 0; k < d; ++k) {
    arm[1][k] = mbs_graph_negate(g, mbs_graph_multiply(g, radius, ends->n.node[k]));
    arm[0][k] = mbs_graph_add(g, ends->between.node[k], arm[1][k]);
  }
  for (int i = 0; i < 2; ++i) {
    MBS_TRY(surface_velocity(context, blueprint, ends->point[i], arm[i], velocity[i]));
  }
  MBS_TRY(find_tangents(context, blueprint, ends, tangent));
  MbsNode least = mbs_graph_multiply(g, mbs_graph_constant(g, 1e-3), law->stiction_velocity);
  MbsNode square = mbs_graph_power_integer(g, least, 2);
  for (int i = 0; i < d - 1; ++i) {
    slip[i] = mbs_graph_constant(g, 0);
    for (int k = 0; k < d; ++k) {
      MbsNode difference = mbs_graph_subtract(g, velocity[1][k], velocity[0][k]);
      slip[i] = mbs_graph_add(g, slip[i], mbs_graph_multiply(g, tangent[i][k], difference));
    }
    square = mbs_graph_add(g, square, mbs_graph_power_integer(g, slip[i], 2));
  }
  MbsNode speed = mbs_graph_apply(g, MBS_OP_SQRT, square, MBS_NODE_NONE);
  MbsNode factor = mbs_graph_divide(g, mbs_force_friction_coefficient(g, speed, law), speed);
  factor = mbs_graph_negate(g, mbs_graph_multiply(g, force, factor));
  for (int i = 0; i < d - 1; ++i) {
    along[i] = (MbsForceAlong){.rate = slip[i], .value = mbs_graph_multiply(g, factor, slip[i])};
  }
  return MBS_OK;
}

static MbsStatus build(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  static const int law_fields[] = {SLIDING, FIXED, STICTION};
  MbsGraph *g = blueprint->graph;
  const char *owner = mbs_force_name(blueprint, record);
  bool has_friction = mbs_record_text(record, SLIDING).text;
  Ends ends;
  MbsNode number[COUNT], rate, gap = mbs_graph_constant(g, 0);
  MbsForceAlong along[3];
  if (mbs_record_text(record, FIXED).text && !has_friction) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_record_text(record, FIXED).place,
                    "%s: mu_static is a coefficient of friction and needs the one of sliding, mu_dynamic", owner);
  }
  MBS_TRY(find_ends(context, blueprint, owner, record, &ends));
  for (int i = RADIUS; i <= DAMPING; ++i) {
    MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[i], mbs_record_text(record, i), &number[i]));
  }
  for (int k = 0; k < blueprint->dimension; ++k) {
    gap = mbs_graph_add(g, gap, mbs_graph_multiply(g, ends.n.node[k], ends.between.node[k]));
  }
  MbsNode depth = mbs_graph_subtract(g, number[RADIUS], gap);
  MBS_TRY(mbs_signal_rate(context, blueprint, depth, &rate));
  MbsOneSided spring = mbs_force_one_sided(g, depth, rate, number[STIFFNESS], number[EXPONENT], number[DAMPING]);
  along[0] = (MbsForceAlong){.rate = rate, .value = mbs_graph_negate(g, spring.force)};
  if (has_friction) {
    MbsFrictionLaw law;
    MBS_TRY(mbs_force_read_friction(context, blueprint, owner, record, fields, law_fields, &law));
    MBS_TRY(add_friction(context, blueprint, &ends, number[RADIUS], spring.force, &law, along + 1));
  }
  return mbs_force_add_along(context, blueprint, record, has_friction ? blueprint->dimension : 1, along, spring.energy);
}

const MbsForceType mbs_force_contact = {
    .record = {"contact", "contact of a point or a sphere with a plane, with friction if wanted", MBS_COUNT(fields),
               fields},
    .build = build,
};
