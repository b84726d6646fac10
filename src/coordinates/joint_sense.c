// The sense of joints that have an axis. Their constraints say that two axes are parallel, which they also are when
// they point against each other; and a body that stands on points and vectors may even become its own mirror image on
// the way there. So bodies whose axes are about a quarter turn off, or more, are turned the right way before anything
// is solved: from the ground outwards, each body by its joints to those that are settled already.
#include "coordinates/placement.h"

typedef struct Sense {
  MbsBlueprint *blueprint;
  MbsPose *poses;
  double (*axes)[2][3];  // by pair of directions: in the axes of each body
  bool *is_settled;      // by body
  int *first, *pairs;    // by body: its pairs of directions
} Sense;

static const double about_a_quarter = 0.2;  // cosine

static int pair_count(const MbsBlueprint *blueprint) {
  return blueprint->direction_pairs.count + blueprint->senses.count;
}

static const MbsDirectionPair *pair_at(const MbsBlueprint *blueprint, int index) {
  int axes = blueprint->direction_pairs.count;
  return index < axes ? &blueprint->direction_pairs.items[index] : &blueprint->senses.items[index - axes];
}

static const MbsDirectionPair *pair_of(const Sense *s, int index) { return pair_at(s->blueprint, index); }

static MbsStatus find_axes(MbsContext *context, MbsBlueprint *blueprint, double (*axes)[2][3]) {
  for (int i = 0; i < pair_count(blueprint); ++i) {
    const MbsDirectionPair *pair = pair_at(blueprint, i);
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, pair->a.local, axes[i][0]));
    MBS_TRY(mbs_blueprint_nominal(context, blueprint, 3, pair->b.local, axes[i][1]));
    for (int side = 0; side < 2; ++side) {
      double length = mbs_vector_length(axes[i][side]);
      for (int k = 0; k < 3; ++k) {
        axes[i][side][k] /= length;
      }
    }
  }
  return MBS_OK;
}

static double cosine_of(const MbsBlueprint *blueprint, const MbsPose *poses, double (*axes)[2][3], int index) {
  const MbsDirectionPair *pair = pair_at(blueprint, index);
  double a[3], b[3];
  mbs_pose_turn(&poses[pair->a.body], axes[index][0], a);
  mbs_pose_turn(&poses[pair->b.body], axes[index][1], b);
  return mbs_vector_dot(a, b);
}

// the point of the joint stays where it is on the body that is turned
static void keep_point(const Sense *s, int pair, int body, const MbsPose *before) {
  const MbsRecord *joint = pair_of(s, pair)->joint;
  MbsBlueprint *blueprint = s->blueprint;
  for (int i = 0; i < blueprint->point_pairs.count; ++i) {
    const MbsPointPair *points = &blueprint->point_pairs.items[i];
    if (points->joint == joint && (points->a.body == body || points->b.body == body)) {
      MbsPointReference point = points->a.body == body ? points->a : points->b;
      double local[3], old[3], new[3];
      for (int k = 0; k < 3; ++k) {
        local[k] = blueprint->nominal.items[blueprint->bodies.items[point.body].points[point.point].local[k]];
      }
      mbs_pose_point(before, local, old);
      mbs_pose_point(&s->poses[body], local, new);
      for (int k = 0; k < 3; ++k) {
        s->poses[body].x[k] += old[k] - new[k];
      }
      return;
    }
  }
}

// Turns the body so that its axis of the pair comes to the other's: by the shortest way, or about `line`, which is
// settled already.
static void align(const Sense *s, int index, int body, const double *line) {
  int own = pair_of(s, index)->b.body == body;
  int other = own ? pair_of(s, index)->a.body : pair_of(s, index)->b.body;
  MbsPose before = s->poses[body];
  double is[3], wanted[3], axis[3];
  mbs_pose_turn(&s->poses[body], s->axes[index][own], is);
  mbs_pose_turn(&s->poses[other], s->axes[index][!own], wanted);
  if (line) {
    double is_along = mbs_vector_dot(is, line), wanted_along = mbs_vector_dot(wanted, line), normal[3];
    for (int k = 0; k < 3; ++k) {
      is[k] -= is_along * line[k];
      wanted[k] -= wanted_along * line[k];
    }
    mbs_vector_cross(is, wanted, normal);
    double angle = atan2(mbs_vector_dot(normal, line), mbs_vector_dot(is, wanted));  // real
    mbs_pose_rotate(&s->poses[body], line, cos(angle), sin(angle));                  // real
  } else {
    mbs_vector_cross(is, wanted, axis);
    double sine = mbs_vector_length(axis), cosine = mbs_vector_dot(is, wanted);
    if (sine < 1e-9) {  // opposite: about any normal, the plane's first
      const double up[3] = {0, 0, 1}, side[3] = {0, 1, 0};
      const double *about = fabs(is[2]) > 0.9 ? side : up;  // real
      for (int k = 0; k < 3; ++k) {
        axis[k] = about[k] - mbs_vector_dot(about, is) * is[k];
      }
    }
    double length = mbs_vector_length(axis);
    for (int k = 0; k < 3; ++k) {
      axis[k] /= length;
    }
    mbs_pose_rotate(&s->poses[body], axis, cosine, sine);
  }
  keep_point(s, index, body, &before);
}

// by its pairs with bodies that are settled
static void settle(const Sense *s, int body) {
  double line[3];
  bool has_line = false;
  for (int i = s->first[body]; i < s->first[body + 1] && body != MBS_GROUND; ++i) {
    int index = s->pairs[i];
    const MbsDirectionPair *pair = pair_of(s, index);
    int own = pair->b.body == body, other = own ? pair->a.body : pair->b.body;
    if (!s->is_settled[other]) {
      continue;
    }
    double turned[3];
    if (cosine_of(s->blueprint, s->poses, s->axes, index) < about_a_quarter) {
      align(s, index, body, has_line ? line : NULL);
    }
    mbs_pose_turn(&s->poses[other], s->axes[index][!own], turned);
    for (int k = 0; k < 3 && !has_line; ++k) {
      line[k] = turned[k];
    }
    has_line = true;
  }
  s->is_settled[body] = true;
}

static MbsStatus list_pairs(MbsContext *context, Sense *s) {
  MbsBlueprint *blueprint = s->blueprint;
  int count = pair_count(blueprint);
  MBS_TAKE(context, blueprint->arena, s->first, blueprint->bodies.count + 2);
  MBS_TAKE(context, blueprint->arena, s->pairs, 2 * count);
  int *next = s->first + 1;
  for (int i = 0; i < count; ++i) {
    next[pair_of(s, i)->a.body + 1] += 1;
    next[pair_of(s, i)->b.body + 1] += 1;
  }
  for (int b = 0; b < blueprint->bodies.count; ++b) {
    next[b + 1] += next[b];
  }
  for (int i = 0; i < count; ++i) {
    s->pairs[next[pair_of(s, i)->a.body]++] = i;
    s->pairs[next[pair_of(s, i)->b.body]++] = i;
  }
  return MBS_OK;
}

MbsStatus mbs_sense_align(MbsContext *context, MbsBlueprint *blueprint, MbsPose *poses) {
  Sense s = {.blueprint = blueprint, .poses = poses};
  int bodies = blueprint->bodies.count, *queue, tail = 0;
  if (pair_count(blueprint) == 0) {
    return MBS_OK;
  }
  MBS_TAKE(context, blueprint->arena, s.axes, pair_count(blueprint));
  MBS_TAKE(context, blueprint->arena, s.is_settled, bodies);
  MBS_TAKE(context, blueprint->arena, queue, bodies);
  MBS_TRY(find_axes(context, blueprint, s.axes));
  MBS_TRY(list_pairs(context, &s));
  for (int root = MBS_GROUND, head = 0; root < bodies; ++root) {  // then what no axis connects with it
    if (s.is_settled[root]) {
      continue;
    }
    settle(&s, root);
    queue[tail++] = root;
    for (; head < tail; ++head) {
      for (int i = s.first[queue[head]]; i < s.first[queue[head] + 1]; ++i) {
        const MbsDirectionPair *pair = pair_of(&s, s.pairs[i]);
        int other = pair->a.body == queue[head] ? pair->b.body : pair->a.body;
        if (!s.is_settled[other]) {
          settle(&s, other);
          queue[tail++] = other;
        }
      }
    }
  }
  return MBS_OK;
}

MbsStatus mbs_sense_check(MbsContext *context, MbsArena *scratch, MbsBlueprint *blueprint, const MbsPose *poses,
                          const MbsRecord **joint) {
  double(*axes)[2][3];
  *joint = NULL;
  MBS_TAKE(context, scratch, axes, pair_count(blueprint));
  MBS_TRY(find_axes(context, blueprint, axes));
  for (int i = 0; i < pair_count(blueprint) && !*joint; ++i) {
    *joint = cosine_of(blueprint, poses, axes, i) < 0 ? pair_at(blueprint, i)->joint : NULL;
  }
  return MBS_OK;
}
