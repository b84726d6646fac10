// Signals of bodies and forces: orientation, centres of mass, momentum, energy, power. The formulas are in
// orientation.c and energy.c; here is what calls of them name.
#include <string.h>

#include "base/names.h"
#include "model/energy.h"
#include "model/rotation.h"
#include "model/signal_scope.h"

// ---- orientation ----
// a whole number from `least` to `most` that a call gives as argument k
static MbsStatus find_number(MbsContext *context, const MbsSignalScope *scope, const MbsSignalCall *call, int k,
                             int least, int most, int *number) {
  const char *text = call->names[k];
  *number = text[0] - '0';
  if (text[1] != '\0' || *number < least || *number > most) {
    return mbs_fail(context, MBS_ERROR_INPUT, call->place,
                    "%s: %s(%s, ...): \"%s\" is not a whole number from %d to %d", scope->owner, call->function->name,
                    call->names[0], text, least, most);
  }
  return MBS_OK;
}

MbsStatus mbs_signal_matrix(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                            MbsExpression *value) {
  int body, i, j, d = scope->blueprint->dimension;
  MBS_TRY(mbs_signal_find_turning_body(context, scope, (MbsText){.text = call->names[0], .place = call->place}, &body));
  MBS_TRY(find_number(context, scope, call, 1, 1, d, &i));
  MBS_TRY(find_number(context, scope, call, 2, 1, d, &j));
  return mbs_orientation_entry(context, scope->blueprint, body, i - 1, j - 1, &value->node[0]);
}

// roll, pitch, yaw
MbsStatus mbs_signal_turned(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                            MbsExpression *value) {
  int body, axis = call->function->name[0] == 'r' ? 0 : call->function->name[0] == 'p' ? 1 : 2;
  if (axis < 2 && scope->blueprint->dimension == 2) {
    return mbs_fail(context, MBS_ERROR_INPUT, call->place, "%s: %s() is for models of dimension 3; use angle()",
                    scope->owner, call->function->name);
  }
  MBS_TRY(mbs_signal_find_turning_body(context, scope, (MbsText){.text = call->names[0], .place = call->place}, &body));
  return mbs_orientation_angle(context, scope->blueprint, body, axis, &value->node[0]);
}

MbsStatus mbs_signal_euler(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                           MbsExpression *value) {
  int body, k;
  MbsNode p[4];
  if (scope->blueprint->dimension == 2) {
    return mbs_fail(context, MBS_ERROR_INPUT, call->place, "%s: euler() is for models of dimension 3; use angle()",
                    scope->owner);
  }
  MBS_TRY(mbs_signal_find_turning_body(context, scope, (MbsText){.text = call->names[0], .place = call->place}, &body));
  MBS_TRY(find_number(context, scope, call, 1, 0, 3, &k));
  MBS_TRY(mbs_orientation_euler(context, scope->blueprint, body, p));
  value->node[0] = p[k];
  return MBS_OK;
}

// ---- energy, momentum ----
// the body that a call names; none: all
static MbsStatus find_own_body(MbsContext *context, const MbsSignalScope *scope, const MbsSignalCall *call, int k,
                               int *body) {
  *body = MBS_NOBODY;
  if (k >= call->count) {
    return MBS_OK;
  }
  MBS_TRY(mbs_blueprint_find_body(context, scope->blueprint, scope->owner,
                                  (MbsText){.text = call->names[k], .place = call->place}, body));
  return *body == MBS_GROUND ? mbs_fail(context, MBS_ERROR_INPUT, call->place, "%s: %s(): the ground has no mass",
                                        scope->owner, call->function->name)
                             : MBS_OK;
}

MbsStatus mbs_signal_kinetic(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                             MbsExpression *value) {
  int body;
  MBS_TRY(find_own_body(context, scope, call, 0, &body));
  return mbs_energy_kinetic(context, scope->blueprint, body, &value->node[0]);
}

MbsStatus mbs_signal_momentum(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                              MbsExpression *value) {
  int body;
  MBS_TRY(find_own_body(context, scope, call, 0, &body));
  return call->function->name[0] == 'm' ? mbs_energy_momentum(context, scope->blueprint, body, value)
                                        : mbs_energy_angular_momentum(context, scope->blueprint, body, value);
}

MbsStatus mbs_signal_mass_centre(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                                 MbsExpression *value) {
  int bodies[MBS_SIGNAL_MOST_NAMES];
  for (int k = 0; k < call->count; ++k) {
    MBS_TRY(find_own_body(context, scope, call, k, &bodies[k]));
    for (int i = 0; i < k; ++i) {
      if (bodies[i] == bodies[k]) {
        return mbs_fail(context, MBS_ERROR_INPUT, call->place, "%s: com(): body \"%s\" is named twice", scope->owner,
                        call->names[k]);
      }
    }
  }
  return mbs_energy_mass_centre(context, scope->blueprint, call->count, bodies, value);
}

// Potential and power of the force of this name; *is_found false: there is none. NULL: of all forces, of which those
// without a potential have none.
static MbsStatus sum_forces(MbsContext *context, const MbsSignalScope *scope, const MbsSignalCall *call,
                            const char *name, bool *is_found, MbsNode *potential, MbsNode *power) {
  MbsBlueprint *blueprint = scope->blueprint;
  const char *wanted = name ? mbs_arena_print(blueprint->arena, "force \"%s\"", name) : NULL;
  const MbsValue *records = mbs_record_value(&blueprint->model->root, MBS_MODEL_FORCES);
  *potential = *power = mbs_graph_constant(blueprint->graph, 0);
  *is_found = !name;
  for (int i = 0; i < records->count && name; ++i) {
    *is_found = *is_found || strcmp(records->records[i].name.text, name) == 0;
  }
  if (*is_found && !blueprint->has_all_forces) {
    return mbs_fail(context, MBS_ERROR_INPUT, call->place,
                    "%s: %s() cannot be used in forces and for the start: it depends on forces; objectives, events and "
                    "outputs may use it",
                    scope->owner, call->function->name);
  }
  for (int i = 0; i < blueprint->forces.count && *is_found; ++i) {
    const MbsForceSpec force = blueprint->forces.items[i];
    MbsNode V, P;
    if (wanted && strcmp(force.name, wanted) != 0) {
      continue;
    }
    MBS_TRY(mbs_energy_of_force(context, blueprint, &force, &V, &P));
    if (V == MBS_NODE_NONE && name && call->function->use == MBS_USE_POSITION) {
      return mbs_fail(context, MBS_ERROR_NOT_OFFERED, call->place,
                      "%s: %s(%s) is not offered: this force has no potential energy; power(%s) is its power",
                      scope->owner, call->function->name, name, name);
    }
    *potential = V == MBS_NODE_NONE ? *potential : mbs_graph_add(blueprint->graph, *potential, V);
    *power = mbs_graph_add(blueprint->graph, *power, P);
  }
  return MBS_OK;
}

static MbsStatus fail_without_force(MbsContext *context, const MbsSignalScope *scope, const MbsSignalCall *call,
                                    const char *what) {
  const MbsValue *records = mbs_record_value(&scope->blueprint->model->root, MBS_MODEL_FORCES);
  const char *nearest = NULL;
  for (int i = 0; i < records->count; ++i) {
    mbs_name_nearest(call->names[0], records->records[i].name.text, &nearest);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, call->place, "%s: no %s \"%s\"%s%s%s", scope->owner, what, call->names[0],
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

MbsStatus mbs_signal_power(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                           MbsExpression *value) {
  bool is_found;
  MbsNode potential;
  MBS_TRY(sum_forces(context, scope, call, call->names[0], &is_found, &potential, &value->node[0]));
  return is_found ? MBS_OK : fail_without_force(context, scope, call, "force");
}

// of the weight of a body, of a force, or of all
MbsStatus mbs_signal_potential(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                               MbsExpression *value) {
  MbsBlueprint *blueprint = scope->blueprint;
  bool is_found;
  MbsNode power, weight;
  for (int b = 1; b < blueprint->bodies.count && call->count == 1; ++b) {
    if (strcmp(blueprint->bodies.items[b].name, call->names[0]) == 0) {
      return mbs_energy_of_weight(context, blueprint, b, &value->node[0]);
    }
  }
  MBS_TRY(
      sum_forces(context, scope, call, call->count > 0 ? call->names[0] : NULL, &is_found, &value->node[0], &power));
  if (!is_found) {
    return fail_without_force(context, scope, call, "body and no force");
  }
  if (call->count == 0) {
    MBS_TRY(mbs_energy_of_weight(context, blueprint, MBS_NOBODY, &weight));
    value->node[0] = mbs_graph_add(blueprint->graph, value->node[0], weight);
  }
  return MBS_OK;
}
