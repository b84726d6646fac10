// piecewise(x, f0, x1, f1, x2, f2, ...): f0 where x < x1, f1 where x1 <= x < x2, and so on. A function with kinks, that
// does not jump: the breakpoints increase, and the pieces meet there,
//     |f_i(x_i) - f_{i-1}(x_i)| <= 1e-9 s,      s the largest of both pieces at x_i and at the breakpoints next to it
// as a run tells a jump from rounding (simulation/guards.h). So the pieces must be functions of x and of parameters
// alone, but for factors of what vanishes there: f_i(x_i) is the piece with the breakpoint in the place of x, at the
// nominal parameters.
#include <math.h>

#include "expressions/functions.h"

typedef struct Pieces {
  const MbsScanner *scanner;
  MbsGraph *graph;
  const MbsScope *scope;
  const MbsArguments *arguments;
  int break_count;
} Pieces;

// x_i for i > 0; x itself for 0
static int break_argument(int i) { return 2 * i; }
static int piece_argument(int i) { return 2 * i + 1; }

static MbsNode node_of(const Pieces *p, int argument) { return p->arguments->values[argument].node[0]; }

static int offset_of(const Pieces *p, int argument) { return p->arguments->offsets[argument]; }

// The value at the nominal parameters; *moves: it is none, for it depends on more.
static MbsStatus evaluate(const Pieces *p, MbsNode node, bool *moves, double *value) {
  const MbsGraphNode *n = mbs_graph_node(p->graph, node);
  *moves = n->operation != MBS_OP_CONSTANT;
  *value = n->value;
  const MbsModelWords *words = p->scope ? p->scope->words : NULL;
  return *moves && words && words->nominal ? words->nominal(p->scope->model, p->scanner->context, node, moves, value)
                                           : mbs_graph_status(p->scanner->context, p->graph);
}

static MbsStatus break_value(const Pieces *p, int i, double *value) {
  bool moves;
  int argument = break_argument(i);
  MBS_TRY(evaluate(p, node_of(p, argument), &moves, value));
  return moves               ? mbs_scanner_fail(p->scanner, offset_of(p, argument),
                                                "breakpoint %d of piecewise() must be a number or a function of parameters alone", i)
         : !isfinite(*value) ? mbs_scanner_fail(p->scanner, offset_of(p, argument),
                                                "breakpoint %d of piecewise() is not a finite number", i)
                             : MBS_OK;
}

static MbsStatus check_breaks(const Pieces *p) {
  double before = -HUGE_VAL, here;
  for (int i = 1; i <= p->break_count; ++i) {
    MBS_TRY(break_value(p, i, &here));
    if (!(here > before)) {
      return mbs_scanner_fail(p->scanner, offset_of(p, break_argument(i)),
                              "the breakpoints of piecewise() must increase: %.10g comes after %.10g", here, before);
    }
    before = here;
  }
  return MBS_OK;
}

// Does a piece with a number in the place of x still depend on what x is made of, where that is parameters alone?
static MbsStatus depends_otherwise(const Pieces *p, MbsNode node, bool *result) {
  MbsNode x = node_of(p, break_argument(0));
  int count;
  const int *inputs;
  double unused;
  MBS_TRY(evaluate(p, x, result, &unused));
  MBS_TRY(mbs_graph_inputs_of(p->scanner->context, p->graph, x, &count, &inputs));
  bool moves = *result;
  *result = false;
  for (int k = 0; k < count && !moves; ++k) {
    *result = *result || mbs_graph_depends_on(p->graph, node, inputs[k]);
  }
  return MBS_OK;
}

// f_i(at); *moves: it has no value, for it depends on more than parameters
static MbsStatus piece_value(const Pieces *p, int i, MbsNode at, bool *moves, double *value) {
  MbsGraph *graph = p->graph;
  MbsNode x = node_of(p, break_argument(0)), there;
  bool is_other;
  // -(a - b) is b - a, without a - b in it
  const MbsNode from[] = {x, mbs_graph_negate(graph, x)}, to[] = {at, mbs_graph_negate(graph, at)};
  const MbsSubstitution substitution = {.count = 2, .from = from, .to = to};
  MBS_TRY(mbs_graph_substitute(p->scanner->context, graph, node_of(p, piece_argument(i)), &substitution, &there));
  MBS_TRY(evaluate(p, there, moves, value));
  MBS_TRY(depends_otherwise(p, there, &is_other));
  *moves = *moves || is_other;
  return MBS_OK;
}

static double larger(double size, double value) {
  double other = fabs(value);  // real
  return isfinite(other) && other > size ? other : size;
}

// How large f_i is: at breakpoint k and the next one on its other side, or as far away as k is from zero.
static MbsStatus add_size(const Pieces *p, int i, int k, double *size) {
  int next = i == k ? k + 1 : k - 1;
  double here, value;
  bool moves;
  MBS_TRY(break_value(p, k, &here));
  double beyond = here + (i == k ? 1 : -1) * (here == 0 ? 1 : fabs(here));  // real
  MbsNode at =
      next >= 1 && next <= p->break_count ? node_of(p, break_argument(next)) : mbs_graph_constant(p->graph, beyond);
  MBS_TRY(piece_value(p, i, at, &moves, &value));
  *size = moves ? *size : larger(*size, value);
  return MBS_OK;
}

static MbsStatus check_meeting(const Pieces *p, int i) {
  const double rounding = 1e-9;
  double at, size = 0, side[2];
  MBS_TRY(break_value(p, i, &at));
  for (int k = 0; k < 2; ++k) {
    int piece = i - 1 + k;
    bool moves;
    MBS_TRY(piece_value(p, piece, node_of(p, break_argument(i)), &moves, &side[k]));
    if (moves) {
      return mbs_scanner_fail(
          p->scanner, offset_of(p, piece_argument(piece)),
          "piece %d of piecewise() must be a function of its first argument, as that is written, and "
          "of parameters alone where it meets the next: else nobody knows whether it does; write "
          "if(c, a, b)",
          piece + 1);
    }
    if (!isfinite(side[k])) {
      return mbs_scanner_fail(p->scanner, offset_of(p, piece_argument(piece)),
                              "piece %d of piecewise() is not a finite number at its breakpoint %.10g", piece + 1, at);
    }
    size = larger(size, side[k]);
    MBS_TRY(add_size(p, piece, i, &size));
  }
  double jump = side[1] - side[0];
  return fabs(jump) > rounding * size  // real
             ? mbs_scanner_fail(p->scanner, offset_of(p, break_argument(i)),
                                "piecewise() jumps by %.10g at its breakpoint %.10g, from %.10g to %.10g: its pieces "
                                "must meet there; for what jumps, write if(c, a, b)",
                                jump, at, side[0], side[1])
             : MBS_OK;
}

MbsStatus mbs_piecewise_apply(const MbsScanner *scanner, MbsGraph *graph, const MbsScope *scope,
                              const MbsArguments *arguments, MbsExpression *value) {
  Pieces p = {.scanner = scanner,
              .graph = graph,
              .scope = scope,
              .arguments = arguments,
              .break_count = arguments->count / 2 - 1};
  for (int k = 0; k < arguments->count; ++k) {
    if (arguments->values[k].size != 1) {
      return mbs_scanner_fail(scanner, arguments->offsets[k],
                              "piecewise() needs numbers, not %s: write one for each component",
                              mbs_expression_kind(arguments->values[k].size));
    }
  }
  MBS_TRY(check_breaks(&p));
  MbsNode x = node_of(&p, break_argument(0)), chosen = node_of(&p, piece_argument(p.break_count));
  // of a constant there is one piece, in which nothing tells the constant from others
  for (int i = 1; i <= p.break_count && mbs_graph_node(graph, x)->operation != MBS_OP_CONSTANT; ++i) {
    MBS_TRY(check_meeting(&p, i));
  }
  for (int i = p.break_count; i >= 1; --i) {
    MbsNode margin = mbs_graph_subtract(graph, x, node_of(&p, break_argument(i)));
    MbsNode side = mbs_graph_apply(graph, MBS_OP_SIDE, margin, MBS_NODE_NONE);
    chosen = mbs_graph_select(graph, side, chosen, node_of(&p, piece_argument(i - 1)));
  }
  *value = (MbsExpression){.size = 1, .node = {chosen}};
  return mbs_graph_status(scanner->context, graph);
}
