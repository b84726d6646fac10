// Factors of Newton's matrix kept from step to step.
//
// The solution does not depend on the matrix, only how fast the iteration comes to it: a matrix of old that is off by
// dJ shrinks the residual by |J^-1 dJ| in each correction. What a step begins with is the matrix of a step before. It
// serves until it needs more corrections than are cheaper than another matrix; if it fails at once, the steps are too
// long for it, and it is not tried again for a while, each time twice as long. The matrix for the derivatives is
// another one, at the state that solves the equations: a run is the same to the last bit whether it is differentiated
// or not.
//
// It belongs to what a step depends on: a checkpoint has its values, from which the same factors come again.
#include <string.h>

#include "integrators/implicit.h"

enum { LONGEST_PAUSE = 32 };

// More corrections than with a new matrix that are worth keeping an old one: assembling and factoring costs as much as
// about two, residual and solution.
enum { WORTH = 1 };

#ifdef MBS_COMPLEX
static const bool may_keep = false;  // see newton.c
#else
static const bool may_keep = true;
#endif

MbsStatus mbs_kept_factors_create(MbsContext *context, const MbsImplicit *implicit, MbsInstant *instant) {
  const MbsSystem *system = implicit->formulation->system;
  instant->kept = (MbsKeptFactors){.pause = 1, .count = system->mode.factored.entry_count};
  if (may_keep && implicit->keeps_factors && instant == &implicit->own) {
    MBS_TAKE(context, system->arena, instant->kept.values, instant->kept.count);
  }
  return MBS_OK;
}

void mbs_kept_factors_forget(MbsKeptFactors *kept) {
  kept->is_there = false;
  kept->wait = 0;
  kept->pause = 1;
}

int mbs_kept_factors_save_size(const MbsKeptFactors *kept) { return kept->values ? 7 + kept->count : 0; }

mbs_scalar *mbs_kept_factors_save(const MbsKeptFactors *kept, mbs_scalar *to) {
  if (!kept->values) {
    return to;
  }
  const mbs_scalar numbers[] = {kept->is_there, kept->is_new, kept->c0, kept->c1, kept->rest, kept->wait, kept->pause};
  to = mbs_put(to, MBS_COUNT(numbers), numbers);
  return mbs_put(to, kept->count, kept->values);
}

const mbs_scalar *mbs_kept_factors_restore(MbsKeptFactors *kept, const mbs_scalar *from) {
  if (!kept->values) {
    return from;
  }
  mbs_scalar numbers[7];
  from = mbs_take(from, MBS_COUNT(numbers), numbers);
  kept->is_there = mbs_re(numbers[0]) > 0;
  kept->is_new = mbs_re(numbers[1]) > 0;
  kept->c0 = numbers[2];
  kept->c1 = numbers[3];
  kept->rest = mbs_re(numbers[4]);
  kept->wait = (int)mbs_re(numbers[5]);
  kept->pause = (int)mbs_re(numbers[6]);
  kept->is_at_hand = false;
  return mbs_take(from, kept->count, kept->values);
}

void mbs_kept_factors_take(MbsInstant *instant, mbs_scalar c0, mbs_scalar c1) {
  MbsKeptFactors *kept = &instant->kept;
  kept->is_at_hand = true;
  kept->is_there = kept->values && mbs_re(c0) > 0;
  kept->is_new = true;
  kept->c0 = c0;
  kept->c1 = c1;
  if (kept->is_there) {
    memcpy(kept->values, instant->tangent, (size_t)kept->count * sizeof *kept->values);
  }
}

MbsFactors mbs_kept_factors_begin(MbsInstant *instant, mbs_scalar c0, mbs_scalar c1) {
  MbsKeptFactors *kept = &instant->kept;
  bool is_same = kept->is_there && mbs_is_zero(c0 - kept->c0) && mbs_is_zero(c1 - kept->c1);
  if (!is_same || kept->wait > 0) {
    kept->wait -= kept->wait > 0;
    kept->is_there = false;
    return MBS_FACTORS_NONE;
  }
  if (!kept->is_at_hand) {
    memcpy(instant->tangent, kept->values, (size_t)kept->count * sizeof *kept->values);
    kept->is_at_hand = kept->is_there = mbs_sparse_solver_factor(instant->solver, instant->tangent);
  }
  return kept->is_there ? MBS_FACTORS_OLD : MBS_FACTORS_NONE;
}

// Is this little enough, with what a last correction at this rate takes away? New factors, at the state they are for,
// leave rounding; old ones are to leave no more, for what remains adds up over a run.
static bool is_enough(double residual, double rate, double tolerance) {
  return residual <= tolerance && (residual * rate <= 3e-5 * tolerance || residual <= 1e-4 * tolerance);
}

MbsFactors mbs_kept_factors_judge(MbsKeptFactors *kept, int corrections, double before, double residual,
                                  double tolerance) {
  double rate = before > 0 ? residual / before : 0;
  if (is_enough(residual, rate, tolerance)) {
    kept->pause = 1;
    kept->is_new = false;
    kept->is_there = corrections <= WORTH;
    return MBS_FACTORS_LAST;
  }
  for (int k = corrections; k <= WORTH; ++k) {
    residual *= rate;
  }
  if (corrections <= WORTH && rate < 1 && is_enough(residual, rate, tolerance)) {
    return MBS_FACTORS_OLD;
  }
  if (kept->is_new) {
    kept->wait = kept->pause;
    kept->pause = kept->pause < LONGEST_PAUSE ? 2 * kept->pause : LONGEST_PAUSE;
  }
  return MBS_FACTORS_NONE;
}
