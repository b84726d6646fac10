#include "figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "axis.h"

// letters and distances, points
static const double text_size = 9, title_size = 11, small_size = 7;
static const double margin = 10, gap = 12, tick_length = 3, line_height = 13;
enum { INK = 0x222222, GRID = 0xe4e4e4, FRAME = 0x666666, EVENT = 0x999999 };

// Okabe and Ito's, which most who are colour-blind can tell apart, without the yellow that paper swallows
static const unsigned colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000};
enum { COLOUR_COUNT = sizeof colours / sizeof colours[0] };

typedef struct Range {
  double least, most;
} Range;

static bool is_shown(double value, bool is_log) { return isfinite(value) && !(is_log && value <= 0); }

static void widen(Range *range, double value) {
  range->least = fmin(range->least, value);
  range->most = fmax(range->most, value);
}

// of the values that are shown: both of a pair must be
static void find_ranges(const CliFigure *figure, int panel, Range *x, Range *y) {
  for (int c = 0; c < figure->panels[panel].curve_count; ++c) {
    const CliCurve *curve = &figure->panels[panel].curves[c];
    for (long i = 0; i < curve->count; ++i) {
      if (is_shown(curve->x[i], figure->is_log_x) && is_shown(curve->y[i], figure->is_log_y)) {
        widen(x, curve->x[i]);
        widen(y, curve->y[i]);
      }
    }
  }
}

static const Range empty = {HUGE_VAL, -HUGE_VAL};

int cli_figure_lacks(const CliFigure *figure) {
  for (int p = 0; p < figure->panel_count; ++p) {
    Range x = empty, y = empty;
    find_ranges(figure, p, &x, &y);
    if (x.least > x.most) {
      for (int c = 0; c < figure->panels[p].curve_count; ++c) {
        const CliCurve *curve = &figure->panels[p].curves[c];
        for (long i = 0; i < curve->count; ++i) {
          if (is_shown(curve->x[i], figure->is_log_x)) {
            return p + 1;
          }
        }
      }
      return -1;
    }
  }
  return 0;
}

// ---- layout ----
typedef struct Place {
  double x, y, width, height;  // of the frame
  int legend_rows;
  bool has_label_above;  // it is too long to run along the axis
  CliAxis axis;          // vertical
} Place;

typedef struct Layout {
  double width, height, left, right, top;
  CliAxis axis;  // horizontal
  Place *places;
} Layout;

static const double key_length = 20;

static double entry_width(const CliCurve *curve) {
  return key_length + 6 + cli_text_width(curve->label, text_size) + gap;
}

static bool has_legend(const CliPanel *panel) {
  int entries = 0;
  for (int c = 0; c < panel->curve_count; ++c) {
    entries += !panel->curves[c].is_continued && panel->curves[c].label[0] != '\0';
  }
  return entries > 0;
}

static int count_legend_rows(const CliPanel *panel, double width) {
  double used = 0;
  int rows = has_legend(panel);
  for (int c = 0; c < panel->curve_count && rows > 0; ++c) {
    if (!panel->curves[c].is_continued) {
      double entry = entry_width(&panel->curves[c]);
      if (used > 0 && used + entry > width) {
        ++rows;
        used = 0;
      }
      used += entry;
    }
  }
  return rows;
}

static double widest_label(const CliAxis *axis) {
  double widest = 0;
  for (int i = 0; i < axis->tick_count; ++i) {
    char text[CLI_TICK_ROOM];
    cli_axis_label(axis, i, text);
    widest = fmax(widest, cli_text_width(text, text_size));
  }
  return widest;
}

// An axis that is too long for its range gets more of it on both sides.
static void spread(CliAxis *axis, double range, int about) {
  double middle = (axis->least + axis->most) / 2;
  double from = axis->from, to = axis->to;
  cli_axis_fit(axis, false, middle - range / 2, middle + range / 2, 0, about);
  axis->from = from;
  axis->to = to;
}

static void make_equal(Layout *layout, Place *place) {
  double per_x = (layout->axis.most - layout->axis.least) / place->width;
  double per_y = (place->axis.most - place->axis.least) / place->height;
  if (per_x < per_y) {
    spread(&layout->axis, per_y * place->width, (int)(place->width / 60));
  } else {
    spread(&place->axis, per_x * place->height, (int)(place->height / 30));
  }
}

static void lay_out(const CliFigure *figure, Layout *layout) {
  layout->width = figure->width > 0 ? figure->width : figure->is_equal ? 400 : 460;
  double panel_height = figure->is_equal ? 300 : figure->panel_count == 1 ? 230 : figure->panel_count == 2 ? 160 : 120;
  layout->top = margin + (figure->title[0] ? title_size + 8 : 0);
  layout->right = margin + 14;
  Range x = empty;
  double labels = 0;
  for (int p = 0; p < figure->panel_count; ++p) {
    Range y = empty;
    find_ranges(figure, p, &x, &y);
    cli_axis_fit(&layout->places[p].axis, figure->is_log_y, y.least, y.most, 0.05, (int)(panel_height / 30));
    labels = fmax(labels, widest_label(&layout->places[p].axis));
  }
  layout->left = margin + text_size + 8 + labels + tick_length + 3;
  double width = layout->width - layout->left - layout->right, below = text_size + 8 + line_height + margin;
  cli_axis_fit(&layout->axis, figure->is_log_x, x.least, x.most, figure->is_equal || figure->has_discs ? 0.04 : 0,
               (int)(width / 60));
  layout->axis.from = layout->left;
  layout->axis.to = layout->left + width;
  double heads = 0;  // what stands above panels
  for (int p = 0; p < figure->panel_count; ++p) {
    Place *place = &layout->places[p];
    char factor[CLI_TICK_ROOM];
    place->legend_rows = count_legend_rows(&figure->panels[p], width);
    cli_axis_factor(&place->axis, factor);
    if (factor[0] && place->legend_rows == 0) {
      place->legend_rows = 1;
    }
    place->has_label_above = cli_text_width(figure->panels[p].label, text_size) > panel_height + gap;
    place->legend_rows += place->has_label_above;
    heads += place->legend_rows * line_height + (p > 0 ? gap : 0);
  }
  if (figure->height > 0) {
    panel_height = (figure->height - layout->top - heads - below) / figure->panel_count;
    panel_height = fmax(panel_height, 40);
  }
  double y = layout->top;
  for (int p = 0; p < figure->panel_count; ++p) {
    Place *place = &layout->places[p];
    y += (p > 0 ? gap : 0) + place->legend_rows * line_height;
    *place = (Place){layout->left, y, width, panel_height, place->legend_rows, place->has_label_above, place->axis};
    place->axis.from = y + panel_height;
    place->axis.to = y;
    y += panel_height;
    if (figure->is_equal && p == 0) {
      make_equal(layout, place);
    }
  }
  layout->height = y + below;
}

// ---- axes ----
static void draw_horizontal_axis(CliDrawing *drawing, const CliFigure *figure, const Layout *layout) {
  const Place *last = &layout->places[figure->panel_count - 1];
  double y = last->y + last->height;
  char text[CLI_TICK_ROOM];
  for (int i = 0; i < layout->axis.tick_count; ++i) {
    cli_axis_label(&layout->axis, i, text);
    cli_draw_text(drawing, text, text_size, INK, cli_axis_at(&layout->axis, layout->axis.ticks[i]),
                  y + tick_length + text_size + 1, CLI_MIDDLE, false);
  }
  double below = y + text_size + 8 + line_height;
  cli_draw_text(drawing, figure->label_x, text_size, INK, last->x + last->width / 2, below, CLI_MIDDLE, false);
  cli_axis_factor(&layout->axis, text);
  cli_draw_text(drawing, text, text_size, INK, last->x + last->width, below, CLI_RIGHT, false);
}

static void draw_frame(CliDrawing *drawing, const CliPanel *panel, const Layout *layout, const Place *place) {
  const CliPen grid = {GRID, 0.5, 0}, frame = {FRAME, 0.7, 0};
  double right = place->x + place->width, bottom = place->y + place->height;
  char text[CLI_TICK_ROOM];
  for (int i = 0; i < layout->axis.tick_count; ++i) {
    double x = cli_axis_at(&layout->axis, layout->axis.ticks[i]);
    cli_draw_segment(drawing, grid, x, place->y, x, bottom);
    cli_draw_segment(drawing, frame, x, bottom, x, bottom + tick_length);
  }
  for (int i = 0; i < place->axis.tick_count; ++i) {
    double y = cli_axis_at(&place->axis, place->axis.ticks[i]);
    cli_draw_segment(drawing, grid, place->x, y, right, y);
    cli_draw_segment(drawing, frame, place->x - tick_length, y, place->x, y);
    cli_axis_label(&place->axis, i, text);
    cli_draw_text(drawing, text, text_size, INK, place->x - tick_length - 3, y + 0.35 * text_size, CLI_RIGHT, false);
  }
  cli_draw_line(drawing, frame);
  cli_draw_to(drawing, place->x, place->y);
  cli_draw_to(drawing, right, place->y);
  cli_draw_to(drawing, right, bottom);
  cli_draw_to(drawing, place->x, bottom);
  cli_draw_to(drawing, place->x, place->y);
  cli_axis_factor(&place->axis, text);
  cli_draw_text(drawing, text, text_size, INK, place->x - tick_length, place->y - 5, CLI_RIGHT, false);
  if (place->has_label_above) {
    cli_draw_text(drawing, panel->label, text_size, INK, place->x,
                  place->y - (place->legend_rows - 1) * line_height - 5, CLI_LEFT, false);
  } else {
    cli_draw_text(drawing, panel->label, text_size, INK, margin + text_size, place->y + place->height / 2, CLI_MIDDLE,
                  true);
  }
}

static void draw_legend(CliDrawing *drawing, const CliFigure *figure, const CliPanel *panel, const Place *place) {
  int rows = place->legend_rows - place->has_label_above;
  double x = place->x, y = place->y - (rows - 1) * line_height - 5;
  if (!has_legend(panel)) {
    return;
  }
  for (int c = 0; c < panel->curve_count; ++c) {
    const CliCurve *curve = &panel->curves[c];
    if (curve->is_continued) {
      continue;
    }
    double entry = entry_width(curve);
    if (x > place->x && x + entry > place->x + place->width) {
      x = place->x;
      y += line_height;
    }
    unsigned colour = colours[curve->colour % COLOUR_COUNT];
    double middle = y - 0.32 * text_size;
    cli_draw_segment(drawing, (CliPen){colour, 1.4, curve->dashes % CLI_DASH_PATTERNS}, x, middle, x + key_length,
                     middle);
    if (figure->has_discs) {
      cli_draw_disc(drawing, colour, x + key_length / 2, middle, 2);
    }
    cli_draw_text(drawing, curve->label, text_size, INK, x + key_length + 6, y, CLI_LEFT, false);
    x += entry;
  }
}

// ---- curves ----
static bool has_rising_x(const CliCurve *curve) {
  for (long i = 1; i < curve->count; ++i) {
    if (!(curve->x[i] >= curve->x[i - 1])) {
      return false;
    }
  }
  return true;
}

// Corners of a line on paper, without those that would not be seen. Of a curve whose x rises, a strip of half a point
// keeps where the line enters and leaves it, its lowest and its highest corner, in their order; of others a corner that
// is closer than a fifth of a point to the last one is left out. Of both, corners that lie on a straight line, up to a
// twentieth of a point.
enum { MOST_WAITING = 48 };

typedef struct Thinner {
  CliDrawing *drawing;
  CliPen pen;
  bool is_by_strips, is_open;  // open: a line is being drawn
  long strip;
  int kept;  // corners of the strip: first, lowest, highest, last
  CliCorner first, low, high, last;
  bool low_is_earlier;
  CliCorner drawn;  // behind it corners wait that lie on a straight line
  int waiting;
  CliCorner waits[MOST_WAITING];
} Thinner;

static void draw_corner(Thinner *thinner, CliCorner corner) {
  cli_draw_to(thinner->drawing, corner.x, corner.y);
  thinner->drawn = corner;
  thinner->waiting = 0;
}

static bool is_straight(const Thinner *thinner, CliCorner to) {
  double dx = to.x - thinner->drawn.x, dy = to.y - thinner->drawn.y, length = hypot(dx, dy);
  for (int i = 0; i < thinner->waiting; ++i) {
    double x = thinner->waits[i].x - thinner->drawn.x, y = thinner->waits[i].y - thinner->drawn.y;
    double along = x * dx + y * dy;
    if (fabs(x * dy - y * dx) > 0.05 * length || along < 0 || along > length * length) {
      return false;
    }
  }
  return thinner->waiting < MOST_WAITING;
}

static void put_corner(Thinner *thinner, CliCorner corner) {
  if (!thinner->is_open) {
    cli_draw_line(thinner->drawing, thinner->pen);
    thinner->is_open = true;
    draw_corner(thinner, corner);
    return;
  }
  CliCorner before = thinner->waiting > 0 ? thinner->waits[thinner->waiting - 1] : thinner->drawn;
  if (hypot(corner.x - before.x, corner.y - before.y) < 1e-3) {
    return;
  }
  if (!is_straight(thinner, corner)) {
    draw_corner(thinner, before);
  }
  thinner->waits[thinner->waiting++] = corner;
}

static void flush(Thinner *thinner) {
  if (thinner->kept > 0) {
    put_corner(thinner, thinner->first);
    put_corner(thinner, thinner->low_is_earlier ? thinner->low : thinner->high);
    put_corner(thinner, thinner->low_is_earlier ? thinner->high : thinner->low);
    put_corner(thinner, thinner->last);
  }
  thinner->kept = 0;
}

static void end_line(Thinner *thinner) {
  flush(thinner);
  if (thinner->waiting > 0) {
    draw_corner(thinner, thinner->waits[thinner->waiting - 1]);
  }
  thinner->is_open = false;
}

static void add_corner(Thinner *thinner, CliCorner corner) {
  long strip = thinner->is_by_strips ? (long)floor(2 * corner.x) : 0;
  bool is_same = thinner->kept > 0 && strip == thinner->strip;
  if (!thinner->is_by_strips) {
    is_same = thinner->kept > 0 && hypot(corner.x - thinner->first.x, corner.y - thinner->first.y) < 0.2;
  }
  if (!is_same) {
    flush(thinner);
    thinner->first = thinner->low = thinner->high = corner;
    thinner->strip = strip;
  }
  if (corner.y < thinner->low.y) {
    thinner->low = corner;
    thinner->low_is_earlier = false;
  }
  if (corner.y > thinner->high.y) {
    thinner->high = corner;
    thinner->low_is_earlier = true;
  }
  thinner->last = corner;
  ++thinner->kept;
}

static void draw_curve(CliDrawing *drawing, const CliFigure *figure, const CliCurve *curve, const Layout *layout,
                       const Place *place) {
  unsigned colour = colours[curve->colour % COLOUR_COUNT];
  Thinner thinner = {
      .drawing = drawing, .pen = {colour, 1.2, curve->dashes % CLI_DASH_PATTERNS}, .is_by_strips = has_rising_x(curve)};
  for (long i = 0; i < curve->count; ++i) {
    if (!is_shown(curve->x[i], figure->is_log_x) || !is_shown(curve->y[i], figure->is_log_y)) {
      end_line(&thinner);
      continue;
    }
    add_corner(&thinner, (CliCorner){cli_axis_at(&layout->axis, curve->x[i]), cli_axis_at(&place->axis, curve->y[i])});
  }
  end_line(&thinner);
  for (long i = 0; i < curve->count && figure->has_discs; ++i) {
    if (is_shown(curve->x[i], figure->is_log_x) && is_shown(curve->y[i], figure->is_log_y)) {
      cli_draw_disc(drawing, colour, cli_axis_at(&layout->axis, curve->x[i]), cli_axis_at(&place->axis, curve->y[i]),
                    2);
    }
  }
}

// Lines with names; of more than CLI_MOST_EVENT_LINES ticks at the bottom.
static void draw_marks(CliDrawing *drawing, const CliFigure *figure, const Layout *layout) {
  enum { TICK = 5 };
  bool are_many = figure->mark_count > CLI_MOST_EVENT_LINES;
  double named = -HUGE_VAL;  // where the last name stands
  for (int i = 0; i < figure->mark_count; ++i) {
    const CliFigureMark *mark = &figure->marks[i];
    double x = cli_axis_at(&layout->axis, mark->x);
    if (!(x >= layout->axis.from - 0.5 && x <= layout->axis.to + 0.5)) {
      continue;
    }
    for (int p = 0; p < figure->panel_count; ++p) {
      const Place *place = &layout->places[p];
      double bottom = place->y + place->height;
      cli_draw_segment(drawing, (CliPen){EVENT, 0.6, are_many ? 0 : 1}, x, are_many ? bottom - TICK : place->y, x,
                       bottom);
    }
    if (!are_many && x - named > small_size + 1) {
      cli_draw_text(drawing, mark->name, small_size, EVENT, x - 3, layout->places[0].y + 3, CLI_RIGHT, true);
      named = x;
    }
  }
}

CliDrawing *cli_figure_draw(const CliFigure *figure) {
  Layout layout = {.places = cli_memory_take((size_t)figure->panel_count, sizeof(Place))};
  lay_out(figure, &layout);
  CliDrawing *drawing = cli_drawing_create(layout.width, layout.height, figure->title);
  if (figure->title[0]) {
    cli_draw_text(drawing, figure->title, title_size, INK, layout.left, margin + title_size, CLI_LEFT, false);
  }
  for (int p = 0; p < figure->panel_count; ++p) {
    draw_frame(drawing, &figure->panels[p], &layout, &layout.places[p]);
  }
  draw_horizontal_axis(drawing, figure, &layout);
  draw_marks(drawing, figure, &layout);
  for (int p = 0; p < figure->panel_count; ++p) {
    const Place *place = &layout.places[p];
    const CliPanel *panel = &figure->panels[p];
    draw_legend(drawing, figure, panel, place);
    cli_draw_within(drawing, place->x - 2, place->y - 2, place->width + 4, place->height + 4);
    for (int c = 0; c < panel->curve_count; ++c) {
      draw_curve(drawing, figure, &panel->curves[c], &layout, place);
    }
    cli_draw_anywhere(drawing);
  }
  free(layout.places);
  return drawing;
}
