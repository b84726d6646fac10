// Events in templates: what they set, switch and wait for is that of the instance.
//
// Each model is run with assemblies and written out by hand, under the names that instances give: names, times, values
// and derivatives are the same, to the last bit.
#include "support.h"

#define START "mbsens: 1\n"

static MbsContext *context;

static MbsResult *run(MbsModel *model, const char *coordinates) {
  MbsRequest request;
  MbsResult *result;
  ENSURE_OK(context, mbs_request_default(context, model, &request));
  (void)snprintf(request.settings.coordinates, sizeof request.settings.coordinates, "%s", coordinates);
  ENSURE_OK(context, mbs_run(context, model, &request, &result));
  return result;
}

static void ensure_same_bits(const double *a, const double *b, int count) {
  ENSURE(memcmp(a, b, (size_t)count * sizeof *a) == 0);
}

// Both with `least` events or more, every objective with a value and a derivative. Destroys the models.
static void ensure_same(MbsModel *with_templates, MbsModel *written_out, const char *coordinates, int least) {
  MbsResult *a = run(with_templates, coordinates), *b = run(written_out, coordinates);
  int parameters = a->parameter_count;
  ENSURE(a->event_count == b->event_count && a->event_count >= least);
  for (int i = 0; i < a->event_count; ++i) {
    ENSURE_TEXT(a->events[i].name, b->events[i].name);
    ensure_same_bits(&a->events[i].time, &b->events[i].time, 1);
    ensure_same_bits(a->events[i].gradient, b->events[i].gradient, parameters);
  }
  ENSURE(a->objective_count == b->objective_count && parameters == b->parameter_count);
  for (int i = 0; i < a->objective_count; ++i) {
    ENSURE_TEXT(a->objectives[i], b->objectives[i]);
    ENSURE(fabs(a->values[i]) > 0);
  }
  ensure_same_bits(a->values, b->values, a->objective_count);
  ensure_same_bits(a->gradient, b->gradient, a->objective_count * parameters);
  mbs_result_destroy(a);
  mbs_result_destroy(b);
  mbs_model_destroy(with_templates);
  mbs_model_destroy(written_out);
}

static void test_impacts(void) {
  ensure_same(
      read_text(context, "m.yaml",
                START "parameters: {e: 0.7, y: 0.3}\ngravity: [0, -9.81]\n"
                      "templates:\n"
                      "  drop:\n"
                      "    parameters: {h: , keep: 1}\n"
                      "    bodies: {ball: {mass: 1, points: {P: [0, 0]}}}\n"
                      "    events:\n"
                      "      hit:\n"
                      "        when: r(P).y - h/10\n"
                      "        direction: falling\n"
                      "        velocities:\n"
                      "          - {coordinate: r(ball.P).x, velocity: keep*v(P).x}\n"
                      "          - {coordinate: r(P).y, velocity: -e*v(P).y}\n"
                      "      turn: {when: v(P).y, direction: falling}\n"
                      "    initial: {independent: [{coordinate: r(P).x, value: h, velocity: 1},"
                      " {coordinate: r(P).y, value: h}]}\n"
                      "    objectives: {x: {final: r(P).x}, y: {final: r(P).y}}\n"
                      "assemblies:\n"
                      "  - {template: drop, name: a, with: {h: y}}\n"
                      "  - {template: drop, name: b, with: {h: y + 0.1, keep: 0.5}}\n"
                      "simulation: {end: 1, step: 0.01}\n"),
      read_text(context, "m.yaml",
                START
                "parameters: {e: 0.7, y: 0.3}\ngravity: [0, -9.81]\n"
                "bodies: {A: {mass: 1, points: {P: [0, 0]}}, B: {mass: 1, points: {Q: [0, 0]}}}\n"
                "events:\n"
                "  a_hit: {when: r(P).y - y/10, direction: falling, velocities: ["
                "{coordinate: r(P).x, velocity: 1*v(P).x}, {coordinate: r(P).y, velocity: -e*v(P).y}]}\n"
                "  a_turn: {when: v(P).y, direction: falling}\n"
                "  b_hit: {when: r(Q).y - (y + 0.1)/10, direction: falling, velocities: ["
                "{coordinate: r(Q).x, velocity: 0.5*v(Q).x}, {coordinate: r(Q).y, velocity: -e*v(Q).y}]}\n"
                "  b_turn: {when: v(Q).y, direction: falling}\n"
                "initial: {independent: [{coordinate: r(P).x, value: y, velocity: 1}, {coordinate: r(P).y, value: y},"
                " {coordinate: r(Q).x, value: y + 0.1, velocity: 1}, {coordinate: r(Q).y, value: y + 0.1}]}\n"
                "objectives: {a_x: {final: r(P).x}, a_y: {final: r(P).y}, b_x: {final: r(Q).x},"
                " b_y: {final: r(Q).y}}\n"
                "simulation: {end: 1, step: 0.01}\n"),
      "natural", 8);
}

// Variables of an instance, of the one around it and of the model; one that a parameter stands for; from outside by
// their paths. In a mirrored instance an expression that is set is meant in the instance's frame.
static void test_variables(void) {
  for (int i = 0; i < 2; ++i) {
    ensure_same(read_model(context, "tests/models/template_variables.yaml"),
                read_model(context, "tests/models/template_variables_written.yaml"), i ? "relative" : "natural", 13);
  }
}

// Joints that events add and remove, and that do not act at the start: in lists, alone, with commas, by their paths.
static void test_joints(void) {
  for (int i = 0; i < 2; ++i) {
    ensure_same(read_model(context, "tests/models/template_joints.yaml"),
                read_model(context, "tests/models/template_joints_written.yaml"), i ? "relative" : "natural", 8);
  }
}

// Tables of a template, whose jumps are events.
static void test_tables(void) {
  ensure_same(read_model(context, "tests/models/template_tables.yaml"),
              read_model(context, "tests/models/template_tables_written.yaml"), "natural", 4);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context != NULL);
  test_impacts();
  test_variables();
  test_tables();
  test_joints();
  mbs_context_destroy(context);
  return 0;
}
