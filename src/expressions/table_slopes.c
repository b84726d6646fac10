// Slopes of cubic curves at their points, as expressions of the ordinates. With h_i = x_(i+1) - x_i and the secants
// m_i = (y_(i+1) - y_i)/h_i:
//
//   akima      s_i = (w1 m_(i-1) + w2 m_i)/(w1 + w2),  w1 = |m_(i+1) - m_i|,  w2 = |m_(i-1) - m_(i-2)|
//              (Akima 1970); where both weights vanish, the mean of both secants. Beyond the ends secants go on as
//              m_(-1) = 2 m_0 - m_1 and so on.
//   monotone   0 where the secants on both sides differ in sign or one is zero, else their harmonic mean with
//              the weights 2h_i + h_(i-1) and h_i + 2h_(i-1) (Fritsch and Butland 1984). At the ends the parabola
//              through three points, limited so that nothing overshoots (the PCHIP of Moler, Numerical Computing with
//              MATLAB).
//   spline     second derivatives are continuous, h_i s_(i-1) + 2(h_(i-1) + h_i) s_i + h_(i-1) s_(i+1) =
//              3(h_i m_(i-1) + h_(i-1) m_i); at the second and the last but one point the third derivative too
//              ("not a knot": the curve of a cubic is that cubic). s = B y: the entries of B fall off by 3.7 from point
//              to point, and those below 1e-18 of the largest are left out, so that a slope has some 70 ordinates.
//
// Periodic curves have no ends: secants go on around.
#include <math.h>

#include "expressions/graph_storage.h"

typedef struct Points {
  MbsGraph *graph;
  const MbsAxis *axis;
  int stride;
  const MbsNode *y;
  MbsNode *slopes;
} Points;

static MbsNode number(MbsGraph *graph, double value) { return mbs_graph_constant(graph, value); }

static double step_of(const Points *p, int i) {
  int intervals = p->axis->count - 1;
  i = p->axis->period > 0 ? (i % intervals + intervals) % intervals : i;
  return p->axis->x[i + 1] - p->axis->x[i];
}

// m_i between points, or around
static MbsNode secant(const Points *p, int i) {
  int intervals = p->axis->count - 1;
  i = p->axis->period > 0 ? (i % intervals + intervals) % intervals : i;
  MbsNode rise = mbs_graph_subtract(p->graph, p->y[(i + 1) * p->stride], p->y[i * p->stride]);
  return mbs_graph_divide(p->graph, rise, number(p->graph, step_of(p, i)));
}

static MbsNode weighted(MbsGraph *graph, double a, MbsNode x, double b, MbsNode y) {
  return mbs_graph_add(graph, mbs_graph_multiply(graph, number(graph, a), x),
                       mbs_graph_multiply(graph, number(graph, b), y));
}

// |a| as max(a, -a), which has a derivative of one side at 0, the same for all methods: neighbours in line are common
static MbsNode absolute(MbsGraph *graph, MbsNode a) {
  return mbs_graph_apply(graph, MBS_OP_MAXIMUM, a, mbs_graph_negate(graph, a));
}

static MbsNode is_not_negative(MbsGraph *graph, MbsNode a) {
  return mbs_graph_apply(graph, MBS_OP_STEP, a, MBS_NODE_NONE);
}

// ---- akima ----
// with the secants that go on linearly beyond the ends
static MbsNode long_secant(const Points *p, int i) {
  int last = p->axis->count - 2;
  if (p->axis->period > 0 || (i >= 0 && i <= last)) {
    return secant(p, i);
  }
  int end = i < 0 ? 0 : last, inner = i < 0 ? 1 : last - 1, steps = i < 0 ? -i : i - last;
  return weighted(p->graph, 1 + steps, secant(p, end), -steps, secant(p, inner));
}

static MbsNode akima(const Points *p, int i) {
  const double rounding = 1e-9;
  MbsGraph *g = p->graph;
  MbsNode m[4], size = MBS_GRAPH_ZERO;
  for (int k = 0; k < 4; ++k) {
    m[k] = long_secant(p, i - 2 + k);
    size = mbs_graph_add(g, size, absolute(g, m[k]));
  }
  MbsNode w1 = absolute(g, mbs_graph_subtract(g, m[3], m[2])), w2 = absolute(g, mbs_graph_subtract(g, m[1], m[0]));
  MbsNode sum = mbs_graph_add(g, w1, w2);
  MbsNode mean = weighted(g, 0.5, m[1], 0.5, m[2]);
  MbsNode all = mbs_graph_add(g, mbs_graph_multiply(g, w1, m[1]), mbs_graph_multiply(g, w2, m[2]));
  MbsNode vanish = mbs_graph_subtract(g, mbs_graph_multiply(g, number(g, rounding), size), sum);
  return mbs_graph_select(g, is_not_negative(g, vanish), mean, mbs_graph_divide(g, all, sum));
}

// ---- monotone ----
static MbsNode harmonic(const Points *p, int i) {
  MbsGraph *g = p->graph;
  MbsNode a = secant(p, i - 1), b = secant(p, i);
  double before = step_of(p, i - 1), after = step_of(p, i), wa = 2 * after + before, wb = after + 2 * before;
  MbsNode product = mbs_graph_multiply(g, a, b);
  MbsNode mean = mbs_graph_divide(g, mbs_graph_multiply(g, number(g, wa + wb), product), weighted(g, wa, b, wb, a));
  return mbs_graph_select(g, is_not_negative(g, mbs_graph_negate(g, product)), MBS_GRAPH_ZERO, mean);
}

// a: the secant at the end, b: the next one
static MbsNode limited_end(MbsGraph *g, double ha, MbsNode a, double hb, MbsNode b) {
  MbsNode three = mbs_graph_multiply(g, number(g, 3), a);
  MbsNode s = weighted(g, (2 * ha + hb) / (ha + hb), a, -ha / (ha + hb), b);
  // |s| > |3a|, where the secants differ in sign
  MbsNode is_steep = is_not_negative(g, mbs_graph_subtract(g, absolute(g, s), absolute(g, three)));
  MbsNode bends_back = is_not_negative(g, mbs_graph_negate(g, mbs_graph_multiply(g, a, b)));
  MbsNode is_limited = mbs_graph_apply(g, MBS_OP_WHERE, is_steep, bends_back);
  MbsNode is_against = is_not_negative(g, mbs_graph_negate(g, mbs_graph_multiply(g, s, a)));
  return mbs_graph_select(g, is_against, MBS_GRAPH_ZERO, mbs_graph_select(g, is_limited, three, s));
}

static MbsNode monotone(const Points *p, int i) {
  int last = p->axis->count - 1;
  if (p->axis->period > 0 || (i > 0 && i < last)) {
    return harmonic(p, i);
  }
  int end = i == 0 ? 0 : last - 1, inner = i == 0 ? 1 : last - 2;
  return limited_end(p->graph, step_of(p, end), secant(p, end), step_of(p, inner), secant(p, inner));
}

// ---- spline ----
// The system A s = R y, A tridiagonal (lower, diagonal, upper), of a periodic axis with corners A_0,n-1 = lower[0] and
// A_n-1,0 = upper[n-1].
typedef struct Spline {
  int n;
  double *lower, *diagonal, *upper;
  double *z, *work;
} Spline;

static void fill_matrix(const Points *p, Spline *spline) {
  int n = spline->n;
  bool is_periodic = p->axis->period > 0;
  for (int i = 0; i < n; ++i) {
    bool is_first = !is_periodic && i == 0, is_last = !is_periodic && i == n - 1;
    double h = is_last ? step_of(p, n - 2) : step_of(p, i), before = is_first ? h : step_of(p, i - 1);
    spline->lower[i] = h;
    spline->diagonal[i] = 2 * (before + h);
    spline->upper[i] = before;
    if (is_first) {
      spline->diagonal[i] = step_of(p, 1);
      spline->upper[i] = h + step_of(p, 1);
    } else if (is_last) {
      spline->lower[i] = step_of(p, n - 3) + h;
      spline->diagonal[i] = step_of(p, n - 3);
    }
  }
}

// adds `weight` m_i of some ordinates to a row
static void add_secant(const Points *p, const double *y, int i, double weight, double *row) {
  int n = p->axis->count - 1;
  bool is_periodic = p->axis->period > 0;
  i = is_periodic ? (i % n + n) % n : i;
  int next = is_periodic ? (i + 1) % n : i + 1;
  *row += weight / step_of(p, i) * (y[next] - y[i]);
}

static void fill_right(const Points *p, const double *y, const Spline *spline, double *right) {
  int n = spline->n;
  bool is_periodic = p->axis->period > 0;
  for (int i = 0; i < n; ++i) {
    right[i] = 0;
    if (!is_periodic && (i == 0 || i == n - 1)) {
      int end = i == 0 ? 0 : n - 2, inner = i == 0 ? 1 : n - 3;
      double a = step_of(p, end), b = step_of(p, inner);
      add_secant(p, y, end, (a + 2 * (a + b)) * b / (a + b), &right[i]);
      add_secant(p, y, inner, a * a / (a + b), &right[i]);
    } else {
      add_secant(p, y, i - 1, 3 * step_of(p, i), &right[i]);
      add_secant(p, y, i, 3 * step_of(p, i - 1), &right[i]);
    }
  }
}

// x = T^-1 x, T the tridiagonal part, with another first and last diagonal entry
static void solve_tridiagonal(const Spline *spline, double first, double last, double *x) {
  int n = spline->n;
  double pivot = first, *ratio = spline->work;
  x[0] /= pivot;
  for (int i = 1; i < n; ++i) {
    ratio[i] = spline->upper[i - 1] / pivot;
    pivot = (i == n - 1 ? last : spline->diagonal[i]) - spline->lower[i] * ratio[i];
    x[i] = (x[i] - spline->lower[i] * x[i - 1]) / pivot;
  }
  for (int i = n - 2; i >= 0; --i) {
    x[i] -= ratio[i + 1] * x[i + 1];
  }
}

// s = A^-1 s; of a cyclic system A = T + u v', u = (g, .., a), v = (1, .., b/g), by Sherman and Morrison
static void solve(const Points *p, const Spline *spline, double *s) {
  int n = spline->n;
  const double *d = spline->diagonal;
  if (p->axis->period == 0) {
    solve_tridiagonal(spline, d[0], d[n - 1], s);
    return;
  }
  double b = spline->lower[0], a = spline->upper[n - 1], g = -d[0], *z = spline->z;
  for (int i = 0; i < n; ++i) {
    z[i] = i == 0 ? g : i == n - 1 ? a : 0;
  }
  solve_tridiagonal(spline, d[0] - g, d[n - 1] - a * b / g, z);
  solve_tridiagonal(spline, d[0] - g, d[n - 1] - a * b / g, s);
  double factor = (s[0] + b / g * s[n - 1]) / (1 + z[0] + b / g * z[n - 1]);
  for (int i = 0; i < n; ++i) {
    s[i] -= factor * z[i];
  }
}

// the sum of some nodes, halved again and again: short ways from each of them to the sum
static MbsNode sum_of(MbsGraph *graph, int count, const MbsNode *nodes) {
  if (count <= 1) {
    return count == 1 ? nodes[0] : MBS_GRAPH_ZERO;
  }
  return mbs_graph_add(graph, sum_of(graph, count / 2, nodes), sum_of(graph, count - count / 2, nodes + count / 2));
}

// s_i = sum over j of B_ij y_j, B column by column in `B`
static void put_products(const Points *p, int n, const double *B, MbsNode *terms) {
  const double least = 1e-18;
  for (int i = 0; i < n; ++i) {
    double largest = 0;
    int count = 0;
    for (int j = 0; j < n; ++j) {
      double entry = fabs(B[(size_t)j * (size_t)n + (size_t)i]);  // real
      largest = entry > largest ? entry : largest;
    }
    for (int j = 0; j < n; ++j) {
      double entry = B[(size_t)j * (size_t)n + (size_t)i];
      if (fabs(entry) > least * largest) {  // real
        terms[count++] = mbs_graph_multiply(p->graph, number(p->graph, entry), p->y[j * p->stride]);
      }
    }
    p->slopes[i * p->stride] = sum_of(p->graph, count, terms);
  }
}

static MbsStatus spline_slopes(MbsContext *context, MbsArena *scratch, const Points *p) {
  const int most = 2000;
  bool is_periodic = p->axis->period > 0, are_numbers = true;
  int n = is_periodic ? p->axis->count - 1 : p->axis->count;
  Spline spline = {.n = n};
  double *y, *B;
  MbsNode *terms;
  MBS_TAKE(context, scratch, spline.lower, n);
  MBS_TAKE(context, scratch, spline.diagonal, n);
  MBS_TAKE(context, scratch, spline.upper, n);
  MBS_TAKE(context, scratch, spline.z, n);
  MBS_TAKE(context, scratch, spline.work, n);
  MBS_TAKE(context, scratch, y, n);
  MBS_TAKE(context, scratch, terms, n);
  for (int i = 0; i < n; ++i) {
    const MbsGraphNode *node = mbs_graph_node(p->graph, p->y[i * p->stride]);
    are_numbers = are_numbers && node->operation == MBS_OP_CONSTANT;
    y[i] = node->value;
  }
  if (!are_numbers && n > most) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "a spline of %d points whose ordinates depend on parameters is not offered, only up to %d: take "
                    "kind: akima or monotone",
                    n, most);
  }
  MBS_TAKE(context, scratch, B, are_numbers ? (size_t)n : (size_t)n * (size_t)n);
  fill_matrix(p, &spline);
  for (int unit = 0; unit < (are_numbers ? 1 : n); ++unit) {
    for (int i = 0; i < n && !are_numbers; ++i) {
      y[i] = i == unit;
    }
    fill_right(p, y, &spline, B + (size_t)unit * (size_t)n);
    solve(p, &spline, B + (size_t)unit * (size_t)n);
  }
  for (int i = 0; i < n && are_numbers; ++i) {
    p->slopes[i * p->stride] = number(p->graph, B[i]);
  }
  if (!are_numbers) {
    put_products(p, n, B, terms);
  }
  if (is_periodic) {
    p->slopes[n * p->stride] = p->slopes[0];
  }
  return MBS_OK;
}

int mbs_table_least_points(MbsSlopeRule rule, bool is_periodic) {
  return is_periodic ? 4 : rule == MBS_SLOPE_SPLINE ? 4 : 3;
}

MbsStatus mbs_table_slopes(MbsContext *context, MbsArena *scratch, MbsGraph *graph, MbsSlopeRule rule,
                           const MbsAxis *axis, int stride, const MbsNode *y, MbsNode *slopes) {
  const Points p = {.graph = graph, .axis = axis, .stride = stride, .y = y, .slopes = slopes};
  if (rule == MBS_SLOPE_SPLINE) {
    MBS_TRY(spline_slopes(context, scratch, &p));
    return mbs_graph_status(context, graph);
  }
  for (int i = 0; i < axis->count; ++i) {
    slopes[i * stride] = rule == MBS_SLOPE_AKIMA ? akima(&p, i) : monotone(&p, i);
  }
  return mbs_graph_status(context, graph);
}
