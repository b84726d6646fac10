// Every shipped model that has an equilibrium: how the eigenvalues of the motion about it move with the parameter that
// moves them most, against central differences of the model run anew. Three steps of the differences, each half of the
// one before: extrapolated they must agree with the derivative as well as they agree with each other.
#include <mbsens/linearize.h>

#include "support.h"

static MbsContext *context;

enum { STEPS = 3, MOST_MODES = 1 };

static MbsStatus linearize(const MbsModel *model, bool has_gradients, MbsLinearization **linear) {
  MbsRequest request;
  MbsLinearizeDef def = mbs_default_linearize_def();
  def.has_gradients = has_gradients;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.settings.is_equilibrium = true;  // at rest, whatever rates a run has
  return mbs_linearize(context, model, &request, &def, linear);
}

// the eigenvalue that is nearest
static void nearest(const MbsLinearization *linear, const MbsEigenmode *mode, double *part) {
  double least = HUGE_VAL;
  for (int k = 0; k < linear->mode_count; ++k) {
    double away = hypot(linear->mode[k].real - mode->real, linear->mode[k].imag - mode->imag);
    if (away < least) {
      least = away;
      part[0] = linear->mode[k].real;
      part[1] = linear->mode[k].imag;
    }
  }
}

// the difference by a parameter, of the real and the imaginary part; false: the model refuses such a number
static bool difference(MbsModel *model, const char *parameter, double value, double step, const MbsEigenmode *mode,
                       double *slope) {
  double side[2][2];
  bool is_there = true;
  for (int s = 0; s < 2 && is_there; ++s) {
    char number[40];
    MbsLinearization *linear;
    (void)snprintf(number, sizeof number, "%.17g", value + (s == 0 ? -step : step));
    ENSURE_OK(context, mbs_model_set(context, model, parameter, number));
    is_there = linearize(model, false, &linear) == MBS_OK;
    if (is_there) {
      nearest(linear, mode, side[s]);
      mbs_linearization_destroy(linear);
    }
  }
  char number[40];
  (void)snprintf(number, sizeof number, "%.17g", value);
  ENSURE_OK(context, mbs_model_set(context, model, parameter, number));
  for (int i = 0; i < 2 && is_there; ++i) {
    slope[i] = (side[1][i] - side[0][i]) / (2 * step);
  }
  return is_there;
}

static void ensure_mode(const char *path, MbsModel *model, const MbsLinearization *linear, const MbsEigenmode *mode,
                        int *compared) {
  int most = -1;
  double largest = 0;
  for (int p = 0; p < linear->parameter_count; ++p) {
    double by = hypot(mode->gradient[2 * p], mode->gradient[2 * p + 1]) * fabs(linear->parameter_values[p]);
    if (by > largest) {
      largest = by;
      most = p;
    }
  }
  if (most < 0 || largest < 1e-3 * hypot(mode->real, mode->imag)) {
    return;
  }
  double slopes[STEPS][2], value = linear->parameter_values[most];
  for (int i = 0; i < STEPS; ++i) {
    if (!difference(model, linear->parameters[most], value, fabs(value) * 2e-4 / (1 << i), mode, slopes[i])) {
      return;
    }
  }
  for (int i = 0; i < 2; ++i) {
    double coarse = (4 * slopes[1][i] - slopes[0][i]) / 3, fine = (4 * slopes[2][i] - slopes[1][i]) / 3;
    double scale = largest / fabs(value), own = mode->gradient[2 * most + i];
    double tolerance = 1e-6 * scale + 4 * fabs(fine - coarse);
    if (!(tolerance <= 1e-2 * scale) || !(fabs(own - fine) <= tolerance)) {
      (void)fprintf(stderr, "%s: eigenvalue %g %+gi by %s: %.12g, differences %.12g, %.12g, %.12g\n", path, mode->real,
                    mode->imag, linear->parameters[most], own, slopes[0][i], slopes[1][i], slopes[2][i]);
      exit(1);
    }
  }
  *compared += 1;
}

static void visit(const char *path, void *user) {
  static const char *const left_out[] = {
      "bouncing_ball",   "clutch",       "crane",        "flying_rotor",    "geneva",        "governor",
      "rod_drop",        "rolling_coin", "rolling_disc", "string_pendulum",  // no equilibrium at rest
      "two_point",       "_40",          "iltis",        "stewart",         "wishbone_axle", "rimless",  // large
      "bricard",            // hangs where its hinges are special
      "switching_damper"};  // its damper switches where it rests
  int *compared = user;
  for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; ++i) {
    if (strstr(path, left_out[i])) {
      return;
    }
  }
  MbsModel *model = read_model(context, path);
  MbsLinearization *linear;
  if (linearize(model, true, &linear) != MBS_OK) {
    ENSURE_CONTAINS(mbs_context_message(context), "no degree of freedom");
    mbs_model_destroy(model);
    return;
  }
  int modes = 0;
  for (int k = linear->mode_count - 1; k >= 0 && modes < MOST_MODES; --k) {
    const MbsEigenmode *mode = &linear->mode[k];
    if (mode->gradient && mode->repeated == 1 && mode->imag >= 0 && mode->frequency > 1e-3) {
      ensure_mode(path, model, linear, mode, compared);
      modes += 1;
    }
  }
  mbs_linearization_destroy(linear);
  mbs_model_destroy(model);
}

int main(void) {
  int compared = 0;
  context = mbs_context_create();
  for_a_share_of_files("models/*.yaml", visit, &compared);
  ENSURE(share_of_models() > 1 || compared >= 20);
  mbs_context_destroy(context);
  return 0;
}
