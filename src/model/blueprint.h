// The blueprint: a model as entities, linear forms on them, and symbolic coefficients.
//
// Entities are the points and unit vectors whose components are coordinates q (free) or given numbers
// (fixed: the ground's), and scalars: the coordinates of the model's own, of one component each. Every point and
// direction of every body is a linear form on entities,
//     y = sum over terms of (a I + b J) e,      J = rotation by 90 degrees, plane only,
// whose coefficients a, b are nodes of the expression graph, functions of the parameters alone. So
// all parameters enter the numerical code through coefficients, and the graph differentiates those.
//
// coordinates/ chooses the entities and fills in `place`; bodies, joints and forces then describe
// themselves here once, for every kind of coordinates; terms/ turns the result into numbers.
// Scalar-free.
#ifndef MBS_BLUEPRINT_H
#define MBS_BLUEPRINT_H

#include "base/name_table.h"
#include "expressions/parse.h"
#include "model/event.h"
#include "model/jump.h"
#include "model/model.h"

// ---- entities and forms ----
typedef enum MbsEntityKind { MBS_ENTITY_POINT, MBS_ENTITY_VECTOR, MBS_ENTITY_SCALAR } MbsEntityKind;

typedef struct MbsEntity {
  const char *name;  // "P1", or "slider.u"
  MbsEntityKind kind;
  bool is_fixed;
  MbsNode value[3];  // of a fixed entity
  double guess[3];   // of a free one: where the assembly starts
} MbsEntity;

// How many coordinates an entity is made of.
static inline int mbs_entity_size(const MbsEntity *entity, int dimension) {
  return entity->kind == MBS_ENTITY_SCALAR ? 1 : dimension;
}

// A term belongs to the body whose point or direction it is part of, so that what a row or force does to each of the
// bodies that share an entity can be told apart.
typedef struct MbsFormTerm {
  int entity;
  int body;  // MBS_NOBODY: the shared entity's own
  MbsNode a, b;
} MbsFormTerm;

typedef struct MbsForm {
  int count;
  const MbsFormTerm *terms;
} MbsForm;

// ---- relative coordinates: the tree of bodies ----
typedef enum MbsMotionKind {
  MBS_MOTION_NONE,
  MBS_MOTION_TURN,   // about an axis of the frame; one coordinate, an angle
  MBS_MOTION_SLIDE,  // along an axis of the frame; one coordinate
  MBS_MOTION_BALL    // any rotation about its origin; four coordinates, Euler parameters
} MbsMotionKind;

enum { MBS_MOST_COORDINATES_OF_MOTION = 4 };

// A frame that stands on another one and then moves against it. Where it belongs to a body it is the body's own.
typedef struct MbsTreeNodeSpec {
  int parent;              // -1: the ground; always before the node itself
  const MbsRecord *joint;  // whose motion it is part of; NULL: of a body that no joint of the tree holds
  MbsNode axes[3][3];  // of the frame before it moves, in the axes of the parent; in the plane the first alone counts
  MbsNode origin[3];   // likewise
  MbsMotionKind kind;
  int axis;    // 0, 1, 2
  int body;    // MBS_NOBODY: none
  int entity;  // of a body: the first of its entities; of a ball: the first of its scalars
  const char *name[MBS_MOST_COORDINATES_OF_MOTION];
  double guess[MBS_MOST_COORDINATES_OF_MOTION];
} MbsTreeNodeSpec;

// ---- references ----
enum {
  MBS_NOBODY = -1,
  MBS_GROUND = 0  // index of the ground among the bodies of the blueprint
};

typedef struct MbsPointReference {
  int body, point;
} MbsPointReference;

// A unit direction fixed in a body, in body axes.
typedef struct MbsDirection {
  int body;
  MbsNode local[3];
} MbsDirection;

typedef struct MbsBlueprintPoint {
  const char *name;
  MbsPlace place;
  MbsNode local[3];
  int group;               // points that joints bring together have the same group
  MbsPointReference next;  // in the group, round
  bool is_placed;          // its coincidence with its group is seen to
} MbsBlueprintPoint;

typedef struct MbsNamedPoint {
  MbsPointReference point;
  int next, last;  // the next one of this name, or -1; of the first one: the last
} MbsNamedPoint;

// A unit vector with a name.
typedef struct MbsBlueprintVector {
  const char *name;
  MbsNode local[3];
} MbsBlueprintVector;

typedef enum MbsBodyKind {
  MBS_BODY_RIGID,
  MBS_BODY_ROD,        // in space: thin, all its points on a line, no orientation about it; inertia xx is normal to it
  MBS_BODY_POINT_MASS  // no inertia, no orientation
} MbsBodyKind;

typedef struct MbsBlueprintBody {
  const char *name;  // "ground" for body 0
  const MbsRecord *record;
  int point_count;
  MbsBlueprintPoint *points;
  int vector_count;
  MbsBlueprintVector *vectors;
  MbsNode mass, com[3];
  MbsNode inertia[6];  // xx yy zz xy xz yz about the centre of mass; in the plane zz alone
  MbsBodyKind kind;
} MbsBlueprintBody;

// A coordinate of the model's own, T = 1/2 inertia rate^2.
typedef struct MbsUserCoordinate {
  const char *name;
  MbsNode inertia, guess;
  int entity;
  bool is_state;    // its rate is a state of first order (first_order.c), and behind it come states alone
  MbsNode initial;  // of a state: that rate at the start
} MbsUserCoordinate;

// What joints make one: points that coincide, or directions that are parallel. Bodies that stand on its entity hold on
// to it without equations; the others by rows, against the entity or against one of them.
typedef struct MbsShared {
  MbsEntityKind kind;
  int entity;  // -1: none
} MbsShared;

// Two directions that a joint makes coincide (same line and sense).
typedef struct MbsDirectionPair {
  MbsDirection a, b;
  const MbsRecord *joint;
  const MbsShared *shared;  // once coordinates are chosen
} MbsDirectionPair;

typedef struct MbsPointPair {
  MbsPointReference a, b;
  const MbsRecord *joint;
  const MbsShared *shared;  // once coordinates are chosen
} MbsPointPair;

// A force and a torque as expressions.
typedef struct MbsWrench {
  MbsExpression force, torque;
} MbsWrench;

// ---- what the numerical code needs ----
// One constraint row: Phi = 0, or nonholonomic A v + b = 0.
typedef enum MbsRowKind {
  MBS_ROW_DOT,        // dot(A, B) - c
  MBS_ROW_COINCIDE,   // component k of A
  MBS_ROW_EXPRESSION  // an expression of positions (and, nonholonomic, velocities), time and parameters
} MbsRowKind;

typedef struct MbsRowSpec {
  MbsRowKind kind;
  const char *name;   // "bar A1: length A-P1"
  const char *owner;  // the body or joint it comes from, for lambda(owner)
  MbsPlace place;
  int body;                 // whose rigidity it is, or MBS_NOBODY: a joint's
  const MbsRecord *joint;   // whose row it is; NULL: not a joint's
  const MbsShared *shared;  // what it makes a body hold on to; NULL: a row of the joint itself
  MbsForm A, B;
  int component;
  MbsNode c;             // constant of a dot row
  MbsNode expression;    // of an expression row
  bool is_nonholonomic;  // the expression is A v + b, linear in velocities: it has no position level
  bool is_driver;        // it prescribes a motion: refused where that motion is not free
  int switched;          // the hidden parameter that says whether it acts; 0: it always does
} MbsRowSpec;

// A vector that must not become shorter than `least`: where it does, an element has no meaning (a wheel that lies
// flat). Or a number that must be positive, of the model's own (condition.c).
typedef struct MbsConditionSpec {
  const char *owner;  // joint "wheel"
  MbsPlace place;
  MbsNode vector[3];  // expressions of positions, time and parameters
  bool is_number;     // vector[0], also of velocities
  double least;
  const char *broken;  // what it means if it does
  bool only_warns;     // the run goes on
  int switched;        // as of a row: the hidden parameter that says whether its joint acts, or 0
} MbsConditionSpec;

// Mass and weight of one body: T = 1/2 sum v_i' (a I + b J)_ij v_j, Q_i = weight vectors. Or of a user coordinate, on
// one scalar.
typedef struct MbsMassSpec {
  int body;        // MBS_NOBODY: of a user coordinate
  bool is_scalar;  // its entities have one component each
  int count;       // of entities
  const int *entities;
  const MbsNode *a, *b;   // count x count, row-major; b antisymmetric
  const MbsNode *weight;  // count x dimension (scalars: count): generalised gravity force
} MbsMassSpec;

struct MbsForceKernel;
struct MbsTable;
// A force on ports: points or directions given by forms. Either a kernel written in C (forces/), or
// expressions of the generalised force of each port component.
typedef struct MbsForceSpec {
  const char *name;
  MbsPlace place;
  const struct MbsForceKernel *kernel;  // NULL: by expressions
  int port_count;
  const MbsForm *ports;
  const int *port_body;   // body each port belongs to
  int coefficient_count;  // of a kernel
  const MbsNode *coefficients;
  const MbsNode *expressions;  // port_count x dimension: generalised force; NULL with a kernel
  MbsNode energy;              // potential energy; MBS_NODE_NONE: none
  bool is_rate;  // that of a state of first order, no force: it does no work, and is no part of projections
} MbsForceSpec;

typedef enum MbsObjectiveKind {
  MBS_OBJECTIVE_IS_INTEGRAL,
  MBS_OBJECTIVE_IS_FINAL,
  MBS_OBJECTIVE_IS_EXTREMUM,     // over the run: simulation/peaks.h
  MBS_OBJECTIVE_IS_EQUILIBRIUM,  // at the start, which is one
  MBS_OBJECTIVE_IS_EIGENVALUE,   // near the start: filled in beside the run (sensitivities/eigenvalue_objectives.h)
  MBS_OBJECTIVE_IS_VALUE
} MbsObjectiveKind;

// What of the run an objective looks at, in a variable that an event sets: objective.c.
typedef struct MbsWatchSpec {
  bool is_there;
  int variable;       // the first of its own, behind those of the model
  MbsNode guard;      // of an event of its own; MBS_NODE_NONE: one of the model
  int direction;      // of the guard
  MbsText text;       // of what is looked at, or the name of an event of the model
  int number;         // of such an event: which one, from 1 on
  bool is_after;      // the state after it
  MbsNode value;      // what the variable is set to
  int event, needed;  // the event that sets it, once events are read, and how often that must happen
} MbsWatchSpec;

typedef struct MbsObjectiveSpec {
  const char *name;
  MbsPlace place;
  MbsObjectiveKind kind;
  MbsNode expression;  // MBS_NODE_NONE: not read yet
  bool is_being_read;
  int sign;  // of an extremum: 1 maximum, -1 minimum
  int part;  // of what is made of others: the first of these, which no model names, behind all others
  MbsWatchSpec watch;
} MbsObjectiveSpec;

// A column of a history: an output of the model, of which a vector is several, or what was asked for besides.
typedef struct MbsOutputSpec {
  const char *name;                // "load"; of a point "P1'", of a frame "frame(rod)"
  const char *unit, *description;  // NULL: none
  MbsPlace place;
  bool is_of_model;
  const char *group;  // that it was listed by, or NULL: "points", "frames", "reactions"
  const char *kind;   // which of these it is in any case; NULL: it is of the model
  int size;
  MbsNode node[3];
  const char *columns[3];  // "load.x", ...
} MbsOutputSpec;

typedef struct MbsIndependentSpec {
  const char *name;  // as written
  MbsPlace place;
  MbsNode coordinate;       // expression of positions
  MbsNode rate, second;     // its time derivatives
  MbsNode value, velocity;  // value MBS_NODE_NONE: as placed, which it becomes once bodies are placed
  bool has_velocity;        // it is written
  bool is_state;            // the scalar of a state of first order, which is not written here
  bool is_chosen;           // not written: chosen to complete those that are, and held as placed
  bool is_held;             // an equilibrium keeps its value: equilibrium.hold
} MbsIndependentSpec;

// Trim: parameters or inputs that an equilibrium is solved for, and as many conditions (trim.c).
typedef struct MbsTrimUnknown {
  const char *name;
  MbsPlace place;
  int parameter;
} MbsTrimUnknown;

typedef struct MbsTrimCondition {
  const char *name;  // as written
  MbsPlace place;
  MbsNode residual;  // zero where it is met
} MbsTrimCondition;

// ---- signals: the inputs of expressions ----
typedef enum MbsSignalKind {
  MBS_SIGNAL_PARAMETER,  // index: parameter
  MBS_SIGNAL_TIME,
  MBS_SIGNAL_POSITION,  // index: signal form, component
  MBS_SIGNAL_VELOCITY,
  MBS_SIGNAL_ACCELERATION,
  MBS_SIGNAL_TURN,        // whole turns added to an angle so that it is continuous; index: turn
  MBS_SIGNAL_MULTIPLIER,  // index: row, component: its kind
  MBS_SIGNAL_BODY_FORCE,  // index: holding, component: see MbsHolding
  MBS_SIGNAL_OBJECTIVE,   // index: objective
  MBS_SIGNAL_TABLE,       // zero; stands for the numbers of a table where it is looked up (expressions/table.h)
  MBS_SIGNAL_ARGUMENT     // index: of MBS_MOST_DERIVATIVES; while d(f, x) is made, and in no expression after that
} MbsSignalKind;

// Which multiplier of a row.
typedef enum MbsMultiplierKind {
  MBS_MULTIPLIER_LAMBDA,  // of the step's equations
  MBS_MULTIPLIER_SIGMA,   // of the velocity projection
  MBS_MULTIPLIER_KAPPA,   // of the acceleration projection
  MBS_MULTIPLIER_TOTAL    // of the balance of forces at the state: reactions
} MbsMultiplierKind;

typedef struct MbsSignal {
  MbsSignalKind kind;
  int index, component;
} MbsSignal;

// The generalised force that a shared entity exerts on a body that stands on it: what is left of the balance
//     M a - Q + Phi_x' lambda
// when the terms of that body alone are counted, at this entity.
typedef struct MbsHolding {
  int body, entity;
} MbsHolding;

typedef struct MbsParameter {
  const char *name;
  MbsText text;
  MbsNode node;     // what the name stands for: graph input i, or the expression of a derived parameter
  double nominal;   // value of an independent one
  bool is_derived;  // an expression of other parameters
} MbsParameter;

// A curve, looked up at a time (and parameters) alone, that goes on beyond its points: a warning is given there.
typedef struct MbsTimedLookup {
  int table;
  MbsNode at;
} MbsTimedLookup;

// A curve or a map.
typedef struct MbsTableSpec {
  const char *name;
  int table;  // of the graph
} MbsTableSpec;

// A number of the model and the field it stands in, for checks and messages.
typedef struct MbsProperty {
  const char *name;  // "spring 1: stiffness"
  MbsText text;
  MbsNode node;
  MbsFieldCheck check;
} MbsProperty;

#define MBS_LIST(type)   \
  struct {               \
    int count, capacity; \
    type *items;         \
  }

typedef struct MbsBlueprint {
  MbsArena *arena;
  const MbsModel *model;
  MbsGraph *graph;
  int dimension;
  MbsNode gravity[3];
  MBS_LIST(MbsParameter) parameters;   // those of the model, then hidden ones, which are zero at first
  int clock;                           // the first of these: what is added to the time; behind it the size of a step
  int target_first;                    // behind these: of the velocities that events set (event.h)
  int target_count;                    // of these, that are taken
  int variable_first, variable_count;  // behind these: variables of the model, and then (at any place) branches
  int input_first, input_count;        // which of the variables the caller sets
  MbsNode *variable_initial;           // of each: its value at the start, an expression of parameters
  int switch_count;                    // right behind variables: of joints that events add or remove, whether they act
  int *switches;                       // by joint: that parameter; 0: it always acts
  MbsNameTable parameter_names;
  MBS_LIST(double) nominal;       // by node of the graph, as far as they were asked for: see mbs_blueprint_nominal
  MBS_LIST(MbsFormula) formulas;  // functions of the model
  MBS_LIST(MbsTableSpec) tables;
  MBS_LIST(MbsTimedLookup) timed_lookups;
  int delta_count;  // of TABLE signals
  MBS_LIST(MbsProperty) properties;
  int checked_count;  // of properties
  MBS_LIST(MbsBlueprintBody) bodies;
  MbsNameTable body_names;                       // their numbers
  MbsNameTable point_names;                      // the first of each name among the following
  MBS_LIST(MbsNamedPoint) named_points;          // all points of all bodies
  MBS_LIST(MbsUserCoordinate) user_coordinates;  // and behind them those of states
  int state_count;
  int group_count;  // of points
  MBS_LIST(MbsPointPair) point_pairs;
  MBS_LIST(MbsDirectionPair) direction_pairs;
  MBS_LIST(MbsDirectionPair) senses;  // directions that other equations make parallel, and that have the same sense
  MBS_LIST(MbsPointPair) switched_points;  // of joints that events add or remove, apart from the others
  MBS_LIST(MbsDirectionPair) switched_directions;
  MbsShared *shared;  // by point group, then by class of directions; once coordinates are chosen
  int shared_count;
  MBS_LIST(MbsEntity) entities;
  MBS_LIST(MbsTreeNodeSpec) tree;  // relative coordinates, each subtree together; none: natural coordinates
  MBS_LIST(MbsRowSpec) rows;
  MBS_LIST(MbsConditionSpec) conditions;
  MBS_LIST(MbsMassSpec) masses;
  MBS_LIST(MbsForceSpec) forces;
  bool has_all_forces;                        // they are read: expressions may ask for their energy
  MBS_LIST(MbsIndependentSpec) independents;  // of the start
  MBS_LIST(MbsIndependentSpec) chosen;        // of matrix-r, where they are others
  MBS_LIST(MbsObjectiveSpec) objectives;      // those of the model, then their parts
  struct {
    MBS_LIST(MbsTrimUnknown) unknowns;
    MBS_LIST(MbsTrimCondition) conditions;
  } trim;  // empty, where no equilibrium is looked for
  MBS_LIST(MbsOutputSpec) outputs;
  MBS_LIST(MbsEventSpec) events;  // those of the model, then those of branches
  MBS_LIST(MbsBranchSpec) branches;
  bool has_positions_alone;     // constraints are only looked at, and by their first derivatives: kinematics/start.h
  bool has_plain_matrix;        // relative coordinates: see mbs_system_has_tangent
  bool keeps_jumps;             // while reading: what jumps is taken as it is
  MbsKinks law_kinks;           // at which steps end: those of forces and integrands
  MbsKinks kinks;               // while reading: the same of the expression, unless it prescribes a motion
  MBS_LIST(MbsJumpSpec) jumps;  // expressions of what moves that jump
  int wanted_objective;         // while reading: the one that an objective's expression waits for, or -1
  MBS_LIST(MbsSignal) signals;  // by graph input
  int signal_slot_count;
  int *signal_slots;  // by hash: see signals.c
  MBS_LIST(MbsForm) signal_forms;
  int form_slot_count;
  int *form_slots;                     // likewise
  MBS_LIST(MbsHolding) holdings;       // of BODY_FORCE signals
  struct MbsReactionIndex *reactions;  // NULL while nobody asked for one; see reaction.c
  MbsWrench *tree_loads;               // likewise, of relative coordinates: by node of the tree
  int time_input;                      // graph input of t, or -1 while nothing uses it
  MBS_LIST(MbsNode) turns;             // principal value of each angle that turns
  // the form of a local point or direction of a body, by the coordinates in use
  MbsStatus (*place)(MbsContext *context, struct MbsBlueprint *blueprint, int body, const MbsNode local[3],
                     bool is_point, MbsForm *form);
  MbsStatus (*place_point)(MbsContext *context, struct MbsBlueprint *blueprint, MbsPointReference point, MbsForm *form);
  void *coordinates;               // of the coordinates in use
  struct MbsPlacement *placement;  // where the bodies are placed: coordinates/placement.h
} MbsBlueprint;

// Appends an item to a list of the blueprint (or returns MBS_ERROR_MEMORY).
#define MBS_APPEND(context, arena, list, ...)                                     \
  do {                                                                            \
    MBS_GROW((context), (arena), (list)->items, (list)->count, (list)->capacity); \
    (list)->items[(list)->count++] = (__VA_ARGS__);                               \
  } while (0)

// ---- reading numbers and names (blueprint.c) ----
// parameters, bodies, points, gravity; joints, forces and the rest follow once coordinates are chosen
MbsStatus mbs_blueprint_create(MbsContext *context, MbsArena *arena, const MbsModel *model, MbsBlueprint **blueprint);
// A property: an expression of parameters. `owner` names the element in messages.
// ---- parameters.c ----
MbsStatus mbs_parameters_read(MbsContext *context, MbsBlueprint *blueprint);
int mbs_parameters_find(const MbsBlueprint *blueprint, const char *name);  // -1: there is none
// an expression of parameters, and one whose value is a vector
MbsStatus mbs_parameters_parse(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                               MbsNode *node);
MbsStatus mbs_parameters_parse_vector(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                                      MbsExpression *vector);
// The parameter that is a component of a hardpoint, P.x; -1: there is no such hardpoint.
int mbs_hardpoint_find(const MbsBlueprint *blueprint, const char *name, int component);

// ---- functions of the model (formula.c) ----
MbsStatus mbs_formulas_read(MbsContext *context, MbsBlueprint *blueprint);
const MbsFormula *mbs_formula_find(const MbsBlueprint *blueprint, const char *name);  // NULL: there is none
// Offers their names as the nearest to one that is not known (base/names.h).
void mbs_formula_nearest(const MbsBlueprint *blueprint, const char *name, const char **nearest);
// "f(x, y)"; false: *trouble says what is wrong with it
bool mbs_formula_read_key(MbsArena *arena, const char *key, MbsFormula *formula, const char **trouble);
// What expressions have of the model (words.c): its argument is the blueprint.
extern const MbsModelWords mbs_blueprint_words;
// An input for d(): MbsModelWords.
MbsStatus mbs_signal_argument(MbsContext *context, MbsBlueprint *blueprint, int index, int *input);

MbsStatus mbs_blueprint_number(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsField *field,
                               MbsText text, MbsNode *node);
MbsStatus mbs_blueprint_vector(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsField *field,
                               const MbsValue *value, MbsNode node[3]);
MbsStatus mbs_blueprint_find_point(MbsContext *context, const MbsBlueprint *blueprint, const char *owner, MbsText name,
                                   MbsPointReference *point);
MbsStatus mbs_blueprint_find_body(MbsContext *context, const MbsBlueprint *blueprint, const char *owner, MbsText name,
                                  int *body);
// "A1.P1"; NULL: out of memory
const char *mbs_blueprint_point_name(const MbsBlueprint *blueprint, MbsPointReference point);
// "P1" where every point of that name is in one group, else "A1.P1"; NULL: out of memory
const char *mbs_blueprint_short_name(const MbsBlueprint *blueprint, MbsPointReference point);
// Do joints bring these points together?
bool mbs_blueprint_is_same_point(const MbsBlueprint *blueprint, MbsPointReference a, MbsPointReference b);
// Values of nodes that depend on parameters alone, at their nominal values.
MbsStatus mbs_blueprint_nominal(MbsContext *context, MbsBlueprint *blueprint, int count, const MbsNode *nodes,
                                double *values);
// The same of one node; *moves: it has none, for it depends on more than parameters.
MbsStatus mbs_blueprint_nominal_number(MbsContext *context, MbsBlueprint *blueprint, MbsNode node, bool *moves,
                                       double *value);
// Is every property read so far a finite number that passes the check of its field?
MbsStatus mbs_blueprint_check_properties(MbsContext *context, MbsBlueprint *blueprint);
// All of them once more, at other values of the parameters.
MbsStatus mbs_blueprint_check_again(MbsContext *context, MbsBlueprint *blueprint);

// ---- shape.c ----
// Of reports: only whether they are right.
MbsStatus mbs_shapes_check(MbsContext *context, MbsBlueprint *blueprint);

// ---- tables.c ----
// After the parameters.
MbsStatus mbs_tables_read(MbsContext *context, MbsBlueprint *blueprint);
// NULL: there is none.
const MbsTableSpec *mbs_table_find(const MbsBlueprint *blueprint, const char *name, int *argument_count);
void mbs_table_nearest(const MbsBlueprint *blueprint, const char *name, const char **nearest);
// A table at some arguments, as an expression.
MbsStatus mbs_table_apply(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsPlace place,
                          const MbsTableSpec *spec, const MbsExpression *arguments, MbsExpression *value);

// Adds a table whose numbers are there to the graph.
MbsStatus mbs_table_finish(MbsContext *context, MbsBlueprint *blueprint, struct MbsTable *table, int *index);

// ---- table_pieces.c: tables of the graph, by their pieces ----
// The number of the piece in which x is along an axis, not whole: floor() of it is. MBS_NODE_NONE: there is but one.
MbsStatus mbs_table_number(MbsContext *context, MbsBlueprint *blueprint, int index, int axis, MbsNode x,
                           MbsNode *number);
// Is this such a number? And how far what it is looked up at is beyond where that is the whole number b.
bool mbs_table_is_counter(const MbsBlueprint *blueprint, MbsNode node);
MbsNode mbs_table_distance(MbsBlueprint *blueprint, MbsNode counter, MbsNode b);
// A table, differentiated as often as `order` says, at x (and y), as the polynomial of the pieces with these numbers.
// MBS_NODE_NONE: that axis is as it is.
MbsNode mbs_table_hold(MbsBlueprint *blueprint, int index, const int order[2], const MbsNode at[2],
                       const MbsNode piece[2]);

// ---- connecting (joints) ----
MbsStatus mbs_blueprint_join_points(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                    MbsPointReference a, MbsPointReference b);
MbsStatus mbs_blueprint_join_directions(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint,
                                        MbsDirection a, MbsDirection b);

// Of what a joint's other equations make parallel: the two point the same way, not against each other.
MbsStatus mbs_blueprint_add_sense(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *joint, MbsDirection a,
                                  MbsDirection b);

// ---- forms (form.c) ----
MbsStatus mbs_form_of_entity(MbsContext *context, MbsBlueprint *blueprint, int entity, int body, MbsForm *form);
// scale_a A + scale_b B, terms of the same body on the same entity collected; structural zeros dropped
MbsStatus mbs_form_combine(MbsContext *context, MbsBlueprint *blueprint, MbsNode scale_a, const MbsForm *A,
                           MbsNode scale_b, const MbsForm *B, MbsForm *form);
MbsStatus mbs_form_subtract(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *A, const MbsForm *B,
                            MbsForm *form);
// J A, plane only
MbsStatus mbs_form_turn(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *A, MbsForm *form);
// The terms that belong to one body.
MbsStatus mbs_form_of_body(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *A, int body, MbsForm *form);
// The same terms, of the same bodies; or (is_equal) of whichever bodies.
bool mbs_form_is_same(const MbsForm *A, const MbsForm *B);
bool mbs_form_is_equal(const MbsForm *A, const MbsForm *B);
// form of a point of a body, or of a direction
MbsStatus mbs_form_of_point(MbsContext *context, MbsBlueprint *blueprint, MbsPointReference point, MbsForm *form);
MbsStatus mbs_form_of_direction(MbsContext *context, MbsBlueprint *blueprint, const MbsDirection *direction,
                                MbsForm *form);

// ---- directions (direction.c) ----
// A direction field as a unit direction of a body. Where it is a name, the vector is that of body `named_on`.
MbsStatus mbs_direction_read(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsField *field,
                             const MbsValue *value, int named_on, int body, MbsDirection *direction);
// u or -u, the name of a vector, rather than an expression?
bool mbs_direction_is_name(const char *text);
// The named unit vectors of a body.
MbsStatus mbs_direction_read_vectors(MbsContext *context, MbsBlueprint *blueprint, const MbsValue *vectors,
                                     MbsBlueprintBody *body);
// "arm.u" or "ground.u"
MbsStatus mbs_direction_find(MbsContext *context, const MbsBlueprint *blueprint, const char *owner, MbsText name,
                             MbsDirection *direction);
// The body's own axis 0, 1 or 2.
MbsDirection mbs_direction_axis(MbsGraph *graph, int body, int axis);
// a x b, in the body of a
void mbs_direction_cross(MbsGraph *graph, const MbsDirection *a, const MbsDirection *b, MbsDirection *c);
// The right-handed frame with axis 0 along u and axis 1 in the half plane of u and `side`, in the same body; space
// only. The square of the sine of the angle between the two, where it is of interest, is a node too.
void mbs_direction_frame(MbsGraph *graph, const MbsDirection *u, const MbsDirection *side, MbsDirection axes[3],
                         MbsNode *square);
// Two unit directions that make a right-handed frame with u, in the same body; space only.
MbsStatus mbs_direction_normals(MbsContext *context, MbsBlueprint *blueprint, const MbsDirection *u,
                                MbsDirection normals[2]);

// ---- coordinates of the model's own (user_coordinate.c) ----
// After the parameters: names and numbers.
MbsStatus mbs_user_coordinates_read(MbsContext *context, MbsBlueprint *blueprint);
// Their entities and masses, once the coordinates of the bodies are chosen.
MbsStatus mbs_user_coordinates_add(MbsContext *context, MbsBlueprint *blueprint);
// Index by name, or -1.
int mbs_user_coordinate_find(const MbsBlueprint *blueprint, const char *name);
// Offers their names as the nearest to one that is not known (base/names.h).
void mbs_user_coordinate_nearest(const MbsBlueprint *blueprint, const char *name, const char **nearest);
// Its value, rate or acceleration, by the kind: MBS_SIGNAL_POSITION, ...
MbsStatus mbs_user_coordinate_signal(MbsContext *context, MbsBlueprint *blueprint, int index, MbsSignalKind kind,
                                     MbsNode *node);

// ---- states of first order (first_order.c) ----
bool mbs_model_has_state(const MbsModel *model, const char *name);
// With the coordinates of the model's own, behind them; their rates, once all coordinates are there.
MbsStatus mbs_states_read(MbsContext *context, MbsBlueprint *blueprint);
MbsStatus mbs_states_add_rates(MbsContext *context, MbsBlueprint *blueprint);
// Among the independent coordinates of the start; or among those that settings choose for matrix-r.
MbsStatus mbs_states_hold(MbsContext *context, MbsBlueprint *blueprint, bool is_chosen);
// Index among the user coordinates by name, or -1; its value is that one's MBS_SIGNAL_VELOCITY.
int mbs_state_find(const MbsBlueprint *blueprint, const char *name);
void mbs_state_nearest(const MbsBlueprint *blueprint, const char *name, const char **nearest);

// ---- signals (signals.c) ----
// Total time derivative of an expression of positions, velocities, time and parameters. Of what is neither
// (accelerations, reactions) there is none: mbs_signal_level first.
MbsStatus mbs_signal_rate(MbsContext *context, MbsBlueprint *blueprint, MbsNode node, MbsNode *rate);
// The highest derivative in time that an expression has in it: 0 positions, 1 velocities, 2 accelerations; 3: more than
// these, what is solved for.
MbsStatus mbs_signal_level(MbsContext *context, const MbsBlueprint *blueprint, MbsNode node, int *level);
// The graph input of a signal, made if it is new.
MbsStatus mbs_signal_add(MbsContext *context, MbsBlueprint *blueprint, MbsSignal signal, MbsNode *node);
// The table by which they are found, anew.
void mbs_signals_index(MbsBlueprint *blueprint);
// The time as expressions see it: what the state says, and the clock, which is zero.
MbsStatus mbs_signal_time(MbsContext *context, MbsBlueprint *blueprint, MbsNode *node);
// position, velocity or acceleration of a form as an expression; of a scalar's form of size 1, and zero beyond
MbsStatus mbs_signal_of_form(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *form, MbsSignalKind kind,
                             MbsExpression *value);
// atan2(y, x), continuous over many turns
MbsStatus mbs_signal_turning(MbsContext *context, MbsBlueprint *blueprint, MbsNode y, MbsNode x, MbsNode *angle);
// angle of a planar direction, continuous over many turns
MbsStatus mbs_signal_angle(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *direction, MbsNode *angle);

// ---- signals by name (signal_scope.c) ----
// What expressions may name, for `list`; ends with a NULL name.
extern const MbsFunctionHelp mbs_signal_help[];
// Is there a signal with arguments of this name: r, angle, ...?
bool mbs_signal_has_function(const char *name);
// Which signals an expression may use.
typedef enum MbsSignalUse {
  MBS_USE_POSITION = 1,
  MBS_USE_VELOCITY = 2,
  MBS_USE_ACCELERATION = 4,
  MBS_USE_TIME = 8,
  MBS_USE_MULTIPLIERS = 16,
  MBS_USE_OBJECTIVES = 32,
  MBS_USE_PRESCRIBING = 64,  // a position is prescribed by it: its kinks are events, as its jumps are
  MBS_USE_NO_STATES = 256,   // velocities, but no states of first order: a constraint
  MBS_USE_BALANCED = 128     // lambda() is that of the balance of forces at the state, not of the step's equations
} MbsSignalUse;
// Names with a meaning only in this expression (length and rate of a spring law).
typedef struct MbsLocalName {
  const char *name;
  MbsNode node;
} MbsLocalName;
MbsStatus mbs_signal_parse(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text, int size,
                           unsigned use, int local_count, const MbsLocalName *locals, MbsExpression *value);

// ---- jumps (jump.c) ----
// Does the node depend on time or the state, and is that time alone?
MbsStatus mbs_jump_dependence(MbsContext *context, const MbsBlueprint *blueprint, MbsNode node, bool *is_guard,
                              bool *is_fixed);
// Branches in the place of what jumps, and of kinks if wanted (branch.c).
MbsStatus mbs_branches_replace(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text,
                               MbsKinks kinks, MbsExpression *value);
// The same of all forces, whose laws may have kinks of their own.
MbsStatus mbs_branches_of_forces(MbsContext *context, MbsBlueprint *blueprint);
// Lists an expression among those that jump, if it does. use: what it may use, which says what it is for; owner must
// last.
MbsStatus mbs_jumps_find(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsText text, unsigned use,
                         const MbsExpression *value);

// ---- joints that come and go (joint_switch.c) ----
enum { MBS_MOST_SWITCHES = 64 };  // which of them act is a number of so many bits
// With the parameters.
MbsStatus mbs_switches_read(MbsContext *context, MbsBlueprint *blueprint);
// What an event does to them.
MbsStatus mbs_event_read_switches(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record,
                                  MbsEventSpec *event);
// The hidden parameter that says whether a joint acts; 0: it always does.
int mbs_switch_of(const MbsBlueprint *blueprint, const MbsRecord *joint);
bool mbs_switch_acts_at_start(const MbsBlueprint *blueprint, const MbsRecord *joint);
// When all rows are there: those of such joints.
void mbs_switches_mark_rows(MbsBlueprint *blueprint);

// ---- events (event.c) ----
// How many velocities they set: as many hidden parameters they need.
int mbs_events_count_jumps(const MbsModel *model);
// d/dt of its guard, if that is known.
MbsStatus mbs_event_find_rate(MbsContext *context, MbsBlueprint *blueprint, MbsEventSpec *event);
// After everything else. has_end: that of the settings is the model's, which may depend on parameters.
MbsStatus mbs_events_read(MbsContext *context, MbsBlueprint *blueprint, bool has_end);

// ---- objectives (objective.c) ----
// How many variables they need to look at things, with the values of these at the start.
int mbs_objectives_count_variables(const MbsModel *model);
void mbs_objectives_begin_variables(MbsBlueprint *blueprint, int first);
// first the list of all, then each (those that refer to others read them on the way)
MbsStatus mbs_blueprint_list_objectives(MbsContext *context, MbsBlueprint *blueprint);
MbsStatus mbs_blueprint_read_objective(MbsContext *context, MbsBlueprint *blueprint, int index);
// Once the events of the model are there: what sets their variables.
MbsStatus mbs_objectives_watch(MbsContext *context, MbsBlueprint *blueprint);

// ---- where the model holds (validity.c) ----
MbsStatus mbs_validity_read(MbsContext *context, MbsBlueprint *blueprint);

// ---- outputs (output.c) ----
// Reads those of the model, and keeps them if wanted; then adds what is no output, coordinate or objective of what
// `columns` lists: points and frames. NULL: nothing.
MbsStatus mbs_outputs_read(MbsContext *context, MbsBlueprint *blueprint, bool is_wanted, const char *columns);
// Does a word of that list (its first `length` letters) mean a column? Both may end in marks ' of rates, as many; in
// the word * stands for any letters, and the name of a vector for all its components.
bool mbs_column_is_meant(const char *word, size_t length, const char *column);
// Offers points and frames as the nearest to a column that is not known (base/names.h).
MbsStatus mbs_column_nearest(MbsContext *context, const MbsBlueprint *blueprint, const char *name,
                             const char **nearest);

#endif
