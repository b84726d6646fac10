// Constraints and forces as the matrix of a tree sees them: which parts of their forms a coordinate moves.
//
// An element depends on linear forms y of the bodies' points and vectors, and acts on such forms. A part is what one
// body adds to a form: weight times the body's point, plus vectors. It moves with the body's twist,
//     y -> weight lin + ang x y
// and with the model's own coordinates (scalars) that a form names. A coordinate of the tree that moves any part is a
// mover of the element.
#ifndef MBS_TREE_ELEMENTS_H
#define MBS_TREE_ELEMENTS_H

#include "terms/elements.h"
#include "tree/tree.h"

typedef struct MbsTreePart {
  int form, node;
  int count;         // terms of the form
  const int *first;  // first coordinate of the entity of each
  const int *at;     // where in the element's block their a is, b behind it
  int point;         // term of the body's point, or -1
} MbsTreePart;

// A coordinate of the model's own (or of a ball) that a form names, with a factor.
typedef struct MbsTreeScalar {
  int form, coordinate;
  int at;  // where in the element's block its factor is
} MbsTreeScalar;

typedef struct MbsTreeMover {
  int coordinate;
  bool is_port, is_argument;  // it moves a form that the element acts on, one that it depends on
  int part_count, scalar_count;
  const int *parts, *scalars;
} MbsTreeMover;

typedef struct MbsTreeElement {
  const MbsBlock *block;
  bool has_turn;
  bool has_ground;                // a form has terms of the ground, too
  bool is_repeated;               // its forms are those of the element before it
  int node;                       // of a force: the only one that it has to do with; else -1
  int form_count, argument_form;  // those it depends on follow from there, those it acts on are the first ones
  int part_count, scalar_count, mover_count;
  MbsTreePart *parts;
  MbsTreeScalar *scalars;
  MbsTreeMover *movers;
  // positions in the matrix
  int diagonal;             // of a row
  const int *row, *column;  // of a row, by mover: (row, mover), (mover, row)
  const int *pairs;         // by mover that is a port and mover that is an argument: (one, other); NULL: not wanted
} MbsTreeElement;

// Does the element act on this form; does it depend on it? All of them where these are the same.
static inline bool mbs_tree_is_port(const MbsTreeElement *element, int form) {
  return element->argument_form == 0 || form < element->argument_form;
}
static inline bool mbs_tree_is_argument(const MbsTreeElement *element, int form) {
  return form >= element->argument_form;
}

typedef struct MbsTreeElements {
  MbsTreeElement *rows, *forces;
  const MbsRow *first_row;  // those of all rows and forces, of which now one alone may take part
  MbsForceElement *const *first_force;
  int scalar_mass_count;
  const MbsMass **scalar_masses;
  const int **scalar_maps;  // of each: positions, count x count
  // workspace
  int *candidates;           // by coordinate: those that move an element
  bool *is_candidate;        // likewise
  mbs_scalar *values;        // by part: at q, v, a
  mbs_scalar *Y[3];          // by mover and form
  mbs_scalar *product;       // by form
  mbs_scalar *g, *slope[3];  // of a row, by form
  mbs_scalar *G[2];          // of a force: ports x arguments
  mbs_scalar *wrench;        // of a force: twist x arguments
} MbsTreeElements;

// ---- tree_elements.c ----
// What elements consist of.
MbsStatus mbs_tree_elements_create(MbsContext *context, const MbsTree *tree, MbsTreeElements **elements);
// Which coordinates move them: of the rows, and with_forces of the forces too.
MbsStatus mbs_tree_elements_move(MbsContext *context, const MbsTree *tree, bool with_forces);
// Their entries in the matrix of the tree's coordinates. with_pairs: else the rows' alone.
MbsStatus mbs_tree_elements_place(const MbsEntries *entries, const MbsTree *tree, bool with_pairs);
MbsStatus mbs_tree_place_scalar_mass(const MbsEntries *entries, const MbsTree *tree, const MbsMass *mass,
                                     const int **map);

// ---- tree_element_matrix.c ----
// values += what rows, forces and the inertia of the model's own coordinates add to the matrix; see tree_tangent.c.
void mbs_tree_elements_assemble(const MbsTree *tree, MbsMatrixKind kind, bool is_exact, const MbsWeights *weights,
                                const MbsCombination *c, mbs_scalar *values);
// ---- tree_force_matrix.c ----
// K (by node: twist x 3 twists) += that of the forces with a node of their own, which assemble then leaves out.
void mbs_tree_add_force_matrices(const MbsTree *tree, mbs_scalar *K);

// ---- tree_element_matrix.c ----
// y, v, a of the element's parts into the elements' values.
void mbs_tree_evaluate_parts(const MbsTree *tree, const MbsTreeElement *element, int levels);
// The inertia of the model's own coordinates, if it takes part in the terms now.
void mbs_tree_add_scalar_mass(const MbsSystem *inner, const MbsMass *mass, const int *map, mbs_scalar c2,
                              mbs_scalar *values);

#endif
