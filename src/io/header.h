// include/mbsens/elements.h, from the field tables: for every kind of body, joint, force, ... a struct of texts and the
// call that adds one to a model.
#ifndef MBS_HEADER_H
#define MBS_HEADER_H

#include <stdio.h>

// The same tables give the same bytes. Errors of writing stay in ferror(out).
void mbs_header_write(FILE *out);

#endif
