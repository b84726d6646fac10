// mbsens report: everything about a run as one HTML file, with the motion to be watched.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "html/design.h"
#include "html/page.h"
#include "memory.h"
#include "model/model.h"
#include "outcome.h"
#include "output_file.h"
#include "plot/source.h"
#include "report.h"

enum { MOST_NUMBERS_OF_SIGNALS = 180000, MOST_LETTERS_OF_MODEL = 300000 };

typedef struct Report {
  const CliOptions *options;
  CliDesign design;
  CliAsked asked;
  CliRuns runs;
  MbsResult *result;  // with gradients, where there are any
} Report;

// ---- runs ----
static bool has_histories(MbsMethod method) {
  return method == MBS_METHOD_DIRECT || method == MBS_METHOD_COMPLEX_STEP || method == MBS_METHOD_FINITE_DIFFERENCE;
}

// The gradient by a method that gives no curves.
static int run_gradient(Report *report) {
  CliSession *session = &report->design.session;
  CliOptions own = *report->options;
  own.output = NULL;  // no histories
  session->options = &own;
  int failure = cli_session_run(session, session->request->method, "run with sensitivities", false, &report->result);
  session->options = report->options;
  return failure;
}

static bool has_gradient(const Report *report) {
  const MbsRequest *request = report->design.session.request;
  const MbsRecord *root = &report->design.session.model->root;
  int parameters = request->parameters ? request->parameter_count : mbs_record_value(root, MBS_MODEL_PARAMETERS)->count;
  int objectives = request->objectives ? request->objective_count : mbs_record_value(root, MBS_MODEL_OBJECTIVES)->count;
  return parameters > 0 && objectives > 0;
}

static int run_signals(Report *report) {
  const CliOptions *options = report->options;
  MbsMethod method = report->design.session.request->method;
  report->asked = (CliAsked){.options = options,
                             .most_numbers = MOST_NUMBERS_OF_SIGNALS,
                             .instead = "kinetic_energy()",
                             .wants_derivatives = has_histories(method) && has_gradient(report),
                             .result = &report->result};
  int failure = options->y ? cli_words_read("--y", options->y, &report->asked.words) : 0;
  failure = failure ? failure : cli_source_read_model(&report->asked, options->operand, &report->runs);
  if (!failure && !report->result->gradient && has_gradient(report)) {
    mbs_result_destroy(report->result);
    report->result = NULL;
    failure = run_gradient(report);
  }
  return failure;
}

// ---- the page ----
static void put_signal(CliJson *json, const CliColumn *column, long count, const char *label, int panel) {
  float *values = cli_memory_take((size_t)count, sizeof *values);
  for (long i = 0; i < count; ++i) {
    values[i] = (float)column->values[i];
  }
  cli_json_open_object(json, NULL);
  cli_json_text(json, "label", label);
  if (column->unit) {
    cli_json_text(json, "unit", column->unit);
  }
  cli_json_integer(json, "panel", panel);
  cli_json_floats(json, "values", (size_t)count, values);
  cli_json_close(json);
  free(values);
}

static void put_signals(CliJson *json, const Report *report) {
  const CliRun *run = &report->runs.items[0];
  cli_json_open_object(json, "signals");
  cli_json_doubles(json, "time", (size_t)run->data.row_count, run->data.columns[0].values);
  cli_json_open_array(json, "curves");
  for (int k = 0; k < run->series_count; ++k) {
    const CliSeries *series = &run->series[k];
    put_signal(json, &run->data.columns[series->column], run->data.row_count, series->label,
               report->asked.words.items[series->word].panel);
  }
  cli_json_close(json);
  cli_json_boolean(json, "derivatives_left_out", report->asked.has_too_many);
  cli_json_close(json);
}

// energies and reactions, of the run without derivatives
static void put_checks(CliJson *json, const CliDesign *design) {
  const CliData *data = &design->curves;
  cli_json_open_object(json, "checks");
  cli_json_doubles(json, "time", (size_t)data->row_count, data->columns[0].values);
  cli_json_open_array(json, "curves");
  for (int j = 1; j < data->column_count; ++j) {
    const char *name = data->columns[j].name;
    bool is_kinetic = strcmp(name, "mbsens_kinetic_energy") == 0;
    bool is_energy = is_kinetic || strcmp(name, "mbsens_potential_energy") == 0;
    bool is_reaction = strncmp(name, "force(", 6) == 0 || strncmp(name, "torque(", 7) == 0;
    if (is_energy || is_reaction) {
      const char *label = is_kinetic ? "kinetic energy" : is_energy ? "potential energy" : name;
      put_signal(json, &data->columns[j], data->row_count, label, is_energy ? 0 : 1);
    }
  }
  cli_json_close(json);
  cli_json_close(json);
}

static char *read_text(const char *path) {
  struct stat entry;
  FILE *file = stat(path, &entry) == 0 && S_ISREG(entry.st_mode) ? fopen(path, "r") : NULL;
  if (!file) {
    return NULL;
  }
  char *text = cli_memory_take((size_t)entry.st_size + 1, 1);
  text[fread(text, 1, (size_t)entry.st_size, file)] = '\0';
  (void)fclose(file);
  return text;
}

static void put_model(CliJson *json, const Report *report) {
  char *text = read_text(report->options->operand);
  const char *shown = text ? text : report->design.text;
  bool is_short = strlen(shown) <= MOST_LETTERS_OF_MODEL;
  cli_json_open_object(json, "model");
  cli_json_text(json, "file", report->options->operand);
  cli_json_boolean(json, "is_left_out", !is_short);
  cli_json_text(json, "text", is_short ? shown : "");
  cli_json_close(json);
  free(text);
}

static void put_result(CliJson *json, const Report *report) {
  cli_json_open_object(json, "result");
  cli_report_json(json, report->result, report->result->request->method);
  cli_report_json_statistics(json, report->result);
  cli_json_close(json);
}

static void put_page(FILE *out, const Report *report) {
  const CliOptions *options = report->options;
  CliJson json = cli_page_begin(out, report->result->model);
  cli_json_integer(&json, "layout", 1);
  cli_json_text(&json, "version", mbs_version());
  cli_json_text(&json, "title", report->result->model);
  cli_json_open_array(&json, "command");
  for (int i = 0; i < options->argument_count; ++i) {
    cli_json_text(&json, NULL, options->arguments[i]);
  }
  cli_json_close(&json);
  put_result(&json, report);
  cli_json_open_array(&json, "designs");
  cli_design_put(&json, &report->design, "");
  cli_json_close(&json);
  put_signals(&json, report);
  put_checks(&json, &report->design);
  put_model(&json, report);
  cli_page_end(&json);
}

// ---- the command ----
static int check_options(const CliOptions *options) {
  struct stat entry;
  if (!options->output || !cli_path_ends_in(options->output, ".html")) {
    return options->output
               ? cli_fail(MBS_ERROR_INPUT, "-o: \"%s\" is not offered; a report is FILE.html", options->output)
               : cli_fail(MBS_ERROR_INPUT, "report needs -o FILE.html");
  }
  if (stat(options->operand, &entry) == 0 && !S_ISREG(entry.st_mode)) {
    return cli_fail(MBS_ERROR_INPUT, "%s is no regular file, and a report reads its model more than once",
                    options->operand);
  }
  return 0;
}

static int write_page(const Report *report, CliOutputFile *output) {
  put_page(output->file, report);
  return cli_output_finish(output);
}

static void print(const Report *report) {
  const CliGeometry *geometry = &report->design.geometry;
  (void)printf("report: %s, %d bod%s, %ld of %ld steps drawn, %d curves\n", report->options->output,
               geometry->body_count - 1, geometry->body_count == 2 ? "y" : "ies", report->design.rows.row_count,
               report->result->statistics.steps, report->runs.items[0].series_count);
  if (report->asked.has_too_many) {
    (void)fprintf(stderr,
                  "mbsens: sensitivities over time are left out, there are too many: choose with --y and --wrt\n");
  }
}

int cli_run_report(const CliOptions *options) {
  Report report = {.options = options};
  CliOutputFile output = {0};
  int failure = check_options(options);
  failure = failure ? failure : cli_output_open(&output, options->output);  // what cannot be written is known before
  failure = failure ? failure : cli_design_open(&report.design, options);
  failure = failure ? failure : run_signals(&report);  // first, for what it complains about is in the user's file
  failure = failure ? failure : cli_design_run(&report.design, "run to draw");
  failure = failure ? failure : write_page(&report, &output);
  if (!failure && !options->is_quiet) {
    print(&report);
  }
  failure = failure ? failure : cli_finish_output(0);
  failure = failure ? failure : cli_output_commit(&output);
  cli_output_close(&output);
  mbs_result_destroy(report.result);
  cli_runs_free(&report.runs);
  cli_words_free(&report.asked.words);
  cli_design_close(&report.design);
  return failure;
}
