// The `simulation` section of a model as settings.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expressions/parse.h"
#include "integrators/integrator.h"
#include "integrators/projection.h"
#include "simulation/simulation.h"

typedef struct Names {
  const MbsModel *model;
  MbsGraph *graph;
  bool may_be_parameters;  // then they are found, and nothing is said
  bool are_found;
} Names;

static MbsStatus no_names(void *user, MbsContext *context, MbsPlace place, const char *name, MbsExpression *value) {
  Names *names = user;
  const MbsValue *parameters = mbs_record_value(&names->model->root, MBS_MODEL_PARAMETERS);
  bool is_parameter = false;
  for (int i = 0; i < parameters->count; ++i) {
    is_parameter |= strcmp(parameters->records[i].name.text, name) == 0;
  }
  if (!is_parameter && mbs_unit_find(names->graph, name, value)) {
    return MBS_OK;
  }
  if (names->may_be_parameters) {
    names->are_found = true;
    return MBS_ERROR_INPUT;  // no message
  }
  return mbs_fail(
      context, MBS_ERROR_INPUT, place,
      "simulation: \"%s\" cannot be used here: but for the end the settings are constants, not functions of "
      "parameters",
      name);
}

static MbsStatus no_calls(void *user, MbsContext *context, MbsPlace place, const char *function, int count,
                          const char *const *arguments, MbsExpression *value) {
  (void)count;
  (void)arguments;
  return no_names(user, context, place, function, value);
}

static bool has_no_function(const char *function) {
  (void)function;
  return false;
}

// is it finite, and in its range?
static MbsStatus check_number(MbsContext *context, const MbsField *field, MbsText text, double value) {
  char owner[64];
  (void)snprintf(owner, sizeof owner, "simulation: %s", field->name);
  return isfinite(value)
             ? mbs_setting_check(context, field, owner, text.place, text.text, value)
             : mbs_fail(context, MBS_ERROR_INPUT, text.place,
                        "%s: \"%s\" is not a finite number (a division by zero or a domain error)", owner, text.text);
}

static MbsStatus constant(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsField *field,
                          MbsText text, double *value) {
  Names names = {.model = model, .may_be_parameters = false};
  MbsScope scope = {
      .user = &names, .owner = "simulation", .resolve = no_names, .call = no_calls, .has_function = has_no_function};
  MbsExpression expression;
  MBS_TRY(mbs_graph_create(context, arena, &names.graph));
  MBS_TRY(mbs_expression_parse_sized(context, names.graph, text, &scope, 1, &expression));
  *value = mbs_graph_node(names.graph, expression.node[0])->value;
  return check_number(context, field, text, *value);
}

// a constant, or an expression of parameters
static MbsStatus read_end(MbsContext *context, MbsArena *arena, const MbsModel *model, MbsSettings *settings) {
  MbsText text = mbs_record_text(mbs_record_child(&model->root, MBS_MODEL_SIMULATION), MBS_SIMULATION_END);
  const MbsField *field = &mbs_model_type.fields[MBS_MODEL_SIMULATION].record->fields[MBS_SIMULATION_END];
  Names names = {.model = model, .may_be_parameters = true};
  MbsScope scope = {
      .user = &names, .owner = "simulation", .resolve = no_names, .call = no_calls, .has_function = has_no_function};
  MbsExpression expression;
  MbsBlueprint *blueprint;
  MbsNode end;
  MBS_TRY(mbs_graph_create(context, arena, &names.graph));
  MbsStatus status = mbs_expression_parse_sized(context, names.graph, text, &scope, 1, &expression);
  if (!names.are_found) {
    MBS_TRY(status);
    settings->end = mbs_graph_node(names.graph, expression.node[0])->value;
    return check_number(context, field, text, settings->end);
  }
  MBS_TRY(mbs_blueprint_create(context, arena, model, &blueprint));
  MBS_TRY(mbs_parameters_parse(context, blueprint, "simulation", text, &end));
  MBS_TRY(mbs_blueprint_nominal(context, blueprint, 1, &end, &settings->end));
  settings->end_in_model = settings->end;
  return settings->end > 0 || !isfinite(settings->end)
             ? check_number(context, field, text, settings->end)
             : mbs_fail(context, MBS_ERROR_INPUT, text.place, "simulation: end must be positive, got \"%s\" = %.10g",
                        text.text, settings->end);
}

// the names of a list, with commas between them; size: of the target
static MbsStatus join(MbsContext *context, const MbsModel *model, int field, size_t size, char *target) {
  const MbsValue *list = mbs_record_value(mbs_record_child(&model->root, MBS_MODEL_SIMULATION), field);
  size_t used = 0;
  target[0] = '\0';
  for (int i = 0; i < list->count; ++i) {
    int written = snprintf(target + used, size - used, "%s%s", i > 0 ? ", " : "", list->texts[i].text);
    if (written < 0 || (size_t)written >= size - used) {
      return mbs_fail(context, MBS_ERROR_INPUT, list->texts[i].place,
                      "simulation: %s: the list is longer than %d letters",
                      field == MBS_SIMULATION_TREE ? "tree" : "cut", (int)size - 1);
    }
    used += (size_t)written;
  }
  return MBS_OK;
}

static MbsStatus read(MbsContext *context, MbsArena *arena, const MbsModel *model, int index, MbsRequest *request) {
  const MbsField *field = &mbs_settings[index];
  const MbsText text = mbs_record_text(mbs_record_child(&model->root, MBS_MODEL_SIMULATION), index);
  char owner[64];
  (void)snprintf(owner, sizeof owner, "simulation: %s", field->name);
  if (field->setting->type == MBS_SETTING_LIST) {
    return join(context, model, index, MBS_LIST_LENGTH, (char *)request + field->setting->member);
  }
  double value = 0;
  bool is_number =
      field->setting->type <= MBS_SETTING_ITERATIONS && !mbs_setting_is_word(field->setting, text.text, &value);
  if (!is_number) {
    return mbs_setting_parse(context, field, owner, text.place, text.text, request);
  }
  MBS_TRY(constant(context, arena, model, field, text, &value));
  if (field->setting->type >= MBS_SETTING_WHOLE && value != floor(value)) {  // real
    return mbs_fail(context, MBS_ERROR_INPUT, text.place, "%s must be %s, got %s", owner, field->setting->range,
                    text.text);
  }
  mbs_setting_store(field, value, request);
  return MBS_OK;
}

MbsStatus mbs_settings_read(MbsContext *context, MbsArena *arena, const MbsModel *model, MbsSettings *settings) {
  MbsRequest request = {.settings = {.spectral_radius = -1}};
  MBS_TRY(read_end(context, arena, model, &request.settings));
  for (int i = 0; i < MBS_SIMULATION_COUNT; ++i) {
    if (i != MBS_SIMULATION_END) {
      MBS_TRY(read(context, arena, model, i, &request));
    }
  }
  *settings = request.settings;
  return MBS_OK;
}

// ---- checking, and filling in what depends on the rest ----
void mbs_settings_name_formulation(MbsSettings *settings) {
  if (strcmp(settings->formulation, "auto") == 0) {
    (void)snprintf(settings->formulation, MBS_NAME_LENGTH, MBS_DEFAULT_FORMULATION);
  }
}

static MbsStatus check_integrator(MbsContext *context, const MbsModel *model, const MbsFormulationType *formulation,
                                  MbsSettings *settings) {
  bool has_newmark = settings->beta > 0 || settings->gamma > 0, has_radius = settings->spectral_radius >= 0;
  if (strcmp(settings->integrator, "generalized-alpha") == 0) {
    (void)snprintf(settings->integrator, MBS_NAME_LENGTH, "generalised-alpha");
  }
  if (strcmp(settings->integrator, "auto") == 0) {
    bool is_damped = has_radius || (!has_newmark && formulation && formulation->has_dissipation);
    (void)snprintf(settings->integrator, MBS_NAME_LENGTH, "%s",
                   is_damped     ? "generalised-alpha"
                   : has_newmark ? "newmark"
                                 : "trapezoidal");
  }
  bool is_newmark = strcmp(settings->integrator, "newmark") == 0;
  bool is_alpha = strcmp(settings->integrator, "generalised-alpha") == 0;
  const MbsPlace place = mbs_model_setting_place(model, MBS_SIMULATION_INTEGRATOR, settings->integrator);
  const MbsIntegratorKind kind = mbs_integrator_kind(settings);
  if (kind == MBS_INTEGRATOR_UNKNOWN) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, place,
                    "integrator \"%s\" is not offered; use trapezoidal, newmark, generalised-alpha, dormand-prince-5, "
                    "dormand-prince-8, radau-3 or radau-5",
                    settings->integrator);
  }
  if (formulation && !mbs_integrator_fits(kind, formulation)) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, place, "integrator %s is not offered with formulation %s, which %s",
                    settings->integrator, settings->formulation,
                    formulation->is_reduced
                        ? "steps by independent coordinates; use ali3p, index3, index1, penalty or ali1"
                        : "finds positions from their constraints, by an implicit step; use matrix-r, index1, penalty "
                          "or ali1, or integrator radau-5");
  }
  if (settings->is_column_controlled && !(settings->step_tolerance > 0)) {
    return mbs_fail(context, MBS_ERROR_INPUT,
                    mbs_model_setting_place(model, MBS_SIMULATION_ERROR_CONTROL, "sensitivities"),
                    "error_control sensitivities is for steps that find their own size: give a step_tolerance, too");
  }
  if (settings->step_tolerance > 0 && !mbs_integrator_has_stages(settings)) {
    const MbsRecord *section = mbs_record_child(&model->root, MBS_MODEL_SIMULATION);
    const MbsText written = mbs_record_text(section, MBS_SIMULATION_STEP_TOLERANCE);
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, written.text ? written.place : mbs_nowhere,
                    "step_tolerance is not offered with integrator %s, whose steps do not know their error; use "
                    "radau-5 or, but for ali3p and index3, dormand-prince-5 or dormand-prince-8",
                    settings->integrator);
  }
  if ((has_newmark && !is_newmark) || (has_radius && !is_alpha)) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s has no meaning with integrator %s, only with %s",
                    has_radius && !is_alpha ? "a spectral radius" : "beta or gamma", settings->integrator,
                    has_radius && !is_alpha ? "generalised-alpha" : "newmark");
  }
  if (is_alpha && !has_radius) {
    settings->spectral_radius = 0.8;
  }
  return MBS_OK;
}

static MbsStatus check_projections(MbsContext *context, const MbsFormulationType *formulation,
                                   const MbsSettings *settings) {
  bool is_explicit = mbs_integrator_kind(settings) == MBS_INTEGRATOR_EXPLICIT;
  if (is_explicit && formulation && formulation->is_reduced && settings->projections > 0) {
    return mbs_fail(
        context, MBS_ERROR_INPUT, mbs_nowhere,
        "projections have no meaning with formulation %s, whose states meet their constraints; leave them out",
        settings->formulation);
  }
  // of explicit steps the end may be projected (explicit_projection.c)
  const char *foreign = settings->projections != 0 && !is_explicit ? "projections"
                        : settings->is_projection_tangent          ? "projection matrix tangent"
                        : settings->is_nonholonomic_projected      ? "nonholonomic projected"
                                                                   : NULL;
  if (formulation && !formulation->has_projections && foreign) {
    bool may_be_explicit = settings->projections > 0 && !is_explicit && !formulation->is_reduced;
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "formulation %s has no projections; use ali3p for %s%s",
                    settings->formulation, foreign,
                    may_be_explicit ? ", or an explicit integrator, whose steps can be projected" : "");
  }
  if ((settings->is_nonholonomic_projected || settings->is_projection_tangent) &&
      mbs_integrator_kind(settings) == MBS_INTEGRATOR_COUPLED) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "%s is not offered with integrator %s, which "
                    "has no such matrix; leave it out, or use trapezoidal",
                    settings->is_projection_tangent ? "projection matrix tangent" : "nonholonomic projected",
                    settings->integrator);
  }
  if ((settings->is_nonholonomic_projected || settings->is_projection_tangent) && settings->projections < 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s needs the projections that projections none leaves out",
                    settings->is_projection_tangent ? "projection matrix tangent" : "nonholonomic projected");
  }
  return MBS_OK;
}

static MbsStatus check_stabilisation(MbsContext *context, const MbsModel *model, const MbsFormulationType *formulation,
                                     const MbsSettings *settings) {
  if (formulation && !formulation->has_stabilisation && settings->is_stabilised) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_model_setting_place(model, MBS_SIMULATION_BAUMGARTE, "yes"),
                    "formulation %s has no Baumgarte stabilisation; use index1 for that, or leave it out",
                    settings->formulation);
  }
  return MBS_OK;
}

static MbsStatus check_coordinates(MbsContext *context, const MbsModel *model, const MbsSettings *settings) {
  bool is_relative = strcmp(settings->coordinates, "relative") == 0;
  MbsPlace place = mbs_model_setting_place(model, MBS_SIMULATION_COORDINATES, settings->coordinates);
  if (!is_relative && strcmp(settings->coordinates, "natural") != 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, place, "no coordinates \"%s\"; use natural or relative",
                    settings->coordinates);
  }
  char tree[MBS_LIST_LENGTH], cut[MBS_LIST_LENGTH];  // what the file says of them waits for relative coordinates
  MBS_TRY(join(context, model, MBS_SIMULATION_TREE, sizeof tree, tree));
  MBS_TRY(join(context, model, MBS_SIMULATION_CUT, sizeof cut, cut));
  const char *option = strcmp(settings->tree, tree) != 0 ? "tree"
                       : strcmp(settings->cut, cut) != 0 ? "cut"
                       : settings->is_about_mass_centres ? "a reference point"
                                                         : NULL;
  if (!is_relative && option) {
    return mbs_fail(context, MBS_ERROR_INPUT, place, "%s is for relative coordinates; choose coordinates relative",
                    option);
  }
  if (is_relative && settings->is_projection_tangent) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, place,
                    "projections with the tangent matrix are not offered with relative coordinates yet; use natural");
  }
  return MBS_OK;
}

// which rows histories have; an interval of time becomes a number of steps
static MbsStatus check_rows(MbsContext *context, MbsSettings *settings) {
  if (settings->sample <= 0) {
    return MBS_OK;
  }
  if (settings->step_tolerance > 0) {  // steps end there
    return settings->every == 0 ? MBS_OK
                                : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                                           "every %ld and sample %.10g contradict each other: give one of them",
                                           settings->every, settings->sample);
  }
  double steps = settings->sample / settings->step, whole = round(steps);  // real
  if (whole < 1 || whole > 1e15 || fabs(steps - whole) > 1e-9 * whole) {   // real
    if (settings->every == 0 &&
        mbs_integrator_kind(settings) == MBS_INTEGRATOR_EXPLICIT) {  // between steps: dense_output.h
      return MBS_OK;
    }
    double few = floor(steps), lower = (few > 1 ? few : 1) * settings->step;  // real
    return mbs_fail(
        context, MBS_ERROR_INPUT, mbs_nowhere,
        "sample %.10g is no multiple of the step %.10g, and rows are where steps end; take %.10g or %.10g, or "
        "another step",
        settings->sample, settings->step, lower, lower + settings->step);
  }
  if (settings->every > 0 && settings->every != (long)whole) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "every %ld and sample %.10g contradict each other: give one of them", settings->every,
                    settings->sample);
  }
  settings->every = (long)whole;
  return MBS_OK;
}

MbsStatus mbs_settings_complete(MbsContext *context, const MbsModel *model, MbsSettings *settings) {
  const MbsRequest request = {.settings = *settings};
  MBS_TRY(mbs_settings_check(context, &request));
  mbs_settings_name_formulation(settings);
  settings->step = settings->step > settings->end ? settings->end : settings->step;  // one step, to the end
  // times are step numbers times the step: more steps than this are not distinct in double precision
  if (settings->end / settings->step > 1e15) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "step %.3g is too small for an end of %.3g", settings->step,
                    settings->end);
  }
  MBS_TRY(check_rows(context, settings));
  MBS_TRY(check_coordinates(context, model, settings));
  const char *nearest = NULL;
  const MbsFormulationType *formulation = mbs_formulation_find(settings->formulation, &nearest);
  MBS_TRY(check_integrator(context, model, formulation, settings));
  MBS_TRY(check_stabilisation(context, model, formulation, settings));
  return check_projections(context, formulation, settings);
}
