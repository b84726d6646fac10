// From a graph to a flat list of instructions.
//
// Instruction k writes register input_count + constant_count + k, so it needs no field for that, and
// the order of the nodes' indices, in which operands come first, is the order of the instructions.
#include "expressions/tape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expressions/operation.h"

typedef struct MbsInstruction {
  int16_t operation, exponent;
  int a, b;  // registers; b repeats a where there is one operand
} MbsInstruction;

// what a tape holds, and the register of each node on it
typedef struct Selection {
  int input_count, constant_count, instruction_count;
  int *registers;  // by node, plus 1; 0: not on the tape
} Selection;

static int compare_integers(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// marks all that the outputs need, operands being found below the nodes that use them
static void mark_needed(const MbsGraph *graph, int last, Selection *selection) {
  for (MbsNode node = last; node >= 0; --node) {
    if (!selection->registers[node]) {
      continue;
    }
    const MbsGraphNode *n = mbs_graph_node(graph, node);
    selection->input_count += n->operation == MBS_OP_INPUT;
    selection->constant_count += n->operation == MBS_OP_CONSTANT;
    for (int k = 0; k < 2; ++k) {
      if (n->operand[k] != MBS_NODE_NONE) {
        selection->registers[n->operand[k]] = 1;
      }
    }
    selection->instruction_count += n->operation != MBS_OP_INPUT && n->operation != MBS_OP_CONSTANT;
  }
}

static MbsInstruction instruction_of(const MbsGraphNode *n, const int *registers) {
  MbsInstruction instruction = {.operation = (int16_t)n->operation,
                                .exponent = (int16_t)n->index,
                                .a = registers[n->operand[0]] - 1,
                                .b = registers[n->operand[n->operand[1] == MBS_NODE_NONE ? 0 : 1]] - 1};
  // x^2 is the product mbs_power_integer makes, without its loop
  if (n->operation == MBS_OP_POWER_INTEGER && n->index == 2) {
    instruction.operation = MBS_OP_MULTIPLY;
  }
  return instruction;
}

static MbsStatus fill(MbsContext *context, MbsArena *arena, const MbsGraph *graph, int last, Selection *selection,
                      MbsTape *tape) {
  int *inputs;
  MbsInstruction *instructions;
  int constant_end = selection->input_count + selection->constant_count;
  MBS_TAKE(context, arena, inputs, selection->input_count);
  MBS_TAKE(context, arena, instructions, selection->instruction_count);
  MBS_TAKE(context, arena, tape->registers, constant_end + selection->instruction_count);
  int input_count = 0;
  for (MbsNode node = 0; node <= last; ++node) {
    const MbsGraphNode *n = mbs_graph_node(graph, node);
    if (selection->registers[node] && n->operation == MBS_OP_INPUT) {
      inputs[input_count++] = n->index;
    }
  }
  qsort(inputs, (size_t)input_count, sizeof *inputs, compare_integers);

  int constant = input_count;
  int instruction_count = 0;
  for (MbsNode node = 0; node <= last; ++node) {
    if (!selection->registers[node]) {
      continue;
    }
    const MbsGraphNode *n = mbs_graph_node(graph, node);
    int place;
    if (n->operation == MBS_OP_INPUT) {
      const int *found = bsearch(&n->index, inputs, (size_t)input_count, sizeof *inputs, compare_integers);
      place = (int)(found - inputs);
    } else if (n->operation == MBS_OP_CONSTANT) {
      place = constant++;
      tape->registers[place] = n->value;
    } else {
      place = constant_end + instruction_count;
      instructions[instruction_count++] = instruction_of(n, selection->registers);
    }
    selection->registers[node] = place + 1;
  }
  tape->input_count = input_count;
  tape->inputs = inputs;
  tape->constant_count = selection->constant_count;
  tape->instruction_count = instruction_count;
  tape->instructions = instructions;
  return MBS_OK;
}

static MbsStatus create(MbsContext *context, MbsArena *arena, MbsArena *scratch, const MbsGraph *graph,
                        int output_count, const MbsNode *outputs, MbsTape **tape) {
  MbsTape *made;
  int *output_registers;
  MBS_TAKE(context, arena, made, 1);
  MBS_TAKE(context, arena, output_registers, output_count);
  MbsNode last = MBS_NODE_NONE;
  for (int k = 0; k < output_count; ++k) {
    MBS_ASSERT(outputs[k] >= 0 && outputs[k] < mbs_graph_count(graph));
    last = outputs[k] > last ? outputs[k] : last;
  }
  Selection selection = {0};
  MBS_TAKE(context, scratch, selection.registers, last + 1);
  for (int k = 0; k < output_count; ++k) {
    selection.registers[outputs[k]] = 1;
  }
  mark_needed(graph, last, &selection);
  MBS_TRY(fill(context, arena, graph, last, &selection, made));
  for (int k = 0; k < output_count; ++k) {
    output_registers[k] = selection.registers[outputs[k]] - 1;
  }
  made->output_count = output_count;
  made->outputs = output_registers;
  *tape = made;
  return MBS_OK;
}

MbsStatus mbs_tape_create(MbsContext *context, MbsArena *arena, const MbsGraph *graph, int output_count,
                          const MbsNode *outputs, MbsTape **tape) {
  MbsArena *scratch = mbs_arena_create();
  if (!scratch) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  MbsStatus status = create(context, arena, scratch, graph, output_count, outputs, tape);
  mbs_arena_destroy(scratch);
  return status;
}

void mbs_tape_evaluate(const MbsTape *tape, const mbs_scalar *inputs, mbs_scalar *outputs) {
  mbs_scalar *r = tape->registers;
  if (tape->input_count > 0) {
    memcpy(r, inputs, (size_t)tape->input_count * sizeof *r);
  }
  const MbsInstruction *instruction = tape->instructions;
  const MbsInstruction *end = instruction + tape->instruction_count;
  mbs_scalar *result = r + tape->input_count + tape->constant_count;
  for (; instruction < end; ++instruction, ++result) {
    *result = mbs_operation_value((MbsOperation)instruction->operation, instruction->exponent, r[instruction->a],
                                  r[instruction->b]);
  }
  for (int k = 0; k < tape->output_count; ++k) {
    outputs[k] = r[tape->outputs[k]];
  }
}

int mbs_tape_register_count(const MbsTape *tape) {
  return tape->input_count + tape->constant_count + tape->instruction_count;
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
    mbs_operation_slopes((MbsOperation)instruction->operation, instruction->exponent, r[instruction->a],
                         r[instruction->b], r[first + k], slopes);
    bar[instruction->a] += slopes[0] * here;
    bar[instruction->b] += slopes[1] * here;
  }
  for (int k = 0; k < tape->input_count; ++k) {
    inputs_bar[k] = bar[k];
  }
}
