// What a source of derivatives keeps: the elements with their arguments, and workspace. Of derivative_source.c and
// derivative_products.c.
#ifndef MBS_SOURCE_STORAGE_H
#define MBS_SOURCE_STORAGE_H

#include "terms/derivative_source.h"
#include "terms/elements.h"

typedef struct MbsSourceElement {
  MbsElementKind kind;
  int index;  // among those of its kind
  int row;    // of its multiplier; -1: it is no row
  int coordinate_count;
  const int *coordinates;  // that it touches, each once
  const MbsBlock *block;
  int argument_count;
  const MbsArgument *arguments;  // without steps
  const int *map;  // positions in the assembled matrix, (coordinates, e) x (coordinates, lambda); NULL: of a body cut free
} MbsSourceElement;

typedef struct MbsSourceSet {
  int nq, m;
  const MbsEntityKind *kinds;  // by coordinate
  int element_count;
  MbsSourceElement *elements;  // masses, rows, forces
} MbsSourceSet;

typedef struct MbsSource {
  const MbsSlopeFunctions *functions;
  struct MbsPerturbedTerms *terms;
  MbsSourceSet sets[2];  // the whole system's elements, and those of bodies cut free
  MbsArgument *wanted;   // of one element: those to perturb, with steps
  double *slopes;        // of one element: wanted x (coordinates + 1)
  double *q, *v, *a, *u;  // on the coordinates of one element
  double *turns;
  double *tape_inputs, *tape_workspace, *tape_slopes;  // see mbs_source_tape
  int tape_input_count, tape_workspace_size, tape_output_count;
} MbsSource;

#endif
