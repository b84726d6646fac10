#include "integrators/rule.h"

#include <string.h>

const MbsRule mbs_rule_trapezoidal = {.beta = 0.25, .gamma = 0.5};

bool mbs_rule_find(const MbsSettings *settings, MbsRule *rule) {
  *rule = mbs_rule_trapezoidal;
  if (strcmp(settings->integrator, "newmark") == 0) {
    rule->gamma = settings->gamma > 0 ? settings->gamma : 0.5;
    rule->beta = settings->beta > 0 ? settings->beta : (rule->gamma + 0.5) * (rule->gamma + 0.5) / 4;
    return true;
  }
  if (strcmp(settings->integrator, "generalised-alpha") == 0) {
    double r = settings->spectral_radius;
    rule->am = (2 * r - 1) / (r + 1);
    rule->af = r / (r + 1);
    rule->gamma = 0.5 + rule->af - rule->am;
    rule->beta = (rule->gamma + 0.5) * (rule->gamma + 0.5) / 4;
    rule->has_auxiliary = true;
    return true;
  }
  return strcmp(settings->integrator, "trapezoidal") == 0;
}

MbsRuleStep mbs_rule_step(const MbsRule *rule, mbs_scalar h) {
  double cw = (1 - rule->af) / (1 - rule->am), wa = rule->af / (1 - rule->am), ww = -rule->am / (1 - rule->am);
  mbs_scalar q = rule->beta * h * h, v = rule->gamma * h;
  return (MbsRuleStep){.h = h,
                       .c0 = q * cw,
                       .c1 = v * cw,
                       .cw = cw,
                       .qa = q * wa,
                       .qw = (0.5 - rule->beta) * h * h + q * ww,
                       .va = v * wa,
                       .vw = (1 - rule->gamma) * h + v * ww,
                       .wa = wa,
                       .ww = ww};
}

MbsRuleStep mbs_rule_slope(const MbsRule *rule, mbs_scalar h) {
  const MbsRuleStep k = mbs_rule_step(rule, h);
  mbs_scalar q = 2 * rule->beta * h;
  return (MbsRuleStep){.h = 1,
                       .c0 = q * k.cw,
                       .c1 = rule->gamma * k.cw,
                       .qa = q * k.wa,
                       .qw = (1 - 2 * rule->beta) * h + q * k.ww,
                       .va = rule->gamma * k.wa,
                       .vw = (1 - rule->gamma) + rule->gamma * k.ww};
}
