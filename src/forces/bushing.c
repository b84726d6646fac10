// A bushing holds two bodies together elastically, along and about axes of its own on the first body.
//
// Its axes e1_k are fixed in the first body (x_axis, y_axis), and a second set e2_k in the second body (x_axis2,
// y_axis2) is parallel to them when it is relaxed. With r1, r2 its points and rho = r2 - r1, the displacements are
//     d_k = e1_k.rho,    d_k' = e1_k.rho' + e1_k'.rho = e1_k.(v2 - v1 - omega1 x rho),
// the place of the second point and its velocity as seen from the first body, which turns, and the rotation of the
// second body from the first is, in the plane, phi = angle2 - angle1 over any number of turns and phi' its rate; in
// space, the rotation vector phi = theta n and phi' its rate (rotation_vector.c): about one axis, the angle.
//
// Along each of these displacements x it pulls back by
//     N = K x + C x' - P,    or a law N(x, x'),
// that is, it does the work -N dx. So there is no other choice where it acts: the second body has
//     at r2 the force F = -sum N_k e1_k,    and the torque M = -sum (J' N)_k e1_k,    phi' = J omega_21,
// and the first body what balances both: at r1 the force -F with the couple -rho x F (together: -F at the place of r2),
// and the torque -M. As generalised forces, by dx, the couple is -N_k rho on the direction e1_k. No net force, no net
// torque; what it does depends on the bodies' places relative to each other and no more. To first order in phi the
// torque is that of other programs' bushings, -sum N_k e1_k.
//
// Potential: sum 1/2 K x^2 - P x. What has none (damping, laws) is booked as work.
#include "expressions/vector.h"
#include "model/force.h"
#include "model/rotation.h"

enum {
  ENDS,
  STIFFNESS,
  DAMPING,
  PRELOAD,
  LAW,
  TURNING_STIFFNESS,
  TURNING_DAMPING,
  TURNING_PRELOAD,
  TURNING_LAW,
  X_AXIS,
  Y_AXIS,
  X_AXIS2,
  Y_AXIS2
};

// A rotation vector of half a turn has two senses: (1 + cos theta) at 168.5 degrees, where the bushing is given up.
static const double least_one_plus_cosine = 0.02;

static const MbsField fields[] = {
    [ENDS] = {"bushing", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "the point on each body that it connects; its axes are on the first"},
    [STIFFNESS] = {"stiffness", MBS_FIELD_VECTOR, .mirror = MBS_MIRROR_NONE, .default_text = "0", .unit = "N/m",
                   .summary = "stiffness along each of its axes"},
    [DAMPING] = {"damping", MBS_FIELD_VECTOR, .mirror = MBS_MIRROR_NONE, .default_text = "0", .unit = "N s/m",
                 .summary = "damping along each of its axes, of the velocity as seen from the first body"},
    [PRELOAD] = {"preload", MBS_FIELD_VECTOR, .default_text = "0", .unit = "N",
                 .summary = "force on the second body along each of its axes when nothing is displaced"},
    [LAW] = {"law", MBS_FIELD_SIGNAL_VECTOR, .unit = "N",
             .summary = "the force that pulls the second body back, for each axis an expression of displacement, rate, "
                        "t, parameters and signals, instead of the three"},
    [TURNING_STIFFNESS] = {"turning_stiffness", MBS_FIELD_TURNING, .mirror = MBS_MIRROR_NONE, .default_text = "0",
                           .unit = "N m/rad", .summary = "stiffness of rotation (plane), or about each of its axes"},
    [TURNING_DAMPING] = {"turning_damping", MBS_FIELD_TURNING, .mirror = MBS_MIRROR_NONE, .default_text = "0",
                         .unit = "N m s/rad", .summary = "damping of the same"},
    [TURNING_PRELOAD] = {"turning_preload", MBS_FIELD_TURNING, .mirror = MBS_MIRROR_ANGULAR, .default_text = "0",
                         .unit = "N m", .summary = "torque on the second body when nothing is turned"},
    [TURNING_LAW] = {"turning_law", MBS_FIELD_TORQUE, .mirror = MBS_MIRROR_ANGULAR, .unit = "N m",
                     .summary = "the torque that turns the second body back: an expression of angle, rate, t, "
                                "parameters and signals, in space for each axis, instead of the three"},
    [X_AXIS] = {"x_axis", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .mirror = MBS_MIRROR_X_AXIS,
                .summary = "its x axis, in the axes of the first body (default: the first body's own)"},
    [Y_AXIS] = {"y_axis", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .mirror = MBS_MIRROR_Y_AXIS,
                .summary = "in space, with x_axis: a direction of the first body on the side of its y axis; the y axis "
                           "is normal to the x axis"},
    [X_AXIS2] = {"x_axis2", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .mirror = MBS_MIRROR_X_AXIS,
                 .is_second = true,
                 .summary =
                     "where its x axis is in the second body when it is relaxed (default: the numbers of x_axis)"},
    [Y_AXIS2] = {"y_axis2", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .mirror = MBS_MIRROR_Y_AXIS,
                 .is_second = true, .summary = "in space, with x_axis2: likewise, as y_axis (default: that of y_axis)"},
};

// What the parts of building share.
typedef struct Bushing {
  MbsContext *context;
  MbsBlueprint *blueprint;
  const MbsRecord *record;
  const char *owner;
  MbsForceSpec spec;          // of the translations; its ports are the points at first
  MbsDirection axes[2][3];    // on each body; in the plane the first two
  MbsExpression along[2][3];  // as expressions
} Bushing;

// ---- axes ----
static MbsStatus read_axis(const Bushing *b, int field, int side, MbsDirection *direction) {
  const MbsValue *value = mbs_record_value(b->record, field);
  bool is_own = side == 0 || value->count > 0;
  if (!is_own) {  // the numbers of the first body's field
    field -= X_AXIS2 - X_AXIS;
    value = mbs_record_value(b->record, field);
  }
  return mbs_direction_read(b->context, b->blueprint, b->owner, &fields[field], value,
                            b->spec.port_body[is_own ? side : 0], b->spec.port_body[side], direction);
}

// x_axis and y_axis go together, in the plane x_axis is enough
static MbsStatus check_axes(const Bushing *b, int x) {
  const MbsValue *first = mbs_record_value(b->record, x), *second = mbs_record_value(b->record, x + 1);
  bool is_planar = b->blueprint->dimension == 2;
  if (is_planar && second->count > 0) {
    return mbs_fail(b->context, MBS_ERROR_INPUT, second->place, "%s: in the plane %s is enough, without %s", b->owner,
                    fields[x].name, fields[x + 1].name);
  }
  if (!is_planar && (first->count > 0) != (second->count > 0)) {
    return mbs_fail(b->context, MBS_ERROR_INPUT, first->count > 0 ? first->place : second->place,
                    "%s: in space %s and %s go together", b->owner, fields[x].name, fields[x + 1].name);
  }
  return MBS_OK;
}

static MbsStatus read_axes(const Bushing *b, int side, MbsDirection axes[3]) {
  MbsGraph *g = b->blueprint->graph;
  int x = side == 0 ? X_AXIS : X_AXIS2;
  MbsDirection X, Y;
  MBS_TRY(check_axes(b, x));
  if (mbs_record_value(b->record, x)->count == 0 && mbs_record_value(b->record, X_AXIS)->count == 0) {
    for (int k = 0; k < 3; ++k) {
      axes[k] = mbs_direction_axis(g, b->spec.port_body[side], k);
    }
    return MBS_OK;
  }
  MBS_TRY(read_axis(b, x, side, &X));
  if (b->blueprint->dimension == 2) {
    axes[0] = X;
    axes[1] = (MbsDirection){.body = X.body, .local = {mbs_graph_negate(g, X.local[1]), X.local[0], X.local[2]}};
    return MBS_OK;
  }
  MBS_TRY(read_axis(b, x + 1, side, &Y));
  double normal;
  MbsNode square;
  mbs_direction_frame(g, &X, &Y, axes, &square);
  MBS_TRY(mbs_blueprint_nominal(b->context, b->blueprint, 1, &square, &normal));
  if (!(normal > 1e-12)) {  // the square of an angle in radians
    return mbs_fail(b->context, MBS_ERROR_INPUT, mbs_record_value(b->record, x + 1)->place,
                    "%s: %s and %s are parallel", b->owner, fields[x].name, fields[x + 1].name);
  }
  return MBS_OK;
}

// number k of a field that has one for each axis: in a list, or a vector by one expression
static MbsStatus read_number(const Bushing *b, int field, int k, MbsNode *number) {
  const MbsValue *value = mbs_record_value(b->record, field);
  MbsNode vector[3];
  if (fields[field].kind == MBS_FIELD_VECTOR && value->count == 1) {
    MBS_TRY(mbs_blueprint_vector(b->context, b->blueprint, b->owner, &fields[field], value, vector));
    *number = vector[k];
    return MBS_OK;
  }
  return mbs_blueprint_number(b->context, b->blueprint, b->owner, &fields[field], value->texts[k], number);
}

// ---- N along a displacement ----
// by component: what pulls back, and what is known of its potential (added)
static MbsStatus pull(const Bushing *b, int stiffness, int count, const MbsNode *x, const MbsNode *rate, MbsNode *N,
                      MbsNode *potential) {
  MbsBlueprint *blueprint = b->blueprint;
  MbsGraph *g = blueprint->graph;
  int law = stiffness + LAW - STIFFNESS;
  const MbsValue *laws = mbs_record_value(b->record, law);
  for (int field = stiffness; field < law && laws->count > 0; ++field) {
    if (mbs_record_value(b->record, field)->is_given) {
      return mbs_fail(b->context, MBS_ERROR_INPUT, mbs_record_value(b->record, field)->place,
                      "%s: give either a %s or %s, not both", b->owner, fields[law].name, fields[field].name);
    }
  }
  if (laws->count > 0 && laws->count != count) {
    return mbs_fail(b->context, MBS_ERROR_INPUT, laws->place, "%s: %s is a list of %d expressions, one for each axis",
                    b->owner, fields[law].name, count);
  }
  for (int k = 0; k < count; ++k) {
    if (laws->count > 0) {
      MbsLocalName locals[] = {{law == LAW ? "displacement" : "angle", x[k]}, {"rate", rate[k]}};
      MbsExpression value;
      MBS_TRY(mbs_signal_parse(b->context, blueprint, b->owner, laws->texts[k], 1,
                               MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME, MBS_COUNT(locals), locals, &value));
      N[k] = value.node[0];
      continue;
    }
    MbsNode number[3];  // K, C, P
    for (int i = 0; i < 3; ++i) {
      MBS_TRY(read_number(b, stiffness + i, k, &number[i]));
    }
    MbsNode elastic = mbs_graph_subtract(g, mbs_graph_multiply(g, number[0], x[k]), number[2]);
    N[k] = mbs_node_multiply_add(g, number[1], rate[k], elastic);
    // 1/2 K x^2 - P x = 1/2 (K x - P) x - 1/2 P x
    MbsNode twice = mbs_graph_multiply(g, mbs_graph_subtract(g, elastic, number[2]), x[k]);
    *potential = mbs_node_multiply_add(g, mbs_graph_constant(g, 0.5), twice, *potential);
  }
  return MBS_OK;
}

static bool is_nothing(const MbsGraph *g, int count, const MbsNode *N) {
  bool is = true;
  for (int k = 0; k < count; ++k) {
    is = is && mbs_graph_is_constant(g, N[k], 0);
  }
  return is;
}

// ---- translations: ports r1, r2 and the directions e1_k ----
static MbsStatus add_force(const Bushing *b) {
  MbsContext *context = b->context;
  MbsBlueprint *blueprint = b->blueprint;
  MbsGraph *g = blueprint->graph;
  int d = blueprint->dimension;
  MbsForceSpec spec = b->spec;
  MbsForm line, *ports;
  MbsExpression rho;
  MbsNode x[3] = {0}, rate[3] = {0}, N[3] = {0}, *expressions;
  int *bodies;
  spec.port_count = 2 + d;
  spec.energy = mbs_graph_constant(g, 0);
  MBS_TRY(mbs_form_subtract(context, blueprint, &spec.ports[1], &spec.ports[0], &line));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &line, MBS_SIGNAL_POSITION, &rho));
  for (int k = 0; k < d; ++k) {
    x[k] = mbs_node_dot(g, d, b->along[0][k].node, rho.node);
    MBS_TRY(mbs_signal_rate(context, blueprint, x[k], &rate[k]));
  }
  MBS_TRY(pull(b, STIFFNESS, d, x, rate, N, &spec.energy));
  if (is_nothing(g, d, N)) {
    return MBS_OK;
  }
  MBS_TAKE(context, blueprint->arena, ports, spec.port_count);
  MBS_TAKE(context, blueprint->arena, bodies, spec.port_count);
  MBS_TAKE(context, blueprint->arena, expressions, spec.port_count * d);
  for (int p = 0; p < spec.port_count; ++p) {
    bodies[p] = spec.port_body[p == 1 ? 1 : 0];
    if (p < 2) {
      ports[p] = spec.ports[p];
    } else {
      MBS_TRY(mbs_form_of_direction(context, blueprint, &b->axes[0][p - 2], &ports[p]));
    }
  }
  for (int i = 0; i < d; ++i) {
    MbsNode sum = mbs_graph_constant(g, 0);
    for (int k = 0; k < d; ++k) {
      sum = mbs_node_multiply_add(g, N[k], b->along[0][k].node[i], sum);
      expressions[(2 + k) * d + i] = mbs_graph_negate(g, mbs_graph_multiply(g, N[k], rho.node[i]));
    }
    expressions[i] = sum;
    expressions[d + i] = mbs_graph_negate(g, sum);
  }
  spec.ports = ports;
  spec.port_body = bodies;
  spec.expressions = expressions;
  MBS_APPEND(context, blueprint->arena, &blueprint->forces, spec);
  return MBS_OK;
}

// ---- rotations: torques on the bodies ----
// the torque that turns the second body back, in global axes (a number in the plane)
static MbsStatus torque_in_plane(const Bushing *b, const MbsExpression omega[2], MbsExpression *back,
                                 MbsNode *potential) {
  MbsGraph *g = b->blueprint->graph;
  MbsNode angle[2];
  for (int i = 0; i < 2; ++i) {
    MBS_TRY(mbs_rotation_angle(b->context, b->blueprint, b->spec.port_body[i], &angle[i]));
  }
  // of e2 from e1: that of the bodies, and what it is when these are parallel
  const MbsNode *x1 = b->axes[0][0].local, *x2 = b->axes[1][0].local;
  MbsNode own = mbs_graph_apply(g, MBS_OP_ATAN2, mbs_node_cross(g, x1, x2, 2), mbs_node_dot(g, 2, x1, x2));
  MbsNode x = mbs_graph_add(g, mbs_graph_subtract(g, angle[1], angle[0]), own);
  MbsNode rate = mbs_graph_subtract(g, omega[1].node[0], omega[0].node[0]);
  back->size = 1;
  return pull(b, TURNING_STIFFNESS, 1, &x, &rate, back->node, potential);
}

static MbsStatus torque_in_space(const Bushing *b, const MbsExpression omega[2], MbsExpression *back,
                                 MbsNode *potential) {
  MbsBlueprint *blueprint = b->blueprint;
  MbsGraph *g = blueprint->graph;
  MbsRotationVector phi = mbs_rotation_vector(g, b->along[0], b->along[1]);
  MbsNode relative[3], rate[3], N[3], torque[3];
  for (int k = 0; k < 3; ++k) {
    relative[k] = mbs_graph_subtract(g, mbs_node_dot(g, 3, b->along[0][k].node, omega[1].node),
                                     mbs_node_dot(g, 3, b->along[0][k].node, omega[0].node));
  }
  mbs_rotation_vector_rate(g, &phi, relative, rate);
  MBS_TRY(pull(b, TURNING_STIFFNESS, 3, phi.vector, rate, N, potential));
  mbs_rotation_vector_torque(g, &phi, N, torque);
  back->size = 3;
  for (int i = 0; i < 3; ++i) {
    back->node[i] = mbs_graph_constant(g, 0);
    for (int k = 0; k < 3; ++k) {
      back->node[i] = mbs_node_multiply_add(g, torque[k], b->along[0][k].node[i], back->node[i]);
    }
  }
  if (!is_nothing(g, 3, N)) {
    MbsNode zero = mbs_graph_constant(g, 0);
    MBS_APPEND(b->context, blueprint->arena, &blueprint->conditions,
               (MbsConditionSpec){.owner = b->owner,
                                  .place = b->record->name.place,
                                  .vector = {phi.one_plus_cosine, zero, zero},
                                  .least = least_one_plus_cosine,
                                  .broken = "the bodies are turned against each other by nearly half a turn"});
  }
  return MBS_OK;
}

static MbsStatus add_torque(const Bushing *b) {
  MbsGraph *g = b->blueprint->graph;
  MbsExpression omega[2], forward, back = {.size = 0};
  MbsNode potential = mbs_graph_constant(g, 0);
  for (int i = 0; i < 2; ++i) {
    MBS_TRY(mbs_rotation_rate(b->context, b->blueprint, b->spec.port_body[i], false, &omega[i]));
  }
  MBS_TRY(b->blueprint->dimension == 2 ? torque_in_plane(b, omega, &forward, &potential)
                                       : torque_in_space(b, omega, &forward, &potential));
  if (is_nothing(g, forward.size, forward.node)) {
    return MBS_OK;
  }
  back.size = forward.size;
  for (int k = 0; k < back.size; ++k) {
    back.node[k] = mbs_graph_negate(g, forward.node[k]);
  }
  const MbsExpression *torques[] = {&forward, &back};
  return mbs_force_add_torques(b->context, b->blueprint, b->record, 2, b->spec.port_body, torques, potential);
}

static MbsStatus build(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  Bushing b = {.context = context, .blueprint = blueprint, .record = record};
  const MbsValue *ends = mbs_record_value(record, ENDS);
  MBS_TRY(mbs_force_on_points(context, blueprint, record, ends, &b.owner, &b.spec));
  for (int i = 0; i < 2; ++i) {
    MBS_TRY(mbs_force_needs_rigid(context, blueprint, b.owner, ends->texts[i], b.spec.port_body[i]));
    MBS_TRY(read_axes(&b, i, b.axes[i]));
    for (int k = 0; k < blueprint->dimension; ++k) {
      MbsForm form;
      MBS_TRY(mbs_form_of_direction(context, blueprint, &b.axes[i][k], &form));
      MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &b.along[i][k]));
    }
  }
  MBS_TRY(add_force(&b));
  return add_torque(&b);
}

const MbsForceType mbs_force_bushing = {
    .record = {"bushing", "holds two bodies together elastically, along and about axes of its own", MBS_COUNT(fields),
               fields},
    .build = build,
};
