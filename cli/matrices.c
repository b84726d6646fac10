#include "matrices.h"

#include "mat.h"
#include "values.h"

void cli_matrices_begin(CliMatrices *matrices, CliOutputFile *output) {
  *matrices = (CliMatrices){.output = output};
  if (cli_path_ends_in(output->path, ".h5")) {
    cli_hdf5_begin(&matrices->hdf5, output);
  } else {
    cli_mat_begin(output);
  }
}

void cli_matrices_texts(CliMatrices *matrices, const char *name, int count, const char *const *texts) {
  char path[80];
  (void)snprintf(path, sizeof path, "/%s", name);
  if (matrices->hdf5.output) {
    cli_hdf5_texts(&matrices->hdf5, path, count, texts);
  } else {
    cli_mat_texts(matrices->output, name, count, texts);
  }
}

void cli_matrices_array(CliMatrices *matrices, const char *name, int dimension_count, const int *dimensions,
                        const double *values, int stride) {
  char path[80];
  size_t sizes[CLI_HDF5_DIMENSIONS];
  if (!matrices->hdf5.output) {
    cli_mat_array(matrices->output, name, dimension_count, dimensions, values, stride);
    return;
  }
  (void)snprintf(path, sizeof path, "/%s", name);
  for (int i = 0; i < dimension_count; ++i) {
    sizes[i] = (size_t)dimensions[i];
  }
  if (stride == 2) {
    sizes[dimension_count++] = 2;
  }
  cli_hdf5_array(&matrices->hdf5, path, dimension_count, sizes, values);
  if (stride == 2) {
    cli_hdf5_attribute_text(&matrices->hdf5, path, "parts", "real, imaginary");
  }
}

void cli_matrices_end(CliMatrices *matrices) {
  if (matrices->hdf5.output) {
    cli_hdf5_end(&matrices->hdf5);
  }
}
