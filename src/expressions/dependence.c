// Which inputs a node depends on: found when the node is made, as the union of its operands' sets. And which nodes it
// is made of: found by walking down from it, so that a small part of a large graph costs little.
#include <stdlib.h>

#include "expressions/graph_storage.h"

enum { WORD_BITS = 64 };

static MbsInputSet *new_set(MbsGraph *graph, int first_word, int word_count) {
  MbsInputSet *set = mbs_arena_take(graph->arena, 1, sizeof *set);
  uint64_t *words = mbs_arena_take(graph->arena, (size_t)word_count, sizeof *words);
  if (!set || !words) {
    return NULL;
  }
  set->first_word = first_word;
  set->word_count = word_count;
  set->words = words;
  return set;
}

// word w of all inputs, also where the set has none
static uint64_t word_of(const MbsInputSet *set, int w) {
  int k = w - set->first_word;
  return k >= 0 && k < set->word_count ? set->words[k] : 0;
}

static bool contains(const MbsInputSet *set, const MbsInputSet *part) {
  for (int w = part->first_word; w < part->first_word + part->word_count; ++w) {
    if (word_of(part, w) & ~word_of(set, w)) {
      return false;
    }
  }
  return true;
}

bool mbs_input_set_of(MbsGraph *graph, int input, MbsInputSet **set) {
  *set = new_set(graph, input / WORD_BITS, 1);
  if (*set) {
    (*set)->words[0] = (uint64_t)1 << (input % WORD_BITS);
  }
  return *set != NULL;
}

bool mbs_input_set_join(MbsGraph *graph, MbsInputSet *a, MbsInputSet *b, MbsInputSet **set) {
  if (!b || a == b || (a && contains(a, b))) {
    *set = a;
    return true;
  }
  if (!a || contains(b, a)) {
    *set = b;
    return true;
  }
  int a_end = a->first_word + a->word_count;
  int b_end = b->first_word + b->word_count;
  int first = a->first_word < b->first_word ? a->first_word : b->first_word;
  int end = a_end > b_end ? a_end : b_end;
  *set = new_set(graph, first, end - first);
  for (int w = first; *set && w < end; ++w) {
    (*set)->words[w - first] = word_of(a, w) | word_of(b, w);
  }
  return *set != NULL;
}

bool mbs_graph_depends_on(MbsGraph *graph, MbsNode node, int input) {
  if (node < 0 || node >= graph->count || input < 0) {
    mbs_broken_keep(graph->broken, MBS_BROKEN("node >= 0 && node < graph->count && input >= 0"));
    return false;
  }
  const MbsInputSet *set = graph->sets[node];
  return set && (word_of(set, input / WORD_BITS) >> (input % WORD_BITS) & 1U);
}

MbsStatus mbs_graph_inputs_of(MbsContext *context, MbsGraph *graph, MbsNode node, int *count, const int **inputs) {
  MBS_CHECK(context, node >= 0 && node < graph->count);
  MbsInputSet *set = graph->sets[node];
  if (set && !set->inputs) {
    int begin = set->first_word * WORD_BITS;
    int end = begin + set->word_count * WORD_BITS;
    int members = 0;
    for (int input = begin; input < end; ++input) {
      members += mbs_graph_depends_on(graph, node, input);
    }
    int *list;
    MBS_TAKE(context, graph->arena, list, members);
    for (int input = begin, k = 0; input < end; ++input) {
      if (mbs_graph_depends_on(graph, node, input)) {
        list[k++] = input;
      }
    }
    set->count = members;
    set->inputs = list;
  }
  *count = set ? set->count : 0;
  *inputs = set ? set->inputs : NULL;
  return MBS_OK;
}

static int compare_nodes(const void *a, const void *b) {
  MbsNode x = *(const MbsNode *)a, y = *(const MbsNode *)b;
  return (x > y) - (x < y);
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
  if (*found_count > 0) {
    qsort(graph->stack, (size_t)*found_count, sizeof *graph->stack, compare_nodes);
  }
  return MBS_OK;
}

MbsStatus mbs_graph_nodes_of(MbsContext *context, MbsGraph *graph, int count, const MbsNode *nodes, int *found_count,
                             const MbsNode **found) {
  MBS_TRY(mbs_graph_walk(context, graph, count, nodes, false, found_count));
  *found = graph->stack;
  return MBS_OK;
}

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
