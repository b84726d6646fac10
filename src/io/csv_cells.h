// Comma-separated values, cell by cell: what tables and measurements of a model and the command's plots read.
//
//   lines that are empty or begin with # are left out
//   cells are separated by commas, semicolons or tabs, whichever the first line has; blanks around one do not count
//   between quotes a cell may hold anything, a quote twice
#ifndef MBS_CSV_CELLS_H
#define MBS_CSV_CELLS_H

#include <stdbool.h>

typedef struct MbsCsvCells {
  char *at;  // what is not read yet, of a text that ends with a zero; cells are made of it in place
  char separator;
  int line, line_count;  // the one that is read, from 1; lines that were read or left out
  char *line_start;
  bool is_open;  // has the line another cell?
} MbsCsvCells;

MbsCsvCells mbs_csv_begin(char *text);
// To the next line; false: there is none.
bool mbs_csv_next_line(MbsCsvCells *cells);
// The next cell of an open line, and its column, from 1. Returns what is wrong with it, in words; NULL: nothing.
const char *mbs_csv_next_cell(MbsCsvCells *cells, char **text, int *column);

#endif
