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

// Entity e of the body with the frame H: its origin, then its axes.
MBS_KERNEL const mbs_scalar *mbs_tree_entity(const mbs_scalar *H, int e, int d) {
  return e > 0 ? H + d * (e - 1) : mbs_frame_origin(d, H);
}

// The weight on entity e, among the coefficients of a mass, or its slope, among theirs.
MBS_KERNEL const mbs_scalar *mbs_tree_weight(const mbs_scalar *coefficients, int count, int e, int d) {
  return coefficients + 2 * count * count + d * e;
}

// The integrals of a body, or their slopes: ab are the coefficients of its mass, or those'.
MBS_KERNEL void mbs_tree_integrate(const mbs_scalar *ab, int count, const mbs_scalar *H, MbsTreeInertia *all, int d) {
  mbs_scalar Mx[MBS_MOST_ENTITIES][3] = {{0}};
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      mbs_turn_add(d, d == 2, ab[2 * (i * count + j)], ab[2 * (i * count + j) + 1], mbs_tree_entity(H, j, d), Mx[i]);
    }
  }
  all->m = ab[0];
  all->trace = 0;
  for (int i = 0; i < d; ++i) {
    all->h[i] = Mx[0][i];
    for (int k = i; k < (d == 2 ? i + 1 : 3); ++k) {
      mbs_scalar sum = 0;
      for (int e = 0; e < count; ++e) {
        sum += mbs_tree_entity(H, e, d)[i] * Mx[e][k];
      }
      all->S[i][k] = all->S[k][i] = sum;
    }
    all->trace += all->S[i][i];
  }
}

// y = I t
MBS_KERNEL void mbs_tree_inertia_times(const MbsTreeInertia *inertia, const mbs_scalar *t, mbs_scalar *y, int d) {
  const mbs_scalar *h = inertia->h, (*S)[3] = inertia->S;
  for (int k = 0; k < d; ++k) {
    y[k] = inertia->m * t[k];
  }
  for (int k = d; k < mbs_twist_size(d); ++k) {
    y[k] = inertia->trace * t[k];
  }
  for (int i = 0; i < 3 && d == 3; ++i) {
    y[3 + i] -= S[i][0] * t[3] + S[i][1] * t[4] + S[i][2] * t[5];
  }
  mbs_cross_add(d, 1, t + d, h, y);
  mbs_moment_add(d, h, t, y + d);
}

// p = integral v dm
MBS_KERNEL void mbs_tree_momentum(const MbsTreeInertia *inertia, const mbs_scalar *V, mbs_scalar *p, int d) {
  for (int k = 0; k < d; ++k) {
    p[k] = inertia->m * V[k];
  }
  mbs_cross_add(d, 1, V + d, inertia->h, p);
}

#endif
