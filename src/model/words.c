// What a model offers to its expressions, wherever they stand: values of parameters, its functions and its tables.
#include "expressions/external.h"
#include "model/blueprint.h"

static MbsStatus nominal(void *model, MbsContext *context, MbsNode node, bool *moves, double *value) {
  return mbs_blueprint_nominal_number(context, model, node, moves, value);
}

static const MbsFormula *find_formula(void *model, const char *name) { return mbs_formula_find(model, name); }

static MbsStatus input_for_derivatives(void *model, MbsContext *context, int index, int *input) {
  return mbs_signal_argument(context, model, index, input);
}

static const void *find_table(void *model, const char *name, int *argument_count) {
  return mbs_table_find(model, name, argument_count);
}

static MbsStatus apply_table(void *model, MbsContext *context, const char *owner, MbsPlace place, const void *table,
                             const MbsExpression *arguments, MbsExpression *value) {
  return mbs_table_apply(context, model, owner, place, table, arguments, value);
}

static const MbsExternal *find_external(void *model, const char *name) {
  const MbsBlueprint *blueprint = model;
  return mbs_graph_find_external(blueprint->graph, name);
}

const MbsModelWords mbs_blueprint_words = {.nominal = nominal,
                                           .find_formula = find_formula,
                                           .input = input_for_derivatives,
                                           .find_table = find_table,
                                           .apply_table = apply_table,
                                           .find_external = find_external};
