// What a source of derivatives keeps: the elements with their arguments, the slopes it found last, and workspace. Of
// derivative_source.c and derivative_products.c.
#ifndef MBS_SOURCE_STORAGE_H
#define MBS_SOURCE_STORAGE_H

#include "terms/derivative_source.h"
#include "terms/elements.h"

// Slopes of an element by some of its arguments.
typedef struct MbsElementSlopes {
  int count;               // -1: not known
  MbsArgument *arguments;  // with steps
  double *values;          // count x (coordinates + 1): f, then e without epsilon lambda
} MbsElementSlopes;

typedef struct MbsSourceElement {
  MbsElementKind kind;
  int index;             // among those of its kind
  int row;               // of its multiplier; -1: it is no row
  bool is_nonholonomic;  // it is such a row
  bool has_tables;       // some argument is a delta
  int coordinate_count;
  const int *coordinates;  // that it touches, each once
  const MbsBlock *block;
  int argument_count;
  const MbsArgument *arguments;  // all, without steps
  const int
      *map;  // positions in the assembled matrix, (coordinates, e) x (coordinates, lambda); NULL: of a body cut free
} MbsSourceElement;

// Where slopes were asked for, and the slopes that were found there so far.
typedef struct MbsSourcePlace {
  double t;
  MbsPlainWeights weights;                     // without epsilons
  double *state;                               // q, v, a, lambda, turns
  double points, rates, seconds, multipliers;  // how large these are, for the steps of differences
  MbsElementSlopes *slopes;                    // by element
} MbsSourcePlace;

// As many places as one step visits again for each objective: levels of matrix-r, iterations of ali3p's projections.
enum { MBS_SOURCE_PLACES = 8 };

typedef struct MbsSourceSet {
  bool is_cut;
  int nq, m;
  const MbsEntityKind *kinds;  // by coordinate
  int element_count;
  MbsSourceElement *elements;  // masses, rows, forces
  MbsSourcePlace places[MBS_SOURCE_PLACES];
  int oldest;  // of the places: the next to be given up
} MbsSourceSet;

typedef struct MbsSource {
  const MbsSlopeFunctions *functions;
  struct MbsPerturbedTerms *terms;
  MbsSourceSet sets[2];                                // of the whole system, and of bodies cut free
  MbsElementSlopes product;                            // of one element: of P u
  double *q, *v, *a, *u;                               // on the coordinates of one element
  double *tape_inputs, *tape_workspace, *tape_slopes;  // see mbs_source_tape
  int tape_input_count, tape_workspace_size, tape_output_count;
  double *parameters;  // room for the values of all
} MbsSource;

#endif
