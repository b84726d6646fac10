// See trajectory.h.
#include "sensitivities/trajectory.h"

#include <math.h>

static const double unasked = 1e9;

// ---- how much to keep ----
static double row_bytes(const MbsTrajectory *trajectory) { return (double)sizeof(mbs_scalar) * trajectory->row_size; }

static double snapshot_bytes(const MbsTrajectory *trajectory) {
  return (double)sizeof(mbs_scalar) * trajectory->snapshot_size;
}

// with a ring of `length` rows
static double bytes_needed(const MbsTrajectory *trajectory, double length) {
  double segments = ceil((double)trajectory->step_count / length);  // real
  return row_bytes(trajectory) * (length + 1) + snapshot_bytes(trajectory) * (segments - 1);
}

static MbsStatus divide_known(MbsContext *context, MbsTrajectory *trajectory, double memory) {
  double steps = (double)trajectory->step_count, row = row_bytes(trajectory), snapshot = snapshot_bytes(trajectory);
  double bound = memory > 0 ? memory : unasked;
  double thrifty = floor(sqrt(steps * snapshot / row));  // real
  thrifty = thrifty < 1 ? 1 : thrifty > steps ? steps : thrifty;
  double half = (bound - row) / 2, root = half * half - row * snapshot * steps;
  double longest = root >= 0 ? floor((half + sqrt(root)) / row) : 0;  // real
  double length = bytes_needed(trajectory, steps) <= bound                               ? steps
                  : longest >= 1 && bytes_needed(trajectory, longest) <= bound           ? longest
                  : bytes_needed(trajectory, thrifty) <= bytes_needed(trajectory, steps) ? thrifty
                                                                                         : steps;
  if (memory > 0 && bytes_needed(trajectory, length) > memory) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "the adjoint cannot keep %ld steps in %.10g bytes: it needs at least %.0f, and %.0f to take every "
                    "step only once",
                    trajectory->step_count, memory, bytes_needed(trajectory, length), bytes_needed(trajectory, steps));
  }
  trajectory->row_capacity = trajectory->most_rows = trajectory->spacing = (long)length;
  trajectory->snapshot_capacity = (trajectory->step_count + trajectory->spacing - 1) / trajectory->spacing - 1;
  return MBS_OK;
}

static MbsStatus divide_unknown(MbsContext *context, MbsTrajectory *trajectory, double memory) {
  const long first_rows = 256;
  double bound = memory > 0 ? memory : unasked;
  double rows = floor(bound / 2 / row_bytes(trajectory) - 1);        // real
  double snapshots = floor(bound / 2 / snapshot_bytes(trajectory));  // real
  if (rows < 1 || snapshots < 1) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "the adjoint cannot keep a trajectory in %.10g bytes: it needs at least %.0f", memory,
                    2 * fmax(2 * row_bytes(trajectory), snapshot_bytes(trajectory)));  // real
  }
  trajectory->most_rows = (long)rows;
  trajectory->row_capacity = trajectory->most_rows < first_rows ? trajectory->most_rows : first_rows;
  trajectory->snapshot_capacity = (long)fmin(snapshots, rows);  // real
  trajectory->spacing = 1;
  return MBS_OK;
}

MbsStatus mbs_trajectory_resize(MbsContext *context, MbsTrajectory *trajectory, long step_count, double memory) {
  MbsArena *arena = trajectory->simulation->system->arena;
  long rows = trajectory->row_capacity, snapshots = trajectory->snapshot_capacity;
  trajectory->step_count = step_count;
  MBS_TRY((step_count > 0 ? divide_known : divide_unknown)(context, trajectory, memory));
  if (!trajectory->rows || trajectory->row_capacity > rows) {
    MBS_TAKE(context, arena, trajectory->rows, (size_t)trajectory->row_size * (size_t)trajectory->row_capacity);
  }
  if (!trajectory->snapshots || trajectory->snapshot_capacity > snapshots) {
    MBS_TAKE(context, arena, trajectory->snapshots,
             (size_t)trajectory->snapshot_size * (size_t)trajectory->snapshot_capacity);
    MBS_TAKE(context, arena, trajectory->snapshot_step, trajectory->snapshot_capacity);
  }
  return MBS_OK;
}

MbsStatus mbs_trajectory_create(MbsContext *context, MbsSimulation *simulation, long step_count, double memory,
                                MbsTrajectory **result) {
  const MbsSystem *system = simulation->system;
  MbsTrajectory *trajectory;
  MBS_TAKE(context, system->arena, trajectory, 1);
  int turns = 2 * system->signals.turn_count;
  trajectory->simulation = simulation;
  int flow = simulation->events.count > 0 ? 3 * system->n + 4 * system->m : 0;
  trajectory->row_size = turns + (flow > simulation->stepper->row_size ? flow : simulation->stepper->row_size);
  trajectory->snapshot_size = turns + mbs_system_hidden_count(system) + 3 * system->n + system->m +
                              simulation->stepper->type->save_size(simulation->stepper);
  if (!(memory >= 0)) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "the adjoint cannot keep its trajectory in %g bytes",
                    memory);
  }
  MBS_TAKE(context, system->arena, trajectory->start, trajectory->row_size);
  MBS_TRY(mbs_trajectory_resize(context, trajectory, step_count, memory));
  *result = trajectory;
  return MBS_OK;
}

// ---- there ----
// whole turns of each angle, and where it was; returns what follows
static mbs_scalar *put_turns(const MbsSystem *system, mbs_scalar *to) {
  const MbsSignalBank *bank = &system->signals;
  to = mbs_put(to, bank->turn_count, bank->turns);
  for (int i = 0; i < bank->turn_count; ++i) {
    *to++ = bank->previous[i];
  }
  return to;
}

static const mbs_scalar *take_turns(const MbsSystem *system, const mbs_scalar *from) {
  const MbsSignalBank *bank = &system->signals;
  from = mbs_take(from, bank->turn_count, bank->turns);
  for (int i = 0; i < bank->turn_count; ++i) {
    bank->previous[i] = mbs_re(*from++);
  }
  return from;
}

static mbs_scalar *row_of(const MbsTrajectory *trajectory, long step) {
  return step == 0 ? trajectory->start
                   : trajectory->rows + (step - 1) % trajectory->row_capacity * (long)trajectory->row_size;
}

// of a piece that is no step: the state itself
static void put_flow(const MbsSystem *system, const MbsState *state, mbs_scalar *row) {
  const mbs_scalar *const coordinates[] = {state->q, state->v, state->a};
  const mbs_scalar *const multipliers[] = {state->lambda, state->sigma, state->kappa, state->total};
  for (int i = 0; i < MBS_COUNT(coordinates); ++i) {
    row = mbs_put(row, system->n, coordinates[i]);
  }
  for (int i = 0; i < MBS_COUNT(multipliers); ++i) {
    row = mbs_put(row, system->m, multipliers[i]);
  }
}

static void take_flow(const MbsSystem *system, const mbs_scalar *row, const MbsState *state) {
  mbs_scalar *const coordinates[] = {state->q, state->v, state->a};
  mbs_scalar *const multipliers[] = {state->lambda, state->sigma, state->kappa, state->total};
  for (int i = 0; i < MBS_COUNT(coordinates); ++i) {
    row = mbs_take(row, system->n, coordinates[i]);
  }
  for (int i = 0; i < MBS_COUNT(multipliers); ++i) {
    row = mbs_take(row, system->m, multipliers[i]);
  }
}

static void put_row(const MbsTrajectory *trajectory, long step) {
  const MbsSimulation *simulation = trajectory->simulation;
  mbs_scalar *row = put_turns(simulation->system, row_of(trajectory, step));
  if (mbs_path_step(&simulation->path, step).is_flow) {
    put_flow(simulation->system, &simulation->state, row);
  } else {
    simulation->stepper->type->put_row(simulation->stepper, &simulation->state, row);
  }
}

// everything that the next step depends on
static void put_snapshot(MbsTrajectory *trajectory, long step) {
  const MbsSimulation *simulation = trajectory->simulation;
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  mbs_scalar *to = trajectory->snapshots + trajectory->snapshot_count * trajectory->snapshot_size;
  to = put_turns(system, to);
  to = mbs_put(to, mbs_system_hidden_count(system), system->parameters + system->blueprint->variable_first);
  to = mbs_put(to, system->n, state->q);
  to = mbs_put(to, system->n, state->v);
  to = mbs_put(to, system->n, state->a);
  to = mbs_put(to, system->m, state->lambda);
  simulation->stepper->type->save(simulation->stepper, to);
  trajectory->snapshot_step[trajectory->snapshot_count++] = step;
}

// the ring holds all steps still: twice as many rows, if it may
static MbsStatus grow_ring(MbsContext *context, MbsTrajectory *trajectory) {
  long rows = 2 * trajectory->row_capacity, size = trajectory->row_size;
  rows = rows < trajectory->most_rows ? rows : trajectory->most_rows;
  mbs_scalar *grown;
  MBS_TAKE(context, trajectory->simulation->system->arena, grown, (size_t)(rows * size));
  for (long i = 0; i < trajectory->row_capacity * size; ++i) {
    grown[i] = trajectory->rows[i];
  }
  trajectory->rows = grown;
  trajectory->row_capacity = rows;
  return MBS_OK;
}

// every other snapshot is given up
static void thin(MbsTrajectory *trajectory) {
  long kept = 0;
  trajectory->spacing *= 2;
  for (long i = 0; i < trajectory->snapshot_count; ++i) {
    if (trajectory->snapshot_step[i] % trajectory->spacing == 0) {
      (void)mbs_put(trajectory->snapshots + kept * trajectory->snapshot_size, trajectory->snapshot_size,
                    trajectory->snapshots + i * trajectory->snapshot_size);
      trajectory->snapshot_step[kept++] = trajectory->snapshot_step[i];
    }
  }
  trajectory->snapshot_count = kept;
}

static MbsStatus record_snapshot(MbsContext *context, MbsTrajectory *trajectory, long step) {
  bool is_needed = trajectory->step_count == 0 || step + trajectory->row_capacity < trajectory->step_count;
  if (step % trajectory->spacing != 0 || !is_needed) {
    return MBS_OK;
  }
  if (trajectory->snapshot_count == trajectory->snapshot_capacity) {
    thin(trajectory);
    if (trajectory->spacing > trajectory->most_rows) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                      "the adjoint cannot keep more than %ld steps in the memory it is given, at t = %.10g", step,
                      mbs_re(trajectory->simulation->state.t));
    }
  }
  if (step % trajectory->spacing == 0) {
    put_snapshot(trajectory, step);
  }
  return MBS_OK;
}

MbsStatus mbs_trajectory_record(MbsContext *context, MbsTrajectory *trajectory) {
  MbsStatistics *statistics = &trajectory->simulation->statistics;
  long step = trajectory->simulation->path.step_count;
  if (step == 0) {
    trajectory->snapshot_count = 0;
    trajectory->first_row = 1;
  }
  if (step > trajectory->row_capacity && trajectory->row_capacity < trajectory->most_rows) {
    MBS_TRY(grow_ring(context, trajectory));
  }
  put_row(trajectory, step);
  long oldest = step - trajectory->row_capacity + 1;
  trajectory->first_row = oldest > trajectory->first_row ? oldest : trajectory->first_row;
  MBS_TRY(record_snapshot(context, trajectory, step));
  statistics->segments = trajectory->first_row > 1 ? (step + trajectory->spacing - 1) / trajectory->spacing : 1;
  // what was written: room for more costs nothing until it is used
  double bytes = row_bytes(trajectory) * (double)(trajectory->row_capacity + 1) +
                 snapshot_bytes(trajectory) * (double)trajectory->snapshot_count;
  bool is_most = step == 0 || bytes > statistics->trajectory_bytes;
  statistics->trajectory_bytes = is_most ? bytes : statistics->trajectory_bytes;
  return MBS_OK;
}

void mbs_trajectory_cut(MbsTrajectory *trajectory, long step) {
  while (trajectory->snapshot_count > 0 && trajectory->snapshot_step[trajectory->snapshot_count - 1] > step) {
    trajectory->snapshot_count -= 1;
  }
  if (step < trajectory->first_row) {  // their rows were written over
    trajectory->first_row = step + 1;
  }
}

// ---- and back ----
// the rows from the last snapshot before a step up to that step
static MbsStatus walk_again(MbsContext *context, MbsTrajectory *trajectory, long last) {
  MbsSimulation *simulation = trajectory->simulation;
  const MbsSystem *system = simulation->system;
  MbsState *state = &simulation->state;
  while (trajectory->snapshot_step[trajectory->snapshot_count - 1] >= last) {
    trajectory->snapshot_count -= 1;
  }
  long first = trajectory->snapshot_step[trajectory->snapshot_count - 1];
  const mbs_scalar *from = trajectory->snapshots + (trajectory->snapshot_count - 1) * trajectory->snapshot_size;
  from = take_turns(system, from);
  mbs_system_set_hidden(simulation->system, from);
  from += mbs_system_hidden_count(system);
  state->t = mbs_path_step(&simulation->path, first).t;
  mbs_state_place_fixed(system, state);
  from = mbs_take(from, system->n, state->q);
  from = mbs_take(from, system->n, state->v);
  from = mbs_take(from, system->n, state->a);
  from = mbs_take(from, system->m, state->lambda);
  simulation->stepper->type->restore(simulation->stepper, from, state);
  mbs_signal_bank_evaluate(system, state);
  for (long number = first + 1; number <= last; ++number) {
    const MbsStep before = mbs_path_step(&simulation->path, number - 1);
    MbsStep step = mbs_path_step(&simulation->path, number);
    if (mbs_step_restarts(&before)) {
      MBS_TRY(mbs_events_restart(context, simulation, &before));
    }
    if (step.is_flow) {
      mbs_events_flow(simulation, &step);
    } else {
      MBS_TRY(mbs_simulation_repeat_step(context, simulation, &step));
    }
    put_row(trajectory, number);
  }
  trajectory->first_row = first + 1;
  return MBS_OK;
}

MbsStatus mbs_trajectory_recall(MbsContext *context, MbsTrajectory *trajectory, const MbsStep *step) {
  MbsSimulation *simulation = trajectory->simulation;
  MbsState *state = &simulation->state;
  if (step->number > 0 && step->number < trajectory->first_row) {
    MBS_TRY(walk_again(context, trajectory, step->number));
  }
  const mbs_scalar *row = take_turns(simulation->system, row_of(trajectory, step->number));
  state->t = step->t;
  mbs_state_place_fixed(simulation->system, state);
  if (step->is_flow) {
    take_flow(simulation->system, row, state);
  } else {
    MBS_TRY(simulation->stepper->type->recall(context, simulation->stepper, step, row, state));
  }
  mbs_signal_bank_evaluate(simulation->system, state);
  return MBS_OK;
}
