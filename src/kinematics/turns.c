// How many turns the angles have made at the start.
//
// An angle is theta = p(q) + 2 pi n: its principal value and whole turns. Drivers, independent coordinates with a value
// and constraints are equations between real angles, phi(q, n) = 0: a crank may start at 30 rad, and the second wheel
// of a gear then at 2.5 times that. So the position problem has the counts n as unknowns, too:
//  - Each equation tells the count of one angle (claim): an equation with one angle that nothing tells yet first, so
//    that a gear's second wheel follows its first; of several angles the one that counts there most like itself. Angles
//    that no equation tells start at their principal values.
//  - At each of Newton's iterations n is what brings each equation nearest to zero, the other angles as they are there:
//        n <- n - round(phi / (phi(n + 1) - phi(n))).
//  - A step dq that turns an angle by more than half a turn, d theta = p_q dq, is not made: the whole turns in it go to
//    the count, and the step is solved for again. Equations that are linear in the angles tell all of them rightly in
//    the first step, whatever their counts were; what a bad guess in a closed loop told wrongly the next iteration
//    mends.
// So no wheel moves by more than half a turn on the way from the guess, however many turns it has made.
#include <math.h>

#include "kinematics/initial.h"

static const double two_pi = 6.283185307179586476925286766559;

// constraint k, or independent coordinate k - m: how far it is off its value; signals and turns as they are
static double distance(const MbsInitial *initial, int k, const MbsState *state) {
  const MbsSystem *system = initial->set.system;
  if (k >= system->m) {
    int index = k - system->m;
    return mbs_re(mbs_independent_set_value(&initial->set, index, state) - system->independents.value[2 * index]);
  }
  mbs_scalar level[3];
  mbs_terms_constraint(system, k, state, level);
  return mbs_re(level[0]);
}

// what a turn more of an angle changes in it
static double change_by_turn(const MbsInitial *initial, int k, const MbsState *state, int angle) {
  mbs_scalar *turns = &initial->set.system->signals.turns[angle], before = *turns;
  double off = distance(initial, k, state);
  *turns = before + 1;
  double change = distance(initial, k, state) - off;
  *turns = before;
  return change;
}

// ---- which equation tells which angle ----
typedef struct Equation {
  int k;
  int count;  // of the angles in it
  int *angles;
  double *changes;
} Equation;

static MbsStatus list_angles(MbsContext *context, MbsArena *scratch, const MbsInitial *initial, const MbsState *state,
                             Equation *equation) {
  const double least = 1e-6;
  const MbsSystem *system = initial->set.system;
  const MbsBlueprint *blueprint = system->blueprint;
  int k = equation->k, input_count;
  const int *inputs;
  MbsNode node =
      k < system->m ? blueprint->rows.items[k].expression : blueprint->independents.items[k - system->m].coordinate;
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, node, &input_count, &inputs));
  MBS_TAKE(context, scratch, equation->angles, input_count);
  MBS_TAKE(context, scratch, equation->changes, input_count);
  for (int s = 0; s < input_count; ++s) {
    const MbsSignal *signal = &blueprint->signals.items[inputs[s]];
    double change = signal->kind == MBS_SIGNAL_TURN ? change_by_turn(initial, k, state, signal->index) : 0;
    if (fabs(change) > least) {  // real
      equation->angles[equation->count] = signal->index;
      equation->changes[equation->count++] = change;
    }
  }
  return MBS_OK;
}

// drivers, independent coordinates, other constraints
static MbsStatus list_equations(MbsContext *context, MbsArena *scratch, const MbsInitial *initial,
                                const MbsState *state, int *count, Equation *equations) {
  const MbsSystem *system = initial->set.system;
  for (int pass = 0; pass < 3; ++pass) {
    int first = pass == 1 ? system->m : 0, end = pass == 1 ? system->m + initial->set.count : system->m;
    for (int k = first; k < end; ++k) {
      const MbsRowSpec *row = k < system->m ? &system->blueprint->rows.items[k] : NULL;
      bool is_asked =
          !row || (row->kind == MBS_ROW_EXPRESSION && !row->is_nonholonomic && row->is_driver == (pass == 0));
      if (is_asked) {
        equations[*count] = (Equation){.k = k};
        MBS_TRY(list_angles(context, scratch, initial, state, &equations[(*count)++]));
      }
    }
  }
  return MBS_OK;
}

// how unlike the angle itself, as the second of a joint or gear, it counts there
static double unlikeness(double change) {
  return fabs(log(fabs(change) / two_pi)) + (change < 0 ? 1e-6 : 0);  // real
}

// of the angles that nothing tells yet, how many are in an equation, and which is the likeliest
static int open_angles(const MbsInitial *initial, const Equation *equation, int *likeliest) {
  int open = 0;
  double least = HUGE_VAL;
  *likeliest = -1;
  for (int i = 0; i < equation->count; ++i) {
    if (!initial->set.system->signals.is_expected[equation->angles[i]]) {
      ++open;
      if (unlikeness(equation->changes[i]) < least) {
        least = unlikeness(equation->changes[i]);
        *likeliest = equation->angles[i];
      }
    }
  }
  return open;
}

static MbsStatus claim(MbsContext *context, MbsInitial *initial, Equation *equation, int angle) {
  MbsSystem *system = initial->set.system;
  MbsTurnCount *made = &initial->turn_counts[initial->turn_count];
  *made = (MbsTurnCount){.equation = equation->k, .angle = angle};
  MBS_TRY(mbs_function_create(context, system, "principal value of an angle", mbs_nowhere,
                              system->blueprint->turns.items[angle], &made->principal));
  system->signals.is_expected[angle] = true;
  initial->turn_count += 1;
  equation->count = 0;
  return MBS_OK;
}

// equations with one open angle as long as there are any; else the first that has several
static MbsStatus claim_all(MbsContext *context, MbsInitial *initial, int count, Equation *equations) {
  for (bool is_any = true; is_any;) {
    Equation *several = NULL;
    int of_several = -1, angle;
    is_any = false;
    for (int i = 0; i < count; ++i) {
      int open = open_angles(initial, &equations[i], &angle);
      if (open == 1) {
        MBS_TRY(claim(context, initial, &equations[i], angle));
        is_any = true;
      } else if (open > 1 && !several) {
        several = &equations[i];
        of_several = angle;
      }
    }
    if (!is_any && several) {
      MBS_TRY(claim(context, initial, several, of_several));
      is_any = true;
    }
  }
  return MBS_OK;
}

static MbsStatus choose(MbsContext *context, MbsArena *scratch, MbsInitial *initial, const MbsState *state) {
  Equation *equations;
  int count = 0;
  MBS_TAKE(context, scratch, equations, initial->set.system->m + initial->set.count);
  MBS_TRY(list_equations(context, scratch, initial, state, &count, equations));
  return claim_all(context, initial, count, equations);
}

MbsStatus mbs_turns_create(MbsContext *context, MbsInitial *initial, const MbsState *state) {
  MbsSystem *system = initial->set.system;
  if (system->signals.turn_count == 0) {
    return MBS_OK;
  }
  MBS_TAKE(context, system->arena, initial->turn_counts, system->signals.turn_count);
  mbs_signal_bank_follow(system, state);
  MbsArena *scratch = mbs_arena_create_for(context);
  MbsStatus status = scratch ? choose(context, scratch, initial, state)
                             : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  mbs_arena_destroy(scratch);
  MBS_TRY(status);
  mbs_turns_tell(initial, state);
  return MBS_OK;
}

// ---- counting ----
void mbs_turns_forget(const MbsInitial *initial) {
  const MbsSignalBank *bank = &initial->set.system->signals;
  for (int i = 0; i < bank->turn_count; ++i) {
    bank->previous[i] = 0;
  }
}

void mbs_turns_tell(const MbsInitial *initial, const MbsState *state) {
  const MbsSystem *system = initial->set.system;
  if (initial->turn_count == 0) {
    return;
  }
  mbs_signal_bank_follow(system, state);
  for (int i = 0; i < initial->turn_count; ++i) {
    const MbsTurnCount *count = &initial->turn_counts[i];
    double more =
        -distance(initial, count->equation, state) / change_by_turn(initial, count->equation, state, count->angle);
    if (isfinite(more)) {
      mbs_signal_bank_expect(system, count->angle, mbs_re(system->signals.turns[count->angle]) + round(more));  // real
    }
  }
}

// d theta = -p_q step
static double turned_by(const MbsInitial *initial, const MbsTurnCount *count, const MbsState *state,
                        const mbs_scalar *step) {
  const MbsSystem *system = initial->set.system;
  double sum = 0;
  for (int i = 0; i < system->nq; ++i) {
    initial->set.gradient[i] = 0;
  }
  (void)mbs_function_evaluate(system, &count->principal, state, NULL);
  mbs_function_transposed(system, &count->principal, state, 1, &(MbsStateBar){.q = initial->set.gradient});
  for (int i = 0; i < system->n; ++i) {
    sum -= mbs_re(initial->set.gradient[i]) * mbs_re(step[i]);
  }
  return sum;
}

bool mbs_turns_take(const MbsInitial *initial, const MbsState *state, const mbs_scalar *step) {
  const MbsSignalBank *bank = &initial->set.system->signals;
  bool is_any = false;
  for (int i = 0; i < initial->turn_count; ++i) {
    const MbsTurnCount *count = &initial->turn_counts[i];
    double more = round(turned_by(initial, count, state, step) / two_pi);  // real
    if (isfinite(more) && more != 0) {
      mbs_signal_bank_expect(initial->set.system, count->angle, mbs_re(bank->turns[count->angle]) + more);
      is_any = true;
    }
  }
  return is_any;
}
