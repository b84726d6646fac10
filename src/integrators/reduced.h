// Matrix R: a step of the independent coordinates z = w(q) alone (P3 sections 2.2 and 3.1, in natural coordinates).
//
// K = [Phi_q; w_q] holds positions. Velocities are held by Kv = [Phi_q; A; w_q of I]: nonholonomic rows A v + b = 0
// leave the rates of some of the independent coordinates independent (I), and the others follow (F). Without such rows
// both matrices are one and F is empty. With the integrator's hats (rule.h: z = zh + c0 s, z' = zh' + c1 s, s = z'')
// and the unknowns s, one for each independent coordinate, a step solves
//     E0   Phi(q) = 0,                           w(q) = z              K
//     E1   Phidot = 0,   A v + b = 0,            w' = z'   (I)         Kv
//     E2   Phiddot = 0,  d/dt (A v + b) = 0,     w'' = s   (I)         Kv
//     E3   M a + Phi_q' lambda + A' mu = Q                             Kv' y = M a - Q: lambda, mu = -y, and R' (M a -
//     Q) E4   w''(q, v, a) = s                                (F)         accelerations that follow move their
//     coordinates
// (the rates of F come from E1 alone; the rule gives their positions). Newton's iteration is on
//     rho(s) = R' (M a - Q) (I),  w'' - s (F),
// whose matrix has a column for each independent coordinate:
//     J = R' (f_q X + f_v V + M A),  K X = (0; c0 I),  Kv V = -(E1)_q X + (0; c1 I),  Kv A = -(E2)_q X - (E2)_v V + (0;
//     I);  in the rows of F the derivative of w'' - s.
//
// Where the rule has auxiliary accelerations u (generalised-alpha), those of z are carried as a whole vector g,
//     E5   Phiddot(q, v, g) = 0,  w''(q, v, g) = u = uh + cw s         K
// from which any other set finds its own: u = w''(q, v, g).
//
// The state that is handed on is the whole q, v, a (and g): hats are w, w', w'' of it. So the independent set may
// change between steps, and does where K or Kv loses quality; derivatives need no special care.
#ifndef MBS_REDUCED_H
#define MBS_REDUCED_H

#include "integrators/implicit.h"

typedef struct MbsReduced {
  MbsStepper base;
  MbsStepper *stepper;  // whose steps they are: its own one, or an explicit method's (explicit_reduced.c)
  MbsSystem *system;
  MbsArena *choosing;           // room for choosing sets
  MbsImplicit *implicit;        // for the start, the rule, the tolerance, the smallest multipliers, g and G
  int count, most;              // of independent coordinates: of the current set, and where the fewest joints act
  int set_count, set_capacity;  // of all there have been
  MbsIndependentSet **sets;     // with K and Kv of each
  double *growth;               // by set: the largest entry of R when it was chosen
  MbsSetChoice *choices;        // by set
  uint64_t *acting;             // by set: the joints that act where it was made (mbs_system_acting)
  int growth_capacity, choice_capacity, acting_capacity;
  double present_growth;        // of the current set; below 0: not known
  int current, next;            // set of the step that was made, and of the next one
  bool is_stuck;                // the last solution came to a halt at rounding above the tolerance
  MbsState old, accepted;       // before the step that was made, and after it
  mbs_scalar *old_g;            // nq: g before the step
  mbs_scalar *level[4];         // count: w, w', w'' of the state before the step, and w'' with g
  mbs_scalar *zh, *rateh, *uh;  // count: the hats
  mbs_scalar *s, *change;       // count: and by how much Newton's iteration has changed it last
  mbs_scalar *before[4];        // n: w', w'', u before the step, and s; where its size has a column, else NULL
  mbs_scalar *X, *V, *A;        // nq each, by independent coordinate: derivatives with respect to s
  mbs_scalar *tangent;          // of the system
  mbs_scalar *J;                // count x count, factored
  int *pivot;                   // of J
  mbs_scalar *rho, *y, *rhs;    // count; n + m; n + m
  mbs_scalar *r;                // n + m
  mbs_scalar *several;          // (n + m) x count
  mbs_scalar *levels;           // m
  mbs_scalar *Z[4];             // count x columns: derivatives of `level`, then of the hats
  mbs_scalar *R, *S;            // (n + m) x columns; count x columns
  MbsStateBar scratch;          // for products whose coefficients do not count
  mbs_scalar *p[6];             // n + m each: adjoint variables of E0 ... E3, of E4 (count), of E5
  // reduced_assembled.c
  mbs_scalar *by[3];      // of the system's pattern: f and E2 by q, v and a
  mbs_scalar *rate_by_q;  // the same: E1 by q, where there are nonholonomic rows
  int *below;             // n: the first entry of each column of the pattern that is a constraint's
  mbs_scalar *own[3];     // n x count: w'' of the user's coordinates by q, v, a; w' by q is half of the second
  mbs_scalar *P[3];       // (n + m) x count: p0, p1, p2 of each of (pi, p4)
  mbs_scalar *nu[3];      // m
  mbs_scalar *of_own;     // count
} MbsReduced;

// Owns `implicit` from now on.
MbsStatus mbs_reduced_create(MbsContext *context, MbsSystem *system, MbsImplicit *implicit, MbsStepper **stepper);

// As a part of a stepper: reduced_stepper.c. What it saves (the set of the next step, and how it was when it was
// chosen), the matrix that is watched, the solvers of its sets one after another, and their end.
enum { MBS_REDUCED_SAVE_SIZE = 3 };
void mbs_reduced_save(const MbsReduced *reduced, mbs_scalar *to);
void mbs_reduced_restore(MbsReduced *reduced, const mbs_scalar *from, const MbsState *state);
MbsSparseSolver *mbs_reduced_watched(const MbsReduced *reduced, mbs_scalar **values, int *power);
MbsSparseSolver *mbs_reduced_solver(const MbsReduced *reduced, int index);
void mbs_reduced_destroy_sets(const MbsReduced *reduced);

// After the start: its independent coordinates, chosen at this position; or those of the path that is followed.
MbsStatus mbs_reduced_start(MbsContext *context, MbsReduced *reduced, const MbsPath *followed, const MbsState *state);
// One step, to the time in the state.
MbsStatus mbs_reduced_step(MbsContext *context, MbsReduced *reduced, MbsStep *step, MbsState *state);
// The next set: one that suits the state, which may have been in use before. freedom: that there must be, or -1.
MbsStatus mbs_reduced_choose_set(MbsContext *context, MbsReduced *reduced, const MbsState *state, bool is_automatic,
                                 int freedom);
// After a step, by the factors that it has left: another set where this one comes to lose the motion and another does
// not.
MbsStatus mbs_reduced_choose_next(MbsContext *context, MbsReduced *reduced, const MbsState *state);
// Steps go on from this state (and g).
void mbs_reduced_resume(MbsReduced *reduced, const MbsState *state);

// The derivative of the step (P3 (37)-(61) with the factors of K and Kv for everything).
MbsStatus mbs_reduced_step_derivative(MbsContext *context, MbsReduced *reduced, mbs_scalar h, const MbsState *state,
                                      const MbsColumns *columns);

// The transpose. `hats`: what the next step's hats received of w, w', w'' and w'' with g (count each), and behind them
// what g has received (nq, from 4 n on). handle_hats takes the former to the state and to g; step_transposed leaves
// those of this step there (and nothing in q, v, a of `bar`). is_prepared: the transpose is, at this state.
static inline int mbs_reduced_hat_size(const MbsSystem *system) { return 4 * system->n + system->nq; }
static inline mbs_scalar *mbs_reduced_bar_of_g(const MbsReduced *reduced, mbs_scalar *hats) {
  return hats + 4 * reduced->system->n;
}
void mbs_reduced_handle_hats(const MbsReduced *reduced, int set, bool is_prepared, const MbsState *state,
                             const MbsStateBar *bar, mbs_scalar *hats);
// Signals are evaluated at the state (asserted).
MbsStatus mbs_reduced_prepare_transposed(MbsContext *context, MbsReduced *reduced, const MbsStep *step,
                                         const MbsState *state);
void mbs_reduced_step_transposed(MbsReduced *reduced, mbs_scalar h, const MbsState *state, const MbsStateBar *bar,
                                 mbs_scalar *hats);

// The same at one instant alone, E0 ... E3 with z = zh + c0 s, z' = zh' + c1 s for these coordinates: from the
// derivatives of a number with respect to the state and to s (NULL: zero) to those with respect to zh and zh'.
MbsStatus mbs_reduced_prepare_instant(MbsContext *context, MbsReduced *reduced, int set, mbs_scalar c0, mbs_scalar c1,
                                      const MbsState *state);
void mbs_reduced_instant_transposed(MbsReduced *reduced, mbs_scalar c0, mbs_scalar c1, const MbsState *state,
                                    const MbsStateBar *bar, const mbs_scalar *s, mbs_scalar *z, mbs_scalar *rate);

// ---- shared by the files of reduced ----
// reduced_newton.c: s, and with it the new state, from old and g; at first the state's a and lambda are predictions.
// is_careful: a correction that makes rho larger is taken back in part
MbsStatus mbs_reduced_solve(MbsContext *context, MbsReduced *reduced, const MbsRuleStep *k, bool is_careful,
                            MbsState *state);
// the state with g for its accelerations; g's fixed coordinates are those of the state
MbsState mbs_reduced_auxiliary(const MbsReduced *reduced, const MbsState *state, mbs_scalar *g);
// w, w' or w'' of independent coordinate i; signals are evaluated at the state (asserted)
mbs_scalar mbs_reduced_level(const MbsIndependentSet *set, int i, int level, const MbsState *state);
// q, v or a (level 0, 1, 2) of the state less K^-1 of what is left of the rows of one level; w, w' or w'' should be
// hat (NULL: 0) + c s. Returns the largest change, but of states of first order.
double mbs_reduced_correct(MbsReduced *reduced, const MbsProblem *problem, int level, const mbs_scalar *hat,
                           mbs_scalar c, const MbsState *state);
// its function, of a set that is not automatic
const MbsFunction *mbs_reduced_function(const MbsIndependentSet *set, int i, int level);

// reduced_matrices.c: K, Kv and J at the state, whose signals are evaluated, factored. quickly: J up to the order of
// h^2, which serves Newton (not of open trees, whose matrix is not assembled).
MbsStatus mbs_reduced_factor(MbsContext *context, MbsReduced *reduced, const MbsRuleStep *k, const MbsState *state,
                             bool quickly);
// reduced_assembled.c: are elements evaluated into matrices once, and not with each product? Not of open trees, nor
// where derivatives are taken from a source
bool mbs_reduced_is_assembled(const MbsReduced *reduced);
// the matrices at a state whose signals are evaluated
void mbs_reduced_assemble(const MbsReduced *reduced, const MbsState *state);
// J of them, and X, V, A; K and Kv are factored
bool mbs_reduced_factor_assembled(MbsReduced *reduced, const MbsRuleStep *k);
// for the way back: J, and P
bool mbs_reduced_factor_transposed(MbsReduced *reduced, mbs_scalar c0, mbs_scalar c1);
// p0 ... p4, from p3 and p4 with (pi, p4) = 0; `bar`: what q, v, a have received, which is used up
void mbs_reduced_find_variables(MbsReduced *reduced, mbs_scalar c0, mbs_scalar c1, const mbs_scalar *s,
                                const MbsStateBar *bar);
// adds -p.E of all equations but E5, transposed
void mbs_reduced_subtract_equations(MbsReduced *reduced, const MbsState *state, const MbsStateBar *bar);

// reduced_derivative.c: columns of w, w' or w'' of every independent coordinate, to Z (count x columns); signals are
// evaluated at the state (asserted)
void mbs_reduced_columns_of(const MbsReduced *reduced, int level, const MbsState *state, const MbsColumns *columns,
                            mbs_scalar *Z);
// the columns of q, v or a (level 0, 1, 2): K y' = -(rows' at y' = 0), and of w's rows what `hat` (NULL: 0) gives less
// the same; a of the state and A of the columns may be g and G
void mbs_reduced_solve_columns(MbsReduced *reduced, const MbsProblem *problem, int level, const mbs_scalar *hat,
                               const MbsState *state, const MbsColumns *columns);

// reduced_transposed.c: what s receives, by independent coordinate
mbs_scalar mbs_reduced_of_s(const MbsReduced *reduced, mbs_scalar c0, mbs_scalar c1, mbs_scalar *const p[3],
                            const mbs_scalar *p4, int i);
// p of a problem: K' p = b
void mbs_reduced_solve_transposed(const MbsReduced *reduced, const MbsProblem *problem, const mbs_scalar *b,
                                  mbs_scalar *p);
// adds -p.E: the rows of a problem at one level, transposed; what its own unknown receives is K' p and does not count
void mbs_reduced_subtract_level(MbsReduced *reduced, const MbsProblem *problem, int level, const mbs_scalar *p,
                                const MbsState *state, const MbsStateBar *bar);
// adds -p w_level of independent coordinate i, transposed; after its function was evaluated
void mbs_reduced_subtract_own(const MbsReduced *reduced, int i, int level, mbs_scalar p, const MbsState *state,
                              const MbsStateBar *bar);
// the derivatives of w' or w'' of a coordinate of the user's, in q, v and a of the scratch
const MbsStateBar *mbs_reduced_gradient(const MbsReduced *reduced, const MbsIndependentSet *set, int i, int level,
                                        const MbsState *state);
// those of w'' of all of the user's coordinates into `own`
void mbs_reduced_find_own(const MbsReduced *reduced, const MbsState *state);
// The derivative of w' or w'' of an independent coordinate along a direction, from `own`: (w')_q is half of (w'')_v,
// and (w')_v is (w'')_a.
mbs_scalar mbs_reduced_along(const MbsReduced *reduced, int i, int level, const mbs_scalar *X, const mbs_scalar *V,
                             const mbs_scalar *A);
// the largest entry of R of a set whose matrices are factored
double mbs_reduced_growth(const MbsReduced *reduced, const MbsIndependentSet *set);
// that, or the force that is not a finite number
MbsStatus mbs_reduced_singular(MbsContext *context, const MbsSystem *system, const MbsState *state);

// the set that steps are made in
static inline void mbs_reduced_use(MbsReduced *reduced, int set) {
  reduced->current = set;
  reduced->count = reduced->sets[set]->count;
}

static inline int mbs_reduced_row(const MbsIndependentSet *set, int i) {
  return set->position.row_count - set->count + i;  // of w_i in K
}

#endif
