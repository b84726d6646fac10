#include "io/csv_file.h"

#include <stdlib.h>
#include <string.h>

#include "expressions/scanner.h"
#include "io/csv_cells.h"

// the number that a text is, without names or operators
bool mbs_csv_is_number(const char *text, double *number) {
  MbsContext quiet = {.status = MBS_OK};
  MbsScanner scanner;
  double sign = text[0] == '-' ? -1 : 1;
  text += text[0] == '-' || text[0] == '+';
  bool is_one = mbs_scanner_start(&scanner, &quiet, NULL, (MbsText){.text = text}) == MBS_OK &&
                scanner.token.kind == MBS_TOKEN_NUMBER && scanner.token.offset == 0;
  *number = is_one ? sign * scanner.token.number : 0;
  return is_one && mbs_scanner_next(&scanner) == MBS_OK && scanner.token.kind == MBS_TOKEN_END;
}

// ---- lines and cells ----
// the cells of a line
static MbsStatus take_cells(const MbsCsv *csv, MbsCsvCells *cells, MbsText **texts, int *count) {
  const MbsReader *reader = csv->reader;
  int most = 1;
  for (const char *c = cells->at; *c && *c != '\n'; ++c) {
    most += *c == cells->separator;
  }
  MBS_TAKE(reader->context, reader->arena, *texts, most);
  for (*count = 0; cells->is_open && *count < most; ++*count) {
    char *text;
    MbsPlace place = {.file = csv->path, .line = cells->line};
    const char *trouble = mbs_csv_next_cell(cells, &text, &place.column);
    if (trouble) {
      return mbs_fail(reader->context, MBS_ERROR_INPUT, place, "%s", trouble);
    }
    (*texts)[*count] = (MbsText){.text = text, .place = place};
  }
  return cells->is_open ? mbs_fail(reader->context, MBS_ERROR_INPUT,
                                   (MbsPlace){.file = csv->path, .line = cells->line, .column = 1},
                                   "a cell in quotes goes over several lines")
                        : MBS_OK;
}

static bool is_header(const MbsText *cells, int count) {
  double unused;
  for (int k = 0; k < count; ++k) {
    if (cells[k].text[0] != '\0' && !mbs_csv_is_number(cells[k].text, &unused)) {
      return true;
    }
  }
  return false;
}

static MbsStatus take_line(MbsCsv *csv, MbsCsvCells *cells, bool is_first) {
  const MbsReader *reader = csv->reader;
  MbsText *texts;
  int count = 0, at = csv->row_count;
  MBS_TRY(take_cells(csv, cells, &texts, &count));
  if (is_first && is_header(texts, count)) {
    csv->header = texts;
    csv->header_count = count;
    return MBS_OK;
  }
  MBS_GROW(reader->context, reader->arena, csv->rows, at, csv->row_capacity);
  MBS_GROW(reader->context, reader->arena, csv->cell_counts, at, csv->count_capacity);
  csv->rows[at] = texts;
  csv->cell_counts[at] = count;
  csv->row_count += 1;
  return MBS_OK;
}

static MbsStatus parse(MbsCsv *csv, const char *bytes, size_t length) {
  const MbsReader *reader = csv->reader;
  char *text;
  const char *zero = memchr(bytes, '\0', length);
  if (zero) {
    MbsPlace place = {.file = csv->path, .line = 1, .column = 1};
    for (const char *c = bytes; c < zero; ++c) {
      place.line += *c == '\n';
    }
    return mbs_fail(reader->context, MBS_ERROR_INPUT, place, "this is no text: it has a zero byte");
  }
  MBS_TAKE(reader->context, reader->arena, text, length + 1);
  memcpy(text, bytes, length);
  MbsCsvCells cells = mbs_csv_begin(text);
  for (bool is_first = true; mbs_csv_next_line(&cells); is_first = false) {
    MBS_TRY(take_line(csv, &cells, is_first));
  }
  return MBS_OK;
}

MbsStatus mbs_csv_read(const MbsReader *reader, const char *path, MbsCsv *csv) {
  char *bytes;
  size_t length;
  *csv = (MbsCsv){.reader = reader, .path = mbs_arena_copy_text(reader->arena, path)};
  if (!csv->path) {
    return mbs_fail(reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MBS_TRY(mbs_reader_read_bytes(reader->context, csv->path, &bytes, &length));
  MbsStatus status = length > MBS_YAML_LARGEST_FILE
                         ? mbs_fail(reader->context, MBS_ERROR_INPUT, mbs_nowhere, "%s is larger than %d MiB", path,
                                    (int)(MBS_YAML_LARGEST_FILE >> 20))
                         : parse(csv, bytes, length);
  free(bytes);
  return status;
}

const char *mbs_csv_beside(MbsArena *arena, const char *model, const char *path) {
  const char *slash = model ? strrchr(model, '/') : NULL;
  return path[0] != '/' && slash ? mbs_arena_print(arena, "%.*s/%s", (int)(slash - model), model, path)
                                 : mbs_arena_copy_text(arena, path);
}
