// Steps of independent coordinates: their sets, and the step as a whole. See reduced.h.
#include "integrators/reduced.h"

// ---- sets ----
static bool is_same_list(int count, const int *list, int other_count, const int *other) {
  bool is_same = count == other_count;
  for (int i = 0; i < count && is_same; ++i) {
    is_same = list[i] == other[i];
  }
  return is_same;
}

static bool is_same_choice(const MbsSetChoice *a, const MbsSetChoice *b) {
  bool is_same = a->is_automatic == b->is_automatic &&
                 (!a->is_automatic || is_same_list(a->count, a->coordinates, b->count, b->coordinates));
  return is_same && is_same_list(a->row_count, a->rows, b->row_count, b->rows) &&
         is_same_list(a->rate_row_count, a->rate_rows, b->rate_row_count, b->rate_rows);
}

static MbsStatus append_set(MbsContext *context, MbsReduced *reduced, const MbsSetChoice *choice) {
  MbsSystem *system = reduced->system;
  MBS_GROW(context, system->arena, reduced->sets, reduced->set_count, reduced->set_capacity);
  MBS_GROW(context, system->arena, reduced->growth, reduced->set_count, reduced->growth_capacity);
  MBS_GROW(context, system->arena, reduced->choices, reduced->set_count, reduced->choice_capacity);
  MBS_GROW(context, system->arena, reduced->acting, reduced->set_count, reduced->acting_capacity);
  MbsIndependentSet *set = NULL;
  MbsStatus status = mbs_independent_set_create(context, system, choice, &set);
  if (status != MBS_OK) {
    mbs_independent_set_destroy(set);
    return status;
  }
  reduced->choices[reduced->set_count] = mbs_independent_set_choice(set);
  reduced->acting[reduced->set_count] = mbs_system_acting(system);
  reduced->sets[reduced->set_count++] = set;
  reduced->stepper->set_count = reduced->set_count;
  reduced->stepper->sets = reduced->choices;
  return MBS_OK;
}

static MbsStatus no_set(MbsContext *context, const MbsState *state) {
  return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                  "matrix-r: no independent coordinates determine the motion at t = %.10g, a singular position; use "
                  "ali3p, ali1 or penalty",
                  mbs_re(state->t));
}

MbsStatus mbs_reduced_choose_set(MbsContext *context, MbsReduced *reduced, const MbsState *state, bool is_automatic,
                                 int freedom) {
  mbs_arena_clear(reduced->choosing);
  mbs_arena_tell(reduced->choosing, context);
  MbsSystem *system = reduced->system;
  MbsSetChoice choice;
  int found = 0;
  MBS_TRY(mbs_independent_set_choose(context, reduced->choosing, system, state, is_automatic, &choice));
  if (freedom >= 0 && choice.count != freedom) {  // where constraints become dependent
    return no_set(context, state);
  }
  for (; found < reduced->set_count; ++found) {
    if (is_same_choice(&choice, &reduced->choices[found])) {
      break;
    }
  }
  if (found == reduced->set_count) {
    MBS_TRY(append_set(context, reduced, &choice));
  }
  mbs_signal_bank_evaluate(system, state);
  if (!mbs_independent_set_factor(reduced->sets[found], state, NULL)) {
    return no_set(context, state);
  }
  reduced->growth[found] = mbs_reduced_growth(reduced, reduced->sets[found]);
  reduced->next = found;
  return MBS_OK;
}

// ---- the start ----
// what depends on the number of independent coordinates
static MbsStatus create_workspace(MbsContext *context, MbsReduced *reduced) {
  const MbsSystem *system = reduced->system;
  MbsArena *arena = system->arena;
  size_t d = (size_t)reduced->most, n = (size_t)system->n, nq = (size_t)system->nq, m = (size_t)system->m;
  size_t columns = (size_t)system->carried_count, entries = (size_t)system->mode.pattern.entry_count + 1;
  struct {
    mbs_scalar **array;
    size_t size;
  } arrays[] = {{&reduced->old_g, nq},
                {&reduced->level[0], d},
                {&reduced->level[1], d},
                {&reduced->level[2], d},
                {&reduced->level[3], d},
                {&reduced->zh, d},
                {&reduced->rateh, d},
                {&reduced->uh, d},
                {&reduced->s, d},
                {&reduced->change, d},
                {&reduced->X, nq * d},
                {&reduced->V, nq * d},
                {&reduced->A, nq * d},
                {&reduced->tangent, entries},
                {&reduced->J, d * d},
                {&reduced->rho, d},
                {&reduced->y, n + m},
                {&reduced->r, n + m},
                {&reduced->several, (n + m) * d},
                {&reduced->levels, m},
                {&reduced->Z[0], d * columns},
                {&reduced->Z[1], d * columns},
                {&reduced->Z[2], d * columns},
                {&reduced->Z[3], d * columns},
                {&reduced->R, (n + m) * columns},
                {&reduced->S, d * columns},
                {&reduced->scratch.q, nq},
                {&reduced->scratch.v, nq},
                {&reduced->scratch.a, nq},
                {&reduced->scratch.lambda, m},
                {&reduced->scratch.coefficients, (size_t)system->coefficients.nodes.count},
                {&reduced->scratch.parameters, (size_t)system->blueprint->parameters.count},
                {&reduced->p[0], n + m},
                {&reduced->p[1], n + m},
                {&reduced->p[2], n + m},
                {&reduced->p[3], n + m},
                {&reduced->p[4], d},
                {&reduced->p[5], n + m},
                {&reduced->by[0], entries},
                {&reduced->by[1], entries},
                {&reduced->by[2], entries},
                {&reduced->rate_by_q, entries},
                {&reduced->own[0], n * d},
                {&reduced->own[1], n * d},
                {&reduced->own[2], n * d},
                {&reduced->P[0], (n + m) * d},
                {&reduced->P[1], (n + m) * d},
                {&reduced->P[2], (n + m) * d},
                {&reduced->nu[0], m},
                {&reduced->nu[1], m},
                {&reduced->nu[2], m},
                {&reduced->of_own, d}};
  for (int i = 0; i < MBS_COUNT(arrays); ++i) {
    MBS_TAKE(context, arena, *arrays[i].array, arrays[i].size);
  }
  MBS_TAKE(context, arena, reduced->pivot, d);
  MBS_TAKE(context, arena, reduced->below, n);
  const MbsPattern *pattern = &system->mode.pattern;
  for (int column = 0; column < system->n && !pattern->tree; ++column) {
    int *below = &reduced->below[column];
    *below = pattern->column_start[column];
    while (*below < pattern->column_start[column + 1] && pattern->row[*below] < system->n) {
      *below += 1;
    }
  }
  return MBS_OK;
}

// the sets of a path that is followed, under their numbers there
static MbsStatus follow(MbsContext *context, MbsReduced *reduced, const MbsPath *path) {
  int same = 0;
  while (same < path->set_count && same < reduced->set_count &&
         is_same_choice(&path->sets[same], &reduced->choices[same])) {
    same += 1;
  }
  if (same < path->set_count) {
    while (reduced->set_count > same) {
      mbs_independent_set_destroy(reduced->sets[--reduced->set_count]);
    }
  }
  for (int i = same; i < path->set_count; ++i) {
    MBS_TRY(append_set(context, reduced, &path->sets[i]));
  }
  reduced->next = 0;
  return MBS_OK;
}

// The set of the user's coordinates, or a chosen one, that was made where the same joints act; -1: none.
static int find_set(const MbsReduced *reduced, bool is_automatic) {
  uint64_t acting = mbs_system_acting(reduced->system);
  for (int i = 0; i < reduced->set_count; ++i) {
    if (reduced->choices[i].is_automatic == is_automatic && reduced->acting[i] == acting) {
      return i;
    }
  }
  return -1;
}

// the set that the user gave, which a start before this one has made: true, if it serves
static bool take_given(MbsReduced *reduced, const MbsState *state) {
  int given = find_set(reduced, false);
  if (given < 0) {
    return false;
  }
  mbs_signal_bank_evaluate(reduced->system, state);
  if (!mbs_independent_set_factor(reduced->sets[given], state, NULL)) {
    return false;
  }
  reduced->growth[given] = mbs_reduced_growth(reduced, reduced->sets[given]);
  reduced->next = given;
  return true;
}

// The user's coordinates are those of the start: where other joints act there may be more freedoms or fewer, and then
// coordinates are chosen.
static MbsStatus choose_first(MbsContext *context, MbsReduced *reduced, const MbsState *state) {
  bool is_start = reduced->set_count == 0, is_given = mbs_independent_set_is_given(reduced->system->blueprint);
  bool is_tried = find_set(reduced, false) < 0 && find_set(reduced, true) >= 0;
  if (!is_given || is_tried) {
    return mbs_reduced_choose_set(context, reduced, state, true, -1);
  }
  if (take_given(reduced, state)) {
    return MBS_OK;
  }
  MbsStatus status = mbs_reduced_choose_set(context, reduced, state, false, -1);
  if (status == MBS_ERROR_INPUT && !is_start) {
    context->status = MBS_OK;
    status = mbs_reduced_choose_set(context, reduced, state, true, -1);
  }
  return status;
}

// as many as there would be without the joints that events may remove, at most
static int most_freedoms(const MbsReduced *reduced) {
  const MbsSystem *system = reduced->system;
  int most = reduced->sets[reduced->next]->count;
  for (int i = 0; i < system->m; ++i) {
    most += system->mode.rows[i].acts && !mbs_row_rests(&system->mode.rows[i]);
  }
  return most < system->n ? most : system->n;
}

MbsStatus mbs_reduced_start(MbsContext *context, MbsReduced *reduced, const MbsPath *followed, const MbsState *state) {
  bool is_new = !reduced->old_g;
  MBS_TRY(followed->set_count > 0 ? follow(context, reduced, followed) : choose_first(context, reduced, state));
  reduced->current = MBS_UNDECIDED;  // no step yet
  reduced->count = reduced->sets[reduced->next]->count;
  if (is_new) {
    reduced->most = most_freedoms(reduced);
    MBS_TRY(create_workspace(context, reduced));
    MBS_TRY(mbs_state_create(context, reduced->system, &reduced->old));
    MBS_TRY(mbs_state_create(context, reduced->system, &reduced->accepted));
  }
  mbs_reduced_resume(reduced, state);
  return MBS_OK;
}

void mbs_reduced_resume(MbsReduced *reduced, const MbsState *state) {
  mbs_state_copy(reduced->system, state, &reduced->accepted);
  if (reduced->implicit->w) {
    (void)mbs_reduced_auxiliary(reduced, state, reduced->implicit->w);
  }
}

// ---- one step ----
// What does not help is not tried again until it has become worse still.
MbsStatus mbs_reduced_choose_next(MbsContext *context, MbsReduced *reduced, const MbsState *state) {
  const double worse = 3, better = 0.7, worse_still = 2;
  int current = reduced->current;
  double growth =
      reduced->present_growth >= 0 ? reduced->present_growth : mbs_reduced_growth(reduced, reduced->sets[current]);
  reduced->next = current;
  if (growth <= worse * reduced->growth[current]) {
    return MBS_OK;
  }
  MbsStatus status = mbs_reduced_choose_set(context, reduced, state, true, reduced->count);
  // constraints may become dependent just here, and the present set still serves
  bool is_none = status == MBS_ERROR_NUMERICAL || status == MBS_ERROR_INPUT;
  if (is_none) {
    context->status = MBS_OK;
  } else {
    MBS_TRY(status);
  }
  if (is_none || reduced->growth[reduced->next] > better * growth) {
    reduced->next = current;
    reduced->growth[current] = growth * worse_still / worse;
  }
  return MBS_OK;
}

MbsStatus mbs_reduced_step(MbsContext *context, MbsReduced *reduced, MbsStep *step, MbsState *state) {
  const MbsSystem *system = reduced->system;
  const MbsRuleStep k = mbs_rule_step(&reduced->implicit->rule, step->h);
  bool is_decided = step->set != MBS_UNDECIDED;
  mbs_reduced_use(reduced, is_decided ? step->set : reduced->next);
  mbs_state_copy(system, &reduced->accepted, &reduced->old);
  for (int i = 0; i < system->nq && reduced->implicit->w; ++i) {
    reduced->old_g[i] = reduced->implicit->w[i];
  }
  mbs_implicit_extrapolate(reduced->implicit, state->a, state->lambda);
  MbsStatus status = mbs_reduced_solve(context, reduced, &k, false, state);
  // once more from the accelerations of the step before: as a set may lose the motion within a step, with one that
  // suits where the step begins; then carefully. Not because of rounding, for a step in other coordinates has another
  // truncation error
  for (int attempt = is_decided; attempt < 2 && status == MBS_ERROR_NUMERICAL && !reduced->is_stuck; ++attempt) {
    context->status = MBS_OK;
    if (attempt == 0) {
      MBS_TRY(mbs_reduced_choose_set(context, reduced, &reduced->old, true, reduced->count));
      mbs_reduced_use(reduced, reduced->next);
    }
    for (int i = 0; i < system->n; ++i) {
      state->a[i] = reduced->old.a[i];
    }
    for (int i = 0; i < system->m; ++i) {
      state->lambda[i] = reduced->old.lambda[i];
    }
    status = mbs_reduced_solve(context, reduced, &k, attempt > 0, state);
  }
  MBS_TRY(status);
  mbs_implicit_remember(reduced->implicit, state->a, state->lambda);
  step->set = reduced->current;
  for (int i = 0; i < reduced->count && reduced->before[0]; ++i) {
    reduced->before[0][i] = reduced->level[1][i];
    reduced->before[1][i] = reduced->level[2][i];
    reduced->before[2][i] = reduced->level[reduced->implicit->w ? 3 : 2][i];
    reduced->before[3][i] = reduced->s[i];
  }
  if (!is_decided) {
    MBS_TRY(mbs_reduced_choose_next(context, reduced, state));
  }
  (void)mbs_implicit_stage(reduced->implicit, state, true);
  MBS_TRY(mbs_implicit_finish(context, reduced->implicit, state, 0));
  mbs_state_copy(system, state, &reduced->accepted);
  return MBS_OK;
}
