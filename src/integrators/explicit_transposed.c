// The transpose of an explicit step: see explicit.h. A b behind a symbol: the derivative of the final number with
// respect to it. From the end to stage 1, where a_i b is complete since only later stages depend on a_i:
//     (a_i b, lambda_i b)  ->  q_i b, v_i b                                    the instant's own transpose
//     q_0 b += q_i b,   v_0 b += v_i b + c_i h q_i b,   a_j b += h^2 d_ij q_i b + h a_ij v_i b
//     h b += q_i b.(c_i v_0 + 2 h sum_j d_ij a_j) + v_i b.(sum_j a_ij a_j) - (1 - c_i) t_i b,       t b += t_i b
// Points of integrals have received theirs before (in the carry).
#include "integrators/explicit.h"

// q and v of a stage hand on to the beginning and to the accelerations before it
static void spread(const MbsExplicit *explicit, mbs_scalar h, int stage, const MbsStateBar *at,
                   const MbsStateBar *bar) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  int n = system->n;
  mbs_scalar of_size = 0;
  for (int j = 0; j < stage; ++j) {
    const mbs_scalar *a = explicit->stages[j].a;
    double d = explicit->position[stage][j], e = explicit->velocity[stage][j];
    for (int i = 0; i < n && (mbs_is_nonzero(d) || mbs_is_nonzero(e)); ++i) {
      explicit->bars_a[j * n + i] += h * (h * d * at->q[i] + e * at->v[i]);
      of_size += (2 * h * d * at->q[i] + e * at->v[i]) * a[i];
    }
  }
  for (int i = 0; i < n; ++i) {
    mbs_scalar q = at->q[i], v = at->v[i];
    of_size += explicit->c[stage] * q * explicit->stages[0].v[i];
    bar->q[i] = stage < explicit->end ? bar->q[i] + q : q;
    bar->v[i] = (stage < explicit->end ? bar->v[i] + v : v) + explicit->c[stage] * h * q;
  }
  bar->parameters[system->blueprint->clock + 1] += of_size;
}

// the block of a stage that is a point; else one of zeros
static mbs_scalar *block_of(const MbsExplicit *explicit, int stage, mbs_scalar *carry) {
  int size = mbs_state_number_count(explicit->implicit.formulation->system);
  for (int p = 0; p < explicit->implicit.base.point_count; ++p) {
    if (explicit->points[p] == stage) {
      return mbs_explicit_blocks(explicit, carry) + p * size;
    }
  }
  return explicit->bar;
}

static void transpose_stage(MbsExplicit *explicit, const MbsStep *step, int stage, const MbsStateBar *bar,
                            mbs_scalar *block) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  const MbsState *at = &explicit->stages[stage];
  const MbsStateBar own = mbs_bar_in_block(system, bar, block);
  mbs_scalar before = mbs_bar_of_time(system, bar);
  for (int i = 0; i < system->n; ++i) {
    own.a[i] += explicit->bars_a[stage * system->n + i];
  }
  mbs_explicit_take_instant(explicit, stage);
  mbs_signal_bank_visit(system, at);
  if (explicit->independent.reduced) {
    mbs_explicit_give_independent(explicit, stage, at, &own);
  }
  mbs_implicit_instant_transposed(&explicit->implicit, 0, 0, at, &own);
  if (explicit->independent.reduced) {
    mbs_explicit_recover_transposed(explicit, step->h, stage, at, &own);
  }
  mbs_system_fixed_transposed(system, at->t, &own, bar->gradient);
  bar->parameters[system->blueprint->clock + 1] -= (1 - explicit->c[stage]) * (mbs_bar_of_time(system, bar) - before);
  if (!explicit->independent.reduced) {
    spread(explicit, step->h, stage, &own, bar);
  }
  for (int i = 0; i < mbs_state_number_count(system); ++i) {
    block[i] = 0;
  }
}

void mbs_explicit_transposed(MbsExplicit *explicit, const MbsStep *step, const MbsState *state, const MbsStateBar *bar,
                             mbs_scalar *carry) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  for (int i = 0; i < explicit->end * system->n; ++i) {
    explicit->bars_a[i] = 0;
  }
  bool is_independent = explicit->independent.reduced != NULL;
  mbs_signal_bank_visit(system, state);
  mbs_implicit_instant_transposed(&explicit->implicit, 0, 0, state, bar);
  if (is_independent) {
    mbs_explicit_begin_independent_bars(explicit);
    mbs_explicit_recover_transposed(explicit, step->h, explicit->end, state, bar);
  } else {
    mbs_explicit_project_transposed(explicit, state, bar);
    spread(explicit, step->h, explicit->end, bar, bar);
  }
  for (int stage = explicit->end - 1; stage > 0; --stage) {
    transpose_stage(explicit, step, stage, bar, block_of(explicit, stage, carry));
  }
  mbs_explicit_take_instant(explicit, explicit->end);
  for (int i = 0; i < system->n; ++i) {
    bar->a[i] = explicit->bars_a[i];
  }
  if (is_independent) {
    mbs_explicit_hand_back(explicit, carry);
  }
}
