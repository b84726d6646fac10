#include "algebra/complement.h"

#include <math.h>

#include "algebra/saddle.h"

typedef struct Complement {
  int n, freedom;
  MbsSaddle *saddle;
  double *rest;   // n: diagonal of P, what remains of each unit vector
  double *taken;  // freedom x n: the vectors c
} Complement;

// column i of the first P; projecting twice removes what rounding leaves of the rows
static void project_unit(const Complement *c, int i, double *column) {
  for (int k = 0; k < c->n; ++k) {
    column[k] = k == i ? 1 : 0;
  }
  mbs_saddle_project(c->saddle, column, column);
  mbs_saddle_project(c->saddle, column, column);
}

// the largest rest; of equal ones (but for rounding) the first
static int farthest(const Complement *c) {
  int best = 0;
  for (int i = 1; i < c->n; ++i) {
    best = c->rest[i] > c->rest[best] * (1 + 1e-9) ? i : best;
  }
  return best;
}

static void choose(const Complement *c, int *chosen) {
  for (int i = 0; i < c->n; ++i) {
    project_unit(c, i, c->taken);
    c->rest[i] = c->taken[i];
  }
  for (int f = 0; f < c->freedom; ++f) {
    int i = farthest(c);
    double *column = c->taken + (size_t)f * (size_t)c->n;
    chosen[f] = i;
    project_unit(c, i, column);
    for (int k = 0; k < f; ++k) {
      const double *earlier = c->taken + (size_t)k * (size_t)c->n;
      double factor = earlier[i];
      for (int j = 0; j < c->n; ++j) {
        column[j] -= factor * earlier[j];
      }
    }
    double length = sqrt(c->rest[i]);  // real
    for (int j = 0; j < c->n; ++j) {
      column[j] /= length;
      c->rest[j] -= column[j] * column[j];
    }
    c->rest[i] = 0;
  }
}

// the columns elimination found no pivot in: they complete the rows too, only not as well
static void choose_unused(int columns, const MbsRank *rank, int *chosen) {
  int count = 0;
  for (int i = 0; i < columns; ++i) {
    if (!mbs_rank_is_pivot(rank, i)) {
      chosen[count++] = i;
    }
  }
}

static MbsStatus prepare(MbsContext *context, MbsArena *arena, const MbsSparseRows *rows, Complement *c) {
  c->n = rows->column_count;
  c->freedom = c->n - rows->row_count;
  MBS_TAKE(context, arena, c->rest, c->n);
  MBS_TAKE(context, arena, c->taken, (size_t)c->freedom * (size_t)c->n);
  return mbs_saddle_create(context, arena, rows, &c->saddle);
}

// thousands of coordinates, or of freedoms, would take longer than the rest of the set-up: about so many seconds
static bool is_too_much(const MbsSparseRows *rows) {
  double n = rows->column_count, freedom = n - rows->row_count;
  const double solve = 4e-8, update = 5e-10, most = 3;
  return n * (solve * n + update * freedom * freedom) > most;
}

MbsStatus mbs_complement_choose(MbsContext *context, const MbsSparseRows *rows, const MbsRank *rank, int *chosen) {
  if (rows->column_count == rows->row_count) {
    return MBS_OK;
  }
  if (is_too_much(rows)) {
    choose_unused(rows->column_count, rank, chosen);
    return MBS_OK;
  }
  Complement c = {.n = 0};
  MbsArena *arena = mbs_arena_create_for(context);
  MbsStatus status =
      arena ? prepare(context, arena, rows, &c) : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  if (status == MBS_OK) {
    if (mbs_saddle_factor(c.saddle, 0)) {
      choose(&c, chosen);
    } else {
      choose_unused(c.n, rank, chosen);
    }
  }
  mbs_saddle_destroy(c.saddle);
  mbs_arena_destroy(arena);
  return status;
}
