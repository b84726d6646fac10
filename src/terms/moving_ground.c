// Ground points that move: q_f(t, rho), with q_f' and q_f'' by the graph, and the derivatives of all three for the
// columns. They are coordinates like the others, only given: the elements see their positions, velocities and
// accelerations, and Phi_t and the inertia of what stands on them follow.
#include "terms/derivative_source.h"
#include "terms/elements.h"

static bool depends_on_time(MbsBlueprint *blueprint, MbsNode node) {
  return blueprint->time_input >= 0 && mbs_graph_depends_on(blueprint->graph, node, blueprint->time_input);
}

// the columns that a node depends on, behind those of the coordinates before
static MbsStatus list_columns(MbsContext *context, MbsSystem *system, MbsNode node, int *column, int *count) {
  int input_count;
  const int *inputs;
  MBS_TRY(mbs_graph_inputs_of(context, system->blueprint->graph, node, &input_count, &inputs));
  for (int i = 0; i < input_count; ++i) {
    bool is_parameter = system->blueprint->signals.items[inputs[i]].kind == MBS_SIGNAL_PARAMETER;
    if (is_parameter && system->column_of_parameter[inputs[i]] >= 0) {
      column[(*count)++] = system->column_of_parameter[inputs[i]];
    }
  }
  return MBS_OK;
}

// the deltas that a node depends on, likewise
static MbsStatus list_deltas(MbsContext *context, MbsSystem *system, MbsNode node, int **delta, int *count,
                             int *capacity) {
  int input_count;
  const int *inputs;
  MBS_TRY(mbs_graph_inputs_of(context, system->blueprint->graph, node, &input_count, &inputs));
  for (int i = 0; i < input_count; ++i) {
    if (system->blueprint->signals.items[inputs[i]].kind == MBS_SIGNAL_TABLE) {
      MBS_GROW(context, system->arena, *delta, *count, *capacity);
      (*delta)[(*count)++] = inputs[i];
    }
  }
  return MBS_OK;
}

MbsStatus mbs_moving_ground_create(MbsContext *context, MbsSystem *system, MbsNode *fixed) {
  MbsBlueprint *blueprint = system->blueprint;
  MbsGraph *g = blueprint->graph;
  MbsMovingGround *moving = &system->moving;
  int fixed_count = system->nq - system->n;
  size_t moving_count = 0;
  for (int i = 0; i < fixed_count; ++i) {
    moving_count += depends_on_time(blueprint, fixed[i]);
  }
  int *coordinate, *column_start, *column;
  MbsNode *nodes, *all;
  MBS_TAKE(context, system->arena, coordinate, moving_count);
  MBS_TAKE(context, system->arena, column_start, moving_count + 1);
  MBS_TAKE(context, system->arena, column, moving_count * (size_t)system->column_count);
  MBS_TAKE(context, system->arena, nodes, moving_count * 3 * (size_t)(1 + system->column_count));
  int used = 0, columns = 0, deltas = 0, delta_capacity = 0, *delta = NULL, *delta_start;
  MBS_LIST(MbsNode) by_delta = {0, 0, NULL};
  MBS_TAKE(context, system->arena, delta_start, moving_count + 1);
  for (int i = 0; i < fixed_count; ++i) {
    if (!depends_on_time(blueprint, fixed[i])) {
      continue;
    }
    MBS_TRY(list_columns(context, system, fixed[i], column, &columns));
    coordinate[moving->count++] = system->n + i;
    column_start[moving->count] = columns;
    MbsNode level[3] = {fixed[i]};
    MBS_TRY(mbs_signal_rate(context, blueprint, level[0], &level[1]));
    MBS_TRY(mbs_signal_rate(context, blueprint, level[1], &level[2]));
    for (int k = 0; k < 3; ++k) {
      nodes[used++] = level[k];
      for (int c = column_start[moving->count - 1]; c < columns; ++c) {
        nodes[used++] = mbs_graph_derivative(g, level[k], system->columns[column[c]]);
      }
    }
    MBS_TRY(list_deltas(context, system, fixed[i], &delta, &deltas, &delta_capacity));
    delta_start[moving->count] = deltas;
    for (int d = delta_start[moving->count - 1]; d < deltas; ++d) {
      for (int k = 0; k < 3; ++k) {
        MBS_APPEND(context, system->arena, &by_delta, mbs_graph_derivative(g, level[k], delta[d]));
      }
    }
    fixed[i] = mbs_graph_constant(g, 0);  // no coefficient: it changes with time
  }
  MBS_TAKE(context, system->arena, all, used + by_delta.count);
  for (int i = 0; i < used + by_delta.count; ++i) {
    all[i] = i < used ? nodes[i] : by_delta.items[i - used];
  }
  moving->delta_start = delta_start;
  moving->delta = delta;
  moving->coordinate = coordinate;
  moving->column_start = column_start;
  moving->column = column;
  MBS_TRY(mbs_graph_status(context, g));
  MBS_TRY(mbs_tape_create(context, system->arena, g, used + by_delta.count, all, &moving->tape));
  MBS_TAKE(context, system->arena, moving->inputs, moving->tape->input_count);
  MBS_TAKE(context, system->arena, moving->outputs, used + by_delta.count);
  return MBS_OK;
}

// level 0, 1 or 2 of moving coordinate i, and behind it its derivatives
static mbs_scalar *level_of(const MbsMovingGround *moving, int i, int level) {
  int stride = 1 + moving->column_start[i + 1] - moving->column_start[i];
  return moving->outputs + 3 * (i + moving->column_start[i]) + level * stride;
}

// the derivatives of its three levels by delta d
static const mbs_scalar *levels_by_delta(const MbsMovingGround *moving, int d) {
  return moving->outputs + moving->tape->output_count - 3 * (moving->delta_start[moving->count] - d);
}

// position among the inputs of the tape of a graph input
static int place_of(const MbsTape *tape, int input) {
  int s = 0;
  while (tape->inputs[s] != input) {
    ++s;
  }
  return s;
}

// the derivatives by one parameter, an input of the tape, from the source in use
static void differentiate(const MbsSystem *system, int input) {
  const MbsMovingGround *moving = &system->moving;
  const double *slopes = mbs_source_tape(system, moving->tape, moving->inputs, input, 0, moving->tape->output_count);
  for (int i = 0; i < moving->count; ++i) {
    for (int k = 0; k < moving->column_start[i + 1] - moving->column_start[i]; ++k) {
      int column = moving->column[moving->column_start[i] + k];
      for (int level = 0; level < 3 && system->columns[column] == moving->tape->inputs[input]; ++level) {
        mbs_scalar *value = level_of(moving, i, level);
        value[1 + k] = slopes[value - moving->outputs];
      }
    }
  }
}

static void evaluate(const MbsSystem *system, mbs_scalar t) {
  const MbsMovingGround *moving = &system->moving;
  for (int i = 0; i < moving->tape->input_count; ++i) {
    int input = moving->tape->inputs[i];
    bool is_delta = system->blueprint->signals.items[input].kind == MBS_SIGNAL_TABLE;
    moving->inputs[i] = input == system->blueprint->time_input ? t : is_delta ? 0 : system->parameters[input];
  }
  mbs_tape_evaluate(moving->tape, moving->inputs, moving->outputs);
  for (int s = 0; s < moving->tape->input_count && system->source; ++s) {
    int input = moving->tape->inputs[s];
    bool is_parameter = system->blueprint->signals.items[input].kind == MBS_SIGNAL_PARAMETER;
    if (is_parameter && system->column_of_parameter[input] >= 0) {
      differentiate(system, s);
    }
  }
}

void mbs_moving_ground_place(const MbsSystem *system, MbsState *state) {
  const MbsMovingGround *moving = &system->moving;
  if (moving->count == 0) {
    return;
  }
  evaluate(system, state->t);
  for (int i = 0; i < moving->count; ++i) {
    state->q[moving->coordinate[i]] = *level_of(moving, i, 0);
    state->v[moving->coordinate[i]] = *level_of(moving, i, 1);
    state->a[moving->coordinate[i]] = *level_of(moving, i, 2);
  }
}

void mbs_system_fixed_columns(const MbsSystem *system, mbs_scalar t, mbs_scalar *X, mbs_scalar *V, mbs_scalar *A) {
  const MbsMovingGround *moving = &system->moving;
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
    for (int k = 0; k < moving->column_start[i + 1] - moving->column_start[i]; ++k) {
      int at = moving->column[moving->column_start[i] + k] * system->nq + moving->coordinate[i];
      X[at] = level_of(moving, i, 0)[1 + k];
      V[at] = level_of(moving, i, 1)[1 + k];
      A[at] = level_of(moving, i, 2)[1 + k];
    }
    for (int d = moving->delta_start[i]; d < moving->delta_start[i + 1]; ++d) {
      const MbsSignal *signal = &system->blueprint->signals.items[moving->delta[d]];
      int input = place_of(moving->tape, moving->delta[d]);
      const mbs_scalar *by = levels_by_delta(moving, d);
      for (int k = 0; k < system->column_count; ++k) {
        int at = k * system->nq + moving->coordinate[i];
        mbs_scalar change = mbs_input_column(system, moving->tape, signal, input, k);
        X[at] += by[0] * change;
        V[at] += by[1] * change;
        A[at] += by[2] * change;
      }
    }
  }
}

void mbs_system_fixed_transposed(const MbsSystem *system, mbs_scalar t, const MbsStateBar *bar, mbs_scalar *gradient) {
  const MbsMovingGround *moving = &system->moving;
  if (moving->count > 0) {
    evaluate(system, t);
  }
  for (int i = 0; i < moving->count; ++i) {
    int at = moving->coordinate[i];
    for (int k = 0; k < moving->column_start[i + 1] - moving->column_start[i]; ++k) {
      gradient[moving->column[moving->column_start[i] + k]] += bar->q[at] * level_of(moving, i, 0)[1 + k] +
                                                               bar->v[at] * level_of(moving, i, 1)[1 + k] +
                                                               bar->a[at] * level_of(moving, i, 2)[1 + k];
    }
    for (int d = moving->delta_start[i]; d < moving->delta_start[i + 1]; ++d) {
      const MbsSignal *signal = &system->blueprint->signals.items[moving->delta[d]];
      const mbs_scalar *by = levels_by_delta(moving, d);
      mbs_scalar sum = bar->q[at] * by[0] + bar->v[at] * by[1] + bar->a[at] * by[2];
      mbs_input_transposed(system, moving->tape, signal, place_of(moving->tape, moving->delta[d]), sum, NULL,
                           bar->coefficients);
    }
    bar->q[at] = 0;  // its coefficient is not a function of parameters
  }
  for (int i = system->n; i < system->nq; ++i) {
    bar->coefficients[system->fixed.index[i - system->n]] += bar->q[i];
    bar->q[i] = bar->v[i] = bar->a[i] = 0;
  }
}
