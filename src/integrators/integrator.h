// Integrators by their names.
#ifndef MBS_INTEGRATOR_H
#define MBS_INTEGRATOR_H

#include <mbsens/mbsens.h>

#include "formulations/formulation.h"

typedef enum MbsIntegratorKind {
  MBS_INTEGRATOR_UNKNOWN,
  MBS_INTEGRATOR_RULE,      // rule.h
  MBS_INTEGRATOR_EXPLICIT,  // pair.h
  MBS_INTEGRATOR_COUPLED    // collocation.h
} MbsIntegratorKind;

MbsIntegratorKind mbs_integrator_kind(const MbsSettings *settings);

// Has it stages, and an order above two?
static inline bool mbs_integrator_has_stages(const MbsSettings *settings) {
  return mbs_integrator_kind(settings) >= MBS_INTEGRATOR_EXPLICIT;
}

// Explicit methods need accelerations that follow from positions and velocities at each instant; none but the rules
// steps by independent coordinates.
static inline bool mbs_integrator_fits(MbsIntegratorKind kind, const MbsFormulationType *type) {
  return kind == MBS_INTEGRATOR_EXPLICIT  ? mbs_formulation_is_explicit(type)
         : kind == MBS_INTEGRATOR_COUPLED ? !type->is_reduced
                                          : true;
}

#endif
