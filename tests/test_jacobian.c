// All derivatives of some nodes at once (src/expressions/jacobian.c) against those by one input each, and in the
// complex build against the complex step; with operations of every kind, shared numbers, conditions that hide what is
// infinite.
#include "ensure.h"
#include "expressions/tape.h"

enum { INPUTS = 4, MOST_OUTPUTS = 8 };

static MbsContext context;
static MbsArena *arena;
static MbsGraph *graph;

static MbsNode apply(MbsOperation operation, MbsNode a, MbsNode b) { return mbs_graph_apply(graph, operation, a, b); }

static MbsNode function(MbsOperation operation, MbsNode a) { return apply(operation, a, MBS_NODE_NONE); }

static MbsNode number(double value) { return mbs_graph_constant(graph, value); }

// outputs of all operations, through a few numbers that all of them share
static int build(MbsNode *f) {
  MbsNode x[INPUTS];
  for (int k = 0; k < INPUTS; ++k) {
    x[k] = mbs_graph_input(graph, k);
  }
  MbsNode u = mbs_graph_add(graph, mbs_graph_multiply(graph, x[0], x[1]), function(MBS_OP_SIN, x[2]));
  MbsNode v = mbs_graph_divide(graph, mbs_graph_subtract(graph, x[3], x[0]), mbs_graph_power_integer(graph, x[1], 2));
  MbsNode w =
      function(MBS_OP_SQRT, mbs_graph_add(graph, mbs_graph_multiply(graph, u, u), mbs_graph_multiply(graph, v, v)));
  MbsNode inside = mbs_graph_multiply(graph, number(0.1), u);
  f[0] = mbs_graph_multiply(graph, w, function(MBS_OP_EXP, v));
  f[1] = mbs_graph_add(graph, apply(MBS_OP_ATAN2, u, v), function(MBS_OP_ASIN, inside));
  f[2] = mbs_graph_power(graph, w, mbs_graph_multiply(graph, number(0.3), x[3]));
  f[3] = mbs_graph_add(graph, apply(MBS_OP_MINIMUM, u, v), apply(MBS_OP_MAXIMUM, f[0], x[2]));
  f[4] = mbs_graph_negate(graph, mbs_graph_multiply(graph, f[0], function(MBS_OP_TANH, w)));
  f[5] = mbs_graph_multiply(graph, function(MBS_OP_STEP5, mbs_graph_multiply(graph, number(0.2), w)),
                            function(MBS_OP_ABS, v));
  f[6] = f[0];  // an output twice, and one that others are made of
  f[7] = x[1];
  return 8;
}

static const MbsTape *tape_of(int count, const MbsNode *outputs) {
  MbsTape *tape = NULL;
  ENSURE(mbs_graph_status(&context, graph) == MBS_OK);
  ENSURE(mbs_tape_create(&context, arena, graph, count, outputs, &tape) == MBS_OK);
  return tape;
}

static void evaluate(const MbsTape *tape, const double *at, int along, mbs_scalar *values) {
  mbs_scalar in[INPUTS];
  for (int k = 0; k < tape->input_count; ++k) {
    in[k] = mbs_complex(at[tape->inputs[k]], tape->inputs[k] == along ? 1e-30 : 0);
  }
  mbs_tape_evaluate(tape, in, values);
}

static void start(void) {
  arena = mbs_arena_create();
  ENSURE(arena && mbs_graph_create(&context, arena, &graph) == MBS_OK);
}

// 1e-13: the same terms, added up in another order
static void test_operations(void) {
  static const double points[][INPUTS] = {{0.7, 1.3, -0.4, 2.1}, {-1.2, 0.8, 2.9, 0.3}};
  static const int all[] = {0, 1, 2, 3}, some[] = {1, 3};
  start();
  MbsNode f[MOST_OUTPUTS], slopes[MOST_OUTPUTS * INPUTS], expected[MOST_OUTPUTS * INPUTS], few[MOST_OUTPUTS * 2];
  int count = build(f), seen = 0;
  ENSURE(mbs_graph_jacobian(&context, graph, count, f, INPUTS, all, slopes) == MBS_OK);
  ENSURE(mbs_graph_jacobian(&context, graph, count, f, 2, some, few) == MBS_OK);
  for (int i = 0; i < count * INPUTS; ++i) {
    expected[i] = mbs_graph_derivative(graph, f[i / INPUTS], i % INPUTS);
  }
  const MbsTape *value = tape_of(count, f), *together = tape_of(count * INPUTS, slopes);
  const MbsTape *one_by_one = tape_of(count * INPUTS, expected), *of_few = tape_of(count * 2, few);
  for (size_t p = 0; p < sizeof points / sizeof points[0]; ++p) {
    mbs_scalar f_x[MOST_OUTPUTS * INPUTS], g_x[MOST_OUTPUTS * INPUTS], h_x[MOST_OUTPUTS * 2], step[MOST_OUTPUTS];
    evaluate(together, points[p], -1, f_x);
    evaluate(one_by_one, points[p], -1, g_x);
    evaluate(of_few, points[p], -1, h_x);
    for (int i = 0; i < count * INPUTS; ++i) {
      int k = i % INPUTS;
      double tolerance = 1e-13 * (1 + fabs(mbs_re(g_x[i])));
      ENSURE_NEAR(mbs_re(f_x[i]), mbs_re(g_x[i]), tolerance);
      seen += fabs(mbs_re(g_x[i])) > 1e-3;
      if (k == some[0] || k == some[1]) {
        ENSURE_NEAR(mbs_re(h_x[i / INPUTS * 2 + (k == some[1])]), mbs_re(g_x[i]), tolerance);
      }
      evaluate(value, points[p], k, step);
#ifdef MBS_COMPLEX
      ENSURE_NEAR(mbs_re(f_x[i]), mbs_im(step[i / INPUTS]) / 1e-30, tolerance);
#endif
    }
  }
  ENSURE(seen > 45);  // of 64
  mbs_arena_destroy(arena);
}

// x where x > 0 is sqrt(x) + y, else 3 y: nothing of the root is left where it does not hold
static void test_conditions(void) {
  static const double points[][2] = {{-1, 0.5}, {0, 0.5}, {4, 0.5}};
  static const double expected[][2] = {{0, 6}, {0, 6}, {0.5, 2}};
  start();
  MbsNode x = mbs_graph_input(graph, 0), y = mbs_graph_input(graph, 1);
  MbsNode root = mbs_graph_add(graph, function(MBS_OP_SQRT, x), y);
  MbsNode is_up = mbs_graph_subtract(graph, number(1), function(MBS_OP_STEP, mbs_graph_negate(graph, x)));
  MbsNode chosen = mbs_graph_select(graph, is_up, root, mbs_graph_multiply(graph, number(3), y));
  MbsNode f = mbs_graph_multiply(graph, number(2), chosen), slopes[2];
  ENSURE(mbs_graph_jacobian(&context, graph, 1, &f, 2, (int[]){0, 1}, slopes) == MBS_OK);
  const MbsTape *tape = tape_of(2, slopes);
  for (int p = 0; p < 3; ++p) {
    mbs_scalar f_x[2];
    evaluate(tape, points[p], -1, f_x);
    ENSURE_NEAR(mbs_re(f_x[0]), expected[p][0], 1e-15);
    ENSURE_NEAR(mbs_re(f_x[1]), expected[p][1], 1e-15);
  }
  mbs_arena_destroy(arena);
}

// Six outputs of four inputs through one number: a quarter less than one input after the other, values included.
static void test_size(void) {
  start();
  MbsNode u = number(0), outputs[6], slopes[24], expected[24];
  for (int k = 0; k < INPUTS; ++k) {
    MbsNode x = mbs_graph_input(graph, k);
    u = mbs_graph_add(graph, u, mbs_graph_multiply(graph, x, function(MBS_OP_EXP, x)));
  }
  for (int i = 0; i < 6; ++i) {
    outputs[i] = u;
    for (int k = 0; k < 5; ++k) {
      outputs[i] = function(k % 2 == 0 ? MBS_OP_SIN : MBS_OP_TANH, mbs_graph_add(graph, outputs[i], number(i)));
    }
  }
  ENSURE(mbs_graph_jacobian(&context, graph, 6, outputs, INPUTS, (int[]){0, 1, 2, 3}, slopes) == MBS_OK);
  for (int i = 0; i < 24; ++i) {
    expected[i] = mbs_graph_derivative(graph, outputs[i / INPUTS], i % INPUTS);
  }
  ENSURE(4 * tape_of(24, slopes)->instruction_count < 3 * tape_of(24, expected)->instruction_count);
  mbs_arena_destroy(arena);
}

int main(void) {
  test_operations();
  test_conditions();
  test_size();
  return 0;
}
