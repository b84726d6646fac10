// The tangent space of the constraints, by independent coordinates: see state_terms.h.
//
// Positions near a state that meets the constraints are functions of independent ones y, velocities of these and of
// independent velocities u = B(q) v:
//     [Phi_q; B] q' = [-Phi_rho rho'; y'],    [Phi_q; A; B] v' = [-(Phidot_q q' + Phidot_rho rho'); u' - (B v)_q q']
// B has unit rows: y and u are coordinates and their rates. But of the Euler parameters p of a ball, which are four for
// three rotations, B has rows of 2 E(p), so that u are components of its angular velocity 2 E(p) p' in the axes of the
// frame it turns in, and y' of its rotation there; as E(p) p = 0, u' = 2 E(p) p''. Which coordinates are independent is
// chosen as matrix-r does (set_choice.c), K = [Phi_q; unit rows]; then with C = B K^-1 [0; I]
//     q' = x0 + K^-1 [0; C^-1 (y' - B x0)],    x0 = K^-1 [-Phi_rho rho'; 0]
// and so for velocities.
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "sensitivities/state_terms.h"

// ---- forms ----
// row `rotation` of 2 E(p), by the rate of parameter k
static double ball_row(const double *p, int rotation, int k) {
  double e[3];
  mbs_system_ball_column(p, k, e);
  return e[rotation];
}

void mbs_freedoms_apply(const MbsFreedoms *freedoms, const double *p, const double *rate, double *forms) {
  for (int i = 0; i < freedoms->count; ++i) {
    const MbsFreedom *form = &freedoms->forms[i];
    for (int k = 0; k < (form->rotation < 0 ? 1 : 4); ++k) {
      double row = form->rotation < 0 ? 1 : ball_row(p + form->coordinate, form->rotation, k);
      forms[i] = (k > 0 ? forms[i] : 0) + row * rate[form->coordinate + k];
    }
  }
}

void mbs_freedoms_apply_transposed(const MbsFreedoms *freedoms, const double *p, const double *forms, double *rate) {
  for (int i = 0; i < freedoms->count; ++i) {
    const MbsFreedom *form = &freedoms->forms[i];
    for (int k = 0; k < (form->rotation < 0 ? 1 : 4); ++k) {
      double row = form->rotation < 0 ? 1 : ball_row(p + form->coordinate, form->rotation, k);
      rate[form->coordinate + k] += row * forms[i];
    }
  }
}

void mbs_freedoms_turn(const MbsFreedoms *freedoms, const double *dp, const double *rate, double *forms) {
  for (int i = 0; i < freedoms->count; ++i) {
    const MbsFreedom *form = &freedoms->forms[i];
    for (int k = 0; k < 4 && form->rotation >= 0; ++k) {
      forms[i] += ball_row(dp + form->coordinate, form->rotation, k) * rate[form->coordinate + k];
    }
  }
}

void mbs_freedoms_turn_transposed(const MbsFreedoms *freedoms, const double *rate, const double *forms, double *dp) {
  for (int i = 0; i < freedoms->count; ++i) {
    const MbsFreedom *form = &freedoms->forms[i];
    for (int l = 0; l < 4 && form->rotation >= 0; ++l) {
      const double unit[4] = {l == 0, l == 1, l == 2, l == 3};
      for (int k = 0; k < 4; ++k) {
        dp[form->coordinate + l] += forms[i] * ball_row(unit, form->rotation, k) * rate[form->coordinate + k];
      }
    }
  }
}

// ---- choosing ----
// K x = [0; e_i]: how everything moves with one plain coordinate
static void move_one(const MbsFreedoms *freedoms, int i, double *x) {
  memset(x, 0, (size_t)freedoms->problem->row_count * sizeof *x);
  x[freedoms->row[i]] = 1;
  mbs_problem_solve(freedoms->problem, 1, x);
}

static const char *rotation_name(MbsTerms *terms, int first, int rotation) {
  const char *name = terms->system->coordinate_names[first], *dot = strrchr(name, '.');
  int length = dot ? (int)(dot - name) : (int)strlen(name);
  return mbs_arena_print(terms->arena, "%.*s.rotation.%c", length, name, "xyz"[rotation]);
}

// What remains of a row beside those that were chosen, which are orthonormal; returns its length.
static double reduce(int size, int count, const double *chosen, double *row) {
  double square = 0;
  for (int c = 0; c < count; ++c) {
    double along = 0;
    for (int k = 0; k < size; ++k) {
      along += chosen[c * size + k] * row[k];
    }
    for (int k = 0; k < size; ++k) {
      row[k] -= along * chosen[c * size + k];
    }
  }
  for (int k = 0; k < size; ++k) {
    square += row[k] * row[k];
  }
  return sqrt(square);  // real
}

// Rotations in the place of Euler parameters: as many as there are of these, those that add most to one another.
static MbsStatus choose_rotations(MbsContext *context, MbsTerms *terms, MbsFreedoms *freedoms) {
  MbsFreedom *forms = freedoms->forms;
  int *at, *taken, size = 0, candidates = 0, n = terms->n;
  double *G, *chosen, *x, *rates;
  MbsFreedoms all = {.problem = freedoms->problem, .row = freedoms->row};
  MBS_TAKE(context, terms->arena, at, freedoms->count);
  MBS_TAKE(context, terms->arena, all.forms, 3 * freedoms->count);
  for (int i = 0; i < freedoms->count; ++i) {
    int ball = mbs_system_ball_of(terms->system, forms[i].coordinate);
    bool is_new = ball >= 0 && (candidates == 0 || all.forms[candidates - 1].coordinate != ball);
    if (ball >= 0) {
      at[size++] = i;
    }
    for (int k = 0; k < 3 && is_new; ++k) {
      all.forms[candidates++] = (MbsFreedom){.coordinate = ball, .rotation = k};
    }
  }
  freedoms->is_plain = size == 0;
  if (size == 0) {
    return MBS_OK;
  }
  all.count = candidates;
  MBS_TAKE(context, terms->arena, taken, candidates);
  MBS_TAKE(context, terms->arena, G, candidates * size);
  MBS_TAKE(context, terms->arena, chosen, size * size);
  MBS_TAKE(context, terms->arena, x, n + freedoms->problem->row_count);
  MBS_TAKE(context, terms->arena, rates, candidates);
  for (int k = 0; k < size; ++k) {
    move_one(freedoms, at[k], x);
    mbs_freedoms_apply(&all, terms->at.q, x, rates);
    for (int c = 0; c < candidates; ++c) {
      G[c * size + k] = rates[c];
    }
  }
  for (int count = 0; count < size; ++count) {
    int best = -1;
    double longest = 0;
    for (int c = 0; c < candidates; ++c) {
      double length = taken[c] ? 0 : reduce(size, count, chosen, G + c * size);
      if (length > (1 + 1e-9) * longest) {  // of equal ones the first
        longest = length;
        best = c;
      }
    }
    if (best < 0) {
      return mbs_fail(
          context, MBS_ERROR_NUMERICAL, mbs_nowhere,
          "no independent rotations are found at this state: choose independent coordinates at another one");
    }
    taken[best] = 1;
    for (int k = 0; k < size; ++k) {
      chosen[count * size + k] = G[best * size + k] / longest;
    }
  }
  for (int c = 0, k = 0; c < candidates; ++c) {
    if (taken[c]) {
      forms[at[k++]] = (MbsFreedom){.coordinate = all.forms[c].coordinate, .rotation = all.forms[c].rotation};
    }
  }
  return MBS_OK;
}

static MbsStatus create_level(MbsContext *context, MbsTerms *terms, const MbsProblem *problem, MbsFreedoms *freedoms) {
  const MbsSystem *system = terms->system;
  int *rows, count = 0;
  for (int r = 0; r < problem->row_count; ++r) {
    count += problem->rows[r] >= system->m;
  }
  *freedoms = (MbsFreedoms){.problem = problem, .count = count};
  MBS_TAKE(context, terms->arena, rows, count);
  MBS_TAKE(context, terms->arena, freedoms->forms, count);
  MBS_TAKE(context, terms->arena, freedoms->names, count);
  count = 0;
  for (int r = 0; r < problem->row_count; ++r) {
    int i = problem->rows[r] - system->m;
    if (i >= 0) {
      freedoms->forms[count] = (MbsFreedom){.coordinate = terms->set->automatic[i], .rotation = -1};
      rows[count++] = r;
    }
  }
  freedoms->row = rows;
  MBS_TRY(choose_rotations(context, terms, freedoms));
  for (int i = 0; i < count; ++i) {
    MbsFreedom *form = &freedoms->forms[i];
    form->name = form->rotation < 0 ? system->coordinate_names[form->coordinate]
                                    : rotation_name(terms, form->coordinate, form->rotation);
    freedoms->names[i] = form->name;
  }
  if (!freedoms->is_plain) {
    MBS_TAKE(context, terms->arena, freedoms->C, count * count);
    MBS_TAKE(context, terms->arena, freedoms->pivot, count);
  }
  return MBS_OK;
}

static MbsStatus factor_problems(MbsContext *context, const MbsTerms *terms) {
  mbs_signal_bank_evaluate(terms->system, &terms->at);
  return mbs_independent_set_factor(terms->set, &terms->at, NULL)
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                        "the independent coordinates do not determine the others at t = %.10g: call "
                        "mbs_terms_choose_independent there",
                        terms->at.t);
}

MbsStatus mbs_state_terms_choose(MbsContext *context, MbsTerms *terms) {
  MbsSetChoice choice;
  MbsArena *scratch = terms->simulation->scratch;
  mbs_arena_clear(scratch);
  mbs_signal_bank_evaluate(terms->system, &terms->at);
  MBS_TRY(mbs_independent_set_choose(context, scratch, terms->system, &terms->at, true, &choice));
  MbsIndependentSet *before = terms->set, *set = NULL;
  MBS_TRY(mbs_independent_set_create(context, terms->system, &choice, &set));
  terms->set = set;
  mbs_independent_set_destroy(before);
  terms->is_factored = false;
  MBS_TRY(factor_problems(context, terms));
  MBS_TRY(create_level(context, terms, &set->position, &terms->freedoms[0]));
  MBS_TRY(create_level(context, terms, set->velocity, &terms->freedoms[1]));
  for (int of = 0; of < MBS_TERMS_VECTORS; ++of) {  // whose sizes may be others now
    for (int by = 0; by < MBS_TERMS_ARGUMENTS; ++by) {
      terms->colourings[of][by].is_known = false;
    }
  }
  return MBS_OK;
}

// ---- at a state ----
static MbsStatus factor_forms(MbsContext *context, const MbsTerms *terms, MbsFreedoms *freedoms) {
  int count = freedoms->count;
  for (int k = 0; k < count && !freedoms->is_plain; ++k) {
    move_one(freedoms, k, terms->right);
    mbs_freedoms_apply(freedoms, terms->at.q, terms->right, terms->forms);
    for (int i = 0; i < count; ++i) {
      freedoms->C[i * count + k] = terms->forms[i];
    }
  }
  return freedoms->is_plain || mbs_dense_factor(count, freedoms->C, freedoms->pivot)
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                        "the independent rotations do not determine the others at t = %.10g: call "
                        "mbs_terms_choose_independent there",
                        terms->at.t);
}

static MbsStatus factor(MbsContext *context, MbsTerms *terms) {
  if (!terms->is_factored) {
    MBS_TRY(factor_problems(context, terms));
    MBS_TRY(factor_forms(context, terms, &terms->freedoms[0]));
    MBS_TRY(factor_forms(context, terms, &terms->freedoms[1]));
    terms->is_factored = true;
  }
  return MBS_OK;
}

static void solve_rows(const MbsTerms *terms, const MbsFreedoms *freedoms, const double *rows, const double *plain,
                       double *x) {
  const MbsProblem *problem = freedoms->problem;
  for (int r = 0; r < problem->row_count; ++r) {
    terms->right[r] = problem->rows[r] < terms->m && rows ? rows[problem->rows[r]] : 0;
  }
  for (int i = 0; i < freedoms->count && plain; ++i) {
    terms->right[freedoms->row[i]] = plain[i];
  }
  mbs_problem_solve(problem, 1, terms->right);
  for (int i = 0; i < terms->n; ++i) {
    x[i] += terms->right[i];
  }
}

// x of the constraints' right-hand sides (m; NULL: zeros) and of the forms' (which are used up)
static void solve(const MbsTerms *terms, const MbsFreedoms *freedoms, const double *rows, double *forms, double *x) {
  memset(x, 0, (size_t)terms->n * sizeof *x);
  if (rows) {
    solve_rows(terms, freedoms, rows, NULL, x);
    mbs_freedoms_apply(freedoms, terms->at.q, x, terms->forms);
    for (int i = 0; i < freedoms->count; ++i) {
      forms[i] -= terms->forms[i];
    }
  }
  if (!freedoms->is_plain) {
    mbs_dense_solve(freedoms->count, freedoms->C, freedoms->pivot, forms);
  }
  solve_rows(terms, freedoms, NULL, forms, x);
}

// The transpose: from x (used up) to rows and forms.
static void solve_transposed(const MbsTerms *terms, const MbsFreedoms *freedoms, double *x, double *rows,
                             double *forms) {
  const MbsProblem *problem = freedoms->problem;
  size_t bytes = (size_t)terms->n * sizeof *x;
  memcpy(terms->right, x, bytes);
  mbs_problem_solve_transposed(problem, 1, terms->right);
  for (int i = 0; i < freedoms->count; ++i) {
    forms[i] = terms->right[freedoms->row[i]];
  }
  if (!freedoms->is_plain) {
    mbs_dense_solve_transposed(freedoms->count, freedoms->C, freedoms->pivot, forms);
  }
  for (int i = 0; i < freedoms->count; ++i) {
    terms->forms[i] = -forms[i];
  }
  mbs_freedoms_apply_transposed(freedoms, terms->at.q, terms->forms, x);
  memcpy(terms->right, x, bytes);
  mbs_problem_solve_transposed(problem, 1, terms->right);
  memset(rows, 0, (size_t)terms->m * sizeof *rows);
  for (int r = 0; r < problem->row_count; ++r) {
    if (problem->rows[r] < terms->m) {
      rows[problem->rows[r]] = terms->right[r];
    }
  }
  memset(x, 0, bytes);
}

static bool is_any(int count, const double *numbers) {
  bool is = false;
  for (int i = 0; i < count; ++i) {
    is = is || numbers[i] < 0 || numbers[i] > 0;
  }
  return is;
}

static void negate(int count, double *numbers) {
  for (int i = 0; i < count; ++i) {
    numbers[i] = -numbers[i];
  }
}

MbsStatus mbs_state_terms_lift(MbsContext *context, MbsTerms *terms, const MbsSeeds *seeds) {
  MBS_TRY(factor(context, terms));
  const MbsSeeds of_columns = {.columns = is_any(terms->columns, seeds->columns) ? seeds->columns : NULL};
  double *rows = terms->rows, *forms = terms->targets;
  memset(rows, 0, (size_t)terms->m * sizeof *rows);
  MBS_TRY(mbs_state_terms_push(context, terms, MBS_TERMS_PHI, &of_columns, rows));
  negate(terms->m, rows);
  memcpy(forms, seeds->y, (size_t)terms->freedoms[0].count * sizeof *forms);
  solve(terms, &terms->freedoms[0], of_columns.columns ? rows : NULL, forms, seeds->q);
  memset(rows, 0, (size_t)terms->m * sizeof *rows);
  const MbsSeeds moved = {.q = seeds->q, .columns = of_columns.columns};
  MBS_TRY(mbs_state_terms_push(context, terms, MBS_TERMS_PHIDOT, &moved, rows));
  negate(terms->m, rows);
  memset(forms, 0, (size_t)terms->freedoms[1].count * sizeof *forms);
  mbs_freedoms_turn(&terms->freedoms[1], seeds->q, terms->at.v, forms);
  for (int i = 0; i < terms->freedoms[1].count; ++i) {
    forms[i] = seeds->u[i] - forms[i];
  }
  solve(terms, &terms->freedoms[1], rows, forms, seeds->v);
  return MBS_OK;
}

MbsStatus mbs_state_terms_lower(MbsContext *context, MbsTerms *terms, const MbsSeeds *pulled) {
  MBS_TRY(factor(context, terms));
  double *rows = terms->rows, *forms = terms->targets;
  solve_transposed(terms, &terms->freedoms[1], pulled->v, rows, pulled->u);
  negate(terms->m, rows);
  MBS_TRY(mbs_state_terms_pull_more(context, terms, MBS_TERMS_PHIDOT, rows));
  for (int i = 0; i < terms->freedoms[1].count; ++i) {
    forms[i] = -pulled->u[i];
  }
  mbs_freedoms_turn_transposed(&terms->freedoms[1], terms->at.v, forms, pulled->q);
  solve_transposed(terms, &terms->freedoms[0], pulled->q, rows, pulled->y);
  negate(terms->m, rows);
  return mbs_state_terms_pull_more(context, terms, MBS_TERMS_PHI, rows);
}
