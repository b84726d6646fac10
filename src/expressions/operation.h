// What each operation computes, and its slopes: one definition for the tape, which runs it in the scalar of the
// build, and for constant folding, which runs it on real numbers. Decisions look at the real part, and a NaN
// is passed on by every one of them, so that a domain error cannot vanish in a min() or a step().
#ifndef MBS_OPERATION_H
#define MBS_OPERATION_H

#include "algebra/scalar.h"
#include "expressions/graph.h"

// 10 x^3 - 15 x^4 + 6 x^5 between 0 and 1: value 0 and 1 at the ends, with zero slope and curvature
static inline mbs_scalar mbs_step5(mbs_scalar x) {
  if (mbs_re(x) <= 0) {
    return 0;
  }
  return mbs_re(x) >= 1 ? 1 : x * x * x * (10 + x * (6 * x - 15));
}

// The value of `operation` on a and b (b is ignored where there is one operand). Inline, whatever its size: a call is
// half of what an instruction of a tape costs.
__attribute__((always_inline)) static inline mbs_scalar mbs_operation_value(MbsOperation operation, int exponent,
                                                                            mbs_scalar a, mbs_scalar b) {
  switch (operation) {
    case MBS_OP_CONSTANT:
    case MBS_OP_INPUT:
    case MBS_OP_LIST:
    case MBS_OP_TABLE:
    case MBS_OP_EXTERNAL: break;  // the tape has what it needs
    case MBS_OP_ADD: return a + b;
    case MBS_OP_SUBTRACT: return a - b;
    case MBS_OP_MULTIPLY: return a * b;
    case MBS_OP_DIVIDE: return a / b;
    case MBS_OP_NEGATE: return -a;
    case MBS_OP_POWER_INTEGER: return mbs_power_integer(a, exponent);
    case MBS_OP_POWER: return mbs_power(a, b);
    case MBS_OP_SQRT: return mbs_sqrt(a);
    case MBS_OP_EXP: return mbs_exp(a);
    case MBS_OP_LOG: return mbs_log(a);
    case MBS_OP_SIN: return mbs_sin(a);
    case MBS_OP_COS: return mbs_cos(a);
    case MBS_OP_TAN: return mbs_tan(a);
    case MBS_OP_ASIN: return mbs_asin(a);
    case MBS_OP_ACOS: return mbs_acos(a);
    case MBS_OP_ATAN: return mbs_atan(a);
    case MBS_OP_SINH: return mbs_sinh(a);
    case MBS_OP_COSH: return mbs_cosh(a);
    case MBS_OP_TANH: return mbs_tanh(a);
    case MBS_OP_ATAN2: return mbs_atan2(a, b);
    case MBS_OP_ABS: return mbs_abs(a);
    case MBS_OP_SIGN: return mbs_re(a) > 0 ? 1 : mbs_re(a) < 0 ? -1 : 0 * mbs_re(a);
    // a wins a tie, as it does in the derivative
    case MBS_OP_MINIMUM: return mbs_re(a) <= mbs_re(b) ? a : mbs_re(b) < mbs_re(a) ? b : a + b;
    case MBS_OP_MAXIMUM: return mbs_re(a) >= mbs_re(b) ? a : mbs_re(b) > mbs_re(a) ? b : a + b;
    case MBS_OP_STEP:
    case MBS_OP_SIDE: return mbs_re(a) >= 0 ? 1 : mbs_re(a) < 0 ? 0 : mbs_re(a);
    case MBS_OP_STEP5: return mbs_step5(a);
    case MBS_OP_FLOOR: return mbs_floor(a);
    case MBS_OP_WHERE: return mbs_re(a) == 0 ? 0 : isnan(mbs_re(a)) ? a : b;
    case MBS_OP_UNLESS: return mbs_re(a) == 0 ? b : isnan(mbs_re(a)) ? a : 0;
    case MBS_OP_NOEVENT: return a;
  }
  return a;
}

// d value / d a and d value / d b, for a and b that gave `value`: the rules of derivative.c in numbers. 0 for an
// operand that there is not.
static inline void mbs_operation_slopes(MbsOperation operation, int exponent, mbs_scalar a, mbs_scalar b,
                                        mbs_scalar value, mbs_scalar slopes[2]) {
  slopes[0] = slopes[1] = 0;
  switch (operation) {
    case MBS_OP_CONSTANT:
    case MBS_OP_INPUT:
    case MBS_OP_LIST:
    case MBS_OP_TABLE:
    case MBS_OP_EXTERNAL:
    case MBS_OP_SIGN:
    case MBS_OP_STEP:
    case MBS_OP_SIDE:
    case MBS_OP_FLOOR: break;
    case MBS_OP_ADD: slopes[0] = slopes[1] = 1; break;
    case MBS_OP_SUBTRACT:
      slopes[0] = 1;
      slopes[1] = -1;
      break;
    case MBS_OP_MULTIPLY:
      slopes[0] = b;
      slopes[1] = a;
      break;
    case MBS_OP_DIVIDE:
      slopes[0] = 1 / b;
      slopes[1] = -value / b;
      break;
    case MBS_OP_NEGATE: slopes[0] = -1; break;
    case MBS_OP_POWER_INTEGER: slopes[0] = exponent * mbs_power_integer(a, exponent - 1); break;
    case MBS_OP_POWER:
      slopes[0] = b * mbs_power(a, b - 1);
      slopes[1] = value * mbs_log(a);
      break;
    case MBS_OP_SQRT: slopes[0] = 0.5 / value; break;
    case MBS_OP_EXP: slopes[0] = value; break;
    case MBS_OP_LOG: slopes[0] = 1 / a; break;
    case MBS_OP_SIN: slopes[0] = mbs_cos(a); break;
    case MBS_OP_COS: slopes[0] = -mbs_sin(a); break;
    case MBS_OP_TAN: slopes[0] = 1 + value * value; break;
    case MBS_OP_ASIN: slopes[0] = 1 / mbs_sqrt((1 - a) * (1 + a)); break;
    case MBS_OP_ACOS: slopes[0] = -1 / mbs_sqrt((1 - a) * (1 + a)); break;
    case MBS_OP_ATAN: slopes[0] = 1 / (1 + a * a); break;
    case MBS_OP_SINH: slopes[0] = mbs_cosh(a); break;
    case MBS_OP_COSH: slopes[0] = mbs_sinh(a); break;
    case MBS_OP_TANH: slopes[0] = mbs_power_integer(mbs_cosh(a), -2); break;
    case MBS_OP_ATAN2:
      slopes[0] = b / (a * a + b * b);
      slopes[1] = -a / (a * a + b * b);
      break;
    case MBS_OP_ABS: slopes[0] = mbs_operation_value(MBS_OP_SIGN, 0, a, a); break;
    case MBS_OP_MINIMUM: slopes[mbs_re(a) <= mbs_re(b) ? 0 : 1] = 1; break;
    case MBS_OP_MAXIMUM: slopes[mbs_re(a) >= mbs_re(b) ? 0 : 1] = 1; break;
    case MBS_OP_STEP5: slopes[0] = mbs_re(a) <= 0 || mbs_re(a) >= 1 ? 0 : 30 * mbs_power_integer(a * (1 - a), 2); break;
    case MBS_OP_WHERE: slopes[1] = mbs_re(a) == 0 ? 0 : 1; break;
    case MBS_OP_UNLESS: slopes[1] = mbs_re(a) == 0 ? 1 : 0; break;
    case MBS_OP_NOEVENT: slopes[0] = 1; break;
  }
}

#endif
