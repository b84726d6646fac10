// See impact_law.h. All is computed with its derivatives by the inputs (forward, exactly), and what is a fixed number
// is a real one: which piece an impact ends in is decided on real parts.
#include "simulation/impact_law.h"

// ---- numbers with their derivatives ----
typedef struct Number {
  mbs_scalar value;
  mbs_scalar slope[MBS_IMPACT_INPUTS];
} Number;

// f(a, b) from its value and its derivatives by both
static Number combine(mbs_scalar value, mbs_scalar by_a, Number a, mbs_scalar by_b, Number b) {
  Number f = {.value = value};
  for (int i = 0; i < MBS_IMPACT_INPUTS; ++i) {
    f.slope[i] = by_a * a.slope[i] + by_b * b.slope[i];
  }
  return f;
}

static Number add(Number a, Number b) { return combine(a.value + b.value, 1, a, 1, b); }
static Number subtract(Number a, Number b) { return combine(a.value - b.value, 1, a, -1, b); }
static Number multiply(Number a, Number b) { return combine(a.value * b.value, b.value, a, a.value, b); }
static Number scale(double x, Number a) { return combine(x * a.value, x, a, 0, a); }
static Number divide(Number a, Number b) {
  mbs_scalar f = a.value / b.value;
  return combine(f, 1 / b.value, a, -f / b.value, b);
}
static Number root(Number a) {
  mbs_scalar f = mbs_sqrt(a.value);
  return combine(f, 1 / (2 * f), a, 0, a);
}
static double real(Number a) { return mbs_re(a.value); }

// ---- the contact, its gap positive outside ----
typedef struct Contact {
  Number n, s;     // rates before
  Number a, c, d;  // W
  Number e, mu;
  double side;  // -1: its gap is minus the one that is given
} Contact;

// of an impulse: what n and s grow by for each dp
typedef struct Piece {
  Number n, s;
} Piece;

// W = K^-1, u = W r
static Contact contact_of(int direction, const mbs_scalar *inputs) {
  Number x[MBS_IMPACT_INPUTS];
  for (int i = 0; i < MBS_IMPACT_INPUTS; ++i) {
    x[i] = (Number){.value = inputs[i]};
    x[i].slope[i] = 1;
  }
  Number determinant =
      subtract(multiply(x[MBS_IMPACT_K_NN], x[MBS_IMPACT_K_SS]), multiply(x[MBS_IMPACT_K_NS], x[MBS_IMPACT_K_NS]));
  Contact contact = {.a = divide(x[MBS_IMPACT_K_SS], determinant),
                     .c = scale(-1, divide(x[MBS_IMPACT_K_NS], determinant)),
                     .d = divide(x[MBS_IMPACT_K_NN], determinant),
                     .e = x[MBS_IMPACT_E],
                     .mu = x[MBS_IMPACT_MU],
                     .side = 1};
  contact.n = add(multiply(contact.a, x[MBS_IMPACT_R_N]), multiply(contact.c, x[MBS_IMPACT_R_S]));
  contact.s = add(multiply(contact.c, x[MBS_IMPACT_R_N]), multiply(contact.d, x[MBS_IMPACT_R_S]));
  if (direction > 0 || (direction == 0 && real(contact.n) > 0)) {
    contact.n = scale(-1, contact.n);
    contact.c = scale(-1, contact.c);
    contact.side = -1;
  }
  return contact;
}

static Piece slide(const Contact *x, double sign) {
  return (Piece){.n = subtract(x->a, scale(sign, multiply(x->mu, x->c))),
                 .s = subtract(x->c, scale(sign, multiply(x->mu, x->d)))};
}

// can friction hold what the normal impulse does to the slip?
static bool can_stick(const Contact *x) { return fabs(real(x->c)) <= real(x->mu) * real(x->d); }  // real

static Piece leave_rest(const Contact *x) {
  if (can_stick(x)) {
    return (Piece){.n = subtract(x->a, divide(multiply(x->c, x->c), x->d))};
  }
  return slide(x, real(x->c) > 0 ? 1 : -1);
}

// The direction in which it slides at first. From rest: where it goes, if it does. Where it sticks either direction
// gives the same, with the same derivatives; against c it ends at once.
static double first_direction(const Contact *x) {
  double s = real(x->s), towards_c = real(x->c) > 0 ? 1 : -1;
  if (s < 0 || s > 0) {
    return s > 0 ? 1 : -1;
  }
  return can_stick(x) ? -towards_c : towards_c;
}

// ---- the impact ----
typedef struct Course {
  Piece first, second;
  bool does_stop;     // the first piece ends, at
  Number p1, n1;      // this impulse, with this rate of the gap
  Number pc;          // where compression ends
  bool is_first_all;  // ... in the first piece
} Course;

static Course compress(const Contact *x) {
  double sign = first_direction(x);
  Course course = {.first = slide(x, sign), .second = leave_rest(x)};
  course.does_stop = sign * real(course.first.s) < 0;
  course.is_first_all = true;
  if (course.does_stop) {
    course.p1 = scale(-1, divide(x->s, course.first.s));
    course.n1 = add(x->n, multiply(course.first.n, course.p1));
    course.is_first_all = real(course.n1) >= 0;
  }
  course.pc = course.is_first_all ? scale(-1, divide(x->n, course.first.n))
                                  : subtract(course.p1, divide(course.n1, course.second.n));
  return course;
}

static Number restitute_by_impulse(const Contact *x, const Course *course) {
  return add(course->pc, multiply(x->e, course->pc));
}

// twice the work w of compression, as a positive number: of one piece A pc^2; of two -(n + n1) p1 - n1 (pc - p1).
// Restitution in one piece, A (pf - pc)^2 = e^2 w; in two, the second from n1 on: 2 n1 x + A x^2 = e^2 w - n1 (p1 -
// pc).
static Number restitute_by_work(const Contact *x, const Course *course) {
  const Number *pc = &course->pc;
  if (!course->is_first_all) {
    Number w = add(multiply(add(x->n, course->n1), course->p1), multiply(course->n1, subtract(*pc, course->p1)));
    return add(*pc, multiply(x->e, root(divide(scale(-1, w), course->second.n))));
  }
  Number in_one = restitute_by_impulse(x, course);  // the same there
  if (!course->does_stop || real(in_one) <= real(course->p1)) {
    return in_one;
  }
  Number w = multiply(multiply(x->e, x->e), multiply(course->first.n, multiply(*pc, *pc)));
  Number left = subtract(w, multiply(course->n1, subtract(course->p1, *pc)));
  Number n = root(add(multiply(course->n1, course->n1), multiply(course->second.n, left)));
  return add(course->p1, divide(left, add(course->n1, n)));
}

// Does it end, or does compression, just where slip stops; is slip left from rest; can friction just hold it?
static bool is_at_edge(const Contact *x, const Course *course, Number pf) {
  const double near = 1e-9;
  double p = real(pf), p1 = real(course->p1), most = real(x->mu) * real(x->d);
  if (!course->does_stop) {
    return fabs(real(x->s)) <= near * fabs(real(course->first.s)) * p && real(x->mu) > 0;  // real
  }
  return fabs(p1 - p) <= near * p || fabs(p1 - real(course->pc)) <= near * p ||                          // real
         (p1 <= near * p && !can_stick(x)) || (p1 < p && fabs(fabs(real(x->c)) - most) <= near * most);  // real
}

MbsImpactRates mbs_impact_rates(MbsImpactLaw law, int direction, const mbs_scalar inputs[MBS_IMPACT_INPUTS]) {
  Contact x = contact_of(direction, inputs);
  Number n = x.n, s = x.s;
  MbsImpactRates rates = {0};
  if (real(x.n) < 0) {
    Course course = compress(&x);
    Number pf = law == MBS_IMPACT_ENERGETIC ? restitute_by_work(&x, &course) : restitute_by_impulse(&x, &course);
    if (course.does_stop && real(pf) > real(course.p1)) {
      Number rest = subtract(pf, course.p1);
      n = add(course.n1, multiply(course.second.n, rest));
      s = multiply(course.second.s, rest);
    } else {
      n = add(n, multiply(course.first.n, pf));
      s = add(s, multiply(course.first.s, pf));
    }
    rates.is_at_edge = is_at_edge(&x, &course, pf);
  }
  n = scale(x.side, n);
  rates.after[0] = n.value;
  rates.after[1] = s.value;
  for (int i = 0; i < MBS_IMPACT_INPUTS; ++i) {
    rates.slopes[i] = n.slope[i];
    rates.slopes[MBS_IMPACT_INPUTS + i] = s.slope[i];
  }
  return rates;
}
