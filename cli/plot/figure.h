// Figures as in a paper: panels one above the other on a common horizontal axis, with curves, a legend and the events;
// and ranked bars.
#ifndef MBS_CLI_FIGURE_H
#define MBS_CLI_FIGURE_H

#include "../ranked.h"
#include "drawing.h"

// More lines of events than these would hide the curves.
enum { CLI_MOST_EVENT_LINES = 25 };

typedef struct CliCurve {
  const char *label;  // in the legend
  long count;
  const double *x, *y;  // a value that is not finite interrupts the line
  int colour, dashes;   // their numbers
  bool is_continued;    // has the label of an earlier one: one entry in the legend is enough
} CliCurve;

typedef struct CliPanel {
  const char *label;  // of the vertical axis
  int curve_count;
  CliCurve *curves;
} CliPanel;

// Something at a place of the horizontal axis: an event.
typedef struct CliFigureMark {
  double x;
  const char *name;
} CliFigureMark;

typedef struct CliFigure {
  const char *title;    // "": none
  const char *label_x;  // of the horizontal axis
  bool is_log_x, is_log_y;
  bool is_equal;   // lengths are the same on both axes
  bool has_discs;  // at each value
  int panel_count;
  CliPanel *panels;
  int mark_count;
  CliFigureMark *marks;
  double width, height;  // points; 0: chosen
} CliFigure;

// A list of bars in their order, from a line at zero.
typedef struct CliBarPanel {
  const char *title;
  int count;
  CliRanked *bars;
} CliBarPanel;

// 0: fine. Else the panel (from 1) that has nothing to show: no finite values or, on a logarithmic axis, no positive
// ones; -1: the horizontal axis has none.
int cli_figure_lacks(const CliFigure *figure);
CliDrawing *cli_figure_draw(const CliFigure *figure);
// width 0: chosen.
CliDrawing *cli_bars_draw(const char *title, int panel_count, CliBarPanel *panels, double width);

#endif
