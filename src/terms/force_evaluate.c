// A force with numbers: F(y, y', t, c) on ports, where the arguments y are linear forms of q.
//   f -= E_P' F,        c0 f_x + c1 f_v = -E_P' (c0 F_y + c1 F_v) E_A
//   f' = -E_P' (F_y y' + F_v y'' + F_c c') - dE_P' F,      y' = E_A X + dE_A q, and so on.
// A kernel written in C has its ports as arguments; expressions have the points and directions they name.
#include <string.h>

#include "terms/elements.h"

static MbsForceInput gather(const MbsSystem *system, const MbsForceElement *force, const MbsState *state) {
  int d = system->dimension;
  mbs_clear(force->argument_count * d, force->y);
  mbs_clear(force->argument_count * d, force->v);
  for (int a = 0; a < force->argument_count; ++a) {
    mbs_form_add(&force->arguments[a], force->block.value, d, force->has_turn, state->q, force->y + a * d);
    mbs_form_add(&force->arguments[a], force->block.value, d, force->has_turn, state->v, force->v + a * d);
  }
  return (MbsForceInput){.dimension = d, .y = force->y, .v = force->v, .c = force->block.value};
}

// are `count` numbers those at `known`, bit by bit? then they are
static bool keep(int count, const mbs_scalar *numbers, mbs_scalar *known) {
  size_t bytes = sizeof *numbers * (size_t)count;
  bool is_same = memcmp(numbers, known, bytes) == 0;
  memcpy(known, numbers, bytes);
  return is_same;
}

// Of a law by expressions, whose inputs are in hand: is F (are its slopes) known for just these? What holds between
// events, as a control of constant pieces, is evaluated once. Numbers of tables are no inputs: they are as old as the
// parameters. A program's function is called each time, and where a table was left that is found each time.
static bool is_law_known(const MbsSystem *system, const MbsForceElement *force, bool with_slopes) {
  MbsForceMemory *memory = force->memory;
  bool is_same = keep(force->value_tape->input_count, force->input_values, force->known);
  is_same = is_same && memory->epoch == system->work->epoch && (with_slopes || force->value_tape->external_count == 0);
  bool is_known = is_same && (with_slopes ? memory->has_slopes : memory->has_value);
  memory->epoch = system->work->epoch;
  memory->has_slopes = with_slopes || (is_same && memory->has_slopes);
  memory->has_value = true;
  return is_known;
}

static void forget_undefined(const MbsSystem *system, const MbsForceElement *force) {
  for (int i = 0; i < force->port_count * system->dimension; ++i) {
    if (!mbs_is_finite(force->slopes.F[i])) {
      *force->memory = (MbsForceMemory){0};
    }
  }
}

static void evaluate(const MbsSystem *system, const MbsForceElement *force, const MbsState *state) {
  MbsForceInput in = gather(system, force, state);
  if (force->kernel) {
    force->memory->has_slopes = false;  // F alone is known
    force->kernel->force(&in, force->slopes.F);
    return;
  }
  mbs_input_values(system, state, force->value_tape->input_count, force->inputs, force->y, force->v, NULL,
                   force->input_values);
  if (!is_law_known(system, force, false)) {
    mbs_tape_evaluate(force->value_tape, force->input_values, force->slopes.F);
    forget_undefined(system, force);
  }
}

void mbs_force_element_put_row(const MbsSystem *system, const MbsForceElement *force, int i, const mbs_scalar *by_input,
                               const MbsForceSlopes *slopes) {
  int d = system->dimension, arguments = force->argument_count * d, inputs = force->value_tape->input_count;
  mbs_clear(arguments, slopes->F_y + i * arguments);
  mbs_clear(arguments, slopes->F_v + i * arguments);
  for (int s = 0; s < inputs; ++s) {
    const MbsInputPlace *place = &force->inputs[s];
    int at = i * arguments + place->argument * d + place->signal.component;
    bool is_coefficient = place->signal.kind == MBS_SIGNAL_PARAMETER || place->signal.kind == MBS_SIGNAL_TABLE;
    slopes->F_c[i * inputs + s] = is_coefficient ? by_input[s] : 0;
    if (place->signal.kind == MBS_SIGNAL_POSITION) {
      slopes->F_y[at] += by_input[s];
    } else if (place->signal.kind == MBS_SIGNAL_VELOCITY) {
      slopes->F_v[at] += by_input[s];
    }
  }
}

// The matrix and the products with columns or with the transpose are wanted at one state, one after the other: what the
// slopes are functions of tells whether they are there already.
void mbs_force_element_evaluate(const MbsSystem *system, const MbsForceElement *force, const MbsState *state) {
  MbsForceInput in = gather(system, force, state);
  const MbsForceSlopes *slopes = &force->slopes;
  if (force->kernel) {
    bool was_known = force->memory->has_slopes;
    force->memory->has_slopes = true;
    int arguments = force->argument_count * system->dimension;
    bool has_y = keep(arguments, in.y, force->known), has_v = keep(arguments, in.v, force->known + arguments);
    bool has_c = keep(force->coefficient_count, in.c, force->known + 2 * arguments);
    if (!(was_known && has_y && has_v && has_c)) {
      force->kernel->derivatives(&in, slopes->F, slopes->F_y, slopes->F_v, slopes->F_c);
    }
    return;
  }
  int ports = force->port_count * system->dimension, inputs = force->value_tape->input_count;
  mbs_input_values(system, state, inputs, force->inputs, force->y, force->v, NULL, force->input_values);
  if (is_law_known(system, force, true)) {
    return;
  }
  mbs_tape_evaluate(force->full_tape, force->input_values, force->outputs);
  for (int i = 0; i < ports; ++i) {
    slopes->F[i] = force->outputs[i];
    mbs_force_element_put_row(system, force, i, force->outputs + ports + i * inputs, slopes);
  }
  forget_undefined(system, force);
}

void mbs_force_element_residual(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                mbs_scalar *f, double *scale) {
  int d = system->dimension;
  evaluate(system, force, state);
  for (int p = 0; p < force->port_count; ++p) {
    mbs_form_add_transposed(&force->ports[p], force->block.value, d, force->has_turn, -1, force->slopes.F + p * d, f);
    for (int k = 0; k < d && scale; ++k) {
      mbs_raise(scale, force->slopes.F[p * d + k]);
    }
  }
}

// |F_y| |y| + |F_v| |v|, of the terms that y and v add up
double mbs_force_element_cancelling(const MbsSystem *system, const MbsForceElement *force, const MbsState *state) {
  int d = system->dimension, arguments = force->argument_count * d;
  const MbsForceSlopes *slopes = &force->slopes;
  double largest = 0;
  mbs_force_element_evaluate(system, force, state);
  for (int i = 0; i < force->port_count * d; ++i) {
    double sum = 0;
    for (int a = 0; a < force->argument_count; ++a) {
      double of_y = 0, of_v = 0;
      for (int k = 0; k < d; ++k) {
        of_y += mbs_re(mbs_abs(slopes->F_y[i * arguments + a * d + k]));
        of_v += mbs_re(mbs_abs(slopes->F_v[i * arguments + a * d + k]));
      }
      sum += of_y * mbs_form_size(&force->arguments[a], force->block.value, d, state->q) +
             of_v * mbs_form_size(&force->arguments[a], force->block.value, d, state->v);
    }
    largest = sum > largest ? sum : largest;
  }
  return largest;
}

void mbs_force_element_tangent(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                               const MbsCombination *c, mbs_scalar *values) {
  int d = system->dimension;
  int arguments = force->argument_count * d;
  if (arguments == 0) {  // a law of time alone
    return;
  }
  mbs_force_element_evaluate(system, force, state);
  mbs_scalar *G = force->G;  // -(c0 F_y + c1 F_v)
  for (int i = 0; i < force->port_count * d * arguments; ++i) {
    G[i] = -(c->c0 * force->slopes.F_y[i] + c->c1 * force->slopes.F_v[i]);
  }
  const int *map = force->map;
  const mbs_scalar *coefficients = force->block.value;
  for (int p = 0; p < force->port_count; ++p) {
    for (int i = 0; i < force->ports[p].count; ++i) {
      const mbs_scalar *port_ab = coefficients + force->ports[p].offset + 2 * i;
      for (int a = 0; a < force->argument_count; ++a) {
        for (int j = 0; j < force->arguments[a].count; ++j) {
          map = mbs_scatter_block(d, port_ab, coefficients + force->arguments[a].offset + 2 * j,
                                  G + p * d * arguments + a * d, arguments, map, values);
        }
      }
    }
  }
}

// ---- products with columns, by blocks ----
// Column w of a block of `width`: the changes of forms along it, those of their coefficients on x, in y of each
// argument and component a block.
static void take_column(const MbsSystem *system, const MbsForceElement *force, const mbs_scalar *along,
                        const mbs_scalar *slope, const mbs_scalar *x, int width, int w, mbs_scalar *y) {
  int d = system->dimension;
  for (int a = 0; a < force->argument_count; ++a) {
    const MbsLinearForm *form = &force->arguments[a];
    mbs_scalar own[3] = {0};
    if (along) {
      mbs_form_add(form, force->block.value, d, force->has_turn, along, own);
    }
    if (slope) {
      mbs_form_add(form, slope, d, force->has_turn, x, own);
    }
    for (int k = 0; k < d; ++k) {
      y[(a * d + k) * width + w] = own[k];
    }
  }
}

// change += F_y y of a block
MBS_KERNEL void add_block(int count, const mbs_scalar *F_y, const mbs_scalar *y, mbs_scalar *change, int width) {
  for (int j = 0; j < count; ++j) {
    for (int w = 0; w < width; ++w) {
      change[w] += F_y[j] * y[j * width + w];
    }
  }
}

// what column w's parameter does to F by itself
static mbs_scalar own_change(const MbsSystem *system, const MbsForceElement *force, const mbs_scalar *F_c,
                             const mbs_scalar *slope, int column) {
  mbs_scalar sum = 0;
  if (force->kernel) {
    return slope ? mbs_dot(force->coefficient_count, F_c, slope) : 0;
  }
  for (int k = 0; k < force->changing_count; ++k) {
    int input = force->changing[k];
    mbs_scalar change = mbs_input_column(system, force->full_tape, &force->inputs[input].signal, input, column);
    if (!mbs_is_zero(change)) {  // or the slope may be infinite
      sum += F_c[input] * change;
    }
  }
  return sum;
}

MBS_KERNEL void block_columns(const MbsSystem *system, const MbsForceElement *force, const MbsForceSlopes *slopes,
                              const MbsState *state, int count, const MbsDirectionColumn *directions, mbs_scalar *R,
                              int stride, int width) {
  int d = system->dimension, arguments = force->argument_count * d;
  int inner = force->kernel ? force->coefficient_count : force->value_tape->input_count;
  const mbs_scalar *slope[MBS_FORCE_BLOCK] = {0};
  for (int w = 0; w < count; ++w) {
    const MbsDirectionColumn *direction = &directions[w];
    slope[w] = direction->column < 0 ? NULL : mbs_block_slope(&force->block, direction->column);
    take_column(system, force, direction->X, slope[w], state->q, width, w, force->y);
    take_column(system, force, direction->V, slope[w], state->v, width, w, force->v);
    if (slopes->z) {
      take_column(system, force, NULL, slope[w], slopes->u, width, w, slopes->z);
    }
  }
  for (int p = 0; p < force->port_count; ++p) {
    mbs_scalar change[3][MBS_FORCE_BLOCK] = {{0}};
    for (int r = 0; r < d; ++r) {
      int row = (p * d + r) * arguments;
      add_block(arguments, slopes->F_y + row, force->y, change[r], width);
      add_block(arguments, slopes->F_v + row, force->v, change[r], width);
      if (slopes->z) {
        add_block(arguments, slopes->F_z + row, slopes->z, change[r], width);
      }
    }
    for (int w = 0; w < count; ++w) {
      mbs_scalar own[3], *f = R + w * stride;
      for (int r = 0; r < d; ++r) {
        const mbs_scalar *F_c = slopes->F_c + (p * d + r) * inner;
        own[r] = change[r][w] + own_change(system, force, F_c, slope[w], directions[w].column);
      }
      mbs_form_add_transposed(&force->ports[p], force->block.value, d, force->has_turn, -1, own, f);
      if (slope[w]) {
        mbs_form_add_transposed(&force->ports[p], slope[w], d, force->has_turn, -1, slopes->F + p * d, f);
      }
    }
  }
}

void mbs_force_slopes_columns(const MbsSystem *system, const MbsForceElement *force, const MbsForceSlopes *slopes,
                              const MbsState *state, int count, const MbsDirectionColumn *directions, mbs_scalar *R,
                              int stride) {
  int k = 0;
  for (; k + 1 < count; k += MBS_FORCE_BLOCK) {
    int left = count - k;
    block_columns(system, force, slopes, state, left < MBS_FORCE_BLOCK ? left : MBS_FORCE_BLOCK, directions + k,
                  R + k * stride, stride, MBS_FORCE_BLOCK);
  }
  if (k < count) {
    block_columns(system, force, slopes, state, 1, directions + k, R + k * stride, stride, 1);
  }
}

void mbs_force_element_derivative(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                  int count, const MbsDirectionColumn *directions, mbs_scalar *R, int stride) {
  mbs_force_element_evaluate(system, force, state);
  mbs_force_slopes_columns(system, force, &force->slopes, state, count, directions, R, stride);
}

// P = F.v + V': the power of what has no potential
void mbs_force_element_energy(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                              mbs_scalar *potential, mbs_scalar *power) {
  if (force->kernel) {
    MbsForceInput in = gather(system, force, state);
    force->kernel->energy(&in, potential, power);
    return;
  }
  int d = system->dimension;
  mbs_scalar outputs[2] = {0};  // V, V'
  evaluate(system, force, state);
  if (force->energy_tape) {
    mbs_signal_bank_inputs(system, state, force->energy_tape, NULL, force->input_values);
    mbs_tape_evaluate(force->energy_tape, force->input_values, outputs);
  }
  *potential = outputs[0];
  *power = outputs[1];
  for (int p = 0; p < force->port_count; ++p) {
    mbs_scalar v[3] = {0};
    mbs_form_add(&force->ports[p], force->block.value, d, force->has_turn, state->v, v);
    *power += mbs_dot(d, force->slopes.F + p * d, v);
  }
}

void mbs_force_element_value(const MbsSystem *system, const MbsForceElement *force, const MbsState *state, double *F) {
  evaluate(system, force, state);
  for (int i = 0; i < force->port_count * system->dimension; ++i) {
    F[i] = mbs_re(force->slopes.F[i]);
  }
}

bool mbs_force_element_is_finite(const MbsSystem *system, const MbsForceElement *force, const MbsState *state) {
  int ports = force->port_count * system->dimension, arguments = force->argument_count * system->dimension;
  mbs_force_element_evaluate(system, force, state);
  for (int i = 0; i < ports; ++i) {
    if (!mbs_is_finite(force->slopes.F[i])) {
      return false;
    }
  }
  for (int i = 0; i < ports * arguments; ++i) {
    if (!mbs_is_finite(force->slopes.F_y[i]) || !mbs_is_finite(force->slopes.F_v[i])) {
      return false;
    }
  }
  return true;
}

// S = -(E_P mu).F: F_bar = -E_P mu, then y_bar = F_y' F_bar and so on
void mbs_force_slopes_transposed(const MbsSystem *system, const MbsForceElement *force, const MbsForceSlopes *slopes,
                                 const MbsState *state, const MbsAdjoint *adjoint) {
  int d = system->dimension;
  bool turns = force->has_turn;
  int ports = force->port_count * d, arguments = force->argument_count * d;
  int inner = force->kernel ? force->coefficient_count : force->value_tape->input_count;
  const MbsBlock *block = &force->block;
  mbs_scalar *F_bar = force->F_bar;
  mbs_clear(ports, F_bar);
  for (int p = 0; p < force->port_count; ++p) {
    mbs_form_add(&force->ports[p], block->value, d, turns, adjoint->mu, F_bar + p * d);
    mbs_scalar minus_F[3];
    for (int k = 0; k < d; ++k) {
      F_bar[p * d + k] = -F_bar[p * d + k];
      minus_F[k] = -slopes->F[p * d + k];
    }
    mbs_form_add_coefficient_adjoint(&force->ports[p], block->index, d, minus_F, adjoint->mu, adjoint->coefficients);
  }
  for (int j = 0; j < arguments; ++j) {
    force->y[j] = force->v[j] = 0;
    for (int i = 0; i < ports; ++i) {
      force->y[j] += slopes->F_y[i * arguments + j] * F_bar[i];
      force->v[j] += slopes->F_v[i * arguments + j] * F_bar[i];
    }
  }
  for (int a = 0; a < force->argument_count; ++a) {
    const MbsLinearForm *form = &force->arguments[a];
    mbs_form_add_transposed(form, block->value, d, turns, 1, force->y + a * d, adjoint->q);
    mbs_form_add_transposed(form, block->value, d, turns, 1, force->v + a * d, adjoint->v);
    mbs_form_add_coefficient_adjoint(form, block->index, d, force->y + a * d, state->q, adjoint->coefficients);
    mbs_form_add_coefficient_adjoint(form, block->index, d, force->v + a * d, state->v, adjoint->coefficients);
  }
  for (int a = 0; a < force->argument_count && slopes->z; ++a) {
    mbs_scalar z_bar[3] = {0};
    for (int i = 0; i < ports; ++i) {
      for (int k = 0; k < d; ++k) {
        z_bar[k] += slopes->F_z[i * arguments + a * d + k] * F_bar[i];
      }
    }
    mbs_form_add_coefficient_adjoint(&force->arguments[a], block->index, d, z_bar, slopes->u, adjoint->coefficients);
  }
  for (int j = 0; j < inner; ++j) {
    mbs_scalar sum = 0;
    for (int i = 0; i < ports; ++i) {
      sum += slopes->F_c[i * inner + j] * F_bar[i];
    }
    if (force->kernel) {
      adjoint->coefficients[block->index[j]] += sum;
    } else {
      mbs_input_transposed(system, force->full_tape, &force->inputs[j].signal, j, sum, adjoint->parameters,
                           adjoint->coefficients);
    }
  }
}

void mbs_force_element_transposed(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                  const MbsAdjoint *adjoint) {
  mbs_force_element_evaluate(system, force, state);
  mbs_force_slopes_transposed(system, force, &force->slopes, state, adjoint);
}
