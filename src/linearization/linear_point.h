// The motion near one state, in first order: x' = A x + B u, y = C x + D u for small deviations x of the state, u of
// inputs and y of outputs.
//
// The state is that of independent coordinates z = w(q), of matrix-r (integrators/reduced.h),
//     x = (z, z' of those whose rates are independent too, states of first order),
// where z leaves out the coordinates behind states of first order, on which nothing depends. Nonholonomic constraints
// leave fewer rates than positions: the rates of the others, w'(q, v), follow. With s = z'' the rows are
//     z_i' = z_i', or w_i'(q, v) where it follows,     z_i'' = s_i,     y' = s_i of a state of first order,
// and each row of (A B), and of (C D), is one transposed solve of the equations of motion at this instant: from what a
// number asks of the state (q, v, a, multipliers) and of s to what z, z' and the properties of the model receive
// (mbs_reduced_instant_transposed), and from properties to parameters by the chain rule. Time stands still: what moves
// the ground or a driver by a function of time is as it is then.
#ifndef MBS_LINEAR_POINT_H
#define MBS_LINEAR_POINT_H

#include "integrators/reduced.h"
#include "simulation/simulation.h"

typedef struct MbsLinearRequest {
  MbsSettings settings;  // formulation and integrator do not count: states are those of matrix-r
  double time;           // of a state along the run; 0: the start
  int column_count;      // of u, behind the inputs of the model: any parameters, by index
  const int *columns;
  const double *parameters;  // values of all parameters; NULL: the model's own
  int perturbed;             // parameter perturbed by the complex step, or -1 (complex twin only)
  const MbsPath *followed;   // the run whose path, and independent coordinates, are taken; NULL: decide
} MbsLinearRequest;

// Matrices by rows, as plain numbers: values, or of a perturbed point their derivatives by that parameter.
typedef struct MbsStateSpace {
  int size;  // of x: positions, velocities, states of first order
  int position_count, velocity_count, state_count;
  const char **names;             // size: as coordinates are called, velocities with a prime; in the arena
  int input_count, output_count;  // inputs of the model, then parameters; the outputs of the model
  double *A, *B, *C, *D;
  double *x;  // size: where it is
  double *y;  // output_count
  double time;
  double motion;      // the largest rate of a position there: 0 at rest
  double imbalance;   // and of a rate or of a state of first order: 0 in equilibrium and in steady motion
  bool is_automatic;  // the independent coordinates were chosen, not given
} MbsStateSpace;

typedef struct MbsLinearPoint {
  MbsSimulation *simulation;
  MbsReduced *reduced;
  int set;
  int size, position_count, velocity_count, state_count;
  int *position, *rate;  // by independent coordinate: where z and z' are in x, or -1
  MbsStateBar bar;
  mbs_scalar *gradient, *s, *z, *zdot;
  mbs_scalar *row;  // size + columns: of (A B) or (C D)
  MbsState along;   // the state with a direction for velocities
} MbsLinearPoint;

// Runs to the point. destroy: also of NULL.
MbsStatus mbs_linear_point_create(MbsContext *context, const MbsModel *model, const MbsLinearRequest *request,
                                  MbsLinearPoint **point);
void mbs_linear_point_destroy(MbsLinearPoint *point);
// All matrices, in an arena of the caller's.
MbsStatus mbs_linear_point_matrices(MbsContext *context, MbsArena *arena, MbsLinearPoint *point, bool is_perturbed,
                                    MbsStateSpace *space);
// What the run to it did, and its independent coordinates, for another point that is to follow.
MbsStatus mbs_linear_point_path(MbsContext *context, MbsArena *arena, const MbsLinearPoint *point, MbsPath *path);
// How the points of the bodies (system->points) move where the state deviates by dx, point_count x dimension; and what
// the kinetic energy of each mass, by its index in the blueprint, would be at such velocities. That is the same in all
// coordinates, as the deviation of velocities is not where the mechanism moves.
void mbs_linear_point_move(MbsLinearPoint *point, const mbs_scalar *dx, mbs_scalar *displacement, mbs_scalar *energy);

// Matrices of a point, in one call: in both scalars.
MbsStatus mbs_twin_state_space(MbsContext *context, MbsArena *arena, const MbsModel *model,
                               const MbsLinearRequest *request, MbsStateSpace *space, MbsPath *path);
MbsStatus mbs_complex_state_space(MbsContext *context, MbsArena *arena, const MbsModel *model,
                                  const MbsLinearRequest *request, MbsStateSpace *space, MbsPath *path);

#endif
