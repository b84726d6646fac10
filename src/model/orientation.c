// The orientation of a body as numbers, from its axes e_1, e_2, e_3 in global axes: R = [e_1 e_2 e_3], R_ij = (e_j)_i.
//
// Yaw psi, pitch theta and roll phi are those of ISO 8855: turned about z, then about the new y, then about the new x,
//     R = Rz(psi) Ry(theta) Rx(phi):   psi = atan2(R21, R11),  theta = atan2(-R31, |(R11, R21)|),  phi = atan2(R32,
//     R33),
// psi and phi over many turns, theta from -90 to 90 degrees. Where it gets there, psi and phi are not determined.
//
// Euler parameters p0 = cos(a/2), (p1, p2, p3) = n sin(a/2) of a turn by a about n. R has their products alone, so that
// p and -p are the same; which it is, is kept by counting turns:
//     (p0 + i p3)^2 = ((R11 + R22) + i (R21 - R12)) / 2,      m^2 = p0^2 + p3^2 = (1 + R33)/2
//     alpha = atan2(R21 - R12, R11 + R22), over many turns:   p0 = m cos(alpha/2),  p3 = m sin(alpha/2)
//     p1 = (p0 (R32 - R23) + p3 (R13 + R31)) / (4 m^2),       p2 = (p0 (R13 - R31) + p3 (R23 + R32)) / (4 m^2)
// This is exact and smooth, but for R33 = -1: a body whose z axis is upside down.
#include "expressions/vector.h"
#include "model/rotation.h"

// R[i][j]; the rest of a matrix in the plane is not there
static MbsStatus find_matrix(MbsContext *context, MbsBlueprint *blueprint, int body, MbsNode R[3][3]) {
  MbsExpression axes[3];
  MBS_TRY(mbs_rotation_axes(context, blueprint, body, axes));
  for (int i = 0; i < blueprint->dimension; ++i) {
    for (int j = 0; j < blueprint->dimension; ++j) {
      R[i][j] = axes[j].node[i];
    }
  }
  return MBS_OK;
}

MbsStatus mbs_orientation_entry(MbsContext *context, MbsBlueprint *blueprint, int body, int i, int j, MbsNode *entry) {
  MbsNode R[3][3];
  MBS_TRY(find_matrix(context, blueprint, body, R));
  *entry = R[i][j];
  return MBS_OK;
}

MbsStatus mbs_orientation_angle(MbsContext *context, MbsBlueprint *blueprint, int body, int axis, MbsNode *angle) {
  MbsGraph *g = blueprint->graph;
  MbsNode R[3][3];
  if (blueprint->dimension == 2) {
    return mbs_rotation_angle(context, blueprint, body, angle);
  }
  MBS_TRY(find_matrix(context, blueprint, body, R));
  if (axis == 1) {
    const MbsNode level[2] = {R[0][0], R[1][0]};
    *angle = mbs_graph_apply(g, MBS_OP_ATAN2, mbs_graph_negate(g, R[2][0]), mbs_node_norm(g, 2, level));
    return MBS_OK;
  }
  return axis == 2 ? mbs_signal_turning(context, blueprint, R[1][0], R[0][0], angle)
                   : mbs_signal_turning(context, blueprint, R[2][1], R[2][2], angle);
}

// (p0 a + p3 b) / (4 m^2)
static MbsNode combine(MbsGraph *g, MbsNode p0, MbsNode a, MbsNode p3, MbsNode b, MbsNode square) {
  MbsNode sum = mbs_graph_add(g, mbs_graph_multiply(g, p0, a), mbs_graph_multiply(g, p3, b));
  return mbs_graph_divide(g, sum, mbs_graph_multiply(g, mbs_graph_constant(g, 4), square));
}

MbsStatus mbs_orientation_euler(MbsContext *context, MbsBlueprint *blueprint, int body, MbsNode p[4]) {
  MbsGraph *g = blueprint->graph;
  MbsNode R[3][3], alpha;
  MBS_TRY(find_matrix(context, blueprint, body, R));
  MBS_TRY(mbs_signal_turning(context, blueprint, mbs_graph_subtract(g, R[1][0], R[0][1]),
                             mbs_graph_add(g, R[0][0], R[1][1]), &alpha));
  MbsNode half = mbs_graph_multiply(g, mbs_graph_constant(g, 0.5), alpha);
  MbsNode square =
      mbs_graph_multiply(g, mbs_graph_constant(g, 0.5), mbs_graph_add(g, mbs_graph_constant(g, 1), R[2][2]));
  MbsNode m = mbs_graph_apply(g, MBS_OP_SQRT, square, MBS_NODE_NONE);
  p[0] = mbs_graph_multiply(g, m, mbs_graph_apply(g, MBS_OP_COS, half, MBS_NODE_NONE));
  p[3] = mbs_graph_multiply(g, m, mbs_graph_apply(g, MBS_OP_SIN, half, MBS_NODE_NONE));
  p[1] = combine(g, p[0], mbs_graph_subtract(g, R[2][1], R[1][2]), p[3], mbs_graph_add(g, R[0][2], R[2][0]), square);
  p[2] = combine(g, p[0], mbs_graph_subtract(g, R[0][2], R[2][0]), p[3], mbs_graph_add(g, R[1][2], R[2][1]), square);
  return mbs_graph_status(context, g);
}
