// The step of kinematics. See kinematic.c.
#ifndef MBS_KINEMATIC_H
#define MBS_KINEMATIC_H

#include "integrators/implicit.h"

MbsStatus mbs_kinematic_create(MbsContext *context, MbsFormulation *formulation, const MbsSettings *settings,
                               MbsInitial *initial, MbsStepper **stepper);

#endif
