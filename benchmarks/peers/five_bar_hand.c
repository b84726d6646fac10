// See five_bar_hand.h.
#include "five_bar_hand.h"

#include <math.h>
#include <stddef.h>

const double hand_parameters[2] = {2.2360679774997896964, 2.0615528128088302749};  // sqrt(5), sqrt(4.25)
const double hand_reference[2] = {-4.22881085524, 3.21160410299};

static const double g = 9.81, k = 100;
static const double ground[2][2] = {{-0.5, 0}, {0.5, 0}};

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }

// F = -k (1 - L/l) u, u = p - B, l = |u|; and its derivative along (dp, dL)
static void spring(const double *p, double L, double *F) {
  double u[2] = {p[0] - ground[1][0], p[1] - ground[1][1]}, l = sqrt(dot(u, u));
  for (int i = 0; i < 2; ++i) {
    F[i] = -k * (1 - L / l) * u[i];
  }
}

static void spring_along(const double *p, double L, const double *dp, double dL, double *dF) {
  double u[2] = {p[0] - ground[1][0], p[1] - ground[1][1]}, l = sqrt(dot(u, u));
  double change = -dL / l + L * dot(u, dp) / (l * l * l);
  for (int i = 0; i < 2; ++i) {
    dF[i] = -k * ((1 - L / l) * dp[i] + u[i] * change);
  }
}

// ---- two freedoms: z = p2, w = z' ----
// The elbow p on circles of radius a = sqrt(2) about the ground point and b = sqrt(3.25) about z. With e = p - ground,
// r = p - z:
//     e.p' = 0,  r.(p' - w) = 0:       p' = t (r.w),   t = (-e_y, e_x) / det,   det = e x r
//     e.p'' + |p'|^2 = 0,  r.(p'' - z'') + |p' - w|^2 = 0:   p'' = t (r.z'') + c
typedef struct Elbow {
  double p[2], e[2], r[2], det, t[2], rate, v[2], c[2];
} Elbow;

// [e'; r'] x = (alpha, beta)
static void solve_elbow(const Elbow *elbow, double alpha, double beta, double *x) {
  x[0] = (elbow->r[1] * alpha - elbow->e[1] * beta) / elbow->det;
  x[1] = (-elbow->r[0] * alpha + elbow->e[0] * beta) / elbow->det;
}

static void find_elbow(const double *at, double side, const double *z, const double *w, Elbow *elbow) {
  double d[2] = {z[0] - at[0], z[1] - at[1]}, D = dot(d, d);
  double u = (2 - 3.25 + D) / (2 * D), h = side * sqrt(2 / D - u * u);
  elbow->e[0] = u * d[0] - h * d[1];
  elbow->e[1] = u * d[1] + h * d[0];
  for (int i = 0; i < 2; ++i) {
    elbow->p[i] = at[i] + elbow->e[i];
    elbow->r[i] = elbow->p[i] - z[i];
  }
  elbow->det = elbow->e[0] * elbow->r[1] - elbow->e[1] * elbow->r[0];
  elbow->t[0] = -elbow->e[1] / elbow->det;
  elbow->t[1] = elbow->e[0] / elbow->det;
  elbow->rate = dot(elbow->r, w);
  double off[2];
  for (int i = 0; i < 2; ++i) {
    elbow->v[i] = elbow->t[i] * elbow->rate;
    off[i] = elbow->v[i] - w[i];
  }
  solve_elbow(elbow, -dot(elbow->v, elbow->v), -dot(off, off), elbow->c);
}

static void elbow_along(const Elbow *elbow, const double *w, const double *dz, const double *dw, Elbow *d) {
  double along = dot(elbow->r, dz);
  for (int i = 0; i < 2; ++i) {
    d->p[i] = d->e[i] = elbow->t[i] * along;
    d->r[i] = d->p[i] - dz[i];
  }
  d->det = d->e[0] * elbow->r[1] + elbow->e[0] * d->r[1] - d->e[1] * elbow->r[0] - elbow->e[1] * d->r[0];
  d->t[0] = (-d->e[1] - elbow->t[0] * d->det) / elbow->det;
  d->t[1] = (d->e[0] - elbow->t[1] * d->det) / elbow->det;
  d->rate = dot(d->r, w) + dot(elbow->r, dw);
  double off[2], doff[2];
  for (int i = 0; i < 2; ++i) {
    d->v[i] = d->t[i] * elbow->rate + elbow->t[i] * d->rate;
    off[i] = elbow->v[i] - w[i];
    doff[i] = d->v[i] - dw[i];
  }
  solve_elbow(elbow, -2 * dot(elbow->v, d->v) - dot(d->e, elbow->c), -2 * dot(off, doff) - dot(d->r, elbow->c), d->c);
}

// J' M J and J' (Q - M c), J = [t1 r1'; I; t3 r3']; Q: forces on points 1 and 2, the weight of 3 is constant
static void reduce(const Elbow *one, const Elbow *three, const double *Q1, const double *Q2, double M[3], double *f) {
  double f1[2], f3[2], t1 = dot(one->t, one->t), t3 = dot(three->t, three->t);
  for (int i = 0; i < 2; ++i) {
    f1[i] = Q1[i] - 5.0 / 6 * one->c[i] - (i == 1 ? 1.25 * g : 0);
    f3[i] = -5.0 / 6 * three->c[i] - (i == 1 ? 1.25 * g : 0);
  }
  double b1 = dot(one->t, f1), b3 = dot(three->t, f3);
  for (int i = 0; i < 2; ++i) {
    f[i] = one->r[i] * b1 + Q2[i] - (i == 1 ? 1.5 * g : 0) - 0.25 * (one->c[i] + three->c[i]) + three->r[i] * b3;
  }
  static const int row[] = {0, 0, 1}, column[] = {0, 1, 1};
  for (int m = 0; m < 3; ++m) {
    int i = row[m], j = column[m];
    M[m] =
        (i == j) + 5.0 / 6 * (t1 * one->r[i] * one->r[j] + t3 * three->r[i] * three->r[j]) +
        0.25 * (one->r[i] * one->t[j] + one->t[i] * one->r[j] + three->r[i] * three->t[j] + three->t[i] * three->r[j]);
  }
}

// the derivative of J' (M J s + M c - Q) along a direction with s as it is: what -J' M J ds is
static void reduce_along(const Elbow *one, const Elbow *three, const Elbow *d1, const Elbow *d3, const double *Q1,
                         const double *dQ1, const double *dQ2, const double *s, double *change) {
  const Elbow *const elbows[] = {one, three}, *const along[] = {d1, d3};
  double middle[2] = {-dQ2[0], -dQ2[1]};
  change[0] = change[1] = 0;
  for (int e = 0; e < 2; ++e) {
    const Elbow *x = elbows[e], *d = along[e];
    double rs = dot(x->r, s), drs = dot(d->r, s), force[2], dforce[2];
    for (int i = 0; i < 2; ++i) {
      // of the elbow: 5/6 p'' + 1/4 s - Q, p'' = t (r.s) + c
      double a = x->t[i] * rs + x->c[i], da = d->t[i] * rs + x->t[i] * drs + d->c[i];
      force[i] = 5.0 / 6 * a + 0.25 * s[i] - (e == 0 ? Q1[i] : 0) + (i == 1 ? 1.25 * g : 0);
      dforce[i] = 5.0 / 6 * da - (e == 0 ? dQ1[i] : 0);
      middle[i] += 0.25 * da;
    }
    double b = dot(x->t, force), db = dot(d->t, force) + dot(x->t, dforce);
    change[0] += d->r[0] * b + x->r[0] * db;
    change[1] += d->r[1] * b + x->r[1] * db;
  }
  change[0] += middle[0];
  change[1] += middle[1];
}

static void two_rate(const double *y, const double *L, double *f, int count, const double *Y, const double *P,
                     double *F) {
  const double *z = y, *w = y + 2;
  Elbow one, three;
  double Q1[2], Q2[2], M[3], b[2];
  find_elbow(ground[0], -1, z, w, &one);
  find_elbow(ground[1], 1, z, w, &three);
  spring(one.p, L[0], Q1);
  spring(z, L[1], Q2);
  reduce(&one, &three, Q1, Q2, M, b);
  double det = M[0] * M[2] - M[1] * M[1], *s = f + 2;
  f[0] = w[0];
  f[1] = w[1];
  s[0] = (M[2] * b[0] - M[1] * b[1]) / det;
  s[1] = (M[0] * b[1] - M[1] * b[0]) / det;
  for (int c = 0; c < count; ++c, Y += 4, P += 2, F += 4) {
    Elbow d1, d3;
    double dQ1[2], dQ2[2], change[2];
    elbow_along(&one, w, Y, Y + 2, &d1);
    elbow_along(&three, w, Y, Y + 2, &d3);
    spring_along(one.p, L[0], d1.p, P[0], dQ1);
    spring_along(z, L[1], Y, P[1], dQ2);
    reduce_along(&one, &three, &d1, &d3, Q1, dQ1, dQ2, s, change);
    F[0] = Y[2];
    F[1] = Y[3];
    F[2] = -(M[2] * change[0] - M[1] * change[1]) / det;
    F[3] = -(M[0] * change[1] - M[1] * change[0]) / det;
  }
}

// six directions: of so few numbers nothing is gained by going backwards
static void two_transposed(const double *y, const double *L, const double *l, double *by_y, double *by_L) {
  static const double Y[6 * 4] = {[0] = 1, [5] = 1, [10] = 1, [15] = 1}, P[6 * 2] = {[8] = 1, [11] = 1};
  double f[4], F[6 * 4];
  two_rate(y, L, f, 6, Y, P, F);
  for (int i = 0; i < 6; ++i) {
    *(i < 4 ? &by_y[i] : &by_L[i - 4]) = dot(l, F + 4 * i + 2);
  }
}

const HandSystem hand_two = {
    .name = "two freedoms", .size = 4, .place = 0, .start = {0, -2}, .rate = two_rate, .transposed = two_transposed};

// ---- all six coordinates ----
// Bars between points (-1, -2: A, B): Phi = (|d|^2 - l^2)/2, d = p_to - p_from
static const int from[HAND_BARS] = {-1, 0, 1, -2}, to[HAND_BARS] = {0, 1, 2, 2};
static const double squared[HAND_BARS] = {2, 3.25, 3.25, 2};

// differences of a vector of points along each bar; with_ground: of positions
static void differ(const double *q, double with_ground, double d[HAND_BARS][2]) {
  for (int b = 0; b < HAND_BARS; ++b) {
    for (int i = 0; i < 2; ++i) {
      double before = from[b] >= 0 ? q[2 * from[b] + i] : with_ground * ground[-1 - from[b]][i];
      d[b][i] = q[2 * to[b] + i] - before;
    }
  }
}

// x += sum of Phi_q' lambda, where Phi_q has these differences
static void add_transposed(double d[HAND_BARS][2], const double *lambda, double *x) {
  for (int b = 0; b < HAND_BARS; ++b) {
    for (int i = 0; i < 2; ++i) {
      x[2 * to[b] + i] += lambda[b] * d[b][i];
      if (from[b] >= 0) {
        x[2 * from[b] + i] -= lambda[b] * d[b][i];
      }
    }
  }
}

static void add_mass(const double *a, double *x) {
  for (int i = 0; i < 2; ++i) {
    x[i] += 5.0 / 6 * a[i] + 0.25 * a[2 + i];
    x[2 + i] += 0.25 * a[i] + a[2 + i] + 0.25 * a[4 + i];
    x[4 + i] += 0.25 * a[2 + i] + 5.0 / 6 * a[4 + i];
  }
}

static void forces(const double *q, const double *L, double *Q) {
  spring(q, L[0], Q);
  spring(q + 2, L[1], Q + 2);
  Q[4] = 0;
  Q[1] -= 1.25 * g;
  Q[3] -= 1.5 * g;
  Q[5] = -1.25 * g;
}

static void forces_along(const double *q, const double *L, const double *dq, const double *dL, double *dQ) {
  spring_along(q, L[0], dq, dL[0], dQ);
  spring_along(q + 2, L[1], dq + 2, dL[1], dQ + 2);
  dQ[4] = dQ[5] = 0;
}

static const double alpha = 1e7, damping = 20, stiffness = 100;  // 2 xi omega, omega^2

// M + alpha Phi_q' Phi_q = C C', lower
static void factor_penalty(double d[HAND_BARS][2], double C[6][6]) {
  for (int j = 0; j < 6; ++j) {
    double unit[6] = {0}, x[6] = {0}, along[HAND_BARS][2], lambda[HAND_BARS];
    unit[j] = 1;
    add_mass(unit, x);
    differ(unit, 0, along);
    for (int b = 0; b < HAND_BARS; ++b) {
      lambda[b] = alpha * dot(d[b], along[b]);
    }
    add_transposed(d, lambda, x);
    for (int i = j; i < 6; ++i) {
      C[i][j] = x[i];
    }
  }
  for (int j = 0; j < 6; ++j) {
    for (int i = j; i < 6; ++i) {
      double sum = C[i][j];
      for (int m = 0; m < j; ++m) {
        sum -= C[i][m] * C[j][m];
      }
      C[i][j] = i == j ? sqrt(sum) : sum / C[j][j];
    }
  }
}

static void solve_penalty(double C[6][6], double *x) {
  for (int i = 0; i < 6; ++i) {
    for (int m = 0; m < i; ++m) {
      x[i] -= C[i][m] * x[m];
    }
    x[i] /= C[i][i];
  }
  for (int i = 5; i >= 0; --i) {
    for (int m = i + 1; m < 6; ++m) {
      x[i] -= C[m][i] * x[m];
    }
    x[i] /= C[i][i];
  }
}

static void penalty_rate(const double *y, const double *L, double *f, int count, const double *Y, const double *P,
                         double *F) {
  const double *q = y, *v = y + 6;
  double d[HAND_BARS][2], rate[HAND_BARS][2], second[HAND_BARS][2], lambda[HAND_BARS], C[6][6], *a = f + 6;
  differ(q, 1, d);
  differ(v, 0, rate);
  factor_penalty(d, C);
  forces(q, L, a);
  for (int b = 0; b < HAND_BARS; ++b) {
    double Phi = (dot(d[b], d[b]) - squared[b]) / 2;
    lambda[b] = -alpha * (dot(rate[b], rate[b]) + damping * dot(d[b], rate[b]) + stiffness * Phi);
  }
  add_transposed(d, lambda, a);
  solve_penalty(C, a);
  for (int i = 0; i < 6; ++i) {
    f[i] = v[i];
  }
  differ(a, 0, second);
  for (int b = 0; b < HAND_BARS && count > 0; ++b) {  // of the multipliers now
    lambda[b] -= alpha * dot(d[b], second[b]);
  }
  for (int c = 0; c < count; ++c, Y += 12, P += 2, F += 12) {
    double dd[HAND_BARS][2], drate[HAND_BARS][2], dlambda[HAND_BARS], *da = F + 6;
    differ(Y, 0, dd);
    differ(Y + 6, 0, drate);
    forces_along(q, L, Y, P, da);
    add_transposed(dd, lambda, da);
    for (int b = 0; b < HAND_BARS; ++b) {
      dlambda[b] = -alpha * (dot(dd[b], second[b]) + 2 * dot(rate[b], drate[b]) +
                             damping * (dot(dd[b], rate[b]) + dot(d[b], drate[b])) + stiffness * dot(d[b], dd[b]));
    }
    add_transposed(d, dlambda, da);
    solve_penalty(C, da);
    for (int i = 0; i < 6; ++i) {
      F[i] = Y[6 + i];
    }
  }
}

// With X = (M + alpha Phi_q' Phi_q)^-1 l, l.da = X.(dQ + dPhi_q' lambda + Phi_q' dlambda); the springs' matrix is
// symmetric.
static void penalty_transposed(const double *y, const double *L, const double *l, double *by_y, double *by_L) {
  const double *q = y, *v = y + 6, none[2] = {0, 0};
  double d[HAND_BARS][2], rate[HAND_BARS][2], second[HAND_BARS][2], along[HAND_BARS][2], lambda[HAND_BARS], C[6][6];
  double a[6], X[6], f[12];
  penalty_rate(y, L, f, 0, NULL, NULL, NULL);
  differ(q, 1, d);
  differ(v, 0, rate);
  differ(f + 6, 0, second);
  factor_penalty(d, C);
  for (int i = 0; i < 6; ++i) {
    X[i] = l[i];
    a[i] = 0;
    by_y[6 + i] = 0;
  }
  solve_penalty(C, X);
  differ(X, 0, along);
  forces_along(q, L, X, none, by_y);
  double by_q[HAND_BARS][2], by_v[HAND_BARS][2], weight[HAND_BARS];
  for (int b = 0; b < HAND_BARS; ++b) {
    double Phi = (dot(d[b], d[b]) - squared[b]) / 2;
    lambda[b] =
        -alpha * (dot(d[b], second[b]) + dot(rate[b], rate[b]) + damping * dot(d[b], rate[b]) + stiffness * Phi);
    weight[b] = -alpha * dot(d[b], along[b]);
    for (int i = 0; i < 2; ++i) {
      by_q[b][i] = second[b][i] + damping * rate[b][i] + stiffness * d[b][i];
      by_v[b][i] = 2 * rate[b][i] + damping * d[b][i];
    }
  }
  add_transposed(along, lambda, by_y);
  add_transposed(by_q, weight, by_y);
  add_transposed(by_v, weight, by_y + 6);
  for (int p = 0; p < 2; ++p) {
    double one[2] = {p == 0, p == 1};
    forces_along(q, L, a, one, f);
    by_L[p] = dot(X, f) + dot(X + 2, f + 2);
  }
}

const HandSystem hand_penalty = {.name = "penalty",
                                 .size = 12,
                                 .place = 2,
                                 .start = {-1.5, -1, 0, -2, 1.5, -1},
                                 .rate = penalty_rate,
                                 .transposed = penalty_transposed};

const double hand_index1_start[HAND_INDEX1] = {-1.5, -1, 0, -2, 1.5, -1};

void hand_index1(const double *y, const double *a, const double *L, double *r, int count, const double *Y,
                 const double *A, const double *P, double *R) {
  const double *q = y, *v = y + 6, *lambda = y + 12;
  double d[HAND_BARS][2], rate[HAND_BARS][2], second[HAND_BARS][2];
  differ(q, 1, d);
  differ(v, 0, rate);
  differ(a, 0, second);
  forces(q, L, r);
  for (int i = 0; i < 6; ++i) {
    r[i] = -r[i];
  }
  add_mass(a, r);
  add_transposed(d, lambda, r);
  for (int b = 0; b < HAND_BARS; ++b) {
    r[6 + b] = dot(d[b], second[b]) + dot(rate[b], rate[b]);
  }
  for (int c = 0; c < count; ++c, Y += HAND_INDEX1, A += 6, P += 2, R += 10) {
    double dd[HAND_BARS][2], drate[HAND_BARS][2], dsecond[HAND_BARS][2];
    differ(Y, 0, dd);
    differ(Y + 6, 0, drate);
    differ(A, 0, dsecond);
    forces_along(q, L, Y, P, R);
    for (int i = 0; i < 6; ++i) {
      R[i] = -R[i];
    }
    add_mass(A, R);
    add_transposed(d, Y + 12, R);
    add_transposed(dd, lambda, R);
    for (int b = 0; b < HAND_BARS; ++b) {
      R[6 + b] = dot(dd[b], second[b]) + dot(d[b], dsecond[b]) + 2 * dot(rate[b], drate[b]);
    }
  }
}
