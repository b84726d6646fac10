// Curves of a model: it is run, and its rows are kept. See source.h.
//
// What a word means is asked of the model itself: a run that is stopped as soon as it has named its columns.
#include <math.h>
#include <mbsens/elements.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "../outcome.h"
#include "../session.h"
#include "model/blueprint.h"
#include "model/model.h"
#include "source.h"

// What a word means.
typedef struct Meaning {
  CliData columns;  // their names and units, without rows; the first is the time
  char *output;     // the output that its expression became; NULL: it is none
} Meaning;

typedef struct Work {
  CliAsked *asked;
  const char *operand;
  CliSession session;
  MbsRequest request;
  char *columns;         // of the request
  const char **wanted;   // parameters of derivatives
  Meaning x, *meanings;  // of words
  int output_count;      // added
} Work;

// the horizontal axis is not the time
static bool has_x(const Work *work) { return work->asked->x && strcmp(work->asked->x, "t") != 0; }

// ---- words ----
typedef struct Naming {
  CliData *columns;
  bool has_begun;
} Naming;

static MbsStatus keep_units(void *user, int count, const char *const *units, const char *const *descriptions) {
  CliData *columns = ((Naming *)user)->columns;
  return columns->recorder.describe(columns, count, units, descriptions);
}

static MbsStatus keep_names_and_stop(void *user, int count, const char *const *names) {
  Naming *naming = user;
  (void)naming->columns->recorder.begin(naming->columns, count, names);
  naming->has_begun = true;
  return MBS_ERROR_INTERRUPTED;
}

static MbsStatus ignore_row(void *user, const double *values) {
  (void)user;
  (void)values;
  return MBS_OK;
}

// The columns that a list means; the context has the sentence of what is wrong.
static MbsStatus name_columns(Work *work, const char *list, CliData *columns) {
  MbsRequest request = *work->session.request;
  Naming naming = {.columns = columns};
  MbsRecorder recorder = {.user = &naming, .describe = keep_units, .begin = keep_names_and_stop, .row = ignore_row};
  MbsResult *result = NULL;
  cli_data_begin(columns);
  request.method = MBS_METHOD_NONE;
  request.settings.accuracy = 0;
  request.recorder = &recorder;
  if (strlen(list) >= sizeof request.settings.columns) {
    return MBS_ERROR_INPUT;
  }
  (void)strcpy(request.settings.columns, list);
  MbsStatus status = mbs_run(work->session.context, work->session.model, &request, &result);
  mbs_result_destroy(result);
  if (naming.has_begun) {
    return MBS_OK;
  }
  cli_data_free(columns);
  return status;
}

// Is there no doubt that an unknown word is a column's name, and no expression?
static bool is_name(const char *word) {
  return strpbrk(word, "*+-/^ <>=") == NULL &&
         (strchr(word, '(') == NULL || strncmp(word, "lambda(", 7) == 0 || strncmp(word, "frame(", 6) == 0 ||
          strncmp(word, "coordinate(", 11) == 0);
}

// A word that is no column is an expression, of which an output is made.
static int find_meaning(Work *work, const char *option, const char *word, Meaning *meaning) {
  MbsContext *context = work->session.context;
  MbsStatus status = name_columns(work, word, &meaning->columns);
  if (status == MBS_OK) {
    return 0;
  }
  if (status != MBS_ERROR_INPUT) {
    return cli_session_fail(&work->session, status);
  }
  char *sentence = cli_memory_copy_text(mbs_context_message(context), strlen(mbs_context_message(context)));
  int failure = 0;
  if (strncmp(sentence, "no column", 9) != 0 || is_name(word)) {
    bool is_lost = strstr(sentence, "did you mean") == NULL;
    failure = strncmp(sentence, "no column", 9) == 0
                  ? cli_fail(MBS_ERROR_INPUT, "%s: %s%s", option, sentence,
                             is_lost ? "; mbsens simulate MODEL --columns all -o FILE.csv has all of them" : "")
                  : cli_fail_library(context, status);
    free(sentence);
    return failure;
  }
  char name[40];
  (void)snprintf(name, sizeof name, "plotted_%d", ++work->output_count);
  MbsOutputDef def = mbs_default_output_def();
  def.name = name;
  def.value = word;
  meaning->output = cli_memory_copy_text(name, strlen(name));
  status = mbs_model_add_output(context, work->session.model, &def);
  status = status == MBS_OK ? name_columns(work, name, &meaning->columns) : status;
  if (status != MBS_OK) {
    failure = cli_fail(status, "%s: \"%s\" is no column of histories, and as an expression it is wrong: %s", option,
                       word, mbs_context_message(context));
  }
  free(sentence);
  return failure;
}

// The names of a group without those of rates, as a list.
static MbsStatus list_columns(Work *work, const char *group, char **list, int *count) {
  CliData columns;
  size_t length = 0;
  MbsStatus status = name_columns(work, group, &columns);
  *count = 0;
  for (int j = 1; j < columns.column_count; ++j) {
    const char *name = columns.columns[j].name;
    if (name[strlen(name) - 1] != '\'') {
      *list = cli_memory_resize(*list, length + strlen(name) + 2, 1);
      length += (size_t)sprintf(*list + length, "%s%s", length ? "," : "", name);
      ++*count;
    }
  }
  cli_data_free(&columns);
  return status;
}

// What is worth a first look: the outputs; of a model without, coordinates and objectives, or of many the objectives.
static int choose_words(Work *work, CliWords *words) {
  static const char *const groups[] = {"outputs", "coordinates,objectives", "objectives"};
  enum { MOST = 24, GROUP_COUNT = sizeof groups / sizeof groups[0] };
  char *list = NULL;
  int count = 0, most = 0;
  CliData columns = {0};
  MbsStatus status = MBS_OK;
  for (int i = 0; i < GROUP_COUNT && (count == 0 || count > MOST); ++i) {
    status = list_columns(work, groups[i], &list, &count);
    bool is_empty_group = status == MBS_ERROR_INPUT;  // which is refused like an unknown word
    status = is_empty_group ? MBS_OK : status;
    most = count > most ? count : most;
    if (status != MBS_OK) {
      free(list);
      return cli_session_fail(&work->session, status);
    }
  }
  // the coordinate P1.x has no unit, the same column asked for by its name, as a point, has
  if (count > 0 && count <= MOST) {
    status = name_columns(work, list, &columns);
  }
  free(list);
  if (status != MBS_OK) {
    return cli_session_fail(&work->session, status);
  }
  if (columns.column_count > 1) {
    const CliColumn **chosen = cli_memory_take((size_t)columns.column_count, sizeof *chosen);
    for (int j = 1; j < columns.column_count; ++j) {
      chosen[j - 1] = &columns.columns[j];
    }
    cli_words_add_by_unit(words, columns.column_count - 1, chosen);
    free(chosen);
  }
  cli_data_free(&columns);
  if (words->count == 0 && work->asked->instead) {
    cli_words_add(words, work->asked->instead, 0);
  }
  return words->count > 0
             ? 0
             : cli_fail(MBS_ERROR_INPUT,
                        "%s has %d columns to plot: choose some with --y A,B, such as points that mbsens check shows",
                        work->operand, most);
}

static int find_meanings(Work *work) {
  CliWords *words = &work->asked->words;
  int failure = words->count == 0 ? choose_words(work, words) : 0;
  if (!failure && has_x(work)) {
    failure = find_meaning(work, "--x", work->asked->x, &work->x);
  }
  if (!failure && work->x.columns.column_count > 2) {
    failure = cli_fail(MBS_ERROR_INPUT, "--x: \"%s\" means %d columns, and must mean one", work->asked->x,
                       work->x.columns.column_count - 1);
  }
  work->meanings = cli_memory_take((size_t)words->count, sizeof *work->meanings);
  for (int w = 0; w < words->count && !failure; ++w) {
    const CliWord *word = &words->items[w];
    failure = find_meaning(work, "--y", word->base ? word->base : word->text, &work->meanings[w]);
  }
  return failure;
}

// Derivatives of all words so far by all parameters, in the panels of these: what a report shows without being asked.
static int add_derivative_words(Work *work) {
  enum { MOST_COLUMNS = 1500 };
  CliAsked *asked = work->asked;
  const MbsRequest *request = work->session.request;
  int base_count = asked->words.count, columns = 0, failure = 0;
  int parameters = request->parameters ? request->parameter_count
                                       : mbs_record_value(&work->session.model->root, MBS_MODEL_PARAMETERS)->count;
  for (int w = 0; w < base_count; ++w) {
    columns += work->meanings[w].columns.column_count - 1;
  }
  asked->has_too_many = (1 + parameters) * columns > MOST_COLUMNS;
  if (parameters == 0 || asked->has_too_many) {
    return 0;
  }
  for (int w = 0; w < base_count; ++w) {
    const CliWord *word = &asked->words.items[w];
    if (!word->base) {
      size_t room = strlen(word->text) + 12;
      char *text = cli_memory_take(room, 1);
      (void)snprintf(text, room, "d(%s)/d(*)", word->text);
      cli_words_add(&asked->words, text, word->panel);
      free(text);
    }
  }
  work->meanings = cli_memory_resize(work->meanings, (size_t)asked->words.count, sizeof *work->meanings);
  for (int w = base_count; w < asked->words.count; ++w) {
    work->meanings[w] = (Meaning){0};
  }
  for (int w = base_count; w < asked->words.count && !failure; ++w) {
    failure = find_meaning(work, "--y", asked->words.items[w].base, &work->meanings[w]);
  }
  return failure;
}

// ---- the request ----
static void add_names(Work *work, const Meaning *meaning, size_t *length) {
  for (int j = 1; j < meaning->columns.column_count; ++j) {
    const char *name = meaning->columns.columns[j].name;
    work->columns = cli_memory_resize(work->columns, *length + strlen(name) + 2, 1);
    *length += (size_t)sprintf(work->columns + *length, "%s%s", *length ? "," : "", name);
  }
}

static bool has_pattern(const char *text) { return strchr(text, '*') != NULL; }

// Parameters of derivatives: those of words, and those of --wrt where it is given or a word has a pattern.
static void choose_parameters(Work *work) {
  const CliWords *words = &work->asked->words;
  MbsRequest *request = &work->request;
  bool has_derivatives = false, has_patterns = false;
  for (int w = 0; w < words->count; ++w) {
    has_derivatives = has_derivatives || words->items[w].parameter;
    has_patterns = has_patterns || (words->items[w].parameter && has_pattern(words->items[w].parameter));
  }
  if (!has_derivatives) {
    request->method = MBS_METHOD_NONE;
    return;
  }
  if (has_patterns && !request->parameters) {
    return;  // all of them
  }
  int count = 0, given = has_patterns ? request->parameter_count : 0;
  work->wanted = cli_memory_take((size_t)(given + words->count), sizeof *work->wanted);
  for (int i = 0; i < given + words->count; ++i) {
    const char *name = i < given ? request->parameters[i] : words->items[i - given].parameter;
    int k = 0;
    while (name && k < count && strcmp(work->wanted[k], name) != 0) {
      ++k;
    }
    if (name && k == count && !has_pattern(name)) {
      work->wanted[count++] = name;
    }
  }
  request->parameters = work->wanted;
  request->parameter_count = count;
}

static int make_request(Work *work) {
  size_t length = 0;
  work->request = *work->session.request;
  for (int w = 0; w < work->asked->words.count; ++w) {
    bool is_repeated = work->asked->wants_derivatives && work->asked->words.items[w].base;  // its base is a word too
    if (!is_repeated) {
      add_names(work, &work->meanings[w], &length);
    }
  }
  add_names(work, &work->x, &length);
  if (length >= sizeof work->request.settings.columns) {
    return cli_fail(MBS_ERROR_INPUT, "--y: means too many columns, whose names fill %zu of %d letters", length,
                    MBS_LIST_LENGTH - 1);
  }
  (void)snprintf(work->request.settings.columns, sizeof work->request.settings.columns, "%s",
                 length ? work->columns : "");
  choose_parameters(work);
  return 0;
}

// ---- runs ----
// d(base)/d(p) among the columns, for each p that the word means
static int add_derivatives(CliRun *run, int w, const CliWord *word, const char *base, const char *label) {
  size_t length = strlen(base);
  int found = 0;
  for (int j = 0; j < run->data.column_count; ++j) {
    const char *name = run->data.columns[j].name;
    bool is_of_base = strncmp(name, "d(", 2) == 0 && strncmp(name + 2, base, length) == 0 &&
                      strncmp(name + 2 + length, ")/d(", 4) == 0;
    if (is_of_base) {
      const char *parameter = name + length + 6;
      size_t size = strlen(parameter) - 1;
      char *copy = cli_memory_copy_text(parameter, size);
      if (strcmp(copy, word->parameter) == 0 || mbs_column_is_meant(word->parameter, strlen(word->parameter), copy)) {
        char text[300];
        (void)snprintf(text, sizeof text, "d(%s)/d(%s)", label, copy);
        cli_run_add_series(run, w, j, text);
        ++found;
      }
      free(copy);
    }
  }
  return found;
}

// A column of an expression is called after the expression: plotted_1.x is (expression).x
static void name_column(const Meaning *meaning, const char *word, const char *name, char *text, size_t room) {
  const char *part = meaning->output ? name + strlen(meaning->output) : "";
  (void)snprintf(text, room, "%s%s%s%s", *part ? "(" : "", meaning->output ? word : name, *part ? ")" : "", part);
}

static int add_series(const Work *work, CliRun *run) {
  for (int w = 0; w < work->asked->words.count; ++w) {
    const CliWord *word = &work->asked->words.items[w];
    const Meaning *meaning = &work->meanings[w];
    int found = 0;
    for (int j = 1; j < meaning->columns.column_count; ++j) {
      const char *name = meaning->columns.columns[j].name;
      char label[256];
      name_column(meaning, word->base ? word->base : word->text, name, label, sizeof label);
      if (word->base) {
        found += add_derivatives(run, w, word, name, label);
      } else {
        cli_run_add_series(run, w, cli_data_find(&run->data, name), label);
        ++found;
      }
    }
    if (found == 0) {
      return cli_fail(MBS_ERROR_INPUT, "--y: \"%s\": histories of method %s have no such derivative%s", word->text,
                      cli_method_name(work->request.method),
                      has_pattern(word->parameter) ? "; parameters of patterns are those of --wrt" : "");
    }
  }
  return 0;
}

static void set_x(const Work *work, CliRun *run) {
  char label[256] = "t";
  if (has_x(work)) {
    const char *name = work->x.columns.column_count > 1 ? work->x.columns.columns[1].name : "t";
    run->x = cli_data_find(&run->data, name);
    if (work->x.columns.column_count > 1) {
      name_column(&work->x, work->asked->x, name, label, sizeof label);
    }
  }
  run->x_name = cli_memory_copy_text(label, strlen(label));
}

static void keep_events(CliRun *run, const MbsResult *result) {
  run->moments = cli_memory_take((size_t)result->event_count, sizeof *run->moments);
  run->moment_count = result->event_count;
  for (int i = 0; i < result->event_count; ++i) {
    const MbsEventResult *event = &result->events[i];
    run->moments[i] = (CliMoment){event->time, cli_memory_copy_text(event->name, strlen(event->name))};
  }
}

static int run_once(Work *work, const char *label, CliRuns *runs) {
  CliSession *session = &work->session;
  MbsResult *result = NULL;
  CliData data;
  if (work->asked->most_numbers > 0) {
    cli_data_begin_thin(&data, CLI_THIN_CURVES, work->asked->most_numbers);
  } else {
    cli_data_begin(&data);
  }
  work->request.recorder = &data.recorder;
  cli_progress_begin(&session->progress, session->context, "run to plot", work->asked->options->is_quiet);
  MbsStatus status = mbs_run(session->context, session->model, &work->request, &result);
  cli_progress_end(&session->progress, session->context);
  int failure = status == MBS_OK ? 0 : cli_session_fail(session, status);
  cli_data_end_thin(&data, result && result->has_ended);
  if (!failure && data.row_count == 0) {
    failure = cli_fail(MBS_ERROR_NOT_OFFERED, "--method: histories of method %s are not offered",
                       cli_method_name(work->request.method));
  }
  if (!failure) {
    CliRun *run = cli_runs_add(runs, work->operand, label);
    run->data = data;
    data = (CliData){0};
    set_x(work, run);
    failure = add_series(work, run);
    keep_events(run, result);
    if (work->asked->most_numbers == 0) {
      cli_run_blank_at_events(run, result->has_ended);
    }
  }
  cli_data_free(&data);
  if (work->asked->result && !failure) {
    *work->asked->result = result;
  } else {
    mbs_result_destroy(result);
  }
  return failure;
}

// The value of a parameter, or else of a setting.
static int set_value(Work *work, const char *name, const char *value) {
  MbsContext *context = work->session.context;
  int row = 0;
  while (row < mbs_settings_count && strcmp(mbs_settings[row].name, name) != 0) {
    ++row;
  }
  MbsStatus status = mbs_model_set(context, work->session.model, name, value);
  if (status == MBS_ERROR_INPUT && row < mbs_settings_count &&
      strncmp(mbs_context_message(context), "no parameter", 12) == 0) {
    status = mbs_setting_parse(context, &mbs_settings[row], name, mbs_nowhere, value, &work->request);
  }
  return status == MBS_OK ? 0 : cli_session_fail(&work->session, status);
}

// NAME=A,B,...: a run for each value, with each of what else is varied
static int run_varied(Work *work, int first, const char *label, CliRuns *runs) {
  const CliOptions *options = work->asked->options;
  CliWords values = {0};
  if (first == options->variation_count) {
    return run_once(work, label, runs);
  }
  const CliAssignment *variation = &options->variations[first];
  int failure = cli_words_read("--vary", variation->value, &values);
  for (int i = 0; i < values.count && !failure; ++i) {
    char text[400];
    (void)snprintf(text, sizeof text, "%s%s%s = %s", label, *label ? ", " : "", variation->name, values.items[i].text);
    failure = set_value(work, variation->name, values.items[i].text);
    failure = failure ? failure : run_varied(work, first + 1, text, runs);
  }
  cli_words_free(&values);
  return failure;
}

static void free_meaning(Meaning *meaning) {
  cli_data_free(&meaning->columns);
  free(meaning->output);
}

int cli_source_read_model(CliAsked *asked, const char *operand, CliRuns *runs) {
  Work work = {.asked = asked, .operand = operand};
  CliOptions options = *asked->options;
  options.operand = operand;
  int failure = cli_session_open(&work.session, &options);
  failure = failure ? failure : find_meanings(&work);
  failure = failure || !asked->wants_derivatives ? failure : add_derivative_words(&work);
  failure = failure ? failure : make_request(&work);
  if (!failure) {
    failure = run_varied(&work, 0, "", runs);
  }
  for (int w = 0; work.meanings && w < asked->words.count; ++w) {
    free_meaning(&work.meanings[w]);
  }
  free_meaning(&work.x);
  free(work.meanings);
  free(work.wanted);
  free(work.columns);
  cli_session_close(&work.session);
  return failure;
}
