// Identification: intervals against the closed formulas of linear regression, with bounds, missing samples, several
// outputs and runs; known motions found again through impacts and with steps of their own; what the data cannot tell
// apart; distributions against tables; values between steps, their order, and what they do at events.
#include <math.h>
#include <mbsens/identify.h>

#include "optimization/row_sample.h"
#include "optimization/student.h"
#include "support.h"

static MbsContext *context;

// ---- distributions: Abramowitz, Stegun, tables 26.8, 26.10 (more digits: SciPy) ----
static void test_distributions(void) {
  ENSURE_NEAR(mbs_student_bound(0.95, 1), 12.706204736432095, 1e-9);
  ENSURE_NEAR(mbs_student_bound(0.95, 10), 2.2281388519649385, 1e-10);
  ENSURE_NEAR(mbs_student_bound(0.99, 30), 2.7499956535670305, 1e-10);
  ENSURE_NEAR(mbs_student_bound(0.95, HUGE_VAL), 1.9599639845400545, 1e-12);
  ENSURE_NEAR(mbs_chi_square_above(18.307038053275146, 10), 0.05, 1e-12);
  ENSURE_NEAR(mbs_chi_square_above(3.9402991361190605, 10), 0.95, 1e-12);
  ENSURE_NEAR(mbs_chi_square_above(3, 2), exp(-1.5), 1e-14);
}

// ---- values between rows ----
static double worst_between(int rows, double h) {
  double times[100], worst = 0;
  for (int i = 0; i < rows; ++i) {
    times[i] = i * h;
  }
  for (double t = 0; t < times[rows - 1]; t += 0.37 * h) {
    MbsRowSample sample = mbs_row_sample(rows, times, 1, false, t, 0);
    double value = 0;
    for (int s = 0; s < sample.count; ++s) {
      value += sample.weights[s] * sin(3 * times[sample.rows[s]]);
    }
    worst = fmax(worst, fabs(value - sin(3 * t)));
  }
  return worst;
}

static void test_rows(void) {
  // order six: half the step, an error 64 times smaller
  double coarse = worst_between(21, 0.1), fine = worst_between(41, 0.05);
  ENSURE(coarse > 1e-6 && log2(coarse / fine) > 5.7 && log2(coarse / fine) < 6.6);
  const double times[] = {0, 0.1, 0.2, 0.3, 0.34, 0.34, 0.4, 0.5, 0.6, 0.7};
  enum { COUNT = sizeof times / sizeof times[0] };
  MbsRowSample at = mbs_row_sample(COUNT, times, 1, false, 0.2, 0);
  ENSURE(at.count == 1 && at.rows[0] == 2);
  for (int k = 0; k < 20; ++k) {  // never across an event, and never its rows, whose times move
    double t = 0.05 + 0.03 * k;
    MbsRowSample sample = mbs_row_sample(COUNT, times, 1, false, t, 0);
    ENSURE(sample.count > 0);
    for (int s = 0; s < sample.count; ++s) {
      ENSURE(sample.rows[s] != 4 && sample.rows[s] != 5 && (sample.rows[s] > 5) == (t > 0.34));
    }
  }
  MbsRowSample before = mbs_row_sample(COUNT, times, 1, false, 0.34, 0);  // at the event: the state before it
  ENSURE(before.count == 4 && before.rows[0] == 3);
  ENSURE(mbs_row_sample(COUNT, times, 1, false, 0.71, 0).count == 0);
  ENSURE(mbs_row_sample(COUNT, times, 1, false, -0.01, 0).count == 0);
  // a run that an event ends: its last row is none to build on
  ENSURE(mbs_row_sample(COUNT, times, 1, true, 0.69, 0).rows[0] == 8);
}

// ---- regression: x = x0 + v0 t ----
enum { ROWS = 12 };
static const char line_text[] =
    "mbsens: 1\nname: line\nparameters: {x0: 0.5, v0: {value: 1, lower: -10, upper: 10}}\n"
    "coordinates: {x: {inertia: 2}}\n"
    "initial: {independent: [{coordinate: x, value: x0, velocity: v0}]}\n"
    "outputs: {place: x, twice: 2*x, speed: rate(x)}\n"
    "simulation: {end: 2, step: 0.1, formulation: index1}\n";

typedef struct Line {
  double t[ROWS], place[ROWS], twice[ROWS];
} Line;

// times that are no ends of steps, noise that is the same everywhere, a gap
static Line line_data(void) {
  Line data;
  uint64_t seed = 7;
  for (int i = 0; i < ROWS; ++i) {
    data.t[i] = 0.013 + 0.17 * i;
    data.place[i] = 1.25 - 0.75 * data.t[i] + 0.05 * random_number(&seed);
    data.twice[i] = 2 * (1.25 - 0.75 * data.t[i]) + 0.3 * random_number(&seed);
  }
  data.place[3] = (double)NAN;
  return data;
}

static MbsIdentification *identify(const MbsModel *model, const MbsIdentifyDef *def) {
  MbsRequest *request;
  MbsIdentification *found;
  ENSURE_OK(context, mbs_request_create(context, model, &request));
  ENSURE_OK(context, mbs_identify(context, model, request, def, &found));
  mbs_request_destroy(request);
  return found;
}

// weighted sums of regression: S[0] = sum w, S[1] = sum w t, S[2] = sum w t^2, Y[0] = sum w y, Y[1] = sum w t y
static void add_sums(int count, const double *t, const double *y, double factor, double sigma, double S[3],
                     double Y[2]) {
  for (int i = 0; i < count; ++i) {
    if (!isnan(y[i])) {
      double w = factor * factor / (sigma * sigma), value = y[i] / factor;
      S[0] += w;
      S[1] += w * t[i];
      S[2] += w * t[i] * t[i];
      Y[0] += w * value;
      Y[1] += w * t[i] * value;
    }
  }
}

static void test_regression(void) {
  MbsModel *model = read_text(context, "line", line_text);
  Line data = line_data();
  // sigma is not known: estimated from what is left, intervals of Student
  const MbsMeasurement place = {.column = "place", .output = "place", .values = data.place};
  MbsExperiment experiment = {
      .name = "data", .row_count = ROWS, .times = data.t, .measurement_count = 1, .measurements = &place};
  MbsIdentifyDef def = mbs_default_identify_def();
  def.tolerance = 1e-9;
  def.experiment_count = 1;
  def.experiments = &experiment;
  MbsIdentification *found = identify(model, &def);
  double S[3] = {0}, Y[2] = {0}, squares = 0;
  add_sums(ROWS, data.t, data.place, 1, 1, S, Y);
  double D = S[0] * S[2] - S[1] * S[1], x0 = (S[2] * Y[0] - S[1] * Y[1]) / D, v0 = (S[0] * Y[1] - S[1] * Y[0]) / D;
  for (int i = 0; i < ROWS; ++i) {
    squares += isnan(data.place[i]) ? 0 : pow(x0 + v0 * data.t[i] - data.place[i], 2);
  }
  double sigma = sqrt(squares / (ROWS - 1 - 2)), bound = mbs_student_bound(0.95, ROWS - 1 - 2);
  ENSURE(found->is_found && found->measurement_count == ROWS - 1 && found->fit_count == 1);
  ENSURE_NEAR(found->parameter_values[0], x0, 1e-9);
  ENSURE_NEAR(found->parameter_values[1], v0, 1e-9);
  ENSURE_NEAR(found->fits[0].sigma, sigma, 1e-9);
  ENSURE_NEAR(found->freedom, ROWS - 3, 0);
  ENSURE_NEAR(found->covariance[0], sigma * sigma * S[2] / D, 1e-12);
  ENSURE_NEAR(found->covariance[1], -sigma * sigma * S[1] / D, 1e-12);
  ENSURE_NEAR(found->correlation[1], -S[1] / sqrt(S[0] * S[2]), 1e-9);
  ENSURE_NEAR(found->upper[1] - found->lower[1], 2 * bound * sigma * sqrt(S[0] / D), 1e-9);
  mbs_identification_destroy(found);

  // two outputs of known precision, in two runs, one of which starts elsewhere
  const double known = -2;
  Line other = line_data();
  for (int i = 0; i < ROWS; ++i) {
    other.twice[i] += 2 * (known - 1.25);
  }
  const MbsMeasurement both[] = {{.column = "a", .output = "place", .sigma = 0.03, .values = data.place},
                                 {.column = "b", .output = "twice", .sigma = 0.2, .values = data.twice}};
  const MbsMeasurement twice = {.column = "b", .output = "twice", .sigma = 0.2, .values = other.twice};
  const MbsExperiment runs[] = {
      {.name = "one", .row_count = ROWS, .times = data.t, .measurement_count = 2, .measurements = both},
      {.name = "other",
       .row_count = ROWS,
       .times = data.t,
       .measurement_count = 1,
       .measurements = &twice,
       .set_count = 1,
       .set = (const char *const[]){"x0"},
       .set_values = &known}};
  MbsRequest *request;
  ENSURE_OK(context, mbs_request_create(context, model, &request));
  ENSURE_OK(context, mbs_request_set(context, request, "parameters", "v0"));
  ENSURE_OK(context, mbs_model_set(context, model, "x0", "1.25"));
  def.experiment_count = 2;
  def.experiments = runs;
  ENSURE_OK(context, mbs_identify(context, model, request, &def, &found));
  double sum = 0, weight = 0, places[ROWS], twices[ROWS], others[ROWS];
  for (int i = 0; i < ROWS; ++i) {
    places[i] = data.place[i] - 1.25;
    twices[i] = data.twice[i] - 2.5;
    others[i] = other.twice[i] - 2 * known;
  }
  memset(S, 0, sizeof S);
  memset(Y, 0, sizeof Y);
  add_sums(ROWS, data.t, places, 1, 0.03, S, Y);
  add_sums(ROWS, data.t, twices, 2, 0.2, S, Y);
  add_sums(ROWS, data.t, others, 2, 0.2, S, Y);
  sum = Y[1];
  weight = S[2];
  ENSURE_NEAR(found->parameter_values[0], sum / weight, 1e-9);
  ENSURE_NEAR(found->standard_errors[0], 1 / sqrt(weight), 1e-10);
  ENSURE_NEAR(found->upper[0] - found->lower[0], 2 * 1.9599639845400545 / sqrt(weight), 1e-9);
  ENSURE(isinf(found->freedom) && found->chance > 0 && found->chance < 1);
  ENSURE(found->fit_count == 2);
  mbs_identification_destroy(found);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
}

// the best between bounds is not the nearest point to the best without
static void test_bounds(void) {
  MbsModel *model = read_text(context, "line", line_text);
  ENSURE_OK(context, mbs_model_set(context, model, "x0", "0.5"));
  Line data = line_data();
  const MbsMeasurement place = {.column = "place", .output = "place", .values = data.place};
  const MbsExperiment experiment = {
      .name = "data", .row_count = ROWS, .times = data.t, .measurement_count = 1, .measurements = &place};
  MbsIdentifyDef def = mbs_default_identify_def();
  def.tolerance = 1e-9;
  def.experiment_count = 1;
  def.experiments = &experiment;
  MbsModel *bounded = read_text(context, "line",
                                "mbsens: 1\nname: line\n"
                                "parameters: {x0: {value: 0.5, upper: 1}, v0: {value: 1, lower: -10, upper: 10}}\n"
                                "coordinates: {x: {inertia: 2}}\n"
                                "initial: {independent: [{coordinate: x, value: x0, velocity: v0}]}\n"
                                "outputs: {place: x}\n"
                                "simulation: {end: 2, step: 0.1, formulation: index1}\n");
  MbsIdentification *found = identify(bounded, &def);
  double S[3] = {0}, Y[2] = {0}, above[ROWS];
  for (int i = 0; i < ROWS; ++i) {
    above[i] = data.place[i] - 1;
  }
  add_sums(ROWS, data.t, above, 1, 1, S, Y);
  ENSURE(found->is_found && found->is_at_bound[0] && !found->is_at_bound[1] && found->warning_count > 0);
  ENSURE_NEAR(found->parameter_values[0], 1, 0);
  ENSURE_NEAR(found->parameter_values[1], Y[1] / S[2], 1e-9);
  ENSURE(isnan(found->lower[0]) && isfinite(found->lower[1]) && isnan(found->covariance[1]));
  mbs_identification_destroy(found);
  mbs_model_destroy(bounded);
  mbs_model_destroy(model);
}

// ---- weights of outputs whose precision is not known: where they settle, each is that of what is left ----
static void test_estimated_weights(void) {
  MbsModel *model = read_text(context, "line", line_text);
  Line data = line_data();
  const MbsMeasurement both[] = {{.column = "a", .output = "place", .values = data.place},
                                 {.column = "b", .output = "twice", .values = data.twice}};
  const MbsExperiment experiment = {
      .name = "data", .row_count = ROWS, .times = data.t, .measurement_count = 2, .measurements = both};
  MbsIdentifyDef def = mbs_default_identify_def();
  def.tolerance = 1e-9;
  def.experiment_count = 1;
  def.experiments = &experiment;
  MbsIdentification *found = identify(model, &def);
  double a = found->fits[0].sigma, b = found->fits[1].sigma, S[3] = {0}, Y[2] = {0};
  add_sums(ROWS, data.t, data.place, 1, a, S, Y);
  add_sums(ROWS, data.t, data.twice, 2, b, S, Y);
  double D = S[0] * S[2] - S[1] * S[1];
  ENSURE_NEAR(found->parameter_values[0], (S[2] * Y[0] - S[1] * Y[1]) / D, 1e-5);
  ENSURE_NEAR(found->covariance[0], S[2] / D, 1e-6 * S[2] / D);
  ENSURE_NEAR(found->value, 2 * ROWS - 1 - 2, 1e-3);  // each output its measurements less its share of the parameters
  ENSURE(b > 3 * a);
  mbs_identification_destroy(found);
  mbs_model_destroy(model);
}

// ---- an oscillator, data from its closed form ----
static const char oscillator_text[] =
    "mbsens: 1\nname: oscillator\nparameters: {k: 6, m: 2, k2: 1, x0: 1, idle: 4}\ncoordinates: {x: {inertia: m}}\n"
    "initial: {independent: [{coordinate: x, value: x0}]}\n"
    "forces: [{coordinate_force: x, value: -(k + k2)*x}]\noutputs: {x: x}\n";

enum { MANY = 40 };
static MbsIdentification *find_oscillator(const char *settings, const char *parameters, bool has_failed) {
  char text[1000];
  (void)snprintf(text, sizeof text, "%s%s", oscillator_text, settings);
  MbsModel *model = read_text(context, "oscillator", text);
  MbsRequest *request;
  MbsIdentification *found = NULL;
  double t[MANY], x[MANY];
  for (int i = 0; i < MANY; ++i) {
    t[i] = 0.0123 + 0.04 * i;
    x[i] = 1.5 * cos(sqrt(9.0 / 2) * t[i]);
  }
  const MbsMeasurement measurement = {.column = "x", .output = "x", .values = x};
  const MbsExperiment experiment = {
      .name = "data", .row_count = MANY, .times = t, .measurement_count = 1, .measurements = &measurement};
  MbsIdentifyDef def = mbs_default_identify_def();
  def.tolerance = 1e-9;
  def.experiment_count = 1;
  def.experiments = &experiment;
  ENSURE_OK(context, mbs_request_create(context, model, &request));
  ENSURE_OK(context, mbs_request_set(context, request, "parameters", parameters));
  MbsStatus status = mbs_identify(context, model, request, &def, &found);
  ENSURE((status != MBS_OK) == has_failed);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
  return found;
}

static void test_oscillator(void) {
  static const char fixed[] = "simulation: {end: 2, step: 0.02, formulation: index1, integrator: dormand-prince-8}\n",
                    own[] =
                        "simulation: {end: 2, step: 0.02, formulation: index1, integrator: dormand-prince-5, "
                        "step_tolerance: 1e-10}\n";
  // steps of their own: the path of a search is kept, and found anew by the next
  const char *const settings[] = {fixed, own};
  for (int i = 0; i < 2; ++i) {
    MbsIdentification *found = find_oscillator(settings[i], "k,x0", false);
    ENSURE(found->is_found);
    ENSURE_NEAR(found->parameter_values[0], 8, i == 0 ? 1e-6 : 1e-5);
    ENSURE_NEAR(found->parameter_values[1], 1.5, 1e-6);
    ENSURE(found->undetermined_count == 0);
    mbs_identification_destroy(found);
  }
  // k and k2 do the same: one goes up as the other goes down. x0 is known all the same
  MbsIdentification *found = find_oscillator(fixed, "k,x0,k2", false);
  ENSURE(found->is_found && found->undetermined_count == 1 && isinf(found->undetermined[0].condition));
  ENSURE_NEAR(found->parameter_values[0] + found->parameter_values[2], 9, 1e-6);
  const double *direction = found->undetermined[0].directions;
  ENSURE_NEAR(direction[0] * found->parameter_values[0], -direction[2] * found->parameter_values[2], 1e-6);
  ENSURE_NEAR(direction[1], 0, 1e-6);
  ENSURE(isnan(found->lower[0]) && isnan(found->lower[2]) && isfinite(found->lower[1]));
  ENSURE(strstr(found->undetermined[0].sentence, "k2") && !strstr(found->undetermined[0].sentence, "x0"));
  mbs_identification_destroy(found);
  // all of k, m, k2: two combinations
  found = find_oscillator(fixed, "k,m,k2", false);
  ENSURE(found->undetermined_count == 2);
  mbs_identification_destroy(found);
  ENSURE(!find_oscillator(fixed, "k,idle", true));
  ENSURE(strstr(mbs_context_message(context), "parameter \"idle\""));
}

// ---- a ball that bounces, data from its closed form: y' jumps by -e each time ----
static double ball(double t, double g, double e) {
  double y = 1, v = 0;
  for (;;) {
    double left = (v + sqrt(v * v + 2 * g * y)) / g;  // until it is down
    if (t <= left) {
      return y + v * t - g * t * t / 2;
    }
    t -= left;
    v = -e * (v - g * left);
    y = 0;
  }
}

static void test_impacts(void) {
  MbsModel *model = read_text(context, "ball",
                              "mbsens: 1\nname: ball\nparameters: {g: 9, e: 0.7}\ncoordinates: {y: {inertia: 1}}\n"
                              "initial: {independent: [{coordinate: y, value: 1}]}\n"
                              "forces: [{coordinate_force: y, value: -g}]\n"
                              "events: {floor: {when: y, direction: falling, restitution: e}}\n"
                              "outputs: {height: y}\n"
                              "simulation: {end: 1.6, step: 0.01, formulation: index1}\n");
  double t[MANY], y[MANY];
  for (int i = 0; i < MANY; ++i) {
    t[i] = 0.0077 + 0.0398 * i;
    y[i] = ball(t[i], 9.81, 0.8);
  }
  const MbsMeasurement measurement = {.column = "y", .output = "height", .values = y};
  const MbsExperiment experiment = {
      .name = "data", .row_count = MANY, .times = t, .measurement_count = 1, .measurements = &measurement};
  MbsIdentifyDef def = mbs_default_identify_def();
  def.tolerance = 1e-9;
  def.experiment_count = 1;
  def.experiments = &experiment;
  MbsIdentification *found = identify(model, &def);
  ENSURE(found->is_found);
  // the trapezoidal rule is exact between impacts
  ENSURE_NEAR(found->parameter_values[0], 9.81, 1e-7);
  ENSURE_NEAR(found->parameter_values[1], 0.8, 1e-7);
  mbs_identification_destroy(found);
  mbs_model_destroy(model);
}

// ---- stopped on the way: the best so far is there ----
static bool stop_at_second(void *user, const MbsIdentifyStep *step) {
  *(double *)user = step->value;
  return step->iteration < 2;
}

static void test_stop(void) {
  MbsModel *model = read_text(context, "line", line_text);
  Line data = line_data();
  double last = 0;
  const MbsMeasurement place = {.column = "place", .output = "place", .sigma = 0.03, .values = data.place};
  const MbsExperiment experiment = {
      .name = "data", .row_count = ROWS, .times = data.t, .measurement_count = 1, .measurements = &place};
  MbsIdentifyDef def = mbs_default_identify_def();
  def.tolerance = 1e-9;
  def.experiment_count = 1;
  def.experiments = &experiment;
  def.report = stop_at_second;
  def.user = &last;
  MbsIdentification *found = identify(model, &def);
  ENSURE(!found->is_found && found->iterations == 2);
  ENSURE_NEAR(found->value, last, 1e-12 * last);
  ENSURE(strstr(found->message, "best so far"));
  mbs_identification_destroy(found);
  mbs_model_destroy(model);
}

// ---- what makes no sense ----
static void test_refused(void) {
  MbsModel *model = read_text(context, "line", line_text);
  Line data = line_data();
  MbsRequest *request;
  MbsIdentification *found;
  MbsMeasurement place = {.column = "place", .output = "place", .values = data.place};
  MbsExperiment experiment = {
      .name = "data", .row_count = ROWS, .times = data.t, .measurement_count = 1, .measurements = &place};
  MbsIdentifyDef def = mbs_default_identify_def();
  def.tolerance = 1e-9;
  ENSURE_OK(context, mbs_request_create(context, model, &request));
  ENSURE(mbs_identify(context, model, request, &def, &found) == MBS_ERROR_INPUT && !found);
  def.experiment_count = 1;
  def.experiments = &experiment;
  place.output = "plase";
  ENSURE(mbs_identify(context, model, request, &def, &found) == MBS_ERROR_INPUT);
  ENSURE(strstr(mbs_context_message(context), "did you mean \"place\"?"));
  place.output = "place";
  experiment.row_count = 2;
  ENSURE(mbs_identify(context, model, request, &def, &found) == MBS_ERROR_INPUT);
  ENSURE(strstr(mbs_context_message(context), "2 measurements are too few for 2 parameters"));
  experiment.row_count = ROWS;
  data.t[5] = data.t[4];
  ENSURE(mbs_identify(context, model, request, &def, &found) == MBS_ERROR_INPUT);
  ENSURE(strstr(mbs_context_message(context), "times must increase"));
  data.t[5] = (data.t[4] + data.t[6]) / 2;
  data.t[ROWS - 1] = 2.01;
  ENSURE(mbs_identify(context, model, request, &def, &found) == MBS_ERROR_INPUT);
  ENSURE(strstr(mbs_context_message(context), "is not within the run"));
  ENSURE_OK(context, mbs_request_set(context, request, "accuracy", "1e-6"));
  ENSURE(mbs_identify(context, model, request, &def, &found) == MBS_ERROR_NOT_OFFERED);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  test_distributions();
  test_rows();
  test_regression();
  test_bounds();
  test_estimated_weights();
  test_oscillator();
  test_impacts();
  test_stop();
  test_refused();
  mbs_context_destroy(context);
  return 0;
}
