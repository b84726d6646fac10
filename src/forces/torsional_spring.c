// Torsional spring-damper between two bodies, linear or by a law.
//
// theta = angle of the second body from the first, continuous over many turns; torque
// N = k (theta - theta0) + c theta' turns the first body forward and the second back. A torque T on a
// body with direction u does the work T dtheta = T (u x du) / u.u: generalised force T J u / u.u.
#include "model/force.h"

enum { ENDS, STIFFNESS, DAMPING, ANGLE, LAW };

static const MbsField fields[] = {
    [ENDS] = {"torsional_spring", MBS_FIELD_BODY_PAIR, .is_required = true, .summary = "the two bodies"},
    [STIFFNESS] = {"stiffness", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .default_text = "0",
                   .unit = "N m/rad", .summary = "stiffness"},
    [DAMPING] = {"damping", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .default_text = "0", .unit = "N m s/rad",
                 .summary = "damping"},
    [ANGLE] = {"angle", MBS_FIELD_NUMBER, .default_text = "0", .unit = "rad",
               .summary = "angle of the second body's x axis from the first body's when relaxed"},
    [LAW] = {"law", MBS_FIELD_SIGNAL, .unit = "N m",
             .summary =
                 "torque as an expression of angle, rate, t, parameters and signals, instead of the three numbers"},
};

static MbsStatus read_ends(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record, const char *owner,
                           int *bodies, MbsForm *directions) {
  MbsGraph *g = blueprint->graph;
  const MbsValue *ends = mbs_record_value(record, ENDS);
  for (int i = 0; i < 2; ++i) {
    MBS_TRY(mbs_blueprint_find_body(context, blueprint, owner, ends->texts[i], &bodies[i]));
    if (blueprint->bodies.items[bodies[i]].is_point_mass) {
      return mbs_fail(context, MBS_ERROR_INPUT, ends->texts[i].place,
                      "%s: body \"%s\" is a point mass and has no angle", owner, ends->texts[i].text);
    }
    MbsNode zero = mbs_graph_constant(g, 0);
    MbsDirection x_axis = {.body = bodies[i], .local = {mbs_graph_constant(g, 1), zero, zero}};
    MBS_TRY(mbs_form_of_direction(context, blueprint, &x_axis, &directions[i]));
  }
  if (bodies[0] == bodies[1]) {
    return mbs_fail(context, MBS_ERROR_INPUT, ends->texts[1].place, "%s: both ends are body \"%s\"", owner,
                    ends->texts[1].text);
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

static MbsStatus build(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  MbsGraph *g = blueprint->graph;
  const char *owner = mbs_force_name(blueprint, record);
  MbsForm *ports;
  int *bodies;
  MbsNode *expressions;
  MBS_TAKE(context, blueprint->arena, ports, 2);
  MBS_TAKE(context, blueprint->arena, bodies, 2);
  MBS_TAKE(context, blueprint->arena, expressions, 4);
  MBS_TRY(read_ends(context, blueprint, record, owner, bodies, ports));

  MbsNode angle[2], omega[2];
  MbsExpression lever[2];  // J u / u.u
  for (int i = 0; i < 2; ++i) {
    MbsExpression u, ud;
    MBS_TRY(mbs_signal_of_form(context, blueprint, &ports[i], MBS_SIGNAL_POSITION, &u));
    MBS_TRY(mbs_signal_of_form(context, blueprint, &ports[i], MBS_SIGNAL_VELOCITY, &ud));
    MBS_TRY(mbs_signal_angle(context, blueprint, &ports[i], &angle[i]));
    MbsNode square =
        mbs_graph_add(g, mbs_graph_multiply(g, u.node[0], u.node[0]), mbs_graph_multiply(g, u.node[1], u.node[1]));
    lever[i].node[0] = mbs_graph_negate(g, mbs_graph_divide(g, u.node[1], square));
    lever[i].node[1] = mbs_graph_divide(g, u.node[0], square);
    omega[i] = mbs_graph_add(g, mbs_graph_multiply(g, lever[i].node[0], ud.node[0]),
                             mbs_graph_multiply(g, lever[i].node[1], ud.node[1]));
  }
  MbsNode theta = mbs_graph_subtract(g, angle[1], angle[0]);
  MbsNode rate = mbs_graph_subtract(g, omega[1], omega[0]);

  MbsNode torque, potential = MBS_NODE_NONE;
  if (mbs_record_text(record, LAW).text) {
    for (int field = STIFFNESS; field <= ANGLE; ++field) {
      if (mbs_record_value(record, field)->is_given) {
        return mbs_fail(context, MBS_ERROR_INPUT, mbs_record_value(record, field)->place,
                        "%s: give either a law or %s, not both", owner, fields[field].name);
      }
    }
    MbsLocalName locals[] = {{"angle", theta}, {"rate", rate}};
    MbsExpression law;
    MBS_TRY(mbs_signal_parse(context, blueprint, owner, mbs_record_text(record, LAW), 1,
                             MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME, MBS_COUNT(locals), locals, &law));
    torque = law.node[0];
  } else {
    MBS_TRY(linear_torque(context, blueprint, record, owner, theta, rate, &torque, &potential));
  }
  for (int k = 0; k < 2; ++k) {
    expressions[k] = mbs_graph_multiply(g, torque, lever[0].node[k]);
    expressions[2 + k] = mbs_graph_negate(g, mbs_graph_multiply(g, torque, lever[1].node[k]));
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->forces,
             (MbsForceSpec){.name = owner,
                            .place = record->name.place,
                            .port_count = 2,
                            .ports = ports,
                            .port_body = bodies,
                            .expressions = expressions,
                            .energy = potential});
  return MBS_OK;
}

const MbsForceType mbs_force_torsional_spring = {
    .record = {"torsional_spring", "torsional spring-damper between two bodies, with constants or a law",
               MBS_COUNT(fields), fields},
    .build = build,
};
