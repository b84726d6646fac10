// All derivatives of some nodes by some inputs at once, by elimination of what lies between.
//
// Each node that depends on the inputs is a vertex, with an edge from each of its operands that bears the partial
// derivative. A vertex v between is eliminated by
//     edge(u, w) += edge(v, w) edge(u, v)        for all u before and all w behind it                  (chain rule)
// until edges from inputs to outputs alone are left. The one with the fewest such pairs goes first (Markowitz): where
// much flows through few numbers, as through the forces of a tyre, that is far less than a derivative by each input
// (forwards) or of each output (backwards). Griewank, Walther, Evaluating Derivatives, chapter 9.
//
// What conditions hide may be infinite, and nothing may be multiplied by its slopes: nodes WHERE and UNLESS have edges
// from the inputs themselves, with mbs_graph_derivative.
#include <stdlib.h>
#include <string.h>

#include "expressions/graph_storage.h"

enum { MOST_WORK = 63 };  // of the vertices that are told apart by their pairs

typedef struct Edge {
  int from;
  MbsNode slope;
} Edge;

typedef struct Vertex {
  int before_count, before_capacity, behind_count, behind_capacity;
  Edge *before;
  int *behind;
  bool is_between;
  int work, previous, next;  // in the list of those with as many pairs
} Vertex;

typedef struct Web {
  MbsContext *context;
  MbsArena *arena;
  MbsGraph *graph;
  int node_count, output_count;
  const MbsNode *nodes;  // ascending
  Vertex *vertices;      // by node, then of the outputs
  int head[MOST_WORK + 1];
} Web;

static int compare_integers(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static int vertex_of(const Web *web, MbsNode node) {
  const MbsNode *found = bsearch(&node, web->nodes, (size_t)web->node_count, sizeof node, compare_integers);
  return (int)(found - web->nodes);
}

static MbsStatus add_edge(const Web *web, int from, int to, MbsNode slope) {
  Vertex *u = &web->vertices[from], *w = &web->vertices[to];
  if (slope == MBS_GRAPH_ZERO) {
    return MBS_OK;
  }
  for (int k = 0; k < w->before_count; ++k) {
    if (w->before[k].from == from) {
      w->before[k].slope = mbs_graph_add(web->graph, w->before[k].slope, slope);
      return MBS_OK;
    }
  }
  MBS_GROW(web->context, web->arena, w->before, w->before_count, w->before_capacity);
  MBS_GROW(web->context, web->arena, u->behind, u->behind_count, u->behind_capacity);
  w->before[w->before_count++] = (Edge){.from = from, .slope = slope};
  u->behind[u->behind_count++] = to;
  return MBS_OK;
}

// ---- from the graph to the web ----
static bool is_hiding(MbsOperation operation) { return operation == MBS_OP_WHERE || operation == MBS_OP_UNLESS; }

static MbsStatus add_operands(const Web *web, int v, const bool *is_active) {
  const MbsGraphNode n = *mbs_graph_node(web->graph, web->nodes[v]);
  int number = 0;
  for (MbsNode list = n.operand[0]; n.operation == MBS_OP_EXTERNAL && list != MBS_NODE_NONE; ++number) {
    const MbsGraphNode member = *mbs_graph_node(web->graph, list);
    int u = vertex_of(web, member.operand[0]);
    if (is_active[u]) {
      MBS_TRY(add_edge(web, u, v, mbs_graph_external_slope(web->graph, &n, number)));
    }
    list = member.operand[1];
  }
  for (int k = 0; k < MBS_MOST_OPERANDS && n.operation != MBS_OP_EXTERNAL; ++k) {
    int u = n.operand[k] == MBS_NODE_NONE ? -1 : vertex_of(web, n.operand[k]);
    if (u >= 0 && is_active[u]) {
      MBS_TRY(add_edge(web, u, v, mbs_graph_partial(web->graph, web->nodes[v], k)));
    }
  }
  return MBS_OK;
}

static MbsStatus spin(const Web *web, int input_count, const int *inputs, const MbsNode *outputs,
                      int *vertex_of_input) {
  bool *is_active;
  MBS_TAKE(web->context, web->arena, is_active, web->node_count);
  for (int v = 0; v < web->node_count; ++v) {
    const MbsGraphNode n = *mbs_graph_node(web->graph, web->nodes[v]);
    const int *input = n.operation == MBS_OP_INPUT
                           ? bsearch(&n.index, inputs, (size_t)input_count, sizeof *inputs, compare_integers)
                           : NULL;
    if (input) {
      vertex_of_input[input - inputs] = v;
      is_active[v] = true;
    }
    for (int k = 0; k < MBS_MOST_OPERANDS && n.operation != MBS_OP_INPUT; ++k) {
      is_active[v] |= n.operand[k] != MBS_NODE_NONE && is_active[vertex_of(web, n.operand[k])];
    }
    bool is_between = is_active[v] && !input && n.operation != MBS_OP_LIST;
    web->vertices[v].is_between = is_between;
    if (is_between && !is_hiding(n.operation)) {
      MBS_TRY(add_operands(web, v, is_active));
    }
    for (int s = 0; s < input_count && is_between && is_hiding(n.operation); ++s) {
      if (vertex_of_input[s] >= 0) {
        MBS_TRY(add_edge(web, vertex_of_input[s], v, mbs_graph_derivative(web->graph, web->nodes[v], inputs[s])));
      }
    }
  }
  for (int i = 0; i < web->output_count; ++i) {
    int v = vertex_of(web, outputs[i]);
    if (is_active[v]) {
      MBS_TRY(add_edge(web, v, web->node_count + i, mbs_graph_constant(web->graph, 1)));
    }
  }
  return MBS_OK;
}

// ---- elimination ----
static void leave(Web *web, int v) {
  const Vertex *vertex = &web->vertices[v];
  if (vertex->previous >= 0) {
    web->vertices[vertex->previous].next = vertex->next;
  } else {
    web->head[vertex->work] = vertex->next;
  }
  if (vertex->next >= 0) {
    web->vertices[vertex->next].previous = vertex->previous;
  }
}

static void enter(Web *web, int v) {
  Vertex *vertex = &web->vertices[v];
  int work = vertex->before_count * vertex->behind_count;
  vertex->work = work < MOST_WORK ? work : MOST_WORK;
  vertex->previous = -1;
  vertex->next = web->head[vertex->work];
  if (vertex->next >= 0) {
    web->vertices[vertex->next].previous = v;
  }
  web->head[vertex->work] = v;
}

static void weigh_again(Web *web, int v) {
  if (web->vertices[v].is_between) {
    leave(web, v);
    enter(web, v);
  }
}

static MbsStatus eliminate(Web *web, int v) {
  Vertex *vertex = &web->vertices[v];
  leave(web, v);
  vertex->is_between = false;
  for (int i = 0; i < vertex->behind_count; ++i) {
    Vertex *w = &web->vertices[vertex->behind[i]];
    int k = 0;
    while (w->before[k].from != v) {
      ++k;
    }
    MbsNode behind = w->before[k].slope;
    w->before[k] = w->before[--w->before_count];
    for (int j = 0; j < vertex->before_count; ++j) {
      const Edge *before = &vertex->before[j];
      MBS_TRY(add_edge(web, before->from, vertex->behind[i], mbs_graph_multiply(web->graph, behind, before->slope)));
    }
    weigh_again(web, vertex->behind[i]);
  }
  for (int j = 0; j < vertex->before_count; ++j) {
    Vertex *u = &web->vertices[vertex->before[j].from];
    int k = 0;
    while (u->behind[k] != v) {
      ++k;
    }
    u->behind[k] = u->behind[--u->behind_count];
    weigh_again(web, vertex->before[j].from);
  }
  return MBS_OK;
}

static MbsStatus eliminate_all(Web *web) {
  for (int work = 0; work <= MOST_WORK; ++work) {
    web->head[work] = -1;
  }
  for (int v = 0; v < web->node_count; ++v) {
    if (web->vertices[v].is_between) {
      enter(web, v);
    }
  }
  for (int work = 0; work <= MOST_WORK;) {
    int v = web->head[work];
    if (v < 0) {
      ++work;
      continue;
    }
    MBS_TRY(eliminate(web, v));
    work = 0;
  }
  return mbs_graph_status(web->context, web->graph);
}

static MbsStatus find(Web *web, int input_count, const int *inputs, const MbsNode *outputs, MbsNode *slopes) {
  int *vertex_of_input;
  MBS_TAKE(web->context, web->arena, web->vertices, web->node_count + web->output_count);
  MBS_TAKE(web->context, web->arena, vertex_of_input, input_count);
  for (int s = 0; s < input_count; ++s) {
    vertex_of_input[s] = -1;
  }
  MBS_TRY(spin(web, input_count, inputs, outputs, vertex_of_input));
  MBS_TRY(eliminate_all(web));
  for (int i = 0; i < web->output_count * input_count; ++i) {
    const Vertex *output = &web->vertices[web->node_count + i / input_count];
    slopes[i] = MBS_GRAPH_ZERO;
    for (int k = 0; k < output->before_count; ++k) {
      if (output->before[k].from == vertex_of_input[i % input_count]) {
        slopes[i] = output->before[k].slope;
      }
    }
  }
  return MBS_OK;
}

MbsStatus mbs_graph_jacobian(MbsContext *context, MbsGraph *graph, int output_count, const MbsNode *outputs,
                             int input_count, const int *inputs, MbsNode *slopes) {
  Web web = {.context = context, .graph = graph, .output_count = output_count};
  const MbsNode *found;
  MBS_TRY(mbs_graph_nodes_of(context, graph, output_count, outputs, &web.node_count, &found));
  web.arena = mbs_arena_create_for(context);
  if (!web.arena) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MbsNode *nodes = mbs_arena_take(web.arena, (size_t)web.node_count, sizeof *nodes);
  MbsStatus status = MBS_OK;
  if (nodes) {
    memcpy(nodes, found, (size_t)web.node_count * sizeof *nodes);
    web.nodes = nodes;
    status = find(&web, input_count, inputs, outputs, slopes);
  } else {
    status = mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  mbs_arena_destroy(web.arena);
  return status;
}
