// Natural modes near the start of a run, to be animated: y + a Re(c exp(i phase)) of everything that says where bodies
// are.
#ifndef MBS_CLI_HTML_MODES_H
#define MBS_CLI_HTML_MODES_H

#include <mbsens/linearize.h>

#include "design.h"

typedef struct CliModes {
  MbsLinearization *linear;  // of the design's drawn model, with outputs for frames
} CliModes;

// Of a design that has run. Return 0, or the exit status after a sentence on standard error.
int cli_modes_find(CliModes *modes, CliDesign *design);
// "modes": an array with eigenvalue and motion of each that moves something, of pairs the first.
void cli_modes_put(CliJson *json, const CliModes *modes, const CliDesign *design);
void cli_modes_free(CliModes *modes);

#endif
