// python/mbsens/_elements.py, from the field tables: for every kind of body, joint, force, ... a method that adds one
// to a model.
#ifndef MBS_PYTHON_H
#define MBS_PYTHON_H

#include <stdio.h>

// The same tables give the same bytes. Errors of writing stay in ferror(out).
void mbs_python_write(FILE *out);

#endif
