// See geometry.h.
#include "geometry.h"

#include <math.h>
#include <mbsens/elements.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "../outcome.h"
#include "model/force.h"
#include "model/joint.h"
#include "model/model.h"

// ---- numbers of the model, all in one evaluation ----
typedef struct Number {
  char *output;
  int size;
  double *to;
} Number;

typedef struct Numbers {
  MbsContext *context;
  MbsModel *scratch;
  int count;
  Number *items;
} Numbers;

static MbsStatus add_output(MbsContext *context, MbsModel *model, const char *name, const char *expression) {
  MbsOutputDef def = mbs_default_output_def();
  def.name = name;
  def.value = expression;
  return mbs_model_add_output(context, model, &def);
}

static char *print(const char *format, const char *a, const char *b) {
  size_t room = strlen(format) + strlen(a) + strlen(b) + 1;
  char *text = cli_memory_take(room, 1);
  (void)snprintf(text, room, format, a, b);
  return text;
}

// [a, b, c] of the texts of a field; one text is a vector by itself, or the number 0 that fills one
static char *vector_text(const MbsText *texts, int first, int count) {
  size_t room = 3;
  for (int k = 0; k < count; ++k) {
    room += strlen(texts[first + k].text) + 2;
  }
  char *text = cli_memory_take(room, 1);
  size_t length = 0;
  if (count == 1) {
    (void)snprintf(text, room, "%s", texts[first].text);
    return text;
  }
  for (int k = 0; k < count; ++k) {
    length += (size_t)snprintf(text + length, room - length, "%s%s", k ? ", " : "[", texts[first + k].text);
  }
  (void)snprintf(text + length, room - length, "]");
  return text;
}

static MbsStatus ask_text(Numbers *numbers, const char *expression, int size, double *to) {
  char name[40];
  (void)snprintf(name, sizeof name, "mbsens_drawn_%d", numbers->count);
  numbers->items = cli_memory_resize(numbers->items, (size_t)numbers->count + 1, sizeof *numbers->items);
  numbers->items[numbers->count++] = (Number){cli_memory_copy_text(name, strlen(name)), size, to};
  return add_output(numbers->context, numbers->scratch, name, expression);
}

// Of a field that is there; one that is a single 0 stays 0.
static MbsStatus ask(Numbers *numbers, const MbsValue *value, int first, int size, double *to) {
  int count = value->count - first < size ? value->count - first : size;
  if (count <= 0 || (count == 1 && size > 1 && strcmp(value->texts[first].text, "0") == 0)) {
    return MBS_OK;
  }
  char *text = vector_text(value->texts, first, count);
  MbsStatus status = ask_text(numbers, text, size, to);
  free(text);
  return status;
}

// The first row is all that is wanted: the run is stopped there.
typedef struct FirstRow {
  CliData data;
  bool is_there;
} FirstRow;

static MbsStatus keep_units(void *user, int count, const char *const *units, const char *const *descriptions) {
  FirstRow *first = user;
  return first->data.recorder.describe(&first->data, count, units, descriptions);
}

static MbsStatus keep_names(void *user, int count, const char *const *names) {
  FirstRow *first = user;
  return first->data.recorder.begin(&first->data, count, names);
}

static MbsStatus keep_row_and_stop(void *user, const double *values) {
  FirstRow *first = user;
  first->is_there = true;
  cli_data_add_row(&first->data, values);
  return MBS_ERROR_INTERRUPTED;
}

static MbsStatus evaluate(Numbers *numbers, const MbsRequest *request) {
  FirstRow first = {0};
  MbsRecorder recorder = {.user = &first, .describe = keep_units, .begin = keep_names, .row = keep_row_and_stop};
  MbsRequest own = *request;
  MbsResult *result = NULL;
  if (numbers->count == 0) {
    return MBS_OK;
  }
  cli_data_begin(&first.data);
  own.method = MBS_METHOD_NONE;
  own.recorder = &recorder;
  own.settings.accuracy = 0;
  own.settings.has_no_outputs = false;
  (void)strcpy(own.settings.columns, "outputs");
  MbsStatus status = mbs_run(numbers->context, numbers->scratch, &own, &result);
  mbs_result_destroy(result);
  status = first.is_there ? MBS_OK : status;
  for (int i = 0; i < numbers->count && first.is_there; ++i) {
    int at = cli_data_find_output(&first.data, numbers->items[i].output);
    for (int k = 0; at >= 0 && k < numbers->items[i].size; ++k) {
      numbers->items[i].to[k] = first.data.columns[at + k].values[0];
    }
  }
  cli_data_free(&first.data);
  return status;
}

// ---- bodies ----
static MbsStatus read_points(Numbers *numbers, const MbsValue *points, int dimension, CliDrawnBody *body) {
  body->point_count = points->count;
  body->points = cli_memory_take((size_t)points->count, sizeof *body->points);
  for (int i = 0; i < points->count; ++i) {
    body->points[i].name = points->records[i].name.text;
    MBS_TRY(ask(numbers, mbs_record_value(&points->records[i], 0), 0, dimension, body->points[i].local));
  }
  return MBS_OK;
}

static MbsStatus read_body(Numbers *numbers, const MbsRecord *record, int dimension, CliDrawnBody *body) {
  const MbsValue *inertia = mbs_record_value(record, MBS_BODY_INERTIA);
  *body = (CliDrawnBody){.name = record->name.text, .inertia_count = inertia->count, .anchor = -1, .aim = -1};
  MBS_TRY(ask(numbers, mbs_record_value(record, MBS_BODY_MASS), 0, 1, &body->mass));
  MBS_TRY(ask(numbers, mbs_record_value(record, MBS_BODY_COM), 0, dimension, body->com));
  MBS_TRY(ask(numbers, inertia, 0, inertia->count < 3 ? inertia->count : 3, body->inertia));
  if (inertia->count == 6) {
    MBS_TRY(ask(numbers, inertia, 3, 3, body->inertia + 3));
  }
  return read_points(numbers, mbs_record_value(record, MBS_BODY_POINTS), dimension, body);
}

// The ground, where it is drawn: its points may depend on the time.
static MbsStatus read_ground(Numbers *numbers, const MbsModel *model, CliDrawnBody *body) {
  *body = (CliDrawnBody){.name = "ground", .anchor = -1, .aim = -1};
  const MbsRecord *ground = mbs_record_child(&model->root, MBS_MODEL_GROUND);
  return ground ? read_points(numbers, mbs_record_value(ground, MBS_GROUND_POINTS), model->dimension, body) : MBS_OK;
}

// Point masses, and thin rods in space, have no axes of their own: a rod's first and its farthest point say where it
// is.
static void find_anchors(CliGeometry *geometry) {
  for (int b = 1; b < geometry->body_count; ++b) {
    CliDrawnBody *body = &geometry->bodies[b];
    double most = 0;
    body->has_frame = body->inertia_count > (geometry->dimension == 3 ? 1 : 0);
    body->anchor = body->point_count > 0 ? 0 : -1;
    for (int i = 1; i < body->point_count && body->inertia_count == 1 && !body->has_frame; ++i) {
      const double *p = body->points[i].local, *q = body->points[0].local;
      double d = hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
      if (d > most) {
        most = d;
        body->aim = i;
      }
    }
  }
}

// ---- joints and forces ----
static void read_ends(const MbsRecordType *type, const MbsRecord *record, CliDrawnElement *element) {
  const MbsValue *value = mbs_record_value(record, 0);
  *element = (CliDrawnElement){.type = type->name, .name = record->name.text};
  bool is_of_texts = type->field_count > 0 && value->texts;
  for (int k = 0; is_of_texts && k < value->count && k < 2; ++k) {
    element->ends[element->end_count++] = value->texts[k].text;
  }
}

static void read_elements(const MbsModel *model, CliGeometry *geometry) {
  const MbsValue *joints = mbs_record_value(&model->root, MBS_MODEL_JOINTS);
  const MbsValue *forces = mbs_record_value(&model->root, MBS_MODEL_FORCES);
  geometry->joints = cli_memory_take((size_t)joints->count, sizeof *geometry->joints);
  geometry->forces = cli_memory_take((size_t)forces->count, sizeof *geometry->forces);
  for (int i = 0; i < joints->count; ++i) {
    read_ends(&mbs_joint_types[joints->records[i].type]->record, &joints->records[i],
              &geometry->joints[geometry->joint_count++]);
  }
  for (int i = 0; i < forces->count; ++i) {
    read_ends(&mbs_force_types[forces->records[i].type]->record, &forces->records[i],
              &geometry->forces[geometry->force_count++]);
  }
}

// ---- shapes ----
// The numbers of a direction, those of a body's vector where it is a name: u or -u.
static MbsStatus ask_axis(Numbers *numbers, const MbsModel *model, const MbsRecord *shape, double *axis) {
  const MbsValue *value = mbs_record_value(shape, MBS_SHAPE_AXIS);
  const char *name = value->count == 1 ? value->texts[0].text : NULL, *at = mbs_record_text(shape, MBS_SHAPE_AT).text;
  const MbsValue *bodies = mbs_record_value(&model->root, MBS_MODEL_BODIES);
  const MbsRecord *ground = mbs_record_child(&model->root, MBS_MODEL_GROUND);
  if (!name) {
    return ask(numbers, value, 0, 3, axis);
  }
  for (int b = -1; b < bodies->count; ++b) {
    const MbsRecord *body = b < 0 ? ground : &bodies->records[b];
    const char *body_name = b < 0 ? "ground" : body->name.text, *dot = strrchr(at, '.');
    bool is_own = dot && strlen(body_name) == (size_t)(dot - at) && strncmp(body_name, at, strlen(body_name)) == 0;
    const MbsValue *points =
        body ? mbs_record_value(body, b < 0 ? (int)MBS_GROUND_POINTS : (int)MBS_BODY_POINTS) : NULL;
    for (int i = 0; points && !dot && i < points->count; ++i) {  // a name by itself: of the one body that has it
      is_own = is_own || strcmp(points->records[i].name.text, at) == 0;
    }
    const MbsValue *vectors =
        body ? mbs_record_value(body, b < 0 ? (int)MBS_GROUND_VECTORS : (int)MBS_BODY_VECTORS) : NULL;
    for (int i = 0; is_own && vectors && i < vectors->count; ++i) {
      if (strcmp(vectors->records[i].name.text, name + (name[0] == '-')) == 0) {
        return ask(numbers, mbs_record_value(&vectors->records[i], 0), 0, 3, axis);  // of an axis the sign is nothing
      }
    }
  }
  return ask_text(numbers, name, 3, axis);
}

// Its points, at values of s in equal distances: the curve is a function of its own.
static MbsStatus ask_curve(Numbers *numbers, const MbsRecord *record, int dimension, CliDrawnShape *shape) {
  const MbsValue *curve = mbs_record_value(record, MBS_SHAPE_CURVE), *range = mbs_record_value(record, MBS_SHAPE_RANGE);
  int pieces = (int)strtol(mbs_record_text(record, MBS_SHAPE_PIECES).text, NULL, 10);
  char name[40];
  shape->curve_count = pieces + 1;
  shape->curve = cli_memory_take(3 * (size_t)shape->curve_count, sizeof *shape->curve);
  (void)snprintf(name, sizeof name, "mbsens_curve_%d(s)", numbers->count);
  char *body = vector_text(curve->texts, 0, curve->count);
  MbsStatus status = mbs_model_add_function(numbers->context, numbers->scratch, name, body);
  free(body);
  name[strlen(name) - strlen("(s)")] = '\0';
  size_t room = 2 * strlen(range->texts[0].text) + strlen(range->texts[1].text) + sizeof name + 60;
  char *text = cli_memory_take(room, 1);
  for (int i = 0; i <= pieces && status == MBS_OK; ++i) {  // s = a + i/n (b - a)
    (void)snprintf(text, room, "%s((%s) + %d/%d*((%s) - (%s)))", name, range->texts[0].text, i, pieces,
                   range->texts[1].text, range->texts[0].text);
    status = ask_text(numbers, text, dimension, shape->curve + (ptrdiff_t)(3 * i));
  }
  free(text);
  return status;
}

// S p of each corner; where that is a reflection, corners change places, so that outside stays outside.
static void mirror_mesh(CliMesh *mesh, const char *axes) {
  for (size_t i = 0; i < 9 * mesh->triangle_count; ++i) {
    mesh->corners[i] *= strchr(axes, "xyz"[i % 3]) ? -1 : 1;
  }
  for (size_t i = 0; i < mesh->triangle_count && strlen(axes) % 2 == 1; ++i) {
    for (int k = 3; k < 6; ++k) {
      float *corners = mesh->corners + 9 * i, kept = corners[k];
      corners[k] = corners[k + 3];
      corners[k + 3] = kept;
    }
  }
}

static MbsStatus read_shape(Numbers *numbers, const MbsModel *model, const MbsRecord *record, CliDrawnShape *shape) {
  int dimension = model->dimension;
  MbsText file = mbs_record_text(record, MBS_SHAPE_FILE), mirror = mbs_record_text(record, MBS_SHAPE_MIRROR);
  const MbsValue *to = mbs_record_value(record, MBS_SHAPE_TO);
  *shape = (CliDrawnShape){.kind = mbs_record_text(record, MBS_SHAPE_KIND).text,
                           .at = mbs_record_text(record, MBS_SHAPE_AT).text,
                           .colour = mbs_record_text(record, MBS_SHAPE_COLOUR).text,
                           .opacity = 1,
                           .scale = 1};
  shape->to = cli_memory_take((size_t)to->count, sizeof *shape->to);
  for (int i = 0; i < to->count; ++i) {
    shape->to[shape->to_count++] = to->texts[i].text;
  }
  if (mbs_record_value(record, MBS_SHAPE_AXIS)->count > 0) {
    MBS_TRY(ask_axis(numbers, model, record, shape->axis));
  }
  MBS_TRY(ask(numbers, mbs_record_value(record, MBS_SHAPE_SIZE), 0, dimension, shape->size));
  MBS_TRY(ask(numbers, mbs_record_value(record, MBS_SHAPE_RADIUS), 0, 1, &shape->radius));
  MBS_TRY(ask(numbers, mbs_record_value(record, MBS_SHAPE_WIDTH), 0, 1, &shape->width));
  MBS_TRY(ask(numbers, mbs_record_value(record, MBS_SHAPE_OFFSET), 0, dimension, shape->offset));
  MBS_TRY(ask(numbers, mbs_record_value(record, MBS_SHAPE_SCALE), 0, 1, &shape->scale));
  MBS_TRY(ask(numbers, mbs_record_value(record, MBS_SHAPE_OPACITY), 0, 1, &shape->opacity));
  MBS_TRY(mbs_record_value(record, MBS_SHAPE_CURVE)->is_given ? ask_curve(numbers, record, dimension, shape) : MBS_OK);
  MBS_TRY(file.text ? cli_mesh_read(numbers->context, file, &shape->mesh) : MBS_OK);
  if (mirror.text) {
    mirror_mesh(&shape->mesh, mirror.text);
  }
  return MBS_OK;
}

static MbsStatus read_shapes(Numbers *numbers, const MbsModel *model, CliGeometry *geometry) {
  const MbsValue *shapes = mbs_record_value(&model->root, MBS_MODEL_SHAPES);
  geometry->shapes = cli_memory_take((size_t)shapes->count, sizeof *geometry->shapes);
  for (int i = 0; i < shapes->count; ++i) {
    geometry->shape_count = i + 1;
    MBS_TRY(read_shape(numbers, model, &shapes->records[i], &geometry->shapes[i]));
  }
  return MBS_OK;
}

static MbsStatus check_curves(MbsContext *context, const MbsModel *model, const CliGeometry *geometry) {
  for (int i = 0; i < geometry->shape_count; ++i) {
    const CliDrawnShape *shape = &geometry->shapes[i];
    for (int k = 0; k < 3 * shape->curve_count; ++k) {
      if (!isfinite(shape->curve[k])) {
        const MbsRecord *record = &mbs_record_value(&model->root, MBS_MODEL_SHAPES)->records[i];
        return mbs_fail(context, MBS_ERROR_INPUT, mbs_record_value(record, MBS_SHAPE_CURVE)->place,
                        "shape %d: the curve is not finite at point %d of its %d", i + 1, k / 3 + 1,
                        shape->curve_count);
      }
    }
  }
  return MBS_OK;
}

int cli_geometry_read(MbsContext *context, const MbsModel *model, MbsModel *scratch, const MbsRequest *request,
                      CliGeometry *geometry) {
  const MbsValue *bodies = mbs_record_value(&model->root, MBS_MODEL_BODIES);
  Numbers numbers = {.context = context, .scratch = scratch};
  *geometry = (CliGeometry){.dimension = model->dimension, .body_count = bodies->count + 1};
  geometry->bodies = cli_memory_take((size_t)geometry->body_count, sizeof *geometry->bodies);
  MbsStatus status = read_ground(&numbers, model, &geometry->bodies[0]);
  for (int b = 0; b < bodies->count && status == MBS_OK; ++b) {
    status = read_body(&numbers, &bodies->records[b], model->dimension, &geometry->bodies[1 + b]);
  }
  status = status == MBS_OK ? ask(&numbers, mbs_record_value(&model->root, MBS_MODEL_GRAVITY), 0, model->dimension,
                                  geometry->gravity)
                            : status;
  status = status == MBS_OK ? read_shapes(&numbers, model, geometry) : status;
  status = status == MBS_OK ? evaluate(&numbers, request) : status;
  status = status == MBS_OK ? check_curves(context, model, geometry) : status;
  for (int i = 0; i < numbers.count; ++i) {
    free(numbers.items[i].output);
  }
  free(numbers.items);
  if (status != MBS_OK) {
    return cli_fail_library(context, status);
  }
  find_anchors(geometry);
  read_elements(model, geometry);
  return 0;
}

// ---- what a run puts out ----
static MbsStatus add_named(MbsContext *context, MbsModel *model, const char *kind, int number, const char *expression,
                           char **output) {
  char digits[20];
  (void)snprintf(digits, sizeof digits, "%d", number);
  *output = print("mbsens_%s_%s", kind, digits);
  return add_output(context, model, *output, expression);
}

static MbsStatus add_point(MbsContext *context, MbsModel *model, const CliDrawnBody *body, CliDrawnPoint *point,
                           int number) {
  char *name = print("r(%s.%s)", body->name, point->name);
  MbsStatus status = add_named(context, model, "point", number, name, &point->output);
  free(name);
  return status;
}

static const MbsValue *field_of(const MbsRecordType *type, const MbsRecord *record, const char *name) {
  for (int k = 0; k < type->field_count; ++k) {
    if (strcmp(type->fields[k].name, name) == 0) {
      return mbs_record_value(record, k);
    }
  }
  return NULL;
}

// The tension of a spring, as its element says: k (l - L) + c l', or the law as a function of both.
static MbsStatus add_tension(MbsContext *context, MbsModel *model, const MbsRecordType *type, const MbsRecord *record,
                             int number, CliDrawnElement *force) {
  const MbsValue *law = field_of(type, record, "law"), *length = field_of(type, record, "length");
  char text[2000], of[600];
  (void)snprintf(of, sizeof of, "distance(%s, %s)", force->ends[0], force->ends[1]);
  int needed;
  if (law && law->count > 0) {
    char name[60];
    (void)snprintf(name, sizeof name, "mbsens_law_%d(length, rate)", number);
    MBS_TRY(mbs_model_add_function(context, model, name, law->texts[0].text));
    needed = snprintf(text, sizeof text, "mbsens_law_%d(%s, rate(%s))", number, of, of);
  } else {
    needed = snprintf(text, sizeof text, "(%s)*(%s - (%s)) + (%s)*rate(%s)",
                      field_of(type, record, "stiffness")->texts[0].text, of, length->texts[0].text,
                      field_of(type, record, "damping")->texts[0].text, of);
  }
  return needed < (int)sizeof text ? add_named(context, model, "force", number, text, &force->output) : MBS_OK;
}

static MbsStatus add_force(MbsContext *context, MbsModel *model, const MbsRecord *record, int number,
                           CliDrawnElement *force) {
  const MbsRecordType *type = &mbs_force_types[record->type]->record;
  if (strcmp(type->name, "spring") == 0 && force->end_count == 2) {
    return add_tension(context, model, type, record, number, force);
  }
  const MbsValue *axes = field_of(type, record, "axes");
  bool is_global = axes && axes->count > 0 && strcmp(axes->texts[0].text, "global") == 0;
  if (strcmp(type->name, "point_force") == 0 && is_global) {
    const MbsValue *value = field_of(type, record, "value");
    char *text = vector_text(value->texts, 0, value->count);
    MbsStatus status = add_named(context, model, "force", number, text, &force->output);
    free(text);
    return status;
  }
  return MBS_OK;
}

int cli_geometry_add_outputs(MbsContext *context, MbsModel *model, CliGeometry *geometry) {
  const MbsValue *forces = mbs_record_value(&model->root, MBS_MODEL_FORCES);
  MbsStatus status = MBS_OK;
  int number = 0;
  for (int b = 0; b < geometry->body_count; ++b) {
    CliDrawnBody *body = &geometry->bodies[b];
    for (int i = 0; i < body->point_count && status == MBS_OK; ++i) {
      if (b == 0 || (!body->has_frame && (i == body->anchor || i == body->aim))) {
        status = add_point(context, model, body, &body->points[i], number++);
      }
    }
  }
  for (int i = 0; i < geometry->force_count && status == MBS_OK; ++i) {
    status = add_force(context, model, &forces->records[i], i, &geometry->forces[i]);
  }
  return status == MBS_OK ? 0 : cli_fail_library(context, status);
}

static void free_elements(int count, CliDrawnElement *elements) {
  for (int i = 0; i < count; ++i) {
    free(elements[i].output);
  }
  free(elements);
}

void cli_geometry_free(CliGeometry *geometry) {
  for (int b = 0; b < geometry->body_count; ++b) {
    for (int i = 0; i < geometry->bodies[b].point_count; ++i) {
      free(geometry->bodies[b].points[i].output);
    }
    free(geometry->bodies[b].points);
  }
  for (int i = 0; i < geometry->shape_count; ++i) {
    free(geometry->shapes[i].mesh.corners);
    free(geometry->shapes[i].curve);
    free(geometry->shapes[i].to);
  }
  free(geometry->shapes);
  free(geometry->bodies);
  free_elements(geometry->joint_count, geometry->joints);
  free_elements(geometry->force_count, geometry->forces);
  *geometry = (CliGeometry){0};
}
