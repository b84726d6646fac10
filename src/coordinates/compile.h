// From the model as written to a complete blueprint in the coordinates of choice.
#ifndef MBS_COMPILE_H
#define MBS_COMPILE_H

#include "model/blueprint.h"

typedef struct MbsCoordinateChoice {
  bool is_relative;
  const char *tree, *cut;  // relative: see tree_choice.h
  bool keeps_jumps;        // what jumps in expressions is taken as it is: no events
  bool splits_at_kinks;    // of forces and integrands: for integrators above the second order
  bool has_plain_matrix;   // relative: that of the coordinates themselves, for integrators that couple stages
  bool has_end;            // the run ends where the model says, by an expression of parameters
  bool has_trim;           // an equilibrium is looked for: what it is solved for is read
  bool has_no_outputs;     // those of the model are read, and left out
  const char *columns;     // besides them: of histories (model/output.c); NULL: none
  bool is_loose;           // every body free, every joint a constraint, no forces: kinematics/start.h
} MbsCoordinateChoice;

// Reads the whole model: parameters, bodies, joints, forces, start, objectives.
MbsStatus mbs_compile(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsCoordinateChoice *choice,
                      MbsBlueprint **blueprint);

// Adds to blueprint->chosen the coordinates that `names` lists between commas.
MbsStatus mbs_compile_choose_independents(MbsContext *context, MbsBlueprint *blueprint, const char *names);

#endif
