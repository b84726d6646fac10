// Inside the model reader: yaml_tree.c makes a tree of the text, assembly.h puts includes and templates in,
// read_records.c and read_values.c fill records from it by the field tables, reader.c holds the entry points (declared
// in mbsens.h).
#ifndef MBS_READER_H
#define MBS_READER_H

#include "io/yaml_tree.h"
#include "model/model.h"

typedef struct MbsReader {
  MbsContext *context;
  MbsArena *arena;
  const char *file;
  int dimension;
  bool is_template;  // reading a template (assembly.h): names may be paths, parameters may lack a value
  int list_offset;   // how many elements stand before the list being read, as when a call adds one (builder.c)
} MbsReader;

// Whose value is being read, outermost first: body "A1": points: P. NULL: the model itself.
typedef struct MbsWhere {
  const struct MbsWhere *outer;
  const char *word;
  const char *name;  // in quotes after the word; may be NULL
} MbsWhere;

// ---- messages ----

// Fails with MBS_ERROR_INPUT and the message "<where>: <message>".
MbsStatus mbs_reader_fail(const MbsReader *reader, const MbsWhere *where, MbsPlace place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Fails unless the node is of this kind.
MbsStatus mbs_reader_expect(const MbsReader *reader, const MbsWhere *where, const MbsYaml *node, MbsYamlKind kind,
                            const char *expected);

// The i-th field that may say which kind an objective is; -1: there are no more. read_records.c
int mbs_reader_objective_kind(int i);

// Adds one known name to a list in words: "mass, com, inertia". `size` is the room of the list.
void mbs_reader_append_name(char *list, size_t size, const char *name);

// ---- values (read_values.c) ----

// Is the value one text or several, rather than records?
static inline bool mbs_reader_is_text_kind(MbsFieldKind kind) { return kind < MBS_FIELD_RECORD; }

// body.point, or a point's name alone?
bool mbs_reader_is_point_name(const char *name);

// Plainly a number, and no vector whatever the model says?
bool mbs_reader_is_number(const char *text);
// Several numbers, or one expression whose value is a vector?
bool mbs_reader_may_be_one(MbsFieldKind kind);

// A field made of texts.
MbsStatus mbs_reader_read_texts(const MbsReader *reader, const MbsWhere *where, const MbsField *field,
                                const MbsYaml *node, MbsValue *value);
// The same from the default of the field, if it has one.
MbsStatus mbs_reader_default_texts(const MbsReader *reader, const MbsField *field, MbsValue *value);

// ---- records (read_records.c) ----

// Reads the value of one field, of any kind. `pair` has the key.
MbsStatus mbs_reader_read_value(const MbsReader *reader, const MbsWhere *where, const MbsField *field,
                                const MbsYaml *pair, MbsValue *value);

// Reads a mapping as a record of this type; *values has one value per field, defaults filled in.
// `extra_key` is good too, though no field (the name of an element); NULL: none. `place` is where the
// record is complained about as a whole.
MbsStatus mbs_reader_read_record(const MbsReader *reader, const MbsWhere *where, const MbsRecordType *type,
                                 const MbsYaml *mapping, const char *extra_key, MbsPlace place,
                                 const MbsValue **values);

// ---- csv.c ----
// Of a table that names a file: points and ordinates from its columns.
MbsStatus mbs_csv_fill(const MbsReader *reader, const MbsWhere *where, const MbsRecord *record);

// What a force law calls its own: no coordinate of the model can have such a name. Ends with NULL.
extern const char *const mbs_reader_law_words[];

// ---- the whole model (reader.c) ----

// A whole file, to be freed; one larger than the limit is cut behind it.
MbsStatus mbs_reader_read_bytes(MbsContext *context, const char *path, char **bytes, size_t *length);
// Fails unless the root is a mapping of the version this library reads.
MbsStatus mbs_reader_check_version(const MbsReader *reader, const MbsYaml *root, MbsPlace start);

// The components of a hardpoint as parameters, P.x, P.y, P.z: each a record; `records` has room for the dimension.
MbsStatus mbs_reader_split_hardpoint(const MbsReader *reader, const MbsRecord *hardpoint, MbsRecord *records);

// Fills dimension and root of the model, whose places say where the model begins.
MbsStatus mbs_reader_read_root(MbsReader *reader, const MbsYaml *root, MbsPlace start, MbsModel *model);

#endif
