// How far the constraints are off, against the mechanism's size and speeds.
//
// Coordinates are counted in what they are in the mechanism: with s its size for positions and slides, 1 for directions
// and angles, a constraint is off by
//     p = |Phi| / |Phi_q s|,        u = |Phidot| / |Phi_q s|
// p, which has no unit, is the displacement, in sizes of the mechanism, that would put it right; u such a velocity,
// which counts against the largest of the run, w = largest |v| / s. Nonholonomic constraints have A for Phi_q, and u
// alone. A motion that takes the mechanism nowhere in the whole run has no velocity to compare with: w is at least 1e-3
// / end.
//
// Formulations without a position level drift by the integrator's error, and where the motion is too wild for the step,
// or a driver asks for what cannot be, the mechanism ends up in pieces while every step is solved. From a thousandth on
// a run warns (sensitivities/warnings_bridge.c); off by its size it has no meaning, and the run stops.
//
// The gradients are evaluated now and then, and where a constraint looks worse than any was before: a run that keeps
// its constraints pays for a multiplication by constraint and step. The largest of the levels themselves, in the units
// of each constraint, are residuals of the statistics.
#include <math.h>

#include "simulation/simulation.h"

static const double hardly = 3e-4;             // what is below is not looked at any closer
static const double meaningless[] = {0.3, 1};  // a bar as long as the mechanism is twice as long, or half; all slides
enum { STEPS_BETWEEN = 256 };                  // evaluations of the gradients

// ---- the mechanism's size ----
typedef struct Box {
  bool is_empty;
  double least[3], most[3];
} Box;

static void enclose(Box *box, int dimension, const mbs_scalar *r) {
  for (int k = 0; k < dimension; ++k) {
    double x = mbs_re(r[k]);
    box->least[k] = box->is_empty || x < box->least[k] ? x : box->least[k];
    box->most[k] = box->is_empty || x > box->most[k] ? x : box->most[k];
  }
  box->is_empty = false;
}

// of the box around all points of bodies and of the ground; where there is one point alone, its distance from the
// origin
static double size_of(const MbsSystem *system, const MbsState *state) {
  const MbsSystem *bodies = system->bodies;
  Box box = {.is_empty = true};
  double square = 0;
  for (int i = 0; i < system->point_count; ++i) {
    mbs_scalar r[3], v[3], a[3];
    mbs_system_point(system, i, state, r, v, a);
    enclose(&box, system->dimension, r);
  }
  for (int e = 0; e < bodies->blueprint->entities.count; ++e) {
    const MbsEntity *entity = &bodies->blueprint->entities.items[e];
    if (entity->is_fixed && entity->kind == MBS_ENTITY_POINT) {
      enclose(&box, system->dimension, state->q + system->n + bodies->entity_first[e] - bodies->n);
    }
  }
  for (int k = 0; k < system->dimension; ++k) {
    square += (box.most[k] - box.least[k]) * (box.most[k] - box.least[k]);
  }
  double size = square > 0 ? sqrt(square) : mbs_state_size(system, state);  // real
  return size > 0 ? size : 1;
}

// 1/s of each coordinate. The unit of one of the model's own is not known: the smaller s.
static void find_units(const MbsSystem *system, double size, double *per_unit) {
  for (int k = 0; k < system->n; ++k) {
    bool is_length = system->units[k] == MBS_UNIT_LENGTH || (system->units[k] == MBS_UNIT_UNKNOWN && size < 1);
    per_unit[k] = is_length ? 1 / size : 1;
  }
}

// ---- gradients ----
// 1 / |Phi_q s|, or of A
static void find_gains(MbsViolation *violation, const MbsState *state) {
  const MbsSparseRows *rows = &violation->jacobian.rows;
  mbs_jacobian_evaluate_rates(&violation->jacobian, state);
  for (int k = 0; k < rows->row_count; ++k) {
    double square = 0;
    for (int i = rows->start[k]; i < rows->start[k + 1]; ++i) {
      double part = rows->value[i] / violation->per_unit[rows->column[i]];
      square += part * part;
    }
    violation->gain[k] = square > 0 ? 1 / sqrt(square) : 0;  // real
  }
}

MbsStatus mbs_violation_create(MbsContext *context, const MbsSystem *system, MbsViolation *violation) {
  MBS_TAKE(context, system->arena, violation->per_unit, system->n);
  MBS_TAKE(context, system->arena, violation->gain, system->m);
  return mbs_jacobian_create(context, system->arena, system, &violation->jacobian);
}

void mbs_violation_start(const MbsSimulation *simulation, MbsViolation *violation) {
  violation->size = size_of(simulation->system, &simulation->state);
  find_units(simulation->system, violation->size, violation->per_unit);
  find_gains(violation, &simulation->state);
  violation->fastest = 1e-3 / simulation->settings.end;
  for (int l = 0; l < 2; ++l) {
    violation->worst[l] = violation->looked_at[l] = 0;
  }
}

void mbs_violation_jump(MbsSimulation *simulation) { find_gains(&simulation->violation, &simulation->state); }

// ---- the worst ----
static MbsStatus comes_apart(MbsContext *context, const MbsSimulation *simulation, int level, int worst, double off) {
  const MbsSystem *system = simulation->system;
  const MbsRowSpec *row = &system->blueprint->rows.items[worst];
  return mbs_fail(context, MBS_ERROR_NUMERICAL, row->place,
                  "the mechanism comes apart at t = %.10g: %s \"%s\" is off by %.3g, %.2g times %s; %stry a smaller "
                  "step, or formulation ali3p, which keeps constraints",
                  mbs_re(simulation->state.t), row->is_driver ? "driver" : "constraint",
                  row->is_driver ? row->owner : row->name,
                  mbs_re(mbs_abs(simulation->levels[level * system->m + worst])), off,
                  level == 0 ? "the size of the mechanism" : "the largest velocity",
                  row->is_driver ? "it may ask for what cannot be; else " : "");
}

// of positions and of velocities, and which constraints
static void find_worst(const MbsSimulation *simulation, double worst[2], int row[2]) {
  const MbsViolation *violation = &simulation->violation;
  const mbs_scalar *level = simulation->levels;
  int count = simulation->system->m;
  worst[0] = worst[1] = 0;
  for (int k = 0; k < 2 * count; ++k) {
    int l = k >= count, constraint = k - l * count;
    double off = mbs_re(mbs_abs(level[k])) * violation->gain[constraint];
    if (off > worst[l]) {
      worst[l] = off;
      row[l] = constraint;
    }
  }
}

void mbs_violation_find(MbsSimulation *simulation, double off[2], double left[2], int row[2]) {
  mbs_scalar *level = simulation->levels;
  int m = simulation->system->m;
  row[0] = row[1] = 0;
  mbs_terms_constraints(simulation->system, &simulation->state, level, level + m, level + 2 * m);
  find_gains(&simulation->violation, &simulation->state);
  find_worst(simulation, off, row);
  for (int l = 0; l < 2; ++l) {
    left[l] = m > 0 ? mbs_re(mbs_abs(level[l * m + row[l]])) : 0;
  }
  off[1] /= simulation->violation.fastest;
}

// some are off
static MbsStatus look(MbsContext *context, MbsSimulation *simulation) {
  const MbsSystem *system = simulation->system;
  MbsViolation *violation = &simulation->violation;
  MbsWorst *known[] = {&simulation->statistics.worst_position, &simulation->statistics.worst_velocity};
  const double units[] = {1, violation->fastest};
  double worst[2];
  int row[2] = {0, 0};
  find_worst(simulation, worst, row);
  if (worst[0] > 1.2 * violation->looked_at[0] || worst[1] > 1.2 * violation->looked_at[1]) {
    find_gains(violation, &simulation->state);
    find_worst(simulation, worst, row);
  }
  for (int l = 0; l < 2; ++l) {
    violation->looked_at[l] = worst[l] > violation->looked_at[l] ? worst[l] : violation->looked_at[l];
    if (worst[l] > violation->worst[l] && worst[l] > hardly * units[l]) {
      violation->worst[l] = worst[l];
      *known[l] = (MbsWorst){.time = mbs_re(simulation->state.t), .constraint = row[l]};
    }
    bool is_own = l == 0 || system->mode.rows[row[l]].is_nonholonomic;
    if (is_own && worst[l] > meaningless[l] * units[l]) {
      return comes_apart(context, simulation, l, row[l], worst[l] / units[l]);
    }
  }
  return MBS_OK;
}

void mbs_violation_residuals(MbsSimulation *simulation, mbs_scalar residual[3]) {
  mbs_scalar *level = simulation->levels;
  int m = simulation->system->m;
  mbs_terms_constraints(simulation->system, &simulation->state, level, level + m, level + 2 * m);
  for (int l = 0; l < 3; ++l, level += m) {
    double largest = 0;
    for (int k = 0; k < m; ++k) {
      double magnitude = mbs_re(mbs_abs(level[k]));
      largest = magnitude > largest ? magnitude : largest;
    }
    residual[l] = largest;
  }
}

MbsStatus mbs_violation_watch(MbsContext *context, MbsSimulation *simulation) {
  MbsViolation *violation = &simulation->violation;
  MbsStatistics *statistics = &simulation->statistics;
  double *const residual[] = {&statistics->residual_position, &statistics->residual_velocity,
                              &statistics->residual_acceleration};
  const mbs_scalar *level = simulation->levels, *v = simulation->state.v;
  double fastest = violation->fastest, off[3] = {0};
  for (int l = 0; l < 3; ++l, level += simulation->system->m) {
    double largest = *residual[l], worst = 0;
    for (int k = 0; k < simulation->system->m; ++k) {
      double magnitude = mbs_re(mbs_abs(level[k])), own = magnitude * violation->gain[k];
      largest = magnitude > largest ? magnitude : largest;
      worst = own > worst ? own : worst;
    }
    *residual[l] = largest;
    off[l] = worst;
  }
  for (int i = 0; i < simulation->system->n; ++i) {
    double rate = mbs_re(mbs_abs(v[i])) * violation->per_unit[i];
    fastest = rate > fastest ? rate : fastest;
  }
  violation->fastest = fastest;
  bool is_due = simulation->path.step_count % STEPS_BETWEEN == 0, is_far = off[0] > hardly || off[1] > hardly * fastest;
  if (is_due) {
    find_gains(violation, &simulation->state);
  }
  return is_due || is_far ? look(context, simulation) : MBS_OK;
}

void mbs_violation_finish(MbsSimulation *simulation) {
  const MbsViolation *violation = &simulation->violation;
  simulation->statistics.worst_position.off = violation->worst[0];
  simulation->statistics.worst_velocity.off = violation->worst[1] / violation->fastest;
}
