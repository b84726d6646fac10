// Derivatives of the terms from elsewhere than the written formulas (P4 compares the three): by perturbing each
// element.
//
// Of one element (a mass, a row, a force) f on the coordinates it touches and e of its row are functions of its
// arguments x: q, v, a of these coordinates, its multiplier, the coefficients of its block, the parameters its
// expressions name. A second system made from the same model perturbs one argument after the other and gives the slopes
//     J = d(f, e)/dx     complex step, in the complex twin (automatic); central differences, in double (numerical)
// and the products of terms.h follow as sums over elements: columns J x', transposed J' (mu, nu), and the tangent. So
// do the slopes of expressions, whose tapes are perturbed input by input: coefficients by parameters, moving ground
// points, independent coordinates, objectives.
//
// Only what is differentiated changes its source: Newton's iteration and the projections use the written formulas, so
// that the motion is the same to the last bit (mbs_system_take_derivatives says when sensitivities begin and end). The
// matrices that sensitivities are solved with come from the source too.
#ifndef MBS_DERIVATIVE_SOURCE_H
#define MBS_DERIVATIVE_SOURCE_H

#include "terms/terms.h"

struct MbsAdjoint;
struct MbsDirectionColumn;

// ---- what crosses over to the perturbed system: no scalar of a build ----
typedef enum MbsElementKind { MBS_ELEMENT_MASS, MBS_ELEMENT_ROW, MBS_ELEMENT_FORCE } MbsElementKind;

typedef enum MbsArgumentKind {
  MBS_ARGUMENT_Q,  // index: among the coordinates of the element
  MBS_ARGUMENT_V,
  MBS_ARGUMENT_A,
  MBS_ARGUMENT_LAMBDA,
  MBS_ARGUMENT_COEFFICIENT,  // index: in the element's block
  MBS_ARGUMENT_PARAMETER,    // index: parameter
  MBS_ARGUMENT_TABLE         // index: delta of a table (expressions/table.h)
} MbsArgumentKind;

typedef struct MbsArgument {
  MbsArgumentKind kind;
  int index;
  double step;  // of the differences
} MbsArgument;

// MbsWeights as doubles, in whatever build.
typedef struct MbsPlainWeights {
  double k0, k1, k2, epsilon, n1, n2, n_epsilon;
} MbsPlainWeights;

static inline MbsPlainWeights mbs_weights_plain(const MbsWeights *weights) {
  return (MbsPlainWeights){.k0 = mbs_re(weights->k0),
                           .k1 = mbs_re(weights->k1),
                           .k2 = mbs_re(weights->k2),
                           .epsilon = mbs_re(weights->epsilon),
                           .n1 = mbs_re(weights->n1),
                           .n2 = mbs_re(weights->n2),
                           .n_epsilon = mbs_re(weights->n_epsilon)};
}

static inline MbsWeights mbs_weights_from(const MbsPlainWeights *plain) {
  return (MbsWeights){.k0 = plain->k0,
                      .k1 = plain->k1,
                      .k2 = plain->k2,
                      .epsilon = plain->epsilon,
                      .n1 = plain->n1,
                      .n2 = plain->n2,
                      .n_epsilon = plain->n_epsilon};
}

// An element, where it is, and with respect to what it is differentiated.
typedef struct MbsElementPoint {
  MbsElementKind kind;
  int index;    // among those of its kind
  bool is_cut;  // of bodies cut free (body_force.c)
  int coordinate_count;
  const int *coordinates;
  double t, lambda;
  const double *q, *v, *a;  // coordinate_count each
  const double *turns;
  MbsPlainWeights weights;
  const double *u;  // coordinate_count; NULL: f and e themselves, else (c2 f_a + c1 f_v + c0 f_q) u with c2 = 1
  double c0, c1;
  int argument_count;
  const MbsArgument *arguments;
} MbsElementPoint;

struct MbsPerturbedTerms;

typedef struct MbsSlopeFunctions {
  // slopes: argument_count x (coordinate_count + 1), f on the coordinates and then e
  void (*element)(struct MbsPerturbedTerms *terms, const MbsElementPoint *point, double *slopes);
  // d(outputs)/d(input) of the first outputs of a tape; workspace: 2 x its registers
  void (*tape)(const MbsTape *tape, const double *inputs, int input, double step, double *workspace, int output_count,
               double *slopes);
  // other values of all parameters, hidden ones too
  void (*follow)(struct MbsPerturbedTerms *terms, const double *parameters);
} MbsSlopeFunctions;

// ---- the perturbed system (perturbed_terms.c) ----
// Of a system with its parameters set, which is for this alone and goes with it. (mbs_twin_..., mbs_complex_...: see
// cmake/twin_entry_points.txt.)
MbsStatus mbs_perturbed_terms_create(MbsContext *context, MbsSystem *system, struct MbsPerturbedTerms **terms);
void mbs_twin_terms_destroy(struct MbsPerturbedTerms *terms);
void mbs_complex_terms_destroy(struct MbsPerturbedTerms *terms);
void mbs_twin_terms_element(struct MbsPerturbedTerms *terms, const MbsElementPoint *point, double *slopes);
void mbs_complex_terms_element(struct MbsPerturbedTerms *terms, const MbsElementPoint *point, double *slopes);
void mbs_twin_terms_follow(struct MbsPerturbedTerms *terms, const double *parameters);
void mbs_complex_terms_follow(struct MbsPerturbedTerms *terms, const double *parameters);

// ---- the system that asks (derivative_source.c) ----
// Once, after the parameters are set: from now on derivatives may be taken from there. `terms` must outlive the system.
MbsStatus mbs_system_give_source(MbsContext *context, MbsSystem *system, const MbsSlopeFunctions *functions,
                                 struct MbsPerturbedTerms *terms);
// The system has other values of parameters: so has the source from now on, and its slopes are found anew.
void mbs_source_follow(MbsSystem *system);
// From where derivatives are taken until the next call: from the source that was given (if any), or from the formulas.
void mbs_system_take_derivatives(MbsSystem *system, bool from_source);

// Memory for the tape of a function that is made later.
MbsStatus mbs_source_reserve(MbsContext *context, const MbsSystem *system, int inputs, int registers, int outputs);
// The slopes of a coefficient, ground point or function: d(outputs)/d(input) of the first outputs of a tape at
// `inputs`. scale: what the input is at least compared with, or 0. The result stays until the next call.
const double *mbs_source_tape(const MbsSystem *system, const MbsTape *tape, const mbs_scalar *inputs, int input,
                              double scale, int output_count);

// ---- products (derivative_products.c), with the arguments of their like in terms.c; of a system whose source is not
// NULL. is_cut: of the elements of bodies cut free. ----
void mbs_source_columns(const MbsSystem *system, bool is_cut, const MbsState *state, const MbsWeights *weights,
                        MbsParts parts, int count, const struct MbsDirectionColumn *directions, mbs_scalar *R,
                        int stride);
void mbs_source_transposed(const MbsSystem *system, bool is_cut, const MbsState *state, const MbsWeights *weights,
                           MbsParts parts, const struct MbsAdjoint *adjoint);
void mbs_source_tangent(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, mbs_scalar c0,
                        mbs_scalar c1, mbs_scalar c2, mbs_scalar *values);
// of P u, P = M - c1 Q_v - c0 Q_x, where P is what the formulas say
void mbs_source_slopes_columns(const MbsSystem *system, const MbsState *state, mbs_scalar c0, mbs_scalar c1,
                               const mbs_scalar *u, int count, const struct MbsDirectionColumn *directions,
                               mbs_scalar *R, int stride);
void mbs_source_slopes_transposed(const MbsSystem *system, const MbsState *state, mbs_scalar c0, mbs_scalar c1,
                                  const mbs_scalar *u, const struct MbsAdjoint *adjoint);

#endif
