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

MbsStatus mbs_reader_split_hardpoint(const MbsReader *reader, const MbsRecord *hardpoint, MbsRecord *records) {
  const MbsValue *written = &hardpoint->values[0];
  for (int k = 0; k < reader->dimension; ++k) {
    MbsValue *value;
    MbsText *text;
    MBS_TAKE(reader->context, reader->arena, value, MBS_PARAMETER_FIELD_COUNT);
    MBS_TAKE(reader->context, reader->arena, text, 1);
    *text = written->texts[written->count == 1 ? 0 : k];
    if (written->count == 1) {  // one expression, whose value is a vector
      text->text = mbs_arena_print(reader->arena, "(%s).%c", text->text, "xyz"[k]);
      text->place.column -= text->place.column > 1;  // where the expression is, behind the parenthesis
    }
    *value = (MbsValue){.is_given = true, .place = written->place, .count = 1, .texts = text};
    records[k] = (MbsRecord){.name = hardpoint->name, .values = value};
    records[k].name.text = mbs_arena_print(reader->arena, "%s.%c", hardpoint->name.text, "xyz"[k]);
    if (!text->text || !records[k].name.text) {
      return mbs_fail(reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
  }
  return MBS_OK;
}

// Parameters, and then the components of the hardpoints.
static MbsStatus list_hardpoints(const MbsReader *reader, const MbsModel *model) {
  const MbsValue *hardpoints = mbs_record_value(&model->root, MBS_MODEL_HARDPOINTS);
  MbsValue *parameters = (MbsValue *)mbs_record_value(&model->root, MBS_MODEL_PARAMETERS);
  MbsRecord *records;
  if (hardpoints->count == 0) {
    return MBS_OK;
  }
  MBS_TAKE(reader->context, reader->arena, records, parameters->count + hardpoints->count * reader->dimension);
  for (int i = 0; i < parameters->count; ++i) {
    records[i] = parameters->records[i];
  }
  for (int i = 0; i < hardpoints->count; ++i) {
    const MbsRecord *hardpoint = &hardpoints->records[i];
    for (int k = 0; k < parameters->count; ++k) {
      if (strcmp(records[k].name.text, hardpoint->name.text) == 0) {
        return mbs_reader_fail(reader, NULL, hardpoint->name.place,
                               "hardpoint \"%.60s\" has the name of a parameter: rename one", hardpoint->name.text);
      }
    }
    MBS_TRY(mbs_reader_split_hardpoint(reader, hardpoint, &records[parameters->count + i * reader->dimension]));
  }
  parameters->records = records;
  parameters->count += hardpoints->count * reader->dimension;
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
  MBS_TRY(mbs_reader_read_record(reader, NULL, &mbs_model_type, root, NULL, start, &model->root.values));
  return list_hardpoints(reader, model);
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
