#include "bodies/basis.h"

#include "expressions/vector.h"

MbsStatus mbs_basis_span(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsBasis *basis, int i,
                         MbsForm *form) {
  MbsForm first;
  MBS_TRY(mbs_form_of_entity(context, blueprint, basis->entity[i], body, form));
  if (basis->kind[i] == MBS_ENTITY_VECTOR) {
    return MBS_OK;
  }
  MBS_TRY(mbs_form_of_entity(context, blueprint, basis->entity[0], body, &first));
  return mbs_form_subtract(context, blueprint, form, &first, form);
}

void mbs_basis_local_span(MbsGraph *graph, const MbsBasis *basis, int i, MbsNode local[3]) {
  for (int k = 0; k < 3; ++k) {
    bool is_vector = basis->kind[i] == MBS_ENTITY_VECTOR;
    local[k] = is_vector ? basis->local[i][k] : mbs_graph_subtract(graph, basis->local[i][k], basis->local[0][k]);
  }
}

static bool is_fixed(const MbsBlueprint *blueprint, const MbsForm *form) {
  for (int i = 0; i < form->count; ++i) {
    if (!blueprint->entities.items[form->terms[i].entity].is_fixed) {
      return false;
    }
  }
  return true;
}

// two bodies on the same two vectors want the same row
static bool is_known_row(const MbsBlueprint *blueprint, const MbsRowSpec *row) {
  for (int i = 0; i < blueprint->rows.count; ++i) {
    const MbsRowSpec *known = &blueprint->rows.items[i];
    if (known->kind == MBS_ROW_DOT && known->c == row->c && mbs_form_is_equal(&known->A, &row->A) &&
        mbs_form_is_equal(&known->B, &row->B)) {
      return true;
    }
  }
  return false;
}

static const char *span_name(const MbsBlueprint *blueprint, const MbsBasis *basis, int i) {
  const char *name = blueprint->entities.items[basis->entity[i]].name;
  if (basis->kind[i] == MBS_ENTITY_VECTOR) {
    return name;
  }
  const char *line = mbs_arena_print(blueprint->arena, "%s-%s", blueprint->entities.items[basis->entity[0]].name, name);
  return line ? line : name;
}

MbsStatus mbs_basis_add_rows(MbsContext *context, MbsBlueprint *blueprint, int index, const MbsBasis *basis) {
  const MbsBlueprintBody *body = &blueprint->bodies.items[index];
  for (int i = 1; i < basis->count; ++i) {
    for (int j = i; j < basis->count; ++j) {
      if (i == j && basis->kind[i] == MBS_ENTITY_VECTOR) {
        continue;
      }
      MbsRowSpec row = {.kind = MBS_ROW_DOT, .owner = body->name, .place = body->record->name.place, .body = index};
      MbsNode local_i[3], local_j[3];
      mbs_basis_local_span(blueprint->graph, basis, i, local_i);
      mbs_basis_local_span(blueprint->graph, basis, j, local_j);
      MBS_TRY(mbs_basis_span(context, blueprint, index, basis, i, &row.A));
      row.B = row.A;
      if (i != j) {
        MBS_TRY(mbs_basis_span(context, blueprint, index, basis, j, &row.B));
      }
      row.c = mbs_node_dot(blueprint->graph, 3, local_i, local_j);
      row.name =
          i == j ? mbs_arena_print(blueprint->arena, "body %s: length %s", body->name, span_name(blueprint, basis, i))
                 : mbs_arena_print(blueprint->arena, "body %s: angle of %s and %s", body->name,
                                   span_name(blueprint, basis, i), span_name(blueprint, basis, j));
      bool is_idle = is_fixed(blueprint, &row.A) && is_fixed(blueprint, &row.B);
      if (is_idle || (i != j && is_known_row(blueprint, &row))) {
        continue;
      }
      MBS_APPEND(context, blueprint->arena, &blueprint->rows, row);
    }
  }
  return MBS_OK;
}
