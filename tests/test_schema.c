// The JSON Schema and the field tables behind it: the tables are sound, the schema is what they say, and
// it accepts the models of the repository and refuses models with mistakes of shape. JSON being YAML, the
// schema is read with the reader's own parser.
#include <mbsens/mbsens.h>
#include <regex.h>

#include "base/names.h"
#include "ensure.h"
#include "io/assembly.h"
#include "io/schema.h"
#include "io/yaml_tree.h"
#include "model/force.h"
#include "model/joint.h"

// ---- the tables ----

static void check_table(const MbsRecordType *type) {
  ENSURE(type->name && type->summary && type->field_count > 0);
  for (int i = 0; i < type->field_count; ++i) {
    const MbsField *field = &type->fields[i];
    ENSURE(field->name != NULL);  // a hole in a table made with designated initialisers
    ENSURE(mbs_name_is_identifier(field->name));
    ENSURE(field->summary != NULL);
    ENSURE(!(field->is_required && field->default_text));
    for (int k = 0; k < i; ++k) {
      ENSURE(strcmp(field->name, type->fields[k].name) != 0);
    }
    bool is_of_records =
        field->kind == MBS_FIELD_RECORD || field->kind == MBS_FIELD_RECORD_MAP || field->kind == MBS_FIELD_RECORD_LIST;
    ENSURE(is_of_records == (field->record != NULL));
    ENSURE((field->kind == MBS_FIELD_CHOICE) == (field->choices != NULL));
    if (field->kind == MBS_FIELD_CHOICE && field->default_text) {
      const char *const *choice = field->choices;
      while (*choice && strcmp(*choice, field->default_text) != 0) {
        ++choice;
      }
      ENSURE(*choice != NULL);
    }
    if (field->record) {
      check_table(field->record);
    }
  }
}

// An element is known by the one key that names its type, so no other key may look like one.
static void check_family(int count, const MbsRecordType *const *types) {
  ENSURE(count > 0);
  for (int i = 0; i < count; ++i) {
    check_table(types[i]);
    ENSURE_TEXT(types[i]->fields[0].name, types[i]->name);
    for (int f = 0; f < types[i]->field_count; ++f) {
      ENSURE(strcmp(types[i]->fields[f].name, "name") != 0);
      for (int k = 0; k < count && f > 0; ++k) {
        ENSURE(strcmp(types[i]->fields[f].name, types[k]->name) != 0);
      }
    }
  }
}

static void test_tables(void) {
  check_table(&mbs_model_type);
  const MbsRecordType *types[64];
  int count = 0;
  for (; mbs_joint_types[count]; ++count) {
    types[count] = &mbs_joint_types[count]->record;
  }
  check_family(count, types);
  for (count = 0; mbs_force_types[count]; ++count) {
    types[count] = &mbs_force_types[count]->record;
  }
  check_family(count, types);
}

// ---- a validator for the keywords the generator uses ----

static bool is_valid(const MbsYaml *root, const MbsYaml *schema, const MbsYaml *node);

static const MbsYaml *resolve(const MbsYaml *root, const char *reference) {
  char group[32];  // #/$defs/name or #/properties/name
  int length = 0;
  ENSURE(sscanf(reference, "#/%31[^/]/%n", group, &length) == 1 && length > 0);
  const MbsYaml *definition = mbs_yaml_find(mbs_yaml_find(root, group), reference + length);
  ENSURE(definition != NULL);
  return definition;
}

static bool is_member(const MbsYaml *list, const char *text) {
  for (const MbsYaml *item = list->first; item; item = item->next) {
    if (strcmp(item->text, text) == 0) {
      return true;
    }
  }
  return false;
}

// Scalars are all alike here: whether 1.5 is a number or a text is not in the tree.
static bool has_type(const MbsYaml *type, const MbsYaml *node) {
  if (type->kind == MBS_YAML_LIST) {
    for (const MbsYaml *one = type->first; one; one = one->next) {
      if (has_type(one, node)) {
        return true;
      }
    }
    return false;
  }
  return node->kind == (strcmp(type->text, "object") == 0  ? MBS_YAML_MAPPING
                        : strcmp(type->text, "array") == 0 ? MBS_YAML_LIST
                                                           : MBS_YAML_SCALAR);
}

static int count_valid(const MbsYaml *root, const MbsYaml *schemas, const MbsYaml *node) {
  int count = 0;
  for (const MbsYaml *schema = schemas->first; schema; schema = schema->next) {
    count += is_valid(root, schema, node);
  }
  return count;
}

static bool are_members_valid(const MbsYaml *root, const MbsYaml *schema, const MbsYaml *node) {
  const MbsYaml *properties = mbs_yaml_find(schema, "properties");
  const MbsYaml *additional = mbs_yaml_find(schema, "additionalProperties");
  for (const MbsYaml *pair = node->first; pair && node->kind == MBS_YAML_MAPPING; pair = pair->next) {
    const MbsYaml *property = properties ? mbs_yaml_find(properties, pair->key.text) : NULL;
    if (!property && additional) {
      if (additional->kind == MBS_YAML_SCALAR) {
        return false;  // additionalProperties: false
      }
      property = additional;
    }
    if (property && !is_valid(root, property, pair)) {
      return false;
    }
  }
  const MbsYaml *items = mbs_yaml_find(schema, "items");
  for (const MbsYaml *item = node->first; item && items && node->kind == MBS_YAML_LIST; item = item->next) {
    if (!is_valid(root, items, item)) {
      return false;
    }
  }
  return true;
}

static bool is_valid(const MbsYaml *root, const MbsYaml *schema, const MbsYaml *node) {
  for (const MbsYaml *rule = schema->first; rule; rule = rule->next) {
    const char *key = rule->key.text;
    bool holds = true;
    if (strcmp(key, "$ref") == 0) {
      holds = is_valid(root, resolve(root, rule->text), node);
    } else if (strcmp(key, "type") == 0) {
      holds = has_type(rule, node);
    } else if (strcmp(key, "pattern") == 0) {
      regex_t pattern;
      ENSURE(regcomp(&pattern, rule->text, REG_EXTENDED | REG_NOSUB) == 0);
      holds = node->text && regexec(&pattern, node->text, 0, NULL, 0) == 0;
      regfree(&pattern);
    } else if (strcmp(key, "const") == 0) {
      holds = node->text && strcmp(rule->text, node->text) == 0;
    } else if (strcmp(key, "enum") == 0) {
      holds = node->text && is_member(rule, node->text);
    } else if (strcmp(key, "minItems") == 0 || strcmp(key, "minProperties") == 0) {
      holds = node->count >= strtol(rule->text, NULL, 10);
    } else if (strcmp(key, "maxItems") == 0 || strcmp(key, "maxProperties") == 0) {
      holds = node->count <= strtol(rule->text, NULL, 10);
    } else if (strcmp(key, "oneOf") == 0) {
      holds = count_valid(root, rule, node) == 1;
    } else if (strcmp(key, "anyOf") == 0) {
      holds = count_valid(root, rule, node) > 0;
    } else if (strcmp(key, "required") == 0) {
      for (const MbsYaml *name = rule->first; name && node->kind == MBS_YAML_MAPPING; name = name->next) {
        holds = holds && mbs_yaml_find(node, name->text);
      }
    }
    if (!holds) {
      return false;
    }
  }
  return are_members_valid(root, schema, node);
}

// ---- the schema ----

static char *write_schema(size_t *length) {
  char *text;
  FILE *out = open_memstream(&text, length);
  ENSURE(out != NULL);
  mbs_schema_write(out);
  ENSURE(fclose(out) == 0);
  return text;
}

static const MbsYaml *parse(MbsContext *context, MbsArena *arena, const char *text, size_t length) {
  const MbsYaml *root;
  if (mbs_yaml_parse(context, arena, text, length, "text", &root) != MBS_OK) {
    (void)fprintf(stderr, "%s\n", mbs_context_message(context));
    exit(1);
  }
  return root;
}

static void ensure_valid(MbsContext *context, MbsArena *arena, const MbsYaml *schema, const char *text, bool expected) {
  if (is_valid(schema, schema, parse(context, arena, text, strlen(text))) != expected) {
    (void)fprintf(stderr, "the schema should %s:\n%s", expected ? "accept" : "refuse", text);
    exit(1);
  }
}

static void test_schema(MbsContext *context) {
  MbsArena *arena = mbs_arena_create();
  ENSURE(arena != NULL);
  size_t length, again_length;
  char *text = write_schema(&length);
  char *again = write_schema(&again_length);
  ENSURE_TEXT(again, text);
  const MbsYaml *schema = parse(context, arena, text, length);

  // the sections, and one alternative per joint
  const MbsYaml *properties = mbs_yaml_find(schema, "properties");
  ENSURE(properties->count == mbs_model_type.field_count + mbs_file_type.field_count);
  int joint_count = 0;
  while (mbs_joint_types[joint_count]) {
    ++joint_count;
  }
  const MbsYaml *alternatives = mbs_yaml_find(mbs_yaml_find(mbs_yaml_find(properties, "joints"), "items"), "oneOf");
  ENSURE(alternatives->count == joint_count);

  char model[16 * 1024];
  FILE *file = fopen("models/five_bar.yaml", "rb");
  ENSURE(file != NULL);
  model[fread(model, 1, sizeof model - 1, file)] = '\0';
  (void)fclose(file);
  ensure_valid(context, arena, schema, model, true);
  ensure_valid(context, arena, schema, "mbsens: 1\n", true);
  ensure_valid(context, arena, schema, "mbsens: 1\nsimulation: {baumgarte: yes, end: 2*T}\n", true);
  ensure_valid(context, arena, schema, "mbsens: 1\nforces: [{point_force: A.P, value: [0, t]}]\n", true);
  ensure_valid(context, arena, schema, "mbsens: 1\nforces: [{point_force: A.P, value: -2*v(P)}]\n", true);

  ensure_valid(context, arena, schema, "mbsens: 1\ninclude: a.yaml\nconstants: {N: 2}\n", true);
  ensure_valid(context, arena, schema, "mbsens: 1\ninclude: [a.yaml, b.yaml]\n", true);
  ensure_valid(
      context, arena, schema,
      "mbsens: 1\ntemplates: {t: {parameters: {k: 1}, bodies: {A: {mass: k}}, assemblies: [{template: u, name: v}]}}\n"
      "assemblies: [{template: t, name: a, with: {k: 2}, at: [0, 1], mirror: x, repeat: N, first: 0}]\n",
      true);
  ensure_valid(context, arena, schema, "mbsens: 1\ntemplates: {t: {bodies: {A: {mas: 1}}}}\n", false);
  ensure_valid(context, arena, schema, "mbsens: 1\ntemplates: {t: {gravity: [0, 1]}}\n", false);
  ensure_valid(context, arena, schema, "mbsens: 1\nassemblies: [{template: t}]\n", false);
  ensure_valid(context, arena, schema, "mbsens: 1\nassemblies: [{template: t, name: a, mirror: w}]\n", false);
  ensure_valid(context, arena, schema, "mbsens: 1\ninclude: {file: a}\n", false);

  ensure_valid(context, arena, schema, "name: no version\n", false);
  ensure_valid(context, arena, schema, "mbsens: 2\n", false);
  ensure_valid(context, arena, schema, "mbsens: 1\ngravty: [0, 1]\n", false);
  ensure_valid(context, arena, schema, "mbsens: 1\ngravity: [0, 1, 2, 3]\n", false);
  ensure_valid(context, arena, schema, "mbsens: 1\nbodies: {A: {mas: 1}}\n", false);
  ensure_valid(context, arena, schema, "mbsens: 1\nbodies: {A: {points: {P: 0}}}\n", false);
  ensure_valid(context, arena, schema, "mbsens: 1\njoints: [{revolut: [A.P, B.P]}]\n", false);
  ensure_valid(context, arena, schema, "mbsens: 1\njoints: [{name: elbow}]\n", false);
  ensure_valid(context, arena, schema, "mbsens: 1\njoints: [{distance: [A.P, B.P]}]\n", false);
  ensure_valid(context, arena, schema, "mbsens: 1\nsimulation: {baumgarte: maybe}\n", false);
  ensure_valid(context, arena, schema, "mbsens: 1\nobjectives: {psi: {integral: 1, final: 1}}\n", false);
  free(text);
  free(again);
  mbs_arena_destroy(arena);
}

int main(void) {
  MbsContext *context = mbs_context_create();
  ENSURE(context != NULL);
  test_tables();
  test_schema(context);
  mbs_context_destroy(context);
  return 0;
}
