// See anew.h. Double only, for the sake of its callers.
#include "sensitivities/anew.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "sensitivities/eigenvalue_objectives.h"

// what the run does not know
static MbsStatus fill_eigenvalues(MbsContext *context, MbsArena *arena, const MbsModel *model,
                                  const MbsTwinRequest *base, MbsResult *outcome) {
  MbsEigenObjectives eigen;
  MBS_TRY(mbs_eigen_create(context, arena, model, &base->settings, base->objective_count, base->objectives, &eigen));
  return mbs_eigen_values(context, &eigen, base->parameters, (double *)outcome->values);
}

MbsStatus mbs_anew_run(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsTwinRequest *base,
                       int parameter, double number, MbsResult *outcome) {
  MbsModel *changed;
  MBS_TRY(mbs_model_with_number(context, arena, model, parameter, number, &changed));
  MBS_TRY(mbs_twin_run(context, arena, changed, base, outcome, NULL));
  return fill_eigenvalues(context, arena, changed, base, outcome);
}

typedef struct Study {
  const MbsModel *model;
  MbsTwinRequest base;
  MbsSelection selection;
  MbsResult nominal;
  MbsPath path;
  double *sides[2];       // up, down: chosen objectives
  double *difference[2];  // for d and d/2: chosen objectives
  double *sorted;         // chosen objectives
  double *noise;          // by which values are off without regard to the parameters: chosen objectives
  bool is_open[2];        // can the model be run on this side?
} Study;

// the objectives with one parameter moved; false in is_open: the model refuses that number, or fails with it
static MbsStatus move(MbsContext *context, Study *study, int parameter, double by, int side) {
  if (!study->is_open[side]) {
    return MBS_OK;
  }
  MbsArena *arena = mbs_arena_create();
  MbsResult outcome;
  MbsStatus status = arena ? mbs_anew_run(context, arena, study->model, &study->base, parameter,
                                          study->selection.nominal[parameter] + by, &outcome)
                           : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  for (int i = 0; i < study->selection.objective_count && status == MBS_OK; ++i) {
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
    double middle = study->nominal.values[i];
    double up = study->is_open[0] ? study->sides[0][i] : middle;
    double down = study->is_open[1] ? study->sides[1][i] : middle;
    difference[i] = (up - down) / (d * (study->is_open[0] + study->is_open[1]));  // NaN: neither side is open
  }
  return MBS_OK;
}

// how surely an entry is known, relative to itself
static double doubt(double value, double error, double scale) {
  double size = fmax(fabs(value), scale);
  return size > 0 ? error / size : 0;
}

// what would make an entry surer
enum { KNOWN = 0, SMALLER = 1, LARGER = 2 };

// what two differences, at d and d/2, are extrapolated by
static double correction_of(const Study *study, int i) {
  bool has_both = study->is_open[0] && study->is_open[1];
  return (study->difference[1][i] - study->difference[0][i]) / (has_both ? 3 : 1);
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The corrections relative to the entries, the median of all objectives: all look at one motion, and where the two
// differences of one agree far better than those of the others, that is chance.
static double typical_correction(const Study *study, int k, const MbsAnewEntry *entries) {
  int count = study->selection.objective_count;
  for (int i = 0; i < count; ++i) {
    double correction = correction_of(study, i);
    double size = fmax(fabs(study->difference[1][i]), entries[i * study->selection.parameter_count + k].scale);
    study->sorted[i] = size > 0 && isfinite(correction) ? fabs(correction) / size : 0;
  }
  qsort(study->sorted, (size_t)count, sizeof *study->sorted, compare);
  return study->sorted[(count - 1) / 2];
}

// Takes the better of what an entry has and what two differences give. Which other d is of any use? None where this is
// known, a larger one where noise is most of the error, none where the smaller one was worse.
static int improve(const Study *study, int i, double d, double typical, bool is_first, MbsAnewEntry *entry) {
  const double enough = 1e-5, enough_of_scale = 1e-4, small = 1e-2;
  double fine = study->difference[1][i], correction = correction_of(study, i);
  bool has_both = study->is_open[0] && study->is_open[1];
  // two differences of noise alone may agree by chance, so it counts besides. With values off by e or less D(d) is off
  // by e/d, D(d/2) by 2e/d, (4 D(d/2) - D(d))/3 by 3e/d; on one side by 2e/d, 4e/d and 10e/d
  double noise = (has_both ? 3 : 10) * study->noise[i] / d;
  double error = fmax(fabs(correction), typical / 10 * fabs(fine)) + noise;
  double now = doubt(fine + correction, error, entry->scale);
  double before = is_first ? HUGE_VAL : doubt(entry->value, entry->error, entry->scale);
  if (is_first || now < before) {
    entry->value = fine + correction;
    entry->error = error;
  }
  bool is_known = !(entry->error > fmax(enough * fabs(entry->value), enough_of_scale * entry->scale));
  bool is_useless = before < small && now > before;
  return is_known || is_useless ? KNOWN : noise > fabs(correction) ? LARGER : SMALLER;
}

// What values are off by on their own. The run is repeated with one parameter moved by some last bits, which changes
// the roundings of all steps, and with a hundredth of Newton's tolerance, which changes what its last iterations leave:
// that is smooth in the parameters only as long as no step takes one iteration more or less.
static MbsStatus measure_noise(MbsContext *context, Study *study) {
  enum { SHAKES = 4 };
  const MbsSelection *selection = &study->selection;
  const double newton = study->base.settings.tolerance, rounding = 1e-15;
  for (int i = 0; i < selection->objective_count; ++i) {
    study->noise[i] = DBL_EPSILON * fabs(study->nominal.values[i]);
  }
  for (int shake = 0; shake <= SHAKES && selection->parameter_count > 0; ++shake) {
    int parameter = selection->parameters[shake % selection->parameter_count];
    double by = shake == 0 ? 0 : 4 * shake * DBL_EPSILON * selection->nominal[parameter];
    study->base.settings.tolerance = shake == 0 ? fmax(newton / 100, rounding) : newton;
    study->is_open[0] = true;
    MBS_TRY(move(context, study, parameter, by, 0));
    for (int i = 0; i < selection->objective_count && study->is_open[0]; ++i) {
      double moved = fabs(study->sides[0][i] - study->nominal.values[i]);
      study->noise[i] = isfinite(moved) ? fmax(study->noise[i], moved) : study->noise[i];
    }
  }
  study->base.settings.tolerance = newton;
  return MBS_OK;
}

// by one parameter: column k of the entries
static MbsStatus study_parameter(MbsContext *context, Study *study, int k, bool crosses_jump, MbsAnewEntry *entries) {
  // the second one where noise is most of the error of the first; small ones for motions that part from each other
  // soon, of which large differences say nothing
  enum { FIRST, LARGE, SMALL };
  static const double relative[] = {1e-3, 1e-2, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  int count = study->selection.parameter_count, parameter = study->selection.parameters[k], wanted = SMALLER;
  double size = fabs(study->selection.nominal[parameter]);
  size = size > 0 ? size : 1;
  study->is_open[0] = study->is_open[1] = true;
  for (int level = crosses_jump ? LARGE : FIRST; level < (crosses_jump ? SMALL : MBS_COUNT(relative)); ++level) {
    bool is_first = crosses_jump || level == FIRST;
    if (!is_first && !(wanted & (level == LARGE ? LARGER : SMALLER))) {
      continue;
    }
    double d = relative[level] * size;
    bool was_open[2] = {study->is_open[0], study->is_open[1]};
    MBS_TRY(take_difference(context, study, parameter, d, study->difference[0]));
    MBS_TRY(take_difference(context, study, parameter, d / 2, study->difference[1]));
    if (was_open[0] != study->is_open[0] || was_open[1] != study->is_open[1]) {  // both on the same sides
      MBS_TRY(take_difference(context, study, parameter, d, study->difference[0]));
    }
    wanted = level == LARGE ? wanted & SMALLER : KNOWN;
    for (int i = 0; i < study->selection.objective_count; ++i) {
      entries[i * count + k].scale = 1e-6 * fabs(study->nominal.values[i]) / size;
    }
    double typical = typical_correction(study, k, entries);
    for (int i = 0; i < study->selection.objective_count; ++i) {
      int more = improve(study, i, d, typical, is_first, &entries[i * count + k]);
      wanted |= level == LARGE ? KNOWN : more;
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
  study.base.objective_count = selection->objective_count;
  study.base.objectives = selection->objectives;
  for (int side = 0; side < 2; ++side) {
    MBS_TAKE(context, arena, study.sides[side], selection->objective_count);
    MBS_TAKE(context, arena, study.difference[side], selection->objective_count);
  }
  MBS_TAKE(context, arena, study.sorted, selection->objective_count);
  MBS_TAKE(context, arena, study.noise, selection->objective_count);
  MBS_TRY(mbs_twin_run(context, arena, model, &study.base, &study.nominal, &study.path));
  MBS_TRY(fill_eigenvalues(context, arena, model, &study.base, &study.nominal));
  study.base.settings = study.nominal.request->settings;
  study.base.followed = &study.path;
  MBS_TRY(measure_noise(context, &study));
  for (int k = 0; k < selection->parameter_count; ++k) {
    MBS_TRY(study_parameter(context, &study, k, crosses_jump, *entries));
  }
  return MBS_OK;
}
