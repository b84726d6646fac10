// Elimination by a program against Gauss: matrices [T B'; B 0] of random patterns, two sets of values for each program,
// any number of right-hand sides, the matrix and its transpose; the lists against what they stand for; and what is
// refused: relaxed diagonals, singular matrices, too much work.
//
// Seen to fail: the pivot's inverse left out of L; U's rows taken for columns in the transpose; `drop` left out of
// eliminate; the diagonal's zeros kept as entries (products); the third right-hand side solved as the first.
#include <math.h>

#include "algebra/elimination.h"
#include "support.h"

static int checked;
static bool is_out;

enum { MOST = 40, MATRICES = 100, MOST_COLUMNS = 7 };

typedef struct Matrix {
  int size, rows;  // rows of B
  bool has[MOST][MOST];
  int column_start[MOST + 1], row[MOST * MOST];
  double values[MOST * MOST], full[MOST][MOST];
} Matrix;

static void make_pattern(Matrix *matrix, uint64_t *seed) {
  int n = 3 + (int)((random_number(seed) + 1) / 2 * 20), count = 0;
  *matrix = (Matrix){.rows = n / 2};
  matrix->size = n + matrix->rows;
  for (int i = 0; i < matrix->size; ++i) {
    matrix->has[i][i] = true;
    for (int k = 0; k < 2 && i < n; ++k) {
      int j = (int)((random_number(seed) + 1) / 2 * (n - 1));
      matrix->has[i][j] = matrix->has[j][i] = true;
    }
  }
  for (int i = n; i < matrix->size; ++i) {  // independent: each has a coordinate of its own
    int other = (int)((random_number(seed) + 1) / 2 * (n - 1));
    matrix->has[i][i - n] = matrix->has[i - n][i] = matrix->has[i][other] = matrix->has[other][i] = true;
  }
  for (int j = 0; j < matrix->size; ++j) {
    for (int i = 0; i < matrix->size; ++i) {
      matrix->row[count] = i;
      count += matrix->has[i][j];
    }
    matrix->column_start[j + 1] = count;
  }
}

static void fill(Matrix *matrix, uint64_t *seed) {
  int n = matrix->size - matrix->rows;
  for (int j = 0; j < matrix->size; ++j) {
    for (int k = matrix->column_start[j]; k < matrix->column_start[j + 1]; ++k) {
      int i = matrix->row[k];
      double value = random_number(seed);
      value = i >= n && i == j ? 0 : i == j || i + n == j || j + n == i ? 3 + value : value;
      matrix->values[k] = matrix->full[i][j] = value;
    }
  }
}

// b becomes A^-1 b, by rows that are exchanged
static void gauss(const Matrix *matrix, bool is_transposed, double *b) {
  int n = matrix->size;
  double a[MOST][MOST + 1];
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      a[i][j] = is_transposed ? matrix->full[j][i] : matrix->full[i][j];
    }
    a[i][n] = b[i];
  }
  for (int s = 0; s < n; ++s) {
    int best = s;
    for (int i = s; i < n; ++i) {
      best = fabs(a[i][s]) > fabs(a[best][s]) ? i : best;
    }
    for (int j = 0; j <= n; ++j) {
      double swapped = a[s][j];
      a[s][j] = a[best][j];
      a[best][j] = swapped;
    }
    for (int i = 0; i < n; ++i) {
      double part = i == s ? 0 : a[i][s] / a[s][s];
      for (int j = s; j <= n && i != s; ++j) {
        a[i][j] -= part * a[s][j];
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    b[i] = a[i][n] / a[i][i];
  }
}

static void check_solutions(const Matrix *matrix, MbsElimination *program, uint64_t *seed) {
  int n = matrix->size;
  for (int way = 0; way < 2; ++way) {
    for (int count = 1; count <= MOST_COLUMNS; ++count) {
      double b[MOST_COLUMNS * MOST], expected[MOST_COLUMNS * MOST];
      for (int i = 0; i < count * n; ++i) {
        b[i] = expected[i] = random_number(seed);
      }
      for (int c = 0; c < count; ++c) {
        gauss(matrix, way == 1, expected + c * n);
      }
      (way == 1 ? mbs_elimination_solve_transposed : mbs_elimination_solve)(program, count, b);
      double size = 0;
      for (int i = 0; i < count * n; ++i) {
        size = fmax(size, fabs(expected[i]));
      }
      ENSURE(size > 0.1);
      for (int i = 0; i < count * n; ++i) {
        ENSURE_NEAR(b[i], expected[i], 1e-10 * size);
      }
    }
  }
}

// between the best of the inverse's columns and all of them: the estimate is a lower bound, and rarely far below
static void check_condition(const Matrix *matrix, MbsElimination *program) {
  int n = matrix->size;
  double norm = 0, inverse = 0;
  for (int j = 0; j < n; ++j) {
    double column[MOST] = {0}, sum = 0, own = 0;
    column[j] = 1;
    gauss(matrix, false, column);
    for (int i = 0; i < n; ++i) {
      sum += fabs(column[i]);
      own += fabs(matrix->full[i][j]);
    }
    norm = fmax(norm, own);
    inverse = fmax(inverse, sum);
  }
  double estimate = mbs_elimination_condition(program, matrix->values);
  ENSURE(estimate <= norm * inverse * (1 + 1e-10) && estimate >= 0.3 * norm * inverse);
}

static void check_matrix(uint64_t *seed) {
  Matrix matrix;
  make_pattern(&matrix, seed);
  fill(&matrix, seed);
  int n = matrix.size;
  MbsElimination *program = mbs_elimination_create(n, matrix.column_start, matrix.row, matrix.values, 1e6, &is_out);
  ENSURE(program);
  ENSURE(!mbs_elimination_create(n, matrix.column_start, matrix.row, matrix.values, -1, &is_out));
  for (int again = 0; again < 2; ++again) {
    ENSURE(mbs_elimination_accepts(program, matrix.values));
    ENSURE(mbs_elimination_factor(program, matrix.values));
    double quality = mbs_elimination_quality(program), growth = mbs_elimination_growth(program, matrix.values);
    ENSURE(quality > 0 && quality <= 1 && growth > 0 && growth <= 1.0000001);
    ENSURE(again > 0 || growth > 1e-4);
    if (growth > 1e-4) {  // pivots that suit other values may not suit these
      check_solutions(&matrix, program, seed);
      check_condition(&matrix, program);
      checked += 1;
    }
    fill(&matrix, seed);
  }
  int last = matrix.column_start[n] - 1;  // (m, m) of the zero block
  matrix.values[last] = -1e-9;
  ENSURE(matrix.row[last] == n - 1);
  bool has_place = mbs_elimination_accepts(program, matrix.values);  // where it has filled in
  matrix.full[n - 1][n - 1] = -1e-9;
  if (has_place && mbs_elimination_factor(program, matrix.values) &&
      mbs_elimination_growth(program, matrix.values) > 1e-4) {
    check_solutions(&matrix, program, seed);
  }
  mbs_elimination_destroy(program);
  for (int k = matrix.column_start[0]; k < matrix.column_start[1]; ++k) {
    matrix.values[k] = 0;
  }
  ENSURE(!mbs_elimination_create(n, matrix.column_start, matrix.row, matrix.values, 1e6, &is_out));
}

// An arrow [a 0 1; 0 a 1; 1 1 0]: its multiplier is a pivot at last, without products that its zero would ask for; a
// relaxation of it is refused or has a place, and a zero pivot is seen.
static void check_arrow(void) {
  const int start[] = {0, 2, 4, 7}, row[] = {0, 2, 1, 2, 0, 1, 2};
  double values[] = {2, 1, 4, 1, 1, 1, 0};
  MbsElimination *program = mbs_elimination_create(3, start, row, values, 10, &is_out);
  ENSURE(program && mbs_elimination_factor(program, values));
  double b[] = {1, 2, 3};  // 2 x + z = 1, 4 y + z = 2, x + y = 3
  mbs_elimination_solve(program, 1, b);
  ENSURE_NEAR(b[0], 11.0 / 6, 1e-14);
  ENSURE_NEAR(b[1], 7.0 / 6, 1e-14);
  ENSURE_NEAR(b[2], -8.0 / 3, 1e-14);
  double nothing[7] = {0};
  ENSURE(!mbs_elimination_factor(program, nothing));
  double bad[] = {(double)NAN, 1, 4, 1, 1, 1, 0};
  ENSURE(!mbs_elimination_factor(program, bad));
  mbs_elimination_destroy(program);
}

int main(void) {
  uint64_t seed = 7;
  for (int i = 0; i < MATRICES; ++i) {
    check_matrix(&seed);
  }
  ENSURE(checked > 3 * MATRICES / 2);
  check_arrow();
  ENSURE(!is_out);
  return 0;
}
