// A formulation: which equations are solved in each step. One file per formulation; integrators and sensitivities see
// this interface only.
//
// The step's unknowns are u = (a, lambda); r(t, q, v, a, lambda) = 0 determines them where q and v follow from a by the
// integrator, q = qh + c0 a, v = vh + c1 a (in a step), or are given (c0 = c1 = 0, at the start). A formulation is
// described by the weights of the constraint levels in r (terms.h), which may depend on c0 and c1, by the relaxation of
// Newton's matrix that lets it run through redundancy, and by what follows the solution: projections.
#ifndef MBS_FORMULATION_H
#define MBS_FORMULATION_H

#include <mbsens/mbsens.h>

#include "model/registry.h"
#include "model/settings.h"
#include "terms/terms.h"

#define MBS_DEFAULT_FORMULATION "ali3p"

typedef struct MbsFormulation {
  const struct MbsFormulationType *type;
  const MbsSystem *system;
  MbsWeights start, step;  // of the residual at the start, and in a step
  // epsilon of Newton's matrix [T Phi_x'; e_a -epsilon], not of the residual: each iteration is then one of the
  // augmented Lagrangian, dlambda = (Phi_x da + e) / epsilon, whose limit does not depend on epsilon
  double relaxation;
  double projection_relaxation;  // the same in projections and in the balance that finds the smallest multipliers
  bool is_uncoupled;             // nonholonomic constraints are left to the projections
  bool has_given_way;            // since it was created its constraints have given way to their multipliers
  // Where joints come and go: the same if constraints are redundant, or if they are not, whichever this one is not for.
  struct MbsFormulation *other;
} MbsFormulation;

typedef struct MbsFormulationType {
  const char *name, *summary;
  // chooses the weights and the relaxation
  void (*prepare)(const MbsSettings *settings, MbsFormulation *formulation);
  bool is_position_level;  // the step keeps Phi = 0 itself: weights 1 / c0, and 1 / c1 of nonholonomic rows
  bool has_projections;    // then velocities and accelerations are projected onto their constraints
  bool has_stabilisation;  // xi and omega bring constraints back: always, or where settings ask for it
  bool is_reduced;         // steps are taken by independent coordinates: integrators/reduced.h
  bool has_dissipation;    // wants an integrator that damps the highest frequencies
  // May constraints be redundant? If not, a singular matrix is explained by naming the redundant ones.
  bool allows_redundancy;
  bool has_backward_equations;  // of the papers: the continuous adjoint is offered
} MbsFormulationType;

// Do accelerations and multipliers follow from positions and velocities at each instant, for explicit methods?
static inline bool mbs_formulation_is_explicit(const MbsFormulationType *type) { return !type->is_position_level; }

// Do constraints give way to their multipliers, as on springs? Then what it tends to with small steps depends on
// alpha, as that of `penalty` does, and of `ali1` where constraints are redundant.
static inline bool mbs_formulation_gives_way(const MbsFormulation *formulation) {
  return formulation->has_given_way || mbs_re(formulation->step.epsilon) > 0;
}

// NULL where there is none of that name, with the nearest in the message.
const MbsFormulationType *mbs_formulation_find(const char *name, const char **nearest);

MbsStatus mbs_formulation_create(MbsContext *context, const MbsSettings *settings, const MbsSystem *system,
                                 MbsFormulation *formulation);

// The weights of the residual for q = qh + c0 a, v = vh + c1 a.
static inline MbsWeights mbs_formulation_weights(const MbsFormulation *formulation, mbs_scalar c0, mbs_scalar c1) {
  if (!(mbs_re(c0) > 0)) {
    return formulation->start;
  }
  MbsWeights weights = formulation->step;
  if (formulation->type->is_position_level) {
    weights.k0 = 1 / c0;  // scaled like accelerations: small steps lose no digits
    weights.n1 = formulation->is_uncoupled ? 0 : 1 / c1;
    weights.n_epsilon = formulation->is_uncoupled ? 1 : 0;
  }
  return weights;
}

#endif
