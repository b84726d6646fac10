// The automatic penalty: alpha |Phi_q|^2 against the inertia, so that it does not depend on units or size.
#include <math.h>

#include "simulation/simulation.h"

// max M_ii / min |row of Phi_q|^2 at the guess, to a power of ten. A number of the method, not of the model: it is not
// differentiated.
static MbsStatus unit_of(MbsContext *context, const MbsSystem *system, const MbsState *state, double *unit) {
  const MbsPattern *pattern = &system->mode.pattern;
  const MbsWeights none = {0};
  mbs_scalar *values, *matrix, *square;
  double mass, longest, shortest = 0;
  *unit = 0.1;
  if (system->m == 0) {
    return MBS_OK;  // nothing to hold
  }
  MBS_TAKE(context, system->arena, matrix, system->mode.factored.entry_count + 1);
  MBS_TAKE(context, system->arena, values, pattern->entry_count + 1);
  MBS_TAKE(context, system->arena, square, system->n + system->m);
  mbs_terms_factorable(system, true, state, &none, 0, 0, 1, matrix);
  mbs_terms_factorable_sizes(system, matrix, &mass, &longest);
  mbs_terms_jacobian(system, state, true, values);
  for (int column = 0; column < system->n; ++column) {
    for (int k = pattern->column_start[column]; k < pattern->column_start[column + 1]; ++k) {
      square[pattern->row[k]] += values[k] * values[k];
    }
  }
  for (int i = 0; i < system->m; ++i) {
    double length = mbs_re(square[system->n + i]);
    shortest = length > 0 && (!(shortest > 0) || length < shortest) ? length : shortest;
  }
  *unit = mass > 0 && shortest > 0 ? pow(10, round(log10(mass / shortest))) : *unit;  // real
  return MBS_OK;
}

// In units of that: 1e11 where the penalty holds the constraints, so that it does near singular positions too. Where it
// only relaxes Newton's matrix, the larger it is the faster the iteration converges: 1e12. But redundant rows
// contradict each other, by drift (1e8) or by rounding (1e4), which it multiplies.
static void relax(const MbsSettings *settings, double unit, bool has_redundancy, MbsFormulation *formulation,
                  double *penalty) {
  const double holding = has_redundancy ? 1e8 : 1e11, relaxing = has_redundancy ? 1e4 : 1e12;
  double relaxation = unit * relaxing;
  MbsSettings own = *settings;
  own.penalty = *penalty > 0 ? *penalty : formulation->relaxation > 0 ? relaxation : unit * holding;
  formulation->type->prepare(&own, formulation);
  formulation->projection_relaxation = formulation->relaxation > 0 ? formulation->relaxation : 1 / relaxation;
  *penalty = own.penalty;
  bool is_stabilised = mbs_re(formulation->step.k0) > 0 || mbs_re(formulation->step.k1) > 0;
  if (has_redundancy && formulation->type->allows_redundancy && formulation->relaxation > 0 && is_stabilised) {
    // Redundant rows that have drifted contradict each other, and e = 0 has no solution: the first iterate of the
    // augmented Lagrangian is well defined, and within epsilon of the constraints.
    double epsilon = formulation->relaxation;
    formulation->start.epsilon = formulation->step.epsilon = epsilon;
    formulation->start.n_epsilon = formulation->step.n_epsilon = epsilon;
  }
}

MbsStatus mbs_simulation_choose_penalty(MbsContext *context, MbsSimulation *simulation) {
  MbsFormulation *formulation = &simulation->formulation;
  MbsSettings *settings = &simulation->settings;
  bool has_redundancy = simulation->initial->set.redundant_count > 0;
  double unit = 0;
  mbs_system_let_all_act(simulation->system, true);
  MBS_TRY(unit_of(context, simulation->system, &simulation->state, &unit));
  mbs_system_let_all_act(simulation->system, false);
  if (simulation->system->blueprint->switch_count > 0) {
    MBS_TAKE(context, simulation->arena, formulation->other, 1);
    MbsFormulation *other = formulation->other;
    *other = *formulation;
    settings->other_penalty = settings->other_penalty > 0 ? settings->other_penalty : settings->penalty;
    relax(settings, unit, !has_redundancy, other, &settings->other_penalty);
  }
  relax(settings, unit, has_redundancy, formulation, &settings->penalty);
  return MBS_OK;
}
