// Built-in functions and operators: the table, and what they make of numbers and vectors.
#include "expressions/functions.h"

#include <stdio.h>
#include <string.h>

#include "base/names.h"

// sqrt(x^2 + w^2)
static MbsNode smooth_abs(MbsGraph *graph, const MbsNode *arguments) {
  MbsNode sum = mbs_graph_add(graph, mbs_graph_power_integer(graph, arguments[0], 2),
                              mbs_graph_power_integer(graph, arguments[1], 2));
  return mbs_graph_apply(graph, MBS_OP_SQRT, sum, MBS_NODE_NONE);
}

// (a + b +- smooth_abs(a - b, w)) / 2
static MbsNode smooth_choice(MbsGraph *graph, const MbsNode *arguments, MbsOperation sign) {
  MbsNode a = arguments[0], b = arguments[1];
  MbsNode distance = smooth_abs(graph, (MbsNode[]){mbs_graph_subtract(graph, a, b), arguments[2]});
  MbsNode twice = mbs_graph_apply(graph, sign, mbs_graph_add(graph, a, b), distance);
  return mbs_graph_multiply(graph, mbs_graph_constant(graph, 0.5), twice);
}

static MbsNode smooth_max(MbsGraph *graph, const MbsNode *arguments) {
  return smooth_choice(graph, arguments, MBS_OP_ADD);
}

static MbsNode smooth_min(MbsGraph *graph, const MbsNode *arguments) {
  return smooth_choice(graph, arguments, MBS_OP_SUBTRACT);
}

// x - y floor(x / y)
static MbsNode mod(MbsGraph *graph, const MbsNode *arguments) {
  MbsNode x = arguments[0], y = arguments[1];
  MbsNode whole = mbs_graph_apply(graph, MBS_OP_FLOOR, mbs_graph_divide(graph, x, y), MBS_NODE_NONE);
  return mbs_graph_subtract(graph, x, mbs_graph_multiply(graph, y, whole));
}

static MbsNode choose(MbsGraph *graph, const MbsNode *arguments) {
  return mbs_graph_select(graph, arguments[0], arguments[1], arguments[2]);
}

static MbsNode neither(MbsGraph *graph, const MbsNode *arguments) {
  return mbs_graph_apply(graph, MBS_OP_UNLESS, arguments[0], mbs_graph_constant(graph, 1));
}

// 1 where it is not 0
static MbsNode truth_of(MbsGraph *graph, MbsNode node) {
  return mbs_graph_apply(graph, MBS_OP_WHERE, node, mbs_graph_constant(graph, 1));
}

static MbsNode both(MbsGraph *graph, const MbsNode *arguments) {
  return mbs_graph_apply(graph, MBS_OP_WHERE, arguments[0], truth_of(graph, arguments[1]));
}

static MbsNode either(MbsGraph *graph, const MbsNode *arguments) {
  return mbs_graph_select(graph, arguments[0], mbs_graph_constant(graph, 1), truth_of(graph, arguments[1]));
}

// a < b and so on, of steps: a >= b is step(a - b), which is 1 at 0, and a < b is its contrary
static MbsNode compare(MbsGraph *graph, MbsComparison comparison, MbsNode a, MbsNode b) {
  bool is_from_below = comparison == MBS_COMPARISON_GREATER || comparison == MBS_COMPARISON_NOT_GREATER;
  bool is_contrary = comparison == MBS_COMPARISON_GREATER || comparison == MBS_COMPARISON_LESS;
  MbsNode margin = is_from_below ? mbs_graph_subtract(graph, b, a) : mbs_graph_subtract(graph, a, b);
  MbsNode step = mbs_graph_apply(graph, MBS_OP_STEP, margin, MBS_NODE_NONE);
  return is_contrary ? neither(graph, &step) : step;
}

static MbsNode dot_product(MbsGraph *graph, const MbsExpression *a, const MbsExpression *b) {
  MbsNode sum = mbs_graph_multiply(graph, a->node[0], b->node[0]);
  for (int k = 1; k < a->size; ++k) {
    sum = mbs_graph_add(graph, sum, mbs_graph_multiply(graph, a->node[k], b->node[k]));
  }
  return sum;
}

static void dot(MbsGraph *graph, const MbsExpression *arguments, MbsExpression *value) {
  *value = (MbsExpression){.size = 1, .node = {dot_product(graph, &arguments[0], &arguments[1])}};
}

static void norm(MbsGraph *graph, const MbsExpression *arguments, MbsExpression *value) {
  MbsNode square = dot_product(graph, &arguments[0], &arguments[0]);
  *value = (MbsExpression){.size = 1, .node = {mbs_graph_apply(graph, MBS_OP_SQRT, square, MBS_NODE_NONE)}};
}

// a_i b_j - a_j b_i; in the plane the component out of it, a number
static void cross(MbsGraph *graph, const MbsExpression *arguments, MbsExpression *value) {
  const MbsNode *a = arguments[0].node, *b = arguments[1].node;
  bool is_planar = arguments[0].size == 2;
  value->size = is_planar ? 1 : 3;
  for (int k = 0; k < value->size; ++k) {
    int i = is_planar ? 0 : (k + 1) % 3;
    int j = is_planar ? 1 : (k + 2) % 3;
    value->node[k] =
        mbs_graph_subtract(graph, mbs_graph_multiply(graph, a[i], b[j]), mbs_graph_multiply(graph, a[j], b[i]));
  }
}

// name, number of arguments, how many of them must be numbers, operation or CONSTANT, function of numbers, function of
// vectors, summary
#define FUNCTION_LIST(X)                                                                                            \
  X("sqrt", 1, 1, SQRT, NULL, NULL, "sqrt(x): square root")                                                         \
  X("exp", 1, 1, EXP, NULL, NULL, "exp(x): e to the power x")                                                       \
  X("log", 1, 1, LOG, NULL, NULL, "log(x): natural logarithm")                                                      \
  X("sin", 1, 1, SIN, NULL, NULL, "sin(x): sine, x in radians")                                                     \
  X("cos", 1, 1, COS, NULL, NULL, "cos(x): cosine, x in radians")                                                   \
  X("tan", 1, 1, TAN, NULL, NULL, "tan(x): tangent, x in radians")                                                  \
  X("asin", 1, 1, ASIN, NULL, NULL, "asin(x): angle in [-pi/2, pi/2] whose sine is x")                              \
  X("acos", 1, 1, ACOS, NULL, NULL, "acos(x): angle in [0, pi] whose cosine is x")                                  \
  X("atan", 1, 1, ATAN, NULL, NULL, "atan(x): angle in [-pi/2, pi/2] whose tangent is x")                           \
  X("atan2", 2, 2, ATAN2, NULL, NULL, "atan2(y, x): angle in [-pi, pi] of the direction [x, y]")                    \
  X("sinh", 1, 1, SINH, NULL, NULL, "sinh(x): hyperbolic sine")                                                     \
  X("cosh", 1, 1, COSH, NULL, NULL, "cosh(x): hyperbolic cosine")                                                   \
  X("tanh", 1, 1, TANH, NULL, NULL, "tanh(x): hyperbolic tangent")                                                  \
  X("abs", 1, 1, ABS, NULL, NULL, "abs(x): x without its sign; derivative sign(x)")                                 \
  X("sign", 1, 1, SIGN, NULL, NULL, "sign(x): -1, 0 or 1; derivative 0")                                            \
  X("min", 2, 2, MINIMUM, NULL, NULL, "min(a, b): the smaller")                                                     \
  X("max", 2, 2, MAXIMUM, NULL, NULL, "max(a, b): the larger")                                                      \
  X("step", 1, 1, STEP, NULL, NULL, "step(x): 1 where x >= 0, else 0; derivative 0")                                \
  X("step5", 1, 1, STEP5, NULL, NULL, "step5(x): 0 below 0, 1 above 1, 10x^3 - 15x^4 + 6x^5 between")               \
  X("piecewise", MBS_ANY_COUNT, 0, CONSTANT, NULL, NULL,                                                            \
    "piecewise(x, f0, x1, f1, ...): f0 where x < x1, f1 from there to x2, ...; the pieces must meet")               \
  X("floor", 1, 1, FLOOR, NULL, NULL, "floor(x): the largest whole number that is not larger than x; derivative 0") \
  X("mod", 2, 2, CONSTANT, mod, NULL, "mod(x, y): x - y floor(x/y), from 0 to y")                                   \
  X("if", 3, 1, CONSTANT, choose, NULL, "if(c, a, b): a where c is not 0, else b; a and b may be vectors")          \
  X("and", 2, 2, CONSTANT, both, NULL, "and(a, b): 1 where neither is 0, else 0")                                   \
  X("or", 2, 2, CONSTANT, either, NULL, "or(a, b): 0 where both are 0, else 1")                                     \
  X("not", 1, 1, CONSTANT, neither, NULL, "not(a): 1 where a is 0, else 0")                                         \
  X("noevent", 1, 0, NOEVENT, NULL, NULL, "noevent(a): a; what jumps inside is no event")                           \
  X("smooth_abs", 2, 2, CONSTANT, smooth_abs, NULL, "smooth_abs(x, w): sqrt(x^2 + w^2), rounded over a width w")    \
  X("smooth_max", 3, 3, CONSTANT, smooth_max, NULL, "smooth_max(a, b, w): (a + b + smooth_abs(a - b, w))/2")        \
  X("smooth_min", 3, 3, CONSTANT, smooth_min, NULL, "smooth_min(a, b, w): (a + b - smooth_abs(a - b, w))/2")        \
  X("dot", 2, 0, CONSTANT, NULL, dot, "dot(a, b): scalar product of two vectors")                                   \
  X("cross", 2, 0, CONSTANT, NULL, cross, "cross(a, b): vector product; of vectors of 2 the number ax by - ay bx")  \
  X("norm", 1, 0, CONSTANT, NULL, norm, "norm(a): length of a vector")

#define FUNCTION(name, count, numbers, operation, of_numbers, of_vectors, summary) \
  {name, count, numbers, MBS_OP_##operation, of_numbers, of_vectors},
static const MbsBuiltIn functions[] = {FUNCTION_LIST(FUNCTION)};
#undef FUNCTION

#define FUNCTION_HELP(name, count, numbers, operation, of_numbers, of_vectors, summary) {name, summary},
const MbsFunctionHelp mbs_function_help[] = {FUNCTION_LIST(FUNCTION_HELP){NULL, NULL}};
#undef FUNCTION_HELP

enum { FUNCTION_COUNT = (int)(sizeof functions / sizeof functions[0]) };

const MbsBuiltIn *mbs_built_in_find(const char *name) {
  for (int k = 0; k < FUNCTION_COUNT; ++k) {
    if (strcmp(functions[k].name, name) == 0) {
      return &functions[k];
    }
  }
  return NULL;
}

void mbs_function_nearest(const char *name, const char **best) {
  for (int k = 0; k < FUNCTION_COUNT; ++k) {
    if (mbs_name_distance(name, functions[k].name) < (int)strlen(name)) {
      mbs_name_nearest(name, functions[k].name, best);
    }
  }
}

bool mbs_expression_is_reserved(const char *name) {
  static const char *const names[] = {"pi", "t", "inf", "nan"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
    if (strcmp(names[k], name) == 0) {
      return true;
    }
  }
  return mbs_built_in_find(name) != NULL;
}

// ---- applying ----

const char *mbs_expression_kind(int size) {
  return size == 1 ? "a number" : size == 2 ? "a vector of 2" : "a vector of 3";
}

static bool are_vectors(const MbsBuiltIn *function, const MbsExpression *arguments, char *trouble,
                        size_t trouble_size) {
  bool are_good = true;
  for (int k = 0; k < function->argument_count; ++k) {
    are_good = are_good && arguments[k].size > 1 && arguments[k].size == arguments[0].size;
  }
  if (!are_good) {
    (void)snprintf(trouble, trouble_size, "%s() needs %s", function->name,
                   function->argument_count == 1 ? "a vector, not a number" : "two vectors of the same size");
  }
  return are_good;
}

// The first ones numbers, the others all numbers or all vectors of one size, which `size` is.
static bool are_good(const MbsBuiltIn *function, const MbsExpression *arguments, int *size, char *trouble,
                     size_t trouble_size) {
  int first = function->number_count;
  *size = first < function->argument_count ? arguments[first].size : 1;
  for (int k = 0; k < function->argument_count; ++k) {
    int found = arguments[k].size;
    if (k < first && found != 1) {
      bool is_one_of = first < function->argument_count;
      (void)snprintf(trouble, trouble_size, "%s() needs %s, not %s", function->name,
                     is_one_of                       ? "a number as its first argument"
                     : function->argument_count == 1 ? "a number"
                                                     : "numbers",
                     mbs_expression_kind(found));
      return false;
    }
    if (k >= first && found != *size) {
      (void)snprintf(trouble, trouble_size, "%s() needs two numbers or two vectors of the same size, not %s and %s",
                     function->name, mbs_expression_kind(*size), mbs_expression_kind(found));
      return false;
    }
  }
  return true;
}

bool mbs_built_in_apply(const MbsBuiltIn *function, MbsGraph *graph, const MbsExpression *arguments,
                        MbsExpression *value, char *trouble, size_t trouble_size) {
  if (function->of_vectors) {
    if (!are_vectors(function, arguments, trouble, trouble_size)) {
      return false;
    }
    function->of_vectors(graph, arguments, value);
    return true;
  }
  int size;
  if (!are_good(function, arguments, &size, trouble, trouble_size)) {
    return false;
  }
  value->size = size;
  for (int c = 0; c < size; ++c) {
    MbsNode numbers[MBS_BUILT_IN_ARGUMENT_LIMIT];
    for (int k = 0; k < MBS_BUILT_IN_ARGUMENT_LIMIT; ++k) {
      numbers[k] = k < function->argument_count ? arguments[k].node[k < function->number_count ? 0 : c] : MBS_NODE_NONE;
    }
    value->node[c] = function->of_numbers ? function->of_numbers(graph, numbers)
                                          : mbs_graph_apply(graph, function->operation, numbers[0], numbers[1]);
  }
  return true;
}

// why a and b cannot be combined; false: they can
static bool is_refused(char symbol, int a_size, int b_size, char *trouble, size_t trouble_size) {
  const char *a = mbs_expression_kind(a_size), *b = mbs_expression_kind(b_size);
  trouble[0] = '\0';
  if (symbol == '+' && a_size != b_size) {
    (void)snprintf(trouble, trouble_size, "cannot add %s and %s", a, b);
  } else if (symbol == '-' && a_size != b_size) {
    (void)snprintf(trouble, trouble_size, "cannot subtract %s from %s", b, a);
  } else if (symbol == '*' && a_size > 1 && b_size > 1) {
    (void)snprintf(trouble, trouble_size, "cannot multiply two vectors: use dot() or cross()");
  } else if (symbol == '/' && b_size > 1) {
    (void)snprintf(trouble, trouble_size, "cannot divide by %s", b);
  } else if (symbol == '^' && a_size > 1) {
    (void)snprintf(trouble, trouble_size, "cannot raise %s to a power: use dot() or take a component", a);
  } else if (symbol == '^' && b_size > 1) {
    (void)snprintf(trouble, trouble_size, "an exponent must be a number, not %s", b);
  }
  return trouble[0] != '\0';
}

bool mbs_operator_apply(char symbol, MbsGraph *graph, const MbsExpression *a, const MbsExpression *b,
                        MbsExpression *value, char *trouble, size_t trouble_size) {
  if (is_refused(symbol, a->size, b->size, trouble, trouble_size)) {
    return false;
  }
  MbsOperation operation = symbol == '+' ? MBS_OP_ADD : symbol == '-' ? MBS_OP_SUBTRACT : MBS_OP_DIVIDE;
  value->size = a->size > b->size ? a->size : b->size;
  for (int k = 0; k < value->size; ++k) {
    // a number meets every component
    MbsNode x = a->node[a->size == 1 ? 0 : k], y = b->node[b->size == 1 ? 0 : k];
    value->node[k] = symbol == '*'   ? mbs_rest_product(graph, x, y)
                     : symbol == '^' ? mbs_rest_power(graph, x, y)
                                     : mbs_graph_apply(graph, operation, x, y);
  }
  return true;
}

bool mbs_comparison_apply(MbsComparison comparison, MbsGraph *graph, const MbsExpression *a, const MbsExpression *b,
                          MbsExpression *value, char *trouble, size_t trouble_size) {
  if (a->size != 1 || b->size != 1) {
    (void)snprintf(trouble, trouble_size, "cannot compare %s and %s: compare numbers, as components or norm()",
                   mbs_expression_kind(a->size), mbs_expression_kind(b->size));
    return false;
  }
  *value = (MbsExpression){.size = 1, .node = {compare(graph, comparison, a->node[0], b->node[0])}};
  return true;
}
