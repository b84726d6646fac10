// A model's terms for perturbing, in the scalar of the build: see terms/derivative_source.h.
#include "sensitivities/twin.h"
#include "simulation/simulation.h"

MbsStatus mbs_twin_terms_create(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                                const double *parameters, struct MbsPerturbedTerms **terms) {
  MbsSettings own = *settings;
  MbsSystem *system;
  MbsArena *arena = mbs_arena_create_for(context);
  *terms = NULL;
  MbsStatus status = arena ? mbs_simulation_compile(context, arena, model, &own, 0, NULL, false, parameters, &system)
                           : mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  if (status == MBS_OK) {
    status = mbs_perturbed_terms_create(context, system, terms);
  }
  if (status != MBS_OK) {
    mbs_arena_destroy(arena);
  }
  return status;
}
