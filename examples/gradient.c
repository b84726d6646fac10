// The exact gradient of every objective of a model: mbsens in one screen.
//   gradient models/five_bar.yaml
#include <mbsens/mbsens.h>
#include <stdio.h>

static MbsStatus print_gradient(MbsContext *context, const MbsModel *model) {
  MbsRequest *request = NULL;
  MbsResult *result = NULL;
  MbsStatus status = mbs_request_create(context, model, &request);  // as the file says, direct method
  status = status == MBS_OK ? mbs_run(context, model, request, &result) : status;
  for (int i = 0; status == MBS_OK && i < result->objective_count; ++i) {
    printf("%s = %.10g\n", result->objectives[i], result->values[i]);
    for (int j = 0; j < result->parameter_count; ++j) {
      printf("  d/d %-12s % .10g\n", result->parameters[j], result->gradient[i * result->parameter_count + j]);
    }
  }
  mbs_result_destroy(result);
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
  status = status == MBS_OK ? print_gradient(context, model) : status;
  if (status != MBS_OK) {
    fprintf(stderr, "%s\n", mbs_context_message(context));
  }
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  return status == MBS_OK ? 0 : 1;
}
