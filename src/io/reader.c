// The entry points of the model reader, and what the field tables do not say: version and dimension.
#include "io/reader.h"

#include <errno.h>
#include <mbsens/mbsens.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/assembly.h"

enum { FORMAT_VERSION = 1 };

// Reads a whole number of the root ahead of everything else; without the key, *number stays.
static MbsStatus read_root_integer(const MbsReader *reader, const MbsYaml *root, int index, MbsPlace *place,
                                   int *number) {
  const MbsYaml *pair = mbs_yaml_find(root, mbs_model_type.fields[index].name);
  if (pair) {
    MbsValue value = {.is_given = false};
    MbsWhere where = {.word = mbs_model_type.fields[index].name};
    MBS_TRY(mbs_reader_read_texts(reader, &where, &mbs_model_type.fields[index], pair, &value));
    *number = (int)strtol(value.texts[0].text, NULL, 10);
    *place = value.texts[0].place;
  }
  return MBS_OK;
}

MbsStatus mbs_reader_check_version(const MbsReader *reader, const MbsYaml *root, MbsPlace start) {
  MBS_TRY(mbs_reader_expect(reader, NULL, root, MBS_YAML_MAPPING, "a model (a mapping that starts with mbsens: 1)"));
  MbsPlace place = start;
  int version = FORMAT_VERSION;
  MBS_TRY(read_root_integer(reader, root, MBS_MODEL_VERSION, &place, &version));
  if (version != FORMAT_VERSION) {
    return mbs_reader_fail(reader, NULL, place, "format version %d is not known; this mbsens reads version %d", version,
                           FORMAT_VERSION);
  }
  return MBS_OK;
}

MbsStatus mbs_reader_read_root(MbsReader *reader, const MbsYaml *root, MbsPlace start, MbsModel *model) {
  MBS_TRY(mbs_reader_check_version(reader, root, start));
  MBS_TRY(mbs_include_resolve(reader, root, &root));
  MbsPlace place = start;
  MBS_TRY(read_root_integer(reader, root, MBS_MODEL_DIMENSION, &place, &reader->dimension));
  if (reader->dimension != 2 && reader->dimension != 3) {
    return mbs_reader_fail(reader, NULL, place, "dimension must be 2 or 3, got %d", reader->dimension);
  }
  MBS_TRY(mbs_expand(reader, root, &root));
  model->dimension = reader->dimension;
  model->root.name = (MbsText){.text = mbs_model_type.name, .place = start};
  return mbs_reader_read_record(reader, NULL, &mbs_model_type, root, NULL, start, &model->root.values);
}

static MbsStatus read_model(MbsReader *reader, const char *text, size_t length, MbsModel *model) {
  const MbsYaml *root;
  MBS_TRY(mbs_yaml_parse(reader->context, reader->arena, text, length, reader->file, &root));
  return mbs_reader_read_root(reader, root, (MbsPlace){.file = reader->file, .line = 1, .column = 1}, model);
}

MbsStatus mbs_model_read_text(MbsContext *context, const char *text, size_t length, const char *name,
                              MbsModel **model) {
  MBS_CALL_BEGIN(context, "mbs_model_read_text", {"text", text}, {"name", name}, {"model", model});
  *model = NULL;
  MbsArena *arena = mbs_arena_create_for(context);
  MbsModel *read = arena ? mbs_arena_take(arena, 1, sizeof *read) : NULL;
  const char *file = read ? mbs_arena_copy_text(arena, name) : NULL;
  if (!file) {
    mbs_arena_destroy(arena);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  read->arena = arena;
  read->file = file;
  MbsReader reader = {.context = context, .arena = arena, .file = file, .dimension = 2};
  MbsStatus status = mbs_call_end(context, read_model(&reader, text, length, read));
  if (status != MBS_OK) {
    mbs_arena_destroy(arena);
    return status;
  }
  mbs_arena_tell(arena, NULL);  // the model may outlive the context
  *model = read;
  return MBS_OK;
}

MbsStatus mbs_reader_read_bytes(MbsContext *context, const char *path, char **bytes, size_t *length) {
  *bytes = NULL;
  FILE *file = fopen(path, "rb");
  if (!file && errno == ENOMEM) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  if (!file) {
    return mbs_fail(context, MBS_ERROR_FILE, mbs_nowhere, "cannot open %s: %s", path, strerror(errno));
  }
  (void)setvbuf(file, NULL, _IONBF, 0);  // it is read in large pieces: no second buffer
  // one byte more than the limit shows that a file is too large
  size_t size = 0, room = (size_t)64 * 1024;
  char *text = NULL;
  MbsStatus status = MBS_OK;
  while (status == MBS_OK && size <= MBS_YAML_LARGEST_FILE) {
    if (!text || size == room) {
      room = text ? 2 * room : room;
      char *grown = realloc(text, room);
      if (!grown) {
        status = mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
        break;
      }
      text = grown;
    }
    size_t got = fread(text + size, 1, room - size, file);
    size += got;
    if (got == 0) {
      break;
    }
  }
  if (status == MBS_OK && ferror(file)) {
    status = mbs_fail(context, MBS_ERROR_FILE, mbs_nowhere, "cannot read %s: %s", path, strerror(errno));
  }
  (void)fclose(file);
  if (status != MBS_OK) {
    free(text);
    return status;
  }
  *bytes = text;
  *length = size;
  return MBS_OK;
}

MbsStatus mbs_model_read_file(MbsContext *context, const char *path, MbsModel **model) {
  char *text;
  size_t size;
  MBS_CALL_BEGIN(context, "mbs_model_read_file", {"path", path}, {"model", model});
  *model = NULL;
  MBS_TRY(mbs_reader_read_bytes(context, path, &text, &size));
  MbsStatus status = mbs_model_read_text(context, text, size, path, model);
  free(text);
  return status;
}
