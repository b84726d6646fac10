// Explicit Runge-Kutta methods: their coefficients. Of y' = f(t, y), with s stages,
//     k_i = f(t_0 + c_i h, y_0 + h sum_j a_ij k_j),     y_1 = y_0 + h sum_i b_i k_i,     a_ij = 0 for j >= i
// Each is a pair: its stages, and f at the end of the step as one more of them (which is the first stage of the next
// step), also make an estimate of the error of y_1, E = h sum_i e_i k_i; where there is a second one of lower order,
// E' = h sum_i e'_i k_i, the error counts as E^2 / sqrt(E^2 + E'^2 / 100), which is of a higher one than E.
//
// Between the ends of a step, at t_0 + theta h: with k_s = f at its end, and further stages k_s+1, ... of the same
// form,
//     y(theta) = y_0 + h sum_i w_i(theta) k_i
//     w = theta (b + theta' (e_0 - b + theta (2 b - e_s - e_0 + theta' (d_0 + theta (d_1 + theta' (d_2 + theta
//     d_3))))))
// with theta' = 1 - theta, e_i the unit of stage i, as many d as there are (then the innermost has theta' or theta
// alone as its factor); of order `dense_order`, with the values and the slopes of both ends.
#ifndef MBS_PAIR_H
#define MBS_PAIR_H

#include <stdbool.h>

enum { MBS_MOST_STAGES = 12, MBS_MOST_FURTHER = 3, MBS_MOST_BETWEEN = MBS_MOST_STAGES + 1 + MBS_MOST_FURTHER };

typedef struct MbsPair {
  const char *name;
  int order, stage_count;
  double c[MBS_MOST_STAGES];
  double a[MBS_MOST_STAGES][MBS_MOST_STAGES];
  double b[MBS_MOST_STAGES];
  double error[MBS_MOST_STAGES + 1];  // e, the last one that of the end
  double low[MBS_MOST_STAGES + 1];    // e', or zeros
  int dense_order, further_count, dense_count;
  double further_c[MBS_MOST_FURTHER];
  double further[MBS_MOST_FURTHER][MBS_MOST_BETWEEN];  // a of further stages, by stages, end and further ones
  double dense[4][MBS_MOST_BETWEEN];                   // d, likewise
} MbsPair;

extern const MbsPair mbs_dormand_prince_5, mbs_dormand_prince_8;

// NULL: there is none of that name.
const MbsPair *mbs_pair_find(const char *name);

// w(theta), of stages, end and further ones.
void mbs_pair_weights(const MbsPair *pair, double theta, double weights[MBS_MOST_BETWEEN]);

#endif
