// Values and products of the terms: see state_terms.h.
//
//   f, Phi, Phidot, Phiddot   the terms' own products (mbs_terms_derivative, ..._transposed)
//   Phi_q w                   is Phidot at v = w less Phidot at v = 0, and so are its derivatives
//   a, lambda                 S (a', lambda') = -(r_q q' + r_v v' + r_rho rho'), S = [M Phi_q'; Phi_q 0]  (implicit.h)
//   outputs, points           functions of the state, with a and lambda of the motion where they depend on these
//   independent ones          q' and v' from those of the independent coordinates, then as above
#include <math.h>
#include <string.h>

#include "sensitivities/state_terms.h"

static const MbsWeights none = {.k0 = 0}, position = {.k0 = 1}, velocity = {.k1 = 1, .n1 = 1},
                        acceleration = {.k2 = 1, .n2 = 1};

static const MbsWeights *weights_of(MbsTermsVector of) {
  switch (of) {
    case MBS_TERMS_PHI: return &position;
    case MBS_TERMS_PHIDOT:
    case MBS_TERMS_CONSTRAINT_RATES: return &velocity;
    case MBS_TERMS_PHIDDOT: return &acceleration;
    default: return &none;
  }
}

static MbsParts parts_of(MbsTermsVector of) { return of == MBS_TERMS_BALANCE ? MBS_PART_ALL : MBS_PART_ROWS; }

// f, or the rows behind it
static int offset_of(const MbsTerms *terms, MbsTermsVector of) {
  return of == MBS_TERMS_BALANCE || of == MBS_TERMS_CONSTRAINT_FORCES ? 0 : terms->n;
}

static void clear(int count, double *numbers) { memset(numbers, 0, (size_t)count * sizeof *numbers); }

static void add(int count, double scale, const double *from, double *to) {
  for (int i = 0; i < count; ++i) {
    to[i] += scale * from[i];
  }
}

double *mbs_state_terms_part(const MbsTerms *terms, const MbsSeeds *seeds, MbsTermsArgument by) {
  const MbsSystem *system = terms->system;
  const MbsBlueprint *blueprint = system->blueprint;
  switch (by) {
    case MBS_BY_POSITIONS: return seeds->q;
    case MBS_BY_VELOCITIES: return seeds->v;
    case MBS_BY_ACCELERATIONS: return seeds->a;
    case MBS_BY_MULTIPLIERS: return seeds->lambda;
    case MBS_BY_PARAMETERS: return seeds->columns + MBS_COLUMN_PARAMETERS;
    case MBS_BY_TIME: return seeds->columns + MBS_COLUMN_TIME;
    case MBS_BY_INDEPENDENT_POSITIONS: return seeds->y;
    case MBS_BY_INDEPENDENT_VELOCITIES: return seeds->u;
    case MBS_BY_INPUTS:
      return blueprint->input_count > 0
                 ? seeds->columns + system->column_of_parameter[blueprint->variable_first + blueprint->input_first]
                 : seeds->columns;
  }
  return NULL;
}

void mbs_state_terms_clear_seeds(const MbsTerms *terms, const MbsSeeds *seeds) {
  clear(terms->nq, seeds->q);
  clear(terms->nq, seeds->v);
  clear(terms->nq, seeds->a);
  clear(terms->m, seeds->lambda);
  clear(terms->columns, seeds->columns);
  clear(terms->n, seeds->y);
  clear(terms->n, seeds->u);
}

// ---- states and columns ----
// How many columns products are taken with: all, or the first one, the seed's, alone.
static void use_columns(MbsTerms *terms, int count) {
  terms->system->column_count = terms->system->bodies->column_count = count;
}

// Columns of parameters at a state that is held.
static const MbsColumns *hold_state(MbsTerms *terms) {
  const MbsColumns *columns = &terms->simulation->columns;
  clear(terms->nq * terms->columns, columns->X);
  clear(terms->nq * terms->columns, columns->V);
  clear(terms->nq * terms->columns, columns->A);
  clear(terms->m * terms->columns, columns->L);
  clear(terms->m * terms->columns, columns->S);
  clear(terms->m * terms->columns, columns->K);
  clear(terms->m * terms->columns, columns->T);
  mbs_system_fixed_columns(terms->system, terms->at.t, columns->X, columns->V, columns->A);
  return columns;
}

static void copy(int count, const double *from, double *to) {
  if (from) {
    memcpy(to, from, (size_t)count * sizeof *to);
  } else {
    clear(count, to);
  }
}

// The first column is the seeds'.
static const MbsColumns *take_seed(const MbsTerms *terms, const MbsSeeds *seeds) {
  const MbsColumns *columns = &terms->simulation->columns;
  copy(terms->nq, seeds->q, columns->X);
  copy(terms->nq, seeds->v, columns->V);
  copy(terms->nq, seeds->a, columns->A);
  copy(terms->m, seeds->lambda, columns->L);
  copy(terms->m, seeds->lambda, columns->T);
  clear(terms->m, columns->S);
  clear(terms->m, columns->K);
  return columns;
}

// ---- push ----
// Of functions whose weights are given, with the columns that were taken: of the seed, or of all, into Y.
static void differentiate_functions(MbsTerms *terms, const MbsState *state, const double *weights, int row, int rows,
                                    double *Y) {
  const MbsSystem *system = terms->system;
  for (int i = 0; i < terms->simulation->outputs.count; ++i) {
    if (weights[i] < 0 || weights[i] > 0) {
      const MbsFunction *function = &terms->simulation->outputs.items[i].function;
      (void)mbs_function_evaluate(system, function, state, NULL);
      for (int k = 0; k < system->column_count; ++k) {
        Y[k * rows + row] +=
            weights[i] * mbs_function_derivative(system, function, state, k, &terms->simulation->columns, NULL);
      }
    }
  }
}

// of outputs or the point, by the columns of the simulation as they are there: Y (rows x columns in use) is set
static void push_functions(MbsTerms *terms, MbsTermsVector of, double *Y) {
  const MbsSystem *system = terms->system;
  const MbsState *state = of == MBS_TERMS_POINT ? &terms->at : &terms->simulation->state;
  int rows = mbs_terms_size(terms, of);
  clear(rows * system->column_count, Y);
  mbs_signal_bank_evaluate(system, state);
  if (of == MBS_TERMS_POINT) {
    mbs_signal_bank_take_columns(system, state, &terms->simulation->columns);
  } else {
    mbs_signal_bank_differentiate(system, state, &terms->simulation->columns);
  }
  for (int i = 0; i < rows; ++i) {
    clear(terms->simulation->outputs.count, terms->weights);
    if (of == MBS_TERMS_POINT) {
      mbs_state_terms_weigh_point(terms, i, true, terms->weights);
    } else {
      terms->weights[terms->output[i]] = 1;
    }
    differentiate_functions(terms, state, terms->weights, i, rows, Y);
  }
}

// The same of the motion, whose accelerations and multipliers follow: from X and V of the columns.
static MbsStatus push_motion(MbsContext *context, MbsTerms *terms, MbsTermsVector of, double *Y) {
  const MbsColumns *columns = &terms->simulation->columns;
  const MbsState *state = &terms->simulation->state;
  int count = terms->system->column_count, rows = mbs_terms_size(terms, of);
  MBS_TRY(mbs_implicit_instant_derivative(context, terms->implicit, state, columns));
  memcpy(columns->T, columns->L, (size_t)(terms->m * count) * sizeof *columns->T);
  for (int k = 0; k < count && of != MBS_TERMS_OUTPUTS; ++k) {
    bool is_first = of == MBS_TERMS_ACCELERATIONS;
    memcpy(Y + k * rows, is_first ? columns->A + k * terms->nq : columns->L + k * terms->m, (size_t)rows * sizeof *Y);
  }
  if (of == MBS_TERMS_OUTPUTS) {
    push_functions(terms, of, Y);
  }
  return MBS_OK;
}

// r' of a vector of given accelerations, (n + m) for each column in use
static void push_given(MbsTerms *terms, MbsTermsVector of, const MbsState *state, const MbsColumns *columns,
                       double *R) {
  const MbsSystem *system = terms->system;
  clear((terms->n + terms->m) * system->column_count, R);
  mbs_signal_bank_follow(system, state);
  mbs_terms_derivative_of(system, state, weights_of(of), parts_of(of), columns, R);
  for (int k = 0; k < system->column_count; ++k) {
    for (int i = 0; i < terms->m; ++i) {  // which have e = -lambda
      double *e = &R[k * (terms->n + terms->m) + terms->n + i];
      *e = mbs_row_rests(&system->mode.rows[i]) ? 0 : *e;
    }
  }
}

// the same of any of these vectors, into Y
static void push_terms(MbsTerms *terms, MbsTermsVector of, const MbsColumns *columns, double *Y) {
  int size = terms->n + terms->m, rows = mbs_terms_size(terms, of), count = terms->system->column_count;
  if (of == MBS_TERMS_CONSTRAINT_RATES) {
    push_given(terms, of, mbs_state_terms_move(terms, NULL, NULL), columns, terms->R_rest);
    push_given(terms, of, mbs_state_terms_move(terms, terms->direction, NULL), columns, terms->R);
    add(size * count, -1, terms->R_rest, terms->R);
  } else {
    push_given(terms, of, &terms->at, columns, terms->R);
  }
  for (int k = 0; k < count; ++k) {
    memcpy(Y + k * rows, terms->R + k * size + offset_of(terms, of), (size_t)rows * sizeof *Y);
  }
}

static MbsStatus push_columns(MbsContext *context, MbsTerms *terms, MbsTermsVector of, double *Y) {
  if (!mbs_vector_is_given(of)) {
    return push_motion(context, terms, of, Y);
  }
  if (of == MBS_TERMS_POINT) {
    push_functions(terms, of, Y);
  } else {
    push_terms(terms, of, &terms->simulation->columns, Y);
  }
  return MBS_OK;
}

// what a vector is evaluated with
static MbsStatus complete(MbsContext *context, MbsTerms *terms, MbsTermsVector of) {
  bool needs_given = of == MBS_TERMS_BALANCE || of == MBS_TERMS_CONSTRAINT_FORCES || of == MBS_TERMS_PHIDDOT;
  return !mbs_vector_is_given(of) ? mbs_state_terms_solve(context, terms)
         : needs_given            ? mbs_state_terms_complete(context, terms)
                                  : MBS_OK;
}

MbsStatus mbs_state_terms_all_columns(MbsContext *context, MbsTerms *terms, MbsTermsVector of) {
  MBS_TRY(complete(context, terms, of));
  (void)hold_state(terms);
  return push_columns(context, terms, of, terms->Y);
}

static MbsStatus push_seed(MbsContext *context, MbsTerms *terms, MbsTermsVector of, const MbsSeeds *seeds) {
  MbsSeeds own = *seeds;
  if (!mbs_vector_is_given(of)) {
    own.a = own.lambda = NULL;
  }
  MBS_TRY(complete(context, terms, of));
  (void)take_seed(terms, &own);
  use_columns(terms, 1);
  MbsStatus status = push_columns(context, terms, of, terms->Y);
  use_columns(terms, terms->columns);
  return status;
}

static MbsStatus push_plain(MbsContext *context, MbsTerms *terms, MbsTermsVector of, const MbsSeeds *seeds, double *y) {
  int rows = mbs_terms_size(terms, of);
  if (seeds->q || seeds->v || seeds->a || seeds->lambda) {
    MBS_TRY(push_seed(context, terms, of, seeds));
    add(rows, 1, terms->Y, y);
  }
  if (seeds->columns) {
    MBS_TRY(mbs_state_terms_all_columns(context, terms, of));
    for (int k = 0; k < terms->columns; ++k) {
      add(rows, seeds->columns[k], terms->Y + k * rows, y);
    }
  }
  return MBS_OK;
}

MbsStatus mbs_state_terms_push(MbsContext *context, MbsTerms *terms, MbsTermsVector of, const MbsSeeds *seeds,
                               double *y) {
  bool is_tangent = mbs_vector_is_tangent(of);
  if (!is_tangent && !seeds->y && !seeds->u) {
    return push_plain(context, terms, of, seeds, y);
  }
  const MbsSeeds *all = &terms->seeds;  // whose parts the caller has filled in
  MBS_TRY(mbs_state_terms_lift(context, terms, all));
  if (!is_tangent) {
    return push_plain(context, terms, of, &(MbsSeeds){.q = all->q, .v = all->v}, y);
  }
  if (of != MBS_TERMS_INDEPENDENT_ACCELERATIONS) {
    add(terms->n, 1, of == MBS_TERMS_POSITIONS ? all->q : all->v, y);
    return MBS_OK;
  }
  clear(terms->nq, all->a);
  const MbsSeeds lifted = {.q = all->q, .v = all->v, .columns = seeds->columns};
  MBS_TRY(push_plain(context, terms, MBS_TERMS_ACCELERATIONS, &lifted, all->a));
  mbs_freedoms_apply(&terms->freedoms[1], terms->at.q, all->a, y);
  mbs_freedoms_turn(&terms->freedoms[1], all->q, terms->simulation->state.a, y);
  return MBS_OK;
}

// ---- pull ----
static void pull_given(MbsTerms *terms, MbsTermsVector of, const MbsState *state, double scale, const double *w) {
  const MbsSystem *system = terms->system;
  bool is_force = offset_of(terms, of) == 0;
  for (int i = 0; i < terms->n; ++i) {
    terms->mu[i] = is_force ? scale * w[i] : 0;
  }
  for (int i = 0; i < terms->m; ++i) {
    terms->nu[i] = is_force || mbs_row_rests(&system->mode.rows[i]) ? 0 : scale * w[i];
  }
  mbs_signal_bank_follow(system, state);
  mbs_terms_transposed(system, state, weights_of(of), parts_of(of), terms->mu, terms->nu, &terms->bar);
  clear(terms->nq, terms->mu);
}

static void pull_functions(MbsTerms *terms, MbsTermsVector of, const double *w) {
  const MbsSystem *system = terms->system;
  const MbsState *state = of == MBS_TERMS_POINT ? &terms->at : &terms->simulation->state;
  int functions = terms->simulation->outputs.count;
  mbs_signal_bank_evaluate(system, state);
  for (int i = 0; i < mbs_terms_size(terms, of); ++i) {
    clear(functions, terms->weights);
    if (of == MBS_TERMS_POINT) {
      mbs_state_terms_weigh_point(terms, i, true, terms->weights);
    } else {
      terms->weights[terms->output[i]] = 1;
    }
    for (int k = 0; k < functions; ++k) {
      if (terms->weights[k] < 0 || terms->weights[k] > 0) {
        const MbsFunction *function = &terms->simulation->outputs.items[k].function;
        (void)mbs_function_evaluate(system, function, state, NULL);
        mbs_function_transposed(system, function, state, w[i] * terms->weights[k], &terms->bar);
      }
    }
  }
}

static void pull_motion(MbsTerms *terms, MbsTermsVector of, const double *w) {
  const MbsState *state = &terms->simulation->state;
  if (of == MBS_TERMS_OUTPUTS) {
    pull_functions(terms, of, w);
  } else {
    add(mbs_terms_size(terms, of), 1, w, of == MBS_TERMS_ACCELERATIONS ? terms->bar.a : terms->bar.total);
  }
  mbs_signal_bank_evaluate(terms->system, state);
  mbs_implicit_instant_transposed(terms->implicit, 0, 0, state, &terms->bar);
}

MbsStatus mbs_state_terms_pull_more(MbsContext *context, MbsTerms *terms, MbsTermsVector of, const double *w) {
  const MbsSystem *system = terms->system;
  MbsStateBar *bar = &terms->bar;
  MbsSeeds *to = &terms->pulled;
  MBS_TRY(complete(context, terms, of));
  mbs_bar_clear(system, bar);
  clear(terms->columns, bar->gradient);
  if (!mbs_vector_is_given(of)) {
    pull_motion(terms, of, w);
  } else if (of == MBS_TERMS_POINT) {
    pull_functions(terms, of, w);
  } else if (of == MBS_TERMS_CONSTRAINT_RATES) {
    pull_given(terms, of, mbs_state_terms_move(terms, terms->direction, NULL), 1, w);
    pull_given(terms, of, mbs_state_terms_move(terms, NULL, NULL), -1, w);
    clear(terms->n, bar->v);  // of w, which is not what velocities are
  } else {
    pull_given(terms, of, &terms->at, 1, w);
  }
  add(terms->n, 1, bar->q, to->q);
  add(terms->n, 1, bar->v, to->v);
  add(terms->n, 1, bar->a, to->a);
  add(terms->m, 1, bar->lambda, to->lambda);
  mbs_system_fixed_transposed(system, terms->at.t, bar, bar->gradient);
  mbs_system_chain(system, bar->coefficients, bar->parameters, bar->gradient);
  add(terms->columns, 1, bar->gradient, to->columns);
  return MBS_OK;
}

MbsStatus mbs_state_terms_pull(MbsContext *context, MbsTerms *terms, MbsTermsVector of, const double *w) {
  MbsSeeds *to = &terms->pulled;
  mbs_state_terms_clear_seeds(terms, to);
  if (!mbs_vector_is_tangent(of)) {
    return mbs_state_terms_pull_more(context, terms, of, w);
  }
  if (of != MBS_TERMS_INDEPENDENT_ACCELERATIONS) {
    add(terms->n, 1, w, of == MBS_TERMS_POSITIONS ? to->q : to->v);
    return MBS_OK;
  }
  MBS_TRY(mbs_state_terms_solve(context, terms));
  clear(terms->nq, terms->seeds.a);
  mbs_freedoms_apply_transposed(&terms->freedoms[1], terms->at.q, w, terms->seeds.a);
  MBS_TRY(mbs_state_terms_pull_more(context, terms, MBS_TERMS_ACCELERATIONS, terms->seeds.a));
  mbs_freedoms_turn_transposed(&terms->freedoms[1], terms->simulation->state.a, w, to->q);
  return MBS_OK;
}

// ---- public ----
MbsStatus mbs_state_terms_check_pair(MbsContext *context, const MbsTerms *terms, MbsTermsVector of,
                                     MbsTermsArgument by) {
  if (mbs_terms_size(terms, of) < 0 || mbs_terms_width(terms, by) < 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "there is no vector %d by %d of the enumerations MbsTermsVector and MbsTermsArgument", (int)of,
                    (int)by);
  }
  if (of > MBS_TERMS_INDEPENDENT_ACCELERATIONS) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "independent velocities, forces, bias, Phi_t and gamma have values alone: their derivatives are "
                    "those of MBS_TERMS_BALANCE, ..._PHIDOT and ..._PHIDDOT where accelerations, multipliers or "
                    "velocities are zero");
  }
  bool has_forces =
      !mbs_vector_is_given(of) || (of == MBS_TERMS_BALANCE && by != MBS_BY_ACCELERATIONS && by != MBS_BY_MULTIPLIERS);
  if (has_forces && of != MBS_TERMS_POSITIONS && of != MBS_TERMS_VELOCITIES) {
    MBS_TRY(mbs_simulation_check_slopes(context, terms->model));
  }
  if (mbs_vector_is_tangent(of) && by <= MBS_BY_MULTIPLIERS) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "positions, velocities and independent accelerations of the tangent space are functions of "
                    "independent positions and velocities, parameters, inputs and time alone: use "
                    "MBS_BY_INDEPENDENT_POSITIONS and the others, or MBS_TERMS_ACCELERATIONS");
  }
  return MBS_OK;
}

MbsStatus mbs_terms_product(MbsContext *context, MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by, int columns,
                            const double *u, int rows, double *product) {
  MBS_CALL_BEGIN(context, "mbs_terms_product", {"terms", terms}, {"u", u}, {"product", product});
  MBS_TRY(mbs_state_terms_check_pair(context, terms, of, by));
  MBS_TRY(mbs_state_terms_need(context, terms));
  MBS_TRY(mbs_state_terms_check_count(context, "columns", columns, mbs_terms_width(terms, by)));
  MBS_TRY(mbs_state_terms_check_count(context, "rows", rows, mbs_terms_size(terms, of)));
  MBS_TRY(mbs_state_terms_check_finite(context, "vector u", columns, u));
  mbs_simulation_tell(terms->simulation, context);
  mbs_state_terms_clear_seeds(terms, &terms->seeds);
  memcpy(mbs_state_terms_part(terms, &terms->seeds, by), u, (size_t)columns * sizeof *u);
  const MbsSeeds *all = &terms->seeds;
  const MbsSeeds own = {.q = by == MBS_BY_POSITIONS ? all->q : NULL,
                        .v = by == MBS_BY_VELOCITIES ? all->v : NULL,
                        .a = by == MBS_BY_ACCELERATIONS ? all->a : NULL,
                        .lambda = by == MBS_BY_MULTIPLIERS ? all->lambda : NULL,
                        .columns = by >= MBS_BY_PARAMETERS && by <= MBS_BY_TIME ? all->columns : NULL,
                        .y = by == MBS_BY_INDEPENDENT_POSITIONS ? all->y : NULL,
                        .u = by == MBS_BY_INDEPENDENT_VELOCITIES ? all->u : NULL};
  clear(rows, product);
  MBS_TRY(mbs_call_end(context, mbs_state_terms_push(context, terms, of, &own, product)));
  return mbs_state_terms_check_result(context, terms, rows, product);
}

MbsStatus mbs_terms_product_transposed(MbsContext *context, MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by,
                                       int rows, const double *w, int columns, double *product) {
  MBS_CALL_BEGIN(context, "mbs_terms_product_transposed", {"terms", terms}, {"w", w}, {"product", product});
  MBS_TRY(mbs_state_terms_check_pair(context, terms, of, by));
  MBS_TRY(mbs_state_terms_need(context, terms));
  MBS_TRY(mbs_state_terms_check_count(context, "rows", rows, mbs_terms_size(terms, of)));
  MBS_TRY(mbs_state_terms_check_count(context, "columns", columns, mbs_terms_width(terms, by)));
  MBS_TRY(mbs_state_terms_check_finite(context, "vector w", rows, w));
  mbs_simulation_tell(terms->simulation, context);
  MBS_TRY(mbs_call_end(context, mbs_state_terms_pull(context, terms, of, w)));
  if (mbs_vector_is_tangent(of) || by >= MBS_BY_INDEPENDENT_POSITIONS) {
    MBS_TRY(mbs_state_terms_lower(context, terms, &terms->pulled));
  }
  memcpy(product, mbs_state_terms_part(terms, &terms->pulled, by), (size_t)columns * sizeof *product);
  return mbs_state_terms_check_result(context, terms, columns, product);
}
