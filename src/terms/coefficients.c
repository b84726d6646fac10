#include "terms/coefficients.h"

#include <string.h>

static MbsStatus coefficient_of(MbsContext *context, MbsCoefficients *coefficients, MbsNode node, int *index) {
  int nodes = mbs_graph_count(coefficients->graph);
  if (nodes > coefficients->known_nodes) {
    int *grown;
    MBS_TAKE(context, coefficients->arena, grown, 2 * nodes);
    if (coefficients->known_nodes > 0) {
      memcpy(grown, coefficients->index_of_node, (size_t)coefficients->known_nodes * sizeof *grown);
    }
    coefficients->index_of_node = grown;
    coefficients->known_nodes = 2 * nodes;
  }
  if (coefficients->index_of_node[node] == 0) {
    MBS_APPEND(context, coefficients->arena, &coefficients->nodes, node);
    coefficients->index_of_node[node] = coefficients->nodes.count;
  }
  *index = coefficients->index_of_node[node] - 1;
  return MBS_OK;
}

MbsStatus mbs_coefficients_add_block(MbsContext *context, MbsCoefficients *coefficients, int count,
                                     const MbsNode *nodes, MbsBlock *block) {
  int *index;
  MBS_TAKE(context, coefficients->arena, index, count);
  MBS_TAKE(context, coefficients->arena, block->value, count);
  for (int i = 0; i < count; ++i) {
    MBS_TRY(coefficient_of(context, coefficients, nodes[i], &index[i]));
  }
  block->count = count;
  block->index = index;
  MBS_APPEND(context, coefficients->arena, &coefficients->blocks, block);
  return MBS_OK;
}

// which columns the block depends on
static MbsStatus activate(MbsContext *context, MbsCoefficients *coefficients, int column_count, MbsBlock *block) {
  bool *is_active;
  int *column;
  MBS_TAKE(context, coefficients->arena, is_active, column_count);
  for (int i = 0; i < block->count; ++i) {
    for (int d = coefficients->derivative_start[block->index[i]];
         d < coefficients->derivative_start[block->index[i] + 1]; ++d) {
      is_active[coefficients->derivative_column[d]] = true;
    }
  }
  for (int k = 0; k < column_count; ++k) {
    block->active_count += is_active[k];
  }
  MBS_TAKE(context, coefficients->arena, column, block->active_count);
  MBS_TAKE(context, coefficients->arena, block->slope, (size_t)block->active_count * (size_t)block->count);
  for (int k = 0, active = 0; k < column_count; ++k) {
    if (is_active[k]) {
      column[active++] = k;
    }
  }
  block->column = column;
  return MBS_OK;
}

MbsStatus mbs_coefficients_finish(MbsContext *context, MbsCoefficients *coefficients, int column_count,
                                  const int *columns) {
  MbsArena *arena = coefficients->arena;
  int count = coefficients->nodes.count;
  MBS_LIST(MbsNode) outputs = {0, 0, NULL};
  MBS_LIST(int) derivative_column = {0, 0, NULL};
  int highest = 0;
  for (int k = 0; k < column_count; ++k) {
    highest = columns[k] >= highest ? columns[k] + 1 : highest;
  }
  int *column_of_input;
  MBS_TAKE(context, arena, column_of_input, highest);
  for (int k = 0; k < column_count; ++k) {
    column_of_input[columns[k]] = 1 + k;
  }
  MBS_TAKE(context, arena, coefficients->derivative_start, count + 1);
  for (int i = 0; i < count; ++i) {
    MBS_APPEND(context, arena, &outputs, coefficients->nodes.items[i]);
  }
  for (int i = 0; i < count; ++i) {
    int input_count;
    const int *inputs;
    coefficients->derivative_start[i] = derivative_column.count;
    MBS_TRY(mbs_graph_inputs_of(context, coefficients->graph, coefficients->nodes.items[i], &input_count, &inputs));
    for (int k = 0; k < input_count; ++k) {
      if (inputs[k] < highest && column_of_input[inputs[k]] > 0) {
        MbsNode slope = mbs_graph_derivative(coefficients->graph, coefficients->nodes.items[i], inputs[k]);
        MBS_APPEND(context, arena, &outputs, slope);
        MBS_APPEND(context, arena, &derivative_column, column_of_input[inputs[k]] - 1);
      }
    }
  }
  coefficients->derivative_start[count] = derivative_column.count;
  coefficients->derivative_column = derivative_column.items;
  MBS_TRY(mbs_graph_status(context, coefficients->graph));
  MBS_TRY(mbs_tape_create(context, arena, coefficients->graph, outputs.count, outputs.items, &coefficients->tape));
  MBS_TAKE(context, arena, coefficients->inputs, coefficients->tape->input_count);
  MBS_TAKE(context, arena, coefficients->outputs, outputs.count);
  return MBS_OK;
}

MbsStatus mbs_coefficients_give_slopes(MbsContext *context, MbsCoefficients *coefficients, int column_count) {
  for (int b = 0; b < coefficients->blocks.count; ++b) {
    MBS_TRY(activate(context, coefficients, column_count, coefficients->blocks.items[b]));
  }
  return MBS_OK;
}

void mbs_coefficients_refresh(MbsCoefficients *coefficients, const mbs_scalar *parameters) {
  const MbsTape *tape = coefficients->tape;
  for (int i = 0; i < tape->input_count; ++i) {
    coefficients->inputs[i] = parameters[tape->inputs[i]];
  }
  mbs_tape_evaluate(tape, coefficients->inputs, coefficients->outputs);
  mbs_coefficients_spread(coefficients);
}

void mbs_coefficients_set_slopes(MbsCoefficients *coefficients, int column, const double *slopes) {
  int count = coefficients->nodes.count;
  for (int c = 0; c < count; ++c) {
    for (int d = coefficients->derivative_start[c]; d < coefficients->derivative_start[c + 1]; ++d) {
      if (coefficients->derivative_column[d] == column) {
        coefficients->outputs[count + d] = slopes[c];
      }
    }
  }
}

void mbs_coefficients_spread(MbsCoefficients *coefficients) {
  const mbs_scalar *slopes = coefficients->outputs + coefficients->nodes.count;
  for (int b = 0; b < coefficients->blocks.count; ++b) {
    MbsBlock *block = coefficients->blocks.items[b];
    for (int i = 0; i < block->count; ++i) {
      int c = block->index[i];
      block->value[i] = coefficients->outputs[c];
      for (int d = coefficients->derivative_start[c];
           d < coefficients->derivative_start[c + 1] && block->active_count > 0; ++d) {
        ((mbs_scalar *)mbs_block_slope(block, coefficients->derivative_column[d]))[i] = slopes[d];
      }
    }
  }
}
