// Models built by calls instead of a file. The calls read like the file, and the model is the same: the same
// texts through the same checks, so the same bits come out.
//
//   MbsModel *model;
//   mbs_model_create(context, "pendulum", 2, &model);
//   mbs_model_add_parameter(context, model, "L", "sqrt(2)");
//   mbs_model_add_ground_point(context, model, "O", "0", "0", NULL);
//   MbsBodyDef bar = mbs_default_body_def();
//   bar.name = "bar";
//   bar.mass = mbs_number(model, mass);             a double of the program
//   bar.com[0] = "L/2", bar.com[1] = "0";           an expression of parameters
//   mbs_model_add_body(context, model, &bar);
//   mbs_model_add_point(context, model, "bar", "O", "0", "0", NULL);
//   MbsRevoluteJointDef pivot = mbs_default_revolute_joint_def();
//   pivot.ends[0] = "ground.O", pivot.ends[1] = "bar.O";
//   mbs_model_add_revolute_joint(context, model, &pivot);
//
// Every number is a text, because every number may be an expression; mbs_number writes a double as one. A field
// that is NULL is absent and has its default; of an array the rest is NULL (a vector in the plane uses two of
// three). Texts are copied. Units: SI, radians.
//
// The calls may come in any order, but a body comes before its points and vectors and an event before its velocities
// and friction; names are resolved when the model is used. A model read from a file can be added to as well. A call
// that fails leaves the model as it was and a sentence in the context that names the element, as every function of
// mbsens.h does. Do not change a model while a run uses it. What the fields mean: mbsens/elements.h, docs/c-api.md.
#ifndef MBSENS_BUILD_H
#define MBSENS_BUILD_H

#include <mbsens/mbsens.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// An empty model. `dimension` is 2 (in the plane) or 3 (in space). mbs_model_destroy gives it back.
MbsStatus mbs_model_create(MbsContext *context, const char *name, int dimension, MbsModel **model);

// The shortest text that reads back as exactly this double, kept as long as the model. A number that is not finite
// gives a text that the next call refuses.
const char *mbs_number(MbsModel *model, double number);

// A named number: what gradients are taken with respect to.
MbsStatus mbs_model_add_parameter(MbsContext *context, MbsModel *model, const char *name, const char *value);
// The range of a parameter in an optimisation, and what a large change of it is. NULL: as it was.
MbsStatus mbs_model_set_range(MbsContext *context, MbsModel *model, const char *parameter, const char *lower,
                              const char *upper, const char *scale);
// What is known of it, for sweeps: "normal(100, 5)" (docs/sweeps.md).
MbsStatus mbs_model_set_distribution(MbsContext *context, MbsModel *model, const char *parameter,
                                     const char *distribution);
// A design point: a vector for expressions, whose components name.x, name.y, name.z are parameters. A vector may always
// be one expression instead: x, with NULL for y and z, here and below.
MbsStatus mbs_model_add_hardpoint(MbsContext *context, MbsModel *model, const char *name, const char *x, const char *y,
                                  const char *z);
// A function for expressions, f(x, y), by an expression of its arguments.
MbsStatus mbs_model_add_function(MbsContext *context, MbsModel *model, const char *name, const char *body);
// A number that the caller of a simulator sets between steps, with its value at the start.
MbsStatus mbs_model_add_input(MbsContext *context, MbsModel *model, const char *name, const char *value);
// A number that events set, with its value at the start; and what an event sets it to, an expression of the state
// before.
MbsStatus mbs_model_add_variable(MbsContext *context, MbsModel *model, const char *name, const char *value);
MbsStatus mbs_model_set_at_event(MbsContext *context, MbsModel *model, const char *event, const char *variable,
                                 const char *value);

// Joints, with commas between them, that do not act at the start, and that events add.
MbsStatus mbs_model_set_inactive(MbsContext *context, MbsModel *model, const char *joints);

// m/s2; z is NULL in the plane. Called again, it replaces.
MbsStatus mbs_model_set_gravity(MbsContext *context, MbsModel *model, const char *x, const char *y, const char *z);

// A point that does not move; m; z is NULL in the plane, here and below.
MbsStatus mbs_model_add_ground_point(MbsContext *context, MbsModel *model, const char *name, const char *x,
                                     const char *y, const char *z);

// A point of a body that is there already, in its axes; m.
MbsStatus mbs_model_add_point(MbsContext *context, MbsModel *model, const char *body, const char *name, const char *x,
                              const char *y, const char *z);

// A direction that does not move, and one of a body in its axes, for axes of joints and for expressions; any length but
// zero.
MbsStatus mbs_model_add_ground_vector(MbsContext *context, MbsModel *model, const char *name, const char *x,
                                      const char *y, const char *z);
MbsStatus mbs_model_add_vector(MbsContext *context, MbsModel *model, const char *body, const char *name, const char *x,
                               const char *y, const char *z);

// Where a point (body.point, or its name alone) is when the assembly starts; m.
MbsStatus mbs_model_add_initial_point(MbsContext *context, MbsModel *model, const char *point, const char *x,
                                      const char *y, const char *z);

// A setting of the section `simulation`: "step", "0.01". Called again, it replaces.
MbsStatus mbs_model_set_simulation(MbsContext *context, MbsModel *model, const char *key, const char *value);
// The same of the section `optimization`: "minimize", "psi1"; "parameters", "k,c". Its constraints and bounds are
// entries: mbs_model_add_design_constraint, mbs_model_add_design_range.
MbsStatus mbs_model_set_optimization(MbsContext *context, MbsModel *model, const char *key, const char *value);
// The same of the sections `equilibrium` ("steady", "yes"; "solve", "steer, drive") and `initial` ("equilibrium",
// "yes"). What is held, and conditions, are entries: mbs_model_add_held_coordinate, mbs_model_add_trim_condition.
MbsStatus mbs_model_set_equilibrium(MbsContext *context, MbsModel *model, const char *key, const char *value);
MbsStatus mbs_model_set_initial(MbsContext *context, MbsModel *model, const char *key, const char *value);
// The same of the section `identification`: "data", "measured.csv". Its outputs and known values are entries:
// mbs_model_add_measured_output, mbs_model_add_known_value.
MbsStatus mbs_model_set_identification(MbsContext *context, MbsModel *model, const char *key, const char *value);

// ---- and back ----

// The text of a model file with this model, however it came: mbs_model_read_text makes the same model of it. Templates,
// includes and constants are written as what they became. Yours to destroy.
MbsStatus mbs_model_write(MbsContext *context, const MbsModel *model, char **text);
void mbs_text_destroy(char *text);
// The text of a model file with other values of parameters, as numbers or expressions: all else, comments too, is as it
// was written. Refused where a value stands in another file that this one includes, or not by itself (a range, a list
// in one text).
MbsStatus mbs_model_revise(MbsContext *context, const char *path, int count, const char *const *names,
                           const char *const *values, char **text);

// What a model has, with names in the order of the file.
typedef struct MbsContents {
  const char *name;
  int dimension;
  int parameter_count;
  const char *const *parameters;
  const double *parameter_values;
  const bool *is_derived;  // of each parameter: it is an expression of others, and follows them
  int objective_count;
  const char *const *objectives;
  int input_count;
  const char *const *inputs;
  int output_count;
  const char *const *outputs;
  int body_count;
  const char *const *bodies;
  int joint_count;
  const char *const *joints;  // "revolute 2" where they have no name of their own
  int force_count;
  const char *const *forces;
  int event_count;
  const char *const *events;
} MbsContents;

// Of the model as it is now; later changes do not show. Yours to destroy.
MbsStatus mbs_contents_create(MbsContext *context, const MbsModel *model, MbsContents **contents);
void mbs_contents_destroy(MbsContents *contents);

// ---- what the typed calls of mbsens/elements.h are made of; good for bindings to other languages ----

// One field: its key in the model file and up to `room` texts, which end at the first NULL.
typedef struct MbsFieldTexts {
  const char *key;
  int room;
  const char *const *texts;
} MbsFieldTexts;

// Adds an entry to a section of the model, written as in the file: "joints", "forces", "bodies", "coordinates",
// "events", "objectives", "initial.independent"; or to a list that each entry of a section has: "events.velocities".
// `type` is that of the joint or force, NULL elsewhere. `name` is required in the sections that go by names (bodies,
// coordinates, events, objectives), may be NULL for joints and forces, says in lists of entries which entry (the event
// that sets a velocity, which is there already), and is NULL in other lists.
MbsStatus mbs_model_add_element(MbsContext *context, MbsModel *model, const char *section, const char *type,
                                const char *name, int field_count, const MbsFieldTexts *fields);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include <mbsens/elements.h>  // MbsBodyDef, MbsRevoluteJointDef, MbsSpringDef, ... and their calls

#endif
