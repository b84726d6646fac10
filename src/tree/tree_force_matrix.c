// Forces that act on one body and depend on that body (and the ground) alone: tyres, springs to the ground, what an
// expression makes of a body. They change the body's wrench with its motion, as its inertia does: K of
// tree_tangent.c, which coordinates before the body share at no further cost. With y = w o + vectors the part of a form
// on the body, o its point, a motion eta = (lin, ang) gives
//     y' = w lin + ang x y =: M eta,      v' = M eta' + ang x v =: M eta' + X eta
// and f, which has the force F(y, v) with a minus, the wrench W = -M' F, so that at fixed M
//     K_eta = -M' (F_y M + F_v X),    K_eta' = -M' F_v M
// F itself while M turns: find_rest in tree_body_matrix.c.
#include "tree/tree_elements.h"

// A (twist x arguments) = M' S of the parts that the force acts on, S (ports x arguments) slopes of F
MBS_KERNEL void find_wrenches(const MbsTreeElement *element, const mbs_scalar *values, int ports, int arguments,
                              const mbs_scalar *S, mbs_scalar *A, int d, bool turns) {
  int twist = mbs_twist_size(d);
  const mbs_scalar *c = element->block->value;
  mbs_clear(twist * arguments, A);
  for (int p = 0; p < element->part_count; ++p) {
    const MbsTreePart *part = &element->parts[p];
    if (!mbs_tree_is_port(element, part->form) || part->form * d >= ports) {
      continue;
    }
    for (int j = 0; j < arguments; ++j) {
      mbs_scalar g[3] = {0}, wrench[MBS_LONGEST_TWIST] = {0};
      for (int k = 0; k < d; ++k) {
        g[k] = S[(part->form * d + k) * arguments + j];
      }
      if (part->point >= 0) {
        mbs_turn_add(d, turns, c[part->at[part->point]], -c[part->at[part->point] + 1], g, wrench);
      }
      mbs_moment_add(d, values + 9 * p, g, wrench + d);
      for (int i = 0; i < twist; ++i) {
        A[i * arguments + j] += wrench[i];
      }
    }
  }
}

// K -= A M, and what turns the other way: a row of A times w lin + ang x y is (w a).lin + ang.(y x a)
MBS_KERNEL void subtract_motions(const MbsTreeElement *element, const mbs_scalar *values, int level, int arguments,
                                 const mbs_scalar *A, mbs_scalar *K, int d, bool turns) {
  int twist = mbs_twist_size(d);
  const mbs_scalar *c = element->block->value;
  for (int p = 0; p < element->part_count; ++p) {
    const MbsTreePart *part = &element->parts[p];
    if (!mbs_tree_is_argument(element, part->form)) {
      continue;
    }
    const mbs_scalar *y = values + 9 * p + 3 * level;
    for (int i = 0; i < twist; ++i) {
      const mbs_scalar *a = A + i * arguments + (part->form - element->argument_form) * d;
      mbs_scalar row[MBS_LONGEST_TWIST] = {0};
      if (part->point >= 0 && level == 0) {
        mbs_turn_add(d, turns, c[part->at[part->point]], -c[part->at[part->point] + 1], a, row);
      }
      mbs_moment_add(d, y, a, row + d);
      for (int k = 0; k < twist; ++k) {
        K[3 * twist * i + k] -= row[k];
      }
    }
  }
}

MBS_KERNEL void add_force(const MbsTree *tree, const MbsTreeElement *element, const MbsForceElement *force,
                          mbs_scalar *K, int d, bool turns) {
  const MbsTreeElements *all = tree->elements;
  int ports = force->port_count * d, arguments = force->argument_count * d;
  const mbs_scalar *values = all->values;
  find_wrenches(element, values, ports, arguments, force->slopes.F_y, all->wrench, d, turns);
  subtract_motions(element, values, 0, arguments, all->wrench, K, d, turns);
  if (mbs_has_entries(ports * arguments, force->slopes.F_v)) {
    find_wrenches(element, values, ports, arguments, force->slopes.F_v, all->wrench, d, turns);
    subtract_motions(element, values, 1, arguments, all->wrench, K, d, turns);
    subtract_motions(element, values, 0, arguments, all->wrench, K + mbs_twist_size(d), d, turns);
  }
}

void mbs_tree_add_force_matrices(const MbsTree *tree, mbs_scalar *K) {
  const MbsSystem *inner = tree->inner;
  const MbsTreeElements *all = tree->elements;
  int twist = mbs_twist_size(inner->dimension);
  for (int i = 0; i < inner->mode.force_count; ++i) {
    const MbsForceElement *force = inner->mode.forces[i];
    const MbsTreeElement *element = &all->forces[&inner->mode.forces[i] - all->first_force];
    if (element->node >= 0) {
      mbs_force_element_evaluate(inner, force, &tree->x);
      mbs_tree_evaluate_parts(tree, element, 2);
      MBS_SPECIALISE(inner->dimension, element->has_turn, add_force, tree, element, force,
                     K + 3 * twist * twist * element->node);
    }
  }
}
