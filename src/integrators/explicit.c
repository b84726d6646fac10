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

static void take_errors(MbsExplicit *explicit, const MbsPair *pair) {
  for (int l = 0; l < 2; ++l) {
    const double *weights = l == 0 ? pair->error : pair->low;
    for (int j = 0; j <= explicit->end; ++j) {
      explicit->error[l][0][j] = weights[j];
      for (int k = j + 1; k <= explicit->end; ++k) {
        explicit->error[l][1][j] += weights[k] * explicit->velocity[k][j];
      }
    }
  }
}

static MbsStatus create_columns(MbsContext *context, const MbsSystem *system, MbsColumns *columns) {
  size_t nq = (size_t)system->nq * (size_t)system->carried_count, m = (size_t)system->m * (size_t)system->carried_count;
  MBS_TAKE(context, system->arena, columns->X, nq);
  MBS_TAKE(context, system->arena, columns->V, nq);
  MBS_TAKE(context, system->arena, columns->A, nq);
  MBS_TAKE(context, system->arena, columns->L, m);
  columns->T = columns->L;  // nothing is projected
  return MBS_OK;
}

MbsStatus mbs_explicit_create(MbsContext *context, MbsFormulation *formulation, const MbsSettings *settings,
                              const MbsPair *pair, bool has_redundancy, MbsStepper **stepper) {
  const MbsSystem *system = formulation->system;
  MbsExplicit *explicit;
  MBS_TAKE(context, system->arena, explicit, 1);
  *stepper = &explicit->implicit.base;
  explicit->implicit.base.type = &mbs_explicit_type;
  MBS_TRY(mbs_implicit_create(context, formulation, settings, has_redundancy, &explicit->implicit));
  take_coefficients(explicit, pair);
  take_errors(explicit, pair);
  int block = mbs_state_number_count(system);
  MbsStepper *base = *stepper;
  base->type = &mbs_explicit_type;
  base->order = pair->order;
  base->ends[0] = pair->b[0];
  base->ends[1] = 0;
  for (int i = 0; i < explicit->end; ++i) {
    MBS_TRY(mbs_state_create(context, system, &explicit->stages[i]));
    if (i > 0) {
      MBS_TRY(mbs_instant_create(context, &explicit->implicit, settings, &explicit->instants[i]));
      MBS_TRY(create_columns(context, system, &explicit->columns[i]));
    }
    if (i > 0 && mbs_is_nonzero(pair->b[i])) {
      explicit->points[base->point_count++] = i;
    }
  }
  base->gap = 1;
  base->carry_size = base->point_count * block;
  explicit->implicit.old[0] = NULL;  // of no use here, and so not of rows
  base->row_size =
      mbs_implicit_row_size(&explicit->implicit) + 3 * system->n + (explicit->end - 1) * (system->n + system->m);
  MBS_TAKE(context, system->arena, explicit->bars_a, explicit->end * system->n);
  MBS_TAKE(context, system->arena, explicit->bar, block);
  return MBS_OK;
}

void mbs_explicit_take_instant(MbsExplicit *explicit, int stage) {
  mbs_implicit_take_instant(&explicit->implicit,
                            stage == explicit->end ? &explicit->implicit.own : &explicit->instants[stage]);
}

// ---- the step ----
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
    for (int i = 0; i < system->n && mbs_is_nonzero(explicit->position[stage][j]); ++i) {
      at->q[i] += d * explicit->stages[j].a[i];
    }
    for (int i = 0; i < system->n && mbs_is_nonzero(explicit->velocity[stage][j]); ++i) {
      at->v[i] += a * explicit->stages[j].a[i];
    }
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

MbsStatus mbs_explicit_step(MbsContext *context, MbsExplicit *explicit, const MbsStep *step, MbsState *state) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  mbs_state_copy(system, state, &explicit->stages[0]);
  for (int i = 1; i <= explicit->end; ++i) {
    MbsState *at = i < explicit->end ? &explicit->stages[i] : state;
    mbs_explicit_take_instant(explicit, i);
    mbs_explicit_place(explicit, step, i, at);
    if (i < explicit->end) {
      guess(explicit, i, at);
    }
    MbsStatus status = mbs_implicit_solve_instant(context, &explicit->implicit, at);
    if (status != MBS_OK) {
      mbs_explicit_take_instant(explicit, explicit->end);
      return status;
    }
  }
  return MBS_OK;
}

// ---- its error ----
// of coordinate i, by an estimate: of its velocity (0) or its position (1)
static double error_of(const MbsExplicit *explicit, const double *weights, const MbsState *state, int i) {
  double sum = weights[explicit->end] * mbs_re(state->a[i]);
  for (int j = 0; j < explicit->end; ++j) {
    sum += weights[j] * mbs_re(explicit->stages[j].a[i]);
  }
  return fabs(sum);  // real
}

double mbs_explicit_error(const MbsExplicit *explicit, mbs_scalar h, const MbsState *state, const double *weights,
                          int *worst) {
  int n = explicit->implicit.formulation->system->n;
  const double size[2] = {fabs(mbs_re(h)), mbs_re(h) * mbs_re(h)};  // real
  double largest[2] = {0, 0};
  *worst = -1;
  for (int l = 0; l < 2; ++l) {
    for (int i = 0; i < 2 * n; ++i) {
      int level = i < n ? 1 : 0;
      double error = size[level] * weights[i] * error_of(explicit, explicit->error[l][level], state, i % n);
      if (!(error <= largest[l])) {  // NaN too
        largest[l] = error;
        *worst = l == 0 ? i : *worst;
      }
    }
  }
  double sum = largest[0] * largest[0] + 0.01 * largest[1] * largest[1];
  return sum > 0 ? largest[0] * largest[0] / sqrt(sum) : largest[0];  // real
}
