// Second derivatives of objectives by parameters, exact as gradients are: the adjoint run once more with a complex step
// along each direction (docs/sensitivities.md). A product with one direction costs about five adjoints, whatever the
// number of parameters.
#ifndef MBSENS_HESSIAN_H
#define MBSENS_HESSIAN_H

#include <mbsens/mbsens.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct MbsHessian {
  const char *model;
  int parameter_count;
  const char *const *parameters;
  const double *parameter_values;
  int objective_count;
  const char *const *objectives;
  const double *values;    // objectives
  const double *gradient;  // objectives x parameters
  int direction_count;
  const double *products;  // objectives x directions x parameters: H d; of unit vectors the Hessian itself
  int warning_count;       // kinks (abs, max, stops) within which no step ends
  const char *const *warnings;
} MbsHessian;

// Of the request's objectives by its parameters, with its settings; its method does not count. directions:
// direction_count x parameters (in the request's order), or NULL with 0: the unit vectors.
MbsStatus mbs_hessian(MbsContext *context, const MbsModel *model, const MbsRequest *request, int direction_count,
                      const double *directions, MbsHessian **hessian);
void mbs_hessian_destroy(MbsHessian *hessian);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
