// See guards.h.
#include "simulation/guards.h"

#include <math.h>

static MbsStatus create_watch(MbsContext *context, const MbsSystem *system, const MbsJumpSpec *spec,
                              MbsJumpWatch *watch) {
  MbsArena *arena = system->arena;
  MbsGraph *graph = system->blueprint->graph;
  int guard_count = spec->guard_count, count = guard_count + spec->value_count;
  MbsNode *nodes;
  MBS_TAKE(context, arena, nodes, count);
  MBS_TAKE(context, arena, watch->guards, guard_count);
  for (int i = 0; i < count; ++i) {
    nodes[i] = i < guard_count ? spec->guards[i].argument : spec->values[i - guard_count];
  }
  for (int i = 0; i < guard_count; ++i) {
    watch->guards[i].spec = &spec->guards[i];
  }
  watch->spec = spec;
  MBS_TRY(mbs_tape_create(context, arena, graph, guard_count, nodes, &watch->guard_tape));
  MBS_TRY(mbs_tape_create(context, arena, graph, count, nodes, &watch->tape));
  MBS_TAKE(context, arena, watch->guard_inputs, watch->guard_tape->input_count);
  mbs_scalar **const inputs[] = {&watch->before, &watch->now, &watch->between};
  for (int i = 0; i < MBS_COUNT(inputs); ++i) {
    MBS_TAKE(context, arena, *inputs[i], watch->tape->input_count);
  }
  MBS_TAKE(context, arena, watch->outputs, count);
  MBS_TAKE(context, arena, watch->other, count);
  MBS_TAKE(context, arena, watch->bend[0], count);
  MBS_TAKE(context, arena, watch->bend[1], count);
  return MBS_OK;
}

MbsStatus mbs_guards_create(MbsContext *context, MbsSystem *system, MbsGuards *guards) {
  const MbsBlueprint *blueprint = system->blueprint;
  *guards = (MbsGuards){.system = system, .count = blueprint->jumps.count};
  MBS_TAKE(context, system->arena, guards->watches, guards->count);
  for (int i = 0; i < guards->count; ++i) {
    MBS_TRY(create_watch(context, system, &blueprint->jumps.items[i], &guards->watches[i]));
  }
  return MBS_OK;
}

static bool may_jump(const MbsGuard *guard) { return mbs_operation_jumps(guard->spec->operation); }

// is it passed at whole numbers?
static bool counts(const MbsGuard *guard) {
  return guard->spec->operation == MBS_OP_FLOOR || guard->spec->operation == MBS_OP_TABLE;
}

// NaN: on neither side, or not a number
static double side_of(const MbsGuard *guard, mbs_scalar value) {
  double g = mbs_re(value);
  bool is_zero_above = guard->spec->operation != MBS_OP_SIGN;
  if (counts(guard)) {
    return mbs_re(mbs_floor(value));
  }
  return g > 0 || (is_zero_above && g >= 0) ? 1 : g < 0 ? -1 : (double)NAN;
}

// from where the function jumps or has its kink: zero, of floor the nearest whole number
static double distance_of(const MbsGuard *guard, double value) {
  return counts(guard) ? value - mbs_re(mbs_floor(value + 0.5)) : value;
}

// guards, then values, at a fraction of the way from the state before
static void evaluate_between(const MbsJumpWatch *watch, double fraction, mbs_scalar *outputs) {
  for (int s = 0; s < watch->tape->input_count; ++s) {
    watch->between[s] = watch->before[s] + fraction * (watch->now[s] - watch->before[s]);
  }
  mbs_tape_evaluate(watch->tape, watch->between, outputs);
}

// where guard k leaves its side for `side`, or for the one next to it on the way, as two fractions with nothing in
// between
static void enclose(const MbsJumpWatch *watch, int k, double side, double *low, double *high) {
  enum { MOST = 1100 };  // of halvings, down to the smallest number
  double from = watch->guards[k].side;
  *low = 0;
  *high = 1;
  for (int i = 0; i < MOST; ++i) {
    double middle = *low + (*high - *low) / 2;
    if (middle <= *low || middle >= *high) {
      return;
    }
    evaluate_between(watch, middle, watch->outputs);
    double there = side_of(&watch->guards[k], watch->outputs[k]);
    *((side > from ? there > from : there < from) ? high : low) = middle;
  }
}

// of the values at the last two states
static double size_of(const MbsJumpWatch *watch) {
  double size = 0;
  evaluate_between(watch, 0, watch->outputs);
  evaluate_between(watch, 1, watch->other);
  for (int i = watch->spec->guard_count; i < watch->spec->guard_count + watch->spec->value_count; ++i) {
    double ends[2] = {mbs_re(mbs_abs(watch->outputs[i])), mbs_re(mbs_abs(watch->other[i]))};
    size = ends[0] > size ? ends[0] : size;
    size = ends[1] > size ? ends[1] : size;
  }
  return size;
}

// Does the expression jump where guard k passes zero? Where it is continuous, rounding of its numbers remains.
static bool does_jump(const MbsJumpWatch *watch, double low, double high) {
  const double rounding = 1e-9;
  int guard_count = watch->spec->guard_count;
  double jump = 0, size = size_of(watch);
  evaluate_between(watch, low, watch->outputs);
  evaluate_between(watch, high, watch->other);
  for (int i = guard_count; i < guard_count + watch->spec->value_count; ++i) {
    double change = mbs_re(mbs_abs(watch->other[i] - watch->outputs[i]));
    jump = change > jump ? change : jump;
  }
  return jump > rounding * size;
}

// Is there a kink at the present state? A factor of 16 in e makes one of 16 in the second difference of a kink, 256 of
// what is smooth, 1 of a jump.
static bool has_kink(const MbsJumpWatch *watch) {
  const double e = 1e-3, factor = 16, rounding = 1e-9;
  int first = watch->spec->guard_count, end = first + watch->spec->value_count;
  double least = rounding * size_of(watch);
  for (int k = 0; k < 2; ++k) {
    double ahead = k == 0 ? e : e / factor;
    evaluate_between(watch, 1 - ahead, watch->bend[k]);
    evaluate_between(watch, 1 + ahead, watch->outputs);
    evaluate_between(watch, 1, watch->other);
    for (int i = first; i < end; ++i) {
      watch->bend[k][i] += watch->outputs[i] - 2 * watch->other[i];
    }
  }
  for (int i = first; i < end; ++i) {
    double coarse = mbs_re(mbs_abs(watch->bend[0][i])), ratio = coarse / mbs_re(mbs_abs(watch->bend[1][i]));
    if (coarse > least && ratio > factor / 4 && ratio < factor * 4) {
      return true;
    }
  }
  return false;
}

static void cross(MbsJumpWatch *watch, int k, double side, double t_before, double t) {
  double low, high;
  enclose(watch, k, side, &low, &high);
  if (!does_jump(watch, low, high)) {
    return;
  }
  bool is_fixed = watch->guards[k].spec->is_fixed;
  long *count = is_fixed ? &watch->fixed_count : &watch->moved_count;
  if ((*count)++ == 0) {
    *(is_fixed ? &watch->fixed_time : &watch->moved_time) = t_before + high * (t - t_before);
  }
}

// Is guard k zero (of floor: a whole number) at the present state, and was it moving?
static bool is_at_zero(const MbsGuard *guard, double value) {
  const double rounding = 1e-9;
  double change = fabs(value - guard->value);                                 // real
  return change > 0 && fabs(distance_of(guard, value)) <= rounding * change;  // real
}

static void meet(MbsJumpWatch *watch, double t) {
  if (has_kink(watch) && watch->kink_count++ == 0) {
    watch->kink_time = t;
  }
}

static void read_inputs(const MbsGuards *guards, MbsJumpWatch *watch, const MbsState *state) {
  mbs_signal_bank_inputs(guards->system, state, watch->tape, NULL, watch->now);
  mbs_signal_bank_inputs(guards->system, state, watch->guard_tape, NULL, watch->guard_inputs);
  mbs_tape_evaluate(watch->guard_tape, watch->guard_inputs, watch->outputs);
}

void mbs_guards_start(const MbsGuards *guards, const MbsState *state) {
  for (int i = 0; i < guards->count; ++i) {
    MbsJumpWatch *watch = &guards->watches[i];
    read_inputs(guards, watch, state);
    watch->moved_count = watch->fixed_count = watch->kink_count = 0;
    for (int k = 0; k < watch->spec->guard_count; ++k) {
      double g = mbs_re(watch->outputs[k]);
      bool is_zero = distance_of(&watch->guards[k], g) == 0;
      watch->guards[k].side = is_zero ? (double)NAN : side_of(&watch->guards[k], g);
      watch->guards[k].value = g;
    }
  }
}

void mbs_guards_jump(const MbsGuards *guards, const MbsState *state) {
  for (int i = 0; i < guards->count; ++i) {
    MbsJumpWatch *watch = &guards->watches[i];
    read_inputs(guards, watch, state);
    for (int k = 0; k < watch->spec->guard_count; ++k) {
      MbsGuard *guard = &watch->guards[k];
      double value = mbs_re(watch->outputs[k]);
      guard->side = distance_of(guard, value) == 0 ? guard->side : side_of(guard, watch->outputs[k]);
      guard->value = value;
    }
  }
}

void mbs_guards_accept(const MbsGuards *guards, const MbsState *state, double t_before) {
  double t = mbs_re(state->t);
  for (int i = 0; i < guards->count; ++i) {
    MbsJumpWatch *watch = &guards->watches[i];
    mbs_scalar *before = watch->now;
    watch->now = watch->before;
    watch->before = before;
    read_inputs(guards, watch, state);
    for (int k = 0; k < watch->spec->guard_count; ++k) {
      MbsGuard *guard = &watch->guards[k];
      double value = mbs_re(watch->outputs[k]);
      double side = side_of(guard, watch->outputs[k]);
      bool is_kink = !guard->spec->is_fixed && is_at_zero(guard, value);
      bool does_cross = may_jump(guard) && (side > guard->side || side < guard->side);
      if (is_kink) {
        meet(watch, t);
      }
      if (does_cross) {
        cross(watch, k, side, t_before, t);
      }
      if (is_kink || does_cross) {
        mbs_tape_evaluate(watch->guard_tape, watch->guard_inputs, watch->outputs);
      }
      double distance = distance_of(guard, value);
      bool is_still_zero = isnan(guard->side) && !(distance > 0 || distance < 0);  // since the start
      guard->side = is_still_zero || isnan(side) ? guard->side : side;
      guard->value = value;
    }
  }
}
