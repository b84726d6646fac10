// Screw: the second body turns about a line of the first and goes along it in proportion,
//     dot(u, r2 - r1) = pitch angle / (2 pi) + offset.
// The common direction is handed to the coordinates; the point is on the line as in a cylindrical joint, and the third
// row couples both. In relative coordinates there is no motion of one coordinate that both turns and slides: the joint
// is closed by its rows there, too. A mirror image has the opposite hand: the pitch changes its sign.
#include "expressions/vector.h"
#include "model/joint.h"
#include "model/rotation.h"

enum { ENDS, AXIS, PITCH, OFFSET, AXIS2 };

static const MbsField fields[] = {
    [ENDS] = {"screw", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "a point of the line on the first body, and the point of the second body that stays on it"},
    [AXIS] = {"axis", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_required = true,
              .summary = "direction of the line in the axes of the first body (any length but zero)"},
    [PITCH] = {"pitch", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_ZERO, .mirror = MBS_MIRROR_ANGULAR,
               .is_required = true, .unit = "m/rev",
               .summary = "way of the second body along the line per turn (negative: left-handed)"},
    [OFFSET] = {"offset", MBS_FIELD_NUMBER, .default_text = "0", .unit = "m",
                .summary = "way along the line where the angle is zero"},
    [AXIS2] = {"axis2", MBS_FIELD_DIRECTION, .check = MBS_CHECK_NOT_ZERO, .is_second = true,
               .summary = "the same direction in the axes of the second body (default: the numbers of axis)"},
};

static MbsStatus connect(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  MbsPointReference a, b;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &a, &b));
  MBS_TRY(mbs_joint_needs_rigid(context, blueprint, joint, a, b));
  return mbs_joint_join_axes(context, blueprint, joint, fields, AXIS, AXIS2, a, b);
}

// dot(u, r2 - r1)
static MbsStatus slide_of(MbsContext *context, MbsBlueprint *blueprint, MbsPointReference a, MbsPointReference b,
                          const MbsDirection *u, MbsNode *slide) {
  MbsForm d_form, u_form;
  MbsExpression d, axis;
  MBS_TRY(mbs_joint_distance_form(context, blueprint, a, b, &d_form));
  MBS_TRY(mbs_form_of_direction(context, blueprint, u, &u_form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &d_form, MBS_SIGNAL_POSITION, &d));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &u_form, MBS_SIGNAL_POSITION, &axis));
  *slide = mbs_node_dot(blueprint->graph, d.size, d.node, axis.node);
  return MBS_OK;
}

static MbsStatus rows(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint) {
  const double pi = 3.14159265358979323846;
  MbsGraph *g = blueprint->graph;
  const char *owner = mbs_joint_name(blueprint, joint);
  MbsPointReference ends[2];
  MbsDirection axes[2];
  MbsNode slide, angle, pitch, offset;
  MBS_TRY(mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, ENDS), &ends[0], &ends[1]));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXIS, AXIS, ends[0].body, &axes[0]));
  MBS_TRY(mbs_joint_direction(context, blueprint, joint, fields, AXIS2, AXIS, ends[1].body, &axes[1]));
  MBS_TRY(mbs_joint_add_line_rows(context, blueprint, joint, ends[0], ends[1], &axes[0]));
  MBS_TRY(slide_of(context, blueprint, ends[0], ends[1], &axes[0], &slide));
  MBS_TRY(mbs_rotation_about(context, blueprint, &axes[0], &axes[1], &angle));
  MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[PITCH], mbs_record_text(joint, PITCH), &pitch));
  MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[OFFSET], mbs_record_text(joint, OFFSET), &offset));
  MbsNode turns = mbs_graph_divide(g, angle, mbs_graph_constant(g, 2 * pi));
  MbsNode way = mbs_graph_add(g, mbs_graph_multiply(g, pitch, turns), offset);
  return mbs_joint_add_expression_row(context, blueprint, joint, "goes with its angle",
                                      mbs_graph_subtract(g, slide, way), false);
}

const MbsJointType mbs_joint_screw = {
    .record = {"screw", "one body turns about a line of another and goes along it by a pitch", MBS_COUNT(fields),
               fields},
    .only_dimension = 3,
    .connect = connect,
    .rows = rows,
};
