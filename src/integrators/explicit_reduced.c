// Stages of independent coordinates: matrix-r with an explicit method (P3 section 2; reduced.h for K, Kv and sets).
//
// What is integrated are independent coordinates z = w(q) and those of their rates that are independent, u = w' (I);
// the rates of the others follow (F, of nonholonomic constraints). With s = w'' (I) and r = w' (F) stages have
//     z_i = z_0 + c_i h u_0 + h^2 sum_j d_ij s_j    (I),         u_i = u_0 + h sum_j a_ij s_j
//     z_i = z_0 + h sum_j a_ij r_j                  (F)
// from which positions, velocities and accelerations are recovered one after the other,
//     E0   Phi(q_i) = 0,                        w(q_i) = z_i         K        Newton's iteration, from the place that
//     E1   Phidot = 0,  A v_i + b = 0,          w'(q_i, v_i) = u_i   Kv       the method without constraints leads to
//     E2   M a + Phi_q' lambda + A' mu = Q,  Phiddot = 0,  d/dt (A v + b) = 0         the instant of explicit.h
// so that constraints hold to rounding at every stage and the end, with nothing to project or stabilise. What is handed
// on is (q, v, a), so that each step may have a set of its own.
//
// Derivative: K X_i = (-(Phi)' at X = 0, z_i' - (w)' at X = 0), likewise V_i, and A_i of the instant; then s_i' and
// r_i' of these. In the columns of the step by itself z_0, u_0, s_0 and r_0 do not move.
#include <float.h>
#include <math.h>

#include "integrators/explicit.h"

static const MbsIndependentSet *set_of(const MbsExplicit *explicit) {
  const MbsReduced *reduced = explicit->independent.reduced;
  return reduced->sets[reduced->current];
}

static int size_of_stage(const MbsExplicit *explicit) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  return system->n * system->carried_count;
}

MbsStatus mbs_explicit_create_independent(MbsContext *context, MbsExplicit *explicit) {
  MbsSystem *system = explicit->independent.reduced->system;
  MbsStageCoordinates *at = &explicit->independent;
  size_t n = (size_t)system->n, columns = n * (size_t)system->carried_count, stages = (size_t) explicit->end;
  const struct {
    mbs_scalar **array;
    size_t size;
  } arrays[] = {{&at->z0, n},
                {&at->z, n},
                {&at->u, n},
                {&at->rate, stages * n},
                {&at->second, stages * n},
                {&at->Z0, columns},
                {&at->Z, columns},
                {&at->U, columns},
                {&at->Rate, stages * columns},
                {&at->Second, stages * columns},
                {&at->z0_bar, n},
                {&at->rate_bar, stages * n},
                {&at->second_bar, stages * n}};
  for (int i = 0; i < MBS_COUNT(arrays); ++i) {
    MBS_TAKE(context, system->arena, *arrays[i].array, arrays[i].size);
  }
  return MBS_OK;
}

// ---- what a stage is given ----
// z and u of a stage from z_0, rates and second derivatives of the stages before it; or their columns
static void find_given(const MbsExplicit *explicit, mbs_scalar h, int stage, int columns, const mbs_scalar *z0,
                       const mbs_scalar *rate, const mbs_scalar *second, int stride, mbs_scalar *z, mbs_scalar *u) {
  const MbsIndependentSet *set = set_of(explicit);
  for (int e = 0; e < set->count * columns; ++e) {
    bool follows = set->rate_row[e % set->count] < 0;
    z[e] = z0[e] + (follows ? 0 : explicit->c[stage] * h * rate[e]);
    u[e] = rate[e];
    for (int j = 0; j < stage; ++j) {
      mbs_scalar a = h * explicit->velocity[stage][j], d = h * h * explicit->position[stage][j];
      z[e] += follows ? a * rate[j * stride + e] : d * second[j * stride + e];
      u[e] += a * second[j * stride + e];
    }
  }
}

void mbs_explicit_note_independent(const MbsExplicit *explicit, int stage, const MbsState *at) {
  const MbsIndependentSet *set = set_of(explicit);
  const MbsSystem *system = explicit->implicit.formulation->system;
  mbs_scalar *rate = explicit->independent.rate + stage * system->n;
  mbs_scalar *second = explicit->independent.second + stage * system->n;
  if (!set->is_automatic) {
    mbs_signal_bank_evaluate(system, at);
  }
  for (int i = 0; i < set->count; ++i) {
    rate[i] = mbs_reduced_level(set, i, 1, at);
    second[i] = mbs_reduced_level(set, i, 2, at);
  }
}

// stage 0 is there
static void begin(MbsExplicit *explicit, int index) {
  const MbsState *at = &explicit->stages[0];
  mbs_reduced_use(explicit->independent.reduced, index);
  const MbsIndependentSet *set = set_of(explicit);
  if (!set->is_automatic) {
    mbs_signal_bank_follow(explicit->implicit.formulation->system, at);
  }
  mbs_explicit_note_independent(explicit, 0, at);
  for (int i = 0; i < set->count; ++i) {
    explicit->independent.z0[i] = mbs_reduced_level(set, i, 0, at);
  }
}

// ---- positions and velocities ----
// The complex twin factors anew in each iteration, and iterates on: see newton.c.
#ifdef MBS_COMPLEX
enum { FURTHER_ITERATIONS = 2 };
#else
enum { FURTHER_ITERATIONS = 0 };
#endif

static bool factor(const MbsExplicit *explicit, const MbsState *at) {
  const MbsIndependentSet *set = set_of(explicit);
  if (!set->is_automatic) {
    mbs_signal_bank_follow(explicit->implicit.formulation->system, at);
  }
  return mbs_independent_set_factor(set, at, NULL);
}

static MbsStatus not_recovered(MbsContext *context, const MbsState *at) {
  return mbs_fail(
      context, MBS_ERROR_NUMERICAL, mbs_nowhere,
      "matrix-r: the positions that belong to the independent coordinates are not found at t = %.10g; take a "
      "smaller step, choose other independent coordinates, or use formulation ali3p or index1",
      mbs_re(at->t));
}

// E0: factors are kept while corrections shrink fast. They shrink quadratically after new factors, and else by as much
// as K has changed since; the last one leaves nothing above rounding. Returns how far positions went in `moved`, and
// whether the factors are those of where they are.
static MbsStatus find_position(MbsContext *context, MbsExplicit *explicit, MbsState *at, double *moved) {
  enum { MOST_ITERATIONS = 30 };
  const double fast = 0.02;
  MbsReduced *reduced = explicit->independent.reduced;
  const MbsProblem *problem = &set_of(explicit)->position;
  double size = fmax(mbs_state_size(reduced->system, at), 1e-3), change = size, before;  // real
  int further = FURTHER_ITERATIONS;
  *moved = 0;
  for (int k = 0; k < MOST_ITERATIONS; ++k) {
    before = change;
    if ((k == 0 || FURTHER_ITERATIONS > 0 || *moved > fast * size || change > 1e-6 * size) && !factor(explicit, at)) {
      return mbs_reduced_singular(context, reduced->system, at);
    }
    change = mbs_reduced_correct(reduced, problem, 0, explicit->independent.z, 0, at);
    if (!isfinite(change)) {
      return mbs_reduced_singular(context, reduced->system, at);
    }
    *moved += change;
    double next = change * fmax(change, k > 0 ? *moved : 0) / size;  // real: about the next change
    bool is_stuck = change < 1e-11 * size && change > before / 2;
    if ((next < 0.1 * DBL_EPSILON * size || is_stuck) && further-- <= 0) {
      return MBS_OK;
    }
  }
  return not_recovered(context, at);
}

static double largest_of(int count, const mbs_scalar *x) {
  double largest = 0;
  for (int i = 0; i < count; ++i) {
    double magnitude = mbs_re(mbs_abs(x[i]));
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest;
}

// E1, linear in v: again for what factors leave that are a little old
static MbsStatus find_velocity(MbsContext *context, MbsExplicit *explicit, MbsState *at, double moved) {
  enum { MOST_PASSES = 20 };
  MbsReduced *reduced = explicit->independent.reduced;
  double size = fmax(mbs_state_size(reduced->system, at), 1e-3), change = 0;  // real
  for (int pass = 0; pass < MOST_PASSES; ++pass) {
    double before = change;
    change = mbs_reduced_correct(reduced, set_of(explicit)->velocity, 1, explicit->independent.u, 0, at);
    if (!isfinite(change)) {
      return mbs_reduced_singular(context, reduced->system, at);
    }
    double largest = largest_of(reduced->system->first_state, at->v);
    double next = change * fmax(moved / size, pass > 0 && before > 0 ? change / before : 0);  // real
    if (next <= 0.1 * DBL_EPSILON * largest || (pass > 0 && change > before / 2)) {
      return MBS_OK;
    }
  }
  return not_recovered(context, at);
}

MbsStatus mbs_explicit_recover(MbsContext *context, MbsExplicit *explicit, mbs_scalar h, int stage, MbsState *at) {
  const MbsStageCoordinates *own = &explicit->independent;
  double moved;
  find_given(explicit, h, stage, 1, own->z0, own->rate, own->second, explicit->implicit.formulation->system->n, own->z,
             own->u);
  MBS_TRY(find_position(context, explicit, at, &moved));
  if (FURTHER_ITERATIONS > 0 && !factor(explicit, at)) {
    return mbs_reduced_singular(context, own->reduced->system, at);
  }
  return find_velocity(context, explicit, at, moved);
}

// ---- the step ----
MbsStatus mbs_explicit_step_independent(MbsContext *context, MbsExplicit *explicit, MbsStep *step, MbsState *state) {
  MbsReduced *reduced = explicit->independent.reduced;
  bool is_decided = step->set != MBS_UNDECIDED;
  mbs_state_copy(reduced->system, &reduced->accepted, &explicit->stages[0]);  // with its own time
  begin(explicit, is_decided ? step->set : reduced->next);
  MbsStatus status = mbs_explicit_make_stages(context, explicit, step, state);
  if (status == MBS_ERROR_NUMERICAL && !is_decided) {  // once more, in a set that suits where the step begins
    context->status = MBS_OK;
    MBS_TRY(mbs_reduced_choose_set(context, reduced, &explicit->stages[0], true, reduced->count));
    begin(explicit, reduced->next);
    status = mbs_explicit_make_stages(context, explicit, step, state);
  }
  MBS_TRY(status);
  step->set = reduced->current;
  if (!is_decided) {
    reduced->present_growth = -1;  // not known
    MBS_TRY(mbs_reduced_choose_next(context, reduced, state));
  }
  mbs_state_copy(reduced->system, state, &reduced->accepted);
  return MBS_OK;
}

// positions and velocities, which need not be found again; and where the size of the step has a column z' and z''
int mbs_explicit_independent_row_size(const MbsExplicit *explicit) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  int positions = 2 * (explicit->end - 1) * system->n;
  int rates = system->step_column >= 0 ? 2 * explicit->end * system->n : 0;
  return explicit->independent.reduced ? positions + rates : 0;
}

mbs_scalar *mbs_explicit_put_independent(const MbsExplicit *explicit, mbs_scalar *row) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  for (int i = 1; i < explicit->end; ++i) {
    row = mbs_put(row, system->n, explicit->stages[i].q);
    row = mbs_put(row, system->n, explicit->stages[i].v);
  }
  if (system->step_column >= 0) {
    row = mbs_put(row, explicit->end * system->n, explicit->independent.rate);
    row = mbs_put(row, explicit->end * system->n, explicit->independent.second);
  }
  return row;
}

const mbs_scalar *mbs_explicit_take_independent(MbsExplicit *explicit, int set, const mbs_scalar *row) {
  const MbsSystem *system = explicit->implicit.formulation->system;
  mbs_reduced_use(explicit->independent.reduced, set);
  for (int i = 1; i < explicit->end; ++i) {
    row = mbs_take(row, system->n, explicit->stages[i].q);
    row = mbs_take(row, system->n, explicit->stages[i].v);
  }
  if (system->step_column >= 0) {
    row = mbs_take(row, explicit->end * system->n, explicit->independent.rate);
    row = mbs_take(row, explicit->end * system->n, explicit->independent.second);
  }
  return row;
}

// ---- derivative ----
void mbs_explicit_note_independent_columns(const MbsExplicit *explicit, int stage, const MbsState *at,
                                           const MbsColumns *columns) {
  const MbsReduced *reduced = explicit->independent.reduced;
  if (!set_of(explicit)->is_automatic) {
    mbs_signal_bank_evaluate(reduced->system, at);
  }
  mbs_reduced_columns_of(reduced, 1, at, columns, explicit->independent.Rate + stage * size_of_stage(explicit));
  mbs_reduced_columns_of(reduced, 2, at, columns, explicit->independent.Second + stage * size_of_stage(explicit));
}

void mbs_explicit_begin_independent_columns(MbsExplicit *explicit, const MbsColumns *columns) {
  const MbsStageCoordinates *own = &explicit->independent;
  mbs_explicit_note_independent_columns(explicit, 0, &explicit->stages[0], columns);
  mbs_reduced_columns_of(own->reduced, 0, &explicit->stages[0], columns, own->Z0);
}

// of the step's size, with the stage's time kept: see explicit_derivative.c
static void find_step_column(const MbsExplicit *explicit, mbs_scalar h, int stage) {
  const MbsStageCoordinates *own = &explicit->independent;
  const MbsSystem *system = own->reduced->system;
  const MbsIndependentSet *set = set_of(explicit);
  int count = set->count, by_size = system->step_column * count, by_time = system->time_column * count;
  double ahead = 1 - explicit->c[stage];
  for (int i = 0; i < count; ++i) {
    bool follows = set->rate_row[i] < 0;
    mbs_scalar z = follows ? 0 : explicit->c[stage] * own->rate[i], u = 0;
    for (int j = 0; j < stage; ++j) {
      const mbs_scalar *Rate = own->Rate + j * size_of_stage(explicit);
      const mbs_scalar *Second = own->Second + j * size_of_stage(explicit);
      double a = explicit->velocity[stage][j], behind = 1 - explicit->c[j];
      mbs_scalar r = own->rate[j * system->n + i], s = own->second[j * system->n + i];
      mbs_scalar r_h = j == 0 ? 0 : Rate[by_size + i] - behind * Rate[by_time + i];
      mbs_scalar s_h = j == 0 ? 0 : Second[by_size + i] - behind * Second[by_time + i];
      z += follows ? a * (r + h * r_h) : h * explicit->position[stage][j] * (2 * s + h * s_h);
      u += a * (s + h * s_h);
    }
    own->Z[by_size + i] = z + ahead * own->Z[by_time + i];
    own->U[by_size + i] = u + ahead * own->U[by_time + i];
  }
}

MbsStatus mbs_explicit_recover_columns(MbsContext *context, MbsExplicit *explicit, mbs_scalar h, int stage,
                                       const MbsState *at, const MbsColumns *columns) {
  const MbsStageCoordinates *own = &explicit->independent;
  const MbsSystem *system = own->reduced->system;
  const MbsIndependentSet *set = set_of(explicit);
  find_given(explicit, h, stage, system->column_count, own->Z0, own->Rate, own->Second, size_of_stage(explicit), own->Z,
             own->U);
  if (mbs_system_has_step_column(system)) {
    find_step_column(explicit, h, stage);
  }
  mbs_signal_bank_evaluate(system, at);
  if (!mbs_independent_set_factor(set, at, NULL)) {
    return mbs_reduced_singular(context, system, at);
  }
  mbs_reduced_solve_columns(own->reduced, &set->position, 0, own->Z, at, columns);
  mbs_reduced_solve_columns(own->reduced, set->velocity, 1, own->U, at, columns);
  return MBS_OK;
}
