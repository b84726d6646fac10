// Whole runs: direct differentiation and the adjoint against each other, against the complex step and against finite
// differences, for every model that is shipped and for those of tests/models/run_*.yaml, with every formulation.
//
// The complex step of the same discrete equations is exact to rounding, so both meet it, and each other, to rounding
// amplified over the run: 1e-8 relative, an entry's error relative to its own size but not below a millionth of the
// largest entry of its objective (the measure of mbsens verify: what is zero by symmetry has only rounding to show).
// Where a run magnifies rounding more, the complex step says so itself: computed again with parameters moved by 1e-15
// of themselves it is off by as much, and ten times that, of a few samples, is allowed, up to 1e-6. Today index3 needs
// it and nothing else: rssr, stewart_platform and run_chain are off by 2e-8. Its accelerations are rounding of
// positions over beta h^2, of the start's too: d Phi / (beta h^2) is what the first step adds to bring Phi from there
// to zero. Fifty steps of most: what a step gets wrong is wrong in the first, and `mbsens verify` has the time for
// whole motions.
#include "formulations/formulation.h"
#include "sensitivities/shaken_run.h"
#include "support.h"

static const double limit = 1e-8;
enum { PARTS = 3, MOST_PARAMETERS = 256, MOST_OBJECTIVES = 64 };

static MbsContext *context;
static double largest[MOST_OBJECTIVES];  // entries of the model's objectives, by all parameters; 0: not known yet

static MbsResult *run(const MbsModel *model, const MbsRequest *request, MbsMethod method) {
  MbsRequest own = *request;
  MbsResult *result;
  own.method = method;
  ENSURE_OK(context, mbs_run(context, model, &own, &result));
  return result;
}

static double largest_entry(const MbsResult *result, int objective) {
  ENSURE(objective < MOST_OBJECTIVES);
  return fmax(largest[objective],
              largest_of(result->parameter_count, result->gradient + objective * result->parameter_count));
}

// largest relative error, entries below `floor` times the objective's largest measured against that
static double distance(const MbsResult *tried, const MbsResult *reference, double floor, const char **objective,
                       const char **parameter) {
  double worst = 0;
  for (int i = 0; i < reference->objective_count; ++i) {
    double most = largest_entry(reference, i);
    for (int k = 0; k < reference->parameter_count; ++k) {
      int at = i * reference->parameter_count + k;
      double size = fmax(fabs(reference->gradient[at]), floor * most);
      double error = fabs(tried->gradient[at] - reference->gradient[at]) / size;
      if (size > 0 && !(error <= worst)) {
        worst = error;
        *objective = reference->objectives[i];
        *parameter = reference->parameters[k];
      }
    }
  }
  return worst;
}

static void ensure_near(const char *path, const char *what, const MbsResult *tried, const MbsResult *reference,
                        double floor, double most) {
  const char *objective = "", *parameter = "";
  double worst = distance(tried, reference, floor, &objective, &parameter);
  if (!(worst <= most)) {
    (void)fprintf(stderr, "%s: %s: d(%s)/d(%s) is off by %.3g relative, %.3g is allowed\n", path, what, objective,
                  parameter, worst, most);
    exit(1);
  }
  (void)printf("  %-40s %.1e at d(%s)/d(%s)\n", what, worst, objective, parameter);
}

// how much the complex step moves with the last bits of the parameters, in the measure of `distance`
static double uncertainty(const MbsModel *model, const MbsRequest *request, const MbsResult *reference) {
  enum { SHAKES = 3 };
  MbsRequest own = *request;
  const char *objective, *parameter;
  double worst = 0;
  own.method = MBS_METHOD_COMPLEX_STEP;
  for (int shake = 1; shake <= SHAKES; ++shake) {
    MbsResult *shaken;
    ENSURE_OK(context, mbs_run_shaken(context, model, &own, shake, &shaken));
    worst = fmax(worst, distance(shaken, reference, 1e-5, &objective, &parameter));
    mbs_result_destroy(shaken);
  }
  return worst;
}

// every objective depends on something, every parameter moves something
static void ensure_not_empty(const char *path, const MbsResult *reference) {
  for (int i = 0; i < reference->objective_count; ++i) {
    if (!(largest_entry(reference, i) > 0)) {
      (void)fprintf(stderr, "%s: objective %s: all references are zero\n", path, reference->objectives[i]);
      exit(1);
    }
  }
  for (int k = 0; k < reference->parameter_count; ++k) {
    double most = 0;
    for (int i = 0; i < reference->objective_count; ++i) {
      most = fmax(most, fabs(reference->gradient[i * reference->parameter_count + k]) / largest_entry(reference, i));
    }
    // the inertia of that slider, which cannot turn, rightly moves nothing
    bool is_exception = strcmp(path, "models/slider_spring.yaml") == 0 && strcmp(reference->parameters[k], "Is") == 0;
    if ((most > 1e-9) == is_exception) {
      (void)fprintf(stderr, "%s: parameter %s: %s\n", path, reference->parameters[k],
                    is_exception ? "is said to move nothing" : "all references are zero");
      exit(1);
    }
  }
}

// Differences say that the complex step is right; one formulation of each level says it for all. Some shipped models
// are too delicate for them.
static bool has_differences(const char *path, const char *formulation) {
  bool is_robust = strstr(path, "run_") || strstr(path, "five_bar") || strstr(path, "slider_spring");
  return is_robust && (strcmp(formulation, "index1") == 0 || strcmp(formulation, "ali3p") == 0);
}

// All parameters with the first formulation; with others, which take derivatives of the same terms, a third of them
// each.
static void choose_parameters(const MbsResult *all, int part, const char **names, MbsRequest *request) {
  request->parameters = all ? names : NULL;
  request->parameter_count = 0;
  for (int i = 0; all && i < all->parameter_count; ++i) {
    if (i % PARTS == part % PARTS || all->parameter_count < PARTS) {
      ENSURE(request->parameter_count < MOST_PARAMETERS);
      names[request->parameter_count++] = all->parameters[i];
    }
  }
}

static void check_model(const char *path, void *user) {
  (void)user;
  const char *names[MOST_PARAMETERS];
  MbsResult *all = NULL;  // of the first formulation
  memset(largest, 0, sizeof largest);
  MbsModel *model = read_moving_model(context, path);
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.settings.step = fmin(request.settings.step, 1e-2);  // some need a smaller one
  // redundant, or through singular positions: index1 and index3 have no business there
  bool is_singular = strstr(path, "bricard") || strstr(path, "n_four_bar");
  request.settings.step = strstr(path, "n_four_bar") ? 1e-2 : request.settings.step;
  // 1e-5 as shipped, with index3: a start that is off by the last bit, 1e-17 m, makes accelerations of 3e-7 m/s^2
  // beside 0.2, and d(shake)/d(l0) is off by 1.2e-7; no parameter moves that bit, so that no shaking shows it
  request.settings.step = strstr(path, "andrews") ? 1e-4 : request.settings.step;
  // long enough to pass the singular positions, and else for every part to move
  double most_steps = strstr(path, "n_four_bar") ? 200 : strstr(path, "stewart") ? 10 : 50;
  // or for its first impact, without which a restitution means nothing
  bool is_impact = strstr(path, "bouncing_ball") || strstr(path, "five_bar_impact") || strstr(path, "rod_drop") ||
                   strstr(path, "clutch") || strstr(path, "quarter_car");
  bool is_early = strstr(path, "slider_stop") || strstr(path, "string_pendulum") || strstr(path, "geneva") ||
                  strstr(path, "switching_damper");
  most_steps = is_impact ? 400 : is_early ? 150 : most_steps;
  request.settings.end = fmin(request.settings.end, most_steps * request.settings.step);
  bool is_for_matrix_r = !strstr(path, "n_four_bar");
  // whose guards are reactions
  bool is_for_index3 = !strstr(path, "clutch") && !strstr(path, "string_pendulum");
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    const char *name = mbs_formulation_types[f]->name;
    if ((is_singular && !mbs_formulation_types[f]->allows_redundancy) ||
        (strcmp(name, "matrix-r") == 0 && !is_for_matrix_r) || (strcmp(name, "index3") == 0 && !is_for_index3)) {
      continue;
    }
    (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", name);
    bool is_rough = mbs_formulation_types[f]->is_position_level;
    (void)printf("%s, %s\n", path, name);
    choose_parameters(all, f, names, &request);
    MbsResult *direct = run(model, &request, MBS_METHOD_DIRECT);
    MbsResult *adjoint = run(model, &request, MBS_METHOD_ADJOINT);
    MbsResult *reference = run(model, &request, MBS_METHOD_COMPLEX_STEP);
    if (!all) {
      ensure_not_empty(path, reference);
      for (int i = 0; i < reference->objective_count; ++i) {
        largest[i] = largest_entry(reference, i);
      }
    }
    const char *objective, *parameter;
    double worst = fmax(distance(direct, reference, 1e-5, &objective, &parameter),
                        distance(adjoint, reference, 1e-5, &objective, &parameter));
    double most = worst <= limit ? limit : fmax(limit, fmin(10 * uncertainty(model, &request, reference), 1e-6));
    ensure_near(path, "direct", direct, reference, 1e-5, most);
    ensure_near(path, "adjoint", adjoint, reference, 1e-5, most);
    ensure_near(path, "adjoint against direct", adjoint, direct, 1e-5, most);
    for (int i = 0; i < direct->objective_count; ++i) {
      // the run of the complex step gives its values from the same double run
      ENSURE_NEAR(direct->values[i], reference->values[i], 1e-11 * (1 + fabs(reference->values[i])));
    }
    // Differences: the error of the values (Newton's tolerance 1e-10 and rounding, amplified over the run) over the
    // step, plus truncation. Central with h = 6e-6 |p|: some 1e-6; one-sided with 1.5e-8: some 1e-4; relative
    // to the objective's largest entry or a hundredth of it.
    if (has_differences(path, name)) {
      static const struct {
        MbsDifference difference;
        const char *name;
        double limit;
      } kinds[] = {{MBS_DIFFERENCE_CENTRAL, "central differences", 1e-5},
                   {MBS_DIFFERENCE_FORWARD, "forward differences", 3e-3},
                   {MBS_DIFFERENCE_BACKWARD, "backward differences", 3e-3}};
      for (int d = 0; d < (is_rough ? 1 : 3); ++d) {  // too rough for one side alone
        MbsRequest differences = request;
        differences.difference = kinds[d].difference;
        MbsResult *tried = run(model, &differences, MBS_METHOD_FINITE_DIFFERENCE);
        ensure_near(path, kinds[d].name, tried, reference, 1e-2, is_rough ? 3e-3 : kinds[d].limit);
        mbs_result_destroy(tried);
      }
    }
    mbs_result_destroy(adjoint);
    mbs_result_destroy(reference);
    if (all) {
      mbs_result_destroy(direct);
    } else {
      all = direct;
    }
  }
  mbs_result_destroy(all);
  mbs_model_destroy(model);
}

// index1 with Baumgarte's terms is a formulation of its own as far as derivatives go
static void check_stabilised(const char *path) {
  memset(largest, 0, sizeof largest);
  MbsModel *model = read_moving_model(context, path);
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "index1");
  request.settings.step = 1e-2;
  MbsResult *plain = run(model, &request, MBS_METHOD_DIRECT);
  request.settings.is_stabilised = true;
  MbsResult *direct = run(model, &request, MBS_METHOD_DIRECT);
  MbsResult *reference = run(model, &request, MBS_METHOD_COMPLEX_STEP);
  (void)printf("%s, index1 stabilised\n", path);
  ensure_near(path, "direct", direct, reference, 1e-5, limit);
  ENSURE(direct->statistics.residual_position < plain->statistics.residual_position / 2);  // it does something
  mbs_result_destroy(plain);
  mbs_result_destroy(direct);
  mbs_result_destroy(reference);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  int own = for_a_share_of_files("tests/models/run_*.yaml", check_model, NULL);
  int shipped = for_a_share_of_files("models/*.yaml", check_model, NULL);
  ENSURE(own >= 2 && shipped >= 3);
  check_stabilised("models/five_bar.yaml");
  check_stabilised("tests/models/run_chain.yaml");
  mbs_context_destroy(context);
  return 0;
}
