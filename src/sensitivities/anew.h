// Derivatives from running a model anew, as a user would: another number in the file, read, placed, compiled and
// assembled again. Nothing is shared with the run that is checked but the settings (an automatic penalty factor is a
// number of the method) and, with matrix-r, the sets of independent coordinates that it chose. So these see what a
// derivative of the computation misses, whoever takes it: a start that was held fixed, a jump that moves.
#ifndef MBS_ANEW_H
#define MBS_ANEW_H

#include "sensitivities/selection.h"
#include "sensitivities/twin.h"

// One run with another number for a parameter. base: settings, path and recorder of the run it is compared with.
MbsStatus mbs_anew_run(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsTwinRequest *base,
                       int parameter, double number, MbsResult *outcome);

// A derivative with the error it may have; not finite, where the model cannot be run with numbers nearby.
typedef struct MbsAnewEntry {
  double value, error;
  double scale;  // below which a derivative does not count: a millionth of the objective, as the parameter doubles
} MbsAnewEntry;

// Of every chosen objective by every chosen parameter (objectives x parameters, in the arena):
//     D(d) = (psi(p + d) - psi(p - d)) / 2 d,    value = D(d/2) + (D(d/2) - D(d)) / 3,
//     error = |value - D(d/2)| + 3 noise/d
// (one-sided, where the model refuses the other side: value = 2 D(d/2) - D(d)), with the d of some that is surest. The
// error is that of the better of two differences, of which truncation is the smaller part left; noise of the values, of
// rounding and of Newton's tolerance, is measured by a few runs more.
// crosses_jump: differences see nothing of a jump that moves by less than a step of the run; then d is a hundredth.
MbsStatus mbs_anew_differentiate(MbsContext *context, MbsArena *arena, const MbsModel *model, const MbsRequest *request,
                                 bool crosses_jump, MbsAnewEntry **entries);

#endif
