// Finding an equilibrium: see equilibrium.h for F, J and the unknowns z.
//
// From the assembled start the mechanism goes where its forces push it, as if it were heavily damped and stopped after
// each step: a linearly implicit step of the relaxed motion,
//     (J + mu D) dz = -F,        D = diag(X' M X)
// with mu as small as it may be: the symmetric part of J + mu D is positive definite, so that forces do work along dz,
// and no body goes farther than a radius. A step is taken if they do, by the trapezoidal rule -1/2 (F0 + F1).dz > 0,
// and the radius follows from how well that was foreseen. mu is zero in the end: Newton's method. So a mechanism finds
// the stable equilibrium that it would come to rest at, forces need no potential, and contacts and stops are met on the
// way. Where Newton's first step from the start is tiny, that equilibrium is taken, stable or not.
#include <math.h>

#include "kinematics/equilibrium.h"

static const double nearby = 1e-2, followed = 0.5, near_end = 0.1, near = 1e-8;

typedef struct Search {
  MbsContext *context;
  MbsInitial *initial;
  MbsEquilibrium *equilibrium;
  double size;     // of the mechanism
  int count;       // of coordinates that relax:
  int *active;     // which
  double *matrix;  // count x count
  double *factor;  // likewise
  double *right;   // count: the step
  double radius;
} Search;

// ---- measures ----
double mbs_equilibrium_length(const MbsInitial *initial, double size, int count, const int *unknowns,
                              const double *step) {
  const MbsSystem *system = initial->set.system;
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  double longest = 0;
  for (int i = 0; i < system->first_state; ++i) {
    double moved = 0;
    for (int j = 0; j < count; ++j) {
      moved += step[j] * mbs_re(equilibrium->X[unknowns[j] * system->nq + i]);
    }
    longest = fmax(longest, fabs(moved) / (system->units[i] == MBS_UNIT_NUMBER ? 1 : size));  // real
  }
  for (int j = 0; j < count; ++j) {
    int k = unknowns[j] - equilibrium->count;
    if (k >= 0) {                                                                                      // parameters
      equilibrium->solved_size[k] = fmax(equilibrium->solved_size[k], fabs(step[j]));                  // real
      longest = fmax(longest, step[j] != 0 ? 1e-3 * fabs(step[j]) / equilibrium->solved_size[k] : 0);  // real
    } else if (initial->set.independents[unknowns[j]].is_state) {  // values of states
      longest = fmax(longest, 1e-3 * fabs(step[j]) / (1 + fabs(mbs_re(equilibrium->z[unknowns[j]]))));  // real
    }
  }
  return longest;
}

static double length_of(const Search *s, int count, const int *unknowns, const double *step) {
  return mbs_equilibrium_length(s->initial, s->size, count, unknowns, step);
}

// the size of what cancels in each force; but for accelerations that nobody can mean
static void measure_forces(const Search *s) {
  const double least = 1e-6;
  const MbsSystem *system = s->initial->set.system;
  const MbsWeights none = {.k0 = 0};
  double scale[2];
  mbs_terms_residual(system, &s->equilibrium->state, &none, s->initial->R, scale);
  for (int j = 0; j < s->equilibrium->count; ++j) {
    double largest = 0;
    const mbs_scalar *moved = s->initial->set.independents[j].is_state ? s->equilibrium->V : s->equilibrium->X;
    for (int i = 0; i < system->n; ++i) {
      largest = fmax(largest, fabs(mbs_re(moved[j * system->nq + i])));  // real
    }
    s->equilibrium->size[j] = fmax(largest * scale[0], least * s->equilibrium->mass[j]);  // real
  }
}

// the largest force along coordinates that move, over its size; or of all coordinates
static double residual_of(const Search *s, bool of_all, int *worst) {
  double largest = 0;
  *worst = -1;
  for (int i = 0; i < s->equilibrium->count; ++i) {
    double force = fabs(mbs_re(s->equilibrium->force[i]));  // real
    bool counts = of_all || !s->equilibrium->is_given[i];
    double relative = force > 0 && s->equilibrium->size[i] > 0 ? force / s->equilibrium->size[i] : 0;
    if (counts && (!(relative <= largest))) {
      largest = relative;
      *worst = i;
    }
  }
  return largest;
}

// ---- relaxation ----
static void fill(const Search *s) {
  const MbsEquilibrium *equilibrium = s->equilibrium;
  for (int i = 0; i < s->count; ++i) {
    for (int j = 0; j < s->count; ++j) {
      s->matrix[i * s->count + j] = mbs_re(equilibrium->J[s->active[i] * equilibrium->unknown_count + s->active[j]]);
    }
  }
}

// Is the symmetric part of matrix + mu D positive definite? Cholesky.
static bool is_positive(const Search *s, double mu) {
  int n = s->count;
  double *L = s->factor;
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      double sum = (s->matrix[i * n + j] + s->matrix[j * n + i]) / 2;
      sum += i == j ? mu * s->equilibrium->mass[s->active[i]] : 0;
      for (int k = 0; k < j; ++k) {
        sum -= L[i * n + k] * L[j * n + k];
      }
      if (i == j && !(sum > 1e-12 * (fabs(s->matrix[i * n + i]) + mu * s->equilibrium->mass[s->active[i]]))) {  // real
        return false;
      }
      L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];  // real
    }
  }
  return true;
}

// (matrix + mu D) step = -F by Gauss with pivots
static bool solve(const Search *s, double mu) {
  int n = s->count;
  double *A = s->factor, *b = s->right;
  for (int i = 0; i < n * n; ++i) {
    A[i] = s->matrix[i] + (i % (n + 1) == 0 ? mu * s->equilibrium->mass[s->active[i / n]] : 0);
  }
  for (int i = 0; i < n; ++i) {
    b[i] = -mbs_re(s->equilibrium->force[s->active[i]]);
  }
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      pivot = fabs(A[i * n + k]) > fabs(A[pivot * n + k]) ? i : pivot;  // real
    }
    if (!(fabs(A[pivot * n + k]) > 0)) {  // real
      return false;
    }
    for (int j = 0; j < n && pivot != k; ++j) {
      double held = A[k * n + j];
      A[k * n + j] = A[pivot * n + j];
      A[pivot * n + j] = held;
    }
    double held = b[k];
    b[k] = b[pivot];
    b[pivot] = held;
    for (int i = k + 1; i < n; ++i) {
      double factor = A[i * n + k] / A[k * n + k];
      for (int j = k + 1; j < n; ++j) {
        A[i * n + j] -= factor * A[k * n + j];
      }
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) {
      b[k] -= A[k * n + j] * b[j];
    }
    b[k] /= A[k * n + k];
  }
  return true;
}

// the step of the least mu that may be taken; returns its length
static double find_step(const Search *s) {
  enum { MOST = 200 };
  double largest = 0, mu = 0;
  for (int i = 0; i < s->count; ++i) {
    double mass = s->equilibrium->mass[s->active[i]];
    largest = fmax(largest, mass > 0 ? fabs(s->matrix[i * s->count + i]) / mass : 0);  // real
  }
  for (int tries = 0; tries < MOST; ++tries) {
    if (is_positive(s, mu) && solve(s, mu)) {
      double length = length_of(s, s->count, s->active, s->right);
      if (length <= s->radius) {
        return length;
      }
    }
    mu = mu > 0 ? 3 * mu : largest > 0 ? 1e-4 * largest : 1e-4;
  }
  return HUGE_VAL;
}

// work that the step was expected to be done, and that was done: before[i], F at its beginning
static double expected_work(const Search *s) {
  double work = 0;
  for (int i = 0; i < s->count; ++i) {
    work -= mbs_re(s->equilibrium->force[s->active[i]]) * s->right[i];
    for (int j = 0; j < s->count; ++j) {
      work -= s->right[i] * s->matrix[i * s->count + j] * s->right[j] / 2;
    }
  }
  return work;
}

static double half_work(const Search *s) {
  double work = 0;
  for (int i = 0; i < s->count; ++i) {
    work -= mbs_re(s->equilibrium->force[s->active[i]]) * s->right[i] / 2;
  }
  return work;
}

// A step that is tried: where it cannot be made (links out of reach), that is no error of the model.
static MbsStatus try_step(const Search *s, double sign, bool *is_made) {
  const MbsSystem *system = s->initial->set.system;
  MbsState *state = &s->equilibrium->state;
  for (int j = 0; j < s->count; ++j) {
    s->equilibrium->z[s->active[j]] += sign * s->right[j];
  }
  if (sign < 0) {
    for (int i = 0; i < system->nq; ++i) {
      state->q[i] = s->equilibrium->kept[i];
    }
  } else {
    for (int i = 0; i < system->nq; ++i) {
      s->equilibrium->kept[i] = state->q[i];
    }
    for (int j = 0; j < s->count; ++j) {
      for (int i = 0; i < system->n; ++i) {
        state->q[i] += s->right[j] * s->equilibrium->X[s->active[j] * system->nq + i];
      }
    }
  }
  MbsStatus status = mbs_equilibrium_evaluate(s->context, s->initial, false);
  *is_made = status == MBS_OK;
  if (status == MBS_ERROR_INPUT || status == MBS_ERROR_NUMERICAL) {
    s->context->status = status = MBS_OK;
  }
  return status;
}

static MbsStatus fell(const Search *s, int worst, double length) {
  const MbsIndependent *independent = &s->initial->set.independents[worst < 0 ? s->active[0] : worst];
  double force = worst < 0 ? 0 : -mbs_re(s->equilibrium->force[worst]);
  return mbs_fail(
      s->context, MBS_ERROR_NUMERICAL, independent->place,
      length > 0 ? "no equilibrium was found: \"%s\" goes on moving, and a force of %.6g along it is left; is there "
                   "something that resists it? else hold it (equilibrium: hold), or start nearer"
                 : "no equilibrium was found: the search ends where \"%s\" cannot move on, with a force of %.6g "
                   "along it; start nearer to the equilibrium, or choose other independent coordinates",
      independent->name, force);
}

static MbsStatus relax(Search *s) {
  enum { MOST = 400 };
  const double shortest = 1e-10, farthest = 1e4;
  MbsEquilibrium *equilibrium = s->equilibrium;
  double way = 0;
  int worst;
  for (int iteration = 0; iteration < MOST; ++iteration) {
    bool is_made;
    fill(s);
    measure_forces(s);
    double residual = residual_of(s, false, &worst);
    if (residual <= near && (iteration > 0 || residual <= 0)) {
      return MBS_OK;
    }
    double length = find_step(s);
    double expected = expected_work(s), work = half_work(s);
    if (length <= shortest && residual <= 1e-5) {
      return MBS_OK;
    }
    equilibrium->iterations += 1;
    MBS_TRY(try_step(s, 1, &is_made));
    work += is_made ? half_work(s) : 0;
    if (is_made && work > 0.05 * expected) {
      way += length;
      s->radius = work > 0.7 * expected && length > 0.3 * s->radius ? 2 * s->radius : s->radius;
      s->radius = work < 0.3 * expected ? s->radius / 2 : s->radius;
      MBS_TRY(mbs_equilibrium_evaluate(s->context, s->initial, true));
    } else {
      MBS_TRY(try_step(s, -1, &is_made));
      s->radius = (length < s->radius ? length : s->radius) / 4;
    }
    if (way > farthest || s->radius < shortest || !isfinite(length)) {
      return fell(s, worst, way > farthest ? way : 0);
    }
    if (s->context->keep_going && !s->context->keep_going(s->context->user, 0.5)) {
      return mbs_fail(s->context, MBS_ERROR_INTERRUPTED, mbs_nowhere, "stopped while looking for the equilibrium");
    }
  }
  return fell(s, worst, way);
}

// ---- Newton's method ----
// what is not solved for is where the start has it
static void hold(const Search *s) {
  MbsEquilibrium *equilibrium = s->equilibrium;
  for (int j = 0; j < equilibrium->count; ++j) {
    if (!equilibrium->is_free[j]) {
      equilibrium->z[j] = equilibrium->first[j];
    }
  }
}

// to rounding, and a little further: the imaginary part settles then. is_there: it was; J is that of the end.
static MbsStatus polish(const Search *s, double farthest, bool *is_there) {
  enum { MOST = 40, FURTHER = 2 };
  MbsEquilibrium *equilibrium = s->equilibrium;
  const MbsSystem *system = s->initial->set.system;
  double previous = HUGE_VAL, way = 0;
  int further = FURTHER;
  *is_there = false;
  for (int iteration = 0; iteration < MOST; ++iteration) {
    MBS_TRY(mbs_equilibrium_evaluate(s->context, s->initial, true));
    if (!mbs_equilibrium_factor(s->initial)) {
      return MBS_OK;
    }
    for (int i = 0; i < equilibrium->free_count; ++i) {
      equilibrium->step[i] = -equilibrium->force[equilibrium->rows[i]];
    }
    mbs_dense_solve(equilibrium->free_count, equilibrium->factor, equilibrium->pivot, equilibrium->step);
    for (int j = 0; j < equilibrium->free_count; ++j) {
      s->right[j] = mbs_re(equilibrium->step[j]);
    }
    double length = length_of(s, equilibrium->free_count, equilibrium->free, s->right);
    bool is_rounding = length <= 1e-15 || (length <= near && length > previous / 4);
    if (is_rounding && further-- <= 0) {
      *is_there = true;
      return MBS_OK;
    }
    previous = length;
    way += length;
    if (!(way <= farthest)) {
      return MBS_OK;
    }
    for (int j = 0; j < equilibrium->free_count; ++j) {
      equilibrium->z[equilibrium->free[j]] += equilibrium->step[j];
      for (int i = 0; i < system->n; ++i) {
        equilibrium->state.q[i] += equilibrium->step[j] * equilibrium->X[equilibrium->free[j] * system->nq + i];
      }
    }
  }
  return MBS_OK;
}

static void begin(Search *s, const MbsState *start) {
  MbsEquilibrium *equilibrium = s->equilibrium;
  const MbsSystem *system = s->initial->set.system;
  s->size = fmax(mbs_state_size(system, start), 1e-3);  // real
  s->radius = 0.2;
  s->count = 0;
  mbs_state_place_fixed(system, &equilibrium->state);
  for (int i = 0; i < system->n; ++i) {
    equilibrium->state.q[i] = start->q[i];
    equilibrium->state.v[i] = equilibrium->state.a[i] = 0;
  }
  for (int i = system->n; i < system->nq; ++i) {
    equilibrium->state.q[i] = start->q[i];
    equilibrium->state.v[i] = start->v[i];
    equilibrium->state.a[i] = start->a[i];
  }
  equilibrium->state.t = start->t;
  for (int i = 0; i < equilibrium->count; ++i) {
    bool is_state = s->initial->set.independents[i].is_state;
    equilibrium->first[i] = equilibrium->z[i] = system->independents.value[2 * i + is_state];
    if (equilibrium->has_last && !equilibrium->is_given[i] && equilibrium->was_free[i]) {
      equilibrium->first[i] = equilibrium->z[i] = equilibrium->last_z[i];
    }
    if (!equilibrium->is_given[i] && s->initial->set.rate_row[i] >= 0) {
      s->active[s->count++] = i;
    }
  }
  for (int j = 0; j < equilibrium->solved_count; ++j) {
    int i = equilibrium->count + j;
    equilibrium->z[i] = equilibrium->has_last ? equilibrium->last_z[i] : equilibrium->guess[j];
    equilibrium->solved_size[j] = fabs(mbs_re(equilibrium->z[i]));  // real
  }
  mbs_equilibrium_put_solved(s->initial);
  mbs_state_place_fixed(system, &equilibrium->state);
  equilibrium->iterations = 0;
}

// Newton's method with the coordinates that are determined where it ends: J is exact only there, and what determines
// nothing there stays as it is at the start.
static MbsStatus settle(const Search *s, double farthest, bool *is_there) {
  enum { MOST_ROUNDS = 3 };
  MbsEquilibrium *equilibrium = s->equilibrium;
  int before = -1;
  *is_there = false;
  mbs_equilibrium_choose(s->initial);
  bool is_condition;
  for (int round = 0; round < MOST_ROUNDS && equilibrium->free_count != before; ++round) {
    before = equilibrium->free_count;
    if (mbs_equilibrium_find_idle(s->initial, &is_condition) >= 0) {
      *is_there = false;
      return MBS_OK;
    }
    hold(s);
    MBS_TRY(polish(s, farthest, is_there));
    if (!*is_there) {
      return MBS_OK;
    }
    mbs_equilibrium_choose(s->initial);
  }
  return mbs_equilibrium_factor(s->initial) ? MBS_OK : mbs_equilibrium_evaluate(s->context, s->initial, true);
}

// Newton's method from the start, if its steps are tiny; from another equilibrium, if they are small
static MbsStatus try_nearby(const Search *s, bool *is_there) {
  MbsStatus status = settle(s, s->equilibrium->has_last ? followed : nearby, is_there);
  int worst;
  if (status == MBS_OK) {
    measure_forces(s);
    *is_there = *is_there && residual_of(s, false, &worst) <= near;
  } else if (status == MBS_ERROR_INPUT || status == MBS_ERROR_NUMERICAL) {
    s->context->status = status = MBS_OK;
    *is_there = false;
  }
  return status;
}

static MbsStatus unbalanced(const Search *s, int worst) {
  const MbsIndependent *independent = &s->initial->set.independents[worst];
  bool is_given = s->equilibrium->is_given[worst];
  return mbs_fail(s->context, MBS_ERROR_NUMERICAL, independent->place,
                  is_given
                      ? "\"%s\" is held, and that takes a force of %.10g: without it this is no equilibrium; let it "
                        "move, give it a driver, or solve for a parameter (equilibrium: solve)"
                      : "no equilibrium: nothing resists a motion of \"%s\", along which a force of %.10g acts",
                  independent->name, mbs_re(s->equilibrium->force[worst]));
}

// Positions that cannot be reached on the way are no errors of the model.
static MbsStatus say_lost(const Search *s, MbsStatus status) {
  int worst;
  if (status != MBS_ERROR_INPUT) {
    return status;
  }
  s->context->status = MBS_OK;
  (void)residual_of(s, false, &worst);
  return fell(s, worst, 0);
}

// a condition that tells nothing, or what nothing tells
static MbsStatus say_idle(const Search *s, int idle, bool is_condition) {
  const MbsBlueprint *blueprint = s->initial->set.system->blueprint;
  const MbsTrimUnknown *unknown = &blueprint->trim.unknowns.items[idle];
  const MbsTrimCondition *condition = &blueprint->trim.conditions.items[idle];
  return is_condition
             ? mbs_fail(s->context, MBS_ERROR_NUMERICAL, condition->place,
                        "equilibrium: condition \"%s\" does not depend on anything that is found, or says what another "
                        "one says; let a coordinate move that is held, or give another condition",
                        condition->name)
             : mbs_fail(
                   s->context, MBS_ERROR_NUMERICAL, unknown->place,
                   "equilibrium: nothing tells what \"%s\" is: neither forces nor conditions depend on it, or only "
                   "as on others that are solved for",
                   unknown->name);
}

static MbsStatus say_untrimmed(const Search *s) {
  const MbsEquilibrium *equilibrium = s->equilibrium;
  const MbsTrimCondition *conditions = s->initial->set.system->blueprint->trim.conditions.items;
  bool is_condition;
  int idle = mbs_equilibrium_find_idle(s->initial, &is_condition), worst = 0;
  if (idle >= 0) {
    return say_idle(s, idle, is_condition);
  }
  for (int i = 1; i < equilibrium->solved_count; ++i) {
    double off = fabs(mbs_re(equilibrium->force[equilibrium->count + i]));                   // real
    worst = off > fabs(mbs_re(equilibrium->force[equilibrium->count + worst])) ? i : worst;  // real
  }
  return mbs_fail(
      s->context, MBS_ERROR_NUMERICAL, conditions[worst].place,
      "no equilibrium was found that meets the conditions: where the search ends condition \"%s\" is off by "
      "%.6g; begin nearer (independent coordinates, values of what is solved for), or it cannot be met",
      conditions[worst].name, mbs_re(equilibrium->force[equilibrium->count + worst]));
}

// With u: Newton's method with short steps from the start; or else from where the mechanism rests with u as it is.
static MbsStatus find_trim(Search *s, const MbsState *start, bool *is_there) {
  MbsStatus status = mbs_equilibrium_trim(s->context, s->initial, s->size, is_there);
  if (status == MBS_OK && !*is_there && !s->equilibrium->has_last) {
    begin(s, start);
    MBS_TRY(mbs_equilibrium_evaluate(s->context, s->initial, true));
    status = relax(s);
    if (status == MBS_ERROR_INPUT || status == MBS_ERROR_NUMERICAL) {
      s->context->status = MBS_OK;
      return MBS_OK;
    }
    MBS_TRY(status);
    status = mbs_equilibrium_trim(s->context, s->initial, s->size, is_there);
  }
  MBS_TRY(status);
  return *is_there ? settle(s, near_end, is_there) : MBS_OK;
}

static MbsStatus find(Search *s, const MbsState *start) {
  MbsEquilibrium *equilibrium = s->equilibrium;
  bool is_there;
  int worst;
  begin(s, start);
  MBS_TRY(mbs_equilibrium_evaluate(s->context, s->initial, true));
  MBS_TRY(try_nearby(s, &is_there));
  if (!is_there) {
    begin(s, start);
    MBS_TRY(mbs_equilibrium_evaluate(s->context, s->initial, true));
    if (equilibrium->solved_count > 0) {
      MBS_TRY(find_trim(s, start, &is_there));
      measure_forces(s);
    } else {
      MBS_TRY(say_lost(s, relax(s)));
      MBS_TRY(say_lost(s, settle(s, near_end, &is_there)));
      measure_forces(s);
    }
    if (!is_there && equilibrium->solved_count > 0) {
      return say_untrimmed(s);
    }
    if (!is_there) {
      (void)residual_of(s, false, &worst);
      return fell(s, worst, 0);
    }
  }
  equilibrium->residual = residual_of(s, true, &worst);
  return equilibrium->residual <= near ? MBS_OK : unbalanced(s, worst);
}

// from the last one
static double distance_moved(const Search *s) {
  const MbsSystem *system = s->initial->set.system;
  double longest = 0;
  for (int i = 0; i < system->first_state; ++i) {
    double moved = fabs(mbs_re(s->equilibrium->state.q[i] - s->equilibrium->last_q[i]));   // real
    longest = fmax(longest, moved / (system->units[i] == MBS_UNIT_NUMBER ? 1 : s->size));  // real
  }
  return longest;
}

MbsStatus mbs_equilibrium_solve(MbsContext *context, MbsInitial *initial, MbsState *state) {
  MbsEquilibrium *equilibrium = initial->equilibrium;
  const MbsSystem *system = initial->set.system;
  size_t d = (size_t)equilibrium->unknown_count;
  Search s = {.context = context,
              .initial = initial,
              .equilibrium = equilibrium,
              .active = equilibrium->order,
              .matrix = equilibrium->matrix + d * d,
              .factor = equilibrium->matrix + 2 * d * d,
              .right = equilibrium->right};
  MBS_TRY(find(&s, state));
  equilibrium->moved = equilibrium->has_last ? distance_moved(&s) : 0;
  equilibrium->is_found = true;
  for (int i = 0; i < system->n; ++i) {
    state->q[i] = equilibrium->state.q[i];
  }
  if (equilibrium->solved_count > 0) {
    mbs_state_place_fixed(system, state);
  }
  for (int i = 0; i < equilibrium->count; ++i) {
    if (initial->set.independents[i].is_state) {  // whose value is a rate of the start
      system->independents.value[2 * i + 1] = equilibrium->z[i];
    } else if (equilibrium->is_alone && !equilibrium->is_steady) {
      system->independents.value[2 * i + 1] = 0;
    }
  }
  return mbs_initial_factor(context, initial, state);
}
