// Functions of a program's own in a model (mbsens/function.h): the same laws written as expressions give the same run,
// values and gradients, direct, adjoint and by the complex step; derivatives from slopes, from complex arithmetic, or
// none; and what is asked wrongly.
#include <complex.h>
#include <mbsens/function.h>
#include <mbsens/step.h>
#include <mbsens/terms.h>

#include "support.h"

static MbsContext *context;

// ---- the laws, twice: here, and as expressions below ----
// a spring that hardens, with a damper: -k x^3 - c v
static int spring(void *user, int count, const double *x, double *y, double *slopes) {
  *(long *)user += 1;
  ENSURE(count == 4);
  y[0] = -x[2] * x[0] * x[0] * x[0] - x[3] * x[1];
  if (slopes) {
    slopes[0] = -3 * x[2] * x[0] * x[0];
    slopes[1] = -x[3];
    slopes[2] = -x[0] * x[0] * x[0];
    slopes[3] = -x[1];
  }
  return 0;
}

static int complex_spring(void *user, int count, const double *arguments, double *results) {
  const double _Complex *x = (const void *)arguments;
  double _Complex y = -x[2] * x[0] * x[0] * x[0] - x[3] * x[1];
  *(long *)user += 1;
  ENSURE(count == 4);
  memcpy(results, &y, sizeof y);
  return 0;
}

// a wind that turns: c (|w| w), w = (cos t, sin t) - v, at a height that counts
static int wind(void *user, int count, const double *x, double *y, double *slopes) {
  (void)user;
  ENSURE(count == 6);  // r(P), v(P), t, c
  double wx = cos(x[4]) - x[2], wy = sin(x[4]) - x[3], s = sqrt(wx * wx + wy * wy), h = 2 + x[1], c = x[5];
  y[0] = c * h * s * wx;
  y[1] = c * h * s * wy;
  if (slopes) {
    double xx = s + wx * wx / s, xy = wx * wy / s, yy = s + wy * wy / s;
    const double all[] = {
        0, c * s * wx, -c * h * xx, -c * h * xy, c * h * (-xx * sin(x[4]) + xy * cos(x[4])), h * s * wx,
        0, c * s * wy, -c * h * xy, -c * h * yy, c * h * (-xy * sin(x[4]) + yy * cos(x[4])), h * s * wy};
    memcpy(slopes, all, sizeof all);
  }
  return 0;
}

// a rate and an integrand: a x + sin v
static int mix(void *user, int count, const double *x, double *y, double *slopes) {
  (void)user;
  ENSURE(count == 3);
  y[0] = x[2] * x[0] + sin(x[1]);
  if (slopes) {
    slopes[0] = x[2];
    slopes[1] = cos(x[1]);
    slopes[2] = x[0];
  }
  return 0;
}

static char *model_text(bool is_program) {
  static char text[4000];
  (void)snprintf(
      text, sizeof text,
      "mbsens: 1\n"
      "name: laws\n"
      "gravity: [0, -9.81]\n"
      "parameters: {k: 40, c: 0.7, w: 0.9, L: 1, a: -1.5}\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies:\n"
      "  bar: {mass: 2, com: [0.4*L, 0.1], inertia: 0.1, points: {O: [0, 0], P: [L, 0]}}\n"
      "  tip: {mass: 1, com: [0.3, 0], inertia: 0.05, points: {P: [0, 0], Q: [0.6, 0]}}\n"
      "joints: [{revolute: [ground.O, bar.O], name: base}, {revolute: [bar.P, tip.P], name: elbow}]\n"
      "states: {y: {rate: \"%s\", initial: 0.2}}\n"
      "forces:\n"
      "  - {coordinate_force: angle(elbow), value: \"%s\"}\n"
      "  - {point_force: tip.Q, value: \"%s\"}\n"
      "initial: {independent: [{coordinate: angle(bar), value: 0.3}, {coordinate: angle(tip), value: -0.5}]}\n"
      "objectives:\n"
      "  swing: {integral: angle(bar)^2}\n"
      "  mixed: {integral: \"%s\"}\n"
      "  held: {final: y}\n"
      "simulation: {end: 0.4, step: 0.01}\n",
      is_program ? "mix(y, omega(bar), a)" : "a*y + sin(omega(bar))",
      is_program ? "spring(value, rate, k, c)" : "-k*value^3 - c*rate",
      is_program ? "wind(r(Q), v(Q), t, w)" : "w*(2 + r(Q).y)*norm([cos(t), sin(t)] - v(Q))*([cos(t), sin(t)] - v(Q))",
      is_program ? "mix(angle(tip), omega(tip), L)" : "L*angle(tip) + sin(omega(tip))");
  return text;
}

static long calls;

static MbsModel *make_model(bool with_slopes, bool with_complex) {
  MbsModel *model = read_text(context, "laws", model_text(true));
  const MbsModelFunction functions[] = {{.argument_count = 4,
                                         .result_count = 1,
                                         .evaluate = spring,
                                         .has_slopes = with_slopes,
                                         .evaluate_complex = with_complex ? complex_spring : NULL,
                                         .user = &calls},
                                        {.argument_count = 6, .result_count = 2, .evaluate = wind, .has_slopes = true},
                                        {.argument_count = 3, .result_count = 1, .evaluate = mix, .has_slopes = true}};
  static const char *const names[] = {"spring", "wind", "mix"};
  for (int i = 0; i < 3; ++i) {
    ENSURE_OK(context, mbs_model_set_function(context, model, names[i], &functions[i]));
  }
  return model;
}

typedef struct How {
  const char *formulation, *coordinates, *integrator;
} How;

static MbsRequest request_of(const MbsModel *model, const How *how, MbsMethod method) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "%s", how->formulation);
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", how->coordinates);
  (void)snprintf(request.settings.integrator, MBS_NAME_LENGTH, "%s", how->integrator);
  request.method = method;
  return request;
}

static MbsResult *run(const MbsModel *model, const How *how, MbsMethod method) {
  const MbsRequest request = request_of(model, how, method);
  MbsResult *result;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  return result;
}

static void ensure_same(const MbsResult *tried, const MbsResult *expected, double most) {
  for (int o = 0; o < expected->objective_count; ++o) {
    int p = expected->parameter_count;
    ENSURE_NEAR(tried->values[o], expected->values[o], most * (1 + fabs(expected->values[o])));
    double size = largest_of(p, expected->gradient + o * p);
    ENSURE(size > 1e-3);
    for (int k = 0; k < p; ++k) {
      ENSURE_NEAR(tried->gradient[o * p + k], expected->gradient[o * p + k], most * size);
    }
  }
}

static void check_laws(void) {
  static const How ways[] = {{"ali3p", "natural", "trapezoidal"},
                             {"index1", "relative", "dormand-prince-5"},
                             {"matrix-r", "natural", "trapezoidal"},
                             {"penalty", "relative", "trapezoidal"},
                             {"index3", "natural", "generalised-alpha"}};
  static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP};
  MbsModel *written = read_text(context, "laws", model_text(false));
  for (int kind = 0; kind < 3; ++kind) {  // slopes, complex arithmetic, both
    MbsModel *model = make_model(kind != 1, kind != 0);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
      for (int m = 0; m < 3; ++m) {
        MbsResult *expected = run(written, &ways[i], MBS_METHOD_DIRECT), *result = run(model, &ways[i], methods[m]);
        ensure_same(result, expected, 1e-9);
        mbs_result_destroy(expected);
        mbs_result_destroy(result);
      }
    }
    mbs_model_destroy(model);
  }
  // one call for value and slopes at a place: no more than so many for each evaluation of forces
  MbsModel *model = make_model(true, false);
  calls = 0;
  MbsResult *result = run(model, &ways[0], MBS_METHOD_NONE);
  ENSURE(calls > 40 && calls < 20 * result->statistics.iterations + 100);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
  mbs_model_destroy(written);
}

#define ENSURE_REFUSED(call, expected, words)                                                       \
  do {                                                                                              \
    MbsStatus status_ = (call);                                                                     \
    if (status_ != (expected) || !strstr(mbs_context_message(context), words)) {                    \
      (void)fprintf(stderr, "%s:%d: status %d, message \"%s\"\n", __FILE__, __LINE__, (int)status_, \
                    mbs_context_message(context));                                                  \
      exit(1);                                                                                      \
    }                                                                                               \
  } while (0)

// without derivatives: steps, finite differences, and terms by differences; nothing else
static void check_without(void) {
  const How how = {"ali3p", "natural", "trapezoidal"};
  static const MbsMethod exact[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP};
  MbsModel *model = make_model(false, false), *written = read_text(context, "laws", model_text(false));
  MbsResult *result = NULL, *expected = run(written, &how, MBS_METHOD_DIRECT);
  for (int m = 0; m < 3; ++m) {
    const MbsRequest request = request_of(model, &how, exact[m]);
    ENSURE_REFUSED(mbs_run(context, model, &request, &result), MBS_ERROR_NOT_OFFERED,
                   "\"spring\" of the program has no");
  }
  result = run(model, &how, MBS_METHOD_FINITE_DIFFERENCE);
  ensure_same(result, expected, 1e-5);
  mbs_result_destroy(result);
  MbsRequest request = request_of(model, &how, MBS_METHOD_DIRECT);
  request.settings.derivatives = MBS_DERIVATIVES_NUMERICAL;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  ensure_same(result, expected, 1e-5);
  mbs_result_destroy(result);
  mbs_result_destroy(expected);
  mbs_model_destroy(model);
  mbs_model_destroy(written);
}

static int no_value(void *user, int count, const double *x, double *y, double *slopes) {
  (void)user, (void)count, (void)slopes;
  y[0] = 0;
  return x[0] > -1e9;
}

static void check_refusals(void) {
  const How how = {"ali3p", "natural", "trapezoidal"};
  MbsModelFunction good = {
      .argument_count = 4, .result_count = 1, .evaluate = spring, .has_slopes = true, .user = &calls};
  MbsModelFunction bad = good;
  MbsModel *model = read_text(context, "laws", model_text(true));
  MbsRequest request;
  MbsResult *result;
  ENSURE_REFUSED(mbs_request_default(context, model, &request) == MBS_OK ? mbs_run(context, model, &request, &result)
                                                                         : MBS_ERROR_INPUT,
                 MBS_ERROR_INPUT, "");
  ENSURE_REFUSED(mbs_model_set_function(context, model, "sin", &good), MBS_ERROR_INPUT, "cannot name a function");
  ENSURE_REFUSED(mbs_model_set_function(context, model, "k", &good), MBS_ERROR_INPUT, "a parameter of the model");
  ENSURE_REFUSED(mbs_model_set_function(context, model, "f", NULL), MBS_ERROR_INPUT, "is NULL");
  bad.evaluate = NULL;
  ENSURE_REFUSED(mbs_model_set_function(context, model, "f", &bad), MBS_ERROR_INPUT, "evaluate is NULL");
  bad = good;
  bad.result_count = 4;
  ENSURE_REFUSED(mbs_model_set_function(context, model, "f", &bad), MBS_ERROR_INPUT, "1 to 3 results");
  mbs_model_destroy(model);
  // as many arguments as it takes; a value that there is not
  model = make_model(true, false);
  bad = good;
  bad.argument_count = 3;
  ENSURE_OK(context, mbs_model_set_function(context, model, "spring", &bad));
  request = request_of(model, &how, MBS_METHOD_NONE);
  ENSURE_REFUSED(mbs_run(context, model, &request, &result), MBS_ERROR_INPUT, "takes 3 numbers");
  bad = good;
  bad.evaluate = no_value;
  ENSURE_OK(context, mbs_model_set_function(context, model, "spring", &bad));
  ENSURE_REFUSED(mbs_run(context, model, &request, &result), MBS_ERROR_NUMERICAL, "is not a finite number");
  mbs_result_destroy(result);
  ENSURE_OK(context, mbs_model_set_function(context, model, "spring", &good));
  request.settings.is_projection_tangent = true;
  request.method = MBS_METHOD_DIRECT;
  ENSURE_REFUSED(mbs_run(context, model, &request, &result), MBS_ERROR_NOT_OFFERED, "second derivatives");
  mbs_model_destroy(model);
  // where it would be differentiated twice
  model = read_text(context, "driven",
                    "mbsens: 1\n"
                    "ground: {points: {O: [0, 0]}}\n"
                    "bodies: {bar: {mass: 2, com: [0.4, 0.1], inertia: 0.1, points: {O: [0, 0]}}}\n"
                    "joints: [{revolute: [ground.O, bar.O]}, {driver: angle(bar), value: \"spring(t, 0, 1, 1)\"}]\n"
                    "simulation: {end: 1, step: 0.1}\n");
  ENSURE_OK(context, mbs_model_set_function(context, model, "spring", &good));
  request = request_of(model, &how, MBS_METHOD_NONE);
  ENSURE_REFUSED(mbs_run(context, model, &request, &result), MBS_ERROR_NOT_OFFERED, "second derivatives");
  mbs_model_destroy(model);
}

// Terms and steps as functions see no difference either.
static void check_terms_and_steps(void) {
  const How how = {"ali3p", "natural", "trapezoidal"};
  MbsModel *models[] = {make_model(true, false), read_text(context, "laws", model_text(false))};
  double f[2][5], bars[2][5], *q = NULL, *v = NULL, *w = NULL, *J = NULL;
  for (int i = 0; i < 2; ++i) {
    MbsRequest request = request_of(models[i], &how, MBS_METHOD_NONE);
    MbsTerms *terms;
    MbsStepMap *map;
    ENSURE_OK(context, mbs_terms_create(context, models[i], &request, &terms));
    ENSURE_OK(context, mbs_step_map_create(context, models[i], &request, &map));
    int n = mbs_terms_width(terms, MBS_BY_POSITIONS);
    q = q ? q : zeros(n), v = v ? v : zeros(n), w = w ? w : zeros(n), J = J ? J : zeros(n);
    ENSURE_OK(context, mbs_terms_state(context, terms, NULL, n, q, v));
    for (int k = 0; k < n; ++k) {
      w[k] = 1 + k;
    }
    ENSURE_OK(context,
              mbs_terms_product_transposed(context, terms, MBS_TERMS_ACCELERATIONS, MBS_BY_PARAMETERS, n, w, 5, f[i]));
    ENSURE_OK(context, mbs_step_map_run(context, map, 0.2, n, q, v, 2, NULL));
    const MbsStepResults bar = {.velocity = w};
    const MbsStepArguments received = {.parameters = bars[i]};
    ENSURE_OK(context, mbs_step_map_vjp(context, map, &bar, &received));
    mbs_terms_destroy(terms);
    mbs_step_map_destroy(map);
    mbs_model_destroy(models[i]);
  }
  ENSURE(largest_of(5, f[1]) > 0.1 && largest_of(5, bars[1]) > 1e-3);
  for (int k = 0; k < 5; ++k) {
    ENSURE_NEAR(f[0][k], f[1][k], 1e-10 * largest_of(5, f[1]));
    ENSURE_NEAR(bars[0][k], bars[1][k], 1e-10 * largest_of(5, bars[1]));
  }
  free(q);
  free(v);
  free(w);
  free(J);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_laws();
  check_without();
  check_terms_and_steps();
  check_refusals();
  mbs_context_destroy(context);
  return 0;
}
