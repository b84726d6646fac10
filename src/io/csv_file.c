#include "io/csv_file.h"

#include <stdlib.h>
#include <string.h>

#include "expressions/scanner.h"

static bool is_blank(char c) { return c == ' ' || c == '\r'; }

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
static MbsStatus split(const MbsCsv *csv, const char *line, size_t length, int number, MbsText **cells, int *count) {
  const MbsReader *reader = csv->reader;
  *count = 1;
  for (size_t i = 0; i < length; ++i) {
    *count += line[i] == csv->separator;
  }
  MBS_TAKE(reader->context, reader->arena, *cells, *count);
  const char *end = line + length, *begin = line;
  for (int k = 0; k < *count; ++k) {
    const char *next = memchr(begin, csv->separator, (size_t)(end - begin));
    const char *stop = next ? next : end;
    while (begin < stop && is_blank(*begin)) {
      ++begin;
    }
    while (stop > begin && is_blank(stop[-1])) {
      --stop;
    }
    if (stop - begin >= 2 && *begin == '"' && stop[-1] == '"') {
      ++begin;
      --stop;
    }
    (*cells)[k] = (MbsText){.text = mbs_arena_print(reader->arena, "%.*s", (int)(stop - begin), begin),
                            .place = {.file = csv->path, .line = number, .column = (int)(begin - line) + 1}};
    if (!(*cells)[k].text) {
      return mbs_fail(reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
    begin = next ? next + 1 : end;
  }
  return MBS_OK;
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

static MbsStatus take_line(MbsCsv *csv, const char *line, size_t length, int number) {
  const MbsReader *reader = csv->reader;
  MbsText *cells;
  int count;
  bool is_first = csv->separator == '\0';
  if (is_first) {
    csv->separator = memchr(line, ';', length) ? ';' : memchr(line, '\t', length) ? '\t' : ',';
  }
  MBS_TRY(split(csv, line, length, number, &cells, &count));
  if (is_first && is_header(cells, count)) {
    csv->header = cells;
    csv->header_count = count;
    return MBS_OK;
  }
  int at = csv->row_count;
  MBS_GROW(reader->context, reader->arena, csv->rows, at, csv->row_capacity);
  MBS_GROW(reader->context, reader->arena, csv->cell_counts, at, csv->count_capacity);
  csv->rows[at] = cells;
  csv->cell_counts[at] = count;
  csv->row_count += 1;
  return MBS_OK;
}

static MbsStatus parse(MbsCsv *csv, const char *bytes, size_t length) {
  static const char mark[] = "\xEF\xBB\xBF";  // that some programs put before UTF-8
  const char *end = bytes + length, *line = bytes;
  if (length >= 3 && memcmp(bytes, mark, 3) == 0) {
    line += 3;
  }
  for (int number = 1; line < end; ++number) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    size_t size = (size_t)((stop ? stop : end) - line);
    const char *first = line;
    while (first < line + size && (is_blank(*first) || *first == '\t')) {
      ++first;
    }
    if (memchr(line, '\0', size)) {
      return mbs_fail(csv->reader->context, MBS_ERROR_INPUT, (MbsPlace){.file = csv->path, .line = number, .column = 1},
                      "this is no text: it has a zero byte");
    }
    if (first < line + size && *first != '#') {
      MBS_TRY(take_line(csv, line, size, number));
    }
    line = stop ? stop + 1 : end;
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
