// Public calls with what they should not be given: any of the pointers NULL, counts and numbers that are none, in any
// order, on handles in any stage. Nothing may crash (the sanitizers look on), and what fails leaves a sentence.
//   fuzz_calls 20000
#include <mbsens/simulator.h>

#include "support.h"

static MbsContext *real_context;
static MbsModel *model;
static MbsRequest *request;
static MbsSimulator *simulator;
static MbsSaved *saved;
static uint64_t chance = 7;

static int below(int count) { return (int)((random_number(&chance) * 0.5 + 0.5) * count); }
static bool is_null(void) { return below(8) == 0; }

#define OR_NULL(pointer) (is_null() ? NULL : (pointer))

static double number(void) {
  const double numbers[] = {0, 1, -1, 0.01, 1e300, -1e-300, (double)NAN, (double)INFINITY, 0.5, 2};
  return numbers[below(10)];
}

static int count_of(int right) { return below(4) == 0 ? below(5) - 2 : right; }

static const char *word(void) {
  static const char *const words[] = {"step",    "method", "adjoint",    "direct",     "none",     "",
                                      "0.01",    "Ls1",    "mA1",        "psi1",       "x,y",      "auto",
                                      "1e-3",    "end",    "nan",        "P1",         "A1",       "formulation",
                                      "index1",  "-1",     "objectives", "parameters", "relative", "coordinates",
                                      "Ls1,Ls1", "sqrt(2)"};
  return OR_NULL(words[below((int)(sizeof words / sizeof *words))]);
}

static void judge(MbsContext *context, MbsStatus status, const char *call) {
  if (status != MBS_OK && context && !mbs_context_message(context)[0]) {
    (void)fprintf(stderr, "%s: status %d without a sentence\n", call, (int)status);
    exit(1);
  }
  if (!context && status == MBS_OK) {
    (void)fprintf(stderr, "%s: done without a context\n", call);
    exit(1);
  }
  ENSURE(status != MBS_ERROR_INTERNAL);
}
#define CALL(name, ...) judge(context, name(context, __VA_ARGS__), #name)

static void call_one(void) {
  MbsContext *context = OR_NULL(real_context);
  MbsResult *result = NULL;
  MbsCheck *check = NULL;
  double some[64], value;
  const char *text;
  const char *const names[] = {word(), word(), word()};
  MbsSettingInfo info;
  for (int i = 0; i < 64; ++i) {
    some[i] = number();
  }
  int n = mbs_simulator_coordinate_count(simulator), p = mbs_simulator_parameter_count(simulator);
  n = n > 64 ? 64 : n, p = p > 64 ? 64 : p;
  switch (below(26)) {
    case 0: CALL(mbs_request_set, OR_NULL(request), word(), word()); break;
    case 1: CALL(mbs_request_set_number, OR_NULL(request), word(), number()); break;
    case 2: CALL(mbs_request_set_names, OR_NULL(request), word(), below(4) - 1, OR_NULL(names)); break;
    case 3: CALL(mbs_request_get, OR_NULL(request), word(), OR_NULL(&text)); break;
    case 4: CALL(mbs_request_get_number, OR_NULL(request), word(), OR_NULL(&value)); break;
    case 5: CALL(mbs_setting_info, below(60) - 5, OR_NULL(&info)); break;
    case 6: CALL(mbs_request_record, OR_NULL(request), NULL); break;
    case 7: CALL(mbs_simulator_set_parameters, OR_NULL(simulator), count_of(p), OR_NULL(some)); break;
    case 8: CALL(mbs_simulator_set_parameter, OR_NULL(simulator), word(), number()); break;
    case 9: CALL(mbs_simulator_start, OR_NULL(simulator)); break;
    case 10:
    case 11: CALL(mbs_simulator_step, OR_NULL(simulator)); break;
    case 12: CALL(mbs_simulator_finish, OR_NULL(simulator)); break;
    case 13: CALL(mbs_simulator_state, OR_NULL(simulator), count_of(n), OR_NULL(some), NULL, NULL); break;
    case 14:
      CALL(mbs_simulator_set_state, OR_NULL(simulator), count_of(n), OR_NULL(some), OR_NULL(some), below(2));
      break;
    case 15:
      CALL(mbs_simulator_outputs, OR_NULL(simulator), count_of(mbs_simulator_output_count(simulator)), OR_NULL(some),
           NULL);
      break;
    case 16: CALL(mbs_simulator_output, OR_NULL(simulator), word(), OR_NULL(&value)); break;
    case 17: CALL(mbs_simulator_save, OR_NULL(simulator), OR_NULL(&saved)); break;
    case 18: CALL(mbs_simulator_restore, OR_NULL(simulator), OR_NULL(saved)); break;
    case 19: CALL(mbs_simulator_result, OR_NULL(simulator), OR_NULL(&result)); break;
    case 20:
      CALL(mbs_simulator_set_inputs, OR_NULL(simulator), count_of(mbs_simulator_input_count(simulator)), OR_NULL(some));
      break;
    case 21: {
      MbsSimulator *other = NULL;
      CALL(mbs_simulator_create, OR_NULL(model), OR_NULL(request), OR_NULL(&other));
      if (other) {
        mbs_simulator_destroy(simulator);
        simulator = other;
        saved = NULL;
      }
      break;
    }
    case 22: CALL(mbs_check, OR_NULL(model), OR_NULL(request), OR_NULL(&check)); break;
    case 23: {
      MbsRequest *other = NULL;
      CALL(mbs_request_create, OR_NULL(model), OR_NULL(&other));
      if (other) {
        ENSURE_OK(real_context, mbs_request_set(real_context, other, "end", "0.05"));
        mbs_request_destroy(request);
        request = other;
      }
      break;
    }
    case 24: CALL(mbs_model_set, OR_NULL(model), NULL, word()); break;
    default: {
      const double *values = mbs_simulator_values(OR_NULL(simulator)),
                   *gradient = mbs_simulator_gradient(OR_NULL(simulator));
      volatile double looked_at =
          mbs_simulator_time(OR_NULL(simulator)) + (values ? values[0] : 0) + (gradient ? gradient[0] : 0);
      (void)looked_at;
      ENSURE(mbs_simulator_setting_count(OR_NULL(simulator)) >= 0);
      (void)mbs_simulator_step_size(OR_NULL(simulator));
      (void)mbs_simulator_is_over(OR_NULL(simulator));
      (void)mbs_simulator_input_gradient(OR_NULL(simulator));
    }
  }
  mbs_result_destroy(result);
  mbs_check_destroy(check);
}

int main(int argc, char **argv) {
  long calls = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
  real_context = mbs_context_create();
  ENSURE(real_context);
  model = read_model(real_context, "models/five_bar.yaml");
  ENSURE_OK(real_context, mbs_request_create(real_context, model, &request));
  ENSURE_OK(real_context, mbs_request_set(real_context, request, "end", "0.05"));
  ENSURE_OK(real_context, mbs_simulator_create(real_context, model, request, &simulator));
  for (long i = 0; i < calls; ++i) {
    call_one();
  }
  mbs_simulator_destroy(simulator);
  mbs_request_destroy(request);
  mbs_model_destroy(model);
  mbs_context_destroy(real_context);
  (void)printf("%ld calls\n", calls);
  return 0;
}
