// Explicit Runge-Kutta methods: their coefficients. Of y' = f(t, y), with s stages,
//     k_i = f(t_0 + c_i h, y_0 + h sum_j a_ij k_j),     y_1 = y_0 + h sum_i b_i k_i,     a_ij = 0 for j >= i
// Each is a pair: its stages, and f at the end of the step as one more of them (which is the first stage of the next
// step), also make an estimate of the error of y_1, E = h sum_i e_i k_i; where there is a second one of lower order,
// E' = h sum_i e'_i k_i, the error counts as E^2 / sqrt(E^2 + E'^2 / 100), which is of a higher one than E.
#ifndef MBS_PAIR_H
#define MBS_PAIR_H

#include <stdbool.h>

enum { MBS_MOST_STAGES = 12 };

typedef struct MbsPair {
  const char *name;
  int order, stage_count;
  double c[MBS_MOST_STAGES];
  double a[MBS_MOST_STAGES][MBS_MOST_STAGES];
  double b[MBS_MOST_STAGES];
  double error[MBS_MOST_STAGES + 1];  // e, the last one that of the end
  double low[MBS_MOST_STAGES + 1];    // e', or zeros
} MbsPair;

extern const MbsPair mbs_dormand_prince_5, mbs_dormand_prince_8;

// NULL: there is none of that name.
const MbsPair *mbs_pair_find(const char *name);

#endif
