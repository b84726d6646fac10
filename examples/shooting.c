// A shooting problem: the torques u_1 ... u_40 that swing a pendulum up in two seconds, at rest there, the smallest
// that do. The steps are a function of the torques whose transpose gives a row of its Jacobian J for each number that
// is wanted at the end; Newton's iteration with the smallest change, u -= J' (J J')^-1 r.
#include <math.h>
#include <mbsens/step.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "mbsens: 1\n"
    "name: swing up\n"
    "gravity: [0, -9.81]\n"
    "inputs: {u: 0}\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies: {rod: {mass: 1, com: [0.5, 0], inertia: 0.1, points: {O: [0, 0]}, angle: -pi/2}}\n"
    "joints: [{revolute: [ground.O, rod.O], name: pivot}]\n"
    "forces: [{torque: rod, value: u}]\n"
    "simulation: {end: 2, step: 0.05, coordinates: relative}\n";

enum { STEPS = 40 };

#define TRY(call)              \
  do {                         \
    MbsStatus status = (call); \
    if (status != MBS_OK) {    \
      return status;           \
    }                          \
  } while (0)

static MbsStatus shoot(MbsContext *context, MbsStepMap *map) {
  const double start = -1.5707963267948966, at_rest = 0, wanted[2] = {1.5707963267948966, 0};  // upright, at rest
  double u[STEPS] = {0}, J[2][STEPS], r[2], left = 1;
  for (int iteration = 0; iteration < 20 && left > 1e-10; ++iteration) {
    double q, v, G[2][2] = {{0}};
    TRY(mbs_step_map_run(context, map, 0, 1, &start, &at_rest, STEPS, u));
    TRY(mbs_step_map_state(context, map, NULL, 1, &q, &v, NULL));
    r[0] = q - wanted[0];
    r[1] = v - wanted[1];
    left = fabs(r[0]) + fabs(r[1]);
    for (int i = 0; i < 2; ++i) {  // row i of J: what u receives of q, or of v
      double one = 1;
      const MbsStepResults bar = {.position = i == 0 ? &one : NULL, .velocity = i == 1 ? &one : NULL};
      const MbsStepArguments received = {.inputs = J[i]};
      TRY(mbs_step_map_vjp(context, map, &bar, &received));
    }
    for (int k = 0; k < STEPS; ++k) {
      G[0][0] += J[0][k] * J[0][k];
      G[0][1] += J[0][k] * J[1][k];
      G[1][1] += J[1][k] * J[1][k];
    }
    double det = G[0][0] * G[1][1] - G[0][1] * G[0][1];
    double y0 = (G[1][1] * r[0] - G[0][1] * r[1]) / det, y1 = (G[0][0] * r[1] - G[0][1] * r[0]) / det;
    for (int k = 0; k < STEPS; ++k) {
      u[k] -= J[0][k] * y0 + J[1][k] * y1;
    }
    (void)printf("%2d  angle %10.6f  rate %10.6f  left %.1e\n", iteration, q, v, left);
  }
  return left < 1e-10 ? MBS_OK : MBS_ERROR_NUMERICAL;
}

int main(void) {
  MbsContext *context = mbs_context_create();
  MbsModel *model = NULL;
  MbsStepMap *map = NULL;
  MbsRequest *request = NULL;
  MbsStatus status = mbs_model_read_text(context, text, strlen(text), "swing up", &model);
  status = status == MBS_OK ? mbs_request_create(context, model, &request) : status;
  status = status == MBS_OK ? mbs_step_map_create(context, model, request, &map) : status;
  status = status == MBS_OK ? shoot(context, map) : status;
  if (status != MBS_OK) {
    (void)fprintf(stderr, "%s\n", mbs_context_message(context));
  }
  mbs_step_map_destroy(map);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  return status == MBS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
