// The options of the command: one table says what each is called, takes, does, and which commands know it.
#ifndef MBS_CLI_OPTIONS_H
#define MBS_CLI_OPTIONS_H

#include <mbsens/mbsens.h>
#include <stdbool.h>
#include <stdio.h>

#include "values.h"

// Sets of commands, for the option table.
enum {
  CLI_CHECK = 1 << 0,
  CLI_SIMULATE = 1 << 1,
  CLI_GRADIENT = 1 << 2,
  CLI_VERIFY = 1 << 3,
  CLI_LIST = 1 << 4,
  CLI_HELP = 1 << 5,
  CLI_KINEMATICS = 1 << 6
};

// The command line, read but not yet applied. NULL and is_given = false: not on the command line.
typedef struct CliOptions {
  const char *operand;  // MODEL; the topic of list; the command of help
  const char *formulation, *coordinates, *integrator;
  CliNumber step, end, accuracy, tolerance, step_tolerance, penalty, xi, omega;
  CliNumber beta, gamma, spectral_radius, projections;
  const char *independent, *projection_matrix, *nonholonomic, *tangent, *tree, *cut, *reference_point;
  bool is_stabilised;
  int assignment_count;
  CliAssignment *assignments;  // --set
  CliNames objectives, parameters;
  bool is_kinematic;  // kinematics instead of dynamics
  MbsMethod method;
  bool has_method;
  MbsMethod compared;  // --compare; MBS_METHOD_NONE: no comparison
  bool has_comparison;
  MbsDifference difference;
  bool has_difference;
  CliNumber difference_step;
  bool has_sundials;             // verify: CVODES and IDAS, too
  CliNumber sundials_tolerance;  // of these
  MbsDerivatives derivatives;
  bool has_derivatives;
  CliNumber memory;          // bytes
  bool wants_initial_state;  // of the adjoint
  const char *output;        // -o
  const char *columns;       // of that
  CliNumber every, sample;   // its rows
  bool is_json, is_quiet, is_markdown, wants_help;
} CliOptions;

// Reads what follows the command's name; `command` is its bit. Of options given twice the last one counts, except
// --set. Returns 0, or the exit status after a sentence on standard error. Free `options` in both cases.
int cli_options_read(int argument_count, char **arguments, unsigned command, const char *name, CliOptions *options);
void cli_options_free(CliOptions *options);

// A line or more for each option that the command takes.
void cli_options_print_help(FILE *out, unsigned command);
// All of them with their commands, as a table in Markdown: that of docs/command-line.md.
void cli_options_print_table(FILE *out);

#endif
