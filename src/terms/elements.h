// The elements the terms loop over. Each file adds its part to r, to the tangent and to the products;
// natural_terms.c walks over them. Private to terms/.
#ifndef MBS_ELEMENTS_H
#define MBS_ELEMENTS_H

#include "model/force.h"
#include "terms/entries.h"
#include "terms/terms.h"

typedef struct MbsForceElement MbsForceElement;

// Are forces, which do not depend on accelerations, part of it?
static inline bool mbs_has_tangent_of_forces(mbs_scalar c0, mbs_scalar c1) {
  return !mbs_is_zero(c0) || !mbs_is_zero(c1);
}

// A direction (column): perturbations of the state, and the column of the system, or -1.
typedef struct MbsDirectionColumn {
  int column;
  const mbs_scalar *X, *V;  // nq
  const mbs_scalar *A, *L;  // nq, m; may be NULL
} MbsDirectionColumn;

// The transposed product: with u = (mu, nu) and S = u' r, adds S_q, S_v, S_a, S_lambda, and the derivatives of S with
// respect to every coefficient and to every parameter that an expression names itself.
typedef struct MbsAdjoint {
  const mbs_scalar *mu;      // nq (zero for the fixed ones)
  const mbs_scalar *nu[3];   // m: of Phi, Phidot and Phiddot, which may be one; that of -epsilon lambda is the last
  mbs_scalar *q, *v, *a;     // nq
  mbs_scalar *lambda;        // m
  mbs_scalar *coefficients;  // by coefficient
  mbs_scalar *parameters;    // by parameter
} MbsAdjoint;

static inline void mbs_raise(double *largest, mbs_scalar value) {
  double magnitude = mbs_re(mbs_abs(value));
  if (magnitude > *largest) {
    *largest = magnitude;
  }
}

// ---- terms.c ----
// The system's directions are its columns of a state.
void mbs_terms_point_at(const MbsSystem *system, const MbsColumns *columns);

// ---- natural_terms.c ----
extern const MbsTermsTable mbs_natural_terms;
// f (nq, fixed coordinates too) and behind it e (m), until the next call; with_bodies: else without their masses.
const mbs_scalar *mbs_natural_accumulate(const MbsSystem *system, bool with_bodies, const MbsState *state,
                                         const MbsWeights *weights, double *scale);
// The terms without the masses of bodies.
void mbs_natural_light_residual(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                mbs_scalar *r, double scale[2]);
void mbs_natural_light_forces(const MbsSystem *system, const MbsState *state, MbsParts parts, mbs_scalar *f);
void mbs_natural_light_columns(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                               MbsParts parts, int count, const MbsDirectionColumn *directions, mbs_scalar *R);
void mbs_natural_light_transposed(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                                  MbsParts parts, const mbs_scalar *mu, const mbs_scalar *const nu[3],
                                  const MbsStateBar *bar);

// ---- natural_matrix.c ----
void mbs_natural_matrix(const MbsSystem *system, MbsMatrixKind kind, const MbsState *state, const MbsWeights *weights,
                        const MbsCombination *c, mbs_scalar *values);
// Raises the largest entries of f_x and of e_x: of any matrix with mode.pattern.
void mbs_natural_matrix_sizes(const MbsSystem *system, const mbs_scalar *values, double *mass, double *longest);

// ---- arguments.c: what expressions depend on ----
// Where an input of a tape comes from, and where its derivative goes.
typedef struct MbsInputPlace {
  MbsSignal signal;
  int argument;  // of position, velocity and acceleration signals: among the forms the element depends on
} MbsInputPlace;

// Forms with numbers; their coefficients go to nodes[used...], which becomes part of the element's block.
MbsStatus mbs_linear_forms_create(MbsContext *context, const MbsSystem *system, int count, const MbsForm *specs,
                                  MbsNode *nodes, int *used, MbsLinearForm *forms);
int mbs_forms_term_count(int count, const MbsForm *forms);
// The inputs of a tape and the distinct forms among them.
MbsStatus mbs_input_places(MbsContext *context, MbsSystem *system, const MbsTape *tape, MbsInputPlace **places,
                           int *form_count, MbsForm **forms);
// Their values, given those of the forms (dimension each) at q, v, a; a may be NULL where no acceleration is used.
void mbs_input_values(const MbsSystem *system, const MbsState *state, int count, const MbsInputPlace *places,
                      const mbs_scalar *y, const mbs_scalar *v, const mbs_scalar *a, mbs_scalar *values);
int mbs_terms_of_forms(int count, const MbsLinearForm *forms);
// The entries of one term's entity (rows) by another's, row by row: what is not free is outside the matrix.
MbsStatus mbs_place_block(const MbsEntries *entries, const MbsSystem *system, int left, int right, int *map);
// values[map] += T' G T for the terms T = a I + b J (left, right) of two forms; returns the map behind the entries used
const int *mbs_scatter_block(int d, const mbs_scalar *left_ab, const mbs_scalar *right_ab, const mbs_scalar *G,
                             int stride, const int *map, mbs_scalar *values);

// ---- body_force.c: what holds each body ----
// First coordinate of an entity where a body stands on it.
int mbs_system_coordinate(const MbsSystem *system, int body, int entity);
// After all elements and the signal bank, before the coefficients are finished. Nothing, where no signal needs it.
MbsStatus mbs_body_forces_create(MbsContext *context, MbsSystem *system);
void mbs_body_forces_evaluate(const MbsSystem *system, const MbsState *state);
// The value of a BODY_FORCE signal.
mbs_scalar mbs_body_force(const MbsSystem *system, const MbsSignal *signal);
// Their derivatives for all columns, at the state they were evaluated at (asserted); then that of a signal.
void mbs_body_forces_differentiate(const MbsSystem *system, const MbsState *state, const MbsColumns *columns);
mbs_scalar mbs_body_force_column(const MbsSystem *system, const MbsSignal *signal, int column);
// Weights of the next transposed product, which uses them up: of S = sum of weight times signal.
void mbs_body_force_weigh(const MbsSystem *system, const MbsSignal *signal, mbs_scalar weight);
// The gradient of S, at the state they were evaluated at (asserted), added to `bar`.
void mbs_body_forces_transposed(const MbsSystem *system, const MbsState *state, const MbsStateBar *bar);

// The elements of a system, or those that bodies cut free have (none, where no signal needs them).
typedef struct MbsElementSet {
  const MbsSystem *system;  // the one, or the view that the others have of it
  const int *source;        // of the view: coordinate in the whole system; NULL: the same
  int mass_count, row_count, force_count;
  const MbsMass *masses;
  const MbsRow *rows;
  MbsForceElement *const *forces;
} MbsElementSet;
MbsElementSet mbs_system_elements(const MbsSystem *system, bool is_cut);

// ---- table_terms.c ----
// Before all elements.
MbsStatus mbs_tables_create(MbsContext *context, MbsSystem *system);
// After the coefficients.
void mbs_tables_refresh(const MbsSystem *system);

// ---- moving_ground.c ----
// Takes the nodes that depend on time out of `fixed`.
MbsStatus mbs_moving_ground_create(MbsContext *context, MbsSystem *system, MbsNode *fixed);
void mbs_moving_ground_place(const MbsSystem *system, MbsState *state);

// ---- condition.c ----
MbsStatus mbs_conditions_create(MbsContext *context, MbsSystem *system);

// ---- mass.c ----
MbsStatus mbs_mass_create(MbsContext *context, MbsSystem *system, const MbsMassSpec *spec, MbsMass *mass);
MbsStatus mbs_mass_place(const MbsEntries *entries, const MbsSystem *system, MbsMass *mass);
void mbs_mass_residual(const MbsSystem *system, const MbsMass *mass, const MbsState *state, mbs_scalar *f,
                       double *scale);
void mbs_mass_tangent(const MbsSystem *system, const MbsMass *mass, mbs_scalar c2, mbs_scalar *values);
void mbs_mass_derivative(const MbsSystem *system, const MbsMass *mass, const MbsState *state,
                         const MbsDirectionColumn *direction, mbs_scalar *f);
void mbs_mass_transposed(const MbsSystem *system, const MbsMass *mass, const MbsState *state,
                         const MbsAdjoint *adjoint);
// Of that, what the coefficients receive.
void mbs_mass_coefficients_transposed(const MbsSystem *system, const MbsMass *mass, const MbsState *state,
                                      const mbs_scalar *mu, mbs_scalar *coefficients);
// f += dM/drho y for a column
void mbs_mass_slope_product(const MbsSystem *system, const MbsMass *mass, int column, const mbs_scalar *y,
                            mbs_scalar *f);
// coefficients += d(mu' M y)
void mbs_mass_coefficient_adjoint(const MbsSystem *system, const MbsMass *mass, const mbs_scalar *y,
                                  const mbs_scalar *mu, mbs_scalar *coefficients);
// adds 1/2 v' M v and -weight.q
void mbs_mass_energy(const MbsSystem *system, const MbsMass *mass, const MbsState *state, MbsEnergy *energy);

// ---- row.c ----
MbsStatus mbs_row_create(MbsContext *context, MbsSystem *system, const MbsRowSpec *spec, int index, MbsRow *row);
MbsStatus mbs_row_place(const MbsEntries *entries, const MbsSystem *system, MbsRow *row);
void mbs_row_residual(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                      mbs_scalar *f, mbs_scalar *e, double scale[2]);
// sizes[0], sizes[1] += what cancels within its part of f and of e: see mbs_terms_cancelling
void mbs_row_cancelling(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                        double sizes[2]);
void mbs_row_tangent(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                     const MbsCombination *c, mbs_scalar *values);
// for `count` directions; R: f (nq) and behind it e (m) of each, `stride` apart
void mbs_row_derivative(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                        int count, const MbsDirectionColumn *directions, mbs_scalar *R, int stride);
void mbs_row_transposed(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                        const MbsAdjoint *adjoint);
// Phi, Phidot, Phiddot, of which the first `count` are wanted
void mbs_row_levels(const MbsSystem *system, const MbsRow *row, const MbsState *state, int count, mbs_scalar level[3]);
// By the row's forms y (A, B; A alone of a square or coinciding row; or the arguments of an expression): g, and how the
// combination c0 e_x + c1 e_v + c2 e_a goes with Y, Y' and Y'' of tree_element_matrix.c; returns how many of these
// count. is_exact: else without the row's curvature.
int mbs_row_slopes(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                   const MbsCombination *c, bool is_exact, mbs_scalar *g, mbs_scalar *const slope[3]);
// result = scale g_y y, after the exact slopes; not of a coinciding row
void mbs_row_bend(const MbsSystem *system, const MbsRow *row, mbs_scalar scale, const mbs_scalar *y,
                  mbs_scalar *result);

// ---- expression_row.c, expression_row_evaluate.c: a constraint given by an expression ----
typedef struct MbsExpressionRow {
  int argument_count;
  MbsLinearForm *arguments;
  bool has_turn;
  MbsTape *residual_tape, *full_tape;  // the outputs up to level1_y; all
  MbsInputPlace *inputs;               // of both tapes
  mbs_scalar *input_values;
  int parameter_count;
  const int *parameters;            // named by the expression, and deltas of its tables: positions among the inputs
  mbs_scalar *y[3];                 // arguments at q, v, a: size each
  mbs_scalar *level;                // the outputs: the three levels,
  mbs_scalar *g, *level1_y;         // level1_y' and level1_y: size each,
  mbs_scalar *level2_y, *level2_v;  // level2_y and level2_y': size each,
  mbs_scalar *g_y;                  // size x size,
  mbs_scalar *by_parameter;         // the three levels' and g's derivatives: (3 + size) per parameter
  mbs_scalar *work[5];              // size each
  const int *column_map, *row_map, *hessian_map;
} MbsExpressionRow;

// arguments times dimension
int mbs_expression_row_size(const MbsSystem *system, const MbsExpressionRow *x);
MbsStatus mbs_expression_row_create(MbsContext *context, MbsSystem *system, const MbsRowSpec *spec, MbsRow *row);
MbsStatus mbs_expression_row_place(const MbsEntries *entries, const MbsSystem *system, const MbsRow *row);
void mbs_expression_row_residual(const MbsSystem *system, const MbsRow *row, const MbsState *state,
                                 const MbsWeights *weights, mbs_scalar *f, mbs_scalar *e, double scale[2]);
void mbs_expression_row_cancelling(const MbsSystem *system, const MbsRow *row, const MbsState *state,
                                   const MbsWeights *weights, double sizes[2]);
void mbs_expression_row_tangent(const MbsSystem *system, const MbsRow *row, const MbsState *state,
                                const MbsWeights *weights, const MbsCombination *c, mbs_scalar *values);
void mbs_expression_row_derivative(const MbsSystem *system, const MbsRow *row, const MbsState *state,
                                   const MbsWeights *weights, int count, const MbsDirectionColumn *directions,
                                   mbs_scalar *R, int stride);
void mbs_expression_row_transposed(const MbsSystem *system, const MbsRow *row, const MbsState *state,
                                   const MbsWeights *weights, const MbsAdjoint *adjoint);
// The expression with all derivatives at a state: its tables are looked up there.
void mbs_expression_row_look_up(const MbsSystem *system, const MbsRow *row, const MbsState *state);
void mbs_expression_row_levels(const MbsSystem *system, const MbsRow *row, const MbsState *state, mbs_scalar level[3]);
int mbs_expression_row_slopes(const MbsSystem *system, const MbsRow *row, const MbsState *state,
                              const MbsWeights *weights, const MbsCombination *c, bool is_exact, mbs_scalar *g,
                              mbs_scalar *const slope[3]);
// what a constraint that moves by itself does per time: lambda Phi_t, or mu b
mbs_scalar mbs_expression_row_power(const MbsSystem *system, const MbsRow *row, const MbsState *state);

// ---- force_element.c, force_evaluate.c, force_second.c ----
// Products with columns are made for so many at once, side by side, which compilers turn into vectors.
enum { MBS_FORCE_BLOCK = 4 };

// A vector F(y, v, c) on the ports of a force, with its derivatives; in force_second.c it depends on z = E_A u too, the
// arguments' forms of a fixed u.
typedef struct MbsForceSlopes {
  mbs_scalar *F;          // ports
  mbs_scalar *F_y, *F_v;  // ports x arguments
  mbs_scalar *F_c;        // ports x coefficients, or ports x inputs of the tape
  mbs_scalar *F_z;        // ports x arguments
  const mbs_scalar *u;    // nq
  mbs_scalar *z;          // arguments, and workspace for a block of z'; NULL: there is no z
} MbsForceSlopes;

// What is known of a force at the numbers it was evaluated at last.
typedef struct MbsForceMemory {
  bool has_value, has_slopes;
  uint64_t epoch;  // of the parameters there
} MbsForceMemory;

struct MbsForceElement {
  const char *name;
  bool is_rate;  // of a state of first order
  int port_count, argument_count;
  MbsLinearForm *ports, *arguments;
  MbsBlock block;  // kernel coefficients, then the forms of ports and arguments
  bool has_turn;   // some b of the forms is not structurally zero
  const MbsForceKernel *kernel;
  int coefficient_count;
  // by expressions
  MbsTape *value_tape, *full_tape, *energy_tape;  // F; F and F_input (ports x inputs of value_tape); V and V' (or NULL)
  MbsInputPlace *inputs;                          // of value_tape
  mbs_scalar *input_values, *outputs;
  int changing_count;
  const int *changing;  // inputs that columns change by themselves
  // workspace
  mbs_scalar *y, *v;              // arguments, or a block of columns of them
  mbs_scalar *F_bar;              // ports: adjoint of F
  mbs_scalar *G;                  // ports x arguments
  MbsForceSlopes slopes;          // of the force,
  MbsForceMemory *memory;         // which are those of:
  mbs_scalar *known;              // arguments (y, v) and coefficients of a kernel, or inputs of the tape
  struct MbsForceSecond *second;  // NULL: not prepared
  const int *map;                 // per port term and argument term: dimension x dimension positions
};

MbsStatus mbs_force_element_create(MbsContext *context, MbsSystem *system, const MbsForceSpec *spec,
                                   MbsForceElement **force);
MbsStatus mbs_force_element_place(const MbsEntries *entries, const MbsSystem *system, MbsForceElement *force);
void mbs_force_element_residual(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                mbs_scalar *f, double *scale);
double mbs_force_element_cancelling(const MbsSystem *system, const MbsForceElement *force, const MbsState *state);
void mbs_force_element_tangent(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                               const MbsCombination *c, mbs_scalar *values);
// for `count` directions; R: f of each, `stride` apart
void mbs_force_element_derivative(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                  int count, const MbsDirectionColumn *directions, mbs_scalar *R, int stride);
void mbs_force_element_transposed(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                  const MbsAdjoint *adjoint);
void mbs_force_element_energy(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                              mbs_scalar *potential, mbs_scalar *power);
// The force and its derivatives into its slopes, arguments into y and v.
void mbs_force_element_evaluate(const MbsSystem *system, const MbsForceElement *force, const MbsState *state);
// Row i of F_y, F_v and F_c of a force by expressions, from the derivatives of F_i by the inputs of its tape.
void mbs_force_element_put_row(const MbsSystem *system, const MbsForceElement *force, int i, const mbs_scalar *by_input,
                               const MbsForceSlopes *slopes);
// f' of f = -E_P' F for any such F, and the transpose: S = -(E_P mu).F
void mbs_force_slopes_columns(const MbsSystem *system, const MbsForceElement *force, const MbsForceSlopes *slopes,
                              const MbsState *state, int count, const MbsDirectionColumn *directions, mbs_scalar *R,
                              int stride);
void mbs_force_slopes_transposed(const MbsSystem *system, const MbsForceElement *force, const MbsForceSlopes *slopes,
                                 const MbsState *state, const MbsAdjoint *adjoint);
// Memory for the next two, once.
MbsStatus mbs_force_second_prepare(MbsContext *context, const MbsSystem *system, MbsForceElement *force);
// The derivative of K u, K = c0 f_x + c1 f_v of the force, u fixed (nq); and the transpose: S = mu.K u
void mbs_force_second_columns(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                              mbs_scalar c0, mbs_scalar c1, const mbs_scalar *u, int count,
                              const MbsDirectionColumn *directions, mbs_scalar *R, int stride);
void mbs_force_second_transposed(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                 mbs_scalar c0, mbs_scalar c1, const mbs_scalar *u, const MbsAdjoint *adjoint);
void mbs_force_element_value(const MbsSystem *system, const MbsForceElement *force, const MbsState *state, double *F);
bool mbs_force_element_is_finite(const MbsSystem *system, const MbsForceElement *force, const MbsState *state);
const char *mbs_force_element_name(const MbsForceElement *force);

// ---- system.c, for tree/create_system.c: a system in natural coordinates until coefficients end; the rest ----
MbsStatus mbs_natural_system_begin(MbsContext *context, MbsArena *arena, MbsBlueprint *blueprint, int column_count,
                                   const int *columns, bool is_carried, const MbsEventSpec *event, MbsSystem **result);
MbsStatus mbs_natural_system_finish(MbsContext *context, MbsSystem *system);

#endif
