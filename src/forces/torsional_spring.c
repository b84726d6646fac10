// Torsional spring-damper between two bodies, linear or by a law.
//
// theta = angle of the second body from the first, continuous over many turns; torque
// N = k (theta - theta0) + c theta' turns the first body forward and the second back. In space they turn about a
// direction that a joint keeps common.
#include "model/force.h"
#include "model/rotation.h"

enum { ENDS, STIFFNESS, DAMPING, ANGLE, LAW, AXIS, AXIS2 };

static const MbsField fields[] = {
    [ENDS] = {"torsional_spring", MBS_FIELD_BODY_PAIR, .is_required = true, .summary = "the two bodies"},
    [STIFFNESS] = {"stiffness", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .default_text = "0",
                   .unit = "N m/rad", .summary = "stiffness"},
    [DAMPING] = {"damping", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .default_text = "0", .unit = "N m s/rad",
                 .summary = "damping"},
    [ANGLE] = {"angle", MBS_FIELD_NUMBER, .mirror = MBS_MIRROR_ANGULAR, .default_text = "0", .unit = "rad",
               .summary = "angle of the second body's x axis from the first body's when relaxed"},
    [LAW] = {"law", MBS_FIELD_SIGNAL, .mirror = MBS_MIRROR_ANGULAR, .unit = "N m",
             .summary =
                 "torque as an expression of angle, rate, t, parameters and signals, instead of the three numbers"},
    [AXIS] = {"axis", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO,
              .summary =
                  "in space: the direction they turn about, in the axes of the first body; a joint keeps it common"},
    [AXIS2] = {"axis2", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_second = true,
               .summary = "the same direction in the axes of the second body (default: the numbers of axis)"},
};

// theta, its rate, and the torque's direction (1 in the plane)
typedef struct Twist {
  int bodies[2];
  MbsNode angle, rate;
  MbsExpression direction;
} Twist;

static MbsStatus read_bodies(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record, const char *owner,
                             int *bodies) {
  const MbsValue *ends = mbs_record_value(record, ENDS);
  for (int i = 0; i < 2; ++i) {
    MBS_TRY(mbs_blueprint_find_body(context, blueprint, owner, ends->texts[i], &bodies[i]));
    MBS_TRY(mbs_force_needs_rigid(context, blueprint, owner, ends->texts[i], bodies[i]));
  }
  if (bodies[0] == bodies[1]) {
    return mbs_fail(context, MBS_ERROR_INPUT, ends->texts[1].place, "%s: both ends are body \"%s\"", owner,
                    ends->texts[1].text);
  }
  return MBS_OK;
}

static MbsStatus twist_in_plane(MbsContext *context, MbsBlueprint *blueprint, Twist *twist) {
  MbsGraph *g = blueprint->graph;
  MbsNode angle[2];
  MbsExpression omega[2];
  for (int i = 0; i < 2; ++i) {
    MBS_TRY(mbs_rotation_angle(context, blueprint, twist->bodies[i], &angle[i]));
    MBS_TRY(mbs_rotation_rate(context, blueprint, twist->bodies[i], false, &omega[i]));
  }
  twist->angle = mbs_graph_subtract(g, angle[1], angle[0]);
  twist->rate = mbs_graph_subtract(g, omega[1].node[0], omega[0].node[0]);
  twist->direction = (MbsExpression){.size = 1, .node = {mbs_graph_constant(g, 1)}};
  return MBS_OK;
}

static MbsStatus twist_in_space(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record,
                                const char *owner, Twist *twist) {
  MbsGraph *g = blueprint->graph;
  const MbsValue *axis = mbs_record_value(record, AXIS), *axis2 = mbs_record_value(record, AXIS2);
  MbsDirection u[2];
  MbsExpression omega[2];
  MbsForm form;
  if (axis->count == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, record->name.place, "%s needs \"axis\" in space", owner);
  }
  MBS_TRY(
      mbs_direction_read(context, blueprint, owner, &fields[AXIS], axis, twist->bodies[0], twist->bodies[0], &u[0]));
  MBS_TRY(mbs_direction_read(context, blueprint, owner, &fields[AXIS2], axis2->count ? axis2 : axis,
                             twist->bodies[axis2->count ? 1 : 0], twist->bodies[1], &u[1]));
  MBS_TRY(mbs_rotation_about(context, blueprint, &u[0], &u[1], &twist->angle));
  MBS_TRY(mbs_form_of_direction(context, blueprint, &u[0], &form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &twist->direction));
  twist->rate = mbs_graph_constant(g, 0);
  for (int i = 0; i < 2; ++i) {
    MBS_TRY(mbs_rotation_rate(context, blueprint, twist->bodies[i], false, &omega[i]));
  }
  for (int k = 0; k < 3; ++k) {
    MbsNode difference = mbs_graph_subtract(g, omega[1].node[k], omega[0].node[k]);
    twist->rate = mbs_graph_add(g, twist->rate, mbs_graph_multiply(g, twist->direction.node[k], difference));
  }
  return MBS_OK;
}

// N = k (theta - theta0) + c theta', and its potential
static MbsStatus linear_torque(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record, const char *owner,
                               MbsNode theta, MbsNode rate, MbsNode *torque, MbsNode *potential) {
  MbsGraph *g = blueprint->graph;
  MbsNode number[3];
  for (int i = 0; i < 3; ++i) {
    MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[STIFFNESS + i],
                                 mbs_record_text(record, STIFFNESS + i), &number[i]));
  }
  MbsNode twist = mbs_graph_subtract(g, theta, number[2]);
  MbsNode elastic = mbs_graph_multiply(g, number[0], twist);
  *torque = mbs_graph_add(g, elastic, mbs_graph_multiply(g, number[1], rate));
  *potential = mbs_graph_multiply(g, mbs_graph_constant(g, 0.5), mbs_graph_multiply(g, elastic, twist));
  return MBS_OK;
}

// the torque law: constants or an expression
static MbsStatus read_torque(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record, const char *owner,
                             const Twist *twist, MbsNode *torque, MbsNode *potential) {
  MbsText law = mbs_record_text(record, LAW);
  *potential = MBS_NODE_NONE;
  if (!law.text) {
    return linear_torque(context, blueprint, record, owner, twist->angle, twist->rate, torque, potential);
  }
  for (int field = STIFFNESS; field <= ANGLE; ++field) {
    if (mbs_record_value(record, field)->is_given) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_record_value(record, field)->place,
                      "%s: give either a law or %s, not both", owner, fields[field].name);
    }
  }
  MbsLocalName locals[] = {{"angle", twist->angle}, {"rate", twist->rate}};
  MbsExpression value;
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, law, 1, MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME,
                           MBS_COUNT(locals), locals, &value));
  *torque = value.node[0];
  return MBS_OK;
}

static MbsStatus build(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  MbsGraph *g = blueprint->graph;
  const char *owner = mbs_force_name(blueprint, record);
  Twist twist;
  MbsNode torque = MBS_NODE_NONE, potential;
  MBS_TRY(read_bodies(context, blueprint, record, owner, twist.bodies));
  MBS_TRY(blueprint->dimension == 2 ? twist_in_plane(context, blueprint, &twist)
                                    : twist_in_space(context, blueprint, record, owner, &twist));
  MBS_TRY(read_torque(context, blueprint, record, owner, &twist, &torque, &potential));
  MbsExpression forward = {.size = twist.direction.size}, back = forward;
  for (int k = 0; k < forward.size; ++k) {
    forward.node[k] = mbs_graph_multiply(g, torque, twist.direction.node[k]);
    back.node[k] = mbs_graph_negate(g, forward.node[k]);
  }
  const MbsExpression *torques[] = {&forward, &back};
  return mbs_force_add_torques(context, blueprint, record, 2, twist.bodies, torques, potential);
}

const MbsForceType mbs_force_torsional_spring = {
    .record = {"torsional_spring", "torsional spring-damper between two bodies, with constants or a law",
               MBS_COUNT(fields), fields},
    .build = build,
};
