// See modes.h.
//
// With R + a dR no rotation, but to first order, its columns are made orthonormal again: e1 ~ R1, e2 ~ R2 - e1 e1.R2,
// e3 = e1 x e2.
#include "modes.h"

#include <math.h>
#include <mbsens/elements.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "../outcome.h"

enum { PHASES = 32, MOST_MODES = 16, ROOM = 700 };
static const double period = 2,
                    far = 0.12;  // seconds on the page; how far the farthest point goes, of the mechanism's size

// ---- outputs ----
static MbsStatus add(MbsContext *context, MbsModel *model, int body, const char *what, const char *value) {
  char name[80];
  MbsOutputDef def = mbs_default_output_def();
  (void)snprintf(name, sizeof name, "mbsens_mode_%d_%s", body, what);
  def.name = name;
  def.value = value;
  return mbs_model_add_output(context, model, &def);
}

static MbsStatus add_frame(MbsContext *context, MbsModel *model, const CliGeometry *geometry, int b) {
  char value[ROOM], what[20];
  const char *name = geometry->bodies[b].name;
  (void)snprintf(value, sizeof value, "com(%s)", name);
  MbsStatus status = add(context, model, b, "com", value);
  if (geometry->dimension == 2 && status == MBS_OK) {
    (void)snprintf(value, sizeof value, "angle(%s)", name);
    return add(context, model, b, "angle", value);
  }
  for (int i = 0; i < 9 && status == MBS_OK; ++i) {
    (void)snprintf(value, sizeof value, "rotation(%s, %d, %d)", name, i / 3 + 1, i % 3 + 1);
    (void)snprintf(what, sizeof what, "R%d%d", i / 3 + 1, i % 3 + 1);
    status = add(context, model, b, what, value);
  }
  return status;
}

int cli_modes_find(CliModes *modes, CliDesign *design) {
  CliSession *session = &design->session;
  MbsContext *context = session->context;
  MbsLinearizeDef def = mbs_default_linearize_def();
  MbsRequest request = *session->request;
  MbsStatus status = MBS_OK;
  def.has_gradients = false;
  request.settings.has_no_outputs = false;
  request.settings.accuracy = 0;
  request.settings.columns[0] = '\0';
  for (int b = 1; b < design->geometry.body_count && status == MBS_OK; ++b) {
    status = design->geometry.bodies[b].has_frame ? add_frame(context, design->drawn, &design->geometry, b) : MBS_OK;
  }
  cli_progress_begin(&session->progress, context, "linearisation", session->options->is_quiet);
  status = status == MBS_OK ? mbs_linearize(context, design->drawn, &request, &def, &modes->linear) : status;
  cli_progress_end(&session->progress, context);
  return status == MBS_OK ? 0 : cli_session_fail(session, status);
}

void cli_modes_free(CliModes *modes) { mbs_linearization_destroy(modes->linear); }

// ---- the motion of a mode, as rows ----
static double *add_column(CliData *data, const char *name) {
  data->columns = cli_memory_resize(data->columns, (size_t)data->column_count + 1, sizeof *data->columns);
  CliColumn *column = &data->columns[data->column_count++];
  *column = (CliColumn){.name = cli_memory_copy_text(name, strlen(name)),
                        .values = cli_memory_take((size_t)data->row_count, sizeof(double))};
  return column->values;
}

static int find_output(const CliData *data, int body, const char *what) {
  char name[80];
  (void)snprintf(name, sizeof name, "mbsens_mode_%d_%s", body, what);
  return cli_data_find(data, name);
}

static void make_orthonormal(double R[3][3]) {
  double e[3][3], length[2] = {0, 0}, along = 0;
  for (int k = 0; k < 3; ++k) {
    length[0] += R[k][0] * R[k][0];
  }
  for (int k = 0; k < 3; ++k) {
    e[0][k] = R[k][0] / sqrt(length[0]);
    along += e[0][k] * R[k][1];
  }
  for (int k = 0; k < 3; ++k) {
    e[1][k] = R[k][1] - along * e[0][k];
    length[1] += e[1][k] * e[1][k];
  }
  for (int k = 0; k < 3; ++k) {
    e[1][k] /= sqrt(length[1]);
  }
  for (int k = 0; k < 3; ++k) {
    e[2][k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
  }
  for (int i = 0; i < 9; ++i) {
    R[i / 3][i % 3] = e[i % 3][i / 3];
  }
}

// "frame(b).x", ... as histories have them, from the centre of mass and the angle or axes
static void add_frame_columns(CliData *data, const CliGeometry *geometry, int b) {
  static const char *const parts[] = {"x", "y", "z", "R11", "R12", "R13", "R21", "R22", "R23", "R31", "R32", "R33"};
  const CliDrawnBody *body = &geometry->bodies[b];
  int dimension = geometry->dimension, count = dimension == 2 ? 3 : 12, com = find_output(data, b, "com.x");
  int first = find_output(data, b, dimension == 2 ? "angle" : "R11"), column = data->column_count;
  for (int i = 0; i < count; ++i) {
    char name[ROOM];
    (void)snprintf(name, sizeof name, "frame(%s).%s", body->name, dimension == 2 && i == 2 ? "angle" : parts[i]);
    (void)add_column(data, name);
  }
  for (long row = 0; row < data->row_count && com >= 0 && first >= 0; ++row) {
    double R[3][3] = {{0}}, angle = dimension == 2 ? data->columns[first].values[row] : 0;
    for (int i = 0; i < 9 && dimension == 3; ++i) {
      R[i / 3][i % 3] = data->columns[first + i].values[row];
    }
    if (dimension == 3) {
      make_orthonormal(R);
    } else {
      R[0][0] = R[1][1] = cos(angle);
      R[1][0] = sin(angle);
      R[0][1] = -R[1][0];
      data->columns[column + 2].values[row] = angle;
    }
    for (int k = 0; k < dimension; ++k) {
      data->columns[column + k].values[row] =
          data->columns[com + k].values[row] - R[k][0] * body->com[0] - R[k][1] * body->com[1] - R[k][2] * body->com[2];
    }
    for (int i = 0; i < 9 && dimension == 3; ++i) {
      data->columns[column + 3 + i].values[row] = R[i / 3][i % 3];
    }
  }
}

// How much of a mode is shown; 0: no point moves.
static double amplitude(const MbsLinearization *linear, const MbsEigenmode *mode) {
  double most = 0, size = 0;
  int d = linear->dimension;
  for (int p = 0; p < linear->point_count; ++p) {
    double square = 0;
    for (int k = 0; k < 2 * d; ++k) {
      square += mode->motion[2 * d * p + k] * mode->motion[2 * d * p + k];
    }
    most = fmax(most, sqrt(square));
    for (int q = 0; q < p; ++q) {
      double distance = 0;
      for (int k = 0; k < d; ++k) {
        distance = hypot(distance, linear->point_positions[d * p + k] - linear->point_positions[d * q + k]);
      }
      size = fmax(size, distance);
    }
  }
  return most > 1e-9 && isfinite(most) ? far * (size > 0 ? size : 1) / most : 0;
}

static void make_rows(CliData *data, const CliGeometry *geometry, const MbsLinearization *linear,
                      const MbsEigenmode *mode, double a) {
  *data = (CliData){.row_count = PHASES + 1};
  double *time = add_column(data, "t");
  for (int i = 0; i <= PHASES; ++i) {
    time[i] = period * i / PHASES;
  }
  for (int j = 0; j < linear->output_count; ++j) {
    double re = 0, im = 0, *to = add_column(data, linear->outputs[j]);
    for (int k = 0; k < linear->size; ++k) {
      double c = linear->C[j * linear->size + k];
      re += c * mode->shape[2 * k];
      im += c * mode->shape[2 * k + 1];
    }
    for (int i = 0; i <= PHASES; ++i) {
      double phase = 2 * 3.14159265358979323846 * i / PHASES;
      to[i] = linear->y[j] + a * (re * cos(phase) - im * sin(phase));
    }
  }
  for (int b = 1; b < geometry->body_count; ++b) {
    if (geometry->bodies[b].has_frame) {
      add_frame_columns(data, geometry, b);
    }
  }
}

void cli_modes_put(CliJson *json, const CliModes *modes, const CliDesign *design) {
  const MbsLinearization *linear = modes->linear;
  int count = 0;
  cli_json_open_array(json, "modes");
  for (int k = 0; k < linear->mode_count && count < MOST_MODES; ++k) {
    const MbsEigenmode *mode = &linear->mode[k];
    double a = mode->imag >= 0 ? amplitude(linear, mode) : 0;
    CliData data;
    if (!(a > 0)) {
      continue;
    }
    make_rows(&data, &design->geometry, linear, mode, a);
    cli_json_open_object(json, NULL);
    cli_json_integer(json, "number", k + 1);
    cli_json_number(json, "real", mode->real);
    cli_json_number(json, "imag", mode->imag);
    cli_json_number(json, "frequency", mode->frequency);
    cli_json_number(json, "damping", mode->damping);
    cli_geometry_put_motion(json, &design->geometry, &data);
    cli_json_close(json);
    cli_data_free(&data);
    ++count;
  }
  cli_json_close(json);
}
