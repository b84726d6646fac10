// Independent coordinates of matrix-r at a position of the motion, and the problems that come with them.
//
// Coordinates of the user's are taken as they are. Else they are those farthest from what the constraints hold
// (algebra/complement.h). Nonholonomic constraints hold velocities too: then first those coordinates are chosen whose
// rates complete [Phi_q; A] best; the others, whose rates follow, complete Phi_q and the first ones. Of the user's
// coordinates those give independent rates that add most.
// Where constraints are redundant all of them take part, by least squares: which of them depend on which changes along
// the motion, and no row needs to be left out.
#include <stdlib.h>

#include "kinematics/initial.h"

static const double rank_tolerance = 1e-7;

// those of the settings, or of the start
static const MbsIndependentSpec *given_independents(const MbsBlueprint *blueprint, int *count) {
  bool is_chosen = blueprint->chosen.count > 0;
  *count = is_chosen ? blueprint->chosen.count : blueprint->independents.count;
  return is_chosen ? blueprint->chosen.items : blueprint->independents.items;
}

bool mbs_initial_is_set_given(const MbsBlueprint *blueprint) {
  int written = 0;
  for (int i = 0; i < blueprint->independents.count; ++i) {
    written += !blueprint->independents.items[i].is_chosen;
  }
  return blueprint->chosen.count > 0 || (written > 0 && written == blueprint->independents.count);
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// ---- choosing ----
typedef struct Choosing {
  MbsInitial *initial;
  const MbsState *state;
  MbsArena *scratch;
  MbsJacobian jacobian;
  MbsRank *rank;
  int *rows;               // independent constraints: holonomic ones, then the others
  int row_count, freedom;  // of positions
  int rate_count;          // of independent rates
} Choosing;

static MbsStatus choose_constraints(MbsContext *context, Choosing *c) {
  MbsInitial *initial = c->initial;
  const MbsSystem *system = initial->system;
  const MbsSparseRows *rows = &c->jacobian.rows;
  MBS_TRY(mbs_initial_choose_constraints(context, initial, rows, NULL, c->rank, &c->row_count));
  c->freedom = system->n - c->row_count;
  for (int r = 0; r < c->row_count; ++r) {
    c->rows[r] = initial->position.rows[r];
  }
  return MBS_OK;
}

// a rank of its own: that of the positions goes on with independent coordinates
static MbsStatus add_nonholonomic(MbsContext *context, Choosing *c, MbsRank *rank) {
  MbsInitial *initial = c->initial;
  const MbsSystem *system = initial->system;
  const MbsSparseRows *rows = &c->jacobian.rows;
  int holonomic = c->row_count;
  for (int i = 0; i < holonomic + system->m; ++i) {
    int k = i < holonomic ? c->rows[i] : i - holonomic, first = rows->start[k];
    bool is_new;
    if (i >= holonomic && !system->mode.rows[k].is_nonholonomic) {
      continue;
    }
    MBS_TRY(mbs_rank_take(context, rank, rows->start[k + 1] - first, rows->column + first, rows->value + first,
                          rank_tolerance, &is_new));
    if (i >= holonomic) {
      initial->is_redundant[k] = !is_new;
      initial->redundant_count += !is_new;
      c->rows[c->row_count] = k;
      c->row_count += is_new;
    }
  }
  c->rate_count = system->n - c->row_count;
  return MBS_OK;
}

static MbsStatus choose_automatic(MbsContext *context, Choosing *c) {
  MbsInitial *initial = c->initial;
  int holonomic = initial->system->n - c->freedom, *chosen;
  MBS_TRY(mbs_initial_take_automatic(context, c->scratch, initial, c->freedom));
  chosen = initial->automatic;
  MBS_TRY(mbs_jacobian_complete(context, c->scratch, &c->jacobian, c->row_count, c->rows, 0, NULL, chosen));
  if (c->row_count > holonomic) {
    MBS_TRY(mbs_jacobian_complete(context, c->scratch, &c->jacobian, holonomic, c->rows, c->rate_count, chosen,
                                  chosen + c->rate_count));
  }
  qsort(chosen, (size_t)c->rate_count, sizeof *chosen, compare);  // the same set has one name
  qsort(chosen + c->rate_count, (size_t)(c->freedom - c->rate_count), sizeof *chosen, compare);
  for (int i = 0; i < c->freedom; ++i) {
    initial->independents[i].follows = i >= c->rate_count;
  }
  return MBS_OK;
}

// of coordinates that are given, those whose rates add most
static MbsStatus choose_rates(MbsContext *context, Choosing *c, MbsRank *rank) {
  const double tolerances[] = {0.5, 0.2, 0.1, 1e-2, 1e-3, 1e-5, rank_tolerance};
  MbsInitial *initial = c->initial;
  const MbsSystem *system = initial->system;
  int *column, count = 0;
  double *value;
  MBS_TAKE(context, c->scratch, column, system->n);
  MBS_TAKE(context, c->scratch, value, system->n);
  for (int pass = 0; pass < MBS_COUNT(tolerances); ++pass) {
    for (int i = 0; i < initial->count && count < c->rate_count; ++i) {
      bool is_new;
      if (initial->independents[i].follows) {
        int entries = mbs_initial_gradient_row(initial, i, c->state, column, value);
        MBS_TRY(mbs_rank_take(context, rank, entries, column, value, tolerances[pass], &is_new));
        initial->independents[i].follows = !is_new;
        count += is_new;
      }
    }
  }
  return MBS_OK;
}

// the rows of both problems: all constraints where some are redundant
static MbsStatus collect_rows(MbsContext *context, const Choosing *c) {
  MbsInitial *initial = c->initial;
  const MbsSystem *system = initial->system;
  bool is_nonholonomic = mbs_initial_is_nonholonomic(system), has_redundancy = initial->redundant_count > 0;
  MbsProblem *problems[] = {&initial->position, &initial->position};
  if (is_nonholonomic) {
    MBS_TAKE(context, c->scratch, problems[1], 1);
    MBS_TAKE(context, c->scratch, problems[1]->rows, system->n + system->m);
  }
  initial->velocity = problems[1];
  for (int p = 0; p <= is_nonholonomic; ++p) {
    MbsProblem *problem = problems[p];
    problem->row_count = 0;
    for (int k = 0; k < system->m; ++k) {
      bool is_part = p == 1 || !system->mode.rows[k].is_nonholonomic;
      if (is_part && (has_redundancy || !initial->is_redundant[k])) {
        problem->rows[problem->row_count++] = k;
      }
    }
    for (int i = 0; i < initial->count; ++i) {
      if (p == 0 || !initial->independents[i].follows) {
        problem->rows[problem->row_count++] = system->m + i;
      }
    }
  }
  return MBS_OK;
}

static MbsStatus choose(MbsContext *context, Choosing *c, bool is_automatic) {
  MbsInitial *initial = c->initial;
  const MbsSystem *system = initial->system;
  MbsRank *rates;
  MBS_TRY(mbs_jacobian_create(context, c->scratch, system, &c->jacobian));
  MBS_TRY(mbs_rank_create(context, c->scratch, system->n, &c->rank));
  MBS_TRY(mbs_rank_create(context, c->scratch, system->n, &rates));
  MBS_TAKE(context, c->scratch, c->rows, system->m);
  mbs_jacobian_evaluate_rates(&c->jacobian, c->state);
  mbs_rank_announce(rates, c->jacobian.rows.start[system->m], c->jacobian.rows.column);
  MBS_TRY(choose_constraints(context, c));
  MBS_TRY(add_nonholonomic(context, c, rates));
  if (is_automatic) {
    MBS_TRY(choose_automatic(context, c));
  } else {
    MBS_TRY(mbs_initial_check_given(context, initial, c->state, c->rank, c->freedom, c->scratch));
    for (int i = 0; i < initial->count; ++i) {
      initial->independents[i].follows = true;
    }
    MBS_TRY(choose_rates(context, c, rates));
  }
  return collect_rows(context, c);
}

MbsStatus mbs_initial_choose_set(MbsContext *context, MbsArena *arena, MbsSystem *system, const MbsState *state,
                                 bool is_automatic, MbsSetChoice *choice) {
  int count;
  const MbsIndependentSpec *specs = given_independents(system->blueprint, &count);
  Choosing c = {.state = state, .scratch = arena};
  MBS_TRY(mbs_initial_begin(context, arena, system, is_automatic ? 0 : count, specs, &c.initial));
  MBS_TRY(choose(context, &c, is_automatic));
  *choice = mbs_initial_choice(c.initial);
  return MBS_OK;
}

MbsSetChoice mbs_initial_choice(const MbsInitial *initial) {
  return (MbsSetChoice){.is_automatic = initial->is_automatic,
                        .count = initial->count,
                        .coordinates = initial->automatic,
                        .row_count = initial->position.row_count,
                        .rows = initial->position.rows,
                        .rate_row_count = initial->velocity->row_count,
                        .rate_rows = initial->velocity->rows};
}

// ---- problems of a choice ----
static void copy_rows(int count, const int *from, MbsProblem *problem) {
  problem->row_count = count;
  for (int r = 0; r < count; ++r) {
    problem->rows[r] = from[r];
  }
}

MbsStatus mbs_initial_create_set(MbsContext *context, MbsSystem *system, const MbsSetChoice *choice,
                                 MbsInitial **result) {
  int count;
  const MbsIndependentSpec *specs = given_independents(system->blueprint, &count);
  MBS_TRY(mbs_initial_begin(context, system->arena, system, choice->is_automatic ? 0 : count, specs, result));
  MbsInitial *initial = *result;
  if (choice->is_automatic) {
    MBS_TRY(mbs_initial_take_automatic(context, system->arena, initial, choice->count));
    for (int i = 0; i < choice->count; ++i) {
      initial->automatic[i] = choice->coordinates[i];
      initial->independents[i].name = system->coordinate_names[choice->coordinates[i]];
    }
  }
  copy_rows(choice->row_count, choice->rows, &initial->position);
  MBS_TRY(mbs_initial_finish(context, initial));
  if (!initial->velocity) {
    MBS_TAKE(context, system->arena, initial->velocity, 1);
    MBS_TAKE(context, system->arena, initial->velocity->rows, choice->rate_row_count);
    copy_rows(choice->rate_row_count, choice->rate_rows, initial->velocity);
    MBS_TRY(mbs_problem_create(context, initial, initial->velocity));
  }
  MBS_TAKE(context, system->arena, initial->rate_row, initial->count);
  for (int i = 0; i < initial->count; ++i) {
    initial->rate_row[i] = -1;
  }
  for (int r = 0; r < initial->velocity->row_count; ++r) {
    int i = initial->velocity->rows[r] - system->m;
    if (i >= 0) {
      initial->rate_row[i] = r;
      initial->velocity_count += 1;
    }
  }
  return MBS_OK;
}

bool mbs_initial_factor_set(const MbsInitial *set, const MbsState *state, const mbs_scalar *tangent) {
  const double singular = 1e-13;
  return mbs_problem_factor(set, &set->position, state, tangent, singular) &&
         (set->velocity == &set->position || mbs_problem_factor(set, set->velocity, state, tangent, singular));
}
