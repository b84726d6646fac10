// Relative coordinates, element by element: the models of tests/models/element_*.yaml run for a few steps, and direct
// method and adjoint meet the complex step, with every formulation; once with the tree that is chosen, and once for
// each joint that can carry a body with that joint cut, so that it closes what it carried. An objective on the
// reactions of all joints with a name is added where there is none.
//
// Then the two ways to solve an open tree: along it, and by its matrix, which one idle coordinate more brings about;
// and a mechanism far from the origin.
//
// Seen to fail with a planted error: the sign of the axes' bracket in tree_columns.c and in tree_transposed.c, half of
// b', half of [A_p, b] in b'', the ball's own slope left out of columns, of the transpose, a ball's second rate with
// one s' N' for two, a frame's shift dropped from gamma, a universal joint's second axis mistaken, no rows for the
// directions of cut joints, the forces' f_x left out of tree_articulated.c.
#include "formulations/formulation.h"
#include "model/joint.h"
#include "simulation/simulation.h"
#include "support.h"
#include "tree/tree.h"

static const double limit = 1e-7;  // that of mbsens verify

enum { STEPS = 3, LIST = 256, EXTRA = 4000, PARAMETERS = 200, OBJECTIVES = 8, PARTS = 8 };

static MbsContext *context;

// ---- texts of models ----
static char *read_whole(const char *path) {
  FILE *file = fopen(path, "rb");
  ENSURE(file && fseek(file, 0, SEEK_END) == 0);
  long size = ftell(file);
  ENSURE(size > 0 && fseek(file, 0, SEEK_SET) == 0);
  char *text = calloc(1, (size_t)size + EXTRA);
  ENSURE(text && fread(text, 1, (size_t)size, file) == (size_t)size);
  (void)fclose(file);
  return text;
}

// every `old` becomes `fresh`, which is no longer
static void replace(char *text, const char *old, const char *fresh) {
  size_t length = strlen(old), kept = strlen(fresh);
  ENSURE(length > kept);
  for (char *at = strstr(text, old); at; at = strstr(at, old)) {
    (void)memcpy(at, fresh, kept);
    (void)memmove(at + kept, at + length, strlen(at + length) + 1);
  }
}

static void insert_objective(char *text, const char *line) {
  char *at = strstr(text, "objectives:\n");
  ENSURE(at && strlen(line) < EXTRA - 1);
  at += strlen("objectives:\n");
  (void)memmove(at + strlen(line), at, strlen(at) + 1);
  (void)memcpy(at, line, strlen(line));
}

// what the message has between two marks
static bool take_name(const char *before, const char *after, char *name) {
  const char *start = strstr(mbs_context_message(context), before);
  const char *end = start ? strstr(start + strlen(before), after) : NULL;
  if (!end) {
    return false;
  }
  (void)snprintf(name, LIST, "%.*s", (int)(end - start - (long)strlen(before)), start + strlen(before));
  return true;
}

// ---- a model in relative coordinates ----
typedef struct Tried {
  char *text;
  MbsModel *model;
  MbsRequest request;
  int nonholonomic;
  const char *parameters[PARAMETERS];  // some of them
  double largest[OBJECTIVES];          // derivative with respect to any parameter, by objective
} Tried;

// The model as it can be read: rigid bodies and the tree's joints have no multipliers here, so `t` stands in for those;
// what else closes loops is cut too.
static Tried try_model(const char *path, const char *cut) {
  Tried tried = {.text = read_whole(path)};
  char list[LIST], name[LIST], signal[LIST + 16];
  (void)snprintf(list, sizeof list, "%s", cut);
  for (;;) {
    MbsCheck *check;
    tried.model = read_text(context, path, tried.text);
    ENSURE_OK(context, mbs_request_default(context, tried.model, &tried.request));
    (void)snprintf(tried.request.settings.coordinates, MBS_NAME_LENGTH, "relative");
    (void)snprintf(tried.request.settings.cut, sizeof tried.request.settings.cut, "%s", list);
    if (mbs_check(context, tried.model, &tried.request, &check) == MBS_OK) {
      tried.nonholonomic = check->nonholonomic;
      mbs_check_destroy(check);
      break;
    }
    if (take_name("lambda(", ")", name)) {
      (void)snprintf(signal, sizeof signal, "lambda(%.*s)", LIST - 1, name);
      replace(tried.text, signal, "t");
    } else if (take_name("closed by joint \"", "\"", name)) {
      size_t used = strlen(list);
      ENSURE(used + strlen(name) + 2 < sizeof list);
      list[used] = ',';
      (void)memcpy(list + used + 1, name, strlen(name) + 1);
    } else {
      (void)fprintf(stderr, "%s, cut %s: %s\n", path, list, mbs_context_message(context));
      exit(1);
    }
    mbs_model_destroy(tried.model);
  }
  tried.request.settings.step = 1e-2;
  tried.request.settings.end = STEPS * tried.request.settings.step;
  return tried;
}

static void destroy(Tried *tried) {
  mbs_model_destroy(tried->model);
  free(tried->text);
}

static bool is_word(const char *name) {
  return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] == '\0';
}

// an objective with a different weight for each component of each reaction, where the model has none of its own
static void add_reactions(const char *path, Tried *tried) {
  if (strstr(tried->text, "force(")) {
    return;
  }
  MbsRequest request = tried->request;
  MbsResult *result;
  char line[EXTRA] = "  reactions_of_all: {integral: \"t";
  request.method = MBS_METHOD_NONE;
  ENSURE_OK(context, mbs_run(context, tried->model, &request, &result));
  for (int i = 0; i < result->reaction_count; ++i) {
    const char *joint = result->reactions[i].joint;
    size_t used = strlen(line);
    if (is_word(joint) && result->dimension == 2) {
      (void)snprintf(line + used, sizeof line - used, " + dot(force(%s), [0.3, -0.7]) + 0.4*torque(%s)", joint, joint);
    } else if (is_word(joint)) {
      (void)snprintf(line + used, sizeof line - used,
                     " + dot(force(%s), [0.3, -0.7, 0.5]) + dot(torque(%s), [0.4, 0.2, -0.6])", joint, joint);
    }
  }
  mbs_result_destroy(result);
  if (!strstr(line, "force(")) {
    return;
  }
  size_t used = strlen(line);
  (void)snprintf(line + used, sizeof line - used, "\"}\n");
  insert_objective(tried->text, line);
  mbs_model_destroy(tried->model);
  tried->model = read_text(context, path, tried->text);
}

// ---- derivatives ----
// largest relative error; entries below 1e-5 of the objective's largest are measured against that
static double distance(const MbsResult *tried, const MbsResult *reference, const double *largest,
                       const char **objective, const char **parameter) {
  double worst = 0;
  for (int i = 0; i < reference->objective_count; ++i) {
    const double *row = reference->gradient + i * reference->parameter_count;
    for (int k = 0; k < reference->parameter_count; ++k) {
      double size = fmax(fabs(row[k]), 1e-5 * largest[i]);
      double error = fabs(tried->gradient[i * reference->parameter_count + k] - row[k]) / size;
      if (size > 0 && !(error <= worst)) {
        worst = error;
        *objective = reference->objectives[i];
        *parameter = reference->parameters[k];
      }
    }
  }
  return worst;
}

static MbsResult *run(const Tried *tried, MbsMethod method) {
  MbsRequest request = tried->request;
  MbsResult *result;
  request.method = method;
  ENSURE_OK(context, mbs_run(context, tried->model, &request, &result));
  return result;
}

static void find_largest(const MbsResult *result, double *largest) {
  ENSURE(result->objective_count <= OBJECTIVES);
  for (int i = 0; i < result->objective_count; ++i) {
    largest[i] = largest_of(result->parameter_count, result->gradient + i * result->parameter_count);
    ENSURE(largest[i] > 0);
  }
}

static void check_derivatives(const char *path, Tried *tried, const MbsFormulationType *type) {
  static const struct {
    MbsMethod method;
    const char *name;
  } methods[] = {{MBS_METHOD_DIRECT, "direct"}, {MBS_METHOD_ADJOINT, "adjoint"}};
  MbsSettings *settings = &tried->request.settings;
  (void)snprintf(settings->formulation, sizeof settings->formulation, "%s", type->name);
  MbsResult *reference = run(tried, MBS_METHOD_COMPLEX_STEP);
  // the multipliers of a step that keeps Phi = 0 itself are Newton's error over h^2
  double most = type->is_position_level ? 10 * limit : limit;
  for (int m = 0; m < MBS_COUNT(methods); ++m) {
    const char *objective = "", *parameter = "";
    MbsResult *result = run(tried, methods[m].method);
    double worst = distance(result, reference, tried->largest, &objective, &parameter);
    if (!(worst <= most)) {
      (void)fprintf(stderr, "%s, cut \"%s\", %s, %s: d(%s)/d(%s) is off by %.3g relative, %.3g is allowed\n", path,
                    settings->cut, type->name, methods[m].name, objective, parameter, worst, most);
      exit(1);
    }
    (void)printf("  %-10s %-8s %.1e at d(%s)/d(%s)\n", type->name, methods[m].name, worst, objective, parameter);
    mbs_result_destroy(result);
  }
  mbs_result_destroy(reference);
}

static bool is_offered(Tried *tried, const MbsFormulationType *type) {
  if (strcmp(type->name, "matrix-r") != 0 || tried->nonholonomic == 0) {
    return true;
  }
  MbsRequest request = tried->request;
  MbsResult *result = NULL;
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", type->name);
  request.method = MBS_METHOD_NONE;
  MbsStatus status = mbs_run(context, tried->model, &request, &result);
  mbs_result_destroy(result);
  return status != MBS_ERROR_NOT_OFFERED;
}

// All parameters with index1; with others, which take derivatives of the same terms, a part of them each.
static void choose_parameters(Tried *tried, int part) {
  const MbsValue *parameters = mbs_record_value(&tried->model->root, MBS_MODEL_PARAMETERS);
  ENSURE(parameters->count <= PARAMETERS);
  tried->request.parameter_count = 0;
  tried->request.parameters = tried->parameters;
  for (int i = 0; i < parameters->count; ++i) {
    if (part < 0 || i % PARTS == part % PARTS || parameters->count < PARTS) {
      tried->parameters[tried->request.parameter_count++] = parameters->records[i].name.text;
    }
  }
}

// cut: number of the joint that is cut, or -1
static void check_tree(const char *path, const char *name, int cut) {
  Tried tried = try_model(path, name);
  (void)printf("%s, cut \"%s\"\n", path, tried.request.settings.cut);
  add_reactions(path, &tried);
  MbsResult *whole = run(&tried, MBS_METHOD_DIRECT);
  find_largest(whole, tried.largest);
  mbs_result_destroy(whole);
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    const MbsFormulationType *type = mbs_formulation_types[f];
    bool is_index1 = strcmp(type->name, "index1") == 0, is_ali3p = strcmp(type->name, "ali3p") == 0;
    choose_parameters(&tried, is_index1 && cut < 0 ? -1 : f + cut + 1);
    if ((cut < 0 || (cut % 2 == 0 ? is_index1 : is_ali3p)) && is_offered(&tried, type)) {
      check_derivatives(path, &tried, type);
    }
  }
  destroy(&tried);
}

typedef struct Seen {
  bool is_cut[64];  // by type of joint
} Seen;

static void check_model(const char *path, void *user) {
  Seen *seen = user;
  check_tree(path, "", -1);
  MbsModel *model = read_model(context, path);
  const MbsValue *joints = mbs_record_value(&model->root, MBS_MODEL_JOINTS);
  for (int i = 0; i < joints->count; ++i) {
    if (mbs_joint_types[joints->records[i].type]->motion) {
      check_tree(path, joints->records[i].name.text, i);
      seen->is_cut[joints->records[i].type] = true;
    }
  }
  mbs_model_destroy(model);
}

// ---- open trees ----
// forces on single bodies and against the ground, branches, a slide, joints without freedoms
#define BRANCHES(extra, free)                                                                                       \
  "mbsens: 1\ndimension: 3\ngravity: [0.3, -0.2, -9.81]\n"                                                          \
  "parameters: {L: 0.4, m: 1.3, k: 30, c: 0.7, Ixy: 0.002, w0: 2, ux: 0.3}\n"                                       \
  "ground: {points: {O: [0, 0, 0], S: [0.5, 0.6, 0.2]}}\n" extra                                                    \
  "bodies:\n"                                                                                                       \
  "  one: {mass: m, com: [L/2, 0.01, 0], inertia: [0.02, 0.03, 0.04, Ixy, 0.001, -0.002],\n"                        \
  "        points: {O: [0, 0, 0], A: [L, 0, 0], B: [L, 0.1, 0.05]}}\n"                                              \
  "  two: {mass: 0.8, com: [L/3, 0, 0.02], inertia: [0.02, 0.02, 0.03], points: {A: [0, 0, 0], C: [L, 0, 0]}}\n"    \
  "  three: {mass: 0.5, com: [0, 0.1, 0], inertia: [0.01, 0.01, 0.02], points: {B: [0, 0, 0], D: [0, 0.3, 0]}}\n"   \
  "  four: {mass: 0.4, com: [0.05, 0, 0], inertia: [0.01, 0.01, 0.01], points: {C: [0, 0, 0], E: [0.2, 0.1, 0]}}\n" \
  "  five: {mass: 0.2, inertia: [0.01, 0.01, 0.01], points: {E: [0, 0, 0], F: [0.1, 0, 0.1]}}\n"                    \
  "joints:\n"                                                                                                       \
  "  - {revolute: [ground.O, one.O], name: J1, axis: [ux, 0.1, 1]}\n"                                               \
  "  - {revolute: [one.A, two.A], name: J2, axis: [0, 1, 0.2]}\n"                                                   \
  "  - {prismatic: [one.B, three.B], name: J3, axis: [0, 0.2, 1]}\n"                                                \
  "  - {universal: [four.C, two.C], name: J4, axis: [0, 1, 0], axis2: [0, 0, 1]}\n"                                 \
  "  - {fixed: [four.E, five.E], name: J5}\n"                                                                       \
  "forces:\n"                                                                                                       \
  "  - {spring: [four.E, ground.S], stiffness: k, damping: c, length: 0.3}\n"                                       \
  "  - {spring: [three.D, ground.S], stiffness: 2*k, damping: c, length: L}\n"                                      \
  "  - {torque: two, value: \"-0.1*c*omega(two)\"}\n"                                                               \
  "initial:\n  independent:\n"                                                                                      \
  "    - {coordinate: angle(J1), value: 0.2, velocity: w0}\n"                                                       \
  "    - {coordinate: angle(J2), value: -0.4, velocity: 1}\n"                                                       \
  "    - {coordinate: slide(J3), value: 0.1, velocity: -0.3}\n"                                                     \
  "    - {coordinate: r(E).y}\n    - {coordinate: r(E).z}\n" free                                                   \
  "objectives:\n"                                                                                                   \
  "  way: {integral: \"dot(v(F), v(F)) + r(D).x^2\"}\n"                                                             \
  "  shake: {integral: \"dot(a(F), a(D))\"}\n"                                                                      \
  "  load: {integral: \"dot(force(J1), force(J1)) + dot(torque(J2), torque(J2))\"}\n"                               \
  "  end: {final: r(F).z}\n"                                                                                        \
  "simulation: {end: 0.2, step: 0.01, coordinates: relative}\n"

static bool is_solved_along_tree(const MbsModel *model, const MbsSettings *settings) {
  MbsSimulation *simulation;
  ENSURE_OK(context, mbs_simulation_create(context, model, settings, 0, NULL, NULL, &simulation));
  bool is = simulation->system->tree->shape != NULL;
  mbs_simulation_destroy(simulation);
  return is;
}

static void check_open_tree(void) {
  static const char *const texts[] = {BRANCHES("", ""),
                                      BRANCHES("coordinates: {idle: {inertia: 1}}\n", "    - {coordinate: idle}\n")};
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    for (int m = 0; m < 2; ++m) {
      MbsResult *results[2];
      for (int i = 0; i < 2; ++i) {
        MbsModel *model = read_text(context, "branches", texts[i]);
        MbsRequest request;
        ENSURE_OK(context, mbs_request_default(context, model, &request));
        (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s",
                       mbs_formulation_types[f]->name);
        request.method = m == 0 ? MBS_METHOD_DIRECT : MBS_METHOD_ADJOINT;
        bool has_matrix = i == 1 || mbs_formulation_types[f]->is_reduced;  // matrix-r forms J of it
        ENSURE(is_solved_along_tree(model, &request.settings) == !has_matrix);
        ENSURE_OK(context, mbs_run(context, model, &request, &results[i]));
        mbs_model_destroy(model);
      }
      const char *objective = "", *parameter = "";
      double largest[OBJECTIVES];
      find_largest(results[1], largest);
      double worst = distance(results[0], results[1], largest, &objective, &parameter);
      (void)printf("along the tree against its matrix, %s: %.1e\n", mbs_formulation_types[f]->name, worst);
      ENSURE(worst <= limit);
      for (int i = 0; i < results[0]->objective_count; ++i) {
        ENSURE_NEAR(results[0]->values[i], results[1]->values[i], 1e-10 * (1 + fabs(results[1]->values[i])));
      }
      mbs_result_destroy(results[0]);
      mbs_result_destroy(results[1]);
    }
  }
}

// ---- far from the origin ----
// A mechanism does not know where it is: at a million metres its rows are as exact as at home. Two branches that meet
// in a cut joint, and one that returns to the ground.
#define FOUR_BAR(x)                                                                                       \
  "mbsens: 1\n"                                                                                           \
  "gravity: [0, -9.81]\n"                                                                                 \
  "parameters: {L: 1.1, s: 2.3}\n"                                                                        \
  "ground: {points: {A: [" x ", -" x "], D: [" x " + s, -" x                                              \
  "]}}\n"                                                                                                 \
  "bodies:\n"                                                                                             \
  "  crank: {mass: 1, com: [0.5, 0], inertia: 0.1, points: {A: [0, 0], B: [L, 0]}}\n"                     \
  "  coupler: {mass: 2, com: [1, 0.1], inertia: 0.3, points: {B: [0, 0], C: [2, 0]}}\n"                   \
  "  rocker: {mass: 1, com: [0.6, 0], inertia: 0.1, points: {D: [0, 0], C: [1.7, 0]}}\n"                  \
  "joints:\n"                                                                                             \
  "  - {revolute: [ground.A, crank.A], name: a}\n"                                                        \
  "  - {revolute: [crank.B, coupler.B], name: b}\n"                                                       \
  "  - {revolute: [coupler.C, rocker.C], name: c}\n"                                                      \
  "  - {revolute: [ground.D, rocker.D], name: d}\n"                                                       \
  "initial:\n"                                                                                            \
  "  points: {B: [" x " + 0.5, 1 - " x "], C: [" x " + 2.2, 1.6 - " x                                     \
  "]}\n"                                                                                                  \
  "  independent: [{coordinate: angle(crank), value: 1, velocity: 2}]\n"                                  \
  "objectives:\n"                                                                                         \
  "  turned: {final: angle(rocker)}\n"                                                                    \
  "  load: {integral: \"dot(force(a), force(a)) + dot(force(c), force(c)) + dot(force(d), force(d))\"}\n" \
  "simulation: {end: 1, step: 0.01, coordinates: relative, formulation: index3}\n"

static void check_far(void) {
  static const char *const cuts[] = {"", "d"};
  for (int k = 0; k < MBS_COUNT(cuts); ++k) {
    MbsResult *results[3];  // at home; far away; there by the complex step
    for (int i = 0; i < 3; ++i) {
      MbsModel *model = read_text(context, "four_bar", i == 0 ? FOUR_BAR("0") : FOUR_BAR("1048576"));
      MbsRequest request;
      ENSURE_OK(context, mbs_request_default(context, model, &request));
      (void)snprintf(request.settings.cut, sizeof request.settings.cut, "%s", cuts[k]);
      request.method = i < 2 ? MBS_METHOD_DIRECT : MBS_METHOD_COMPLEX_STEP;
      ENSURE_OK(context, mbs_run(context, model, &request, &results[i]));
      mbs_model_destroy(model);
    }
    const char *objective = "", *parameter = "";
    double largest[OBJECTIVES];
    find_largest(results[0], largest);
    double home = distance(results[1], results[0], largest, &objective, &parameter);
    double own = distance(results[1], results[2], largest, &objective, &parameter);
    (void)printf("far away, cut \"%s\": %.1e from home, %.1e from the complex step, rows %.1e\n", cuts[k], home, own,
                 results[1]->statistics.residual_position);
    ENSURE(home <= 1e-8 && own <= 1e-10);  // the ground's numbers are rounded to 1e-10 there
    ENSURE(results[1]->statistics.residual_position <= 1e-14);
    for (int i = 0; i < 3; ++i) {
      mbs_result_destroy(results[i]);
    }
  }
}

int main(int count, char **arguments) {
  Seen seen = {.is_cut = {false}};
  context = mbs_context_create();
  ENSURE(context);
  check_open_tree();
  check_far();
  int models = for_a_share_of_files(count > 1 ? arguments[1] : "tests/models/element_*.yaml", check_model, &seen);
  ENSURE(models >= 1);
  for (int i = 0; mbs_joint_types[i] && count == 1 && share_of_models() == 1; ++i) {
    if (mbs_joint_types[i]->motion && !seen.is_cut[i]) {
      (void)fprintf(stderr, "no model has a joint of type %s to cut\n", mbs_joint_types[i]->record.name);
      return 1;
    }
  }
  mbs_context_destroy(context);
  return 0;
}
