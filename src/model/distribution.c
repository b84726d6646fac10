#include "model/distribution.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"

enum { MOST_VALUES = 1000000 };

typedef struct Form {
  const char *name, *usage;
  MbsDistributionKind kind;
  int least, most;  // numbers
} Form;

static const Form forms[] = {
    {"uniform", "uniform(lower, upper)", MBS_DISTRIBUTION_UNIFORM, 2, 2},
    {"loguniform", "loguniform(lower, upper)", MBS_DISTRIBUTION_LOGUNIFORM, 2, 2},
    {"normal", "normal(mean, deviation) or normal(mean, deviation, lower, upper)", MBS_DISTRIBUTION_NORMAL, 2, 4},
    {"lognormal", "lognormal(median, deviation of the logarithm)", MBS_DISTRIBUTION_LOGNORMAL, 2, 2},
    {"triangular", "triangular(lower, most likely, upper)", MBS_DISTRIBUTION_TRIANGULAR, 3, 3},
    {"weibull", "weibull(scale, shape)", MBS_DISTRIBUTION_WEIBULL, 2, 2},
};

typedef struct Reading {
  MbsContext *context;
  MbsBlueprint *blueprint;
  const char *owner;
  MbsText text;
} Reading;

// from `text` to the next of the separators outside parentheses
static size_t piece_length(const char *text, size_t length, char separator) {
  int depth = 0;
  for (size_t i = 0; i < length; ++i) {
    depth += (text[i] == '(' || text[i] == '[') - (text[i] == ')' || text[i] == ']');
    if (text[i] == separator && depth <= 0) {
      return i;
    }
  }
  return length;
}

static int count_pieces(const char *text, size_t length, char separator) {
  int count = 1;
  for (size_t at = piece_length(text, length, separator); at < length; ++count) {
    at += 1 + piece_length(text + at + 1, length - at - 1, separator);
  }
  return count;
}

static MbsStatus read_number(const Reading *reading, const char *text, size_t length, double *value) {
  char *piece;
  MbsNode node;
  while (length > 0 && isspace((unsigned char)text[length - 1])) {
    --length;
  }
  while (length > 0 && isspace((unsigned char)*text)) {
    ++text;
    --length;
  }
  if (length == 0) {
    return mbs_fail(reading->context, MBS_ERROR_INPUT, reading->text.place, "%s: a number is missing in \"%s\"",
                    reading->owner, reading->text.text);
  }
  MBS_TAKE(reading->context, reading->blueprint->arena, piece, length + 1);
  memcpy(piece, text, length);
  const MbsText number = {.text = piece, .place = reading->text.place};
  MBS_TRY(mbs_parameters_parse(reading->context, reading->blueprint, reading->owner, number, &node));
  MBS_TRY(mbs_blueprint_nominal(reading->context, reading->blueprint, 1, &node, value));
  return isfinite(*value) ? MBS_OK
                          : mbs_fail(reading->context, MBS_ERROR_INPUT, reading->text.place,
                                     "%s: \"%s\" is not a finite number", reading->owner, piece);
}

// numbers between separators; *numbers has room for all of them
static MbsStatus read_numbers(const Reading *reading, const char *text, size_t length, char separator,
                              double *numbers) {
  for (size_t at = 0; at <= length; ++numbers) {
    size_t size = piece_length(text + at, length - at, separator);
    MBS_TRY(read_number(reading, text + at, size, numbers));
    at += size + 1;
  }
  return MBS_OK;
}

static MbsStatus refuse(const Reading *reading, const char *what) {
  return mbs_fail(reading->context, MBS_ERROR_INPUT, reading->text.place, "%s: \"%s\": %s", reading->owner,
                  reading->text.text, what);
}

static MbsStatus check(const Reading *reading, const MbsDistribution *distribution) {
  const double *n = distribution->numbers;
  switch (distribution->kind) {
    case MBS_DISTRIBUTION_VALUES: return MBS_OK;
    case MBS_DISTRIBUTION_UNIFORM:
      return n[0] < n[1] ? MBS_OK : refuse(reading, "the first number must be below the second");
    case MBS_DISTRIBUTION_LOGUNIFORM:
      return 0 < n[0] && n[0] < n[1] ? MBS_OK
                                     : refuse(reading, "the first number must be positive and below the second");
    case MBS_DISTRIBUTION_NORMAL:
      if (distribution->count == 3) {
        return refuse(reading, "both limits, or none: normal(mean, deviation, lower, upper)");
      }
      if (!(n[1] > 0)) {
        return refuse(reading, "the deviation must be positive");
      }
      if (distribution->count == 2) {
        return MBS_OK;
      }
      if (!(n[2] < n[3])) {
        return refuse(reading, "the lower limit must be below the upper one");
      }
      return n[2] - n[0] < 30 * n[1] && n[0] - n[3] < 30 * n[1]
                 ? MBS_OK
                 : refuse(reading, "nothing of it is between these limits, thirty deviations off");
    case MBS_DISTRIBUTION_LOGNORMAL:
      return n[0] > 0 && n[1] > 0 ? MBS_OK : refuse(reading, "the median and the deviation must be positive");
    case MBS_DISTRIBUTION_TRIANGULAR:
      return n[0] <= n[1] && n[1] <= n[2] && n[0] < n[2]
                 ? MBS_OK
                 : refuse(reading, "the most likely number must be between the lower and the upper one");
    case MBS_DISTRIBUTION_WEIBULL:
      return n[0] > 0 && n[1] > 0 ? MBS_OK : refuse(reading, "scale and shape must be positive");
  }
  return MBS_OK;
}

static MbsStatus read_form(const Reading *reading, const Form *form, const char *inside, size_t length,
                           MbsDistribution *distribution) {
  int count = count_pieces(inside, length, ',');
  if (count < form->least || count > form->most) {
    return mbs_fail(reading->context, MBS_ERROR_INPUT, reading->text.place, "%s: \"%s\" has %d number%s: it is %s",
                    reading->owner, reading->text.text, count, count == 1 ? "" : "s", form->usage);
  }
  distribution->kind = form->kind;
  distribution->count = count;
  MBS_TAKE(reading->context, reading->blueprint->arena, distribution->numbers, count);
  MBS_TRY(read_numbers(reading, inside, length, ',', distribution->numbers));
  return check(reading, distribution);
}

// from:to:count
static MbsStatus read_range(const Reading *reading, const char *text, size_t length, MbsDistribution *distribution) {
  double numbers[3];
  MBS_TRY(read_numbers(reading, text, length, ':', numbers));
  if (!(numbers[2] >= 2 && numbers[2] <= MOST_VALUES) || rint(numbers[2]) != numbers[2]) {  // real
    return refuse(reading, "the third number is how many values there are, from 2 to 1e6");
  }
  int count = (int)numbers[2];
  distribution->count = count;
  MBS_TAKE(reading->context, reading->blueprint->arena, distribution->numbers, count);
  for (int i = 0; i < count; ++i) {
    // both ends to the last bit
    distribution->numbers[i] = i < count - 1 ? numbers[0] + (numbers[1] - numbers[0]) * i / (count - 1) : numbers[1];
  }
  return MBS_OK;
}

MbsStatus mbs_distribution_read(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                                MbsDistribution *distribution) {
  const Reading reading = {.context = context, .blueprint = blueprint, .owner = owner, .text = text};
  const char *start = text.text + strspn(text.text, " \t");
  size_t length = strlen(start), name = strspn(start, "abcdefghijklmnopqrstuvwxyz");
  while (length > 0 && isspace((unsigned char)start[length - 1])) {
    --length;
  }
  *distribution = (MbsDistribution){.kind = MBS_DISTRIBUTION_VALUES};
  size_t open = name + strspn(start + name, " ");
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
    if (name == strlen(forms[i].name) && strncmp(start, forms[i].name, name) == 0) {
      // the parenthesis that opens behind the name closes at the end
      bool is_whole = start[open] == '(' && length > open + 1 && start[length - 1] == ')';
      return is_whole ? read_form(&reading, &forms[i], start + open + 1, length - open - 2, distribution)
                      : mbs_fail(context, MBS_ERROR_INPUT, text.place, "%s: \"%s\": it is written %s", owner, text.text,
                                 forms[i].usage);
    }
  }
  if (count_pieces(start, length, ':') == 3) {
    return read_range(&reading, start, length, distribution);
  }
  distribution->count = count_pieces(start, length, ',');
  MBS_TAKE(context, blueprint->arena, distribution->numbers, distribution->count);
  MbsStatus status = read_numbers(&reading, start, length, ',', distribution->numbers);
  if (status == MBS_ERROR_INPUT && start[open] == '(') {
    const char *nearest = NULL;
    char called[32];
    (void)snprintf(called, sizeof called, "%.*s", (int)(name < 31 ? name : 31), start);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
      mbs_name_nearest(called, forms[i].name, &nearest);
    }
    mbs_fail_append(context, "%s%s%s",
                    nearest ? "; distributions are called uniform, loguniform, normal, lognormal, "
                              "triangular, weibull: did you mean "
                            : "",
                    nearest ? nearest : "", nearest ? "?" : "");
  }
  return status;
}
