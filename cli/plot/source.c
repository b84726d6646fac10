#include "source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"

CliRun *cli_runs_add(CliRuns *runs, const char *operand, const char *label) {
  runs->items = cli_memory_resize(runs->items, (size_t)runs->count + 1, sizeof *runs->items);
  CliRun *run = &runs->items[runs->count++];
  *run = (CliRun){.operand = operand, .label = cli_memory_copy_text(label, strlen(label))};
  return run;
}

void cli_run_add_series(CliRun *run, int word, int column, const char *label) {
  run->series = cli_memory_resize(run->series, (size_t)run->series_count + 1, sizeof *run->series);
  run->series[run->series_count++] =
      (CliSeries){.word = word, .column = column, .label = cli_memory_copy_text(label, strlen(label))};
}

void cli_runs_free(CliRuns *runs) {
  for (int i = 0; i < runs->count; ++i) {
    CliRun *run = &runs->items[i];
    for (int k = 0; k < run->series_count; ++k) {
      free(run->series[k].label);
    }
    for (int k = 0; k < run->moment_count; ++k) {
      free(run->moments[k].name);
    }
    cli_data_free(&run->data);
    free(run->series);
    free(run->moments);
    free(run->label);
    free(run->x_name);
  }
  free(runs->items);
  *runs = (CliRuns){0};
}

// At an event derivatives are those of a state whose time moves with the parameter, which is no point of a curve over
// time: the curve is interrupted there.
void cli_run_blank_at_events(CliRun *run, bool has_ended) {
  const double *time = run->data.columns[0].values;
  long count = run->data.row_count;
  for (int k = 0; k < run->series_count; ++k) {
    CliColumn *column = &run->data.columns[run->series[k].column];
    for (long i = 0; i < count && strncmp(column->name, "d(", 2) == 0; ++i) {
      bool is_twice = (i > 0 && !(time[i] > time[i - 1])) || (i + 1 < count && !(time[i + 1] > time[i]));
      if (is_twice || (has_ended && i + 1 == count)) {
        column->values[i] = (double)NAN;
      }
    }
  }
}

static const char *unit_of(const CliColumn *column) { return column->unit ? column->unit : ""; }

void cli_words_add_by_unit(CliWords *words, int count, const CliColumn *const *columns) {
  enum { MOST_PANELS = 6 };
  int *panels = cli_memory_take((size_t)count, sizeof *panels), panel_count = 0;
  for (int i = 0; i < count; ++i) {
    int k = 0;
    while (k < i && (unit_of(columns[i])[0] == '\0' || strcmp(unit_of(columns[k]), unit_of(columns[i])) != 0)) {
      ++k;
    }
    bool is_last = panel_count == MOST_PANELS;
    panels[i] = k < i ? panels[k] : is_last ? MOST_PANELS - 1 : panel_count++;
  }
  for (int p = 0; p < panel_count; ++p) {
    for (int i = 0; i < count; ++i) {
      if (panels[i] == p) {
        cli_words_add(words, columns[i]->name, p);
      }
    }
  }
  free(panels);
}
