// Newton's factors of old may be as wrong as they like: the solution of a step is the same to the tolerance. Here the
// matrix that is kept from step to step is spoiled before every step: much too small, so that corrections lead far
// away; too large, so that they lead nowhere; with the wrong sign; of another scale for forces than for constraints.
#include <math.h>

#include "integrators/implicit.h"
#include "simulation/simulation.h"
#include "support.h"

enum { STEPS = 200, LONGEST = 600 };

typedef struct Case {
  const char *path, *formulation, *coordinates;
  double step, tolerance;
} Case;

typedef struct Spoiling {
  double even, odd;  // by what entries are multiplied
} Spoiling;

typedef struct Outcome {
  int count;
  double q[LONGEST], v[LONGEST];
} Outcome;

// the next step begins with that; has it a matrix?
static bool spoil(MbsSimulation *simulation, const Spoiling *spoiling) {
  MbsImplicit *implicit = (MbsImplicit *)simulation->stepper;
  MbsKeptFactors *kept = &implicit->at->kept;
  for (int i = 0; i < kept->count && kept->is_there; ++i) {
    kept->values[i] *= i % 2 == 0 ? spoiling->even : spoiling->odd;
  }
  kept->is_at_hand = false;
  kept->wait = 0;
  return kept->is_there;
}

static void run(MbsContext *context, const MbsModel *model, const Case *of, const Spoiling *spoiling,
                Outcome *outcome) {
  MbsRequest request;
  MbsSimulation *simulation;
  int spoiled = 0;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "%s", of->formulation);
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", of->coordinates);
  (void)snprintf(request.settings.integrator, MBS_NAME_LENGTH, "trapezoidal");
  request.settings.step = of->step;
  request.settings.end = STEPS * of->step;
  request.settings.tolerance = of->tolerance;
  ENSURE_OK(context, mbs_simulation_create(context, model, &request.settings, 0, NULL, NULL, &simulation));
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  while (!mbs_simulation_is_over(simulation)) {
    spoiled += spoiling && spoil(simulation, spoiling);
    ENSURE_OK(context, mbs_simulation_step(context, simulation));
  }
  ENSURE(!spoiling || spoiled > STEPS / 2);
  outcome->count = simulation->system->n;
  ENSURE(outcome->count <= LONGEST);
  for (int i = 0; i < outcome->count; ++i) {
    outcome->q[i] = simulation->state.q[i];
    outcome->v[i] = simulation->state.v[i];
  }
  mbs_simulation_destroy(simulation);
}

static double distance(int count, const double *a, const double *b) {
  double off = 0, size = 0;
  for (int i = 0; i < count; ++i) {
    off = fmax(off, fabs(a[i] - b[i]));
    size = fmax(size, fabs(a[i]));
  }
  return off / size;
}

int main(void) {
  static const Case cases[] = {{"models/five_bar.yaml", "index1", "natural", 1e-3, 1e-10},
                               {"models/five_bar.yaml", "index1", "relative", 1e-3, 1e-10},
                               {"models/five_bar.yaml", "ali3p", "natural", 1e-3, 1e-10},
                               {"models/bricard.yaml", "penalty", "natural", 1e-3, 1e-10},
                               // predictions are within the tolerance: it is not what old factors may add to them
                               {"models/five_bar.yaml", "index1", "natural", 1e-3, 1e-5}};
  static const Spoiling spoilings[] = {{1e-3, 1e-3}, {1e3, 1e3}, {-1, -1}, {1e-12, 1e-12}, {1, -2}};
  MbsContext *context = mbs_context_create();
  for (int i = 0; i < MBS_COUNT(cases); ++i) {
    const Case *of = &cases[i];
    MbsModel *model = read_model(context, of->path);
    Outcome reference, other;
    run(context, model, of, NULL, &reference);
    for (int k = 0; k < MBS_COUNT(spoilings); ++k) {
      run(context, model, of, &spoilings[k], &other);
      double q = distance(reference.count, reference.q, other.q), v = distance(reference.count, reference.v, other.v);
      (void)printf("%s, %s, %s, %g, spoiled by %g, %g: %.1e, %.1e\n", of->path, of->formulation, of->coordinates,
                   of->tolerance, spoilings[k].even, spoilings[k].odd, q, v);
      ENSURE(q < of->tolerance && v < of->tolerance);
    }
    mbs_model_destroy(model);
  }
  mbs_context_destroy(context);
  return 0;
}
