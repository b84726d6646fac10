// States of first order, y' = f(t, q, v, y): controllers, filters, relaxation of a tyre, pressures, temperatures.
//
// A state is the rate of a scalar that nothing else depends on: z' = y with unit inertia, and f is the force along z,
// so that
//     z'' = f(t, q, v, y)
// is an equation of motion like any other. It is solved inside the step at (q, v*), in every formulation and both
// coordinates, with derivative and transpose; y follows by the rule of the step, of second order as velocities are. No
// constraint may depend on y, so that no multiplier acts along z, and since M couples z with nothing, projections (with
// P = M; with the tangent f is left out of P) and impulses leave y as it is. Matrix-r has z among its independent
// coordinates. Of energy a state has none.
#include <string.h>

#include "base/names.h"
#include "model/blueprint.h"

static const MbsValue *written(const MbsModel *model) { return mbs_record_value(&model->root, MBS_MODEL_STATES); }

static int first_of(const MbsBlueprint *blueprint) {
  return mbs_record_value(&blueprint->model->root, MBS_MODEL_COORDINATES)->count;
}

static int index_of(const MbsModel *model, const char *name) {
  const MbsValue *states = written(model);
  for (int i = 0; i < states->count; ++i) {
    if (strcmp(states->records[i].name.text, name) == 0) {
      return i;
    }
  }
  return -1;
}

bool mbs_model_has_state(const MbsModel *model, const char *name) { return index_of(model, name) >= 0; }

int mbs_state_find(const MbsBlueprint *blueprint, const char *name) {
  int index = index_of(blueprint->model, name);
  return index >= 0 ? first_of(blueprint) + index : -1;
}

void mbs_state_nearest(const MbsBlueprint *blueprint, const char *name, const char **nearest) {
  const MbsValue *states = written(blueprint->model);
  for (int i = 0; i < states->count; ++i) {
    mbs_name_nearest(name, states->records[i].name.text, nearest);
  }
}

static const char *owner_of(const MbsBlueprint *blueprint, const MbsRecord *record) {
  const char *owner = mbs_arena_print(blueprint->arena, "state \"%s\"", record->name.text);
  return owner ? owner : record->name.text;
}

MbsStatus mbs_states_read(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsValue *states = written(blueprint->model);
  const MbsField *initial = &mbs_model_type.fields[MBS_MODEL_STATES].record->fields[MBS_STATE_INITIAL];
  for (int i = 0; i < states->count; ++i) {
    const MbsRecord *record = &states->records[i];
    const char *name = record->name.text;
    const char *taken = mbs_parameters_find(blueprint, name) >= 0        ? "parameter or variable"
                        : mbs_user_coordinate_find(blueprint, name) >= 0 ? "coordinate"
                                                                         : NULL;
    MbsUserCoordinate state = {.name = name,
                               .inertia = mbs_graph_constant(blueprint->graph, 1),
                               .guess = mbs_graph_constant(blueprint->graph, 0),
                               .entity = -1,
                               .is_state = true};
    if (taken) {
      return mbs_fail(context, MBS_ERROR_INPUT, record->name.place,
                      "state \"%s\" has the name of a %s, so an expression could mean either: rename one", name, taken);
    }
    MBS_TRY(mbs_blueprint_number(context, blueprint, owner_of(blueprint, record), initial,
                                 mbs_record_text(record, MBS_STATE_INITIAL), &state.initial));
    MBS_APPEND(context, blueprint->arena, &blueprint->user_coordinates, state);
  }
  blueprint->state_count = states->count;
  return MBS_OK;
}

MbsStatus mbs_states_add_rates(MbsContext *context, MbsBlueprint *blueprint) {
  const unsigned use = MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME;
  const MbsValue *states = written(blueprint->model);
  for (int i = 0; i < states->count; ++i) {
    const MbsRecord *record = &states->records[i];
    const char *owner = owner_of(blueprint, record);
    MbsExpression rate;
    MbsForm *port;
    int *body;
    MbsNode *expressions;
    MBS_TAKE(context, blueprint->arena, port, 1);
    MBS_TAKE(context, blueprint->arena, body, 1);
    MBS_TAKE(context, blueprint->arena, expressions, blueprint->dimension);
    MBS_TRY(
        mbs_signal_parse(context, blueprint, owner, mbs_record_text(record, MBS_STATE_RATE), 1, use, 0, NULL, &rate));
    MBS_TRY(mbs_form_of_entity(context, blueprint, blueprint->user_coordinates.items[first_of(blueprint) + i].entity,
                               MBS_NOBODY, port));
    *body = MBS_NOBODY;
    for (int k = 0; k < blueprint->dimension; ++k) {
      expressions[k] = k == 0 ? rate.node[0] : mbs_graph_constant(blueprint->graph, 0);
    }
    MBS_APPEND(context, blueprint->arena, &blueprint->forces,
               (MbsForceSpec){.name = owner,
                              .place = record->name.place,
                              .port_count = 1,
                              .ports = port,
                              .port_body = body,
                              .expressions = expressions,
                              .energy = MBS_NODE_NONE,
                              .is_rate = true});
  }
  return MBS_OK;
}

MbsStatus mbs_states_hold(MbsContext *context, MbsBlueprint *blueprint, bool is_chosen) {
  for (int i = 0; i < blueprint->state_count; ++i) {
    int index = first_of(blueprint) + i;
    const MbsUserCoordinate *state = &blueprint->user_coordinates.items[index];
    MbsIndependentSpec spec = {.name = state->name,
                               .place = written(blueprint->model)->records[i].name.place,
                               .value = state->guess,
                               .velocity = state->initial,
                               .has_velocity = true,
                               .is_state = true};
    MBS_TRY(mbs_user_coordinate_signal(context, blueprint, index, MBS_SIGNAL_POSITION, &spec.coordinate));
    MBS_TRY(mbs_signal_rate(context, blueprint, spec.coordinate, &spec.rate));
    MBS_TRY(mbs_signal_rate(context, blueprint, spec.rate, &spec.second));
    if (is_chosen) {
      MBS_APPEND(context, blueprint->arena, &blueprint->chosen, spec);
    } else {
      MBS_APPEND(context, blueprint->arena, &blueprint->independents, spec);
    }
  }
  return MBS_OK;
}
