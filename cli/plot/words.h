// What --y asks for: panels between semicolons, words between commas. Separators within brackets or parentheses belong
// to the word, as in d(P1.x)/d(L) or min(a, b).
#ifndef MBS_CLI_WORDS_H
#define MBS_CLI_WORDS_H

#include <stdbool.h>

typedef struct CliWord {
  char *text;
  int panel;
  char *base, *parameter;  // of d(base)/d(parameter); NULL: it is no such word
} CliWord;

typedef struct CliWords {
  int count, panel_count;
  CliWord *items;
} CliWords;

// Returns 0, or the exit status after a sentence on standard error about an empty one.
int cli_words_read(const char *option, const char *text, CliWords *words);
void cli_words_add(CliWords *words, const char *text, int panel);
void cli_words_free(CliWords *words);

#endif
