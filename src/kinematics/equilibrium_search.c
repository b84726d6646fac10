// Finding an equilibrium: see equilibrium.h for F, J and the unknowns z.
//
// From the assembled start the mechanism goes where its forces push it, as if it were heavily damped and stopped after
// each step: a linearly implicit step of the relaxed motion,
//     (J + mu D) dz = -F,        D = diag(X' M X)
// with mu as small as it may be: the symmetric part of J + mu D is positive definite, so that forces do work along dz,
// and no body goes farther than a radius. A step is taken if they do, by the trapezoidal rule -1/2 (F0 + F1).dz > 0,
// and the radius follows from how well that was foreseen. mu is zero in the end: Newton's method. So a mechanism finds
// the stable equilibrium that it would come to rest at, forces need no potential, and contacts and stops are met on the
// way (equilibrium_relax.c). Where Newton's steps from the start are tiny, that equilibrium is taken, stable or not.
// Where that way leads nowhere (a controller that balances what would fall), Newton's method with steps as long as they
// help.
#include "kinematics/equilibrium_search.h"

#include <math.h>

static const double nearby = 1e-2, followed = 0.5, near_end = 0.1, near = 1e-8;

typedef MbsEquilibriumSearch Search;

static double length_of(const Search *s, int count, const int *unknowns, const double *step) {
  return mbs_equilibrium_length(s->initial, s->size, count, unknowns, step);
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
  s->duration = 1e4;
  s->count = s->state_count = 0;
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
  for (int i = 0; i < system->signals.turn_count; ++i) {  // a search before may have gone round
    system->signals.previous[i] = equilibrium->kept_angles[i];
  }
  for (int i = 0; i < equilibrium->count; ++i) {
    bool is_state = s->initial->set.independents[i].is_state;
    equilibrium->first[i] = equilibrium->z[i] = system->independents.value[2 * i + is_state];
    if (equilibrium->has_last && !equilibrium->is_given[i] && equilibrium->was_free[i]) {
      equilibrium->first[i] = equilibrium->z[i] = equilibrium->last_z[i];
    }
  }
  for (int is_state = 0; is_state < 2; ++is_state) {  // states behind coordinates
    for (int i = 0; i < equilibrium->count; ++i) {
      bool moves = !equilibrium->is_given[i] && s->initial->set.rate_row[i] >= 0;
      if (moves && s->initial->set.independents[i].is_state == is_state) {
        s->active[s->count + s->state_count] = i;
        s->count += !is_state;
        s->state_count += is_state;
      }
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

// Positions that cannot be reached on the way are no errors of the model.
static MbsStatus forgive(const Search *s, MbsStatus status, bool *is_there) {
  if (status == MBS_ERROR_INPUT || status == MBS_ERROR_NUMERICAL) {
    s->context->status = status = MBS_OK;
    *is_there = false;
  }
  return status;
}

// Newton's method to the end; it counts if forces are balanced there
static MbsStatus settle_balanced(const Search *s, double farthest, bool *is_there) {
  int worst;
  MBS_TRY(forgive(s, settle(s, farthest, is_there), is_there));
  if (*is_there) {
    mbs_equilibrium_measure(s);
    *is_there = mbs_equilibrium_residual(s, false, &worst) <= near;
  }
  return MBS_OK;
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

static MbsStatus fell(const Search *s) {
  const MbsIndependent *independent = &s->initial->set.independents[s->worst];
  return mbs_fail(
      s->context, MBS_ERROR_NUMERICAL, independent->place,
      s->goes_on ? "no equilibrium was found: \"%s\" goes on moving, and a force of %.6g along it is left; is there "
                   "something that resists it? else hold it (equilibrium: hold), or start nearer"
                 : "no equilibrium was found: the search ends where \"%s\" cannot move on, with a force of %.6g "
                   "along it; start nearer to the equilibrium, or choose other independent coordinates",
      independent->name, s->force_left);
}

// from the start anew
static MbsStatus begin_anew(Search *s, const MbsState *start) {
  begin(s, start);
  return mbs_equilibrium_evaluate(s->context, s->initial, true);
}

// With u: Newton's method with short steps from the start; or else from where the mechanism rests with u as it is.
static MbsStatus find_trim(Search *s, const MbsState *start, bool *is_there) {
  MBS_TRY(mbs_equilibrium_trim(s->context, s->initial, s->size, is_there));
  if (!*is_there && !s->equilibrium->has_last) {
    MBS_TRY(begin_anew(s, start));
    MBS_TRY(forgive(s, mbs_equilibrium_relax(s, is_there), is_there));
    if (*is_there) {
      MBS_TRY(mbs_equilibrium_trim(s->context, s->initial, s->size, is_there));
    }
  }
  return *is_there ? settle(s, near_end, is_there) : MBS_OK;
}

// Where the mechanism comes to rest; or else Newton's method with short steps from the start.
static MbsStatus find_rest(Search *s, const MbsState *start, bool *is_there) {
  MBS_TRY(forgive(s, mbs_equilibrium_relax(s, is_there), is_there));
  if (*is_there) {
    MBS_TRY(forgive(s, settle(s, near_end, is_there), is_there));
  }
  if (!*is_there) {
    MBS_TRY(begin_anew(s, start));
    MBS_TRY(mbs_equilibrium_trim(s->context, s->initial, s->size, is_there));
    if (*is_there) {
      MBS_TRY(settle_balanced(s, near_end, is_there));
    }
  }
  return MBS_OK;
}

static MbsStatus find(Search *s, const MbsState *start) {
  MbsEquilibrium *equilibrium = s->equilibrium;
  bool is_there;
  int worst;
  MBS_TRY(begin_anew(s, start));
  const char *bad = mbs_terms_find_bad_force(s->initial->set.system, &equilibrium->state);
  if (bad) {
    return mbs_terms_say_bad_force(s->context, s->initial->set.system, &equilibrium->state, bad,
                                   "; the search for an equilibrium begins here, at rest");
  }
  MBS_TRY(settle_balanced(s, equilibrium->has_last ? followed : nearby, &is_there));
  if (!is_there) {
    MBS_TRY(begin_anew(s, start));
    MBS_TRY(equilibrium->solved_count > 0 ? find_trim(s, start, &is_there) : find_rest(s, start, &is_there));
    mbs_equilibrium_measure(s);
  }
  if (!is_there) {
    return equilibrium->solved_count > 0 ? say_untrimmed(s) : fell(s);
  }
  equilibrium->residual = mbs_equilibrium_residual(s, true, &worst);
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
  double *blocks = equilibrium->matrix;
  Search s = {.context = context,
              .initial = initial,
              .equilibrium = equilibrium,
              .active = equilibrium->order,
              .inverse = blocks,
              .matrix = blocks + d * d,
              .factor = blocks + 2 * d * d,
              .coupling = blocks + 3 * d * d,
              .right = equilibrium->right,
              .force = equilibrium->right + d};
  for (int i = 0; i < system->signals.turn_count; ++i) {
    equilibrium->kept_angles[i] = system->signals.previous[i];
  }
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
