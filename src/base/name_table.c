#include "base/name_table.h"

#include <string.h>

#include "base/checksum.h"

// the slot of a name, or the empty one where it belongs
static MbsNamed *slot_of(const MbsNameTable *table, const char *name) {
  uint64_t hash = mbs_checksum(MBS_CHECKSUM_START, name, strlen(name));
  int mask = table->slot_count - 1;
  // names that end in numbers differ in few bits of the checksum: the product brings all of them to the upper ones
  int slot = (int)((hash ^ hash >> 32) * 0x9e3779b97f4a7c15U >> 36) & mask;
  while (table->slots[slot].name && strcmp(table->slots[slot].name, name) != 0) {
    slot = (slot + 1) & mask;
  }
  return &table->slots[slot];
}

// at most half full
static MbsStatus make_room(MbsContext *context, MbsArena *arena, MbsNameTable *table) {
  if (2 * (table->count + 1) <= table->slot_count) {
    return MBS_OK;
  }
  const MbsNameTable before = *table;
  int slots = before.slot_count > 0 ? 2 * before.slot_count : 16;
  MBS_TAKE(context, arena, table->slots, slots);
  table->slot_count = slots;
  for (int i = 0; i < before.slot_count; ++i) {
    if (before.slots[i].name) {
      *slot_of(table, before.slots[i].name) = before.slots[i];
    }
  }
  return MBS_OK;
}

MbsStatus mbs_name_table_add(MbsContext *context, MbsArena *arena, MbsNameTable *table, const char *name, int value) {
  MBS_TRY(make_room(context, arena, table));
  MbsNamed *slot = slot_of(table, name);
  if (!slot->name) {
    *slot = (MbsNamed){.name = name, .value = value};
    ++table->count;
  }
  return MBS_OK;
}

int mbs_name_table_find(const MbsNameTable *table, const char *name) {
  const MbsNamed *slot = table->slot_count > 0 ? slot_of(table, name) : NULL;
  return slot && slot->name ? slot->value : -1;
}
