// One design after another with one simulator: the model is compiled once, and then costs its steps alone.
//   sweep models/five_bar.yaml                 its first parameter, from nine tenths of what it is to eleven
#include <mbsens/simulator.h>
#include <stdio.h>

static MbsStatus print_designs(MbsContext *context, const MbsModel *model) {
  enum { DESIGNS = 5 };
  MbsRequest *request = NULL;
  MbsSimulator *simulator = NULL;
  MbsStatus status = mbs_request_create(context, model, &request);
  status = status == MBS_OK ? mbs_simulator_create(context, model, request, &simulator) : status;
  double first = status == MBS_OK ? mbs_simulator_parameters(simulator)[0] : 0;
  for (int i = 0; status == MBS_OK && i < DESIGNS; ++i) {
    const char *name = mbs_simulator_parameter_names(simulator)[0];
    double value = first * (0.9 + 0.2 * i / (DESIGNS - 1));
    status = mbs_simulator_set_parameter(context, simulator, name, value);
    status = status == MBS_OK ? mbs_simulator_run(context, simulator) : status;
    for (int o = 0; status == MBS_OK && o < mbs_simulator_objective_count(simulator); ++o) {
      printf("%s = %-12.8g %s = % -16.10g slope % .10g\n", name, value, mbs_simulator_objective_names(simulator)[o],
             mbs_simulator_values(simulator)[o],
             mbs_simulator_gradient(simulator)[o * mbs_simulator_parameter_count(simulator)]);
    }
  }
  mbs_simulator_destroy(simulator);
  mbs_request_destroy(request);
  return status;
}

int main(int argc, char **argv) {
  MbsContext *context = argc == 2 ? mbs_context_create() : NULL;
  if (!context) {
    fprintf(stderr, "usage: %s MODEL\n", argv[0]);
    return 2;
  }
  MbsModel *model = NULL;
  MbsStatus status = mbs_model_read_file(context, argv[1], &model);
  status = status == MBS_OK ? print_designs(context, model) : status;
  if (status != MBS_OK) {
    fprintf(stderr, "%s\n", mbs_context_message(context));
  }
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  return status == MBS_OK ? 0 : 1;
}
