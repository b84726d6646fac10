#include <string.h>

#include "base/names.h"
#include "formulations/formulation.h"

const MbsFormulationType *mbs_formulation_find(const char *name, const char **nearest) {
  for (int i = 0; mbs_formulation_types[i]; ++i) {
    if (strcmp(mbs_formulation_types[i]->name, name) == 0) {
      return mbs_formulation_types[i];
    }
    mbs_name_nearest(name, mbs_formulation_types[i]->name, nearest);
  }
  return NULL;
}

MbsStatus mbs_formulation_create(MbsContext *context, const MbsSettings *settings, const MbsSystem *system,
                                 MbsFormulation *formulation) {
  const char *nearest = NULL;
  MbsPlace place = mbs_model_setting_place(system->blueprint->model, MBS_SIMULATION_FORMULATION, settings->formulation);
  const MbsFormulationType *type = mbs_formulation_find(settings->formulation, &nearest);
  if (type) {
    *formulation = (MbsFormulation){.type = type, .system = system};
    type->prepare(settings, formulation);
    return MBS_OK;
  }
  return mbs_fail(context, MBS_ERROR_INPUT, place, "no formulation \"%s\"%s%s%s; see mbsens list formulations",
                  settings->formulation, nearest ? " (did you mean \"" : "", nearest ? nearest : "",
                  nearest ? "\"?)" : "");
}
