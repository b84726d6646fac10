// Inside the builder of models by calls (mbsens/build.h). Every call writes the piece of a model file that it stands
// for, as a small YAML tree without places, and lets the reader read it: shapes, names, defaults and messages are the
// reader's, and the records the same as those of a file. What the builder adds is where records go: to the end of a
// growing list.
//
// builder.c: the pieces below; build_sections.c: models, parameters, points, settings; build_elements.c: entries with
// fields, which the generated calls of mbsens/elements.h use (header.c writes that file).
#ifndef MBS_BUILDER_H
#define MBS_BUILDER_H

#include "io/reader.h"

// ---- what calls are given ----

// Every call begins with this: MBS_ERROR_INPUT where context or model is NULL.
MbsStatus mbs_builder_start(MbsContext *context, const char *call, MbsModel *model);
// Fails where a text that must be there is NULL.
MbsStatus mbs_builder_need(MbsContext *context, const char *call, const char *what, const char *text);
MbsReader mbs_builder_reader(MbsContext *context, const MbsModel *model);

// ---- YAML nodes; texts are copied to the arena of the reader ----

MbsStatus mbs_builder_new_node(const MbsReader *reader, MbsYamlKind kind, const char *key, MbsYaml **node);
MbsStatus mbs_builder_new_scalar(const MbsReader *reader, const char *key, const char *text, MbsYaml **node);
// Texts up to the first NULL as a scalar or list, whichever the kind of field wants. None: MBS_YAML_NOTHING.
MbsStatus mbs_builder_new_value(const MbsReader *reader, const MbsWhere *where, const char *key, MbsFieldKind kind,
                                int room, const char *const *texts, MbsYaml **node);
void mbs_builder_append(MbsYaml *parent, MbsYaml *child);

// ---- records ----

// The tree is constant for everyone else; the builder owns it and may change it.
static inline MbsValue *mbs_builder_change(const MbsRecord *record, int field) {
  return (MbsValue *)&record->values[field];
}

// The record of this name; NULL: none.
const MbsRecord *mbs_builder_find(const MbsValue *value, const char *name);

// Reads `node` as the value of a field and moves its records to the end of `value`, which is of that field. Where it
// fails, the value stays as it was.
MbsStatus mbs_builder_add(MbsReader *reader, const MbsWhere *where, const MbsField *field, const MbsYaml *node,
                          MbsValue *value);

#endif
