#include "options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "memory.h"
#include "model/model.h"
#include "outcome.h"

// What an option that is no setting takes, and with it the type of the member of CliOptions that holds it.
typedef enum Kind {
  KIND_SETTING,   // a row of mbs_settings
  KIND_FLAG,      // nothing: bool
  KIND_OUTPUT,    // const char *, the name of a file: .csv or .h5
  KIND_TEXT,      // const char *
  KIND_MATRICES,  // the same, which may be .mat, too
  KIND_COMPARE,   // optional: MbsMethod, and has_comparison
  KIND_COUNT,     // long, 1 or more
  KIND_SET,       // the next of the assignments
  KIND_VARY,      // the next of the variations
  KIND_BOUND,     // the next of the bounds
  KIND_DATA       // the next of the data files
} Kind;

typedef struct Option {
  const char *name;
  const char *argument;  // as shown in the help; NULL: none
  Kind kind;
  unsigned commands;  // that take it
  size_t member;      // offset in CliOptions; of a setting its row
  const char *help;   // NULL: not shown
} Option;

#define MEMBER(name) offsetof(CliOptions, name)

enum {
  GRADIENTS = CLI_GRADIENT | CLI_KINEMATICS | CLI_EQUILIBRIUM,
  RUNS = CLI_SIMULATE | GRADIENTS,
  MODELS = CLI_CHECK | RUNS | CLI_VERIFY | CLI_LINEARIZE | CLI_STUDY | CLI_SWEEP | CLI_PLOT | CLI_OPTIMIZE |
           CLI_REPORT | CLI_IDENTIFY,
  ALL = MODELS | CLI_LIST | CLI_HELP
};

// Identification runs the direct method to the end of the data, and looks at each step.
static bool is_of_identify(const char *setting) {
  static const char *const others[] = {"objectives", "method", "memory",   "difference",        "difference_step",
                                       "columns",    "every",  "accuracy", "sundials_tolerance"};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    if (strcmp(setting, others[i]) == 0) {
      return false;
    }
  }
  return true;
}

// Commands that take a setting: what runs gradients many times takes those of gradient, but for histories.
static unsigned commands_of(const MbsField *setting) {
  unsigned commands = setting->setting->commands;
  bool is_of_histories = strcmp(setting->name, "columns") == 0 || strcmp(setting->name, "every") == 0 ||
                         strcmp(setting->name, "sample") == 0;
  if (!(commands & CLI_GRADIENT)) {
    return commands;
  }
  bool is_of_plot = strcmp(setting->name, "columns") != 0;  // --y says them
  // its methods are those of simulators, and auto; a run each
  bool is_of_other_methods = strcmp(setting->name, "method") == 0 || strcmp(setting->name, "accuracy") == 0 ||
                             strncmp(setting->name, "difference", 10) == 0 ||
                             strcmp(setting->name, "sundials_tolerance") == 0;
  bool is_of_sweep = !is_of_histories && (!is_of_other_methods || strcmp(setting->name, "method") == 0);
  return commands | (is_of_histories ? 0u : CLI_STUDY) | (is_of_sweep ? CLI_SWEEP : 0u) | (is_of_plot ? CLI_PLOT : 0u) |
         (is_of_histories       ? 0u
          : is_of_other_methods ? CLI_REPORT
                                : CLI_REPORT | CLI_OPTIMIZE) |
         (is_of_identify(setting->name) ? CLI_IDENTIFY : 0u);
}

static const Option own[] = {
    {"--compare", "[METHOD]", KIND_COMPARE, GRADIENTS, MEMBER(compared),
     "run METHOD too and print both with their relative difference (default: complex-step, or direct if that is the "
     "method already)"},
    {"--initial-state", NULL, KIND_FLAG, CLI_GRADIENT, MEMBER(wants_initial_state),
     "adjoint: print the derivatives with respect to the start's positions and velocities too"},
    {"--hessian", NULL, KIND_FLAG, CLI_GRADIENT, MEMBER(wants_hessian),
     "second derivatives, too: the adjoint in complex arithmetic, exact"},
    {"--relative", NULL, KIND_FLAG, CLI_GRADIENT, MEMBER(is_relative),
     "relative sensitivities too, (p / psi) dpsi/dp, the largest first"},
    {"--at", "WHEN", KIND_TEXT, CLI_LINEARIZE, MEMBER(at),
     "start, equilibrium (of a model with initial: {equilibrium: yes}), or a time of a run (start)"},
    {"--inputs", "A,B", KIND_TEXT, CLI_LINEARIZE, MEMBER(inputs),
     "inputs of the model, or parameters (default: all inputs of the model)"},
    {"--frequencies", "FROM:TO:COUNT", KIND_TEXT, CLI_LINEARIZE, MEMBER(frequencies),
     "frequency responses at so many frequencies, Hz, evenly on a logarithmic scale"},
    {"--along", "NAME=FROM:TO:COUNT", KIND_TEXT, CLI_EQUILIBRIUM, MEMBER(along),
     "the equilibrium followed while a number of the model changes: at so many values of it, evenly"},
    {"--vary", "NAME=A,B,C", KIND_VARY, CLI_STUDY, MEMBER(variations),
     "a setting (mbsens list settings) and its values, or NAME=all; may be repeated: runs are all combinations "
     "(default: "
     "formulation=all, coordinates=all and the step, a half and a quarter of it)"},
    {"--reference", "WHAT", KIND_TEXT, CLI_STUDY, MEMBER(reference),
     "errors are against: finest, the smallest step in the same settings; an accuracy, such as 1e-9, of a run to it; "
     "or "
     "numbers, psi=0.72,d(psi)/d(p)=-4.2 (finest)"},
    {"--repeat", "N", KIND_COUNT, CLI_STUDY, MEMBER(repeat),
     "runs of each, of whose processor times the least counts (1)"},
    {"--vary", "NAME=WHAT", KIND_VARY, CLI_SWEEP, MEMBER(variations),
     "a parameter, and what it may be: A,B,C; FROM:TO:COUNT; uniform(a,b), loguniform(a,b), normal(mean,deviation), "
     "normal(mean,deviation,lower,upper), lognormal(median,deviation), triangular(a,c,b), weibull(scale,shape); may be "
     "repeated (default: parameters of the model with a distribution, or else with two bounds)"},
    {"--plan", "NAME", KIND_TEXT, CLI_SWEEP, MEMBER(plan),
     "grid: all combinations of values; monte-carlo, latin-hypercube, sobol: samples of the distributions; saltelli: "
     "for Sobol's indices (default: grid where all are values, else monte-carlo)"},
    {"--samples", "N", KIND_COUNT, CLI_SWEEP, MEMBER(samples),
     "how many, of random plans; of saltelli N (parameters + 2) (1000)"},
    {"--seed", "N", KIND_COUNT, CLI_SWEEP, MEMBER(seed), "of random numbers (1)"},
    {"--list", "FILE.csv", KIND_TEXT, CLI_SWEEP, MEMBER(list),
     "plan list: samples are the rows of this file, a column with a name for each parameter"},
    {"--threads", "N", KIND_COUNT, CLI_SWEEP, MEMBER(threads),
     "runs at the same time in one process (default: one for each core; under mpirun 1)"},
    {"--threads", "N", KIND_COUNT, CLI_OPTIMIZE, MEMBER(threads), "searches at the same time, from several starts (1)"},
    {"--data", "FILE.csv", KIND_DATA, CLI_IDENTIFY, MEMBER(data),
     "what was measured: column t, and columns called like outputs; may be repeated: each file is a run of its own "
     "(default: those of the section identification)"},
    {"--outputs", "A,B=COLUMN", KIND_TEXT, CLI_IDENTIFY, MEMBER(measured),
     "which outputs were measured, and in which columns (default: those of the section, or all that are called alike)"},
    {"--sigma", "X|A=X,B=Y", KIND_TEXT, CLI_IDENTIFY, MEMBER(sigma),
     "standard deviation of the measurements, of all or by output (default: that of the section, or estimated)"},
    {"--confidence", "P", KIND_TEXT, CLI_IDENTIFY, MEMBER(confidence),
     "probability of the intervals, below 1 (default: that of the section, 0.95)"},
    {"--y", "A,B;C", KIND_TEXT, CLI_PLOT | CLI_REPORT, MEMBER(y),
     "what to draw, a comma within a panel, a semicolon before the next: columns of histories, d(X)/d(p), or "
     "expressions "
     "(default: outputs, or coordinates and objectives)"},
    {"--x", "A", KIND_TEXT, CLI_PLOT, MEMBER(x), "the horizontal axis (default: t, of a file its first column)"},
    {"--vary", "NAME=A,B,C", KIND_VARY, CLI_PLOT, MEMBER(variations),
     "a run for each of these values of a parameter, or of a setting; may be repeated: all combinations"},
    {"--ghost", "A=1,B=2|MODEL", KIND_TEXT, CLI_REPORT, MEMBER(ghost),
     "another design, pale beside this one: the model with other values of parameters, or another model"},
    {"--modes", NULL, KIND_FLAG, CLI_REPORT, MEMBER(has_modes),
     "natural modes near the start, linearised there, to be watched one by one"},
    {"--by", "COLUMN", KIND_TEXT, CLI_PLOT, MEMBER(by), "of a file: a curve for each value of this column"},
    {"--bars", NULL, KIND_FLAG, CLI_PLOT, MEMBER(has_bars),
     "instead of curves the relative sensitivities of objectives, ranked"},
    {"--kinematics", NULL, KIND_FLAG, CLI_PLOT | CLI_REPORT | CLI_OPTIMIZE | CLI_IDENTIFY, MEMBER(is_kinematic),
     "the motion that drivers prescribe"},
    {"--log", "x|y|xy", KIND_TEXT, CLI_PLOT, MEMBER(log), "logarithmic axes"},
    {"--equal", NULL, KIND_FLAG, CLI_PLOT, MEMBER(is_equal), "a metre is as long on both axes: for paths of points"},
    {"--discs", NULL, KIND_FLAG, CLI_PLOT, MEMBER(has_discs), "a disc at each value"},
    {"--title", "TEXT", KIND_TEXT, CLI_PLOT, MEMBER(title), "above the picture"},
    {"--size", "WIDTHxHEIGHT", KIND_TEXT, CLI_PLOT, MEMBER(size), "of the picture, points (1/72 inch)"},
    {"--method", "NAME", KIND_TEXT, CLI_OPTIMIZE, MEMBER(method),
     "of the gradients: any of mbsens gradient, or auto: direct or adjoint, what costs less (auto)"},
    {"--maximize", NULL, KIND_FLAG, CLI_OPTIMIZE, MEMBER(is_maximized),
     "what --objective names is to become large, not small"},
    {"--bound", "NAME=LOWER:UPPER", KIND_BOUND, CLI_OPTIMIZE, MEMBER(bounds),
     "bounds of a parameter, one of which may be left out; may be repeated (default: those of the model)"},
    {"--algorithm", "NAME", KIND_TEXT, CLI_OPTIMIZE, MEMBER(algorithm),
     "lbfgs, slsqp, mma, cobyla, or auto: slsqp with constraints, else lbfgs (default: that of the model)"},
    {"--evaluations", "N", KIND_COUNT, CLI_OPTIMIZE, MEMBER(evaluations),
     "runs of the model at most, from each start (default: that of the model, 200)"},
    {"--search-tolerance", "X", KIND_TEXT, CLI_OPTIMIZE, MEMBER(search_tolerance),
     "the search ends where the gradient, or a step, is this part of its size (default: that of the model, 1e-8)"},
    {"--target", "X", KIND_TEXT, CLI_OPTIMIZE, MEMBER(target), "a value that is good enough"},
    {"--starts", "N", KIND_COUNT, CLI_OPTIMIZE, MEMBER(starts),
     "starts: the first at the model's values, others anywhere between bounds (default: that of the model, 1)"},
    {"--seed", "N", KIND_COUNT, CLI_OPTIMIZE, MEMBER(seed), "of the random numbers of starts"},
    {"--state", "FILE", KIND_TEXT, CLI_OPTIMIZE, MEMBER(state),
     "what has been computed is kept there after every run, of several starts at a time after every start; called "
     "again, the search goes on from it and ends as if it "
     "had never stopped"},
    {"-o", "FILE", KIND_TEXT, CLI_OPTIMIZE, MEMBER(output),
     "FILE.yaml: a copy of the model with the improved parameters, comments and layout as they are; FILE.html: a "
     "report "
     "of the improved design beside the first, with the search; it appears whole or not at all"},
    {"-o", "FILE", KIND_TEXT, CLI_PLOT, MEMBER(output),
     "FILE.svg; with cairo built in also FILE.png and FILE.pdf; the file appears whole or not at all"},
    {"-o", "FILE", KIND_TEXT, CLI_REPORT, MEMBER(output), "FILE.html; the file appears whole or not at all"},
    {"-o", "FILE", KIND_TEXT, CLI_IDENTIFY, MEMBER(output),
     "a copy of the model file with the new numbers, comments and layout as they are; the file appears whole or not at "
     "all"},
    {"-o", "FILE", KIND_OUTPUT, RUNS, MEMBER(output),
     "FILE.h5: everything over time and at the end, with derivatives and the model, as HDF5; FILE.csv: time histories; "
     "the file appears whole or not at all"},
    {"-o", "FILE", KIND_OUTPUT, CLI_SWEEP, MEMBER(output),
     "FILE.h5, FILE.csv: every sample with values and gradients; the file appears whole or not at all, and until then "
     "there is FILE.journal, with which the same command goes on where it was stopped"},
    {"-o", "FILE", KIND_MATRICES, CLI_LINEARIZE, MEMBER(output),
     "FILE.mat, FILE.h5: all matrices, eigenvalues, shapes and derivatives (Octave, MATLAB, scipy, h5py); FILE.csv: "
     "eigenvalues with "
     "their derivatives, or with --frequencies the responses"},
    {"--set", "NAME=VALUE", KIND_SET, MODELS, MEMBER(assignments),
     "give a parameter another value: a number, or an expression of other parameters; may be repeated"},
    {"--json", NULL, KIND_FLAG, MODELS, MEMBER(is_json), "print one JSON object instead of tables"},
    {"--quiet", NULL, KIND_FLAG, MODELS, MEMBER(is_quiet), "print the tables of numbers only"},
    {"--markdown", NULL, KIND_FLAG, CLI_LIST | CLI_STUDY, MEMBER(is_markdown), "print tables in Markdown"},
    {"--latex", NULL, KIND_FLAG, CLI_STUDY, MEMBER(is_latex), "print tables in LaTeX"},
    {"--csv", NULL, KIND_FLAG, CLI_STUDY, MEMBER(is_csv), "print tables as comma-separated values with 17 digits"},
    {"--manual", NULL, KIND_FLAG, CLI_HELP, MEMBER(wants_manual), "print all of it as a manual page, for man"},
    {"--completion", NULL, KIND_FLAG, CLI_HELP, MEMBER(wants_completion),
     "print what makes bash complete commands and options"},
    {"--help", NULL, KIND_FLAG, ALL, MEMBER(wants_help), "print this text; also -h"},
    {"-h", NULL, KIND_FLAG, ALL, MEMBER(wants_help), NULL},
};
enum { OWN_COUNT = sizeof own / sizeof own[0], NAME_ROOM = 64 };

// The first of those that say what is printed: rows from --json on.
static int first_of_output(void) {
  int row = 0;
  while (strcmp(own[row].name, "--json") != 0) {
    ++row;
  }
  return row;
}

// The options in the order of the help: settings of requests alone, own ones that say what is done, settings of model
// files, own ones that say what is printed. `name` has room for NAME_ROOM. False: there are no more.
static bool option_at(int index, Option *option, char *name) {
  int requests = mbs_settings_count - MBS_SIMULATION_COUNT, first = first_of_output(), row = -1, of_own = -1;
  if (index < requests) {
    row = MBS_SIMULATION_COUNT + index;
  } else if (index < requests + first) {
    of_own = index - requests;
  } else if (index < mbs_settings_count + first) {
    row = index - requests - first;
  } else if (index < mbs_settings_count + OWN_COUNT) {
    of_own = index - mbs_settings_count;
  } else {
    return false;
  }
  if (of_own >= 0) {
    *option = own[of_own];
    return true;
  }
  const MbsSetting *setting = mbs_settings[row].setting;
  (void)snprintf(name, NAME_ROOM, "--%s", setting->option ? setting->option : "");
  *option = (Option){.name = name,
                     .argument = setting->argument,
                     .kind = KIND_SETTING,
                     .commands = setting->option ? commands_of(&mbs_settings[row]) : 0,
                     .member = (size_t)row,
                     .help = mbs_settings[row].summary};
  return true;
}

const char *cli_options_given(const CliOptions *options, const char *setting) {
  for (int i = 0; i < mbs_settings_count; ++i) {
    if (strcmp(mbs_settings[i].name, setting) == 0) {
      return options->given[i];
    }
  }
  return NULL;
}

// The option called by `argument` ("--step" or "--step=0.1"), if it is there for this command.
static bool find_option(const char *argument, unsigned command, const char *command_name, Option *option,
                        char *own_name) {
  size_t length = strcspn(argument, "=");
  char name[NAME_ROOM];
  (void)snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), argument);
  const char *nearest = NULL;
  char nearest_name[NAME_ROOM];
  bool is_of_others = false;  // one of that name, but for other commands
  for (int i = 0; option_at(i, option, own_name); ++i) {
    bool is_meant = option->commands && strlen(option->name) == length && strncmp(option->name, argument, length) == 0;
    if (is_meant && (option->commands & command)) {
      return true;
    }
    is_of_others = is_of_others || is_meant;
    const char *before = nearest;
    if (option->commands & command) {
      mbs_name_nearest(name, option->name, &nearest);
    }
    if (nearest != before) {  // the name of the next option will stand where this one stood
      (void)snprintf(nearest_name, sizeof nearest_name, "%s", option->name);
      nearest = nearest_name;
    }
  }
  if (is_of_others) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: not an option of %s; see mbsens %s --help", name, command_name, command_name);
  } else if (nearest) {
    (void)cli_fail(MBS_ERROR_INPUT, "unknown option %s, did you mean %s?", name, nearest);
  } else {
    (void)cli_fail(MBS_ERROR_INPUT, "unknown option %s; see mbsens %s --help", name, command_name);
  }
  return false;
}

// What stands behind the option: after '=', or as the next argument, which is then used up. *value stays NULL where
// the option takes none.
static bool find_value(const Option *option, int argument_count, char **arguments, int *at, const char **value) {
  const char *equals = strchr(arguments[*at], '=');
  const char *next = *at + 1 < argument_count ? arguments[*at + 1] : NULL;
  *value = equals ? equals + 1 : NULL;
  if (!option->argument) {
    if (equals) {
      (void)cli_fail(MBS_ERROR_INPUT, "%s: takes no value, got \"%s\"", option->name, *value);
    }
    return !equals;
  }
  // the value is optional: only the name of a method is one, since MODEL may come next
  bool takes_next = option->kind == KIND_COMPARE ? next && cli_is_method(next) : next && strncmp(next, "--", 2) != 0;
  if (!equals && takes_next) {
    *value = next;
    ++*at;
  }
  if ((!*value && option->kind != KIND_COMPARE) || (*value && !**value)) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: needs a value, %s", option->name, option->argument);
    return false;
  }
  return true;
}

static bool store_setting(MbsContext *context, const Option *option, const char *value, CliOptions *options) {
  const MbsField *field = &mbs_settings[option->member];
  const char *text = value ? value : field->choices[1];
  MbsStatus status = mbs_setting_parse(context, field, option->name, mbs_nowhere, text, options->asked);
  if (status == MBS_ERROR_MEMORY) {
    cli_memory_is_out();
  }
  if (status != MBS_OK) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s", mbs_context_message(context));
    return false;
  }
  options->given[option->member] = text;
  return true;
}

static bool store(MbsContext *context, const Option *option, const char *value, CliOptions *options) {
  void *member = (char *)options + option->member;
  switch (option->kind) {
    case KIND_SETTING: return store_setting(context, option, value, options);
    case KIND_FLAG: *(bool *)member = true; return true;
    case KIND_OUTPUT:
    case KIND_MATRICES: return cli_value_output(option->name, value, option->kind == KIND_MATRICES, member);
    case KIND_TEXT: *(const char **)member = value; return true;
    case KIND_COMPARE: options->has_comparison = true; return !value || cli_value_method(option->name, value, member);
    case KIND_COUNT: return cli_value_count(option->name, value, member);
    case KIND_VARY:
      return cli_value_assignment(option->name, value, &options->variations[options->variation_count]) &&
             ++options->variation_count > 0;
    case KIND_BOUND:
      return cli_value_assignment(option->name, value, &options->bounds[options->bound_count]) &&
             ++options->bound_count > 0;
    case KIND_DATA: options->data[options->data_count++] = value; return true;
    case KIND_SET:
      return cli_value_assignment(option->name, value, &options->assignments[options->assignment_count]) &&
             ++options->assignment_count > 0;
  }
  return false;
}

static bool is_adjoint(MbsMethod method) {
  return method == MBS_METHOD_ADJOINT || method == MBS_METHOD_ADJOINT_CONTINUOUS;
}

static bool is_of_sundials(MbsMethod method) {
  return method >= MBS_METHOD_CVODES_FORWARD && method <= MBS_METHOD_IDAS_ADJOINT;
}

// The first of these options that was given; NULL: none. The list ends with NULL.
static const char *first_given(const CliOptions *options, const char *const *names) {
  for (; *names; ++names) {
    if (cli_options_given(options, *names)) {
      return *names;
    }
  }
  return NULL;
}

// Fills in what --compare leaves open and refuses options that would do nothing.
static bool settle(CliOptions *options, unsigned command) {
  MbsMethod method = options->asked->method;
  if (options->has_comparison && options->compared == MBS_METHOD_NONE) {
    options->compared = method == MBS_METHOD_COMPLEX_STEP ? MBS_METHOD_DIRECT : MBS_METHOD_COMPLEX_STEP;
  }
  if (method == MBS_METHOD_NONE && command != CLI_SWEEP) {
    (void)cli_fail(MBS_ERROR_INPUT, "--method none: is what mbsens simulate does");
    return false;
  }
  if (options->has_comparison && options->compared == method) {
    (void)cli_fail(MBS_ERROR_INPUT, "--compare: %s is the method already; compare it with another",
                   cli_method_name(method));
    return false;
  }
  const char *rows = first_given(options, (const char *const[]){"columns", "every", "sample", NULL});
  if (rows && !options->output) {
    (void)cli_fail(MBS_ERROR_INPUT, "--%s: is for time histories; say where to: -o FILE.csv or FILE.h5", rows);
    return false;
  }
  bool is_over_time = method == MBS_METHOD_ADJOINT_CONTINUOUS || is_of_sundials(method) ||
                      options->compared == MBS_METHOD_ADJOINT_CONTINUOUS || is_of_sundials(options->compared);
  if (command == CLI_EQUILIBRIUM && is_over_time) {
    (void)cli_fail(MBS_ERROR_INPUT,
                   "--method: an equilibrium has methods direct, adjoint, complex-step and "
                   "finite-difference; the others integrate over time");
    return false;
  }
  bool has_gradient = command != CLI_KINEMATICS || cli_options_given(options, "method") || options->has_comparison;
  bool has_derivatives = cli_options_given(options, "derivatives") != NULL;
  if (!has_gradient && (has_derivatives || cli_options_given(options, "parameters"))) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: is for derivatives of the objectives; say by which --method, such as direct",
                   has_derivatives ? "--derivatives" : "--wrt");
    return false;
  }
  bool uses_differences = method == MBS_METHOD_FINITE_DIFFERENCE || options->compared == MBS_METHOD_FINITE_DIFFERENCE;
  const char *difference = first_given(options, (const char *const[]){"difference", "difference_step", NULL});
  if (difference && !uses_differences) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: is for --method finite-difference only, the method is %s",
                   strcmp(difference, "difference") == 0 ? "--difference" : "--difference-step",
                   cli_method_name(method));
    return false;
  }
  bool uses_sundials = options->asked->has_sundials || is_of_sundials(method) || is_of_sundials(options->compared);
  if (cli_options_given(options, "sundials_tolerance") && !uses_sundials) {
    (void)cli_fail(MBS_ERROR_INPUT, "--sundials-tolerance: is for %s only",
                   command == CLI_VERIFY ? "--sundials" : "methods cvodes-... and idas-...");
    return false;
  }
  bool uses_terms = method == MBS_METHOD_DIRECT || options->compared == MBS_METHOD_DIRECT || is_adjoint(method) ||
                    is_adjoint(options->compared);
  if (has_derivatives && !uses_terms) {
    (void)cli_fail(MBS_ERROR_INPUT, "--derivatives: is for --method direct or adjoint only, the method is %s",
                   cli_method_name(method));
    return false;
  }
  bool uses_adjoint =
      is_adjoint(method) || (is_adjoint(options->compared) && !options->wants_initial_state) || command == CLI_VERIFY;
  if ((cli_options_given(options, "memory") || options->wants_initial_state) && !uses_adjoint) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: is for --method adjoint only, the method is %s",
                   options->wants_initial_state ? "--initial-state" : "--memory", cli_method_name(method));
    return false;
  }
  return true;
}

static int read_options(MbsContext *context, int argument_count, char **arguments, unsigned command, const char *name,
                        CliOptions *options) {
  bool options_are_over = false;
  for (int i = 0; i < argument_count && !options->wants_help; ++i) {
    const char *argument = arguments[i];
    if (!options_are_over && strcmp(argument, "--") == 0) {
      options_are_over = true;
    } else if (!options_are_over && argument[0] == '-' && argument[1] != '\0') {
      Option option;
      char option_name[NAME_ROOM];
      const char *value = NULL;
      if (!find_option(argument, command, name, &option, option_name) ||
          !find_value(&option, argument_count, arguments, &i, &value) || !store(context, &option, value, options)) {
        return cli_exit_status(MBS_ERROR_INPUT);
      }
    } else if (options->operand && command != CLI_PLOT) {
      return cli_fail(MBS_ERROR_INPUT, "%s takes one %s, got \"%s\" and \"%s\"", name,
                      command & MODELS ? "MODEL" : "name", options->operand, argument);
    } else {
      options->operand = options->operand ? options->operand : argument;
      options->operands[options->operand_count++] = argument;
    }
  }
  if (options->wants_help) {
    return 0;
  }
  if ((command & MODELS) && !options->operand) {
    return cli_fail(MBS_ERROR_INPUT, "%s needs a MODEL: mbsens %s MODEL [options]", name, name);
  }
  return settle(options, command) ? 0 : cli_exit_status(MBS_ERROR_INPUT);
}

int cli_options_read(int argument_count, char **arguments, unsigned command, const char *name, CliOptions *options) {
  *options = (CliOptions){
      .command = name, .argument_count = argument_count, .arguments = arguments, .compared = MBS_METHOD_NONE};
  MbsContext *context = mbs_context_create();
  if (!context || mbs_request_create_empty(context, &options->asked) != MBS_OK) {
    cli_memory_is_out();
  }
  options->given = cli_memory_take((size_t)mbs_settings_count, sizeof *options->given);
  // there cannot be more assignments than arguments
  options->assignments = cli_memory_take((size_t)argument_count, sizeof *options->assignments);
  options->variations = cli_memory_take((size_t)argument_count, sizeof *options->variations);
  options->bounds = cli_memory_take((size_t)argument_count, sizeof *options->bounds);
  options->data = cli_memory_take((size_t)argument_count, sizeof *options->data);
  options->repeat = 1;
  options->operands = cli_memory_take((size_t)argument_count, sizeof *options->operands);
  int exit_status = read_options(context, argument_count, arguments, command, name, options);
  mbs_arena_tell(options->asked->arena, NULL);
  mbs_context_destroy(context);
  return exit_status;
}

void cli_options_free(CliOptions *options) {
  for (int i = 0; i < options->assignment_count; ++i) {
    free(options->assignments[i].name);
  }
  for (int i = 0; i < options->variation_count; ++i) {
    free(options->variations[i].name);
  }
  for (int i = 0; i < options->bound_count; ++i) {
    free(options->bounds[i].name);
  }
  free(options->bounds);
  free(options->variations);
  free(options->assignments);
  free(options->given);
  free(options->operands);
  free(options->data);
  mbs_request_destroy(options->asked);
}

// What it does; and what it is without it, where the text does not say that.
static void describe(const Option *option, char *text, size_t room) {
  const MbsField *field = option->kind == KIND_SETTING ? &mbs_settings[option->member] : NULL;
  bool has_default = field && field->default_text && option->argument;
  bool has_unit = has_default && field->unit && strspn(field->default_text, ".0123456789e-") > 0;
  (void)snprintf(text, room, "%s%s%s%s%s%s", option->help, has_default ? " (" : "",
                 has_default ? field->default_text : "", has_unit ? " " : "", has_unit ? field->unit : "",
                 has_default ? ")" : "");
}

void cli_options_each(unsigned command, void (*visit)(void *user, const CliOptionText *option), void *user) {
  Option option;
  char name[NAME_ROOM], text[512];
  for (int i = 0; option_at(i, &option, name); ++i) {
    if ((option.commands & command) && option.help) {
      bool is_setting = option.kind == KIND_SETTING;
      describe(&option, text, sizeof text);
      visit(user, &(CliOptionText){.name = option.name,
                                   .key = is_setting ? mbs_settings[option.member].name : option.name,
                                   .argument = option.argument,
                                   .text = text,
                                   .choices = is_setting ? mbs_settings[option.member].choices : NULL});
    }
  }
}

static void print_option(void *user, const CliOptionText *option) {
  enum { INDENT = 24, WIDTH = 98 };
  FILE *out = user;
  int column =
      fprintf(out, "  %s%s%s", option->name, option->argument ? " " : "", option->argument ? option->argument : "");
  column += fprintf(out, "%*s", INDENT - column > 1 ? INDENT - column : 2, "");
  const char *gap = "";
  for (const char *word = option->text; *word; word += strspn(word, " ")) {
    int length = (int)strcspn(word, " ");
    if (column + 1 + length > WIDTH) {
      (void)fprintf(out, "\n%*s", INDENT, "");
      column = INDENT;
      gap = "";
    }
    column += fprintf(out, "%s%.*s", gap, length, word);
    word += length;
    gap = " ";
  }
  (void)fputc('\n', out);
}

void cli_options_print_help(FILE *out, unsigned command) { cli_options_each(command, print_option, out); }

// the commands that take it, in words
static void print_commands(FILE *out, unsigned commands) {
  static const struct {
    unsigned bit;
    const char *name;
  } names[] = {{CLI_CHECK, "check"},           {CLI_SIMULATE, "simulate"},   {CLI_GRADIENT, "gradient"},
               {CLI_KINEMATICS, "kinematics"}, {CLI_LINEARIZE, "linearize"}, {CLI_EQUILIBRIUM, "equilibrium"},
               {CLI_VERIFY, "verify"},         {CLI_STUDY, "study"},         {CLI_SWEEP, "sweep"},
               {CLI_OPTIMIZE, "optimize"},     {CLI_IDENTIFY, "identify"},   {CLI_PLOT, "plot"},
               {CLI_REPORT, "report"},         {CLI_LIST, "list"},           {CLI_HELP, "help"}};
  const char *separator = "";
  if ((commands & ALL) == ALL || (commands & MODELS) == MODELS) {
    (void)fputs((commands & ALL) == ALL ? "all" : "all with a MODEL", out);
    return;
  }
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (commands & names[i].bit) {
      (void)fprintf(out, "%s%s", separator, names[i].name);
      separator = ", ";
    }
  }
}

// in a cell of a table: a bar does not end the cell
static void print_cell(FILE *out, const char *text) {
  for (; *text; ++text) {
    (void)fputs(*text == '|' ? "\\" : "", out);
    (void)fputc(*text, out);
  }
}

void cli_options_print_table(FILE *out) {
  Option option;
  char name[NAME_ROOM], text[512];
  (void)fputs("| option | of | meaning |\n|---|---|---|\n", out);
  for (int i = 0; option_at(i, &option, name); ++i) {
    if (option.help && option.commands) {
      describe(&option, text, sizeof text);
      (void)fprintf(out, "| `%s%s", option.name, option.argument ? " " : "");
      print_cell(out, option.argument ? option.argument : "");
      (void)fputs("` | ", out);
      print_commands(out, option.commands);
      (void)fputs(" | ", out);
      print_cell(out, text);
      (void)fputs(" |\n", out);
    }
  }
}
