// What a model looks like: its bodies with their points and inertia, joints, forces between points, in numbers at the
// start of a run; and the outputs that a run must have so that all of it can be drawn as it moves.
//
// Numbers of the model are expressions, and the model itself evaluates them: each becomes an output of a copy of it.
#ifndef MBS_CLI_HTML_GEOMETRY_H
#define MBS_CLI_HTML_GEOMETRY_H

#include <mbsens/mbsens.h>
#include <stdbool.h>

#include "../json.h"
#include "../options.h"
#include "../plot/data.h"
#include "mesh.h"

typedef struct CliDrawnPoint {
  const char *name;
  double local[3];
  char *output;  // of a point of the ground, which may move, and of what gives a rod its place; else NULL
} CliDrawnPoint;

typedef struct CliDrawnBody {
  const char *name;  // the first is the ground
  int point_count;
  CliDrawnPoint *points;
  double mass, com[3], inertia[6];
  int inertia_count;  // 0: a point mass; in space 1: a thin rod
  bool has_frame;     // axes of its own: histories have its frame; else it is where this point is,
  int anchor;
  int aim;  // and its direction that to this one; -1: none
} CliDrawnBody;

// A joint or a force: what it connects, as written.
typedef struct CliDrawnElement {
  const char *type, *name;
  int end_count;
  const char *ends[2];
  char *output;  // of a force its value, a number (tension) or a vector; NULL: none
} CliDrawnElement;

// Of the section shapes, in numbers.
typedef struct CliDrawnShape {
  const char *kind, *at, *colour;  // NULL: not given
  int to_count;
  const char **to;
  double axis[3], size[3], radius, width, offset[3], scale, opacity;
  CliMesh mesh;
  int curve_count;  // of its points
  double *curve;    // 3 numbers of each
} CliDrawnShape;

typedef struct CliGeometry {
  int dimension;
  double gravity[3];
  int body_count, joint_count, force_count;
  CliDrawnBody *bodies;
  CliDrawnElement *joints, *forces;
  int shape_count;
  CliDrawnShape *shapes;
} CliGeometry;

// Return 0, or the exit status after a sentence on standard error. To be freed in both cases; texts are the model's,
// which must outlive it. `scratch` is a copy of the model, which gets outputs that no run should have.
int cli_geometry_read(MbsContext *context, const MbsModel *model, MbsModel *scratch, const MbsRequest *request,
                      CliGeometry *geometry);
// Adds what a run must put out so that its rows can be drawn.
int cli_geometry_add_outputs(MbsContext *context, MbsModel *model, CliGeometry *geometry);
void cli_geometry_free(CliGeometry *geometry);

// "bodies", "joints", "forces" of an object, and "frames" of the rows of a run: for each body x, y, angle, or x, y, z
// and a quaternion.
void cli_geometry_put(CliJson *json, const CliGeometry *geometry, const CliData *rows);
// Of these "time" and "frames" alone.
void cli_geometry_put_motion(CliJson *json, const CliGeometry *geometry, const CliData *rows);

#endif
