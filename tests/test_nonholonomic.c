// Nonholonomic constraints against closed solutions, published digits, the energy balance and hand-written slip.
//
// Seen to fail with a planted error, one at a time: the sign of c t.u* or of Omega.t_1 in rolling.c; omega_1 left out
// in mbs_rotation_seen; f_x of a row transposed; level2_y' taken for 2 level1_y; mu b left out of the power; the greedy
// choice of rates in the reverse order.
#include "closed_form.h"
#include "simulation/simulation.h"

// Sleigh on an incline, its knife edge under the centre of mass: the heading is w t, the speed along the edge obeys
// u' = G cos(w t), and the path is a cycloid across the slope. The edge bears 2 m G sin(w t).
static void check_sleigh_on_incline(void) {
  static const char *const text =
      "mbsens: 1\n"
      "gravity: [2.5, 0]\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies:\n"
      "  sleigh: {mass: 1.7, inertia: 0.3, points: {P: [0, 0]}}\n"
      "joints:\n"
      "  - {knife_edge: [ground.O, sleigh.P], edge: [1, 0], name: edge}\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: r(P).x, value: 0, velocity: 0}\n"
      "    - {coordinate: r(P).y, value: 0}\n"
      "    - {coordinate: angle(sleigh), value: 0, velocity: 1.5}\n"
      "objectives: {x: {final: r(P).x}, y: {final: r(P).y}, vx: {final: v(P).x}, side: {final: lambda(edge)}}\n"
      "simulation: {end: 2}\n";
  double G = 2.5, w = 1.5, f = w * 2, scale = G / (2 * w * w);
  const double expected[] = {scale * sin(f) * sin(f), scale * (f - sin(2 * f) / 2), G / w * sin(f) * cos(f),
                             -2 * 1.7 * G * sin(f)};
  const double bound[] = {1e-4, 1e-4, 1e-4, 1e-3};
  ensure_closed_form("sleigh on incline", text, 1e-2, 4, expected, bound);
}

// Chaplygin's sleigh: the centre of mass a before the edge, no forces. From a turn on the spot with W,
//     u = U tanh(k t),  omega = W / cosh(k t),  U = W sqrt((I + m a^2)/m),  k = a W^2/U
static void check_chaplygin(void) {
  static const char *const text =
      "mbsens: 1\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies:\n"
      "  sleigh: {mass: 2, com: [0.3, 0], inertia: 0.25, points: {P: [0, 0]}}\n"
      "joints:\n"
      "  - {knife_edge: [ground.O, sleigh.P], edge: [1, 0]}\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: r(P).x, value: 0}\n"
      "    - {coordinate: r(P).y, value: 0}\n"
      "    - {coordinate: angle(sleigh), value: 0, velocity: 2}\n"
      "objectives:\n"
      "  speed: {final: \"v(P).x*cos(angle(sleigh)) + v(P).y*sin(angle(sleigh))\"}\n"
      "  turn: {final: omega(sleigh)}\n"
      "  angle: {final: angle(sleigh)}\n"
      "simulation: {end: 1.5}\n";
  double W = 2, U = W * sqrt((0.25 + 2 * 0.09) / 2), k = 0.3 * W * W / U;
  const double expected[] = {U * tanh(k * 1.5), W / cosh(k * 1.5), 2 * W / k * atan(tanh(k * 1.5 / 2))};
  const double bound[] = {1e-4, 1e-4, 1e-4};
  ensure_closed_form("Chaplygin's sleigh", text, 1e-2, 3, expected, bound);
}

// A disc straight down an incline: 2/3 g sin(alpha); normal force m g cos(alpha), friction 1/3 m g sin(alpha).
static void check_straight_down(void) {
  static const char *const text =
      "mbsens: 1\n"
      "dimension: 3\n"
      "gravity: [0, 0, -9.81]\n"
      "parameters: {A: 0.3, R: 0.5, m: 2}\n"
      "ground: {points: {O: [0, 0, 0]}}\n"
      "bodies:\n"
      "  disc: {mass: m, inertia: [m*R^2/4, m*R^2/2, m*R^2/4], points: {C: [0, 0, 0], U: [0, 1, 0], P: [R, 0, 0]},\n"
      "         position: [0, 0, 0.5]}\n"
      "joints:\n"
      "  - {rolling: [ground.O, disc.C], normal: [sin(A), 0, cos(A)], axle: [0, 1, 0], radius: R, name: road}\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: r(C).x, value: R*sin(A), velocity: 0}\n"
      "    - {coordinate: r(C).y, value: 0}\n"
      "    - {coordinate: r(U).x - r(C).x, value: 0, velocity: 0}\n"
      "    - {coordinate: \"dot(r(U) - r(C), [sin(A), 0, cos(A)])\", value: 0, velocity: 0}\n"
      "    - {coordinate: r(P).z - r(C).z, value: 0}\n"
      "objectives:\n"
      "  way: {final: \"dot(r(C), [cos(A), 0, -sin(A)])\"}\n"
      "  turn: {final: omega(disc).y}\n"
      "  normal: {final: lambda(road)}\n"
      "  friction: {final: \"sqrt(lambda(road.2)^2 + lambda(road.3)^2)\"}\n"
      "simulation: {end: 1}\n";
  double down = 9.81 * sin(0.3), a = 2.0 / 3 * down;
  const double expected[] = {a / 2, a / 0.5, -2 * 9.81 * cos(0.3), 2 * down / 3};
  const double bound[] = {1e-4, 1e-3, 0, 1e-3};
  ensure_closed_form("disc down an incline", text, 1e-2, 4, expected, bound);
}

// A disc that leans by B towards the centre of its circle, turns with W about the vertical and keeps both:
//     m g R sin B = W^2 cos B ((Ia/R + m R) r + Id sin B)          r: radius of the centre's circle
// (moments about the centre: W z x H = o x (m g z - m W^2 r e_r) with H = -Ia W r/R u + Id W cos B p, where u is the
// axle, p the direction from the rim's lowest point to the centre and o = -R p). It spins with -W (r/R + sin B).
static void check_steady_turn(void) {
  const double m = 2, R = 0.3, Ia = 0.09, Id = 0.045, B = 0.35, W = 1.9, g = 9.81, end = 1.2;
  double r = (m * g * R * tan(B) / (W * W) - Id * sin(B)) / (Ia / R + m * R);
  double spin = -W * (r / R + sin(B));
  char text[2048];
  (void)snprintf(
      text, sizeof text,
      "mbsens: 1\n"
      "dimension: 3\n"
      "gravity: [0, 0, -9.81]\n"
      "ground: {points: {O: [0, 0, 0]}}\n"
      "bodies:\n"
      "  disc: {mass: 2, inertia: [0.045, 0.09, 0.045],\n"
      "         points: {C: [0, 0, 0], U: [0, 1, 0], P: [0.3, 0, 0]}, rotation: [0.35, 0, 0]}\n"
      "joints:\n"
      "  - {rolling: [ground.O, disc.C], normal: [0, 0, 1], axle: [0, 1, 0], radius: 0.3}\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: r(C).x, value: 0}\n"
      "    - {coordinate: r(C).y, value: %.17g}\n"
      "    - {coordinate: r(U).x - r(C).x, value: 0, velocity: %.17g}\n"
      "    - {coordinate: r(U).z - r(C).z, value: %.17g, velocity: 0}\n"
      "    - {coordinate: r(P).z - r(C).z, value: 0, velocity: %.17g}\n"
      "objectives: {x: {final: r(C).x}, y: {final: r(C).y}, z: {final: r(C).z}, spin: {final: omega(disc).z}}\n"
      "simulation: {end: 1.2}\n",
      r, -W * cos(B), sin(B), -R * spin * cos(B));
  const double expected[] = {-r * sin(W * end), r * cos(W * end), R * cos(B),
                             W - W * r / R * sin(B) - W * sin(B) * sin(B)};
  const double bound[] = {2e-3, 2e-3, 1e-3, 2e-2};
  ENSURE(r > 0.5);
  ensure_closed_form("steady turn", text, 5e-3, 4, expected, bound);
}

// A wheel on a plate that is pulled away with acceleration a moves with a/(1 + m R^2/I), here a/3.
static void check_pulled_plate(void) {
  static const char *const text =
      "mbsens: 1\n"
      "gravity: [0, -9.81]\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies:\n"
      "  plate: {mass: 3, inertia: 1, points: {A: [0, 0]}}\n"
      "  wheel: {mass: 2, inertia: 0.09, points: {C: [0, 0]}, position: [0, 0.3]}\n"
      "joints:\n"
      "  - {prismatic: [ground.O, plate.A], axis: [1, 0], name: rail}\n"
      "  - {driver: slide(rail), value: 0.75*t^2}\n"
      "  - {rolling: [plate.A, wheel.C], normal: [0, 1], radius: 0.3, name: road}\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: r(C).x, value: 0, velocity: 0}\n"
      "    - {coordinate: angle(wheel), value: 0}\n"
      "objectives: {x: {final: r(C).x}, turn: {final: angle(wheel)}, friction: {final: lambda(road.2)}}\n"
      "simulation: {end: 2}\n";
  const double expected[] = {0.25 * 4, 0.5 * 4 / 0.3, 2 * 0.5};
  const double bound[] = {1e-3, 5e-3, 1e-3};
  ensure_closed_form("wheel on a plate", text, 1e-2, 3, expected, bound);
}

// A velocity that follows a course: position by integration; the work of the row is part of the energy balance.
static void check_driven_velocity(void) {
  static const char *const text =
      "mbsens: 1\n"
      "bodies: {bead: {mass: 2, points: {P: [0, 0]}}}\n"
      "joints: [{velocity_constraint: v(P).x - 0.8*cos(3*t), name: drive}]\n"
      "objectives: {x: {final: r(P).x}, v: {final: v(P).x}, force: {final: lambda(drive)}}\n"
      "simulation: {end: 1}\n";
  const double expected[] = {0.8 / 3 * sin(3), 0.8 * cos(3), 2 * 0.8 * 3 * sin(3)};
  const double bound[] = {1e-4, 1e-4, 0};
  ensure_closed_form("driven velocity", text, 1e-2, 3, expected, bound);
}

static MbsResult *run_model(const char *path, const char *formulation, double step, double end, MbsMethod method) {
  MbsModel *model = read_model(context, path);
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = method;
  request.settings.step = step;
  request.settings.end = end;
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  mbs_model_destroy(model);
  return result;
}

// energy, with the work of drivers, of positions (snakeboard) and of velocities (the last): the drift falls with h^2
static void check_energy(void) {
  static const struct {
    const char *path;
    double step, end, limit;
  } models[] = {{"models/rolling_disc.yaml", 2e-3, 2, 1e-4},
                {"models/rolling_coin_incline.yaml", 2e-4, 0.5, 1e-4},
                {"models/snakeboard.yaml", 5e-3, 3, 1e-4},
                {"models/two_point_mass.yaml", 1e-2, 5, 1e-6},
                {"tests/models/element_velocity_constraint_plane.yaml", 1e-2, 2, 1e-3}};
  for (int i = 0; i < 5; ++i) {
    double drift[2];
    for (int k = 0; k < 2; ++k) {
      MbsResult *result = run_model(models[i].path, "index1", models[i].step / (1 + k), models[i].end, MBS_METHOD_NONE);
      drift[k] = result->statistics.energy_drift;
      mbs_result_destroy(result);
    }
    (void)printf("%s: energy drift %.2e, ratio %.3f\n", models[i].path, drift[1], drift[0] / drift[1]);
    ENSURE(drift[1] < models[i].limit);
    ENSURE_NEAR(drift[0] / drift[1], 4, 0.2);
  }
}

// P0 section 4.2 against digits computed independently: 2e-3 relative or 4e-5 absolute is asked for at h = 1e-3; the
// rule's error there is below 1e-7
static void check_two_point_mass(void) {
  static const double values[] = {5.88514609, 1.84021782,  0.42041811, 0.91291837, 0.40814218,
                                  0.10530253, -0.04297841, 0.09613262, -0.00774567};
  static const double derivatives[] = {-0.20993521, 0.76550729,  0.36505543, -0.14899452, 0.33326581,
                                       0.06404493,  -0.06123317, 0.0427783,  -0.02440819};
  const char *const formulations[] = {"index1", "penalty", "matrix-r"};
  for (int f = 0; f < 3; ++f) {
    double worst[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
      MbsResult *result =
          run_model("models/two_point_mass.yaml", formulations[f], k ? 1e-3 : 1e-1, 5, MBS_METHOD_DIRECT);
      ENSURE(result->objective_count == 9 && result->parameter_count == 1);
      for (int i = 0; i < 9; ++i) {
        worst[k] = fmax(worst[k], fabs(result->values[i] - values[i]));
        worst[k] = fmax(worst[k], fabs(result->gradient[i] - derivatives[i]));
      }
      mbs_result_destroy(result);
    }
    (void)printf("two point masses, %s: largest error %.1e at h = 0.1, %.1e at 0.001\n", formulations[f], worst[0],
                 worst[1]);
    ENSURE(worst[1] < 1e-7);
    ENSURE(worst[0] > 1e-5 && worst[0] < 1e-2);
  }
}

// the vectors of a wheel on a tilting table: n, u, and the arm o = R (c u - n)/s of its lowest point
#define N "(r(N) - r(A))"
#define U "(r(U) - r(C))"
#define ARM "(0.6/norm(cross(" N ", " U "))*(dot(" N ", " U ")*" U " - " N "))"
#define SLIP "(v(C) + cross(omega(wheel), " ARM ") - v(A) - cross(omega(table), r(C) + " ARM " - r(A)))"

// Slip and contact, written by hand with v() and omega(), vanish at the start, where the velocities come from the rows.
static void check_slip(void) {
  static const char *const text =
      "mbsens: 1\n"
      "dimension: 3\n"
      "ground: {points: {G: [0.1, 0.2, 0]}}\n"
      "bodies:\n"
      "  table: {mass: 1, inertia: [1, 1, 1], points: {G: [0, 0, 0], A: [0.3, 0.1, 0.2], N: [0.3, 0.1, 1.2]},\n"
      "          position: [0.1, 0.2, 0]}\n"
      "  wheel: {mass: 1, inertia: [1, 2, 1], points: {C: [0, 0, 0], U: [0, 1, 0], P: [1, 0, 0]},\n"
      "          position: [0.7, 0.4, 0.7], rotation: [0.4, 0.1, 0.2]}\n"
      "joints:\n"
      "  - {revolute: [ground.G, table.G], name: hinge, axis: [1, 0.4, 0.3]}\n"
      "  - {rolling: [table.A, wheel.C], normal: [0, 0, 1], axle: [0, 1, 0], radius: 0.6}\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: angle(hinge), value: 0.2, velocity: 0.8}\n"
      "    - {coordinate: r(C).x}\n"
      "    - {coordinate: r(C).y}\n"
      "    - {coordinate: r(U).x - r(C).x, velocity: 0.7}\n"
      "    - {coordinate: r(U).z - r(C).z, velocity: -0.5}\n"
      "    - {coordinate: r(P).z - r(C).z, velocity: 0.9}\n"
      "objectives:\n"
      "  height: {final: \"dot(" N ", r(C) + " ARM
      " - r(A))\"}\n"
      "  x: {final: \"(" SLIP
      ").x\"}\n"
      "  y: {final: \"(" SLIP
      ").y\"}\n"
      "  z: {final: \"(" SLIP
      ").z\"}\n"
      "  speed: {final: \"norm(v(C))\"}\n"
      "simulation: {end: 1}\n";
  MbsModel *model = read_text(context, "slip", text);
  MbsRequest request;
  MbsSimulation *simulation;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_simulation_create(context, model, &request.settings, 0, NULL, NULL, &simulation));
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  for (int i = 0; i < 4; ++i) {
    ENSURE_NEAR(simulation->objectives.value[i], 0, 1e-13);
  }
  ENSURE(simulation->objectives.value[4] > 0.1);
  mbs_simulation_destroy(simulation);
  mbs_model_destroy(model);
}

// Four wheels on two axles: two of their rows follow from the others, are named, and penalty runs the cart straight on.
static void check_redundant(void) {
  static const char *const text =
      "mbsens: 1\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies:\n"
      "  cart: {mass: 3, com: [0.3, 0.1], inertia: 0.4,\n"
      "         points: {A: [0, 0.5], B: [0, -0.5], C: [1, 0.5], D: [1, -0.5]}, angle: 0.4}\n"
      "joints:\n"
      "  - {knife_edge: [ground.O, cart.A], edge: [1, 0], name: one}\n"
      "  - {knife_edge: [ground.O, cart.B], edge: [1, 0], name: two}\n"
      "  - {knife_edge: [ground.O, cart.C], edge: [1, 0], name: three}\n"
      "  - {knife_edge: [ground.O, cart.D], edge: [1, 0], name: four}\n"
      "forces:\n"
      "  - {point_force: cart.C, value: \"[0, 1.2]\"}\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: r(A).x, value: 0, velocity: 2}\n"
      "    - {coordinate: r(A).y, value: 0}\n"
      "    - {coordinate: angle(cart), value: 0.4}\n"
      "objectives: {x: {final: r(A).x}, y: {final: r(A).y}, angle: {final: angle(cart)}}\n"
      "simulation: {end: 2, step: 0.01, formulation: penalty}\n";
  MbsModel *model = read_text(context, "cart", text);
  MbsRequest request;
  MbsCheck *check;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_check(context, model, &request, &check));
  ENSURE(check->position_freedoms == 3 && check->degrees_of_freedom == 1 && check->nonholonomic == 4);
  ENSURE(check->redundant == 2);
  for (int i = 0; i < check->constraints; ++i) {
    bool is_late = strstr(check->constraint_names[i], "two") || strstr(check->constraint_names[i], "four");
    ENSURE(check->is_redundant[i] == is_late);
  }
  ENSURE(!check->does_rate_follow[0] && check->does_rate_follow[1] && check->does_rate_follow[2]);
  request.method = MBS_METHOD_NONE;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  // along the heading: 2/cos(0.4) at first, and the force's component there
  double way = 2 / cos(0.4) * 2 + 1.2 * sin(0.4) / 3 * 2;
  ENSURE_NEAR(result->values[0], way * cos(0.4), 1e-6);  // penalty gives way a little
  ENSURE_NEAR(result->values[1], way * sin(0.4), 1e-6);
  ENSURE_NEAR(result->values[2], 0.4, 1e-6);
  mbs_check_destroy(check);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

// Which rates are independent: those that can be, velocities that are written first, then in the order written.
static void ensure_choice(double heading, const char *independents, bool does_x_follow) {
  char text[1024];
  (void)snprintf(text, sizeof text,
                 "mbsens: 1\n"
                 "ground: {points: {O: [0, 0]}}\n"
                 "bodies: {sled: {mass: 1, inertia: 1, points: {P: [0, 0]}, angle: %g}}\n"
                 "joints: [{knife_edge: [ground.O, sled.P], edge: [1, 0]}]\n"
                 "initial: {independent: [%s, {coordinate: angle(sled), value: %g}]}\n"
                 "simulation: {end: 1}\n",
                 heading, independents, heading);
  MbsModel *model = read_text(context, "sled", text);
  MbsRequest request;
  MbsCheck *check;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  ENSURE_OK(context, mbs_check(context, model, &request, &check));
  ENSURE(check->independent_count == 3 && check->degrees_of_freedom == 2 && !check->does_rate_follow[2]);
  for (int i = 0; i < 2; ++i) {
    bool is_x = strcmp(check->independent_names[i], "r(P).x") == 0;
    ENSURE(check->does_rate_follow[i] == (is_x == does_x_follow));
  }
  mbs_check_destroy(check);
  mbs_model_destroy(model);
}

static void check_choice(void) {
  ensure_choice(0.3, "{coordinate: r(P).x}, {coordinate: r(P).y}", false);
  ensure_choice(0.3, "{coordinate: r(P).y}, {coordinate: r(P).x}", true);
  ensure_choice(0.3, "{coordinate: r(P).x}, {coordinate: r(P).y, velocity: 0}", true);
  ensure_choice(0, "{coordinate: r(P).y}, {coordinate: r(P).x}", false);  // along x alone
  ensure_choice(1e-6, "{coordinate: r(P).y}, {coordinate: r(P).x}", false);
}

// Kinematics has no position problem for such rows, and says so.
static void check_kinematics(void) {
  MbsModel *model = read_model(context, "models/snakeboard.yaml");
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.settings.is_kinematic = true;
  ENSURE(mbs_run(context, model, &request, &result) == MBS_ERROR_NOT_OFFERED);
  ENSURE_CONTAINS(mbs_context_message(context), "joint front_wheels: not sideways");
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_sleigh_on_incline();
  check_chaplygin();
  check_straight_down();
  check_steady_turn();
  check_pulled_plate();
  check_driven_velocity();
  check_two_point_mass();
  check_energy();
  check_slip();
  check_redundant();
  check_choice();
  check_kinematics();
  mbs_context_destroy(context);
  return 0;
}
