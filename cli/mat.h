// MAT files of level 5, which Octave, MATLAB and scipy.io.loadmat read: matrices of doubles, and cells of texts.
// Uncompressed, in the byte order of the machine (the file says which).
#ifndef MBS_CLI_MAT_H
#define MBS_CLI_MAT_H

#include <stdio.h>

// All of them return 0, or an errno.
int cli_mat_begin(FILE *file);
// By rows; with stride 2 the numbers are complex, real part before imaginary part.
int cli_mat_matrix(FILE *file, const char *name, int rows, int columns, const double *values, int stride);
// A matrix of more dimensions (at most 4), the first one varying slowest in `values`.
int cli_mat_array(FILE *file, const char *name, int dimension_count, const int *dimensions, const double *values,
                  int stride);
int cli_mat_texts(FILE *file, const char *name, int count, const char *const *texts);

#endif
