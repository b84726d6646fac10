// The values of options: text from the command line, checked and converted. Each function returns false
// after printing a sentence that names the option and the text.
#ifndef MBS_CLI_VALUES_H
#define MBS_CLI_VALUES_H

#include <mbsens/mbsens.h>
#include <stdbool.h>

typedef struct CliNumber {
  bool is_given;
  double value;
} CliNumber;

// Names between commas. Owns both blocks.
typedef struct CliNames {
  int count;
  const char **names;
  char *letters;  // of the names
} CliNames;

// NAME=VALUE
typedef struct CliAssignment {
  char *name;  // owned
  const char *value;
} CliAssignment;

// Plain decimal numbers: no hexadecimal, no infinity, no blanks, nothing behind them.
bool cli_value_positive(const char *option, const char *text, CliNumber *number);
bool cli_value_not_negative(const char *option, const char *text, CliNumber *number);
bool cli_value_count(const char *option, const char *text, CliNumber *number);        // 1, 2, ... up to 1e15
bool cli_value_penalty(const char *option, const char *text, CliNumber *number);      // a positive number or "auto": 0
bool cli_value_size(const char *option, const char *text, CliNumber *number);         // bytes: 1500, 500k, 100M, 2G, 1T
bool cli_value_projections(const char *option, const char *text, CliNumber *number);  // auto: 0, none: -1
// `words`: the two that are allowed, "a|b"
bool cli_value_choice(const char *option, const char *words, const char *text, const char **choice);

bool cli_value_names(const char *option, const char *text, CliNames *names);
bool cli_value_assignment(const char *option, const char *text, CliAssignment *assignment);
bool cli_value_output(const char *option, const char *text, const char **path);
bool cli_value_difference(const char *option, const char *text, MbsDifference *difference);
bool cli_value_derivatives(const char *option, const char *text, MbsDerivatives *derivatives);
bool cli_value_method(const char *option, const char *text, MbsMethod *method);

// Is this the name of a method, offered or planned?
bool cli_is_method(const char *text);
const char *cli_method_name(MbsMethod method);
const char *cli_derivatives_name(MbsDerivatives derivatives);

#endif
