// See anew.h. Double only, for the sake of its callers.
#include "sensitivities/anew.h"

#include <float.h>
#include <math.h>

MbsStatus mbs_anew_run(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsTwinRequest *base,
                       int parameter, double number, MbsTwinResult *outcome) {
  MbsModel *changed;
  MBS_TRY(mbs_model_with_number(context, arena, model, parameter, number, &changed));
  return mbs_twin_run(context, arena, changed, base, outcome);
}

typedef struct Study {
  const MbsModel *model;
  MbsTwinRequest base;
  MbsSelection selection;
  MbsTwinResult nominal;
  double *sides[2];       // up, down: objectives of the model
  double *difference[2];  // for d and d/2: chosen objectives
  bool is_open[2];        // can the model be run on this side?
} Study;

// the objectives with one parameter moved; false in is_open: the model refuses that number, or fails with it
static MbsStatus move(MbsContext *context, Study *study, int parameter, double by, int side) {
  if (!study->is_open[side]) {
    return MBS_OK;
  }
  MbsArena *arena = mbs_arena_create();
  MbsTwinResult outcome;
  MbsStatus status = arena ? mbs_anew_run(context, arena, study->model, &study->base, parameter,
                                          study->selection.nominal[parameter] + by, &outcome)
                           : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  for (int i = 0; i < study->selection.model_objective_count && status == MBS_OK; ++i) {
    study->sides[side][i] = outcome.values[i];
  }
  if (status == MBS_ERROR_INPUT || status == MBS_ERROR_NUMERICAL) {
    study->is_open[side] = false;
    context->status = status = MBS_OK;
  }
  mbs_arena_destroy(arena);
  return status;
}

static MbsStatus take_difference(MbsContext *context, Study *study, int parameter, double d, double *difference) {
  MBS_TRY(move(context, study, parameter, d, 0));
  MBS_TRY(move(context, study, parameter, -d, 1));
  for (int i = 0; i < study->selection.objective_count; ++i) {
    int objective = study->selection.objectives[i];
    double middle = study->nominal.values[objective];
    double up = study->is_open[0] ? study->sides[0][objective] : middle;
    double down = study->is_open[1] ? study->sides[1][objective] : middle;
    difference[i] = (up - down) / (d * (study->is_open[0] + study->is_open[1]));  // NaN: neither side is open
  }
  return MBS_OK;
}

// how surely an entry is known, relative to itself
static double doubt(double value, double error, double scale) {
  double size = fmax(fabs(value), scale);
  return size > 0 ? error / size : 0;
}

// Takes the better of what an entry has and what two differences give. Is a smaller d of any use? Not where this is
// known, nor where rounding has begun to count.
static bool improve(const Study *study, int i, double d, bool is_first, MbsAnewEntry *entry) {
  const double enough = 1e-5, enough_of_scale = 1e-3, small = 1e-2;
  double coarse = study->difference[0][i], fine = study->difference[1][i];
  double correction = (fine - coarse) / (study->is_open[0] && study->is_open[1] ? 3 : 1);
  // two differences of rounding alone may agree by chance: what the roundings of a run's steps and Newton's last
  // iterations leave in the values counts besides
  double rounding = 100 * DBL_EPSILON * fabs(study->nominal.values[study->selection.objectives[i]]) / d;
  double error = fabs(correction) + rounding;
  double now = doubt(fine + correction, error, entry->scale);
  double before = is_first ? HUGE_VAL : doubt(entry->value, entry->error, entry->scale);
  if (is_first || now < before) {
    entry->value = fine + correction;
    entry->error = error;
  }
  bool is_known = !(entry->error > fmax(enough * fabs(entry->value), enough_of_scale * entry->scale));
  return !is_known && !(before < small && now > before);
}

// by one parameter: column k of the entries
static MbsStatus study_parameter(MbsContext *context, Study *study, int k, bool crosses_jump, MbsAnewEntry *entries) {
  // small ones for motions that part from each other soon: there large differences say nothing
  static const double relative[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  int count = study->selection.parameter_count, parameter = study->selection.parameters[k];
  double size = fabs(study->selection.nominal[parameter]);
  bool goes_on = true;
  size = size > 0 ? size : 1;
  study->is_open[0] = study->is_open[1] = true;
  for (int level = 0; level < (crosses_jump ? 1 : MBS_COUNT(relative)) && goes_on; ++level) {
    double d = (crosses_jump ? 1e-2 : relative[level]) * size;
    bool was_open[2] = {study->is_open[0], study->is_open[1]};
    MBS_TRY(take_difference(context, study, parameter, d, study->difference[0]));
    MBS_TRY(take_difference(context, study, parameter, d / 2, study->difference[1]));
    if (was_open[0] != study->is_open[0] || was_open[1] != study->is_open[1]) {  // both on the same sides
      MBS_TRY(take_difference(context, study, parameter, d, study->difference[0]));
    }
    goes_on = false;
    for (int i = 0; i < study->selection.objective_count; ++i) {
      MbsAnewEntry *entry = &entries[i * count + k];
      entry->scale = 1e-6 * fabs(study->nominal.values[study->selection.objectives[i]]) / size;
      bool is_open = improve(study, i, d, level == 0, entry);
      goes_on = goes_on || is_open;
    }
  }
  return MBS_OK;
}

MbsStatus mbs_anew_differentiate(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                                 bool crosses_jump, MbsAnewEntry **entries) {
  Study study = {.model = model, .base = {.settings = request->settings, .perturbed = -1}};
  const MbsSelection *selection = &study.selection;
  MBS_TRY(mbs_selection_create(context, arena, model, request, &study.selection));
  MBS_TAKE(context, arena, *entries, selection->objective_count * selection->parameter_count);
  bool *wanted;
  MBS_TAKE(context, arena, wanted, selection->model_objective_count);
  for (int i = 0; i < selection->objective_count; ++i) {
    wanted[selection->objectives[i]] = true;
  }
  study.base.wanted = wanted;
  for (int side = 0; side < 2; ++side) {
    MBS_TAKE(context, arena, study.sides[side], selection->model_objective_count);
    MBS_TAKE(context, arena, study.difference[side], selection->objective_count);
  }
  MBS_TRY(mbs_twin_run(context, arena, model, &study.base, &study.nominal));
  study.base.settings = study.nominal.settings;
  study.base.followed = &study.nominal.path;
  for (int k = 0; k < selection->parameter_count; ++k) {
    MBS_TRY(study_parameter(context, &study, k, crosses_jump, *entries));
  }
  return MBS_OK;
}
