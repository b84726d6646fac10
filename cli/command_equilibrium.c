// mbsens equilibrium: where all forces balance, and the derivatives of what is there.
#include <math.h>
#include <mbsens/equilibrium.h>
#include <stdio.h>

#include "command.h"
#include "equilibrium_sweep.h"
#include "report.h"
#include "session.h"
#include "table.h"
#include "values.h"

const char *cli_stability(const MbsEquilibriumResult *equilibrium) {
  return equilibrium->order == 0  ? equilibrium->is_stable ? "nothing is free to move" : "its stability is not known"
         : equilibrium->is_stable ? "stable"
                                  : "UNSTABLE";
}

static void print_header(const CliOptions *options, const MbsResult *result) {
  const MbsEquilibriumResult *equilibrium = result->equilibrium;
  (void)printf("%s: %s, %s coordinates, %s\n", result->model, equilibrium->is_steady ? "steady motion" : "equilibrium",
               result->request->settings.coordinates, cli_method_name(options->asked->method));
  (void)printf("%s; worst force left over %.1e of those that cancel, %d step%s\n", cli_stability(equilibrium),
               equilibrium->residual, equilibrium->iterations, equilibrium->iterations == 1 ? "" : "s");
  for (int i = 0; i < equilibrium->held_count; ++i) {
    (void)printf("%s\"%s\"%s", i == 0 ? "held as at the start: " : "", equilibrium->held[i],
                 i + 1 < equilibrium->held_count ? ", " : "\n");
  }
  for (int i = 0; i < equilibrium->solved_count; ++i) {
    (void)printf("%s%s = %.10g%s", i == 0 ? "solved for: " : "", equilibrium->solved[i], equilibrium->solved_values[i],
                 i + 1 < equilibrium->solved_count ? ", " : "\n");
  }
  (void)printf("\n");
}

static void print_eigenvalues(const MbsEquilibriumResult *equilibrium) {
  if (equilibrium->order == 0) {
    return;
  }
  CliTable *table = cli_table_create(3);
  cli_table_text(table, "eigenvalue");
  cli_table_text(table, "real (1/s)");
  cli_table_text(table, "imaginary (1/s)");
  for (int i = 0; i < equilibrium->order; ++i) {
    char number[16];
    (void)snprintf(number, sizeof number, "%d", i + 1);
    cli_table_text(table, number);
    cli_table_number(table, equilibrium->real[i]);
    cli_table_number(table, equilibrium->imaginary[i]);
  }
  cli_table_print(table, stdout);
}

static void print_words(const CliSession *session, const MbsResult *result, const MbsResult *other) {
  const CliOptions *options = session->options;
  if (!options->is_quiet) {
    print_header(options, result);
  }
  cli_report_values(stdout, result);
  if (result->objective_count > 0) {
    cli_print_gradients(result, options->asked->method, other, options->compared);
  }
  cli_print_state(result);
  print_eigenvalues(result->equilibrium);
  if (options->is_quiet) {
    return;
  }
  if (other) {
    (void)printf("largest relative difference between %s and %s: %.1e\n", cli_method_name(options->asked->method),
                 cli_method_name(options->compared), cli_largest_difference(result, other));
  }
  for (int i = 0; i < result->warning_count; ++i) {
    (void)printf("warning: %s\n", result->warnings[i]);
  }
  cli_session_report_histories(stdout, session);
}

void cli_put_equilibrium(CliJson *json, const MbsResult *result) {
  const MbsEquilibriumResult *equilibrium = result->equilibrium;
  cli_json_boolean(json, "steady", equilibrium->is_steady);
  cli_json_number(json, "residual", equilibrium->residual);
  if (equilibrium->order > 0 || equilibrium->is_stable) {
    cli_json_boolean(json, "stable", equilibrium->is_stable);
  } else {
    cli_json_number(json, "stable", (double)NAN);
  }
  cli_json_open_array(json, "eigenvalues");
  for (int i = 0; i < equilibrium->order; ++i) {
    cli_json_open_object(json, NULL);
    cli_json_number(json, "real", equilibrium->real[i]);
    cli_json_number(json, "imag", equilibrium->imaginary[i]);
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_texts(json, "held", equilibrium->held_count, equilibrium->held);
  cli_json_map(json, "solved", equilibrium->solved_count, equilibrium->solved, equilibrium->solved_values);
  cli_json_map(json, "parameters", result->parameter_count, result->parameters, result->parameter_values);
  cli_put_state(json, result);
  cli_report_json_objectives(json, "objectives", result);
}

static void print_json(const CliOptions *options, const MbsResult *result, const MbsResult *other) {
  CliJson json = cli_json_begin(stdout);
  cli_json_text(&json, "model", result->model);
  cli_json_boolean(&json, "success", true);
  cli_json_text(&json, "coordinates", result->request->settings.coordinates);
  cli_json_text(&json, "method", cli_method_name(options->asked->method));
  cli_put_equilibrium(&json, result);
  if (other) {
    cli_json_open_object(&json, "comparison");
    cli_json_text(&json, "method", cli_method_name(options->compared));
    cli_report_json_objectives(&json, "objectives", other);
    cli_json_number(&json, "max_relative_difference", cli_largest_difference(result, other));
    cli_json_close(&json);
  }
  cli_report_json_statistics(&json, result);
  cli_json_end(&json);
}

int cli_run_equilibrium(const CliOptions *given) {
  CliOptions options = *given;
  CliSession session;
  MbsResult *result = NULL, *other = NULL;
  options.is_equilibrium = true;
  if (options.along) {
    return cli_run_equilibrium_sweep(&options);
  }
  int exit_status = cli_session_open(&session, &options);
  if (!exit_status) {
    exit_status = cli_session_run(&session, options.asked->method, "equilibrium", true, &result);
  }
  if (!exit_status && options.has_comparison) {
    exit_status = cli_session_run(&session, options.compared, "comparison", false, &other);
  }
  if (!exit_status) {
    exit_status = cli_session_finish(&session);
  }
  if (!exit_status && options.is_json) {
    print_json(&options, result, other);
  } else if (!exit_status) {
    print_words(&session, result, other);
  }
  if (!exit_status) {
    exit_status = cli_session_commit(&session);
  }
  mbs_result_destroy(result);
  mbs_result_destroy(other);
  cli_session_close(&session);
  return exit_status;
}
