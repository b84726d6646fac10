// Where a body is: its axes and its origin, in global axes, as plain numbers.
#ifndef MBS_POSE_H
#define MBS_POSE_H

#include <math.h>

typedef struct MbsPose {
  double R[3][3], x[3];  // columns of R: axes
} MbsPose;

static const MbsPose mbs_pose_unit = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static inline double mbs_vector_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void mbs_vector_cross(const double a[3], const double b[3], double c[3]) {
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    c[k] = a[i] * b[j] - a[j] * b[i];
  }
}

static inline double mbs_vector_length(const double a[3]) { return sqrt(mbs_vector_dot(a, a)); }  // real

// a vector in the body's axes, in global axes
static inline void mbs_pose_turn(const MbsPose *pose, const double v[3], double w[3]) {
  for (int i = 0; i < 3; ++i) {
    w[i] = mbs_vector_dot(pose->R[i], v);
  }
}

// a point of the body
static inline void mbs_pose_point(const MbsPose *pose, const double local[3], double r[3]) {
  mbs_pose_turn(pose, local, r);
  for (int i = 0; i < 3; ++i) {
    r[i] += pose->x[i];
  }
}

// a pose that is given in the axes of another one
static inline MbsPose mbs_pose_stand(const MbsPose *a, const MbsPose *on) {
  MbsPose b = {.x = {a->x[0], a->x[1], a->x[2]}};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      b.x[i] += a->R[i][k] * on->x[k];
      for (int j = 0; j < 3; ++j) {
        b.R[i][j] += a->R[i][k] * on->R[k][j];
      }
    }
  }
  return b;
}

static inline MbsPose mbs_pose_inverse(const MbsPose *a) {
  MbsPose b = {.x = {0}};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      b.R[i][k] = a->R[k][i];
      b.x[i] -= a->R[k][i] * a->x[k];
    }
  }
  return b;
}

// Turns the axes about a unit vector by the angle of cosine c and sine s; the origin stays.
static inline void mbs_pose_rotate(MbsPose *pose, const double u[3], double c, double s) {
  for (int column = 0; column < 3; ++column) {
    double v[3] = {pose->R[0][column], pose->R[1][column], pose->R[2][column]}, uv[3];
    mbs_vector_cross(u, v, uv);
    double along = mbs_vector_dot(u, v);
    for (int k = 0; k < 3; ++k) {
      pose->R[k][column] = c * v[k] + s * uv[k] + (1 - c) * along * u[k];
    }
  }
}

#endif
