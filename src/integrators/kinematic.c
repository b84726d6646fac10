// The step of kinematics: no equations are integrated, each position is found from constraints and drivers (P3 section
// 2.2), beginning where the last velocity and acceleration lead; velocities likewise, accelerations and the forces that
// the motion needs from the equations of motion. So every step is a start of its own, derivative and transpose
// included: that of an implicit stepper, which it is in everything else.
#include "integrators/kinematic.h"

typedef struct Kinematic {
  MbsImplicit implicit;
  MbsStepperType type;
  MbsInitial *initial;
} Kinematic;

static Kinematic *self(MbsStepper *stepper) { return (Kinematic *)stepper; }  // the stepper is its first member's first

static MbsStatus step_to(MbsContext *context, MbsStepper *stepper, MbsStep *step, MbsState *state) {
  MbsInitial *initial = self(stepper)->initial;
  mbs_scalar h = step->h;
  step->set = 0;
  for (int i = 0; i < initial->set.system->n; ++i) {
    state->q[i] += h * state->v[i] + h * h / 2 * state->a[i];
  }
  MBS_TRY(mbs_initial_solve(context, initial, state, false));
  return mbs_implicit_start(context, &self(stepper)->implicit, state);
}

static MbsStatus derivative(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state,
                            const MbsColumns *columns) {
  if (step->number > 0) {
    MBS_TRY(mbs_initial_derivative(context, self(stepper)->initial, state, columns->X, columns->V, columns->A));
  }
  return mbs_implicit_start_derivative(context, &self(stepper)->implicit, state, columns);
}

static MbsStatus recall(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const mbs_scalar *row,
                        MbsState *state) {
  (void)step;
  return mbs_implicit_recall(context, &self(stepper)->implicit, 0, row, state);
}

static MbsStatus prepare(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state) {
  MBS_TRY(mbs_implicit_prepare_transposed(context, &self(stepper)->implicit, 0));
  return step->number > 0 ? mbs_initial_factor(context, self(stepper)->initial, state) : MBS_OK;
}

static void transposed(MbsStepper *stepper, const MbsStep *step, const MbsStep *next, const MbsState *state,
                       const MbsStateBar *bar, mbs_scalar *carry) {
  (void)next;
  mbs_implicit_start_transposed(&self(stepper)->implicit, state, bar, carry);
  if (step->number > 0) {
    mbs_initial_transposed(self(stepper)->initial, state, bar);
  }
}

MbsStatus mbs_kinematic_create(MbsContext *context, MbsFormulation *formulation, const MbsSettings *settings,
                               MbsInitial *initial, MbsStepper **stepper) {
  Kinematic *kinematic;
  MBS_TAKE(context, initial->set.system->arena, kinematic, 1);
  *stepper = &kinematic->implicit.base;
  MBS_TRY(mbs_implicit_create(context, formulation, settings, initial->set.redundant_count > 0, &kinematic->implicit));
  kinematic->initial = initial;
  kinematic->type = mbs_implicit_type;
  kinematic->type.step = step_to;
  kinematic->type.derivative = derivative;
  kinematic->type.recall = recall;
  kinematic->type.prepare = prepare;
  kinematic->type.transposed = transposed;
  kinematic->type.backward = NULL;
  kinematic->implicit.base.type = &kinematic->type;
  kinematic->implicit.base.gap = 2;  // positions are exact, and integrals by the trapezoidal rule have even powers
  return MBS_OK;
}
