// A system in the coordinates of its blueprint: natural ones, which have the elements, and where the blueprint holds a
// tree of joints, relative ones around them.
#include "terms/elements.h"
#include "tree/tree.h"

MbsStatus mbs_system_create(MbsContext *context, MbsArena *arena, MbsBlueprint *blueprint, int column_count,
                            const int *columns, bool is_carried, const MbsEventSpec *event, MbsSystem **result) {
  MbsSystem *system;
  MbsTree *tree = NULL;
  MBS_TRY(mbs_natural_system_begin(context, arena, blueprint, column_count, columns, is_carried, event, &system));
  if (blueprint->tree.count > 0) {
    MBS_TRY(mbs_tree_create(context, system, &tree));
  }
  MBS_TRY(mbs_natural_system_finish(context, system));
  if (tree) {
    MBS_TRY(mbs_tree_wrap(context, tree, &system));
  }
  MBS_TRY(system->terms->widen(context, system, system->carried_count > 1 ? system->carried_count : 1));
  *result = system;
  return mbs_pattern_status(context, &system->mode.pattern);
}
