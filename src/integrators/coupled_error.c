// The estimated error of a step. See coupled.h.
//
// With the derivative f_0 where the step begins there is another formula at its end, of order s, whose weight of f_0 is
// gamma. It differs by
//     E = h (gamma f_0 + sum_i e_i f_i),      sum_i e_i c_i^k = -gamma 0^k,  k < s        e_i = -gamma l_i(0)
// that is gamma h times what f_0 is off the polynomial through the f_i (l_i: Lagrange's), of order s + 1. As in RADAU5
// (Hairer and Wanner, section IV.8), what is stiff in it is taken as an implicit step would: the error is
// (1 - gamma h f_y)^-1 E, with accelerations for the unknowns
//     dq = E_q + gamma h dv,   dv = E_v + gamma h da,   r_q dq + r_v dv + r_a da + r_lambda dlambda = 0.
// Where the step keeps Phi = 0 it is Phidot = 0 in this r, so that dv is along the constraints: across them index3 has
// velocities of order s alone, which no step hands on; and E_q, a difference of velocities at different positions, has
// there what the curvature of Phi makes it, which dv = (dq - E_q) / (gamma h) would have, divided by h.
//
// With three stages E is of order 4, the error of order 6. So there is a second one, of order 3: E', with f_0 off the
// line through the last two stages; and the error counts as E^2 / sqrt(E^2 + E'^2 / 100), as those of a pair of
// explicit methods (pair.h), which is of order 5.
#include <math.h>

#include "integrators/coupled.h"

static const double part_of_low = 0.1;

void mbs_coupled_create_error(MbsCoupled *coupled) {
  const MbsCollocation *method = coupled->method;
  int s = coupled->end + 1;
  coupled->estimates = true;
  for (int l = 0; l < 2; ++l) {
    int first = l == 0 ? 0 : s - 2;  // of the stages that the polynomial goes through
    bool is_wanted = l == 0 || first > 0;
    coupled->error[l][0] = is_wanted ? method->gamma : 0;
    for (int i = first; i < s && is_wanted; ++i) {
      double at_zero = 1;
      for (int k = first; k < s; ++k) {
        at_zero *= k == i ? 1 : -method->c[k] / (method->c[i] - method->c[k]);
      }
      coupled->error[l][1 + i] = -method->gamma * at_zero;
    }
  }
}

static MbsWeights weights_of(const MbsCoupled *coupled, mbs_scalar h) {
  mbs_scalar level = 1 / (coupled->method->gamma * h);
  return coupled->implicit.formulation->type->is_position_level ? (MbsWeights){.k1 = level, .n1 = level}
                                                                : mbs_coupled_weights(coupled, h);
}

// estimate: E, of q and of v, becomes the error
static void filter(MbsCoupled *coupled, mbs_scalar h, const MbsWeights *weights, mbs_scalar *estimate) {
  MbsImplicit *implicit = &coupled->implicit;
  const MbsSystem *system = implicit->formulation->system;
  mbs_scalar *q = estimate, *v = estimate + system->n, *X = coupled->moved[0], *V = coupled->moved[1];
  mbs_scalar ahead = coupled->method->gamma * h;
  for (int i = 0; i < system->n; ++i) {
    X[i] = q[i] + ahead * v[i];
    V[i] = v[i];
  }
  mbs_terms_derivative_along(system, &implicit->at->stage, weights, MBS_PART_ALL, X, V, NULL, coupled->rest);
  mbs_refine(&implicit->at->refinement, 1, coupled->rest);
  for (int i = 0; i < system->n; ++i) {
    v[i] = V[i] - ahead * coupled->rest[i];
    q[i] = X[i] - ahead * ahead * coupled->rest[i];
  }
}

MbsStatus mbs_coupled_estimate(MbsContext *context, MbsCoupled *coupled, mbs_scalar h, const MbsState *state) {
  MbsImplicit *implicit = &coupled->implicit;
  int n = implicit->formulation->system->n;
  mbs_scalar ahead = coupled->method->gamma * h;
  const MbsWeights filtering = weights_of(coupled, h);
  mbs_signal_bank_try(implicit->formulation->system, &implicit->at->stage);
  MBS_TRY(mbs_newton_factor_weighted(context, implicit, &implicit->at->stage, &filtering, ahead * ahead, ahead));
  for (int l = 0; l < 2; ++l) {
    const double *weights = coupled->error[l];
    for (int i = 0; i < n; ++i) {
      mbs_scalar q = weights[0] * coupled->begin_v[i], v = weights[0] * coupled->begin_a[i];
      for (int j = 0; j <= coupled->end; ++j) {
        const MbsState *at = j < coupled->end ? &coupled->stages[j] : state;
        q += weights[1 + j] * at->v[i];
        v += weights[1 + j] * at->a[i];
      }
      coupled->estimate[l][i] = h * q;
      coupled->estimate[l][n + i] = h * v;
    }
    filter(coupled, h, &filtering, coupled->estimate[l]);
  }
  return MBS_OK;
}

double mbs_coupled_error(const MbsCoupled *coupled, const double *weights, int *worst) {
  int n = coupled->implicit.formulation->system->n;
  double largest[2] = {0, 0};
  *worst = -1;
  for (int l = 0; l < 2; ++l) {
    for (int i = 0; i < 2 * n; ++i) {
      double error = weights[i] * fabs(mbs_re(coupled->estimate[l][i]));  // real
      if (!(error <= largest[l])) {                                       // NaN too
        largest[l] = error;
        *worst = l == 0 ? i : *worst;
      }
    }
  }
  double low = part_of_low * largest[1], sum = largest[0] * largest[0] + low * low;
  return sum > 0 ? largest[0] * largest[0] / sqrt(sum) : largest[0];  // real
}
