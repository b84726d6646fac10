// The elements the terms loop over. Each file adds its part to r, to the tangent and to the products;
// terms.c walks over them. Private to terms/.
#ifndef MBS_ELEMENTS_H
#define MBS_ELEMENTS_H

#include "model/force.h"
#include "terms/terms.h"

// Coefficients of the assembled tangent: c0 r_x + c1 r_v + c2 r_a.
typedef struct MbsCombination {
  double c0, c1, c2;
} MbsCombination;

// A direction (column): perturbations of the state, and the column of the system, or -1.
typedef struct MbsDirectionColumn {
  int column;
  const mbs_scalar *X
  , *V;                     // nq
  const mbs_scalar *A, *L;  // nq, m; may be NULL
} MbsDirectionColumn;

// The transposed product: with u = (mu, nu) and S = u' r, adds S_q, S_v, S_a, S_lambda, and the derivatives of S with
// respect to every coefficient and to every parameter that an expression names itself.
typedef struct MbsAdjoint {
  const mbs_scalar *mu, *nu;  // nq (zero for the fixed ones), m
  mbs_scalar *q, *v, *a;      // nq
  mbs_scalar *lambda;         // m
  mbs_scalar *coefficients;   // by coefficient
  mbs_scalar *parameters;     // by parameter
} MbsAdjoint;

static inline void mbs_raise(double *largest, mbs_scalar value) {
  double magnitude = mbs_re(mbs_abs(value));
  if (magnitude > *largest) {
    *largest = magnitude;
  }
}

// ---- mass.c ----
MbsStatus mbs_mass_create(MbsContext *context, MbsSystem *system, const MbsMassSpec *spec, MbsMass *mass);
MbsStatus mbs_mass_add_pattern(MbsContext *context, const MbsSystem *system, const MbsMass *mass,
                               MbsPatternBuilder *builder);
MbsStatus mbs_mass_map(MbsContext *context, const MbsSystem *system, MbsMass *mass);
void mbs_mass_residual(const MbsSystem *system, const MbsMass *mass, const MbsState *state, mbs_scalar *f,
                       double *scale);
void mbs_mass_tangent(const MbsSystem *system, const MbsMass *mass, double c2, mbs_scalar *values);
void mbs_mass_derivative(const MbsSystem *system, const MbsMass *mass, const MbsState *state,
                         const MbsDirectionColumn *direction, mbs_scalar *f);
void mbs_mass_transposed(const MbsSystem *system, const MbsMass *mass, const MbsState *state,
                         const MbsAdjoint *adjoint);
// 1/2 v' M v - weight.q
mbs_scalar mbs_mass_energy(const MbsSystem *system, const MbsMass *mass, const MbsState *state);

// ---- row.c ----
MbsStatus mbs_row_create(MbsContext *context, MbsSystem *system, const MbsRowSpec *spec, int index, MbsRow *row);
MbsStatus mbs_row_add_pattern(MbsContext *context, const MbsSystem *system, const MbsRow *row,
                              MbsPatternBuilder *builder);
MbsStatus mbs_row_map(MbsContext *context, const MbsSystem *system, MbsRow *row);
void mbs_row_residual(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                      mbs_scalar *f, mbs_scalar *e, double scale[2]);
void mbs_row_tangent(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                     const MbsCombination *c, mbs_scalar *values);
void mbs_row_derivative(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                        const MbsDirectionColumn *direction, mbs_scalar *f, mbs_scalar *e);
void mbs_row_transposed(const MbsSystem *system, const MbsRow *row, const MbsState *state, const MbsWeights *weights,
                        const MbsAdjoint *adjoint);
void mbs_row_levels(const MbsSystem *system, const MbsRow *row, const MbsState *state, mbs_scalar level[3]);

// ---- force_element.c, force_evaluate.c ----
// where an input of the tape comes from, and where its derivative goes
typedef struct MbsInputPlace {
  MbsSignal signal;
  int argument;  // of position and velocity signals: among the element's arguments
} MbsInputPlace;

typedef struct MbsForceElement {
  const char *name;
  int port_count, argument_count;
  const int *port_body;
  MbsLinearForm *ports, *arguments;
  MbsBlock block;  // kernel coefficients, then the forms of ports and arguments
  bool has_turn;   // some b of the forms is not structurally zero
  const MbsForceKernel *kernel;
  int coefficient_count;
  // by expressions
  MbsTape *value_tape, *full_tape, *energy_tape;  // F; F and F_input (ports x inputs of value_tape); energy and power
  MbsInputPlace *inputs;                          // of value_tape
  mbs_scalar *input_values, *outputs;
  // workspace
  mbs_scalar *y, *v;          // arguments
  mbs_scalar *F_bar;          // ports: adjoint of F
  mbs_scalar *F, *F_y, *F_v;  // ports; ports x arguments
  mbs_scalar *F_c;            // ports x coefficients, or ports x inputs of the tape
  const int *map;             // per port term and argument term: dimension x dimension positions
} MbsForceElement;

MbsStatus mbs_force_element_create(MbsContext *context, MbsSystem *system, const MbsForceSpec *spec,
                                   MbsForceElement **force);
MbsStatus mbs_force_element_add_pattern(MbsContext *context, const MbsSystem *system, const MbsForceElement *force,
                                        MbsPatternBuilder *builder);
MbsStatus mbs_force_element_map(MbsContext *context, const MbsSystem *system, MbsForceElement *force);
void mbs_force_element_residual(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                mbs_scalar *f, double *scale);
// only the ports of one body
void mbs_force_element_body_residual(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                     int body, mbs_scalar *f);
void mbs_force_element_tangent(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                               const MbsCombination *c, mbs_scalar *values);
// for `count` directions; R: f of each, `stride` apart
void mbs_force_element_derivative(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                  int count, const MbsDirectionColumn *directions, mbs_scalar *R, int stride);
void mbs_force_element_transposed(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                                  const MbsAdjoint *adjoint);
void mbs_force_element_energy(const MbsSystem *system, const MbsForceElement *force, const MbsState *state,
                              mbs_scalar *potential, mbs_scalar *power);
bool mbs_force_element_is_finite(const MbsSystem *system, const MbsForceElement *force, const MbsState *state);
const char *mbs_force_element_name(const MbsForceElement *force);

#endif
