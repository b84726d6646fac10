#include "values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5.h"
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

bool cli_path_ends_in(const char *path, const char *ending) {
  size_t length = strlen(path), size = strlen(ending);
  return length >= size && strcmp(path + length - size, ending) == 0;
}

bool cli_value_output(const char *option, const char *text, bool with_matrices, const char **path) {
  bool is_hdf5 = cli_path_ends_in(text, ".h5");
  if (is_hdf5 && !cli_hdf5_version()) {
    (void)cli_fail(
        MBS_ERROR_NOT_OFFERED,
        "%s: \"%s\" is not offered: this mbsens was built without HDF5; write FILE.csv, or build it with HDF5 "
        "(scripts/install-dependencies hdf5, cmake -D MBS_HDF5=ON build)",
        option, text);
    return false;
  }
  if (!is_hdf5 && !cli_path_ends_in(text, ".csv") && !(with_matrices && cli_path_ends_in(text, ".mat"))) {
    (void)cli_fail(MBS_ERROR_NOT_OFFERED, "%s: \"%s\" is not offered; the name must end in .csv%s", option, text,
                   with_matrices ? ", .h5 or .mat" : " or .h5");
    return false;
  }
  *path = text;
  return true;
}

bool cli_value_count(const char *option, const char *text, long *count) {
  char *end;
  errno = 0;
  *count = strtol(text, &end, 10);
  if (errno || end == text || *end || *count < 1 || *count > 1000000000) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: must be a whole number from 1 to 1e9, got \"%s\"", option, text);
    return false;
  }
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
