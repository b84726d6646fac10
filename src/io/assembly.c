// The tree of instances. Numbers (repeat, first) are evaluated here; texts are kept as written, with the place they are
// to be understood in, because a parameter may be given as an expression or as the name of a body or point.
#include "io/assembly.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "expressions/parse.h"

// ---- numbers ----

typedef struct Constants {
  const char *owner;
  MbsGraph *graph;
} Constants;

static MbsStatus refuse_name(void *user, MbsContext *context, MbsPlace place, const char *name, MbsExpression *value) {
  const Constants *constants = user;
  if (mbs_unit_find(constants->graph, name, value)) {
    return MBS_OK;
  }
  return mbs_fail(
      context, MBS_ERROR_INPUT, place,
      "%s: \"%.60s\" is not a constant; what shapes a model is made of numbers and of names under constants",
      constants->owner, name);
}

// A number made of constants.
static MbsStatus evaluate(MbsExpansion *x, const MbsInstance *scope, const char *owner, MbsText text, double *number) {
  MbsContext *context = x->reader->context;
  MbsExpression value;
  const char *rewritten;
  MBS_TRY(mbs_rewrite_expression(x, scope, MBS_EXPRESSION_PLAIN, text, &rewritten));
  Constants constants = {.owner = owner, .graph = x->graph};
  MbsScope names = {.user = &constants, .owner = owner, .resolve = refuse_name};
  MbsText whole = {.text = rewritten, .place = text.place};
  MBS_TRY(mbs_expression_parse_sized(context, x->graph, whole, &names, 1, &value));
  MBS_TRY(mbs_graph_status(context, x->graph));
  const MbsGraphNode *node = mbs_graph_node(x->graph, value.node[0]);
  *number = node->operation == MBS_OP_CONSTANT ? node->value : (double)NAN;
  if (!isfinite(*number)) {
    return mbs_fail(context, MBS_ERROR_INPUT, text.place, "%s: \"%.60s\" is not a finite number", owner, text.text);
  }
  return MBS_OK;
}

MbsStatus mbs_assembly_integer(MbsExpansion *x, const MbsInstance *scope, const char *owner, MbsText text,
                               int *number) {
  double value;
  MBS_TRY(evaluate(x, scope, owner, text, &value));
  const int most = INT_MAX / 4;
  if (fabs(value) > most) {
    return mbs_fail(x->reader->context, MBS_ERROR_INPUT, text.place,
                    "%s: %.10g is too large; a model has at most %d assemblies, with numbers up to %d", owner, value,
                    MBS_ASSEMBLY_MOST_INSTANCES, most);
  }
  if (value != floor(value)) {
    return mbs_fail(x->reader->context, MBS_ERROR_INPUT, text.place, "%s: expected a whole number, \"%.60s\" is %.10g",
                    owner, text.text, value);
  }
  *number = (int)value;
  return MBS_OK;
}

static MbsStatus print_number(MbsExpansion *x, double number, const char **text) {
  *text = mbs_arena_print(x->reader->arena, "%.17g", number);
  return *text ? MBS_OK : mbs_fail(x->reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

// ---- parameters ----

static MbsFormal *find_formal(const MbsInstance *instance, const char *name) {
  for (int i = 0; i < instance->formal_count; ++i) {
    if (strcmp(instance->formals[i].name, name) == 0) {
      return &instance->formals[i];
    }
  }
  return NULL;
}

// The number of a repeated instance, as its first formal.
static MbsStatus set_number(MbsExpansion *x, MbsFormal *formal, int number) {
  *formal = (MbsFormal){.name = "i"};
  formal->value = mbs_arena_print(x->reader->arena, "%d", number);
  formal->text.text = formal->value;
  return formal->value ? MBS_OK : mbs_fail(x->reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

// What the texts of an assembly may name: what the instance it stands in knows, and i.
static MbsStatus calling_scope(MbsExpansion *x, const MbsInstance *caller, bool has_number, int number,
                               const MbsInstance **scope) {
  *scope = caller;
  if (!has_number) {
    return MBS_OK;
  }
  MbsInstance *made;
  MBS_TAKE(x->reader->context, x->reader->arena, made, 1);
  *made = *caller;
  made->formal_count = caller->formal_count + 1;
  MBS_TAKE(x->reader->context, x->reader->arena, made->formals, made->formal_count);
  MBS_TRY(set_number(x, &made->formals[0], number));
  for (int i = 0; i < caller->formal_count; ++i) {
    // an outer number of the same name is hidden
    made->formals[i + 1] = caller->formals[i];
  }
  *scope = made;
  return MBS_OK;
}

static MbsStatus give_parameters(MbsExpansion *x, const MbsWhere *where, const MbsYaml *template, const MbsYaml *with,
                                 MbsPlace place, const MbsInstance *caller, bool has_number, int number,
                                 MbsInstance *instance) {
  const MbsReader *reader = x->reader;
  const MbsYaml *parameters = mbs_yaml_find(template, "parameters");
  int count = parameters ? parameters->count : 0;
  MBS_TAKE(reader->context, reader->arena, instance->formals, count + 1);
  if (has_number) {
    MBS_TRY(set_number(x, &instance->formals[instance->formal_count++], number));
  }
  for (const MbsYaml *pair = parameters ? parameters->first : NULL; pair; pair = pair->next) {
    const MbsYaml *given = with ? mbs_yaml_find(with, pair->key.text) : NULL;
    const MbsYaml *text = given ? given : pair;
    if (text->kind == MBS_YAML_NOTHING) {
      return mbs_reader_fail(reader, where, place,
                             "template \"%.60s\" needs a value for \"%.60s\": write with: {%.60s: ...}",
                             template->key.text, pair->key.text, pair->key.text);
    }
    instance->formals[instance->formal_count++] = (MbsFormal){
        .name = pair->key.text, .text = {.text = text->text, .place = text->place}, .scope = given ? caller : instance};
  }
  for (const MbsYaml *pair = with ? with->first : NULL; pair; pair = pair->next) {
    if (parameters && mbs_yaml_find(parameters, pair->key.text)) {
      continue;
    }
    const char *nearest = NULL;
    for (const MbsYaml *known = parameters ? parameters->first : NULL; known; known = known->next) {
      mbs_name_nearest(pair->key.text, known->key.text, &nearest);
    }
    return mbs_reader_fail(reader, where, pair->key.place, "template \"%.60s\" has no parameter \"%.60s\"%s%s%s",
                           template->key.text, pair->key.text, nearest ? "; did you mean \"" : "",
                           nearest ? nearest : "", nearest ? "\"?" : "");
  }
  return MBS_OK;
}

// ---- placement ----

// p = p_outer + S_outer at, S = S_outer mirror
static MbsStatus place_instance(MbsExpansion *x, const MbsInstance *caller, const MbsValue *at, const char *mirror,
                                MbsInstance *instance) {
  const MbsReader *reader = x->reader;
  instance->is_shifted = caller->is_shifted;
  instance->is_mirrored = false;
  instance->parity = 1;
  for (int k = 0; k < 3; ++k) {
    instance->sign[k] = caller->sign[k] * (mirror && mirror[0] == "xyz"[k] ? -1 : 1);
    instance->parity *= instance->sign[k];
    instance->is_mirrored = instance->is_mirrored || instance->sign[k] < 0;
    instance->shift[k] = caller->shift[k];
    if (!at->is_given || k >= reader->dimension) {
      continue;
    }
    const char *own;
    MbsText text = at->texts[at->count == 1 ? 0 : k];
    if (at->count == 1) {  // one expression, whose value is a vector
      text.text = mbs_arena_print(reader->arena, "(%s).%c", text.text, "xyz"[k]);
      if (!text.text) {
        return mbs_fail(reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
      }
    }
    MBS_TRY(mbs_rewrite_expression(x, caller, MBS_EXPRESSION_PLAIN, text, &own));
    if (strcmp(own, "0") != 0) {
      bool is_zero = strcmp(caller->shift[k], "0") == 0;
      instance->is_shifted = true;
      instance->shift[k] = mbs_arena_print(reader->arena, "%s%s(%s)", is_zero ? "" : caller->shift[k],
                                           caller->sign[k] < 0 ? " - "
                                           : is_zero           ? ""
                                                               : " + ",
                                           own);
      if (!instance->shift[k]) {
        return mbs_fail(reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
      }
    }
  }
  return MBS_OK;
}

// ---- instances ----

static MbsStatus fill_groups(MbsExpansion *x, MbsInstance *instance);

const MbsGroup *mbs_assembly_find(const MbsInstance *instance, const char *name) {
  for (int i = 0; i < instance->group_count; ++i) {
    if (strcmp(instance->groups[i].name.text, name) == 0) {
      return &instance->groups[i];
    }
  }
  return NULL;
}

static MbsStatus find_template(MbsExpansion *x, const MbsWhere *where, MbsText name, const MbsYaml **template) {
  *template = x->templates ? mbs_yaml_find(x->templates, name.text) : NULL;
  if (*template) {
    return MBS_OK;
  }
  const char *nearest = NULL;
  for (const MbsYaml *known = x->templates ? x->templates->first : NULL; known; known = known->next) {
    mbs_name_nearest(name.text, known->key.text, &nearest);
  }
  return mbs_reader_fail(x->reader, where, name.place, "no template \"%.60s\"%s%s%s", name.text,
                         nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

// Name and numbers of an entry of `assemblies`.
static MbsStatus read_group(MbsExpansion *x, const MbsInstance *instance, const MbsWhere *where, const MbsValue *values,
                            MbsGroup *group) {
  const MbsReader *reader = x->reader;
  MbsText repeat = {.text = NULL};
  group->name = values[MBS_ASSEMBLY_NAME].texts[0];
  if (!mbs_name_is_identifier(group->name.text) || strcmp(group->name.text, "ground") == 0) {
    return mbs_reader_fail(reader, where, group->name.place,
                           "\"%.60s\" is not a name; a name has letters, digits and _ and starts with a letter or _",
                           group->name.text);
  }
  if (values[MBS_ASSEMBLY_MIRROR].count > 0 && reader->dimension == 2 &&
      values[MBS_ASSEMBLY_MIRROR].texts[0].text[0] == 'z') {
    return mbs_reader_fail(reader, where, values[MBS_ASSEMBLY_MIRROR].texts[0].place,
                           "in the plane mirror is x or y, not z");
  }
  group->count = 1;
  group->is_repeated = values[MBS_ASSEMBLY_REPEAT].count > 0;
  if (values[MBS_ASSEMBLY_FIRST].is_given && !group->is_repeated) {
    return mbs_reader_fail(reader, where, values[MBS_ASSEMBLY_FIRST].place, "\"first\" goes with \"repeat\"");
  }
  if (group->is_repeated) {
    char owner[128];
    (void)snprintf(owner, sizeof owner, "assembly \"%.60s\": repeat", group->name.text);
    repeat = values[MBS_ASSEMBLY_REPEAT].texts[0];
    MBS_TRY(mbs_assembly_integer(x, instance, owner, repeat, &group->count));
    (void)snprintf(owner, sizeof owner, "assembly \"%.60s\": first", group->name.text);
    MBS_TRY(mbs_assembly_integer(x, instance, owner, values[MBS_ASSEMBLY_FIRST].texts[0], &group->first));
    if (group->count < 0) {
      return mbs_reader_fail(reader, where, repeat.place, "cannot be repeated %d times", group->count);
    }
  }
  if (group->count > MBS_ASSEMBLY_MOST_INSTANCES - x->instance_count) {
    return mbs_reader_fail(reader, where, repeat.text ? repeat.place : group->name.place,
                           "more than %d assemblies in one model", MBS_ASSEMBLY_MOST_INSTANCES);
  }
  x->instance_count += group->count;
  return MBS_OK;
}

static MbsStatus make_instance(MbsExpansion *x, const MbsWhere *where, const MbsInstance *outer, const MbsYaml *entry,
                               const MbsValue *values, const MbsGroup *group, int number, MbsInstance *instance) {
  const MbsReader *reader = x->reader;
  const MbsYaml *template;
  const MbsInstance *caller;
  MbsText name = values[MBS_ASSEMBLY_TEMPLATE].texts[0];
  MBS_TRY(find_template(x, where, name, &template));
  if (outer->depth == MBS_ASSEMBLY_DEEPEST) {
    return mbs_reader_fail(reader, where, name.place, "templates stand in each other deeper than %d levels",
                           MBS_ASSEMBLY_DEEPEST);
  }
  instance->outer = outer;
  instance->depth = outer->depth + 1;
  instance->sections = template;
  instance->prefix = group->is_repeated ? mbs_arena_print(reader->arena, "%s%s_%s%d_", outer->prefix, group->name.text,
                                                          number < 0 ? "minus_" : "", number < 0 ? -number : number)
                                        : mbs_arena_print(reader->arena, "%s%s_", outer->prefix, group->name.text);
  if (!instance->prefix) {
    return mbs_fail(reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MBS_TRY(calling_scope(x, outer, group->is_repeated, number, &caller));
  MBS_TRY(give_parameters(x, where, template, mbs_yaml_find(entry, mbs_assembly_type.fields[MBS_ASSEMBLY_WITH].name),
                          group->name.place, caller, group->is_repeated, number, instance));
  MBS_TRY(place_instance(x, caller, &values[MBS_ASSEMBLY_AT],
                         values[MBS_ASSEMBLY_MIRROR].count > 0 ? values[MBS_ASSEMBLY_MIRROR].texts[0].text : NULL,
                         instance));
  return fill_groups(x, instance);
}

// The assemblies of an instance: first all names and numbers, since any text may refer to any of them.
static MbsStatus fill_groups(MbsExpansion *x, MbsInstance *instance) {
  const MbsReader *reader = x->reader;
  const MbsYaml *assemblies = mbs_yaml_find(instance->sections, mbs_file_type.fields[MBS_FILE_ASSEMBLIES].name);
  const MbsWhere section = {.word = "assemblies"};
  if (!assemblies) {
    return MBS_OK;
  }
  MBS_TRY(mbs_reader_expect(reader, &section, assemblies, MBS_YAML_LIST, "a list"));
  const MbsValue **values;
  MbsText *names;
  MBS_TAKE(reader->context, reader->arena, values, assemblies->count);
  MBS_TAKE(reader->context, reader->arena, names, assemblies->count);
  MBS_TAKE(reader->context, reader->arena, instance->groups, assemblies->count);
  for (const MbsYaml *entry = assemblies->first; entry; entry = entry->next) {
    int index = instance->group_count;
    const MbsYaml *name = entry->kind == MBS_YAML_MAPPING ? mbs_yaml_find(entry, "name") : NULL;
    MbsWhere where = {.word = "assembly", .name = name && name->text ? name->text : "?"};
    MBS_TRY(mbs_reader_read_record(reader, &where, &mbs_assembly_type, entry, NULL, entry->place, &values[index]));
    MBS_TRY(read_group(x, instance, &where, values[index], &instance->groups[index]));
    names[instance->group_count++] = instance->groups[index].name;
  }
  const MbsText *twice = mbs_yaml_find_duplicate(names, instance->group_count);
  if (twice) {
    return mbs_reader_fail(reader, NULL, twice[1].place, "a second assembly is called \"%.60s\"; the first is at %d:%d",
                           twice[1].text, twice[0].place.line, twice[0].place.column);
  }
  int index = 0;
  for (const MbsYaml *entry = assemblies->first; entry; entry = entry->next, ++index) {
    MbsGroup *group = &instance->groups[index];
    MbsWhere where = {.word = "assembly", .name = group->name.text};
    MBS_TAKE(reader->context, reader->arena, group->instances, group->count);
    for (int k = 0; k < group->count; ++k) {
      MBS_TRY(make_instance(x, &where, instance, entry, values[index], group, group->first + k, &group->instances[k]));
    }
  }
  return MBS_OK;
}

// ---- the model ----

// Constants are numbers, whatever they are made of.
static MbsStatus read_constants(MbsExpansion *x, const MbsYaml *root, MbsInstance *model) {
  const MbsReader *reader = x->reader;
  const MbsYaml *constants = mbs_yaml_find(root, mbs_file_type.fields[MBS_FILE_CONSTANTS].name);
  const MbsYaml *parameters = mbs_yaml_find(root, mbs_model_type.fields[MBS_MODEL_PARAMETERS].name);
  if (!constants) {
    return MBS_OK;
  }
  MbsWhere where = {.word = constants->key.text};
  MbsValue value = {.is_given = false};
  MBS_TRY(mbs_reader_read_value(reader, NULL, &mbs_file_type.fields[MBS_FILE_CONSTANTS], constants, &value));
  MBS_TAKE(reader->context, reader->arena, model->formals, value.count);
  for (int i = 0; i < value.count; ++i) {
    const MbsRecord *record = &value.records[i];
    const MbsYaml *parameter =
        parameters && parameters->kind == MBS_YAML_MAPPING ? mbs_yaml_find(parameters, record->name.text) : NULL;
    MBS_TRY(mbs_template_check_name(reader, &where, record->name));
    if (parameter) {
      return mbs_reader_fail(reader, &where, record->name.place, "\"%.60s\" is a parameter too, at %d:%d",
                             record->name.text, parameter->key.place.line, parameter->key.place.column);
    }
    MBS_TRY(mbs_template_refuse_number(reader, &where, root, record->name));
    model->formals[model->formal_count++] =
        (MbsFormal){.name = record->name.text, .text = record->values[0].texts[0], .scope = model};
  }
  for (int i = 0; i < model->formal_count; ++i) {
    MbsFormal *formal = find_formal(model, value.records[i].name.text);
    char owner[128];
    double number;
    (void)snprintf(owner, sizeof owner, "constant \"%.60s\"", formal->name);
    MBS_TRY(evaluate(x, model, owner, formal->text, &number));
    MBS_TRY(print_number(x, number, &formal->value));
  }
  return MBS_OK;
}

MbsStatus mbs_assembly_create(MbsExpansion *x, const MbsYaml *root) {
  const MbsReader *reader = x->reader;
  const MbsWhere where = {.word = "templates"};
  x->templates = mbs_yaml_find(root, mbs_file_type.fields[MBS_FILE_TEMPLATES].name);
  if (x->templates) {
    MBS_TRY(mbs_reader_expect(reader, &where, x->templates, MBS_YAML_MAPPING, "a mapping of names"));
    for (const MbsYaml *template = x->templates->first; template; template = template->next) {
      MBS_TRY(mbs_template_check(reader, template));
    }
  }
  MbsInstance *model;
  MBS_TAKE(reader->context, reader->arena, model, 1);
  *model = (MbsInstance){.prefix = "", .sections = root, .sign = {1, 1, 1}, .parity = 1, .shift = {"0", "0", "0"}};
  x->model = model;
  MBS_TRY(read_constants(x, root, model));
  return fill_groups(x, model);
}
