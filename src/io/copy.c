// A section of a template as it is in an instance. What a field holds (field tables) says how: names are prefixed,
// references and expressions rewritten, vectors placed and mirrored. Nodes keep the place of the template's own text.
#include <string.h>

#include "io/assembly.h"
#include "model/blueprint.h"
#include "model/force.h"
#include "model/joint.h"

// ---- nodes ----

MbsStatus mbs_copy_node(MbsExpansion *x, const MbsYaml *node, MbsYaml **made) {
  if (++x->node_count > MBS_YAML_MOST_NODES) {
    return mbs_fail(x->reader->context, MBS_ERROR_INPUT, node->place,
                    "more than %d values in the model once its templates are put in", MBS_YAML_MOST_NODES);
  }
  MBS_TAKE(x->reader->context, x->reader->arena, *made, 1);
  **made = *node;
  (*made)->next = NULL;
  return MBS_OK;
}

static MbsStatus print(MbsExpansion *x, const char *text, const char **result) {
  *result = text;
  return text ? MBS_OK : mbs_fail(x->reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

static MbsYaml *empty_copy(MbsYaml *node) {
  node->first = NULL;
  node->count = 0;
  return node;
}

// `last` is the last child so far; NULL: none yet.
static void append(MbsYaml *parent, MbsYaml **last, MbsYaml *child) {
  *(*last ? &(*last)->next : &parent->first) = child;
  *last = child;
  parent->count += 1;
}

// ---- numbers ----

static MbsStatus negate(MbsExpansion *x, const char **text) {
  return strcmp(*text, "0") == 0 ? MBS_OK : print(x, mbs_arena_print(x->reader->arena, "-(%s)", *text), text);
}

// What the sign of a vector changes by, besides that of each axis.
static int sign_of(const MbsInstance *instance, MbsMirror mirror) {
  return mirror == MBS_MIRROR_ANGULAR  ? instance->parity
         : mirror == MBS_MIRROR_X_AXIS ? instance->sign[0]
         : mirror == MBS_MIRROR_Y_AXIS ? instance->sign[1]
                                       : 1;
}

// Component k of a vector in the frame of the instance.
static MbsStatus place_component(MbsExpansion *x, const MbsInstance *instance, MbsMirror mirror, int k,
                                 const char **text) {
  if (mirror == MBS_MIRROR_NONE) {
    return MBS_OK;
  }
  int sign = instance->sign[k] * sign_of(instance, mirror);
  if (mirror == MBS_MIRROR_POSITION && strcmp(instance->shift[k], "0") != 0) {
    return strcmp(*text, "0") == 0
               ? print(x, instance->shift[k], text)
               : print(x,
                       mbs_arena_print(x->reader->arena, "%s %c (%s)", instance->shift[k], sign < 0 ? '-' : '+', *text),
                       text);
  }
  return sign < 0 ? negate(x, text) : MBS_OK;
}

static bool is_field(const MbsField *field, int section, int inner) {
  const MbsField *outer = &mbs_model_type.fields[section];
  return field == (inner < 0 ? outer : &outer->record->fields[inner]);
}

// k: which of a list; of a single number 0, whose sign is not that of the axis
static MbsExpressionUse use_of(const MbsInstance *instance, const MbsField *field, int k, bool is_listed) {
  bool is_law = strcmp(field->name, "law") == 0 || strcmp(field->name, "turning_law") == 0;
  int sign = sign_of(instance, field->mirror) * (is_listed && k < 3 ? instance->sign[k] : 1);
  return !is_law ? MBS_EXPRESSION_PLAIN : sign < 0 ? MBS_EXPRESSION_REVERSED_LAW : MBS_EXPRESSION_LAW;
}

static MbsStatus rewrite_text(MbsExpansion *x, const MbsInstance *instance, const MbsField *field, int k,
                              bool is_listed, MbsYaml *node) {
  MbsText text = {.text = node->text, .place = node->place};
  return is_field(field, MBS_MODEL_SHAPES, MBS_SHAPE_CURVE)
             ? mbs_rewrite_body(x, instance, "curve(s)", text, &node->text)
             : mbs_rewrite_expression(x, instance, use_of(instance, field, k, is_listed), text, &node->text);
}

// One expression whose value is a vector: [-(e).x, (e).y]
static MbsStatus place_vector(MbsExpansion *x, const MbsInstance *instance, const MbsField *field, MbsYaml *node) {
  const char *whole = node->text;
  const char *components[3] = {"0", "0", "0"};
  bool is_planar = x->reader->dimension == 2;
  for (int k = 0; k < x->reader->dimension; ++k) {
    MBS_TRY(print(x, mbs_arena_print(x->reader->arena, "(%s).%c", whole, "xyz"[k]), &components[k]));
    MBS_TRY(place_component(x, instance, field->mirror, k, &components[k]));
  }
  return print(x,
               mbs_arena_print(x->reader->arena, is_planar ? "[%s, %s]" : "[%s, %s, %s]", components[0], components[1],
                               components[2]),
               &node->text);
}

// S J S: a product of inertia changes sign with either of its axes
static MbsStatus mirror_product(MbsExpansion *x, const MbsInstance *instance, int index, const char **text) {
  static const int axes[][2] = {{0, 1}, {0, 2}, {1, 2}};
  return index >= 3 && instance->sign[axes[index - 3][0]] * instance->sign[axes[index - 3][1]] < 0 ? negate(x, text)
                                                                                                   : MBS_OK;
}

static MbsStatus copy_scalar_number(MbsExpansion *x, const MbsInstance *instance, const MbsField *field,
                                    MbsYaml *node) {
  bool is_torque = field->kind == MBS_FIELD_TORQUE;
  bool is_vector = field->kind == MBS_FIELD_SIGNAL_VECTOR || field->kind == MBS_FIELD_VECTOR ||
                   field->kind == MBS_FIELD_DIRECTION || (is_torque && x->reader->dimension == 3);
  bool is_shifted = field->mirror == MBS_MIRROR_POSITION && instance->is_shifted;
  MBS_TRY(rewrite_text(x, instance, field, 0, false, node));
  if (is_vector) {
    return instance->is_mirrored || is_shifted ? place_vector(x, instance, field, node) : MBS_OK;
  }
  return field->mirror == MBS_MIRROR_ANGULAR && instance->parity < 0 ? negate(x, &node->text) : MBS_OK;
}

// Numbers and expressions, one or a list.
static MbsStatus copy_numbers(MbsExpansion *x, const MbsInstance *instance, const MbsField *field, MbsYaml *node) {
  if (node->kind == MBS_YAML_SCALAR) {
    return copy_scalar_number(x, instance, field, node);
  }
  if (node->kind != MBS_YAML_LIST) {
    return MBS_OK;
  }
  bool is_plain_list = field->kind == MBS_FIELD_NUMBER_LIST || field->kind == MBS_FIELD_NUMBER_ROWS;  // of tables
  MbsYaml *last = NULL;
  int k = 0;
  const MbsYaml *item = node->first;
  for (empty_copy(node); item; item = item->next, ++k) {
    MbsYaml *made;
    MBS_TRY(mbs_copy_node(x, item, &made));
    if (made->kind == MBS_YAML_SCALAR) {
      MBS_TRY(rewrite_text(x, instance, field, k, true, made));
      if (field->kind == MBS_FIELD_INERTIA) {
        MBS_TRY(k < 6 ? mirror_product(x, instance, k, &made->text) : MBS_OK);
      } else if (k < 3 && !is_plain_list) {
        MBS_TRY(place_component(x, instance, field->mirror, k, &made->text));
      }
    } else if (field->kind == MBS_FIELD_NUMBER_ROWS) {
      MBS_TRY(copy_numbers(x, instance, field, made));
    }
    append(node, &last, made);
  }
  return MBS_OK;
}

// ---- names ----

// A direction by name: u or -u. Its numbers are mirrored where the body gives them.
static MbsStatus copy_direction(MbsExpansion *x, const MbsInstance *instance, const MbsField *field, MbsYaml *node) {
  if (node->kind == MBS_YAML_SCALAR && !mbs_direction_is_name(node->text)) {
    return copy_numbers(x, instance, field, node);
  }
  if (node->kind != MBS_YAML_SCALAR || sign_of(instance, field->mirror) > 0) {
    return node->kind == MBS_YAML_SCALAR ? MBS_OK : copy_numbers(x, instance, field, node);
  }
  return node->text[0] == '-' ? print(x, node->text + 1, &node->text)
                              : print(x, mbs_arena_print(x->reader->arena, "-%s", node->text), &node->text);
}

static MbsStatus copy_names(MbsExpansion *x, const MbsInstance *instance, MbsReferenceKind kind, bool is_joint,
                            MbsYaml *node) {
  MbsYaml *last = NULL;
  MbsText text = {.text = node->text, .place = node->place};
  if (node->kind == MBS_YAML_SCALAR) {
    MBS_TRY(is_joint ? mbs_reference_check_angle(x, instance, text) : MBS_OK);
    return mbs_rewrite_reference(x, instance, kind, text, &node->text);
  }
  if (node->kind == MBS_YAML_LIST) {
    const MbsYaml *item = node->first;
    for (empty_copy(node); item; item = item->next) {
      MbsYaml *made;
      MBS_TRY(mbs_copy_node(x, item, &made));
      if (made->kind == MBS_YAML_SCALAR) {
        MBS_TRY(copy_names(x, instance, kind, is_joint, made));
      }
      append(node, &last, made);
    }
  }
  return MBS_OK;
}

// The names in one text, with commas between them: paths, but not the names of joints that have none of their own,
// revolute 3.
static MbsStatus append_joint_names(MbsExpansion *x, const MbsInstance *instance, const MbsYaml *item, MbsYaml *list,
                                    MbsYaml **last) {
  for (const char *text = item->text; *text;) {
    text += strspn(text, ", ");
    int length = (int)strcspn(text, ","), used = length;
    while (used > 0 && text[used - 1] == ' ') {
      --used;
    }
    if (used > 0) {
      MbsYaml *made;
      MBS_TRY(mbs_copy_node(x, item, &made));
      made->key = (MbsText){.text = NULL};
      MBS_TRY(print(x, mbs_arena_print(x->reader->arena, "%.*s", used, text), &made->text));
      if (!strchr(made->text, ' ')) {
        MBS_TRY(copy_names(x, instance, MBS_REFERENCE_THING, false, made));
      }
      append(list, last, made);
    }
    text += length;
  }
  return MBS_OK;
}

// A single name becomes a list, to which other instances add theirs.
static MbsStatus copy_joint_names(MbsExpansion *x, const MbsInstance *instance, MbsYaml *node) {
  const MbsYaml written = *node;
  MbsYaml *last = NULL;
  if (node->kind != MBS_YAML_SCALAR && node->kind != MBS_YAML_LIST) {
    return MBS_OK;
  }
  node->kind = MBS_YAML_LIST;
  node->text = NULL;
  empty_copy(node);
  if (written.kind == MBS_YAML_SCALAR) {
    return append_joint_names(x, instance, &written, node, &last);
  }
  for (const MbsYaml *item = written.first; item; item = item->next) {
    MbsYaml *made;
    if (item->kind == MBS_YAML_SCALAR) {
      MBS_TRY(append_joint_names(x, instance, item, node, &last));
    } else {
      MBS_TRY(mbs_copy_node(x, item, &made));
      append(node, &last, made);
    }
  }
  return MBS_OK;
}

static MbsStatus add_prefix(MbsExpansion *x, const MbsInstance *instance, const char **text) {
  return instance->outer ? print(x, mbs_arena_print(x->reader->arena, "%s%s", instance->prefix, *text), text) : MBS_OK;
}

// ---- records ----

MbsStatus mbs_copy_record(MbsExpansion *x, const MbsInstance *instance, const MbsRecordType *type, MbsYaml *node) {
  if (node->kind != MBS_YAML_MAPPING) {
    return MBS_OK;
  }
  MbsYaml *last = NULL;
  const MbsYaml *pair = node->first;
  for (empty_copy(node); pair; pair = pair->next) {
    MbsYaml *made;
    MBS_TRY(mbs_copy_node(x, pair, &made));
    for (int i = 0; i < type->field_count; ++i) {
      if (strcmp(type->fields[i].name, pair->key.text) == 0) {
        MBS_TRY(mbs_copy_value(x, instance, &type->fields[i], made));
        break;
      }
    }
    append(node, &last, made);
  }
  return MBS_OK;
}

// A table: where it comes from a file, x, y and z are names of columns.
static MbsStatus copy_table(MbsExpansion *x, const MbsInstance *instance, MbsYaml *node) {
  bool is_of_file = node->kind == MBS_YAML_MAPPING && mbs_yaml_find(node, "file");
  const MbsField *field = &mbs_model_type.fields[MBS_MODEL_TABLES];
  MBS_TRY(add_prefix(x, instance, &node->key.text));
  return is_of_file ? MBS_OK : mbs_copy_record(x, instance, field->record, node);
}

// The entries of a map: bodies, coordinates, variables, inputs, events, objectives, outputs, validity and points and
// vectors of the ground are the instance's own, initial points and the variables that events set are references, and
// the points and vectors of a body and the parameters of the model stay as they are.
static MbsStatus copy_map(MbsExpansion *x, const MbsInstance *instance, const MbsField *field, MbsYaml *node) {
  if (node->kind != MBS_YAML_MAPPING) {
    return MBS_OK;
  }
  bool is_prefixed = is_field(field, MBS_MODEL_BODIES, -1) || is_field(field, MBS_MODEL_COORDINATES, -1) ||
                     is_field(field, MBS_MODEL_STATES, -1) || is_field(field, MBS_MODEL_VARIABLES, -1) ||
                     is_field(field, MBS_MODEL_INPUTS, -1) || is_field(field, MBS_MODEL_EVENTS, -1) ||
                     is_field(field, MBS_MODEL_OBJECTIVES, -1) || is_field(field, MBS_MODEL_OUTPUTS, -1) ||
                     is_field(field, MBS_MODEL_VALIDITY, -1) || is_field(field, MBS_MODEL_FUNCTIONS, -1) ||
                     is_field(field, MBS_MODEL_GROUND, MBS_GROUND_POINTS) ||
                     is_field(field, MBS_MODEL_GROUND, MBS_GROUND_VECTORS);
  MbsField entry = *field;
  entry.kind = field->kind == MBS_FIELD_VECTOR_MAP   ? MBS_FIELD_VECTOR
               : field->kind == MBS_FIELD_SIGNAL_MAP ? MBS_FIELD_SIGNAL
                                                     : MBS_FIELD_NUMBER;
  MbsYaml *last = NULL;
  const MbsYaml *pair = node->first;
  for (empty_copy(node); pair; pair = pair->next) {
    MbsYaml *made;
    MBS_TRY(mbs_copy_node(x, pair, &made));
    if (is_field(field, MBS_MODEL_FUNCTIONS, -1)) {
      MbsText body = {.text = pair->text, .place = pair->place};
      MBS_TRY(pair->kind == MBS_YAML_SCALAR ? mbs_rewrite_body(x, instance, pair->key.text, body, &made->text)
                                            : MBS_OK);
      MBS_TRY(add_prefix(x, instance, &made->key.text));
      append(node, &last, made);
      continue;
    }
    if (is_field(field, MBS_MODEL_TABLES, -1)) {
      MBS_TRY(copy_table(x, instance, made));
      append(node, &last, made);
      continue;
    }
    if (is_prefixed) {
      MBS_TRY(add_prefix(x, instance, &made->key.text));
    } else if (is_field(field, MBS_MODEL_INITIAL, MBS_INITIAL_POINTS)) {
      MBS_TRY(mbs_rewrite_reference(x, instance, MBS_REFERENCE_POINT, made->key, &made->key.text));
    } else if (is_field(field, MBS_MODEL_EVENTS, MBS_EVENT_SET)) {
      MBS_TRY(mbs_rewrite_reference(x, instance, MBS_REFERENCE_VARIABLE, made->key, &made->key.text));
    }
    bool is_short = field->is_short && made->kind != MBS_YAML_MAPPING;
    MBS_TRY(is_short                              ? mbs_copy_value(x, instance, &field->record->fields[0], made)
            : field->kind == MBS_FIELD_RECORD_MAP ? mbs_copy_record(x, instance, field->record, made)
                                                  : mbs_copy_value(x, instance, &entry, made));
    append(node, &last, made);
  }
  return MBS_OK;
}

// ---- joints and forces ----

static const MbsRecordType *find_type(const MbsYaml *item, bool is_joint) {
  for (const MbsYaml *pair = item->first; pair; pair = pair->next) {
    for (int i = 0; is_joint && mbs_joint_types[i]; ++i) {
      if (strcmp(mbs_joint_types[i]->record.name, pair->key.text) == 0) {
        return &mbs_joint_types[i]->record;
      }
    }
    for (int i = 0; !is_joint && mbs_force_types[i]; ++i) {
      if (strcmp(mbs_force_types[i]->record.name, pair->key.text) == 0) {
        return &mbs_force_types[i]->record;
      }
    }
  }
  return NULL;
}

// An element of an instance always has a name, made from its type and its position in the template if it is not given.
static MbsStatus name_element(MbsExpansion *x, const MbsInstance *instance, const MbsRecordType *type, int position,
                              MbsYaml *node) {
  for (MbsYaml *pair = node->first; pair; pair = pair->next) {
    if (strcmp(pair->key.text, "name") == 0) {
      return pair->kind == MBS_YAML_SCALAR ? add_prefix(x, instance, &pair->text) : MBS_OK;
    }
  }
  MbsYaml *name;
  MbsYaml made = {.kind = MBS_YAML_SCALAR, .key = {.text = "name", .place = node->first->key.place}};
  made.place = node->first->key.place;
  MBS_TRY(mbs_copy_node(x, &made, &name));
  MBS_TRY(print(x, mbs_arena_print(x->reader->arena, "%s%s_%d", instance->prefix, type->name, position), &name->text));
  name->next = node->first;
  node->first = name;
  node->count += 1;
  return MBS_OK;
}

// The vectors of the ground that an element names: theirs is the name that the instance's ground gives them.
static MbsStatus name_ground_vectors(MbsExpansion *x, const MbsInstance *instance, const MbsRecordType *type,
                                     MbsYaml *node) {
  const MbsYaml *ends = mbs_yaml_find(node, type->name);
  for (MbsYaml *pair = node->first; pair; pair = pair->next) {
    const MbsField *field = NULL;
    for (int i = 0; i < type->field_count; ++i) {
      field = strcmp(type->fields[i].name, pair->key.text) == 0 ? &type->fields[i] : field;
    }
    bool is_named = field && field->kind == MBS_FIELD_DIRECTION && pair->kind == MBS_YAML_SCALAR;
    if (!is_named || !mbs_direction_is_name(pair->text) || !ends || ends->count != 2) {
      continue;
    }
    const char *end = (field->is_second ? ends->first->next : ends->first)->text;
    if (!end || strncmp(end, "ground", 6) != 0 || (end[6] != '.' && end[6] != '\0')) {
      continue;
    }
    const char *sign = pair->text[0] == '-' ? "-" : "", *found;
    MbsText vector = {.place = pair->place};
    MBS_TRY(print(x, mbs_arena_print(x->reader->arena, "ground.%s", pair->text + strlen(sign)), &vector.text));
    MBS_TRY(mbs_rewrite_reference(x, instance, MBS_REFERENCE_VECTOR, vector, &found));
    MBS_TRY(print(x, mbs_arena_print(x->reader->arena, "%s%s", sign, strchr(found, '.') + 1), &pair->text));
  }
  return MBS_OK;
}

static MbsStatus copy_elements(MbsExpansion *x, const MbsInstance *instance, bool is_joint, MbsYaml *node) {
  if (node->kind != MBS_YAML_LIST) {
    return MBS_OK;
  }
  MbsYaml *last = NULL;
  const MbsYaml *item = node->first;
  int position = 1;
  for (empty_copy(node); item; item = item->next, ++position) {
    MbsYaml *made;
    MBS_TRY(mbs_copy_node(x, item, &made));
    const MbsRecordType *type = item->kind == MBS_YAML_MAPPING ? find_type(item, is_joint) : NULL;
    if (type) {
      MBS_TRY(mbs_reference_check_twist(x, instance, item));
      MBS_TRY(mbs_copy_record(x, instance, type, made));
      MBS_TRY(name_ground_vectors(x, instance, type, made));
      MBS_TRY(instance->outer ? name_element(x, instance, type, position, made) : MBS_OK);
    }
    append(node, &last, made);
  }
  return MBS_OK;
}

// The mesh of a shape is mirrored with its body: each axis changes sign once more.
static MbsStatus mirror_mesh(MbsExpansion *x, const MbsInstance *instance, MbsYaml *shape) {
  const MbsField *field = &mbs_model_type.fields[MBS_MODEL_SHAPES].record->fields[MBS_SHAPE_MIRROR];
  const MbsYaml *given = shape->kind == MBS_YAML_MAPPING ? mbs_yaml_find(shape, field->name) : NULL;
  char axes[4] = "";
  if (shape->kind != MBS_YAML_MAPPING || !mbs_yaml_find(shape, "file") || (given && !given->text)) {
    return MBS_OK;
  }
  for (int k = 0, count = 0; k < 3; ++k) {
    bool was = given && strchr(given->text, "xyz"[k]);
    if (was != (instance->sign[k] < 0)) {
      axes[count++] = "xyz"[k];
    }
  }
  MbsYaml *made, *last = NULL, *pair = shape->first;
  MBS_TRY(mbs_copy_node(x, given ? given : pair, &made));
  made->kind = MBS_YAML_SCALAR;
  made->key.text = field->name;
  for (empty_copy(shape); pair; pair = pair->next) {
    if (pair != given) {
      append(shape, &last, pair);
    }
  }
  last->next = NULL;
  if (axes[0] != '\0') {
    append(shape, &last, made);
  }
  return print(x, mbs_arena_print(x->reader->arena, "%s", axes), &made->text);
}

static MbsStatus copy_list(MbsExpansion *x, const MbsInstance *instance, const MbsField *field, MbsYaml *node) {
  if (node->kind != MBS_YAML_LIST) {
    return MBS_OK;
  }
  MbsYaml *last = NULL;
  const MbsYaml *item = node->first;
  for (empty_copy(node); item; item = item->next) {
    MbsYaml *made;
    MBS_TRY(mbs_copy_node(x, item, &made));
    MBS_TRY(mbs_copy_record(x, instance, field->record, made));
    MBS_TRY(is_field(field, MBS_MODEL_SHAPES, -1) ? mirror_mesh(x, instance, made) : MBS_OK);
    append(node, &last, made);
  }
  return MBS_OK;
}

MbsStatus mbs_copy_value(MbsExpansion *x, const MbsInstance *instance, const MbsField *field, MbsYaml *node) {
  switch (field->kind) {
    case MBS_FIELD_TEXT:
      return is_field(field, MBS_MODEL_OBJECTIVES, MBS_OBJECTIVE_EVENT) ||
                     is_field(field, MBS_MODEL_OBJECTIVES, MBS_OBJECTIVE_EVENT_TIME)
                 ? copy_names(x, instance, MBS_REFERENCE_EVENT, false, node)
                 : MBS_OK;
    case MBS_FIELD_INTEGER:
    case MBS_FIELD_CHOICE: return MBS_OK;
    case MBS_FIELD_NUMBER:
    case MBS_FIELD_NUMBER_LIST:
    case MBS_FIELD_NUMBER_ROWS:
    case MBS_FIELD_VECTOR:
    case MBS_FIELD_INERTIA:
    case MBS_FIELD_TURNING:
    case MBS_FIELD_SIGNAL:
    case MBS_FIELD_SIGNAL_VECTOR:
    case MBS_FIELD_TORQUE: return copy_numbers(x, instance, field, node);
    case MBS_FIELD_DIRECTION: return copy_direction(x, instance, field, node);
    case MBS_FIELD_POINT:
    case MBS_FIELD_POINT_PAIR:
    case MBS_FIELD_POINT_NAMES: return copy_names(x, instance, MBS_REFERENCE_POINT, false, node);
    case MBS_FIELD_BODY:
    case MBS_FIELD_BODY_PAIR: return copy_names(x, instance, MBS_REFERENCE_THING, false, node);
    case MBS_FIELD_JOINT_PAIR: return copy_names(x, instance, MBS_REFERENCE_THING, true, node);
    case MBS_FIELD_JOINT_NAMES: return copy_joint_names(x, instance, node);
    case MBS_FIELD_RECORD: return mbs_copy_record(x, instance, field->record, node);
    case MBS_FIELD_NUMBER_MAP:
    case MBS_FIELD_SIGNAL_MAP:
    case MBS_FIELD_VECTOR_MAP:
    case MBS_FIELD_RECORD_MAP: return copy_map(x, instance, field, node);
    case MBS_FIELD_RECORD_LIST: return copy_list(x, instance, field, node);
    case MBS_FIELD_JOINT_LIST:
    case MBS_FIELD_FORCE_LIST: return copy_elements(x, instance, field->kind == MBS_FIELD_JOINT_LIST, node);
  }
  return MBS_OK;
}
