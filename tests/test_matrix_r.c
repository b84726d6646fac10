// matrix-r beyond whole runs (test_whole_runs: every model, direct = adjoint = complex step): changes of the
// independent coordinates on the way, and the record by which another run walks the same path.
//
// Seen to fail with a planted error, one at a time:
//   integrators/reduced.c            the record of another run not followed
//   kinematics/initial_rows.c        a set without its coordinates
//   algebra/sparse_solver.c          pivots of K kept until ten digits are left (the governor, at t = 3.81)
#include "sensitivities/selection.h"
#include "sensitivities/twin.h"
#include "support.h"

static MbsContext *context;

// turns over and over: neither x nor y of its tips serves for long, and no coordinate is given
static const char *tumbling =
    "mbsens: 1\n"
    "name: tumbling double pendulum\n"
    "gravity: [0, -9.81]\n"
    "parameters: {m: 1.5, L: 0.8, I: 0.1, w: 9}\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies:\n"
    "  upper: {mass: m, com: [0.4, 0.02], inertia: I, points: {O: [0, 0], P: [L, 0]}}\n"
    "  lower: {mass: 0.7, com: [0.3, 0.1], inertia: 0.05, points: {P: [0, 0], Q: [0.6, 0]}}\n"
    "joints:\n"
    "  - revolute: [ground.O, upper.O]\n"
    "  - revolute: [upper.P, lower.P]\n"
    "forces:\n"
    "  - {torque: upper, value: w*exp(-t)}\n"
    "objectives:\n"
    "  end: {final: r(Q).x + 0.3*v(Q).y}\n"
    "  way: {integral: \"dot(a(Q), a(Q))\"}\n"
    "simulation: {end: 1.5, step: 0.005, formulation: matrix-r}\n";

static MbsRequest request_of(const MbsModel *model) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  return request;
}

static MbsResult *run(const MbsModel *model, const MbsRequest *request, MbsMethod method) {
  MbsRequest own = *request;
  MbsResult *result;
  own.method = method;
  ENSURE_OK(context, mbs_run(context, model, &own, &result));
  return result;
}

static void ensure_same_gradient(const char *what, const MbsResult *tried, const MbsResult *reference, double most) {
  double worst = 0;
  for (int i = 0; i < reference->objective_count; ++i) {
    const double *at = reference->gradient + i * reference->parameter_count;
    double largest = largest_of(reference->parameter_count, at);
    ENSURE(largest > 0);
    for (int k = 0; k < reference->parameter_count; ++k) {
      double off =
          fabs(tried->gradient[i * reference->parameter_count + k] - at[k]) / fmax(fabs(at[k]), 1e-5 * largest);
      worst = off <= worst ? worst : off;
    }
  }
  (void)printf("  %-60s %.1e\n", what, worst);
  if (!(worst <= most)) {
    (void)fprintf(stderr, "%s: off by %.3g, %.3g is allowed\n", what, worst, most);
    exit(1);
  }
}

// direct = adjoint (whole, and in pieces that are walked again) = complex step; and differences nearby
static void check_gradients(const char *name, const MbsModel *model, const MbsRequest *request, double differences) {
  (void)printf("%s\n", name);
  MbsRequest pieces = *request;
  pieces.memory = 3e4;
  MbsResult *direct = run(model, request, MBS_METHOD_DIRECT), *adjoint = run(model, request, MBS_METHOD_ADJOINT);
  MbsResult *again = run(model, &pieces, MBS_METHOD_ADJOINT);
  MbsResult *reference = run(model, request, MBS_METHOD_COMPLEX_STEP);
  ENSURE(adjoint->statistics.segments == 1 && again->statistics.segments > 1);
  ensure_same_gradient("direct against complex step", direct, reference, 1e-8);
  ensure_same_gradient("adjoint against complex step", adjoint, reference, 1e-8);
  ensure_same_gradient("adjoint in pieces against complex step", again, reference, 1e-8);
  if (differences > 0) {
    MbsResult *difference = run(model, request, MBS_METHOD_FINITE_DIFFERENCE);
    ensure_same_gradient("differences against complex step", difference, reference, differences);
    mbs_result_destroy(difference);
  }
  mbs_result_destroy(direct);
  mbs_result_destroy(adjoint);
  mbs_result_destroy(again);
  mbs_result_destroy(reference);
}

// ---- the record ----
static MbsTwinResult twin_run(MbsArena *arena, const MbsModel *model, const MbsReplay *replay, int perturbed) {
  MbsRequest request = request_of(model);
  MbsTwinRequest twin = {.settings = request.settings, .perturbed = perturbed, .replay = replay};
  MbsTwinResult result;
  ENSURE_OK(context, (perturbed < 0 ? mbs_twin_run : mbs_complex_run)(context, arena, model, &twin, &result));
  return result;
}

static void ensure_same_path(const MbsReplay *a, const MbsReplay *b) {
  ENSURE(a->set_count == b->set_count && a->step_count == b->step_count);
  for (int s = 0; s < a->set_count; ++s) {
    ENSURE(a->sets[s].count == b->sets[s].count);
    for (int i = 0; i < a->sets[s].count; ++i) {
      ENSURE(a->sets[s].coordinates[i] == b->sets[s].coordinates[i]);
    }
  }
  for (long step = 1; step <= a->step_count; ++step) {
    ENSURE(a->set_of_step[step] == b->set_of_step[step]);
  }
}

// A run goes where the record says, also where it would have decided otherwise: with each change two steps later the
// results differ by what another discretisation of two steps gives, and the complex step follows.
static void check_record(void) {
  MbsModel *model = read_text(context, "tumbling.yaml", tumbling);
  MbsArena *arena = mbs_arena_create();
  ENSURE(arena);
  MbsTwinResult nominal = twin_run(arena, model, NULL, -1);
  const MbsReplay *path = &nominal.replay;
  int *later = calloc((size_t)path->step_count + 1, sizeof *later), changes = 0;
  ENSURE(later && path->set_count > 1);
  for (long step = 1; step <= path->step_count; ++step) {
    later[step] = path->set_of_step[step > 2 ? step - 2 : 1];
    changes += step > 1 && path->set_of_step[step] != path->set_of_step[step - 1];
  }
  (void)printf("tumbling: %d sets, %d changes\n", path->set_count, changes);
  ENSURE(changes >= 3);
  MbsReplay other = *path;
  other.set_of_step = later;
  MbsTwinResult same = twin_run(arena, model, path, -1), moved = twin_run(arena, model, &other, -1);
  MbsTwinResult perturbed = twin_run(arena, model, &other, 0);
  ensure_same_path(&same.replay, path);
  ensure_same_path(&moved.replay, &other);
  ensure_same_path(&perturbed.replay, &other);
  for (int i = 0; i < nominal.objective_count; ++i) {
    double size = fabs(nominal.values[i]), off = fabs(moved.values[i] - nominal.values[i]);
    ENSURE_NEAR(same.values[i], nominal.values[i], 1e-10 * size);
    ENSURE(off > 1e-9 * size && off < 1e-2 * size);
  }
  free(later);
  mbs_arena_destroy(arena);
  mbs_model_destroy(model);
}

static void check_changes(void) {
  MbsModel *model = read_text(context, "tumbling.yaml", tumbling);
  MbsRequest request = request_of(model);
  check_gradients("changes of the independent coordinates", model, &request, 1e-5);
  mbs_model_destroy(model);
}

// Over four seconds every pivot of K fades at some time.
static void check_pivots(void) {
  const char *objective = "load", *parameter = "Izz";
  MbsModel *model = read_model(context, "models/governor.yaml");
  MbsRequest request = request_of(model);
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "matrix-r");
  request.objective_count = request.parameter_count = 1;
  request.objectives = &objective;
  request.parameters = &parameter;
  (void)printf("governor\n");
  MbsResult *direct = run(model, &request, MBS_METHOD_DIRECT);
  MbsResult *reference = run(model, &request, MBS_METHOD_COMPLEX_STEP);
  ensure_same_gradient("direct against complex step", direct, reference, 1e-7);
  mbs_result_destroy(direct);
  mbs_result_destroy(reference);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_record();
  check_changes();
  check_pivots();
  mbs_context_destroy(context);
  return 0;
}
