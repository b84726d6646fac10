// The terms: what every formulation is made of, whatever the coordinates.
//
// At a state (t, x, v, a, lambda) with parameters rho:
//
//   symbol    size  meaning                                             from
//   q         nq    coordinates: x (n free ones), then the fixed ones   state, system.fixed
//                   x: points and vectors, then scalars (see system.c)
//   f         n     M a + Phi_x' lambda + A' mu - Q                     mass.c row.c force.c
//   Phi       m     constraints                                         row.c
//   Phidot    m     Phi_x v + Phi_t                                     row.c
//   Phiddot   m     Phi_x a + (Phi_x v)_x v + ...                       row.c
//
// Rows may be nonholonomic, A v + b = 0 with A, b of (x, t, rho): they have no position level (Phi = 0), the row itself
// for Phidot, d/dt (A v + b) for Phiddot, and their multiplier mu among lambda. m counts all rows.
//
// Formulations combine them into one residual with weights k0, k1, k2, epsilon,
//
//   r = [ f ; e ],   e = k2 Phiddot + k1 Phidot + k0 Phi - epsilon lambda              size n + m
//        nonholonomic:  e = n2 d/dt (A v + b) + n1 (A v + b) - n_epsilon mu
//
//   index1:   k2 = 1 (and k1 = 2 xi omega, k0 = omega^2 with stabilisation), epsilon = 0
//   penalty:  the same with stabilisation, epsilon = 1/alpha: lambda = alpha (Phiddot + ...)
//             both: n2 = k2, n1 = k1, n_epsilon = epsilon
//   index3:   k0 = 1/(beta h^2) alone
//
// and the terms give, for that residual, by one pass over masses, rows and forces each:
//
//   r                                            mbs_terms_residual
//   c0 r_x + c1 r_v + c2 r_a and r_lambda        mbs_terms_tangent      assembled, for factorising
//   r_x X + r_v V + r_a A + r_lambda L + r_rho   mbs_terms_derivative   product with columns
//   r_x' u, r_v' u, r_a' u, r_lambda' u, and
//   u' r_c for every coefficient c               mbs_terms_transposed   product with the transpose
//
// and for the projections [P Phi_x'; Phi_x -epsilon], P = M - c1 Q_v - c0 Q_x (mbs_terms_projection_matrix), the
// derivative of P u and its transpose (mbs_terms_tangent_slopes, mbs_terms_tangent_transposed).
//
// For each body apart, what the points and vectors it shares exert on it: body_force.c.
//
// Behind these functions stands a table (MbsTermsTable) that a kind of coordinates implements:
//
//   natural coordinates   natural_terms.c, natural_matrix.c   sums over masses, constraints and forces
//   relative coordinates  src/tree                             recursion along a tree of joints, around the above
//
// and a system has one, chosen where it is created (tree/create_system.c). Whatever is a property of the bodies rather
// than of the coordinates (Phi, energy, points, signals: body_terms.c, signal_bank.c) is computed once for all, from
// where the bodies are: `system->bodies`, the system in natural coordinates (natural coordinates: the system itself),
// in the state mbs_system_follow.
//
// Systems are const once their parameters are set; what evaluations write is in their workspace (workspace.h). Signals
// are evaluated at a state by a call of its own (signal_bank.h), since most states need none; a debug build asserts
// wherever they are used that it was this state.
//
// No three-index array appears: second derivatives of Phi come contracted with lambda or v inside.
#ifndef MBS_TERMS_H
#define MBS_TERMS_H

#include <stdint.h>

#include "algebra/pattern.h"
#include "terms/coefficients.h"
#include "terms/linear_form.h"
#include "terms/signal_bank.h"
#include "terms/state.h"

struct MbsForceElement;
struct MbsBodyForces;
struct MbsDirectionColumn;
struct MbsExpressionRow;
struct MbsTree;
struct MbsSource;

typedef struct MbsWeights {
  mbs_scalar k0, k1, k2, epsilon;  // of the levels of holonomic constraints, and of their multipliers
  mbs_scalar n1, n2, n_epsilon;    // the same of nonholonomic ones, which have no position level
} MbsWeights;

// What takes part in a product with columns or with the transpose: everything is a formulation's residual, rows alone
// are what projections differentiate, and what remains is the balance of forces that multipliers must hold.
typedef enum MbsParts {
  MBS_PART_BALANCE = 1,  // M a - Q: masses and forces
  MBS_PART_ROWS = 2,     // Phi_x' lambda, and e
  MBS_PART_ALL = 3
} MbsParts;

// Coefficients of an assembled matrix: c0 r_x + c1 r_v + c2 r_a.
typedef struct MbsCombination {
  mbs_scalar c0, c1, c2;
} MbsCombination;

typedef enum MbsMatrixKind {
  MBS_MATRIX_TANGENT,
  MBS_MATRIX_APPROXIMATE,  // the tangent without what comes from the curvature of the constraints: P0 (10)
  MBS_MATRIX_PROJECTION,   // [P Phi_x'; Phi_x -epsilon], P = c2 M - c1 Q_v - c0 Q_x
  MBS_MATRIX_JACOBIAN      // the constraints' rows alone
} MbsMatrixKind;

// What a coordinate is measured in: a length, a plain number (angles, components of directions, Euler parameters), or
// what nobody said (the model's own coordinates).
typedef enum MbsUnit { MBS_UNIT_LENGTH, MBS_UNIT_NUMBER, MBS_UNIT_UNKNOWN } MbsUnit;

// One coordinate that moves a body: what its unit rate does to one of the body's points or vectors, and the body's
// angular velocity (in the plane its first component alone).
typedef struct MbsMover {
  int coordinate;
  mbs_scalar velocity[3], omega[3];
} MbsMover;

struct MbsSystem;

// The interface of terms.h's functions to coordinates of a kind. Arguments as there; of `system`, which has this table.
// A row of derivatives by the free coordinates: of a constraint, as in mbs_terms_jacobian, or of a function of
// positions.
typedef struct MbsKinematicRow {
  int constraint;
  const MbsFunction *function;  // NULL: that of the constraint
} MbsKinematicRow;
typedef struct MbsUnfolded MbsUnfolded;  // see mbs_system_unfold

typedef struct MbsTermsTable {
  bool has_sources;  // derivatives may come from perturbed elements (derivative_source.h)

  // the terms
  void (*residual)(const struct MbsSystem *system, const MbsState *state, const MbsWeights *weights, mbs_scalar *r,
                   double scale[2]);
  void (*cancelling)(const struct MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                     const mbs_scalar *r, double sizes[2]);
  void (*forces)(const struct MbsSystem *system, const MbsState *state, MbsParts parts, mbs_scalar *f);
  void (*columns)(const struct MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                  int count, const struct MbsDirectionColumn *directions, mbs_scalar *R);
  void (*transposed)(const struct MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                     const mbs_scalar *mu, const mbs_scalar *const nu[3], const MbsStateBar *bar);
  // values of mode.factored, and of a Jacobian those of mode.pattern
  void (*matrix)(const struct MbsSystem *system, MbsMatrixKind kind, const MbsState *state, const MbsWeights *weights,
                 const MbsCombination *c, mbs_scalar *values);
  void (*matrix_sizes)(const struct MbsSystem *system, const mbs_scalar *values, double *mass, double *longest);
  // of P u, with c0 and c1 of c; prepare: NULL where P is M alone
  MbsStatus (*prepare_slopes)(MbsContext *context, const struct MbsSystem *system);
  void (*slopes_columns)(const struct MbsSystem *system, const MbsState *state, const MbsCombination *c,
                         const mbs_scalar *u, const MbsColumns *columns, mbs_scalar *R);
  void (*slopes_transposed)(const struct MbsSystem *system, const MbsState *state, const MbsCombination *c,
                            const mbs_scalar *u, const mbs_scalar *mu, const MbsStateBar *bar);

  // the bodies: see mbs_system_follow, ..._take_columns, ..._begin_bar, ..._movers
  const MbsState *(*follow)(const struct MbsSystem *system, const MbsState *state);
  MbsColumns (*take_columns)(const struct MbsSystem *system, const MbsState *state, const MbsColumns *columns);
  MbsStateBar (*begin_bar)(const struct MbsSystem *system, const MbsStateBar *bar);
  void (*end_bar)(const struct MbsSystem *system, const MbsStateBar *bar);
  int (*movers)(const struct MbsSystem *system, int first, bool is_point, MbsMover *movers);
  MbsStatus (*add_form_pattern)(MbsContext *context, const struct MbsSystem *system, const MbsLinearForm *form, int row,
                                MbsPatternBuilder *builder);
  // see mbs_system_unfold; NULL where rows are short
  MbsStatus (*unfold)(MbsContext *context, MbsArena *scratch, const struct MbsSystem *system, int row_count,
                      const MbsKinematicRow *rows, MbsPattern *pattern, MbsUnfolded **unfolded);
  void (*fill_unfolded)(const struct MbsSystem *system, const MbsUnfolded *unfolded, const MbsState *state,
                        mbs_scalar *values);

  // room for products with so many columns at once
  MbsStatus (*widen)(MbsContext *context, struct MbsSystem *system, int columns);
  void (*guess)(const struct MbsSystem *system, mbs_scalar *q);  // the free coordinates where the assembly begins
  void (*measure)(const struct MbsSystem *system, const mbs_scalar *near, mbs_scalar *q);  // see mbs_system_measure
  int (*ball_of)(const struct MbsSystem *system, int coordinate);                          // see mbs_system_ball_of
  void (*forget)(const struct MbsSystem *system);  // what is known of a state: numbers of elements change
} MbsTermsTable;

// One body's mass matrix and weight on its entities, or the inertia of a user coordinate.
typedef struct MbsMass {
  bool is_scalar;    // its entities have one component each
  int count;         // of entities
  const int *first;  // first coordinate of each
  MbsBlock block;    // a, b of each pair (count x count), then the weight (count x dimension, scalars: count)
  const int *map;    // positions in the assembled matrix: per pair dimension (x dimension if it turns), scalars: one
  bool has_turn;     // some b is not structurally zero
  bool is_constant;  // all of the block are plain numbers: nothing to differentiate
} MbsMass;

// One constraint. Dot rows: A.B - c; coinciding rows: a component of A; expression rows: any function of positions,
// time and parameters, or a nonholonomic row.
typedef struct MbsRow {
  MbsRowKind kind;
  int index;             // among the rows of the mode
  bool is_nonholonomic;  // A v + b = 0: an expression row
  // Of a joint that events add or remove: whether it acts, 1 or 0, among the system's parameters; NULL: it always does.
  // A row that rests has e = -lambda and nothing else.
  const mbs_scalar *acts;
  int component;   // of a coinciding row
  bool is_square;  // A and B are one form
  MbsLinearForm A, B;
  MbsBlock block;  // c, then the coefficients of A and of B
  int count;       // entities of A and B together
  const int *first;
  const int *slot_A, *slot_B;           // of each term: which entity of the union
  const int *column_map;                // (q, lambda) entries: count x dimension
  const int *row_map;                   // (lambda, q) entries: count x dimension
  bool has_turn;                        // some b is not structurally zero
  const int *hessian_map;               // per pair of terms (A, B), see row.c
  int diagonal;                         // (lambda, lambda)
  struct MbsExpressionRow *expression;  // of an expression row, which uses none of the forms above
} MbsRow;

static inline bool mbs_row_rests(const MbsRow *row) { return row->acts && mbs_re(*row->acts) < 0.5; }

// The constraints and forces, with the sparsity that follows: of all of them, whether they act or rest.
typedef struct MbsMode {
  int row_count;
  MbsRow *rows;
  int force_count;
  struct MbsForceElement **forces;
  MbsPattern pattern;   // (n + m) square: [f_x or f_a, Phi_x'; e_x, -epsilon]
  MbsPattern factored;  // of the matrices that are factored: the same, or one with more unknowns (tree/tree_expanded.h)
} MbsMode;

// A point of a body, for output.
typedef struct MbsOutputPoint {
  const char *name;
  MbsLinearForm form;
} MbsOutputPoint;

// A vector that must not vanish. See condition.c.
typedef struct MbsCondition {
  const MbsConditionSpec *spec;
  const mbs_scalar *acts;  // of its joint, as of a row
  MbsFunction vector[3];
  double last[3], before[3];      // at the last accepted state and at the one before
  long broken_count;              // of one that only warns: at so many accepted states it did not hold,
  double broken_from, broken_to;  // the first and the last of them
} MbsCondition;

// Fixed coordinates that are functions of time. See moving_ground.c.
typedef struct MbsMovingGround {
  int count;
  const int *coordinate;    // among q
  const int *column_start;  // count + 1: of each, those of the columns that it depends on
  const int *column;
  MbsTape
      *tape;  // of each: q, v, a, and behind each of them its derivatives with respect to these columns; then deltas
  mbs_scalar *inputs, *outputs;
  const int *delta_start;  // count + 1: of each, the deltas of its tables,
  const int *delta;        // graph inputs, with derivatives of q, v, a each, the last outputs of the tape
} MbsMovingGround;

typedef struct MbsSystem {
  const MbsTermsTable *terms;  // of the coordinates that it is in
  struct MbsSystem *bodies;    // in natural coordinates, which has the elements: itself, or the tree's
  struct MbsTree *tree;  // what relative coordinates keep (tree/tree.h), for that folder alone; NULL: natural ones
  MbsArena *arena;
  MbsBlueprint *blueprint;
  int dimension;
  int n, nq, m;
  int first_scalar;                     // coordinates first_scalar ... n - 1 are user coordinates, of which
  int first_state;                      // first_state ... n - 1 are those of states of first order
  const int *entity_first;              // first coordinate of each entity
  const char *const *coordinate_names;  // nq
  const MbsUnit *units;                 // n
  int column_count;                     // parameters to differentiate with respect to
  int asked_count;                      // of these, the first ones that somebody asked for; the rest events need:
  int own_count;                        // variables, and as the last ones, not always in use, time and size of a step
  int carried_count;                    // of these, how many states carry along: all (direct) or none (adjoint)
  const int *columns;                   // parameter of each column
  const int *column_of_parameter;       // -1: not a column
  // Columns of a step by itself: the derivative of its new state with respect to its time, and to its size h at this
  // time, the old state as it is. -1: not asked for.
  int time_column, step_column;
  mbs_scalar *parameters;  // values of all parameters
  MbsCoefficients coefficients;
  int table_count;
  MbsBlock *tables;  // numbers of each table of the graph that depends on parameters (table_terms.c)
  int leaving_count;
  MbsTable **leaving;  // of all, those that can be left
  MbsBlock fixed;      // values of the fixed coordinates, nq - n
  MbsMovingGround moving;
  MbsBlock independents;  // value and velocity of each independent coordinate of the start
  int point_count;        // points to report
  MbsOutputPoint *points;
  MbsBlock point_block;
  int mass_count;
  MbsMass *masses;
  MbsMode mode;
  int condition_count;
  MbsCondition *conditions;
  MbsSignalBank signals;
  struct MbsBodyForces *cut;       // of the view that bodies cut free have of a system, else NULL
  MbsWorkspace *work;              // what evaluations leave, with stamps: workspace.h
  mbs_scalar *zeros;               // the longer of nq and m
  struct MbsSource *given_source;  // of derivatives other than the formulas (derivative_source.h), or NULL
  struct MbsSource *source;        // the same while derivatives are taken from there, else NULL
} MbsSystem;

// Coordinate k of the entity whose first one is `first`, where it is free and the entity's own; else -1.
static inline int mbs_system_free_component(const MbsSystem *system, int first, int k) {
  bool is_own = k == 0 || first < system->first_scalar || first >= system->n;
  return is_own && first + k < system->n ? first + k : -1;
}

// Is it that of a state of first order?
static inline bool mbs_system_is_state(const MbsSystem *system, int coordinate) {
  return coordinate >= system->first_state && coordinate < system->n;
}

// Of joints that events add or remove: which of them act, a bit each.
uint64_t mbs_system_acting(const MbsSystem *system);
// All of them; or those again that do at the start.
void mbs_system_let_all_act(MbsSystem *system, bool all);

// Where the bodies are: the state of system->bodies that belongs to a state. It stays until another one is followed.
const MbsState *mbs_system_follow(const MbsSystem *system, const MbsState *state);
// The columns of the bodies that belong to those of a state (X, V, A; others as they are), until others are taken.
MbsColumns mbs_system_take_columns(const MbsSystem *system, const MbsState *state, const MbsColumns *columns);
// For derivatives with respect to the bodies, at the state that was followed last: begin gives a bar of system->bodies
// to add to, end takes what was added to `bar`, that of the coordinates.
MbsStateBar mbs_system_begin_bar(const MbsSystem *system, const MbsStateBar *bar);
void mbs_system_end_bar(const MbsSystem *system, const MbsStateBar *bar);
// Relative coordinates: those that move the point or vector whose first coordinate among the bodies' is `first`, at the
// state that was followed last; returns how many. Natural ones have none but the bodies' own, and no such question.
int mbs_system_movers(const MbsSystem *system, int first, bool is_point, MbsMover *movers);
// The free coordinates of poses that mbs_placement_follow was given last; turns and the signs of Euler parameters are
// those nearest to the coordinates `near`.
void mbs_system_measure(const MbsSystem *system, const mbs_scalar *near, mbs_scalar *q);
// Is a coordinate one of the four Euler parameters of a ball? Then the first of them; else -1. And how the rate of the
// one with number k, of parameters p of unit length, turns the ball, seen from the frame that it turns in: 2 E_k(p).
int mbs_system_ball_of(const MbsSystem *system, int coordinate);
void mbs_system_ball_column(const mbs_scalar *p, int k, mbs_scalar e[3]);
// Adds the free coordinates that a form of the signal bank depends on to a row of a pattern.
MbsStatus mbs_system_add_form_pattern(MbsContext *context, const MbsSystem *system, const MbsLinearForm *form, int row,
                                      MbsPatternBuilder *builder);
// A square matrix of rows, where each of them has very many entries, with further unknowns (pattern->extra), so that it
// has few: its pattern, and its values at a state where signals are evaluated (asserted) added to zeros. The rows must
// live as long. *unfolded is NULL where it does not pay.
MbsStatus mbs_system_unfold(MbsContext *context, MbsArena *scratch, const MbsSystem *system, int row_count,
                            const MbsKinematicRow *rows, MbsPattern *pattern, MbsUnfolded **unfolded);
void mbs_system_fill_unfolded(const MbsSystem *system, const MbsUnfolded *unfolded, const MbsState *state,
                              mbs_scalar *values);

// Turns a completed blueprint into numbers. columns: parameters to differentiate with respect to; is_carried: by
// products with columns, and not only by transposed products; event: whose impulse has rows besides those of the
// motion, or NULL.
MbsStatus mbs_system_create(MbsContext *context, MbsArena *arena, MbsBlueprint *blueprint, int column_count,
                            const int *columns, bool is_carried, const MbsEventSpec *event, MbsSystem **system);
// Products with all columns, too, of a system that was created without.
MbsStatus mbs_system_allow_columns(MbsContext *context, MbsSystem *system);
// Relative coordinates: their recursion is about the bodies' centres of mass from now on, not the global origin.
MbsStatus mbs_system_refer_to_mass_centres(MbsContext *context, MbsSystem *system);
// Masses first, then constraints, then forces.
int mbs_system_element_count(const MbsSystem *system);
// One element alone takes part in all terms of the system, until all are joined again.
typedef struct MbsSystemElements {
  int mass_count, row_count, force_count;
  MbsMass *masses;
  MbsRow *rows;
  struct MbsForceElement **forces;
} MbsSystemElements;
MbsSystemElements mbs_system_isolate(MbsSystem *system, int element);
void mbs_system_rejoin(MbsSystem *system, const MbsSystemElements *all);
// Sets the parameters (all of them) and refreshes every coefficient.
void mbs_system_set_parameters(MbsSystem *system, const double *values);
// Some of them, hidden ones too; returns whether one is another.
bool mbs_system_change_parameters(MbsSystem *system, int count, const int *which, const mbs_scalar *values);
// The same with those of another system of the same blueprint.
void mbs_system_follow_parameters(const MbsSystem *from, MbsSystem *system);
// Values of all parameters, hidden ones too.
void mbs_system_set_all_parameters(MbsSystem *system, const double *values);
// Columns of time and size of a step that nobody asked for: are they in use?
void mbs_system_use_step_columns(MbsSystem *system, bool is_used);
static inline bool mbs_system_has_step_column(const MbsSystem *system) {
  return system->step_column >= 0 && system->step_column < system->column_count;
}
// Other values of what events set: all variables, then all branches (model/event.h).
void mbs_system_set_hidden(MbsSystem *system, const mbs_scalar *values);
// Of a system with the rows of an event: another rate that one of these asks for.
void mbs_system_set_target(MbsSystem *system, int parameter, mbs_scalar value);
static inline int mbs_system_hidden_count(const MbsSystem *system) {
  return system->blueprint->parameters.count - system->blueprint->variable_first;
}
// The same with parameter `index` perturbed by an imaginary `step` (complex build).
void mbs_system_perturb(MbsSystem *system, int index, double step);
// The same with all of them at once, by `step` times a direction, in place of what they were perturbed by.
void mbs_system_perturb_along(MbsSystem *system, const double *direction, double step);

// A table that was left since this was forgotten last, or NULL.
const MbsTable *mbs_tables_left(const MbsSystem *system);
void mbs_tables_forget_left(const MbsSystem *system);

// A state at the start of the assembly: guesses, zero velocities. Its numbers are one block that begins with q, in the
// order q, v, a, lambda, sigma, kappa, total: so many.
static inline int mbs_state_number_count(const MbsSystem *system) { return 3 * system->nq + 4 * system->m; }
MbsStatus mbs_state_create(MbsContext *context, const MbsSystem *system, MbsState *state);
// Columns of such a state, as many as are carried.
MbsStatus mbs_columns_create(MbsContext *context, const MbsSystem *system, MbsColumns *columns);
// What such a state may receive; and all of it zero again.
MbsStatus mbs_bar_create(MbsContext *context, const MbsSystem *system, MbsStateBar *bar);
void mbs_bar_clear(const MbsSystem *system, const MbsStateBar *bar);
void mbs_state_copy(const MbsSystem *system, const MbsState *from, MbsState *to);
// The largest coordinate: how large the mechanism is, or how far from the origin.
double mbs_state_size(const MbsSystem *system, const MbsState *state);
// Puts the fixed coordinates into q, and where they move, into v and a: after parameters or the time changed.
void mbs_state_place_fixed(const MbsSystem *system, MbsState *state);

// The columns of the fixed coordinates at time t (their rows of X, V and A alone).
void mbs_system_fixed_columns(const MbsSystem *system, mbs_scalar t, mbs_scalar *X, mbs_scalar *V, mbs_scalar *A);

// A condition of an element that does not hold at an accepted state (of evaluated signals: asserted), or NULL.
const MbsConditionSpec *mbs_conditions_accept(const MbsSystem *system, const MbsState *state, bool is_first);
// A condition that will hardly hold within the next two steps, if the vector goes on as it does; or NULL.
const MbsConditionSpec *mbs_conditions_suspect(const MbsSystem *system);

// The transpose: what the fixed coordinates of q, v and a have received goes to the coefficients and (of those that
// move) to the gradient, and is zero then.
void mbs_system_fixed_transposed(const MbsSystem *system, mbs_scalar t, const MbsStateBar *bar, mbs_scalar *gradient);

// Position, velocity, acceleration of an output point (each of the system's dimension).
void mbs_system_point(const MbsSystem *system, int point, const MbsState *state, mbs_scalar *r, mbs_scalar *v,
                      mbs_scalar *a);

// r (n + m). `scale`: the largest magnitude of a contribution to f and to e, against which the residual
// counts as small; may be NULL.
void mbs_terms_residual(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, mbs_scalar *r,
                        double scale[2]);
// How large the terms are that cancel within the contributions to f and to e, as the coordinates of two points do in
// their distance: rounding is relative to these, and no state of floating-point numbers has a residual far below that.
// Measured as `scale` is. r: the residual at this state.
void mbs_terms_cancelling(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                          const mbs_scalar *r, double sizes[2]);
// The same of the rate of a state of first order, whose coordinate this is; the above leave it out.
double mbs_terms_rate_cancelling(const MbsSystem *system, const MbsState *state, int coordinate);
// f of the parts alone (nq, fixed coordinates included)
void mbs_terms_forces(const MbsSystem *system, const MbsState *state, MbsParts parts, mbs_scalar *f);
// Is there a matrix in the coordinates themselves, so that mode.factored is mode.pattern? Not of trees that are solved
// along them, or with unknowns of the bodies' own: there mbs_terms_tangent is not to be called. Blueprints can ask for
// it (has_plain_matrix).
bool mbs_system_has_tangent(const MbsSystem *system);
// values: of mode.pattern, one more for the bin
void mbs_terms_tangent(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, mbs_scalar c0,
                       mbs_scalar c1, mbs_scalar c2, mbs_scalar *values);
// The same, or the approximate one, for factoring: values of mode.factored.
void mbs_terms_factorable(const MbsSystem *system, bool is_exact, const MbsState *state, const MbsWeights *weights,
                          mbs_scalar c0, mbs_scalar c1, mbs_scalar c2, mbs_scalar *values);
// The largest entries of its last values: of f_x, and of e_x.
void mbs_terms_factorable_sizes(const MbsSystem *system, const mbs_scalar *values, double *mass, double *longest);
// Phi_x, and A of nonholonomic rows, alone: the entries (lambda, x) of mode.pattern (others are of no use).
void mbs_terms_jacobian(const MbsSystem *system, const MbsState *state, bool with_nonholonomic, mbs_scalar *values);
// [P Phi_x'; Phi_x -epsilon], P = M - c1 Q_v - c0 Q_x, with nonholonomic rows beside the holonomic ones: values of
// mode.factored
void mbs_terms_projection_matrix(const MbsSystem *system, const MbsState *state, mbs_scalar c0, mbs_scalar c1,
                                 double epsilon, mbs_scalar *values);
// Adds r' for `count` columns to R (n + m each). X, V: nq each; A (nq each) and L (m each) may be NULL. The columns
// are those of the system where with_parameters, and plain directions else.
void mbs_terms_derivative(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, int count,
                          bool with_parameters, const mbs_scalar *X, const mbs_scalar *V, const mbs_scalar *A,
                          const mbs_scalar *L, mbs_scalar *R);
// r' along one direction, of some parts: R (n + m) is set. A may be NULL.
void mbs_terms_derivative_along(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                MbsParts parts, const mbs_scalar *X, const mbs_scalar *V, const mbs_scalar *A,
                                mbs_scalar *R);
// derivative of some parts, for the columns of the system.
void mbs_terms_derivative_of(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                             const MbsColumns *columns, mbs_scalar *R);
// Memory for the products with the derivative of P = M - c1 Q_v - c0 Q_x: once, before the first of them with c0 or c1.
MbsStatus mbs_terms_prepare_tangent_slopes(MbsContext *context, const MbsSystem *system);
// R += (P u)' for the columns of the system, u fixed (nq, zero for the fixed coordinates); X and V of `columns` alone
// are used, and with c0 = c1 = 0 none.
void mbs_terms_tangent_slopes(const MbsSystem *system, const MbsState *state, mbs_scalar c0, mbs_scalar c1,
                              const mbs_scalar *u, const MbsColumns *columns, mbs_scalar *R);
// The transposed product with u = (mu, nu), n and m: adds r_x' u to q and so on (q, v, a: nq, fixed coordinates
// included; lambda: m), u' r_c to every coefficient, and u' r_p to every parameter that expressions name themselves.
// No array of these may be NULL. Adjoints accumulate in this property space; mbs_system_chain turns it into columns
// once.
void mbs_terms_transposed(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, MbsParts parts,
                          const mbs_scalar *mu, const mbs_scalar *nu, const MbsStateBar *bar);
// The same with a nu for each level: S = mu.f + nu[0].k0 Phi + nu[1].k1 Phidot + nu[2].(k2 Phiddot - epsilon lambda).
// Not with derivatives from a source.
void mbs_terms_transposed_levels(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                 MbsParts parts, const mbs_scalar *mu, const mbs_scalar *const nu[3],
                                 const MbsStateBar *bar);
// The transpose of tangent_slopes: adds d(mu' P u) to q, v, coefficients and parameters; mu: n, u: nq
void mbs_terms_tangent_transposed(const MbsSystem *system, const MbsState *state, mbs_scalar c0, mbs_scalar c1,
                                  const mbs_scalar *u, const mbs_scalar *mu, const MbsStateBar *bar);
// gradient (columns) += d(coefficients)/drho' coefficients + parameters
void mbs_system_chain(const MbsSystem *system, const mbs_scalar *coefficients, const mbs_scalar *parameters,
                      mbs_scalar *gradient);
// Phi, Phidot, Phiddot (m each); any may be NULL.
void mbs_terms_constraints(const MbsSystem *system, const MbsState *state, mbs_scalar *Phi, mbs_scalar *Phidot,
                           mbs_scalar *Phiddot);
// Phi, Phidot, Phiddot of one constraint
void mbs_terms_constraint(const MbsSystem *system, int row, const MbsState *state, mbs_scalar level[3]);
// Kinetic and potential energy, and the power of the forces that have no potential, drivers (by `total`) among them.
typedef struct MbsEnergy {
  mbs_scalar kinetic, potential, power;
} MbsEnergy;
// Of evaluated signals, where forces have expressions: asserted.
void mbs_terms_energy(const MbsSystem *system, const MbsState *state, MbsEnergy *energy);
// The name of a force that is not a finite number at this state, or whose derivative is not; or NULL.
const char *mbs_terms_find_bad_force(const MbsSystem *system, const MbsState *state);
// The numerical error that says so, of this name; advice: how its sentence ends.
MbsStatus mbs_terms_say_bad_force(MbsContext *context, const MbsSystem *system, const MbsState *state, const char *name,
                                  const char *advice);
// What force i does to its ports, port_count x dimension, as plain numbers; whole turns as they were counted last.
void mbs_terms_force(const MbsSystem *system, const MbsState *state, int i, double *F);

#endif
