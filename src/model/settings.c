// The table of settings.
#include "model/settings.h"

#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "model/model.h"

enum {
  GRADIENTS = MBS_OF_GRADIENT | MBS_OF_KINEMATICS | MBS_OF_EQUILIBRIUM,
  RUNS = MBS_OF_SIMULATE | MBS_OF_GRADIENT | MBS_OF_KINEMATICS,
  HISTORIES = RUNS | MBS_OF_EQUILIBRIUM,
  DYNAMICS = MBS_OF_CHECK | MBS_OF_SIMULATE | MBS_OF_GRADIENT,
  DYNAMICS_OR_VERIFY = DYNAMICS | MBS_OF_VERIFY,
  DERIVATIVES = GRADIENTS | MBS_OF_VERIFY,
  MOTIONS = DYNAMICS_OR_VERIFY | MBS_OF_KINEMATICS,
  MODELS = MOTIONS | MBS_OF_EQUILIBRIUM
};

#define SETTING(type_, member_, ...) \
  .setting = &(const MbsSetting) { .type = MBS_SETTING_##type_, .member = offsetof(MbsRequest, member_), __VA_ARGS__ }
#define OPTION(name_, argument_, commands_) .option = (name_), .argument = (argument_), .commands = (commands_)
#define WORDS(...)                    \
  .words = (const MbsSettingWord[]) { \
    __VA_ARGS__, { .word = NULL }     \
  }
#define CHOICES(...) \
  .choices = (const char *const[]) { __VA_ARGS__, NULL }
#define POSITIVE .is_least_excluded = true, .range = "positive"

// clang-format off
const MbsField mbs_settings[] = {
    // ---- of model files, too: section simulation ----
    [MBS_SIMULATION_END] = {"end", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE, .default_text = "1", .unit = "s",
     .summary = "end of the simulated time, which starts at 0; in a model file a number or an expression of parameters",
     SETTING(NUMBER, settings.end, OPTION("end", "T", MOTIONS), POSITIVE)},
    [MBS_SIMULATION_STEP] = {"step", MBS_FIELD_NUMBER, .default_text = "0.01", .unit = "s",
     .summary = "time step",
     SETTING(NUMBER, settings.step, OPTION("step", "H", MOTIONS | MBS_OF_LINEARIZE), POSITIVE)},
    [MBS_SIMULATION_FORMULATION] = {"formulation", MBS_FIELD_TEXT, .default_text = "auto",
     .summary = "equations of motion, see mbsens list formulations; auto: ali3p, or what suits an accuracy",
     SETTING(NAME, settings.formulation, OPTION("formulation", "NAME", DYNAMICS))},
    [MBS_SIMULATION_COORDINATES] = {"coordinates", MBS_FIELD_TEXT, .default_text = "natural",
     .summary = "see mbsens list coordinates; verify: both, unless one is given",
     SETTING(NAME, settings.coordinates, OPTION("coordinates", "NAME", MODELS | MBS_OF_LINEARIZE))},
    [MBS_SIMULATION_INTEGRATOR] = {"integrator", MBS_FIELD_TEXT, .default_text = "auto",
     .summary = "see mbsens list integrators; auto: trapezoidal, but generalised-alpha for index3; explicit methods "
                "are for matrix-r, index1, penalty and ali1, radau-3 and radau-5 for all but matrix-r",
     SETTING(NAME, settings.integrator, OPTION("integrator", "NAME", DYNAMICS_OR_VERIFY))},
    [MBS_SIMULATION_TOLERANCE] = {"tolerance", MBS_FIELD_NUMBER, .default_text = "1e-10",
     .summary = "scaled residual at which a step counts as solved",
     SETTING(NUMBER, settings.tolerance, OPTION("tolerance", "X", MOTIONS | MBS_OF_LINEARIZE), .least = 1e-15, .most = 1, .is_most_excluded = true,
             .range = "between 1e-15, which is rounding, and 1")},
    [MBS_SIMULATION_STEP_TOLERANCE] = {"step_tolerance", MBS_FIELD_NUMBER, .default_text = "none",
     .summary = "dormand-prince and radau: steps find their own size, so that the error of each is below this part of the "
                "mechanism's size and of its velocity; step is the first; none: all steps are step long",
     SETTING(NUMBER, settings.step_tolerance, OPTION("step-tolerance", "X", DYNAMICS_OR_VERIFY), .least = 1e-14,
             .most = 1, .is_most_excluded = true, .range = "between 1e-14, which is rounding, and 1", WORDS({"none", 0}))},
    [MBS_SIMULATION_ERROR_CONTROL] = {"error_control", MBS_FIELD_CHOICE, .default_text = "state",
     CHOICES("state", "sensitivities"),
     .summary = "what step_tolerance bounds: errors of the state, or also those of its sensitivities",
     SETTING(FLAG, settings.is_column_controlled, OPTION("error-control", "NAME", DYNAMICS_OR_VERIFY))},
    [MBS_SIMULATION_PENALTY] = {"penalty", MBS_FIELD_TEXT, .default_text = "auto",
     .summary = "absolute penalty factor, or auto: from masses and lengths, so that it does not depend on units, rounded "
                "to a power of ten",
     SETTING(NUMBER, settings.penalty, OPTION("penalty", "A|auto", DYNAMICS_OR_VERIFY), .is_least_excluded = true,
             .range = "positive, or auto", WORDS({"auto", 0}))},
    [MBS_SIMULATION_XI] = {"xi", MBS_FIELD_NUMBER, .default_text = "1",
     .summary = "damping ratio of the constraint stabilisation",
     SETTING(NUMBER, settings.xi, OPTION("xi", "X", DYNAMICS_OR_VERIFY), .range = "zero or positive")},
    [MBS_SIMULATION_OMEGA] = {"omega", MBS_FIELD_NUMBER, .default_text = "10", .unit = "rad/s",
     .summary = "frequency of the constraint stabilisation",
     SETTING(NUMBER, settings.omega, OPTION("omega", "W", DYNAMICS_OR_VERIFY), .range = "zero or positive")},
    [MBS_SIMULATION_BAUMGARTE] = {"baumgarte", MBS_FIELD_CHOICE, .default_text = "no", CHOICES("no", "yes"),
     .summary = "index1: add the stabilisation terms of xi and omega",
     SETTING(FLAG, settings.is_stabilised, OPTION("baumgarte", NULL, DYNAMICS_OR_VERIFY))},
    [MBS_SIMULATION_BETA] = {"beta", MBS_FIELD_NUMBER, .default_text = "auto",
     .summary = "integrator newmark: beta; auto: (gamma + 1/2)^2 / 4",
     SETTING(NUMBER, settings.beta, OPTION("beta", "X", DYNAMICS_OR_VERIFY), .is_least_excluded = true, .most = 0.5,
             .range = "positive and at most 1/2", WORDS({"auto", 0}))},
    [MBS_SIMULATION_GAMMA] = {"gamma", MBS_FIELD_NUMBER, .default_text = "auto",
     .summary = "integrator newmark: gamma; auto: 1/2",
     SETTING(NUMBER, settings.gamma, OPTION("gamma", "X", DYNAMICS_OR_VERIFY), .least = 0.5, .most = 1,
             .range = "from 1/2 to 1: below the rule is unstable", WORDS({"auto", 0}))},
    [MBS_SIMULATION_SPECTRAL_RADIUS] = {"spectral_radius", MBS_FIELD_NUMBER, .default_text = "auto",
     .summary = "integrator generalised-alpha: what is left of the highest frequencies after a step, 0 to 1; auto: 0.8",
     SETTING(NUMBER, settings.spectral_radius, OPTION("spectral-radius", "X", DYNAMICS_OR_VERIFY), .most = 1,
             .range = "from 0 to 1", WORDS({"auto", -1}))},
    [MBS_SIMULATION_PROJECTIONS] = {"projections", MBS_FIELD_TEXT, .default_text = "auto",
     .summary = "ali3p: iterations of each projection, a number, none, or auto: until they converge; explicit integrators: so "
                "many of positions and velocities after each step, auto: none",
     SETTING(ITERATIONS, settings.projections, OPTION("projections", "N", DYNAMICS_OR_VERIFY), .least = 1,
             .most = MBS_MOST_PROJECTIONS, .range = "none, auto, or 1 to 40", WORDS({"auto", 0}, {"none", -1}))},
    [MBS_SIMULATION_PROJECTION_MATRIX] = {"projection_matrix", MBS_FIELD_CHOICE, .default_text = "mass",
     CHOICES("mass", "tangent"), .summary = "ali3p: the metric of the projections, mass or tangent",
     SETTING(FLAG, settings.is_projection_tangent, OPTION("projection-matrix", "NAME", DYNAMICS_OR_VERIFY))},
    [MBS_SIMULATION_NONHOLONOMIC] = {"nonholonomic", MBS_FIELD_CHOICE, .default_text = "coupled",
     CHOICES("coupled", "projected"),
     .summary = "ali3p: nonholonomic constraints coupled: in the step's equations (second order in h), or projected: by "
                "the projections alone (first order)",
     SETTING(FLAG, settings.is_nonholonomic_projected, OPTION("nonholonomic", "NAME", DYNAMICS_OR_VERIFY))},
    [MBS_SIMULATION_TANGENT] = {"tangent", MBS_FIELD_CHOICE, .default_text = "exact", CHOICES("exact", "approximate"),
     .summary = "matrix of Newton's iteration: exact, or approximate: without the curvature of the constraints",
     SETTING(FLAG, settings.is_tangent_approximate, OPTION("tangent", "NAME", DYNAMICS_OR_VERIFY))},
    [MBS_SIMULATION_DERIVATIVES] = {"derivatives", MBS_FIELD_CHOICE, .default_text = "analytical",
     CHOICES("analytical", "automatic", "numerical"),
     .summary = "where gradients (direct and adjoint) take the derivatives of the terms from: analytical: written "
                "formulas, automatic: the complex step, or numerical: differences, term by term",
     SETTING(CHOICE, settings.derivatives, OPTION("derivatives", "NAME", DERIVATIVES))},
    [MBS_SIMULATION_TREE] = {"tree", MBS_FIELD_JOINT_NAMES,
     .summary = "relative coordinates: joints that carry the tree of bodies (default: chosen, branches as short as "
                "possible)",
     SETTING(LIST, settings.tree, OPTION("tree", "J,K", MODELS | MBS_OF_LINEARIZE))},
    [MBS_SIMULATION_CUT] = {"cut", MBS_FIELD_JOINT_NAMES,
     .summary = "relative coordinates: joints that are cut and closed by constraints, at least one of each loop (default: "
                "those outside the tree)",
     SETTING(LIST, settings.cut, OPTION("cut", "J,K", MODELS | MBS_OF_LINEARIZE))},
    [MBS_SIMULATION_ACCURACY] = {"accuracy", MBS_FIELD_NUMBER, .default_text = "none",
     .summary = "relative error that values of objectives and their derivatives may have: the steps (and what else is not "
                "given) are chosen for it, several runs extrapolated, and errors estimated; 0 or none: one run with step",
     SETTING(NUMBER, settings.accuracy, OPTION("accuracy", "EPS", RUNS), .least = MBS_LEAST_ACCURACY, .most = 1, .is_most_excluded = true,
             .range = "below 1 and not below 1e-12, of which rounding leaves nothing, or 0 for none",
             WORDS({"none", 0}, {"0", 0}))},

    // ---- of requests and of the command alone ----
    [MBS_SIMULATION_COUNT] = {"objectives", MBS_FIELD_TEXT, .summary = "objectives to differentiate, or none (default: all of the model)",
     SETTING(NAMES, objective_count, OPTION("objective", "A,B", DERIVATIVES))},
    {"parameters", MBS_FIELD_TEXT, .summary = "parameters to differentiate with respect to, or none (default: all of the model)",
     SETTING(NAMES, parameter_count, OPTION("wrt", "P,Q", DERIVATIVES | MBS_OF_LINEARIZE))},
    {"method", MBS_FIELD_CHOICE, .default_text = "direct",
     CHOICES("none", "direct", "adjoint", "adjoint-continuous", "complex-step", "finite-difference", "cvodes-forward",
             "cvodes-adjoint", "idas-forward", "idas-adjoint"),
     .summary = "direct, adjoint, adjoint-continuous (penalty and matrix-r), complex-step or finite-difference; of SUNDIALS "
                "cvodes-forward, cvodes-adjoint (penalty and matrix-r), idas-forward or idas-adjoint (index1); of requests "
                "also none: simulate alone",
     SETTING(CHOICE, method, OPTION("method", "NAME", GRADIENTS))},
    {"difference", MBS_FIELD_CHOICE, .default_text = "central", CHOICES("central", "forward", "backward"),
     .summary = "of finite-difference: central, forward or backward",
     SETTING(CHOICE, difference, OPTION("difference", "KIND", GRADIENTS))},
    {"difference_step", MBS_FIELD_NUMBER, .default_text = "auto",
     .summary = "of finite-difference: the step, relative to the parameter (absolute if that is 0)",
     SETTING(NUMBER, difference_step, OPTION("difference-step", "X", GRADIENTS), POSITIVE, WORDS({"auto", 0}))},
    {"memory", MBS_FIELD_NUMBER, .default_text = "auto", .unit = "bytes",
     .summary = "adjoint: room for the trajectory, such as 500k, 100M or 2G; a longer one is kept in pieces and walked "
                "twice; auto: 1G, or more where less is not possible",
     SETTING(BYTES, memory, OPTION("memory", "SIZE", DERIVATIVES), .least = 1, .range = "at least one byte",
             WORDS({"auto", 0}))},
    {"sundials", MBS_FIELD_CHOICE, .default_text = "no", CHOICES("no", "yes"),
     .summary = "verify: compare with CVODES (penalty, matrix-r) and IDAS (index1), too, where SUNDIALS is built in",
     SETTING(FLAG, has_sundials, OPTION("sundials", NULL, MBS_OF_VERIFY))},
    {"sundials_tolerance", MBS_FIELD_NUMBER, .default_text = "auto",
     .summary = "relative tolerance of CVODES and IDAS; auto: 1e-10",
     SETTING(NUMBER, sundials_tolerance, OPTION("sundials-tolerance", "X", MBS_OF_GRADIENT | MBS_OF_VERIFY), POSITIVE,
             WORDS({"auto", 0}))},
    {"coordinates_alone", MBS_FIELD_CHOICE, .default_text = "no", CHOICES("no", "yes"),
     .summary = "verify: with the coordinates of the request alone, not with all there are; the command does so where "
                "coordinates are given",
     SETTING(FLAG, has_own_coordinates, .option = NULL)},

    {"outputs", MBS_FIELD_CHOICE, .default_text = "yes", CHOICES("yes", "no"),
     .summary = "no: the model's outputs are not evaluated, and cost nothing",
     SETTING(FLAG, settings.has_no_outputs, .option = NULL)},
    {"columns", MBS_FIELD_TEXT,
     .summary = "of histories: outputs, coordinates, points P, rates P', lambda(J), frame(B), force(J), torque(J), "
                "objectives; * for any letters; or all, outputs, objectives, points, coordinates, multipliers, frames, "
                "reactions, residuals (default: outputs and objectives, or all; of HDF5 all, points, reactions)",
     SETTING(LIST, settings.columns, OPTION("columns", "A,B", HISTORIES))},
    {"every", MBS_FIELD_NUMBER, .default_text = "each",
     .summary = "of histories: a row for every N-th step alone; each: and for both sides of each event",
     SETTING(WHOLE, settings.every, OPTION("every", "N", RUNS), .least = 1, .most = 1e15, .range = "a whole number from 1 on",
             WORDS({"each", 0}))},
    {"sample", MBS_FIELD_NUMBER, .default_text = "none", .unit = "s",
     .summary = "of histories: rows at multiples of this time alone, itself a multiple of the step; explicit integrators: any",
     SETTING(NUMBER, settings.sample, OPTION("sample", "DT", RUNS), POSITIVE, WORDS({"none", 0}))},

    {"independent", MBS_FIELD_TEXT,
     .summary = "matrix-r and linearisation: independent coordinates: angle(crank), r(P).x, ... (default: those of the start, or chosen)",
     SETTING(LIST, settings.independent, OPTION("independent", "A,B", DYNAMICS_OR_VERIFY | MBS_OF_LINEARIZE))},
    {"reference_point", MBS_FIELD_CHOICE, .default_text = "origin", CHOICES("origin", "mass-centre"),
     .summary = "relative coordinates: what the recursion refers to, origin (RTdyn1) or mass-centre (RTdyn0)",
     SETTING(FLAG, settings.is_about_mass_centres, OPTION("reference-point", "NAME", MODELS | MBS_OF_LINEARIZE))},
    {"kinematic", MBS_FIELD_CHOICE, .default_text = "no", CHOICES("no", "yes"),
     .summary = "kinematics: drivers and the start's velocities prescribe the motion, and multipliers are the forces that "
                "it needs; formulation and integrator do not matter",
     SETTING(FLAG, settings.is_kinematic, .option = NULL)},
    {"equilibrium", MBS_FIELD_CHOICE, .default_text = "no", CHOICES("no", "yes"),
     .summary = "no run, but the equilibrium, or the steady motion, that the model asks for, with objectives of that kind",
     SETTING(FLAG, settings.is_equilibrium, .option = NULL)},
};
// clang-format on
const int mbs_settings_count = MBS_COUNT(mbs_settings);

const MbsRecordType mbs_simulation_type = {"simulation", "how to simulate; the command line overrides it",
                                           MBS_SIMULATION_COUNT, mbs_settings};

static const MbsField *find(const char *name) {
  for (int i = 0; i < mbs_settings_count; ++i) {
    if (strcmp(mbs_settings[i].name, name) == 0) {
      return &mbs_settings[i];
    }
  }
  return NULL;
}

const MbsField *mbs_setting_find(MbsContext *context, const char *name) {
  const MbsField *field = find(name);
  const char *nearest = NULL;
  for (int i = 0; i < mbs_settings_count && !field; ++i) {
    mbs_name_nearest(name, mbs_settings[i].name, &nearest);
  }
  if (!field) {
    (void)mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "no setting \"%.60s\"; %s%s%s", name,
                   nearest ? "did you mean \"" : "see mbsens list settings", nearest ? nearest : "",
                   nearest ? "\"?" : "");
  }
  return field;
}

const char *mbs_setting_word(const char *name, int choice) { return find(name)->choices[choice]; }
