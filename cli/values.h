// The values of options: text from the command line, checked and converted. Each function returns false
// after printing a sentence that names the option and the text.
#ifndef MBS_CLI_VALUES_H
#define MBS_CLI_VALUES_H

#include <mbsens/mbsens.h>
#include <stdbool.h>

#include "model/settings.h"

// NAME=VALUE
typedef struct CliAssignment {
  char *name;  // owned
  const char *value;
} CliAssignment;

bool cli_value_assignment(const char *option, const char *text, CliAssignment *assignment);
// Does the name of a file end so: ".csv"?
bool cli_path_ends_in(const char *path, const char *ending);
// .csv and .h5; with_matrices: .mat files are offered, too
bool cli_value_output(const char *option, const char *text, bool with_matrices, const char **path);
bool cli_value_count(const char *option, const char *text, long *count);  // 1 to 1e9
bool cli_value_method(const char *option, const char *text, MbsMethod *method);

// Is this the name of a method, offered or planned?
bool cli_is_method(const char *text);
const char *cli_method_name(MbsMethod method);
const char *cli_derivatives_name(MbsDerivatives derivatives);

#endif
