#include "sensitivities/history.h"

#include <math.h>
#include <string.h>

#include "algebra/perturbation.h"
#include "base/names.h"

// ---- what there is ----
// is a column of another kind called so?
static bool is_taken(const MbsSimulation *simulation, const char *name) {
  for (int i = 0; i < simulation->objectives.count; ++i) {
    if (strcmp(simulation->objectives.items[i].function.name, name) == 0) {
      return true;
    }
  }
  for (int i = 0; i < simulation->outputs.count; ++i) {
    const MbsOutput *output = &simulation->outputs.items[i];
    if (output->spec->is_of_model && strcmp(output->function.name, name) == 0) {
      return true;
    }
  }
  return false;
}

// the name of a coordinate; of one that is called like an objective or an output: coordinate(theta)
static const char *coordinate_name(const MbsSimulation *simulation, int index, const char *mark) {
  const char *name = simulation->system->coordinate_names[index];
  return name ? mbs_arena_print(simulation->arena, is_taken(simulation, name) ? "coordinate(%s)%s" : "%s%s", name, mark)
              : NULL;
}

typedef MBS_LIST(MbsQuantity) QuantityList;

static MbsStatus list_quantities(MbsContext *context, const MbsSimulation *simulation, QuantityList *list) {
  static const char *const marks[] = {"", "'", "''"}, *const rates[] = {"coordinates", "velocities", "accelerations"},
                           *const residuals[] = {"residual position", "residual velocity", "residual acceleration"};
  const MbsSystem *system = simulation->system;
  MbsArena *arena = simulation->arena;
  for (int i = 0; i < simulation->outputs.count; ++i) {
    const MbsOutput *output = &simulation->outputs.items[i];
    MBS_APPEND(context, arena, list,
               (MbsQuantity){.kind = MBS_QUANTITY_OUTPUT,
                             .index = i,
                             .name = output->function.name,
                             .unit = output->spec->unit,
                             .description = output->spec->description,
                             .group = output->spec->is_of_model ? "outputs" : output->spec->kind});
  }
  for (int level = 0; level < 3; ++level) {
    for (int i = 0; i < (level == 0 ? system->first_state : system->n); ++i) {
      const char *mark = marks[mbs_system_is_state(system, i) ? level - 1 : level];
      MBS_APPEND(context, arena, list,
                 (MbsQuantity){.kind = (MbsQuantityKind)(MBS_QUANTITY_POSITION + level),
                               .index = i,
                               .name = coordinate_name(simulation, i, mark),
                               .group = rates[level]});
    }
  }
  for (int i = 0; i < system->m; ++i) {
    const char *name = mbs_arena_print(arena, "lambda(%s)", system->blueprint->rows.items[i].name);
    MBS_APPEND(context, arena, list,
               (MbsQuantity){.kind = MBS_QUANTITY_MULTIPLIER, .index = i, .name = name, .group = "multipliers"});
  }
  for (int i = 0; i < simulation->objectives.count; ++i) {
    const MbsObjective *objective = &simulation->objectives.items[i];
    if (objective->is_wanted && objective->kind != MBS_OBJECTIVE_IS_EIGENVALUE) {
      MBS_APPEND(
          context, arena, list,
          (MbsQuantity){
              .kind = MBS_QUANTITY_OBJECTIVE, .index = i, .name = objective->function.name, .group = "objectives"});
    }
  }
  for (int level = 0; level < 3 && system->m > 0; ++level) {
    MBS_APPEND(context, arena, list,
               (MbsQuantity){.kind = MBS_QUANTITY_RESIDUAL,
                             .index = level,
                             .name = residuals[level],
                             .description = "largest of all constraints, in the units of each",
                             .group = "residuals"});
  }
  for (int i = 0; i < list->count; ++i) {
    if (!list->items[i].name) {
      return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
  }
  return MBS_OK;
}

// ---- what is chosen ----
static bool is_of_model(const MbsSimulation *simulation, const MbsQuantity *quantity) {
  return quantity->kind == MBS_QUANTITY_OUTPUT && simulation->outputs.items[quantity->index].spec->is_of_model;
}

// is it part of a group of this name?
static bool is_in_group(const MbsSimulation *simulation, const MbsQuantity *quantity, const char *group,
                        size_t length) {
  bool is_output = quantity->kind == MBS_QUANTITY_OUTPUT, is_own = is_of_model(simulation, quantity);
  bool is_coordinate = quantity->kind >= MBS_QUANTITY_POSITION && quantity->kind <= MBS_QUANTITY_ACCELERATION;
  const char *own_group = is_output ? simulation->outputs.items[quantity->index].spec->group : NULL;
  const struct {
    const char *name;
    bool is_meant;
  } groups[] = {{"all", is_own || (!is_output && quantity->kind != MBS_QUANTITY_RESIDUAL)},
                {"outputs", is_own},
                {"objectives", quantity->kind == MBS_QUANTITY_OBJECTIVE},
                {"coordinates", is_coordinate},
                {"multipliers", quantity->kind == MBS_QUANTITY_MULTIPLIER},
                {"residuals", quantity->kind == MBS_QUANTITY_RESIDUAL},
                {"points", own_group && strcmp(own_group, "points") == 0},
                {"frames", own_group && strcmp(own_group, "frames") == 0},
                {"reactions", own_group && strcmp(own_group, "reactions") == 0}};
  for (int i = 0; i < MBS_COUNT(groups); ++i) {
    if (strlen(groups[i].name) == length && strncmp(groups[i].name, group, length) == 0) {
      return groups[i].is_meant;
    }
  }
  return false;
}

static MbsStatus refuse_column(MbsContext *context, const MbsSimulation *simulation, const QuantityList *all,
                               const char *word, int length) {
  const char *nearest = NULL, *name = mbs_arena_print(simulation->arena, "%.*s", length, word);
  for (int i = 0; name && i < all->count; ++i) {
    mbs_name_nearest(name, all->items[i].name, &nearest);
    if (is_of_model(simulation, &all->items[i])) {
      mbs_name_nearest(name, simulation->outputs.items[all->items[i].index].spec->name, &nearest);
    }
  }
  MBS_TRY(name ? mbs_column_nearest(context, simulation->system->blueprint, name, &nearest) : MBS_OK);
  return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "no column \"%.*s\" in histories of %s%s%s%s", length, word,
                  simulation->system->blueprint->model->file, nearest ? "; did you mean \"" : "",
                  nearest ? nearest : "", nearest ? "\"?" : "");
}

// by the name of the column, or that of the output which it is part of
static bool is_called(const MbsSimulation *simulation, const MbsQuantity *quantity, const char *word, size_t length) {
  return mbs_column_is_meant(word, length, quantity->name) ||
         (quantity->kind == MBS_QUANTITY_OUTPUT &&
          mbs_column_is_meant(word, length, simulation->outputs.items[quantity->index].spec->name));
}

static bool is_chosen(const MbsHistory *history, const char *name) {
  for (int i = 0; i < history->quantity_count; ++i) {
    if (strcmp(history->quantities[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

// "points" of a model without points that move, "reactions" and "residuals" of one without joints: there may be none
// beside others
static bool may_be_empty(const char *word, size_t length) {
  static const char *const groups[] = {"points", "frames", "reactions", "residuals"};
  for (int i = 0; i < MBS_COUNT(groups); ++i) {
    if (strlen(groups[i]) == length && strncmp(groups[i], word, length) == 0) {
      return true;
    }
  }
  return false;
}

// those that the settings list, in that order, each once
static MbsStatus choose_listed(MbsContext *context, const MbsSimulation *simulation, const QuantityList *all,
                               MbsHistory *history) {
  const char *word = simulation->settings.columns;
  if (word[0] && mbs_name_next(&word) == 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "columns \"%s\" lists none", simulation->settings.columns);
  }
  for (size_t length; (length = mbs_name_next(&word)) > 0; word += length) {
    bool is_known = false;
    for (int pass = 0; pass < 2 && !is_known; ++pass) {  // a name before a group
      for (int i = 0; i < all->count; ++i) {
        bool is_meant = pass == 0 ? is_called(simulation, &all->items[i], word, length)
                                  : is_in_group(simulation, &all->items[i], word, length);
        is_known = is_known || is_meant;
        if (is_meant && !is_chosen(history, all->items[i].name)) {
          history->quantities[history->quantity_count++] = all->items[i];
        }
      }
    }
    if (!is_known && !may_be_empty(word, length)) {
      return refuse_column(context, simulation, all, word, (int)length);
    }
  }
  return !simulation->settings.columns[0] || history->quantity_count > 0
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "no columns \"%s\" in histories of %s",
                        simulation->settings.columns, simulation->system->blueprint->model->file);
}

static MbsStatus choose_quantities(MbsContext *context, const MbsSimulation *simulation, bool is_differentiated,
                                   MbsHistory *history) {
  QuantityList all = {0, 0, NULL};
  MBS_TRY(list_quantities(context, simulation, &all));
  MBS_TAKE(context, simulation->arena, history->quantities, all.count);
  MBS_TAKE(context, simulation->arena, history->wanted_outputs, simulation->outputs.count);
  history->quantity_count = 0;
  for (int i = 0; i < all.count && !simulation->settings.columns[0]; ++i) {
    MbsQuantityKind kind = all.items[i].kind;
    bool is_brief = simulation->outputs.count > 0;
    if (kind == MBS_QUANTITY_OUTPUT || kind == MBS_QUANTITY_OBJECTIVE || (!is_brief && kind != MBS_QUANTITY_RESIDUAL)) {
      history->quantities[history->quantity_count++] = all.items[i];
    }
  }
  MBS_TRY(choose_listed(context, simulation, &all, history));
  for (int i = 0; i < history->quantity_count; ++i) {
    if (history->quantities[i].kind == MBS_QUANTITY_OUTPUT) {
      history->has_outputs = history->wanted_outputs[history->quantities[i].index] = true;
    }
    if (history->quantities[i].kind == MBS_QUANTITY_RESIDUAL && is_differentiated) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                      "column \"%s\" has no derivatives, being what rounding and steps leave: ask for it in a run "
                      "without them (simulate)",
                      history->quantities[i].name);
    }
    history->has_residuals = history->has_residuals || history->quantities[i].kind == MBS_QUANTITY_RESIDUAL;
  }
  return MBS_OK;
}

// does a step of the plan end where steps of one size do?
static bool is_step_time(const MbsSettings *settings, long planned, double t) {
  return fabs(t - (double)planned * settings->step) < 1e-6 * settings->step;  // real
}

// is it a multiple of the interval of rows?
static bool is_sample_time(const MbsSettings *settings, double t) {
  double rows = t / settings->sample;
  return fabs(rows - round(rows)) < 1e-6;  // real
}

// Where the last steps share what is left of the time, their ends are no multiples of an interval.
static MbsStatus check_sample(MbsContext *context, const MbsSimulation *simulation) {
  const MbsSettings *settings = &simulation->settings;
  long before = simulation->plan.step_count - 1;
  double t = mbs_re(mbs_path_step(&simulation->plan, before).t);
  if (simulation->dense.is_wanted && settings->step_tolerance <= 0 && simulation->events.count > 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "sample %.10g is no multiple of the step %.10g, and with equal steps through events, or kinks of "
                    "laws, rows are where steps end; give a step_tolerance, by which rows lie anywhere",
                    settings->sample, settings->step);
  }
  return settings->sample <= 0 || settings->step_tolerance > 0 || simulation->dense.is_wanted || before == 0 ||
                 is_step_time(settings, before, t)
             ? MBS_OK
             : mbs_fail(
                   context, MBS_ERROR_INPUT, mbs_nowhere,
                   "sample %.10g: the end %.10g is no multiple of the step %.10g, and with formulation %s the last "
                   "steps share what is left, so that they end elsewhere; take every %ld, or another end",
                   settings->sample, settings->end, settings->step, settings->formulation, settings->every);
}

MbsStatus mbs_history_create(MbsContext *context, const MbsSimulation *simulation, bool is_differentiated,
                             MbsHistory *history) {
  const MbsSystem *system = simulation->system;
  MBS_TRY(check_sample(context, simulation));
  MBS_TRY(choose_quantities(context, simulation, is_differentiated, history));
  int count = history->quantity_count, columns = simulation->has_columns ? system->asked_count : 0;
  history->column_count = 1 + count * (1 + columns);
  MBS_TAKE(context, simulation->arena, history->names, history->column_count);
  MBS_TAKE(context, simulation->arena, history->units, history->column_count);
  MBS_TAKE(context, simulation->arena, history->descriptions, history->column_count);
  MBS_TAKE(context, simulation->arena, history->groups, history->column_count);
  MBS_TAKE(context, simulation->arena, history->row, history->column_count);
  history->names[0] = "t";
  history->units[0] = "s";
  history->groups[0] = "time";
  for (int i = 0; i < count; ++i) {
    history->names[1 + i] = history->quantities[i].name;
    history->units[1 + i] = history->quantities[i].unit;
    history->descriptions[1 + i] = history->quantities[i].description;
    history->groups[1 + i] = history->quantities[i].group;
  }
  for (int k = 0; k < columns; ++k) {
    const char *parameter = system->blueprint->parameters.items[system->columns[k]].name;
    for (int i = 0; i < count; ++i) {
      const char *name = mbs_arena_print(simulation->arena, "d(%s)/d(%s)", history->names[1 + i], parameter);
      history->names[1 + count * (1 + k) + i] = name ? name : parameter;
    }
  }
  return MBS_OK;
}

// ---- rows ----
MbsStatus mbs_history_begin(const MbsRecorder *recorder, const MbsHistory *history) {
  return mbs_recorder_begin(recorder, history->column_count, history->names, history->units, history->descriptions,
                            history->groups);
}

// Where not every step is a row, rows are as far apart as asked for: of so manieth steps, and if that is an interval of
// time, not of a last step that is shorter.
static bool is_step_row(const MbsSettings *settings, long planned, double t) {
  bool is_counted = settings->every <= 1 || planned % settings->every == 0;
  return is_counted && (settings->sample <= 0 || is_step_time(settings, planned, t));
}

bool mbs_history_has_row(const MbsSimulation *simulation) {
  const MbsSettings *settings = &simulation->settings;
  const MbsPath *followed = simulation->followed;
  long steps = simulation->path.step_count, planned = simulation->planned;
  if ((settings->every <= 1 && settings->sample <= 0) || steps == 0) {
    return true;
  }
  MbsStep step = mbs_path_step(&simulation->path, steps);
  bool has_happened = step.event == 0 || (step.is_planned && !mbs_events_is_pending(simulation));
  bool is_end = step.event > 0 && simulation->events.items[step.event - 1].spec->is_end;
  if (simulation->control.tolerance > 0 || simulation->dense.is_wanted) {
    return (has_happened || is_end) &&
           (settings->sample > 0 ? is_sample_time(settings, mbs_re(step.t)) : steps % settings->every == 0);
  }
  planned += is_end;
  double t = mbs_re(mbs_path_step(followed, followed == &simulation->plan ? planned : steps).t);
  return (has_happened || is_end) && is_step_row(settings, planned, t);
}

static double number_of(bool is_perturbed, mbs_scalar x) {
  return is_perturbed ? mbs_im(x) / MBS_COMPLEX_STEP : mbs_re(x);
}

static mbs_scalar value_of(const MbsSimulation *simulation, const MbsHistory *history, const MbsQuantity *quantity) {
  const MbsState *state = &simulation->state;
  const mbs_scalar *const lists[] = {simulation->outputs.value,    state->q,         state->v, state->a, state->lambda,
                                     simulation->objectives.value, history->residual};
  return lists[quantity->kind][quantity->index];
}

static mbs_scalar slope_of(const MbsSimulation *simulation, const MbsQuantity *quantity, int k) {
  const MbsSystem *system = simulation->system;
  const MbsColumns *columns = &simulation->columns;
  int i = quantity->index;
  switch (quantity->kind) {
    case MBS_QUANTITY_OUTPUT: return simulation->outputs.slope[i * system->asked_count + k];
    case MBS_QUANTITY_POSITION: return columns->X[k * system->nq + i];
    case MBS_QUANTITY_VELOCITY: return columns->V[k * system->nq + i];
    case MBS_QUANTITY_ACCELERATION: return columns->A[k * system->nq + i];
    case MBS_QUANTITY_MULTIPLIER: return columns->L[k * system->m + i];
    case MBS_QUANTITY_RESIDUAL:  // refused
    case MBS_QUANTITY_OBJECTIVE: break;
  }
  return simulation->objectives.gradient[i * simulation->objectives.stride + k];
}

MbsStatus mbs_history_row(MbsSimulation *simulation, const MbsRecorder *recorder, int perturbed, MbsHistory *history) {
  bool is_perturbed = perturbed >= 0;
  double *row = history->row;
  if (history->has_outputs) {
    mbs_outputs_evaluate(simulation, history->wanted_outputs);
  }
  if (history->has_residuals) {
    mbs_violation_residuals(simulation, history->residual);
  }
  *row++ = mbs_re(simulation->state.t);
  for (int i = 0; i < history->quantity_count; ++i) {
    *row++ = number_of(is_perturbed, value_of(simulation, history, &history->quantities[i]));
  }
  for (int k = 0; k < simulation->system->asked_count && simulation->has_columns; ++k) {
    for (int i = 0; i < history->quantity_count; ++i) {
      *row++ = number_of(is_perturbed, slope_of(simulation, &history->quantities[i], k));
    }
  }
  return recorder->row(recorder->user, history->row);
}

MbsStatus mbs_history_rows_within(MbsContext *context, MbsSimulation *simulation, const MbsRecorder *recorder,
                                  int perturbed, MbsHistory *history) {
  MbsStatus status = MBS_OK;
  for (double t = -HUGE_VAL; status == MBS_OK && mbs_dense_next(simulation, &t);) {
    MBS_TRY(mbs_dense_go(context, simulation, t));
    status = mbs_history_row(simulation, recorder, perturbed, history);
    mbs_dense_return(simulation);
  }
  return status;
}

MbsStatus mbs_history_replay(MbsContext *context, const MbsSimulation *simulation, const MbsRecorder *recorder,
                             const MbsSeries *series, const MbsContinuous *continuous) {
  const MbsSystem *system = simulation->system;
  int kept = series->column_count, columns = system->asked_count, count = continuous->running_count;
  int total = kept + columns * count;
  const char **names, **units, **descriptions, **groups;
  double *row;
  MBS_TAKE(context, simulation->arena, names, total);
  MBS_TAKE(context, simulation->arena, groups, total);
  MBS_TAKE(context, simulation->arena, units, total);
  MBS_TAKE(context, simulation->arena, descriptions, total);
  MBS_TAKE(context, simulation->arena, row, total);
  memcpy(names, series->names, (size_t)kept * sizeof *names);
  memcpy(units, series->units, (size_t)kept * sizeof *units);
  memcpy(descriptions, series->descriptions, (size_t)kept * sizeof *descriptions);
  memcpy(groups, series->groups, (size_t)kept * sizeof *groups);
  for (int k = 0; k < columns; ++k) {
    const char *parameter = system->blueprint->parameters.items[system->columns[k]].name;
    for (int i = 0; i < count; ++i) {
      const char *objective = simulation->objectives.items[continuous->running_of[i]].function.name;
      const char *name = mbs_arena_print(simulation->arena, "d(%s)/d(%s)", objective, parameter);
      names[kept + k * count + i] = name ? name : parameter;
    }
  }
  MBS_TRY(mbs_recorder_begin(recorder, total, names, units, descriptions, groups));
  for (long step = 0; step < series->row_count; ++step) {
    if (!is_step_row(&simulation->settings, step, series->rows[step * kept])) {
      continue;
    }
    const mbs_scalar *running = continuous->running + step * count * system->column_count;
    memcpy(row, series->rows + step * kept, (size_t)kept * sizeof *row);
    for (int k = 0; k < columns; ++k) {
      for (int i = 0; i < count; ++i) {
        row[kept + k * count + i] = mbs_re(running[i * system->column_count + k]);
      }
    }
    MBS_TRY(recorder->row(recorder->user, row));
  }
  return MBS_OK;
}

void mbs_history_thin(const MbsSimulation *simulation, MbsSeries *series) {
  size_t width = (size_t)series->column_count;
  long count = series->row_count;
  series->row_count = 0;
  for (long step = 0; step < count; ++step) {
    if (is_step_row(&simulation->settings, step, series->rows[step * series->column_count])) {
      memmove(series->rows + (size_t)series->row_count++ * width, series->rows + (size_t)step * width,
              width * sizeof *series->rows);
    }
  }
}
