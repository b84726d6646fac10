// What was measured, and what is to be found, as the model file says it (section identification). Numbers are those at
// the model's own values. Scalar-free.
#ifndef MBS_MEASURED_H
#define MBS_MEASURED_H

#include "model/blueprint.h"

typedef struct MbsMeasuredOutput {
  MbsText output, column;  // column.text NULL: called like the output
  double sigma;            // 0: not given
} MbsMeasuredOutput;

typedef struct MbsKnownValue {
  MbsText data, parameter;
  double value;
} MbsKnownValue;

typedef struct MbsMeasuredSection {
  int data_count, output_count, parameter_count, known_count;
  const MbsText *data, *parameters;
  MbsMeasuredOutput *outputs;
  MbsKnownValue *known;
  double confidence, tolerance;
  int iterations;
} MbsMeasuredSection;

// Checked. Every blueprint does this, so that every command tells what is wrong.
MbsStatus mbs_measured_section_read(MbsContext *context, MbsBlueprint *blueprint, MbsMeasuredSection *section);

#endif
