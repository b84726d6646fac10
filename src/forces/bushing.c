// A bushing holds two bodies together elastically: along and about each axis of the first body it is a linear
// spring-damper.
//     d = A1'(r2 - r1) - offset,            force on the second body   -A1 (K d + C d')
//     phi = 1/2 A1' sum e1_i x e2_i,        torque on the second body  -A1 (Kr phi + Cr A1'(omega2 - omega1))
// and the opposite on the first. phi is the sine of the rotation about each axis: a bushing turns by small angles. In
// the plane phi = angle2 - angle1, over any number of turns. d' is the relative velocity of the points in axes 1.
#include "expressions/vector.h"
#include "model/force.h"
#include "model/rotation.h"

enum { ENDS, STIFFNESS, DAMPING, TURNING_STIFFNESS, TURNING_DAMPING };

static const MbsField fields[] = {
    [ENDS] = {"bushing", MBS_FIELD_POINT_PAIR, .is_required = true,
              .summary = "the point on each body that it connects"},
    [STIFFNESS] = {"stiffness", MBS_FIELD_VECTOR, .mirror = MBS_MIRROR_NONE, .default_text = "0", .unit = "N/m",
                   .summary = "stiffness along each axis of the first body"},
    [DAMPING] = {"damping", MBS_FIELD_VECTOR, .mirror = MBS_MIRROR_NONE, .default_text = "0", .unit = "N s/m",
                 .summary = "damping along each axis of the first body"},
    [TURNING_STIFFNESS] = {"turning_stiffness", MBS_FIELD_TURNING, .mirror = MBS_MIRROR_NONE, .default_text = "0",
                           .unit = "N m/rad",
                           .summary = "stiffness about the axis (plane) or about each axis of the first body (space)"},
    [TURNING_DAMPING] = {"turning_damping", MBS_FIELD_TURNING, .mirror = MBS_MIRROR_NONE, .default_text = "0",
                         .unit = "N m s/rad", .summary = "damping about the same axes"},
};

static MbsNode dot(MbsGraph *g, const MbsExpression *a, const MbsExpression *b) {
  return mbs_node_dot(g, a->size, a->node, b->node);
}

// -(K_k x_k + C_k y_k), by component
static MbsStatus elastic(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record, const char *owner,
                         int field, const MbsExpression *x, const MbsExpression *y, MbsExpression *result) {
  MbsGraph *g = blueprint->graph;
  result->size = x->size;
  for (int k = 0; k < x->size; ++k) {
    MbsNode K, C;
    MBS_TRY(
        mbs_blueprint_number(context, blueprint, owner, &fields[field], mbs_record_value(record, field)->texts[k], &K));
    MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[field + 1],
                                 mbs_record_value(record, field + 1)->texts[k], &C));
    result->node[k] =
        mbs_graph_negate(g, mbs_node_multiply_add(g, C, y->node[k], mbs_graph_multiply(g, K, x->node[k])));
  }
  return MBS_OK;
}

// displacement and velocity of the second point from the first, in the axes of the first body
static MbsStatus displacement(MbsContext *context, MbsBlueprint *blueprint, const MbsForceSpec *spec,
                              const MbsExpression axes[3], MbsExpression *x, MbsExpression *y) {
  MbsForm line;
  MbsExpression d, d_rate;
  MBS_TRY(mbs_form_subtract(context, blueprint, &spec->ports[1], &spec->ports[0], &line));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &line, MBS_SIGNAL_POSITION, &d));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &line, MBS_SIGNAL_VELOCITY, &d_rate));
  x->size = y->size = d.size;
  for (int k = 0; k < d.size; ++k) {
    x->node[k] = dot(blueprint->graph, &axes[k], &d);
    y->node[k] = dot(blueprint->graph, &axes[k], &d_rate);
  }
  return MBS_OK;
}

// the small rotation of the second body from the first and its rate, in the axes of the first body
static MbsStatus rotation(MbsContext *context, MbsBlueprint *blueprint, const int bodies[2],
                          const MbsExpression axes[3], MbsExpression *x, MbsExpression *y) {
  MbsGraph *g = blueprint->graph;
  MbsExpression omega[2], second[3];
  for (int i = 0; i < 2; ++i) {
    MBS_TRY(mbs_rotation_rate(context, blueprint, bodies[i], false, &omega[i]));
  }
  x->size = y->size = omega[0].size;
  if (x->size == 1) {
    MbsNode angle[2];
    for (int i = 0; i < 2; ++i) {
      MBS_TRY(mbs_rotation_angle(context, blueprint, bodies[i], &angle[i]));
    }
    x->node[0] = mbs_graph_subtract(g, angle[1], angle[0]);
    y->node[0] = mbs_graph_subtract(g, omega[1].node[0], omega[0].node[0]);
    return MBS_OK;
  }
  MBS_TRY(mbs_rotation_axes(context, blueprint, bodies[1], second));
  for (int k = 0; k < 3; ++k) {
    // component k of 1/2 sum e1_i x e2_i along e1_k: (e1_i x e2_i).e1_k = e2_i.(e1_k x e1_i)
    int i = (k + 1) % 3, j = (k + 2) % 3;
    MbsNode twice = mbs_graph_subtract(g, dot(g, &second[i], &axes[j]), dot(g, &second[j], &axes[i]));
    x->node[k] = mbs_graph_multiply(g, mbs_graph_constant(g, 0.5), twice);
    y->node[k] = mbs_graph_subtract(g, dot(g, &axes[k], &omega[1]), dot(g, &axes[k], &omega[0]));
  }
  return MBS_OK;
}

static MbsStatus build(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  MbsForceSpec spec;
  const char *owner;
  const MbsValue *ends = mbs_record_value(record, ENDS);
  MbsExpression axes[3], x, y, force, torque, opposite;
  int d = blueprint->dimension;
  MBS_TRY(mbs_force_on_points(context, blueprint, record, ends, &owner, &spec));
  for (int i = 0; i < 2; ++i) {
    MBS_TRY(mbs_force_needs_rigid(context, blueprint, owner, ends->texts[i], spec.port_body[i]));
  }
  MBS_TRY(mbs_rotation_axes(context, blueprint, spec.port_body[0], axes));
  MBS_TRY(displacement(context, blueprint, &spec, axes, &x, &y));
  MBS_TRY(elastic(context, blueprint, record, owner, STIFFNESS, &x, &y, &force));
  MBS_TRY(mbs_rotation_to_global(context, blueprint, spec.port_body[0], &force));
  MbsNode *expressions;
  MBS_TAKE(context, blueprint->arena, expressions, 2 * d);
  for (int k = 0; k < d; ++k) {
    expressions[k] = mbs_graph_negate(blueprint->graph, force.node[k]);
    expressions[d + k] = force.node[k];
  }
  spec.expressions = expressions;
  MBS_APPEND(context, blueprint->arena, &blueprint->forces, spec);

  MBS_TRY(rotation(context, blueprint, spec.port_body, axes, &x, &y));
  MBS_TRY(elastic(context, blueprint, record, owner, TURNING_STIFFNESS, &x, &y, &torque));
  if (d == 3) {
    MBS_TRY(mbs_rotation_to_global(context, blueprint, spec.port_body[0], &torque));
  }
  opposite.size = torque.size;
  for (int k = 0; k < torque.size; ++k) {
    opposite.node[k] = mbs_graph_negate(blueprint->graph, torque.node[k]);
  }
  const MbsExpression *torques[] = {&opposite, &torque};
  return mbs_force_add_torques(context, blueprint, record, 2, spec.port_body, torques, MBS_NODE_NONE);
}

const MbsForceType mbs_force_bushing = {
    .record = {"bushing", "holds two bodies together elastically, along and about each axis", MBS_COUNT(fields),
               fields},
    .build = build,
};
