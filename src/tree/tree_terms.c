// The table of relative coordinates, and its smaller entries. See tree.h.
#include <math.h>

#include "terms/elements.h"
#include "tree/tree_expanded.h"
#include "tree/tree_unfolded.h"

static void matrix(const MbsSystem *system, MbsMatrixKind kind, const MbsState *state, const MbsWeights *weights,
                   const MbsCombination *c, mbs_scalar *values) {
  const MbsTree *tree = system->tree;
  if (kind == MBS_MATRIX_JACOBIAN) {
    mbs_tree_jacobian(system, state, weights, c, values);
  } else if (tree->expanded) {
    mbs_tree_expanded_assemble(system, kind, state, weights, c, values);
  } else if (tree->shape) {  // whose projection matrix is M, since settings refuse the other one
    mbs_tree_articulate(system, state, c->c0, c->c1, c->c2, values);
  } else {
    mbs_tree_assemble(system, kind, state, weights, c, values);
  }
}

static void matrix_sizes(const MbsSystem *system, const mbs_scalar *values, double *mass, double *longest) {
  const MbsTreeExpanded *expanded = system->tree->expanded;
  if (expanded) {
    *mass = expanded->mass;
    *longest = expanded->longest;
  } else {
    mbs_natural_matrix_sizes(system, values, mass, longest);
  }
}

static const MbsState *follow(const MbsSystem *system, const MbsState *state) {
  return mbs_tree_follow(system->tree, state, false);
}

// what the twists b of the coordinates that carry the body do to it
static int movers(const MbsSystem *system, int first, bool is_point, MbsMover *movers) {
  const MbsTree *tree = system->tree;
  int d = system->dimension, size = mbs_twist_size(d), count = 0;
  for (int node = tree->node_at[first]; node >= 0; node = tree->nodes[node].parent) {
    for (int c = tree->nodes[node].first; c < tree->nodes[node].first + tree->nodes[node].count; ++c) {
      const mbs_scalar *b = tree->b[0] + (size_t)c * (size_t)size;
      MbsMover *mover = &movers[count++];
      *mover = (MbsMover){.coordinate = c};
      mbs_twist_move(d, is_point, b, tree->local + first, mover->velocity);
      for (int i = d; i < size; ++i) {
        mover->omega[i - d] = b[i];
      }
    }
  }
  return count;
}

static void guess(const MbsSystem *system, mbs_scalar *q) {
  for (int i = 0; i < system->n; ++i) {
    q[i] = system->tree->guess[i];
  }
}

// Of a turn p and p + 2 pi are one, of a ball p and -p.
static void measure(const MbsSystem *system, const mbs_scalar *near, mbs_scalar *q) {
  const MbsTree *tree = system->tree;
  const double turn = 8 * atan(1);  // real
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    const double *guess = system->blueprint->tree.items[i].guess;
    double along = 0;
    for (int k = 0; k < node->count; ++k) {
      along += guess[k] * mbs_re(near[node->first + k]);
    }
    for (int k = 0; k < node->count; ++k) {
      double before = mbs_re(near[node->first + k]);
      q[node->first + k] = node->kind == MBS_MOTION_TURN ? guess[k] + turn * round((before - guess[k]) / turn)  // real
                           : node->kind == MBS_MOTION_BALL && along < 0 ? -guess[k]
                                                                        : guess[k];
    }
  }
}

static int ball_of(const MbsSystem *system, int coordinate) {
  const MbsTree *tree = system->tree;
  const MbsTreeNode *node = coordinate < tree->joint_count ? &tree->nodes[tree->node_of[coordinate]] : NULL;
  return node && node->kind == MBS_MOTION_BALL ? node->first : -1;
}

static MbsStatus unfold(MbsContext *context, MbsArena *scratch, const MbsSystem *system, int row_count,
                        const MbsKinematicRow *rows, MbsPattern *pattern, MbsUnfolded **unfolded) {
  return mbs_tree_has_long_rows(system, row_count, rows)
             ? mbs_tree_unfold(context, scratch, system, row_count, rows, pattern, unfolded)
             : MBS_OK;
}

static void forget(const MbsSystem *system) {
  system->tree->is_known = false;
  system->tree->known_parts = 0;
}

const MbsTermsTable mbs_tree_terms = {.residual = mbs_tree_residual,
                                      .cancelling = mbs_tree_cancelling,
                                      .forces = mbs_tree_forces,
                                      .columns = mbs_tree_derivative,
                                      .transposed = mbs_tree_transposed,
                                      .matrix = matrix,
                                      .matrix_sizes = matrix_sizes,
                                      .slopes_columns = mbs_tree_mass_slopes,
                                      .slopes_transposed = mbs_tree_mass_transposed,
                                      .follow = follow,
                                      .take_columns = mbs_tree_columns,
                                      .begin_bar = mbs_tree_begin_bar,
                                      .end_bar = mbs_tree_end_bar,
                                      .movers = movers,
                                      .add_form_pattern = mbs_tree_add_form_pattern,
                                      .unfold = unfold,
                                      .fill_unfolded = mbs_tree_fill_unfolded,
                                      .widen = mbs_tree_widen,
                                      .guess = guess,
                                      .measure = measure,
                                      .ball_of = ball_of,
                                      .forget = forget};
