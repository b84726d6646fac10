// Frames fixed in bodies, as functions of the parameters: unit axes for all their values.
#include "model/joint.h"

static const MbsBlueprintPoint *point_of(const MbsBlueprint *blueprint, MbsPointReference point) {
  return &blueprint->bodies.items[point.body].points[point.point];
}

MbsFrame mbs_frame_of_point(MbsBlueprint *blueprint, MbsPointReference point) {
  MbsFrame frame = {.body = point.body};
  for (int i = 0; i < 3; ++i) {
    frame.origin[i] = point_of(blueprint, point)->local[i];
    for (int k = 0; k < 3; ++k) {
      frame.axes[i][k] = mbs_graph_constant(blueprint->graph, i == k ? 1 : 0);
    }
  }
  return frame;
}

static void set_axis(MbsFrame *frame, int axis, const MbsNode direction[3]) {
  for (int k = 0; k < 3; ++k) {
    frame->axes[axis % 3][k] = direction[k];
  }
}

MbsStatus mbs_frame_about(MbsContext *context, MbsBlueprint *blueprint, MbsPointReference point, const MbsDirection *u,
                          int axis, MbsFrame *frame) {
  *frame = mbs_frame_of_point(blueprint, point);
  set_axis(frame, axis, u->local);
  if (blueprint->dimension == 2) {
    const MbsNode left[3] = {mbs_graph_negate(blueprint->graph, u->local[1]), u->local[0], u->local[2]};
    set_axis(frame, 1, left);
    return MBS_OK;
  }
  MbsDirection normals[2];
  MBS_TRY(mbs_direction_normals(context, blueprint, u, normals));
  set_axis(frame, axis + 1, normals[0].local);
  set_axis(frame, axis + 2, normals[1].local);
  return MBS_OK;
}

MbsFrame mbs_frame_along(MbsBlueprint *blueprint, MbsPointReference point, const MbsDirection *u,
                         const MbsDirection *g) {
  MbsFrame frame = mbs_frame_of_point(blueprint, point);
  MbsDirection axes[3];
  MbsNode square;
  mbs_direction_frame(blueprint->graph, u, g, axes, &square);
  for (int k = 0; k < 3; ++k) {
    set_axis(&frame, 2 + k, axes[k].local);
  }
  return frame;
}

// k where both directions are the bodies' own axis k, else -1
static int common_axis(const MbsGraph *g, const MbsDirection *u1, const MbsDirection *u2) {
  for (int k = 0; k < 3; ++k) {
    bool is = true;
    for (int i = 0; i < 3; ++i) {
      is &= mbs_graph_is_constant(g, u1->local[i], i == k ? 1 : 0) && u2->local[i] == u1->local[i];
    }
    if (is) {
      return k;
    }
  }
  return -1;
}

MbsStatus mbs_frames_about_axes(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                const MbsField *fields, int field, int second_field, MbsPointReference a,
                                MbsPointReference b, int axis, MbsJointMotion *motion) {
  MbsDirection u1, u2;
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, field, field, a.body, &u1));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, second_field, field, b.body, &u2));
  int common = blueprint->dimension == 3 ? common_axis(blueprint->graph, &u1, &u2) : -1;
  if (common >= 0) {  // the bodies' own axes serve, which costs no turn from one frame to another
    motion->on[0] = mbs_frame_of_point(blueprint, a);
    motion->on[1] = mbs_frame_of_point(blueprint, b);
    for (int i = 0; i < motion->count; ++i) {
      motion->motions[i].axis = (motion->motions[i].axis + common - axis + 3) % 3;
    }
    return MBS_OK;
  }
  MBS_TRY(mbs_frame_about(context, blueprint, a, &u1, axis, &motion->on[0]));
  return mbs_frame_about(context, blueprint, b, &u2, axis, &motion->on[1]);
}
