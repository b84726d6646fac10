// How sensitivities at fixed times jump at an event, in the limit of small steps: P1's formulas, with its corrections
// (theory: section 7). With t' for the derivative of the event's time, and X, V at fixed times on both sides,
//     position      X+ - X- = -(v+ - v-) t'
//     velocity      V+ + a+ t' = d/drho of v+(q, v-) along q' = X- + v- t', v-' = V- + a- t'
// of the five-bar's first impact (P1 (33)-(48)) and of a string that becomes taut (an impulse, (91)-(93) with the term
// of the event's time that is missing there). The program's own rows at the event play no part but for v and a: X and V
// on both sides are extrapolated from the three rows at planned times before and behind it.
//
// Seen to fail: t' taken as zero; a- in the place of a+.
#include "support.h"

static MbsContext *context;

// ---- histories ----
enum { MOST_ROWS = 3000, MOST_COLUMNS = 200 };

typedef struct History {
  int columns, rows;
  char names[MOST_COLUMNS][64];
  double values[MOST_ROWS][MOST_COLUMNS];
} History;

static MbsStatus begin(void *user, int count, const char *const *names) {
  History *history = user;
  ENSURE(count <= MOST_COLUMNS);
  history->columns = count;
  history->rows = 0;
  for (int i = 0; i < count; ++i) {
    (void)snprintf(history->names[i], sizeof history->names[i], "%s", names[i]);
  }
  return MBS_OK;
}

static MbsStatus put(void *user, const double *values) {
  History *history = user;
  ENSURE(history->rows < MOST_ROWS);
  memcpy(history->values[history->rows++], values, (size_t)history->columns * sizeof *values);
  return MBS_OK;
}

typedef struct Sides {
  const History *history;
  int event;       // row before it; the next one is behind it
  double slope;    // t'
  const char *of;  // the parameter
} Sides;

static int column(const History *history, const char *format, const char *name, const char *parameter) {
  char wanted[64];
  (void)snprintf(wanted, sizeof wanted, format, name, parameter);
  for (int i = 0; i < history->columns; ++i) {
    if (strcmp(history->names[i], wanted) == 0) {
      return i;
    }
  }
  (void)fprintf(stderr, "no column %s\n", wanted);
  exit(1);
}

// v or a at the event
static double rate(const Sides *s, bool is_after, const char *format, const char *name) {
  return s->history->values[s->event + is_after][column(s->history, format, name, "")];
}

// a derivative at fixed times, by a parabola through three rows
static double slope(const Sides *s, bool is_after, const char *format, const char *name) {
  const int first = is_after ? s->event + 2 : s->event - 3;
  int at = column(s->history, format, name, s->of);
  double t = s->history->values[s->event][0], sum = 0;
  for (int i = 0; i < 3; ++i) {
    double weight = 1;
    for (int j = 0; j < 3; ++j) {
      const double *own = s->history->values[first + i], *other = s->history->values[first + j];
      weight *= j == i ? 1 : (t - other[0]) / (own[0] - other[0]);
    }
    sum += weight * s->history->values[first + i][at];
  }
  return sum;
}

// what follows from X and V before the event, as it moves
static double moved(const Sides *s, bool is_after, const char *name, bool is_velocity) {
  return slope(s, is_after, is_velocity ? "d(%s')/d(%s)" : "d(%s)/d(%s)", name) +
         rate(s, is_after, is_velocity ? "%s''%s" : "%s'%s", name) * s->slope;
}

// ---- two events ----
static double check_impact(const Sides *s) {
  static const char *const positions[] = {"P1.x", "P1.y", "P2.x", "P2.y", "P3.x", "P3.y"};
  double worst = fabs(moved(s, true, "P2.x", true) - moved(s, false, "P2.x", true));
  worst = fmax(worst, fabs(moved(s, true, "P2.y", true) + moved(s, false, "P2.y", true)));
  for (int i = 0; i < 6; ++i) {
    worst = fmax(worst, fabs(moved(s, true, positions[i], false) - moved(s, false, positions[i], false)));
  }
  return worst;
}

// v+ = v- - n (n.v-), n = r/L
static double check_string(const Sides *s) {
  static const char *const names[] = {"P.x", "P.y"};
  double n[2], v[2], N[2], V[2], along = 0, Along = 0, worst = 0;
  for (int k = 0; k < 2; ++k) {
    n[k] = rate(s, false, "%s%s", names[k]);
    v[k] = rate(s, false, "%s'%s", names[k]);
    N[k] = moved(s, false, names[k], false);
    V[k] = moved(s, false, names[k], true);
    along += n[k] * v[k];
    Along += N[k] * v[k] + n[k] * V[k];
  }
  for (int k = 0; k < 2; ++k) {
    worst = fmax(worst, fabs(moved(s, true, names[k], false) - N[k]));
    worst = fmax(worst, fabs(moved(s, true, names[k], true) - (V[k] - N[k] * along - n[k] * Along)));
  }
  return worst;
}

static void check(const char *path, const char *formulation, const char *parameter, double end, double step,
                  double (*measure)(const Sides *sides)) {
  enum { HALVINGS = 3 };
  static History history;
  MbsModel *model = read_model(context, path);
  const MbsRecorder recorder = {.user = &history, .begin = begin, .row = put};
  double off[HALVINGS];
  for (int k = 0; k < HALVINGS; ++k) {
    MbsRequest request;
    MbsResult *result;
    ENSURE_OK(context, mbs_request_default(context, model, &request));
    (void)snprintf(request.settings.formulation, sizeof request.settings.formulation, "%s", formulation);
    request.settings.end = end;
    request.settings.step = step / pow(2, k);
    request.method = MBS_METHOD_DIRECT;
    request.recorder = &recorder;
    request.parameter_count = 1;
    request.parameters = &parameter;
    ENSURE_OK(context, mbs_run(context, model, &request, &result));
    Sides sides = {.history = &history, .of = parameter, .slope = result->events[0].gradient[0]};
    while (history.values[sides.event][0] < result->events[0].time) {
      sides.event += 1;
    }
    off[k] = measure(&sides);
    mbs_result_destroy(result);
  }
  (void)printf("%s, %s, %s: %.1e %.1e %.1e\n", path, formulation, parameter, off[0], off[1], off[2]);
  ENSURE(off[2] < 1e-3 && off[2] < off[0] / 8);  // second order: 16
  mbs_model_destroy(model);
}

int main(void) {
  static const char *const formulations[] = {"index1", "ali3p", "matrix-r", "penalty", "ali1"};
  context = mbs_context_create();
  ENSURE(context);
  for (int f = 0; f < 5; ++f) {
    check("models/five_bar_impact.yaml", formulations[f], "Ls1", 0.33, 2e-3, check_impact);
    check("models/five_bar_impact.yaml", formulations[f], "Ls2", 0.33, 2e-3, check_impact);
    check("models/string_pendulum.yaml", formulations[f], "u0", 0.07, 2e-3, check_string);
    check("models/string_pendulum.yaml", formulations[f], "y0", 0.07, 2e-3, check_string);
  }
  mbs_context_destroy(context);
  return 0;
}
