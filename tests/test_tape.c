// The tape: values against the C library, symbolic derivatives against closed forms, and (in the
// complex build of this file) against the complex step, for every operation, first and second order.
#include "ensure.h"
#include "expressions/tape.h"

static MbsContext context;
static MbsArena *arena;
static MbsGraph *graph;

static void start(void) {
  arena = mbs_arena_create();
  ENSURE(arena);
  ENSURE(mbs_graph_create(&context, arena, &graph) == MBS_OK);
}

static void finish(void) {
  ENSURE(mbs_graph_status(&context, graph) == MBS_OK);
  mbs_arena_destroy(arena);
}

static MbsTape *tape_of(int count, const MbsNode *outputs) {
  MbsTape *tape = NULL;
  ENSURE(mbs_tape_create(&context, arena, graph, count, outputs, &tape) == MBS_OK);
  return tape;
}

static void ensure_relative(double value, double expected, double tolerance, const char *what) {
  if (!(fabs(value - expected) <= tolerance * fabs(expected))) {
    (void)fprintf(stderr, "%s: %.17g, expected %.17g (relative error %.3g)\n", what, value, expected,
                  fabs(value - expected) / fabs(expected));
    exit(1);
  }
}

// ---- functions of one operand: f, f', f'' in closed form ----

static double d_tan(double x) { return 1 / (cos(x) * cos(x)); }
static double dd_tan(double x) { return 2 * sin(x) / (cos(x) * cos(x) * cos(x)); }
static double minus_sin(double x) { return -sin(x); }
static double minus_cos(double x) { return -cos(x); }
static double d_sqrt(double x) { return 0.5 / sqrt(x); }
static double dd_sqrt(double x) { return -0.25 / (x * sqrt(x)); }
static double d_log(double x) { return 1 / x; }
static double dd_log(double x) { return -1 / (x * x); }
static double d_asin(double x) { return 1 / sqrt((1 - x) * (1 + x)); }
static double dd_asin(double x) { return x / ((1 - x) * (1 + x) * sqrt((1 - x) * (1 + x))); }
static double d_acos(double x) { return -d_asin(x); }
static double dd_acos(double x) { return -dd_asin(x); }
static double d_atan(double x) { return 1 / (1 + x * x); }
static double dd_atan(double x) { return -2 * x / ((1 + x * x) * (1 + x * x)); }
static double d_tanh(double x) { return 1 / (cosh(x) * cosh(x)); }
static double dd_tanh(double x) { return -2 * tanh(x) / (cosh(x) * cosh(x)); }
static double step5(double x) { return x * x * x * (10 + x * (6 * x - 15)); }
static double d_step5(double x) { return 30 * x * x * (1 - x) * (1 - x); }
static double dd_step5(double x) { return 60 * x * (1 - x) * (1 - 2 * x); }

typedef struct UnaryCase {
  MbsOperation operation;
  double (*f)(double), (*df)(double), (*ddf)(double);
  double at[3];
} UnaryCase;

static const UnaryCase unary_cases[] = {
    {MBS_OP_SQRT, sqrt, d_sqrt, dd_sqrt, {0.3, 2, 1e6}},
    {MBS_OP_EXP, exp, exp, exp, {-3, 0.7, 20}},
    {MBS_OP_LOG, log, d_log, dd_log, {0.01, 2.5, 1e8}},
    {MBS_OP_SIN, sin, cos, minus_sin, {-2, 0.7, 40}},
    {MBS_OP_COS, cos, minus_sin, minus_cos, {-2, 0.7, 40}},
    {MBS_OP_TAN, tan, d_tan, dd_tan, {-2, 0.7, 1.5}},
    {MBS_OP_ASIN, asin, d_asin, dd_asin, {-0.9, 0.3, 0.999}},
    {MBS_OP_ACOS, acos, d_acos, dd_acos, {-0.9, 0.3, 0.999}},
    {MBS_OP_ATAN, atan, d_atan, dd_atan, {-3, 0.2, 50}},
    {MBS_OP_SINH, sinh, cosh, sinh, {-3, 0.2, 10}},
    {MBS_OP_COSH, cosh, sinh, cosh, {-3, 0.2, 10}},
    {MBS_OP_TANH, tanh, d_tanh, dd_tanh, {-3, 0.2, 15}},
    {MBS_OP_STEP5, step5, d_step5, dd_step5, {0.1, 0.4, 0.9}},
};

// outputs of a tape at real inputs; in the complex build also their derivatives by `along`
static void evaluate(const MbsTape *tape, const double *inputs, int along, double *values, double *slopes) {
  mbs_scalar in[4], out[16];
  ENSURE(tape->input_count <= 4 && tape->output_count <= 16);
  for (int k = 0; k < tape->input_count; ++k) {
    in[k] = mbs_complex(inputs[tape->inputs[k]], tape->inputs[k] == along ? 1e-30 : 0);
  }
  mbs_tape_evaluate(tape, in, out);
  for (int k = 0; k < tape->output_count; ++k) {
    values[k] = mbs_re(out[k]);
    slopes[k] = mbs_im(out[k]) / 1e-30;
  }
}

static const double unknown = (double)NAN;

// The sweep backwards from every output of a tape of {f, df, ...} is the symbolic derivative of that output: the next
// one for a function of x alone. `derivatives` (outputs x inputs) at the same point.
static void ensure_pulled_back(const MbsTape *tape, const double *inputs, const double *derivatives, double tolerance) {
  mbs_scalar in[4], out[16], bar[16] = {0}, in_bar[4];
  mbs_scalar *workspace = mbs_arena_take(arena, (size_t)mbs_tape_register_count(tape), sizeof *workspace);
  ENSURE(workspace && tape->input_count <= 4 && tape->output_count <= 16);
  for (int k = 0; k < tape->input_count; ++k) {
    in[k] = inputs[tape->inputs[k]];
  }
  mbs_tape_evaluate(tape, in, out);
  for (int i = 0; i < tape->output_count; ++i) {
    bar[i] = 2;
    mbs_tape_pull_back(tape, bar, workspace, in_bar);
    bar[i] = 0;
    for (int k = 0; k < tape->input_count; ++k) {
      double expected = derivatives[i * tape->input_count + k];
      if (!isnan(expected)) {
        ENSURE_NEAR(mbs_re(in_bar[k]) / 2, expected, tolerance * (1e-3 + fabs(expected)));
      }
    }
  }
}

// 1e-14: a few roundings of each of the two formulas, at points where neither cancels
static void test_unary(void) {
  start();
  MbsNode x = mbs_graph_input(graph, 0);
  for (size_t k = 0; k < sizeof unary_cases / sizeof unary_cases[0]; ++k) {
    const UnaryCase *test = &unary_cases[k];
    MbsNode f = mbs_graph_apply(graph, test->operation, x, MBS_NODE_NONE);
    MbsNode df = mbs_graph_derivative(graph, f, 0);
    MbsNode ddf = mbs_graph_derivative(graph, df, 0);
    MbsNode dddf = mbs_graph_derivative(graph, ddf, 0);
    const MbsTape *tape = tape_of(4, (MbsNode[]){f, df, ddf, dddf});
    for (int p = 0; p < 3; ++p) {
      double at = test->at[p], values[4], slopes[4];
      evaluate(tape, &at, 0, values, slopes);
      ensure_relative(values[0], test->f(at), 1e-15, "value");
      ENSURE(fabs(test->df(at)) > 1e-13 && fabs(test->ddf(at)) > 1e-17);
      ensure_relative(values[1], test->df(at), 1e-14, "first derivative");
      ensure_relative(values[2], test->ddf(at), 1e-14, "second derivative");
      ensure_pulled_back(tape, &at, (double[]){values[1], values[2], values[3], unknown}, 1e-12);
#ifdef MBS_COMPLEX
      ensure_relative(slopes[0], test->df(at), 1e-14, "complex step of the value");
      ensure_relative(slopes[0], values[1], 1e-14, "complex step of the value, symbolic");
      ensure_relative(slopes[1], values[2], 1e-14, "complex step of the first derivative");
      // third: terms of opposite sign cancel up to a factor of a hundred at these points
      ensure_relative(slopes[2], values[3], 1e-12, "complex step of the second derivative");
#endif
    }
  }
  finish();
}

// ---- functions of two operands ----

// a = x^2 + y, b = x y: both operands depend on both inputs
static void build_operands(MbsNode *a, MbsNode *b) {
  MbsNode x = mbs_graph_input(graph, 0);
  MbsNode y = mbs_graph_input(graph, 1);
  *a = mbs_graph_add(graph, mbs_graph_power_integer(graph, x, 2), y);
  *b = mbs_graph_multiply(graph, x, y);
}

typedef struct BinaryCase {
  MbsOperation operation;
  // d f(a, b): partials by a and by b
  double (*f)(double, double), (*f_a)(double, double), (*f_b)(double, double);
} BinaryCase;

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }
static double unit(double a, double b) { return 1 + 0 * a * b; }
static double minus_unit(double a, double b) { return -1 + 0 * a * b; }
static double first(double a, double b) { return a + 0 * b; }
static double second(double a, double b) { return b + 0 * a; }
static double divide_a(double a, double b) { return 1 / b + 0 * a; }
static double divide_b(double a, double b) { return -a / (b * b); }
static double power_a(double a, double b) { return b * pow(a, b - 1); }
static double power_b(double a, double b) { return log(a) * pow(a, b); }
static double atan2_a(double a, double b) { return b / (a * a + b * b); }
static double atan2_b(double a, double b) { return -a / (a * a + b * b); }
static double less(double a, double b) { return a < b; }
static double greater(double a, double b) { return a > b; }

static const BinaryCase binary_cases[] = {
    {MBS_OP_ADD, add, unit, unit},
    {MBS_OP_SUBTRACT, subtract, unit, minus_unit},
    {MBS_OP_MULTIPLY, multiply, second, first},
    {MBS_OP_DIVIDE, divide, divide_a, divide_b},
    {MBS_OP_POWER, pow, power_a, power_b},
    {MBS_OP_ATAN2, atan2, atan2_a, atan2_b},
    {MBS_OP_MINIMUM, fmin, less, greater},
    {MBS_OP_MAXIMUM, fmax, greater, less},
};

// 1e-13: the two terms of a derivative cancel by less than ten at these points
static void test_binary(void) {
  start();
  MbsNode a, b;
  build_operands(&a, &b);
  for (size_t k = 0; k < sizeof binary_cases / sizeof binary_cases[0]; ++k) {
    const BinaryCase *test = &binary_cases[k];
    MbsNode f = mbs_graph_apply(graph, test->operation, a, b);
    MbsNode f_x = mbs_graph_derivative(graph, f, 0);
    MbsNode f_y = mbs_graph_derivative(graph, f, 1);
    MbsNode outputs[] = {f,
                         f_x,
                         f_y,
                         mbs_graph_derivative(graph, f_x, 0),
                         mbs_graph_derivative(graph, f_x, 1),
                         mbs_graph_derivative(graph, f_y, 0),
                         mbs_graph_derivative(graph, f_y, 1)};
    const MbsTape *tape = tape_of(7, outputs);
    static const double points[][2] = {{0.7, 1.9}, {2.3, 0.4}, {-0.6, 3.1}};
    for (size_t p = 0; p < sizeof points / sizeof points[0]; ++p) {
      const double *in = points[p];
      double values[7], slopes[7];
      double a_value = in[0] * in[0] + in[1];
      double b_value = in[0] * in[1];
      evaluate(tape, in, 0, values, slopes);
      ensure_relative(values[0], test->f(a_value, b_value), 1e-14, "value");
      double d_x = test->f_a(a_value, b_value) * 2 * in[0] + test->f_b(a_value, b_value) * in[1];
      double d_y = test->f_a(a_value, b_value) + test->f_b(a_value, b_value) * in[0];
      ENSURE(fabs(d_x) > 1e-3 && fabs(d_y) > 1e-3);
      ensure_relative(values[1], d_x, 1e-13, "derivative by x");
      ensure_relative(values[2], d_y, 1e-13, "derivative by y");
      ensure_pulled_back(tape, in,
                         (double[]){d_x, d_y, values[3], values[4], values[5], values[6], unknown, unknown, unknown,
                                    unknown, unknown, unknown, unknown, unknown},
                         1e-12);
      // Schwarz: two different ways to the same number
      ENSURE_NEAR(values[4], values[5], 1e-12 * (1 + fabs(values[4])));
#ifdef MBS_COMPLEX
      ensure_relative(slopes[0], d_x, 1e-13, "complex step by x");
      ENSURE_NEAR(slopes[1], values[3], 1e-12 * (1 + fabs(values[3])));
      ENSURE_NEAR(slopes[2], values[5], 1e-12 * (1 + fabs(values[5])));
      evaluate(tape, in, 1, values, slopes);
      ensure_relative(slopes[0], d_y, 1e-13, "complex step by y");
      ENSURE_NEAR(slopes[1], values[4], 1e-12 * (1 + fabs(values[4])));
      ENSURE_NEAR(slopes[2], values[6], 1e-12 * (1 + fabs(values[6])));
#endif
    }
  }
  finish();
}

// x^n, also of negative x, where cpow would go wrong; and x^c with a constant that is not whole
static void test_powers(void) {
  start();
  MbsNode x = mbs_graph_input(graph, 0);
  static const double exponents[] = {-65, -3, -2, -1, 2, 3, 7, 64, 65, 101, 2.5, -0.5};
  for (size_t k = 0; k < sizeof exponents / sizeof exponents[0]; ++k) {
    double n = exponents[k];
    MbsNode f = mbs_graph_power(graph, x, mbs_graph_constant(graph, n));
    MbsNode df = mbs_graph_derivative(graph, f, 0);
    const MbsTape *tape = tape_of(3, (MbsNode[]){f, df, mbs_graph_derivative(graph, df, 0)});
    bool is_whole = n == floor(n);
    static const double points[] = {1.3, 0.8, -0.7, -1.1};
    for (int p = 0; p < (is_whole ? 4 : 2); ++p) {
      double at = points[p], values[3], slopes[3];
      evaluate(tape, &at, 0, values, slopes);
      // up to 64 products, each with a rounding of 1.1e-16
      ensure_relative(values[0], pow(at, n), 1e-14, "power");
      ensure_relative(values[1], n * pow(at, n - 1), 1e-14, "derivative of a power");
      ensure_relative(values[2], n * (n - 1) * pow(at, n - 2), 2e-14, "second derivative of a power");
      ensure_pulled_back(tape, &at, (double[]){values[1], values[2], unknown}, 1e-13);
#ifdef MBS_COMPLEX
      ensure_relative(slopes[0], values[1], 2e-14, "complex step of a power");
      ensure_relative(slopes[1], values[2], 2e-14, "complex step of the derivative of a power");
#endif
    }
  }
  finish();
}

// ---- kinks and ends ----

static void test_pieces(void) {
  start();
  MbsNode x = mbs_graph_input(graph, 0);
  MbsNode outputs[8];
  MbsOperation operations[] = {MBS_OP_ABS, MBS_OP_SIGN, MBS_OP_STEP, MBS_OP_STEP5};
  for (int k = 0; k < 4; ++k) {
    outputs[2 * k] = mbs_graph_apply(graph, operations[k], x, MBS_NODE_NONE);
    outputs[2 * k + 1] = mbs_graph_derivative(graph, outputs[2 * k], 0);
  }
  const MbsTape *tape = tape_of(8, outputs);
  static const struct {
    double at, expected[8];
  } cases[] = {
      {-2.5, {2.5, -1, -1, 0, 0, 0, 0, 0}},    {0, {0, 0, 0, 0, 1, 0, 0, 0}},
      {0.5, {0.5, 1, 1, 0, 1, 0, 0.5, 1.875}}, {1, {1, 1, 1, 0, 1, 0, 1, 0}},
      {1e300, {1e300, 1, 1, 0, 1, 0, 1, 0}},
  };
  for (size_t p = 0; p < sizeof cases / sizeof cases[0]; ++p) {
    double values[8], slopes[8];
    evaluate(tape, &cases[p].at, 0, values, slopes);
    ensure_pulled_back(tape, &cases[p].at,
                       (double[]){values[1], unknown, values[3], unknown, values[5], unknown, values[7], unknown},
                       1e-15);
    for (int k = 0; k < 8; ++k) {
      ENSURE(values[k] == cases[p].expected[k]);
#ifdef MBS_COMPLEX
      // slope of the value (away from the kink of abs) = value of the derivative
      if (k % 2 == 0 && cases[p].at != 0) {
        ENSURE_NEAR(slopes[k], values[k + 1], 1e-15);
      }
#endif
    }
  }
  // the third derivative of step5 is 60 - 360 x + 360 x^2 inside and 0 outside
  MbsNode d3 = outputs[7];
  for (int k = 0; k < 2; ++k) {
    d3 = mbs_graph_derivative(graph, d3, 0);
  }
  const MbsTape *third = tape_of(1, &d3);
  double value, slope;
  evaluate(third, (double[]){0.25}, 0, &value, &slope);
  ENSURE_NEAR(value, 60 - 90 + 22.5, 1e-13);
  evaluate(third, (double[]){-0.25}, 0, &value, &slope);
  ENSURE(value == 0);
  evaluate(third, (double[]){1.25}, 0, &value, &slope);
  ENSURE(value == 0);
  finish();
}

// domain errors come out as NaN or infinity in both builds, and an unperturbed edge does not
static void test_domain(void) {
  start();
  MbsNode x = mbs_graph_input(graph, 0);
  MbsNode outputs[] = {
      mbs_graph_apply(graph, MBS_OP_SQRT, x, MBS_NODE_NONE), mbs_graph_apply(graph, MBS_OP_LOG, x, MBS_NODE_NONE),
      mbs_graph_apply(graph, MBS_OP_ASIN, mbs_graph_subtract(graph, x, mbs_graph_constant(graph, 1)), MBS_NODE_NONE),
      mbs_graph_power(graph, x, mbs_graph_constant(graph, 1.5)),
      mbs_graph_apply(graph, MBS_OP_MAXIMUM, mbs_graph_apply(graph, MBS_OP_SQRT, x, MBS_NODE_NONE),
                      mbs_graph_constant(graph, 2))};
  const MbsTape *tape = tape_of(5, outputs);
  mbs_scalar in = -1, out[5];
  mbs_tape_evaluate(tape, &in, out);
  for (int k = 0; k < 5; ++k) {
    ENSURE(isnan(mbs_re(out[k])));
  }
  in = 0;
  mbs_tape_evaluate(tape, &in, out);
  ENSURE(mbs_is_finite(out[0]) && mbs_re(out[0]) == 0);
  ENSURE(isinf(mbs_re(out[1])));
  ENSURE(mbs_is_finite(out[2]) && mbs_is_finite(out[3]) && mbs_re(out[4]) == 2);
  // the infinite slope of sqrt at 0 does not show where nothing depends on it
  mbs_scalar workspace[32], x_bar, bar[5] = {0, 0, 0, 1, 0};
  ENSURE(mbs_tape_register_count(tape) <= 32);
  mbs_tape_pull_back(tape, bar, workspace, &x_bar);
  ENSURE(mbs_is_finite(x_bar) && mbs_re(x_bar) == 0);
  finish();
}

// ---- the tape itself ----

static void test_layout(void) {
  start();
  MbsNode far = mbs_graph_input(graph, 40);
  MbsNode near = mbs_graph_input(graph, 3);
  MbsNode unused = mbs_graph_apply(graph, MBS_OP_SIN, mbs_graph_input(graph, 7), MBS_NODE_NONE);
  MbsNode square = mbs_graph_power_integer(graph, far, 2);
  MbsNode f = mbs_graph_divide(graph, square, mbs_graph_add(graph, near, mbs_graph_constant(graph, 5)));
  MbsNode outputs[] = {f, near, mbs_graph_constant(graph, 8), square, f};
  const MbsTape *tape = tape_of(5, outputs);
  ENSURE(unused != f);
  ENSURE(tape->input_count == 2 && tape->inputs[0] == 3 && tape->inputs[1] == 40);
  ENSURE(tape->constant_count == 2 && tape->instruction_count == 3 && tape->output_count == 5);
  mbs_scalar in[] = {1, 6}, out[5];
  // again and again: a tape keeps nothing between evaluations
  for (int k = 0; k < 3; ++k) {
    in[0] = k;
    mbs_tape_evaluate(tape, in, out);
    ENSURE_NEAR(mbs_re(out[0]), 36.0 / (k + 5), 1e-15 * 36);
    ENSURE(mbs_re(out[1]) == k && mbs_re(out[2]) == 8 && mbs_re(out[3]) == 36 && mbs_re(out[4]) == mbs_re(out[0]));
  }
  MbsNode constant = mbs_graph_constant(graph, 8);
  mbs_tape_evaluate(tape_of(1, &constant), NULL, out);
  ENSURE(mbs_re(out[0]) == 8);
  mbs_tape_evaluate(tape_of(0, NULL), NULL, NULL);
  finish();
}

// s_{k+1} = sin(s_k) + x, 50,000 deep, and its derivative against the recurrence s' = cos(s_k) s' + 1
static void test_depth(void) {
  start();
  enum { DEPTH = 50000 };
  MbsNode x = mbs_graph_input(graph, 0);
  MbsNode s = x;
  double at = 0.3, value = at, slope = 1;
  for (int k = 0; k < DEPTH; ++k) {
    s = mbs_graph_add(graph, mbs_graph_apply(graph, MBS_OP_SIN, s, MBS_NODE_NONE), x);
    slope = cos(value) * slope + 1;
    value = sin(value) + at;
  }
  const MbsTape *tape = tape_of(2, (MbsNode[]){s, mbs_graph_derivative(graph, s, 0)});
  double values[2], slopes[2];
  evaluate(tape, &at, 0, values, slopes);
  // the same operations in the same order
  ensure_relative(values[0], value, 1e-15, "deep value");
  ensure_relative(values[1], slope, 1e-15, "deep derivative");
  ensure_pulled_back(tape, &at, (double[]){slope, unknown}, 1e-12);  // the same sums from the other end
#ifdef MBS_COMPLEX
  ensure_relative(slopes[0], slope, 1e-13, "complex step of the deep value");
#endif
  finish();
}

int main(void) {
  test_unary();
  test_binary();
  test_powers();
  test_pieces();
  test_domain();
  test_layout();
  test_depth();
  return 0;
}
