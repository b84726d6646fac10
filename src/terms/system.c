// From a blueprint to numbers: coordinates, elements, coefficients, sparsity.
#include "terms/derivative_source.h"
#include "terms/elements.h"

// Free points and vectors first, then free scalars, then what is fixed. Forms read as many coordinates of each entity
// as there are dimensions. Of a scalar only the first is its own: the others are those of its neighbours behind it,
// and behind the last scalar one or two fixed zeros. No signal names them, so that nothing depends on them, and what a
// transposed form adds there is zero.
enum { FREE_FRAMES, FREE_SCALARS, FIXED, ORDERS };

static int order_of(const MbsEntity *entity) {
  return entity->is_fixed ? FIXED : entity->kind == MBS_ENTITY_SCALAR ? FREE_SCALARS : FREE_FRAMES;
}

static const char *coordinate_name(const MbsSystem *system, const MbsEntity *entity, int component) {
  static const char *const axes[] = {"x", "y", "z"};
  return entity->kind == MBS_ENTITY_SCALAR ? entity->name
                                           : mbs_arena_print(system->arena, "%s.%s", entity->name, axes[component]);
}

static MbsUnit unit_of(const MbsEntity *entity) {
  return entity->kind == MBS_ENTITY_POINT    ? MBS_UNIT_LENGTH
         : entity->kind == MBS_ENTITY_VECTOR ? MBS_UNIT_NUMBER
                                             : MBS_UNIT_UNKNOWN;
}

static MbsStatus number_coordinates(MbsContext *context, MbsSystem *system) {
  const MbsBlueprint *blueprint = system->blueprint;
  int d = system->dimension, count = blueprint->entities.count;
  int *first;
  const char **names;
  MbsUnit *units;
  MBS_TAKE(context, system->arena, first, count);
  MBS_TAKE(context, system->arena, names, (count + 1) * d);
  MBS_TAKE(context, system->arena, units, (count + 1) * d);
  for (int order = 0; order < ORDERS; ++order) {
    if (order == FREE_SCALARS) {
      system->first_scalar = system->nq;
    } else if (order == FIXED) {
      system->n = system->nq;
      system->first_state = system->n - blueprint->state_count;
      for (int k = 1; k < d && system->first_scalar < system->n; ++k) {
        names[system->nq++] = "zero";
      }
    }
    for (int i = 0; i < count; ++i) {
      const MbsEntity *entity = &blueprint->entities.items[i];
      if (order_of(entity) == order) {
        first[i] = system->nq;
        for (int k = 0; k < mbs_entity_size(entity, d); ++k) {
          units[system->nq] = unit_of(entity);
          names[system->nq++] = coordinate_name(system, entity, k);
        }
      }
    }
  }
  system->entity_first = first;
  system->coordinate_names = names;
  system->units = units;
  MbsNode *values;
  MBS_TAKE(context, system->arena, values, system->nq - system->n);
  for (int i = 0; i < system->nq - system->n; ++i) {
    values[i] = mbs_graph_constant(blueprint->graph, 0);
  }
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < d && blueprint->entities.items[i].is_fixed; ++k) {
      values[first[i] - system->n + k] = blueprint->entities.items[i].value[k];
    }
  }
  MBS_TRY(mbs_moving_ground_create(context, system, values));
  return mbs_coefficients_add_block(context, &system->coefficients, system->nq - system->n, values, &system->fixed);
}

static MbsStatus create_elements(MbsContext *context, const MbsEventSpec *event, MbsSystem *system) {
  MbsBlueprint *blueprint = system->blueprint;
  MbsMode *mode = &system->mode;
  system->mass_count = blueprint->masses.count;
  MBS_TAKE(context, system->arena, system->masses, system->mass_count);
  for (int i = 0; i < system->mass_count; ++i) {
    MBS_TRY(mbs_mass_create(context, system, &blueprint->masses.items[i], &system->masses[i]));
  }
  int motion = blueprint->rows.count;
  mode->row_count = system->m = motion + (event ? event->jump_count : 0);
  MBS_TAKE(context, system->arena, mode->rows, mode->row_count);
  for (int i = 0; i < mode->row_count; ++i) {
    const MbsRowSpec *spec = i < motion ? &blueprint->rows.items[i] : &event->rows[i - motion];
    MBS_TRY(mbs_row_create(context, system, spec, i, &mode->rows[i]));
  }
  mode->force_count = blueprint->forces.count;
  MBS_TAKE(context, system->arena, mode->forces, mode->force_count);
  for (int i = 0; i < mode->force_count; ++i) {
    MBS_TRY(mbs_force_element_create(context, system, &blueprint->forces.items[i], &mode->forces[i]));
  }
  MBS_TRY(mbs_conditions_create(context, system));
  MBS_TRY(mbs_signal_bank_create(context, system));
  return mbs_body_forces_create(context, system);
}

// one output point per group of points that joints bring together, the ground's left out
static MbsStatus create_points(MbsContext *context, MbsSystem *system) {
  MbsBlueprint *blueprint = system->blueprint;
  bool *is_listed;
  MBS_LIST(MbsNode) nodes = {0, 0, NULL};
  MBS_TAKE(context, system->arena, is_listed, blueprint->group_count);
  MBS_TAKE(context, system->arena, system->points, blueprint->group_count);
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    const MbsBlueprintBody *body = &blueprint->bodies.items[b];
    for (int p = 0; p < body->point_count; ++p) {
      MbsPointReference reference = {.body = b, .point = p};
      int group = body->points[p].group;
      if (!is_listed[group] && b != MBS_GROUND) {
        MbsOutputPoint *point = &system->points[system->point_count++];
        MbsForm form;
        int *first;
        MBS_TRY(mbs_form_of_point(context, blueprint, reference, &form));
        MBS_TAKE(context, system->arena, first, form.count);
        point->name = mbs_blueprint_short_name(blueprint, reference);
        point->form = (MbsLinearForm){.count = form.count, .first = first, .offset = nodes.count};
        for (int k = 0; k < form.count; ++k) {
          first[k] = mbs_system_coordinate(system, form.terms[k].body, form.terms[k].entity);
          MBS_APPEND(context, system->arena, &nodes, form.terms[k].a);
          MBS_APPEND(context, system->arena, &nodes, form.terms[k].b);
        }
      }
      is_listed[group] = true;
    }
  }
  return mbs_coefficients_add_block(context, &system->coefficients, nodes.count, nodes.items, &system->point_block);
}

static MbsStatus create_independents(MbsContext *context, MbsSystem *system) {
  const MbsBlueprint *blueprint = system->blueprint;
  MbsNode *nodes;
  MBS_TAKE(context, system->arena, nodes, 2 * blueprint->independents.count);
  for (int i = 0; i < blueprint->independents.count; ++i) {
    const MbsIndependentSpec *spec = &blueprint->independents.items[i];
    nodes[2 * i] = spec->value;
    nodes[2 * i + 1] = spec->velocity;
  }
  return mbs_coefficients_add_block(context, &system->coefficients, 2 * blueprint->independents.count, nodes,
                                    &system->independents);
}

static MbsStatus place_all(const MbsEntries *entries, MbsSystem *system) {
  MbsMode *mode = &system->mode;
  int diagonal;
  for (int i = 0; i < system->n; ++i) {  // a coordinate without mass has its diagonal entry too
    MBS_TRY(mbs_entry(entries, i, i, &diagonal));
  }
  for (int i = 0; i < system->mass_count; ++i) {
    MBS_TRY(mbs_mass_place(entries, system, &system->masses[i]));
  }
  for (int i = 0; i < mode->row_count; ++i) {
    MBS_TRY(mbs_row_place(entries, system, &mode->rows[i]));
  }
  for (int i = 0; i < mode->force_count; ++i) {
    MBS_TRY(mbs_force_element_place(entries, system, mode->forces[i]));
  }
  return MBS_OK;
}

static MbsStatus create_pattern(MbsContext *context, MbsSystem *system) {
  MbsMode *mode = &system->mode;
  MbsEntries entries = {.context = context, .arena = system->arena, .pattern = &mode->pattern};
  MBS_TRY(mbs_pattern_begin(context, system->arena, system->n + system->m, &entries.builder));
  MBS_TRY(place_all(&entries, system));
  MBS_TRY(mbs_pattern_finish(context, entries.builder, &mode->pattern));
  mode->factored = mode->pattern;
  entries.builder = NULL;
  return place_all(&entries, system);
}

MbsStatus mbs_natural_system_begin(MbsContext *context, MbsArena *arena, MbsBlueprint *blueprint, int column_count,
                                   const int *columns, bool is_carried, const MbsEventSpec *event, MbsSystem **result) {
  MbsSystem *system;
  int parameter_count = blueprint->parameters.count;
  int *copied, *column_of_parameter;
  MBS_TAKE(context, arena, system, 1);
  MBS_TAKE(context, arena, copied, column_count);
  MBS_TAKE(context, arena, column_of_parameter, parameter_count);
  MBS_TAKE(context, arena, system->parameters, parameter_count);
  MBS_TAKE(context, arena, system->work, 1);
  for (int i = 0; i < parameter_count; ++i) {
    column_of_parameter[i] = -1;
  }
  for (int k = 0; k < column_count; ++k) {
    copied[k] = columns[k];
    column_of_parameter[columns[k]] = k;
  }
  system->terms = &mbs_natural_terms;
  system->bodies = system;
  system->arena = arena;
  system->blueprint = blueprint;
  system->dimension = blueprint->dimension;
  system->column_count = column_count;
  system->asked_count = column_count;
  system->carried_count = is_carried ? column_count : 0;
  system->columns = copied;
  system->column_of_parameter = column_of_parameter;
  system->time_column = column_of_parameter[blueprint->clock];
  system->step_column = column_of_parameter[blueprint->clock + 1];
  system->coefficients.arena = arena;
  system->coefficients.graph = blueprint->graph;
  MBS_TRY(mbs_tables_create(context, system));
  MBS_TRY(number_coordinates(context, system));
  MBS_TRY(create_elements(context, event, system));
  MBS_TRY(create_points(context, system));
  MBS_TRY(create_independents(context, system));
  MBS_TRY(create_pattern(context, system));
  *result = system;
  return MBS_OK;
}

MbsStatus mbs_natural_system_finish(MbsContext *context, MbsSystem *system) {
  MBS_TRY(mbs_coefficients_finish(context, &system->coefficients, system->column_count, system->columns));
  if (system->carried_count > 0) {
    MBS_TRY(mbs_coefficients_give_slopes(context, &system->coefficients, system->column_count));
  }
  int longest = system->nq > system->m ? system->nq : system->m;
  MBS_TAKE(context, system->arena, system->zeros, longest > 6 ? longest : 6);  // a twist's six numbers, too
  return mbs_pattern_status(context, &system->mode.pattern);
}

static void refresh(MbsSystem *system) {
  system->work->epoch += 1;
  mbs_coefficients_refresh(&system->coefficients, system->parameters);
  mbs_tables_refresh(system);
  system->terms->forget(system);
  MBS_DEBUG(system->work->stamp = (MbsStamp){0});
  if (system->given_source) {
    mbs_source_follow(system);
  }
}

MbsStatus mbs_system_allow_columns(MbsContext *context, MbsSystem *system) {
  if (system->carried_count == system->column_count) {  // all of them have been from the start
    return MBS_OK;
  }
  MBS_TRY(mbs_coefficients_give_slopes(context, &system->coefficients, system->column_count));
  MBS_TRY(system->terms->widen(context, system, system->column_count));
  refresh(system);
  return MBS_OK;
}

int mbs_system_element_count(const MbsSystem *system) {
  return system->mass_count + system->mode.row_count + system->mode.force_count;
}

// the system that has the elements, which are about to change
static MbsSystem *holder(MbsSystem *system) {
  system->terms->forget(system);
  return system->bodies;
}

MbsSystemElements mbs_system_isolate(MbsSystem *system, int element) {
  MbsSystem *of = holder(system);
  MbsMode *mode = &of->mode;
  const MbsSystemElements all = {of->mass_count, mode->row_count, mode->force_count,
                                 of->masses,     mode->rows,      mode->forces};
  int row = element - all.mass_count, force = row - all.row_count;
  of->mass_count = row < 0;
  mode->row_count = row >= 0 && force < 0;
  mode->force_count = force >= 0;
  of->masses += row < 0 ? element : 0;
  mode->rows += row >= 0 && force < 0 ? row : 0;
  mode->forces += force >= 0 ? force : 0;
  return all;
}

void mbs_system_rejoin(MbsSystem *system, const MbsSystemElements *all) {
  MbsSystem *of = holder(system);
  of->mass_count = all->mass_count;
  of->masses = all->masses;
  of->mode.row_count = all->row_count;
  of->mode.rows = all->rows;
  of->mode.force_count = all->force_count;
  of->mode.forces = all->forces;
}

void mbs_system_set_parameters(MbsSystem *system, const double *values) {
  const MbsBlueprint *blueprint = system->blueprint;
  for (int i = 0; i < blueprint->clock; ++i) {
    system->parameters[i] = values[i];
  }
  int switches = blueprint->variable_first + blueprint->variable_count;
  for (int i = blueprint->variable_first; i < switches + blueprint->switch_count; ++i) {
    system->parameters[i] = blueprint->parameters.items[i].nominal;
  }
  refresh(system);
}

void mbs_system_set_all_parameters(MbsSystem *system, const double *values) {
  for (int i = 0; i < system->blueprint->parameters.count; ++i) {
    system->parameters[i] = values[i];
  }
  refresh(system);
}

void mbs_system_follow_parameters(const MbsSystem *from, MbsSystem *system) {
  for (int i = 0; i < system->blueprint->parameters.count; ++i) {
    system->parameters[i] = from->parameters[i];
  }
  refresh(system);
}

void mbs_system_use_step_columns(MbsSystem *system, bool is_used) {
  int own = is_used ? system->own_count : system->own_count > 2 ? system->own_count - 2 : 0;
  system->column_count = system->bodies->column_count = system->asked_count + own;
}

void mbs_system_set_hidden(MbsSystem *system, const mbs_scalar *values) {
  const MbsBlueprint *blueprint = system->blueprint;
  bool is_changed = false, are_branches_alone = true;
  for (int i = blueprint->variable_first; i < blueprint->parameters.count; ++i) {
    mbs_scalar now = *values++, *at = &system->parameters[i];
    bool is_same = !(mbs_re(now) < mbs_re(*at) || mbs_re(now) > mbs_re(*at) || mbs_im(now) < mbs_im(*at) ||
                     mbs_im(now) > mbs_im(*at));
    is_changed = is_changed || !is_same;
    are_branches_alone = are_branches_alone && (is_same || i >= blueprint->variable_first + blueprint->variable_count);
    *at = now;
  }
  if (!are_branches_alone) {
    refresh(system);
  } else if (is_changed) {  // which no coefficient depends on
    system->terms->forget(system);
    MBS_DEBUG(system->work->stamp = (MbsStamp){0});
    if (system->given_source) {
      mbs_source_follow(system);
    }
  }
}

bool mbs_system_change_parameters(MbsSystem *system, int count, const int *which, const mbs_scalar *values) {
  bool is_changed = false;
  for (int i = 0; i < count; ++i) {
    mbs_scalar off = values[i] - system->parameters[which[i]];
    is_changed = is_changed || !mbs_is_zero(off);
    system->parameters[which[i]] = values[i];
  }
  if (is_changed) {
    refresh(system);
  }
  return is_changed;
}

void mbs_system_set_target(MbsSystem *system, int parameter, mbs_scalar value) {
  system->parameters[parameter] = value;  // no coefficient depends on it
  system->terms->forget(system);
}

uint64_t mbs_system_acting(const MbsSystem *system) {
  const MbsBlueprint *blueprint = system->blueprint;
  const mbs_scalar *acts = system->parameters + blueprint->variable_first + blueprint->variable_count;
  uint64_t acting = 0;
  for (int i = 0; i < blueprint->switch_count; ++i) {
    acting |= (uint64_t)(mbs_re(acts[i]) > 0.5) << i;
  }
  return acting;
}

void mbs_system_let_all_act(MbsSystem *system, bool all) {
  const MbsBlueprint *blueprint = system->blueprint;
  int first = blueprint->variable_first + blueprint->variable_count;
  for (int i = first; i < first + blueprint->switch_count; ++i) {
    system->parameters[i] = all ? 1 : blueprint->parameters.items[i].nominal;
  }
  system->terms->forget(system);
  MBS_DEBUG(system->work->stamp = (MbsStamp){0});
}

void mbs_system_perturb(MbsSystem *system, int index, double step) {
  system->parameters[index] += mbs_complex(0, step);
  refresh(system);
}

void mbs_system_perturb_along(MbsSystem *system, const double *direction, double step) {
  for (int i = 0; i < system->blueprint->clock; ++i) {
    system->parameters[i] = mbs_re(system->parameters[i]) + mbs_complex(0, step * direction[i]);
  }
  refresh(system);
}

// ---- states and what they receive ----
typedef struct BarArray {
  mbs_scalar **numbers;
  int count;
} BarArray;

enum { BAR_ARRAYS = 9 };

static void list_bar(const MbsSystem *system, MbsStateBar *bar, BarArray arrays[BAR_ARRAYS]) {
  const BarArray all[BAR_ARRAYS] = {{&bar->q, system->nq},
                                    {&bar->v, system->nq},
                                    {&bar->a, system->nq},
                                    {&bar->lambda, system->m},
                                    {&bar->sigma, system->m},
                                    {&bar->kappa, system->m},
                                    {&bar->total, system->m},
                                    {&bar->coefficients, system->coefficients.nodes.count},
                                    {&bar->parameters, system->blueprint->parameters.count}};
  for (int i = 0; i < BAR_ARRAYS; ++i) {
    arrays[i] = all[i];
  }
}

MbsStatus mbs_columns_create(MbsContext *context, const MbsSystem *system, MbsColumns *columns) {
  size_t count = (size_t)system->carried_count, nq = (size_t)system->nq * count, m = (size_t)system->m * count;
  mbs_scalar **const coordinates[] = {&columns->X, &columns->V, &columns->A};
  mbs_scalar **const multipliers[] = {&columns->L, &columns->S, &columns->K, &columns->T};
  for (int i = 0; i < MBS_COUNT(coordinates); ++i) {
    MBS_TAKE(context, system->arena, *coordinates[i], nq);
  }
  for (int i = 0; i < MBS_COUNT(multipliers); ++i) {
    MBS_TAKE(context, system->arena, *multipliers[i], m);
  }
  return MBS_OK;
}

MbsStatus mbs_bar_create(MbsContext *context, const MbsSystem *system, MbsStateBar *bar) {
  BarArray arrays[BAR_ARRAYS];
  list_bar(system, bar, arrays);
  for (int i = 0; i < BAR_ARRAYS; ++i) {
    MBS_TAKE(context, system->arena, *arrays[i].numbers, arrays[i].count);
  }
  return MBS_OK;
}

void mbs_bar_clear(const MbsSystem *system, const MbsStateBar *bar) {
  MbsStateBar own = *bar;
  BarArray arrays[BAR_ARRAYS];
  list_bar(system, &own, arrays);
  for (int i = 0; i < BAR_ARRAYS; ++i) {
    for (int k = 0; k < arrays[i].count; ++k) {
      (*arrays[i].numbers)[k] = 0;
    }
  }
}

MbsStatus mbs_state_create(MbsContext *context, const MbsSystem *system, MbsState *state) {
  *state = (MbsState){.t = 0};
  mbs_scalar **const coordinates[] = {&state->q, &state->v, &state->a};
  mbs_scalar **const multipliers[] = {&state->lambda, &state->sigma, &state->kappa, &state->total};
  mbs_scalar *numbers;
  MBS_TAKE(context, system->arena, numbers, mbs_state_number_count(system));
  for (int i = 0; i < MBS_COUNT(coordinates); ++i) {
    *coordinates[i] = numbers + i * system->nq;
  }
  for (int i = 0; i < MBS_COUNT(multipliers); ++i) {
    *multipliers[i] = numbers + MBS_COUNT(coordinates) * system->nq + i * system->m;
  }
  system->terms->guess(system, state->q);
  mbs_state_place_fixed(system, state);
  return MBS_OK;
}

void mbs_state_place_fixed(const MbsSystem *system, MbsState *state) {
  for (int i = system->n; i < system->nq; ++i) {
    state->q[i] = system->fixed.value[i - system->n];
  }
  mbs_moving_ground_place(system, state);
}

void mbs_state_copy(const MbsSystem *system, const MbsState *from, MbsState *to) {
  to->t = from->t;
  for (int i = 0; i < system->nq; ++i) {
    to->q[i] = from->q[i];
    to->v[i] = from->v[i];
    to->a[i] = from->a[i];
  }
  for (int i = 0; i < system->m; ++i) {
    to->lambda[i] = from->lambda[i];
    to->sigma[i] = from->sigma[i];
    to->kappa[i] = from->kappa[i];
    to->total[i] = from->total[i];
  }
}

double mbs_state_size(const MbsSystem *system, const MbsState *state) {
  double size = 0;
  for (int i = 0; i < system->nq; ++i) {
    double magnitude = mbs_re(mbs_abs(state->q[i]));
    size = magnitude > size ? magnitude : size;
  }
  return size;
}
