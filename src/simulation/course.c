// Kinematics of mechanisms that are not driven, or in part: the freedoms that no driver has follow a course too,
//     w(q) = w0(rho) + w0'(rho) t
// for the independent coordinates of the start, and where those are chosen automatically they stay where they are. Each
// becomes a row like a driver's, before the model is turned into numbers: positions, velocities and accelerations, the
// force each needs (its multiplier) and all derivatives come as those of drivers (P3 section 2.2).
#include "simulation/simulation.h"

// the expression of coordinate `index` of the system, a component of an entity
static MbsStatus plain_coordinate(MbsContext *context, const MbsSystem *system, int index, MbsNode *node) {
  MbsBlueprint *blueprint = system->blueprint;
  int entity = 0;
  if (system->tree) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "kinematics in relative coordinates needs to know which coordinates stay where they are: give "
                    "independent coordinates (section initial), more drivers, or use natural coordinates");
  }
  for (int e = 0; e < blueprint->entities.count; ++e) {
    bool is_nearer = system->entity_first[e] <= index && system->entity_first[e] > system->entity_first[entity];
    entity = is_nearer || system->entity_first[entity] > index ? e : entity;
  }
  MbsForm form;
  MbsExpression position;
  MBS_TRY(mbs_form_of_entity(context, blueprint, entity, MBS_NOBODY, &form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &position));
  *node = position.node[index - system->entity_first[entity]];
  return MBS_OK;
}

static MbsStatus add_row(MbsContext *context, const MbsInitial *initial, int index, MbsNode t) {
  const MbsIndependent *independent = &initial->independents[index];
  MbsBlueprint *blueprint = initial->system->blueprint;
  MbsGraph *g = blueprint->graph;
  MbsNode w = MBS_NODE_NONE, course = mbs_graph_constant(g, mbs_re(independent->start_value));
  if (initial->is_automatic) {
    MBS_TRY(plain_coordinate(context, initial->system, initial->automatic[index], &w));
  } else {
    const MbsIndependentSpec *spec = &blueprint->independents.items[index];
    w = spec->coordinate;
    course = mbs_graph_add(g, independent->has_value ? spec->value : course, mbs_graph_multiply(g, spec->velocity, t));
  }
  const char *name = mbs_arena_print(blueprint->arena, "coordinate %s: %s", independent->name,
                                     initial->is_automatic ? "stays where it is" : "follows its course");
  MBS_APPEND(context, blueprint->arena, &blueprint->rows,
             (MbsRowSpec){.kind = MBS_ROW_EXPRESSION,
                          .name = name ? name : independent->name,
                          .owner = independent->name,
                          .place = independent->place,
                          .body = MBS_NOBODY,
                          .c = mbs_graph_constant(g, 0),
                          .expression = mbs_graph_subtract(g, w, course),
                          .is_driver = true});
  return MBS_OK;
}

static MbsStatus refuse_nonholonomic(MbsContext *context, const MbsBlueprint *blueprint) {
  for (int k = 0; k < blueprint->rows.count; ++k) {
    const MbsRowSpec *row = &blueprint->rows.items[k];
    if (row->is_nonholonomic) {
      return mbs_fail(context, MBS_ERROR_NOT_OFFERED, row->place,
                      "kinematics is not offered with nonholonomic constraints such as \"%s\": positions do not follow "
                      "from them; use simulate",
                      row->name);
    }
  }
  return MBS_OK;
}

MbsStatus mbs_course_prescribe(MbsContext *context, MbsArena *arena, MbsBlueprint *blueprint, const double *values) {
  MbsSystem *system;
  MbsState state;
  MbsInitial *initial = NULL;
  MbsNode t;
  MBS_TRY(refuse_nonholonomic(context, blueprint));
  MBS_TRY(mbs_system_create(context, arena, blueprint, 0, NULL, false, &system));
  mbs_system_set_parameters(system, values);
  MBS_TRY(mbs_state_create(context, system, &state));
  MbsStatus status = mbs_initial_create(context, system, &state, &initial);
  if (status == MBS_OK && initial->count > 0) {
    status = mbs_signal_add(context, blueprint, (MbsSignal){.kind = MBS_SIGNAL_TIME}, &t);
    for (int i = 0; i < initial->count && status == MBS_OK; ++i) {
      status = add_row(context, initial, i, t);
    }
    blueprint->independents.count = 0;
  }
  mbs_initial_destroy(initial);
  return status;
}
