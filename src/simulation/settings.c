// The `simulation` section of a model as settings.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expressions/parse.h"
#include "simulation/simulation.h"

static MbsStatus no_names(void *user, MbsContext *context, MbsPlace place, const char *name, MbsExpression *value) {
  (void)user;
  (void)value;
  return mbs_fail(context, MBS_ERROR_INPUT, place,
                  "simulation: \"%s\" cannot be used here: the settings are constants, not functions of parameters",
                  name);
}

static MbsStatus constant(MbsContext *context, MbsArena *arena, const MbsField *field, MbsText text, double *value) {
  MbsGraph *graph;
  MbsScope scope = {.owner = "simulation", .resolve = no_names};
  MbsExpression expression;
  MBS_TRY(mbs_graph_create(context, arena, &graph));
  MBS_TRY(mbs_expression_parse_sized(context, graph, text, &scope, 1, &expression));
  *value = mbs_graph_node(graph, expression.node[0])->value;
  if (!isfinite(*value)) {
    return mbs_fail(context, MBS_ERROR_INPUT, text.place,
                    "simulation: %s: \"%s\" is not a finite number (a division by zero or a domain error)", field->name,
                    text.text);
  }
  bool is_good =
      (field->check != MBS_CHECK_POSITIVE || *value > 0) && (field->check != MBS_CHECK_NOT_NEGATIVE || *value >= 0);
  if (!is_good) {
    return mbs_fail(context, MBS_ERROR_INPUT, text.place, "simulation: %s must %s, got %s", field->name,
                    field->check == MBS_CHECK_POSITIVE ? "be positive" : "not be negative", text.text);
  }
  return MBS_OK;
}

static MbsStatus name(MbsContext *context, const MbsField *field, MbsText text, char *target) {
  if (snprintf(target, MBS_NAME_LENGTH, "%s", text.text) >= MBS_NAME_LENGTH) {
    return mbs_fail(context, MBS_ERROR_INPUT, text.place, "simulation: %s \"%s\" is not known", field->name, text.text);
  }
  return MBS_OK;
}

MbsStatus mbs_settings_read(MbsContext *context, MbsArena *arena, const MbsModel *model, MbsSettings *settings) {
  const MbsRecord *section = mbs_record_child(&model->root, MBS_MODEL_SIMULATION);
  const MbsField *fields = mbs_model_type.fields[MBS_MODEL_SIMULATION].record->fields;
  *settings = (MbsSettings){.end = 0};
  const struct {
    int field;
    double *value;
  } numbers[] = {{MBS_SIMULATION_END, &settings->end},
                 {MBS_SIMULATION_STEP, &settings->step},
                 {MBS_SIMULATION_TOLERANCE, &settings->tolerance},
                 {MBS_SIMULATION_XI, &settings->xi},
                 {MBS_SIMULATION_OMEGA, &settings->omega}};
  for (int i = 0; i < MBS_COUNT(numbers); ++i) {
    int f = numbers[i].field;
    MBS_TRY(constant(context, arena, &fields[f], mbs_record_text(section, f), numbers[i].value));
  }
  const struct {
    int field;
    char *target;
  } names[] = {{MBS_SIMULATION_FORMULATION, settings->formulation},
               {MBS_SIMULATION_COORDINATES, settings->coordinates},
               {MBS_SIMULATION_INTEGRATOR, settings->integrator}};
  for (int i = 0; i < MBS_COUNT(names); ++i) {
    int f = names[i].field;
    MBS_TRY(name(context, &fields[f], mbs_record_text(section, f), names[i].target));
  }
  MbsText penalty = mbs_record_text(section, MBS_SIMULATION_PENALTY);
  if (strcmp(penalty.text, "auto") != 0) {
    MbsField positive = fields[MBS_SIMULATION_PENALTY];
    positive.check = MBS_CHECK_POSITIVE;
    MBS_TRY(constant(context, arena, &positive, penalty, &settings->penalty));
  }
  settings->is_stabilised = strcmp(mbs_record_text(section, MBS_SIMULATION_BAUMGARTE).text, "yes") == 0;
  return MBS_OK;
}

MbsStatus mbs_settings_check(MbsContext *context, const MbsModel *model, const MbsSettings *settings) {
  const struct {
    const char *name;
    double value;
    bool is_good;
    const char *range;
  } checks[] = {
      {"end", settings->end, settings->end > 0, "positive"},
      {"step", settings->step, settings->step > 0, "positive"},
      {"tolerance", settings->tolerance, settings->tolerance > 0 && settings->tolerance < 1, "between 0 and 1"},
      {"penalty", settings->penalty, settings->penalty >= 0, "positive, or auto"},
      {"xi", settings->xi, settings->xi >= 0, "zero or positive"},
      {"omega", settings->omega, settings->omega >= 0, "zero or positive"},
  };
  for (int i = 0; i < MBS_COUNT(checks); ++i) {
    if (!checks[i].is_good || !isfinite(checks[i].value)) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s must be %s, got %.10g", checks[i].name,
                      checks[i].range, checks[i].value);
    }
  }
  // times are step numbers times the step: more steps than this are not distinct in double precision
  if (settings->end / settings->step > 1e15) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "step %.3g is too small for an end of %.3g", settings->step,
                    settings->end);
  }
  if (strcmp(settings->coordinates, "natural") != 0) {
    bool is_planned = strcmp(settings->coordinates, "relative") == 0;
    return mbs_fail(
        context, is_planned ? MBS_ERROR_NOT_OFFERED : MBS_ERROR_INPUT,
        mbs_model_setting_place(model, MBS_SIMULATION_COORDINATES, settings->coordinates),
        is_planned ? "coordinates \"%s\" are not offered yet; use natural" : "no coordinates \"%s\"; use natural",
        settings->coordinates);
  }
  if (strcmp(settings->integrator, "trapezoidal") != 0) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED,
                    mbs_model_setting_place(model, MBS_SIMULATION_INTEGRATOR, settings->integrator),
                    "integrator \"%s\" is not offered; use trapezoidal", settings->integrator);
  }
  return MBS_OK;
}
