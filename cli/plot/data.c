#include "data.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "../outcome.h"
#include "io/csv_cells.h"

// ---- rows of a run ----
static void take_columns(CliData *data, int count) {
  if (!data->columns) {
    data->columns = cli_memory_take((size_t)count, sizeof *data->columns);
    data->column_count = count;
  }
}

static MbsStatus keep_units(void *user, int column_count, const char *const *units, const char *const *descriptions) {
  CliData *data = user;
  (void)descriptions;
  take_columns(data, column_count);
  for (int j = 0; j < column_count; ++j) {
    const char *unit = j == 0 ? "s" : units[j];
    data->columns[j].unit = unit ? cli_memory_copy_text(unit, strlen(unit)) : NULL;
  }
  return MBS_OK;
}

static MbsStatus keep_names(void *user, int column_count, const char *const *names) {
  CliData *data = user;
  take_columns(data, column_count);
  for (int j = 0; j < column_count; ++j) {
    data->columns[j].name = cli_memory_copy_text(names[j], strlen(names[j]));
  }
  return MBS_OK;
}

static void make_room(CliData *data) {
  if (data->row_count == data->room) {
    data->room = 2 * data->room + 256;
    for (int j = 0; j < data->column_count; ++j) {
      CliColumn *column = &data->columns[j];
      column->values = cli_memory_resize(column->values, (size_t)data->room, sizeof *column->values);
      if (column->texts) {
        column->texts = cli_memory_resize(column->texts, (size_t)data->room, sizeof *column->texts);
      }
    }
  }
}

void cli_data_add_row(CliData *data, const double *values) {
  make_room(data);
  for (int j = 0; j < data->column_count; ++j) {
    data->columns[j].values[data->row_count] = values[j];
  }
  ++data->row_count;
}

static MbsStatus keep_row(void *user, const double *values) {
  cli_data_add_row(user, values);
  return MBS_OK;
}

void cli_data_begin(CliData *data) {
  *data = (CliData){0};
  data->recorder = (MbsRecorder){.user = data, .describe = keep_units, .begin = keep_names, .row = keep_row};
}

int cli_data_find(const CliData *data, const char *name) {
  for (int j = 0; j < data->column_count; ++j) {
    if (strcmp(data->columns[j].name, name) == 0) {
      return j;
    }
  }
  return -1;
}

int cli_data_find_output(const CliData *data, const char *name) {
  size_t length = strlen(name);
  for (int j = 0; j < data->column_count; ++j) {
    const char *own = data->columns[j].name;
    if (strncmp(own, name, length) == 0 && (own[length] == '\0' || strcmp(own + length, ".x") == 0)) {
      return j;
    }
  }
  return -1;
}

void cli_data_free(CliData *data) {
  for (int j = 0; j < data->column_count; ++j) {
    CliColumn *column = &data->columns[j];
    for (long i = 0; column->texts && i < data->row_count; ++i) {
      free(column->texts[i]);
    }
    free(column->texts);
    free(column->values);
    free(column->name);
    free(column->unit);
  }
  free(data->columns);
  cli_thinning_free(data->thinning);
  *data = (CliData){0};
}

// ---- files ----
typedef struct Reader {
  const char *path;
  char *text;
  MbsCsvCells cells;
} Reader;

static int fail_at(const Reader *reader, int column, const char *message) {
  return cli_fail(MBS_ERROR_INPUT, "%s:%d:%d: error: %s", reader->path, reader->cells.line, column, message);
}

static int read_text(Reader *reader) {
  FILE *file = fopen(reader->path, "rb");
  size_t length = 0, room = 1 << 16, got = 0;
  if (!file) {
    return cli_fail(MBS_ERROR_FILE, "cannot read %s: %s", reader->path, strerror(errno));
  }
  errno = 0;
  do {
    reader->text = cli_memory_resize(reader->text, room + 1, 1);
    got = fread(reader->text + length, 1, room - length, file);
    length += got;
    room = length == room ? 2 * room : room;
  } while (got > 0);
  int error = ferror(file) ? errno ? errno : EIO : 0;
  (void)fclose(file);
  reader->text[length] = '\0';
  if (error) {
    return cli_fail(MBS_ERROR_FILE, "cannot read %s: %s", reader->path, strerror(error));
  }
  reader->cells = mbs_csv_begin(reader->text);
  return strlen(reader->text) == length ? 0
                                        : cli_fail(MBS_ERROR_INPUT, "%s: is no text, it has a zero byte", reader->path);
}

static int read_header(Reader *reader, CliData *data) {
  bool has_name = false;
  while (reader->cells.is_open) {
    char *name, *rest = NULL;
    int at;
    const char *trouble = mbs_csv_next_cell(&reader->cells, &name, &at);
    size_t length = trouble ? 0 : strlen(name);
    if (length == 0) {
      return fail_at(reader, at, trouble ? trouble : "a name of a column is missing: the first line must be names");
    }
    (void)strtod(name, &rest);
    has_name = has_name || *rest != '\0';
    data->columns = cli_memory_resize(data->columns, (size_t)data->column_count + 1, sizeof *data->columns);
    CliColumn *column = &data->columns[data->column_count++];
    *column = (CliColumn){0};
    char *bracket = name[length - 1] == ']' ? strrchr(name, '[') : NULL;
    if (bracket && bracket > name && bracket[-1] == ' ') {
      column->unit = cli_memory_copy_text(bracket + 1, strlen(bracket) - 2);
      length = (size_t)(bracket - name) - 1;
    }
    column->name = cli_memory_copy_text(name, length);
  }
  return has_name ? 0 : fail_at(reader, 1, "the first line has numbers, and must be names of columns");
}

// All rows before this one had numbers in the column.
static void begin_texts(CliData *data, CliColumn *column) {
  column->texts = cli_memory_take((size_t)data->room, sizeof *column->texts);
  for (long i = 0; i < data->row_count; ++i) {
    char text[40] = "";
    if (!isnan(column->values[i])) {
      (void)snprintf(text, sizeof text, "%.10g", column->values[i]);
    }
    column->texts[i] = cli_memory_copy_text(text, strlen(text));
  }
}

static void keep_field(CliData *data, CliColumn *column, const char *field) {
  char *rest = NULL;
  field += strspn(field, " \t");
  double value = strtod(field, &rest);
  bool is_empty = *field == '\0', is_number = rest != field && rest[strspn(rest, " \t")] == '\0';
  column->values[data->row_count] = is_number ? value : (double)NAN;
  if (!is_empty && !is_number && !column->texts) {
    begin_texts(data, column);
  }
  if (column->texts) {
    column->texts[data->row_count] = cli_memory_copy_text(field, strlen(field));
  }
}

static int read_row(Reader *reader, CliData *data) {
  make_room(data);
  for (int j = 0; j < data->column_count; ++j) {
    char *field;
    int at = 1;
    const char *trouble = reader->cells.is_open ? mbs_csv_next_cell(&reader->cells, &field, &at)
                                                : "a row with fewer fields than there are names";
    if (!trouble && j + 1 == data->column_count && reader->cells.is_open) {
      trouble = "a row with more fields than there are names";
    }
    if (trouble) {
      for (int k = 0; k < data->column_count; ++k) {  // of rows that count all columns have texts
        if (k < j && data->columns[k].texts) {
          free(data->columns[k].texts[data->row_count]);
        }
      }
      return fail_at(reader, at, trouble);
    }
    keep_field(data, &data->columns[j], field);
  }
  ++data->row_count;
  return 0;
}

static int read_rows(Reader *reader, CliData *data) {
  int failure = 0;
  while (!failure && mbs_csv_next_line(&reader->cells)) {
    failure = read_row(reader, data);
  }
  return failure || data->row_count > 0
             ? failure
             : cli_fail(MBS_ERROR_INPUT, "%s: has names of columns, but no rows", reader->path);
}

int cli_data_read(CliData *data, const char *path) {
  Reader reader = {.path = path};
  cli_data_begin(data);
  int failure = read_text(&reader);
  if (!failure && !mbs_csv_next_line(&reader.cells)) {
    failure = cli_fail(MBS_ERROR_INPUT, "%s: is empty", path);
  }
  failure = failure ? failure : read_header(&reader, data);
  failure = failure ? failure : read_rows(&reader, data);
  free(reader.text);
  return failure;
}
