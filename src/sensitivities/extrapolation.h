// Extrapolation of whole runs to steps of no size, with an estimate of what is left of the error.
//
// A run with equal steps h gives a smooth number (the value of an objective, one of its derivatives, the time of an
// event) with an error that expands in powers of h (stepper.h),
//     y(h) = y + c_1 h^p_1 + c_2 h^p_2 + ...,        p_j = order + (j - 1) gap
// Levels k = 0, 1, ... have steps h_k = h_0 / 2^k. Column j of Romberg's table is free of the first j terms:
//     T[k][0] = y(h_k),     T[k][j] = T[k][j-1] + (T[k][j-1] - T[k-1][j-1]) / (2^p_j - 1)
// so that its error falls by F = 2^p_{j+1} from row to row, and so do its differences D[k] = |T[k][j] - T[k-1][j]|:
// then the error of T[k][j] is D[k] / (F - 1).
//
// Whether they do is looked at before it is believed. All numbers of a group (a value with its derivatives) have one
// ratio R = D[k-1] / D[k], of the largest differences, each in its own scale, for that of a single number may well be
// small by accident. With d = max(D[k], D[k-1] / F, a tenth of the group's largest), in the number's own scale:
//     R within a factor 2 of F       error = 3 d / (min(F, 64) - 1)
//     R above: an accident           error = 3 max(d, a tenth of the group's last but one / F)
//     R below: not (yet) that order  error = 3 max(d, D[k-1] / 8)
// and the last where the difference before did not fall (by F / 16, and at all): then the ratio is luck.
// The column whose largest error is smallest is taken, of the same row. It needs three rows, so that T[k][k] and
// T[k][k-1] are never used: nothing has been seen of how they converge. The numbers 3, 2, 64, 8, 16 and a tenth were
// chosen on shipped models and judged on others: scripts/accuracy, docs/accuracy.md.
// Where the powers 1, 2, 3, ... give errors ten times smaller than those that belong to the integrator, they are taken.
//
// Rounding. What a level rounds on its own is in the differences: they cease to fall. What all levels share is not (a
// start that is assembled once, a motion that magnifies the last digit of every parameter), and a motion may magnify
// more in one level than in another (past singular positions). So levels are run again with all parameters shaken, by
// 1e-15 of themselves (shaken_run.h): no error is below three times what moved a number, or a tenth of what moved
// another of the group, in the last three of these, nor below 100 roundings of its scale; 1000 where nothing is shaken.
//
// Scales. Relative errors are those of a number's own size, but a number near zero is measured by what it is one of:
//     value:       max(|y|, m / 1000),         derivative by p:  max(|y_p|, m / (1000 |p|))
//     m = max(the largest |y| on the way, the largest |p y_p|),   |p|: 1 where p = 0
// that is, a derivative is small where a change of the parameter by itself changes the value by less than a thousandth
// of what the other parameters, or the motion, do.
#ifndef MBS_EXTRAPOLATION_H
#define MBS_EXTRAPOLATION_H

#include <math.h>

#include "base/arena.h"
#include "base/context.h"

enum { MBS_MOST_LEVELS = 40, MBS_MOST_COLUMNS = 4, MBS_SHAKEN_LEVELS = 3 };

// T[k][j] from T[k-1][j-1] and T[k][j-1], whose errors have this power of h
static inline double mbs_extrapolate_once(int power, double coarse, double fine) {
  return fine + (fine - coarse) / (ldexp(1, power) - 1);  // real
}

typedef struct MbsExtrapolation {
  int order, gap;
  int column_count;    // of the table, at most
  int count;           // of numbers: a value, then its derivatives
  const double *size;  // of what each derivative is by: |p|, or 1; the first is not used
  double largest;      // |value| on the way, of the last level: a coarse one may have exploded
  int level_count;
  double *levels;         // most levels x count
  int shaken_count;       // of levels that were shaken, of which the last ones
  double *moved;          // shaken levels x count: by how much
  double last_moved;      // the most of the last one, in scales
  double *value, *error;  // count: the best so far, and their errors, absolute
  double *scale;          // count: what they are measured by
  double *tried;          // room for another three
  double reached;         // the largest error over scale; infinite: no estimate yet
  double worse;           // the last level would make it that many times what it may be, and did not count; else 0
  int worst;              // the number of that
  int column;             // of the table, from which they are
} MbsExtrapolation;

MbsStatus mbs_extrapolation_create(MbsContext *context, MbsArena *arena, int count, const double *size,
                                   MbsExtrapolation *extrapolation);
// Levels so far belong to another sequence. All columns may be used.
void mbs_extrapolation_forget(MbsExtrapolation *extrapolation, int order, int gap);
// The numbers of a run with half the step of the one before.
void mbs_extrapolation_add(MbsExtrapolation *extrapolation, double largest, const double *numbers);
// A level that is worse than those before is held against them: their errors grow. For where it is not rounding that
// makes it worse.
void mbs_extrapolation_hold_against(MbsExtrapolation *extrapolation);
// The largest error once more, after some became larger.
void mbs_extrapolation_find_reached(MbsExtrapolation *extrapolation);
// The numbers of the last level with parameters shaken: for the estimates to come. Returns the largest change, in
// scales of these numbers.
double mbs_extrapolation_shake(MbsExtrapolation *extrapolation, const double *numbers);

#endif
