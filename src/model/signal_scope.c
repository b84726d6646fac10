// Signals: what expressions may use besides parameters.
//
//   r(P) v(P) a(P)     position, velocity, acceleration of a point
//   angle(B)           angle of the x axis of body B, continuous over many turns
//   angle(J)           angle of the second body of joint J from the first
//   angle(P, Q)        angle of the line from point P to point Q
//   omega(B) alpha(B)  angular velocity and acceleration of body B
//   distance(P, Q)     distance of two points
//   lambda(N)          multiplier of the constraint of body or joint N; lambda(N.2) its second
//   t                  time
// With u the direction of a planar body: angle = atan2(u_y, u_x) + 2 pi k, omega = u x u' / u.u, and
// alpha = u x u'' / u.u - 2 (u.u') (u x u') / (u.u)^2 (u.u is 1 but for the drift of the constraints).
#include <string.h>

#include "base/names.h"
#include "model/blueprint.h"

// ---- the scope of an expression ----
typedef struct SignalScope {
  MbsBlueprint *blueprint;
  const char *owner;
  unsigned use;
  int local_count;
  const MbsLocalName *locals;
} SignalScope;

struct SignalFunction;

typedef struct SignalCall {
  const struct SignalFunction *function;
  MbsPlace place;
  int count;
  const char *const *names;
} SignalCall;

typedef struct SignalFunction {
  const char *name;
  int least, most;   // arguments
  unsigned use;      // what an expression must be allowed to use
  const char *uses;  // the same in words
  MbsStatus (*call)(MbsContext *context, SignalScope *scope, const SignalCall *call, MbsExpression *value);
} SignalFunction;

static MbsStatus refuse(MbsContext *context, MbsPlace place, const SignalScope *scope, const char *what) {
  return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: %s cannot be used here", scope->owner, what);
}

// another objective: a number that the run gives, or the expression of one that is itself an expression
static MbsStatus resolve_objective(MbsContext *context, MbsBlueprint *blueprint, int index, MbsExpression *value) {
  MbsObjectiveSpec *objective = &blueprint->objectives.items[index];
  if (objective->kind != MBS_OBJECTIVE_IS_VALUE) {
    return mbs_signal_add(context, blueprint, (MbsSignal){.kind = MBS_SIGNAL_OBJECTIVE, .index = index},
                          &value->node[0]);
  }
  MBS_TRY(mbs_blueprint_read_objective(context, blueprint, index));
  value->node[0] = blueprint->objectives.items[index].expression;
  return MBS_OK;
}

static MbsStatus resolve_name(void *user, MbsContext *context, MbsPlace place, const char *name, MbsExpression *value) {
  SignalScope *scope = user;
  MbsBlueprint *blueprint = scope->blueprint;
  const char *nearest = NULL;
  value->size = 1;
  if (strcmp(name, "t") == 0) {
    if (!(scope->use & MBS_USE_TIME)) {
      return refuse(context, place, scope, "time");
    }
    return mbs_signal_add(context, blueprint, (MbsSignal){.kind = MBS_SIGNAL_TIME}, &value->node[0]);
  }
  for (int i = 0; i < scope->local_count; ++i) {
    if (strcmp(scope->locals[i].name, name) == 0) {
      value->node[0] = scope->locals[i].node;
      return MBS_OK;
    }
    mbs_name_nearest(name, scope->locals[i].name, &nearest);
  }
  for (int i = 0; i < blueprint->parameters.count; ++i) {
    if (strcmp(blueprint->parameters.items[i].name, name) == 0) {
      value->node[0] = blueprint->parameters.items[i].node;
      return MBS_OK;
    }
    mbs_name_nearest(name, blueprint->parameters.items[i].name, &nearest);
  }
  const MbsValue *objectives = mbs_record_value(&blueprint->model->root, MBS_MODEL_OBJECTIVES);
  for (int i = 0; i < objectives->count && (scope->use & MBS_USE_OBJECTIVES); ++i) {
    if (strcmp(objectives->records[i].name.text, name) == 0) {
      return resolve_objective(context, blueprint, i, value);
    }
    mbs_name_nearest(name, objectives->records[i].name.text, &nearest);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: no parameter or signal \"%s\"%s%s%s", scope->owner, name,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

static MbsStatus find_form(MbsContext *context, SignalScope *scope, MbsPlace place, const char *name, MbsForm *form) {
  MbsPointReference point;
  MBS_TRY(mbs_blueprint_find_point(context, scope->blueprint, scope->owner, (MbsText){.text = name, .place = place},
                                   &point));
  return mbs_form_of_point(context, scope->blueprint, point, form);
}

static MbsStatus body_direction(MbsContext *context, MbsBlueprint *blueprint, int body, MbsForm *form) {
  MbsGraph *graph = blueprint->graph;
  MbsDirection x_axis = {
      .body = body,
      .local = {mbs_graph_constant(graph, 1), mbs_graph_constant(graph, 0), mbs_graph_constant(graph, 0)}};
  return mbs_form_of_direction(context, blueprint, &x_axis, form);
}

static MbsStatus body_angle(MbsContext *context, SignalScope *scope, MbsPlace place, int body, MbsNode *angle) {
  MbsBlueprint *blueprint = scope->blueprint;
  if (blueprint->bodies.items[body].is_point_mass) {
    return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: body \"%s\" is a point mass and has no angle", scope->owner,
                    blueprint->bodies.items[body].name);
  }
  MbsForm u;
  MBS_TRY(body_direction(context, blueprint, body, &u));
  return mbs_signal_angle(context, blueprint, &u, angle);
}

static int find_joint(const MbsBlueprint *blueprint, const char *name) {
  const MbsValue *joints = mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS);
  for (int i = 0; i < joints->count; ++i) {
    if (strcmp(joints->records[i].name.text, name) == 0) {
      return i;
    }
  }
  return -1;
}

static MbsStatus call_angle(MbsContext *context, SignalScope *scope, const SignalCall *call, MbsExpression *value) {
  MbsPlace place = call->place;
  const char *const *names = call->names;
  MbsBlueprint *blueprint = scope->blueprint;
  if (call->count == 2) {
    MbsForm from, to, line;
    MBS_TRY(find_form(context, scope, place, names[0], &from));
    MBS_TRY(find_form(context, scope, place, names[1], &to));
    MBS_TRY(mbs_form_subtract(context, blueprint, &to, &from, &line));
    return mbs_signal_angle(context, blueprint, &line, &value->node[0]);
  }
  int joint = find_joint(blueprint, names[0]);
  if (joint >= 0) {
    const MbsValue *ends =
        mbs_record_value(&mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS)->records[joint], 0);
    MbsNode angle[2];
    for (int i = 0; i < 2; ++i) {
      MbsPointReference end;
      MBS_TRY(mbs_blueprint_find_point(context, blueprint, scope->owner, ends->texts[i], &end));
      MBS_TRY(body_angle(context, scope, place, end.body, &angle[i]));
    }
    value->node[0] = mbs_graph_subtract(blueprint->graph, angle[1], angle[0]);
    return MBS_OK;
  }
  int body;
  MBS_TRY(
      mbs_blueprint_find_body(context, blueprint, scope->owner, (MbsText){.text = names[0], .place = place}, &body));
  return body_angle(context, scope, place, body, &value->node[0]);
}

// omega and alpha of a planar body
static MbsStatus call_rotation(MbsContext *context, SignalScope *scope, const SignalCall *call, MbsExpression *value) {
  MbsText name = {.text = call->names[0], .place = call->place};
  MbsBlueprint *blueprint = scope->blueprint;
  MbsGraph *g = blueprint->graph;
  int body;
  MBS_TRY(mbs_blueprint_find_body(context, blueprint, scope->owner, name, &body));
  if (blueprint->bodies.items[body].is_point_mass) {
    return mbs_fail(context, MBS_ERROR_INPUT, name.place, "%s: body \"%s\" is a point mass and does not rotate",
                    scope->owner, name.text);
  }
  MbsForm form;
  MbsExpression u, ud, udd;
  MBS_TRY(body_direction(context, blueprint, body, &form));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_POSITION, &u));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_VELOCITY, &ud));
#define DOT(p, q) \
  mbs_graph_add(g, mbs_graph_multiply(g, (p).node[0], (q).node[0]), mbs_graph_multiply(g, (p).node[1], (q).node[1]))
#define CROSS(p, q)                                                      \
  mbs_graph_subtract(g, mbs_graph_multiply(g, (p).node[0], (q).node[1]), \
                     mbs_graph_multiply(g, (p).node[1], (q).node[0]))
  MbsNode square = DOT(u, u);
  MbsNode omega = mbs_graph_divide(g, CROSS(u, ud), square);
  if (call->function->use == MBS_USE_VELOCITY) {
    value->node[0] = omega;
    return MBS_OK;
  }
  MBS_TRY(mbs_signal_of_form(context, blueprint, &form, MBS_SIGNAL_ACCELERATION, &udd));
  MbsNode drift = mbs_graph_multiply(g, mbs_graph_constant(g, 2), mbs_graph_multiply(g, DOT(u, ud), omega));
  value->node[0] = mbs_graph_divide(g, mbs_graph_subtract(g, CROSS(u, udd), drift), square);
#undef DOT
#undef CROSS
  return MBS_OK;
}

static MbsStatus call_lambda(MbsContext *context, SignalScope *scope, const SignalCall *call, MbsExpression *value) {
  const char *name = call->names[0];
  MbsBlueprint *blueprint = scope->blueprint;
  const char *dot = strrchr(name, '.');
  size_t length = dot ? (size_t)(dot - name) : strlen(name);
  int wanted = 1;
  if (dot) {
    wanted = 0;
    for (const char *c = dot + 1; *c >= '0' && *c <= '9' && wanted < 100000; ++c) {
      wanted = 10 * wanted + (*c - '0');
    }
  }
  int found = 0;
  for (int i = 0; i < blueprint->rows.count; ++i) {
    const char *owner = blueprint->rows.items[i].owner;
    if (strncmp(owner, name, length) == 0 && owner[length] == '\0' && ++found == wanted) {
      return mbs_signal_add(context, blueprint, (MbsSignal){.kind = MBS_SIGNAL_MULTIPLIER, .index = i},
                            &value->node[0]);
    }
  }
  return mbs_fail(context, MBS_ERROR_INPUT, call->place,
                  found ? "%s: lambda(%s): there are only %d multipliers of that name"
                        : "%s: lambda(%s): no body or joint of that name has a multiplier (%d); see mbsens check",
                  scope->owner, name, found);
}

static MbsStatus call_distance(MbsContext *context, SignalScope *scope, const SignalCall *call, MbsExpression *value) {
  MbsBlueprint *blueprint = scope->blueprint;
  MbsGraph *g = blueprint->graph;
  MbsForm P, Q, line;
  MbsExpression d;
  MBS_TRY(find_form(context, scope, call->place, call->names[0], &P));
  MBS_TRY(find_form(context, scope, call->place, call->names[1], &Q));
  MBS_TRY(mbs_form_subtract(context, blueprint, &Q, &P, &line));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &line, MBS_SIGNAL_POSITION, &d));
  MbsNode square = mbs_graph_constant(g, 0);
  for (int k = 0; k < d.size; ++k) {
    square = mbs_graph_add(g, square, mbs_graph_multiply(g, d.node[k], d.node[k]));
  }
  value->node[0] = mbs_graph_apply(g, MBS_OP_SQRT, square, MBS_NODE_NONE);
  return MBS_OK;
}

static MbsStatus call_point(MbsContext *context, SignalScope *scope, const SignalCall *call, MbsExpression *value) {
  MbsForm form;
  MbsSignalKind kind = call->function->use == MBS_USE_POSITION   ? MBS_SIGNAL_POSITION
                       : call->function->use == MBS_USE_VELOCITY ? MBS_SIGNAL_VELOCITY
                                                                 : MBS_SIGNAL_ACCELERATION;
  MBS_TRY(find_form(context, scope, call->place, call->names[0], &form));
  return mbs_signal_of_form(context, scope->blueprint, &form, kind, value);
}

static const SignalFunction signal_functions[] = {
    {"r", 1, 1, MBS_USE_POSITION, "a position", call_point},
    {"v", 1, 1, MBS_USE_VELOCITY, "a velocity", call_point},
    {"a", 1, 1, MBS_USE_ACCELERATION, "an acceleration", call_point},
    {"angle", 1, 2, MBS_USE_POSITION, "an angle", call_angle},
    {"omega", 1, 1, MBS_USE_VELOCITY, "an angular velocity", call_rotation},
    {"alpha", 1, 1, MBS_USE_ACCELERATION, "an angular acceleration", call_rotation},
    {"distance", 2, 2, MBS_USE_POSITION, "a distance", call_distance},
    {"lambda", 1, 1, MBS_USE_MULTIPLIERS, "a multiplier", call_lambda},
};

const MbsFunctionHelp mbs_signal_help[] = {
    {"r(P)  v(P)  a(P)", "position, velocity and acceleration of a point: vectors; r(P).x is a number"},
    {"angle(B)", "angle of the x axis of body B, continuous over many turns"},
    {"angle(J)", "angle of the second body of joint J from the first"},
    {"angle(P, Q)", "angle of the line from point P to point Q"},
    {"omega(B)  alpha(B)", "angular velocity and angular acceleration of body B"},
    {"distance(P, Q)", "distance of two points"},
    {"lambda(N)", "multiplier of the constraint of body or joint N; lambda(N.2) its second"},
    {"t", "time"},
    {NULL, NULL},
};

static MbsStatus call_function(void *user, MbsContext *context, MbsPlace place, const char *function, int count,
                               const char *const *names, MbsExpression *value) {
  SignalScope *scope = user;
  const char *nearest = NULL;
  int f = 0;
  for (; f < MBS_COUNT(signal_functions); ++f) {
    if (strcmp(signal_functions[f].name, function) == 0) {
      break;
    }
    mbs_name_nearest(function, signal_functions[f].name, &nearest);
  }
  if (f == MBS_COUNT(signal_functions)) {
    for (const MbsFunctionHelp *help = mbs_function_help; help->name; ++help) {
      mbs_name_nearest(function, help->name, &nearest);
    }
    return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: no function \"%s\"%s%s%s", scope->owner, function,
                    nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
  }
  if (!(scope->use & signal_functions[f].use)) {
    return refuse(context, place, scope, signal_functions[f].uses);
  }
  if (count < signal_functions[f].least || count > signal_functions[f].most) {
    return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: %s() takes %d name%s, got %d", scope->owner, function,
                    signal_functions[f].most, signal_functions[f].most > 1 ? "s" : "", count);
  }
  value->size = 1;
  SignalCall made = {.function = &signal_functions[f], .place = place, .count = count, .names = names};
  return signal_functions[f].call(context, scope, &made, value);
}

MbsStatus mbs_signal_parse(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text, int size,
                           unsigned use, int local_count, const MbsLocalName *locals, MbsExpression *value) {
  SignalScope scope = {
      .blueprint = blueprint, .owner = owner, .use = use, .local_count = local_count, .locals = locals};
  MbsScope names = {.user = &scope, .resolve = resolve_name, .call = call_function};
  return mbs_expression_parse_sized(context, blueprint->graph, text, &names, size, value);
}
