// Phi_q, or [Phi_q; A], at a state as sparse rows of plain numbers (real parts): what decisions on rank look at.
#ifndef MBS_JACOBIAN_H
#define MBS_JACOBIAN_H

#include "algebra/sparse_rows.h"
#include "terms/terms.h"

typedef struct MbsJacobian {
  const MbsSystem *system;
  MbsSparseRows rows;   // m x n
  const int *position;  // of each entry in the system's matrix
  mbs_scalar *tangent;  // the system's matrix
} MbsJacobian;

MbsStatus mbs_jacobian_create(MbsContext *context, MbsArena *arena, const MbsSystem *system, MbsJacobian *jacobian);
// Phi_q; the nonholonomic rows are zero.
void mbs_jacobian_evaluate(MbsJacobian *jacobian, const MbsState *state);
// [Phi_q; A], each row at its place
void mbs_jacobian_evaluate_rates(MbsJacobian *jacobian, const MbsState *state);
// The coordinates that complete these rows, which are independent, and unit vectors of these coordinates best.
// chosen: as many as are missing.
MbsStatus mbs_jacobian_complete(MbsContext *context, MbsArena *scratch, const MbsJacobian *jacobian, int row_count,
                                const int *rows, int unit_count, const int *units, int *chosen);
// Euclidean length of a row
double mbs_jacobian_length(const MbsJacobian *jacobian, int row);

#endif
