#include "csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "outcome.h"

static MbsStatus state_of(const CliCsv *csv) { return cli_output_has_failed(csv->output) ? MBS_ERROR_FILE : MBS_OK; }

static void put_text(FILE *file, const char *text) {
  for (const char *c = text; *c; ++c) {
    (void)fputs(*c == '"' ? "\"\"" : (char[]){*c, '\0'}, file);
  }
}

// A name, or name [unit]. Those with commas, quotes or line breaks go between quotes, inner quotes doubled (RFC 4180).
static void put_name(FILE *file, const char *name, const char *unit) {
  static const char special[] = ",\"\r\n";
  const char *quote = strpbrk(name, special) || (unit && strpbrk(unit, special)) ? "\"" : "";
  (void)fputs(quote, file);
  put_text(file, name);
  if (unit) {
    (void)fputs(" [", file);
    put_text(file, unit);
    (void)fputs("]", file);
  }
  (void)fputs(quote, file);
}

// the time is in seconds, and has always been called t
static MbsStatus keep_units(void *user, int column_count, const char *const *units, const char *const *descriptions) {
  CliCsv *csv = user;
  (void)descriptions;  // which a line of names has no place for
  csv->units = cli_memory_take((size_t)column_count, sizeof *csv->units);
  csv->column_count = column_count;
  for (int j = 1; j < column_count; ++j) {
    csv->units[j] = units[j] ? cli_memory_copy_text(units[j], strlen(units[j])) : NULL;
  }
  return MBS_OK;
}

static MbsStatus write_header(void *user, int column_count, const char *const *names) {
  CliCsv *csv = user;
  csv->column_count = column_count;
  csv->names = cli_memory_take((size_t)column_count, sizeof *csv->names);
  errno = 0;
  for (int j = 0; j < column_count; ++j) {
    csv->names[j] = cli_memory_copy_text(names[j], strlen(names[j]));
    put_name(csv->output->file, names[j], csv->units ? csv->units[j] : NULL);
    (void)fputc(j + 1 < column_count ? ',' : '\n', csv->output->file);
  }
  return state_of(csv);
}

static void note_empty(CliCsv *csv, int column, double time) {
  if (csv->empty_count++ == 0) {
    csv->empty_column = column;
    csv->empty_time = time;
  }
}

static MbsStatus write_row(void *user, const double *values) {
  CliCsv *csv = user;
  errno = 0;
  for (int j = 0; j < csv->column_count; ++j) {
    if (isfinite(values[j])) {
      (void)fprintf(csv->output->file, "%.17g", values[j]);
    } else {
      note_empty(csv, j, values[0]);
    }
    (void)fputc(j + 1 < csv->column_count ? ',' : '\n', csv->output->file);
  }
  ++csv->row_count;
  return state_of(csv);
}

void cli_csv_begin(CliCsv *csv, CliOutputFile *output) {
  *csv = (CliCsv){.output = output};
  csv->recorder = (MbsRecorder){.user = csv, .describe = keep_units, .begin = write_header, .row = write_row};
}

int cli_csv_check(const CliCsv *csv) {
  return csv->column_count > 0 ? 0
                               : cli_fail(MBS_ERROR_NOT_OFFERED, "-o %s: time histories of this method are not offered",
                                          csv->output->path);
}

void cli_csv_tell_empty(const CliCsv *csv) {
  if (csv->empty_count > 0) {
    (void)fprintf(stderr, "mbsens: %s: %ld values are no finite numbers and stay empty, the first %s at t = %.10g\n",
                  csv->output->path, csv->empty_count, csv->names[csv->empty_column], csv->empty_time);
  }
}

void cli_csv_free(CliCsv *csv) {
  for (int j = 0; j < csv->column_count; ++j) {
    free(csv->names ? csv->names[j] : NULL);
    free(csv->units ? csv->units[j] : NULL);
  }
  free(csv->names);
  free(csv->units);
  *csv = (CliCsv){0};
}
