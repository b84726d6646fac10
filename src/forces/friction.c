// Friction along a coordinate: of a slide, or of an angle with the radius at which the surfaces rub. The law (model/
// force.h) is one of the velocity alone, so that what would stick creeps.
//
// The normal force is an expression of positions, velocities, states and time. Where it is the reaction of the joint
// itself the forces depend on the multipliers, Q(lambda), which all formulations here take to be given: refused.
#include "forces/contact_core.h"

enum { COORDINATE, NORMAL, SLIDING, FIXED, STICTION, RADIUS, VISCOUS };

static const MbsField fields[] = {
    [COORDINATE] = {"friction", MBS_FIELD_SIGNAL, .is_required = true,
                    .summary =
                        "the coordinate that it acts along: an expression of positions and t such as slide(J) or "
                        "angle(J)"},
    [NORMAL] = {"normal", MBS_FIELD_SIGNAL, .is_required = true, .unit = "N",
                .summary = "the normal force, an expression of positions, velocities, states, t and parameters (its "
                           "magnitude counts); not of reactions"},
    [SLIDING] = {"mu_dynamic", MBS_FIELD_NUMBER, .is_required = true, .check = MBS_CHECK_NOT_NEGATIVE,
                 .summary = "coefficient of friction where it slides"},
    [FIXED] = {"mu_static", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE,
               .summary = "the largest coefficient, at the stiction velocity (default: mu_dynamic)"},
    [STICTION] = {"stiction_velocity", MBS_FIELD_NUMBER, .is_required = true, .check = MBS_CHECK_POSITIVE,
                  .unit = "m/s", .summary = "below which it creeps instead of sticking"},
    [RADIUS] = {"radius", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE, .default_text = "1", .unit = "m",
                .summary = "of an angle: where it acts; velocity and torque are that of the coordinate times it"},
    [VISCOUS] = {"viscous", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .default_text = "0", .unit = "N s/m",
                 .summary = "a force besides, proportional to the velocity"},
};

static MbsStatus build(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  static const int law_fields[] = {SLIDING, FIXED, STICTION};
  const unsigned use = MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME;
  MbsGraph *g = blueprint->graph;
  const char *owner = mbs_force_name(blueprint, record);
  MbsNode w, rate, radius, viscous;
  MbsExpression normal;
  MbsFrictionLaw law;
  MBS_TRY(mbs_force_read_coordinate(context, blueprint, owner, mbs_record_text(record, COORDINATE), &w, &rate));
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, mbs_record_text(record, NORMAL), 1, use, 0, NULL, &normal));
  MBS_TRY(mbs_force_read_friction(context, blueprint, owner, record, fields, law_fields, &law));
  MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[RADIUS], mbs_record_text(record, RADIUS), &radius));
  MBS_TRY(
      mbs_blueprint_number(context, blueprint, owner, &fields[VISCOUS], mbs_record_text(record, VISCOUS), &viscous));
  MbsNode velocity = mbs_graph_multiply(g, radius, rate);
  MbsNode size = mbs_graph_apply(g, MBS_OP_ABS, normal.node[0], MBS_NODE_NONE);
  MbsNode sum = mbs_graph_add(g, mbs_graph_multiply(g, size, mbs_force_friction_coefficient(g, velocity, &law)),
                              mbs_graph_multiply(g, viscous, velocity));
  const MbsForceAlong along = {.rate = velocity, .value = mbs_graph_negate(g, sum)};
  return mbs_force_add_along(context, blueprint, record, 1, &along, MBS_NODE_NONE);
}

const MbsForceType mbs_force_friction = {
    .record = {"friction", "friction along a coordinate: a slide, an angle", MBS_COUNT(fields), fields},
    .build = build,
};
