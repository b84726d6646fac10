// Implicit Runge-Kutta methods whose last stage is the end of the step: their coefficients. Of y' = f(t, y), with s
// stages,
//     y_i = y_0 + h sum_j a_ij f(t_0 + c_i h, y_j),     y_1 = y_s,      c_s = 1
#ifndef MBS_COLLOCATION_H
#define MBS_COLLOCATION_H

enum { MBS_MOST_COUPLED = 3 };

typedef struct MbsCollocation {
  const char *name;
  int order, stage_count;
  double c[MBS_MOST_COUPLED];
  double a[MBS_MOST_COUPLED][MBS_MOST_COUPLED];
  double gamma;  // of estimated errors (coupled_error.c): near the eigenvalues of a
} MbsCollocation;

extern const MbsCollocation mbs_radau_3, mbs_radau_5;

// NULL: there is none of that name.
const MbsCollocation *mbs_collocation_find(const char *name);

#endif
