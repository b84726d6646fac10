// A set of graph nodes as a flat list of instructions, evaluated in the scalar of the build.
#ifndef MBS_TAPE_H
#define MBS_TAPE_H

#include "algebra/scalar.h"
#include "expressions/table.h"

// All but the registers is free of scalars, so that the twin can run a tape of the other build.
typedef struct MbsTape {
  int input_count;
  const int *inputs;  // graph inputs in the order evaluate wants their values, ascending
  int constant_count;
  const double *constants;
  int output_count;
  int instruction_count;
  const struct MbsInstruction *instructions;
  mbs_scalar *registers;  // workspace: inputs first, then constants, then one per instruction
  const int *outputs;     // register of each output
  int lookup_count;
  struct MbsTapeLookup *lookups;  // of tables: see tape.c
  int external_count;
  struct MbsTapeExternal *externals;  // of functions of a program
} MbsTape;

// Collects what `outputs` need. A tape owns its workspace, so one tape serves one thread.
MbsStatus mbs_tape_create(MbsContext *context, MbsArena *arena, MbsGraph *graph, int output_count,
                          const MbsNode *outputs, MbsTape **tape);

// outputs = value of each node. Never allocates, never fails: domain errors give NaN or infinity.
// `inputs` may be NULL when the tape has none.
void mbs_tape_evaluate(const MbsTape *tape, const mbs_scalar *inputs, mbs_scalar *outputs);

// After evaluate: the table that an input stands for, where it is a delta (table.h), and what of it counts there; NULL:
// it is none, or nobody looks there.
const MbsTable *mbs_tape_spread(const MbsTape *tape, int input, MbsSpread *spread);

// How many registers a tape has: the workspace of pull_back.
int mbs_tape_register_count(const MbsTape *tape);
// After evaluate: inputs_bar = the gradient of outputs_bar.outputs with respect to the inputs, in one sweep backwards.
void mbs_tape_pull_back(const MbsTape *tape, const mbs_scalar *outputs_bar, mbs_scalar *workspace,
                        mbs_scalar *inputs_bar);

// d(output)/d(input `input`) of the first outputs, by perturbing that input (algebra/perturbation.h); step: of the
// differences. workspace: as many scalars as the tape has registers, 2 doubles each. Does not touch the tape's own.
void mbs_twin_tape_slopes(const MbsTape *tape, const double *inputs, int input, double step, double *workspace,
                          int output_count, double *slopes);
void mbs_complex_tape_slopes(const MbsTape *tape, const double *inputs, int input, double step, double *workspace,
                             int output_count, double *slopes);

#endif
