// The matrix of a deep tree with loops, its numbers. See tree_expanded.h.
#include <math.h>

#include "tree/tree_ball.h"
#include "tree/tree_expanded.h"

// What the numbers are made with: D in units of `unit`, that is eta, eta', eta'' over c0, c1, c2; not exact: one twist,
// eta'' alone.
typedef struct Numbers {
  const MbsTree *tree;
  const MbsTreeExpanded *expanded;
  bool is_exact;
  const MbsWeights *weights;
  MbsCombination c;
  mbs_scalar unit[3];
  mbs_scalar *values;
  int twist, d;
} Numbers;

// ---- nodes ----
static void put_node(const Numbers *to, const MbsTreeMovingNode *node) {
  for (int k = 0; k < 3 * to->twist; ++k) {
    to->values[node->own[k]] = 1;
    if (node->parent >= 0) {
      to->values[node->of_parent[k]] = -1;
    }
  }
  for (int k = 0; k < to->twist; ++k) {
    to->values[node->wrench[k]] = 1;
    if (node->parent >= 0) {
      to->values[node->to_parent[k]] = -1;
    }
  }
}

static void add_body(const Numbers *to, int index) {
  int moving = to->expanded->moving[index], size = 3 * to->twist;
  mbs_scalar K[3 * MBS_LONGEST_TWIST * MBS_LONGEST_TWIST] = {0};
  if (moving < 0 || to->tree->nodes[index].body_count == 0) {
    return;
  }
  mbs_tree_body_matrix(to->tree, index, to->is_exact, K);
  mbs_scalar *composite = to->expanded->composite + to->twist * to->twist * moving;
  for (int i = 0; i < to->twist * to->twist; ++i) {
    composite[i] += K[size * (i / to->twist) + (to->is_exact ? 2 * to->twist : 0) + i % to->twist];
  }
  for (int k = 0; k < (to->is_exact ? size : to->twist); ++k) {
    mbs_scalar unit = to->is_exact ? to->unit[k / to->twist] : to->c.c2;
    mbs_scalar *column = to->values + to->expanded->nodes[moving].K[k];
    for (int i = 0; i < to->twist; ++i) {
      column[i] -= unit * K[size * i + k];
    }
  }
}

static void put_coordinate(const Numbers *to, int k) {
  const MbsTree *tree = to->tree;
  const MbsTreeExpandedCoordinate *coordinate = &to->expanded->coordinates[k];
  const MbsTreeNode *node = &tree->nodes[tree->node_of[k]];
  const mbs_scalar *b[3] = {tree->b[0] + to->twist * k, tree->b[1] + to->twist * k, tree->b[2] + to->twist * k};
  const mbs_scalar *W = tree->W + to->twist * tree->node_of[k];
  const MbsCombination *c = &to->c;
  mbs_scalar *C = to->values + coordinate->C, g[MBS_LONGEST_TWIST] = {0};
  for (int i = 0; i < to->twist; ++i) {
    to->values[coordinate->b[i]] = b[0][i];
    C[i] = -(to->is_exact ? c->c0 / to->unit[0] : 1) * b[0][i];
    if (to->is_exact) {
      C[to->twist + i] = -(c->c1 * b[0][i] + c->c0 * b[1][i]) / to->unit[1];
      C[2 * to->twist + i] = -(c->c2 * b[0][i] + 2 * c->c1 * b[1][i] + c->c0 * b[2][i]) / to->unit[2];
    }
  }
  if (!to->is_exact) {
    return;
  }
  if (to->expanded->nodes[coordinate->node].parent >= 0) {
    mbs_bracket_transposed(to->d, to->unit[0], b[0], W, g);
    for (int i = 0; i < to->twist; ++i) {
      to->values[coordinate->g[i]] += g[i];
    }
  }
  for (int l = 0; l < node->count && node->kind == MBS_MOTION_BALL; ++l) {
    to->values[coordinate->own[l]] += c->c0 * mbs_tree_ball_work(tree, tree->node_of[k], k - node->first, l, W);
  }
}

// ---- ends ----
static const mbs_scalar *motion_of(const Numbers *to, int end, int level, int t) {
  return mbs_tree_end_motion(to->tree, to->expanded->motion, end, level, t);
}

// The product of an element's slopes with a motion of one end is in the elements' product: what it does to all ports.
static void add_product(const Numbers *to, const MbsTreeExpandedElement *element, int argument, int column) {
  int most = 2 * to->twist;
  for (int p = 0; p < element->ends.count; ++p) {
    const MbsTreeEnd *port = &element->ends.ends[p];
    if (!port->is_port) {
      continue;
    }
    mbs_scalar *at = to->values + element->pairs[(p * element->ends.count + argument) * most + column];
    for (int i = 0; i < mbs_tree_end_size(to->tree, port); ++i) {
      mbs_scalar work = mbs_dot(to->d, motion_of(to, p, 0, i), to->tree->elements->product + to->d * port->form);
      at[i] += port->part < 0 ? work : -work;
    }
  }
}

// ---- constraints ----
// c0 e_y Y + c1 e_y' Y ... of one end; `slope` are the derivatives of e by y, y', y''
static void put_row_end(const Numbers *to, const MbsTreeExpandedElement *element, int index, int levels) {
  const MbsTreeEnd *end = &element->ends.ends[index];
  const int *row = element->row[index], column = element->column[index];
  const MbsTreeElements *all = to->tree->elements;
  const mbs_scalar *g = all->g + to->d * end->form;
  const mbs_scalar *slope[3];
  for (int level = 0; level < 3; ++level) {
    slope[level] = all->slope[level] + to->d * end->form;
  }
  for (int t = 0; t < mbs_tree_end_size(to->tree, end); ++t) {
    const mbs_scalar *Y[3] = {motion_of(to, index, 0, t), motion_of(to, index, 1, t), motion_of(to, index, 2, t)};
    mbs_scalar work = mbs_dot(to->d, g, Y[0]);
    to->values[column + t] += end->part < 0 ? work : -work;
    if (!to->is_exact) {
      to->values[row[t]] += mbs_dot(to->d, slope[0], Y[0]);
    } else if (end->part < 0) {
      const mbs_scalar c[3] = {to->c.c0, to->c.c1, to->c.c2};
      for (int level = 0; level < levels; ++level) {
        to->values[row[0]] += c[level] * mbs_dot(to->d, slope[level], Y[0]);
      }
    } else {
      mbs_scalar by[3] = {0};
      for (int level = 0; level < levels; ++level) {
        by[0] += mbs_dot(to->d, slope[level], Y[level]);
        by[level] += level > 0 ? mbs_dot(to->d, slope[level], Y[0]) : 0;
      }
      by[1] += levels > 2 ? 2 * mbs_dot(to->d, slope[2], Y[1]) : 0;
      for (int level = 0; level < levels; ++level) {
        to->values[row[level * to->twist + t]] += to->unit[level] * by[level];
      }
    }
  }
}

// entries that T would have: of the coordinates nearest to the end
static void raise_longest(const Numbers *to, const MbsTreeEnd *end, const mbs_scalar *U) {
  const MbsTree *tree = to->tree;
  const MbsTreeNode *node = end->part < 0 ? NULL : &tree->nodes[to->expanded->nodes[end->node].node];
  for (int k = node ? node->first : 0; node && k < node->first + node->count; ++k) {
    mbs_raise(&tree->expanded->longest, mbs_dot(to->twist, tree->b[0] + to->twist * k, U));
  }
}

static void add_row(const Numbers *to, const MbsRow *row, const MbsTreeExpandedElement *element) {
  const MbsSystem *inner = to->tree->inner;
  const MbsTreeElements *all = to->tree->elements;
  const MbsCombination by_levels = {.c0 = 1};
  if (mbs_row_rests(row)) {
    to->values[element->diagonal] -= 1;
    return;
  }
  int levels = mbs_row_slopes(inner, row, &to->tree->x, to->weights, to->is_exact ? &by_levels : &to->c, to->is_exact,
                              all->g, all->slope);
  mbs_tree_move_ends(to->tree, &element->ends, levels, to->expanded->motion);
  to->values[element->diagonal] -= row->is_nonholonomic ? to->weights->n_epsilon : to->weights->epsilon;
  for (int e = 0; e < element->ends.count; ++e) {
    put_row_end(to, element, e, levels);
    raise_longest(to, &element->ends.ends[e], to->values + element->column[e]);
  }
  mbs_scalar lambda = to->tree->x.lambda[row->index];
  if (!to->is_exact || !element->pairs) {
    return;
  }
  int size = to->d * element->ends.element->form_count;
  for (int e = 0; e < element->ends.count; ++e) {
    const MbsTreeEnd *end = &element->ends.ends[e];
    for (int t = 0; t < mbs_tree_end_size(to->tree, end); ++t) {
      for (int i = 0; i < size; ++i) {
        to->expanded->y[i] = i / to->d == end->form ? motion_of(to, e, 0, t)[i % to->d] : 0;
      }
      mbs_row_bend(inner, row, lambda * (end->part < 0 ? to->c.c0 : to->unit[0]), to->expanded->y,
                   to->tree->elements->product);
      add_product(to, element, e, t);
    }
  }
}

// ---- forces ----
static void add_force(const Numbers *to, const MbsForceElement *force, const MbsTreeExpandedElement *element) {
  mbs_scalar *product = to->tree->elements->product;
  mbs_force_element_evaluate(to->tree->inner, force, &to->tree->x);
  mbs_tree_move_ends(to->tree, &element->ends, to->is_exact ? 2 : 1, to->expanded->motion);
  for (int e = 0; e < element->ends.count; ++e) {
    const MbsTreeEnd *end = &element->ends.ends[e];
    int form = end->form - element->ends.element->argument_form;
    for (int t = 0; t < mbs_tree_end_size(to->tree, end) && end->is_argument; ++t) {
      const mbs_scalar *Y = motion_of(to, e, 0, t), *rate = motion_of(to, e, 1, t);
      if (!to->is_exact || end->part < 0) {
        mbs_tree_force_product(to->tree, force, form, to->c.c0, Y, to->c.c1, Y, product);
        add_product(to, element, e, t);
        continue;
      }
      mbs_tree_force_product(to->tree, force, form, to->unit[0], Y, to->unit[0], rate, product);
      add_product(to, element, e, t);
      mbs_tree_force_product(to->tree, force, form, 0, Y, to->unit[1], Y, product);
      add_product(to, element, e, to->twist + t);
    }
  }
}

// ---- all of it ----
// The largest entry of T's mass matrix, which is on its diagonal: b.(K summed over all on the node) b.
static double largest_mass(const Numbers *to) {
  const MbsTree *tree = to->tree;
  mbs_scalar *composite = to->expanded->composite;
  int twist = to->twist, numbers = twist * twist;
  double largest = 0;
  for (int i = to->expanded->node_count - 1; i >= 0; --i) {
    int parent = to->expanded->nodes[i].parent;
    for (int k = 0; k < numbers && parent >= 0; ++k) {
      composite[numbers * parent + k] += composite[numbers * i + k];
    }
  }
  for (int k = 0; k < tree->joint_count; ++k) {
    const mbs_scalar *b = tree->b[0] + twist * k, *K = composite + numbers * to->expanded->coordinates[k].node;
    mbs_scalar sum = 0;
    for (int i = 0; i < twist; ++i) {
      sum += b[i] * mbs_dot(twist, K + twist * i, b);
    }
    mbs_raise(&largest, sum);
  }
  return largest;
}

void mbs_tree_expanded_assemble(const MbsSystem *system, MbsMatrixKind kind, const MbsState *state,
                                const MbsWeights *weights, const MbsCombination *c, mbs_scalar *values) {
  MbsTree *tree = system->tree;
  const MbsSystem *inner = tree->inner;
  const MbsMode *mode = &inner->mode;
  const MbsTreeElements *all = tree->elements;
  bool has_forces = mbs_has_tangent_of_forces(c->c0, c->c1);
  Numbers to = {
      .tree = tree,
      .expanded = tree->expanded,
      .is_exact = kind == MBS_MATRIX_TANGENT && has_forces,
      .weights = weights,
      .c = *c,
      .unit = {!mbs_is_zero(c->c0) ? c->c0 : 1, !mbs_is_zero(c->c1) ? c->c1 : 1, !mbs_is_zero(c->c2) ? c->c2 : 1},
      .values = values,
      .twist = mbs_twist_size(inner->dimension),
      .d = inner->dimension};
  (void)mbs_tree_follow(tree, state, to.is_exact);
  mbs_tree_find_inertia(tree);
  if (to.is_exact) {
    mbs_tree_balance(tree, MBS_PART_ALL);
  }
  mbs_clear(system->mode.factored.entry_count + 1, values);
  mbs_clear(to.twist * to.twist * tree->expanded->node_count, tree->expanded->composite);
  for (int i = 0; i < tree->expanded->node_count; ++i) {
    put_node(&to, &tree->expanded->nodes[i]);
  }
  for (int i = 0; i < tree->node_count; ++i) {
    add_body(&to, i);
  }
  for (int k = 0; k < tree->joint_count; ++k) {
    put_coordinate(&to, k);
  }
  tree->expanded->mass = largest_mass(&to);
  tree->expanded->longest = 0;
  for (int i = 0; i < mode->force_count && has_forces; ++i) {
    add_force(&to, mode->forces[i], &tree->expanded->forces[&mode->forces[i] - all->first_force]);
  }
  for (int i = 0; i < all->scalar_mass_count; ++i) {
    mbs_tree_add_scalar_mass(inner, all->scalar_masses[i], tree->expanded->scalar_maps[i], c->c2, values);
  }
  to.c = kind == MBS_MATRIX_PROJECTION ? (MbsCombination){.c2 = 1} : to.c;
  for (int i = 0; i < mode->row_count; ++i) {
    add_row(&to, &mode->rows[i], &tree->expanded->rows[&mode->rows[i] - all->first_row]);
  }
}
