// See tree_unfolded.h.
#include "tree/tree_unfolded.h"

#include "tree/tree_ends.h"

typedef struct Builder {
  MbsContext *context;
  const MbsSystem *system;
  const MbsTree *tree;
  int row_count;
  const MbsPattern *pattern;
  MbsUnfolded *unfolded;
  MbsPatternBuilder *builder;  // NULL: the pattern is known, and places are wanted
  int twist;
  int capacity, *last_row;  // by coordinate of the bodies: 1 + the last row that has it
} Builder;

// ---- does it pay? ----
// coordinates between the ground and each node, with its own
static int depth_of(const MbsTree *tree, int index) {
  int depth = 0;
  for (int i = index; i >= 0; i = tree->nodes[i].parent) {
    depth += tree->nodes[i].count;
  }
  return depth;
}

// entries of one independent coordinate's row: those of the first body that it depends on, about
static int path_of(const MbsSystem *system, const MbsTape *tape) {
  const MbsTree *tree = system->tree;
  for (int s = 0; s < tape->input_count; ++s) {
    const MbsSignal *signal = &system->blueprint->signals.items[tape->inputs[s]];
    const MbsLinearForm *form = signal->kind == MBS_SIGNAL_POSITION ? &system->signals.forms[signal->index] : NULL;
    for (int t = 0; form && t < form->count; ++t) {
      int node = form->first[t] < tree->inner->n ? tree->node_at[form->first[t]] : -1;
      if (node >= 0) {
        return depth_of(tree, node);
      }
    }
  }
  return 0;
}

bool mbs_tree_has_long_rows(const MbsSystem *system, int row_count, const MbsKinematicRow *rows) {
  const double least = 16.0 * mbs_twist_size(system->dimension) * system->n;
  double entries = 0;
  for (int r = 0; r < row_count && entries <= least; ++r) {
    entries += rows[r].function ? path_of(system, rows[r].function->tape) : 0;
  }
  return entries > least;
}

// ---- entries ----
static int motion_of(const Builder *b, int moving, int k) { return b->system->n + b->twist * moving + k; }

static MbsStatus entry(const Builder *b, int row, int column, int *position) {
  if (b->builder) {
    return mbs_pattern_add(b->context, b->builder, row, column);
  }
  *position = mbs_pattern_position(b->pattern, row, column);
  return MBS_OK;
}

static MbsStatus place_term(const Builder *b, MbsUnfoldedTerm *term) {
  if (term->coordinate >= 0) {
    return entry(b, term->row, term->coordinate, &term->at[0]);
  }
  int moving = b->unfolded->moving[b->tree->node_at[term->first]];
  for (int k = 0; k < b->twist; ++k) {
    MBS_TRY(entry(b, term->row, motion_of(b, moving, k), &term->at[k]));
  }
  return MBS_OK;
}

// D_i - D_p - sum of b_k s_k
static MbsStatus place_node(const Builder *b, int index) {
  MbsUnfolded *unfolded = b->unfolded;
  const MbsTreeNode *node = &b->tree->nodes[unfolded->nodes[index]];
  int parent = node->parent < 0 ? -1 : b->unfolded->moving[node->parent], d = b->system->dimension;
  for (int k = 0; k < b->twist; ++k) {
    int row = motion_of(b, index, k);
    MBS_TRY(entry(b, row, row, &unfolded->own[b->twist * index + k]));
    MBS_TRY(entry(b, row, parent < 0 ? -1 : motion_of(b, parent, k), &unfolded->of_parent[b->twist * index + k]));
    for (int l = d; l < b->twist && k < d; ++l) {
      int *lever = &unfolded->levers[(b->twist * index + k) * d + l - d];
      MBS_TRY(entry(b, row, parent < 0 || (d == 3 && l - d == k) ? -1 : motion_of(b, parent, l), lever));
    }
    for (int j = node->first; j < node->first + node->count; ++j) {
      MBS_TRY(entry(b, row, j, &unfolded->axes[b->twist * j + k]));
    }
  }
  return MBS_OK;
}

static MbsStatus place_all(const Builder *b) {
  for (int i = 0; i < b->unfolded->term_count; ++i) {
    MBS_TRY(place_term(b, &b->unfolded->terms[i]));
  }
  for (int i = 0; i < b->unfolded->node_count; ++i) {
    MBS_TRY(place_node(b, i));
  }
  return MBS_OK;
}

// ---- terms ----
static MbsStatus add_term(Builder *b, int row, int at, MbsUnfoldedTerm **made) {
  const MbsTree *tree = b->tree;
  MbsUnfolded *unfolded = b->unfolded;
  int node = tree->node_at[at], d = b->system->dimension, coordinate = tree->coordinate_at[at];
  int first = node < 0 ? at : at - (at - tree->nodes[node].body_first) % d;
  bool does_move = coordinate >= 0 || (node >= 0 && b->unfolded->moving[node] >= 0);
  *made = NULL;
  if (!does_move || b->last_row[first] == row + 1) {
    return MBS_OK;
  }
  b->last_row[first] = row + 1;
  MBS_GROW(b->context, b->system->arena, unfolded->terms, unfolded->term_count, b->capacity);
  *made = &unfolded->terms[unfolded->term_count++];
  **made = (MbsUnfoldedTerm){.row = row,
                             .first = first,
                             .coordinate = coordinate,
                             .is_point = node >= 0 && first == tree->nodes[node].body_first};
  return MBS_OK;
}

// constraints by their rows in the bodies' matrix
static MbsStatus list_constraint(Builder *b, int row, int first, int count, const int *columns) {
  const MbsPattern *pattern = &b->tree->inner->mode.pattern;
  int at = b->tree->inner->n + b->unfolded->rows[row].constraint;
  for (int k = first; k < first + count; ++k) {
    MbsUnfoldedTerm *term;
    MBS_TRY(add_term(b, row, columns[k], &term));
    for (int i = 0; term && i < (term->coordinate >= 0 ? 1 : b->system->dimension); ++i) {
      term->from[i] = mbs_pattern_find(pattern, at, term->first + i);
    }
  }
  return MBS_OK;
}

static MbsStatus list_function(Builder *b, int row) {
  const MbsTape *tape = b->unfolded->rows[row].function->tape;
  for (int s = 0; s < tape->input_count; ++s) {
    const MbsSignal *signal = &b->system->blueprint->signals.items[tape->inputs[s]];
    const MbsLinearForm *form = signal->kind == MBS_SIGNAL_POSITION ? &b->system->signals.forms[signal->index] : NULL;
    for (int t = 0; form && t < form->count; ++t) {
      MbsUnfoldedTerm *term;
      if (form->first[t] < b->tree->inner->n) {
        MBS_TRY(add_term(b, row, form->first[t], &term));
      }
    }
  }
  return MBS_OK;
}

static MbsStatus list_terms(Builder *b, MbsArena *scratch) {
  const MbsSystem *inner = b->tree->inner;
  const MbsPattern *pattern = &inner->mode.pattern;
  int *start, *next, *columns;
  MBS_TAKE(b->context, scratch, start, inner->m + 1);
  MBS_TAKE(b->context, scratch, next, inner->m);
  MBS_TAKE(b->context, scratch, columns, pattern->entry_count);
  MBS_TAKE(b->context, scratch, b->last_row, inner->n);
  for (int pass = 0; pass < 2; ++pass) {
    for (int column = 0; column < inner->n; ++column) {
      for (int k = pattern->column_start[column]; k < pattern->column_start[column + 1]; ++k) {
        int constraint = pattern->row[k] - inner->n;
        if (constraint >= 0 && pass == 0) {
          start[constraint + 1] += 1;
        } else if (constraint >= 0) {
          columns[start[constraint] + next[constraint]++] = column;
        }
      }
    }
    for (int k = 0; k < inner->m && pass == 0; ++k) {
      start[k + 1] += start[k];
    }
  }
  for (int r = 0; r < b->row_count; ++r) {
    int k = b->unfolded->rows[r].constraint;
    MBS_TRY(b->unfolded->rows[r].function ? list_function(b, r)
                                          : list_constraint(b, r, start[k], start[k + 1] - start[k], columns));
  }
  return MBS_OK;
}

static MbsStatus list_nodes(Builder *b) {
  const MbsTree *tree = b->tree;
  MbsUnfolded *unfolded = b->unfolded;
  MbsArena *arena = b->system->arena;
  int *nodes;
  int *moving;
  MBS_TRY(mbs_tree_number_moving(b->context, tree, &moving, &unfolded->node_count));
  unfolded->moving = moving;
  MBS_TAKE(b->context, arena, nodes, unfolded->node_count);
  for (int i = 0; i < tree->node_count; ++i) {
    if (tree->nodes[i].count > 0) {
      nodes[moving[i]] = i;
    }
  }
  unfolded->nodes = nodes;
  MBS_TAKE(b->context, arena, unfolded->own, b->twist * unfolded->node_count);
  MBS_TAKE(b->context, arena, unfolded->of_parent, b->twist * unfolded->node_count);
  MBS_TAKE(b->context, arena, unfolded->levers, b->twist * b->system->dimension * unfolded->node_count);
  MBS_TAKE(b->context, arena, unfolded->axes, b->twist * tree->joint_count);
  MBS_TAKE(b->context, arena, unfolded->tangent, tree->inner->mode.pattern.entry_count + 1);
  MBS_TAKE(b->context, arena, unfolded->gradient, tree->inner->nq);
  return MBS_OK;
}

MbsStatus mbs_tree_unfold(MbsContext *context, MbsArena *scratch, const MbsSystem *system, int row_count,
                          const MbsKinematicRow *rows, MbsPattern *pattern, MbsUnfolded **unfolded) {
  Builder b = {.context = context,
               .system = system,
               .tree = system->tree,
               .row_count = row_count,
               .pattern = pattern,
               .twist = mbs_twist_size(system->dimension)};
  MBS_TAKE(context, system->arena, b.unfolded, 1);
  b.unfolded->rows = rows;
  MBS_TRY(list_nodes(&b));
  MBS_TRY(list_terms(&b, scratch));
  int extra = b.twist * b.unfolded->node_count;
  MBS_TRY(mbs_pattern_begin(context, system->arena, system->n + extra, &b.builder));
  MBS_TRY(place_all(&b));
  MBS_TRY(mbs_pattern_finish(context, b.builder, pattern));
  pattern->extra = extra;
  b.builder = NULL;
  MBS_TRY(place_all(&b));
  *unfolded = b.unfolded;
  return MBS_OK;
}

// ---- values ----
// the point that D of a node is about
static const mbs_scalar *origin_of(const MbsTree *tree, int node) {
  int d = tree->inner->dimension, size = d == 2 ? 4 : 12;
  return tree->H + node * size + size - d;
}

// from slopes of a row by the coordinates of a body or of the model's own
static void add_term_values(const MbsTree *tree, const MbsUnfolded *unfolded, const MbsUnfoldedTerm *term,
                            const mbs_scalar *slopes, mbs_scalar *values) {
  int d = tree->inner->dimension;
  mbs_scalar wrench[MBS_LONGEST_TWIST] = {0}, arm[3];
  if (term->coordinate >= 0) {
    values[term->at[0]] += slopes[0];
    return;
  }
  const mbs_scalar *o = origin_of(tree, unfolded->nodes[unfolded->moving[tree->node_at[term->first]]]);
  for (int k = 0; k < d; ++k) {
    arm[k] = tree->local[term->first + k] - (term->is_point ? o[k] : 0);
  }
  mbs_twist_move_transposed(d, term->is_point, arm, slopes, wrench);
  for (int k = 0; k < mbs_twist_size(d); ++k) {
    values[term->at[k]] += wrench[k];
  }
}

// of a function: its gradient reaches the terms, which are cleared for the next one (what is fixed is not read)
static void add_function(const MbsSystem *system, const MbsUnfolded *unfolded, const MbsState *state, const MbsState *x,
                         int begin, int end, mbs_scalar *values) {
  const MbsFunction *w = unfolded->rows[unfolded->terms[begin].row].function;
  mbs_scalar *gradient = unfolded->gradient;
  (void)mbs_function_evaluate(system, w, state, NULL);
  mbs_function_transposed(system->tree->inner, w, x, 1, &(MbsStateBar){.q = gradient});
  for (int i = begin; i < end; ++i) {
    const MbsUnfoldedTerm *term = &unfolded->terms[i];
    add_term_values(system->tree, unfolded, term, gradient + term->first, values);
    for (int k = 0; k < (term->coordinate >= 0 ? 1 : system->dimension); ++k) {
      gradient[term->first + k] = 0;
    }
  }
}

static void add_constraint(const MbsSystem *system, const MbsUnfolded *unfolded, const MbsUnfoldedTerm *term,
                           mbs_scalar *values) {
  mbs_scalar slopes[3] = {0};
  for (int k = 0; k < (term->coordinate >= 0 ? 1 : system->dimension); ++k) {
    slopes[k] = unfolded->tangent[term->from[k]];
  }
  add_term_values(system->tree, unfolded, term, slopes, values);
}

// lin_i = lin_p + ang_p x (o_i - o_p) + ...
static void fill_node(const MbsTree *tree, const MbsUnfolded *unfolded, int index, mbs_scalar *values) {
  const MbsTreeNode *node = &tree->nodes[unfolded->nodes[index]];
  int d = tree->inner->dimension, twist = mbs_twist_size(d);
  int parent = node->parent < 0 ? -1 : unfolded->moving[node->parent];
  const mbs_scalar *o = origin_of(tree, unfolded->nodes[index]);
  const mbs_scalar *o_p = parent < 0 ? o : origin_of(tree, unfolded->nodes[parent]);
  mbs_scalar arm[3];
  for (int k = 0; k < d; ++k) {
    arm[k] = o[k] - o_p[k];
  }
  for (int k = 0; k < twist; ++k) {
    values[unfolded->own[twist * index + k]] = 1;
    values[unfolded->of_parent[twist * index + k]] = -1;  // on the ground that is the bin, as levers are then
  }
  for (int l = 0; l < twist - d; ++l) {
    mbs_scalar ang[3] = {0}, moved[3] = {0};
    ang[l] = 1;
    mbs_cross_add(d, -1, ang, arm, moved);
    for (int k = 0; k < d; ++k) {
      values[unfolded->levers[(twist * index + k) * d + l]] = moved[k];
    }
  }
  for (int j = node->first; j < node->first + node->count; ++j) {
    mbs_scalar b[MBS_LONGEST_TWIST] = {0};
    mbs_twist_add(d, -1, tree->b[0] + twist * j, b);
    mbs_cross_add(d, 1, b + d, o, b);
    for (int k = 0; k < twist; ++k) {
      values[unfolded->axes[twist * j + k]] = b[k];
    }
  }
}

void mbs_tree_fill_unfolded(const MbsSystem *system, const MbsUnfolded *unfolded, const MbsState *state,
                            mbs_scalar *values) {
  const MbsTree *tree = system->tree;
  const MbsState *x = mbs_tree_follow(system->tree, state, false);
  mbs_terms_jacobian(tree->inner, x, true, unfolded->tangent);
  for (int i = 0, end; i < unfolded->term_count; i = end) {
    const MbsUnfoldedTerm *term = &unfolded->terms[i];
    for (end = i + 1; end < unfolded->term_count && unfolded->terms[end].row == term->row; ++end) {
    }
    if (unfolded->rows[term->row].function) {
      add_function(system, unfolded, state, x, i, end, values);
    }
    for (int t = i; t < end && !unfolded->rows[term->row].function; ++t) {
      add_constraint(system, unfolded, &unfolded->terms[t], values);
    }
  }
  for (int i = 0; i < unfolded->node_count; ++i) {
    fill_node(tree, unfolded, i, values);
  }
}
