// Equilibria along a parameter. What cannot be fooled: closed forms with their derivatives, a limit point whose load is
// known, and each equilibrium found by itself from the model's start.
#include <mbsens/equilibrium.h>

#include "support.h"

static MbsContext *context;

static MbsStatus follow(const MbsModel *model, MbsMethod method, const char *in, const char *name, int count,
                        const double *values, MbsEquilibriumSweep **sweep) {
  MbsRequest request;
  const MbsEquilibriumSweepDef def = {.parameter = name, .count = count, .values = values};
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = method;
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", in);
  return mbs_equilibrium_sweep(context, model, &request, &def, sweep);
}

// ---- a truss that snaps through ----
// F(y), dF/dy and dF/dL0 of tests/models/shallow_truss.yaml
static double load(double k, double L0, double y) { return k * y * (L0 / sqrt(1 + y * y) - 1); }
static double stiffness(double k, double L0, double y) { return k * (L0 / pow(1 + y * y, 1.5) - 1); }

static void test_truss(MbsMethod method, const char *in) {
  MbsModel *model = read_model(context, "tests/models/shallow_truss.yaml");
  MbsEquilibriumSweep *sweep;
  const double k = 100, L0 = 1.2, values[] = {0, 1, 3, 4.6, -2, 4.6463479};
  ENSURE_OK(context, follow(model, method, in, "F", 6, values, &sweep));
  ENSURE(sweep->is_complete && sweep->count == 6 && !sweep->message);
  for (int i = 0; i < sweep->count; ++i) {
    const MbsResult *point = sweep->points[i];
    double y = point->values[0], softness = 1 / stiffness(k, L0, y);
    ENSURE_NEAR(load(k, L0, y), values[i], 1e-11);
    ENSURE_NEAR(sweep->values[i], values[i], 0);
    ENSURE(y > 0.3 && point->equilibrium->is_stable);
    double scale = i == 5 ? 1e4 : fabs(softness);  // the last one is at the limit point but for 4e-8: 1e-12 of F
    ENSURE_NEAR(point->gradient[2], softness, 1e-6 * scale * scale);
    ENSURE_NEAR(point->gradient[0], -softness * values[i] / k, 1e-6 * scale * scale);
    ENSURE_NEAR(point->gradient[1], -softness * k * y / sqrt(1 + y * y), 1e-4 * scale * scale);
    ENSURE(fabs(point->gradient[1]) > 1);
  }
  mbs_equilibrium_sweep_destroy(sweep);
  mbs_model_destroy(model);
}

// beyond the limit nothing is near, and the way back of the branch is not taken for the way on
static void test_limit(void) {
  MbsModel *model = read_model(context, "tests/models/shallow_truss.yaml");
  MbsEquilibriumSweep *sweep;
  const double values[] = {0, 2.5, 5, 6}, limit = 100 * pow(pow(1.2, 2. / 3) - 1, 1.5);
  ENSURE(follow(model, MBS_METHOD_DIRECT, "natural", "F", 4, values, &sweep) == MBS_ERROR_NUMERICAL);
  ENSURE_CONTAINS(mbs_context_message(context), "limit point at F = 4.64634");
  ENSURE(sweep && sweep->count == 2 && !sweep->is_complete && sweep->is_limit);
  ENSURE_TEXT(sweep->message, mbs_context_message(context));
  ENSURE_NEAR(sweep->last, limit, 1e-8);
  mbs_equilibrium_sweep_destroy(sweep);
  // another load leads to another limit
  ENSURE_OK(context, mbs_model_set(context, model, "L0", "1.1"));
  ENSURE(follow(model, MBS_METHOD_NONE, "natural", "F", 4, values, &sweep) == MBS_ERROR_NUMERICAL);
  ENSURE_NEAR(sweep->last, 100 * pow(pow(1.1, 2. / 3) - 1, 1.5), 1e-8);
  mbs_equilibrium_sweep_destroy(sweep);
  mbs_model_destroy(model);
}

// ---- a mass on a spring that meets a stop, 500 times stiffer, and leaves it ----
static void test_kink(void) {
  MbsModel *model =
      read_text(context, "kink",
                "mbsens: 1\ngravity: [0, 0]\nparameters: {k: 200, s: 0.1, F: 0}\nground: {points: {O: [0, 0]}}\n"
                "bodies: {a: {mass: 1, inertia: 1, points: {P: [0, 0]}}}\n"
                "joints: [{name: guide, prismatic: [ground.O, a.P], axis: [1, 0]}]\n"
                "forces:\n  - {coordinate_force: slide(guide), value: F - k*value}\n"
                "  - {stop: slide(guide), upper: s, stiffness: 1e5, exponent: 1}\n"
                "objectives: {x: {equilibrium: slide(guide)}}\n");
  const double values[] = {0, 15, 40, 400, 20.5, 5, -300};
  for (int c = 0; c < 2; ++c) {
    MbsEquilibriumSweep *sweep;
    ENSURE_OK(context, follow(model, MBS_METHOD_DIRECT, c ? "relative" : "natural", "F", 7, values, &sweep));
    for (int i = 0; i < 7; ++i) {
      bool is_stopped = values[i] > 20;
      double x = is_stopped ? (values[i] + 1e5 * 0.1) / (200 + 1e5) : values[i] / 200;
      ENSURE_NEAR(sweep->points[i]->values[0], x, 1e-12);
      ENSURE_NEAR(sweep->points[i]->gradient[2], 1 / (is_stopped ? 200 + 1e5 : 200), 1e-12);
      ENSURE_NEAR(sweep->points[i]->gradient[1], is_stopped ? 1e5 / (200 + 1e5) : 0, 1e-10);
    }
    mbs_equilibrium_sweep_destroy(sweep);
  }
  mbs_model_destroy(model);
}

// ---- a suspension over its wheel travel, against each position found by itself; rows for files ----
typedef struct Rows {
  int columns, count, wheel;
  double first[8], wheel_height[8];
} Rows;

static MbsStatus begin(void *user, int column_count, const char *const *names) {
  Rows *rows = user;
  rows->columns = column_count;
  ENSURE_TEXT(names[0], "rt");
  for (int j = 0; j < column_count; ++j) {
    rows->wheel = strcmp(names[j], "W.z") == 0 ? j : rows->wheel;
  }
  return MBS_OK;
}

static MbsStatus add(void *user, const double *values) {
  Rows *rows = user;
  rows->first[rows->count] = values[0];
  rows->wheel_height[rows->count++] = values[rows->wheel];
  return MBS_OK;
}

static void test_suspension(const char *in) {
  MbsModel *model = read_model(context, "models/steered_wishbone.yaml");
  MbsRequest request;
  MbsEquilibriumSweep *sweep;
  const double values[] = {0.3, 0.34, 0.38, 0.24};
  Rows rows = {.wheel = -1};
  const MbsRecorder recorder = {.user = &rows, .begin = begin, .row = add};
  const MbsEquilibriumSweepDef def = {.parameter = "rt", .count = 4, .values = values};
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", in);
  (void)snprintf(request.settings.columns, sizeof request.settings.columns, "points");
  request.method = MBS_METHOD_NONE;
  request.recorder = &recorder;
  ENSURE_OK(context, mbs_equilibrium_sweep(context, model, &request, &def, &sweep));
  ENSURE(rows.count == 4 && rows.wheel > 0);
  request.recorder = NULL;
  for (int i = 0; i < 4; ++i) {
    char text[20];
    MbsResult *alone;
    (void)snprintf(text, sizeof text, "%g", values[i]);
    ENSURE_OK(context, mbs_model_set(context, model, "rt", text));
    ENSURE_OK(context, mbs_equilibrium(context, model, &request, &alone));
    const MbsResult *point = sweep->points[i];
    ENSURE(point->point_count == alone->point_count);
    for (int p = 0; p < point->point_count; ++p) {
      for (int k = 0; k < 3; ++k) {
        ENSURE_NEAR(point->points[p].position[k], alone->points[p].position[k], 1e-12);
      }
      if (strcmp(point->points[p].name, "W") == 0) {
        ENSURE_NEAR(rows.wheel_height[i], alone->points[p].position[2], 1e-12);
      }
    }
    ENSURE_NEAR(rows.first[i], values[i], 0);
    mbs_result_destroy(alone);
  }
  ENSURE(fabs(rows.wheel_height[2] - rows.wheel_height[3]) > 0.1);
  mbs_equilibrium_sweep_destroy(sweep);
  mbs_model_destroy(model);
}

// ---- what is refused ----
static void test_mistakes(void) {
  MbsModel *model = read_model(context, "tests/models/shallow_truss.yaml");
  MbsEquilibriumSweep *sweep;
  const double one = 1, none = (double)NAN;
  ENSURE(follow(model, MBS_METHOD_DIRECT, "natural", "G", 1, &one, &sweep) == MBS_ERROR_INPUT && !sweep);
  ENSURE_CONTAINS(mbs_context_message(context), "no parameter \"G\"");
  ENSURE(follow(model, MBS_METHOD_DIRECT, "natural", "F", 0, &one, &sweep) == MBS_ERROR_INPUT && !sweep);
  ENSURE_CONTAINS(mbs_context_message(context), "one value or more");
  ENSURE(follow(model, MBS_METHOD_DIRECT, "natural", "F", 1, &none, &sweep) == MBS_ERROR_INPUT && !sweep);
  ENSURE_CONTAINS(mbs_context_message(context), "not a finite number");
  ENSURE(follow(model, MBS_METHOD_COMPLEX_STEP, "natural", "F", 1, &one, &sweep) == MBS_ERROR_NOT_OFFERED && !sweep);
  ENSURE_CONTAINS(mbs_context_message(context), "not offered");
  mbs_equilibrium_sweep_destroy(NULL);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  for (int c = 0; c < 2; ++c) {
    const char *in = c ? "relative" : "natural";
    test_truss(MBS_METHOD_DIRECT, in);
    test_truss(MBS_METHOD_ADJOINT, in);
    test_suspension(in);
  }
  test_limit();
  test_kink();
  test_mistakes();
  mbs_context_destroy(context);
  return 0;
}
