// A design that a report shows: a model, run from its start, with what its picture is drawn from.
#ifndef MBS_CLI_HTML_DESIGN_H
#define MBS_CLI_HTML_DESIGN_H

#include "../session.h"
#include "geometry.h"

typedef struct CliDesign {
  CliSession session;
  char *text;  // of the whole model
  CliGeometry geometry;
  CliData rows;               // frames, coordinates, reactions, and what the geometry needs
  CliData curves;             // the same, with every extreme value
  MbsModel *scratch, *drawn;  // copies with outputs of their own
  MbsResult *result;
} CliDesign;

// Return 0, or the exit status after a sentence on standard error. To be closed in both cases.
int cli_design_open(CliDesign *design, const CliOptions *options);
// `label` says in words what runs.
int cli_design_run(CliDesign *design, const char *label);
void cli_design_close(CliDesign *design);

// An object with its geometry and motion; `label` tells it from others.
void cli_design_put(CliJson *json, const CliDesign *design, const char *label);

#endif
