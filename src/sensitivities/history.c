#include "sensitivities/history.h"

#include <string.h>

#include "algebra/perturbation.h"

// the name of a coordinate; of one of the model's own that is called like an objective: coordinate(theta)
static const char *coordinate_name(const MbsSimulation *simulation, int index) {
  const char *name = simulation->system->coordinate_names[index];
  for (int i = 0; i < simulation->objectives.count; ++i) {
    if (name && strcmp(simulation->objectives.items[i].function.name, name) == 0) {
      return mbs_arena_print(simulation->arena, "coordinate(%s)", name);
    }
  }
  return name;
}

static MbsStatus name_quantities(MbsContext *context, const MbsSimulation *simulation, int count, const char **names) {
  const MbsSystem *system = simulation->system;
  MbsArena *arena = simulation->arena;
  static const char *const marks[] = {"", "'", "''"};
  int used = 0;
  for (int level = 0; level < 3; ++level) {
    for (int i = 0; i < system->n; ++i) {
      const char *name = coordinate_name(simulation, i);
      names[used++] = name ? mbs_arena_print(arena, "%s%s", name, marks[level]) : NULL;
    }
  }
  for (int i = 0; i < system->m; ++i) {
    names[used++] = mbs_arena_print(arena, "lambda(%s)", system->blueprint->rows.items[i].name);
  }
  for (int i = 0; i < simulation->objectives.count; ++i) {
    if (simulation->objectives.items[i].is_wanted) {
      names[used++] = simulation->objectives.items[i].function.name;
    }
  }
  for (int i = 0; i < count; ++i) {
    if (!names[i]) {
      return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
  }
  return MBS_OK;
}

MbsStatus mbs_history_create(MbsContext *context, const MbsSimulation *simulation, MbsHistory *history) {
  const MbsSystem *system = simulation->system;
  int count = 3 * system->n + system->m;
  for (int i = 0; i < simulation->objectives.count; ++i) {
    count += simulation->objectives.items[i].is_wanted;
  }
  int columns = simulation->has_columns ? system->asked_count : 0;
  int total = 1 + count * (1 + columns);
  const char **names;
  MBS_TAKE(context, simulation->arena, names, total);
  MBS_TAKE(context, simulation->arena, history->row, total);
  history->quantity_count = count;
  names[0] = "t";
  MBS_TRY(name_quantities(context, simulation, count, names + 1));
  for (int k = 0; k < columns; ++k) {
    const char *parameter = system->blueprint->parameters.items[system->columns[k]].name;
    for (int i = 0; i < count; ++i) {
      const char *name = mbs_arena_print(simulation->arena, "d(%s)/d(%s)", names[1 + i], parameter);
      names[1 + count * (1 + k) + i] = name ? name : parameter;
    }
  }
  history->column_count = total;
  history->names = names;
  return MBS_OK;
}

MbsStatus mbs_history_begin(const MbsRecorder *recorder, const MbsHistory *history) {
  return recorder->begin(recorder->user, history->column_count, history->names);
}

static int put(bool is_perturbed, int count, const mbs_scalar *from, double *row) {
  for (int i = 0; i < count; ++i) {
    row[i] = is_perturbed ? mbs_im(from[i]) / MBS_COMPLEX_STEP : mbs_re(from[i]);
  }
  return count;
}

MbsStatus mbs_history_row(const MbsSimulation *simulation, const MbsRecorder *recorder, int perturbed,
                          const MbsHistory *history) {
  bool is_perturbed = perturbed >= 0;
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  const MbsColumns *columns = &simulation->columns;
  const MbsObjectives *objectives = &simulation->objectives;
  double *row = history->row;
  *row++ = mbs_re(state->t);
  row += put(is_perturbed, system->n, state->q, row);
  row += put(is_perturbed, system->n, state->v, row);
  row += put(is_perturbed, system->n, state->a, row);
  row += put(is_perturbed, system->m, state->lambda, row);
  for (int i = 0; i < objectives->count; ++i) {
    row += objectives->items[i].is_wanted ? put(is_perturbed, 1, objectives->value + i, row) : 0;
  }
  for (int k = 0; k < system->asked_count && simulation->has_columns; ++k) {
    row += put(is_perturbed, system->n, columns->X + k * system->nq, row);
    row += put(is_perturbed, system->n, columns->V + k * system->nq, row);
    row += put(is_perturbed, system->n, columns->A + k * system->nq, row);
    row += put(is_perturbed, system->m, columns->L + k * system->m, row);
    for (int i = 0; i < objectives->count; ++i) {
      row += objectives->items[i].is_wanted
                 ? put(is_perturbed, 1, objectives->gradient + i * objectives->stride + k, row)
                 : 0;
    }
  }
  return recorder->row(recorder->user, history->row);
}

MbsStatus mbs_history_replay(MbsContext *context, const MbsSimulation *simulation, const MbsRecorder *recorder,
                             const MbsSeries *series, const MbsContinuous *continuous) {
  const MbsSystem *system = simulation->system;
  int kept = series->column_count, columns = system->asked_count, count = continuous->running_count;
  int total = kept + columns * count;
  const char **names;
  double *row;
  MBS_TAKE(context, simulation->arena, names, total);
  MBS_TAKE(context, simulation->arena, row, total);
  memcpy(names, series->names, (size_t)kept * sizeof *names);
  for (int k = 0; k < columns; ++k) {
    const char *parameter = system->blueprint->parameters.items[system->columns[k]].name;
    for (int i = 0; i < count; ++i) {
      const char *objective = simulation->objectives.items[continuous->running_of[i]].function.name;
      const char *name = mbs_arena_print(simulation->arena, "d(%s)/d(%s)", objective, parameter);
      names[kept + k * count + i] = name ? name : parameter;
    }
  }
  MBS_TRY(recorder->begin(recorder->user, total, names));
  for (long step = 0; step < series->row_count; ++step) {
    const mbs_scalar *running = continuous->running + step * count * system->column_count;
    memcpy(row, series->rows + step * kept, (size_t)kept * sizeof *row);
    for (int k = 0; k < columns; ++k) {
      for (int i = 0; i < count; ++i) {
        (void)put(false, 1, running + i * system->column_count + k, row + kept + k * count + i);
      }
    }
    MBS_TRY(recorder->row(recorder->user, row));
  }
  return MBS_OK;
}
