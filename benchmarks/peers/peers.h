// Others' integrators, and ours, on the hand-written five-bar: the gradient of psi1 by both natural lengths.
#ifndef PEERS_H
#define PEERS_H

#include <stdbool.h>

#include "five_bar_hand.h"

// Each returns the number of steps, or -1: it failed.
// Dormand and Prince's method of order 8, the coefficients of ours, with so many steps; forward sensitivities
long peer_order_8(const HandSystem *system, long steps, double *gradient);

// With this relative tolerance, and a hundredth of it absolute. sundials_peers.c, where SUNDIALS is there
long peer_cvodes_forward(const HandSystem *system, double tolerance, double *gradient);
long peer_cvodes_adjoint(const HandSystem *system, double tolerance, double *gradient);
long peer_idas_forward(double tolerance, double *gradient);

// MuJoCo, with so many steps and central differences; the largest gap of its constraint. mujoco_peers.c, where it is
// there
long peer_mujoco(long steps, double *gradient, double *gap);
const char *peer_mujoco_version(void);

#endif
