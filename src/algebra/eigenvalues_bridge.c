// See eigenvalues.h.
#include "algebra/eigenvalues.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

// LAPACK, by columns
void dgeevx_(const char *balanc, const char *jobvl, const char *jobvr, const char *sense, const int *n, double *a,
             const int *lda, double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr, int *ilo,
             int *ihi, double *scale, double *abnrm, double *rconde, double *rcondv, double *work, const int *lwork,
             int *iwork, int *info);
void zgeev_(const char *jobvl, const char *jobvr, const int *n, double _Complex *a, const int *lda, double _Complex *w,
            double _Complex *vl, const int *ldvl, double _Complex *vr, const int *ldvr, double _Complex *work,
            const int *lwork, double *rwork, int *info);
void zgesv_(const int *n, const int *nrhs, double _Complex *a, const int *lda, int *pivot, double _Complex *b,
            const int *ldb, int *info);

static MbsStatus not_converged(MbsContext *context) {
  return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                  "the eigenvalues of the matrix were not found: is one of its entries not a finite number?");
}

static MbsStatus check_finite(MbsContext *context, int count, const double *A) {
  for (int i = 0; i < count; ++i) {
    if (!isfinite(A[i])) {
      return not_converged(context);
    }
  }
  return MBS_OK;
}

typedef struct Order {
  double size, im;
  int index;
} Order;

// The parts of a pair have one size, to the last bit.
static int compare(const void *a, const void *b) {
  const Order *p = a, *q = b;
  if (p->size < q->size || p->size > q->size) {
    return p->size < q->size ? -1 : 1;
  }
  if (p->im < q->im || p->im > q->im) {
    return p->im > q->im ? -1 : 1;
  }
  return p->index - q->index;
}

// vector k of LAPACK's columns: a pair has its real part in column k, its imaginary one in column k + 1
static void take_vector(int n, const double *columns, const double *im, int k, double _Complex *to) {
  bool is_second = im[k] < 0;
  int re_column = is_second ? k - 1 : k;
  for (int i = 0; i < n; ++i) {
    double re = columns[re_column * n + i], part = im[k] > 0 || is_second ? columns[(re_column + 1) * n + i] : 0;
    double parts[2] = {re, is_second ? -part : part};
    to[i] = *(double _Complex *)parts;
  }
}

// The largest |A x - value x| of all right vectors, or |A' y - conj(value) y| of left ones, over |A| |x|.
static double residual_of(int n, const double *A, bool is_left, const double _Complex *values,
                          const double _Complex *vectors) {
  double size = 0, worst = 0;
  for (int i = 0; i < n * n; ++i) {
    size += A[i] * A[i];
  }
  for (int k = 0; k < n; ++k) {
    const double _Complex *x = vectors + k * n, value = is_left ? conj(values[k]) : values[k];
    double off = 0, length = 0;
    for (int i = 0; i < n; ++i) {
      double _Complex sum = -value * x[i];
      for (int j = 0; j < n; ++j) {
        sum += (is_left ? A[j * n + i] : A[i * n + j]) * x[j];
      }
      off += cabs(sum) * cabs(sum);
      length += cabs(x[i]) * cabs(x[i]);
    }
    double ratio = sqrt(off / (size * length));
    worst = ratio > worst ? ratio : worst;
  }
  return worst;
}

static MbsStatus find(MbsContext *context, MbsArena *scratch, char balance, int n, const double *A,
                      double _Complex *values, double _Complex *left, double _Complex *right) {
  const char job = left || right ? 'V' : 'N';
  double *a, *re, *im, *vectors[2], *work, *scale, norm, none;
  Order *order;
  int size = 8 * n, info = 0, low, high, unused;
  size_t square = (size_t)n * (size_t)n;
  MBS_TAKE(context, scratch, a, square);
  MBS_TAKE(context, scratch, re, n);
  MBS_TAKE(context, scratch, im, n);
  MBS_TAKE(context, scratch, vectors[0], square);
  MBS_TAKE(context, scratch, vectors[1], square);
  MBS_TAKE(context, scratch, work, size);
  MBS_TAKE(context, scratch, scale, n);
  MBS_TAKE(context, scratch, order, n);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      a[k * n + i] = A[i * n + k];
    }
  }
  dgeevx_(&balance, &job, &job, "N", &n, a, &n, re, im, vectors[0], &n, vectors[1], &n, &low, &high, scale, &norm,
          &none, &none, work, &size, &unused, &info);
  if (info != 0) {
    return not_converged(context);
  }
  for (int k = 0; k < n; ++k) {
    order[k] = (Order){hypot(re[k], im[k]), im[k], k};
  }
  qsort(order, (size_t)n, sizeof *order, compare);
  for (int k = 0; k < n; ++k) {
    int from = order[k].index;
    double parts[2] = {re[from], im[from]};
    values[k] = *(double _Complex *)parts;
    if (left) {
      take_vector(n, vectors[0], im, from, left + k * n);
    }
    if (right) {
      take_vector(n, vectors[1], im, from, right + k * n);
    }
  }
  return MBS_OK;
}

// Scaled, so that units do not count. But where a whole row is rounding (the rate of a wheel that nothing drives),
// scaling makes that as large as all else, and vectors lose their meaning: so they are looked at.
MbsStatus mbs_eigenvalues(MbsContext *context, MbsArena *scratch, int n, const double *A, double _Complex *values,
                          double _Complex *left, double _Complex *right) {
  const double good = 1e-10;
  MBS_TRY(check_finite(context, n * n, A));
  MBS_TRY(find(context, scratch, 'B', n, A, values, left, right));
  bool is_bad = (left && residual_of(n, A, true, values, left) > good) ||
                (right && residual_of(n, A, false, values, right) > good);
  return is_bad ? find(context, scratch, 'P', n, A, values, left, right) : MBS_OK;
}

// by columns
static MbsStatus transpose(MbsContext *context, MbsArena *scratch, int n, const double _Complex *A,
                           double _Complex **a) {
  MBS_TRY(check_finite(context, 2 * n * n, (const double *)A));
  MBS_TAKE(context, scratch, *a, (size_t)n * (size_t)n);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      (*a)[k * n + i] = A[i * n + k];
    }
  }
  return MBS_OK;
}

MbsStatus mbs_complex_eigenvalues(MbsContext *context, MbsArena *scratch, int n, const double _Complex *A,
                                  double _Complex *values) {
  double _Complex *a, *work, none;
  double *real_work;
  const int one = 1, size = 4 * n;
  int info = 0;
  MBS_TRY(transpose(context, scratch, n, A, &a));
  MBS_TAKE(context, scratch, work, size);
  MBS_TAKE(context, scratch, real_work, 2 * n);
  zgeev_("N", "N", &n, a, &n, values, &none, &one, &none, &one, work, &size, real_work, &info);
  return info == 0 ? MBS_OK : not_converged(context);
}

MbsStatus mbs_complex_solve(MbsContext *context, MbsArena *scratch, int n, const double _Complex *A, int count,
                            double _Complex *b, bool *is_singular) {
  double _Complex *a, *x;
  int *pivot, info = 0;
  MBS_TRY(transpose(context, scratch, n, A, &a));
  MBS_TAKE(context, scratch, x, (size_t)n * (size_t)count);
  MBS_TAKE(context, scratch, pivot, n);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < count; ++k) {
      x[k * n + i] = b[i * count + k];
    }
  }
  zgesv_(&n, &count, a, &n, pivot, x, &n, &info);
  *is_singular = info > 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < count; ++k) {
      b[i * count + k] = x[k * n + i];
    }
  }
  return MBS_OK;
}
