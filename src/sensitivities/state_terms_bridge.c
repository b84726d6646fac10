// The terms of the public header: what they are made of, and numbers in. See state_terms.h. Double only.
#include "sensitivities/state_terms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "model/blueprint.h"
#include "sensitivities/request.h"

// ---- set-up ----
// Whatever the settings say of steps: an instant of ali3p, which allows for redundant constraints and adds nothing to
// Phiddot = 0. Frames of the bodies are outputs behind those that were asked for.
static MbsStatus make_settings(MbsContext *context, const MbsRequest *request, MbsSettings *settings) {
  *settings = request->settings;
  (void)snprintf(settings->formulation, MBS_NAME_LENGTH, "ali3p");
  (void)snprintf(settings->integrator, MBS_NAME_LENGTH, "trapezoidal");
  settings->is_kinematic = settings->is_stabilised = settings->is_projection_tangent = false;
  settings->accuracy = settings->step_tolerance = settings->beta = settings->gamma = 0;
  settings->spectral_radius = -1;
  settings->projections = 0;
  settings->derivatives = MBS_DERIVATIVES_ANALYTICAL;
  settings->independent[0] = '\0';
  const char *asked = request->settings.columns;
  int length = snprintf(settings->columns, sizeof settings->columns, "%s%sframes", asked, asked[0] ? "," : "");
  return length < (int)sizeof settings->columns
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "the list of columns is too long");
}

// time of its own, a direction, and the parameters that are asked for
static MbsStatus create_simulation(MbsContext *context, const MbsRequest *request, MbsTerms *terms) {
  const MbsSelection *selection = &terms->selection;
  int *columns, count = MBS_COLUMN_PARAMETERS + selection->parameter_count;
  MbsSettings settings;
  MBS_TRY(make_settings(context, request, &settings));
  MBS_TAKE(context, terms->arena, columns, count);
  columns[MBS_COLUMN_SEED] = selection->model_parameter_count + 1;
  columns[MBS_COLUMN_TIME] = selection->model_parameter_count;
  for (int i = 0; i < selection->parameter_count; ++i) {
    columns[MBS_COLUMN_PARAMETERS + i] = selection->parameters[i];
  }
  MBS_TRY(mbs_simulation_create(context, terms->model, &settings, count, columns, terms->all, &terms->simulation));
  terms->system = terms->simulation->system;
  terms->implicit = (MbsImplicit *)terms->simulation->stepper;
  MBS_CHECK(context, terms->simulation->stepper->type == &mbs_implicit_type);
  MBS_CHECK(context, terms->system->blueprint->clock == selection->model_parameter_count);
  terms->n = terms->system->n;
  terms->nq = terms->system->nq;
  terms->m = terms->system->m;
  terms->columns = terms->system->column_count;
  return MBS_OK;
}

// was the frame of a body asked for by name, or among all?
static bool is_asked(const char *columns, const char *name) {
  for (size_t length; (length = mbs_name_next(&columns)) > 0; columns += length) {
    static const char group[] = "frames";
    bool is_group = length == sizeof group - 1 && strncmp(columns, group, length) == 0;
    if (is_group || mbs_column_is_meant(columns, length, name)) {
      return true;
    }
  }
  return false;
}

static MbsStatus create_names(MbsContext *context, const char *columns, MbsTerms *terms) {
  const MbsBlueprint *blueprint = terms->system->blueprint;
  const MbsOutputs *outputs = &terms->simulation->outputs;
  const MbsParameter *inputs = blueprint->parameters.items + blueprint->variable_first + blueprint->input_first;
  MBS_TAKE(context, terms->arena, terms->constraint_names, terms->m);
  MBS_TAKE(context, terms->arena, terms->input_names, blueprint->input_count);
  MBS_TAKE(context, terms->arena, terms->output_names, outputs->count);
  MBS_TAKE(context, terms->arena, terms->output, outputs->count);
  MBS_TAKE(context, terms->arena, terms->inputs, blueprint->input_count);
  MBS_TAKE(context, terms->arena, terms->frame, blueprint->bodies.count);
  for (int i = 0; i < terms->m; ++i) {
    terms->constraint_names[i] = blueprint->rows.items[i].name;
  }
  for (int i = 0; i < blueprint->input_count; ++i) {
    terms->input_names[i] = inputs[i].name;
  }
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    terms->frame[b] = -1;
  }
  for (int i = 0; i < outputs->count; ++i) {
    const MbsOutputSpec *spec = outputs->items[i].spec;
    bool is_frame = spec->group && strcmp(spec->group, "frames") == 0;
    if (!is_frame || is_asked(columns, spec->name)) {
      terms->output_names[terms->output_count] = outputs->items[i].function.name;
      terms->output[terms->output_count++] = i;
    }
  }
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    char name[256];
    (void)snprintf(name, sizeof name, "frame(%s)", blueprint->bodies.items[b].name);
    for (int i = outputs->count - 1; i >= 0; --i) {
      terms->frame[b] = strcmp(outputs->items[i].spec->name, name) == 0 ? i : terms->frame[b];
    }
  }
  return MBS_OK;
}

static MbsStatus create_seeds(MbsContext *context, const MbsTerms *terms, MbsSeeds *seeds) {
  MBS_TAKE(context, terms->arena, seeds->q, terms->nq);
  MBS_TAKE(context, terms->arena, seeds->v, terms->nq);
  MBS_TAKE(context, terms->arena, seeds->a, terms->nq);
  MBS_TAKE(context, terms->arena, seeds->lambda, terms->m);
  MBS_TAKE(context, terms->arena, seeds->columns, terms->columns);
  MBS_TAKE(context, terms->arena, seeds->y, terms->n);
  MBS_TAKE(context, terms->arena, seeds->u, terms->n);
  return MBS_OK;
}

static MbsStatus create_workspace(MbsContext *context, MbsTerms *terms) {
  size_t size = (size_t)(terms->n + terms->m), columns = (size_t)terms->columns;
  size_t functions = (size_t)terms->simulation->outputs.count, longest = size > functions ? size : functions;
  MBS_TRY(mbs_state_create(context, terms->system, &terms->at));
  MBS_TRY(mbs_state_create(context, terms->system, &terms->moved));
  MBS_TRY(mbs_bar_create(context, terms->system, &terms->bar));
  MBS_TAKE(context, terms->arena, terms->bar.gradient, columns);
  MBS_TRY(create_seeds(context, terms, &terms->seeds));
  MBS_TRY(create_seeds(context, terms, &terms->pulled));
  MBS_TAKE(context, terms->arena, terms->direction, terms->nq);
  MBS_TAKE(context, terms->arena, terms->r, size);
  MBS_TAKE(context, terms->arena, terms->rest, size);
  MBS_TAKE(context, terms->arena, terms->R, size * columns);
  MBS_TAKE(context, terms->arena, terms->R_rest, size * columns);
  MBS_TAKE(context, terms->arena, terms->Y, (longest + 3) * columns);
  MBS_TAKE(context, terms->arena, terms->mu, terms->nq);
  MBS_TAKE(context, terms->arena, terms->nu, terms->m);
  for (int i = 0; i < MBS_COUNT(terms->bodies_f); ++i) {
    MBS_TAKE(context, terms->arena, terms->bodies_f[i], terms->system->bodies->nq);
  }
  MBS_TAKE(context, terms->arena, terms->vector, longest + 3);
  MBS_TAKE(context, terms->arena, terms->weights, functions);
  MBS_TAKE(context, terms->arena, terms->right, 2 * size + (size_t)terms->n);
  MBS_TAKE(context, terms->arena, terms->forms, terms->n);
  MBS_TAKE(context, terms->arena, terms->targets, terms->n);
  MBS_TAKE(context, terms->arena, terms->rows, terms->m);
  return MBS_OK;
}

static MbsStatus start(MbsContext *context, MbsTerms *terms);

static MbsStatus create(MbsContext *context, const MbsRequest *request, MbsTerms *terms) {
  MbsSelection *selection = &terms->selection;
  MbsRequest asked = *request;
  MBS_TRY(mbs_model_ask(context, terms->arena, terms->model, &asked.parameter_count, &asked.parameters, &terms->model));
  asked.objectives = NULL;
  asked.objective_count = 0;
  MBS_TRY(mbs_selection_create(context, terms->arena, terms->model, &asked, selection));
  MBS_TAKE(context, terms->arena, terms->all, selection->model_parameter_count);
  MBS_TAKE(context, terms->arena, terms->tried, selection->model_parameter_count);
  for (int i = 0; i < selection->model_parameter_count; ++i) {
    terms->tried[i] = terms->all[i] = selection->nominal[i];
  }
  MBS_TRY(create_simulation(context, &asked, terms));
  MBS_TRY(create_names(context, request->settings.columns, terms));
  MBS_TRY(create_workspace(context, terms));
  MBS_TRY(start(context, terms));
  return mbs_reactions_create(context, terms->simulation, &terms->reactions);
}

MbsStatus mbs_terms_create(MbsContext *context, const MbsModel *model, const MbsRequest *request, MbsTerms **result) {
  MBS_CALL_BEGIN(context, "mbs_terms_create", {"model", model}, {"request", request}, {"terms", result});
  *result = NULL;
  MBS_TRY(mbs_request_check(context, request));
  MbsArena *arena = mbs_arena_create_for(context);
  MbsTerms *terms = arena ? mbs_arena_take(arena, 1, sizeof *terms) : NULL;
  if (!terms) {
    mbs_arena_destroy(arena);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  terms->arena = arena;
  terms->model = model;
  MbsStatus status = mbs_call_end(context, create(context, request, terms));
  if (status != MBS_OK) {
    mbs_terms_destroy(terms);
    return status;
  }
  *result = terms;
  return MBS_OK;
}

void mbs_terms_destroy(MbsTerms *terms) {
  if (terms) {
    mbs_independent_set_destroy(terms->set);
    mbs_simulation_destroy(terms->simulation);
    mbs_arena_destroy(terms->arena);
  }
}

// ---- sizes and names ----
int mbs_terms_size(const MbsTerms *terms, MbsTermsVector of) {
  if (!terms) {
    return -1;
  }
  switch (of) {
    case MBS_TERMS_PHI:
    case MBS_TERMS_PHIDOT:
    case MBS_TERMS_PHIDDOT:
    case MBS_TERMS_CONSTRAINT_RATES:
    case MBS_TERMS_MULTIPLIERS:
    case MBS_TERMS_PHI_T:
    case MBS_TERMS_GAMMA: return terms->m;
    case MBS_TERMS_POINT: return terms->system->dimension;
    case MBS_TERMS_OUTPUTS: return terms->output_count;
    case MBS_TERMS_INDEPENDENT_ACCELERATIONS:
    case MBS_TERMS_INDEPENDENT_VELOCITIES: return terms->freedoms[1].count;
    case MBS_TERMS_BALANCE:
    case MBS_TERMS_CONSTRAINT_FORCES:
    case MBS_TERMS_ACCELERATIONS:
    case MBS_TERMS_POSITIONS:
    case MBS_TERMS_VELOCITIES:
    case MBS_TERMS_FORCES:
    case MBS_TERMS_BIAS: return terms->n;
  }
  return -1;
}

int mbs_terms_width(const MbsTerms *terms, MbsTermsArgument by) {
  if (!terms) {
    return -1;
  }
  switch (by) {
    case MBS_BY_POSITIONS:
    case MBS_BY_VELOCITIES:
    case MBS_BY_ACCELERATIONS: return terms->n;
    case MBS_BY_MULTIPLIERS: return terms->m;
    case MBS_BY_PARAMETERS: return terms->selection.parameter_count;
    case MBS_BY_INPUTS: return terms->system->blueprint->input_count;
    case MBS_BY_TIME: return 1;
    case MBS_BY_INDEPENDENT_POSITIONS: return terms->freedoms[0].count;
    case MBS_BY_INDEPENDENT_VELOCITIES: return terms->freedoms[1].count;
  }
  return -1;
}

const char *const *mbs_terms_coordinate_names(const MbsTerms *terms) {
  return terms ? terms->system->coordinate_names : NULL;
}

const char *const *mbs_terms_constraint_names(const MbsTerms *terms) { return terms ? terms->constraint_names : NULL; }

const char *const *mbs_terms_parameter_names(const MbsTerms *terms) {
  return terms ? terms->selection.parameter_names : NULL;
}

const char *const *mbs_terms_input_names(const MbsTerms *terms) { return terms ? terms->input_names : NULL; }
const char *const *mbs_terms_output_names(const MbsTerms *terms) { return terms ? terms->output_names : NULL; }

const char *const *mbs_terms_independent_position_names(const MbsTerms *terms) {
  return terms ? terms->freedoms[0].names : NULL;
}

const char *const *mbs_terms_independent_velocity_names(const MbsTerms *terms) {
  return terms ? terms->freedoms[1].names : NULL;
}

int mbs_terms_reaction_count(const MbsTerms *terms) { return terms ? terms->reactions.count : 0; }
const char *const *mbs_terms_reaction_names(const MbsTerms *terms) { return terms ? terms->reactions.joints : NULL; }

// ---- checks ----
MbsStatus mbs_state_terms_need(MbsContext *context, const MbsTerms *terms) {
  return terms->has_state ? MBS_OK
                          : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                                     "the terms have no state, since parameters were set or a call failed: call "
                                     "mbs_terms_set_state or mbs_terms_start first");
}

MbsStatus mbs_state_terms_check_count(MbsContext *context, const char *what, int count, int expected) {
  return count == expected
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                        "the terms have %d %s here, and room or numbers are given for %d", expected, what, count);
}

MbsStatus mbs_state_terms_check_finite(MbsContext *context, const char *what, int count, const double *numbers) {
  for (int i = 0; i < count; ++i) {
    if (!isfinite(numbers[i])) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "number %d of the %s must be finite, got %g", i + 1, what,
                      numbers[i]);
    }
  }
  return MBS_OK;
}

MbsStatus mbs_state_terms_check_result(MbsContext *context, const MbsTerms *terms, int count, const double *numbers) {
  for (int i = 0; i < count; ++i) {
    if (!isfinite(numbers[i])) {
      MBS_TRY(mbs_simulation_check_tables(context, terms->simulation));
      return mbs_newton_not_finite(context, terms->system, &terms->simulation->state, false);
    }
  }
  return MBS_OK;
}

// ---- numbers in ----
static void forget(MbsTerms *terms) {
  terms->has_state = terms->is_solved = terms->is_given = terms->is_factored = false;
}

static void copy_positions(const MbsTerms *terms, MbsState *to) {
  const MbsState *from = &terms->simulation->state;
  to->t = from->t;
  memcpy(to->q, from->q, (size_t)terms->nq * sizeof *to->q);
  memcpy(to->v, from->v, (size_t)terms->nq * sizeof *to->v);
  memcpy(to->a, from->a, (size_t)terms->nq * sizeof *to->a);
}

static MbsStatus start(MbsContext *context, MbsTerms *terms) {
  forget(terms);
  terms->has_inputs = false;
  MBS_TRY(mbs_simulation_start(context, terms->simulation));
  copy_positions(terms, &terms->at);
  if (!terms->set) {
    MBS_TRY(mbs_state_terms_choose(context, terms));
  }
  terms->has_state = true;
  return MBS_OK;
}

MbsStatus mbs_terms_start(MbsContext *context, MbsTerms *terms) {
  MBS_CALL_BEGIN(context, "mbs_terms_start", {"terms", terms});
  mbs_simulation_tell(terms->simulation, context);
  return mbs_call_end(context, start(context, terms));
}

static MbsStatus check_number(MbsContext *context, const char *what, const char *name, double value) {
  return isfinite(value) ? MBS_OK
                         : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s \"%s\" must be a finite number, got %g",
                                    what, name, value);
}

static void use_inputs(const MbsTerms *terms) {
  const MbsBlueprint *blueprint = terms->system->blueprint;
  double *hidden = terms->simulation->events.hidden;
  mbs_events_read_hidden(terms->simulation, hidden);
  memcpy(hidden + blueprint->input_first, terms->inputs, (size_t)blueprint->input_count * sizeof *hidden);
  mbs_system_set_hidden(terms->system, hidden);
}

static MbsStatus set_parameters(MbsContext *context, MbsTerms *terms) {
  MbsSelection *selection = &terms->selection;
  size_t bytes = (size_t)selection->model_parameter_count * sizeof(double);
  mbs_simulation_tell(terms->simulation, context);
  mbs_simulation_set_parameters(terms->simulation, terms->tried);
  MbsStatus status = mbs_simulation_check_parameters(context, terms->simulation);
  if (status != MBS_OK) {
    mbs_simulation_set_parameters(terms->simulation, terms->all);
    memcpy(terms->tried, terms->all, bytes);
  }
  memcpy(terms->all, terms->tried, bytes);
  mbs_events_begin(terms->simulation);
  if (terms->has_inputs) {
    use_inputs(terms);
  }
  forget(terms);
  return status;
}

MbsStatus mbs_terms_set_parameters(MbsContext *context, MbsTerms *terms, int count, const double *values) {
  MBS_CALL_BEGIN(context, "mbs_terms_set_parameters", {"terms", terms}, {"values", values});
  const MbsSelection *selection = &terms->selection;
  MBS_TRY(mbs_state_terms_check_count(context, "parameters", count, selection->parameter_count));
  for (int i = 0; i < count; ++i) {
    MBS_TRY(check_number(context, "parameter", selection->parameter_names[i], values[i]));
  }
  for (int i = 0; i < count; ++i) {
    terms->tried[selection->parameters[i]] = values[i];
  }
  return mbs_call_end(context, set_parameters(context, terms));
}

MbsStatus mbs_terms_set_inputs(MbsContext *context, MbsTerms *terms, int count, const double *values) {
  MBS_CALL_BEGIN(context, "mbs_terms_set_inputs", {"terms", terms}, {"values", values});
  MBS_TRY(mbs_state_terms_check_count(context, "inputs", count, terms->system->blueprint->input_count));
  for (int i = 0; i < count; ++i) {
    MBS_TRY(check_number(context, "input", terms->input_names[i], values[i]));
  }
  memcpy(terms->inputs, values, (size_t)count * sizeof *values);
  terms->has_inputs = true;
  use_inputs(terms);
  forget(terms);
  return MBS_OK;
}

MbsStatus mbs_state_terms_set(MbsContext *context, MbsTerms *terms, double t, const double *position,
                              const double *velocity) {
  MbsSimulation *simulation = terms->simulation;
  MbsState *state = &simulation->state;
  forget(terms);
  mbs_tables_forget_left(terms->system);
  state->t = t;
  for (int i = 0; i < terms->n; ++i) {
    state->q[i] = position[i];
    state->v[i] = velocity[i];
    state->a[i] = 0;
  }
  for (int i = 0; i < terms->m; ++i) {
    state->lambda[i] = state->sigma[i] = state->kappa[i] = state->total[i] = 0;
  }
  mbs_state_place_fixed(terms->system, state);
  if (simulation->events.do_branches_prescribe) {
    MBS_TRY(mbs_events_settle(context, simulation, MBS_KNOWN_POSITIONS));
  }
  mbs_signal_bank_accept(terms->system, state, false);
  MBS_TRY(mbs_events_settle(context, simulation, MBS_KNOWN_VELOCITIES));
  copy_positions(terms, &terms->at);
  terms->has_state = true;
  return MBS_OK;
}

MbsStatus mbs_terms_set_state(MbsContext *context, MbsTerms *terms, double t, int count, const double *position,
                              const double *velocity) {
  MBS_CALL_BEGIN(context, "mbs_terms_set_state", {"terms", terms}, {"position", position}, {"velocity", velocity});
  MBS_TRY(mbs_state_terms_check_count(context, "coordinates", count, terms->n));
  MBS_TRY(check_number(context, "the time", "t", t));
  for (int i = 0; i < count; ++i) {
    const char *name = terms->system->coordinate_names[i];
    MBS_TRY(check_number(context, "the position of", name, position[i]));
    MBS_TRY(check_number(context, "the velocity of", name, velocity[i]));
  }
  mbs_simulation_tell(terms->simulation, context);
  return mbs_call_end(context, mbs_state_terms_set(context, terms, t, position, velocity));
}

MbsStatus mbs_terms_state(MbsContext *context, const MbsTerms *terms, double *t, int count, double *position,
                          double *velocity) {
  MBS_CALL_BEGIN(context, "mbs_terms_state", {"terms", terms});
  MBS_TRY(mbs_state_terms_need(context, terms));
  MBS_TRY(mbs_state_terms_check_count(context, "coordinates", count, terms->n));
  if (t) {
    *t = terms->at.t;
  }
  for (int i = 0; i < count && position; ++i) {
    position[i] = terms->at.q[i];
  }
  for (int i = 0; i < count && velocity; ++i) {
    velocity[i] = terms->at.v[i];
  }
  return MBS_OK;
}

MbsStatus mbs_terms_set_accelerations(MbsContext *context, MbsTerms *terms, int count, const double *accelerations,
                                      int multiplier_count, const double *multipliers) {
  MBS_CALL_BEGIN(context, "mbs_terms_set_accelerations", {"terms", terms});
  MBS_TRY(mbs_state_terms_need(context, terms));
  if (accelerations) {
    MBS_TRY(mbs_state_terms_check_count(context, "accelerations", count, terms->n));
    MBS_TRY(mbs_state_terms_check_finite(context, "accelerations", count, accelerations));
  }
  if (multipliers) {
    MBS_TRY(mbs_state_terms_check_count(context, "multipliers", multiplier_count, terms->m));
    MBS_TRY(mbs_state_terms_check_finite(context, "multipliers", multiplier_count, multipliers));
  }
  for (int i = 0; i < terms->n; ++i) {
    terms->at.a[i] = accelerations ? accelerations[i] : 0;
  }
  for (int i = 0; i < terms->m; ++i) {
    terms->at.lambda[i] = terms->at.total[i] = multipliers ? multipliers[i] : 0;
  }
  terms->is_given = true;
  return MBS_OK;
}

MbsStatus mbs_terms_use_motion(MbsContext *context, MbsTerms *terms) {
  MBS_CALL_BEGIN(context, "mbs_terms_use_motion", {"terms", terms});
  terms->is_given = false;
  return MBS_OK;
}

MbsStatus mbs_terms_set_direction(MbsContext *context, MbsTerms *terms, int count, const double *direction) {
  MBS_CALL_BEGIN(context, "mbs_terms_set_direction", {"terms", terms}, {"direction", direction});
  MBS_TRY(mbs_state_terms_check_count(context, "coordinates", count, terms->n));
  MBS_TRY(mbs_state_terms_check_finite(context, "direction", count, direction));
  memcpy(terms->direction, direction, (size_t)count * sizeof *direction);
  return MBS_OK;
}

// whose frame has axes
static bool has_axes(const MbsTerms *terms, int body) {
  return terms->system->blueprint->bodies.items[body].kind == MBS_BODY_RIGID;
}

MbsStatus mbs_terms_set_point(MbsContext *context, MbsTerms *terms, const char *name, int count, const double *local) {
  MBS_CALL_BEGIN(context, "mbs_terms_set_point", {"terms", terms}, {"body", name}, {"local", local});
  const MbsBlueprint *blueprint = terms->system->blueprint;
  const char *nearest = NULL;
  int body = -1;
  bool is_origin = true;
  MBS_TRY(mbs_state_terms_check_count(context, "components of a point", count, blueprint->dimension));
  MBS_TRY(mbs_state_terms_check_finite(context, "point", count, local));
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    body = strcmp(blueprint->bodies.items[b].name, name) == 0 ? b : body;
    mbs_name_nearest(name, blueprint->bodies.items[b].name, &nearest);
  }
  if (body < 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "no body \"%s\" in %s%s%s%s", name, terms->model->file,
                    nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
  }
  for (int k = 0; k < count; ++k) {
    is_origin = is_origin && !(local[k] < 0 || local[k] > 0);
  }
  if (!is_origin && !has_axes(terms, body)) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "body \"%s\" has no axes, being a point mass or a thin rod in space: of its points the model's own "
                    "are among the outputs, with settings.columns \"points\"",
                    name);
  }
  terms->body = body;
  for (int k = 0; k < 3; ++k) {
    terms->local[k] = k < count ? local[k] : 0;
  }
  return MBS_OK;
}

MbsStatus mbs_terms_choose_independent(MbsContext *context, MbsTerms *terms) {
  MBS_CALL_BEGIN(context, "mbs_terms_choose_independent", {"terms", terms});
  MBS_TRY(mbs_state_terms_need(context, terms));
  mbs_simulation_tell(terms->simulation, context);
  return mbs_call_end(context, mbs_state_terms_choose(context, terms));
}

// ---- the motion ----
MbsStatus mbs_state_terms_solve(MbsContext *context, MbsTerms *terms) {
  MbsSimulation *simulation = terms->simulation;
  MbsState *state = &simulation->state;
  int rounds = terms->system->blueprint->branches.count + 2;
  for (int round = 0; round <= rounds && !terms->is_solved; ++round) {
    for (int i = 0; i < terms->n; ++i) {
      state->a[i] = 0;
    }
    for (int i = 0; i < terms->m; ++i) {
      state->lambda[i] = 0;
      if (terms->implicit->has_redundancy) {
        terms->implicit->at->lambda[i] = 0;
      }
    }
    MbsStatus status = mbs_implicit_solve_instant(context, terms->implicit, state);
    if (status != MBS_OK) {
      return mbs_simulation_diagnose(context, simulation, status);
    }
    mbs_signal_bank_evaluate(terms->system, state);
    terms->is_solved = terms->system->blueprint->branches.count == 0 ||
                       !mbs_events_settle_once(simulation, NULL, MBS_KNOWN_ACCELERATIONS);
  }
  return terms->is_solved ? MBS_OK : mbs_events_never_settle(context, simulation);
}

MbsStatus mbs_state_terms_complete(MbsContext *context, MbsTerms *terms) {
  if (!terms->is_given) {
    const MbsState *state = &terms->simulation->state;
    MBS_TRY(mbs_state_terms_solve(context, terms));
    memcpy(terms->at.a, state->a, (size_t)terms->nq * sizeof *state->a);
    memcpy(terms->at.lambda, state->lambda, (size_t)terms->m * sizeof *state->lambda);
    memcpy(terms->at.total, state->total, (size_t)terms->m * sizeof *state->total);
  }
  return MBS_OK;
}
