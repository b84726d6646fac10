// A set of independent coordinates w(q), with the problems that determine positions and velocities from them:
//     position      Phi(q) = 0,                   w(q) = z           K  = [Phi_q; w_q]
//     velocity      Phi_q v = -Phi_t, A v = -b,   w_q v = z' - w_t   Kv = [Phi_q; A; w_q]
// Nonholonomic rows A leave fewer velocities than positions free: some of the rates w' follow, and are not in Kv.
// Without such rows both problems are one. The start has such a set (initial.h); matrix-r steps in one, and changes to
// another where it has to (set_choice.c).
#ifndef MBS_INDEPENDENT_SET_H
#define MBS_INDEPENDENT_SET_H

#include "algebra/rank.h"
#include "kinematics/jacobian.h"
#include "kinematics/problem.h"

typedef struct MbsIndependent {
  const char *name;
  MbsPlace place;
  MbsFunction w, rate, second;  // w and its time derivatives
  bool has_velocity;            // the user wrote one
  bool is_state;                // the scalar of a state of first order
  bool is_held;                 // an equilibrium keeps its value
  bool is_chosen;               // by the start, to complete those that are written
} MbsIndependent;

typedef struct MbsIndependentSet {
  MbsSystem *system;
  int count;
  bool is_automatic;             // they are plain coordinates, chosen here
  int *automatic;                // those
  MbsIndependent *independents;  // else
  int *rate_row;                 // of each, in the velocity problem; -1: its rate follows
  bool *is_redundant;            // by constraint, where rows have been chosen; or it rests
  int redundant_count;           // of these, without those that rest
  MbsProblem position;
  MbsProblem *velocity;  // the same unless there are nonholonomic rows; NULL: not chosen yet
  mbs_scalar *tangent;   // the system's matrix
  mbs_scalar *gradient;  // nq
} MbsIndependentSet;

void mbs_independent_set_destroy(MbsIndependentSet *set);

// w of an independent coordinate, at the state that signals are evaluated at (asserted).
mbs_scalar mbs_independent_set_value(const MbsIndependentSet *set, int index, const MbsState *state);
// dw/dq of one that the user gave, in set->gradient; likewise.
void mbs_independent_set_gradient(const MbsIndependentSet *set, int index, const MbsState *state);

bool mbs_system_is_nonholonomic(const MbsSystem *system);

// ---- sets of matrix-r: set_choice.c ----
// Which equations make the problems of a set, as plain numbers, so that another run can take the same ones.
typedef struct MbsSetChoice {
  bool is_automatic;  // plain coordinates, chosen here; else those that the user gave
  int count;
  const int *coordinates;  // count, where they are plain coordinates
  int row_count, rate_row_count;
  const int *rows;       // of the position problem; all constraints, where some are redundant
  const int *rate_rows;  // of the velocity problem, which is the same unless there are nonholonomic constraints
} MbsSetChoice;

// Has the user written a whole set: for matrix-r, or for the start?
bool mbs_independent_set_is_given(const MbsBlueprint *blueprint);
// At an assembled position: the coordinates of blueprint->chosen, or else those of the start that the user gave;
// is_automatic: coordinates that suit the position. The choice lives in the arena.
MbsStatus mbs_independent_set_choose(MbsContext *context, MbsArena *arena, MbsSystem *system, const MbsState *state,
                                     bool is_automatic, MbsSetChoice *choice);
// The problems of a choice, of this run or of another.
MbsStatus mbs_independent_set_create(MbsContext *context, MbsSystem *system, const MbsSetChoice *choice,
                                     MbsIndependentSet **set);
MbsSetChoice mbs_independent_set_choice(const MbsIndependentSet *set);
// Both matrices at the state, factored, with functions w evaluated there. Signals, tangent: see mbs_problem_factor.
bool mbs_independent_set_factor(const MbsIndependentSet *set, const MbsState *state, const mbs_scalar *tangent);

// ---- for those that choose rows ----
// Memory for choosing them, in the arena; then for solving, with the position problem and, where it is the same, the
// velocity problem.
MbsStatus mbs_independent_set_begin(MbsContext *context, MbsArena *arena, MbsSystem *system, int count,
                                    const MbsIndependentSpec *specs, MbsIndependentSet *set);
MbsStatus mbs_independent_set_finish(MbsContext *context, MbsIndependentSet *set);
MbsStatus mbs_independent_set_take_automatic(MbsContext *context, MbsArena *arena, MbsIndependentSet *set, int count);
// rate_row, when the rows of the velocity problem are chosen.
void mbs_independent_set_find_rates(const MbsIndependentSet *set);
// Holonomic constraints that are independent of those before them, to the position problem's rows: those first that are
// preferred (NULL: none), drivers last, so that a motion that is prescribed twice or not free shows in them.
MbsStatus mbs_independent_set_choose_constraints(MbsContext *context, MbsIndependentSet *set, const MbsSparseRows *rows,
                                                 const bool *is_preferred, MbsRank *rank, int *count);
// Are there as many coordinates of the user's as freedoms, and does each add one to what the rank has taken?
MbsStatus mbs_independent_set_check_given(MbsContext *context, const MbsIndependentSet *set, const MbsState *state,
                                          MbsRank *rank, int freedom, MbsArena *scratch);
// What to say where there are not, and where one does not.
MbsStatus mbs_independent_set_misfit(MbsContext *context, const MbsSystem *system, int given, int freedom,
                                     const char *advice);
MbsStatus mbs_independent_set_adds_nothing(MbsContext *context, const char *name, MbsPlace place);
// dw/dq of independent coordinate i as a sparse row: returns the number of entries. At the state that signals are
// evaluated at (asserted).
int mbs_independent_set_gradient_row(const MbsIndependentSet *set, int i, const MbsState *state, int *column,
                                     double *value);

#endif
