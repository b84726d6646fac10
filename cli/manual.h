// The manual page and the completion of shells, from the tables that --help is made of.
#ifndef MBS_CLI_MANUAL_H
#define MBS_CLI_MANUAL_H

#include <stdio.h>

#include "command.h"

// mbsens.1, for man
void cli_manual_print(FILE *out, const CliCommand *commands, int command_count);
// for bash, in share/bash-completion/completions
void cli_completion_print(FILE *out, const CliCommand *commands, int command_count);

#endif
