// Names of things, as a template writes them, as names of the model.
//
// A reference is a path: link.B, left.link.B, cell(i-1).link.B, ground.A, P. Its first part is looked for in the
// instance the text stands in, then in the one around it, and so on up to the model:
//     an assembly      the path goes on inside it
//     ground           if the ground of the template has that point or vector
//     a body           with a point or vector after it, or alone
//     a coordinate or a variable, where one is meant; a named joint, force or objective; a bare point; a parameter that
//     stands for a name
// A part with a number in parentheses is one of a repeated assembly.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "io/assembly.h"

enum { MOST_PARTS = 16, PART_ROOM = 128, MOST_BODIES = 32 };

typedef struct Part {
  char name[PART_ROOM];
  bool has_number;
  int number;
} Part;

typedef struct Path {
  int count;
  Part parts[MOST_PARTS];
} Path;

static MbsStatus copy(const MbsExpansion *x, const char *made, const char **result) {
  *result = made;
  return made ? MBS_OK : mbs_fail(x->reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

// ---- paths ----

static bool is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

// The number in the parentheses at *at, which moves behind them; *is_good false: they do not close.
static MbsStatus parse_number(MbsExpansion *x, const MbsInstance *scope, MbsText text, int *at, Part *part,
                              bool *is_good) {
  int open = 0, end = *at;
  do {
    open += (text.text[end] == '(') - (text.text[end] == ')');
    *is_good = text.text[end] != '\0';
    ++end;
  } while (*is_good && open > 0);
  if (!*is_good) {
    return MBS_OK;
  }
  char *inside, owner[PART_ROOM + 64];
  MBS_TAKE(x->reader->context, x->reader->arena, inside, end - *at);
  memcpy(inside, text.text + *at + 1, (size_t)(end - *at - 2));
  (void)snprintf(owner, sizeof owner, "number of assembly \"%.60s\"", part->name);
  MbsText number = {.text = inside, .place = text.place};
  number.place.column += *at + 1;
  if (x->depth == MBS_ASSEMBLY_LONGEST_CHAIN) {
    return mbs_fail(x->reader->context, MBS_ERROR_INPUT, number.place, "%s: parentheses in each other deeper than %d",
                    owner, MBS_ASSEMBLY_LONGEST_CHAIN);
  }
  x->depth += 1;
  MBS_TRY(mbs_assembly_integer(x, scope, owner, number, &part->number));
  x->depth -= 1;
  part->has_number = true;
  *at = end;
  return MBS_OK;
}

static MbsStatus parse_path(MbsExpansion *x, const MbsInstance *scope, MbsText text, Path *path, bool *is_good) {
  int at = 0;
  for (path->count = 0;; ++at) {
    *is_good = false;
    int length = 0;
    while (is_letter(text.text[at + length])) {
      ++length;
    }
    if (length == 0 || length >= PART_ROOM || path->count == MOST_PARTS) {
      return MBS_OK;
    }
    Part *part = &path->parts[path->count++];
    *part = (Part){.has_number = false};
    memcpy(part->name, text.text + at, (size_t)length);
    at += length;
    *is_good = true;
    if (text.text[at] == '(') {
      MBS_TRY(parse_number(x, scope, text, &at, part, is_good));
    }
    if (!*is_good || text.text[at] == '\0') {
      return MBS_OK;
    }
    if (text.text[at] != '.') {
      *is_good = false;
      return MBS_OK;
    }
  }
}

// The rest of a path from part `from` on: ".link.B"
static void join(const Path *path, int from, char *text, size_t size) {
  text[0] = '\0';
  for (int i = from; i < path->count; ++i) {
    size_t used = strlen(text);
    (void)snprintf(text + used, size - used, ".%s", path->parts[i].name);
    used = strlen(text);
    if (path->parts[i].has_number) {
      (void)snprintf(text + used, size - used, "(%d)", path->parts[i].number);
    }
  }
}

// ---- what an instance has ----

static const MbsYaml *section(const MbsInstance *instance, int field, MbsYamlKind kind) {
  const MbsYaml *found = mbs_yaml_find(instance->sections, mbs_model_type.fields[field].name);
  return found && found->kind == kind ? found : NULL;
}

static bool has_key(const MbsYaml *mapping, const char *outer, const char *key) {
  const MbsYaml *inner = mapping && mapping->kind == MBS_YAML_MAPPING ? mbs_yaml_find(mapping, outer) : NULL;
  return inner && inner->kind == MBS_YAML_MAPPING && mbs_yaml_find(inner, key);
}

static bool has_body(const MbsInstance *instance, const char *name) {
  const MbsYaml *bodies = section(instance, MBS_MODEL_BODIES, MBS_YAML_MAPPING);
  return bodies && mbs_yaml_find(bodies, name);
}

static bool has_on_ground(const MbsInstance *instance, const char *points_or_vectors, const char *name) {
  return has_key(section(instance, MBS_MODEL_GROUND, MBS_YAML_MAPPING), points_or_vectors, name);
}

// coordinates, states or variables
static bool has_number(const MbsInstance *instance, int field, const char *name, size_t length) {
  const MbsYaml *numbers = section(instance, field, MBS_YAML_MAPPING);
  for (const MbsYaml *pair = numbers ? numbers->first : NULL; pair; pair = pair->next) {
    if (strlen(pair->key.text) == length && strncmp(pair->key.text, name, length) == 0) {
      return true;
    }
  }
  return false;
}

const MbsInstance *mbs_reference_number_owner(const MbsInstance *scope, const char *name, size_t length) {
  const MbsInstance *around = scope;
  while (around && !has_number(around, MBS_MODEL_COORDINATES, name, length) &&
         !has_number(around, MBS_MODEL_STATES, name, length) &&
         !has_number(around, MBS_MODEL_VARIABLES, name, length) &&
         !has_number(around, MBS_MODEL_INPUTS, name, length)) {
    around = around->outer;
  }
  return around;
}

// the key of a function is its name and its arguments: f(x, y)
static bool has_formula(const MbsInstance *instance, const char *name, size_t length) {
  const MbsYaml *functions = section(instance, MBS_MODEL_FUNCTIONS, MBS_YAML_MAPPING);
  for (const MbsYaml *pair = functions ? functions->first : NULL; pair; pair = pair->next) {
    if (strcspn(pair->key.text, " (") == length && strncmp(pair->key.text, name, length) == 0) {
      return true;
    }
  }
  return false;
}

static bool is_made(const MbsGroup *group) {
  return group->instances && group->count > 0 && group->instances[0].prefix;
}

// does a template have any, itself or inside? the same for all that are made of it
static bool has_any_function(const MbsInstance *instance) {
  bool has = section(instance, MBS_MODEL_TABLES, MBS_YAML_MAPPING) != NULL ||
             section(instance, MBS_MODEL_FUNCTIONS, MBS_YAML_MAPPING) != NULL;
  for (int g = 0; g < instance->group_count && !has; ++g) {
    const MbsGroup *group = &instance->groups[g];
    has = is_made(group) && has_any_function(&group->instances[0]);
  }
  return has;
}

// a function, or a table; or one of an assembly inside, by the name it has here: left_road
static bool has_function(const MbsInstance *instance, const char *name, size_t length) {
  for (int g = 0; g < instance->group_count; ++g) {
    const MbsGroup *group = &instance->groups[g];
    if (!is_made(group) || !has_any_function(&group->instances[0])) {
      continue;
    }
    for (int k = 0; k < group->count && group->instances[k].prefix; ++k) {  // made so far
      const MbsInstance *inner = &group->instances[k];
      const char *prefix = inner->prefix + strlen(instance->prefix);
      size_t size = strlen(prefix);
      if (length > size && strncmp(name, prefix, size) == 0 && has_function(inner, name + size, length - size)) {
        return true;
      }
    }
  }
  const MbsYaml *tables = section(instance, MBS_MODEL_TABLES, MBS_YAML_MAPPING);
  for (const MbsYaml *pair = tables ? tables->first : NULL; pair; pair = pair->next) {
    if (strlen(pair->key.text) == length && strncmp(pair->key.text, name, length) == 0) {
      return true;
    }
  }
  return has_formula(instance, name, length);
}

const MbsInstance *mbs_reference_function_owner(const MbsInstance *scope, const char *name, size_t length) {
  while (scope && !has_function(scope, name, length)) {
    scope = scope->outer;
  }
  return scope;
}

// The joint or force with this name of its own.
static const MbsYaml *find_element(const MbsInstance *instance, int list_field, const char *name) {
  const MbsYaml *list = section(instance, list_field, MBS_YAML_LIST);
  for (const MbsYaml *item = list ? list->first : NULL; item; item = item->next) {
    const MbsYaml *own = item->kind == MBS_YAML_MAPPING ? mbs_yaml_find(item, "name") : NULL;
    if (own && own->text && strcmp(own->text, name) == 0) {
      return item;
    }
  }
  return NULL;
}

static bool has_element(const MbsInstance *instance, const char *name) {
  return find_element(instance, MBS_MODEL_JOINTS, name) || find_element(instance, MBS_MODEL_FORCES, name);
}

// Does a joint of the template make the points of this name on two of its bodies one point?
static bool is_joined(const MbsInstance *instance, const char *point, const char *a, const char *b) {
  static const char *const types[] = {"revolute", "spherical", "universal", "fixed"};
  const MbsYaml *joints = section(instance, MBS_MODEL_JOINTS, MBS_YAML_LIST);
  char names[2][2 * PART_ROOM];
  (void)snprintf(names[0], sizeof names[0], "%.100s.%.100s", a, point);
  (void)snprintf(names[1], sizeof names[1], "%.100s.%.100s", b, point);
  for (const MbsYaml *joint = joints ? joints->first : NULL; joint; joint = joint->next) {
    for (int i = 0; i < MBS_COUNT(types) && joint->kind == MBS_YAML_MAPPING; ++i) {
      const MbsYaml *ends = mbs_yaml_find(joint, types[i]);
      const char *first = ends && ends->kind == MBS_YAML_LIST && ends->count == 2 ? ends->first->text : NULL;
      const char *second = first ? ends->first->next->text : NULL;
      if (second && ((strcmp(first, names[0]) == 0 && strcmp(second, names[1]) == 0) ||
                     (strcmp(first, names[1]) == 0 && strcmp(second, names[0]) == 0))) {
        return true;
      }
    }
  }
  return false;
}

// The body of a bare point: the one that has it, or the first of several that share it; "ground"; or NULL.
static MbsStatus find_point(const MbsExpansion *x, const MbsInstance *instance, MbsText text, const char *name,
                            const char **body) {
  const MbsYaml *bodies = section(instance, MBS_MODEL_BODIES, MBS_YAML_MAPPING);
  const char *found[MOST_BODIES];
  int count = 0, reached = 1;
  if (has_on_ground(instance, "points", name)) {
    found[count++] = "ground";
  }
  for (const MbsYaml *pair = bodies ? bodies->first : NULL; pair && count < MOST_BODIES; pair = pair->next) {
    if (has_key(pair, "points", name)) {
      found[count++] = pair->key.text;
    }
  }
  *body = count > 0 ? found[0] : NULL;
  // the first `reached` of them are one point; each round brings one more that is joined to one of these
  for (bool is_growing = true; is_growing && reached < count;) {
    is_growing = false;
    for (int i = reached; i < count && !is_growing; ++i) {
      for (int k = 0; k < reached && !is_growing; ++k) {
        is_growing = is_joined(instance, name, found[i], found[k]);
      }
      if (is_growing) {
        const char *next = found[i];
        found[i] = found[reached];
        found[reached++] = next;
      }
    }
  }
  if (reached < count) {
    return mbs_fail(x->reader->context, MBS_ERROR_INPUT, text.place,
                    "point \"%s\" is ambiguous: \"%.60s.%s\" and \"%.60s.%s\" are different points of the template; "
                    "write body.point",
                    name, found[0], name, found[reached], name);
  }
  return MBS_OK;
}

// ---- looking up ----

// The names of a thing in an instance, with what follows it: left_link.B, ground.left_A
static MbsStatus name_of(const MbsExpansion *x, const MbsInstance *instance, const char *thing, const char *rest,
                         const char **result) {
  if (strcmp(thing, "ground") == 0) {
    return copy(x, mbs_arena_print(x->reader->arena, "ground.%s%s", instance->prefix, rest[0] ? rest + 1 : ""), result);
  }
  return copy(x, mbs_arena_print(x->reader->arena, "%s%s%s", instance->prefix, thing, rest), result);
}

static MbsStatus pick_instance(const MbsExpansion *x, const MbsGroup *group, const Part *part, MbsPlace place,
                               const MbsInstance **instance) {
  MbsContext *context = x->reader->context;
  if (part->has_number && !group->is_repeated) {
    return mbs_fail(context, MBS_ERROR_INPUT, place, "assembly \"%.60s\" is not repeated, so it has no number",
                    part->name);
  }
  if (!part->has_number && group->is_repeated) {
    return mbs_fail(context, MBS_ERROR_INPUT, place, "assembly \"%.60s\" is repeated: say which, as in %.60s(%d)",
                    part->name, part->name, group->first);
  }
  int index = part->has_number ? part->number - group->first : 0;
  if (index < 0 || index >= group->count) {
    return mbs_fail(context, MBS_ERROR_INPUT, place, "there is no %.60s(%d): assembly \"%.60s\" has numbers %d to %d",
                    part->name, part->number, part->name, group->first, group->first + group->count - 1);
  }
  *instance = &group->instances[index];
  return MBS_OK;
}

// The path from part `from` on is meant inside this instance.
static MbsStatus descend(MbsExpansion *x, const MbsInstance *instance, MbsReferenceKind kind, MbsText text,
                         const Path *path, int from, const char **result) {
  static const char *const parts[] = {"body", "body.point", "body.vector", "coordinate", "variable"};
  char rest[MOST_PARTS * PART_ROOM];
  if (from == path->count) {
    return mbs_fail(x->reader->context, MBS_ERROR_INPUT, text.place,
                    "\"%.60s\" is an assembly; name a part of it: %.60s.%s", text.text, text.text, parts[kind]);
  }
  const Part *part = &path->parts[from];
  const MbsGroup *group = mbs_assembly_find(instance, part->name);
  if (group) {
    MBS_TRY(pick_instance(x, group, part, text.place, &instance));
    return descend(x, instance, kind, text, path, from + 1, result);
  }
  if (part->has_number) {
    return mbs_fail(x->reader->context, MBS_ERROR_INPUT, text.place, "no assembly \"%.60s\"", part->name);
  }
  if (kind == MBS_REFERENCE_POINT && from + 1 == path->count && instance->outer) {
    const char *body;
    MBS_TRY(find_point(x, instance, text, part->name, &body));
    if (body) {
      (void)snprintf(rest, sizeof rest, ".%s", part->name);
      return name_of(x, instance, body, rest, result);
    }
  }
  join(path, from + 1, rest, sizeof rest);
  return name_of(x, instance, part->name, rest, result);
}

// Is the first part of the path something of this instance?
static MbsStatus look_in(MbsExpansion *x, const MbsInstance *instance, MbsReferenceKind kind, MbsText text,
                         const Path *path, bool *is_found, const char **result) {
  const Part *first = &path->parts[0];
  const MbsGroup *group = mbs_assembly_find(instance, first->name);
  *is_found = true;
  if (group) {
    MBS_TRY(pick_instance(x, group, first, text.place, &instance));
    return descend(x, instance, kind, text, path, 1, result);
  }
  bool is_alone = path->count == 1, is_of_ground = strcmp(first->name, "ground") == 0 && path->count == 2;
  bool is_bare_point = is_alone && kind == MBS_REFERENCE_POINT;
  bool is_mine = false;
  if (instance->outer && !first->has_number) {
    switch (kind) {
      case MBS_REFERENCE_COORDINATE:
        is_mine = is_alone && has_number(instance, MBS_MODEL_COORDINATES, first->name, strlen(first->name));
        break;
      case MBS_REFERENCE_VARIABLE:
        is_mine = is_alone && (has_number(instance, MBS_MODEL_VARIABLES, first->name, strlen(first->name)) ||
                               has_number(instance, MBS_MODEL_STATES, first->name, strlen(first->name)));
        break;
      case MBS_REFERENCE_EVENT:
        is_mine = is_alone && has_number(instance, MBS_MODEL_EVENTS, first->name, strlen(first->name));
        break;
      case MBS_REFERENCE_VECTOR:
        is_mine = (is_of_ground && has_on_ground(instance, "vectors", path->parts[1].name)) ||
                  (!is_alone && has_body(instance, first->name));
        break;
      case MBS_REFERENCE_POINT:
      case MBS_REFERENCE_THING:
        is_mine = (is_of_ground && has_on_ground(instance, "points", path->parts[1].name)) ||
                  (has_body(instance, first->name) && !is_bare_point) ||
                  (kind == MBS_REFERENCE_THING && has_element(instance, first->name));
        break;
    }
    if (is_mine) {
      return descend(x, instance, MBS_REFERENCE_THING, text, path, 0, result);
    }
    const char *body = NULL;
    if (is_alone && (kind == MBS_REFERENCE_THING || kind == MBS_REFERENCE_POINT)) {
      MBS_TRY(find_point(x, instance, text, first->name, &body));
    }
    if (body) {
      return descend(x, instance, MBS_REFERENCE_POINT, text, path, 0, result);
    }
  }
  *is_found = false;
  return MBS_OK;
}

// A parameter of the template that stands for a name.
static MbsStatus look_in_formals(MbsExpansion *x, const MbsInstance *scope, MbsReferenceKind kind, MbsText text,
                                 const Path *path, bool *is_found, const char **result) {
  for (int i = 0; i < scope->formal_count && !path->parts[0].has_number; ++i) {
    const MbsFormal *formal = &scope->formals[i];
    if (strcmp(formal->name, path->parts[0].name) != 0 || !formal->scope) {
      continue;
    }
    char rest[MOST_PARTS * PART_ROOM];
    join(path, 1, rest, sizeof rest);
    MbsText meant = {.place = formal->text.place};
    MBS_TRY(copy(x, mbs_arena_print(x->reader->arena, "%s%s", formal->text.text, rest), &meant.text));
    if (x->depth == MBS_ASSEMBLY_LONGEST_CHAIN) {
      return mbs_fail(x->reader->context, MBS_ERROR_INPUT, text.place,
                      "\"%.60s\" goes through more than %d other names to its meaning", formal->name,
                      MBS_ASSEMBLY_LONGEST_CHAIN);
    }
    *is_found = true;
    x->depth += 1;
    MBS_TRY(mbs_rewrite_reference(x, formal->scope, kind, meant, result));
    x->depth -= 1;
    return MBS_OK;
  }
  return MBS_OK;
}

// ---- angles in mirrored assemblies ----

// In space the angle of a joint is counted from normals of its axis on each body, chosen by the numbers of the axis.
// Where these are the same on both bodies a mirror changes the sign of the angle and nothing else; where they differ it
// may also be off by half a turn.
static MbsStatus refuse_element(const MbsExpansion *x, const MbsInstance *owner, const MbsYaml *element,
                                MbsPlace place) {
  if (element && owner->is_mirrored && x->reader->dimension == 3 && mbs_yaml_find(element, "axis2")) {
    return mbs_fail(x->reader->context, MBS_ERROR_NOT_OFFERED, place,
                    "the angle about an axis that is given on both bodies (axis2) is not offered in a mirrored "
                    "assembly; choose body axes in which axis alone is enough");
  }
  return MBS_OK;
}

MbsStatus mbs_reference_check_angle(MbsExpansion *x, const MbsInstance *scope, MbsText text) {
  Path path;
  bool is_good;
  MBS_TRY(parse_path(x, scope, text, &path, &is_good));
  const MbsInstance *owner = scope;
  for (int i = 0; is_good && i + 1 < path.count; ++i) {
    const MbsGroup *group = mbs_assembly_find(owner, path.parts[i].name);
    while (!group && i == 0 && owner->outer) {
      owner = owner->outer;
      group = mbs_assembly_find(owner, path.parts[i].name);
    }
    if (!group) {
      return MBS_OK;
    }
    MBS_TRY(pick_instance(x, group, &path.parts[i], text.place, &owner));
  }
  return is_good ? refuse_element(x, owner, find_element(owner, MBS_MODEL_JOINTS, path.parts[path.count - 1].name),
                                  text.place)
                 : MBS_OK;
}

MbsStatus mbs_reference_check_twist(const MbsExpansion *x, const MbsInstance *instance, const MbsYaml *element) {
  const MbsYaml *spring = mbs_yaml_find(element, "torsional_spring"), *screw = mbs_yaml_find(element, "screw");
  const MbsYaml *twist = spring ? spring : screw;
  return twist ? refuse_element(x, instance, element, twist->key.place) : MBS_OK;
}

MbsStatus mbs_rewrite_reference(MbsExpansion *x, const MbsInstance *scope, MbsReferenceKind kind, MbsText text,
                                const char **result) {
  Path path;
  bool is_good, is_found = false;
  *result = text.text;
  MBS_TRY(parse_path(x, scope, text, &path, &is_good));
  if (!is_good) {
    return MBS_OK;  // the reader says what is wrong with it
  }
  for (const MbsInstance *around = scope; around && !is_found; around = around->outer) {
    MBS_TRY(look_in(x, around, kind, text, &path, &is_found, result));
    if (!is_found && around == scope && scope->outer) {
      MBS_TRY(look_in_formals(x, scope, kind, text, &path, &is_found, result));
    }
  }
  if (!is_found && path.parts[0].has_number) {
    return mbs_fail(x->reader->context, MBS_ERROR_INPUT, text.place, "no assembly \"%.60s\" to take number %d of",
                    path.parts[0].name, path.parts[0].number);
  }
  return MBS_OK;
}
