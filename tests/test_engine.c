// The engine held and stepped: a run that is started again, and steps that are undone and done again, lead to the same
// bits: state, columns, objectives with gradients, statistics. On every kind of step: all formulations, kinematics,
// both coordinates, redundant and nonholonomic constraints, angles that turn, jumps, matrix-r with changes of its set.
#include <math.h>
#include <string.h>

#include "sensitivities/selection.h"
#include "simulation/simulation.h"
#include "support.h"

static MbsContext *context;

typedef struct Held {
  MbsModel *model;
  MbsSimulation *simulation;
  MbsSelection selection;
  MbsArena *arena;
} Held;

// turns by half a radian in a step, against a torque that counts whole turns and one that jumps
static const char *spinning =
    "mbsens: 1\n"
    "name: spinning\n"
    "parameters: {I: 0.3, w: 50, k: 0.02, T: 0.21}\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies:\n"
    "  wheel: {mass: 1, com: [0.01, 0], inertia: I, points: {O: [0, 0], P: [0.5, 0]}}\n"
    "joints: [{revolute: [ground.O, wheel.O]}]\n"
    "forces: [{torque: wheel, value: \"-k*angle(wheel) + step(t - T)\"}]\n"
    "initial: {independent: [{coordinate: angle(wheel), value: 0.1, velocity: w}]}\n"
    "objectives:\n"
    "  turned: {final: angle(wheel)}\n"
    "  work: {integral: angle(wheel)^2}\n"
    "simulation: {end: 1, step: 0.01}\n";

static Held hold(const char *path, const char *formulation, const char *coordinates, bool is_kinematic) {
  Held held = {.model = path ? read_model(context, path) : read_text(context, "spinning.yaml", spinning),
               .arena = mbs_arena_create()};
  MbsRequest request;
  ENSURE(held.arena);
  ENSURE_OK(context, mbs_request_default(context, held.model, &request));
  ENSURE_OK(context, mbs_selection_create(context, held.arena, held.model, &request, &held.selection));
  MbsSettings *settings = &request.settings;
  (void)snprintf(settings->formulation, sizeof settings->formulation, "%s", formulation);
  (void)snprintf(settings->coordinates, sizeof settings->coordinates, "%s", coordinates);
  settings->is_kinematic = is_kinematic;
  settings->end = fmin(settings->end, 60.3 * settings->step);
  ENSURE_OK(context, mbs_simulation_create(context, held.model, settings, held.selection.parameter_count,
                                           held.selection.parameters, NULL, &held.simulation));
  return held;
}

static void let_go(Held *held) {
  mbs_simulation_destroy(held->simulation);
  mbs_model_destroy(held->model);
  mbs_arena_destroy(held->arena);
}

// everything that came out, as one list of numbers
static int list(const Held *held, int room, double *numbers) {
  const MbsSimulation *simulation = held->simulation;
  const MbsSystem *system = simulation->system;
  const MbsState *state = &simulation->state;
  const MbsColumns *columns = &simulation->columns;
  const MbsObjectives *objectives = &simulation->objectives;
  const MbsStatistics *statistics = &simulation->statistics;
  struct {
    int count;
    const double *from;
  } lists[] = {{1, &state->t},
               {system->nq, state->q},
               {system->nq, state->v},
               {system->nq, state->a},
               {system->m, state->lambda},
               {system->m, state->sigma},
               {system->m, state->kappa},
               {system->m, state->total},
               {system->nq * system->column_count, columns->X},
               {system->nq * system->column_count, columns->V},
               {system->nq * system->column_count, columns->A},
               {system->m * system->column_count, columns->L},
               {system->m * system->column_count, columns->T},
               {objectives->count, objectives->value},
               {objectives->count * system->column_count, objectives->gradient},
               {1, &statistics->residual_position},
               {1, &statistics->residual_velocity},
               {1, &statistics->residual_acceleration},
               {1, &statistics->energy_drift},
               {1, &statistics->condition_growth},
               {1, &statistics->turn}};
  int used = 0;
  for (int i = 0; i < MBS_COUNT(lists); ++i) {
    ENSURE(used + lists[i].count + 2 <= room);
    for (int k = 0; k < lists[i].count; ++k) {
      numbers[used++] = lists[i].from[k];
    }
  }
  numbers[used++] = (double)statistics->iterations;
  numbers[used++] = (double)statistics->steps;
  return used;
}

enum { ROOM = 200000 };
static double first[ROOM], second[ROOM];

static void ensure_same_bits(const Held *held, int count, const char *what) {
  int again = list(held, ROOM, second);
  ENSURE(again == count);
  for (int i = 0; i < count; ++i) {
    if (memcmp(&first[i], &second[i], sizeof *first) != 0) {
      (void)printf("%s: number %d of %d is %.17g instead of %.17g\n", what, i, count, second[i], first[i]);
    }
    ENSURE(memcmp(&first[i], &second[i], sizeof *first) == 0);
  }
}

static void walk(const Held *held) {
  while (!mbs_simulation_is_over(held->simulation)) {
    ENSURE_OK(context, mbs_simulation_step(context, held->simulation));
  }
}

static unsigned long long seed = 1;

static int draw(int below) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((seed >> 33) % (unsigned long long)below);
}

static void check(const char *path, const char *formulation, const char *coordinates, bool is_kinematic) {
  (void)printf("%s, %s, %s\n", path ? path : "spinning", is_kinematic ? "kinematics" : formulation, coordinates);
  Held held = hold(path, formulation, coordinates, is_kinematic);
  MbsSimulation *simulation = held.simulation;
  MbsCheckpoint checkpoint = {0};
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  walk(&held);
  int count = list(&held, ROOM, first);
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  walk(&held);
  ensure_same_bits(&held, count, "run again");
  // undone and done again, at steps drawn by lot; the start too
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  int undone = 0;
  while (!mbs_simulation_is_over(simulation)) {
    if (draw(6) == 0 || simulation->path.step_count == 0) {
      ENSURE_OK(context, mbs_simulation_save(context, simulation, &checkpoint));
      for (int ahead = draw(9); ahead >= 0 && !mbs_simulation_is_over(simulation); --ahead) {
        ENSURE_OK(context, mbs_simulation_step(context, simulation));
      }
      mbs_simulation_restore(simulation, &checkpoint);
      undone += 1;
    }
    ENSURE_OK(context, mbs_simulation_step(context, simulation));
  }
  ENSURE(undone > 3);
  ensure_same_bits(&held, count, "undone and done again");
  let_go(&held);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  static const char *const coordinates[] = {"natural", "relative"};
  static const char *const formulations[] = {"ali3p", "ali1", "index1", "index3", "matrix-r", "penalty"};
  static const char *const models[] = {"models/five_bar.yaml", "models/flying_rotor.yaml",
                                       "models/double_wishbone.yaml", "models/shaken_pendulum.yaml",
                                       "models/rssr.yaml"};
  for (int c = 0; c < 2; ++c) {
    for (int m = 0; m < MBS_COUNT(models); ++m) {
      for (int f = 0; f < MBS_COUNT(formulations); ++f) {
        check(models[m], formulations[f], coordinates[c], false);
      }
    }
    check(NULL, "ali3p", coordinates[c], false);
    check(NULL, "matrix-r", coordinates[c], false);
    check("models/driven_slider_crank.yaml", "ali3p", coordinates[c], true);
    check("models/snakeboard.yaml", "ali3p", coordinates[c], false);
    check("models/snakeboard.yaml", "matrix-r", coordinates[c], false);
    check("models/governor.yaml", "matrix-r", coordinates[c], false);
    check("models/steered_wishbone.yaml", "ali3p", coordinates[c], false);
  }
  check("models/bricard.yaml", "ali3p", "natural", false);
  check("models/bricard.yaml", "matrix-r", "natural", false);
  mbs_context_destroy(context);
  return 0;
}
