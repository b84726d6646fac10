// Numbers that must not fall below a least value: where they do, an element has no meaning.
#include "terms/elements.h"

MbsStatus mbs_conditions_create(MbsContext *context, MbsSystem *system) {
  const MbsBlueprint *blueprint = system->blueprint;
  system->condition_count = blueprint->conditions.count;
  MBS_TAKE(context, system->arena, system->conditions, system->condition_count);
  for (int i = 0; i < system->condition_count; ++i) {
    const MbsConditionSpec *spec = &blueprint->conditions.items[i];
    MBS_TRY(
        mbs_function_create(context, system, spec->owner, spec->place, spec->number, &system->conditions[i].number));
    system->conditions[i].spec = spec;
  }
  return MBS_OK;
}

const MbsConditionSpec *mbs_system_broken_condition(const MbsSystem *system, const MbsState *state) {
  for (int i = 0; i < system->condition_count; ++i) {
    const MbsCondition *condition = &system->conditions[i];
    double number = mbs_re(mbs_function_evaluate(system, &condition->number, state, NULL));
    if (!(number >= condition->spec->least)) {  // not a number, too
      return condition->spec;
    }
  }
  return NULL;
}
