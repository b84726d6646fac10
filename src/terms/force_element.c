// A force with numbers: F(y, y', t, c) on ports, where the arguments y are linear forms of q.
//   f -= E_P' F,        c0 f_x + c1 f_v = -E_P' (c0 F_y + c1 F_v) E_A
//   f' = -E_P' (F_y y' + F_v y'' + F_c c') - dE_P' F,      y' = E_A X + dE_A q, and so on.
// A kernel written in C has its ports as arguments; expressions have the points and directions they name.
#include "model/force.h"

#include "terms/elements.h"

// where an input of the tape comes from, and where its derivative goes
typedef struct InputPlace {
  MbsSignal signal;
  int argument;  // of position and velocity signals: among the element's arguments
} InputPlace;

struct MbsForceElement {
  const char *name;
  int port_count, argument_count;
  const int *port_body;
  MbsLinearForm *ports, *arguments;
  MbsBlock block;  // kernel coefficients, then the forms of ports and arguments
  bool has_turn;   // some b of the forms is not structurally zero
  const MbsForceKernel *kernel;
  int coefficient_count;
  // by expressions
  MbsTape *value_tape, *full_tape, *energy_tape;  // F; F and F_input (ports x inputs of value_tape); energy and power
  InputPlace *inputs;                             // of value_tape
  mbs_scalar *input_values, *outputs;
  // workspace
  mbs_scalar *y, *v;          // arguments
  mbs_scalar *F, *F_y, *F_v;  // ports; ports x arguments
  mbs_scalar *F_c;            // ports x coefficients, or ports x inputs of the tape
  const int *map;             // per port term and argument term: dimension x dimension positions
};

const char *mbs_force_element_name(const MbsForceElement *force) { return force->name; }

// ---- set-up ----
static MbsStatus make_forms(MbsContext *context, const MbsSystem *system, int count, const MbsForm *specs,
                            MbsNode *nodes, int *used, MbsLinearForm *forms) {
  for (int i = 0; i < count; ++i) {
    int *first;
    MBS_TAKE(context, system->arena, first, specs[i].count);
    forms[i] = (MbsLinearForm){.count = specs[i].count, .first = first, .offset = *used};
    for (int k = 0; k < specs[i].count; ++k) {
      first[k] = system->entity_first[specs[i].terms[k].entity];
      nodes[(*used)++] = specs[i].terms[k].a;
      nodes[(*used)++] = specs[i].terms[k].b;
    }
  }
  return MBS_OK;
}

static int term_count(int count, const MbsForm *forms) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += forms[i].count;
  }
  return sum;
}

// P = F.v + V_y.v: the power of what has no potential
static MbsStatus make_energy(MbsContext *context, MbsSystem *system, const MbsForceSpec *spec, MbsForceElement *force) {
  MbsBlueprint *blueprint = system->blueprint;
  MbsGraph *g = blueprint->graph;
  MbsNode power = mbs_graph_constant(g, 0);
  for (int p = 0; p < spec->port_count; ++p) {
    MbsExpression velocity;
    MBS_TRY(mbs_signal_of_form(context, blueprint, &spec->ports[p], MBS_SIGNAL_VELOCITY, &velocity));
    for (int k = 0; k < system->dimension; ++k) {
      MbsNode part = mbs_graph_multiply(g, spec->expressions[p * system->dimension + k], velocity.node[k]);
      power = mbs_graph_add(g, power, part);
    }
  }
  MbsNode potential = spec->energy == MBS_NODE_NONE ? mbs_graph_constant(g, 0) : spec->energy;
  int input_count;
  const int *inputs;
  MBS_TRY(mbs_graph_inputs_of(context, g, potential, &input_count, &inputs));
  for (int i = 0; i < input_count; ++i) {
    MbsSignal signal = blueprint->signals.items[inputs[i]];
    if (signal.kind == MBS_SIGNAL_POSITION) {
      MbsExpression velocity;
      MbsForm form = blueprint->signal_forms.items[signal.index];
      MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_VELOCITY, &velocity));
      MbsNode slope = mbs_graph_derivative(g, potential, inputs[i]);
      power = mbs_graph_add(g, power, mbs_graph_multiply(g, slope, velocity.node[signal.component]));
    }
  }
  MbsNode outputs[] = {potential, power};
  return mbs_tape_create(context, system->arena, g, 2, outputs, &force->energy_tape);
}

// tapes of the expressions; the forms they use become the arguments
static MbsStatus make_tapes(MbsContext *context, MbsSystem *system, const MbsForceSpec *spec, MbsForceElement *force,
                            MbsForm **argument_forms) {
  MbsBlueprint *blueprint = system->blueprint;
  int outputs = spec->port_count * system->dimension;
  MBS_TRY(mbs_graph_status(context, blueprint->graph));
  MBS_TRY(mbs_tape_create(context, system->arena, blueprint->graph, outputs, spec->expressions, &force->value_tape));
  int inputs = force->value_tape->input_count;
  MbsNode *nodes;
  int *form_of_argument;
  MBS_TAKE(context, system->arena, nodes, outputs * (1 + inputs));
  MBS_TAKE(context, system->arena, force->inputs, inputs);
  MBS_TAKE(context, system->arena, form_of_argument, inputs);
  MBS_TAKE(context, system->arena, *argument_forms, inputs);
  for (int s = 0; s < inputs; ++s) {
    InputPlace *place = &force->inputs[s];
    place->signal = blueprint->signals.items[force->value_tape->inputs[s]];
    if (place->signal.kind == MBS_SIGNAL_POSITION || place->signal.kind == MBS_SIGNAL_VELOCITY) {
      int a = 0;
      while (a < force->argument_count && form_of_argument[a] != place->signal.index) {
        ++a;
      }
      if (a == force->argument_count) {
        form_of_argument[a] = place->signal.index;
        (*argument_forms)[a] = blueprint->signal_forms.items[place->signal.index];
        force->argument_count += 1;
      }
      place->argument = a;
    }
  }
  for (int i = 0; i < outputs; ++i) {
    nodes[i] = spec->expressions[i];
    for (int s = 0; s < inputs; ++s) {
      bool is_number =
          force->inputs[s].signal.kind == MBS_SIGNAL_TIME || force->inputs[s].signal.kind == MBS_SIGNAL_TURN;
      nodes[outputs + i * inputs + s] =
          is_number ? mbs_graph_constant(blueprint->graph, 0)
                    : mbs_graph_derivative(blueprint->graph, spec->expressions[i], force->value_tape->inputs[s]);
    }
  }
  MBS_TRY(mbs_graph_status(context, blueprint->graph));
  MBS_TRY(mbs_tape_create(context, system->arena, blueprint->graph, outputs * (1 + inputs), nodes, &force->full_tape));
  MBS_TAKE(context, system->arena, force->outputs, outputs * (1 + inputs));
  return make_energy(context, system, spec, force);
}

MbsStatus mbs_force_element_create(MbsContext *context, MbsSystem *system, const MbsForceSpec *spec,
                                   MbsForceElement **result) {
  MbsForceElement *force;
  MBS_TAKE(context, system->arena, force, 1);
  force->name = spec->name;
  force->kernel = spec->kernel;
  force->port_count = spec->port_count;
  force->port_body = spec->port_body;
  force->coefficient_count = spec->coefficient_count;
  MbsForm *argument_forms = NULL;
  if (!spec->kernel) {
    MBS_TRY(make_tapes(context, system, spec, force, &argument_forms));
  }
  int d = system->dimension;
  int size = spec->coefficient_count +
             2 * (term_count(spec->port_count, spec->ports) + term_count(force->argument_count, argument_forms));
  MbsNode *nodes;
  MBS_TAKE(context, system->arena, nodes, size);
  int used = 0;
  for (; used < spec->coefficient_count; ++used) {
    nodes[used] = spec->coefficients[used];
  }
  MBS_TAKE(context, system->arena, force->ports, spec->port_count);
  MBS_TRY(make_forms(context, system, spec->port_count, spec->ports, nodes, &used, force->ports));
  if (spec->kernel) {
    force->argument_count = spec->port_count;
    force->arguments = force->ports;
  } else {
    MBS_TAKE(context, system->arena, force->arguments, force->argument_count);
    MBS_TRY(make_forms(context, system, force->argument_count, argument_forms, nodes, &used, force->arguments));
  }
  int ports = d * force->port_count, arguments = d * force->argument_count;
  int inner = spec->kernel ? spec->coefficient_count : force->value_tape->input_count;
  MBS_TAKE(context, system->arena, force->y, arguments);
  MBS_TAKE(context, system->arena, force->v, arguments);
  MBS_TAKE(context, system->arena, force->F, ports);
  MBS_TAKE(context, system->arena, force->F_y, ports * arguments);
  MBS_TAKE(context, system->arena, force->F_v, ports * arguments);
  MBS_TAKE(context, system->arena, force->F_c, ports * inner);
  int widest = inner;
  if (!spec->kernel && force->energy_tape->input_count > widest) {
    widest = force->energy_tape->input_count;
  }
  MBS_TAKE(context, system->arena, force->input_values, widest);
  for (int i = spec->coefficient_count + 1; i < used; i += 2) {
    force->has_turn |= !mbs_graph_is_constant(system->blueprint->graph, nodes[i], 0);
  }
  *result = force;
  return mbs_coefficients_add_block(context, &system->coefficients, used, nodes, &force->block);
}

// calls `visit` for every entry (r, c) of every pair of a port term and an argument term, in the order of the map
static MbsStatus visit_entries(MbsContext *context, const MbsSystem *system, const MbsForceElement *force, void *user,
                               MbsStatus (*visit)(MbsContext *context, void *user, int row, int column)) {
  int d = system->dimension;
  for (int p = 0; p < force->port_count; ++p) {
    for (int i = 0; i < force->ports[p].count; ++i) {
      for (int a = 0; a < force->argument_count; ++a) {
        for (int j = 0; j < force->arguments[a].count; ++j) {
          for (int k = 0; k < d * d; ++k) {
            int r = force->ports[p].first[i] + k / d;
            int c = force->arguments[a].first[j] + k % d;
            bool is_free = r < system->n && c < system->n;
            MBS_TRY(visit(context, user, is_free ? r : -1, is_free ? c : -1));
          }
        }
      }
    }
  }
  return MBS_OK;
}

static MbsStatus add_entry(MbsContext *context, void *user, int row, int column) {
  return mbs_pattern_add(context, user, row, column);
}

MbsStatus mbs_force_element_add_pattern(MbsContext *context, const MbsSystem *system, const MbsForceElement *force,
                                        MbsPatternBuilder *builder) {
  return visit_entries(context, system, force, builder, add_entry);
}

typedef struct MapWriter {
  const MbsPattern *pattern;
  int *next;
} MapWriter;

static MbsStatus map_entry(MbsContext *context, void *user, int row, int column) {
  MapWriter *writer = user;
  (void)context;
  *writer->next++ = mbs_pattern_position(writer->pattern, row, column);
  return MBS_OK;
}

MbsStatus mbs_force_element_map(MbsContext *context, const MbsSystem *system, MbsForceElement *force) {
  int port_terms = 0, argument_terms = 0;
  for (int p = 0; p < force->port_count; ++p) {
    port_terms += force->ports[p].count;
  }
  for (int a = 0; a < force->argument_count; ++a) {
    argument_terms += force->arguments[a].count;
  }
  int *map;
  MBS_TAKE(context, system->arena, map, port_terms * argument_terms * system->dimension * system->dimension);
  force->map = map;
  MapWriter writer = {.pattern = &system->mode.pattern, .next = map};
  return visit_entries(context, system, force, &writer, map_entry);
}

// ---- evaluation ----
static void set_inputs(const MbsSystem *system, const MbsForceElement *force, const MbsState *state) {
  for (int s = 0; s < force->value_tape->input_count; ++s) {
    const InputPlace *place = &force->inputs[s];
    int at = place->argument * system->dimension + place->signal.component;
    switch (place->signal.kind) {
      case MBS_SIGNAL_PARAMETER: force->input_values[s] = system->parameters[place->signal.index]; break;
      case MBS_SIGNAL_TIME: force->input_values[s] = state->t; break;
      case MBS_SIGNAL_POSITION: force->input_values[s] = force->y[at]; break;
      case MBS_SIGNAL_VELOCITY: force->input_values[s] = force->v[at]; break;
      default: force->input_values[s] = system->signals.turns[place->signal.index]; break;
    }
  }
}

static MbsForceInput gather(const MbsSystem *system, const MbsForceElement *force, const MbsState *state) {
  int d = system->dimension;
  for (int i = 0; i < force->argument_count * d; ++i) {
    force->y[i] = force->v[i] = 0;
  }
  for (int a = 0; a < force->argument_count; ++a) {
    mbs_form_add(&force->arguments[a], force->block.value, d, force->has_turn, state->q, force->y + a * d);
    mbs_form_add(&force->arguments[a], force->block.value, d, force->has_turn, state->v, force->v + a * d);
  }
  return (MbsForceInput){.dimension = d, .y = force->y, .v = force->v, .c = force->block.value};
}

static void evaluate(const MbsSystem *system, const MbsForceElement *force, const MbsState *state) {
  MbsForceInput in = gather(system, force, state);
  if (force->kernel) {
    force->kernel->force(&in, force->F);
  } else {
    set_inputs(system, force, state);
    mbs_tape_evaluate(force->value_tape, force->input_values, force->F);
  }
}

// F, F_y, F_v, and F_c (kernel: coefficients; tape: all inputs)
static void evaluate_derivatives(const MbsSystem *system, const MbsForceElement *force, const MbsState *state) {
  MbsForceInput in = gather(system, force, state);
  if (force->kernel) {
    force->kernel->derivatives(&in, force->F, force->F_y, force->F_v, force->F_c);
    return;
  }
  int d = system->dimension;
  int ports = force->port_count * d, arguments = force->argument_count * d, inputs = force->value_tape->input_count;
  set_inputs(system, force, state);
  mbs_tape_evaluate(force->full_tape, force->input_values, force->outputs);
  for (int i = 0; i < ports * arguments; ++i) {
    force->F_y[i] = force->F_v[i] = 0;
  }
  for (int i = 0; i < ports; ++i) {
    force->F[i] = force->outputs[i];
    for (int s = 0; s < inputs; ++s) {
      const InputPlace *place = &force->inputs[s];
      mbs_scalar slope = force->outputs[ports + i * inputs + s];
      int at = i * arguments + place->argument * d + place->signal.component;
      force->F_c[i * inputs + s] = place->signal.kind == MBS_SIGNAL_PARAMETER ? slope : 0;
      if (place->signal.kind == MBS_SIGNAL_POSITION) {
        force->F_y[at] += slope;
      } else if (place->signal.kind == MBS_SIGNAL_VELOCITY) {
        force->F_v[at] += slope;
      }
    }
  }
}

void mbs_force_element_residual(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                mbs_scalar *f, double *scale) {
  int d = system->dimension;
  evaluate(system, force, state);
  for (int p = 0; p < force->port_count; ++p) {
    mbs_form_add_transposed(&force->ports[p], force->block.value, d, force->has_turn, -1, force->F + p * d, f);
    for (int k = 0; k < d && scale; ++k) {
      mbs_raise(scale, force->F[p * d + k]);
    }
  }
}

void mbs_force_element_body_residual(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                     int body, mbs_scalar *f) {
  evaluate(system, force, state);
  for (int p = 0; p < force->port_count; ++p) {
    if (force->port_body[p] == body) {
      mbs_form_add_transposed(&force->ports[p], force->block.value, system->dimension, force->has_turn, -1,
                              force->F + p * system->dimension, f);
    }
  }
}

// values -= T_i' G T_j for the block of one port term (a, b) and one argument term (a', b')
static const int *scatter_block(int d, const mbs_scalar *port_ab, const mbs_scalar *argument_ab, const mbs_scalar *G,
                                int stride, const int *map, mbs_scalar *values) {
  if (d == 2) {
    mbs_scalar a = port_ab[0], b = port_ab[1], aa = argument_ab[0], bb = argument_ab[1];
    mbs_scalar left[2][2];  // (a I + b J)' G
    for (int k = 0; k < 2; ++k) {
      left[0][k] = a * G[k] + b * G[stride + k];
      left[1][k] = a * G[stride + k] - b * G[k];
    }
    for (int r = 0; r < 2; ++r) {
      values[*map++] -= left[r][0] * aa + left[r][1] * bb;
      values[*map++] -= left[r][1] * aa - left[r][0] * bb;
    }
  } else {
    for (int r = 0; r < d; ++r) {
      for (int k = 0; k < d; ++k) {
        values[*map++] -= port_ab[0] * G[r * stride + k] * argument_ab[0];
      }
    }
  }
  return map;
}

void mbs_force_element_tangent(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                               const MbsCombination *c, mbs_scalar *values) {
  int d = system->dimension;
  int arguments = force->argument_count * d;
  evaluate_derivatives(system, force, state);
  mbs_scalar *G = force->F_y;  // c0 F_y + c1 F_v
  for (int i = 0; i < force->port_count * d * arguments; ++i) {
    G[i] = c->c0 * force->F_y[i] + c->c1 * force->F_v[i];
  }
  const int *map = force->map;
  const mbs_scalar *coefficients = force->block.value;
  for (int p = 0; p < force->port_count; ++p) {
    for (int i = 0; i < force->ports[p].count; ++i) {
      const mbs_scalar *port_ab = coefficients + force->ports[p].offset + 2 * i;
      for (int a = 0; a < force->argument_count; ++a) {
        for (int j = 0; j < force->arguments[a].count; ++j) {
          map = scatter_block(d, port_ab, coefficients + force->arguments[a].offset + 2 * j,
                              G + p * d * arguments + a * d, arguments, map, values);
        }
      }
    }
  }
}

void mbs_force_element_derivative(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                  int count, const MbsDirectionColumn *directions, mbs_scalar *R, int stride) {
  int d = system->dimension;
  int arguments = force->argument_count * d;
  int inner = force->kernel ? force->coefficient_count : force->value_tape->input_count;
  evaluate_derivatives(system, force, state);
  for (int k = 0; k < count; ++k) {
    const MbsDirectionColumn *direction = &directions[k];
    const mbs_scalar *slope = direction->column < 0 ? NULL : mbs_block_slope(&force->block, direction->column);
    mbs_scalar *f = R + k * stride;
    // y' and v' in the workspace of y and v
    for (int i = 0; i < arguments; ++i) {
      force->y[i] = force->v[i] = 0;
    }
    for (int a = 0; a < force->argument_count; ++a) {
      const MbsLinearForm *form = &force->arguments[a];
      mbs_form_add(form, force->block.value, d, force->has_turn, direction->X, force->y + a * d);
      mbs_form_add(form, force->block.value, d, force->has_turn, direction->V, force->v + a * d);
      if (slope) {
        mbs_form_add(form, slope, d, force->has_turn, state->q, force->y + a * d);
        mbs_form_add(form, slope, d, force->has_turn, state->v, force->v + a * d);
      }
    }
    for (int p = 0; p < force->port_count; ++p) {
      mbs_scalar change[3] = {0};
      for (int r = 0; r < d; ++r) {
        int row = p * d + r;
        for (int j = 0; j < arguments; ++j) {
          change[r] += force->F_y[row * arguments + j] * force->y[j] + force->F_v[row * arguments + j] * force->v[j];
        }
        for (int j = 0; j < inner && direction->column >= 0; ++j) {
          if (force->kernel) {
            change[r] += slope ? force->F_c[row * inner + j] * slope[j] : 0;
          } else if (force->inputs[j].signal.kind == MBS_SIGNAL_PARAMETER &&
                     system->column_of_parameter[force->inputs[j].signal.index] == direction->column) {
            change[r] += force->F_c[row * inner + j];
          }
        }
      }
      mbs_form_add_transposed(&force->ports[p], force->block.value, d, force->has_turn, -1, change, f);
      if (slope) {
        mbs_form_add_transposed(&force->ports[p], slope, d, force->has_turn, -1, force->F + p * d, f);
      }
    }
  }
}

void mbs_force_element_energy(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                              mbs_scalar *potential, mbs_scalar *power) {
  MbsForceInput in = gather(system, force, state);
  if (force->kernel) {
    force->kernel->energy(&in, potential, power);
    return;
  }
  mbs_scalar outputs[2];
  mbs_signal_bank_inputs(system, state, force->energy_tape, NULL, force->input_values);
  mbs_tape_evaluate(force->energy_tape, force->input_values, outputs);
  *potential = outputs[0];
  *power = outputs[1];
}

bool mbs_force_element_is_finite(const MbsSystem *system, const MbsForceElement *force, const MbsState *state) {
  evaluate(system, force, state);
  for (int i = 0; i < force->port_count * system->dimension; ++i) {
    if (!mbs_is_finite(force->F[i])) {
      return false;
    }
  }
  return true;
}
