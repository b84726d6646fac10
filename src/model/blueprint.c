// From the model as written to numbers with names: parameters, properties, bodies, points.
#include "model/blueprint.h"

#include <math.h>
#include <string.h>

#include "base/names.h"
#include "expressions/external.h"
#include "expressions/operation.h"
#include "expressions/table.h"
#include "model/design.h"
#include "model/measured.h"

// ---- properties ----
MbsStatus mbs_blueprint_number(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsField *field,
                               MbsText text, MbsNode *node) {
  const char *name = mbs_arena_print(blueprint->arena, "%s: %s", owner, field->name);
  MBS_TRY(mbs_parameters_parse(context, blueprint, name ? name : owner, text, node));
  MBS_APPEND(context, blueprint->arena, &blueprint->properties,
             (MbsProperty){.name = name ? name : owner, .text = text, .node = *node, .check = field->check});
  return MBS_OK;
}

MbsStatus mbs_blueprint_vector(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsField *field,
                               const MbsValue *value, MbsNode node[3]) {
  MbsGraph *graph = blueprint->graph;
  MbsNode square = mbs_graph_constant(graph, 0);
  MbsField component = *field;
  MbsExpression whole = {.size = 0};  // one expression, whose value is a vector
  component.check = MBS_CHECK_NONE;
  if (value->count == 1 && field->kind != MBS_FIELD_NUMBER) {
    const char *name = mbs_arena_print(blueprint->arena, "%s: %s", owner, field->name);
    name = name ? name : owner;
    MBS_TRY(mbs_parameters_parse_vector(context, blueprint, name, value->texts[0], &whole));
    for (int k = 0; k < whole.size; ++k) {
      MBS_APPEND(context, blueprint->arena, &blueprint->properties,
                 (MbsProperty){.name = name, .text = value->texts[0], .node = whole.node[k]});
    }
  }
  for (int k = 0; k < 3; ++k) {
    node[k] = mbs_graph_constant(graph, 0);
    if (k < whole.size) {
      node[k] = whole.node[k];
    } else if (k < value->count && whole.size == 0) {
      MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &component, value->texts[k], &node[k]));
    }
    if (k < whole.size || k < value->count) {
      square = mbs_graph_add(graph, square, mbs_graph_multiply(graph, node[k], node[k]));
    }
  }
  if (field->check == MBS_CHECK_NOT_ZERO) {
    const char *name = mbs_arena_print(blueprint->arena, "%s: %s", owner, field->name);
    MBS_APPEND(context, blueprint->arena, &blueprint->properties,
               (MbsProperty){
                   .name = name ? name : owner, .text = value->texts[0], .node = square, .check = MBS_CHECK_NOT_ZERO});
  }
  return MBS_OK;
}

// of a program's function, where its arguments are known
static double external_value(const MbsGraph *graph, const MbsGraphNode *node, const double *known) {
  const MbsExternalPart part = mbs_graph_external(graph, node);
  double arguments[MBS_MOST_FUNCTION_ARGUMENTS];
  int k = 0;
  bool is_known = true;
  for (MbsNode list = node->operand[0]; list != MBS_NODE_NONE; list = mbs_graph_node(graph, list)->operand[1]) {
    arguments[k] = known[mbs_graph_node(graph, list)->operand[0]];
    is_known = is_known && !isnan(arguments[k++]);
  }
  return is_known ? mbs_external_plain(part.external, part.result, part.by, arguments) : (double)NAN;
}

// Nodes come after their operands, so that those made since the last time follow from the values at hand. What depends
// on a signal has none: NaN.
static MbsStatus extend_nominal(MbsContext *context, MbsBlueprint *blueprint) {
  while (blueprint->nominal.count < mbs_graph_count(blueprint->graph)) {
    const MbsGraphNode *node = mbs_graph_node(blueprint->graph, blueprint->nominal.count);
    const double *known = blueprint->nominal.items;
    double value = (double)NAN;
    if (node->operation == MBS_OP_CONSTANT) {
      value = node->value;
    } else if (node->operation == MBS_OP_INPUT) {
      const MbsSignal *signal = &blueprint->signals.items[node->index];
      value = signal->kind == MBS_SIGNAL_PARAMETER ? blueprint->parameters.items[signal->index].nominal : value;
      value = node->index == blueprint->time_input ? 0 : value;  // ground points may move: where they start
    } else if (node->operation == MBS_OP_TABLE) {
      MbsLookup lookup = mbs_table_lookup(blueprint->graph, node->index);
      double a = known[node->operand[0]], b = node->operand[1] == MBS_NODE_NONE ? a : known[node->operand[1]];
      value = isnan(a) || isnan(b) ? value : mbs_table_value_of(&lookup, a, b, known);
    } else if (node->operation == MBS_OP_EXTERNAL) {
      value = external_value(blueprint->graph, node, known);
    } else {
      double a = known[node->operand[0]], b = node->operand[1] == MBS_NODE_NONE ? a : known[node->operand[1]];
      value = mbs_re(mbs_operation_value(node->operation, node->index, a, b));
    }
    MBS_APPEND(context, blueprint->arena, &blueprint->nominal, value);
  }
  return MBS_OK;
}

MbsStatus mbs_blueprint_nominal(MbsContext *context, MbsBlueprint *blueprint, int count, const MbsNode *nodes,
                                double *values) {
  MBS_TRY(mbs_graph_status(context, blueprint->graph));
  MBS_TRY(extend_nominal(context, blueprint));
  for (int i = 0; i < count; ++i) {
    values[i] = blueprint->nominal.items[nodes[i]];
  }
  return MBS_OK;
}

MbsStatus mbs_blueprint_nominal_number(MbsContext *context, MbsBlueprint *blueprint, MbsNode node, bool *moves,
                                       double *value) {
  int count;
  const int *inputs;
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, node, &count, &inputs));
  *moves = false;
  for (int i = 0; i < count; ++i) {
    *moves = *moves || blueprint->signals.items[inputs[i]].kind != MBS_SIGNAL_PARAMETER;
  }
  return mbs_blueprint_nominal(context, blueprint, 1, &node, value);
}

static MbsStatus check_property(MbsContext *context, const MbsProperty *property, double value) {
  const char *wrong = NULL;
  if (!isfinite(value)) {
    return mbs_fail(context, MBS_ERROR_INPUT, property->text.place,
                    "%s: \"%s\" is not a finite number (a division by zero or a domain error)", property->name,
                    property->text.text);
  }
  if (property->check == MBS_CHECK_POSITIVE && !(value > 0)) {
    wrong = "must be positive";
  } else if (property->check == MBS_CHECK_NOT_NEGATIVE && value < 0) {
    wrong = "must not be negative";
  } else if (property->check == MBS_CHECK_NOT_ZERO && !(fabs(value) > 0)) {  // real
    wrong = "must not be zero";
  } else if (property->check == MBS_CHECK_FRACTION && !(value >= 0 && value <= 1)) {
    wrong = "must be from 0 to 1";
  }
  return wrong ? mbs_fail(context, MBS_ERROR_INPUT, property->text.place, "%s %s, got %.10g", property->name, wrong,
                          value)
               : MBS_OK;
}

MbsStatus mbs_blueprint_check_properties(MbsContext *context, MbsBlueprint *blueprint) {
  int first = blueprint->checked_count, before = context->error_count;
  int count = blueprint->properties.count - first;
  MbsNode *nodes;
  double *values;
  MBS_TAKE(context, blueprint->arena, nodes, count);
  MBS_TAKE(context, blueprint->arena, values, count);
  for (int i = 0; i < count; ++i) {
    nodes[i] = blueprint->properties.items[first + i].node;
  }
  MBS_TRY(mbs_blueprint_nominal(context, blueprint, count, nodes, values));
  for (int i = 0; i < count; ++i) {
    MBS_TRY(mbs_error_keep(context, check_property(context, &blueprint->properties.items[first + i], values[i])));
  }
  MBS_TRY(mbs_errors_tell(context, before));
  blueprint->checked_count = blueprint->properties.count;
  return MBS_OK;
}

MbsStatus mbs_blueprint_check_again(MbsContext *context, MbsBlueprint *blueprint) {
  for (int i = 0; i < blueprint->properties.count; ++i) {
    double value;
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 1, &blueprint->properties.items[i].node, &value));
    MBS_TRY(check_property(context, &blueprint->properties.items[i], value));
  }
  return MBS_OK;
}

// ---- bodies and points ----
// a point of the ground may move: its coordinates are expressions of parameters and time
static MbsStatus read_ground_point(MbsContext *context, MbsBlueprint *blueprint, const char *owner,
                                   const MbsValue *value, MbsNode local[3]) {
  bool is_whole = value->count == 1;  // one expression, whose value is a vector
  int size = is_whole ? blueprint->dimension : 1;
  for (int k = 0; k < 3; ++k) {
    local[k] = mbs_graph_constant(blueprint->graph, 0);
  }
  for (int k = 0; k < blueprint->dimension; k += size) {
    MbsExpression part;
    MbsText text = value->texts[k];
    MBS_TRY(mbs_signal_parse(context, blueprint, owner, text, size, MBS_USE_TIME, 0, NULL, &part));
    for (int i = 0; i < size; ++i) {
      local[k + i] = part.node[i];
      MBS_APPEND(context, blueprint->arena, &blueprint->properties,
                 (MbsProperty){.name = owner, .text = text, .node = part.node[i]});
    }
  }
  return MBS_OK;
}

// points of one name follow one another
static MbsStatus list_point(MbsContext *context, MbsBlueprint *blueprint, const char *name, MbsPointReference point) {
  int index = blueprint->named_points.count, first = mbs_name_table_find(&blueprint->point_names, name);
  MBS_APPEND(context, blueprint->arena, &blueprint->named_points,
             (MbsNamedPoint){.point = point, .next = -1, .last = index});
  if (first < 0) {
    return mbs_name_table_add(context, blueprint->arena, &blueprint->point_names, name, index);
  }
  MbsNamedPoint *named = blueprint->named_points.items;
  named[named[first].last].next = index;
  named[first].last = index;
  return MBS_OK;
}

static MbsStatus read_points(MbsContext *context, MbsBlueprint *blueprint, MbsBlueprintBody *body,
                             const MbsValue *points) {
  static const MbsField coordinates = {.name = "coordinates", .kind = MBS_FIELD_VECTOR};
  MBS_TAKE(context, blueprint->arena, body->points, points->count);
  for (int i = 0; i < points->count; ++i) {
    const MbsRecord *record = &points->records[i];
    MbsBlueprintPoint *point = &body->points[i];
    const MbsPointReference own = {.body = blueprint->bodies.count, .point = i};
    *point = (MbsBlueprintPoint){
        .name = record->name.text, .place = record->name.place, .group = blueprint->group_count++, .next = own};
    MBS_TRY(list_point(context, blueprint, point->name, own));
    const char *owner = mbs_arena_print(blueprint->arena, "point \"%s.%s\"", body->name, point->name);
    owner = owner ? owner : point->name;
    if (body->record) {
      MBS_TRY(mbs_blueprint_vector(context, blueprint, owner, &coordinates, &record->values[0], point->local));
    } else {
      MBS_TRY(read_ground_point(context, blueprint, owner, &record->values[0], point->local));
    }
  }
  body->point_count = points->count;
  return MBS_OK;
}

static const MbsRecordType *section(int field) { return mbs_model_type.fields[field].record; }

// a tensor, a single moment (in the plane, or of a thin rod), or none (a point mass)
static MbsStatus read_inertia(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsRecord *record,
                              MbsBlueprintBody *body) {
  const MbsField *field = &section(MBS_MODEL_BODIES)->fields[MBS_BODY_INERTIA];
  const MbsValue *inertia = mbs_record_value(record, MBS_BODY_INERTIA);
  for (int i = 0; i < 6; ++i) {
    body->inertia[i] = mbs_graph_constant(blueprint->graph, 0);
  }
  if (inertia->count == 0) {
    body->kind = MBS_BODY_POINT_MASS;
    if (body->point_count != 1) {
      return mbs_fail(context, MBS_ERROR_INPUT, record->name.place,
                      "body \"%s\" has no inertia, so it is a point mass and needs exactly one point, but it has %d; a "
                      "rigid body needs \"inertia\"",
                      body->name, body->point_count);
    }
    if (mbs_record_value(record, MBS_BODY_COM)->is_given) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_record_value(record, MBS_BODY_COM)->place,
                      "body \"%s\" has no inertia, so it is a point mass, whose centre of mass is its point: leave "
                      "out \"com\"; a rigid body needs \"inertia\"",
                      body->name);
    }
    for (int k = 0; k < 3; ++k) {
      body->com[k] = body->points[0].local[k];
    }
    return MBS_OK;
  }
  body->kind = blueprint->dimension == 3 && inertia->count == 1 ? MBS_BODY_ROD : MBS_BODY_RIGID;
  for (int i = 0; i < inertia->count; ++i) {
    MbsField moment = *field;
    moment.check = i < 3 ? field->check : MBS_CHECK_NONE;  // products of inertia may be negative
    int at = blueprint->dimension == 2 ? 2 : i;
    MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &moment, inertia->texts[i], &body->inertia[at]));
  }
  return MBS_OK;
}

static MbsStatus append_body(MbsContext *context, MbsBlueprint *blueprint, MbsBlueprintBody body) {
  int index = blueprint->bodies.count;
  MBS_APPEND(context, blueprint->arena, &blueprint->bodies, body);
  return mbs_name_table_add(context, blueprint->arena, &blueprint->body_names, body.name, index);
}

static MbsStatus read_body(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  const MbsField *fields = section(MBS_MODEL_BODIES)->fields;
  MbsBlueprintBody body = {.name = record->name.text, .record = record};
  const char *owner = mbs_arena_print(blueprint->arena, "body \"%s\"", body.name);
  owner = owner ? owner : body.name;
  MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[MBS_BODY_MASS],
                               mbs_record_text(record, MBS_BODY_MASS), &body.mass));
  MBS_TRY(mbs_blueprint_vector(context, blueprint, owner, &fields[MBS_BODY_COM], mbs_record_value(record, MBS_BODY_COM),
                               body.com));
  MBS_TRY(read_points(context, blueprint, &body, mbs_record_value(record, MBS_BODY_POINTS)));
  MBS_TRY(read_inertia(context, blueprint, owner, record, &body));
  MBS_TRY(mbs_direction_read_vectors(context, blueprint, mbs_record_value(record, MBS_BODY_VECTORS), &body));
  return append_body(context, blueprint, body);
}

MbsStatus mbs_blueprint_create(MbsContext *context, MbsArena *arena, const MbsModel *model, MbsBlueprint **result) {
  MbsBlueprint *blueprint;
  MBS_TAKE(context, arena, blueprint, 1);
  blueprint->arena = arena;
  blueprint->model = model;
  blueprint->dimension = model->dimension;
  blueprint->time_input = -1;
  MBS_TRY(mbs_graph_create(context, arena, &blueprint->graph));
  mbs_graph_use_externals(blueprint->graph, model->external_count, model->externals);
  MBS_TRY(mbs_formulas_read(context, blueprint));
  MBS_TRY(mbs_parameters_read(context, blueprint));
  MBS_TRY(mbs_tables_read(context, blueprint));
  MBS_TRY(mbs_user_coordinates_read(context, blueprint));
  MBS_TRY(mbs_states_read(context, blueprint));
  MBS_TRY(mbs_blueprint_vector(context, blueprint, "model", &mbs_model_type.fields[MBS_MODEL_GRAVITY],
                               mbs_record_value(&model->root, MBS_MODEL_GRAVITY), blueprint->gravity));
  MbsBlueprintBody ground = {.name = "ground"};
  const MbsRecord *ground_record = mbs_record_child(&model->root, MBS_MODEL_GROUND);
  if (ground_record) {
    MBS_TRY(read_points(context, blueprint, &ground, mbs_record_value(ground_record, MBS_GROUND_POINTS)));
    MBS_TRY(
        mbs_direction_read_vectors(context, blueprint, mbs_record_value(ground_record, MBS_GROUND_VECTORS), &ground));
  }
  MBS_TRY(append_body(context, blueprint, ground));
  const MbsValue *bodies = mbs_record_value(&model->root, MBS_MODEL_BODIES);
  int before = context->error_count;
  for (int i = 0; i < bodies->count; ++i) {
    MBS_TRY(mbs_error_keep(context, read_body(context, blueprint, &bodies->records[i])));
  }
  MBS_TRY(mbs_errors_tell(context, before));
  MBS_TRY(mbs_blueprint_check_properties(context, blueprint));
  MbsDesign design;
  MBS_TRY(mbs_design_read(context, blueprint, &design));
  MbsMeasuredSection measured;
  MBS_TRY(mbs_measured_section_read(context, blueprint, &measured));
  *result = blueprint;
  return MBS_OK;
}

// ---- names ----
MbsStatus mbs_blueprint_find_body(MbsContext *context, const MbsBlueprint *blueprint, const char *owner, MbsText name,
                                  int *body) {
  *body = mbs_name_table_find(&blueprint->body_names, name.text);
  if (*body >= 0) {
    return MBS_OK;
  }
  const char *nearest = NULL;
  for (int i = 0; i < blueprint->bodies.count; ++i) {
    mbs_name_nearest(name.text, blueprint->bodies.items[i].name, &nearest);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, name.place, "%s: no body \"%s\"%s%s%s", owner, name.text,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

typedef enum Found { FOUND_NONE, FOUND_ONE, FOUND_SEVERAL } Found;

// a bare point name is good where every point of that name is in one group; `other`: one that is in another group
static Found find_named(const MbsBlueprint *blueprint, const char *name, MbsPointReference *point,
                        MbsPointReference *other) {
  const MbsBlueprintPoint *first = NULL;
  for (int i = mbs_name_table_find(&blueprint->point_names, name); i >= 0; i = blueprint->named_points.items[i].next) {
    const MbsPointReference named = blueprint->named_points.items[i].point;
    const MbsBlueprintPoint *at = &blueprint->bodies.items[named.body].points[named.point];
    if (first && first->group != at->group) {
      *other = named;
      return FOUND_SEVERAL;
    }
    if (!first) {
      first = at;
      *point = named;
    }
  }
  return first ? FOUND_ONE : FOUND_NONE;
}

static MbsStatus find_bare_point(MbsContext *context, const MbsBlueprint *blueprint, const char *owner, MbsText name,
                                 MbsPointReference *point) {
  MbsPointReference other;
  Found found = find_named(blueprint, name.text, point, &other);
  if (found == FOUND_SEVERAL) {
    return mbs_fail(context, MBS_ERROR_INPUT, name.place,
                    "%s: point \"%s\" is ambiguous: \"%s.%s\" and \"%s.%s\" are different points; write body.point",
                    owner, name.text, blueprint->bodies.items[point->body].name, name.text,
                    blueprint->bodies.items[other.body].name, name.text);
  }
  if (found == FOUND_ONE) {
    return MBS_OK;
  }
  const char *nearest = NULL;
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    for (int p = 0; p < blueprint->bodies.items[b].point_count; ++p) {
      mbs_name_nearest(name.text, blueprint->bodies.items[b].points[p].name, &nearest);
    }
  }
  return mbs_fail(context, MBS_ERROR_INPUT, name.place, "%s: no point \"%s\"%s%s%s", owner, name.text,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

MbsStatus mbs_blueprint_find_point(MbsContext *context, const MbsBlueprint *blueprint, const char *owner, MbsText name,
                                   MbsPointReference *point) {
  const char *dot = strchr(name.text, '.');
  if (!dot) {
    return find_bare_point(context, blueprint, owner, name, point);
  }
  char *body_name = mbs_arena_copy_text(blueprint->arena, name.text);
  if (!body_name) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  body_name[dot - name.text] = '\0';
  MBS_TRY(mbs_blueprint_find_body(context, blueprint, owner, (MbsText){.text = body_name, .place = name.place},
                                  &point->body));
  const MbsBlueprintBody *body = &blueprint->bodies.items[point->body];
  if (point->body == MBS_GROUND) {  // it may have thousands, and is the first of each name's bodies
    int first = mbs_name_table_find(&blueprint->point_names, dot + 1);
    if (first >= 0 && blueprint->named_points.items[first].point.body == MBS_GROUND) {
      *point = blueprint->named_points.items[first].point;
      return MBS_OK;
    }
  }
  for (int p = 0; p < body->point_count && point->body != MBS_GROUND; ++p) {
    if (strcmp(body->points[p].name, dot + 1) == 0) {
      point->point = p;
      return MBS_OK;
    }
  }
  const char *nearest = NULL;
  for (int p = 0; p < body->point_count; ++p) {
    mbs_name_nearest(dot + 1, body->points[p].name, &nearest);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, name.place, "%s: no point \"%s\" on body \"%s\"%s%s%s", owner, dot + 1,
                  body_name, nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

const char *mbs_blueprint_point_name(const MbsBlueprint *blueprint, MbsPointReference point) {
  const MbsBlueprintBody *body = &blueprint->bodies.items[point.body];
  return mbs_arena_print(blueprint->arena, "%s.%s", body->name, body->points[point.point].name);
}

const char *mbs_blueprint_short_name(const MbsBlueprint *blueprint, MbsPointReference point) {
  const MbsBlueprintPoint *named = &blueprint->bodies.items[point.body].points[point.point];
  MbsPointReference found, other;
  bool is_unique = find_named(blueprint, named->name, &found, &other) == FOUND_ONE;
  return is_unique ? named->name : mbs_blueprint_point_name(blueprint, point);
}

// ---- connecting ----
bool mbs_blueprint_is_same_point(const MbsBlueprint *blueprint, MbsPointReference a, MbsPointReference b) {
  return blueprint->bodies.items[a.body].points[a.point].group == blueprint->bodies.items[b.body].points[b.point].group;
}

static MbsBlueprintPoint *point_of(const MbsBlueprint *blueprint, MbsPointReference reference) {
  return &blueprint->bodies.items[reference.body].points[reference.point];
}

// no body may have a point in both groups
static MbsStatus check_bodies_differ(MbsContext *context, const MbsBlueprint *blueprint, const MbsRecord *joint,
                                     MbsPointReference a, MbsPointReference b) {
  int kept = point_of(blueprint, a)->group, merged = point_of(blueprint, b)->group, most = blueprint->bodies.count;
  int wrong = most, pair[2] = {0, 0};
  MbsPointReference member = b;
  for (bool is_first = true; kept != merged && (is_first || member.body != b.body || member.point != b.point);
       member = point_of(blueprint, member)->next, is_first = false) {
    const MbsBlueprintBody *body = &blueprint->bodies.items[member.body];
    for (int p = 0; p < body->point_count; ++p) {
      if (body->points[p].group == kept && member.body < wrong) {
        wrong = member.body;
        pair[0] = p < member.point ? p : member.point;
        pair[1] = p < member.point ? member.point : p;
      }
    }
  }
  if (wrong == most) {
    return MBS_OK;
  }
  const MbsBlueprintBody *body = &blueprint->bodies.items[wrong];
  return mbs_fail(context, MBS_ERROR_INPUT, joint->name.place,
                  "joint \"%s\" brings two points of body \"%s\" together: \"%s\" and \"%s\"", joint->name.text,
                  body->name, body->points[pair[0]].name, body->points[pair[1]].name);
}

// the points of b's group become ones of a's, and the two rings one
static void merge_groups(const MbsBlueprint *blueprint, MbsPointReference a, MbsPointReference b) {
  MbsBlueprintPoint *of_a = point_of(blueprint, a), *of_b = point_of(blueprint, b);
  if (of_a->group == of_b->group) {
    return;
  }
  of_b->group = of_a->group;
  for (MbsBlueprintPoint *p = point_of(blueprint, of_b->next); p != of_b; p = point_of(blueprint, p->next)) {
    p->group = of_a->group;
  }
  const MbsPointReference next = of_a->next;
  of_a->next = of_b->next;
  of_b->next = next;
}

MbsStatus mbs_blueprint_join_points(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                    MbsPointReference a, MbsPointReference b) {
  if (mbs_switch_of(blueprint, joint) > 0) {
    MBS_APPEND(context, blueprint->arena, &blueprint->switched_points, (MbsPointPair){.a = a, .b = b, .joint = joint});
    return MBS_OK;
  }
  MBS_TRY(check_bodies_differ(context, blueprint, joint, a, b));
  merge_groups(blueprint, a, b);
  MBS_APPEND(context, blueprint->arena, &blueprint->point_pairs, (MbsPointPair){.a = a, .b = b, .joint = joint});
  return MBS_OK;
}

MbsStatus mbs_blueprint_add_sense(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsDirection a,
                                  MbsDirection b) {
  if (mbs_switch_acts_at_start(blueprint, joint)) {
    MBS_APPEND(context, blueprint->arena, &blueprint->senses, (MbsDirectionPair){.a = a, .b = b, .joint = joint});
  }
  return MBS_OK;
}

MbsStatus mbs_blueprint_join_directions(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                        MbsDirection a, MbsDirection b) {
  const MbsDirectionPair pair = {.a = a, .b = b, .joint = joint};
  if (mbs_switch_of(blueprint, joint) > 0) {
    MBS_APPEND(context, blueprint->arena, &blueprint->switched_directions, pair);
    return mbs_blueprint_add_sense(context, blueprint, joint, a, b);
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->direction_pairs, pair);
  return MBS_OK;
}
