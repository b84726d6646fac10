// The balance of energy: what a motion that is computed exactly keeps at zero,
//     off = T + V - (T0 + V0) - W,        W: work of the forces that have no potential (dissipation is negative work),
// by the points of the steps (stepper.h). It counts against what energy there is in the motion: the largest of T and
// |V - V0| so far. V itself depends on where heights are counted from, and T + V may well be zero. What is within the
// rounding of T + V counts as none: at rest that would be all there is.
#include <float.h>
#include <math.h>

#include "simulation/simulation.h"

double mbs_simulation_jump_energy(MbsSimulation *simulation) {
  MbsEnergyBalance *balance = &simulation->energy;
  MbsEnergy energy;
  mbs_terms_energy(simulation->system, &simulation->state, &energy);
  double now = mbs_re(energy.kinetic + energy.potential), lost = balance->now - now;
  balance->T0 -= lost;
  balance->now = now;
  balance->power = mbs_re(energy.power);
  return lost;
}

// the power at the points between the ends of a step, with their weights
static double power_between(const MbsSimulation *simulation, const MbsStep *step) {
  const MbsStepper *stepper = simulation->stepper;
  int count = mbs_step_points(stepper, step);
  double sum = 0;
  for (int p = 0; p < count; ++p) {
    const MbsPoint point = stepper->type->point(stepper, p);
    MbsEnergy energy;
    mbs_signal_bank_visit(simulation->system, point.state);
    mbs_terms_energy(simulation->system, point.state, &energy);
    sum += point.weight * mbs_re(energy.power);
  }
  if (count > 0) {
    mbs_signal_bank_visit(simulation->system, &simulation->state);
  }
  return sum;
}

void mbs_simulation_balance_energy(MbsSimulation *simulation, const MbsStep *step) {
  const double roundings = 16;
  MbsEnergyBalance *balance = &simulation->energy;
  MbsEnergy energy;
  mbs_terms_energy(simulation->system, &simulation->state, &energy);
  double T = mbs_re(energy.kinetic), V = mbs_re(energy.potential), power = mbs_re(energy.power);
  if (!step || !(mbs_re(step->h) > 0)) {
    *balance = (MbsEnergyBalance){.T0 = T, .V0 = V};
  } else {
    const double *ends = mbs_step_ends(simulation->stepper, step);
    double sum = ends[0] * balance->power + power_between(simulation, step) + ends[1] * power;
    balance->work += mbs_re(step->h) * sum;
  }
  balance->power = power;
  balance->now = mbs_re(energy.kinetic + energy.potential);
  double off = fabs((T - balance->T0) + (V - balance->V0) - balance->work), rise = fabs(V - balance->V0);  // real
  if (off > roundings * DBL_EPSILON * (T + fabs(V) + fabs(balance->work)) || isnan(off)) {                 // real
    balance->worst = off <= balance->worst || isnan(balance->worst) ? balance->worst : off;
  }
  balance->largest = T > balance->largest ? T : balance->largest;
  balance->largest = rise > balance->largest ? rise : balance->largest;
  simulation->statistics.energy_drift = balance->largest > 0 ? balance->worst / balance->largest : balance->worst;
}
