#include "values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "memory.h"
#include "outcome.h"

static bool is_number(const char *option, const char *text, CliNumber *number) {
  char *end;
  number->value = strtod(text, &end);
  number->is_given = true;
  bool is_plain = text[0] != '\0' && text[strspn(text, "+-.0123456789eE")] == '\0';
  if (!is_plain || *end != '\0') {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: must be a number such as 0.01 or 1e-3, got \"%s\"", option, text);
    return false;
  }
  if (!isfinite(number->value)) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: too large a number, got %s", option, text);
    return false;
  }
  return true;
}

bool cli_value_positive(const char *option, const char *text, CliNumber *number) {
  if (!is_number(option, text, number)) {
    return false;
  }
  if (number->value <= 0) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: must be positive, got %s", option, text);
    return false;
  }
  return true;
}

bool cli_value_not_negative(const char *option, const char *text, CliNumber *number) {
  if (!is_number(option, text, number)) {
    return false;
  }
  if (number->value < 0) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: must not be negative, got %s", option, text);
    return false;
  }
  return true;
}

bool cli_value_count(const char *option, const char *text, CliNumber *number) {
  char *end;
  long value = strtol(text, &end, 10);
  *number = (CliNumber){.is_given = true, .value = (double)value};
  if (end == text || *end || value < 1 || value > 1000000000000000) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: expected a whole number from 1 on, got \"%s\"", option, text);
    return false;
  }
  return true;
}

bool cli_value_penalty(const char *option, const char *text, CliNumber *number) {
  if (strcmp(text, "auto") == 0) {
    *number = (CliNumber){.is_given = true, .value = 0};
    return true;
  }
  return cli_value_positive(option, text, number);
}

bool cli_value_size(const char *option, const char *text, CliNumber *number) {
  static const char letters[] = "kMGT";
  char *end;
  number->value = strtod(text, &end);
  number->is_given = true;
  const char *letter = *end ? strchr(letters, *end) : NULL;
  bool is_plain = end > text && strspn(text, ".0123456789eE") == (size_t)(end - text);
  if (!is_plain || (*end && (!letter || end[1]))) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: must be a number of bytes such as 500k, 100M or 2G, got \"%s\"", option, text);
    return false;
  }
  for (const char *l = letters; letter && l <= letter; ++l) {
    number->value *= 1000;
  }
  if (!(number->value >= 1) || !isfinite(number->value)) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: must be at least one byte and a finite number, got %s", option, text);
    return false;
  }
  return true;
}

bool cli_value_projections(const char *option, const char *text, CliNumber *number) {
  if (strcmp(text, "auto") == 0 || strcmp(text, "none") == 0) {
    *number = (CliNumber){.is_given = true, .value = strcmp(text, "none") == 0 ? -1 : 0};
    return true;
  }
  char *end;
  long value = strtol(text, &end, 10);
  if (end == text || *end || value < 1 || value > 1000) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: expected a number of iterations, none or auto, got \"%s\"", option, text);
    return false;
  }
  *number = (CliNumber){.is_given = true, .value = (double)value};
  return true;
}

bool cli_value_choice(const char *option, const char *words, const char *text, const char **choice) {
  const char *bar = strchr(words, '|');
  size_t length = strlen(text), first = (size_t)(bar - words);
  if (!(length == first && strncmp(text, words, length) == 0) && strcmp(text, bar + 1) != 0) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: expected %.*s or %s, got \"%s\"", option, (int)first, words, bar + 1, text);
    return false;
  }
  *choice = text;
  return true;
}

bool cli_value_names(const char *option, const char *text, CliNames *names) {
  int count = 1;
  for (const char *c = text; *c; ++c) {
    count += *c == ',';
  }
  free(names->names);  // an earlier list: the last one counts
  free(names->letters);
  names->count = count;
  names->names = cli_memory_take((size_t)count, sizeof *names->names);
  names->letters = cli_memory_copy_text(text, strlen(text));
  char *letters = names->letters;
  for (int i = 0; i < count; ++i) {
    names->names[i] = letters;
    letters += strcspn(letters, ",");
    *letters++ = '\0';
    if (names->names[i][0] == '\0') {
      (void)cli_fail(MBS_ERROR_INPUT, "%s: an empty name in \"%s\"; names are separated by single commas", option,
                     text);
      return false;
    }
    for (int j = 0; j < i; ++j) {
      if (strcmp(names->names[i], names->names[j]) == 0) {
        (void)cli_fail(MBS_ERROR_INPUT, "%s: \"%s\" stands twice in \"%s\"", option, names->names[i], text);
        return false;
      }
    }
  }
  return true;
}

bool cli_value_assignment(const char *option, const char *text, CliAssignment *assignment) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || equals[1] == '\0') {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: must be NAME=VALUE, got \"%s\"", option, text);
    return false;
  }
  *assignment = (CliAssignment){.name = cli_memory_copy_text(text, (size_t)(equals - text)), .value = equals + 1};
  return true;
}

bool cli_value_output(const char *option, const char *text, const char **path) {
  size_t length = strlen(text);
  if (length < 4 || strcmp(text + length - 4, ".csv") != 0) {
    (void)cli_fail(MBS_ERROR_NOT_OFFERED, "%s: \"%s\" is not offered; the name must end in .csv", option, text);
    return false;
  }
  *path = text;
  return true;
}

// ---- choices ----
typedef struct Choice {
  const char *name;
  int value;
} Choice;

// `what` is chosen, in words; `offered` lists the names for messages
static bool choose(const char *option, const char *what, const char *text, const Choice *choices, int count,
                   const char *offered, int *value) {
  const char *nearest = NULL;
  for (int i = 0; i < count; ++i) {
    if (strcmp(text, choices[i].name) == 0) {
      *value = choices[i].value;
      return true;
    }
    mbs_name_nearest(text, choices[i].name, &nearest);
  }
  if (nearest) {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: unknown %s \"%s\", did you mean %s?", option, what, text, nearest);
  } else {
    (void)cli_fail(MBS_ERROR_INPUT, "%s: unknown %s \"%s\"; there are %s", option, what, text, offered);
  }
  return false;
}

static const Choice methods[] = {
    {"direct", MBS_METHOD_DIRECT},
    {"complex-step", MBS_METHOD_COMPLEX_STEP},
    {"finite-difference", MBS_METHOD_FINITE_DIFFERENCE},
    {"adjoint", MBS_METHOD_ADJOINT},
    {"adjoint-continuous", MBS_METHOD_ADJOINT_CONTINUOUS},
    {"cvodes-forward", MBS_METHOD_CVODES_FORWARD},
    {"cvodes-adjoint", MBS_METHOD_CVODES_ADJOINT},
    {"idas-forward", MBS_METHOD_IDAS_FORWARD},
    {"idas-adjoint", MBS_METHOD_IDAS_ADJOINT},
};
enum { METHOD_COUNT = sizeof methods / sizeof methods[0] };

bool cli_value_method(const char *option, const char *text, MbsMethod *method) {
  int value = MBS_METHOD_NONE;
  bool is_good = choose(option, "method", text, methods, METHOD_COUNT,
                        "direct, adjoint, adjoint-continuous, complex-step, finite-difference, and cvodes-forward, "
                        "cvodes-adjoint, idas-forward and idas-adjoint",
                        &value);
  *method = (MbsMethod)value;
  return is_good;
}

bool cli_is_method(const char *text) {
  for (int i = 0; i < METHOD_COUNT; ++i) {
    if (strcmp(text, methods[i].name) == 0) {
      return true;
    }
  }
  return false;
}

const char *cli_method_name(MbsMethod method) {
  for (int i = 0; i < METHOD_COUNT; ++i) {
    if (methods[i].value == (int)method) {
      return methods[i].name;
    }
  }
  return "none";
}

bool cli_value_difference(const char *option, const char *text, MbsDifference *difference) {
  static const Choice differences[] = {
      {"central", MBS_DIFFERENCE_CENTRAL},
      {"forward", MBS_DIFFERENCE_FORWARD},
      {"backward", MBS_DIFFERENCE_BACKWARD},
  };
  int value = MBS_DIFFERENCE_CENTRAL;
  bool is_good = choose(option, "difference", text, differences, 3, "central, forward and backward", &value);
  *difference = (MbsDifference)value;
  return is_good;
}

static const Choice sources[] = {
    {"analytical", MBS_DERIVATIVES_ANALYTICAL},
    {"automatic", MBS_DERIVATIVES_AUTOMATIC},
    {"numerical", MBS_DERIVATIVES_NUMERICAL},
};

bool cli_value_derivatives(const char *option, const char *text, MbsDerivatives *derivatives) {
  int value = MBS_DERIVATIVES_ANALYTICAL;
  bool is_good = choose(option, "derivatives", text, sources, 3, "analytical, automatic and numerical", &value);
  *derivatives = (MbsDerivatives)value;
  return is_good;
}

const char *cli_derivatives_name(MbsDerivatives derivatives) { return sources[derivatives].name; }
