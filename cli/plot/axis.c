#include "axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// 10^n, n with raised digits
static void put_power(char *text, size_t room, const char *before, int n) {
  static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  char digits[16];
  (void)snprintf(digits, sizeof digits, "%d", n < 0 ? -n : n);
  int used = snprintf(text, room, "%s10%s", before, n < 0 ? "⁻" : "");
  for (const char *c = digits; *c && used > 0 && (size_t)used < room; ++c) {
    used += snprintf(text + used, room - (size_t)used, "%s", raised[*c - '0']);
  }
}

static void add_tick(CliAxis *axis, double value) {
  double slack = 1e-9 * (axis->is_log ? value : axis->most - axis->least);
  if (axis->tick_count < CLI_MOST_TICKS && value >= axis->least - slack && value <= axis->most + slack) {
    axis->ticks[axis->tick_count++] = value;
  }
}

static void choose_linear_ticks(CliAxis *axis, int about) {
  double range = axis->most - axis->least, rough = range / about;
  int decade = (int)floor(log10(rough));
  double lead = rough / pow(10, decade);
  int times = lead <= 1.5 ? 1 : lead <= 3.5 ? 2 : lead <= 7.5 ? 5 : 10;  // nearest to so many
  double unit = pow(10, decade), first = ceil(axis->least / (times * unit) - 1e-9);
  for (int i = 0; i < CLI_MOST_TICKS; ++i) {
    add_tick(axis, (first + i) * times * unit);
  }
  double largest = fmax(fabs(axis->least), fabs(axis->most));
  int size = (int)floor(log10(largest) + 1e-9);
  decade += times == 10;
  axis->factor = size >= 5 || size < -2 ? size : 0;
  axis->decimals = decade < axis->factor ? axis->factor - decade : 0;
}

static void choose_decades(CliAxis *axis, int about) {
  int first = (int)floor(log10(axis->least) + 1e-9), last = (int)ceil(log10(axis->most) - 1e-9);
  int every = (last - first) / about + 1;
  static const double within[] = {1, 2, 5};
  bool has_few = log10(axis->most / axis->least) < 2;  // powers of ten alone would be too few
  for (int n = first; n <= last; ++n) {
    for (int k = 0; k < (has_few ? 3 : 1); ++k) {
      if (n % every == 0) {
        add_tick(axis, within[k] * pow(10, n));
      }
    }
  }
}

void cli_axis_fit(CliAxis *axis, bool is_log, double least, double most, double margin, int about) {
  *axis = (CliAxis){.is_log = is_log};
  if (is_log) {
    double decades = log10(most / least), beyond = fmax(margin * decades, most > least ? 0 : 0.5);
    axis->least = least * pow(10, -beyond);
    axis->most = most * pow(10, beyond);
    choose_decades(axis, about);
    return;
  }
  double size = fmax(fabs(least), fabs(most));
  bool is_flat = most - least <= 1e-12 * size;  // rounding is not worth a picture
  double beyond = is_flat ? (size > 0 ? 0.1 * size : 1) : margin * (most - least);
  axis->least = least - beyond;
  axis->most = most + beyond;
  choose_linear_ticks(axis, about);
}

double cli_axis_at(const CliAxis *axis, double value) {
  double part = axis->is_log ? log(value / axis->least) / log(axis->most / axis->least)
                             : (value - axis->least) / (axis->most - axis->least);
  return axis->from + part * (axis->to - axis->from);
}

void cli_axis_label(const CliAxis *axis, int tick, char text[CLI_TICK_ROOM]) {
  double value = axis->ticks[tick];
  if (axis->is_log) {
    int n = (int)floor(log10(value) + 1e-9);
    double lead = value / pow(10, n);
    char before[8] = "";
    if (n >= -3 && n <= 3) {
      (void)snprintf(text, CLI_TICK_ROOM, "%.3g", value);
    } else {
      if (lead > 1.5) {
        (void)snprintf(before, sizeof before, "%.0f·", lead);
      }
      put_power(text, CLI_TICK_ROOM, before, n);
    }
    return;
  }
  double shown = value / pow(10, axis->factor);
  if (fabs(shown) < 0.5 * pow(10, -axis->decimals)) {
    shown = 0;  // and not -0
  }
  (void)snprintf(text, CLI_TICK_ROOM, "%.*f", axis->decimals, shown);
  if (text[0] == '-') {  // the sign of mathematics, not a hyphen
    char digits[CLI_TICK_ROOM];
    (void)snprintf(digits, sizeof digits, "%s", text + 1);
    (void)snprintf(text, CLI_TICK_ROOM, "−%.*s", CLI_TICK_ROOM - 4, digits);
  }
}

void cli_axis_factor(const CliAxis *axis, char text[CLI_TICK_ROOM]) {
  text[0] = '\0';
  if (!axis->is_log && axis->factor != 0) {
    put_power(text, CLI_TICK_ROOM, "× ", axis->factor);
  }
}
