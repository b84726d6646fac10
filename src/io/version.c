// Which library this is. MBS_DECLARATIONS comes from CMakeLists.txt: the SHA-256 of the public headers without
// comments.
#include <mbsens/mbsens.h>

const char *mbs_version(void) { return MBS_VERSION; }

const char *mbs_declarations(void) { return MBS_DECLARATIONS; }
