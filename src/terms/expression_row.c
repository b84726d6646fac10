// A constraint given by an expression of linear forms y of q, set up: derivatives by the graph, tapes, sparsity. Its
// mathematics is in expression_row_evaluate.c.
#include "terms/elements.h"

int mbs_expression_row_size(const MbsSystem *system, const MbsExpressionRow *x) {
  return x->argument_count * system->dimension;
}

// graph input of component k of an argument (its position or its velocity), or -1 where the levels do not use it
static int find_input(const MbsExpressionRow *x, const MbsTape *tape, MbsSignalKind kind, int argument, int k) {
  for (int s = 0; s < tape->input_count; ++s) {
    const MbsInputPlace *place = &x->inputs[s];
    if (place->signal.kind == kind && place->argument == argument && place->signal.component == k) {
      return tape->inputs[s];
    }
  }
  return -1;
}

static MbsNode slope(MbsGraph *g, MbsNode node, int input) {
  return input < 0 ? mbs_graph_constant(g, 0) : mbs_graph_derivative(g, node, input);
}

// but branches, which are no columns
static MbsStatus list_parameters(MbsContext *context, MbsSystem *system, const MbsTape *tape, MbsExpressionRow *x) {
  int *parameters, branches = system->blueprint->variable_first + system->blueprint->variable_count;
  MBS_TAKE(context, system->arena, parameters, tape->input_count);
  for (int s = 0; s < tape->input_count; ++s) {
    const MbsSignal *signal = &x->inputs[s].signal;
    if (signal->kind == MBS_SIGNAL_TABLE || (signal->kind == MBS_SIGNAL_PARAMETER && signal->index < branches)) {
      parameters[x->parameter_count++] = s;
    }
  }
  x->parameters = parameters;
  return MBS_OK;
}

// Everything the evaluation needs as outputs of one tape, and what a residual needs as the first outputs, of a tape of
// their own. That one costs no more than the levels: g and level1_y are parts of d/dt level 1.
// is_bare: the first level alone, and its gradient.
static MbsStatus make_tapes(MbsContext *context, MbsSystem *system, const MbsNode level[3], bool is_bare,
                            MbsExpressionRow *x, MbsForm **forms) {
  MbsGraph *graph = system->blueprint->graph;
  int d = system->dimension;
  MbsTape *levels;
  MBS_TRY(mbs_graph_status(context, graph));
  MBS_TRY(mbs_tape_create(context, system->arena, graph, 3, level, &levels));
  MBS_TRY(mbs_input_places(context, system, levels, &x->inputs, &x->argument_count, forms));
  MBS_TRY(list_parameters(context, system, levels, x));
  int size = mbs_expression_row_size(system, x);
  int of_residual = 3 + 2 * size;
  int count = of_residual + 2 * size + size * size + x->parameter_count * (3 + size);
  MbsNode *nodes, *g;
  int *at_y, *at_v;
  MBS_TAKE(context, system->arena, nodes, count);
  MBS_TAKE(context, system->arena, at_y, size);
  MBS_TAKE(context, system->arena, at_v, size);
  MbsNode *next = nodes;
  for (int k = 0; k < 3; ++k) {
    *next++ = level[k];
  }
  g = next;
  for (int i = 0; i < size; ++i) {
    at_y[i] = find_input(x, levels, MBS_SIGNAL_POSITION, i / d, i % d);
    at_v[i] = find_input(x, levels, MBS_SIGNAL_VELOCITY, i / d, i % d);
    *next++ = is_bare ? slope(graph, level[0], at_y[i]) : slope(graph, level[1], at_v[i]);
  }
  for (int i = 0; i < size; ++i) {
    *next++ = slope(graph, level[1], at_y[i]);
  }
  for (int i = 0; i < size; ++i) {
    *next++ = slope(graph, level[2], at_y[i]);
  }
  for (int i = 0; i < size; ++i) {
    *next++ = slope(graph, level[2], at_v[i]);
  }
  for (int i = 0; i < size * size; ++i) {
    *next++ = is_bare ? mbs_graph_constant(graph, 0) : slope(graph, g[i / size], at_y[i % size]);
  }
  for (int p = 0; p < x->parameter_count; ++p) {
    for (int k = 0; k < 3; ++k) {
      *next++ = slope(graph, level[k], levels->inputs[x->parameters[p]]);
    }
    for (int i = 0; i < size; ++i) {
      *next++ = slope(graph, g[i], levels->inputs[x->parameters[p]]);
    }
  }
  MBS_TRY(mbs_graph_status(context, graph));
  MBS_TRY(mbs_tape_create(context, system->arena, graph, of_residual, nodes, &x->residual_tape));
  MBS_TRY(mbs_tape_create(context, system->arena, graph, count, nodes, &x->full_tape));
  // the inputs of a tape are in ascending order, and derivatives bring no new ones
  MBS_CHECK(context,
            x->residual_tape->input_count == levels->input_count && x->full_tape->input_count == levels->input_count);
  MBS_TAKE(context, system->arena, x->input_values, levels->input_count);
  MBS_TAKE(context, system->arena, x->level, count);
  x->g = x->level + 3;
  x->level1_y = x->g + size;
  x->level2_y = x->level1_y + size;
  x->level2_v = x->level2_y + size;
  x->g_y = x->level2_v + size;
  x->by_parameter = x->g_y + size * size;
  for (int k = 0; k < 3; ++k) {
    MBS_TAKE(context, system->arena, x->y[k], size);
  }
  for (int k = 0; k < MBS_COUNT(x->work); ++k) {
    MBS_TAKE(context, system->arena, x->work[k], size);
  }
  return MBS_OK;
}

MbsStatus mbs_expression_row_create(MbsContext *context, MbsSystem *system, const MbsRowSpec *spec, MbsRow *row) {
  MbsExpressionRow *x;
  MbsForm *forms;
  MBS_TAKE(context, system->arena, x, 1);
  // a nonholonomic row has no position level: its expression is level 1
  MbsNode level[3] = {mbs_graph_constant(system->blueprint->graph, 0), spec->expression};
  bool is_bare = system->blueprint->has_positions_alone && !spec->is_nonholonomic;
  if (!spec->is_nonholonomic) {
    level[0] = spec->expression;
    level[1] = mbs_graph_constant(system->blueprint->graph, 0);
  }
  if (!spec->is_nonholonomic && !is_bare) {
    MBS_TRY(mbs_signal_rate(context, system->blueprint, level[0], &level[1]));
  }
  MBS_TRY(mbs_signal_rate(context, system->blueprint, level[1], &level[2]));
  MBS_TRY(make_tapes(context, system, level, is_bare, x, &forms));
  MbsNode *nodes;
  MBS_TAKE(context, system->arena, nodes, 2 * mbs_forms_term_count(x->argument_count, forms));
  MBS_TAKE(context, system->arena, x->arguments, x->argument_count);
  int used = 0;
  MBS_TRY(mbs_linear_forms_create(context, system, x->argument_count, forms, nodes, &used, x->arguments));
  for (int i = 1; i < used; i += 2) {
    x->has_turn |= !mbs_graph_is_constant(system->blueprint->graph, nodes[i], 0);
  }
  row->expression = x;
  return mbs_coefficients_add_block(context, &system->coefficients, used, nodes, &row->block);
}

MbsStatus mbs_expression_row_place(const MbsEntries *entries, const MbsSystem *system, const MbsRow *row) {
  MbsExpressionRow *x = row->expression;
  int d = system->dimension, multiplier = system->n + row->index, *column, *own, *hessian;
  int terms = mbs_terms_of_forms(x->argument_count, x->arguments);
  MBS_TRY(mbs_entries_take(entries, terms * d, &x->column_map, &column));
  MBS_TRY(mbs_entries_take(entries, terms * d, &x->row_map, &own));
  MBS_TRY(mbs_entries_take(entries, terms * terms * d * d, &x->hessian_map, &hessian));
  for (int a = 0; a < x->argument_count; ++a) {
    for (int i = 0; i < x->arguments[a].count * d; ++i) {
      int q = mbs_system_free_component(system, x->arguments[a].first[i / d], i % d);
      MBS_TRY(mbs_entry(entries, q, multiplier, column++));
      MBS_TRY(mbs_entry(entries, multiplier, q, own++));
    }
    for (int i = 0; i < x->arguments[a].count; ++i) {
      for (int b = 0; b < x->argument_count; ++b) {
        for (int j = 0; j < x->arguments[b].count; ++j, hessian += d * d) {
          MBS_TRY(mbs_place_block(entries, system, x->arguments[a].first[i], x->arguments[b].first[j], hessian));
        }
      }
    }
  }
  return MBS_OK;
}
