// The continuous adjoint (P2 (30)-(44), P3 (62)-(69)).
//
// The state y = (x, x') has its own equations: all coordinates with penalty, x = q (P2 (30)-(32)); independent ones
// with matrix-r, x = z (P3 (62)-(63)). The acceleration s = x'' and the multipliers are functions of it. For psi =
// w(end) + integral of g, both of positions, velocities, accelerations, multipliers and parameters,
//     mu' = -f_y' (mu + g_y'') - g_y,   mu(end) = w_y                                  P2 (38)-(39), P3 (68)
//     psi' = y_rho(0)' mu(0) + w_rho + integral of (f_rho' (mu + g_y'') + g_rho)       P2 (40), P3 (69)
// with f = (x', s): in the halves mu = (m, l) of positions and velocities, and with H = l.s(x, x') + g,
//     -m' = H_x,   -l' = m + H_x',   psi' = ... + integral of H_rho.
// The derivatives of H are one transposed solve with the equations of motion, P2 (41)-(44), P3 (68c), (69b): l is what
// s receives (MbsBackward of the stepper, with c0 = c1 = 0).
//
// The trapezoidal rule from a time 1 back to the time 0 before it, m0 = m1 - h/2 (m0' + m1') and l likewise, asks for
// H at l0, which depends on H itself:
//     m0 = m1 - h/2 m1' + h/2 H_x,      l0 = (l1 - h/2 l1' + h/2 m1 - h^2/4 m1') + h^2/4 H_x + h/2 H_x'
// That is the transposed solve again, with the part in parentheses for s, c0 = h^2/4 and c1 = h/2: one factorisation
// per step and a solve for each objective. The integral of H_rho, and of what fixed coordinates receive, is by the
// trapezoidal rule too; since all of this is linear, a time's weight in it multiplies all that goes into the solve.
//
// Where matrix-r changed its independent coordinates, y is another vector before and after: mu goes through their
// transposed relation, and psi' receives what that relation has of parameters.
#include "sensitivities/adjoint_continuous.h"

MbsStatus mbs_continuous_check(MbsContext *context, const MbsSimulation *simulation) {
  const MbsSettings *settings = &simulation->settings;
  const MbsModel *model = simulation->system->blueprint->model;
  if (settings->is_kinematic) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "method adjoint-continuous is not offered for kinematics, which has no equations of motion to "
                    "integrate backwards; use method adjoint");
  }
  if (simulation->system->blueprint->trim.unknowns.count > 0) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, simulation->system->blueprint->trim.unknowns.items[0].place,
                    "method adjoint-continuous is not offered where the start is solved for parameters (equilibrium: "
                    "solve); use method adjoint");
  }
  for (int i = 0; i < simulation->objectives.count; ++i) {
    if (simulation->objectives.items[i].is_needed &&
        simulation->objectives.items[i].kind == MBS_OBJECTIVE_IS_EXTREMUM) {
      return mbs_fail(context, MBS_ERROR_NOT_OFFERED, simulation->objectives.items[i].function.place,
                      "method adjoint-continuous is not offered for maxima and minima; use method adjoint");
    }
  }
  for (int i = 0; i < simulation->events.count; ++i) {
    const MbsEventSpec *spec = simulation->events.items[i].spec;
    if (!spec->is_end) {
      return mbs_fail(context, MBS_ERROR_NOT_OFFERED, spec->text.place,
                      "method adjoint-continuous is not offered for models with %s; use method adjoint",
                      spec->is_given ? "inputs" : "events");
    }
    for (int k = 0; k < simulation->system->asked_count; ++k) {
      int parameter = simulation->system->columns[k];
      if (mbs_graph_depends_on(simulation->system->blueprint->graph, spec->end, parameter)) {
        return mbs_fail(context, MBS_ERROR_NOT_OFFERED, spec->text.place,
                        "method adjoint-continuous is not offered where the end depends on a parameter of the "
                        "gradient, here \"%s\"; use method adjoint",
                        simulation->system->blueprint->parameters.items[parameter].name);
      }
    }
  }
  if (!simulation->stepper->type->backward) {
    return mbs_fail(
        context, MBS_ERROR_NOT_OFFERED, mbs_model_setting_place(model, MBS_SIMULATION_INTEGRATOR, settings->integrator),
        "method adjoint-continuous is not offered with integrator %s: its backward equations are integrated "
        "by the trapezoidal rule; use that, or method adjoint, which is exact with every integrator",
        settings->integrator);
  }
  if (!simulation->formulation.type->has_backward_equations) {
    return mbs_fail(
        context, MBS_ERROR_NOT_OFFERED,
        mbs_model_setting_place(model, MBS_SIMULATION_FORMULATION, settings->formulation),
        "method adjoint-continuous is not offered with formulation %s: backward equations are written for penalty and "
        "matrix-r; use one of these, or method adjoint, which is exact with every formulation",
        settings->formulation);
  }
  if (simulation->formulation.type->is_reduced && mbs_system_is_nonholonomic(simulation->system)) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "method adjoint-continuous is not offered with nonholonomic constraints and formulation matrix-r, "
                    "whose velocities are fewer than its positions; use penalty, or method adjoint");
  }
  return MBS_OK;
}

// for running gradients at so many times: those of the plan, or more if the end has moved since
static MbsStatus make_room(MbsContext *context, const MbsSweep *sweep, long times) {
  MbsContinuous *continuous = sweep->continuous;
  const MbsSystem *system = sweep->simulation->system;
  if (times > continuous->running_capacity) {
    MBS_TAKE(context, system->arena, continuous->running,
             (size_t)times * (size_t)continuous->running_count * (size_t)system->column_count);
    continuous->running_capacity = times;
  }
  return MBS_OK;
}

MbsStatus mbs_continuous_create(MbsContext *context, MbsSweep *sweep, int running_count, const int *running_of) {
  const MbsSimulation *simulation = sweep->simulation;
  const MbsSystem *system = simulation->system;
  MbsContinuous *continuous;
  size_t n = (size_t)system->n, columns = (size_t)system->column_count;
  MBS_TAKE(context, system->arena, continuous, 1);
  MBS_TAKE(context, system->arena, continuous->mu, sweep->objective_count);
  MBS_TAKE(context, system->arena, continuous->rate, sweep->objective_count);
  MBS_TAKE(context, system->arena, continuous->before, sweep->objective_count);
  for (int o = 0; o < sweep->objective_count; ++o) {
    MBS_TAKE(context, system->arena, continuous->mu[o],
             simulation->stepper->carry_size > 2 * system->n ? simulation->stepper->carry_size : 2 * system->n);
    MBS_TAKE(context, system->arena, continuous->rate[o], 2 * n);
    MBS_TAKE(context, system->arena, continuous->before[o], columns);
  }
  MBS_TAKE(context, system->arena, continuous->s, n);
  MBS_TAKE(context, system->arena, continuous->p, n);
  MBS_TAKE(context, system->arena, continuous->u, n);
  continuous->running_count = running_count;
  continuous->running_of = running_of;
  sweep->continuous = continuous;
  return make_room(context, sweep, simulation->followed->step_count + 1);
}

void mbs_continuous_begin(MbsSweep *sweep) {
  const MbsContinuous *continuous = sweep->continuous;
  for (int o = 0; o < sweep->objective_count; ++o) {
    for (int i = 0; i < 2 * sweep->simulation->system->n; ++i) {
      continuous->mu[o][i] = continuous->rate[o][i] = 0;
    }
  }
}

// ---- one solve ----
static int size_of(const MbsSimulation *simulation) {
  return simulation->stepper->type->backward->count(simulation->stepper);
}

// set: of independent coordinates, of matrix-r
static MbsStatus factor(MbsContext *context, MbsSweep *sweep, int set, mbs_scalar c0, mbs_scalar c1) {
  MbsSimulation *simulation = sweep->simulation;
  return simulation->stepper->type->backward->factor(context, simulation->stepper, set, c0, c1, &simulation->state);
}

// p and u: what x and x' receive from what the state has received, and accelerations (s)
static void solve(MbsSweep *sweep, int o, mbs_scalar c0, mbs_scalar c1) {
  MbsSimulation *simulation = sweep->simulation;
  const MbsContinuous *continuous = sweep->continuous;
  const MbsStateBar *bar = &sweep->bars[o];
  simulation->stepper->type->backward->solve(simulation->stepper, c0, c1, &simulation->state, bar, continuous->s,
                                             continuous->p, continuous->u);
  mbs_system_fixed_transposed(simulation->system, simulation->state.t, bar, sweep->gradient[o]);
}

static void solve_weighted(MbsSweep *sweep, int o, mbs_scalar c0, mbs_scalar c1, mbs_scalar weight) {
  const MbsContinuous *continuous = sweep->continuous;
  int size = size_of(sweep->simulation);
  if (sweep->simulation->objectives.items[sweep->objectives[o]].kind == MBS_OBJECTIVE_IS_INTEGRAL) {
    mbs_sweep_add_function(sweep, o, weight);
  }
  for (int i = 0; i < size; ++i) {
    continuous->s[i] *= weight;
  }
  solve(sweep, o, c0, c1);
  for (int i = 0; i < size; ++i) {
    continuous->p[i] /= weight;
    continuous->u[i] /= weight;
  }
}

// ---- times ----
// mu from what the state has received
static void give_mu(MbsSweep *sweep, int o) {
  const MbsContinuous *continuous = sweep->continuous;
  int size = size_of(sweep->simulation);
  for (int i = 0; i < size; ++i) {
    continuous->s[i] = 0;
  }
  solve(sweep, o, 0, 0);
  for (int i = 0; i < size; ++i) {
    continuous->mu[o][i] = continuous->p[i];
    continuous->mu[o][size + i] = continuous->u[i];
  }
}

// mu' for the mu at hand, and a share of the integral
static void give_rate(MbsSweep *sweep, int o, mbs_scalar weight) {
  const MbsContinuous *continuous = sweep->continuous;
  mbs_scalar *mu = continuous->mu[o], *rate = continuous->rate[o];
  int size = size_of(sweep->simulation);
  for (int i = 0; i < size; ++i) {
    continuous->s[i] = mu[size + i];
  }
  solve_weighted(sweep, o, 0, 0, weight);
  for (int i = 0; i < size; ++i) {
    rate[i] = continuous->p[i];
    rate[size + i] = mu[i] + continuous->u[i];
  }
}

// mu and mu' one step of size h earlier
static void step_back(MbsSweep *sweep, int o, mbs_scalar h, mbs_scalar weight) {
  const MbsContinuous *continuous = sweep->continuous;
  mbs_scalar *mu = continuous->mu[o], *rate = continuous->rate[o];
  int size = size_of(sweep->simulation);
  for (int i = 0; i < size; ++i) {
    mu[i] += h / 2 * rate[i];
    mu[size + i] += h / 2 * rate[size + i];
    continuous->s[i] = mu[size + i] + h / 2 * mu[i];
  }
  solve_weighted(sweep, o, h * h / 4, h / 2, weight);
  for (int i = 0; i < size; ++i) {
    rate[i] = continuous->p[i];
    mu[i] += h / 2 * rate[i];
    rate[size + i] = mu[i] + continuous->u[i];
    mu[size + i] += h / 2 * rate[size + i];
  }
}

// ---- the running gradient: psi' as if the run began at this time, at a state that no parameter moves ----
static void note_running(MbsSweep *sweep) {
  for (int o = 0; o < sweep->objective_count && sweep->continuous->running_count > 0; ++o) {
    mbs_sweep_chain(sweep, o, sweep->continuous->before[o]);
  }
}

// share: of what was gathered since it was noted; the rest belongs to the step before this time
static void keep_running(MbsSweep *sweep, long step, mbs_scalar share) {
  const MbsContinuous *continuous = sweep->continuous;
  MbsObjectives *objectives = &sweep->simulation->objectives;
  int columns = sweep->simulation->system->column_count;
  if (continuous->running_count == 0) {
    return;
  }
  for (int o = 0; o < sweep->objective_count; ++o) {
    mbs_scalar *gradient = objectives->gradient + sweep->objectives[o] * columns;
    mbs_sweep_chain(sweep, o, gradient);
    for (int k = 0; k < columns; ++k) {
      gradient[k] = share * gradient[k] + (1 - share) * continuous->before[o][k];
    }
  }
  mbs_objectives_chain(objectives, &sweep->simulation->state);
  mbs_scalar *row = continuous->running + (size_t)step * (size_t)continuous->running_count * (size_t)columns;
  for (int i = 0; i < continuous->running_count; ++i) {
    for (int k = 0; k < columns; ++k) {
      *row++ = objectives->gradient[continuous->running_of[i] * columns + k];
    }
  }
}

// ---- the way back ----
// from the end: mu(end) = w_y
static MbsStatus begin(MbsContext *context, MbsSweep *sweep, int set, mbs_scalar h) {
  MBS_TRY(make_room(context, sweep, sweep->simulation->path.step_count + 1));
  MBS_TRY(factor(context, sweep, set, 0, 0));
  for (int o = 0; o < sweep->objective_count; ++o) {
    if (sweep->simulation->objectives.items[sweep->objectives[o]].kind == MBS_OBJECTIVE_IS_FINAL) {
      mbs_sweep_add_function(sweep, o, 1);
      give_mu(sweep, o);
    }
  }
  keep_running(sweep, sweep->simulation->path.step_count, 1);
  for (int o = 0; o < sweep->objective_count; ++o) {
    give_rate(sweep, o, h / 2);
  }
  return MBS_OK;
}

// mu of the independent coordinates `old`, which the time's own step did not use, to those of `set`; h: its size
static MbsStatus change_set(MbsContext *context, MbsSweep *sweep, int old, int set, mbs_scalar h) {
  MbsSimulation *simulation = sweep->simulation;
  MBS_TRY(factor(context, sweep, set, 0, 0));
  for (int o = 0; o < sweep->objective_count; ++o) {
    simulation->stepper->type->backward->give(simulation->stepper, old, &simulation->state, &sweep->bars[o],
                                              sweep->continuous->mu[o]);
    give_mu(sweep, o);
    give_rate(sweep, o, h / 2);
  }
  return MBS_OK;
}

// y_rho(0)' mu(0)
static MbsStatus finish(MbsContext *context, MbsSweep *sweep, int set) {
  MbsSimulation *simulation = sweep->simulation;
  for (int o = 0; o < sweep->objective_count; ++o) {
    simulation->stepper->type->backward->give(simulation->stepper, set, &simulation->state, &sweep->bars[o],
                                              sweep->continuous->mu[o]);
  }
  MBS_TRY(mbs_sweep_start(context, sweep));
  keep_running(sweep, 0, 1);
  return MBS_OK;
}

MbsStatus mbs_continuous_step(MbsContext *context, MbsSweep *sweep, const MbsStep *step, const MbsStep *next) {
  mbs_scalar before = step->h;
  if (!next) {
    return begin(context, sweep, step->set, before);
  }
  mbs_scalar after = next->h;
  bool has_changed = step->number > 0 && step->set != next->set;
  mbs_scalar weight = has_changed ? after / 2 : (before + after) / 2;
  MBS_TRY(factor(context, sweep, next->set, after * after / 4, after / 2));
  note_running(sweep);
  for (int o = 0; o < sweep->objective_count; ++o) {
    step_back(sweep, o, after, weight);
  }
  if (step->number == 0) {
    return finish(context, sweep, next->set);
  }
  keep_running(sweep, step->number, after / 2 / weight);
  return has_changed ? change_set(context, sweep, next->set, step->set, before) : MBS_OK;
}
