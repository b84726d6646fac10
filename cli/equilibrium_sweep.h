// mbsens equilibrium MODEL --along NAME=FROM:TO:COUNT: an equilibrium followed while a number of the model changes.
#ifndef MBS_CLI_EQUILIBRIUM_SWEEP_H
#define MBS_CLI_EQUILIBRIUM_SWEEP_H

#include <mbsens/equilibrium.h>

#include "json.h"
#include "options.h"

// Of options of an equilibrium with along; returns the exit status.
int cli_run_equilibrium_sweep(const CliOptions *options);

// What is said of each equilibrium: command_equilibrium.c. "stable", "UNSTABLE", ...
const char *cli_stability(const MbsEquilibriumResult *equilibrium);
// Members "steady" to "objectives".
void cli_put_equilibrium(CliJson *json, const MbsResult *result);

#endif
