// Laws of contact and friction, which forces are made of.
#ifndef MBS_CONTACT_CORE_H
#define MBS_CONTACT_CORE_H

#include "model/force.h"

// A spring of one side with Hunt and Crossley's damping: F = k d^n max(0, 1 + c d') where d > 0, else 0; the energy is
// k d^(n + 1)/(n + 1). With c = 0 it is as smooth as d^n; with c it neither pulls nor jumps where the bodies part.
typedef struct MbsOneSided {
  MbsNode force, energy;
} MbsOneSided;
MbsOneSided mbs_force_one_sided(MbsGraph *graph, MbsNode d, MbsNode rate, MbsNode stiffness, MbsNode exponent,
                                MbsNode damping);

// Friction that depends on the velocity alone (Brown and McPhee, A continuous velocity-based friction model for
// dynamics and control with physically meaningful parameters, 2016, equation (4)): with s = v/v_s
//     mu(v) = mu_d tanh(4 s) + (mu_s - mu_d) s/(s^2/4 + 3/4)^2
// which rises to mu_s at v_s and falls to mu_d beyond. It is smooth, and it creeps: what would stick moves with a part
// of v_s.
typedef struct MbsFrictionLaw {
  MbsNode sliding, fixed, stiction_velocity;  // mu_d, mu_s, v_s
} MbsFrictionLaw;
MbsNode mbs_force_friction_coefficient(MbsGraph *graph, MbsNode speed, const MbsFrictionLaw *law);
// Its numbers, of these fields: mu_d, mu_s (if not given mu_d), v_s.
MbsStatus mbs_force_read_friction(MbsContext *context, MbsBlueprint *blueprint, const char *owner,
                                  const MbsRecord *record, const MbsField *fields, const int at[3],
                                  MbsFrictionLaw *law);

#endif
