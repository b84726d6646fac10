// See owned_result.h. Double only, for the sake of its callers.
#include "sensitivities/owned_result.h"

#include <mbsens/equilibrium.h>

#include "algebra/eigenvalues.h"
#include "sensitivities/warnings.h"

MbsStatus mbs_owned_result_create(MbsContext *context, MbsOwnedResult **result) {
  MbsArena *arena = mbs_arena_create_for(context);
  MbsOwnedResult *owned = arena ? mbs_arena_take(arena, 1, sizeof *owned) : NULL;
  if (!owned) {
    mbs_arena_destroy(arena);
    return mbs_call_end(context, mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory"));
  }
  owned->arena = arena;
  *result = owned;
  return MBS_OK;
}

// Eigenvalues of the motion about an equilibrium. Those that are zero come out as far from it as the square root of
// rounding, of the largest, where they are double.
static MbsStatus judge(MbsContext *context, MbsArena *arena, MbsResult *result) {
  const double zero = 1e-7, slowest = 1e-6;  // 1/s
  MbsEquilibriumResult *given;
  double _Complex *values;
  double *numbers, largest = 0;
  if (!result->equilibrium || result->equilibrium->order == 0) {
    return MBS_OK;
  }
  int order = result->equilibrium->order;
  MBS_TAKE(context, arena, given, 1);
  MBS_TAKE(context, arena, values, order);
  MBS_TAKE(context, arena, numbers, 2 * order);
  MBS_TRY(mbs_eigenvalues(context, arena, order, result->equilibrium->matrix, values, NULL, NULL));
  *given = *result->equilibrium;
  given->real = numbers;
  given->imaginary = numbers + order;
  for (int i = 0; i < order; ++i) {
    numbers[i] = creal(values[i]);
    numbers[order + i] = cimag(values[i]);
    largest = cabs(values[i]) > largest ? cabs(values[i]) : largest;
  }
  given->is_stable = true;
  for (int i = 0; i < order; ++i) {
    given->is_stable &= numbers[i] <= zero * largest + slowest;
  }
  result->equilibrium = given;
  return MBS_OK;
}

MbsStatus mbs_owned_result_finish(MbsContext *context, MbsStatus status, MbsOwnedResult *owned, MbsResult **result) {
  status = status == MBS_OK ? judge(context, owned->arena, &owned->result) : status;
  bool is_given = status == MBS_OK || owned->result.error;
  MbsStatus collected = is_given ? mbs_warnings_collect(context, owned->arena, &owned->result) : MBS_OK;
  status = mbs_call_end(context, status == MBS_OK || collected != MBS_OK ? collected : status);
  if (!is_given || collected != MBS_OK || context->is_memory_out) {
    mbs_arena_destroy(owned->arena);
    return status;
  }
  *result = &owned->result;
  return status;
}

void mbs_result_destroy(MbsResult *result) {
  if (result) {
    mbs_arena_destroy(((MbsOwnedResult *)(void *)result)->arena);
  }
}

static MbsStatus copy_names(MbsContext *context, MbsArena *arena, int count, const char *const *from,
                            const char *const **to) {
  const char **names;
  MBS_TAKE(context, arena, names, count);
  for (int i = 0; i < count; ++i) {
    names[i] = mbs_arena_copy_text(arena, from[i]);
  }
  *to = names;
  return MBS_OK;
}

MbsStatus mbs_result_describe(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *asked,
                              const MbsSelection *selection, MbsResult *result) {
  double *values;
  MBS_TAKE(context, arena, values, selection->parameter_count);
  for (int i = 0; i < selection->parameter_count; ++i) {
    values[i] = selection->parameter_values[i];
  }
  result->model = mbs_arena_copy_text(arena, mbs_record_text(&model->root, MBS_MODEL_NAME).text);
  result->dimension = model->dimension;
  result->parameter_count = selection->parameter_count;
  result->parameter_values = values;
  MBS_TRY(copy_names(context, arena, selection->parameter_count, selection->parameter_names, &result->parameters));
  MBS_TRY(copy_names(context, arena, selection->objective_count, selection->objective_names, &result->objectives));
  MbsRequest *request;
  MBS_TAKE(context, arena, request, 1);
  *request = *asked;
  request->settings = result->request->settings;
  request->objective_count = selection->objective_count;
  request->objectives = result->objectives;
  request->parameter_count = selection->parameter_count;
  request->parameters = result->parameters;
  request->recorder = NULL;
  request->arena = NULL;
  result->request = request;
  return MBS_OK;
}

MbsStatus mbs_selection_check(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                              const MbsSelection *selection) {
  // of an equilibrium that has none, positions are looked at
  bool is_differentiated = request->method != MBS_METHOD_NONE && !request->settings.is_equilibrium;
  if (is_differentiated && selection->objective_count == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s has no objectives to differentiate", model->file);
  }
  if (is_differentiated && selection->parameter_count == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s has no parameters to differentiate with respect to",
                    model->file);
  }
  return MBS_OK;
}
