// A source of derivatives, set up: which arguments each element has. See derivative_source.h.
#include "algebra/perturbation.h"
#include "terms/source_storage.h"

// ---- elements ----
typedef struct Lister {
  const MbsSystem *system;
  MbsSourceElement *element;
  int *coordinates;
  MbsArgument *arguments;
} Lister;

static void add_coordinate(const Lister *lister, int coordinate) {
  MbsSourceElement *element = lister->element;
  for (int i = 0; i < element->coordinate_count; ++i) {
    if (lister->coordinates[i] == coordinate) {
      return;
    }
  }
  lister->coordinates[element->coordinate_count++] = coordinate;
}

static void add_entities(const Lister *lister, int count, const int *first, int size) {
  for (int i = 0; i < count * size; ++i) {
    add_coordinate(lister, first[i / size] + i % size);
  }
}

static void add_forms(const Lister *lister, int count, const MbsLinearForm *forms) {
  for (int i = 0; i < count; ++i) {
    add_entities(lister, forms[i].count, forms[i].first, lister->system->dimension);
  }
}

static void add_argument(const Lister *lister, MbsArgumentKind kind, int index) {
  lister->arguments[lister->element->argument_count++] = (MbsArgument){.kind = kind, .index = index};
}

static void add_level(const Lister *lister, MbsArgumentKind kind) {
  for (int i = 0; i < lister->element->coordinate_count; ++i) {
    add_argument(lister, kind, i);
  }
}

// coefficients that depend on some column
static void add_coefficients(const Lister *lister, const MbsCoefficients *coefficients, const MbsBlock *block) {
  lister->element->block = block;
  for (int i = 0; i < block->count; ++i) {
    const int *start = &coefficients->derivative_start[block->index[i]];
    if (start[1] > start[0]) {
      add_argument(lister, MBS_ARGUMENT_COEFFICIENT, i);
    }
  }
}

static void add_parameter(const Lister *lister, const MbsSignal *signal) {
  if (signal->kind == MBS_SIGNAL_PARAMETER && lister->system->column_of_parameter[signal->index] >= 0) {
    add_argument(lister, MBS_ARGUMENT_PARAMETER, signal->index);
  } else if (signal->kind == MBS_SIGNAL_TABLE) {
    add_argument(lister, MBS_ARGUMENT_TABLE, signal->index);
    lister->element->has_tables = true;
  }
}

// M a - weight
static void list_mass(const Lister *lister, const MbsCoefficients *coefficients, const MbsMass *mass) {
  add_entities(lister, mass->count, mass->first, mass->is_scalar ? 1 : lister->system->dimension);
  add_level(lister, MBS_ARGUMENT_A);
  add_coefficients(lister, coefficients, &mass->block);
}

static void list_row(const Lister *lister, const MbsCoefficients *coefficients, const MbsRow *row) {
  const MbsExpressionRow *x = row->expression;
  lister->element->row = row->index;
  lister->element->is_nonholonomic = row->is_nonholonomic;
  if (x) {
    add_forms(lister, x->argument_count, x->arguments);
  } else {
    add_entities(lister, row->count, row->first, lister->system->dimension);
  }
  add_level(lister, MBS_ARGUMENT_Q);
  add_level(lister, MBS_ARGUMENT_V);
  add_level(lister, MBS_ARGUMENT_A);
  add_argument(lister, MBS_ARGUMENT_LAMBDA, 0);
  add_coefficients(lister, coefficients, &row->block);
  for (int i = 0; x && i < x->parameter_count; ++i) {
    add_parameter(lister, &x->inputs[x->parameters[i]].signal);
  }
}

static void list_force(const Lister *lister, const MbsCoefficients *coefficients, const MbsForceElement *force) {
  add_forms(lister, force->port_count, force->ports);
  add_forms(lister, force->argument_count, force->arguments);
  add_level(lister, MBS_ARGUMENT_Q);
  add_level(lister, MBS_ARGUMENT_V);
  add_coefficients(lister, coefficients, &force->block);
  for (int i = 0; !force->kernel && i < force->value_tape->input_count; ++i) {
    add_parameter(lister, &force->inputs[i].signal);
  }
}

// positions of what the element adds to the tangent; what it does not depend on has none, and its slopes are zero
static MbsStatus make_map(MbsContext *context, const MbsSystem *system, MbsSourceElement *element) {
  int size = element->coordinate_count + 1, *map;
  MBS_TAKE(context, system->arena, map, size * size);
  element->map = map;
  for (int k = 0; k < size * size; ++k) {
    int at[2] = {k / size, k % size};
    for (int side = 0; side < 2; ++side) {
      bool is_multiplier = at[side] == element->coordinate_count;
      int q = is_multiplier ? -1 : element->coordinates[at[side]];
      at[side] = is_multiplier ? (element->row < 0 ? -1 : system->n + element->row) : q < system->n ? q : -1;
    }
    map[k] = mbs_pattern_find(&system->mode.pattern, at[0], at[1]);
  }
  return MBS_OK;
}

// element k of a set
static MbsStatus list_element(MbsContext *context, const MbsSystem *system, const MbsElementSet *set, int k,
                              MbsSourceElement *element) {
  int of_rows = k - set->mass_count, of_forces = of_rows - set->row_count;
  element->kind = of_rows < 0 ? MBS_ELEMENT_MASS : of_forces < 0 ? MBS_ELEMENT_ROW : MBS_ELEMENT_FORCE;
  element->index = of_rows < 0 ? k : of_forces < 0 ? of_rows : of_forces;
  element->row = -1;
  const MbsMass *mass = of_rows < 0 ? &set->masses[k] : NULL;
  const MbsRow *row = mass || of_forces >= 0 ? NULL : &set->rows[of_rows];
  const MbsForceElement *force = of_forces < 0 ? NULL : set->forces[of_forces];
  const MbsExpressionRow *x = row ? row->expression : NULL;
  int entities = mass    ? mass->count
                 : x     ? mbs_terms_of_forms(x->argument_count, x->arguments)
                 : force ? mbs_terms_of_forms(force->port_count, force->ports) +
                               mbs_terms_of_forms(force->argument_count, force->arguments)
                         : row->count;
  int most = entities * system->dimension, inputs = x                         ? x->parameter_count
                                                    : force && !force->kernel ? force->value_tape->input_count
                                                                              : 0;
  const MbsBlock *block = mass ? &mass->block : row ? &row->block : &force->block;
  int *coordinates;
  MbsArgument *arguments;
  MBS_TAKE(context, system->arena, coordinates, most);
  MBS_TAKE(context, system->arena, arguments, 3 * most + 1 + block->count + inputs);
  element->coordinates = coordinates;
  element->arguments = arguments;
  const Lister lister = {.system = set->system, .element = element, .coordinates = coordinates, .arguments = arguments};
  if (mass) {
    list_mass(&lister, &system->coefficients, mass);
  } else if (row) {
    list_row(&lister, &system->coefficients, row);
  } else {
    list_force(&lister, &system->coefficients, force);
  }
  return set->source ? MBS_OK : make_map(context, system, element);
}

static MbsStatus list_kinds(MbsContext *context, const MbsSystem *system, const MbsElementSet *set,
                            MbsSourceSet *made) {
  const MbsBlueprint *blueprint = system->blueprint;
  MbsEntityKind *whole, *kinds;
  MBS_TAKE(context, system->arena, whole, system->nq);
  MBS_TAKE(context, system->arena, kinds, set->system->nq);
  for (int i = 0; i < system->nq; ++i) {  // those that complete the last scalar too
    whole[i] = MBS_ENTITY_SCALAR;
  }
  for (int e = 0; e < blueprint->entities.count; ++e) {
    for (int k = 0; k < mbs_entity_size(&blueprint->entities.items[e], system->dimension); ++k) {
      whole[system->entity_first[e] + k] = blueprint->entities.items[e].kind;
    }
  }
  for (int i = 0; i < set->system->nq; ++i) {
    kinds[i] = whole[set->source ? set->source[i] : i];
  }
  made->kinds = kinds;
  return MBS_OK;
}

static MbsStatus make_places(MbsContext *context, const MbsSystem *system, MbsSourceSet *set) {
  for (int p = 0; p < MBS_SOURCE_PLACES; ++p) {
    MbsSourcePlace *place = &set->places[p];
    place->t = HUGE_VAL;  // nowhere yet
    MBS_TAKE(context, system->arena, place->state, 3 * set->nq + set->m + system->signals.turn_count);
    MBS_TAKE(context, system->arena, place->slopes, set->element_count);
    for (int k = 0; k < set->element_count; ++k) {
      const MbsSourceElement *element = &set->elements[k];
      int size = element->argument_count * (element->coordinate_count + 1);
      place->slopes[k].count = -1;
      MBS_TAKE(context, system->arena, place->slopes[k].arguments, element->argument_count);
      MBS_TAKE(context, system->arena, place->slopes[k].values, size);
    }
  }
  return MBS_OK;
}

static MbsStatus make_sets(MbsContext *context, const MbsSystem *system, MbsSource *source) {
  int most = 0, most_coordinates = 0;
  for (int cut = 0; cut < 2; ++cut) {
    const MbsElementSet set = mbs_system_elements(system, cut == 1);
    MbsSourceSet *made = &source->sets[cut];
    made->is_cut = cut == 1;
    made->nq = set.system->nq;
    made->m = system->m;
    made->element_count = set.mass_count + set.row_count + set.force_count;
    MBS_TAKE(context, system->arena, made->elements, made->element_count);
    MBS_TRY(list_kinds(context, system, &set, made));
    for (int k = 0; k < made->element_count; ++k) {
      MbsSourceElement *element = &made->elements[k];
      MBS_TRY(list_element(context, system, &set, k, element));
      most = element->argument_count > most ? element->argument_count : most;
      most_coordinates = element->coordinate_count > most_coordinates ? element->coordinate_count : most_coordinates;
    }
    MBS_TRY(make_places(context, system, made));
  }
  MBS_TAKE(context, system->arena, source->product.arguments, most);
  MBS_TAKE(context, system->arena, source->product.values, most * (most_coordinates + 1));
  double **const arrays[] = {&source->q, &source->v, &source->a, &source->u};
  for (int i = 0; i < MBS_COUNT(arrays); ++i) {
    MBS_TAKE(context, system->arena, *arrays[i], most_coordinates);
  }
  return MBS_OK;
}

// ---- tapes ----
MbsStatus mbs_source_reserve(MbsContext *context, const MbsSystem *system, int inputs, int registers, int outputs) {
  MbsSource *source = system->given_source;
  const struct {
    int wanted, *size;
    double **array;
  } arrays[] = {{inputs, &source->tape_input_count, &source->tape_inputs},
                {2 * registers, &source->tape_workspace_size, &source->tape_workspace},
                {outputs, &source->tape_output_count, &source->tape_slopes}};
  for (int i = 0; i < MBS_COUNT(arrays); ++i) {
    if (arrays[i].wanted > *arrays[i].size) {
      MBS_TAKE(context, system->arena, *arrays[i].array, arrays[i].wanted);
      *arrays[i].size = arrays[i].wanted;
    }
  }
  return MBS_OK;
}

const double *mbs_source_tape(const MbsSystem *system, const MbsTape *tape, const mbs_scalar *inputs, int input,
                              double scale, int output_count) {
  const MbsSource *source = system->given_source;
  for (int s = 0; s < tape->input_count; ++s) {
    source->tape_inputs[s] = mbs_re(inputs[s]);
  }
  double magnitude = mbs_re(mbs_abs(inputs[input]));
  source->functions->tape(tape, source->tape_inputs, input, mbs_difference_step(magnitude > scale ? magnitude : scale),
                          source->tape_workspace, output_count, source->tape_slopes);
  return source->tape_slopes;
}

// d(coefficients)/d(parameters)
static void differentiate_coefficients(MbsSystem *system) {
  MbsCoefficients *coefficients = &system->coefficients;
  const MbsTape *tape = coefficients->tape;
  for (int s = 0; s < tape->input_count; ++s) {
    int column = system->column_of_parameter[tape->inputs[s]];
    if (column >= 0) {
      const double *slopes = mbs_source_tape(system, tape, coefficients->inputs, s, 0, coefficients->nodes.count);
      mbs_coefficients_set_slopes(coefficients, column, slopes);
    }
  }
  mbs_coefficients_spread(coefficients);
}

// ---- the whole ----
MbsStatus mbs_system_give_source(MbsContext *context, MbsSystem *system, const MbsSlopeFunctions *functions,
                                 struct MbsPerturbedTerms *terms) {
  MbsSource *source;
  if (!system->terms->has_sources) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "automatic and numerical derivatives are not offered with relative coordinates; use analytical "
                    "ones, or natural coordinates");
  }
  MBS_TAKE(context, system->arena, source, 1);
  source->functions = functions;
  source->terms = terms;
  MBS_TRY(make_sets(context, system, source));
  MBS_TAKE(context, system->arena, source->parameters, system->blueprint->parameters.count);
  system->given_source = source;
  const MbsTape *tapes[] = {system->coefficients.tape, system->moving.tape};
  for (int i = 0; i < MBS_COUNT(tapes); ++i) {
    MBS_TRY(mbs_source_reserve(context, system, tapes[i]->input_count, mbs_tape_register_count(tapes[i]),
                               tapes[i]->output_count));
  }
  MBS_TRY(mbs_source_reserve(context, system, system->signals.most_function_inputs,
                             system->signals.most_function_registers, 1));
  differentiate_coefficients(system);
  return MBS_OK;
}

void mbs_source_follow(MbsSystem *system) {
  MbsSource *source = system->given_source;
  for (int i = 0; i < system->blueprint->parameters.count; ++i) {
    source->parameters[i] = mbs_re(system->parameters[i]);
  }
  source->functions->follow(source->terms, source->parameters);
  for (int s = 0; s < MBS_COUNT(source->sets); ++s) {
    for (int p = 0; p < MBS_SOURCE_PLACES; ++p) {
      source->sets[s].places[p].t = HUGE_VAL;  // nowhere
    }
  }
  differentiate_coefficients(system);
}

void mbs_system_take_derivatives(MbsSystem *system, bool from_source) {
  system->source = from_source ? system->given_source : NULL;
}
