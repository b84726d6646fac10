// Why a start or a step failed, in words.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/rank.h"
#include "simulation/simulation.h"

// appends to the message, as much as fits
static void append(MbsContext *context, const char *text) {
  size_t used = strlen(context->message);
  (void)snprintf(context->message + used, sizeof context->message - used, "%s", text);
}

// user coordinates without inertia, after that many bodies
static int name_massless_coordinates(MbsContext *context, MbsBlueprint *blueprint, int bodies) {
  MbsContext quiet = {.status = MBS_OK};
  int found = 0;
  for (int i = 0; i < blueprint->user_coordinates.count; ++i) {
    const MbsUserCoordinate *coordinate = &blueprint->user_coordinates.items[i];
    double inertia = 0;
    if (mbs_blueprint_nominal(&quiet, blueprint, 1, &coordinate->inertia, &inertia) == MBS_OK && !(inertia > 0)) {
      append(context, found++  ? ", \""
                      : bodies ? "; or a coordinate without inertia: \""
                               : ": a coordinate without inertia may move freely: \"");
      append(context, coordinate->name);
      append(context, "\"");
    }
  }
  return found;
}

// bodies that have no mass, or no inertia although they turn
static void name_massless(MbsContext *context, const MbsSimulation *simulation) {
  MbsBlueprint *blueprint = simulation->system->blueprint;
  MbsContext quiet = {.status = MBS_OK};
  int found = 0;
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    const MbsBlueprintBody *body = &blueprint->bodies.items[b];
    const MbsNode nodes[] = {body->mass, body->inertia[0], body->inertia[1], body->inertia[2]};
    double values[4];
    if (mbs_blueprint_nominal(&quiet, blueprint, 4, nodes, values) != MBS_OK) {
      return;
    }
    bool has_inertia = body->kind == MBS_BODY_POINT_MASS || values[1] + values[2] + values[3] > 0;
    if (!(values[0] > 0) || !has_inertia) {
      append(context, found++ ? ", \"" : ": a body without mass or inertia may move freely: \"");
      append(context, body->name);
      append(context, "\"");
    }
  }
  if (name_massless_coordinates(context, blueprint, found) > 0 && found == 0) {
    append(context, "; give it an inertia, or a constraint that determines it");
    return;
  }
  if (found > 0) {
    append(context, "; give it a mass and an inertia, or hold it");
  } else if (!strstr(context->message, "start elsewhere")) {
    append(context, simulation->is_started ? "; start elsewhere, or try a smaller step" : "; start elsewhere");
  }
}

// names the constraints that are redundant at the present position, and counts them
static MbsStatus name_redundant(MbsContext *context, const MbsSimulation *simulation, MbsArena *arena, int *redundant) {
  const double tolerance = 1e-7;
  const MbsSystem *system = simulation->system;
  MbsContext quiet = {.status = MBS_OK};
  MbsJacobian jacobian;
  MbsRank *rank;
  MBS_TRY(mbs_jacobian_create(&quiet, arena, system, &jacobian));
  MBS_TRY(mbs_rank_create(&quiet, arena, system->n, &rank));
  mbs_jacobian_evaluate_rates(&jacobian, &simulation->state);
  const MbsSparseRows *rows = &jacobian.rows;
  mbs_rank_announce(rank, rows->start[system->m], rows->column);
  for (int k = 0; k < system->m; ++k) {
    bool is_new;
    int first = rows->start[k];
    MBS_TRY(mbs_rank_take(&quiet, rank, rows->start[k + 1] - first, rows->column + first, rows->value + first,
                          tolerance, &is_new));
    if (!is_new && !mbs_row_rests(&system->mode.rows[k])) {
      append(context, (*redundant)++ ? ", \"" : ": redundant there: \"");
      append(context, system->blueprint->rows.items[k].name);
      append(context, "\"");
    }
  }
  return MBS_OK;
}

// At the start it is the model that is wrong, later the motion has led there.
static MbsStatus broken_condition(MbsContext *context, const MbsSimulation *simulation,
                                  const MbsConditionSpec *broken) {
  return simulation->is_started ? mbs_fail(context, MBS_ERROR_NUMERICAL, broken->place, "%s: %s at t = %.10g",
                                           broken->owner, broken->broken, mbs_re(simulation->state.t))
                                : mbs_fail(context, MBS_ERROR_INPUT, broken->place, "%s: %s; start elsewhere",
                                           broken->owner, broken->broken);
}

MbsStatus mbs_simulation_check_conditions(MbsContext *context, const MbsSimulation *simulation) {
  const MbsConditionSpec *broken =
      mbs_conditions_accept(simulation->system, &simulation->state, !simulation->is_started);
  return broken ? broken_condition(context, simulation, broken) : MBS_OK;
}

// What a table gives beyond its points is not a number.
static MbsStatus left_table(MbsContext *context, const MbsSimulation *simulation, const MbsTable *table) {
  const double rounding = 1e-9;
  int k = 0;
  for (int i = 0; i < table->axis_count; ++i) {
    const MbsAxis *axis = &table->axis[i];
    k = table->left_at[i] < axis->x[0] || table->left_at[i] > axis->x[axis->count - 1] ? i : k;
  }
  const MbsAxis *axis = &table->axis[k];
  double first = axis->x[0], last = axis->x[axis->count - 1], at = table->left_at[k];
  bool is_end = fmin(fabs(at - first), fabs(at - last)) <= rounding * (last - first);  // real
  return mbs_fail(context, MBS_ERROR_NUMERICAL, table->place,
                  "table \"%s\" is left at t = %.10g: %s %s %.10g, and its points go from %.10g to %.10g; say what is "
                  "beyond them (outside: hold or linear), or give it more",
                  table->name, mbs_re(simulation->state.t), k == 0 ? "its argument" : "its second argument",
                  is_end ? "goes beyond" : "is", at, first, last);
}

MbsStatus mbs_simulation_check_tables(MbsContext *context, const MbsSimulation *simulation) {
  const MbsTable *left = mbs_tables_left(simulation->system);
  return left ? left_table(context, simulation, left) : MBS_OK;
}

MbsStatus mbs_simulation_diagnose(MbsContext *context, const MbsSimulation *simulation, MbsStatus status) {
  bool is_not_finite = strstr(context->message, "not a finite number") || strstr(context->message, "singular");
  if (is_not_finite && status != MBS_ERROR_MEMORY) {
    MBS_TRY(mbs_simulation_check_tables(context, simulation));
  }
  if (simulation->is_started) {
    const MbsConditionSpec *suspect = mbs_conditions_suspect(simulation->system);
    if (suspect) {
      return broken_condition(context, simulation, suspect);
    }
  } else {
    mbs_signal_bank_evaluate(simulation->system, &simulation->state);
    MBS_TRY(mbs_simulation_check_conditions(context, simulation));
  }
  if (status != MBS_ERROR_NUMERICAL || !strstr(context->message, "singular")) {
    return status;
  }
  int redundant = 0;
  if (!simulation->formulation.type->allows_redundancy) {
    MbsArena *arena = mbs_arena_create_for(context);
    bool is_known = arena && name_redundant(context, simulation, arena, &redundant) == MBS_OK;
    mbs_arena_destroy(arena);
    if (!is_known) {
      return status;
    }
  }
  if (redundant) {
    append(context, "; remove a constraint, or use formulation ali3p or penalty, which allow this");
  } else {
    name_massless(context, simulation);
  }
  return status;
}
