// Functions of the model: `functions: {road(x): h*sin(x/L)}`. What a call means is in expressions/call.c; here is what
// their keys say, and that none calls itself, by way of others or not: by the words of their bodies, whether or not
// somebody calls them.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "expressions/scanner.h"
#include "model/blueprint.h"

// ---- keys ----

// the next name of a key, copied to the arena; NULL: there is none
static const char *take_name(MbsArena *arena, const char **text) {
  const char *at = *text + strspn(*text, " ");
  size_t length = 0;
  while (isalnum((unsigned char)at[length]) || at[length] == '_') {
    ++length;
  }
  *text = at + length;
  *text += strspn(*text, " ");
  return mbs_arena_print(arena, "%.*s", (int)length, at);
}

static const char how_to_write[] =
    "write the function with the names of its arguments: f(x), f(x, y); within { } a key with a comma in quotes: "
    "{\"f(x, y)\": ...}";

static const char *what_is_wrong(const MbsFormula *formula) {
  const char *name = formula->name;
  if (!mbs_name_is_identifier(name)) {
    return how_to_write;
  }
  if (mbs_expression_is_reserved(name) || mbs_signal_has_function(name) || strcmp(name, "d") == 0) {
    return "its name has a meaning in expressions: choose another";
  }
  for (int k = 0; k < formula->argument_count; ++k) {
    if (!mbs_name_is_identifier(formula->arguments[k])) {
      return "an argument is a name, of letters, digits and _";
    }
    if (mbs_expression_is_reserved(formula->arguments[k])) {
      return "the name of an argument has a meaning in expressions: choose another";
    }
    for (int i = 0; i < k; ++i) {
      if (strcmp(formula->arguments[i], formula->arguments[k]) == 0) {
        return "two arguments have the same name";
      }
    }
  }
  return NULL;
}

bool mbs_formula_read_key(MbsArena *arena, const char *key, MbsFormula *formula, const char **trouble) {
  const char *at = key, **arguments = NULL;
  int count = 0;
  for (const char *c = key; *c; ++c) {
    count += *c == ',' || *c == '(';
  }
  *formula = (MbsFormula){.name = take_name(arena, &at)};
  arguments = mbs_arena_take(arena, (size_t)count + 1, sizeof *arguments);
  *trouble = how_to_write;
  if (!arguments || !formula->name || *at != '(') {
    return false;
  }
  formula->arguments = arguments;
  for (bool is_more = at[1 + strspn(at + 1, " ")] != ')'; is_more; is_more = *at == ',') {
    ++at;
    arguments[formula->argument_count] = take_name(arena, &at);
    if (!arguments[formula->argument_count++]) {
      return false;
    }
  }
  at += formula->argument_count == 0 ? 1 + strspn(at + 1, " ") : 0;
  if (*at != ')' || at[1 + strspn(at + 1, " ")] != '\0') {
    return false;
  }
  *trouble = what_is_wrong(formula);
  return !*trouble;
}

// ---- recursion ----

enum { LONGEST_CHAIN = 50 };

typedef struct Chain {
  const struct Chain *before;
  int formula, length;
} Chain;

// "f -> g -> f", the part that goes round
static void write_chain(const MbsBlueprint *blueprint, const Chain *chain, int last, char *text, size_t size) {
  if (chain->formula != last) {
    write_chain(blueprint, chain->before, last, text, size);
  } else {
    text[0] = '\0';
  }
  size_t used = strlen(text);
  (void)snprintf(text + used, size - used, "%.60s -> ", blueprint->formulas.items[chain->formula].name);
}

static int find(const MbsBlueprint *blueprint, const char *name, size_t length) {
  for (int i = 0; i < blueprint->formulas.count; ++i) {
    const char *known = blueprint->formulas.items[i].name;
    if (known[0] == name[0] && strlen(known) == length && strncmp(known, name, length) == 0) {
      return i;
    }
  }
  return -1;
}

// is_good: by formula, its calls lead nowhere bad
static MbsStatus follow(MbsContext *context, MbsBlueprint *blueprint, const Chain *chain, bool *is_good) {
  const MbsFormula *formula = &blueprint->formulas.items[chain->formula];
  MbsScanner scanner;
  char owner[128];
  (void)snprintf(owner, sizeof owner, "function \"%.60s\"", formula->name);
  MBS_TRY(mbs_scanner_start(&scanner, context, owner, formula->body));
  while (scanner.token.kind != MBS_TOKEN_END) {
    const char *word = formula->body.text + scanner.token.offset;
    size_t length = (size_t)scanner.token.length;
    int called = scanner.token.kind == MBS_TOKEN_NAME ? find(blueprint, word, length) : -1;
    for (int k = 0; k < formula->argument_count && called >= 0; ++k) {
      const char *argument = formula->arguments[k];
      called = strlen(argument) == length && strncmp(argument, word, length) == 0 ? -1 : called;
    }
    for (const Chain *open = chain; open && called >= 0; open = open->before) {
      if (open->formula == called) {
        char text[512];
        write_chain(blueprint, chain, called, text, sizeof text);
        return mbs_scanner_fail(&scanner, scanner.token.offset, "the function calls itself: %s%s", text,
                                blueprint->formulas.items[called].name);
      }
    }
    if (called >= 0 && chain->length == LONGEST_CHAIN) {
      return mbs_scanner_fail(&scanner, scanner.token.offset, "functions call each other more than %d deep",
                              LONGEST_CHAIN);
    }
    if (called >= 0 && !is_good[called]) {
      const Chain longer = {.before = chain, .formula = called, .length = chain->length + 1};
      MBS_TRY(follow(context, blueprint, &longer, is_good));
    }
    MBS_TRY(mbs_scanner_next(&scanner));
  }
  is_good[chain->formula] = true;
  return MBS_OK;
}

// ---- the section ----

// An expression could mean either.
static MbsStatus refuse_name(MbsContext *context, const MbsBlueprint *blueprint, const char *name, MbsPlace place) {
  static const struct {
    int section;
    const char *word;
  } others[] = {{MBS_MODEL_PARAMETERS, "parameter"},   {MBS_MODEL_HARDPOINTS, "hardpoint"},
                {MBS_MODEL_COORDINATES, "coordinate"}, {MBS_MODEL_STATES, "state"},
                {MBS_MODEL_VARIABLES, "variable"},     {MBS_MODEL_INPUTS, "input"}};
  for (int k = 0; k < MBS_COUNT(others); ++k) {
    const MbsValue *records = mbs_record_value(&blueprint->model->root, others[k].section);
    for (int i = 0; i < records->count; ++i) {
      if (strcmp(records->records[i].name.text, name) == 0) {
        return mbs_fail(context, MBS_ERROR_INPUT, place, "function \"%s\" has the name of a %s: rename one", name,
                        others[k].word);
      }
    }
  }
  return MBS_OK;
}

const MbsFormula *mbs_formula_find(const MbsBlueprint *blueprint, const char *name) {
  int index = find(blueprint, name, strlen(name));
  return index >= 0 ? &blueprint->formulas.items[index] : NULL;
}

void mbs_formula_nearest(const MbsBlueprint *blueprint, const char *name, const char **nearest) {
  for (int i = 0; i < blueprint->formulas.count; ++i) {
    mbs_name_nearest(name, blueprint->formulas.items[i].name, nearest);
  }
}

MbsStatus mbs_formulas_read(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsValue *written = mbs_record_value(&blueprint->model->root, MBS_MODEL_FUNCTIONS);
  for (int i = 0; i < written->count; ++i) {
    const MbsRecord *record = &written->records[i];
    MbsFormula formula;
    const char *trouble;
    if (!mbs_formula_read_key(blueprint->arena, record->name.text, &formula, &trouble)) {
      return mbs_fail(context, MBS_ERROR_INPUT, record->name.place, "function \"%.60s\": %s", record->name.text,
                      trouble);
    }
    const MbsFormula *first = mbs_formula_find(blueprint, formula.name);
    if (first) {
      MbsPlace at = first->body.place;
      return mbs_fail(
          context, MBS_ERROR_INPUT, record->name.place,
          "a second function is called \"%s\"; the first is that of %s:%d:%d (function f of an assembly a is "
          "a_f: rename one of them, or the assembly)",
          formula.name, at.file, at.line, at.column);
    }
    MBS_TRY(refuse_name(context, blueprint, formula.name, record->name.place));
    formula.body = record->values[0].texts[0];
    MBS_APPEND(context, blueprint->arena, &blueprint->formulas, formula);
  }
  bool *is_good;
  MBS_TAKE(context, blueprint->arena, is_good, blueprint->formulas.count);
  for (int i = 0; i < blueprint->formulas.count; ++i) {
    MBS_TRY(is_good[i] ? MBS_OK : follow(context, blueprint, &(Chain){.formula = i}, is_good));
  }
  return MBS_OK;
}
