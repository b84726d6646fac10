// NOT YET COMPILED OR RUN. What docs/validation.md promises of ali3p and of the rules in time.
#include "support.h"

static MbsContext *context;

typedef void Adjust(MbsSettings *settings, double number);

static MbsResult *run(const char *path, const char *formulation, double step, double end, Adjust *adjust, double number,
                      MbsMethod method) {
  MbsModel *model = read_model(context, path);
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  request.settings.step = step;
  request.settings.end = end > 0 ? end : request.settings.end;
  request.method = method;
  if (adjust) {
    adjust(&request.settings, number);
  }
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  mbs_model_destroy(model);
  return result;
}

// d psi1/d(Ls1, Ls2): the scheme's own exact gradient at h = 1e-2 (derived), then its limit; 1e-5 is asked for
static void check_table_1(void) {
  static const double rows[][3] = {{1e-2, -4.22936, 3.21102}, {1e-3, -4.228810855, 3.211604103}};
  for (int i = 0; i < 2; ++i) {
    MbsResult *result = run("models/five_bar.yaml", "ali3p", rows[i][0], 0, NULL, 0, MBS_METHOD_DIRECT);
    ENSURE_NEAR(result->gradient[0], rows[i][1], 1e-5);  // psi1: first objective; Ls1, Ls2: first parameters
    ENSURE_NEAR(result->gradient[1], rows[i][2], 1e-5);
    mbs_result_destroy(result);
  }
}

static void set_projected(MbsSettings *settings, double number) { settings->is_nonholonomic_projected = number > 0; }

// yA and d yA/d fB at 5 s, digits to 1e-8: ratio 100 of the errors at 1e-1 and 1e-2 if coupled, 10 if projected
static void check_nonholonomic_order(void) {
  for (int projected = 0; projected < 2; ++projected) {
    double error[2][2];
    for (int i = 0; i < 2; ++i) {
      MbsResult *result =
          run("models/two_point_mass.yaml", "ali3p", i ? 1e-2 : 1e-1, 0, set_projected, projected, MBS_METHOD_DIRECT);
      error[i][0] = result->values[1] - 1.84021782;
      error[i][1] = result->gradient[1] - 0.76550729;
      mbs_result_destroy(result);
    }
    for (int k = 0; k < 2; ++k) {
      ENSURE_NEAR(error[0][k] / error[1][k], projected ? 10 : 100, projected ? 1 : 5);
    }
  }
}

static void check_residuals(const char *path, void *user) {
  (void)user;
  double step = strstr(path, "andrews") ? 1e-5 : 1e-3;
  int steps = strstr(path, "bricard") ? 2000 : 100;  // redundant rows: digits are lost where the linkage is stretched
  MbsResult *result = run(path, "ali3p", step, steps * step, NULL, 0, MBS_METHOD_NONE);
  ENSURE(result->statistics.residual_position <= 1e-10);
  ENSURE(result->statistics.residual_velocity <= 1e-10);
  ENSURE(result->statistics.residual_acceleration <= 1e-10);
  mbs_result_destroy(result);
}

static void set_gamma(MbsSettings *settings, double number) {
  (void)snprintf(settings->integrator, sizeof settings->integrator, "newmark");
  settings->gamma = number;
}

static void set_radius(MbsSettings *settings, double number) {
  (void)snprintf(settings->integrator, sizeof settings->integrator, "generalised-alpha");
  settings->spectral_radius = number;
}

// A start that moves: direct and adjoint meet the complex step, and psi3 (accelerations) converges with the rule's
// order, one for gamma = 0.6 and two for generalised-alpha; radius 1 damps nothing: index3 is left out there.
static void check_rules(void) {
  static const struct {
    Adjust *adjust;
    double number, ratio;
  } rules[] = {{set_gamma, 0.6, 2}, {set_radius, 0, 4}, {set_radius, 0.5, 4}, {set_radius, 1, 4}};
  const char *path = "tests/models/five_bar_moving.yaml";
  for (int r = 0; r < 4; ++r) {
    for (int f = 0; f < 2; ++f) {
      const char *formulation = f ? "index3" : "ali3p";
      if (f && rules[r].number >= 1) {
        continue;
      }
      double psi[3];
      for (int i = 0; i < 3; ++i) {
        MbsResult *result =
            run(path, formulation, 2.5e-4 / (1 << i), 1, rules[r].adjust, rules[r].number, MBS_METHOD_NONE);
        psi[i] = result->values[2];
        mbs_result_destroy(result);
      }
      double ratio = (psi[0] - psi[1]) / (psi[1] - psi[2]);
      (void)printf("%s, rule %d: ratio %.3f\n", formulation, r, ratio);
      ENSURE_NEAR(ratio, rules[r].ratio, 0.2);
      MbsResult *reference =
          run(path, formulation, 1e-2, 0.5, rules[r].adjust, rules[r].number, MBS_METHOD_COMPLEX_STEP);
      for (int m = 0; m < 2; ++m) {
        MbsResult *tried = run(path, formulation, 1e-2, 0.5, rules[r].adjust, rules[r].number,
                               m ? MBS_METHOD_ADJOINT : MBS_METHOD_DIRECT);
        for (int i = 0; i < tried->objective_count * tried->parameter_count; ++i) {
          ENSURE_NEAR(tried->gradient[i], reference->gradient[i], 1e-8 * (1 + fabs(reference->gradient[i])));
        }
        mbs_result_destroy(tried);
      }
      mbs_result_destroy(reference);
    }
  }
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_table_1();
  check_nonholonomic_order();
  ENSURE(for_each_file("models/*.yaml", check_residuals, NULL) > 10);
  check_rules();
  mbs_context_destroy(context);
  return 0;
}
