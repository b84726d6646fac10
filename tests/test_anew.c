// Differences of the model run anew, as a user would, and the rows of verify that stand on them; and the values of
// natural against relative coordinates.
//
// Seen to fail: with the start before placement was differentiated.
#include <math.h>

#include "sensitivities/values.h"
#include "support.h"

static MbsContext *context;

static MbsVerification *verify(const char *path, double step, const char *objective, const char *parameter) {
  MbsModel *model = read_model(context, path);
  MbsRequest request;
  MbsVerification *verification;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.settings.step = step > 0 ? step : request.settings.step;
  request.objective_count = request.parameter_count = objective ? 1 : 0;
  request.objectives = objective ? &objective : NULL;
  request.parameters = objective ? &parameter : NULL;
  ENSURE_OK(context, mbs_verify(context, model, &request, &verification));
  mbs_model_destroy(model);
  return verification;
}

static const MbsVerifyRow *find(const MbsVerification *verification, const char *coordinates, const char *objective,
                                const char *parameter) {
  for (int i = 0; i < verification->row_count; ++i) {
    const MbsVerifyRow *row = &verification->rows[i];
    if (strcmp(row->method, "run-anew") == 0 && strcmp(row->coordinates, coordinates) == 0 &&
        strcmp(row->objective, objective) == 0 && strcmp(row->parameter, parameter) == 0) {
      return row;
    }
  }
  return NULL;
}

// what the rows show, in both coordinates, and that they judge by it
static void check_row(const char *path, const char *objective, const char *parameter, double value, double tolerance) {
  static const char *const coordinates[] = {"natural", "relative"};
  MbsVerification *verification = verify(path, 0, objective, parameter);
  for (int c = 0; c < 2; ++c) {
    const MbsVerifyRow *row = find(verification, coordinates[c], objective, parameter);
    ENSURE(row);
    (void)printf("%s, %s: d %s / d %s = %.9g +- %.1e, complex step %.9g: %s\n", path, row->coordinates, objective,
                 parameter, row->value, row->uncertainty, row->reference, row->pass ? "pass" : "FAIL");
    ENSURE_NEAR(row->value, value, tolerance);
    ENSURE(row->pass == (fabs(row->reference - value) <= 10 * tolerance));
    ENSURE(row->pass || !verification->pass);
  }
  mbs_verification_destroy(verification);
}

// the method finite-difference, which runs anew too
static void check_method(const char *path, double value) {
  MbsModel *model = read_model(context, path);
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = MBS_METHOD_FINITE_DIFFERENCE;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  for (int i = 0; i < result->objective_count; ++i) {  // one by one
    ENSURE_NEAR(result->gradient[i * result->parameter_count + i], value, 1e-8);
  }
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// A damping of zero cannot be moved down: differences are one-sided.
static void check_one_sided(void) {
  static const char *const text =
      "mbsens: 1\n"
      "parameters: {c: 0}\n"
      "bodies: {b: {mass: 1, points: {P: [0, 0]}}}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "forces: [{spring: [ground.O, b.P], stiffness: 10, length: 0.5, damping: c}]\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: r(P).x, value: 1}\n"
      "    - {coordinate: r(P).y, value: 0}\n"
      "objectives: {x: {final: r(P).x}}\n"
      "simulation: {end: 0.5, step: 0.01}\n";
  MbsModel *model = read_text(context, "one-sided", text);
  MbsRequest request;
  MbsVerification *verification;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_verify(context, model, &request, &verification));
  const MbsVerifyRow *row = find(verification, "natural", "x", "c");
  ENSURE(row && row->pass && row->relative_error < 1e-5 && fabs(row->value) > 0.01);
  ENSURE(verification->pass);
  mbs_verification_destroy(verification);
  mbs_model_destroy(model);
}

// ---- values in both coordinates ----
static MbsValueSample sample_of(MbsArena *arena, const MbsModel *model, const char *coordinates, double longer) {
  MbsRequest request;
  MbsResult *result;
  MbsValueSample sample;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", coordinates);
  request.settings.end *= longer;
  request.method = MBS_METHOD_DIRECT;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  ENSURE_OK(context, mbs_values_keep(context, arena, &request, result, &sample));
  mbs_result_destroy(result);
  return sample;
}

static void check_values(void) {
  // of the same motion: apart by the integrator's error, which is larger than rounding, and extrapolated
  MbsVerification *verification = verify("models/five_bar.yaml", 0.01, NULL, NULL);
  ENSURE(verification->pass && verification->value_count > 0);
  bool is_extrapolated = false;
  for (int i = 0; i < verification->value_count; ++i) {
    const MbsVerifyValue *value = &verification->values[i];
    ENSURE(value->pass && value->relative_error <= value->tolerance);
    is_extrapolated = is_extrapolated || value->is_extrapolated;
  }
  ENSURE(is_extrapolated);
  mbs_verification_destroy(verification);
  // of motions that are not the same: one lasts a hundredth longer
  MbsArena *arena = mbs_arena_create();
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  MbsValueSample samples[2] = {sample_of(arena, model, "natural", 1), sample_of(arena, model, "relative", 1.01)};
  MbsValueRows rows = {0, 0, NULL};
  const char *const names[] = {"psi"};
  ENSURE_OK(context, mbs_values_compare(context, arena, model, 1, names, samples, &rows));
  ENSURE(rows.count == 1 && rows.items[0].is_extrapolated && !rows.items[0].pass);
  // and where one of them fails on the way
  samples[1].is_run = false;
  ENSURE_OK(context, mbs_values_compare(context, arena, model, 1, names, samples, &rows));
  ENSURE(rows.count == 1);  // left out for a reason, which verify tells
  samples[1].has_failed = true;
  ENSURE_OK(context, mbs_values_compare(context, arena, model, 1, names, samples, &rows));
  ENSURE(rows.count == 2 && !rows.items[1].pass && isnan(rows.items[1].relative) && isfinite(rows.items[1].natural));
  mbs_model_destroy(model);
  mbs_arena_destroy(arena);
}

// ---- an element check across half a turn ----
static void check_half_turn(void) {
  MbsVerification *verification = verify("tests/models/half_turn_torsion.yaml", 0, NULL, NULL);
  ENSURE(verification->pass && verification->suspect_count == 0);
  mbs_verification_destroy(verification);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_row("tests/models/placed_pieces.yaml", "x", "x0", 1, 1e-8);
  check_row("tests/models/placed_pieces.yaml", "a", "a0", 1, 1e-8);
  check_row("tests/models/placed_pieces.yaml", "q", "q0", 1, 1e-8);
  check_row("tests/models/placed_pendulum.yaml", "sum", "L", 0.205486, 1e-6);  // simulate --set L=0.9999, 1.0001
  check_row("tests/models/jump_switched_force_noevent.yaml", "vend", "T", -1.5, 0.05);  // -F/m, by steps of 1e-3
  check_row("tests/models/jump_force_zone_noevent.yaml", "vend", "X", 2.697, 0.01);
  check_row("tests/models/jump_switched_force.yaml", "vend", "T", -1.5, 1e-9);
  check_row("tests/models/jump_force_zone.yaml", "vend", "X", 2.69679945, 1e-7);
  check_method("tests/models/placed_pieces.yaml", 1);
  check_one_sided();
  check_values();
  check_half_turn();
  mbs_context_destroy(context);
  return 0;
}
