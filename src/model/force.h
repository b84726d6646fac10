// What a force is: a field table and a function that adds it to the blueprint, one file per type in
// forces/. A force that deserves speed brings its own kernel; the others are expressions.
#ifndef MBS_FORCE_H
#define MBS_FORCE_H

#include <string.h>

#include "algebra/scalar.h"
#include "model/blueprint.h"
#include "model/registry.h"

typedef struct MbsForceType {
  MbsRecordType record;  // field 0 names where it acts
  MbsStatus (*build)(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *force);
} MbsForceType;

// One evaluation of a force on ports y (port_count x dimension, stacked) with velocities v.
typedef struct MbsForceInput {
  int dimension;
  const mbs_scalar *y, *v;
  const mbs_scalar *c;  // coefficients
} MbsForceInput;

typedef struct MbsForceKernel {
  // F: generalised force on the ports
  void (*force)(const MbsForceInput *in, mbs_scalar *F);
  // F and its derivatives, row-major: F_y, F_v (ports x ports), F_c (ports x coefficients)
  void (*derivatives)(const MbsForceInput *in, mbs_scalar *F, mbs_scalar *F_y, mbs_scalar *F_v, mbs_scalar *F_c);
  // the derivative along fixed directions, G = F_y z_y + F_v z_v, and its derivatives, of the same sizes as those of F
  void (*second)(const MbsForceInput *in, const mbs_scalar *z_y, const mbs_scalar *z_v, mbs_scalar *G, mbs_scalar *G_y,
                 mbs_scalar *G_v, mbs_scalar *G_c);
  // potential energy, and the power of the part of the force that has none
  void (*energy)(const MbsForceInput *in, mbs_scalar *potential, mbs_scalar *power);
  // as expressions of signals: potential energy, and the power of the whole force (energy.h)
  MbsStatus (*describe)(MbsContext *context, MbsBlueprint *blueprint, const MbsForceSpec *spec, MbsNode *potential,
                        MbsNode *power);
} MbsForceKernel;

// ---- what forces share (force.c) ----
// "force "spring 1"", for messages
const char *mbs_force_name(const MbsBlueprint *blueprint, const MbsRecord *force);
// Starts a spec whose ports are the points that `points` names; they must be on different bodies.
MbsStatus mbs_force_on_points(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *force,
                              const MbsValue *points, const char **owner, MbsForceSpec *spec);
// A force or torque by expressions of time, signals and parameters: one vector expression, or one for each component.
MbsStatus mbs_force_read_vector(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsValue *value,
                                int size, MbsExpression *vector);
// Adds a force by what it does: values F_i along rates u_i, which are linear in velocities. The generalised force is
// sum F_i du_i/dv, whose power is sum F_i u_i.
typedef struct MbsForceAlong {
  MbsNode rate, value;
} MbsForceAlong;
MbsStatus mbs_force_add_along(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *force, int count,
                              const MbsForceAlong *along, MbsNode potential);
// A coordinate that a force acts along, an expression of positions and time, and its rate.
MbsStatus mbs_force_read_coordinate(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                                    MbsNode *value, MbsNode *rate);
// Refuses point masses and thin rods; `name` is how the file calls the body or point.
MbsStatus mbs_force_needs_rigid(MbsContext *context, const MbsBlueprint *blueprint, const char *owner, MbsText name,
                                int body);
// Adds a force made of torques on bodies (numbers in the plane, vectors in global axes in space).
MbsStatus mbs_force_add_torques(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *force, int count,
                                const int *bodies, const MbsExpression *const *torques, MbsNode potential);

#endif
