// What is added to a model by calls, from the field tables: the calls of mbsens/elements.h (header.c) and those of
// Python (python.c) are made of these.
#ifndef MBS_DEFINITION_H
#define MBS_DEFINITION_H

#include <stdbool.h>

#include "model/field.h"

// An entry of a section, of one type.
typedef struct MbsDefinition {
  const MbsRecordType *record;
  const char *section;  // path: "initial.independent"
  const char *owner;    // what each of these belongs to, by name: "event"; NULL: the model
  bool is_element;      // of a registry: the key of field 0 is the type
  bool is_joint;
  bool has_name, needs_name;
} MbsDefinition;

// In the order of the tables.
void mbs_definition_each(void (*visit)(void *user, const MbsDefinition *definition), void *user);

// What calls name a field: its key, but where that is the type, what it names.
const char *mbs_definition_member(const MbsDefinition *definition, int field);
// How many texts a field may have.
int mbs_definition_room(MbsFieldKind kind);

#endif
