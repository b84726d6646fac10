// Vectors that must not vanish: where one does, an element has no meaning. A motion seldom hits that position in a
// step; it passes through, and the vector comes out reversed. So its length is watched, and its direction from step to
// step. A number of the model's own must be positive; where that only warns, it is counted.
#include "terms/elements.h"

static int size_of(const MbsSystem *system, const MbsCondition *condition) {
  return condition->spec->is_number ? 1 : system->dimension;
}

MbsStatus mbs_conditions_create(MbsContext *context, MbsSystem *system) {
  const MbsBlueprint *blueprint = system->blueprint;
  system->condition_count = blueprint->conditions.count;
  MBS_TAKE(context, system->arena, system->conditions, system->condition_count);
  for (int i = 0; i < system->condition_count; ++i) {
    const MbsConditionSpec *spec = &blueprint->conditions.items[i];
    MbsCondition *condition = &system->conditions[i];
    condition->spec = spec;
    condition->acts = spec->switched > 0 ? &system->parameters[spec->switched] : NULL;
    for (int k = 0; k < size_of(system, condition); ++k) {
      MBS_TRY(mbs_function_create(context, system, spec->owner, spec->place, spec->vector[k], &condition->vector[k]));
    }
  }
  return MBS_OK;
}

// is it as long as it has to be, and not reversed? Of a joint that does not act nothing is asked
static bool holds(const MbsSystem *system, const MbsCondition *condition, const double *vector, const double *last) {
  double square = 0, along = 0;
  if (condition->acts && mbs_re(*condition->acts) < 0.5) {
    return true;
  }
  if (condition->spec->is_number) {
    return !(vector[0] <= 0);  // what is not a number is told by what becomes it
  }
  for (int k = 0; k < system->dimension; ++k) {
    square += vector[k] * vector[k];
    along += vector[k] * last[k];
  }
  return square >= condition->spec->least * condition->spec->least && along > 0;  // false if not a number
}

static void count(MbsCondition *condition, double t) {
  condition->broken_from = condition->broken_count++ == 0 ? t : condition->broken_from;
  condition->broken_to = t;
}

const MbsConditionSpec *mbs_conditions_accept(const MbsSystem *system, const MbsState *state, bool is_first) {
  const MbsConditionSpec *broken = NULL;
  for (int i = 0; i < system->condition_count; ++i) {
    MbsCondition *condition = &system->conditions[i];
    int size = size_of(system, condition);
    double vector[3];
    for (int k = 0; k < size; ++k) {
      vector[k] = mbs_re(mbs_function_value(system, &condition->vector[k], state));
    }
    bool is_broken = !holds(system, condition, vector, is_first ? vector : condition->last);
    condition->broken_count = is_first ? 0 : condition->broken_count;
    if (is_broken && condition->spec->only_warns) {
      count(condition, mbs_re(state->t));
    } else if (is_broken && !broken) {
      broken = condition->spec;
    }
    for (int k = 0; k < size; ++k) {
      condition->before[k] = is_first ? vector[k] : condition->last[k];
      condition->last[k] = vector[k];
    }
  }
  return broken;
}

const MbsConditionSpec *mbs_conditions_suspect(const MbsSystem *system) {
  for (int i = 0; i < system->condition_count; ++i) {
    const MbsCondition *condition = &system->conditions[i];
    double ahead[3];
    for (int k = 0; k < size_of(system, condition); ++k) {
      ahead[k] = condition->last[k] + 2 * (condition->last[k] - condition->before[k]);
    }
    if (!condition->spec->only_warns && !holds(system, condition, ahead, condition->last)) {
      return condition->spec;
    }
  }
  return NULL;
}
