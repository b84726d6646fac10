// Outputs and the columns and rows of histories: values against coordinates, frames against points, derivatives against
// the complex step in every formulation and both coordinates, through events; units and descriptions; outputs of a
// simulator; what a run without them pays. Mistakes are in tests/bad/output_*.yaml and tests/cli/histories.sh.
#include <mbsens/build.h>
#include <mbsens/elements.h>
#include <mbsens/simulator.h>

#include "event_runs.h"
#include "simulation/simulation.h"

enum { MOST_COLUMNS = 400, MOST_ROWS = 600 };

typedef struct Rows {
  int columns, rows;
  char name[MOST_COLUMNS][80], unit[MOST_COLUMNS][16];
  int described;  // columns that have a description
  double value[MOST_ROWS][MOST_COLUMNS];
} Rows;

static MbsStatus take_units(void *user, int count, const char *const *units, const char *const *descriptions) {
  Rows *rows = user;
  ENSURE(count <= MOST_COLUMNS);
  rows->described = 0;
  for (int i = 0; i < count; ++i) {
    (void)snprintf(rows->unit[i], sizeof rows->unit[i], "%s", units[i] ? units[i] : "");
    rows->described += descriptions[i] != NULL;
  }
  return MBS_OK;
}

static MbsStatus take_names(void *user, int count, const char *const *names) {
  Rows *rows = user;
  ENSURE(count <= MOST_COLUMNS);
  rows->columns = count;
  rows->rows = 0;
  for (int i = 0; i < count; ++i) {
    (void)snprintf(rows->name[i], sizeof rows->name[i], "%s", names[i]);
  }
  return MBS_OK;
}

static MbsStatus take_row(void *user, const double *values) {
  Rows *rows = user;
  ENSURE(rows->rows < MOST_ROWS);
  memcpy(rows->value[rows->rows++], values, (size_t)rows->columns * sizeof *values);
  return MBS_OK;
}

static Rows first, second;

static void record(const MbsModel *model, const MbsRequest *request, MbsMethod method, Rows *rows) {
  MbsRecorder recorder = {.user = rows, .describe = take_units, .begin = take_names, .row = take_row};
  MbsRequest own = *request;
  own.recorder = &recorder;
  mbs_result_destroy(run_with(model, &own, method));
}

static int column(const Rows *rows, const char *name) {
  for (int i = 0; i < rows->columns; ++i) {
    if (strcmp(rows->name[i], name) == 0) {
      return i;
    }
  }
  (void)fprintf(stderr, "no column %s\n", name);
  exit(1);
}

static bool has_column(const Rows *rows, const char *name) {
  for (int i = 0; i < rows->columns; ++i) {
    if (strcmp(rows->name[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static double at(const Rows *rows, int row, const char *name) { return rows->value[row][column(rows, name)]; }

static void choose(MbsRequest *request, const char *columns) {
  (void)snprintf(request->settings.columns, sizeof request->settings.columns, "%s", columns);
}

// largest difference of a column, over the column's largest number
static double off(const Rows *a, const Rows *b, int j) {
  double worst = 0, largest = 0;
  for (int i = 0; i < a->rows; ++i) {
    worst = fmax(worst, fabs(a->value[i][j] - b->value[i][j]));
    largest = fmax(largest, fabs(b->value[i][j]));
  }
  return largest > 0 ? worst / largest : worst;
}

// direct against another method: all columns, all rows, both sides of events among them
static void compare(const char *path, const char *formulation, const char *kind, const char *columns, MbsMethod method,
                    double most) {
  MbsModel *model = read_model(context, path);
  MbsRequest request = request_of(model, formulation, kind);
  double worst = 0;
  int moving = 0;
  choose(&request, columns);
  record(model, &request, MBS_METHOD_DIRECT, &first);
  record(model, &request, method, &second);
  ENSURE(first.columns == second.columns && first.rows == second.rows);
  for (int j = 0; j < first.columns; ++j) {
    ENSURE_TEXT(first.name[j], second.name[j]);
    ENSURE_TEXT(first.unit[j], second.unit[j]);
    worst = fmax(worst, off(&first, &second, j));
    moving += strncmp(first.name[j], "d(", 2) == 0 && fabs(second.value[second.rows - 1][j]) > 0;
  }
  (void)printf("%s, %s, %s: %d rows, %d columns, %d derivatives that are not zero, to %.1e\n", path, formulation, kind,
               first.rows, first.columns, moving, worst);
  ENSURE(moving > 10);
  ENSURE(worst < most);
  mbs_model_destroy(model);
}

// Outputs instead of coordinates; a vector is several columns; units and descriptions.
static void check_columns(void) {
  MbsModel *model = read_model(context, "tests/models/outputs_events.yaml");
  MbsRequest request = request_of(model, "ali3p", "natural");
  record(model, &request, MBS_METHOD_NONE, &first);
  static const char *const expected[] = {"t",    "turn",  "Q.x",   "Q.y",     "load.x", "load.y", "size",
                                         "both", "acc.x", "acc.y", "stretch", "e",      "f"};
  ENSURE(first.columns == MBS_COUNT(expected));
  for (int i = 0; i < first.columns; ++i) {
    ENSURE_TEXT(first.name[i], expected[i]);
  }
  ENSURE_TEXT(first.unit[column(&first, "turn")], "rad");
  ENSURE_TEXT(first.unit[column(&first, "load.y")], "N");
  ENSURE_TEXT(first.unit[column(&first, "size")], "");
  ENSURE(first.described == 3);  // turn, and both of load
  // the same numbers as coordinates and their laws give
  choose(&request, "all, Q', a*");
  record(model, &request, MBS_METHOD_NONE, &second);
  ENSURE(first.rows == second.rows && first.rows > 110);  // 100 steps, and both sides of events
  for (int i = 0; i < first.rows; ++i) {
    double x = at(&second, i, "coordinate(Q.x)"), y = at(&second, i, "coordinate(Q.y)");
    double X = at(&first, i, "load.x"), Y = at(&first, i, "load.y");
    ENSURE_NEAR(at(&first, i, "Q.x"), x, 0);
    ENSURE_NEAR(at(&first, i, "stretch"), 30 * (sqrt((x - 2) * (x - 2) + y * y) - 1), 1e-12);
    ENSURE_NEAR(at(&first, i, "turn"), atan2(at(&second, i, "P.y"), at(&second, i, "P.x")), 1e-12);
    ENSURE_NEAR(at(&first, i, "size"), sqrt(X * X + Y * Y), 1e-12 * (1 + fabs(X)));
    ENSURE_NEAR(at(&first, i, "acc.x"), at(&second, i, "P.x''") + at(&first, i, "t") * at(&first, i, "t"), 1e-9);
    ENSURE_NEAR(at(&second, i, "Q.x'"), at(&second, i, "coordinate(Q.x)'"), 0);
  }
  mbs_model_destroy(model);
}

// r = origin + R p for every point of a rigid body, in the plane and in space, in both coordinates; R' R = 1.
static void check_frames(const char *kind) {
  MbsModel *model = read_model(context, "tests/models/outputs_space.yaml");
  MbsRequest request = request_of(model, "ali3p", kind);
  static const double T[] = {0.1, -0.2, 0.4};
  choose(&request, "frames, top.T, points");
  record(model, &request, MBS_METHOD_NONE, &first);
  ENSURE(!has_column(&first, "spin.x") && !has_column(&first, "frame(rod).R11") && has_column(&first, "frame(rod).x"));
  ENSURE(has_column(&first, "frame(ball).z") && has_column(&first, "E.x") && has_column(&first, "left_slab.B.z"));
  for (int i = 0; i < first.rows; ++i) {
    for (int k = 0; k < 3; ++k) {
      char name[40];
      double r, square = 0;
      (void)snprintf(name, sizeof name, "frame(top).%c", "xyz"[k]);
      r = at(&first, i, name);
      for (int j = 0; j < 3; ++j) {
        (void)snprintf(name, sizeof name, "frame(top).R%d%d", k + 1, j + 1);
        r += at(&first, i, name) * T[j];
        square += at(&first, i, name) * at(&first, i, name);
      }
      (void)snprintf(name, sizeof name, "top.T.%c", "xyz"[k]);
      ENSURE_NEAR(at(&first, i, name), r, 1e-12);
      ENSURE_NEAR(square, 1, 1e-12);
    }
  }
  mbs_model_destroy(model);
  model = read_model(context, "tests/models/outputs_events.yaml");
  request = request_of(model, "ali3p", kind);
  choose(&request, "frame(link), bar.P");
  record(model, &request, MBS_METHOD_NONE, &first);
  ENSURE(first.columns == 6);  // t, x, y, angle; P
  ENSURE_NEAR(at(&first, first.rows - 1, "frame(link).x"), at(&first, first.rows - 1, "bar.P.x"), 1e-12);
  ENSURE_TEXT(first.unit[column(&first, "frame(link).angle")], "rad");
  mbs_model_destroy(model);
}

// Rows: every so manieth step, and those at multiples of an interval, at equal distances and the same numbers.
static void check_rows(void) {
  MbsModel *model = read_model(context, "tests/models/outputs_events.yaml");
  MbsRequest request = request_of(model, "ali3p", "natural");
  request.settings.sample = 0.01;
  record(model, &request, MBS_METHOD_DIRECT, &first);
  ENSURE(first.rows == 101);  // without those of events
  static const struct {
    long every;
    double sample;
    int rows;
  } cases[] = {{7, 0, 15}, {0, 0.04, 26}, {100, 0, 2}, {0, 1, 2}};
  static const MbsMethod methods[] = {MBS_METHOD_NONE, MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP,
                                      MBS_METHOD_FINITE_DIFFERENCE};
  for (int c = 0; c < MBS_COUNT(cases); ++c) {
    int skip = cases[c].every > 0 ? (int)cases[c].every : (int)lround(cases[c].sample / 0.01);
    request.settings.every = cases[c].every;
    request.settings.sample = cases[c].sample;
    for (int m = 0; m < MBS_COUNT(methods); ++m) {
      record(model, &request, methods[m], &second);
      ENSURE(second.rows == cases[c].rows);
      for (int i = 0; i < second.rows; ++i) {
        ENSURE_NEAR(second.value[i][0], first.value[i * skip][0], 1e-13);
        ENSURE_NEAR(at(&second, i, "load.y"), at(&first, i * skip, "load.y"), 1e-9);
      }
    }
  }
  mbs_model_destroy(model);
  // rows that wait for gradients that run backwards
  static const char text[] =
      "mbsens: 1\ncoordinates: {x: {inertia: 1, guess: 1}}\nparameters: {k: 4}\n"
      "forces: [{coordinate_force: x, value: -k*value}]\noutputs: {twice: 2*x}\n"
      "objectives: {e: {integral: x^2}}\nsimulation: {end: 1, step: 0.01, formulation: penalty}\n";
  model = read_text(context, "oscillator", text);
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  record(model, &request, MBS_METHOD_ADJOINT_CONTINUOUS, &first);
  request.settings.sample = 0.05;
  record(model, &request, MBS_METHOD_ADJOINT_CONTINUOUS, &second);
  ENSURE(first.rows == 101 && second.rows == 21);
  for (int i = 0; i < second.rows; ++i) {
    ENSURE_NEAR(at(&second, i, "d(e)/d(k)"), at(&first, 5 * i, "d(e)/d(k)"), 1e-15);
    ENSURE_NEAR(at(&second, i, "twice"), 2 * cos(2 * at(&second, i, "t")), 1e-3);
  }
  mbs_model_destroy(model);
}

static void refuse(const MbsModel *model, const MbsRequest *request, const char *message) {
  MbsRecorder recorder = {.user = &first, .describe = take_units, .begin = take_names, .row = take_row};
  MbsRequest own = *request;
  MbsResult *result;
  own.recorder = &recorder;
  first.rows = 0;
  ENSURE(mbs_run(context, model, &own, &result) == MBS_ERROR_INPUT && !result);
  ENSURE_CONTAINS(mbs_context_message(context), message);
  ENSURE(first.rows == 0);
}

// Residuals of the constraints: the largest row is what the statistics say; |r|^2 - L^2 of a pendulum, by its points;
// they are asked for, and have no derivatives.
static void check_residuals(const char *kind) {
  static const char *const formulations[] = {"index1", "index3", "penalty", "matrix-r"};
  static const char *const names[] = {"residual position", "residual velocity", "residual acceleration"};
  static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_COMPLEX_STEP, MBS_METHOD_FINITE_DIFFERENCE};
  MbsModel *model = read_model(context, "models/five_bar.yaml");
  for (int f = 0; f < MBS_COUNT(formulations); ++f) {
    MbsRequest request = request_of(model, formulations[f], kind);
    MbsRecorder recorder = {.user = &first, .describe = take_units, .begin = take_names, .row = take_row};
    MbsResult *result;
    request.settings.end = 0.5;
    request.recorder = &recorder;
    choose(&request, "all");
    record(model, &request, MBS_METHOD_NONE, &first);
    ENSURE(!has_column(&first, names[0]));
    choose(&request, "residuals, P1, P1'");
    result = run_with(model, &request, MBS_METHOD_NONE);
    const double expected[] = {result->statistics.residual_position, result->statistics.residual_velocity,
                               result->statistics.residual_acceleration};
    for (int l = 0; l < 3; ++l) {
      double largest = 0;
      for (int i = 0; i < first.rows; ++i) {
        largest = fmax(largest, at(&first, i, names[l]));
      }
      ENSURE(largest > 0 && largest == expected[l]);
    }
    double last = at(&first, first.rows - 1, names[2]);
    mbs_result_destroy(result);
    for (int m = 0; m < MBS_COUNT(methods); ++m) {
      request.method = methods[m];
      refuse(model, &request, "\"residual position\" has no derivatives");
    }
    choose(&request, "residuals");
    record(model, &request, MBS_METHOD_ADJOINT, &second);
    ENSURE(second.columns == 4 && at(&second, second.rows - 1, names[2]) == last);
  }
  mbs_model_destroy(model);
  static const char pendulum[] =
      "mbsens: 1\ngravity: [0, -9.81]\nground: {points: {O: [0, 0]}}\n"
      "bodies: {bob: {mass: 1, points: {P: [0, 0]}}}\njoints: [{distance: [ground.O, bob.P], length: 2}]\n"
      "initial: {points: {P: [2, 0]}, independent: [{coordinate: r(P).y, value: 0}]}\n"
      "simulation: {end: 1, step: 0.01, formulation: index1}\n";
  model = read_text(context, "pendulum", pendulum);
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  choose(&request, "residuals, P, P'");
  record(model, &request, MBS_METHOD_NONE, &first);
  double worst = 0;
  for (int i = 0; i < first.rows; ++i) {
    double x = at(&first, i, "P.x"), y = at(&first, i, "P.y"), square = x * x + y * y;
    worst = fmax(worst, at(&first, i, names[0]));
    ENSURE_NEAR(at(&first, i, names[0]), fabs(square - 4), 1e-13);
    ENSURE_NEAR(at(&first, i, names[1]), 2 * fabs(x * at(&first, i, "P.x'") + y * at(&first, i, "P.y'")), 1e-13);
  }
  ENSURE(worst > 1e-6);
  mbs_model_destroy(model);
}

// By the handle, at any step; a result at the end; nothing where nobody wants them.
static void check_simulator(void) {
  MbsModel *model = read_model(context, "tests/models/outputs_events.yaml");
  MbsRequest request = request_of(model, "ali3p", "relative");
  MbsSimulator *simulator;
  MbsResult *result;
  record(model, &request, MBS_METHOD_DIRECT, &first);
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  int count = mbs_simulator_output_count(simulator), parameters = mbs_simulator_parameter_count(simulator);
  double values[10], slopes[30], load;
  ENSURE(count == 10 && parameters == 3);
  ENSURE_TEXT(mbs_simulator_output_names(simulator)[3], "load.x");
  ENSURE(mbs_simulator_outputs(context, simulator, count, values, slopes) == MBS_ERROR_INPUT);  // not started
  ENSURE_OK(context, mbs_simulator_start(context, simulator));
  for (int step = 1; step <= 30; ++step) {  // before the first event
    ENSURE_OK(context, mbs_simulator_step(context, simulator));
    ENSURE_OK(context, mbs_simulator_outputs(context, simulator, count, values, slopes));
    ENSURE_OK(context, mbs_simulator_output(context, simulator, "load.x", &load));
    ENSURE(load == values[3]);
    for (int i = 0; i < count; ++i) {
      ENSURE(values[i] == first.value[step][1 + i]);
      for (int k = 0; k < parameters; ++k) {
        char name[60];
        (void)snprintf(name, sizeof name, "d(%s)/d(%s)", mbs_simulator_output_names(simulator)[i],
                       mbs_simulator_parameter_names(simulator)[k]);
        ENSURE(slopes[i * parameters + k] == at(&first, step, name));
      }
    }
  }
  ENSURE(mbs_simulator_output(context, simulator, "laod.x", &load) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context),
                  "no output \"laod.x\" in tests/models/outputs_events.yaml; did you mean "
                  "\"load.x\"?");
  ENSURE(mbs_simulator_outputs(context, simulator, 3, values, NULL) == MBS_ERROR_INPUT);
  ENSURE_OK(context, mbs_simulator_run(context, simulator));
  ENSURE_OK(context, mbs_simulator_result(context, simulator, &result));
  ENSURE(result->output_count == 7 && result->outputs[2].size == 2);
  ENSURE_TEXT(result->outputs[2].name, "load");
  ENSURE_TEXT(result->outputs[2].description, "force on the bar, with a comma");
  ENSURE(!result->outputs[3].unit && !result->outputs[3].description);
  ENSURE(result->outputs[2].value[1] == at(&first, first.rows - 1, "load.y"));
  mbs_result_destroy(result);
  mbs_simulator_destroy(simulator);
  request.method = MBS_METHOD_ADJOINT;
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  ENSURE_OK(context, mbs_simulator_run(context, simulator));
  ENSURE(mbs_simulator_outputs(context, simulator, count, values, slopes) == MBS_ERROR_NOT_OFFERED);
  ENSURE_OK(context, mbs_simulator_outputs(context, simulator, count, values, NULL));
  ENSURE_NEAR(values[3], at(&first, first.rows - 1, "load.x"), 1e-12);
  mbs_simulator_destroy(simulator);
  request.settings.has_no_outputs = true;
  ENSURE_OK(context, mbs_simulator_create(context, model, &request, &simulator));
  ENSURE(mbs_simulator_output_count(simulator) == 0);
  mbs_simulator_destroy(simulator);
  mbs_model_destroy(model);
}

// What outputs are made of is taken back where nobody wants them: the system is that of a model without them.
static void check_price(const char *path, const char *kind) {
  MbsModel *model = read_model(context, path), *bare = read_model(context, path);
  MbsRequest request = request_of(model, "ali3p", kind);
  MbsSimulation *with, *without, *never;
  MbsRecord *root = &bare->root;
  MbsValue *values = (MbsValue *)(uintptr_t)root->values;  // a model's own
  values[MBS_MODEL_OUTPUTS].count = 0;
  ENSURE_OK(context, mbs_simulation_create(context, model, &request.settings, 0, NULL, NULL, &with));
  ENSURE_OK(context, mbs_simulation_create(context, bare, &request.settings, 0, NULL, NULL, &never));
  request.settings.has_no_outputs = true;
  ENSURE_OK(context, mbs_simulation_create(context, model, &request.settings, 0, NULL, NULL, &without));
  const MbsBlueprint *a = without->system->blueprint, *b = never->system->blueprint;
  ENSURE(with->outputs.count > 0 && with->system->signals.form_count > without->system->signals.form_count);
  ENSURE(without->outputs.count == 0 && a->signals.count == b->signals.count && a->entities.count == b->entities.count);
  ENSURE(a->holdings.count == b->holdings.count && a->turns.count == b->turns.count &&
         a->jumps.count == b->jumps.count);
  ENSURE(without->system->signals.form_count == never->system->signals.form_count);
  mbs_simulation_destroy(with);
  mbs_simulation_destroy(without);
  mbs_simulation_destroy(never);
  mbs_model_destroy(model);
  mbs_model_destroy(bare);
}

static void check_refusals(void) {
  static const char *const columns[][2] = {
      {"loda", "no column \"loda\" in histories of tests/models/outputs_events.yaml; did you mean \"load\"?"},
      {"Q.x, frame(bra)",
       "no column \"frame(bra)\" in histories of tests/models/outputs_events.yaml; did you mean "
       "\"frame(bar)\"?"},
      {"Q.z", "no column \"Q.z\""},
      {"outptus", "did you mean \"outputs\"?"},
      {"P'''", "no column \"P'''\""},
      {"zz*", "no column \"zz*\""},
      {" , ", "lists none"}};
  MbsModel *model = read_model(context, "tests/models/outputs_events.yaml");
  MbsRequest request = request_of(model, "ali3p", "natural");
  for (int i = 0; i < MBS_COUNT(columns); ++i) {
    choose(&request, columns[i][0]);
    refuse(model, &request, columns[i][1]);
  }
  choose(&request, "");
  request.settings.sample = 0.015;
  refuse(model, &request,
         "sample 0.015 is no multiple of the step 0.01, and rows are where steps end; take 0.01 or 0.02");
  request.settings.sample = 0.004;
  refuse(model, &request, "sample 0.004 is no multiple of the step 0.01");
  request.settings.sample = 0.02;
  request.settings.every = 3;
  refuse(model, &request, "every 3 and sample 0.02 contradict each other");
  request.settings.every = 0;
  request.settings.end = 0.995;
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "index3");
  refuse(model, &request, "the last steps share what is left");
  request.settings.every = -1;
  refuse(model, &request, "every must be a whole number from 1 on");
  mbs_model_destroy(model);
}

// By calls.
static void check_calls(void) {
  MbsModel *model;
  MbsCoordinateDef x = {.name = "x", .inertia = "2", .guess = "0.5"};
  MbsOutputDef y = {.name = "y", .value = "x^2 + t", .unit = "m2", .description = "a square"};
  MbsResult *result;
  MbsRequest request;
  ENSURE_OK(context, mbs_model_create(context, "by calls", 2, &model));
  ENSURE_OK(context, mbs_model_add_coordinate(context, model, &x));
  ENSURE_OK(context, mbs_model_add_output(context, model, &y));
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  result = run_with(model, &request, MBS_METHOD_NONE);
  ENSURE(result->output_count == 1);
  ENSURE_TEXT(result->outputs[0].unit, "m2");
  ENSURE_NEAR(result->outputs[0].value[0], 1.25, 1e-12);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  check_columns();
  check_rows();
  check_simulator();
  check_refusals();
  check_calls();
  static const char *const formulations[] = {"ali3p", "penalty", "index1", "ali1", "index3", "matrix-r"};
  for (int c = 0; c < MBS_COUNT(coordinates); ++c) {
    check_frames(coordinates[c]);
    check_residuals(coordinates[c]);
    check_price("tests/models/outputs_events.yaml", coordinates[c]);
    check_price("tests/models/outputs_space.yaml", coordinates[c]);
    for (int i = 0; i < MBS_COUNT(formulations); ++i) {
      compare("tests/models/outputs_events.yaml", formulations[i], coordinates[c], "", MBS_METHOD_COMPLEX_STEP, 1e-9);
    }
    compare("tests/models/outputs_space.yaml", "ali3p", coordinates[c], "outputs, frames, points, top.T''",
            MBS_METHOD_COMPLEX_STEP, 1e-9);
    // differences of runs of other files, whose numbers enter as text: to half of the digits
    compare("tests/models/outputs_events.yaml", "ali3p", coordinates[c], "outputs, frames",
            MBS_METHOD_FINITE_DIFFERENCE, 1e-6);
  }
  mbs_context_destroy(context);
  return 0;
}
