// Outputs: signals with names, which histories and results have; and the columns of a history that are none of these
// and no coordinates, for a caller that asks for them:
//   P  P'  P''     position, velocity, acceleration of a point
//   frame(B)       of a body: position x, y (z) of its origin; in the plane its angle, counting turns; in space the
//                  rotation matrix R11, R12, ... R33 that takes body axes to global ones. A point mass has no axes, nor
//                  has a thin rod in space: its points say where it is
//   force(J)  torque(J)   what a joint does to its second body, in global axes (reaction.c)
// A run that has no use for outputs does not pay for them: they are read, so that mistakes are told, and what they have
// added to the blueprint is taken back.
#include <string.h>

#include "base/names.h"
#include "expressions/parse.h"
#include "model/blueprint.h"
#include "model/reaction.h"
#include "model/rotation.h"

static const char axes[] = "xyz";

static MbsStatus out_of_memory(MbsContext *context) {
  return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

// ---- names of columns ----
static size_t count_marks(const char *word, size_t length) {
  size_t marks = 0;
  while (marks < length && word[length - 1 - marks] == '\'') {
    ++marks;
  }
  return marks;
}

// does a word, in which * stands for any letters, mean the whole of a name?
static bool is_match(const char *word, size_t length, const char *name, size_t size) {
  if (length == 0 || *word != '*') {
    return length == 0 ? size == 0 : size > 0 && *word == *name && is_match(word + 1, length - 1, name + 1, size - 1);
  }
  for (size_t skipped = 0; skipped <= size; ++skipped) {
    if (is_match(word + 1, length - 1, name + skipped, size - skipped)) {
      return true;
    }
  }
  return false;
}

bool mbs_column_is_meant(const char *word, size_t length, const char *column) {
  size_t size = strlen(column), marks = count_marks(column, size);
  if (count_marks(word, length) != marks) {
    return false;
  }
  length -= marks;
  size -= marks;
  const char *dot = size > 2 && column[size - 2] == '.' && strchr(axes, column[size - 1]) ? column + size - 2 : NULL;
  return is_match(word, length, column, size) || (dot && is_match(word, length, column, size - 2));
}

// ---- those of the model ----
static MbsStatus add(MbsContext *context, MbsBlueprint *blueprint, const MbsOutputSpec *output) {
  for (int k = 0; k < output->size; ++k) {
    if (!output->columns[k]) {
      return out_of_memory(context);
    }
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->outputs, *output);
  return MBS_OK;
}

static MbsStatus refuse_same_name(MbsContext *context, const MbsBlueprint *blueprint, MbsText name) {
  for (int i = 0; i < blueprint->objectives.count; ++i) {
    if (strcmp(blueprint->objectives.items[i].name, name.text) == 0) {
      return mbs_fail(context, MBS_ERROR_INPUT, name.place,
                      "output \"%s\": an objective has this name too, and both are columns of histories", name.text);
    }
  }
  return mbs_expression_is_reserved(name.text)
             ? mbs_fail(context, MBS_ERROR_INPUT, name.place,
                        "output \"%s\": this has a meaning in expressions and cannot name an output", name.text)
             : MBS_OK;
}

static MbsStatus read_output(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  MbsOutputSpec output = {.name = record->name.text,
                          .unit = mbs_record_text(record, MBS_OUTPUT_UNIT).text,
                          .description = mbs_record_text(record, MBS_OUTPUT_DESCRIPTION).text,
                          .place = record->name.place,
                          .is_of_model = true};
  const char *owner = mbs_arena_print(blueprint->arena, "output \"%s\"", output.name);
  MbsExpression value;
  MBS_TRY(refuse_same_name(context, blueprint, record->name));
  MBS_TRY(
      mbs_signal_parse(context, blueprint, owner ? owner : output.name, mbs_record_text(record, MBS_OUTPUT_VALUE), 0,
                       MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_ACCELERATION | MBS_USE_TIME | MBS_USE_MULTIPLIERS,
                       0, NULL, &value));
  output.size = value.size;
  for (int k = 0; k < value.size; ++k) {
    output.node[k] = value.node[k];
    output.columns[k] =
        value.size == 1 ? output.name : mbs_arena_print(blueprint->arena, "%s.%c", output.name, axes[k]);
  }
  return add(context, blueprint, &output);
}

// ---- points and frames ----
static bool is_listed(const char *columns, const char *group, const char *name) {
  for (size_t length; (length = mbs_name_next(&columns)) > 0; columns += length) {
    bool is_group = group && length == strlen(group) && strncmp(columns, group, length) == 0;
    if (is_group || mbs_column_is_meant(columns, length, name)) {
      return true;
    }
  }
  return false;
}

// is it called like an output of the model, or an objective?
static bool is_taken(const MbsBlueprint *blueprint, const char *name) {
  bool is = false;
  for (int i = 0; i < blueprint->outputs.count; ++i) {
    is = is || (blueprint->outputs.items[i].is_of_model && strcmp(blueprint->outputs.items[i].name, name) == 0);
  }
  for (int i = 0; i < blueprint->objectives.count; ++i) {
    is = is || strcmp(blueprint->objectives.items[i].name, name) == 0;
  }
  return is;
}

// r, v and a of a point by one of its names, if they, or components of them, are listed
static MbsStatus add_point(MbsContext *context, MbsBlueprint *blueprint, const char *columns, MbsPointReference point,
                           const char *name, const char *group) {
  static const struct {
    const char *mark, *unit;
    MbsSignalKind kind;
  } levels[] = {
      {"", "m", MBS_SIGNAL_POSITION}, {"'", "m/s", MBS_SIGNAL_VELOCITY}, {"''", "m/s2", MBS_SIGNAL_ACCELERATION}};
  for (int level = 0; level < MBS_COUNT(levels); ++level) {
    MbsOutputSpec output = {.name = mbs_arena_print(blueprint->arena, "%s%s", name, levels[level].mark),
                            .unit = levels[level].unit,
                            .group = level == 0 ? group : NULL,
                            .kind = "points",
                            .size = blueprint->dimension};
    bool is_meant = output.name && is_listed(columns, output.group, output.name);
    for (int k = 0; k < output.size; ++k) {
      output.columns[k] = mbs_arena_print(blueprint->arena, "%s.%c%s", name, axes[k], levels[level].mark);
      is_meant = is_meant || (output.columns[k] && is_listed(columns, NULL, output.columns[k]));
    }
    MbsForm form;
    MbsExpression value;
    if (is_meant && !is_taken(blueprint, output.name)) {
      MBS_TRY(mbs_form_of_point(context, blueprint, point, &form));
      MBS_TRY(mbs_signal_of_form(context, blueprint, &form, levels[level].kind, &value));
      memcpy(output.node, value.node, sizeof output.node);
      MBS_TRY(add(context, blueprint, &output));
    }
  }
  return MBS_OK;
}

static MbsStatus add_frame(MbsContext *context, MbsBlueprint *blueprint, const char *columns, int body) {
  const MbsBlueprintBody *of = &blueprint->bodies.items[body];
  MbsArena *arena = blueprint->arena;
  int d = blueprint->dimension;
  MbsOutputSpec output = {.name = mbs_arena_print(arena, "frame(%s)", of->name),
                          .unit = "m",
                          .group = "frames",
                          .kind = "frames",
                          .size = d};
  MbsNode zero = mbs_graph_constant(blueprint->graph, 0);
  const MbsNode origin[3] = {zero, zero, zero};
  MbsForm form;
  MbsExpression value;
  if (!output.name) {
    return out_of_memory(context);
  }
  if (!is_listed(columns, output.group, output.name)) {
    return MBS_OK;
  }
  MBS_TRY(blueprint->place(context, blueprint, body, origin, true, &form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &value));
  memcpy(output.node, value.node, sizeof output.node);
  for (int k = 0; k < d; ++k) {
    output.columns[k] = mbs_arena_print(arena, "%s.%c", output.name, axes[k]);
  }
  MBS_TRY(add(context, blueprint, &output));
  if (of->kind != MBS_BODY_RIGID) {
    return MBS_OK;
  }
  if (d == 2) {
    output.size = 1;
    output.unit = "rad";
    output.columns[0] = mbs_arena_print(arena, "%s.angle", output.name);
    MBS_TRY(mbs_rotation_angle(context, blueprint, body, &output.node[0]));
    return add(context, blueprint, &output);
  }
  MbsExpression axis[3];
  MBS_TRY(mbs_rotation_axes(context, blueprint, body, axis));
  output.unit = NULL;
  for (int row = 0; row < 3; ++row) {
    for (int k = 0; k < 3; ++k) {
      output.columns[k] = mbs_arena_print(arena, "%s.R%d%d", output.name, 1 + row, 1 + k);
      output.node[k] = axis[k].node[row];
    }
    MBS_TRY(add(context, blueprint, &output));
  }
  return MBS_OK;
}

static MbsStatus add_reaction_part(MbsContext *context, MbsBlueprint *blueprint, const MbsOutputSpec *part,
                                   const MbsExpression *value) {
  MbsOutputSpec output = *part;
  output.size = value->size;
  memcpy(output.node, value->node, sizeof output.node);
  for (int k = 0; k < output.size; ++k) {
    output.columns[k] =
        output.size == 1 ? output.name : mbs_arena_print(blueprint->arena, "%s.%c", output.name, axes[k]);
  }
  return add(context, blueprint, &output);
}

static MbsStatus add_reaction(MbsContext *context, MbsBlueprint *blueprint, const char *columns,
                              const MbsRecord *joint) {
  static const struct { const char *format, *unit; } kinds[] = {{"force(%s)", "N"}, {"torque(%s)", "N m"}};
  MbsOutputSpec parts[2];
  bool is_meant[2];
  for (int i = 0; i < 2; ++i) {
    parts[i] = (MbsOutputSpec){.name = mbs_arena_print(blueprint->arena, kinds[i].format, joint->name.text),
                               .unit = kinds[i].unit,
                               .group = "reactions",
                               .kind = "reactions"};
    if (!parts[i].name) {
      return out_of_memory(context);
    }
    is_meant[i] = is_listed(columns, parts[i].group, parts[i].name);
    for (int k = 0; k < 3; ++k) {
      const char *component = mbs_arena_print(blueprint->arena, "%s.%c", parts[i].name, axes[k]);
      is_meant[i] = is_meant[i] || (component && is_listed(columns, NULL, component));
    }
    is_meant[i] = is_meant[i] && !is_taken(blueprint, parts[i].name);
  }
  if (is_meant[0] || is_meant[1]) {
    MbsExpression force, torque;
    MBS_TRY(mbs_reaction_of_joint(context, blueprint, joint, &force, &torque));
    MBS_TRY(is_meant[0] ? add_reaction_part(context, blueprint, &parts[0], &force) : MBS_OK);
    MBS_TRY(is_meant[1] ? add_reaction_part(context, blueprint, &parts[1], &torque) : MBS_OK);
  }
  return MBS_OK;
}

static MbsStatus add_reactions(MbsContext *context, MbsBlueprint *blueprint, const char *columns) {
  const MbsValue *joints = mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS);
  for (int i = 0; i < joints->count; ++i) {
    if (mbs_reaction_exists(&joints->records[i])) {
      MBS_TRY(add_reaction(context, blueprint, columns, &joints->records[i]));
    }
  }
  return MBS_OK;
}

static MbsStatus add_columns(MbsContext *context, MbsBlueprint *blueprint, const char *columns) {
  bool *is_done;  // by group: points that joints bring together are one, under its short name
  MBS_TAKE(context, blueprint->arena, is_done, blueprint->group_count);
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    const MbsBlueprintBody *body = &blueprint->bodies.items[b];
    for (int p = 0; p < body->point_count; ++p) {
      const MbsPointReference point = {.body = b, .point = p};
      const char *name = mbs_blueprint_short_name(blueprint, point), *path = mbs_blueprint_point_name(blueprint, point);
      if (!name || !path) {
        return out_of_memory(context);
      }
      bool is_path = strcmp(name, path) == 0, is_new = !is_done[body->points[p].group];
      if (is_path || is_new) {
        MBS_TRY(add_point(context, blueprint, columns, point, name, is_new && b != MBS_GROUND ? "points" : NULL));
      }
      if (!is_path) {
        MBS_TRY(add_point(context, blueprint, columns, point, path, NULL));
      }
      is_done[body->points[p].group] = true;
    }
    if (b != MBS_GROUND) {
      MBS_TRY(add_frame(context, blueprint, columns, b));
    }
  }
  MBS_TRY(add_reactions(context, blueprint, columns));
  return mbs_graph_status(context, blueprint->graph);
}

MbsStatus mbs_column_nearest(MbsContext *context, const MbsBlueprint *blueprint, const char *name,
                             const char **nearest) {
  static const char *const groups[] = {"all",         "outputs", "objectives", "coordinates",
                                       "multipliers", "points",  "frames",     "reactions"};
  for (int i = 0; i < MBS_COUNT(groups); ++i) {
    mbs_name_nearest(name, groups[i], nearest);
  }
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    const char *frame = mbs_arena_print(blueprint->arena, "frame(%s)", blueprint->bodies.items[b].name);
    for (int p = 0; p < blueprint->bodies.items[b].point_count; ++p) {
      mbs_name_nearest(name, blueprint->bodies.items[b].points[p].name, nearest);
    }
    if (!frame) {
      return out_of_memory(context);
    }
    if (b != MBS_GROUND) {
      mbs_name_nearest(name, frame, nearest);
    }
  }
  return MBS_OK;
}

// ---- taken back ----
// What a blueprint has before outputs are read.
typedef struct Mark {
  int signals, forms, turns, holdings, entities, jumps, time_input;
} Mark;

// Signals beyond the mark are forgotten, and so are reactions made of them; what comes next takes their numbers.
static void take_back(MbsBlueprint *blueprint, const Mark *mark) {
  blueprint->outputs.count = 0;
  blueprint->signals.count = mark->signals;
  blueprint->signal_forms.count = mark->forms;
  blueprint->turns.count = mark->turns;
  blueprint->holdings.count = mark->holdings;
  blueprint->entities.count = mark->entities;
  blueprint->time_input = mark->time_input;
  blueprint->reactions = NULL;
  blueprint->tree_loads = NULL;
  mbs_signals_index(blueprint);
}

MbsStatus mbs_outputs_read(MbsContext *context, MbsBlueprint *blueprint, bool is_wanted, const char *columns) {
  const MbsValue *written = mbs_record_value(&blueprint->model->root, MBS_MODEL_OUTPUTS);
  const Mark mark = {.signals = blueprint->signals.count,
                     .forms = blueprint->signal_forms.count,
                     .turns = blueprint->turns.count,
                     .holdings = blueprint->holdings.count,
                     .entities = blueprint->entities.count,
                     .jumps = blueprint->jumps.count,
                     .time_input = blueprint->time_input};
  bool keeps_jumps = blueprint->keeps_jumps;
  int before = context->error_count;
  blueprint->keeps_jumps = true;  // what is only looked at makes no events, and nothing is added up
  for (int i = 0; i < written->count; ++i) {
    MBS_TRY(mbs_error_keep(context, read_output(context, blueprint, &written->records[i])));
  }
  MBS_TRY(mbs_errors_tell(context, before));
  if (!is_wanted) {
    take_back(blueprint, &mark);
  }
  if (columns) {
    MBS_TRY(add_columns(context, blueprint, columns));
  }
  blueprint->keeps_jumps = keeps_jumps;
  blueprint->jumps.count = mark.jumps;
  return MBS_OK;
}
