// The transpose of a step: see coupled.h. A b behind a symbol: the derivative of the final number with respect to it.
// What follows the solution of each stage comes first, backwards: from the states of the stages to q_i, v_i, a_i and
// lambda_i where r = 0 holds. Then
//     J' (mu, nu) = -(a_j b + sum_i h a_ij v_i b + h^2 d_ij q_i b, lambda_j b)
//     qh_i b = q_i b + r_q' u_i,   vh_i b = v_i b + r_v' u_i,   coefficients += r_c' u_i               u_i = (mu_i,
//     nu_i) q_0 b = sum_i qh_i b,   v_0 b = sum_i vh_i b + c_i h qh_i b h b += sum_i qh_i b.(c_i v_0 + 2 h sum_j d_ij
//     a_j) + vh_i b.(sum_j a_ij a_j) - (1 - c_i) t_i b,    t b += t_i b
// Points of integrals have received theirs before (in the carry).
#include "integrators/coupled.h"

// what a stage has received
static MbsStateBar bar_of(const MbsCoupled *coupled, int stage, const MbsStateBar *bar, mbs_scalar *carry) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  return stage < coupled->end ? mbs_bar_in_block(system, bar, carry + stage * mbs_state_number_count(system)) : *bar;
}

// the size of the step has what the time of a stage has received since
static void note_time(const MbsCoupled *coupled, int stage, mbs_scalar before, const MbsStateBar *bar) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  double ahead = 1 - coupled->method->c[stage];
  bar->parameters[system->blueprint->clock + 1] -= ahead * (mbs_bar_of_time(system, bar) - before);
}

static void transpose_finish(MbsCoupled *coupled, int stage, const MbsState *state, const MbsStateBar *bar,
                             mbs_scalar *carry) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  const MbsState *at = stage < coupled->end ? &coupled->stages[stage] : state;
  const MbsStateBar own = bar_of(coupled, stage, bar, carry);
  mbs_scalar before = mbs_bar_of_time(system, bar);
  mbs_coupled_finish_transposed(coupled, stage, at, &own);
  note_time(coupled, stage, before, bar);
}

// u, of all stages
static void solve(MbsCoupled *coupled, mbs_scalar h, const MbsStateBar *bar, mbs_scalar *carry) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  int n = system->n, size = n + system->m;
  for (int j = 0; j <= coupled->end; ++j) {
    const MbsStateBar own = bar_of(coupled, j, bar, carry);
    mbs_scalar *r = coupled->r + j * size;
    for (int k = 0; k < n; ++k) {
      r[k] = -own.a[k];
      own.a[k] = 0;
    }
    for (int k = 0; k < system->m; ++k) {
      r[n + k] = -own.lambda[k];
      own.lambda[k] = 0;
    }
  }
  for (int i = 0; i <= coupled->end; ++i) {
    const MbsStateBar own = bar_of(coupled, i, bar, carry);
    for (int j = 0; j <= coupled->end; ++j) {
      mbs_scalar d = h * h * coupled->position[i][j], e = h * coupled->method->a[i][j];
      for (int k = 0; k < n; ++k) {
        coupled->r[j * size + k] -= d * own.q[k] + e * own.v[k];
      }
    }
  }
  mbs_refine_transposed(&coupled->refinement, coupled->r);
}

// qh b and vh b, and what coefficients and parameters receive
static void transpose_residual(MbsCoupled *coupled, const MbsWeights *weights, int stage, const MbsStateBar *bar,
                               const MbsStateBar *own) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  const MbsState *at = mbs_coupled_at(coupled, stage);
  const mbs_scalar *u = coupled->r + stage * (system->n + system->m);
  mbs_scalar before = mbs_bar_of_time(system, bar);
  MbsStateBar known = *own;
  known.a = coupled->implicit.bar_a;
  known.lambda = coupled->implicit.bar_lambda;
  for (int i = system->n; i < system->nq; ++i) {
    known.a[i] = 0;
  }
  mbs_signal_bank_visit(system, at);
  mbs_terms_transposed(system, at, weights, MBS_PART_ALL, u, u + system->n, &known);
  for (int i = system->n; i < system->nq; ++i) {  // the accelerations of a moving ground are given
    own->a[i] += known.a[i];
  }
  if (stage < coupled->end) {
    mbs_system_fixed_transposed(system, at->t, own, bar->gradient);
  }
  note_time(coupled, stage, before, bar);
}

// the hats hand on to the beginning, and to the size of the step
static void spread(MbsCoupled *coupled, mbs_scalar h, const MbsStateBar *bar, mbs_scalar *carry) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  mbs_scalar of_size = 0;
  for (int i = coupled->end; i >= 0; --i) {
    const MbsStateBar own = bar_of(coupled, i, bar, carry);
    double c = coupled->method->c[i];
    for (int k = 0; k < system->n; ++k) {
      mbs_scalar q = own.q[k], v = own.v[k], by_q = c * coupled->begin_v[k], by_v = 0;
      for (int j = 0; j <= coupled->end; ++j) {
        mbs_scalar a = mbs_coupled_at(coupled, j)->a[k];
        by_q += 2 * h * coupled->position[i][j] * a;
        by_v += coupled->method->a[i][j] * a;
      }
      of_size += q * by_q + v * by_v;
      bar->q[k] = i < coupled->end ? bar->q[k] + q : q;
      bar->v[k] = (i < coupled->end ? bar->v[k] : 0) + v + c * h * q;
    }
  }
  bar->parameters[system->blueprint->clock + 1] += of_size;
}

void mbs_coupled_transposed(MbsCoupled *coupled, const MbsStep *step, const MbsState *state, const MbsStateBar *bar,
                            mbs_scalar *carry) {
  const MbsWeights weights = mbs_coupled_weights(coupled, step->h);
  for (int i = coupled->end; i >= 0; --i) {
    transpose_finish(coupled, i, state, bar, carry);
  }
  solve(coupled, step->h, bar, carry);
  for (int i = coupled->end; i >= 0; --i) {
    const MbsStateBar own = bar_of(coupled, i, bar, carry);
    transpose_residual(coupled, &weights, i, bar, &own);
  }
  spread(coupled, step->h, bar, carry);
  for (int i = 0; i < coupled->implicit.base.carry_size; ++i) {
    carry[i] = 0;
  }
  (void)mbs_coupled_take(coupled, coupled->end);
}
