// Finding the first event within a step. See event_search.c.
#ifndef MBS_EVENT_SEARCH_H
#define MBS_EVENT_SEARCH_H

#include "integrators/path.h"

struct MbsEvent;
struct MbsSimulation;

// Does it happen where the guard passes zero from the side where it is?
bool mbs_event_is_awaited(const struct MbsEvent *event);
// The rounding of its guard at the present state, below which it is zero there; only of branches that switch by its
// sign, else 0.
double mbs_event_rounding(const struct MbsSimulation *simulation, const struct MbsEvent *event);
// Is its guard linear in time, and zero nowhere within a step that is planned?
bool mbs_event_is_far(const struct MbsSimulation *simulation, const struct MbsEvent *event, const MbsStep *planned);
// Numbers of what a step changes.
size_t mbs_event_search_size(const struct MbsSimulation *simulation);
// The dynamics of a step, to its end or to the first event: step then says which, when, and how far that is.
MbsStatus mbs_event_search(MbsContext *context, struct MbsSimulation *simulation, MbsStep *step);

#endif
