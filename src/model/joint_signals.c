// Signals of joints: angle, slide, multipliers, reactions.
#include <string.h>

#include "base/names.h"
#include "expressions/vector.h"
#include "model/joint.h"
#include "model/reaction.h"
#include "model/rotation.h"
#include "model/signal_scope.h"

// a joint by name, or -1
int mbs_signal_joint_called(const MbsBlueprint *blueprint, const char *name) {
  const MbsValue *joints = mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS);
  for (int i = 0; i < joints->count; ++i) {
    if (strcmp(joints->records[i].name.text, name) == 0) {
      return i;
    }
  }
  return -1;
}

// the joint that a call names first
static MbsStatus find_joint(MbsContext *context, const MbsSignalScope *scope, const MbsSignalCall *call, int *index) {
  const MbsValue *joints = mbs_record_value(&scope->blueprint->model->root, MBS_MODEL_JOINTS);
  const char *nearest = NULL;
  *index = mbs_signal_joint_called(scope->blueprint, call->names[0]);
  if (*index >= 0) {
    return MBS_OK;
  }
  for (int i = 0; i < joints->count; ++i) {
    mbs_name_nearest(call->names[0], joints->records[i].name.text, &nearest);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, call->place, "%s: no joint \"%s\"%s%s%s", scope->owner, call->names[0],
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

// the record and the two ends of a joint between points
static MbsStatus find_ends(MbsContext *context, MbsSignalScope *scope, MbsPlace place, int index,
                           const MbsRecord **joint, MbsPointReference end[2]) {
  *joint = &mbs_record_value(&scope->blueprint->model->root, MBS_MODEL_JOINTS)->records[index];
  if (mbs_joint_types[(*joint)->type]->record.fields[0].kind != MBS_FIELD_POINT_PAIR) {
    return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: joint \"%s\" does not join two points", scope->owner,
                    (*joint)->name.text);
  }
  const MbsValue *ends = mbs_record_value(*joint, 0);
  MBS_TRY(mbs_blueprint_find_point(context, scope->blueprint, scope->owner, ends->texts[0], &end[0]));
  return mbs_blueprint_find_point(context, scope->blueprint, scope->owner, ends->texts[1], &end[1]);
}

// dot(u, r2 - r1) along the axis of a prismatic, cylindrical or similar joint
MbsStatus mbs_signal_slide(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                           MbsExpression *value) {
  MbsBlueprint *blueprint = scope->blueprint;
  const MbsRecord *joint;
  MbsPointReference end[2];
  MbsDirection axis;
  MbsForm r[2], d_form, u_form;
  MbsExpression d, u;
  int index;
  MBS_TRY(find_joint(context, scope, call, &index));
  MBS_TRY(find_ends(context, scope, call->place, index, &joint, end));
  if (!mbs_joint_axis(context, blueprint, joint, end[0].body, &axis)) {
    return mbs_fail(context, MBS_ERROR_INPUT, call->place, "%s: joint \"%s\" has no axis to slide along", scope->owner,
                    joint->name.text);
  }
  for (int i = 0; i < 2; ++i) {
    MBS_TRY(mbs_form_of_point(context, blueprint, end[i], &r[i]));
  }
  MBS_TRY(mbs_form_subtract(context, blueprint, &r[1], &r[0], &d_form));
  MBS_TRY(mbs_form_of_direction(context, blueprint, &axis, &u_form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &d_form, MBS_SIGNAL_POSITION, &d));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &u_form, MBS_SIGNAL_POSITION, &u));
  value->node[0] = mbs_node_dot(blueprint->graph, d.size, d.node, u.node);
  return MBS_OK;
}

// angle of the second body of a joint from the first: in space about the joint's axis
MbsStatus mbs_signal_joint_angle(MbsContext *context, MbsSignalScope *scope, MbsPlace place, int index,
                                 MbsNode *angle) {
  MbsBlueprint *blueprint = scope->blueprint;
  const MbsRecord *joint;
  MbsPointReference end[2];
  MbsDirection axis[2];
  MbsNode angles[2];
  MBS_TRY(find_ends(context, scope, place, index, &joint, end));
  for (int i = 0; i < 2; ++i) {
    MbsText body = {.text = blueprint->bodies.items[end[i].body].name, .place = place};
    MBS_TRY(mbs_signal_find_turning_body(context, scope, body, &end[i].body));
    if (blueprint->dimension == 2) {
      MBS_TRY(mbs_rotation_angle(context, blueprint, end[i].body, &angles[i]));
    }
  }
  if (blueprint->dimension == 2) {
    *angle = mbs_graph_subtract(blueprint->graph, angles[1], angles[0]);
    return MBS_OK;
  }
  if (!mbs_joint_axes(context, blueprint, joint, end, axis)) {
    return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: joint \"%s\" has no axis to turn about", scope->owner,
                    joint->name.text);
  }
  return mbs_rotation_about(context, blueprint, &axis[0], &axis[1], angle);
}

// lambda, sigma, kappa
MbsStatus mbs_signal_multiplier(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                                MbsExpression *value) {
  const char *name = call->names[0], *function = call->function->name;
  MbsMultiplierKind kind = strcmp(function, "sigma") == 0   ? MBS_MULTIPLIER_SIGMA
                           : strcmp(function, "kappa") == 0 ? MBS_MULTIPLIER_KAPPA
                           : scope->use & MBS_USE_BALANCED  ? MBS_MULTIPLIER_TOTAL
                                                            : MBS_MULTIPLIER_LAMBDA;
  MbsBlueprint *blueprint = scope->blueprint;
  const char *dot = strrchr(name, '.');
  size_t length = dot ? (size_t)(dot - name) : strlen(name);
  int wanted = 1;
  if (dot) {
    wanted = 0;
    for (const char *c = dot + 1; *c >= '0' && *c <= '9' && wanted < 100000; ++c) {
      wanted = 10 * wanted + (*c - '0');
    }
  }
  int found = 0;
  for (int i = 0; i < blueprint->rows.count; ++i) {
    const char *owner = blueprint->rows.items[i].owner;
    if (strncmp(owner, name, length) == 0 && owner[length] == '\0' && ++found == wanted) {
      MbsSignal signal = {.kind = MBS_SIGNAL_MULTIPLIER, .index = i, .component = (int)kind};
      return mbs_signal_add(context, blueprint, signal, &value->node[0]);
    }
  }
  if (found > 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, call->place, "%s: %s(%s): the last multiplier of \"%.*s\" is number %d",
                    scope->owner, function, name, (int)length, name, found);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, call->place,
                  "%s: %s(%s): no body or joint of that name has a multiplier of its own; mbsens check lists the "
                  "constraints",
                  scope->owner, function, name);
}

// force, torque
MbsStatus mbs_signal_reaction(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                              MbsExpression *value) {
  MbsBlueprint *blueprint = scope->blueprint;
  const char *name = call->names[0], *function = call->function->name;
  int index;
  MBS_TRY(find_joint(context, scope, call, &index));
  const MbsRecord *joint = &mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS)->records[index];
  if (!mbs_reaction_exists(joint)) {
    return mbs_fail(context, MBS_ERROR_INPUT, call->place,
                    "%s: %s(%s): joint \"%s\" does not join two points; use lambda(%s), the force along its own "
                    "coordinate",
                    scope->owner, function, name, name, name);
  }
  bool is_force = strcmp(function, "force") == 0;
  MBS_TRY(mbs_reaction_of_joint(context, blueprint, joint, is_force ? value : NULL, is_force ? NULL : value));
  if (call->count < 2) {
    return MBS_OK;
  }
  int body;
  MBS_TRY(mbs_blueprint_find_body(context, blueprint, scope->owner,
                                  (MbsText){.text = call->names[1], .place = call->place}, &body));
  if (blueprint->bodies.items[body].kind != MBS_BODY_RIGID) {
    return mbs_fail(context, MBS_ERROR_INPUT, call->place,
                    "%s: %s(%s, %s): body \"%s\" has no axes (it is a point mass or a thin rod)", scope->owner,
                    function, name, call->names[1], call->names[1]);
  }
  return value->size == 1 ? MBS_OK : mbs_rotation_to_body(context, blueprint, body, value);
}
