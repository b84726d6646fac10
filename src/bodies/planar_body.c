// A planar rigid body on two entities.
//
// Read plane vectors as complex numbers; (a I + b J) is then multiplication by a + i b. With basis
// point P1 at local s1 and D = P2 - P1 at local e = s2 - s1 (two points), or D = u, e = its local
// direction (point and unit vector), the body point at local s is
//     r = P1 + zeta D,      zeta = (s - s1) / e,
// so that in (P1, D), with the centre of mass at c and inertia I about it,
//     integral dm = m,  integral zeta dm = m zeta_c,  integral |zeta|^2 dm = (I + m |c - s1|^2) / |e|^2.
// T = 1/2 Re sum conj(v_i) mu_ij v_j with mu_PP = m, mu_PD = m zeta_c, mu_DD the last; the weight is
// Q_P = m g, Q_D = m conj(zeta_c) g. On two points, D = P2 - P1 gives
//     mu_11 = m - 2 Re(m zeta_c) + mu_DD,  mu_12 = m zeta_c - mu_DD,  mu_22 = mu_DD,  Q_1 = m g - Q_D.
// The mass matrix is constant: that is what natural coordinates are for (Garcia de Jalon, Bayo 1994).
#include "bodies/planar_body.h"

typedef struct Pair {  // a complex number of nodes
  MbsNode re, im;
} Pair;

static Pair pair_subtract(MbsGraph *g, Pair p, Pair q) {
  return (Pair){mbs_graph_subtract(g, p.re, q.re), mbs_graph_subtract(g, p.im, q.im)};
}

static MbsNode pair_square(MbsGraph *g, Pair p) {
  return mbs_graph_add(g, mbs_graph_multiply(g, p.re, p.re), mbs_graph_multiply(g, p.im, p.im));
}

// p / q = p conj(q) / |q|^2
static Pair pair_divide(MbsGraph *g, Pair p, Pair q) {
  MbsNode square = pair_square(g, q);
  MbsNode re = mbs_graph_add(g, mbs_graph_multiply(g, p.re, q.re), mbs_graph_multiply(g, p.im, q.im));
  MbsNode im = mbs_graph_subtract(g, mbs_graph_multiply(g, p.im, q.re), mbs_graph_multiply(g, p.re, q.im));
  return (Pair){mbs_graph_divide(g, re, square), mbs_graph_divide(g, im, square)};
}

static Pair pair_scale(MbsGraph *g, MbsNode scale, Pair p) {
  return (Pair){mbs_graph_multiply(g, scale, p.re), mbs_graph_multiply(g, scale, p.im)};
}

static Pair local_pair(const MbsNode local[3]) { return (Pair){local[0], local[1]}; }

// e: what D is in body axes
static Pair basis_span(MbsGraph *g, const MbsBasis *basis) {
  Pair second = local_pair(basis->local[1]);
  return basis->kind[1] == MBS_ENTITY_VECTOR ? second : pair_subtract(g, second, local_pair(basis->local[0]));
}

MbsStatus mbs_planar_body_place(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsBasis *basis,
                                const MbsNode local[3], bool is_point, MbsForm *form) {
  MbsGraph *g = blueprint->graph;
  MbsForm first;
  MBS_TRY(mbs_form_of_entity(context, blueprint, basis->entity[0], body, &first));
  if (basis->count == 1) {
    MBS_CHECK(context, is_point);
    *form = first;
    return MBS_OK;
  }
  Pair s = local_pair(local);
  Pair zeta = pair_divide(g, is_point ? pair_subtract(g, s, local_pair(basis->local[0])) : s, basis_span(g, basis));
  MbsForm D, turned, part;
  MBS_TRY(mbs_form_of_entity(context, blueprint, basis->entity[1], body, &D));
  if (basis->kind[1] == MBS_ENTITY_POINT) {
    MBS_TRY(mbs_form_subtract(context, blueprint, &D, &first, &D));
  }
  // zeta D = Re(zeta) D + Im(zeta) J D
  MBS_TRY(mbs_form_turn(context, blueprint, &D, &turned));
  MBS_TRY(mbs_form_combine(context, blueprint, zeta.re, &D, zeta.im, &turned, &part));
  MbsNode one = mbs_graph_constant(g, 1);
  MbsNode with_point = mbs_graph_constant(g, is_point ? 1 : 0);
  return mbs_form_combine(context, blueprint, with_point, &first, one, &part, form);
}

MbsStatus mbs_planar_body_add_mass(MbsContext *context, MbsBlueprint *blueprint, int index, const MbsBasis *basis) {
  MbsGraph *g = blueprint->graph;
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  int n = basis->count;
  MbsNode *a, *b, *weight;
  int *entities;
  MBS_TAKE(context, blueprint->arena, a, n * n);
  MBS_TAKE(context, blueprint->arena, b, n * n);
  MBS_TAKE(context, blueprint->arena, weight, n * 2);
  MBS_TAKE(context, blueprint->arena, entities, n);
  for (int i = 0; i < n; ++i) {
    entities[i] = basis->entity[i];
  }
  MbsNode zero = mbs_graph_constant(g, 0);
  for (int k = 0; k < 2; ++k) {
    weight[k] = mbs_graph_multiply(g, body->mass, blueprint->gravity[k]);
  }
  a[0] = body->mass;
  b[0] = zero;
  if (n == 2) {
    Pair e = basis_span(g, basis);
    Pair arm = pair_subtract(g, local_pair(body->com), local_pair(basis->local[0]));
    Pair first_moment = pair_scale(g, body->mass, pair_divide(g, arm, e));
    MbsNode second_moment =
        mbs_graph_divide(g, mbs_graph_add(g, body->inertia[2], mbs_graph_multiply(g, body->mass, pair_square(g, arm))),
                         pair_square(g, e));
    const MbsNode *gravity = blueprint->gravity;
    // conj(m zeta_c) g
    weight[2] = mbs_graph_add(g, mbs_graph_multiply(g, first_moment.re, gravity[0]),
                              mbs_graph_multiply(g, first_moment.im, gravity[1]));
    weight[3] = mbs_graph_subtract(g, mbs_graph_multiply(g, first_moment.re, gravity[1]),
                                   mbs_graph_multiply(g, first_moment.im, gravity[0]));
    a[1] = first_moment.re;
    a[3] = second_moment;
    if (basis->kind[1] == MBS_ENTITY_POINT) {
      a[0] = mbs_graph_add(g, mbs_graph_subtract(g, a[0], mbs_graph_multiply(g, mbs_graph_constant(g, 2), a[1])),
                           second_moment);
      a[1] = mbs_graph_subtract(g, a[1], second_moment);
      weight[0] = mbs_graph_subtract(g, weight[0], weight[2]);
      weight[1] = mbs_graph_subtract(g, weight[1], weight[3]);
    }
    a[2] = a[1];
    b[1] = first_moment.im;
    b[2] = mbs_graph_negate(g, first_moment.im);
    b[3] = zero;
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->masses,
             (MbsMassSpec){.body = index, .count = n, .entities = entities, .a = a, .b = b, .weight = weight});
  return MBS_OK;
}
