// Bodies, joints and forces in space against closed solutions, or against the equation of motion in one or three
// unknowns integrated here by Runge and Kutta's rule: nothing comes from the formulas of the library.
// closed_form.h says what is asked: second order, and a bound, a few times the largest error seen in the motion.
//
// Seen to fail with a planted error: off-diagonal inertia with the other sign, a rod with its mass for its inertia,
// half the generalised force of a torque, the offset of a plane left out, y for the normal of a fixed joint, the second
// arm of a cross taken from the first, a row of planar, cylindrical and prismatic joints left out.
#include "closed_form.h"

static const double g = 9.81;

enum { TEXT = 3000 };

#define START "mbsens: 1\ndimension: 3\n"

// A body with its centre of mass at O and points X, Y, Z one metre along its axes, turned by theta about y. Starts with
// e3' = (0, v3, 0) and e1'.y = spin.
#define TURNED_BODY                                                                                            \
  "bodies: {top: {mass: %.17g, com: [0, 0, %.17g], inertia: [%.17g, %.17g, %.17g], rotation: [0, %.17g, 0],\n" \
  "  position: [0, 0, 0], points: {O: [0, 0, 0], X: [1, 0, 0], Y: [0, 1, 0], Z: [0, 0, 1]}}}\n"
#define TURNED_START                                        \
  "    - {coordinate: r(Z).x, value: %.17g}\n"              \
  "    - {coordinate: r(Z).y, value: 0, velocity: %.17g}\n" \
  "    - {coordinate: r(X).y, value: 0, velocity: %.17g}\n"
#define FLOATING                           \
  "    - {coordinate: r(O).x, value: 0}\n" \
  "    - {coordinate: r(O).y, value: 0}\n" \
  "    - {coordinate: r(O).z, value: 0}\n"

// ---- bodies ----
// Free symmetric top, moments A, A, C: with the angular momentum L along z, the axis e3 goes round z at the rate L/A
// (Poinsot), and omega = L cos(theta)/C e3 + L/A (z - cos(theta) e3).
static void check_symmetric_top(void) {
  double A = 0.2, C = 0.3, L = 0.8, theta = 0.6, end = 1.3, phi = L / A * end;
  double expected[] = {sin(theta) * cos(phi), sin(theta) * sin(phi),
                       L * (cos(theta) * cos(theta) / C + sin(theta) * sin(theta) / A)};
  double bound[] = {4e-6, 4e-6, 4e-6};
  char text[TEXT];
  (void)snprintf(text, sizeof text,
                 START TURNED_BODY "initial:\n  independent:\n" FLOATING TURNED_START
                                   "objectives: {x: {final: r(Z).x}, y: {final: r(Z).y}, spin: {final: omega(top).z}}\n"
                                   "simulation: {end: 1.3}\n",
                 1.7, 0.0, A, A, C, theta, sin(theta), L / A * sin(theta), L * cos(theta) / C);
  ensure_closed_form("free symmetric top", text, 0.001, 3, expected, bound);
}

// Euler's equations without torque: I1 w1' = (I2 - I3) w2 w3 and so on
static void euler(const double *I, const double *w, double *rate) {
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    rate[i] = (I[j] - I[k]) * w[j] * w[k] / I[i];
  }
}

#define RATE(axis) "dot(omega(top), r(" axis ") - r(O))"
#define MOMENTUM \
  "(0.2*" RATE("X") "*(r(X) - r(O)) + 0.35*" RATE("Y") "*(r(Y) - r(O)) + 0.45*" RATE("Z") "*(r(Z) - r(O)))"

// Free asymmetric top, spun near its middle axis, which is unstable: it tumbles. At the start, turned by theta about y,
// e1 = (c, 0, -s), e2 = y, e3 = (s, 0, c), so e3' = (w2 c, -w1, -w2 s) and e1'.y = w3.
static void check_asymmetric_top(void) {
  const double I[] = {0.2, 0.35, 0.45}, start[] = {0.25, 2.5, -0.2};
  double theta = 0.6, end = 2.8, w[3] = {start[0], start[1], start[2]}, momentum[3];
  const double axes[3][3] = {{cos(theta), 0, -sin(theta)}, {0, 1, 0}, {sin(theta), 0, cos(theta)}};
  for (int k = 0; k < 3; ++k) {
    momentum[k] = I[0] * start[0] * axes[0][k] + I[1] * start[1] * axes[1][k] + I[2] * start[2] * axes[2][k];
  }
  integrate(euler, I, 3, end, w);
  ENSURE(w[1] < 0);  // it has turned over
  static const char *const objectives[] = {
      "w1: {final: \"" RATE("X") "\"}, w2: {final: \"" RATE("Y") "\"}, w3: {final: \"" RATE("Z") "\"}",
      "Lx: {final: \"" MOMENTUM ".x\"}, Ly: {final: \"" MOMENTUM ".y\"}, Lz: {final: \"" MOMENTUM
      ".z\"}, "
      "E: {final: \"0.1*" RATE("X") "^2 + 0.175*" RATE("Y") "^2 + 0.225*" RATE("Z") "^2\"}"};
  double energy = 0;
  for (int i = 0; i < 3; ++i) {
    energy += I[i] * start[i] * start[i] / 2;
  }
  double expected[2][MOST] = {{w[0], w[1], w[2]}, {momentum[0], momentum[1], momentum[2], energy}};
  double bound[MOST] = {4e-6, 4e-6, 4e-6, 4e-6};
  for (int i = 0; i < 2; ++i) {
    char text[TEXT];
    (void)snprintf(text, sizeof text,
                   START TURNED_BODY "initial:\n  independent:\n" FLOATING
                                     "    - {coordinate: r(Z).x, value: %.17g, velocity: %.17g}\n"
                                     "    - {coordinate: r(Z).y, value: 0, velocity: %.17g}\n"
                                     "    - {coordinate: r(X).y, value: 0, velocity: %.17g}\n"
                                     "objectives: {%s}\nsimulation: {end: 2.8}\n",
                   1.7, 0.0, I[0], I[1], I[2], theta, sin(theta), start[1] * cos(theta), -start[0], start[2],
                   objectives[i]);
    ensure_closed_form(i ? "asymmetric top: L, E" : "asymmetric top", text, 0.001, i ? 4 : 3, expected[i], bound);
  }
}

// ---- joints ----
// Heavy top on a spherical joint, A about the pivot, centre of mass at d e3: steady precession at the rate p needs the
// spin w3 with m g d = C w3 p - A p^2 cos(theta).
static void check_spherical(void) {
  double m = 1.7, d = 0.4, I1 = 0.05, C = 0.08, A = I1 + m * d * d, theta = 0.7, p = 3, end = 1.1;
  double w3 = (m * g * d + A * p * p * cos(theta)) / (C * p);
  double expected[] = {sin(theta) * cos(p * end), sin(theta) * sin(p * end)}, bound[] = {2e-4, 2e-4};
  char text[TEXT];
  (void)snprintf(text, sizeof text,
                 START TURNED_BODY
                 "gravity: [0, 0, -9.81]\nground: {points: {O: [0, 0, 0]}}\n"
                 "joints: [{spherical: [ground.O, top.O]}]\n"
                 "initial:\n  independent:\n" TURNED_START
                 "objectives: {x: {final: r(Z).x}, y: {final: r(Z).y}}\nsimulation: {end: 1.1}\n",
                 m, d, I1, I1, C, theta, sin(theta), p * sin(theta), w3);
  ensure_closed_form("spherical: heavy top", text, 0.0005, 2, expected, bound);
}

// Conical pendulum of length l at the angle alpha: a bob on a string goes round at p^2 = g/(l cos(alpha)) with the
// tension m g/cos(alpha) = 2 l lambda (Phi = d.d - l^2); a thin rod, of moment m l^2/3 about its end, at p^2 = 3 g/(2 l
// cos(alpha)).
static void check_conical(void) {
  double l = 0.8, alpha = 0.5, m = 0.6, end = 2;
  static const char *const bobs[] = {
      "bodies: {bob: {mass: 0.6, points: {W: [0, 0, 0]}}}\njoints: [{distance: [ground.O, bob.W], name: string, "
      "length: 0.8}]\n",
      "bodies: {bob: {mass: 0.6, com: [0.4, 0, 0], inertia: 0.6*0.64/12, points: {O: [0, 0, 0], W: [0.8, 0, 0]}}}\n"
      "joints: [{spherical: [ground.O, bob.O]}]\n"};
  static const char *const reaction[] = {", tension: {final: \"1.6*lambda(string)\"}", ""};
  for (int i = 0; i < 2; ++i) {
    double p = sqrt((i ? 1.5 : 1) * g / (l * cos(alpha)));
    double expected[] = {l * sin(alpha) * cos(p * end), l * sin(alpha) * sin(p * end), m * g / cos(alpha)};
    double bound[] = {5e-6, 5e-6, 0};
    char text[TEXT];
    (void)snprintf(
        text, sizeof text,
        START
        "gravity: [0, 0, -9.81]\nground: {points: {O: [0, 0, 0]}}\n%s"
        "initial:\n"
        "  points: {W: [%.17g, 0, %.17g]}\n"
        "  independent: [{coordinate: r(W).x, value: %.17g}, {coordinate: r(W).y, value: 0, velocity: %.17g}]\n"
        "objectives: {x: {final: r(W).x}, y: {final: r(W).y}%s}\nsimulation: {end: 2}\n",
        bobs[i], l * sin(alpha), -l * cos(alpha), l * sin(alpha), p * l * sin(alpha), reaction[i]);
    ensure_closed_form(i ? "conical: thin rod" : "conical: string", text, 0.001, i ? 2 : 3, expected, bound);
  }
}

// theta'' = -a sin(theta)
static void swing(const double *a, const double *y, double *rate) {
  rate[0] = y[1];
  rate[1] = -*a * sin(y[0]);
}

// A body on the axis u = (0, c, s), its centre of mass off the axis by d in the direction (0, s, -c), which hangs
// lowest, and 0.1 m along it: J theta'' = -m g c d sin(theta), J = u' I u + m d^2. Alone, then with a second body
// welded on at (0.1, 0.2, -0.3), turned by 0.9 about the first one's x axis, which takes part by the same rule.
static void check_revolute(bool has_weld) {
  double tau = 0.4, c = cos(tau), s = sin(tau), d = 0.35, m = 1.4, theta0 = 1.1, end = 2;
  double J = 0.06 * c * c + 0.05 * s * s + 2 * 0.007 * c * s + m * d * d, x = 0, z = m * d;  // first moments
  if (has_weld) {
    // the second body's centre of mass P + 0.2 X, X its x axis = that of the first; its y axis Y = (0, cos, sin) of 0.9
    double m2 = 0.5, r[3] = {0.3, 0.2, -0.3}, uy = c * cos(0.9) + s * sin(0.9), uz = s * cos(0.9) - c * sin(0.9);
    double along = r[1] * c + r[2] * s, low = r[1] * s - r[2] * c;
    ENSURE_NEAR(r[1] * r[1] + r[2] * r[2], along * along + low * low, 1e-15);
    J += 0.02 * uy * uy + 0.025 * uz * uz + m2 * (r[0] * r[0] + low * low);
    x += m2 * r[0];
    z += m2 * low;
  }
  // the angle goes from the lowest direction towards u x (0, s, -c) = -x, by the right hand about u
  double offset = atan2(-x, z), a = g * c * hypot(x, z) / J;
  double y[] = {theta0 + offset, 0.3}, bound[] = {1e-5, 1e-4};
  integrate(swing, &a, 2, end, y);
  double expected[] = {y[0] - offset, y[1]};
  char text[TEXT];
  (void)snprintf(
      text, sizeof text,
      START
      "gravity: [0, 0, -9.81]\nground: {points: {O: [0.2, 0.1, 0.3]}}\n"
      "bodies:\n"
      "  body: {mass: 1.4, com: [0, %.17g, %.17g], inertia: [0.08, 0.06, 0.05, 0.003, -0.002, 0.007],\n"
      "    points: {O: [0, 0, 0], P: [0.1, 0.2, -0.3]}}\n"
      "%s\njoints:\n  - {revolute: [ground.O, body.O], name: hinge, axis: [0, %.17g, %.17g]}\n%s"
      "initial: {independent: [{coordinate: angle(hinge), value: 1.1, velocity: 0.3}]}\n"
      "objectives: {angle: {final: angle(hinge)}, rate: {final: \"dot(omega(body), [0, %.17g, %.17g])\"}}\n"
      "simulation: {end: 2}\n",
      d * s + 0.1 * c, -d * c + 0.1 * s,
      has_weld ? "  weld: {mass: 0.5, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.025], points: {P: [0, 0, 0]},\n"
                 "    rotation: [0.9, 0, 0]}\n"
               : "",
      c, s, has_weld ? "  - {fixed: [body.P, weld.P], x_axis: [1, 0, 0], y_axis: [0, cos(0.9), sin(0.9)]}\n" : "", c,
      s);
  ensure_closed_form(has_weld ? "fixed" : "revolute, tilted axis", text, 0.002, 2, expected, bound);
}

// Two shafts at the angle beta, arms u1 in their plane at theta = 0: w2/w1 = cos(beta)/(1 - sin^2(beta) cos^2(theta));
// with the energy J1 w1^2 + J2 w2^2 constant that is one equation for theta.
static double ratio(double theta) {
  double c = cos(0.5), s = sin(0.5);
  return c / (1 - s * s * cos(theta) * cos(theta));
}

static void shafts(const double *energy, const double *theta, double *rate) {
  double k = ratio(*theta);
  *rate = sqrt(*energy / (0.02 + 0.05 * k * k));
}

static void check_universal(void) {
  double start = 0.2, w1 = 5, k = ratio(start), energy = w1 * w1 * (0.02 + 0.05 * k * k), theta = start, end = 2;
  integrate(shafts, &energy, 1, end, &theta);
  shafts(&energy, &theta, &w1);
  double expected[] = {theta, w1, ratio(theta) * w1}, bound[] = {3e-5, 3e-5, 3e-5};
  ensure_closed_form(
      "universal",
      START
      "ground: {points: {O: [0, 0, 0]}}\n"
      "bodies:\n"
      "  one: {mass: 1, com: [-0.2, 0, 0], inertia: [0.02, 0.03, 0.03], points: {O: [0, 0, 0]}}\n"
      "  two: {mass: 1, com: [0.2, 0, 0], inertia: [0.05, 0.04, 0.04], points: {O: [0, 0, 0], T: [0.5, 0, 0]},\n"
      "    rotation: [0, 0, 0.5]}\n"
      "joints:\n"
      "  - {revolute: [ground.O, one.O], name: shaft, axis: [1, 0, 0]}\n"
      "  - {universal: [one.O, two.O], axis: [0, 1, 0], axis2: [0, 0, 1]}\n"
      "  - {point_on_line: [ground.O, two.T], axis: [cos(0.5), sin(0.5), 0]}\n"
      "initial: {independent: [{coordinate: angle(shaft), value: 0.2, velocity: 5}]}\n"
      "objectives: {theta: {final: angle(shaft)}, w1: {final: omega(one).x},\n"
      "  w2: {final: \"dot(omega(two), [cos(0.5), sin(0.5), 0])\"}}\n"
      "simulation: {end: 2}\n",
      0.001, 3, expected, bound);
}

// A block slides down the line u = (2, 1, -2)/3: s'' = g.u. Its centre of mass is off the line, but it does not turn.
static void check_prismatic(void) {
  double t = 1.5, a = g * 2 / 3;
  double expected[] = {0.3 - 0.7 * t + a * t * t / 2, a, 0}, bound[] = {0, 0, 0};
  ensure_closed_form("prismatic",
                     START
                     "gravity: [0, 0, -9.81]\nground: {points: {G: [0.1, 0.2, 0.3]}}\n"
                     "bodies: {block: {mass: 2, com: [0.2, 0.1, 0.3], inertia: [0.1, 0.2, 0.15, 0.01, 0.02, -0.03],\n"
                     "  points: {N: [0, 0, 0], E: [0.4, 0.3, -0.2]}}}\n"
                     "joints: [{prismatic: [ground.G, block.N], name: line, axis: [2, 1, -2]}]\n"
                     "initial: {independent: [{coordinate: slide(line), value: 0.3, velocity: -0.7}]}\n"
                     "objectives: {slide: {final: slide(line)}, a: {final: \"dot(a(E), [2, 1, -2])/3\"},\n"
                     "  turn: {final: \"norm(cross(r(E) - r(N), [0.4, 0.3, -0.2]))\"}}\n"
                     "simulation: {end: 1.5}\n",
                     0.01, 3, expected, bound);
}

// The same line with its centre of mass on it: it slides as before, and N = 0.6 u turns it with u' I u.
static void check_cylindrical(void) {
  double t = 1.5, a = g * 2 / 3, I = (4 * 0.1 + 0.2 + 4 * 0.15 + 2 * (2 * 0.01 - 4 * 0.02 + 2 * 0.01)) / 9;
  double expected[] = {0.3 - 0.7 * t + a * t * t / 2, 0.4 + 9 * t + 0.6 / I * t * t / 2, 9 + 0.6 / I * t};
  double bound[] = {0, 1e-4, 2e-4};
  ensure_closed_form("cylindrical",
                     START
                     "gravity: [0, 0, -9.81]\nground: {points: {G: [0.1, 0.2, 0.3]}}\n"
                     "bodies: {block: {mass: 2, com: [0.2, 0.1, -0.2], inertia: [0.1, 0.2, 0.15, 0.01, 0.02, -0.01],\n"
                     "  points: {N: [0, 0, 0], E: [0.4, 0.3, -0.2]}}}\n"
                     "joints: [{cylindrical: [ground.G, block.N], name: line, axis: [2, 1, -2]}]\n"
                     "forces: [{torque: block, value: [0.4, 0.2, -0.4]}]\n"
                     "initial:\n"
                     "  independent:\n"
                     "    - {coordinate: slide(line), value: 0.3, velocity: -0.7}\n"
                     "    - {coordinate: angle(line), value: 0.4, velocity: 9}\n"
                     "objectives: {slide: {final: slide(line)}, turn: {final: angle(line)},\n"
                     "  spin: {final: \"dot(omega(block), [2, 1, -2])/3\"}}\n"
                     "simulation: {end: 1.5}\n",
                     0.0005, 3, expected, bound);
}

// A plate in a plane normal to u, at the height of its centre of mass C: C'' = g - (g.u) u, and it spins at a constant
// rate; E is half a metre from C, so it moves on a circle about it.
static void check_planar(void) {
  double t = 1.2, a = -g * -2 / 3;  // g.u
  double expected[] = {0.4 * t - a * 2 / 3 * t * t / 2, 0.3 * t - a / 3 * t * t / 2, 7, 0.5 * cos(7 * t)};
  double bound[] = {0, 0, 0, 5e-5};
  // in the plane: p = (1, 2, 2)/3, and u x p = (2, -2, 1)/3; C' = (0.4, 0.3, 0.55) is normal to u
  ensure_closed_form(
      "planar",
      START
      "gravity: [0, 0, -9.81]\nground: {points: {S: [0, 0, 0]}}\n"
      "bodies: {plate: {mass: 2, inertia: [0.1, 0.1, 0.15], points: {C: [0, 0, 0], E: [1/6, 1/3, 1/3]}}}\n"
      "joints: [{planar: [ground.S, plate.C], normal: [2, 1, -2]}]\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: r(C).x, value: 0, velocity: 0.4}\n"
      "    - {coordinate: r(C).y, value: 0, velocity: 0.3}\n"
      "    - {coordinate: \"dot(r(E) - r(C), [2, -2, 1])\", value: 0, velocity: 0.5*3*7}\n"
      "objectives: {x: {final: r(C).x}, y: {final: r(C).y}, spin: {final: \"dot(omega(plate), [2, 1, -2])/3\"},\n"
      "  turn: {final: \"dot(r(E) - r(C), [1, 2, 2])/3\"}}\n"
      "simulation: {end: 1.2}\n",
      0.002, 4, expected, bound);
}

// A bead in a plane, 0.2 m from the point that says where the plane is: it falls in the plane, which carries its weight
// along the normal: lambda n + m a = m g, lambda = m g.n. A second bead on a line: s'' = g.u.
static void check_point_on_plane_and_line(void) {
  double t = 1.2, a = g * 2 / 3;  // g.n and g.u
  double expected[] = {0.2 * 2 / 3 + 0.1 - a * 2 / 3 * t * t / 2, 0.7 * a, 0.2, 0.5 + 0.6 * t + a * t * t / 2};
  double bound[] = {0, 0, 0, 0};
  ensure_closed_form(
      "point on plane, line",
      START
      "gravity: [0, 0, -9.81]\nground: {points: {S: [0.1, 0, 0]}}\n"
      "bodies: {bead: {mass: 0.7, points: {A: [0, 0, 0]}, position: [0.2333333333333333, 0.0667, -0.1333]},\n"
      "  pearl: {mass: 0.5, points: {B: [0, 0, 0]}, position: [0.4, 0.1, -0.3]}}\n"
      "joints:\n"
      "  - {point_on_plane: [ground.S, bead.A], name: plane, normal: [2, 1, -2], offset: 0.2}\n"
      "  - {point_on_line: [ground.S, pearl.B], name: line, axis: [2, 1, -2]}\n"
      "initial:\n"
      "  independent:\n"
      "    - {coordinate: r(A).x, value: 0.1 + 0.4/3}\n"
      "    - {coordinate: r(A).y, value: 0.2/3}\n"
      "    - {coordinate: \"dot(r(B) - r(S), [2, 1, -2])/3\", value: 0.5, velocity: 0.6}\n"
      "objectives: {x: {final: r(A).x}, load: {final: lambda(plane)}, height: {final: \"dot(r(A) - r(S), [2, 1, "
      "-2])/3\"},\n"
      "  slide: {final: \"dot(r(B) - r(S), [2, 1, -2])/3\"}}\n"
      "simulation: {end: 1.2}\n",
      0.01, 4, expected, bound);
}

// ---- forces ----
// N cos(w t) about x, a principal axis of a free body turned by 0.6 about y beforehand: its own axis is (c, 0, -s).
// omega = N/(I w) sin(w t), angle = N/(I w^2) (1 - cos(w t)): here almost a whole turn.
static void check_torque(void) {
  double N = 3, w = 2, I = 0.2, t = 1.4, phi = N / (I * w * w) * (1 - cos(w * t));
  double expected[] = {cos(phi), N / (I * w) * sin(w * t), N / I * cos(w * t)}, bound[] = {1e-5, 3e-5, 2e-4};
  char text[TEXT];
  (void)snprintf(
      text, sizeof text,
      START TURNED_BODY
      "forces: [{torque: top, value: \"[cos(0.6), 0, -sin(0.6)]*3*cos(2*t)\"}]\n"
      "initial:\n  independent:\n" FLOATING TURNED_START
      "objectives: {y: {final: r(Y).y - r(O).y}, rate: {final: \"dot(omega(top), [cos(0.6), 0, -sin(0.6)])\"},\n"
      "  change: {final: \"dot(alpha(top), [cos(0.6), 0, -sin(0.6)])\"}}\n"
      "simulation: {end: 1.4}\n",
      1.7, 0.0, I, 0.35, 0.45, 0.6, sin(0.6), 0.0, 0.0);
  ensure_closed_form("torque", text, 0.002, 3, expected, bound);
}

// A wheel on a tilted axis u = (2, 1, -2)/3 through its centre of mass winds up to 20 rad, three turns either way, and
// back, with damping: x = e^(-z t) (A cos(w t) + B sin(w t)).
static void check_torsional_spring(void) {
  double I = 0.15, k = 6, c = 0.06, x0 = 0.3, v0 = 20 * sqrt(k / I), t = 1.9;
  double z = c / (2 * I), w = sqrt(k / I - z * z), B = (v0 + z * x0) / w, e = exp(-z * t);
  double x = e * (x0 * cos(w * t) + B * sin(w * t)), v = -z * x + e * w * (B * cos(w * t) - x0 * sin(w * t));
  double expected[] = {x + 0.2, v}, bound[] = {1e-3, 1e-3};
  static const char *const forces[] = {
      "{torsional_spring: [ground, disc], stiffness: 6, damping: 0.06, angle: 0.2, axis: [2, 1, -2]}",
      "{torsional_spring: [disc, ground], law: 6*(angle + 0.2) + 0.06*rate, axis: [2, 1, -2]}"};
  for (int i = 0; i < 2; ++i) {
    char text[TEXT];
    (void)snprintf(
        text, sizeof text,
        START
        "gravity: [0, 0, -9.81]\nground: {points: {O: [0, 0, 0]}}\n"
        "bodies: {disc: {mass: 0.8, inertia: [0.15, 0.15, 0.15], points: {O: [0, 0, 0], E: [0.4, 0.1, 0.2]}}}\n"
        "joints: [{revolute: [ground.O, disc.O], name: hinge, axis: [2, 1, -2]}]\n"
        "forces: [%s]\n"
        "initial: {independent: [{coordinate: angle(hinge), value: 0.5, velocity: %.17g}]}\n"
        "objectives: {theta: {final: angle(hinge)}, omega: {final: \"dot(omega(disc), [2, 1, -2])/3\"}}\n"
        "simulation: {end: 1.9}\n",
        forces[i], v0);
    ensure_closed_form(i ? "torsional spring, law" : "torsional spring", text, 0.00025, 2, expected, bound);
  }
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  check_symmetric_top();
  check_asymmetric_top();
  check_spherical();
  check_conical();
  check_revolute(false);
  check_revolute(true);
  check_universal();
  check_prismatic();
  check_cylindrical();
  check_planar();
  check_point_on_plane_and_line();
  check_torque();
  check_torsional_spring();
  mbs_context_destroy(context);
  return 0;
}
