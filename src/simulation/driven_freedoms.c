// Kinematics of mechanisms that are not driven, or in part: the freedoms that no driver has follow a trajectory too,
//     w(q) = w0(rho) + w0'(rho) t
// for the independent coordinates of the start; those that are held as placed stay there. Each
// becomes a row like a driver's, before the model is turned into numbers: positions, velocities and accelerations, the
// force each needs (its multiplier) and all derivatives come as those of drivers (P3 section 2.2). States of first
// order are integrated: then steps are those of ali3p, whose positions, velocities and accelerations follow from so
// many constraints alone.
#include "simulation/simulation.h"

static MbsStatus add_row(MbsContext *context, MbsBlueprint *blueprint, const MbsIndependentSpec *spec, MbsNode t) {
  MbsGraph *g = blueprint->graph;
  MbsNode trajectory = mbs_graph_add(g, spec->value, mbs_graph_multiply(g, spec->velocity, t));
  const char *name = mbs_arena_print(blueprint->arena, "coordinate %s: %s", spec->name,
                                     spec->is_chosen ? "stays where it is" : "follows its trajectory");
  MBS_APPEND(context, blueprint->arena, &blueprint->rows,
             (MbsRowSpec){.kind = MBS_ROW_EXPRESSION,
                          .name = name ? name : spec->name,
                          .owner = spec->name,
                          .place = spec->place,
                          .body = MBS_NOBODY,
                          .c = mbs_graph_constant(g, 0),
                          .expression = mbs_graph_subtract(g, spec->coordinate, trajectory),
                          .is_driver = true});
  return MBS_OK;
}

static MbsStatus refuse_nonholonomic(MbsContext *context, const MbsBlueprint *blueprint) {
  for (int k = 0; k < blueprint->rows.count; ++k) {
    const MbsRowSpec *row = &blueprint->rows.items[k];
    if (row->is_nonholonomic) {
      return mbs_fail(context, MBS_ERROR_NOT_OFFERED, row->place,
                      "kinematics is not offered with nonholonomic constraints such as \"%s\": positions do not follow "
                      "from them; use simulate",
                      row->name);
    }
  }
  return MBS_OK;
}

MbsStatus mbs_drive_freedoms(MbsContext *context, MbsBlueprint *blueprint) {
  MbsNode t;
  MBS_TRY(refuse_nonholonomic(context, blueprint));
  if (blueprint->independents.count > 0) {
    MBS_TRY(mbs_signal_time(context, blueprint, &t));
  }
  int kept = 0;
  for (int i = 0; i < blueprint->independents.count; ++i) {
    const MbsIndependentSpec spec = blueprint->independents.items[i];
    if (spec.is_state) {  // which are integrated
      blueprint->independents.items[kept++] = spec;
    } else {
      MBS_TRY(add_row(context, blueprint, &spec, t));
    }
  }
  blueprint->independents.count = kept;
  return mbs_graph_status(context, blueprint->graph);
}
