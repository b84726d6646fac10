// The options of the command: one table says what each is called, takes, does, and which commands know it.
#ifndef MBS_CLI_OPTIONS_H
#define MBS_CLI_OPTIONS_H

#include <mbsens/mbsens.h>
#include <stdbool.h>
#include <stdio.h>

#include "model/settings.h"
#include "values.h"

// Sets of commands, for the tables of options. Those with settings have the bits of model/settings.h.
enum {
  CLI_CHECK = MBS_OF_CHECK,
  CLI_SIMULATE = MBS_OF_SIMULATE,
  CLI_GRADIENT = MBS_OF_GRADIENT,
  CLI_VERIFY = MBS_OF_VERIFY,
  CLI_KINEMATICS = MBS_OF_KINEMATICS,
  CLI_LINEARIZE = MBS_OF_LINEARIZE,
  CLI_EQUILIBRIUM = MBS_OF_EQUILIBRIUM,
  CLI_LIST = 1 << 4,
  CLI_HELP = 1 << 5,
  CLI_STUDY = 1 << 16,
  CLI_SWEEP = 1 << 17,
  CLI_IDENTIFY = 1 << 19,
  CLI_PLOT = 1 << 20,      // with the settings of gradient
  CLI_OPTIMIZE = 1 << 21,  // likewise
  CLI_REPORT = 1 << 22     // likewise
};

// The command line, read but not yet applied.
typedef struct CliOptions {
  const char *command;  // its name
  int argument_count;   // all of what stands behind that, for reports
  char **arguments;
  const char *model_text;  // instead of the file MODEL: what it says, where results had it; NULL: the file
  const char *operand;     // MODEL; the topic of list; the command of help
  int operand_count;
  const char **operands;  // of plot, which takes several; `operand` is the first
  MbsRequest *asked;      // settings of the command line, the others being empty or those of a request without a model
  const char **given;     // by row of mbs_settings: the text, or NULL
  int assignment_count;
  CliAssignment *assignments;  // --set
  int variation_count;
  CliAssignment *variations;  // --vary
  const char *reference;      // study
  long repeat;                // likewise, 1 or more
  const char *plan, *list;    // sweep
  long samples, threads;      // likewise; 0: not given
  int data_count;
  const char **data;  // identify: files
  const char *measured, *sigma, *confidence;
  bool is_csv, is_latex;
  bool is_kinematic;    // kinematics instead of dynamics
  bool is_equilibrium;  // neither: the equilibrium
  MbsMethod compared;   // --compare; MBS_METHOD_NONE: no comparison
  bool has_comparison;
  bool wants_initial_state;                     // of the adjoint
  const char *output;                           // -o
  const char *at, *inputs, *frequencies;        // linearize
  const char *along;                            // equilibrium
  bool wants_hessian, is_relative;              // gradient
  const char *y, *x, *by, *log, *title, *size;  // plot
  bool has_bars, is_equal, has_discs;           // likewise
  bool is_maximized;                            // optimize
  int bound_count;                              // likewise
  CliAssignment *bounds;                        // --bound
  const char *method, *algorithm, *target, *search_tolerance, *state;
  long evaluations, starts, seed;       // 0: as in the model; seed also of sweep
  const char *ghost;                    // report
  bool has_modes;                       // likewise
  bool wants_manual, wants_completion;  // help
  bool is_json, is_quiet, is_markdown, wants_help;
} CliOptions;

// Reads what follows the command's name; `command` is its bit. Of options given twice the last one counts, except
// --set. Returns 0, or the exit status after a sentence on standard error. Free `options` in both cases.
int cli_options_read(int argument_count, char **arguments, unsigned command, const char *name, CliOptions *options);
void cli_options_free(CliOptions *options);

// The text that was given for a setting; NULL: none.
const char *cli_options_given(const CliOptions *options, const char *setting);

// One option, for those who describe them all.
typedef struct CliOptionText {
  const char *name, *key;      // the key lives as long as the program
  const char *argument;        // NULL: it takes none
  const char *text;            // what it does, with its default
  const char *const *choices;  // its values, with NULL at the end; NULL: there is no list
} CliOptionText;

// Every option that the command takes, in the order of the help.
void cli_options_each(unsigned command, void (*visit)(void *user, const CliOptionText *option), void *user);
// A line or more for each option that the command takes.
void cli_options_print_help(FILE *out, unsigned command);
// All of them with their commands, as a table in Markdown: that of docs/command-line.md.
void cli_options_print_table(FILE *out);

#endif
