// Mass matrix and weight of one body: constant in natural coordinates.
//     f += M a - weight,   M_ij = a_ij I + b_ij J,   f' += M A + (dM/drho) a - dweight/drho
// That of a user coordinate is a number: f += J a.
#include "terms/elements.h"

// components of each entity
static int size_of(const MbsSystem *system, const MbsMass *mass) { return mass->is_scalar ? 1 : system->dimension; }

// MBS_SPECIALISE for that size, and for the number of entities of a spatial body in relative coordinates
#define SPECIALISE(system, mass, kernel, ...)                                                    \
  do {                                                                                           \
    if ((mass)->is_scalar) {                                                                     \
      kernel(__VA_ARGS__, (mass)->count, 1, false);                                              \
    } else if ((system)->dimension == 3 && (mass)->count == 4) {                                 \
      kernel(__VA_ARGS__, 4, 3, false);                                                          \
    } else {                                                                                     \
      MBS_SPECIALISE((system)->dimension, (mass)->has_turn, kernel, __VA_ARGS__, (mass)->count); \
    }                                                                                            \
  } while (0)

MBS_KERNEL const mbs_scalar *pair(const mbs_scalar *c, int count, int i, int j) { return c + 2 * (i * count + j); }

MBS_KERNEL const mbs_scalar *weight(const mbs_scalar *c, int count, int size, int i) {
  return c + 2 * count * count + i * size;
}

MbsStatus mbs_mass_create(MbsContext *context, MbsSystem *system, const MbsMassSpec *spec, MbsMass *mass) {
  mass->is_scalar = spec->is_scalar;
  int n = spec->count, size = size_of(system, mass);
  int *first;
  MbsNode *nodes;
  MBS_TAKE(context, system->arena, first, n);
  MBS_TAKE(context, system->arena, nodes, 2 * n * n + n * size);
  for (int i = 0; i < n; ++i) {
    first[i] = mbs_system_coordinate(system, spec->body, spec->entities[i]);
  }
  for (int k = 0; k < n * n; ++k) {
    nodes[2 * k] = spec->a[k];
    nodes[2 * k + 1] = spec->b[k];
    mass->has_turn |= !mbs_graph_is_constant(system->blueprint->graph, spec->b[k], 0);
  }
  for (int k = 0; k < n * size; ++k) {
    nodes[2 * n * n + k] = spec->weight[k];
  }
  mass->count = n;
  mass->first = first;
  mass->is_constant = true;
  for (int k = 0; k < 2 * n * n + n * size; ++k) {
    bool is_number = mbs_graph_node(system->blueprint->graph, nodes[k])->operation == MBS_OP_CONSTANT;
    mass->is_constant = mass->is_constant && is_number;
  }
  return mbs_coefficients_add_block(context, &system->coefficients, 2 * n * n + n * size, nodes, &mass->block);
}

MbsStatus mbs_mass_place(const MbsEntries *entries, const MbsSystem *system, MbsMass *mass) {
  int d = size_of(system, mass), per_pair = mass->has_turn ? 2 * d : d, *map;
  MBS_TRY(mbs_entries_take(entries, mass->count * mass->count * per_pair, &mass->map, &map));
  for (int i = 0; i < mass->count; ++i) {
    for (int j = 0; j < mass->count; ++j) {
      bool is_free = mass->first[i] < system->n && mass->first[j] < system->n;
      for (int k = 0; k < per_pair; ++k) {  // the diagonal, then (0, 1) and (1, 0)
        int row = mass->first[i] + k % d, column = mass->first[j] + (k < d ? k : 1 - k % d);
        MBS_TRY(mbs_entry(entries, is_free ? row : -1, is_free ? column : -1, map++));
      }
    }
  }
  return MBS_OK;
}

// f += M(c) a
MBS_KERNEL void add_product(const MbsMass *mass, const mbs_scalar *c, const mbs_scalar *a, mbs_scalar *f, int count,
                            int d, bool turns) {
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      const mbs_scalar *ab = pair(c, count, i, j);
      mbs_turn_add(d, turns, ab[0], ab[1], a + mass->first[j], f + mass->first[i]);
    }
  }
}

// f += M(c) a - weight(c)
MBS_KERNEL void add_inertia(const MbsMass *mass, const mbs_scalar *c, const mbs_scalar *a, mbs_scalar *f, double *scale,
                            int count, int d, bool turns) {
  for (int i = 0; i < count; ++i) {
    mbs_scalar part[3] = {0};
    for (int j = 0; j < count; ++j) {
      const mbs_scalar *ab = pair(c, count, i, j);
      mbs_turn_add(d, turns, ab[0], ab[1], a + mass->first[j], part);
    }
    const mbs_scalar *w = weight(c, count, d, i);
    for (int k = 0; k < d; ++k) {
      f[mass->first[i] + k] += part[k] - w[k];
      if (scale) {
        mbs_raise(scale, part[k]);
        mbs_raise(scale, w[k]);
      }
    }
  }
}

void mbs_mass_residual(const MbsSystem *system, const MbsMass *mass, const MbsState *state, mbs_scalar *f,
                       double *scale) {
  SPECIALISE(system, mass, add_inertia, mass, mass->block.value, state->a, f, scale);
}

void mbs_mass_tangent(const MbsSystem *system, const MbsMass *mass, mbs_scalar c2, mbs_scalar *values) {
  int d = size_of(system, mass);
  const int *map = mass->map;
  for (int p = 0; p < mass->count * mass->count; ++p) {
    mbs_scalar a = c2 * mass->block.value[2 * p];
    for (int k = 0; k < d; ++k) {
      values[*map++] += a;
    }
    if (mass->has_turn) {  // J = [0 -1; 1 0]
      mbs_scalar b = c2 * mass->block.value[2 * p + 1];
      values[*map++] -= b;
      values[*map++] += b;
    }
  }
}

void mbs_mass_derivative(const MbsSystem *system, const MbsMass *mass, const MbsState *state,
                         const MbsDirectionColumn *direction, mbs_scalar *f) {
  const mbs_scalar *slope = direction->column < 0 ? NULL : mbs_block_slope(&mass->block, direction->column);
  if (slope) {
    SPECIALISE(system, mass, add_inertia, mass, slope, state->a, f, NULL);
  }
  if (direction->A) {
    SPECIALISE(system, mass, add_product, mass, mass->block.value, direction->A, f);
  }
}

void mbs_mass_slope_product(const MbsSystem *system, const MbsMass *mass, int column, const mbs_scalar *y,
                            mbs_scalar *f) {
  const mbs_scalar *slope = mbs_block_slope(&mass->block, column);
  if (slope) {
    SPECIALISE(system, mass, add_product, mass, slope, y, f);
  }
}

// S = mu.M y: what the coefficients of M receive
MBS_KERNEL void add_coefficients(const MbsMass *mass, const mbs_scalar *y, const mbs_scalar *mu,
                                 mbs_scalar *coefficients, int count, int d, bool turns) {
  const int *index = mass->block.index;
  for (int i = 0; i < count; ++i) {
    const mbs_scalar *left = mu + mass->first[i];
    for (int j = 0; j < count; ++j, index += 2) {
      const mbs_scalar *right = y + mass->first[j];
      mbs_scalar product = left[0] * right[0];
      for (int k = 1; k < d; ++k) {
        product += left[k] * right[k];
      }
      coefficients[index[0]] += product;
      if (turns) {
        coefficients[index[1]] += left[1] * right[0] - left[0] * right[1];
      }
    }
  }
}

void mbs_mass_coefficient_adjoint(const MbsSystem *system, const MbsMass *mass, const mbs_scalar *y,
                                  const mbs_scalar *mu, mbs_scalar *coefficients) {
  if (!mass->is_constant) {
    SPECIALISE(system, mass, add_coefficients, mass, y, mu, coefficients);
  }
}

// S = mu.(M a - weight)
MBS_KERNEL void transposed(const MbsMass *mass, const MbsAdjoint *adjoint, int count, int d, bool turns) {
  for (int i = 0; i < count; ++i) {
    const mbs_scalar *mu = adjoint->mu + mass->first[i];
    for (int j = 0; j < count; ++j) {
      const mbs_scalar *ab = pair(mass->block.value, count, i, j);
      mbs_turn_add(d, turns, ab[0], -ab[1], mu, adjoint->a + mass->first[j]);
    }
  }
}

void mbs_mass_coefficients_transposed(const MbsSystem *system, const MbsMass *mass, const MbsState *state,
                                      const mbs_scalar *mu, mbs_scalar *coefficients) {
  const int *index = mass->block.index + 2 * mass->count * mass->count;
  int size = size_of(system, mass);
  mbs_mass_coefficient_adjoint(system, mass, state->a, mu, coefficients);
  for (int i = 0; i < mass->count && !mass->is_constant; ++i) {
    for (int k = 0; k < size; ++k) {
      coefficients[*index++] -= mu[mass->first[i] + k];
    }
  }
}

void mbs_mass_transposed(const MbsSystem *system, const MbsMass *mass, const MbsState *state,
                         const MbsAdjoint *adjoint) {
  mbs_mass_coefficients_transposed(system, mass, state, adjoint->mu, adjoint->coefficients);
  SPECIALISE(system, mass, transposed, mass, adjoint);
}

MBS_KERNEL void add_energy(const MbsMass *mass, const MbsState *state, MbsEnergy *energy, int count, int d,
                           bool turns) {
  mbs_scalar twice = 0, weighed = 0;
  for (int i = 0; i < count; ++i) {
    mbs_scalar momentum[3] = {0};
    for (int j = 0; j < count; ++j) {
      const mbs_scalar *ab = pair(mass->block.value, count, i, j);
      mbs_turn_add(d, turns, ab[0], ab[1], state->v + mass->first[j], momentum);
    }
    const mbs_scalar *w = weight(mass->block.value, count, d, i);
    for (int k = 0; k < d; ++k) {
      int q = mass->first[i] + k;
      twice += momentum[k] * state->v[q];
      weighed += w[k] * state->q[q];
    }
  }
  energy->kinetic += twice / 2;
  energy->potential -= weighed;
}

void mbs_mass_energy(const MbsSystem *system, const MbsMass *mass, const MbsState *state, MbsEnergy *energy) {
  SPECIALISE(system, mass, add_energy, mass, state, energy);
}
