// Errors in records that do not depend on each other are told at once: the first as the message, at most ten in all.
#include "support.h"

static MbsContext *context;

// reads and checks the model, which is wrong as these say, in this order
static void ensure_errors(const char *text, int count, const char *const *errors) {
  MbsModel *model = NULL;
  MbsStatus status = mbs_model_read_text(context, text, strlen(text), "wrong", &model);
  if (status == MBS_OK) {
    MbsRequest request;
    MbsCheck *check;
    ENSURE_OK(context, mbs_request_default(context, model, &request));
    status = mbs_check(context, model, &request, &check);
  }
  ENSURE(status == MBS_ERROR_INPUT);
  for (int i = 0; i < mbs_context_error_count(context); ++i) {
    ENSURE_CONTAINS(mbs_context_error(context, i), i < count ? errors[i] : "nothing more");
  }
  ENSURE(mbs_context_error_count(context) == count);
  ENSURE_TEXT(mbs_context_message(context), mbs_context_error(context, 0));
  ENSURE_TEXT(mbs_context_error(context, count), "");
  ENSURE_TEXT(mbs_context_error(context, -1), "");
  mbs_model_destroy(model);
}

#define GROUND "mbsens: 1\nground: {points: {O: [0, 0]}}\n"
#define BODY "bodies: {a: {mass: 1, inertia: 1, points: {O: [0, 0]}}}\n"
#define JOINT "joints: [{revolute: [ground.O, a.O]}]\n"

static void check_kinds(void) {
  // keys: of two bodies, of a joint, of the file; no word of the mass that is missing, since it is misspelt
  ensure_errors(GROUND
                "bodies:\n"
                "  a: {mas: 1, inertia: 1, points: {O: [0, 0]}}\n"
                "  b: {mass: 1, inertia: 1, pionts: {O: [0, 0]}}\n"
                "joints: [{revolut: [ground.O, a.O]}]\n"
                "simulaton: {end: 1}\n",
                4,
                (const char *const[]){"wrong:4:7: error: body \"a\": unknown key \"mas\"",
                                      "wrong:5:28: error: body \"b\": unknown key \"pionts\"",
                                      "wrong:6:11: error: ", "wrong:7:1: error: unknown key \"simulaton\""});
  // numbers of bodies
  ensure_errors(GROUND
                "bodies:\n"
                "  a: {mass: M, inertia: 1, points: {O: [0, 0]}}\n"
                "  b: {mass: 1, inertia: 1 +, points: {O: [0, 0]}}\n" JOINT,
                2,
                (const char *const[]){"wrong:4:13: error: body \"a\": mass: no parameter \"M\"",
                                      "wrong:5:28: error: body \"b\": inertia: "});
  // names in joints; the same in forces and objectives once the joints are right
  ensure_errors(GROUND BODY
                "joints: [{revolute: [ground.X, a.O]}, {revolute: [ground.O, b.O]}]\n"
                "forces: [{point_force: a.Y, value: [1, 0]}]\n",
                2, (const char *const[]){"no point \"X\" on body \"ground\"", "no body \"b\""});
  ensure_errors(
      GROUND BODY JOINT "objectives: {x: {final: r(X).x}, y: {value: x + z}, u: {value: 2*y}, w: {final: 2 +}}\n", 3,
      (const char *const[]){"objective \"x\": no point", "objective \"y\": no parameter or signal \"z\"",
                            "objective \"w\""});
  // values
  ensure_errors(GROUND "bodies: {a: {mass: -1, inertia: -2, points: {O: [0, 0]}}}\n" JOINT, 2,
                (const char *const[]){"mass must not be negative", "inertia must not be negative"});
}

static void check_most(void) {
  char text[2048] = GROUND "bodies:\n";
  for (int i = 0; i < 15; ++i) {
    char line[80];
    (void)snprintf(line, sizeof line, "  b%d: {mass: 1, wrong%d: 2, points: {P: [0, 0]}}\n", i, i);
    strcat(text, line);
  }
  MbsModel *model;
  ENSURE(mbs_model_read_text(context, text, strlen(text), "many", &model) == MBS_ERROR_INPUT);
  ENSURE(mbs_context_error_count(context) == 10);
  ENSURE_CONTAINS(mbs_context_message(context), "wrong0");
  ENSURE_CONTAINS(mbs_context_error(context, 9), "wrong9");
}

// what stops a call at once is told alone, also after a call that found several
static void check_alone(void) {
  MbsModel *model;
  ENSURE(mbs_model_read_file(context, "tests/no such file", &model) == MBS_ERROR_FILE);
  ENSURE(mbs_context_error_count(context) == 1);
  ENSURE_CONTAINS(mbs_context_error(context, 0), "no such file");
  ENSURE(mbs_model_read_text(context, "mbsens: [", 9, "text", &model) == MBS_ERROR_INPUT);
  ENSURE(mbs_context_error_count(context) == 1);
  ENSURE_CONTAINS(mbs_context_error(context, 0), "not valid YAML");
}

int main(void) {
  context = mbs_context_create();
  check_kinds();
  check_most();
  check_alone();
  mbs_context_destroy(context);
  (void)printf("several errors are told at once\n");
  return 0;
}
