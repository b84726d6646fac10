// The entry points that exist twice: in double, and in the complex twin (mbs_complex_run, ...; see
// cmake/twin_entry_points.txt). They take the model as written and give back doubles, so no scalar of a
// build crosses over.
#ifndef MBS_TWIN_H
#define MBS_TWIN_H

#include <mbsens/mbsens.h>

#include "algebra/perturbation.h"
#include "integrators/path.h"
#include "model/model.h"
#include "model/settings.h"
#include "terms/derivative_source.h"

// ---- where derivatives of the terms come from, if not from the formulas ----
typedef struct MbsSourceTable {
  MbsSlopeFunctions functions;
  // the terms of the model to be perturbed; parameters: values of all, or NULL: the model's own
  MbsStatus (*create)(MbsContext *context, const MbsModel *model, const MbsSettings *settings, const double *parameters,
                      struct MbsPerturbedTerms **terms);
  void (*destroy)(struct MbsPerturbedTerms *terms);
} MbsSourceTable;

MbsStatus mbs_twin_terms_create(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                                const double *parameters, struct MbsPerturbedTerms **terms);
MbsStatus mbs_complex_terms_create(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                                   const double *parameters, struct MbsPerturbedTerms **terms);
// NULL: the formulas
const MbsSourceTable *mbs_source_table(MbsDerivatives derivatives);

// ---- runs ----
// What one run is asked for, by index, with what only the inside may ask: values of all parameters, a perturbation, a
// path to follow. MbsRequest (mbsens.h) is what a user asks for, by name, and with complex steps or differences it is
// many runs. Its names are resolved once (selection.h). They stay two: but for settings, memory and recorder they have
// no field in common.
typedef struct MbsTwinRequest {
  MbsSettings settings;
  int column_count;  // parameters to differentiate with respect to
  const int *columns;
  const MbsSourceTable *source;  // of the derivatives; NULL: the formulas
  bool is_adjoint;               // by the adjoint method, not directly
  bool is_start_alone;           // not the run, but its start: for what contradicts a parameter there
  bool is_continuous;            // by the continuous adjoint, if by an adjoint; its histories have running gradients
  int objective_count;           // chosen
  const int *objectives;         // NULL: all
  double memory;                 // adjoint: bytes for the trajectory; 0: see MbsRequest
  const double *parameters;      // values of all parameters; NULL: the model's own
  int perturbed;                 // parameter perturbed by the complex step, or -1 (complex twin only)
  const double *direction;       // of all parameters: perturbed along it likewise; NULL: none
  MbsShift shift;                // a step that is perturbed likewise, or none
  const MbsRecorder *recorder;   // NULL: no histories
  bool with_reactions;           // at the end
  const MbsPath *followed;       // the run whose path is followed; NULL: decide
} MbsTwinRequest;

// Everything in the arena that is passed with it. A perturbed run gives derivatives: imaginary parts over the step, in
// `values` and in the recorded rows (but for the time). Names of the model, its parameters and objectives, and warnings
// are not filled in (but what contradicts a parameter). path (NULL: not wanted): what the run did.
MbsStatus mbs_twin_run(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsTwinRequest *request,
                       MbsResult *result, MbsPath *path);
MbsStatus mbs_complex_run(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsTwinRequest *request,
                          MbsResult *result, MbsPath *path);

// ---- probe: the terms at any state, for checking derivatives term by term ----
typedef enum MbsProbeKind {
  MBS_PROBE_VALUE,  // nothing perturbed: values
  MBS_PROBE_PARAMETER,
  MBS_PROBE_POSITION,
  MBS_PROBE_VELOCITY,
  MBS_PROBE_ACCELERATION,
  MBS_PROBE_MULTIPLIER,
  MBS_PROBE_TOTAL  // of the multipliers of the balance of forces
} MbsProbeKind;

typedef struct MbsProbeState {
  double t;
  const double *q, *v, *a;  // n free coordinates
  const double *lambda;     // m
  const double *total;      // m
  double c0, c1;
  const double *u;  // n: of the product P u, P = M - c1 Q_v - c0 Q_x; NULL: P u is not wanted
} MbsProbeState;

typedef struct MbsProbe MbsProbe;

// With the settings of the model, or with others.
MbsStatus mbs_twin_probe_create(MbsContext *context, const MbsModel *model, MbsProbe **probe);
MbsStatus mbs_twin_probe_create_for(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                                    MbsProbe **probe);
void mbs_twin_probe_destroy(MbsProbe *probe);
// f (n), Phi, Phidot, Phiddot (m each), P u (n) and the instantaneous value of each objective; or, with something
// perturbed, their derivatives. index: the parameter, coordinate or multiplier.
void mbs_twin_probe_evaluate(MbsProbe *probe, const MbsProbeState *state, MbsProbeKind kind, int index, double *f,
                             double *Phi, double *Phidot, double *Phiddot, double *Pu, double *g);
// The same for one element alone (mbs_system_isolate; behind those the objectives' integrands), along a direction of
// the state and of all parameters: move, then the derivative of the residual's part (n + m), or of one number; and how
// large what it is made of is, which may cancel.
void mbs_twin_probe_move(MbsProbe *probe, const MbsProbeState *state, const MbsProbeState *along,
                         const double *parameters);
void mbs_twin_probe_element(MbsProbe *probe, const MbsPlainWeights *weights, int element, double *r, double *size);
MbsStatus mbs_complex_probe_create(MbsContext *context, const MbsModel *model, MbsProbe **probe);
MbsStatus mbs_complex_probe_create_for(MbsContext *context, const MbsModel *model, const MbsSettings *settings,
                                       MbsProbe **probe);
void mbs_complex_probe_destroy(MbsProbe *probe);
void mbs_complex_probe_evaluate(MbsProbe *probe, const MbsProbeState *state, MbsProbeKind kind, int index, double *f,
                                double *Phi, double *Phidot, double *Phiddot, double *Pu, double *g);
void mbs_complex_probe_move(MbsProbe *probe, const MbsProbeState *state, const MbsProbeState *along,
                            const double *parameters);
void mbs_complex_probe_element(MbsProbe *probe, const MbsPlainWeights *weights, int element, double *r, double *size);

#endif
