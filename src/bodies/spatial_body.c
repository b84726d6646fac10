// A spatial body as an affine frame (Garcia de Jalon, Bayo 1994, chapter 4).
//
// With basis point P0 at local s0 and frame vectors D_i (unit vectors, or differences of basis points to P0) at local
// d_i, the body point at local s is r = P0 + sum zeta_i D_i with zeta_i = w_i.(s - s0), where the w_i are reciprocal to
// the d_i: w_1 = d_2 x d_3 / det and so on; on a thin rod w_1 = d_1 / |d_1|^2. With the centre of mass at c and the
// tensor of second moments S = J + m (c - s0)(c - s0)', J = tr(I)/2 - I from the inertia tensor about c,
//     integral dm = m,   integral zeta_i dm = m w_i.(c - s0),   integral zeta_i zeta_j dm = w_i' S w_j
// are the entries of the constant mass matrix in (P0, D_i); D_i = P_i - P0 brings it to the entities.
#include "bodies/spatial_body.h"

#include <math.h>

#include "expressions/vector.h"

enum { SPANS = MBS_BASIS_SIZE - 1 };

typedef struct Reciprocal {
  int count;
  MbsNode w[SPANS][3];
} Reciprocal;

static void cross(MbsGraph *g, const MbsNode a[3], const MbsNode b[3], MbsNode c[3]) {
  for (int k = 0; k < 3; ++k) {
    c[k] = mbs_node_cross(g, a, b, k);
  }
}

static Reciprocal reciprocal(MbsGraph *g, const MbsBasis *basis) {
  Reciprocal result = {.count = basis->count - 1};
  MbsNode d[SPANS][3];
  for (int i = 0; i < result.count; ++i) {
    mbs_basis_local_span(g, basis, 1 + i, d[i]);
  }
  if (result.count == 1) {
    MbsNode square = mbs_node_dot(g, 3, d[0], d[0]);
    for (int k = 0; k < 3; ++k) {
      result.w[0][k] = mbs_graph_divide(g, d[0][k], square);
    }
  } else if (result.count == SPANS) {
    MbsNode normal[3];
    cross(g, d[1], d[2], normal);
    MbsNode det = mbs_node_dot(g, 3, d[0], normal);
    for (int i = 0; i < SPANS; ++i) {
      cross(g, d[(i + 1) % SPANS], d[(i + 2) % SPANS], normal);
      for (int k = 0; k < 3; ++k) {
        result.w[i][k] = mbs_graph_divide(g, normal[k], det);
      }
    }
  }
  return result;
}

static void subtract(MbsGraph *g, const MbsNode a[3], const MbsNode b[3], MbsNode c[3]) {
  for (int k = 0; k < 3; ++k) {
    c[k] = mbs_graph_subtract(g, a[k], b[k]);
  }
}

// is the offset along the rod's line, at the nominal values?
static MbsStatus check_on_line(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsBasis *basis,
                               const MbsNode offset[3]) {
  MbsNode d[3], normal[3];
  mbs_basis_local_span(blueprint->graph, basis, 1, d);
  cross(blueprint->graph, d, offset, normal);
  const MbsNode nodes[] = {normal[0], normal[1], normal[2], mbs_node_dot(blueprint->graph, 3, d, d)};
  double values[4];
  MBS_TRY(mbs_blueprint_nominal(context, blueprint, 4, nodes, values));
  double off = fabs(values[0]) + fabs(values[1]) + fabs(values[2]);  // real
  if (!(off <= 1e-9 * (values[3] + 1))) {
    const MbsBlueprintBody *owner = &blueprint->bodies.items[body];
    return mbs_fail(
        context, MBS_ERROR_INPUT, owner->record->name.place,
        "body \"%s\" is a thin rod (its inertia is one number): its points, centre of mass and joint axes must "
        "lie on one line; give it an inertia tensor [xx, yy, zz] to make it a body in space",
        owner->name);
  }
  return MBS_OK;
}

static bool is_same_local(const MbsNode a[3], const MbsNode b[3]) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

MbsStatus mbs_spatial_body_place(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsBasis *basis,
                                 const MbsNode local[3], bool is_point, MbsForm *form) {
  MbsGraph *g = blueprint->graph;
  MbsEntityKind kind = is_point ? MBS_ENTITY_POINT : MBS_ENTITY_VECTOR;
  for (int i = 0; i < basis->count; ++i) {
    if (basis->kind[i] == kind && is_same_local(basis->local[i], local)) {
      return mbs_form_of_entity(context, blueprint, basis->entity[i], body, form);
    }
  }
  MBS_CHECK(context, basis->count > 1);
  MbsNode offset[3], one = mbs_graph_constant(g, 1);
  MbsNode zero[3] = {mbs_graph_constant(g, 0), mbs_graph_constant(g, 0), mbs_graph_constant(g, 0)};
  subtract(g, local, is_point ? basis->local[0] : zero, offset);
  if (basis->count == 2) {
    MBS_TRY(check_on_line(context, blueprint, body, basis, offset));
  }
  Reciprocal frame = reciprocal(g, basis);
  MbsForm sum;
  MBS_TRY(mbs_form_of_entity(context, blueprint, basis->entity[0], body, &sum));
  MBS_TRY(mbs_form_combine(context, blueprint, mbs_graph_constant(g, is_point ? 1 : 0), &sum, zero[0], &sum, &sum));
  for (int i = 0; i < frame.count; ++i) {
    MbsForm D;
    MBS_TRY(mbs_basis_span(context, blueprint, body, basis, 1 + i, &D));
    MBS_TRY(mbs_form_combine(context, blueprint, one, &sum, mbs_node_dot(g, 3, frame.w[i], offset), &D, &sum));
  }
  *form = sum;
  return MBS_OK;
}

// S = tr(I)/2 - I + m (c - s0)(c - s0)'
static void second_moments(MbsGraph *g, const MbsBlueprintBody *body, const MbsNode arm[3], MbsNode S[3][3]) {
  static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};  // of xx yy zz xy xz yz
  MbsNode half = mbs_graph_constant(g, 0.5);
  MbsNode trace = mbs_graph_add(g, mbs_graph_add(g, body->inertia[0], body->inertia[1]), body->inertia[2]);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      MbsNode moment = mbs_graph_negate(g, body->inertia[at[i][j]]);
      if (i == j) {
        moment = mbs_graph_add(g, moment, mbs_graph_multiply(g, half, trace));
      }
      S[i][j] = mbs_graph_add(g, moment, mbs_graph_multiply(g, body->mass, mbs_graph_multiply(g, arm[i], arm[j])));
    }
  }
}

// J = tr(I)/2 - I must not be negative: a mass distribution has second moments
static MbsStatus check_tensor(MbsContext *context, MbsBlueprint *blueprint, const MbsBlueprintBody *body) {
  MbsGraph *g = blueprint->graph;
  MbsNode zero[3] = {mbs_graph_constant(g, 0), mbs_graph_constant(g, 0), mbs_graph_constant(g, 0)};
  MbsNode S[3][3], nodes[9];
  double J[9];
  second_moments(g, body, zero, S);
  for (int i = 0; i < 9; ++i) {
    nodes[i] = S[i / 3][i % 3];
  }
  MBS_TRY(mbs_blueprint_nominal(context, blueprint, 9, nodes, J));
  // principal minors, each against rounding of its own size
  double size = fabs(J[0]) + fabs(J[4]) + fabs(J[8]);  // real
  double minors[] = {
      J[0] / size,
      J[4] / size,
      J[8] / size,
      (J[0] * J[4] - J[1] * J[3]) / (size * size),
      (J[0] * J[8] - J[2] * J[6]) / (size * size),
      (J[4] * J[8] - J[5] * J[7]) / (size * size),
      (J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) + J[2] * (J[3] * J[7] - J[4] * J[6])) /
          (size * size * size)};
  for (int i = 0; i < MBS_COUNT(minors) && size > 0; ++i) {
    if (!(minors[i] >= -1e-12)) {
      return mbs_fail(
          context, MBS_ERROR_INPUT, mbs_record_value(body->record, MBS_BODY_INERTIA)->place,
          "body \"%s\": no body can have this inertia tensor: each principal moment is at most the sum of the "
          "other two, and off-diagonal terms are bounded (xy = -integral of x y dm)",
          body->name);
    }
  }
  return MBS_OK;
}

static MbsNode quadratic(MbsGraph *g, const MbsNode u[3], MbsNode S[3][3], const MbsNode v[3]) {
  MbsNode image[3];
  for (int i = 0; i < 3; ++i) {
    image[i] = mbs_node_dot(g, 3, S[i], v);
  }
  return mbs_node_dot(g, 3, u, image);
}

// moments[i][j] in (P0, D_i): 0 is P0
static void moments_of(MbsGraph *g, const MbsBlueprintBody *body, const MbsBasis *basis,
                       MbsNode moments[MBS_BASIS_SIZE][MBS_BASIS_SIZE]) {
  Reciprocal frame = reciprocal(g, basis);
  MbsNode arm[3], S[3][3];
  subtract(g, body->com, basis->local[0], arm);
  moments[0][0] = body->mass;
  if (body->kind == MBS_BODY_RIGID) {
    second_moments(g, body, arm, S);
  }
  for (int i = 0; i < frame.count; ++i) {
    MbsNode first = mbs_graph_multiply(g, body->mass, mbs_node_dot(g, 3, frame.w[i], arm));
    moments[0][1 + i] = moments[1 + i][0] = first;
    for (int j = 0; j < frame.count; ++j) {
      // on a rod: I / |d|^2 + m zeta_c^2
      moments[1 + i][1 + j] =
          body->kind == MBS_BODY_RIGID
              ? quadratic(g, frame.w[i], S, frame.w[j])
              : mbs_graph_add(g, mbs_graph_multiply(g, body->inertia[0], mbs_node_dot(g, 3, frame.w[i], frame.w[j])),
                              mbs_graph_multiply(g, first, mbs_node_dot(g, 3, frame.w[j], arm)));
    }
  }
}

MbsStatus mbs_spatial_body_add_mass(MbsContext *context, MbsBlueprint *blueprint, int index, const MbsBasis *basis) {
  MbsGraph *g = blueprint->graph;
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  int n = basis->count;
  MbsNode moments[MBS_BASIS_SIZE][MBS_BASIS_SIZE];
  MbsNode *a, *b, *weight;
  int *entities;
  MBS_TAKE(context, blueprint->arena, a, n * n);
  MBS_TAKE(context, blueprint->arena, b, n * n);
  MBS_TAKE(context, blueprint->arena, weight, n * 3);
  MBS_TAKE(context, blueprint->arena, entities, n);
  if (body->kind == MBS_BODY_RIGID) {
    MBS_TRY(check_tensor(context, blueprint, body));
  } else if (body->kind == MBS_BODY_ROD) {
    MbsNode arm[3];
    subtract(g, body->com, basis->local[0], arm);
    MBS_TRY(check_on_line(context, blueprint, index, basis, arm));
  }
  moments_of(g, body, basis, moments);
  // D_i = P_i - P0: the first row and column give up what the points take
  for (int i = 1; i < n; ++i) {
    if (basis->kind[i] == MBS_ENTITY_POINT) {
      for (int j = 0; j < n; ++j) {
        moments[0][j] = mbs_graph_subtract(g, moments[0][j], moments[i][j]);
      }
    }
  }
  for (int i = 1; i < n; ++i) {
    if (basis->kind[i] == MBS_ENTITY_POINT) {
      moments[0][0] = mbs_graph_subtract(g, moments[0][0], moments[0][i]);
    }
    moments[i][0] = moments[0][i];
  }
  // first moments of the entities: their coefficients sum to the rows' sums over (P0 alone)
  for (int i = 0; i < n; ++i) {
    MbsNode first = moments[i][0];
    for (int j = 1; j < n; ++j) {
      if (basis->kind[j] == MBS_ENTITY_POINT) {
        first = mbs_graph_add(g, first, moments[i][j]);
      }
    }
    entities[i] = basis->entity[i];
    for (int k = 0; k < 3; ++k) {
      weight[3 * i + k] = mbs_graph_multiply(g, first, blueprint->gravity[k]);
    }
    for (int j = 0; j < n; ++j) {
      a[i * n + j] = moments[i][j];
      b[i * n + j] = mbs_graph_constant(g, 0);
    }
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->masses,
             (MbsMassSpec){.body = index, .count = n, .entities = entities, .a = a, .b = b, .weight = weight});
  return MBS_OK;
}
