#include "integrators/refinement.h"

enum { MOST_REFINEMENTS = 40 };

typedef void (*Solve)(MbsSparseSolver *solver, int count, mbs_scalar *b);

MbsStatus mbs_refinement_create(MbsContext *context, const MbsSystem *system, int blocks, const MbsPattern *pattern,
                                MbsSparseSolver *solver, MbsRefinement *refinement) {
  int block = system->n + system->m;
  size_t size = (size_t)blocks * (size_t)block;
  *refinement = (MbsRefinement){.system = system, .solver = solver, .blocks = blocks, .is_relaxed = true};
  MBS_TAKE(context, system->arena, refinement->epsilon, system->m);
  MBS_TAKE(context, system->arena, refinement->diagonal, blocks * system->m);
  for (int i = 0; i < blocks * system->m; ++i) {
    int row = i / system->m * block + system->n + i % system->m;
    refinement->diagonal[i] = mbs_pattern_position(pattern, row, row);
  }
  MBS_TRY(mbs_pattern_status(context, pattern));
  MBS_TAKE(context, system->arena, refinement->change,
           size * (size_t)(system->carried_count > 0 ? system->carried_count : 1));
  return MBS_OK;
}

// The ratio of pivots varies by small factors over a run and falls with the square of the distance from a position
// where rows become dependent: far below the best, S is better relaxed.
static bool is_sound(MbsRefinement *refinement) {
  double quality = mbs_sparse_solver_quality(refinement->solver);
  refinement->best_quality = quality > refinement->best_quality ? quality : refinement->best_quality;
  return quality > 1e-6 * refinement->best_quality;
}

bool mbs_refinement_factor(MbsRefinement *refinement, mbs_scalar *values) {
  const MbsSystem *system = refinement->system;
  refinement->is_relaxed = false;
  bool is_factored = mbs_sparse_solver_factor(refinement->solver, values);
  if (is_factored && is_sound(refinement)) {
    return true;
  }
  for (int i = 0; i < refinement->blocks * system->m; ++i) {
    double epsilon = refinement->epsilon[i % system->m];
    values[refinement->diagonal[i]] -= epsilon;
    refinement->is_relaxed = refinement->is_relaxed || epsilon > 0;
  }
  return refinement->is_relaxed ? mbs_sparse_solver_factor(refinement->solver, values) : is_factored;
}

// the largest of the first n of each block: redundant rows leave the others open
static double largest(const MbsSystem *system, int count, const mbs_scalar *z) {
  double most = 0;
  for (int k = 0; k < count; ++k, z += system->n + system->m) {
    for (int i = 0; i < system->n; ++i) {
      double magnitude = mbs_re(mbs_abs(z[i]));
      most = magnitude > most ? magnitude : most;
    }
  }
  return most;
}

// Is what is still to come rounding? Changes shrink by a constant factor, the next one is about change^2 / before; that
// is trusted once the change is small itself, for a slow part may hide behind a large fast one.
static bool is_last(double before, double change, double sum) {
  return !(change > 1e-16 * sum) || (change <= 1e-9 * sum && change * change <= 1e-17 * sum * before);
}

static void refine(const MbsRefinement *refinement, Solve solve, int count, mbs_scalar *sum) {
  const MbsSystem *system = refinement->system;
  int n = system->n, size = n + system->m, blocks = count * refinement->blocks;
  mbs_scalar *change = refinement->change;
  solve(refinement->solver, count, sum);
  if (!refinement->is_relaxed) {
    return;
  }
  for (int i = 0; i < blocks * size; ++i) {
    change[i] = sum[i];
  }
  double before = largest(system, blocks, sum), now = before;
  for (int k = 0; k < MOST_REFINEMENTS && (k == 0 || !is_last(before, now, largest(system, blocks, sum))); ++k) {
    for (int b = 0; b < blocks; ++b) {
      mbs_scalar *z = change + b * size;
      for (int i = 0; i < size; ++i) {
        z[i] = i < n ? 0 : -refinement->epsilon[i - n] * z[i];
      }
    }
    solve(refinement->solver, count, change);
    for (int i = 0; i < blocks * size; ++i) {
      sum[i] += change[i];
    }
    before = now;
    now = largest(system, blocks, change);
  }
}

void mbs_refine(const MbsRefinement *refinement, int count, mbs_scalar *b) {
  refine(refinement, mbs_sparse_solver_solve, count, b);
}

void mbs_refine_transposed(const MbsRefinement *refinement, mbs_scalar *b) {
  refine(refinement, mbs_sparse_solver_solve_transposed, 1, b);
}
