// See document.h.
#include "document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../memory.h"
#include "../outcome.h"
#include "../plot/figure.h"
#include "../plot/source.h"
#include "../report.h"
#include "design.h"
#include "model/model.h"
#include "modes.h"
#include "page.h"

enum { MOST_NUMBERS_OF_SIGNALS = 180000, MOST_LETTERS_OF_MODEL = 300000 };

typedef struct Report {
  const CliDocument *document;
  const CliOptions *options;
  CliDesign design;
  CliAsked asked;
  CliRuns runs;
  MbsResult *result;  // with gradients, where there are any
  CliDesign ghost;
  CliAsked ghost_asked;
  CliRuns ghost_runs;
  CliModes modes;
} Report;

// ---- a search ----
void cli_search_add(CliSearch *search, const MbsIterate *iterate) {
  if (iterate->failure) {
    return;
  }
  size_t count = (size_t)iterate->parameter_count;
  search->steps = cli_memory_resize(search->steps, (size_t)search->count + 1, sizeof *search->steps);
  CliSearchStep *step = &search->steps[search->count++];
  *step = (CliSearchStep){iterate->start, iterate->evaluations, iterate->value, iterate->violation,
                          cli_memory_take(count, sizeof(double))};
  memcpy(step->parameters, iterate->parameters, count * sizeof(double));
}

void cli_search_free(CliSearch *search) {
  for (int i = 0; i < search->count; ++i) {
    free(search->steps[i].parameters);
  }
  free(search->steps);
  *search = (CliSearch){0};
}

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

// The ghost has curves, and no derivatives.
static int run_ghost(Report *report) {
  const CliOptions *options = report->document->ghost;
  int failure = 0;
  if (!options) {
    return 0;
  }
  report->ghost_asked =
      (CliAsked){.options = options, .most_numbers = MOST_NUMBERS_OF_SIGNALS / 4, .instead = "kinetic_energy()"};
  for (int i = 0; i < report->asked.words.count; ++i) {
    const CliWord *word = &report->asked.words.items[i];
    if (!word->base) {
      cli_words_add(&report->ghost_asked.words, word->text, word->panel);
    }
  }
  failure = cli_design_run(&report->ghost, "run of the ghost");
  if (!failure && report->ghost.geometry.dimension != report->design.geometry.dimension) {
    failure = cli_fail(MBS_ERROR_INPUT, "--ghost: %s is %s, and %s is not", options->operand,
                       report->ghost.geometry.dimension == 2 ? "in the plane" : "in space", report->options->operand);
  }
  return failure ? failure : cli_source_read_model(&report->ghost_asked, options->operand, &report->ghost_runs);
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

static void put_signals(CliJson *json, const char *key, const CliAsked *asked, const CliRun *run) {
  cli_json_open_object(json, key);
  cli_json_doubles(json, "time", (size_t)run->data.row_count, run->data.columns[0].values);
  cli_json_open_array(json, "curves");
  for (int k = 0; k < run->series_count; ++k) {
    const CliSeries *series = &run->series[k];
    put_signal(json, &run->data.columns[series->column], run->data.row_count, series->label,
               asked->words.items[series->word].panel);
  }
  cli_json_close(json);
  cli_json_boolean(json, "derivatives_left_out", asked->has_too_many);
  cli_json_close(json);
}

// energies, reactions and residuals, of the run without derivatives
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
    bool is_residual = strncmp(name, "residual ", 9) == 0;
    if (is_energy || is_reaction || is_residual) {
      const char *label = is_kinetic ? "kinetic energy" : is_energy ? "potential energy" : name;
      put_signal(json, &data->columns[j], data->row_count, label, is_energy ? 0 : is_reaction ? 1 : 2);
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
  char *text = report->options->model_text ? NULL : read_text(report->options->operand);
  const char *given = report->options->model_text, *shown = given ? given : text ? text : report->design.text;
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

static void put_ghost(CliJson *json, const Report *report) {
  const MbsResult *result = report->ghost.result;
  cli_json_open_object(json, "ghost");
  cli_json_text(json, "label", report->document->ghost_label);
  cli_json_map(json, "objectives", result->objective_count, result->objectives, result->values);
  put_signals(json, "signals", &report->ghost_asked, &report->ghost_runs.items[0]);
  cli_json_close(json);
}

static void put_limit(CliJson *json, const char *key, double limit) {
  if (isfinite(limit)) {
    cli_json_number(json, key, limit);
  }
}

static void put_search(CliJson *json, const CliSearch *search) {
  const MbsOptimum *optimum = search->optimum;
  cli_json_open_object(json, "search");
  cli_json_text(json, "message", optimum->message);
  cli_json_text(json, "algorithm", optimum->algorithm);
  cli_json_boolean(json, "success", optimum->success);
  cli_json_boolean(json, "is_maximized", optimum->is_maximized);
  cli_json_number(json, "optimality", optimum->optimality);
  cli_json_integer(json, "evaluations", optimum->evaluations);
  cli_json_open_array(json, "steps");
  for (int i = 0; i < search->count; ++i) {
    const CliSearchStep *step = &search->steps[i];
    cli_json_open_object(json, NULL);
    cli_json_integer(json, "start", step->start);
    cli_json_integer(json, "evaluations", step->evaluations);
    cli_json_number(json, "value", step->value);
    cli_json_number(json, "violation", step->violation);
    cli_json_numbers(json, "parameters", optimum->parameter_count, step->parameters);
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_open_array(json, "parameters");
  for (int k = 0; k < optimum->parameter_count; ++k) {
    const MbsOptimumParameter *parameter = &optimum->parameters[k];
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", parameter->name);
    cli_json_number(json, "start", parameter->start);
    cli_json_number(json, "value", parameter->value);
    put_limit(json, "lower", parameter->lower);
    put_limit(json, "upper", parameter->upper);
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_open_array(json, "objectives");
  for (int k = 0; k < optimum->objective_count; ++k) {
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", optimum->objectives[k].name);
    cli_json_number(json, "start", optimum->objectives[k].start);
    cli_json_number(json, "value", optimum->objectives[k].value);
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_open_array(json, "constraints");
  for (int k = 0; k < optimum->constraint_count; ++k) {
    const MbsOptimumConstraint *constraint = &optimum->constraints[k];
    cli_json_open_object(json, NULL);
    cli_json_text(json, "objective", constraint->objective);
    cli_json_text(json, "kind", constraint->kind);
    cli_json_number(json, "limit", constraint->limit);
    cli_json_number(json, "start", constraint->start);
    cli_json_number(json, "value", constraint->value);
    put_limit(json, "multiplier", constraint->is_active ? constraint->multiplier : (double)NAN);
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_close(json);
}

static void put_page(FILE *out, const Report *report) {
  const CliOptions *options = report->options;
  CliJson json = cli_page_begin(out, report->result->model);
  cli_json_integer(&json, "layout", 1);
  cli_json_text(&json, "version", mbs_version());
  cli_json_text(&json, "title", report->result->model);
  cli_json_integer(&json, "most_event_lines", CLI_MOST_EVENT_LINES);
  cli_json_open_array(&json, "command");
  cli_json_text(&json, NULL, options->command);
  for (int i = 0; i < options->argument_count; ++i) {
    cli_json_text(&json, NULL, options->arguments[i]);
  }
  cli_json_close(&json);
  put_result(&json, report);
  cli_json_open_array(&json, "designs");
  cli_design_put(&json, &report->design, "");
  if (report->document->ghost) {
    cli_design_put(&json, &report->ghost, report->document->ghost_label);
  }
  cli_json_close(&json);
  put_signals(&json, "signals", &report->asked, &report->runs.items[0]);
  if (report->document->ghost) {
    put_ghost(&json, report);
  }
  if (report->options->has_modes) {
    cli_modes_put(&json, &report->modes, &report->design);
  }
  if (report->document->search) {
    put_search(&json, report->document->search);
  }
  put_checks(&json, &report->design);
  put_model(&json, report);
  cli_page_end(&json);
}

// ---- results of a file ----
static int compare(const MbsResult *result, const CliExpected *expected) {
  enum { DIGITS = 9 };
  for (size_t i = 0; expected && i < expected->count; ++i) {
    for (int k = 0; k < result->objective_count; ++k) {
      double a = expected->values[i], b = result->values[k];
      bool is_same = fabs(a - b) <= pow(10, -DIGITS) * fmax(fabs(a), fabs(b)) + 1e-14 || (isnan(a) && isnan(b));
      if (strcmp(expected->names[i], result->objectives[k]) == 0 && !is_same) {
        return cli_fail(
            MBS_ERROR_INPUT,
            "%s: its model run again gives %s = %.10g, and the file, of mbsens %s, has %.10g; it was run with "
            "other options (give them again), or by a version with other results (this is %s)",
            expected->path, expected->names[i], b, expected->version, a, mbs_version());
      }
    }
  }
  return 0;
}

// ---- all of it ----
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

int cli_document_write(const CliDocument *document, CliOutputFile *output) {
  Report report = {.document = document, .options = document->options};
  int failure = cli_design_open(&report.design, document->options);
  failure = failure || !document->ghost ? failure : cli_design_open(&report.ghost, document->ghost);
  failure = failure ? failure : run_signals(&report);  // first, for what it complains about is in the user's file
  failure = failure ? failure : compare(report.result, document->expected);
  failure = failure ? failure : cli_design_run(&report.design, "run to draw");
  failure = failure || !document->options->has_modes ? failure : cli_modes_find(&report.modes, &report.design);
  failure = failure ? failure : run_ghost(&report);
  if (!failure) {
    put_page(output->file, &report);
    failure = cli_output_finish(output);
  }
  if (!failure && !document->options->is_quiet && !document->options->is_json) {
    print(&report);
  }
  mbs_result_destroy(report.result);
  cli_runs_free(&report.runs);
  cli_words_free(&report.asked.words);
  cli_runs_free(&report.ghost_runs);
  cli_words_free(&report.ghost_asked.words);
  cli_modes_free(&report.modes);
  cli_design_close(&report.ghost);
  cli_design_close(&report.design);
  return failure;
}
