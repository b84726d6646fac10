// A constraint given by an expression Phi(y, t, rho) of linear forms y of q.
//   Phidot  = Phi_y y' + Phi_t,   Phiddot = d/dt Phidot       both as expressions of y, y', y'', t, rho
// With g = Phi_y, gd = Phidot_y, gdd = Phiddot_y, H = Phi_yy (and Phidot_y' = g, Phiddot_y'' = g, Phiddot_y' = 2 gd):
//   f += lambda E' g,   c0 f_x = c0 lambda E' H E
//   c0 e_x + c1 e_v + c2 e_a = E' (g0 g + g1 gd + g2 gdd)                     g0, g1, g2 as in row_evaluate.c
// All of these come from one tape; the graph differentiates.
#include "terms/elements.h"

typedef struct MbsExpressionRow {
  int argument_count;
  MbsLinearForm *arguments;
  bool has_turn;
  MbsTape *tape;
  MbsInputPlace *inputs;
  mbs_scalar *input_values, *outputs;
  int parameter_count;
  const int *parameters;     // named by the expression
  mbs_scalar *y[3];          // arguments at q, v, a
  mbs_scalar *level;         // Phi, Phidot, Phiddot, Phi_t               in the outputs
  mbs_scalar *gradient[3];   // g, gd, gdd: size each                      in the outputs
  mbs_scalar *hessian;       // size x size                                in the outputs
  mbs_scalar *by_parameter;  // Phi_p, Phidot_p, Phiddot_p, then g_p: (3 + size) per parameter, in the outputs
  mbs_scalar *work[4];       // size each
  const int *column_map, *row_map, *hessian_map;
} MbsExpressionRow;

enum { LEVELS = 4 };

static int size_of(const MbsSystem *system, const MbsExpressionRow *x) { return x->argument_count * system->dimension; }

// ---- set-up ----
// graph input of component k of an argument, or -1 where the expression does not use it
static int position_input(const MbsExpressionRow *x, const MbsTape *tape, int argument, int k) {
  for (int s = 0; s < tape->input_count; ++s) {
    const MbsInputPlace *place = &x->inputs[s];
    if (place->signal.kind == MBS_SIGNAL_POSITION && place->argument == argument && place->signal.component == k) {
      return tape->inputs[s];
    }
  }
  return -1;
}

static MbsNode slope(MbsGraph *g, MbsNode node, int input) {
  return input < 0 ? mbs_graph_constant(g, 0) : mbs_graph_derivative(g, node, input);
}

// the partial derivative with respect to time alone
static MbsNode time_slope(const MbsSystem *system, MbsNode node, const MbsTape *tape) {
  for (int s = 0; s < tape->input_count; ++s) {
    if (system->blueprint->signals.items[tape->inputs[s]].kind == MBS_SIGNAL_TIME) {
      return mbs_graph_derivative(system->blueprint->graph, node, tape->inputs[s]);
    }
  }
  return mbs_graph_constant(system->blueprint->graph, 0);
}

static MbsStatus list_parameters(MbsContext *context, MbsSystem *system, const MbsTape *tape, MbsExpressionRow *x) {
  int *parameters;
  MBS_TAKE(context, system->arena, parameters, tape->input_count);
  for (int s = 0; s < tape->input_count; ++s) {
    if (x->inputs[s].signal.kind == MBS_SIGNAL_PARAMETER) {
      parameters[x->parameter_count++] = tape->inputs[s];
    }
  }
  x->parameters = parameters;
  return MBS_OK;
}

// everything the evaluation needs, as outputs of one tape
static MbsStatus make_tape(MbsContext *context, MbsSystem *system, const MbsNode level[3], MbsExpressionRow *x,
                           MbsForm **forms) {
  MbsGraph *g = system->blueprint->graph;
  int d = system->dimension;
  MbsTape *levels;
  MBS_TRY(mbs_graph_status(context, g));
  MBS_TRY(mbs_tape_create(context, system->arena, g, 3, level, &levels));
  MBS_TRY(mbs_input_places(context, system, levels, &x->inputs, &x->argument_count, forms));
  MBS_TRY(list_parameters(context, system, levels, x));
  int size = size_of(system, x);
  int count = LEVELS + 3 * size + size * size + x->parameter_count * (3 + size);
  MbsNode *nodes;
  int *inputs;
  MBS_TAKE(context, system->arena, nodes, count);
  MBS_TAKE(context, system->arena, inputs, size);
  for (int i = 0; i < size; ++i) {
    inputs[i] = position_input(x, levels, i / d, i % d);
  }
  MbsNode *next = nodes;
  for (int k = 0; k < 3; ++k) {
    *next++ = level[k];
  }
  *next++ = time_slope(system, level[0], levels);
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < size; ++i) {
      *next++ = slope(g, level[k], inputs[i]);
    }
  }
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      *next++ = slope(g, slope(g, level[0], inputs[i]), inputs[j]);
    }
  }
  for (int p = 0; p < x->parameter_count; ++p) {
    for (int k = 0; k < 3; ++k) {
      *next++ = slope(g, level[k], x->parameters[p]);
    }
    for (int i = 0; i < size; ++i) {
      *next++ = slope(g, slope(g, level[0], inputs[i]), x->parameters[p]);
    }
  }
  MBS_TRY(mbs_graph_status(context, g));
  // the tape of everything may want its inputs in another order than that of the levels
  int same_count;
  MbsForm *same_forms;
  MBS_TRY(mbs_tape_create(context, system->arena, g, count, nodes, &x->tape));
  MBS_ASSERT(x->tape->input_count == levels->input_count);
  MBS_TRY(mbs_input_places(context, system, x->tape, &x->inputs, &same_count, &same_forms));
  MBS_ASSERT(same_count == x->argument_count);
  MBS_TAKE(context, system->arena, x->outputs, count);
  MBS_TAKE(context, system->arena, x->input_values, x->tape->input_count);
  x->level = x->outputs;
  for (int k = 0; k < 3; ++k) {
    x->gradient[k] = x->outputs + LEVELS + k * size;
    MBS_TAKE(context, system->arena, x->y[k], size);
  }
  for (int k = 0; k < 4; ++k) {
    MBS_TAKE(context, system->arena, x->work[k], size);
  }
  x->hessian = x->outputs + LEVELS + 3 * size;
  x->by_parameter = x->hessian + size * size;
  return MBS_OK;
}

MbsStatus mbs_expression_row_create(MbsContext *context, MbsSystem *system, const MbsRowSpec *spec, MbsRow *row) {
  MbsExpressionRow *x;
  MbsForm *forms;
  MBS_TAKE(context, system->arena, x, 1);
  MbsNode level[3] = {spec->expression};
  MBS_TRY(mbs_signal_rate(context, system->blueprint, level[0], &level[1]));
  MBS_TRY(mbs_signal_rate(context, system->blueprint, level[1], &level[2]));
  MBS_TRY(make_tape(context, system, level, x, &forms));
  MbsNode *nodes;
  MBS_TAKE(context, system->arena, nodes, 2 * mbs_forms_term_count(x->argument_count, forms));
  MBS_TAKE(context, system->arena, x->arguments, x->argument_count);
  int used = 0;
  MBS_TRY(mbs_linear_forms_create(context, system, x->argument_count, forms, nodes, &used, x->arguments));
  for (int i = 1; i < used; i += 2) {
    x->has_turn |= !mbs_graph_is_constant(system->blueprint->graph, nodes[i], 0);
  }
  row->expression = x;
  return mbs_coefficients_add_block(context, &system->coefficients, used, nodes, &row->block);
}

// the entries of the multiplier's column, of its row, and of the hessian, in the order of the maps
static MbsStatus visit_entries(MbsContext *context, const MbsSystem *system, const MbsRow *row, void *user,
                               MbsEntryFunction visit) {
  const MbsExpressionRow *x = row->expression;
  int d = system->dimension, n = system->n, multiplier = n + row->index;
  for (int part = 0; part < 2; ++part) {
    for (int a = 0; a < x->argument_count; ++a) {
      for (int i = 0; i < x->arguments[a].count * d; ++i) {
        int q = x->arguments[a].first[i / d] + i % d;
        q = q < n ? q : -1;
        MBS_TRY(visit(context, user, part == 0 ? q : multiplier, part == 0 ? multiplier : q));
      }
    }
  }
  for (int a = 0; a < x->argument_count; ++a) {
    for (int i = 0; i < x->arguments[a].count; ++i) {
      for (int b = 0; b < x->argument_count; ++b) {
        for (int j = 0; j < x->arguments[b].count; ++j) {
          for (int k = 0; k < d * d; ++k) {
            int r = x->arguments[a].first[i] + k / d, c = x->arguments[b].first[j] + k % d;
            bool is_free = r < n && c < n;
            MBS_TRY(visit(context, user, is_free ? r : -1, is_free ? c : -1));
          }
        }
      }
    }
  }
  return MBS_OK;
}

MbsStatus mbs_expression_row_add_pattern(MbsContext *context, const MbsSystem *system, const MbsRow *row,
                                         MbsPatternBuilder *builder) {
  return visit_entries(context, system, row, builder, mbs_entry_add);
}

MbsStatus mbs_expression_row_map(MbsContext *context, const MbsSystem *system, MbsRow *row) {
  MbsExpressionRow *x = row->expression;
  int d = system->dimension, terms = 0;
  for (int a = 0; a < x->argument_count; ++a) {
    terms += x->arguments[a].count;
  }
  int *map;
  MBS_TAKE(context, system->arena, map, 2 * terms * d + terms * terms * d * d);
  x->column_map = map;
  x->row_map = map + terms * d;
  x->hessian_map = map + 2 * terms * d;
  MbsEntryMap writer = {.pattern = &system->mode.pattern, .next = map};
  return visit_entries(context, system, row, &writer, mbs_entry_map);
}

// ---- evaluation ----
static void evaluate(const MbsSystem *system, const MbsRow *row, const MbsState *state) {
  const MbsExpressionRow *x = row->expression;
  int d = system->dimension;
  const mbs_scalar *at[] = {state->q, state->v, state->a};
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < size_of(system, x); ++i) {
      x->y[k][i] = 0;
    }
    for (int a = 0; a < x->argument_count; ++a) {
      mbs_form_add(&x->arguments[a], row->block.value, d, x->has_turn, at[k], x->y[k] + a * d);
    }
  }
  mbs_input_values(system, state, x->tape->input_count, x->inputs, x->y[0], x->y[1], x->y[2], x->input_values);
  mbs_tape_evaluate(x->tape, x->input_values, x->outputs);
}

// f += scale E' y
static void add_transposed(const MbsSystem *system, const MbsRow *row, const mbs_scalar *coefficients, mbs_scalar scale,
                           const mbs_scalar *y, mbs_scalar *f) {
  const MbsExpressionRow *x = row->expression;
  for (int a = 0; a < x->argument_count; ++a) {
    mbs_form_add_transposed(&x->arguments[a], coefficients, system->dimension, x->has_turn, scale,
                            y + a * system->dimension, f);
  }
}

void mbs_expression_row_levels(const MbsSystem *system, const MbsRow *row, const MbsState *state, mbs_scalar level[3]) {
  evaluate(system, row, state);
  for (int k = 0; k < 3; ++k) {
    level[k] = row->expression->level[k];
  }
}

mbs_scalar mbs_expression_row_power(const MbsSystem *system, const MbsRow *row, const MbsState *state) {
  evaluate(system, row, state);
  return state->lambda[row->index] * row->expression->level[3];
}

void mbs_expression_row_residual(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *w,
                                 mbs_scalar *f, mbs_scalar *e, double scale[2]) {
  const MbsExpressionRow *x = row->expression;
  mbs_scalar lambda = state->lambda[row->index];
  evaluate(system, row, state);
  add_transposed(system, row, row->block.value, lambda, x->gradient[0], f);
  e[row->index] += w->k2 * x->level[2] + w->k1 * x->level[1] + w->k0 * x->level[0] - w->epsilon * lambda;
  for (int i = 0; i < size_of(system, x) && scale; ++i) {
    mbs_raise(&scale[0], lambda * x->gradient[0][i]);
    mbs_raise(&scale[1], w->k2 * x->gradient[0][i] * x->y[2][i]);
    mbs_raise(&scale[1], w->k2 * x->gradient[1][i] * x->y[1][i]);
    mbs_raise(&scale[1], w->k0 * x->gradient[0][i] * x->y[0][i]);
  }
}

static void scatter(const MbsSystem *system, const MbsRow *row, const mbs_scalar *y, const int *map,
                    mbs_scalar *values) {
  const MbsExpressionRow *x = row->expression;
  int d = system->dimension;
  for (int a = 0; a < x->argument_count; ++a) {
    const mbs_scalar *ab = row->block.value + x->arguments[a].offset;
    for (int i = 0; i < x->arguments[a].count; ++i) {
      mbs_scalar part[3] = {0};
      mbs_turn_add(d, x->has_turn, ab[2 * i], -ab[2 * i + 1], y + a * d, part);
      for (int k = 0; k < d; ++k) {
        values[*map++] += part[k];
      }
    }
  }
}

void mbs_expression_row_tangent(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *w,
                                const MbsCombination *m, mbs_scalar *values) {
  const MbsExpressionRow *x = row->expression;
  int d = system->dimension, size = size_of(system, x);
  double g0 = m->c0 * w->k0 + m->c1 * w->k1 + m->c2 * w->k2;
  double g1 = m->c0 * w->k1 + 2 * m->c1 * w->k2;
  double g2 = m->c0 * w->k2;
  evaluate(system, row, state);
  values[row->diagonal] -= w->epsilon;
  scatter(system, row, x->gradient[0], x->column_map, values);
  for (int i = 0; i < size; ++i) {
    x->work[0][i] = g0 * x->gradient[0][i] + g1 * x->gradient[1][i] + g2 * x->gradient[2][i];
  }
  scatter(system, row, x->work[0], x->row_map, values);
  mbs_scalar scale = m->c0 * state->lambda[row->index];
  for (int i = 0; i < size * size; ++i) {
    x->hessian[i] *= scale;
  }
  const int *map = x->hessian_map;
  for (int a = 0; a < x->argument_count; ++a) {
    for (int i = 0; i < x->arguments[a].count; ++i) {
      for (int b = 0; b < x->argument_count; ++b) {
        for (int j = 0; j < x->arguments[b].count; ++j) {
          map = mbs_scatter_block(d, row->block.value + x->arguments[a].offset + 2 * i,
                                  row->block.value + x->arguments[b].offset + 2 * j, x->hessian + a * d * size + b * d,
                                  size, map, values);
        }
      }
    }
  }
}

// one direction, after evaluating at the state
static void add_direction(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *w,
                          const MbsDirectionColumn *direction, mbs_scalar *f, mbs_scalar *e) {
  const MbsExpressionRow *x = row->expression;
  int d = system->dimension, size = size_of(system, x);
  const mbs_scalar *slopes = direction->column < 0 ? NULL : mbs_block_slope(&row->block, direction->column);
  const mbs_scalar *directions[] = {direction->X, direction->V, direction->A}, *at[] = {state->q, state->v, state->a};
  mbs_scalar lambda = state->lambda[row->index], dlambda = direction->L ? direction->L[row->index] : 0;
  // y', y'', y''' of the arguments in work 0, 1, 2
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < size; ++i) {
      x->work[k][i] = 0;
    }
    for (int a = 0; a < x->argument_count; ++a) {
      if (directions[k]) {
        mbs_form_add(&x->arguments[a], row->block.value, d, x->has_turn, directions[k], x->work[k] + a * d);
      }
      if (slopes) {
        mbs_form_add(&x->arguments[a], slopes, d, x->has_turn, at[k], x->work[k] + a * d);
      }
    }
  }
  mbs_scalar level[3] = {0};
  mbs_scalar *onto = x->work[3];
  for (int i = 0; i < size; ++i) {
    const mbs_scalar y = x->work[0][i], yd = x->work[1][i], ydd = x->work[2][i];
    level[0] += x->gradient[0][i] * y;
    level[1] += x->gradient[1][i] * y + x->gradient[0][i] * yd;
    level[2] += x->gradient[2][i] * y + 2 * x->gradient[1][i] * yd + x->gradient[0][i] * ydd;
    onto[i] = dlambda * x->gradient[0][i];
    for (int j = 0; j < size; ++j) {
      onto[i] += lambda * x->hessian[i * size + j] * x->work[0][j];
    }
  }
  for (int p = 0; p < x->parameter_count; ++p) {
    if (direction->column < 0 || system->column_of_parameter[x->parameters[p]] != direction->column) {
      continue;
    }
    const mbs_scalar *by = x->by_parameter + p * (3 + size);
    for (int k = 0; k < 3; ++k) {
      level[k] += by[k];
    }
    for (int i = 0; i < size; ++i) {
      onto[i] += lambda * by[3 + i];
    }
  }
  add_transposed(system, row, row->block.value, 1, onto, f);
  if (slopes) {
    add_transposed(system, row, slopes, lambda, x->gradient[0], f);
  }
  e[row->index] += w->k2 * level[2] + w->k1 * level[1] + w->k0 * level[0] - w->epsilon * dlambda;
}

void mbs_expression_row_derivative(const MbsSystem *system, const MbsRow *row, const MbsState *state,
                                   const MbsWeights *weights, int count, const MbsDirectionColumn *directions,
                                   mbs_scalar *R, int stride) {
  evaluate(system, row, state);
  for (int k = 0; k < count; ++k) {
    mbs_scalar *f = R + k * stride;
    add_direction(system, row, state, weights, &directions[k], f, f + system->nq);
  }
}

// S = lambda g.z + nu e with z = E mu
void mbs_expression_row_transposed(const MbsSystem *system, const MbsRow *row, const MbsState *state,
                                   const MbsWeights *w, const MbsAdjoint *adjoint) {
  const MbsExpressionRow *x = row->expression;
  int d = system->dimension, size = size_of(system, x);
  mbs_scalar lambda = state->lambda[row->index], nu = adjoint->nu[row->index];
  evaluate(system, row, state);
  mbs_scalar *z = x->work[3];
  for (int i = 0; i < size; ++i) {
    z[i] = 0;
  }
  for (int a = 0; a < x->argument_count; ++a) {
    mbs_form_add(&x->arguments[a], row->block.value, d, x->has_turn, adjoint->mu, z + a * d);
  }
  adjoint->lambda[row->index] -= w->epsilon * nu;
  for (int i = 0; i < size; ++i) {
    const mbs_scalar g = x->gradient[0][i], gd = x->gradient[1][i], gdd = x->gradient[2][i];
    adjoint->lambda[row->index] += g * z[i];
    x->work[0][i] = nu * (w->k0 * g + w->k1 * gd + w->k2 * gdd);
    x->work[1][i] = nu * (w->k1 * g + 2 * w->k2 * gd);
    x->work[2][i] = nu * w->k2 * g;
    for (int j = 0; j < size; ++j) {
      x->work[0][i] += lambda * x->hessian[i * size + j] * z[j];
    }
  }
  for (int p = 0; p < x->parameter_count; ++p) {
    const mbs_scalar *by = x->by_parameter + p * (3 + size);
    mbs_scalar sum = nu * (w->k0 * by[0] + w->k1 * by[1] + w->k2 * by[2]);
    for (int i = 0; i < size; ++i) {
      sum += lambda * by[3 + i] * z[i];
    }
    adjoint->parameters[x->parameters[p]] += sum;
  }
  mbs_scalar *to[] = {adjoint->q, adjoint->v, adjoint->a};
  const mbs_scalar *at[] = {state->q, state->v, state->a};
  for (int a = 0; a < x->argument_count; ++a) {
    const MbsLinearForm *form = &x->arguments[a];
    mbs_scalar on_mu[3] = {0};
    for (int k = 0; k < 3; ++k) {
      mbs_form_add_transposed(form, row->block.value, d, x->has_turn, 1, x->work[k] + a * d, to[k]);
      mbs_form_add_coefficient_adjoint(form, row->block.index, d, x->work[k] + a * d, at[k], adjoint->coefficients);
    }
    for (int k = 0; k < d; ++k) {
      on_mu[k] = lambda * x->gradient[0][a * d + k];
    }
    mbs_form_add_coefficient_adjoint(form, row->block.index, d, on_mu, adjoint->mu, adjoint->coefficients);
  }
}
