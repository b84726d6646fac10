// YAML (and so JSON) text as a tree whose nodes know their place in the file.
//
// A strict subset, so that a model file means one thing only: one document, text keys, no key twice
// in a mapping, no anchors, aliases, merge keys or tags. Scalars stay text: the field tables say what
// they are. Size, nesting and number of nodes are bounded, so no input exhausts memory or stack.
#ifndef MBS_YAML_TREE_H
#define MBS_YAML_TREE_H

#include <stddef.h>

#include "base/arena.h"

enum {
  MBS_YAML_LARGEST_FILE = 16 * 1024 * 1024,  // bytes
  MBS_YAML_DEEPEST = 64,                     // mappings and lists inside each other
  MBS_YAML_MOST_NODES = 1000000
};

typedef enum MbsYamlKind {
  MBS_YAML_NOTHING,  // no value, ~ or null
  MBS_YAML_SCALAR,
  MBS_YAML_LIST,
  MBS_YAML_MAPPING
} MbsYamlKind;

typedef struct MbsYaml {
  MbsYamlKind kind;
  MbsText key;            // in a mapping; text NULL elsewhere
  const char *text;       // of a scalar
  MbsPlace place;         // first character of a scalar (after an opening quote), bracket or first key of the others
  int count;              // of items or pairs
  struct MbsYaml *first;  // item or pair
  struct MbsYaml *next;   // in the list or mapping this node stands in
} MbsYaml;

// The tree lives in the arena. `file` stands for the text in messages; it is not copied.
MbsStatus mbs_yaml_parse(MbsContext *context, MbsArena *arena, const char *text, size_t length, const char *file,
                         const MbsYaml **root);

// The value of a key of a mapping; NULL: no such key.
const MbsYaml *mbs_yaml_find(const MbsYaml *mapping, const char *key);

// Sorts texts by spelling, then place. Returns the first of two with the same spelling (the other is
// next to it); NULL: all differ.
const MbsText *mbs_yaml_find_duplicate(MbsText *texts, int count);

#endif
