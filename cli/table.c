#include "table.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

typedef struct Cell {
  char *text;
  bool is_number;
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

static void add(CliTable *table, const char *text, bool is_number) {
  if (table->cell_count == table->capacity) {
    table->capacity = table->capacity ? 2 * table->capacity : 64;
    table->cells = cli_memory_resize(table->cells, (size_t)table->capacity, sizeof *table->cells);
  }
  char *copy = cli_memory_copy_text(text, strlen(text));
  // a name with a line break or an escape sequence must not upset the terminal
  for (char *c = copy; *c; ++c) {
    *c = iscntrl((unsigned char)*c) ? '?' : *c;
  }
  table->cells[table->cell_count++] = (Cell){.text = copy, .is_number = is_number};
}

void cli_table_text(CliTable *table, const char *text) { add(table, text, false); }

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
  add(table, text, true);
}

void cli_table_integer(CliTable *table, long number) {
  char text[24];
  (void)snprintf(text, sizeof text, "%ld", number);
  add(table, text, true);
}

void cli_table_error(CliTable *table, double number) {
  char text[40];
  (void)snprintf(text, sizeof text, number == 0 ? "%.0f" : "%.1e", number);
  add(table, text, true);
}

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

void cli_table_print(CliTable *table, FILE *out) {
  int *widths = cli_memory_take((size_t)table->column_count, sizeof *widths);
  for (int j = 0; j < table->column_count; ++j) {
    widths[j] = column_width(table, j);
  }
  for (int i = 0; i < table->cell_count; ++i) {
    int column = i % table->column_count;
    const Cell *cell = &table->cells[i];
    // the header stands where the numbers under it stand
    int below = i + table->column_count;
    bool is_header = i < table->column_count;
    bool is_right = is_header && below < table->cell_count ? table->cells[below].is_number : cell->is_number;
    int gap = widths[column] - width_of(cell->text);
    bool is_last = column == table->column_count - 1;
    (void)fprintf(out, "  %*s%s%*s%s", is_right ? gap : 0, "", cell->text, is_right || is_last ? 0 : gap, "",
                  is_last ? "\n" : "");
  }
  (void)fputc('\n', out);
  for (int i = 0; i < table->cell_count; ++i) {
    free(table->cells[i].text);
  }
  free(table->cells);
  free(widths);
  free(table);
}
