// The graph: nodes are shared, folded, and know their inputs; derivatives are shared too, and neither
// depth nor size can break the program.
#include "ensure.h"
#include "expressions/graph.h"

static MbsContext context;
static MbsArena *arena;
static MbsGraph *graph;
static MbsNode x, y, z, zero, one;

static MbsNode c(double value) { return mbs_graph_constant(graph, value); }
static MbsNode add(MbsNode a, MbsNode b) { return mbs_graph_add(graph, a, b); }
static MbsNode subtract(MbsNode a, MbsNode b) { return mbs_graph_subtract(graph, a, b); }
static MbsNode multiply(MbsNode a, MbsNode b) { return mbs_graph_multiply(graph, a, b); }
static MbsNode divide(MbsNode a, MbsNode b) { return mbs_graph_divide(graph, a, b); }
static MbsNode negate(MbsNode a) { return mbs_graph_negate(graph, a); }
static MbsNode power(MbsNode a, MbsNode b) { return mbs_graph_power(graph, a, b); }
static MbsNode apply(MbsOperation operation, MbsNode a) { return mbs_graph_apply(graph, operation, a, MBS_NODE_NONE); }
static MbsNode derivative(MbsNode a, int input) { return mbs_graph_derivative(graph, a, input); }
static const MbsGraphNode *node(MbsNode a) { return mbs_graph_node(graph, a); }

static void start(void) {
  arena = mbs_arena_create();
  ENSURE(arena);
  ENSURE(mbs_graph_create(&context, arena, &graph) == MBS_OK);
  x = mbs_graph_input(graph, 0);
  y = mbs_graph_input(graph, 1);
  z = mbs_graph_input(graph, 200);
  zero = c(0);
  one = c(1);
}

static void finish(void) {
  ENSURE(mbs_graph_status(&context, graph) == MBS_OK);
  mbs_arena_destroy(arena);
}

static void test_sharing(void) {
  start();
  ENSURE(zero == 0);  // what a failed graph returns
  ENSURE(mbs_graph_input(graph, 1) == y);
  int count = mbs_graph_count(graph);
  ENSURE(count == 5);
  MbsNode product = multiply(x, y);
  ENSURE(multiply(y, x) == product);
  ENSURE(add(product, z) == add(z, multiply(x, y)));
  ENSURE(mbs_graph_apply(graph, MBS_OP_MINIMUM, x, y) == mbs_graph_apply(graph, MBS_OP_MINIMUM, y, x));
  ENSURE(mbs_graph_count(graph) == count + 3);
  ENSURE(subtract(x, y) != subtract(y, x));
  ENSURE(divide(x, y) != divide(y, x));
  ENSURE(mbs_graph_apply(graph, MBS_OP_ATAN2, x, y) != mbs_graph_apply(graph, MBS_OP_ATAN2, y, x));
  ENSURE(mbs_graph_power_integer(graph, x, 3) != mbs_graph_power_integer(graph, x, 4));
  ENSURE(mbs_graph_count(graph) == count + 11);
  // many nodes, so that the table has grown many times, and all are found again
  count = mbs_graph_count(graph);
  for (int round = 0; round < 2; ++round) {
    for (int k = 0; k < 20000; ++k) {
      (void)multiply(c(k + 0.5), x);
    }
    ENSURE(mbs_graph_count(graph) == count + 40000);
  }
  finish();
}

static void test_constants(void) {
  start();
  ENSURE(c(-0.0) == zero);
  MbsNode nan = c((double)NAN);
  ENSURE(c(-(double)NAN) == nan && subtract(c(HUGE_VAL), c(HUGE_VAL)) == nan);
  ENSURE(!mbs_graph_is_constant(graph, nan, (double)NAN));
  ENSURE(mbs_graph_is_constant(graph, add(c(2), c(3)), 5));
  ENSURE(mbs_graph_is_constant(graph, divide(c(1), c(8)), 0.125));
  ENSURE(mbs_graph_is_constant(graph, power(c(-2), c(3)), -8));
  ENSURE(mbs_graph_is_constant(graph, power(c(-2), c(-3)), -0.125));
  ENSURE(mbs_graph_is_constant(graph, power(c(2), c(100)), 0x1p100));
  ENSURE(mbs_graph_is_constant(graph, power(c(-2), c(101)), -0x1p101));
  ENSURE(mbs_graph_is_constant(graph, power(c(9), c(0.5)), 3));
  ENSURE(mbs_graph_is_constant(graph, apply(MBS_OP_COS, zero), 1));
  ENSURE(mbs_graph_is_constant(graph, mbs_graph_apply(graph, MBS_OP_MAXIMUM, c(2), c(3)), 3));
  ENSURE(mbs_graph_is_constant(graph, apply(MBS_OP_STEP5, c(0.5)), 0.5));
  ENSURE(mbs_graph_is_constant(graph, apply(MBS_OP_SIGN, c(-4)), -1));
  // domain errors show
  ENSURE(isinf(node(divide(one, zero))->value));
  ENSURE(divide(zero, zero) == nan);
  ENSURE(multiply(zero, divide(one, zero)) == nan);
  ENSURE(apply(MBS_OP_SQRT, c(-1)) == nan && apply(MBS_OP_LOG, c(-1)) == nan && power(c(-8), c(1.0 / 3)) == nan);
  ENSURE(isinf(node(power(zero, c(-1)))->value));
  ENSURE(power(nan, zero) == nan);
  ENSURE(mbs_graph_apply(graph, MBS_OP_MINIMUM, nan, one) == nan);
  ENSURE(mbs_graph_apply(graph, MBS_OP_MAXIMUM, one, nan) == nan);
  ENSURE(apply(MBS_OP_SIGN, nan) == nan && apply(MBS_OP_STEP, nan) == nan && apply(MBS_OP_STEP5, nan) == nan);
  ENSURE(node(divide(x, zero))->operation == MBS_OP_DIVIDE);
  finish();
}

static void test_folding(void) {
  start();
  int count = mbs_graph_count(graph);
  ENSURE(add(x, zero) == x && add(zero, x) == x && subtract(x, zero) == x);
  ENSURE(subtract(x, x) == zero && divide(x, x) == one && divide(x, one) == x);
  ENSURE(multiply(zero, x) == zero && multiply(x, zero) == zero && divide(zero, x) == zero);
  ENSURE(multiply(one, x) == x && multiply(x, one) == x);
  ENSURE(power(x, zero) == one && power(x, one) == x);
  ENSURE(mbs_graph_apply(graph, MBS_OP_MAXIMUM, x, x) == x);
  ENSURE(mbs_graph_count(graph) == count);
  MbsNode minus_x = negate(x);
  MbsNode minus_y = negate(y);
  ENSURE(negate(minus_x) == x && subtract(zero, x) == minus_x && multiply(c(-1), x) == minus_x);
  ENSURE(divide(x, c(-1)) == minus_x);
  MbsNode difference = subtract(x, y);
  ENSURE(add(x, minus_y) == difference && add(minus_y, x) == difference);
  ENSURE(subtract(x, minus_y) == add(x, y) && subtract(minus_x, minus_y) == subtract(y, x));
  ENSURE(negate(difference) == subtract(y, x));
  ENSURE(multiply(minus_x, y) == negate(multiply(x, y)) && multiply(minus_x, minus_y) == multiply(x, y));
  ENSURE(divide(minus_x, minus_y) == divide(x, y));
  ENSURE(add(x, x) == multiply(c(2), x));
  ENSURE(node(multiply(x, x))->operation == MBS_OP_MULTIPLY);
  ENSURE(power(x, c(0.5)) == apply(MBS_OP_SQRT, x));
  ENSURE(power(x, c(-2)) == mbs_graph_power_integer(graph, x, -2));
  ENSURE(node(power(x, c(2.5)))->operation == MBS_OP_POWER && node(power(x, y))->operation == MBS_OP_POWER);
  // products lose digits at large exponents
  ENSURE(node(power(x, c(1000)))->operation == MBS_OP_POWER);
  ENSURE(mbs_graph_power_integer(graph, x, 1000) == power(x, c(1000)));
  finish();
}

static void test_inputs(void) {
  start();
  MbsNode u = mbs_graph_input(graph, 130);
  MbsNode f = multiply(add(z, apply(MBS_OP_SIN, x)), divide(u, x));
  ENSURE(mbs_graph_depends_on(graph, f, 0) && mbs_graph_depends_on(graph, f, 130));
  ENSURE(mbs_graph_depends_on(graph, f, 200) && !mbs_graph_depends_on(graph, f, 1));
  ENSURE(!mbs_graph_depends_on(graph, f, 199) && !mbs_graph_depends_on(graph, f, 100000));
  ENSURE(!mbs_graph_depends_on(graph, zero, 0));
  int count = -1;
  const int *inputs = NULL;
  for (int round = 0; round < 2; ++round) {
    ENSURE(mbs_graph_inputs_of(&context, graph, f, &count, &inputs) == MBS_OK);
    ENSURE(count == 3 && inputs[0] == 0 && inputs[1] == 130 && inputs[2] == 200);
  }
  ENSURE(mbs_graph_inputs_of(&context, graph, one, &count, &inputs) == MBS_OK && count == 0);
  // dependence that folding removed is gone
  ENSURE(!mbs_graph_depends_on(graph, add(y, subtract(x, x)), 0));
  finish();
}

static int degree_in_x_and_y(MbsNode node) {
  bool is_variable[256] = {[0] = true, [1] = true};
  int degree = -1;
  ENSURE(mbs_graph_degree(&context, graph, node, is_variable, &degree) == MBS_OK);
  return degree;
}

static void test_degree(void) {
  start();
  MbsNode s = apply(MBS_OP_SIN, z);
  ENSURE(degree_in_x_and_y(multiply(s, divide(c(2), z))) == 0);
  ENSURE(degree_in_x_and_y(x) == 1 && degree_in_x_and_y(add(multiply(s, x), divide(y, s))) == 1);
  ENSURE(degree_in_x_and_y(subtract(z, apply(MBS_OP_NEGATE, y))) == 1);
  ENSURE(degree_in_x_and_y(multiply(x, y)) == 2 && degree_in_x_and_y(multiply(multiply(x, y), x)) == 2);
  ENSURE(degree_in_x_and_y(divide(s, x)) == 2 && degree_in_x_and_y(apply(MBS_OP_SIN, x)) == 2);
  ENSURE(degree_in_x_and_y(mbs_graph_power_integer(graph, x, 2)) == 2);
  // not linear although its derivative is constant
  ENSURE(degree_in_x_and_y(add(x, apply(MBS_OP_STEP, x))) == 2);
  // what folding removed is gone
  ENSURE(degree_in_x_and_y(add(subtract(multiply(x, y), multiply(x, y)), y)) == 1);
  finish();
}

static MbsNode of_two(MbsOperation operation, MbsNode a, MbsNode b) { return mbs_graph_apply(graph, operation, a, b); }

static void test_selection(void) {
  start();
  MbsNode step = apply(MBS_OP_STEP, x), contrary = of_two(MBS_OP_UNLESS, step, one), nan = c((double)NAN);
  // constants
  ENSURE(mbs_graph_select(graph, one, x, y) == x && mbs_graph_select(graph, zero, x, y) == y);
  ENSURE(mbs_graph_select(graph, c(-3), x, nan) == x && of_two(MBS_OP_WHERE, nan, x) == nan);
  ENSURE(of_two(MBS_OP_UNLESS, nan, x) == nan && of_two(MBS_OP_WHERE, x, zero) == zero);
  ENSURE(mbs_graph_is_constant(graph, apply(MBS_OP_FLOOR, c(-2.5)), -3));
  // conditions
  ENSURE(of_two(MBS_OP_WHERE, step, one) == step && of_two(MBS_OP_UNLESS, contrary, one) == step);
  ENSURE(of_two(MBS_OP_WHERE, x, one) != x);
  ENSURE(mbs_graph_select(graph, contrary, y, z) == mbs_graph_select(graph, step, z, y));
  // branches
  ENSURE(mbs_graph_select(graph, step, y, y) == y && mbs_graph_select(graph, x, y, zero) == of_two(MBS_OP_WHERE, x, y));
  MbsNode choice = mbs_graph_select(graph, step, multiply(c(3), y), z);
  ENSURE(degree_in_x_and_y(choice) == 2 && degree_in_x_and_y(mbs_graph_select(graph, z, x, multiply(c(3), y))) == 1);
  ENSURE(degree_in_x_and_y(apply(MBS_OP_NOEVENT, add(x, one))) == 1 && degree_in_x_and_y(apply(MBS_OP_FLOOR, x)) == 2);
  ENSURE(derivative(choice, 1) == of_two(MBS_OP_WHERE, step, c(3)) && derivative(choice, 0) == zero);
  ENSURE(derivative(mbs_graph_select(graph, step, add(y, one), multiply(y, one)), 1) == one);
  ENSURE(derivative(apply(MBS_OP_FLOOR, x), 0) == zero);
  // pieces that meet do not jump, their derivatives do
  MbsNode side = apply(MBS_OP_SIDE, x), bent = mbs_graph_select(graph, side, multiply(c(3), x), zero);
  ENSURE(derivative(bent, 0) == of_two(MBS_OP_WHERE, step, c(3)) && derivative(derivative(bent, 0), 0) == zero);
  int count;
  const MbsNode *found;
  ENSURE(mbs_graph_jumps_of(&context, graph, 1, &bent, MBS_KINKS_NONE, &count, &found) == MBS_OK && count == 0);
  MbsNode rate = derivative(bent, 0);
  ENSURE(mbs_graph_jumps_of(&context, graph, 1, &rate, MBS_KINKS_NONE, &count, &found) == MBS_OK && count == 1 &&
         found[0] == step);
  // noevent
  ENSURE(apply(MBS_OP_NOEVENT, x) == x && apply(MBS_OP_NOEVENT, c(3)) == c(3));
  MbsNode quiet = apply(MBS_OP_NOEVENT, multiply(step, y));
  ENSURE(apply(MBS_OP_NOEVENT, quiet) == quiet && derivative(quiet, 1) == apply(MBS_OP_NOEVENT, step));
  finish();
}

// y step(x - 2) + noevent(z step(x - 2)) + floor(atan2(y, sign(x)))
static void test_jumps(void) {
  start();
  MbsNode step = apply(MBS_OP_STEP, subtract(x, c(2))), hidden = apply(MBS_OP_SIGN, z);
  MbsNode quiet = apply(MBS_OP_NOEVENT, multiply(multiply(z, step), hidden));
  MbsNode sign = apply(MBS_OP_SIGN, x), angle = of_two(MBS_OP_ATAN2, y, sign), whole = apply(MBS_OP_FLOOR, angle);
  MbsNode f = add(add(multiply(y, step), quiet), whole);
  int count;
  const MbsNode *found;
  ENSURE(mbs_graph_jumps_of(&context, graph, 1, &f, MBS_KINKS_NONE, &count, &found) == MBS_OK);
  ENSURE(count == 4 && found[0] == step && found[1] == sign && found[2] == angle && found[3] == whole);
  ENSURE(mbs_graph_jumps_of(&context, graph, 1, &quiet, MBS_KINKS_NONE, &count, &found) == MBS_OK && count == 0);
  ENSURE(mbs_graph_jumps_of(&context, graph, 2, (MbsNode[]){x, hidden}, MBS_KINKS_NONE, &count, &found) == MBS_OK);
  ENSURE(count == 1 && found[0] == hidden);
  // branches in their place: those inside noevent() stay
  MbsNode p = mbs_graph_input(graph, 300), q = mbs_graph_input(graph, 301), r = mbs_graph_input(graph, 302);
  MbsNode from[] = {step, sign, whole}, to[] = {p, q, r}, result;
  MbsSubstitution branches = {.count = 3, .from = from, .to = to, .spares_noevent = true};
  ENSURE(mbs_graph_substitute(&context, graph, f, &branches, &result) == MBS_OK);
  ENSURE(result == add(add(multiply(y, p), quiet), r));
  ENSURE(mbs_graph_substitute(&context, graph, whole, &branches, &result) == MBS_OK && result == r);
  // the guard of one that holds another
  branches.count = 2;
  ENSURE(mbs_graph_substitute(&context, graph, angle, &branches, &result) == MBS_OK);
  ENSURE(result == of_two(MBS_OP_ATAN2, y, q));
  // everywhere, and of inputs
  branches.spares_noevent = false;
  ENSURE(mbs_graph_substitute(&context, graph, quiet, &branches, &result) == MBS_OK);
  ENSURE(result == apply(MBS_OP_NOEVENT, multiply(multiply(z, p), hidden)));
  MbsSubstitution input = {.count = 1, .from = &x, .to = (MbsNode[]){add(y, c(2))}};
  ENSURE(mbs_graph_substitute(&context, graph, step, &input, &result) == MBS_OK);
  ENSURE(result == apply(MBS_OP_STEP, subtract(add(y, c(2)), c(2))));
  // what folds, folds: with p = 0 nothing of y is left
  branches = (MbsSubstitution){.count = 1, .from = &step, .to = &zero, .spares_noevent = true};
  ENSURE(mbs_graph_substitute(&context, graph, f, &branches, &result) == MBS_OK && result == add(quiet, whole));
  finish();
}

static void test_derivative_form(void) {
  start();
  ENSURE(derivative(x, 0) == one && derivative(x, 1) == zero && derivative(c(3), 0) == zero);
  ENSURE(derivative(add(x, y), 0) == one && derivative(negate(x), 0) == c(-1));
  ENSURE(derivative(multiply(x, x), 0) == multiply(c(2), x));
  ENSURE(derivative(power(x, c(2)), 0) == multiply(c(2), x));
  ENSURE(derivative(multiply(x, y), 1) == x && derivative(divide(x, y), 0) == divide(one, y));
  // value and derivative share: d exp(2x) = 2 exp(2x), d sqrt(x) = 0.5 / sqrt(x)
  MbsNode e = apply(MBS_OP_EXP, multiply(c(2), x));
  ENSURE(derivative(e, 0) == multiply(c(2), e));
  ENSURE(derivative(apply(MBS_OP_SQRT, x), 0) == divide(c(0.5), apply(MBS_OP_SQRT, x)));
  ENSURE(derivative(apply(MBS_OP_SIN, x), 0) == apply(MBS_OP_COS, x));
  ENSURE(derivative(derivative(apply(MBS_OP_SIN, x), 0), 0) == negate(apply(MBS_OP_SIN, x)));
  ENSURE(derivative(apply(MBS_OP_STEP, x), 0) == zero && derivative(apply(MBS_OP_SIGN, x), 0) == zero);
  ENSURE(derivative(apply(MBS_OP_ABS, x), 0) == apply(MBS_OP_SIGN, x));
  // mixed derivatives of a polynomial are one node
  MbsNode p = multiply(power(x, c(3)), power(y, c(2)));
  MbsNode p_xy = derivative(derivative(p, 0), 1);
  ENSURE(mbs_graph_depends_on(graph, p_xy, 0) && mbs_graph_depends_on(graph, p_xy, 1));
  MbsNode third = p;
  for (int k = 0; k < 3; ++k) {
    third = derivative(third, 0);
  }
  // 3! y^2
  ENSURE(!mbs_graph_depends_on(graph, third, 0));
  ENSURE(derivative(third, 0) == zero);
  // asked again, nothing is made
  int count = mbs_graph_count(graph);
  ENSURE(derivative(derivative(p, 0), 1) == p_xy && mbs_graph_count(graph) == count);
  finish();
}

// s_{k+1} = sin(s_k) + x, 100,000 deep: walking it by recursion would need tens of megabytes of stack
static void test_depth(void) {
  start();
  enum { DEPTH = 100000 };
  MbsNode s = x;
  for (int k = 0; k < DEPTH; ++k) {
    s = add(apply(MBS_OP_SIN, s), x);
  }
  ENSURE(mbs_graph_depends_on(graph, s, 0) && !mbs_graph_depends_on(graph, s, 1));
  int before = mbs_graph_count(graph);
  MbsNode ds = derivative(s, 0);
  ENSURE(ds != zero);
  // cos, product and sum for each level
  ENSURE(mbs_graph_count(graph) - before <= 3 * DEPTH);
  finish();
}

// a subgraph of 5 nodes in a graph of many: 200,000 derivatives of different small nodes. Were each to
// walk the whole graph this would take minutes, not a fraction of a second.
static void test_local_cost(void) {
  start();
  for (int k = 0; k < 200000; ++k) {
    MbsNode f = multiply(x, add(y, c(k)));
    ENSURE(derivative(f, 1) == x);
  }
  finish();
}

static void test_limit(void) {
  start();
  MbsNode last = x;
  for (int k = 0; k < 2100000 && last != zero; ++k) {
    last = c(k + 0.5);
  }
  ENSURE(last == zero);
  ENSURE(mbs_graph_count(graph) == 2000000);
  ENSURE(mbs_graph_status(&context, graph) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(context.message, "2000000");
  // it stays so, and nothing breaks
  ENSURE(add(x, y) == zero && c(0.5) == zero && derivative(x, 0) == zero);
  ENSURE(mbs_graph_status(&context, graph) == MBS_ERROR_INPUT);
  mbs_arena_destroy(arena);
}

int main(void) {
  test_sharing();
  test_constants();
  test_folding();
  test_inputs();
  test_degree();
  test_selection();
  test_jumps();
  test_derivative_form();
  test_depth();
  test_local_cost();
  test_limit();
  return 0;
}
