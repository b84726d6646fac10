// Energy, power, momentum and centre of mass, as expressions of the velocities and positions of entities.
//
// A point of a body is r = sum C_i e_i over its entities, C_i = a_i I + b_i J (b in the plane only), and its mass
// matrix has the blocks M_ij = integral of C_i' C_j dm (bodies/, MbsMassSpec). So, without a word about omega,
//     T = 1/2 sum v_i' M_ij v_j                           kinetic energy
//     H = integral of r x v dm = sum of e_i x (M_ij v_j)  angular momentum about the global origin
// the second in the plane since J commutes with all C. With the centre of mass c of each body:
//     V = -m g.r_c      p = m v_c                          weight, momentum
// Coordinates of the model's own have T = 1/2 J q'^2 and no momentum. The power of a force is that of its generalised
// forces on its ports, sum F_p.v_p, what its potential gives back included.
#include "model/energy.h"

#include "expressions/vector.h"
#include "model/force.h"

// of this body; of all those that are something that moves, not the scalar of a state of first order (first_order.c)
static bool is_of(const MbsBlueprint *blueprint, const MbsMassSpec *mass, int body) {
  for (int i = 0; i < blueprint->user_coordinates.count && mass->is_scalar; ++i) {
    const MbsUserCoordinate *coordinate = &blueprint->user_coordinates.items[i];
    if (coordinate->is_state && coordinate->entity == mass->entities[0]) {
      return false;
    }
  }
  return body == MBS_NOBODY || mass->body == body;
}

// e_i and v_i of the entities of a mass
static MbsStatus find_signals(MbsContext *context, MbsBlueprint *blueprint, const MbsMassSpec *mass, int i,
                              MbsSignalKind kind, MbsExpression *value) {
  MbsForm form;
  MBS_TRY(mbs_form_of_entity(context, blueprint, mass->entities[i], mass->body, &form));
  return mbs_signal_of_form(context, blueprint, &form, kind, value);
}

// y' (a I + b J) v
static MbsNode weigh(MbsGraph *g, const MbsMassSpec *mass, int entry, const MbsExpression *y, const MbsExpression *v) {
  MbsNode sum = mbs_graph_multiply(g, mass->a[entry], mbs_node_dot(g, y->size, y->node, v->node));
  if (y->size == 2) {  // y.J v = y2 v1 - y1 v2
    MbsNode turned = mbs_graph_subtract(g, mbs_graph_multiply(g, y->node[1], v->node[0]),
                                        mbs_graph_multiply(g, y->node[0], v->node[1]));
    sum = mbs_node_multiply_add(g, mass->b[entry], turned, sum);
  }
  return sum;
}

MbsStatus mbs_energy_kinetic(MbsContext *context, MbsBlueprint *blueprint, int body, MbsNode *energy) {
  MbsGraph *g = blueprint->graph;
  MbsNode twice = mbs_graph_constant(g, 0);
  for (int m = 0; m < blueprint->masses.count; ++m) {
    const MbsMassSpec mass = blueprint->masses.items[m];
    for (int i = 0; i < mass.count && is_of(blueprint, &mass, body); ++i) {
      for (int j = 0; j < mass.count; ++j) {
        MbsExpression v[2];
        MBS_TRY(find_signals(context, blueprint, &mass, i, MBS_SIGNAL_VELOCITY, &v[0]));
        MBS_TRY(find_signals(context, blueprint, &mass, j, MBS_SIGNAL_VELOCITY, &v[1]));
        twice = mbs_graph_add(g, twice, weigh(g, &mass, i * mass.count + j, &v[0], &v[1]));
      }
    }
  }
  *energy = mbs_graph_multiply(g, mbs_graph_constant(g, 0.5), twice);
  return mbs_graph_status(context, g);
}

MbsStatus mbs_energy_angular_momentum(MbsContext *context, MbsBlueprint *blueprint, int body, MbsExpression *momentum) {
  MbsGraph *g = blueprint->graph;
  bool is_planar = blueprint->dimension == 2;
  *momentum = (MbsExpression){.size = is_planar ? 1 : 3};
  for (int k = 0; k < 3; ++k) {
    momentum->node[k] = mbs_graph_constant(g, 0);
  }
  for (int m = 0; m < blueprint->masses.count; ++m) {
    const MbsMassSpec mass = blueprint->masses.items[m];
    for (int i = 0; i < mass.count && is_of(blueprint, &mass, body) && !mass.is_scalar; ++i) {
      for (int j = 0; j < mass.count; ++j) {
        MbsExpression e, v;
        MBS_TRY(find_signals(context, blueprint, &mass, i, MBS_SIGNAL_POSITION, &e));
        MBS_TRY(find_signals(context, blueprint, &mass, j, MBS_SIGNAL_VELOCITY, &v));
        if (is_planar) {  // (J e).(M v)
          const MbsExpression turned = {.size = 2, .node = {mbs_graph_negate(g, e.node[1]), e.node[0]}};
          momentum->node[0] = mbs_graph_add(g, momentum->node[0], weigh(g, &mass, i * mass.count + j, &turned, &v));
          continue;
        }
        for (int k = 0; k < 3; ++k) {
          momentum->node[k] = mbs_node_multiply_add(g, mass.a[i * mass.count + j], mbs_node_cross(g, e.node, v.node, k),
                                                    momentum->node[k]);
        }
      }
    }
  }
  return mbs_graph_status(context, g);
}

// r_c or v_c
static MbsStatus find_centre(MbsContext *context, MbsBlueprint *blueprint, int body, MbsSignalKind kind,
                             MbsExpression *value) {
  MbsForm form;
  MBS_TRY(blueprint->place(context, blueprint, body, blueprint->bodies.items[body].com, true, &form));
  return mbs_signal_of_form(context, blueprint, &form, kind, value);
}

// sum of m times r_c or v_c
static MbsStatus add_weighed(MbsContext *context, MbsBlueprint *blueprint, int body, MbsSignalKind kind,
                             MbsExpression *sum) {
  MbsExpression centre;
  MBS_TRY(find_centre(context, blueprint, body, kind, &centre));
  for (int k = 0; k < sum->size; ++k) {
    sum->node[k] =
        mbs_node_multiply_add(blueprint->graph, blueprint->bodies.items[body].mass, centre.node[k], sum->node[k]);
  }
  return MBS_OK;
}

static MbsExpression zero(const MbsBlueprint *blueprint) {
  MbsNode none = mbs_graph_constant(blueprint->graph, 0);
  return (MbsExpression){.size = blueprint->dimension, .node = {none, none, none}};
}

MbsStatus mbs_energy_of_weight(MbsContext *context, MbsBlueprint *blueprint, int body, MbsNode *energy) {
  MbsExpression sum = zero(blueprint);
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    MBS_TRY(body == MBS_NOBODY || b == body ? add_weighed(context, blueprint, b, MBS_SIGNAL_POSITION, &sum) : MBS_OK);
  }
  *energy = mbs_graph_negate(blueprint->graph, mbs_node_dot(blueprint->graph, sum.size, blueprint->gravity, sum.node));
  return mbs_graph_status(context, blueprint->graph);
}

MbsStatus mbs_energy_momentum(MbsContext *context, MbsBlueprint *blueprint, int body, MbsExpression *momentum) {
  *momentum = zero(blueprint);
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    MBS_TRY(body == MBS_NOBODY || b == body ? add_weighed(context, blueprint, b, MBS_SIGNAL_VELOCITY, momentum)
                                            : MBS_OK);
  }
  return mbs_graph_status(context, blueprint->graph);
}

MbsStatus mbs_energy_mass_centre(MbsContext *context, MbsBlueprint *blueprint, int count, const int *bodies,
                                 MbsExpression *centre) {
  MbsGraph *g = blueprint->graph;
  MbsNode mass = mbs_graph_constant(g, 0);
  *centre = zero(blueprint);
  for (int i = 0; i < (count > 0 ? count : blueprint->bodies.count - 1); ++i) {
    int body = count > 0 ? bodies[i] : 1 + i;
    mass = mbs_graph_add(g, mass, blueprint->bodies.items[body].mass);
    MBS_TRY(add_weighed(context, blueprint, body, MBS_SIGNAL_POSITION, centre));
  }
  for (int k = 0; k < centre->size; ++k) {
    centre->node[k] = mbs_graph_divide(g, centre->node[k], mass);
  }
  return mbs_graph_status(context, g);
}

MbsStatus mbs_energy_of_force(MbsContext *context, MbsBlueprint *blueprint, const MbsForceSpec *force,
                              MbsNode *potential, MbsNode *power) {
  MbsGraph *g = blueprint->graph;
  if (force->kernel) {
    return force->kernel->describe(context, blueprint, force, potential, power);
  }
  *potential = force->energy;
  *power = mbs_graph_constant(g, 0);
  for (int p = 0; p < force->port_count; ++p) {
    MbsExpression velocity;
    MBS_TRY(mbs_signal_of_form(context, blueprint, &force->ports[p], MBS_SIGNAL_VELOCITY, &velocity));
    *power = mbs_graph_add(
        g, *power, mbs_node_dot(g, velocity.size, force->expressions + p * blueprint->dimension, velocity.node));
  }
  return mbs_graph_status(context, g);
}
