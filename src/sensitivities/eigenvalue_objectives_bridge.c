// See eigenvalue_objectives.h. With A x = w x and y^H A = w y^H of the motion x' = A x near the start
//     w' = y^H A' x / y^H x,        A' by a complex step, with what the start itself moves by
//     frequency |w| / 2 pi,  damping -Re w / |w|,  |w|' = Re(conj(w) w') / |w|
// After the first time the mode is the one whose shape is nearest to what it was the last time (x0, y0):
//     |y0^H x| |y^H x0| / (|y0^H x0| |y^H x|),   1 for the same mode, 0 for another, in all units
#include "sensitivities/eigenvalue_objectives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/eigenvalues.h"
#include "linearization/linear_point.h"

static const double equal = 1e-9, least_product = 1e-6, least_likeness = 0.5;

// ---- set-up ----
MbsStatus mbs_eigen_create(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsSettings *settings,
                           int objective_count, const int *objectives, MbsEigenObjectives *eigen) {
  static const char *const parts[] = {"real", "imag", "frequency", "damping"};
  const MbsValue *written = mbs_record_value(&model->root, MBS_MODEL_OBJECTIVES);
  *eigen = (MbsEigenObjectives){.arena = arena, .model = model, .settings = *settings};
  MBS_TAKE(context, arena, eigen->items, objective_count);
  for (int i = 0; i < objective_count; ++i) {
    const MbsRecord *record = &written->records[objectives[i]];
    if (mbs_record_value(record, MBS_OBJECTIVE_EIGENVALUE)->is_given) {
      MbsEigenObjective *item = &eigen->items[eigen->count++];
      MbsText part = mbs_record_text(record, MBS_OBJECTIVE_EIGENVALUE);
      MbsText mode = mbs_record_text(record, MBS_OBJECTIVE_MODE);
      *item = (MbsEigenObjective){.place = i, .name = record->name.text, .where = part.place};
      for (int k = 0; k < MBS_COUNT(parts); ++k) {
        item->part = strcmp(part.text, parts[k]) == 0 ? (MbsEigenPart)k : item->part;
      }
      item->mode = (int)strtol(mode.text, NULL, 10);
      if (item->mode < 1) {
        return mbs_fail(context, MBS_ERROR_INPUT, mode.place,
                        "objective \"%s\": mode: the first mode has number 1, got %s", item->name, mode.text);
      }
    }
  }
  return MBS_OK;
}

// ---- values ----
static double _Complex product(int n, const double _Complex *y, const double _Complex *x) {
  double _Complex sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += conj(y[i]) * x[i];
  }
  return sum;
}

typedef struct Spectrum {
  int size;
  double _Complex *value, *left, *right;
} Spectrum;

static bool is_oscillation(double _Complex w) { return fabs(cimag(w)) > equal * cabs(w); }

// the mode of that number, or the one that it has become
static MbsStatus find_mode(MbsContext *context, const MbsEigenObjective *item, const Spectrum *spectrum, int *mode) {
  int n = spectrum->size;
  if (!item->x) {
    *mode = item->mode - 1;
    return item->mode <= n
               ? MBS_OK
               : mbs_fail(context, MBS_ERROR_INPUT, item->where,
                          "objective \"%s\": there are %d modes (mbsens linearize), and number %d is asked for",
                          item->name, n, item->mode);
  }
  double best = 0;
  for (int k = 0; k < n; ++k) {
    const double _Complex *x = spectrum->right + (size_t)k * (size_t)n, *y = spectrum->left + (size_t)k * (size_t)n;
    double both = cabs(product(n, item->y, x)) * cabs(product(n, y, item->x));
    double whole = cabs(product(n, item->y, item->x)) * cabs(product(n, y, x));
    double likeness = whole > 0 ? both / whole : 0;
    if (likeness > best) {
      best = likeness;
      *mode = k;
    }
  }
  return best >= least_likeness
             ? MBS_OK
             : mbs_fail(
                   context, MBS_ERROR_NUMERICAL, item->where,
                   "objective \"%s\": no mode has a shape like that of mode %d any more (likeness %.2g): it cannot "
                   "be followed so far",
                   item->name, item->mode, best);
}

static MbsStatus take_mode(MbsContext *context, const MbsEigenObjectives *eigen, MbsEigenObjective *item,
                           const Spectrum *spectrum) {
  size_t n = (size_t)spectrum->size;
  int mode = 0;
  MBS_TRY(find_mode(context, item, spectrum, &mode));
  if (!item->x) {
    MBS_TAKE(context, eigen->arena, item->y, n);
    MBS_TAKE(context, eigen->arena, item->x, n);
  }
  bool is_conjugate = cimag(spectrum->value[mode]) < 0;
  item->value = is_conjugate ? conj(spectrum->value[mode]) : spectrum->value[mode];
  item->repeated = 0;
  for (size_t k = 0; k < n; ++k) {
    double apart = cabs(spectrum->value[k] - spectrum->value[mode]);
    item->repeated += apart <= equal * cabs(item->value) || apart <= 1e-12 * cabs(spectrum->value[n - 1]);
  }
  for (size_t i = 0; i < n; ++i) {
    double _Complex x = spectrum->right[(size_t)mode * n + i], y = spectrum->left[(size_t)mode * n + i];
    item->x[i] = is_conjugate ? conj(x) : x;
    item->y[i] = is_conjugate ? conj(y) : y;
  }
  return MBS_OK;
}

static double value_of(const MbsEigenObjective *item) {
  double size = cabs(item->value);
  switch (item->part) {
    case MBS_EIGEN_REAL: return creal(item->value);
    case MBS_EIGEN_IMAG: return cimag(item->value);
    case MBS_EIGEN_FREQUENCY: return size / (2 * acos(-1.0));
    case MBS_EIGEN_DAMPING: return size > 0 ? -creal(item->value) / size : 0;
  }
  return (double)NAN;
}

static double slope_of(const MbsEigenObjective *item, double _Complex slope) {
  double size = cabs(item->value), of_size = creal(conj(item->value) * slope) / size;
  switch (item->part) {
    case MBS_EIGEN_REAL: return creal(slope);
    case MBS_EIGEN_IMAG: return is_oscillation(item->value) ? cimag(slope) : 0;
    case MBS_EIGEN_FREQUENCY: return of_size / (2 * acos(-1.0));
    case MBS_EIGEN_DAMPING: return -creal(slope) / size + creal(item->value) * of_size / (size * size);
  }
  return (double)NAN;
}

static MbsLinearRequest request_of(const MbsEigenObjectives *eigen, const double *parameters, bool is_followed) {
  return (MbsLinearRequest){.settings = eigen->settings,
                            .parameters = parameters,
                            .perturbed = -1,
                            .followed = is_followed ? &eigen->path : NULL};
}

static MbsStatus evaluate(MbsContext *context, MbsArena *scratch, MbsEigenObjectives *eigen, const double *parameters,
                          double *values) {
  const MbsLinearRequest request = request_of(eigen, parameters, eigen->size > 0);
  MbsStateSpace space;
  MbsPath path;
  Spectrum spectrum;
  MBS_TRY(mbs_twin_state_space(context, scratch, eigen->model, &request, &space, &path));
  if (eigen->size == 0) {
    MBS_TRY(mbs_path_copy(context, eigen->arena, &path, &eigen->path));
    eigen->size = space.size;
  }
  MBS_CHECK(context, eigen->size == space.size);
  size_t square = (size_t)space.size * (size_t)space.size;
  spectrum.size = space.size;
  MBS_TAKE(context, scratch, spectrum.value, space.size);
  MBS_TAKE(context, scratch, spectrum.left, square);
  MBS_TAKE(context, scratch, spectrum.right, square);
  MBS_TRY(mbs_eigenvalues(context, scratch, space.size, space.A, spectrum.value, spectrum.left, spectrum.right));
  for (int i = 0; i < eigen->count; ++i) {
    MBS_TRY(take_mode(context, eigen, &eigen->items[i], &spectrum));
    values[eigen->items[i].place] = value_of(&eigen->items[i]);
  }
  return MBS_OK;
}

MbsStatus mbs_eigen_values(MbsContext *context, MbsEigenObjectives *eigen, const double *parameters, double *values) {
  if (eigen->count == 0) {
    return MBS_OK;
  }
  MbsArena *scratch = mbs_arena_create_for(context);
  MbsStatus status = scratch ? evaluate(context, scratch, eigen, parameters, values)
                             : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  mbs_arena_destroy(scratch);
  return status;
}

// ---- gradients ----
static MbsStatus check_simple(MbsContext *context, const MbsEigenObjective *item, int size) {
  bool is_defective = !(cabs(product(size, item->y, item->x)) > least_product);
  bool is_zero = !(cabs(item->value) > 0) && item->part >= MBS_EIGEN_FREQUENCY;
  if (is_defective || item->repeated > 1) {
    return mbs_fail(context, MBS_ERROR_NUMERICAL, item->where,
                    is_defective
                        ? "objective \"%s\": its eigenvalue, %.6g %+.6gi, is defective, with fewer shapes than "
                          "it is repeated: it has no derivative"
                        : "objective \"%s\": its eigenvalue, %.6g %+.6gi, is there more than once, and its "
                          "branches have no common derivative (mbsens linearize gives those of each)",
                    item->name, creal(item->value), cimag(item->value));
  }
  return is_zero ? mbs_fail(context, MBS_ERROR_NUMERICAL, item->where,
                            "objective \"%s\": its eigenvalue is zero, where frequency and damping have no derivative",
                            item->name)
                 : MBS_OK;
}

MbsStatus mbs_eigen_gradient(MbsContext *context, const MbsEigenObjectives *eigen, const double *parameters, int count,
                             const int *columns, double *gradient) {
  int n = eigen->size;
  for (int i = 0; i < eigen->count && count > 0; ++i) {
    MBS_TRY(check_simple(context, &eigen->items[i], n));
  }
  for (int k = 0; k < count && eigen->count > 0; ++k) {
    MbsLinearRequest request = request_of(eigen, parameters, true);
    MbsStateSpace moved;
    MbsArena *scratch = mbs_arena_create_for(context);
    if (!scratch) {
      return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
    request.perturbed = columns[k];
    MbsStatus status = mbs_complex_state_space(context, scratch, eigen->model, &request, &moved, NULL);
    for (int i = 0; i < eigen->count && status == MBS_OK; ++i) {
      const MbsEigenObjective *item = &eigen->items[i];
      double _Complex sum = 0;
      for (int r = 0; r < n * n; ++r) {
        sum += conj(item->y[r / n]) * moved.A[r] * item->x[r % n];
      }
      gradient[item->place * count + k] = slope_of(item, sum / product(n, item->y, item->x));
    }
    mbs_arena_destroy(scratch);
    MBS_TRY(status);
  }
  return MBS_OK;
}
