// What bodies look like (section shapes): read for its mistakes alone, for nothing here moves.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/blueprint.h"

static const MbsField *fields(void) { return mbs_model_type.fields[MBS_MODEL_SHAPES].record->fields; }

static bool has(const MbsRecord *shape, int field) { return mbs_record_value(shape, field)->is_given; }

static bool is_colour(const char *text) {
  size_t digits = 0;
  while (text[0] == '#' && isxdigit((unsigned char)text[1 + digits])) {
    ++digits;
  }
  return digits == 6 && text[7] == '\0';
}

// What a kind needs, and what it takes besides; letters stand for fields in their order: at kind To Axis Size Radius
// Width Offset File sCale Mirror curVe raNge Pieces.
static const struct {
  const char *kind, *needs, *takes;
} rules[] = {{"box", "s", "o"},    {"sphere", "r", "o"},  {"cylinder", "r", "tawo"}, {"wheel", "r", "awo"},
             {"spring", "t", "r"}, {"line", "", "tvnpo"}, {"mesh", "f", "com"}};
static const char letters[] = "..tasrwofcmvnp";

static MbsStatus check_kind(MbsContext *context, const MbsBlueprint *blueprint, const char *owner,
                            const MbsRecord *shape) {
  MbsText kind = mbs_record_text(shape, MBS_SHAPE_KIND);
  int rule = 0;
  while (strcmp(rules[rule].kind, kind.text) != 0) {
    ++rule;
  }
  for (int field = MBS_SHAPE_TO; field <= MBS_SHAPE_PIECES; ++field) {
    bool is_needed = strchr(rules[rule].needs, letters[field]), is_taken = strchr(rules[rule].takes, letters[field]);
    if (is_needed && !has(shape, field)) {
      return mbs_fail(context, MBS_ERROR_INPUT, kind.place, "%s: a %s needs \"%s\"", owner, kind.text,
                      fields()[field].name);
    }
    if (!is_needed && !is_taken && has(shape, field)) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_record_value(shape, field)->place, "%s: a %s has no \"%s\"", owner,
                      kind.text, fields()[field].name);
    }
  }
  bool is_round = strcmp(kind.text, "wheel") == 0 || strcmp(kind.text, "cylinder") == 0,
       has_end = has(shape, MBS_SHAPE_TO);
  if (is_round && !has_end && blueprint->dimension == 3 && !has(shape, MBS_SHAPE_AXIS)) {
    return mbs_fail(context, MBS_ERROR_INPUT, kind.place, "%s: a %s in space needs \"axis\"", owner, kind.text);
  }
  bool is_cylinder = strcmp(kind.text, "cylinder") == 0;
  if (is_cylinder && has_end == has(shape, MBS_SHAPE_WIDTH)) {
    return mbs_fail(context, MBS_ERROR_INPUT, kind.place, "%s: a cylinder needs \"to\" or \"width\"%s", owner,
                    has_end ? ", not both" : "");
  }
  if (is_cylinder && has_end && (has(shape, MBS_SHAPE_AXIS) || has(shape, MBS_SHAPE_OFFSET))) {
    return mbs_fail(context, MBS_ERROR_INPUT, kind.place,
                    "%s: a cylinder between two points has no \"axis\" or \"offset\"", owner);
  }
  if (blueprint->dimension == 2 && has(shape, MBS_SHAPE_AXIS)) {
    return mbs_fail(context, MBS_ERROR_INPUT, kind.place, "%s: in the plane there is no \"axis\"", owner);
  }
  return MBS_OK;
}

// A line goes through points, or is a curve with its range.
static MbsStatus check_line(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsRecord *shape) {
  const MbsValue *curve = mbs_record_value(shape, MBS_SHAPE_CURVE), *range = mbs_record_value(shape, MBS_SHAPE_RANGE);
  bool is_curve = curve->is_given;
  if (is_curve == has(shape, MBS_SHAPE_TO)) {
    return mbs_fail(context, MBS_ERROR_INPUT, is_curve ? curve->place : mbs_record_text(shape, MBS_SHAPE_KIND).place,
                    "%s: a line needs \"to\" or \"curve\"%s", owner, is_curve ? ", not both" : "");
  }
  for (int field = MBS_SHAPE_OFFSET; field <= MBS_SHAPE_PIECES && !is_curve; ++field) {
    if (has(shape, field)) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_record_value(shape, field)->place,
                      "%s: a line between points has no \"%s\"", owner, fields()[field].name);
    }
  }
  if (!is_curve) {
    return MBS_OK;
  }
  if (range->count != 2) {
    return mbs_fail(context, MBS_ERROR_INPUT, range->is_given ? range->place : curve->place,
                    "%s: a curve needs \"range\", the first and the last s: [0, 10]", owner);
  }
  MbsText pieces = mbs_record_text(shape, MBS_SHAPE_PIECES);
  long count = strtol(pieces.text, NULL, 10);
  if (count < 1 || count > 1000) {
    return mbs_fail(context, MBS_ERROR_INPUT, pieces.place, "%s: a curve has 1 to 1000 pieces, got %ld", owner, count);
  }
  MbsNode ends[2];
  for (int k = 0; k < 2; ++k) {
    MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields()[MBS_SHAPE_RANGE], range->texts[k], &ends[k]));
  }
  MbsLocalName locals[] = {{"s", ends[0]}};
  for (int k = 0; k < curve->count; ++k) {
    MbsExpression value;
    MBS_TRY(mbs_signal_parse(context, blueprint, owner, curve->texts[k], curve->count == 1 ? blueprint->dimension : 1,
                             0, MBS_COUNT(locals), locals, &value));
  }
  return MBS_OK;
}

static MbsStatus check_shape(MbsContext *context, MbsBlueprint *blueprint, int index, const MbsRecord *shape) {
  const char *owner = mbs_arena_print(blueprint->arena, "shape %d", index + 1);
  MbsText colour = mbs_record_text(shape, MBS_SHAPE_COLOUR);
  const MbsValue *to = mbs_record_value(shape, MBS_SHAPE_TO);
  bool is_line = strcmp(mbs_record_text(shape, MBS_SHAPE_KIND).text, "line") == 0;
  MbsPointReference at, end;
  MbsNode nodes[3];
  MbsDirection axis;
  if (!owner) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MBS_TRY(check_kind(context, blueprint, owner, shape));
  MBS_TRY(mbs_blueprint_find_point(context, blueprint, owner, mbs_record_text(shape, MBS_SHAPE_AT), &at));
  if (to->is_given && to->count != 1 && !(is_line && to->count > 1)) {
    return mbs_fail(context, MBS_ERROR_INPUT, to->place, "%s: \"to\" is one point%s, got %d", owner,
                    is_line ? " or more" : "; only a line may go through several", to->count);
  }
  for (int i = 0; i < to->count; ++i) {
    MBS_TRY(mbs_blueprint_find_point(context, blueprint, owner, to->texts[i], &end));
  }
  MBS_TRY(is_line ? check_line(context, blueprint, owner, shape) : MBS_OK);
  if (colour.text && !is_colour(colour.text)) {
    return mbs_fail(context, MBS_ERROR_INPUT, colour.place, "%s: a colour is \"#rrggbb\", got \"%.40s\"", owner,
                    colour.text);
  }
  for (int field = MBS_SHAPE_AXIS; field < MBS_SHAPE_FIELD_COUNT; ++field) {
    const MbsField *type = &fields()[field];
    const MbsValue *value = mbs_record_value(shape, field);
    if (!value->is_given) {
      continue;
    }
    if (type->kind == MBS_FIELD_DIRECTION) {
      MBS_TRY(mbs_direction_read(context, blueprint, owner, type, value, at.body, at.body, &axis));
    } else if (type->kind == MBS_FIELD_VECTOR) {
      MBS_TRY(mbs_blueprint_vector(context, blueprint, owner, type, value, nodes));
    } else if (type->kind == MBS_FIELD_NUMBER) {
      MBS_TRY(mbs_blueprint_number(context, blueprint, owner, type, value->texts[0], &nodes[0]));
    }
  }
  return MBS_OK;
}

MbsStatus mbs_shapes_check(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsValue *shapes = mbs_record_value(&blueprint->model->root, MBS_MODEL_SHAPES);
  int before = context->error_count;
  for (int i = 0; i < shapes->count; ++i) {
    MBS_TRY(mbs_error_keep(context, check_shape(context, blueprint, i, &shapes->records[i])));
  }
  return mbs_errors_tell(context, before);
}
