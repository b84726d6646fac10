// Spring-damper between two points, linear or by a law.
//
// d = r2 - r1, l = |d|, u = d / l, l' = u.(v2 - v1), tension N = k (l - L) + c l'; the force is N u on
// the first point and -N u on the second. With w = d' - l' u:
//     (N u)_d = u (k u + c w / l)' + N (I - u u') / l,      (N u)_d' = c u u'.
// Along fixed directions a of d and b of d', with P = I - u u', A = P a, B = P b, N changes by S and N u by G:
//     S = k u.a + c (u.b + w.a / l),      S_d = (k A + c B - c ((u.a) w + l' A + (w.a) u) / l) / l,
//     G = S u + N A / l,                  G_d' = c (u A' + A u') / l,
//     G_d = u S_d' + A (k u + c w / l)' / l + S P / l - N (u A' + A u' + (u.a) P) / l^2.
// A law N = f(length, rate) goes through the expression graph instead, derivatives included.
#include "expressions/vector.h"
#include "model/force.h"

enum { ENDS, STIFFNESS, DAMPING, LENGTH, LAW };

static const MbsField fields[] = {
    [ENDS] = {"spring", MBS_FIELD_POINT_PAIR, .is_required = true, .summary = "the two points it pulls together"},
    [STIFFNESS] = {"stiffness", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .default_text = "0", .unit = "N/m",
                   .summary = "stiffness"},
    [DAMPING] = {"damping", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .default_text = "0", .unit = "N s/m",
                 .summary = "damping"},
    [LENGTH] = {"length", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .unit = "m",
                .summary = "natural length; needed unless there is a law"},
    [LAW] = {"law", MBS_FIELD_SIGNAL, .unit = "N",
             .summary =
                 "tension as an expression of length, rate, t, parameters and signals, instead of the three numbers"},
};

// ---- kernel: coefficients k, c, L ----
typedef struct Stretch {
  mbs_scalar u[3], w[3];  // direction; d' - l' u
  mbs_scalar length, rate, tension;
} Stretch;

static Stretch stretch(const MbsForceInput *in) {
  Stretch s;
  mbs_scalar square = 0;
  for (int k = 0; k < in->dimension; ++k) {
    s.u[k] = in->y[in->dimension + k] - in->y[k];
    square += s.u[k] * s.u[k];
  }
  s.length = mbs_sqrt(square);
  s.rate = 0;
  for (int k = 0; k < in->dimension; ++k) {
    s.u[k] /= s.length;
    s.w[k] = in->v[in->dimension + k] - in->v[k];
    s.rate += s.u[k] * s.w[k];
  }
  for (int k = 0; k < in->dimension; ++k) {
    s.w[k] -= s.rate * s.u[k];
  }
  s.tension = in->c[0] * (s.length - in->c[2]) + in->c[1] * s.rate;
  return s;
}

static void put_pair(int n, const mbs_scalar *u, mbs_scalar N, mbs_scalar *F) {
  for (int k = 0; k < n; ++k) {
    F[k] = N * u[k];
    F[n + k] = -F[k];
  }
}

static void force(const MbsForceInput *in, mbs_scalar *F) {
  Stretch s = stretch(in);
  put_pair(in->dimension, s.u, s.tension, F);
}

// what (N u, -N u) has by y = (r1, r2), at (i, j) of its blocks, from K = (N u)_d: signs - + / + -
static void put_square(int n, int i, int j, mbs_scalar K, mbs_scalar *F_y) {
  F_y[i * 2 * n + j] = F_y[(n + i) * 2 * n + n + j] = -K;
  F_y[i * 2 * n + n + j] = F_y[(n + i) * 2 * n + j] = K;
}

static void derivatives(const MbsForceInput *in, mbs_scalar *F, mbs_scalar *F_y, mbs_scalar *F_v, mbs_scalar *F_c) {
  int n = in->dimension;
  Stretch s = stretch(in);
  put_pair(n, s.u, s.tension, F);
  mbs_scalar k = in->c[0], c_over_l = in->c[1] / s.length, N_over_l = s.tension / s.length;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      put_square(n, i, j, s.u[i] * ((k - N_over_l) * s.u[j] + c_over_l * s.w[j]) + (i == j ? N_over_l : 0), F_y);
      put_square(n, i, j, in->c[1] * s.u[i] * s.u[j], F_v);
    }
  }
  mbs_scalar N_c[3] = {s.length - in->c[2], s.rate, -k};
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < n; ++i) {
      F_c[i * 3 + j] = N_c[j] * s.u[i];
      F_c[(n + i) * 3 + j] = -F_c[i * 3 + j];
    }
  }
}

static void second(const MbsForceInput *in, const mbs_scalar *z_y, const mbs_scalar *z_v, mbs_scalar *G,
                   mbs_scalar *G_y, mbs_scalar *G_v, mbs_scalar *G_c) {
  int n = in->dimension;
  Stretch s = stretch(in);
  mbs_scalar k = in->c[0], c = in->c[1], l = s.length, N = s.tension;
  mbs_scalar A[3], B[3], ua = 0, ub = 0, wa = 0;  // A = a, B = b at first
  for (int i = 0; i < n; ++i) {
    A[i] = z_y[n + i] - z_y[i];
    B[i] = z_v[n + i] - z_v[i];
    ua += s.u[i] * A[i];
    ub += s.u[i] * B[i];
    wa += s.w[i] * A[i];
  }
  mbs_scalar S = k * ua + c * (ub + wa / l), S_d[3];
  for (int i = 0; i < n; ++i) {
    A[i] -= ua * s.u[i];
    B[i] -= ub * s.u[i];
    S_d[i] = (k * A[i] + c * B[i] - c * (ua * s.w[i] + s.rate * A[i] + wa * s.u[i]) / l) / l;
  }
  for (int i = 0; i < n; ++i) {
    G[i] = S * s.u[i] + N * A[i] / l;
    G[n + i] = -G[i];
    for (int j = 0; j < n; ++j) {
      mbs_scalar P = (i == j ? 1 : 0) - s.u[i] * s.u[j], both = s.u[i] * A[j] + A[i] * s.u[j];
      mbs_scalar N_d = k * s.u[j] + c * s.w[j] / l;
      put_square(n, i, j, s.u[i] * S_d[j] + (A[i] * N_d + S * P - N * (both + ua * P) / l) / l, G_y);
      put_square(n, i, j, c * both / l, G_v);
    }
    mbs_scalar by_coefficient[3] = {ua * s.u[i] + (l - in->c[2]) * A[i] / l, (ub + wa / l) * s.u[i] + s.rate * A[i] / l,
                                    -k * A[i] / l};
    for (int j = 0; j < 3; ++j) {
      G_c[i * 3 + j] = by_coefficient[j];
      G_c[(n + i) * 3 + j] = -by_coefficient[j];
    }
  }
}

static void energy(const MbsForceInput *in, mbs_scalar *potential, mbs_scalar *power) {
  Stretch s = stretch(in);
  mbs_scalar extension = s.length - in->c[2];
  *potential = in->c[0] * extension * extension / 2;
  *power = -in->c[1] * s.rate * s.rate;
}

// l and l' as expressions
static MbsStatus find_length(MbsContext *context, MbsBlueprint *blueprint, const MbsForceSpec *spec, MbsExpression *d,
                             MbsNode *length, MbsNode *rate) {
  MbsGraph *g = blueprint->graph;
  MbsForm line;
  MbsExpression d_rate;
  MBS_TRY(mbs_form_subtract(context, blueprint, &spec->ports[1], &spec->ports[0], &line));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &line, MBS_SIGNAL_POSITION, d));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &line, MBS_SIGNAL_VELOCITY, &d_rate));
  *length = mbs_node_norm(g, d->size, d->node);
  *rate = mbs_graph_divide(g, mbs_node_dot(g, d->size, d->node, d_rate.node), *length);
  return MBS_OK;
}

// V = 1/2 k (l - L)^2, P = -N l'
static MbsStatus describe(MbsContext *context, MbsBlueprint *blueprint, const MbsForceSpec *spec, MbsNode *potential,
                          MbsNode *power) {
  MbsGraph *g = blueprint->graph;
  MbsExpression d;
  MbsNode length, rate;
  MBS_TRY(find_length(context, blueprint, spec, &d, &length, &rate));
  MbsNode extension = mbs_graph_subtract(g, length, spec->coefficients[2]);
  MbsNode elastic = mbs_graph_multiply(g, spec->coefficients[0], extension);
  MbsNode tension = mbs_node_multiply_add(g, spec->coefficients[1], rate, elastic);
  *potential = mbs_graph_multiply(g, mbs_graph_constant(g, 0.5), mbs_graph_multiply(g, elastic, extension));
  *power = mbs_graph_negate(g, mbs_graph_multiply(g, tension, rate));
  return mbs_graph_status(context, g);
}

static const MbsForceKernel kernel = {
    .force = force, .derivatives = derivatives, .second = second, .energy = energy, .describe = describe};

// ---- building ----
// generalised forces (N u, -N u) with N the expression of the law
static MbsStatus build_law(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record, const char *owner,
                           MbsForceSpec *spec) {
  MbsGraph *g = blueprint->graph;
  MbsExpression d, tension;
  MbsNode length, rate;
  MBS_TRY(find_length(context, blueprint, spec, &d, &length, &rate));
  MbsLocalName locals[] = {{"length", length}, {"rate", rate}};
  MBS_TRY(mbs_signal_parse(context, blueprint, owner, mbs_record_text(record, LAW), 1,
                           MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_TIME, MBS_COUNT(locals), locals, &tension));
  MbsNode *expressions;
  MBS_TAKE(context, blueprint->arena, expressions, 2 * d.size);
  for (int k = 0; k < d.size; ++k) {
    expressions[k] = mbs_graph_multiply(g, tension.node[0], mbs_graph_divide(g, d.node[k], length));
    expressions[d.size + k] = mbs_graph_negate(g, expressions[k]);
  }
  spec->expressions = expressions;
  return MBS_OK;
}

static MbsStatus build(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record) {
  MbsForceSpec spec;
  const char *owner;
  MBS_TRY(mbs_force_on_points(context, blueprint, record, mbs_record_value(record, ENDS), &owner, &spec));
  if (mbs_record_text(record, LAW).text) {
    for (int field = STIFFNESS; field <= LENGTH; ++field) {
      if (mbs_record_value(record, field)->is_given) {
        return mbs_fail(context, MBS_ERROR_INPUT, mbs_record_value(record, field)->place,
                        "%s: give either a law or %s, not both", owner, fields[field].name);
      }
    }
    MBS_TRY(build_law(context, blueprint, record, owner, &spec));
  } else {
    if (!mbs_record_text(record, LENGTH).text) {
      return mbs_fail(context, MBS_ERROR_INPUT, record->name.place, "%s needs \"length\" (or a \"law\")", owner);
    }
    MbsNode *coefficients;
    MBS_TAKE(context, blueprint->arena, coefficients, 3);
    for (int i = 0; i < 3; ++i) {
      MBS_TRY(mbs_blueprint_number(context, blueprint, owner, &fields[STIFFNESS + i],
                                   mbs_record_text(record, STIFFNESS + i), &coefficients[i]));
    }
    spec.kernel = &kernel;
    spec.coefficient_count = 3;
    spec.coefficients = coefficients;
  }
  MBS_APPEND(context, blueprint->arena, &blueprint->forces, spec);
  return MBS_OK;
}

const MbsForceType mbs_force_spring = {
    .record = {"spring", "spring-damper between two points, with constants or a law", MBS_COUNT(fields), fields},
    .build = build,
};
