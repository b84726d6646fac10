// What has been computed so far, in a file: a line for each evaluation, behind lines that say which problem it is. A
// search that is started again with it is given the numbers of the lines instead of runs, in their order, and so takes
// the same way, to the bit, to where it had come, and on. The first of them is run again, to see that it is the same
// model. Lines are added whole; one that a kill has cut is dropped.
#ifndef MBS_JOURNAL_H
#define MBS_JOURNAL_H

#include <stdint.h>

#include "optimization/design_problem.h"

typedef struct MbsJournal MbsJournal;

// A number that stands for the problem: all of it but the model's own numbers.
uint64_t mbs_journal_signature(const MbsDesignProblem *problem);

// Opens it, or begins a new one. NULL path: *journal is NULL, which is good for all calls. A file that is of another
// problem, or no such file at all, is refused and stays as it is.
MbsStatus mbs_journal_open(MbsContext *context, MbsArena *arena, const char *path, const MbsDesignProblem *problem,
                           MbsJournal **journal);
void mbs_journal_close(MbsJournal *journal);
// The method that the search was begun with; MBS_METHOD_NONE: it is not yet begun, and so to be said.
MbsMethod mbs_journal_method(const MbsJournal *journal);
MbsStatus mbs_journal_begin(MbsContext *context, MbsJournal *journal, MbsMethod method);

// The next line, if there is one: values and gradient of the point, or the failure that it had (in `status`, with its
// message in the context). One that is of another design is an error.
MbsStatus mbs_journal_recall(MbsContext *context, MbsJournal *journal, const MbsDesignProblem *problem,
                             MbsDesignPoint *point, bool *is_known, MbsStatus *status);
MbsStatus mbs_journal_keep(MbsContext *context, MbsJournal *journal, const MbsDesignProblem *problem,
                           const MbsDesignPoint *point, MbsStatus status);

#endif
