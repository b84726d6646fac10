// Redundant constraints that a parameter contradicts.
//
// A redundant constraint follows from the others at these values of the parameters. Where it would not at other values,
// the mechanism has this motion at these values only, and derivatives with respect to such a parameter mean nothing:
// what the others make of positions and velocities does not satisfy it, and of
//     dPhi/drho = Phi_q X + Phi_rho,     dPhidot/drho = Phi_q V + (Phidot)_q X + (Phidot)_rho
// something is left over. That is compared with the sum of |Phi_qi X_i| (or V) that it is made of.
#include <math.h>

#include "kinematics/initial.h"

static const MbsWeights levels[] = {{.k0 = 1}, {.k1 = 1, .n1 = 1}};  // positions, velocities

static void oppose(const MbsInitial *initial, const MbsJacobian *jacobian, const mbs_scalar *columns,
                   MbsOpposition *worst) {
  const double least = 1e-6, rounding = 1e-12;
  const MbsSystem *system = initial->set.system;
  const MbsSparseRows *rows = &jacobian->rows;
  for (int k = 0; k < system->column_count; ++k) {
    const mbs_scalar *X = columns + (size_t)k * (size_t)system->nq, *R = initial->R + k * (system->n + system->m);
    for (int row = 0; row < system->m; ++row) {
      double sum = rounding * mbs_jacobian_length(jacobian, row), left = mbs_re(mbs_abs(R[system->n + row]));
      for (int i = rows->start[row]; i < rows->start[row + 1]; ++i) {
        sum += fabs(rows->value[i]) * mbs_re(mbs_abs(X[rows->column[i]]));  // real
      }
      if (initial->set.is_redundant[row] && left > least * sum && left > worst->off * (left + sum)) {
        *worst = (MbsOpposition){.off = left / (left + sum), .constraint = row, .column = k};
      }
    }
  }
}

MbsStatus mbs_initial_find_opposition(MbsContext *context, MbsInitial *initial, const MbsState *state,
                                      const MbsColumns *carried, MbsJacobian *jacobian, MbsOpposition *worst) {
  const MbsSystem *system = initial->set.system;
  const MbsColumns *columns = carried ? carried : &initial->columns;
  *worst = (MbsOpposition){0};
  if (initial->set.redundant_count == 0 || system->column_count == 0) {
    return MBS_OK;
  }
  if (!carried) {
    MBS_TRY(mbs_initial_derivative(context, initial, state, columns->X, columns->V, columns->A));
  }
  mbs_jacobian_evaluate_rates(jacobian, state);
  for (int level = 0; level < 2; ++level) {
    for (int i = 0; i < (system->n + system->m) * system->column_count; ++i) {
      initial->R[i] = 0;
    }
    mbs_terms_derivative(system, state, &levels[level], system->column_count, true, columns->X, columns->V, NULL, NULL,
                         initial->R);
    oppose(initial, jacobian, level == 0 ? columns->X : columns->V, worst);
  }
  return MBS_OK;
}
