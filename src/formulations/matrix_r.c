// Matrix R (P0 (52)-(53), P3 (24), P4): the equations of motion projected on what the constraints leave free,
//     R' (M a - Q) = 0,   v = R z' + S b,   a = R z'' + S c,
// for independent coordinates z = w(q) alone; all others follow from the position, velocity and acceleration problems,
// so that constraints hold exactly at all three levels. The step is in integrators/reduced.c; here is its start, whose
// accelerations and multipliers are those of the index-1 equations.
#include "formulations/formulation.h"

static void prepare(const MbsSettings *settings, MbsFormulation *formulation) {
  formulation->start = formulation->step = (MbsWeights){.k2 = 1, .n2 = 1};
  formulation->relaxation = 1 / settings->penalty;
}

const MbsFormulationType mbs_formulation_matrix_r = {
    .name = "matrix-r",
    .summary = "independent coordinates alone: R' (M a - Q) = 0, the others from the constraints",
    .prepare = prepare,
    .is_reduced = true,
    .allows_redundancy = true,
    .has_backward_equations = true,
};
