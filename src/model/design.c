#include "model/design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "model/distribution.h"

// ---- numbers ----
typedef struct Reading {
  MbsContext *context;
  MbsBlueprint *blueprint;
} Reading;

static const MbsField *fields_of(int section) { return mbs_model_type.fields[section].record->fields; }
static const MbsField *option(int index) { return &fields_of(MBS_MODEL_OPTIMIZATION)[index]; }

const char *mbs_algorithm_name(MbsAlgorithm algorithm) {
  return option(MBS_OPTIMIZATION_ALGORITHM)->choices[algorithm];
}

static const MbsRecord *section_of(const MbsModel *model) {
  return mbs_record_child(&model->root, MBS_MODEL_OPTIMIZATION);
}

// of a field that is absent: what there is then
MbsStatus mbs_design_read_number(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsField *field,
                                 MbsText text, double absent, double *value) {
  const Reading own = {context, blueprint}, *reading = &own;
  MbsNode node;
  *value = absent;
  if (!text.text) {
    return MBS_OK;
  }
  const char *name = mbs_arena_print(reading->blueprint->arena, "%s: %s", owner, field->name);
  name = name ? name : owner;
  MBS_TRY(mbs_parameters_parse(reading->context, reading->blueprint, name, text, &node));
  MBS_TRY(mbs_blueprint_nominal(reading->context, reading->blueprint, 1, &node, value));
  if (!isfinite(*value)) {
    return mbs_fail(reading->context, MBS_ERROR_INPUT, text.place,
                    "%s: \"%s\" is not a finite number (a division by zero or a domain error)", name, text.text);
  }
  return field->check == MBS_CHECK_POSITIVE && !(*value > 0)
             ? mbs_fail(reading->context, MBS_ERROR_INPUT, text.place, "%s must be positive, got %.10g", name, *value)
             : MBS_OK;
}

static MbsStatus read_number(const Reading *reading, const char *owner, const MbsField *field, MbsText text,
                             double absent, double *value) {
  return mbs_design_read_number(reading->context, reading->blueprint, owner, field, text, absent, value);
}

typedef struct Range {
  double lower, upper, scale;
  bool is_given;
} Range;

static MbsStatus read_range(const Reading *reading, const char *owner, const MbsField *fields, const MbsRecord *record,
                            int first, Range *range) {
  MbsText lower = mbs_record_text(record, first), upper = mbs_record_text(record, first + 1),
          scale = mbs_record_text(record, first + 2);
  range->is_given = lower.text || upper.text;
  MBS_TRY(read_number(reading, owner, &fields[first], lower, -HUGE_VAL, &range->lower));
  MBS_TRY(read_number(reading, owner, &fields[first + 1], upper, HUGE_VAL, &range->upper));
  MBS_TRY(read_number(reading, owner, &fields[first + 2], scale, 0, &range->scale));
  return range->lower <= range->upper
             ? MBS_OK
             : mbs_fail(reading->context, MBS_ERROR_INPUT, lower.place,
                        "%s: the lower bound %.10g is above the upper bound %.10g", owner, range->lower, range->upper);
}

// ---- bounds of parameters ----
static bool has_range(const MbsRecord *record) {
  return record->values[MBS_PARAMETER_LOWER].is_given || record->values[MBS_PARAMETER_UPPER].is_given ||
         record->values[MBS_PARAMETER_SCALE].is_given;
}

static MbsStatus check_parameter(const Reading *reading, int index) {
  const MbsBlueprint *blueprint = reading->blueprint;
  const MbsRecord *record = &mbs_record_value(&blueprint->model->root, MBS_MODEL_PARAMETERS)->records[index];
  const MbsParameter *parameter = &blueprint->parameters.items[index];
  Range range;
  MbsText distribution = mbs_record_text(record, MBS_PARAMETER_DISTRIBUTION);
  if (!has_range(record) && !distribution.text) {
    return MBS_OK;
  }
  const char *owner = mbs_arena_print(blueprint->arena, "parameter \"%s\"", parameter->name);
  owner = owner ? owner : parameter->name;
  if (parameter->is_derived) {
    return mbs_fail(reading->context, MBS_ERROR_INPUT, record->values[MBS_PARAMETER_VALUE].texts[0].place,
                    "%s is an expression of others, \"%s\", and follows them: bounds, scale and distribution belong to "
                    "those, or bounds to a constraint",
                    owner, parameter->text.text);
  }
  if (distribution.text) {
    MbsDistribution known;
    MBS_TRY(mbs_distribution_read(reading->context, reading->blueprint, owner, distribution, &known));
  }
  return read_range(reading, owner, fields_of(MBS_MODEL_PARAMETERS), record, MBS_PARAMETER_LOWER, &range);
}

// ---- names ----
// f.y of f.y[3], u of u[3], or the name itself
static bool is_called(const char *name, const char *parameter) {
  size_t length = strlen(name);
  return strncmp(parameter, name, length) == 0 && (parameter[length] == '\0' || parameter[length] == '[');
}

MbsStatus mbs_design_check_parameter(MbsContext *context, MbsBlueprint *blueprint, const char *section, MbsText name) {
  const MbsModel *asked;
  int count = 1;
  const char *const *names = &name.text;
  const char *nearest = NULL;
  MBS_TRY(mbs_model_ask(context, blueprint->arena, blueprint->model, &count, &names, &asked));
  const MbsValue *parameters = mbs_record_value(&asked->root, MBS_MODEL_PARAMETERS);
  for (int i = 0; i < parameters->count; ++i) {
    if (is_called(name.text, parameters->records[i].name.text)) {
      return MBS_OK;
    }
    mbs_name_nearest(name.text, parameters->records[i].name.text, &nearest);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, name.place, "%s: no parameter \"%s\"%s%s%s", section, name.text,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

static MbsStatus check_parameter_name(const Reading *reading, MbsText name) {
  return mbs_design_check_parameter(reading->context, reading->blueprint, "optimization", name);
}

static MbsStatus check_objective_name(const Reading *reading, MbsText name) {
  const MbsValue *objectives = mbs_record_value(&reading->blueprint->model->root, MBS_MODEL_OBJECTIVES);
  const char *nearest = NULL;
  for (int i = 0; i < objectives->count; ++i) {
    if (strcmp(objectives->records[i].name.text, name.text) == 0) {
      return MBS_OK;
    }
    mbs_name_nearest(name.text, objectives->records[i].name.text, &nearest);
  }
  return mbs_fail(reading->context, MBS_ERROR_INPUT, name.place, "optimization: no objective \"%s\"%s%s%s", name.text,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

// ---- the section ----
static MbsStatus read_terms(const Reading *reading, const MbsRecord *section, MbsDesign *design) {
  const MbsValue *smaller = mbs_record_value(section, MBS_OPTIMIZATION_MINIMIZE),
                 *larger = mbs_record_value(section, MBS_OPTIMIZATION_MAXIMIZE);
  if (smaller->is_given && larger->is_given) {
    return mbs_fail(reading->context, MBS_ERROR_INPUT, larger->place,
                    "optimization: minimize or maximize, not both: give the other one a negative weight");
  }
  design->is_maximized = larger->is_given;
  const MbsValue *terms = larger->is_given ? larger : smaller;
  MBS_TAKE(reading->context, reading->blueprint->arena, design->terms, terms->count);
  for (int i = 0; i < terms->count; ++i) {
    const MbsRecord *record = &terms->records[i];
    const MbsField field = {.name = record->name.text};
    MBS_TRY(check_objective_name(reading, record->name));
    MBS_TRY(
        read_number(reading, "optimization: weight", &field, record->values[0].texts[0], 1, &design->terms[i].weight));
    design->terms[i].objective = record->name.text;
  }
  design->term_count = terms->count;
  return MBS_OK;
}

static MbsStatus read_limit(const Reading *reading, const MbsRecord *record, MbsDesignLimit *limit) {
  const MbsField *fields = option(MBS_OPTIMIZATION_CONSTRAINTS)->record->fields;
  MbsText name = mbs_record_text(record, MBS_LIMIT_OBJECTIVE), equals = mbs_record_text(record, MBS_LIMIT_EQUALS),
          above = mbs_record_text(record, MBS_LIMIT_ABOVE), below = mbs_record_text(record, MBS_LIMIT_BELOW);
  const char *owner = mbs_arena_print(reading->blueprint->arena, "constraint on \"%s\"", name.text);
  double value;
  owner = owner ? owner : name.text;
  MBS_TRY(check_objective_name(reading, name));
  if (!equals.text && !above.text && !below.text) {
    return mbs_fail(reading->context, MBS_ERROR_INPUT, name.place, "%s: needs one of below, above, equals", owner);
  }
  if (equals.text && (above.text || below.text)) {
    return mbs_fail(reading->context, MBS_ERROR_INPUT, equals.place,
                    "%s: \"equals\" does not go with \"above\" or \"below\"", owner);
  }
  limit->objective = name.text;
  limit->place = name.place;
  MBS_TRY(read_number(reading, owner, &fields[MBS_LIMIT_ABOVE], above, -HUGE_VAL, &limit->above));
  MBS_TRY(read_number(reading, owner, &fields[MBS_LIMIT_BELOW], below, HUGE_VAL, &limit->below));
  MBS_TRY(read_number(reading, owner, &fields[MBS_LIMIT_EQUALS], equals, 0, &value));
  MBS_TRY(read_number(reading, owner, &fields[MBS_LIMIT_SCALE], mbs_record_text(record, MBS_LIMIT_SCALE), 0,
                      &limit->scale));
  limit->above = equals.text ? value : limit->above;
  limit->below = equals.text ? value : limit->below;
  return limit->above < limit->below || equals.text
             ? MBS_OK
             : mbs_fail(reading->context, MBS_ERROR_INPUT, above.place, "%s: nothing is above %.10g and below %.10g%s",
                        owner, limit->above, limit->below,
                        limit->above <= limit->below ? "; for one value there is \"equals\"" : "");
}

static MbsStatus read_count(const Reading *reading, const MbsRecord *section, int index, int least, int *count) {
  MbsText text = mbs_record_text(section, index);
  *count = (int)strtol(text.text, NULL, 10);
  return *count >= least ? MBS_OK
                         : mbs_fail(reading->context, MBS_ERROR_INPUT, text.place,
                                    "optimization: %s must be %d at least, got %d", option(index)->name, least, *count);
}

static MbsStatus read_section(const Reading *reading, const MbsRecord *section, MbsDesign *design) {
  const char *algorithm = mbs_record_text(section, MBS_OPTIMIZATION_ALGORITHM).text;
  const MbsValue *limits = mbs_record_value(section, MBS_OPTIMIZATION_CONSTRAINTS),
                 *ranges = mbs_record_value(section, MBS_OPTIMIZATION_BOUNDS),
                 *names = mbs_record_value(section, MBS_OPTIMIZATION_PARAMETERS);
  const struct {
    int field;
    double absent, *value;
  } numbers[] = {{MBS_OPTIMIZATION_TOLERANCE, 0, &design->tolerance},
                 {MBS_OPTIMIZATION_FEASIBILITY, 0, &design->feasibility},
                 {MBS_OPTIMIZATION_TARGET, (double)NAN, &design->target}};
  MBS_TRY(read_terms(reading, section, design));
  MBS_TAKE(reading->context, reading->blueprint->arena, design->limits, limits->count);
  for (int i = 0; i < limits->count; ++i) {
    MBS_TRY(read_limit(reading, &limits->records[i], &design->limits[i]));
  }
  design->limit_count = limits->count;
  for (int i = 0; i < ranges->count; ++i) {
    Range range;
    const MbsField *fields = option(MBS_OPTIMIZATION_BOUNDS)->record->fields;
    MbsText name = mbs_record_text(&ranges->records[i], MBS_RANGE_PARAMETER);
    const char *owner = mbs_arena_print(reading->blueprint->arena, "bounds of \"%s\"", name.text);
    MBS_TRY(check_parameter_name(reading, name));
    MBS_TRY(read_range(reading, owner ? owner : name.text, fields, &ranges->records[i], MBS_RANGE_LOWER, &range));
  }
  for (int i = 0; i < names->count; ++i) {
    MBS_TRY(check_parameter_name(reading, names->texts[i]));
  }
  for (int i = 0; i < MBS_COUNT(numbers); ++i) {
    MBS_TRY(read_number(reading, "optimization", option(numbers[i].field), mbs_record_text(section, numbers[i].field),
                        numbers[i].absent, numbers[i].value));
  }
  MBS_TRY(read_count(reading, section, MBS_OPTIMIZATION_EVALUATIONS, 1, &design->evaluations));
  MBS_TRY(read_count(reading, section, MBS_OPTIMIZATION_STARTS, 1, &design->starts));
  MBS_TRY(read_count(reading, section, MBS_OPTIMIZATION_SEED, 0, &design->seed));
  while (strcmp(option(MBS_OPTIMIZATION_ALGORITHM)->choices[design->algorithm], algorithm) != 0) {
    design->algorithm += 1;
  }
  return MBS_OK;
}

MbsStatus mbs_design_read(MbsContext *context, MbsBlueprint *blueprint, MbsDesign *design) {
  const Reading reading = {.context = context, .blueprint = blueprint};
  int before = context->error_count;
  *design = (MbsDesign){.algorithm = MBS_ALGORITHM_AUTO};
  for (int i = 0; i < mbs_record_value(&blueprint->model->root, MBS_MODEL_PARAMETERS)->count; ++i) {
    MBS_TRY(mbs_error_keep(context, check_parameter(&reading, i)));
  }
  MBS_TRY(mbs_errors_tell(context, before));
  return read_section(&reading, section_of(blueprint->model), design);
}

// ---- what may change ----
MbsStatus mbs_design_names(MbsContext *context, MbsArena *arena, const MbsModel *model, int *count,
                           const char *const **names) {
  const MbsValue *given = mbs_record_value(section_of(model), MBS_OPTIMIZATION_PARAMETERS),
                 *ranges = mbs_record_value(section_of(model), MBS_OPTIMIZATION_BOUNDS),
                 *parameters = mbs_record_value(&model->root, MBS_MODEL_PARAMETERS);
  const char **found;
  int size = 0;
  MBS_TAKE(context, arena, found, given->count + parameters->count + ranges->count);
  for (int i = 0; i < given->count; ++i) {
    found[size++] = given->texts[i].text;
  }
  for (int i = 0; given->count == 0 && i < parameters->count; ++i) {
    if (has_range(&parameters->records[i])) {
      found[size++] = parameters->records[i].name.text;
    }
  }
  for (int i = 0; given->count == 0 && i < ranges->count; ++i) {
    found[size++] = mbs_record_text(&ranges->records[i], MBS_RANGE_PARAMETER).text;
  }
  *count = size;
  *names = size > 0 ? found : NULL;  // all of them
  return MBS_OK;
}

// does an expression of the design depend on what may change?
static MbsStatus refuse_dependence(const Reading *reading, const char *what, MbsText text, int count,
                                   const char *const *names) {
  MbsBlueprint *blueprint = reading->blueprint;
  MbsNode node;
  int input_count;
  const int *inputs;
  if (!text.text) {
    return MBS_OK;
  }
  MBS_TRY(mbs_parameters_parse(reading->context, blueprint, what, text, &node));
  MBS_TRY(mbs_graph_inputs_of(reading->context, blueprint->graph, node, &input_count, &inputs));
  for (int i = 0; i < input_count; ++i) {
    const MbsSignal *signal = &blueprint->signals.items[inputs[i]];
    const char *name = signal->kind == MBS_SIGNAL_PARAMETER ? blueprint->parameters.items[signal->index].name : NULL;
    for (int k = 0; name && k < count; ++k) {
      if (strcmp(name, names[k]) == 0) {
        return mbs_fail(reading->context, MBS_ERROR_INPUT, text.place,
                        "%s: \"%s\" depends on %s, which may change: a limit that moves is an objective of the kind "
                        "value",
                        what, text.text, name);
      }
    }
  }
  return MBS_OK;
}

static MbsStatus refuse_dependences(const Reading *reading, int count, const char *const *names) {
  const MbsModel *model = reading->blueprint->model;
  const MbsRecord *section = section_of(model);
  const MbsValue *limits = mbs_record_value(section, MBS_OPTIMIZATION_CONSTRAINTS),
                 *ranges = mbs_record_value(section, MBS_OPTIMIZATION_BOUNDS),
                 *parameters = mbs_record_value(&model->root, MBS_MODEL_PARAMETERS);
  for (int way = MBS_OPTIMIZATION_MINIMIZE; way <= MBS_OPTIMIZATION_MAXIMIZE; ++way) {
    const MbsValue *terms = mbs_record_value(section, way);
    for (int i = 0; i < terms->count; ++i) {
      MBS_TRY(refuse_dependence(reading, "optimization: weight", terms->records[i].values[0].texts[0], count, names));
    }
  }
  for (int i = 0; i < limits->count; ++i) {
    for (int field = MBS_LIMIT_BELOW; field <= MBS_LIMIT_SCALE; ++field) {
      MBS_TRY(refuse_dependence(reading, "optimization: constraint", mbs_record_text(&limits->records[i], field), count,
                                names));
    }
  }
  for (int i = 0; i < ranges->count; ++i) {
    for (int field = MBS_RANGE_LOWER; field <= MBS_RANGE_SCALE; ++field) {
      MBS_TRY(
          refuse_dependence(reading, "optimization: bound", mbs_record_text(&ranges->records[i], field), count, names));
    }
  }
  for (int i = 0; i < parameters->count; ++i) {
    for (int field = MBS_PARAMETER_LOWER; field <= MBS_PARAMETER_SCALE; ++field) {
      MBS_TRY(refuse_dependence(reading, "bound of a parameter", mbs_record_text(&parameters->records[i], field), count,
                                names));
    }
  }
  return MBS_OK;
}

static MbsStatus read_variable(const Reading *reading, const char *name, MbsDesignVariable *variable) {
  MbsBlueprint *blueprint = reading->blueprint;
  const MbsValue *ranges = mbs_record_value(section_of(blueprint->model), MBS_OPTIMIZATION_BOUNDS);
  int index = mbs_parameters_find(blueprint, name);
  MBS_CHECK(reading->context, index >= 0);  // the request has been checked
  const MbsParameter *parameter = &blueprint->parameters.items[index];
  const MbsRecord *record = &mbs_record_value(&blueprint->model->root, MBS_MODEL_PARAMETERS)->records[index];
  const char *owner = mbs_arena_print(blueprint->arena, "parameter \"%s\"", name);
  Range range;
  owner = owner ? owner : name;
  *variable = (MbsDesignVariable){.name = parameter->name, .place = parameter->text.place, .value = parameter->nominal};
  MBS_TRY(read_range(reading, owner, fields_of(MBS_MODEL_PARAMETERS), record, MBS_PARAMETER_LOWER, &range));
  for (int i = 0; i < ranges->count; ++i) {
    MbsText place = mbs_record_text(&ranges->records[i], MBS_RANGE_PARAMETER);
    if (!is_called(place.text, name)) {
      continue;
    }
    if (range.is_given || range.scale > 0) {
      return mbs_fail(reading->context, MBS_ERROR_INPUT, place.place, "%s has bounds or a scale already", owner);
    }
    MBS_TRY(read_range(reading, owner, option(MBS_OPTIMIZATION_BOUNDS)->record->fields, &ranges->records[i],
                       MBS_RANGE_LOWER, &range));
  }
  variable->lower = range.lower;
  variable->upper = range.upper;
  variable->scale = range.scale;
  bool is_below = variable->value < range.lower;
  return is_below || variable->value > range.upper
             ? mbs_fail(reading->context, MBS_ERROR_INPUT, variable->place,
                        "%s: the value %.10g is %s bound %.10g: the search needs a start between its bounds", owner,
                        variable->value, is_below ? "below the lower" : "above the upper",
                        is_below ? range.lower : range.upper)
             : MBS_OK;
}

MbsStatus mbs_design_variables(MbsContext *context, MbsBlueprint *blueprint, int count, const char *const *names,
                               MbsDesignVariable *variables) {
  const Reading reading = {.context = context, .blueprint = blueprint};
  int before = context->error_count;
  for (int i = 0; i < count; ++i) {
    MBS_TRY(mbs_error_keep(context, read_variable(&reading, names[i], &variables[i])));
  }
  MBS_TRY(mbs_errors_tell(context, before));
  return refuse_dependences(&reading, count, names);
}
