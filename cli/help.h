// The texts of mbsens --help and mbsens COMMAND --help.
#ifndef MBS_CLI_HELP_H
#define MBS_CLI_HELP_H

#include <stdio.h>

#include "command.h"

extern const char cli_help_exit_statuses[];

void cli_help_print(FILE *out, const CliCommand *commands, int command_count);
void cli_help_print_command(FILE *out, const CliCommand *command);

#endif
