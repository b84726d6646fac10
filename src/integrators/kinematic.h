// The step of kinematics. See kinematic.c.
#ifndef MBS_KINEMATIC_H
#define MBS_KINEMATIC_H

#include "integrators/implicit.h"

// Owns `implicit` from now on, which finds accelerations and forces.
MbsStatus mbs_kinematic_create(MbsContext *context, MbsImplicit *implicit, MbsInitial *initial, MbsStepper **stepper);

#endif
