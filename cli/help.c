#include "help.h"

const char cli_help_exit_statuses[] =
    "  0    done\n"
    "  2    the input is wrong (command line, model or file), or what is asked for is not offered\n"
    "  3    numerical failure, a verification that failed, or out of memory\n"
    "  4    mbsens itself is broken: please report it\n"
    "  130  stopped by ctrl-C or a signal\n";

void cli_help_print(FILE *out, const CliCommand *commands, int command_count) {
  (void)fputs("mbsens " MBS_VERSION
              ": simulates constrained multibody systems and gives exact gradients of what they do\n"
              "\n"
              "usage: mbsens COMMAND [MODEL] [options]\n"
              "\n"
              "commands:\n",
              out);
  for (int i = 0; i < command_count; ++i) {
    (void)fprintf(out, "  %-11s  %s\n", commands[i].name, commands[i].summary);
  }
  (void)fputs(
      "\n"
      "MODEL is a YAML file. It says how it is to be simulated; options override that. SI units, radians.\n"
      "mbsens COMMAND --help explains a command and its options; mbsens --version prints the version.\n"
      "\n"
      "examples:\n"
      "  mbsens check models/five_bar.yaml\n"
      "  mbsens simulate models/five_bar.yaml --end 2 -o five_bar.csv\n"
      "  mbsens gradient models/five_bar.yaml --objective psi1 --wrt Ls1,Ls2 --compare\n"
      "\n",
      out);
  (void)fprintf(out, "exit status:\n%s", cli_help_exit_statuses);
}

void cli_help_print_command(FILE *out, const CliCommand *command) {
  bool reads_model = !(command->bit & (CLI_LIST | CLI_HELP));
  (void)fprintf(out, "mbsens %s: %s\n\nusage: mbsens %s %s\n\n%s\noptions%s:\n", command->name, command->summary,
                command->name, command->usage, command->details,
                reads_model ? " (in brackets: the value if the model file gives none either)" : "");
  cli_options_print_help(out, command->bit);
  (void)fprintf(out, "\nexit status:\n%s", cli_help_exit_statuses);
}
