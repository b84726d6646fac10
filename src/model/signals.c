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

static const double two_pi = 6.283185307179586476925286766559;

static MbsStatus add_signal(MbsContext *context, MbsBlueprint *blueprint, MbsSignal signal, MbsNode *node) {
  for (int i = 0; i < blueprint->signals.count; ++i) {
    const MbsSignal *known = &blueprint->signals.items[i];
    if (known->kind == signal.kind && known->index == signal.index && known->component == signal.component) {
      *node = mbs_graph_input(blueprint->graph, i);
      return MBS_OK;
    }
  }
  *node = mbs_graph_input(blueprint->graph, blueprint->signals.count);
  MBS_APPEND(context, blueprint->arena, &blueprint->signals, signal);
  return MBS_OK;
}

static bool is_same_form(const MbsForm *A, const MbsForm *B) {
  if (A->count != B->count) {
    return false;
  }
  for (int i = 0; i < A->count; ++i) {
    if (A->terms[i].entity != B->terms[i].entity || A->terms[i].a != B->terms[i].a || A->terms[i].b != B->terms[i].b) {
      return false;
    }
  }
  return true;
}

// a form on fixed entities alone is an expression of parameters: (a I + b J) e, summed
static bool fold_fixed_form(MbsBlueprint *blueprint, const MbsForm *form, MbsSignalKind kind, MbsExpression *value) {
  MbsGraph *graph = blueprint->graph;
  value->size = blueprint->dimension;
  for (int k = 0; k < 3; ++k) {
    value->node[k] = mbs_graph_constant(graph, 0);
  }
  for (int i = 0; i < form->count; ++i) {
    const MbsEntity *entity = &blueprint->entities.items[form->terms[i].entity];
    if (!entity->is_fixed) {
      return false;
    }
    for (int k = 0; k < blueprint->dimension && kind == MBS_SIGNAL_POSITION; ++k) {
      MbsNode part = mbs_graph_multiply(graph, form->terms[i].a, entity->value[k]);
      if (blueprint->dimension == 2) {
        MbsNode turned = k == 0 ? mbs_graph_negate(graph, entity->value[1]) : entity->value[0];
        part = mbs_graph_add(graph, part, mbs_graph_multiply(graph, form->terms[i].b, turned));
      }
      value->node[k] = mbs_graph_add(graph, value->node[k], part);
    }
  }
  return true;
}

MbsStatus mbs_signal_of_form(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *form, MbsSignalKind kind,
                             MbsExpression *value) {
  if (fold_fixed_form(blueprint, form, kind, value)) {
    return MBS_OK;
  }
  int index = 0;
  while (index < blueprint->signal_forms.count && !is_same_form(form, &blueprint->signal_forms.items[index])) {
    ++index;
  }
  if (index == blueprint->signal_forms.count) {
    MBS_APPEND(context, blueprint->arena, &blueprint->signal_forms, *form);
  }
  value->size = blueprint->dimension;
  for (int k = 0; k < blueprint->dimension; ++k) {
    MbsSignal signal = {.kind = kind, .index = index, .component = k};
    MBS_TRY(add_signal(context, blueprint, signal, &value->node[k]));
  }
  return MBS_OK;
}

MbsStatus mbs_signal_angle(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *direction, MbsNode *angle) {
  MbsGraph *graph = blueprint->graph;
  MbsExpression u;
  MBS_TRY(mbs_signal_of_form(context, blueprint, direction, MBS_SIGNAL_POSITION, &u));
  MbsNode principal = mbs_graph_apply(graph, MBS_OP_ATAN2, u.node[1], u.node[0]);
  int turn = 0;
  while (turn < blueprint->turns.count && blueprint->turns.items[turn] != principal) {
    ++turn;
  }
  if (turn == blueprint->turns.count) {
    MBS_APPEND(context, blueprint->arena, &blueprint->turns, principal);
  }
  MbsNode count;
  MBS_TRY(add_signal(context, blueprint, (MbsSignal){.kind = MBS_SIGNAL_TURN, .index = turn}, &count));
  *angle = mbs_graph_add(graph, principal, mbs_graph_multiply(graph, mbs_graph_constant(graph, two_pi), count));
  return MBS_OK;
}

// ---- the scope of an expression ----
typedef struct SignalScope {
  MbsBlueprint *blueprint;
  const char *owner;
  unsigned use;
  int local_count;
  const MbsLocalName *locals;
} SignalScope;

static MbsStatus refuse(MbsContext *context, MbsPlace place, const SignalScope *scope, const char *what) {
  return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: %s cannot be used here", scope->owner, what);
}

// another objective: a number that the run gives, or the expression of one that is itself an expression
static MbsStatus resolve_objective(MbsContext *context, MbsBlueprint *blueprint, int index, MbsExpression *value) {
  MbsObjectiveSpec *objective = &blueprint->objectives.items[index];
  if (objective->kind != MBS_OBJECTIVE_IS_VALUE) {
    return add_signal(context, blueprint, (MbsSignal){.kind = MBS_SIGNAL_OBJECTIVE, .index = index}, &value->node[0]);
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
    return add_signal(context, blueprint, (MbsSignal){.kind = MBS_SIGNAL_TIME}, &value->node[0]);
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

static MbsStatus call_angle(MbsContext *context, SignalScope *scope, MbsPlace place, int count,
                            const char *const *names, MbsExpression *value) {
  MbsBlueprint *blueprint = scope->blueprint;
  if (count == 2) {
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
static MbsStatus call_rotation(MbsContext *context, SignalScope *scope, MbsPlace place, bool is_acceleration,
                               const char *name, MbsExpression *value) {
  MbsBlueprint *blueprint = scope->blueprint;
  MbsGraph *g = blueprint->graph;
  int body;
  MBS_TRY(mbs_blueprint_find_body(context, blueprint, scope->owner, (MbsText){.text = name, .place = place}, &body));
  if (blueprint->bodies.items[body].is_point_mass) {
    return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: body \"%s\" is a point mass and does not rotate",
                    scope->owner, name);
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
  if (!is_acceleration) {
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

static MbsStatus call_lambda(MbsContext *context, SignalScope *scope, MbsPlace place, const char *name,
                             MbsExpression *value) {
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
      return add_signal(context, blueprint, (MbsSignal){.kind = MBS_SIGNAL_MULTIPLIER, .index = i}, &value->node[0]);
    }
  }
  return mbs_fail(context, MBS_ERROR_INPUT, place,
                  found ? "%s: lambda(%s): there are only %d multipliers of that name"
                        : "%s: lambda(%s): no body or joint of that name has a multiplier (%d); see mbsens check",
                  scope->owner, name, found);
}

static MbsStatus call_distance(MbsContext *context, SignalScope *scope, MbsPlace place, const char *const *names,
                               MbsExpression *value) {
  MbsBlueprint *blueprint = scope->blueprint;
  MbsGraph *g = blueprint->graph;
  MbsForm P, Q, line;
  MbsExpression d;
  MBS_TRY(find_form(context, scope, place, names[0], &P));
  MBS_TRY(find_form(context, scope, place, names[1], &Q));
  MBS_TRY(mbs_form_subtract(context, blueprint, &Q, &P, &line));
  MBS_TRY(mbs_signal_of_form(context, blueprint, &line, MBS_SIGNAL_POSITION, &d));
  MbsNode square = mbs_graph_constant(g, 0);
  for (int k = 0; k < d.size; ++k) {
    square = mbs_graph_add(g, square, mbs_graph_multiply(g, d.node[k], d.node[k]));
  }
  value->node[0] = mbs_graph_apply(g, MBS_OP_SQRT, square, MBS_NODE_NONE);
  return MBS_OK;
}

// name, least and most arguments, what it uses
static const struct {
  const char *name;
  int least, most;
  unsigned use;
  const char *uses;
} signal_functions[] = {
    {"r", 1, 1, MBS_USE_POSITION, "a position"},
    {"v", 1, 1, MBS_USE_VELOCITY, "a velocity"},
    {"a", 1, 1, MBS_USE_ACCELERATION, "an acceleration"},
    {"angle", 1, 2, MBS_USE_POSITION, "an angle"},
    {"omega", 1, 1, MBS_USE_VELOCITY, "an angular velocity"},
    {"alpha", 1, 1, MBS_USE_ACCELERATION, "an angular acceleration"},
    {"distance", 2, 2, MBS_USE_POSITION, "a distance"},
    {"lambda", 1, 1, MBS_USE_MULTIPLIERS, "a multiplier"},
};

static MbsStatus call_function(void *user, MbsContext *context, MbsPlace place, const char *function, int count,
                               const char *const *names, MbsExpression *value) {
  SignalScope *scope = user;
  MbsBlueprint *blueprint = scope->blueprint;
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
  switch (f) {
    case 0:
    case 1:
    case 2: {
      static const MbsSignalKind kinds[] = {MBS_SIGNAL_POSITION, MBS_SIGNAL_VELOCITY, MBS_SIGNAL_ACCELERATION};
      MbsForm form;
      MBS_TRY(find_form(context, scope, place, names[0], &form));
      return mbs_signal_of_form(context, blueprint, &form, kinds[f], value);
    }
    case 3: return call_angle(context, scope, place, count, names, value);
    case 4:
    case 5: return call_rotation(context, scope, place, f == 5, names[0], value);
    case 6: return call_distance(context, scope, place, names, value);
    default: return call_lambda(context, scope, place, names[0], value);
  }
}

MbsStatus mbs_signal_parse(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text, int size,
                           unsigned use, int local_count, const MbsLocalName *locals, MbsExpression *value) {
  SignalScope scope = {
      .blueprint = blueprint, .owner = owner, .use = use, .local_count = local_count, .locals = locals};
  MbsScope names = {.user = &scope, .resolve = resolve_name, .call = call_function};
  return mbs_expression_parse_sized(context, blueprint->graph, text, &names, size, value);
}

// ---- objectives ----
MbsStatus mbs_blueprint_list_objectives(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsValue *written = mbs_record_value(&blueprint->model->root, MBS_MODEL_OBJECTIVES);
  for (int i = 0; i < written->count; ++i) {
    const MbsRecord *record = &written->records[i];
    MbsObjectiveKind kind = mbs_record_text(record, MBS_OBJECTIVE_INTEGRAL).text ? MBS_OBJECTIVE_IS_INTEGRAL
                            : mbs_record_text(record, MBS_OBJECTIVE_FINAL).text  ? MBS_OBJECTIVE_IS_FINAL
                                                                                 : MBS_OBJECTIVE_IS_VALUE;
    MBS_APPEND(context, blueprint->arena, &blueprint->objectives,
               (MbsObjectiveSpec){
                   .name = record->name.text, .place = record->name.place, .kind = kind, .expression = MBS_NODE_NONE});
  }
  return MBS_OK;
}

MbsStatus mbs_blueprint_read_objective(MbsContext *context, MbsBlueprint *blueprint, int index) {
  static const int fields[] = {[MBS_OBJECTIVE_IS_INTEGRAL] = MBS_OBJECTIVE_INTEGRAL,
                               [MBS_OBJECTIVE_IS_FINAL] = MBS_OBJECTIVE_FINAL,
                               [MBS_OBJECTIVE_IS_VALUE] = MBS_OBJECTIVE_VALUE};
  enum { LONGEST_CHAIN = 100 };
  MbsObjectiveSpec *objective = &blueprint->objectives.items[index];
  if (objective->expression != MBS_NODE_NONE) {
    return MBS_OK;
  }
  if (objective->is_being_read || blueprint->objective_depth >= LONGEST_CHAIN) {
    return mbs_fail(context, MBS_ERROR_INPUT, objective->place,
                    objective->is_being_read ? "objective \"%s\" depends on itself"
                                             : "objective \"%s\": a chain of more than 100 objectives",
                    objective->name);
  }
  const MbsRecord *record = &mbs_record_value(&blueprint->model->root, MBS_MODEL_OBJECTIVES)->records[index];
  const char *owner = mbs_arena_print(blueprint->arena, "objective \"%s\"", objective->name);
  unsigned use = objective->kind == MBS_OBJECTIVE_IS_VALUE
                     ? MBS_USE_OBJECTIVES
                     : MBS_USE_POSITION | MBS_USE_VELOCITY | MBS_USE_ACCELERATION | MBS_USE_TIME | MBS_USE_MULTIPLIERS;
  MbsExpression value;
  objective->is_being_read = true;
  blueprint->objective_depth += 1;
  MBS_TRY(mbs_signal_parse(context, blueprint, owner ? owner : objective->name,
                           mbs_record_text(record, fields[objective->kind]), 1, use, 0, NULL, &value));
  blueprint->objective_depth -= 1;
  objective->is_being_read = false;
  objective->expression = value.node[0];
  return MBS_OK;
}
