// Rotation of bodies as expressions: see rotation.c for the formulas.
#ifndef MBS_ROTATION_H
#define MBS_ROTATION_H

#include "model/blueprint.h"

// In the plane: angle of a body's x axis, continuous over many turns.
MbsStatus mbs_rotation_angle(MbsContext *context, MbsBlueprint *blueprint, int body, MbsNode *angle);
// Angular velocity or acceleration in global axes: a number in the plane, a vector in space.
MbsStatus mbs_rotation_rate(MbsContext *context, MbsBlueprint *blueprint, int body, bool is_acceleration,
                            MbsExpression *value);
// The body's axes as expressions: d of them.
MbsStatus mbs_rotation_axes(MbsContext *context, MbsBlueprint *blueprint, int body, MbsExpression axes[3]);
// A vector in the body's axes, in global axes.
MbsStatus mbs_rotation_to_global(MbsContext *context, MbsBlueprint *blueprint, int body, MbsExpression *vector);
// A vector in global axes, in the body's axes.
MbsStatus mbs_rotation_to_body(MbsContext *context, MbsBlueprint *blueprint, int body, MbsExpression *vector);
// Rate of a vector as seen from a body, in global axes.
MbsStatus mbs_rotation_seen(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsForm *vector,
                            MbsExpression *rate);
// In space: angle of the second body about a direction the two have in common, u1 on the first and u2 on the second.
// It is zero where the first normals (mbs_direction_normals) of the two coincide.
MbsStatus mbs_rotation_about(MbsContext *context, MbsBlueprint *blueprint, const MbsDirection *u1,
                             const MbsDirection *u2, MbsNode *angle);
// A torque (a number, or a vector in global axes) on a body as generalised forces: MBS_TORQUE_PORTS ports at most, as
// many as the body has axes (1 or 3), and the expressions of their components.
enum { MBS_TORQUE_PORTS = 3 };
MbsStatus mbs_rotation_torque(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsExpression *torque,
                              MbsForm *ports, MbsNode *expressions);

// ---- orientation as numbers (orientation.c) ----
// R_ij, component i of axis j in global axes; from 0
MbsStatus mbs_orientation_entry(MbsContext *context, MbsBlueprint *blueprint, int body, int i, int j, MbsNode *entry);
// Roll, pitch or yaw (0, 1, 2: the axis that it is about); in the plane the angle of the x axis.
MbsStatus mbs_orientation_angle(MbsContext *context, MbsBlueprint *blueprint, int body, int axis, MbsNode *angle);
// Euler parameters, space only.
MbsStatus mbs_orientation_euler(MbsContext *context, MbsBlueprint *blueprint, int body, MbsNode p[4]);

// ---- the rotation vector of one frame from another, space only (rotation_vector.c) ----
typedef struct MbsRotationVector {
  MbsNode vector[3];  // phi = theta n, in the axes of the first frame
  MbsNode axial[3];   // sin theta n
  MbsNode one_plus_cosine;
  MbsNode beta;  // of its rate: see rotation_vector.c
} MbsRotationVector;
// `first` and `second` are the axes of the two frames. It is smooth below half a turn, and there is none beyond.
MbsRotationVector mbs_rotation_vector(MbsGraph *graph, const MbsExpression first[3], const MbsExpression second[3]);
// phi', by the angular velocity of the second frame as seen from the first; all in the axes of the first.
void mbs_rotation_vector_rate(MbsGraph *graph, const MbsRotationVector *phi, const MbsNode omega[3], MbsNode rate[3]);
// The torque on the second frame that does the work force.dphi, in the axes of the first.
void mbs_rotation_vector_torque(MbsGraph *graph, const MbsRotationVector *phi, const MbsNode force[3],
                                MbsNode torque[3]);

#endif
