// Which coordinates of the tree move which parts of an element, and where their entries of the matrix are. See
// tree_elements.h; the numbers are made in tree_element_matrix.c.
#include "tree/tree_elements.h"

#include <stdlib.h>

// ---- forms ----
// What an element is made of, whether it is a row or a force.
typedef struct Source {
  const MbsBlock *block;
  bool has_turn;
  int form_count, port_count, argument_form;
  const MbsLinearForm *forms[2];  // the first port_count ones, and the others (or both, A and B of a row)
} Source;

static const MbsLinearForm *form_of(const Source *source, int form) {
  return form < source->port_count ? &source->forms[0][form] : &source->forms[1][form - source->port_count];
}

static Source source_of_row(const MbsRow *row) {
  const MbsExpressionRow *x = row->expression;
  bool is_one = row->kind == MBS_ROW_COINCIDE || row->is_square;
  Source source = {.block = &row->block, .has_turn = row->has_turn, .form_count = is_one ? 1 : 2, .port_count = 1};
  source.forms[0] = &row->A;
  source.forms[1] = &row->B;
  if (row->kind == MBS_ROW_EXPRESSION) {
    source.has_turn = x->has_turn;
    source.form_count = source.port_count = x->argument_count;
    source.forms[0] = x->arguments;
  }
  return source;
}

static Source source_of_force(const MbsForceElement *force) {
  bool is_same = force->arguments == force->ports;
  return (Source){.block = &force->block,
                  .has_turn = force->has_turn,
                  .form_count = force->port_count + (is_same ? 0 : force->argument_count),
                  .port_count = force->port_count,
                  .argument_form = is_same ? 0 : force->port_count,
                  .forms = {force->ports, force->arguments}};
}

// equal coefficients are one: the same terms have the same numbers
static bool has_same_forms(const Source *a, const Source *b) {
  bool is_same = a->form_count == b->form_count;
  for (int f = 0; f < a->form_count && is_same; ++f) {
    const MbsLinearForm *x = form_of(a, f), *y = form_of(b, f);
    is_same = x->count == y->count;
    for (int t = 0; t < x->count && is_same; ++t) {
      const int *of_x = a->block->index + x->offset + 2 * t, *of_y = b->block->index + y->offset + 2 * t;
      is_same = x->first[t] == y->first[t] && of_x[0] == of_y[0] && of_x[1] == of_y[1];
    }
  }
  return is_same;
}

// ---- parts ----
static MbsStatus add_part(MbsContext *context, const MbsTree *tree, const MbsLinearForm *form, int index, int node,
                          MbsTreePart *part) {
  int *first, *at;
  *part = (MbsTreePart){.form = index, .node = node, .point = -1};
  MBS_TAKE(context, tree->inner->arena, first, form->count);
  MBS_TAKE(context, tree->inner->arena, at, form->count);
  for (int t = 0; t < form->count; ++t) {
    if (tree->node_at[form->first[t]] == node) {
      part->point = form->first[t] == tree->nodes[node].body_first ? part->count : part->point;
      first[part->count] = form->first[t];
      at[part->count++] = form->offset + 2 * t;
    }
  }
  part->first = first;
  part->at = at;
  return MBS_OK;
}

static MbsStatus list_parts(MbsContext *context, const MbsTree *tree, const Source *source, MbsTreeElement *element) {
  int most = 0;
  for (int f = 0; f < source->form_count; ++f) {
    most += form_of(source, f)->count;
  }
  MBS_TAKE(context, tree->inner->arena, element->parts, most);
  MBS_TAKE(context, tree->inner->arena, element->scalars, most);
  for (int f = 0; f < source->form_count; ++f) {
    const MbsLinearForm *form = form_of(source, f);
    for (int t = 0; t < form->count; ++t) {
      int node = tree->node_at[form->first[t]];
      bool is_new = node >= 0;
      element->has_ground |= form->first[t] >= tree->inner->n;
      for (int p = 0; p < element->part_count && is_new; ++p) {
        is_new = element->parts[p].form != f || element->parts[p].node != node;
      }
      if (is_new) {
        MBS_TRY(add_part(context, tree, form, f, node, &element->parts[element->part_count++]));
      }
      int coordinate = tree->coordinate_at[form->first[t]];
      if (coordinate >= 0) {
        element->scalars[element->scalar_count++] =
            (MbsTreeScalar){.form = f, .coordinate = coordinate, .at = form->offset + 2 * t};
      }
    }
  }
  return MBS_OK;
}

// ---- movers ----
static bool stands_on(const MbsTree *tree, int node, int coordinate) {
  int on = coordinate < tree->joint_count ? tree->node_of[coordinate] : -1;
  return on >= 0 && node >= on && node < tree->nodes[on].end;
}

// the parts and scalars that a coordinate moves; counts alone, or into the arrays
static void find_moved(const MbsTree *tree, const MbsTreeElement *element, int coordinate, MbsTreeMover *mover,
                       int *parts, int *scalars) {
  *mover = (MbsTreeMover){.coordinate = coordinate, .parts = parts, .scalars = scalars};
  for (int p = 0; p < element->part_count; ++p) {
    if (stands_on(tree, element->parts[p].node, coordinate)) {
      mover->is_port |= mbs_tree_is_port(element, element->parts[p].form);
      mover->is_argument |= mbs_tree_is_argument(element, element->parts[p].form);
      if (parts) {
        parts[mover->part_count] = p;
      }
      ++mover->part_count;
    }
  }
  for (int s = 0; s < element->scalar_count; ++s) {
    if (element->scalars[s].coordinate == coordinate) {
      mover->is_port |= mbs_tree_is_port(element, element->scalars[s].form);
      mover->is_argument |= mbs_tree_is_argument(element, element->scalars[s].form);
      if (scalars) {
        scalars[mover->scalar_count] = s;
      }
      ++mover->scalar_count;
    }
  }
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// coordinates that move some part, or are scalars, in ascending order: those of the nodes on the way to the ground
static int list_candidates(const MbsTree *tree, const MbsTreeElement *element, int *candidates) {
  bool *is_known = tree->elements->is_candidate;
  int count = 0;
  for (int p = 0; p < element->part_count; ++p) {
    for (int i = element->parts[p].node; i >= 0; i = tree->nodes[i].parent) {
      for (int k = tree->nodes[i].first; k < tree->nodes[i].first + tree->nodes[i].count; ++k) {
        if (!is_known[k]) {
          is_known[k] = true;
          candidates[count++] = k;
        }
      }
    }
  }
  for (int s = 0; s < element->scalar_count; ++s) {
    int k = element->scalars[s].coordinate;
    if (!is_known[k]) {
      is_known[k] = true;
      candidates[count++] = k;
    }
  }
  for (int i = 0; i < count; ++i) {
    is_known[candidates[i]] = false;
  }
  qsort(candidates, (size_t)count, sizeof *candidates, compare);
  return count;
}

static MbsStatus list_movers(MbsContext *context, const MbsTree *tree, MbsTreeElement *element) {
  MbsArena *arena = tree->inner->arena;
  const int *candidates = tree->elements->candidates;
  int part_count = 0, scalar_count = 0, *parts, *scalars;
  element->mover_count = list_candidates(tree, element, tree->elements->candidates);
  MBS_TAKE(context, arena, element->movers, element->mover_count);
  for (int i = 0; i < element->mover_count; ++i) {
    find_moved(tree, element, candidates[i], &element->movers[i], NULL, NULL);
    part_count += element->movers[i].part_count;
    scalar_count += element->movers[i].scalar_count;
  }
  MBS_TAKE(context, arena, parts, part_count);
  MBS_TAKE(context, arena, scalars, scalar_count);
  for (int i = 0; i < element->mover_count; ++i) {
    find_moved(tree, element, candidates[i], &element->movers[i], parts, scalars);
    parts += element->movers[i].part_count;
    scalars += element->movers[i].scalar_count;
  }
  return MBS_OK;
}

static int only_node(const MbsTreeElement *element) {
  int node = element->part_count > 0 && element->scalar_count == 0 ? element->parts[0].node : -1;
  for (int p = 0; p < element->part_count; ++p) {
    node = element->parts[p].node == node ? node : -1;
  }
  return node;
}

static MbsStatus create_element(MbsContext *context, const MbsTree *tree, const Source *source, const Source *before,
                                MbsTreeElement *element) {
  element->block = source->block;
  element->has_turn = source->has_turn;
  element->form_count = source->form_count;
  element->argument_form = source->argument_form;
  element->is_repeated = before && has_same_forms(source, before);
  return list_parts(context, tree, source, element);
}

// ---- entries ----
static MbsStatus place_pairs(const MbsEntries *entries, MbsTreeElement *element) {
  int count = element->mover_count, *pairs;
  MBS_TRY(mbs_entries_take(entries, count * count, &element->pairs, &pairs));
  for (int i = 0; i < count * count; ++i) {
    const MbsTreeMover *port = &element->movers[i / count], *argument = &element->movers[i % count];
    pairs[i] = -1;
    if (port->is_port && argument->is_argument) {
      MBS_TRY(mbs_entry(entries, port->coordinate, argument->coordinate, &pairs[i]));
    }
  }
  return MBS_OK;
}

// linear rows have no second derivatives
static bool has_pairs(const MbsRow *row) { return row->kind != MBS_ROW_COINCIDE; }

// at: of the multiplier
static MbsStatus place_row(const MbsEntries *entries, int at, MbsTreeElement *element) {
  int *rows, *columns;
  MBS_TRY(mbs_entries_take(entries, element->mover_count, &element->row, &rows));
  MBS_TRY(mbs_entries_take(entries, element->mover_count, &element->column, &columns));
  for (int i = 0; i < element->mover_count; ++i) {
    MBS_TRY(mbs_entry(entries, at, element->movers[i].coordinate, &rows[i]));
    MBS_TRY(mbs_entry(entries, element->movers[i].coordinate, at, &columns[i]));
  }
  return mbs_entry(entries, at, at, &element->diagonal);
}

MbsStatus mbs_tree_place_scalar_mass(const MbsEntries *entries, const MbsTree *tree, const MbsMass *mass,
                                     const int **result) {
  int *map;
  MBS_TRY(mbs_entries_take(entries, mass->count * mass->count, result, &map));
  for (int p = 0; p < mass->count * mass->count; ++p) {
    MBS_TRY(mbs_entry(entries, tree->coordinate_at[mass->first[p / mass->count]],
                      tree->coordinate_at[mass->first[p % mass->count]], &map[p]));
  }
  return MBS_OK;
}

static MbsStatus list_scalar_masses(MbsContext *context, const MbsTree *tree, MbsTreeElements *elements) {
  const MbsSystem *inner = tree->inner;
  MBS_TAKE(context, inner->arena, elements->scalar_masses, inner->mass_count);
  MBS_TAKE(context, inner->arena, elements->scalar_maps, inner->mass_count);
  for (int i = 0; i < inner->mass_count; ++i) {
    if (inner->masses[i].is_scalar) {
      elements->scalar_masses[elements->scalar_mass_count++] = &inner->masses[i];
    }
  }
  return MBS_OK;
}

// ---- all ----
static void raise(int *most, int value) { *most = value > *most ? value : *most; }

MbsStatus mbs_tree_elements_create(MbsContext *context, const MbsTree *tree, MbsTreeElements **result) {
  const MbsMode *mode = &tree->inner->mode;
  MbsArena *arena = tree->inner->arena;
  MbsTreeElements *elements;
  int most_parts = 0, most_forms = 0, most_entries = 0, most_arguments = 0, d = tree->inner->dimension;
  Source before;
  MBS_TAKE(context, arena, elements, 1);
  MBS_TAKE(context, arena, elements->rows, mode->row_count);
  MBS_TAKE(context, arena, elements->forces, mode->force_count);
  elements->first_row = mode->rows;
  elements->first_force = mode->forces;
  for (int i = 0; i < mode->row_count + mode->force_count; ++i) {
    const MbsForceElement *force = i < mode->row_count ? NULL : mode->forces[i - mode->row_count];
    const Source source = force ? source_of_force(force) : source_of_row(&mode->rows[i]);
    MbsTreeElement *element = force ? &elements->forces[i - mode->row_count] : &elements->rows[i];
    MBS_TRY(create_element(context, tree, &source, i > 0 && !force ? &before : NULL, element));
    element->node = force ? only_node(element) : -1;
    raise(&most_arguments, force ? d * force->argument_count : 0);
    raise(&most_parts, element->part_count);
    raise(&most_forms, element->form_count);
    raise(&most_entries, force ? d * d * force->port_count * force->argument_count : 0);
    before = source;
  }
  MBS_TAKE(context, arena, elements->candidates, tree->coordinate_count);
  MBS_TAKE(context, arena, elements->is_candidate, tree->coordinate_count);
  MBS_TAKE(context, arena, elements->values, 9 * most_parts);
  MBS_TAKE(context, arena, elements->product, d * most_forms);
  MBS_TAKE(context, arena, elements->g, d * most_forms);
  for (int level = 0; level < 3; ++level) {
    MBS_TAKE(context, arena, elements->slope[level], d * most_forms);
  }
  for (int level = 0; level < 2; ++level) {
    MBS_TAKE(context, arena, elements->G[level], most_entries);
  }
  MBS_TAKE(context, arena, elements->wrench, mbs_twist_size(d) * most_arguments);
  *result = elements;
  return list_scalar_masses(context, tree, elements);
}

MbsStatus mbs_tree_elements_move(MbsContext *context, const MbsTree *tree, bool with_forces) {
  const MbsMode *mode = &tree->inner->mode;
  MbsTreeElements *elements = tree->elements;
  int most = 0;
  for (int i = 0; i < mode->row_count + (with_forces ? mode->force_count : 0); ++i) {
    MbsTreeElement *element = i < mode->row_count ? &elements->rows[i] : &elements->forces[i - mode->row_count];
    MBS_TRY(list_movers(context, tree, element));
    raise(&most, element->mover_count * element->form_count);
  }
  for (int level = 0; level < 3; ++level) {
    MBS_TAKE(context, tree->inner->arena, elements->Y[level], tree->inner->dimension * most);
  }
  return MBS_OK;
}

MbsStatus mbs_tree_elements_place(const MbsEntries *entries, const MbsTree *tree, bool with_pairs) {
  const MbsMode *mode = &tree->inner->mode;
  MbsTreeElements *elements = tree->elements;
  for (int i = 0; i < mode->row_count; ++i) {
    MBS_TRY(place_row(entries, tree->coordinate_count + mode->rows[i].index, &elements->rows[i]));
    if (with_pairs && has_pairs(&mode->rows[i])) {
      MBS_TRY(place_pairs(entries, &elements->rows[i]));
    }
  }
  for (int i = 0; i < mode->force_count && with_pairs; ++i) {
    MBS_TRY(place_pairs(entries, &elements->forces[i]));
  }
  for (int i = 0; i < elements->scalar_mass_count && with_pairs; ++i) {
    MBS_TRY(mbs_tree_place_scalar_mass(entries, tree, elements->scalar_masses[i], &elements->scalar_maps[i]));
  }
  return MBS_OK;
}
