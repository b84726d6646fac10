// Where the joints' coordinates start: each body's frame is to come as near as its joint allows to where the placement
// has put the body. From the parent's frame outwards, motion by motion: with C the frame so far and T the one that is
// wanted, a slide takes what T's origin is ahead along its axis; a turn brings the axis of the turn that follows (if
// one does) to T's, else another axis of the frame; a ball takes the whole rotation.
#include <math.h>

#include "coordinates/natural.h"
#include "coordinates/pose.h"
#include "coordinates/relative.h"

static MbsPose turn_about(int axis, double angle) {
  MbsPose pose = mbs_pose_unit;
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  pose.R[i][i] = pose.R[j][j] = cos(angle);  // real
  pose.R[j][i] = sin(angle);                 // real
  pose.R[i][j] = -pose.R[j][i];
  return pose;
}

// the Euler parameters of a rotation, by the largest of them
static void euler_parameters(double R[3][3], double p[4]) {
  double squares[4] = {1 + R[0][0] + R[1][1] + R[2][2]};
  int largest = 0;
  for (int k = 0; k < 3; ++k) {
    squares[1 + k] = 1 - R[0][0] - R[1][1] - R[2][2] + 2 * R[k][k];
    largest = squares[1 + k] > squares[largest] ? 1 + k : largest;
  }
  double twice = sqrt(squares[largest] > 0 ? squares[largest] : 0);  // real
  p[largest] = twice / 2;
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    if (largest == 0) {
      p[1 + k] = (R[j][i] - R[i][j]) / (2 * twice);
    } else if (k == largest - 1) {
      p[0] = (R[j][i] - R[i][j]) / (2 * twice);
    } else {
      p[1 + k] = (R[k][largest - 1] + R[largest - 1][k]) / (2 * twice);
    }
  }
}

// The rotation that brings axis 0 to the same place without turning about it, so that p1 = 0: with u = R e0, half of
// the angle between e0 and u about e0 x u = (0, -u2, u1). Not for u = -e0.
static void take_spin_off(double R[3][3]) {
  const double u[3] = {R[0][0], R[1][0], R[2][0]};
  for (int i = 1; i < 3; ++i) {
    R[0][i] = -u[i];
    for (int k = 1; k < 3; ++k) {
      R[i][k] = (i == k ? 1 : 0) - u[i] * u[k] / (1 + u[0]);
    }
  }
}

static MbsStatus nominal_frame(MbsContext *context, MbsBlueprint *blueprint, const MbsTreeNodeSpec *node,
                               MbsPose *pose) {
  MbsNode nodes[12];
  double values[12];
  for (int i = 0; i < 3; ++i) {
    nodes[9 + i] = node->origin[i];
    for (int k = 0; k < 3; ++k) {
      nodes[3 * i + k] = node->axes[i][k];
    }
  }
  MBS_TRY(mbs_blueprint_nominal(context, blueprint, 12, nodes, values));
  for (int i = 0; i < 3; ++i) {
    pose->x[i] = i < blueprint->dimension ? values[9 + i] : 0;
    for (int k = 0; k < 3; ++k) {
      pose->R[i][k] = values[3 * k + i];
    }
  }
  if (blueprint->dimension == 2) {
    *pose = (MbsPose){.R = {{values[0], -values[1], 0}, {values[1], values[0], 0}, {0, 0, 1}},
                      .x = {values[9], values[10], 0}};
  }
  return MBS_OK;
}

// axes 1 and 2 that make a right-handed frame with axis 0
static void complete(double R[3][3]) {
  double length = sqrt(R[0][0] * R[0][0] + R[1][0] * R[1][0] + R[2][0] * R[2][0]);  // real
  int least = 0;
  for (int i = 0; i < 3; ++i) {
    R[i][0] /= length;
    least = fabs(R[i][0]) < fabs(R[least][0]) ? i : least;  // real
  }
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    R[i][1] = (i == least ? 1 : 0) - R[least][0] * R[i][0];
    square += R[i][1] * R[i][1];
  }
  for (int i = 0; i < 3; ++i) {
    R[i][1] /= sqrt(square);  // real
  }
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    R[i][2] = R[j][0] * R[k][1] - R[k][0] * R[j][1];
  }
}

// as the placement left it
static MbsPose placed(const MbsBlueprint *blueprint, int body) {
  const MbsBasis *basis = mbs_natural_basis(blueprint, body);
  MbsPose pose = mbs_pose_unit;
  for (int k = 0; k < basis->count; ++k) {
    const double *guess = blueprint->entities.items[basis->entity[k]].guess;
    for (int i = 0; i < 3; ++i) {
      *(k == 0 ? &pose.x[i] : &pose.R[i][k - 1]) = guess[i];
    }
  }
  if (blueprint->dimension == 2) {
    pose.R[0][1] = -pose.R[1][0];
    pose.R[1][1] = pose.R[0][0];
  } else if (basis->count == 2) {
    complete(pose.R);
  }
  return pose;
}

// the axis by which a turn is seen: that of a turn that follows about another one, else any other
static int seen_axis(const MbsBlueprint *blueprint, int index) {
  const MbsTreeNodeSpec *nodes = blueprint->tree.items;
  int axis = nodes[index].axis;
  for (int i = index + 1; i < blueprint->tree.count && nodes[i - 1].body < 0; ++i) {
    if (nodes[i].kind == MBS_MOTION_TURN && nodes[i].axis != axis) {
      return nodes[i].axis;
    }
  }
  return (axis + 1) % 3;
}

// the motion that brings the frame nearest to T, which is seen from it
static MbsPose move(const MbsBlueprint *blueprint, int index, const MbsPose *T, bool is_rod, MbsTreeNodeSpec *node) {
  MbsPose moved = mbs_pose_unit;
  if (node->kind == MBS_MOTION_SLIDE) {
    node->guess[0] = moved.x[node->axis] = T->x[node->axis];
  } else if (node->kind == MBS_MOTION_TURN) {
    int seen = seen_axis(blueprint, index), third = 3 - seen - node->axis;
    double sense = (node->axis + 1) % 3 == seen ? 1 : -1;
    node->guess[0] = atan2(sense * T->R[third][seen], T->R[seen][seen]);  // real
    moved = turn_about(node->axis, node->guess[0]);
  } else if (node->kind == MBS_MOTION_BALL) {
    MbsPose rotated = *T;
    if (is_rod) {
      take_spin_off(rotated.R);
    }
    euler_parameters(rotated.R, node->guess);
    rotated.x[0] = rotated.x[1] = rotated.x[2] = 0;
    moved = rotated;
  }
  return moved;
}

// A ball that carries a thin rod stands near where it starts, since there is a position that it must not come to
// (relative.c). What it stands on is of no account to the motion, but to the error of a step; so the direction of the
// rod is rounded, that it may not move with the parameters, as nothing differentiates it.
static void stand_ready(MbsBlueprint *blueprint, const MbsPose *seen, MbsTreeNodeSpec *node, MbsPose *fixed) {
  MbsPose turned = {.x = {0}};
  for (int i = 0; i < 3; ++i) {
    turned.R[i][0] = round(4 * seen->R[i][0]) / 4;  // real
  }
  complete(turned.R);
  *fixed = mbs_pose_stand(fixed, &turned);
  for (int i = 0; i < 9; ++i) {
    node->axes[i % 3][i / 3] = mbs_graph_constant(blueprint->graph, fixed->R[i / 3][i % 3]);
  }
}

MbsStatus mbs_relative_guess(MbsContext *context, MbsArena *scratch, MbsBlueprint *blueprint, bool is_start) {
  MbsPose *frames, *fixed;
  MBS_TAKE(context, scratch, frames, blueprint->tree.count);
  MBS_TAKE(context, scratch, fixed, blueprint->tree.count);
  for (int i = 0; i < blueprint->tree.count; ++i) {
    MBS_TRY(nominal_frame(context, blueprint, &blueprint->tree.items[i], &fixed[i]));
  }
  for (int i = 0; i < blueprint->tree.count; ++i) {
    MbsTreeNodeSpec *node = &blueprint->tree.items[i];
    int last = i;  // the next body's frame, and what stands between it and this node
    while (blueprint->tree.items[last].body < 0) {
      ++last;
    }
    MbsPose target = placed(blueprint, blueprint->tree.items[last].body);
    if (last > i && blueprint->tree.items[last].kind == MBS_MOTION_NONE) {
      MbsPose back = mbs_pose_inverse(&fixed[last]);
      target = mbs_pose_stand(&target, &back);
    }
    const MbsPose *parent = node->parent < 0 ? &mbs_pose_unit : &frames[node->parent];
    MbsPose start = mbs_pose_stand(parent, &fixed[i]), back = mbs_pose_inverse(&start),
            seen = mbs_pose_stand(&back, &target);
    bool is_rod = blueprint->bodies.items[blueprint->tree.items[last].body].kind == MBS_BODY_ROD;
    if (is_rod && is_start && node->kind == MBS_MOTION_BALL) {
      stand_ready(blueprint, &seen, node, &fixed[i]);
      start = mbs_pose_stand(parent, &fixed[i]);
      back = mbs_pose_inverse(&start);
      seen = mbs_pose_stand(&back, &target);
    }
    MbsPose moved = move(blueprint, i, &seen, is_rod, node);
    frames[i] = mbs_pose_stand(&start, &moved);
    for (int k = 0; k < MBS_MOST_COORDINATES_OF_MOTION && node->kind == MBS_MOTION_BALL; ++k) {
      blueprint->entities.items[node->entity + k].guess[0] = node->guess[k];
    }
  }
  return MBS_OK;
}
