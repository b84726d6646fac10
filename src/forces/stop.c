// Stops that bound a coordinate: bump stops, clearances, the ends of a slot. Beyond a bound a spring of one side acts
// (contact_core.h), with d = lower - w, or w - upper:
//     F = +-k d^n max(0, 1 + c d')
#include "forces/contact_core.h"

enum { COORDINATE, LOWER, UPPER, STIFFNESS, EXPONENT, DAMPING, COUNT };

static const MbsField fields[] = {
    [COORDINATE] = {"stop", MBS_FIELD_SIGNAL, .is_required = true,
                    .summary =
                        "the coordinate that it bounds: an expression of positions and t such as slide(J), angle(J) or "
                        "distance(P, Q)"},
    [LOWER] = {"lower", MBS_FIELD_NUMBER, .summary = "where the lower stop begins (default: there is none)"},
    [UPPER] = {"upper", MBS_FIELD_NUMBER, .summary = "where the upper stop begins (default: there is none)"},
    [STIFFNESS] = {"stiffness", MBS_FIELD_NUMBER, .is_required = true, .check = MBS_CHECK_NOT_NEGATIVE,
                   .summary = "k: the force is k d^exponent at a depth d beyond the stop"},
    [EXPONENT] = {"exponent", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE, .default_text = "1.5",
                  .summary = "of the depth; 1: a linear spring, whose force has a kink where it begins"},
    [DAMPING] = {"damping", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .default_text = "0", .unit = "s/m",
                 .summary = "c of Hunt and Crossley: the force is larger by c times the rate of the depth"},
};

static MbsStatus build(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  MbsGraph *g = blueprint->graph;
  const char *owner = mbs_force_name(blueprint, record);
  MbsNode w, rate, number[COUNT], force = mbs_graph_constant(g, 0), energy = force;
  if (!mbs_record_text(record, LOWER).text && !mbs_record_text(record, UPPER).text) {
    return mbs_fail(context, MBS_ERROR_INPUT, record->name.place, "%s: needs lower, upper or both", owner);
  }
  MBS_TRY(mbs_force_read_coordinate(context, blueprint, owner, mbs_record_text(record, COORDINATE), &w, &rate));
  for (int i = LOWER; i < COUNT; ++i) {
    if (mbs_record_text(record, i).text) {
      MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[i], mbs_record_text(record, i), &number[i]));
    }
  }
  for (int i = LOWER; i <= UPPER; ++i) {
    if (mbs_record_text(record, i).text) {
      MbsNode beyond = mbs_graph_subtract(g, w, number[i]);
      MbsNode d = i == UPPER ? beyond : mbs_graph_negate(g, beyond);
      MbsNode d_rate = i == UPPER ? rate : mbs_graph_negate(g, rate);
      MbsOneSided spring = mbs_force_one_sided(g, d, d_rate, number[STIFFNESS], number[EXPONENT], number[DAMPING]);
      force = i == UPPER ? mbs_graph_subtract(g, force, spring.force) : mbs_graph_add(g, force, spring.force);
      energy = mbs_graph_add(g, energy, spring.energy);
    }
  }
  const MbsForceAlong along = {.rate = rate, .value = force};
  return mbs_force_add_along(context, blueprint, record, 1, &along, energy);
}

const MbsForceType mbs_force_stop = {
    .record = {"stop", "stops that bound a coordinate: bump stops, clearances", MBS_COUNT(fields), fields},
    .build = build,
};
