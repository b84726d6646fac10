// How sure the parameters are. With residuals r and derivatives J over the standard deviations at the minimum, of the
// parameters that are not held at a bound:
//
//   covariance      C = (J'J)^-1 = D^-1 V S^-2 V' D^-1,   J = Q R,  R D^-1 = U S V'
//                   D: lengths of the columns of J, so that what is large does not depend on units
//   interval        p_k +- t sqrt(C_kk),  t: Student's for m - n degrees of freedom, where standard deviations are
//                   estimated from the residuals; of the normal distribution where all are given
//   sigma_f         sum r^2 / (m_f - tr H_f) of the residuals of one output f, tr H_f their share of the parameters:
//                   the sum of |R'^-1 J_i'|^2 over its rows (all of them together: n)
//   undetermined    directions D^-1 v_i with s_i far below s_1: along them the outputs hardly change. Of those that
//                   are zero to rounding nothing is known, and no parameter with a part in them has an interval.
//
// Seber, Wild, "Nonlinear Regression", Wiley (1989), chapters 2, 3; Belsley, Kuh, Welsch, "Regression Diagnostics",
// Wiley (1980), chapter 3.
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "optimization/identification.h"
#include "optimization/student.h"

// LAPACK, by columns
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *info);

static const double rounding = 1e-8;  // s_i / s_1 below this: nothing is known along it
static const double hardly = 1e-2;    // below this it is told
static const double part = 1e-3;      // of v_i: what belongs to it
static const double neighbours = 4;   // correlation of residuals that follow each other, in standard deviations

typedef struct Directions {
  int count;        // of parameters that are not held
  int *parameters;  // which
  double *R, *b;    // of these, as the triangle is
  double *lengths;  // D
  double *s;        // singular values, falling
  double *Vt;       // count x count, by columns: v_i[k] = Vt[k * count + i]
} Directions;

MbsStatus mbs_identify_warn(MbsIdentify *identify, const char *format, ...) {
  char sentence[MBS_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  int at = identify->result.warning_count;
  MBS_GROW(identify->context, identify->arena, identify->warnings, at, identify->warning_capacity);
  identify->warnings[at] = mbs_arena_copy_text(identify->arena, sentence);
  identify->result.warnings = identify->warnings;
  identify->result.warning_count += identify->warnings[at] != NULL;
  return MBS_OK;
}

// ---- directions ----
static bool is_held(const MbsIdentify *identify, int k) {
  double slope = 0;
  for (long i = 0; i < identify->residual_count; ++i) {
    slope += identify->J[k * identify->residual_count + i] * identify->r[i];
  }
  return (identify->x[k] <= identify->lower[k] && slope > 0) || (identify->x[k] >= identify->upper[k] && slope < 0);
}

static MbsStatus triangulate(MbsIdentify *identify, Directions *directions) {
  int n = identify->parameter_count;
  size_t m = (size_t)identify->residual_count;
  double *J;
  MBS_TAKE(identify->context, identify->arena, directions->parameters, n);
  MBS_TAKE(identify->context, identify->arena, directions->lengths, n);
  MBS_TAKE(identify->context, identify->arena, directions->R, n * n);
  MBS_TAKE(identify->context, identify->arena, directions->b, n);
  MBS_TAKE(identify->context, identify->arena, J, m * (size_t)n);
  directions->count = 0;
  for (int k = 0; k < n; ++k) {
    if (!is_held(identify, k)) {
      memcpy(J + (size_t)directions->count * m, identify->J + (size_t)k * m, m * sizeof *J);
      directions->parameters[directions->count++] = k;
    }
  }
  return mbs_least_squares_triangle(identify->context, identify->arena, (long)m, directions->count, J, identify->r,
                                    directions->R, directions->b);
}

// R D^-1 = U S V'
static MbsStatus decompose(MbsIdentify *identify, Directions *directions) {
  int n = directions->count, size = 10 * n + 10, info = 0;
  double *a, *work, unused;
  MBS_TAKE(identify->context, identify->arena, a, n * n + 1);
  MBS_TAKE(identify->context, identify->arena, work, size);
  MBS_TAKE(identify->context, identify->arena, directions->s, n + 1);
  MBS_TAKE(identify->context, identify->arena, directions->Vt, n * n + 1);
  for (int k = 0; k < n; ++k) {
    double sum = 0;
    for (int i = 0; i <= k; ++i) {
      sum += directions->R[k * n + i] * directions->R[k * n + i];
    }
    directions->lengths[k] = sum > 0 ? sqrt(sum) : 1;
    for (int i = 0; i <= k; ++i) {
      a[k * n + i] = directions->R[k * n + i] / directions->lengths[k];
    }
  }
  if (n > 0) {
    dgesvd_("N", "A", &n, &n, a, &n, directions->s, &unused, &n, directions->Vt, &n, work, &size, &info);
  }
  MBS_CHECK(identify->context, info == 0);
  return MBS_OK;
}

// ---- standard deviations ----
// |R'^-1 J_i'|^2: the share of residual i in the parameters
static double share(const MbsIdentify *identify, const Directions *directions, long i, double *z) {
  int n = directions->count;
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    z[k] = identify->J[directions->parameters[k] * identify->residual_count + i];
    for (int j = 0; j < k; ++j) {
      z[k] -= directions->R[k * n + j] * z[j];
    }
    z[k] /= directions->R[k * n + k];
    sum += z[k] * z[k];
  }
  return sum;
}

static bool is_regular(const Directions *directions) {
  return directions->count == 0 || directions->s[directions->count - 1] > rounding * directions->s[0];
}

MbsStatus mbs_uncertainty_weigh(MbsIdentify *identify, double *change) {
  Directions directions;
  double *squares, *shares, *factor, *z;
  int fits = identify->fit_count;
  *change = 0;
  MBS_TAKE(identify->context, identify->arena, squares, fits);
  MBS_TAKE(identify->context, identify->arena, shares, fits);
  MBS_TAKE(identify->context, identify->arena, factor, fits);
  MBS_TAKE(identify->context, identify->arena, z, identify->parameter_count);
  MBS_TRY(triangulate(identify, &directions));
  MBS_TRY(decompose(identify, &directions));
  bool has_shares = is_regular(&directions);
  double even = (double)directions.count / (double)identify->residual_count;
  for (long i = 0; i < identify->residual_count; ++i) {
    int f = identify->fit_of[i];
    squares[f] += identify->r[i] * identify->r[i];
    shares[f] += has_shares ? share(identify, &directions, i, z) : even;
  }
  for (int f = 0; f < fits; ++f) {
    MbsOutputFit *fit = &identify->fits[f];
    factor[f] = 1;
    if (fit->is_estimated) {
      double freedom = fmax((double)fit->count - shares[f], 1e-3 * (double)fit->count);
      double sigma = fmax(fit->sigma * sqrt(squares[f] / freedom), 1e-12 * fit->spread);  // data without noise
      factor[f] = fit->sigma / sigma;
      *change = fmax(*change, fabs(log(factor[f])));
      fit->sigma = sigma;
    }
  }
  for (long i = 0; i < identify->residual_count; ++i) {
    identify->r[i] *= factor[identify->fit_of[i]];
    for (int k = 0; k < identify->parameter_count; ++k) {
      identify->J[k * identify->residual_count + i] *= factor[identify->fit_of[i]];
    }
  }
  return MBS_OK;
}

// ---- what nobody knows ----
static double size_of(const MbsIdentify *identify, int k) {
  return identify->x[k] != 0 ? fabs(identify->x[k]) : identify->scale[k];  // real
}

static MbsStatus describe(MbsIdentify *identify, const Directions *directions, int index, MbsUndetermined *told) {
  int n = directions->count, shown = 0;
  double *change, largest = 0, s1 = directions->s[0], s = directions->s[index];
  char list[MBS_MESSAGE_SIZE / 2] = "", alone[200] = "";
  MBS_TAKE(identify->context, identify->arena, change, identify->parameter_count);
  for (int k = 0; k < n; ++k) {
    int p = directions->parameters[k];
    change[p] = directions->Vt[k * n + index] / directions->lengths[k] / size_of(identify, p);
    largest = fabs(change[p]) > fabs(largest) ? change[p] : largest;
  }
  for (int p = 0; p < identify->parameter_count; ++p) {
    change[p] /= largest;
  }
  for (int k = 0; k < n; ++k) {
    int p = directions->parameters[k];
    size_t used = strlen(list);
    if (fabs(directions->Vt[k * n + index]) > part) {
      const char *name = identify->result.parameters[p];
      (void)snprintf(list + used, sizeof list - used, "%s%s by %+.3g %%", shown > 0 ? ", " : "", name, 100 * change[p]);
      (void)snprintf(alone, sizeof alone, "%s", name);
      shown += 1;
    }
  }
  bool is_nothing = s <= rounding * s1;
  told->condition = is_nothing ? HUGE_VAL : s1 / s;
  told->directions = change;
  told->sentence =
      shown == 1
          ? mbs_arena_print(identify->arena, "the data %s of %s", is_nothing ? "say nothing" : "hardly know", alone)
      : is_nothing
          ? mbs_arena_print(identify->arena, "the data cannot tell apart: outputs stay as they are with %s", list)
          : mbs_arena_print(identify->arena,
                            "the data hardly tell apart: outputs change %.2g times less than by others with %s", s1 / s,
                            list);
  return MBS_OK;
}

static MbsStatus list_undetermined(MbsIdentify *identify, const Directions *directions) {
  MbsUndetermined *list;
  int count = 0;
  MBS_TAKE(identify->context, identify->arena, list, directions->count + 1);
  for (int i = directions->count - 1; i >= 0 && directions->s[i] < hardly * directions->s[0]; --i) {
    MBS_TRY(describe(identify, directions, i, &list[count++]));
  }
  identify->result.undetermined = list;
  identify->result.undetermined_count = count;
  return MBS_OK;
}

// ---- covariance and intervals ----
static double covariance_of(const Directions *directions, int j, int k) {
  int n = directions->count;
  double sum = 0;
  for (int i = 0; i < n && directions->s[i] > rounding * directions->s[0]; ++i) {
    sum += directions->Vt[j * n + i] * directions->Vt[k * n + i] / (directions->s[i] * directions->s[i]);
  }
  return sum / (directions->lengths[j] * directions->lengths[k]);
}

// has it no part in directions of which nothing is known?
static bool is_known(const Directions *directions, int k) {
  for (int i = 0; i < directions->count; ++i) {
    bool is_nothing = directions->s[i] <= rounding * directions->s[0];
    if (is_nothing && fabs(directions->Vt[k * directions->count + i]) > part) {
      return false;
    }
  }
  return true;
}

static MbsStatus find_covariance(MbsIdentify *identify, const Directions *directions) {
  int n = identify->parameter_count;
  double *covariance, *correlation, *errors, *lower, *upper;
  bool *is_at_bound;
  MBS_TAKE(identify->context, identify->arena, covariance, n * n);
  MBS_TAKE(identify->context, identify->arena, correlation, n * n);
  MBS_TAKE(identify->context, identify->arena, errors, n);
  MBS_TAKE(identify->context, identify->arena, lower, n);
  MBS_TAKE(identify->context, identify->arena, upper, n);
  MBS_TAKE(identify->context, identify->arena, is_at_bound, n);
  for (int i = 0; i < n * n; ++i) {
    covariance[i] = correlation[i] = (double)NAN;
  }
  for (int k = 0; k < n; ++k) {
    errors[k] = lower[k] = upper[k] = (double)NAN;
    is_at_bound[k] = true;
  }
  double bound = mbs_student_bound(identify->def->confidence, identify->result.freedom);
  for (int j = 0; j < directions->count; ++j) {
    int p = directions->parameters[j];
    is_at_bound[p] = false;
    for (int k = 0; k < directions->count && is_known(directions, j); ++k) {
      if (is_known(directions, k)) {
        covariance[p * n + directions->parameters[k]] = covariance_of(directions, j, k);
      }
    }
    errors[p] = sqrt(covariance[p * n + p]);
    lower[p] = identify->x[p] - bound * errors[p];
    upper[p] = identify->x[p] + bound * errors[p];
  }
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) {
      correlation[j * n + k] =
          j == k ? covariance[j * n + j] / covariance[j * n + j] : covariance[j * n + k] / (errors[j] * errors[k]);
    }
  }
  identify->result.covariance = covariance;
  identify->result.correlation = correlation;
  identify->result.standard_errors = errors;
  identify->result.lower = lower;
  identify->result.upper = upper;
  identify->result.is_at_bound = is_at_bound;
  return MBS_OK;
}

// ---- residuals ----
// Correlation of residuals of one column that follow each other, over its standard deviation if they were independent.
static double neighbour_correlation(const MbsIdentify *identify, int f) {
  double products = 0, squares = 0, pairs = 0;
  long at = 0;
  for (int e = 0; e < identify->run_count; ++e) {
    const MbsMeasuredRun *run = &identify->runs[e];
    int count = run->experiment->measurement_count;
    long first = at;
    for (int k = 0; k < count; ++k) {
      double before = (double)NAN;
      at = first;
      for (long i = 0; i < run->experiment->row_count; ++i) {
        for (int other = 0; other < count; ++other) {
          if (isnan(run->experiment->measurements[other].values[i])) {
            continue;
          }
          double r = identify->r[at++];
          if (other == k && run->fits[k] == f) {
            products += isnan(before) ? 0 : before * r;
            pairs += !isnan(before);
            squares += r * r;
            before = r;
          }
        }
      }
    }
  }
  return squares > 0 ? products / squares * sqrt(pairs) : 0;
}

static MbsStatus list_fits(MbsIdentify *identify) {
  MbsFit *list;
  MBS_TAKE(identify->context, identify->arena, list, identify->fit_count);
  for (int f = 0; f < identify->fit_count; ++f) {
    const MbsOutputFit *fit = &identify->fits[f];
    double squares = 0;
    for (long i = 0; i < identify->residual_count; ++i) {
      squares += identify->fit_of[i] == f ? identify->r[i] * identify->r[i] : 0;
    }
    list[f] = (MbsFit){.output = fit->output,
                       .unit = fit->unit,
                       .count = fit->count,
                       .sigma = fit->sigma,
                       .is_estimated = fit->is_estimated,
                       .rms = fit->sigma * sqrt(squares / (double)fit->count),
                       .rough = fit->rough / fit->sigma};
    bool is_exact = fit->is_estimated && fit->sigma < 1e-9 * fit->spread;  // data without noise: what is left is ours
    double correlation = neighbour_correlation(identify, f);
    if (list[f].rough > 0.1 && !is_exact) {
      MBS_TRY(mbs_identify_warn(identify,
                                "values of %s between steps are interpolated to about %.2g of its standard "
                                "deviation: take a smaller step, or one at whose ends the data lie",
                                fit->output, list[f].rough));
    }
    if (correlation > neighbours && !is_exact) {
      MBS_TRY(mbs_identify_warn(identify,
                                "residuals of %s that follow each other are alike (%.2g times more than chance): the "
                                "model lacks something, or the noise is not independent, and intervals are too narrow",
                                fit->output, correlation));
    }
  }
  identify->result.fits = list;
  identify->result.fit_count = identify->fit_count;
  return MBS_OK;
}

static MbsStatus judge(MbsIdentify *identify, int free_count) {
  MbsIdentification *result = &identify->result;
  double freedom = (double)(identify->residual_count - free_count);
  bool is_all_given = true;
  for (int f = 0; f < identify->fit_count; ++f) {
    is_all_given = is_all_given && !identify->fits[f].is_estimated;
  }
  result->value = 0;
  for (long i = 0; i < identify->residual_count; ++i) {
    result->value += identify->r[i] * identify->r[i];
  }
  result->measurement_count = identify->residual_count;
  result->confidence = identify->def->confidence;
  result->freedom = is_all_given ? HUGE_VAL : freedom;
  result->chance = is_all_given && freedom > 0 ? mbs_chi_square_above(result->value, freedom) : (double)NAN;
  if (result->chance < 1e-3 || result->chance > 1 - 1e-3) {
    return mbs_identify_warn(identify, "the sum of squares is %.4g where about %.4g +- %.2g is to be expected: %s",
                             result->value, freedom, sqrt(2 * freedom),
                             result->chance < 0.5 ? "the model lacks something, or the standard deviations that are "
                                                    "given are too small"
                                                  : "the standard deviations that are given are too large");
  }
  return MBS_OK;
}

MbsStatus mbs_uncertainty_find(MbsIdentify *identify) {
  Directions directions;
  MBS_TRY(triangulate(identify, &directions));
  MBS_TRY(decompose(identify, &directions));
  int n = directions.count;
  MBS_TRY(judge(identify, n));
  MBS_TRY(find_covariance(identify, &directions));
  MBS_TRY(list_undetermined(identify, &directions));
  identify->result.condition = n == 0                    ? (double)NAN
                               : is_regular(&directions) ? directions.s[0] / directions.s[n - 1]
                                                         : HUGE_VAL;
  for (int k = 0; k < identify->parameter_count; ++k) {
    if (identify->result.is_at_bound[k]) {
      MBS_TRY(mbs_identify_warn(identify, "%s ends at its bound %.10g: it is taken as known there",
                                identify->result.parameters[k], identify->x[k]));
    }
  }
  return list_fits(identify);
}
