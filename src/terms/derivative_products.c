// Products with the slopes J of elements. See derivative_source.h. With x' of the arguments of an element
//     (f, e)' = J x',    x_bar = J' (mu, nu),    tangent = J_lambda and c0 J_q + c1 J_v + c2 J_a
// so each element is perturbed once for all columns.
#include <math.h>

#include "algebra/perturbation.h"
#include "terms/source_storage.h"

// Which arguments count.
typedef struct Wanted {
  bool q, v, a, lambda, coefficients;
} Wanted;

static const Wanted everything = {true, true, true, true, true};

// What is differentiated: f and e at the state, or (P u) where u is not NULL.
typedef struct Place {
  const MbsSystem *system;
  bool is_cut;
  const MbsState *state;
  const MbsWeights *weights;
  const mbs_scalar *u;
  double c0, c1;
  double points, rates, seconds, multipliers;  // how large they are, for differences
} Place;

static double largest_of(int count, const mbs_scalar *x) {
  double largest = 0;
  for (int i = 0; i < count; ++i) {
    mbs_raise(&largest, x[i]);
  }
  return largest;
}

static const MbsSourceSet *set_of(const Place *place) { return &place->system->source->sets[place->is_cut ? 1 : 0]; }

// Positions count against the size of the mechanism, velocities and accelerations against the largest of them, or that
// size per second (squared), so that near rest the steps do not vanish.
static Place place_of(const MbsSystem *system, bool is_cut, const MbsState *state, const MbsWeights *weights) {
  Place place = {.system = system, .is_cut = is_cut, .state = state, .weights = weights};
  const MbsSourceSet *set = set_of(&place);
  for (int i = 0; i < set->nq; ++i) {
    if (set->kinds[i] == MBS_ENTITY_POINT) {
      mbs_raise(&place.points, state->q[i]);
    }
  }
  place.points = place.points > 0 ? place.points : 1;
  place.rates = fmax(largest_of(set->nq, state->v), place.points);    // real
  place.seconds = fmax(largest_of(set->nq, state->a), place.points);  // real
  place.multipliers = largest_of(set->m, state->lambda);
  place.multipliers = place.multipliers > 0 ? place.multipliers : 1;
  for (int i = 0; i < system->signals.turn_count; ++i) {
    system->source->turns[i] = mbs_re(system->signals.turns[i]);
  }
  return place;
}

// The step of a difference. The terms are linear in accelerations and multipliers: any step does, and a long one loses
// the fewest digits.
static double step_of(const Place *place, const MbsSourceElement *element, const MbsArgument *argument) {
  const MbsSourceSet *set = set_of(place);
  int q = argument->kind <= MBS_ARGUMENT_A ? element->coordinates[argument->index] : 0;
  switch (argument->kind) {
    case MBS_ARGUMENT_Q:
      return mbs_difference_step(set->kinds[q] == MBS_ENTITY_POINT ? place->points
                                                                    : fmax(1, mbs_re(mbs_abs(place->state->q[q]))));  // real
    case MBS_ARGUMENT_V: return mbs_difference_step(place->rates);
    case MBS_ARGUMENT_A: return place->seconds;
    case MBS_ARGUMENT_LAMBDA: return place->multipliers;
    case MBS_ARGUMENT_COEFFICIENT: return mbs_difference_step(mbs_re(mbs_abs(element->block->value[argument->index])));
    case MBS_ARGUMENT_PARAMETER: return mbs_difference_step(mbs_re(mbs_abs(place->system->parameters[argument->index])));
  }
  return 0;
}

static bool is_wanted(const Wanted *wanted, MbsArgumentKind kind) {
  switch (kind) {
    case MBS_ARGUMENT_Q: return wanted->q;
    case MBS_ARGUMENT_V: return wanted->v;
    case MBS_ARGUMENT_A: return wanted->a;
    case MBS_ARGUMENT_LAMBDA: return wanted->lambda;
    case MBS_ARGUMENT_COEFFICIENT:
    case MBS_ARGUMENT_PARAMETER: return wanted->coefficients;
  }
  return false;
}

// The slopes of one element by its wanted arguments, both in the source's workspace; returns how many these are.
static int differentiate(const Place *place, const MbsSourceElement *element, Wanted wanted) {
  const MbsSource *source = place->system->source;
  const MbsWeights *w = place->weights;
  const MbsState *state = place->state;
  if (element->kind == MBS_ELEMENT_ROW) {  // e of the lower levels does not depend on the higher ones
    wanted.a &= fabs(w->k2) + fabs(w->n2) > 0;                              // real
    wanted.v &= fabs(w->k1) + fabs(w->n1) + fabs(w->k2) + fabs(w->n2) > 0;  // real
  }
  int count = 0;
  for (int j = 0; j < element->argument_count; ++j) {
    if (is_wanted(&wanted, element->arguments[j].kind)) {
      source->wanted[count] = element->arguments[j];
      source->wanted[count++].step = step_of(place, element, &element->arguments[j]);
    }
  }
  for (int i = 0; i < element->coordinate_count; ++i) {
    int q = element->coordinates[i];
    source->q[i] = mbs_re(state->q[q]);
    source->v[i] = mbs_re(state->v[q]);
    source->a[i] = mbs_re(state->a[q]);
    source->u[i] = place->u ? mbs_re(place->u[q]) : 0;
  }
  const MbsElementPoint point = {.kind = element->kind,
                                 .index = element->index,
                                 .is_cut = place->is_cut,
                                 .coordinate_count = element->coordinate_count,
                                 .coordinates = element->coordinates,
                                 .t = mbs_re(state->t),
                                 .lambda = element->row < 0 ? 0 : mbs_re(state->lambda[element->row]),
                                 .q = source->q,
                                 .v = source->v,
                                 .a = source->a,
                                 .turns = source->turns,
                                 .weights = *w,
                                 .u = place->u ? source->u : NULL,
                                 .c0 = place->c0,
                                 .c1 = place->c1,
                                 .argument_count = count,
                                 .arguments = source->wanted};
  if (count > 0) {
    source->functions->element(source->terms, &point, source->slopes);
  }
  return count;
}

// ---- products with columns ----
// x' of an argument
static mbs_scalar change_of(const MbsSystem *system, const MbsSourceElement *element, const MbsArgument *argument,
                            const MbsDirectionColumn *direction) {
  int q = argument->kind <= MBS_ARGUMENT_A ? element->coordinates[argument->index] : 0;
  const mbs_scalar *slope;
  switch (argument->kind) {
    case MBS_ARGUMENT_Q: return direction->X[q];
    case MBS_ARGUMENT_V: return direction->V[q];
    case MBS_ARGUMENT_A: return direction->A ? direction->A[q] : 0;
    case MBS_ARGUMENT_LAMBDA: return direction->L ? direction->L[element->row] : 0;
    case MBS_ARGUMENT_COEFFICIENT:
      slope = direction->column < 0 ? NULL : mbs_block_slope(element->block, direction->column);
      return slope ? slope[argument->index] : 0;
    case MBS_ARGUMENT_PARAMETER:
      return direction->column >= 0 && system->columns[direction->column] == argument->index ? 1 : 0;
  }
  return 0;
}

static void add_columns(const Place *place, const MbsSourceElement *element, Wanted wanted, int count,
                        const MbsDirectionColumn *directions, mbs_scalar *R, int stride) {
  const MbsSource *source = place->system->source;
  int arguments = differentiate(place, element, wanted), nq = set_of(place)->nq;
  for (int k = 0; k < count; ++k) {
    mbs_scalar *f = R + k * stride, *e = f + nq;
    for (int j = 0; j < arguments; ++j) {
      const double *slope = source->slopes + j * (element->coordinate_count + 1);
      mbs_scalar change = change_of(place->system, element, &source->wanted[j], &directions[k]);
      for (int i = 0; i < element->coordinate_count; ++i) {
        f[element->coordinates[i]] += slope[i] * change;
      }
      if (element->row >= 0) {
        e[element->row] += slope[element->coordinate_count] * change;
      }
    }
  }
}

static bool takes_part(const MbsSourceElement *element, MbsParts parts) {
  return parts & (element->kind == MBS_ELEMENT_ROW ? MBS_PART_ROWS : MBS_PART_BALANCE);
}

void mbs_source_columns(const MbsSystem *system, bool is_cut, const MbsState *state, const MbsWeights *weights,
                        MbsParts parts, int count, const MbsDirectionColumn *directions, mbs_scalar *R, int stride) {
  const Place place = place_of(system, is_cut, state, weights);
  const MbsSourceSet *set = set_of(&place);
  Wanted wanted = {.q = true, .v = true};
  for (int k = 0; k < count; ++k) {
    wanted.a |= directions[k].A != NULL;
    wanted.lambda |= directions[k].L != NULL;
    wanted.coefficients |= directions[k].column >= 0;
  }
  for (int i = 0; i < set->element_count; ++i) {
    if (takes_part(&set->elements[i], parts)) {
      add_columns(&place, &set->elements[i], wanted, count, directions, R, stride);
    }
  }
}

// ---- products with the transpose ----
static void add_transposed(const Place *place, const MbsSourceElement *element, Wanted wanted,
                           const MbsAdjoint *adjoint) {
  const MbsSource *source = place->system->source;
  int arguments = differentiate(place, element, wanted);
  for (int j = 0; j < arguments; ++j) {
    const MbsArgument *argument = &source->wanted[j];
    const double *slope = source->slopes + j * (element->coordinate_count + 1);
    mbs_scalar sum = element->row >= 0 ? adjoint->nu[element->row] * slope[element->coordinate_count] : 0;
    for (int i = 0; i < element->coordinate_count; ++i) {
      sum += adjoint->mu[element->coordinates[i]] * slope[i];
    }
    switch (argument->kind) {
      case MBS_ARGUMENT_Q: adjoint->q[element->coordinates[argument->index]] += sum; break;
      case MBS_ARGUMENT_V: adjoint->v[element->coordinates[argument->index]] += sum; break;
      case MBS_ARGUMENT_A: adjoint->a[element->coordinates[argument->index]] += sum; break;
      case MBS_ARGUMENT_LAMBDA: adjoint->lambda[element->row] += sum; break;
      case MBS_ARGUMENT_COEFFICIENT: adjoint->coefficients[element->block->index[argument->index]] += sum; break;
      case MBS_ARGUMENT_PARAMETER: adjoint->parameters[argument->index] += sum; break;
    }
  }
}

void mbs_source_transposed(const MbsSystem *system, bool is_cut, const MbsState *state, const MbsWeights *weights,
                           MbsParts parts, const MbsAdjoint *adjoint) {
  const Place place = place_of(system, is_cut, state, weights);
  const MbsSourceSet *set = set_of(&place);
  for (int i = 0; i < set->element_count; ++i) {
    if (takes_part(&set->elements[i], parts)) {
      add_transposed(&place, &set->elements[i], everything, adjoint);
    }
  }
}

// ---- assembled ----
void mbs_source_tangent(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, double c0, double c1,
                        double c2, mbs_scalar *values) {
  const Place place = place_of(system, false, state, weights);
  const MbsSourceSet *set = set_of(&place);
  const MbsSource *source = system->source;
  const Wanted wanted = {.q = fabs(c0) > 0, .v = fabs(c1) > 0, .a = fabs(c2) > 0, .lambda = true};  // real
  for (int i = 0; i <= system->mode.pattern.entry_count; ++i) {
    values[i] = 0;
  }
  for (int i = 0; i < set->element_count; ++i) {
    const MbsSourceElement *element = &set->elements[i];
    int arguments = differentiate(&place, element, wanted), size = element->coordinate_count + 1;
    for (int j = 0; j < arguments; ++j) {
      const MbsArgument *argument = &source->wanted[j];
      const double *slope = source->slopes + j * size;
      bool is_multiplier = argument->kind == MBS_ARGUMENT_LAMBDA;
      double c = is_multiplier                      ? 1
                 : argument->kind == MBS_ARGUMENT_Q ? c0
                 : argument->kind == MBS_ARGUMENT_V ? c1
                                                    : c2;
      for (int k = 0; k < size; ++k) {
        values[element->map[k * size + (is_multiplier ? size - 1 : argument->index)]] += c * slope[k];
      }
    }
  }
}

// ---- the derivative of P u ----
static Place product_place(const MbsSystem *system, const MbsState *state, double c0, double c1, const mbs_scalar *u) {
  static const MbsWeights none = {.k0 = 0};
  Place place = place_of(system, false, state, &none);
  place.u = u;
  place.c0 = c0;
  place.c1 = c1;
  return place;
}

// rows have no part in P, and forces only where c0 or c1 is not zero
static bool is_in_product(const MbsSourceElement *element, double c0, double c1) {
  return element->kind == MBS_ELEMENT_MASS || (element->kind == MBS_ELEMENT_FORCE && fabs(c0) + fabs(c1) > 0);  // real
}

void mbs_source_slopes_columns(const MbsSystem *system, const MbsState *state, double c0, double c1,
                               const mbs_scalar *u, int count, const MbsDirectionColumn *directions, mbs_scalar *R,
                               int stride) {
  const Place place = product_place(system, state, c0, c1, u);
  const MbsSourceSet *set = set_of(&place);
  const Wanted wanted = {.q = true, .v = true, .coefficients = true};
  for (int i = 0; i < set->element_count; ++i) {
    if (is_in_product(&set->elements[i], c0, c1)) {
      add_columns(&place, &set->elements[i], wanted, count, directions, R, stride);
    }
  }
}

void mbs_source_slopes_transposed(const MbsSystem *system, const MbsState *state, double c0, double c1,
                                  const mbs_scalar *u, const MbsAdjoint *adjoint) {
  const Place place = product_place(system, state, c0, c1, u);
  const MbsSourceSet *set = set_of(&place);
  const Wanted wanted = {.q = true, .v = true, .coefficients = true};
  for (int i = 0; i < set->element_count; ++i) {
    if (is_in_product(&set->elements[i], c0, c1)) {
      add_transposed(&place, &set->elements[i], wanted, adjoint);
    }
  }
}
