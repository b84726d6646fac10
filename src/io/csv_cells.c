#include "io/csv_cells.h"

#include <string.h>

MbsCsvCells mbs_csv_begin(char *text) {
  static const char mark[] = "\xEF\xBB\xBF";  // that some programs put before UTF-8
  return (MbsCsvCells){.at = text + (strncmp(text, mark, 3) == 0 ? 3 : 0)};
}

// the first of these that stands outside of quotes in a line: a semicolon, a tab; else commas
static char find_separator(const char *line) {
  bool is_quoted = false, has_tab = false;
  for (; *line && (*line != '\n' || is_quoted); ++line) {
    is_quoted = is_quoted != (*line == '"');
    if (*line == ';' && !is_quoted) {
      return ';';
    }
    has_tab = has_tab || (*line == '\t' && !is_quoted);
  }
  return has_tab ? '\t' : ',';
}

bool mbs_csv_next_line(MbsCsvCells *cells) {
  while (*cells->at) {
    size_t blanks = strspn(cells->at, " \t\r");
    char *end = cells->at + blanks;
    cells->line_count += 1;
    if (*end && *end != '\n' && *end != '#') {
      cells->line = cells->line_count;
      cells->line_start = cells->at;
      cells->separator = cells->separator ? cells->separator : find_separator(cells->at);
      cells->is_open = true;
      return true;
    }
    end += strcspn(end, "\n");
    cells->at = end + (*end == '\n');
  }
  return false;
}

static bool is_blank(const MbsCsvCells *cells, char c) {
  return c == ' ' || c == '\r' || (c == '\t' && cells->separator != '\t');
}

// from the quote on, which is taken away, as are those that stand twice; NULL: it does not end
static char *unquote(MbsCsvCells *cells, char *at, char **end) {
  char *to = at;
  for (++at; *at != '"' || at[1] == '"'; ++at) {
    if (*at == '\0') {
      return NULL;
    }
    at += *at == '"';
    cells->line_count += *at == '\n';
    *to++ = *at;
  }
  *end = to;
  return at + 1;
}

const char *mbs_csv_next_cell(MbsCsvCells *cells, char **text, int *column) {
  char *at = cells->at, *end;
  while (is_blank(cells, *at)) {
    ++at;
  }
  *text = at;
  *column = (int)(at - cells->line_start) + 1;
  if (*at == '"') {
    at = unquote(cells, at, &end);
    if (!at) {
      return "the quote that begins here does not end";
    }
    while (is_blank(cells, *at)) {
      ++at;
    }
    if (*at && *at != '\n' && *at != cells->separator) {
      *column = (int)(at - cells->line_start) + 1;
      return "a comma or the end of the line must follow the quote";
    }
  } else {
    const char stops[] = {cells->separator, '\n', '\0'};
    at += strcspn(at, stops);
    end = at;
    while (end > *text && is_blank(cells, end[-1])) {
      --end;
    }
  }
  cells->is_open = *at == cells->separator;
  cells->at = at + (*at != '\0');
  *end = '\0';
  return NULL;
}
