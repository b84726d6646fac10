// The workspace of a system has stamps (terms/workspace.h): in debug builds, what signals leave there is asserted to
// belong to the state that functions are called for. Each misuse must end the program, here a child, and each use next
// to it must not: natural and relative coordinates.
#include "simulation/simulation.h"
#include "support.h"

#ifndef MBS_ASSERTIONS
int main(void) { return 77; }  // no stamps in this build
#else

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char text[] =
    "mbsens: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {m: 2, L: 0.7, phi: 0.3}\n"
    "ground: {points: {O: [0, 0], B: [1.4, -1]}}\n"
    "bodies:\n"
    "  upper: {mass: m, com: [L/2, 0], inertia: 0.1, points: {O: [0, 0], P: [L, 0]}, angle: phi}\n"
    "  lower: {mass: m, com: [L/2, 0], inertia: 0.1, points: {P: [0, 0], Q: [L, 0]}, angle: -phi}\n"
    "joints:\n"
    "  - {revolute: [ground.O, upper.O]}\n"
    "  - {revolute: [upper.P, lower.P], name: elbow}\n"
    "  - {distance: [lower.Q, ground.B], length: 1}\n"
    "objectives:\n"
    "  place: {final: r(Q).x}\n"
    "  rate: {final: v(Q).x}\n"
    "  load: {final: force(elbow).x}\n"
    "simulation: {end: 0.1, step: 0.01}\n";
enum { PLACE, RATE, LOAD };

typedef enum Misuse {
  GOOD,
  MOVED,            // q changes after signals were evaluated
  TOO_FAST,         // v changes, which a place does not depend on
  FOLLOWED,         // signals without the forces that hold bodies, which have changed
  OTHER_REACTIONS,  // the multipliers that balance change
  OTHER_PARAMETERS,
  GRADIENT_ELSEWHERE,      // q changes between a function and its gradient
  NO_COLUMNS,              // none were taken
  OTHER_COLUMNS,           // others were
  COLUMNS_ELSEWHERE,       // they were taken at another state
  NO_DERIVATIVE_OF_FORCES  // columns were taken, but forces that hold bodies not differentiated
} Misuse;

typedef struct Case {
  Misuse misuse;
  int objective;
  bool is_caught;
} Case;

static const Case cases[] = {{GOOD, PLACE, false},
                             {GOOD, RATE, false},
                             {GOOD, LOAD, false},
                             {MOVED, PLACE, true},
                             {MOVED, RATE, false},  // in natural coordinates alone: see is_caught
                             {MOVED, LOAD, true},
                             {TOO_FAST, PLACE, false},
                             {TOO_FAST, RATE, true},
                             {TOO_FAST, LOAD, true},
                             {FOLLOWED, PLACE, false},
                             {FOLLOWED, LOAD, true},
                             {OTHER_REACTIONS, RATE, false},
                             {OTHER_REACTIONS, LOAD, true},
                             {OTHER_PARAMETERS, PLACE, true},
                             {OTHER_PARAMETERS, LOAD, true},
                             {GRADIENT_ELSEWHERE, PLACE, true},
                             {GRADIENT_ELSEWHERE, LOAD, true},
                             {NO_COLUMNS, PLACE, true},
                             {OTHER_COLUMNS, PLACE, true},
                             {COLUMNS_ELSEWHERE, PLACE, true},
                             {NO_DERIVATIVE_OF_FORCES, PLACE, false},
                             {NO_DERIVATIVE_OF_FORCES, LOAD, true}};

static void use(MbsSimulation *simulation, Misuse misuse, const MbsFunction *function) {
  MbsSystem *system = simulation->system;
  MbsState *state = &simulation->state;
  size_t nq = (size_t)system->nq, m = (size_t)system->m, columns = (size_t)system->column_count;
  double *X = calloc(nq * columns, sizeof *X), *other = calloc(nq * columns, sizeof *other);
  double *bar = calloc(3 * nq + 4 * m, sizeof *bar);
  double *coefficients = calloc((size_t)system->coefficients.nodes.count, sizeof *coefficients), parameters[16] = {0};
  const MbsColumns taken = {.X = X, .V = X, .A = X}, wrong = {.X = other, .V = other, .A = other};
  const MbsStateBar to = {.q = bar,
                          .v = bar + nq,
                          .a = bar + 2 * nq,
                          .total = bar + 3 * nq,
                          .coefficients = coefficients,
                          .parameters = parameters};
  for (int i = 0; i < system->n; ++i) {
    state->v[i] = 1;
  }
  mbs_signal_bank_evaluate(system, state);
  switch (misuse) {
    case MOVED: state->q[0] += 0.1; break;
    case TOO_FAST: state->v[0] += 0.1; break;
    case FOLLOWED:
      state->q[0] += 0.1;
      mbs_signal_bank_follow(system, state);
      break;
    case OTHER_REACTIONS:
      for (size_t i = 0; i < m; ++i) {
        state->total[i] += 1;
      }
      break;
    case OTHER_PARAMETERS: mbs_system_perturb(system, 0, 0); break;
    default: break;
  }
  (void)mbs_function_evaluate(system, function, state, NULL);
  if (misuse == COLUMNS_ELSEWHERE) {
    state->q[0] += 0.1;
  }
  if (misuse == NO_DERIVATIVE_OF_FORCES) {
    mbs_signal_bank_take_columns(system, state, &taken);
  } else if (misuse != NO_COLUMNS) {
    mbs_signal_bank_evaluate(system, state);
    mbs_signal_bank_differentiate(system, state, misuse == OTHER_COLUMNS ? &wrong : &taken);
  }
  state->q[0] -= misuse == COLUMNS_ELSEWHERE ? 0.1 : 0;
  (void)mbs_function_derivative(system, function, state, 0, &taken, NULL);
  state->q[0] += misuse == GRADIENT_ELSEWHERE ? 0.1 : 0;
  mbs_function_transposed(system, function, state, 1, &to);
}

static bool is_caught(MbsSimulation *simulation, const Case *which) {
  (void)fflush(NULL);
  pid_t child = fork();
  ENSURE(child >= 0);
  if (child == 0) {
    (void)freopen("/dev/null", "w", stderr);
    use(simulation, which->misuse, &simulation->objectives.items[which->objective].function);
    _exit(0);
  }
  int status = 0;
  ENSURE(waitpid(child, &status, 0) == child);
  ENSURE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGABRT : WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

int main(void) {
  MbsContext *context = mbs_context_create();
  const char *const coordinates[] = {"natural", "relative"};
  for (int c = 0; c < MBS_COUNT(coordinates); ++c) {
    MbsModel *model = read_text(context, "stamps.yaml", text);
    MbsRequest request;
    MbsSimulation *simulation;
    ENSURE_OK(context, mbs_request_default(context, model, &request));
    (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", coordinates[c]);
    ENSURE_OK(context,
              mbs_simulation_create(context, model, &request.settings, 1, (const int[]){0}, NULL, &simulation));
    ENSURE_OK(context, mbs_simulation_start(context, simulation));
    for (int i = 0; i < MBS_COUNT(cases); ++i) {
      // a rate of a body's point is a function of all coordinates of a tree, but of velocities alone of natural ones
      bool expected = cases[i].is_caught || (c == 1 && cases[i].misuse == MOVED);
      bool is = is_caught(simulation, &cases[i]);
      if (is != expected) {
        (void)fprintf(stderr, "%s, case %d: %s\n", coordinates[c], i, is ? "caught" : "not caught");
      }
      ENSURE(is == expected);
    }
    mbs_simulation_destroy(simulation);
    mbs_model_destroy(model);
  }
  mbs_context_destroy(context);
  return 0;
}
#endif
