// Why the equations are singular, in words.
#include <stdio.h>
#include <string.h>

#include "algebra/rank.h"
#include "simulation/simulation.h"

// appends to the message, as much as fits
static void append(MbsContext *context, const char *text) {
  size_t used = strlen(context->message);
  (void)snprintf(context->message + used, sizeof context->message - used, "%s", text);
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
  append(context, found ? "; give it a mass and an inertia, or hold it" : "; start elsewhere, or try a smaller --step");
}

MbsStatus mbs_simulation_diagnose(MbsContext *context, const MbsSimulation *simulation, MbsStatus status) {
  const MbsSystem *system = simulation->system;
  if (status != MBS_ERROR_NUMERICAL || !strstr(context->message, "singular")) {
    return status;
  }
  if (simulation->formulation.type->allows_redundancy) {
    name_massless(context, simulation);
    return status;
  }
  MbsContext quiet = {.status = MBS_OK};
  MbsArena *arena = mbs_arena_create();
  MbsRank *rank = NULL;
  double *jacobian = arena ? mbs_arena_take(arena, (size_t)system->m * (size_t)system->n, sizeof *jacobian) : NULL;
  mbs_scalar *tangent =
      arena ? mbs_arena_take(arena, (size_t)system->mode.pattern.entry_count + 1, sizeof *tangent) : NULL;
  if (jacobian && tangent && mbs_rank_create(&quiet, arena, system->n, &rank) == MBS_OK) {
    const double tolerance = 1e-7;
    int redundant = 0;
    mbs_initial_jacobian(system, &simulation->state, tangent, jacobian);
    for (int k = 0; k < system->m; ++k) {
      if (!mbs_rank_take(rank, jacobian + (size_t)k * (size_t)system->n, tolerance)) {
        append(context, redundant++ ? ", \"" : ": redundant there: \"");
        append(context, system->blueprint->rows.items[k].name);
        append(context, "\"");
      }
    }
    if (redundant) {
      append(context, "; remove a constraint, or use --formulation penalty, which allows this");
    } else {
      name_massless(context, simulation);
    }
  }
  mbs_arena_destroy(arena);
  return status;
}
