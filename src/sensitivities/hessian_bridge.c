// Second derivatives. The adjoint is a program that computes psi_rho; run in complex arithmetic at rho + i h d, its
// imaginary part over h is psi_rhorho d (theory.md section 8). It walks the path of the nominal run: the same steps and
// decisions, event times with an imaginary part of their own.
#include <math.h>
#include <mbsens/hessian.h>
#include <stdio.h>
#include <string.h>

#include "coordinates/compile.h"
#include "integrators/integrator.h"
#include "sensitivities/owned_result.h"
#include "sensitivities/request.h"
#include "sensitivities/selection.h"
#include "sensitivities/twin.h"

typedef struct Hessian {
  MbsHessian result;  // first: mbs_hessian_destroy is given this
  MbsArena *arena;
  MbsSelection selection;
} Hessian;

static MbsStatus check_directions(MbsContext *context, int count, int parameter_count, const double *directions) {
  if (count < 0 || (count > 0 && !directions) || (count == 0 && directions)) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%d directions are asked for, and their numbers are %s",
                    count, directions ? "given" : "NULL");
  }
  for (int i = 0; i < count * parameter_count; ++i) {
    if (!isfinite(directions[i])) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "direction %d: its component %d is not a finite number",
                      1 + i / parameter_count, 1 + i % parameter_count);
    }
  }
  return MBS_OK;
}

static MbsStatus run(MbsContext *context, const MbsModel *model, const MbsRequest *request, int count,
                     const double *directions, Hessian *own, MbsResult *nominal) {
  MbsHessian *result = &own->result;
  const MbsSelection *selection = &own->selection;
  int parameters = selection->parameter_count, objectives = selection->objective_count;
  MbsPath path;
  double *along, *products;
  MbsTwinRequest twin = {.settings = request->settings,
                         .column_count = parameters,
                         .columns = selection->parameters,
                         .is_adjoint = true,
                         .objective_count = objectives,
                         .objectives = selection->objectives,
                         .memory = request->memory,
                         .perturbed = -1};
  MBS_TRY(mbs_twin_run(context, own->arena, model, &twin, nominal, &path));
  twin.settings = nominal->request->settings;  // with the automatic penalty as it was
  twin.followed = &path;
  MBS_TAKE(context, own->arena, along, selection->model_parameter_count + 1);
  MBS_TAKE(context, own->arena, products, objectives * count * parameters);
  for (int d = 0; d < count; ++d) {
    MbsArena *scratch = mbs_arena_create_for(context);
    MbsResult moved = {0};
    if (!scratch) {
      return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
    for (int k = 0; k < parameters; ++k) {
      along[selection->parameters[k]] = directions ? directions[d * parameters + k] : k == d;
    }
    twin.direction = along;
    MbsStatus status = mbs_complex_run(context, scratch, model, &twin, &moved, NULL);
    for (int o = 0; o < objectives && status == MBS_OK; ++o) {
      for (int k = 0; k < parameters; ++k) {
        products[(o * count + d) * parameters + k] = moved.gradient[o * parameters + k];
      }
    }
    mbs_arena_destroy(scratch);
    MBS_TRY(status);
  }
  result->values = nominal->values;
  result->gradient = nominal->gradient;
  result->direction_count = count;
  result->products = products;
  return MBS_OK;
}

// Expressions that bend where no step ends: branches that a method above the second order would have besides.
static MbsStatus list_branches(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsSettings *settings,
                               bool splits_at_kinks, const MbsBlueprint **blueprint) {
  MbsBlueprint *own;
  const MbsCoordinateChoice choice = {.is_relative = strcmp(settings->coordinates, "relative") == 0,
                                      .splits_at_kinks = splits_at_kinks,
                                      .has_no_outputs = true,
                                      .tree = settings->tree,
                                      .cut = settings->cut};
  MBS_TRY(mbs_compile(context, arena, model, &choice, &own));
  *blueprint = own;
  return MBS_OK;
}

// of the first `count`, those of the same element
static int count_branches(const MbsBlueprint *blueprint, const MbsBranchSpec *branch, int count) {
  int found = 0;
  for (int i = 0; i < count; ++i) {
    found += strcmp(blueprint->branches.items[i].name, branch->name) == 0;
  }
  return found;
}

static MbsStatus warn_of_kinks(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                               MbsArena *scratch, Hessian *own) {
  enum { MOST = 3 };
  const MbsBlueprint *plain, *split;
  const char **warnings;
  char names[400] = "";
  int count = 0;
  MBS_TRY(list_branches(context, scratch, model, settings, false, &plain));
  MBS_TRY(list_branches(context, scratch, model, settings, true, &split));
  for (int i = 0; i < split->branches.count; ++i) {
    const MbsBranchSpec *branch = &split->branches.items[i];
    bool is_first = count_branches(split, branch, i) == 0;
    bool bends =
        count_branches(split, branch, split->branches.count) > count_branches(plain, branch, plain->branches.count);
    if (is_first && bends && count++ < MOST) {
      size_t used = strlen(names);
      (void)snprintf(names + used, sizeof names - used, "%s%.100s", count > 1 ? ", " : "", branch->name);
    }
  }
  if (count > 0) {
    MBS_TAKE(context, own->arena, warnings, 1);
    warnings[0] =
        mbs_arena_print(own->arena,
                        "kinks in %s%s (abs, max, stops, tables of lines): where the motion passes one within a "
                        "step, second derivatives lack what moving the kink changes; with integrator radau-5 "
                        "steps end there, and they are whole",
                        names, count > MOST ? ", ..." : "");
    own->result.warnings = warnings;
    own->result.warning_count = warnings[0] ? 1 : 0;
  }
  return MBS_OK;
}

static MbsStatus look_for_kinks(MbsContext *context, const MbsModel *model, const MbsSettings *settings, Hessian *own) {
  if (mbs_integrator_has_stages(settings) || settings->is_kinematic || settings->is_equilibrium) {
    return MBS_OK;
  }
  MbsArena *scratch = mbs_arena_create_for(context);
  MbsStatus status = scratch ? warn_of_kinks(context, model, settings, scratch, own)
                             : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  mbs_arena_destroy(scratch);
  return status;
}

static MbsStatus compute(MbsContext *context, const MbsModel *model, MbsRequest *asked, int count,
                         const double *directions, Hessian *own) {
  MbsHessian *result = &own->result;
  MbsResult nominal = {0};
  MBS_TRY(mbs_model_ask(context, own->arena, model, &asked->parameter_count, &asked->parameters, &model));
  MBS_TRY(mbs_selection_create(context, own->arena, model, asked, &own->selection));
  MBS_TRY(mbs_selection_check(context, model, asked, &own->selection));
  for (int i = 0; i < own->selection.objective_count; ++i) {
    const MbsRecord *record =
        &mbs_record_value(&model->root, MBS_MODEL_OBJECTIVES)->records[own->selection.objectives[i]];
    if (mbs_record_value(record, MBS_OBJECTIVE_EIGENVALUE)->is_given) {
      return mbs_fail(context, MBS_ERROR_NOT_OFFERED, record->name.place,
                      "objective \"%s\" is an eigenvalue, of which second derivatives are not offered; name others",
                      record->name.text);
    }
  }
  MBS_TRY(check_directions(context, count, own->selection.parameter_count, directions));
  MBS_TRY(run(context, model, asked, directions ? count : own->selection.parameter_count, directions, own, &nominal));
  MBS_TRY(mbs_result_describe(context, own->arena, model, asked, &own->selection, &nominal));
  MBS_TRY(look_for_kinks(context, model, &nominal.request->settings, own));
  result->model = nominal.model;
  result->parameter_count = nominal.parameter_count;
  result->parameters = nominal.parameters;
  result->parameter_values = nominal.parameter_values;
  result->objective_count = nominal.objective_count;
  result->objectives = nominal.objectives;
  return MBS_OK;
}

MbsStatus mbs_hessian(MbsContext *context, const MbsModel *model, const MbsRequest *request, int direction_count,
                      const double *directions, MbsHessian **hessian) {
  MBS_CALL_BEGIN(context, "mbs_hessian", {"model", model}, {"request", request}, {"hessian", hessian});
  *hessian = NULL;
  MBS_TRY(mbs_request_check(context, request));
  MbsArena *arena = mbs_arena_create_for(context);
  Hessian *own = arena ? mbs_arena_take(arena, 1, sizeof *own) : NULL;
  if (!own) {
    mbs_arena_destroy(arena);
    return mbs_call_end(context, mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory"));
  }
  MbsRequest asked = *request;
  asked.method = MBS_METHOD_ADJOINT;
  asked.recorder = NULL;
  own->arena = arena;
  MbsStatus status = mbs_call_end(context, compute(context, model, &asked, direction_count, directions, own));
  if (status != MBS_OK) {
    mbs_arena_destroy(arena);
    return status;
  }
  *hessian = &own->result;
  return MBS_OK;
}

void mbs_hessian_destroy(MbsHessian *hessian) {
  if (hessian) {
    mbs_arena_destroy(((Hessian *)(void *)hessian)->arena);
  }
}
