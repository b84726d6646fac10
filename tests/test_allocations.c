// 1,000 steps with sensitivities allocate nothing and free nothing, KLU included: malloc and its kin are replaced by
// ones that count, for every library in the process.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_OTHER_ALLOCATOR
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__) && !defined(__linux__)
#define HAS_OTHER_ALLOCATOR
#endif

#include "simulation/simulation.h"
#include "support.h"

#ifdef HAS_OTHER_ALLOCATOR

int main(void) {
  (void)printf("skipped: the sanitizer has an allocator of its own\n");
  return 0;
}

#else

// glibc's own names for the allocator it would have used
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static long taken, freed;

void *malloc(size_t size) {
  taken += 1;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  taken += 1;
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  taken += 1;
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  taken += 1;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  taken += 1;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : 12;  // ENOMEM
}

void free(void *memory) {
  freed += memory != NULL;
  __libc_free(memory);
}

static void check(MbsContext *context, const char *path, const char *formulation, bool is_projection_tangent) {
  enum { STEPS = 1000 };
  MbsModel *model = read_model(context, path);
  MbsArena *arena = mbs_arena_create();
  MbsSettings settings;
  ENSURE_OK(context, mbs_settings_read(context, arena, model, &settings));
  (void)snprintf(settings.formulation, sizeof settings.formulation, "%s", formulation);
  settings.is_projection_tangent = is_projection_tangent;
  settings.step = 0.002;
  settings.end = 1.5 * STEPS * settings.step;
  int columns[64], count = mbs_record_value(&model->root, MBS_MODEL_PARAMETERS)->count;
  ENSURE(count > 0 && count <= MBS_COUNT(columns));
  for (int k = 0; k < count; ++k) {
    columns[k] = k;
  }
  MbsSimulation *simulation;
  taken = freed = 0;
  ENSURE_OK(context, mbs_simulation_create(context, model, &settings, count, columns, NULL, &simulation));
  ENSURE_OK(context, mbs_simulation_start(context, simulation));
  ENSURE(simulation->has_columns);
  if (is_projection_tangent) {  // the first step factors the matrix of the projections for the first time
    ENSURE_OK(context, mbs_simulation_step(context, simulation));
  }
  long set_up = taken;
  ENSURE(set_up > 10);  // setting up cannot do without memory, nor can giving it back, below
  taken = freed = 0;
  for (int i = 0; i < STEPS; ++i) {
    MbsStatus status = mbs_simulation_step(context, simulation);
    if (status != MBS_OK) {
      (void)fprintf(stderr, "%s: step %d: %s\n", path, i + 1, mbs_context_message(context));
      exit(1);
    }
  }
  long while_stepping = taken, freed_while_stepping = freed;
  (void)printf("%s, %s%s, %d columns: %ld allocations at set-up, %ld (and %ld frees) in %d steps\n", path, formulation,
               is_projection_tangent ? " with the tangent projection matrix" : "", count, set_up, while_stepping,
               freed_while_stepping, STEPS);
  ENSURE(while_stepping == 0);
  ENSURE(freed_while_stepping == 0);
  ENSURE(simulation->steps_done == STEPS + is_projection_tangent);
  mbs_simulation_destroy(simulation);
  ENSURE(freed > 0);
  mbs_arena_destroy(arena);
  mbs_model_destroy(model);
}

int main(void) {
  // the counters count: what the library takes, and what the C library takes for it (a stream has a buffer)
  taken = freed = 0;
  MbsContext *context = mbs_context_create();
  ENSURE(context);
  ENSURE(taken > 0);
  taken = freed = 0;
  FILE *file = fopen("models/five_bar.yaml", "r");
  ENSURE(file);
  ENSURE(taken > 0 && freed == 0);
  (void)fclose(file);
  ENSURE(freed > 0);
  static const char *const formulations[] = {"index1", "penalty"};
  for (int i = 0; i < 2; ++i) {
    check(context, "models/five_bar.yaml", formulations[i], false);
    check(context, "models/slider_spring.yaml", formulations[i], false);
    check(context, "models/slider_crank.yaml", formulations[i], false);
    check(context, "tests/models/run_reactions.yaml", formulations[i], false);  // with reactions in its objectives
  }
  check(context, "models/five_bar.yaml", "ali3p", true);
  check(context, "models/slider_crank.yaml", "ali3p", true);
  mbs_context_destroy(context);
  return 0;
}

#endif
