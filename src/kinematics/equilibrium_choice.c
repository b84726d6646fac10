// Which coordinates an equilibrium determines, and by which equations: see equilibrium.h.
//
// J, measured with the masses (entries 1/s^2), is eliminated with pivots taken from all that is left, until nothing but
// rounding is: columns without a pivot are motions that change no force. Of about equal pivots the last one is taken,
// on the diagonal if it can be, so that of bodies that may move together the first one is held.
#include <math.h>

#include "kinematics/equilibrium.h"

// 1/s^2: what is slower than days is no motion
static const double rank_tolerance = 1e-10, least_entry = 1e-9, about_equal = 0.7;

// m_i^-1/2 J_ij m_j^-1/2, zero where a coordinate is held
static double fill(const MbsInitial *initial) {
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  int d = equilibrium->count;
  double heaviest = 0, largest = 0;
  for (int i = 0; i < d; ++i) {
    heaviest = fmax(heaviest, equilibrium->mass[i]);  // real
  }
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < d; ++j) {
      double mass_i = equilibrium->mass[i] > 1e-12 * heaviest ? equilibrium->mass[i] : heaviest;
      double mass_j = equilibrium->mass[j] > 1e-12 * heaviest ? equilibrium->mass[j] : heaviest;
      double entry = equilibrium->is_given[j] ? 0 : mbs_re(equilibrium->J[i * d + j]) / sqrt(mass_i * mass_j);  // real
      equilibrium->matrix[i * d + j] = entry;
      largest = fmax(largest, fabs(entry));  // real
    }
  }
  return largest;
}

// the pivot of what is left; false: it is rounding
static bool find_pivot(const MbsEquilibrium *equilibrium, const bool *is_row_taken, double least, int *row,
                       int *column) {
  int d = equilibrium->count;
  double most = least, best = -1;
  for (int i = 0; i < d * d; ++i) {
    if (!is_row_taken[i / d] && !equilibrium->is_free[i % d]) {
      most = fmax(most, fabs(equilibrium->matrix[i]));  // real
    }
  }
  for (int j = d - 1; j >= 0; --j) {
    for (int i = d - 1; i >= 0; --i) {
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
  int d = equilibrium->count, row = 0, column = 0;
  double least = fmax(rank_tolerance * fill(initial), least_entry);  // real
  bool *is_row_taken = equilibrium->is_taken;
  for (int i = 0; i < d; ++i) {
    equilibrium->is_free[i] = is_row_taken[i] = false;
  }
  equilibrium->free_count = 0;
  while (find_pivot(equilibrium, is_row_taken, least, &row, &column)) {
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
