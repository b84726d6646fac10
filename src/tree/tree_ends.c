// See tree_ends.h.
#include "tree/tree_ends.h"

MbsStatus mbs_tree_number_moving(MbsContext *context, const MbsTree *tree, int **moving, int *count) {
  MBS_TAKE(context, tree->inner->arena, *moving, tree->node_count);
  *count = 0;
  for (int i = 0; i < tree->node_count; ++i) {
    int before = tree->nodes[i].parent < 0 ? -1 : (*moving)[tree->nodes[i].parent];
    (*moving)[i] = tree->nodes[i].count > 0 ? (*count)++ : before;
  }
  return MBS_OK;
}

MbsStatus mbs_tree_ends_create(MbsContext *context, const MbsTree *tree, const int *moving,
                               const MbsTreeElement *element, MbsTreeEnds *ends, int *most) {
  *ends = (MbsTreeEnds){.element = element};
  MBS_TAKE(context, tree->inner->arena, ends->ends, element->part_count + element->scalar_count);
  for (int p = 0; p < element->part_count; ++p) {
    const MbsTreePart *part = &element->parts[p];
    if (moving[part->node] >= 0) {
      ends->ends[ends->count++] =
          (MbsTreeEnd){.form = part->form, .part = p, .node = moving[part->node], .coordinate = -1};
    }
  }
  for (int s = 0; s < element->scalar_count; ++s) {
    const MbsTreeScalar *scalar = &element->scalars[s];
    ends->ends[ends->count++] =
        (MbsTreeEnd){.form = scalar->form, .part = -1, .node = -1, .at = scalar->at, .coordinate = scalar->coordinate};
  }
  for (int e = 0; e < ends->count; ++e) {
    ends->ends[e].is_port = mbs_tree_is_port(element, ends->ends[e].form);
    ends->ends[e].is_argument = mbs_tree_is_argument(element, ends->ends[e].form);
  }
  *most = ends->count > *most ? ends->count : *most;
  return MBS_OK;
}

MBS_KERNEL void move_part(const MbsTree *tree, const MbsTreeElement *element, int index, int level, int t,
                          mbs_scalar *Y, int d) {
  const MbsTreePart *part = &element->parts[index];
  mbs_scalar unit[MBS_LONGEST_TWIST] = {0};
  unit[t] = 1;
  if (t >= d) {
    mbs_cross_add(d, 1, unit + d, tree->elements->values + 9 * index + 3 * level, Y);
  } else if (level == 0 && part->point >= 0) {
    const mbs_scalar *ab = element->block->value + part->at[part->point];
    mbs_turn_add(d, d == 2, ab[0], ab[1], unit, Y);
  }
}

MBS_KERNEL void move_ends(const MbsTree *tree, const MbsTreeEnds *ends, int levels, mbs_scalar *motions, int d) {
  for (int e = 0; e < ends->count; ++e) {
    const MbsTreeEnd *end = &ends->ends[e];
    for (int level = 0; level < levels; ++level) {
      for (int t = 0; t < mbs_tree_end_size(tree, end); ++t) {
        mbs_scalar *Y = mbs_tree_end_motion(tree, motions, e, level, t);
        Y[0] = Y[1] = Y[2] = 0;
        if (end->part >= 0) {
          move_part(tree, ends->element, end->part, level, t, Y, d);
        } else if (level == 0) {
          Y[0] = ends->element->block->value[end->at];
        }
      }
    }
  }
}

void mbs_tree_move_ends(const MbsTree *tree, const MbsTreeEnds *ends, int levels, mbs_scalar *motions) {
  mbs_tree_evaluate_parts(tree, ends->element, levels);
  MBS_IN_DIMENSION(tree->inner->dimension, move_ends, tree, ends, levels, motions);
}

MBS_KERNEL void force_product(const MbsForceElement *force, int form, mbs_scalar by_y, const mbs_scalar *y,
                              mbs_scalar by_v, const mbs_scalar *v, mbs_scalar *product, int d) {
  int arguments = force->argument_count * d;
  for (int i = 0; i < force->port_count * d; ++i) {
    const mbs_scalar *F_y = force->slopes.F_y + i * arguments + form * d;
    const mbs_scalar *F_v = force->slopes.F_v + i * arguments + form * d;
    mbs_scalar sum = 0;
    for (int k = 0; k < d; ++k) {
      sum += by_y * (F_y[k] * y[k]) + by_v * (F_v[k] * v[k]);
    }
    product[i] = -sum;
  }
}

void mbs_tree_force_product(const MbsTree *tree, const MbsForceElement *force, int form, mbs_scalar by_y,
                            const mbs_scalar *y, mbs_scalar by_v, const mbs_scalar *v, mbs_scalar *product) {
  MBS_IN_DIMENSION(tree->inner->dimension, force_product, force, form, by_y, y, by_v, v, product);
}
