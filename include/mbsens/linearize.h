// The motion near one state, in first order: matrices, eigenvalues, shapes, frequency responses, and how eigenvalues
// and shapes depend on the parameters.
//
//   MbsLinearizeDef def = mbs_default_linearize_def();
//   mbs_linearize(context, model, &request, &def, &linear);     settings and parameters of the request
//   linear->mode[0].real, .imag, .gradient[2 * parameter]
//   mbs_linearization_destroy(linear);
//
// x' = A x + B u, y = C x + D u for small deviations: x of independent coordinates, their rates and states of first
// order, u of inputs, y of the model's outputs. docs/linearization.md
#ifndef MBSENS_LINEARIZE_H
#define MBSENS_LINEARIZE_H

#include <mbsens/mbsens.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct MbsLinearizeDef {
  double time;                // of the state, along a run (by matrix-r, with the settings' step); 0: the start
  int input_count;            // 0 with inputs NULL: the inputs of the model, if it has any
  const char *const *inputs;  // inputs of the model, or parameters
  bool has_gradients;         // of eigenvalues and shapes, by the parameters of the request
} MbsLinearizeDef;

MbsLinearizeDef mbs_default_linearize_def(void);

// An eigenvalue and its motion exp((real + i imag) t) shape. Complex numbers: real part, then imaginary part.
typedef struct MbsEigenmode {
  double real, imag;             // 1/s
  double frequency;              // |.| / 2 pi, Hz: the natural frequency, where it oscillates
  double damping;                // -real / |.|: the damping ratio; 0 for an eigenvalue of 0
  int repeated;                  // how often it is there; 1: once
  bool is_defective;             // with fewer shapes than it is repeated: it has no derivative, and no gradient
  const double *gradient;        // parameters x 2; of one that is repeated: of one of its branches; NULL: none
  const double *shape;           // size x 2: x, with 1 for the largest of its positions
  const double *shape_gradient;  // parameters x size x 2, that 1 held; NULL: none, or repeated
  const double *participation;   // bodies: shares of the kinetic energy of this motion; 0 where nothing moves
  const double *motion;          // points x dimension x 2: how the points of bodies move
} MbsEigenmode;

typedef struct MbsLinearization {
  const char *model;
  double time;
  int size;  // of x
  int position_count, velocity_count, state_count;
  const char *const *states;  // names: coordinates, rates with a prime, states of first order
  const double *x;            // where it is
  bool is_automatic;          // the coordinates were chosen, not given
  bool is_moving;             // it is not at rest: matrices belong to these coordinates alone
  int input_count;
  const char *const *inputs;
  int output_count;
  const char *const *outputs;
  const double *y;              // their values there
  const double *A, *B, *C, *D;  // by rows: size x size, size x inputs, outputs x size, outputs x inputs
  int mode_count;               // size, in ascending order of |.|
  const MbsEigenmode *mode;
  int parameter_count;
  const char *const *parameters;
  const double *parameter_values;
  const double *A_gradient;  // parameters x size x size: the whole dA/dp, the state's own move with it; NULL: none
  int body_count;
  const char *const *bodies;  // with mass, and coordinates of the model's own
  int dimension, point_count;
  const char *const *points;
  const double *point_positions;  // points x dimension
  int warning_count;
  const char *const *warnings;
} MbsLinearization;

MbsStatus mbs_linearize(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                        const MbsLinearizeDef *def, MbsLinearization **linearization);
void mbs_linearization_destroy(MbsLinearization *linearization);

// G(i w) = C (i w - A)^-1 B + D at angular frequencies w, rad/s, into response: count x outputs x inputs x 2. An
// eigenvalue on the imaginary axis has no response at its frequency: a numerical error that says so.
MbsStatus mbs_linearization_response(MbsContext *context, const MbsLinearization *linearization, int count,
                                     const double *frequencies, double *response);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
