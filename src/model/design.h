// What a better design is, as the model file says it: which parameters may change and how far (parameters:
// {k: {value: 100, lower: 10, upper: 500, scale: 100}}), what is to become small or large, and what must be kept
// (section optimization). Numbers are those at the model's own values; they may not depend on what may change.
// Scalar-free.
#ifndef MBS_DESIGN_H
#define MBS_DESIGN_H

#include "model/blueprint.h"

typedef enum MbsAlgorithm {  // in the order of the field's choices
  MBS_ALGORITHM_AUTO,
  MBS_ALGORITHM_LBFGS,
  MBS_ALGORITHM_SLSQP,
  MBS_ALGORITHM_MMA,
  MBS_ALGORITHM_COBYLA
} MbsAlgorithm;

// "lbfgs", ...
const char *mbs_algorithm_name(MbsAlgorithm algorithm);

typedef struct MbsDesignVariable {
  const char *name;
  MbsPlace place;       // of its value
  double value;         // at the start
  double lower, upper;  // -HUGE_VAL, HUGE_VAL: none
  double scale;         // 0: not given
} MbsDesignVariable;

typedef struct MbsDesignTerm {
  const char *objective;
  double weight;
} MbsDesignTerm;

typedef struct MbsDesignLimit {
  const char *objective;
  MbsPlace place;
  double above, below;  // -HUGE_VAL, HUGE_VAL: none; the same: an equality
  double scale;         // 0: not given
} MbsDesignLimit;

typedef struct MbsDesign {
  bool is_maximized;
  int term_count;  // 0: the model says nothing
  MbsDesignTerm *terms;
  int limit_count;
  MbsDesignLimit *limits;
  MbsAlgorithm algorithm;
  int evaluations, starts, seed;
  double tolerance, feasibility;
  double target;  // NaN: none
} MbsDesign;

// All but the variables, checked; also the bounds of all parameters. Every blueprint does this, so that every command
// tells what is wrong.
MbsStatus mbs_design_read(MbsContext *context, MbsBlueprint *blueprint, MbsDesign *design);

// A number of a section that looks at runs from outside, at the model's own values; absent: what it is where the text
// is.
MbsStatus mbs_design_read_number(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsField *field,
                                 MbsText text, double absent, double *value);
// Is it the name of a parameter, an array, a component, or ordinates? section: whose message it is.
MbsStatus mbs_design_check_parameter(MbsContext *context, MbsBlueprint *blueprint, const char *section, MbsText name);

// Names of what may change, in an arena: those of the section, or parameters with bounds, or all that are numbers.
MbsStatus mbs_design_names(MbsContext *context, MbsArena *arena, const MbsModel *model, int *count,
                           const char *const **names);
// What these are, parameters of the blueprint (of the model after mbs_model_ask), with bounds around their values. No
// number of the design may depend on them.
MbsStatus mbs_design_variables(MbsContext *context, MbsBlueprint *blueprint, int count, const char *const *names,
                               MbsDesignVariable *variables);

#endif
