#include "options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "memory.h"
#include "outcome.h"

// What an option takes, and with it the type of the member of CliOptions that holds it.
typedef enum Kind {
  KIND_FLAG,          // nothing: bool
  KIND_TEXT,          // const char *
  KIND_POSITIVE,      // CliNumber
  KIND_COUNT,         // CliNumber: whole and positive
  KIND_NOT_NEGATIVE,  // CliNumber
  KIND_PENALTY,       // CliNumber
  KIND_SIZE,          // CliNumber: bytes
  KIND_PROJECTIONS,   // CliNumber
  KIND_MATRIX,        // const char *
  KIND_REFERENCE,     // const char *
  KIND_NONHOLONOMIC,  // const char *
  KIND_TANGENT,       // const char *
  KIND_NAMES,         // CliNames
  KIND_OUTPUT,        // const char *
  KIND_METHOD,        // MbsMethod
  KIND_COMPARE,       // optional: MbsMethod, and has_comparison
  KIND_DIFFERENCE,    // MbsDifference, and has_difference
  KIND_DERIVATIVES,   // MbsDerivatives, and has_derivatives
  KIND_SET            // the next of the assignments
} Kind;

typedef struct Option {
  const char *name;
  const char *argument;  // as shown in the help; NULL: none
  Kind kind;
  unsigned commands;  // that take it
  size_t member;      // offset in CliOptions
  const char *help;   // one line of up to 70 characters, more lines after '\n'
} Option;

#define MEMBER(name) offsetof(CliOptions, name)

enum {
  GRADIENTS = CLI_GRADIENT | CLI_KINEMATICS,
  DYNAMICS = CLI_CHECK | CLI_SIMULATE | CLI_GRADIENT,
  DYNAMICS_OR_VERIFY = DYNAMICS | CLI_VERIFY,
  RUNS = CLI_SIMULATE | GRADIENTS,
  MODELS = DYNAMICS_OR_VERIFY | CLI_KINEMATICS,
  ALL = MODELS | CLI_LIST | CLI_HELP
};

static const Option table[] = {
    {"--objective", "A,B", KIND_NAMES, GRADIENTS | CLI_VERIFY, MEMBER(objectives),
     "objectives to differentiate (default: all of the model)"},
    {"--wrt", "P,Q", KIND_NAMES, GRADIENTS | CLI_VERIFY, MEMBER(parameters),
     "parameters to differentiate with respect to (default: all of the model)"},
    {"--method", "NAME", KIND_METHOD, GRADIENTS, MEMBER(method),
     "direct (default), adjoint, adjoint-continuous (penalty and matrix-r),\ncomplex-step, finite-difference; of "
     "SUNDIALS "
     "cvodes-forward, cvodes-adjoint\n(penalty and matrix-r), idas-forward, idas-adjoint (index1)"},
    {"--compare", "[METHOD]", KIND_COMPARE, GRADIENTS, MEMBER(compared),
     "run METHOD too and print both with their relative difference\n"
     "(default: complex-step, or direct if that is the method already)"},
    {"--difference", "KIND", KIND_DIFFERENCE, GRADIENTS, MEMBER(difference),
     "central (default), forward or backward; of finite-difference"},
    {"--difference-step", "X", KIND_POSITIVE, GRADIENTS, MEMBER(difference_step),
     "its step, relative to the parameter (absolute if that is 0)"},
    {"--sundials", NULL, KIND_FLAG, CLI_VERIFY, MEMBER(has_sundials),
     "compare with CVODES (penalty, matrix-r) and IDAS (index1), too, where\nSUNDIALS is built in: see `mbsens "
     "--version`"},
    {"--sundials-tolerance", "X", KIND_POSITIVE, CLI_GRADIENT | CLI_VERIFY, MEMBER(sundials_tolerance),
     "relative tolerance of CVODES and IDAS (1e-10)"},
    {"--derivatives", "NAME", KIND_DERIVATIVES, GRADIENTS | CLI_VERIFY, MEMBER(derivatives),
     "of direct and adjoint: where the derivatives of the terms come from:\nanalytical (default), automatic or "
     "numerical"},
    {"--memory", "SIZE", KIND_SIZE, GRADIENTS | CLI_VERIFY, MEMBER(memory),
     "adjoint: bytes for the trajectory, such as 500k, 100M or 2G (1G); a\nlonger one is kept in pieces and walked "
     "twice"},
    {"--initial-state", NULL, KIND_FLAG, CLI_GRADIENT, MEMBER(wants_initial_state),
     "adjoint: print the derivatives with respect to the start's positions\nand velocities too"},
    {"-o", "FILE.csv", KIND_OUTPUT, RUNS, MEMBER(output), "write time histories; the file appears whole or not at all"},
    {"--columns", "A,B", KIND_TEXT, RUNS, MEMBER(columns),
     "of -o: outputs, coordinates, points P, rates P', lambda(J), frame(B),\nobjectives; * for any letters; or all, "
     "outputs, objectives, points,\ncoordinates, multipliers, frames (outputs and objectives, or all)"},
    {"--every", "N", KIND_COUNT, RUNS, MEMBER(every), "of -o: a row for every N-th step alone (1)"},
    {"--sample", "DT", KIND_POSITIVE, RUNS, MEMBER(sample),
     "of -o: rows at multiples of DT alone, itself a multiple of the step"},
    {"--set", "NAME=VALUE", KIND_SET, MODELS, MEMBER(assignments),
     "give a parameter another value: a number, or an expression of other\nparameters; may be repeated"},
    {"--formulation", "NAME", KIND_TEXT, DYNAMICS, MEMBER(formulation),
     "equations of motion (ali3p); see `mbsens list formulations`"},
    {"--coordinates", "NAME", KIND_TEXT, MODELS, MEMBER(coordinates),
     "coordinates (natural; verify: all); see `mbsens list coordinates`"},
    {"--integrator", "NAME", KIND_TEXT, DYNAMICS_OR_VERIFY, MEMBER(integrator),
     "integrator (auto: trapezoidal, for index3 generalised-alpha; explicit\nmethods dormand-prince-5 and -8 for "
     "matrix-r, index1, penalty and ali1);\nsee `mbsens list integrators`"},
    {"--step", "H", KIND_POSITIVE, MODELS, MEMBER(step), "time step in seconds (0.01)"},
    {"--end", "T", KIND_POSITIVE, MODELS, MEMBER(end), "end of the simulated time in seconds (1)"},
    {"--accuracy", "EPS", KIND_NOT_NEGATIVE, RUNS, MEMBER(accuracy),
     "relative error that values and gradients may have: the steps (and what\nelse is not given) are chosen, several "
     "runs extrapolated, and errors\nestimated; 0: none of that (0)"},
    {"--tolerance", "X", KIND_POSITIVE, MODELS, MEMBER(tolerance),
     "scaled residual at which a step counts as solved (1e-10)"},
    {"--step-tolerance", "X", KIND_POSITIVE, DYNAMICS_OR_VERIFY, MEMBER(step_tolerance),
     "explicit integrators: steps find their own size, so that the error of\neach is below this part of the "
     "mechanism's "
     "size and velocity; --step\nis the first (fixed steps)"},
    {"--penalty", "A|auto", KIND_PENALTY, DYNAMICS_OR_VERIFY, MEMBER(penalty),
     "absolute penalty factor, or auto: from the mass matrix (auto)"},
    {"--xi", "X", KIND_NOT_NEGATIVE, DYNAMICS_OR_VERIFY, MEMBER(xi),
     "damping ratio of the constraint stabilisation (1)"},
    {"--omega", "W", KIND_NOT_NEGATIVE, DYNAMICS_OR_VERIFY, MEMBER(omega),
     "frequency of the constraint stabilisation in rad/s (10)"},
    {"--baumgarte", NULL, KIND_FLAG, DYNAMICS_OR_VERIFY, MEMBER(is_stabilised), "index1: stabilise with xi and omega"},
    {"--beta", "X", KIND_POSITIVE, DYNAMICS_OR_VERIFY, MEMBER(beta), "newmark: beta ((gamma + 1/2)^2 / 4)"},
    {"--gamma", "X", KIND_POSITIVE, DYNAMICS_OR_VERIFY, MEMBER(gamma), "newmark: gamma (1/2)"},
    {"--spectral-radius", "X", KIND_NOT_NEGATIVE, DYNAMICS_OR_VERIFY, MEMBER(spectral_radius),
     "generalised-alpha: what is left of the highest frequencies, from 0\nto 1 (0.8)"},
    {"--projections", "N", KIND_PROJECTIONS, DYNAMICS_OR_VERIFY, MEMBER(projections),
     "ali3p: iterations of each projection; none, or auto: until they\nconverge (auto)"},
    {"--projection-matrix", "NAME", KIND_MATRIX, DYNAMICS_OR_VERIFY, MEMBER(projection_matrix),
     "ali3p: metric of the projections, mass or tangent (mass)"},
    {"--nonholonomic", "NAME", KIND_NONHOLONOMIC, DYNAMICS_OR_VERIFY, MEMBER(nonholonomic),
     "ali3p: nonholonomic constraints coupled into the step's equations, or\nprojected: by the projections alone "
     "(coupled)"},
    {"--tangent", "NAME", KIND_TANGENT, DYNAMICS_OR_VERIFY, MEMBER(tangent),
     "matrix of Newton's iteration: exact, or approximate: without the\ncurvature of the constraints (exact)"},
    {"--independent", "A,B", KIND_TEXT, DYNAMICS_OR_VERIFY, MEMBER(independent),
     "matrix-r: independent coordinates: angle(crank), r(P).x, ...\n(those of the start, or chosen)"},
    {"--tree", "J,K", KIND_TEXT, MODELS, MEMBER(tree),
     "relative coordinates: joints that carry the tree of bodies (chosen:\nbranches as short as possible)"},
    {"--cut", "J,K", KIND_TEXT, MODELS, MEMBER(cut),
     "relative coordinates: joints that are cut and closed by constraints\n(those outside the tree)"},
    {"--reference-point", "NAME", KIND_REFERENCE, MODELS, MEMBER(reference_point),
     "relative coordinates: what the recursion refers to, origin (RTdyn1) or\nmass-centre (RTdyn0) (origin)"},
    {"--json", NULL, KIND_FLAG, MODELS, MEMBER(is_json), "print one JSON object instead of tables"},
    {"--quiet", NULL, KIND_FLAG, MODELS, MEMBER(is_quiet), "print the tables of numbers only"},
    {"--markdown", NULL, KIND_FLAG, CLI_LIST, MEMBER(is_markdown), "print tables in Markdown"},
    {"--help", NULL, KIND_FLAG, ALL, MEMBER(wants_help), "print this text; also -h"},
    {"-h", NULL, KIND_FLAG, ALL, MEMBER(wants_help), NULL},
};
enum { OPTION_COUNT = sizeof table / sizeof table[0] };

// The option called by `argument` ("--step" or "--step=0.1"), if it is there for this command.
static const Option *find_option(const char *argument, unsigned command, const char *command_name) {
  size_t length = strcspn(argument, "=");
  char name[64];
  (void)snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), argument);
  const char *nearest = NULL;
  for (int i = 0; i < OPTION_COUNT; ++i) {
    const Option *option = &table[i];
    bool is_meant = strlen(option->name) == length && strncmp(option->name, argument, length) == 0;
    if (is_meant && !(option->commands & command)) {
      (void)cli_fail(MBS_ERROR_INPUT, "%s: not an option of %s; see mbsens %s --help", name, command_name,
                     command_name);
      return NULL;
    }
    if (is_meant) {
      return option;
    }
    if (option->commands & command) {
      mbs_name_nearest(name, option->name, &nearest);
    }
  }
  if (nearest) {
    (void)cli_fail(MBS_ERROR_INPUT, "unknown option %s, did you mean %s?", name, nearest);
  } else {
    (void)cli_fail(MBS_ERROR_INPUT, "unknown option %s; see mbsens %s --help", name, command_name);
  }
  return NULL;
}

// What stands behind the option: after '=', or as the next argument, which is then used up. *value stays NULL where
// the option takes none.
static bool find_value(const Option *option, int argument_count, char **arguments, int *at, const char **value) {
  const char *equals = strchr(arguments[*at], '=');
  const char *next = *at + 1 < argument_count ? arguments[*at + 1] : NULL;
  *value = equals ? equals + 1 : NULL;
  if (option->kind == KIND_FLAG) {
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

static bool store(const Option *option, const char *value, CliOptions *options) {
  void *member = (char *)options + option->member;
  switch (option->kind) {
    case KIND_FLAG: *(bool *)member = true; return true;
    case KIND_TEXT: *(const char **)member = value; return true;
    case KIND_POSITIVE: return cli_value_positive(option->name, value, member);
    case KIND_COUNT: return cli_value_count(option->name, value, member);
    case KIND_NOT_NEGATIVE: return cli_value_not_negative(option->name, value, member);
    case KIND_SIZE: return cli_value_size(option->name, value, member);
    case KIND_PENALTY: return cli_value_penalty(option->name, value, member);
    case KIND_PROJECTIONS: return cli_value_projections(option->name, value, member);
    case KIND_MATRIX: return cli_value_choice(option->name, "mass|tangent", value, member);
    case KIND_NONHOLONOMIC: return cli_value_choice(option->name, "coupled|projected", value, member);
    case KIND_REFERENCE: return cli_value_choice(option->name, "origin|mass-centre", value, member);
    case KIND_TANGENT: return cli_value_choice(option->name, "exact|approximate", value, member);
    case KIND_NAMES: return cli_value_names(option->name, value, member);
    case KIND_OUTPUT: return cli_value_output(option->name, value, member);
    case KIND_METHOD: options->has_method = true; return cli_value_method(option->name, value, member);
    case KIND_COMPARE: options->has_comparison = true; return !value || cli_value_method(option->name, value, member);
    case KIND_DIFFERENCE: options->has_difference = true; return cli_value_difference(option->name, value, member);
    case KIND_DERIVATIVES: options->has_derivatives = true; return cli_value_derivatives(option->name, value, member);
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

// Fills in what --compare leaves open and refuses options that would do nothing.
static bool settle(CliOptions *options, unsigned command) {
  if (options->has_comparison && options->compared == MBS_METHOD_NONE) {
    options->compared = options->method == MBS_METHOD_COMPLEX_STEP ? MBS_METHOD_DIRECT : MBS_METHOD_COMPLEX_STEP;
  }
  if (options->compared == options->method) {
    (void)cli_fail(MBS_ERROR_INPUT, "--compare: %s is the method already; compare it with another",
                   cli_method_name(options->method));
    return false;
  }
  const char *rows = options->columns ? "--columns" : options->every.is_given ? "--every" : "--sample";
  if ((options->columns || options->every.is_given || options->sample.is_given) && !options->output) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: is for time histories; say where to: -o FILE.csv", rows);
    return false;
  }
  bool has_gradient = command != CLI_KINEMATICS || options->has_method || options->has_comparison;
  if (!has_gradient && (options->has_derivatives || options->parameters.names)) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: is for derivatives of the objectives; say by which --method, such as direct",
                   options->has_derivatives ? "--derivatives" : "--wrt");
    return false;
  }
  bool uses_differences =
      options->method == MBS_METHOD_FINITE_DIFFERENCE || options->compared == MBS_METHOD_FINITE_DIFFERENCE;
  if ((options->has_difference || options->difference_step.is_given) && !uses_differences) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: is for --method finite-difference only, the method is %s",
                   options->has_difference ? "--difference" : "--difference-step", cli_method_name(options->method));
    return false;
  }
  bool uses_sundials = options->has_sundials || is_of_sundials(options->method) || is_of_sundials(options->compared);
  if (options->sundials_tolerance.is_given && !uses_sundials) {
    (void)cli_fail(MBS_ERROR_INPUT, "--sundials-tolerance: is for %s only",
                   command == CLI_VERIFY ? "--sundials" : "methods cvodes-... and idas-...");
    return false;
  }
  bool uses_terms = options->method == MBS_METHOD_DIRECT || options->compared == MBS_METHOD_DIRECT ||
                    is_adjoint(options->method) || is_adjoint(options->compared);
  if (options->has_derivatives && !uses_terms) {
    (void)cli_fail(MBS_ERROR_INPUT, "--derivatives: is for --method direct or adjoint only, the method is %s",
                   cli_method_name(options->method));
    return false;
  }
  bool uses_adjoint = is_adjoint(options->method) || (is_adjoint(options->compared) && !options->wants_initial_state) ||
                      command == CLI_VERIFY;
  if ((options->memory.is_given || options->wants_initial_state) && !uses_adjoint) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: is for --method adjoint only, the method is %s",
                   options->wants_initial_state ? "--initial-state" : "--memory", cli_method_name(options->method));
    return false;
  }
  return true;
}

int cli_options_read(int argument_count, char **arguments, unsigned command, const char *name, CliOptions *options) {
  *options = (CliOptions){.method = MBS_METHOD_DIRECT, .compared = MBS_METHOD_NONE};
  // there cannot be more assignments than arguments
  options->assignments = cli_memory_take((size_t)argument_count, sizeof *options->assignments);
  bool options_are_over = false;
  for (int i = 0; i < argument_count && !options->wants_help; ++i) {
    const char *argument = arguments[i];
    if (!options_are_over && strcmp(argument, "--") == 0) {
      options_are_over = true;
    } else if (!options_are_over && argument[0] == '-' && argument[1] != '\0') {
      const Option *option = find_option(argument, command, name);
      const char *value = NULL;
      if (!option || !find_value(option, argument_count, arguments, &i, &value) || !store(option, value, options)) {
        return cli_exit_status(MBS_ERROR_INPUT);
      }
    } else if (options->operand) {
      return cli_fail(MBS_ERROR_INPUT, "%s takes one %s, got \"%s\" and \"%s\"", name,
                      command & MODELS ? "MODEL" : "name", options->operand, argument);
    } else {
      options->operand = argument;
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

void cli_options_free(CliOptions *options) {
  for (int i = 0; i < options->assignment_count; ++i) {
    free(options->assignments[i].name);
  }
  free(options->assignments);
  free(options->objectives.names);
  free(options->objectives.letters);
  free(options->parameters.names);
  free(options->parameters.letters);
}

void cli_options_print_help(FILE *out, unsigned command) {
  enum { INDENT = 24 };
  for (int i = 0; i < OPTION_COUNT; ++i) {
    const Option *option = &table[i];
    if (!(option->commands & command) || !option->help) {
      continue;
    }
    int width =
        fprintf(out, "  %s%s%s", option->name, option->argument ? " " : "", option->argument ? option->argument : "");
    const char *line = option->help;
    while (*line) {
      int length = (int)strcspn(line, "\n");
      (void)fprintf(out, "%*s%.*s\n", INDENT - width > 0 ? INDENT - width : 1, "", length, line);
      line += length + (line[length] == '\n');
      width = 0;
    }
  }
}

// the commands that take it, in words
static void print_commands(FILE *out, unsigned commands) {
  static const struct {
    unsigned bit;
    const char *name;
  } names[] = {{CLI_CHECK, "check"},           {CLI_SIMULATE, "simulate"}, {CLI_GRADIENT, "gradient"},
               {CLI_KINEMATICS, "kinematics"}, {CLI_VERIFY, "verify"},     {CLI_LIST, "list"}};
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

// in a cell of a table: on one line, and a bar does not end the cell
static void print_cell(FILE *out, const char *text) {
  for (; *text; ++text) {
    (void)fputs(*text == '|' ? "\\" : "", out);
    (void)fputc(*text == '\n' ? ' ' : *text, out);
  }
}

void cli_options_print_table(FILE *out) {
  (void)fputs("| option | of | meaning |\n|---|---|---|\n", out);
  for (int i = 0; i < OPTION_COUNT; ++i) {
    const Option *option = &table[i];
    if (option->help) {
      (void)fprintf(out, "| `%s%s", option->name, option->argument ? " " : "");
      print_cell(out, option->argument ? option->argument : "");
      (void)fputs("` | ", out);
      print_commands(out, option->commands);
      (void)fputs(" | ", out);
      print_cell(out, option->help);
      (void)fputs(" |\n", out);
    }
  }
}
