// Functions of expressions: built in, or of the model (functions: of a model file).
//
// A call f(e1, e2) of a function of the model is its body with the arguments in their place: the body is parsed anew,
// with the names of the arguments bound to the nodes of e1, e2, and every other name with the meaning it has for the
// model where the call stands. So what a body may use is what the place of the call allows, and derivatives follow by
// themselves. Inside one call, the same function of the same arguments is parsed once: bodies that call one another as
// a tyre's do would be parsed a thousand times otherwise.
//
// d(f, e) is df/dx at x = e: the body with an input of its own in the place of the argument, differentiated by it, and
// then e in its place. d(f, k, e1, ..., en) is the derivative by argument number k, and d(d(f), e), d(d(f, k), l, e1,
// ...) are second ones. Arguments by which nothing is differentiated are bound as in a call.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "expressions/functions.h"

enum { MOST_CALLS = 100000, DEEPEST_CALL = 50 };

// ---- the body of a function of the model ----

// What names mean in it: arguments, or what they mean to the model.
typedef struct Body {
  const MbsScope *outside;
  const MbsFormula *formula;
  const MbsArguments *arguments;
  MbsGraph *graph;
} Body;

static const MbsExpression *find_argument(const Body *body, const char *name, size_t length) {
  for (int k = 0; k < body->formula->argument_count; ++k) {
    const char *argument = body->formula->arguments[k];
    if (strlen(argument) == length && strncmp(argument, name, length) == 0) {
      return &body->arguments->values[k];
    }
  }
  return NULL;
}

// u.x of an argument u that is a vector is one name to the scanner
static MbsStatus resolve(void *user, MbsContext *context, MbsPlace place, const char *name, MbsExpression *value) {
  const Body *body = user;
  size_t length = strcspn(name, ".");
  const MbsExpression *argument = find_argument(body, name, length);
  if (argument && name[length] == '\0') {
    *value = *argument;
    return MBS_OK;
  }
  if (argument) {
    const char *component = name + length + 1;
    int k = component[0] - 'x';
    if (strlen(component) != 1 || k < 0 || k >= 3 || argument->size == 1 || k >= argument->size) {
      return mbs_fail(context, MBS_ERROR_INPUT, place, "%s%sthe argument \"%.*s\" is %s, which has no component \"%s\"",
                      body->outside->owner ? body->outside->owner : "", body->outside->owner ? ": " : "", (int)length,
                      name, mbs_expression_kind(argument->size), component);
    }
    *value = (MbsExpression){.size = 1, .node = {argument->node[k]}};
    return MBS_OK;
  }
  if (body->outside->resolve) {
    return body->outside->resolve(body->outside->user, context, place, name, value);
  }
  return mbs_unit_find(body->graph, name, value)
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, place, "unknown name \"%s\": only numbers are known here", name);
}

static MbsStatus call(void *user, MbsContext *context, MbsPlace place, const char *function, int count,
                      const char *const *names, MbsExpression *value) {
  const Body *body = user;
  return body->outside->call(body->outside->user, context, place, function, count, names, value);
}

static MbsStatus apply(void *user, MbsContext *context, MbsPlace place, const char *function, int count,
                       const MbsExpression *arguments, MbsExpression *value) {
  const Body *body = user;
  return body->outside->apply(body->outside->user, context, place, function, count, arguments, value);
}

// The place of a call among those that are kept, by function and arguments; NULL: one with too many arguments.
static MbsKeptCall *kept_call(MbsCallCount *count, const MbsFormula *formula, const MbsArguments *arguments) {
  uintptr_t hash = (uintptr_t)formula / sizeof *formula;
  if (arguments->count > MBS_KEPT_ARGUMENTS) {
    return NULL;
  }
  for (int i = 0; i < arguments->count; ++i) {
    for (int k = 0; k < arguments->values[i].size; ++k) {
      hash = hash * 31 + (uintptr_t)arguments->values[i].node[k];
    }
  }
  return &count->kept[hash % MBS_KEPT_CALLS];
}

static bool is_kept(const MbsKeptCall *kept, const MbsFormula *formula, const MbsArguments *arguments) {
  if (kept->formula != formula) {
    return false;
  }
  for (int i = 0; i < arguments->count; ++i) {
    const MbsExpression *a = &kept->arguments[i], *b = &arguments->values[i];
    if (a->size != b->size || memcmp(a->node, b->node, (size_t)a->size * sizeof *a->node) != 0) {
      return false;
    }
  }
  return true;
}

// that of the call around this one, or a new one
static MbsCallCount *count_of(const MbsScope *scope, MbsCallCount *own) {
  if (scope->count) {
    return scope->count;
  }
  *own = (MbsCallCount){.total = 0};
  return own;
}

static MbsStatus apply_formula(const MbsCall *made, const MbsFormula *formula, const MbsArguments *arguments,
                               MbsExpression *value) {
  const MbsScope *outside = made->scope->global ? made->scope->global : made->scope;
  MbsContext *context = made->scanner->context;
  MbsCallCount own, *count = count_of(made->scope, &own);
  Body body = {.outside = outside, .formula = formula, .arguments = arguments, .graph = made->graph};
  MbsScope inside = {.user = &body,
                     .owner = outside->owner,
                     .resolve = resolve,
                     .call = outside->call ? call : NULL,
                     .apply = outside->apply ? apply : NULL,
                     .takes_expressions = outside->takes_expressions,
                     .has_function = outside->has_function,
                     .words = outside->words,
                     .model = outside->model,
                     .global = outside,
                     .count = count};
  MbsKeptCall *kept = kept_call(count, formula, arguments);
  if (kept && is_kept(kept, formula, arguments)) {
    *value = kept->value;
    return MBS_OK;
  }
  if (++count->total > MOST_CALLS || count->depth == DEEPEST_CALL) {
    return mbs_scanner_fail(made->scanner, made->offset,
                            "functions that call functions: more than %d calls, or deeper than %d", MOST_CALLS,
                            DEEPEST_CALL);
  }
  int nesting = count->nesting;
  count->depth += 1;
  count->nesting = made->nesting + 1;  // all of it is one recursion of the parser
  MbsStatus status = mbs_expression_parse(context, made->graph, formula->body, &inside, value);
  count->depth -= 1;
  count->nesting = nesting;
  if (status == MBS_OK && kept) {
    *kept = (MbsKeptCall){.formula = formula, .value = *value};
    memcpy(kept->arguments, arguments->values, (size_t)arguments->count * sizeof *kept->arguments);
  }
  if (status != MBS_OK) {
    MbsPlace place = mbs_scanner_place(made->scanner, made->offset);
    mbs_fail_append(context, "; in function \"%s\", called at %s:%d:%d", formula->name,
                    place.file ? place.file : "model", place.line, place.column);
  }
  return status;
}

// ---- calls ----

bool mbs_callee_find(const MbsScope *scope, const char *name, MbsCallee *callee) {
  const MbsModelWords *words = scope ? scope->words : NULL;
  *callee = (MbsCallee){.name = name, .built_in = mbs_built_in_find(name)};
  if (!callee->built_in && words && words->find_formula) {
    callee->formula = words->find_formula(scope->model, name);
  }
  if (!callee->built_in && !callee->formula && words && words->find_table) {
    callee->table = words->find_table(scope->model, name, &callee->table_arguments);
  }
  bool is_found = callee->built_in || callee->formula || callee->table;
  callee->external = !is_found && words && words->find_external ? words->find_external(scope->model, name) : NULL;
  return is_found || callee->external;
}

int mbs_callee_argument_count(const MbsCallee *callee) {
  return callee->external  ? callee->external->function.argument_count
         : callee->table   ? callee->table_arguments
         : callee->formula ? callee->formula->argument_count
                           : callee->built_in->argument_count;
}

static MbsStatus check_count(const MbsCall *made, const MbsCallee *callee, int wanted, int count) {
  return wanted == count ? MBS_OK
                         : mbs_scanner_fail(made->scanner, made->offset, "%s() takes %d argument%s, %d given",
                                            callee->name, wanted, wanted == 1 ? "" : "s", count);
}

// the components of the arguments, one after another
static MbsStatus apply_external(const MbsCall *made, const MbsCallee *callee, const MbsArguments *arguments,
                                MbsExpression *value) {
  const MbsModelFunction *f = &callee->external->function;
  MbsNode components[MBS_MOST_FUNCTION_ARGUMENTS];
  int count = 0;
  for (int i = 0; i < arguments->count; ++i) {
    for (int k = 0; k < arguments->values[i].size; ++k, ++count) {
      if (count < MBS_MOST_FUNCTION_ARGUMENTS) {
        components[count] = arguments->values[i].node[k];
      }
    }
  }
  if (count != f->argument_count) {
    return mbs_scanner_fail(made->scanner, made->offset,
                            "%s() of the program takes %d number%s (components of vectors among them), %d given",
                            callee->name, f->argument_count, f->argument_count == 1 ? "" : "s", count);
  }
  *value = (MbsExpression){.size = f->result_count};
  for (int i = 0; i < f->result_count; ++i) {
    value->node[i] = mbs_graph_call_external(made->graph, callee->external, i, count, components);
  }
  return MBS_OK;
}

MbsStatus mbs_callee_apply(const MbsCall *made, const MbsCallee *callee, const MbsArguments *arguments,
                           MbsExpression *value) {
  const MbsBuiltIn *function = callee->built_in;
  int count = arguments->count;
  char trouble[128];
  if (callee->formula) {
    MBS_TRY(check_count(made, callee, callee->formula->argument_count, count));
    return apply_formula(made, callee->formula, arguments, value);
  }
  if (callee->external) {
    return apply_external(made, callee, arguments, value);
  }
  if (callee->table) {
    MBS_TRY(check_count(made, callee, callee->table_arguments, count));
    return made->scope->words->apply_table(made->scope->model, made->scanner->context, made->scope->owner,
                                           mbs_scanner_place(made->scanner, made->offset), callee->table,
                                           arguments->values, value);
  }
  if (function->argument_count == MBS_ANY_COUNT) {
    return count >= 4 && count % 2 == 0
               ? mbs_piecewise_apply(made->scanner, made->graph, made->scope, arguments, value)
               : mbs_scanner_fail(
                     made->scanner, made->offset,
                     "%s() takes a number, a piece, and then breakpoints, each with the piece from there: 4, "
                     "6, 8, ... arguments, %d given",
                     function->name, count);
  }
  MBS_TRY(check_count(made, callee, function->argument_count, count));
  if (!mbs_built_in_apply(function, made->graph, arguments->values, value, trouble, sizeof trouble)) {
    return mbs_scanner_fail(made->scanner, made->offset, "%s", trouble);
  }
  return MBS_OK;
}

// ---- derivatives ----

// The input that stands for the argument by which the function is differentiated; another one in each d() inside.
static MbsStatus take_input(const MbsCall *made, MbsCallCount *count, int *input) {
  int index = count->inputs++;
  if (index >= MBS_MOST_DERIVATIVES) {
    return mbs_scanner_fail(made->scanner, made->offset, "d() inside functions inside d(): at most %d of them",
                            MBS_MOST_DERIVATIVES);
  }
  if (made->scope && made->scope->words && made->scope->words->input) {
    return made->scope->words->input(made->scope->model, made->scanner->context, index, input);
  }
  *input = index;
  return MBS_OK;
}

MbsStatus mbs_callee_differentiate(const MbsCall *made, const MbsDerivative *derivative, const MbsArguments *arguments,
                                   MbsExpression *value) {
  MbsContext *context = made->scanner->context;
  MbsScope bare = {.owner = made->scanner->owner}, scope = made->scope ? *made->scope : bare;
  MbsCallCount own, *count = count_of(&scope, &own);
  MbsExpression values[MBS_DERIVATIVE_ARGUMENTS];
  MbsNode from[MBS_DERIVATIVE_ORDER], to[MBS_DERIVATIVE_ORDER];
  int inputs[MBS_DERIVATIVE_ORDER], before = count->inputs;
  MbsSubstitution back = {.from = from, .to = to};
  MbsArguments bound = *arguments;
  MbsCall inside = *made;
  if (arguments->count > MBS_DERIVATIVE_ARGUMENTS) {
    return mbs_scanner_fail(made->scanner, made->offset, "d(): a function with more than %d arguments is not offered",
                            MBS_DERIVATIVE_ARGUMENTS);
  }
  memcpy(values, arguments->values, (size_t)arguments->count * sizeof *values);
  bound.values = values;
  scope.count = count;
  inside.scope = &scope;
  for (int i = 0; i < derivative->order; ++i) {
    int k = derivative->by[i] - 1, same = 0;
    while (same < i && derivative->by[same] - 1 != k) {
      ++same;
    }
    if (same < i) {  // a second time by the same argument
      inputs[i] = inputs[same];
      continue;
    }
    if (k >= arguments->count) {
      return mbs_callee_apply(made, &derivative->callee, arguments, value);
    }
    if (values[k].size != 1) {
      return mbs_scanner_fail(made->scanner, arguments->offsets[k], "d() differentiates by a number, not by %s",
                              mbs_expression_kind(values[k].size));
    }
    MBS_TRY(take_input(made, count, &inputs[i]));
    to[back.count] = values[k].node[0];
    from[back.count] = values[k].node[0] = mbs_graph_input(made->graph, inputs[i]);
    back.count += 1;
  }
  MBS_TRY(mbs_callee_apply(&inside, &derivative->callee, &bound, value));
  count->inputs = before;
  for (int c = 0; c < value->size; ++c) {
    for (int i = 0; i < derivative->order; ++i) {
      value->node[c] = mbs_graph_derivative(made->graph, value->node[c], inputs[i]);
    }
    MBS_TRY(mbs_graph_substitute(context, made->graph, value->node[c], &back, &value->node[c]));
  }
  return MBS_OK;
}
