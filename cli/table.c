#include "table.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "memory.h"

typedef struct Cell {
  char *text;
  bool is_number, is_as_written;
  double number;  // NaN: none, or a blank
} Cell;

struct CliTable {
  int column_count, cell_count, capacity;
  Cell *cells;  // row by row
};

CliTable *cli_table_create(int column_count) {
  CliTable *table = cli_memory_take(1, sizeof *table);
  table->column_count = column_count;
  return table;
}

static void add(CliTable *table, const char *text, bool is_number, double number) {
  if (table->cell_count == table->capacity) {
    table->capacity = table->capacity ? 2 * table->capacity : 64;
    table->cells = cli_memory_resize(table->cells, (size_t)table->capacity, sizeof *table->cells);
  }
  char *copy = cli_memory_copy_text(text, strlen(text));
  // a name with a line break or an escape sequence must not upset the terminal
  for (char *c = copy; *c; ++c) {
    *c = iscntrl((unsigned char)*c) ? '?' : *c;
  }
  table->cells[table->cell_count++] = (Cell){.text = copy, .is_number = is_number, .number = number};
}

void cli_table_text(CliTable *table, const char *text) { add(table, text, false, (double)NAN); }

void cli_table_number(CliTable *table, double number) {
  char text[40];
  // a zero is most often exact (a parameter without influence) and should look like it
  if (number == 0) {
    (void)snprintf(text, sizeof text, "0");
  } else if (isnan(number)) {
    (void)snprintf(text, sizeof text, "nan");
  } else {
    (void)snprintf(text, sizeof text, "%#.10g", number);
  }
  add(table, text, true, number);
}

void cli_table_integer(CliTable *table, long number) {
  char text[24];
  (void)snprintf(text, sizeof text, "%ld", number);
  add(table, text, true, (double)number);
}

void cli_table_error(CliTable *table, double number) {
  char text[40];
  (void)snprintf(text, sizeof text, number == 0 ? "%.0f" : "%.1e", number);
  add(table, text, true, number);
}

void cli_table_short(CliTable *table, double number) {
  char text[40];
  (void)snprintf(text, sizeof text, "%.3g", number);
  add(table, text, true, number);
}

void cli_table_word(CliTable *table, const char *text) {
  char *end;
  double number = strtod(text, &end);
  bool is_number = end != text && *end == '\0' && isfinite(number);
  add(table, text, is_number, is_number ? number : (double)NAN);
  table->cells[table->cell_count - 1].is_as_written = true;
}

void cli_table_blank(CliTable *table) { add(table, "", true, (double)NAN); }

// columns on the terminal: UTF-8 letters, not bytes
static int width_of(const char *text) {
  int width = 0;
  for (const char *c = text; *c; ++c) {
    width += ((unsigned char)*c & 0xC0) != 0x80;
  }
  return width;
}

static int column_width(const CliTable *table, int column) {
  int width = 0;
  for (int i = column; i < table->cell_count; i += table->column_count) {
    int cell = width_of(table->cells[i].text);
    width = cell > width ? cell : width;
  }
  return width;
}

static void destroy(CliTable *table) {
  for (int i = 0; i < table->cell_count; ++i) {
    free(table->cells[i].text);
  }
  free(table->cells);
  free(table);
}

// of a column's header, where the numbers under it stand
static bool is_right_set(const CliTable *table, int cell) {
  int below = cell + table->column_count;
  bool is_header = cell < table->column_count;
  return is_header && below < table->cell_count ? table->cells[below].is_number : table->cells[cell].is_number;
}

// ---- text ----
// 0: no terminal, and no limit
static int terminal_width(FILE *out) {
  struct winsize size;
  return isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// the first column, and those from `first` to before `last`
static void print_part(const CliTable *table, const int *widths, int first, int last, FILE *out) {
  for (int row = 0; row < table->cell_count; row += table->column_count) {
    for (int j = 0; j < last; j = j == 0 && first > 1 ? first : j + 1) {
      const Cell *cell = &table->cells[row + j];
      bool is_right = is_right_set(table, row + j);
      int gap = widths[j] - width_of(cell->text);
      bool is_last = j == last - 1;
      (void)fprintf(out, "  %*s%s%*s%s", is_right ? gap : 0, "", cell->text, is_right || is_last ? 0 : gap, "",
                    is_last ? "\n" : "");
    }
  }
  (void)fputc('\n', out);
}

void cli_table_print(CliTable *table, FILE *out) {
  int *widths = cli_memory_take((size_t)table->column_count, sizeof *widths);
  int most = terminal_width(out), count = table->column_count;
  for (int j = 0; j < count; ++j) {
    widths[j] = column_width(table, j);
  }
  for (int first = 1, last; first == 1 || first < count; first = last) {
    int width = 2 + widths[0];
    // at least one column beside the first
    for (last = first; last < count && (most == 0 || last == first || width + 2 + widths[last] <= most); ++last) {
      width += 2 + widths[last];
    }
    print_part(table, widths, first, last > first ? last : count, out);
    last = last > first ? last : count + 1;
  }
  free(widths);
  destroy(table);
}

// ---- other formats ----
static void put_csv(FILE *out, const Cell *cell) {
  if (cell->is_number && !cell->is_as_written) {
    if (isfinite(cell->number)) {
      (void)fprintf(out, "%.17g", cell->number);
    }
    return;
  }
  const char *quote = strpbrk(cell->text, ",\"\n") ? "\"" : "";
  (void)fputs(quote, out);
  for (const char *c = cell->text; *c; ++c) {
    (void)fputs(*c == '"' ? "\"\"" : (char[]){*c, '\0'}, out);
  }
  (void)fputs(quote, out);
}

static void put_markdown(FILE *out, const Cell *cell) {
  for (const char *c = cell->text; *c; ++c) {
    (void)fputs(strchr("|\\*_`", *c) && !cell->is_number ? "\\" : "", out);
    (void)fputc(*c, out);
  }
}

// 1.2e-05 is $1.2\cdot 10^{-5}$
static void put_latex(FILE *out, const Cell *cell) {
  static const char special[] = "&%$#_{}";
  const char *exponent = strchr(cell->text, 'e');
  if (cell->is_number && cell->text[0]) {
    bool is_power = exponent && isfinite(cell->number);
    (void)fprintf(out, "$%.*s", is_power ? (int)(exponent - cell->text) : (int)strlen(cell->text), cell->text);
    if (is_power) {
      (void)fprintf(out, "\\cdot 10^{%d}", atoi(exponent + 1));
    }
    (void)fputc('$', out);
    return;
  }
  for (const char *c = cell->text; *c; ++c) {
    if (strchr("\\^~", *c)) {
      (void)fprintf(out, "\\%s{}", *c == '^' ? "textasciicircum" : *c == '~' ? "textasciitilde" : "textbackslash");
    } else {
      (void)fprintf(out, "%s%c", strchr(special, *c) ? "\\" : "", *c);
    }
  }
}

static void begin(const CliTable *table, CliTableFormat format, FILE *out) {
  if (format != CLI_TABLE_LATEX) {
    return;
  }
  (void)fputs("\\begin{tabular}{", out);
  for (int j = 0; j < table->column_count; ++j) {
    (void)fputc(is_right_set(table, j) ? 'r' : 'l', out);
  }
  (void)fputs("}\n\\hline\n", out);
}

static void end_header(const CliTable *table, CliTableFormat format, FILE *out) {
  if (format == CLI_TABLE_LATEX) {
    (void)fputs("\\hline\n", out);
  } else if (format == CLI_TABLE_MARKDOWN) {
    for (int j = 0; j < table->column_count; ++j) {
      (void)fputs(is_right_set(table, j) ? "|---:" : "|---", out);
    }
    (void)fputs("|\n", out);
  }
}

void cli_table_print_as(CliTable *table, CliTableFormat format, FILE *out) {
  static const struct {
    const char *begin, *between, *end;
    void (*put)(FILE *out, const Cell *cell);
  } formats[] = {[CLI_TABLE_CSV] = {"", ",", "\n", put_csv},
                 [CLI_TABLE_MARKDOWN] = {"| ", " | ", " |\n", put_markdown},
                 [CLI_TABLE_LATEX] = {"", " & ", " \\\\\n", put_latex}};
  if (format == CLI_TABLE_TEXT) {
    cli_table_print(table, out);
    return;
  }
  begin(table, format, out);
  for (int i = 0; i < table->cell_count; ++i) {
    int column = i % table->column_count;
    bool is_last = column == table->column_count - 1;
    (void)fputs(column == 0 ? formats[format].begin : formats[format].between, out);
    formats[format].put(out, &table->cells[i]);
    (void)fputs(is_last ? formats[format].end : "", out);
    if (is_last && i < table->column_count) {
      end_header(table, format, out);
    }
  }
  (void)fputs(format == CLI_TABLE_LATEX ? "\\hline\n\\end{tabular}\n" : "", out);
  destroy(table);
}
