// A linearisation as the public header has it: the point (linear_point.h), its modes (modes.h), and for each parameter
// the point again with a complex step in it, which gives the whole dA/dp: of the equations, and of the state that moves
// with the parameter.
#include <float.h>
#include <math.h>
#include <mbsens/linearize.h>
#include <stdio.h>
#include <string.h>

#include "algebra/eigenvalues.h"
#include "base/names.h"
#include "linearization/linear_point.h"
#include "linearization/modes.h"
#include "sensitivities/request.h"
#include "sensitivities/selection.h"

typedef struct Linearization {
  MbsLinearization result;  // first: mbs_linearization_destroy is given this
  MbsArena *arena;
  const MbsModel *model;
  const MbsRequest *request;
  const MbsLinearizeDef *def;
  MbsSelection selection;
  int given_count;     // inputs that are parameters,
  int *given;          // by index,
  int *input_columns;  // and where each input is in the point's B
  MbsModes modes;
} Linearization;

MbsLinearizeDef mbs_default_linearize_def(void) { return (MbsLinearizeDef){.has_gradients = true}; }

// ---- what is asked for ----
static MbsStatus choose_inputs(MbsContext *context, Linearization *own) {
  const MbsValue *inputs = mbs_record_value(&own->model->root, MBS_MODEL_INPUTS);
  const MbsLinearizeDef *def = own->def;
  MbsLinearization *result = &own->result;
  int count = def->inputs ? def->input_count : inputs->count, parameters = 0;
  const char **names, **asked;
  MBS_TAKE(context, own->arena, names, count);
  MBS_TAKE(context, own->arena, asked, count);
  MBS_TAKE(context, own->arena, own->input_columns, count);
  for (int i = 0; i < count; ++i) {
    names[i] = mbs_arena_copy_text(own->arena, def->inputs ? def->inputs[i] : inputs->records[i].name.text);
    own->input_columns[i] = -1;
    for (int k = 0; k < inputs->count; ++k) {
      if (strcmp(names[i], inputs->records[k].name.text) == 0) {
        own->input_columns[i] = k;
      }
    }
    if (own->input_columns[i] < 0) {
      own->input_columns[i] = inputs->count + parameters;
      asked[parameters++] = names[i];
    }
  }
  MbsSelection chosen = {0};
  if (parameters > 0) {
    const MbsRequest request = {.parameter_count = parameters, .parameters = asked};
    MBS_TRY(mbs_selection_create(context, own->arena, own->model, &request, &chosen));
    MBS_CHECK(context, chosen.parameter_count == parameters);
  }
  own->given_count = parameters;
  own->given = chosen.parameters;
  result->input_count = count;
  result->inputs = names;
  return MBS_OK;
}

static MbsStatus check_time(MbsContext *context, double time) {
  return isfinite(time) && time >= 0
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                        "the time to linearise at must be 0, for the start, or later, got %.10g", time);
}

static MbsLinearRequest request_of(const Linearization *own) {
  return (MbsLinearRequest){.settings = own->request->settings,
                            .time = own->def->time,
                            .column_count = own->given_count,
                            .columns = own->given,
                            .perturbed = -1};
}

// ---- what it is ----
static MbsStatus name_outputs(MbsContext *context, Linearization *own, const MbsLinearPoint *point) {
  const MbsOutputs *outputs = &point->simulation->outputs;
  const char **names;
  MBS_TAKE(context, own->arena, names, outputs->count);
  for (int k = 0; k < outputs->count; ++k) {
    names[k] = mbs_arena_copy_text(own->arena, outputs->items[k].function.name);
  }
  own->result.output_count = outputs->count;
  own->result.outputs = names;
  return MBS_OK;
}

static MbsStatus name_bodies(MbsContext *context, Linearization *own, const MbsLinearPoint *point) {
  const MbsBlueprint *blueprint = point->simulation->system->blueprint;
  const MbsSystem *system = point->simulation->system;
  const char **bodies, **points;
  double *positions;
  int d = system->dimension;
  mbs_scalar r[3], v[3], a[3];
  MBS_TAKE(context, own->arena, bodies, blueprint->masses.count);
  MBS_TAKE(context, own->arena, points, system->point_count);
  MBS_TAKE(context, own->arena, positions, system->point_count * d);
  for (int i = 0; i < blueprint->masses.count; ++i) {
    const MbsMassSpec *spec = &blueprint->masses.items[i];
    const char *name = spec->body != MBS_NOBODY ? blueprint->bodies.items[spec->body].name : NULL;
    for (int k = 0; k < blueprint->user_coordinates.count && !name; ++k) {
      name = blueprint->user_coordinates.items[k].entity == spec->entities[0]
                 ? blueprint->user_coordinates.items[k].name
                 : NULL;
    }
    bodies[i] = mbs_arena_copy_text(own->arena, name ? name : "");
  }
  for (int i = 0; i < system->point_count; ++i) {
    points[i] = mbs_arena_copy_text(own->arena, system->points[i].name);
    mbs_system_point(system, i, &point->simulation->state, r, v, a);
    for (int k = 0; k < d; ++k) {
      positions[i * d + k] = mbs_re(r[k]);
    }
  }
  own->result.body_count = blueprint->masses.count;
  own->result.bodies = bodies;
  own->result.dimension = d;
  own->result.point_count = system->point_count;
  own->result.points = points;
  own->result.point_positions = positions;
  return MBS_OK;
}

static MbsStatus take_columns(MbsContext *context, const Linearization *own, int rows, int stride, const double *from,
                              const double **to) {
  int count = own->result.input_count;
  double *columns;
  MBS_TAKE(context, own->arena, columns, rows * count);
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < count; ++k) {
      columns[i * count + k] = from[i * stride + own->input_columns[k]];
    }
  }
  *to = columns;
  return MBS_OK;
}

static MbsStatus take_space(MbsContext *context, Linearization *own, const MbsStateSpace *space) {
  MbsLinearization *result = &own->result;
  result->time = space->time;
  result->size = space->size;
  result->position_count = space->position_count;
  result->velocity_count = space->velocity_count;
  result->state_count = space->state_count;
  result->states = space->names;
  result->x = space->x;
  result->y = space->y;
  result->is_automatic = space->is_automatic;
  result->is_moving = space->motion > 1e-9;
  result->A = space->A;
  result->C = space->C;
  MBS_TRY(take_columns(context, own, space->size, space->input_count, space->B, &result->B));
  return take_columns(context, own, space->output_count, space->input_count, space->D, &result->D);
}

// ---- modes ----
// participation and motion of each, at the point
static MbsStatus move_bodies(MbsContext *context, Linearization *own, MbsLinearPoint *point, int k,
                             MbsEigenmode *mode) {
  const MbsLinearization *result = &own->result;
  int n = result->size, bodies = result->body_count, numbers = result->point_count * result->dimension;
  double *share, *motion, *part, *energy, *displacement, total = 0;
  MBS_TAKE(context, own->arena, share, bodies);
  MBS_TAKE(context, own->arena, motion, 2 * numbers);
  MBS_TAKE(context, own->arena, part, n);
  MBS_TAKE(context, own->arena, energy, bodies);
  MBS_TAKE(context, own->arena, displacement, numbers);
  for (int imaginary = 0; imaginary < 2; ++imaginary) {
    for (int i = 0; i < n; ++i) {
      double _Complex x = own->modes.right[(size_t)k * (size_t)n + (size_t)i];
      part[i] = imaginary ? cimag(x) : creal(x);
    }
    mbs_linear_point_move(point, part, displacement, energy);
    for (int i = 0; i < bodies; ++i) {
      share[i] += energy[i];
      total += energy[i];
    }
    for (int i = 0; i < numbers; ++i) {
      motion[2 * i + imaginary] = displacement[i];
    }
  }
  for (int i = 0; i < bodies; ++i) {
    share[i] = total > 0 ? share[i] / total : 0;
  }
  mode->participation = share;
  mode->motion = motion;
  return MBS_OK;
}

static MbsStatus take_modes(MbsContext *context, Linearization *own, MbsLinearPoint *point) {
  MbsLinearization *result = &own->result;
  int n = result->size;
  MbsEigenmode *modes;
  MBS_TRY(mbs_modes_create(context, own->arena, n, result->position_count, result->A, &own->modes));
  MBS_TAKE(context, own->arena, modes, n);
  for (int k = 0; k < n; ++k) {
    double re = creal(own->modes.value[k]), im = cimag(own->modes.value[k]), size = hypot(re, im);
    double *shape;
    MBS_TAKE(context, own->arena, shape, 2 * n);
    for (int i = 0; i < n; ++i) {
      shape[2 * i] = creal(own->modes.right[k * n + i]);
      shape[2 * i + 1] = cimag(own->modes.right[k * n + i]);
    }
    modes[k] = (MbsEigenmode){.real = re,
                              .imag = im,
                              .frequency = size / (2 * acos(-1.0)),
                              .damping = size > 0 ? -re / size : 0,
                              .repeated = own->modes.repeated[k],
                              .is_defective = own->modes.is_defective[k],
                              .shape = shape};
    MBS_TRY(move_bodies(context, own, point, k, &modes[k]));
  }
  result->mode_count = n;
  result->mode = modes;
  return MBS_OK;
}

// ---- derivatives by the parameters ----
static MbsStatus differentiate(MbsContext *context, Linearization *own, const MbsPath *path) {
  MbsLinearization *result = &own->result;
  int n = result->size, count = own->selection.parameter_count;
  size_t square = (size_t)n * (size_t)n, parameters = (size_t)count;
  MbsEigenmode *modes = (MbsEigenmode *)result->mode;
  double *dA, *values, *shapes, *gradient, *shape_gradient;
  MBS_TAKE(context, own->arena, dA, parameters * square);
  MBS_TAKE(context, own->arena, values, 2 * n);
  MBS_TAKE(context, own->arena, shapes, 2 * square);
  MBS_TAKE(context, own->arena, gradient, 2 * parameters * (size_t)n);
  MBS_TAKE(context, own->arena, shape_gradient, 2 * parameters * square);
  for (int p = 0; p < count; ++p) {
    MbsLinearRequest request = request_of(own);
    MbsStateSpace moved;
    MbsArena *scratch = mbs_arena_create_for(context);
    if (!scratch) {
      return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
    request.perturbed = own->selection.parameters[p];
    request.followed = path;
    MbsStatus status = mbs_complex_state_space(context, scratch, own->model, &request, &moved, NULL);
    if (status == MBS_OK) {
      for (size_t i = 0; i < square; ++i) {
        dA[(size_t)p * square + i] = moved.A[i];
      }
      status = mbs_modes_differentiate(context, scratch, &own->modes, moved.A, values, shapes);
    }
    mbs_arena_destroy(scratch);
    MBS_TRY(status);
    for (int k = 0; k < n; ++k) {
      double *own_gradient = gradient + (size_t)k * 2 * parameters;
      double *own_shapes = shape_gradient + (size_t)k * 2 * parameters * (size_t)n;
      own_gradient[2 * p] = values[2 * k];
      own_gradient[2 * p + 1] = values[2 * k + 1];
      for (int i = 0; i < 2 * n; ++i) {
        own_shapes[2 * p * n + i] = shapes[2 * k * n + i];
      }
    }
    if (context->keep_going && !context->keep_going(context->user, (double)(p + 1) / count)) {
      return mbs_fail(context, MBS_ERROR_INTERRUPTED, mbs_nowhere,
                      "stopped before the derivative by parameter %d of %d", p + 2, count);
    }
  }
  for (int k = 0; k < n && count > 0; ++k) {
    modes[k].gradient = modes[k].is_defective ? NULL : gradient + (size_t)k * 2 * parameters;
    modes[k].shape_gradient =
        modes[k].is_defective || modes[k].repeated > 1 ? NULL : shape_gradient + (size_t)k * 2 * parameters * (size_t)n;
  }
  result->A_gradient = dA;
  return MBS_OK;
}

// ---- warnings ----
static MbsStatus warn(MbsContext *context, Linearization *own, const MbsStateSpace *space) {
  enum { MOST = 3, LENGTH = 400 };
  MbsLinearization *result = &own->result;
  const char **warnings;
  int defective = 0;
  MBS_TAKE(context, own->arena, warnings, MOST);
  char text[LENGTH];
  if (space->imbalance > 1e-6) {
    (void)snprintf(
        text, sizeof text,
        "the state at t = %.6g is no equilibrium and no steady motion: accelerations up to %.3g; eigenvalues "
        "tell of the motion near it for a short time only",
        space->time, space->imbalance);
    warnings[result->warning_count++] = mbs_arena_copy_text(own->arena, text);
  }
  if (result->is_moving && space->is_automatic && strcmp(own->request->settings.coordinates, "relative") != 0) {
    warnings[result->warning_count++] = mbs_arena_copy_text(
        own->arena,
        "the mechanism moves, and eigenvalues of a motion belong to its coordinates: these were chosen among "
        "components "
        "of points and directions; name angles and distances (initial: independent), or take relative coordinates");
  }
  for (int k = 0; k < result->mode_count; ++k) {
    defective += result->mode[k].is_defective;
  }
  if (defective > 0) {
    (void)snprintf(text, sizeof text,
                   "%d eigenvalues are defective, with fewer shapes than they are repeated (a free motion is such: 0, "
                   "twice): they have no derivatives",
                   defective);
    warnings[result->warning_count++] = mbs_arena_copy_text(own->arena, text);
  }
  result->warnings = warnings;
  return MBS_OK;
}

// ---- all of it ----
static MbsStatus linearize_at(MbsContext *context, Linearization *own, MbsLinearPoint *point) {
  MbsStateSpace space;
  MbsPath path = {0};
  MBS_TRY(mbs_linear_point_matrices(context, own->arena, point, false, &space));
  MBS_TRY(take_space(context, own, &space));
  MBS_TRY(name_outputs(context, own, point));
  MBS_TRY(name_bodies(context, own, point));
  MBS_TRY(take_modes(context, own, point));
  if (own->def->has_gradients) {
    MBS_TRY(mbs_linear_point_path(context, own->arena, point, &path));
    MBS_TRY(differentiate(context, own, &path));
  }
  return warn(context, own, &space);
}

static MbsStatus linearize(MbsContext *context, Linearization *own, MbsRequest *asked) {
  MbsLinearization *result = &own->result;
  MbsLinearPoint *point;
  double *values;
  MBS_TRY(check_time(context, own->def->time));
  MBS_TRY(mbs_model_ask(context, own->arena, own->model, &asked->parameter_count, &asked->parameters, &own->model));
  own->request = asked;
  if (own->def->has_gradients) {
    MBS_TRY(mbs_selection_create(context, own->arena, own->model, asked, &own->selection));
  }
  MBS_TRY(choose_inputs(context, own));
  result->model = mbs_arena_copy_text(own->arena, mbs_record_text(&own->model->root, MBS_MODEL_NAME).text);
  result->parameter_count = own->selection.parameter_count;
  result->parameters = own->selection.parameter_names;
  MBS_TAKE(context, own->arena, values, result->parameter_count);
  for (int i = 0; i < result->parameter_count; ++i) {
    values[i] = own->selection.parameter_values[i];
  }
  result->parameter_values = values;
  const MbsLinearRequest request = request_of(own);
  MBS_TRY(mbs_linear_point_create(context, own->model, &request, &point));
  MbsStatus status = linearize_at(context, own, point);
  mbs_linear_point_destroy(point);
  return status;
}

MbsStatus mbs_linearize(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                        const MbsLinearizeDef *def, MbsLinearization **linearization) {
  MBS_CALL_BEGIN(context, "mbs_linearize", {"model", model}, {"request", request}, {"def", def},
                 {"linearization", linearization});
  *linearization = NULL;
  MBS_TRY(mbs_request_check(context, request));
  MbsArena *arena = mbs_arena_create_for(context);
  Linearization *own = arena ? mbs_arena_take(arena, 1, sizeof *own) : NULL;
  if (!own) {
    mbs_arena_destroy(arena);
    return mbs_call_end(context, mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory"));
  }
  MbsRequest asked = *request;
  own->arena = arena;
  own->model = model;
  own->def = def;
  MbsStatus status = mbs_call_end(context, linearize(context, own, &asked));
  if (status != MBS_OK) {
    mbs_arena_destroy(arena);
    return status;
  }
  *linearization = &own->result;
  return MBS_OK;
}

void mbs_linearization_destroy(MbsLinearization *linearization) {
  if (linearization) {
    mbs_arena_destroy(((Linearization *)(void *)linearization)->arena);
  }
}

// ---- frequency responses ----
// G = C (i w - A)^-1 B + D at one frequency
static MbsStatus respond(MbsContext *context, MbsArena *scratch, const MbsLinearization *of, double frequency,
                         double *response) {
  int n = of->size, inputs = of->input_count;
  double _Complex *K, *X;
  bool is_singular;
  MBS_TAKE(context, scratch, K, n * n);
  MBS_TAKE(context, scratch, X, n * inputs);
  for (int i = 0; i < n * n; ++i) {
    double parts[2] = {-of->A[i], i % (n + 1) == 0 ? frequency : 0};
    K[i] = *(double _Complex *)parts;
  }
  for (int i = 0; i < n * inputs; ++i) {
    X[i] = of->B[i];
  }
  MBS_TRY(mbs_complex_solve(context, scratch, n, K, inputs, X, &is_singular));
  for (int k = 0; k < of->output_count; ++k) {
    for (int u = 0; u < inputs; ++u) {
      double _Complex sum = of->D[k * inputs + u];
      for (int i = 0; i < n; ++i) {
        sum += of->C[k * n + i] * X[i * inputs + u];
      }
      is_singular = is_singular || !isfinite(cabs(sum));
      response[2 * (k * inputs + u)] = creal(sum);
      response[2 * (k * inputs + u) + 1] = cimag(sum);
    }
  }
  return !is_singular ? MBS_OK
                      : mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                                 "there is no response at %.10g rad/s: an eigenvalue lies there on the imaginary axis",
                                 frequency);
}

MbsStatus mbs_linearization_response(MbsContext *context, const MbsLinearization *linearization, int count,
                                     const double *frequencies, double *response) {
  MBS_CALL_BEGIN(context, "mbs_linearization_response", {"linearization", linearization}, {"frequencies", frequencies},
                 {"response", response});
  int numbers = 2 * linearization->output_count * linearization->input_count;
  for (int i = 0; i < count; ++i) {
    MbsArena *scratch = mbs_arena_create_for(context);
    MbsStatus status = !scratch ? mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory")
                       : isfinite(frequencies[i])
                           ? respond(context, scratch, linearization, frequencies[i], response + i * numbers)
                           : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                                      "frequency %d of %d is not a finite number", i + 1, count);
    mbs_arena_destroy(scratch);
    MBS_TRY(status);
  }
  return mbs_call_end(context, MBS_OK);
}
