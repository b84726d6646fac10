// Independent coordinates of matrix-r at a position of the motion, and the problems that come with them.
//
// Coordinates of the user's are taken as they are. Else they are those farthest from what the constraints hold
// (algebra/complement.h). Nonholonomic constraints hold velocities too: then first those coordinates are chosen whose
// rates complete [Phi_q; A] best; the others, whose rates follow, complete Phi_q and the first ones. Of the user's
// coordinates those give independent rates that add most.
// Where constraints are redundant all of them take part, by least squares: which of them depend on which changes along
// the motion, and no row needs to be left out.
#include <stdlib.h>

#include "kinematics/independent_set.h"

static const double rank_tolerance = 1e-7;

// those of the settings, or of the start
static const MbsIndependentSpec *given_independents(const MbsBlueprint *blueprint, int *count) {
  bool is_chosen = blueprint->chosen.count > 0;
  *count = is_chosen ? blueprint->chosen.count : blueprint->independents.count;
  return is_chosen ? blueprint->chosen.items : blueprint->independents.items;
}

bool mbs_independent_set_is_given(const MbsBlueprint *blueprint) {
  int written = -blueprint->state_count, chosen = 0;  // states are always there
  for (int i = 0; i < blueprint->independents.count; ++i) {
    bool is_chosen = blueprint->independents.items[i].is_chosen;
    written += !is_chosen;
    chosen += is_chosen;
  }
  return blueprint->chosen.count > 0 || (written > 0 && chosen == 0);
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// ---- choosing ----
typedef struct Choosing {
  MbsIndependentSet set;
  const MbsState *state;
  MbsArena *scratch;
  MbsJacobian jacobian;
  MbsRank *rank;
  int *rows;               // independent constraints: holonomic ones, then the others
  int row_count, freedom;  // of positions
  int rate_count;          // of independent rates
  bool *follows;           // by independent coordinate: its rate does
} Choosing;

static MbsStatus choose_constraints(MbsContext *context, Choosing *c) {
  MbsIndependentSet *set = &c->set;
  const MbsSystem *system = set->system;
  const MbsSparseRows *rows = &c->jacobian.rows;
  MBS_TRY(mbs_independent_set_choose_constraints(context, set, rows, NULL, c->rank, &c->row_count));
  c->freedom = system->n - c->row_count;
  for (int r = 0; r < c->row_count; ++r) {
    c->rows[r] = set->position.rows[r];
  }
  return MBS_OK;
}

// a rank of its own: that of the positions goes on with independent coordinates
static MbsStatus add_nonholonomic(MbsContext *context, Choosing *c, MbsRank *rank) {
  MbsIndependentSet *set = &c->set;
  const MbsSystem *system = set->system;
  const MbsSparseRows *rows = &c->jacobian.rows;
  int holonomic = c->row_count;
  for (int i = 0; i < holonomic + system->m; ++i) {
    int k = i < holonomic ? c->rows[i] : i - holonomic, first = rows->start[k];
    bool is_new;
    bool rests = mbs_row_rests(&system->mode.rows[k]);
    if (i >= holonomic && (rests || !system->mode.rows[k].is_nonholonomic)) {
      set->is_redundant[k] |= rests;
      continue;
    }
    MBS_TRY(mbs_rank_take(context, rank, rows->start[k + 1] - first, rows->column + first, rows->value + first,
                          rank_tolerance, &is_new));
    if (i >= holonomic) {
      set->is_redundant[k] = !is_new;
      set->redundant_count += !is_new;
      c->rows[c->row_count] = k;
      c->row_count += is_new;
    }
  }
  c->rate_count = system->n - c->row_count;
  return MBS_OK;
}

static MbsStatus choose_automatic(MbsContext *context, Choosing *c) {
  MbsIndependentSet *set = &c->set;
  int holonomic = set->system->n - c->freedom, *chosen;
  MBS_TRY(mbs_independent_set_take_automatic(context, c->scratch, set, c->freedom));
  chosen = set->automatic;
  MBS_TRY(mbs_jacobian_complete(context, c->scratch, &c->jacobian, c->row_count, c->rows, 0, NULL, chosen));
  if (c->row_count > holonomic) {
    MBS_TRY(mbs_jacobian_complete(context, c->scratch, &c->jacobian, holonomic, c->rows, c->rate_count, chosen,
                                  chosen + c->rate_count));
  }
  qsort(chosen, (size_t)c->rate_count, sizeof *chosen, compare);  // the same set has one name
  qsort(chosen + c->rate_count, (size_t)(c->freedom - c->rate_count), sizeof *chosen, compare);
  for (int i = 0; i < c->freedom; ++i) {
    c->follows[i] = i >= c->rate_count;
  }
  return MBS_OK;
}

// of coordinates that are given, those whose rates add most
static MbsStatus choose_rates(MbsContext *context, Choosing *c, MbsRank *rank) {
  const double tolerances[] = {0.5, 0.2, 0.1, 1e-2, 1e-3, 1e-5, rank_tolerance};
  MbsIndependentSet *set = &c->set;
  const MbsSystem *system = set->system;
  int *column, count = 0;
  double *value;
  MBS_TAKE(context, c->scratch, column, system->n);
  MBS_TAKE(context, c->scratch, value, system->n);
  for (int pass = 0; pass < MBS_COUNT(tolerances); ++pass) {
    for (int i = 0; i < set->count && count < c->rate_count; ++i) {
      bool is_new;
      if (c->follows[i]) {
        int entries = mbs_independent_set_gradient_row(set, i, c->state, column, value);
        MBS_TRY(mbs_rank_take(context, rank, entries, column, value, tolerances[pass], &is_new));
        c->follows[i] = !is_new;
        count += is_new;
      }
    }
  }
  return MBS_OK;
}

// the rows of both problems: all constraints where some are redundant
static MbsStatus collect_rows(MbsContext *context, Choosing *c) {
  MbsIndependentSet *set = &c->set;
  const MbsSystem *system = set->system;
  bool is_nonholonomic = mbs_system_is_nonholonomic(system), has_redundancy = set->redundant_count > 0;
  MbsProblem *problems[] = {&set->position, &set->position};
  if (is_nonholonomic) {
    MBS_TAKE(context, c->scratch, problems[1], 1);
    MBS_TAKE(context, c->scratch, problems[1]->rows, system->n + system->m);
  }
  set->velocity = problems[1];
  for (int p = 0; p <= is_nonholonomic; ++p) {
    MbsProblem *problem = problems[p];
    problem->row_count = 0;
    for (int k = 0; k < system->m; ++k) {
      bool is_part = (p == 1 || !system->mode.rows[k].is_nonholonomic) && !mbs_row_rests(&system->mode.rows[k]);
      if (is_part && (has_redundancy || !set->is_redundant[k])) {
        problem->rows[problem->row_count++] = k;
      }
    }
    for (int i = 0; i < set->count; ++i) {
      if (p == 0 || !c->follows[i]) {
        problem->rows[problem->row_count++] = system->m + i;
      }
    }
  }
  return MBS_OK;
}

static MbsStatus choose(MbsContext *context, Choosing *c, bool is_automatic) {
  MbsIndependentSet *set = &c->set;
  const MbsSystem *system = set->system;
  MbsRank *rates;
  MBS_TRY(mbs_jacobian_create(context, c->scratch, system, &c->jacobian));
  MBS_TRY(mbs_rank_create(context, c->scratch, system->n, &c->rank));
  MBS_TRY(mbs_rank_create(context, c->scratch, system->n, &rates));
  MBS_TAKE(context, c->scratch, c->rows, system->m);
  MBS_TAKE(context, c->scratch, c->follows, system->n);
  mbs_jacobian_evaluate_rates(&c->jacobian, c->state);
  mbs_rank_announce(rates, c->jacobian.rows.start[system->m], c->jacobian.rows.column);
  MBS_TRY(choose_constraints(context, c));
  MBS_TRY(add_nonholonomic(context, c, rates));
  if (is_automatic) {
    MBS_TRY(choose_automatic(context, c));
  } else {
    MBS_TRY(mbs_independent_set_check_given(context, set, c->state, c->rank, c->freedom, c->scratch));
    for (int i = 0; i < set->count; ++i) {
      c->follows[i] = true;
    }
    MBS_TRY(choose_rates(context, c, rates));
  }
  return collect_rows(context, c);
}

MbsStatus mbs_independent_set_choose(MbsContext *context, MbsArena *arena, MbsSystem *system, const MbsState *state,
                                     bool is_automatic, MbsSetChoice *choice) {
  int count;
  const MbsIndependentSpec *specs = given_independents(system->blueprint, &count);
  Choosing c = {.state = state, .scratch = arena};
  MBS_TRY(mbs_independent_set_begin(context, arena, system, is_automatic ? 0 : count, specs, &c.set));
  MBS_TRY(choose(context, &c, is_automatic));
  *choice = mbs_independent_set_choice(&c.set);
  return MBS_OK;
}

MbsSetChoice mbs_independent_set_choice(const MbsIndependentSet *set) {
  return (MbsSetChoice){.is_automatic = set->is_automatic,
                        .count = set->count,
                        .coordinates = set->automatic,
                        .row_count = set->position.row_count,
                        .rows = set->position.rows,
                        .rate_row_count = set->velocity->row_count,
                        .rate_rows = set->velocity->rows};
}

// ---- problems of a choice ----
static void copy_rows(int count, const int *from, MbsProblem *problem) {
  problem->row_count = count;
  for (int r = 0; r < count; ++r) {
    problem->rows[r] = from[r];
  }
}

MbsStatus mbs_independent_set_create(MbsContext *context, MbsSystem *system, const MbsSetChoice *choice,
                                     MbsIndependentSet **result) {
  int count;
  const MbsIndependentSpec *specs = given_independents(system->blueprint, &count);
  MbsIndependentSet *set;
  MBS_TAKE(context, system->arena, set, 1);
  *result = set;
  MBS_TRY(mbs_independent_set_begin(context, system->arena, system, choice->is_automatic ? 0 : count, specs, set));
  if (choice->is_automatic) {
    MBS_TRY(mbs_independent_set_take_automatic(context, system->arena, set, choice->count));
    for (int i = 0; i < choice->count; ++i) {
      set->automatic[i] = choice->coordinates[i];
    }
  }
  copy_rows(choice->row_count, choice->rows, &set->position);
  MBS_TRY(mbs_independent_set_finish(context, set));
  if (!set->velocity) {
    MBS_TAKE(context, system->arena, set->velocity, 1);
    MBS_TAKE(context, system->arena, set->velocity->rows, choice->rate_row_count);
    copy_rows(choice->rate_row_count, choice->rate_rows, set->velocity);
    mbs_independent_set_find_rates(set);
    MBS_TRY(mbs_problem_create(context, set, set->velocity));
  }
  return MBS_OK;
}

bool mbs_independent_set_factor(const MbsIndependentSet *set, const MbsState *state, const mbs_scalar *tangent) {
  const double singular = 1e-13;
  return mbs_problem_factor(set, &set->position, state, tangent, singular) &&
         (set->velocity == &set->position || mbs_problem_factor(set, set->velocity, state, tangent, singular));
}
