// In which order to eliminate the unknowns of tree_expanded.h.
//
// Blocks: the nodes that move, each with its D, W and coordinates, and groups of constraints with the same ends, each
// with its multipliers. Eliminating a block joins all that it touched.
//   constraints  go at once when coordinates have gone which move their ends apart, one more than there are constraints
//                and not used up by constraints before: then their own matrix, minus Phi_s (b.K C)^-1 Phi_s', is
//                regular and hardly ever near to singular. (Left for later, they would tie together all nodes on their
//                path.)
//   a node       when all nodes on it have gone; of several the one that touches least.
// On a ladder that is from the far end inwards, cell by cell, whichever way its tree grows. Pivots off this order,
// where numbers ask for them, cost entries and not digits.
#include "tree/tree_expanded.h"

typedef struct Block {
  bool is_gone;
  int node;              // moving node, or -1:
  int row_count, *rows;  // constraints
  int weight;            // unknowns that others are coupled with
  int degree;            // weights of all that it touches and that is still there
  int waiting;           // of a node: those on it that are still there; of constraints: coordinates that they lack
  int pending;           // of constraints: coordinates that are still there
  int coordinate_count;  // of constraints: coordinates that move their ends apart
  const int *coordinates;
} Block;

typedef struct Order {
  MbsContext *context;
  MbsArena *arena;
  const MbsTree *tree;
  const MbsTreeExpanded *expanded;
  int count;
  Block *blocks;
  bool *touches;     // count x count
  bool *is_free;     // by coordinate: it has gone, and no constraint has used it up
  int **blocks_of;   // by coordinate: blocks of constraints that it moves, -1 behind the last
  int *touched;      // workspace
  int used, *order;  // the result
} Order;

static bool *touch(const Order *order, int a, int b) {
  return &order->touches[(size_t)a * (size_t)order->count + (size_t)b];
}

static void join(const Order *order, int a, int b) {
  if (a != b) {
    *touch(order, a, b) = *touch(order, b, a) = true;
  }
}

// ---- blocks ----
// the last node that carries both, or -1: nodes before others have smaller numbers
static int common_node(const MbsTreeExpanded *expanded, int one, int other) {
  while (one != other) {
    int *later = one > other ? &one : &other;
    *later = expanded->nodes[*later].parent;
  }
  return one;
}

// What carries all ends moves none of them apart; but the ground does not move, and what one node alone has is held
// against the ground.
static int base_of(const Order *order, const MbsTreeExpandedElement *row) {
  int base = -1;
  bool has_one = false, has_several = false;
  for (int e = 0; e < row->ends.count; ++e) {
    if (row->ends.ends[e].part >= 0) {
      has_several |= has_one && row->ends.ends[e].node != base;
      base = has_one ? common_node(order->expanded, base, row->ends.ends[e].node) : row->ends.ends[e].node;
      has_one = true;
    }
  }
  return row->ends.element->has_ground || !has_several ? -1 : base;
}

static MbsStatus list_coordinates(const Order *order, const MbsTreeExpandedElement *row, Block *block) {
  const MbsTree *tree = order->tree;
  int base = base_of(order, row), *coordinates;
  bool *is_in;
  MBS_TAKE(order->context, order->arena, coordinates, tree->coordinate_count);
  MBS_TAKE(order->context, order->arena, is_in, tree->coordinate_count);
  for (int e = 0; e < row->ends.count; ++e) {
    const MbsTreeEnd *end = &row->ends.ends[e];
    if (end->part < 0) {
      is_in[end->coordinate] = true;
    }
    for (int i = end->part < 0 ? -1 : end->node; i >= 0 && i != base; i = order->expanded->nodes[i].parent) {
      const MbsTreeNode *node = &tree->nodes[order->expanded->nodes[i].node];
      for (int k = node->first; k < node->first + node->count; ++k) {
        is_in[k] = true;
      }
    }
  }
  for (int k = 0; k < tree->coordinate_count; ++k) {
    if (is_in[k]) {
      coordinates[block->coordinate_count++] = k;
    }
  }
  block->pending = block->coordinate_count;
  block->coordinates = coordinates;
  return MBS_OK;
}

static bool has_same_ends(const MbsTreeExpandedElement *a, const MbsTreeExpandedElement *b) {
  bool is_same = a->ends.count == b->ends.count;
  for (int e = 0; e < a->ends.count && is_same; ++e) {
    is_same = a->ends.ends[e].node == b->ends.ends[e].node && a->ends.ends[e].coordinate == b->ends.ends[e].coordinate;
  }
  return is_same;
}

// constraints that follow one another with the same ends are one block
static MbsStatus add_row(Order *order, int row) {
  const MbsTreeExpandedElement *element = &order->expanded->rows[row];
  Block *last = order->count > order->expanded->node_count ? &order->blocks[order->count - 1] : NULL;
  if (last && has_same_ends(element, &order->expanded->rows[last->rows[0]])) {
    last->rows[last->row_count++] = row;
    last->weight = last->row_count;
    last->waiting += 1;
    return MBS_OK;
  }
  Block *block = &order->blocks[order->count++];
  *block = (Block){.node = -1, .row_count = 1, .weight = 1, .waiting = 2};
  MBS_TAKE(order->context, order->arena, block->rows, order->tree->inner->mode.row_count - row);
  block->rows[0] = row;
  return list_coordinates(order, element, block);
}

static MbsStatus list_blocks_of_coordinates(Order *order) {
  int *counts, coordinates = order->tree->coordinate_count;
  MBS_TAKE(order->context, order->arena, counts, coordinates);
  MBS_TAKE(order->context, order->arena, order->blocks_of, coordinates);
  for (int pass = 0; pass < 2; ++pass) {
    for (int k = 0; k < coordinates && pass == 1; ++k) {
      MBS_TAKE(order->context, order->arena, order->blocks_of[k], counts[k] + 1);
      order->blocks_of[k][counts[k]] = -1;
      counts[k] = 0;
    }
    for (int b = order->expanded->node_count; b < order->count; ++b) {
      for (int i = 0; i < order->blocks[b].coordinate_count; ++i) {
        int k = order->blocks[b].coordinates[i];
        if (pass == 1) {
          order->blocks_of[k][counts[k]] = b;
        }
        counts[k] += 1;
      }
    }
  }
  return MBS_OK;
}

static MbsStatus list_blocks(Order *order) {
  const MbsTreeExpanded *expanded = order->expanded;
  int rows = order->tree->inner->mode.row_count, twist = mbs_twist_size(order->tree->inner->dimension);
  MBS_TAKE(order->context, order->arena, order->blocks, expanded->node_count + rows);
  for (int i = 0; i < expanded->node_count; ++i) {
    order->blocks[order->count++] = (Block){.node = i, .weight = 4 * twist};
    if (expanded->nodes[i].parent >= 0) {
      order->blocks[expanded->nodes[i].parent].waiting += 1;
    }
  }
  for (int r = 0; r < rows; ++r) {
    MBS_TRY(add_row(order, r));
  }
  return list_blocks_of_coordinates(order);
}

// where a coordinate or a part is eliminated: its node; -1: a scalar, which goes first and joins nothing worth mention
static int block_of_end(const Order *order, const MbsTreeEnd *end) {
  bool is_of_joint = end->part < 0 && end->coordinate < order->tree->joint_count;
  return is_of_joint ? order->expanded->coordinates[end->coordinate].node : end->node;
}

static void join_ends(const Order *order, const MbsTreeExpandedElement *element, int block) {
  for (int e = 0; e < element->ends.count; ++e) {
    int one = block_of_end(order, &element->ends.ends[e]);
    if (one >= 0 && block >= 0) {
      join(order, one, block);
    }
    for (int f = 0; f < e && element->pairs; ++f) {
      int other = block_of_end(order, &element->ends.ends[f]);
      if (one >= 0 && other >= 0) {
        join(order, one, other);
      }
    }
  }
}

static void join_all(const Order *order) {
  const MbsTreeExpanded *expanded = order->expanded;
  for (int i = 0; i < expanded->node_count; ++i) {
    if (expanded->nodes[i].parent >= 0) {
      join(order, i, expanded->nodes[i].parent);
    }
  }
  for (int b = expanded->node_count; b < order->count; ++b) {
    for (int r = 0; r < order->blocks[b].row_count; ++r) {
      join_ends(order, &expanded->rows[order->blocks[b].rows[r]], b);
    }
  }
  for (int f = 0; f < order->tree->inner->mode.force_count; ++f) {
    join_ends(order, &expanded->forces[f], -1);
  }
}

// ---- elimination ----
static void set_free(const Order *order, int coordinate, bool is_free) {
  if (order->is_free[coordinate] == is_free) {
    return;
  }
  order->is_free[coordinate] = is_free;
  for (const int *b = order->blocks_of[coordinate]; *b >= 0; ++b) {
    order->blocks[*b].waiting += is_free ? -1 : 1;
  }
}

static void let_go(const Order *order, int coordinate) {
  set_free(order, coordinate, true);
  for (const int *b = order->blocks_of[coordinate]; *b >= 0; ++b) {
    order->blocks[*b].pending -= 1;
  }
}

static void find_degree(const Order *order, int block) {
  int sum = 0;
  for (int b = 0; b < order->count; ++b) {
    sum += *touch(order, block, b) && !order->blocks[b].is_gone ? order->blocks[b].weight : 0;
  }
  order->blocks[block].degree = sum;
}

static bool can_go(const Block *block) {
  return !block->is_gone && (block->waiting <= 0 || (block->node < 0 && block->pending == 0));
}

static bool is_before(const Block *one, const Block *other) {
  bool is_row = one->node < 0, is_other_row = other->node < 0;
  return is_row != is_other_row ? is_row : one->degree < other->degree;
}

static int choose(const Order *order) {
  int best = -1;
  for (int b = 0; b < order->count; ++b) {
    const Block *block = &order->blocks[b];
    if (can_go(block) && (best < 0 || is_before(block, &order->blocks[best]))) {
      best = b;
    }
  }
  return best;
}

static void put_node(Order *order, const MbsSystem *system, int index) {
  const MbsTreeMovingNode *moving = &order->expanded->nodes[index];
  const MbsTreeNode *node = &order->tree->nodes[moving->node];
  int size = 4 * mbs_twist_size(system->dimension);
  for (int k = 0; k < size; ++k) {
    order->order[order->used++] = system->n + system->m + size * index + k;
  }
  for (int k = node->first; k < node->first + node->count; ++k) {
    order->order[order->used++] = k;
    let_go(order, k);
  }
  if (moving->parent >= 0) {
    order->blocks[moving->parent].waiting -= 1;
  }
}

static void put_rows(Order *order, const MbsSystem *system, const Block *block) {
  int wanted = block->row_count;
  for (int r = 0; r < block->row_count; ++r) {
    order->order[order->used++] = system->n + block->rows[r];
  }
  for (int k = 0; k < block->coordinate_count && wanted > 0; ++k) {
    wanted -= order->is_free[block->coordinates[k]];
    set_free(order, block->coordinates[k], false);
  }
}

static void eliminate(Order *order, const MbsSystem *system, int index) {
  Block *block = &order->blocks[index];
  if (block->node >= 0) {
    put_node(order, system, block->node);
  } else {
    put_rows(order, system, block);
  }
  block->is_gone = true;
  int count = 0;
  for (int b = 0; b < order->count; ++b) {
    if (*touch(order, index, b) && !order->blocks[b].is_gone) {
      order->touched[count++] = b;
    }
  }
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b < a; ++b) {
      join(order, order->touched[a], order->touched[b]);
    }
  }
  for (int a = 0; a < count; ++a) {
    find_degree(order, order->touched[a]);
  }
}

MbsStatus mbs_tree_expanded_order(MbsContext *context, MbsArena *arena, const MbsTree *tree, const MbsSystem *system,
                                  const MbsTreeExpanded *expanded, int *result) {
  Order order = {.context = context, .arena = arena, .tree = tree, .expanded = expanded, .order = result};
  MBS_TAKE(context, arena, order.is_free, tree->coordinate_count);
  MBS_TRY(list_blocks(&order));
  MBS_TAKE(context, arena, order.touches, (size_t)order.count * (size_t)order.count);
  MBS_TAKE(context, arena, order.touched, order.count);
  join_all(&order);
  for (int k = tree->joint_count; k < tree->coordinate_count; ++k) {  // the model's own coordinates
    order.order[order.used++] = k;
    let_go(&order, k);
  }
  for (int b = 0; b < order.count; ++b) {
    find_degree(&order, b);
  }
  for (int i = 0; i < order.count; ++i) {
    eliminate(&order, system, choose(&order));
  }
  MBS_CHECK(context, order.used == system->mode.factored.size);
  return MBS_OK;
}
