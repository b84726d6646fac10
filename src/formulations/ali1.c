// Augmented Lagrangian, index 1 (P0 reference 19; theory: section 4):
//     (M + Phi_x' alpha Phi_x) a_{i+1} = M a_i - Phi_x' alpha (c-terms + 2 xi omega Phidot + omega^2 Phi),
//     lambda_{i+1} = lambda_i + alpha (Phiddot + 2 xi omega Phidot + omega^2 Phi)_{i+1},
// iterated until it stands still, which is stabilised index1: f = 0, Phiddot + 2 xi omega Phidot + omega^2 Phi = 0.
// Nonholonomic rows, without a position level, have d/dt (A v + b) + 2 xi omega (A v + b) = 0 beside them (P0 (51)).
// With lambda as an unknown one iteration is Newton's with the matrix [T Phi_x'; e_a -1/alpha] and the residual without
// that 1/alpha: redundant constraints and singular positions leave it regular, and what it converges to does not
// depend on alpha. Of the multipliers of redundant rows the smallest are meant (integrators/balance.c).
#include "formulations/formulation.h"

static void prepare(const MbsSettings *settings, MbsFormulation *formulation) {
  double damping = 2 * settings->xi * settings->omega;
  formulation->start = formulation->step =
      (MbsWeights){.k2 = 1, .k1 = damping, .k0 = settings->omega * settings->omega, .n2 = 1, .n1 = damping};
  formulation->relaxation = 1 / settings->penalty;
}

const MbsFormulationType mbs_formulation_ali1 = {
    .name = "ali1",
    .summary = "augmented Lagrangian, index 1: stabilised index-1 equations, redundant constraints allowed",
    .prepare = prepare,
    .has_stabilisation = true,
    .allows_redundancy = true,
};
