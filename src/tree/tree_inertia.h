// What the files about bodies in the tree share: tree_inertia.c, tree_body_matrix.c.
#ifndef MBS_TREE_INERTIA_H
#define MBS_TREE_INERTIA_H

#include "terms/elements.h"
#include "tree/tree.h"

enum { MBS_MOST_ENTITIES = 4 };  // of a body

// The mass of a node's body, if that takes part in the terms now (mbs_system_isolate).
static inline const MbsMass *mbs_tree_mass_of(const MbsTree *tree, int index) {
  const MbsSystem *inner = tree->inner;
  const MbsMass *mass = tree->nodes[index].mass;
  return mass >= inner->masses && mass < inner->masses + inner->mass_count ? mass : NULL;
}

// The frame H of a node.
MBS_KERNEL const mbs_scalar *mbs_tree_frame_of(const MbsTree *tree, int index, int d) {
  return tree->H + index * (d == 2 ? 4 : 12);
}

// Entity e of the body with the frame H: its origin, then its axes.
MBS_KERNEL const mbs_scalar *mbs_tree_entity(const mbs_scalar *H, int e, int d) {
  return H + (e > 0 ? d * (e - 1) : d == 2 ? 2 : 9);
}

// The weight on entity e, among the coefficients of a mass, or its slope, among theirs.
MBS_KERNEL const mbs_scalar *mbs_tree_weight(const mbs_scalar *coefficients, int count, int e, int d) {
  return coefficients + 2 * count * count + d * e;
}

// p = integral v dm
MBS_KERNEL void mbs_tree_momentum(const MbsTreeInertia *inertia, const mbs_scalar *V, mbs_scalar *p, int d) {
  for (int k = 0; k < d; ++k) {
    p[k] = inertia->m * V[k];
  }
  mbs_cross_add(d, 1, V + d, inertia->h, p);
}

#endif
