// What tests of tyres on a rig share: are the moments those of forces in the point of contact?
#ifndef MBS_TEST_TYRE_RIG_H
#define MBS_TEST_TYRE_RIG_H

#include "event_runs.h"

// The moment of a tyre about the centre of a wheel with the spin axis s, inclination g, loaded radius rl: F acts at
// -rl (e1 x s), so that with s.n = sin g
//     T.s  = -rl Fx + My + Mz sin g
//     T.e1 = rl (Fy cos g + Fz sin g) + Mx
//     T.n  = -rl sin g Fx + My sin g + Mz
// A drive along s holds the first; the hub what is left, T - (T.s) s. What holds is minus what the tyre does.
static inline void check_moments(const MbsResult *result, double Mx, double My, double share) {
  double rl = value(result, "radius"), g = value(result, "inclination"), Fx = value(result, "Fx"),
         Fy = value(result, "Fy");
  double Fz = value(result, "Fz"), Mz = value(result, "Mz"), tolerance = share * Fz;
  double about_axle = -rl * Fx + My + Mz * sin(g);
  ENSURE_NEAR(value(result, "about_axle"), about_axle, tolerance);
  ENSURE_NEAR(-value(result, "about_ahead"), rl * (Fy * cos(g) + Fz * sin(g)) + Mx, tolerance);
  ENSURE_NEAR(-value(result, "about_normal"), -rl * sin(g) * Fx + My * sin(g) + Mz - about_axle * sin(g), tolerance);
}

#endif
