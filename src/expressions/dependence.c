// Which inputs a node depends on: found when somebody asks, as the union of its operands' sets. And which nodes it
// is made of: found by walking down from it, so that a small part of a large graph costs little.
#include <stdlib.h>

#include "expressions/graph_storage.h"

enum { WORD_BITS = 64 };

static const MbsInputSet no_inputs = {.word_count = 0};

static MbsInputSet *new_set(MbsGraph *graph, int word_count) {
  MbsInputSet *set = mbs_arena_take(graph->arena, 1, sizeof *set);
  MbsInputWord *words = mbs_arena_take(graph->arena, (size_t)word_count, sizeof *words);
  if (!set || !words) {
    return NULL;
  }
  set->words = words;
  return set;
}

// the bits of word w of all inputs, also where the set has none
static uint64_t word_of(const MbsInputSet *set, int w) {
  int first = 0, end = set->word_count;
  while (first < end) {
    int middle = first + (end - first) / 2;
    if (set->words[middle].index < w) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first < set->word_count && set->words[first].index == w ? set->words[first].bits : 0;
}

static bool contains(const MbsInputSet *set, const MbsInputSet *part) {
  for (int k = 0; k < part->word_count && part->word_count <= set->word_count; ++k) {
    if (part->words[k].bits & ~word_of(set, part->words[k].index)) {
      return false;
    }
  }
  return part->word_count <= set->word_count;
}

static const MbsInputSet *set_of_input(MbsGraph *graph, int input) {
  MbsInputSet *set = new_set(graph, 1);
  if (set) {
    set->words[set->word_count++] =
        (MbsInputWord){.index = input / WORD_BITS, .bits = (uint64_t)1 << (input % WORD_BITS)};
  }
  return set;
}

// the union; NULL: out of memory
static const MbsInputSet *join(MbsGraph *graph, const MbsInputSet *a, const MbsInputSet *b) {
  if (a == b || contains(a, b)) {
    return a;
  }
  if (contains(b, a)) {
    return b;
  }
  MbsInputSet *set = new_set(graph, a->word_count + b->word_count);
  for (int i = 0, k = 0; set && (i < a->word_count || k < b->word_count);) {
    const MbsInputWord *x = i < a->word_count ? &a->words[i] : NULL, *y = k < b->word_count ? &b->words[k] : NULL;
    bool is_x = x && (!y || x->index <= y->index), is_y = y && (!x || y->index <= x->index);
    set->words[set->word_count++] =
        (MbsInputWord){.index = is_x ? x->index : y->index, .bits = (is_x ? x->bits : 0) | (is_y ? y->bits : 0)};
    i += is_x;
    k += is_y;
  }
  return set;
}

// of a node whose operands have theirs; false: out of memory
static bool make_set(MbsGraph *graph, MbsNode node) {
  const MbsGraphNode *at = &graph->nodes[node];
  const MbsInputSet *set = at->operation == MBS_OP_INPUT ? set_of_input(graph, at->index) : &no_inputs;
  for (int k = 0; k < MBS_MOST_OPERANDS && set; ++k) {
    if (at->operand[k] != MBS_NODE_NONE) {
      set = join(graph, set, graph->sets[at->operand[k]]);
    }
  }
  graph->sets[node] = set;
  return set != NULL;
}

static bool push(MbsGraph *graph, int *depth, MbsNode node) {
  MbsNode *stack = mbs_arena_grow(graph->arena, graph->set_stack, *depth, &graph->set_stack_capacity, sizeof *stack);
  if (stack) {
    graph->set_stack = stack;
    stack[(*depth)++] = node;
  }
  return stack != NULL;
}

const MbsInputSet *mbs_input_set_of(MbsGraph *graph, MbsNode node) {
  int depth = 0;
  bool is_fine = graph->sets[node] || push(graph, &depth, node);
  while (depth > 0 && is_fine) {
    MbsNode top = graph->set_stack[depth - 1], wanted = MBS_NODE_NONE;
    for (int k = 0; k < MBS_MOST_OPERANDS && !graph->sets[top]; ++k) {
      MbsNode operand = graph->nodes[top].operand[k];
      wanted = operand != MBS_NODE_NONE && !graph->sets[operand] ? operand : wanted;
    }
    if (wanted != MBS_NODE_NONE) {
      is_fine = push(graph, &depth, wanted);
    } else {
      is_fine = graph->sets[top] || make_set(graph, top);
      --depth;
    }
  }
  if (!is_fine) {
    (void)mbs_graph_give_up(graph, MBS_GRAPH_NO_MEMORY);
  }
  return graph->sets[node] ? graph->sets[node] : &no_inputs;
}

bool mbs_graph_depends_on(MbsGraph *graph, MbsNode node, int input) {
  if (node < 0 || node >= graph->count || input < 0) {
    mbs_broken_keep(graph->broken, MBS_BROKEN("node >= 0 && node < graph->count && input >= 0"));
    return false;
  }
  return word_of(mbs_input_set_of(graph, node), input / WORD_BITS) >> (input % WORD_BITS) & 1U;
}

MbsStatus mbs_graph_inputs_of(MbsContext *context, MbsGraph *graph, MbsNode node, int *count, const int **inputs) {
  MBS_CHECK(context, node >= 0 && node < graph->count);
  const MbsInputSet *set = mbs_input_set_of(graph, node);
  MBS_TRY(mbs_graph_status(context, graph));
  if (set->word_count > 0 && !set->inputs) {
    MbsInputSet *own = (MbsInputSet *)set;
    int members = 0, *list;
    for (int w = 0; w < set->word_count; ++w) {
      members += __builtin_popcountll(set->words[w].bits);
    }
    MBS_TAKE(context, graph->arena, list, members);
    for (int w = 0, k = 0; w < set->word_count; ++w) {
      for (uint64_t bits = set->words[w].bits; bits; bits &= bits - 1) {
        list[k++] = set->words[w].index * WORD_BITS + __builtin_ctzll(bits);
      }
    }
    own->count = members;
    own->inputs = list;
  }
  *count = set->count;
  *inputs = set->inputs;
  return MBS_OK;
}

static int compare_nodes(const void *a, const void *b) {
  MbsNode x = *(const MbsNode *)a, y = *(const MbsNode *)b;
  return (x > y) - (x < y);
}

// Ascending. Nodes of one expression are most often near each other: they are marked, and read back in order.
static void sort(MbsGraph *graph, int count) {
  if (count < 2) {
    return;
  }
  MbsNode first = graph->stack[0], last = first;
  for (int i = 0; i < count; ++i) {
    first = graph->stack[i] < first ? graph->stack[i] : first;
    last = graph->stack[i] > last ? graph->stack[i] : last;
  }
  int begin = first / WORD_BITS, end = last / WORD_BITS + 1;
  if (end - begin > 8 * count) {
    qsort(graph->stack, (size_t)count, sizeof *graph->stack, compare_nodes);
    return;
  }
  for (int i = 0; i < count; ++i) {
    graph->marks[graph->stack[i] / WORD_BITS] |= (uint64_t)1 << (graph->stack[i] % WORD_BITS);
  }
  for (int w = begin, i = 0; w < end && i < count; ++w) {
    for (uint64_t bits = graph->marks[w]; bits; bits &= bits - 1) {
      graph->stack[i++] = w * WORD_BITS + __builtin_ctzll(bits);
    }
    graph->marks[w] = 0;
  }
}

static MbsStatus find(MbsContext *context, MbsGraph *graph, MbsNode node, int *count) {
  if (graph->found_in[node] != graph->round) {
    graph->found_in[node] = graph->round;
    MBS_GROW(context, graph->arena, graph->stack, *count, graph->stack_capacity);
    graph->stack[(*count)++] = node;
  }
  return MBS_OK;
}

MbsStatus mbs_graph_walk(MbsContext *context, MbsGraph *graph, int count, const MbsNode *nodes, bool spares_noevent,
                         int *found_count) {
  if (graph->count > graph->round_capacity) {
    MBS_TAKE(context, graph->arena, graph->found_in, graph->capacity);
    MBS_TAKE(context, graph->arena, graph->numbers, graph->capacity);
    MBS_TAKE(context, graph->arena, graph->marks, graph->capacity / WORD_BITS + 1);
    graph->round_capacity = graph->capacity;
    graph->round = 0;
  }
  ++graph->round;
  *found_count = 0;
  for (int i = 0; i < count; ++i) {
    MBS_CHECK(context, nodes[i] >= 0 && nodes[i] < graph->count);
    MBS_TRY(find(context, graph, nodes[i], found_count));
  }
  for (int i = 0; i < *found_count; ++i) {
    const MbsGraphNode *node = &graph->nodes[graph->stack[i]];
    bool is_entered = !spares_noevent || node->operation != MBS_OP_NOEVENT;
    for (int k = 0; k < MBS_MOST_OPERANDS && is_entered; ++k) {
      if (node->operand[k] != MBS_NODE_NONE) {
        MBS_TRY(find(context, graph, node->operand[k], found_count));
      }
    }
  }
  sort(graph, *found_count);
  return MBS_OK;
}

MbsStatus mbs_graph_nodes_of(MbsContext *context, MbsGraph *graph, int count, const MbsNode *nodes, int *found_count,
                             const MbsNode **found) {
  MBS_TRY(mbs_graph_walk(context, graph, count, nodes, false, found_count));
  for (int i = 0; i < *found_count; ++i) {
    graph->numbers[graph->stack[i]] = i;
  }
  *found = graph->stack;
  return MBS_OK;
}

const int *mbs_graph_numbers(const MbsGraph *graph) { return graph->numbers; }

bool mbs_operation_jumps(MbsOperation operation) {
  return operation == MBS_OP_STEP || operation == MBS_OP_SIGN || operation == MBS_OP_FLOOR || operation == MBS_OP_ATAN2;
}

bool mbs_operation_bends(MbsOperation operation) {
  return operation == MBS_OP_ABS || operation == MBS_OP_MINIMUM || operation == MBS_OP_MAXIMUM ||
         operation == MBS_OP_SIDE;
}

// The slope of a table of lines jumps, the table itself has kinks, others have some in their slopes; but for the one
// that counts pieces, which floor() is taken of.
static bool does_table_break(const MbsGraph *graph, const MbsGraphNode *node, MbsKinks kinks) {
  if (node->operation != MBS_OP_TABLE) {
    return false;
  }
  const MbsLookup lookup = mbs_table_lookup(graph, node->index);
  bool is_slope = lookup.order[0] > 0 || lookup.order[1] > 0, is_linear = lookup.table->form == MBS_TABLE_LINEAR;
  bool is_whole = lookup.table->is_counter || lookup.table->form == MBS_TABLE_STEP;
  return !is_whole && (kinks == MBS_KINKS_ALL || (is_linear && (is_slope || kinks == MBS_KINKS_OF_SLOPES)));
}

MbsStatus mbs_graph_jumps_of(MbsContext *context, MbsGraph *graph, int count, const MbsNode *nodes, MbsKinks kinks,
                             int *found_count, const MbsNode **found) {
  int all;
  MBS_TRY(mbs_graph_walk(context, graph, count, nodes, true, &all));
  *found_count = 0;
  for (int i = 0; i < all; ++i) {
    const MbsGraphNode *node = &graph->nodes[graph->stack[i]];
    bool is_step5 = node->operation == MBS_OP_STEP5 && kinks == MBS_KINKS_ALL;
    if (mbs_operation_jumps(node->operation) || (kinks != MBS_KINKS_NONE && mbs_operation_bends(node->operation)) ||
        is_step5 || does_table_break(graph, node, kinks)) {
      graph->stack[(*found_count)++] = graph->stack[i];
    }
  }
  *found = graph->stack;
  return MBS_OK;
}
