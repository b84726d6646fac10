// What constraints and forces add to the matrix in the tree's coordinates (tree_elements.h).
//
// Coordinate j turns the bodies on it with the twist b_j, whose rates are b_j', b_j''. Of a form, with the values y, v,
// a of the parts on these bodies and their weight w of points, it moves
//     Y_j   = w lin + ang x y                                                           lin, ang of b_j
//     Y_j'  = w lin' + ang' x y + ang x v
//     Y_j'' = w lin'' + ang'' x y + 2 ang' x v + ang x a
// A step's change s of the accelerations changes y, y', y'' by c0 Y s; (c1 Y + c0 Y') s; (c2 Y + 2 c1 Y' + c0 Y'') s,
// so that a row e with multiplier lambda, whose force acts on its forms with lambda g(y), has the entries
//     (row, j)  e_y.(c0 Y_j) + e_y'.(c1 Y_j + c0 Y_j') + e_y''.(c2 Y_j + 2 c1 Y_j' + c0 Y_j'')
//     (i, row)  g.Y_i
//     (i, j)    Y_i.(c0 lambda g_y) Y_j
// and a force F(y, y'), which f has with a minus,
//     (i, j)    -Y_i.(F_y c0 Y_j + F_y' (c1 Y_j + c0 Y_j'))                             Y_i of the forms it acts on
// Forces that stay as they are while their points move: tree_inertia.c. The approximate matrices leave out Y' and Y''
// and what is curved in the rows.
#include "tree/tree_elements.h"

// ---- forms ----
// y, v, a of each part, 3 numbers each
MBS_KERNEL void evaluate_parts(const MbsTree *tree, const MbsTreeElement *element, int levels, mbs_scalar *values,
                               int d, bool turns) {
  const mbs_scalar *const at[] = {tree->local, tree->x.v, tree->x.a}, *c = element->block->value;
  for (int p = 0; p < element->part_count; ++p) {
    const MbsTreePart *part = &element->parts[p];
    for (int level = 0; level < levels; ++level) {
      mbs_scalar *value = values + 9 * p + 3 * level;
      value[0] = value[1] = value[2] = 0;
      for (int t = 0; t < part->count; ++t) {
        mbs_turn_add(d, turns, c[part->at[t]], c[part->at[t] + 1], at[level] + part->first[t], value);
      }
    }
  }
}

void mbs_tree_evaluate_parts(const MbsTree *tree, const MbsTreeElement *element, int levels) {
  MBS_SPECIALISE(tree->inner->dimension, element->has_turn, evaluate_parts, tree, element, levels,
                 tree->elements->values);
}

// Y, Y', Y'' of one part
MBS_KERNEL void move_part(const MbsTree *tree, const mbs_scalar *c, const MbsTreePart *part, const mbs_scalar *value,
                          int coordinate, int levels, mbs_scalar *Y[3], int d, bool turns) {
  static const double binomial[3][3] = {{1}, {1, 1}, {1, 2, 1}};
  int twist = mbs_twist_size(d), point = part->point;
  for (int level = 0; level < levels; ++level) {
    mbs_scalar *to = Y[level] + part->form * d;
    if (point >= 0) {
      mbs_turn_add(d, turns, c[part->at[point]], c[part->at[point] + 1], tree->b[level] + twist * coordinate, to);
    }
    for (int k = 0; k <= level; ++k) {
      mbs_cross_add(d, binomial[level][k], tree->b[level - k] + twist * coordinate + d, value + 3 * k, to);
    }
  }
}

MBS_KERNEL void move_forms(const MbsTree *tree, const MbsTreeElement *element, const MbsTreeElements *all, int levels,
                           int d, bool turns) {
  const mbs_scalar *c = element->block->value;
  int size = element->form_count * d;
  evaluate_parts(tree, element, levels, all->values, d, turns);
  for (int m = 0; m < element->mover_count; ++m) {
    const MbsTreeMover *mover = &element->movers[m];
    mbs_scalar *Y[3] = {all->Y[0] + m * size, all->Y[1] + m * size, all->Y[2] + m * size};
    for (int level = 0; level < levels; ++level) {
      mbs_clear(size, Y[level]);
    }
    for (int p = 0; p < mover->part_count; ++p) {
      int part = mover->parts[p];
      move_part(tree, c, &element->parts[part], all->values + 9 * part, mover->coordinate, levels, Y, d, turns);
    }
    for (int s = 0; s < mover->scalar_count; ++s) {
      const MbsTreeScalar *scalar = &element->scalars[mover->scalars[s]];
      Y[0][scalar->form * d] += c[scalar->at];
    }
  }
}

static void move_all_forms(const MbsTree *tree, const MbsTreeElement *element, const MbsTreeElements *all, int levels) {
  if (levels == 1) {  // loops of known length
    MBS_SPECIALISE(tree->inner->dimension, element->has_turn, move_forms, tree, element, all, 1);
  } else {
    MBS_SPECIALISE(tree->inner->dimension, element->has_turn, move_forms, tree, element, all, levels);
  }
}

// ---- entries ----
// (i, j) += Y_i.product for all i that the element acts on
static void add_product(const MbsTreeElement *element, const MbsTreeElements *all, int j, int size, int ports,
                        mbs_scalar *values) {
  for (int i = 0; i < element->mover_count; ++i) {
    int position = element->pairs[i * element->mover_count + j];
    if (position >= 0) {
      values[position] += mbs_dot(ports, all->Y[0] + i * size, all->product);
    }
  }
}

static void add_row(const MbsTree *tree, const MbsTreeElement *element, const MbsTreeElements *all, const MbsRow *row,
                    bool is_exact, const MbsWeights *weights, const MbsCombination *c, bool is_moved,
                    mbs_scalar *values) {
  const MbsSystem *inner = tree->inner;
  int size = element->form_count * inner->dimension;
  if (mbs_row_rests(row)) {
    values[element->diagonal] -= 1;
    return;
  }
  int levels = mbs_row_slopes(inner, row, &tree->x, weights, c, is_exact, all->g, all->slope);
  if (!is_moved) {
    move_all_forms(tree, element, all, levels);
  }
  values[element->diagonal] -= row->is_nonholonomic ? weights->n_epsilon : weights->epsilon;
  for (int i = 0; i < element->mover_count; ++i) {
    mbs_scalar sum = 0;
    for (int level = 0; level < levels; ++level) {
      sum += mbs_dot(size, all->slope[level], all->Y[level] + i * size);
    }
    values[element->row[i]] += sum;
    values[element->column[i]] += mbs_dot(size, all->g, all->Y[0] + i * size);
  }
  mbs_scalar scale = c->c0 * tree->x.lambda[row->index];
  if (!is_exact || !element->pairs || mbs_is_zero(scale)) {
    return;
  }
  for (int j = 0; j < element->mover_count; ++j) {
    mbs_row_bend(inner, row, scale, all->Y[0] + j * size, all->product);
    add_product(element, all, j, size, size, values);
  }
}

static void add_force(const MbsTree *tree, const MbsTreeElement *element, const MbsTreeElements *all,
                      const MbsForceElement *force, bool is_exact, const MbsCombination *c, mbs_scalar *values) {
  const MbsSystem *inner = tree->inner;
  int d = inner->dimension, ports = force->port_count * d, arguments = force->argument_count * d;
  int size = element->form_count * d, first = element->argument_form * d;
  mbs_force_element_evaluate(inner, force, &tree->x);
  int levels = is_exact && mbs_has_entries(ports * arguments, force->slopes.F_v) ? 2 : 1;
  for (int i = 0; i < ports * arguments; ++i) {
    all->G[0][i] = -(c->c0 * force->slopes.F_y[i] + c->c1 * force->slopes.F_v[i]);
    all->G[1][i] = -c->c0 * force->slopes.F_v[i];
  }
  move_all_forms(tree, element, all, levels);
  for (int j = 0; j < element->mover_count; ++j) {
    if (!element->movers[j].is_argument) {
      continue;
    }
    for (int i = 0; i < ports; ++i) {
      all->product[i] = 0;
      for (int level = 0; level < levels; ++level) {
        all->product[i] += mbs_dot(arguments, all->G[level] + i * arguments, all->Y[level] + j * size + first);
      }
    }
    add_product(element, all, j, size, ports, values);
  }
}

void mbs_tree_add_scalar_mass(const MbsSystem *inner, const MbsMass *mass, const int *map, mbs_scalar c2,
                              mbs_scalar *values) {
  bool takes_part = mass >= inner->masses && mass < inner->masses + inner->mass_count;
  for (int p = 0; p < mass->count * mass->count && takes_part; ++p) {
    values[map[p]] += c2 * mass->block.value[2 * p];
  }
}

static void add_rows(const MbsTree *tree, bool is_exact, const MbsWeights *weights, const MbsCombination *c,
                     mbs_scalar *values) {
  const MbsMode *mode = &tree->inner->mode;
  const MbsTreeElements *all = tree->elements;
  for (int i = 0; i < mode->row_count; ++i) {
    int at = (int)(&mode->rows[i] - all->first_row);
    bool is_moved = i > 0 && all->rows[at].is_repeated && !mbs_row_rests(&mode->rows[i - 1]);
    add_row(tree, &all->rows[at], all, &mode->rows[i], is_exact, weights, c, is_moved, values);
  }
}

void mbs_tree_jacobian(const MbsSystem *system, const MbsState *state, const MbsWeights *weights,
                       const MbsCombination *c, mbs_scalar *values) {
  (void)mbs_tree_follow(system->tree, state, false);
  mbs_clear(system->mode.pattern.entry_count + 1, values);
  add_rows(system->tree, false, weights, c, values);
}

void mbs_tree_elements_assemble(const MbsTree *tree, MbsMatrixKind kind, bool is_exact, const MbsWeights *weights,
                                const MbsCombination *c, mbs_scalar *values) {
  const MbsSystem *inner = tree->inner;
  const MbsMode *mode = &inner->mode;
  const MbsTreeElements *all = tree->elements;
  const MbsCombination forces = {.c0 = c->c0, .c1 = c->c1}, plain = {.c2 = 1};
  add_rows(tree, is_exact, weights, kind == MBS_MATRIX_PROJECTION ? &plain : c, values);
  for (int i = 0; i < mode->force_count && mbs_has_tangent_of_forces(c->c0, c->c1); ++i) {
    int at = (int)(&mode->forces[i] - all->first_force);
    if (!is_exact || all->forces[at].node < 0) {
      add_force(tree, &all->forces[at], all, mode->forces[i], is_exact, &forces, values);
    }
  }
  for (int i = 0; i < all->scalar_mass_count; ++i) {
    mbs_tree_add_scalar_mass(inner, all->scalar_masses[i], all->scalar_maps[i], c->c2, values);
  }
}
