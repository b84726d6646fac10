// How many turns the angles have made at the start.
//
// An angle is its principal value plus whole turns. A driver, an independent coordinate or a constraint may want it
// beyond half a turn, as the angle of a crank that starts at 7 rad: then it starts with the turns that this needs.
// From the guess, with what a turn more changes in w - w0 (or in Phi):
//     angle expected = principal value - 2 pi (w - w0) / change.
// From there on angles are continuous. Drivers are asked first, constraints last, so that the second wheel of a gear
// follows the first; of the angles in one expression the one that counts there most like itself.
#include <math.h>

#include "kinematics/initial.h"

// constraint k, or independent coordinate k - m: how far it is off its value
static double distance(const MbsInitial *initial, int k, const MbsState *state) {
  const MbsSystem *system = initial->system;
  if (k >= system->m) {
    int index = k - system->m;
    return mbs_re(mbs_initial_value(initial, index, state) - system->independents.value[2 * index]);
  }
  mbs_scalar level[3];
  mbs_terms_constraint(system, k, state, level);
  return mbs_re(level[0]);
}

static MbsStatus expect(MbsContext *context, const MbsInitial *initial, int k, const MbsState *state) {
  const double two_pi = 6.283185307179586476925286766559, least = 1e-6;
  const MbsSystem *system = initial->system;
  const MbsBlueprint *blueprint = system->blueprint;
  const MbsSignalBank *bank = &system->signals;
  MbsNode node =
      k < system->m ? blueprint->rows.items[k].expression : blueprint->independents.items[k - system->m].coordinate;
  int count, best = -1;
  const int *inputs;
  double off = distance(initial, k, state), best_change = 0;
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, node, &count, &inputs));
  for (int s = 0; s < count; ++s) {
    const MbsSignal *signal = &blueprint->signals.items[inputs[s]];
    if (signal->kind != MBS_SIGNAL_TURN || bank->is_expected[signal->index]) {
      continue;
    }
    bank->turns[signal->index] += 1;
    double change = distance(initial, k, state) - off;
    bank->turns[signal->index] -= 1;
    double unlikeness = fabs(log(fabs(change) / two_pi));                                            // real
    if (fabs(change) > least && (best < 0 || unlikeness < fabs(log(fabs(best_change) / two_pi)))) {  // real
      best = signal->index;
      best_change = change;
    }
  }
  if (best >= 0 && isfinite(off)) {
    mbs_signal_bank_expect(system, best, mbs_re(bank->turns[best]) - off / best_change);
  }
  return MBS_OK;
}

static MbsStatus expect_rows(MbsContext *context, const MbsInitial *initial, const MbsState *state, bool are_drivers) {
  const MbsSystem *system = initial->system;
  for (int k = 0; k < system->m; ++k) {
    const MbsRowSpec *row = &system->blueprint->rows.items[k];
    if (row->kind == MBS_ROW_EXPRESSION && !row->is_nonholonomic && row->is_driver == are_drivers) {
      MBS_TRY(expect(context, initial, k, state));
    }
  }
  return MBS_OK;
}

MbsStatus mbs_initial_expect_turns(MbsContext *context, const MbsInitial *initial, const MbsState *state) {
  const MbsSystem *system = initial->system;
  if (system->signals.turn_count == 0) {
    return MBS_OK;
  }
  mbs_signal_bank_follow(system, state);
  MBS_TRY(expect_rows(context, initial, state, true));
  for (int i = 0; i < initial->count; ++i) {
    if (initial->independents[i].has_value) {
      MBS_TRY(expect(context, initial, system->m + i, state));
    }
  }
  return expect_rows(context, initial, state, false);
}
