// MAT files of level 5, which Octave, MATLAB and scipy.io.loadmat read: matrices of doubles, and cells of texts.
// Uncompressed, in the byte order of the machine (the file says which).
#ifndef MBS_CLI_MAT_H
#define MBS_CLI_MAT_H

#include "output_file.h"

// A write that fails is noted in the file, and told when it is finished.
void cli_mat_begin(CliOutputFile *output);
// By rows, at most 4 dimensions, the first one varying slowest in `values`; with stride 2 the numbers are complex, real
// part before imaginary part.
void cli_mat_array(CliOutputFile *output, const char *name, int dimension_count, const int *dimensions,
                   const double *values, int stride);
void cli_mat_texts(CliOutputFile *output, const char *name, int count, const char *const *texts);

#endif
