// Which element's derivatives are wrong (mbs_locate): none of any model. Wrong ones: tests/planted.
#include "sensitivities/locate.h"

#include "support.h"

static MbsContext *context;

static int relative_count;  // models that can be run in relative coordinates

static void check_coordinates(const char *path, const MbsModel *model, const char *coordinates) {
  MbsRequest request;
  MbsSuspects suspects = {0};
  MbsArena *arena = mbs_arena_create();
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.settings.end = 20 * request.settings.step;
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", coordinates);
  MbsStatus status = mbs_locate(context, arena, model, &request.settings, &suspects);
  bool is_relative = strcmp(coordinates, "relative") == 0;
  bool is_refused = status == MBS_ERROR_NOT_OFFERED || status == MBS_ERROR_INPUT || status == MBS_ERROR_NUMERICAL;
  ENSURE(status == MBS_OK || (is_relative && is_refused));
  relative_count += is_relative && status == MBS_OK;
  for (int i = 0; i < suspects.count; ++i) {
    const MbsSuspect *suspect = &suspects.items[i];
    (void)fprintf(stderr, "%s, %s: %s by %s is off by %.1e in %s\n", path, suspect->coordinates, suspect->element,
                  suspect->derivative, suspect->relative_error, suspect->products);
  }
  ENSURE(suspects.count == 0 && suspects.total == 0);
  mbs_arena_destroy(arena);
}

static void check_sound(const char *path, void *user) {
  (void)user;
  MbsModel *model = read_model(context, path);
  check_coordinates(path, model, "natural");
  check_coordinates(path, model, "relative");
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  ENSURE(for_each_file("models/*.yaml", check_sound, NULL) > 10);
  ENSURE(for_each_file("tests/models/element_*.yaml", check_sound, NULL) > 50);
  ENSURE(for_each_file("tests/models/run_*.yaml", check_sound, NULL) > 5);
  ENSURE(relative_count > 20);
  mbs_context_destroy(context);
  return 0;
}
