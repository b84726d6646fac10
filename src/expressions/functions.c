// Built-in functions and operators: the table, and what they make of numbers and vectors.
#include "expressions/functions.h"

#include <stdio.h>
#include <string.h>

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

// name, number of arguments, operation or CONSTANT, function of numbers, function of vectors, summary
#define FUNCTION_LIST(X)                                                                                        \
  X("sqrt", 1, SQRT, NULL, NULL, "sqrt(x): square root")                                                        \
  X("exp", 1, EXP, NULL, NULL, "exp(x): e to the power x")                                                      \
  X("log", 1, LOG, NULL, NULL, "log(x): natural logarithm")                                                     \
  X("sin", 1, SIN, NULL, NULL, "sin(x): sine, x in radians")                                                    \
  X("cos", 1, COS, NULL, NULL, "cos(x): cosine, x in radians")                                                  \
  X("tan", 1, TAN, NULL, NULL, "tan(x): tangent, x in radians")                                                 \
  X("asin", 1, ASIN, NULL, NULL, "asin(x): angle in [-pi/2, pi/2] whose sine is x")                             \
  X("acos", 1, ACOS, NULL, NULL, "acos(x): angle in [0, pi] whose cosine is x")                                 \
  X("atan", 1, ATAN, NULL, NULL, "atan(x): angle in [-pi/2, pi/2] whose tangent is x")                          \
  X("atan2", 2, ATAN2, NULL, NULL, "atan2(y, x): angle in [-pi, pi] of the direction [x, y]")                   \
  X("sinh", 1, SINH, NULL, NULL, "sinh(x): hyperbolic sine")                                                    \
  X("cosh", 1, COSH, NULL, NULL, "cosh(x): hyperbolic cosine")                                                  \
  X("tanh", 1, TANH, NULL, NULL, "tanh(x): hyperbolic tangent")                                                 \
  X("abs", 1, ABS, NULL, NULL, "abs(x): x without its sign; derivative sign(x)")                                \
  X("sign", 1, SIGN, NULL, NULL, "sign(x): -1, 0 or 1; derivative 0")                                           \
  X("min", 2, MINIMUM, NULL, NULL, "min(a, b): the smaller")                                                    \
  X("max", 2, MAXIMUM, NULL, NULL, "max(a, b): the larger")                                                     \
  X("step", 1, STEP, NULL, NULL, "step(x): 1 where x >= 0, else 0; derivative 0")                               \
  X("step5", 1, STEP5, NULL, NULL, "step5(x): 0 below 0, 1 above 1, 10x^3 - 15x^4 + 6x^5 between")              \
  X("smooth_abs", 2, CONSTANT, smooth_abs, NULL, "smooth_abs(x, w): sqrt(x^2 + w^2), rounded over a width w")   \
  X("smooth_max", 3, CONSTANT, smooth_max, NULL, "smooth_max(a, b, w): (a + b + smooth_abs(a - b, w))/2")       \
  X("smooth_min", 3, CONSTANT, smooth_min, NULL, "smooth_min(a, b, w): (a + b - smooth_abs(a - b, w))/2")       \
  X("dot", 2, CONSTANT, NULL, dot, "dot(a, b): scalar product of two vectors")                                  \
  X("cross", 2, CONSTANT, NULL, cross, "cross(a, b): vector product; of vectors of 2 the number ax by - ay bx") \
  X("norm", 1, CONSTANT, NULL, norm, "norm(a): length of a vector")

#define FUNCTION(name, count, operation, of_numbers, of_vectors, summary) \
  {name, count, MBS_OP_##operation, of_numbers, of_vectors},
static const MbsBuiltIn functions[] = {FUNCTION_LIST(FUNCTION)};
#undef FUNCTION

#define FUNCTION_HELP(name, count, operation, of_numbers, of_vectors, summary) {name, summary},
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

static bool are_numbers(const MbsBuiltIn *function, const MbsExpression *arguments, char *trouble,
                        size_t trouble_size) {
  for (int k = 0; k < function->argument_count; ++k) {
    if (arguments[k].size != 1) {
      (void)snprintf(trouble, trouble_size, "%s() needs %s, not %s", function->name,
                     function->argument_count == 1 ? "a number" : "numbers", mbs_expression_kind(arguments[k].size));
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
  if (!are_numbers(function, arguments, trouble, trouble_size)) {
    return false;
  }
  MbsNode numbers[MBS_BUILT_IN_ARGUMENT_LIMIT];
  for (int k = 0; k < MBS_BUILT_IN_ARGUMENT_LIMIT; ++k) {
    numbers[k] = k < function->argument_count ? arguments[k].node[0] : MBS_NODE_NONE;
  }
  value->size = 1;
  value->node[0] = function->of_numbers ? function->of_numbers(graph, numbers)
                                        : mbs_graph_apply(graph, function->operation, numbers[0], numbers[1]);
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
  MbsOperation operation = symbol == '+'   ? MBS_OP_ADD
                           : symbol == '-' ? MBS_OP_SUBTRACT
                           : symbol == '*' ? MBS_OP_MULTIPLY
                           : symbol == '/' ? MBS_OP_DIVIDE
                                           : MBS_OP_POWER;
  value->size = a->size > b->size ? a->size : b->size;
  for (int k = 0; k < value->size; ++k) {
    // a number meets every component
    value->node[k] = mbs_graph_apply(graph, operation, a->node[a->size == 1 ? 0 : k], b->node[b->size == 1 ? 0 : k]);
  }
  return true;
}
