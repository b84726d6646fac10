// A model compiled for what is asked of it, which can be run any number of times, or stepped: simulation, and what
// differentiates it directly or by an adjoint. In the scalar of the build. A second run takes no memory.
#ifndef MBS_SESSION_H
#define MBS_SESSION_H

#include "sensitivities/adjoint.h"
#include "sensitivities/history.h"
#include "sensitivities/twin.h"

typedef struct MbsSession {
  MbsTwinRequest request;
  int objective_count;
  int *objectives;  // chosen, by index
  MbsSimulation *simulation;
  struct MbsPerturbedTerms *terms;  // of the source of derivatives, or NULL
  MbsSweep *sweep;                  // of an adjoint, or NULL
  MbsHistory history;
  MbsSeries series;  // rows that wait for gradients, which the continuous adjoint knows last
  MbsRecorder keeper;
  const MbsRecorder *recorder;  // of rows on the way there; NULL: none
  bool is_under_way;            // there is a state to show
  bool is_cut_short;            // what came after it failed: the results are those up to there
  MbsCheckpoint end;            // the last state, while an adjoint is on its way back
  mbs_scalar *gradient;         // room for that of all objectives, in between
} MbsSession;

MbsStatus mbs_session_create(MbsContext *context, const MbsModel *model, const MbsTwinRequest *request,
                             MbsSession **session);
void mbs_session_destroy(MbsSession *session);

// Another step for runs to come, between stops if there are any (simulation.h). Nothing is compiled again. Not with the
// continuous adjoint.
MbsStatus mbs_session_set_step(MbsContext *context, MbsSession *session, double step, const MbsStops *stops);

// So many steps from a time on, for starts to come.
MbsStatus mbs_session_plan(MbsContext *context, MbsSession *session, double t, long steps);

MbsStatus mbs_session_start(MbsContext *context, MbsSession *session);
// The state now is what there is to show if the next step fails: after another state has been put in its place.
void mbs_session_keep(MbsSession *session);
MbsStatus mbs_session_step(MbsContext *context, MbsSession *session);
// Values and gradients, where the run is now; the state stays as it is. After an adjoint no step can follow, only a
// start.
MbsStatus mbs_session_finish(MbsContext *context, MbsSession *session);
// Are values and gradients of the objectives numbers, and has what they look at happened?
MbsStatus mbs_session_check_objectives(MbsContext *context, const MbsSession *session);
// The way back alone: the gradients of the objectives that are needed. Once for each run, but where the trajectory
// holds all of its steps.
MbsStatus mbs_session_sweep(MbsContext *context, MbsSession *session);
// Where a step or the finish fails numerically, the results are those before it (is_cut_short), histories too.
// All of that, with reports of progress.
MbsStatus mbs_session_run(MbsContext *context, MbsSession *session);

// What came out, in an arena of the caller's. result.c
MbsStatus mbs_session_result(MbsContext *context, MbsArena *arena, MbsSession *session, MbsResult *result);
MbsStatus mbs_session_path(MbsContext *context, MbsArena *arena, MbsSession *session, MbsPath *path);
// Runs to come walk the same path, which must outlive them; NULL: that of the settings.
MbsStatus mbs_session_follow(MbsContext *context, MbsSession *session, const MbsPath *path);
// A number as it is given back: its value, or of a perturbed run its derivative.
double mbs_session_number(const MbsSession *session, mbs_scalar x);

#endif
