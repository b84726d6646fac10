// Poses of the bodies at a state. A body's entities are images of its local points and vectors; with the spans D_i of
// the one and d_i of the other, R d_i = D_i. Where constraints do not hold, or the body is its own mirror image, R is
// no rotation. A thin rod and a point mass keep from their placement how they are turned about themselves.
#include "coordinates/natural.h"
#include "kinematics/start.h"
#include "terms/terms.h"

// R = D d^-1, columns of D and d given as rows
static void solve_axes(double D[3][3], double d[3][3], MbsPose *pose) {
  double reciprocal[3][3];
  for (int i = 0; i < 3; ++i) {
    mbs_vector_cross(d[(i + 1) % 3], d[(i + 2) % 3], reciprocal[i]);
  }
  double volume = mbs_vector_dot(d[0], reciprocal[0]);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      pose->R[i][j] = 0;
      for (int k = 0; k < 3; ++k) {
        pose->R[i][j] += D[k][i] * reciprocal[k][j] / volume;
      }
    }
  }
}

// in the plane: the rotation (and stretch) of one vector
static void turn_in_plane(const double D[3], const double d[3], MbsPose *pose) {
  double square = mbs_vector_dot(d, d);
  double c = mbs_vector_dot(d, D) / square, s = (d[0] * D[1] - d[1] * D[0]) / square;
  *pose = (MbsPose){.R = {{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

// by the shortest way from how it is placed
static void turn_rod(const double D[3], const double d[3], MbsPose *pose) {
  double is[3], axis[3];
  mbs_pose_turn(pose, d, is);
  mbs_vector_cross(is, D, axis);
  double sine = mbs_vector_length(axis), cosine = mbs_vector_dot(is, D);
  double size = mbs_vector_length(is) * mbs_vector_length(D);
  if (!(sine > 1e-14 * size)) {
    if (cosine < 0) {
      for (int i = 0; i < 9; ++i) {  // the other way round: what it is about itself is nothing
        pose->R[i / 3][i % 3] = -pose->R[i / 3][i % 3];
      }
    }
    return;
  }
  for (int k = 0; k < 3; ++k) {
    axis[k] /= sine;
  }
  mbs_pose_rotate(pose, axis, cosine / size, sine / size);
}

// What a body stands on, as one level (positions or velocities) of its entities has it, against the numbers of its own:
// the first of them, and the others as differences where they are points.
typedef struct Spans {
  double D[3][3], d[3][3], first[3], local_first[3];
} Spans;

static MbsStatus find_spans(MbsContext *context, const MbsSystem *system, const mbs_scalar *level, int body,
                            Spans *spans) {
  MbsBlueprint *blueprint = system->blueprint;
  const MbsBasis *basis = mbs_natural_basis(blueprint, body);
  *spans = (Spans){.first = {0}};
  for (int k = 0; k < basis->count; ++k) {
    const mbs_scalar *q = level + system->entity_first[basis->entity[k]];
    double local[3], at[3] = {0};
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, basis->local[k], local));
    for (int i = 0; i < blueprint->dimension; ++i) {
      at[i] = mbs_re(q[i]);
    }
    for (int i = 0; i < 3; ++i) {
      bool is_point = basis->kind[k] == MBS_ENTITY_POINT;
      *(k == 0 ? &spans->first[i] : &spans->D[k - 1][i]) = at[i] - (k > 0 && is_point ? spans->first[i] : 0);
      *(k == 0 ? &spans->local_first[i] : &spans->d[k - 1][i]) =
          local[i] - (k > 0 && is_point ? spans->local_first[i] : 0);
    }
  }
  return MBS_OK;
}

static void place_origin(const Spans *spans, MbsPose *pose) {
  double arm[3];
  mbs_pose_turn(pose, spans->local_first, arm);
  for (int i = 0; i < 3; ++i) {
    pose->x[i] = spans->first[i] - arm[i];
  }
}

static MbsStatus pose_of(MbsContext *context, const MbsSystem *system, const MbsState *state, int body, MbsPose *pose) {
  MbsBlueprint *blueprint = system->blueprint;
  int count = mbs_natural_basis(blueprint, body)->count;
  Spans spans;
  MBS_TRY(find_spans(context, system, state->q, body, &spans));
  *pose = blueprint->placement->nominal[body];
  if (count == MBS_BASIS_SIZE) {
    solve_axes(spans.D, spans.d, pose);
  } else if (count == 2 && blueprint->dimension == 2) {
    turn_in_plane(spans.D[0], spans.d[0], pose);
  } else if (count == 2) {
    turn_rod(spans.D[0], spans.d[0], pose);
  }
  place_origin(&spans, pose);
  return MBS_OK;
}

// R' d_i = D_i'. Of a rod what is beside its axis does not count.
static MbsStatus pose_rate_of(MbsContext *context, const MbsSystem *system, const MbsState *state, int body,
                              MbsPose *rate) {
  MbsBlueprint *blueprint = system->blueprint;
  int count = mbs_natural_basis(blueprint, body)->count;
  Spans spans;
  MBS_TRY(find_spans(context, system, state->v, body, &spans));
  *rate = (MbsPose){.x = {0}};
  if (count == MBS_BASIS_SIZE) {
    solve_axes(spans.D, spans.d, rate);
  } else if (count == 2 && blueprint->dimension == 2) {
    turn_in_plane(spans.D[0], spans.d[0], rate);
    rate->R[2][2] = 0;
  } else if (count == 2) {
    double square = mbs_vector_dot(spans.d[0], spans.d[0]);
    for (int i = 0; i < 9; ++i) {
      rate->R[i / 3][i % 3] = spans.D[0][i / 3] * spans.d[0][i % 3] / square;
    }
  }
  place_origin(&spans, rate);
  return MBS_OK;
}

MbsStatus mbs_poses_of(MbsContext *context, const MbsSystem *system, const MbsState *state, MbsPose *poses) {
  const MbsState *x = mbs_system_follow(system, state);
  poses[MBS_GROUND] = mbs_pose_unit;
  for (int b = 1; b < system->blueprint->bodies.count; ++b) {
    MBS_TRY(pose_of(context, system->bodies, x, b, &poses[b]));
  }
  return MBS_OK;
}

MbsStatus mbs_pose_rates_of(MbsContext *context, const MbsSystem *system, const MbsState *state, MbsPose *rates) {
  const MbsState *x = mbs_system_follow(system, state);
  rates[MBS_GROUND] = (MbsPose){.x = {0}};
  for (int b = 1; b < system->blueprint->bodies.count; ++b) {
    MBS_TRY(pose_rate_of(context, system->bodies, x, b, &rates[b]));
  }
  return MBS_OK;
}
