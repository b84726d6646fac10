// The commands. Each is one file, command_<name>.c, and one row of the table in main.c.
#ifndef MBS_CLI_COMMAND_H
#define MBS_CLI_COMMAND_H

#include "options.h"

typedef struct CliCommand {
  const char *name;
  unsigned bit;                           // in the option table
  const char *usage;                      // what follows the name
  const char *summary;                    // one line
  const char *details;                    // paragraphs and examples
  int (*run)(const CliOptions *options);  // returns the exit status
} CliCommand;

int cli_run_check(const CliOptions *options);
int cli_run_simulate(const CliOptions *options);
int cli_run_gradient(const CliOptions *options);
int cli_run_kinematics(const CliOptions *options);
int cli_run_equilibrium(const CliOptions *options);
int cli_run_verify(const CliOptions *options);
int cli_run_linearize(const CliOptions *options);
int cli_run_study(const CliOptions *options);
int cli_run_optimize(const CliOptions *options);
int cli_run_sweep(const CliOptions *options);
int cli_run_identify(const CliOptions *options);
int cli_run_plot(const CliOptions *options);
int cli_run_report(const CliOptions *options);
int cli_run_list(const CliOptions *options);

#endif
