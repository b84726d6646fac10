// The way of a mechanism to where it rests: see equilibrium_search.c.
//
// States of first order (controllers, filters) follow each step of the coordinates, by a linearly implicit step of
// their own over a duration h, as long as it may be:
//     ds = -P (F_s + J_sc dc),      P = (J_ss + D_s / h)^-1
//     K = J_cc - J_cs P J_sc,       F = F_c - J_cs P F_s        in the place of J_cc and F_c
// So a filter in a loop acts by its gain and an integrator like a stiff spring, and states that only look on change
// nothing. At the end of a step F is that of states that made it: F_c - J_cs P (F_s + D_s ds / h).
#include <math.h>

#include "kinematics/equilibrium_search.h"

typedef MbsEquilibriumSearch Search;

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

bool mbs_equilibrium_is_same_branch(const MbsInitial *initial, double size, int count, const int *unknowns,
                                    const double *step) {
  const double most = 0.7, still = 1e-9;
  const MbsSystem *system = initial->set.system;
  const MbsEquilibrium *equilibrium = initial->equilibrium;
  double way = 0, off = 0;
  for (int i = 0; i < system->first_state; ++i) {
    double moved = mbs_re(equilibrium->state.q[i] - equilibrium->kept[i]), told = 0;
    double unit = system->units[i] == MBS_UNIT_NUMBER ? 1 : size;
    for (int j = 0; j < count; ++j) {
      told += step[j] * mbs_re(equilibrium->X[unknowns[j] * system->nq + i]);
    }
    way += moved * moved / (unit * unit);
    off += (moved - told) * (moved - told) / (unit * unit);
  }
  return off <= most * most * way || way <= still * still;
}

// of a state: of the terms of its rate
static double cancelling(const Search *s, int j) {
  const MbsSystem *system = s->initial->set.system;
  double largest = 0;
  for (int i = system->first_state; i < system->n; ++i) {
    double part = fabs(mbs_re(s->equilibrium->V[j * system->nq + i]));  // real
    if (part > 0) {
      double size = mbs_terms_rate_cancelling(system, &s->equilibrium->state, i);
      largest = fmax(largest, part * size);  // real
    }
  }
  return largest;
}

// Forces are measured by those that balance, but for accelerations that nobody can mean, and for what may be rounding
// where terms cancel within one; rates of states by what cancels in them, and by what states that they depend on are,
// or could be.
void mbs_equilibrium_measure(const Search *s) {
  const double least = 1e-6, within = 1e-6;
  const MbsEquilibrium *equilibrium = s->equilibrium;
  const MbsSystem *system = s->initial->set.system;
  const MbsWeights none = {.k0 = 0};
  int count = equilibrium->count, stride = equilibrium->unknown_count;
  double scale[2], cancel[2];
  mbs_terms_residual(system, &equilibrium->state, &none, s->initial->R, scale);
  mbs_terms_cancelling(system, &equilibrium->state, &none, s->initial->R, cancel);
  scale[0] = fmax(scale[0], within * cancel[0]);  // real
  for (int j = 0; j < count; ++j) {
    double largest = 0;
    bool is_state = s->initial->set.independents[j].is_state;
    for (int i = 0; i < system->n && !is_state; ++i) {
      largest = fmax(largest, fabs(mbs_re(equilibrium->X[j * system->nq + i])));  // real
    }
    equilibrium->size[j] =
        fmax(is_state ? cancelling(s, j) : largest * scale[0], least * equilibrium->mass[j]);  // real
  }
  for (int j = 0; j < count; ++j) {
    if (s->initial->set.independents[j].is_state) {
      double own = fabs(mbs_re(equilibrium->J[j * stride + j]));                                       // real
      double value = fmax(fabs(mbs_re(equilibrium->z[j])), own > 0 ? equilibrium->size[j] / own : 0);  // real
      for (int i = 0; i < count; ++i) {
        bool is_other = s->initial->set.independents[i].is_state && i != j;
        double part = is_other ? fabs(mbs_re(equilibrium->J[i * stride + j])) * value : 0;  // real
        equilibrium->size[i] = fmax(equilibrium->size[i], part);                            // real
      }
    }
  }
}

double mbs_equilibrium_residual(const Search *s, bool of_all, int *worst) {
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
// ---- linear algebra ----
static void swap(int count, double *a, double *b) {
  for (int i = 0; i < count; ++i) {
    double kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
}

// A X = B by Gauss with pivots; A: n x n, B: n x columns, which becomes X
static bool gauss(int n, double *A, int columns, double *B) {
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      pivot = fabs(A[i * n + k]) > fabs(A[pivot * n + k]) ? i : pivot;  // real
    }
    if (!(fabs(A[pivot * n + k]) > 0)) {  // real
      return false;
    }
    swap(n, A + (size_t)k * (size_t)n, A + (size_t)pivot * (size_t)n);
    swap(columns, B + (size_t)k * (size_t)columns, B + (size_t)pivot * (size_t)columns);
    for (int i = k + 1; i < n; ++i) {
      double factor = A[i * n + k] / A[k * n + k];
      for (int j = k + 1; j < n; ++j) {
        A[i * n + j] -= factor * A[k * n + j];
      }
      for (int j = 0; j < columns; ++j) {
        B[i * columns + j] -= factor * B[k * columns + j];
      }
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int c = 0; c < columns; ++c) {
      for (int j = k + 1; j < n; ++j) {
        B[k * columns + c] -= A[k * n + j] * B[j * columns + c];
      }
      B[k * columns + c] /= A[k * n + k];
    }
  }
  return true;
}

// J and F of unknowns that are active
static double slope(const Search *s, int i, int j) {
  return mbs_re(s->equilibrium->J[s->active[i] * s->equilibrium->unknown_count + s->active[j]]);
}

static double force_of(const Search *s, int i) { return mbs_re(s->equilibrium->force[s->active[i]]); }

// P, with a shorter duration where states have no values otherwise
static void invert(Search *s) {
  int n = s->state_count;
  bool is_done = n == 0;
  for (int tries = 0; tries < 30 && !is_done; ++tries) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        double own = i == j ? s->equilibrium->mass[s->active[s->count + i]] / s->duration : 0;
        s->factor[i * n + j] = slope(s, s->count + i, s->count + j) + own;
        s->inverse[i * n + j] = i == j;
      }
    }
    is_done = gauss(n, s->factor, n, s->inverse);
    s->duration = is_done ? s->duration : s->duration / 3;
  }
}

// K, F and J_cs P
static void fill(Search *s) {
  int n = s->count, m = s->state_count;
  invert(s);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      s->coupling[i * m + j] = 0;
      for (int k = 0; k < m; ++k) {
        s->coupling[i * m + j] += slope(s, i, n + k) * s->inverse[k * m + j];
      }
    }
    for (int j = 0; j < n; ++j) {
      s->matrix[i * n + j] = slope(s, i, j);
      for (int k = 0; k < m; ++k) {
        s->matrix[i * n + j] -= s->coupling[i * m + k] * slope(s, n + k, j);
      }
    }
    s->force[i] = force_of(s, i);
    for (int k = 0; k < m; ++k) {
      s->force[i] -= s->coupling[i * m + k] * force_of(s, n + k);
    }
  }
}

// the states' part of the step
static void follow(const Search *s) {
  int n = s->count, m = s->state_count;
  double *ds = s->right + n;
  for (int k = 0; k < m; ++k) {
    ds[k] = 0;
  }
  for (int i = 0; i < m; ++i) {
    double force = force_of(s, n + i);
    for (int j = 0; j < n; ++j) {
      force += slope(s, n + i, j) * s->right[j];
    }
    for (int k = 0; k < m; ++k) {
      ds[k] -= s->inverse[k * m + i] * force;
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

// (K + mu D) dc = -F
static bool solve(const Search *s, double mu) {
  int n = s->count;
  for (int i = 0; i < n * n; ++i) {
    s->factor[i] = s->matrix[i] + (i % (n + 1) == 0 ? mu * s->equilibrium->mass[s->active[i / n]] : 0);
  }
  for (int i = 0; i < n; ++i) {
    s->right[i] = -s->force[i];
  }
  return gauss(n, s->factor, 1, s->right);
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
      double length = mbs_equilibrium_length(s->initial, s->size, s->count, s->active, s->right);
      if (length <= s->radius) {
        return length;
      }
    }
    mu = mu > 0 ? 3 * mu : largest > 0 ? 1e-4 * largest : 1e-4;
  }
  return HUGE_VAL;
}

// work that the step was expected to be done, and half of what the force at its beginning would do
static double expected_work(const Search *s) {
  double work = 0;
  for (int i = 0; i < s->count; ++i) {
    work -= s->force[i] * s->right[i];
    for (int j = 0; j < s->count; ++j) {
      work -= s->right[i] * s->matrix[i * s->count + j] * s->right[j] / 2;
    }
  }
  return work;
}

static double half_work(const Search *s) {
  double work = 0;
  for (int i = 0; i < s->count; ++i) {
    work -= s->force[i] * s->right[i] / 2;
  }
  return work;
}

// F at the end of a step
static double force_after(const Search *s, int i) {
  double force = force_of(s, i);
  for (int k = 0; k < s->state_count; ++k) {
    int j = s->count + k;
    double own = s->equilibrium->mass[s->active[j]] * s->right[j] / s->duration;
    force -= s->coupling[i * s->state_count + k] * (force_of(s, j) + own);
  }
  return force;
}

static double half_work_after(const Search *s) {
  double work = 0;
  for (int i = 0; i < s->count; ++i) {
    work -= force_after(s, i) * s->right[i] / 2;
  }
  return work;
}

static bool is_same_branch(const Search *s) {
  return mbs_equilibrium_is_same_branch(s->initial, s->size, s->count, s->active, s->right);
}

// The states alone have moved: do forces still balance, as they should?
static bool is_balanced_after(const Search *s) {
  const double least = 1e-3;
  bool is_balanced = true;
  for (int i = 0; i < s->count; ++i) {
    is_balanced = is_balanced && fabs(force_after(s, i)) <= least * s->equilibrium->size[s->active[i]];  // real
  }
  return is_balanced;
}

// A step that is tried: where it cannot be made (links out of reach), that is no error of the model.
static MbsStatus try_step(const Search *s, double sign, bool *is_made) {
  const MbsSystem *system = s->initial->set.system;
  MbsState *state = &s->equilibrium->state;
  int count = s->count + s->state_count;
  for (int j = 0; j < count; ++j) {
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
    for (int j = 0; j < count; ++j) {
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

MbsStatus mbs_equilibrium_relax(Search *s, bool *is_there) {
  enum { MOST = 400 };
  const double near = 1e-8, shortest = 1e-10, farthest = 1e4, still = 1e-9, longest = 1e4, briefest = 1e-6;
  MbsEquilibrium *equilibrium = s->equilibrium;
  double way = 0;
  *is_there = false;
  for (int iteration = 0; iteration < MOST; ++iteration) {
    bool is_made;
    int worst;
    fill(s);
    mbs_equilibrium_measure(s);
    double residual = mbs_equilibrium_residual(s, false, &worst);
    s->worst = worst < 0 ? s->active[0] : worst;
    s->force_left = worst < 0 ? 0 : -mbs_re(equilibrium->force[worst]);
    double length = find_step(s);
    follow(s);
    *is_there = (residual <= near && (iteration > 0 || residual <= 0)) || (length <= shortest && residual <= 1e-5);
    if (*is_there) {
      return MBS_OK;
    }
    double expected = expected_work(s), work = half_work(s);
    equilibrium->iterations += 1;
    MBS_TRY(try_step(s, 1, &is_made));
    work += is_made ? half_work_after(s) : 0;
    bool is_good =
        is_made && (work > 0.05 * expected || (s->state_count > 0 && length <= still && is_balanced_after(s)));
    if (is_good) {
      MBS_TRY(mbs_equilibrium_evaluate(s->context, s->initial, true));
    }
    if (is_good && is_same_branch(s)) {
      way += length;
      s->radius = work > 0.7 * expected && length > 0.3 * s->radius ? 2 * s->radius : s->radius;
      s->radius = work < 0.3 * expected ? s->radius / 2 : s->radius;
      s->duration = fmin(3 * s->duration, longest);  // real
    } else {
      MBS_TRY(try_step(s, -1, &is_made));
      if (is_good) {  // slopes are those of the other branch
        MBS_TRY(mbs_equilibrium_evaluate(s->context, s->initial, true));
      }
      bool are_states = s->state_count > 0 && s->duration > briefest;  // which is tried first
      s->duration = are_states ? s->duration / 30 : s->duration;
      s->radius = are_states ? s->radius : (length < s->radius ? length : s->radius) / 4;
    }
    s->goes_on = way > farthest || iteration == MOST - 1;
    if (s->goes_on || s->radius < shortest || !isfinite(length)) {
      return MBS_OK;
    }
    if (s->context->keep_going && !s->context->keep_going(s->context->user, 0.5)) {
      return mbs_fail(s->context, MBS_ERROR_INTERRUPTED, mbs_nowhere, "stopped while looking for the equilibrium");
    }
  }
  return MBS_OK;
}
