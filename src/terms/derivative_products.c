// Products with the slopes J of elements. See derivative_source.h. With x' of the arguments of an element
//     (f, e)' = J x',    x_bar = J' (mu, nu),    tangent = J_lambda and c0 J_q + c1 J_v + c2 J_a
// Slopes of the last few places are kept: there the tangent, the columns and the sweeps of all objectives perturb each
// element once. The formulation's own part of e, -epsilon lambda, is no term and added as it is.
#include <math.h>

#include "algebra/perturbation.h"
#include "terms/source_storage.h"

// The elements, where they are.
typedef struct At {
  const MbsSystem *system;
  const MbsSourceSet *set;
  MbsSourcePlace *place;
} At;

// ---- where ----
static double largest_of(int count, const double *x) {
  double largest = 0;
  for (int i = 0; i < count; ++i) {
    mbs_raise(&largest, x[i]);
  }
  return largest;
}

// Positions count against the size of the mechanism, velocities and accelerations against the largest of them, or that
// size per second (squared), so that near rest the steps do not vanish.
static void measure(const MbsSourceSet *set, MbsSourcePlace *place) {
  const double *q = place->state, *v = q + set->nq, *a = v + set->nq, *lambda = a + set->nq;
  place->points = 0;
  for (int i = 0; i < set->nq; ++i) {
    if (set->kinds[i] == MBS_ENTITY_POINT) {
      mbs_raise(&place->points, q[i]);
    }
  }
  place->points = place->points > 0 ? place->points : 1;
  place->rates = fmax(largest_of(set->nq, v), place->points);    // real
  place->seconds = fmax(largest_of(set->nq, a), place->points);  // real
  place->multipliers = largest_of(set->m, lambda);
  place->multipliers = place->multipliers > 0 ? place->multipliers : 1;
}

typedef struct Part {
  int count;
  const mbs_scalar *from;
} Part;
enum { PARTS = 5 };

static bool is_there(const MbsSourcePlace *place, double t, const MbsPlainWeights *weights, const Part parts[PARTS]) {
  const MbsPlainWeights *w = &place->weights;
  const double *at = place->state;
  if (!(place->t == t && w->k0 == weights->k0 && w->k1 == weights->k1 && w->k2 == weights->k2 && w->n1 == weights->n1 &&
        w->n2 == weights->n2)) {
    return false;
  }
  for (int p = 0; p < PARTS; ++p) {
    for (int i = 0; i < parts[p].count; ++i) {
      if (*at++ != mbs_re(parts[p].from[i])) {
        return false;
      }
    }
  }
  return true;
}

// a place seen before, or a new one instead of the oldest
static At find(const MbsSystem *system, bool is_cut, const MbsState *state, const MbsWeights *weights) {
  const MbsPlainWeights plain = mbs_weights_plain(weights);
  MbsSourceSet *set = &system->source->sets[is_cut ? 1 : 0];
  const Part parts[PARTS] = {{set->nq, state->q},
                             {set->nq, state->v},
                             {set->nq, state->a},
                             {set->m, state->lambda},
                             {system->signals.turn_count, system->signals.turns}};
  for (int p = 0; p < MBS_SOURCE_PLACES; ++p) {
    if (is_there(&set->places[p], mbs_re(state->t), &plain, parts)) {
      return (At){system, set, &set->places[p]};
    }
  }
  MbsSourcePlace *place = &set->places[set->oldest];
  set->oldest = (set->oldest + 1) % MBS_SOURCE_PLACES;
  double *to = place->state;
  for (int p = 0; p < PARTS; ++p) {
    for (int i = 0; i < parts[p].count; ++i) {
      *to++ = mbs_re(parts[p].from[i]);
    }
  }
  place->t = mbs_re(state->t);
  place->weights = plain;
  place->weights.epsilon = place->weights.n_epsilon = 0;
  for (int i = 0; i < set->element_count; ++i) {
    place->slopes[i].count = -1;
  }
  measure(set, place);
  return (At){system, set, place};
}

// ---- slopes ----
// How large a coefficient is. What is zero but for rounding (a direction's third component) counts as zero.
static double coefficient_scale(const MbsBlock *block, int index) {
  double largest = 0, own = 0;
  for (int i = 0; i < block->count; ++i) {
    mbs_raise(&largest, block->value[i]);
  }
  mbs_raise(&own, block->value[index]);
  return own > 1e-13 * largest ? own : 0;
}

// The step of a difference. The terms are linear in accelerations and multipliers: any step does, and a long one loses
// the fewest digits.
static double step_of(const At *at, const MbsSourceElement *element, const MbsArgument *argument) {
  const MbsSourcePlace *place = at->place;
  int q = argument->kind <= MBS_ARGUMENT_A ? element->coordinates[argument->index] : 0;
  bool is_point = at->set->kinds[q] == MBS_ENTITY_POINT;
  switch (argument->kind) {
    case MBS_ARGUMENT_Q: return mbs_difference_step(is_point ? place->points : fmax(1, fabs(place->state[q])));  // real
    case MBS_ARGUMENT_V: return mbs_difference_step(place->rates);
    case MBS_ARGUMENT_A: return place->seconds;
    case MBS_ARGUMENT_LAMBDA: return place->multipliers;
    case MBS_ARGUMENT_COEFFICIENT: return mbs_difference_step(coefficient_scale(element->block, argument->index));
    case MBS_ARGUMENT_PARAMETER: return mbs_difference_step(mbs_re(mbs_abs(at->system->parameters[argument->index])));
    case MBS_ARGUMENT_TABLE: return mbs_difference_step(0);
  }
  return 0;
}

// e of the lower levels does not depend on the rates of the higher ones; P u not on a
static bool is_idle(const At *at, const MbsSourceElement *element, bool is_product, MbsArgumentKind kind) {
  const MbsPlainWeights *w = &at->place->weights;
  double second = fabs(w->k2) + fabs(w->n2), first = second + fabs(w->k1) + fabs(w->n1);  // real
  bool is_row = element->kind == MBS_ELEMENT_ROW;
  return (kind == MBS_ARGUMENT_A && (is_row ? !(second > 0) : is_product)) ||
         (kind == MBS_ARGUMENT_V && is_row && !(first > 0));
}

static void differentiate(const At *at, const MbsSourceElement *element, const mbs_scalar *u, mbs_scalar c0,
                          mbs_scalar c1, MbsElementSlopes *slopes) {
  const MbsSource *source = at->system->source;
  const MbsSourceSet *set = at->set;
  const double *q = at->place->state, *v = q + set->nq, *a = v + set->nq, *lambda = a + set->nq;
  slopes->count = 0;
  for (int j = 0; j < element->argument_count; ++j) {
    if (!is_idle(at, element, u != NULL, element->arguments[j].kind)) {
      slopes->arguments[slopes->count] = element->arguments[j];
      slopes->arguments[slopes->count++].step = step_of(at, element, &element->arguments[j]);
    }
  }
  for (int i = 0; i < element->coordinate_count; ++i) {
    int k = element->coordinates[i];
    source->q[i] = q[k];
    source->v[i] = v[k];
    source->a[i] = a[k];
    source->u[i] = u ? mbs_re(u[k]) : 0;
  }
  const MbsElementPoint point = {.kind = element->kind,
                                 .index = element->index,
                                 .is_cut = set->is_cut,
                                 .coordinate_count = element->coordinate_count,
                                 .coordinates = element->coordinates,
                                 .t = at->place->t,
                                 .lambda = element->row < 0 ? 0 : lambda[element->row],
                                 .q = source->q,
                                 .v = source->v,
                                 .a = source->a,
                                 .turns = lambda + set->m,
                                 .weights = at->place->weights,
                                 .u = u ? source->u : NULL,
                                 .c0 = mbs_re(c0),
                                 .c1 = mbs_re(c1),
                                 .argument_count = slopes->count,
                                 .arguments = slopes->arguments};
  source->functions->element(source->terms, &point, slopes->values);
}

// of element k
static const MbsElementSlopes *slopes_of(const At *at, int k) {
  MbsElementSlopes *slopes = &at->place->slopes[k];
  if (slopes->count < 0) {
    differentiate(at, &at->set->elements[k], NULL, 0, 0, slopes);
  }
  return slopes;
}

static mbs_scalar epsilon_of(const MbsSourceElement *element, const MbsWeights *weights) {
  return element->is_nonholonomic ? weights->n_epsilon : weights->epsilon;
}

static bool takes_part(const MbsSourceElement *element, MbsParts parts) {
  return parts & (element->kind == MBS_ELEMENT_ROW ? MBS_PART_ROWS : MBS_PART_BALANCE);
}

// ---- tables ----
// What an element's tables are looked up at: its tape at the state, in the system itself.
typedef struct Lookups {
  const MbsSystem *system;
  const MbsTape *tape;  // NULL: it has none
  const MbsInputPlace *inputs;
} Lookups;

static Lookups look_up(const At *at, const MbsSourceElement *element, const MbsState *state) {
  const MbsElementSet set = mbs_system_elements(at->system, at->set->is_cut);
  if (!element->has_tables) {
    return (Lookups){.system = at->system};
  }
  if (element->kind == MBS_ELEMENT_ROW) {
    const MbsRow *row = &set.rows[element->index];
    mbs_expression_row_look_up(set.system, row, state);
    return (Lookups){at->system, row->expression->full_tape, row->expression->inputs};
  }
  const MbsForceElement *force = set.forces[element->index];
  mbs_force_element_evaluate(set.system, force, state);
  return (Lookups){at->system, force->full_tape, force->inputs};
}

static int input_of(const Lookups *lookups, int delta) {
  int s = 0;
  while (!(lookups->inputs[s].signal.kind == MBS_SIGNAL_TABLE && lookups->inputs[s].signal.index == delta)) {
    ++s;
  }
  return s;
}

// ---- products with columns ----
// x' of an argument
static mbs_scalar change_of(const Lookups *lookups, const MbsSourceElement *element, const MbsArgument *argument,
                            const MbsDirectionColumn *direction) {
  const MbsSystem *system = lookups->system;
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
    case MBS_ARGUMENT_TABLE: {
      int s = input_of(lookups, argument->index);
      return mbs_input_column(system, lookups->tape, &lookups->inputs[s].signal, s, direction->column);
    }
  }
  return 0;
}

// f (nq) += J x', and e behind it
static void add_column(const At *at, const MbsSourceElement *element, const MbsElementSlopes *slopes,
                       const Lookups *lookups, const MbsDirectionColumn *direction, mbs_scalar *f) {
  int size = element->coordinate_count + 1;
  for (int j = 0; j < slopes->count; ++j) {
    const double *slope = slopes->values + j * size;
    mbs_scalar change = change_of(lookups, element, &slopes->arguments[j], direction);
    if (mbs_re(change) == 0 && mbs_im(change) == 0) {
      continue;
    }
    for (int i = 0; i < element->coordinate_count; ++i) {
      f[element->coordinates[i]] += slope[i] * change;
    }
    if (element->row >= 0) {
      f[at->set->nq + element->row] += slope[element->coordinate_count] * change;
    }
  }
}

void mbs_source_columns(const MbsSystem *system, bool is_cut, const MbsState *state, const MbsWeights *weights,
                        MbsParts parts, int count, const MbsDirectionColumn *directions, mbs_scalar *R, int stride) {
  const At at = find(system, is_cut, state, weights);
  for (int i = 0; i < at.set->element_count; ++i) {
    const MbsSourceElement *element = &at.set->elements[i];
    const Lookups lookups = look_up(&at, element, state);
    for (int k = 0; k < count && takes_part(element, parts); ++k) {
      mbs_scalar *f = R + k * stride;
      add_column(&at, element, slopes_of(&at, i), &lookups, &directions[k], f);
      if (element->row >= 0 && directions[k].L) {
        f[at.set->nq + element->row] -= epsilon_of(element, weights) * directions[k].L[element->row];
      }
    }
  }
}

// ---- products with the transpose ----
static void add_transposed(const MbsSourceElement *element, const MbsElementSlopes *slopes, const Lookups *lookups,
                           const MbsAdjoint *adjoint) {
  for (int j = 0; j < slopes->count; ++j) {
    const MbsArgument *argument = &slopes->arguments[j];
    const double *slope = slopes->values + j * (element->coordinate_count + 1);
    mbs_scalar sum = element->row >= 0 ? adjoint->nu[2][element->row] * slope[element->coordinate_count] : 0;
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
      case MBS_ARGUMENT_TABLE: {
        int s = input_of(lookups, argument->index);
        mbs_input_transposed(lookups->system, lookups->tape, &lookups->inputs[s].signal, s, sum, NULL,
                             adjoint->coefficients);
        break;
      }
    }
  }
}

void mbs_source_transposed(const MbsSystem *system, bool is_cut, const MbsState *state, const MbsWeights *weights,
                           MbsParts parts, const MbsAdjoint *adjoint) {
  const At at = find(system, is_cut, state, weights);
  for (int i = 0; i < at.set->element_count; ++i) {
    const MbsSourceElement *element = &at.set->elements[i];
    if (takes_part(element, parts)) {
      const Lookups lookups = look_up(&at, element, state);
      add_transposed(element, slopes_of(&at, i), &lookups, adjoint);
    }
    if (takes_part(element, parts) && element->row >= 0) {
      adjoint->lambda[element->row] -= epsilon_of(element, weights) * adjoint->nu[2][element->row];
    }
  }
}

// ---- assembled ----
void mbs_source_tangent(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, mbs_scalar c0,
                        mbs_scalar c1, mbs_scalar c2, mbs_scalar *values) {
  const At at = find(system, false, state, weights);
  mbs_clear(system->mode.pattern.entry_count + 1, values);
  const mbs_scalar c[] = {
      [MBS_ARGUMENT_Q] = c0, [MBS_ARGUMENT_V] = c1, [MBS_ARGUMENT_A] = c2, [MBS_ARGUMENT_LAMBDA] = 1};
  for (int i = 0; i < at.set->element_count; ++i) {
    const MbsSourceElement *element = &at.set->elements[i];
    const MbsElementSlopes *slopes = slopes_of(&at, i);
    int size = element->coordinate_count + 1;
    for (int j = 0; j < slopes->count; ++j) {
      const MbsArgument *argument = &slopes->arguments[j];
      int column = argument->kind == MBS_ARGUMENT_LAMBDA ? element->coordinate_count : argument->index;
      for (int k = 0; k < size && argument->kind <= MBS_ARGUMENT_LAMBDA; ++k) {
        values[element->map[k * size + column]] += c[argument->kind] * slopes->values[j * size + k];
      }
    }
    if (element->row >= 0) {
      values[element->map[size * size - 1]] -= epsilon_of(element, weights);
    }
  }
}

// ---- the derivative of P u ----
// masses, and where c0 or c1 is not zero forces; rows and rates of states have no part in P
static bool is_in_product(const MbsSystem *system, const MbsSourceElement *element, mbs_scalar c0, mbs_scalar c1) {
  return element->kind == MBS_ELEMENT_MASS ||
         (element->kind == MBS_ELEMENT_FORCE && (!mbs_is_zero(c0) || !mbs_is_zero(c1)) &&
          !system->mode.forces[element->index]->is_rate);
}

static const MbsWeights no_rows = {.k0 = 0};

void mbs_source_slopes_columns(const MbsSystem *system, const MbsState *state, mbs_scalar c0, mbs_scalar c1,
                               const mbs_scalar *u, int count, const MbsDirectionColumn *directions, mbs_scalar *R,
                               int stride) {
  const At at = find(system, false, state, &no_rows);
  MbsElementSlopes *slopes = &system->source->product;
  for (int i = 0; i < at.set->element_count; ++i) {
    const MbsSourceElement *element = &at.set->elements[i];
    if (is_in_product(system, element, c0, c1)) {
      const Lookups lookups = look_up(&at, element, state);
      differentiate(&at, element, u, c0, c1, slopes);
      for (int k = 0; k < count; ++k) {
        add_column(&at, element, slopes, &lookups, &directions[k], R + k * stride);
      }
    }
  }
}

void mbs_source_slopes_transposed(const MbsSystem *system, const MbsState *state, mbs_scalar c0, mbs_scalar c1,
                                  const mbs_scalar *u, const MbsAdjoint *adjoint) {
  const At at = find(system, false, state, &no_rows);
  MbsElementSlopes *slopes = &system->source->product;
  for (int i = 0; i < at.set->element_count; ++i) {
    if (is_in_product(system, &at.set->elements[i], c0, c1)) {
      const Lookups lookups = look_up(&at, &at.set->elements[i], state);
      differentiate(&at, &at.set->elements[i], u, c0, c1, slopes);
      add_transposed(&at.set->elements[i], slopes, &lookups, adjoint);
    }
  }
}
