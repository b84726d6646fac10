// Set-up and step. See explicit.h.
#include "integrators/explicit.h"

#include <math.h>

// ---- set-up ----
static void take_coefficients(MbsExplicit *explicit, const MbsPair *pair) {
  explicit->pair = pair;
  explicit->end = pair->stage_count;
  for (int i = 0; i <= explicit->end; ++i) {
    explicit->c[i] = i < explicit->end ? pair->c[i] : 1;
    for (int j = 0; j < explicit->end; ++j) {
      explicit->velocity[i][j] = i < explicit->end ? pair->a[i][j] : pair->b[j];
    }
  }
  for (int i = 0; i <= explicit->end; ++i) {
    for (int j = 0; j < explicit->end; ++j) {
      for (int k = j + 1; k < i && k < explicit->end; ++k) {
        explicit->position[i][j] += explicit->velocity[i][k] * explicit->velocity[k][j];
      }
    }
  }
}

MbsStatus mbs_explicit_create_columns(MbsContext *context, const MbsSystem *system, MbsColumns *columns) {
  size_t nq = (size_t)system->nq * (size_t)system->carried_count, m = (size_t)system->m * (size_t)system->carried_count;
  MBS_TAKE(context, system->arena, columns->X, nq);
  MBS_TAKE(context, system->arena, columns->V, nq);
  MBS_TAKE(context, system->arena, columns->A, nq);
  MBS_TAKE(context, system->arena, columns->L, m);
  columns->T = columns->L;  // nothing is projected
  return MBS_OK;
}

static MbsStatus create_independent(MbsContext *context, MbsExplicit *explicit, MbsSystem *system) {
  MbsStepper *base = &explicit->implicit.base, *own;
  MBS_TRY(mbs_reduced_create(context, system, &explicit->implicit, &own));
  explicit->independent.reduced = (MbsReduced *)own;  // the stepper is its first member
  explicit->independent.reduced->stepper = base;
  base->carry_size += mbs_reduced_hat_size(system);
  mbs_explicit_fill_type(explicit, &explicit->type);
  return mbs_explicit_create_independent(context, explicit);
}

MbsStatus mbs_explicit_create(MbsContext *context, MbsFormulation *formulation, const MbsSettings *settings,
                              const MbsPair *pair, const MbsInitial *initial, MbsStepper **stepper) {
  MbsSystem *system = initial->set.system;
  MbsExplicit *explicit;
  MBS_TAKE(context, system->arena, explicit, 1);
  *stepper = &explicit->implicit.base;
  mbs_explicit_fill_type(explicit, &explicit->type);
  explicit->implicit.base.type = &explicit->type;
  MBS_TRY(mbs_implicit_create(context, formulation, settings, initial->set.redundant_count > 0, &explicit->implicit));
  take_coefficients(explicit, pair);
  int block = mbs_state_number_count(system);
  MbsStepper *base = *stepper;
  base->type = &explicit->type;
  base->order = base->error_order = pair->order;
  base->ends[0] = pair->b[0];
  base->ends[1] = 0;
  for (int i = 0; i < explicit->end; ++i) {
    MBS_TRY(mbs_state_create(context, system, &explicit->stages[i]));
    if (i > 0) {
      MBS_TRY(mbs_instant_create(context, &explicit->implicit, settings, &explicit->instants[i]));
      MBS_TRY(mbs_explicit_create_columns(context, system, &explicit->columns[i]));
    }
    if (i > 0 && mbs_is_nonzero(pair->b[i])) {
      explicit->points[base->point_count++] = i;
    }
  }
  base->gap = 1;
  base->carry_size = base->point_count * block;
  if (formulation->type->is_reduced) {
    MBS_TRY(create_independent(context, explicit, system));
  }
  if (!formulation->type->is_reduced) {
    MBS_TRY(mbs_explicit_create_projection(context, explicit, settings->projections));
  }
  explicit->implicit.old[0] = NULL;  // of no use here, and so not of rows
  base->row_size =
      mbs_implicit_row_size(&explicit->implicit) + 3 * system->n + (explicit->end - 1) * (system->n + system->m);
  base->row_size += mbs_explicit_independent_row_size(explicit);
  MBS_TAKE(context, system->arena, explicit->bars_a, explicit->end * system->n);
  MBS_TAKE(context, system->arena, explicit->bar, block);
  return MBS_OK;
}

void mbs_explicit_take_instant(MbsExplicit *explicit, int stage) {
  mbs_implicit_take_instant(&explicit->implicit,
                            stage == explicit->end ? &explicit->implicit.own : &explicit->instants[stage]);
}

// ---- the step ----
static void add(int count, mbs_scalar times, const mbs_scalar *restrict x, mbs_scalar *restrict sum) {
  for (int i = 0; i < count; ++i) {
    sum[i] += times * x[i];
  }
}

void mbs_explicit_place(const MbsExplicit *explicit, const MbsStep *step, int stage, MbsState *at) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  const MbsState *begin = &explicit->stages[0];
  mbs_scalar h = step->h;
  if (stage < explicit->end) {
    at->t = step->t - (1 - explicit->c[stage]) * h;
    mbs_state_place_fixed(system, at);
  }
  for (int i = 0; i < system->n; ++i) {
    at->q[i] = begin->q[i] + explicit->c[stage] * h * begin->v[i];
    at->v[i] = begin->v[i];
  }
  for (int j = 0; j < stage; ++j) {
    mbs_scalar d = h * h * explicit->position[stage][j], a = h * explicit->velocity[stage][j];
    add(mbs_is_nonzero(explicit->position[stage][j]) ? system->n : 0, d, explicit->stages[j].a, at->q);
    add(mbs_is_nonzero(explicit->velocity[stage][j]) ? system->n : 0, a, explicit->stages[j].a, at->v);
  }
}

// accelerations and multipliers of a stage begin with those of the one before, or of the end with its own of old
static void guess(const MbsExplicit *explicit, int stage, MbsState *at) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  const MbsState *before = &explicit->stages[stage - 1];
  const MbsInstant *instant = stage > 1 ? &explicit->instants[stage - 1] : &explicit->implicit.own;
  for (int i = 0; i < system->n; ++i) {
    at->a[i] = before->a[i];
  }
  for (int i = 0; i < system->m; ++i) {
    at->lambda[i] = before->lambda[i];
    if (explicit->implicit.has_redundancy) {
      explicit->implicit.at->lambda[i] = instant->lambda[i];
    }
  }
}

// one stage, or the end; the state is that of the place where it leads
static MbsStatus make_stage(MbsContext *context, MbsExplicit *explicit, const MbsStep *step, int stage, MbsState *at) {
  bool is_independent = explicit->independent.reduced != NULL;
  mbs_explicit_take_instant(explicit, stage);
  mbs_explicit_place(explicit, step, stage, at);
  if (is_independent) {
    MBS_TRY(mbs_explicit_recover(context, explicit, step->h, stage, at));
  }
  if (stage < explicit->end) {
    guess(explicit, stage, at);
  } else if (!is_independent) {
    MBS_TRY(mbs_explicit_project(context, explicit, at));
  }
  MBS_TRY(mbs_implicit_solve_instant(context, &explicit->implicit, at));
  if (is_independent && stage < explicit->end) {
    mbs_explicit_note_independent(explicit, stage, at);
  }
  return MBS_OK;
}

MbsStatus mbs_explicit_make_stages(MbsContext *context, MbsExplicit *explicit, const MbsStep *step, MbsState *state) {
  MbsStatus status = MBS_OK;
  for (int i = 1; i <= explicit->end && status == MBS_OK; ++i) {
    status = make_stage(context, explicit, step, i, i < explicit->end ? &explicit->stages[i] : state);
  }
  mbs_explicit_take_instant(explicit, explicit->end);
  return status;
}

MbsStatus mbs_explicit_step(MbsContext *context, MbsExplicit *explicit, MbsStep *step, MbsState *state) {
  mbs_state_copy(explicit->implicit.formulation->system, state, &explicit->stages[0]);
  if (explicit->independent.reduced) {
    return mbs_explicit_step_independent(context, explicit, step, state);
  }
  step->set = 0;
  return mbs_explicit_make_stages(context, explicit, step, state);
}

// ---- its error ----
// of coordinate i, from its rate at all stages and at the end
static double error_of(const MbsExplicit *explicit, const double *weights, const mbs_scalar *const *rates, int i) {
  double sum = 0;
  for (int j = 0; j <= explicit->end; ++j) {
    sum += weights[j] * mbs_re(rates[j][i]);
  }
  return fabs(sum);  // real
}

// the largest of positions, whose rates are velocities, and of velocities
static double largest_error(const MbsExplicit *explicit, mbs_scalar h, const mbs_scalar *const *v,
                            const mbs_scalar *const *a, const double *weights, int *worst) {
  int n = explicit->implicit.formulation->system->n;
  const double *const estimates[] = {explicit->pair->error, explicit->pair->low};
  double largest[2] = {0, 0};
  *worst = -1;
  for (int l = 0; l < 2; ++l) {
    for (int i = 0; i < 2 * n; ++i) {
      double error = fabs(mbs_re(h)) * weights[i] * error_of(explicit, estimates[l], i < n ? v : a, i % n);  // real
      if (!(error <= largest[l])) {                                                                          // NaN too
        largest[l] = error;
        *worst = l == 0 ? i : *worst;
      }
    }
  }
  double sum = largest[0] * largest[0] + 0.01 * largest[1] * largest[1];
  return sum > 0 ? largest[0] * largest[0] / sqrt(sum) : largest[0];  // real
}

double mbs_explicit_error(const MbsExplicit *explicit, mbs_scalar h, const MbsState *state, const double *weights,
                          int *worst) {
  const mbs_scalar *v[MBS_MOST_STAGES + 1], *a[MBS_MOST_STAGES + 1];
  for (int j = 0; j <= explicit->end; ++j) {
    const MbsState *at = j < explicit->end ? &explicit->stages[j] : state;
    v[j] = at->v;
    a[j] = at->a;
  }
  return largest_error(explicit, h, v, a, weights, worst);
}

double mbs_explicit_column_error(const MbsExplicit *explicit, mbs_scalar h, const MbsColumns *begin,
                                 const MbsColumns *end, int column, const double *weights, int *worst) {
  const mbs_scalar *v[MBS_MOST_STAGES + 1], *a[MBS_MOST_STAGES + 1];
  int first = column * explicit->implicit.formulation->system->nq;
  for (int j = 0; j <= explicit->end; ++j) {
    const MbsColumns *at = j == 0 ? begin : j < explicit->end ? &explicit->columns[j] : end;
    v[j] = at->V + first;
    a[j] = at->A + first;
  }
  return largest_error(explicit, h, v, a, weights, worst);
}
