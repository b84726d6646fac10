// Augmented Lagrangian, index 3, with projections (P0 (6)-(18)); three systems in each step:
//   (1) f(t, q, v*, a*, lambda*) = 0,  Phi(t, q) = 0          Newton; q, v*, a* linked by the integrator
//   (2) P (v - v*) + Abar' sigma = 0,  Abar v + bbar = 0      velocities onto their constraints
//   (3) P (a - a*) + Abar' kappa = 0,  d/dt(Abar v + bbar) = 0
// Abar stacks holonomic and nonholonomic rows; P is the mass matrix (17) or the tangent (18)
// (integrators/projection.c). (1) is iterated as in P0 (6), with lambda as an unknown: Newton's matrix [T Phi_x'; Phi_x
// -1/alpha], see formulation.h. P0's penalty multiplies Phi, ours Phi / (beta h^2), so it means the same at every step
// size. In P0 nonholonomic rows enter by (2) and (3) alone, which is of first order in h (`projected`); as A v* + b = 0
// beside Phi = 0 in (1) they are of second order (`coupled`, the default).
#include "formulations/formulation.h"

static void prepare(const MbsSettings *settings, MbsFormulation *formulation) {
  formulation->start = (MbsWeights){.k2 = 1, .n2 = 1};
  formulation->relaxation = 1 / settings->penalty;
  formulation->is_uncoupled = settings->is_nonholonomic_projected;
}

const MbsFormulationType mbs_formulation_ali3p = {
    .name = "ali3p",
    .summary = "augmented Lagrangian, index 3, with projections of velocities and accelerations",
    .prepare = prepare,
    .is_position_level = true,
    .has_projections = true,
    .allows_redundancy = true,
};
