// A state in other coordinates: see mbsens/terms.h.
//
// Positions by the poses of the bodies, as they would be placed at the start: entities are images of what the bodies
// have, joints' coordinates are measured. Velocities v likewise: those x' of the entities are known from R' and x' of
// the bodies, and where entities follow from joints' coordinates, x' = J v + x'_t, v is what comes nearest to x' and to
// the constraints,
//     (J' J + Phi_q' Phi_q) v = J' (x' - x'_t) - Phi_q' Phi_t
// which is exact for states that can be, and is checked.
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "coordinates/natural.h"
#include "kinematics/start.h"
#include "sensitivities/state_terms.h"

// of this size and speed what is off is no rounding
static const double most_off = 1e-6;

typedef struct Wanted {
  MbsPose *poses, *rates;  // by body
  double *v;               // nq of the bodies' system: of the entities
  bool *is_known;          // likewise
  double size, speed;
} Wanted;

static MbsStatus find_wanted(MbsContext *context, MbsArena *scratch, MbsTerms *from, MbsTerms *to, Wanted *wanted) {
  const MbsSystem *bodies = to->system->bodies;
  MbsBlueprint *blueprint = to->system->blueprint;
  int d = blueprint->dimension;
  MBS_TAKE(context, scratch, wanted->poses, blueprint->bodies.count);
  MBS_TAKE(context, scratch, wanted->rates, blueprint->bodies.count);
  MBS_TAKE(context, scratch, wanted->v, bodies->nq);
  MBS_TAKE(context, scratch, wanted->is_known, bodies->nq);
  MBS_TRY(mbs_poses_of(context, from->system, &from->at, wanted->poses));
  MBS_TRY(mbs_pose_rates_of(context, from->system, &from->at, wanted->rates));
  MBS_TRY(mbs_placement_follow(context, scratch, blueprint, wanted->poses));
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    const MbsBasis *basis = mbs_natural_basis(blueprint, b);
    for (int k = 0; k < basis->count; ++k) {
      double local[3], rate[3];
      int first = bodies->entity_first[basis->entity[k]];
      MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, basis->local[k], local));
      (basis->kind[k] == MBS_ENTITY_POINT ? mbs_pose_point : mbs_pose_turn)(&wanted->rates[b], local, rate);
      for (int i = 0; i < d; ++i) {
        wanted->v[first + i] = rate[i];
        wanted->is_known[first + i] = true;
        wanted->speed = fmax(wanted->speed, fabs(rate[i]));  // real
      }
    }
  }
  wanted->size = mbs_state_size(bodies, mbs_system_follow(from->system, &from->at));
  return MBS_OK;
}

// ---- positions ----
static void take_positions(const MbsTerms *from, const MbsTerms *to, double *q) {
  const MbsSystem *system = to->system;
  mbs_system_measure(system, to->at.q, q);
  for (int i = system->first_scalar; i < system->n; ++i) {
    q[i] = from->at.q[from->system->first_scalar + i - system->first_scalar];
  }
}

// ---- velocities ----
// J e_k, of what is known
static void move_one(MbsTerms *to, const Wanted *wanted, int k, const double *still, double *column) {
  const MbsSystem *system = to->system, *bodies = system->bodies;
  for (int i = 0; i < to->n; ++i) {
    to->moved.v[i] = i == k;
  }
  const MbsState *x = mbs_system_follow(system, &to->moved);
  for (int i = 0; i < bodies->nq; ++i) {
    column[i] = wanted->is_known[i] ? x->v[i] - still[i] : 0;
  }
}

static MbsStatus take_velocities(MbsContext *context, MbsArena *scratch, MbsTerms *to, const Wanted *wanted,
                                 double *v) {
  const MbsSystem *system = to->system, *bodies = system->bodies;
  int n = to->n, size = bodies->nq + to->m, *pivot;
  double *still, *J, *normal;
  MBS_TAKE(context, scratch, still, bodies->nq);
  MBS_TAKE(context, scratch, J, (size_t)n * (size_t)size);
  MBS_TAKE(context, scratch, normal, (size_t)n * (size_t)n);
  MBS_TAKE(context, scratch, pivot, n);
  mbs_state_copy(system, &to->at, &to->moved);
  memset(to->moved.v, 0, (size_t)n * sizeof *to->moved.v);
  memcpy(still, mbs_system_follow(system, &to->moved)->v, (size_t)bodies->nq * sizeof *still);
  double *off = to->mu, *Phi_t = to->nu;  // off: nq of the coordinates, n are used
  mbs_terms_constraints(system, &to->moved, NULL, Phi_t, NULL);
  for (int k = 0; k < n; ++k) {
    double *column = J + (size_t)k * (size_t)size;
    move_one(to, wanted, k, still, column);
    mbs_terms_constraints(system, &to->moved, NULL, column + bodies->nq, NULL);
    for (int i = 0; i < to->m; ++i) {
      column[bodies->nq + i] -= Phi_t[i];
    }
  }
  for (int i = 0; i < n; ++i) {
    const double *row = J + (size_t)i * (size_t)size;
    off[i] = 0;
    for (int k = 0; k < bodies->nq; ++k) {
      off[i] += wanted->is_known[k] ? row[k] * (wanted->v[k] - still[k]) : 0;
    }
    for (int k = 0; k < to->m; ++k) {
      off[i] -= row[bodies->nq + k] * Phi_t[k];
    }
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < size; ++k) {
        sum += row[k] * J[(size_t)j * (size_t)size + (size_t)k];
      }
      normal[i * n + j] = sum;
    }
  }
  for (int i = system->first_scalar; i < n; ++i) {  // which are known
    for (int j = 0; j < n; ++j) {
      off[j] -= normal[j * n + i] * v[i];
      normal[i * n + j] = normal[j * n + i] = i == j;
    }
    off[i] = v[i];
  }
  if (!mbs_dense_factor(n, normal, pivot)) {
    return mbs_fail(context, MBS_ERROR_NUMERICAL, mbs_nowhere,
                    "the velocities do not follow from those of the bodies at this position");
  }
  mbs_dense_solve(n, normal, pivot, off);
  memcpy(v, off, (size_t)n * sizeof *v);
  memset(off, 0, (size_t)to->nq * sizeof *off);
  return MBS_OK;
}

// ---- what came out ----
static MbsStatus check(MbsContext *context, const MbsTerms *to, const Wanted *wanted) {
  const MbsSystem *bodies = to->system->bodies;
  MbsBlueprint *blueprint = to->system->blueprint;
  const MbsState *x = mbs_system_follow(to->system, &to->at);
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    const MbsBasis *basis = mbs_natural_basis(blueprint, b);
    for (int k = 0; k < basis->count; ++k) {
      int first = bodies->entity_first[basis->entity[k]];
      double local[3], at[3], rate[3];
      MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, basis->local[k], local));
      bool is_point = basis->kind[k] == MBS_ENTITY_POINT;
      (is_point ? mbs_pose_point : mbs_pose_turn)(&wanted->poses[b], local, at);
      (is_point ? mbs_pose_point : mbs_pose_turn)(&wanted->rates[b], local, rate);
      for (int i = 0; i < blueprint->dimension; ++i) {
        double off = fabs(x->q[first + i] - at[i]), fast = fabs(x->v[first + i] - rate[i]);  // real
        if (!(off <= most_off * wanted->size) || !(fast <= most_off * wanted->speed)) {
          return mbs_fail(
              context, MBS_ERROR_INPUT, mbs_nowhere,
              "the state cannot be converted: body \"%s\" would be off by %.3g m and %.3g m/s, since it does "
              "not meet the constraints, or stands where the joints do not let it",
              blueprint->bodies.items[b].name, off, fast);
        }
      }
    }
  }
  return MBS_OK;
}

static MbsStatus convert(MbsContext *context, MbsTerms *from, MbsTerms *to) {
  MbsArena *scratch = to->simulation->scratch;
  MbsSystem *system = to->system;
  Wanted wanted = {.size = 0};
  double *q, *v;
  mbs_arena_clear(scratch);
  MBS_TAKE(context, scratch, q, system->nq);
  MBS_TAKE(context, scratch, v, system->nq);
  MBS_TRY(find_wanted(context, scratch, from, to, &wanted));
  take_positions(from, to, q);
  for (int i = system->first_scalar; i < system->n; ++i) {
    v[i] = from->at.v[from->system->first_scalar + i - system->first_scalar];
  }
  MBS_TRY(mbs_state_terms_set(context, to, from->at.t, q, v));
  if (system->bodies != system) {
    MBS_TRY(take_velocities(context, scratch, to, &wanted, v));
  } else {
    for (int i = 0; i < system->first_scalar; ++i) {
      v[i] = wanted.v[i];
    }
  }
  MBS_TRY(mbs_state_terms_set(context, to, from->at.t, q, v));
  return check(context, to, &wanted);
}

MbsStatus mbs_terms_convert(MbsContext *context, MbsTerms *from, MbsTerms *to) {
  MBS_CALL_BEGIN(context, "mbs_terms_convert", {"terms", from}, {"other terms", to});
  MBS_TRY(mbs_state_terms_need(context, from));
  const MbsBlueprint *one = from->system->blueprint, *other = to->system->blueprint;
  bool is_same = one->bodies.count == other->bodies.count && one->dimension == other->dimension &&
                 from->n - from->system->first_scalar == to->n - to->system->first_scalar;
  for (int b = 1; b < one->bodies.count && is_same; ++b) {
    is_same = strcmp(one->bodies.items[b].name, other->bodies.items[b].name) == 0;
  }
  if (!is_same) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "the terms are of different models: their bodies differ");
  }
  mbs_simulation_tell(to->simulation, context);
  MbsStatus status = mbs_call_end(context, convert(context, from, to));
  to->has_state = status == MBS_OK;
  return status;
}
