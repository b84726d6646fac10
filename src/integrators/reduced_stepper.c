// The step of independent coordinates as a stepper. Its carry has what the next step's hats received, and g: see
// reduced.h.
#include "integrators/reduced.h"

static MbsReduced *self(MbsStepper *stepper) { return (MbsReduced *)stepper; }  // the stepper is its first member
static const MbsReduced *self_const(const MbsStepper *stepper) { return (const MbsReduced *)stepper; }

void mbs_reduced_destroy_sets(const MbsReduced *reduced) {
  for (int i = 0; i < reduced->set_count; ++i) {
    mbs_independent_set_destroy(reduced->sets[i]);
  }
  mbs_arena_destroy(reduced->choosing);
}

static void destroy(MbsStepper *stepper) {
  mbs_reduced_destroy_sets(self(stepper));
  mbs_implicit_destroy(self(stepper)->implicit);
}

static MbsStatus start(MbsContext *context, MbsStepper *stepper, const MbsPath *followed, MbsState *state) {
  mbs_implicit_forget(self(stepper)->implicit);
  MBS_TRY(mbs_implicit_enter_mode(context, self(stepper)->implicit, state));
  MBS_TRY(mbs_implicit_start(context, self(stepper)->implicit, state));
  return mbs_reduced_start(context, self(stepper), followed, state);
}

static MbsStatus step_to(MbsContext *context, MbsStepper *stepper, MbsStep *step, MbsState *state) {
  return mbs_reduced_step(context, self(stepper), step, state);
}

static MbsStatus derivative(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state,
                            const MbsColumns *columns) {
  return step->number == 0 ? mbs_implicit_start_derivative(context, self(stepper)->implicit, state, columns)
                           : mbs_reduced_step_derivative(context, self(stepper), step->h, state, columns);
}

// the state after the step, and g
static void put_row(const MbsStepper *stepper, const MbsState *state, mbs_scalar *row) {
  const MbsImplicit *implicit = self_const(stepper)->implicit;
  mbs_implicit_put_row(implicit, state, row);
  row += mbs_implicit_row_size(implicit);
  row = implicit->w ? mbs_put(row, self_const(stepper)->system->n, implicit->w) : row;
  for (int i = 0; i < 4 && self_const(stepper)->before[0]; ++i) {
    row = mbs_put(row, self_const(stepper)->system->n, self_const(stepper)->before[i]);
  }
}

static MbsStatus recall(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const mbs_scalar *row,
                        MbsState *state) {
  MbsImplicit *implicit = self(stepper)->implicit;
  const mbs_scalar *own = row + mbs_implicit_row_size(implicit);
  (void)step;
  own = implicit->w ? mbs_take(own, self(stepper)->system->n, implicit->w) : own;
  for (int i = 0; i < 4 && self(stepper)->before[0]; ++i) {
    own = mbs_take(own, self(stepper)->system->n, self(stepper)->before[i]);
  }
  return mbs_implicit_recall(context, implicit, 0, row, state);
}

static MbsStatus prepare(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state) {
  return step->number == 0 ? mbs_implicit_prepare_transposed(context, self(stepper)->implicit, 0)
                           : mbs_reduced_prepare_transposed(context, self(stepper), step, state);
}

static void transposed(MbsStepper *stepper, const MbsStep *step, const MbsStep *next, const MbsState *state,
                       const MbsStateBar *bar, mbs_scalar *carry) {
  MbsReduced *reduced = self(stepper);
  if (next) {
    mbs_reduced_handle_hats(reduced, next->set, step->number > 0, state, bar, carry);
  }
  if (step->number == 0) {
    mbs_implicit_start_transposed(reduced->implicit, state, bar, mbs_reduced_bar_of_g(reduced, carry));
  } else {
    mbs_reduced_step_transposed(reduced, step->h, state, bar, carry);
  }
}

static int save_size(const MbsStepper *stepper) {
  return mbs_implicit_save_size(self_const(stepper)->implicit) + MBS_REDUCED_SAVE_SIZE;
}

void mbs_reduced_save(const MbsReduced *reduced, mbs_scalar *to) {
  to[0] = reduced->next;
  to[1] = reduced->growth[reduced->next];
  to[2] = reduced->present_growth;
}

static void save(const MbsStepper *stepper, mbs_scalar *to) {
  const MbsImplicit *implicit = self_const(stepper)->implicit;
  mbs_implicit_save(implicit, to);
  mbs_reduced_save(self_const(stepper), to + mbs_implicit_save_size(implicit));
}

void mbs_reduced_restore(MbsReduced *reduced, const mbs_scalar *from, const MbsState *state) {
  reduced->next = (int)mbs_re(from[0]);
  reduced->growth[reduced->next] = mbs_re(from[1]);
  reduced->present_growth = mbs_re(from[2]);
  mbs_reduced_resume(reduced, state);
}

static void restore(MbsStepper *stepper, const mbs_scalar *from, const MbsState *state) {
  MbsImplicit *implicit = self(stepper)->implicit;
  mbs_implicit_restore(implicit, from);
  mbs_reduced_restore(self(stepper), from + mbs_implicit_save_size(implicit), state);
}

// K, from the first step on
MbsSparseSolver *mbs_reduced_watched(const MbsReduced *reduced, mbs_scalar **values, int *power) {
  if (reduced->current == MBS_UNDECIDED) {
    return NULL;
  }
  const MbsProblem *problem = &reduced->sets[reduced->current]->position;
  *values = problem->values;
  *power = 2;
  return problem->solver;
}

static MbsSparseSolver *watched(const MbsStepper *stepper, mbs_scalar **values, int *power) {
  return mbs_reduced_watched(self_const(stepper), values, power);
}

static mbs_scalar *carried_columns(const MbsStepper *stepper) { return self_const(stepper)->implicit->W; }

MbsSparseSolver *mbs_reduced_solver(const MbsReduced *reduced, int index) {
  const MbsIndependentSet *set = index / 2 < reduced->set_count ? reduced->sets[index / 2] : NULL;
  return !set ? NULL : index % 2 == 0 ? set->position.solver : set->velocity->solver;
}

static MbsSparseSolver *solver(const MbsStepper *stepper, int index) {
  const MbsReduced *reduced = self_const(stepper);
  return index < 2 ? mbs_implicit_type.solver(&reduced->implicit->base, index) : mbs_reduced_solver(reduced, index - 2);
}

static int backward_count(const MbsStepper *stepper) { return self_const(stepper)->count; }

static MbsStatus backward_factor(MbsContext *context, MbsStepper *stepper, int set, mbs_scalar c0, mbs_scalar c1,
                                 const MbsState *state) {
  return mbs_reduced_prepare_instant(context, self(stepper), set, c0, c1, state);
}

static void backward_solve(MbsStepper *stepper, mbs_scalar c0, mbs_scalar c1, const MbsState *state,
                           const MbsStateBar *bar, const mbs_scalar *s, mbs_scalar *x, mbs_scalar *rate) {
  mbs_reduced_instant_transposed(self(stepper), c0, c1, state, bar, s, x, rate);
}

static void backward_give(MbsStepper *stepper, int set, const MbsState *state, const MbsStateBar *bar, mbs_scalar *mu) {
  mbs_reduced_handle_hats(self(stepper), set, false, state, bar, mu);
}

static const MbsBackward backward = {backward_count, backward_factor, backward_solve, backward_give};

static const MbsStepperType type = {
    .destroy = destroy,
    .start = start,
    .step = step_to,
    .derivative = derivative,
    .put_row = put_row,
    .recall = recall,
    .prepare = prepare,
    .transposed = transposed,
    .backward = &backward,
    .save_size = save_size,
    .save = save,
    .restore = restore,
    .watched = watched,
    .carried_columns = carried_columns,
    .solver = solver,
};

MbsStatus mbs_reduced_create(MbsContext *context, MbsSystem *system, MbsImplicit *implicit, MbsStepper **stepper) {
  MbsReduced *reduced;
  MBS_TAKE(context, system->arena, reduced, 1);
  reduced->base = (MbsStepper){.type = &type,
                               .carry_size = mbs_reduced_hat_size(system),
                               .ends = {0.5, 0.5},
                               .order = implicit->base.order,
                               .gap = mbs_system_is_nonholonomic(system) ? 1 : implicit->base.gap,
                               .row_size = implicit->base.row_size + (implicit->w ? system->n : 0) +
                                           (system->step_column >= 0 ? 4 * system->n : 0)};
  for (int i = 0; i < MBS_COUNT(reduced->before) && system->step_column >= 0; ++i) {
    MBS_TAKE(context, system->arena, reduced->before[i], system->n);
  }
  MBS_TAKE(context, system->arena, reduced->rhs, system->n + system->m);
  reduced->stepper = &reduced->base;
  reduced->system = system;
  reduced->implicit = implicit;
  *stepper = &reduced->base;
  reduced->choosing = mbs_arena_create_for(context);
  return reduced->choosing ? MBS_OK : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}
