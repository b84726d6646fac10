// Set-up grows with the size of a model and no faster: the bytes that reading, compiling and a few steps ask for, by
// counting, of chains and chains of loops that are doubled. And names that are looked up cost no more in large models:
// the number of comparisons of texts, likewise.
//
// Twice the bodies may take 2.2 times the memory: arrays that grow by doubling are up to twice too large, at either
// size.
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

static double taken;  // bytes that were asked for, given back or not
static long compared;

void *malloc(size_t size) {
  taken += (double)size;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  taken += (double)count * (double)size;
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  taken += (double)size;
  return __libc_realloc(old, size);
}

int strcmp(const char *a, const char *b) {
  ++compared;
  while (*a && *a == *b) {
    ++a;
    ++b;
  }
  return (unsigned char)*a - (unsigned char)*b;
}

enum { MOST_TEXT = 400000 };
static char text[MOST_TEXT];

#define PUT(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)

static size_t write_chain(int count) {
  size_t used = 0;
  PUT("mbsens: 1\ngravity: [0, -9.81]\nconstants: {N: %d}\nground: {points: {O: [0, 0]}}\n", count);
  PUT("templates:\n  link:\n    bodies: {rod: {mass: 1, com: [0.5, 0], inertia: 0.1, points: {A: [0, 0], B: [1, 0]}}}\n"
      "    initial: {points: {rod.B: [i + 1, 0]}}\n"
      "  pin: {joints: [{revolute: [link(i-1).rod.B, link(i).rod.A]}]}\n");
  PUT("assemblies:\n  - {template: link, name: link, first: 0, repeat: N}\n"
      "  - {template: pin, name: pin, first: 1, repeat: N - 1}\n");
  PUT("joints: [{revolute: [ground.O, link(0).rod.A]}]\nsimulation: {end: 1, step: 0.001, formulation: index1}\n");
  return used;
}

static size_t write_loops(int count) {
  size_t used = 0;
  PUT("mbsens: 1\ngravity: [0, -9.81]\nconstants: {N: %d}\n", count);
  PUT("templates:\n  upright:\n    ground: {points: {A: [0, 0]}}\n"
      "    bodies: {link: {mass: 1, com: [0, 0.5], inertia: 0.1, points: {A: [0, 0], B: [0, 1]}}}\n"
      "    joints: [{revolute: [ground.A, link.A]}]\n    initial: {points: {link.B: [0, 1]}}\n"
      "  bar:\n    bodies: {link: {mass: 1, com: [0.5, 0], inertia: 0.1, points: {B: [0, 0], C: [1, 0]}}}\n"
      "    joints:\n      - revolute: [upright(i-1).link.B, link.B]\n      - revolute: [link.C, upright(i).link.B]\n");
  PUT("assemblies:\n  - {template: upright, name: upright, first: 0, repeat: N + 1, at: [i, 0]}\n"
      "  - {template: bar, name: bar, repeat: N}\n");
  PUT("simulation: {end: 1, step: 0.001, formulation: index1}\n");
  return used;
}

// in space, hinges about three axes
static size_t write_space(int count) {
  static const char *const axes[] = {"0, 1, 0", "0, 0, 1", "0.6, 0.8, 0"};
  size_t used = 0;
  PUT("mbsens: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nground: {points: {O: [0, 0, 0]}}\nbodies:\n");
  for (int i = 0; i < count; ++i) {
    PUT("  b%d: {mass: 1, com: [0.15, 0.01, 0.02], inertia: [0.005, 0.02, 0.022], points: {A: [0, 0, 0], B: [0.3, 0, "
        "0]}}\n",
        i);
  }
  PUT("joints:\n  - {revolute: [ground.O, b0.A], axis: [0, 1, 0]}\n");
  for (int i = 1; i < count; ++i) {
    PUT("  - {revolute: [b%d.B, b%d.A], axis: [%s]}\n", i - 1, i, axes[i % 3]);
  }
  PUT("simulation: {end: 1, step: 0.001, formulation: index1}\n");
  return used;
}

typedef struct Cost {
  double bytes, compared;
} Cost;

static Cost cost_of(size_t (*write)(int count), int count, const char *coordinates) {
  MbsContext *context = mbs_context_create();
  MbsModel *model;
  MbsSimulation *simulation;
  MbsRequest request;
  size_t size = write(count);
  taken = 0;
  compared = 0;
  ENSURE(mbs_model_read_text(context, text, size, "chain.yaml", &model) == MBS_OK);
  ENSURE(mbs_request_default(context, model, &request) == MBS_OK);
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", coordinates);
  ENSURE(mbs_simulation_create(context, model, &request.settings, 0, NULL, NULL, &simulation) == MBS_OK);
  ENSURE(mbs_simulation_start(context, simulation) == MBS_OK);
  for (int step = 0; step < 2; ++step) {
    ENSURE(mbs_simulation_step(context, simulation) == MBS_OK);
  }
  Cost cost = {.bytes = taken, .compared = (double)compared};
  mbs_simulation_destroy(simulation);
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  return cost;
}

static void ensure_linear(const char *name, size_t (*write)(int count), const char *coordinates) {
  enum { COUNT = 150 };
  const Cost one = cost_of(write, COUNT, coordinates), two = cost_of(write, 2 * COUNT, coordinates);
  const Cost four = cost_of(write, 4 * COUNT, coordinates);
  // chunks of memory double as well: two doublings, and what each adds
  double first = two.bytes - one.bytes, second = four.bytes - two.bytes;
  (void)printf("%s, %s: %.3g, %.3g, %.3g bytes, %.0f, %.0f, %.0f comparisons\n", name, coordinates, one.bytes,
               two.bytes, four.bytes, one.compared, two.compared, four.compared);
  ENSURE(four.bytes < 2.2 * 2.2 * one.bytes);
  ENSURE(first > 0 && second > 0);
  // of loops a list is still gone through somewhere: 6.7 times at this size, where a square would be 16
  ENSURE(four.compared < (write == write_chain ? 4.5 : 8) * one.compared);
}

int main(void) {
  ensure_linear("chain", write_chain, "natural");
  ensure_linear("loops", write_loops, "natural");
  ensure_linear("loops", write_loops, "relative");
  // what a long chain holds at the start is chosen well: its rows fill in much, and pivots must not get worse for that
  ENSURE(cost_of(write_space, 640, "relative").bytes > 0);
  return 0;
}

#endif
