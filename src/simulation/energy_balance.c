// The balance of energy: what a motion that is computed exactly keeps at zero,
//     off = T + V - (T0 + V0) - W,        W: work of the forces that have no potential (dissipation is negative work),
// by the trapezoidal rule of the steps. It counts against what energy there is in the motion: the largest of T and
// |V - V0| so far. V itself depends on where heights are counted from, and T + V may well be zero. What is within the
// rounding of T + V counts as none: at rest that would be all there is.
#include <float.h>
#include <math.h>

#include "simulation/simulation.h"

void mbs_simulation_jump_energy(MbsSimulation *simulation, double lost) {
  MbsEnergyBalance *balance = &simulation->energy;
  MbsEnergy energy;
  mbs_terms_energy(simulation->system, &simulation->state, &energy);
  balance->T0 -= lost;
  balance->power = mbs_re(energy.power);
}

void mbs_simulation_balance_energy(MbsSimulation *simulation, double h) {
  const double roundings = 16;
  MbsEnergyBalance *balance = &simulation->energy;
  MbsEnergy energy;
  mbs_terms_energy(simulation->system, &simulation->state, &energy);
  double T = mbs_re(energy.kinetic), V = mbs_re(energy.potential), power = mbs_re(energy.power);
  if (!(h > 0)) {
    *balance = (MbsEnergyBalance){.T0 = T, .V0 = V};
  } else {
    balance->work += h / 2 * (balance->power + power);
  }
  balance->power = power;
  double off = fabs((T - balance->T0) + (V - balance->V0) - balance->work), rise = fabs(V - balance->V0);  // real
  if (off > roundings * DBL_EPSILON * (T + fabs(V) + fabs(balance->work)) || isnan(off)) {                 // real
    balance->worst = off <= balance->worst || isnan(balance->worst) ? balance->worst : off;
  }
  balance->largest = T > balance->largest ? T : balance->largest;
  balance->largest = rise > balance->largest ? rise : balance->largest;
  simulation->statistics.energy_drift = balance->largest > 0 ? balance->worst / balance->largest : balance->worst;
}
