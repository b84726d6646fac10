#include "forces/contact_core.h"

#include <math.h>

static MbsNode apply(MbsGraph *g, MbsOperation operation, MbsNode x) {
  return mbs_graph_apply(g, operation, x, MBS_NODE_NONE);
}

// x where d is above 0, else 0, whatever x is there
static MbsNode where_above(MbsGraph *g, MbsNode d, MbsNode x) {
  MbsNode is_below = apply(g, MBS_OP_SIDE, mbs_graph_negate(g, d));
  return mbs_graph_apply(g, MBS_OP_UNLESS, is_below, x);
}

// d, which is no less than 0 where x^n has no value below
static MbsNode base_of_power(MbsGraph *g, MbsNode d, MbsNode exponent) {
  const MbsGraphNode *n = mbs_graph_node(g, exponent);
  bool is_whole = n->operation == MBS_OP_CONSTANT && !(floor(n->value) < n->value);  // real
  MbsNode zero = mbs_graph_constant(g, 0);
  return is_whole ? d : apply(g, MBS_OP_NOEVENT, mbs_graph_apply(g, MBS_OP_MAXIMUM, zero, d));
}

MbsOneSided mbs_force_one_sided(MbsGraph *g, MbsNode d, MbsNode rate, MbsNode stiffness, MbsNode exponent,
                                MbsNode damping) {
  MbsNode one = mbs_graph_constant(g, 1), more = mbs_graph_add(g, exponent, one);
  MbsNode base = base_of_power(g, d, exponent);
  MbsNode elastic = mbs_graph_multiply(g, stiffness, mbs_graph_power(g, base, exponent));
  MbsNode factor = mbs_graph_add(g, one, mbs_graph_multiply(g, damping, rate));
  factor = mbs_graph_apply(g, MBS_OP_MAXIMUM, mbs_graph_constant(g, 0), factor);
  MbsNode stored = mbs_graph_divide(g, mbs_graph_multiply(g, stiffness, mbs_graph_power(g, base, more)), more);
  return (MbsOneSided){.force = where_above(g, d, mbs_graph_multiply(g, elastic, factor)),
                       .energy = where_above(g, d, stored)};
}

MbsNode mbs_force_friction_coefficient(MbsGraph *g, MbsNode speed, const MbsFrictionLaw *law) {
  MbsNode s = mbs_graph_divide(g, speed, law->stiction_velocity);
  MbsNode sliding = apply(g, MBS_OP_TANH, mbs_graph_multiply(g, mbs_graph_constant(g, 4), s));
  MbsNode square = mbs_graph_multiply(g, mbs_graph_constant(g, 0.25), mbs_graph_power_integer(g, s, 2));
  MbsNode hill = mbs_graph_power_integer(g, mbs_graph_add(g, square, mbs_graph_constant(g, 0.75)), 2);
  MbsNode excess = mbs_graph_subtract(g, law->fixed, law->sliding);
  return mbs_graph_add(g, mbs_graph_multiply(g, law->sliding, sliding),
                       mbs_graph_multiply(g, excess, mbs_graph_divide(g, s, hill)));
}

MbsStatus mbs_force_read_friction(MbsContext *context, MbsBlueprint *blueprint, const char *owner,
                                  const MbsRecord *record, const MbsField *fields, const int at[3],
                                  MbsFrictionLaw *law) {
  MbsNode *const numbers[] = {&law->sliding, &law->fixed, &law->stiction_velocity};
  for (int i = 0; i < 3; ++i) {
    MbsText text = mbs_record_text(record, at[i]);
    if (!text.text) {  // the one at rest is that of sliding
      *numbers[i] = law->sliding;
      continue;
    }
    MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[at[i]], text, numbers[i]));
  }
  return MBS_OK;
}
