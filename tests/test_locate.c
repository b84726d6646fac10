// Which element's derivatives are wrong (mbs_locate): none of any model. Wrong ones: tests/planted.
#include "sensitivities/locate.h"

#include "support.h"

static MbsContext *context;

static void check_sound(const char *path, void *user) {
  (void)user;
  MbsModel *model = read_model(context, path);
  MbsRequest request;
  MbsSuspects suspects;
  MbsArena *arena = mbs_arena_create();
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.settings.end = 20 * request.settings.step;
  ENSURE_OK(context, mbs_locate(context, arena, model, &request.settings, &suspects));
  for (int i = 0; i < suspects.count; ++i) {
    const MbsSuspect *suspect = &suspects.items[i];
    (void)fprintf(stderr, "%s: %s by %s is off by %.1e in %s\n", path, suspect->element, suspect->derivative,
                  suspect->relative_error, suspect->products);
  }
  ENSURE(suspects.count == 0 && suspects.total == 0);
  mbs_arena_destroy(arena);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  ENSURE(for_each_file("models/*.yaml", check_sound, NULL) > 10);
  ENSURE(for_each_file("tests/models/element_*.yaml", check_sound, NULL) > 50);
  ENSURE(for_each_file("tests/models/run_*.yaml", check_sound, NULL) > 5);
  mbs_context_destroy(context);
  return 0;
}
