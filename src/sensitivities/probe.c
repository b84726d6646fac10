#include "sensitivities/twin.h"
#include "simulation/simulation.h"

struct MbsProbe {
  MbsSimulation *simulation;
  mbs_scalar *r, *levels;
  mbs_scalar *u;  // 3 nq: c0 u, c1 u, u
};

MbsStatus mbs_twin_probe_create(MbsContext *context, const MbsModel *model, MbsProbe **result) {
  MbsSettings settings;
  MbsArena *arena = mbs_arena_create_for(context);
  MbsStatus status = arena ? mbs_settings_read(context, arena, model, &settings)
                           : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  mbs_arena_destroy(arena);
  MBS_TRY(status);
  return mbs_twin_probe_create_for(context, model, &settings, result);
}

MbsStatus mbs_twin_probe_create_for(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                                    MbsProbe **result) {
  MbsSimulation *simulation;
  MBS_TRY(mbs_simulation_create(context, model, settings, 0, NULL, NULL, &simulation));
  const MbsSystem *system = simulation->system;
  MbsProbe *probe = mbs_arena_take(simulation->arena, 1, sizeof *probe);
  mbs_scalar *r = mbs_arena_take(simulation->arena, (size_t)(system->n + system->m), sizeof *r);
  mbs_scalar *levels = mbs_arena_take(simulation->arena, 3 * (size_t)system->m, sizeof *levels);
  mbs_scalar *u = mbs_arena_take(simulation->arena, 3 * (size_t)system->nq, sizeof *u);
  if (!probe || !r || !levels || !u) {
    mbs_simulation_destroy(simulation);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  *probe = (MbsProbe){.simulation = simulation, .r = r, .levels = levels, .u = u};
  *result = probe;
  return MBS_OK;
}

void mbs_twin_probe_destroy(MbsProbe *probe) {
  if (probe) {
    mbs_simulation_destroy(probe->simulation);
  }
}

static void set_state(MbsProbe *probe, const MbsProbeState *from, MbsProbeKind kind, int index) {
  MbsSystem *system = probe->simulation->system;
  MbsState *state = &probe->simulation->state;
  state->t = from->t;
  for (int i = 0; i < system->n; ++i) {
    state->q[i] = from->q[i];
    state->v[i] = from->v[i];
    state->a[i] = from->a[i];
  }
  for (int i = 0; i < system->m; ++i) {
    state->lambda[i] = from->lambda[i];
    state->total[i] = from->total[i];
  }
  mbs_scalar step = mbs_complex(0, MBS_COMPLEX_STEP);
  switch (kind) {
    case MBS_PROBE_VALUE: break;
    case MBS_PROBE_PARAMETER: mbs_system_perturb(system, index, MBS_COMPLEX_STEP); break;
    case MBS_PROBE_POSITION: state->q[index] += step; break;
    case MBS_PROBE_VELOCITY: state->v[index] += step; break;
    case MBS_PROBE_ACCELERATION: state->a[index] += step; break;
    case MBS_PROBE_MULTIPLIER: state->lambda[index] += step; break;
    case MBS_PROBE_TOTAL: state->total[index] += step; break;
  }
  mbs_state_place_fixed(system, state);
}

static void put(MbsProbeKind kind, int count, const mbs_scalar *from, double *to) {
  for (int i = 0; i < count; ++i) {
    to[i] = kind == MBS_PROBE_VALUE ? mbs_re(from[i]) : mbs_im(from[i]) / MBS_COMPLEX_STEP;
  }
}

// P u = f_a u + c1 f_v u + c0 f_x u without the constraints' forces, into r
static void multiply_projection_matrix(MbsProbe *probe, const MbsProbeState *from) {
  const MbsSystem *system = probe->simulation->system;
  const MbsWeights none = {0};
  MbsState state = probe->simulation->state;
  int nq = system->nq;
  state.lambda = system->zeros;
  for (int i = 0; i < system->n; ++i) {
    probe->u[i] = from->c0 * from->u[i];
    probe->u[nq + i] = from->c1 * from->u[i];
    probe->u[2 * nq + i] = from->u[i];
  }
  for (int i = 0; i < system->n + system->m; ++i) {
    probe->r[i] = 0;
  }
  mbs_terms_derivative(system, &state, &none, 1, false, probe->u, probe->u + nq, probe->u + 2 * nq, NULL, probe->r);
  for (int i = system->first_state; i < system->n; ++i) {  // whose rates are no part of it
    probe->r[i] = from->u[i];
  }
}

void mbs_twin_probe_evaluate(MbsProbe *probe, const MbsProbeState *from, MbsProbeKind kind, int index, double *f,
                             double *Phi, double *Phidot, double *Phiddot, double *Pu, double *g) {
  MbsSystem *system = probe->simulation->system;
  const MbsState *state = &probe->simulation->state;
  const MbsObjectives *objectives = &probe->simulation->objectives;
  const MbsWeights none = {0};
  int m = system->m;
  set_state(probe, from, kind, index);
  mbs_terms_residual(system, state, &none, probe->r, NULL);
  mbs_terms_constraints(system, state, probe->levels, probe->levels + m, probe->levels + 2 * m);
  put(kind, system->n, probe->r, f);
  put(kind, m, probe->levels, Phi);
  put(kind, m, probe->levels + m, Phidot);
  put(kind, m, probe->levels + 2 * m, Phiddot);
  if (from->u) {
    multiply_projection_matrix(probe, from);
    put(kind, system->n, probe->r, Pu);
  }
  mbs_signal_bank_evaluate(system, state);
  for (int i = 0; i < objectives->count; ++i) {
    mbs_scalar value = objectives->items[i].kind == MBS_OBJECTIVE_IS_VALUE
                           ? 0
                           : mbs_function_evaluate(system, &objectives->items[i].function, state, NULL);
    put(kind, 1, &value, &g[i]);
  }
  if (kind == MBS_PROBE_PARAMETER) {
    mbs_system_perturb(system, index, -MBS_COMPLEX_STEP);
  }
}

void mbs_twin_probe_move(MbsProbe *probe, const MbsProbeState *from, const MbsProbeState *along,
                         const double *parameters) {
  MbsSystem *system = probe->simulation->system;
  MbsState *state = &probe->simulation->state;
  mbs_system_perturb_along(system, parameters, MBS_COMPLEX_STEP);
  state->t = from->t;
  for (int i = 0; i < system->n; ++i) {
    state->q[i] = from->q[i] + mbs_complex(0, MBS_COMPLEX_STEP * along->q[i]);
    state->v[i] = from->v[i] + mbs_complex(0, MBS_COMPLEX_STEP * along->v[i]);
    state->a[i] = from->a[i] + mbs_complex(0, MBS_COMPLEX_STEP * along->a[i]);
  }
  for (int i = 0; i < system->m; ++i) {
    state->lambda[i] = from->lambda[i] + mbs_complex(0, MBS_COMPLEX_STEP * along->lambda[i]);
    state->total[i] = from->total[i] + mbs_complex(0, MBS_COMPLEX_STEP * along->total[i]);
  }
  mbs_state_place_fixed(system, state);
  mbs_signal_bank_follow(system, state);
  mbs_signal_bank_evaluate(system, state);
}

void mbs_twin_probe_element(MbsProbe *probe, const MbsPlainWeights *plain, int element, double *r, double *size) {
  const MbsWeights own = mbs_weights_from(plain), *weights = &own;
  MbsSystem *system = probe->simulation->system;
  const MbsState *state = &probe->simulation->state;
  int objective = element - mbs_system_element_count(system);
  if (objective >= 0) {
    mbs_scalar g = mbs_function_evaluate(system, &probe->simulation->objectives.items[objective].function, state, NULL);
    put(MBS_PROBE_PARAMETER, 1, &g, r);
    *size = mbs_re(mbs_abs(g));
    return;
  }
  const MbsSystemElements all = mbs_system_isolate(system, element);
  double scale[2];
  mbs_terms_residual(system, state, weights, probe->r, scale);
  *size = scale[0] > scale[1] ? scale[0] : scale[1];
  mbs_system_rejoin(system, &all);
  put(MBS_PROBE_PARAMETER, system->n + system->m, probe->r, r);
}
