// What the parts of the search for an equilibrium share: see equilibrium_search.c.
#ifndef MBS_EQUILIBRIUM_SEARCH_H
#define MBS_EQUILIBRIUM_SEARCH_H

#include "kinematics/equilibrium.h"

typedef struct MbsEquilibriumSearch {
  MbsContext *context;
  MbsInitial *initial;
  MbsEquilibrium *equilibrium;
  double size;       // of the mechanism
  int count;         // of coordinates that relax,
  int state_count;   // and of states, which follow them
  int *active;       // which: count, then state_count
  double *inverse;   // state_count squared: P
  double *matrix;    // count squared: K
  double *factor;    // likewise, or of states
  double *coupling;  // count x state_count: J_cs P
  double *right;     // count + state_count: the step
  double *force;     // count: F
  double radius;     // of a step, in sizes of the mechanism or radians
  double duration;   // h, s: of the steps of states
  // where the way of the mechanism ended:
  int worst;          // whose force was the largest
  double force_left;  // that force
  bool goes_on;       // it had not come to an end
} MbsEquilibriumSearch;

// From the present unknowns along the forces, to where the mechanism rests, or nearly; is_there: it came there.
MbsStatus mbs_equilibrium_relax(MbsEquilibriumSearch *search, bool *is_there);
// The size of what cancels in each force, at the present unknowns.
void mbs_equilibrium_measure(const MbsEquilibriumSearch *search);
// The largest force along coordinates that move (of_all: along all) over that size; worst: whose, or -1.
double mbs_equilibrium_residual(const MbsEquilibriumSearch *search, bool of_all, int *worst);

#endif
