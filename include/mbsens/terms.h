// The terms of the equations of motion, at any time, positions and velocities, with their derivatives: what a
// formulation, an integrator, an estimator or a controller of your own is made of.
//
//   f = M a + h + Phi_q' lambda - Q = 0          h: bias (relative coordinates), Q: applied forces, weight among them
//   Phi(t, q) = 0,   Phidot = Phi_q v + Phi_t,   Phiddot = Phi_q a - gamma
//
//   MbsTerms *terms;
//   mbs_terms_create(context, model, request, &terms);                coordinates and parameters of the request
//   mbs_terms_set_state(context, terms, t, n, q, v);
//   mbs_terms_vector(context, terms, MBS_TERMS_ACCELERATIONS, n, a);
//   mbs_terms_pattern(context, terms, MBS_TERMS_BALANCE, MBS_BY_ACCELERATIONS, &pattern);           the mass matrix,
//   once mbs_terms_matrix(context, terms, MBS_TERMS_BALANCE, MBS_BY_ACCELERATIONS, entries, values);     at every state
//
// Each of these vectors can be differentiated by each of these arguments: as a sparse matrix J (compressed columns, one
// pattern for all states), as J u and as J' w. After the first state nothing is allocated. Rows of nonholonomic
// constraints A v + b = 0 stand among the others: zero in Phi, A v + b in Phidot, d/dt (A v + b) in Phiddot, A for
// Phi_q. A constraint of a joint that does not act is zero everywhere. Signs, units and what the derivatives mean off
// the constraints: docs/c-api.md. One thread at a time.
#ifndef MBSENS_TERMS_H
#define MBSENS_TERMS_H

#include <mbsens/mbsens.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct MbsTerms MbsTerms;

// What is asked for. n: coordinates, m: constraints.
typedef enum MbsTermsVector {
  // of (t, q, v) and of accelerations a and multipliers lambda that the caller gives (mbs_terms_set_accelerations), or
  // else those of the motion
  MBS_TERMS_BALANCE,            // n: f
  MBS_TERMS_CONSTRAINT_FORCES,  // n: Phi_q' lambda; by positions: (Phi_q' lambda)_q
  MBS_TERMS_PHI,                // m
  MBS_TERMS_PHIDOT,             // m
  MBS_TERMS_PHIDDOT,            // m
  MBS_TERMS_CONSTRAINT_RATES,   // m: Phi_q w, w of mbs_terms_set_direction; by positions: (Phi_q w)_q
  MBS_TERMS_POINT,              // 2 or 3: where the point of mbs_terms_set_point is; by positions: its Jacobian
  // of the motion at (t, q, v): the solution of f = 0, Phiddot = 0, of redundant constraints the smallest multipliers
  MBS_TERMS_ACCELERATIONS,  // n
  MBS_TERMS_MULTIPLIERS,    // m
  MBS_TERMS_OUTPUTS,        // outputs of the model, and after them what setting columns asks for
  // of independent positions and velocities (mbs_terms_choose_independent), in the tangent space of the constraints
  MBS_TERMS_POSITIONS,                  // n: q
  MBS_TERMS_VELOCITIES,                 // n: v
  MBS_TERMS_INDEPENDENT_ACCELERATIONS,  // as many as independent velocities
  // values alone
  MBS_TERMS_INDEPENDENT_VELOCITIES,
  MBS_TERMS_FORCES,  // n: Q
  MBS_TERMS_BIAS,    // n: h, and what a moving ground asks of masses
  MBS_TERMS_PHI_T,   // m: Phi_t; of nonholonomic constraints b
  MBS_TERMS_GAMMA    // m
} MbsTermsVector;

// By what. Parameters are held while inputs vary, and so on. Of vectors of (t, q, v) both positions and velocities are
// held; of those of independent positions and velocities (the last group that has derivatives) these are.
typedef enum MbsTermsArgument {
  MBS_BY_POSITIONS,      // n
  MBS_BY_VELOCITIES,     // n
  MBS_BY_ACCELERATIONS,  // n: those given
  MBS_BY_MULTIPLIERS,    // m: those given
  MBS_BY_PARAMETERS,     // of the request, in its order
  MBS_BY_INPUTS,         // of the model
  MBS_BY_TIME,           // 1
  MBS_BY_INDEPENDENT_POSITIONS,
  MBS_BY_INDEPENDENT_VELOCITIES
} MbsTermsArgument;

// request: coordinates (natural, relative), what the recursion refers to, the tree, columns and
// parameters; formulation, integrator, method and steps do not matter. The model must outlive the terms. Inputs and
// variables have their values of the start; joints act as they do there.
MbsStatus mbs_terms_create(MbsContext *context, const MbsModel *model, const MbsRequest *request, MbsTerms **terms);
void mbs_terms_destroy(MbsTerms *terms);

// ---- sizes and names ----
int mbs_terms_size(const MbsTerms *terms, MbsTermsVector of);          // -1: there is no such vector
int mbs_terms_width(const MbsTerms *terms, MbsTermsArgument by);       // -1: there is no such argument
const char *const *mbs_terms_coordinate_names(const MbsTerms *terms);  // names, n
const char *const *mbs_terms_constraint_names(const MbsTerms *terms);  // names, m
const char *const *mbs_terms_parameter_names(const MbsTerms *terms);   // names
const char *const *mbs_terms_input_names(const MbsTerms *terms);       // names
const char *const *mbs_terms_output_names(const MbsTerms *terms);      // names
// Names of independent positions, and of independent velocities: a coordinate, or joint.rotation.x of a ball (or of a
// free body in relative coordinates), whose velocities are components of its angular velocity.
const char *const *mbs_terms_independent_position_names(const MbsTerms *terms);
const char *const *mbs_terms_independent_velocity_names(const MbsTerms *terms);

// ---- numbers in ----
// After parameters or inputs the state must be set anew. Inputs stay as they are until a start.
MbsStatus mbs_terms_set_parameters(MbsContext *context, MbsTerms *terms, int count, const double *values);
MbsStatus mbs_terms_set_inputs(MbsContext *context, MbsTerms *terms, int count, const double *values);
// The start of the model, assembled at t = 0: the state to begin with. Angles that count turns begin anew.
MbsStatus mbs_terms_start(MbsContext *context, MbsTerms *terms);
// Any state: it need not meet the constraints. Angles that count turns are those nearest to the state before.
MbsStatus mbs_terms_set_state(MbsContext *context, MbsTerms *terms, double t, int count, const double *position,
                              const double *velocity);
// The state that is set; arrays may be NULL.
MbsStatus mbs_terms_state(MbsContext *context, const MbsTerms *terms, double *t, int count, double *position,
                          double *velocity);
// Accelerations and multipliers for what depends on them, until another state is set. NULL: zeros.
MbsStatus mbs_terms_set_accelerations(MbsContext *context, MbsTerms *terms, int count, const double *accelerations,
                                      int multiplier_count, const double *multipliers);
// Those of the motion again.
MbsStatus mbs_terms_use_motion(MbsContext *context, MbsTerms *terms);
// w (n) of MBS_TERMS_CONSTRAINT_RATES; zeros at first.
MbsStatus mbs_terms_set_direction(MbsContext *context, MbsTerms *terms, int count, const double *direction);
// The point of MBS_TERMS_POINT: of a body, in its axes (2 or 3 numbers). Of a point mass only its origin; of a thin rod
// in space too.
MbsStatus mbs_terms_set_point(MbsContext *context, MbsTerms *terms, const char *body, int count, const double *local);
// Chooses independent positions and velocities that suit the present state. The start has done that.
MbsStatus mbs_terms_choose_independent(MbsContext *context, MbsTerms *terms);

// ---- numbers out ----
MbsStatus mbs_terms_vector(MbsContext *context, MbsTerms *terms, MbsTermsVector of, int count, double *values);
// J u (count of rows), and J' w (count of columns).
MbsStatus mbs_terms_product(MbsContext *context, MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by, int columns,
                            const double *u, int rows, double *product);
MbsStatus mbs_terms_product_transposed(MbsContext *context, MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by,
                                       int rows, const double *w, int columns, double *product);

// Compressed columns: entries column_start[k] ... column_start[k + 1] - 1 are of column k, in rows row[], ascending.
// Arrays belong to the terms; they stay the same for all states.
typedef struct MbsTermsPattern {
  int rows, columns, entries;
  const int *column_start;  // columns + 1
  const int *row;           // entries
} MbsTermsPattern;
MbsStatus mbs_terms_pattern(MbsContext *context, MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by,
                            MbsTermsPattern *pattern);
// Entries that are zero at this state are there too.
MbsStatus mbs_terms_matrix(MbsContext *context, MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by, int entries,
                           double *values);

// Kinetic and potential energy; any may be NULL. The potential is NaN where a force has no energy.
MbsStatus mbs_terms_energies(MbsContext *context, MbsTerms *terms, double *kinetic, double *potential);
// What each joint between points does to its second body in the motion: force x y z, torque x y z about its point
// there.
int mbs_terms_reaction_count(const MbsTerms *terms);
const char *const *mbs_terms_reaction_names(const MbsTerms *terms);                              // names
MbsStatus mbs_terms_reactions(MbsContext *context, MbsTerms *terms, int count, double *values);  // 6 of each

// The state of `from` in the coordinates of `to`, of the same model: natural, relative, or other trees. It is refused
// where the state of `from` is none that the joints of `to` allow.
MbsStatus mbs_terms_convert(MbsContext *context, MbsTerms *from, MbsTerms *to);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
