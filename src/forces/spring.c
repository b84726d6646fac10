// Spring-damper between two points, linear or by a law.
//
// d = r2 - r1, l = |d|, u = d / l, l' = u.(v2 - v1), tension N = k (l - L) + c l'; the force is N u on
// the first point and -N u on the second. With w = d' - l' u:
//     (N u)_d = u (k u + c w / l)' + N (I - u u') / l,      (N u)_d' = c u u'.
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

static void derivatives(const MbsForceInput *in, mbs_scalar *F, mbs_scalar *F_y, mbs_scalar *F_v, mbs_scalar *F_c) {
  int n = in->dimension;
  Stretch s = stretch(in);
  put_pair(n, s.u, s.tension, F);
  mbs_scalar k = in->c[0], c_over_l = in->c[1] / s.length, N_over_l = s.tension / s.length;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      mbs_scalar K = s.u[i] * ((k - N_over_l) * s.u[j] + c_over_l * s.w[j]) + (i == j ? N_over_l : 0);
      mbs_scalar C = in->c[1] * s.u[i] * s.u[j];
      // F = (N u, -N u) and d = r2 - r1: signs - + / + -
      F_y[i * 2 * n + j] = F_y[(n + i) * 2 * n + n + j] = -K;
      F_y[i * 2 * n + n + j] = F_y[(n + i) * 2 * n + j] = K;
      F_v[i * 2 * n + j] = F_v[(n + i) * 2 * n + n + j] = -C;
      F_v[i * 2 * n + n + j] = F_v[(n + i) * 2 * n + j] = C;
    }
  }
  if (F_c) {
    mbs_scalar N_c[3] = {s.length - in->c[2], s.rate, -k};
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < n; ++i) {
        F_c[i * 3 + j] = N_c[j] * s.u[i];
        F_c[(n + i) * 3 + j] = -F_c[i * 3 + j];
      }
    }
  }
}

static void energy(const MbsForceInput *in, mbs_scalar *potential, mbs_scalar *power) {
  Stretch s = stretch(in);
  mbs_scalar extension = s.length - in->c[2];
  *potential = in->c[0] * extension * extension / 2;
  *power = -in->c[1] * s.rate * s.rate;
}

static const MbsForceKernel kernel = {.force = force, .derivatives = derivatives, .energy = energy};

// ---- building ----
// generalised forces (N u, -N u) with N the expression of the law
static MbsStatus build_law(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record, const char *owner,
                           MbsForceSpec *spec) {
  MbsGraph *g = blueprint->graph;
  MbsForm line;
  MbsExpression d, d_rate, tension;
  MBS_TRY(mbs_form_subtract(context, blueprint, &spec->ports[1], &spec->ports[0], &line));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &line, MBS_SIGNAL_POSITION, &d));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &line, MBS_SIGNAL_VELOCITY, &d_rate));
  MbsNode length = mbs_node_norm(g, d.size, d.node);
  MbsNode product = mbs_node_dot(g, d.size, d.node, d_rate.node);
  MbsLocalName locals[] = {{"length", length}, {"rate", mbs_graph_divide(g, product, length)}};
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
