#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/context.h"
#include "cli/memory.h"
#include "cli/outcome.h"
#include "cli/stop.h"
#include "ranks.h"

// A rank asks, with what it has computed since it asked before; rank 0 answers with tasks, at once, and maybe with
// none.
//
//   ASK    wanted (how many tasks), then samples: head, numbers unless it failed, sentence
//   TASKS  indices; or the one that says that all is done
enum { TAG_ASK = 1, TAG_TASKS };
#define ALL_DONE UINT64_MAX

typedef struct Head {
  uint64_t index;
  uint32_t status, length;
} Head;

enum { MOST_TASKS = 4096 };                              // in an answer
static const size_t enough = 1 << 22;                    // bytes of samples in a question
static const double look_interval = 0.001, idle = 0.02;  // s, until a rank looks again, or asks again
static const struct timespec patience = {.tv_sec = 3};
static const double ahead = 0.2, often_enough = 0.2;  // s of work that wait; s, after which samples are sent

const char *cli_mpi_version(void) {
#define TEXT_OF(x) #x
#define DOTTED(a, b) TEXT_OF(a) "." TEXT_OF(b)
  return DOTTED(MPI_VERSION, MPI_SUBVERSION);
#undef DOTTED
#undef TEXT_OF
}

// ---- all of them ----
// a process by itself has no need of MPI, and does not wait for it
static bool is_started_by_mpirun(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (getenv(names[i])) {
      return true;
    }
  }
  return false;
}

int cli_ranks_begin(CliRanks *ranks) {
  *ranks = (CliRanks){.count = 1};
  if (!is_started_by_mpirun()) {
    return 0;
  }
  int provided;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED) {
    return cli_fail(MBS_ERROR_NOT_OFFERED, "MPI does not start, or not in a process with threads");
  }
  ranks->has_begun = true;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks->count);
  ranks->working = ranks->rank == 0 ? ranks->count - 1 : 0;
  cli_stop_catch_signals();  // MPI may have put handlers of its own
  if (ranks->rank > 0) {
    ranks->standard_error = dup(STDERR_FILENO);
    (void)!freopen("/dev/null", "w", stderr);  // what is wrong with the input is told once, by rank 0
  }
  return 0;
}

// standard error of other ranks comes back
static void speak(CliRanks *ranks) {
  if (ranks->rank > 0 && ranks->standard_error >= 0) {
    (void)fflush(stderr);
    (void)dup2(ranks->standard_error, STDERR_FILENO);
    (void)close(ranks->standard_error);
    ranks->standard_error = -1;
  }
}

void cli_ranks_end(CliRanks *ranks) {
  if (ranks->has_begun) {
    (void)MPI_Finalize();
  }
  free(ranks->bytes);
  *ranks = (CliRanks){.count = 1};
}

void cli_ranks_abort(const CliRanks *ranks, int exit_status) {
  (void)fflush(NULL);
  if (ranks->has_begun) {
    (void)MPI_Abort(MPI_COMM_WORLD, exit_status);
  }
  exit(exit_status);
}

int cli_ranks_agree(CliRanks *ranks, int exit_status, uint64_t signature) {
  if (ranks->count == 1) {
    return exit_status;
  }
  uint64_t first[2] = {(uint64_t)exit_status, signature};
  (void)MPI_Bcast(first, 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  // the lowest rank that is not like rank 0
  int other = exit_status != (int)first[0] || signature != first[1] ? ranks->rank : ranks->count, lowest;
  (void)MPI_Allreduce(&other, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first[0] == 0 && lowest < ranks->count) {
    exit_status = cli_exit_status(MBS_ERROR_INPUT);
    if (ranks->rank == 0) {
      (void)cli_fail(MBS_ERROR_INPUT,
                     "rank %d reads another model than rank 0, or none, or is another version of mbsens: every machine "
                     "needs the same files",
                     lowest);
    }
  }
  speak(ranks);
  return first[0] != 0 ? (int)first[0] : exit_status;
}

// ---- bytes ----
static unsigned char *room_for(CliRanks *ranks, size_t size) {
  if (size > ranks->room) {
    ranks->room = 2 * size;
    ranks->bytes = cli_memory_resize(ranks->bytes, ranks->room, 1);
  }
  return ranks->bytes;
}

static void put(CliRanks *ranks, size_t *at, const void *bytes, size_t count) {
  memcpy(room_for(ranks, *at + count) + *at, bytes, count);
  *at += count;
}

static void put_sample(CliRanks *ranks, size_t *at, const CliSample *sample, size_t width) {
  Head head = {.index = sample->index, .status = sample->status, .length = (uint32_t)strlen(sample->message)};
  put(ranks, at, &head, sizeof head);
  put(ranks, at, sample->numbers, sample->status == MBS_OK ? width * sizeof(double) : 0);
  put(ranks, at, sample->message, head.length);
}

// the next sample of a message, which has `size` bytes; false: there is none, or it is not whole
static bool get_sample(const unsigned char *bytes, size_t size, size_t *at, CliSample *sample, size_t width) {
  Head head;
  if (*at + sizeof head > size) {
    return false;
  }
  memcpy(&head, bytes + *at, sizeof head);
  size_t numbers = head.status == MBS_OK ? width * sizeof(double) : 0;
  if (head.length >= sizeof sample->message || *at + sizeof head + numbers + head.length > size) {
    return false;
  }
  *at += sizeof head;
  sample->index = head.index;
  sample->status = head.status;
  memcpy(sample->numbers, bytes + *at, numbers);
  memcpy(sample->message, bytes + *at + numbers, head.length);
  sample->message[head.length] = '\0';
  *at += numbers + head.length;
  return true;
}

// ---- rank 0 ----
// tasks for one who asks: no more than its part of what is left, so that nobody has much when others have nothing
static int find_tasks(const CliRanks *ranks, const CliJournal *journal, uint64_t wanted, uint64_t *next,
                      uint64_t *tasks) {
  uint64_t left = journal->total - *next, part = left / (2 * (uint64_t)ranks->count) + 1;
  uint64_t most = wanted < part ? wanted : part;
  int count = 0;
  for (; *next < journal->total && (uint64_t)count < most && count < MOST_TASKS; ++*next) {
    if (!cli_journal_has(journal, *next)) {
      tasks[count++] = *next;
    }
  }
  return count;
}

static int answer(CliRanks *ranks, CliJournal *journal, int rank, uint64_t wanted, uint64_t *next) {
  uint64_t tasks[MOST_TASKS];
  int count = find_tasks(ranks, journal, wanted, next, tasks);
  if (count == 0 && journal->done == journal->total) {
    tasks[count++] = ALL_DONE;
    ranks->working -= 1;
  }
  return MPI_Send(tasks, count, MPI_UINT64_T, rank, TAG_TASKS, MPI_COMM_WORLD) == MPI_SUCCESS
             ? 0
             : cli_fail(MBS_ERROR_FILE, "rank %d cannot be reached", rank);
}

static int take_question(CliRanks *ranks, CliJournal *journal, int rank, int size, uint64_t *next) {
  unsigned char *bytes = room_for(ranks, (size_t)size);
  CliSample sample = {.numbers = cli_memory_take(journal->width, sizeof(double))};
  uint64_t wanted = 0;
  size_t at = sizeof wanted;
  int exit_status = 0;
  (void)MPI_Recv(bytes, size, MPI_BYTE, rank, TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  memcpy(&wanted, bytes, sizeof wanted);
  while (!exit_status && get_sample(bytes, (size_t)size, &at, &sample, journal->width)) {
    exit_status = cli_journal_add(journal, &sample);
  }
  if (!exit_status && at != (size_t)size) {
    exit_status = cli_fail(MBS_ERROR_INTERNAL, "a message of rank %d is not whole", rank);
  }
  free(sample.numbers);
  return exit_status ? exit_status : answer(ranks, journal, rank, wanted, next);
}

int cli_ranks_serve(CliRanks *ranks, CliJournal *journal, uint64_t *next, bool *did) {
  int exit_status = 0;
  *did = false;
  while (ranks->working > 0 && !exit_status) {
    int is_there = 0, size = 0;
    MPI_Status status;
    (void)MPI_Iprobe(MPI_ANY_SOURCE, TAG_ASK, MPI_COMM_WORLD, &is_there, &status);
    if (!is_there) {
      break;
    }
    (void)MPI_Get_count(&status, MPI_BYTE, &size);
    exit_status = take_question(ranks, journal, status.MPI_SOURCE, size, next);
    *did = true;
  }
  return exit_status;
}

// ---- the others ----
typedef struct Work {
  CliCrew *crew;
  size_t width;
  uint64_t unfinished, done;  // tasks that the crew has; samples that it gave
  size_t at;                  // of the message that is filled
  bool is_asking, is_over;
  double start, asked;
} Work;

static void collect(CliRanks *ranks, Work *work) {
  for (CliSample *sample; work->at < enough && (sample = cli_crew_take(work->crew));) {
    put_sample(ranks, &work->at, sample, work->width);
    cli_crew_give_back(work->crew, sample);
    work->unfinished -= 1;
    work->done += 1;
  }
}

static uint64_t wanted_tasks(const Work *work, int thread_count) {
  double elapsed = cli_seconds() - work->start, rate = elapsed > 0 ? (double)work->done / elapsed : 0;
  uint64_t most = 2 * (uint64_t)thread_count + (uint64_t)(ahead * rate), room = cli_crew_room(work->crew);
  uint64_t waiting = cli_crew_waiting(work->crew), wanted = most > waiting ? most - waiting : 0;
  return wanted < room ? wanted : room;
}

// Little to do, or samples that have waited for long.
static bool should_ask(const Work *work, int thread_count) {
  double since = cli_seconds() - work->asked;
  bool is_empty = work->unfinished == 0 && work->at == 0;
  bool is_hungry = cli_crew_waiting(work->crew) <= (uint64_t)thread_count;
  return (is_hungry && (!is_empty || since > idle) && since > look_interval) ||
         (work->at > 0 && since > often_enough) || work->at >= enough;
}

static void ask(CliRanks *ranks, Work *work, int thread_count) {
  uint64_t wanted = wanted_tasks(work, thread_count);
  size_t size = sizeof wanted + work->at;
  // samples stand behind the first number, for which there is always room
  unsigned char *bytes = room_for(ranks, size);
  memmove(bytes + sizeof wanted, bytes, work->at);
  memcpy(bytes, &wanted, sizeof wanted);
  (void)MPI_Send(bytes, (int)size, MPI_BYTE, 0, TAG_ASK, MPI_COMM_WORLD);
  work->at = 0;
  work->is_asking = true;
  work->asked = cli_seconds();
}

static void listen(Work *work) {
  uint64_t tasks[MOST_TASKS];
  int is_there = 0, count = 0;
  MPI_Status status;
  (void)MPI_Iprobe(0, TAG_TASKS, MPI_COMM_WORLD, &is_there, &status);
  if (!is_there) {
    return;
  }
  (void)MPI_Recv(tasks, MOST_TASKS, MPI_UINT64_T, 0, TAG_TASKS, MPI_COMM_WORLD, &status);
  (void)MPI_Get_count(&status, MPI_UINT64_T, &count);
  work->is_asking = false;
  for (int i = 0; i < count; ++i) {
    if (tasks[i] == ALL_DONE) {
      work->is_over = true;
    } else {
      cli_crew_give(work->crew, tasks[i]);
      work->unfinished += 1;
    }
  }
}

int cli_ranks_work(CliRanks *ranks, const CliJob *job, int thread_count) {
  Work work = {.crew = cli_crew_create(job, thread_count), .width = job->width, .start = cli_seconds()};
  MbsContext *context = job->session->context;
  while (!work.is_over) {
    MbsStatus status = cli_crew_status(work.crew, context);
    if (status != MBS_OK) {
      (void)fprintf(stderr, "mbsens: rank %d: %s\n", ranks->rank, mbs_context_message(context));
      cli_ranks_abort(ranks, cli_exit_status(status));
    }
    if (cli_stop_is_asked()) {
      cli_stop_expect_no_reports();
      (void)nanosleep(&patience, NULL);  // rank 0 says what there is, and ends all
      cli_ranks_abort(ranks, cli_exit_status(MBS_ERROR_INTERRUPTED));
    }
    if (work.is_asking) {
      listen(&work);
    }
    collect(ranks, &work);
    if (!work.is_asking && !work.is_over && should_ask(&work, thread_count)) {
      ask(ranks, &work, thread_count);
    } else {
      cli_crew_wait(work.crew, look_interval);
    }
  }
  cli_stop_expect_no_reports();
  cli_crew_destroy(work.crew);
  return 0;
}
