// The second derivatives of a force, contracted with a fixed vector u: what the derivative of K u is made of, where
//     K u = (c0 f_x + c1 f_v) u = -E_P' G,      G = F_y (c0 z) + F_v (c1 z),  z = E_A u.
// G is a vector on the ports like F, a function of y, v, the coefficients and z, so that
//     (K u)' = -E_P' (G_y y' + G_v v' + G_c c' + (c0 F_y + c1 F_v) dE_A u) - dE_P' G
// goes the way of f' in force_evaluate.c, and so does the transpose.
//
// A kernel brings G and its derivatives. Of expressions, the tape has all F_i,s (component i by input s): row i of G's
// derivatives is the gradient of sum_s F_i,s d_s with the direction d of the inputs, one sweep backwards over the tape.
#include "terms/elements.h"

typedef struct MbsForceSecond {
  MbsForceSlopes slopes;    // of G
  mbs_scalar *z_y, *z_v;    // arguments: c0 z, c1 z
  mbs_scalar *direction;    // of the inputs of the tape
  mbs_scalar *by_input;     // likewise
  mbs_scalar *outputs_bar;  // of the tape
  mbs_scalar *registers;    // of the tape
} MbsForceSecond;

MbsStatus mbs_force_second_prepare(MbsContext *context, const MbsSystem *system, MbsForceElement *force) {
  MbsArena *arena = system->arena;
  int ports = force->port_count * system->dimension, arguments = force->argument_count * system->dimension;
  int inner = force->kernel ? force->coefficient_count : force->value_tape->input_count;
  MbsForceSecond *second;
  if (!force->kernel && force->value_tape->external_count > 0) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "%s: projections with the tangent need second derivatives of the forces, which functions of the "
                    "program have not: project with the mass matrix",
                    force->name);
  }
  MBS_TAKE(context, arena, second, 1);
  MBS_TAKE(context, arena, second->slopes.F, ports);
  MBS_TAKE(context, arena, second->slopes.F_y, ports * arguments);
  MBS_TAKE(context, arena, second->slopes.F_v, ports * arguments);
  MBS_TAKE(context, arena, second->slopes.F_z, ports * arguments);
  MBS_TAKE(context, arena, second->slopes.F_c, ports * inner);
  MBS_TAKE(context, arena, second->slopes.z, MBS_FORCE_BLOCK * arguments);
  MBS_TAKE(context, arena, second->z_y, arguments);
  MBS_TAKE(context, arena, second->z_v, arguments);
  if (!force->kernel) {
    MBS_TAKE(context, arena, second->direction, inner);
    MBS_TAKE(context, arena, second->by_input, inner);
    MBS_TAKE(context, arena, second->outputs_bar, ports * (1 + inner));
    MBS_TAKE(context, arena, second->registers, mbs_tape_register_count(force->full_tape));
  }
  force->second = second;
  return MBS_OK;
}

// the tape has been evaluated
static void evaluate_expressions(const MbsSystem *system, const MbsForceElement *force) {
  const MbsForceSecond *second = force->second;
  int ports = force->port_count * system->dimension, inputs = force->value_tape->input_count;
  for (int s = 0; s < inputs; ++s) {
    const MbsSignal *signal = &force->inputs[s].signal;
    int at = force->inputs[s].argument * system->dimension + signal->component;
    second->direction[s] = signal->kind == MBS_SIGNAL_POSITION   ? second->z_y[at]
                           : signal->kind == MBS_SIGNAL_VELOCITY ? second->z_v[at]
                                                                 : 0;
  }
  for (int i = 0; i < ports; ++i) {
    const mbs_scalar *F_i = force->outputs + ports + i * inputs;
    mbs_scalar *bar = second->outputs_bar + ports + i * inputs;
    second->slopes.F[i] = 0;
    for (int s = 0; s < inputs; ++s) {
      second->slopes.F[i] += F_i[s] * second->direction[s];
      bar[s] = second->direction[s];
    }
    mbs_tape_pull_back(force->full_tape, second->outputs_bar, second->registers, second->by_input);
    mbs_force_element_put_row(system, force, i, second->by_input, &second->slopes);
    mbs_clear(inputs, bar);
  }
}

// G and its derivatives
static const MbsForceSlopes *evaluate(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                      mbs_scalar c0, mbs_scalar c1, const mbs_scalar *u) {
  MbsForceSecond *second = force->second;
  MbsForceSlopes *slopes = &second->slopes;
  int d = system->dimension, arguments = force->argument_count * d;
  mbs_force_element_evaluate(system, force, state);
  mbs_clear(arguments, slopes->z);
  for (int a = 0; a < force->argument_count; ++a) {
    mbs_form_add(&force->arguments[a], force->block.value, d, force->has_turn, u, slopes->z + a * d);
  }
  for (int j = 0; j < arguments; ++j) {
    second->z_y[j] = c0 * slopes->z[j];
    second->z_v[j] = c1 * slopes->z[j];
  }
  for (int i = 0; i < force->port_count * d * arguments; ++i) {
    slopes->F_z[i] = c0 * force->slopes.F_y[i] + c1 * force->slopes.F_v[i];
  }
  slopes->u = u;
  if (force->kernel) {
    const MbsForceInput in = {.dimension = d, .y = force->y, .v = force->v, .c = force->block.value};
    force->kernel->second(&in, second->z_y, second->z_v, slopes->F, slopes->F_y, slopes->F_v, slopes->F_c);
  } else {
    evaluate_expressions(system, force);
  }
  return slopes;
}

void mbs_force_second_columns(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                              mbs_scalar c0, mbs_scalar c1, const mbs_scalar *u, int count,
                              const MbsDirectionColumn *directions, mbs_scalar *R, int stride) {
  const MbsForceSlopes *slopes = evaluate(system, force, state, c0, c1, u);
  mbs_force_slopes_columns(system, force, slopes, state, count, directions, R, stride);
}

void mbs_force_second_transposed(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                 mbs_scalar c0, mbs_scalar c1, const mbs_scalar *u, const MbsAdjoint *adjoint) {
  const MbsForceSlopes *slopes = evaluate(system, force, state, c0, c1, u);
  mbs_force_slopes_transposed(system, force, slopes, state, adjoint);
}
