#include "integrators/integrator.h"

#include "integrators/collocation.h"
#include "integrators/pair.h"
#include "integrators/rule.h"

MbsIntegratorKind mbs_integrator_kind(const MbsSettings *settings) {
  MbsRule rule;
  return mbs_rule_find(settings, &rule)               ? MBS_INTEGRATOR_RULE
         : mbs_pair_find(settings->integrator)        ? MBS_INTEGRATOR_EXPLICIT
         : mbs_collocation_find(settings->integrator) ? MBS_INTEGRATOR_COUPLED
                                                      : MBS_INTEGRATOR_UNKNOWN;
}
