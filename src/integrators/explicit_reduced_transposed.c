// The transpose of stages of independent coordinates, explicit_reduced.c. A b behind a symbol: the derivative of the
// final number with respect to it. Of a stage, with what s_i and r_i have received from later ones:
//     a_i b += (w'')_a' s_i b,  v_i b += (w'')_v' s_i b + (w')_v' r_i b,  q_i b likewise
//     (a_i b, lambda_i b)  ->  q_i b, v_i b                                    the instant's own transpose
//     Kv' p1 = v_i b,   q_i b -= (E1)_q' p1;    K' p0 = q_i b;      z_i b and u_i b: p0 and p1 in the rows of w
//     z_0 b += z_i b,   u_0 b += u_i b + c_i h z_i b,   s_j b += h^2 d_ij z_i b + h a_ij u_i b            (I)
//     z_0 b += z_i b,   r_j b += h a_ij z_i b                                                              (F)
// and every coefficient receives -p.E_c. What z_0, u_0, s_0 and r_0 receive is handed to the state before the step
// where that is visited, as hats are (reduced.h): levels 0, 1 and 2 of w.
#include "integrators/explicit.h"

static const MbsIndependentSet *set_of(const MbsExplicit *explicit) {
  const MbsReduced *reduced = explicit->independent.reduced;
  return reduced->sets[reduced->current];
}

static void clear(int count, mbs_scalar *numbers) {
  for (int i = 0; i < count; ++i) {
    numbers[i] = 0;
  }
}

MbsStatus mbs_explicit_check_independent(MbsContext *context, const MbsExplicit *explicit, const MbsState *state) {
  for (int i = 1; i <= explicit->end; ++i) {
    const MbsState *at = i < explicit->end ? &explicit->stages[i] : state;
    if (!set_of(explicit)->is_automatic) {
      mbs_signal_bank_follow(explicit->implicit.formulation->system, at);
    }
    if (!mbs_independent_set_factor(set_of(explicit), at, NULL)) {
      return mbs_reduced_singular(context, explicit->implicit.formulation->system, at);
    }
  }
  return MBS_OK;
}

void mbs_explicit_begin_independent_bars(const MbsExplicit *explicit) {
  const MbsStageCoordinates *own = &explicit->independent;
  int n = own->reduced->system->n;
  clear(n, own->z0_bar);
  clear(explicit->end * n, own->rate_bar);
  clear(explicit->end * n, own->second_bar);
}

// what level 1 or 2 of w has received goes to the state
static void give_level(const MbsExplicit *explicit, int level, const mbs_scalar *received, const MbsState *at,
                       const MbsStateBar *bar) {
  const MbsIndependentSet *set = set_of(explicit);
  mbs_scalar *const unknown[] = {bar->q, bar->v, bar->a};
  for (int i = 0; i < set->count; ++i) {
    if (set->is_automatic) {
      unknown[level][set->automatic[i]] += received[i];
    } else if (!mbs_is_zero(received[i])) {
      const MbsFunction *function = mbs_reduced_function(set, i, level);
      (void)mbs_function_evaluate(set->system, function, at, NULL);
      mbs_function_transposed(set->system, function, at, received[i], bar);
    }
  }
}

void mbs_explicit_give_independent(const MbsExplicit *explicit, int stage, const MbsState *at, const MbsStateBar *bar) {
  const MbsStageCoordinates *own = &explicit->independent;
  int n = own->reduced->system->n;
  give_level(explicit, 1, own->rate_bar + stage * n, at, bar);
  give_level(explicit, 2, own->second_bar + stage * n, at, bar);
}

// z_i b and u_i b to what they are made of; returns what the size of the step receives, but for the stage's time
static mbs_scalar spread(const MbsExplicit *explicit, mbs_scalar h, int stage, int i, mbs_scalar z, mbs_scalar u) {
  const MbsStageCoordinates *own = &explicit->independent;
  int n = own->reduced->system->n;
  bool follows = set_of(explicit)->rate_row[i] < 0;
  mbs_scalar of_size = follows ? 0 : explicit->c[stage] * z * own->rate[i];
  own->z0_bar[i] += z;
  own->rate_bar[i] += follows ? 0 : u + explicit->c[stage] * h * z;
  for (int j = 0; j < stage; ++j) {
    double a = explicit->velocity[stage][j], d = explicit->position[stage][j];
    if (follows) {
      own->rate_bar[j * n + i] += h * a * z;
      of_size += a * z * own->rate[j * n + i];
    } else {
      own->second_bar[j * n + i] += h * (h * d * z + a * u);
      of_size += (2 * h * d * z + a * u) * own->second[j * n + i];
    }
  }
  return of_size;
}

void mbs_explicit_recover_transposed(const MbsExplicit *explicit, mbs_scalar h, int stage, const MbsState *at,
                                     const MbsStateBar *bar) {
  MbsReduced *reduced = explicit->independent.reduced;
  const MbsIndependentSet *set = set_of(explicit);
  mbs_scalar **p = reduced->p, of_size = 0;
  MbsStateBar known = *bar;
  known.lambda = reduced->scratch.lambda;
  (void)mbs_independent_set_factor(set, at, NULL);  // checked
  mbs_reduced_solve_transposed(reduced, set->velocity, bar->v, p[1]);
  mbs_reduced_subtract_level(reduced, set->velocity, 1, p[1], at, &known);
  mbs_reduced_solve_transposed(reduced, &set->position, bar->q, p[0]);
  mbs_reduced_subtract_level(reduced, &set->position, 0, p[0], at, &known);
  for (int i = 0; i < set->count; ++i) {
    mbs_scalar u = set->rate_row[i] >= 0 ? p[1][set->rate_row[i]] : 0;
    of_size += spread(explicit, h, stage, i, p[0][mbs_reduced_row(set, i)], u);
  }
  clear(reduced->system->n, bar->q);
  clear(reduced->system->n, bar->v);
  bar->parameters[reduced->system->blueprint->clock + 1] += of_size;
}

void mbs_explicit_hand_back(const MbsExplicit *explicit, mbs_scalar *hats) {
  const MbsStageCoordinates *own = &explicit->independent;
  int count = own->reduced->count;
  for (int i = 0; i < count; ++i) {
    hats[i] = own->z0_bar[i];
    hats[count + i] = own->rate_bar[i];
    hats[2 * count + i] = own->second_bar[i];
  }
}
