// The command mbsens: finds the command in the table, reads its options, runs it.
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "command.h"
#include "hdf5.h"
#include "help.h"
#include "manual.h"
#include "outcome.h"
#include "plot/cairo_picture.h"
#include "stop.h"
#include "sweep/ranks.h"

static int run_help(const CliOptions *options);

static const CliCommand commands[] = {
    {"check", CLI_CHECK, "MODEL [options]", "what the model is: coordinates, constraints, redundancy, start",
     "Reads and assembles the model and prints its bodies with the points and vectors they are based on,\n"
     "its coordinates with their positions and velocities at the start, its constraints (redundant ones\n"
     "marked), its degrees of freedom and the residuals of the assembled start. Nothing moves.\n"
     "\n"
     "  mbsens check models/five_bar.yaml\n"
     "  mbsens check models/five_bar.yaml --set LA1=1.5 --json\n",
     cli_run_check},
    {"simulate", CLI_SIMULATE, "MODEL [-o FILE] [options]", "motion from the start to the end",
     "Simulates the model and prints its objectives, the points and the multipliers of the constraints\n"
     "at the end, and how exact the run was. -o writes the states at every step:\n"
     "FILE.csv, or everything there is as FILE.h5.\n"
     "\n"
     "  mbsens simulate models/five_bar.yaml --step 0.001 -o five_bar.csv\n"
     "  mbsens simulate models/five_bar.yaml --formulation index1 --baumgarte --xi 1 --omega 10\n",
     cli_run_simulate},
    {"gradient", CLI_GRADIENT, "MODEL [--objective A,B] [--wrt P,Q] [--method NAME] [options]",
     "objectives and their exact derivatives with respect to parameters",
     "Simulates the model and differentiates its objectives. The direct method gives the exact\n"
     "derivative of what was computed, and so does the adjoint, at a cost that hardly grows with the\n"
     "number of parameters; the complex step gives the same digits in another way, for checking; finite\n"
     "differences are there for comparison, and so is adjoint-continuous, which integrates the adjoint\n"
     "equations of penalty or matrix-r backwards and is off by the error of the step. -o writes\n"
     "histories of the states and the running objectives, and their sensitivities: all of them with\n"
     "direct, complex-step and finite-difference; with adjoint-continuous the gradients of the objectives,\n"
     "which run from the end to the start; none with adjoint.\n"
     "\n"
     "  mbsens gradient models/five_bar.yaml\n"
     "  mbsens gradient models/five_bar.yaml --objective psi1 --wrt Ls1,Ls2 --json\n"
     "  mbsens gradient models/five_bar.yaml --method adjoint --initial-state\n"
     "  mbsens gradient models/five_bar.yaml --compare finite-difference --difference-step 1e-6\n",
     cli_run_gradient},
    {"kinematics", CLI_KINEMATICS, "MODEL [--method NAME] [-o FILE] [options]",
     "the motion that drivers prescribe, and the forces it needs",
     "Finds position, velocity and acceleration at each time, without integrating; the multipliers are\n"
     "the forces and torques that the motion needs (inverse dynamics). Freedoms without a driver follow\n"
     "the independent coordinates of the start: value + velocity t, or they stay where they are. With\n"
     "--method or --compare, the derivatives of the objectives.\n"
     "\n"
     "  mbsens kinematics MODEL --step 0.01 --end 1 -o motion.csv\n"
     "  mbsens kinematics MODEL --compare complex-step\n",
     cli_run_kinematics},
    {"equilibrium", CLI_EQUILIBRIUM, "MODEL [--objective A,B] [--wrt P,Q] [--method NAME] [-o FILE] [options]",
     "where all forces balance, at rest or in steady motion, and its derivatives",
     "Finds the equilibrium that the mechanism would come to rest at from its start: positions, forces in\n"
     "joints, whether it is stable, and objectives {equilibrium: ...} with their derivatives by any\n"
     "parameter. What nothing determines (a car on its tyres: where it stands) stays as it is at the\n"
     "start, and is named. The model's section equilibrium says what to hold, whether a steady motion is\n"
     "meant, and which parameters or inputs to solve for, with which conditions (trim).\n"
     "-o writes a row of positions, multipliers and objectives, with their derivatives. With --along it is\n"
     "followed while a number of the model changes: a row of each value.\n"
     "\n"
     "  mbsens equilibrium models/quarter_car.yaml\n"
     "  mbsens equilibrium MODEL --method adjoint --compare complex-step --json\n"
     "  mbsens equilibrium MODEL --along load=0:2000:21 --wrt k -o along.csv\n",
     cli_run_equilibrium},
    {"linearize", CLI_LINEARIZE, "MODEL [--at WHEN] [--inputs A,B] [--wrt P,Q] [-o FILE] [options]",
     "matrices, eigenvalues and shapes near a state, with exact derivatives",
     "Linearises the motion about the start or a state of a run: x' = A x + B u, y = C x + D u in\n"
     "independent coordinates, eigenvalues with natural frequencies and damping ratios, shapes, the share\n"
     "of each body in them, frequency responses, and how eigenvalues and shapes move with parameters.\n"
     "\n"
     "  mbsens linearize models/bicycle.yaml --wrt v,w,c\n"
     "  mbsens linearize models/quarter_car.yaml --inputs k,c --frequencies 0.1:50:200 -o response.csv\n",
     cli_run_linearize},
    {"verify", CLI_VERIFY, "MODEL [--objective A,B] [--wrt P,Q] [options]",
     "every formulation and method against the complex step, and a run anew; pass or fail",
     "Computes the gradient with every formulation, in all coordinates and with every exact method, and\n"
     "compares each derivative with the complex step of the same run; with the settings' formulation also\n"
     "with differences of the model run anew with other numbers, as a user would; and the objectives'\n"
     "values in natural and relative coordinates. Prints the worst of each run and all that fail, and\n"
     "ends with status 3 if any does, or if the run crosses a jump that moves; --json prints everything.\n"
     "\n"
     "  mbsens verify models/five_bar.yaml --end 1\n",
     cli_run_verify},
    {"study", CLI_STUDY, "MODEL [--vary NAME=A,B,C]... [--reference WHAT] [options]",
     "formulations x coordinates x methods x steps: values, errors, orders, times",
     "Runs the model with every combination of the settings that --vary names and prints what came out,\n"
     "how far that is from a reference, at which order the error falls with the step, and the processor\n"
     "time. A run that fails is a row that says so.\n"
     "\n"
     "  mbsens study models/five_bar.yaml --end 1\n"
     "  mbsens study MODEL --vary formulation=ali3p,index1 --vary step=0.01,0.005,0.0025 --latex\n"
     "  mbsens study MODEL --formulation penalty --vary penalty=1e6,1e8,1e10 --reference 1e-9\n",
     cli_run_study},
    {"optimize", CLI_OPTIMIZE, "MODEL [--objective A,B] [--wrt P,Q] [-o FILE.yaml] [options]",
     "better parameters: objectives as small or large as bounds and constraints allow",
     "Looks for the parameters with which the model's section optimization is best: what is minimised or\n"
     "maximised, what may change between which bounds, what constraints must be kept. --objective and --wrt\n"
     "say it for a model without that section. Gradients are exact, and the model is compiled once. Prints\n"
     "the design with its gradient, how far it is from first-order optimality, multipliers of bounds and\n"
     "constraints (what moving them is worth), and --set options for other commands; -o writes the model\n"
     "with these values. Status 3: no optimum was found. Ctrl-C: the best design so far. Several starts may\n"
     "be searched from at a time, on threads or under mpirun, with the same results.\n"
     "\n"
     "  mbsens optimize models/five_bar.yaml --objective psi1 --wrt Ls1,Ls2 --end 1\n"
     "  mbsens optimize MODEL -o better.yaml --state search.state\n"
     "  mbsens optimize MODEL --objective range --maximize --wrt angle --bound angle=0:1.5 --starts 5\n"
     "  mpirun -n 4 mbsens optimize MODEL --starts 100 --seed 2 --state search.state\n",
     cli_run_optimize},
    {"sweep", CLI_SWEEP, "MODEL [--vary NAME=WHAT]... [--plan NAME] [-o FILE] [options]",
     "many sets of parameters: grids, lists, random samples; values, gradients and statistics",
     "Runs the model, compiled once, with many values of its parameters, on several threads or under mpirun,\n"
     "for its objectives and their gradients (--method none: without). Results are the same bits for any\n"
     "number of threads and processes. A sample whose run fails is kept, empty, and counted. What is done\n"
     "is in a journal: after a stop the same command goes on.\n"
     "\n"
     "  mbsens sweep models/five_bar.yaml --vary Ls1=2:2.5:11 --vary Ls2=2:2.3:7 -o grid.csv\n"
     "  mbsens sweep MODEL --vary \"k=normal(100,5)\" --vary \"m=uniform(0.9,1.1)\" --samples 10000 -o sweep.h5\n"
     "  mbsens sweep MODEL --vary \"k=normal(100,5)\" --plan saltelli --samples 1024 --method none\n"
     "  mpirun -n 4 mbsens sweep MODEL --vary \"k=normal(100,5)\" --samples 100000 -o sweep.h5\n",
     cli_run_sweep},
    {"identify", CLI_IDENTIFY, "MODEL --data FILE.csv [--wrt P,Q] [-o FILE.yaml] [options]",
     "parameters from measurements: least squares on exact sensitivities, with intervals of confidence",
     "Finds the parameters with which outputs of the model meet measurements best, between the bounds of the\n"
     "model, and says how sure they are: standard errors, intervals of confidence, correlations, and which\n"
     "combinations of them the data cannot tell apart. Cells of the files may be empty. The section\n"
     "identification of the model says the same and more. -o writes a copy of the model with the new numbers;\n"
     "Ctrl-C leaves the best so far.\n"
     "\n"
     "  mbsens identify MODEL --data measured.csv --wrt m,k\n"
     "  mbsens identify MODEL --data a.csv --data b.csv --outputs theta=angle --sigma 0.01 -o better.yaml\n",
     cli_run_identify},
    {"plot", CLI_PLOT, "MODEL|FILE.csv|FILE.h5 ... -o FILE.svg [--y A,B] [options]",
     "curves over time or against each other, sensitivities, as a picture",
     "Runs the model and draws what --y names: outputs, coordinates, objectives, sensitivities\n"
     "d(X)/d(p), or any expression; several panels, several values of a parameter, several models. Or\n"
     "draws columns of a file of comma-separated values. Events are marked. SVG is always there, PNG and\n"
     "PDF with cairo.\n"
     "\n"
     "  mbsens plot models/five_bar.yaml -o motion.svg\n"
     "  mbsens plot models/five_bar.yaml --y \"P2.y;d(P2.y)/d(Ls1),d(P2.y)/d(Ls2)\" -o sensitivities.svg\n"
     "  mbsens plot models/five_bar.yaml --x P2.x --y P2.y --equal --vary Ls1=2.1,2.2 -o paths.svg\n"
     "  mbsens plot models/five_bar.yaml --bars --objective psi1 -o ranked.svg\n",
     cli_run_plot},
    {"report", CLI_REPORT, "MODEL|FILE.h5 -o FILE.html [--y A,B] [options]",
     "one HTML file: the motion in 3D, linked plots, sensitivities, everything about the run",
     "Runs the model with its derivatives and writes a page that opens in any browser, without a network: the\n"
     "mechanism moves (play, scrub, turn, zoom), with forces and paths of points; plots of signals and of their\n"
     "sensitivities follow it; objectives with gradients, ranked sensitivities, energies, residuals, events,\n"
     "the model, settings and version are there.\n"
     "\n"
     "  mbsens report models/five_bar.yaml -o five_bar.html\n"
     "  mbsens report models/rssr.yaml --y \"angle(hinge),angle(shaft);force(ball)\" -o rssr.html\n",
     cli_run_report},
    {"list", CLI_LIST, "[TOPIC] [--markdown]", "what model files may contain: joints, forces, formulations, ...",
     "Prints the elements, fields or names of a topic. Without TOPIC: the topics.\n"
     "\n"
     "  mbsens list\n"
     "  mbsens list joints\n"
     "  mbsens list elements --markdown\n",
     cli_run_list},
    {"help", CLI_HELP, "[COMMAND]", "explains the program or one of its commands",
     "The same as mbsens --help and mbsens COMMAND --help. make install puts the manual page and the\n"
     "completion where man and bash look for them.\n"
     "\n"
     "  mbsens help gradient\n"
     "  mbsens help --manual | man -l -\n"
     "  source <(mbsens help --completion)\n",
     run_help},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

// the name, or its other spelling: optimise is optimize
static bool is_called(const char *command, const char *name) {
  size_t length = strlen(command);
  const char *ending = length > 3 ? command + length - 3 : command;
  bool is_ize = strcmp(ending, "ize") == 0 && strlen(name) == length && strcmp(name + length - 3, "ise") == 0;
  return strcmp(command, name) == 0 || (is_ize && strncmp(command, name, length - 3) == 0);
}

// NULL after a sentence on standard error
static const CliCommand *find_command(const char *name) {
  const char *nearest = NULL;
  for (int i = 0; i < COMMAND_COUNT; ++i) {
    if (is_called(commands[i].name, name)) {
      return &commands[i];
    }
    mbs_name_nearest(name, commands[i].name, &nearest);
  }
  if (nearest) {
    (void)cli_fail(MBS_ERROR_INPUT, "unknown command \"%s\", did you mean %s?", name, nearest);
  } else {
    (void)cli_fail(MBS_ERROR_INPUT, "unknown command \"%s\"; mbsens --help lists the commands", name);
  }
  return NULL;
}

static int run_help(const CliOptions *options) {
  if (options->wants_manual || options->wants_completion) {
    (options->wants_manual ? cli_manual_print : cli_completion_print)(stdout, commands, COMMAND_COUNT);
    return 0;
  }
  if (!options->operand) {
    cli_help_print(stdout, commands, COMMAND_COUNT);
    return 0;
  }
  const CliCommand *command = find_command(options->operand);
  if (!command) {
    return cli_exit_status(MBS_ERROR_INPUT);
  }
  cli_help_print_command(stdout, command);
  return 0;
}

static int run(int argument_count, char **arguments) {
  if (argument_count < 2) {
    return cli_fail(MBS_ERROR_INPUT, "no command given; mbsens --help lists the commands");
  }
  const char *name = arguments[1];
  if (strcmp(name, "--version") == 0) {
    const char *sundials = mbs_sundials_version();
    const char *cairo = cli_cairo_version(), *mpi = cli_mpi_version();
    const char *hdf5 = cli_hdf5_version();
    (void)printf("mbsens %s\n%s%s\n", MBS_VERSION, sundials ? "with SUNDIALS " : "without SUNDIALS",
                 sundials ? sundials : "");
    (void)printf("%s%s\n", hdf5 ? "with HDF5 " : "without HDF5", hdf5 ? hdf5 : "");
    (void)printf("%s%s\n", cairo ? "with cairo " : "without cairo", cairo ? cairo : "");
    (void)printf("%s%s\n", mpi ? "with MPI " : "without MPI", mpi ? mpi : "");
    return 0;
  }
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    cli_help_print(stdout, commands, COMMAND_COUNT);
    return 0;
  }
  if (name[0] == '-') {
    return cli_fail(MBS_ERROR_INPUT, "unknown option %s; options come after the command, see mbsens --help", name);
  }
  const CliCommand *command = find_command(name);
  if (!command) {
    return cli_exit_status(MBS_ERROR_INPUT);
  }
  CliOptions options;
  int exit_status = cli_options_read(argument_count - 2, arguments + 2, command->bit, command->name, &options);
  if (!exit_status && options.wants_help) {
    cli_help_print_command(stdout, command);
  } else if (!exit_status) {
    exit_status = command->run(&options);
  }
  cli_options_free(&options);
  return exit_status;
}

int main(int argument_count, char **arguments) {
  // a closed pipe is an error of writing like any other, seen at the end
  (void)signal(SIGPIPE, SIG_IGN);
  cli_stop_catch_signals();
  return cli_finish_output(run(argument_count, arguments));
}
