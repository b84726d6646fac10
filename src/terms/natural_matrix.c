// The matrices of natural coordinates: Newton's, its approximation, that of projections, the Jacobian of the
// constraints. See terms.h.
#include "terms/derivative_source.h"
#include "terms/elements.h"

// masses with c2; rows at one state and forces at another, each with its combination; rates of states in Newton's alone
static void assemble(const MbsSystem *system, bool has_rates, mbs_scalar c2, const MbsState *at_rows,
                     const MbsWeights *weights, const MbsCombination *rows, const MbsState *at_forces,
                     const MbsCombination *forces, mbs_scalar *values) {
  const MbsMode *mode = &system->mode;
  bool has_forces = mbs_has_tangent_of_forces(forces->c0, forces->c1);
  mbs_clear(mode->pattern.entry_count + 1, values);
  for (int i = 0; i < system->mass_count; ++i) {
    mbs_mass_tangent(system, &system->masses[i], c2, values);
  }
  for (int i = 0; i < mode->row_count; ++i) {
    mbs_row_tangent(system, &mode->rows[i], at_rows, weights, rows, values);
  }
  for (int i = 0; i < mode->force_count && has_forces; ++i) {
    if (has_rates || !mode->forces[i]->is_rate) {
      mbs_force_element_tangent(system, mode->forces[i], at_forces, forces, values);
    }
  }
}

// the same position, at rest and without multipliers: there the rows have their plain Jacobian
static MbsState at_rest(const MbsSystem *system, const MbsState *state) {
  MbsState rest = *state;
  rest.v = rest.a = rest.lambda = system->zeros;
  return rest;
}

static void assemble_jacobian(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                              const MbsCombination *c, mbs_scalar *values) {
  const MbsState rest = at_rest(system, state);
  mbs_clear(system->mode.pattern.entry_count + 1, values);
  for (int i = 0; i < system->mode.row_count; ++i) {
    mbs_row_tangent(system, &system->mode.rows[i], &rest, weights, c, values);
  }
}

void mbs_natural_matrix(const MbsSystem *system, MbsMatrixKind kind, const MbsState *state, const MbsWeights *weights,
                        const MbsCombination *c, mbs_scalar *values) {
  bool is_exact = kind == MBS_MATRIX_TANGENT, is_jacobian = kind == MBS_MATRIX_JACOBIAN;
  if ((is_exact || is_jacobian) && system->source) {
    mbs_source_tangent(system, state, weights, c->c0, c->c1, c->c2, values);
  } else if (is_jacobian) {
    assemble_jacobian(system, state, weights, c, values);
  } else {
    const MbsState rest = at_rest(system, state);
    const MbsCombination rows = kind == MBS_MATRIX_PROJECTION ? (MbsCombination){.c2 = 1} : *c;
    assemble(system, kind != MBS_MATRIX_PROJECTION, c->c2, is_exact ? state : &rest, weights, &rows, state, c, values);
  }
}

void mbs_natural_matrix_sizes(const MbsSystem *system, const mbs_scalar *values, double *mass, double *longest) {
  const MbsPattern *pattern = &system->mode.pattern;
  for (int column = 0; column < system->first_state; ++column) {
    for (int k = pattern->column_start[column]; k < pattern->column_start[column + 1]; ++k) {
      bool is_mass = pattern->row[k] < system->n, is_rate = is_mass && pattern->row[k] >= system->first_state;
      if (!is_rate) {
        mbs_raise(is_mass ? mass : longest, values[k]);
      }
    }
  }
}
