// One check per joint and force that does not come from the formulas of the library: closed solutions, or the equation
// of motion in one angle integrated here by Runge and Kutta's rule.
#include "closed_form.h"

static const double g = 9.81, quarter_turn = 1.5707963267948966;

// theta'' = -a sin(theta - offset) by the classical rule of order four with 20,000 steps: error below 1e-13
static void pendulum(double a, double offset, double theta, double omega, double end, double out[2]) {
  enum { STEPS = 20000 };
  double h = end / STEPS;
  for (int i = 0; i < STEPS; ++i) {
    double k1 = omega, l1 = -a * sin(theta - offset);
    double k2 = omega + h / 2 * l1, l2 = -a * sin(theta + h / 2 * k1 - offset);
    double k3 = omega + h / 2 * l2, l3 = -a * sin(theta + h / 2 * k2 - offset);
    double k4 = omega + h * l3, l4 = -a * sin(theta + h * k3 - offset);
    theta += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    omega += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  out[0] = theta;
  out[1] = omega;
}

#define START "mbsens: 1\n"

// ---- joints ----
// compound pendulum at a large amplitude: J theta'' = -m g d cos(theta), J = I + m d^2
static void check_revolute(void) {
  double m = 2, d = 0.5, I = 0.1, expected[2], bound[] = {2e-5, 1e-4};
  pendulum(m * g * d / (I + m * d * d), -quarter_turn, 0.8, 0.5, 2, expected);
  ensure_closed_form(
      "revolute",
      START
      "gravity: [0, -9.81]\n"
      "ground: {points: {O: [0.3, -0.2]}}\n"
      "bodies: {bar: {mass: 2, com: [0.5, 0], inertia: 0.1, points: {O: [0, 0], tip: [1, 0]}, angle: 0.8}}\n"
      "joints: [{revolute: [ground.O, bar.O]}]\n"
      "initial: {independent: [{coordinate: angle(bar), value: 0.8, velocity: 0.5}]}\n"
      "objectives: {theta: {final: angle(bar)}, omega: {final: omega(bar)}}\n"
      "simulation: {end: 2}\n",
      0.002, 2, expected, bound);
}

// a block on an incline of 0.3 rad slides s = g sin(0.3) t^2/2 and does not turn
static void check_prismatic_incline(void) {
  double s = g * sin(0.3) * 1.5 * 1.5 / 2;
  double expected[] = {0.1 - s * cos(0.3), 0.2 - s * sin(0.3), 0.3, -g * sin(0.3) * 1.5}, bound[] = {0, 0, 0, 0};
  ensure_closed_form("prismatic, incline",
                     START
                     "gravity: [0, -9.81]\n"
                     "ground: {points: {G: [0.1, 0.2]}}\n"
                     "bodies: {block: {mass: 3, com: [0.2, 0.1], inertia: 0.4, points: {Q: [0, 0]}, angle: 0.3}}\n"
                     "joints: [{prismatic: [ground.G, block.Q], axis: [cos(0.3), sin(0.3)], axis2: [1, 0]}]\n"
                     "initial: {independent: [{coordinate: r(Q).x, value: 0.1}]}\n"
                     "objectives: {x: {final: r(Q).x}, y: {final: r(Q).y}, angle: {final: angle(block)},\n"
                     "  v: {final: \"dot(v(Q), [cos(0.3), sin(0.3)])\"}}\n"
                     "simulation: {end: 1.5}\n",
                     0.01, 4, expected, bound);
}

// Two free bodies, one sliding in the other, held by a spring along the line through both centres of mass: their
// distance swings with the reduced mass, the common centre of mass does not move.
static void check_prismatic_between(void) {
  double mu = 2.0 * 0.5 / 2.5, w = sqrt(80 / mu), t = 0.9;
  double expected[] = {1 + 0.2 * cos(w * t), 0, -0.2 * w * sin(w * t), 0}, bound[] = {2e-5, 0, 2e-3, 0};
  ensure_closed_form(
      "prismatic, between",
      START
      "bodies:\n"
      "  shell: {mass: 2, com: [0, 0], inertia: 0.3, points: {A: [0, 0]}, position: [0, 0], angle: 0.4}\n"
      "  slug: {mass: 0.5, com: [0, 0], inertia: 0.02, points: {N: [0, 0]}, position: [1.1, 0.46], angle: 0.4}\n"
      "joints: [{prismatic: [shell.A, slug.N], axis: [1, 0]}]\n"
      "forces: [{spring: [shell.A, slug.N], stiffness: 80, length: 1}]\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: r(A).x, value: 0}\n"
      "    - {coordinate: r(A).y, value: 0}\n"
      "    - {coordinate: angle(shell), value: 0.4}\n"
      "    - {coordinate: \"distance(A, N)\", value: 1.2}\n"
      "objectives:\n"
      "  gap: {final: \"distance(A, N)\"}\n"
      "  centre: {final: 2*r(A).x + 0.5*r(N).x - 0.5*1.2*cos(0.4)}\n"
      "  rate: {final: \"dot(v(N) - v(A), [cos(0.4), sin(0.4)])\"}\n"
      "  turn: {final: angle(slug) - 0.4}\n"
      "simulation: {end: 0.9}\n",
      0.002, 4, expected, bound);
}

// The same pair spinning, without a spring: momentum and angular momentum about the centre of mass are kept, and so is
// the kinetic energy. At a start with omega and a rate of the distance s: L = (I1 + I2 + mu s^2) omega,
// 2 T = mu s'^2 + (I1 + I2 + mu s^2) omega^2.
static void check_prismatic_spinning(void) {
  double mu = 2.0 * 0.5 / 2.5, I = 0.32, s = 0.8, rate = 0.3, omega = 1.7;
  double J = I + mu * s * s;
  double expected[] = {J * omega, mu * rate * rate + J * omega * omega, 0, 0};
  double bound[] = {5e-7, 1e-7, 0, 2e-6};
  ensure_closed_form(
      "prismatic, spinning",
      START
      "bodies:\n"
      "  shell: {mass: 2, com: [0, 0], inertia: 0.3, points: {A: [0, 0]}, position: [0, 0], angle: 0.4}\n"
      "  slug: {mass: 0.5, com: [0, 0], inertia: 0.02, points: {N: [0, 0]}, position: [0.74, 0.31], angle: 0.4}\n"
      "joints: [{prismatic: [shell.A, slug.N], axis: [1, 0]}]\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: 2*r(A).x + 0.5*r(N).x, value: 0}\n"
      "    - {coordinate: 2*r(A).y + 0.5*r(N).y, value: 0}\n"
      "    - {coordinate: angle(shell), value: 0.4, velocity: 1.7}\n"
      "    - {coordinate: \"distance(A, N)\", value: 0.8, velocity: 0.3}\n"
      "objectives:\n"
      "  angular: {final: \"2*cross(r(A), v(A)) + 0.5*cross(r(N), v(N)) + 0.32*omega(shell)\"}\n"
      "  energy: {final: \"2*dot(v(A), v(A)) + 0.5*dot(v(N), v(N)) + 0.3*omega(shell)^2 + 0.02*omega(slug)^2\"}\n"
      "  momentum: {final: 2*v(A).x + 0.5*v(N).x}\n"
      "  turn: {final: \"cross(r(N) - r(A), [cos(angle(slug)), sin(angle(slug))])\"}\n"
      "simulation: {end: 1}\n",
      0.002, 4, expected, bound);
}

// two bars welded at a right angle swing as one body: m g (xi, eta) in the axes of the first, J about the pivot
static void check_fixed(void) {
  double m1 = 1.5, m2 = 0.8, I1 = 0.12, I2 = 0.03, weld = 1.1, expected[2], bound[] = {1e-5, 2e-4};
  double x2 = 0.9 + 0.25 * cos(weld), y2 = 0.25 * sin(weld);
  double xi = m1 * 0.4 + m2 * x2, eta = m2 * y2;
  double J = I1 + m1 * 0.16 + I2 + m2 * (x2 * x2 + y2 * y2);
  // torque -g (xi cos + eta (-sin)) = -g |.| sin(theta - offset), offset = -pi/2 - atan2(eta, xi)
  pendulum(g * hypot(xi, eta) / J, -quarter_turn - atan2(eta, xi), 0.3, 1, 2, expected);
  ensure_closed_form("fixed",
                     START
                     "gravity: [0, -9.81]\n"
                     "ground: {points: {O: [0, 0]}}\n"
                     "bodies:\n"
                     "  one: {mass: 1.5, com: [0.4, 0], inertia: 0.12, points: {O: [0, 0], F: [0.9, 0]}, angle: 0.3}\n"
                     "  two: {mass: 0.8, com: [0.25, 0], inertia: 0.03, points: {F: [0, 0], G: [0.5, 0]}, angle: 1.4}\n"
                     "joints: [{revolute: [ground.O, one.O]}, {fixed: [one.F, two.F], angle: 1.1}]\n"
                     "initial: {independent: [{coordinate: angle(one), value: 0.3, velocity: 1}]}\n"
                     "objectives: {theta: {final: angle(two) - 1.1}, omega: {final: omega(two)}}\n"
                     "simulation: {end: 2}\n",
                     0.002, 2, expected, bound);
}

// a point mass on a string of 0.7 m: l theta'' = -g cos(theta)
static void check_distance(void) {
  double expected[2], bound[] = {1e-5, 1e-5};
  pendulum(g / 0.7, -quarter_turn, -0.2, 0.4, 2, expected);
  ensure_closed_form(
      "distance",
      START
      "gravity: [0, -9.81]\n"
      "ground: {points: {O: [0, 0]}}\n"
      "bodies: {bob: {mass: 0.6, points: {W: [0, 0]}}}\n"
      "joints: [{distance: [ground.O, bob.W], length: 0.7}]\n"
      "initial: {points: {W: [0.68, -0.13]}, independent: [{coordinate: \"angle(O, W)\", value: -0.2, velocity: "
      "0.4}]}\n"
      "objectives: {theta: {final: \"angle(O, W)\"}, omega: {final: \"cross(r(W), v(W))/0.49\"}}\n"
      "simulation: {end: 2}\n",
      0.002, 2, expected, bound);
}

// ---- forces ----
// damped oscillation x = e^(-z t) (A cos(w t) + B sin(w t))
static void damped(double m, double k, double c, double x0, double v0, double t, double out[2]) {
  double z = c / (2 * m), w = sqrt(k / m - z * z), B = (v0 + z * x0) / w;
  double e = exp(-z * t);
  out[0] = e * (x0 * cos(w * t) + B * sin(w * t));
  out[1] = -z * out[0] + e * w * (B * cos(w * t) - x0 * sin(w * t));
}

static void check_spring(void) {
  double expected[2], bound[] = {2e-5, 5e-5};
  damped(0.8, 50, 1.1, 0.3, -0.4, 1.7, expected);
  static const char *const forces[] = {"{spring: [ground.O, bob.W], stiffness: 50, damping: 1.1, length: 1}",
                                       "{spring: [bob.W, ground.O], law: 50*(length - 1) + 1.1*rate}"};
  for (int i = 0; i < 2; ++i) {  // constants, and a law of the same
    char text[1024];
    (void)snprintf(text, sizeof text,
                   START
                   "ground: {points: {O: [0, 0]}}\n"
                   "bodies: {bob: {mass: 0.8, points: {W: [0, 0]}}}\n"
                   "forces: [%s]\n"
                   "initial:\n"
                   "  points: {W: [1.3, 0]}\n"
                   "  independent: [{coordinate: r(W).x, value: 1.3, velocity: -0.4}, {coordinate: r(W).y, value: 0}]\n"
                   "objectives: {x: {final: r(W).x - 1}, v: {final: v(W).x}}\n"
                   "simulation: {end: 1.7}\n",
                   forces[i]);
    ensure_closed_form(i ? "spring, law" : "spring", text, 0.002, 2, expected, bound);
  }
}

// a disc on its centre of mass winds up to 20 rad, three turns either way, and back
static void check_torsional_spring(void) {
  double expected[2], bound[] = {5e-3, 2e-2};
  double omega0 = 20 * sqrt(6 / 0.15);
  damped(0.15, 6, 0.06, 0.5 - 0.2, omega0, 1.9, expected);
  expected[0] += 0.2;
  static const char *const forces[] = {"{torsional_spring: [ground, disc], stiffness: 6, damping: 0.06, angle: 0.2}",
                                       "{torsional_spring: [disc, ground], law: 6*(angle + 0.2) + 0.06*rate}"};
  for (int i = 0; i < 2; ++i) {
    char text[1024];
    (void)snprintf(text, sizeof text,
                   START
                   "gravity: [0, -9.81]\n"
                   "ground: {points: {O: [0, 0]}}\n"
                   "bodies: {disc: {mass: 0.8, inertia: 0.15, points: {O: [0, 0], E: [0.4, 0.1]}, angle: 0.5}}\n"
                   "joints: [{revolute: [ground.O, disc.O]}]\n"
                   "forces: [%s]\n"
                   "initial: {independent: [{coordinate: angle(disc), value: 0.5, velocity: %.17g}]}\n"
                   "objectives: {theta: {final: angle(disc)}, omega: {final: omega(disc)}}\n"
                   "simulation: {end: 1.9}\n",
                   forces[i], omega0);
    ensure_closed_form(i ? "torsional spring, law" : "torsional spring", text, 0.00025, 2, expected, bound);
  }
}

// m x'' = F cos(w t) from rest: x = F/(m w^2) (1 - cos(w t)); a constant force in y
static void check_point_force(void) {
  double m = 1.3, F = 4, w = 3, t = 1.9;
  double expected[] = {F / (m * w * w) * (1 - cos(w * t)), 2.6 / m * t * t / 2, F / (m * w) * sin(w * t), 2.6 / m * t};
  double bound[] = {2e-6, 0, 2e-6, 0};
  ensure_closed_form(
      "point force",
      START
      "bodies: {bob: {mass: 1.3, points: {W: [0, 0]}}}\n"
      "forces: [{point_force: bob.W, value: [4*cos(3*t), 2.6]}]\n"
      "initial: {points: {W: [0, 0]}, independent: [{coordinate: r(W).x, value: 0}, {coordinate: r(W).y, value: 0}]}\n"
      "objectives: {x: {final: r(W).x}, y: {final: r(W).y}, vx: {final: v(W).x}, vy: {final: v(W).y}}\n"
      "simulation: {end: 1.9}\n",
      0.002, 4, expected, bound);
}

// ---- bodies ----
// Free flight: the centre of mass C goes along a parabola (exactly), the body spins at a constant rate, here ten turns.
// The body stands on two points of its own, or on a point and a vector.
static void check_flight(void) {
  double t = 1.5, omega = 42;
  double expected[] = {0.2 + 1.1 * t, 0.4 + 2 * t - g * t * t / 2, 0.3 + omega * t, omega};
  double bound[] = {0, 0, 2e-3, 0};
  static const char *const points[] = {"P: [-0.1, 0.2], Q: [0.7, 0.1], C: [0.3, -0.05]", "C: [0.3, -0.05]"};
  for (int i = 0; i < 2; ++i) {
    char text[1024];
    (void)snprintf(text, sizeof text,
                   START
                   "gravity: [0, -9.81]\n"
                   "bodies: {body: {mass: 2.2, com: [0.3, -0.05], inertia: 0.4, points: {%s}, position: [-0.1, 0.4],\n"
                   "  angle: 0.3}}\n"
                   "initial:\n"
                   "  independent:\n"
                   "    - {coordinate: r(C).x, value: 0.2, velocity: 1.1}\n"
                   "    - {coordinate: r(C).y, value: 0.4, velocity: 2}\n"
                   "    - {coordinate: angle(body), value: 0.3, velocity: 42}\n"
                   "objectives: {x: {final: r(C).x}, y: {final: r(C).y}, turn: {final: angle(body)},\n"
                   "  spin: {final: omega(body)}}\n"
                   "simulation: {end: 1.5}\n",
                   points[i]);
    ensure_closed_form(i ? "flight, point, vector" : "flight, two points", text, 0.0005, 4, expected, bound);
  }
}

// A body without points (it stands on its centre of mass and its x axis) at rest, as placed: a torsional spring swings
// it about 1.3 rad while it falls.
static void check_body_without_points(void) {
  double w = sqrt(2 / 0.4), t = 1.5;
  double expected[] = {1.3 - cos(w * t), w * sin(w * t)}, bound[] = {5e-6, 5e-6};
  ensure_closed_form("body without points",
                     START
                     "gravity: [0, -9.81]\n"
                     "bodies: {body: {mass: 2.2, com: [0.3, -0.05], inertia: 0.4, position: [-0.1, 0.4], angle: 0.3}}\n"
                     "forces: [{torsional_spring: [ground, body], stiffness: 2, angle: 1.3}]\n"
                     "objectives: {turn: {final: angle(body)}, spin: {final: omega(body)}}\n"
                     "simulation: {end: 1.5}\n",
                     0.002, 2, expected, bound);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_revolute();
  check_prismatic_incline();
  check_prismatic_between();
  check_prismatic_spinning();
  check_fixed();
  check_distance();
  check_spring();
  check_torsional_spring();
  check_point_force();
  check_flight();
  check_body_without_points();
  mbs_context_destroy(context);
  return 0;
}
