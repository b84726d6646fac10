#include "words.h"

#include <mbsens/mbsens.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "../outcome.h"

// How far to the separator that belongs to no parenthesis.
static size_t span(const char *text, const char *separators) {
  int depth = 0;
  const char *c = text;
  for (; *c && !(depth <= 0 && strchr(separators, *c)); ++c) {
    depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
  }
  return (size_t)(c - text);
}

// the closing parenthesis of the one before `text`; NULL: there is none
static const char *find_closing(const char *text) {
  int depth = 1;
  for (; *text; ++text) {
    depth += (*text == '(') - (*text == ')');
    if (depth == 0) {
      return text;
    }
  }
  return NULL;
}

// d(base)/d(parameter)
static void find_derivative(CliWord *word) {
  const char *base = word->text + 2;
  const char *end = strncmp(word->text, "d(", 2) == 0 ? find_closing(base) : NULL;
  if (!end || strncmp(end, ")/d(", 4) != 0) {
    return;
  }
  const char *parameter = end + 4, *last = find_closing(parameter);
  if (last && last[1] == '\0' && end > base && last > parameter) {
    word->base = cli_memory_copy_text(base, (size_t)(end - base));
    word->parameter = cli_memory_copy_text(parameter, (size_t)(last - parameter));
  }
}

static void add(CliWords *words, const char *text, size_t length, int panel) {
  words->items = cli_memory_resize(words->items, (size_t)words->count + 1, sizeof *words->items);
  CliWord *word = &words->items[words->count++];
  *word = (CliWord){.text = cli_memory_copy_text(text, length), .panel = panel};
  words->panel_count = panel + 1;
  find_derivative(word);
}

void cli_words_add(CliWords *words, const char *text, int panel) { add(words, text, strlen(text), panel); }

int cli_words_read(const char *option, const char *text, CliWords *words) {
  int panel = 0;
  for (const char *at = text;;) {
    at += strspn(at, " \t\n");
    size_t length = span(at, ",;"), kept = length;
    while (kept > 0 && strchr(" \t\n", at[kept - 1])) {
      --kept;
    }
    if (kept == 0) {
      return cli_fail(MBS_ERROR_INPUT, "%s: word %d of \"%s\" is empty", option, words->count + 1, text);
    }
    add(words, at, kept, panel);
    if (at[length] == '\0') {
      return 0;
    }
    panel += at[length] == ';';
    at += length + 1;
  }
}

void cli_words_free(CliWords *words) {
  for (int i = 0; i < words->count; ++i) {
    free(words->items[i].text);
    free(words->items[i].base);
    free(words->items[i].parameter);
  }
  free(words->items);
  *words = (CliWords){0};
}
