// A formulation: which residual is solved in each step. One file per formulation; the integrators and
// sensitivities see this interface only.
//
// The state's unknowns are u = (a, lambda); r = 0 determines them when q and v follow from a by the
// integrator (in a step) or are given (at the start). All functions are for the instance's weights.
#ifndef MBS_FORMULATION_H
#define MBS_FORMULATION_H

#include <mbsens/mbsens.h>

#include "model/registry.h"
#include "terms/terms.h"

typedef struct MbsFormulation {
  const struct MbsFormulationType *type;
  const MbsSystem *system;
  MbsWeights weights;
} MbsFormulation;

typedef struct MbsFormulationType {
  const char *name, *summary;
  // chooses the weights of the constraint equations
  void (*prepare)(const MbsSettings *settings, MbsFormulation *formulation);
  // May constraints be redundant? If not, a singular matrix is explained by naming the redundant ones.
  bool allows_redundancy;
} MbsFormulationType;

// NULL where there is none of that name, with the nearest in the message.
MbsStatus mbs_formulation_create(MbsContext *context, const MbsSettings *settings, const MbsSystem *system,
                                 MbsFormulation *formulation);

// r (n + m) and the scales of its two parts
static inline void mbs_formulation_residual(const MbsFormulation *f, const MbsState *state, mbs_scalar *r,
                                            double scale[2]) {
  mbs_terms_residual(f->system, state, &f->weights, r, scale);
}

// c0 r_x + c1 r_v + c2 r_a, and r_lambda
static inline void mbs_formulation_tangent(const MbsFormulation *f, const MbsState *state, double c0, double c1,
                                           double c2, mbs_scalar *values) {
  mbs_terms_tangent(f->system, state, &f->weights, c0, c1, c2, values);
}

// R += r_x X + r_v V + r_a A + r_rho for the columns of the system; A may be NULL
static inline void mbs_formulation_derivative(const MbsFormulation *f, const MbsState *state, const mbs_scalar *X,
                                              const mbs_scalar *V, const mbs_scalar *A, mbs_scalar *R) {
  mbs_terms_derivative(f->system, state, &f->weights, f->system->column_count, true, X, V, A, NULL, R);
}

#endif
