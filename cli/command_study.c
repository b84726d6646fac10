// mbsens study: every combination of some settings in one table; study.h has the runs, errors and orders.
#include <math.h>
#include <stdio.h>

#include "command.h"
#include "json.h"
#include "outcome.h"
#include "study.h"
#include "table.h"

static bool has_gradients(const CliStudy *study) {
  for (int i = 0; i < study->run_count; ++i) {
    if (study->runs[i].gradient) {
      return true;
    }
  }
  return false;
}

static void add_number(CliTable *table, void (*add)(CliTable *table, double number), double number) {
  if (isnan(number)) {
    cli_table_blank(table);
  } else {
    add(table, number);
  }
}

static void add_order(CliTable *table, double order) {
  if (isnan(order)) {
    cli_table_blank(table);
  } else {
    cli_table_short(table, order);
  }
}

static void add_run(const CliStudy *study, CliTable *table, const CliStudyRun *run, int objective,
                    bool with_gradients) {
  for (int j = 0; j < study->axis_count; ++j) {
    const CliAxis *axis = &study->axes[j];
    cli_table_word(table, axis->values[run->choice[j]]);
  }
  cli_table_text(table, study->objectives[objective]);
  if (run->failure) {
    cli_table_text(table, "failed");
    for (int k = 0; k < (with_gradients ? 7 : 5); ++k) {
      cli_table_blank(table);
    }
    return;
  }
  cli_table_number(table, run->values[objective]);
  add_number(table, cli_table_error, run->value_errors[objective]);
  add_order(table, run->value_orders[objective]);
  if (with_gradients) {
    add_number(table, cli_table_error, run->gradient_errors[objective]);
    add_order(table, run->gradient_orders[objective]);
  }
  cli_table_integer(table, run->steps);
  cli_table_integer(table, run->iterations);
  cli_table_short(table, run->seconds);
}

static void print_table(const CliStudy *study, CliTableFormat format) {
  bool with_gradients = has_gradients(study);
  CliTable *table = cli_table_create(study->axis_count + (with_gradients ? 9 : 7));
  for (int j = 0; j < study->axis_count; ++j) {
    cli_table_text(table, study->axes[j].setting->name);
  }
  const char *const columns[] = {"objective",      "value", "error",      "order",  "gradient error",
                                 "gradient order", "steps", "iterations", "seconds"};
  for (int k = 0; k < 9; ++k) {
    if (with_gradients || (k != 4 && k != 5)) {
      cli_table_text(table, columns[k]);
    }
  }
  for (int i = 0; i < study->run_count; ++i) {
    for (int objective = 0; objective < study->objective_count; ++objective) {
      add_run(study, table, &study->runs[i], objective, with_gradients);
    }
  }
  cli_table_print_as(table, format, stdout);
}

static void describe_reference(const CliStudy *study, char *text, size_t room) {
  if (study->reference == CLI_REFERENCE_FINEST) {
    (void)snprintf(text, room, "the smallest step in the same settings");
  } else if (study->reference == CLI_REFERENCE_ACCURACY) {
    (void)snprintf(text, room, "a run to an accuracy of %g", study->accuracy);
  } else {
    (void)snprintf(text, room, "the numbers given");
  }
}

// "failed: formulation matrix-r, coordinates natural: sentence"
static void print_failures(const CliStudy *study, const char *comment, FILE *out) {
  for (int i = 0; i < study->run_count; ++i) {
    const CliStudyRun *run = &study->runs[i];
    if (run->failure) {
      (void)fprintf(out, "%sfailed: ", comment);
      for (int j = 0; j < study->axis_count; ++j) {
        const CliAxis *axis = &study->axes[j];
        (void)fprintf(out, "%s%s %s", j > 0 ? ", " : "", axis->setting->name, axis->values[run->choice[j]]);
      }
      (void)fprintf(out, ": %s\n", run->failure);
    }
  }
}

static void print(const CliStudy *study, const CliOptions *options) {
  char reference[80];
  describe_reference(study, reference, sizeof reference);
  CliTableFormat format = options->is_csv        ? CLI_TABLE_CSV
                          : options->is_markdown ? CLI_TABLE_MARKDOWN
                          : options->is_latex    ? CLI_TABLE_LATEX
                                                 : CLI_TABLE_TEXT;
  if (format == CLI_TABLE_TEXT && !options->is_quiet) {
    (void)printf("%s: %d runs, errors against %s\n\n", study->model, study->run_count, reference);
  }
  print_table(study, format);
  // a file of values has no place for sentences
  print_failures(study,
                 format == CLI_TABLE_LATEX      ? "% "
                 : format == CLI_TABLE_MARKDOWN ? "\n"
                                                : "",
                 format == CLI_TABLE_CSV ? stderr : stdout);
}

static void put_numbers(CliJson *json, const char *key, int count, char **names, const double *numbers) {
  cli_json_map(json, key, count, (const char *const *)names, numbers);
}

static void put_run(CliJson *json, const CliStudy *study, const CliStudyRun *run) {
  cli_json_open_object(json, NULL);
  cli_json_open_object(json, "settings");
  for (int j = 0; j < study->axis_count; ++j) {
    cli_json_text(json, study->axes[j].setting->name, study->axes[j].values[run->choice[j]]);
  }
  cli_json_close(json);
  if (run->failure) {
    cli_json_text(json, "failure", run->failure);
    cli_json_close(json);
    return;
  }
  cli_json_open_object(json, "objectives");
  for (int i = 0; i < study->objective_count; ++i) {
    cli_json_open_object(json, study->objectives[i]);
    cli_json_number(json, "value", run->values[i]);
    cli_json_number(json, "error", run->value_errors[i]);
    cli_json_number(json, "order", run->value_orders[i]);
    if (run->gradient) {
      put_numbers(json, "gradient", study->parameter_count, study->parameters,
                  run->gradient + i * study->parameter_count);
      cli_json_number(json, "gradient_error", run->gradient_errors[i]);
      cli_json_number(json, "gradient_order", run->gradient_orders[i]);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_integer(json, "steps", run->steps);
  cli_json_integer(json, "iterations", run->iterations);
  cli_json_number(json, "seconds", run->seconds);
  cli_json_close(json);
}

static void print_json(const CliStudy *study) {
  char reference[80];
  describe_reference(study, reference, sizeof reference);
  CliJson json = cli_json_begin(stdout);
  cli_json_text(&json, "model", study->model);
  cli_json_text(&json, "reference", reference);
  cli_json_open_array(&json, "runs");
  for (int i = 0; i < study->run_count; ++i) {
    put_run(&json, study, &study->runs[i]);
  }
  cli_json_close(&json);
  cli_json_end(&json);
}

int cli_run_study(const CliOptions *options) {
  CliSession session;
  CliStudy study = {0};
  if (options->is_json + options->is_csv + options->is_markdown + options->is_latex > 1) {
    return cli_fail(MBS_ERROR_INPUT, "--json, --csv, --markdown and --latex: take one of them");
  }
  int exit_status = cli_session_open(&session, options);
  exit_status = exit_status ? exit_status : cli_study_read(&study, &session);
  exit_status = exit_status ? exit_status : cli_study_run(&study, &session);
  if (!exit_status) {
    cli_study_judge(&study);
    if (options->is_json) {
      print_json(&study);
    } else {
      print(&study, options);
    }
  }
  cli_study_free(&study);
  cli_session_close(&session);
  return exit_status;
}
