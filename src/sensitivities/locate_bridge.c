// mbs_locate: every element is compared along random directions at a few states of the run; of those that are off
// most, the direction is then taken apart. See element_check.h.
#include "sensitivities/locate.h"

#include <string.h>

#include "sensitivities/element_check.h"
#include "sensitivities/selection.h"

enum { STATES = 4 };
// rounding of a few operations is 1e-14, or 1e-11 where large numbers cancel
static const double tolerance = 1e-9;
static const uint64_t first_seed = 20240607;

// What the search has found of one element.
typedef struct Finding {
  double worst;  // relative, of all products and states
  int state;     // where that was
} Finding;

typedef struct Search {
  MbsElementCheck check;
  MbsState states[STATES];
  MbsMismatch (*off)[MBS_PRODUCTS];  // by element: at a state
  Finding *findings;                 // by element
} Search;

// ---- states ----
// the start, the end and what is between, at equal distances
static MbsStatus walk(MbsContext *context, MbsSimulation *run, const MbsSystem *system, Search *search) {
  MBS_TRY(mbs_simulation_start(context, run));
  for (int i = 0; i < STATES; ++i) {
    while (!mbs_simulation_is_over(run) && run->planned < run->plan.step_count * i / (STATES - 1)) {
      MBS_TRY(mbs_simulation_step(context, run));
    }
    MBS_TRY(mbs_state_create(context, system, &search->states[i]));
    mbs_state_copy(system, &run->state, &search->states[i]);
  }
  return MBS_OK;
}

static MbsStatus find_states(MbsContext *context, const MbsModel *model, const MbsSimulation *simulation,
                             Search *search) {
  MbsSimulation *run;
  MBS_TRY(mbs_simulation_create(context, model, &simulation->settings, 0, NULL, NULL, &run));
  MbsStatus status = walk(context, run, simulation->system, search);
  mbs_simulation_destroy(run);
  return status;
}

// the same state and direction whenever it is asked for
static void go_to(Search *search, int state) {
  uint64_t seed = first_seed + (uint64_t)state;
  mbs_element_check_choose(&search->check, &search->states[state], &seed);
}

// ---- elements ----
static double relative(MbsMismatch off) { return off.error > 0 ? off.error / off.size : 0; }

// the product that is off most
static int worst_product(const MbsMismatch off[MBS_PRODUCTS]) {
  int worst = 0;
  for (int product = 1; product < MBS_PRODUCTS; ++product) {
    worst = off[product].error > off[worst].error ? product : worst;
  }
  return worst;
}

// All elements at a state. What is off by a rounding of the others' derivatives is not wrong: forces may cancel along a
// tree, and of one that is zero nothing tells how large what cancels was.
static void look(Search *search, int state) {
  const MbsElementCheck *check = &search->check;
  int without_objectives = mbs_system_element_count(check->simulation->system);
  double largest = 0;
  go_to(search, state);
  for (int element = 0; element < check->element_count; ++element) {
    MbsMismatch *off = search->off[element];
    mbs_element_check_compare(check, element, off);
    if (element < without_objectives && off[MBS_PRODUCT_DIRECT].size > largest) {
      largest = off[MBS_PRODUCT_DIRECT].size;
    }
  }
  for (int element = 0; element < check->element_count; ++element) {
    const MbsMismatch *off = search->off[element];
    for (int product = 0; product < MBS_PRODUCTS; ++product) {
      double worst = relative(off[product]);
      bool is_rounding = element < without_objectives && off[product].error < 1e-14 * largest;
      if (worst > tolerance && !is_rounding && worst > search->findings[element].worst) {
        search->findings[element] = (Finding){.worst = worst, .state = state};
      }
    }
  }
}

static const char *element_name(const MbsSystem *system, MbsArena *arena, int element) {
  const MbsBlueprint *blueprint = system->blueprint;
  int row = element - system->mass_count, force = row - system->mode.row_count;
  int objective = force - system->mode.force_count;
  if (objective >= 0) {
    return mbs_arena_print(arena, "objective \"%s\"", blueprint->objectives.items[objective].name);
  }
  if (force >= 0) {
    return mbs_arena_copy_text(arena, blueprint->forces.items[force].name);
  }
  if (row >= 0) {
    return mbs_arena_print(arena, "constraint \"%s\"", blueprint->rows.items[row].name);
  }
  int body = blueprint->masses.items[element].body;
  if (body != MBS_NOBODY) {
    return mbs_arena_print(arena, "mass of body \"%s\"", blueprint->bodies.items[body].name);
  }
  return mbs_arena_print(arena, "inertia of coordinate \"%s\"",
                         blueprint->entities.items[blueprint->masses.items[element].entities[0]].name);
}

static const char *part_name(const MbsSystem *system, MbsArena *arena, int part) {
  static const char *const names[] = {"positions", "velocities", "accelerations", "multipliers",
                                      "multipliers of reactions"};
  int column = part - MBS_DIRECTION_COLUMN;
  return column < 0 ? names[part]
                    : mbs_arena_print(arena, "parameter %s",
                                      system->blueprint->parameters.items[system->columns[column]].name);
}

// all products that are off: a wrong derivative of an element shows in each of them, a wrong product in one
static const char *product_names(MbsArena *arena, const MbsMismatch off[MBS_PRODUCTS]) {
  static const char *const names[] = {"direct", "adjoint", "matrix"};
  const char *all = "";
  for (int product = 0; product < MBS_PRODUCTS && all; ++product) {
    if (relative(off[product]) > tolerance) {
      all = mbs_arena_print(arena, "%s%s%s", all, *all ? ", " : "", names[product]);
    }
  }
  return all;
}

// with the part of the direction along which the element is off most
static MbsStatus tell(MbsContext *context, MbsArena *arena, Search *search, int element, MbsSuspect *suspect) {
  const MbsSystem *system = search->check.simulation->system;
  MbsMismatch worst[MBS_PRODUCTS] = {{0, 0}};
  int worst_part = MBS_DIRECTION_POSITIONS;
  go_to(search, search->findings[element].state);
  for (int part = MBS_DIRECTION_POSITIONS; part < MBS_DIRECTION_COLUMN + system->column_count; ++part) {
    MbsMismatch off[MBS_PRODUCTS];
    mbs_element_check_take_part(&search->check, part);
    mbs_element_check_compare(&search->check, element, off);
    if (off[worst_product(off)].error > worst[worst_product(worst)].error) {
      memcpy(worst, off, sizeof worst);
      worst_part = part;
    }
  }
  *suspect = (MbsSuspect){.coordinates = mbs_arena_copy_text(arena, search->check.simulation->settings.coordinates),
                          .element = element_name(system, arena, element),
                          .derivative = part_name(system, arena, worst_part),
                          .products = product_names(arena, worst),
                          .relative_error = relative(worst[worst_product(worst)])};
  bool is_complete = suspect->coordinates && suspect->element && suspect->derivative && suspect->products;
  return is_complete ? MBS_OK : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

// ---- the search ----
static int worst_left(const Search *search) {
  int worst = -1;
  for (int element = 0; element < search->check.element_count; ++element) {
    double off = search->findings[element].worst;
    if (off > 0 && (worst < 0 || off > search->findings[worst].worst)) {
      worst = element;
    }
  }
  return worst;
}

static MbsStatus search_all(MbsContext *context, MbsArena *arena, Search *search, MbsSuspects *suspects) {
  for (int state = 0; state < STATES; ++state) {
    look(search, state);
  }
  for (int element = worst_left(search); element >= 0; element = worst_left(search)) {
    if (suspects->count < MBS_MOST_SUSPECTS) {
      MBS_TRY(tell(context, arena, search, element, &suspects->items[suspects->count++]));
    }
    suspects->total += 1;
    search->findings[element].worst = 0;
  }
  return MBS_OK;
}

static MbsStatus locate(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsSimulation *simulation,
                        Search *search, MbsSuspects *suspects) {
  MBS_TRY(mbs_element_check_create(context, arena, model, simulation, &search->check));
  MBS_TRY(find_states(context, model, simulation, search));
  MBS_TAKE(context, arena, search->findings, search->check.element_count);
  MBS_TAKE(context, arena, search->off, search->check.element_count);
  return search_all(context, arena, search, suspects);
}

MbsStatus mbs_locate(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsSettings *settings,
                     MbsSuspects *suspects) {
  const MbsRequest all = {.settings = *settings};
  Search search = {.findings = NULL};
  MbsSelection selection;
  MbsSimulation *simulation;
  MBS_TRY(mbs_selection_create(context, arena, model, &all, &selection));
  MBS_TRY(mbs_simulation_create(context, model, settings, selection.parameter_count, selection.parameters, NULL,
                                &simulation));
  MbsStatus status = locate(context, arena, model, simulation, &search, suspects);
  mbs_element_check_destroy(&search.check);
  mbs_simulation_destroy(simulation);
  return status;
}
