// From a graph to a flat list of instructions.
//
// Instruction k writes register input_count + constant_count + k, so it needs no field for that. Operands come first,
// and among what is possible then, instructions of one kind in a row (tape_order.c), which are run by a loop of their
// own.
#include "expressions/tape.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/perturbation.h"
#include "expressions/external.h"
#include "expressions/operation.h"
#include "expressions/tape_order.h"

typedef struct MbsInstruction {
  int16_t operation, exponent;
  int a, b;  // registers; b repeats a where there is one operand
} MbsInstruction;

// A table on a tape, and the registers of its arguments and of its delta (-1: it has none). The exponent of its
// instruction is its number.
typedef struct MbsTapeLookup {
  MbsLookup lookup;
  int x, y, delta;
} MbsTapeLookup;

// A result or slope of a program's function on a tape, and where. The exponent of its instruction is its number.
typedef struct MbsTapeExternal {
  MbsExternalSite *site;
  int result, by;
} MbsTapeExternal;

// the nodes on a tape and the register of each
typedef struct Selection {
  int count;
  const MbsNode *nodes;  // ascending, so that operands come first
  const int *number;     // by node of the graph: which of them it is
  int *registers;
} Selection;

static int compare_integers(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static int register_of(const Selection *selection, MbsNode node) {
  return selection->registers[selection->number[node]];
}

static MbsInstruction instruction_of(const MbsGraphNode *n, const Selection *selection) {
  return (MbsInstruction){.operation = (int16_t)mbs_tape_operation(n),
                          .exponent = (int16_t)n->index,
                          .a = register_of(selection, n->operand[0]),
                          .b = register_of(selection, n->operand[n->operand[1] == MBS_NODE_NONE ? 0 : 1])};
}

static MbsInstruction lookup_of(const MbsGraph *graph, const MbsGraphNode *n, const Selection *selection,
                                MbsTape *tape) {
  MbsTapeLookup *lookup = &tape->lookups[tape->lookup_count];
  int x = register_of(selection, n->operand[0]);
  int y = n->operand[1] == MBS_NODE_NONE ? x : register_of(selection, n->operand[1]);
  int delta = n->operand[2] == MBS_NODE_NONE ? -1 : register_of(selection, n->operand[2]);
  *lookup = (MbsTapeLookup){.lookup = mbs_table_lookup(graph, n->index), .x = x, .y = y, .delta = delta};
  return (MbsInstruction){.operation = MBS_OP_TABLE, .exponent = (int16_t)tape->lookup_count++, .a = x, .b = y};
}

// The place of this function at this list, which its results and slopes share.
static MbsStatus find_place(MbsContext *context, MbsArena *arena, const MbsGraph *graph, const Selection *selection,
                            const MbsExternal *external, MbsNode list, MbsTape *tape, MbsExternalSite **place) {
  const MbsModelFunction *f = &external->function;
  int *registers, k = 0;
  MBS_TAKE(context, arena, registers, f->argument_count);
  for (; list != MBS_NODE_NONE; list = mbs_graph_node(graph, list)->operand[1]) {
    registers[k++] = register_of(selection, mbs_graph_node(graph, list)->operand[0]);
  }
  for (int i = 0; i < tape->external_count; ++i) {
    MbsExternalSite *known = tape->externals[i].site;
    if (known->external == external &&
        memcmp(known->registers, registers, (size_t)f->argument_count * sizeof *registers) == 0) {
      *place = known;
      return MBS_OK;
    }
  }
  MBS_TAKE(context, arena, *place, 1);
  (*place)->external = external;
  (*place)->registers = registers;
  MBS_TAKE(context, arena, (*place)->arguments, f->argument_count);
  MBS_TAKE(context, arena, (*place)->results, f->result_count);
  MBS_TAKE(context, arena, (*place)->slopes, f->result_count * f->argument_count);
  return MBS_OK;
}

static MbsStatus external_of(MbsContext *context, MbsArena *arena, const MbsGraph *graph, const MbsGraphNode *n,
                             const Selection *selection, MbsTape *tape, MbsInstruction *instruction) {
  const MbsExternalPart part = mbs_graph_external(graph, n);
  MbsTapeExternal made = {.result = part.result, .by = part.by};
  MBS_TRY(find_place(context, arena, graph, selection, part.external, n->operand[0], tape, &made.site));
  tape->externals[tape->external_count] = made;
  *instruction = (MbsInstruction){.operation = MBS_OP_EXTERNAL, .exponent = (int16_t)tape->external_count++};
  return MBS_OK;
}

static MbsStatus fill(MbsContext *context, MbsArena *arena, const MbsGraph *graph, const Selection *selection,
                      const int *order, MbsTape *tape) {
  int *inputs;
  double *constants;
  MbsInstruction *instructions;
  int lookup_count = 0, external_count = 0;
  for (int i = 0; i < selection->count; ++i) {
    MbsOperation operation = mbs_graph_node(graph, selection->nodes[i])->operation;
    tape->input_count += operation == MBS_OP_INPUT;
    tape->constant_count += operation == MBS_OP_CONSTANT;
    lookup_count += operation == MBS_OP_TABLE;
    external_count += operation == MBS_OP_EXTERNAL;
  }
  if (lookup_count > INT16_MAX || external_count > INT16_MAX) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "one expression uses tables at more than %d places",
                    INT16_MAX);
  }
  MBS_TAKE(context, arena, tape->externals, external_count);
  MBS_TAKE(context, arena, tape->lookups, lookup_count);
  int constant_end = tape->input_count + tape->constant_count;
  MBS_TAKE(context, arena, inputs, tape->input_count);
  MBS_TAKE(context, arena, constants, tape->constant_count);
  MBS_TAKE(context, arena, instructions, selection->count - constant_end + 1);  // and one that ends the last row
  MBS_TAKE(context, arena, tape->registers, selection->count);
  for (int i = 0, input = 0; i < selection->count; ++i) {
    const MbsGraphNode *n = mbs_graph_node(graph, selection->nodes[i]);
    if (n->operation == MBS_OP_INPUT) {
      inputs[input++] = n->index;
    }
  }
  qsort(inputs, (size_t)tape->input_count, sizeof *inputs, compare_integers);

  int constant = tape->input_count;
  for (int i = 0; i < selection->count; ++i) {
    const MbsGraphNode *n = mbs_graph_node(graph, selection->nodes[i]);
    if (n->operation == MBS_OP_INPUT) {
      const int *found = bsearch(&n->index, inputs, (size_t)tape->input_count, sizeof *inputs, compare_integers);
      selection->registers[i] = (int)(found - inputs);
    } else if (n->operation == MBS_OP_CONSTANT) {
      tape->registers[constant] = constants[constant - tape->input_count] = n->value;
      selection->registers[i] = constant++;
    }
  }
  for (; tape->instruction_count < selection->count - constant_end; ++tape->instruction_count) {
    int i = order[tape->instruction_count];
    const MbsGraphNode *n = mbs_graph_node(graph, selection->nodes[i]);
    MbsInstruction *instruction = &instructions[tape->instruction_count];
    if (n->operation == MBS_OP_EXTERNAL) {
      MBS_TRY(external_of(context, arena, graph, n, selection, tape, instruction));
    } else {
      *instruction = n->operation == MBS_OP_TABLE ? lookup_of(graph, n, selection, tape) : instruction_of(n, selection);
    }
    selection->registers[i] = constant_end + tape->instruction_count;
  }
  instructions[tape->instruction_count].operation = -1;
  tape->inputs = inputs;
  tape->constants = constants;
  tape->instructions = instructions;
  return MBS_OK;
}

static MbsStatus create(MbsContext *context, MbsArena *arena, MbsArena *scratch, MbsGraph *graph, int output_count,
                        const MbsNode *outputs, MbsTape **tape) {
  MbsTape *made;
  int *output_registers;
  Selection selection;
  int *order;
  MBS_TAKE(context, arena, made, 1);
  MBS_TAKE(context, arena, output_registers, output_count);
  MBS_TRY(mbs_graph_nodes_of(context, graph, output_count, outputs, &selection.count, &selection.nodes));
  MBS_TAKE(context, scratch, selection.registers, selection.count);
  selection.number = mbs_graph_numbers(graph);
  MBS_TRY(mbs_tape_order(context, scratch, graph, selection.count, selection.nodes, &order));
  MBS_TRY(fill(context, arena, graph, &selection, order, made));
  for (int k = 0; k < output_count; ++k) {
    output_registers[k] = register_of(&selection, outputs[k]);
  }
  made->output_count = output_count;
  made->outputs = output_registers;
  *tape = made;
  return MBS_OK;
}

MbsStatus mbs_tape_create(MbsContext *context, MbsArena *arena, MbsGraph *graph, int output_count,
                          const MbsNode *outputs, MbsTape **tape) {
  MbsArena *scratch = mbs_arena_create_for(context);
  if (!scratch) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MbsStatus status = create(context, arena, scratch, graph, output_count, outputs, tape);
  mbs_arena_destroy(scratch);
  return status;
}

// Of its own, as most tapes have none: T(x, y) + delta. is_plain: with the real parts of the table's numbers.
__attribute__((noinline)) static mbs_scalar look_up(const MbsTape *tape, MbsOperation operation, int index,
                                                    bool is_plain, const mbs_scalar *r) {
  if (operation == MBS_OP_EXTERNAL) {
    const MbsTapeExternal *external = &tape->externals[index];
    return mbs_external_value(external->site, external->result, external->by, r);
  }
  MbsTapeLookup *at = &tape->lookups[index];
  mbs_scalar value = is_plain ? mbs_table_value_plain(&at->lookup, r[at->x], r[at->y])
                              : mbs_table_value(&at->lookup, r[at->x], r[at->y]);
  return at->delta < 0 ? value : value + r[at->delta];
}

const MbsTable *mbs_tape_spread(const MbsTape *tape, int input, MbsSpread *spread) {
  for (int k = 0; k < tape->lookup_count; ++k) {
    MbsTapeLookup *at = &tape->lookups[k];
    if (at->delta == input) {
      mbs_table_spread(&at->lookup, tape->registers[at->x], tape->registers[at->y], spread);
      return at->lookup.table;
    }
  }
  return NULL;
}

// All instructions of this kind that follow each other, the last of which the next kind ends.
#define ROW(value)       \
  do {                   \
    *result++ = (value); \
    ++instruction;       \
  } while (instruction->operation == operation)

// The first instructions, on registers that hold inputs and constants. is_plain: the tape may be of the other build.
__attribute__((always_inline)) static inline void run(const MbsTape *tape, int instruction_count, bool is_plain,
                                                      mbs_scalar *r) {
  const MbsInstruction *instruction = tape->instructions;
  const MbsInstruction *end = instruction + instruction_count;
  mbs_scalar *result = r + tape->input_count + tape->constant_count;
  while (instruction < end) {  // a row that goes on behind the end costs, and harms nobody
    const int operation = instruction->operation;
    switch (operation) {
      case MBS_OP_ADD: ROW(r[instruction->a] + r[instruction->b]); break;
      case MBS_OP_SUBTRACT: ROW(r[instruction->a] - r[instruction->b]); break;
      case MBS_OP_MULTIPLY: ROW(r[instruction->a] * r[instruction->b]); break;
      case MBS_OP_DIVIDE: ROW(r[instruction->a] / r[instruction->b]); break;
      case MBS_OP_NEGATE: ROW(-r[instruction->a]); break;
      case MBS_OP_TABLE:
      case MBS_OP_EXTERNAL: ROW(look_up(tape, (MbsOperation)operation, instruction->exponent, is_plain, r)); break;
      default:
        ROW(mbs_operation_value((MbsOperation)operation, instruction->exponent, r[instruction->a], r[instruction->b]));
        break;
    }
  }
}
#undef ROW

void mbs_tape_evaluate(const MbsTape *tape, const mbs_scalar *inputs, mbs_scalar *outputs) {
  mbs_scalar *r = tape->registers;
  if (tape->input_count > 0) {
    memcpy(r, inputs, (size_t)tape->input_count * sizeof *r);
  }
  run(tape, tape->instruction_count, false, r);
  for (int k = 0; k < tape->output_count; ++k) {
    outputs[k] = r[tape->outputs[k]];
  }
}

int mbs_tape_register_count(const MbsTape *tape) {
  return tape->input_count + tape->constant_count + tape->instruction_count;
}

// T_(d+1) by each argument, 1 by delta
static void pull_table(const MbsTape *tape, int index, mbs_scalar here, mbs_scalar *bar) {
  const MbsTapeLookup *at = &tape->lookups[index];
  mbs_scalar x = tape->registers[at->x], y = tape->registers[at->y];
  for (int k = 0; k < at->lookup.table->axis_count; ++k) {
    MbsLookup higher = at->lookup;
    higher.order[k] += 1;
    if (mbs_table_has_order(&higher)) {
      bar[k == 0 ? at->x : at->y] += here * mbs_table_value(&higher, x, y);
    }
  }
  if (at->delta >= 0) {
    bar[at->delta] += here;
  }
}

// the slopes by each argument; those of a slope are not known, and who needs them refuses (force_second.c)
static void pull_external(const MbsTape *tape, int index, mbs_scalar here, mbs_scalar *bar) {
  const MbsTapeExternal *at = &tape->externals[index];
  for (int k = 0; k < at->site->external->function.argument_count; ++k) {
    mbs_scalar slope = at->by < 0 ? mbs_external_value(at->site, at->result, k, tape->registers) : (double)NAN;
    bar[at->site->registers[k]] += here * slope;
  }
}

void mbs_tape_pull_back(const MbsTape *tape, const mbs_scalar *outputs_bar, mbs_scalar *bar, mbs_scalar *inputs_bar) {
  const mbs_scalar *r = tape->registers;
  int first = tape->input_count + tape->constant_count;
  for (int k = 0; k < first + tape->instruction_count; ++k) {
    bar[k] = 0;
  }
  for (int k = 0; k < tape->output_count; ++k) {
    bar[tape->outputs[k]] += outputs_bar[k];
  }
  for (int k = tape->instruction_count - 1; k >= 0; --k) {
    const MbsInstruction *instruction = &tape->instructions[k];
    mbs_scalar here = bar[first + k], slopes[2];
    if (mbs_re(here) == 0 && mbs_im(here) == 0) {  // nothing depends on it: a slope may be infinite there
      continue;
    }
    if (instruction->operation == MBS_OP_TABLE) {
      pull_table(tape, instruction->exponent, here, bar);
      continue;
    }
    if (instruction->operation == MBS_OP_EXTERNAL) {
      pull_external(tape, instruction->exponent, here, bar);
      continue;
    }
    mbs_operation_slopes((MbsOperation)instruction->operation, instruction->exponent, r[instruction->a],
                         r[instruction->b], r[first + k], slopes);
    bar[instruction->a] += slopes[0] * here;
    bar[instruction->b] += slopes[1] * here;
  }
  for (int k = 0; k < tape->input_count; ++k) {
    inputs_bar[k] = bar[k];
  }
}

void mbs_twin_tape_slopes(const MbsTape *tape, const double *inputs, int input, double step, double *workspace,
                          int output_count, double *slopes) {
  mbs_scalar *r = (void *)workspace;
  int first = tape->input_count + tape->constant_count, needed = 0;
  for (int k = 0; k < output_count; ++k) {  // operands come first, so what only later outputs need is left out
    int behind = tape->outputs[k] - first + 1;
    needed = behind > needed ? behind : needed;
  }
  for (int k = 0; k < first; ++k) {
    r[k] = k < tape->input_count ? inputs[k] : tape->constants[k - tape->input_count];
  }
  for (int side = 0; side < MBS_SIDES; ++side) {
    r[input] = mbs_perturbed(inputs[input], step, side);
    run(tape, needed, true, r);
    for (int k = 0; k < output_count; ++k) {
      slopes[k] = mbs_take_side(side, r[tape->outputs[k]], slopes[k], inputs[input], step);
    }
  }
}
