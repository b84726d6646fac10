// mbs_verify judges by what can be known: where a motion magnifies rounding, direct method and complex step differ by
// more than the limit although both are right, and the reference's own uncertainty says so; where it has no digits left
// nothing is confirmed. That a wrong derivative is not excused: planted.sh.
//
// Seen to fail: without the shaken references; with uncertainties that count without a bound.
#include "support.h"

static MbsContext *context;

// a double pendulum that turns over: neighbouring motions part by a factor of e three times a second
static const char *const chaos =
    "mbsens: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {L: 1, m: 1}\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies:\n"
    "  upper: {mass: 1, com: [L, 0], points: {O: [0, 0], A: [L, 0]}, inertia: 0}\n"
    "  lower: {mass: m, com: [1, 0], inertia: 0.01, points: {A: [0, 0], B: [1, 0]}}\n"
    "joints:\n"
    "  - {revolute: [ground.O, upper.O]}\n"
    "  - {revolute: [upper.A, lower.A]}\n"
    "initial:\n"
    "  points: {A: [0, 1], B: [1, 1]}\n"
    "  independent:\n"
    "    - {coordinate: angle(upper), value: 3}\n"
    "    - {coordinate: angle(lower), value: 2.5}\n"
    "objectives: {end: {final: r(B).x}}\n"
    "simulation: {step: 0.01, tolerance: 1e-12}\n";

typedef struct Outcome {
  bool pass;
  double error, uncertainty;  // largest
} Outcome;

static Outcome verify(double end) {
  MbsModel *model = read_text(context, "chaos", chaos);
  MbsRequest request;
  MbsVerification *verification;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.settings.end = end;
  request.has_own_coordinates = true;
  ENSURE_OK(context, mbs_verify(context, model, &request, &verification));
  Outcome outcome = {.pass = verification->pass, .error = verification->max_relative_error};
  for (int i = 0; i < verification->row_count; ++i) {
    const MbsVerifyRow *row = &verification->rows[i];
    if (strcmp(row->method, "run-anew") != 0) {  // whose uncertainty is always known: test_anew.c
      outcome.uncertainty = fmax(outcome.uncertainty, row->uncertainty);
    }
    ENSURE(row->pass || row->relative_error > verification->limit);
  }
  ENSURE(verification->row_count > 0 && verification->suspect_count == 0);
  mbs_verification_destroy(verification);
  mbs_model_destroy(model);
  (void)printf("%g s: %s, error %.1e, uncertainty %.1e\n", end, outcome.pass ? "pass" : "FAIL", outcome.error,
               outcome.uncertainty);
  return outcome;
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  Outcome calm = verify(2), rough = verify(12), lost = verify(30);
  ENSURE(calm.pass && calm.error <= 1e-7 && calm.uncertainty == 0);  // not measured where it is not needed
  ENSURE(rough.pass && rough.error > 1e-7 && rough.uncertainty > 1e-8);
  ENSURE(!lost.pass && lost.error > 1e-3);
  mbs_context_destroy(context);
  return 0;
}
