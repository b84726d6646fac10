// mbsens verify: every formulation and method against the complex step and the model run anew; values in both
// coordinates against each other.
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "outcome.h"
#include "session.h"
#include "table.h"

static bool is_same_run(const MbsVerifyRow *a, const MbsVerifyRow *b) {
  return strcmp(a->formulation, b->formulation) == 0 && strcmp(a->coordinates, b->coordinates) == 0 &&
         strcmp(a->method, b->method) == 0;
}

static void put_entry(CliTable *table, const MbsVerifyRow *row) {
  char text[120];
  bool is_value = row->parameter[0] == '\0';  // of a third party
  (void)snprintf(text, sizeof text, is_value ? "%s" : "d %s / d %s", row->objective, row->parameter);
  cli_table_text(table, text);
}

// What a row is compared with.
typedef enum Rival { COMPLEX_STEP, RUN_ANEW, THIRD_PARTY } Rival;

static Rival rival_of(const MbsVerifyRow *row) {
  return strcmp(row->method, "run-anew") == 0                                             ? RUN_ANEW
         : strncmp(row->method, "cvodes", 6) == 0 || strncmp(row->method, "idas", 4) == 0 ? THIRD_PARTY
                                                                                          : COMPLEX_STEP;
}

// Was the uncertainty of a derivative needed? Or (of_any) is there one of any row?
static bool has_uncertainty(const MbsVerification *verification, bool of_any) {
  bool has = false;
  for (int i = 0; i < verification->row_count; ++i) {
    const MbsVerifyRow *row = &verification->rows[i];
    has = has || (row->uncertainty > 0 && (of_any || rival_of(row) == COMPLEX_STEP));
  }
  return has;
}

static void put_uncertainty(CliTable *table, const MbsVerifyRow *row) {
  if (row->uncertainty > 0) {
    cli_table_error(table, row->uncertainty);
  } else {
    cli_table_text(table, "-");
  }
}

// One row per formulation, coordinates and method: its worst entry.
static void print_runs(const MbsVerification *verification) {
  static const char *const header[] = {"formulation", "coordinates", "method",      "entries",
                                       "worst error", "at",          "uncertainty", "result"};
  bool is_measured = has_uncertainty(verification, true);
  CliTable *table = cli_table_create(is_measured ? 8 : 7);
  for (int j = 0; j < 8; ++j) {
    if (j != 6 || is_measured) {
      cli_table_text(table, header[j]);
    }
  }
  const MbsVerifyRow *rows = verification->rows;
  int end;
  for (int first = 0; first < verification->row_count; first = end) {
    const MbsVerifyRow *worst = &rows[first];
    bool pass = true;
    for (end = first; end < verification->row_count && is_same_run(&rows[first], &rows[end]); ++end) {
      pass = pass && rows[end].pass;
      // a NaN is the worst of all
      worst = rows[end].relative_error <= worst->relative_error ? worst : &rows[end];
    }
    cli_table_text(table, rows[first].formulation);
    cli_table_text(table, rows[first].coordinates);
    cli_table_text(table, rows[first].method);
    cli_table_integer(table, end - first);
    cli_table_error(table, worst->relative_error);
    put_entry(table, worst);
    if (is_measured) {
      put_uncertainty(table, worst);
    }
    cli_table_text(table, pass ? "pass" : "FAIL");
  }
  cli_table_print(table, stdout);
}

static int count_rows(const MbsVerification *verification, Rival rival, bool are_failed) {
  int count = 0;
  for (int i = 0; i < verification->row_count; ++i) {
    const MbsVerifyRow *row = &verification->rows[i];
    count += rival_of(row) == rival && !(are_failed && row->pass);
  }
  return count;
}

static int count_failures(const MbsVerification *verification) {
  return count_rows(verification, COMPLEX_STEP, true) + count_rows(verification, RUN_ANEW, true) +
         count_rows(verification, THIRD_PARTY, true);
}

static int count_different_values(const MbsVerification *verification) {
  int count = 0;
  for (int i = 0; i < verification->value_count; ++i) {
    count += !verification->values[i].pass;
  }
  return count;
}

// The objectives in both coordinates.
static void print_values(const MbsVerification *verification) {
  static const char *const header[] = {"objective",  "formulation", "natural", "relative",
                                       "difference", "may be",      "result"};
  if (verification->value_count == 0) {
    return;
  }
  CliTable *table = cli_table_create(7);
  for (int j = 0; j < 7; ++j) {
    cli_table_text(table, header[j]);
  }
  bool is_extrapolated = false;
  for (int i = 0; i < verification->value_count; ++i) {
    const MbsVerifyValue *value = &verification->values[i];
    cli_table_text(table, value->objective);
    cli_table_text(table, value->formulation);
    cli_table_number(table, value->natural);
    cli_table_number(table, value->relative);
    cli_table_error(table, value->relative_error);
    cli_table_error(table, value->tolerance);
    cli_table_text(table, value->pass ? "pass" : "DIFFERS");
    is_extrapolated = is_extrapolated || value->is_extrapolated;
  }
  cli_table_print(table, stdout);
  if (is_extrapolated) {
    (void)printf("values extrapolated from the steps h and h/2, which may differ by what halving the step changes\n\n");
  }
}

static void print_failures(const MbsVerification *verification) {
  if (count_failures(verification) == 0) {
    return;
  }
  CliTable *table = cli_table_create(7);
  static const char *const header[] = {"failed", "method", "entry", "value", "reference", "error", "uncertainty"};
  for (int j = 0; j < 7; ++j) {
    cli_table_text(table, header[j]);
  }
  for (int i = 0; i < verification->row_count; ++i) {
    const MbsVerifyRow *row = &verification->rows[i];
    if (!row->pass) {
      char run[2 * MBS_NAME_LENGTH + 2];
      (void)snprintf(run, sizeof run, "%s, %s", row->formulation, row->coordinates);
      cli_table_text(table, run);
      cli_table_text(table, row->method);
      put_entry(table, row);
      cli_table_number(table, row->value);
      cli_table_number(table, row->reference);
      cli_table_error(table, row->relative_error);
      put_uncertainty(table, row);
    }
  }
  cli_table_print(table, stdout);
}

// Which element is to blame: those whose own derivatives are off.
static void print_suspects(const MbsVerification *verification) {
  if (verification->pass || (verification->suspect_count == 0 && count_rows(verification, COMPLEX_STEP, true) == 0)) {
    return;
  }
  if (verification->suspect_count == 0) {
    (void)printf(
        "no suspect: every mass, constraint, force and objective by itself agrees with the complex step; look at the\n"
        "formulation, the integrator and the start, or for a motion that magnifies rounding until no digit is left\n"
        "(a large uncertainty; a shorter --end tells)\n\n");
    return;
  }
  CliTable *table = cli_table_create(5);
  static const char *const header[] = {"suspect", "coordinates", "derivative by", "shows in", "error"};
  for (int j = 0; j < 5; ++j) {
    cli_table_text(table, header[j]);
  }
  for (int i = 0; i < verification->suspect_count; ++i) {
    const MbsSuspect *suspect = &verification->suspects[i];
    cli_table_text(table, suspect->element);
    cli_table_text(table, suspect->coordinates);
    cli_table_text(table, suspect->derivative);
    cli_table_text(table, suspect->products);
    cli_table_error(table, suspect->relative_error);
  }
  cli_table_print(table, stdout);
  int left = verification->suspects_in_all - verification->suspect_count;
  if (left > 0) {
    (void)printf("and %d suspects more\n", left);
  }
}

static void put_values(CliJson *json, const MbsVerification *verification) {
  cli_json_open_array(json, "values");
  for (int i = 0; i < verification->value_count; ++i) {
    const MbsVerifyValue *value = &verification->values[i];
    cli_json_open_object(json, NULL);
    cli_json_text(json, "objective", value->objective);
    cli_json_text(json, "formulation", value->formulation);
    cli_json_number(json, "natural", value->natural);
    cli_json_number(json, "relative", value->relative);
    cli_json_boolean(json, "extrapolated", value->is_extrapolated);
    cli_json_number(json, "relative_error", value->relative_error);
    cli_json_number(json, "tolerance", value->tolerance);
    cli_json_boolean(json, "pass", value->pass);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void put_suspects(CliJson *json, const MbsVerification *verification) {
  cli_json_open_array(json, "suspects");
  for (int i = 0; i < verification->suspect_count; ++i) {
    const MbsSuspect *suspect = &verification->suspects[i];
    cli_json_open_object(json, NULL);
    cli_json_text(json, "element", suspect->element);
    cli_json_text(json, "coordinates", suspect->coordinates);
    cli_json_text(json, "derivative", suspect->derivative);
    cli_json_text(json, "products", suspect->products);
    cli_json_number(json, "relative_error", suspect->relative_error);
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_integer(json, "suspects_in_all", verification->suspects_in_all);
}

static void print_json(const MbsVerification *verification) {
  CliJson json = cli_json_begin(stdout);
  cli_json_open_array(&json, "rows");
  for (int i = 0; i < verification->row_count; ++i) {
    const MbsVerifyRow *row = &verification->rows[i];
    cli_json_open_object(&json, NULL);
    cli_json_text(&json, "formulation", row->formulation);
    cli_json_text(&json, "coordinates", row->coordinates);
    cli_json_text(&json, "method", row->method);
    cli_json_text(&json, "objective", row->objective);
    cli_json_text(&json, "parameter", row->parameter);
    cli_json_number(&json, "value", row->value);
    cli_json_number(&json, "reference", row->reference);
    cli_json_number(&json, "relative_error", row->relative_error);
    if (row->uncertainty > 0) {
      cli_json_number(&json, "uncertainty", row->uncertainty);
    }
    cli_json_boolean(&json, "pass", row->pass);
    cli_json_close(&json);
  }
  cli_json_close(&json);
  cli_json_number(&json, "max_relative_error", verification->max_relative_error);
  cli_json_number(&json, "limit", verification->limit);
  if (verification->left_out) {
    cli_json_text(&json, "left_out", verification->left_out);
  }
  put_values(&json, verification);
  put_suspects(&json, verification);
  cli_json_texts(&json, "warnings", verification->warning_count, verification->warnings);
  cli_json_boolean(&json, "pass", verification->pass);
  cli_json_end(&json);
}

static int judge(const MbsVerification *verification) {
  int failed = count_rows(verification, COMPLEX_STEP, true), failed_anew = count_rows(verification, RUN_ANEW, true);
  int unconfirmed = count_rows(verification, THIRD_PARTY, true);
  char suspicion[256] = "";
  if (verification->pass) {
    return 0;
  }
  if (verification->suspect_count > 0) {
    const MbsSuspect *worst = &verification->suspects[0];
    (void)snprintf(suspicion, sizeof suspicion, "; suspect: %s, its derivative by %s", worst->element,
                   worst->derivative);
  }
  if (verification->warning_count > 0 && failed + unconfirmed == 0 && verification->suspect_count == 0) {
    return cli_fail(MBS_ERROR_NUMERICAL, "%s", verification->warnings[0]);
  }
  if (failed > 0) {
    return cli_fail(MBS_ERROR_NUMERICAL, "%d of %d derivatives differ from the complex step by more than %g%s", failed,
                    count_rows(verification, COMPLEX_STEP, false), verification->limit, suspicion);
  }
  if (verification->suspect_count > 0) {
    return cli_fail(MBS_ERROR_NUMERICAL,
                    "the run's derivatives agree with the complex step, but an element's by itself do not%s",
                    suspicion);
  }
  if (failed_anew > 0) {
    return cli_fail(
        MBS_ERROR_NUMERICAL,
        "%d of %d derivatives are not what the model run anew with other numbers shows, or that cannot tell",
        failed_anew, count_rows(verification, RUN_ANEW, false));
  }
  if (unconfirmed > 0) {
    return cli_fail(MBS_ERROR_NUMERICAL,
                    "%d of %d values and derivatives are not those of CVODES and IDAS, or these cannot tell: try a "
                    "smaller --step, or another --sundials-tolerance",
                    unconfirmed, count_rows(verification, THIRD_PARTY, false));
  }
  int different = count_different_values(verification);
  return cli_fail(MBS_ERROR_NUMERICAL, "%d of %d values differ between natural and relative coordinates", different,
                  verification->value_count);
}

static int report(const MbsVerification *verification, const CliOptions *options) {
  if (verification->row_count == 0) {
    return cli_fail(MBS_ERROR_INPUT, "%s: nothing to verify, the model needs an objective and a parameter",
                    options->operand);
  }
  if (options->is_json) {
    print_json(verification);
    return judge(verification);
  }
  print_runs(verification);
  print_failures(verification);
  print_values(verification);
  print_suspects(verification);
  for (int i = 0; i < verification->warning_count; ++i) {
    (void)printf("warning: %s\n", verification->warnings[i]);
  }
  if (verification->left_out && !options->is_quiet) {
    (void)printf("left out: %s\n", verification->left_out);
  }
  if (!options->is_quiet) {
    (void)printf("%s: %d derivatives, largest relative error %.1e, limit %.1e%s\n",
                 verification->pass ? "pass" : "FAIL", verification->row_count, verification->max_relative_error,
                 verification->limit, has_uncertainty(verification, false) ? ", or ten times the uncertainty" : "");
  }
  return judge(verification);
}

int cli_run_verify(const CliOptions *options) {
  CliSession session;
  MbsVerification *verification = NULL;
  int exit_status = cli_session_open(&session, options);
  if (!exit_status) {
    cli_progress_begin(&session.progress, session.context, "verification", options->is_quiet);
    MbsStatus status = mbs_verify(session.context, session.model, session.request, &verification);
    cli_progress_end(&session.progress, session.context);
    exit_status = status == MBS_OK ? report(verification, options) : cli_session_fail(&session, status);
  }
  mbs_verification_destroy(verification);
  cli_session_close(&session);
  return exit_status;
}
