// See peaks.h.
#include "simulation/peaks.h"

#include <float.h>
#include <math.h>

#include "simulation/simulation.h"
#include "terms/derivative_source.h"

// ---- set-up ----
// Of a step that keeps positions alone accelerations and multipliers depend on its size.
static MbsStatus check(MbsContext *context, const MbsSimulation *simulation, const MbsObjectiveSpec *spec) {
  const MbsFormulationType *type = simulation->formulation.type;
  bool is_told = simulation->settings.is_kinematic || !type->is_position_level || type->has_projections;
  int level;
  MBS_TRY(mbs_signal_level(context, simulation->system->blueprint, spec->expression, &level));
  if (level >= 2 && !is_told) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, spec->place,
                    "objective \"%s\": extrema of accelerations, multipliers or reactions are not offered in "
                    "formulation %s, whose steps determine them by their size; use another one",
                    spec->name, type->name);
  }
  return MBS_OK;
}

MbsStatus mbs_peaks_create(MbsContext *context, MbsSimulation *simulation) {
  const MbsBlueprint *blueprint = simulation->system->blueprint;
  MbsPeaks *peaks = &simulation->peaks;
  MBS_TAKE(context, simulation->arena, peaks->items, blueprint->objectives.count);
  for (int i = 0; i < blueprint->objectives.count; ++i) {
    const MbsObjectiveSpec *spec = &blueprint->objectives.items[i];
    if (spec->kind == MBS_OBJECTIVE_IS_EXTREMUM) {
      MbsPeak *peak = &peaks->items[peaks->count++];
      *peak = (MbsPeak){.objective = i, .sign = spec->sign};
      MBS_TAKE(context, simulation->arena, peak->gradient, simulation->system->asked_count);
      MBS_TAKE(context, simulation->arena, peak->base, 1);
      MBS_TRY(check(context, simulation, spec));
    }
  }
  if (peaks->count > 0) {
    MBS_TAKE(context, simulation->arena, peaks->row, simulation->objectives.stride);
    MBS_TAKE(context, simulation->arena, peaks->bases, 2);
    MBS_TAKE(context, simulation->arena, peaks->after, 1);
  }
  return MBS_OK;
}

MbsPeak *mbs_peaks_find(const MbsPeaks *peaks, int objective) {
  for (int i = 0; i < peaks->count; ++i) {
    if (peaks->items[i].objective == objective) {
      return &peaks->items[i];
    }
  }
  return NULL;
}

void mbs_peaks_forget(MbsPeaks *peaks) {
  for (int i = 0; i < peaks->count; ++i) {
    MbsPeak *peak = &peaks->items[i];
    peak->count = 0;
    peak->has_value = false;
    peak->best[0] = peak->best[1] = -HUGE_VAL;
  }
  peaks->replayed = 0;
}

static bool is_needed(const MbsSimulation *simulation, const MbsPeak *peak) {
  return simulation->objectives.items[peak->objective].is_needed;
}

static bool is_followed(const MbsSimulation *simulation) { return simulation->followed != &simulation->plan; }

static const MbsFunction *function_of(const MbsSimulation *simulation, const MbsPeak *peak) {
  return &simulation->objectives.items[peak->objective].function;
}

// ---- places ----
MbsStep mbs_peak_step(const MbsPath *path, const MbsPeakPlace *place) {
  MbsStep step = mbs_path_step(path, place->step + 1);
  step.t = mbs_re(step.t) - mbs_re(step.h) + place->tau;  // time does not count there: a perturbed piece's neither
  step.h = place->tau;
  step.event = 0;
  return step;
}

const MbsPeakPlace *mbs_peak_place(const MbsSimulation *simulation, int objective) {
  const MbsPeak *peak = mbs_peaks_find(&simulation->peaks, objective);
  const MbsPath *path = &simulation->path;
  if (mbs_peak_is_beaten(peak, simulation->objectives.g[objective])) {
    return NULL;
  }
  int i = path->peak_count - 1;
  while (path->peaks[i].objective != objective) {
    --i;
  }
  return &path->peaks[i];
}

// The next place of the path that is followed, if it was found when the run was as far as this;
// is_here: at the present state, not within a step that led there
static const MbsPeakPlace *replay(MbsSimulation *simulation, const MbsPeak *peak, bool is_here, bool is_before) {
  const MbsPath *path = simulation->followed;
  int next = simulation->peaks.replayed;
  const MbsPeakPlace *place = next < path->peak_count ? &path->peaks[next] : NULL;
  bool is_this = place && place->objective == peak->objective && place->found == simulation->path.step_count &&
                 (place->step == place->found) == is_here && place->is_before == is_before;
  simulation->peaks.replayed += is_this;
  return is_this ? place : NULL;
}

// base: the state after place.step, where it is saved; NULL: the present one
static MbsStatus add_place(MbsContext *context, MbsSimulation *simulation, const MbsPeak *peak, MbsPeakPlace place,
                           const MbsCheckpoint *base) {
  bool is_swept = simulation->system->asked_count > 0 && !simulation->has_columns && !place.is_before;
  if (is_swept) {
    MBS_TRY(base ? mbs_simulation_copy_checkpoint(context, simulation, base, peak->base)
                 : mbs_simulation_save(context, simulation, peak->base));
  }
  place.objective = peak->objective;
  place.found = simulation->path.step_count;
  return mbs_path_add_peak(context, simulation->arena, &simulation->path, &place);
}

// The best two, for a warning where they are the same; what is less than a step apart is one.
static void note(const MbsSimulation *simulation, MbsPeak *peak, double x) {
  double t = mbs_re(simulation->state.t), apart = simulation->settings.step;
  int rank = 1;
  for (int i = 0; i < 2; ++i) {
    if (peak->best[i] > -HUGE_VAL && fabs(t - peak->best_time[i]) < apart) {  // real
      rank = i;
      break;
    }
  }
  if (x > peak->best[rank]) {
    peak->best[rank] = x;
    peak->best_time[rank] = t;
  }
  if (peak->best[1] > peak->best[0]) {
    double best = peak->best[0], time = peak->best_time[0];
    peak->best[0] = peak->best[1];
    peak->best_time[0] = peak->best_time[1];
    peak->best[1] = best;
    peak->best_time[1] = time;
  }
}

// ---- the ends of stretches ----
// the present state, where objectives and their derivatives are known
static MbsStatus take_here(MbsContext *context, MbsSimulation *simulation, MbsPeak *peak, bool is_before) {
  const MbsObjectives *objectives = &simulation->objectives;
  const MbsPeakPlace here = {.step = simulation->path.step_count, .is_before = is_before};
  mbs_scalar x = objectives->g[peak->objective];
  bool is_taken =
      is_followed(simulation) ? replay(simulation, peak, true, is_before) != NULL : mbs_peak_is_beaten(peak, x);
  note(simulation, peak, peak->sign * mbs_re(x));
  if (!is_taken) {
    return MBS_OK;
  }
  peak->value = x;
  peak->has_value = true;
  if (simulation->has_columns) {
    (void)mbs_put(peak->gradient, simulation->system->asked_count,
                  objectives->gradient + peak->objective * objectives->stride);
  }
  return add_place(context, simulation, peak, here, NULL);
}

static void add_value(const MbsSimulation *simulation, MbsPeak *peak, double x) {
  if (peak->count == 3) {
    for (int i = 0; i < 2; ++i) {
      peak->t[i] = peak->t[i + 1];
      peak->x[i] = peak->x[i + 1];
    }
    peak->count = 2;
  }
  peak->t[peak->count] = mbs_re(simulation->state.t);
  peak->x[peak->count++] = peak->sign * x;
}

MbsStatus mbs_peaks_begin_stretch(MbsContext *context, MbsSimulation *simulation) {
  for (int i = 0; i < simulation->peaks.count; ++i) {
    MbsPeak *peak = &simulation->peaks.items[i];
    if (is_needed(simulation, peak)) {
      MBS_TRY(take_here(context, simulation, peak, false));
      peak->count = 0;
      add_value(simulation, peak, mbs_re(simulation->objectives.g[peak->objective]));
    }
  }
  return MBS_OK;
}

MbsStatus mbs_peaks_end_stretch(MbsContext *context, MbsSimulation *simulation) {
  for (int i = 0; i < simulation->peaks.count; ++i) {
    if (is_needed(simulation, &simulation->peaks.items[i])) {
      MBS_TRY(take_here(context, simulation, &simulation->peaks.items[i], true));
    }
  }
  return MBS_OK;
}

// ---- within steps ----
static MbsCheckpoint *base_of(const MbsSimulation *simulation, long step) { return &simulation->peaks.bases[step % 2]; }

MbsStatus mbs_peaks_before_step(MbsContext *context, MbsSimulation *simulation) {
  return simulation->peaks.count > 0
             ? mbs_simulation_save(context, simulation, base_of(simulation, simulation->path.step_count))
             : MBS_OK;
}

// x at a place within a step, where the state comes to be
static MbsStatus try_place(MbsContext *context, MbsSimulation *simulation, const MbsPeak *peak,
                           const MbsPeakPlace *place, MbsStep *step, mbs_scalar *x) {
  *step = mbs_peak_step(&simulation->path, place);
  mbs_simulation_return(simulation, base_of(simulation, place->step));
  if (simulation->events.is_moved) {  // by the path the state begins at a constant, which here it may not be
    step->h = step->t - simulation->state.t;
  }
  MBS_TRY(mbs_simulation_repeat_step(context, simulation, step));
  mbs_signal_bank_evaluate(simulation->system, &simulation->state);
  *x = mbs_function_value(simulation->system, function_of(simulation, peak), &simulation->state);
  return MBS_OK;
}

// The largest value within a step from a guess on, by parabolas and golden sections (Brent 1973, chapter 5).
static MbsStatus search(MbsContext *context, MbsSimulation *simulation, const MbsPeak *peak, double guess,
                        MbsPeakPlace *place) {
  enum { MOST = 60 };
  const double golden = 0.381966011250105, precision = 3e-8;
  double h = mbs_re(mbs_path_step(&simulation->path, place->step + 1).h), a = 0, b = h, d = 0, e = 0;
  double x = fmin(fmax(guess, golden * precision * h), h), w = x, v = x, fx = 0, fw = 0, fv = 0;  // real
  for (int i = 0; i < MOST; ++i) {
    double u = x;
    if (i > 0) {
      double middle = (a + b) / 2, least = precision * h;
      if (fabs(x - middle) <= 2 * least - (b - a) / 2) {  // real
        break;
      }
      double r = (x - w) * (fx - fv), q = (x - v) * (fx - fw), p = (x - v) * q - (x - w) * r, before = e;
      q = 2 * (q - r);
      p = q > 0 ? -p : p;
      q = fabs(q);  // real
      e = d;
      bool is_parabola = fabs(p) < fabs(q * before / 2) && p > q * (a - x) && p < q * (b - x);  // real
      if (!is_parabola) {
        e = x < middle ? b - x : a - x;
      }
      d = is_parabola ? p / q : golden * e;
      u = x + (fabs(d) >= least ? d : d > 0 ? least : -least);  // real
      u = fmin(fmax(u, golden * least), h);                     // real
    }
    MbsStep step;
    mbs_scalar value;
    place->tau = u;
    MBS_TRY(try_place(context, simulation, peak, place, &step, &value));
    simulation->events.trials += 1;
    double fu = -peak->sign * mbs_re(value);
    if (i == 0) {
      fx = fw = fv = fu;
    } else if (fu <= fx) {
      *(u >= x ? &a : &b) = x;
      v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
    } else {
      *(u < x ? &a : &b) = u;
      if (fu <= fw || !(w < x || w > x)) {
        v = w, fv = fw, w = u, fw = fu;
      } else if (fu <= fv || !(v < x || v > x) || !(v < w || v > w)) {
        v = u, fv = fu;
      }
    }
  }
  place->tau = x;
  return MBS_OK;
}

// The value at a place, with its derivatives, if it is better than the best or certain to be.
static MbsStatus take_place(MbsContext *context, MbsSimulation *simulation, MbsPeak *peak, const MbsPeakPlace *place,
                            bool is_certain, bool *is_taken) {
  MbsSystem *system = simulation->system;
  const MbsFunction *function = function_of(simulation, peak);
  MbsStep step;
  mbs_scalar x;
  MBS_TRY(try_place(context, simulation, peak, place, &step, &x));
  note(simulation, peak, peak->sign * mbs_re(x));
  *is_taken = is_certain || mbs_peak_is_beaten(peak, x);
  if (!*is_taken) {
    return MBS_OK;
  }
  peak->value = x;
  peak->has_value = true;
  if (simulation->has_columns) {
    bool has_moved = simulation->events.is_moved;
    mbs_system_take_derivatives(system, true);
    mbs_system_use_step_columns(system, has_moved);
    MBS_TRY(simulation->stepper->type->derivative(context, simulation->stepper, &step, &simulation->state,
                                                  &simulation->columns));
    mbs_signal_bank_evaluate(system, &simulation->state);
    mbs_signal_bank_differentiate(system, &simulation->state, &simulation->columns);
    mbs_scalar *row = simulation->peaks.row;
    (void)mbs_function_evaluate(system, function, &simulation->state, NULL);
    for (int k = 0; k < system->column_count; ++k) {
      row[k] = mbs_function_derivative(system, function, &simulation->state, k, &simulation->columns, NULL);
    }
    mbs_events_keep_time(simulation, row);
    (void)mbs_put(peak->gradient, system->asked_count, row);
    if (simulation->events.count > 0) {
      mbs_system_use_step_columns(system, false);
    }
    mbs_system_take_derivatives(system, false);
  }
  return MBS_OK;
}

// before the first place that is tried
static MbsStatus leave(MbsContext *context, MbsSimulation *simulation, bool *has_left) {
  if (*has_left) {
    return MBS_OK;
  }
  *has_left = true;
  return mbs_simulation_save(context, simulation, simulation->peaks.after);
}

// back to the end of the step, as it was solved
static MbsStatus go_back(MbsContext *context, MbsSimulation *simulation, const MbsStep *step) {
  MbsStep again = *step;
  mbs_simulation_return(simulation, base_of(simulation, step->number - 1));
  MBS_TRY(mbs_simulation_repeat_step(context, simulation, &again));
  mbs_simulation_return(simulation, simulation->peaks.after);
  mbs_signal_bank_evaluate(simulation->system, &simulation->state);
  return MBS_OK;
}

// Within the last two steps, where the vertex of the parabola is; false: it does not promise a better value.
static bool find_vertex(const MbsPeak *peak, const double t[3], const double x[3], double *vertex) {
  double left = (x[1] - x[0]) / (t[1] - t[0]), right = (x[2] - x[1]) / (t[2] - t[1]);
  double bend = (right - left) / (t[2] - t[0]);
  *vertex = (t[0] + t[1] - left / bend) / 2;
  double highest = x[0] + (*vertex - t[0]) * (left + bend * (*vertex - t[1]));
  double margin = highest > x[1] ? highest - x[1] : 0,
         best = peak->has_value ? peak->sign * mbs_re(peak->value) : -HUGE_VAL;  // real
  return bend < 0 && *vertex > t[0] && *vertex < t[2] && highest + margin > best;
}

static MbsStatus look_for(MbsContext *context, MbsSimulation *simulation, const MbsStep *step, MbsPeak *peak,
                          bool is_end, bool *has_left) {
  MbsPeakPlace place = {.step = step->number - 1};
  double vertex;
  if (peak->count == 2 && is_end) {  // a stretch of one step
    double t[] = {peak->t[0], (peak->t[0] + peak->t[1]) / 2, peak->t[1]}, x[] = {peak->x[0], 0, peak->x[1]};
    MbsStep tried;
    mbs_scalar middle;
    place.tau = t[1] - t[0];
    MBS_TRY(leave(context, simulation, has_left));
    MBS_TRY(try_place(context, simulation, peak, &place, &tried, &middle));
    x[1] = peak->sign * mbs_re(middle);
    if (!find_vertex(peak, t, x, &vertex)) {
      return MBS_OK;
    }
  } else if (peak->count < 3 || !find_vertex(peak, peak->t, peak->x, &vertex)) {
    return MBS_OK;
  }
  MBS_TRY(leave(context, simulation, has_left));
  double begin = peak->t[peak->count - 2];
  if (vertex < begin) {
    place.step -= 1;
    begin = peak->t[0];
  }
  bool is_taken;
  MBS_TRY(search(context, simulation, peak, vertex - begin, &place));
  MBS_TRY(take_place(context, simulation, peak, &place, false, &is_taken));
  mbs_simulation_return(simulation, simulation->peaks.after);
  return is_taken ? add_place(context, simulation, peak, place, base_of(simulation, place.step)) : MBS_OK;
}

MbsStatus mbs_peaks_look(MbsContext *context, MbsSimulation *simulation, const MbsStep *step) {
  MbsPeaks *peaks = &simulation->peaks;
  bool has_left = false, is_end = mbs_step_restarts(step) || simulation->planned == simulation->plan.step_count;
  if (peaks->count == 0 || step->is_flow) {
    return MBS_OK;
  }
  for (int i = 0; i < peaks->count; ++i) {
    MbsPeak *peak = &peaks->items[i];
    if (!is_needed(simulation, peak)) {
      continue;
    }
    if (is_followed(simulation)) {
      bool is_taken;
      for (const MbsPeakPlace *place; (place = replay(simulation, peak, false, false));) {
        MBS_TRY(leave(context, simulation, &has_left));
        MBS_TRY(take_place(context, simulation, peak, place, true, &is_taken));
        mbs_simulation_return(simulation, peaks->after);
        MBS_TRY(add_place(context, simulation, peak, *place, base_of(simulation, place->step)));
      }
      continue;
    }
    add_value(simulation, peak,
              mbs_re(mbs_function_value(simulation->system, function_of(simulation, peak), &simulation->state)));
    MBS_TRY(look_for(context, simulation, step, peak, is_end, &has_left));
    if (has_left) {
      mbs_simulation_return(simulation, peaks->after);
      mbs_signal_bank_evaluate(simulation->system, &simulation->state);
    }
  }
  return has_left ? go_back(context, simulation, step) : MBS_OK;
}
