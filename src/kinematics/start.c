#include "kinematics/start.h"

#include <math.h>

#include "coordinates/compile.h"
#include "coordinates/natural.h"
#include "kinematics/initial.h"
#include "terms/terms.h"

static const double rank_tolerance = 1e-7;

// The loose model: coordinates are those of the bodies themselves.
typedef struct Loose {
  MbsArena *arena;
  MbsBlueprint *blueprint;
  MbsSystem *system;
  MbsState state;
  MbsJacobian jacobian;
  double size;  // of the largest body: what a turn is measured by beside a distance
} Loose;

// ---- the loose model ----
// Independent coordinates of the user's are constraints here, and tell the turns of angles before other ones do, as
// drivers.
static MbsStatus hold_given(MbsContext *context, MbsBlueprint *blueprint) {
  for (int i = 0; i < blueprint->independents.count; ++i) {
    const MbsIndependentSpec *spec = &blueprint->independents.items[i];
    MBS_APPEND(context, blueprint->arena, &blueprint->rows,
               (MbsRowSpec){.kind = MBS_ROW_EXPRESSION,
                            .name = spec->name,
                            .owner = spec->name,
                            .place = spec->place,
                            .body = MBS_NOBODY,
                            .c = mbs_graph_constant(blueprint->graph, 0),
                            .expression = mbs_graph_subtract(blueprint->graph, spec->coordinate, spec->value),
                            .is_driver = true});
  }
  return mbs_graph_status(context, blueprint->graph);
}

static MbsStatus measure(MbsContext *context, MbsBlueprint *blueprint, double *size) {
  *size = 0;
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    const MbsBlueprintBody *body = &blueprint->bodies.items[b];
    double com[3];
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, body->com, com));
    for (int p = 0; p < body->point_count; ++p) {
      double d[3];
      MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, body->points[p].local, d));
      for (int k = 0; k < 3; ++k) {
        d[k] -= com[k];
      }
      *size = fmax(*size, mbs_vector_length(d));  // real
    }
  }
  *size = *size > 0 ? *size : 1;
  return MBS_OK;
}

static MbsStatus create(MbsContext *context, const MbsModel *model, Loose *loose) {
  const MbsCoordinateChoice choice = {.is_loose = true, .keeps_jumps = true};
  MbsInitial *initial;
  double *values;
  MBS_TRY(mbs_compile(context, loose->arena, model, &choice, &loose->blueprint));
  MBS_TRY(hold_given(context, loose->blueprint));
  MBS_TRY(mbs_system_create(context, loose->arena, loose->blueprint, 0, NULL, false, NULL, &loose->system));
  MBS_TAKE(context, loose->arena, values, loose->blueprint->parameters.count);
  for (int i = 0; i < loose->blueprint->parameters.count; ++i) {
    values[i] = loose->blueprint->parameters.items[i].nominal;
  }
  mbs_system_set_parameters(loose->system, values);
  MBS_TRY(mbs_state_create(context, loose->system, &loose->state));
  MBS_TRY(mbs_initial_begin(context, loose->arena, loose->system, 0, NULL, &initial));
  MBS_TRY(mbs_turns_create(context, initial, &loose->state));
  MBS_TRY(mbs_jacobian_create(context, loose->arena, loose->system, &loose->jacobian));
  return measure(context, loose->blueprint, &loose->size);
}

// ---- what is held as placed ----
typedef struct Holding {
  Loose *loose;
  MbsRank *rank;
  int missing;         // freedoms that nothing holds yet
  int *column;         // of a row
  double *value;       // likewise
  double *scale;       // by coordinate: distances count in sizes of a body
  MbsMover *movers;    // of a body
  MbsBlueprint *into;  // where what is chosen goes
} Holding;

// a constraint, with distances in sizes of a body; returns the number of entries
static int row_entries(const Holding *h, int k) {
  const MbsSparseRows *rows = &h->loose->jacobian.rows;
  int entries = rows->start[k + 1] - rows->start[k];
  for (int i = 0; i < entries; ++i) {
    h->column[i] = rows->column[rows->start[k] + i];
    h->value[i] = rows->value[rows->start[k] + i] * h->scale[h->column[i]];
  }
  return entries;
}

static MbsStatus take_constraint(MbsContext *context, const Holding *h, int k, bool *is_new) {
  int entries = row_entries(h, k);
  return mbs_rank_take(context, h->rank, entries, h->column, h->value, rank_tolerance, is_new);
}

// All of them at a state, then what the user holds; missing: freedoms that are left.
//
// Near a dead centre the constraints hold a coordinate of the user's nearly still, and a little of it is a large
// motion: of its gradient, of unit length, hardly anything is left beside those of the constraints and of the
// coordinates before it. Positions follow from it through 1/d, d being that rest, and d changes with them: a rounding e
// of numbers is e/d in positions and e/d^2 of d, and so of all derivatives of the start. No residual shows it.
static MbsStatus take_constraints(MbsContext *context, Holding *h, const MbsState *state, bool is_generic) {
  const MbsSystem *system = h->loose->system;
  int given = h->loose->blueprint->independents.count;
  bool is_new;
  MBS_TRY(mbs_rank_create(context, h->loose->arena, system->n, &h->rank));
  if (!is_generic) {
    mbs_rank_measure(h->rank);
  }
  mbs_jacobian_evaluate(&h->loose->jacobian, state);
  mbs_rank_announce(h->rank, h->loose->jacobian.rows.start[system->m], h->loose->jacobian.rows.column);
  int freedom = system->n;
  for (int k = 0; k < system->m - given; ++k) {
    MBS_TRY(take_constraint(context, h, k, &is_new));
    freedom -= is_new;
  }
  if (is_generic && given > freedom) {
    int states = h->loose->blueprint->state_count;
    return mbs_independent_set_misfit(context, system, given - states, freedom - states,
                                      "give at most that many, and the others are held as placed");
  }
  for (int i = 0; i < given; ++i) {
    const MbsIndependentSpec *spec = &h->loose->blueprint->independents.items[i];
    double rest = mbs_rank_distance(h->rank, row_entries(h, system->m - given + i), h->column, h->value);
    MBS_TRY(take_constraint(context, h, system->m - given + i, &is_new));
    if (is_generic && !is_new) {
      return mbs_independent_set_adds_nothing(context, spec->name, spec->place);
    }
    if (!is_generic && h->into->placement->assembled && rest < h->into->placement->least_rest) {
      h->into->placement->least_rest = rest;
      h->into->placement->least_determined = h->into->independents.items[i].name;
    }
  }
  h->missing = is_generic ? freedom - given : h->missing;
  return MBS_OK;
}

// d w of a coordinate that may be held, at the state that is followed: what the coordinates that move the body do to
// it; returns the number of entries
static int row_of(const Holding *h, MbsPlacedCoordinate coordinate) {
  const MbsSystem *system = h->loose->system;
  const MbsBlueprint *blueprint = h->loose->blueprint;
  int d = blueprint->dimension, k = coordinate.index % 3;
  if (coordinate.body == MBS_NOBODY) {
    h->column[0] = system->first_scalar + coordinate.index;
    h->value[0] = 1;
    return 1;
  }
  const MbsPose *placed = &blueprint->placement->nominal[coordinate.body];
  bool is_rod = blueprint->bodies.items[coordinate.body].kind == MBS_BODY_ROD && d == 3;
  bool is_place = coordinate.index < MBS_PLACED_TURNING;
  const int first = system->bodies->entity_first[mbs_natural_basis(blueprint, coordinate.body)->entity[0]];
  // its point, or the axis of a rod behind it
  int count = mbs_system_movers(system, first + (is_place ? 0 : d), is_place, h->movers);
  for (int i = 0; i < count; ++i) {
    const MbsMover *mover = &h->movers[i];
    mbs_scalar moved = 0;
    if (is_place || is_rod) {
      moved = mover->velocity[k];
    } else if (d == 2) {
      moved = k == 0 ? mover->omega[0] : 0;
    } else {
      for (int j = 0; j < 3; ++j) {
        moved += placed->R[j][k] * mover->omega[j];
      }
    }
    h->column[i] = mover->coordinate;
    h->value[i] = mbs_re(moved) * h->scale[mover->coordinate] / (is_place ? h->loose->size : 1);
  }
  return count;
}

// what it would add to all that is held
static double distance_of(Holding *h, MbsPlacedCoordinate coordinate) {
  int entries = row_of(h, coordinate);
  double largest = 0;
  for (int i = 0; i < entries; ++i) {
    largest = fmax(largest, fabs(h->value[i]));  // real
  }
  // what hardly moves at all is not held well, however independent
  return fmin(largest, mbs_rank_distance(h->rank, entries, h->column, h->value));  // real
}

// of a body's turning, its place, or the model's own coordinates: those that add most, of about equal ones the first,
// as long as they add more than the tolerance
static MbsStatus hold_best(MbsContext *context, Holding *h, MbsPlacedCoordinate first, int count, double tolerance) {
  const double about_equal = 0.7;
  while (h->missing > 0) {
    double most = 0;
    int best = -1;
    for (int i = 0; i < count; ++i) {
      double distance = distance_of(h, (MbsPlacedCoordinate){.body = first.body, .index = first.index + i});
      if (about_equal * distance > most) {
        most = distance;
        best = first.index + i;
      }
    }
    if (!(most > tolerance)) {
      return MBS_OK;
    }
    bool is_new;
    MbsPlacedCoordinate chosen = {.body = first.body, .index = best};
    MBS_TRY(mbs_rank_take(context, h->rank, row_of(h, chosen), h->column, h->value, 0, &is_new));
    MBS_TRY(mbs_placed_hold(context, h->into, chosen));
    h->missing -= 1;
  }
  return MBS_OK;
}

static MbsStatus hold_rest(MbsContext *context, Holding *h) {
  const double tolerances[] = {0.05, 1e-2, 1e-3, 1e-5};  // first what is held well
  const MbsBlueprint *blueprint = h->loose->blueprint;
  (void)mbs_system_follow(h->loose->system, &h->loose->state);
  for (int pass = 0; pass < MBS_COUNT(tolerances); ++pass) {
    double tolerance = tolerances[pass];
    for (int b = 1; b < blueprint->bodies.count; ++b) {
      MbsPlacedCoordinate turning = {.body = b, .index = MBS_PLACED_TURNING}, place = {.body = b, .index = 0};
      MBS_TRY(hold_best(context, h, turning, mbs_placed_turning_count(blueprint, b), tolerance));
      MBS_TRY(hold_best(context, h, place, blueprint->dimension, tolerance));
    }
    MbsPlacedCoordinate own = {.body = MBS_NOBODY, .index = 0};
    MBS_TRY(hold_best(context, h, own, blueprint->user_coordinates.count, tolerance));
  }
  return MBS_OK;
}

// How many freedoms there are shows where nothing is special; which coordinates hold them well, at the start itself.
static MbsStatus choose(MbsContext *context, Loose *loose, MbsBlueprint *blueprint) {
  const MbsSystem *system = loose->system;
  Holding h = {.loose = loose, .into = blueprint};
  MbsState generic;
  int most = system->n > 0 ? system->n : 1;
  MBS_TAKE(context, loose->arena, h.column, most);
  MBS_TAKE(context, loose->arena, h.value, most);
  MBS_TAKE(context, loose->arena, h.scale, most);
  MBS_TAKE(context, loose->arena, h.movers, most);
  for (int i = 0; i < system->n; ++i) {
    h.scale[i] = system->units[i] == MBS_UNIT_LENGTH ? loose->size : 1;
  }
  MBS_TRY(mbs_initial_generic_position(context, system, &loose->state, &loose->jacobian, &generic));
  MBS_TRY(take_constraints(context, &h, &generic, true));
  MBS_TRY(take_constraints(context, &h, &loose->state, false));
  return h.missing > 0 ? hold_rest(context, &h) : MBS_OK;
}

// ---- the start ----
// to a position nearby where the constraints hold and joints have the sense that they should; else not at all
static MbsStatus assemble(MbsContext *context, Loose *loose, MbsBlueprint *blueprint) {
  const MbsSystem *system = loose->system;
  MbsState assembled;
  MbsPose *poses;
  const MbsRecord *wrong = NULL;
  bool is_admissible;
  MBS_TAKE(context, blueprint->arena, poses, blueprint->bodies.count);
  MBS_TRY(mbs_state_create(context, system, &assembled));
  mbs_state_copy(system, &loose->state, &assembled);
  MBS_TRY(mbs_initial_project(context, system, &assembled, &is_admissible));
  if (is_admissible) {
    MBS_TRY(mbs_poses_of(context, system, &assembled, poses));
    MBS_TRY(mbs_sense_check(context, blueprint->arena, loose->blueprint, poses, &wrong));
  }
  if (!is_admissible || wrong) {
    return MBS_OK;
  }
  mbs_state_copy(system, &assembled, &loose->state);
  blueprint->placement->assembled = poses;
  for (int i = 0; i < blueprint->user_coordinates.count; ++i) {
    blueprint->entities.items[blueprint->user_coordinates.items[i].entity].guess[0] =
        mbs_re(assembled.q[system->first_scalar + i]);
  }
  return mbs_placement_guess(context, blueprint, poses);
}

static MbsStatus complete(MbsContext *context, const MbsModel *model, Loose *loose, MbsBlueprint *blueprint) {
  MBS_TRY(create(context, model, loose));
  MBS_TRY(assemble(context, loose, blueprint));
  return choose(context, loose, blueprint);
}

MbsStatus mbs_start_complete(MbsContext *context, const MbsModel *model, MbsBlueprint *blueprint) {
  Loose loose = {.arena = mbs_arena_create_for(context)};
  MbsStatus status = loose.arena ? complete(context, model, &loose, blueprint)
                                 : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  mbs_arena_destroy(loose.arena);
  return status;
}

// ---- afterwards ----
// in sizes, or in radians
static double distance_between(const MbsPose *a, const MbsPose *b, double size, bool has_axes) {
  double d[3], trace = 0;
  for (int i = 0; i < 3; ++i) {
    d[i] = a->x[i] - b->x[i];
    trace += mbs_vector_dot(a->R[i], b->R[i]);
  }
  double cosine = fmin(1, fmax(-1, (trace - 1) / 2));                     // real
  return fmax(mbs_vector_length(d) / size, has_axes ? acos(cosine) : 0);  // real
}

static MbsStatus measure_move(MbsContext *context, MbsBlueprint *blueprint, const MbsPose *poses, double *moved) {
  double size;
  *moved = blueprint->placement->assembled ? 0 : HUGE_VAL;
  MBS_TRY(measure(context, blueprint, &size));
  for (int b = 1; b < blueprint->bodies.count && blueprint->placement->assembled; ++b) {
    bool has_axes = blueprint->bodies.items[b].kind == MBS_BODY_RIGID;
    *moved = fmax(*moved, distance_between(&poses[b], &blueprint->placement->assembled[b], size, has_axes));  // real
  }
  return MBS_OK;
}

MbsStatus mbs_start_check(MbsContext *context, MbsArena *scratch, const MbsSystem *system, const MbsState *state,
                          double *moved) {
  MbsBlueprint *blueprint = system->blueprint;
  const char *advice =
      "place the bodies nearer to the start (initial points, position and angle or rotation of bodies)";
  const MbsRecord *wrong;
  MbsPose *poses;
  MBS_TAKE(context, scratch, poses, blueprint->bodies.count);
  MBS_TRY(mbs_poses_of(context, system, state, poses));
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    double normal[3];
    mbs_vector_cross(poses[b].R[0], poses[b].R[1], normal);
    if (blueprint->bodies.items[b].kind == MBS_BODY_RIGID && mbs_vector_dot(normal, poses[b].R[2]) < 0) {
      return mbs_fail(context, MBS_ERROR_INPUT, blueprint->bodies.items[b].record->name.place,
                      "the model cannot be assembled: body \"%s\" would be its own mirror image; %s",
                      blueprint->bodies.items[b].name, advice);
    }
  }
  MBS_TRY(measure_move(context, blueprint, poses, moved));
  MBS_TRY(mbs_sense_check(context, scratch, blueprint, poses, &wrong));
  return !wrong ? MBS_OK
                : mbs_fail(context, MBS_ERROR_INPUT, wrong->name.place,
                           "the model cannot be assembled: the axes of joint \"%s\" would point against each other; %s",
                           wrong->name.text, advice);
}
