// Between the ends of an explicit step, at t_0 + theta h (pair.h):
//     q = q_0 + h sum_i w_i v_i,    v = v_0 + h sum_i w_i a_i,    r(t, q, v, a, lambda) = 0
// with velocities and accelerations of its stages, its end and, with order 8, three stages more, which are made where
// somebody asks. Accelerations and multipliers are those of the equations of motion there. Where states meet their
// constraints (matrix-r, --projections) they are projected, for an interpolation of points does not keep these.
// Derivative: the same of the columns, with t, h and theta constants.
#include "integrators/explicit.h"

static MbsExplicit *self(MbsStepper *stepper) { return (MbsExplicit *)stepper; }  // the stepper is its first member's
static const MbsExplicit *self_const(const MbsStepper *stepper) { return (const MbsExplicit *)stepper; }

static int rate_count(const MbsExplicit *explicit) { return explicit->end + 1 + explicit->pair->further_count; }

// of stages, end and further stages
static const MbsState *state_of(const MbsExplicit *explicit, int index) {
  const MbsBetween *between = &explicit->between;
  return index < explicit->end    ? &explicit->stages[index]
         : index == explicit->end ? &between->end
                                  : &between->further[index - explicit->end - 1];
}

static const MbsColumns *columns_of(const MbsExplicit *explicit, int index) {
  const MbsBetween *between = &explicit->between;
  return index < explicit->end    ? &explicit->columns[index]
         : index == explicit->end ? &between->end_columns
                                  : &between->columns[index - explicit->end - 1];
}

static void add(int count, mbs_scalar times, const mbs_scalar *restrict x, mbs_scalar *restrict sum) {
  for (int i = 0; i < count; ++i) {
    sum[i] += times * x[i];
  }
}

// q and v at a time within the step, by weights of the first `count` rates
static void place(const MbsExplicit *explicit, const MbsStep *step, double theta, int count, const double *weights,
                  MbsState *at) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  const MbsState *begin = &explicit->stages[0];
  at->t = step->t - (1 - theta) * step->h;
  mbs_state_place_fixed(system, at);
  (void)mbs_put(at->q, system->n, begin->q);
  (void)mbs_put(at->v, system->n, begin->v);
  for (int j = 0; j < count; ++j) {
    add(mbs_is_nonzero(weights[j]) ? system->n : 0, step->h * weights[j], state_of(explicit, j)->v, at->q);
    add(mbs_is_nonzero(weights[j]) ? system->n : 0, step->h * weights[j], state_of(explicit, j)->a, at->v);
  }
}

static void place_columns(const MbsExplicit *explicit, const MbsStep *step, int count, const double *weights,
                          const MbsState *at, const MbsColumns *columns) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  int size = system->column_count * system->nq;
  (void)mbs_put(columns->X, size, explicit->columns[0].X);
  (void)mbs_put(columns->V, size, explicit->columns[0].V);
  for (int j = 0; j < count; ++j) {
    add(mbs_is_nonzero(weights[j]) ? size : 0, step->h * weights[j], columns_of(explicit, j)->V, columns->X);
    add(mbs_is_nonzero(weights[j]) ? size : 0, step->h * weights[j], columns_of(explicit, j)->A, columns->V);
  }
  mbs_system_fixed_columns(system, at->t, columns->X, columns->V, columns->A);
}

// accelerations and multipliers, with an instant of one's own, from what they are at the end
static MbsStatus solve(MbsContext *context, MbsExplicit *explicit, MbsInstant *instant, bool is_projected, MbsState *at,
                       const MbsColumns *columns) {
  MbsImplicit *implicit = &explicit->implicit;
  const MbsSystem *system = implicit->formulation->system;
  MbsStatus status = is_projected ? mbs_explicit_project(context, explicit, at) : MBS_OK;
  mbs_implicit_take_instant(implicit, instant);
  (void)mbs_put(at->a, system->n, explicit->between.end.a);
  (void)mbs_put(at->lambda, system->m, explicit->between.end.lambda);
  if (implicit->has_redundancy) {
    (void)mbs_put(instant->lambda, system->m, implicit->own.lambda);
  }
  status = status == MBS_OK ? mbs_implicit_solve_instant(context, implicit, at) : status;
  if (columns && status == MBS_OK && is_projected) {
    mbs_explicit_project_derivative(explicit, at, columns);
  }
  if (columns && status == MBS_OK) {
    mbs_signal_bank_try(system, at);
    status = mbs_implicit_instant_derivative(context, implicit, at, columns);
  }
  mbs_explicit_take_instant(explicit, explicit->end);
  return status;
}

static MbsStatus prepare(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state,
                         const MbsColumns *columns) {
  MbsExplicit *explicit = self(stepper);
  MbsBetween *between = &explicit->between;
  const MbsPair *pair = explicit->pair;
  between->end = *state;
  for (int i = 0; i < pair->further_count; ++i) {
    MbsState *at = &between->further[i];
    const MbsColumns *own = columns ? &between->columns[i] : NULL;
    int known = explicit->end + 1 + i;
    place(explicit, step, pair->further_c[i], known, pair->further[i], at);
    if (own) {
      place_columns(explicit, step, known, pair->further[i], at, own);
    }
    MBS_TRY(solve(context, explicit, &between->instants[i], false, at, own));
  }
  return MBS_OK;
}

static MbsStatus find(MbsContext *context, MbsStepper *stepper, const MbsStep *step, double theta, MbsState *at,
                      const MbsColumns *columns) {
  MbsExplicit *explicit = self(stepper);
  const MbsSystem *system = explicit->implicit.formulation->system;
  double weights[MBS_MOST_BETWEEN];
  mbs_pair_weights(explicit->pair, theta, weights);
  place(explicit, step, theta, rate_count(explicit), weights, at);
  if (columns) {
    place_columns(explicit, step, rate_count(explicit), weights, at, columns);
  }
  MBS_TRY(solve(context, explicit, &explicit->between.instants[explicit->pair->further_count],
                explicit->projection.count > 0, at, columns));
  for (int i = 0; i < system->m * system->column_count && columns; ++i) {
    columns->S[i] = columns->K[i] = 0;
    columns->T[i] = columns->L[i];
  }
  return MBS_OK;
}

static int count(const MbsStepper *stepper) { return rate_count(self_const(stepper)); }

static MbsPoint point(const MbsStepper *stepper, int index) {
  const MbsExplicit *explicit = self_const(stepper);
  return (MbsPoint){.state = state_of(explicit, index), .columns = *columns_of(explicit, index)};
}

static void find_weights(const MbsStepper *stepper, double theta, double *weights) {
  mbs_pair_weights(self_const(stepper)->pair, theta, weights);
}

static const MbsInterpolation interpolation = {prepare, find, count, point, find_weights};

MbsStatus mbs_explicit_interpolate(MbsContext *context, const MbsSettings *settings, MbsExplicit *explicit) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  MbsBetween *between = &explicit->between;
  between->is_wanted = true;
  MBS_TRY(mbs_explicit_create_columns(context, system, &explicit->columns[0]));
  MBS_TRY(mbs_explicit_create_columns(context, system, &between->end_columns));
  for (int i = 0; i <= explicit->pair->further_count; ++i) {
    if (i < explicit->pair->further_count) {
      MBS_TRY(mbs_state_create(context, system, &between->further[i]));
      MBS_TRY(mbs_explicit_create_columns(context, system, &between->columns[i]));
    }
    MBS_TRY(mbs_instant_create(context, &explicit->implicit, settings, &between->instants[i]));
  }
  if (explicit->independent.reduced) {
    enum { ITERATIONS = 3 };  // of redundant rows one leaves 1e-4 of what there is
    MBS_TRY(mbs_explicit_create_projection(context, explicit, ITERATIONS));
  }
  explicit->type.interpolation = &interpolation;
  return MBS_OK;
}

void mbs_explicit_destroy_between(MbsExplicit *explicit) {
  for (int i = 0; i <= explicit->pair->further_count && explicit->between.is_wanted; ++i) {
    mbs_instant_destroy(&explicit->between.instants[i]);
  }
}

MbsSparseSolver *mbs_explicit_between_solver(const MbsExplicit *explicit, int index) {
  const MbsBetween *between = &explicit->between;
  if (!between->is_wanted || index < 0 || index / 2 > explicit->pair->further_count) {
    return NULL;
  }
  const MbsInstant *instant = &between->instants[index / 2];
  return index % 2 == 0 || !instant->projector ? instant->solver : instant->projector->solver;
}

void mbs_explicit_keep_columns(const MbsExplicit *explicit, const MbsColumns *from, const MbsColumns *to) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  int size = system->column_count * system->nq;
  if (explicit->between.is_wanted) {
    (void)mbs_put(to->X, size, from->X);
    (void)mbs_put(to->V, size, from->V);
    (void)mbs_put(to->A, size, from->A);
    (void)mbs_put(to->L, system->m * system->column_count, from->L);
  }
}
