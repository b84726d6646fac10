// Rotation of bodies: angles, angular velocity and acceleration, torques.
//
// In the plane a body has one direction u (its x axis): angle = atan2(u_y, u_x) + 2 pi k, omega = u x u' / u.u and
// alpha = (u x u'' - 2 (u.u') omega) / u.u (u.u is 1 but for the drift of the constraints).
// In space, with the body's axes e_i, e_i' = omega x e_i gives omega = 1/2 sum e_i x e_i', alpha = 1/2 sum e_i x e_i''.
// A torque N does the work N.dphi with dphi = 1/2 sum e_i x de_i, so the generalised force on e_i is 1/2 N x e_i; in
// the plane dphi = u x du / u.u, so the force on u is N J u / u.u.
#include "model/rotation.h"

#include "expressions/vector.h"

static MbsNode dot(MbsGraph *g, const MbsExpression *a, const MbsExpression *b) {
  return mbs_node_dot(g, a->size, a->node, b->node);
}

static MbsNode cross(MbsGraph *g, const MbsExpression *a, const MbsExpression *b, int k) {
  return mbs_node_vector_product(g, a->size, a->node, b->node, k);
}

static int axis_count(const MbsBlueprint *blueprint) { return blueprint->dimension == 2 ? 1 : 3; }

static MbsStatus axis_form(MbsContext *context, MbsBlueprint *blueprint, int body, int axis, MbsForm *form) {
  MbsDirection direction = mbs_direction_axis(blueprint->graph, body, axis);
  return mbs_form_of_direction(context, blueprint, &direction, form);
}

MbsStatus mbs_rotation_angle(MbsContext *context, MbsBlueprint *blueprint, int body, MbsNode *angle) {
  MBS_CHECK(context, blueprint->dimension == 2);
  MbsForm u;
  MBS_TRY(axis_form(context, blueprint, body, 0, &u));
  return mbs_signal_angle(context, blueprint, &u, angle);
}

MbsStatus mbs_rotation_rate(MbsContext *context, MbsBlueprint *blueprint, int body, bool is_acceleration,
                            MbsExpression *value) {
  MbsGraph *g = blueprint->graph;
  int axes = axis_count(blueprint);
  value->size = axes;
  for (int k = 0; k < axes; ++k) {
    value->node[k] = mbs_graph_constant(g, 0);
  }
  for (int axis = 0; axis < axes; ++axis) {
    MbsForm form;
    MbsExpression e, ed, changed;
    MBS_TRY(axis_form(context, blueprint, body, axis, &form));
    MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &e));
    MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_VELOCITY, &ed));
    changed = ed;
    if (is_acceleration) {
      MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_ACCELERATION, &changed));
    }
    for (int k = 0; k < axes; ++k) {
      value->node[k] = mbs_graph_add(g, value->node[k], cross(g, &e, &changed, k));
    }
    if (axes == 1) {
      MbsNode square = dot(g, &e, &e);
      if (is_acceleration) {
        MbsNode omega = mbs_graph_divide(g, cross(g, &e, &ed, 0), square);
        MbsNode drift = mbs_graph_multiply(g, mbs_graph_constant(g, 2), mbs_graph_multiply(g, dot(g, &e, &ed), omega));
        value->node[0] = mbs_graph_subtract(g, value->node[0], drift);
      }
      value->node[0] = mbs_graph_divide(g, value->node[0], square);
    }
  }
  for (int k = 0; k < axes && axes == 3; ++k) {
    value->node[k] = mbs_graph_multiply(g, mbs_graph_constant(g, 0.5), value->node[k]);
  }
  return MBS_OK;
}

MbsStatus mbs_rotation_axes(MbsContext *context, MbsBlueprint *blueprint, int body, MbsExpression axes[3]) {
  for (int k = 0; k < blueprint->dimension; ++k) {
    MbsForm form;
    MBS_TRY(axis_form(context, blueprint, body, k, &form));
    MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &axes[k]));
  }
  return MBS_OK;
}

// y' - omega x y with the body's axes e_k: y' - sum (y.e_k) e_k'
MbsStatus mbs_rotation_seen(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsForm *vector,
                            MbsExpression *rate) {
  MbsGraph *g = blueprint->graph;
  MbsExpression y;
  MBS_TRY(mbs_signal_of_form(context, blueprint, vector, MBS_SIGNAL_VELOCITY, rate));
  if (body == MBS_GROUND) {  // does not turn
    return MBS_OK;
  }
  MBS_TRY(mbs_signal_of_form(context, blueprint, vector, MBS_SIGNAL_POSITION, &y));
  for (int k = 0; k < blueprint->dimension; ++k) {
    MbsForm axis;
    MbsExpression e, ed;
    MBS_TRY(axis_form(context, blueprint, body, k, &axis));
    MBS_TRY(mbs_signal_of_form(context, blueprint, &axis, MBS_SIGNAL_POSITION, &e));
    MBS_TRY(mbs_signal_of_form(context, blueprint, &axis, MBS_SIGNAL_VELOCITY, &ed));
    MbsNode along = mbs_graph_negate(g, dot(g, &y, &e));
    for (int i = 0; i < rate->size; ++i) {
      rate->node[i] = mbs_node_multiply_add(g, along, ed.node[i], rate->node[i]);
    }
  }
  return MBS_OK;
}

MbsStatus mbs_rotation_to_global(MbsContext *context, MbsBlueprint *blueprint, int body, MbsExpression *vector) {
  MbsGraph *g = blueprint->graph;
  MbsExpression axes[3], sum = {.size = vector->size};
  MBS_TRY(mbs_rotation_axes(context, blueprint, body, axes));
  for (int i = 0; i < vector->size; ++i) {
    sum.node[i] = mbs_graph_constant(g, 0);
    for (int k = 0; k < vector->size; ++k) {
      sum.node[i] = mbs_node_multiply_add(g, axes[k].node[i], vector->node[k], sum.node[i]);
    }
  }
  *vector = sum;
  return MBS_OK;
}

MbsStatus mbs_rotation_to_body(MbsContext *context, MbsBlueprint *blueprint, int body, MbsExpression *vector) {
  MbsExpression axes[3], components = {.size = vector->size};
  MBS_TRY(mbs_rotation_axes(context, blueprint, body, axes));
  for (int k = 0; k < vector->size; ++k) {
    components.node[k] = dot(blueprint->graph, &axes[k], vector);
  }
  *vector = components;
  return MBS_OK;
}

MbsStatus mbs_rotation_about(MbsContext *context, MbsBlueprint *blueprint, const MbsDirection *u1,
                             const MbsDirection *u2, MbsNode *angle) {
  MbsGraph *g = blueprint->graph;
  MbsDirection first[2], second[2];
  MbsForm form;
  MbsExpression n1, n2, m;
  MBS_TRY(mbs_direction_normals(context, blueprint, u1, first));
  MBS_TRY(mbs_direction_normals(context, blueprint, u2, second));
  MBS_TRY(mbs_form_of_direction(context, blueprint, &first[0], &form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &n1));
  MBS_TRY(mbs_form_of_direction(context, blueprint, &first[1], &form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &n2));
  MBS_TRY(mbs_form_of_direction(context, blueprint, &second[0], &form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &m));
  return mbs_signal_turning(context, blueprint, dot(g, &n2, &m), dot(g, &n1, &m), angle);
}

MbsStatus mbs_rotation_torque(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsExpression *torque,
                              MbsForm *ports, MbsNode *expressions) {
  MbsGraph *g = blueprint->graph;
  int axes = axis_count(blueprint), d = blueprint->dimension;
  for (int axis = 0; axis < axes; ++axis) {
    MbsExpression e;
    MBS_TRY(axis_form(context, blueprint, body, axis, &ports[axis]));
    MBS_TRY(mbs_signal_of_form(context, blueprint, &ports[axis], MBS_SIGNAL_POSITION, &e));
    MbsNode *force = expressions + axis * d;
    if (d == 2) {
      MbsNode scale = mbs_graph_divide(g, torque->node[0], dot(g, &e, &e));
      force[0] = mbs_graph_negate(g, mbs_graph_multiply(g, scale, e.node[1]));
      force[1] = mbs_graph_multiply(g, scale, e.node[0]);
    } else {
      for (int k = 0; k < 3; ++k) {
        force[k] = mbs_graph_multiply(g, mbs_graph_constant(g, 0.5), cross(g, torque, &e, k));
      }
    }
  }
  return MBS_OK;
}
