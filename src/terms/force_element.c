// Forces, set up: forms, tapes, coefficients, sparsity. Their mathematics is in force_evaluate.c.
#include "terms/elements.h"

const char *mbs_force_element_name(const MbsForceElement *force) { return force->name; }

// V and V' = V_y.v + V_t
static MbsStatus make_energy(MbsContext *context, MbsSystem *system, const MbsForceSpec *spec, MbsForceElement *force) {
  MbsBlueprint *blueprint = system->blueprint;
  MbsGraph *g = blueprint->graph;
  MbsNode potential = spec->energy, rate = mbs_graph_constant(g, 0);
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
      rate = mbs_graph_add(g, rate, mbs_graph_multiply(g, slope, velocity.node[signal.component]));
    } else if (signal.kind == MBS_SIGNAL_TIME) {  // what moves its end does work on it
      rate = mbs_graph_add(g, rate, mbs_graph_derivative(g, potential, inputs[i]));
    }
  }
  MbsNode outputs[] = {potential, rate};
  return mbs_tape_create(context, system->arena, g, 2, outputs, &force->energy_tape);
}

// Does an input of a law change with a column by itself: a parameter that is one, the numbers of a table?
static bool is_column(const MbsSystem *system, const MbsSignal *signal) {
  return signal->kind == MBS_SIGNAL_TABLE ||
         (signal->kind == MBS_SIGNAL_PARAMETER && system->column_of_parameter[signal->index] >= 0);
}

// Are slopes by an input of a law wanted: by motions, and by what is a column?
static bool has_slope(const MbsSystem *system, const MbsSignal *signal) {
  return signal->kind == MBS_SIGNAL_POSITION || signal->kind == MBS_SIGNAL_VELOCITY || is_column(system, signal);
}

// tapes of the expressions; the forms they use become the arguments
static MbsStatus make_tapes(MbsContext *context, MbsSystem *system, const MbsForceSpec *spec, MbsForceElement *force,
                            MbsForm **argument_forms) {
  MbsBlueprint *blueprint = system->blueprint;
  int outputs = spec->port_count * system->dimension;
  MBS_TRY(mbs_graph_status(context, blueprint->graph));
  MBS_TRY(mbs_tape_create(context, system->arena, blueprint->graph, outputs, spec->expressions, &force->value_tape));
  int inputs = force->value_tape->input_count;
  MbsNode *nodes, *slopes;
  int *by, *number, *changing, count = 0;
  MBS_TAKE(context, system->arena, nodes, outputs * (1 + inputs));
  MBS_TAKE(context, system->arena, slopes, outputs * inputs);
  MBS_TAKE(context, system->arena, by, inputs);
  MBS_TAKE(context, system->arena, number, inputs);
  MBS_TAKE(context, system->arena, changing, inputs);
  MBS_TRY(mbs_input_places(context, system, force->value_tape, &force->inputs, &force->argument_count, argument_forms));
  for (int s = 0; s < inputs; ++s) {
    number[count] = s;
    by[count] = force->value_tape->inputs[s];
    count += has_slope(system, &force->inputs[s].signal);
    changing[force->changing_count] = s;
    force->changing_count += is_column(system, &force->inputs[s].signal);
  }
  force->changing = changing;
  MBS_TRY(mbs_graph_jacobian(context, blueprint->graph, outputs, spec->expressions, count, by, slopes));
  for (int i = 0; i < outputs; ++i) {
    nodes[i] = spec->expressions[i];
    for (int s = 0; s < inputs; ++s) {
      nodes[outputs + i * inputs + s] = mbs_graph_constant(blueprint->graph, 0);
    }
    for (int k = 0; k < count; ++k) {
      nodes[outputs + i * inputs + number[k]] = slopes[i * count + k];
    }
  }
  MBS_TRY(mbs_graph_status(context, blueprint->graph));
  MBS_TRY(mbs_tape_create(context, system->arena, blueprint->graph, outputs * (1 + inputs), nodes, &force->full_tape));
  MBS_TAKE(context, system->arena, force->outputs, outputs * (1 + inputs));
  return spec->energy == MBS_NODE_NONE ? MBS_OK : make_energy(context, system, spec, force);
}

MbsStatus mbs_force_element_create(MbsContext *context, MbsSystem *system, const MbsForceSpec *spec,
                                   MbsForceElement **result) {
  MbsForceElement *force;
  MBS_TAKE(context, system->arena, force, 1);
  force->name = spec->name;
  force->is_rate = spec->is_rate;
  force->kernel = spec->kernel;
  force->port_count = spec->port_count;
  force->coefficient_count = spec->coefficient_count;
  MbsForm *argument_forms = NULL;
  if (!spec->kernel) {
    MBS_TRY(make_tapes(context, system, spec, force, &argument_forms));
  }
  int d = system->dimension;
  int size = spec->coefficient_count + 2 * (mbs_forms_term_count(spec->port_count, spec->ports) +
                                            mbs_forms_term_count(force->argument_count, argument_forms));
  MbsNode *nodes;
  MBS_TAKE(context, system->arena, nodes, size);
  int used = 0;
  for (; used < spec->coefficient_count; ++used) {
    nodes[used] = spec->coefficients[used];
  }
  MBS_TAKE(context, system->arena, force->ports, spec->port_count);
  MBS_TRY(mbs_linear_forms_create(context, system, spec->port_count, spec->ports, nodes, &used, force->ports));
  if (spec->kernel) {
    force->argument_count = spec->port_count;
    force->arguments = force->ports;
  } else {
    MBS_TAKE(context, system->arena, force->arguments, force->argument_count);
    MBS_TRY(mbs_linear_forms_create(context, system, force->argument_count, argument_forms, nodes, &used,
                                    force->arguments));
  }
  int ports = d * force->port_count, arguments = d * force->argument_count;
  int inner = spec->kernel ? spec->coefficient_count : force->value_tape->input_count;
  MBS_TAKE(context, system->arena, force->y, MBS_FORCE_BLOCK * arguments);
  MBS_TAKE(context, system->arena, force->v, MBS_FORCE_BLOCK * arguments);
  MBS_TAKE(context, system->arena, force->F_bar, ports);
  MBS_TAKE(context, system->arena, force->G, ports * arguments);
  MBS_TAKE(context, system->arena, force->memory, 1);
  MBS_TAKE(context, system->arena, force->known, spec->kernel ? 2 * arguments + inner : inner);
  MBS_TAKE(context, system->arena, force->slopes.F, ports);
  MBS_TAKE(context, system->arena, force->slopes.F_y, ports * arguments);
  MBS_TAKE(context, system->arena, force->slopes.F_v, ports * arguments);
  MBS_TAKE(context, system->arena, force->slopes.F_c, ports * inner);
  int widest = inner;
  if (force->energy_tape && force->energy_tape->input_count > widest) {
    widest = force->energy_tape->input_count;
  }
  MBS_TAKE(context, system->arena, force->input_values, widest);
  for (int i = spec->coefficient_count + 1; i < used; i += 2) {
    force->has_turn |= !mbs_graph_is_constant(system->blueprint->graph, nodes[i], 0);
  }
  *result = force;
  return mbs_coefficients_add_block(context, &system->coefficients, used, nodes, &force->block);
}

// the entries of every pair of a port term and an argument term, in the order of the map
MbsStatus mbs_force_element_place(const MbsEntries *entries, const MbsSystem *system, MbsForceElement *force) {
  int d = system->dimension, *map;
  int terms =
      mbs_terms_of_forms(force->port_count, force->ports) * mbs_terms_of_forms(force->argument_count, force->arguments);
  MBS_TRY(mbs_entries_take(entries, terms * d * d, &force->map, &map));
  for (int p = 0; p < force->port_count; ++p) {
    for (int i = 0; i < force->ports[p].count; ++i) {
      for (int a = 0; a < force->argument_count; ++a) {
        for (int j = 0; j < force->arguments[a].count; ++j, map += d * d) {
          MBS_TRY(mbs_place_block(entries, system, force->ports[p].first[i], force->arguments[a].first[j], map));
        }
      }
    }
  }
  return MBS_OK;
}
