// mbsens linearize: the motion near a state, in first order.
#include <math.h>
#include <mbsens/linearize.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "matrices.h"
#include "memory.h"
#include "model/model.h"
#include "outcome.h"
#include "session.h"
#include "table.h"

static const double two_pi = 6.283185307179586;

// What is asked for, beside the request.
typedef struct Asked {
  MbsLinearizeDef def;
  char *names;  // of inputs, one after another
  const char **inputs;
  int frequency_count;
  double *frequencies;  // rad/s
} Asked;

// ---- options ----
// The equilibrium is a start: the one of a model that says so.
static bool starts_in_equilibrium(const MbsModel *model) {
  const MbsRecord *initial = mbs_record_child(&model->root, MBS_MODEL_INITIAL);
  return initial && strcmp(mbs_record_text(initial, MBS_INITIAL_EQUILIBRIUM).text, "yes") == 0;
}

static int read_time(const char *text, const MbsModel *model, double *time) {
  char *end = NULL;
  if (text && strcmp(text, "equilibrium") == 0) {
    *time = 0;
    return starts_in_equilibrium(model)
               ? 0
               : cli_fail(MBS_ERROR_INPUT,
                          "--at equilibrium: the model must start there; say initial: {equilibrium: "
                          "yes} in %s",
                          model->file);
  }
  if (!text || strcmp(text, "start") == 0) {
    *time = 0;
    return 0;
  }
  *time = strtod(text, &end);
  bool is_number = end != text && *end == '\0' && isfinite(*time) && *time >= 0;
  return is_number
             ? 0
             : cli_fail(MBS_ERROR_INPUT, "--at: must be start, equilibrium, or a time of a run in s, got \"%s\"", text);
}

static int read_inputs(const char *text, Asked *asked) {
  int count = 1;
  if (!text) {
    return 0;
  }
  asked->names = cli_memory_copy_text(text, strlen(text));
  for (const char *c = text; *c; ++c) {
    count += *c == ',';
  }
  asked->inputs = cli_memory_take((size_t)count, sizeof *asked->inputs);
  char *name = asked->names;
  for (int i = 0; i < count; ++i) {
    name += strspn(name, " ");
    size_t length = strcspn(name, ",");
    char *next = name + length + 1;
    name[length] = '\0';
    while (length > 0 && name[length - 1] == ' ') {
      name[--length] = '\0';
    }
    if (length == 0) {
      return cli_fail(MBS_ERROR_INPUT, "--inputs: name %d of \"%s\" is empty", i + 1, text);
    }
    asked->inputs[i] = name;
    name = next;
  }
  asked->def.inputs = asked->inputs;
  asked->def.input_count = count;
  return 0;
}

// FROM:TO:COUNT in Hz, evenly on a logarithmic scale
static int read_frequencies(const char *text, Asked *asked) {
  enum { MOST = 1000000 };
  double from = 0, to = 0, count = 0;
  char after = '\0';
  if (!text) {
    return 0;
  }
  bool is_read = sscanf(text, "%lf:%lf:%lf%c", &from, &to, &count, &after) == 3;
  if (!is_read || !(from > 0 && to >= from && isfinite(to) && count >= 1 && count <= MOST) ||
      count < floor(count) + 0 || count > floor(count)) {
    return cli_fail(MBS_ERROR_INPUT,
                    "--frequencies: must be FROM:TO:COUNT, Hz, above 0 and ascending, such as 0.1:100:200, got \"%s\"",
                    text);
  }
  asked->frequency_count = (int)count;
  asked->frequencies = cli_memory_take((size_t)count, sizeof *asked->frequencies);
  for (int i = 0; i < asked->frequency_count; ++i) {
    double part = asked->frequency_count > 1 ? (double)i / (asked->frequency_count - 1) : 0;
    asked->frequencies[i] = two_pi * from * pow(to / from, part);
  }
  return 0;
}

static int read_asked(const CliOptions *options, const MbsModel *model, Asked *asked) {
  *asked = (Asked){.def = mbs_default_linearize_def()};
  int failure = read_time(options->at, model, &asked->def.time);
  failure = failure ? failure : read_inputs(options->inputs, asked);
  return failure ? failure : read_frequencies(options->frequencies, asked);
}

// ---- words ----
static const char *largest_body(const MbsLinearization *linear, const MbsEigenmode *mode, double *share) {
  int largest = 0;
  for (int i = 1; i < linear->body_count; ++i) {
    largest = mode->participation[i] > mode->participation[largest] ? i : largest;
  }
  *share = linear->body_count > 0 ? mode->participation[largest] : 0;
  return *share > 0 ? linear->bodies[largest] : "";
}

static void print_states(const MbsLinearization *linear) {
  CliTable *table = cli_table_create(2);
  cli_table_text(table, "state");
  cli_table_text(table, "value");
  for (int i = 0; i < linear->size; ++i) {
    cli_table_text(table, linear->states[i]);
    cli_table_number(table, linear->x[i]);
  }
  cli_table_print(table, stdout);
}

static void print_modes(const MbsLinearization *linear) {
  CliTable *table = cli_table_create(7);
  const char *const header[] = {"", "real", "imaginary", "frequency [Hz]", "damping ratio", "mostly", "share"};
  for (int i = 0; i < 7; ++i) {
    cli_table_text(table, header[i]);
  }
  for (int k = 0; k < linear->mode_count; ++k) {
    const MbsEigenmode *mode = &linear->mode[k];
    double share;
    const char *body = largest_body(linear, mode, &share);
    if (mode->imag < 0) {  // its pair stands before it
      continue;
    }
    cli_table_integer(table, k + 1);
    cli_table_number(table, mode->real);
    cli_table_number(table, mode->imag);
    cli_table_number(table, mode->frequency);
    cli_table_number(table, mode->damping);
    cli_table_text(table, body);
    cli_table_error(table, share);
  }
  cli_table_print(table, stdout);
}

static void print_gradients(const MbsLinearization *linear) {
  for (int k = 0; k < linear->mode_count && linear->parameter_count > 0; ++k) {
    const MbsEigenmode *mode = &linear->mode[k];
    char title[80];
    if (mode->imag < 0 || !mode->gradient) {
      continue;
    }
    (void)snprintf(title, sizeof title, "mode %d: d/dp", k + 1);
    CliTable *table = cli_table_create(3);
    cli_table_text(table, title);
    cli_table_text(table, "of real");
    cli_table_text(table, "of imaginary");
    for (int p = 0; p < linear->parameter_count; ++p) {
      cli_table_text(table, linear->parameters[p]);
      cli_table_number(table, mode->gradient[2 * p]);
      cli_table_number(table, mode->gradient[2 * p + 1]);
    }
    cli_table_print(table, stdout);
  }
}

static void print_words(const MbsLinearization *linear, const CliOptions *options) {
  if (!options->is_quiet) {
    (void)printf("%s: linearised at t = %.10g s, %d coordinate%s, %d independent rate%s", linear->model, linear->time,
                 linear->position_count, linear->position_count == 1 ? "" : "s", linear->velocity_count,
                 linear->velocity_count == 1 ? "" : "s");
    if (linear->state_count > 0) {
      (void)printf(", %d state%s of first order", linear->state_count, linear->state_count == 1 ? "" : "s");
    }
    (void)printf("; %d input%s, %d output%s\n\n", linear->input_count, linear->input_count == 1 ? "" : "s",
                 linear->output_count, linear->output_count == 1 ? "" : "s");
    print_states(linear);
  }
  print_modes(linear);
  print_gradients(linear);
  for (int i = 0; i < linear->warning_count && !options->is_quiet; ++i) {
    (void)printf("warning: %s\n", linear->warnings[i]);
  }
}

// ---- JSON ----
static void put_matrix(CliJson *json, const char *key, int rows, int columns, const double *values) {
  cli_json_open_array(json, key);
  for (int i = 0; i < rows; ++i) {
    cli_json_open_array(json, NULL);
    for (int k = 0; k < columns; ++k) {
      cli_json_number(json, NULL, values[i * columns + k]);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void put_complex(CliJson *json, const char *key, const double *value) {
  cli_json_open_object(json, key);
  cli_json_number(json, "real", value[0]);
  cli_json_number(json, "imag", value[1]);
  cli_json_close(json);
}

static void put_mode(CliJson *json, const MbsLinearization *linear, const MbsEigenmode *mode) {
  cli_json_open_object(json, NULL);
  cli_json_number(json, "real", mode->real);
  cli_json_number(json, "imag", mode->imag);
  cli_json_number(json, "frequency", mode->frequency);
  cli_json_number(json, "damping", mode->damping);
  cli_json_integer(json, "repeated", mode->repeated);
  cli_json_boolean(json, "is_defective", mode->is_defective);
  if (mode->gradient) {
    cli_json_open_object(json, "gradient");
    for (int p = 0; p < linear->parameter_count; ++p) {
      put_complex(json, linear->parameters[p], mode->gradient + 2 * p);
    }
    cli_json_close(json);
  }
  cli_json_open_object(json, "shape");
  for (int i = 0; i < linear->size; ++i) {
    put_complex(json, linear->states[i], mode->shape + 2 * i);
  }
  cli_json_close(json);
  cli_json_map(json, "participation", linear->body_count, linear->bodies, mode->participation);
  cli_json_open_object(json, "motion");
  for (int i = 0; i < linear->point_count; ++i) {
    cli_json_open_array(json, linear->points[i]);
    for (int k = 0; k < linear->dimension; ++k) {
      put_complex(json, NULL, mode->motion + 2 * (i * linear->dimension + k));
    }
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_close(json);
}

static void put_responses(CliJson *json, const MbsLinearization *linear, const Asked *asked, const double *responses) {
  int numbers = linear->output_count * linear->input_count;
  cli_json_open_array(json, "responses");
  for (int i = 0; i < asked->frequency_count; ++i) {
    cli_json_open_object(json, NULL);
    cli_json_number(json, "frequency", asked->frequencies[i] / two_pi);
    for (int k = 0; k < linear->output_count; ++k) {
      cli_json_open_object(json, linear->outputs[k]);
      for (int u = 0; u < linear->input_count; ++u) {
        put_complex(json, linear->inputs[u], responses + 2 * (i * numbers + k * linear->input_count + u));
      }
      cli_json_close(json);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void print_json(const MbsLinearization *linear, const CliSession *session, const Asked *asked,
                       const double *responses) {
  CliJson json = cli_json_begin(stdout);
  cli_json_text(&json, "model", linear->model);
  cli_json_text(&json, "coordinates", session->request->settings.coordinates);
  cli_json_number(&json, "time", linear->time);
  cli_json_map(&json, "parameters", linear->parameter_count, linear->parameters, linear->parameter_values);
  cli_json_texts(&json, "states", linear->size, linear->states);
  cli_json_texts(&json, "inputs", linear->input_count, linear->inputs);
  cli_json_texts(&json, "outputs", linear->output_count, linear->outputs);
  put_matrix(&json, "A", linear->size, linear->size, linear->A);
  put_matrix(&json, "B", linear->size, linear->input_count, linear->B);
  put_matrix(&json, "C", linear->output_count, linear->size, linear->C);
  put_matrix(&json, "D", linear->output_count, linear->input_count, linear->D);
  cli_json_map(&json, "state", linear->size, linear->states, linear->x);
  cli_json_open_array(&json, "eigenvalues");
  for (int k = 0; k < linear->mode_count; ++k) {
    put_mode(&json, linear, &linear->mode[k]);
  }
  cli_json_close(&json);
  if (asked->frequency_count > 0) {
    put_responses(&json, linear, asked, responses);
  }
  cli_json_texts(&json, "warnings", linear->warning_count, linear->warnings);
  cli_json_end(&json);
}

// ---- files ----
typedef struct Columns {
  int count, capacity;
  char **names;
  double *row;
} Columns;

static void add_column(Columns *columns, const char *before, const char *name, const char *behind) {
  size_t length = strlen(before) + strlen(name) + strlen(behind) + 1;
  char *text = cli_memory_take(length, 1);
  (void)snprintf(text, length, "%s%s%s", before, name, behind);
  columns->names[columns->count++] = text;
}

static Columns create_columns(int most) {
  return (Columns){.names = cli_memory_take((size_t)most, sizeof(char *)),
                   .row = cli_memory_take((size_t)most, sizeof(double))};
}

static void free_columns(Columns *columns) {
  for (int i = 0; i < columns->count; ++i) {
    free(columns->names[i]);
  }
  free(columns->names);
  free(columns->row);
}

static MbsStatus write_modes(CliCsv *csv, const MbsLinearization *linear) {
  const MbsRecorder *recorder = &csv->recorder;
  Columns columns = create_columns(5 + 2 * linear->parameter_count);
  const char *const first[] = {"real", "imag", "frequency [Hz]", "damping", "repeated"};
  for (int i = 0; i < 5; ++i) {
    add_column(&columns, "", first[i], "");
  }
  for (int p = 0; p < linear->parameter_count; ++p) {
    add_column(&columns, "d real/d ", linear->parameters[p], "");
    add_column(&columns, "d imag/d ", linear->parameters[p], "");
  }
  MbsStatus status = recorder->begin(recorder->user, columns.count, (const char *const *)columns.names);
  for (int k = 0; k < linear->mode_count && status == MBS_OK; ++k) {
    const MbsEigenmode *mode = &linear->mode[k];
    double *row = columns.row;
    row[0] = mode->real;
    row[1] = mode->imag;
    row[2] = mode->frequency;
    row[3] = mode->damping;
    row[4] = mode->repeated;
    for (int i = 0; i < 2 * linear->parameter_count; ++i) {
      row[5 + i] = mode->gradient ? mode->gradient[i] : (double)NAN;
    }
    status = recorder->row(recorder->user, row);
  }
  free_columns(&columns);
  return status;
}

static MbsStatus write_responses(CliCsv *csv, const MbsLinearization *linear, const Asked *asked,
                                 const double *responses) {
  const MbsRecorder *recorder = &csv->recorder;
  int numbers = linear->output_count * linear->input_count;
  Columns columns = create_columns(1 + 2 * numbers);
  add_column(&columns, "", "frequency [Hz]", "");
  for (int k = 0; k < numbers; ++k) {
    char of[400];
    (void)snprintf(of, sizeof of, "%s/%s", linear->outputs[k / linear->input_count],
                   linear->inputs[k % linear->input_count]);
    add_column(&columns, "re ", of, "");
    add_column(&columns, "im ", of, "");
  }
  MbsStatus status = recorder->begin(recorder->user, columns.count, (const char *const *)columns.names);
  for (int i = 0; i < asked->frequency_count && status == MBS_OK; ++i) {
    columns.row[0] = asked->frequencies[i] / two_pi;
    memcpy(columns.row + 1, responses + 2 * i * numbers, 2 * (size_t)numbers * sizeof(double));
    status = recorder->row(recorder->user, columns.row);
  }
  free_columns(&columns);
  return status;
}

// shapes and their like, mode by mode, into one array: count numbers of each, or NaN
static double *gather(const MbsLinearization *linear, size_t offset, int count) {
  double *all = cli_memory_take((size_t)linear->mode_count * (size_t)count + 1, sizeof *all);
  for (int k = 0; k < linear->mode_count; ++k) {
    const double *from = *(const double *const *)(const void *)((const char *)&linear->mode[k] + offset);
    for (int i = 0; i < count; ++i) {
      all[(size_t)k * (size_t)count + (size_t)i] = from ? from[i] : (double)NAN;
    }
  }
  return all;
}

static void write_matrices(CliMatrices *file, const MbsLinearization *linear, const Asked *asked,
                           const double *responses) {
  int n = linear->size, modes = linear->mode_count, parameters = linear->parameter_count, d = linear->dimension;
  const struct {
    const char *name;
    int count;
    const char *const *texts;
  } lists[] = {{"states", n, linear->states},
               {"inputs", linear->input_count, linear->inputs},
               {"outputs", linear->output_count, linear->outputs},
               {"parameters", parameters, linear->parameters},
               {"bodies", linear->body_count, linear->bodies},
               {"points", linear->point_count, linear->points}};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
    cli_matrices_texts(file, lists[i].name, lists[i].count, lists[i].texts);
  }
  const struct {
    const char *name;
    int rows, columns;
    const double *values;
  } matrices[] = {{"A", n, n, linear->A},
                  {"B", n, linear->input_count, linear->B},
                  {"C", linear->output_count, n, linear->C},
                  {"D", linear->output_count, linear->input_count, linear->D},
                  {"x", n, 1, linear->x},
                  {"y", linear->output_count, 1, linear->y},
                  {"point_positions", linear->point_count, d, linear->point_positions}};
  for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; ++i) {
    cli_matrices_array(file, matrices[i].name, 2, (const int[]){matrices[i].rows, matrices[i].columns},
                       matrices[i].values, 1);
  }
  double *values = cli_memory_take(2 * (size_t)modes + 1, sizeof *values);
  for (int k = 0; k < modes; ++k) {
    values[2 * k] = linear->mode[k].real;
    values[2 * k + 1] = linear->mode[k].imag;
  }
  const struct {
    const char *name;
    size_t offset;
    int dimension_count, dimensions[4], stride;
  } arrays[] = {
      {"shapes", offsetof(MbsEigenmode, shape), 2, {modes, n}, 2},
      {"participation", offsetof(MbsEigenmode, participation), 2, {modes, linear->body_count}, 1},
      {"motion", offsetof(MbsEigenmode, motion), 3, {modes, linear->point_count, d}, 2},
      {"gradient", offsetof(MbsEigenmode, gradient), 2, {modes, parameters}, 2},
      {"shape_gradient", offsetof(MbsEigenmode, shape_gradient), 3, {modes, parameters, n}, 2},
  };
  cli_matrices_array(file, "eigenvalues", 2, (const int[]){modes, 1}, values, 2);
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
    int count = arrays[i].stride;
    for (int k = 1; k < arrays[i].dimension_count; ++k) {
      count *= arrays[i].dimensions[k];
    }
    double *all = gather(linear, arrays[i].offset, count);
    cli_matrices_array(file, arrays[i].name, arrays[i].dimension_count, arrays[i].dimensions, all, arrays[i].stride);
    free(all);
  }
  free(values);
  if (linear->A_gradient) {
    cli_matrices_array(file, "A_gradient", 3, (const int[]){parameters, n, n}, linear->A_gradient, 1);
  }
  if (asked->frequency_count > 0) {
    cli_matrices_array(file, "frequencies", 2, (const int[]){asked->frequency_count, 1}, asked->frequencies, 1);
    cli_matrices_array(file, "responses", 3,
                       (const int[]){asked->frequency_count, linear->output_count, linear->input_count}, responses, 2);
  }
}

static int write_file(CliSession *session, const MbsLinearization *linear, const Asked *asked,
                      const double *responses) {
  const char *path = session->options->output;
  MbsStatus status = MBS_OK;
  int failure = cli_output_open(&session->output, path);
  if (failure) {
    return failure;
  }
  if (!cli_path_ends_in(path, ".csv")) {
    CliMatrices file;
    cli_matrices_begin(&file, &session->output);
    write_matrices(&file, linear, asked, responses);
    if (file.hdf5.output) {
      cli_results_put_origin(&file.hdf5, session->context, session->model, session->options);
    }
    cli_matrices_end(&file);
  } else {
    cli_csv_begin(&session->csv, &session->output);
    status = asked->frequency_count > 0 ? write_responses(&session->csv, linear, asked, responses)
                                        : write_modes(&session->csv, linear);
  }
  return status != MBS_OK ? cli_output_fail(&session->output) : cli_session_finish(session);
}

// ---- the command ----
static int respond(const CliSession *session, const MbsLinearization *linear, const Asked *asked, double **responses) {
  size_t numbers = 2 * (size_t)linear->output_count * (size_t)linear->input_count;
  if (asked->frequency_count == 0) {
    return 0;
  }
  if (numbers == 0) {
    return cli_fail(MBS_ERROR_INPUT, "--frequencies: the model has no %s; %s",
                    linear->output_count == 0 ? "outputs" : "inputs",
                    linear->output_count == 0 ? "name them in its section outputs" : "say which: --inputs A,B");
  }
  *responses = cli_memory_take((size_t)asked->frequency_count * numbers, sizeof **responses);
  MbsStatus status =
      mbs_linearization_response(session->context, linear, asked->frequency_count, asked->frequencies, *responses);
  return status == MBS_OK ? 0 : cli_fail_library(session->context, status);
}

int cli_run_linearize(const CliOptions *options) {
  CliSession session;
  Asked asked = {0};
  MbsLinearization *linear = NULL;
  double *responses = NULL;
  int exit_status = cli_session_open(&session, options);
  exit_status = exit_status ? exit_status : read_asked(options, session.model, &asked);
  if (!exit_status) {
    cli_progress_begin(&session.progress, session.context, "linearisation", options->is_quiet);
    MbsStatus status = mbs_linearize(session.context, session.model, session.request, &asked.def, &linear);
    cli_progress_end(&session.progress, session.context);
    exit_status = status == MBS_OK ? 0 : cli_session_fail(&session, status);
  }
  exit_status = exit_status ? exit_status : respond(&session, linear, &asked, &responses);
  if (!exit_status && options->output) {
    exit_status = write_file(&session, linear, &asked, responses);
  }
  if (!exit_status && options->is_json) {
    print_json(linear, &session, &asked, responses);
  } else if (!exit_status) {
    print_words(linear, options);
  }
  exit_status = exit_status ? exit_status : cli_session_commit(&session);
  mbs_linearization_destroy(linear);
  free(responses);
  free(asked.frequencies);
  free(asked.names);
  free(asked.inputs);
  cli_session_close(&session);
  return exit_status;
}
