// mbs_check: the structure of a model and its assembled start.
#include <stdio.h>
#include <string.h>

#include "coordinates/natural.h"
#include "simulation/simulation.h"

typedef struct Check {
  MbsCheck result;
  MbsSimulation *simulation;  // owns all memory
} Check;

static const char *list_entities(const MbsSimulation *simulation, int body) {
  const MbsBlueprint *blueprint = simulation->system->blueprint;
  const MbsBasis *basis = mbs_natural_basis(blueprint, body);
  const char *text = "";
  for (int k = 0; k < basis->count; ++k) {
    const MbsEntity *entity = &blueprint->entities.items[basis->entity[k]];
    const char *longer = mbs_arena_print(simulation->arena, "%s%s%s%s", text, k ? ", " : "", entity->name,
                                         entity->is_fixed ? " (ground)" : "");
    text = longer ? longer : text;
  }
  return text;
}

static MbsStatus describe(MbsContext *context, const MbsSimulation *simulation, MbsCheck *check) {
  const MbsSystem *system = simulation->system;
  const MbsBlueprint *blueprint = system->blueprint;
  const MbsInitial *initial = simulation->initial;
  MbsCheckBody *bodies;
  double *position, *velocity;
  const char **constraints, **independents;
  bool *is_nonholonomic, *is_redundant, *is_inactive, *follows;
  check->model = mbs_record_text(&blueprint->model->root, MBS_MODEL_NAME).text;
  check->bodies = blueprint->bodies.count - 1;
  check->coordinates = system->first_state;
  check->states = blueprint->state_count;
  check->constraints = system->m;
  check->redundant = initial->set.redundant_count;
  check->degrees_of_freedom = initial->velocity_count - check->states;
  check->position_freedoms = initial->set.count - check->states;
  check->coordinate_names = system->coordinate_names;
  for (int i = 0; i < blueprint->independents.count; ++i) {
    check->is_independent_automatic |= blueprint->independents.items[i].is_chosen;
  }
  MBS_TAKE(context, simulation->arena, bodies, check->bodies);
  MBS_TAKE(context, simulation->arena, position, system->n);
  MBS_TAKE(context, simulation->arena, velocity, system->n);
  MBS_TAKE(context, simulation->arena, constraints, system->m);
  MBS_TAKE(context, simulation->arena, is_nonholonomic, system->m);
  MBS_TAKE(context, simulation->arena, is_redundant, system->m);
  MBS_TAKE(context, simulation->arena, is_inactive, system->m);
  MBS_TAKE(context, simulation->arena, independents, initial->set.count);
  MBS_TAKE(context, simulation->arena, follows, initial->set.count);
  for (int b = 0; b < check->bodies; ++b) {
    bodies[b] =
        (MbsCheckBody){.name = blueprint->bodies.items[1 + b].name, .entities = list_entities(simulation, 1 + b)};
  }
  for (int i = 0; i < system->n; ++i) {
    position[i] = mbs_re(simulation->state.q[i]);
    velocity[i] = mbs_re(simulation->state.v[i]);
  }
  for (int i = 0; i < system->m; ++i) {
    constraints[i] = blueprint->rows.items[i].name;
    is_nonholonomic[i] = blueprint->rows.items[i].is_nonholonomic;
    check->nonholonomic += is_nonholonomic[i];
    is_inactive[i] = mbs_row_rests(&system->mode.rows[i]);
    check->inactive += is_inactive[i];
    is_redundant[i] = initial->set.is_redundant[i] && !is_inactive[i];
  }
  for (int i = 0; i < initial->set.count; ++i) {
    if (!blueprint->independents.items[i].is_state) {
      independents[check->independent_count] = initial->set.independents[i].name;
      follows[check->independent_count++] = initial->set.rate_row[i] < 0;
    }
  }
  check->residual_position = simulation->statistics.residual_position;
  check->residual_velocity = simulation->statistics.residual_velocity;
  check->residual_acceleration = simulation->statistics.residual_acceleration;
  check->body = bodies;
  check->position = position;
  check->velocity = velocity;
  check->constraint_names = constraints;
  check->is_nonholonomic = is_nonholonomic;
  check->is_redundant = is_redundant;
  check->is_inactive = is_inactive;
  check->independent_names = independents;
  check->does_rate_follow = follows;
  return mbs_check_find_groups(context, simulation, check);
}

// a formulation that can start a model with redundant constraints
static void allow_redundancy(MbsSettings *settings) {
  settings->is_stabilised = false;
  for (int i = 0; mbs_formulation_types[i]; ++i) {
    if (mbs_formulation_types[i]->allows_redundancy) {
      (void)snprintf(settings->formulation, sizeof settings->formulation, "%s", mbs_formulation_types[i]->name);
    }
  }
}

MbsStatus mbs_check_create(MbsContext *context, const MbsModel *model, const MbsSettings *settings, MbsCheck **result) {
  MbsSimulation *simulation;
  *result = NULL;
  MBS_TRY(mbs_simulation_create(context, model, settings, 0, NULL, NULL, &simulation));
  if (simulation->initial->set.redundant_count > 0 && !simulation->formulation.type->allows_redundancy) {
    // redundancy is what a check is to tell, not what it fails on
    MbsSettings other = *settings;
    allow_redundancy(&other);
    mbs_simulation_destroy(simulation);
    MBS_TRY(mbs_simulation_create(context, model, &other, 0, NULL, NULL, &simulation));
  }
  Check *check = mbs_arena_take(simulation->arena, 1, sizeof *check);
  MbsStatus status = check ? mbs_simulation_start(context, simulation)
                           : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  if (status == MBS_OK) {
    check->simulation = simulation;
    status = describe(context, simulation, &check->result);
  }
  status = mbs_call_end(context, status);
  if (status != MBS_OK) {
    mbs_simulation_destroy(simulation);
    return status;
  }
  *result = &check->result;
  return MBS_OK;
}

MbsStatus mbs_check(MbsContext *context, const MbsModel *model, const MbsRequest *request, MbsCheck **check) {
  MBS_CALL_BEGIN(context, "mbs_check", {"model", model}, {"request", request}, {"check", check});
  return mbs_check_create(context, model, &request->settings, check);
}

void mbs_check_destroy(MbsCheck *check) {
  if (check) {
    mbs_simulation_destroy(((Check *)(void *)check)->simulation);  // the first member
  }
}
