// Reactions: closed forms of statics and of steady motions, and the balance of every body of every model.
//
// All is compared at the start, where the constraints hold to rounding, so that nothing of the integration enters;
// index1 to 1e-9, penalty to its own softness. test_whole_runs and test_all_elements have the derivatives.
//
// Seen to fail with a planted error: the sign of s lambda, of u x R, of X_B x Y and of a joint seen from its first
// body; a tree not rooted at the ground, without what is beyond, with loops; points that belong to the ground; R
// without forces or drivers, or with lambda for total; the moment of a joint's own rows about the origin; turns
// forgotten; directions of bodies that stand on fixed ones taken for the ground's.
#include "coordinates/natural.h"
#include "formulations/formulation.h"
#include "model/joint.h"
#include "model/reaction.h"
#include "simulation/simulation.h"
#include "support.h"
#include "terms/elements.h"

static MbsContext *context;
static const double g = 9.81;

enum { TEXT = 3000 };

static MbsSimulation *start(const MbsModel *model, const char *formulation) {
  MbsSettings settings;
  MbsSimulation *simulation;
  MbsArena *arena = mbs_arena_create();
  ENSURE_OK(context, mbs_settings_read(context, arena, model, &settings));
  mbs_arena_destroy(arena);
  if (formulation) {
    (void)snprintf(settings.formulation, sizeof settings.formulation, "%s", formulation);
  }
  ENSURE_OK(context, mbs_simulation_create(context, model, &settings, 0, NULL, NULL, &simulation));
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  return simulation;
}

// ---- closed forms ----
typedef struct Expected {
  const char *joint;
  double force[3], torque[3];
} Expected;

static void ensure_reactions(const char *name, const char *text, int count, const Expected *expected) {
  static const char *const formulations[] = {"index1", "penalty"};
  static const double limits[] = {1e-9, 1e-5};
  MbsModel *model = read_text(context, name, text);
  for (int f = 0; f < 2; ++f) {
    MbsSimulation *simulation = start(model, formulations[f]);
    MbsReactions reactions;
    ENSURE_OK(context, mbs_reactions_create(context, simulation, &reactions));
    mbs_reactions_evaluate(simulation, &reactions);
    int found = 0;
    for (int i = 0; i < reactions.count; ++i) {
      for (int e = 0; e < count; ++e) {
        if (strcmp(reactions.joints[i], expected[e].joint) != 0) {
          continue;
        }
        ++found;
        for (int k = 0; k < 6; ++k) {
          double wanted = k < 3 ? expected[e].force[k] : expected[e].torque[k - 3];
          double value = reactions.values[6 * i + k];
          if (!(fabs(value - wanted) <= limits[f] * 20)) {  // the loads are some 20 N
            (void)fprintf(stderr, "%s, %s: %s of joint %s is %.12g, expected %.12g\n", name, formulations[f],
                          k < 3 ? "force" : "torque", expected[e].joint, value, wanted);
            exit(1);
          }
        }
      }
    }
    ENSURE(found == count);
    mbs_simulation_destroy(simulation);
  }
  mbs_model_destroy(model);
}

// A conical pendulum goes round at omega with omega^2 = g / (L cos(theta)): the string carries m g / cos(theta).
static void check_conical_pendulum(void) {
  double m = 1.3, L = 0.8, theta = 0.7, omega = sqrt(g / (L * cos(theta))), tension = m * g / cos(theta);
  char text[TEXT];
  (void)snprintf(text, sizeof text,
                 "mbsens: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nground: {points: {O: [0, 0, 0]}}\n"
                 "bodies: {ball: {mass: %.17g, points: {P: [0, 0, 0]}, position: [%.17g, 0, %.17g]}}\n"
                 "joints: [{distance: [ground.O, ball.P], length: %.17g, name: string}]\n"
                 "initial:\n  independent:\n"
                 "    - {coordinate: r(P).x, value: %.17g}\n"
                 "    - {coordinate: r(P).y, value: 0, velocity: %.17g}\n"
                 "objectives: {tension: {final: norm(force(string))}}\n"
                 "simulation: {end: 1, step: 0.001}\n",
                 m, L * sin(theta), -L * cos(theta), L, L * sin(theta), omega * L * sin(theta));
  ensure_reactions("conical pendulum", text, 1,
                   (Expected[]){{"string", {-tension * sin(theta), 0, tension * cos(theta)}, {0}}});
  // after a second, with every formulation and its own multipliers; index3 damps a little
  MbsModel *model = read_text(context, "conical pendulum", text);
  for (int f = 0; mbs_formulation_types[f]; ++f) {
    MbsRequest request;
    MbsResult *result;
    ENSURE_OK(context, mbs_request_default(context, model, &request));
    request.method = MBS_METHOD_NONE;
    (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s",
                   mbs_formulation_types[f]->name);
    ENSURE_OK(context, mbs_run(context, model, &request, &result));
    ENSURE_NEAR(result->values[0], tension, 1e-7 * tension);
    ENSURE_NEAR(
        hypot(hypot(result->reactions[0].force[0], result->reactions[0].force[1]), result->reactions[0].force[2]),
        tension, 1e-7 * tension);
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

// A thin rod on a ball joint: omega^2 = 3 g / (2 L cos(theta)).
static void check_conical_rod(void) {
  double m = 1.3, L = 0.8, theta = 0.7, omega = sqrt(3 * g / (2 * L * cos(theta)));
  char text[TEXT];
  (void)snprintf(text, sizeof text,
                 "mbsens: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nground: {points: {O: [0, 0, 0]}}\n"
                 "bodies: {rod: {mass: %.17g, com: [%.17g, 0, 0], inertia: %.17g,\n"
                 "  points: {O: [0, 0, 0], P: [%.17g, 0, 0]}}}\n"
                 "joints: [{spherical: [rod.O, ground.O], name: ball}]\n"
                 "initial:\n  points: {P: [%.17g, 0, %.17g]}\n  independent:\n"
                 "    - {coordinate: r(P).x, value: %.17g}\n"
                 "    - {coordinate: r(P).y, value: 0, velocity: %.17g}\n",
                 m, L / 2, m * L * L / 12, L, L * sin(theta), -L * cos(theta), L * sin(theta), omega * L * sin(theta));
  // the ground is the second body: the opposite of what the rod feels
  ensure_reactions("conical rod", text, 1,
                   (Expected[]){{"ball", {m * omega * omega * L / 2 * sin(theta), 0, -m * g}, {0}}});
}

// A rotor driven about z, omega and alpha given, centre of mass at c, inertia about it with products. About O:
//     N = I alpha + omega x I omega - c x m gravity,   F = m (alpha x c - omega^2 (c - c_z z)) - m gravity
// with I = I_c + m (c.c - c c'). The hinge carries N but for its z component, which the driver gives.
static void check_rotor(void) {
  double m = 2, c[3] = {0.3, 0.1, -0.2}, J[6] = {0.2, 0.25, 0.3, 0.02, -0.03, 0.04}, omega = 3, alpha = 1.7;
  double Ixz = J[4] - m * c[0] * c[2], Iyz = J[5] - m * c[1] * c[2];
  double N[3] = {Ixz * alpha - omega * omega * Iyz + c[1] * m * g, Iyz * alpha + omega * omega * Ixz - c[0] * m * g, 0};
  double F[3] = {m * (-alpha * c[1] - omega * omega * c[0]), m * (alpha * c[0] - omega * omega * c[1]), m * g};
  char text[TEXT];
  for (int variant = 0; variant < 2; ++variant) {
    // the rotor's points are on the axis, or all off it, which makes other coordinates
    (void)snprintf(text, sizeof text,
                   "mbsens: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nground: {points: {O: [0, 0, 0], S: [1, 1, 1]}}\n"
                   "bodies:\n"
                   "  rotor: {mass: 2, com: [0.3, 0.1, -0.2], inertia: [0.2, 0.25, 0.3, 0.02, -0.03, 0.04],\n"
                   "          points: {O: [0, 0, 0], P: [0.4, 0.1, 0], Q: [-0.1, 0.5, 0.2], R: [0.3, 0.3, -0.6]}}\n"
                   "  a: {mass: 0, points: {P: [0, 0, 0]}}\n"
                   "  b: {mass: 0, points: {P: [0, 0, 0]}}\n"
                   "  d: {mass: 0, points: {P: [0, 0, 0]}}\n"
                   "joints:\n"
                   "%s"
                   "  - {revolute: [ground.O, rotor.O], axis: [0, 0, 1], name: hinge}\n"
                   "  - {driver: angle(hinge), value: 3*t + 1.7*t^2/2, name: motor}\n",
                   variant ? "  - {spherical: [rotor.P, a.P]}\n"
                             "  - {spherical: [rotor.Q, b.P]}\n"
                             "  - {spherical: [rotor.R, d.P]}\n"
                           : "  - {spherical: [rotor.P, a.P]}\n"
                             "  - {spherical: [rotor.P, b.P]}\n"
                             "  - {spherical: [rotor.P, d.P]}\n");
    ensure_reactions("rotor", text, 1, (Expected[]){{"hinge", {F[0], F[1], F[2]}, {N[0], N[1], N[2]}}});
  }
}

// Two rods from the ground meet at P, where a third hangs; weights w, w, W. About its foot each rod takes
// f_x + f_y = w/2 from P; the pin is in balance, so f_y = -W/2, f_x = (w + W)/2 on the left rod.
static void check_three_at_one_point(void) {
  double w = 2 * g, W = 3 * g, fx = (w + W) / 2, fy = -W / 2;
  static const char *const joints[] = {
      "[{revolute: [left.P, right.P], name: J1}, {revolute: [right.P, third.P], name: J2}",
      "[{revolute: [left.P, right.P], name: J1}, {revolute: [third.P, left.P], name: J2}",
      ("[{revolute: [right.P, third.P], name: J2}, {revolute: [third.P, left.P], name: J1}, "
       "{revolute: [left.P, right.P], name: J3}"),
  };
  const Expected expected[][3] = {
      {{"J1", {-fx, fy + W}, {0}}, {"J2", {0, W}, {0}}, {"G", {-fx, w - fy}, {0}}},
      {{"J1", {-fx, fy}, {0}}, {"J2", {0, -W}, {0}}, {"G", {-fx, w - fy}, {0}}},
      {{"J1", {fx, fy}, {0}}, {"J2", {fx, -fy}, {0}}, {"J3", {0}, {0}}},  // J3 closes a loop
  };
  char text[TEXT];
  for (int i = 0; i < 3; ++i) {
    (void)snprintf(text, sizeof text,
                   "mbsens: 1\ngravity: [0, -9.81]\nground: {points: {A: [-1, 0], B: [1, 0]}}\n"
                   "bodies:\n"
                   "  left: {mass: 2, com: [0.5, -0.5], inertia: 0.3, points: {A: [0, 0], P: [1, -1]}}\n"
                   "  right: {mass: 2, com: [-0.5, -0.5], inertia: 0.3, points: {B: [0, 0], P: [-1, -1]}}\n"
                   "  third: {mass: 3, com: [0, -0.4], inertia: 0.2, points: {P: [0, 0], Q: [0, -1]}}\n"
                   "joints: %s, {revolute: [ground.A, left.A], name: G}, {revolute: [ground.B, right.B]}]\n"
                   "initial: {points: {right.P: [0, -1], Q: [0, -2]}}\n",
                   joints[i]);
    ensure_reactions("three at one point", text, 3, expected[i]);
  }
}

// Four plumb lines on one nail. Of the joints between them the last, J4, closes a loop and carries nothing, though the
// joints that would be met first on the way from the ground are others.
static void check_loop_at_one_point(void) {
  ensure_reactions("four at one point",
                   "mbsens: 1\ngravity: [0, -9.81]\nground: {points: {P: [0, 0]}}\n"
                   "bodies:\n"
                   "  a: {mass: 1, com: [0, -0.5], inertia: 0.2, points: {P: [0, 0], A: [0, -1]}}\n"
                   "  b: {mass: 2, com: [0, -0.5], inertia: 0.2, points: {P: [0, 0], B: [0, -1]}}\n"
                   "  c: {mass: 4, com: [0, -0.5], inertia: 0.2, points: {P: [0, 0], C: [0, -1]}}\n"
                   "  d: {mass: 8, com: [0, -0.5], inertia: 0.2, points: {P: [0, 0], D: [0, -1]}}\n"
                   "joints: [{revolute: [d.P, c.P], name: J1}, {revolute: [ground.P, a.P], name: nail},\n"
                   "  {revolute: [a.P, b.P], name: J2}, {revolute: [b.P, c.P], name: J3},\n"
                   "  {revolute: [a.P, d.P], name: J4}]\n"
                   "initial: {points: {A: [0, -1], B: [0, -1], C: [0, -1], D: [0, -1]}}\n",
                   5,
                   (Expected[]){{"nail", {0, 15 * g}, {0}},
                                {"J1", {0, -8 * g}, {0}},  // on c, which carries d
                                {"J2", {0, 14 * g}, {0}},
                                {"J3", {0, 12 * g}, {0}},
                                {"J4", {0}, {0}}});
}

// A cantilever of two welded bodies: the root carries both weights and their moments, about its own point.
static void check_cantilever(void) {
  double m1 = 0.7, m2 = 0.4;
  // centres of mass from the root at (0.1, 0.2, 0.3), the tip joint from there at (0.5, 0.1, -0.1)
  double c1[2] = {0.3, 0.1}, c2[2] = {0.5 + 0.2, 0.1 - 0.1};
  double tip[3] = {-0.1 * m2 * g, -0.2 * m2 * g, 0};
  double root[3] = {c1[1] * m1 * g + c2[1] * m2 * g, -c1[0] * m1 * g - c2[0] * m2 * g, 0};
  ensure_reactions("cantilever",
                   "mbsens: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nground: {points: {O: [0.1, 0.2, 0.3]}}\n"
                   "bodies:\n"
                   "  beam: {mass: 0.7, com: [0.3, 0.1, 0.05], inertia: [0.02, 0.03, 0.04],\n"
                   "         points: {O: [0, 0, 0], E: [0.5, 0.1, -0.1]}}\n"
                   "  tip: {mass: 0.4, com: [0.2, -0.1, 0.1], inertia: [0.01, 0.02, 0.015, 0.001, 0.002, -0.001],\n"
                   "        points: {E: [0, 0, 0], T: [0.4, 0.1, 0.2]}}\n"
                   "joints:\n"
                   "  - {fixed: [ground.O, beam.O], name: root}\n"
                   "  - {fixed: [beam.E, tip.E], name: tip}\n",
                   2,
                   (Expected[]){{"root", {0, 0, (m1 + m2) * g}, {root[0], root[1], 0}},
                                {"tip", {0, 0, m2 * g}, {tip[0], tip[1], 0}}});
  // in the plane, hanging on the second body's side of the joint
  ensure_reactions("cantilever in the plane",
                   "mbsens: 1\ngravity: [0, -9.81]\nground: {points: {O: [0.1, 0.2]}}\n"
                   "bodies:\n"
                   "  beam: {mass: 0.7, com: [0.3, 0.1], inertia: 0.04, points: {O: [0, 0], E: [0.5, 0.1]}}\n"
                   "  tip: {mass: 0.4, com: [0.2, -0.1], inertia: 0.015, points: {E: [0, 0]}}\n"
                   "joints:\n"
                   "  - {fixed: [beam.O, ground.O], name: root}\n"
                   "  - {fixed: [beam.E, tip.E], name: tip}\n",
                   2,
                   (Expected[]){{"root", {0, -(m1 + m2) * g}, {0, 0, -c1[0] * m1 * g - c2[0] * m2 * g}},
                                {"tip", {0, m2 * g}, {0, 0, 0.2 * m2 * g}}});
}

// A slider pushed along x by F at p, centre of mass at c from its point: it accelerates at F/m without turning, so
//     N = c x (F, 0, 0) + c x (0, 0, m g) - p x (F, 0, 0)
static void check_slider(void) {
  double m = 1.5, F = 7, c[3] = {0.1, 0.2, 0.3}, p[3] = {0.4, -0.2, 0.5};
  double N[3] = {c[1] * m * g, (c[2] - p[2]) * F - c[0] * m * g, (p[1] - c[1]) * F};
  ensure_reactions("slider",
                   "mbsens: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nground: {points: {O: [0, 0, 0]}}\n"
                   "bodies:\n"
                   "  slider: {mass: 1.5, com: [0.1, 0.2, 0.3], inertia: [0.1, 0.2, 0.15],\n"
                   "           points: {N: [0, 0, 0], P: [0.4, -0.2, 0.5]}, position: [0.6, 0, 0]}\n"
                   "joints: [{prismatic: [ground.O, slider.N], axis: [1, 0, 0], name: rail}]\n"
                   "forces: [{point_force: slider.P, value: [7, 0, 0]}]\n"
                   "initial:\n  independent:\n    - {coordinate: slide(rail), value: 0.6, velocity: 2}\n",
                   1, (Expected[]){{"rail", {0, 0, m * g}, {N[0], N[1], N[2]}}});
}

// A uniform disc rolls down a slope: friction is a third of the weight along it, and turns the disc about its centre.
static void check_rolling(void) {
  double m = 1.5, R = 0.3, along = 3, across = 9;  // of gravity
  ensure_reactions("rolling disc",
                   "mbsens: 1\ngravity: [3, -9]\nground: {points: {O: [0, 0]}}\n"
                   "bodies: {disc: {mass: 1.5, inertia: 0.0675, points: {C: [0, 0]}, position: [0.2, 0.3]}}\n"
                   "joints: [{rolling: [ground.O, disc.C], normal: [0, 1], radius: 0.3, name: road}]\n"
                   "initial: {independent: [{coordinate: r(C).x, value: 0.2, velocity: 2},\n"
                   "                        {coordinate: angle(disc), value: 0}]}\n",
                   1, (Expected[]){{"road", {-m * along / 3, m * across}, {0, 0, -R * m * along / 3}}});
}

// A force on a shared point acts on the body it names; the joint is left with the rest.
static void check_load_on_pin(void) {
  for (int side = 0; side < 2; ++side) {
    char text[TEXT];
    (void)snprintf(text, sizeof text,
                   "mbsens: 1\ngravity: [0, -9.81]\nground: {points: {O: [0, 0]}}\n"
                   "bodies:\n"
                   "  upper: {mass: 2, com: [0, -0.5], inertia: 0.2, points: {O: [0, 0], P: [0, -1]}}\n"
                   "  lower: {mass: 3, com: [0, -0.5], inertia: 0.3, points: {P: [0, 0], Q: [0, -1]}}\n"
                   "joints: [{revolute: [ground.O, upper.O], name: top}, {revolute: [upper.P, lower.P], name: pin}]\n"
                   "forces: [{point_force: %s.P, value: [0, -5]}]\n"
                   "initial: {points: {lower.P: [0, -1], Q: [0, -2]}}\n",
                   side ? "lower" : "upper");
    ensure_reactions("load on a pin", text, 2,
                     (Expected[]){{"top", {0, 5 * g + 5}, {0}}, {"pin", {0, 3 * g + (side ? 5 : 0)}, {0}}});
  }
}

// A torque along angle(elbow) holds an arm on a post that turns on the ground. The post stands on a fixed direction,
// and what acts along it reaches the hinge all the same: that carries both weights and the moment of the arm's.
static void check_torque_on_post(void) {
  double m = 1.5, c = 0.4, angle = 0.6, torque = -m * g * c * cos(angle);
  char text[TEXT];
  (void)snprintf(
      text, sizeof text,
      "mbsens: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nground: {points: {O: [0, 0, 0]}}\n"
      "bodies:\n"
      "  post: {mass: 2, com: [0, 0, 0.1], inertia: [1, 2, 3], points: {O: [0, 0, 0], S: [0.15, 0, 0.45]}}\n"
      "  arm: {mass: %.17g, com: [%.17g, 0, 0], inertia: [1, 1, 1], points: {S: [0, 0, 0]},\n"
      "        position: [0.15, 0, 0.45], rotation: [0, %.17g, 0]}\n"
      "joints:\n"
      "  - {revolute: [ground.O, post.O], name: hinge, axis: [0, 0, 1]}\n"
      "  - {revolute: [post.S, arm.S], name: elbow, axis: [0, 1, 0]}\n"
      "forces: [{coordinate_force: angle(elbow), value: %.17g}]\n"
      "initial: {independent: [{coordinate: angle(hinge), value: 0}, {coordinate: angle(elbow), value: %.17g}]}\n",
      m, c, angle, torque, angle);
  ensure_reactions("torque on a post", text, 2,
                   (Expected[]){{"hinge", {0, 0, (2 + m) * g}, {0, -m * g * (0.15 + c * cos(angle)), 0}},
                                {"elbow", {0, 0, m * g}, {0}}});
}

// ---- every body of every model ----
// A system in which every body is cut free of everything it stands on.
static void hold(MbsBlueprint *blueprint, int body, int entity) {
  for (int i = 0; i < blueprint->holdings.count; ++i) {
    if (blueprint->holdings.items[i].body == body && blueprint->holdings.items[i].entity == entity) {
      return;
    }
  }
  MbsHolding made = {.body = body, .entity = entity};
  if (blueprint->holdings.count == blueprint->holdings.capacity) {
    int capacity = 2 * blueprint->holdings.capacity + 16;
    MbsHolding *grown = mbs_arena_take(blueprint->arena, (size_t)capacity, sizeof *grown);
    ENSURE(grown);
    for (int i = 0; i < blueprint->holdings.count; ++i) {
      grown[i] = blueprint->holdings.items[i];
    }
    blueprint->holdings.items = grown;
    blueprint->holdings.capacity = capacity;
  }
  blueprint->holdings.items[blueprint->holdings.count++] = made;
}

static MbsSystem *cut_everything(const MbsSimulation *simulation) {
  MbsBlueprint *blueprint = simulation->system->blueprint;
  MbsSystem *system;
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    const MbsBasis *basis = mbs_natural_basis(blueprint, b);
    for (int i = 0; i < basis->count; ++i) {
      hold(blueprint, b, basis->entity[i]);
    }
    // forces and rows on a point of the body are written on the shared point, also where it does not stand on it
    for (int p = 0; p < blueprint->bodies.items[b].point_count; ++p) {
      int entity = blueprint->shared[blueprint->bodies.items[b].points[p].group].entity;
      if (entity >= 0) {
        hold(blueprint, b, entity);
      }
    }
  }
  ENSURE_OK(context, mbs_system_create(context, simulation->arena, blueprint, 0, NULL, false, NULL, &system));
  mbs_system_follow_parameters(simulation->system, system);
  return system;
}

static double part(const MbsSystem *system, int holding, int k) {
  return mbs_body_force(system, &(MbsSignal){.index = holding, .component = k});
}

static void evaluate(const MbsSimulation *simulation, MbsSystem *system, MbsState *state) {
  for (int i = 0; i < simulation->system->signals.turn_count; ++i) {
    system->signals.turns[i] = simulation->system->signals.turns[i];
  }
  mbs_state_place_fixed(system, state);
  mbs_signal_bank_evaluate(system, state);
}

// With the multipliers of rows that have terms of nobody's left out, f is the sum of its bodies' parts.
static bool has_nobody(const MbsForm *form) {
  for (int i = 0; i < form->count; ++i) {
    if (form->terms[i].body == MBS_NOBODY) {
      return true;
    }
  }
  return false;
}

static void check_parts(const char *path, const MbsSimulation *simulation, MbsSystem *system, uint64_t *seed) {
  const MbsBlueprint *blueprint = system->blueprint;
  const MbsWeights none = {0};
  MbsState state;
  ENSURE_OK(context, mbs_state_create(context, system, &state));
  for (int i = 0; i < system->n; ++i) {
    state.q[i] = simulation->state.q[i] + 0.01 * random_number(seed);
    state.v[i] = random_number(seed);
    state.a[i] = random_number(seed);
  }
  for (int i = 0; i < system->m; ++i) {
    const MbsRowSpec *row = &blueprint->rows.items[i];
    bool is_left_out = row->kind != MBS_ROW_EXPRESSION && (has_nobody(&row->A) || has_nobody(&row->B));
    state.lambda[i] = state.total[i] = is_left_out ? 0 : random_number(seed);
  }
  evaluate(simulation, system, &state);
  double *f = zeros(system->n + system->m), *sum = zeros(system->nq);
  mbs_terms_residual(system, &state, &none, f, NULL);
  mbs_signal_bank_evaluate(system, &state);
  for (int h = 0; h < blueprint->holdings.count; ++h) {
    for (int k = 0; k < system->dimension; ++k) {
      sum[system->entity_first[blueprint->holdings.items[h].entity] + k] += part(system, h, k);
    }
  }
  double scale = largest_of(system->n, f);
  for (int i = 0; i < system->first_scalar; ++i) {  // coordinates of the model's own belong to no body
    if (!(fabs(sum[i] - f[i]) <= 1e-12 * scale)) {  // the same sums in another order
      (void)fprintf(stderr, "%s: f %d is %.17g, its bodies give %.17g\n", path, i + 1, f[i], sum[i]);
      exit(1);
    }
  }
  free(f);
  free(sum);
}

static void cross_add(const double *a, const double *b, double *c) {
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    c[k] += a[i] * b[j] - a[j] * b[i];
  }
}

// the place of a point, from its form
static void place_of(const MbsSystem *system, const MbsState *state, MbsPointReference point, double r[3]) {
  MbsBlueprint *blueprint = system->blueprint;
  MbsForm form;
  ENSURE_OK(context, mbs_form_of_point(context, blueprint, point, &form));
  memset(r, 0, 3 * sizeof *r);
  for (int i = 0; i < form.count; ++i) {
    double ab[2];
    MbsNode nodes[] = {form.terms[i].a, form.terms[i].b};
    ENSURE_OK(context, mbs_blueprint_nominal(context, blueprint, 2, nodes, ab));
    const double *e = state->q + system->entity_first[form.terms[i].entity];
    for (int k = 0; k < system->dimension; ++k) {
      r[k] += ab[0] * e[k] + (system->dimension == 3 ? 0 : k == 0 ? -ab[1] * e[1] : ab[1] * e[0]);
    }
  }
}

// Newton and Euler: what inertia and forces (and drivers, which have no reaction) ask of each body, as a force and a
// moment about the origin, is what its joints give. Rigidity has neither.
static void check_balance(const char *path, const MbsSimulation *simulation, MbsSystem *system,
                          const MbsReactions *reactions) {
  MbsBlueprint *blueprint = system->blueprint;
  int bodies = blueprint->bodies.count, d = system->dimension;
  double *asked = zeros(6 * bodies), *given = zeros(6 * bodies);
  MbsState state;
  ENSURE_OK(context, mbs_state_create(context, system, &state));
  state.t = simulation->state.t;
  for (int i = 0; i < system->n; ++i) {
    state.q[i] = simulation->state.q[i];
    state.v[i] = simulation->state.v[i];
    state.a[i] = simulation->state.a[i];
  }
  for (int i = 0; i < system->m; ++i) {
    const MbsRecord *joint = blueprint->rows.items[i].joint;
    state.total[i] = joint && !mbs_reaction_exists(joint) ? simulation->state.total[i] : 0;
  }
  evaluate(simulation, system, &state);
  for (int h = 0; h < blueprint->holdings.count; ++h) {
    const MbsHolding *holding = &blueprint->holdings.items[h];
    double R[3] = {0}, e[3] = {0}, *wrench = asked + 6 * holding->body;
    for (int k = 0; k < d; ++k) {
      R[k] = part(system, h, k);
      e[k] = state.q[system->entity_first[holding->entity] + k];
      wrench[k] += blueprint->entities.items[holding->entity].kind == MBS_ENTITY_POINT ? R[k] : 0;
    }
    cross_add(e, R, wrench + 3);
  }
  const MbsValue *joints = mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS);
  for (int i = 0; i < reactions->count; ++i) {
    const double *F = reactions->values + 6 * i;
    double c[3];
    MbsPointReference end[2];
    const MbsRecord *joint = joints->records;
    while (strcmp(joint->name.text, reactions->joints[i]) != 0) {
      ++joint;
    }
    ENSURE_OK(context, mbs_joint_ends(context, blueprint, joint, mbs_record_value(joint, 0), &end[0], &end[1]));
    place_of(system, &state, end[1], c);
    double wrench[6] = {0};
    cross_add(c, F, wrench + 3);
    for (int k = 0; k < 6; ++k) {
      wrench[k] += F[k];
      given[6 * end[1].body + k] += wrench[k];
      given[6 * end[0].body + k] -= wrench[k];
    }
  }
  double scale = fmax(fmax(largest_of(6 * bodies, asked), largest_of(6 * bodies, given)), 1);
  for (int i = 6; i < 6 * bodies; ++i) {
    if (!(fabs(asked[i] - given[i]) <= 1e-9 * scale)) {
      (void)fprintf(stderr, "%s: body %s, %s %c: %.12g is needed, the joints give %.12g\n", path,
                    blueprint->bodies.items[i / 6].name, i % 6 < 3 ? "force" : "torque", "xyz"[i % 3], asked[i],
                    given[i]);
      exit(1);
    }
  }
  free(asked);
  free(given);
}

static void check_model(const char *path, void *user) {
  int *joints = user;
  MbsModel *model = read_model(context, path);
  // some of those that count coordinates are redundant; the balance holds all the same
  MbsSimulation *simulation = start(model, strstr(path, "count_") ? "penalty" : NULL);
  MbsReactions reactions;
  uint64_t seed = 5;
  ENSURE_OK(context, mbs_reactions_create(context, simulation, &reactions));
  mbs_reactions_evaluate(simulation, &reactions);
  MbsSystem *system = cut_everything(simulation);
  check_parts(path, simulation, system, &seed);
  check_balance(path, simulation, system, &reactions);
  *joints += reactions.count;
  mbs_simulation_destroy(simulation);
  mbs_model_destroy(model);
}

// ---- what a user gets ----
// The signals of a run are the reactions it reports, also after more than half a turn of a spring that counts turns; in
// the axes of a body they are turned.
static void check_signals(void) {
  MbsModel *model = read_text(context, "signals",
                              "mbsens: 1\ngravity: [0, -9.81]\nground: {points: {O: [0, 0]}}\n"
                              "bodies: {bar: {mass: 2, com: [0.5, 0], inertia: 0.2, points: {O: [0, 0], P: [1, 0]}}}\n"
                              "joints: [{revolute: [ground.O, bar.O], name: pin}]\n"
                              "forces: [{torsional_spring: [ground, bar], stiffness: 0.5}]\n"
                              "initial: {independent: [{coordinate: angle(bar), value: 0, velocity: 12}]}\n"
                              "objectives:\n"
                              "  x: {final: force(pin).x}\n"
                              "  y: {final: force(pin).y}\n"
                              "  along: {final: \"force(pin, bar).x\"}\n"
                              "  across: {final: \"force(pin, bar).y\"}\n"
                              "  angle: {final: angle(bar)}\n"
                              "  ground: {final: \"force(pin, ground).x + torque(pin, bar)\"}\n"
                              "simulation: {end: 0.4, step: 0.001}\n");
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = MBS_METHOD_NONE;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  const double *v = result->values, limit = 1e-3 * fabs(v[0]);  // the bar's axis is a unit vector but for drift
  ENSURE(result->reaction_count == 1 && strcmp(result->reactions[0].joint, "pin") == 0);
  ENSURE_NEAR(result->reactions[0].force[0], v[0], 1e-12);
  ENSURE_NEAR(result->reactions[0].force[1], v[1], 1e-12);
  ENSURE_NEAR(v[2], cos(v[4]) * v[0] + sin(v[4]) * v[1], limit);
  ENSURE_NEAR(v[3], -sin(v[4]) * v[0] + cos(v[4]) * v[1], limit);
  ENSURE_NEAR(v[5], v[0], 1e-12);
  ENSURE(fabs(v[0]) > 1 && v[4] > 4);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_conical_pendulum();
  check_conical_rod();
  check_rotor();
  check_three_at_one_point();
  check_loop_at_one_point();
  check_cantilever();
  check_slider();
  check_rolling();
  check_load_on_pin();
  check_torque_on_post();
  check_signals();
  int joints = 0;
  int models = for_each_file("tests/models/element_*.yaml", check_model, &joints) +
               for_each_file("tests/models/run_*.yaml", check_model, &joints) +
               for_each_file("tests/models/count_*.yaml", check_model, &joints) +
               for_each_file("models/*.yaml", check_model, &joints);
  ENSURE(models > 50 && joints > 200);
  (void)printf("%d models, %d joints: every body in balance\n", models, joints);
  mbs_context_destroy(context);
  return 0;
}
