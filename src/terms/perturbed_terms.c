// One element at a time, with one argument perturbed. See derivative_source.h and algebra/perturbation.h.
#include "algebra/perturbation.h"
#include "terms/derivative_source.h"
#include "terms/elements.h"

typedef struct MbsPerturbedTerms {
  MbsSystem *system;
  MbsState at;            // of the whole system or of the view that bodies cut free have
  mbs_scalar *f, *e;      // likewise
  mbs_scalar *X, *V, *A;  // likewise: a direction
} MbsPerturbedTerms;

MbsStatus mbs_perturbed_terms_create(MbsContext *context, MbsSystem *system, MbsPerturbedTerms **result) {
  MbsPerturbedTerms *terms;
  int size = system->nq, cut = mbs_system_elements(system, true).system->nq;
  size = cut > size ? cut : size;
  MBS_TAKE(context, system->arena, terms, 1);
  terms->system = system;
  mbs_scalar **const arrays[] = {&terms->at.q, &terms->at.v, &terms->at.a, &terms->f, &terms->X, &terms->V, &terms->A};
  for (int i = 0; i < MBS_COUNT(arrays); ++i) {
    MBS_TAKE(context, system->arena, *arrays[i], size);
  }
  MBS_TAKE(context, system->arena, terms->at.lambda, system->m);
  MBS_TAKE(context, system->arena, terms->e, system->m);
  *result = terms;
  return MBS_OK;
}

void mbs_twin_terms_destroy(MbsPerturbedTerms *terms) {
  if (terms) {
    mbs_arena_destroy(terms->system->arena);
  }
}

void mbs_twin_terms_follow(MbsPerturbedTerms *terms, const double *parameters) {
  mbs_system_set_all_parameters(terms->system, parameters);
}

static void place(MbsPerturbedTerms *terms, const MbsElementPoint *point, int row) {
  const MbsSignalBank *bank = &terms->system->signals;
  terms->at.t = point->t;
  for (int i = 0; i < point->coordinate_count; ++i) {
    int q = point->coordinates[i];
    terms->at.q[q] = point->q[i];
    terms->at.v[q] = point->v[i];
    terms->at.a[q] = point->a[i];
    if (point->u) {
      terms->X[q] = point->c0 * point->u[i];
      terms->V[q] = point->c1 * point->u[i];
      terms->A[q] = point->u[i];
    }
  }
  if (row >= 0) {
    terms->at.lambda[row] = point->lambda;
  }
  for (int i = 0; i < bank->turn_count; ++i) {
    bank->turns[i] = point->turns[i];
  }
}

// f on the coordinates of the element, and e
static void evaluate(MbsPerturbedTerms *terms, const MbsElementSet *set, const MbsElementPoint *point, int row) {
  const MbsDirectionColumn direction = {.column = -1, .X = terms->X, .V = terms->V, .A = terms->A};
  const MbsState *at = &terms->at;
  mbs_scalar *f = terms->f, *e = terms->e;
  const MbsWeights weights = mbs_weights_from(&point->weights);
  for (int i = 0; i < point->coordinate_count; ++i) {
    f[point->coordinates[i]] = 0;
  }
  if (row >= 0) {
    e[row] = 0;
  }
  switch (point->kind) {
    case MBS_ELEMENT_MASS:
      if (point->u) {
        mbs_mass_derivative(set->system, &set->masses[point->index], at, &direction, f);
      } else {
        mbs_mass_residual(set->system, &set->masses[point->index], at, f, NULL);
      }
      break;
    case MBS_ELEMENT_ROW: mbs_row_residual(set->system, &set->rows[point->index], at, &weights, f, e, NULL); break;
    case MBS_ELEMENT_FORCE:
      if (point->u) {
        mbs_force_element_derivative(set->system, set->forces[point->index], at, 1, &direction, f, 0);
      } else {
        mbs_force_element_residual(set->system, set->forces[point->index], at, f, NULL);
      }
      break;
  }
}

static mbs_scalar *argument_of(MbsPerturbedTerms *terms, const MbsBlock *block, const MbsElementPoint *point, int row,
                               const MbsArgument *argument) {
  switch (argument->kind) {
    case MBS_ARGUMENT_Q: return &terms->at.q[point->coordinates[argument->index]];
    case MBS_ARGUMENT_V: return &terms->at.v[point->coordinates[argument->index]];
    case MBS_ARGUMENT_A: return &terms->at.a[point->coordinates[argument->index]];
    case MBS_ARGUMENT_LAMBDA: return &terms->at.lambda[row];
    case MBS_ARGUMENT_COEFFICIENT: return &block->value[argument->index];
    case MBS_ARGUMENT_PARAMETER: return &terms->system->parameters[argument->index];
    case MBS_ARGUMENT_TABLE: terms->system->work->delta_index = argument->index; return &terms->system->work->delta;
  }
  return NULL;
}

void mbs_twin_terms_element(MbsPerturbedTerms *terms, const MbsElementPoint *point, double *slopes) {
  const MbsElementSet set = mbs_system_elements(terms->system, point->is_cut);
  const MbsBlock *block = point->kind == MBS_ELEMENT_MASS  ? &set.masses[point->index].block
                          : point->kind == MBS_ELEMENT_ROW ? &set.rows[point->index].block
                                                           : &set.forces[point->index]->block;
  int row = point->kind == MBS_ELEMENT_ROW ? set.rows[point->index].index : -1, size = point->coordinate_count + 1;
  place(terms, point, row);
  for (int j = 0; j < point->argument_count; ++j) {
    mbs_scalar *x = argument_of(terms, block, point, row, &point->arguments[j]), held = *x;
    double step = point->arguments[j].step, *slope = slopes + j * size;
    for (int side = 0; side < MBS_SIDES; ++side) {
      *x = mbs_perturbed(held, step, side);
      evaluate(terms, &set, point, row);
      for (int i = 0; i < size; ++i) {
        bool is_e = i == point->coordinate_count;
        mbs_scalar value = !is_e ? terms->f[point->coordinates[i]] : row >= 0 ? terms->e[row] : 0;
        slope[i] = mbs_take_side(side, value, slope[i], held, step);
      }
    }
    *x = held;
  }
}
