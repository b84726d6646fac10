// The transpose of implicit_derivative.c (theory: section 2, adjoint). A b behind a symbol: the derivative of the final
// number with respect to it.
//     projections backwards: ab, kappab -> a*b, vb, qb;  vb, sigmab -> v*b, qb
//     S' (mu, nu) = (a*b + c1 v*b + c0 qb, lambdab)
//     qhb = qb - r_x' u,  vhb = v*b - r_v' u,  coefficients -= r_c' u                 u = (mu, nu)
//     q_n b = qhb,  v_n b = h qhb + vhb,  a_n b = qa qhb + va vhb + wa whb,  w_n b = qw qhb + vw vhb + ww whb
// Fixed coordinates have no past: what q, v and a of them have received goes to the parameters at once.
#include "integrators/implicit.h"

static MbsRuleStep rule_step(const MbsImplicit *implicit, mbs_scalar h) {
  return mbs_is_step(h) ? mbs_rule_step(mbs_implicit_rule(implicit), h) : (MbsRuleStep){.h = 0};
}

MbsStatus mbs_implicit_prepare_transposed(MbsContext *context, MbsImplicit *implicit, mbs_scalar h) {
  const MbsRuleStep k = rule_step(implicit, h);
  return mbs_newton_factor_exact(context, implicit, &implicit->at->stage, k.c0, k.c1);
}

// from the stage's v*, a*, lambda and q to the hats', in place
static void transpose_newton(MbsImplicit *implicit, const MbsRuleStep *k, const MbsStateBar *bar) {
  const MbsSystem *system = implicit->formulation->system;
  const MbsWeights weights = mbs_formulation_weights(implicit->formulation, k->c0, k->c1);
  int n = system->n;
  for (int i = 0; i < n; ++i) {
    implicit->r[i] = -(bar->a[i] + k->c1 * bar->v[i] + k->c0 * bar->q[i]);
    bar->a[i] = 0;
  }
  for (int i = 0; i < system->m; ++i) {
    implicit->r[n + i] = -bar->lambda[i];
    bar->lambda[i] = 0;
  }
  mbs_refine_transposed(&implicit->at->refinement, implicit->r);
  MbsStateBar known = *bar;
  known.a = implicit->bar_a;
  known.lambda = implicit->bar_lambda;
  for (int i = n; i < system->nq; ++i) {
    known.a[i] = 0;
  }
  mbs_terms_transposed(system, &implicit->at->stage, &weights, MBS_PART_ALL, implicit->r, implicit->r + n, &known);
  for (int i = n; i < system->nq; ++i) {  // the accelerations of a moving ground are given
    bar->a[i] += known.a[i];
  }
}

static void spread_total(const MbsImplicit *implicit, bool is_projected, const MbsState *state,
                         const MbsStateBar *bar) {
  if (is_projected && implicit->at->projector->is_tangent) {
    if (implicit->has_reactions) {
      mbs_project_balance_transposed(implicit->at->projector, MBS_PROJECT_TOTAL, state, bar->total, bar);
    }
    return;
  }
  for (int i = 0; i < implicit->formulation->system->m; ++i) {
    bar->lambda[i] += bar->total[i];
    bar->kappa[i] += is_projected ? bar->total[i] : 0;
    bar->total[i] = 0;
  }
}

void mbs_implicit_instant_transposed(MbsImplicit *implicit, mbs_scalar c0, mbs_scalar c1, const MbsState *state,
                                     const MbsStateBar *bar) {
  const MbsRuleStep k = {.c0 = c0, .c1 = c1};
  spread_total(implicit, false, state, bar);
  if (implicit->has_redundancy) {
    mbs_project_balance_transposed(implicit->at->projector, MBS_PROJECT_BALANCE, state, bar->lambda, bar);
  }
  transpose_newton(implicit, &k, bar);
}

void mbs_implicit_start_transposed(MbsImplicit *implicit, const MbsState *state, const MbsStateBar *bar,
                                   mbs_scalar *w) {
  const MbsSystem *system = implicit->formulation->system;
  for (int i = 0; i < system->n && implicit->w; ++i) {
    bar->a[i] += w[i];
    w[i] = 0;
  }
  mbs_implicit_instant_transposed(implicit, 0, 0, state, bar);
}

// what the size of the step receives: see differentiate_hats in implicit_derivative.c
static void transpose_hats(const MbsImplicit *implicit, mbs_scalar h, const MbsStateBar *bar) {
  const MbsSystem *system = implicit->formulation->system;
  const MbsRuleStep k = mbs_rule_slope(mbs_implicit_rule(implicit), h);
  mbs_scalar *of_h = &bar->parameters[system->blueprint->clock + 1];
  for (int i = 0; i < system->n; ++i) {
    mbs_scalar v = implicit->old[0][i], a = implicit->old[1][i], w = implicit->old[2][i],
               now = implicit->at->stage.a[i];
    *of_h += bar->q[i] * (k.h * v + k.qa * a + k.qw * w + k.c0 * now);
    *of_h += bar->v[i] * (k.va * a + k.vw * w + k.c1 * now);
  }
}

void mbs_implicit_finish_transposed(const MbsImplicit *implicit, const MbsState *state, const MbsStateBar *bar) {
  bool is_projected = mbs_implicit_projects(implicit);
  spread_total(implicit, is_projected, state, bar);
  if (is_projected) {
    mbs_project_acceleration_transposed(implicit->at->projector, state, bar);
    mbs_project_velocity_transposed(implicit->at->projector, state, bar);
  }
  if (implicit->has_redundancy) {
    mbs_project_balance_transposed(implicit->at->projector, MBS_PROJECT_BALANCE, &implicit->at->stage, bar->lambda,
                                   bar);
  }
  if (is_projected || implicit->has_redundancy) {
    mbs_projector_give_bar(implicit->at->projector, bar);
  }
}

void mbs_implicit_step_transposed(MbsImplicit *implicit, mbs_scalar h, const MbsState *state, const MbsStateBar *bar,
                                  mbs_scalar *w) {
  const MbsSystem *system = implicit->formulation->system;
  const MbsRuleStep k = mbs_rule_step(mbs_implicit_rule(implicit), h);
  bool has_before = mbs_implicit_before(implicit, implicit->w);
  for (int i = 0; i < system->n && implicit->w; ++i) {
    bar->a[i] += k.cw * w[i];
  }
  mbs_implicit_finish_transposed(implicit, state, bar);
  transpose_newton(implicit, &k, bar);
  if (mbs_system_has_step_column(system)) {
    transpose_hats(implicit, h, bar);
  }
  for (int i = 0; i < system->n; ++i) {
    mbs_scalar q = bar->q[i], v = bar->v[i], wh = implicit->w ? w[i] : 0;
    mbs_scalar of_w = k.qw * q + k.vw * v + k.ww * wh;
    bar->v[i] = k.h * q + v;
    bar->a[i] = k.qa * q + k.va * v + k.wa * wh;
    if (has_before) {
      w[i] = of_w;
    } else {
      bar->a[i] += of_w;
    }
    if (implicit->is_piece && implicit->w) {
      w[i] = 0;
    }
  }
}
