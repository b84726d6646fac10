#include "model/joint.h"

#include <string.h>

const char *mbs_joint_name(const MbsBlueprint *blueprint, const MbsRecord *joint) {
  const char *name = mbs_arena_print(blueprint->arena, "joint \"%s\"", joint->name.text);
  return name ? name : joint->name.text;
}

MbsStatus mbs_joint_ends(MbsContext *context, const MbsBlueprint *blueprint, const MbsRecord *joint,
                         const MbsValue *ends, MbsPointReference *a, MbsPointReference *b) {
  const char *owner = mbs_joint_name(blueprint, joint);
  MBS_TRY(mbs_blueprint_find_point(context, blueprint, owner, ends->texts[0], a));
  MBS_TRY(mbs_blueprint_find_point(context, blueprint, owner, ends->texts[1], b));
  if (a->body == b->body) {
    return mbs_fail(context, MBS_ERROR_INPUT, ends->texts[1].place, "%s: both points are on body \"%s\"", owner,
                    blueprint->bodies.items[a->body].name);
  }
  return MBS_OK;
}

MbsStatus mbs_joint_needs_rigid(MbsContext *context, const MbsBlueprint *blueprint, const MbsRecord *joint,
                                MbsPointReference a, MbsPointReference b) {
  int bodies[2] = {a.body, b.body};
  for (int i = 0; i < 2; ++i) {
    const MbsBlueprintBody *body = &blueprint->bodies.items[bodies[i]];
    if (body->kind == MBS_BODY_POINT_MASS) {
      return mbs_fail(context, MBS_ERROR_INPUT, joint->name.place,
                      "%s: body \"%s\" is a point mass and has no orientation to hold; give it an inertia",
                      mbs_joint_name(blueprint, joint), body->name);
    }
  }
  return MBS_OK;
}

MbsStatus mbs_joint_add_dot_row(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, const char *what,
                                const MbsForm *A, const MbsForm *B, MbsNode c) {
  const char *name = mbs_arena_print(blueprint->arena, "joint %s: %s", joint->name.text, what);
  MBS_APPEND(context, blueprint->arena, &blueprint->rows,
             (MbsRowSpec){.kind = MBS_ROW_DOT,
                          .name = name ? name : what,
                          .owner = joint->name.text,
                          .place = joint->name.place,
                          .body = MBS_NOBODY,
                          .joint = joint,
                          .A = *A,
                          .B = *B,
                          .c = c});
  return MBS_OK;
}

MbsStatus mbs_joint_direction(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                              const MbsField *fields, int field, int otherwise, int body, MbsDirection *direction) {
  const MbsValue *value = mbs_record_value(joint, field);
  int named_on = body;
  if (value->count == 0) {
    MbsPointReference first;  // the field it takes the numbers of is in the axes of the first body
    MBS_TRY(mbs_blueprint_find_point(context, blueprint, mbs_joint_name(blueprint, joint),
                                     mbs_record_value(joint, 0)->texts[0], &first));
    value = mbs_record_value(joint, otherwise);
    named_on = first.body;
  }
  if (value->count == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, joint->name.place, "%s needs \"%s\" in space",
                    mbs_joint_name(blueprint, joint), fields[otherwise].name);
  }
  return mbs_direction_read(context, blueprint, mbs_joint_name(blueprint, joint), &fields[field], value, named_on, body,
                            direction);
}

MbsStatus mbs_joint_join_axes(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                              const MbsField *fields, int field, int second_field, MbsPointReference a,
                              MbsPointReference b) {
  MbsDirection u1, u2;
  MBS_TRY(mbs_joint_needs_rigid(context, blueprint, joint, a, b));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, field, field, a.body, &u1));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, second_field, field, b.body, &u2));
  return mbs_blueprint_join_directions(context, blueprint, joint, u1, u2);
}

MbsStatus mbs_joint_distance_form(MbsContext *context, MbsBlueprint *blueprint, MbsPointReference a,
                                  MbsPointReference b, MbsForm *d) {
  MbsForm r1, r2;
  MBS_TRY(mbs_form_of_point(context, blueprint, a, &r1));
  MBS_TRY(mbs_form_of_point(context, blueprint, b, &r2));
  return mbs_form_subtract(context, blueprint, &r2, &r1, d);
}

MbsStatus mbs_joint_add_plane_row(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                  const char *what, MbsPointReference a, MbsPointReference b, const MbsDirection *n,
                                  MbsNode c) {
  MbsForm d, normal;
  MBS_TRY(mbs_joint_distance_form(context, blueprint, a, b, &d));
  MBS_TRY(mbs_form_of_direction(context, blueprint, n, &normal));
  return mbs_joint_add_dot_row(context, blueprint, joint, what, &normal, &d, c);
}

MbsStatus mbs_joint_add_line_rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                  MbsPointReference a, MbsPointReference b, const MbsDirection *u) {
  MbsGraph *g = blueprint->graph;
  MbsNode zero = mbs_graph_constant(g, 0);
  if (blueprint->dimension == 2) {
    MbsDirection normal = {.body = u->body, .local = {mbs_graph_negate(g, u->local[1]), u->local[0], zero}};
    return mbs_joint_add_plane_row(context, blueprint, joint, "on the line", a, b, &normal, zero);
  }
  MbsDirection normals[2];
  MBS_TRY(mbs_direction_normals(context, blueprint, u, normals));
  MBS_TRY(mbs_joint_add_plane_row(context, blueprint, joint, "on the line, 1", a, b, &normals[0], zero));
  return mbs_joint_add_plane_row(context, blueprint, joint, "on the line, 2", a, b, &normals[1], zero);
}

MbsStatus mbs_joint_add_normal_row(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                   const char *what, const MbsDirection *u, const MbsDirection *w) {
  MbsForm A, B;
  MBS_TRY(mbs_form_of_direction(context, blueprint, u, &A));
  MBS_TRY(mbs_form_of_direction(context, blueprint, w, &B));
  return mbs_joint_add_dot_row(context, blueprint, joint, what, &A, &B, mbs_graph_constant(blueprint->graph, 0));
}

bool mbs_joint_axis(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, int body,
                    MbsDirection *axis) {
  const MbsRecordType *type = &mbs_joint_types[joint->type]->record;
  for (int i = 0; i < type->field_count; ++i) {
    if (strcmp(type->fields[i].name, "axis") == 0) {
      return mbs_joint_direction(context, blueprint, joint, type->fields, i, i, body, axis) == MBS_OK;
    }
  }
  return false;
}

bool mbs_joint_axes(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                    const MbsPointReference ends[2], MbsDirection axes[2]) {
  const MbsRecordType *type = &mbs_joint_types[joint->type]->record;
  int field[2] = {-1, -1};
  for (int i = 0; i < type->field_count; ++i) {
    if (strcmp(type->fields[i].name, "axis") == 0) {
      field[0] = i;
    } else if (strcmp(type->fields[i].name, "axis2") == 0 && !type->fields[i].is_required) {
      field[1] = i;
    }
  }
  if (field[0] < 0 || field[1] < 0) {
    return false;
  }
  for (int i = 0; i < 2; ++i) {
    if (mbs_joint_direction(context, blueprint, joint, type->fields, field[i], field[0], ends[i].body, &axes[i]) !=
        MBS_OK) {
      return false;
    }
  }
  return true;
}

static MbsStatus add_row(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, const char *what,
                         MbsRowSpec row) {
  const char *name = mbs_arena_print(blueprint->arena, "joint %s: %s", joint->name.text, what);
  row.kind = MBS_ROW_EXPRESSION;
  row.name = name ? name : what;
  row.owner = joint->name.text;
  row.place = joint->name.place;
  row.body = MBS_NOBODY;
  row.joint = joint;
  row.c = mbs_graph_constant(blueprint->graph, 0);
  MBS_APPEND(context, blueprint->arena, &blueprint->rows, row);
  return MBS_OK;
}

MbsStatus mbs_joint_add_expression_row(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                       const char *what, MbsNode phi, bool is_driver) {
  return add_row(context, blueprint, joint, what, (MbsRowSpec){.expression = phi, .is_driver = is_driver});
}

MbsStatus mbs_joint_add_velocity_row(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                     const char *what, MbsNode row) {
  return add_row(context, blueprint, joint, what, (MbsRowSpec){.expression = row, .is_nonholonomic = true});
}

MbsStatus mbs_joint_add_condition(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                  const MbsNode *vector, double least, const char *broken) {
  MbsConditionSpec spec = {
      .owner = mbs_joint_name(blueprint, joint), .place = joint->name.place, .least = least, .broken = broken};
  spec.switched = mbs_switch_of(blueprint, joint);
  for (int k = 0; k < blueprint->dimension; ++k) {
    spec.vector[k] = vector[k];
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->conditions, spec);
  return MBS_OK;
}

MbsStatus mbs_joint_coordinate(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsText name,
                               const char *what, MbsNode *coordinate) {
  const char *text = mbs_arena_print(blueprint->arena, "%s(%s)", what, name.text);
  MbsExpression value;
  MBS_TRY(mbs_signal_parse(context, blueprint, mbs_joint_name(blueprint, joint),
                           (MbsText){.text = text ? text : name.text, .place = name.place}, 1, MBS_USE_POSITION, 0,
                           NULL, &value));
  *coordinate = value.node[0];
  return MBS_OK;
}

MbsStatus mbs_joint_add_coupling(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                 const MbsField *fields, int ratio_field, int offset_field, MbsNode first,
                                 MbsNode second) {
  MbsGraph *g = blueprint->graph;
  MbsNode ratio, offset;
  const char *owner = mbs_joint_name(blueprint, joint);
  MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[ratio_field], mbs_record_text(joint, ratio_field),
                               &ratio));
  MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[offset_field], mbs_record_text(joint, offset_field),
                               &offset));
  MbsNode follows = mbs_graph_add(g, mbs_graph_multiply(g, ratio, first), offset);
  return mbs_joint_add_expression_row(context, blueprint, joint, "is coupled", mbs_graph_subtract(g, second, follows),
                                      false);
}
