// Text to graph nodes.
//
//   expression := one of < <= > >= at most, sums, products, unary minus, ^ (right-associative, binds tighter than
//                 unary minus)
//   primary    := number | name | name.name | f(arguments) | (expression) | [e1, e2(, e3)]
//                 followed by .x .y .z to take a component of a vector
// Built-in functions: sqrt exp log sin cos tan asin acos atan atan2 sinh cosh tanh abs sign min max
// step step5 floor mod(x, y) if(c, a, b) and(a, b) or(a, b) not(a) noevent(a) piecewise(x, f0, x1, f1, ...)
// smooth_abs(x, w) smooth_max(a, b, w) smooth_min(a, b, w), and on vectors dot(a, b) cross(a, b) (a number in the
// plane) norm(a). + and - work on vectors, * and / with a number. `pi` is a constant. Functions of the model: call.c.
#ifndef MBS_PARSE_H
#define MBS_PARSE_H

#include "expressions/graph.h"

// A number (size 1) or a vector (size 2 or 3).
typedef struct MbsExpression {
  int size;
  MbsNode node[3];
} MbsExpression;

// A function of the model: f(x, y) by an expression.
typedef struct MbsFormula {
  const char *name;
  int argument_count;
  const char *const *arguments;
  MbsText body;
} MbsFormula;

// A call of such a function and what it gave: in one call of an expression, f() with the same arguments is the same
// again.
enum { MBS_KEPT_CALLS = 128, MBS_KEPT_ARGUMENTS = 3 };
typedef struct MbsKeptCall {
  const MbsFormula *formula;  // NULL: none
  MbsExpression arguments[MBS_KEPT_ARGUMENTS], value;
} MbsKeptCall;

// Calls of such functions that are open, and all there were, in one call of an expression (call.c).
typedef struct MbsCallCount {
  MbsKeptCall kept[MBS_KEPT_CALLS];
  int depth, total;
  int nesting;  // of brackets, arguments and exponents around the call that is open
  int inputs;   // that d() uses
} MbsCallCount;

enum { MBS_MOST_DERIVATIVES = 16 };  // d() inside functions inside d()

// What a model offers to all its expressions alike: values of parameters, functions and tables of its own. Each may be
// NULL.
typedef struct MbsModelWords {
  // The value of a node at the nominal parameters; *moves: it has none, for it depends on more than these. NULL: only
  // constants have values.
  MbsStatus (*nominal)(void *model, MbsContext *context, MbsNode node, bool *moves, double *value);
  // A function of the model; NULL: there is none of this name.
  const MbsFormula *(*find_formula)(void *model, const char *name);
  // An input of the graph that no value has, for d(): number `index` of MBS_MOST_DERIVATIVES. NULL: the graph has no
  // other inputs, so any will do.
  MbsStatus (*input)(void *model, MbsContext *context, int index, int *input);
  // A table of the model, whose arguments are expressions; NULL: there is none of this name. And its value.
  const void *(*find_table)(void *model, const char *name, int *argument_count);
  MbsStatus (*apply_table)(void *model, MbsContext *context, const char *owner, MbsPlace place, const void *table,
                           const MbsExpression *arguments, MbsExpression *value);
  // A function of the program's own; NULL: there is none of this name.
  const struct MbsExternal *(*find_external)(void *model, const char *name);
} MbsModelWords;

// What names mean where the expression stands. Both callbacks report unknown names themselves
// (mbs_fail, with `place` and the nearest known name).
typedef struct MbsScope {
  void *user;
  const char *owner;  // whose expression it is, for messages about how it is written; may be NULL
  // a name or dotted name that is not followed by a parenthesis
  MbsStatus (*resolve)(void *user, MbsContext *context, MbsPlace place, const char *name, MbsExpression *value);
  // a function that is not built in; its arguments are names (dotted or not), after the first also whole numbers.
  // NULL: there are none. Limits: 8 arguments.
  MbsStatus (*call)(void *user, MbsContext *context, MbsPlace place, const char *function, int argument_count,
                    const char *const *arguments, MbsExpression *value);
  // The same of a function whose arguments are expressions, which takes_expressions knows by name. NULL: there are
  // none.
  MbsStatus (*apply)(void *user, MbsContext *context, MbsPlace place, const char *function, int argument_count,
                     const MbsExpression *arguments, MbsExpression *value);
  bool (*takes_expressions)(const char *function);
  // Is there such a function? Of one that is not, `call` says so without looking at its arguments, which may be
  // expressions. NULL: `call` finds out.
  bool (*has_function)(const char *function);
  // What names mean in the body of a function that is called here: without those that have a meaning in this expression
  // alone. NULL: the same.
  const struct MbsScope *global;
  MbsCallCount *count;         // inside the body of a function; NULL elsewhere
  const MbsModelWords *words;  // NULL: there is no model
  void *model;                 // theirs
} MbsScope;

// Limits: 10,000 characters, nesting 200, so that bad input cannot exhaust the stack.
MbsStatus mbs_expression_parse(MbsContext *context, MbsGraph *graph, MbsText text, const MbsScope *scope,
                               MbsExpression *value);
// The same, and refuses a vector (size 1) or a size other than `size`.
MbsStatus mbs_expression_parse_sized(MbsContext *context, MbsGraph *graph, MbsText text, const MbsScope *scope,
                                     int size, MbsExpression *value);

// Is this name taken by a built-in function or constant, or by `t`?
bool mbs_expression_is_reserved(const char *name);

// The names of the built-in functions, NULL-terminated, with one line of help each, for `list`.
typedef struct MbsFunctionHelp {
  const char *name, *summary;
} MbsFunctionHelp;
extern const MbsFunctionHelp mbs_function_help[];
// Units by name: constants. A name of the model's own comes first, so a scope asks this last.
bool mbs_unit_find(MbsGraph *graph, const char *name, MbsExpression *value);
extern const MbsFunctionHelp mbs_unit_help[];
// Keeps the built-in function nearest to `name` in *best (base/names.h), unless no letter of it would be left: a(1) did
// not mean abs(1).
void mbs_function_nearest(const char *name, const char **best);

#endif
