#include "report.h"

#include <math.h>

#include "progress.h"
#include "table.h"
#include "values.h"

// does the method differentiate the terms?
static bool uses_terms(MbsMethod method) {
  return method == MBS_METHOD_DIRECT || method == MBS_METHOD_ADJOINT || method == MBS_METHOD_ADJOINT_CONTINUOUS;
}

// of SUNDIALS: no step or integrator of the settings
static bool has_own_steps(MbsMethod method) {
  return method >= MBS_METHOD_CVODES_FORWARD && method <= MBS_METHOD_IDAS_ADJOINT;
}

bool cli_report_is_short(const MbsResult *result) {
  return !result->is_complete && isfinite(result->accuracy.reached) && result->accuracy.reached > 0;
}

// "accuracy 1e-06 asked for, 3.2e-07 estimated, from 5 runs of 31 to 496 steps; formulation and integrator chosen"
static void report_accuracy(FILE *out, const MbsResult *result) {
  const MbsAccuracy *accuracy = &result->accuracy;
  if (!(accuracy->asked > 0)) {
    return;
  }
  (void)fprintf(out, "accuracy %g asked for, %.1e estimated, from %d runs of %ld to %ld steps", accuracy->asked,
                accuracy->reached, accuracy->runs, accuracy->first_steps, accuracy->last_steps);
  if (accuracy->has_chosen_formulation || accuracy->has_chosen_integrator) {
    (void)fprintf(out, "; chosen: %s%s%s",
                  accuracy->has_chosen_formulation ? result->request->settings.formulation : "",
                  accuracy->has_chosen_formulation && accuracy->has_chosen_integrator ? ", " : "",
                  accuracy->has_chosen_integrator ? result->request->settings.integrator : "");
  }
  (void)fprintf(out, "\n");
}

void cli_report_header(FILE *out, const MbsResult *result, MbsMethod method) {
  const MbsSettings *settings = &result->request->settings;
  if (settings->is_kinematic) {
    (void)fprintf(out, "%s: kinematics, %s coordinates", result->model, settings->coordinates);
  } else {
    (void)fprintf(out, "%s: %s, %s coordinates%s%s", result->model, settings->formulation, settings->coordinates,
                  has_own_steps(method) ? "" : ", ", has_own_steps(method) ? "" : settings->integrator);
  }
  if (!has_own_steps(method) && settings->step_tolerance > 0) {
    (void)fprintf(out, ", steps to %g", settings->step_tolerance);
  } else if (!has_own_steps(method)) {
    (void)fprintf(out, ", h = %g s", settings->step);
  }
  (void)fprintf(out, ", end = %g s%s%s", settings->end, method == MBS_METHOD_NONE ? "" : ", ",
                method == MBS_METHOD_NONE ? "" : cli_method_name(method));
  if (uses_terms(method) && settings->derivatives != MBS_DERIVATIVES_ANALYTICAL) {
    (void)fprintf(out, ", %s derivatives", cli_derivatives_name(settings->derivatives));
  }
  (void)fprintf(out, "\n");
  report_accuracy(out, result);
  (void)fprintf(out, "\n");
  if (cli_report_is_short(result)) {
    (void)fprintf(out, "NOT AS ACCURATE AS ASKED: what follows is as accurate as it became\n\n");
  } else if (!result->is_complete) {
    (void)fprintf(out, "INCOMPLETE: what follows is as if the run ended at t = %.10g s, before it failed\n\n",
                  result->final_time);
  }
}

void cli_report_values(FILE *out, const MbsResult *result) {
  if (result->objective_count == 0) {
    return;
  }
  CliTable *table = cli_table_create(result->value_errors ? 3 : 2);
  cli_table_text(table, "objective");
  cli_table_text(table, "value");
  if (result->value_errors) {
    cli_table_text(table, "error");
  }
  for (int i = 0; i < result->objective_count; ++i) {
    cli_table_text(table, result->objectives[i]);
    cli_table_number(table, result->values[i]);
    if (result->value_errors) {
      cli_table_error(table, result->value_errors[i]);
    }
  }
  cli_table_print(table, out);
}

void cli_report_events(FILE *out, const MbsResult *result) {
  int columns = result->event_count > 0 && result->events[0].gradient ? result->parameter_count : 0;
  if (result->event_count == 0) {
    return;
  }
  bool has_errors = result->accuracy.asked > 0;
  CliTable *table = cli_table_create((has_errors ? 4 : 3) + columns * (has_errors ? 2 : 1));
  cli_table_text(table, "event");
  cli_table_text(table, "time");
  if (has_errors) {
    cli_table_text(table, "error");
  }
  cli_table_text(table, "energy lost");
  for (int k = 0; k < columns; ++k) {
    char name[80];
    (void)snprintf(name, sizeof name, "d/d(%s)", result->parameters[k]);
    cli_table_text(table, name);
    if (has_errors) {
      cli_table_text(table, "error");
    }
  }
  for (int i = 0; i < result->event_count; ++i) {
    const MbsEventResult *event = &result->events[i];
    cli_table_text(table, event->name);
    cli_table_number(table, event->time);
    if (has_errors) {
      cli_table_error(table, event->time_error);
    }
    cli_table_number(table, event->energy_lost);
    for (int k = 0; k < columns; ++k) {
      cli_table_number(table, event->gradient[k]);
      if (has_errors) {
        cli_table_error(table, event->gradient_error ? event->gradient_error[k] : (double)NAN);
      }
    }
  }
  cli_table_print(table, out);
}

// {"Ls1": -4.229, ...}, if there is one
static void put_gradient(CliJson *json, const char *key, const MbsResult *result, const double *gradient) {
  if (!gradient) {
    return;
  }
  cli_json_map(json, key, result->parameter_count, result->parameters, gradient);
}

static void put_accuracy(CliJson *json, const MbsResult *result) {
  const MbsAccuracy *accuracy = &result->accuracy;
  if (!(accuracy->asked > 0)) {
    return;
  }
  cli_json_open_object(json, "accuracy");
  cli_json_number(json, "asked", accuracy->asked);
  cli_json_number(json, "reached", accuracy->reached);
  cli_json_integer(json, "runs", accuracy->runs);
  cli_json_open_array(json, "steps");
  cli_json_integer(json, NULL, accuracy->first_steps);
  cli_json_integer(json, NULL, accuracy->last_steps);
  cli_json_close(json);
  cli_json_open_array(json, "chosen");
  cli_json_text(json, NULL, "step");
  if (accuracy->has_chosen_formulation) {
    cli_json_text(json, NULL, "formulation");
  }
  if (accuracy->has_chosen_integrator) {
    cli_json_text(json, NULL, "integrator");
  }
  cli_json_close(json);
  cli_json_close(json);
}

void cli_report_json_events(CliJson *json, const MbsResult *result) {
  cli_json_open_array(json, "events");
  for (int i = 0; i < result->event_count; ++i) {
    const MbsEventResult *event = &result->events[i];
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", event->name);
    cli_json_number(json, "time", event->time);
    if (result->accuracy.asked > 0) {
      cli_json_number(json, "error", event->time_error);
    }
    cli_json_number(json, "energy_lost", event->energy_lost);
    put_gradient(json, "gradient", result, event->gradient);
    put_gradient(json, "gradient_error", result, event->gradient_error);
    cli_json_close(json);
  }
  cli_json_close(json);
}

void cli_report_statistics(FILE *out, const MbsResult *result) {
  const MbsStatistics *s = &result->statistics;
  (void)fprintf(out, "%ld steps", s->steps);
  if (s->steps > 0) {
    (void)fprintf(out, ", %.1f iterations per step", (double)s->iterations / (double)s->steps);
  }
  (void)fprintf(out, "; %.3g s in dynamics", s->seconds_dynamics);
  if (result->gradient) {
    (void)fprintf(out, ", %.3g s in sensitivities", s->seconds_sensitivity);
  }
  (void)fprintf(out, "\nworst residuals: position %.1e, velocity %.1e, acceleration %.1e; ", s->residual_position,
                s->residual_velocity, s->residual_acceleration);
  if (isnan(s->energy_drift)) {
    (void)fprintf(out, "no energy balance\n");
  } else {
    (void)fprintf(out, "energy drift %.1e\n", s->energy_drift);
  }
  if (s->segments > 0) {
    (void)fprintf(out, "trajectory: %.3g MB, ", 1e-6 * s->trajectory_bytes);
    (void)(s->segments == 1 ? fprintf(out, "in one piece\n")
                            : fprintf(out, "in %ld pieces, walked twice\n", s->segments));
  }
  for (int i = 0; i < result->held_count; ++i) {
    (void)fprintf(out, "%s%s%s", i == 0 ? "start: held as placed: " : ", ", result->held[i],
                  i + 1 == result->held_count ? "\n" : "");
  }
  for (int i = 0; i < result->warning_count; ++i) {
    (void)fprintf(out, "warning: %s\n", result->warnings[i]);
  }
}

void cli_report_json_objectives(CliJson *json, const char *key, const MbsResult *result) {
  cli_json_open_object(json, key);
  for (int i = 0; i < result->objective_count; ++i) {
    cli_json_open_object(json, result->objectives[i]);
    size_t row = (size_t)i * (size_t)result->parameter_count;
    cli_json_number(json, "value", result->values[i]);
    if (result->value_errors) {
      cli_json_number(json, "error", result->value_errors[i]);
    }
    put_gradient(json, "gradient", result, result->gradient ? result->gradient + row : NULL);
    put_gradient(json, "gradient_error", result, result->gradient_errors ? result->gradient_errors + row : NULL);
    cli_json_close(json);
  }
  cli_json_close(json);
}

void cli_report_json(CliJson *json, const MbsResult *result, MbsMethod method) {
  const MbsSettings *settings = &result->request->settings;
  cli_json_text(json, "model", result->model);
  if (!settings->is_kinematic) {  // which knows neither
    cli_json_text(json, "formulation", settings->formulation);
    cli_json_text(json, "integrator", settings->integrator);
  }
  cli_json_text(json, "coordinates", settings->coordinates);
  if (method != MBS_METHOD_NONE) {
    cli_json_text(json, "method", cli_method_name(method));
  }
  if (uses_terms(method)) {
    cli_json_text(json, "derivatives", cli_derivatives_name(settings->derivatives));
  }
  cli_json_number(json, "step", settings->step);
  if (settings->step_tolerance > 0) {
    cli_json_number(json, "step_tolerance", settings->step_tolerance);
  }
  cli_json_number(json, "end", settings->end);
  put_accuracy(json, result);
  cli_json_boolean(json, "complete", result->is_complete);
  if (!result->is_complete) {
    cli_json_text(json, "error", result->error);
    if (!cli_report_is_short(result)) {
      cli_json_number(json, "reached", result->final_time);
    }
  }
  cli_json_map(json, "parameters", result->parameter_count, result->parameters, result->parameter_values);
  cli_report_json_objectives(json, "objectives", result);
  cli_report_json_events(json, result);
}

void cli_report_json_statistics(CliJson *json, const MbsResult *result) {
  const MbsStatistics *statistics = &result->statistics;
  cli_json_texts(json, "held_as_placed", result->held_count, result->held);
  cli_json_texts(json, "warnings", result->warning_count, result->warnings);
  cli_json_open_object(json, "statistics");
  cli_json_integer(json, "steps", statistics->steps);
  cli_json_integer(json, "iterations", statistics->iterations);
  if (result->event_count > 0 || result->request->settings.step_tolerance > 0) {
    cli_json_integer(json, "tried_steps", statistics->tried_steps);
  }
  cli_json_open_object(json, "seconds");
  cli_json_number(json, "dynamics", statistics->seconds_dynamics);
  cli_json_number(json, "sensitivity", statistics->seconds_sensitivity);
  cli_json_number(json, "processor", cli_processor_seconds());
  cli_json_close(json);
  cli_json_open_object(json, "residual");
  cli_json_number(json, "position", statistics->residual_position);
  cli_json_number(json, "velocity", statistics->residual_velocity);
  cli_json_number(json, "acceleration", statistics->residual_acceleration);
  cli_json_close(json);
  cli_json_number(json, "energy_drift", statistics->energy_drift);
  if (statistics->segments > 0) {
    cli_json_open_object(json, "trajectory");
    cli_json_number(json, "bytes", statistics->trajectory_bytes);
    cli_json_integer(json, "segments", statistics->segments);
    cli_json_close(json);
  }
  cli_json_close(json);
}
