// Parameters and objectives that refer to each other: in any order, in chains of any length.
#include "support.h"

static MbsContext *context;

enum { LENGTH = 5000 };  // a recursion would take the stack of a thread

typedef struct Text {
  char *bytes;
  size_t used, size;
} Text;

static void add(Text *text, const char *format, int a, int b) {
  text->used += (size_t)snprintf(text->bytes + text->used, text->size - text->used, format, a, b);
  ENSURE(text->used < text->size);
}

// p_i = p_(i-1) + i, from p_0 = 0.25; forwards, backwards, or from both ends to the middle
static int written_at(int order, int k, int count) {
  return order == 0 ? k : order == 1 ? count - 1 - k : k % 2 == 0 ? k / 2 : count - 1 - k / 2;
}

static void check_chain(int order) {
  Text text = {.size = 64 * (size_t)(2 * LENGTH)};
  text.bytes = malloc(text.size);
  ENSURE(text.bytes);
  add(&text, "mbsens: 1\nparameters:\n", 0, 0);
  for (int k = 0; k < LENGTH; ++k) {
    int i = written_at(order, k, LENGTH);
    add(&text, i == 0 ? "  p0: 0.25\n" : "  p%d: p%d", i, i - 1);
    if (i > 0) {
      add(&text, " + %d\n", i, 0);
    }
  }
  add(&text,
      "ground: {points: {O: [0, 0]}}\n"
      "bodies: {a: {mass: 1, inertia: 1, points: {O: [0, 0]}}}\n"
      "joints: [{revolute: [ground.O, a.O]}]\n"
      "initial: {independent: [{coordinate: angle(a), value: 1e-6*p%d}]}\n"
      "simulation: {end: 0.01, step: 0.01}\n"
      "objectives:\n",
      LENGTH - 1, 0);
  enum { OBJECTIVES = 300 };
  for (int k = 0; k < OBJECTIVES; ++k) {
    int i = written_at(order, k, OBJECTIVES);
    add(&text, i == 0 ? "  o0: {final: angle(a)}\n" : "  o%d: {value: 0.5 + o%d}\n", i, i - 1);
  }
  MbsModel *model = read_text(context, "chain", text.bytes);
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  request.method = MBS_METHOD_DIRECT;
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  double sum = 0.25 + (LENGTH - 1) * (double)LENGTH / 2;
  for (int i = 0; i < result->objective_count; ++i) {
    int number = atoi(result->objectives[i] + 1);
    ENSURE_NEAR(result->values[i], 1e-6 * sum + 0.5 * number, 1e-9);
    ENSURE_NEAR(result->gradient[i * result->parameter_count], 1e-6,
                1e-15);  // by p0, the only one that is no expression
  }
  ENSURE(result->objective_count == OBJECTIVES && result->parameter_count == 1);
  mbs_result_destroy(result);
  mbs_model_destroy(model);
  free(text.bytes);
}

int main(void) {
  context = mbs_context_create();
  for (int order = 0; order < 3; ++order) {
    check_chain(order);
  }
  mbs_context_destroy(context);
  (void)printf("chains of %d parameters read in any order\n", LENGTH);
  return 0;
}
