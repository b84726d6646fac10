// The sections of every instance, joined to those of the model.
#include <string.h>

#include "io/assembly.h"

static MbsYaml *empty_copy(MbsYaml *node) {
  node->first = NULL;
  node->count = 0;
  return node;
}

// `last` is the last child so far; NULL: none yet.
static void append(MbsYaml *parent, MbsYaml **last, MbsYaml *child) {
  *(*last ? &(*last)->next : &parent->first) = child;
  *last = child;
  parent->count += 1;
}

// ---- sections ----

// A section of the model that instances add to, or one inside it (initial: points).
typedef struct Bin {
  MbsYaml *node, *last;
} Bin;

enum { MOST_INNER = 8 };
typedef struct Section {
  Bin outer;
  Bin inner[MOST_INNER];  // of a record, by field
} Section;

static void open_bin(Bin *bin, MbsYaml *node) {
  bin->node = node;
  for (bin->last = node->first; bin->last && bin->last->next;) {
    bin->last = bin->last->next;
  }
}

static MbsYaml *find_child(const Bin *bin, const char *key) {
  for (MbsYaml *pair = bin->node->first; pair; pair = pair->next) {
    if (strcmp(pair->key.text, key) == 0) {
      return pair;
    }
  }
  return NULL;
}

// Moves the entries of `node`, a section of an instance, into that of the model, which is made if there is none.
static MbsStatus pour(MbsExpansion *x, Bin *parent, Bin *bin, MbsYaml *node) {
  if (!bin->node) {
    MbsYaml *there = find_child(parent, node->key.text);
    if (!there) {
      MBS_TRY(mbs_copy_node(x, node, &there));
      append(parent->node, &parent->last, empty_copy(there));
    }
    open_bin(bin, there);
  }
  if (bin->node->kind != node->kind) {
    return MBS_OK;  // the model's own is wrong: the reader says so
  }
  for (MbsYaml *child = node->first; child;) {
    MbsYaml *next = child->next;
    child->next = NULL;
    append(bin->node, &bin->last, child);
    child = next;
  }
  return MBS_OK;
}

static MbsStatus pour_section(MbsExpansion *x, Bin *root, Section *section, const MbsField *field, MbsYaml *node) {
  if (field->kind != MBS_FIELD_RECORD) {
    return pour(x, root, &section->outer, node);
  }
  // {points: ..., independent: ...}: entry by entry
  MBS_CHECK(x->reader->context, field->record->field_count <= MOST_INNER);
  MbsYaml *pair = node->first;
  MBS_TRY(pour(x, root, &section->outer, empty_copy(node)));
  while (pair && section->outer.node->kind == MBS_YAML_MAPPING) {
    MbsYaml *next = pair->next;
    int i = 0;
    while (strcmp(field->record->fields[i].name, pair->key.text) != 0) {
      ++i;
      MBS_CHECK(x->reader->context, i < field->record->field_count);  // the template has been checked
    }
    MBS_TRY(pour(x, &section->outer, &section->inner[i], pair));
    pair = next;
  }
  return MBS_OK;
}

static MbsStatus pour_instance(MbsExpansion *x, Bin *root, Section *sections, const MbsInstance *instance) {
  for (int s = 0; s < MBS_TEMPLATE_SECTION_COUNT && instance->outer; ++s) {
    const MbsField *field = &mbs_model_type.fields[mbs_template_sections[s]];
    const MbsYaml *written = mbs_yaml_find(instance->sections, field->name);
    if (written) {
      MbsYaml *made;
      MBS_TRY(mbs_copy_node(x, written, &made));
      MBS_TRY(mbs_copy_value(x, instance, field, made));
      MBS_TRY(pour_section(x, root, &sections[s], field, made));
    }
  }
  for (int g = 0; g < instance->group_count; ++g) {
    for (int k = 0; k < instance->groups[g].count; ++k) {
      MBS_TRY(pour_instance(x, root, sections, &instance->groups[g].instances[k]));
    }
  }
  return MBS_OK;
}

static MbsStatus refuse_duplicates(MbsExpansion *x, const MbsYaml *mapping) {
  const MbsReader *reader = x->reader;
  if (!mapping || mapping->kind != MBS_YAML_MAPPING) {
    return MBS_OK;
  }
  MbsText *keys;
  int count = 0;
  MBS_TAKE(reader->context, reader->arena, keys, mapping->count);
  for (const MbsYaml *pair = mapping->first; pair; pair = pair->next) {
    keys[count++] = pair->key;
  }
  const MbsText *twice = mbs_yaml_find_duplicate(keys, count);
  if (twice) {
    return mbs_fail(reader->context, MBS_ERROR_INPUT, twice[1].place,
                    "%.60s: \"%.80s\" is there twice once the assemblies are put in, first at %s:%d:%d",
                    mapping->key.text, twice[1].text, twice[0].place.file, twice[0].place.line, twice[0].place.column);
  }
  return MBS_OK;
}

MbsStatus mbs_expand(const MbsReader *reader, const MbsYaml *root, const MbsYaml **expanded) {
  MbsExpansion x = {.reader = reader};
  bool is_needed = false;
  for (int i = MBS_FILE_CONSTANTS; i < mbs_file_type.field_count; ++i) {
    is_needed = is_needed || mbs_yaml_find(root, mbs_file_type.fields[i].name);
  }
  *expanded = root;
  if (!is_needed) {
    return MBS_OK;
  }
  MBS_TRY(mbs_graph_create(reader->context, reader->arena, &x.graph));
  MBS_TRY(mbs_assembly_create(&x, root));
  // the model's own sections, without what files may hold besides
  MbsYaml *made, *last = NULL;
  MBS_TRY(mbs_copy_node(&x, root, &made));
  MBS_TRY(mbs_copy_record(&x, x.model, &mbs_model_type, made));
  MbsYaml *pair = made->first;
  for (empty_copy(made); pair;) {
    MbsYaml *next = pair->next;
    bool is_of_file = false;
    for (int i = 0; i < mbs_file_type.field_count; ++i) {
      is_of_file = is_of_file || strcmp(mbs_file_type.fields[i].name, pair->key.text) == 0;
    }
    pair->next = NULL;
    if (!is_of_file) {
      append(made, &last, pair);
    }
    pair = next;
  }
  Bin bin;
  Section sections[MBS_TEMPLATE_SECTION_COUNT] = {{.outer = {.node = NULL}}};
  open_bin(&bin, made);
  MBS_TRY(pour_instance(&x, &bin, sections, x.model));
  for (int s = 0; s < MBS_TEMPLATE_SECTION_COUNT; ++s) {
    MBS_TRY(refuse_duplicates(&x, sections[s].outer.node));
    for (int i = 0; i < MOST_INNER; ++i) {
      MBS_TRY(refuse_duplicates(&x, sections[s].inner[i].node));
    }
  }
  *expanded = made;
  return MBS_OK;
}
