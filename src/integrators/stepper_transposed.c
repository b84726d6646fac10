// The transpose of stepper_derivative.c (theory: section 2, adjoint). A b behind a symbol: the derivative of the final
// number with respect to it.
//     projections backwards: ab, kappab -> a*b, vb, qb;  vb, sigmab -> v*b, qb
//     S' (mu, nu) = (a*b + c1 v*b + c0 qb, lambdab)
//     qhb = qb - r_x' u,  vhb = v*b - r_v' u,  coefficients -= r_c' u                 u = (mu, nu)
//     q_n b = qhb,  v_n b = h qhb + vhb,  a_n b = qa qhb + va vhb + wa whb,  w_n b = qw qhb + vw vhb + ww whb
// Fixed coordinates have no past: what q, v and a of them have received goes to the parameters at once.
#include "integrators/stepper.h"

static MbsRuleStep rule_step(const MbsStepper *stepper, double h) {
  return h > 0 ? mbs_rule_step(&stepper->rule, h) : (MbsRuleStep){.h = 0};
}

MbsStatus mbs_stepper_prepare_transposed(MbsContext *context, MbsStepper *stepper, double h) {
  const MbsRuleStep k = rule_step(stepper, h);
  return mbs_newton_factor_exact(context, stepper, &stepper->stage, k.c0, k.c1);
}

// from the stage's v*, a*, lambda and q to the hats', in place
static void transpose_newton(MbsStepper *stepper, const MbsRuleStep *k, const MbsStateBar *bar) {
  const MbsSystem *system = stepper->formulation->system;
  const MbsWeights weights = mbs_formulation_weights(stepper->formulation, k->c0, k->c1);
  int n = system->n;
  for (int i = 0; i < n; ++i) {
    stepper->r[i] = -(bar->a[i] + k->c1 * bar->v[i] + k->c0 * bar->q[i]);
    bar->a[i] = 0;
  }
  for (int i = 0; i < system->m; ++i) {
    stepper->r[n + i] = -bar->lambda[i];
    bar->lambda[i] = 0;
  }
  mbs_refine_transposed(&stepper->refinement, stepper->r);
  MbsStateBar known = *bar;
  known.a = stepper->bar_a;
  known.lambda = stepper->bar_lambda;
  for (int i = n; i < system->nq; ++i) {
    known.a[i] = 0;
  }
  mbs_terms_transposed(system, &stepper->stage, &weights, MBS_PART_ALL, stepper->r, stepper->r + n, &known);
  for (int i = n; i < system->nq; ++i) {  // the accelerations of a moving ground are given
    bar->a[i] += known.a[i];
  }
}

static void spread_total(const MbsStepper *stepper, bool is_projected, const MbsState *state, const MbsStateBar *bar) {
  if (is_projected && stepper->projector->is_tangent) {
    if (stepper->has_reactions) {
      mbs_project_balance_transposed(stepper->projector, MBS_PROJECT_TOTAL, state, bar->total, bar);
    }
    return;
  }
  for (int i = 0; i < stepper->formulation->system->m; ++i) {
    bar->lambda[i] += bar->total[i];
    bar->kappa[i] += is_projected ? bar->total[i] : 0;
    bar->total[i] = 0;
  }
}

void mbs_stepper_instant_transposed(MbsStepper *stepper, double c0, double c1, const MbsState *state,
                                    const MbsStateBar *bar) {
  const MbsRuleStep k = {.c0 = c0, .c1 = c1};
  spread_total(stepper, false, state, bar);
  if (stepper->has_redundancy) {
    mbs_project_balance_transposed(stepper->projector, MBS_PROJECT_BALANCE, state, bar->lambda, bar);
  }
  transpose_newton(stepper, &k, bar);
}

void mbs_stepper_start_transposed(MbsStepper *stepper, const MbsState *state, const MbsStateBar *bar, mbs_scalar *w) {
  const MbsSystem *system = stepper->formulation->system;
  for (int i = 0; i < system->n && stepper->w; ++i) {
    bar->a[i] += w[i];
    w[i] = 0;
  }
  mbs_stepper_instant_transposed(stepper, 0, 0, state, bar);
}

void mbs_stepper_step_transposed(MbsStepper *stepper, double h, const MbsState *state, const MbsStateBar *bar,
                                 mbs_scalar *w) {
  const MbsSystem *system = stepper->formulation->system;
  const MbsRuleStep k = mbs_rule_step(&stepper->rule, h);
  spread_total(stepper, stepper->has_projections, state, bar);
  for (int i = 0; i < system->n && stepper->w; ++i) {
    bar->a[i] += k.cw * w[i];
  }
  if (stepper->has_projections) {
    mbs_project_acceleration_transposed(stepper->projector, state, bar);
    mbs_project_velocity_transposed(stepper->projector, state, bar);
  }
  if (stepper->has_redundancy) {
    mbs_project_balance_transposed(stepper->projector, MBS_PROJECT_BALANCE, &stepper->stage, bar->lambda, bar);
  }
  if (stepper->projector) {
    mbs_projector_give_bar(stepper->projector, bar);
  }
  transpose_newton(stepper, &k, bar);
  for (int i = 0; i < system->n; ++i) {
    mbs_scalar q = bar->q[i], v = bar->v[i], wh = stepper->w ? w[i] : 0;
    mbs_scalar of_w = k.qw * q + k.vw * v + k.ww * wh;
    bar->v[i] = k.h * q + v;
    bar->a[i] = k.qa * q + k.va * v + k.wa * wh;
    if (stepper->w) {
      w[i] = of_w;
    } else {
      bar->a[i] += of_w;
    }
  }
}
