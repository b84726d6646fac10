// Constraint rows, set up: forms, coefficients, sparsity. Their mathematics is in row_evaluate.c.
#include "terms/elements.h"

static MbsStatus place_terms(MbsContext *context, const MbsSystem *system, const MbsLinearForm *form, int *first,
                             int *count, const int **slots) {
  int *slot;
  MBS_TAKE(context, system->arena, slot, form->count);
  for (int i = 0; i < form->count; ++i) {
    int s = 0;
    while (s < *count && first[s] != form->first[i]) {
      ++s;
    }
    if (s == *count) {
      first[(*count)++] = form->first[i];
    }
    slot[i] = s;
  }
  *slots = slot;
  return MBS_OK;
}

MbsStatus mbs_row_create(MbsContext *context, MbsSystem *system, const MbsRowSpec *spec, int index, MbsRow *row) {
  row->kind = spec->kind;
  row->index = index;
  row->is_nonholonomic = spec->is_nonholonomic;
  row->acts = spec->switched > 0 ? &system->parameters[spec->switched] : NULL;
  if (row->kind == MBS_ROW_EXPRESSION) {
    return mbs_expression_row_create(context, system, spec, row);
  }
  MbsNode *nodes;
  int *first;
  int size = 1 + 2 * (spec->A.count + spec->B.count);
  MBS_TAKE(context, system->arena, nodes, size);
  MBS_TAKE(context, system->arena, first, spec->A.count + spec->B.count);
  row->component = spec->component;
  row->is_square = spec->kind == MBS_ROW_DOT && spec->A.terms == spec->B.terms;
  nodes[0] = spec->c;
  int used = 1;
  MBS_TRY(mbs_linear_forms_create(context, system, 1, &spec->A, nodes, &used, &row->A));
  if (row->is_square) {
    row->B = row->A;
    size = 1 + 2 * spec->A.count;
  } else {
    MBS_TRY(mbs_linear_forms_create(context, system, 1, &spec->B, nodes, &used, &row->B));
  }
  MBS_TRY(place_terms(context, system, &row->A, first, &row->count, &row->slot_A));
  MBS_TRY(place_terms(context, system, &row->B, first, &row->count, &row->slot_B));
  row->first = first;
  for (int i = 2; i < size; i += 2) {
    row->has_turn |= !mbs_graph_is_constant(system->blueprint->graph, nodes[i], 0);
  }
  return mbs_coefficients_add_block(context, &system->coefficients, size, nodes, &row->block);
}

// how many entries of the matrix a pair of terms touches, in one order
static int pair_entries(const MbsSystem *system, const MbsRow *row) {
  return row->has_turn ? 2 * system->dimension : system->dimension;
}

// Entry k of the block of (entity e, entity f), in the order diagonal, then (row 0, 1), (row 1, 0).
static void pair_entry(const MbsSystem *system, int e, int f, int k, int *r, int *c) {
  int d = system->dimension;
  *r = e + k % d;
  *c = f + (k < d ? k : 1 - k % d);
  if (*r >= system->n || *c >= system->n) {
    *r = *c = -1;
  }
}

MbsStatus mbs_row_place(const MbsEntries *entries, const MbsSystem *system, MbsRow *row) {
  int d = system->dimension, multiplier = system->n + row->index;
  int count = pair_entries(system, row), *columns, *rows, *hessian;
  MBS_TRY(mbs_entry(entries, multiplier, multiplier, &row->diagonal));
  if (row->kind == MBS_ROW_EXPRESSION) {
    return mbs_expression_row_place(entries, system, row);
  }
  MBS_TRY(mbs_entries_take(entries, row->count * d, &row->column_map, &columns));
  MBS_TRY(mbs_entries_take(entries, row->count * d, &row->row_map, &rows));
  MBS_TRY(mbs_entries_take(entries, 2 * row->A.count * row->B.count * count, &row->hessian_map, &hessian));
  for (int i = 0; i < row->count * d; ++i) {
    int q = row->first[i / d] + i % d;
    q = q < system->n ? q : -1;
    MBS_TRY(mbs_entry(entries, q, multiplier, &columns[i]));
    MBS_TRY(mbs_entry(entries, multiplier, q, &rows[i]));
  }
  for (int i = 0; i < row->A.count; ++i) {
    for (int j = 0; j < row->B.count; ++j) {
      const int of[2] = {row->A.first[i], row->B.first[j]};
      for (int k = 0; k < (row->is_square ? count : 2 * count); ++k) {
        int order = k / count, r, c;
        pair_entry(system, of[order], of[1 - order], k % count, &r, &c);
        MBS_TRY(mbs_entry(entries, r, c, hessian++));
      }
    }
  }
  return MBS_OK;
}
