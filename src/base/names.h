// Names in model files: what is a good one, and which known name a misspelt one meant.
#ifndef MBS_NAMES_H
#define MBS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

// A letter or underscore, then letters, digits and underscores.
bool mbs_name_is_identifier(const char *name);

// The next of names between commas that stand outside parentheses: its length, at *text, which moves to its beginning;
// or 0.
size_t mbs_name_next(const char **text);

// Number of single-letter edits (insert, delete, replace, swap neighbours) between two names.
int mbs_name_distance(const char *a, const char *b);

// Keeps the candidate nearest to `name` so far in *best (NULL at first): call once per known name.
// Candidates too far away to be a misspelling are not kept.
void mbs_name_nearest(const char *name, const char *candidate, const char **best);

#endif
