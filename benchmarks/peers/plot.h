// Diagrams of work and precision as SVG: two panels, logarithmic both ways, error upwards, time or instructions to the
// right.
#ifndef PLOT_H
#define PLOT_H

#include <stdbool.h>

enum { PLOT_PANELS = 2 };

typedef struct PlotPoint {
  int line;  // which it belongs to
  double error, cost[PLOT_PANELS];
} PlotPoint;

typedef struct Plot {
  const char *title;
  const char *axes[PLOT_PANELS];
  int line_count;
  const char *const *names;  // of lines; those with "adjoint" in them are dashed
  int count;
  const PlotPoint *points;
} Plot;

// false: the file cannot be written
bool plot_write(const char *path, const Plot *plot);

#endif
