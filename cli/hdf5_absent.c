// In the place of hdf5.c where HDF5 is not built in: there is no version, so that -o FILE.h5 is refused when the
// command line is read (values.c), and nothing below is reached.
#include <errno.h>

#include "hdf5.h"

const char *cli_hdf5_version(void) { return NULL; }

static void refuse(CliHdf5 *hdf5) {
  if (hdf5->output && !hdf5->output->error) {
    hdf5->output->error = ENOTSUP;
  }
}

void cli_hdf5_begin(CliHdf5 *hdf5, CliOutputFile *output) {
  *hdf5 = (CliHdf5){.output = output, .file = -1};
  refuse(hdf5);
}

void cli_hdf5_end(CliHdf5 *hdf5) { *hdf5 = (CliHdf5){.file = -1}; }

void cli_hdf5_group(CliHdf5 *hdf5, const char *path) {
  (void)path;
  refuse(hdf5);
}

void cli_hdf5_attribute(CliHdf5 *hdf5, const char *path, const char *name, double value) {
  (void)path;
  (void)name;
  (void)value;
  refuse(hdf5);
}

void cli_hdf5_attribute_text(CliHdf5 *hdf5, const char *path, const char *name, const char *text) {
  (void)path;
  (void)name;
  (void)text;
  refuse(hdf5);
}

void cli_hdf5_array(CliHdf5 *hdf5, const char *path, int dimension_count, const size_t *dimensions,
                    const double *values) {
  (void)path;
  (void)dimension_count;
  (void)dimensions;
  (void)values;
  refuse(hdf5);
}

void cli_hdf5_text(CliHdf5 *hdf5, const char *path, const char *text) {
  (void)path;
  (void)text;
  refuse(hdf5);
}

void cli_hdf5_texts(CliHdf5 *hdf5, const char *path, int count, const char *const *texts) {
  (void)path;
  (void)count;
  (void)texts;
  refuse(hdf5);
}

void cli_hdf5_series_begin(CliHdf5Series *series, CliHdf5 *hdf5, const char *path, int row_dimension_count,
                           const size_t *row_dimensions) {
  (void)path;
  (void)row_dimension_count;
  (void)row_dimensions;
  *series = (CliHdf5Series){.hdf5 = hdf5, .dataset = -1};
  refuse(hdf5);
}

double *cli_hdf5_series_row(CliHdf5Series *series) { return series->buffer; }

void cli_hdf5_series_next(CliHdf5Series *series) { refuse(series->hdf5); }

void cli_hdf5_series_end(CliHdf5Series *series) { *series = (CliHdf5Series){.dataset = -1}; }

int64_t cli_hdf5_open(const char *path) {
  (void)path;
  return -1;
}

void cli_hdf5_close(int64_t file) { (void)file; }

bool cli_hdf5_read_array(int64_t file, const char *path, int dimension_count, size_t *dimensions, double **values) {
  (void)file;
  (void)path;
  (void)dimension_count;
  (void)dimensions;
  *values = NULL;
  return false;
}

bool cli_hdf5_read_texts(int64_t file, const char *path, size_t *count, char ***texts) {
  (void)file;
  (void)path;
  *count = 0;
  *texts = NULL;
  return false;
}

void cli_hdf5_free_texts(size_t count, char **texts) {
  (void)count;
  (void)texts;
}

bool cli_hdf5_read_attribute(int64_t file, const char *path, const char *name, double *value) {
  (void)file;
  (void)path;
  (void)name;
  (void)value;
  return false;
}

char *cli_hdf5_read_attribute_text(int64_t file, const char *path, const char *name) {
  (void)file;
  (void)path;
  (void)name;
  return NULL;
}
