// Files of comma-separated values, as cells of text with their own places, so that whoever complains about a number
// says where it stands.
//
//   lines and cells: csv_cells.h
//   the first line may be a header, which it is where one of its cells is no number; numbers have a decimal point
#ifndef MBS_CSV_FILE_H
#define MBS_CSV_FILE_H

#include "io/reader.h"

typedef struct MbsCsv {
  const MbsReader *reader;
  const char *path;
  int header_count;  // 0: there is none
  const MbsText *header;
  int row_count, row_capacity;
  const MbsText **rows;  // cells
  int *cell_counts;      // by row
  int count_capacity;
} MbsCsv;

// Everything in the arena of the reader. A file without rows is good.
MbsStatus mbs_csv_read(const MbsReader *reader, const char *path, MbsCsv *csv);
// The path of a file that a model names: beside the model. NULL: out of memory.
const char *mbs_csv_beside(MbsArena *arena, const char *model, const char *path);
// Is it a number, without names or operators?
bool mbs_csv_is_number(const char *text, double *number);

#endif
