// mbsens kinematics: the motion that drivers (or else the start) prescribe and the forces it needs; with --method,
// their derivatives.
#include "command.h"

int cli_run_kinematics(const CliOptions *options) {
  CliOptions kinematic = *options;
  kinematic.is_kinematic = true;
  bool wants_gradient = cli_options_given(options, "method") || options->has_comparison;
  return wants_gradient ? cli_run_gradient(&kinematic) : cli_run_simulate(&kinematic);
}
