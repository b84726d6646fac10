// The entities a body stands on.
#ifndef MBS_BASIS_H
#define MBS_BASIS_H

#include "model/blueprint.h"

enum { MBS_BASIS_SIZE = 4 };

// First a point, then what spans the body's axes from there: points or unit vectors. Point masses stand on one entity,
// planar bodies and thin rods on two, spatial bodies on four.
typedef struct MbsBasis {
  int count;
  int entity[MBS_BASIS_SIZE];
  MbsEntityKind kind[MBS_BASIS_SIZE];
  MbsNode local[MBS_BASIS_SIZE][3];  // of each entity, in body axes
} MbsBasis;

// Form of frame vector i (1 ... count - 1): the vector itself, or the point's difference to the first point.
MbsStatus mbs_basis_span(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsBasis *basis, int i,
                         MbsForm *form);
// The same in body axes.
void mbs_basis_local_span(MbsGraph *graph, const MbsBasis *basis, int i, MbsNode local[3]);

// What all bodies on such a basis have in common: the frame vectors keep their products dot(D_i, D_j). The unit length
// of a vector is its entity's own row, and a row on fixed entities alone is none.
MbsStatus mbs_basis_add_rows(MbsContext *context, MbsBlueprint *blueprint, int body, const MbsBasis *basis);

#endif
