// In place of sundials_*_bridge.c where SUNDIALS was not found when the library was built.
#include "sensitivities/sundials.h"

const char *mbs_sundials_version(void) { return NULL; }

MbsStatus mbs_sundials_run(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                           MbsResult *result) {
  (void)arena;
  (void)model;
  (void)request;
  (void)result;
  return mbs_fail(
      context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
      "CVODES and IDAS are not offered: SUNDIALS is not built in; install it (Debian, Ubuntu: apt-get install "
      "libsundials-dev) and build again with cmake -DMBS_SUNDIALS=ON, or by make test-all");
}
