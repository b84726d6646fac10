// Sparse patterns, the sparse solver and the rank of rows. Compiled for both scalars: in the complex build matrices and
// right-hand sides have imaginary parts of any size.
#include "algebra/rank.h"
#include "algebra/sparse_solver.h"
#include "support.h"

static MbsContext *context;
static MbsArena *arena;
static uint64_t seed = 7;

static mbs_scalar random_scalar(void) {
  double re = random_number(&seed), im = random_number(&seed);
  return mbs_complex(re, im);
}

static double magnitude(mbs_scalar x) { return hypot(mbs_re(x), mbs_im(x)); }

// ---- pattern ----
static void check_pattern(void) {
  enum { SIZE = 9, ENTRIES = 60 };
  bool is_there[SIZE][SIZE] = {{false}};
  MbsPatternBuilder *builder;
  MbsPattern pattern;
  ENSURE_OK(context, mbs_pattern_begin(context, arena, SIZE, &builder));
  for (int e = 0; e < ENTRIES; ++e) {  // some twice, some outside
    int row = (int)floor((random_number(&seed) + 1) * 6) - 1, column = (int)floor((random_number(&seed) + 1) * 6) - 1;
    ENSURE_OK(context, mbs_pattern_add(context, builder, row, column));
    if (row >= 0 && row < SIZE && column >= 0 && column < SIZE) {
      is_there[row][column] = true;
    }
  }
  ENSURE_OK(context, mbs_pattern_finish(context, builder, &pattern));
  int count = 0;
  ENSURE(pattern.size == SIZE && pattern.column_start[0] == 0);
  for (int column = 0; column < SIZE; ++column) {
    int next = pattern.column_start[column];
    for (int row = 0; row < SIZE; ++row) {
      if (is_there[row][column]) {  // rows ascend and none is missing
        ENSURE(pattern.row[next] == row);
        ENSURE(mbs_pattern_position(&pattern, row, column) == next);
        next += 1;
        count += 1;
      }
    }
    ENSURE(pattern.column_start[column + 1] == next);
  }
  ENSURE(count > 20 && count < SIZE * SIZE && pattern.entry_count == count);
  ENSURE(mbs_pattern_position(&pattern, -1, 3) == count);  // the bin
  ENSURE(mbs_pattern_position(&pattern, 3, SIZE) == count);
}

static void check_empty_pattern(void) {
  MbsPatternBuilder *builder;
  MbsPattern pattern;
  MbsSparseSolver *solver;
  ENSURE_OK(context, mbs_pattern_begin(context, arena, 0, &builder));
  ENSURE_OK(context, mbs_pattern_finish(context, builder, &pattern));
  ENSURE(pattern.size == 0 && pattern.entry_count == 0);
  ENSURE_OK(context, mbs_sparse_solver_create(context, arena, &pattern, &solver));
  ENSURE(mbs_sparse_solver_factor(solver, NULL));
  mbs_sparse_solver_solve(solver, 1, NULL);
  mbs_sparse_solver_destroy(solver);
}

// ---- solver ----
// a banded matrix with far entries and no diagonal in its last third, like a saddle matrix
enum { N = 24, RIGHT = 3 };

static void make_pattern(MbsPattern *pattern) {
  MbsPatternBuilder *builder;
  ENSURE_OK(context, mbs_pattern_begin(context, arena, N, &builder));
  for (int i = 0; i < N; ++i) {
    if (i < 2 * N / 3) {
      ENSURE_OK(context, mbs_pattern_add(context, builder, i, i));
      ENSURE_OK(context, mbs_pattern_add(context, builder, i, (i + 1) % (2 * N / 3)));
    } else {
      for (int k = 0; k < 2; ++k) {
        int other = (2 * (i - 2 * N / 3) + k) % (2 * N / 3);
        ENSURE_OK(context, mbs_pattern_add(context, builder, i, other));
        ENSURE_OK(context, mbs_pattern_add(context, builder, other, i));
      }
    }
  }
  ENSURE_OK(context, mbs_pattern_finish(context, builder, pattern));
}

// largest |A x - b| (or A' x - b: transposed, not conjugated)
static double residual(const MbsPattern *pattern, const mbs_scalar *values, bool transposed, const mbs_scalar *x,
                       const mbs_scalar *b) {
  mbs_scalar r[N];
  double largest = 0;
  for (int i = 0; i < N; ++i) {
    r[i] = -b[i];
  }
  for (int column = 0; column < N; ++column) {
    for (int k = pattern->column_start[column]; k < pattern->column_start[column + 1]; ++k) {
      int row = pattern->row[k];
      r[transposed ? column : row] += values[k] * x[transposed ? row : column];
    }
  }
  for (int i = 0; i < N; ++i) {
    largest = fmax(largest, magnitude(r[i]));
  }
  return largest;
}

static void check_solver(void) {
  MbsPattern pattern;
  MbsSparseSolver *solver;
  make_pattern(&pattern);
  ENSURE_OK(context, mbs_sparse_solver_create(context, arena, &pattern, &solver));
  mbs_scalar *values = mbs_arena_take(arena, (size_t)pattern.entry_count + 1, sizeof *values);
  mbs_scalar b[RIGHT * N], x[RIGHT * N];
  for (int round = 0; round < 20; ++round) {  // the first chooses pivots, the others keep them or choose anew
    for (int k = 0; k < pattern.entry_count; ++k) {
      values[k] = random_scalar();
    }
    ENSURE(mbs_sparse_solver_factor(solver, values));
    ENSURE(mbs_sparse_solver_quality(solver) > 0);
    for (int transposed = 0; transposed < 2; ++transposed) {
      double size = 0;
      for (int i = 0; i < RIGHT * N; ++i) {
        x[i] = b[i] = random_scalar();
      }
      (transposed ? mbs_sparse_solver_solve_transposed : mbs_sparse_solver_solve)(solver, RIGHT, x);
      for (int i = 0; i < RIGHT * N; ++i) {
        size = fmax(size, magnitude(x[i]));
      }
      for (int k = 0; k < RIGHT; ++k) {
        // backward stable but for the growth of kept pivots, of which 1e6 is allowed
        ENSURE_NEAR(residual(&pattern, values, transposed, x + k * N, b + k * N), 0, 1e-9 * (1 + size));
      }
    }
  }
  for (int k = 0; k < pattern.entry_count; ++k) {
    values[k] = 0;
  }
  ENSURE(!mbs_sparse_solver_factor(solver, values));
  mbs_sparse_solver_destroy(solver);
}

// [a 1; 1 1] with the pivot a of the first time gone: new pivots are found, and the old ones are not in the way after
static void check_vanishing_pivot(void) {
  MbsPatternBuilder *builder;
  MbsPattern pattern;
  MbsSparseSolver *solver;
  ENSURE_OK(context, mbs_pattern_begin(context, arena, 2, &builder));
  for (int i = 0; i < 4; ++i) {
    ENSURE_OK(context, mbs_pattern_add(context, builder, i / 2, i % 2));
  }
  ENSURE_OK(context, mbs_pattern_finish(context, builder, &pattern));
  ENSURE_OK(context, mbs_sparse_solver_create(context, arena, &pattern, &solver));
  static const double pivots[] = {3, 1e-9, 0, 1e-20, 2, -1e-30};
  for (int i = 0; i < 6; ++i) {
    mbs_scalar values[5] = {pivots[i], 1, 1, 1, 0}, x[] = {1, 2};
    ENSURE(mbs_sparse_solver_factor(solver, values));
    mbs_sparse_solver_solve(solver, 1, x);
    // x = (1, 2 - p)/(1 - p)... by hand: p x + y = 1, x + y = 2
    double p = pivots[i], expected = 1 / (1 - p);
    ENSURE_NEAR(mbs_re(x[0]), expected, 1e-12);
    ENSURE_NEAR(mbs_re(x[1]), 2 - expected, 1e-12);
  }
  mbs_scalar singular[5] = {1, 1, 1, 1, 0};
  bool is_factored = mbs_sparse_solver_factor(solver, singular);
  ENSURE(!is_factored || mbs_sparse_solver_quality(solver) < 1e-15);
  mbs_sparse_solver_destroy(solver);
}

static void check_structurally_singular(void) {
  MbsPatternBuilder *builder;
  MbsPattern pattern;
  MbsSparseSolver *solver;
  ENSURE_OK(context, mbs_pattern_begin(context, arena, 3, &builder));
  for (int i = 0; i < 3; ++i) {  // column 1 is empty
    ENSURE_OK(context, mbs_pattern_add(context, builder, i, 0));
    ENSURE_OK(context, mbs_pattern_add(context, builder, i, 2));
  }
  ENSURE_OK(context, mbs_pattern_finish(context, builder, &pattern));
  ENSURE_OK(context, mbs_sparse_solver_create(context, arena, &pattern, &solver));
  mbs_scalar values[7] = {1, 2, 3, 4, 5, 7, 0};
  ENSURE(!mbs_sparse_solver_factor(solver, values));
  mbs_sparse_solver_destroy(solver);
}

// ---- rank ----
static void check_rank(void) {
  const double tolerance = 1e-8;
  static const double rows[][4] = {{1, 2, 0, 0},     {0, 1e-3, 1e-3, 0}, {2, 4, 0, 0}, {1, 3, 1, 0},
                                   {1, 2, 1e-12, 0}, {0, 0, 0, 0},       {1, 0, 0, 1}};
  static const bool is_new[] = {true, true, false, false, false, false, true};
  MbsRank *rank;
  ENSURE_OK(context, mbs_rank_create(context, arena, 4, &rank));
  for (int i = 0; i < 7; ++i) {
    ENSURE(mbs_rank_take(rank, rows[i], tolerance) == is_new[i]);
  }
  ENSURE(rank->rank == 3);
  // the coordinate that completes them adds a direction; then they span all
  int free_one = mbs_rank_free_coordinate(rank, tolerance);
  ENSURE(free_one >= 0 && free_one < 4);
  double unit[4] = {0};
  unit[free_one] = 1;
  ENSURE(mbs_rank_take(rank, unit, tolerance));
  ENSURE(mbs_rank_free_coordinate(rank, tolerance) == -1);
  ENSURE(!mbs_rank_take(rank, rows[6], tolerance));
  for (int i = 0; i < 4; ++i) {  // orthonormal
    for (int k = 0; k < 4; ++k) {
      double dot = 0;
      for (int j = 0; j < 4; ++j) {
        dot += rank->basis[4 * i + j] * rank->basis[4 * k + j];
      }
      ENSURE_NEAR(dot, i == k ? 1 : 0, 1e-14);
    }
  }
}

int main(void) {
  MbsContext own = {.status = MBS_OK};
  context = &own;
  arena = mbs_arena_create();
  ENSURE(arena);
  check_pattern();
  check_empty_pattern();
  check_solver();
  check_vanishing_pivot();
  check_structurally_singular();
  check_rank();
  mbs_arena_destroy(arena);
  return 0;
}
