// Nonholonomic rows A v + b = 0 at the start: they leave fewer velocities than positions free.
//
// The position problem has the independent coordinates w; of their rates w' only as many are independent as complete
// [Phi_q; A]. These are chosen one after the other, where they add to what is there: first those whose velocity the
// user wrote, then the others, each in the order written. The remaining rates follow; a velocity written for one of
// them must agree. The choice is made at the assembled position: a knife edge along x leaves the velocity along x free
// and not that along y, and a little beside that position both would do.
#include <math.h>

#include "kinematics/initial.h"

static const double rank_tolerance = 1e-7;

static MbsStatus take_row(MbsContext *context, const MbsSparseRows *rows, int k, MbsRank *rank, bool *is_new) {
  int first = rows->start[k];
  return mbs_rank_take(context, rank, rows->start[k + 1] - first, rows->column + first, rows->value + first,
                       rank_tolerance, is_new);
}

MbsStatus mbs_initial_find_freedom(MbsContext *context, MbsInitial *initial, const MbsState *state,
                                   MbsJacobian *jacobian, MbsArena *scratch) {
  const MbsSystem *system = initial->set.system;
  int independent = 0;
  bool is_new;
  MbsRank *rank;
  MBS_TRY(mbs_rank_create(context, scratch, system->n, &rank));
  mbs_jacobian_evaluate_rates(jacobian, state);
  mbs_rank_announce(rank, jacobian->rows.start[system->m], jacobian->rows.column);
  for (int r = 0; r < system->n - initial->set.count; ++r) {
    MBS_TRY(take_row(context, &jacobian->rows, initial->set.position.rows[r], rank, &is_new));
    independent += is_new;
  }
  for (int k = 0; k < system->m; ++k) {
    if (mbs_row_rests(&system->mode.rows[k])) {
      initial->set.is_redundant[k] = true;
    } else if (system->mode.rows[k].is_nonholonomic) {
      MBS_TRY(take_row(context, &jacobian->rows, k, rank, &is_new));
      independent += is_new;
      initial->set.is_redundant[k] = !is_new;
      initial->set.redundant_count += !is_new;
    }
  }
  initial->velocity_count = system->n - independent;
  return MBS_OK;
}

// takes the rates that add more than the tolerance, those with or without a velocity of the user's, until it is enough
static MbsStatus take_rates(MbsContext *context, MbsInitial *initial, const MbsState *state, bool has_velocity,
                            double tolerance, MbsArena *scratch, MbsRank *rank, int *count) {
  const MbsSystem *system = initial->set.system;
  int *column;
  double *value;
  MBS_TAKE(context, scratch, column, system->n);
  MBS_TAKE(context, scratch, value, system->n);
  for (int i = 0; i < initial->set.count && *count < system->n; ++i) {
    if (initial->set.rate_row[i] < 0 && initial->set.independents[i].has_velocity == has_velocity) {
      bool is_new;
      int entries = mbs_independent_set_gradient_row(&initial->set, i, state, column, value);
      MBS_TRY(mbs_rank_take(context, rank, entries, column, value, tolerance, &is_new));
      if (is_new) {
        initial->set.rate_row[i] = *count;
        initial->set.velocity->rows[(*count)++] = system->m + i;
      }
    }
  }
  return MBS_OK;
}

static MbsStatus choose_rows(MbsContext *context, MbsInitial *initial, const MbsState *state, MbsArena *scratch) {
  const double clearly = 1e-5;  // what adds less at this position may add nothing at the next
  const double tolerances[] = {clearly, rank_tolerance};
  const MbsSystem *system = initial->set.system;
  MbsJacobian jacobian;
  MbsRank *rank;
  bool is_new;
  int count = 0;
  MBS_TRY(mbs_jacobian_create(context, scratch, system, &jacobian));
  MBS_TRY(mbs_rank_create(context, scratch, system->n, &rank));
  mbs_jacobian_evaluate_rates(&jacobian, state);
  mbs_rank_announce(rank, jacobian.rows.start[system->m], jacobian.rows.column);
  for (int k = 0; k < system->m; ++k) {
    if (!initial->set.is_redundant[k]) {
      MBS_TRY(take_row(context, &jacobian.rows, k, rank, &is_new));
      initial->set.velocity->rows[count++] = k;
    }
  }
  mbs_signal_bank_evaluate(system, state);
  for (int i = 0; i < initial->set.count; ++i) {
    initial->set.rate_row[i] = -1;
  }
  for (int pass = 0; pass < 2; ++pass) {
    MBS_TRY(take_rates(context, initial, state, true, tolerances[pass], scratch, rank, &count));
    MBS_TRY(take_rates(context, initial, state, false, tolerances[pass], scratch, rank, &count));
  }
  if (count < system->n) {
    return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                    "the start is a singular position: nonholonomic constraints become dependent there; start "
                    "elsewhere");
  }
  return MBS_OK;
}

MbsStatus mbs_initial_choose_velocities(MbsContext *context, MbsInitial *initial, const MbsState *state) {
  const MbsSystem *system = initial->set.system;
  MBS_TAKE(context, system->arena, initial->set.velocity, 1);
  MBS_TAKE(context, system->arena, initial->set.velocity->rows, system->n + system->m);
  MbsArena *scratch = mbs_arena_create_for(context);
  MbsStatus status = scratch ? choose_rows(context, initial, state, scratch)
                             : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  mbs_arena_destroy(scratch);
  MBS_TRY(status);
  initial->set.velocity->row_count = system->n;
  return mbs_problem_create(context, &initial->set, initial->set.velocity);
}

MbsStatus mbs_initial_check_velocities(MbsContext *context, const MbsInitial *initial, const MbsState *state) {
  const double close = 1e-8;
  const MbsSystem *system = initial->set.system;
  double speed = 0;
  for (int i = 0; i < system->nq; ++i) {
    speed = fmax(speed, mbs_re(mbs_abs(state->v[i])));  // real
  }
  for (int k = 0; k < system->m; ++k) {
    mbs_scalar level[3];
    mbs_terms_constraint(system, k, state, level);
    // initial->levels holds what is left of the row without velocities
    double scale = speed + mbs_re(mbs_abs(initial->levels[k])), off = mbs_re(mbs_abs(level[1]));
    if (initial->set.is_redundant[k] && !(off <= close * scale)) {
      const MbsRowSpec *row = &system->blueprint->rows.items[k];
      return mbs_fail(context, MBS_ERROR_INPUT, row->place,
                      "constraint \"%s\" contradicts the others: its velocity is off by %.3g at the start", row->name,
                      off);
    }
  }
  for (int i = 0; i < initial->set.count; ++i) {
    const MbsIndependent *independent = &initial->set.independents[i];
    if (initial->set.rate_row[i] >= 0 || !independent->has_velocity) {
      continue;
    }
    double given = mbs_re(system->independents.value[2 * i + 1]);
    double rate = mbs_re(mbs_function_evaluate(system, &independent->rate, state, NULL));
    if (!(fabs(rate - given) <= close * (speed + fabs(given)))) {  // real
      return mbs_fail(context, MBS_ERROR_INPUT, independent->place,
                      "independent coordinate \"%s\": its velocity %.10g is not free: the nonholonomic constraints and "
                      "the velocities before it give %.10g; leave it out, or change the others",
                      independent->name, given, rate);
    }
  }
  return MBS_OK;
}
