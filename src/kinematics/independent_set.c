// What the start and matrix-r have in common. See independent_set.h.
#include "kinematics/independent_set.h"

static const double rank_tolerance = 1e-7;

bool mbs_system_is_nonholonomic(const MbsSystem *system) {
  for (int k = 0; k < system->m; ++k) {
    if (system->mode.rows[k].is_nonholonomic) {
      return true;
    }
  }
  return false;
}

// ---- memory ----
static MbsStatus create_independents(MbsContext *context, int count, const MbsIndependentSpec *specs,
                                     MbsIndependentSet *set) {
  MbsSystem *system = set->system;
  set->count = count;
  MBS_TAKE(context, system->arena, set->independents, set->count);
  for (int i = 0; i < set->count; ++i) {
    const MbsIndependentSpec *spec = &specs[i];
    MbsIndependent *made = &set->independents[i];
    made->name = spec->name;
    made->place = spec->place;
    made->has_velocity = spec->has_velocity;
    made->is_state = spec->is_state;
    made->is_held = spec->is_held;
    made->is_chosen = spec->is_chosen;
    MBS_TRY(mbs_function_create(context, system, spec->name, spec->place, spec->coordinate, &made->w));
    MBS_TRY(mbs_function_create(context, system, spec->name, spec->place, spec->rate, &made->rate));
    MBS_TRY(mbs_function_create(context, system, spec->name, spec->place, spec->second, &made->second));
  }
  return MBS_OK;
}

MbsStatus mbs_independent_set_begin(MbsContext *context, MbsArena *arena, MbsSystem *system, int count,
                                    const MbsIndependentSpec *specs, MbsIndependentSet *set) {
  set->system = system;
  MBS_TAKE(context, arena, set->rate_row, count);
  MBS_TAKE(context, arena, set->is_redundant, system->m);
  MBS_TAKE(context, arena, set->position.rows, system->n + system->m);
  MBS_TAKE(context, arena, set->gradient, system->nq);
  return create_independents(context, count, specs, set);
}

MbsStatus mbs_independent_set_take_automatic(MbsContext *context, MbsArena *arena, MbsIndependentSet *set, int count) {
  set->is_automatic = true;
  set->count = count;
  MBS_TAKE(context, arena, set->automatic, count);
  MBS_TAKE(context, arena, set->rate_row, count);
  return MBS_OK;
}

void mbs_independent_set_find_rates(const MbsIndependentSet *set) {
  for (int i = 0; i < set->count; ++i) {
    set->rate_row[i] = -1;
  }
  for (int r = 0; r < set->velocity->row_count; ++r) {
    int i = set->velocity->rows[r] - set->system->m;
    if (i >= 0) {
      set->rate_row[i] = r;
    }
  }
}

MbsStatus mbs_independent_set_finish(MbsContext *context, MbsIndependentSet *set) {
  MbsSystem *system = set->system;
  MBS_TAKE(context, system->arena, set->tangent, system->mode.pattern.entry_count + 1);
  if (!mbs_system_is_nonholonomic(system)) {
    set->velocity = &set->position;
    mbs_independent_set_find_rates(set);
  }
  return mbs_problem_create(context, set, &set->position);
}

void mbs_independent_set_destroy(MbsIndependentSet *set) {
  if (set) {
    mbs_problem_destroy(&set->position);
    if (set->velocity && set->velocity != &set->position) {
      mbs_problem_destroy(set->velocity);
    }
  }
}

// ---- a coordinate ----
mbs_scalar mbs_independent_set_value(const MbsIndependentSet *set, int index, const MbsState *state) {
  return set->is_automatic ? state->q[set->automatic[index]]
                           : mbs_function_evaluate(set->system, &set->independents[index].w, state, NULL);
}

void mbs_independent_set_gradient(const MbsIndependentSet *set, int index, const MbsState *state) {
  const MbsSystem *system = set->system;
  const MbsFunction *w = &set->independents[index].w;
  for (int i = 0; i < system->nq; ++i) {
    set->gradient[i] = 0;
  }
  (void)mbs_function_evaluate(system, w, state, NULL);
  mbs_function_transposed(system, w, state, 1, &(MbsStateBar){.q = set->gradient});
}

int mbs_independent_set_gradient_row(const MbsIndependentSet *set, int i, const MbsState *state, int *column,
                                     double *value) {
  int entries = 0;
  if (set->is_automatic) {
    column[0] = set->automatic[i];
    value[0] = 1;
    return 1;
  }
  mbs_independent_set_gradient(set, i, state);
  for (int k = 0; k < set->system->n; ++k) {
    if (mbs_re(mbs_abs(set->gradient[k])) > 0) {
      column[entries] = k;
      value[entries++] = mbs_re(set->gradient[k]);
    }
  }
  return entries;
}

// ---- choosing rows ----
MbsStatus mbs_independent_set_misfit(MbsContext *context, const MbsSystem *system, int given, int freedom,
                                     const char *advice) {
  const MbsRecord *section = mbs_record_child(&system->blueprint->model->root, MBS_MODEL_INITIAL);
  MbsPlace place = mbs_record_value(section, MBS_INITIAL_INDEPENDENT)->place;
  return mbs_fail(context, MBS_ERROR_INPUT, place,
                  "too %s independent coordinates: %d given, the %s %d degree%s of freedom; %s",
                  given > freedom ? "many" : "few", given,
                  mbs_system_is_nonholonomic(system) ? "positions of the model have" : "model has", freedom,
                  freedom == 1 ? "" : "s", advice);
}

MbsStatus mbs_independent_set_adds_nothing(MbsContext *context, const char *name, MbsPlace place) {
  return mbs_fail(
      context, MBS_ERROR_INPUT, place,
      "independent coordinate \"%s\" does not add a freedom to the constraints and the coordinates before it; "
      "choose another, such as the angle of a body",
      name);
}

MbsStatus mbs_independent_set_choose_constraints(MbsContext *context, MbsIndependentSet *set, const MbsSparseRows *rows,
                                                 const bool *is_preferred, MbsRank *rank, int *count) {
  enum { PREFERRED, OTHER, DRIVER, GROUPS };
  const MbsSystem *system = set->system;
  mbs_rank_announce(rank, rows->start[system->m], rows->column);
  set->redundant_count = 0;
  for (int i = 0; i < GROUPS * system->m; ++i) {
    int k = i % system->m, first = rows->start[k];
    const MbsRowSpec *row = &system->blueprint->rows.items[k];
    int group = row->is_driver ? DRIVER : is_preferred && is_preferred[k] ? PREFERRED : OTHER;
    bool is_new;
    if (row->is_nonholonomic || group != i / system->m) {
      continue;
    }
    if (mbs_row_rests(&system->mode.rows[k])) {
      set->is_redundant[k] = true;  // and not counted
      continue;
    }
    MBS_TRY(mbs_rank_take(context, rank, rows->start[k + 1] - first, rows->column + first, rows->value + first,
                          rank_tolerance, &is_new));
    if (is_new) {
      set->position.rows[(*count)++] = k;
    } else if (row->is_driver) {
      return mbs_fail(context, MBS_ERROR_INPUT, row->place,
                      "driver \"%s\": its coordinate is not free: the joints, or another driver, determine it already",
                      row->owner);
    }
    set->is_redundant[k] = !is_new;
    set->redundant_count += !is_new;
  }
  return MBS_OK;
}

MbsStatus mbs_independent_set_check_given(MbsContext *context, const MbsIndependentSet *set, const MbsState *state,
                                          MbsRank *rank, int freedom, MbsArena *scratch) {
  const MbsSystem *system = set->system;
  int *column;
  double *value;
  if (set->count != freedom) {
    return mbs_independent_set_misfit(context, system, set->count, freedom,
                                      "give that many, or none to have them chosen");
  }
  MBS_TAKE(context, scratch, column, system->n);
  MBS_TAKE(context, scratch, value, system->n);
  mbs_signal_bank_evaluate(system, state);
  for (int i = 0; i < set->count; ++i) {
    bool is_new;
    if (set->independents[i].is_chosen) {
      continue;  // by the start, since it adds one
    }
    int entries = mbs_independent_set_gradient_row(set, i, state, column, value);
    MBS_TRY(mbs_rank_take(context, rank, entries, column, value, rank_tolerance, &is_new));
    if (!is_new) {
      return mbs_independent_set_adds_nothing(context, set->independents[i].name, set->independents[i].place);
    }
  }
  return MBS_OK;
}
