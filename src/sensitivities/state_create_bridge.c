// The terms of the public header: what they are made of, their sizes and names. See state_terms.h. Double only.
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "model/blueprint.h"
#include "sensitivities/request.h"
#include "sensitivities/state_terms.h"

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
  MBS_TRY(mbs_state_terms_start(context, terms));
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
