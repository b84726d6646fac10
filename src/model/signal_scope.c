// Signals: what expressions may use besides parameters.
//
//   r(P) v(P) a(P)     position, velocity, acceleration of a point
//   angle(B)           in the plane: angle of the x axis of body B, continuous over many turns
//   angle(J)           angle of the second body of joint J from the first
//   angle(P, Q)        in the plane: angle of the line from point P to point Q
//   omega(B) alpha(B)  angular velocity and acceleration of body B
//   slide(J)           way of the second point of joint J along its axis, from the first
//   distance(P, Q)     distance of two points
//   direction(B.u)     unit vector u of body B
//   x                  value of coordinate x of the model's own, also coordinate(x)
//   rate(e) acceleration(e)    first and second derivative in time of an expression of positions, or of a coordinate
//   rotation(B, i, j)  component i of axis j of body B; roll(B) pitch(B) yaw(B) euler(B, k)
//   com(B, C)          centre of mass of bodies; of all: com()
//   momentum(B) angular_momentum(B) kinetic_energy(B) potential_energy(B) power(F)
//   y                  value of state y of first order
//   lambda(N)          multiplier of the constraint of body or joint N; lambda(N.2) its second
//   sigma(N) kappa(N)  its multipliers in the velocity and acceleration projections
//   force(J) torque(J) what joint J does to its second body, in global axes; force(J, B) in the axes of body B
//   t                  time
#include <string.h>

#include "base/names.h"
#include "expressions/vector.h"
#include "model/rotation.h"
#include "model/signal_scope.h"

static MbsStatus refuse(MbsContext *context, MbsPlace place, const MbsSignalScope *scope, const char *what) {
  const char *known = scope->use & MBS_USE_OBJECTIVES     ? "parameters and other objectives"
                      : scope->use & MBS_USE_ACCELERATION ? "parameters, time and signals"
                      : scope->use & MBS_USE_VELOCITY     ? "parameters, time, positions and velocities"
                      : !(scope->use & MBS_USE_POSITION)  ? "parameters and time"
                      : scope->use & MBS_USE_TIME         ? "parameters, time and positions"
                                                          : "parameters and positions";
  return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: %s cannot be used here, only %s", scope->owner, what, known);
}

// another objective: a number that the run gives, or the expression of one that is itself an expression
static MbsStatus resolve_objective(MbsContext *context, MbsBlueprint *blueprint, int index, MbsExpression *value) {
  MbsObjectiveSpec *objective = &blueprint->objectives.items[index];
  if (objective->kind == MBS_OBJECTIVE_IS_EIGENVALUE) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, objective->place,
                    "objective \"%s\" is an eigenvalue, which expressions of other objectives are not offered with",
                    objective->name);
  }
  if (objective->kind != MBS_OBJECTIVE_IS_VALUE) {
    return mbs_signal_add(context, blueprint, (MbsSignal){.kind = MBS_SIGNAL_OBJECTIVE, .index = index},
                          &value->node[0]);
  }
  if (objective->is_being_read) {
    return mbs_fail(context, MBS_ERROR_INPUT, objective->place, "objective \"%s\" depends on itself", objective->name);
  }
  if (objective->expression == MBS_NODE_NONE) {
    blueprint->wanted_objective = index;
    return MBS_ERROR_INPUT;  // no message: the expression is read again
  }
  value->node[0] = objective->expression;
  return MBS_OK;
}

static MbsStatus call_function(void *user, MbsContext *context, MbsPlace place, const char *function, int count,
                               const char *const *names, MbsExpression *value);
static bool is_of_all(const char *function);

static MbsStatus resolve_name(void *user, MbsContext *context, MbsPlace place, const char *name, MbsExpression *value) {
  MbsSignalScope *scope = user;
  MbsBlueprint *blueprint = scope->blueprint;
  value->size = 1;
  if (strcmp(name, "t") == 0) {
    if (!(scope->use & MBS_USE_TIME)) {
      return refuse(context, place, scope, "time");
    }
    return mbs_signal_time(context, blueprint, &value->node[0]);
  }
  for (int i = 0; i < scope->local_count; ++i) {
    if (strcmp(scope->locals[i].name, name) == 0) {
      value->node[0] = scope->locals[i].node;
      return MBS_OK;
    }
  }
  int parameter = mbs_parameters_find(blueprint, name);
  if (parameter >= 0) {
    value->node[0] = blueprint->parameters.items[parameter].node;
    return MBS_OK;
  }
  if (mbs_hardpoint_find(blueprint, name, 0) >= 0) {
    value->size = blueprint->dimension;
    for (int k = 0; k < value->size; ++k) {
      value->node[k] = blueprint->parameters.items[mbs_hardpoint_find(blueprint, name, k)].node;
    }
    return MBS_OK;
  }
  int coordinate = mbs_user_coordinate_find(blueprint, name);
  if (coordinate >= 0) {
    if (!(scope->use & MBS_USE_POSITION)) {
      return refuse(context, place, scope, "a coordinate");
    }
    return mbs_user_coordinate_signal(context, blueprint, coordinate, MBS_SIGNAL_POSITION, &value->node[0]);
  }
  int state = mbs_state_find(blueprint, name);
  if (state >= 0) {
    if (scope->use & MBS_USE_NO_STATES) {
      return mbs_fail(context, MBS_ERROR_INPUT, place,
                      "%s: state \"%s\" cannot be part of a constraint, whose multiplier would act on it; use a force",
                      scope->owner, name);
    }
    if (!(scope->use & MBS_USE_VELOCITY)) {
      return refuse(context, place, scope, "a state");
    }
    return mbs_user_coordinate_signal(context, blueprint, state, MBS_SIGNAL_VELOCITY, &value->node[0]);
  }
  const MbsValue *objectives = mbs_record_value(&blueprint->model->root, MBS_MODEL_OBJECTIVES);
  for (int i = 0; i < objectives->count && (scope->use & MBS_USE_OBJECTIVES); ++i) {
    if (strcmp(objectives->records[i].name.text, name) == 0) {
      return resolve_objective(context, blueprint, i, value);
    }
  }
  if (is_of_all(name)) {
    return call_function(scope, context, place, name, 0, NULL, value);
  }
  if (mbs_unit_find(blueprint->graph, name, value)) {
    return MBS_OK;
  }
  const char *nearest = NULL;
  for (int i = 0; i < scope->local_count; ++i) {
    mbs_name_nearest(name, scope->locals[i].name, &nearest);
  }
  for (int i = 0; i < blueprint->clock; ++i) {
    mbs_name_nearest(name, blueprint->parameters.items[i].name, &nearest);
  }
  mbs_user_coordinate_nearest(blueprint, name, &nearest);
  mbs_state_nearest(blueprint, name, &nearest);
  for (int i = 0; i < objectives->count && (scope->use & MBS_USE_OBJECTIVES); ++i) {
    mbs_name_nearest(name, objectives->records[i].name.text, &nearest);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: no parameter or signal \"%s\"%s%s%s", scope->owner, name,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

static MbsStatus find_form(MbsContext *context, MbsSignalScope *scope, MbsPlace place, const char *name,
                           MbsForm *form) {
  MbsPointReference point;
  MBS_TRY(mbs_blueprint_find_point(context, scope->blueprint, scope->owner, (MbsText){.text = name, .place = place},
                                   &point));
  return mbs_form_of_point(context, scope->blueprint, point, form);
}

// a body that has an orientation
MbsStatus mbs_signal_find_turning_body(MbsContext *context, MbsSignalScope *scope, MbsText name, int *body) {
  MBS_TRY(mbs_blueprint_find_body(context, scope->blueprint, scope->owner, name, body));
  MbsBodyKind kind = scope->blueprint->bodies.items[*body].kind;
  if (kind != MBS_BODY_RIGID) {
    return mbs_fail(context, MBS_ERROR_INPUT, name.place, "%s: body \"%s\" is a %s and has no angles", scope->owner,
                    name.text, kind == MBS_BODY_ROD ? "thin rod" : "point mass");
  }
  return MBS_OK;
}

static MbsStatus call_angle(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                            MbsExpression *value) {
  MbsBlueprint *blueprint = scope->blueprint;
  MbsText name = {.text = call->names[0], .place = call->place};
  int joint = call->count == 1 ? mbs_signal_joint_called(blueprint, name.text) : -1;
  if (joint >= 0) {
    return mbs_signal_joint_angle(context, scope, call->place, joint, &value->node[0]);
  }
  if (blueprint->dimension == 3) {
    return mbs_fail(context, MBS_ERROR_INPUT, call->place,
                    "%s: in space angle() takes the name of a revolute or cylindrical joint", scope->owner);
  }
  if (call->count == 2) {
    MbsForm from, to, line;
    MBS_TRY(find_form(context, scope, call->place, call->names[0], &from));
    MBS_TRY(find_form(context, scope, call->place, call->names[1], &to));
    MBS_TRY(mbs_form_subtract(context, blueprint, &to, &from, &line));
    return mbs_signal_angle(context, blueprint, &line, &value->node[0]);
  }
  int body;
  MBS_TRY(mbs_signal_find_turning_body(context, scope, name, &body));
  return mbs_rotation_angle(context, blueprint, body, &value->node[0]);
}

// omega and alpha
static MbsStatus call_rotation(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                               MbsExpression *value) {
  int body;
  MBS_TRY(mbs_signal_find_turning_body(context, scope, (MbsText){.text = call->names[0], .place = call->place}, &body));
  return mbs_rotation_rate(context, scope->blueprint, body, call->function->use == MBS_USE_ACCELERATION, value);
}

static MbsStatus call_distance(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                               MbsExpression *value) {
  MbsBlueprint *blueprint = scope->blueprint;
  MbsForm P, Q, line;
  MbsExpression d;
  MBS_TRY(find_form(context, scope, call->place, call->names[0], &P));
  MBS_TRY(find_form(context, scope, call->place, call->names[1], &Q));
  MBS_TRY(mbs_form_subtract(context, blueprint, &Q, &P, &line));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &line, MBS_SIGNAL_POSITION, &d));
  value->node[0] = mbs_node_norm(blueprint->graph, d.size, d.node);
  return MBS_OK;
}

static MbsStatus call_direction(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                                MbsExpression *value) {
  MbsDirection direction;
  MbsForm form;
  MbsText name = {.text = call->names[0], .place = call->place};
  MBS_TRY(mbs_direction_find(context, scope->blueprint, scope->owner, name, &direction));
  MBS_TRY(mbs_form_of_direction(context, scope->blueprint, &direction, &form));
  return mbs_signal_of_form(context, scope->blueprint, &form, MBS_SIGNAL_POSITION, value);
}

// position, velocity or acceleration, by what the function uses
static MbsSignalKind level_of(const MbsSignalCall *call) {
  return call->function->use == MBS_USE_POSITION   ? MBS_SIGNAL_POSITION
         : call->function->use == MBS_USE_VELOCITY ? MBS_SIGNAL_VELOCITY
                                                   : MBS_SIGNAL_ACCELERATION;
}

static MbsStatus call_coordinate(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                                 MbsExpression *value) {
  int index = mbs_user_coordinate_find(scope->blueprint, call->names[0]);
  if (index < 0) {
    const char *nearest = NULL;
    mbs_user_coordinate_nearest(scope->blueprint, call->names[0], &nearest);
    return mbs_fail(context, MBS_ERROR_INPUT, call->place, "%s: no coordinate \"%s\"%s%s%s", scope->owner,
                    call->names[0], nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
  }
  return mbs_user_coordinate_signal(context, scope->blueprint, index, MBS_SIGNAL_POSITION, &value->node[0]);
}

// rate(e), acceleration(e): once or twice D(e)
static MbsStatus call_rate(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                           MbsExpression *value) {
  const MbsExpression *of = call->of;
  int times = call->function->use == MBS_USE_ACCELERATION ? 2 : 1;
  *value = *of;
  for (int k = 0; k < of->size; ++k) {
    for (int i = 0; i < times; ++i) {
      int level;
      MBS_TRY(mbs_signal_level(context, scope->blueprint, value->node[k], &level));
      if (level >= 2) {
        return mbs_fail(context, MBS_ERROR_INPUT, call->place,
                        "%s: %s() of what depends on %s: only positions, velocities, time and parameters have rates",
                        scope->owner, call->function->name, level == 2 ? "accelerations" : "what is solved for");
      }
      if (level == 1 && !(scope->use & MBS_USE_ACCELERATION)) {
        return refuse(context, call->place, scope, "the rate of a velocity");
      }
      MBS_TRY(mbs_signal_rate(context, scope->blueprint, value->node[k], &value->node[k]));
    }
  }
  return MBS_OK;
}

static MbsStatus call_point(MbsContext *context, MbsSignalScope *scope, const MbsSignalCall *call,
                            MbsExpression *value) {
  MbsForm form;
  MBS_TRY(find_form(context, scope, call->place, call->names[0], &form));
  return mbs_signal_of_form(context, scope->blueprint, &form, level_of(call), value);
}

static const MbsSignalFunction signal_functions[] = {
    {"r", 1, 1, MBS_USE_POSITION, "a position", call_point},
    {"v", 1, 1, MBS_USE_VELOCITY, "a velocity", call_point},
    {"a", 1, 1, MBS_USE_ACCELERATION, "an acceleration", call_point},
    {"angle", 1, 2, MBS_USE_POSITION, "an angle", call_angle},
    {"omega", 1, 1, MBS_USE_VELOCITY, "an angular velocity", call_rotation},
    {"alpha", 1, 1, MBS_USE_ACCELERATION, "an angular acceleration", call_rotation},
    {"slide", 1, 1, MBS_USE_POSITION, "a slide", mbs_signal_slide},
    {"distance", 2, 2, MBS_USE_POSITION, "a distance", call_distance},
    {"direction", 1, 1, MBS_USE_POSITION, "a direction", call_direction},
    {"coordinate", 1, 1, MBS_USE_POSITION, "a coordinate", call_coordinate},
    {"rate", 1, 1, MBS_USE_VELOCITY, "a rate", call_rate},
    {"acceleration", 1, 1, MBS_USE_ACCELERATION, "an acceleration", call_rate},
    {"rotation", 3, 3, MBS_USE_POSITION, "an orientation", mbs_signal_matrix},
    {"roll", 1, 1, MBS_USE_POSITION, "an angle", mbs_signal_turned},
    {"pitch", 1, 1, MBS_USE_POSITION, "an angle", mbs_signal_turned},
    {"yaw", 1, 1, MBS_USE_POSITION, "an angle", mbs_signal_turned},
    {"euler", 2, 2, MBS_USE_POSITION, "an orientation", mbs_signal_euler},
    {"com", 0, MBS_SIGNAL_MOST_NAMES, MBS_USE_POSITION, "a position", mbs_signal_mass_centre},
    {"momentum", 0, 1, MBS_USE_VELOCITY, "a momentum", mbs_signal_momentum},
    {"angular_momentum", 0, 1, MBS_USE_VELOCITY, "a momentum", mbs_signal_momentum},
    {"kinetic_energy", 0, 1, MBS_USE_VELOCITY, "a kinetic energy", mbs_signal_kinetic},
    {"potential_energy", 0, 1, MBS_USE_POSITION, "an energy", mbs_signal_potential},
    {"power", 1, 1, MBS_USE_VELOCITY, "a power", mbs_signal_power},
    {"lambda", 1, 1, MBS_USE_MULTIPLIERS, "a multiplier", mbs_signal_multiplier},
    {"sigma", 1, 1, MBS_USE_MULTIPLIERS, "a multiplier", mbs_signal_multiplier},
    {"kappa", 1, 1, MBS_USE_MULTIPLIERS, "a multiplier", mbs_signal_multiplier},
    {"force", 1, 2, MBS_USE_MULTIPLIERS, "a reaction", mbs_signal_reaction},
    {"torque", 1, 2, MBS_USE_MULTIPLIERS, "a reaction", mbs_signal_reaction},
};

const MbsFunctionHelp mbs_signal_help[] = {
    {"r(P)  v(P)  a(P)", "position, velocity and acceleration of a point: vectors; r(P).x is a number"},
    {"angle(J)", "angle of the second body of joint J from the first, continuous over many turns"},
    {"angle(B)", "in the plane: angle of the x axis of body B, continuous over many turns"},
    {"angle(P, Q)", "in the plane: angle of the line from point P to point Q"},
    {"omega(B)  alpha(B)", "angular velocity and acceleration of body B: numbers in the plane, vectors in space"},
    {"slide(J)", "way of the second point of joint J along its axis, from the first"},
    {"distance(P, Q)", "distance of two points"},
    {"direction(B.u)", "unit vector u of body B, or of ground, in global axes"},
    {"x", "value of coordinate x of the model's own; also coordinate(x)"},
    {"rate(e)  acceleration(e)",
     "first and second derivative in time of an expression e of positions: a joint's angle, a distance, a coordinate"},
    {"rotation(B, i, j)", "component i of axis j of body B in global axes, i and j from 1: its rotation matrix"},
    {"roll(B)  pitch(B)  yaw(B)",
     "in space: angles of ISO 8855 (about z, the new y, the new x); roll and yaw continuous over many turns"},
    {"euler(B, k)", "in space: Euler parameter k, 0 to 3, of body B; continuous unless its z axis gets upside down"},
    {"com(B, C, ...)", "centre of mass of bodies, a vector; com() of all"},
    {"momentum(B)  angular_momentum(B)",
     "of body B, the latter about the global origin; momentum() and angular_momentum() of all"},
    {"kinetic_energy(B)", "of body B; kinetic_energy() of all, coordinates of the model's own included"},
    {"potential_energy(N)",
     "of the weight of body N, or of force N; potential_energy() of all weights and forces that have one"},
    {"power(F)", "power of force F on what it acts on"},
    {"y", "value of state y of first order"},
    {"lambda(N)", "multiplier of the constraint of body or joint N; lambda(N.2) its second"},
    {"sigma(N)  kappa(N)", "its multipliers in the velocity and acceleration projections (formulation ali3p)"},
    {"force(J)", "force of joint J on its second body, a vector in global axes; force(J, B) in the axes of body B"},
    {"torque(J)",
     "torque of joint J on its second body about its point there: a number in the plane, a vector in space"},
    {"t", "time"},
    {NULL, NULL},
};

bool mbs_signal_has_function(const char *function) {
  for (int f = 0; f < MBS_COUNT(signal_functions); ++f) {
    if (strcmp(signal_functions[f].name, function) == 0) {
      return true;
    }
  }
  return false;
}

// kinetic_energy and others that, without arguments, are of the whole model
static bool is_of_all(const char *function) {
  for (int f = 0; f < MBS_COUNT(signal_functions); ++f) {
    if (strcmp(signal_functions[f].name, function) == 0) {
      return signal_functions[f].least == 0;
    }
  }
  return false;
}

static bool takes_expressions(const char *function) {
  for (int f = 0; f < MBS_COUNT(signal_functions); ++f) {
    if (strcmp(signal_functions[f].name, function) == 0) {
      return signal_functions[f].call == call_rate;
    }
  }
  return false;
}

// the function of a call, if its place allows it and the number of its arguments is right
static MbsStatus find_function(MbsContext *context, const MbsSignalScope *scope, MbsPlace place, const char *function,
                               int count, const MbsSignalFunction **found) {
  const char *nearest = NULL;
  int f = 0;
  for (; f < MBS_COUNT(signal_functions); ++f) {
    if (strcmp(signal_functions[f].name, function) == 0) {
      break;
    }
    mbs_name_nearest(function, signal_functions[f].name, &nearest);
  }
  if (f == MBS_COUNT(signal_functions)) {
    mbs_formula_nearest(scope->blueprint, function, &nearest);
    mbs_table_nearest(scope->blueprint, function, &nearest);
    mbs_function_nearest(function, &nearest);
    return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: no function \"%s\"%s%s%s", scope->owner, function,
                    nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
  }
  if (!(scope->use & signal_functions[f].use)) {
    return refuse(context, place, scope, signal_functions[f].uses);
  }
  if (count < signal_functions[f].least || count > signal_functions[f].most) {
    return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: %s() takes %d %s%s, got %d", scope->owner, function,
                    signal_functions[f].most, signal_functions[f].call == call_rate ? "expression" : "name",
                    signal_functions[f].most > 1 ? "s" : "", count);
  }
  *found = &signal_functions[f];
  return MBS_OK;
}

static MbsStatus call_function(void *user, MbsContext *context, MbsPlace place, const char *function, int count,
                               const char *const *names, MbsExpression *value) {
  MbsSignalScope *scope = user;
  MbsSignalCall made = {.place = place, .count = count, .names = names};
  MBS_TRY(find_function(context, scope, place, function, count, &made.function));
  value->size = 1;
  return made.function->call(context, scope, &made, value);
}

static MbsStatus apply_function(void *user, MbsContext *context, MbsPlace place, const char *function, int count,
                                const MbsExpression *arguments, MbsExpression *value) {
  MbsSignalScope *scope = user;
  MbsSignalCall made = {.place = place, .count = count, .of = arguments};
  MBS_TRY(find_function(context, scope, place, function, count, &made.function));
  return made.function->call(context, scope, &made, value);
}

MbsStatus mbs_signal_parse(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text, int size,
                           unsigned use, int local_count, const MbsLocalName *locals, MbsExpression *value) {
  MbsSignalScope scope = {
      .blueprint = blueprint, .owner = owner, .use = use, .local_count = local_count, .locals = locals};
  MbsScope names = {.user = &scope,
                    .owner = owner,
                    .resolve = resolve_name,
                    .call = call_function,
                    .apply = apply_function,
                    .takes_expressions = takes_expressions,
                    .has_function = mbs_signal_has_function,
                    .words = &mbs_blueprint_words,
                    .model = blueprint};
  // functions of the model know nothing of the names of the law that calls them
  MbsSignalScope without_locals = {.blueprint = blueprint, .owner = owner, .use = use};
  MbsScope global = names;
  global.user = &without_locals;
  names.global = &global;
  MBS_TRY(mbs_expression_parse_sized(context, blueprint->graph, text, &names, size, value));
  MBS_TRY(mbs_graph_status(context, blueprint->graph));
  if ((use & (MBS_USE_VELOCITY | MBS_USE_PRESCRIBING)) && !blueprint->keeps_jumps) {
    MbsKinks least = use & MBS_USE_PRESCRIBING ? MBS_KINKS_OF_SLOPES : MBS_KINKS_NONE;
    MbsKinks wanted = use & MBS_USE_PRESCRIBING ? blueprint->law_kinks : blueprint->kinks;
    MbsKinks kinks = wanted > least ? wanted : least;
    MBS_TRY(mbs_branches_replace(context, blueprint, owner, text, kinks, value));
  }
  return mbs_jumps_find(context, blueprint, owner, text, use, value);
}
