// Impacts with Coulomb friction. The law by itself, and a rod that hits the ground, against the differential equations
// of the impact in small steps of the normal impulse, values and derivatives: what slides on, sticks, slides back,
// jams. A disc against the closed forms of textbooks. Energy is never created. All methods, formulations and
// coordinates against each other, in closed loops and in space. What cannot be.
//
// Seen to fail: slip that sticks where it should slide back, and the other way round; the second piece with the
// direction of the first; the energetic law with the impulses' ratio; K_ns without its sign for a rising gap; the
// masses (K and r) held fixed in the direct method, or in the adjoint; probes not projected anew before a transpose;
// variables with their new columns in what is given.
#include <complex.h>

#include "formulations/formulation.h"
#include "simulation/impact_law.h"
#include "support.h"

static MbsContext *context;

static const char *const coordinates[] = {"natural", "relative"};

// ---- the impact in small steps ----
typedef struct Impact {
  double a, c, d;  // W
  double n, s;     // rates of gap and slip
  double e, mu;
  bool is_energetic;
} Impact;

// the friction impulse for each normal one, by Coulomb
static double friction(const Impact *x) {
  if (fabs(x->s) > 0) {
    return x->s > 0 ? -x->mu : x->mu;
  }
  double hold = -x->c / x->d;
  return fabs(hold) <= x->mu ? hold : hold > 0 ? x->mu : -x->mu;
}

// Euler's steps, exact as long as nothing changes; one that passes a change is halved until it hardly does
static Impact integrate(Impact x) {
  const double full = fabs(x.n) / x.a / 50, least = 1e-12 * full;
  double p = 0, work = 0, compression = 0, compression_work = 0, dp = full;  // since compression ended, if it has
  for (bool is_compressed = false;;) {
    double f = friction(&x);
    double n = x.n + (x.a + x.c * f) * dp, s = x.s + (x.c + x.d * f) * dp, now = work + (x.n + n) / 2 * dp;
    double held = fabs(f) < x.mu && !(fabs(x.s) > 0) ? 0 : s;
    bool passes_rest = x.s * s < 0, passes_end = !is_compressed && n > 0;
    bool is_over =
        is_compressed && (x.is_energetic ? now >= -x.e * x.e * compression_work : p + dp >= x.e * compression);
    if ((passes_rest || passes_end || is_over) && dp > least) {
      dp /= 2;
      continue;
    }
    x.n = n;
    x.s = passes_rest ? 0 : held;
    work = now;
    p += dp;
    dp = full;
    if (is_over) {
      return x;
    }
    if (passes_end) {
      is_compressed = true;
      compression = p;
      compression_work = work;
      p = work = 0;
    }
  }
}

// ---- the law ----
// W and u from K and r, the gap turned if it rises
static Impact impact_of(const double *inputs, bool is_energetic, double side) {
  double det = inputs[MBS_IMPACT_K_NN] * inputs[MBS_IMPACT_K_SS] - inputs[MBS_IMPACT_K_NS] * inputs[MBS_IMPACT_K_NS];
  double a = inputs[MBS_IMPACT_K_SS] / det, c = -inputs[MBS_IMPACT_K_NS] / det, d = inputs[MBS_IMPACT_K_NN] / det;
  double n = a * inputs[MBS_IMPACT_R_N] + c * inputs[MBS_IMPACT_R_S];
  double s = c * inputs[MBS_IMPACT_R_N] + d * inputs[MBS_IMPACT_R_S];
  return (Impact){.a = a,
                  .c = side * c,
                  .d = d,
                  .n = side * n,
                  .s = s,
                  .e = inputs[MBS_IMPACT_E],
                  .mu = inputs[MBS_IMPACT_MU],
                  .is_energetic = is_energetic};
}

static double kinetic_change(const Impact *x, double n, double s) {
  double det = x->a * x->d - x->c * x->c, dn = n - x->n, ds = s - x->s, mn = n + x->n, ms = s + x->s;
  return (x->d * mn * dn - x->c * (mn * ds + ms * dn) + x->a * ms * ds) / (2 * det);
}

static void test_law(void) {
  enum { SLIDES, STICKS, TURNS, JAMS, CASES, TRIES = 4000 };
  int counts[2][CASES] = {{0}}, differentiated = 0;
  uint64_t seed = 1;
  for (int t = 0; t < TRIES; ++t) {
    bool is_energetic = t % 2;
    int direction = t % 3 - 1;
    double side = direction != 0 ? -direction : random_number(&seed) > 0 ? 1 : -1;
    double a = 1.1 + random_number(&seed), d = 1.1 + random_number(&seed);
    double c = 0.95 * random_number(&seed) * sqrt(a * d), mu = 0.75 * (1 + random_number(&seed));
    double n = -side * (1.1 + random_number(&seed)), s = 2 * random_number(&seed), det = a * d - c * c;
    double inputs[MBS_IMPACT_INPUTS] = {[MBS_IMPACT_K_NN] = d / det,
                                        [MBS_IMPACT_K_NS] = -c / det,
                                        [MBS_IMPACT_K_SS] = a / det,
                                        [MBS_IMPACT_R_N] = (d * n - c * s) / det,
                                        [MBS_IMPACT_R_S] = (a * s - c * n) / det,
                                        [MBS_IMPACT_E] = (1 + random_number(&seed)) / 2,
                                        [MBS_IMPACT_MU] = mu};
    MbsImpactLaw law = is_energetic ? MBS_IMPACT_ENERGETIC : MBS_IMPACT_POISSON;
    MbsImpactRates rates = mbs_impact_rates(law, direction, inputs);
    Impact before = impact_of(inputs, is_energetic, side), after = integrate(before);
    double size = fabs(before.n) + fabs(before.s);
    ENSURE_NEAR(side * rates.after[0], after.n, 1e-9 * size);
    ENSURE_NEAR(rates.after[1], after.s, 1e-9 * size);
    ENSURE(after.n >= 0);
    double change = kinetic_change(&before, side * rates.after[0], rates.after[1]);
    ENSURE(change <= 1e-12 * size * size);
    int kind = !(fabs(after.s) > 0) ? STICKS : after.s * before.s > 0 ? SLIDES : TURNS;
    counts[is_energetic][kind] += 1;
    counts[is_energetic][JAMS] += before.a - mu * (before.s > 0 ? before.c : -before.c) < 0;
    // central differences of the small steps; not across the border of two cases, where both sides differ
    for (int i = 0; i < MBS_IMPACT_INPUTS && t < 1200; ++i) {
      double changed[MBS_IMPACT_INPUTS], h = 1e-6 * (1 + fabs(inputs[i])), x[2][2];
      memcpy(changed, inputs, sizeof changed);
      for (int k = 0; k < 2; ++k) {
        changed[i] = inputs[i] + (k == 0 ? h : -h);
        Impact moved = impact_of(changed, is_energetic, side), end = integrate(moved);
        x[k][0] = side * end.n;
        x[k][1] = end.s;
      }
      for (int j = 0; j < 2; ++j) {
        double central = (x[0][j] - x[1][j]) / (2 * h);
        double forward = (x[0][j] - rates.after[j]) / h, backward = (rates.after[j] - x[1][j]) / h;
        if (fabs(forward - backward) < 1e-3 * (1 + fabs(central))) {
          ENSURE_NEAR(rates.slopes[j * MBS_IMPACT_INPUTS + i], central, 2e-6 * (10 + fabs(central)));
          differentiated += 1;
        }
      }
    }
  }
  for (int law = 0; law < 2; ++law) {
    for (int k = 0; k < CASES; ++k) {
      ENSURE(counts[law][k] > 20);
    }
  }
  ENSURE(differentiated > 16500);  // of 16800
  // a gap that opens: nothing happens
  const double opening[MBS_IMPACT_INPUTS] = {1, 0.3, 1, 2, 1, 0.5, 0.5};
  const Impact same = impact_of(opening, false, 1);
  MbsImpactRates rates = mbs_impact_rates(MBS_IMPACT_POISSON, -1, opening);
  ENSURE_NEAR(rates.after[0], same.n, 1e-14);
  ENSURE_NEAR(rates.after[1], same.s, 1e-14);
}

// From rest: it sticks with derivatives that are those of both sides, or it slides, told as those of one.
static void test_rest(void) {
  for (int law = MBS_IMPACT_POISSON; law <= MBS_IMPACT_ENERGETIC; ++law) {
    double inputs[MBS_IMPACT_INPUTS] = {1, 0.3, 1, -1, -0.3, 0.5, 0.5};  // W = K^-1, u = (-1, 0)
    MbsImpactRates at = mbs_impact_rates((MbsImpactLaw)law, -1, inputs);
    ENSURE(!at.is_at_edge);
    ENSURE_NEAR(at.after[0], 0.5, 1e-12);
    ENSURE_NEAR(at.after[1], 0, 0);
    for (int side = -1; side <= 1; side += 2) {
      double moved[MBS_IMPACT_INPUTS];
      memcpy(moved, inputs, sizeof moved);
      moved[MBS_IMPACT_R_N] += side * 0.3 * 1e-7;
      moved[MBS_IMPACT_R_S] += side * 1e-7;
      Impact before = impact_of(moved, law == MBS_IMPACT_ENERGETIC, 1), after = integrate(before);
      ENSURE(before.s * side > 0);
      double slope = 0.3 * at.slopes[MBS_IMPACT_R_N] + at.slopes[MBS_IMPACT_R_S];
      ENSURE_NEAR(slope, (after.n - at.after[0]) / (side * 1e-7), 1e-6);
      ENSURE(fabs(slope) > 0.1);
    }
    inputs[MBS_IMPACT_MU] = 0.2;
    at = mbs_impact_rates((MbsImpactLaw)law, -1, inputs);
    ENSURE(at.is_at_edge && at.after[1] < -0.01);
  }
}

// ---- runs ----
static MbsRequest request_of(const MbsModel *model, const char *formulation, const char *kind, MbsMethod method) {
  MbsRequest request;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", kind);
  request.method = method;
  return request;
}

static MbsResult *run(const MbsModel *model, const MbsRequest *request) {
  MbsResult *result;
  ENSURE_OK(context, mbs_run(context, model, request, &result));
  return result;
}

// The rod of tests/models/friction_rod.yaml: its flight, and the impact in small steps.
enum { M, J, L, GAP, PHI, UX, UY, SPIN, E, MU, G, NUMBERS, OUTPUTS = 5 };

static void throw_rod(const double *p, bool is_energetic, double *out) {
  double t = 0;
  for (int i = 0; i < 50; ++i) {  // y of the end; its centre flies, it turns evenly
    double angle = p[PHI] + p[SPIN] * t, y = p[GAP] + p[L] * sin(p[PHI]) + p[UY] * t - p[G] / 2 * t * t;
    double rate = p[UY] - p[G] * t - p[L] * cos(angle) * p[SPIN];
    t -= (y - p[L] * sin(angle)) / rate;
  }
  double angle = p[PHI] + p[SPIN] * t, x = -p[L] * cos(angle), y = -p[L] * sin(angle), vy = p[UY] - p[G] * t;
  Impact before = {.a = 1 / p[M] + x * x / p[J],
                   .c = -x * y / p[J],
                   .d = 1 / p[M] + y * y / p[J],
                   .n = vy + x * p[SPIN],
                   .s = p[UX] - y * p[SPIN],
                   .e = p[E],
                   .mu = p[MU],
                   .is_energetic = is_energetic};
  Impact after = integrate(before);
  double det = before.a * before.d - before.c * before.c, dn = after.n - before.n, ds = after.s - before.s;
  double normal = (before.d * dn - before.c * ds) / det, along = (before.a * ds - before.c * dn) / det;
  out[0] = after.n;
  out[1] = after.s;
  out[2] = p[UX] + along / p[M];
  out[3] = vy + normal / p[M];
  out[4] = p[SPIN] + (x * normal - y * along) / p[J];
}

static MbsModel *read_rod(const double *p, bool is_energetic) {
  static const char *const names[NUMBERS] = {"m", "J", "L", "gap0", "phi", "ux", "uy", "w", "e", "mu", "g"};
  static char text[4000];
  FILE *file = fopen("tests/models/friction_rod.yaml", "r");
  ENSURE(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  (void)fclose(file);
  if (is_energetic) {
    char *law = strstr(text, "poisson");
    ENSURE(law);
    memmove(law + 9, law + 7, strlen(law + 7) + 1);
    memcpy(law, "energetic", 9);
  }
  MbsModel *model = read_text(context, "rod.yaml", text);
  for (int i = 0; i < NUMBERS; ++i) {
    char number[40];
    (void)snprintf(number, sizeof number, "%.17g", p[i]);
    ENSURE_OK(context, mbs_model_set(context, model, names[i], number));
  }
  return model;
}

static void test_rod(void) {
  static const double cases[][NUMBERS] = {
      {1.3, 0.11, 0.5, 0.002, 0.9, 4.5, -2, 0.5, 0.6, 0.3, 9.81},    // slides on
      {1.3, 0.11, 0.5, 0.002, 0.9, 2.2, -2, 0.5, 0.6, 0.3, 9.81},    // slides back, after compression
      {1.3, 0.11, 0.5, 0.002, 0.9, 0.1, -2, 0.5, 0.6, 0.3, 9.81},    // slides back, before it
      {1.3, 0.11, 0.5, 0.002, 0.9, 0.6, -2, 0.5, 0.6, 0.9, 9.81},    // sticks, in compression
      {1.3, 0.11, 0.5, 0.002, 0.9, 2.5, -2, 0.5, 0.9, 0.7, 9.81},    // sticks, after it
      {1.3, 0.05, 0.5, 0.002, 0.8, -1.1, -2, 0.2, 0.4, 1.8, 9.81}};  // jams, the other way round
  static const MbsMethod methods[] = {MBS_METHOD_DIRECT, MBS_METHOD_ADJOINT, MBS_METHOD_COMPLEX_STEP};
  double slips[MBS_COUNT(cases)];
  for (int law = 0; law < 2; ++law) {
    for (int n = 0; n < MBS_COUNT(cases); ++n) {
      MbsModel *model = read_rod(cases[n], law == 1);
      double values[OUTPUTS], slopes[OUTPUTS][NUMBERS], largest = 0;
      throw_rod(cases[n], law == 1, values);
      slips[n] = values[1];
      for (int k = 0; k < NUMBERS; ++k) {
        double p[NUMBERS], h = 1e-6 * (0.01 + fabs(cases[n][k])), x[2][OUTPUTS];
        memcpy(p, cases[n], sizeof p);
        for (int side = 0; side < 2; ++side) {
          p[k] = cases[n][k] + (side == 0 ? h : -h);
          throw_rod(p, law == 1, x[side]);
        }
        for (int i = 0; i < OUTPUTS; ++i) {
          slopes[i][k] = (x[0][i] - x[1][i]) / (2 * h);
          largest = fmax(largest, fabs(slopes[i][k]));
        }
      }
      ENSURE(largest > 1);
      for (int m = 0; m < MBS_COUNT(methods); ++m) {
        for (int c = 0; c < 2; ++c) {
          MbsRequest request = request_of(model, "index1", coordinates[c], methods[m]);
          MbsResult *result = run(model, &request);
          ENSURE(result->objective_count == OUTPUTS && result->parameter_count == NUMBERS);
          for (int i = 0; i < OUTPUTS; ++i) {
            ENSURE_NEAR(result->values[i], values[i], 1e-8);
            for (int k = 0; k < NUMBERS; ++k) {
              ENSURE_NEAR(result->gradient[i * NUMBERS + k], slopes[i][k], 1e-6 * (10 + largest));
            }
          }
          mbs_result_destroy(result);
        }
      }
      mbs_model_destroy(model);
    }
    ENSURE(slips[0] > 0.1 && slips[1] < -0.1 && slips[2] < -0.1);
    ENSURE(!(fabs(slips[3]) > 0) && !(fabs(slips[4]) > 0));
  }
}

// ---- a disc: closed forms ----
// J = k m R^2. It slides throughout: both impulses are known, f = mu p. It sticks: slip is gone, what is left rolls.
static void hit_disc(const double complex *p, bool slides, double complex *out) {
  double complex m = p[0], R = p[1], k = p[2], u = p[3], w = p[4], fall = p[5], e = p[6], mu = p[7];
  double complex slip = u + R * w, normal = (1 + e) * m * fall;
  double complex along = slides ? -mu * normal : -slip * m / (1 + 1 / k);
  out[0] = u + along / m;
  out[1] = e * fall;
  out[2] = w + R * along / (k * m * R * R);
}

static void test_disc(void) {
  static const char text[] =
      "mbsens: 1\nname: disc\nparameters: {m: 2, R: 0.3, k: 0.4, u: 1.5, w: 4, fall: 3, e: 0.7, mu: %s}\n"
      "bodies: {disc: {mass: m, inertia: k*m*R^2, points: {C: [0, 0]}, position: [0, R]}}\n"
      "events: {floor: {when: r(C).y - R, direction: falling, restitution: e, law: %s, stop: yes,\n"
      "  friction: [{coefficient: mu, along: r(C).x + R*angle(disc)}]}}\n"
      "initial: {independent: [{coordinate: r(C).x, value: 0, velocity: u}, {coordinate: r(C).y, value: R + fall*0.1,"
      " velocity: -fall}, {coordinate: angle(disc), value: 0, velocity: w}]}\n"
      "objectives: {vx: {final: v(C).x}, vy: {final: v(C).y}, w: {final: omega(disc)}}\n"
      "simulation: {end: 1, step: 0.01, coordinates: relative}\n";
  enum { COUNT = 8 };
  for (int slides = 0; slides < 2; ++slides) {
    const double numbers[COUNT] = {2, 0.3, 0.4, 1.5, 4, 3, 0.7, slides ? 0.1 : 0.6};
    for (int law = 0; law < 2; ++law) {
      char own[2000];
      (void)snprintf(own, sizeof own, text, slides ? "0.1" : "0.6", law == 0 ? "poisson" : "energetic");
      MbsModel *model = read_text(context, "disc.yaml", own);
      for (int m = 0; m < 2; ++m) {
        MbsRequest request = request_of(model, "ali3p", "relative", m == 0 ? MBS_METHOD_DIRECT : MBS_METHOD_ADJOINT);
        MbsResult *result = run(model, &request);
        ENSURE(result->event_count == 1 && result->parameter_count == COUNT);
        for (int k = 0; k < COUNT; ++k) {
          double complex p[COUNT], out[3];
          for (int i = 0; i < COUNT; ++i) {
            p[i] = numbers[i] + (i == k ? 1e-100 : 0) * (double complex)I;
          }
          hit_disc(p, slides, out);
          for (int i = 0; i < 3; ++i) {
            ENSURE_NEAR(result->values[i], creal(out[i]), 1e-11);
            ENSURE_NEAR(result->gradient[i * COUNT + k], cimag(out[i]) / 1e-100, 1e-10);
          }
        }
        mbs_result_destroy(result);
      }
      mbs_model_destroy(model);
    }
  }
}

// ---- without friction: the three laws are one ----
static void test_smooth(void) {
  static const char *const laws[] = {"newton", "poisson", "energetic"};
  MbsResult *results[5];
  int count = 0;
  for (int law = 0; law < 3; ++law) {
    for (int with = 0; with < 2; ++with) {
      char text[2000];
      if (law == 0 && with == 1) {
        continue;
      }
      (void)snprintf(
          text, sizeof text,
          "mbsens: 1\nname: rod\nparameters: {m: 1, e: 0.8, L: 0.3, phi: 0.4, u: 0.5}\ngravity: [0, -9.81]\n"
          "bodies: {rod: {mass: m, inertia: 0.02, points: {A: [L, 0], G: [0, 0]}, position: [0, 0.5], angle: phi}}\n"
          "events: {A: {when: r(A).y, direction: falling, restitution: e, law: %s%s}}\n"
          "initial: {independent: [{coordinate: r(G).x, value: 0, velocity: u}, {coordinate: r(G).y, value: 0.5,"
          " velocity: -1}, {coordinate: angle(rod), value: phi, velocity: -1}]}\n"
          "objectives: {x: {final: r(A).x}, vy: {final: v(A).y}}\nsimulation: {end: 0.5, step: 0.01}\n",
          laws[law], with ? ", friction: [{coefficient: 0, along: r(A).x}]" : "");
      MbsModel *model = read_text(context, "rod.yaml", text);
      MbsRequest request = request_of(model, "index1", "natural", MBS_METHOD_DIRECT);
      results[count] = run(model, &request);
      const MbsResult *first = results[0], *result = results[count++];
      ENSURE(first->event_count > 0 && result->event_count == first->event_count);
      ENSURE(fabs(first->gradient[1]) > 0.01);
      for (int i = 0; i < 2; ++i) {
        ENSURE_NEAR(result->values[i], first->values[i], 1e-13);
        for (int k = 0; k < first->parameter_count; ++k) {
          ENSURE_NEAR(result->gradient[i * first->parameter_count + k], first->gradient[i * first->parameter_count + k],
                      1e-11);
        }
      }
      mbs_model_destroy(model);
    }
  }
  for (int i = 0; i < count; ++i) {
    mbs_result_destroy(results[i]);
  }
}

// ---- all methods, formulations and coordinates ----
static double difference(int count, const double *a, const double *b) {
  double worst = 0, largest = largest_of(count, b);
  for (int i = 0; i < count; ++i) {
    worst = fmax(worst, fabs(a[i] - b[i]) / (largest > 0 ? largest : 1));
  }
  return worst;
}

// of the rows of gradients and of events' times, to the largest of each
static void compare(const char *what, const MbsResult *result, const MbsResult *reference) {
  double worst = 0;
  int count = reference->parameter_count;
  ENSURE(result->event_count == reference->event_count);
  for (int i = 0; i < reference->objective_count; ++i) {
    worst = fmax(worst, difference(count, result->gradient + i * count, reference->gradient + i * count));
  }
  for (int i = 0; i < reference->event_count && result->events[i].gradient; ++i) {
    worst = fmax(worst, difference(count, result->events[i].gradient, reference->events[i].gradient));
  }
  if (!(worst < 1e-8)) {
    (void)fprintf(stderr, "%s, %s, %s: methods differ by %.3g\n", what, result->request->settings.formulation,
                  result->request->settings.coordinates, worst);
    exit(1);
  }
}

static void test_methods(void) {
  static const char *const paths[] = {"tests/models/friction_loop.yaml", "tests/models/friction_space.yaml",
                                      "models/rod_drop.yaml"};
  static const int events[] = {2, 1, 3};
  for (int p = 0; p < MBS_COUNT(paths); ++p) {
    MbsModel *model = read_model(context, paths[p]);
    for (int f = 0; mbs_formulation_types[f]; ++f) {
      double ends[2][4];
      for (int c = 0; c < 2; ++c) {
        MbsRequest request = request_of(model, mbs_formulation_types[f]->name, coordinates[c], MBS_METHOD_COMPLEX_STEP);
        MbsResult *reference = run(model, &request);
        ENSURE(reference->event_count == events[p]);
        memcpy(ends[c], reference->values, (size_t)(p == 1 ? 3 : 4) * sizeof(double));
        for (int i = 0; i < reference->event_count; ++i) {
          ENSURE(reference->events[i].energy_lost > 0 && !reference->events[i].is_at_edge);
        }
        for (int m = 0; m < 2; ++m) {
          request.method = m == 0 ? MBS_METHOD_DIRECT : MBS_METHOD_ADJOINT;
          request.settings.derivatives = f == 1 && c == 0 ? MBS_DERIVATIVES_AUTOMATIC : MBS_DERIVATIVES_ANALYTICAL;
          MbsResult *result = run(model, &request);
          compare(paths[p], result, reference);
          mbs_result_destroy(result);
        }
        mbs_result_destroy(reference);
      }
      for (int i = 0; i < (p == 1 ? 3 : 4); ++i) {  // second order in the step; rounding by matrix-r of the rod
        ENSURE_NEAR(ends[0][i], ends[1][i], 3e-3 * (1 + fabs(ends[1][i])));
      }
    }
    mbs_model_destroy(model);
  }
}

// ---- what cannot be ----
#define ROD(fields)                                                                                             \
  "mbsens: 1\nname: rod\nparameters: {e: 0.5, mu: 0.3, bad: 2}\ngravity: [0, -9.81]\nvariables: {f: 0.5}\n"     \
  "bodies: {rod: {mass: 1, inertia: 0.02, points: {A: [0.3, 0], G: [0, 0]}, position: [0, 0.5], angle: 0.4}}\n" \
  "events:\n  A: {when: r(A).y, direction: falling, " fields                                                    \
  "}\n  now: {when: t - 0.01, set: {f: 1.5}}\n"                                                                 \
  "initial: {independent: [{coordinate: r(G).x, value: 0}, {coordinate: r(G).y, value: 0.5}, {coordinate: "     \
  "angle(rod)}]}\n"                                                                                             \
  "objectives: {x: {final: r(A).x}}\nsimulation: {end: 0.5, step: 0.01}\n"

static void ensure_refused(const char *text, MbsStatus status, const char *part) {
  MbsModel *model = NULL;
  MbsRequest request;
  MbsResult *result = NULL;
  MbsStatus given = mbs_model_read_text(context, text, strlen(text), "rod.yaml", &model);
  if (given == MBS_OK) {
    given = mbs_request_default(context, model, &request);
  }
  if (given == MBS_OK) {
    request.method = MBS_METHOD_DIRECT;
    given = mbs_run(context, model, &request, &result);
  }
  if (given != status) {
    (void)fprintf(stderr, "status %d, expected %d (%s): %s\n", given, status, part, mbs_context_message(context));
    exit(1);
  }
  ENSURE((result != NULL) == (status == MBS_ERROR_NUMERICAL));  // what there was before
  ENSURE_CONTAINS(mbs_context_message(context), part);
  ENSURE_CONTAINS(mbs_context_message(context), "rod.yaml:");
  mbs_result_destroy(result);
  mbs_model_destroy(model);
}

static void test_refused(void) {
  ensure_refused(ROD("law: poisson, friction: [{coefficient: mu, along: r(A).x}]"), MBS_ERROR_INPUT,
                 "event \"A\": law is that of an impact and needs a restitution");
  ensure_refused(ROD("friction: [{coefficient: mu, along: r(A).x}]"), MBS_ERROR_INPUT,
                 "event \"A\": friction is that of an impact and needs a restitution");
  ensure_refused(ROD("restitution: e, friction: [{coefficient: mu, along: r(A).x}]"), MBS_ERROR_INPUT,
                 "with friction Newton's restitution can create energy: write \"law: poisson\"");
  ensure_refused(ROD("restitution: bad, law: poisson, friction: [{coefficient: mu, along: r(A).x}]"), MBS_ERROR_INPUT,
                 "restitution must be from 0 to 1, got 2");
  ensure_refused(ROD("restitution: -e, law: energetic"), MBS_ERROR_INPUT, "restitution must be from 0 to 1, got -0.5");
  ensure_refused(ROD("restitution: e, law: poisson, friction: [{coefficient: -mu, along: r(A).x}]"), MBS_ERROR_INPUT,
                 "coefficient must not be negative, got -0.3");
  ensure_refused(ROD("restitution: e, law: poisson, friction: [{coefficient: mu, along: r(A).y}]"), MBS_ERROR_INPUT,
                 "which is the gap itself");
  ensure_refused(ROD("restitution: e, law: poisson, friction: [{coefficient: mu, along: v(A).x}]"), MBS_ERROR_INPUT,
                 "velocit");
  ensure_refused(ROD("restitution: e, law: poisson, friction: [{coefficient: mu, along: mu*t}]"), MBS_ERROR_INPUT,
                 "does not move with the position");
  ensure_refused(ROD("restitution: e, law: poisson, friction: [{coefficient: mu}]"), MBS_ERROR_INPUT, "along");
  ensure_refused(ROD("restitution: e, law: poisson, friction: [{coefficient: mu, along: r(A).x},"
                     " {coefficient: mu, along: r(A).y + r(A).x}]"),
                 MBS_ERROR_NOT_OFFERED, "friction in 2 directions is not offered");
  ensure_refused(ROD("restitution: e, law: poisson, friction: [{coefficient: mu, along: r(A).x}],"
                     " velocities: [{coordinate: angle(rod), velocity: 0}]"),
                 MBS_ERROR_NOT_OFFERED, "also sets velocities is not offered");
  ensure_refused(ROD("restitution: e, law: coulomb"), MBS_ERROR_INPUT, "poisson");
  // a multiple of the gap, seen at the impact; a coefficient that a variable takes out of its range
  ensure_refused(ROD("restitution: e, law: poisson, friction: [{coefficient: mu, along: 1 - 3*r(A).y}]"),
                 MBS_ERROR_NUMERICAL, "\"r(A).y\" and \"1 - 3*r(A).y\" cannot");
  ensure_refused(ROD("restitution: f, law: poisson, friction: [{coefficient: mu, along: r(A).x}]"), MBS_ERROR_NUMERICAL,
                 "its restitution is 1.5 and must be from 0 to 1");
  // constraints hold the slip
  ensure_refused(
      "mbsens: 1\nname: slider\nparameters: {m: 1}\ngravity: [0, -9.81]\nground: {points: {O: [0, 0]}}\n"
      "bodies: {block: {mass: m, inertia: 1, points: {P: [0, 0]}, position: [0, 1]}}\n"
      "joints: [{prismatic: [ground.O, block.P], axis: [0, 1]}]\n"
      "events: {floor: {when: r(block.P).y, restitution: 0.5, law: energetic,"
      " friction: [{coefficient: 0.2, along: r(block.P).x}]}}\n"
      "initial: {independent: [{coordinate: r(block.P).y, value: 1}]}\n"
      "objectives: {y: {final: r(block.P).y}}\nsimulation: {end: 1, step: 0.01}\n",
      MBS_ERROR_NUMERICAL, "needs a gap and a slip that can change apart");
}

// slip is left from rest: a rod that falls upright on its end, tilted, without friction enough to hold it
static void test_edge(void) {
  static const char *const part = "the friction of this impact is at the edge between sliding and sticking";
  for (int holds = 0; holds < 2; ++holds) {
    const double p[NUMBERS] = {1.3, 0.05, 0.5, 0.002, 0.9, 0, -2, 0, 0.6, holds ? 1.5 : 0.1, 9.81};
    MbsModel *model = read_rod(p, false);
    MbsRequest request = request_of(model, "index1", "natural", MBS_METHOD_DIRECT);
    MbsResult *result = run(model, &request);
    bool is_told = false;
    for (int i = 0; i < result->warning_count; ++i) {
      is_told = is_told || strstr(result->warnings[i], part);
    }
    ENSURE(is_told == !holds && result->events[0].is_at_edge == !holds);
    mbs_result_destroy(result);
    mbs_model_destroy(model);
  }
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  test_law();
  test_rest();
  test_rod();
  test_disc();
  test_smooth();
  test_methods();
  test_refused();
  test_edge();
  mbs_context_destroy(context);
  return 0;
}
