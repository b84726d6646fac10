// A file of named matrices and lists of texts, FILE.mat or FILE.h5: see mat.h, hdf5.h. Complex numbers are complex in a
// MAT file; in HDF5 they are arrays with a last dimension of 2, real and imaginary part, which every reader knows.
#ifndef MBS_CLI_MATRICES_H
#define MBS_CLI_MATRICES_H

#include "hdf5.h"

typedef struct CliMatrices {
  CliOutputFile *output;
  CliHdf5 hdf5;  // its output is NULL: a MAT file
} CliMatrices;

// Into an open file; which kind it is, its name says.
void cli_matrices_begin(CliMatrices *matrices, CliOutputFile *output);
void cli_matrices_texts(CliMatrices *matrices, const char *name, int count, const char *const *texts);
// By rows, at most 3 dimensions; with stride 2 the numbers are complex, real part before imaginary part.
void cli_matrices_array(CliMatrices *matrices, const char *name, int dimension_count, const int *dimensions,
                        const double *values, int stride);
// Before the output is finished.
void cli_matrices_end(CliMatrices *matrices);

#endif
