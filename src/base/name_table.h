// Numbers by name, found by hash: so that reading a model takes time in proportion to what is written.
#ifndef MBS_NAME_TABLE_H
#define MBS_NAME_TABLE_H

#include "base/arena.h"

typedef struct MbsNamed {
  const char *name;  // NULL: an empty slot
  int value;
} MbsNamed;

// All zero: empty.
typedef struct MbsNameTable {
  int count, slot_count;
  MbsNamed *slots;
} MbsNameTable;

// A name that is there already keeps its value. The name must live as long as the table.
MbsStatus mbs_name_table_add(MbsContext *context, MbsArena *arena, MbsNameTable *table, const char *name, int value);

// -1: no such name
int mbs_name_table_find(const MbsNameTable *table, const char *name);

#endif
