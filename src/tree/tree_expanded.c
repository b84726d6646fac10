// The matrix of a deep tree with loops, set up: unknowns, pattern, positions. See tree_expanded.h.
#include "tree/tree_expanded.h"

// ---- unknowns and entries ----
typedef struct Builder {
  const MbsTree *tree;
  const MbsSystem *system;
  MbsTreeExpanded *expanded;
  MbsEntries entries;
  int twist;
} Builder;

static int motion_of(const Builder *b, int moving, int k) {
  return b->system->n + b->system->m + 4 * b->twist * moving + k;
}

static int wrench_of(const Builder *b, int moving, int k) { return motion_of(b, moving, 3 * b->twist + k); }

static MbsStatus entry(const Builder *b, int row, int column, int *position) {
  return mbs_entry(&b->entries, row, column, position);
}

// `count` rows below one another; the first one's position
static MbsStatus entries(const Builder *b, int count, int row, int column, int *position) {
  int next;
  MBS_TRY(entry(b, row, column, position));
  for (int k = 1; k < count; ++k) {
    MBS_TRY(entry(b, row + k, column, &next));
  }
  return MBS_OK;
}

static MbsStatus take(const Builder *b, int count, const int **list, int **filled) {
  return mbs_entries_take(&b->entries, count, list, filled);
}

// ---- nodes ----
static MbsStatus list_nodes(const Builder *b) {
  const MbsTree *tree = b->tree;
  MbsTreeExpanded *expanded = b->expanded;
  int *moving;
  MBS_TRY(mbs_tree_number_moving(b->entries.context, tree, &moving, &expanded->node_count));
  MBS_TAKE(b->entries.context, b->system->arena, expanded->nodes, expanded->node_count);
  MBS_TAKE(b->entries.context, b->system->arena, expanded->coordinates, tree->joint_count);
  for (int i = 0; i < tree->node_count; ++i) {
    const MbsTreeNode *node = &tree->nodes[i];
    if (node->count > 0) {
      int parent = node->parent < 0 ? -1 : moving[node->parent];
      expanded->nodes[moving[i]] = (MbsTreeMovingNode){.node = i, .parent = parent};
    }
    for (int k = node->first; k < node->first + node->count; ++k) {
      expanded->coordinates[k].node = moving[i];
    }
  }
  expanded->moving = moving;
  return MBS_OK;
}

static MbsStatus place_node(const Builder *b, int index) {
  MbsTreeMovingNode *node = &b->expanded->nodes[index];
  int size = 3 * b->twist, *own, *of_parent, *wrench, *to_parent, *K;
  MBS_TRY(take(b, size, &node->own, &own));
  MBS_TRY(take(b, size, &node->of_parent, &of_parent));
  MBS_TRY(take(b, size, &node->K, &K));
  MBS_TRY(take(b, b->twist, &node->wrench, &wrench));
  MBS_TRY(take(b, b->twist, &node->to_parent, &to_parent));
  for (int k = 0; k < size; ++k) {
    MBS_TRY(entry(b, motion_of(b, index, k), motion_of(b, index, k), &own[k]));
    MBS_TRY(entries(b, b->twist, wrench_of(b, index, 0), motion_of(b, index, k), &K[k]));
    if (node->parent >= 0) {
      MBS_TRY(entry(b, motion_of(b, index, k), motion_of(b, node->parent, k), &of_parent[k]));
    }
  }
  for (int k = 0; k < b->twist; ++k) {
    MBS_TRY(entry(b, wrench_of(b, index, k), wrench_of(b, index, k), &wrench[k]));
    if (node->parent >= 0) {
      MBS_TRY(entry(b, wrench_of(b, node->parent, k), wrench_of(b, index, k), &to_parent[k]));
    }
  }
  return MBS_OK;
}

static MbsStatus place_coordinate(const Builder *b, int index) {
  MbsTreeExpandedCoordinate *coordinate = &b->expanded->coordinates[index];
  const MbsTreeNode *node = &b->tree->nodes[b->tree->node_of[index]];
  int parent = b->expanded->nodes[coordinate->node].parent, *of_b, *of_g, *own;
  MBS_TRY(entries(b, 3 * b->twist, motion_of(b, coordinate->node, 0), index, &coordinate->C));
  MBS_TRY(take(b, b->twist, &coordinate->b, &of_b));
  MBS_TRY(take(b, b->twist, &coordinate->g, &of_g));
  MBS_TRY(take(b, node->count, &coordinate->own, &own));
  for (int k = 0; k < b->twist; ++k) {
    MBS_TRY(entry(b, index, wrench_of(b, coordinate->node, k), &of_b[k]));
    if (parent >= 0) {
      MBS_TRY(entry(b, index, motion_of(b, parent, k), &of_g[k]));
    }
  }
  for (int k = 0; k < node->count && node->kind == MBS_MOTION_BALL; ++k) {
    MBS_TRY(entry(b, index, node->first + k, &own[k]));
  }
  return MBS_OK;
}

// ---- elements ----
static int rows_of(const Builder *b, const MbsTreeEnd *end) { return end->part < 0 ? 1 : b->twist; }

static int first_row_of(const Builder *b, const MbsTreeEnd *end) {
  return end->part < 0 ? end->coordinate : wrench_of(b, end->node, 0);
}

static int column_of(const Builder *b, const MbsTreeEnd *end, int k) {
  return end->part < 0 ? end->coordinate : motion_of(b, end->node, k);
}

static MbsStatus place_row(const Builder *b, const MbsRow *row, MbsTreeExpandedElement *element) {
  int at = b->system->n + row->index;
  MBS_TRY(entry(b, at, at, &element->diagonal));
  for (int e = 0; e < element->ends.count; ++e) {
    const MbsTreeEnd *end = &element->ends.ends[e];
    int count = end->part < 0 ? 1 : 3 * b->twist, *positions;
    MBS_TRY(take(b, count, &element->row[e], &positions));
    MBS_TRY(entries(b, rows_of(b, end), first_row_of(b, end), at, &element->column[e]));
    for (int k = 0; k < count; ++k) {
      MBS_TRY(entry(b, at, column_of(b, end, k), &positions[k]));
    }
  }
  return MBS_OK;
}

static MbsStatus place_pairs(const Builder *b, MbsTreeExpandedElement *element) {
  int most = 2 * b->twist, count = element->ends.count, *pairs;
  MBS_TRY(take(b, count * count * most, &element->pairs, &pairs));
  for (int p = 0; p < count * count; ++p) {
    const MbsTreeEnd *port = &element->ends.ends[p / count], *argument = &element->ends.ends[p % count];
    for (int k = 0; k < (argument->part < 0 ? 1 : most) && port->is_port && argument->is_argument; ++k) {
      MBS_TRY(entries(b, rows_of(b, port), first_row_of(b, port), column_of(b, argument, k), &pairs[p * most + k]));
    }
  }
  return MBS_OK;
}

// ---- all of it, twice: to make the pattern, and to find the positions ----
static MbsStatus place_all(const Builder *b) {
  const MbsTree *tree = b->tree;
  const MbsMode *mode = &tree->inner->mode;
  MbsTreeExpanded *expanded = b->expanded;
  for (int i = 0; i < expanded->node_count; ++i) {
    MBS_TRY(place_node(b, i));
  }
  for (int k = 0; k < tree->joint_count; ++k) {
    MBS_TRY(place_coordinate(b, k));
  }
  for (int i = 0; i < mode->row_count; ++i) {
    MBS_TRY(place_row(b, &mode->rows[i], &expanded->rows[i]));
    if (mode->rows[i].kind != MBS_ROW_COINCIDE) {
      MBS_TRY(place_pairs(b, &expanded->rows[i]));
    }
  }
  for (int i = 0; i < mode->force_count; ++i) {
    MBS_TRY(place_pairs(b, &expanded->forces[i]));
  }
  for (int i = 0; i < tree->elements->scalar_mass_count; ++i) {
    MBS_TRY(mbs_tree_place_scalar_mass(&b->entries, tree, tree->elements->scalar_masses[i], &expanded->scalar_maps[i]));
  }
  return MBS_OK;
}

static MbsStatus create_elements(const Builder *b) {
  const MbsTree *tree = b->tree;
  const MbsMode *mode = &tree->inner->mode;
  MbsTreeExpanded *expanded = b->expanded;
  MbsArena *arena = b->system->arena;
  int most_ends = 0, most_forms = 0;
  MBS_TAKE(b->entries.context, arena, expanded->rows, mode->row_count);
  MBS_TAKE(b->entries.context, arena, expanded->forces, mode->force_count);
  MBS_TAKE(b->entries.context, arena, expanded->scalar_maps, tree->elements->scalar_mass_count);
  for (int i = 0; i < mode->row_count + mode->force_count; ++i) {
    bool is_row = i < mode->row_count;
    MbsTreeExpandedElement *to = is_row ? &expanded->rows[i] : &expanded->forces[i - mode->row_count];
    const MbsTreeElement *from = is_row ? &tree->elements->rows[i] : &tree->elements->forces[i - mode->row_count];
    MBS_TRY(mbs_tree_ends_create(b->entries.context, tree, expanded->moving, from, &to->ends, &most_ends));
    MBS_TAKE(b->entries.context, arena, to->row, is_row ? to->ends.count : 0);
    MBS_TAKE(b->entries.context, arena, to->column, is_row ? to->ends.count : 0);
    most_forms = from->form_count > most_forms ? from->form_count : most_forms;
  }
  MBS_TAKE(b->entries.context, arena, expanded->composite, b->twist * b->twist * expanded->node_count);
  MBS_TAKE(b->entries.context, arena, expanded->motion, 9 * b->twist * most_ends);
  MBS_TAKE(b->entries.context, arena, expanded->y, 3 * most_forms);
  return MBS_OK;
}

static MbsStatus choose_order(const Builder *b, MbsPattern *pattern) {
  int *order;
  MBS_TAKE(b->entries.context, b->system->arena, order, pattern->size);
  pattern->order = order;
  MbsArena *work = mbs_arena_create_for(b->entries.context);
  if (!work) {
    return mbs_fail(b->entries.context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MbsStatus status = mbs_tree_expanded_order(b->entries.context, work, b->tree, b->system, b->expanded, order);
  mbs_arena_destroy(work);
  return status;
}

MbsStatus mbs_tree_expanded_create(MbsContext *context, MbsTree *tree, MbsSystem *system) {
  MbsPattern *pattern = &system->mode.factored;
  Builder b = {.entries = {.context = context, .arena = system->arena, .pattern = pattern},
               .tree = tree,
               .system = system,
               .twist = mbs_twist_size(system->dimension)};
  MBS_TAKE(context, system->arena, b.expanded, 1);
  MBS_TRY(list_nodes(&b));
  MBS_TRY(create_elements(&b));
  int extra = 4 * b.twist * b.expanded->node_count;
  MBS_TRY(mbs_pattern_begin(context, system->arena, system->n + system->m + extra, &b.entries.builder));
  MBS_TRY(place_all(&b));
  MBS_TRY(mbs_pattern_finish(context, b.entries.builder, pattern));
  pattern->extra = extra;
  b.entries.builder = NULL;
  tree->expanded = b.expanded;
  MBS_TRY(place_all(&b));
  return choose_order(&b, pattern);
}
