// mbs_verify: every formulation and method against the complex step of the same formulation; the settings' formulation
// against the model run anew with other numbers; some formulations against a third party, if asked for; and the
// objectives' values in both coordinates against each other.
#include <mbsens/mbsens.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/context.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "sensitivities/anew.h"
#include "sensitivities/locate.h"
#include "sensitivities/request.h"
#include "sensitivities/shaken_run.h"
#include "sensitivities/sundials.h"
#include "sensitivities/third_party.h"
#include "sensitivities/values.h"
#include "simulation/simulation.h"

// Direct differentiation and its transpose are exact for the discrete equations, so they meet the complex step to
// rounding, amplified over the run; 1e-7 leaves room for that and is far below any mistake.
static const double limit = 1e-7;

// Where they do not, the reference is computed again with parameters shaken at the level of rounding. What this does to
// it, and to what is compared with it, is the uncertainty: they may be that much off themselves. A few samples tell the
// order of magnitude. Beyond `most` they tell nothing, and the comparison fails.
enum { SHAKES = 3 };
static const double uncertainties = 10, most = 1e-3;

// Differences of runs anew know their own error (anew.h): truncation, from two d; noise of the values by rounding and
// Newton's tolerance, measured and carried through the difference's formula. It is a sample of what noise there is, so
// ten times that is allowed too, together with what the reference itself is uncertain by, where that was measured; on
// the shipped models they are off by 5.7 times at most, and less than 2.5 on most. An error of the differences beyond
// `most` leaves nothing confirmed (shipped models: 4e-4 at most).

// A third party and our own steps know their errors too (third_party.h). They are samples again, so ten times the
// largest of an objective is allowed, but no error beyond `most`.

enum { METHODS = 2 };
typedef struct VerifiedMethod {
  MbsMethod method;
  const char *name;
} VerifiedMethod;
static const VerifiedMethod methods[METHODS] = {{MBS_METHOD_DIRECT, "direct"}, {MBS_METHOD_ADJOINT, "adjoint"}};

enum { COORDINATES = 2 };
static const char *const coordinates_names[COORDINATES] = {"natural", "relative"};
enum { OWN, MATRIX_R, SAMPLES };

typedef struct Verification {
  MbsVerification result;
  MbsArena *arena;
  MbsVerifyRow *rows;
  int capacity;
  MbsSuspects suspects;
  MbsValueSample samples[SAMPLES][COORDINATES];  // of the settings' formulation, and of matrix-r
  int objective_count;
  const char **objectives;
  MbsValueRows values;
  int warning_capacity;
  const char **warnings;
} Verification;

// The error of an entry is relative to its own size, but not below 1e-5 of the objective's largest
// entry: a derivative that is zero by symmetry has only rounding to show.
static double relative_error(double value, double reference, double largest) {
  double size = fmax(fabs(reference), 1e-5 * largest);
  return size > 0 ? fabs(value - reference) / size : fabs(value);
}

// What has a gradient: objectives, then the times of events where the method gives those.
static int quantity_count(const MbsResult *result) {
  bool has_times = result->event_count > 0 && result->events[0].gradient;
  return result->objective_count + (has_times ? result->event_count : 0);
}

// entry `at` of quantities x parameters; NaN: there is none, as where a run has fewer events
static double slope_of(const MbsResult *result, int at) {
  int quantity = at / result->parameter_count, parameter = at % result->parameter_count;
  if (quantity >= quantity_count(result)) {
    return (double)NAN;
  }
  return quantity < result->objective_count ? result->gradient[at]
                                            : result->events[quantity - result->objective_count].gradient[parameter];
}

// psi1; of the third event, which is the second of its name: time of ground 2
static const char *print_quantity(MbsArena *arena, const MbsResult *result, int quantity) {
  int event = quantity - result->objective_count, number = 0;
  if (event < 0) {
    return mbs_arena_copy_text(arena, result->objectives[quantity]);
  }
  for (int i = 0; i <= event; ++i) {
    number += strcmp(result->events[i].name, result->events[event].name) == 0;
  }
  return mbs_arena_print(arena, "time of %s %d", result->events[event].name, number);
}

static double largest_of(const MbsResult *reference, int quantity) {
  double largest = 0;
  for (int k = 0; k < reference->parameter_count; ++k) {
    largest = fmax(largest, fabs(slope_of(reference, quantity * reference->parameter_count + k)));
  }
  return largest;
}

static MbsStatus add_row(MbsContext *context, Verification *verification, const MbsSettings *settings,
                         const char *method, const MbsResult *reference, int at, MbsVerifyRow **row) {
  MbsVerification *result = &verification->result;
  int quantity = at / reference->parameter_count, parameter = at % reference->parameter_count;
  MBS_GROW(context, verification->arena, verification->rows, result->row_count, verification->capacity);
  *row = &verification->rows[result->row_count++];
  **row = (MbsVerifyRow){.formulation = mbs_arena_copy_text(verification->arena, settings->formulation),
                         .coordinates = mbs_arena_copy_text(verification->arena, settings->coordinates),
                         .method = method,
                         .objective = print_quantity(verification->arena, reference, quantity),
                         .parameter = mbs_arena_copy_text(verification->arena, reference->parameters[parameter]),
                         .reference = slope_of(reference, at)};
  result->rows = verification->rows;
  bool is_complete = (*row)->formulation && (*row)->coordinates && (*row)->objective && (*row)->parameter;
  return is_complete ? MBS_OK : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

static MbsStatus add_rows(MbsContext *context, Verification *verification, const MbsSettings *settings,
                          const char *method, const MbsResult *tried, const MbsResult *reference) {
  MbsVerification *result = &verification->result;
  for (int i = 0; i < quantity_count(tried); ++i) {
    double largest = largest_of(reference, i);
    for (int k = 0; k < tried->parameter_count; ++k) {
      MbsVerifyRow *row;
      int at = i * tried->parameter_count + k;
      MBS_TRY(add_row(context, verification, settings, method, reference, at, &row));
      row->value = slope_of(tried, at);
      row->relative_error = relative_error(row->value, row->reference, largest);
      row->pass = row->relative_error <= limit;
      if (!(row->relative_error <= result->max_relative_error)) {
        result->max_relative_error = row->relative_error;
      }
    }
  }
  return MBS_OK;
}

// formulation NULL: all of these coordinates
static MbsStatus leave_out(MbsContext *context, Verification *verification, const char *coordinates,
                           const char *formulation, const char *reason) {
  const char *before = verification->result.left_out;
  const char *all =
      mbs_arena_print(verification->arena, "%s%s%s%s%s coordinates (%s)", before ? before : "", before ? "; " : "",
                      formulation ? formulation : "", formulation ? " in " : "", coordinates, reason);
  verification->result.left_out = all;
  return all ? MBS_OK : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
}

// The rows from `first` on, judged again by what shaken parameters do to the reference, and to the method itself: what
// it does in double precision may lose digits that the twin, which factors and iterates anew, keeps (index3 divides by
// h^2). A mistake is the same however they are shaken.
static MbsStatus measure_uncertainty(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                                     const MbsResult *reference, int first, const Verification *verification) {
  MbsRequest run = *request;
  int count = reference->parameter_count;
  for (int k = 0; k < SHAKES * (1 + METHODS); ++k) {
    const VerifiedMethod *own = k % (1 + METHODS) > 0 ? &methods[k % (1 + METHODS) - 1] : NULL;
    MbsResult *shaken = NULL;
    run.method = own ? own->method : MBS_METHOD_COMPLEX_STEP;
    MBS_TRY(mbs_run_shaken(context, model, &run, 1 + k / (1 + METHODS), &shaken));
    for (int r = first, begin = first; r < verification->result.row_count; ++r) {
      MbsVerifyRow *row = &verification->rows[r];
      begin = strcmp(row->method, verification->rows[begin].method) == 0 ? begin : r;
      int at = r - begin;  // the adjoint gives no times of events
      if (!own || strcmp(row->method, own->name) == 0) {
        double still = own ? row->value : row->reference;
        row->uncertainty =
            fmax(row->uncertainty, relative_error(slope_of(shaken, at), still, largest_of(reference, at / count)));
      }
    }
    mbs_result_destroy(shaken);
  }
  for (int r = first; r < verification->result.row_count; ++r) {
    MbsVerifyRow *row = &verification->rows[r];
    row->pass = row->relative_error <= fmax(limit, fmin(uncertainties * row->uncertainty, most));
  }
  return MBS_OK;
}

static bool does_pass(const Verification *verification, int first) {
  bool pass = true;
  for (int r = first; r < verification->result.row_count; ++r) {
    pass = pass && verification->rows[r].pass;
  }
  return pass;
}

// The model's own formulation in its own coordinates must run; what else cannot run this model (redundant constraints,
// a singular position, something it does not offer) is left out, and named with the reason.
static bool is_refusal(MbsStatus status) {
  return status == MBS_ERROR_NUMERICAL || status == MBS_ERROR_NOT_OFFERED || status == MBS_ERROR_INPUT;
}

// settings of projections, of stabilisation and of explicit methods are for the formulations that have them; type NULL:
// for none
static void forget_foreign(const MbsFormulationType *type, MbsSettings *settings) {
  bool has_ends = type && !type->is_reduced && mbs_integrator_kind(settings) == MBS_INTEGRATOR_EXPLICIT;
  if (!type || !type->has_projections) {
    settings->projections = has_ends && mbs_formulation_is_explicit(type) ? settings->projections : 0;
    settings->is_projection_tangent = settings->is_nonholonomic_projected = false;
  }
  settings->is_stabilised = settings->is_stabilised && type && type->has_stabilisation;
  if (type ? !mbs_integrator_fits(mbs_integrator_kind(settings), type) : mbs_integrator_has_stages(settings)) {
    (void)snprintf(settings->integrator, sizeof settings->integrator, "auto");
    settings->step_tolerance = 0;
    settings->is_column_controlled = false;
  }
}

// ---- jumps ----
// of the same expression, in other coordinates or with another formulation
static bool is_told(const Verification *verification, const char *beginning) {
  for (int i = 0; i < verification->result.warning_count; ++i) {
    if (strncmp(verification->warnings[i], beginning, strlen(beginning)) == 0) {
      return true;
    }
  }
  return false;
}

// once for each expression
static MbsStatus tell(MbsContext *context, const MbsJump *jump, const char *what, const char *meaning,
                      Verification *verification) {
  MbsVerification *result = &verification->result;
  MbsArena *arena = verification->arena;
  const char *beginning = mbs_arena_print(arena, "%s%s%s: \"%s\" %s at", jump->place, *jump->place ? ": " : "",
                                          jump->owner, jump->expression, what);
  const char *warning = beginning ? mbs_arena_print(arena, "%s t = %.10g%s", beginning, jump->time, meaning) : NULL;
  if (!warning) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  if (!is_told(verification, beginning)) {
    MBS_GROW(context, arena, verification->warnings, result->warning_count, verification->warning_capacity);
    verification->warnings[result->warning_count++] = warning;
    result->warnings = verification->warnings;
  }
  return MBS_OK;
}

// Does the run cross a jump that moves? Its derivatives are those of the computation, which all methods agree on.
static MbsStatus find_jumps(MbsContext *context, const MbsResult *run, Verification *verification, bool *crosses_jump) {
  *crosses_jump = false;
  for (int i = 0; i < run->jump_count; ++i) {
    if (!run->jumps[i].is_fixed) {
      MBS_TRY(tell(context, &run->jumps[i], "jumps", ": gradients lack what moving the jump changes", verification));
      *crosses_jump = true;
      verification->result.pass = false;
    }
  }
  for (int i = 0; i < run->kink_count; ++i) {
    MBS_TRY(
        tell(context, &run->kinks[i], "has a kink",
             ", exactly at the end of a step: gradients take one of its two sides, which the model run anew may not "
             "confirm",
             verification));
  }
  return MBS_OK;
}

// ---- the model run anew ----
// first: of the rows of the same formulation, those of the direct method, which know what the reference is uncertain by
static MbsStatus verify_anew(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                             const MbsResult *reference, bool crosses_jump, int first, Verification *verification) {
  MbsAnewEntry *entries;
  int count = reference->parameter_count;
  MBS_TRY(mbs_anew_differentiate(context, verification->arena, model, request, crosses_jump, &entries));
  for (int at = 0; at < reference->objective_count * count; ++at) {
    const MbsAnewEntry *entry = &entries[at];
    if (!isfinite(entry->value)) {
      continue;  // told below
    }
    MbsVerifyRow *row;
    MBS_TRY(add_row(context, verification, &request->settings, "run-anew", reference, at, &row));
    double own = fmax(fmax(entry->scale, 1e-5 * largest_of(reference, at / count)), fabs(entry->value));
    double size = fmax(own, fabs(row->reference));
    row->value = entry->value;
    row->relative_error = size > 0 ? fabs(row->value - row->reference) / size : 0;
    row->uncertainty = own > 0 ? entry->error / own : 0;
    bool is_known = row->uncertainty <= most;
    row->uncertainty += verification->rows[first + at].uncertainty;
    row->pass = row->relative_error <= fmax(limit, uncertainties * row->uncertainty) && is_known;
  }
  for (int k = 0; k < count; ++k) {
    if (!isfinite(entries[k].value)) {
      char what[MBS_NAME_LENGTH + 64];
      (void)snprintf(what, sizeof what, "run-anew by \"%.40s\" with %s", reference->parameters[k],
                     request->settings.formulation);
      MBS_TRY(leave_out(context, verification, request->settings.coordinates, what,
                        "the model does not run with numbers nearby"));
    }
  }
  return MBS_OK;
}

// ---- a third party ----
static MbsStatus add_third_party(MbsContext *context, const MbsRequest *request, const char *method,
                                 const MbsResult *reference, const MbsThirdPartyEntry *entry,
                                 Verification *verification) {
  MbsVerifyRow *row;
  int parameter = entry->parameter < 0 ? 0 : entry->parameter;
  MBS_TRY(add_row(context, verification, &request->settings, method, reference,
                  entry->objective * reference->parameter_count + parameter, &row));
  double size = fmax(fmax(fabs(entry->value), fabs(entry->own)), entry->scale);
  row->parameter = entry->parameter < 0 ? "" : row->parameter;
  row->value = entry->value;
  row->reference = entry->own;
  row->relative_error = size > 0 ? fabs(row->value - row->reference) / size : fabs(row->value - row->reference);
  row->uncertainty = size > 0 ? (entry->error + entry->own_error) / size : 0;
  return MBS_OK;
}

// The rows from `first` on. What a value or derivative is uncertain by is a sample: the largest of an objective counts.
static void judge_third_party(int first, const Verification *verification) {
  for (int r = first; r < verification->result.row_count; ++r) {
    MbsVerifyRow *row = &verification->rows[r];
    double largest = 0;
    for (int i = first; i < verification->result.row_count; ++i) {
      const MbsVerifyRow *other = &verification->rows[i];
      largest = strcmp(other->objective, row->objective) == 0 ? fmax(largest, other->uncertainty) : largest;
    }
    row->pass = row->relative_error <= fmax(limit, fmin(uncertainties * largest, most)) && row->uncertainty <= most;
  }
}

static MbsStatus verify_third_party(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                                    const MbsResult *reference, Verification *verification) {
  static const struct {
    const char *formulation;
    MbsMethod method;
    const char *name;
  } offered[] = {{"penalty", MBS_METHOD_CVODES_FORWARD, "cvodes-forward"},
                 {"penalty", MBS_METHOD_CVODES_ADJOINT, "cvodes-adjoint"},
                 {"matrix-r", MBS_METHOD_CVODES_FORWARD, "cvodes-forward"},
                 {"matrix-r", MBS_METHOD_CVODES_ADJOINT, "cvodes-adjoint"},
                 {"index1", MBS_METHOD_IDAS_FORWARD, "idas-forward"},
                 {"index1", MBS_METHOD_IDAS_ADJOINT, "idas-adjoint"}};
  for (int i = 0; i < MBS_COUNT(offered); ++i) {
    MbsThirdPartyEntry *entries;
    int count;
    if (strcmp(offered[i].formulation, request->settings.formulation) != 0) {
      continue;
    }
    MbsStatus status =
        mbs_third_party_compare(context, verification->arena, model, request, offered[i].method, &count, &entries);
    if (is_refusal(status)) {
      char what[2 * MBS_NAME_LENGTH];
      (void)snprintf(what, sizeof what, "%s with %.40s", offered[i].name, request->settings.formulation);
      MBS_TRY(leave_out(context, verification, request->settings.coordinates, what, mbs_context_message(context)));
      context->status = MBS_OK;
      continue;
    }
    MBS_TRY(status);
    int first = verification->result.row_count;
    for (int k = 0; k < count; ++k) {
      MBS_TRY(add_third_party(context, request, offered[i].name, reference, &entries[k], verification));
    }
    judge_third_party(first, verification);
  }
  return MBS_OK;
}

// ---- values in both coordinates ----
static MbsStatus keep_sample(MbsContext *context, const MbsRequest *request, const MbsResult *result, bool is_own,
                             int coordinates, Verification *verification) {
  MbsValueSample *own = &verification->samples[OWN][coordinates];
  MbsValueSample *exact = &verification->samples[MATRIX_R][coordinates];
  if (verification->objective_count == 0) {
    MBS_TAKE(context, verification->arena, verification->objectives, result->objective_count);
    verification->objective_count = result->objective_count;
    for (int i = 0; i < result->objective_count; ++i) {
      verification->objectives[i] = mbs_arena_copy_text(verification->arena, result->objectives[i]);
      if (!verification->objectives[i]) {
        return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
      }
    }
  }
  if (is_own) {
    MBS_TRY(mbs_values_keep(context, verification->arena, request, result, own));
  } else if (result->statistics.independent_sets > 0) {
    MBS_TRY(mbs_values_keep(context, verification->arena, request, result, exact));
  }
  return MBS_OK;
}

static MbsStatus compare_values(MbsContext *context, const MbsModel *model, Verification *verification) {
  MbsVerification *result = &verification->result;
  const MbsValueSample *exact = verification->samples[MATRIX_R];
  MBS_TRY(mbs_values_compare(context, verification->arena, model, verification->objective_count,
                             verification->objectives, verification->samples[OWN], &verification->values));
  if (exact[0].is_exact && exact[1].is_exact) {
    MBS_TRY(mbs_values_compare(context, verification->arena, model, verification->objective_count,
                               verification->objectives, exact, &verification->values));
  }
  result->value_count = verification->values.count;
  result->values = verification->values.items;
  for (int i = 0; i < result->value_count; ++i) {
    result->pass = result->pass && result->values[i].pass;
  }
  return MBS_OK;
}

static MbsStatus verify_formulation(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                                    const char *formulation, int coordinates, Verification *verification) {
  MbsRequest run = *request;
  MbsResult *reference = NULL;
  const char *nearest = NULL;
  bool is_own = strcmp(formulation, request->settings.formulation) == 0, crosses_jump = false;
  int first = verification->result.row_count;
  run.recorder = NULL;
  (void)snprintf(run.settings.formulation, sizeof run.settings.formulation, "%s", formulation);
  forget_foreign(mbs_formulation_find(formulation, &nearest), &run.settings);
  run.method = MBS_METHOD_COMPLEX_STEP;
  MbsStatus status = mbs_run_shaken(context, model, &run, 0, &reference);
  if (status == MBS_OK && reference->warning_count > 0 && reference->statistics.condition_growth > 1e4) {
    status = leave_out(context, verification, run.settings.coordinates, formulation, reference->warnings[0]);
    mbs_result_destroy(reference);
    return status;
  }
  if (status == MBS_OK) {
    status = find_jumps(context, reference, verification, &crosses_jump);
  }
  if (status == MBS_OK) {
    status = keep_sample(context, &run, reference, is_own, coordinates, verification);
  }
  for (int i = 0; i < METHODS && status == MBS_OK; ++i) {
    MbsResult *tried = NULL;
    run.method = methods[i].method;
    status = mbs_run_shaken(context, model, &run, 0, &tried);
    if (status == MBS_OK) {
      status = add_rows(context, verification, &run.settings, methods[i].name, tried, reference);
    }
    mbs_result_destroy(tried);
  }
  if (status == MBS_OK && !does_pass(verification, first)) {
    status = measure_uncertainty(context, model, &run, reference, first, verification);
  }
  if (status == MBS_OK && is_own) {
    status = verify_anew(context, model, &run, reference, crosses_jump, first, verification);
  }
  if (status == MBS_OK && request->has_sundials) {
    status = verify_third_party(context, model, &run, reference, verification);
  }
  verification->result.pass = verification->result.pass && does_pass(verification, first);
  mbs_result_destroy(reference);
  return status;
}

static MbsStatus verify_coordinates(MbsContext *context, const MbsModel *model, const MbsRequest *request, bool is_own,
                                    int index, Verification *verification) {
  const char *coordinates = coordinates_names[index];
  MbsCheck *check = NULL;
  MbsSettings settings = request->settings;
  forget_foreign(NULL, &settings);
  MbsStatus status = mbs_check_create(context, model, &settings, &check);
  if (is_refusal(status) && !is_own) {
    MBS_TRY(leave_out(context, verification, coordinates, NULL, mbs_context_message(context)));
    context->status = MBS_OK;
    return MBS_OK;
  }
  MBS_TRY(status);
  bool is_redundant = check->redundant > 0;
  mbs_check_destroy(check);
  for (int i = 0; mbs_formulation_types[i]; ++i) {
    const MbsFormulationType *type = mbs_formulation_types[i];
    if (is_redundant && !type->allows_redundancy) {
      MBS_TRY(leave_out(context, verification, coordinates, type->name, "the model has redundant constraints"));
      continue;
    }
    status = verify_formulation(context, model, request, type->name, index, verification);
    bool is_own_formulation = strcmp(type->name, request->settings.formulation) == 0;
    if (is_refusal(status) && !(is_own && is_own_formulation)) {
      verification->samples[OWN][index].has_failed |= is_own_formulation && status == MBS_ERROR_NUMERICAL;
      MBS_TRY(leave_out(context, verification, coordinates, type->name, mbs_context_message(context)));
      context->status = MBS_OK;
    } else if (status != MBS_OK) {
      return status;
    }
  }
  return MBS_OK;
}

// appends those of these coordinates
static MbsStatus find_suspects(MbsContext *context, const MbsModel *model, const MbsRequest *request, bool is_own,
                               Verification *verification) {
  MbsSettings settings = request->settings;
  MbsVerification *result = &verification->result;
  forget_foreign(NULL, &settings);
  MbsStatus status = mbs_locate(context, verification->arena, model, &settings, &verification->suspects);
  if (is_refusal(status) && !is_own) {
    context->status = status = MBS_OK;
  }
  result->suspects = verification->suspects.items;
  result->suspect_count = verification->suspects.count;
  result->suspects_in_all = verification->suspects.total;
  result->pass = result->pass && verification->suspects.total == 0;
  return status;
}

static MbsStatus verify_all(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                            Verification *verification) {
  MbsSettings own = request->settings;
  forget_foreign(NULL, &own);
  MBS_TRY(mbs_settings_complete(context, model, &own));
  for (int i = 0; i < COORDINATES; ++i) {
    MbsRequest run = *request;
    run.settings.has_no_outputs = true;
    int before = verification->result.row_count;
    bool is_own = strcmp(coordinates_names[i], request->settings.coordinates) == 0;
    (void)snprintf(run.settings.coordinates, sizeof run.settings.coordinates, "%s", coordinates_names[i]);
    if (strcmp(coordinates_names[i], "relative") != 0) {  // what is for these alone
      run.settings.tree[0] = run.settings.cut[0] = '\0';
      run.settings.is_about_mass_centres = false;
    }
    if (is_own || !request->has_own_coordinates) {
      MBS_TRY(verify_coordinates(context, model, &run, is_own, i, verification));
    }
    if (verification->result.row_count > before) {
      MBS_TRY(find_suspects(context, model, &run, is_own, verification));
    }
  }
  return compare_values(context, model, verification);
}

MbsStatus mbs_verify(MbsContext *context, const MbsModel *model, const MbsRequest *request, MbsVerification **result) {
  MBS_CALL_BEGIN(context, "mbs_verify", {"model", model}, {"request", request}, {"verification", result});
  *result = NULL;
  MBS_TRY(mbs_request_check(context, request));
  if (request->has_sundials && !mbs_sundials_version()) {
    return mbs_sundials_run(context, NULL, model, request, NULL);  // says so
  }
  MbsArena *arena = mbs_arena_create_for(context);
  Verification *verification = arena ? mbs_arena_take(arena, 1, sizeof *verification) : NULL;
  if (!verification) {
    mbs_arena_destroy(arena);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  verification->arena = arena;
  verification->result.pass = true;
  verification->result.limit = limit;
  MbsRequest asked = *request;
  asked.settings.accuracy = 0;  // derivatives of runs are compared, not runs with the truth
  mbs_settings_name_formulation(&asked.settings);
  MbsStatus status = mbs_model_ask(context, arena, model, &asked.parameter_count, &asked.parameters, &model);
  status = mbs_call_end(context, status == MBS_OK ? verify_all(context, model, &asked, verification) : status);
  if (status != MBS_OK) {
    mbs_arena_destroy(arena);
    return status;
  }
  *result = &verification->result;
  return MBS_OK;
}

void mbs_verification_destroy(MbsVerification *result) {
  if (result) {
    mbs_arena_destroy(((Verification *)(void *)result)->arena);  // the first member
  }
}
