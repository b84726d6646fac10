// The sections of a model file and their fields: the whole language apart from joints and forces.
#include "model/model.h"

static const MbsField parameter_fields[] = {
    [MBS_PARAMETER_VALUE] = {"value", MBS_FIELD_NUMBER, .is_required = true,
                             .summary = "a number, an expression of other parameters, or a list: an array"},
    [MBS_PARAMETER_LOWER] = {"lower", MBS_FIELD_NUMBER, .summary = "in an optimisation it stays above this"},
    [MBS_PARAMETER_UPPER] = {"upper", MBS_FIELD_NUMBER, .summary = "and below this"},
    [MBS_PARAMETER_SCALE] = {"scale", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE,
                             .summary = "how much of it is a large change (default: what lies between the bounds, or "
                                        "its size)"},
    [MBS_PARAMETER_DISTRIBUTION] = {"distribution", MBS_FIELD_TEXT,
                                    .summary = "what is known of it, for a sweep: normal(100, 5), uniform(90, 110), "
                                               "..."},
};
static const MbsRecordType parameter_type = {"parameter", "a named number, with the range that it may have in a design",
                                             MBS_COUNT(parameter_fields), parameter_fields};

static const MbsField ground_fields[] = {
    [MBS_GROUND_POINTS] = {"points", MBS_FIELD_VECTOR_MAP, .mirror = MBS_MIRROR_POSITION, .unit = "m",
                           .summary = "fixed points, by name"},
    [MBS_GROUND_VECTORS] = {"vectors", MBS_FIELD_VECTOR_MAP, .check = MBS_CHECK_NOT_ZERO,
                            .summary = "fixed directions, by name (any length but zero): unit vectors"},
};
static const MbsRecordType ground_type = {"ground", "what does not move", MBS_COUNT(ground_fields), ground_fields};

static const MbsField body_fields[] = {
    [MBS_BODY_MASS] = {"mass", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .default_text = "0", .unit = "kg",
                       .summary = "mass"},
    [MBS_BODY_COM] = {"com", MBS_FIELD_VECTOR, .default_text = "0", .unit = "m",
                      .summary = "centre of mass in body axes"},
    [MBS_BODY_INERTIA] = {"inertia", MBS_FIELD_INERTIA, .check = MBS_CHECK_NOT_NEGATIVE, .unit = "kg m2",
                          .summary =
                              "moment of inertia about the centre of mass; in space [xx, yy, zz] or [xx, yy, zz, "
                              "xy, xz, yz] (xy = -integral of x y dm) in body axes, or one number for a thin rod; a "
                              "body without it is a point mass"},
    [MBS_BODY_POINTS] = {"points", MBS_FIELD_VECTOR_MAP, .unit = "m", .summary = "points in body axes, by name"},
    [MBS_BODY_VECTORS] = {"vectors", MBS_FIELD_VECTOR_MAP, .check = MBS_CHECK_NOT_ZERO,
                          .summary = "directions in body axes, by name (any length but zero): unit vectors"},
    [MBS_BODY_POSITION] = {"position", MBS_FIELD_VECTOR, .mirror = MBS_MIRROR_POSITION, .unit = "m",
                           .summary = "where to start the assembly: position of the body's origin"},
    [MBS_BODY_ANGLE] = {"angle", MBS_FIELD_NUMBER, .mirror = MBS_MIRROR_ANGULAR, .unit = "rad",
                        .summary = "where to start the assembly, in the plane: angle of the body's x axis"},
    [MBS_BODY_ROTATION] = {"rotation", MBS_FIELD_VECTOR, .mirror = MBS_MIRROR_ANGULAR, .unit = "rad",
                           .summary = "where to start the assembly, in space: rotation vector of the body's axes"},
};
static const MbsRecordType body_type = {"body", "a rigid body or a point mass", MBS_COUNT(body_fields), body_fields};

static const MbsField coordinate_fields[] = {
    [MBS_COORDINATE_INERTIA] = {"inertia", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE, .default_text = "0",
                                .summary = "J of its kinetic energy 1/2 J rate^2; zero where a constraint determines "
                                           "the coordinate"},
    [MBS_COORDINATE_GUESS] = {"guess", MBS_FIELD_NUMBER, .default_text = "0",
                              .summary = "where to start the assembly: its value"},
};
static const MbsRecordType coordinate_type = {"coordinate", "a coordinate of the model's own: a number that moves",
                                              MBS_COUNT(coordinate_fields), coordinate_fields};

static const MbsField state_fields[] = {
    [MBS_STATE_RATE] = {"rate", MBS_FIELD_SIGNAL, .is_required = true,
                        .summary = "its rate: an expression of positions, velocities, states, t and parameters"},
    [MBS_STATE_INITIAL] = {"initial", MBS_FIELD_NUMBER, .default_text = "0", .summary = "its value at the start"},
};
static const MbsRecordType state_type = {"state", "a state of first order: a number whose rate is given",
                                         MBS_COUNT(state_fields), state_fields};

static const MbsField jump_fields[] = {
    [MBS_JUMP_COORDINATE] = {"coordinate", MBS_FIELD_SIGNAL, .is_required = true,
                             .summary = "a function of the position, such as r(P2).y"},
    [MBS_JUMP_VELOCITY] = {"velocity", MBS_FIELD_SIGNAL, .is_required = true,
                           .summary = "its rate after the event, an expression of the state before it"},
};
static const MbsRecordType jump_type = {"velocity", "a rate that an event sets", MBS_COUNT(jump_fields), jump_fields};

static const MbsField friction_fields[] = {
    [MBS_FRICTION_COEFFICIENT] = {"coefficient", MBS_FIELD_NUMBER, .is_required = true, .check = MBS_CHECK_NOT_NEGATIVE,
                                  .summary = "Coulomb's: the friction impulse is at most this times the normal one"},
    [MBS_FRICTION_ALONG] = {"along", MBS_FIELD_SIGNAL, .is_required = true,
                            .summary = "a function of the position whose rate is the velocity of slip, such as r(P).x"},
};
static const MbsRecordType friction_type = {"friction", "friction in an impact", MBS_COUNT(friction_fields),
                                            friction_fields};

static const MbsField event_fields[] = {
    [MBS_EVENT_WHEN] = {"when", MBS_FIELD_SIGNAL, .is_required = true,
                        .summary = "the guard: the event happens where this expression of positions, velocities and "
                                   "time passes zero"},
    [MBS_EVENT_DIRECTION] = {"direction", MBS_FIELD_CHOICE, .default_text = "both",
                             .choices = (const char *const[]){"both", "falling", "rising", NULL},
                             .summary = "which way the guard passes zero"},
    [MBS_EVENT_VELOCITIES] = {"velocities", MBS_FIELD_RECORD_LIST, .record = &jump_type,
                              .summary = "rates that the event sets; all other velocities follow from constraints and "
                                         "masses"},
    [MBS_EVENT_RESTITUTION] = {"restitution", MBS_FIELD_NUMBER, .check = MBS_CHECK_NOT_NEGATIVE,
                               .summary = "an impact: the guard is a gap, whose rate becomes minus this times what it "
                                          "was, by an impulse along the gap"},
    [MBS_EVENT_LAW] = {"law", MBS_FIELD_CHOICE, .default_text = "newton",
                       .choices = (const char *const[]){"newton", "poisson", "energetic", NULL},
                       .summary = "what restitution is the ratio of, between the second part of an impact and the "
                                  "first: rates of the gap, normal impulses, or (its square) work of the normal "
                                  "impulse; without friction all three are the same"},
    [MBS_EVENT_FRICTION] = {"friction", MBS_FIELD_RECORD_LIST, .record = &friction_type,
                            .summary = "friction in the impact, with the law poisson or energetic; one direction"},
    [MBS_EVENT_SET] =
        {"set", MBS_FIELD_SIGNAL_MAP,
         .summary = "variables and states that the event sets, each to an expression of what is there before it"},
    [MBS_EVENT_ADD] = {"add", MBS_FIELD_JOINT_NAMES,
                       .summary = "joints that act from there on, whose points and directions must be in place; an "
                                  "impulse brings velocities to what they allow"},
    [MBS_EVENT_REMOVE] = {"remove", MBS_FIELD_JOINT_NAMES, .summary = "joints that do not act from there on"},
    [MBS_EVENT_STOP] = {"stop", MBS_FIELD_CHOICE, .default_text = "no",
                        .choices = (const char *const[]){"no", "yes", NULL}, .summary = "yes: the run ends there"},
};
static const MbsRecordType event_type = {"event", "what happens where an expression passes zero",
                                         MBS_COUNT(event_fields), event_fields};

static const MbsField table_fields[] = {
    [MBS_TABLE_X] = {"x", MBS_FIELD_NUMBER_LIST, .is_required = true,
                     .summary = "points, numbers that increase; with file: a column, by its name or number"},
    [MBS_TABLE_Y] = {"y", MBS_FIELD_NUMBER_LIST, .is_required = true,
                     .summary = "ordinates, one for each x: expressions of parameters, or the name of an array of "
                                "parameters; of a map its points along the second argument"},
    [MBS_TABLE_Z] = {"z", MBS_FIELD_NUMBER_ROWS,
                     .summary = "of a map: its ordinates, for each x a list with one for each y"},
    [MBS_TABLE_KIND] = {"kind", MBS_FIELD_CHOICE, .default_text = "linear",
                        .choices = (const char *const[]){"linear", "akima", "monotone", "spline", "step", NULL},
                        .summary = "what is between the points: lines, cubics by Akima's, by monotone or by spline "
                                   "slopes, or steps (each ordinate holds from its x on)"},
    [MBS_TABLE_OUTSIDE] = {"outside", MBS_FIELD_CHOICE, .default_text = "error",
                           .choices = (const char *const[]){"error", "hold", "linear", NULL},
                           .summary = "what is beyond the ends: a run that goes there fails, or the ordinate at the "
                                      "end holds, or the curve goes on in a straight line"},
    [MBS_TABLE_PERIODIC] = {"periodic", MBS_FIELD_NUMBER, .summary = "period of x: the curve goes around"},
    [MBS_TABLE_FILE] = {"file", MBS_FIELD_TEXT, .summary = "CSV file with the columns, beside the model"},
};
static const MbsRecordType table_type = {"table", "a curve y(x) or a map z(x, y) given by points",
                                         MBS_COUNT(table_fields), table_fields};

static const MbsField independent_fields[] = {
    [MBS_INDEPENDENT_COORDINATE] = {"coordinate", MBS_FIELD_SIGNAL, .is_required = true,
                                    .summary =
                                        "a function of the position, such as r(P2).x, angle(A1) or distance(A, P2)"},
    [MBS_INDEPENDENT_VALUE] = {"value", MBS_FIELD_NUMBER,
                               .summary =
                                   "its value at the start (default: as bodies, points and coordinates are placed)"},
    [MBS_INDEPENDENT_VELOCITY] = {"velocity", MBS_FIELD_NUMBER, .default_text = "0",
                                  .summary = "its rate at the start"},
};
static const MbsRecordType independent_type = {"independent coordinate", "fixes one degree of freedom at the start",
                                               MBS_COUNT(independent_fields), independent_fields};

static const MbsField initial_fields[] = {
    [MBS_INITIAL_POINTS] = {"points", MBS_FIELD_VECTOR_MAP, .mirror = MBS_MIRROR_POSITION, .unit = "m",
                            .summary = "where to start the assembly: positions of points"},
    [MBS_INITIAL_INDEPENDENT] = {"independent", MBS_FIELD_RECORD_LIST, .record = &independent_type,
                                 .summary = "independent coordinates, at most as many as degrees of freedom "
                                            "(default: the rest is held as placed, at rest)"},
    [MBS_INITIAL_INACTIVE] = {"inactive", MBS_FIELD_JOINT_NAMES,
                              .summary = "joints that do not act yet, and that events add"},
    [MBS_INITIAL_EQUILIBRIUM] = {"equilibrium", MBS_FIELD_CHOICE, .default_text = "no",
                                 .choices = (const char *const[]){"no", "yes", NULL},
                                 .summary = "yes: the start is where all forces balance; independent coordinates say "
                                            "where it is looked for, and keep their rates"},
};
static const MbsRecordType initial_type = {"initial", "the state at the start", MBS_COUNT(initial_fields),
                                           initial_fields};

static const MbsField hold_fields[] = {
    [MBS_HOLD_COORDINATE] = {"coordinate", MBS_FIELD_SIGNAL, .is_required = true,
                             .summary = "a function of the position that stays as it is at the start, such as "
                                        "r(car.O).x"},
};
static const MbsRecordType hold_type = {"held coordinate", "what an equilibrium leaves where it is",
                                        MBS_COUNT(hold_fields), hold_fields};

static const MbsField trim_condition_fields[] = {
    [MBS_CONDITION_EXPRESSION] = {"expression", MBS_FIELD_SIGNAL, .is_required = true,
                                  .summary = "of positions, forces, reactions and parameters: what has the value in "
                                             "equilibrium"},
    [MBS_CONDITION_VALUE] = {"value", MBS_FIELD_NUMBER, .default_text = "0", .summary = "that it has"},
};
static const MbsRecordType trim_condition_type = {"trim condition", "what an equilibrium is to meet besides",
                                                  MBS_COUNT(trim_condition_fields), trim_condition_fields};

static const MbsField equilibrium_fields[] = {
    [MBS_EQUILIBRIUM_HOLD] = {"hold", MBS_FIELD_RECORD_LIST, .record = &hold_type,
                              .summary = "coordinates that stay as they are at the start, which must take no force"},
    [MBS_EQUILIBRIUM_STEADY] = {"steady", MBS_FIELD_CHOICE, .default_text = "no",
                                .choices = (const char *const[]){"no", "yes", NULL},
                                .summary = "yes: a steady motion, in which the rates of the start's independent "
                                           "coordinates are constant; no: they are zero"},
    [MBS_EQUILIBRIUM_SOLVE] = {"solve", MBS_FIELD_NUMBER_LIST,
                               .summary = "trim: parameters or inputs, by names, that are found too; their values in "
                                          "the file are where the search begins"},
    [MBS_EQUILIBRIUM_CONDITIONS] = {"conditions", MBS_FIELD_RECORD_LIST, .record = &trim_condition_type,
                                    .summary = "of solve: as many conditions, which determine them"},
};
static const MbsRecordType equilibrium_type = {"equilibrium", "where all forces balance", MBS_COUNT(equilibrium_fields),
                                               equilibrium_fields};

static const MbsField objective_fields[] = {
    [MBS_OBJECTIVE_INTEGRAL] = {"integral", MBS_FIELD_SIGNAL, .summary = "integral over time of this expression"},
    [MBS_OBJECTIVE_FINAL] = {"final", MBS_FIELD_SIGNAL, .summary = "this expression at the end"},
    [MBS_OBJECTIVE_VALUE] = {"value", MBS_FIELD_SIGNAL,
                             .summary = "an expression of parameters and of other objectives"},
    [MBS_OBJECTIVE_RMS] = {"rms", MBS_FIELD_SIGNAL,
                           .summary = "root mean square of this expression over the run, sqrt(1/T integral x^2)"},
    [MBS_OBJECTIVE_PNORM] =
        {"pnorm", MBS_FIELD_SIGNAL,
         .summary = "(1/T integral abs(x)^p)^(1/p): with a large p a smooth measure of the largest abs(x)"},
    [MBS_OBJECTIVE_P] = {"p", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE, .default_text = "8",
                         .summary = "of pnorm: the exponent"},
    [MBS_OBJECTIVE_VIOLATION] = {"violation", MBS_FIELD_SIGNAL,
                                 .summary = "integral of the square by which this expression is above, or below, a "
                                            "limit"},
    [MBS_OBJECTIVE_ABOVE] = {"above", MBS_FIELD_SIGNAL, .summary = "of violation: the limit that is not to be passed"},
    [MBS_OBJECTIVE_BELOW] = {"below", MBS_FIELD_SIGNAL, .summary = "of violation: the limit that is to be kept up to"},
    [MBS_OBJECTIVE_MAXIMUM] = {"maximum", MBS_FIELD_SIGNAL,
                               .summary = "largest value over the run of this expression, between steps too"},
    [MBS_OBJECTIVE_MINIMUM] = {"minimum", MBS_FIELD_SIGNAL, .summary = "the smallest, likewise"},
    [MBS_OBJECTIVE_AT] = {"at", MBS_FIELD_SIGNAL, .summary = "this expression at a time, or at an event"},
    [MBS_OBJECTIVE_TIME] = {"time", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE, .unit = "s",
                            .summary = "of at: when; may depend on parameters"},
    [MBS_OBJECTIVE_EVENT] = {"event", MBS_FIELD_TEXT, .summary = "of at: the name of an event"},
    [MBS_OBJECTIVE_EVENT_TIME] = {"event_time", MBS_FIELD_TEXT, .summary = "the time of an event, by name"},
    [MBS_OBJECTIVE_NUMBER] = {"number", MBS_FIELD_INTEGER, .default_text = "1",
                              .summary = "of event and event_time: the how manieth of that name"},
    [MBS_OBJECTIVE_SIDE] = {"side", MBS_FIELD_CHOICE, .default_text = "before",
                            .choices = (const char *const[]){"before", "after", NULL},
                            .summary = "of event: the state before it, or after it"},
    [MBS_OBJECTIVE_SETTLING] = {"settling", MBS_FIELD_SIGNAL,
                                .summary = "the last time at which this expression of positions, velocities and time "
                                           "comes into a band around a target; the end, if it is outside there"},
    [MBS_OBJECTIVE_TARGET] = {"target", MBS_FIELD_NUMBER, .default_text = "0", .summary = "of settling: that target"},
    [MBS_OBJECTIVE_BAND] = {"band", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE,
                            .summary = "of settling: half the width of the band"},
    [MBS_OBJECTIVE_EQUILIBRIUM] = {"equilibrium", MBS_FIELD_SIGNAL,
                                   .summary = "this expression in equilibrium: of the command equilibrium, and of runs "
                                              "that start there"},
    [MBS_OBJECTIVE_EIGENVALUE] = {"eigenvalue", MBS_FIELD_CHOICE,
                                  .choices = (const char *const[]){"real", "imag", "frequency", "damping", NULL},
                                  .summary = "of a mode of the motion near the start, or the equilibrium: its real or "
                                             "imaginary part, 1/s, natural frequency, Hz, or damping ratio"},
    [MBS_OBJECTIVE_MODE] = {"mode", MBS_FIELD_INTEGER, .default_text = "1",
                            .summary = "of eigenvalue: which, as mbsens linearize numbers them; it is followed by its "
                                       "shape"},
};
static const MbsRecordType objective_type = {"objective",
                                             "a number to differentiate: of one kind, with what belongs to that",
                                             MBS_COUNT(objective_fields), objective_fields};

static const MbsField output_fields[] = {
    [MBS_OUTPUT_VALUE] = {"value", MBS_FIELD_SIGNAL, .is_required = true,
                          .summary = "a number or a vector: any expression that an integral may have"},
    [MBS_OUTPUT_UNIT] = {"unit", MBS_FIELD_TEXT, .summary = "written with it, such as N; nothing is converted"},
    [MBS_OUTPUT_DESCRIPTION] = {"description", MBS_FIELD_TEXT, .summary = "what it is, in words"},
};
static const MbsRecordType output_type = {"output", "a signal with a name, for histories and results",
                                          MBS_COUNT(output_fields), output_fields};

static const MbsField validity_fields[] = {
    [MBS_VALIDITY_POSITIVE] = {"positive", MBS_FIELD_SIGNAL, .is_required = true,
                               .summary = "an expression of positions, velocities, states and time that is positive "
                                          "where the model holds"},
    [MBS_VALIDITY_MESSAGE] = {"message", MBS_FIELD_TEXT, .default_text = "the model does not hold there",
                              .summary = "what is wrong where it is not"},
    [MBS_VALIDITY_OTHERWISE] = {"otherwise", MBS_FIELD_CHOICE, .default_text = "stop",
                                .choices = (const char *const[]){"stop", "warn", NULL},
                                .summary = "where it is not: the run stops, or it goes on and its result has a warning "
                                           "that says when"},
};
static const MbsRecordType validity_type = {"validity", "where the model holds: elsewhere a run stops, or warns",
                                            MBS_COUNT(validity_fields), validity_fields};

static const MbsField limit_fields[] = {
    [MBS_LIMIT_OBJECTIVE] = {"objective", MBS_FIELD_TEXT, .is_required = true, .summary = "which one, by name"},
    [MBS_LIMIT_BELOW] = {"below", MBS_FIELD_NUMBER, .summary = "it is to stay below this"},
    [MBS_LIMIT_ABOVE] = {"above", MBS_FIELD_NUMBER, .summary = "it is to stay above this"},
    [MBS_LIMIT_EQUALS] = {"equals", MBS_FIELD_NUMBER, .summary = "it is to be this"},
    [MBS_LIMIT_SCALE] = {"scale", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE,
                         .summary = "what a large violation is (default: the size of the limit, or of the objective at "
                                    "the start)"},
};
static const MbsRecordType limit_type = {"design constraint", "a limit that an objective must keep",
                                         MBS_COUNT(limit_fields), limit_fields};

static const MbsField range_fields[] = {
    [MBS_RANGE_PARAMETER] = {"parameter", MBS_FIELD_TEXT, .is_required = true,
                             .summary = "a parameter, an array, a component of a hardpoint P.x, or ordinates f.y"},
    [MBS_RANGE_LOWER] = {"lower", MBS_FIELD_NUMBER, .summary = "it stays above this"},
    [MBS_RANGE_UPPER] = {"upper", MBS_FIELD_NUMBER, .summary = "and below this"},
    [MBS_RANGE_SCALE] = {"scale", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE,
                         .summary = "how much of it is a large change"},
};
static const MbsRecordType range_type = {
    "design range", "bounds of what has no place for them of its own, such as components of hardpoints",
    MBS_COUNT(range_fields), range_fields};

static const MbsField optimization_fields[] = {
    [MBS_OPTIMIZATION_MINIMIZE] = {"minimize", MBS_FIELD_NUMBER_MAP, .is_short = true,
                                   .summary = "an objective, or several with their weights"},
    [MBS_OPTIMIZATION_MAXIMIZE] = {"maximize", MBS_FIELD_NUMBER_MAP, .is_short = true,
                                   .summary = "the same, if it is to become large"},
    [MBS_OPTIMIZATION_PARAMETERS] = {"parameters", MBS_FIELD_NUMBER_LIST,
                                     .summary = "what may change, by names (default: parameters with bounds, or all "
                                                "of them where none has any)"},
    [MBS_OPTIMIZATION_BOUNDS] = {"bounds", MBS_FIELD_RECORD_LIST, .record = &range_type,
                                 .summary = "of what has none in the section parameters"},
    [MBS_OPTIMIZATION_CONSTRAINTS] = {"constraints", MBS_FIELD_RECORD_LIST, .record = &limit_type,
                                      .summary = "limits that objectives must keep"},
    [MBS_OPTIMIZATION_ALGORITHM] = {"algorithm", MBS_FIELD_CHOICE, .default_text = "auto",
                                    .choices = (const char *const[]){"auto", "lbfgs", "slsqp", "mma", "cobyla", NULL},
                                    .summary = "auto: slsqp with constraints, else lbfgs; cobyla needs no gradients"},
    [MBS_OPTIMIZATION_EVALUATIONS] = {"evaluations", MBS_FIELD_INTEGER, .default_text = "200",
                                      .summary = "of the model, at most, from each start"},
    [MBS_OPTIMIZATION_TOLERANCE] = {"tolerance", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE, .default_text = "1e-8",
                                    .summary = "it ends where a step changes the value, or every parameter, by less "
                                               "than this, relative to its size or scale"},
    [MBS_OPTIMIZATION_FEASIBILITY] = {"feasibility", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE,
                                      .default_text = "1e-6",
                                      .summary = "how far constraints may be off, relative to their scales"},
    [MBS_OPTIMIZATION_TARGET] = {"target", MBS_FIELD_NUMBER, .summary = "a value that is good enough: it ends there"},
    [MBS_OPTIMIZATION_STARTS] = {"starts", MBS_FIELD_INTEGER, .default_text = "1",
                                 .summary = "how many: the first at the model's own values, the others anywhere "
                                            "between the bounds"},
    [MBS_OPTIMIZATION_SEED] = {"seed", MBS_FIELD_INTEGER, .default_text = "1",
                               .summary = "of the random numbers of further starts"},
};
static const MbsRecordType optimization_type = {"optimization", "what a better design is",
                                                MBS_COUNT(optimization_fields), optimization_fields};

static const MbsField measured_fields[] = {
    [MBS_MEASURED_OUTPUT] = {"output", MBS_FIELD_TEXT, .is_required = true,
                             .summary = "an output of the model, or another column of its histories: P.x, theta'"},
    [MBS_MEASURED_COLUMN] = {"column", MBS_FIELD_TEXT,
                             .summary = "of the data files, by the name in the first line (default: called like the "
                                        "output)"},
    [MBS_MEASURED_SIGMA] = {"sigma", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE,
                            .summary = "standard deviation of a measurement (default: estimated from what is left)"},
};
static const MbsRecordType measured_type = {"measured output", "what a column of the data is in the model",
                                            MBS_COUNT(measured_fields), measured_fields};

static const MbsField known_fields[] = {
    [MBS_KNOWN_DATA] = {"data", MBS_FIELD_TEXT, .is_required = true, .summary = "one of the data files"},
    [MBS_KNOWN_PARAMETER] = {"parameter", MBS_FIELD_TEXT, .is_required = true,
                             .summary = "a parameter that is a number, and not to be found"},
    [MBS_KNOWN_VALUE] = {"value", MBS_FIELD_NUMBER, .is_required = true, .summary = "what it is in that run"},
};
static const MbsRecordType known_type = {"known value", "a parameter that is another one in the run of one data file",
                                         MBS_COUNT(known_fields), known_fields};

static const MbsField identification_fields[] = {
    [MBS_IDENTIFICATION_DATA] = {"data", MBS_FIELD_NUMBER_LIST,
                                 .summary = "files of comma-separated values, beside the model; each is a run of its "
                                            "own, with column t"},
    [MBS_IDENTIFICATION_OUTPUTS] = {"outputs", MBS_FIELD_RECORD_LIST, .record = &measured_type,
                                    .summary = "what was measured (default: every column that is called like an "
                                               "output, or a column of histories)"},
    [MBS_IDENTIFICATION_PARAMETERS] = {"parameters", MBS_FIELD_NUMBER_LIST,
                                       .summary = "what is to be found, by names (default: as for optimization)"},
    [MBS_IDENTIFICATION_KNOWN] = {"known", MBS_FIELD_RECORD_LIST, .record = &known_type,
                                  .summary = "parameters that differ from one run to the other"},
    [MBS_IDENTIFICATION_CONFIDENCE] = {"confidence", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE,
                                       .default_text = "0.95",
                                       .summary = "probability that an interval holds its parameter"},
    [MBS_IDENTIFICATION_ITERATIONS] = {"iterations", MBS_FIELD_INTEGER, .default_text = "100", .summary = "at most"},
    [MBS_IDENTIFICATION_TOLERANCE] = {"tolerance", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE,
                                      .default_text = "1e-5",
                                      .summary = "how far from the minimum it may end, as a part of the intervals"},
};
static const MbsRecordType identification_type = {"identification", "parameters from measurements",
                                                  MBS_COUNT(identification_fields), identification_fields};

static const MbsField shape_fields[] = {
    [MBS_SHAPE_AT] = {"at", MBS_FIELD_POINT, .is_required = true,
                      .summary = "the point where it is; its body carries it"},
    [MBS_SHAPE_KIND] = {"kind", MBS_FIELD_CHOICE, .is_required = true,
                        .choices =
                            (const char *const[]){"box", "sphere", "cylinder", "wheel", "spring", "line", "mesh", NULL},
                        .summary =
                            "box, sphere, cylinder and mesh stand for the body, in place of what its points suggest; "
                            "wheel, spring and line, and a cylinder between two points, are drawn besides"},
    [MBS_SHAPE_TO] = {"to", MBS_FIELD_POINT_NAMES,
                      .summary = "of a spring, line or cylinder: the other end, on any body; of a line also a list of "
                                 "points that it goes through"},
    [MBS_SHAPE_AXIS] = {"axis", MBS_FIELD_DIRECTION,
                        .summary =
                            "of a wheel or cylinder in space: its axis, in axes of the body or the name of a vector"},
    [MBS_SHAPE_SIZE] = {"size", MBS_FIELD_VECTOR, .mirror = MBS_MIRROR_NONE, .unit = "m",
                        .summary = "of a box: how long it is along each axis of the body"},
    [MBS_SHAPE_RADIUS] = {"radius", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE, .unit = "m",
                          .summary = "of a sphere, cylinder, wheel or spring"},
    [MBS_SHAPE_WIDTH] = {"width", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE, .unit = "m",
                         .summary = "of a wheel or a cylinder with an axis: along it (default: of a wheel 0.6 radius)"},
    [MBS_SHAPE_OFFSET] = {"offset", MBS_FIELD_VECTOR, .default_text = "0", .unit = "m",
                          .summary = "how far its middle is from the point, in axes of the body"},
    [MBS_SHAPE_FILE] = {"file", MBS_FIELD_TEXT, .summary = "of a mesh: an .stl or .obj file, beside the model"},
    [MBS_SHAPE_SCALE] = {"scale", MBS_FIELD_NUMBER, .check = MBS_CHECK_POSITIVE, .default_text = "1",
                         .summary = "of a mesh: metres of one unit of the file"},
    [MBS_SHAPE_MIRROR] = {"mirror", MBS_FIELD_CHOICE,
                          .choices = (const char *const[]){"x", "y", "z", "xy", "xz", "yz", "xyz", NULL},
                          .summary = "of a mesh: the axes of the file whose sign changes; in a mirrored assembly those "
                                     "of the mirror besides"},
    [MBS_SHAPE_CURVE] = {"curve", MBS_FIELD_SIGNAL_VECTOR, .unit = "m",
                         .summary = "of a line, in place of to: its points from `at` on, in axes of the body, as "
                                    "expressions of `s` and of parameters: [s, road(s)]"},
    [MBS_SHAPE_RANGE] = {"range", MBS_FIELD_NUMBER_LIST, .summary = "of a curve: the first and the last s"},
    [MBS_SHAPE_PIECES] = {"pieces", MBS_FIELD_INTEGER, .default_text = "200",
                          .summary = "of a curve: how many straight ones, to 1000"},
    [MBS_SHAPE_COLOUR] = {"colour", MBS_FIELD_TEXT, .summary = "\"#rrggbb\" (default: that of the body)"},
    [MBS_SHAPE_OPACITY] = {"opacity", MBS_FIELD_NUMBER, .check = MBS_CHECK_FRACTION, .default_text = "1",
                           .summary = "0 to 1"},
};
static const MbsRecordType shape_type = {"shape", "what a body looks like in a report; changes no result",
                                         MBS_COUNT(shape_fields), shape_fields};

static const MbsField model_fields[] = {
    [MBS_MODEL_VERSION] = {"mbsens", MBS_FIELD_INTEGER, .is_required = true, .summary = "version of the format: 1"},
    [MBS_MODEL_NAME] = {"name", MBS_FIELD_TEXT, .default_text = "unnamed", .summary = "title of the model"},
    [MBS_MODEL_DIMENSION] = {"dimension", MBS_FIELD_INTEGER, .default_text = "2",
                             .summary = "2: in the plane, 3: in space"},
    [MBS_MODEL_GRAVITY] = {"gravity", MBS_FIELD_VECTOR, .default_text = "0", .unit = "m/s2",
                           .summary = "acceleration of gravity"},
    [MBS_MODEL_PARAMETERS] = {"parameters", MBS_FIELD_RECORD_MAP, .record = &parameter_type, .is_short = true,
                              .summary = "named numbers; a value may be an expression of other parameters"},
    [MBS_MODEL_HARDPOINTS] = {"hardpoints", MBS_FIELD_VECTOR_MAP, .unit = "m",
                              .summary = "design points, by name: vectors for expressions, whose components P.x, P.y, "
                                         "P.z are parameters"},
    [MBS_MODEL_FUNCTIONS] = {"functions", MBS_FIELD_SIGNAL_MAP,
                             .summary = "functions for expressions, by name and arguments: f(x, y)"},
    [MBS_MODEL_GROUND] = {"ground", MBS_FIELD_RECORD, .record = &ground_type, .summary = "what does not move"},
    [MBS_MODEL_BODIES] = {"bodies", MBS_FIELD_RECORD_MAP, .record = &body_type, .summary = "bodies, by name"},
    [MBS_MODEL_COORDINATES] = {"coordinates", MBS_FIELD_RECORD_MAP, .record = &coordinate_type,
                               .summary = "coordinates of the model's own, by name, for expressions"},
    [MBS_MODEL_STATES] = {"states", MBS_FIELD_RECORD_MAP, .record = &state_type,
                          .summary = "states of first order, by name: controllers, filters, relaxation"},
    [MBS_MODEL_JOINTS] = {"joints", MBS_FIELD_JOINT_LIST, .summary = "joints between bodies"},
    [MBS_MODEL_FORCES] = {"forces", MBS_FIELD_FORCE_LIST, .summary = "forces and torques"},
    [MBS_MODEL_TABLES] = {"tables", MBS_FIELD_RECORD_MAP, .record = &table_type,
                          .summary = "curves and maps for expressions, by name: f(x), f(x, y)"},
    [MBS_MODEL_VARIABLES] = {"variables", MBS_FIELD_NUMBER_MAP,
                             .summary = "numbers that events set, by name, with their values at the start"},
    [MBS_MODEL_INPUTS] = {"inputs", MBS_FIELD_NUMBER_MAP,
                          .summary = "numbers that the caller sets between steps, by name, with their values at the "
                                     "start"},
    [MBS_MODEL_EVENTS] = {"events", MBS_FIELD_RECORD_MAP, .record = &event_type,
                          .summary = "what happens where an expression passes zero, by name"},
    [MBS_MODEL_INITIAL] = {"initial", MBS_FIELD_RECORD, .record = &initial_type, .summary = "the state at the start"},
    [MBS_MODEL_EQUILIBRIUM] = {"equilibrium", MBS_FIELD_RECORD, .record = &equilibrium_type,
                               .summary = "of the command equilibrium, and of starts in equilibrium"},
    [MBS_MODEL_OBJECTIVES] = {"objectives", MBS_FIELD_RECORD_MAP, .record = &objective_type,
                              .summary = "numbers to differentiate, by name"},
    [MBS_MODEL_OUTPUTS] = {"outputs", MBS_FIELD_RECORD_MAP, .record = &output_type, .is_short = true,
                           .summary = "signals, by name, that histories have instead of coordinates"},
    [MBS_MODEL_VALIDITY] = {"validity", MBS_FIELD_RECORD_MAP, .record = &validity_type,
                            .summary = "where the model holds, by name: a run that comes elsewhere stops and says why"},
    [MBS_MODEL_SHAPES] = {"shapes", MBS_FIELD_RECORD_LIST, .record = &shape_type,
                          .summary = "what reports draw where points and inertia do not say enough"},
    [MBS_MODEL_OPTIMIZATION] = {"optimization", MBS_FIELD_RECORD, .record = &optimization_type,
                                .summary = "of the command optimize: what a better design is"},
    [MBS_MODEL_IDENTIFICATION] = {"identification", MBS_FIELD_RECORD, .record = &identification_type,
                                  .summary = "of the command identify: what was measured, and what is to be found"},
    [MBS_MODEL_SIMULATION] = {"simulation", MBS_FIELD_RECORD, .record = &mbs_simulation_type,
                              .summary = "how to simulate; the command line overrides it"},
};
const MbsRecordType mbs_model_type = {"model", "a multibody model", MBS_COUNT(model_fields), model_fields};
