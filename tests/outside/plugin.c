// A plugin with the static library inside: the first derivative of a model file.
#include <mbsens/mbsens.h>

double plugin_first_derivative(const char *path);

double plugin_first_derivative(const char *path) {
  MbsModel *model = NULL;
  MbsResult *result = NULL;
  MbsRequest *request = NULL;
  double derivative = 0;
  MbsContext *context = mbs_context_create();
  if (mbs_model_read_file(context, path, &model) == MBS_OK && mbs_request_create(context, model, &request) == MBS_OK &&
      mbs_run(context, model, request, &result) == MBS_OK) {
    derivative = result->gradient[0];
  }
  mbs_result_destroy(result);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  return derivative;
}
