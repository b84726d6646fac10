// What tests of integrators share: requests that name one, all methods of sensitivities on a model, and runs that are
// undone and walked again.
#ifndef MBS_TEST_INTEGRATOR_RUNS_H
#define MBS_TEST_INTEGRATOR_RUNS_H

#include "event_runs.h"
#include "simulation/simulation.h"

static inline MbsRequest integrator_request(const MbsModel *model, const char *integrator, const char *formulation,
                                            const char *kind) {
  MbsRequest request = request_of(model, formulation, kind);
  (void)snprintf(request.settings.integrator, sizeof request.settings.integrator, "%s", integrator);
  return request;
}

// A model for all methods of sensitivities against each other.
typedef struct MethodCase {
  const char *path;
  double end;           // 0: the model's own
  bool has_events;      // on the way
  bool is_natural;      // its objectives have multipliers of natural coordinates
  bool has_redundancy;  // then or when
} MethodCase;

// direct = adjoint = complex step, in so many steps; of many parameters two
static inline void compare_on(const MethodCase *example, const MbsModel *model, MbsRequest *request, int steps) {
  static const char *const of_arm[] = {"k1", "zeta"}, *const of_bushings[] = {"k", "kb"};
  if (strstr(example->path, "six_axis") || strstr(example->path, "bushed")) {
    request->parameters = strstr(example->path, "six_axis") ? of_arm : of_bushings;
    request->parameter_count = 2;
  }
  request->settings.end = example->end > 0 ? example->end : request->settings.end;
  request->settings.step = request->settings.end / steps;
  int events = compare_methods(model, request, example->path);
  (void)printf("%s, %s, %s: %d events\n", example->path, request->settings.formulation, request->settings.coordinates,
               events);
  ENSURE((events > 0) == example->has_events);
}

// The same gradient from a trajectory that is walked again in pieces of so much memory, whose rows must be those of the
// steps; and steps undone after `saved` of `steps` come to the same bits.
static inline void check_repeats(const MbsModel *model, const MbsRequest *request, double memory, int saved, int steps,
                                 double tolerance) {
  MbsRequest own = *request;
  MbsResult *all = run_with(model, request, MBS_METHOD_ADJOINT);
  own.memory = memory;
  MbsResult *pieces = run_with(model, &own, MBS_METHOD_ADJOINT);
  ENSURE(all->statistics.segments == 1 && pieces->statistics.segments > 1);
  ENSURE(distance(all->objective_count, all->parameter_count, pieces->gradient, all->gradient) < tolerance);
  MbsSimulation *simulation;
  MbsCheckpoint checkpoint = {0};
  double seen[2][3];
  const int columns[] = {0, 1};
  ENSURE_OK(context, mbs_simulation_create(context, model, &all->request->settings, 2, columns, NULL, &simulation));
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  for (int i = 0; i < steps; ++i) {
    if (i == saved) {
      ENSURE_OK(context, mbs_simulation_save(context, simulation, &checkpoint));
    }
    ENSURE_OK(context, mbs_simulation_step(context, simulation));
  }
  for (int pass = 0; pass < 2; ++pass) {
    seen[pass][0] = simulation->state.t;
    seen[pass][1] = simulation->objectives.gradient[0];
    seen[pass][2] = simulation->state.total[0];
    if (pass == 0) {
      mbs_simulation_restore(simulation, &checkpoint);
      ENSURE(simulation->state.t < seen[0][0]);
      for (int i = saved; i < steps; ++i) {
        ENSURE_OK(context, mbs_simulation_step(context, simulation));
      }
    }
  }
  for (int i = 0; i < 3; ++i) {
    ENSURE_NEAR(seen[1][i], seen[0][i], 0);
  }
  mbs_simulation_destroy(simulation);
  mbs_result_destroy(all);
  mbs_result_destroy(pieces);
}

// Of the five-bar that hits the ground thrice, figures of docs/validation.md that were not computed here: event times
// and final numbers off by how much, gradients relative to each.
static inline void compare_impacts(const MbsModel *model, const MbsRequest *request, double worst[3]) {
  static const double times[] = {0.3118276, 1.77974387, 2.45379318};
  static const double slopes[2][4] = {{1.31666313, -23.77516493, 1.31666313, 23.96625525},
                                      {1.54226833, 121.8061426, 1.54226833, -89.9312174}};
  static const double values[] = {-2.1377917, -0.3099695, -0.0349617, -4.27805442};
  MbsResult *result = run_with(model, request, MBS_METHOD_DIRECT);
  worst[0] = worst[1] = worst[2] = 0;
  ENSURE(result->event_count == 3);
  for (int i = 0; i < 3; ++i) {
    worst[0] = fmax(worst[0], fabs(result->events[i].time - times[i]));
  }
  for (int i = 0; i < 4; ++i) {
    worst[1] = fmax(worst[1], fabs(result->values[i] - values[i]));
    for (int k = 0; k < 2; ++k) {
      worst[2] = fmax(worst[2], fabs(result->gradient[2 * i + k] / slopes[k][i] - 1));
    }
  }
  (void)printf("impacts, %s: times off by %.1e, values by %.1e, gradients by %.1e\n", request->settings.formulation,
               worst[0], worst[1], worst[2]);
  mbs_result_destroy(result);
}

#endif
