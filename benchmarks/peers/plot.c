// See plot.h.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "plot.h"

enum { LEFT = 60, WIDTH = 340, TOP = 30, HEIGHT = 330, BETWEEN = 420, COLOURS = 14 };
static const char *const colours[COLOURS] = {"#7f7f7f", "#2ca02c", "#1f77b4", "#17becf", "#bcbd22",
                                             "#000000", "#d62728", "#ff7f0e", "#e0a030", "#9467bd",
                                             "#c5b0d5", "#8c564b", "#e377c2", "#98df8a"};
static const double least_error = 1e-12, largest_error = 1e-2;

typedef struct Range {
  double least, most;  // decades
} Range;

static Range find_range(const Plot *plot, int panel) {
  Range range = {HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < plot->count; ++i) {
    double cost = plot->points[i].cost[panel];
    range.least = cost > 0 ? fmin(range.least, log10(cost) - 0.1) : range.least;
    range.most = cost > 0 ? fmax(range.most, log10(cost) + 0.1) : range.most;
  }
  return range;
}

static double at_error(double error) {
  double decades = log10(largest_error / least_error);
  return TOP + HEIGHT * log10(largest_error / fmin(fmax(error, least_error), largest_error)) / decades;
}

static double at_cost(double cost, Range range) {
  return LEFT + WIDTH * (log10(cost) - range.least) / (range.most - range.least);
}

static void draw_axes(FILE *out, const Plot *plot, int panel, Range range) {
  fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#444\"/>\n", LEFT, TOP, WIDTH,
          HEIGHT);
  for (int e = -2; e >= -12; e -= 2) {
    double y = at_error(pow(10, e));
    fprintf(out,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" "
            "text-anchor=\"end\">1e%d</text>\n",
            LEFT, LEFT + WIDTH, y, y, LEFT - 6, y + 4, e);
  }
  for (int e = (int)ceil(range.least); e <= range.most; ++e) {
    double at = at_cost(pow(10, e), range);
    fprintf(out,
            "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%d\" "
            "text-anchor=\"middle\">%g</text>\n",
            at, at, TOP, TOP + HEIGHT, at, TOP + HEIGHT + 16, pow(10, e));
  }
  fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", LEFT + WIDTH / 2, TOP + HEIGHT + 34,
          plot->axes[panel]);
}

static const char *dashes(const char *name) { return strstr(name, "adjoint") ? " stroke-dasharray=\"5,3\"" : ""; }

static void draw_line(FILE *out, const Plot *plot, int panel, Range range, int line) {
  const char *colour = colours[line % COLOURS];
  fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s points=\"", colour,
          dashes(plot->names[line]));
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < plot->count; ++i) {
      const PlotPoint *point = &plot->points[i];
      double cost = point->cost[panel];
      if (point->line == line && cost > 0) {
        fprintf(out, pass == 0 ? "%.1f,%.1f " : "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\"/>\n",
                at_cost(cost, range), at_error(point->error), colour);
      }
    }
    fprintf(out, pass == 0 ? "\"/>\n" : "");
  }
}

bool plot_write(const char *path, const Plot *plot) {
  FILE *out = fopen(path, "w");
  if (!out) {
    return false;
  }
  int rows = (plot->line_count + 2) / 3, height = TOP + HEIGHT + 50 + 18 * rows;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"840\" height=\"%d\" font-family=\"sans-serif\" "
          "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
          "<text x=\"%d\" y=\"18\">%s</text>\n",
          height, LEFT, plot->title);
  for (int panel = 0; panel < PLOT_PANELS; ++panel) {
    Range range = find_range(plot, panel);
    if (range.least > range.most) {
      continue;  // not measured
    }
    fprintf(out, "<g transform=\"translate(%d,0)\">\n", panel * BETWEEN);
    draw_axes(out, plot, panel, range);
    for (int line = 0; line < plot->line_count; ++line) {
      draw_line(out, plot, panel, range, line);
    }
    fprintf(out, "</g>\n");
  }
  for (int line = 0; line < plot->line_count; ++line) {
    int x = LEFT + line % 3 * 260, y = TOP + HEIGHT + 56 + line / 3 * 18;
    fprintf(out,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\"%s/><text x=\"%d\" "
            "y=\"%d\">%s</text>\n",
            x, x + 26, y - 4, y - 4, colours[line % COLOURS], dashes(plot->names[line]), x + 32, y, plot->names[line]);
  }
  fprintf(out, "</svg>\n");
  return fclose(out) == 0;
}
