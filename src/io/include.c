// Files joined into one tree. What an included file says, the including one may say anew: the entry of the including
// file stands. Lists are joined, the included entries first. Two included files that name the same thing contradict
// each other, and are told so. A tyre property file (tir.h) brings parameters. A file that is reached twice is read
// once; one that reaches itself is an error.
#include <mbsens/mbsens.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/assembly.h"
#include "io/tir.h"

enum { DEEPEST = 16, MOST_FILES = 256 };

typedef struct Loaded {
  dev_t device;
  ino_t number;
  bool is_open;  // it is being read: a file it includes may not include it
} Loaded;

typedef struct Loader {
  const MbsReader *reader;
  int count, depth;
  Loaded files[MOST_FILES];
} Loader;

static const char *include_key(void) { return mbs_file_type.fields[MBS_FILE_INCLUDE].name; }

static MbsStatus check_memory(const MbsReader *reader, const void *made) {
  return made ? MBS_OK : mbs_fail(reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

// ---- joining ----

static MbsStatus copy_node(const MbsReader *reader, const MbsYaml *node, MbsYaml **made) {
  MBS_TAKE(reader->context, reader->arena, *made, 1);
  **made = *node;
  (*made)->next = NULL;
  return MBS_OK;
}

// Copies the children of a node to the end of `to`.
static MbsStatus append_children(const MbsReader *reader, const MbsYaml *from, MbsYaml *to) {
  MbsYaml **end = &to->first;
  while (*end) {
    end = &(*end)->next;
  }
  for (const MbsYaml *child = from->first; child; child = child->next) {
    MBS_TRY(copy_node(reader, child, end));
    end = &(*end)->next;
    to->count += 1;
  }
  return MBS_OK;
}

// Gives a node children of its own, which may change.
static MbsStatus own_children(const MbsReader *reader, MbsYaml *node) {
  const MbsYaml before = *node;
  node->first = NULL;
  node->count = 0;
  return append_children(reader, &before, node);
}

static const MbsField *find_field(const MbsRecordType *type, const char *name) {
  for (int i = 0; i < type->field_count; ++i) {
    if (strcmp(type->fields[i].name, name) == 0) {
      return &type->fields[i];
    }
  }
  return type == &mbs_model_type ? find_field(&mbs_file_type, name) : NULL;
}

static MbsStatus join(const MbsReader *reader, bool is_stronger, const MbsRecordType *type, const MbsYaml *from,
                      MbsYaml *to);

// Two values of the same key: `there` becomes what both say together.
static MbsStatus join_values(const MbsReader *reader, bool is_stronger, const MbsField *field, const MbsYaml *pair,
                             MbsYaml *there) {
  MbsFieldKind kind = field ? field->kind : MBS_FIELD_TEXT;
  bool are_mappings = there->kind == MBS_YAML_MAPPING && pair->kind == MBS_YAML_MAPPING;
  bool are_lists = there->kind == MBS_YAML_LIST && pair->kind == MBS_YAML_LIST;
  if (kind == MBS_FIELD_RECORD && are_mappings) {
    MBS_TRY(own_children(reader, there));
    return join(reader, is_stronger, field->record, pair, there);
  }
  bool is_map = kind == MBS_FIELD_NUMBER_MAP || kind == MBS_FIELD_SIGNAL_MAP || kind == MBS_FIELD_VECTOR_MAP ||
                kind == MBS_FIELD_RECORD_MAP;
  if (is_map && are_mappings) {
    MBS_TRY(own_children(reader, there));
    return join(reader, is_stronger, NULL, pair, there);
  }
  if ((kind == MBS_FIELD_RECORD_LIST || kind == MBS_FIELD_JOINT_LIST || kind == MBS_FIELD_FORCE_LIST) && are_lists) {
    MBS_TRY(own_children(reader, there));
    return append_children(reader, pair, there);
  }
  MbsYaml *next = there->next;
  *there = *pair;
  there->next = next;
  return MBS_OK;
}

// Adds what `from` says to `to`, whose children are its own. `type` NULL: a map of names. `is_stronger`: an entry of
// `from` takes the place of one in `to`; else two of one name are an error, and of two values the later one stands.
static MbsStatus join(const MbsReader *reader, bool is_stronger, const MbsRecordType *type, const MbsYaml *from,
                      MbsYaml *to) {
  for (const MbsYaml *pair = from->first; pair; pair = pair->next) {
    MbsYaml **there = &to->first;
    while (*there && strcmp((*there)->key.text, pair->key.text) != 0) {
      there = &(*there)->next;
    }
    if (!*there) {
      MBS_TRY(copy_node(reader, pair, there));
      to->count += 1;
    } else if (!type && !is_stronger) {
      return mbs_fail(reader->context, MBS_ERROR_INPUT, pair->key.place,
                      "\"%.60s\" is also at %s:%d:%d, which is included too; rename one of them", pair->key.text,
                      (*there)->key.place.file, (*there)->key.place.line, (*there)->key.place.column);
    } else {
      MBS_TRY(join_values(reader, is_stronger, type ? find_field(type, pair->key.text) : NULL, pair, *there));
    }
  }
  return MBS_OK;
}

// ---- loading ----

// `name` as seen from the file `from`.
static MbsStatus resolve_path(const MbsReader *reader, const char *from, const char *name, const char **path) {
  const char *slash = strrchr(from, '/');
  *path = name[0] == '/' || !slash ? mbs_arena_copy_text(reader->arena, name)
                                   : mbs_arena_print(reader->arena, "%.*s/%s", (int)(slash - from), from, name);
  return check_memory(reader, *path);
}

static MbsStatus join_includes(Loader *loader, const MbsYaml *root, const char *file, MbsYaml **joined);

static MbsStatus load(Loader *loader, const MbsYaml *name, const char *from, MbsYaml **root) {
  const MbsReader *reader = loader->reader;
  const MbsWhere where = {.word = include_key()};
  const char *path;
  *root = NULL;
  MBS_TRY(mbs_reader_expect(reader, &where, name, MBS_YAML_SCALAR, "the name of a file"));
  MBS_TRY(resolve_path(reader, from, name->text, &path));
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
    return mbs_reader_fail(reader, &where, name->place, "no file \"%.200s\"", path);
  }
  for (int i = 0; i < loader->count; ++i) {
    if (loader->files[i].device == status.st_dev && loader->files[i].number == status.st_ino) {
      return loader->files[i].is_open
                 ? mbs_reader_fail(reader, &where, name->place, "\"%.200s\" includes itself by way of this file", path)
                 : MBS_OK;
    }
  }
  if (loader->count == MOST_FILES || loader->depth == DEEPEST) {
    return mbs_reader_fail(reader, &where, name->place, "more than %d files, or deeper than %d levels", MOST_FILES,
                           DEEPEST);
  }
  char *text;
  size_t size;
  const MbsYaml *parsed;
  if (mbs_reader_read_bytes(reader->context, path, &text, &size) != MBS_OK) {
    return mbs_reader_fail(reader, &where, name->place, "cannot read \"%.200s\"", path);
  }
  bool is_tyre = mbs_tir_is_name(path);
  MbsStatus read = is_tyre ? mbs_tir_parse(reader, text, size, path, &parsed)
                           : mbs_yaml_parse(reader->context, reader->arena, text, size, path, &parsed);
  free(text);
  MBS_TRY(read);
  MbsReader own = *reader;
  own.file = path;
  if (!is_tyre) {
    MBS_TRY(mbs_reader_check_version(&own, parsed, (MbsPlace){.file = path, .line = 1, .column = 1}));
  }
  Loaded *loaded = &loader->files[loader->count++];
  *loaded = (Loaded){.device = status.st_dev, .number = status.st_ino, .is_open = true};
  loader->depth += 1;
  MBS_TRY(join_includes(loader, parsed, path, root));
  loader->depth -= 1;
  loaded->is_open = false;
  return MBS_OK;
}

static MbsStatus join_includes(Loader *loader, const MbsYaml *root, const char *file, MbsYaml **joined) {
  const MbsReader *reader = loader->reader;
  const MbsWhere where = {.word = include_key()};
  const MbsYaml *include = mbs_yaml_find(root, include_key());
  MBS_TRY(copy_node(reader, root, joined));
  (*joined)->first = NULL;
  (*joined)->count = 0;
  if (include && include->kind != MBS_YAML_LIST) {
    MBS_TRY(mbs_reader_expect(reader, &where, include, MBS_YAML_SCALAR, "the name of a file, or a list of names"));
  }
  const MbsYaml *name = include && include->kind == MBS_YAML_LIST ? include->first : include;
  while (name) {
    MbsYaml *brought;
    MBS_TRY(load(loader, name, file, &brought));
    if (brought) {
      MBS_TRY(join(reader, false, &mbs_model_type, brought, *joined));
    }
    name = include->kind == MBS_YAML_LIST ? name->next : NULL;
  }
  MBS_TRY(join(reader, true, &mbs_model_type, root, *joined));
  // the names of the files have been followed
  for (MbsYaml **pair = &(*joined)->first; *pair; pair = &(*pair)->next) {
    if (strcmp((*pair)->key.text, include_key()) == 0) {
      *pair = (*pair)->next;
      (*joined)->count -= 1;
      break;
    }
  }
  return MBS_OK;
}

MbsStatus mbs_include_resolve(const MbsReader *reader, const MbsYaml *root, const MbsYaml **joined) {
  *joined = root;
  if (!mbs_yaml_find(root, include_key())) {
    return MBS_OK;
  }
  Loader loader = {.reader = reader};
  MbsYaml *made;
  struct stat status;
  if (stat(reader->file, &status) == 0) {  // else it is a text in memory, which no file can name
    loader.files[loader.count++] = (Loaded){.device = status.st_dev, .number = status.st_ino, .is_open = true};
  }
  MBS_TRY(join_includes(&loader, root, reader->file, &made));
  *joined = made;
  return MBS_OK;
}
