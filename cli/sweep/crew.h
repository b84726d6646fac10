// Threads that compute samples, each with a worker of its own. The main thread gives tasks and takes what is done; it
// alone writes files, prints and talks to other processes.
#ifndef MBS_CLI_CREW_H
#define MBS_CLI_CREW_H

#include "job.h"

typedef struct CliCrew CliCrew;

CliCrew *cli_crew_create(const CliJob *job, int thread_count);
// Ends the threads: runs under way are stopped, and their samples lost.
void cli_crew_destroy(CliCrew *crew);

// How many more tasks it may be given now, and how many it has that nobody has begun.
uint64_t cli_crew_room(CliCrew *crew);
uint64_t cli_crew_waiting(CliCrew *crew);
void cli_crew_give(CliCrew *crew, uint64_t index);
// The next sample that is done; NULL: there is none now. To be given back, when it is written.
CliSample *cli_crew_take(CliCrew *crew);
void cli_crew_give_back(CliCrew *crew, CliSample *sample);
// Waits until much is done, or little to do, but no longer than this.
void cli_crew_wait(CliCrew *crew, double seconds);
// Has a thread failed as a whole? The sentence is in the context.
MbsStatus cli_crew_status(CliCrew *crew, MbsContext *context);

#endif
