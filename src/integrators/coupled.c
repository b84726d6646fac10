// Set-up and step. See coupled.h.
#include "integrators/coupled.h"

// ---- set-up ----
static void take_coefficients(MbsCoupled *coupled, const MbsCollocation *method) {
  int s = method->stage_count;
  coupled->method = method;
  coupled->end = s - 1;
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j < s; ++j) {
      for (int k = 0; k < s; ++k) {
        coupled->position[i][j] += method->a[i][k] * method->a[k][j];
      }
    }
  }
}

// entries (row, column) of block (i, j) of J: multipliers of a stage are in its own equations alone
static bool has_entry(const MbsSystem *system, int i, int j, int column) { return i == j || column < system->n; }

static MbsStatus create_pattern(MbsContext *context, const MbsSystem *system, MbsCoupled *coupled) {
  const MbsPattern *own = &system->mode.factored;
  int s = coupled->end + 1, size = system->n + system->m;
  MbsPatternBuilder *builder;
  MBS_CHECK(context, mbs_system_has_tangent(system));  // the model was compiled so
  MBS_TRY(mbs_pattern_begin(context, system->arena, s * size, &builder));
  for (int pass = 0; pass < 2; ++pass) {
    for (int b = 0; b < s * s; ++b) {
      int i = b / s, j = b % s;
      if (pass == 1) {
        MBS_TAKE(context, system->arena, coupled->map[i][j], own->entry_count);
      }
      for (int column = 0; column < size; ++column) {
        for (int k = own->column_start[column]; k < own->column_start[column + 1]; ++k) {
          int row = i * size + own->row[k], at = j * size + column;
          if (pass == 0 && has_entry(system, i, j, column)) {
            MBS_TRY(mbs_pattern_add(context, builder, row, at));
          } else if (pass == 1) {
            coupled->map[i][j][k] = has_entry(system, i, j, column) ? mbs_pattern_position(&coupled->pattern, row, at)
                                                                    : coupled->pattern.entry_count;
          }
        }
      }
    }
    if (pass == 0) {
      MBS_TRY(mbs_pattern_finish(context, builder, &coupled->pattern));
    }
  }
  return mbs_pattern_status(context, &coupled->pattern);
}

static MbsStatus create_matrix(MbsContext *context, const MbsSystem *system, MbsCoupled *coupled) {
  size_t size = (size_t)(coupled->end + 1) * (size_t)(system->n + system->m);
  MBS_TRY(create_pattern(context, system, coupled));
  MBS_TAKE(context, system->arena, coupled->values, coupled->pattern.entry_count + 1);
  MBS_TAKE(context, system->arena, coupled->block, system->mode.factored.entry_count + 1);
  MBS_TAKE(context, system->arena, coupled->r, size);
  MBS_TAKE(context, system->arena, coupled->correction, size);
  MBS_TAKE(context, system->arena, coupled->last, size);
  MBS_TAKE(context, system->arena, coupled->R, size * (size_t)system->carried_count);
  MBS_TRY(mbs_sparse_solver_create(context, system->arena, &coupled->pattern, &coupled->solver));
  if (coupled->implicit.has_room) {
    mbs_sparse_solver_demand_digits(coupled->solver);
  }
  return mbs_refinement_create(context, system, coupled->end + 1, &coupled->pattern, coupled->solver,
                               &coupled->refinement);
}

MbsStatus mbs_coupled_create(MbsContext *context, MbsFormulation *formulation, const MbsSettings *settings,
                             const MbsCollocation *method, bool has_redundancy, MbsStepper **stepper) {
  const MbsSystem *system = formulation->system;
  MbsCoupled *coupled;
  MBS_TAKE(context, system->arena, coupled, 1);
  MbsImplicit *implicit = &coupled->implicit;
  *stepper = &implicit->base;
  implicit->base.type = &mbs_coupled_type;
  MBS_TRY(mbs_implicit_create(context, formulation, settings, has_redundancy, implicit));
  implicit->base.type = &mbs_coupled_type;
  implicit->old[0] = NULL;  // of no use here, and so not of rows
  take_coefficients(coupled, method);
  bool is_lower = formulation->type->is_position_level && !implicit->has_projections;
  MbsStepper *base = *stepper;
  base->order = is_lower ? method->stage_count - 1 : method->order;
  base->error_order = method->order;
  base->gap = 1;
  base->ends[0] = 0;
  base->ends[1] = method->a[coupled->end][coupled->end];
  base->point_count = coupled->end;
  base->carry_size = coupled->end * mbs_state_number_count(system);
  base->row_size = mbs_implicit_row_size(implicit) + 2 * system->n + coupled->end * (3 * system->n + system->m);
  for (int i = 0; i < coupled->end; ++i) {
    MBS_TRY(mbs_state_create(context, system, &coupled->stages[i]));
    MBS_TRY(mbs_columns_create(context, system, &coupled->columns[i]));
    MBS_TRY(mbs_instant_create_place(context, implicit, settings, &coupled->instants[i]));
    (void)mbs_coupled_take(coupled, i);
    (void)mbs_implicit_stage(implicit, &coupled->stages[i], true);  // rows have it before the first step
  }
  (void)mbs_coupled_take(coupled, coupled->end);
  for (int i = 0; i <= coupled->end && (implicit->has_projections || base->projects_pieces); ++i) {
    MBS_TRY(mbs_instant_create(context, implicit, settings, &coupled->motions[i]));
    MBS_TAKE(context, system->arena, coupled->multipliers[i], system->m);
  }
  mbs_scalar **const begin[] = {&coupled->begin_q, &coupled->begin_v, &coupled->begin_a};
  for (int i = 0; i < MBS_COUNT(begin); ++i) {
    MBS_TAKE(context, system->arena, *begin[i], system->n);
  }
  MBS_TRY(create_matrix(context, system, coupled));
  if (settings->step_tolerance > 0) {
    mbs_coupled_create_error(coupled);
    for (int l = 0; l < 2; ++l) {
      MBS_TAKE(context, system->arena, coupled->estimate[l], 2 * system->n);
      MBS_TAKE(context, system->arena, coupled->moved[l], system->nq);
    }
    MBS_TAKE(context, system->arena, coupled->rest, system->n + system->m);
  }
  return MBS_OK;
}

// ---- the step ----
MbsState *mbs_coupled_take(MbsCoupled *coupled, int stage) {
  MbsInstant *instant = stage < coupled->end ? &coupled->instants[stage] : &coupled->implicit.own;
  mbs_implicit_take_instant(&coupled->implicit, instant);
  return &instant->stage;
}

MbsWeights mbs_coupled_weights(const MbsCoupled *coupled, mbs_scalar h) {
  mbs_scalar c1 = coupled->method->gamma * h;
  return mbs_formulation_weights(coupled->implicit.formulation, c1 * c1, c1);
}

// Accelerations and multipliers of the stages begin on the polynomial through those of the last step; or (is_constant)
// with those of its end.
static void predict(MbsCoupled *coupled, double h, bool is_constant) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  const double *c = coupled->method->c;
  int s = coupled->end + 1, n = system->n, size = n + system->m;
  for (int i = 0; i < s; ++i) {
    const MbsState *at = mbs_coupled_at(coupled, i);
    double weights[MBS_MOST_COUPLED], ahead = is_constant ? 1 : 1 + c[i] * h / coupled->last_h;
    for (int j = 0; j < s; ++j) {
      weights[j] = 1;
      for (int k = 0; k < s; ++k) {
        weights[j] *= k == j ? 1 : (ahead - c[k]) / (c[j] - c[k]);
      }
    }
    for (int k = 0; k < size; ++k) {
      mbs_scalar sum = 0;
      for (int j = 0; j < s; ++j) {
        sum += weights[j] * coupled->last[j * size + k];
      }
      *(k < n ? &at->a[k] : &at->lambda[k - n]) = sum;
    }
  }
}

// what the next step begins with: of this one; or before the first one (start) those of the state
static void remember(MbsCoupled *coupled, const MbsState *start) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  const mbs_scalar *own = coupled->implicit.has_redundancy ? coupled->implicit.own.lambda : NULL;
  for (int i = 0; i <= coupled->end; ++i) {
    const MbsState *at = start ? start : mbs_coupled_at(coupled, i);
    mbs_scalar *to = mbs_put(coupled->last + i * (system->n + system->m), system->n, at->a);
    (void)mbs_put(to, system->m, start && own ? own : at->lambda);
  }
}

MbsState *mbs_coupled_begin_stage(MbsCoupled *coupled, const MbsStep *step, int stage, MbsState *state) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  MbsState *to = stage < coupled->end ? &coupled->stages[stage] : state;
  if (stage < coupled->end) {
    to->t = step->t - (1 - coupled->method->c[stage]) * step->h;
    mbs_state_place_fixed(system, to);
  }
  (void)mbs_coupled_take(coupled, stage);
  MbsState *at = mbs_implicit_stage(&coupled->implicit, to, false);
  if (mbs_implicit_projects(&coupled->implicit) && !coupled->implicit.has_redundancy) {
    at->lambda = coupled->multipliers[stage];
  }
  for (int k = system->n; k < system->nq; ++k) {
    at->v[k] = to->v[k];
    at->a[k] = to->a[k];
  }
  return at;
}

static void begin(MbsCoupled *coupled, const MbsStep *step, MbsState *state) {
  const MbsSystem *system = coupled->implicit.formulation->system;
  (void)mbs_put(coupled->begin_q, system->n, state->q);
  (void)mbs_put(coupled->begin_v, system->n, state->v);
  (void)mbs_put(coupled->begin_a, system->n, state->a);
  if (!(coupled->last_h > 0)) {
    remember(coupled, state);
  }
  for (int i = 0; i <= coupled->end; ++i) {
    (void)mbs_coupled_begin_stage(coupled, step, i, state);
  }
}

MbsStatus mbs_coupled_step(MbsContext *context, MbsCoupled *coupled, const MbsStep *step, MbsState *state) {
  double h = mbs_re(step->h);
  begin(coupled, step, state);
  bool is_constant = !(coupled->last_h > 0 && h > 0 && h < 2 * coupled->last_h);
  predict(coupled, h, is_constant);
  MbsStatus status = mbs_coupled_solve(context, coupled, step->h);
  if (status == MBS_ERROR_NUMERICAL && !is_constant) {  // where they changed abruptly the polynomial may be far off
    predict(coupled, h, true);
    status = mbs_coupled_solve(context, coupled, step->h);
  }
  for (int i = 0; i <= coupled->end && status == MBS_OK; ++i) {
    status = mbs_coupled_finish(context, coupled, step->h, i, i < coupled->end ? &coupled->stages[i] : state);
  }
  (void)mbs_coupled_take(coupled, coupled->end);
  MBS_TRY(status);
  remember(coupled, NULL);
  coupled->last_h = h;
  coupled->is_used = true;
  return coupled->estimates ? mbs_coupled_estimate(context, coupled, step->h, state) : MBS_OK;
}
