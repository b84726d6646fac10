// An impact with Coulomb friction at one contact, in one plane: the rates of gap and slip after it, in closed form,
// with their derivatives.
//
// u = (n, s): rates of the gap and of the slip. While an impulse p >= 0 presses the two apart and a friction impulse f
// acts along the slip, they change by the masses that impulses meet there, W = [a c; c d] (simulation/impulse.h):
//     dn = a dp + c df,    ds = c dp + d df,        a, d > 0,   a d > c^2
// Coulomb's friction, point by point of the impact (Routh's method; Keller 1986, Stronge 1990):
//     sliding with s = +-|s|    df = -+mu dp                n grows by A = a -+ mu c, s by B = c -+ mu d for each dp
//     sticking, s = 0           df = -c/d dp                where |c| <= mu d;  A = a - c^2/d,  B = 0
//     else s = 0 is left        in the direction of c       A = a - mu |c|
// So n and s are piecewise linear in p, and there are at most two pieces: sliding as it comes, up to p1 = -s/B where
// that stops it, and what follows. (In the second piece A > 0 always. In the first A may be negative, when the contact
// jams: then mu c > a in the direction of slip, and by a d > c^2 slip does stop.)
//
// Compression ends at pc, where n = 0. Restitution goes on to pf, where
//     Poisson      pf - pc = e pc                           the ratio of impulses is e
//     energetic    int_pc^pf n dp = e^2 int_pc^0 n dp       the ratio of the normal impulse's work is e^2 (Stronge)
// Both lose energy or keep it for any mu, where 0 <= e <= 1. Newton's law, n+ = -e n-, need not: friction that stops
// slip may give back in n what it took from s. Without friction the three are the same.
//
// Instead of W and u here are what the impulse's own equations give: K = W^-1 and r = K u.
#ifndef MBS_IMPACT_LAW_H
#define MBS_IMPACT_LAW_H

#include "algebra/scalar.h"
#include "model/event.h"

enum {
  MBS_IMPACT_K_NN,
  MBS_IMPACT_K_NS,
  MBS_IMPACT_K_SS,
  MBS_IMPACT_R_N,
  MBS_IMPACT_R_S,
  MBS_IMPACT_E,
  MBS_IMPACT_MU,
  MBS_IMPACT_INPUTS
};

typedef struct MbsImpactRates {
  mbs_scalar after[2];                       // of gap and slip
  mbs_scalar slopes[2 * MBS_IMPACT_INPUTS];  // of these
  bool is_at_edge;                           // they are those of one side
} MbsImpactRates;

// direction: -1: the gap closes falling (it is positive outside the contact), 1: rising, 0: as it does. If it does not
// close, nothing happens.
MbsImpactRates mbs_impact_rates(MbsImpactLaw law, int direction, const mbs_scalar inputs[MBS_IMPACT_INPUTS]);

#endif
