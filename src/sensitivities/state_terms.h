// What stands behind mbsens/terms.h: a simulation of the model with ali3p that never makes a step. Its equations of an
// instant (implicit.h) give the accelerations, with derivative and transpose; everything else are the terms themselves.
//
// Each vector y(t, q, v, a, lambda; rho) has two products, from which all else follows:
//     push    y' = y_q q' + y_v v' + y_a a' + y_lambda lambda' + y_rho rho'
//     pull    from yb to qb += y_q' yb, vb += ..., ab, lambdab, rhob                    (a b behind a symbol: its bar)
// The system's columns are, in this order: a direction of the caller's (which is the column of the size of a step, as
// nothing depends on it at an instant), time, the parameters, and the variables of the model with its inputs.
#ifndef MBS_STATE_TERMS_H
#define MBS_STATE_TERMS_H

#include <mbsens/terms.h>

#include "integrators/implicit.h"
#include "sensitivities/selection.h"
#include "simulation/simulation.h"

enum { MBS_COLUMN_SEED, MBS_COLUMN_TIME, MBS_COLUMN_PARAMETERS };
enum { MBS_TERMS_VECTORS = MBS_TERMS_GAMMA + 1, MBS_TERMS_ARGUMENTS = MBS_BY_INDEPENDENT_VELOCITIES + 1 };

// What the push begins with, or what a pull has received. NULL in a push: zero.
typedef struct MbsSeeds {
  double *q, *v, *a;  // nq
  double *lambda;     // m
  double *columns;    // of the system: time, parameters, variables
  double *y, *u;      // independent positions and velocities
} MbsSeeds;

// The pattern of a matrix, and which of its columns may be found together since no row has two of them.
typedef struct MbsColouring {
  bool is_known;
  MbsTermsPattern pattern;
  int colour_count;
  const int *colour;  // columns
} MbsColouring;

// Angular velocities of balls: three rows in the place of up to four Euler parameters. state_freedoms_bridge.c
typedef struct MbsFreedom {
  const char *name;
  int coordinate;  // its rate; or the first Euler parameter of a ball,
  int rotation;    // of which this component of 2 E(p) p'; -1: a plain coordinate
} MbsFreedom;

// One level, positions or velocities: the rows of K x = b (independent_set.h), forms B that are wanted in the place of
// some of its plain coordinates, and C = B K^-1 [0; I], which turns one into the other.
typedef struct MbsFreedoms {
  int count;
  const char **names;
  MbsFreedom *forms;
  const MbsProblem *problem;
  const int *row;  // count: of the problem, that of the plain coordinate
  bool is_plain;   // the forms are the plain coordinates
  double *C;       // count x count, factored
  int *pivot;
} MbsFreedoms;

struct MbsTerms {
  MbsArena *arena;
  const MbsModel *model;
  MbsSelection selection;
  double *all, *tried;  // values of all parameters; those to come
  MbsSimulation *simulation;
  MbsSystem *system;
  MbsImplicit *implicit;
  int n, nq, m, columns;
  const char **constraint_names, **input_names, **output_names;
  int output_count;  // those of the caller: frames of bodies are there besides,
  int *output;       // which of all they are
  double *inputs;    // those of the caller,
  bool has_inputs;   // if there are any

  bool has_state;     // a state is set; and it was one that could be
  bool is_solved;     // simulation->state has the accelerations and multipliers of the motion
  bool is_given;      // `at` has those of the caller
  bool is_factored;   // K of the freedoms
  MbsState at;        // where the terms are evaluated
  MbsState moved;     // the same with other velocities
  double *direction;  // nq: w

  int body;         // of the point
  double local[3];  // the point
  int *frame;       // by body: its first function among the outputs; -1: it has none

  double *r, *rest;        // n + m
  double *R, *R_rest;      // (n + m) x columns
  double *Y;               // (longest vector) x columns
  double *mu, *nu;         // nq, m
  double *bodies_f[3];     // nq of the bodies' system: forces; the last one is zeros
  MbsStateBar bar;         // with a gradient of its own
  MbsSeeds seeds, pulled;  // with room for all
  double *vector;          // the longest vector
  double *weights;         // functions: outputs and frames

  MbsIndependentSet *set;
  MbsFreedoms freedoms[2];  // of positions and of velocities
  double *right;            // of the problems: their rows
  double *forms, *targets;  // n
  double *rows;             // m

  MbsColouring colourings[MBS_TERMS_VECTORS][MBS_TERMS_ARGUMENTS];
  MbsReactions reactions;
};

// ---- the state: state_terms_bridge.c ----
// Checks of what a caller gives.
MbsStatus mbs_state_terms_need(MbsContext *context, const MbsTerms *terms);  // is there a state?
MbsStatus mbs_state_terms_check_pair(MbsContext *context, const MbsTerms *terms, MbsTermsVector of,
                                     MbsTermsArgument by);
MbsStatus mbs_state_terms_check_count(MbsContext *context, const char *what, int count, int expected);
MbsStatus mbs_state_terms_check_finite(MbsContext *context, const char *what, int count, const double *numbers);
// What came out: are these numbers?
MbsStatus mbs_state_terms_check_result(MbsContext *context, const MbsTerms *terms, int count, const double *numbers);
MbsStatus mbs_state_terms_start(MbsContext *context, MbsTerms *terms);
MbsStatus mbs_state_terms_set(MbsContext *context, MbsTerms *terms, double t, const double *position,
                              const double *velocity);
// The accelerations and multipliers of the motion, unless they are known.
MbsStatus mbs_state_terms_solve(MbsContext *context, MbsTerms *terms);
// Accelerations and multipliers of `at`: those given, or those of the motion.
MbsStatus mbs_state_terms_complete(MbsContext *context, MbsTerms *terms);
// Is it a vector of the caller's accelerations; of the motion; of the independent coordinates?
static inline bool mbs_vector_is_given(MbsTermsVector of) { return of <= MBS_TERMS_POINT; }
static inline bool mbs_vector_is_tangent(MbsTermsVector of) {
  return of >= MBS_TERMS_POSITIONS && of <= MBS_TERMS_INDEPENDENT_ACCELERATIONS;
}

// ---- values: state_values_bridge.c ----
// `at` with other free velocities and accelerations; NULL: zero
const MbsState *mbs_state_terms_move(MbsTerms *terms, const double *v, const double *a);
// Adds how the functions of the body's frame make a component of the point, or its change.
void mbs_state_terms_weigh_point(const MbsTerms *terms, int component, bool is_slope, double *weights);

// ---- products: state_products_bridge.c ----
// y += y_of(...) of the seeds; the seeds may be changed where the vector is one of the tangent space.
MbsStatus mbs_state_terms_push(MbsContext *context, MbsTerms *terms, MbsTermsVector of, const MbsSeeds *seeds,
                               double *y);
// Into terms->pulled, which is cleared first.
MbsStatus mbs_state_terms_pull(MbsContext *context, MbsTerms *terms, MbsTermsVector of, const double *w);
// Adds to it; not of vectors of the tangent space.
MbsStatus mbs_state_terms_pull_more(MbsContext *context, MbsTerms *terms, MbsTermsVector of, const double *w);
void mbs_state_terms_clear_seeds(const MbsTerms *terms, const MbsSeeds *seeds);
// The part of the seeds that an argument is.
double *mbs_state_terms_part(const MbsTerms *terms, const MbsSeeds *seeds, MbsTermsArgument by);
// y by all columns of the system, into terms->Y, column by column; not of vectors of the tangent space.
MbsStatus mbs_state_terms_all_columns(MbsContext *context, MbsTerms *terms, MbsTermsVector of);

// ---- independent coordinates: state_freedoms_bridge.c ----
MbsStatus mbs_state_terms_choose(MbsContext *context, MbsTerms *terms);
// q and v of the seeds from y, u and columns of the seeds; and the transpose: what q and v have received (used up) goes
// to y, u and columns.
MbsStatus mbs_state_terms_lift(MbsContext *context, MbsTerms *terms, const MbsSeeds *seeds);
MbsStatus mbs_state_terms_lower(MbsContext *context, MbsTerms *terms, const MbsSeeds *pulled);
// The independent velocities, or accelerations, of v or a at p (level 1: also of changes), and the transpose.
void mbs_freedoms_apply(const MbsFreedoms *freedoms, const double *p, const double *rate, double *forms);
void mbs_freedoms_apply_transposed(const MbsFreedoms *freedoms, const double *p, const double *forms, double *rate);
// forms += the same with p changed by dp; transposed: dp += ...
void mbs_freedoms_turn(const MbsFreedoms *freedoms, const double *dp, const double *rate, double *forms);
void mbs_freedoms_turn_transposed(const MbsFreedoms *freedoms, const double *rate, const double *forms, double *dp);

#endif
