// Where the model holds: numbers that must be positive, at the start and after each step. They are looked at as outputs
// are, without events: a run that comes elsewhere stops (terms/condition.c).
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
  MBS_APPEND(context, blueprint->arena, &blueprint->conditions,
             (MbsConditionSpec){.owner = owner,
                                .place = record->name.place,
                                .vector = {value.node[0], zero, zero},
                                .is_number = true,
                                .broken = mbs_record_text(record, MBS_VALIDITY_MESSAGE).text});
  return MBS_OK;
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
  return mbs_errors_tell(context, before);
}
