// An axis of a figure: the range of numbers it shows, where they are on the paper, and its ticks.
//
// Ticks are at 1, 2 or 5 times a power of ten, of a logarithmic axis at powers of ten. Where their numbers would be
// long, a common factor 10^n goes beside the axis.
#ifndef MBS_CLI_AXIS_H
#define MBS_CLI_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum { CLI_MOST_TICKS = 32, CLI_TICK_ROOM = 32 };

typedef struct CliAxis {
  bool is_log;
  double least, most;  // shown; of a logarithmic axis above 0
  double from, to;     // where these are, points
  int tick_count;
  double ticks[CLI_MOST_TICKS];
  int decimals, factor;  // of a linear axis: the labels are value / 10^factor with so many decimals
} CliAxis;

// Chooses range and ticks for values from `least` to `most`: with a margin of that part of the range on both sides, and
// about so many ticks. A range that is empty is widened.
void cli_axis_fit(CliAxis *axis, bool is_log, double least, double most, double margin, int about);
double cli_axis_at(const CliAxis *axis, double value);
void cli_axis_label(const CliAxis *axis, int tick, char text[CLI_TICK_ROOM]);
// "x 10^3" with raised digits; "": there is no factor.
void cli_axis_factor(const CliAxis *axis, char text[CLI_TICK_ROOM]);

#endif
