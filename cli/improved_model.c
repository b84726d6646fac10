#include "improved_model.h"

#include <mbsens/build.h>
#include <stdlib.h>
#include <string.h>

#include "io/reader.h"
#include "memory.h"
#include "model/model.h"
#include "outcome.h"
#include "sensitivities/selection.h"

void cli_number_text(double number, char text[CLI_NUMBER_ROOM]) {
  int digits = 15;
  do {
    (void)snprintf(text, CLI_NUMBER_ROOM, "%.*g", digits, number);
  } while (strtod(text, NULL) != number && ++digits <= 17);  // real
}

void cli_improved_model_print_option(FILE *out, const char *name, double value) {
  char text[CLI_NUMBER_ROOM];
  const char *quote = strpbrk(name, "[]()*?' ") ? "'" : "";
  cli_number_text(value, text);
  (void)fprintf(out, " --set %s%s=%s%s", quote, name, text, quote);
}

// ---- the copy ----
typedef struct Copy {
  int count;
  char **values;
  const char **names;
} Copy;

static void copy_free(Copy *copy) {
  for (int i = 0; i < copy->count; ++i) {
    free(copy->values[i]);
  }
  free(copy->values);
  free(copy->names);
  *copy = (Copy){0};
}

static void copy_add(Copy *copy, const char *name, const char *value) {
  for (int i = 0; i < copy->count; ++i) {
    if (strcmp(copy->names[i], name) == 0) {
      free(copy->values[i]);
      copy->values[i] = cli_memory_copy_text(value, strlen(value));
      return;
    }
  }
  copy->names = cli_memory_resize(copy->names, (size_t)copy->count + 1, sizeof *copy->names);
  copy->values = cli_memory_resize(copy->values, (size_t)copy->count + 1, sizeof *copy->values);
  copy->names[copy->count] = name;
  copy->values[copy->count] = cli_memory_copy_text(value, strlen(value));
  copy->count += 1;
}

// what --set says, and over it the parameters
int cli_improved_model_text(const CliOptions *options, int count, const char *const *names, const double *values,
                            char **text) {
  Copy copy = {0};
  MbsContext *context = mbs_context_create();  // its own: this may happen inside a call
  if (!context) {
    cli_memory_is_out();
  }
  for (int i = 0; i < options->assignment_count; ++i) {
    copy_add(&copy, options->assignments[i].name, options->assignments[i].value);
  }
  for (int i = 0; i < count; ++i) {
    char number[CLI_NUMBER_ROOM];
    cli_number_text(values[i], number);
    copy_add(&copy, names[i], number);
  }
  MbsStatus status =
      mbs_model_revise(context, options->operand, copy.count, copy.names, (const char *const *)copy.values, text);
  int exit_status = status == MBS_OK ? 0 : cli_fail_library(context, status);
  copy_free(&copy);
  mbs_context_destroy(context);
  return exit_status;
}

int cli_improved_model_write(CliSession *session, int count, const char *const *names, const double *values) {
  char *text = NULL;
  if (!session->output.partial) {
    return 0;
  }
  int exit_status = cli_improved_model_text(session->options, count, names, values, &text);
  if (!exit_status) {
    (void)fputs(text, session->output.file);
    exit_status = cli_output_finish(&session->output);
  }
  mbs_text_destroy(text);
  return exit_status;
}

// ---- before ----
// what the model names beside itself must be there beside the copy, too
static int check_place(CliSession *session, const char *text) {
  MbsModel *copy = NULL;
  MbsStatus status = mbs_model_read_text(session->context, text, strlen(text), session->options->output, &copy);
  mbs_model_destroy(copy);
  return status == MBS_OK ? 0
                          : cli_fail(status, "-o: a copy of %s would not be good there: %s", session->options->operand,
                                     mbs_context_message(session->context));
}

int cli_improved_model_open(CliSession *session) {
  MbsRequest request = *session->request;
  MbsArena *arena = mbs_arena_create();
  MbsSelection selection;
  const MbsModel *asked;
  char *text = NULL;
  if (!arena) {
    cli_memory_is_out();
  }
  int exit_status = 0;
  if (session->options->output) {
    MbsStatus status =
        mbs_model_ask(session->context, arena, session->model, &request.parameter_count, &request.parameters, &asked);
    status = status == MBS_OK ? mbs_selection_create(session->context, arena, asked, &request, &selection) : status;
    exit_status = status == MBS_OK
                      ? cli_improved_model_text(session->options, selection.parameter_count, selection.parameter_names,
                                                selection.parameter_values, &text)
                      : cli_fail_library(session->context, status);
    exit_status = exit_status ? exit_status : check_place(session, text);
    exit_status = exit_status ? exit_status : cli_output_open(&session->output, session->options->output);
  }
  mbs_text_destroy(text);
  mbs_arena_destroy(arena);
  return exit_status;
}
