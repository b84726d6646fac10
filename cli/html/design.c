// See design.h.
#include "design.h"

#include <mbsens/elements.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "../outcome.h"
#include "model/model.h"

enum { MOST_NUMBERS_OF_ROWS = 130000, MOST_NUMBERS_OF_CURVES = 60000 };

// ---- one run, two ways to thin it ----
typedef struct Tee {
  MbsRecorder *to[2];
} Tee;

static MbsStatus describe(void *user, int count, const char *const *units, const char *const *descriptions) {
  const Tee *tee = user;
  for (int i = 0; i < 2; ++i) {
    (void)tee->to[i]->describe(tee->to[i]->user, count, units, descriptions);
  }
  return MBS_OK;
}

static MbsStatus begin(void *user, int count, const char *const *names) {
  const Tee *tee = user;
  for (int i = 0; i < 2; ++i) {
    (void)tee->to[i]->begin(tee->to[i]->user, count, names);
  }
  return MBS_OK;
}

static MbsStatus add_row(void *user, const double *values) {
  const Tee *tee = user;
  for (int i = 0; i < 2; ++i) {
    (void)tee->to[i]->row(tee->to[i]->user, values);
  }
  return MBS_OK;
}

// ---- the model once more ----
static MbsStatus copy_model(MbsContext *context, const char *text, MbsModel **copy) {
  return mbs_model_read_text(context, text, strlen(text), "model", copy);
}

// Energies are outputs too, where the model has any.
static MbsStatus add_energies(MbsContext *context, MbsModel *model) {
  static const char *const energies[][2] = {{"mbsens_kinetic_energy", "kinetic_energy()"},
                                            {"mbsens_potential_energy", "potential_energy()"}};
  MbsStatus status = MBS_OK;
  for (int i = 0; i < 2 && status == MBS_OK; ++i) {
    MbsOutputDef def = mbs_default_output_def();
    def.name = energies[i][0];
    def.value = energies[i][1];
    def.unit = "J";
    status = mbs_model_add_output(context, model, &def);
  }
  return status;
}

// coordinates, frames of bodies that have one, reactions, outputs, residuals
static void list_columns(const CliGeometry *geometry, char *columns, size_t room) {
  size_t length =
      (size_t)snprintf(columns, room, "coordinates,outputs,residuals%s", geometry->joint_count > 0 ? ",reactions" : "");
  bool all_have = true, some_have = false;
  for (int b = 1; b < geometry->body_count; ++b) {
    all_have = all_have && geometry->bodies[b].has_frame;
    some_have = some_have || geometry->bodies[b].has_frame;
  }
  if (all_have && some_have) {
    (void)snprintf(columns + length, room - length, ",frames");
    return;
  }
  for (int b = 1; b < geometry->body_count && length < room; ++b) {
    if (geometry->bodies[b].has_frame) {
      length += (size_t)snprintf(columns + length, room - length, ",frame(%s)", geometry->bodies[b].name);
    }
  }
}

static int run(CliDesign *design, const char *label) {
  CliSession *session = &design->session;
  MbsRequest request = *session->request;
  Tee tee = {.to = {&design->rows.recorder, &design->curves.recorder}};
  MbsRecorder recorder = {.user = &tee, .describe = describe, .begin = begin, .row = add_row};
  cli_data_begin_thin(&design->rows, CLI_THIN_ROWS, MOST_NUMBERS_OF_ROWS);
  cli_data_begin_thin(&design->curves, CLI_THIN_CURVES, MOST_NUMBERS_OF_CURVES);
  request.method = MBS_METHOD_NONE;
  request.settings.accuracy = 0;
  request.settings.has_no_outputs = false;
  request.recorder = &recorder;
  list_columns(&design->geometry, request.settings.columns, sizeof request.settings.columns);
  cli_progress_begin(&session->progress, session->context, label, session->options->is_quiet);
  MbsStatus status = mbs_run(session->context, design->drawn, &request, &design->result);
  cli_progress_end(&session->progress, session->context);
  cli_data_end_thin(&design->rows, design->result && design->result->has_ended);
  cli_data_end_thin(&design->curves, design->result && design->result->has_ended);
  return status == MBS_OK ? 0 : cli_session_fail(session, status);
}

int cli_design_open(CliDesign *design, const CliOptions *options) {
  *design = (CliDesign){0};
  return cli_session_open(&design->session, options);
}

int cli_design_run(CliDesign *design, const char *label) {
  MbsContext *context = design->session.context;
  MbsStatus status = mbs_model_write(context, design->session.model, &design->text);
  status = status == MBS_OK ? copy_model(context, design->text, &design->scratch) : status;
  status = status == MBS_OK ? copy_model(context, design->text, &design->drawn) : status;
  status = status == MBS_OK ? add_energies(context, design->drawn) : status;
  if (status != MBS_OK) {
    return cli_fail_library(context, status);
  }
  int failure =
      cli_geometry_read(context, design->session.model, design->scratch, design->session.request, &design->geometry);
  failure = failure ? failure : cli_geometry_add_outputs(context, design->drawn, &design->geometry);
  return failure ? failure : run(design, label);
}

void cli_design_close(CliDesign *design) {
  cli_geometry_free(&design->geometry);
  cli_data_free(&design->rows);
  cli_data_free(&design->curves);
  mbs_result_destroy(design->result);
  mbs_model_destroy(design->scratch);
  mbs_model_destroy(design->drawn);
  mbs_text_destroy(design->text);
  cli_session_close(&design->session);
}

void cli_design_put(CliJson *json, const CliDesign *design, const char *label) {
  cli_json_open_object(json, NULL);
  cli_json_text(json, "label", label);
  cli_geometry_put(json, &design->geometry, &design->rows);
  cli_json_close(json);
}
