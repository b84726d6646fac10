// Damaged models: reading, checking and a few steps of every mutant must end with a status and one line of message,
// never with a crash, a leak, undefined behaviour (run it in the asan-ubsan preset) or a hang.
//
//   fuzz_check COUNT [SEED [FIRST]]     mutants FIRST .. FIRST + COUNT - 1 of this seed (defaults 1, 0)
//   fuzz_check print SEED NUMBER        writes one mutant on standard output
//
// From the root of the sources. Mutants are made from models/*.yaml, tests/models/*.yaml, tests/bad/*.yaml and the
// models in docs/*.md. A mutant depends on the seed, its number and these files alone, so every finding can be repeated
// and printed.
#include <mbsens/mbsens.h>

#include "mutants.h"

enum {
  MOST_COORDINATES = 60,    // of a mutant that is run
  MOST_COMPLEX_COLUMNS = 2  // parameters of the complex step
};
static const double slowest_allowed = 2;  // s per mutant, without the sanitizers' slowness: see main

static int readable_count, sound_count;
static int readable[MOST_SEEDS];  // the seeds that are read: their mutants go deeper
static int sound[MOST_SEEDS];     // the seeds that pass the check: theirs go deepest

// ---- seeds ----
static void sort_seeds(void) {
  MbsContext *context = mbs_context_create();
  ENSURE(context != NULL);
  for (int i = 0; i < seed_count; ++i) {
    MbsModel *model;
    MbsRequest request;
    MbsCheck *check;
    if (mbs_model_read_text(context, seeds[i].bytes, seeds[i].length, "m.yaml", &model) == MBS_OK) {
      readable[readable_count++] = i;
      if (mbs_request_default(context, model, &request) == MBS_OK &&
          mbs_check(context, model, &request, &check) == MBS_OK) {
        sound[sound_count++] = i;
        mbs_check_destroy(check);
      }
      mbs_model_destroy(model);
    }
  }
  mbs_context_destroy(context);
  ENSURE(readable_count > sound_count && sound_count > 0);
}

// ---- damage ----
// clang-format off
static const char *const words[] = {
    "mbsens", "name", "dimension", "gravity", "parameters", "ground", "points", "bodies", "joints", "forces",
    "initial", "independent", "coordinate", "value", "velocity", "objectives", "integral", "final", "simulation",
    "end", "step", "formulation", "penalty", "index1", "tolerance", "xi", "omega", "baumgarte", "yes", "auto",
    "natural", "mass", "com", "inertia", "position", "angle", "revolute", "prismatic", "fixed", "distance", "axis",
    "axis2", "length", "spring", "stiffness", "damping", "law", "rate", "torsional_spring", "point_force", "r", "v",
    "a", "alpha", "lambda", "t", "pi", "dot", "cross", "norm", "sqrt", "log", "exp", "sin", "cos", "tan", "asin",
    "acos", "atan", "atan2", "sinh", "cosh", "tanh", "abs", "sign", "min", "max", "step5", "smooth_abs", "smooth_max",
    "smooth_min", "sqrt(-1)", "log(0)", "1/0", "0/0", "0^0", "0^-1", "(-2)^0.5", "exp(1000)", "2^2^2^2^2", "t^t",
    "sin(sin(sin(t)))", "r(P2)", "v(P2).x", "ground", "ground.A", "[0, 0]", "[1, 2, 3]", "{}", "[]", "~", "x", "y",
    "z", "length^-3", "sign(rate)", "abs(rate)^0.1", "1e9*rate", "-1e6*rate", "step(length - 1)", "- {}", "\n", ": ",
    ", ", "(", ")", "[", "]", "{", "}", "\"", "'", "#", "&a", "*a", "!t", "|", ">", "---\n", "...\n", "%", "<<", "?",
    "-", "\t", "include", "constants", "templates", "assemblies", "template", "with", "at", "mirror", "repeat", "first",
    "if", "if(t > 0.1, 1, 0/0)", "floor(10*t)", "piecewise(t, 0, 0.1, t - 0.1)", "piecewise(t, 0,", "mod(t, 0)", "length < 1", "noevent(sign(rate))", "and(t > 0, 1/0)", "not",
    "i", "cell(i-1)", "cell(1).link.B", "N", "N + 1",
};
static const char *const numbers[] = {
    "0", "-0", "1", "-1", "2", "0.5", "1e308", "-1e308", "1e-308", "1e-320", "1e-12", "1e12", "1e16", "1e-30", "1e30",
    "nan", "inf", "-inf", "99999999999999999999", "2147483647", "2147483648", "-2147483648", "1e999", "1e-999",
    "0x10", "1_000", "1.5.2", ".5", "5.", "1e", "0.1", "3.14159", "1000000", "100", "-3",
};
// clang-format on
// kinds 0 .. 5 respect words and lines, so that many such mutants are read and go deep; 6 .. 11 do not
enum { TAME_KINDS = 6, ALL_KINDS = 12 };

static void damage(uint64_t *chance, size_t kind, Text *text) {
  size_t from, to, other_from, other_to;
  size_t at = below(chance, text->length);
  size_t span = 1 + below(chance, 30);
  span = span > text->length - at ? text->length - at : span;
  const Text *other = &seeds[below(chance, (size_t)seed_count)];
  pick_token(chance, text, kind == 1 ? NUMBER : kind == 2 ? NAME : ANY, &from, &to);
  switch (kind) {
    case 0: replace_word(text, from, to, words[below(chance, COUNT_OF(words))]); break;
    case 1: replace_word(text, from, to, numbers[below(chance, COUNT_OF(numbers))]); break;
    case 2:  // by another name of the same text
      pick_token(chance, text, NAME, &other_from, &other_to);
      replace(text, from, to, text->bytes + other_from, other_to - other_from);
      break;
    case 3:  // a line, repeated elsewhere
      pick_line(chance, text, &from, &to);
      pick_line(chance, text, &other_from, &other_to);
      replace(text, other_from, other_from, text->bytes + from, to - from);
      break;
    case 4:
      pick_line(chance, text, &from, &to);
      replace(text, from, to, "", 0);
      break;
    case 5:  // a line of another seed
      pick_line(chance, text, &from, &to);
      pick_line(chance, other, &other_from, &other_to);
      replace(text, from, below(chance, 2) ? to : from, other->bytes + other_from, other_to - other_from);
      break;
    case 6:
      if (text->length > 0) {
        text->bytes[at] = (char)((unsigned char)text->bytes[at] ^ (1U << below(chance, 8)));
      }
      break;
    case 7: {
      char byte = (char)below(chance, 256);
      replace(text, at, at + below(chance, 2) * (at < text->length), &byte, 1);
      break;
    }
    case 8: replace(text, at, at + span, "", 0); break;
    case 9: replace(text, at, at, text->bytes + at, span); break;
    case 10: replace_word(text, at, at, words[below(chance, COUNT_OF(words))]); break;
    default:  // the halves of two seeds
      at = below(chance, other->length);
      replace(text, below(chance, text->length), text->length, other->bytes + at, other->length - at);
  }
}

static void make_mutant(uint64_t seed, uint64_t number, Text *text) {
  uint64_t chance = seed * 0x2545f4914f6cdd1dU + number;
  (void)next_random(&chance);
  size_t from = below(&chance, 8);  // 1/8 of all seeds, 2/8 of the readable, 5/8 of the sound ones
  size_t chosen = from == 0   ? below(&chance, (size_t)seed_count)
                  : from <= 2 ? (size_t)readable[below(&chance, (size_t)readable_count)]
                              : (size_t)sound[below(&chance, (size_t)sound_count)];
  const Text *origin = &seeds[chosen];
  memcpy(text->bytes, origin->bytes, origin->length);
  text->length = origin->length;
  size_t kinds = below(&chance, 3) ? TAME_KINDS : ALL_KINDS;
  for (size_t round = 0, rounds = 1 + below(&chance, 2) * below(&chance, 3); round < rounds; ++round) {
    // numbers and names most often: these mutants are models
    size_t kind = below(&chance, 2) ? below(&chance, kinds) : 1 + below(&chance, 2);
    damage(&chance, kind, text);
  }
}

// ---- trying ----
typedef struct Outcomes {
  long not_read, wrong_settings, not_checked, checked_only, numerical, out_of_memory, run, compared, different;
  double slowest;
} Outcomes;

// direct and complex step over a few steps
static void try_run(MbsContext *context, const MbsModel *model, MbsRequest *request, Outcomes *outcomes) {
  MbsResult *direct, *complex = NULL;
  request->settings.end = 5 * request->settings.step;
  request->method = MBS_METHOD_DIRECT;
  MbsStatus status = mbs_run(context, model, request, &direct);
  if (status != MBS_OK) {
    ensure_message(context, status);
    HOLDS(direct == NULL || (status == MBS_ERROR_NUMERICAL && !direct->is_complete && direct->error));
    mbs_result_destroy(direct);
    outcomes->numerical += status != MBS_ERROR_MEMORY;
    outcomes->out_of_memory += status == MBS_ERROR_MEMORY;
    return;
  }
  int count = direct->parameter_count < MOST_COMPLEX_COLUMNS ? direct->parameter_count : (int)MOST_COMPLEX_COLUMNS;
  outcomes->run += 1;
  for (int i = 0; i < direct->objective_count * direct->parameter_count; ++i) {
    HOLDS(isfinite(direct->gradient[i]));
  }
  request->method = MBS_METHOD_COMPLEX_STEP;
  request->parameters = direct->parameters;
  request->parameter_count = count;
  if (count > 0 && (status = mbs_run(context, model, request, &complex)) == MBS_OK) {
    bool is_same = true;
    for (int i = 0; i < direct->objective_count; ++i) {
      for (int k = 0; k < count; ++k) {
        double a = direct->gradient[i * direct->parameter_count + k], b = complex->gradient[i * count + k];
        is_same = is_same && fabs(a - b) <= 1e-6 * (fabs(a) + fabs(b)) + 1e-12 * (1 + fabs(direct->values[i]));
      }
    }
    outcomes->compared += 1;
    outcomes->different += !is_same;
    if (!is_same && getenv("FUZZ_DIFFERENT")) {
      tell_current();
    }
  } else if (status != MBS_OK) {
    ensure_message(context, status);
  }
  mbs_result_destroy(complex);
  mbs_result_destroy(direct);
}

static void try_mutant(const Text *mutant, Outcomes *outcomes) {
  // just as long as needed, so that the sanitizer sees a read beyond the end
  char *text = malloc(mutant->length ? mutant->length : 1);
  MbsContext *context = mbs_context_create();
  ENSURE(text != NULL && context != NULL);
  memcpy(text, mutant->bytes, mutant->length);
  MbsModel *model = NULL;
  MbsStatus status = mbs_model_read_text(context, text, mutant->length, "m.yaml", &model);
  free(text);
  MbsRequest request;
  MbsCheck *check = NULL;
  if (status != MBS_OK) {
    HOLDS(model == NULL);
    outcomes->not_read += 1;
  } else if ((status = mbs_request_default(context, model, &request)) != MBS_OK) {
    outcomes->wrong_settings += 1;
  } else if ((status = mbs_check(context, model, &request, &check)) != MBS_OK) {
    HOLDS(check == NULL);
    outcomes->not_checked += status != MBS_ERROR_MEMORY;
    outcomes->out_of_memory += status == MBS_ERROR_MEMORY;
  } else {
    HOLDS(check->coordinates > 0 && check->degrees_of_freedom >= 0);
    for (int i = 0; i < check->coordinates; ++i) {
      HOLDS(isfinite(check->position[i]) && isfinite(check->velocity[i]));
    }
    if (check->coordinates <= MOST_COORDINATES) {
      try_run(context, model, &request, outcomes);
    } else {
      outcomes->checked_only += 1;
    }
  }
  if (status != MBS_OK) {
    ensure_message(context, status);
  }
  mbs_check_destroy(check);
  mbs_model_destroy(model);
  mbs_context_destroy(context);
}

int main(int argument_count, char **arguments) {
  ENSURE(argument_count >= 2);
  bool is_printing = strcmp(arguments[1], "print") == 0;
  uint64_t count = is_printing ? 0 : strtoull(arguments[1], NULL, 10);
  current.program = "fuzz_check";
  current.seed = argument_count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
  uint64_t first = argument_count > 3 ? strtoull(arguments[3], NULL, 10) : 0;
  add_seed_folder("models", ".yaml", false);
  add_seed_folder("tests/models", ".yaml", false);
  add_seed_folder("tests/bad", ".yaml", false);
  add_seed_folder("docs", ".md", true);
  sort_seeds();
  static char bytes[LONGEST];
  Text mutant = {.bytes = bytes};
  if (is_printing) {
    make_mutant(current.seed, first, &mutant);
    return fwrite(mutant.bytes, 1, mutant.length, stdout) == mutant.length ? 0 : 1;
  }
  watch();
  Outcomes outcomes = {0};
  double began = now();
  for (current.number = first; current.number < first + count; ++current.number) {
    make_mutant(current.seed, current.number, &mutant);
    (void)alarm(60);  // what never ends is ended here
    double start = now();
    try_mutant(&mutant, &outcomes);
    double seconds = now() - start;
    outcomes.slowest = seconds > outcomes.slowest ? seconds : outcomes.slowest;
    if (seconds > slowest_allowed) {
      (void)fprintf(stderr, "%.1f s", seconds);
      tell_current();
    }
  }
  (void)alarm(0);
  (void)printf("%llu mutants of %d seeds in %.1f s, the slowest %.2f s\n", (unsigned long long)count, seed_count,
               now() - began, outcomes.slowest);
  (void)printf("not read %ld, settings refused %ld, check refused %ld, check done but large %ld, out of memory %ld\n",
               outcomes.not_read, outcomes.wrong_settings, outcomes.not_checked, outcomes.checked_only,
               outcomes.out_of_memory);
  (void)printf("run failed %ld, run done %ld, of these with complex step %ld (gradients differ: %ld)\n",
               outcomes.numerical, outcomes.run, outcomes.compared, outcomes.different);
  free_seeds();
  // the damage must neither be harmless nor always fatal
  ENSURE(count < 1000 || (outcomes.not_read > 0 && outcomes.not_checked > 0 && outcomes.run > 0));
  ENSURE(outcomes.slowest <= slowest_allowed);
  return 0;
}
