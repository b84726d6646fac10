// Ranked bars: see figure.h.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"

static const double text_size = 9, title_size = 11, margin = 10, row_height = 15, gap = 8;
enum { INK = 0x222222, FRAME = 0x666666, POSITIVE = 0x0072b2, NEGATIVE = 0xd55e00 };

typedef struct Columns {
  double label, zero, scale;  // width of the labels, where zero is, points per unit
} Columns;

static void draw_bar(CliDrawing *drawing, const CliRanked *bar, const Columns *columns, double y) {
  double length = columns->scale * bar->value, height = row_height - 5;
  bool is_negative = bar->value < 0;
  char text[32];
  cli_draw_text(drawing, bar->name, text_size, INK, margin + columns->label, y + 0.78 * height, CLI_RIGHT, false);
  cli_draw_rectangle(drawing, is_negative ? NEGATIVE : POSITIVE, columns->zero + fmin(length, 0), y, fabs(length),
                     height);
  (void)snprintf(text, sizeof text, "%s%.3g", is_negative ? "−" : "", fabs(bar->value));
  cli_draw_text(drawing, text, text_size, INK, columns->zero + length + (is_negative ? -3 : 3), y + 0.78 * height,
                is_negative ? CLI_RIGHT : CLI_LEFT, false);
}

CliDrawing *cli_bars_draw(const char *title, int panel_count, CliBarPanel *panels, double width) {
  const double number = 52;  // room for a value beside its bar
  double height = margin + (title[0] ? title_size + 8 : 0) + margin, most = 0, least = 0;
  Columns columns = {0};
  width = width > 0 ? width : 460;
  for (int p = 0; p < panel_count; ++p) {
    height += (p > 0 ? gap : 0) + row_height * (panels[p].count + 1);
    for (int i = 0; i < panels[p].count; ++i) {
      columns.label = fmax(columns.label, cli_text_width(panels[p].bars[i].name, text_size));
    }
  }
  columns.label = fmin(columns.label, width / 3);
  CliDrawing *drawing = cli_drawing_create(width, height, title);
  double y = margin;
  if (title[0]) {
    cli_draw_text(drawing, title, title_size, INK, margin, y + title_size, CLI_LEFT, false);
    y += title_size + 8;
  }
  for (int p = 0; p < panel_count; ++p) {  // each in its own measure: they are ranked within
    const CliBarPanel *panel = &panels[p];
    most = least = 0;
    for (int i = 0; i < panel->count; ++i) {
      most = fmax(most, panel->bars[i].value);
      least = fmin(least, panel->bars[i].value);
    }
    double left = margin + columns.label + 8 + (least < 0 ? number : 0);
    double room = width - margin - left - (most > 0 ? number : 0);
    columns.scale = most > least ? room / (most - least) : 0;
    columns.zero = left - columns.scale * least;
    y += p > 0 ? gap : 0;
    cli_draw_text(drawing, panel->title, text_size, INK, margin, y + text_size, CLI_LEFT, false);
    y += row_height;
    for (int i = 0; i < panel->count; ++i) {
      draw_bar(drawing, &panel->bars[i], &columns, y + row_height * i);
    }
    cli_draw_segment(drawing, (CliPen){FRAME, 0.7, 0}, columns.zero, y - 2, columns.zero,
                     y + row_height * panel->count - 3);
    y += row_height * panel->count;
  }
  return drawing;
}
