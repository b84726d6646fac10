// Ground points that move: q_f(t, rho), with q_f' and q_f'' by the graph, and the derivatives of all three for the
// columns. They are coordinates like the others, only given: the elements see their positions, velocities and
// accelerations, and Phi_t and the inertia of what stands on them follow.
#include "terms/elements.h"

static bool depends_on_time(MbsBlueprint *blueprint, MbsNode node) {
  return blueprint->time_input >= 0 && mbs_graph_depends_on(blueprint->graph, node, blueprint->time_input);
}

MbsStatus mbs_moving_ground_create(MbsContext *context, MbsSystem *system, MbsNode *fixed) {
  MbsBlueprint *blueprint = system->blueprint;
  MbsGraph *g = blueprint->graph;
  MbsMovingGround *moving = &system->moving;
  int fixed_count = system->nq - system->n, columns = system->column_count;
  int *coordinate;
  MbsNode *nodes;
  MBS_TAKE(context, system->arena, coordinate, fixed_count);
  MBS_TAKE(context, system->arena, nodes, (size_t)fixed_count * 3 * (size_t)(1 + columns));
  int used = 0;
  for (int i = 0; i < fixed_count; ++i) {
    if (!depends_on_time(blueprint, fixed[i])) {
      continue;
    }
    coordinate[moving->count++] = system->n + i;
    MbsNode level[3] = {fixed[i]};
    MBS_TRY(mbs_signal_rate(context, blueprint, level[0], &level[1]));
    MBS_TRY(mbs_signal_rate(context, blueprint, level[1], &level[2]));
    for (int k = 0; k < 3; ++k) {
      nodes[used++] = level[k];
      for (int c = 0; c < columns; ++c) {
        nodes[used++] = mbs_graph_derivative(g, level[k], system->columns[c]);
      }
    }
    fixed[i] = mbs_graph_constant(g, 0);  // no coefficient: it changes with time
  }
  moving->coordinate = coordinate;
  MBS_TRY(mbs_graph_status(context, g));
  MBS_TRY(mbs_tape_create(context, system->arena, g, used, nodes, &moving->tape));
  MBS_TAKE(context, system->arena, moving->inputs, moving->tape->input_count);
  MBS_TAKE(context, system->arena, moving->outputs, used);
  return MBS_OK;
}

static void evaluate(const MbsSystem *system, mbs_scalar t) {
  const MbsMovingGround *moving = &system->moving;
  for (int i = 0; i < moving->tape->input_count; ++i) {
    int input = moving->tape->inputs[i];
    moving->inputs[i] = input == system->blueprint->time_input ? t : system->parameters[input];
  }
  mbs_tape_evaluate(moving->tape, moving->inputs, moving->outputs);
}

void mbs_moving_ground_place(const MbsSystem *system, MbsState *state) {
  const MbsMovingGround *moving = &system->moving;
  int stride = 1 + system->column_count;
  if (moving->count == 0) {
    return;
  }
  evaluate(system, state->t);
  for (int i = 0; i < moving->count; ++i) {
    const mbs_scalar *levels = moving->outputs + 3 * i * stride;
    state->q[moving->coordinate[i]] = levels[0];
    state->v[moving->coordinate[i]] = levels[stride];
    state->a[moving->coordinate[i]] = levels[2 * stride];
  }
}

void mbs_system_fixed_columns(const MbsSystem *system, mbs_scalar t, mbs_scalar *X, mbs_scalar *V, mbs_scalar *A) {
  const MbsMovingGround *moving = &system->moving;
  int stride = 1 + system->column_count;
  for (int k = 0; k < system->column_count; ++k) {
    const mbs_scalar *slope = mbs_block_slope(&system->fixed, k);
    for (int i = system->n; i < system->nq; ++i) {
      X[k * system->nq + i] = slope ? slope[i - system->n] : 0;
      V[k * system->nq + i] = A[k * system->nq + i] = 0;
    }
  }
  if (moving->count == 0) {
    return;
  }
  evaluate(system, t);
  for (int i = 0; i < moving->count; ++i) {
    const mbs_scalar *levels = moving->outputs + 3 * i * stride;
    for (int k = 0; k < system->column_count; ++k) {
      int at = k * system->nq + moving->coordinate[i];
      X[at] = levels[1 + k];
      V[at] = levels[stride + 1 + k];
      A[at] = levels[2 * stride + 1 + k];
    }
  }
}

void mbs_system_fixed_transposed(const MbsSystem *system, mbs_scalar t, const MbsStateBar *bar, mbs_scalar *gradient) {
  const MbsMovingGround *moving = &system->moving;
  int stride = 1 + system->column_count;
  if (moving->count > 0) {
    evaluate(system, t);
  }
  for (int i = 0; i < moving->count; ++i) {
    const mbs_scalar *levels = moving->outputs + 3 * i * stride;
    int at = moving->coordinate[i];
    for (int k = 0; k < system->column_count; ++k) {
      gradient[k] +=
          bar->q[at] * levels[1 + k] + bar->v[at] * levels[stride + 1 + k] + bar->a[at] * levels[2 * stride + 1 + k];
    }
    bar->q[at] = 0;  // its coefficient is not a function of parameters
  }
  for (int i = system->n; i < system->nq; ++i) {
    bar->coefficients[system->fixed.index[i - system->n]] += bar->q[i];
    bar->q[i] = bar->v[i] = bar->a[i] = 0;
  }
}
