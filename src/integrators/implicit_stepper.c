// The implicit step as a stepper.
#include "integrators/implicit.h"

static MbsImplicit *self(MbsStepper *stepper) { return (MbsImplicit *)stepper; }  // the stepper is its first member
static const MbsImplicit *self_const(const MbsStepper *stepper) { return (const MbsImplicit *)stepper; }

static void destroy(MbsStepper *stepper) { mbs_implicit_destroy(self(stepper)); }

static MbsStatus start(MbsContext *context, MbsStepper *stepper, const MbsPath *followed, MbsState *state) {
  (void)followed;
  mbs_implicit_forget(self(stepper));
  MBS_TRY(mbs_implicit_enter_mode(context, self(stepper), state));
  return mbs_implicit_start(context, self(stepper), state);
}

static MbsStatus step_to(MbsContext *context, MbsStepper *stepper, MbsStep *step, MbsState *state) {
  step->set = 0;
  self(stepper)->is_piece = step->is_projected;
  return mbs_implicit_step(context, self(stepper), step->h, state);
}

static MbsStatus derivative(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state,
                            const MbsColumns *columns) {
  return step->number == 0 ? mbs_implicit_start_derivative(context, self(stepper), state, columns)
                           : mbs_implicit_step_derivative(context, self(stepper), step->h, state, columns);
}

static void put_row(const MbsStepper *stepper, const MbsState *state, mbs_scalar *row) {
  mbs_implicit_put_row(self_const(stepper), state, row);
}

static MbsStatus recall(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const mbs_scalar *row,
                        MbsState *state) {
  self(stepper)->is_piece = step->is_projected;
  return mbs_implicit_recall(context, self(stepper), step->h, row, state);
}

static MbsStatus prepare(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state) {
  (void)state;
  return mbs_implicit_prepare_transposed(context, self(stepper), step->h);
}

static void transposed(MbsStepper *stepper, const MbsStep *step, const MbsStep *next, const MbsState *state,
                       const MbsStateBar *bar, mbs_scalar *carry) {
  (void)next;
  if (step->number == 0) {
    mbs_implicit_start_transposed(self(stepper), state, bar, carry);
  } else {
    mbs_implicit_step_transposed(self(stepper), step->h, state, bar, carry);
  }
}

static int save_size(const MbsStepper *stepper) { return mbs_implicit_save_size(self_const(stepper)); }
static void save(const MbsStepper *stepper, mbs_scalar *to) { mbs_implicit_save(self_const(stepper), to); }

static void restore(MbsStepper *stepper, const mbs_scalar *from, const MbsState *state) {
  (void)state;
  mbs_implicit_restore(self(stepper), from);
}

static MbsSparseSolver *watched(const MbsStepper *stepper, mbs_scalar **values, int *power) {
  const MbsImplicit *implicit = self_const(stepper);
  *values = implicit->at->tangent;
  *power = 1;
  return implicit->formulation->type->allows_redundancy ? NULL : implicit->at->solver;
}

static mbs_scalar *carried_columns(const MbsStepper *stepper) { return self_const(stepper)->W; }

static MbsSparseSolver *solver(const MbsStepper *stepper, int index) {
  const MbsImplicit *implicit = self_const(stepper);
  MbsSparseSolver *projections = implicit->at->projector ? implicit->at->projector->solver : implicit->at->solver;
  return index == 0 ? implicit->at->solver : index == 1 ? projections : index == 2 ? implicit->at->exact : NULL;
}

// x is q
static int backward_count(const MbsStepper *stepper) { return self_const(stepper)->formulation->system->n; }

static MbsStatus backward_factor(MbsContext *context, MbsStepper *stepper, int set, mbs_scalar c0, mbs_scalar c1,
                                 const MbsState *state) {
  (void)set;
  (void)state;
  return mbs_newton_factor_exact(context, self(stepper), &self(stepper)->at->stage, c0, c1);
}

static void backward_solve(MbsStepper *stepper, mbs_scalar c0, mbs_scalar c1, const MbsState *state,
                           const MbsStateBar *bar, const mbs_scalar *s, mbs_scalar *x, mbs_scalar *rate) {
  int n = backward_count(stepper);
  for (int i = 0; i < n; ++i) {
    bar->a[i] += s[i];
  }
  mbs_implicit_instant_transposed(self(stepper), c0, c1, state, bar);
  for (int i = 0; i < n; ++i) {
    x[i] = bar->q[i];
    rate[i] = bar->v[i];
    bar->q[i] = bar->v[i] = 0;
  }
}

static void backward_give(MbsStepper *stepper, int set, const MbsState *state, const MbsStateBar *bar, mbs_scalar *mu) {
  int n = backward_count(stepper);
  (void)set;
  (void)state;
  for (int i = 0; i < n; ++i) {
    bar->q[i] = mu[i];
    bar->v[i] = mu[n + i];
  }
}

static const MbsBackward backward = {backward_count, backward_factor, backward_solve, backward_give};

const MbsStepperType mbs_implicit_type = {
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
