// What events do to columns: the derivatives of their times, and of all that moves with these. See events.h.
#include "kinematics/equilibrium.h"
#include "simulation/simulation.h"

void mbs_events_flow_columns(MbsSimulation *simulation, const MbsStep *step) {
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  const MbsColumns *columns = &simulation->columns;
  int own = system->step_column * system->nq;
  mbs_columns_begin_step(system, columns, NULL);
  for (int k = 0; k < system->column_count; ++k) {
    for (int i = k * system->nq; i < k * system->nq + system->n; ++i) {
      columns->X[i] += step->h * columns->V[i];
      columns->V[i] += step->h * columns->A[i];
    }
  }
  for (int i = 0; i < system->n; ++i) {
    columns->X[own + i] = state->v[i] - step->h * state->a[i];
    columns->V[own + i] = state->a[i];
  }
  mbs_system_fixed_columns(system, state->t, columns->X, columns->V, columns->A);
}

// list: columns of `size` numbers each; those of the step by itself to all others
static void shift_list(const MbsSimulation *simulation, int size, const mbs_scalar *by_h, const mbs_scalar *by_t,
                       mbs_scalar *list) {
  const MbsSystem *system = simulation->system;
  const MbsEvents *events = &simulation->events;
  const mbs_scalar *of_h = by_h ? list + system->step_column * size : NULL;
  const mbs_scalar *of_t = by_t ? list + system->time_column * size : NULL;
  for (int k = 0; k < system->asked_count && size > 0 && list; ++k) {
    for (int i = 0; i < size && (by_h || by_t); ++i) {
      list[k * size + i] += (by_h ? by_h[k] * of_h[i] : 0) + (by_t ? by_t[k] * of_t[i] : 0);
    }
    for (int d = 0; d < events->moving_count; ++d) {
      int own = events->moving_column[d];
      for (int i = 0; i < size; ++i) {
        list[k * size + i] += events->variable_columns[d * system->asked_count + k] * list[own * size + i];
      }
    }
  }
}

void mbs_events_keep_time(const MbsSimulation *simulation, mbs_scalar *row) {
  const MbsSystem *system = simulation->system;
  const MbsEvents *events = &simulation->events;
  mbs_scalar of_h = events->is_moved ? row[system->step_column] : 0;
  for (int k = 0; k < system->asked_count; ++k) {
    row[k] -= events->is_moved ? events->t_columns[k] * of_h : 0;
  }
  shift_list(simulation, 1, NULL, NULL, row);
}

static void shift_motion(const MbsSimulation *simulation, const mbs_scalar *by_t) {
  shift_list(simulation, simulation->system->nq, NULL, by_t, simulation->columns.X);
  shift_list(simulation, simulation->system->nq, NULL, by_t, simulation->columns.V);
}

// what the step's size and its time, and variables, do to everything; NULL: they stay
void mbs_events_shift(MbsSimulation *simulation, const mbs_scalar *by_h, const mbs_scalar *by_t) {
  const MbsSystem *system = simulation->system;
  const MbsColumns *columns = &simulation->columns;
  mbs_scalar *const coordinates[] = {columns->X, columns->V, columns->A,
                                     simulation->stepper->type->carried_columns(simulation->stepper)};
  mbs_scalar *const multipliers[] = {columns->L, columns->S, columns->K, columns->T};
  for (int l = 0; l < 4; ++l) {
    shift_list(simulation, system->nq, by_h, by_t, coordinates[l]);
    shift_list(simulation, system->m, by_h, by_t, multipliers[l]);
  }
  for (int i = 0; i < simulation->objectives.count; ++i) {
    shift_list(simulation, 1, by_h, by_t, simulation->objectives.gradient + i * simulation->objectives.stride);
    shift_list(simulation, 1, by_h, by_t, simulation->objectives.g_column + i * system->carried_count);
  }
}

// What an equilibrium was solved for moves with the parameters: u' of the column, and of variables that the column
// moves.
static void start_solved_columns(MbsSimulation *simulation) {
  const MbsSystem *system = simulation->system;
  const MbsEquilibrium *equilibrium = simulation->initial->equilibrium;
  MbsEvents *events = &simulation->events;
  int asked = system->asked_count, solved = equilibrium && equilibrium->is_found ? equilibrium->solved_count : 0;
  for (int j = 0; j < solved; ++j) {
    int own = 0;
    while (events->moving_column[own] != equilibrium->solved_column[j]) {
      ++own;
    }
    for (int k = 0; k < asked; ++k) {
      mbs_scalar sum = equilibrium->solved_slopes[k * solved + j];
      for (int d = 0; d < events->variable_count; ++d) {
        bool is_solved = false;
        for (int l = 0; l < solved; ++l) {
          is_solved = is_solved || equilibrium->solved_column[l] == events->moving_column[d];
        }
        sum += is_solved ? 0
                         : events->variable_columns[d * asked + k] *
                               equilibrium->solved_slopes[events->moving_column[d] * solved + j];
      }
      events->variable_columns[own * asked + k] = sum;
    }
  }
}

void mbs_events_find_moving(MbsSimulation *simulation, const MbsColumns *columns) {
  const MbsSystem *system = simulation->system;
  MbsEvents *events = &simulation->events;
  for (int d = 0; d < events->variable_count; ++d) {
    (void)mbs_function_evaluate(system, &events->initial[d], &simulation->state, NULL);
    for (int k = 0; k < system->asked_count; ++k) {
      events->variable_columns[d * system->asked_count + k] =
          mbs_function_derivative(system, &events->initial[d], &simulation->state, k, columns, NULL);
    }
  }
  start_solved_columns(simulation);
}

void mbs_events_start_columns(MbsSimulation *simulation) {
  const MbsEvents *events = &simulation->events;
  mbs_events_find_moving(simulation, &simulation->columns);
  if (events->moving_count > 0) {
    mbs_events_shift(simulation, NULL, NULL);
  }
}

// the derivative of a function, with what variables do to it
static mbs_scalar derivative_of(const MbsSimulation *simulation, const MbsFunction *function, int k) {
  const MbsSystem *system = simulation->system;
  const MbsEvents *events = &simulation->events;
  mbs_scalar sum = mbs_function_derivative(system, function, &simulation->state, k, &simulation->columns, NULL);
  for (int d = 0; d < events->moving_count; ++d) {
    int own = events->moving_column[d];
    sum += events->variable_columns[d * system->asked_count + k] *
           mbs_function_derivative(system, function, &simulation->state, own, &simulation->columns, NULL);
  }
  return sum;
}

// of the event's time, where the size of the step changes by -t_a' as yet
static MbsStatus find_time(MbsContext *context, const MbsSimulation *simulation, const MbsEvent *event,
                           mbs_scalar *gradient) {
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  (void)mbs_function_evaluate(system, &event->guard, state, NULL);
  mbs_scalar of_h =
      mbs_function_derivative(system, &event->guard, state, system->step_column, &simulation->columns, NULL);
  mbs_scalar rate =
      of_h + mbs_function_derivative(system, &event->guard, state, system->time_column, &simulation->columns, NULL);
  for (int k = 0; k < system->asked_count; ++k) {
    mbs_scalar change = derivative_of(simulation, &event->guard, k);
    gradient[k] = -(change - of_h * simulation->events.t_columns[k]) / rate;
    if (!mbs_is_finite(gradient[k])) {
      return mbs_fail(context, MBS_ERROR_NUMERICAL, event->spec->text.place,
                      "event \"%s\" at t = %.10g: its guard touches zero without passing it, so that its time has no "
                      "derivative",
                      event->spec->name, mbs_re(state->t));
    }
  }
  return MBS_OK;
}

MbsStatus mbs_events_move_columns(MbsContext *context, MbsSimulation *simulation, const MbsStep *step) {
  const MbsSystem *system = simulation->system;
  MbsEvents *events = &simulation->events;
  mbs_scalar *t_columns = events->t_columns;
  int asked = system->asked_count;
  if (step->event > 0) {
    mbs_scalar *gradient = events->gradients + (events->record_count - 1) * asked;
    if (step->is_chained) {
      (void)mbs_put(gradient, asked, t_columns);
    } else {
      MBS_TRY(find_time(context, simulation, &events->items[step->event - 1], gradient));
    }
    for (int k = 0; k < asked; ++k) {  // t_b' - t_a', for a moment
      t_columns[k] = gradient[k] - t_columns[k];
    }
    mbs_events_shift(simulation, t_columns, gradient);
    (void)mbs_put(t_columns, asked, gradient);
    return MBS_OK;
  }
  for (int k = 0; k < asked; ++k) {
    t_columns[k] = -t_columns[k];
  }
  if (events->is_moved || events->moving_count > 0) {
    mbs_events_shift(simulation, events->is_moved ? t_columns : NULL, NULL);
  }
  for (int k = 0; k < asked; ++k) {
    t_columns[k] = 0;
  }
  return MBS_OK;
}

// Before the event: what its targets and assignments depend on. Columns of a step by itself begin anew.
void mbs_events_take_columns(MbsSimulation *simulation, const MbsEvent *event) {
  const MbsSystem *system = simulation->system;
  const MbsColumns *columns = &simulation->columns;
  mbs_columns_begin_step(system, columns, NULL);
  mbs_system_fixed_columns(system, simulation->state.t, columns->X, columns->V, columns->A);
  if (!event || (!event->impulse && event->spec->assignment_count == 0)) {
    return;
  }
  mbs_signal_bank_differentiate(system, &simulation->state, columns);
  for (int i = 0; i < event->spec->assignment_count; ++i) {
    (void)mbs_function_evaluate(system, &event->assigned[i], &simulation->state, NULL);
    for (int k = 0; k < system->column_count; ++k) {
      event->slopes[i * system->column_count + k] =
          mbs_function_derivative(system, &event->assigned[i], &simulation->state, k, columns, NULL);
    }
  }
  if (event->impulse) {
    mbs_impulse_take_columns(event->impulse, &simulation->state, columns);
  }
}

// What depends on variables as they were before the event, slopes of `count` functions: f' + f_d d-', once for all.
static void fold_variables(const MbsSimulation *simulation, int count, mbs_scalar *slopes) {
  const MbsSystem *system = simulation->system;
  const MbsEvents *events = &simulation->events;
  for (int i = 0; i < count; ++i) {
    mbs_scalar *slope = slopes + i * system->column_count;
    for (int d = 0; d < events->moving_count; ++d) {
      mbs_scalar *own = &slope[events->moving_column[d]];
      for (int k = 0; k < system->asked_count; ++k) {
        slope[k] += events->variable_columns[d * system->asked_count + k] * *own;
      }
      *own = 0;
    }
  }
}

// of the variables that the event sets: d+' = f' + f_t t' + f_d d-'
static void assign_columns(MbsSimulation *simulation, const MbsEvent *event) {
  const MbsSystem *system = simulation->system;
  MbsEvents *events = &simulation->events;
  int asked = system->asked_count;
  fold_variables(simulation, event->spec->assignment_count, event->slopes);
  for (int i = 0; i < event->spec->assignment_count; ++i) {
    mbs_scalar *slope = event->slopes + i * system->column_count;
    for (int k = 0; k < asked; ++k) {
      slope[k] += events->t_columns[k] * slope[system->time_column];
    }
  }
  for (int i = 0; i < event->spec->assignment_count && event->spec->is_given && events->setting_slopes; ++i) {
    int input = event->spec->assignments[i].variable - system->blueprint->input_first;
    event->slopes[i * system->column_count + simulation->given.seed] += events->setting_slopes[input];
  }
  for (int i = 0; i < event->spec->assignment_count; ++i) {
    (void)mbs_put(events->variable_columns + event->spec->assignments[i].variable * asked, asked,
                  event->slopes + i * system->column_count);
  }
}

MbsStatus mbs_events_restart_columns(MbsContext *context, MbsSimulation *simulation, const MbsEvent *event) {
  const MbsSystem *system = simulation->system;
  const MbsColumns *columns = &simulation->columns;
  const MbsStep start = {0};
  if (event && event->impulse) {
    fold_variables(simulation, event->spec->jump_count, event->impulse->slopes);
  }
  if (event) {
    assign_columns(simulation, event);
  }
  if (event && event->impulse) {
    mbs_impulse_derivative(event->impulse, columns);
    shift_motion(simulation, simulation->events.t_columns);
    mbs_columns_begin_step(system, columns, NULL);
    mbs_system_fixed_columns(system, simulation->state.t, columns->X, columns->V, columns->A);
  }
  return simulation->stepper->type->derivative(context, simulation->stepper, &start, &simulation->state, columns);
}
