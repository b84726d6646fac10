#include <string.h>

#include "base/names.h"
#include "formulations/formulation.h"

MbsStatus mbs_formulation_create(MbsContext *context, const MbsSettings *settings, const MbsSystem *system,
                                 MbsFormulation *formulation) {
  const char *nearest = NULL;
  MbsPlace place = mbs_model_setting_place(system->blueprint->model, MBS_SIMULATION_FORMULATION, settings->formulation);
  for (int i = 0; mbs_formulation_types[i]; ++i) {
    const MbsFormulationType *type = mbs_formulation_types[i];
    if (strcmp(type->name, settings->formulation) == 0) {
      *formulation = (MbsFormulation){.type = type, .system = system};
      type->prepare(settings, formulation);
      return MBS_OK;
    }
    mbs_name_nearest(settings->formulation, type->name, &nearest);
  }
  static const char *const planned[] = {"ali1", "index3", "ali3p", "matrix-r"};
  for (int i = 0; i < MBS_COUNT(planned); ++i) {
    if (strcmp(planned[i], settings->formulation) == 0) {
      return mbs_fail(context, MBS_ERROR_NOT_OFFERED, place,
                      "formulation \"%s\" is not offered yet; see mbsens list formulations", settings->formulation);
    }
  }
  return mbs_fail(context, MBS_ERROR_INPUT, place, "no formulation \"%s\"%s%s%s; see mbsens list formulations",
                  settings->formulation, nearest ? " (did you mean \"" : "", nearest ? nearest : "",
                  nearest ? "\"?)" : "");
}
