#include "model/joint.h"

static const char *joint_name(const MbsBlueprint *blueprint, const MbsRecord *joint) {
  const char *name = mbs_arena_print(blueprint->arena, "joint \"%s\"", joint->name.text);
  return name ? name : joint->name.text;
}

MbsStatus mbs_joint_ends(MbsContext *context, const MbsBlueprint *blueprint, const MbsRecord *joint,
                         const MbsValue *ends, MbsPointReference *a, MbsPointReference *b) {
  const char *owner = joint_name(blueprint, joint);
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
    if (body->is_point_mass) {
      return mbs_fail(context, MBS_ERROR_INPUT, joint->name.place,
                      "%s: body \"%s\" is a point mass and has no orientation to hold; give it an inertia",
                      joint_name(blueprint, joint), body->name);
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
                          .body = -1,
                          .A = *A,
                          .B = *B,
                          .c = c});
  return MBS_OK;
}
