// Penalty formulation (P2 (1)-(4), P0 (42)):
//     (M + Phi_x' alpha Phi_x) a = Q - Phi_x' alpha (c-terms + 2 xi omega Phidot + omega^2 Phi),
// that is M a + Phi_x' lambda = Q with lambda = alpha (Phiddot + 2 xi omega Phidot + omega^2 Phi), P1 (64d).
// We keep lambda as an unknown and solve
//     f = 0,   Phiddot + 2 xi omega Phidot + omega^2 Phi - lambda / alpha = 0:
// and for nonholonomic rows A v + b = 0, which have no position level (P0 (51)),
//     d/dt (A v + b) + 2 xi omega (A v + b) - mu / alpha = 0:
// the same solution, but sparse, without products Phi_x' Phi_x, and well conditioned for any alpha. It
// stays regular where constraints are redundant or the position is singular.
#include "formulations/formulation.h"

static void prepare(const MbsSettings *settings, MbsFormulation *formulation) {
  double damping = 2 * settings->xi * settings->omega, give = 1 / settings->penalty;
  formulation->start = formulation->step = (MbsWeights){.k2 = 1,
                                                        .k1 = damping,
                                                        .k0 = settings->omega * settings->omega,
                                                        .epsilon = give,
                                                        .n2 = 1,
                                                        .n1 = damping,
                                                        .n_epsilon = give};
}

const MbsFormulationType mbs_formulation_penalty = {
    .name = "penalty",
    .summary = "penalty formulation: constraints held by alpha (Phiddot + 2 xi omega Phidot + omega^2 Phi)",
    .prepare = prepare,
    .has_stabilisation = true,
    .allows_redundancy = true,
    .has_backward_equations = true,
};
