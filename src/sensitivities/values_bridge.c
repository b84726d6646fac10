// See values.h.
#include "sensitivities/values.h"

#include <math.h>

#include "base/context.h"
#include "sensitivities/extrapolation.h"
#include "sensitivities/shaken_run.h"

// rounding, amplified over the run
static const double limit = 1e-7;
// of uncertainties of rounding, as for the gradients
enum { SHAKES = 3 };
static const double uncertainties = 10, most = 1e-3;
// where the integrator's error is larger than this part of a value, the step is too large to tell anything
static const double most_of_step = 0.1;

MbsStatus mbs_values_keep(MbsContext *context, MbsArena *arena, const MbsRequest *request, const MbsResult *result,
                          MbsValueSample *sample) {
  int count = result->parameter_count;
  *sample = (MbsValueSample){.is_run = true, .request = *request};
  sample->request.method = MBS_METHOD_NONE;
  sample->request.recorder = NULL;
  sample->request.settings = result->request->settings;
  sample->is_exact = result->statistics.independent_sets == 1 && !result->statistics.has_automatic_sets;
  MBS_TAKE(context, arena, sample->values, result->objective_count);
  MBS_TAKE(context, arena, sample->scales, result->objective_count);
  for (int i = 0; i < result->objective_count; ++i) {
    sample->values[i] = result->values[i];
    sample->scales[i] = fabs(result->values[i]);
    for (int k = 0; k < count && result->gradient; ++k) {  // what a thousandth of a parameter changes
      sample->scales[i] =
          fmax(sample->scales[i], 1e-3 * fabs(result->parameter_values[k] * result->gradient[i * count + k]));
    }
  }
  return MBS_OK;
}

static double relative(double difference, double scale) {
  return scale > 0 ? fabs(difference) / scale : fabs(difference);
}

// the first run again with parameters moved at the level of rounding
static MbsStatus shake(MbsContext *context, const MbsModel *model, const MbsValueSample *sample, MbsVerifyValue *rows,
                       int count) {
  for (int i = 1; i <= SHAKES; ++i) {
    MbsResult *shaken = NULL;
    MBS_TRY(mbs_run_shaken(context, model, &sample->request, i, &shaken));
    for (int k = 0; k < count; ++k) {
      rows[k].uncertainty =
          fmax(rows[k].uncertainty, relative(shaken->values[k] - sample->values[k], sample->scales[k]));
    }
    mbs_result_destroy(shaken);
  }
  for (int k = 0; k < count; ++k) {
    rows[k].tolerance = fmax(limit, fmin(uncertainties * rows[k].uncertainty, most));
  }
  return MBS_OK;
}

static MbsStatus extrapolate(MbsContext *context, const MbsModel *model, const MbsValueSample samples[2],
                             MbsVerifyValue *rows, int count) {
  for (int k = 0; k < count; ++k) {
    rows[k].tolerance = limit;
    rows[k].is_extrapolated = true;
  }
  for (int c = 0; c < 2; ++c) {
    MbsRequest finer = samples[c].request;
    MbsResult *result = NULL;
    finer.settings.step /= 2;
    if (finer.settings.step_tolerance > 0) {
      finer.settings.step_tolerance = fmax(finer.settings.step_tolerance / 100, 1e-14);
    }
    MBS_TRY(mbs_run_shaken(context, model, &finer, 0, &result));
    for (int k = 0; k < count; ++k) {
      double change = result->values[k] - samples[c].values[k];
      double scale = fmax(samples[0].scales[k], samples[1].scales[k]);
      *(c == 0 ? &rows[k].natural : &rows[k].relative) =
          mbs_extrapolate_once(2, samples[c].values[k], result->values[k]);  // of any integrator at least
      rows[k].uncertainty += relative(change, scale);
    }
    mbs_result_destroy(result);
  }
  for (int k = 0; k < count; ++k) {
    rows[k].tolerance = fmax(limit, fmin(rows[k].uncertainty, most_of_step));
  }
  return MBS_OK;
}

static bool judge(const MbsValueSample samples[2], MbsVerifyValue *rows, int count) {
  bool pass = true;
  for (int k = 0; k < count; ++k) {
    double scale = fmax(samples[0].scales[k], samples[1].scales[k]);
    rows[k].relative_error = relative(rows[k].natural - rows[k].relative, scale);
    rows[k].pass = rows[k].relative_error <= rows[k].tolerance;
    pass = pass && rows[k].pass;
  }
  return pass;
}

MbsStatus mbs_values_compare(MbsContext *context, MbsArena *arena, const MbsModel *model, int objective_count,
                             const char *const *objectives, const MbsValueSample samples[2], MbsValueRows *rows) {
  int first = rows->count;
  const MbsValueSample *run = &samples[samples[0].is_run ? 0 : 1];
  bool are_both = samples[0].is_run && samples[1].is_run;
  if (!are_both && !(run->is_run && samples[run == samples ? 1 : 0].has_failed)) {
    return MBS_OK;
  }
  const char *formulation = mbs_arena_copy_text(arena, run->request.settings.formulation);
  if (!formulation) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  for (int k = 0; k < objective_count; ++k) {
    MBS_GROW(context, arena, rows->items, rows->count, rows->capacity);
    rows->items[rows->count++] = (MbsVerifyValue){.formulation = formulation,
                                                  .objective = objectives[k],
                                                  .natural = samples[0].is_run ? samples[0].values[k] : (double)NAN,
                                                  .relative = samples[1].is_run ? samples[1].values[k] : (double)NAN,
                                                  .relative_error = (double)NAN,
                                                  .tolerance = limit};
  }
  MbsVerifyValue *own = rows->items + first;
  if (!are_both || judge(samples, own, objective_count)) {
    return MBS_OK;
  }
  bool is_exact = samples[0].is_exact && samples[1].is_exact;
  MBS_TRY(is_exact ? shake(context, model, &samples[0], own, objective_count)
                   : extrapolate(context, model, samples, own, objective_count));
  (void)judge(samples, own, objective_count);
  return MBS_OK;
}
