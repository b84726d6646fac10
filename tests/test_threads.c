// One model, used by several threads at once, each with a context and a request of its own: methods direct, adjoint and
// complex step, a simulator, a check. All give the bits that one thread gives. In the tsan preset the thread sanitizer
// looks on: what would be shared and written it tells, whether bits differ or not.
#include <mbsens/simulator.h>
#include <pthread.h>

#include "support.h"

enum { THREADS = 3, MOST_NUMBERS = 4096 };

// What the runs of a thread gave, number after number.
typedef struct Work {
  const MbsModel *model;
  const char *coordinates, *parameters;
  pthread_barrier_t *barrier;  // NULL: alone
  int count;
  double numbers[MOST_NUMBERS];
} Work;

static void keep(Work *work, int count, const double *numbers) {
  ENSURE(work->count + count <= MOST_NUMBERS);
  memcpy(work->numbers + work->count, numbers, (size_t)count * sizeof *numbers);
  work->count += count;
}

static void keep_result(Work *work, const MbsResult *result) {
  keep(work, result->objective_count, result->values);
  keep(work, result->objective_count * result->parameter_count, result->gradient);
  for (int i = 0; i < result->point_count; ++i) {
    keep(work, 3, result->points[i].position);
    keep(work, 3, result->points[i].acceleration);
  }
}

static void *use(void *user) {
  static const char *const methods[] = {"direct", "adjoint", "complex-step"};
  Work *work = user;
  MbsContext *context = mbs_context_create();
  MbsRequest *request;
  MbsSimulator *simulator;
  MbsCheck *check;
  ENSURE(context);
  if (work->barrier) {
    (void)pthread_barrier_wait(work->barrier);
  }
  ENSURE_OK(context, mbs_request_create(context, work->model, &request));
  ENSURE_OK(context, mbs_request_set(context, request, "coordinates", work->coordinates));
  ENSURE_OK(context, mbs_request_set(context, request, "parameters", work->parameters));
  ENSURE_OK(context, mbs_request_set(context, request, "end", "0.1"));
  for (int m = 0; m < 3; ++m) {
    MbsResult *result;
    ENSURE_OK(context, mbs_request_set(context, request, "method", methods[m]));
    ENSURE_OK(context, mbs_run(context, work->model, request, &result));
    keep_result(work, result);
    mbs_result_destroy(result);
  }
  ENSURE_OK(context, mbs_check(context, work->model, request, &check));
  keep(work, check->coordinates, check->position);
  mbs_check_destroy(check);
  ENSURE_OK(context, mbs_request_set(context, request, "method", "adjoint"));
  ENSURE_OK(context, mbs_simulator_create(context, work->model, request, &simulator));
  for (int again = 0; again < 2; ++again) {
    ENSURE_OK(context, mbs_simulator_run(context, simulator));
    keep(work, mbs_simulator_objective_count(simulator), mbs_simulator_values(simulator));
    keep(work, mbs_simulator_objective_count(simulator) * mbs_simulator_parameter_count(simulator),
         mbs_simulator_gradient(simulator));
  }
  mbs_simulator_destroy(simulator);
  mbs_request_destroy(request);
  mbs_context_destroy(context);
  return NULL;
}

static void check_model(const char *path, const char *coordinates, const char *parameters) {
  MbsContext *context = mbs_context_create();
  ENSURE(context);
  MbsModel *model = read_model(context, path);
  static Work alone, together[THREADS];
  alone = (Work){.model = model, .coordinates = coordinates, .parameters = parameters};
  pthread_barrier_t barrier;
  pthread_t threads[THREADS];
  ENSURE(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
  for (int i = 0; i < THREADS; ++i) {
    together[i] = alone;
    together[i].barrier = &barrier;
    ENSURE(pthread_create(&threads[i], NULL, use, &together[i]) == 0);
  }
  for (int i = 0; i < THREADS; ++i) {
    ENSURE(pthread_join(threads[i], NULL) == 0);
  }
  (void)use(&alone);
  double largest = 0;
  for (int k = 0; k < alone.count; ++k) {
    largest = alone.numbers[k] > largest ? alone.numbers[k] : largest;
  }
  ENSURE(alone.count > 10 && largest > 0);
  for (int i = 0; i < THREADS; ++i) {
    ENSURE(together[i].count == alone.count);
    ENSURE(memcmp(together[i].numbers, alone.numbers, (size_t)alone.count * sizeof *alone.numbers) == 0);
  }
  (void)pthread_barrier_destroy(&barrier);
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  (void)printf("%-36s %-9s %4d numbers, the same in %d threads and in one\n", path, coordinates, alone.count, THREADS);
}

int main(void) {
  check_model("models/five_bar.yaml", "natural", "Ls1,mA1");
  check_model("models/five_bar.yaml", "relative", "Ls1,mA1");
  check_model("models/rssr.yaml", "natural", "");
  check_model("tests/models/tables.yaml", "natural", "");
  check_model("tests/models/event_impacts.yaml", "natural", "");
  return 0;
}
