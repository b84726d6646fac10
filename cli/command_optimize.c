// mbsens optimize: the search with what it says on its way, the design that came out, and the model with it.
#include <math.h>
#include <mbsens/build.h>
#include <mbsens/optimize.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "html/document.h"
#include "improved_model.h"
#include "json.h"
#include "memory.h"
#include "multistart.h"
#include "outcome.h"
#include "session.h"
#include "stop.h"
#include "table.h"

enum { NUMBER_ROOM = 32 };

// ---- on the way ----
typedef struct Watch {
  const CliOptions *options;
  bool is_json, is_live;  // lines of JSON; a table on the terminal
  bool is_told;           // something has been
  int start;              // the last one that was
  int exit_status;        // 0, or of a copy that cannot be made
  CliSearch *search;      // for a report; NULL: none is asked for
} Watch;

static bool is_report(const CliOptions *options) {
  return options->output && cli_path_ends_in(options->output, ".html");
}

static void put_iterate(const MbsIterate *iterate) {
  CliJson json = cli_json_begin_line(stdout);
  cli_json_integer(&json, "start", iterate->start);
  cli_json_integer(&json, "iteration", iterate->iteration);
  cli_json_integer(&json, "evaluations", iterate->evaluations);
  cli_json_number(&json, "value", iterate->value);
  cli_json_number(&json, "violation", iterate->violation);
  cli_json_number(&json, "optimality", iterate->optimality);
  if (iterate->failure) {
    cli_json_text(&json, "rejected", iterate->failure);
  }
  cli_json_map(&json, "parameters", iterate->parameter_count, iterate->names, iterate->parameters);
  cli_json_end(&json);
  (void)fflush(stdout);
}

static void show_iterate(const Watch *watch, const MbsIterate *iterate) {
  if (iterate->failure) {
    (void)fprintf(stderr, "           a step is rejected: %s\n", iterate->failure);
    return;
  }
  if (watch->is_told && iterate->start != watch->start) {
    (void)fprintf(stderr, "start %d\n", iterate->start + 1);
  }
  if (!watch->is_told) {
    (void)fprintf(stderr, " iteration  evaluations             value  violation  optimality\n");
  }
  (void)fprintf(stderr, "%10d  %11d  %16.9g  %9.1e  %10.1e\n", iterate->iteration, iterate->evaluations, iterate->value,
                iterate->violation, iterate->optimality);
}

// What cannot be written into a copy of the model is said before the search.
static int check_copy(const CliOptions *options, int count, const char *const *names, const double *values) {
  char *text = NULL;
  bool is_wanted = options->output && !is_report(options);
  int exit_status = is_wanted ? cli_improved_model_text(options, count, names, values, &text) : 0;
  mbs_text_destroy(text);
  return exit_status;
}

static bool watch(void *user, const MbsIterate *iterate) {
  Watch *watch = user;
  if (!watch->is_told) {
    watch->exit_status = check_copy(watch->options, iterate->parameter_count, iterate->names, iterate->parameters);
    if (watch->exit_status) {
      return false;
    }
  }
  if (watch->search) {
    cli_search_add(watch->search, iterate);
  }
  if (watch->is_json) {
    put_iterate(iterate);
  } else if (watch->is_live) {
    show_iterate(watch, iterate);
  }
  watch->is_told = true;
  watch->start = iterate->start;
  return true;
}

// asked before every run, and during long ones
static bool keep_going(void *user, double fraction) {
  (void)user;
  (void)fraction;
  return !cli_stop_is_asked();
}

static int write_copy(CliSession *session, const MbsOptimum *optimum) {
  size_t count = (size_t)optimum->parameter_count;
  const char **names = cli_memory_take(count, sizeof *names);
  double *values = cli_memory_take(count, sizeof *values);
  char *text = NULL;
  for (size_t i = 0; i < count; ++i) {
    names[i] = optimum->parameters[i].name;
    values[i] = optimum->parameters[i].value;
  }
  int exit_status = cli_improved_model_text(session->options, optimum->parameter_count, names, values, &text);
  free(names);
  free(values);
  if (exit_status) {
    return exit_status;
  }
  (void)fputs(text, session->output.file);
  mbs_text_destroy(text);
  return cli_output_finish(&session->output);
}

// The report shows the model with the improved values, and as a ghost as it was.
static int write_report(CliSession *session, CliSearch *search) {
  const MbsOptimum *optimum = search->optimum;
  const CliOptions *options = session->options;
  size_t count = (size_t)options->assignment_count + (size_t)optimum->parameter_count;
  CliOptions improved = *options;
  CliDocument document = {.options = &improved, .ghost = options, .ghost_label = "before", .search = search};
  char(*numbers)[CLI_NUMBER_ROOM] = cli_memory_take((size_t)optimum->parameter_count, sizeof *numbers);
  improved.assignments = cli_memory_take(count, sizeof *improved.assignments);
  for (int i = 0; i < options->assignment_count; ++i) {
    improved.assignments[i] = options->assignments[i];
  }
  for (int i = 0; i < optimum->parameter_count; ++i) {
    cli_number_text(optimum->parameters[i].value, numbers[i]);
    improved.assignments[improved.assignment_count++] =
        (CliAssignment){(char *)(uintptr_t)optimum->parameters[i].name, numbers[i]};
  }
  int exit_status = cli_document_write(&document, &session->output);
  free(improved.assignments);
  free(numbers);
  return exit_status;
}

// ---- what came out ----
static void add_bound(CliTable *table, double bound) {
  if (isfinite(bound)) {
    cli_table_number(table, bound);
  } else {
    cli_table_blank(table);
  }
}

static void print_parameters(const MbsOptimum *optimum) {
  bool has_bounds = false, has_multipliers = false;
  for (int i = 0; i < optimum->parameter_count; ++i) {
    const MbsOptimumParameter *parameter = &optimum->parameters[i];
    has_bounds = has_bounds || isfinite(parameter->lower) || isfinite(parameter->upper);
    has_multipliers = has_multipliers || fabs(parameter->multiplier) > 0;
  }
  CliTable *table = cli_table_create(4 + 2 * has_bounds + has_multipliers);
  cli_table_text(table, "parameter");
  cli_table_text(table, "start");
  cli_table_text(table, "value");
  if (has_bounds) {
    cli_table_text(table, "lower");
    cli_table_text(table, "upper");
  }
  cli_table_text(table, "gradient");
  if (has_multipliers) {
    cli_table_text(table, "multiplier");
  }
  for (int i = 0; i < optimum->parameter_count; ++i) {
    const MbsOptimumParameter *parameter = &optimum->parameters[i];
    cli_table_text(table, parameter->name);
    cli_table_number(table, parameter->start);
    cli_table_number(table, parameter->value);
    if (has_bounds) {
      add_bound(table, parameter->lower);
      add_bound(table, parameter->upper);
    }
    add_bound(table, parameter->gradient);
    if (has_multipliers && fabs(parameter->multiplier) > 0) {
      cli_table_number(table, parameter->multiplier);
    } else if (has_multipliers) {
      cli_table_blank(table);
    }
  }
  cli_table_print(table, stdout);
}

static void print_constraints(const MbsOptimum *optimum) {
  if (optimum->constraint_count == 0) {
    return;
  }
  CliTable *table = cli_table_create(6);
  const char *const columns[] = {"constraint", "", "limit", "start", "value", "multiplier"};
  for (int k = 0; k < 6; ++k) {
    cli_table_text(table, columns[k]);
  }
  for (int j = 0; j < optimum->constraint_count; ++j) {
    const MbsOptimumConstraint *constraint = &optimum->constraints[j];
    cli_table_text(table, constraint->objective);
    cli_table_text(table, constraint->kind);
    cli_table_number(table, constraint->limit);
    cli_table_number(table, constraint->start);
    cli_table_number(table, constraint->value);
    add_bound(table, constraint->is_active ? constraint->multiplier : (double)NAN);
  }
  cli_table_print(table, stdout);
}

static void print_objectives(const MbsOptimum *optimum) {
  CliTable *table = cli_table_create(3);
  cli_table_text(table, "objective");
  cli_table_text(table, "start");
  cli_table_text(table, "value");
  for (int k = 0; k < optimum->objective_count; ++k) {
    cli_table_text(table, optimum->objectives[k].name);
    cli_table_number(table, optimum->objectives[k].start);
    cli_table_number(table, optimum->objectives[k].value);
  }
  cli_table_print(table, stdout);
}

static void print_settings(const MbsOptimum *optimum) {
  (void)fputs("as options:", stdout);
  for (int i = 0; i < optimum->parameter_count; ++i) {
    cli_improved_model_print_option(stdout, optimum->parameters[i].name, optimum->parameters[i].value);
  }
  (void)fputc('\n', stdout);
}

static void print(const CliSession *session, const MbsOptimum *optimum) {
  bool is_quiet = session->options->is_quiet;
  if (!is_quiet) {
    (void)printf("%s: %s, gradients %s, %d evaluations%s\n\n", optimum->model, optimum->algorithm, optimum->method,
                 optimum->evaluations, optimum->success ? "" : ", NO OPTIMUM");
  }
  print_parameters(optimum);
  print_objectives(optimum);
  print_constraints(optimum);
  if (is_quiet) {
    return;
  }
  (void)printf("%s\n", optimum->message);
  (void)printf("%s: %.10g, at the start %.10g; first-order optimality %.1e; %d iterations%s\n",
               optimum->is_maximized ? "maximum" : "minimum", optimum->value, optimum->start_value, optimum->optimality,
               optimum->iterations, optimum->starts > 1 ? ", of several starts" : "");
  if (!optimum->success && optimum->violation > 0) {
    (void)printf("constraints are off by up to %.1e of their scales\n", optimum->violation);
  }
  if (optimum->failures > 0) {
    (void)printf("%d of the evaluations failed: designs that cannot be simulated\n", optimum->failures);
  }
  for (int i = 0; i < optimum->warning_count; ++i) {
    (void)printf("warning: %s\n", optimum->warnings[i]);
  }
  print_settings(optimum);
  if (session->output.partial && !is_report(session->options)) {
    (void)printf("model with these values: %s\n", session->output.path);
  }
}

static void put_constraints(CliJson *json, const MbsOptimum *optimum) {
  cli_json_open_array(json, "constraints");
  for (int j = 0; j < optimum->constraint_count; ++j) {
    const MbsOptimumConstraint *constraint = &optimum->constraints[j];
    cli_json_open_object(json, NULL);
    cli_json_text(json, "objective", constraint->objective);
    cli_json_number(json, constraint->kind, constraint->limit);
    cli_json_number(json, "start", constraint->start);
    cli_json_number(json, "value", constraint->value);
    cli_json_number(json, "violation", constraint->violation);
    cli_json_boolean(json, "active", constraint->is_active);
    cli_json_number(json, "multiplier", constraint->multiplier);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void put_objectives(CliJson *json, const MbsOptimum *optimum) {
  cli_json_open_object(json, "objectives");
  for (int k = 0; k < optimum->objective_count; ++k) {
    const MbsOptimumObjective *objective = &optimum->objectives[k];
    cli_json_open_object(json, objective->name);
    cli_json_number(json, "start", objective->start);
    cli_json_number(json, "value", objective->value);
    cli_json_open_object(json, "gradient");
    for (int i = 0; objective->gradient && i < optimum->parameter_count; ++i) {
      cli_json_number(json, optimum->parameters[i].name, objective->gradient[i]);
    }
    cli_json_close(json);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void put_multipliers(CliJson *json, const MbsOptimum *optimum) {
  cli_json_open_object(json, "bound_multipliers");
  for (int i = 0; i < optimum->parameter_count; ++i) {
    if (fabs(optimum->parameters[i].multiplier) > 0) {
      cli_json_number(json, optimum->parameters[i].name, optimum->parameters[i].multiplier);
    }
  }
  cli_json_close(json);
}

static void put(const MbsOptimum *optimum) {
  CliJson json = cli_json_begin_line(stdout);
  cli_json_text(&json, "model", optimum->model);
  cli_json_boolean(&json, "success", optimum->success);
  cli_json_text(&json, "message", optimum->message);
  cli_json_open_object(&json, "parameters");
  for (int i = 0; i < optimum->parameter_count; ++i) {
    cli_json_number(&json, optimum->parameters[i].name, optimum->parameters[i].value);
  }
  cli_json_close(&json);
  cli_json_number(&json, "value", optimum->value);
  cli_json_open_object(&json, "gradient");
  for (int i = 0; i < optimum->parameter_count; ++i) {
    cli_json_number(&json, optimum->parameters[i].name, optimum->parameters[i].gradient);
  }
  cli_json_close(&json);
  cli_json_integer(&json, "iterations", optimum->iterations);
  cli_json_integer(&json, "evaluations", optimum->evaluations);
  cli_json_integer(&json, "failures", optimum->failures);
  cli_json_integer(&json, "starts", optimum->starts);
  cli_json_text(&json, "algorithm", optimum->algorithm);
  cli_json_text(&json, "method", optimum->method);
  cli_json_boolean(&json, "maximized", optimum->is_maximized);
  cli_json_number(&json, "start_value", optimum->start_value);
  cli_json_number(&json, "violation", optimum->violation);
  cli_json_number(&json, "optimality", optimum->optimality);
  put_multipliers(&json, optimum);
  put_constraints(&json, optimum);
  put_objectives(&json, optimum);
  cli_json_texts(&json, "warnings", optimum->warning_count, optimum->warnings);
  cli_json_end(&json);
}

// ---- what is asked ----
static int threads_of(const CliOptions *options) { return options->threads > 1 ? (int)options->threads : 1; }

static bool is_many(const CliOptions *options, const CliRanks *ranks) {
  return options->threads > 1 || ranks->count > 1;
}

static MbsStatus set_whole(CliSession *session, const char *key, long number) {
  char text[NUMBER_ROOM];
  (void)snprintf(text, sizeof text, "%ld", number);
  return number > 0 ? mbs_model_set_optimization(session->context, session->model, key, text) : MBS_OK;
}

static MbsStatus set_text(CliSession *session, const char *key, const char *text) {
  return text ? mbs_model_set_optimization(session->context, session->model, key, text) : MBS_OK;
}

static bool is_parameter(CliSession *session, const char *name) {
  MbsContents *contents;
  if (mbs_contents_create(session->context, session->model, &contents) != MBS_OK) {
    return true;  // what is wrong will be told
  }
  bool is_there = false;
  for (int i = 0; i < contents->parameter_count; ++i) {
    is_there = is_there || strcmp(contents->parameters[i], name) == 0;
  }
  mbs_contents_destroy(contents);
  return is_there;
}

// NAME=LOWER:UPPER
static MbsStatus set_bound(CliSession *session, const CliAssignment *bound) {
  const char *colon = strchr(bound->value, ':');
  if (!colon) {
    (void)cli_fail(MBS_ERROR_INPUT, "--bound: must be NAME=LOWER:UPPER, one of which may be left out, got \"%s=%s\"",
                   bound->name, bound->value);
    return MBS_ERROR_INPUT;
  }
  if (!is_parameter(session, bound->name)) {
    (void)cli_fail(MBS_ERROR_INPUT, "--bound: no parameter \"%s\" in %s", bound->name, session->options->operand);
    return MBS_ERROR_INPUT;
  }
  char *lower = cli_memory_copy_text(bound->value, (size_t)(colon - bound->value));
  MbsStatus status = mbs_model_set_range(session->context, session->model, bound->name, lower[0] ? lower : NULL,
                                         colon[1] ? colon + 1 : NULL, NULL);
  free(lower);
  if (status != MBS_OK) {
    (void)cli_fail_library(session->context, status);
  }
  return status;
}

static int apply(CliSession *session, MbsOptimizeOptions *asked) {
  const CliOptions *options = session->options;
  const char *output = options->output;
  if (output && !cli_path_ends_in(output, ".yaml") && !cli_path_ends_in(output, ".yml") &&
      !cli_path_ends_in(output, ".json") && !is_report(options)) {
    return cli_fail(MBS_ERROR_INPUT,
                    "-o: \"%s\" is to be a copy of the model: the name must end in .yaml, .yml or .json; or .html: a "
                    "report",
                    output);
  }
  if (options->is_maximized && !cli_options_given(options, "objectives")) {
    return cli_fail(MBS_ERROR_INPUT, "--maximize: is for what --objective names; the model says it itself");
  }
  for (int i = 0; i < options->bound_count; ++i) {
    MbsStatus bad = set_bound(session, &options->bounds[i]);
    if (bad != MBS_OK) {
      return cli_exit_status(bad);
    }
  }
  MbsStatus status = set_text(session, "algorithm", options->algorithm);
  status = status == MBS_OK ? set_text(session, "target", options->target) : status;
  status = status == MBS_OK ? set_text(session, "tolerance", options->search_tolerance) : status;
  status = status == MBS_OK ? set_whole(session, "evaluations", options->evaluations) : status;
  status = status == MBS_OK ? set_whole(session, "starts", options->starts) : status;
  status = status == MBS_OK ? set_whole(session, "seed", options->seed) : status;
  asked->is_maximized = options->is_maximized;
  asked->is_method_fixed = options->method && strcmp(options->method, "auto") != 0;
  if (status == MBS_OK && asked->is_method_fixed) {
    status = mbs_request_set(session->context, session->request, "method", options->method);
  }
  return status == MBS_OK ? 0 : cli_fail_library(session->context, status);
}

// ---- the work ----
typedef struct Work {
  CliSession session;
  MbsOptimizeOptions asked;
  CliRanks ranks;
  CliMultistart many;  // where several starts are searched from at a time
  CliSearch steps;     // for a report
  MbsOptimum *optimum;
} Work;

static int finish_search(Work *work, MbsStatus status) {
  const Watch *told = work->asked.user;
  return told->exit_status ? told->exit_status : status == MBS_OK ? 0 : cli_fail_library(work->session.context, status);
}

// From all starts at a time; what came of them is told behind. Stopped: of those that are done.
static int search_many(Work *work) {
  CliSession *session = &work->session;
  CliMultistart *many = &work->many;
  const CliOptions *options = session->options;
  const MbsDesignProblem *problem = &many->starts.problem;
  const MbsKnownStarts known = {.find = cli_multistart_find, .user = many};
  int exit_status = check_copy(options, problem->n, problem->names, many->starts.x);
  exit_status = exit_status ? exit_status : cli_multistart_run(many, &work->ranks, threads_of(options), options->state);
  if (exit_status) {
    return exit_status;
  }
  return finish_search(work, mbs_optimize_known(session->context, session->model, session->request, &work->asked,
                                                &known, &work->optimum));
}

static int search_alone(Work *work) {
  CliSession *session = &work->session;
  work->asked.state = session->options->state;
  mbs_context_on_progress(session->context, keep_going, NULL);
  MbsStatus status = mbs_optimize(session->context, session->model, session->request, &work->asked, &work->optimum);
  cli_stop_expect_no_reports();
  mbs_context_on_progress(session->context, NULL, NULL);
  return finish_search(work, status);
}

static int search(Work *work) {
  CliSession *session = &work->session;
  const CliOptions *options = session->options;
  Watch told = {.options = options,
                .search = is_report(options) ? &work->steps : NULL,
                .is_json = options->is_json,
                .is_live = !options->is_json && !options->is_quiet && isatty(STDERR_FILENO)};
  work->asked.on_iterate = watch;
  work->asked.user = &told;
  int exit_status = options->output ? cli_output_open(&session->output, options->output) : 0;
  return exit_status ? exit_status : is_many(options, &work->ranks) ? search_many(work) : search_alone(work);
}

static int report(Work *work) {
  CliSession *session = &work->session;
  CliSearch *steps = &work->steps;
  const MbsOptimum *optimum = work->optimum;
  bool has_report = is_report(session->options);
  int exit_status = session->output.partial && !has_report ? write_copy(session, optimum) : 0;
  if (exit_status) {
    return exit_status;
  }
  if (session->options->is_json) {
    put(optimum);
  } else {
    print(session, optimum);
  }
  if (has_report) {  // last, so that what was found is not lost with a report that cannot be made
    steps->optimum = optimum;
    exit_status = optimum->is_interrupted ? 0 : write_report(session, steps);
  }
  exit_status = exit_status || (has_report && optimum->is_interrupted) ? exit_status : cli_session_commit(session);
  return exit_status               ? exit_status
         : optimum->is_interrupted ? cli_exit_status(MBS_ERROR_INTERRUPTED)
         : optimum->success        ? 0
                                   : cli_exit_status(MBS_ERROR_NUMERICAL);
}

static int optimize_as_first(Work *work) {
  int exit_status = search(work);
  exit_status = exit_status ? exit_status : report(work);
  if (work->ranks.working > 0) {  // others, who do not know that all is over
    (void)cli_finish_output(exit_status);
    cli_ranks_abort(&work->ranks, exit_status);
  }
  return exit_status;
}

int cli_run_optimize(const CliOptions *options) {
  Work work = {.many.journal.file = -1};
  int exit_status = cli_ranks_begin(&work.ranks);
  if (!exit_status) {
    exit_status = cli_session_open(&work.session, options);
    exit_status = exit_status ? exit_status : apply(&work.session, &work.asked);
    if (!exit_status && is_many(options, &work.ranks)) {
      exit_status = cli_multistart_open(&work.many, &work.session, &work.asked);
    }
    exit_status = cli_ranks_agree(&work.ranks, exit_status, work.many.job.signature);
  }
  if (!exit_status && work.ranks.rank == 0) {
    exit_status = optimize_as_first(&work);
  } else if (!exit_status) {
    exit_status = cli_ranks_work(&work.ranks, &work.many.job, threads_of(options));
  }
  if (work.session.context) {
    cli_search_free(&work.steps);
    mbs_optimum_destroy(work.optimum);
    cli_multistart_close(&work.many);
    cli_session_close(&work.session);
  }
  cli_ranks_end(&work.ranks);
  return exit_status;
}
