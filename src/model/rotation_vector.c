// The rotation vector phi = theta n between two frames, its rate, and the torque of a force along it.
//
// Q = E1' E2 turns the first frame's axes into the second's: with c = cos theta = (tr Q - 1)/2 and a = sin theta n,
// the axial part of Q,
//     phi = g(c) a,      g(c) = theta / sin theta = acos(c) / sqrt(1 - c^2).
// With omega the angular velocity of the second frame as seen from the first, in the axes of the first,
//     phi' = J omega,    J = 1 - 1/2 [phi] + beta [a]^2,    beta = (1 - (theta/2) cot(theta/2)) / sin^2 theta,
// so what does the work N.dphi is the torque J' N on the second frame, J' = 1 + 1/2 [phi] + beta [a]^2.
//
// g and beta are smooth at theta = 0, where these formulas are 0/0. So g is a series about c = 1: it fulfils
//     (1 - c^2) g_c = c g - 1,    g = sum g_n (1 - c)^n,    g_n = n/(2n + 1) g_{n-1},    g_0 = 1,
// after halving the angle, which makes it converge: g(c) = g(y)/y, y = cos(theta/2) = sqrt((1 + c)/2). Three halvings
// leave 1 - y < 0.0193 up to half a turn, and then 9 terms are exact to rounding: the next is below 1e-17. And
//     beta = -g_c - g / (2 (1 + c)),
// by the same equation. At half a turn y = 0 and n has two values: there is no rotation vector beyond.
#include "expressions/vector.h"
#include "model/rotation.h"

enum { HALVINGS = 3, TERMS = 9 };

typedef struct Slope {
  MbsNode value, by_c;
} Slope;

// the series, term inside term: G_n = 1 + n/(2n + 1) u G_{n+1} with u = 1 - c
static Slope series(MbsGraph *g, MbsNode c) {
  MbsNode one = mbs_graph_constant(g, 1), u = mbs_graph_subtract(g, one, c);
  MbsNode value = one, by_u = mbs_graph_constant(g, 0);
  for (int n = TERMS; n >= 1; --n) {
    MbsNode factor = mbs_graph_constant(g, (double)n / (2 * n + 1));
    by_u = mbs_graph_multiply(g, factor, mbs_node_multiply_add(g, u, by_u, value));
    value = mbs_node_multiply_add(g, mbs_graph_multiply(g, factor, u), value, one);
  }
  return (Slope){value, mbs_graph_negate(g, by_u)};
}

// g(c) = g(y)/y;  g_c = (g_y - g(c)) / (4 y^2),  4 y^2 = 2 (1 + c)
static Slope angle_over_sine(MbsGraph *g, MbsNode c, int halvings) {
  if (halvings == 0) {
    return series(g, c);
  }
  MbsNode twice = mbs_graph_add(g, mbs_graph_constant(g, 1), c);  // 1 + c = 2 y^2
  MbsNode y = mbs_graph_apply(g, MBS_OP_SQRT, mbs_graph_multiply(g, mbs_graph_constant(g, 0.5), twice), MBS_NODE_NONE);
  Slope half = angle_over_sine(g, y, halvings - 1);
  MbsNode value = mbs_graph_divide(g, half.value, y);
  MbsNode change = mbs_graph_subtract(g, half.by_c, value);
  return (Slope){value, mbs_graph_divide(g, change, mbs_graph_multiply(g, mbs_graph_constant(g, 2), twice))};
}

MbsRotationVector mbs_rotation_vector(MbsGraph *g, const MbsExpression first[3], const MbsExpression second[3]) {
  MbsRotationVector made;
  MbsNode half = mbs_graph_constant(g, 0.5), trace = mbs_graph_constant(g, 0);
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    MbsNode ji = mbs_node_dot(g, 3, first[j].node, second[i].node);
    MbsNode ij = mbs_node_dot(g, 3, first[i].node, second[j].node);
    made.axial[k] = mbs_graph_multiply(g, half, mbs_graph_subtract(g, ji, ij));
    trace = mbs_graph_add(g, trace, mbs_node_dot(g, 3, first[k].node, second[k].node));
  }
  MbsNode one = mbs_graph_constant(g, 1);
  MbsNode c = mbs_graph_multiply(g, half, mbs_graph_subtract(g, trace, one));
  Slope ratio = angle_over_sine(g, c, HALVINGS);
  made.one_plus_cosine = mbs_graph_add(g, one, c);
  MbsNode quotient = mbs_graph_divide(g, mbs_graph_multiply(g, half, ratio.value), made.one_plus_cosine);
  made.beta = mbs_graph_negate(g, mbs_graph_add(g, ratio.by_c, quotient));
  for (int k = 0; k < 3; ++k) {
    made.vector[k] = mbs_graph_multiply(g, ratio.value, made.axial[k]);
  }
  return made;
}

// x + factor phi x x + beta a x (a x x)
static void apply(MbsGraph *g, const MbsRotationVector *phi, double factor, const MbsNode x[3], MbsNode result[3]) {
  MbsNode once[3];
  for (int k = 0; k < 3; ++k) {
    once[k] = mbs_node_cross(g, phi->axial, x, k);
  }
  for (int k = 0; k < 3; ++k) {
    MbsNode turned =
        mbs_node_multiply_add(g, mbs_graph_constant(g, factor), mbs_node_cross(g, phi->vector, x, k), x[k]);
    result[k] = mbs_node_multiply_add(g, phi->beta, mbs_node_cross(g, phi->axial, once, k), turned);
  }
}

void mbs_rotation_vector_rate(MbsGraph *g, const MbsRotationVector *phi, const MbsNode omega[3], MbsNode rate[3]) {
  apply(g, phi, -0.5, omega, rate);
}

void mbs_rotation_vector_torque(MbsGraph *g, const MbsRotationVector *phi, const MbsNode force[3], MbsNode torque[3]) {
  apply(g, phi, 0.5, force, torque);
}
