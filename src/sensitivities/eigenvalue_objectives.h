// Objectives {eigenvalue: ...}: a number of one mode of the motion near the start, which is the equilibrium where one
// is looked for (linearization/linear_point.h). No run knows of them: they are filled in beside it. Double only.
#ifndef MBS_EIGENVALUE_OBJECTIVES_H
#define MBS_EIGENVALUE_OBJECTIVES_H

#include <complex.h>
#include <mbsens/mbsens.h>

#include "integrators/path.h"
#include "model/model.h"
#include "model/settings.h"

typedef enum MbsEigenPart { MBS_EIGEN_REAL, MBS_EIGEN_IMAG, MBS_EIGEN_FREQUENCY, MBS_EIGEN_DAMPING } MbsEigenPart;

typedef struct MbsEigenObjective {
  int place;  // among the chosen objectives
  const char *name;
  MbsPlace where;
  MbsEigenPart part;
  int mode;                // its number when it was first looked at; then it is followed by its shape
  double _Complex value;   // the eigenvalue, of a pair the one with a positive imaginary part,
  double _Complex *y, *x;  // with left and right eigenvectors
  int repeated;            // how often it is there
} MbsEigenObjective;

typedef struct MbsEigenObjectives {
  int count;  // 0: there are none
  MbsEigenObjective *items;
  MbsArena *arena;
  const MbsModel *model;
  MbsSettings settings;
  int size;      // of the matrix; 0: not looked at yet
  MbsPath path;  // with the coordinates that were chosen then
} MbsEigenObjectives;

// Those among the chosen objectives, by index in the model.
MbsStatus mbs_eigen_create(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsSettings *settings,
                           int objective_count, const int *objectives, MbsEigenObjectives *eigen);
// Their values into those of all chosen ones. parameters: of all of the model; NULL: its own.
MbsStatus mbs_eigen_values(MbsContext *context, MbsEigenObjectives *eigen, const double *parameters, double *values);
// Their gradients by columns, at the parameters of the last values: of each one row of `count` numbers, by place. A
// complex step in each parameter, whatever the method of the run is.
MbsStatus mbs_eigen_gradient(MbsContext *context, const MbsEigenObjectives *eigen, const double *parameters, int count,
                             const int *columns, double *gradient);

#endif
