// An explicit method as a stepper: see explicit.h. Start, and rows of the start, are those of the implicit step.
#include "integrators/explicit.h"

static MbsExplicit *self(MbsStepper *stepper) { return (MbsExplicit *)stepper; }  // the stepper is its first member's
static const MbsExplicit *self_const(const MbsStepper *stepper) { return (const MbsExplicit *)stepper; }

static void destroy(MbsStepper *stepper) {
  MbsExplicit *explicit = self(stepper);
  for (int i = 1; i < explicit->end; ++i) {
    mbs_instant_destroy(&explicit->instants[i]);
  }
  if (explicit->independent.reduced) {
    mbs_reduced_destroy_sets(explicit->independent.reduced);
  }
  mbs_explicit_destroy_between(explicit);
  mbs_explicit_destroy_projection(explicit);
  mbs_implicit_destroy(&explicit->implicit);
}

static MbsStatus step_to(MbsContext *context, MbsStepper *stepper, MbsStep *step, MbsState *state) {
  return mbs_explicit_step(context, self(stepper), step, state);
}

static MbsStatus derivative(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state,
                            const MbsColumns *columns) {
  return step->number == 0 ? mbs_implicit_start_derivative(context, &self(stepper)->implicit, state, columns)
                           : mbs_explicit_derivative(context, self(stepper), step, state, columns);
}

// Of a stage but the first: before the smallest of them were found.
static const mbs_scalar *multipliers_of(const MbsExplicit *explicit, int stage) {
  return explicit->implicit.has_redundancy ? explicit->instants[stage].lambda : explicit->stages[stage].lambda;
}

// The end as a start has it; then where the step began, and accelerations and multipliers of its stages: positions and
// velocities follow from these as they did.
static void put_row(const MbsStepper *stepper, const MbsState *state, mbs_scalar *row) {
  const MbsExplicit *explicit = self_const(stepper);
  const MbsSystem *system = explicit->implicit.formulation->system;
  mbs_implicit_put_row(&explicit->implicit, state, row);
  row += mbs_implicit_row_size(&explicit->implicit);
  row = mbs_put(row, system->n, explicit->stages[0].q);
  row = mbs_put(row, system->n, explicit->stages[0].v);
  row = mbs_put(row, system->n, explicit->stages[0].a);
  for (int i = 1; i < explicit->end; ++i) {
    row = mbs_put(row, system->n, explicit->stages[i].a);
    row = mbs_put(row, system->m, multipliers_of(explicit, i));
  }
  if (explicit->independent.reduced) {
    (void)mbs_explicit_put_independent(explicit, row);
  }
}

static MbsStatus recall(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const mbs_scalar *row,
                        MbsState *state) {
  MbsExplicit *explicit = self(stepper);
  MbsImplicit *implicit = &explicit->implicit;
  const MbsSystem *system = implicit->formulation->system;
  MBS_TRY(mbs_implicit_recall(context, implicit, 0, row, state));
  if (step->number == 0) {
    return MBS_OK;
  }
  row += mbs_implicit_row_size(implicit);
  row = mbs_take(row, system->n, explicit->stages[0].q);
  row = mbs_take(row, system->n, explicit->stages[0].v);
  row = mbs_take(row, system->n, explicit->stages[0].a);
  const mbs_scalar *of_stages = row;
  for (int i = 1; i < explicit->end; ++i) {
    MbsState *at = &explicit->stages[i];
    row = mbs_take(row, system->n, at->a) + system->m;
    mbs_explicit_place(explicit, step, i, at);
  }
  if (explicit->independent.reduced) {
    (void)mbs_explicit_take_independent(explicit, step->set, row);
  }
  MbsStatus status = MBS_OK;
  for (int i = 1; i < explicit->end && status == MBS_OK; ++i) {
    MbsState *at = &explicit->stages[i];
    mbs_explicit_take_instant(explicit, i);
    of_stages = mbs_take(of_stages + system->n, system->m, mbs_implicit_stage(implicit, at, true)->lambda);
    status = mbs_implicit_finish(context, implicit, at, 0);
  }
  mbs_explicit_take_instant(explicit, explicit->end);
  return status == MBS_OK && !explicit->independent.reduced
             ? mbs_explicit_recall_projection(context, explicit, step, state)
             : status;
}

static MbsStatus prepare(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state) {
  MbsExplicit *explicit = self(stepper);
  MbsStatus status = MBS_OK;
  for (int i = step->number == 0 ? explicit->end : 1; i <= explicit->end && status == MBS_OK; ++i) {
    mbs_explicit_take_instant(explicit, i);
    status = mbs_implicit_prepare_transposed(context, &explicit->implicit, 0);
  }
  mbs_explicit_take_instant(explicit, explicit->end);
  return status == MBS_OK && step->number > 0 && explicit->independent.reduced
             ? mbs_explicit_check_independent(context, explicit, state)
             : status;
}

static void transposed(MbsStepper *stepper, const MbsStep *step, const MbsStep *next, const MbsState *state,
                       const MbsStateBar *bar, mbs_scalar *carry) {
  const MbsReduced *reduced = self(stepper)->independent.reduced;
  if (next && reduced) {
    mbs_signal_bank_visit(reduced->system, state);  // the number before this one has left them at a stage
    mbs_reduced_handle_hats(reduced, next->set, false, state, bar, carry);
  }
  if (step->number == 0) {
    mbs_implicit_start_transposed(&self(stepper)->implicit, state, bar, carry);
  } else {
    mbs_explicit_transposed(self(stepper), step, state, bar, carry);
  }
}

static MbsPoint point(const MbsStepper *stepper, int index) {
  const MbsExplicit *explicit = self_const(stepper);
  int stage = explicit->points[index];
  return (MbsPoint){.state = &explicit->stages[stage],
                    .columns = explicit->columns[stage],
                    .weight = explicit->pair->b[stage],
                    .ahead = 1 - explicit->c[stage]};
}

static MbsStateBar point_bar(const MbsStepper *stepper, int index, const MbsStateBar *bar, mbs_scalar *carry) {
  const MbsExplicit *explicit = self_const(stepper);
  const MbsSystem *system = explicit->implicit.formulation->system;
  return mbs_bar_in_block(system, bar, mbs_explicit_blocks(explicit, carry) + index * mbs_state_number_count(system));
}

static double error(const MbsStepper *stepper, const MbsStep *step, const MbsState *state, const double *weights,
                    int *worst) {
  return mbs_explicit_error(self_const(stepper), step->h, state, weights, worst);
}

static double column_error(const MbsStepper *stepper, const MbsStep *step, const MbsColumns *begin,
                           const MbsColumns *end, int column, const double *weights, int *worst) {
  return mbs_explicit_column_error(self_const(stepper), step->h, begin, end, column, weights, worst);
}

// two of each instant; then those of an interpolation, of projections, and of sets of independent coordinates
static MbsSparseSolver *solver(const MbsStepper *stepper, int index) {
  const MbsExplicit *explicit = self_const(stepper);
  int stage = index / 2;
  if (stage >= explicit->end) {
    const MbsReduced *reduced = explicit->independent.reduced;
    int further = index - 2 * explicit->end;
    MbsSparseSolver *own = mbs_explicit_between_solver(explicit, further);
    further -= explicit->between.is_wanted ? 2 * (explicit->pair->further_count + 1) : 0;
    MbsSparseSolver *of_end = own ? own : mbs_explicit_projection_solver(explicit, further);
    further -= explicit->projection.count > 0 ? explicit->projection.count + 1 : 0;
    return of_end ? of_end : reduced ? mbs_reduced_solver(reduced, further) : NULL;
  }
  const MbsInstant *instant = stage > 0 ? &explicit->instants[stage] : &explicit->implicit.own;
  return index % 2 == 0 || !instant->projector ? instant->solver : instant->projector->solver;
}

// ---- of independent coordinates ----
static MbsStatus start_independent(MbsContext *context, MbsStepper *stepper, const MbsPath *followed, MbsState *state) {
  MBS_TRY(mbs_implicit_type.start(context, stepper, followed, state));
  return mbs_reduced_start(context, self(stepper)->independent.reduced, followed, state);
}

static int save_size_independent(const MbsStepper *stepper) {
  return mbs_implicit_type.save_size(stepper) + MBS_REDUCED_SAVE_SIZE;
}

static void save_independent(const MbsStepper *stepper, mbs_scalar *to) {
  mbs_implicit_type.save(stepper, to);
  mbs_reduced_save(self_const(stepper)->independent.reduced, to + mbs_implicit_type.save_size(stepper));
}

static void restore_independent(MbsStepper *stepper, const mbs_scalar *from, const MbsState *state) {
  mbs_implicit_type.restore(stepper, from, state);
  mbs_reduced_restore(self(stepper)->independent.reduced, from + mbs_implicit_type.save_size(stepper), state);
}

static MbsSparseSolver *watched_independent(const MbsStepper *stepper, mbs_scalar **values, int *power) {
  return mbs_reduced_watched(self_const(stepper)->independent.reduced, values, power);
}

void mbs_explicit_fill_type(const MbsExplicit *explicit, MbsStepperType *type) {
  *type = mbs_implicit_type;
  type->destroy = destroy;
  type->step = step_to;
  type->derivative = derivative;
  type->put_row = put_row;
  type->recall = recall;
  type->prepare = prepare;
  type->transposed = transposed;
  type->backward = NULL;
  type->point = point;
  type->point_bar = point_bar;
  type->error = error;
  type->column_error = column_error;
  type->solver = solver;
  if (explicit->independent.reduced) {
    type->start = start_independent;
    type->save_size = save_size_independent;
    type->save = save_independent;
    type->restore = restore_independent;
    type->watched = watched_independent;
  }
}
