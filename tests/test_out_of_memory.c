// Every allocation may fail, one alone or all from then on: each public call then ends with MBS_ERROR_MEMORY and that
// word, or with the very same numbers (KLU asks for less memory when it is done, and lives without), gives everything
// back, and the same call succeeds afterwards. malloc and its kin are replaced by ones that count and fail the n-th
// request, for every library in the process. libfyaml 0.7 does not survive all of this: where it asked, a crash or a
// leak is its own; so that one does not end the test, models are read in processes of their own.
//
// usage: test_out_of_memory [all]   all: every n, but for verify, which asks 250,000 times; else a growing stride
#define _GNU_SOURCE  // dladdr
#define MEMORY_FAILS fails
#include "counted_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <mbsens/build.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

// the library's arenas with an allocation for every request; the complex twin keeps its own
#define MBS_ARENA_CHUNK 0
#include "../src/base/arena.c"

#ifndef MEMORY_IS_NOT_COUNTED

static long left = -1;        // requests until one fails; -1: none does
static bool is_rest_failing;  // all after it, too
static bool has_failed;
static bool is_in_fyaml;  // the request that failed
static struct Trial *shared_trial;
static void note_failure(void);

// does libfyaml stand somewhere above?
static bool is_asked_by_fyaml(void) {
  enum { MOST_FRAMES = 16 };
  void *frames[MOST_FRAMES];
  int count = backtrace(frames, MOST_FRAMES);
  for (int i = 0; i < count; ++i) {
    Dl_info library;
    if (dladdr(frames[i], &library) && library.dli_fname && strstr(library.dli_fname, "libfyaml")) {
      return true;
    }
  }
  return false;
}

static bool fails(void) {
  if (left < 0 || (left > 0 && --left > 0)) {
    return false;
  }
  bool does = is_rest_failing || !has_failed;
  if (!has_failed) {
    long at = left;
    has_failed = true;
    left = -1;
    is_in_fyaml = is_asked_by_fyaml();
    note_failure();
    left = at;
  }
  errno = does ? ENOMEM : errno;
  return does;
}

#define TRY(call)               \
  do {                          \
    MbsStatus status_ = (call); \
    if (status_ != MBS_OK) {    \
      return status_;           \
    }                           \
  } while (0)

// ---- jobs ----
// what came out, as numbers: the sum of what was kept, by place
static double outcome;

static void keep(double number) { outcome = 1.0001 * outcome + number; }

typedef struct Job {
  const char *label, *path;
  MbsStatus (*run)(MbsContext *context, const struct Job *job, MbsModel *model);
  const char *formulation, *coordinates;
  MbsMethod method;
  MbsDerivatives derivatives;
  bool is_kinematic;
} Job;

static MbsStatus read_job(MbsContext *context, const Job *job, MbsModel *model) {
  MbsModel *read = NULL;
  MbsStatus status = mbs_model_read_file(context, job->path, &read);
  (void)model;
  outcome = 0;
  mbs_model_destroy(read);
  return status;
}

static MbsStatus build_model(MbsContext *context, MbsModel *model) {
  MbsStatus status = mbs_model_add_parameter(context, model, "L", mbs_number(model, 1.25));
  status = status ? status : mbs_model_set_gravity(context, model, "0", "-9.81", NULL);
  status = status ? status : mbs_model_add_ground_point(context, model, "O", "0", "0", NULL);
  MbsBodyDef bar = mbs_default_body_def();
  bar.name = "bar";
  bar.mass = mbs_number(model, 2);
  bar.inertia[0] = "0.1";
  bar.com[0] = "L/2", bar.com[1] = "0";
  status = status ? status : mbs_model_add_body(context, model, &bar);
  status = status ? status : mbs_model_add_point(context, model, "bar", "O", "0", "0", NULL);
  MbsRevoluteJointDef pivot = mbs_default_revolute_joint_def();
  pivot.ends[0] = "ground.O", pivot.ends[1] = "bar.O";
  status = status ? status : mbs_model_add_revolute_joint(context, model, &pivot);
  status = status ? status : mbs_model_set_simulation(context, model, "step", "0.01");
  return status ? status : mbs_model_set(context, model, "L", "1.5");
}

static MbsStatus build_job(MbsContext *context, const Job *job, MbsModel *model) {
  MbsModel *built = NULL;
  MbsStatus status = mbs_model_create(context, "pendulum", 2, &built);
  (void)job;
  (void)model;
  status = status ? status : build_model(context, built);
  mbs_model_destroy(built);
  return status;
}

static MbsStatus prepare(MbsContext *context, const Job *job, const MbsModel *model, MbsRequest *request) {
  TRY(mbs_request_default(context, model, request));
  MbsSettings *settings = &request->settings;
  settings->end = 3 * settings->step;
  (void)snprintf(settings->formulation, sizeof settings->formulation, "%s", job->formulation);
  (void)snprintf(settings->coordinates, sizeof settings->coordinates, "%s", job->coordinates);
  settings->derivatives = job->derivatives;
  settings->is_kinematic = job->is_kinematic;
  request->method = job->method;
  return MBS_OK;
}

static MbsStatus run_job(MbsContext *context, const Job *job, MbsModel *model) {
  MbsRequest request;
  MbsResult *result = NULL;
  TRY(prepare(context, job, model, &request));
  MbsStatus status = mbs_run(context, model, &request, &result);
  ENSURE((status == MBS_OK) == (result && result->is_complete));
  for (int i = 0; result && i < result->objective_count; ++i) {
    keep(result->values[i]);
    for (int k = 0; result->gradient && k < result->parameter_count; ++k) {
      keep(result->gradient[i * result->parameter_count + k]);
    }
  }
  mbs_result_destroy(result);
  return status;
}

static MbsStatus check_job(MbsContext *context, const Job *job, MbsModel *model) {
  MbsRequest request;
  MbsCheck *check = NULL;
  TRY(prepare(context, job, model, &request));
  MbsStatus status = mbs_check(context, model, &request, &check);
  for (int i = 0; check && i < check->coordinates; ++i) {
    keep(check->position[i]);
    keep(check->velocity[i]);
    keep((double)strlen(check->coordinate_names[i]));
  }
  for (int i = 0; check && i < check->constraints; ++i) {
    keep(check->is_redundant[i]);
    keep((double)strlen(check->constraint_names[i]));
  }
  mbs_check_destroy(check);
  return status;
}

static MbsStatus verify_job(MbsContext *context, const Job *job, MbsModel *model) {
  MbsRequest request;
  MbsVerification *verification = NULL;
  TRY(prepare(context, job, model, &request));
  MbsStatus status = mbs_verify(context, model, &request, &verification);
  if (verification) {
    keep(verification->row_count);
    keep(verification->max_relative_error);
    keep(verification->left_out ? (double)strlen(verification->left_out) : 0);
    keep(verification->pass);
  }
  mbs_verification_destroy(verification);
  return status;
}

static const Job jobs[] = {
    {.label = "read", .path = "models/five_bar.yaml", .run = read_job},
    {.label = "read templates", .path = "models/n_four_bar.yaml", .run = read_job},
    {.label = "build", .run = build_job},
    {.label = "check", .path = "models/five_bar.yaml", .run = check_job, .formulation = "ali3p"},
    {.label = "check", .path = "models/bricard.yaml", .run = check_job, .formulation = "index1"},
    {.label = "check",
     .path = "models/rssr.yaml",
     .run = check_job,
     .formulation = "index1",
     .coordinates = "relative"},
    {.label = "simulate", .path = "models/five_bar.yaml", .run = run_job, .formulation = "ali3p"},
    {.label = "simulate", .path = "models/bricard.yaml", .run = run_job, .formulation = "penalty"},
    {.label = "direct",
     .path = "models/five_bar.yaml",
     .run = run_job,
     .formulation = "ali3p",
     .method = MBS_METHOD_DIRECT},
    {.label = "direct",
     .path = "models/five_bar.yaml",
     .run = run_job,
     .formulation = "index3",
     .coordinates = "relative",
     .method = MBS_METHOD_DIRECT},
    {.label = "direct, automatic",
     .path = "models/five_bar.yaml",
     .run = run_job,
     .formulation = "index1",
     .method = MBS_METHOD_DIRECT,
     .derivatives = MBS_DERIVATIVES_AUTOMATIC},
    {.label = "direct, numerical",
     .path = "models/five_bar.yaml",
     .run = run_job,
     .formulation = "ali1",
     .method = MBS_METHOD_DIRECT,
     .derivatives = MBS_DERIVATIVES_NUMERICAL},
    {.label = "adjoint",
     .path = "models/five_bar.yaml",
     .run = run_job,
     .formulation = "matrix-r",
     .method = MBS_METHOD_ADJOINT},
    {.label = "adjoint",
     .path = "models/rssr.yaml",
     .run = run_job,
     .formulation = "ali3p",
     .coordinates = "relative",
     .method = MBS_METHOD_ADJOINT},
    {.label = "adjoint, redundant",
     .path = "models/bricard.yaml",
     .run = run_job,
     .formulation = "ali3p",
     .coordinates = "relative",
     .method = MBS_METHOD_ADJOINT},
    {.label = "adjoint-continuous",
     .path = "models/five_bar.yaml",
     .run = run_job,
     .formulation = "matrix-r",
     .method = MBS_METHOD_ADJOINT_CONTINUOUS},
    {.label = "complex-step",
     .path = "models/five_bar.yaml",
     .run = run_job,
     .formulation = "ali3p",
     .method = MBS_METHOD_COMPLEX_STEP},
    {.label = "finite-difference",
     .path = "models/five_bar.yaml",
     .run = run_job,
     .formulation = "penalty",
     .method = MBS_METHOD_FINITE_DIFFERENCE},
    {.label = "kinematics",
     .path = "models/five_bar.yaml",
     .run = run_job,
     .formulation = "ali3p",
     .method = MBS_METHOD_DIRECT,
     .is_kinematic = true},
    {.label = "verify", .path = "tests/models/run_chain.yaml", .run = verify_job, .formulation = "ali3p"},
};

// ---- the sweep ----
typedef struct Tally {
  long requests, tried, survived, wrong, of_fyaml;
} Tally;

typedef struct Trial {
  bool has_failed, is_in_fyaml, is_ended;
  MbsStatus status;
  double outcome;
  long leaked;
  char message[200];
} Trial;

// for who looks on, since the process may crash at once
static void note_failure(void) {
  if (shared_trial) {
    shared_trial->has_failed = true;
    shared_trial->is_in_fyaml = is_in_fyaml;
  }
}

static void try_once(MbsContext *context, const Job *job, MbsModel *model, long n, bool with_rest, Trial *trial) {
  long before = memory.live;
  *trial = (Trial){.is_ended = false};
  is_rest_failing = with_rest;
  has_failed = is_in_fyaml = false;
  outcome = 0;
  left = n;
  MbsStatus status = job->run(context, job, model);
  left = -1;
  *trial = (Trial){.has_failed = has_failed,
                   .is_in_fyaml = is_in_fyaml,
                   .is_ended = true,
                   .status = status,
                   .outcome = outcome,
                   .leaked = memory.live - before};
  (void)snprintf(trial->message, sizeof trial->message, "%.199s", mbs_context_message(context));
}

// In a process of its own, where that may crash.
static void try_apart(MbsContext *context, const Job *job, MbsModel *model, long n, bool with_rest, Trial *trial) {
  Trial *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ENSURE(shared != MAP_FAILED);
  (void)fflush(NULL);
  pid_t child = fork();
  ENSURE(child >= 0);
  if (child == 0) {
    shared_trial = shared;
    try_once(context, job, model, n, with_rest, shared);
    _exit(0);
  }
  int status;
  ENSURE(waitpid(child, &status, 0) == child);
  *trial = *shared;
  (void)munmap(shared, sizeof *shared);
}

static bool is_good(const Trial *trial, double expected) {
  bool is_told = trial->status == MBS_ERROR_MEMORY && strstr(trial->message, "out of memory");
  bool is_same = trial->status == MBS_OK && memcmp(&trial->outcome, &expected, sizeof expected) == 0;
  return trial->is_ended && (is_told || is_same) && trial->leaked == 0;
}

static Tally sweep(MbsContext *context, const Job *job, MbsModel *model, bool with_rest, bool is_whole) {
  Tally tally = {0};
  Trial trial;
  try_once(context, job, model, -1, false, &trial);
  ENSURE_OK(context, trial.status);
  double expected = trial.outcome;
  bool is_apart = is_whole || job->run == read_job;
  for (long n = 1;; n += is_whole || n < 20 ? 1 : 1 + n / 4) {
    (is_apart ? try_apart : try_once)(context, job, model, n, with_rest, &trial);
    if (!trial.has_failed) {
      ENSURE(is_good(&trial, expected) && trial.status == MBS_OK);
      tally.requests = n - 1;
      return tally;
    }
    bool is_fine = is_good(&trial, expected);
    bool is_told = trial.is_ended && trial.status == MBS_ERROR_MEMORY;
    tally.tried += 1;
    tally.survived += is_fine && trial.status == MBS_OK;
    tally.of_fyaml += !is_fine && trial.is_in_fyaml && (!trial.is_ended || is_told);
    if (!is_fine && !(trial.is_in_fyaml && (!trial.is_ended || is_told)) && tally.wrong++ < 3) {
      (void)fprintf(stderr, "%s %s %s: request %ld%s failed: %s, status %d, \"%s\", %ld blocks leaked\n", job->label,
                    job->path ? job->path : "", job->coordinates, n, with_rest ? " and all after" : "",
                    trial.is_ended ? "ended" : "crashed", (int)trial.status, trial.message, trial.leaked);
    }
  }
}

int main(int argument_count, char **arguments) {
  bool is_whole = argument_count > 1 && strcmp(arguments[1], "all") == 0;
  MbsContext *context = mbs_context_create();
  long wrong = 0;
  ENSURE(context);
  (void)is_asked_by_fyaml();  // the first call takes memory
  for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; ++i) {
    Job job = jobs[i];
    MbsModel *model = job.path ? read_model(context, job.path) : NULL;
    job.coordinates = job.coordinates ? job.coordinates : "natural";
    for (int rest = 0; rest < 2; ++rest) {
      Tally tally = sweep(context, &job, model, rest == 1, is_whole && job.run != verify_job);
      (void)printf("%s %s, %s, %s: %ld of %ld requests failed%s, %ld survived, %ld lost in libfyaml\n", job.label,
                   job.path ? job.path : "", job.formulation ? job.formulation : "-", job.coordinates, tally.tried,
                   tally.requests, rest ? " with all after" : "", tally.survived, tally.of_fyaml);
      ENSURE(tally.tried > 1);
      wrong += tally.wrong;
    }
    mbs_model_destroy(model);
  }
  mbs_context_destroy(context);
  ENSURE(wrong == 0);
  return 0;
}

#endif
