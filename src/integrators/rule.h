// The rule that links positions, velocities and accelerations over a step of size h:
//     q = q_n + h v_n + h^2 ((1/2 - beta) w_n + beta w),   v = v_n + h ((1 - gamma) w_n + gamma w)
// Newmark: w = a; beta = 1/4, gamma = 1/2 is the trapezoidal rule.
// Generalised-alpha (Arnold and Bruels): (1 - am) w + am w_n = (1 - af) a + af a_n with w_0 = a_0, am = (2 r - 1)/(r +
// 1), af = r/(r + 1), gamma = 1/2 + af - am, beta = (gamma + 1/2)^2/4, r the spectral radius at infinite frequency.
//
// The unknown is the acceleration a (theory: not the position, so that small steps lose no digits), and
//     q = qh + c0 a,  v = vh + c1 a,  w = wh + cw a,       the hats known from the step before.
#ifndef MBS_RULE_H
#define MBS_RULE_H

#include <mbsens/mbsens.h>
#include <stdbool.h>

#include "algebra/scalar.h"
#include "model/settings.h"

typedef struct MbsRule {
  double beta, gamma, am, af;
  bool has_auxiliary;  // w is not a
} MbsRule;

// Numbers of one step. Hats: qh = q + h v + qa a + qw w, vh = v + va a + vw w, wh = wa a + ww w of the old state.
typedef struct MbsRuleStep {
  mbs_scalar h, c0, c1;
  double cw;
  mbs_scalar qa, qw, va, vw;
  double wa, ww;
} MbsRuleStep;

// A start has no size; that of a step may be negative, where a run follows another one past an event.
static inline bool mbs_is_step(mbs_scalar h) { return mbs_re(h) > 0 || mbs_re(h) < 0; }

extern const MbsRule mbs_rule_trapezoidal;
// The rule that the settings' integrator names; false: there is none of that name.
bool mbs_rule_find(const MbsSettings *settings, MbsRule *rule);
// The power of h in the error of a run; and is a step with -h from its end the way back?
static inline int mbs_rule_order(const MbsRule *rule) { return rule->has_auxiliary || !(rule->gamma > 0.5) ? 2 : 1; }
static inline bool mbs_rule_is_symmetric(const MbsRule *rule) { return !rule->has_auxiliary && !(rule->gamma > 0.5); }
MbsRuleStep mbs_rule_step(const MbsRule *rule, mbs_scalar h);
// Their derivatives with respect to h.
MbsRuleStep mbs_rule_slope(const MbsRule *rule, mbs_scalar h);

#endif
