// Columns of a CSV file in the place of a table's points and ordinates (csv_file.h). A column is named by its header,
// or by its number, from 1.
//
// A curve takes columns x and y as they are. A map has columns x, y and z with a line for each pair, in any order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "io/assembly.h"
#include "io/csv_file.h"

typedef struct Csv {
  const MbsReader *reader;
  const MbsWhere *where;
  const char *path;
  MbsCsv file;
} Csv;

// Lines of more cells than the header, or the first line, has have numbers in columns that are not theirs: a decimal
// comma, say. Separators at their ends do no harm.
static MbsStatus check_counts(const Csv *csv) {
  int columns = csv->file.header_count > 0 ? csv->file.header_count : 0;
  for (int i = 0; i < csv->file.row_count; ++i) {
    const MbsText *row = csv->file.rows[i];
    int count = csv->file.cell_counts[i];
    while (count > 1 && row[count - 1].text[0] == '\0') {
      --count;
    }
    columns = columns > 0 ? columns : count;
    if (count > columns) {
      return mbs_reader_fail(csv->reader, csv->where, row[columns].place,
                             "this line has %d numbers, the first one has %d columns; write a decimal point", count,
                             columns);
    }
  }
  return MBS_OK;
}

static MbsStatus load(Csv *csv, MbsText file) {
  const MbsReader *reader = csv->reader;
  csv->path = mbs_csv_beside(reader->arena, file.place.file ? file.place.file : reader->file, file.text);
  if (!csv->path) {
    return mbs_fail(reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MbsStatus status = mbs_csv_read(reader, csv->path, &csv->file);
  if (status == MBS_ERROR_FILE) {
    char trouble[MBS_MESSAGE_SIZE];
    (void)snprintf(trouble, sizeof trouble, "%s", reader->context->message);
    return mbs_reader_fail(reader, csv->where, file.place, "%.900s", trouble);
  }
  MBS_TRY(status);
  MBS_TRY(check_counts(csv));
  return csv->file.row_count > 0 ? MBS_OK
                                 : mbs_reader_fail(reader, csv->where, file.place, "%s has no numbers", csv->path);
}

// ---- columns ----
static MbsStatus find_column(const Csv *csv, const char *field, const MbsValue *value, int *column) {
  const MbsReader *reader = csv->reader;
  MbsWhere where = {.outer = csv->where, .word = field};
  char known[512] = "";
  const char *nearest = NULL;
  double number;
  if (value->count != 1) {
    return mbs_reader_fail(reader, &where, value->place, "expected a column of %s, by its name or number, found a list",
                           csv->path);
  }
  MbsText wanted = value->texts[0];
  for (int k = 0; k < csv->file.header_count; ++k) {
    if (strcmp(csv->file.header[k].text, wanted.text) == 0) {
      *column = k;
      return MBS_OK;
    }
    mbs_name_nearest(wanted.text, csv->file.header[k].text, &nearest);
    mbs_reader_append_name(known, sizeof known, csv->file.header[k].text);
  }
  int columns = csv->file.header_count > 0 ? csv->file.header_count : csv->file.cell_counts[0];
  if (mbs_csv_is_number(wanted.text, &number) && number >= 1 && number <= columns && number == (double)(int)number) {
    *column = (int)number - 1;
    return MBS_OK;
  }
  return mbs_reader_fail(reader, &where, wanted.place, "%s has no column \"%.60s\"%s%s%s; it has %d%s%.300s", csv->path,
                         wanted.text, nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "",
                         columns, known[0] ? ": " : ", without a header", known);
}

static MbsStatus take_column(const Csv *csv, const char *field, const MbsValue *value, MbsText **texts) {
  const MbsReader *reader = csv->reader;
  int column = 0;
  double unused;
  MBS_TRY(find_column(csv, field, value, &column));
  MBS_TAKE(reader->context, reader->arena, *texts, csv->file.row_count);
  for (int i = 0; i < csv->file.row_count; ++i) {
    const MbsText *row = csv->file.rows[i], *last = &row[csv->file.cell_counts[i] - 1];
    if (column >= csv->file.cell_counts[i] || row[column].text[0] == '\0') {
      MbsPlace place = column >= csv->file.cell_counts[i] ? last->place : row[column].place;
      return mbs_reader_fail(reader, csv->where, place, "column %d, which is %s, has a gap: no number in this line",
                             column + 1, field);
    }
    if (!mbs_csv_is_number(row[column].text, &unused)) {
      return mbs_reader_fail(reader, csv->where, row[column].place, "expected a number, found \"%.60s\"%s",
                             row[column].text, strchr(row[column].text, ',') ? "; write a decimal point" : "");
    }
    (*texts)[i] = row[column];
  }
  return MBS_OK;
}

// ---- maps ----
static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// the different numbers among texts, ascending, with a text of each
static MbsStatus list_points(const Csv *csv, const MbsText *texts, double *points, int *count, MbsText **of_points) {
  const MbsReader *reader = csv->reader;
  for (int i = 0; i < csv->file.row_count; ++i) {
    (void)mbs_csv_is_number(texts[i].text, &points[i]);
  }
  qsort(points, (size_t)csv->file.row_count, sizeof *points, compare);
  *count = 0;
  for (int i = 0; i < csv->file.row_count; ++i) {
    if (i == 0 || points[i] > points[*count - 1]) {
      points[(*count)++] = points[i];
    }
  }
  MBS_TAKE(reader->context, reader->arena, *of_points, *count);
  for (int i = 0; i < csv->file.row_count; ++i) {
    double x;
    (void)mbs_csv_is_number(texts[i].text, &x);
    (*of_points)[(const double *)bsearch(&x, points, (size_t)*count, sizeof *points, compare) - points] = texts[i];
  }
  return MBS_OK;
}

static MbsStatus fill_map(const Csv *csv, MbsText *const columns[3], MbsValue *const values[3]) {
  const MbsReader *reader = csv->reader;
  double *points[2], at[2];
  int counts[2];
  MbsText *of_points[2], *z;
  for (int k = 0; k < 2; ++k) {
    MBS_TAKE(reader->context, reader->arena, points[k], csv->file.row_count);
    MBS_TRY(list_points(csv, columns[k], points[k], &counts[k], &of_points[k]));
    values[k]->count = counts[k];
    values[k]->texts = of_points[k];
  }
  MBS_TAKE(reader->context, reader->arena, z, (size_t)counts[0] * (size_t)counts[1]);
  for (int i = 0; i < csv->file.row_count; ++i) {
    int place[2];
    for (int k = 0; k < 2; ++k) {
      (void)mbs_csv_is_number(columns[k][i].text, &at[k]);
      place[k] =
          (int)((const double *)bsearch(&at[k], points[k], (size_t)counts[k], sizeof at[k], compare) - points[k]);
    }
    MbsText *cell = &z[place[0] * counts[1] + place[1]];
    if (cell->text) {
      return mbs_reader_fail(reader, csv->where, columns[2][i].place,
                             "x = %.10g, y = %.10g is there twice; first in "
                             "line %d",
                             at[0], at[1], cell->place.line);
    }
    *cell = columns[2][i];
  }
  for (int i = 0; i < counts[0] * counts[1]; ++i) {
    if (!z[i].text) {
      return mbs_reader_fail(reader, csv->where, (MbsPlace){.file = csv->path, .line = 1, .column = 1},
                             "a map needs a line for each x and each y: there is none for x = %.10g, y = %.10g",
                             points[0][i / counts[1]], points[1][i % counts[1]]);
    }
  }
  values[2]->count = counts[0] * counts[1];
  values[2]->texts = z;
  return MBS_OK;
}

MbsStatus mbs_csv_fill(const MbsReader *reader, const MbsWhere *where, const MbsRecord *record) {
  static const char *const names[] = {"x", "y", "z"};
  static const int fields[] = {MBS_TABLE_X, MBS_TABLE_Y, MBS_TABLE_Z};
  MbsText file = mbs_record_text(record, MBS_TABLE_FILE);
  Csv csv = {.reader = reader, .where = where};
  MbsText *columns[3];
  MbsValue *values[3];
  if (!file.text) {
    return MBS_OK;
  }
  MBS_TRY(load(&csv, file));
  int count = record->values[MBS_TABLE_Z].is_given ? 3 : 2;
  for (int k = 0; k < count; ++k) {
    values[k] = (MbsValue *)&record->values[fields[k]];  // the reader's own
    MBS_TRY(take_column(&csv, names[k], values[k], &columns[k]));
  }
  *(MbsValue *)&record->values[MBS_TABLE_FILE] = (MbsValue){.place = file.place};  // its numbers are here now
  if (count == 3) {
    return fill_map(&csv, columns, values);
  }
  for (int k = 0; k < count; ++k) {
    values[k]->count = csv.file.row_count;
    values[k]->texts = columns[k];
  }
  return MBS_OK;
}
