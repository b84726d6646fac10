// The step of kinematics: no equations are integrated, each position is found from constraints and drivers (P3 section
// 2.2), beginning where the last velocity and acceleration lead; velocities likewise, accelerations and the forces that
// the motion needs from the equations of motion. So every step is a start of its own, derivative and transpose
// included.
#include "integrators/kinematic.h"
#include "integrators/implicit.h"

typedef struct Kinematic {
  MbsStepper base;
  MbsImplicit *implicit;
  MbsInitial *initial;
} Kinematic;

static Kinematic *self(MbsStepper *stepper) { return (Kinematic *)stepper; }
static const MbsImplicit *start_of(const MbsStepper *stepper) { return ((const Kinematic *)stepper)->implicit; }

static void destroy(MbsStepper *stepper) { mbs_implicit_destroy(self(stepper)->implicit); }

static MbsStatus find_forces(MbsContext *context, MbsStepper *stepper, MbsState *state) {
  MbsImplicit *implicit = self(stepper)->implicit;
  implicit->base.iterations = 0;
  MBS_TRY(mbs_implicit_start(context, implicit, state));
  stepper->iterations += implicit->base.iterations;
  return MBS_OK;
}

static MbsStatus start(MbsContext *context, MbsStepper *stepper, const MbsPath *followed, MbsState *state) {
  (void)followed;
  mbs_implicit_forget(self(stepper)->implicit);
  return find_forces(context, stepper, state);
}

static MbsStatus step_to(MbsContext *context, MbsStepper *stepper, MbsStep *step, MbsState *state) {
  MbsInitial *initial = self(stepper)->initial;
  mbs_scalar h = step->h;
  step->set = 0;
  for (int i = 0; i < initial->system->n; ++i) {
    state->q[i] += h * state->v[i] + h * h / 2 * state->a[i];
  }
  MBS_TRY(mbs_initial_solve(context, initial, state, false));
  return find_forces(context, stepper, state);
}

static MbsStatus derivative(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state,
                            const MbsColumns *columns) {
  if (step->number > 0) {
    MBS_TRY(mbs_initial_derivative(context, self(stepper)->initial, state, columns->X, columns->V, columns->A));
  }
  return mbs_implicit_start_derivative(context, self(stepper)->implicit, state, columns);
}

static void put_row(const MbsStepper *stepper, const MbsState *state, mbs_scalar *row) {
  mbs_implicit_put_row(start_of(stepper), state, row);
}

static MbsStatus recall(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const mbs_scalar *row,
                        MbsState *state) {
  (void)step;
  return mbs_implicit_recall(context, self(stepper)->implicit, 0, row, state);
}

static MbsStatus prepare(MbsContext *context, MbsStepper *stepper, const MbsStep *step, const MbsState *state) {
  MBS_TRY(mbs_implicit_prepare_transposed(context, self(stepper)->implicit, 0));
  return step->number > 0 ? mbs_initial_factor(context, self(stepper)->initial, state) : MBS_OK;
}

static void transposed(MbsStepper *stepper, const MbsStep *step, const MbsStep *next, const MbsState *state,
                       const MbsStateBar *bar, mbs_scalar *carry) {
  (void)next;
  mbs_implicit_start_transposed(self(stepper)->implicit, state, bar, carry);
  if (step->number > 0) {
    mbs_initial_transposed(self(stepper)->initial, state, bar);
  }
}

static int save_size(const MbsStepper *stepper) { return mbs_implicit_save_size(start_of(stepper)); }
static void save(const MbsStepper *stepper, mbs_scalar *to) { mbs_implicit_save(start_of(stepper), to); }

static void restore(MbsStepper *stepper, const mbs_scalar *from, const MbsState *state) {
  (void)state;
  mbs_implicit_restore(self(stepper)->implicit, from);
}

static MbsSparseSolver *watched(const MbsStepper *stepper, mbs_scalar **values, int *power) {
  return mbs_implicit_type.watched(&start_of(stepper)->base, values, power);
}

static mbs_scalar *carried_columns(const MbsStepper *stepper) { return start_of(stepper)->W; }

static MbsSparseSolver *solver(const MbsStepper *stepper, int index) {
  return mbs_implicit_type.solver(&start_of(stepper)->base, index);
}

static const MbsStepperType type = {
    .destroy = destroy,
    .start = start,
    .step = step_to,
    .derivative = derivative,
    .put_row = put_row,
    .recall = recall,
    .prepare = prepare,
    .transposed = transposed,
    .save_size = save_size,
    .save = save,
    .restore = restore,
    .watched = watched,
    .carried_columns = carried_columns,
    .solver = solver,
};

MbsStatus mbs_kinematic_create(MbsContext *context, MbsImplicit *implicit, MbsInitial *initial, MbsStepper **stepper) {
  Kinematic *kinematic;
  MBS_TAKE(context, initial->system->arena, kinematic, 1);
  kinematic->base =
      (MbsStepper){.type = &type, .carry_size = implicit->base.carry_size, .row_size = implicit->base.row_size};
  kinematic->implicit = implicit;
  kinematic->initial = initial;
  *stepper = &kinematic->base;
  return MBS_OK;
}
