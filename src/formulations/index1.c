// Index-1 equations with Lagrange multipliers (P0 (41), P1 (54)):
//     [ M     Phi_x' ] [ a      ]   [ Q ]
//     [ Phi_x   0    ] [ lambda ] = [ c ],     c = Phi_x a - Phiddot
// that is f = 0, Phiddot = 0; with Baumgarte's stabilisation Phiddot + 2 xi omega Phidot + omega^2 Phi = 0.
// Nonholonomic rows A v + b = 0 stand beside them: [Phi_x; A] for Phi_x, d/dt (A v + b) = 0 for Phiddot = 0. There is
// no position to come back to, so stabilised they have d/dt (A v + b) + 2 xi omega (A v + b) = 0, which decays as
// exp(-2 xi omega t): P0 (51), where the position level of these rows is zero.
// Without it nothing brings the constraints back: they are off by the integrator's error. Near a singular position, or
// with redundant constraints, the matrix loses rank: use ali1, ali3p or penalty there.
#include "formulations/formulation.h"

static void prepare(const MbsSettings *settings, MbsFormulation *formulation) {
  MbsWeights weights = {.k2 = 1, .n2 = 1};
  if (settings->is_stabilised) {
    weights.k1 = weights.n1 = 2 * settings->xi * settings->omega;
    weights.k0 = settings->omega * settings->omega;
  }
  formulation->start = formulation->step = weights;
}

const MbsFormulationType mbs_formulation_index1 = {
    .name = "index1",
    .summary = "index-1 equations with Lagrange multipliers, optionally with Baumgarte stabilisation (baumgarte)",
    .prepare = prepare,
    .has_stabilisation = true,
};
