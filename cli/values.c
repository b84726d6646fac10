#include "values.h"

#include <string.h>

#include "memory.h"
#include "outcome.h"

bool cli_value_assignment(const char *option, const char *text, CliAssignment *assignment) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || equals[1] == '\0') {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: must be NAME=VALUE, got \"%s\"", option, text);
    return false;
  }
  *assignment = (CliAssignment){.name = cli_memory_copy_text(text, (size_t)(equals - text)), .value = equals + 1};
  return true;
}

bool cli_value_output(const char *option, const char *text, bool with_matrices, const char **path) {
  size_t length = strlen(text);
  const char *ending = length >= 4 ? text + length - 4 : "";
  if (strcmp(ending, ".csv") != 0 && !(with_matrices && strcmp(ending, ".mat") == 0)) {
    (void)cli_fail(MBS_ERROR_NOT_OFFERED, "%s: \"%s\" is not offered; the name must end in .csv%s", option, text,
                   with_matrices ? " or .mat" : "");
    return false;
  }
  *path = text;
  return true;
}

static const MbsField *row(const char *setting) {
  int i = 0;
  while (strcmp(mbs_settings[i].name, setting) != 0) {
    ++i;
  }
  return &mbs_settings[i];
}

bool cli_value_method(const char *option, const char *text, MbsMethod *method) {
  MbsContext *context = mbs_context_create();
  MbsRequest read = {.method = MBS_METHOD_NONE};
  if (!context) {
    cli_memory_is_out();
  }
  bool is_good = mbs_setting_parse(context, row("method"), option, mbs_nowhere, text, &read) == MBS_OK;
  if (!is_good) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s", mbs_context_message(context));
  }
  *method = read.method;
  mbs_context_destroy(context);
  return is_good;
}

bool cli_is_method(const char *text) {
  const char *const *choice = row("method")->choices;
  while (*choice && strcmp(*choice, text) != 0) {
    ++choice;
  }
  return *choice != NULL;
}

const char *cli_method_name(MbsMethod method) { return mbs_setting_word("method", (int)method); }

const char *cli_derivatives_name(MbsDerivatives derivatives) {
  return mbs_setting_word("derivatives", (int)derivatives);
}
