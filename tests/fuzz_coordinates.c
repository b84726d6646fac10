// Changed models in natural and in relative coordinates: whatever runs in both must come to the same points,
// velocities, accelerations, joint forces, objectives and gradients, direct and adjoint, or a warning of the run says
// why not; and no mutant may crash, hang or answer with something that is not finite. The two ways share the model, the
// integrator and the elements, but neither coordinates nor constraints nor the choice of a start.
//
//   fuzz_coordinates COUNT [SEED [FIRST]]   mutants FIRST .. FIRST + COUNT - 1 of this seed (defaults 1, 0)
//   fuzz_coordinates print SEED NUMBER      writes one mutant on standard output
//   fuzz_coordinates all SEED NUMBER        tries one mutant and tells everything
//
// From the root of the sources; 100,000 mutants take half an hour. What differs is printed, one line each: number, seed
// file, what was done to it, where they differ most, both values.
//
// Steps are not exact, and their error is not the same in both coordinates. A difference above 1e-6 of its scale counts
// if it does not fall with the step: at a quarter of the step it must be a third or less. Nor are positions x exact:
// steps of size h make velocities and accelerations of their differences, so that these have errors of e x / h and
// e x / h^2, e the rounding of numbers; what differs by no more, far from the origin say, does not count.
#include "mutants.h"

enum {
  MOST_COORDINATES = 50,  // of a seed
  MOST_PARAMETERS = 4,    // of a gradient
  NAME_ROOM = 64
};
static const double tolerance = 1e-6, slowest_allowed = 2;

static int usable_count;
static int usable[MOST_SEEDS];
static bool is_telling;  // everything, not only what differs

// ---- seeds: small models that run ----
// lambda(joint) is a number of these coordinates and formulation: 1 instead
static void forget_multipliers(Text *text) {
  static const char *const signals[] = {"lambda(", "sigma(", "kappa("};
  for (size_t i = 0; i < COUNT_OF(signals); ++i) {
    for (char *at = strstr(text->bytes, signals[i]); at; at = strstr(text->bytes, signals[i])) {
      char *end = strchr(at, ')');
      ENSURE(end != NULL);
      *at = '1';
      memmove(at + 1, end + 1, strlen(end));
    }
  }
  text->length = strlen(text->bytes);
}

static void sort_seeds(void) {
  MbsContext *context = mbs_context_create();
  ENSURE(context != NULL);
  for (int i = 0; i < seed_count; ++i) {
    MbsModel *model;
    MbsRequest request;
    MbsCheck *check;
    forget_multipliers(&seeds[i]);
    if (mbs_model_read_text(context, seeds[i].bytes, seeds[i].length, "m.yaml", &model) == MBS_OK) {
      if (mbs_request_default(context, model, &request) == MBS_OK &&
          mbs_check(context, model, &request, &check) == MBS_OK) {
        if (check->coordinates <= MOST_COORDINATES) {
          usable[usable_count++] = i;
        }
        mbs_check_destroy(check);
      }
      mbs_model_destroy(model);
    }
  }
  mbs_context_destroy(context);
  ENSURE(usable_count > 50);
}

// ---- changes ----
typedef struct Change {
  uint64_t chance;
  Text *text;
  bool is_spatial;
  char story[256];  // what was done
} Change;

static double uniform(Change *change) { return (double)(next_random(&change->chance) >> 11) / 9007199254740992.0; }

static void tell_change(Change *change, const char *what) {
  size_t used = strlen(change->story);
  (void)snprintf(change->story + used, sizeof change->story - used, " %s;", what);
}

// the lines of a section below its key at the left margin; false: there is none
static bool find_section(const Text *text, const char *name, size_t *from, size_t *to) {
  size_t length = strlen(name);
  for (size_t at = 0; at + length < text->length; ++at) {
    if ((at == 0 || text->bytes[at - 1] == '\n') && memcmp(text->bytes + at, name, length) == 0 &&
        text->bytes[at + length] == ':') {
      *from = at + length + 1;
      for (*to = *from; *to < text->length; ++*to) {
        char c = text->bytes[*to];
        if (c != ' ' && c != '\n' && c != '#' && c != '\r' && text->bytes[*to - 1] == '\n') {
          break;
        }
      }
      return true;
    }
  }
  return false;
}

// a word between `from` and `to`, a number or a name; false: none seen
static bool pick_within(Change *change, Class class, size_t from, size_t to, size_t *start, size_t *end) {
  for (int trial = 0; trial < 20 && to > from; ++trial) {
    Text part = {.length = to, .bytes = change->text->bytes};
    size_t at = from + below(&change->chance, to - from);
    while (at > from && is_word(part.bytes[at - 1])) {
      --at;
    }
    while (at < to && !is_word(part.bytes[at])) {
      ++at;
    }
    if (at < to && (class == ANY || is_digit(part.bytes[at]) == (class == NUMBER))) {
      *start = *end = at;
      while (*end < to && is_word(part.bytes[*end])) {
        ++*end;
      }
      // the sign of an exponent: 1.0e-5
      if (class == NUMBER && *end < to && (part.bytes[*end] == '-' || part.bytes[*end] == '+') &&
          part.bytes[*end - 1] == 'e') {
        for (++*end; *end < to && is_digit(part.bytes[*end]); ++*end) {
        }
      }
      return true;
    }
  }
  return false;
}

// where numbers matter: everywhere but in the first lines and among the settings
static bool pick_number(Change *change, size_t *start, size_t *end) {
  static const char *const sections[] = {"parameters", "parameters", "bodies",  "bodies",     "joints",
                                         "forces",     "initial",    "initial", "objectives", "ground"};
  for (int trial = 0; trial < 10; ++trial) {
    size_t from, to;
    if (find_section(change->text, sections[below(&change->chance, COUNT_OF(sections))], &from, &to) &&
        pick_within(change, NUMBER, from, to, start, end)) {
      return true;
    }
  }
  return false;
}

static bool pick_parameter(Change *change, char *name) {
  size_t from, to, start, end;
  if (!find_section(change->text, "parameters", &from, &to)) {
    return false;
  }
  for (int trial = 0; trial < 20; ++trial) {
    if (pick_within(change, NAME, from, to, &start, &end) && change->text->bytes[end] == ':' &&
        end - start < NAME_ROOM) {
      (void)snprintf(name, NAME_ROOM, "%.*s", (int)(end - start), change->text->bytes + start);
      return true;
    }
  }
  return false;
}

// a point of a body or the ground as joints name it, "bar.P"
static bool pick_point(Change *change, char *name) {
  static const char *const sections[] = {"joints", "forces"};
  for (int trial = 0; trial < 20; ++trial) {
    size_t from, to, start, end;
    if (find_section(change->text, sections[below(&change->chance, 2)], &from, &to) &&
        pick_within(change, NAME, from, to, &start, &end) && end - start < NAME_ROOM &&
        memchr(change->text->bytes + start, '.', end - start)) {
      (void)snprintf(name, NAME_ROOM, "%.*s", (int)(end - start), change->text->bytes + start);
      return true;
    }
  }
  return false;
}

static void change_number(Change *change) {
  size_t start, end;
  char piece[NAME_ROOM];
  if (!pick_number(change, &start, &end)) {
    return;
  }
  double value = strtod(change->text->bytes + start, NULL), u = uniform(change);
  double changed[] = {value * (0.7 + 0.6 * u),
                      value * (0.9 + 0.2 * u),
                      -value,
                      value + u - 0.5,
                      value * 10,
                      value / 10,
                      value + 3 * u,
                      0};
  (void)snprintf(piece, sizeof piece, "%.4g", changed[below(&change->chance, COUNT_OF(changed))]);
  replace_word(change->text, start, end, piece);
  tell_change(change, "number");
}

static void use_parameter(Change *change) {
  size_t start, end;
  char name[NAME_ROOM], piece[4 * NAME_ROOM];
  if (!pick_parameter(change, name) || !pick_number(change, &start, &end)) {
    return;
  }
  double value = strtod(change->text->bytes + start, NULL);
  static const char *const forms[] = {"%s", "(%s*%.4g)", "(%.4g + 0.1*sin(%s))"};
  size_t form = below(&change->chance, COUNT_OF(forms));
  if (form == 2) {
    (void)snprintf(piece, sizeof piece, "(%.4g + 0.1*sin(%s))", value, name);
  } else if (form == 1) {
    (void)snprintf(piece, sizeof piece, "(%s*%.4g)", name, value);
  } else {
    (void)snprintf(piece, sizeof piece, "%s", name);
  }
  replace_word(change->text, start, end, piece);
  tell_change(change, "parameter");
}

static void swap_numbers(Change *change) {
  size_t start[2], end[2];
  char piece[2][NAME_ROOM];
  for (int i = 0; i < 2; ++i) {
    if (!pick_number(change, &start[i], &end[i]) || end[i] - start[i] >= NAME_ROOM) {
      return;
    }
    (void)snprintf(piece[i], NAME_ROOM, "%.*s", (int)(end[i] - start[i]), change->text->bytes + start[i]);
  }
  int last = start[1] > start[0];
  replace_word(change->text, start[last], end[last], piece[!last]);
  replace_word(change->text, start[!last], end[!last], piece[last]);
  tell_change(change, "swapped numbers");
}

// a line of the lists; the duplicate stands beside it
static void change_line(Change *change, bool is_dropped) {
  static const char *const sections[] = {"joints", "forces", "initial", "bodies", "objectives", "joints", "forces"};
  size_t from, to;
  if (!find_section(change->text, sections[below(&change->chance, COUNT_OF(sections))], &from, &to) || to == from) {
    return;
  }
  size_t start = from + below(&change->chance, to - from), end = start;
  while (start > 0 && change->text->bytes[start - 1] != '\n') {
    --start;
  }
  while (end < change->text->length && change->text->bytes[end] != '\n') {
    ++end;
  }
  end += end < change->text->length;
  if (is_dropped) {
    replace(change->text, start, end, "", 0);
  } else {
    replace(change->text, end, end, change->text->bytes + start, end - start);
  }
  tell_change(change, is_dropped ? "line dropped" : "line twice");
}

// [A, B] becomes [B, A]
static void swap_ends(Change *change) {
  size_t from, to;
  if (!find_section(change->text, below(&change->chance, 3) ? "joints" : "forces", &from, &to)) {
    return;
  }
  char *bytes = change->text->bytes;
  for (int trial = 0; trial < 20; ++trial) {
    size_t open = from + below(&change->chance, to - from);
    while (open < to && bytes[open] != '[') {
      ++open;
    }
    size_t comma = open, close = open;
    while (comma < to && bytes[comma] != ',' && bytes[comma] != ']') {
      ++comma;
    }
    for (close = comma; close < to && bytes[close] != ']'; ++close) {
    }
    if (close >= to || bytes[comma] != ',' || memchr(bytes + comma + 1, ',', close - comma - 1)) {
      continue;
    }
    char piece[4 * NAME_ROOM];
    int length = snprintf(piece, sizeof piece, "%.*s, %.*s", (int)(close - comma - 1), bytes + comma + 1,
                          (int)(comma - open - 1), bytes + open + 1);
    if (length > 0 && length < (int)sizeof piece) {
      replace(change->text, open + 1, close, piece, (size_t)length);
      tell_change(change, "ends exchanged");
      return;
    }
  }
}

static void change_point(Change *change) {
  char name[NAME_ROOM];
  size_t from, to, start, end;
  if (pick_point(change, name) &&
      find_section(change->text, below(&change->chance, 2) ? "joints" : "forces", &from, &to) &&
      pick_within(change, NAME, from, to, &start, &end) && memchr(change->text->bytes + start, '.', end - start)) {
    replace_word(change->text, start, end, name);
    tell_change(change, "other point");
  }
}

// another type of joint or force, or another field
static void change_word(Change *change) {
  static const char *const pairs[][2] = {{"revolute", "fixed"},
                                         {"revolute", "prismatic"},
                                         {"spherical", "revolute"},
                                         {"revolute", "spherical"},
                                         {"cylindrical", "revolute"},
                                         {"revolute", "cylindrical"},
                                         {"universal", "revolute"},
                                         {"planar", "cylindrical"},
                                         {"prismatic", "cylindrical"},
                                         {"fixed", "revolute"},
                                         {"prismatic", "fixed"},
                                         {"distance", "spring"},
                                         {"stiffness", "damping"},
                                         {"damping", "stiffness"},
                                         {"integral", "final"},
                                         {"final", "integral"},
                                         {"axis2", "axis"},
                                         {"spring", "bushing"},
                                         {"value", "velocity"},
                                         {"velocity", "value"},
                                         {"axes: body", "axes: global"},
                                         {"x_axis", "y_axis"},
                                         {"prismatic", "point_on_line"},
                                         {"point_on_plane", "planar"},
                                         {"spherical", "universal"},
                                         {".x", ".y"},
                                         {".y", ".x"}};
  for (int trial = 0; trial < 20; ++trial) {
    const char *const *pair = pairs[below(&change->chance, COUNT_OF(pairs))];
    size_t length = strlen(pair[0]), first = below(&change->chance, change->text->length);
    for (size_t at = first; at + length < change->text->length; ++at) {
      if (memcmp(change->text->bytes + at, pair[0], length) == 0) {
        replace_word(change->text, at, at + length, pair[1]);
        tell_change(change, pair[1]);
        return;
      }
    }
  }
}

// a joint or a force more, between two points of the model
static void add_element(Change *change) {
  static const char *const joints[] = {"revolute",  "spherical",      "distance",  "fixed",
                                       "prismatic", "cylindrical",    "planar",    "point_on_line",
                                       "universal", "point_on_plane", "knife_edge"};
  char one[NAME_ROOM], two[NAME_ROOM], line[512], vector[3][NAME_ROOM];
  size_t from, to;
  bool is_force = below(&change->chance, 3) > 0;
  if (!find_section(change->text, is_force ? "forces" : "joints", &from, &to) || !pick_point(change, one) ||
      !pick_point(change, two) || strcmp(one, two) == 0) {
    return;
  }
  for (int i = 0; i < 3; ++i) {
    double x = 2 * uniform(change) - 1, y = 2 * uniform(change) - 1, z = 2 * uniform(change) - 1;
    bool is_axis = below(&change->chance, 2) == 0;
    if (change->is_spatial) {
      (void)snprintf(vector[i], NAME_ROOM, "[%.2f, %.2f, %.2f]", is_axis ? 0 : x, is_axis ? 0 : y, is_axis ? 1 : z);
    } else {
      (void)snprintf(vector[i], NAME_ROOM, "[%.2f, %.2f]", is_axis ? 0 : x, is_axis ? 1 : y);
    }
  }
  double size = 0.2 + uniform(change);
  size_t kind = below(&change->chance, is_force ? 5 : COUNT_OF(joints));
  if (!is_force && strcmp(joints[kind], "distance") == 0) {
    (void)snprintf(line, sizeof line, "  - {distance: [%s, %s], length: %.3f}\n", one, two, size);
  } else if (!is_force) {
    const char *axis = kind == 6 || kind == 9 ? "normal" : kind == 10 ? "edge" : "axis";
    bool has_axis = change->is_spatial ? kind != 1 && kind != 3 : kind == 4 || kind == 7 || kind == 10;
    (void)snprintf(line, sizeof line, "  - {%s: [%s, %s]%s%s%s%s%s%s%s}\n", joints[kind], one, two,
                   has_axis ? ", " : "", has_axis ? axis : "", has_axis ? ": " : "", has_axis ? vector[0] : "",
                   kind == 8 ? ", axis2: " : "", kind == 8 ? vector[1] : "",
                   kind == 10 && change->is_spatial ? ", normal: [0, 0, 1]" : "");
  } else if (kind == 0) {
    (void)snprintf(line, sizeof line, "  - {spring: [%s, %s], stiffness: 20, damping: 0.7, length: %.3f}\n", one, two,
                   size);
  } else if (kind == 1) {
    (void)snprintf(line, sizeof line, "  - {bushing: [%s, %s], stiffness: %s, damping: %s, turning_stiffness: %s}\n",
                   one, two, vector[0], vector[1], change->is_spatial ? vector[2] : "3");
  } else if (kind == 2) {
    (void)snprintf(line, sizeof line, "  - {point_force: %s, value: %s, axes: body, against: %s}\n", one, vector[0],
                   two);
  } else if (kind == 3) {
    (void)snprintf(line, sizeof line, "  - {point_force: %s, value: %s, axes: body}\n", one, vector[0]);
  } else {
    (void)snprintf(line, sizeof line, "  - {spring: [%s, %s], law: \"3*length^2 - 0.2*rate\"}\n", one, two);
  }
  replace_word(change->text, to, to, line);
  tell_change(change, is_force ? "force added" : "joint added");
}

// a start of placement: an independent coordinate loses its value, or its velocity
static void drop_value(Change *change) {
  size_t from, to;
  const char *word = below(&change->chance, 2) ? ", value:" : ", velocity:";
  if (!find_section(change->text, "initial", &from, &to)) {
    return;
  }
  char *bytes = change->text->bytes;
  for (size_t at = from + below(&change->chance, to - from + 1); at + strlen(word) < to; ++at) {
    if (memcmp(bytes + at, word, strlen(word)) == 0) {
      size_t end = at + 1;
      for (int depth = 0; end < to && (depth > 0 || (bytes[end] != ',' && bytes[end] != '}')); ++end) {
        depth += (bytes[end] == '(' || bytes[end] == '[') - (bytes[end] == ')' || bytes[end] == ']');
      }
      replace(change->text, at, end, "", 0);
      tell_change(change, word + 2);
      return;
    }
  }
}

static void make_mutant(uint64_t seed, uint64_t number, Text *text, Change *change) {
  *change = (Change){.chance = seed * 0x2545f4914f6cdd1dU + number, .text = text};
  (void)next_random(&change->chance);
  int chosen = usable[below(&change->chance, (size_t)usable_count)];
  const Text *origin = &seeds[chosen];
  memcpy(text->bytes, origin->bytes, origin->length);
  text->length = origin->length;
  change->is_spatial = strstr(origin->bytes, "dimension: 3") != NULL;
  (void)snprintf(change->story, sizeof change->story, "%.100s:", seed_names[chosen]);
  for (size_t round = 0, rounds = 1 + below(&change->chance, 3); round < rounds; ++round) {
    switch (below(&change->chance, 16)) {
      case 0:
      case 1:
      case 2:
      case 3: change_number(change); break;
      case 4:
      case 5: use_parameter(change); break;
      case 6: swap_numbers(change); break;
      case 7: change_line(change, true); break;
      case 8: change_line(change, false); break;
      case 9:
      case 10: swap_ends(change); break;
      case 11: change_point(change); break;
      case 12: change_word(change); break;
      case 13:
      case 14: add_element(change); break;
      default: drop_value(change);
    }
  }
}

// ---- comparing ----
typedef struct Difference {
  double rounding[3];  // of positions, velocities and accelerations, over their scales
  double ratio;        // to what is tolerated
  double one, two;
  char what[128];
} Difference;

// level: of what is differentiated that often
static void note(Difference *difference, int level, double one, double two, double scale, const char *what,
                 const char *name) {
  double ratio = fabs(one - two) / (fmax(tolerance, difference->rounding[level]) * scale);
  if (ratio > difference->ratio) {
    difference->ratio = ratio;
    difference->one = one;
    difference->two = two;
    (void)snprintf(difference->what, sizeof difference->what, "%s %.60s", what, name);
  }
}

static void compare_vectors(const MbsResult *a, const MbsResult *b, int level, Difference *difference) {
  static const char *const levels[] = {"position", "velocity", "acceleration"};
  static const double floors[] = {1e-2, 1e-2, 1e-1};
  double scale = floors[level], farthest = 0;
  for (int i = 0; i < a->point_count; ++i) {
    for (int c = 0; c < 3; ++c) {
      farthest = fmax(farthest, fabs(a->points[i].position[c]));
    }
  }
  for (int pass = 0; pass < 2; ++pass) {
    difference->rounding[level] = 8 * 2.2e-16 * farthest / pow(a->request->settings.step, level) / scale;
    for (int i = 0; i < a->point_count; ++i) {
      const MbsPointState *p = &a->points[i], *q = NULL;
      for (int k = 0; k < b->point_count && !q; ++k) {
        q = strcmp(b->points[k].name, p->name) == 0 ? &b->points[k] : NULL;
      }
      const double *x = level == 0 ? p->position : level == 1 ? p->velocity : p->acceleration;
      const double *y = !q ? NULL : level == 0 ? q->position : level == 1 ? q->velocity : q->acceleration;
      for (int c = 0; c < 3 && y; ++c) {
        if (pass == 0) {
          scale = fmax(scale, fmax(fabs(x[c]), fabs(y[c])));
        } else {
          note(difference, level, x[c], y[c], scale, levels[level], p->name);
        }
      }
    }
  }
}

static void compare_reactions(const MbsResult *a, const MbsResult *b, Difference *difference) {
  double scale = 1;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < a->reaction_count && a->reaction_count == b->reaction_count; ++i) {
      for (int c = 0; c < 6; ++c) {
        double x = c < 3 ? a->reactions[i].force[c] : a->reactions[i].torque[c - 3];
        double y = c < 3 ? b->reactions[i].force[c] : b->reactions[i].torque[c - 3];
        if (pass == 0) {
          scale = fmax(scale, fmax(fabs(x), fabs(y)));
        } else {
          note(difference, 2, x, y, scale, c < 3 ? "force of" : "torque of", a->reactions[i].joint);
        }
      }
    }
  }
}

static void compare_values(const MbsResult *a, const MbsResult *b, Difference *difference) {
  double largest = 1e-3;  // what is smaller by far is rounding: an energy that is kept
  for (int i = 0; i < a->objective_count; ++i) {
    largest = fmax(largest, fabs(a->values[i]));
  }
  for (int i = 0; i < a->objective_count; ++i) {
    note(difference, 2, a->values[i], b->values[i], fabs(a->values[i]) + fabs(b->values[i]) + 1e-3 * largest,
         "objective", a->objectives[i]);
  }
}

static void compare_gradients(const MbsResult *a, const MbsResult *b, double floor, Difference *difference) {
  char name[2 * NAME_ROOM];
  double largest = 1e-3;  // what is smaller may be rounding
  int count = a->parameter_count;
  for (int i = 0; i < a->objective_count * count; ++i) {
    largest = fmax(largest, fabs(a->gradient[i]));
  }
  for (int i = 0; i < a->objective_count; ++i) {
    double scale = floor * largest;
    for (int k = 0; k < count; ++k) {
      scale = fmax(scale, fmax(fabs(a->gradient[i * count + k]), fabs(b->gradient[i * count + k])));
    }
    for (int k = 0; k < count; ++k) {
      (void)snprintf(name, sizeof name, "%.20s/%.20s", a->objectives[i], a->parameters[k]);
      note(difference, 2, a->gradient[i * count + k], b->gradient[i * count + k], scale, "gradient", name);
    }
  }
}

// ---- trying ----
typedef struct Outcomes {
  long refused, natural_only, relative_only, warned, agreed, refined, different, start, gradients;
  double slowest;
} Outcomes;

typedef struct Mutant {
  MbsContext *context;
  const MbsModel *model;
  MbsRequest request;
  const Change *change;
  bool is_redundant;  // joint forces are not unique
} Mutant;

static const char *const coordinates[2] = {"natural", "relative"};

static void ensure_finite(const MbsResult *result) {
  for (int i = 0; i < result->point_count; ++i) {
    for (int c = 0; c < 3; ++c) {
      HOLDS(isfinite(result->points[i].position[c]) && isfinite(result->points[i].velocity[c]) &&
            isfinite(result->points[i].acceleration[c]));
    }
  }
  for (int i = 0; i < result->objective_count; ++i) {
    HOLDS(isfinite(result->values[i]));
  }
  for (int i = 0; result->gradient && i < result->objective_count * result->parameter_count; ++i) {
    HOLDS(isfinite(result->gradient[i]));
  }
}

static MbsResult *run(Mutant *mutant, int which, MbsMethod method, double step) {
  MbsResult *result = NULL;
  MbsRequest request = mutant->request;
  request.method = method;
  request.settings.step = step;
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", coordinates[which]);
  MbsStatus status = mbs_run(mutant->context, mutant->model, &request, &result);
  if (status != MBS_OK) {
    HOLDS(result == NULL || (status == MBS_ERROR_NUMERICAL && !result->is_complete && result->error));
    mbs_result_destroy(result);
    result = NULL;
    ensure_message(mutant->context, status);
    if (is_telling) {
      (void)printf("%s: %s\n", coordinates[which], mbs_context_message(mutant->context));
    }
  } else {
    ensure_finite(result);
    for (int i = 0; is_telling && i < result->warning_count; ++i) {
      (void)printf("%s warns: %s\n", coordinates[which], result->warnings[i]);
    }
  }
  return result;
}

static void compare(const Mutant *mutant, MbsResult *const pair[2], bool is_start, Difference *difference) {
  *difference = (Difference){0};
  for (int level = 0; level < (is_start ? 2 : 3); ++level) {
    compare_vectors(pair[0], pair[1], level, difference);
  }
  if (!mutant->is_redundant && !is_start) {
    compare_reactions(pair[0], pair[1], difference);
    compare_values(pair[0], pair[1], difference);
    if (pair[0]->gradient && pair[1]->gradient) {
      compare_gradients(pair[0], pair[1], 1e-3, difference);
    }
  }
}

// false: one of the two did not run, or warned
static bool difference_at(Mutant *mutant, MbsMethod method, double step, bool is_start, Difference *difference) {
  MbsResult *pair[2] = {run(mutant, 0, method, step), run(mutant, 1, method, step)};
  bool is_good = pair[0] && pair[1] && pair[0]->warning_count == 0 && pair[1]->warning_count == 0;
  if (is_good) {
    compare(mutant, pair, is_start, difference);
  }
  mbs_result_destroy(pair[0]);
  mbs_result_destroy(pair[1]);
  return is_good;
}

static void tell_difference(const Mutant *mutant, const char *kind, const Difference *difference) {
  (void)printf("%llu: %s (%s, h = %g): %s: %s: %.10g against %.10g\n", (unsigned long long)current.number,
               mutant->change->story, mutant->request.settings.formulation, mutant->request.settings.step, kind,
               difference->what, difference->one, difference->two);
}

// the two differ: is it the step?
static void judge(Mutant *mutant, MbsMethod method, Difference *difference, Outcomes *outcomes) {
  double step = mutant->request.settings.step;
  Difference finer, start;
  if (!difference_at(mutant, method, step / 4, false, &finer)) {
    outcomes->warned += 1;
    return;
  }
  if (is_telling) {
    (void)printf("at a quarter of the step: %s: %.10g against %.10g, %.3g of what is tolerated, before %.3g\n",
                 finer.what, finer.one, finer.two, finer.ratio, difference->ratio);
  }
  if (finer.ratio <= fmax(1, difference->ratio / 3)) {
    outcomes->refined += 1;
    return;
  }
  mutant->request.settings.end = 1e-9;
  bool is_start = difference_at(mutant, MBS_METHOD_NONE, 1e-9, true, &start) && start.ratio > 1;
  outcomes->start += is_start;
  outcomes->different += !is_start;
  tell_difference(mutant,
                  is_start                    ? "start"
                  : method == MBS_METHOD_NONE ? "values"
                                              : "gradients",
                  is_start ? &start : difference);
}

static void find_redundancy(Mutant *mutant) {
  for (int which = 0; which < 2; ++which) {
    MbsCheck *check;
    (void)snprintf(mutant->request.settings.coordinates, sizeof mutant->request.settings.coordinates, "%s",
                   coordinates[which]);
    if (mbs_check(mutant->context, mutant->model, &mutant->request, &check) == MBS_OK) {
      mutant->is_redundant = mutant->is_redundant || check->redundant > 0;
      mbs_check_destroy(check);
    }
  }
}

// direct and adjoint of one run are the same derivative, to rounding,
// where no warning says that it means nothing
static bool try_methods(Mutant *mutant, int which, MbsResult **direct, Difference *difference) {
  double step = mutant->request.settings.step;
  *direct = run(mutant, which, MBS_METHOD_DIRECT, step);
  MbsResult *adjoint = run(mutant, which, MBS_METHOD_ADJOINT, step);
  if (*direct && adjoint && (*direct)->warning_count == 0) {
    compare_gradients(*direct, adjoint, 1e-2, difference);
  }
  mbs_result_destroy(adjoint);
  return *direct != NULL;
}

static void try_gradients(Mutant *mutant, Outcomes *outcomes) {
  MbsResult *pair[2] = {NULL, NULL};
  bool are_run = true;
  for (int which = 0; which < 2; ++which) {
    Difference difference = {0};
    are_run = try_methods(mutant, which, &pair[which], &difference) && are_run;
    if (difference.ratio > 1) {
      outcomes->different += 1;
      tell_difference(mutant, which == 0 ? "direct/adjoint, natural" : "direct/adjoint, relative", &difference);
    }
  }
  Difference difference;
  bool is_warned = are_run && (pair[0]->warning_count > 0 || pair[1]->warning_count > 0);
  outcomes->warned += is_warned;
  if (are_run && !is_warned) {
    outcomes->gradients += 1;
    compare(mutant, pair, false, &difference);
    if (difference.ratio > 1) {
      judge(mutant, MBS_METHOD_DIRECT, &difference, outcomes);
    }
  }
  mbs_result_destroy(pair[0]);
  mbs_result_destroy(pair[1]);
}

static void try_model(Mutant *mutant, Outcomes *outcomes) {
  double step = mutant->request.settings.step;
  MbsResult *pair[2] = {run(mutant, 0, MBS_METHOD_NONE, step), run(mutant, 1, MBS_METHOD_NONE, step)};
  bool are_run = pair[0] && pair[1];
  outcomes->refused += !pair[0] && !pair[1];
  outcomes->natural_only += pair[0] && !pair[1];
  outcomes->relative_only += !pair[0] && pair[1];
  bool is_warned = are_run && (pair[0]->warning_count > 0 || pair[1]->warning_count > 0);
  outcomes->warned += is_warned;
  bool has_gradient = are_run && !is_warned && pair[0]->objective_count > 0 && pair[0]->parameter_count > 0;
  // a few of the parameters, not always the first ones
  const char *chosen[MOST_PARAMETERS];
  char names[MOST_PARAMETERS][NAME_ROOM];
  int count = 0;
  for (int i = 0; has_gradient && i < MOST_PARAMETERS && i < pair[0]->parameter_count; ++i) {
    int k = (int)((current.number * 7 + (uint64_t)i) % (uint64_t)pair[0]->parameter_count);
    (void)snprintf(names[count], NAME_ROOM, "%.60s", pair[0]->parameters[k]);
    chosen[count] = names[count];
    count += 1;
  }
  Difference difference = {0};
  if (are_run && !is_warned) {
    compare(mutant, pair, false, &difference);
    if (difference.ratio > 1) {
      find_redundancy(mutant);
      compare(mutant, pair, false, &difference);
    }
    outcomes->agreed += difference.ratio <= 1;
  }
  mbs_result_destroy(pair[0]);
  mbs_result_destroy(pair[1]);
  if (difference.ratio > 1) {
    judge(mutant, MBS_METHOD_NONE, &difference, outcomes);
  } else if (has_gradient) {
    mutant->request.parameters = chosen;
    mutant->request.parameter_count = count;
    find_redundancy(mutant);
    try_gradients(mutant, outcomes);
  }
}

static void try_mutant(const Text *text, const Change *change, Outcomes *outcomes) {
  Mutant mutant = {.context = mbs_context_create(), .change = change};
  MbsModel *model = NULL;
  ENSURE(mutant.context != NULL);
  MbsStatus status = mbs_model_read_text(mutant.context, text->bytes, text->length, "m.yaml", &model);
  status = status == MBS_OK ? mbs_request_default(mutant.context, model, &mutant.request) : status;
  if (status == MBS_OK) {
    static const char *const formulations[] = {"ali3p", "ali3p", "ali3p", "index1", "matrix-r"};
    static const double steps[] = {1e-4, 1e-4, 1e-3};
    MbsSettings *settings = &mutant.request.settings;
    uint64_t chance = change->chance;
    settings->is_stabilised = settings->is_projection_tangent = settings->is_nonholonomic_projected = false;
    settings->projections = 0;
    (void)snprintf(settings->formulation, sizeof settings->formulation, "%s",
                   formulations[below(&chance, COUNT_OF(formulations))]);
    settings->step = steps[below(&chance, COUNT_OF(steps))];
    settings->end = 4 * settings->step;
    mutant.model = model;
    try_model(&mutant, outcomes);
  } else {
    ensure_message(mutant.context, status);
    outcomes->refused += 1;
    if (is_telling) {
      (void)printf("%s\n", mbs_context_message(mutant.context));
    }
  }
  mbs_model_destroy(model);
  mbs_context_destroy(mutant.context);
}

int main(int argument_count, char **arguments) {
  ENSURE(argument_count >= 2);
  bool is_printing = strcmp(arguments[1], "print") == 0;
  is_telling = strcmp(arguments[1], "all") == 0;
  uint64_t count = is_printing || is_telling ? 1 : strtoull(arguments[1], NULL, 10);
  current.program = "fuzz_coordinates";
  current.seed = argument_count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
  uint64_t first = argument_count > 3 ? strtoull(arguments[3], NULL, 10) : 0;
  add_seed_folder("models", ".yaml", false);
  add_seed_folder("tests/models", ".yaml", false);
  sort_seeds();
  static char bytes[LONGEST];
  Text mutant = {.bytes = bytes};
  Change change;
  if (is_printing) {
    make_mutant(current.seed, first, &mutant, &change);
    free_seeds();
    return fwrite(mutant.bytes, 1, mutant.length, stdout) == mutant.length ? 0 : 1;
  }
  (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  watch();
  Outcomes outcomes = {0};
  double began = now();
  for (current.number = first; current.number < first + count; ++current.number) {
    make_mutant(current.seed, current.number, &mutant, &change);
    (void)alarm(60);  // what never ends is ended here
    double start = now();
    try_mutant(&mutant, &change, &outcomes);
    double seconds = now() - start;
    outcomes.slowest = seconds > outcomes.slowest ? seconds : outcomes.slowest;
    if (seconds > slowest_allowed) {
      (void)fprintf(stderr, "%.1f s", seconds);
      tell_current();
    }
  }
  (void)alarm(0);
  free_seeds();
  (void)printf("%llu mutants of %d models in %.1f s, the slowest %.2f s\n", (unsigned long long)count, usable_count,
               now() - began, outcomes.slowest);
  (void)printf("refused %ld, in relative coordinates only %ld, in natural only %ld, with a warning %ld\n",
               outcomes.refused, outcomes.relative_only, outcomes.natural_only, outcomes.warned);
  (void)printf(
      "values agree %ld, gradients compared %ld; agree with finer steps %ld, start elsewhere %ld, differ %ld\n",
      outcomes.agreed, outcomes.gradients, outcomes.refined, outcomes.start, outcomes.different);
  // the changes must neither be harmless nor always fatal
  ENSURE(count < 1000 || (outcomes.refused > 0 && outcomes.agreed > (long)count / 4 && outcomes.gradients > 0));
  ENSURE(outcomes.start + outcomes.different == 0);
  return 0;
}
