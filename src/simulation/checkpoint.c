// Everything that a step changes, kept and brought back: state, columns, what the stepper carries along, turns of
// angles, conditions, objectives, what is watched (guards, violation of constraints, energy, condition), pivots, and
// how far the path goes. And the part of it that results are made of, which is kept after each step.
#include "simulation/simulation.h"

// One pass over all numbers counts, saves or restores them; or restores all but objectives.
typedef enum Pass { COUNT, SAVE, RESTORE, RETURN } Pass;

typedef struct Cursor {
  Pass pass;
  mbs_scalar *at;
  size_t count;
} Cursor;

static void visit(Cursor *cursor, size_t count, mbs_scalar *numbers) {
  for (size_t i = 0; i < count && cursor->pass != COUNT; ++i) {
    if (cursor->pass == SAVE) {
      cursor->at[cursor->count + i] = numbers[i];
    } else {
      numbers[i] = cursor->at[cursor->count + i];
    }
  }
  cursor->count += count;
}

static void visit_real(Cursor *cursor, size_t count, double *numbers) {
  for (size_t i = 0; i < count && cursor->pass != COUNT; ++i) {
    if (cursor->pass == SAVE) {
      cursor->at[cursor->count + i] = numbers[i];
    } else {
      numbers[i] = mbs_re(cursor->at[cursor->count + i]);
    }
  }
  cursor->count += count;
}

static void visit_long(Cursor *cursor, long *number) {
  double real = (double)*number;
  visit_real(cursor, 1, &real);
  *number = (long)real;
}

static void visit_state(Cursor *cursor, const MbsSimulation *simulation, MbsState *state) {
  size_t nq = (size_t)simulation->system->nq, m = (size_t)simulation->system->m;
  mbs_scalar *const coordinates[] = {state->q, state->v, state->a};
  mbs_scalar *const multipliers[] = {state->lambda, state->sigma, state->kappa, state->total};
  visit(cursor, 1, &state->t);
  for (int i = 0; i < MBS_COUNT(coordinates); ++i) {
    visit(cursor, nq, coordinates[i]);
  }
  for (int i = 0; i < MBS_COUNT(multipliers); ++i) {
    visit(cursor, m, multipliers[i]);
  }
}

static void visit_columns(Cursor *cursor, const MbsSimulation *simulation) {
  const MbsColumns *columns = &simulation->columns;
  size_t count = (size_t)simulation->system->carried_count;
  size_t nq = (size_t)simulation->system->nq * count, m = (size_t)simulation->system->m * count;
  mbs_scalar *const coordinates[] = {columns->X, columns->V, columns->A};
  mbs_scalar *const multipliers[] = {columns->L, columns->S, columns->K, columns->T};
  for (int i = 0; i < MBS_COUNT(coordinates); ++i) {
    visit(cursor, nq, coordinates[i]);
  }
  for (int i = 0; i < MBS_COUNT(multipliers); ++i) {
    visit(cursor, m, multipliers[i]);
  }
}

static void visit_system(Cursor *cursor, const MbsSystem *system) {
  const MbsSignalBank *bank = &system->signals;
  visit(cursor, (size_t)bank->turn_count, bank->turns);
  visit_real(cursor, (size_t)bank->turn_count, bank->previous);
  for (int i = 0; i < system->condition_count; ++i) {
    visit_real(cursor, 3, system->conditions[i].last);
    visit_real(cursor, 3, system->conditions[i].before);
    visit_long(cursor, &system->conditions[i].broken_count);
    visit_real(cursor, 1, &system->conditions[i].broken_from);
    visit_real(cursor, 1, &system->conditions[i].broken_to);
  }
}

static void visit_objectives(Cursor *cursor, const MbsObjectives *objectives) {
  size_t count = (size_t)objectives->count;
  visit(cursor, count, objectives->value);
  visit(cursor, count, objectives->g);
  visit(cursor, count * (size_t)objectives->stride, objectives->gradient);
  visit(cursor, count * (size_t)objectives->system->carried_count, objectives->g_column);
}

static void visit_guards(Cursor *cursor, const MbsGuards *guards) {
  for (int i = 0; i < guards->count; ++i) {
    MbsJumpWatch *watch = &guards->watches[i];
    size_t inputs = (size_t)watch->tape->input_count;
    visit(cursor, inputs, watch->before);
    visit(cursor, inputs, watch->now);
    visit_long(cursor, &watch->moved_count);
    visit_long(cursor, &watch->fixed_count);
    visit_long(cursor, &watch->kink_count);
    visit_real(cursor, 1, &watch->kink_time);
    visit_real(cursor, 1, &watch->moved_time);
    visit_real(cursor, 1, &watch->fixed_time);
    for (int k = 0; k < watch->spec->guard_count; ++k) {
      visit_real(cursor, 1, &watch->guards[k].side);
      visit_real(cursor, 1, &watch->guards[k].value);
    }
  }
}

static void visit_continuity(Cursor *cursor, const MbsContinuityList *objectives) {
  for (int i = 0; i < objectives->count; ++i) {
    long counts[] = {objectives->items[i].without_derivative, objectives->items[i].without_value};
    visit_long(cursor, &counts[0]);
    visit_long(cursor, &counts[1]);
    objectives->items[i].without_derivative = (int)counts[0];
    objectives->items[i].without_value = (int)counts[1];
  }
}

static void visit_events(Cursor *cursor, const MbsEvents *events, const MbsSystem *system) {
  for (int i = 0; i < events->count; ++i) {
    MbsEvent *event = &events->items[i];
    long numbers[] = {event->side, event->is_at_zero, event->is_near, event->is_armed, event->is_held};
    for (int k = 0; k < MBS_COUNT(numbers); ++k) {
      visit_long(cursor, &numbers[k]);
    }
    event->side = (int)numbers[0];
    event->is_at_zero = numbers[1] > 0;
    event->is_near = numbers[2] > 0;
    event->is_armed = numbers[3] > 0;
    event->is_held = numbers[4] > 0;
    visit_real(cursor, 1, &event->value);
    visit_real(cursor, 1, &event->due);
    visit_real(cursor, 1, &event->pace);
    visit_real(cursor, 1, &event->slope);
    visit_real(cursor, 1, &event->trend);
    visit_real(cursor, 1, &event->fastest);
    visit_real(cursor, 1, &event->since);
    visit_real(cursor, 1, &event->happened);
    visit_real(cursor, 1, &event->largest);
  }
  visit(cursor, (size_t)(events->moving_count * system->asked_count), events->variable_columns);
  visit(cursor, events->count > 0 ? (size_t)system->column_count : 0, events->t_columns);
}

static void visit_peaks(Cursor *cursor, const MbsPeaks *peaks, const MbsSystem *system) {
  for (int i = 0; i < peaks->count; ++i) {
    MbsPeak *peak = &peaks->items[i];
    long numbers[] = {peak->count, peak->has_value};
    visit_long(cursor, &numbers[0]);
    visit_long(cursor, &numbers[1]);
    peak->count = (int)numbers[0];
    peak->has_value = numbers[1] > 0;
    visit_real(cursor, 3, peak->t);
    visit_real(cursor, 3, peak->x);
    visit_real(cursor, 2, peak->best);
    visit_real(cursor, 2, peak->best_time);
    visit(cursor, 1, &peak->value);
    visit(cursor, (size_t)system->asked_count, peak->gradient);
  }
}

// variables and branches
static void visit_hidden(Cursor *cursor, const MbsSimulation *simulation) {
  const MbsEvents *events = &simulation->events;
  (void)mbs_put(events->hidden, events->hidden_count,
                simulation->system->parameters + simulation->system->blueprint->variable_first);
  visit(cursor, (size_t)events->hidden_count, events->hidden);
  if (cursor->pass == RESTORE || cursor->pass == RETURN) {
    mbs_system_set_hidden(simulation->system, events->hidden);
  }
}

// all but what the stepper keeps
static void visit_all(Cursor *cursor, const MbsSimulation *simulation, MbsState *state) {
  visit_hidden(cursor, simulation);
  visit_state(cursor, simulation, state);
  visit_columns(cursor, simulation);
  visit_system(cursor, simulation->system);
  visit_guards(cursor, &simulation->guards);
  visit_events(cursor, &simulation->events, simulation->system);
  visit_continuity(cursor, &simulation->continuity.objectives);
  visit_real(cursor, (size_t)simulation->system->m, simulation->violation.gain);
  if (simulation->control.largest) {
    visit_real(cursor, (size_t)simulation->system->n, simulation->control.largest);
  }
  if (simulation->control.largest_of_column) {
    visit_real(cursor, 2 * (size_t)simulation->system->asked_count, simulation->control.largest_of_column);
  }
  Pass pass = cursor->pass;
  cursor->pass = pass == RETURN ? COUNT : pass;
  visit_objectives(cursor, &simulation->objectives);
  visit_peaks(cursor, &simulation->peaks, simulation->system);
  cursor->pass = pass;
}

static MbsStatus make_room(MbsContext *context, const MbsSimulation *simulation, size_t numbers,
                           MbsCheckpoint *checkpoint) {
  checkpoint->pivot_count = 0;
  while (mbs_simulation_solver(simulation, checkpoint->pivot_count)) {
    checkpoint->pivot_count += 1;
  }
  if (numbers > checkpoint->number_capacity) {
    MBS_TAKE(context, simulation->arena, checkpoint->numbers, numbers);
    checkpoint->number_capacity = numbers;
  }
  if (checkpoint->pivot_count > checkpoint->pivot_capacity) {
    MBS_TAKE(context, simulation->arena, checkpoint->pivots, checkpoint->pivot_count);
    checkpoint->pivot_capacity = checkpoint->pivot_count;
  }
  return MBS_OK;
}

MbsStatus mbs_simulation_save(MbsContext *context, const MbsSimulation *simulation, MbsCheckpoint *checkpoint) {
  const MbsStepper *stepper = simulation->stepper;
  MbsState state = simulation->state;
  Cursor cursor = {.pass = COUNT};
  visit_all(&cursor, simulation, &state);
  size_t steppers = (size_t)stepper->type->save_size(stepper);
  MBS_TRY(make_room(context, simulation, cursor.count + steppers, checkpoint));
  cursor = (Cursor){.pass = SAVE, .at = checkpoint->numbers};
  visit_all(&cursor, simulation, &state);
  stepper->type->save(stepper, checkpoint->numbers + cursor.count);
  for (int i = 0; i < checkpoint->pivot_count; ++i) {
    checkpoint->pivots[i] = mbs_sparse_solver_pivots(mbs_simulation_solver(simulation, i));
  }
  checkpoint->is_started = simulation->is_started;
  checkpoint->step_count = simulation->path.step_count;
  checkpoint->statistics = simulation->statistics;
  checkpoint->violation = simulation->violation;
  checkpoint->energy = simulation->energy;
  checkpoint->control = simulation->control;
  checkpoint->largest_velocity = simulation->largest_velocity;
  checkpoint->largest_acceleration = simulation->largest_acceleration;
  checkpoint->watched_quality = simulation->watched_quality;
  checkpoint->condition_start = simulation->condition_start;
  checkpoint->planned = simulation->planned;
  checkpoint->record_count = simulation->events.record_count;
  checkpoint->setting_count = simulation->events.setting_count;
  checkpoint->since_grid = simulation->events.since_grid;
  checkpoint->is_over = simulation->events.is_over;
  checkpoint->is_moved = simulation->events.is_moved;
  checkpoint->last = simulation->events.step;
  checkpoint->chained = simulation->events.chained;
  return MBS_OK;
}

MbsStatus mbs_simulation_copy_checkpoint(MbsContext *context, const MbsSimulation *simulation,
                                         const MbsCheckpoint *from, MbsCheckpoint *to) {
  MBS_TRY(make_room(context, simulation, from->number_capacity, to));
  MbsCheckpoint own = *to;
  *to = *from;
  to->numbers = own.numbers;
  to->number_capacity = own.number_capacity;
  to->pivots = own.pivots;
  to->pivot_capacity = own.pivot_capacity;
  for (size_t i = 0; i < from->number_capacity; ++i) {
    to->numbers[i] = from->numbers[i];
  }
  for (int i = 0; i < from->pivot_count; ++i) {
    to->pivots[i] = from->pivots[i];
  }
  return MBS_OK;
}

static void bring_back(MbsSimulation *simulation, const MbsCheckpoint *checkpoint, Pass pass) {
  MbsStepper *stepper = simulation->stepper;
  Cursor cursor = {.pass = pass, .at = checkpoint->numbers};
  MbsSparseSolver *solver;
  visit_all(&cursor, simulation, &simulation->state);
  stepper->type->restore(stepper, checkpoint->numbers + cursor.count, &simulation->state);
  for (int i = 0; (solver = mbs_simulation_solver(simulation, i)); ++i) {
    mbs_sparse_solver_use_pivots(solver, i < checkpoint->pivot_count ? checkpoint->pivots[i] : 0);
  }
  stepper->iterations = checkpoint->statistics.iterations;
  simulation->is_started = checkpoint->is_started;
  simulation->statistics = checkpoint->statistics;
  simulation->violation = checkpoint->violation;  // its arrays are the simulation's own
  simulation->energy = checkpoint->energy;
  simulation->control = checkpoint->control;  // its arrays are the simulation's own
  simulation->largest_velocity = checkpoint->largest_velocity;
  simulation->largest_acceleration = checkpoint->largest_acceleration;
  simulation->watched_quality = checkpoint->watched_quality;
  simulation->condition_start = checkpoint->condition_start;
  simulation->planned = checkpoint->planned;
  simulation->events.record_count = checkpoint->record_count;
  simulation->events.setting_count = checkpoint->setting_count;
  simulation->events.since_grid = checkpoint->since_grid;
  simulation->events.is_over = checkpoint->is_over;
  simulation->events.is_moved = checkpoint->is_moved;
  simulation->events.step = checkpoint->last;
  simulation->events.chained = checkpoint->chained;
}

void mbs_simulation_return(MbsSimulation *simulation, const MbsCheckpoint *checkpoint) {
  bring_back(simulation, checkpoint, RETURN);
}

void mbs_simulation_restore(MbsSimulation *simulation, const MbsCheckpoint *checkpoint) {
  bring_back(simulation, checkpoint, RESTORE);
  mbs_path_cut(&simulation->path, checkpoint->step_count);
  const MbsPath *followed = simulation->followed;
  MbsPeaks *peaks = &simulation->peaks;
  peaks->replayed = peaks->replayed < followed->peak_count ? peaks->replayed : followed->peak_count;
  while (peaks->replayed > 0 && followed->peaks[peaks->replayed - 1].found > checkpoint->step_count) {
    peaks->replayed -= 1;
  }
}

// ---- what results are made of ----
// A step that fails leaves the state, and an event variables and objectives too, somewhere between before and after.
static void visit_shown(Cursor *cursor, const MbsSimulation *simulation, MbsState *state) {
  const MbsObjectives *objectives = &simulation->objectives;
  visit_hidden(cursor, simulation);
  visit_state(cursor, simulation, state);
  visit(cursor, (size_t)simulation->system->signals.turn_count, simulation->system->signals.turns);
  visit(cursor, (size_t)objectives->count, objectives->value);
  visit(cursor, (size_t)objectives->count * (size_t)objectives->stride, objectives->gradient);
}

MbsStatus mbs_simulation_create_kept(MbsContext *context, MbsSimulation *simulation) {
  Cursor cursor = {.pass = COUNT};
  visit_shown(&cursor, simulation, &simulation->state);
  MBS_TAKE(context, simulation->arena, simulation->kept.numbers, cursor.count);
  return MBS_OK;
}

// An event that is still to happen does not count yet.
void mbs_simulation_keep(MbsSimulation *simulation) {
  Cursor cursor = {.pass = SAVE, .at = simulation->kept.numbers};
  visit_shown(&cursor, simulation, &simulation->state);
  bool is_coming = simulation->events.step.event > 0 && mbs_events_is_pending(simulation);
  simulation->kept.statistics = simulation->statistics;
  simulation->kept.violation = simulation->violation;
  simulation->kept.record_count = simulation->events.record_count - (is_coming ? 1 : 0);
}

void mbs_simulation_give_back(MbsSimulation *simulation) {
  Cursor cursor = {.pass = RESTORE, .at = simulation->kept.numbers};
  visit_shown(&cursor, simulation, &simulation->state);
  simulation->statistics = simulation->kept.statistics;
  simulation->violation = simulation->kept.violation;
  simulation->events.record_count = simulation->kept.record_count;
  mbs_violation_finish(simulation);
  mbs_signal_bank_evaluate(simulation->system, &simulation->state);
}
