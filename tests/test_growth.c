// Set-up grows with the size of a model and no faster: the bytes that reading, compiling and a few steps ask for, by
// counting, of chains and chains of loops that are doubled. And names that are looked up cost no more in large models:
// the number of comparisons of texts, likewise.
//
// Twice the bodies may take 2.2 times the memory: arrays that grow by doubling are up to twice too large, at either
// size.
#include "counted_memory.h"

#include "../benchmarks/chain_model.h"
#include "simulation/simulation.h"
#include "support.h"

#ifndef MEMORY_IS_NOT_COUNTED

static long compared;

int strcmp(const char *a, const char *b) {
  ++compared;
  while (*a && *a == *b) {
    ++a;
    ++b;
  }
  return (unsigned char)*a - (unsigned char)*b;
}

enum { MOST_TEXT = 400000 };
static char model_text[MOST_TEXT];

#define PUT(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)

static size_t write_chain(int count, char *text, size_t size) {
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

typedef size_t (*Writer)(int count, char *text, size_t size);

typedef struct Cost {
  double bytes, compared;
} Cost;

static Cost cost_of(Writer write, int count, const char *coordinates) {
  MbsContext *context = mbs_context_create();
  MbsModel *model;
  MbsSimulation *simulation;
  MbsRequest request;
  size_t size = write(count, model_text, sizeof model_text);
  memory.bytes = 0;
  compared = 0;
  ENSURE(mbs_model_read_text(context, model_text, size, "chain.yaml", &model) == MBS_OK);
  ENSURE(mbs_request_default(context, model, &request) == MBS_OK);
  (void)snprintf(request.settings.formulation, MBS_NAME_LENGTH, "index1");
  (void)snprintf(request.settings.coordinates, MBS_NAME_LENGTH, "%s", coordinates);
  ENSURE(mbs_simulation_create(context, model, &request.settings, 0, NULL, NULL, &simulation) == MBS_OK);
  ENSURE(mbs_simulation_start(context, simulation) == MBS_OK);
  for (int step = 0; step < 2; ++step) {
    ENSURE(mbs_simulation_step(context, simulation) == MBS_OK);
  }
  Cost cost = {.bytes = memory.bytes, .compared = (double)compared};
  mbs_simulation_destroy(simulation);
  mbs_model_destroy(model);
  mbs_context_destroy(context);
  return cost;
}

static void ensure_linear(const char *name, Writer write, const char *coordinates) {
  enum { COUNT = 150 };
  const Cost one = cost_of(write, COUNT, coordinates), two = cost_of(write, 2 * COUNT, coordinates);
  const Cost four = cost_of(write, 4 * COUNT, coordinates);
  // chunks of memory double as well: two doublings, and what each adds
  double first = two.bytes - one.bytes, second = four.bytes - two.bytes;
  (void)printf("%s, %s: %.3g, %.3g, %.3g bytes, %.0f, %.0f, %.0f comparisons\n", name, coordinates, one.bytes,
               two.bytes, four.bytes, one.compared, two.compared, four.compared);
  ENSURE(four.bytes < 2.2 * 2.2 * one.bytes);
  ENSURE(first > 0 && second > 0);
  ENSURE(four.compared < 4.5 * one.compared);
}

int main(void) {
  ensure_linear("chain", write_chain, "natural");
  ensure_linear("chain", write_chain, "relative");
  ensure_linear("loops", chain_write_loops, "natural");
  ensure_linear("loops", chain_write_loops, "relative");
  // what a long chain holds at the start is chosen well: its rows fill in much, and pivots must not get worse for that
  ENSURE(cost_of(chain_write_open, 640, "relative").bytes > 0);
  return 0;
}

#endif
