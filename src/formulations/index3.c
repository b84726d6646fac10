// Index-3 equations (P1 (52)-(53)): f = 0 with Phi(t, q) = 0 itself at the end of each step, divided by c0 = beta h^2
// so that it is of the size of accelerations; nonholonomic rows A v + b = 0, divided by gamma h. Velocities and
// accelerations meet their constraints to the integrator's error only. With the trapezoidal rule that error of the
// accelerations does not fall with h unless the start is at rest: the rule must damp the highest frequencies, so index3
// takes generalised-alpha. The start's acceleration comes from the index-1 equations.
#include "formulations/formulation.h"

static void prepare(const MbsSettings *settings, MbsFormulation *formulation) {
  (void)settings;
  formulation->start = (MbsWeights){.k2 = 1, .n2 = 1};
}

const MbsFormulationType mbs_formulation_index3 = {
    .name = "index3",
    .summary = "index-3 equations: Phi = 0 in each step, with a dissipative integrator",
    .prepare = prepare,
    .is_position_level = true,
    .has_dissipation = true,
};
