// Tables with numbers: their ordinates and slopes are coefficients, refreshed where parameters change.
//
// In expressions a table stands with an input delta that is zero (expressions/table.h). An element that knows
// dS/d(delta) of something S knows dS/dn_j = dS/d(delta) w_j for the numbers n_j that count there, so that
//     column k:     S' += dS/d(delta) sum_j w_j n_j',k         n_j',k: the slopes of the coefficient
//     transposed:   n_j bar += S bar dS/d(delta) w_j           j: at most 4 numbers, of a map 16
// at a cost that does not know how many points there are.
#include "terms/elements.h"

MbsStatus mbs_tables_create(MbsContext *context, MbsSystem *system) {
  MbsGraph *graph = system->blueprint->graph;
  system->table_count = mbs_graph_table_count(graph);
  MBS_TAKE(context, system->arena, system->tables, system->table_count);
  MBS_TAKE(context, system->arena, system->leaving, system->table_count);
  for (int i = 0; i < system->table_count; ++i) {
    MbsTable *table = mbs_graph_table(graph, i);
    if (table->outside == MBS_OUTSIDE_ERROR) {
      system->leaving[system->leaving_count++] = table;
    }
    if (table->is_varying) {
      MBS_TRY(mbs_coefficients_add_block(context, &system->coefficients, table->number_count, table->nodes,
                                         &system->tables[i]));
    }
  }
  system->work->delta_index = -1;
  return MBS_OK;
}

// All systems of a blueprint share its tables; their parameters have the same values.
void mbs_tables_refresh(const MbsSystem *system) {
  for (int i = 0; i < system->table_count; ++i) {
    MbsTable *table = mbs_graph_table(system->blueprint->graph, i);
    for (int k = 0; k < system->tables[i].count; ++k) {
      table->numbers[k] = system->tables[i].value[k];
      table->real[k] = mbs_re(table->numbers[k]);
    }
  }
}

static const MbsBlock *block_of(const MbsSystem *system, const MbsTape *tape, int input, MbsSpread *spread) {
  const MbsTable *table = mbs_tape_spread(tape, input, spread);
  for (int i = 0; i < system->table_count && table; ++i) {
    if (mbs_graph_table(system->blueprint->graph, i) == table) {
      return &system->tables[i];
    }
  }
  return NULL;
}

mbs_scalar mbs_input_column(const MbsSystem *system, const MbsTape *tape, const MbsSignal *signal, int input,
                            int column) {
  if (column < 0 || (signal->kind != MBS_SIGNAL_PARAMETER && signal->kind != MBS_SIGNAL_TABLE)) {
    return 0;
  }
  if (signal->kind == MBS_SIGNAL_PARAMETER) {
    return system->column_of_parameter[signal->index] == column ? 1 : 0;
  }
  MbsSpread spread;
  const MbsBlock *block = block_of(system, tape, input, &spread);
  const mbs_scalar *slope = block ? mbs_block_slope(block, column) : NULL;
  mbs_scalar sum = 0;
  for (int k = 0; k < spread.count && slope; ++k) {
    sum += spread.weight[k] * slope[spread.number[k]];
  }
  return sum;
}

void mbs_input_transposed(const MbsSystem *system, const MbsTape *tape, const MbsSignal *signal, int input,
                          mbs_scalar slope, mbs_scalar *parameters, mbs_scalar *coefficients) {
  if (signal->kind == MBS_SIGNAL_PARAMETER && parameters) {
    parameters[signal->index] += slope;
  } else if (signal->kind == MBS_SIGNAL_TABLE && coefficients && !mbs_is_zero(slope)) {
    MbsSpread spread;
    const MbsBlock *block = block_of(system, tape, input, &spread);
    for (int k = 0; block && k < spread.count; ++k) {
      coefficients[block->index[spread.number[k]]] += slope * spread.weight[k];
    }
  }
}

const MbsTable *mbs_tables_left(const MbsSystem *system) {
  for (int i = 0; i < system->leaving_count; ++i) {
    if (system->leaving[i]->is_left) {
      return system->leaving[i];
    }
  }
  return NULL;
}

void mbs_tables_forget_left(const MbsSystem *system) {
  for (int i = 0; i < system->leaving_count; ++i) {
    system->leaving[i]->is_left = false;
  }
}
