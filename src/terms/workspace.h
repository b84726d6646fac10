// What evaluations write although the system is const: all numbers that one call leaves for another.
//
// One workspace belongs to the bodies, to the system in the coordinates of a tree around them, and to the view that
// bodies cut free have. What a function writes and uses within one call stays with the element whose it is (forces,
// expression rows), and the tree compares the state it is asked for with the one it knows (tree.h). What a run
// remembers from step to step is no workspace: turns and previous angles (signal_bank.h), conditions (terms.h).
//
// Stamps say at which state the numbers were made: in debug builds (base/assertion.h) hashes of the bodies' q, v, a, t
// and multipliers, which every function that reads the numbers compares with those of the state it is called for. They
// are forgotten where parameters change.
#ifndef MBS_WORKSPACE_H
#define MBS_WORKSPACE_H

#include <stdint.h>
#include <string.h>

#include "base/assertion.h"
#include "terms/state.h"

struct MbsDirectionColumn;

#ifdef MBS_ASSERTIONS
// 0: not evaluated
typedef struct MbsStamp {
  uint64_t q, v, a;        // of the signals' forms
  uint64_t forces;         // of the forces that hold bodies
  uint64_t columns;        // of `columns`: which, and where they were taken
  uint64_t force_columns;  // of the derivatives of the forces that hold bodies: those two
} MbsStamp;
#endif

typedef struct MbsWorkspace {
  // the delta of a table that is perturbed (derivative_source.h), and by how much; all others are zero
  int delta_index;
  mbs_scalar delta;

  uint64_t epoch;  // of the parameters: grows where they are set

  // of one call
  mbs_scalar *scratch;                    // (nq + m) x carried columns
  struct MbsDirectionColumn *directions;  // columns

  // of the state that signals were evaluated at (mbs_signal_bank_evaluate, accept, follow)
  mbs_scalar *position, *velocity, *acceleration;  // form_count x dimension
  // of the state that turns were counted at
  mbs_scalar *principal_inputs, *principal_outputs;
  // of the bodies, that were taken last (mbs_signal_bank_take_columns, differentiate)
  MbsColumns columns;
#ifdef MBS_ASSERTIONS
  MbsStamp stamp;
#endif
} MbsWorkspace;

static inline mbs_scalar mbs_delta_value(const MbsWorkspace *work, int index) {
  return index == work->delta_index ? work->delta : 0;
}

#ifdef MBS_ASSERTIONS
// a hash of bytes, 8 at a time, that goes on from another
static inline uint64_t mbs_stamp_bytes(uint64_t hash, size_t size, const void *bytes) {
  const unsigned char *from = bytes;
  hash = (hash ^ size) * 0x9e3779b97f4a7c15u + 1;
  for (size_t i = 0; from && i < size; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, from + i, size - i < sizeof word ? size - i : sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash > 0 ? hash : 1;
}

static inline uint64_t mbs_stamp_numbers(uint64_t hash, int count, const mbs_scalar *numbers) {
  return mbs_stamp_bytes(hash, (size_t)count * sizeof *numbers, numbers);
}

// of what the forces that hold bodies depend on
static inline uint64_t mbs_stamp_forces(int nq, int m, const MbsState *x) {
  uint64_t hash = mbs_stamp_numbers(1, 1, &x->t);
  hash = mbs_stamp_numbers(mbs_stamp_numbers(mbs_stamp_numbers(hash, nq, x->q), nq, x->v), nq, x->a);
  return mbs_stamp_numbers(hash, m, x->total);
}

// of columns that are taken at a state of the bodies: which arrays, not what is in them
static inline uint64_t mbs_stamp_columns(int nq, const MbsState *x, const MbsColumns *columns) {
  const mbs_scalar *const arrays[] = {columns->X, columns->V, columns->A};
  uint64_t hash = mbs_stamp_bytes(1, sizeof arrays, arrays);
  return mbs_stamp_numbers(mbs_stamp_numbers(mbs_stamp_numbers(hash, nq, x->q), nq, x->v), nq, x->a);
}
#endif

#endif
