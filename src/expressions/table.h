// Tables: curves y(x) and maps z(x, y) given by points, evaluated with all derivatives.
//
// Whatever its kind, a table is held as numbers at its points and evaluated between two neighbours on each axis. With
// u = (x - x_i)/h, h = x_(i+1) - x_i,
//     step     y_i
//     linear   (1 - u) y_i + u y_(i+1)
//     cubic    H00 y_i + H01 y_(i+1) + h (H10 s_i + H11 s_(i+1)),   s: slopes at the points (table_slopes.c),
//              H00 = 1 - 3u^2 + 2u^3,  H01 = 3u^2 - 2u^3,  H10 = u - 2u^2 + u^3,  H11 = u^3 - u^2
// and a map is the product of both axes, a cubic one with z_x, z_y and z_xy at its points as well. So the value, and
// each of its derivatives by the arguments, is a sum of at most 2 numbers (a map: 4), or 4 (16), times weights that
// depend on the argument alone:
//     T_d(x) = sum_j w_d,j(x) n_j          d: order of the derivative; d T_d/dx = T_(d+1), d T_d/d n_j = w_d,j
// The numbers n_j are nodes of the graph, functions of the parameters: ordinates may be parameters, and slopes
// are expressions of ordinates. In the graph a table at x is TABLE(x, y, delta) = T_d(x, y) + delta with an input
// delta that is always zero and stands for the numbers: where an element has dF/d(delta) it has
//     dF/dn_j = dF/d(delta) w_d,j(x)
// for the few j that count there (mbs_tape_spread), whatever the number of points. Each order has a delta of its own,
// and the delta of one order brings those of the higher ones along as inputs, so that derivatives of an expression
// bring no new inputs. A table whose numbers are all constants has no delta.
//
// Outside its points a table is not defined (NaN, and it says so in is_left), or held, or continued linearly. A
// millionth of a millionth beyond the end is rounding.
#ifndef MBS_TABLE_H
#define MBS_TABLE_H

#include "algebra/scalar.h"
#include "expressions/graph.h"

typedef enum MbsTableForm { MBS_TABLE_STEP, MBS_TABLE_LINEAR, MBS_TABLE_CUBIC } MbsTableForm;
typedef enum MbsOutside { MBS_OUTSIDE_ERROR, MBS_OUTSIDE_HOLD, MBS_OUTSIDE_LINEAR } MbsOutside;

enum {
  MBS_TABLE_ORDERS = 4,    // of derivatives by one argument, 0 to 3
  MBS_MOST_SPREAD = 16,    // numbers that count at one place
  MBS_TABLE_BY_NUMBER = 1  // of a curve, in the place of the order by y: the argument is the number of a piece
};

typedef struct MbsAxis {
  int count;        // of points, of a periodic axis with the one that closes it
  const double *x;  // increasing
  double period;    // 0: none
} MbsAxis;

typedef struct MbsTable {
  const char *name;
  MbsPlace place;
  MbsTableForm form;
  MbsOutside outside;
  int axis_count;  // 1: a curve, 2: a map
  MbsAxis axis[2];
  bool is_plain_curve;  // neither a map nor periodic nor of steps
  int piece_count;      // of steps: as many as points, or one less
  int counter[2];       // by axis: 1 + the table that counts its pieces, once made; -1: it has but one
  bool is_counter;      // of the pieces of a table (model/table_pieces.c):
  int levels, middles;  // then: tables, of steps, by number, of where pieces begin, and of places within them
  double rise;          // of a periodic curve: what it gains in each period
  // y and, where cubic, behind them s, each for all points; of a map z, z_x, z_y, z_xy, x by x
  int number_count;
  const MbsNode *nodes;
  bool is_varying;  // some number depends on parameters
  // by number, at the present parameters: in the scalar of the build, and the real parts
  mbs_scalar *numbers;
  double *real;
  // where it was left since this was cleared
  bool is_left;
  double left_at[2];
} MbsTable;

// The numbers that count at a place, and their weights.
typedef struct MbsSpread {
  int count;
  int number[MBS_MOST_SPREAD];
  mbs_scalar weight[MBS_MOST_SPREAD];
} MbsSpread;

// A table in use: which derivative, and where the search begins, on which no result depends.
typedef struct MbsLookup {
  MbsTable *table;
  int order[2];
  int last[2];
} MbsLookup;

// The table, and its order by each argument, of a TABLE node.
MbsLookup mbs_table_lookup(const MbsGraph *graph, int index);
// Is there something left of it after so many derivatives?
bool mbs_table_has_order(const MbsLookup *lookup);
void mbs_table_spread(MbsLookup *lookup, mbs_scalar x, mbs_scalar y, MbsSpread *spread);
mbs_scalar mbs_table_value(MbsLookup *lookup, mbs_scalar x, mbs_scalar y);
// The same with the real parts of all numbers, in whatever build the table was made.
mbs_scalar mbs_table_value_plain(MbsLookup *lookup, mbs_scalar x, mbs_scalar y);
// The same with the numbers found elsewhere, by node.
double mbs_table_value_of(MbsLookup *lookup, double x, double y, const double *by_node);

// ---- the graph's tables (table_node.c) ----
// How a graph that has tables makes inputs and tells what moves from what does not.
typedef struct MbsTableInputs {
  void *user;
  bool (*make)(void *user, int *input);  // a new input for a delta; false: out of memory
  bool (*moves)(void *user, int input);  // is it no parameter, or one that changes from event to event, a branch?
} MbsTableInputs;
void mbs_graph_use_tables(MbsGraph *graph, const MbsTableInputs *inputs);
// The number of a new table of the graph, whose nodes are there; -1: out of memory.
int mbs_graph_add_table(MbsGraph *graph, MbsTable *table);
int mbs_graph_table_count(const MbsGraph *graph);
MbsTable *mbs_graph_table(const MbsGraph *graph, int index);
int mbs_graph_table_of(const MbsGraphNode *node);  // of a TABLE node: its index
// The table at x (and y; MBS_NODE_NONE: a curve), differentiated so often by each. Where no argument moves it is the
// expression of the pieces, without a TABLE.
MbsNode mbs_graph_look_up(MbsGraph *graph, int table, const int order[2], MbsNode x, MbsNode y);

// ---- slopes at the points (table_slopes.c) ----
typedef enum MbsSlopeRule { MBS_SLOPE_AKIMA, MBS_SLOPE_MONOTONE, MBS_SLOPE_SPLINE } MbsSlopeRule;
// slopes[i * stride] of y[i * stride] at the points of an axis: expressions of y.
MbsStatus mbs_table_slopes(MbsContext *context, MbsArena *scratch, MbsGraph *graph, MbsSlopeRule rule,
                           const MbsAxis *axis, int stride, const MbsNode *y, MbsNode *slopes);
// How many points a rule needs, of a periodic axis with the closing one.
int mbs_table_least_points(MbsSlopeRule rule, bool is_periodic);

#endif
