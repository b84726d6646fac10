// What shared entities exert on the bodies that stand on them (MbsHolding): bodies cut free.
//
// A body is cut free of an entity by giving it a copy of its own: every term of masses, rows and forces that belongs to
// this body and stands on this entity is moved to the copy, which is at the same place and moves alike. The balance
//     R = M a - Q + Phi_x' lambda
// on the coordinates of the copies is what must hold them there: the force that the entity exerts on the body. So the
// elements concerned are made a second time, on coordinates of their own (the copies first, then whatever else they
// touch), and the functions of masses, rows and forces give R, its derivatives and transposed products as they are.
// Rigidity and joints act with the multipliers that balance the forces at the state (total).
#include "terms/derivative_source.h"
#include "terms/elements.h"

// the system as the cut elements see it: the same parameters, turns and coefficients, but coordinates of their own
typedef struct MbsBodyForces {
  MbsSystem view;
  int holding_count;
  const MbsHolding *holdings;
  const int *first_of_body, *next;  // holdings of each body, -1 ends
  int *first_of_entity;             // coordinate of each entity among the view's, -1: not used
  int *source;                      // coordinate in the whole system, by coordinate of the view
  int mass_count, row_count, force_count;
  MbsMass *masses;
  MbsRow *rows;
  MbsForceElement **forces;
  mbs_scalar *at[3], *direction[3], *bar[3];  // q, v, a of the view, their columns, their adjoints
  MbsDirectionColumn *columns;
  mbs_scalar *R, *R_columns;  // on the view's coordinates, and behind them m for what rows add to e; one, and by column
  mbs_scalar *mu, *nu;        // of the transposed product: the view's, m zeros
  mbs_scalar *spare;          // for adjoints that are not wanted
} MbsBodyForces;

// ---- coordinates ----
static int holding_of(const MbsBodyForces *forces, int body, int entity) {
  int h = body < 0 ? -1 : forces->first_of_body[body];
  while (h >= 0 && forces->holdings[h].entity != entity) {
    h = forces->next[h];
  }
  return h;
}

int mbs_system_coordinate(const MbsSystem *system, int body, int entity) {
  MbsBodyForces *cut = system->cut;
  if (!cut) {
    return system->entity_first[entity];
  }
  int d = system->dimension, holding = holding_of(cut, body, entity);
  if (holding >= 0) {
    return holding * d;
  }
  if (cut->first_of_entity[entity] < 0) {
    cut->first_of_entity[entity] = cut->view.nq;
    for (int k = 0; k < d; ++k) {
      cut->source[cut->view.nq++] = system->entity_first[entity] + k;
    }
  }
  return cut->first_of_entity[entity];
}

// ---- which elements are concerned ----
static bool is_form_cut(const MbsBodyForces *forces, const MbsForm *form) {
  for (int i = 0; i < form->count; ++i) {
    if (holding_of(forces, form->terms[i].body, form->terms[i].entity) >= 0) {
      return true;
    }
  }
  return false;
}

static MbsStatus is_row_cut(MbsContext *context, const MbsBodyForces *forces, const MbsRowSpec *row, bool *is_cut) {
  const MbsBlueprint *blueprint = forces->view.blueprint;
  *is_cut = false;
  if (row->kind != MBS_ROW_EXPRESSION) {
    *is_cut = is_form_cut(forces, &row->A) || is_form_cut(forces, &row->B);
    return MBS_OK;
  }
  int count;
  const int *inputs;
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, row->expression, &count, &inputs));
  for (int i = 0; i < count && !*is_cut; ++i) {
    MbsSignal signal = blueprint->signals.items[inputs[i]];
    bool is_form = signal.kind == MBS_SIGNAL_POSITION || signal.kind == MBS_SIGNAL_VELOCITY;
    *is_cut = is_form && is_form_cut(forces, &blueprint->signal_forms.items[signal.index]);
  }
  return MBS_OK;
}

static bool is_mass_cut(const MbsBodyForces *forces, const MbsMassSpec *mass) {
  for (int i = 0; i < mass->count; ++i) {
    if (holding_of(forces, mass->body, mass->entities[i]) >= 0) {
      return true;
    }
  }
  return false;
}

static bool is_force_cut(const MbsBodyForces *forces, const MbsForceSpec *force) {
  for (int p = 0; p < force->port_count; ++p) {
    if (is_form_cut(forces, &force->ports[p])) {
      return true;
    }
  }
  return false;
}

// ---- set-up ----
static MbsStatus create_elements(MbsContext *context, MbsBodyForces *forces) {
  MbsSystem *view = &forces->view;
  const MbsBlueprint *blueprint = view->blueprint;
  MBS_TAKE(context, view->arena, forces->masses, blueprint->masses.count);
  MBS_TAKE(context, view->arena, forces->rows, blueprint->rows.count);
  MBS_TAKE(context, view->arena, forces->forces, blueprint->forces.count);
  for (int i = 0; i < blueprint->masses.count; ++i) {
    if (is_mass_cut(forces, &blueprint->masses.items[i])) {
      MBS_TRY(mbs_mass_create(context, view, &blueprint->masses.items[i], &forces->masses[forces->mass_count++]));
    }
  }
  for (int i = 0; i < blueprint->rows.count; ++i) {
    bool is_cut;
    MBS_TRY(is_row_cut(context, forces, &blueprint->rows.items[i], &is_cut));
    if (is_cut) {
      MBS_TRY(mbs_row_create(context, view, &blueprint->rows.items[i], i, &forces->rows[forces->row_count++]));
    }
  }
  for (int i = 0; i < blueprint->forces.count; ++i) {
    if (is_force_cut(forces, &blueprint->forces.items[i])) {
      MBS_TRY(
          mbs_force_element_create(context, view, &blueprint->forces.items[i], &forces->forces[forces->force_count++]));
    }
  }
  return MBS_OK;
}

static MbsStatus list_holdings(MbsContext *context, MbsBodyForces *forces) {
  const MbsSystem *view = &forces->view;
  const MbsBlueprint *blueprint = view->blueprint;
  int d = view->dimension, entities = blueprint->entities.count;
  int *first_of_body, *next;
  MBS_TAKE(context, view->arena, first_of_body, blueprint->bodies.count);
  MBS_TAKE(context, view->arena, next, forces->holding_count);
  MBS_TAKE(context, view->arena, forces->first_of_entity, entities);
  MBS_TAKE(context, view->arena, forces->source, (forces->holding_count + entities) * d);
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    first_of_body[b] = -1;
  }
  for (int e = 0; e < entities; ++e) {
    forces->first_of_entity[e] = -1;
  }
  for (int h = 0; h < forces->holding_count; ++h) {
    next[h] = first_of_body[forces->holdings[h].body];
    first_of_body[forces->holdings[h].body] = h;
    for (int k = 0; k < d; ++k) {
      forces->source[h * d + k] = view->entity_first[forces->holdings[h].entity] + k;
    }
  }
  forces->first_of_body = first_of_body;
  forces->next = next;
  return MBS_OK;
}

MbsStatus mbs_body_forces_create(MbsContext *context, MbsSystem *system) {
  MbsArena *arena = system->arena;
  const MbsBlueprint *blueprint = system->blueprint;
  MbsBodyForces *forces;
  if (blueprint->holdings.count == 0) {
    return MBS_OK;
  }
  MBS_TAKE(context, arena, forces, 1);
  forces->view = *system;
  forces->view.bodies = &forces->view;
  forces->view.cut = forces;
  forces->view.nq = blueprint->holdings.count * system->dimension;
  forces->holding_count = blueprint->holdings.count;
  forces->holdings = blueprint->holdings.items;
  MBS_TRY(list_holdings(context, forces));
  MBS_TRY(create_elements(context, forces));
  system->coefficients = forces->view.coefficients;  // which now has those of the cut elements too
  int size = forces->view.nq;
  for (int k = 0; k < 3; ++k) {
    MBS_TAKE(context, arena, forces->at[k], size);
    MBS_TAKE(context, arena, forces->direction[k], size * system->column_count);
    MBS_TAKE(context, arena, forces->bar[k], size);
  }
  MBS_TAKE(context, arena, forces->R, size + system->m);
  MBS_TAKE(context, arena, forces->R_columns, (size_t)(size + system->m) * (size_t)system->column_count);
  MBS_TAKE(context, arena, forces->columns, system->column_count);
  MBS_TAKE(context, arena, forces->mu, size);
  MBS_TAKE(context, arena, forces->nu, system->m);
  int widest = system->m > blueprint->parameters.count ? system->m : blueprint->parameters.count;
  widest = system->coefficients.nodes.count > widest ? system->coefficients.nodes.count : widest;
  MBS_TAKE(context, arena, forces->spare, widest);
  system->signals.body_forces = forces;
  return MBS_OK;
}

MbsElementSet mbs_system_elements(const MbsSystem *system, bool is_cut) {
  const MbsBodyForces *forces = system->signals.body_forces;
  if (is_cut && forces) {
    return (MbsElementSet){.system = &forces->view,
                           .source = forces->source,
                           .mass_count = forces->mass_count,
                           .row_count = forces->row_count,
                           .force_count = forces->force_count,
                           .masses = forces->masses,
                           .rows = forces->rows,
                           .forces = forces->forces};
  }
  const MbsMode *mode = &system->mode;
  return is_cut ? (MbsElementSet){.system = system}
                : (MbsElementSet){.system = system,
                                  .mass_count = system->mass_count,
                                  .row_count = mode->row_count,
                                  .force_count = mode->force_count,
                                  .masses = system->masses,
                                  .rows = mode->rows,
                                  .forces = mode->forces};
}

// ---- evaluation ----
// numbers of the whole system on the coordinates of the view; NULL: zeros
static void gather(const MbsBodyForces *forces, const mbs_scalar *from, mbs_scalar *to) {
  for (int i = 0; i < forces->view.nq; ++i) {
    to[i] = from ? from[forces->source[i]] : 0;
  }
}

static MbsState cut_state(const MbsBodyForces *forces, const MbsState *state) {
  return (MbsState){.t = state->t, .q = forces->at[0], .v = forces->at[1], .a = forces->at[2], .lambda = state->total};
}

void mbs_body_forces_evaluate(const MbsSystem *system, const MbsState *state) {
  MbsBodyForces *forces = system->signals.body_forces;
  const MbsWeights none = {0};
  if (!forces) {
    return;
  }
  const mbs_scalar *levels[] = {state->q, state->v, state->a};
  for (int k = 0; k < 3; ++k) {
    gather(forces, levels[k], forces->at[k]);
  }
  MbsState at = cut_state(forces, state);
  int size = forces->view.nq + system->m;
  mbs_clear(size, forces->R);
  for (int i = 0; i < forces->mass_count; ++i) {
    mbs_mass_residual(&forces->view, &forces->masses[i], &at, forces->R, NULL);
  }
  for (int i = 0; i < forces->row_count; ++i) {
    mbs_row_residual(&forces->view, &forces->rows[i], &at, &none, forces->R, forces->R + forces->view.nq, NULL);
  }
  for (int i = 0; i < forces->force_count; ++i) {
    mbs_force_element_residual(&forces->view, forces->forces[i], &at, forces->R, NULL);
  }
  MBS_DEBUG(system->work->stamp.forces = mbs_stamp_forces(system->nq, system->m, state));
}

mbs_scalar mbs_body_force(const MbsSystem *system, const MbsSignal *signal) {
  return system->signals.body_forces->R[signal->index * system->dimension + signal->component];
}

void mbs_body_force_weigh(const MbsSystem *system, const MbsSignal *signal, mbs_scalar weight) {
  system->signals.body_forces->mu[signal->index * system->dimension + signal->component] += weight;
}

void mbs_body_forces_differentiate(const MbsSystem *system, const MbsState *state, const MbsColumns *columns) {
  MbsBodyForces *forces = system->signals.body_forces;
  const MbsWeights none = {0};
  if (!forces) {
    return;
  }
  MBS_ASSERT(system->work->stamp.forces == mbs_stamp_forces(system->nq, system->m, state));
  MBS_DEBUG(system->work->stamp.force_columns = system->work->stamp.forces ^ system->work->stamp.columns);
  const mbs_scalar *levels[] = {columns->X, columns->V, columns->A};
  int size = forces->view.nq, stride = size + system->m, count = system->column_count;
  for (int k = 0; k < count; ++k) {
    for (int level = 0; level < 3; ++level) {
      gather(forces, levels[level] ? levels[level] + k * system->nq : NULL, forces->direction[level] + k * size);
    }
    forces->columns[k] = (MbsDirectionColumn){.column = k,
                                              .X = forces->direction[0] + k * size,
                                              .V = forces->direction[1] + k * size,
                                              .A = forces->direction[2] + k * size,
                                              .L = columns->T ? columns->T + k * system->m : NULL};
  }
  mbs_clear(stride * count, forces->R_columns);
  MbsState at = cut_state(forces, state);
  if (system->source) {
    mbs_source_columns(system, true, &at, &none, MBS_PART_ALL, count, forces->columns, forces->R_columns, stride);
    return;
  }
  for (int i = 0; i < forces->mass_count; ++i) {
    for (int k = 0; k < count; ++k) {
      mbs_mass_derivative(&forces->view, &forces->masses[i], &at, &forces->columns[k], forces->R_columns + k * stride);
    }
  }
  for (int i = 0; i < forces->row_count; ++i) {
    mbs_row_derivative(&forces->view, &forces->rows[i], &at, &none, count, forces->columns, forces->R_columns, stride);
  }
  for (int i = 0; i < forces->force_count; ++i) {
    mbs_force_element_derivative(&forces->view, forces->forces[i], &at, count, forces->columns, forces->R_columns,
                                 stride);
  }
}

mbs_scalar mbs_body_force_column(const MbsSystem *system, const MbsSignal *signal, int column) {
  const MbsBodyForces *forces = system->signals.body_forces;
  const mbs_scalar *R = forces->R_columns + column * (forces->view.nq + system->m);
  return R[signal->index * system->dimension + signal->component];
}

void mbs_body_forces_transposed(const MbsSystem *system, const MbsState *state, const MbsStateBar *bar) {
  MbsBodyForces *forces = system->signals.body_forces;
  const MbsWeights none = {0};
  MBS_ASSERT(system->work->stamp.forces == mbs_stamp_forces(system->nq, system->m, state));
  MbsState at = cut_state(forces, state);
  MbsAdjoint adjoint = {.mu = forces->mu,
                        .nu = {forces->nu, forces->nu, forces->nu},
                        .q = forces->bar[0],
                        .v = forces->bar[1],
                        .a = forces->bar[2],
                        .lambda = bar->total ? bar->total : forces->spare,
                        .coefficients = bar->coefficients ? bar->coefficients : forces->spare,
                        .parameters = bar->parameters ? bar->parameters : forces->spare};
  for (int k = 0; k < 3; ++k) {
    gather(forces, NULL, forces->bar[k]);
  }
  if (system->source) {
    mbs_source_transposed(system, true, &at, &none, MBS_PART_ALL, &adjoint);
  }
  for (int i = 0; i < forces->mass_count && !system->source; ++i) {
    mbs_mass_transposed(&forces->view, &forces->masses[i], &at, &adjoint);
  }
  for (int i = 0; i < forces->row_count && !system->source; ++i) {
    mbs_row_transposed(&forces->view, &forces->rows[i], &at, &none, &adjoint);
  }
  for (int i = 0; i < forces->force_count && !system->source; ++i) {
    mbs_force_element_transposed(&forces->view, forces->forces[i], &at, &adjoint);
  }
  mbs_scalar *onto[] = {bar->q, bar->v, bar->a};
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < forces->view.nq && onto[k]; ++i) {
      onto[k][forces->source[i]] += forces->bar[k][i];
    }
  }
  for (int i = 0; i < forces->view.nq; ++i) {  // used once
    forces->mu[i] = 0;
  }
}
