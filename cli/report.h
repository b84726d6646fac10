// What the results of simulate and gradient have in common, in words and in JSON.
#ifndef MBS_CLI_REPORT_H
#define MBS_CLI_REPORT_H

#include <mbsens/mbsens.h>
#include <stdio.h>

#include "json.h"
#include "model/settings.h"

// Is it a result that is whole, but not as accurate as was asked for?
bool cli_report_is_short(const MbsResult *result);
// "five-bar linkage: ali3p, natural coordinates, ..."; method MBS_METHOD_NONE is left out.
void cli_report_header(FILE *out, const MbsResult *result, MbsMethod method);
// A table of the objectives' values; nothing where there are none.
void cli_report_values(FILE *out, const MbsResult *result);
// "events": [{"name": ..., "time": ..., "energy_lost": ..., "gradient": {...}}, ...]
void cli_report_json_events(CliJson *json, const MbsResult *result);
// A table of what happened on the way; nothing where nothing did.
void cli_report_events(FILE *out, const MbsResult *result);
// Steps, time, residuals, energy: two lines; and warnings, a line each.
void cli_report_statistics(FILE *out, const MbsResult *result);

// The members from "model" to "events".
void cli_report_json(CliJson *json, const MbsResult *result, MbsMethod method);
// {"psi1": {"value": 0.7, "gradient": {"Ls1": -4.2}}}; the gradient only where there is one.
void cli_report_json_objectives(CliJson *json, const char *key, const MbsResult *result);
// Tables of outputs, points, coordinates, states, multipliers and reactions; and members "points" to "reactions".
// command_simulate.c
void cli_print_state(const MbsResult *result);
void cli_put_state(CliJson *json, const MbsResult *result);
// Tables of the gradient (NULL), or of two with their relative difference. command_gradient.c
void cli_print_gradients(const MbsResult *result, MbsMethod method, const MbsResult *other, MbsMethod compared);
double cli_largest_difference(const MbsResult *result, const MbsResult *other);
// "warnings" and "statistics"
void cli_report_json_statistics(CliJson *json, const MbsResult *result);

#endif
