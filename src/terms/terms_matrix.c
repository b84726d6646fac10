// The terms' matrices: Newton's, its approximation, that of projections, the Jacobian of the constraints. See terms.h.
#include "terms/derivative_source.h"
#include "terms/elements.h"
#include "terms/tree_expanded.h"

// masses with c2; rows at one state and forces at another, each with its combination
static void assemble(const MbsSystem *system, double c2, const MbsState *at_rows, const MbsWeights *weights,
                     const MbsCombination *rows, const MbsState *at_forces, const MbsCombination *forces,
                     mbs_scalar *values) {
  const MbsMode *mode = &system->mode;
  bool has_forces = mbs_has_tangent_of_forces(forces->c0, forces->c1);
  for (int i = 0; i <= mode->pattern.entry_count; ++i) {
    values[i] = 0;
  }
  for (int i = 0; i < system->mass_count; ++i) {
    mbs_mass_tangent(system, &system->masses[i], c2, values);
  }
  for (int i = 0; i < mode->row_count; ++i) {
    mbs_row_tangent(system, &mode->rows[i], at_rows, weights, rows, values);
  }
  for (int i = 0; i < mode->force_count && has_forces; ++i) {
    mbs_force_element_tangent(system, mode->forces[i], at_forces, forces, values);
  }
}

// the same position, at rest and without multipliers: there the rows have their plain Jacobian
static MbsState at_rest(const MbsSystem *system, const MbsState *state) {
  MbsState rest = *state;
  rest.v = rest.a = rest.lambda = system->zeros;
  return rest;
}

bool mbs_system_has_tangent(const MbsSystem *system) {
  return !system->mode.pattern.tree && !(system->tree && system->tree->expanded);
}

void mbs_terms_tangent(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, double c0, double c1,
                       double c2, mbs_scalar *values) {
  const MbsCombination c = {.c0 = c0, .c1 = c1, .c2 = c2};
  if (system->tree) {
    mbs_tree_assemble(system, MBS_TREE_TANGENT, state, weights, c0, c1, c2, values);
  } else if (system->source) {
    mbs_source_tangent(system, state, weights, c0, c1, c2, values);
  } else {
    assemble(system, c2, state, weights, &c, state, &c, values);
  }
}

void mbs_terms_approximate_tangent(const MbsSystem *system, const MbsState *state, const MbsWeights *weights, double c0,
                                   double c1, double c2, mbs_scalar *values) {
  const MbsCombination c = {.c0 = c0, .c1 = c1, .c2 = c2};
  const MbsState rest = at_rest(system, state);
  if (system->tree) {
    mbs_tree_assemble(system, MBS_TREE_APPROXIMATE, state, weights, c0, c1, c2, values);
  } else {
    assemble(system, c2, &rest, weights, &c, state, &c, values);
  }
}

void mbs_terms_factorable(const MbsSystem *system, bool is_exact, const MbsState *state, const MbsWeights *weights,
                          double c0, double c1, double c2, mbs_scalar *values) {
  MbsTreeMatrix kind = is_exact ? MBS_TREE_TANGENT : MBS_TREE_APPROXIMATE;
  if (system->tree && system->tree->expanded) {
    mbs_tree_expanded_assemble(system, kind, state, weights, c0, c1, c2, values);
  } else {
    (is_exact ? mbs_terms_tangent : mbs_terms_approximate_tangent)(system, state, weights, c0, c1, c2, values);
  }
}

void mbs_terms_factorable_sizes(const MbsSystem *system, const mbs_scalar *values, double *mass, double *longest) {
  const MbsPattern *pattern = &system->mode.pattern;
  *mass = *longest = 0;
  if (system->tree && system->tree->expanded) {
    *mass = system->tree->expanded->mass;
    *longest = system->tree->expanded->longest;
    return;
  }
  for (int column = 0; column < system->n; ++column) {
    for (int k = pattern->column_start[column]; k < pattern->column_start[column + 1]; ++k) {
      mbs_raise(pattern->row[k] < system->n ? mass : longest, values[k]);
    }
  }
}

void mbs_terms_jacobian(const MbsSystem *system, const MbsState *state, bool with_nonholonomic, mbs_scalar *values) {
  const MbsWeights weights = {.k1 = 1, .n1 = with_nonholonomic};  // e_v is Phi_x, and A
  const MbsCombination c = {.c1 = 1};
  const MbsState rest = at_rest(system, state);
  if (system->m == 0) {
    return;
  }
  if (system->tree) {
    mbs_tree_jacobian(system, state, &weights, values);
    return;
  }
  if (system->source) {
    mbs_terms_tangent(system, state, &weights, 0, 1, 0, values);
    return;
  }
  for (int i = 0; i <= system->mode.pattern.entry_count; ++i) {
    values[i] = 0;
  }
  for (int i = 0; i < system->mode.row_count; ++i) {
    mbs_row_tangent(system, &system->mode.rows[i], &rest, &weights, &c, values);
  }
}

void mbs_terms_projection_matrix(const MbsSystem *system, const MbsState *state, double c0, double c1, double epsilon,
                                 mbs_scalar *values) {
  const MbsWeights weights = {.k2 = 1, .n2 = 1, .epsilon = epsilon, .n_epsilon = epsilon};
  const MbsCombination rows = {.c2 = 1}, forces = {.c0 = c0, .c1 = c1};
  const MbsState rest = at_rest(system, state);
  if (system->tree && system->tree->expanded) {
    mbs_tree_expanded_assemble(system, MBS_TREE_PROJECTION, state, &weights, c0, c1, 1, values);
  } else if (system->tree) {
    mbs_tree_assemble(system, MBS_TREE_PROJECTION, state, &weights, c0, c1, 1, values);
  } else {
    assemble(system, 1, &rest, &weights, &rows, state, &forces, values);
  }
}
