// Sparse patterns, the sparse solver and the rank of rows. Compiled for both scalars: in the complex build matrices and
// right-hand sides have imaginary parts of any size.
#include "algebra/complement.h"
#include "algebra/saddle.h"
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

// |A| |A^-1| in the 1-norm, of a matrix that is nearly singular
static void check_condition(void) {
  MbsPatternBuilder *builder;
  MbsPattern pattern;
  MbsSparseSolver *solver;
  ENSURE_OK(context, mbs_pattern_begin(context, arena, 2, &builder));
  for (int i = 0; i < 4; ++i) {
    ENSURE_OK(context, mbs_pattern_add(context, builder, i / 2, i % 2));
  }
  ENSURE_OK(context, mbs_pattern_finish(context, builder, &pattern));
  ENSURE_OK(context, mbs_sparse_solver_create(context, arena, &pattern, &solver));
  double off = 1e-6;
  mbs_scalar values[5] = {1, 1, 1, 1 + off, 0};
  ENSURE(mbs_sparse_solver_factor(solver, values));
  double expected = (2 + off) * (2 + off) / off;
  ENSURE_NEAR(mbs_sparse_solver_condition(solver, values), expected, 1e-9 * expected);
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
// a dense row as a sparse one; returns how many entries it has
static int sparse(int size, const double *row, int *columns, double *values) {
  int count = 0;
  for (int i = 0; i < size; ++i) {
    if (row[i] != 0) {
      columns[count] = i;
      values[count++] = row[i];
    }
  }
  return count;
}

static bool take(MbsRank *rank, int size, const double *row) {
  int columns[40];
  double values[40];
  bool is_new;
  int count = sparse(size, row, columns, values);
  ENSURE_OK(context, mbs_rank_take(context, rank, count, columns, values, 1e-8, &is_new));
  return is_new;
}

static void check_rank(void) {
  static const double rows[][4] = {{1, 2, 0, 0},     {0, 1e-3, 1e-3, 0}, {2, 4, 0, 0}, {1, 3, 1, 0},
                                   {1, 2, 1e-12, 0}, {0, 0, 0, 0},       {1, 0, 0, 1}};
  static const bool is_new[] = {true, true, false, false, false, false, true};
  MbsRank *rank;
  ENSURE_OK(context, mbs_rank_create(context, arena, 4, &rank));
  for (int i = 0; i < 7; ++i) {
    ENSURE(take(rank, 4, rows[i]) == is_new[i]);
  }
  // the column without a pivot completes them; then they span all
  double unit[4] = {0};
  int unused = 0;
  for (int i = 0; i < 4; ++i) {
    unit[i] = mbs_rank_is_pivot(rank, i) ? 0 : 1;
    unused += !mbs_rank_is_pivot(rank, i);
  }
  ENSURE(unused == 1);
  ENSURE(take(rank, 4, unit));
  ENSURE(!take(rank, 4, rows[6]));
}

// Gram and Schmidt, dense: the reference of the two below. basis: orthonormal rows. Returns whether the row was new.
static bool orthogonalise(int size, int *count, double basis[][40], const double *row) {
  double v[40], length = 0;
  for (int i = 0; i < size; ++i) {
    length = hypot(length, row[i]);
    v[i] = row[i];
  }
  double rest = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int k = 0; k < *count; ++k) {
      double dot = 0;
      for (int i = 0; i < size; ++i) {
        dot += basis[k][i] * v[i];
      }
      for (int i = 0; i < size; ++i) {
        v[i] -= dot * basis[k][i];
      }
    }
    rest = 0;
    for (int i = 0; i < size; ++i) {
      rest = hypot(rest, v[i]);
    }
    if (!(rest > 1e-8 * length)) {
      return false;
    }
  }
  for (int i = 0; i < size; ++i) {
    basis[*count][i] = v[i] / rest;
  }
  *count += 1;
  return true;
}

static int farthest(int size, int count, double basis[][40]) {
  int best = -1;
  double largest = 0;
  for (int i = 0; i < size; ++i) {
    double rest = 1;
    for (int k = 0; k < count; ++k) {
      rest -= basis[k][i] * basis[k][i];
    }
    if (rest > largest * (1 + 1e-9)) {
      largest = rest;
      best = i;
    }
  }
  return best;
}

// sparse random rows, every third a combination of two before it: the same ones are new as with Gram and Schmidt, and
// the same coordinates complete them
static void check_against_dense(void) {
  enum { SIZE = 40, ROWS = 36 };
  static double basis[SIZE][40], rows[ROWS][SIZE];
  for (int trial = 0; trial < 20; ++trial) {
    int count = 0, entries = 0, start[ROWS + 1] = {0}, columns[ROWS * SIZE], chosen[SIZE];
    double values[ROWS * SIZE];
    MbsRank *rank;
    ENSURE_OK(context, mbs_rank_create(context, arena, SIZE, &rank));
    for (int r = 0; r < ROWS; ++r) {
      for (int i = 0; i < SIZE; ++i) {
        rows[r][i] = r % 3 == 2                   ? 3 * rows[r - 1][i] - rows[r / 2][i]
                     : random_number(&seed) > 0.8 ? random_number(&seed)
                                                  : 0;
      }
      mbs_rank_announce(rank, sparse(SIZE, rows[r], columns, values), columns);
    }
    for (int r = 0; r < ROWS; ++r) {
      bool is_new = orthogonalise(SIZE, &count, basis, rows[r]);
      ENSURE(take(rank, SIZE, rows[r]) == is_new);
      if (is_new) {
        entries += sparse(SIZE, rows[r], columns + entries, values + entries);
        start[count] = entries;
      }
    }
    ENSURE(count >= 20 && count < 30);
    MbsSparseRows independent = {
        .row_count = count, .column_count = SIZE, .start = start, .column = columns, .value = values};
    ENSURE_OK(context, mbs_complement_choose(context, &independent, rank, chosen));
    for (int f = 0; f < SIZE - independent.row_count; ++f) {
      double unit[SIZE] = {0};
      ENSURE(chosen[f] == farthest(SIZE, count, basis));
      unit[chosen[f]] = 1;
      ENSURE(orthogonalise(SIZE, &count, basis, unit));
    }
    ENSURE(count == SIZE);
  }
}

// a chain with so many freedoms that the best choice would take long: the columns without a pivot, which complete it
// too
static void check_many_freedoms(void) {
  enum { SIZE = 4000, ROWS = SIZE / 2 };
  static int start[ROWS + 1], columns[3 * ROWS], chosen[SIZE];
  static double values[3 * ROWS];
  static const double one = 1;
  MbsSparseRows rows = {.row_count = ROWS, .column_count = SIZE, .start = start, .column = columns, .value = values};
  MbsRank *rank;
  bool is_new;
  ENSURE_OK(context, mbs_rank_create(context, arena, SIZE, &rank));
  for (int r = 0; r < ROWS; ++r) {
    for (int k = 0; k < 3; ++k) {
      columns[3 * r + k] = (2 * r + k) % SIZE;
      values[3 * r + k] = random_number(&seed);
    }
    start[r + 1] = 3 * (r + 1);
    mbs_rank_announce(rank, 3, columns + 3 * r);
  }
  for (int r = 0; r < ROWS; ++r) {
    ENSURE_OK(context, mbs_rank_take(context, rank, 3, columns + 3 * r, values + 3 * r, 1e-8, &is_new));
    ENSURE(is_new);
  }
  ENSURE_OK(context, mbs_complement_choose(context, &rows, rank, chosen));
  for (int f = 0; f < SIZE - ROWS; ++f) {
    ENSURE(!mbs_rank_is_pivot(rank, chosen[f]));
    ENSURE_OK(context, mbs_rank_take(context, rank, 1, &chosen[f], &one, 1e-8, &is_new));
    ENSURE(is_new);
  }
}

// ---- least squares ----
// x of the saddle system against its definitions: A x = 0 and b - x normal to x; (A'A + mu I) x = A' c
static void check_saddle(void) {
  enum { COLUMNS = 5, ROWS = 3 };
  static const int start[] = {0, 2, 5, 7}, columns[] = {0, 3, 1, 2, 4, 0, 4};
  double values[] = {1, -0.5, 0.3, 2, 1, 0.7, -1.5}, b[COLUMNS], c[ROWS], x[COLUMNS], step[COLUMNS];
  double mu = 0.3, along[ROWS] = {0}, dot = 0;
  MbsSparseRows rows = {.row_count = ROWS, .column_count = COLUMNS, .start = start, .column = columns, .value = values};
  MbsSaddle *saddle;
  ENSURE_OK(context, mbs_saddle_create(context, arena, &rows, &saddle));
  for (int i = 0; i < COLUMNS; ++i) {
    b[i] = random_number(&seed);
    c[i % ROWS] = random_number(&seed);
  }
  ENSURE(mbs_saddle_factor(saddle, 0));
  mbs_saddle_project(saddle, b, x);
  ENSURE(mbs_saddle_factor(saddle, mu));
  mbs_saddle_least_squares(saddle, c, step);
  for (int r = 0; r < ROWS; ++r) {
    double seen = 0;
    for (int k = start[r]; k < start[r + 1]; ++k) {
      seen += values[k] * x[columns[k]];
      along[r] += values[k] * step[columns[k]];
    }
    ENSURE_NEAR(seen, 0, 1e-14);
  }
  for (int i = 0; i < COLUMNS; ++i) {
    double sum = mu * step[i];
    for (int r = 0; r < ROWS; ++r) {
      for (int k = start[r]; k < start[r + 1]; ++k) {
        sum += columns[k] == i ? values[k] * (along[r] - c[r]) : 0;
      }
    }
    ENSURE_NEAR(sum, 0, 1e-14);
    dot += (b[i] - x[i]) * x[i];
  }
  ENSURE_NEAR(dot, 0, 1e-14);
  ENSURE(fabs(x[0]) > 1e-3 && fabs(step[0]) > 1e-3);
  mbs_saddle_destroy(saddle);
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
  check_condition();
  check_structurally_singular();
  check_rank();
  check_against_dense();
  check_many_freedoms();
  check_saddle();
  mbs_arena_destroy(arena);
  return 0;
}
