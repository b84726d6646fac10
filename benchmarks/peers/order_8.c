// See peers.h: y, its sensitivities, psi and psi' as one system of differential equations, fixed steps.
#include "integrators/pair.h"
#include "peers.h"

enum { COLUMNS = 2, LONGEST = (1 + COLUMNS) * (HAND_MOST + 1) };

// x = (y, psi, Y1, psi1, Y2, psi2)
static void rate(const HandSystem *system, const double *x, double *f) {
  static const double P[2 * COLUMNS] = {1, 0, 0, 1};
  double Y[COLUMNS * HAND_MOST], F[COLUMNS * HAND_MOST];
  int n = system->size, place = system->place;
  for (int c = 0; c < COLUMNS; ++c) {
    for (int i = 0; i < n; ++i) {
      Y[c * n + i] = x[(1 + c) * (n + 1) + i];
    }
  }
  system->rate(x, hand_parameters, f, COLUMNS, Y, P, F);
  double r[2] = {x[place], x[place + 1] + 2};
  f[n] = r[0] * r[0] + r[1] * r[1];
  for (int c = 0; c < COLUMNS; ++c) {
    double *at = f + (1 + c) * (n + 1);
    for (int i = 0; i < n; ++i) {
      at[i] = F[c * n + i];
    }
    at[n] = 2 * (r[0] * Y[c * n + place] + r[1] * Y[c * n + place + 1]);
  }
}

long peer_order_8(const HandSystem *system, long steps, double *gradient) {
  const MbsPair *pair = &mbs_dormand_prince_8;
  double x[LONGEST] = {0}, stage[LONGEST], f[MBS_MOST_STAGES][LONGEST], h = 5.0 / (double)steps;
  int size = (1 + COLUMNS) * (system->size + 1);
  for (int i = 0; i < system->size; ++i) {
    x[i] = system->start[i];
  }
  for (long step = 0; step < steps; ++step) {
    for (int s = 0; s < pair->stage_count; ++s) {
      for (int i = 0; i < size; ++i) {
        stage[i] = x[i];
      }
      for (int j = 0; j < s; ++j) {
        double a = h * pair->a[s][j];
        for (int i = 0; i < size && a != 0; ++i) {
          stage[i] += a * f[j][i];
        }
      }
      rate(system, stage, f[s]);
    }
    for (int s = 0; s < pair->stage_count; ++s) {
      for (int i = 0; i < size; ++i) {
        x[i] += h * pair->b[s] * f[s][i];
      }
    }
  }
  for (int c = 0; c < COLUMNS; ++c) {
    gradient[c] = x[(1 + c) * (system->size + 1) + system->size];
  }
  return steps;
}
