// The model as written: a tree of records whose values are still text with a place in the file.
// Scalar-free, so that the double and the complex build compile the same model.
//
// model file --(io/reader.c)--> MbsModel --(coordinates/)--> MbsSystem, which has numbers.
#ifndef MBS_MODEL_H
#define MBS_MODEL_H

#include <mbsens/mbsens.h>

#include "base/arena.h"
#include "model/field.h"
#include "model/settings.h"

// The value of one field. What is absent has its default, and is_given false; absent without a default
// has count 0.
typedef struct MbsValue {
  bool is_given;
  MbsPlace place;                   // of the key
  int count;                        // of texts or of records
  int capacity;                     // room of `records` where calls add some (io/builder.c); else 0
  const MbsText *texts;             // every kind but the record and map kinds
  const struct MbsRecord *records;  // the record, map and list kinds; 1 for MBS_FIELD_RECORD
} MbsValue;

// One record. In a map it has a name (its key); an element of a list has a name when the file gives
// one, else one made from its type and position ("spring 2"). A NUMBER_MAP or VECTOR_MAP entry is a
// record with one value.
typedef struct MbsRecord {
  int type;  // index in the registry of its family (joints, forces); 0 for the others
  MbsText name;
  const MbsValue *values;  // in the order of the fields of its type
} MbsRecord;

// Fields of the sections, in the order of their tables (sections.c).
enum {
  MBS_MODEL_VERSION,
  MBS_MODEL_NAME,
  MBS_MODEL_DIMENSION,
  MBS_MODEL_GRAVITY,
  MBS_MODEL_PARAMETERS,
  MBS_MODEL_HARDPOINTS,
  MBS_MODEL_FUNCTIONS,
  MBS_MODEL_GROUND,
  MBS_MODEL_BODIES,
  MBS_MODEL_COORDINATES,
  MBS_MODEL_STATES,
  MBS_MODEL_JOINTS,
  MBS_MODEL_FORCES,
  MBS_MODEL_TABLES,
  MBS_MODEL_VARIABLES,
  MBS_MODEL_INPUTS,
  MBS_MODEL_EVENTS,
  MBS_MODEL_INITIAL,
  MBS_MODEL_EQUILIBRIUM,
  MBS_MODEL_OBJECTIVES,
  MBS_MODEL_OUTPUTS,
  MBS_MODEL_VALIDITY,
  MBS_MODEL_SHAPES,
  MBS_MODEL_OPTIMIZATION,
  MBS_MODEL_IDENTIFICATION,
  MBS_MODEL_SIMULATION
};
enum {
  MBS_PARAMETER_VALUE,
  MBS_PARAMETER_LOWER,
  MBS_PARAMETER_UPPER,
  MBS_PARAMETER_SCALE,
  MBS_PARAMETER_DISTRIBUTION,
  MBS_PARAMETER_FIELD_COUNT
};
enum { MBS_GROUND_POINTS, MBS_GROUND_VECTORS };
enum {
  MBS_BODY_MASS,
  MBS_BODY_COM,
  MBS_BODY_INERTIA,
  MBS_BODY_POINTS,
  MBS_BODY_VECTORS,
  MBS_BODY_POSITION,
  MBS_BODY_ANGLE,
  MBS_BODY_ROTATION
};
enum { MBS_STATE_RATE, MBS_STATE_INITIAL };
enum { MBS_TABLE_X, MBS_TABLE_Y, MBS_TABLE_Z, MBS_TABLE_KIND, MBS_TABLE_OUTSIDE, MBS_TABLE_PERIODIC, MBS_TABLE_FILE };
enum { MBS_COORDINATE_INERTIA, MBS_COORDINATE_GUESS };
enum {
  MBS_EVENT_WHEN,
  MBS_EVENT_DIRECTION,
  MBS_EVENT_VELOCITIES,
  MBS_EVENT_RESTITUTION,
  MBS_EVENT_LAW,
  MBS_EVENT_FRICTION,
  MBS_EVENT_SET,
  MBS_EVENT_ADD,
  MBS_EVENT_REMOVE,
  MBS_EVENT_STOP
};
enum { MBS_JUMP_COORDINATE, MBS_JUMP_VELOCITY };
enum { MBS_FRICTION_COEFFICIENT, MBS_FRICTION_ALONG };
enum { MBS_INITIAL_POINTS, MBS_INITIAL_INDEPENDENT, MBS_INITIAL_INACTIVE, MBS_INITIAL_EQUILIBRIUM };
enum { MBS_EQUILIBRIUM_HOLD, MBS_EQUILIBRIUM_STEADY, MBS_EQUILIBRIUM_SOLVE, MBS_EQUILIBRIUM_CONDITIONS };
enum { MBS_CONDITION_EXPRESSION, MBS_CONDITION_VALUE };
enum { MBS_HOLD_COORDINATE };
enum { MBS_INDEPENDENT_COORDINATE, MBS_INDEPENDENT_VALUE, MBS_INDEPENDENT_VELOCITY };
enum {
  MBS_OBJECTIVE_INTEGRAL,
  MBS_OBJECTIVE_FINAL,
  MBS_OBJECTIVE_VALUE,
  MBS_OBJECTIVE_RMS,
  MBS_OBJECTIVE_PNORM,
  MBS_OBJECTIVE_P,
  MBS_OBJECTIVE_VIOLATION,
  MBS_OBJECTIVE_ABOVE,
  MBS_OBJECTIVE_BELOW,
  MBS_OBJECTIVE_MAXIMUM,
  MBS_OBJECTIVE_MINIMUM,
  MBS_OBJECTIVE_AT,
  MBS_OBJECTIVE_TIME,
  MBS_OBJECTIVE_EVENT,
  MBS_OBJECTIVE_EVENT_TIME,
  MBS_OBJECTIVE_NUMBER,
  MBS_OBJECTIVE_SIDE,
  MBS_OBJECTIVE_SETTLING,
  MBS_OBJECTIVE_TARGET,
  MBS_OBJECTIVE_BAND,
  MBS_OBJECTIVE_EQUILIBRIUM,
  MBS_OBJECTIVE_EIGENVALUE,
  MBS_OBJECTIVE_MODE
};
enum { MBS_LIMIT_OBJECTIVE, MBS_LIMIT_BELOW, MBS_LIMIT_ABOVE, MBS_LIMIT_EQUALS, MBS_LIMIT_SCALE };
enum {
  MBS_SHAPE_AT,
  MBS_SHAPE_KIND,
  MBS_SHAPE_TO,
  MBS_SHAPE_AXIS,
  MBS_SHAPE_SIZE,
  MBS_SHAPE_RADIUS,
  MBS_SHAPE_WIDTH,
  MBS_SHAPE_OFFSET,
  MBS_SHAPE_FILE,
  MBS_SHAPE_SCALE,
  MBS_SHAPE_MIRROR,
  MBS_SHAPE_CURVE,
  MBS_SHAPE_RANGE,
  MBS_SHAPE_PIECES,
  MBS_SHAPE_COLOUR,
  MBS_SHAPE_OPACITY,
  MBS_SHAPE_FIELD_COUNT
};
enum { MBS_RANGE_PARAMETER, MBS_RANGE_LOWER, MBS_RANGE_UPPER, MBS_RANGE_SCALE };
enum {
  MBS_OPTIMIZATION_MINIMIZE,
  MBS_OPTIMIZATION_MAXIMIZE,
  MBS_OPTIMIZATION_PARAMETERS,
  MBS_OPTIMIZATION_BOUNDS,
  MBS_OPTIMIZATION_CONSTRAINTS,
  MBS_OPTIMIZATION_ALGORITHM,
  MBS_OPTIMIZATION_EVALUATIONS,
  MBS_OPTIMIZATION_TOLERANCE,
  MBS_OPTIMIZATION_FEASIBILITY,
  MBS_OPTIMIZATION_TARGET,
  MBS_OPTIMIZATION_STARTS,
  MBS_OPTIMIZATION_SEED
};
enum { MBS_MEASURED_OUTPUT, MBS_MEASURED_COLUMN, MBS_MEASURED_SIGMA };
enum { MBS_KNOWN_DATA, MBS_KNOWN_PARAMETER, MBS_KNOWN_VALUE };
enum {
  MBS_IDENTIFICATION_DATA,
  MBS_IDENTIFICATION_OUTPUTS,
  MBS_IDENTIFICATION_PARAMETERS,
  MBS_IDENTIFICATION_KNOWN,
  MBS_IDENTIFICATION_CONFIDENCE,
  MBS_IDENTIFICATION_ITERATIONS,
  MBS_IDENTIFICATION_TOLERANCE
};
enum { MBS_OUTPUT_VALUE, MBS_OUTPUT_UNIT, MBS_OUTPUT_DESCRIPTION };
enum { MBS_VALIDITY_POSITIVE, MBS_VALIDITY_MESSAGE, MBS_VALIDITY_OTHERWISE };
enum {
  MBS_SIMULATION_END,
  MBS_SIMULATION_STEP,
  MBS_SIMULATION_FORMULATION,
  MBS_SIMULATION_COORDINATES,
  MBS_SIMULATION_INTEGRATOR,
  MBS_SIMULATION_TOLERANCE,
  MBS_SIMULATION_STEP_TOLERANCE,
  MBS_SIMULATION_ERROR_CONTROL,
  MBS_SIMULATION_PENALTY,
  MBS_SIMULATION_XI,
  MBS_SIMULATION_OMEGA,
  MBS_SIMULATION_BAUMGARTE,
  MBS_SIMULATION_BETA,
  MBS_SIMULATION_GAMMA,
  MBS_SIMULATION_SPECTRAL_RADIUS,
  MBS_SIMULATION_PROJECTIONS,
  MBS_SIMULATION_PROJECTION_MATRIX,
  MBS_SIMULATION_NONHOLONOMIC,
  MBS_SIMULATION_TANGENT,
  MBS_SIMULATION_DERIVATIVES,
  MBS_SIMULATION_TREE,
  MBS_SIMULATION_CUT,
  MBS_SIMULATION_ACCURACY,
  MBS_SIMULATION_COUNT
};

extern const MbsRecordType mbs_model_type;       // the root; the others hang below it
extern const MbsRecordType mbs_simulation_type;  // settings.c

typedef struct MbsModel {
  MbsArena *arena;
  const char *file;    // for messages
  int dimension;       // 2 or 3
  bool is_memory_out;  // mbs_number could not write one: the next call says so
  MbsRecord root;
  int external_count;  // functions of a program's own (mbsens/function.h)
  const struct MbsExternal *externals;
} MbsModel;

static inline const MbsValue *mbs_record_value(const MbsRecord *record, int field) { return &record->values[field]; }
// the first text of a field; text NULL when absent
MbsText mbs_record_text(const MbsRecord *record, int field);
// the single record of a RECORD field; NULL when absent
const MbsRecord *mbs_record_child(const MbsRecord *record, int field);

// Where a setting of the simulation stands in the file; nowhere if it came from somewhere else (another text).
MbsPlace mbs_model_setting_place(const MbsModel *model, int field, const char *text);

// The model with another number for one parameter, as if that were written in the file: in the arena, sharing the rest
// with the original, which must outlive it.
MbsStatus mbs_model_with_number(MbsContext *context, MbsArena *arena, const MbsModel *model, int parameter,
                                double number, MbsModel **changed);

// ---- asked.c ----
// The parameters that a request names (names NULL: all that the model has): arrays become their elements, and ordinates
// of tables parameters of another model, in the arena, that shares the rest with the original. What is no name of
// either stays as it is.
MbsStatus mbs_model_ask(MbsContext *context, MbsArena *arena, const MbsModel *model, int *count,
                        const char *const **names, const MbsModel **asked);
// The text of f.y[3], the third ordinate of table f; NULL: there is none.
MbsText *mbs_model_find_ordinate(const MbsModel *model, const char *name);

#endif
