// The five-bar linkage written by hand, for comparisons: three systems of equations of one mechanism, each with the
// derivative along any number of directions, as somebody would write them who has this one mechanism to solve.
//
// Points 1, 2, 3 between the ground points A(-1/2, 0) and B(1/2, 0); bars of mass 1, 3/2, 3/2, 1, so that with q = (p1,
// p2, p3) the mass matrix is constant, in blocks [5/6, 1/4, 0; 1/4, 1, 1/4; 0, 1/4, 5/6] times I; weights 5/4, 3/2, 5/4
// times g; springs of 100 N/m from points 1 and 2 to B with natural lengths L1 and L2, the parameters. psi1 = integral
// of |p2 - (0, -2)|^2 over 5 s, from rest.
#ifndef FIVE_BAR_HAND_H
#define FIVE_BAR_HAND_H

enum { HAND_POINTS = 3, HAND_BARS = 4, HAND_MOST = 12, HAND_INDEX1 = 16 };

// y' = f(y; L), and for `count` directions (Y: as long as y each; P: 2 each) F = f_y Y + f_L P
typedef struct HandSystem {
  const char *name;
  int size;
  int place;  // of p2 in y
  double start[HAND_MOST];
  void (*rate)(const double *y, const double *L, double *f, int count, const double *Y, const double *P, double *F);
  // the derivative of l.y'', l as long as half of y, by y and L
  void (*transposed)(const double *y, const double *L, const double *l, double *by_y, double *by_L);
} HandSystem;

// y = (p2, p2'): the elbows 1 and 3 are intersections of two circles
extern const HandSystem hand_two;
// y = (q, q'): penalty, alpha = 1e7, xi = 1, omega = 10
extern const HandSystem hand_penalty;

// Index 1, y = (q, v, lambda): r(y, v') = (M v' + Phi_q' lambda - Q; Phiddot), 10 numbers, and along directions of (y,
// v', L)
void hand_index1(const double *y, const double *a, const double *L, double *r, int count, const double *Y,
                 const double *A, const double *P, double *R);
extern const double hand_index1_start[HAND_INDEX1];  // with multipliers of zero

extern const double hand_parameters[2];
// psi1' by L1 and L2: agreed on by our order-8 method, CVODES and IDAS (docs/validation.md)
extern const double hand_reference[2];

#endif
