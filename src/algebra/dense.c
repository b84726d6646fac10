#include "algebra/dense.h"

bool mbs_dense_factor(int n, mbs_scalar *J, int *pivot) {
  for (int k = 0; k < n; ++k) {
    pivot[k] = k;
    for (int i = k + 1; i < n; ++i) {
      pivot[k] = mbs_re(mbs_abs(J[i * n + k])) > mbs_re(mbs_abs(J[pivot[k] * n + k])) ? i : pivot[k];
    }
    for (int j = 0; j < n && pivot[k] != k; ++j) {
      mbs_scalar held = J[k * n + j];
      J[k * n + j] = J[pivot[k] * n + j];
      J[pivot[k] * n + j] = held;
    }
    if (!(mbs_re(mbs_abs(J[k * n + k])) > 0) || !mbs_is_finite(J[k * n + k])) {
      return false;
    }
    for (int i = k + 1; i < n; ++i) {
      J[i * n + k] /= J[k * n + k];
      for (int j = k + 1; j < n; ++j) {
        J[i * n + j] -= J[i * n + k] * J[k * n + j];
      }
    }
  }
  return true;
}

static void exchange(const int *pivot, int k, mbs_scalar *b) {
  mbs_scalar held = b[k];
  b[k] = b[pivot[k]];
  b[pivot[k]] = held;
}

// L U x = P b
void mbs_dense_solve(int n, const mbs_scalar *J, const int *pivot, mbs_scalar *b) {
  for (int k = 0; k < n; ++k) {
    exchange(pivot, k, b);
  }
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < k; ++i) {
      b[k] -= J[k * n + i] * b[i];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int i = k + 1; i < n; ++i) {
      b[k] -= J[k * n + i] * b[i];
    }
    b[k] /= J[k * n + k];
  }
}

// U' c = b, L' P x = c
void mbs_dense_solve_transposed(int n, const mbs_scalar *J, const int *pivot, mbs_scalar *b) {
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < k; ++i) {
      b[k] -= J[i * n + k] * b[i];
    }
    b[k] /= J[k * n + k];
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int i = k + 1; i < n; ++i) {
      b[k] -= J[i * n + k] * b[i];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    exchange(pivot, k, b);
  }
}
