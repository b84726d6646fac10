#include "coordinates/compile.h"

#include "base/names.h"
#include "coordinates/natural.h"
#include "coordinates/placement.h"
#include "coordinates/relative.h"
#include "model/force.h"
#include "model/joint.h"
#include "model/trim.h"

typedef MbsStatus (*JointFunction)(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint);

// ---- independent coordinates of the start ----
static MbsStatus read_independents(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsRecord *initial = mbs_record_child(&blueprint->model->root, MBS_MODEL_INITIAL);
  const MbsValue *written = mbs_record_value(initial, MBS_INITIAL_INDEPENDENT);
  const MbsField *fields =
      mbs_model_type.fields[MBS_MODEL_INITIAL].record->fields[MBS_INITIAL_INDEPENDENT].record->fields;
  for (int i = 0; i < written->count; ++i) {
    const MbsRecord *record = &written->records[i];
    MbsText coordinate = mbs_record_text(record, MBS_INDEPENDENT_COORDINATE);
    MbsText value = mbs_record_text(record, MBS_INDEPENDENT_VALUE);
    MbsIndependentSpec spec = {.name = coordinate.text, .place = coordinate.place, .value = MBS_NODE_NONE};
    const char *owner = mbs_arena_print(blueprint->arena, "independent coordinate \"%s\"", coordinate.text);
    owner = owner ? owner : coordinate.text;
    MbsExpression w;
    MBS_TRY(mbs_signal_parse(context, blueprint, owner, coordinate, 1, MBS_USE_POSITION, 0, NULL, &w));
    spec.coordinate = w.node[0];
    spec.has_velocity = mbs_record_value(record, MBS_INDEPENDENT_VELOCITY)->is_given;
    if (value.text) {
      MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[MBS_INDEPENDENT_VALUE], value, &spec.value));
    }
    MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[MBS_INDEPENDENT_VELOCITY],
                                 mbs_record_text(record, MBS_INDEPENDENT_VELOCITY), &spec.velocity));
    MBS_TRY(mbs_signal_rate(context, blueprint, spec.coordinate, &spec.rate));
    MBS_TRY(mbs_signal_rate(context, blueprint, spec.rate, &spec.second));
    MBS_APPEND(context, blueprint->arena, &blueprint->independents, spec);
  }
  return MBS_OK;
}

// what an equilibrium holds is among them: as it is placed, where nothing else is said
static MbsStatus hold_for_equilibrium(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsRecord *section = mbs_record_child(&blueprint->model->root, MBS_MODEL_EQUILIBRIUM);
  int count = section ? mbs_record_value(section, MBS_EQUILIBRIUM_HOLD)->count : 0;
  for (int i = 0; i < count; ++i) {
    MbsText text = mbs_record_text(&mbs_record_value(section, MBS_EQUILIBRIUM_HOLD)->records[i], MBS_HOLD_COORDINATE);
    MbsIndependentSpec spec = {.name = text.text, .place = text.place, .value = MBS_NODE_NONE, .is_held = true};
    const char *owner = mbs_arena_print(blueprint->arena, "held coordinate \"%s\"", text.text);
    bool is_known = false;
    MbsExpression w;
    MBS_TRY(mbs_signal_parse(context, blueprint, owner ? owner : text.text, text, 1, MBS_USE_POSITION, 0, NULL, &w));
    for (int k = 0; k < blueprint->independents.count && !is_known; ++k) {
      MbsIndependentSpec *written = &blueprint->independents.items[k];
      is_known = written->coordinate == w.node[0];
      written->is_held |= is_known;
    }
    if (!is_known) {
      spec.coordinate = w.node[0];
      spec.velocity = mbs_graph_constant(blueprint->graph, 0);
      MBS_TRY(mbs_signal_rate(context, blueprint, spec.coordinate, &spec.rate));
      MBS_TRY(mbs_signal_rate(context, blueprint, spec.rate, &spec.second));
      MBS_APPEND(context, blueprint->arena, &blueprint->independents, spec);
    }
  }
  return mbs_states_hold(context, blueprint, false);
}

// those without a value have the one of the placement
static MbsStatus value_independents(MbsContext *context, MbsBlueprint *blueprint) {
  for (int i = 0; i < blueprint->independents.count; ++i) {
    MbsIndependentSpec *spec = &blueprint->independents.items[i];
    if (spec->value == MBS_NODE_NONE) {
      MBS_TRY(mbs_placed_value(context, blueprint, spec->coordinate, &spec->value));
    }
  }
  return MBS_OK;
}

MbsStatus mbs_compile_choose_independents(MbsContext *context, MbsBlueprint *blueprint, const char *names) {
  for (size_t length = mbs_name_next(&names); length > 0; length = mbs_name_next(&names)) {
    const char *name = mbs_arena_print(blueprint->arena, "%.*s", (int)length, names);
    MbsIndependentSpec spec = {.name = name ? name : "", .value = MBS_NODE_NONE};
    MbsExpression w;
    spec.velocity = mbs_graph_constant(blueprint->graph, 0);
    spec.place.file = "independent";
    MBS_TRY(mbs_signal_parse(context, blueprint, "independent coordinate",
                             (MbsText){.text = spec.name, .place = spec.place}, 1, MBS_USE_POSITION, 0, NULL, &w));
    spec.coordinate = w.node[0];
    MBS_TRY(mbs_signal_rate(context, blueprint, spec.coordinate, &spec.rate));
    MBS_TRY(mbs_signal_rate(context, blueprint, spec.rate, &spec.second));
    MBS_APPEND(context, blueprint->arena, &blueprint->chosen, spec);
    names += length;
  }
  return blueprint->chosen.count > 0 ? mbs_states_hold(context, blueprint, true) : MBS_OK;
}

// ---- the whole model ----
// is_in_tree: joints that need no rows, by joint; NULL: none
static MbsStatus read_joints(MbsContext *context, MbsBlueprint *blueprint, bool is_connecting, const bool *is_in_tree) {
  const MbsValue *joints = mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS);
  int before = context->error_count;
  for (int i = 0; i < joints->count; ++i) {
    const MbsJointType *type = mbs_joint_types[joints->records[i].type];
    JointFunction function = is_connecting ? type->connect : type->rows;
    MbsStatus status = MBS_OK;
    if (type->only_dimension && type->only_dimension != blueprint->dimension) {
      status = mbs_fail(context, MBS_ERROR_INPUT, joints->records[i].name.place,
                        "%s: a %s joint is for models of dimension %d", mbs_joint_name(blueprint, &joints->records[i]),
                        type->record.name, type->only_dimension);
    } else if (function && !(is_in_tree && is_in_tree[i])) {
      status = function(context, blueprint, &joints->records[i]);
    }
    MBS_TRY(mbs_error_keep(context, status));
  }
  return mbs_errors_tell(context, before);
}

static MbsStatus read_forces(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsValue *forces = mbs_record_value(&blueprint->model->root, MBS_MODEL_FORCES);
  int before = context->error_count;
  for (int i = 0; i < forces->count; ++i) {
    MbsStatus status = mbs_force_types[forces->records[i].type]->build(context, blueprint, &forces->records[i]);
    MBS_TRY(mbs_error_keep(context, status));
  }
  return mbs_errors_tell(context, before);
}

static MbsStatus read_objectives(MbsContext *context, MbsBlueprint *blueprint) {
  MBS_TRY(mbs_blueprint_list_objectives(context, blueprint));
  int before = context->error_count;
  for (int i = 0; i < blueprint->objectives.count; ++i) {
    MBS_TRY(mbs_error_keep(context, mbs_blueprint_read_objective(context, blueprint, i)));
  }
  return mbs_errors_tell(context, before);
}

MbsStatus mbs_compile(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsCoordinateChoice *choice,
                      MbsBlueprint **result) {
  MbsBlueprint *blueprint;
  bool *is_in_tree = NULL;
  MBS_TRY(mbs_blueprint_create(context, arena, model, &blueprint));
  blueprint->keeps_jumps = choice->keeps_jumps;
  blueprint->has_positions_alone = choice->is_loose;
  blueprint->has_plain_matrix = choice->has_plain_matrix;
  blueprint->law_kinks = choice->splits_at_kinks ? MBS_KINKS_ALL : MBS_KINKS_NONE;
  if (blueprint->bodies.count < 2 && blueprint->user_coordinates.count == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s: the model has no bodies and no coordinates",
                    model->file);
  }
  MBS_TRY(read_joints(context, blueprint, true, NULL));
  MBS_TRY(choice->is_loose      ? mbs_relative_choose(context, blueprint, NULL, NULL, &is_in_tree)
          : choice->is_relative ? mbs_relative_choose(context, blueprint, choice->tree, choice->cut, &is_in_tree)
                                : mbs_natural_choose(context, blueprint));
  MBS_TRY(mbs_user_coordinates_add(context, blueprint));
  MBS_TRY(read_joints(context, blueprint, false, is_in_tree));
  mbs_switches_mark_rows(blueprint);
  if (!choice->is_loose) {
    blueprint->kinks = blueprint->law_kinks;
    MBS_TRY(read_forces(context, blueprint));
    blueprint->has_all_forces = true;
    MBS_TRY(mbs_states_add_rates(context, blueprint));
    MBS_TRY(mbs_branches_of_forces(context, blueprint));
    blueprint->kinks = MBS_KINKS_NONE;
  }
  MBS_TRY(read_independents(context, blueprint));
  MBS_TRY(hold_for_equilibrium(context, blueprint));
  if (!choice->is_loose) {
    MBS_TRY(read_objectives(context, blueprint));
    MBS_TRY(mbs_events_read(context, blueprint, choice->has_end));
    MBS_TRY(mbs_validity_read(context, blueprint));
    MBS_TRY(mbs_outputs_read(context, blueprint, !choice->has_no_outputs, choice->columns));
    MBS_TRY(choice->has_trim ? mbs_trim_read(context, blueprint) : MBS_OK);
    MBS_TRY(mbs_shapes_check(context, blueprint));
  }
  MBS_TRY(mbs_graph_status(context, blueprint->graph));
  MBS_TRY(mbs_blueprint_check_properties(context, blueprint));
  MBS_TRY(mbs_placement_find(context, blueprint));
  MBS_TRY(mbs_placement_guess(context, blueprint, blueprint->placement->nominal));
  MBS_TRY(value_independents(context, blueprint));
  *result = blueprint;
  return MBS_OK;
}
