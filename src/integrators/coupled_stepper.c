// Implicit Runge-Kutta methods as a stepper: see coupled.h. Start, and rows of states, are those of the implicit step.
#include "integrators/coupled.h"

static MbsCoupled *self(MbsStepper *stepper) { return (MbsCoupled *)stepper; }  // the stepper is its first member's
static const MbsCoupled *self_const(const MbsStepper *stepper) { return (const MbsCoupled *)stepper; }

static void destroy(MbsStepper *stepper) {
  MbsCoupled *coupled = self(stepper);
  for (int i = 0; i < coupled->end; ++i) {
    mbs_instant_destroy(&coupled->instants[i]);
  }
  for (int i = 0; i <= coupled->end; ++i) {
    mbs_instant_destroy(&coupled->motions[i]);
  }
  mbs_sparse_solver_destroy(coupled->solver);
  mbs_implicit_destroy(&coupled->implicit);
}

static MbsStatus start(MbsContext *context, MbsStepper *stepper, const MbsPath *followed, MbsState *state) {
  self(stepper)->last_h = 0;
  self(stepper)->is_used = false;
  return mbs_implicit_type.start(context, stepper, followed, state);
}

static MbsStatus step_to(MbsContext *context, MbsStepper *stepper, MbsStep *step, MbsState *state) {
  step->set = 0;
  self(stepper)->implicit.is_piece = step->is_projected;
  return mbs_coupled_step(context, self(stepper), step, state);
}

static MbsStatus derivative(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state,
                            const MbsColumns *columns) {
  return step->number == 0 ? mbs_implicit_start_derivative(context, &self(stepper)->implicit, state, columns)
                           : mbs_coupled_derivative(context, self(stepper), step, state, columns);
}

// The end as a start has it; then where the step began, and where r = 0 holds at the stages between. What follows from
// there is found again.
static void put_row(const MbsStepper *stepper, const MbsState *state, mbs_scalar *row) {
  const MbsCoupled *coupled = self_const(stepper);
  const MbsSystem *system = coupled->implicit.formulation->system;
  mbs_implicit_put_row(&coupled->implicit, state, row);
  row = mbs_put(row + mbs_implicit_row_size(&coupled->implicit), system->n, coupled->begin_q);
  row = mbs_put(row, system->n, coupled->begin_v);
  for (int i = 0; i < coupled->end; ++i) {
    const MbsState *at = &coupled->instants[i].stage;
    row = mbs_put(row, system->n, at->q);
    row = mbs_put(row, system->n, at->v);
    row = mbs_put(row, system->n, at->a);
    row = mbs_put(row, system->m, at->lambda);
  }
}

static MbsStatus recall(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const mbs_scalar *row,
                        MbsState *state) {
  MbsCoupled *coupled = self(stepper);
  MbsImplicit *implicit = &coupled->implicit;
  const MbsSystem *system = implicit->formulation->system;
  implicit->is_piece = step->is_projected;
  if (step->number == 0) {
    return mbs_implicit_recall(context, implicit, 0, row, state);
  }
  mbs_implicit_use_mode(implicit);
  const mbs_scalar *from = mbs_take(row + mbs_implicit_row_size(implicit), system->n, coupled->begin_q);
  from = mbs_take(from, system->n, coupled->begin_v);
  for (int i = 0; i <= coupled->end; ++i) {
    const MbsState *at = mbs_coupled_begin_stage(coupled, step, i, state);
    from = i < coupled->end ? from : row;  // as mbs_implicit_put_row begins
    from = mbs_take(from, system->n, at->q);
    from = mbs_take(from, system->n, at->v);
    from = mbs_take(from, system->n, at->a);
    from = mbs_take(from, system->m, at->lambda);
  }
  for (int i = 0; i <= coupled->end; ++i) {
    MBS_TRY(mbs_coupled_finish(context, coupled, step->h, i, i < coupled->end ? &coupled->stages[i] : state));
  }
  return MBS_OK;
}

static MbsStatus prepare(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state) {
  (void)state;
  if (step->number == 0) {
    return mbs_implicit_prepare_transposed(context, &self(stepper)->implicit, 0);
  }
  MBS_TRY(mbs_coupled_prepare_finish(context, self(stepper)));
  return mbs_coupled_factor(context, self(stepper), step->h);
}

static void transposed(MbsStepper *stepper, const MbsStep *step, const MbsStep *next, const MbsState *state,
                       const MbsStateBar *bar, mbs_scalar *carry) {
  (void)next;
  if (step->number == 0) {
    mbs_implicit_start_transposed(&self(stepper)->implicit, state, bar, carry);
  } else {
    mbs_coupled_transposed(self(stepper), step, state, bar, carry);
  }
}

static MbsPoint point(const MbsStepper *stepper, int index) {
  const MbsCoupled *coupled = self_const(stepper);
  return (MbsPoint){.state = &coupled->stages[index],
                    .columns = coupled->columns[index],
                    .weight = coupled->method->a[coupled->end][index],
                    .ahead = 1 - coupled->method->c[index]};
}

static MbsStateBar point_bar(const MbsStepper *stepper, int index, const MbsStateBar *bar, mbs_scalar *carry) {
  const MbsSystem *system = self_const(stepper)->implicit.formulation->system;
  return mbs_bar_in_block(system, bar, carry + index * mbs_state_number_count(system));
}

static double error(const MbsStepper *stepper, const MbsStep *step, const MbsState *state, const double *weights,
                    int *worst) {
  (void)step;
  (void)state;
  return mbs_coupled_error(self_const(stepper), weights, worst);
}

// and unknowns of the last step, its size, and where a start begins with multipliers of the stages between
static int save_size(const MbsStepper *stepper) {
  const MbsCoupled *coupled = self_const(stepper);
  const MbsSystem *system = coupled->implicit.formulation->system;
  return mbs_implicit_type.save_size(stepper) + (coupled->end + 1) * (system->n + system->m) + 1;
}

static void save(const MbsStepper *stepper, mbs_scalar *to) {
  const MbsCoupled *coupled = self_const(stepper);
  const MbsSystem *system = coupled->implicit.formulation->system;
  mbs_implicit_type.save(stepper, to);
  to = mbs_put(to + mbs_implicit_type.save_size(stepper), (coupled->end + 1) * (system->n + system->m), coupled->last);
  *to = coupled->last_h;
}

static void restore(MbsStepper *stepper, const mbs_scalar *from, const MbsState *state) {
  MbsCoupled *coupled = self(stepper);
  const MbsSystem *system = coupled->implicit.formulation->system;
  mbs_implicit_type.restore(stepper, from, state);
  from = mbs_take(from + mbs_implicit_type.save_size(stepper), (coupled->end + 1) * (system->n + system->m),
                  coupled->last);
  coupled->last_h = mbs_re(*from);
}

// the stages' matrix, once there has been a step: that of a start is another one
static MbsSparseSolver *watched(const MbsStepper *stepper, mbs_scalar **values, int *power) {
  const MbsCoupled *coupled = self_const(stepper);
  *values = coupled->values;
  *power = 1;
  return coupled->implicit.formulation->type->allows_redundancy || !coupled->is_used ? NULL : coupled->solver;
}

static mbs_scalar *carried_columns(const MbsStepper *stepper) {
  (void)stepper;
  return NULL;
}

// that of the stages and two of the end; then, where there are such, the projectors of the stages between, and two of
// each stage's own equations
static MbsSparseSolver *solver(const MbsStepper *stepper, int index) {
  const MbsCoupled *coupled = self_const(stepper);
  if (index < 3) {
    return index == 0 ? coupled->solver : mbs_implicit_type.solver(stepper, index - 1);
  }
  int between = index - 3, own = between - coupled->end;
  if (between < coupled->end) {
    const MbsProjector *projector = coupled->instants[between].projector;
    return projector ? projector->solver : NULL;
  }
  const MbsInstant *motion = own / 2 <= coupled->end ? &coupled->motions[own / 2] : NULL;
  return !motion || !motion->solver           ? NULL
         : own % 2 == 0 || !motion->projector ? motion->solver
                                              : motion->projector->solver;
}

const MbsStepperType mbs_coupled_type = {
    .destroy = destroy,
    .start = start,
    .step = step_to,
    .derivative = derivative,
    .put_row = put_row,
    .recall = recall,
    .prepare = prepare,
    .transposed = transposed,
    .point = point,
    .point_bar = point_bar,
    .error = error,
    .save_size = save_size,
    .save = save,
    .restore = restore,
    .watched = watched,
    .carried_columns = carried_columns,
    .solver = solver,
};
