#include "algebra/tree_solver.h"

#include <math.h>

#define KERNEL static inline __attribute__((always_inline))

struct MbsTreeSolver {
  const MbsTreeShape *shape;
  int levels;             // twists of D at hand
  mbs_scalar *b, *C;      // by unknown: twist, 3 twists
  mbs_scalar *h, *c, *d;  // by unknown: 3 twists, twist, 1
  mbs_scalar *l, *m;      // by unknown: 3 twists, twist; of couples
  mbs_scalar *w, *x;      // by node: twist
  mbs_scalar *D;          // by node: 3 twists
  double quality;
};

MbsStatus mbs_tree_solver_create(MbsContext *context, MbsArena *arena, const MbsTreeShape *shape,
                                 MbsTreeSolver **result) {
  MbsTreeSolver *solver;
  size_t twist = (size_t)shape->twist, nodes = (size_t)shape->node_count, unknowns = (size_t)shape->unknown_count;
  MBS_TAKE(context, arena, solver, 1);
  solver->shape = shape;
  MBS_TAKE(context, arena, solver->b, twist * unknowns);
  MBS_TAKE(context, arena, solver->C, 3 * twist * unknowns);
  MBS_TAKE(context, arena, solver->h, 3 * twist * unknowns);
  MBS_TAKE(context, arena, solver->c, twist * unknowns);
  MBS_TAKE(context, arena, solver->d, unknowns);
  MBS_TAKE(context, arena, solver->l, 3 * twist * unknowns);
  MBS_TAKE(context, arena, solver->m, twist * unknowns);
  MBS_TAKE(context, arena, solver->w, twist * nodes);
  MBS_TAKE(context, arena, solver->x, twist * nodes);
  MBS_TAKE(context, arena, solver->D, 3 * twist * nodes);
  *result = solver;
  return MBS_OK;
}

// ---- factoring ----
// size: of D. h = K' b + g, c = K C; returns d = b.c
KERNEL mbs_scalar eliminate(const mbs_scalar *K, const mbs_scalar *numbers, int twist, int size, mbs_scalar *h,
                            mbs_scalar *c) {
  const mbs_scalar *b = numbers, *C = numbers + twist, *g = numbers + 4 * twist;
  mbs_scalar d = 0;
  for (int k = 0; k < size; ++k) {
    h[k] = k < twist ? g[k] : 0;
  }
  for (int i = 0; i < twist; ++i) {
    const mbs_scalar *row = K + 3 * twist * i;
    mbs_scalar sum = 0;
    for (int k = 0; k < size; ++k) {
      sum += row[k] * C[k];
      h[k] += row[k] * b[i];
    }
    c[i] = sum;
    d += b[i] * sum;
  }
  return d;
}

// to += from, less a b' scale
KERNEL void take_along(const mbs_scalar *from, const mbs_scalar *a, const mbs_scalar *b, mbs_scalar scale, int twist,
                       int size, mbs_scalar *to) {
  for (int r = 0; r < twist; ++r) {
    mbs_scalar share = a[r] * scale;
    for (int k = 0; k < size; ++k) {
      to[3 * twist * r + k] += from[3 * twist * r + k] - share * b[k];
    }
  }
}

// L, M, N of node i to the node before it
KERNEL void factor_couple(MbsTreeSolver *solver, mbs_scalar *values, int i, int twist, int size) {
  static const mbs_scalar nothing[18] = {0};
  const MbsTreeShape *shape = solver->shape;
  int j = shape->unknown[i], p = shape->parent[i];
  const mbs_scalar *L = mbs_tree_shape_couple(shape, values, i, 0), *M = mbs_tree_shape_couple(shape, values, i, 1);
  const mbs_scalar *N = mbs_tree_shape_couple(shape, values, i, 2);
  const mbs_scalar *c = nothing, *h = nothing, *l = nothing, *m = nothing;
  if (j >= 0) {
    const mbs_scalar *b = mbs_tree_shape_b(shape, values, j), *C = b + twist;
    mbs_scalar *own_l = solver->l + 3 * twist * j, *own_m = solver->m + twist * j;
    for (int k = 0; k < size; ++k) {
      own_l[k] = 0;
    }
    for (int r = 0; r < twist; ++r) {
      mbs_scalar sum = 0;
      for (int k = 0; k < size; ++k) {
        own_l[k] += L[3 * twist * r + k] * b[r];
        sum += M[3 * twist * r + k] * C[k];
      }
      own_m[r] = sum;
    }
    c = solver->c + twist * j;
    h = solver->h + 3 * twist * j;
    l = own_l;
    m = own_m;
  }
  bool is_there = p == shape->partner[i];
  mbs_scalar *K_p = mbs_tree_shape_K(shape, values, p), scale = j >= 0 ? solver->d[j] : 0;
  take_along(L, c, l, scale, twist, size, is_there ? K_p : mbs_tree_shape_couple(shape, values, p, 0));
  take_along(M, m, h, scale, twist, size, is_there ? K_p : mbs_tree_shape_couple(shape, values, p, 1));
  take_along(N, m, l, scale, twist, size, is_there ? K_p : mbs_tree_shape_couple(shape, values, p, 2));
}

KERNEL bool has_couple(const MbsTreeShape *shape, int i, int twist, int size) {
  return size > twist && shape->partner && shape->partner[i] >= 0;
}

KERNEL bool factor(MbsTreeSolver *solver, mbs_scalar *values, int twist, int size) {
  const MbsTreeShape *shape = solver->shape;
  double least = HUGE_VAL, most = 0;
  for (int i = shape->node_count - 1; i >= 0; --i) {
    int j = shape->unknown[i], p = shape->parent[i];
    mbs_scalar *K = mbs_tree_shape_K(shape, values, i), *to = p < 0 ? NULL : mbs_tree_shape_K(shape, values, p);
    if (j >= 0) {
      const mbs_scalar *numbers = mbs_tree_shape_b(shape, values, j);
      mbs_scalar *h = solver->h + 3 * twist * j, *c = solver->c + twist * j;
      mbs_scalar d = eliminate(K, numbers, twist, size, h, c);
      double magnitude = mbs_re(mbs_abs(d));
      least = magnitude < least ? magnitude : least;
      most = magnitude > most ? magnitude : most;
      if (!(magnitude > 0) || !mbs_is_finite(d)) {
        return false;
      }
      solver->d[j] = 1 / d;
      for (int k = 0; k < twist; ++k) {
        solver->b[twist * j + k] = numbers[k];
      }
      for (int k = 0; k < size; ++k) {
        solver->C[3 * twist * j + k] = numbers[twist + k];
      }
      if (to) {
        take_along(K, c, h, solver->d[j], twist, size, to);
      }
    } else if (to) {
      for (int r = 0; r < twist; ++r) {
        for (int k = 0; k < size; ++k) {
          to[3 * twist * r + k] += K[3 * twist * r + k];
        }
      }
    }
    if (has_couple(shape, i, twist, size)) {
      factor_couple(solver, values, i, twist, size);
    }
  }
  solver->quality = most > 0 ? least / most : 1;
  return solver->quality > 1e-16;
}

bool mbs_tree_solver_factor(MbsTreeSolver *solver, mbs_scalar *values) {
  bool is_full = mbs_re(values[0]) > 1;
  solver->levels = is_full ? 3 : 1;
  if (solver->shape->twist == 3) {
    return is_full ? factor(solver, values, 3, 9) : factor(solver, values, 3, 3);
  }
  return is_full ? factor(solver, values, 6, 18) : factor(solver, values, 6, 6);
}

// ---- solving ----
KERNEL mbs_scalar dot(const mbs_scalar *a, const mbs_scalar *b, int size) {
  mbs_scalar sum = 0;
  for (int k = 0; k < size; ++k) {
    sum += a[k] * b[k];
  }
  return sum;
}

// b: r, then s
KERNEL void solve(MbsTreeSolver *solver, mbs_scalar *b, int twist, int size) {
  const MbsTreeShape *shape = solver->shape;
  mbs_scalar *w = solver->w, *x = solver->x, *D = solver->D;
  for (int i = 0; i < shape->node_count * twist; ++i) {
    w[i] = x[i] = 0;
  }
  for (int i = shape->node_count - 1; i >= 0; --i) {
    int j = shape->unknown[i], p = shape->parent[i];
    if (j >= 0) {
      b[j] = (b[j] - dot(solver->b + twist * j, w + twist * i, twist)) * solver->d[j];
    }
    for (int k = 0; k < twist && p >= 0; ++k) {
      w[twist * p + k] += w[twist * i + k] + (j >= 0 ? solver->c[twist * j + k] * b[j] : 0);
    }
    if (has_couple(shape, i, twist, size)) {
      mbs_scalar *to = (p == shape->partner[i] ? w : x) + twist * p;
      for (int k = 0; k < twist; ++k) {
        to[k] += x[twist * i + k] + (j >= 0 ? solver->m[twist * j + k] * b[j] : 0);
      }
    }
  }
  for (int i = 0; i < shape->node_count; ++i) {
    int j = shape->unknown[i], p = shape->parent[i];
    mbs_scalar *own = D + 3 * twist * i;
    const mbs_scalar *from = D + 3 * twist * p;
    for (int k = 0; k < size; ++k) {
      own[k] = p < 0 ? 0 : from[k];
    }
    if (j >= 0) {
      b[j] -= p < 0 ? 0 : dot(solver->h + 3 * twist * j, from, size) * solver->d[j];
      if (has_couple(shape, i, twist, size)) {
        b[j] -= dot(solver->l + 3 * twist * j, D + 3 * twist * shape->partner[i], size) * solver->d[j];
      }
      for (int k = 0; k < size; ++k) {
        own[k] += solver->C[3 * twist * j + k] * b[j];
      }
    }
  }
}

// the two passes of solve, transposed, in reverse order
KERNEL void solve_transposed(MbsTreeSolver *solver, mbs_scalar *b, int twist, int size) {
  const MbsTreeShape *shape = solver->shape;
  mbs_scalar *w = solver->w, *D = solver->D;
  for (int i = 0; i < shape->node_count * 3 * twist; ++i) {
    D[i] = 0;
  }
  for (int i = shape->node_count - 1; i >= 0; --i) {
    int j = shape->unknown[i], p = shape->parent[i];
    mbs_scalar share = 0;
    if (j >= 0) {
      b[j] += dot(solver->C + 3 * twist * j, D + 3 * twist * i, size);
      share = b[j] * solver->d[j];
    }
    for (int k = 0; k < size && p >= 0; ++k) {
      D[3 * twist * p + k] += D[3 * twist * i + k] - (j >= 0 ? solver->h[3 * twist * j + k] * share : 0);
    }
    for (int k = 0; k < size && j >= 0 && has_couple(shape, i, twist, size); ++k) {
      D[3 * twist * shape->partner[i] + k] -= solver->l[3 * twist * j + k] * share;
    }
  }
  for (int i = 0; i < shape->node_count; ++i) {
    int j = shape->unknown[i], p = shape->parent[i];
    mbs_scalar *own = w + twist * i;
    const mbs_scalar *from = w + twist * p;
    for (int k = 0; k < twist; ++k) {
      own[k] = p < 0 ? 0 : from[k];
    }
    if (j >= 0) {
      b[j] += p < 0 ? 0 : dot(solver->c + twist * j, from, twist);
      if (has_couple(shape, i, twist, size)) {  // what x receives is what w of the partner does
        b[j] += dot(solver->m + twist * j, w + twist * shape->partner[i], twist);
      }
      b[j] *= solver->d[j];
      for (int k = 0; k < twist; ++k) {
        own[k] -= solver->b[twist * j + k] * b[j];
      }
    }
  }
}

KERNEL void solve_all(MbsTreeSolver *solver, int count, mbs_scalar *b, bool is_transposed, int twist, int size) {
  for (int k = 0; k < count; ++k) {
    mbs_scalar *one = b + (size_t)k * (size_t)solver->shape->unknown_count;
    if (is_transposed) {
      solve_transposed(solver, one, twist, size);
    } else {
      solve(solver, one, twist, size);
    }
  }
}

static void dispatch(MbsTreeSolver *solver, int count, mbs_scalar *b, bool is_transposed) {
  bool is_full = solver->levels == 3;
  if (solver->shape->twist == 3) {
    solve_all(solver, count, b, is_transposed, 3, is_full ? 9 : 3);
  } else if (is_full) {
    solve_all(solver, count, b, is_transposed, 6, 18);
  } else {
    solve_all(solver, count, b, is_transposed, 6, 6);
  }
}

void mbs_tree_solver_solve(MbsTreeSolver *solver, int count, mbs_scalar *b) { dispatch(solver, count, b, false); }

void mbs_tree_solver_solve_transposed(MbsTreeSolver *solver, int count, mbs_scalar *b) {
  dispatch(solver, count, b, true);
}

double mbs_tree_solver_quality(const MbsTreeSolver *solver) { return solver->quality; }
