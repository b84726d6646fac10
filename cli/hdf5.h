// HDF5 files: numbers with any number of dimensions, series that grow row by row, texts and attributes. An optional
// component: hdf5_absent.c stands for hdf5.c where it is not built in, and then cli_hdf5_version is NULL and no option
// takes the name of such a file.
//
// Everything is compressed (shuffled and deflated, in chunks); texts have a fixed length and are UTF-8, so that h5py
// and Octave read them. A write that fails is noted in the output file, and told when that is finished.
#ifndef MBS_CLI_HDF5_H
#define MBS_CLI_HDF5_H

#include <stdint.h>

#include "output_file.h"

enum { CLI_HDF5_DIMENSIONS = 4 };

typedef struct CliHdf5 {
  CliOutputFile *output;  // NULL: nothing is written
  int64_t file;
} CliHdf5;

// A dataset of rows, of at most two dimensions each.
typedef struct CliHdf5Series {
  CliHdf5 *hdf5;
  int64_t dataset;
  int row_dimension_count;
  size_t row_dimensions[2], width;  // numbers of a row
  size_t chunk, buffered;           // rows
  double *buffer;
  size_t row_count;  // written, without those in the buffer
} CliHdf5Series;

// "1.10.8"; NULL: not built in.
const char *cli_hdf5_version(void);

// Begins the file that `output` has opened, into which nothing else may have gone.
void cli_hdf5_begin(CliHdf5 *hdf5, CliOutputFile *output);
// Completes it: to be done before the output is finished. Also for one that is not begun, or ended already.
void cli_hdf5_end(CliHdf5 *hdf5);

// Paths: "/", "/events". A group must be there before what is in it.
void cli_hdf5_group(CliHdf5 *hdf5, const char *path);
void cli_hdf5_attribute(CliHdf5 *hdf5, const char *path, const char *name, double value);
void cli_hdf5_attribute_text(CliHdf5 *hdf5, const char *path, const char *name, const char *text);
// By rows, the last dimension varying fastest; no numbers at all where a dimension is 0.
void cli_hdf5_array(CliHdf5 *hdf5, const char *path, int dimension_count, const size_t *dimensions,
                    const double *values);
void cli_hdf5_text(CliHdf5 *hdf5, const char *path, const char *text);
// A NULL among the texts is written as "".
void cli_hdf5_texts(CliHdf5 *hdf5, const char *path, int count, const char *const *texts);

void cli_hdf5_series_begin(CliHdf5Series *series, CliHdf5 *hdf5, const char *path, int row_dimension_count,
                           const size_t *row_dimensions);
// Where the numbers of the next row belong; cli_hdf5_series_next says that they are there.
double *cli_hdf5_series_row(CliHdf5Series *series);
void cli_hdf5_series_next(CliHdf5Series *series);
// Also for a zeroed one. Before the file ends.
void cli_hdf5_series_end(CliHdf5Series *series);

// ---- reading ----
// -1: is no HDF5 file, or HDF5 is not built in.
int64_t cli_hdf5_open(const char *path);
void cli_hdf5_close(int64_t file);
// Numbers with exactly so many dimensions; false: there are none. To be freed with free(), also where one dimension is
// 0.
bool cli_hdf5_read_array(int64_t file, const char *path, int dimension_count, size_t *dimensions, double **values);
// Texts, one after the other; each to be freed, and the list. A dataset that is one text gives one.
bool cli_hdf5_read_texts(int64_t file, const char *path, size_t *count, char ***texts);
void cli_hdf5_free_texts(size_t count, char **texts);
// Of an attribute; false: there is none. A text is to be freed.
bool cli_hdf5_read_attribute(int64_t file, const char *path, const char *name, double *value);
char *cli_hdf5_read_attribute_text(int64_t file, const char *path, const char *name);

#endif
