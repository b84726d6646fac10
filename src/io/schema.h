// The JSON Schema (draft 2020-12) of model files, from the field tables: editors use it to complete and
// check a model while it is written. It says the shape of a file; the rest is said by `mbsens check`.
#ifndef MBS_SCHEMA_H
#define MBS_SCHEMA_H

#include <stdio.h>

// The same tables give the same bytes. Errors of writing stay in ferror(out).
void mbs_schema_write(FILE *out);

#endif
