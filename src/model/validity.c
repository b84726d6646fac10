// Where the model holds: numbers that must be positive, at the start and after each step. They are looked at as outputs
// are, without events: a run that comes elsewhere stops (terms/condition.c).
#include <string.h>

#include "expressions/table.h"
#include "model/blueprint.h"

static MbsStatus read_validity(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  const char *owner = mbs_arena_print(blueprint->arena, "validity \"%s\"", record->name.text);
  MbsNode zero = mbs_graph_constant(blueprint->graph, 0);
  MbsExpression value;
  if (!owner) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, mbs_record_text(record, MBS_VALIDITY_POSITIVE), 1,
                           MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME, 0, NULL, &value));
  MBS_APPEND(
      context, blueprint->arena, &blueprint->conditions,
      (MbsConditionSpec){.owner = owner,
                         .place = record->name.place,
                         .vector = {value.node[0], zero, zero},
                         .is_number = true,
                         .broken = mbs_record_text(record, MBS_VALIDITY_MESSAGE).text,
                         .only_warns = strcmp(mbs_record_text(record, MBS_VALIDITY_OTHERWISE).text, "warn") == 0});
  return MBS_OK;
}

// (x - a)(b - x) + rounding is positive between the ends a and b of a curve
static MbsStatus watch_lookup(MbsContext *context, MbsBlueprint *blueprint, const MbsTimedLookup *lookup) {
  const double rounding = 1e-9;
  MbsGraph *graph = blueprint->graph;
  const MbsTable *table = mbs_graph_table(graph, lookup->table);
  const MbsAxis *axis = &table->axis[0];
  double first = axis->x[0], last = axis->x[axis->count - 1], range = last - first;
  MbsNode zero = mbs_graph_constant(graph, 0);
  MbsNode behind = mbs_graph_subtract(graph, lookup->at, mbs_graph_constant(graph, first));
  MbsNode left = mbs_graph_subtract(graph, mbs_graph_constant(graph, last), lookup->at);
  MbsNode inside = mbs_graph_add(graph, mbs_graph_multiply(graph, behind, left),
                                 mbs_graph_constant(graph, rounding * range * range));
  MbsConditionSpec condition = {
      .owner = mbs_arena_print(blueprint->arena, "table \"%s\"", table->name),
      .place = table->place,
      .vector = {inside, zero, zero},
      .is_number = true,
      .only_warns = true,
      .broken = mbs_arena_print(blueprint->arena, "its points go from %.10g to %.10g, and what is beyond them is %s",
                                first, last, table->outside == MBS_OUTSIDE_HOLD ? "held" : "continued linearly")};
  if (!condition.owner || !condition.broken) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->conditions, condition);
  return mbs_graph_status(context, graph);
}

MbsStatus mbs_validity_read(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsValue *written = mbs_record_value(&blueprint->model->root, MBS_MODEL_VALIDITY);
  bool keeps_jumps = blueprint->keeps_jumps;
  int before = context->error_count, jumps = blueprint->jumps.count;
  blueprint->keeps_jumps = true;
  for (int i = 0; i < written->count; ++i) {
    MBS_TRY(mbs_error_keep(context, read_validity(context, blueprint, &written->records[i])));
  }
  blueprint->keeps_jumps = keeps_jumps;
  blueprint->jumps.count = jumps;
  for (int i = 0; i < blueprint->timed_lookups.count; ++i) {
    MBS_TRY(watch_lookup(context, blueprint, &blueprint->timed_lookups.items[i]));
  }
  return mbs_errors_tell(context, before);
}
