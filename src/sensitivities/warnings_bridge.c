#include "sensitivities/warnings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "formulations/formulation.h"
#include "integrators/rule.h"

typedef struct Warnings {
  MbsArena *arena;
  int count, capacity;
  const char **items;
} Warnings;

__attribute__((format(printf, 3, 4))) static MbsStatus add(MbsContext *context, Warnings *warnings, const char *format,
                                                           ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  MBS_GROW(context, warnings->arena, warnings->items, warnings->count, warnings->capacity);
  const char *copy = mbs_arena_copy_text(warnings->arena, text);
  if (!copy) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  warnings->items[warnings->count++] = copy;
  return MBS_OK;
}

static MbsStatus warn_of_singular_positions(MbsContext *context, const MbsResult *result, Warnings *warnings) {
  const double limit = 1e4;  // over a run without singular positions the condition changes by small factors
  const MbsStatistics *statistics = &result->statistics;
  if (!(statistics->condition_growth > limit)) {
    return MBS_OK;
  }
  return add(
      context, warnings,
      "near a singular position at t = %.6g: the equations are %.0e times worse conditioned "
      "than at the start, and results lose about %.0f digits there; %s",
      statistics->condition_time, statistics->condition_growth, log10(statistics->condition_growth),
      result->request->settings.is_kinematic ? "keep the motion away from there" : "compare with formulation ali3p");
}

static MbsStatus warn_of_far_start(MbsContext *context, const MbsResult *result, Warnings *warnings) {
  const double limit = 0.5;  // near the placed bodies there is one position; from far away there may be several
  if (!(result->statistics.start_moved > limit)) {
    return MBS_OK;
  }
  return add(
      context, warnings,
      "the start is far from where the bodies are placed: where a mechanism can be assembled in several ways, it "
      "may be another one than is meant, and another one in other coordinates; place bodies and points nearer to "
      "the start");
}

static MbsStatus warn_of_dead_centre(MbsContext *context, const MbsResult *result, Warnings *warnings) {
  const double limit = 1e-4;  // shipped models have 0.03 and more; half of the digits are left here
  double rest = result->statistics.start_rest;
  if (!result->least_determined || !(rest < limit)) {
    return MBS_OK;
  }
  return add(
      context, warnings,
      "the start is near a dead centre: constraints hold independent coordinate \"%s\" all but still (%.1e of it "
      "is free), and derivatives of the start lose about %.0f digits; start elsewhere, or give another "
      "coordinate",
      result->least_determined, rest, -2 * log10(rest > 1e-8 ? rest : 1e-8));
}

static MbsStatus warn_of_coarse_steps(MbsContext *context, const MbsResult *result, Warnings *warnings) {
  const double limit = 1.5;  // from rest the first step has 1; the others of shipped models are below 0.5
  if (!(result->statistics.turn > limit)) {
    return MBS_OK;
  }
  return add(
      context, warnings,
      "the step is too large for this motion: accelerations change velocities by %.2g times the largest velocity "
      "in a step (of a body that turns: the angle of a step in radians, which should be below 1)",
      result->statistics.turn);
}

static MbsStatus warn_of_undamped_rule(MbsContext *context, const MbsResult *result, Warnings *warnings) {
  const MbsSettings *settings = &result->request->settings;
  const char *nearest = NULL;
  MbsRule rule;
  const MbsFormulationType *formulation = mbs_formulation_find(settings->formulation, &nearest);
  bool is_damped =
      !mbs_rule_find(settings, &rule) || (rule.has_auxiliary ? settings->spectral_radius < 1 : rule.gamma > 0.5);
  if (!formulation || !formulation->has_dissipation || is_damped || settings->is_kinematic) {
    return MBS_OK;
  }
  return add(context, warnings,
             "%s with a rule that damps nothing: unless the start is at rest its accelerations and "
             "multipliers do not converge; "
             "use generalised-alpha with a spectral radius below 1, or newmark with gamma above 1/2",
             settings->formulation);
}

static MbsStatus warn_of_violated_constraints(MbsContext *context, const MbsResult *result, Warnings *warnings) {
  const double limit = 1e-3;
  bool is_velocity = !(result->statistics.worst_position.off > limit);
  const MbsWorst *worst = is_velocity ? &result->statistics.worst_velocity : &result->statistics.worst_position;
  if (!(worst->off > limit) || worst->constraint >= result->multiplier_count) {
    return MBS_OK;
  }
  return add(context, warnings,
             "constraint \"%s\" drifts: %s off by %.1e of %s at t = %.6g, and results with it; try a smaller step, or "
             "formulation ali3p, which keeps constraints at all levels",
             result->multiplier_names[worst->constraint], is_velocity ? "its velocity is" : "it is", worst->off,
             is_velocity ? "the largest one" : "the mechanism's size", worst->time);
}

// A run adds up what its steps see; at which of them a jump is first seen does not change with the parameters.
static MbsStatus warn_of_jumps(MbsContext *context, const MbsResult *result, Warnings *warnings) {
  for (int i = 0; i < result->jump_count; ++i) {
    const MbsJump *jump = &result->jumps[i];
    char times[40] = "";
    if (jump->count > 1) {
      (void)snprintf(times, sizeof times, " (%ld times in all)", jump->count);
    }
    MBS_TRY(add(context, warnings, "%s%s%s: \"%s\" jumps at t = %.10g%s: %s", jump->place, *jump->place ? ": " : "",
                jump->owner, jump->expression, jump->time, times,
                jump->is_fixed ? "steps do not stop there, so that results converge with the first order of the step "
                                 "alone (gradients lack nothing: the jump does not move)"
                               : "gradients lack what moving the jump changes, and may be wrong by any amount; a "
                                 "smooth step5() has none of that"));
  }
  return MBS_OK;
}

static MbsStatus warn_of_kinks(MbsContext *context, const MbsResult *result, Warnings *warnings) {
  for (int i = 0; i < result->kink_count; ++i) {
    const MbsJump *kink = &result->kinks[i];
    MBS_TRY(add(context, warnings,
                "%s%s%s: \"%s\" has a kink at t = %.10g, exactly at the end of a step: its derivative there has two "
                "sides, of which gradients take one; move the kink or change the step, so that it lies between two",
                kink->place, *kink->place ? ": " : "", kink->owner, kink->expression, kink->time));
  }
  return MBS_OK;
}

// Values are told about where rounding decides on them; that there is no gradient, where one is asked for.
static MbsStatus warn_of_unsmooth(MbsContext *context, const MbsResult *result, Warnings *warnings) {
  for (int i = 0; i < result->unsmooth_count; ++i) {
    const MbsUnsmooth *item = &result->unsmooth[i];
    if (item->has_no_value || result->gradient) {
      MBS_TRY(add(context, warnings,
                  "%s%sobjective \"%s\" has no %s where it is taken: norm(x), abs(x), sqrt(x) and powers of x have no "
                  "derivative at x = 0, which it is there up to rounding; take its square, or "
                  "smooth_abs(x, w)",
                  item->place, *item->place ? ": " : "", item->objective,
                  item->has_no_value ? "certain value" : "gradient"));
    }
  }
  return MBS_OK;
}

// Where a guard touches zero a little more or less decides whether the event happens at all; where two happen at once,
// on their order.
static MbsStatus warn_of_events(MbsContext *context, const MbsResult *result, Warnings *warnings) {
  bool has_grazed = false, has_met = false, is_at_edge = false;
  for (int i = 0; i < result->event_count; ++i) {
    const MbsEventResult *event = &result->events[i];
    if (event->is_grazing && !has_grazed) {
      has_grazed = true;
      MBS_TRY(
          add(context, warnings,
              "event \"%s\" at t = %.6g hardly passes zero: with slightly other numbers it may not happen, and what "
              "follows, with its gradients, depends on that",
              event->name, event->time));
    }
    if (event->is_together && !has_met && result->gradient) {
      has_met = true;
      MBS_TRY(add(context, warnings,
                  "events \"%s\" and \"%s\" happen at the same time, t = %.6g, and in this order: where the order of "
                  "such events counts, gradients are those on one side of it",
                  result->events[i - 1].name, event->name, event->time));
    }
    if (event->is_at_edge && !is_at_edge && result->gradient) {
      is_at_edge = true;
      MBS_TRY(
          add(context, warnings,
              "event \"%s\" at t = %.6g: the friction of this impact is at the edge between sliding and sticking or "
              "turning back: gradients are those on one side of it",
              event->name, event->time));
    }
  }
  return MBS_OK;
}

static MbsStatus warn_of_ties(MbsContext *context, const MbsResult *result, Warnings *warnings) {
  for (int i = 0; i < result->tie_count && result->gradient; ++i) {
    const MbsTie *tie = &result->ties[i];
    MBS_TRY(
        add(context, warnings,
            "objective \"%s\" is the same, to rounding, at t = %.10g and at t = %.10g: its gradient is that of one of "
            "them, and that of the other may be another one; pnorm is smooth",
            tie->objective, tie->time[0], tie->time[1]));
  }
  return MBS_OK;
}

static MbsStatus warn_of_breaches(MbsContext *context, const MbsResult *result, Warnings *warnings) {
  for (int i = 0; i < result->breach_count; ++i) {
    const MbsBreach *breach = &result->breaches[i];
    char until[80] = "";
    if (breach->count > 1) {
      (void)snprintf(until, sizeof until, " (after %ld steps, the last at t = %.10g)", breach->count, breach->to);
    }
    MBS_TRY(add(context, warnings, "%s%s%s at t = %.10g%s: %s", breach->place, *breach->place ? ": " : "",
                breach->owner, breach->from, until, breach->message));
  }
  return MBS_OK;
}

static MbsStatus warn_of_opposition(MbsContext *context, const MbsResult *result, Warnings *warnings) {
  if (!result->opposed_constraint) {
    return MBS_OK;
  }
  return add(
      context, warnings,
      "constraint \"%s\" is redundant at this value of \"%s\" only: at any other the mechanism cannot move as it "
      "does, or cannot be assembled, and gradients with respect to \"%s\" mean nothing; let lengths that must "
      "be equal be one parameter, or remove a constraint",
      result->opposed_constraint, result->opposing_parameter, result->opposing_parameter);
}

MbsStatus mbs_warnings_collect(MbsContext *context, MbsArena *arena, MbsResult *result) {
  Warnings warnings = {.arena = arena};
  MBS_TRY(warn_of_far_start(context, result, &warnings));
  MBS_TRY(warn_of_dead_centre(context, result, &warnings));
  MBS_TRY(warn_of_singular_positions(context, result, &warnings));
  MBS_TRY(warn_of_coarse_steps(context, result, &warnings));
  MBS_TRY(warn_of_undamped_rule(context, result, &warnings));
  MBS_TRY(warn_of_violated_constraints(context, result, &warnings));
  MBS_TRY(warn_of_jumps(context, result, &warnings));
  MBS_TRY(warn_of_kinks(context, result, &warnings));
  MBS_TRY(warn_of_unsmooth(context, result, &warnings));
  MBS_TRY(warn_of_events(context, result, &warnings));
  MBS_TRY(warn_of_ties(context, result, &warnings));
  MBS_TRY(warn_of_breaches(context, result, &warnings));
  MBS_TRY(warn_of_opposition(context, result, &warnings));
  result->warning_count = warnings.count;
  result->warnings = warnings.items;
  return MBS_OK;
}
