// Recursive descent. Each function below parses one line of the grammar:
//
//   whole   := sum [ (<|<=|>|>=) sum ]
//   sum     := product { (+|-) product }
//   product := signed { (*|/) signed }
//   signed  := { +|- } power                  so that -a^2 = -(a^2)
//   power   := part [ ^ signed ]              right-associative, and a^-2 is good
//   part    := primary { . (x|y|z) }
//   primary := number | name | name ( arguments ) | ( whole ) | [ whole , whole (, whole) ]
//
// Only brackets, arguments and exponents recurse, and they count their depth.
#include "expressions/parse.h"

#include <stdio.h>
#include <string.h>

#include "expressions/functions.h"
#include "expressions/scanner.h"

enum { NESTING_LIMIT = 200, ARGUMENT_LIMIT = 8, OPEN_ARGUMENT_LIMIT = 1000 };

typedef struct Parser {
  MbsScanner scanner;
  MbsGraph *graph;
  const MbsScope *scope;
  int depth;
  // arguments of a function of the scope, which holds no other call: kept here, off the recursion's stack
  char names[ARGUMENT_LIMIT][MBS_EXPRESSION_NAME_LIMIT + 1];
  // arguments of the functions that are open here, one after the other, and their places in the text
  int open_count;
  MbsExpression open[OPEN_ARGUMENT_LIMIT];
  int offsets[OPEN_ARGUMENT_LIMIT];
} Parser;

static MbsStatus parse_whole(Parser *parser, MbsExpression *value);
static MbsStatus parse_signed(Parser *parser, MbsExpression *value);

// ---- saying what is wrong ----

// the current token cannot stand here, where `wanted` was expected
static MbsStatus fail_expected(const Parser *parser, const char *wanted) {
  const MbsScanner *scanner = &parser->scanner;
  MbsTokenText current = mbs_scanner_text(scanner, scanner->token);
  MbsTokenText before = mbs_scanner_text(scanner, scanner->previous);
  int offset = scanner->token.offset;
  if (scanner->previous.kind != MBS_TOKEN_START) {
    return mbs_scanner_fail(scanner, offset, "expected %s after \"%s\"", wanted, before.text);
  }
  if (scanner->token.kind == MBS_TOKEN_END) {
    return mbs_scanner_fail(scanner, offset, "the expression is empty: expected %s", wanted);
  }
  return mbs_scanner_fail(scanner, offset, "expected %s before \"%s\"", wanted, current.text);
}

// a complete expression is followed by something that neither continues nor closes it
static MbsStatus fail_after_sum(const Parser *parser, const char *wanted) {
  const MbsScanner *scanner = &parser->scanner;
  MbsTokenText current = mbs_scanner_text(scanner, scanner->token);
  MbsTokenText before = mbs_scanner_text(scanner, scanner->previous);
  int offset = scanner->token.offset;
  bool is_operand = scanner->token.kind == MBS_TOKEN_NUMBER || scanner->token.kind == MBS_TOKEN_NAME ||
                    mbs_scanner_is_at(scanner, '(') || mbs_scanner_is_at(scanner, '[');
  if (is_operand) {
    return mbs_scanner_fail(scanner, offset, "expected an operator between \"%s\" and \"%s\"", before.text,
                            current.text);
  }
  if (wanted) {
    return fail_expected(parser, wanted);
  }
  if (mbs_scanner_is_at(scanner, ')') || mbs_scanner_is_at(scanner, ']')) {
    return mbs_scanner_fail(scanner, offset, "\"%s\" closes nothing", current.text);
  }
  return mbs_scanner_fail(scanner, offset, "unexpected \"%s\" after \"%s\"", current.text, before.text);
}

// ---- brackets ----

// consumes the symbol that opens a bracket, the arguments of a function or an exponent
static MbsStatus enter(Parser *parser) {
  if (++parser->depth > NESTING_LIMIT) {
    return mbs_scanner_fail(&parser->scanner, parser->scanner.token.offset,
                            "brackets, arguments and exponents may be nested at most %d deep", NESTING_LIMIT);
  }
  return mbs_scanner_next(&parser->scanner);
}

// consumes the symbol that must close an expression
static MbsStatus leave(Parser *parser, char symbol, const char *wanted) {
  if (!mbs_scanner_is_at(&parser->scanner, symbol)) {
    return fail_after_sum(parser, wanted);
  }
  --parser->depth;
  return mbs_scanner_next(&parser->scanner);
}

// value = value (operator) b
static MbsStatus combine(const Parser *parser, MbsToken operator, MbsExpression * value, const MbsExpression *b) {
  char symbol = parser->scanner.text.text[operator.offset];
  MbsExpression a = *value;
  char trouble[128];
  if (!mbs_operator_apply(symbol, parser->graph, &a, b, value, trouble, sizeof trouble)) {
    return mbs_scanner_fail(&parser->scanner, operator.offset, "%s", trouble);
  }
  return MBS_OK;
}

// ---- names and functions ----

// the nearest built-in function as a question, or nothing
typedef struct Suggestion {
  char text[64];
} Suggestion;

static Suggestion suggestion_for(const char *name) {
  Suggestion suggestion = {{0}};
  const char *nearest = NULL;
  mbs_function_nearest(name, &nearest);
  if (nearest) {
    (void)snprintf(suggestion.text, sizeof suggestion.text, "; did you mean \"%s\"?", nearest);
  }
  return suggestion;
}

static void copy_token(const MbsScanner *scanner, char name[MBS_EXPRESSION_NAME_LIMIT + 1]) {
  memcpy(name, scanner->text.text + scanner->token.offset, (size_t)scanner->token.length);
  name[scanner->token.length] = '\0';
}

// expressions up to the closing parenthesis, which is consumed; they stay open until open_count is set back
static MbsStatus parse_arguments(Parser *parser, MbsArguments *arguments) {
  MbsScanner *scanner = &parser->scanner;
  int first = parser->open_count;
  for (bool is_more = !mbs_scanner_is_at(scanner, ')'); is_more; ++parser->open_count) {
    MbsExpression argument;
    int argument_offset = scanner->token.offset;
    MBS_TRY(parse_whole(parser, &argument));
    if (parser->open_count == OPEN_ARGUMENT_LIMIT) {
      return mbs_scanner_fail(scanner, argument_offset, "functions inside each other may have at most %d arguments",
                              OPEN_ARGUMENT_LIMIT);
    }
    parser->open[parser->open_count] = argument;
    parser->offsets[parser->open_count] = argument_offset;
    is_more = mbs_scanner_is_at(scanner, ',');
    if (is_more) {
      MBS_TRY(mbs_scanner_next(scanner));
    }
  }
  MBS_TRY(leave(parser, ')', "\",\" or \")\""));
  *arguments = (MbsArguments){
      .count = parser->open_count - first, .values = &parser->open[first], .offsets = &parser->offsets[first]};
  return MBS_OK;
}

// the opening parenthesis is the current token
static MbsStatus parse_call(Parser *parser, const MbsCallee *callee, int offset, MbsExpression *value) {
  MbsCall call = {.scanner = &parser->scanner,
                  .graph = parser->graph,
                  .scope = parser->scope,
                  .offset = offset,
                  .nesting = parser->depth};
  MbsArguments arguments;
  int first = parser->open_count;
  MBS_TRY(enter(parser));
  MBS_TRY(parse_arguments(parser, &arguments));
  parser->open_count = first;
  return mbs_callee_apply(&call, callee, &arguments, value);
}

// the number of the argument by which d() differentiates, where the function has several
static MbsStatus parse_order(Parser *parser, MbsDerivative *derivative) {
  MbsScanner *scanner = &parser->scanner;
  const MbsCallee *callee = &derivative->callee;
  int count = mbs_callee_argument_count(callee), by = 1;
  if (derivative->order == MBS_DERIVATIVE_ORDER) {
    return mbs_scanner_fail(scanner, scanner->token.offset, "d() of d(): at most %d of them", MBS_DERIVATIVE_ORDER);
  }
  if (count != 1) {
    MBS_TRY(mbs_scanner_is_at(scanner, ',') ? mbs_scanner_next(scanner) : MBS_OK);
    double number = scanner->token.kind == MBS_TOKEN_NUMBER ? scanner->token.number : 0;
    by = number >= 1 && number <= MBS_DERIVATIVE_ARGUMENTS ? (int)number : 0;
    if (by != number || by == 0 || (count != MBS_ANY_COUNT && by > count)) {
      return mbs_scanner_fail(scanner, scanner->token.offset,
                              "d(): %s() has several arguments; say by which of them, as in d(%s, 1, ...)",
                              callee->name, callee->name);
    }
    MBS_TRY(mbs_scanner_next(scanner));
  }
  derivative->by[derivative->order++] = by;
  return MBS_OK;
}

// f, d(f), d(f, 2): a function, or a derivative of one
static MbsStatus parse_function(Parser *parser, char name[MBS_EXPRESSION_NAME_LIMIT + 1], MbsDerivative *derivative) {
  MbsScanner *scanner = &parser->scanner;
  if (scanner->token.kind != MBS_TOKEN_NAME) {
    return mbs_scanner_fail(scanner, scanner->token.offset,
                            "d() takes the name of a function first, as in d(f, x) or d(f, 1, x, y)");
  }
  int offset = scanner->token.offset;
  copy_token(scanner, name);
  MBS_TRY(mbs_scanner_next(scanner));
  if (strcmp(name, "d") == 0 && mbs_scanner_is_at(scanner, '(')) {
    MBS_TRY(enter(parser));
    MBS_TRY(parse_function(parser, name, derivative));
    MBS_TRY(parse_order(parser, derivative));
    return leave(parser, ')', "\")\"");
  }
  if (!mbs_callee_find(parser->scope, name, &derivative->callee)) {
    return mbs_scanner_fail(scanner, offset, "d(): there is no function \"%s\"%s", name, suggestion_for(name).text);
  }
  return MBS_OK;
}

// d(function, arguments): its derivative; the opening parenthesis is the current token
static MbsStatus parse_derivative(Parser *parser, int offset, MbsExpression *value) {
  MbsCall call = {.scanner = &parser->scanner,
                  .graph = parser->graph,
                  .scope = parser->scope,
                  .offset = offset,
                  .nesting = parser->depth};
  char name[MBS_EXPRESSION_NAME_LIMIT + 1];
  MbsDerivative derivative = {.order = 0};
  MbsArguments arguments;
  int first = parser->open_count;
  MBS_TRY(enter(parser));
  MBS_TRY(parse_function(parser, name, &derivative));
  MBS_TRY(parse_order(parser, &derivative));
  if (mbs_scanner_is_at(&parser->scanner, ',')) {
    MBS_TRY(mbs_scanner_next(&parser->scanner));
  } else if (!mbs_scanner_is_at(&parser->scanner, ')')) {
    return fail_after_sum(parser, "\",\"");
  }
  MBS_TRY(parse_arguments(parser, &arguments));
  parser->open_count = first;
  return mbs_callee_differentiate(&call, &derivative, &arguments, value);
}

// the arguments are names, given to the scope; the opening parenthesis is the current token
static MbsStatus parse_scope_call(Parser *parser, const char *name, int offset, MbsExpression *value) {
  MbsScanner *scanner = &parser->scanner;
  const MbsScope *scope = parser->scope;
  if (!scope || !scope->call) {
    return mbs_scanner_fail(scanner, offset, "unknown function \"%s\"%s", name, suggestion_for(name).text);
  }
  if (scope->has_function && !scope->has_function(name)) {
    return scope->call(scope->user, scanner->context, mbs_scanner_place(scanner, offset), name, 0, NULL, value);
  }
  const char *arguments[ARGUMENT_LIMIT];
  int count = 0;
  MBS_TRY(enter(parser));
  for (bool is_more = !mbs_scanner_is_at(scanner, ')'); is_more; ++count) {
    if (scanner->token.kind != MBS_TOKEN_NAME && !(count > 0 && scanner->token.kind == MBS_TOKEN_NUMBER)) {
      return mbs_scanner_fail(scanner, scanner->token.offset, "the arguments of %s() must be names%s", name,
                              suggestion_for(name).text);
    }
    if (count == ARGUMENT_LIMIT) {
      return mbs_scanner_fail(scanner, scanner->token.offset, "%s() may have at most %d arguments", name,
                              ARGUMENT_LIMIT);
    }
    copy_token(scanner, parser->names[count]);
    arguments[count] = parser->names[count];
    MBS_TRY(mbs_scanner_next(scanner));
    is_more = mbs_scanner_is_at(scanner, ',');
    if (!is_more && !mbs_scanner_is_at(scanner, ')')) {
      return mbs_scanner_fail(scanner, scanner->token.offset,
                              "expected \",\" or \")\" after the name \"%s\", an argument of %s()%s", arguments[count],
                              name, suggestion_for(name).text);
    }
    if (is_more) {
      MBS_TRY(mbs_scanner_next(scanner));
    }
  }
  MBS_TRY(leave(parser, ')', NULL));
  return scope->call(scope->user, scanner->context, mbs_scanner_place(scanner, offset), name, count, arguments, value);
}

static MbsStatus parse_name(Parser *parser, MbsExpression *value) {
  MbsScanner *scanner = &parser->scanner;
  const MbsScope *scope = parser->scope;
  char name[MBS_EXPRESSION_NAME_LIMIT + 1];
  int offset = scanner->token.offset;
  copy_token(scanner, name);
  *value = (MbsExpression){0};
  MBS_TRY(mbs_scanner_next(scanner));
  bool is_call = mbs_scanner_is_at(scanner, '(');
  MbsCallee callee;
  if (is_call && strcmp(name, "d") == 0) {
    return parse_derivative(parser, offset, value);
  }
  if (mbs_callee_find(scope, name, &callee)) {
    return is_call ? parse_call(parser, &callee, offset, value)
                   : mbs_scanner_fail(scanner, offset, "%s is a function: write %s(...)", name, name);
  }
  if (is_call && scope && scope->takes_expressions && scope->takes_expressions(name)) {
    MbsArguments arguments;
    int first = parser->open_count;
    MBS_TRY(enter(parser));
    MBS_TRY(parse_arguments(parser, &arguments));
    parser->open_count = first;
    return scope->apply(scope->user, scanner->context, mbs_scanner_place(scanner, offset), name, arguments.count,
                        arguments.values, value);
  }
  bool is_pi = strcmp(name, "pi") == 0;
  if (is_call && (is_pi || strchr(name, '.'))) {
    return mbs_scanner_fail(scanner, offset, "\"%s\" is not a function", name);
  }
  if (is_call) {
    return parse_scope_call(parser, name, offset, value);
  }
  if (is_pi) {
    *value = (MbsExpression){.size = 1, .node = {mbs_graph_constant(parser->graph, 3.14159265358979323846)}};
    return MBS_OK;
  }
  if (strcmp(name, "inf") == 0 || strcmp(name, "nan") == 0) {
    return mbs_scanner_fail(scanner, offset, "%s is not accepted: write a finite number", name);
  }
  if (!scope || !scope->resolve) {
    if (mbs_unit_find(parser->graph, name, value)) {
      return MBS_OK;
    }
    return mbs_scanner_fail(scanner, offset, "unknown name \"%s\": only numbers are known here", name);
  }
  return scope->resolve(scope->user, scanner->context, mbs_scanner_place(scanner, offset), name, value);
}

// ---- the grammar ----

static MbsStatus parse_vector(Parser *parser, MbsExpression *value) {
  MbsScanner *scanner = &parser->scanner;
  MbsExpression vector = {.size = 0};
  int offset = scanner->token.offset;
  MBS_TRY(enter(parser));
  for (;;) {
    MbsExpression component;
    int component_offset = scanner->token.offset;
    MBS_TRY(parse_whole(parser, &component));
    if (component.size != 1) {
      return mbs_scanner_fail(scanner, component_offset, "a component must be a number, not %s",
                              mbs_expression_kind(component.size));
    }
    if (vector.size < 3) {
      vector.node[vector.size] = component.node[0];
    }
    ++vector.size;
    if (!mbs_scanner_is_at(scanner, ',')) {
      break;
    }
    MBS_TRY(mbs_scanner_next(scanner));
  }
  MBS_TRY(leave(parser, ']', "\",\" or \"]\""));
  if (vector.size < 2 || vector.size > 3) {
    return mbs_scanner_fail(scanner, offset, "a vector has 2 or 3 components, not %d", vector.size);
  }
  *value = vector;
  return MBS_OK;
}

static MbsStatus parse_primary(Parser *parser, MbsExpression *value) {
  MbsScanner *scanner = &parser->scanner;
  if (scanner->token.kind == MBS_TOKEN_NUMBER) {
    *value = (MbsExpression){.size = 1, .node = {mbs_graph_constant(parser->graph, scanner->token.number)}};
    return mbs_scanner_next(scanner);
  }
  if (scanner->token.kind == MBS_TOKEN_NAME) {
    MBS_TRY(parse_name(parser, value));
    MBS_CHECK(scanner->context, value->size >= 1 && value->size <= 3);
    return MBS_OK;
  }
  if (mbs_scanner_is_at(scanner, '(')) {
    MBS_TRY(enter(parser));
    MBS_TRY(parse_whole(parser, value));
    return leave(parser, ')', "\")\"");
  }
  if (mbs_scanner_is_at(scanner, '[')) {
    return parse_vector(parser, value);
  }
  const char *text = scanner->text.text;
  int offset = scanner->token.offset;
  if (mbs_scanner_is_at(scanner, '*') && offset > 0 && text[offset - 1] == '*') {
    return mbs_scanner_fail(scanner, offset - 1, "a power is written with ^, not **");
  }
  return fail_expected(parser, "a number, a name or \"(\"");
}

static MbsStatus parse_part(Parser *parser, MbsExpression *value) {
  MbsScanner *scanner = &parser->scanner;
  MBS_TRY(parse_primary(parser, value));
  while (mbs_scanner_is_at(scanner, '.')) {
    MBS_TRY(mbs_scanner_next(scanner));
    const char *letter = scanner->text.text + scanner->token.offset;
    if (scanner->token.length != 1 || *letter < 'x' || *letter > 'z') {
      return fail_expected(parser, "x, y or z");
    }
    int component = *letter - 'x';
    if (value->size == 1 || component >= value->size) {
      return mbs_scanner_fail(scanner, scanner->token.offset, "%s has no component %c",
                              mbs_expression_kind(value->size), *letter);
    }
    *value = (MbsExpression){.size = 1, .node = {value->node[component]}};
    MBS_TRY(mbs_scanner_next(scanner));
  }
  return MBS_OK;
}

static MbsStatus parse_power(Parser *parser, MbsExpression *value) {
  MBS_TRY(parse_part(parser, value));
  if (mbs_scanner_is_at(&parser->scanner, '^')) {
    MbsToken operator= parser->scanner.token;
    MbsExpression exponent;
    MBS_TRY(enter(parser));
    MBS_TRY(parse_signed(parser, &exponent));
    --parser->depth;
    MBS_TRY(combine(parser, operator, value, &exponent));
  }
  return MBS_OK;
}

static MbsStatus parse_signed(Parser *parser, MbsExpression *value) {
  MbsScanner *scanner = &parser->scanner;
  bool is_negative = false;
  while (mbs_scanner_is_at(scanner, '-') || mbs_scanner_is_at(scanner, '+')) {
    is_negative ^= mbs_scanner_is_at(scanner, '-');
    MBS_TRY(mbs_scanner_next(scanner));
  }
  MBS_TRY(parse_power(parser, value));
  for (int k = 0; is_negative && k < value->size; ++k) {
    value->node[k] = mbs_graph_negate(parser->graph, value->node[k]);
  }
  return MBS_OK;
}

static MbsStatus parse_product(Parser *parser, MbsExpression *value) {
  MBS_TRY(parse_signed(parser, value));
  while (mbs_scanner_is_at(&parser->scanner, '*') || mbs_scanner_is_at(&parser->scanner, '/')) {
    MbsToken operator= parser->scanner.token;
    MbsExpression factor;
    MBS_TRY(mbs_scanner_next(&parser->scanner));
    MBS_TRY(parse_signed(parser, &factor));
    MBS_TRY(combine(parser, operator, value, &factor));
  }
  return MBS_OK;
}

static MbsStatus parse_sum(Parser *parser, MbsExpression *value) {
  MBS_TRY(parse_product(parser, value));
  while (mbs_scanner_is_at(&parser->scanner, '+') || mbs_scanner_is_at(&parser->scanner, '-')) {
    MbsToken operator= parser->scanner.token;
    MbsExpression term;
    MBS_TRY(mbs_scanner_next(&parser->scanner));
    MBS_TRY(parse_product(parser, &term));
    MBS_TRY(combine(parser, operator, value, &term));
  }
  return MBS_OK;
}

static bool is_comparison(const MbsScanner *scanner) {
  return mbs_scanner_is_at(scanner, '<') || mbs_scanner_is_at(scanner, '>');
}

static MbsStatus parse_whole(Parser *parser, MbsExpression *value) {
  MbsScanner *scanner = &parser->scanner;
  MBS_TRY(parse_sum(parser, value));
  if (!is_comparison(scanner)) {
    return MBS_OK;
  }
  MbsToken operator= scanner->token;
  bool is_less = mbs_scanner_is_at(scanner, '<'), is_strict = operator.length == 1;
  MbsComparison comparison = is_less ? (is_strict ? MBS_COMPARISON_LESS : MBS_COMPARISON_NOT_GREATER)
                                     : (is_strict ? MBS_COMPARISON_GREATER : MBS_COMPARISON_NOT_LESS);
  MbsExpression a = *value, b;
  char trouble[128];
  MBS_TRY(mbs_scanner_next(scanner));
  MBS_TRY(parse_sum(parser, &b));
  if (!mbs_comparison_apply(comparison, parser->graph, &a, &b, value, trouble, sizeof trouble)) {
    return mbs_scanner_fail(scanner, operator.offset, "%s", trouble);
  }
  if (is_comparison(scanner)) {
    return mbs_scanner_fail(scanner, scanner->token.offset,
                            "comparisons are not chained: write and(a %s b, b %s c), or put one in parentheses",
                            mbs_scanner_text(scanner, operator).text, mbs_scanner_text(scanner, scanner->token).text);
  }
  return MBS_OK;
}

// ---- entry points ----

// open arguments need no values: clearing room for all of them would be most of the work
static MbsStatus parse_all(MbsContext *context, MbsGraph *graph, MbsText text, const MbsScope *scope, Parser *parser,
                           MbsExpression *value) {
  parser->graph = graph;
  parser->scope = scope;
  parser->depth = scope && scope->count ? scope->count->nesting : 0;  // the body of a function: inside its call
  parser->open_count = 0;
  parser->scanner = (MbsScanner){.context = context};
  MBS_TRY(mbs_scanner_start(&parser->scanner, context, scope ? scope->owner : NULL, text));
  MBS_TRY(parse_whole(parser, value));
  if (parser->scanner.token.kind != MBS_TOKEN_END) {
    return fail_after_sum(parser, NULL);
  }
  return mbs_graph_status(parser->scanner.context, parser->graph);
}

MbsStatus mbs_expression_parse(MbsContext *context, MbsGraph *graph, MbsText text, const MbsScope *scope,
                               MbsExpression *value) {
  Parser parser;
  return parse_all(context, graph, text, scope, &parser, value);
}

MbsStatus mbs_expression_parse_sized(MbsContext *context, MbsGraph *graph, MbsText text, const MbsScope *scope,
                                     int size, MbsExpression *value) {
  Parser parser;
  MBS_TRY(parse_all(context, graph, text, scope, &parser, value));
  if (size > 0 && value->size != size) {
    return mbs_scanner_fail(&parser.scanner, 0, "expected %s, got %s", mbs_expression_kind(size),
                            mbs_expression_kind(value->size));
  }
  return MBS_OK;
}
