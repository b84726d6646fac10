// Twists and wrenches at the global origin, in the plane (d = 2) and in space (d = 3).
//
// A twist t = (lin, ang) is a velocity field: a point at r moves with lin + ang x r, a vector u with ang x u. A wrench
// w = (force, moment about the origin) does the work t.w on it. In the plane ang and the moment are one number, and
// ang x r = ang J r. Layout: d numbers, then 1 or 3.
#ifndef MBS_TWIST_H
#define MBS_TWIST_H

#include "terms/linear_form.h"

enum { MBS_LONGEST_TWIST = 6 };

// Calls kernel(..., d) with a constant d.
#define MBS_IN_DIMENSION(dimension, kernel, ...) \
  do {                                           \
    if ((dimension) == 2) {                      \
      kernel(__VA_ARGS__, 2);                    \
    } else {                                     \
      kernel(__VA_ARGS__, 3);                    \
    }                                            \
  } while (0)

MBS_KERNEL int mbs_twist_size(int d) { return d == 2 ? 3 : 6; }

// A frame: its axes one after the other (in the plane the first alone), then its origin.
MBS_KERNEL int mbs_frame_size(int d) { return d == 2 ? 4 : 12; }
MBS_KERNEL const mbs_scalar *mbs_frame_origin(int d, const mbs_scalar *frame) { return frame + mbs_frame_size(d) - d; }
static const mbs_scalar mbs_frame_of_ground[2][12] = {{1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};  // in the plane, in space

MBS_KERNEL void mbs_twist_copy(int d, const mbs_scalar *twist, mbs_scalar *to) {
  for (int i = 0; i < mbs_twist_size(d); ++i) {
    to[i] = twist[i];
  }
}

// y += scale ang x r
MBS_KERNEL void mbs_cross_add(int d, mbs_scalar scale, const mbs_scalar *ang, const mbs_scalar *r, mbs_scalar *y) {
  if (d == 2) {
    y[0] -= scale * ang[0] * r[1];
    y[1] += scale * ang[0] * r[0];
    return;
  }
  y[0] += scale * (ang[1] * r[2] - ang[2] * r[1]);
  y[1] += scale * (ang[2] * r[0] - ang[0] * r[2]);
  y[2] += scale * (ang[0] * r[1] - ang[1] * r[0]);
}

// m += r x f: a number in the plane
MBS_KERNEL void mbs_moment_add(int d, const mbs_scalar *r, const mbs_scalar *f, mbs_scalar *m) {
  if (d == 2) {
    m[0] += r[0] * f[1] - r[1] * f[0];
    return;
  }
  mbs_cross_add(3, 1, r, f, m);
}

// y += what a twist does to a point at r, or to a vector
MBS_KERNEL void mbs_twist_move(int d, bool is_point, const mbs_scalar *t, const mbs_scalar *r, mbs_scalar *y) {
  for (int k = 0; k < d && is_point; ++k) {
    y[k] += t[k];
  }
  mbs_cross_add(d, 1, t + d, r, y);
}

// w += the wrench of a force f at a point r, or on a vector: the transpose of move
MBS_KERNEL void mbs_twist_move_transposed(int d, bool is_point, const mbs_scalar *r, const mbs_scalar *f,
                                          mbs_scalar *w) {
  for (int k = 0; k < d && is_point; ++k) {
    w[k] += f[k];
  }
  mbs_moment_add(d, r, f, w + d);
}

// y += [s, t] = (ang_s x lin_t - ang_t x lin_s, ang_s x ang_t): the rate of a twist t that s carries along
MBS_KERNEL void mbs_bracket_add(int d, mbs_scalar scale, const mbs_scalar *s, const mbs_scalar *t, mbs_scalar *y) {
  mbs_cross_add(d, scale, s + d, t, y);
  mbs_cross_add(d, -scale, t + d, s, y);
  if (d == 3) {
    mbs_cross_add(3, scale, s + 3, t + 3, y + 3);
  }
}

// g += the gradient of [s, t].w with respect to s: (ang_t x force, lin_t x force + ang_t x moment)
MBS_KERNEL void mbs_bracket_transposed(int d, mbs_scalar scale, const mbs_scalar *t, const mbs_scalar *w,
                                       mbs_scalar *g) {
  mbs_scalar m[3] = {0};
  mbs_cross_add(d, scale, t + d, w, g);
  mbs_moment_add(d, t, w, m);
  if (d == 2) {
    g[2] += scale * m[0];
    return;
  }
  mbs_cross_add(3, 1, t + 3, w + 3, m);
  for (int k = 0; k < 3; ++k) {
    g[3 + k] += scale * m[k];
  }
}

MBS_KERNEL mbs_scalar mbs_twist_dot(int d, const mbs_scalar *t, const mbs_scalar *w) {
  mbs_scalar sum = 0;
  for (int k = 0; k < mbs_twist_size(d); ++k) {
    sum += t[k] * w[k];
  }
  return sum;
}

MBS_KERNEL void mbs_twist_add(int d, mbs_scalar scale, const mbs_scalar *t, mbs_scalar *y) {
  for (int k = 0; k < mbs_twist_size(d); ++k) {
    y[k] += scale * t[k];
  }
}

#endif
