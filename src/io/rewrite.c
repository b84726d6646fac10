// Expressions of a template as expressions of the model.
//
// A name that stands for a text is replaced by it, in parentheses where it is more than one word, so that what a
// parameter of the model feeds stays a function of it. The names in the arguments of signals are references
// (reference.c). In a frame x -> p + S x the signals of the model are turned back into the template's:
//     r -> S (r - p)    v, a -> S v, S a    omega, alpha -> det(S) S omega    angle -> det(S) angle
//     R -> S R S, and so roll, pitch, yaw and the Euler parameters 1, 2, 3 about axis k -> det(S) S_k times themselves
// Text that is not an expression is left as it is: the parser of expressions says what is wrong with it.
#include <ctype.h>
#include <string.h>

#include "expressions/parse.h"
#include "expressions/scanner.h"
#include "io/assembly.h"
#include "io/writer.h"
#include "model/blueprint.h"

enum { MOST_ARGUMENTS = 8 };

// ---- names that stand for texts ----

static bool is_one_word(const char *text) {
  MbsContext unused;
  MbsScanner scanner;
  mbs_context_begin(&unused);
  return mbs_scanner_start(&scanner, &unused, NULL, (MbsText){.text = text}) == MBS_OK &&
         (scanner.token.kind == MBS_TOKEN_NUMBER || scanner.token.kind == MBS_TOKEN_NAME) &&
         mbs_scanner_next(&scanner) == MBS_OK && scanner.token.kind == MBS_TOKEN_END;
}

MbsStatus mbs_rewrite_formal(MbsExpansion *x, MbsFormal *formal, const char **value) {
  MbsContext *context = x->reader->context;
  if (!formal->value) {
    if (formal->is_being_made) {
      return mbs_fail(context, MBS_ERROR_INPUT, formal->text.place, "parameter \"%.60s\" is defined by itself",
                      formal->name);
    }
    if (x->depth == MBS_ASSEMBLY_LONGEST_CHAIN) {
      return mbs_fail(context, MBS_ERROR_INPUT, formal->text.place,
                      "\"%.60s\" goes through more than %d other names to its value", formal->name,
                      MBS_ASSEMBLY_LONGEST_CHAIN);
    }
    const char *made;
    formal->is_being_made = true;
    x->depth += 1;
    MBS_TRY(mbs_rewrite_expression(x, formal->scope, MBS_EXPRESSION_PLAIN, formal->text, &made));
    x->depth -= 1;
    formal->is_being_made = false;
    formal->value = made;
  }
  *value = formal->value;
  return MBS_OK;
}

static MbsFormal *find_formal(const MbsInstance *instance, const char *name, size_t length) {
  for (int i = 0; i < instance->formal_count; ++i) {
    if (strlen(instance->formals[i].name) == length && strncmp(instance->formals[i].name, name, length) == 0) {
      return &instance->formals[i];
    }
  }
  return NULL;
}

static bool is_objective(const MbsInstance *scope, const char *name, size_t length) {
  const MbsYaml *objectives = mbs_yaml_find(scope->sections, mbs_model_type.fields[MBS_MODEL_OBJECTIVES].name);
  for (const MbsYaml *pair = objectives && objectives->kind == MBS_YAML_MAPPING ? objectives->first : NULL; pair;
       pair = pair->next) {
    if (strlen(pair->key.text) == length && strncmp(pair->key.text, name, length) == 0) {
      return true;
    }
  }
  return false;
}

// The words of a force law.
static bool is_local(MbsExpressionUse use, const char *name, size_t length) {
  static const char *const words[] = {"length", "displacement", "angle", "rate"};
  for (int i = 0; use != MBS_EXPRESSION_PLAIN && i < MBS_COUNT(words); ++i) {
    if (strlen(words[i]) == length && strncmp(words[i], name, length) == 0) {
      return true;
    }
  }
  return false;
}

static size_t word_length(const char *text) {
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) || text[length] == '_') {
    ++length;
  }
  return length;
}

// How much of a text is a path: left.x, cell(i-1).left.x
static int path_length(const char *text) {
  int length = 0;
  for (;;) {
    length += (int)word_length(text + length);
    int end = length, open = text[end] == '(';
    for (end += open; open > 0 && text[end] != '\0'; ++end) {
      open += (text[end] == '(') - (text[end] == ')');
    }
    if (text[end] != '.' || word_length(text + end + 1) == 0) {
      return length;
    }
    length = end + 1;
  }
}

// left.x or cell(2).x, which begin with a word of this length: a coordinate or variable of an assembly. *is_put false:
// there is no such assembly.
static MbsStatus put_path(Writer *writer, const MbsInstance *scope, MbsPlace place, const char *name, int total,
                          size_t length, bool *is_put) {
  MbsExpansion *x = writer->x;
  MbsText path = {.text = mbs_arena_print(x->reader->arena, "%.*s", total, name), .place = place};
  const char *first = mbs_arena_print(x->reader->arena, "%.*s", (int)length, name), *found;
  *is_put = false;
  if (!path.text || !first) {
    return mbs_fail(x->reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  for (const MbsInstance *around = scope; around && !*is_put; around = around->outer) {
    *is_put = mbs_assembly_find(around, first) != NULL;
  }
  if (!*is_put) {
    return MBS_OK;
  }
  MBS_TRY(mbs_rewrite_reference(x, scope, MBS_REFERENCE_COORDINATE, path, &found));
  return put(writer, found);
}

// A name that is not followed by a parenthesis, if it means something else in the model. `length` is that of its first
// part: P.x is a component of what P stands for. `is_whole`: there is nothing else in the expression.
static MbsStatus put_name(Writer *writer, const MbsInstance *scope, MbsExpressionUse use, const char *name,
                          size_t length, bool is_whole, bool *is_put) {
  *is_put = true;
  if (is_local(use, name, length)) {
    *is_put = use == MBS_EXPRESSION_REVERSED_LAW;
    if (!*is_put) {
      return MBS_OK;
    }
    MBS_TRY(put(writer, "(-"));
    MBS_TRY(put_some(writer, name, (int)length));
    return put(writer, ")");
  }
  MbsFormal *formal = find_formal(scope, name, length);
  const MbsInstance *owner = formal ? NULL : mbs_reference_number_owner(scope, name, length);
  if (!formal && owner != scope && scope->outer && is_objective(scope, name, length)) {
    owner = scope;
  }
  if (owner) {
    *is_put = owner->outer != NULL;
    MBS_TRY(*is_put ? put(writer, owner->prefix) : MBS_OK);
    return *is_put ? put_some(writer, name, (int)length) : MBS_OK;
  }
  const MbsInstance *function = formal ? NULL : mbs_reference_function_owner(scope, name, length);
  if (function) {  // d(f, x)
    *is_put = function->outer != NULL;
    MBS_TRY(*is_put ? put(writer, function->prefix) : MBS_OK);
    return *is_put ? put_some(writer, name, (int)length) : MBS_OK;
  }
  formal = formal ? formal : find_formal(writer->x->model, name, length);
  if (formal) {
    const char *value;
    MBS_TRY(mbs_rewrite_formal(writer->x, formal, &value));
    return is_whole || is_one_word(value) ? put(writer, value) : put_between(writer, "(", value, ")");
  }
  *is_put = false;
  return MBS_OK;
}

// ---- signals ----

typedef enum SignalClass {
  SIGNAL_SAME,      // a number that is not changed by a frame, or the model's own
  SIGNAL_POSITION,  // S (r - p)
  SIGNAL_VECTOR,    // S v
  SIGNAL_ANGULAR,   // det(S), in space det(S) S
  SIGNAL_ANGLE,     // det(S)
  SIGNAL_MATRIX,    // S_i S_j, by the numbers it is called with
  SIGNAL_ROLL,      // det(S) S_1, and so on
  SIGNAL_PITCH,
  SIGNAL_YAW,
  SIGNAL_EULER,  // 1, or det(S) S_k
  SIGNAL_UNKNOWN
} SignalClass;

static const struct {
  const char *name;
  SignalClass class;
  MbsReferenceKind names;  // what its argument is
} signal_table[] = {
    {"r", SIGNAL_POSITION, MBS_REFERENCE_POINT},
    {"v", SIGNAL_VECTOR, MBS_REFERENCE_POINT},
    {"a", SIGNAL_VECTOR, MBS_REFERENCE_POINT},
    {"omega", SIGNAL_ANGULAR, MBS_REFERENCE_THING},
    {"alpha", SIGNAL_ANGULAR, MBS_REFERENCE_THING},
    {"angle", SIGNAL_ANGLE, MBS_REFERENCE_THING},
    {"distance", SIGNAL_SAME, MBS_REFERENCE_POINT},
    {"slide", SIGNAL_SAME, MBS_REFERENCE_THING},
    {"direction", SIGNAL_VECTOR, MBS_REFERENCE_VECTOR},
    {"coordinate", SIGNAL_SAME, MBS_REFERENCE_COORDINATE},
    {"lambda", SIGNAL_SAME, MBS_REFERENCE_THING},
    {"sigma", SIGNAL_SAME, MBS_REFERENCE_THING},
    {"kappa", SIGNAL_SAME, MBS_REFERENCE_THING},
    {"force", SIGNAL_VECTOR, MBS_REFERENCE_THING},
    {"torque", SIGNAL_ANGULAR, MBS_REFERENCE_THING},
    {"rotation", SIGNAL_MATRIX, MBS_REFERENCE_THING},
    {"roll", SIGNAL_ROLL, MBS_REFERENCE_THING},
    {"pitch", SIGNAL_PITCH, MBS_REFERENCE_THING},
    {"yaw", SIGNAL_YAW, MBS_REFERENCE_THING},
    {"euler", SIGNAL_EULER, MBS_REFERENCE_THING},
    {"com", SIGNAL_POSITION, MBS_REFERENCE_THING},
    {"momentum", SIGNAL_VECTOR, MBS_REFERENCE_THING},
    {"angular_momentum", SIGNAL_ANGULAR, MBS_REFERENCE_THING},
    {"kinetic_energy", SIGNAL_SAME, MBS_REFERENCE_THING},
    {"potential_energy", SIGNAL_SAME, MBS_REFERENCE_THING},
    {"power", SIGNAL_SAME, MBS_REFERENCE_THING},
};

// the class of a signal, and (not NULL) what its argument names
static SignalClass classify(const char *function, MbsReferenceKind *names) {
  for (int i = 0; i < MBS_COUNT(signal_table); ++i) {
    if (strcmp(signal_table[i].name, function) == 0) {
      if (names) {
        *names = signal_table[i].names;
      }
      return signal_table[i].class;
    }
  }
  return SIGNAL_UNKNOWN;
}

typedef struct Signal {
  char function[32];
  int count;
  const char *arguments[MOST_ARGUMENTS];
} Signal;

static MbsStatus put_call(Writer *writer, const Signal *signal, bool is_backwards) {
  MBS_TRY(put_between(writer, "", signal->function, "("));
  for (int i = 0; i < signal->count; ++i) {
    MBS_TRY(put_between(writer, i > 0 ? ", " : "", signal->arguments[is_backwards ? signal->count - 1 - i : i], ""));
  }
  return put(writer, ")");
}

// factor S (signal - p), component by component
static MbsStatus put_vector(Writer *writer, const MbsInstance *scope, const Signal *signal, int factor,
                            bool is_position) {
  static const char *const components[] = {".x", ".y", ".z"};
  bool is_shifted = is_position && scope->is_shifted;
  int dimension = writer->x->reader->dimension;
  for (int k = 0; k < dimension; ++k) {
    bool is_off = is_shifted && strcmp(scope->shift[k], "0") != 0;
    MBS_TRY(put(writer, k > 0 ? ", " : "["));
    MBS_TRY(put(writer, factor * scope->sign[k] < 0 ? "-" : ""));
    MBS_TRY(put(writer, is_off ? "(" : ""));
    MBS_TRY(put_call(writer, signal, false));
    MBS_TRY(put(writer, components[k]));
    if (is_off) {
      MBS_TRY(put_between(writer, " - (", scope->shift[k], "))"));
    }
  }
  return put(writer, "]");
}

// the sign of S for axis k, "1" to "3"; 1 where the text is none of these: the parser of expressions says so
static int sign_of_axis(const MbsInstance *scope, const char *k) {
  return k[0] >= '1' && k[0] <= '3' && k[1] == '\0' ? scope->sign[k[0] - '1'] : 1;
}

// what a number of an orientation is multiplied with; 0: it is none
static int sign_of_turning(const MbsInstance *scope, const Signal *signal, bool is_planar) {
  switch (classify(signal->function, NULL)) {
    case SIGNAL_MATRIX:
      return signal->count == 3 ? sign_of_axis(scope, signal->arguments[1]) * sign_of_axis(scope, signal->arguments[2])
                                : 1;
    case SIGNAL_ROLL: return scope->parity * scope->sign[0];
    case SIGNAL_PITCH: return scope->parity * scope->sign[1];
    case SIGNAL_YAW: return is_planar ? scope->parity : scope->parity * scope->sign[2];
    case SIGNAL_EULER:
      return signal->count == 2 && strcmp(signal->arguments[1], "0") != 0
                 ? scope->parity * sign_of_axis(scope, signal->arguments[1])
                 : 1;
    default: return 0;
  }
}

static MbsStatus put_signal(Writer *writer, const MbsInstance *scope, const Signal *signal) {
  SignalClass class = classify(signal->function, NULL);
  bool is_number = class == SIGNAL_ANGLE || writer->x->reader->dimension == 2;
  if (class == SIGNAL_UNKNOWN && scope->is_mirrored) {
    return mbs_fail(writer->x->reader->context, MBS_ERROR_NOT_OFFERED, writer->place,
                    "%s() in a mirrored assembly is not offered; write it outside the template", signal->function);
  }
  if (scope->is_shifted && strcmp(signal->function, "angular_momentum") == 0) {
    return mbs_fail(writer->x->reader->context, MBS_ERROR_NOT_OFFERED, writer->place,
                    "angular_momentum(), which is about the model's origin, is not offered in an assembly that is "
                    "placed elsewhere; write it outside the template");
  }
  int sign = sign_of_turning(scope, signal, writer->x->reader->dimension == 2);
  if (sign != 0) {
    MBS_TRY(put(writer, sign < 0 ? "(-" : ""));
    MBS_TRY(put_call(writer, signal, false));
    return put(writer, sign < 0 ? ")" : "");
  }
  if (class == SIGNAL_POSITION && (scope->is_shifted || scope->is_mirrored)) {
    return put_vector(writer, scope, signal, 1, true);
  }
  if (class == SIGNAL_VECTOR && scope->is_mirrored) {
    return put_vector(writer, scope, signal, 1, false);
  }
  if (class == SIGNAL_ANGULAR && scope->is_mirrored && !is_number) {
    return put_vector(writer, scope, signal, scope->parity, false);
  }
  if ((class == SIGNAL_ANGULAR || class == SIGNAL_ANGLE) && scope->is_mirrored) {
    // the line from P to Q: where x changes sign its angle is that of the line from Q to P, and a turn stays a turn
    bool is_backwards = class == SIGNAL_ANGLE && signal->count == 2 && scope->sign[0] < 0;
    MBS_TRY(put(writer, scope->parity < 0 ? "(-" : "("));
    MBS_TRY(put_call(writer, signal, is_backwards));
    return put(writer, ")");
  }
  return put_call(writer, signal, false);
}

// ---- expressions ----

static bool is_word(const char *name, size_t length, const char *word) {
  return strlen(word) == length && strncmp(word, name, length) == 0;
}

// what takes expressions, not names
static bool is_function(const char *name, size_t length) {
  if (is_word(name, length, "d") || is_word(name, length, "rate") || is_word(name, length, "acceleration")) {
    return true;
  }
  for (const MbsFunctionHelp *help = mbs_function_help; help->name; ++help) {
    if (strlen(help->name) == length && strncmp(help->name, name, length) == 0) {
      return true;
    }
  }
  return false;
}

static bool is_signal(const char *name, size_t length) {
  for (int i = 0; i < MBS_COUNT(signal_table); ++i) {
    if (strlen(signal_table[i].name) == length && strncmp(signal_table[i].name, name, length) == 0) {
      return true;
    }
  }
  return is_function(name, length);
}

static MbsStatus add_argument(Writer *writer, const MbsScanner *scanner, int from, int to, Signal *signal) {
  MbsExpansion *x = writer->x;
  const char *text = scanner->text.text;
  while (from < to && text[from] == ' ') {
    ++from;
  }
  while (to > from && text[to - 1] == ' ') {
    --to;
  }
  char *argument;
  MBS_TAKE(x->reader->context, x->reader->arena, argument, to - from + 1);
  memcpy(argument, text + from, (size_t)(to - from));
  signal->arguments[signal->count++] = argument;
  return MBS_OK;
}

// Scans the arguments of a signal, up to its closing parenthesis; *is_good false: there is none.
static MbsStatus scan_arguments(Writer *writer, const MbsInstance *scope, MbsScanner *scanner, Signal *signal,
                                bool *is_good) {
  int open = 0, from = scanner->token.offset + 1;
  int begins[MOST_ARGUMENTS];
  *is_good = false;
  for (;;) {
    MbsToken token = scanner->token;
    if (token.kind == MBS_TOKEN_END || signal->count == MOST_ARGUMENTS) {
      return MBS_OK;
    }
    open += mbs_scanner_is_at(scanner, '(') - mbs_scanner_is_at(scanner, ')');
    if (open == 0 || (open == 1 && mbs_scanner_is_at(scanner, ','))) {
      begins[signal->count] = from;
      MBS_TRY(add_argument(writer, scanner, from, token.offset, signal));
      from = token.offset + 1;
    }
    if (open == 0) {
      break;
    }
    if (mbs_scanner_next(scanner) != MBS_OK) {
      return MBS_OK;
    }
  }
  *is_good = true;
  MbsReferenceKind names = MBS_REFERENCE_THING;
  SignalClass class = classify(signal->function, &names);
  names = class == SIGNAL_ANGLE && signal->count == 2 ? MBS_REFERENCE_POINT : names;
  for (int i = 0; i < signal->count; ++i) {
    MbsText name = {.text = signal->arguments[i], .place = mbs_scanner_place(scanner, begins[i])};
    MBS_TRY(class == SIGNAL_ANGLE ? mbs_reference_check_angle(writer->x, scope, name) : MBS_OK);
    MBS_TRY(mbs_rewrite_reference(writer->x, scope, names, name, &signal->arguments[i]));
  }
  return MBS_OK;
}

MbsStatus mbs_rewrite_expression(MbsExpansion *x, const MbsInstance *scope, MbsExpressionUse use, MbsText text,
                                 const char **result) {
  MbsContext unused;
  MbsScanner scanner;
  Writer writer = {.x = x, .place = text.place};
  int copied = 0;
  bool is_component = false;  // after a dot
  mbs_context_begin(&unused);
  *result = text.text;
  if (!text.text || mbs_scanner_start(&scanner, &unused, NULL, text) != MBS_OK) {
    return MBS_OK;
  }
  while (scanner.token.kind != MBS_TOKEN_END) {
    MbsToken token = scanner.token;
    const char *name = text.text + token.offset;
    bool is_name = token.kind == MBS_TOKEN_NAME && !is_component;
    is_component = mbs_scanner_is_at(&scanner, '.');
    if (mbs_scanner_next(&scanner) != MBS_OK) {
      return MBS_OK;
    }
    if (!is_name) {
      continue;
    }
    int total = path_length(name);
    size_t length = word_length(name);
    bool is_called = mbs_scanner_is_at(&scanner, '('), is_put = false;
    int before = writer.length;
    if (total > (int)length && !(is_called && is_signal(name, (size_t)token.length))) {
      // what stands before it goes first, and back if there is no such assembly
      MBS_TRY(put_some(&writer, text.text + copied, token.offset - copied));
      MBS_TRY(put_path(&writer, scope, mbs_scanner_place(&scanner, token.offset), name, total, length, &is_put));
      writer.length = is_put ? writer.length : before;
    }
    if (is_put) {
      copied = token.offset + total;
      while (scanner.token.kind != MBS_TOKEN_END && scanner.token.offset < copied) {
        if (mbs_scanner_next(&scanner) != MBS_OK) {
          return MBS_OK;
        }
      }
    } else if (is_called && mbs_reference_function_owner(scope, name, (size_t)token.length)) {
      // of the model or of an assembly: its arguments are expressions
      const MbsInstance *owner = mbs_reference_function_owner(scope, name, (size_t)token.length);
      MBS_TRY(put_some(&writer, text.text + copied, token.offset - copied));
      MBS_TRY(put(&writer, owner->prefix));
      MBS_TRY(put_some(&writer, name, token.length));
      copied = token.offset + token.length;
    } else if (is_called && !is_function(name, (size_t)token.length)) {
      Signal signal = {.count = 0};
      bool is_good = token.length < (int)sizeof signal.function;
      if (is_good) {
        memcpy(signal.function, name, (size_t)token.length);
        MBS_TRY(scan_arguments(&writer, scope, &scanner, &signal, &is_good));
      }
      if (!is_good) {
        return MBS_OK;
      }
      MBS_TRY(put_some(&writer, text.text + copied, token.offset - copied));
      MBS_TRY(put_signal(&writer, scope, &signal));
      copied = scanner.token.offset + 1;
      if (mbs_scanner_next(&scanner) != MBS_OK) {
        return MBS_OK;
      }
    } else if (!is_called) {
      bool is_whole = token.offset == 0 && text.text[length] == '\0';
      MBS_TRY(put_some(&writer, text.text + copied, token.offset - copied));
      MBS_TRY(put_name(&writer, scope, use, name, length, is_whole, &is_put));
      if (is_put) {
        copied = token.offset + (int)length;
      } else {
        writer.length = before;
      }
    }
  }
  if (copied > 0) {
    MBS_TRY(put(&writer, text.text + copied));
    *result = writer.text;
  }
  return MBS_OK;
}

MbsStatus mbs_rewrite_body(MbsExpansion *x, const MbsInstance *scope, const char *key, MbsText text,
                           const char **result) {
  MbsInstance inside = *scope;
  MbsFormula formula;
  const char *trouble;
  if (!mbs_formula_read_key(x->reader->arena, key, &formula, &trouble)) {
    *result = text.text;  // the reader says what is wrong with it
    return MBS_OK;
  }
  // arguments are formals that stand for themselves
  inside.formal_count = formula.argument_count + scope->formal_count;
  MBS_TAKE(x->reader->context, x->reader->arena, inside.formals, inside.formal_count);
  for (int k = 0; k < inside.formal_count; ++k) {
    const char *name = k < formula.argument_count ? formula.arguments[k] : NULL;
    inside.formals[k] = name ? (MbsFormal){.name = name, .text = {.text = name}, .value = name}
                             : scope->formals[k - formula.argument_count];
  }
  return mbs_rewrite_expression(x, &inside, MBS_EXPRESSION_PLAIN, text, result);
}
