// Which equations make the problem of the start square: constraints by rank, completed by the independent coordinates.
#include "simulation/initial.h"

#include <math.h>

#include "algebra/rank.h"

static const double rank_tolerance = 1e-7;
static const MbsWeights position_level = {.k0 = 1};

// Phi_q stands in the multiplier rows of the tangent with e = Phi
void mbs_initial_jacobian(const MbsSystem *system, const MbsState *state, mbs_scalar *tangent, double *jacobian) {
  const MbsPattern *pattern = &system->mode.pattern;
  mbs_terms_tangent(system, state, &position_level, 1, 0, 0, tangent);
  for (size_t i = 0; i < (size_t)system->m * (size_t)system->n; ++i) {
    jacobian[i] = 0;
  }
  for (int column = 0; column < system->n; ++column) {
    for (int k = pattern->column_start[column]; k < pattern->column_start[column + 1]; ++k) {
      if (pattern->row[k] >= system->n) {
        jacobian[(size_t)(pattern->row[k] - system->n) * (size_t)system->n + (size_t)column] = mbs_re(tangent[k]);
      }
    }
  }
}

// ---- independent coordinates ----
static bool uses_turns(const MbsSystem *system, const MbsFunction *function) {
  for (int s = 0; s < function->tape->input_count; ++s) {
    if (system->blueprint->signals.items[function->tape->inputs[s]].kind == MBS_SIGNAL_TURN) {
      return true;
    }
  }
  return false;
}

static MbsStatus create_independents(MbsContext *context, MbsInitial *initial) {
  MbsSystem *system = initial->system;
  const MbsBlueprint *blueprint = system->blueprint;
  initial->count = blueprint->independents.count;
  MBS_TAKE(context, system->arena, initial->independents, initial->count);
  for (int i = 0; i < initial->count; ++i) {
    const MbsIndependentSpec *spec = &blueprint->independents.items[i];
    MbsIndependent *made = &initial->independents[i];
    made->name = spec->name;
    made->place = spec->place;
    made->has_value = spec->value != MBS_NODE_NONE;
    MBS_TRY(mbs_function_create(context, system, spec->name, spec->place, spec->coordinate, &made->w));
    MBS_TRY(mbs_function_create(context, system, spec->name, spec->place, spec->rate, &made->rate));
    made->is_angle = uses_turns(system, &made->w);
  }
  return MBS_OK;
}

// dw/dq of an independent coordinate, after evaluating signals at the state
mbs_scalar mbs_initial_gradient(const MbsInitial *initial, int index, const MbsState *state) {
  const MbsSystem *system = initial->system;
  for (int i = 0; i < system->nq; ++i) {
    initial->gradient[i] = 0;
  }
  if (initial->is_automatic) {
    initial->gradient[initial->automatic[index]] = 1;
    return state->q[initial->automatic[index]];
  }
  const MbsFunction *w = &initial->independents[index].w;
  mbs_scalar value = mbs_function_evaluate(system, w, state, NULL);
  mbs_function_transposed(system, w, state, 1, &(MbsStateBar){.q = initial->gradient});
  return value;
}

// the guess, shaken a little: a start that is drawn in a straight line should not look singular
static MbsStatus shaken_guess(MbsContext *context, const MbsSystem *system, const MbsState *guess, MbsState *shaken) {
  MBS_TRY(mbs_state_create(context, system, shaken));
  mbs_scalar *tangent;
  double *jacobian;
  MBS_TAKE(context, system->arena, tangent, system->mode.pattern.entry_count + 1);
  MBS_TAKE(context, system->arena, jacobian, (size_t)system->m * (size_t)system->n);
  mbs_initial_jacobian(system, guess, tangent, jacobian);
  double size = mbs_state_size(system, guess);
  // by less than the shortest body: the gradient of its length is as long as itself
  for (int k = 0; k < system->m; ++k) {
    double square = 0;
    for (int i = 0; i < system->n; ++i) {
      double entry = jacobian[(size_t)k * (size_t)system->n + (size_t)i];
      square += entry * entry;
    }
    double length = sqrt(square);  // real
    size = length > 0 && length < size ? length : size;
  }
  unsigned random = 12345;
  for (int i = 0; i < system->nq; ++i) {
    random = random * 1664525U + 1013904223U;
    double shake = (double)(random >> 8) / (double)(1U << 24) - 0.5;
    shaken->q[i] = mbs_re(guess->q[i]) + (i < system->n ? 1e-2 * (size + 1e-3) * shake : 0);
  }
  return MBS_OK;
}

static MbsStatus misfit(MbsContext *context, const MbsInitial *initial, int freedom) {
  const MbsRecord *section = mbs_record_child(&initial->system->blueprint->model->root, MBS_MODEL_INITIAL);
  MbsPlace place = mbs_record_value(section, MBS_INITIAL_INDEPENDENT)->place;
  return mbs_fail(context, MBS_ERROR_INPUT, place,
                  "too %s independent coordinates: %d given, the model has %d degree%s of freedom; give that many, or "
                  "none to have them chosen",
                  initial->count > freedom ? "many" : "few", initial->count, freedom, freedom == 1 ? "" : "s");
}

// chooses constraint rows by rank, then completes them by the independent coordinates
static MbsStatus choose_rows(MbsContext *context, MbsInitial *initial, const MbsState *state) {
  MbsSystem *system = initial->system;
  int n = system->n, m = system->m;
  MbsRank *rank;
  double *jacobian;
  MBS_TRY(mbs_rank_create(context, system->arena, n, &rank));
  MBS_TAKE(context, system->arena, jacobian, (size_t)(m + 1) * (size_t)n);
  mbs_scalar *tangent;
  MBS_TAKE(context, system->arena, tangent, system->mode.pattern.entry_count + 1);
  mbs_initial_jacobian(system, state, tangent, jacobian);
  int count = 0;
  // drivers last, so that a motion that is prescribed twice or not free shows in them
  for (int i = 0; i < 2 * m; ++i) {
    int k = i % m;
    const MbsRowSpec *row = &system->blueprint->rows.items[k];
    if (row->is_driver != (i >= m)) {
      continue;
    }
    initial->is_redundant[k] = !mbs_rank_take(rank, jacobian + (size_t)k * (size_t)n, rank_tolerance);
    if (initial->is_redundant[k] && row->is_driver) {
      return mbs_fail(context, MBS_ERROR_INPUT, row->place,
                      "driver \"%s\": its coordinate is not free: the joints, or another driver, determine it already",
                      row->owner);
    }
    initial->redundant_count += initial->is_redundant[k];
    if (!initial->is_redundant[k]) {
      initial->rows[count++] = k;
    }
  }
  int freedom = n - count;
  bool is_given = initial->count > 0;
  if (!is_given) {
    initial->is_automatic = true;
    initial->count = freedom;
    MBS_TAKE(context, system->arena, initial->automatic, freedom);
    MBS_TAKE(context, system->arena, initial->independents, freedom);
  } else if (initial->count != freedom) {
    return misfit(context, initial, freedom);
  }
  mbs_signal_bank_evaluate(system, state);
  double *gradient = jacobian;
  for (int i = 0; i < initial->count; ++i) {
    if (initial->is_automatic) {
      initial->automatic[i] = mbs_rank_free_coordinate(rank, rank_tolerance);
      MBS_ASSERT(initial->automatic[i] >= 0);
      initial->independents[i].name = system->coordinate_names[initial->automatic[i]];
    }
    (void)mbs_initial_gradient(initial, i, state);
    for (int k = 0; k < n; ++k) {
      gradient[k] = mbs_re(initial->gradient[k]);
    }
    if (!mbs_rank_take(rank, gradient, rank_tolerance)) {
      return mbs_fail(
          context, MBS_ERROR_INPUT, initial->independents[i].place,
          "independent coordinate \"%s\" does not add a freedom to the constraints and the coordinates before it; "
          "choose another, such as the angle of a body",
          initial->independents[i].name);
    }
    initial->rows[count++] = m + i;
  }
  return MBS_OK;
}

// ---- the square matrix ----
// visits the free coordinates an independent coordinate may depend on
static MbsStatus add_independent_pattern(MbsContext *context, const MbsInitial *initial, int row, int index,
                                         MbsPatternBuilder *builder) {
  const MbsSystem *system = initial->system;
  if (initial->is_automatic) {
    return mbs_pattern_add(context, builder, row, initial->automatic[index]);
  }
  const MbsTape *tape = initial->independents[index].w.tape;
  for (int s = 0; s < tape->input_count; ++s) {
    const MbsSignal *signal = &system->blueprint->signals.items[tape->inputs[s]];
    if (signal->kind != MBS_SIGNAL_POSITION) {
      continue;
    }
    const MbsLinearForm *form = &system->signals.forms[signal->index];
    for (int t = 0; t < form->count; ++t) {
      for (int k = 0; k < system->dimension; ++k) {
        if (form->first[t] < system->n) {
          MBS_TRY(mbs_pattern_add(context, builder, row, form->first[t] + k));
        }
      }
    }
  }
  return MBS_OK;
}

static MbsStatus create_matrix(MbsContext *context, MbsInitial *initial) {
  MbsSystem *system = initial->system;
  const MbsPattern *pattern = &system->mode.pattern;
  MbsPatternBuilder *builder;
  int *row_of;  // 1 + row of the square problem, by constraint
  MBS_TAKE(context, system->arena, row_of, system->m);
  MBS_TRY(mbs_pattern_begin(context, system->arena, system->n, &builder));
  for (int r = 0; r < system->n; ++r) {
    if (initial->rows[r] < system->m) {
      row_of[initial->rows[r]] = 1 + r;
    } else {
      MBS_TRY(add_independent_pattern(context, initial, r, initial->rows[r] - system->m, builder));
    }
  }
  for (int column = 0; column < system->n; ++column) {
    for (int k = pattern->column_start[column]; k < pattern->column_start[column + 1]; ++k) {
      int constraint = pattern->row[k] - system->n;
      if (constraint >= 0 && row_of[constraint] > 0) {
        MBS_TRY(mbs_pattern_add(context, builder, row_of[constraint] - 1, column));
      }
    }
  }
  MBS_TRY(mbs_pattern_finish(context, builder, &initial->pattern));
  MBS_TAKE(context, system->arena, initial->values, initial->pattern.entry_count + 1);
  MBS_TAKE(context, system->arena, initial->tangent, pattern->entry_count + 1);
  MBS_TAKE(context, system->arena, initial->levels, system->m);
  int widest = system->column_count > 1 ? system->column_count : 1;
  MBS_TAKE(context, system->arena, initial->rhs, (size_t)system->n * (size_t)widest);
  MBS_TAKE(context, system->arena, initial->R, (size_t)(system->n + system->m) * (size_t)widest);
  initial->row_of = row_of;
  return mbs_sparse_solver_create(context, system->arena, &initial->pattern, &initial->solver);
}

MbsStatus mbs_initial_create(MbsContext *context, MbsSystem *system, const MbsState *state, MbsInitial **result) {
  MbsInitial *initial;
  MBS_TAKE(context, system->arena, initial, 1);
  initial->system = system;
  *result = initial;
  if (system->n > MBS_MOST_COORDINATES) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "the model has %d coordinates; more than %d are not offered yet", system->n, MBS_MOST_COORDINATES);
  }
  MBS_TAKE(context, system->arena, initial->is_redundant, system->m);
  MBS_TAKE(context, system->arena, initial->rows, system->n + system->m);
  MBS_TAKE(context, system->arena, initial->gradient, system->nq);
  MBS_TRY(create_independents(context, initial));
  MbsState shaken, admissible;
  bool is_admissible;
  MBS_TRY(shaken_guess(context, system, state, &shaken));
  MBS_TRY(shaken_guess(context, system, state, &admissible));
  MBS_TRY(mbs_initial_project(context, system, &admissible, &is_admissible));
  MBS_TRY(choose_rows(context, initial, is_admissible ? &admissible : &shaken));
  MBS_TRY(create_matrix(context, initial));
  mbs_signal_bank_evaluate(system, state);
  for (int i = 0; i < initial->count; ++i) {
    initial->independents[i].start_value = mbs_initial_gradient(initial, i, state);
  }
  return MBS_OK;
}

void mbs_initial_destroy(MbsInitial *initial) {
  if (initial) {
    mbs_sparse_solver_destroy(initial->solver);
  }
}
