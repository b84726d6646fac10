#include "algebra/rank.h"

#include <math.h>

MbsStatus mbs_rank_create(MbsContext *context, MbsArena *arena, int columns, MbsRank **result) {
  MbsRank *rank;
  MBS_TAKE(context, arena, rank, 1);
  MBS_TAKE(context, arena, rank->basis, (size_t)(columns + 1) * (size_t)columns);
  rank->columns = columns;
  *result = rank;
  return MBS_OK;
}

static double norm(int n, const double *v) {
  double square = 0;
  for (int i = 0; i < n; ++i) {
    square += v[i] * v[i];
  }
  return sqrt(square);  // real
}

bool mbs_rank_take(MbsRank *rank, const double *row, double tolerance) {
  int n = rank->columns;
  double length = norm(n, row);
  if (!(length > 0) || rank->rank == n) {
    return false;
  }
  double *v = &rank->basis[(size_t)rank->rank * (size_t)n];
  for (int i = 0; i < n; ++i) {
    v[i] = row[i] / length;
  }
  // twice is enough
  for (int pass = 0; pass < 2; ++pass) {
    for (int k = 0; k < rank->rank; ++k) {
      const double *q = &rank->basis[(size_t)k * (size_t)n];
      double dot = 0;
      for (int i = 0; i < n; ++i) {
        dot += q[i] * v[i];
      }
      for (int i = 0; i < n; ++i) {
        v[i] -= dot * q[i];
      }
    }
    double rest = norm(n, v);
    if (pass == 0 && !(rest > tolerance)) {
      return false;
    }
    for (int i = 0; i < n; ++i) {
      v[i] /= rest;
    }
  }
  rank->rank += 1;
  return true;
}

int mbs_rank_free_coordinate(const MbsRank *rank, double tolerance) {
  int best = -1;
  double largest = tolerance * tolerance;
  for (int i = 0; i < rank->columns; ++i) {
    double rest = 1;
    for (int k = 0; k < rank->rank; ++k) {
      double q = rank->basis[(size_t)k * (size_t)rank->columns + (size_t)i];
      rest -= q * q;
    }
    if (rest > largest * (1 + 1e-9)) {
      largest = rest;
      best = i;
    }
  }
  return best;
}
