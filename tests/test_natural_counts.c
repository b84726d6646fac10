// How many coordinates, constraints and freedoms a model has in natural coordinates, and which constraints are
// redundant: by mbs_check, for small models that each show one rule (docs/natural-coordinates.md) and for the shipped
// ones (docs/models.md). The freedoms are those of the mechanism, counted by hand; coordinates - constraints +
// redundant must give them.
//
// Seen to fail: `enough` of extend_basis set to 0 (six coplanar points: a singular frame), rest_of without its
// projection (the first model with a frame), is_known_row left out of mbs_basis_add_rows (bodies on shared points).
#include "support.h"

typedef struct Count {
  const char *path;
  int bodies, coordinates, constraints, redundant, freedoms;
  const char *redundant_row;  // part of the name of one, where there is any
} Count;

static const Count counts[] = {
    // a point and three axes; three unit lengths and three right angles
    {"tests/models/count_free_body.yaml", 1, 12, 6, 0, 6, NULL},
    // a point mass: 3 and none; a thin rod: 6 and its length (its spin is no coordinate)
    {"tests/models/count_free_point.yaml", 2, 9, 1, 0, 8, NULL},
    // six points of one plane, three of them on a line: A, D, F and a vector normal to the plane are the basis (12, and
    // 6 rows); B, C, E are the balls' own points (9), each held by 3 rows
    {"tests/models/count_six_coplanar.yaml", 7, 21, 15, 0, 6, NULL},
    // crank: P and a vector (6; the ground's point and axis are fixed) with 1 length, 3 angles, 1 unit length
    // link: Q, its hinge's axis and a vector (9) with 1 length, 5 rows of frame, and 2 rows that keep that axis
    // parallel to the crank's; tail: the last hinge's axis and two vectors (9) with 6 rows, and again 2
    {"tests/models/count_parallel_axes.yaml", 3, 24, 21, 0, 3, NULL},
    // one direction, fixed, is the axis of all four hinges; each link has a vector of its own: 2 points and 3 vectors,
    // 3 x (1 length, 3 angles, 1 unit length). The links' normality to the axis keeps B.z, C.z - B.z and C.z at 0: one
    // of the three repeats the others
    {"tests/models/count_four_bar_space.yaml", 3, 15, 15, 1, 1, "angle of C-D and ground direction"},
    // the same loop with joints that leave it room: 6*3 - 5 - 3 - 4 - 5 = 1
    {"tests/models/count_four_bar_general.yaml", 3, 18, 17, 0, 1, NULL},
    // rod: 3 - 1 length; bob: 3 - 1 distance; body: 9 - 6; flap on a fixed axis: 6 - 5
    {"tests/models/count_pendulums.yaml", 4, 21, 13, 0, 8, NULL},
    // two lengths for one distance
    {"tests/models/count_two_rods.yaml", 2, 6, 2, 1, 5, "body two: length A-B"},
    // box: four points, six lengths and angles; lid: three of the points and a vector. It repeats two lengths, which
    // are
    // kept, and one right angle between the same points, which is the very same row and is not written twice
    {"tests/models/count_four_points.yaml", 3, 15, 11, 2, 6, "body lid: length A-C"},
    // ---- shipped models ----
    {"models/five_bar.yaml", 4, 6, 4, 0, 2, NULL},
    {"models/andrews.yaml", 7, 8, 7, 0, 1, NULL},
    // three coordinates of the model's own, no bodies
    {"models/slider_crank.yaml", 0, 3, 2, 0, 1, NULL},
    {"models/rssr.yaml", 3, 12, 11, 0, 1, NULL},
    {"models/spatial_slider_crank.yaml", 3, 21, 20, 0, 1, NULL},
    {"models/bricard.yaml", 5, 24, 24, 1, 1, "body R5"},
    {"models/governor.yaml", 8, 39, 37, 0, 2, NULL},
    {"models/double_wishbone.yaml", 5, 27, 25, 0, 2, NULL},
    {"models/steered_wishbone.yaml", 6, 36, 34, 0, 2, NULL},
    {"models/wishbone_axle.yaml", 6, 36, 34, 0, 2, NULL},
    {"models/bushed_wishbone.yaml", 4, 30, 19, 0, 11, NULL},
    {"models/six_axis_arm.yaml", 6, 45, 39, 0, 6, NULL},
    {"models/stewart_platform.yaml", 13, 111, 105, 0, 6, NULL},
    {"models/flying_rotor.yaml", 2, 18, 11, 0, 7, NULL},
    {"models/two_point_mass.yaml", 2, 5, 2, 0, 3, NULL},
    {"models/rolling_disc.yaml", 1, 12, 9, 0, 3, NULL},
    {"models/rolling_coin_incline.yaml", 1, 12, 9, 0, 3, NULL},
    {"models/snakeboard.yaml", 4, 12, 11, 0, 1, NULL},
};

static void check_count(MbsContext *context, const Count *expected) {
  MbsModel *model = read_model(context, expected->path);
  MbsRequest request;
  MbsCheck *check;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_check(context, model, &request, &check));
  (void)printf("%-42s %d bodies, %2d coordinates, %2d constraints, %d redundant, %d freedoms\n", expected->path,
               check->bodies, check->coordinates, check->constraints, check->redundant, check->degrees_of_freedom);
  ENSURE(check->bodies == expected->bodies);
  ENSURE(check->coordinates == expected->coordinates);
  ENSURE(check->constraints == expected->constraints);
  ENSURE(check->redundant == expected->redundant);
  ENSURE(check->degrees_of_freedom == expected->freedoms);
  ENSURE(expected->coordinates - expected->constraints + expected->redundant == expected->freedoms);
  int named = 0;
  bool is_found = expected->redundant_row == NULL;
  for (int i = 0; i < check->constraints; ++i) {
    named += check->is_redundant[i];
    is_found |= check->is_redundant[i] && expected->redundant_row &&
                strstr(check->constraint_names[i], expected->redundant_row) != NULL;
  }
  ENSURE(named == expected->redundant);
  ENSURE(is_found);
  // assembled: quadratic rows of size 1, so some roundings
  ENSURE_NEAR(check->residual_position, 0, 1e-12);
  mbs_check_destroy(check);
  mbs_model_destroy(model);
}

// every model of the kind is in the table
static void is_counted(const char *path, void *user) {
  (void)user;
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    if (strcmp(counts[i].path, path) == 0) {
      return;
    }
  }
  (void)fprintf(stderr, "%s is not in the table of counts\n", path);
  exit(1);
}

int main(void) {
  MbsContext *context = mbs_context_create();
  ENSURE(context);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    check_count(context, &counts[i]);
  }
  ENSURE(for_each_file("tests/models/count_*.yaml", is_counted, NULL) == 9);
  mbs_context_destroy(context);
  return 0;
}
