#include "crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/context.h"
#include "cli/memory.h"

enum { TASKS_PER_THREAD = 64, MOST_BYTES = 1 << 26 };

// Places of a ring, from which samples go round: free, to do, being done, done, free.
typedef struct Ring {
  int first, count, size;
  CliSample **items;
} Ring;

struct CliCrew {
  const CliJob *job;
  int thread_count, started;
  pthread_t *threads;
  pthread_mutex_t mutex;
  pthread_cond_t has_tasks, has_news;
  CliSample *samples;
  double *numbers;
  Ring free, tasks, done;
  atomic_bool is_over;
  MbsStatus status;
  char message[MBS_MESSAGE_SIZE];
};

static Ring create_ring(int size) {
  CliSample **items = cli_memory_take((size_t)size, sizeof(CliSample *));
  return (Ring){.size = size, .items = items};
}

static void push(Ring *ring, CliSample *sample) { ring->items[(ring->first + ring->count++) % ring->size] = sample; }

static CliSample *pop(Ring *ring) {
  if (ring->count == 0) {
    return NULL;
  }
  CliSample *sample = ring->items[ring->first];
  ring->first = (ring->first + 1) % ring->size;
  ring->count -= 1;
  return sample;
}

static bool keep_going(void *user, double fraction) {
  CliCrew *crew = user;
  (void)fraction;
  return !atomic_load(&crew->is_over);
}

static void note(CliCrew *crew, MbsStatus status, const char *message) {
  (void)pthread_mutex_lock(&crew->mutex);
  if (crew->status == MBS_OK) {
    crew->status = status;
    (void)snprintf(crew->message, sizeof crew->message, "%s", message);
  }
  (void)pthread_cond_signal(&crew->has_news);
  (void)pthread_mutex_unlock(&crew->mutex);
}

static CliSample *next_task(CliCrew *crew) {
  CliSample *sample = NULL;
  (void)pthread_mutex_lock(&crew->mutex);
  while (!atomic_load(&crew->is_over) && !(sample = pop(&crew->tasks))) {
    (void)pthread_cond_wait(&crew->has_tasks, &crew->mutex);
  }
  (void)pthread_mutex_unlock(&crew->mutex);
  return sample;
}

// news: little left to do, or as much done as the main thread should write at once
static void finish_task(CliCrew *crew, CliSample *sample) {
  (void)pthread_mutex_lock(&crew->mutex);
  push(&crew->done, sample);
  if (crew->tasks.count <= crew->thread_count || crew->done.count >= crew->done.size / 4) {
    (void)pthread_cond_signal(&crew->has_news);
  }
  (void)pthread_mutex_unlock(&crew->mutex);
}

static void *work(void *user) {
  CliCrew *crew = user;
  const CliJob *job = crew->job;
  void *worker = NULL;
  MbsContext *context = mbs_context_create();
  if (!context) {
    note(crew, MBS_ERROR_MEMORY, "out of memory");
    return NULL;
  }
  mbs_context_on_progress(context, keep_going, crew);
  MbsStatus status = job->create(context, job->user, &worker);
  for (CliSample *sample; status == MBS_OK && (sample = next_task(crew));) {
    status = job->compute(context, worker, sample);
    if (status == MBS_OK) {
      finish_task(crew, sample);
    }
  }
  if (status != MBS_OK && !atomic_load(&crew->is_over)) {
    note(crew, status, mbs_context_message(context));
  }
  job->destroy(worker);
  mbs_context_destroy(context);
  return NULL;
}

CliCrew *cli_crew_create(const CliJob *job, int thread_count) {
  CliCrew *crew = cli_memory_take(1, sizeof *crew);
  size_t width = job->width > 0 ? job->width : 1, most = MOST_BYTES / (width * sizeof(double));
  int size = thread_count * TASKS_PER_THREAD;
  size = (size_t)size > most ? (int)most : size;
  size = size < 2 * thread_count ? 2 * thread_count : size;
  crew->job = job;
  crew->thread_count = thread_count;
  crew->threads = cli_memory_take((size_t)thread_count, sizeof *crew->threads);
  crew->samples = cli_memory_take((size_t)size, sizeof *crew->samples);
  crew->numbers = cli_memory_take((size_t)size * width, sizeof *crew->numbers);
  crew->free = create_ring(size);
  crew->tasks = create_ring(size);
  crew->done = create_ring(size);
  for (int i = 0; i < size; ++i) {
    crew->samples[i].numbers = crew->numbers + (size_t)i * width;
    push(&crew->free, &crew->samples[i]);
  }
  (void)pthread_mutex_init(&crew->mutex, NULL);
  (void)pthread_cond_init(&crew->has_tasks, NULL);
  (void)pthread_cond_init(&crew->has_news, NULL);
  // signals are for the main thread
  sigset_t all, before;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  while (crew->started < thread_count && pthread_create(&crew->threads[crew->started], NULL, work, crew) == 0) {
    ++crew->started;
  }
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (crew->started == 0) {
    crew->status = MBS_ERROR_MEMORY;
    (void)snprintf(crew->message, sizeof crew->message, "no thread can be started");
  }
  return crew;
}

void cli_crew_destroy(CliCrew *crew) {
  if (!crew) {
    return;
  }
  (void)pthread_mutex_lock(&crew->mutex);
  atomic_store(&crew->is_over, true);
  (void)pthread_cond_broadcast(&crew->has_tasks);
  (void)pthread_mutex_unlock(&crew->mutex);
  for (int i = 0; i < crew->started; ++i) {
    (void)pthread_join(crew->threads[i], NULL);
  }
  (void)pthread_cond_destroy(&crew->has_news);
  (void)pthread_cond_destroy(&crew->has_tasks);
  (void)pthread_mutex_destroy(&crew->mutex);
  free(crew->free.items);
  free(crew->tasks.items);
  free(crew->done.items);
  free(crew->numbers);
  free(crew->samples);
  free(crew->threads);
  free(crew);
}

// ---- the main thread ----
static uint64_t count_of(CliCrew *crew, const Ring *ring) {
  (void)pthread_mutex_lock(&crew->mutex);
  uint64_t count = (uint64_t)ring->count;
  (void)pthread_mutex_unlock(&crew->mutex);
  return count;
}

uint64_t cli_crew_room(CliCrew *crew) { return count_of(crew, &crew->free); }
uint64_t cli_crew_waiting(CliCrew *crew) { return count_of(crew, &crew->tasks); }

void cli_crew_give(CliCrew *crew, uint64_t index) {
  (void)pthread_mutex_lock(&crew->mutex);
  CliSample *sample = pop(&crew->free);
  if (sample) {
    sample->index = index;
    push(&crew->tasks, sample);
    (void)pthread_cond_signal(&crew->has_tasks);
  }
  (void)pthread_mutex_unlock(&crew->mutex);
}

CliSample *cli_crew_take(CliCrew *crew) {
  (void)pthread_mutex_lock(&crew->mutex);
  CliSample *sample = pop(&crew->done);
  (void)pthread_mutex_unlock(&crew->mutex);
  return sample;
}

void cli_crew_give_back(CliCrew *crew, CliSample *sample) {
  (void)pthread_mutex_lock(&crew->mutex);
  push(&crew->free, sample);
  (void)pthread_mutex_unlock(&crew->mutex);
}

static bool has_news(const CliCrew *crew) {
  return crew->status != MBS_OK ||
         (crew->done.count > 0 && (crew->tasks.count <= crew->thread_count || crew->done.count >= crew->done.size / 4));
}

void cli_crew_wait(CliCrew *crew, double seconds) {
  struct timespec end;
  (void)clock_gettime(CLOCK_REALTIME, &end);
  long nanoseconds = end.tv_nsec + (long)(1e9 * seconds);
  end.tv_sec += nanoseconds / 1000000000;
  end.tv_nsec = nanoseconds % 1000000000;
  (void)pthread_mutex_lock(&crew->mutex);
  while (!has_news(crew) && pthread_cond_timedwait(&crew->has_news, &crew->mutex, &end) == 0) {
  }
  (void)pthread_mutex_unlock(&crew->mutex);
}

MbsStatus cli_crew_status(CliCrew *crew, MbsContext *context) {
  (void)pthread_mutex_lock(&crew->mutex);
  MbsStatus status = crew->status;
  if (status != MBS_OK) {
    (void)mbs_fail(context, status, mbs_nowhere, "%s", crew->message);
  }
  (void)pthread_mutex_unlock(&crew->mutex);
  return status;
}
