#include "algebra/sparse_solver.h"

#include <klu.h>
#include <string.h>

#include "algebra/elimination.h"
#include "algebra/tree_solver.h"

#ifdef MBS_COMPLEX
#define KLU_FACTOR klu_z_factor
#define KLU_REFACTOR klu_z_refactor
#define KLU_FLOPS klu_z_flops
#define KLU_RCOND klu_z_rcond
#define KLU_RGROWTH klu_z_rgrowth
#define KLU_CONDEST klu_z_condest
#define KLU_SOLVE klu_z_solve
#define KLU_TSOLVE(symbolic, numeric, n, count, b, common) klu_z_tsolve(symbolic, numeric, n, count, b, 0, common)
#define KLU_FREE_NUMERIC klu_z_free_numeric
#else
#define KLU_FACTOR klu_factor
#define KLU_REFACTOR klu_refactor
#define KLU_FLOPS klu_flops
#define KLU_RCOND klu_rcond
#define KLU_RGROWTH klu_rgrowth
#define KLU_CONDEST klu_condest
#define KLU_SOLVE klu_solve
#define KLU_TSOLVE klu_tsolve
#define KLU_FREE_NUMERIC klu_free_numeric
#endif

// The complex twin is the reference for all else and takes no chances: where pivots of old pass through zero, as Euler
// parameters do, its imaginary parts, which no iteration corrects, lose more digits than the estimates below tell.
#ifdef MBS_COMPLEX
enum { MAY_KEEP_PIVOTS = false, MOST_CHOICES = 1 };
#else
enum { MAY_KEEP_PIVOTS = true, MOST_CHOICES = 16 };
#endif

// A choice of pivots: the factors with these pivots, and the matrix they were chosen for. Small matrices are eliminated
// by a program of their own pivots, which are as good and fill in less; KLU's are there for what that does not accept.
typedef struct Choice {
  klu_numeric *numeric;
  double quality;               // reciprocal condition estimate when they were chosen
  MbsElimination *elimination;  // NULL: none
  double own_quality;           // the same of its pivots
  mbs_scalar *values;           // NULL: not kept
} Choice;

// Choices are kept in the order they were made: a run that is walked again, from its start or from a step of it, meets
// the same matrices, and then takes the same pivots without a search (and without memory, which KLU takes for one).
struct MbsSparseSolver {
  MbsArena *arena;      // KLU has memory of its own; who is told that it is out, the arena knows
  MbsTreeSolver *tree;  // it does all then
  int size, extra, entry_count;
  int *column_start, *row;
  int *order;         // of elimination, where it is given
  mbs_scalar *whole;  // size: one right-hand side, with the extra unknowns
  klu_common common;
  klu_symbolic *symbolic, *other;  // two orders of elimination; the first factors tell which one fills in less
  bool is_decided, is_swapped;     // has it been told? is `other` the first of the two?
  int choice_count, current;       // current: in use; -1: none yet
  Choice choices[MOST_CHOICES];
  double quality;            // reciprocal condition estimate now
  double soundness, growth;  // see are_pivots_sound
  bool may_eliminate;        // by a program
  bool is_eliminated;        // the last factors are those of the program
};

// A ratio of pivots below this is rounding: the matrix is singular to working precision.
static const double singular = 1e-16;

static klu_numeric *numeric_of(const MbsSparseSolver *solver) { return solver->choices[solver->current].numeric; }

// AMD expects pivots on the diagonal. Multipliers have none there worth mention, and on a chain of loops off-diagonal
// pivots fill the factors that AMD wanted sparse (a ladder of 80 cells: 77,520 entries of L instead of 3,186). COLAMD
// is made for any pivots, and a little worse where the diagonal serves.
enum { AMD = 0, COLAMD = 1, GIVEN = 2 };

static MbsStatus analyse(MbsContext *context, MbsSparseSolver *solver, int ordering, klu_symbolic **symbolic) {
  int *order = solver->order;
  solver->common.ordering = ordering;
  solver->common.btf = ordering != GIVEN;
  *symbolic = ordering == GIVEN
                  ? klu_analyze_given(solver->size, solver->column_start, solver->row, order, order, &solver->common)
                  : klu_analyze(solver->size, solver->column_start, solver->row, &solver->common);
  bool has_memory = *symbolic || solver->common.status != KLU_OUT_OF_MEMORY;
  return has_memory ? MBS_OK : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

MbsStatus mbs_sparse_solver_create(MbsContext *context, MbsArena *arena, const MbsPattern *pattern,
                                   MbsSparseSolver **result) {
  MbsSparseSolver *solver;
  MBS_TAKE(context, arena, solver, 1);
  solver->arena = arena;
  solver->current = -1;
  *result = solver;
  MBS_TRY(mbs_pattern_status(context, pattern));
  if (pattern->tree) {
    return mbs_tree_solver_create(context, arena, pattern->tree, &solver->tree);
  }
  MBS_TAKE(context, arena, solver->column_start, pattern->size + 1);
  MBS_TAKE(context, arena, solver->row, pattern->entry_count);
  for (int i = 0; i <= pattern->size; ++i) {
    solver->column_start[i] = pattern->column_start[i];
  }
  for (int i = 0; i < pattern->entry_count; ++i) {
    solver->row[i] = pattern->row[i];
  }
  MBS_TAKE(context, arena, solver->whole, pattern->extra > 0 ? pattern->size : 0);
  solver->size = pattern->size;
  solver->entry_count = pattern->entry_count;
  solver->extra = pattern->extra;
  solver->soundness = 1e-4;
  solver->growth = 1e-6;
  solver->may_eliminate = MAY_KEEP_PIVOTS && !pattern->order && pattern->extra == 0;
  klu_defaults(&solver->common);
  if (pattern->order) {
    MBS_TAKE(context, arena, solver->order, pattern->size);
    for (int i = 0; i < pattern->size; ++i) {
      solver->order[i] = pattern->order[i];
    }
    MBS_TRY(analyse(context, solver, GIVEN, &solver->symbolic));
  } else if (pattern->size > 0) {
    MBS_TRY(analyse(context, solver, AMD, &solver->symbolic));
    MBS_TRY(analyse(context, solver, COLAMD, &solver->other));
  }
  return MBS_OK;
}

static void drop(MbsSparseSolver *solver, Choice *choice) {
  KLU_FREE_NUMERIC(&choice->numeric, &solver->common);
  mbs_elimination_destroy(choice->elimination);
  choice->elimination = NULL;
}

void mbs_sparse_solver_destroy(MbsSparseSolver *solver) {
  if (solver && !solver->tree) {
    for (int i = 0; i < solver->choice_count; ++i) {
      drop(solver, &solver->choices[i]);
    }
    klu_free_symbolic(&solver->symbolic, &solver->common);
    klu_free_symbolic(&solver->other, &solver->common);
  }
}

void mbs_sparse_solver_demand_digits(MbsSparseSolver *solver) {
  solver->soundness = 1e-2;
  solver->growth = 1e-3;
  solver->may_eliminate = false;
  if (!solver->tree) {
    klu_free_symbolic(&solver->other, &solver->common);  // COLAMD's pivots may cost five digits
  }
}

static klu_numeric *factored(MbsSparseSolver *solver, double *values, klu_symbolic *symbolic) {
  klu_numeric *numeric = KLU_FACTOR(solver->column_start, solver->row, values, symbolic, &solver->common);
  if (solver->common.status == KLU_OUT_OF_MEMORY) {
    mbs_arena_is_out(solver->arena);
  }
  if (numeric && solver->common.status != KLU_OK) {
    KLU_FREE_NUMERIC(&numeric, &solver->common);
  }
  return numeric;
}

static void swap_orders(MbsSparseSolver *solver) {
  klu_symbolic *with = solver->symbolic;
  solver->symbolic = solver->other;
  solver->other = with;
  solver->is_swapped = !solver->is_swapped;
}

// Of two orders uses the one whose factors are sparser; a matrix that is singular decides nothing.
static void choose_order(MbsSparseSolver *solver, double *values, klu_numeric **chosen) {
  klu_numeric *numeric = factored(solver, values, solver->other);
  if (!numeric || !*chosen) {
    KLU_FREE_NUMERIC(&numeric, &solver->common);
    return;
  }
  if (numeric->lnz + numeric->unz < (*chosen)->lnz + (*chosen)->unz) {
    klu_numeric *worse = *chosen;
    *chosen = numeric;
    numeric = worse;
    swap_orders(solver);
  }
  KLU_FREE_NUMERIC(&numeric, &solver->common);
  solver->is_decided = true;
}

static bool refactor(MbsSparseSolver *solver, double *values) {
  return KLU_REFACTOR(solver->column_start, solver->row, values, solver->symbolic, numeric_of(solver),
                      &solver->common) &&
         solver->common.status == KLU_OK;
}

// A program's pivots, some of them constraints' entries, turn with bodies and become small by and by. Then KLU's, which
// are mostly on the diagonal, serve until they are back; so a program may be given up for less than those.
static bool is_program_sound(const MbsSparseSolver *solver, const Choice *choice, const mbs_scalar *values) {
  return solver->quality > 1e-2 * choice->own_quality || mbs_elimination_growth(choice->elimination, values) > 1e-3;
}

// By the program of the present choice, if it serves these values.
static bool eliminate(MbsSparseSolver *solver, const mbs_scalar *values) {
  const Choice *choice = &solver->choices[solver->current];
  MbsElimination *elimination = choice->elimination;
  solver->is_eliminated = false;
  if (elimination && mbs_elimination_accepts(elimination, values) && mbs_elimination_factor(elimination, values)) {
    solver->quality = mbs_elimination_quality(elimination);
    solver->is_eliminated = solver->quality > singular && is_program_sound(solver, choice, values);
  }
  return solver->is_eliminated;
}

// For a choice that was made by KLU just now.
static void make_program(MbsSparseSolver *solver, Choice *choice, const mbs_scalar *values) {
  KLU_FLOPS(solver->symbolic, choice->numeric, &solver->common);
  double most = solver->common.flops / 2 + 20 * solver->size;
  bool is_out = false;
  choice->elimination = solver->may_eliminate ? mbs_elimination_create(solver->size, solver->column_start, solver->row,
                                                                       values, most, &is_out)
                                              : NULL;
  if (is_out) {
    mbs_arena_is_out(solver->arena);
  }
  double quality = solver->quality;
  choice->own_quality = 0;
  if (eliminate(solver, values)) {
    choice->own_quality = solver->quality;
  } else {
    solver->quality = quality;
    mbs_elimination_destroy(choice->elimination);
    choice->elimination = NULL;
  }
}

static double find_quality(MbsSparseSolver *solver) {
  KLU_RCOND(solver->symbolic, numeric_of(solver), &solver->common);
  return solver->quality = solver->common.rcond;
}

// the choice that follows, if it was made for this very matrix
static bool choose_again(MbsSparseSolver *solver, mbs_scalar *values) {
  const Choice *next = solver->current + 1 < solver->choice_count ? &solver->choices[solver->current + 1] : NULL;
  size_t bytes = (size_t)solver->entry_count * sizeof(mbs_scalar);
  if (!next || !next->values || memcmp(next->values, values, bytes) != 0) {
    return false;
  }
  solver->current += 1;
  solver->is_decided = true;
  if (eliminate(solver, values)) {
    return true;
  }
  bool is_factored = refactor(solver, (double *)values);
  find_quality(solver);
  return is_factored;
}

// a new choice takes the place of those that followed the present one
static bool factor_anew(MbsSparseSolver *solver, mbs_scalar *matrix) {
  double *values = (double *)matrix;
  if (choose_again(solver, matrix)) {
    return solver->quality > singular;
  }
  int kept = solver->current + 1 < MOST_CHOICES ? solver->current + 1 : MOST_CHOICES - 1;
  while (solver->choice_count > kept) {
    drop(solver, &solver->choices[--solver->choice_count]);
  }
  solver->current = kept - 1;
  bool has_order = !solver->other || solver->is_decided;
  if (!has_order && solver->is_swapped) {
    swap_orders(solver);
  }
  klu_numeric *numeric = factored(solver, values, solver->symbolic);
  if (!has_order) {
    choose_order(solver, values, &numeric);
  }
  if (!numeric) {
    return false;
  }
  Choice *choice = &solver->choices[kept];
  solver->current = kept;
  solver->choice_count = kept + 1;
  choice->numeric = numeric;
  choice->quality = find_quality(solver);
  if (MAY_KEEP_PIVOTS) {
    size_t count = (size_t)solver->entry_count;
    choice->values = choice->values ? choice->values : mbs_arena_take(solver->arena, count, sizeof(mbs_scalar));
    if (choice->values) {
      memcpy(choice->values, values, count * sizeof(mbs_scalar));
    }
  }
  make_program(solver, choice, matrix);
  return solver->quality > singular;
}

// Do the pivots chosen earlier serve these values? A poor condition estimate may be the matrix's own; then the growth
// of the pivots decides, of which a millionth still leaves ten digits. Choosing anew takes memory from KLU.
static bool are_pivots_sound(MbsSparseSolver *solver, double *values) {
  if (find_quality(solver) > solver->soundness * solver->choices[solver->current].quality) {
    return true;
  }
  return solver->quality > singular &&
         KLU_RGROWTH(solver->column_start, solver->row, values, solver->symbolic, numeric_of(solver),
                     &solver->common) &&
         solver->common.rgrowth > solver->growth;
}

bool mbs_sparse_solver_factor(MbsSparseSolver *solver, mbs_scalar *matrix) {
  if (solver->tree) {
    return mbs_tree_solver_factor(solver->tree, matrix);
  }
  if (solver->size == 0) {
    return true;
  }
  if (!solver->symbolic) {
    return false;  // structurally singular
  }
  double *values = (double *)matrix;
  if (MAY_KEEP_PIVOTS && solver->current >= 0 && solver->choices[solver->current].quality > 0 &&
      (eliminate(solver, matrix) || (refactor(solver, values) && are_pivots_sound(solver, values)))) {
    return true;
  }
  return factor_anew(solver, matrix);
}

bool mbs_sparse_solver_factor_anew(MbsSparseSolver *solver, mbs_scalar *matrix) {
  // a tree has one order, and its values are used up: what it has stays
  return solver->tree || solver->size == 0 || (solver->symbolic && factor_anew(solver, matrix));
}

static void solve(MbsSparseSolver *solver, bool is_transposed, int count, mbs_scalar *b) {
  if (solver->is_eliminated) {
    MbsElimination *elimination = solver->choices[solver->current].elimination;
    (is_transposed ? mbs_elimination_solve_transposed : mbs_elimination_solve)(elimination, count, b);
  } else if (is_transposed) {
    KLU_TSOLVE(solver->symbolic, numeric_of(solver), solver->size, count, (double *)b, &solver->common);
  } else {
    KLU_SOLVE(solver->symbolic, numeric_of(solver), solver->size, count, (double *)b, &solver->common);
  }
}

static void solve_whole(MbsSparseSolver *solver, bool is_transposed, int count, mbs_scalar *b) {
  int given = solver->size - solver->extra;
  for (int k = 0; k < count; ++k) {
    mbs_scalar *one = b + (size_t)k * (size_t)given;
    for (int i = 0; i < solver->size; ++i) {
      solver->whole[i] = i < given ? one[i] : 0;
    }
    solve(solver, is_transposed, 1, solver->whole);
    for (int i = 0; i < given; ++i) {
      one[i] = solver->whole[i];
    }
  }
}

static void solve_all(MbsSparseSolver *solver, bool is_transposed, int count, mbs_scalar *b) {
  if (solver->extra > 0) {
    solve_whole(solver, is_transposed, count, b);
  } else if (solver->size > 0 && count > 0) {
    solve(solver, is_transposed, count, b);
  }
}

void mbs_sparse_solver_solve(MbsSparseSolver *solver, int count, mbs_scalar *b) {
  if (solver->tree) {
    mbs_tree_solver_solve(solver->tree, count, b);
  } else {
    solve_all(solver, false, count, b);
  }
}

void mbs_sparse_solver_solve_transposed(MbsSparseSolver *solver, int count, mbs_scalar *b) {
  if (solver->tree) {
    mbs_tree_solver_solve_transposed(solver->tree, count, b);
  } else {
    solve_all(solver, true, count, b);
  }
}

int mbs_sparse_solver_pivots(const MbsSparseSolver *solver) { return solver->current; }

void mbs_sparse_solver_use_pivots(MbsSparseSolver *solver, int choice) {
  solver->current = choice < solver->choice_count ? choice : solver->choice_count - 1;
}

void mbs_sparse_solver_forget(MbsSparseSolver *solver) {
  solver->current = -1;
  solver->is_decided = false;
}

double mbs_sparse_solver_quality(const MbsSparseSolver *solver) {
  return solver->tree ? mbs_tree_solver_quality(solver->tree) : solver->quality;
}

double mbs_sparse_solver_condition(MbsSparseSolver *solver, mbs_scalar *values) {
  if (solver->tree) {
    return 1 / mbs_tree_solver_quality(solver->tree);
  }
  if (solver->size == 0) {
    return 1;
  }
  if (solver->is_eliminated) {
    return mbs_elimination_condition(solver->choices[solver->current].elimination, values);
  }
  KLU_CONDEST(solver->column_start, (double *)values, solver->symbolic, numeric_of(solver), &solver->common);
  return solver->common.condest;
}
