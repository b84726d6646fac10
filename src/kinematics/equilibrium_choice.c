// Which coordinates an equilibrium determines, and by which equations: see equilibrium.h.
//
// J, measured with the masses (entries 1/s^2), is eliminated with pivots taken from all that is left, until nothing but
// rounding is: columns without a pivot are motions that change no force. Of about equal pivots the last one is taken,
// on the diagonal if it can be, so that of bodies that may move together the first one is held.
#include <math.h>

#include "kinematics/equilibrium.h"

// 1/s^2: what is slower than days is no motion
static const double rank_tolerance = 1e-10, least_entry = 1e-9, about_equal = 0.7;

// of a state, a condition or what is solved for: in units of its own
static bool has_own_unit(const MbsInitial *initial, int unknown) {
  return unknown >= initial->equilibrium->count || initial->set.independents[unknown].is_state;
}

// m_i^-1/2 J_ij m_j^-1/2, zero where a coordinate is held; returns the largest of what has no units of its own
static double fill(const MbsInitial *initial) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  int d = equilibrium->count, stride = equilibrium->unknown_count;
  double heaviest = 0, largest = 0;
  for (int i = 0; i < d; ++i) {
    heaviest = fmax(heaviest, equilibrium->mass[i]);  // real
  }
  for (int i = 0; i < stride * stride; ++i) {
    int row = i / stride, column = i % stride;
    double mass_i = row < d && equilibrium->mass[row] > 1e-12 * heaviest ? equilibrium->mass[row] : heaviest;
    double mass_j = column < d && equilibrium->mass[column] > 1e-12 * heaviest ? equilibrium->mass[column] : heaviest;
    bool is_held = column < d && equilibrium->is_given[column];
    double by = (row < d ? sqrt(mass_i) : 1) * (column < d ? sqrt(mass_j) : 1);  // real
    equilibrium->matrix[i] = is_held ? 0 : mbs_re(equilibrium->J[i]) / by;
    if (!has_own_unit(initial, row) && !has_own_unit(initial, column)) {
      largest = fmax(largest, fabs(equilibrium->matrix[i]));  // real
    }
  }
  return largest;
}

// Where rows and columns have units of their own the largest entry of each becomes that of the rest.
static void scale_units(const MbsInitial *initial, double largest) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  int stride = equilibrium->unknown_count;
  for (int pass = 0; pass < 3; ++pass) {
    for (int k = 0; k < stride; ++k) {
      for (int is_column = 0; is_column < 2 && has_own_unit(initial, k); ++is_column) {
        int first = is_column ? k : k * stride, step = is_column ? stride : 1;
        double most = 0;
        for (int i = 0; i < stride; ++i) {
          most = fmax(most, fabs(equilibrium->matrix[first + i * step]));  // real
        }
        for (int i = 0; i < stride && most > 0; ++i) {
          equilibrium->matrix[first + i * step] *= largest / most;
        }
      }
    }
  }
}

// of what is left: conditions come first, then what is solved for, which must all have a pivot
typedef enum Stage { CONDITIONS, SOLVED, COORDINATES, STAGES } Stage;

// the pivot of what is left; false: it is rounding
static bool find_pivot(const MbsEquilibrium *equilibrium, Stage stage, const bool *is_row_taken, double least, int *row,
                       int *column) {
  int d = equilibrium->unknown_count, first_row = stage == CONDITIONS ? equilibrium->count : 0;
  int first_column = stage == SOLVED ? equilibrium->count : 0;
  double most = least, best = -1;
  for (int i = 0; i < d * d; ++i) {
    if (!is_row_taken[i / d] && !equilibrium->is_free[i % d] && i / d >= first_row && i % d >= first_column) {
      most = fmax(most, fabs(equilibrium->matrix[i]));  // real
    }
  }
  for (int j = d - 1; j >= first_column; --j) {
    for (int i = d - 1; i >= first_row; --i) {
      double size = fabs(equilibrium->matrix[i * d + j]);  // real
      bool is_candidate = !is_row_taken[i] && !equilibrium->is_free[j] && size > least && size >= about_equal * most;
      double rating = i == j ? 2 : 1;
      if (is_candidate && rating > best) {
        best = rating;
        *row = i;
        *column = j;
      }
    }
  }
  return best > 0;
}

void mbs_equilibrium_choose(const MbsInitial *initial) {
  MbsEquilibrium *equilibrium = initial->equilibrium;
  int d = equilibrium->unknown_count, row = 0, column = 0;
  double found = fill(initial), largest = found > 0 ? found : 1;
  double least = fmax(rank_tolerance * largest, least_entry);  // real
  bool *is_row_taken = equilibrium->is_taken;
  scale_units(initial, largest);
  for (int i = 0; i < d; ++i) {
    equilibrium->is_free[i] = is_row_taken[i] = false;
  }
  equilibrium->free_count = 0;
  for (Stage stage = equilibrium->solved_count > 0 ? CONDITIONS : COORDINATES; stage < STAGES; ++stage) {
    while (find_pivot(equilibrium, stage, is_row_taken, least, &row, &column)) {
      double *matrix = equilibrium->matrix;
      equilibrium->free[equilibrium->free_count] = column;
      equilibrium->rows[equilibrium->free_count++] = row;
      equilibrium->is_free[column] = is_row_taken[row] = true;
      for (int i = 0; i < d; ++i) {
        double factor = is_row_taken[i] ? 0 : matrix[i * d + column] / matrix[row * d + column];
        for (int j = 0; j < d && fabs(factor) > 0; ++j) {  // real
          matrix[i * d + j] -= factor * matrix[row * d + j];
        }
      }
    }
  }
}

int mbs_equilibrium_find_idle(const MbsInitial *initial, bool *is_condition) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  for (int i = 0; i < equilibrium->solved_count; ++i) {
    *is_condition = !equilibrium->is_taken[equilibrium->count + i];
    if (*is_condition || !equilibrium->is_free[equilibrium->count + i]) {
      return i;
    }
  }
  return -1;
}
