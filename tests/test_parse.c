// The parser: values by hand, derivatives of the composed functions, errors with their columns, and
// strings of random characters, which must never do worse than an error.
#include "ensure.h"
#include "expressions/parse.h"
#include "expressions/tape.h"

static MbsContext context;
static MbsArena *arena;
static MbsGraph *graph;
static char last_call[256];  // what the scope was asked, as name(a|b)

// inputs: x, y, w, L.A (a dotted number), and the vector u = (input 4, input 5)
static const char *const input_names[] = {"x", "y", "w", "L.A", "u.x", "u.y"};
static const double input_values[] = {0.7, -1.3, 0.2, 2.5, 3, 4};
enum { INPUT_COUNT = 6 };

static MbsStatus resolve(void *user, MbsContext *c, MbsPlace place, const char *name, MbsExpression *value) {
  (void)user;
  if (strcmp(name, "u") == 0) {
    *value = (MbsExpression){.size = 2, .node = {mbs_graph_input(graph, 4), mbs_graph_input(graph, 5)}};
    return MBS_OK;
  }
  for (int k = 0; k < INPUT_COUNT; ++k) {
    if (strcmp(name, input_names[k]) == 0) {
      *value = (MbsExpression){.size = 1, .node = {mbs_graph_input(graph, k)}};
      return MBS_OK;
    }
  }
  return mbs_fail(c, MBS_ERROR_INPUT, place, "unknown name \"%s\"", name);
}

// r(P) = (1, 2) of a point; r3(P) = (1, 2, 3); anything of another name is unknown
static MbsStatus call(void *user, MbsContext *c, MbsPlace place, const char *function, int count,
                      const char *const *arguments, MbsExpression *value) {
  (void)user;
  size_t used = (size_t)snprintf(last_call, sizeof last_call, "%s(", function);
  for (int k = 0; k < count && used < sizeof last_call; ++k) {
    used += (size_t)snprintf(last_call + used, sizeof last_call - used, "%s%s", k ? "|" : "", arguments[k]);
  }
  value->size = strcmp(function, "r3") == 0 ? 3 : 2;
  for (int k = 0; k < 3; ++k) {
    value->node[k] = mbs_graph_constant(graph, k + 1);
  }
  return function[0] == 'r' ? MBS_OK : mbs_fail(c, MBS_ERROR_INPUT, place, "no function \"%s\" here", function);
}

// w is a parameter, the others move
static MbsStatus nominal(void *user, MbsContext *c, MbsNode node, bool *moves, double *value) {
  MbsTape *tape = NULL;
  mbs_scalar in = input_values[2], out;
  int count;
  const int *inputs;
  (void)user;
  ENSURE(mbs_graph_inputs_of(c, graph, node, &count, &inputs) == MBS_OK);
  *moves = count > 1 || (count == 1 && inputs[0] != 2);
  if (!*moves) {
    ENSURE(mbs_tape_create(c, arena, graph, 1, &node, &tape) == MBS_OK);
    mbs_tape_evaluate(tape, &in, &out);
    *value = mbs_re(out);
  }
  return MBS_OK;
}

static const MbsModelWords model_words = {.nominal = nominal};
static const MbsScope full_scope = {.resolve = resolve, .call = call, .words = &model_words};

static void start(void) {
  arena = mbs_arena_create();
  ENSURE(arena);
  ENSURE(mbs_graph_create(&context, arena, &graph) == MBS_OK);
}

static void finish(void) {
  ENSURE(mbs_graph_status(&context, graph) == MBS_OK);
  mbs_arena_destroy(arena);
}

static MbsText text_of(const char *text) {
  return (MbsText){.text = text, .place = {.file = "psi.yaml", .line = 12, .column = 10}};
}

static MbsExpression parse(const char *text) {
  MbsExpression value = {0};
  if (mbs_expression_parse(&context, graph, text_of(text), &full_scope, &value) != MBS_OK) {
    (void)fprintf(stderr, "%s: %s\n", text, context.message);
    exit(1);
  }
  return value;
}

// the value at the inputs, with x moved by `shift`; in the twin also the derivative by x
static double evaluate(MbsNode node, double shift, double *slope) {
  MbsTape *tape = NULL;
  ENSURE(mbs_tape_create(&context, arena, graph, 1, &node, &tape) == MBS_OK);
  mbs_scalar in[INPUT_COUNT], out;
  for (int k = 0; k < tape->input_count; ++k) {
    int input = tape->inputs[k];
    in[k] = mbs_complex(input_values[input] + (input == 0 ? shift : 0), input == 0 ? 1e-30 : 0);
  }
  mbs_tape_evaluate(tape, in, &out);
  if (slope) {
    *slope = mbs_im(out) / 1e-30;
  }
  return mbs_re(out);
}

static double value_of(const char *text) {
  MbsExpression value = parse(text);
  ENSURE(value.size == 1);
  return evaluate(value.node[0], 0, NULL);
}

// ---- values ----

// numbers small enough to be exact, so no tolerance
static void test_precedence(void) {
  start();
  static const struct {
    const char *text;
    double value;
  } cases[] = {
      {"1 + 2*3", 7},
      {"(1 + 2)*3", 9},
      {"10 - 4 - 3", 3},
      {"16/4/2", 2},
      {"2*3/4*2", 3},
      {"1 - 2*3 + 4", -1},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"2^-2", 0.25},
      {"2^3^2", 512},
      {"(2^3)^2", 64},
      {"2^-1^2", 0.5},
      {"-2^-2", -0.25},
      {"2*-3", -6},
      {"2--3", 5},
      {"2 - - -3", -1},
      {"+3", 3},
      {"-+-3", 3},
      {"-3*2", -6},
      {"4^0.5", 2},
      {"2^2*3", 12},
      {"2*3^2", 18},
      {"8/2^2", 2},
      {"-(1 + 2)", -3},
      {"((((7))))", 7},
      {"  7\t\n ", 7},
      {"1", 1},
      {"1.5", 1.5},
      {".5", 0.5},
      {"2.", 2},
      {"1e3", 1000},
      {"1.25E+2", 125},
      {"5e-1", 0.5},
      {"0.5e1", 5},
      {"12.50", 12.5},
      {"0", 0},
      {"00012", 12},
      {"1e-400", 0},
      {"0e999999999999", 0},
      {"L.A", 2.5},
      {"u.y", 4},
      {"u.x*u.y", 12},
      {"[1, 2].y", 2},
      {"[1, 2, 3].z", 3},
      {"([1, 2] + [3, 4]).x", 4},
      {"r(P).y", 2},
      {"r3(P) .z", 3},
      {"-r(P).x^2", -1},
      {"r(P).y^r(P).y", 4},
      {"(2*[1, 2] - u/2).y", 2},
      {"(-u).x", -3},
      {"(u*2 + 2*u).x", 12},
      {"dot(u, u)", 25},
      {"norm(u)", 5},
      {"norm([2, 3, 6])", 7},
      {"dot([1, 2, 3], [4, 5, 6])", 32},
      {"cross([1, 2], [3, 4])", -2},
      {"cross([1, 2, 3], [4, 5, 6]).x", -3},
      {"cross([1, 2, 3], [4, 5, 6]).y", 6},
      {"cross([1, 2, 3], [4, 5, 6]).z", -3},
      {"min(2, 3)", 2},
      {"max(2, 3)", 3},
      {"abs(-2)", 2},
      {"sign(-2)", -1},
      {"step(0)", 1},
      {"step(-1)", 0},
      {"step5(0.5)", 0.5},
      {"step5(2)", 1},
      {"sqrt(9)", 3},
      {"smooth_abs(3, 4)", 5},
      {"smooth_max(5, 2, 4)", 6},
      {"smooth_min(5, 2, 4)", 1},
      {"atan2(0, 1)", 0},
      {"cosh(0)", 1},
      {"max ( min(1, 2) , 0 )", 1},
      {"floor(2.7)", 2},
      {"floor(-2.7)", -3},
      {"floor(-3)", -3},
      {"mod(7, 3)", 1},
      {"mod(-7, 3)", 2},
      {"mod(7, -3)", -2},
      {"mod(-7, -3)", -1},
      {"mod(6, 3)", 0},
      {"mod(-6, 3)", 0},
      {"mod(1.25, 0.5)", 0.25},
      {"1 < 2", 1},
      {"2 < 2", 0},
      {"2 <= 2", 1},
      {"3<=2", 0},
      {"2 > 2", 0},
      {"3 > 2", 1},
      {"2 >= 2", 1},
      {"1 >= 2", 0},
      {"1 + 1 < 2*1", 0},
      {"-1 < -2^2 + 4", 1},
      {"1 + (1 < 2)", 2},
      {"(1 < 2) >= (2 < 1)", 1},
      {"3*(x > y)", 3},
      {"3*(x < y)", 0},
      {"x >= x", 1},
      {"x > x", 0},
      {"x <= x", 1},
      {"x < x", 0},
      {"[1 < 2, 2 < 1].x", 1},
      {"if(1 < 2, 5, 6)", 5},
      {"if(2 < 1, 5, 6)", 6},
      {"if(-0.5, 5, 6)", 5},
      {"if(x > y, 5, 6)", 5},
      {"if(x < y, 5, 6)", 6},
      {"if(not(x > y), 5, 6)", 6},
      {"if(x > y, u, 2*u).y", 4},
      {"if(x < y, u, 2*u).y", 8},
      {"if(x < y, 5, if(x > 10, 6, 7))", 7},
      {"and(1, 2) + and(0, 1) + and(1, 0) + and(0, 0)", 1},
      {"or(2, 0) + or(0, 2) + or(3, 3) + or(0, 0)", 3},
      {"not(0) + not(2)", 1},
      {"and(x > y, y < x)", 1},
      {"or(x < y, y > x)", 0},
      {"piecewise(3, 1, 2, 5)", 5},
      {"piecewise(2, 1, 2, 5)", 5},
      {"piecewise(1.5, 1, 2, 5)", 1},
      {"piecewise(x, 1, 0.5, 2*x)", 2 * 0.7},
      {"piecewise(x, 1, 0.7, x + 0.3)", 1},
      {"piecewise(x, -x, 0, x, 0.5, 0.5, 1, x - 0.5)", 0.5},
      {"piecewise(y, -y, 0, y, 0.5, 0.5, 1, y - 0.5)", 1.3},
      {"piecewise(L.A, -L.A, 0, L.A, 0.5, 0.5, 1, L.A - 0.5)", 2},
      {"piecewise(x, 0, w, x - w)", 0.7 - 0.2},
      {"piecewise(y, (y - w)*x, w, 0, 1, y*(y - 1)*u.x)", -1.5 * 0.7},  // whatever is multiplied by zero
      {"piecewise(w, 0, 1, 2*w - 2)", 0},
      {"piecewise(x - y, -(x - y), 0, y - x + 2*(x - y))", 2},
      {"noevent(7)", 7},
      {"noevent(u).y", 4},
      {"noevent(step(x) + 1)", 2},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    double value = value_of(cases[k].text);
    if (value != cases[k].value) {
      (void)fprintf(stderr, "%s = %.17g, expected %.17g\n", cases[k].text, value, cases[k].value);
      exit(1);
    }
  }
  // numbers are read to the last bit
  ENSURE(value_of("0.1") == 0.1 && value_of("2.2250738585072014e-308") == 2.2250738585072014e-308);
  ENSURE(value_of("3.14159265358979323846264338327950288") == 3.14159265358979323846);
  ENSURE(value_of("pi") == acos(-1) && value_of("1.7976931348623157e308") == 1.7976931348623157e308);
  ENSURE(value_of("123456789.000000000001e-9") == 123456789.000000000001e-9);
  ENSURE(isinf(value_of("1/0")));
  finish();
}

static void test_sharing(void) {
  start();
  MbsExpression first = parse("dot(u - [1, 2], u - [1, 2]) + sin(x*y)");
  int count = mbs_graph_count(graph);
  MbsExpression again = parse("sin(y*x) + dot(u - [1, 2], u - [1, 2])");
  ENSURE(again.node[0] == first.node[0] && mbs_graph_count(graph) == count);
  finish();
}

// every function of the help table: symbolic first and second derivatives of f(g), non-zero, against
// central differences here and the complex step in the twin
static void test_derivatives(void) {
  start();
  static const char *const texts[] = {"sqrt(x*x + 1)",
                                      "exp(x*w)",
                                      "log(2 + x^3)",
                                      "sin(x^2)",
                                      "cos(x^2)",
                                      "tan(x^2)",
                                      "asin(x^2)",
                                      "acos(x^2)",
                                      "atan(x^2)",
                                      "atan2(x^2, y)",
                                      "sinh(x^2)",
                                      "cosh(x^2)",
                                      "tanh(x^2)",
                                      "abs(y*x^2)",
                                      "sign(y)*x^2",
                                      "min(x^2, exp(x))",
                                      "max(x^2, exp(x))",
                                      "step(x)*x^2",
                                      "step5(x^2)",
                                      "smooth_abs(x, w)",
                                      "smooth_max(x^2, x, w)",
                                      "smooth_min(x^2, x, w)",
                                      "dot(x*u, [x, w])",
                                      "cross([x^2, y], [w, x^3])",
                                      "norm([x^2, y])",
                                      "(x + 2)^(x*w)",
                                      "x^3/(1 + x^2)",
                                      "x^-2",
                                      "2^x",
                                      "norm(cross([x, y, 1], [w, x^2, 2]))",
                                      "floor(3*x)*x^2",
                                      "mod(x^2, w)",
                                      "if(x > w, x^3, 1/x)",
                                      "if(x < w, x^3, exp(x))",
                                      "and(x > w, y < x)*x^2",
                                      "or(x > 1, y < x)*x^2",
                                      "not(x < w)*x^2",
                                      "noevent(step(x)*x^2)",
                                      "piecewise(x, x^2, 0.5, x^3 + 0.125, 0.9, 0.854)"};
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; ++k) {
    MbsNode f = parse(texts[k]).node[0];
    MbsNode df = mbs_graph_derivative(graph, f, 0);
    MbsNode ddf = mbs_graph_derivative(graph, df, 0);
    double d1 = evaluate(df, 0, NULL);
    double d2 = evaluate(ddf, 0, NULL);
    if (!(fabs(d1) > 1e-3 && fabs(d2) > 1e-3)) {
      (void)fprintf(stderr, "%s: derivatives %g, %g are too small to test\n", texts[k], d1, d2);
      exit(1);
    }
    // central differences: truncation h^2/6 times a third or fourth derivative of up to 1,000, rounding 1e-15/h
    double h = 1e-5;
    ENSURE_NEAR((evaluate(f, h, NULL) - evaluate(f, -h, NULL)) / (2 * h), d1, 1e-7);
    ENSURE_NEAR((evaluate(df, h, NULL) - evaluate(df, -h, NULL)) / (2 * h), d2, 1e-7);
#ifdef MBS_COMPLEX
    // rounding of two orders of the same operations, whose terms are of order 10
    double slope;
    (void)evaluate(f, 0, &slope);
    ENSURE_NEAR(slope, d1, 1e-14 * (fabs(d1) + 1));
    (void)evaluate(df, 0, &slope);
    ENSURE_NEAR(slope, d2, 1e-14 * (fabs(d2) + 10));
#endif
  }
  // every function is in the list above
  for (const MbsFunctionHelp *help = mbs_function_help; help->name; ++help) {
    bool is_tested = false;
    size_t length = strlen(help->name);
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; ++k) {
      const char *found = strstr(texts[k], help->name);
      is_tested = is_tested || (found && found[length] == '(');
    }
    if (!is_tested) {
      (void)fprintf(stderr, "no derivative of %s is tested\n", help->name);
      exit(1);
    }
    ENSURE(strncmp(help->summary, help->name, length) == 0 && help->summary[length] == '(');
    ENSURE(mbs_expression_is_reserved(help->name));
  }
  ENSURE(mbs_expression_is_reserved("pi") && mbs_expression_is_reserved("t") && !mbs_expression_is_reserved("mass"));
  finish();
}

// ---- what jumps: against C, at random points and on a grid that has every tie; derivatives of what is taken ----

typedef struct Branched {
  const char *text;
  double (*value)(double x, double y, double w), (*slope)(double x, double y, double w);  // d / dx
} Branched;

static double mod(double x, double y) {
  double rest = fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}
static double less(double x, double y, double w) { return (x < y) + 2 * (x <= y) + 4 * (x > w) + 8 * (x >= w); }
static double logic(double x, double y, double w) {
  return (x < y && y < w) + 2 * (x < y || y < w) + 4 * !(x < y) + 8 * !(x > y && !(y >= w)) + 16 * (x != 0 || y != 0);
}
static double none(double x, double y, double w) { return 0 * (x + y + w); }
static double root(double x, double y, double w) { return x > 0 ? sqrt(x) + 0 * w : y; }
static double d_root(double x, double y, double w) { return x > 0 ? 0.5 / sqrt(x) : 0 * (y + w); }
static double power(double x, double y, double w) { return x <= 0 ? w * x : pow(x, y) * log(x); }
static double d_power(double x, double y, double w) { return x <= 0 ? w : pow(x, y - 1) * (y * log(x) + 1); }
static double inverse(double x, double y, double w) { return x == 0 ? y : w / x; }
static double d_inverse(double x, double y, double w) { return x == 0 ? 0 * y : -w / (x * x); }
static double rest(double x, double y, double w) { return y == 0 ? x : mod(x, y) + floor(w) * x; }
static double d_rest(double x, double y, double w) { return y == 0 ? 1 + 0 * x : 1 + floor(w); }
static double nest(double x, double y, double w) { return x < y ? (y < w ? x * x : sin(x)) : y > w ? 3 * x : -x; }
static double d_nest(double x, double y, double w) { return x < y ? (y < w ? 2 * x : cos(x)) : y > w ? 3 : -1; }

static double table(double x, double y, double w) {
  double u = x - y;
  return u < -1 ? u * u : u < 0.5 ? w * (u + 1) + 1 : 1.5 * w + 1 + sqrt(u - 0.5);
}
static double d_table(double x, double y, double w) {
  double u = x - y;
  return u < -1 ? 2 * u : u < 0.5 ? w : 0.5 / sqrt(u - 0.5);
}

static const Branched branched[] = {
    {"(x < y) + 2*(x <= y) + 4*(x > w) + 8*(x >= w)", less, none},
    {"and(x < y, y < w) + 2*or(x < y, y < w) + 4*not(x < y) + 8*not(and(x > y, not(y >= w))) + 16*or(x, y)", logic,
     none},
    {"if(x > 0, sqrt(x), y)", root, d_root},
    {"if(x <= 0, w*x, x^y*log(x))", power, d_power},
    {"if(x, w/x, y)", inverse, d_inverse},
    {"if(not(abs(y) > 0), x, mod(x, y) + floor(w)*x)", rest, d_rest},
    {"if(x < y, if(y < w, x^2, sin(x)), if(y > w, 3*x, -x))", nest, d_nest},
    {"piecewise(x - y, (x - y)^2, -1, w*(x - y + 1) + 1, 0.5, 1.5*w + 1 + sqrt(x - y - 0.5))", table, d_table},
    {"noevent(if(x < y, if(y < w, x^2, sin(x)), if(y > w, 3*x, -x)))", nest, d_nest},
};

static double draw_number(void) {
  static unsigned long long state = 7;
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(state >> 11) * 0x1p-53;
}

// value, symbolic derivative, sweep backwards and complex step of one of them by x
static void check_branched(const Branched *test, const MbsTape *tape, const double in[3]) {
  mbs_scalar inputs[3], out[2], workspace[128], bar[2] = {1, 0}, inputs_bar[3];
  double value = test->value(in[0], in[1], in[2]), slope = test->slope(in[0], in[1], in[2]);
  int x = -1;
  for (int k = 0; k < tape->input_count; ++k) {
    inputs[k] = mbs_complex(in[tape->inputs[k]], tape->inputs[k] == 0 ? 1e-30 : 0);
    x = tape->inputs[k] == 0 ? k : x;
  }
  ENSURE(x >= 0 && mbs_tape_register_count(tape) <= 128);
  mbs_tape_evaluate(tape, inputs, out);
  mbs_tape_pull_back(tape, bar, workspace, inputs_bar);
  // some roundings of numbers of order 10, and near 0 of large ones
  ENSURE_NEAR(mbs_re(out[0]), value, 1e-14 * (10 + fabs(value)));
  ENSURE_NEAR(mbs_re(out[1]), slope, 1e-14 * (10 + fabs(slope)));
  ENSURE_NEAR(mbs_re(inputs_bar[x]), slope, 1e-14 * (10 + fabs(slope)));
#ifdef MBS_COMPLEX
  ENSURE_NEAR(mbs_im(out[0]) / 1e-30, slope, 1e-14 * (10 + fabs(slope)));
#endif
}

static void test_branches(void) {
  start();
  for (size_t k = 0; k < sizeof branched / sizeof branched[0]; ++k) {
    MbsNode f = parse(branched[k].text).node[0];
    MbsNode outputs[] = {f, mbs_graph_derivative(graph, f, 0)};
    MbsTape *tape = NULL;
    ENSURE(mbs_tape_create(&context, arena, graph, 2, outputs, &tape) == MBS_OK);
    for (int i = 0; i < 27; ++i) {
      check_branched(&branched[k], tape, (double[]){i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1});
    }
    for (int i = 0; i < 500; ++i) {
      check_branched(&branched[k], tape,
                     (double[]){4 * draw_number() - 2, 4 * draw_number() - 2, 4 * draw_number() - 2});
    }
  }
  // a NaN in a condition shows
  ENSURE(isnan(value_of("if(sqrt(y) > 0, 1, 2)")) && isnan(value_of("and(x > 0, log(y) < 1)")));
  ENSURE(isnan(value_of("and(sqrt(y), x)")) && isnan(value_of("not(sqrt(y))")) && isnan(value_of("floor(sqrt(y))")));
  finish();
}

static void test_scope_calls(void) {
  start();
  (void)parse("r(elbow.2)");
  ENSURE_TEXT(last_call, "r(elbow.2");
  (void)parse("1 + r( A1.P , _b.c.3x ).x");
  ENSURE_TEXT(last_call, "r(A1.P|_b.c.3x");
  (void)parse("r()");
  ENSURE_TEXT(last_call, "r(");
  (void)parse("r(a,b,c,d,e,f,g,h)");
  ENSURE_TEXT(last_call, "r(a|b|c|d|e|f|g|h");
  finish();
}

// ---- errors ----

static void test_errors(void) {
  start();
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"2 +* 3", "psi.yaml:12:13: error: in \"2 +* 3\": expected a number, a name or \"(\" after \"+\""},
      {"2 + ", "psi.yaml:12:14: error: in \"2 + \": expected a number, a name or \"(\" after \"+\""},
      {"", "psi.yaml:12:10: error: in \"\": the expression is empty: expected a number, a name or \"(\""},
      {"*3", "psi.yaml:12:10: error: in \"*3\": expected a number, a name or \"(\" before \"*\""},
      {"2**3", "psi.yaml:12:11: error: in \"2**3\": a power is written with ^, not **"},
      {"(1 + 2", "psi.yaml:12:16: error: in \"(1 + 2\": expected \")\" after \"2\""},
      {"1 + 2)", "psi.yaml:12:15: error: in \"1 + 2)\": \")\" closes nothing"},
      {"2 x", "psi.yaml:12:12: error: in \"2 x\": expected an operator between \"2\" and \"x\""},
      {"2x", "psi.yaml:12:11: error: in \"2x\": expected an operator between \"2\" and \"x\""},
      {"(2)(3)", ":13: error: in \"(2)(3)\": expected an operator between \")\" and \"(\""},
      {"1,5", ":11: error: in \"1,5\": unexpected \",\" after \"1\""},
      {"x # y", ":12: error: in \"x # y\": unexpected character \"#\""},
      {"x \xE2\x88\x92 y", ":12: error: in \"x \xE2\x88\x92 y\": unexpected character \"\xE2\x88\x92\""},
      {"x \a", "unexpected character with code 7"},
      {"0x10", ":10: error: in \"0x10\": hexadecimal numbers are not accepted"},
      {"1 + 1e999", ":14: error: in \"1 + 1e999\": the number 1e999 is too large"},
      {"1e99999999999999999999", "is too large"},
      {"1e", "expected an operator between \"1\" and \"e\""},
      {"inf", "inf is not accepted: write a finite number"},
      {"2*nan", "nan is not accepted"},
      {"foo + 1", "psi.yaml:12:10: error: unknown name \"foo\""},
      {"1 + P9.x", "psi.yaml:12:14: error: unknown name \"P9.x\""},
      {"sin", "sin is a function: write sin(...)"},
      {"sin()", "psi.yaml:12:10: error: in \"sin()\": sin() takes 1 argument, 0 given"},
      {"1 + atan2(1)", "psi.yaml:12:14: error: in \"1 + atan2(1)\": atan2() takes 2 arguments, 1 given"},
      {"sin(1, 2, 3, 4, 5)", "sin() takes 1 argument, 5 given"},
      {"sin(1", "expected \",\" or \")\" after \"1\""},
      {"min(1,)", "expected a number, a name or \"(\" after \",\""},
      {"sin(u)", "sin() needs a number, not a vector of 2"},
      {"max(1, u)", "max() needs numbers, not a vector of 2"},
      {"dot(u, 1)", "dot() needs two vectors of the same size"},
      {"dot(u, [1, 2, 3])", "dot() needs two vectors of the same size"},
      {"cross(1, 2)", "cross() needs two vectors of the same size"},
      {"norm(2)", "norm() needs a vector, not a number"},
      {"u + 1", "psi.yaml:12:12: error: in \"u + 1\": cannot add a vector of 2 and a number"},
      {"u - r3(P)", "cannot subtract a vector of 3 from a vector of 2"},
      {"u*u", "psi.yaml:12:11: error: in \"u*u\": cannot multiply two vectors: use dot() or cross()"},
      {"1/u", "cannot divide by a vector of 2"},
      {"u^2", "cannot raise a vector of 2 to a power"},
      {"2^u", "an exponent must be a number, not a vector of 2"},
      {"[1]", "psi.yaml:12:10: error: in \"[1]\": a vector has 2 or 3 components, not 1"},
      {"[1, 2, 3, 4]", "a vector has 2 or 3 components, not 4"},
      {"[]", "expected a number, a name or \"(\" after \"[\""},
      {"[1, u]", ":14: error: in \"[1, u]\": a component must be a number, not a vector of 2"},
      {"[1, 2", "expected \",\" or \"]\" after \"2\""},
      {"r(P).w", ":15: error: in \"r(P).w\": expected x, y or z after \".\""},
      {"r(P).z", "a vector of 2 has no component z"},
      {"r(P).x.y", "expected x, y or z after \".\""},
      {"(1).x", "a number has no component x"},
      {"x.", "expected x, y or z after \".\""},
      {"r(1)", "the arguments of r() must be names"},
      {"sinn(x + 1)", "or \")\" after the name \"x\", an argument of sinn(); did you mean \"sin\"?"},
      {"sinn(1)", "the arguments of sinn() must be names; did you mean \"sin\"?"},
      {"foo(P)", "psi.yaml:12:10: error: no function \"foo\" here"},
      {"a(1)", "the arguments of a() must be names"},
      {"r(P", ":13: error: in \"r(P\": expected \",\" or \")\" after the name \"P\", an argument of r()"},
      {"r(P,)", "must be names"},
      {"r(P Q)", "expected \",\" or \")\" after the name \"P\""},
      {"r(a,b,c,d,e,f,g,h,i)", "r() may have at most 8 arguments"},
      {"a.b(c)", "\"a.b\" is not a function"},
      {"pi(2)", "\"pi\" is not a function"},
      {"1 < x < 2", ":16: error: in \"1 < x < 2\": comparisons are not chained: write and(a < b, b < c)"},
      {"1 >= x > 2", "write and(a >= b, b > c)"},
      {"u < 1", ":12: error: in \"u < 1\": cannot compare a vector of 2 and a number"},
      {"1 <", "expected a number, a name or \"(\" after \"<\""},
      {"< 1", "expected a number, a name or \"(\" before \"<\""},
      {"x <= <= 1", "expected a number, a name or \"(\" after \"<=\""},
      {"x == 1",
       ":12: error: in \"x == 1\": \"==\" is not offered: numbers that move are equal at single times only: "
       "write abs(a - b) < d, with a width d"},
      {"x = 1", "\"=\" is not offered: numbers that move"},
      {"x != 1", "\"!=\" is not offered: numbers that move differ but at single times: write abs(a - b) > d"},
      {"x => 1", "\"=>\" is not offered: write >="},
      {"!x", "\"!\" is not offered: write not(a)"},
      {"x > 1 && y", "\"&&\" is not offered: write and(a, b)"},
      {"x | y", "\"|\" is not offered: write or(a, b)"},
      {"x % 2", "\"%\" is not offered: write mod(a, b)"},
      {"if(u, 1, 2)", "if() needs a number as its first argument, not a vector of 2"},
      {"if(x, 1, u)", "if() needs two numbers or two vectors of the same size, not a number and a vector of 2"},
      {"if(x, r3(P), u)", "two vectors of the same size, not a vector of 3 and a vector of 2"},
      {"if(x > 1, 2)", "if() takes 3 arguments, 2 given"},
      {"and(u, 1)", "and() needs numbers, not a vector of 2"},
      {"floor(u)", "floor() needs a number, not a vector of 2"},
      {"if", "if is a function: write if(...)"},
      {"1 + piecewise(x, 1, 2)",
       ":14: error: in \"1 + piecewise(x, 1, 2)\": piecewise() takes a number, a piece, and then "
       "breakpoints, each with the piece from there: 4, 6, 8, ... arguments, 3 given"},
      {"piecewise(x, 1)", "2 given"},
      {"piecewise(x, 1, 2, 3, 4)", "5 given"},
      {"piecewise(x, 1, 2, 1, 2, 1)",
       ":32: error: in \"piecewise(x, 1, 2, 1, 2, 1)\": the breakpoints of piecewise() must "
       "increase: 2 comes after 2"},
      {"piecewise(3, 1, 2, 1, 1, 1)", "must increase: 1 comes after 2"},
      {"piecewise(x, 1, y, 1)",
       ":26: error: in \"piecewise(x, 1, y, 1)\": breakpoint 1 of piecewise() must be a number or a "
       "function of parameters alone"},
      {"piecewise(x, 1, 1/0, 1)", "breakpoint 1 of piecewise() is not a finite number"},
      {"piecewise(x, x, 2, 2.5)",
       ":26: error: in \"piecewise(x, x, 2, 2.5)\": piecewise() jumps by 0.5 at its breakpoint 2, "
       "from 2 to 2.5: its pieces must meet there; for what jumps, write if(c, a, b)"},
      {"piecewise(x, 0, 1, x - 1, 3, 2.000001)", "jumps by 1e-06 at its breakpoint 3, from 2 to 2.000001"},
      {"piecewise(x, 0, 1, x*y)",
       ":29: error: in \"piecewise(x, 0, 1, x*y)\": piece 2 of piecewise() must be a function of "
       "its first argument"},
      {"piecewise(x + y, 0, 1, x - 1)", "piece 2 of piecewise() must be a function of its first argument"},
      {"piecewise(x, 0, w, x)", "jumps by 0.2 at its breakpoint 0.2, from 0 to 0.2"},
      {"piecewise(w, 0, 1, 2*w)", "jumps by 2 at its breakpoint 1, from 0 to 2"},
      {"piecewise(2*w, 0, 1, w - 0.5)", "piece 2 of piecewise() must be a function of its first argument"},
      {"piecewise(x, log(x), 0, 1)",
       ":23: error: in \"piecewise(x, log(x), 0, 1)\": piece 1 of piecewise() is not a finite "
       "number at its breakpoint 0"},
      {"piecewise(x, u, 0, 1)",
       ":23: error: in \"piecewise(x, u, 0, 1)\": piecewise() needs numbers, not a vector of 2"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    MbsExpression value;
    context.message[0] = '\0';
    MbsStatus status = mbs_expression_parse(&context, graph, text_of(cases[k].text), &full_scope, &value);
    if (status != MBS_ERROR_INPUT || !strstr(context.message, cases[k].message)) {
      (void)fprintf(stderr, "%s: status %d, message: %s\n  expected: %s\n", cases[k].text, (int)status, context.message,
                    cases[k].message);
      exit(1);
    }
  }
  finish();
}

static void test_no_scope(void) {
  start();
  MbsExpression value;
  ENSURE(mbs_expression_parse(&context, graph, text_of("2*sqrt(4)"), NULL, &value) == MBS_OK);
  ENSURE(mbs_graph_is_constant(graph, value.node[0], 4));
  ENSURE(mbs_expression_parse(&context, graph, text_of("2*x"), NULL, &value) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(context.message, "unknown name \"x\"");
  ENSURE(mbs_expression_parse(&context, graph, text_of("sqr(2)"), NULL, &value) == MBS_ERROR_INPUT);
  ENSURE_TEXT(context.message,
              "psi.yaml:12:10: error: in \"sqr(2)\": unknown function \"sqr\"; did you mean \"sqrt\"?");
  ENSURE(mbs_expression_parse(&context, graph, text_of("wobble(1)"), NULL, &value) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(context.message, "unknown function \"wobble\"");
  finish();
}

static void test_sized(void) {
  start();
  MbsExpression value;
  ENSURE(mbs_expression_parse_sized(&context, graph, text_of("x"), &full_scope, 1, &value) == MBS_OK);
  ENSURE(mbs_expression_parse_sized(&context, graph, text_of("u"), &full_scope, 2, &value) == MBS_OK);
  ENSURE(mbs_expression_parse_sized(&context, graph, text_of("u"), &full_scope, 1, &value) == MBS_ERROR_INPUT);
  ENSURE_TEXT(context.message, "psi.yaml:12:10: error: in \"u\": expected a number, got a vector of 2");
  ENSURE(mbs_expression_parse_sized(&context, graph, text_of("x"), &full_scope, 3, &value) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(context.message, "expected a vector of 3, got a number");
  finish();
}

// ---- limits ----

enum { LIMIT = 10000, BUFFER = 4 * LIMIT };

// `part` as often as it fits into `length` characters
static char *repeat(char *buffer, const char *part, int length) {
  int n = (int)strlen(part);
  int used = 0;
  for (; used + n <= length; used += n) {
    memcpy(buffer + used, part, (size_t)n);
  }
  buffer[used] = '\0';
  return buffer;
}

static MbsStatus try_parse(const char *text) {
  MbsExpression value;
  return mbs_expression_parse(&context, graph, text_of(text), &full_scope, &value);
}

static void test_length(void) {
  start();
  static char buffer[BUFFER + 1];
  // 1,300 terms, each new to the graph, so as deep as an expression can be; and its derivatives
  size_t used = 0;
  for (int k = 0; k < 1300; ++k) {
    used += (size_t)snprintf(buffer + used, sizeof buffer - used, "%sx*%d", k == 0 ? "" : k % 2 ? "-" : "/", 1000 + k);
  }
  ENSURE(used < LIMIT);
  MbsNode f = parse(buffer).node[0];
  ENSURE(isfinite(evaluate(mbs_graph_derivative(graph, mbs_graph_derivative(graph, f, 0), 0), 0, NULL)));
  ENSURE(value_of(repeat(buffer, "+1", LIMIT)) == LIMIT / 2);
  // 5,000 roundings of numbers up to 3,500
  ENSURE_NEAR(value_of(repeat(buffer, "+x", LIMIT)), LIMIT / 2 * 0.7, 5000 * 3500 * 1.1e-16);
  ENSURE(mbs_graph_derivative(graph, parse(buffer).node[0], 0) == mbs_graph_constant(graph, LIMIT / 2));
  ENSURE(try_parse(repeat(buffer, "+1", LIMIT + 2)) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(context.message, "at most 10000 characters");
  finish();
}

static void test_nesting(void) {
  start();
  static char buffer[BUFFER + 1];
  static const char *const parts[] = {"(", "[1,", "sin(", "2^", "-(", "2^-", "norm([x,"};
  for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k) {
    ENSURE(try_parse(repeat(buffer, parts[k], LIMIT)) == MBS_ERROR_INPUT);
    ENSURE_CONTAINS(context.message, "nested at most 200 deep");
  }
  // 200 are good, 201 are not
  for (int depth = 200; depth <= 201; ++depth) {
    memset(buffer, '(', (size_t)depth);
    buffer[depth] = '1';
    memset(buffer + depth + 1, ')', (size_t)depth);
    buffer[2 * depth + 1] = '\0';
    ENSURE(try_parse(buffer) == (depth == 200 ? MBS_OK : MBS_ERROR_INPUT));
  }
  // one after the other is no nesting
  ENSURE(try_parse(repeat(buffer, "-(1)", LIMIT)) == MBS_OK);
  // signs neither
  memset(buffer, '-', LIMIT - 1);
  buffer[LIMIT - 1] = '1';
  buffer[LIMIT] = '\0';
  ENSURE(value_of(buffer) == -1);
  // names and numbers
  ENSURE(try_parse(repeat(buffer, "n", 256)) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(context.message, "has more than 255 characters");
  ENSURE(try_parse(repeat(buffer, "1", 101)) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(context.message, "has more than 100 characters");
  // the message quotes the part around the error
  (void)repeat(buffer, "x + ", 4000);
  memcpy(buffer + 2000, "x ! ", 4);
  ENSURE(try_parse(buffer) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(context.message, "psi.yaml:12:2012: error: in \"...");
  ENSURE_CONTAINS(context.message, "x ! x");
  ENSURE(strlen(context.message) < 200);
  finish();
}

// how much of an expression is listed as jumping, outside noevent()
static void test_jump_lists(void) {
  start();
  static const struct {
    const char *text;
    int count;
  } cases[] = {
      {"if(x > y, 1, 2)", 1},
      {"and(x > y, or(x < w, not(y >= x)))", 2},  // step(y - x) twice
      {"(x >= y) + (y >= x) + (x < y)", 2},
      {"mod(x, w) + floor(x/w) + sign(x)", 2},
      {"noevent(mod(x, w) + sign(x)) + step(y)", 1},
      {"atan2(x, y) + abs(x) + min(x, y) + step5(x)", 1},
      {"piecewise(x, 0, 1, x - 1, 2, 1)", 0},
      {"piecewise(step(x), 0, 1, step(x) - 1)", 1},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    MbsExpression value = parse(cases[k].text);
    int count;
    const MbsNode *found;
    ENSURE(mbs_graph_jumps_of(&context, graph, 1, value.node, MBS_KINKS_NONE, &count, &found) == MBS_OK);
    if (count != cases[k].count) {
      (void)fprintf(stderr, "%s: %d jumps\n", cases[k].text, count);
      exit(1);
    }
  }
  finish();
}

// tables: rounding is no jump, and there is a limit on arguments
static void test_tables(void) {
  start();
  static char buffer[BUFFER + 1];
  double value = 0;
  size_t used = (size_t)snprintf(buffer, sizeof buffer, "piecewise(x, 0");
  for (int k = 1; k <= 150; ++k) {  // 0.1 k x - s_k, where s_k = 0.01 (1 + ... + k): not one of these is exact
    used += (size_t)snprintf(buffer + used, sizeof buffer - used, ", %.1f, %.1f*x - %.2f", 0.1 * k, 0.1 * k,
                             0.005 * k * (k + 1));
  }
  (void)snprintf(buffer + used, sizeof buffer - used, ")");
  for (int k = 1; k <= 7; ++k) {
    value += 0.1 * (0.7 - 0.1 * k);
  }
  ENSURE_NEAR(value_of(buffer), value, 1e-15);
  (void)memcpy(buffer, "piecewise(1, 0", 15);
  used = 14;
  for (int k = 1; k <= 500; ++k) {
    used += (size_t)snprintf(buffer + used, sizeof buffer - used, ",%d,0", k);
  }
  buffer[used] = ')';
  buffer[used + 1] = '\0';
  ENSURE(try_parse(buffer) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(context.message, "may have at most 1000 arguments");
  finish();
}

// ---- random text ----

static unsigned long long random_state = 20250101;

static unsigned draw(unsigned below) {
  random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(random_state >> 33) % below;
}

// single characters of any code, and words of the language in any order
static void test_random(void) {
  static const char *const words[] = {
      "x",  "y",     "u", "1",        "2.5",         ".5", "1e3", "1e",  "sin(",   "atan2(",  "dot(", "r(P)",
      "r(", "norm(", "[", "]",        "(",           ")",  ",",   ".",   ".x",     ".z",      "+",    "-",
      "*",  "/",     "^", "**",       " ",           "pi", "nan", "\n",  "step5(", "0x1",     "L.A.", "max(",
      "#",  "e",     "_", "\xC3\xA9", "smooth_max(", "<",  ">=",  "if(", "floor(", "noevent("};
  static const char *const operators[] = {"+", "-", "*", "/", "^", "<", ">="};
  enum { WORDS = sizeof words / sizeof words[0], OPERANDS = 7 };
  start();
  int good = 0;
  for (int round = 0; round < 30000; ++round) {
    char text[256];
    int length = 0;
    int parts = 1 + (int)draw(20);
    for (int k = 0; k < parts; ++k) {
      if (round % 3 == 0) {
        text[length++] = (char)(1 + draw(255));
      } else {
        // in every third round operands and operators alternate, so that more are good
        const char *word = words[draw(round % 3 == 1 ? WORDS : OPERANDS)];
        word = round % 3 == 2 && k % 2 ? operators[draw(7)] : word;
        length += snprintf(text + length, sizeof text - (size_t)length, "%s", word);
      }
    }
    text[length] = '\0';
    context.message[0] = '\0';
    MbsExpression value;
    MbsStatus status = mbs_expression_parse(&context, graph, text_of(text), &full_scope, &value);
    ENSURE(status == MBS_OK || (status == MBS_ERROR_INPUT && strncmp(context.message, "psi.yaml:12:", 12) == 0));
    if (status == MBS_OK) {
      ++good;
      (void)evaluate(mbs_graph_derivative(graph, value.node[0], 0), 0, NULL);
    }
    // a fresh graph now and then, so that the tapes stay short
    if (round % 1000 == 999) {
      finish();
      start();
    }
  }
  ENSURE(good > 500 && good < 29000);
  finish();
}

int main(void) {
  test_precedence();
  test_sharing();
  test_derivatives();
  test_branches();
  test_scope_calls();
  test_errors();
  test_no_scope();
  test_sized();
  test_length();
  test_nesting();
  test_jump_lists();
  test_tables();
  test_random();
  return 0;
}
