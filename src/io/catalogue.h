// What model files and commands may contain, in words, from the tables that read them: the text of
// `mbsens list` and, in markdown, docs/elements.md.
#ifndef MBS_CATALOGUE_H
#define MBS_CATALOGUE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/context.h"

extern const char *const mbs_catalogue_topics[];  // NULL-terminated

// Prints one topic; an error where there is no such topic. Errors of writing stay in ferror(out).
MbsStatus mbs_catalogue_print(MbsContext *context, FILE *out, const char *what, bool markdown);

#endif
