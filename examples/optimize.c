// A better design: the springs that balance the five-bar, found with exact gradients, and the model file with them.
//   optimize models/five_bar.yaml
#include <mbsens/build.h>
#include <mbsens/optimize.h>
#include <stdio.h>

// told of every better design, and of those that cannot be simulated
static bool tell(void *user, const MbsIterate *iterate) {
  (void)user;
  printf("%3d runs: psi1 = %.3e%s%s\n", iterate->evaluations, iterate->value, iterate->failure ? ", rejected: " : "",
         iterate->failure ? iterate->failure : "");
  return true;
}

static MbsStatus print_optimum(MbsContext *context, const char *path, const MbsOptimum *optimum) {
  const char *names[2], *values[2];
  char numbers[2][32], *text;
  printf("%s\n", optimum->message);
  for (int i = 0; i < 2; ++i) {
    printf("%s: %.7g -> %.7g\n", optimum->parameters[i].name, optimum->parameters[i].start,
           optimum->parameters[i].value);
    (void)snprintf(numbers[i], sizeof numbers[i], "%.17g", optimum->parameters[i].value);
    names[i] = optimum->parameters[i].name;
    values[i] = numbers[i];
  }
  // the user's file with these numbers, comments and all: to be written where it belongs
  MbsStatus status = mbs_model_revise(context, path, 2, names, values, &text);
  mbs_text_destroy(text);
  return status;
}

static MbsStatus balance(MbsContext *context, const char *path, const MbsModel *model) {
  const MbsOptimizeOptions options = {.on_iterate = tell};
  MbsRequest *request = NULL;
  MbsOptimum *optimum = NULL;
  MbsStatus status = mbs_request_create(context, model, &request);
  status = status == MBS_OK ? mbs_request_set(context, request, "end", "1") : status;
  status = status == MBS_OK ? mbs_request_set(context, request, "objectives", "psi1") : status;  // minimised
  status = status == MBS_OK ? mbs_request_set(context, request, "parameters", "Ls1,Ls2") : status;
  status = status == MBS_OK ? mbs_optimize(context, model, request, &options, &optimum) : status;
  status = status == MBS_OK ? print_optimum(context, path, optimum) : status;
  mbs_optimum_destroy(optimum);
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
  status = status == MBS_OK ? balance(context, argv[1], model) : status;
  if (status != MBS_OK) {
    fprintf(stderr, "%s\n", mbs_context_message(context));
  }
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  return status == MBS_OK ? 0 : 1;
}
