// See continuity.h.
#include "simulation/continuity.h"

#include <math.h>
#include <string.h>

#include "simulation/simulation.h"

static const double shaking[MBS_CONTINUITY_STATES] = {0, 1e-12, -1e-12, 1e-2, -1e-2};
static const double altogether = 1e-3;  // what changes by more of its size is not continuous

// ---- what is looked at ----
// Is it made of operations that may have no derivative somewhere?
static MbsStatus may_lack_derivative(MbsContext *context, const MbsSystem *system, int count, const MbsNode *nodes,
                                     bool *result) {
  const MbsGraph *graph = system->blueprint->graph;
  int found;
  const MbsNode *parts;
  MBS_TRY(mbs_graph_nodes_of(context, system->blueprint->graph, count, nodes, &found, &parts));
  *result = false;
  for (int i = 0; i < found && !*result; ++i) {
    const MbsGraphNode *node = mbs_graph_node(graph, parts[i]);
    switch (node->operation) {
      case MBS_OP_POWER:
      case MBS_OP_SQRT:
      case MBS_OP_LOG:
      case MBS_OP_ASIN:
      case MBS_OP_ACOS:
      case MBS_OP_ATAN2:
      case MBS_OP_ABS:
      case MBS_OP_SIGN:
      case MBS_OP_STEP:
      case MBS_OP_FLOOR:
      case MBS_OP_SIDE:
      case MBS_OP_MINIMUM:
      case MBS_OP_MAXIMUM: *result = true; break;
      case MBS_OP_DIVIDE: *result = mbs_graph_node(graph, node->operand[1])->operation != MBS_OP_CONSTANT; break;
      case MBS_OP_POWER_INTEGER: *result = node->index < 0; break;
      default: break;
    }
  }
  return MBS_OK;
}

// for jumps, not for kinks alone
static bool is_watched_by_guards(const MbsSystem *system, const char *owner) {
  for (int i = 0; i < system->blueprint->jumps.count; ++i) {
    const MbsJumpSpec *jump = &system->blueprint->jumps.items[i];
    for (int k = 0; k < jump->guard_count && strcmp(jump->owner, owner) == 0; ++k) {
      if (mbs_operation_jumps(jump->guards[k].operation)) {
        return true;
      }
    }
  }
  return false;
}

static void add(MbsContinuityList *list, int index, int count, int *total) {
  list->items[list->count++] = (MbsContinuityItem){.index = index, .start = *total, .count = count};
  *total += count;
}

static MbsStatus list_forces(MbsContext *context, const MbsSystem *system, MbsContinuityList *list, int *total) {
  const MbsBlueprint *blueprint = system->blueprint;
  MBS_TAKE(context, system->arena, list->items, blueprint->forces.count);
  for (int i = 0; i < blueprint->forces.count; ++i) {
    const MbsForceSpec *force = &blueprint->forces.items[i];
    int size = force->port_count * system->dimension;
    bool is_listed = force->kernel != NULL;
    if (!is_listed && !is_watched_by_guards(system, force->name)) {
      MBS_TRY(may_lack_derivative(context, system, size, force->expressions, &is_listed));
    }
    if (is_listed) {
      add(list, i, size, total);
    }
  }
  return MBS_OK;
}

static MbsStatus list_constraints(MbsContext *context, const MbsSimulation *simulation, MbsContinuityList *list,
                                  int *total) {
  const MbsSystem *system = simulation->system;
  const int *start = simulation->violation.jacobian.rows.start;
  MBS_TAKE(context, system->arena, list->items, system->m);
  for (int k = 0; k < system->m; ++k) {
    const MbsRowSpec *row = &system->blueprint->rows.items[k];
    bool is_listed = false;
    if (row->kind == MBS_ROW_EXPRESSION && !is_watched_by_guards(system, row->owner)) {
      MBS_TRY(may_lack_derivative(context, system, 1, &row->expression, &is_listed));
    }
    if (is_listed) {
      add(list, k, start[k + 1] - start[k], total);
    }
  }
  return MBS_OK;
}

static MbsStatus list_independents(MbsContext *context, const MbsSystem *system, MbsContinuityList *list, int *total) {
  const MbsBlueprint *blueprint = system->blueprint;
  MBS_TAKE(context, system->arena, list->items, blueprint->independents.count);
  for (int i = 0; i < blueprint->independents.count; ++i) {
    bool is_listed = false;
    if (!blueprint->independents.items[i].is_chosen) {
      MBS_TRY(may_lack_derivative(context, system, 1, &blueprint->independents.items[i].coordinate, &is_listed));
    }
    if (is_listed) {
      add(list, i, system->n, total);
    }
  }
  return MBS_OK;
}

static MbsStatus list_objectives(MbsContext *context, const MbsSimulation *simulation, MbsContinuityList *list,
                                 int *total) {
  const MbsSystem *system = simulation->system;
  const MbsBlueprint *blueprint = system->blueprint;
  MBS_TAKE(context, system->arena, list->items, blueprint->objectives.count);
  for (int i = 0; i < blueprint->objectives.count; ++i) {
    bool is_listed = false;
    MbsObjectiveKind kind = blueprint->objectives.items[i].kind;
    if (kind != MBS_OBJECTIVE_IS_VALUE && kind != MBS_OBJECTIVE_IS_EXTREMUM) {  // which takes one place alone
      MBS_TRY(may_lack_derivative(context, system, 1, &blueprint->objectives.items[i].expression, &is_listed));
    }
    if (is_listed) {
      add(list, i, 1 + simulation->objectives.items[i].function.tape->input_count, total);
    }
  }
  return MBS_OK;
}

static MbsStatus weigh(MbsContext *context, MbsBlueprint *blueprint, double *mass) {
  *mass = 0;
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    double own;
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 1, &blueprint->bodies.items[b].mass, &own));
    *mass += own;
  }
  return MBS_OK;
}

MbsStatus mbs_continuity_create(MbsContext *context, MbsSimulation *simulation) {
  MbsSystem *system = simulation->system;
  MbsContinuity *continuity = &simulation->continuity;
  int total = 0;
  MBS_TRY(list_forces(context, system, &continuity->forces, &total));
  MBS_TRY(list_constraints(context, simulation, &continuity->constraints, &total));
  MBS_TRY(list_independents(context, system, &continuity->independents, &total));
  MBS_TRY(list_objectives(context, simulation, &continuity->objectives, &total));
  if (total == 0) {
    return MBS_OK;
  }
  for (int s = 0; s < MBS_CONTINUITY_STATES; ++s) {
    MBS_TRY(mbs_state_create(context, system, &continuity->state[s]));
    MBS_TAKE(context, system->arena, continuity->values[s], total);
  }
  MBS_TAKE(context, system->arena, continuity->unit, total);
  return weigh(context, system->blueprint, &continuity->mass);
}

// ---- shaking ----
// What numbers of the state are counted in: distances in sizes of the mechanism, or how far away they are; velocities
// and accelerations in the largest ones, and what curves a path at this speed; work in what accelerates all bodies, or
// what constraints do.
typedef struct Units {
  double size, rate, second, work;
} Units;

static Units units_of(const MbsSimulation *simulation) {
  const MbsViolation *violation = &simulation->violation;
  const MbsState *state = &simulation->state;
  Units units = {.size = violation->size, .rate = violation->fastest};
  for (int i = 0; i < simulation->system->n; ++i) {
    double v = mbs_re(mbs_abs(state->v[i])) * violation->per_unit[i];
    double a = mbs_re(mbs_abs(state->a[i])) * violation->per_unit[i];
    units.rate = v > units.rate ? v : units.rate;
    units.second = a > units.second ? a : units.second;
  }
  units.second = units.rate * units.rate > units.second ? units.rate * units.rate : units.second;
  units.work = simulation->continuity.mass * units.size * units.size * units.second;
  for (int k = 0; k < simulation->system->m; ++k) {
    double work = violation->gain[k] > 0 ? mbs_re(mbs_abs(state->total[k])) / violation->gain[k] : 0;
    units.work = work > units.work ? work : units.work;
  }
  return units;
}

// a number between -1 and 1, not near 0, that looks like chance
static double chance(int index) {
  double x = (index + 1) * 0.6180339887498949;
  x = 2 * (x - floor(x)) - 1;  // real
  return x < 0 ? (x - 1) / 2 : (x + 1) / 2;
}

static void shake(const MbsSimulation *simulation, const Units *units, double by, MbsState *state) {
  const MbsSystem *system = simulation->system;
  const MbsViolation *violation = &simulation->violation;
  mbs_state_copy(system, &simulation->state, state);
  for (int i = 0; i < system->n; ++i) {
    double unit = 1 / violation->per_unit[i], far = mbs_re(mbs_abs(state->q[i]));
    state->q[i] += by * chance(i) * (far > unit ? far : unit);
    state->v[i] += by * chance(i + system->n) * unit * units->rate;
    state->a[i] += by * chance(i + 2 * system->n) * unit * units->second;
  }
  for (int k = 0; k < system->m; ++k) {
    for (int kind = MBS_MULTIPLIER_LAMBDA; kind <= MBS_MULTIPLIER_TOTAL; ++kind) {
      mbs_state_multipliers(state, (MbsMultiplierKind)kind)[k] +=
          by * chance(k + kind * system->m) * units->work * violation->gain[k];
    }
  }
}

static void shake_all(MbsSimulation *simulation, const Units *units) {
  for (int s = 0; s < MBS_CONTINUITY_STATES; ++s) {
    shake(simulation, units, shaking[s], &simulation->continuity.state[s]);
  }
}

// signals at a state, angles as near to the last accepted ones as they are
static void evaluate_signals(const MbsSystem *system, const MbsState *state) {
  mbs_signal_bank_follow(system, state);
  mbs_signal_bank_evaluate(system, state);
}

// ---- judging ----
static double size_of(const MbsContinuity *continuity, int s, int i) {
  return fabs(continuity->values[s][i]) * continuity->unit[i];  // real
}

// Do the first numbers of an item change by little? Against the largest of them, and against what the others, their
// derivatives, are far from here: a number that vanishes everywhere is made of rounding.
static bool is_continuous(const MbsContinuity *continuity, const MbsContinuityItem *item, int count) {
  const double *here = continuity->values[0], *more = continuity->values[1], *less = continuity->values[2];
  double largest = 0, change = 0;
  for (int i = item->start; i < item->start + item->count; ++i) {
    bool is_first = i < item->start + count;
    for (int s = 0; s < MBS_CONTINUITY_STATES; ++s) {
      bool is_far = s > 2;
      double size = size_of(continuity, s, i);
      if (is_first && !is_far && !isfinite(size)) {
        return s == 0;  // where it is not finite itself, others say so
      }
      largest = (is_first || is_far) && isfinite(size) && size > largest ? size : largest;
    }
    if (is_first) {
      double most = fmax(fabs(more[i] - less[i]), fabs(more[i] - here[i])) * continuity->unit[i];  // real
      change = most > change ? most : change;
    }
  }
  return change <= altogether * largest;
}

// ---- the start ----
static void take_forces(MbsContinuity *continuity, const MbsSystem *system, const MbsState *state, double *values) {
  for (int i = 0; i < continuity->forces.count; ++i) {
    const MbsContinuityItem *item = &continuity->forces.items[i];
    mbs_terms_force(system, state, item->index, values + item->start);
    for (int k = 0; k < item->count; ++k) {
      continuity->unit[item->start + k] = 1;
    }
  }
}

static void take_constraints(MbsContinuity *continuity, MbsViolation *violation, const MbsState *state,
                             double *values) {
  const MbsSparseRows *rows = &violation->jacobian.rows;
  if (continuity->constraints.count > 0) {
    mbs_jacobian_evaluate_rates(&violation->jacobian, state);
  }
  for (int i = 0; i < continuity->constraints.count; ++i) {
    const MbsContinuityItem *item = &continuity->constraints.items[i];
    for (int k = 0; k < item->count; ++k) {
      int at = rows->start[item->index] + k;
      values[item->start + k] = rows->value[at];
      continuity->unit[item->start + k] = 1 / violation->per_unit[rows->column[at]];
    }
  }
}

static void take_independents(MbsContinuity *continuity, const MbsSimulation *simulation, const MbsState *state,
                              double *values) {
  const MbsInitial *initial = simulation->initial;
  for (int i = 0; i < continuity->independents.count; ++i) {
    const MbsContinuityItem *item = &continuity->independents.items[i];
    mbs_independent_set_gradient(&initial->set, item->index, state);
    for (int k = 0; k < item->count; ++k) {
      values[item->start + k] = mbs_re(initial->set.gradient[k]);
      continuity->unit[item->start + k] = 1 / simulation->violation.per_unit[k];
    }
  }
}

static const MbsContinuityItem *find_undefined(const MbsContinuity *continuity, const MbsContinuityList *list) {
  for (int i = 0; i < list->count; ++i) {
    if (!is_continuous(continuity, &list->items[i], list->items[i].count)) {
      return &list->items[i];
    }
  }
  return NULL;
}

MbsStatus mbs_continuity_check_start(MbsContext *context, MbsSimulation *simulation) {
  static const char zero[] = "norm(), distance(), abs() and sqrt() have none at zero";
  const MbsSystem *system = simulation->system;
  MbsContinuity *continuity = &simulation->continuity;
  if (continuity->forces.count + continuity->constraints.count + continuity->independents.count == 0) {
    return MBS_OK;
  }
  Units units = units_of(simulation);
  shake_all(simulation, &units);
  for (int s = 0; s < MBS_CONTINUITY_STATES; ++s) {
    evaluate_signals(system, &continuity->state[s]);
    take_forces(continuity, system, &continuity->state[s], continuity->values[s]);
    take_constraints(continuity, &simulation->violation, &continuity->state[s], continuity->values[s]);
    take_independents(continuity, simulation, &continuity->state[s], continuity->values[s]);
  }
  evaluate_signals(system, &simulation->state);
  const MbsContinuityItem *force = find_undefined(continuity, &continuity->forces);
  const MbsContinuityItem *constraint = find_undefined(continuity, &continuity->constraints);
  const MbsContinuityItem *independent = find_undefined(continuity, &continuity->independents);
  if (independent) {
    const MbsIndependentSpec *spec = &system->blueprint->independents.items[independent->index];
    return mbs_fail(context, MBS_ERROR_INPUT, spec->place,
                    "independent coordinate \"%s\" has no derivative at the start, and so does not say which way "
                    "anything moves: %s; start elsewhere, or choose a coordinate with a sign, as slide() of a joint or "
                    "a component",
                    spec->name, zero);
  }
  if (constraint) {
    const MbsRowSpec *row = &system->blueprint->rows.items[constraint->index];
    return mbs_fail(context, MBS_ERROR_INPUT, row->place,
                    "constraint \"%s\" has no derivative at the start, and so no direction: %s; start elsewhere, or "
                    "write it so that it has a sign, as slide() of a joint or a component",
                    row->name, zero);
  }
  if (force) {
    const MbsForceSpec *spec = &system->blueprint->forces.items[force->index];
    return mbs_fail(context, MBS_ERROR_INPUT, spec->place,
                    "%s is not defined at the start: another one altogether if anything moves by 1e-12 of the "
                    "mechanism's size; a spring has no direction where its points meet (a "
                    "bushing has), nor has a vector over its norm() at zero; start elsewhere",
                    spec->name);
  }
  return MBS_OK;
}

// ---- objectives ----
static double unit_of(const MbsSystem *system, int input, const Units *units) {
  switch (system->blueprint->signals.items[input].kind) {
    case MBS_SIGNAL_POSITION: return units->size;
    case MBS_SIGNAL_VELOCITY: return units->size * units->rate;
    case MBS_SIGNAL_ACCELERATION: return units->size * units->second;
    case MBS_SIGNAL_MULTIPLIER:
    case MBS_SIGNAL_BODY_FORCE: return units->work / units->size;
    case MBS_SIGNAL_PARAMETER:
    case MBS_SIGNAL_TIME:
    case MBS_SIGNAL_TURN:
    case MBS_SIGNAL_OBJECTIVE:
    case MBS_SIGNAL_TABLE:
    case MBS_SIGNAL_ARGUMENT: break;
  }
  return 0;
}

static void take_objective(MbsSimulation *simulation, const MbsContinuityItem *item, const Units *units, int s) {
  const MbsSystem *system = simulation->system;
  MbsContinuity *continuity = &simulation->continuity;
  const MbsFunction *function = &simulation->objectives.items[item->index].function;
  (void)mbs_function_evaluate(system, function, &continuity->state[s], NULL);
  for (int k = 0; k < item->count; ++k) {
    continuity->values[s][item->start + k] = mbs_re(function->outputs[k]);
    continuity->unit[item->start + k] = k == 0 ? 1 : unit_of(system, function->tape->inputs[k - 1], units);
  }
}

// integrals at two times; what has a value at the end, there
static bool is_looked_at(const MbsSimulation *simulation, const MbsContinuityItem *item) {
  const MbsObjective *objective = &simulation->objectives.items[item->index];
  bool is_last = mbs_simulation_is_over(simulation);
  return objective->is_needed && (is_last || objective->kind == MBS_OBJECTIVE_IS_INTEGRAL);
}

void mbs_continuity_watch(MbsSimulation *simulation) {
  MbsContinuity *continuity = &simulation->continuity;
  bool is_time = simulation->path.step_count == 1 || mbs_simulation_is_over(simulation);
  if (!is_time || continuity->objectives.count == 0) {
    return;
  }
  Units units = units_of(simulation);
  shake_all(simulation, &units);
  for (int s = 0; s < MBS_CONTINUITY_STATES; ++s) {
    evaluate_signals(simulation->system, &continuity->state[s]);
    for (int i = 0; i < continuity->objectives.count; ++i) {
      if (is_looked_at(simulation, &continuity->objectives.items[i])) {
        take_objective(simulation, &continuity->objectives.items[i], &units, s);
      }
    }
  }
  evaluate_signals(simulation->system, &simulation->state);
  for (int i = 0; i < continuity->objectives.count; ++i) {
    MbsContinuityItem *item = &continuity->objectives.items[i];
    bool is_new = is_looked_at(simulation, item);
    item->without_value += is_new && !is_continuous(continuity, item, 1);
    item->without_derivative += is_new && !is_continuous(continuity, item, item->count);
  }
}

bool mbs_continuity_lacks(const MbsSimulation *simulation, const MbsContinuityItem *item, bool is_value) {
  bool is_integral = simulation->objectives.items[item->index].kind == MBS_OBJECTIVE_IS_INTEGRAL;
  return (is_value ? item->without_value : item->without_derivative) >
         (is_integral && simulation->path.step_count > 1 ? 1 : 0);
}
