// Settings: what is asked of a run, by name. One table (settings.c) says of each its name, type, default, unit, range,
// where it may be given and what it does; from it come the section `simulation` of model files, the options of the
// command with their help, mbs_request_set and _get, the schema and docs/settings.md. A new setting is a row there, a
// member here.
//
// Inside the library they are the members of plain structs, for hot loops and because most are looked at by one line.
#ifndef MBS_SETTINGS_H
#define MBS_SETTINGS_H

#include <mbsens/mbsens.h>

#include "base/arena.h"
#include "base/context.h"
#include "model/field.h"

enum { MBS_NAME_LENGTH = 32, MBS_LIST_LENGTH = 4096 };
enum { MBS_MOST_PROJECTIONS = 40 };
#define MBS_LEAST_ACCURACY 1e-12

// Where the derivatives of the terms (masses, constraints, forces, objectives) come from in direct and adjoint runs.
typedef enum MbsDerivatives {
  MBS_DERIVATIVES_ANALYTICAL,  // written formulas
  MBS_DERIVATIVES_AUTOMATIC,   // complex step, term by term
  MBS_DERIVATIVES_NUMERICAL    // central differences, term by term
} MbsDerivatives;

typedef struct MbsSettings {
  double end, step;            // s
  double end_in_model;         // where the model's end depends on parameters: the number it is. As long as `end` is
                               // that, it moves with them; another one is a constant. 0: the model's is one, too
  double step_tolerance;       // methods with stages: steps find their own size, so that each is off by no more than
                               // this part of the mechanism's size and velocity (`step` is the first); 0: all are
                               // `step` long
  bool is_column_controlled;   // of them the errors of sensitivities, too, in direct runs
  double accuracy;             // asked of values and gradients: mbs_run chooses steps for it, and extrapolates
                               // several runs; 0: none, one run with `step`. From 1e-12 to 1
  double tolerance;            // scaled residual at which a step counts as solved
  double penalty;              // absolute penalty factor; 0: automatic
  double other_penalty;        // where joints come and go, and constraints become redundant or cease to be; 0: the
                               // same, or automatic too
  double xi, omega;            // constraint stabilisation: damping ratio, frequency (rad/s)
  bool is_stabilised;          // index1: use xi and omega
  double beta, gamma;          // newmark; 0: not given
  double spectral_radius;      // generalised-alpha; negative: not given
  int projections;             // iterations; ali3p 0: until they converge, -1: none
  bool is_projection_tangent;  // ali3p: project with M - gamma h Q_v - beta h^2 Q_x instead of M
  bool is_nonholonomic_projected;     // ali3p: nonholonomic constraints enter by the projections alone
  bool is_tangent_approximate;        // Newton's iteration without the curvature of the constraints
  MbsDerivatives derivatives;         // of the terms, in direct and adjoint runs
  char independent[MBS_LIST_LENGTH];  // matrix-r: independent coordinates between commas; "": those of the start
  bool is_about_mass_centres;  // relative coordinates: the recursion refers to centres of mass, not to the origin
  char tree[MBS_LIST_LENGTH], cut[MBS_LIST_LENGTH];  // relative coordinates: joints that carry the tree, or are cut;
                                                     // "": chosen
  bool is_kinematic;    // no dynamics: drivers and the start's velocities prescribe the motion; the multipliers are the
                        // forces it needs; formulation and integrator do not matter
  bool is_equilibrium;  // no run: the equilibrium, or the steady motion, that the model asks for
  char formulation[MBS_NAME_LENGTH], coordinates[MBS_NAME_LENGTH], integrator[MBS_NAME_LENGTH];  // or auto
  bool has_no_outputs;            // the model's outputs are not evaluated, and cost nothing
  char columns[MBS_LIST_LENGTH];  // of histories: src/sensitivities/history.h; "": outputs and objectives, or if the
                                  // model has no outputs, all
  long every;                     // rows of histories: of every so manieth step; 0 or 1: of each, and of both sides of
                                  // each event
  double sample;                  // the same as an interval of time, s, which is a multiple of the step; 0: none
} MbsSettings;

typedef enum MbsMethod {
  MBS_METHOD_NONE,  // simulate only
  MBS_METHOD_DIRECT,
  MBS_METHOD_ADJOINT,
  MBS_METHOD_ADJOINT_CONTINUOUS,  // of the differential equations: off by the truncation error; penalty and matrix-r
  MBS_METHOD_COMPLEX_STEP,
  MBS_METHOD_FINITE_DIFFERENCE,
  // by SUNDIALS, a third party, where it is built in (mbs_sundials_version): it integrates the equations of motion and
  // their sensitivity or adjoint equations with steps and error control of its own
  MBS_METHOD_CVODES_FORWARD,  // penalty, matrix-r, and models without constraints with any formulation
  MBS_METHOD_CVODES_ADJOINT,
  MBS_METHOD_IDAS_FORWARD,  // index1
  MBS_METHOD_IDAS_ADJOINT
} MbsMethod;

typedef enum MbsDifference { MBS_DIFFERENCE_CENTRAL, MBS_DIFFERENCE_FORWARD, MBS_DIFFERENCE_BACKWARD } MbsDifference;

struct MbsRequest {
  MbsSettings settings;
  MbsMethod method;
  MbsDifference difference;   // of the finite differences
  double difference_step;     // their step, relative to the parameter (absolute if that is 0); 0: automatic
  double sundials_tolerance;  // CVODES and IDAS: relative, of states, sensitivities and integrals; 0: 1e-10
  bool has_sundials;          // verify: their gradients, too
  double memory;              // adjoint: bytes for the trajectory; 0: up to 1e9, or more if it needs more
  int objective_count;        // 0 with objectives NULL: all
  const char *const *objectives;
  int parameter_count;  // 0 with parameters NULL: all
  const char *const *parameters;
  bool has_own_coordinates;     // verify: with the settings' coordinates alone, not with all there are
  const MbsRecorder *recorder;  // NULL: no histories
  MbsArena *arena;              // of mbs_request_create: the request itself, and lists of names; else NULL
};

// ---- the table ----
typedef enum MbsSettingType {
  MBS_SETTING_NUMBER,      // double, finite, in its range, or one of the row's words
  MBS_SETTING_BYTES,       // double: 1500, 500k, 100M, 2G, 1T
  MBS_SETTING_WHOLE,       // long
  MBS_SETTING_ITERATIONS,  // int
  MBS_SETTING_FLAG,        // bool: false and true are the first and second of the choices
  MBS_SETTING_CHOICE,      // an enumeration: the number of the choice
  MBS_SETTING_NAME,        // char[MBS_NAME_LENGTH]: of a formulation, ...
  MBS_SETTING_LIST,        // char[MBS_LIST_LENGTH]: names or expressions between commas
  MBS_SETTING_NAMES        // names of the model: their count; behind it the array of names, NULL for all
} MbsSettingType;

// Commands that have a setting as an option.
enum {
  MBS_OF_CHECK = 1 << 0,
  MBS_OF_SIMULATE = 1 << 1,
  MBS_OF_GRADIENT = 1 << 2,
  MBS_OF_VERIFY = 1 << 3,
  MBS_OF_KINEMATICS = 1 << 6,
  MBS_OF_EQUILIBRIUM = 1 << 7,
  MBS_OF_LINEARIZE = 1 << 8
};

// A word instead of a number, and the number that means it.
typedef struct MbsSettingWord {
  const char *word;
  double value;
} MbsSettingWord;

// What a field of the section `simulation` (model/field.h) is besides. A number must lie in its range, which `range`
// says in words.
typedef struct MbsSetting {
  MbsSettingType type;
  size_t member;         // offset in MbsRequest
  const char *option;    // of the command, without --; NULL: none
  const char *argument;  // of the option, as help shows it; NULL: it is given alone, for the second of the choices
  unsigned commands;     // that have the option
  double least, most;    // most 0: no limit
  bool is_least_excluded, is_most_excluded;
  const char *range;            // NULL: it has none
  const MbsSettingWord *words;  // of a number; ends with NULL
} MbsSetting;

extern const MbsField mbs_settings[];  // with a .setting each; the first ones are those of model files
extern const int mbs_settings_count;

// The row of a name; NULL, and a sentence, where there is none.
const MbsField *mbs_setting_find(MbsContext *context, const char *name);
// The word of a choice, "adjoint-continuous".
const char *mbs_setting_word(const char *name, int choice);

// ---- setting_values.c ----
// Sets it from a text. `owner` stands before what is wrong: "step", "--step", "simulation: step". Names need the
// request's arena.
MbsStatus mbs_setting_parse(MbsContext *context, const MbsField *field, const char *owner, MbsPlace place,
                            const char *text, MbsRequest *request);
// The same in pieces, for a number that is read another way: is the text one of its words? is the value, which was
// written so, in its range? then it is stored.
bool mbs_setting_is_word(const MbsSetting *setting, const char *text, double *value);
MbsStatus mbs_setting_check(MbsContext *context, const MbsField *field, const char *owner, MbsPlace place,
                            const char *text, double value);
void mbs_setting_store(const MbsField *field, double value, MbsRequest *request);
MbsStatus mbs_setting_names(MbsContext *context, const MbsField *field, const char *owner, int count,
                            const char *const *names, MbsRequest *request);
// The text that sets it to what it is; false: the room is too small.
bool mbs_setting_print(const MbsField *field, const MbsRequest *request, size_t room, char *text);
// Refused where a word stands for it, or it is none.
MbsStatus mbs_setting_number(MbsContext *context, const MbsField *field, const MbsRequest *request, double *value);
// "number", "choice", ...
const char *mbs_setting_type_name(const MbsField *field);
// All of a request that may have been filled in by hand.
MbsStatus mbs_settings_check(MbsContext *context, const MbsRequest *request);

// An empty request with an arena, which holds it.
MbsStatus mbs_request_create_empty(MbsContext *context, MbsRequest **request);

#endif
