// Functions of a program's own in the expressions of a model: a force law, a torque, a controller's rate, an objective,
// written in C.
//
//   static int push(void *user, int count, const double *x, double *y, double *slopes) {
//     y[0] = -k * x[0] * x[0] * x[0];
//     if (slopes) slopes[0] = -3 * k * x[0] * x[0];
//     return 0;
//   }
//   mbs_model_set_function(context, model, "push", &(MbsModelFunction){.argument_count = 1, .result_count = 1,
//                                                                      .evaluate = push, .has_slopes = true});
//
// and in the model, where expressions of positions and velocities may stand:
//
//   forces: [{coordinate_force: slide(guide), value: push(value)}]      {point_force: bar.P, value: "wind(r(P), v(P),
//   t, c)"}
//
// Arguments are anything that the expression may name: positions, velocities, time, states, parameters, inputs. So
// derivatives by all of these, direct, adjoint and by the complex step, follow from those by the arguments.
#ifndef MBSENS_FUNCTION_H
#define MBSENS_FUNCTION_H

#include <mbsens/mbsens.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum { MBS_MOST_FUNCTION_ARGUMENTS = 64, MBS_MOST_FUNCTION_RESULTS = 3 };

// Derivatives, one of three ways:
//   has_slopes        evaluate fills slopes[result * argument_count + argument], where that is not NULL
//   evaluate_complex  is given, the same function in complex arithmetic: derivatives are its complex steps
//   neither           differences, which steps are solved with; gradients are refused, but with numerical derivatives
// The complex step of a whole run uses `evaluate_complex`, or else the slopes. Both functions return 0, or another
// number where they have no value: the run then ends with an error that names the force. They depend on nothing but
// their arguments, are called in every iteration, from every thread that runs the model, and must not call mbsens.
typedef struct MbsModelFunction {
  int argument_count;  // numbers: a vector is as many as it has components
  int result_count;    // 1: a number; 2 or 3: a vector
  int (*evaluate)(void *user, int argument_count, const double *arguments, double *results, double *slopes);
  bool has_slopes;
  // real and imaginary part of each number one after the other (double _Complex in C, std::complex<double> in C++)
  int (*evaluate_complex)(void *user, int argument_count, const double *arguments, double *results);
  void *user;
} MbsModelFunction;

// Before the model is used; again: another one in its place. `function` is copied; `user` must outlive what uses the
// model. The name is that of no function, table or parameter of the model.
MbsStatus mbs_model_set_function(MbsContext *context, MbsModel *model, const char *name,
                                 const MbsModelFunction *function);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
