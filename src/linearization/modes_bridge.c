// See modes.h. With A x = w x and y^H A = w y^H a single eigenvalue moves by
//     w' = y^H A' x / y^H x                                                                       (1)
// and its shape, whose entry k stays 1, by
//     [A - w  -x; e_k'  0] (x', w') = (-A' x, 0)                                                  (2)
// Of one that is repeated r times with as many shapes X (size x r) and Y the branches move by the eigenvalues of
//     (Y^H X)^-1 Y^H A' X                                                                         (3)
// in one parameter; along two of them they need not be differentiable. Where Y^H X is singular there are fewer shapes,
// and w moves with a root of the parameter.
#include "linearization/modes.h"

#include <float.h>
#include <math.h>

#include "algebra/eigenvalues.h"

// Equal to rounding: an eigenvalue is known to about rounding of the matrix over |y^H x|. Where that reaches, or
// nearly, to its neighbour the two are a multiple one that rounding took apart.
static const double equal = 1e-9, least_product = 1e-6, small_product = 1e-5, blurred = 1e-3;

// y^H x
static double _Complex product(int n, const double _Complex *y, const double _Complex *x) {
  double _Complex sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += conj(y[i]) * x[i];
  }
  return sum;
}

// dA x
static void multiply(int n, const double *dA, const double _Complex *x, double _Complex *to) {
  for (int i = 0; i < n; ++i) {
    to[i] = 0;
    for (int k = 0; k < n; ++k) {
      to[i] += dA[i * n + k] * x[k];
    }
  }
}

static void normalise(MbsModes *modes, int position_count, int mode) {
  double _Complex *x = modes->right + mode * modes->size;
  double largest = 0;
  for (int pass = 0; pass < 2 && !(largest > 1e-9); ++pass) {  // |x| = 1: positions that hardly move do not count
    for (int i = 0; i < (pass == 0 ? position_count : modes->size); ++i) {
      if (cabs(x[i]) > largest * (1 + 1e-9)) {
        largest = cabs(x[i]);
        modes->normal[mode] = i;
      }
    }
  }
  double _Complex one = x[modes->normal[mode]];
  for (int i = 0; i < modes->size; ++i) {
    x[i] = i == modes->normal[mode] ? 1 : x[i] / one;
  }
}

// members of the group of a mode; returns how many
static int list_group(const MbsModes *modes, int first, int *members) {
  int count = 0;
  for (int i = 0; i < modes->size; ++i) {
    if (modes->group[i] == first) {
      members[count++] = i;
    }
  }
  return count;
}

static bool is_blurred_mode(const MbsModes *modes, int mode, double product) {
  double nearest = HUGE_VAL, sum = 0;
  for (int i = 0; i < modes->size; ++i) {
    nearest = i == mode ? nearest : fmin(nearest, cabs(modes->value[i] - modes->value[mode]));
  }
  for (int i = 0; i < modes->size * modes->size; ++i) {
    sum += modes->A[i] * modes->A[i];
  }
  return product < small_product && !(DBL_EPSILON * sqrt(sum) < blurred * product * nearest);
}

// G = Y^H X of a group, with unit vectors: is it regular?
static MbsStatus check_group(MbsContext *context, MbsArena *scratch, const MbsModes *modes, int count,
                             const int *members, bool *is_defective) {
  int n = modes->size;
  double _Complex *G, *inverse;
  bool is_singular = false;
  MBS_TAKE(context, scratch, G, count * count);
  MBS_TAKE(context, scratch, inverse, count * count);
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < count; ++k) {
      G[i * count + k] = product(n, modes->left + members[i] * n, modes->right + members[k] * n);
      inverse[i * count + k] = i == k;
    }
  }
  if (count == 1) {
    *is_defective = is_blurred_mode(modes, members[0], cabs(G[0]));
    return MBS_OK;
  }
  MBS_TRY(mbs_complex_solve(context, scratch, count, G, count, inverse, &is_singular));
  *is_defective = is_singular;
  for (int i = 0; i < count * count; ++i) {
    *is_defective = *is_defective || !(cabs(inverse[i]) < 1 / least_product);
  }
  return MBS_OK;
}

static MbsStatus find_groups(MbsContext *context, MbsArena *arena, MbsModes *modes) {
  int n = modes->size, *members;
  double largest = n > 0 ? cabs(modes->value[n - 1]) : 0;
  MBS_TAKE(context, arena, members, n);
  for (int i = 0; i < n; ++i) {
    modes->group[i] = i;
    for (int k = i - 1; k >= 0; --k) {
      double apart = cabs(modes->value[i] - modes->value[k]);
      if (apart <= equal * cabs(modes->value[i]) || apart <= 1e-12 * largest) {
        modes->group[i] = modes->group[k];
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    if (modes->group[i] == i) {
      bool is_defective = false;
      int count = list_group(modes, i, members);
      MBS_TRY(check_group(context, arena, modes, count, members, &is_defective));
      for (int k = 0; k < count; ++k) {
        modes->repeated[members[k]] = count;
        modes->is_defective[members[k]] = is_defective;
      }
    }
  }
  return MBS_OK;
}

MbsStatus mbs_modes_create(MbsContext *context, MbsArena *arena, int size, int position_count, const double *A,
                           MbsModes *modes) {
  size_t square = (size_t)size * (size_t)size;
  *modes = (MbsModes){.size = size, .A = A};
  MBS_TAKE(context, arena, modes->value, size);
  MBS_TAKE(context, arena, modes->left, square);
  MBS_TAKE(context, arena, modes->right, square);
  MBS_TAKE(context, arena, modes->group, size);
  MBS_TAKE(context, arena, modes->repeated, size);
  MBS_TAKE(context, arena, modes->is_defective, size);
  MBS_TAKE(context, arena, modes->normal, size);
  MBS_TRY(mbs_eigenvalues(context, arena, size, A, modes->value, modes->left, modes->right));
  MBS_TRY(find_groups(context, arena, modes));
  for (int k = 0; k < size; ++k) {
    normalise(modes, position_count, k);
  }
  return MBS_OK;
}

// (1) and (2)
static MbsStatus differentiate_single(MbsContext *context, MbsArena *scratch, const MbsModes *modes, int mode,
                                      const double *dA, double _Complex *value, double *shape) {
  int n = modes->size;
  const double _Complex *x = modes->right + mode * n, *y = modes->left + mode * n;
  double _Complex *K, *b;
  bool is_singular;
  MBS_TAKE(context, scratch, K, (n + 1) * (n + 1));
  MBS_TAKE(context, scratch, b, n + 1);
  multiply(n, dA, x, b);
  *value = product(n, y, b) / product(n, y, x);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      K[i * (n + 1) + k] = modes->A[i * n + k] - (i == k ? modes->value[mode] : 0);
    }
    K[i * (n + 1) + n] = -x[i];
    b[i] = -b[i];
  }
  K[n * (n + 1) + modes->normal[mode]] = 1;
  MBS_TRY(mbs_complex_solve(context, scratch, n + 1, K, 1, b, &is_singular));
  for (int i = 0; i < n; ++i) {
    shape[2 * i] = is_singular ? (double)NAN : creal(b[i]);
    shape[2 * i + 1] = is_singular ? (double)NAN : cimag(b[i]);
  }
  return MBS_OK;
}

// (3)
static MbsStatus differentiate_group(MbsContext *context, MbsArena *scratch, const MbsModes *modes, int count,
                                     const int *members, const double *dA, double _Complex *values) {
  int n = modes->size;
  double _Complex *G, *D, *moved;
  bool is_singular;
  MBS_TAKE(context, scratch, G, count * count);
  MBS_TAKE(context, scratch, D, count * count);
  MBS_TAKE(context, scratch, moved, n);
  for (int k = 0; k < count; ++k) {
    multiply(n, dA, modes->right + members[k] * n, moved);
    for (int i = 0; i < count; ++i) {
      G[i * count + k] = product(n, modes->left + members[i] * n, modes->right + members[k] * n);
      D[i * count + k] = product(n, modes->left + members[i] * n, moved);
    }
  }
  MBS_TRY(mbs_complex_solve(context, scratch, count, G, count, D, &is_singular));
  MBS_TRY(mbs_complex_eigenvalues(context, scratch, count, D, values));
  for (int k = 1; k < count; ++k) {  // the slowest branch first
    for (int i = k; i > 0 && creal(values[i]) + cimag(values[i]) < creal(values[i - 1]) + cimag(values[i - 1]); --i) {
      double _Complex other = values[i];
      values[i] = values[i - 1];
      values[i - 1] = other;
    }
  }
  return MBS_OK;
}

MbsStatus mbs_modes_differentiate(MbsContext *context, MbsArena *scratch, const MbsModes *modes, const double *dA,
                                  double *values, double *shapes) {
  int n = modes->size, *members;
  double _Complex *branch;
  MBS_TAKE(context, scratch, members, n);
  MBS_TAKE(context, scratch, branch, n);
  for (int i = 0; i < n; ++i) {
    values[2 * i] = values[2 * i + 1] = (double)NAN;
    for (int k = 0; k < 2 * n; ++k) {
      shapes[(size_t)i * 2 * (size_t)n + (size_t)k] = (double)NAN;
    }
  }
  for (int i = 0; i < n; ++i) {
    int count = list_group(modes, i, members);
    if (count == 0 || modes->is_defective[i]) {
      continue;
    }
    if (count == 1) {
      MBS_TRY(differentiate_single(context, scratch, modes, i, dA, branch, shapes + (size_t)i * 2 * (size_t)n));
    } else {
      MBS_TRY(differentiate_group(context, scratch, modes, count, members, dA, branch));
    }
    for (int k = 0; k < count; ++k) {
      values[2 * members[k]] = creal(branch[k]);
      values[2 * members[k] + 1] = cimag(branch[k]);
    }
  }
  return MBS_OK;
}
