// Rates of expressions, orientation, energy, momentum and centres of mass: against formulas of other signals, whose
// values are tested elsewhere (positions, velocities, omega), in both coordinates; their gradients by the direct
// method, the adjoint and the complex step; turns; what they add up to over a run.
#include "support.h"

static MbsContext *context;

static MbsResult *run(MbsModel *model, MbsMethod method, const char *coordinates, double step) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = method;
  request.settings.step = step > 0 ? step : request.settings.step;
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", coordinates);
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  ENSURE(result->is_complete);
  return result;
}

static const char *const both[] = {"natural", "relative"};

// Objectives come in pairs x, x_too: the same number, written with the signal and without.
static void ensure_pairs(const char *name, const char *text) {
  MbsModel *model = read_text(context, name, text);
  double first[64][16];
  for (int c = 0; c < 2; ++c) {
    static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP};
    for (int m = 0; m < 3; ++m) {
      MbsResult *result = run(model, methods[m], both[c], 0);
      int count = result->parameter_count;
      ENSURE(result->objective_count % 2 == 0 && result->objective_count <= 64 && count <= 16);
      for (int i = 0; i < result->objective_count; i += 2) {
        const char *objective = result->objectives[i];
        double value = result->values[i], other = result->values[i + 1];
        // rows hold to 1e-10, and signals of a body that is off by that differ by that
        if (!(fabs(value - other) <= 1e-9 * (1 + fabs(value))) || !(fabs(value) > 1e-6)) {
          (void)fprintf(stderr, "%s, %s: %s = %.15g, by other signals %.15g\n", name, both[c], objective, value, other);
          exit(1);
        }
        for (int p = 0; p < count; ++p) {
          double slope = result->gradient[i * count + p];
          double by_others = result->gradient[(i + 1) * count + p];
          if (m == 0 && c == 0) {
            first[i][p] = slope;
          }
          if (!(fabs(slope - by_others) <= 1e-7 * (1 + fabs(slope)))) {
            (void)fprintf(stderr, "%s, %s, method %d: d %s/d %s = %.15g, by other signals %.15g\n", name, both[c], m,
                          objective, result->parameters[p], slope, by_others);
            exit(1);
          }
          // methods of one coordinates agree to rounding; the coordinates have other errors of the step
          if (m > 0 && c == 0 && !(fabs(slope - first[i][p]) <= 1e-8 * (1 + fabs(slope)))) {
            (void)fprintf(stderr, "%s, %s: d %s/d %s = %.15g by the direct method, %.15g by method %d\n", name, both[c],
                          objective, result->parameters[p], first[i][p], slope, m);
            exit(1);
          }
        }
      }
      mbs_result_destroy(result);
    }
  }
  mbs_model_destroy(model);
}

// ---- in space ----

// Two bodies joined by a ball, a point mass and springs. The body axes x, y, z of A and B are named vectors, whose
// directions are signals of their own; inertia times omega is written out in these axes.
#define PAIR                                                                                                        \
  "mbsens: 1\n"                                                                                                     \
  "dimension: 3\n"                                                                                                  \
  "gravity: [0.3, -0.5, -9.81]\n"                                                                                   \
  "parameters: {m: 2, k: 40, J: 0.3, L: 0.4, w: 0.5}\n"                                                             \
  "functions:\n"                                                                                                    \
  "  wx(): dot(omega(A), direction(A.x))\n"                                                                         \
  "  wy(): dot(omega(A), direction(A.y))\n"                                                                         \
  "  wz(): dot(omega(A), direction(A.z))\n"                                                                         \
  "  Hx(): J*wx() + 0.01*wy() - 0.02*wz()\n"                                                                        \
  "  Hy(): 0.01*wx() + 0.2*wy() + 0.03*wz()\n"                                                                      \
  "  Hz(): -0.02*wx() + 0.03*wy() + 0.25*wz()\n"                                                                    \
  "  spin(): Hx()*direction(A.x) + Hy()*direction(A.y) + Hz()*direction(A.z)\n"                                     \
  "  centre(): r(A.O) + 0.1*direction(A.x) + L/2*direction(A.y) - 0.05*direction(A.z)\n"                            \
  "  pull(): k*(distance(A.O, ground.O) - 0.2)\n"                                                                   \
  "ground: {points: {O: [0, 0, 1]}}\n"                                                                              \
  "bodies:\n"                                                                                                       \
  "  A: {mass: m, com: [0.1, L/2, -0.05], inertia: [J, 0.2, 0.25, 0.01, -0.02, 0.03], position: [0.1, 0.2, 0.9],\n" \
  "      points: {O: [0, 0, 0], P: [0.1, L, 0.2]}, vectors: {x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1]},\n"          \
  "      rotation: [0.4, -0.3, 0.2]}\n"                                                                             \
  "  B: {mass: 1.5, com: [0.2, 0, 0.1], inertia: [0.1, 0.15, 0.12], points: {P: [0, 0, 0], Q: [0.5, 0.1, 0]}}\n"    \
  "  C: {mass: 0.7, points: {R: [0, 0, 0]}, position: [1.2, 0.6, 0.5]}\n"                                           \
  "  D: {mass: 0.4, inertia: 0.02, com: [0.15, 0, 0], points: {R: [0, 0, 0], S: [0.3, 0, 0]}}\n"                    \
  "joints: [{spherical: [A.P, B.P]}, {spherical: [C.R, D.R]}]\n"                                                    \
  "forces:\n"                                                                                                       \
  "  - {spring: [ground.O, A.O], stiffness: k, length: 0.2, damping: w, name: tether}\n"                            \
  "  - {spring: [B.Q, C.R], stiffness: 2*k, length: 0.4, name: link}\n"                                             \
  "  - {spring: [C.R, ground.O], law: 30*(length - 1), name: free}\n"                                               \
  "initial:\n"                                                                                                      \
  "  independent:\n"                                                                                                \
  "    - {coordinate: r(A.O).x, velocity: 0.3}\n"                                                                   \
  "    - {coordinate: r(A.O).y, velocity: -0.4}\n"                                                                  \
  "    - {coordinate: roll(A), velocity: 1.2}\n"                                                                    \
  "    - {coordinate: yaw(A), velocity: -0.8}\n"                                                                    \
  "    - {coordinate: pitch(A), velocity: 0.5}\n"                                                                   \
  "simulation: {end: 0.1, step: 0.005}\n"

static void test_in_space(void) {
  ensure_pairs("rates", PAIR
               "objectives:\n"
               "  a: {final: \"rate(distance(A.O, C.R))\"}\n"
               "  a_too: {final: \"dot(v(C.R) - v(A.O), r(C.R) - r(A.O))/distance(A.O, C.R)\"}\n"
               "  b: {integral: \"acceleration(r(B.Q).x*t) + dot(acceleration(r(B.Q)), [1, 2, 3])\"}\n"
               "  b_too: {integral: \"a(B.Q).x*t + 2*v(B.Q).x + a(B.Q).x + 2*a(B.Q).y + 3*a(B.Q).z\"}\n"
               "  c: {final: rate(v(B.Q).y)}\n"
               "  c_too: {final: a(B.Q).y}\n"
               "  d: {final: \"rate(rotation(A, 2, 3))\"}\n"
               "  d_too: {final: \"cross(omega(A), direction(A.z)).y\"}\n");
  ensure_pairs("orientation", PAIR
               "objectives:\n"
               "  a: {final: \"rotation(A, 1, 2)\"}\n"
               "  a_too: {final: direction(A.y).x}\n"
               "  b: {final: yaw(A)}\n"
               "  b_too: {final: \"atan2(direction(A.x).y, direction(A.x).x)\"}\n"
               "  c: {final: pitch(A)}\n"
               "  c_too: {final: -asin(direction(A.x).z)}\n"
               "  d: {final: roll(A)}\n"
               "  d_too: {final: \"atan2(direction(A.y).z, direction(A.z).z)\"}\n"
               // p0 = sqrt(1 + trace)/2, p = (R - R')/(4 p0)
               "  e: {final: \"euler(A, 0)\"}\n"
               "  e_too: {final: \"sqrt(1 + direction(A.x).x + direction(A.y).y + direction(A.z).z)/2\"}\n"
               "  f: {final: \"euler(A, 1)*4*euler(A, 0)\"}\n"
               "  f_too: {final: \"direction(A.y).z - direction(A.z).y\"}\n"
               "  g: {final: \"euler(A, 2)*4*euler(A, 0)\"}\n"
               "  g_too: {final: \"direction(A.z).x - direction(A.x).z\"}\n"
               "  h: {final: \"euler(A, 3)*4*euler(A, 0)\"}\n"
               "  h_too: {final: \"direction(A.x).y - direction(A.y).x\"}\n"
               // p' = 1/2 omega o p: 2 (p0 p1' - p1 p0' - p2 p3' + p3 p2') = omega_x
               "  i: {integral: \"2*(euler(A, 0)*rate(euler(A, 1)) - euler(A, 1)*rate(euler(A, 0))"
               " - euler(A, 3)*rate(euler(A, 2)) + euler(A, 2)*rate(euler(A, 3)))\"}\n"
               "  i_too: {integral: omega(A).x}\n"
               "  j: {integral: \"rate(roll(A)) - rate(yaw(A))*sin(pitch(A))\"}\n"
               "  j_too: {integral: \"dot(omega(A), direction(A.x))\"}\n");
  ensure_pairs(
      "energy", PAIR
      "objectives:\n"
      "  a: {final: kinetic_energy(A)}\n"
      "  a_too: {final: \"m*dot(rate(centre()), rate(centre()))/2 + dot(omega(A), spin())/2\"}\n"
      "  b: {integral: \"kinetic_energy() - kinetic_energy(A) - kinetic_energy(B)\"}\n"
      // a point mass, and a thin rod: v_c = (v_R + v_S)/2, omega^2 = |v_S - v_R|^2 / l^2
      "  b_too: {integral: \"0.7/2*dot(v(C.R), v(C.R)) + 0.4/8*dot(v(D.R) + v(D.S), v(D.R) + v(D.S))"
      " + 0.02/2*dot(v(D.S) - v(D.R), v(D.S) - v(D.R))/0.09\"}\n"
      "  c: {final: potential_energy(A)}\n"
      "  c_too: {final: \"-m*dot([0.3, -0.5, -9.81], centre())\"}\n"
      "  d: {final: potential_energy(tether)}\n"
      "  d_too: {final: \"k*(distance(A.O, ground.O) - 0.2)^2/2\"}\n"
      "  e: {integral: \"potential_energy\"}\n"
      "  e_too: {integral: \"potential_energy(A) + potential_energy(B) + potential_energy(C) + potential_energy(D)"
      " + potential_energy(link) + potential_energy(tether)\"}\n"
      "  f: {integral: power(tether)}\n"
      "  f_too: {integral: \"-(pull() + w*rate(distance(A.O, ground.O)))*rate(distance(A.O, ground.O))\"}\n"
      "  g: {integral: power(free)}\n"
      "  g_too: {integral: \"-30*(distance(C.R, ground.O) - 1)*rate(distance(C.R, ground.O))\"}\n"
      "  h: {final: \"dot(momentum(A), [1, 2, 3])\"}\n"
      "  h_too: {final: \"m*dot(rate(centre()), [1, 2, 3])\"}\n"
      "  i: {final: \"dot(angular_momentum(A), [1, 2, 3])\"}\n"
      "  i_too: {final: \"dot(m*cross(centre(), rate(centre())) + spin(), [1, 2, 3])\"}\n"
      "  j: {final: \"dot(angular_momentum(D), [1, 2, 3])\"}\n"
      "  j_too: {final: \"dot(cross(com(D), momentum(D)) + 0.02*cross(r(D.S) - r(D.R), v(D.S) - v(D.R))/0.09, "
      "[1, 2, 3])\"}\n"
      "  k: {final: \"dot(com(A, C), [1, 2, 3])\"}\n"
      "  k_too: {final: \"dot(m*centre() + 0.7*r(C.R), [1, 2, 3])/(m + 0.7)\"}\n"
      "  l: {final: \"dot(rate(com()), [1, 2, 3])\"}\n"
      "  l_too: {final: \"dot(momentum(), [1, 2, 3])/(m + 1.5 + 0.7 + 0.4)\"}\n");
}

// ---- in the plane ----
static void test_in_plane(void) {
  ensure_pairs("plane",
               "mbsens: 1\n"
               "gravity: [0, -9.81]\n"
               "parameters: {L: 0.6, m: 1.4, k: 12, J: 0.2}\n"
               "coordinates: {q: {inertia: J, guess: 0.3}}\n"
               "states: {y: {rate: -k*y, initial: 3}}\n"  // which has no energy
               "ground: {points: {O: [0, 0]}}\n"
               "bodies:\n"
               "  A: {mass: m, com: [L/2, 0.1], inertia: 0.09, points: {O: [0, 0], P: [L, 0]}}\n"
               "  B: {mass: 0.8, com: [0.2, -0.1], inertia: 0.03, points: {P: [0, 0]}}\n"
               "joints: [{revolute: [ground.O, A.O], name: hinge}, {revolute: [A.P, B.P], name: elbow}]\n"
               "forces:\n"
               "  - {torsional_spring: [A, B], stiffness: k, angle: 0.4, damping: 0.3, name: twist}\n"
               "  - {coordinate_force: q, value: -k*q - rate, name: own}\n"
               "initial:\n"
               "  independent: [{coordinate: angle(A), value: 0.4, velocity: 1}, {coordinate: angle(B), value: 1},\n"
               "                {coordinate: q, velocity: 2}]\n"
               "objectives:\n"
               "  a: {final: rate(angle(elbow))}\n"
               "  a_too: {final: omega(B) - omega(A)}\n"
               "  b: {final: \"rotation(B, 1, 2) + yaw(A)\"}\n"
               "  b_too: {final: -sin(angle(B)) + angle(A)}\n"
               "  c: {final: kinetic_energy}\n"
               "  c_too: {final: \"(m*dot(rate(com(A)), rate(com(A))) + 0.8*dot(rate(com(B)), rate(com(B)))"
               " + 0.09*omega(A)^2 + 0.03*omega(B)^2 + J*rate(q)^2)/2\"}\n"
               "  d: {final: angular_momentum()}\n"
               "  d_too: {final: \"m*cross(com(A), rate(com(A))) + 0.8*cross(com(B), rate(com(B))) + 0.09*omega(A)"
               " + 0.03*omega(B)\"}\n"
               "  e: {final: potential_energy(twist)}\n"
               "  e_too: {final: \"k*(angle(elbow) - 0.4)^2/2\"}\n"
               "  f: {integral: power(twist) + power(own)}\n"
               "  f_too: {integral: \"-(k*(angle(elbow) - 0.4) + 0.3*rate(angle(elbow)))*rate(angle(elbow))"
               " - (k*q + rate(q))*rate(q)\"}\n"
               "  h: {final: rate(y)}\n"
               "  h_too: {final: -k*y}\n"
               "  g: {final: acceleration(q^2)}\n"
               "  g_too: {final: 2*rate(q)^2 + 2*q*acceleration(q)}\n"
               "simulation: {end: 0.3, step: 0.005}\n");
}

// ---- over a run ----

// Many turns: a rotor about z keeps its rate, so that yaw is w t, and euler(3) = sin(w t/2), with the sign of that.
static void test_turns(void) {
  MbsModel *model =
      read_text(context, "turns",
                "mbsens: 1\n"
                "dimension: 3\n"
                "parameters: {w: 30}\n"
                "ground: {points: {O: [0, 0, 0]}}\n"
                "bodies: {A: {mass: 1, inertia: [1, 1, 1], points: {O: [0, 0, 0]}}}\n"
                "joints: [{revolute: [ground.O, A.O], axis: [0, 0, 1], name: J}]\n"
                "initial: {independent: [{coordinate: angle(J), value: 0.1, velocity: w}]}\n"
                "objectives: {yaw: {final: yaw(A)}, p0: {final: \"euler(A, 0)\"}, p3: {final: \"euler(A, 3)\"}}\n"
                "simulation: {end: 1.5, step: 0.01}\n");
  for (int c = 0; c < 2; ++c) {
    MbsResult *result = run(model, MBS_METHOD_DIRECT, both[c], c == 0 ? 1e-4 : 0);
    double angle = result->values[0];
    ENSURE_NEAR(angle, 0.1 + 30 * 1.5, c == 0 ? 1e-3 : 1e-9);  // natural coordinates turn with an error of h^2
    ENSURE_NEAR(result->values[1], cos(angle / 2), 1e-9);
    ENSURE_NEAR(result->values[2], sin(angle / 2), 1e-9);
    ENSURE_NEAR(result->gradient[0], 1.5, c == 0 ? 1e-3 : 1e-9);
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

// The energy of the five-bar linkage, whose springs have constants, stays as it is: of second order in the step.
static void test_balance(void) {
  MbsModel *model = read_model(context, "tests/models/five_bar_energy.yaml");
  for (int c = 0; c < 2; ++c) {
    double off[2];
    for (int k = 0; k < 2; ++k) {
      MbsResult *result = run(model, MBS_METHOD_NONE, both[c], k == 0 ? 0.01 : 0.005);
      off[k] = result->values[0];
      ENSURE(result->values[1] > 1);  // energy goes back and forth
      mbs_result_destroy(result);
    }
    (void)printf("five-bar, %s: energy off by %.3e and, with half the step, %.3e\n", both[c], off[0], off[1]);
    ENSURE(fabs(off[0]) < 1e-2 && fabs(off[0]) > 1e-9);
    ENSURE_NEAR(off[0] / off[1], 4, 0.4);
  }
  mbs_model_destroy(model);
}

// A free body keeps its momentum and its angular momentum, and its centre of mass moves straight ahead.
static void test_free_flight(void) {
  static const double expected[] = {0.6, -0.8, 1, 0.3, -0.4, 0.5};
  MbsModel *model =
      read_text(context, "flight",
                "mbsens: 1\n"
                "dimension: 3\n"
                "bodies: {A: {mass: 2, com: [0.1, 0.2, 0], inertia: [0.3, 0.5, 0.7], position: [-0.1, -0.2, 0],\n"
                "             points: {O: [0, 0, 0], C: [0.1, 0.2, 0]}}}\n"
                "initial:\n"
                "  independent:\n"
                "    - {coordinate: com(A).x, velocity: 0.3}\n"
                "    - {coordinate: com(A).y, velocity: -0.4}\n"
                "    - {coordinate: com(A).z, velocity: 0.5}\n"
                "    - {coordinate: roll(A), velocity: 1}\n"
                "    - {coordinate: pitch(A), velocity: 2}\n"
                "    - {coordinate: yaw(A), velocity: 3}\n"
                "objectives:\n"
                "  px: {final: momentum(A).x}\n  py: {final: momentum().y}\n  pz: {final: momentum().z}\n"
                "  x: {final: com().x}\n  y: {final: com(A).y}\n  z: {final: com().z}\n"
                "  hx: {final: angular_momentum(A).x}\n  hy: {final: angular_momentum(A).y}\n"
                "  hz: {final: angular_momentum(A).z}\n"
                "simulation: {end: 1, step: 0.002}\n");
  for (int c = 0; c < 2; ++c) {
    MbsResult *result = run(model, MBS_METHOD_NONE, both[c], 0);
    for (int i = 0; i < 6; ++i) {
      // natural coordinates keep it to rounding; the joint's place and Euler parameters, which are no linear functions
      // of the centre of mass, to h^2
      ENSURE_NEAR(result->values[i], expected[i], c == 0 ? 1e-9 : 1e-4);
    }
    // at the start J omega, in whose frame R = I and omega = [1, 2, 3]; the scheme keeps it to h^2
    ENSURE_NEAR(result->values[6], 0.3, 1e-4);
    ENSURE_NEAR(result->values[7], 1.0, 1e-4);
    ENSURE_NEAR(result->values[8], 2.1, 1e-4);
    mbs_result_destroy(result);
  }
  mbs_model_destroy(model);
}

// What a template says is meant in its own frame: of a mirrored assembly and of one that is placed elsewhere as well.
static void test_mirrored(void) {
  static const char *const mirrors[] = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k) {
    char text[4096];
    (void)snprintf(
        text, sizeof text,
        "mbsens: 1\n"
        "dimension: 3\n"
        "templates:\n"
        "  t:\n"
        "    coordinates: {q: {inertia: 1}}\n"
        "    ground: {points: {O: [0, 0, 0]}}\n"
        "    bodies: {arm: {mass: 2, com: [0.2, 0.1, 0.3], inertia: [0.2, 0.3, 0.4, 0.01, 0.02, 0.03],\n"
        "                   position: [0.1, 0.2, 0.3], rotation: [0.3, -0.5, 0.8], points: {B: [0, 0.3, 0]}}}\n"
        "    forces: [{spring: [ground.O, arm.B], stiffness: 50, length: 0.1, name: s},\n"
        "             {coordinate_force: q, value: 1 + rate(r(arm.B).x), name: f}]\n"
        "    initial: {independent: [{coordinate: roll(arm), velocity: 1}, {coordinate: r(arm.B).y, velocity: 2}]}\n"
        "    objectives:\n"
        "      a: {final: \"rotation(arm, 1, 2)\"}\n"
        "      b: {final: \"rotation(arm, 3, 1) + rotation(arm, 2, 2)\"}\n"
        "      c: {final: roll(arm)}\n      d: {final: pitch(arm)}\n      e: {final: yaw(arm)}\n"
        "      f: {final: \"euler(arm, 0)\"}\n      g: {final: \"euler(arm, 1)\"}\n"
        "      h: {final: \"euler(arm, 2)\"}\n      i: {final: \"euler(arm, 3)\"}\n"
        "      j: {final: \"dot(com(arm), [1, 2, 3])\"}\n"
        "      k: {final: \"dot(momentum(arm), [1, 2, 3])\"}\n"
        "      l: {integral: kinetic_energy(arm) + potential_energy(s) + power(s)}\n"
        "      m: {final: \"rate(r(arm.B).y + q)\"}\n"
        "      n: {final: acceleration(q)}\n"
        "assemblies: [{template: t, name: here}, {template: t, name: there, mirror: %s, at: [1, 2, 3]}]\n"
        "simulation: {end: 0.1, step: 0.01}\n",
        mirrors[k]);
    MbsModel *model = read_text(context, "mirrored", text);
    MbsResult *result = run(model, MBS_METHOD_NONE, "natural", 0);
    int half = result->objective_count / 2;
    ENSURE(half == 14);
    for (int i = 0; i < half; ++i) {
      ENSURE(fabs(result->values[i]) > 1e-3);
      ENSURE_NEAR(result->values[half + i], result->values[i], 1e-11);
    }
    mbs_result_destroy(result);
    mbs_model_destroy(model);
  }
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  test_in_space();
  test_in_plane();
  test_turns();
  test_balance();
  test_free_flight();
  test_mirrored();
  mbs_context_destroy(context);
  return 0;
}
