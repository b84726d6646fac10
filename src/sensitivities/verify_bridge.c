// mbs_verify: every formulation and method against the complex step of the same formulation.
#include <mbsens/mbsens.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/context.h"
#include "formulations/formulation.h"
#include "sensitivities/locate.h"
#include "sensitivities/request.h"
#include "sensitivities/shaken_run.h"
#include "simulation/simulation.h"

// Direct differentiation and its transpose are exact for the discrete equations, so they meet the complex step to
// rounding, amplified over the run; 1e-7 leaves room for that and is far below any mistake.
static const double limit = 1e-7;

// Where they do not, the reference is computed again with parameters shaken at the level of rounding. What this does to
// it is its uncertainty: it may be that much off itself, and the others are as sensitive as it is. A few samples tell
// the order of magnitude. Beyond `most` they tell nothing, and the comparison fails.
enum { SHAKES = 3 };
static const double uncertainties = 10, most = 1e-3;

typedef struct Verification {
  MbsVerification result;
  MbsArena *arena;
  MbsVerifyRow *rows;
  int capacity;
  MbsSuspects suspects;
} Verification;

// The error of an entry is relative to its own size, but not below 1e-5 of the objective's largest
// entry: a derivative that is zero by symmetry has only rounding to show.
static double relative_error(double value, double reference, double largest) {
  double size = fmax(fabs(reference), 1e-5 * largest);
  return size > 0 ? fabs(value - reference) / size : fabs(value);
}

static double largest_of(const MbsResult *reference, int objective) {
  double largest = 0;
  for (int k = 0; k < reference->parameter_count; ++k) {
    largest = fmax(largest, fabs(reference->gradient[objective * reference->parameter_count + k]));
  }
  return largest;
}

static MbsStatus add_rows(MbsContext *context, Verification *verification, const MbsSettings *settings,
                          const char *method, const MbsResult *tried, const MbsResult *reference) {
  MbsVerification *result = &verification->result;
  for (int i = 0; i < tried->objective_count; ++i) {
    double largest = largest_of(reference, i);
    for (int k = 0; k < tried->parameter_count; ++k) {
      int at = i * tried->parameter_count + k;
      MBS_GROW(context, verification->arena, verification->rows, result->row_count, verification->capacity);
      MbsVerifyRow *row = &verification->rows[result->row_count++];
      *row = (MbsVerifyRow){.formulation = mbs_arena_copy_text(verification->arena, settings->formulation),
                            .coordinates = mbs_arena_copy_text(verification->arena, settings->coordinates),
                            .method = method,
                            .objective = mbs_arena_copy_text(verification->arena, tried->objectives[i]),
                            .parameter = mbs_arena_copy_text(verification->arena, tried->parameters[k]),
                            .value = tried->gradient[at],
                            .reference = reference->gradient[at]};
      row->relative_error = relative_error(row->value, row->reference, largest);
      row->pass = row->relative_error <= limit;
      if (!(row->relative_error <= result->max_relative_error)) {
        result->max_relative_error = row->relative_error;
      }
    }
  }
  result->rows = verification->rows;
  return MBS_OK;
}

// formulation NULL: all of these coordinates
static void leave_out(Verification *verification, const char *coordinates, const char *formulation,
                      const char *reason) {
  const char *before = verification->result.left_out;
  verification->result.left_out =
      mbs_arena_print(verification->arena, "%s%s%s%s%s coordinates (%s)", before ? before : "", before ? "; " : "",
                      formulation ? formulation : "", formulation ? " in " : "", coordinates, reason);
}

// of the reference, by which the rows from `first` on are judged again
static MbsStatus measure_uncertainty(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                                     const MbsResult *reference, int first, const Verification *verification) {
  int count = reference->parameter_count, size = reference->objective_count * count;
  for (int shake = 1; shake <= SHAKES; ++shake) {
    MbsResult *shaken = NULL;
    MBS_TRY(mbs_run_shaken(context, model, request, shake, &shaken));
    for (int r = first; r < verification->result.row_count; ++r) {
      MbsVerifyRow *row = &verification->rows[r];
      int at = (r - first) % size;
      double moved = relative_error(shaken->gradient[at], row->reference, largest_of(reference, at / count));
      row->uncertainty = fmax(row->uncertainty, moved);
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

// settings of projections and of stabilisation are for the formulations that have them; type NULL: for none
static void forget_foreign(const MbsFormulationType *type, MbsSettings *settings) {
  if (!type || !type->has_projections) {
    settings->projections = 0;
    settings->is_projection_tangent = settings->is_nonholonomic_projected = false;
  }
  settings->is_stabilised = settings->is_stabilised && type && type->has_stabilisation;
}

static MbsStatus verify_formulation(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                                    const char *formulation, Verification *verification) {
  MbsRequest run = *request;
  MbsResult *reference = NULL;
  const char *nearest = NULL;
  int first = verification->result.row_count;
  run.recorder = NULL;
  (void)snprintf(run.settings.formulation, sizeof run.settings.formulation, "%s", formulation);
  forget_foreign(mbs_formulation_find(formulation, &nearest), &run.settings);
  static const struct {
    MbsMethod method;
    const char *name;
  } methods[] = {{MBS_METHOD_DIRECT, "direct"}, {MBS_METHOD_ADJOINT, "adjoint"}};
  run.method = MBS_METHOD_COMPLEX_STEP;
  MbsStatus status = mbs_run_shaken(context, model, &run, 0, &reference);
  if (status == MBS_OK && reference->warning_count > 0 && reference->statistics.condition_growth > 1e4) {
    leave_out(verification, run.settings.coordinates, formulation, reference->warnings[0]);
    mbs_result_destroy(reference);
    return MBS_OK;
  }
  for (int i = 0; i < MBS_COUNT(methods) && status == MBS_OK; ++i) {
    MbsResult *tried = NULL;
    run.method = methods[i].method;
    status = mbs_run_shaken(context, model, &run, 0, &tried);
    if (status == MBS_OK) {
      status = add_rows(context, verification, &run.settings, methods[i].name, tried, reference);
    }
    mbs_result_destroy(tried);
  }
  if (status == MBS_OK && !does_pass(verification, first)) {
    run.method = MBS_METHOD_COMPLEX_STEP;
    status = measure_uncertainty(context, model, &run, reference, first, verification);
  }
  verification->result.pass = verification->result.pass && does_pass(verification, first);
  mbs_result_destroy(reference);
  return status;
}

// The model's own formulation in its own coordinates must run; what else cannot run this model (redundant constraints,
// a singular position, something it does not offer) is left out, and named with the reason.
static bool is_refusal(MbsStatus status) {
  return status == MBS_ERROR_NUMERICAL || status == MBS_ERROR_NOT_OFFERED || status == MBS_ERROR_INPUT;
}

static MbsStatus verify_coordinates(MbsContext *context, const MbsModel *model, const MbsRequest *request, bool is_own,
                                    Verification *verification) {
  const char *coordinates = request->settings.coordinates;
  MbsCheck *check = NULL;
  MbsSettings settings = request->settings;
  forget_foreign(NULL, &settings);
  MbsStatus status = mbs_check_create(context, model, &settings, &check);
  if (is_refusal(status) && !is_own) {
    leave_out(verification, coordinates, NULL, mbs_context_message(context));
    context->status = MBS_OK;
    return MBS_OK;
  }
  MBS_TRY(status);
  bool is_redundant = check->redundant > 0;
  mbs_check_destroy(check);
  for (int i = 0; mbs_formulation_types[i]; ++i) {
    const MbsFormulationType *type = mbs_formulation_types[i];
    if (is_redundant && !type->allows_redundancy) {
      leave_out(verification, coordinates, type->name, "the model has redundant constraints");
      continue;
    }
    status = verify_formulation(context, model, request, type->name, verification);
    if (is_refusal(status) && !(is_own && strcmp(type->name, request->settings.formulation) == 0)) {
      leave_out(verification, coordinates, type->name, mbs_context_message(context));
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
  static const char *const coordinates[] = {"natural", "relative"};
  MbsSettings own = request->settings;
  forget_foreign(NULL, &own);
  MBS_TRY(mbs_settings_complete(context, model, &own));
  for (int i = 0; i < MBS_COUNT(coordinates); ++i) {
    MbsRequest run = *request;
    int before = verification->result.row_count;
    bool is_own = strcmp(coordinates[i], request->settings.coordinates) == 0;
    (void)snprintf(run.settings.coordinates, sizeof run.settings.coordinates, "%s", coordinates[i]);
    if (strcmp(coordinates[i], "relative") != 0) {  // what is for these alone
      run.settings.tree[0] = run.settings.cut[0] = '\0';
      run.settings.is_about_mass_centres = false;
    }
    if (is_own || !request->has_own_coordinates) {
      MBS_TRY(verify_coordinates(context, model, &run, is_own, verification));
    }
    if (verification->result.row_count > before) {
      MBS_TRY(find_suspects(context, model, &run, is_own, verification));
    }
  }
  return MBS_OK;
}

MbsStatus mbs_verify(MbsContext *context, const MbsModel *model, const MbsRequest *request, MbsVerification **result) {
  MBS_CALL_BEGIN(context, "mbs_verify", {"model", model}, {"request", request}, {"verification", result});
  *result = NULL;
  MBS_TRY(mbs_request_check(context, request));
  MbsArena *arena = mbs_arena_create_for(context);
  Verification *verification = arena ? mbs_arena_take(arena, 1, sizeof *verification) : NULL;
  *result = NULL;
  if (!verification) {
    mbs_arena_destroy(arena);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  verification->arena = arena;
  verification->result.pass = true;
  verification->result.limit = limit;
  MbsStatus status = mbs_call_end(context, verify_all(context, model, request, verification));
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
