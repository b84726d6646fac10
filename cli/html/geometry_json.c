// A geometry and its motion as JSON: see geometry.h.
//
// A frame R of a body, as a quaternion (x, y, z, w): of the four squares 4 w^2 = 1 + R11 + R22 + R33, ... the largest
// is taken, so that nothing is divided by what is small. That of a rod is the shortest rotation from its direction in
// its own axes to that in space: q ~ (a x b, 1 + a.b).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "geometry.h"

static void quaternion_of_matrix(double R[3][3], double *q) {
  double squares[4] = {1 + R[0][0] - R[1][1] - R[2][2], 1 - R[0][0] + R[1][1] - R[2][2],
                       1 - R[0][0] - R[1][1] + R[2][2], 1 + R[0][0] + R[1][1] + R[2][2]};
  int i = 0;
  for (int k = 1; k < 4; ++k) {
    i = squares[k] > squares[i] ? k : i;
  }
  double twice = sqrt(squares[i]), s = 0.5 / twice;
  const double pairs[4][4] = {
      {0, R[0][1] + R[1][0], R[0][2] + R[2][0], R[2][1] - R[1][2]},
      {R[0][1] + R[1][0], 0, R[1][2] + R[2][1], R[0][2] - R[2][0]},
      {R[0][2] + R[2][0], R[1][2] + R[2][1], 0, R[1][0] - R[0][1]},
      {R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1], 0},
  };
  for (int k = 0; k < 4; ++k) {
    q[k] = k == i ? 0.5 * twice : s * pairs[i][k];
  }
}

static void quaternion_between(const double *a, const double *b, double *q) {
  double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  double la = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), lb = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
  double w = la * lb + dot;
  if (w < 1e-12 * la * lb) {  // half a turn: about any direction normal to a
    bool is_along_x = fabs(a[0]) > 0.9 * la;
    q[0] = is_along_x ? -a[2] : 0;
    q[1] = is_along_x ? 0 : a[2];
    q[2] = is_along_x ? a[0] : -a[1];
    w = 0;
  } else {
    q[0] = a[1] * b[2] - a[2] * b[1];
    q[1] = a[2] * b[0] - a[0] * b[2];
    q[2] = a[0] * b[1] - a[1] * b[0];
  }
  double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + w * w);
  norm = norm > 0 ? norm : 1;
  q[0] /= norm, q[1] /= norm, q[2] /= norm, q[3] = w / norm;
}

// ---- columns ----
static double value_at(const CliData *rows, int column, long row) {
  return column >= 0 ? rows->columns[column].values[row] : 0;
}

typedef struct Frame {
  int position, angle, axes, anchor, aim;  // columns; -1: none
  const CliDrawnBody *body;
} Frame;

static Frame find_frame(const CliData *rows, const CliDrawnBody *body) {
  char name[600];
  Frame frame = {.angle = -1, .axes = -1, .anchor = -1, .aim = -1, .body = body};
  (void)snprintf(name, sizeof name, "frame(%s).x", body->name);
  frame.position = cli_data_find(rows, name);
  (void)snprintf(name, sizeof name, "frame(%s).angle", body->name);
  frame.angle = cli_data_find(rows, name);
  (void)snprintf(name, sizeof name, "frame(%s).R11", body->name);
  frame.axes = cli_data_find(rows, name);
  if (!body->has_frame) {
    frame.anchor = body->anchor >= 0 ? cli_data_find_output(rows, body->points[body->anchor].output) : -1;
    frame.aim = body->aim >= 0 ? cli_data_find_output(rows, body->points[body->aim].output) : -1;
  }
  return frame;
}

static void read_vector(const CliData *rows, int first, int size, long row, double *v) {
  v[0] = v[1] = v[2] = 0;
  for (int k = 0; k < size && first >= 0; ++k) {
    v[k] = rows->columns[first + k].values[row];
  }
}

// v' = v + 2 w (u x v) + 2 u x (u x v) of q = (u, w)
static void rotate(const double *q, const double *v, double *to) {
  const double c[3] = {q[1] * v[2] - q[2] * v[1], q[2] * v[0] - q[0] * v[2], q[0] * v[1] - q[1] * v[0]};
  to[0] = v[0] + 2 * (q[3] * c[0] + q[1] * c[2] - q[2] * c[1]);
  to[1] = v[1] + 2 * (q[3] * c[1] + q[2] * c[0] - q[0] * c[2]);
  to[2] = v[2] + 2 * (q[3] * c[2] + q[0] * c[1] - q[1] * c[0]);
}

// Of a rod: the direction from its anchor to its aim, in its axes and in space.
static void aim(const Frame *frame, const double *direction, double *q) {
  const CliDrawnBody *body = frame->body;
  double local[3];
  for (int k = 0; k < 3; ++k) {
    local[k] = body->points[body->aim].local[k] - body->points[body->anchor].local[k];
  }
  quaternion_between(local, direction, q);
}

static void find_pose(const CliData *rows, const Frame *frame, int dimension, long row, double *position, double *q) {
  double anchor[3], end[3], turned[3], R[3][3];
  q[0] = q[1] = q[2] = 0;
  q[3] = 1;
  read_vector(rows, frame->position, dimension, row, position);
  if (frame->axes >= 0) {
    for (int i = 0; i < 9; ++i) {
      R[i / 3][i % 3] = rows->columns[frame->axes + i].values[row];
    }
    quaternion_of_matrix(R, q);
  }
  if (frame->anchor >= 0) {
    read_vector(rows, frame->anchor, dimension, row, anchor);
    if (frame->aim >= 0) {
      read_vector(rows, frame->aim, dimension, row, end);
      const double direction[3] = {end[0] - anchor[0], end[1] - anchor[1], end[2] - anchor[2]};
      aim(frame, direction, q);
    }
    rotate(q, frame->body->points[frame->body->anchor].local, turned);
    for (int k = 0; k < 3; ++k) {
      position[k] = anchor[k] - turned[k];
    }
  }
}

// rows x bodies x (x, y, angle) or (x, y, z, quaternion)
static void put_frames(CliJson *json, const CliGeometry *geometry, const CliData *rows) {
  int bodies = geometry->body_count - 1, width = geometry->dimension == 2 ? 3 : 7;
  size_t count = (size_t)rows->row_count * (size_t)(bodies * width);
  float *all = cli_memory_take(count, sizeof *all), *to = all;
  Frame *frames = cli_memory_take((size_t)bodies, sizeof *frames);
  for (int b = 0; b < bodies; ++b) {
    frames[b] = find_frame(rows, &geometry->bodies[1 + b]);
  }
  for (long i = 0; i < rows->row_count; ++i) {
    for (int b = 0; b < bodies; ++b) {
      double position[3], q[4];
      find_pose(rows, &frames[b], geometry->dimension, i, position, q);
      for (int k = 0; k < geometry->dimension; ++k) {
        *to++ = (float)position[k];
      }
      if (geometry->dimension == 2) {
        *to++ = (float)value_at(rows, frames[b].angle, i);
      }
      for (int k = 0; k < 4 && geometry->dimension == 3; ++k) {
        *to++ = (float)q[k];
      }
    }
  }
  cli_json_floats(json, "frames", count, all);
  free(frames);
  free(all);
}

// the components of a vector, or a number, over time: one row after the other
static void put_columns(CliJson *json, const char *key, const CliData *rows, int first, int size) {
  size_t count = (size_t)rows->row_count * (size_t)size;
  float *all = cli_memory_take(count, sizeof *all);
  for (size_t i = 0; i < count; ++i) {
    all[i] = (float)rows->columns[first + (int)(i % (size_t)size)].values[i / (size_t)size];
  }
  cli_json_floats(json, key, count, all);
  free(all);
}

static bool does_move(const CliData *rows, int first, int size) {
  for (int k = 0; k < size; ++k) {
    const double *values = rows->columns[first + k].values;
    for (long i = 1; i < rows->row_count; ++i) {
      if (values[i] < values[0] || values[i] > values[0]) {
        return true;
      }
    }
  }
  return false;
}

// ---- the parts ----
static void put_points(CliJson *json, const CliGeometry *geometry, int b, const CliData *rows) {
  const CliDrawnBody *body = &geometry->bodies[b];
  cli_json_open_array(json, "points");
  for (int i = 0; i < body->point_count; ++i) {
    const CliDrawnPoint *point = &body->points[i];
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", point->name);
    cli_json_numbers(json, "at", geometry->dimension, point->local);
    int first = b == 0 && rows && point->output ? cli_data_find_output(rows, point->output) : -1;
    if (first >= 0 && does_move(rows, first, geometry->dimension)) {
      put_columns(json, "moves", rows, first, geometry->dimension);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void put_elements(CliJson *json, const char *key, int count, const CliDrawnElement *elements,
                         const CliGeometry *geometry, const CliData *rows) {
  cli_json_open_array(json, key);
  for (int i = 0; i < count; ++i) {
    const CliDrawnElement *element = &elements[i];
    char reaction[600];
    cli_json_open_object(json, NULL);
    cli_json_text(json, "type", element->type);
    cli_json_text(json, "name", element->name);
    cli_json_texts(json, "ends", element->end_count, element->ends);
    (void)snprintf(reaction, sizeof reaction, "force(%s)", element->name);
    int first = rows ? cli_data_find_output(rows, element->output ? element->output : reaction) : -1;
    if (first >= 0) {
      bool is_number = element->output && cli_data_find(rows, element->output) >= 0;
      put_columns(json, is_number ? "tension" : "force", rows, first, is_number ? 1 : geometry->dimension);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void put_shape(CliJson *json, const CliDrawnShape *shape) {
  cli_json_open_object(json, NULL);
  cli_json_text(json, "kind", shape->kind);
  cli_json_text(json, "at", shape->at);
  if (shape->to_count > 0) {
    cli_json_texts(json, "to", shape->to_count, shape->to);
  }
  if (shape->colour) {
    cli_json_text(json, "colour", shape->colour);
  }
  cli_json_numbers(json, "axis", 3, shape->axis);
  cli_json_numbers(json, "size", 3, shape->size);
  cli_json_numbers(json, "offset", 3, shape->offset);
  cli_json_number(json, "radius", shape->radius);
  cli_json_number(json, "width", shape->width);
  cli_json_number(json, "opacity", shape->opacity);
  cli_json_number(json, "scale", shape->scale);
  if (shape->mesh.corners) {
    cli_json_floats(json, "mesh", 9 * shape->mesh.triangle_count, shape->mesh.corners);
  }
  if (shape->curve) {
    size_t count = 3 * (size_t)shape->curve_count;
    float *points = cli_memory_take(count, sizeof *points);
    for (size_t i = 0; i < count; ++i) {
      points[i] = (float)shape->curve[i];
    }
    cli_json_floats(json, "curve", count, points);
    free(points);
  }
  cli_json_close(json);
}

void cli_geometry_put(CliJson *json, const CliGeometry *geometry, const CliData *rows) {
  cli_json_integer(json, "dimension", geometry->dimension);
  cli_json_numbers(json, "gravity", geometry->dimension, geometry->gravity);
  cli_json_open_array(json, "bodies");
  for (int b = 0; b < geometry->body_count; ++b) {
    const CliDrawnBody *body = &geometry->bodies[b];
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", body->name);
    cli_json_number(json, "mass", body->mass);
    cli_json_numbers(json, "com", geometry->dimension, body->com);
    cli_json_numbers(json, "inertia", body->inertia_count, body->inertia);
    put_points(json, geometry, b, rows);
    cli_json_close(json);
  }
  cli_json_close(json);
  put_elements(json, "joints", geometry->joint_count, geometry->joints, geometry, rows);
  put_elements(json, "forces", geometry->force_count, geometry->forces, geometry, rows);
  cli_json_open_array(json, "shapes");
  for (int i = 0; i < geometry->shape_count; ++i) {
    put_shape(json, &geometry->shapes[i]);
  }
  cli_json_close(json);
  if (rows) {
    cli_geometry_put_motion(json, geometry, rows);
  }
}

void cli_geometry_put_motion(CliJson *json, const CliGeometry *geometry, const CliData *rows) {
  cli_json_doubles(json, "time", (size_t)rows->row_count, rows->columns[0].values);
  put_frames(json, geometry, rows);
}
