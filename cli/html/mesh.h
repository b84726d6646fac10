// Triangles of a file: STL, as text or in bytes, and OBJ, of which faces are read and nothing else.
#ifndef MBS_CLI_HTML_MESH_H
#define MBS_CLI_HTML_MESH_H

#include <mbsens/mbsens.h>
#include <stddef.h>

#include "model/model.h"

typedef struct CliMesh {
  size_t triangle_count;
  float *corners;  // 9 numbers of each; free with free()
} CliMesh;

// The name is relative to the file in which it stands.
MbsStatus cli_mesh_read(MbsContext *context, MbsText name, CliMesh *mesh);

#endif
