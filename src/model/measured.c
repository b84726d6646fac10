#include "model/measured.h"

#include <stdlib.h>
#include <string.h>

#include "model/design.h"

static const char section_name[] = "identification";

static MbsStatus read_outputs(MbsContext *context, MbsBlueprint *blueprint, const MbsValue *records,
                              MbsMeasuredSection *section) {
  MBS_TAKE(context, blueprint->arena, section->outputs, records->count);
  section->output_count = records->count;
  for (int i = 0; i < records->count; ++i) {
    const MbsRecord *record = &records->records[i];
    const MbsField *sigma = &mbs_model_type.fields[MBS_MODEL_IDENTIFICATION]
                                 .record->fields[MBS_IDENTIFICATION_OUTPUTS]
                                 .record->fields[MBS_MEASURED_SIGMA];
    MbsMeasuredOutput *output = &section->outputs[i];
    output->output = mbs_record_text(record, MBS_MEASURED_OUTPUT);
    output->column = mbs_record_text(record, MBS_MEASURED_COLUMN);
    const char *owner = mbs_arena_print(blueprint->arena, "measured output \"%s\"", output->output.text);
    MBS_TRY(mbs_design_read_number(context, blueprint, owner ? owner : section_name, sigma,
                                   mbs_record_text(record, MBS_MEASURED_SIGMA), 0, &output->sigma));
    for (int k = 0; k < i; ++k) {
      if (strcmp(section->outputs[k].output.text, output->output.text) == 0) {
        return mbs_fail(context, MBS_ERROR_INPUT, output->output.place, "%s is there twice",
                        owner ? owner : section_name);
      }
    }
  }
  return MBS_OK;
}

static MbsStatus read_known(MbsContext *context, MbsBlueprint *blueprint, const MbsValue *records,
                            MbsMeasuredSection *section) {
  MBS_TAKE(context, blueprint->arena, section->known, records->count);
  section->known_count = records->count;
  for (int i = 0; i < records->count; ++i) {
    const MbsRecord *record = &records->records[i];
    const MbsField *value = &mbs_model_type.fields[MBS_MODEL_IDENTIFICATION]
                                 .record->fields[MBS_IDENTIFICATION_KNOWN]
                                 .record->fields[MBS_KNOWN_VALUE];
    MbsKnownValue *known = &section->known[i];
    known->data = mbs_record_text(record, MBS_KNOWN_DATA);
    known->parameter = mbs_record_text(record, MBS_KNOWN_PARAMETER);
    MBS_TRY(mbs_design_check_parameter(context, blueprint, section_name, known->parameter));
    MBS_TRY(mbs_design_read_number(context, blueprint, "known value", value, mbs_record_text(record, MBS_KNOWN_VALUE),
                                   0, &known->value));
    bool is_there = section->data_count == 0;  // files may come from elsewhere
    for (int k = 0; k < section->data_count; ++k) {
      is_there = is_there || strcmp(section->data[k].text, known->data.text) == 0;
    }
    if (!is_there) {
      return mbs_fail(context, MBS_ERROR_INPUT, known->data.place, "%s: \"%s\" is none of the data files", section_name,
                      known->data.text);
    }
  }
  return MBS_OK;
}

MbsStatus mbs_measured_section_read(MbsContext *context, MbsBlueprint *blueprint, MbsMeasuredSection *section) {
  const MbsRecord *record = mbs_record_child(&blueprint->model->root, MBS_MODEL_IDENTIFICATION);
  const MbsField *fields = mbs_model_type.fields[MBS_MODEL_IDENTIFICATION].record->fields;
  const MbsValue *data = mbs_record_value(record, MBS_IDENTIFICATION_DATA),
                 *parameters = mbs_record_value(record, MBS_IDENTIFICATION_PARAMETERS);
  MbsText confidence = mbs_record_text(record, MBS_IDENTIFICATION_CONFIDENCE),
          iterations = mbs_record_text(record, MBS_IDENTIFICATION_ITERATIONS);
  *section = (MbsMeasuredSection){.data_count = data->count,
                                  .data = data->texts,
                                  .parameter_count = parameters->count,
                                  .parameters = parameters->texts};
  MBS_TRY(read_outputs(context, blueprint, mbs_record_value(record, MBS_IDENTIFICATION_OUTPUTS), section));
  MBS_TRY(read_known(context, blueprint, mbs_record_value(record, MBS_IDENTIFICATION_KNOWN), section));
  for (int i = 0; i < parameters->count; ++i) {
    MBS_TRY(mbs_design_check_parameter(context, blueprint, section_name, parameters->texts[i]));
  }
  MBS_TRY(mbs_design_read_number(context, blueprint, section_name, &fields[MBS_IDENTIFICATION_CONFIDENCE], confidence,
                                 0, &section->confidence));
  MBS_TRY(mbs_design_read_number(context, blueprint, section_name, &fields[MBS_IDENTIFICATION_TOLERANCE],
                                 mbs_record_text(record, MBS_IDENTIFICATION_TOLERANCE), 0, &section->tolerance));
  section->iterations = (int)strtol(iterations.text, NULL, 10);
  if (section->iterations < 1) {
    return mbs_fail(context, MBS_ERROR_INPUT, iterations.place, "%s: iterations must be 1 at least, got %d",
                    section_name, section->iterations);
  }
  return section->confidence < 1
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, confidence.place, "%s: confidence must be below 1, got %.10g",
                        section_name, section->confidence);
}
