// Measurements from files: mbs_measured_read. A file has a column of times, t or time (without names in the first line:
// the first one), and columns that are called like outputs of the model or other columns of its histories; or as the
// section identification says. A cell that is empty, NaN or NA is a measurement that is missing.
#include <math.h>
#include <mbsens/identify.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "io/csv_file.h"
#include "model/design.h"
#include "model/measured.h"
#include "sensitivities/request.h"
#include "sensitivities/session.h"

// One thing that was measured, or may have been.
typedef struct Sought {
  const char *output, *column;
  MbsPlace place;  // of a mistake in it
  double sigma;
  bool is_required;  // it is named; else it is there where a column is called so
  bool is_found;
} Sought;

typedef struct Files {
  MbsMeasured result;  // first: mbs_measured_destroy is given this
  MbsContext *context;
  MbsArena *arena;
  MbsReader reader;
  const MbsModel *model;
  MbsMeasuredSection section;
  double end;
  int sought_count;
  Sought *sought;
  int unused_capacity;
  const char **unused;
} Files;

// ---- what may be measured ----
static MbsStatus begin(void *user, int column_count, const char *const *names) {
  (void)user;
  (void)column_count;
  (void)names;
  return MBS_OK;
}

static MbsStatus row(void *user, const double *values) {
  (void)user;
  (void)values;
  return MBS_OK;
}

static void sought_by_name(Files *files, const char *output, const char *column, double sigma, MbsPlace place) {
  files->sought[files->sought_count++] = (Sought){
      .output = output, .column = column ? column : output, .sigma = sigma, .place = place, .is_required = true};
}

static double sigma_of_section(const Files *files, const char *output) {
  for (int i = 0; i < files->section.output_count; ++i) {
    if (strcmp(files->section.outputs[i].output.text, output) == 0) {
      return files->section.outputs[i].sigma;
    }
  }
  return 0;
}

// outputs that are named, or every column of histories; and the end of the run
static MbsStatus find_sought(Files *files, const MbsRequest *request, const MbsMeasuredOptions *options) {
  static const char every[] = "all,points,reactions";
  MbsTwinRequest twin = {.settings = request->settings, .perturbed = -1};
  const MbsRecorder nobody = {.begin = begin, .row = row};
  MbsSession *session;
  twin.recorder = &nobody;
  twin.settings.has_no_outputs = false;
  (void)snprintf(twin.settings.columns, sizeof twin.settings.columns, "%s", every);
  MBS_TRY(mbs_session_create(files->context, files->model, &twin, &session));
  const MbsHistory *history = &session->history;
  int count = history->quantity_count + options->output_count + files->section.output_count;
  MbsStatus status = MBS_OK;
  files->end = session->simulation->settings.end;
  files->sought = mbs_arena_take(files->arena, (size_t)count + 1, sizeof *files->sought);
  status = files->sought ? MBS_OK : mbs_fail(files->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  for (int i = 0; i < options->output_count && status == MBS_OK; ++i) {
    const char *output = options->outputs[i];
    double sigma = options->sigmas && options->sigmas[i] > 0 ? options->sigmas[i] : sigma_of_section(files, output);
    sought_by_name(files, output, options->columns ? options->columns[i] : NULL, sigma, mbs_nowhere);
  }
  for (int i = 0; i < files->section.output_count && options->output_count == 0 && status == MBS_OK; ++i) {
    const MbsMeasuredOutput *output = &files->section.outputs[i];
    sought_by_name(files, output->output.text, output->column.text, output->sigma, output->output.place);
  }
  for (int i = 0; i < history->quantity_count && files->sought_count == i && status == MBS_OK; ++i) {
    const char *name = mbs_arena_copy_text(files->arena, history->quantities[i].name);
    status = name ? MBS_OK : mbs_fail(files->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    files->sought[files->sought_count++] = (Sought){.output = name, .column = name};
  }
  mbs_session_destroy(session);
  return status;
}

// ---- a file ----
// a header may have a unit behind the name: P1.x [m]
static bool is_header(const char *header, const char *name) {
  size_t length = strlen(name), space = strspn(header + (strncmp(header, name, length) == 0 ? length : 0), " ");
  return strncmp(header, name, length) == 0 && (header[length] == '\0' || (space > 0 && header[length + space] == '['));
}

static int find_header(const MbsCsv *csv, const char *name) {
  for (int k = 0; k < csv->header_count; ++k) {
    if (is_header(csv->header[k].text, name)) {
      return k;
    }
  }
  double number;
  int columns = csv->header_count > 0 ? csv->header_count : csv->cell_counts[0];
  bool is_number = mbs_csv_is_number(name, &number) && number >= 1 && number <= columns;
  return is_number && number == (double)(int)number ? (int)number - 1 : -1;  // real
}

static MbsStatus find_time(const Files *files, const MbsCsv *csv, int *column) {
  char known[512] = "";
  *column = csv->header_count == 0 ? 0 : find_header(csv, "t");
  *column = *column < 0 ? find_header(csv, "time") : *column;
  for (int k = 0; k < csv->header_count; ++k) {
    mbs_reader_append_name(known, sizeof known, csv->header[k].text);
  }
  return *column >= 0 ? MBS_OK
                      : mbs_reader_fail(&files->reader, NULL, csv->header[0].place,
                                        "no column of times, t or time; there are %.400s", known);
}

static bool is_missing(const char *text) {
  static const char *const words[] = {"", "nan", "NaN", "NAN", "NA"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
    if (strcmp(text, words[i]) == 0) {
      return true;
    }
  }
  return false;
}

static MbsStatus take_cells(const Files *files, const MbsCsv *csv, int column, double *values) {
  int columns = csv->header_count > 0 ? csv->header_count : csv->cell_counts[0];
  for (int i = 0; i < csv->row_count; ++i) {
    const MbsText *cells = csv->rows[i];
    if (csv->cell_counts[i] != columns) {
      return mbs_reader_fail(&files->reader, NULL, cells[0].place, "%d cells in this line, and %d in the first one",
                             csv->cell_counts[i], columns);
    }
    MbsText cell = cells[column];
    values[i] = (double)NAN;
    if (!is_missing(cell.text) && (!mbs_csv_is_number(cell.text, &values[i]) || !isfinite(values[i]))) {
      return mbs_reader_fail(&files->reader, NULL, cell.place, "expected a number, found \"%.60s\"%s", cell.text,
                             strchr(cell.text, ',') ? "; write a decimal point" : "");
    }
  }
  return MBS_OK;
}

static MbsStatus take_times(const Files *files, const MbsCsv *csv, double *times) {
  int column;
  double slack = 1e-9 * files->end;
  MBS_TRY(find_time(files, csv, &column));
  MBS_TRY(take_cells(files, csv, column, times));
  for (int i = 0; i < csv->row_count; ++i) {
    MbsText cell = csv->rows[i][column];
    if (isnan(times[i])) {
      return mbs_reader_fail(&files->reader, NULL, cell.place, "the time is missing");
    }
    if (i > 0 && !(times[i] > times[i - 1])) {
      return mbs_reader_fail(&files->reader, NULL, cell.place, "times must increase: %.10g comes after %.10g", times[i],
                             times[i - 1]);
    }
    if (times[i] < 0 || times[i] > files->end + slack) {
      return mbs_reader_fail(&files->reader, NULL, cell.place,
                             "the time %.10g is not within the run, which goes from 0 to %.10g%s", times[i], files->end,
                             times[i] < 0 ? "" : "; a later end makes it longer");
    }
  }
  return MBS_OK;
}

static MbsStatus keep_unused(Files *files, const char *name) {
  for (int i = 0; i < files->result.unused_count; ++i) {
    if (strcmp(files->unused[i], name) == 0) {
      return MBS_OK;
    }
  }
  int at = files->result.unused_count;
  MBS_GROW(files->context, files->arena, files->unused, at, files->unused_capacity);
  files->unused[files->result.unused_count++] = name;
  files->result.unused = files->unused;
  return MBS_OK;
}

static MbsStatus list_unused(Files *files, const MbsCsv *csv, const bool *is_used) {
  int time = 0;
  MBS_TRY(find_time(files, csv, &time));
  for (int k = 0; k < csv->header_count; ++k) {
    if (!is_used[k] && k != time) {
      MBS_TRY(keep_unused(files, csv->header[k].text));
    }
  }
  return MBS_OK;
}

static MbsStatus take_measurements(Files *files, const MbsCsv *csv, MbsExperiment *experiment) {
  MbsMeasurement *measurements;
  bool *is_used;
  int columns = csv->header_count > 0 ? csv->header_count : csv->cell_counts[0];
  MBS_TAKE(files->context, files->arena, measurements, files->sought_count);
  MBS_TAKE(files->context, files->arena, is_used, columns);
  experiment->measurements = measurements;
  for (int i = 0; i < files->sought_count; ++i) {
    Sought *sought = &files->sought[i];
    int column = sought->is_required || csv->header_count > 0 ? find_header(csv, sought->column) : -1;
    double *values;
    if (column < 0) {
      continue;
    }
    MBS_TAKE(files->context, files->arena, values, csv->row_count);
    MBS_TRY(take_cells(files, csv, column, values));
    is_used[column] = true;
    sought->is_found = true;
    measurements[experiment->measurement_count++] =
        (MbsMeasurement){.column = sought->column, .output = sought->output, .sigma = sought->sigma, .values = values};
  }
  return list_unused(files, csv, is_used);
}

static MbsStatus take_known(Files *files, const char *given, MbsExperiment *experiment) {
  const char **names;
  double *values;
  MBS_TAKE(files->context, files->arena, names, files->section.known_count);
  MBS_TAKE(files->context, files->arena, values, files->section.known_count);
  for (int i = 0; i < files->section.known_count; ++i) {
    const MbsKnownValue *known = &files->section.known[i];
    if (strcmp(known->data.text, given) == 0) {
      names[experiment->set_count] = known->parameter.text;
      values[experiment->set_count++] = known->value;
    }
  }
  experiment->set = names;
  experiment->set_values = values;
  return MBS_OK;
}

// a column that is named and not there, of one file or of all
static MbsStatus refuse_column(const Files *files, const Sought *sought, const char *file, bool has_others) {
  const char *nearest = NULL;
  for (int k = 0; k < files->result.unused_count; ++k) {
    mbs_name_nearest(sought->column, files->unused[k], &nearest);
  }
  return mbs_fail(files->context, MBS_ERROR_INPUT, sought->place, "no column \"%s\" in %s%s%s%s%s", sought->column,
                  file, has_others ? " or the other files" : "", nearest ? "; did you mean \"" : "",
                  nearest ? nearest : "", nearest ? "\"?" : "");
}

static MbsStatus check_found(const Files *files) {
  for (int i = 0; i < files->sought_count; ++i) {
    if (files->sought[i].is_required && !files->sought[i].is_found) {
      return refuse_column(files, &files->sought[i], files->result.experiments[0].name,
                           files->result.experiment_count > 1);
    }
  }
  return MBS_OK;
}

static MbsStatus read_file(Files *files, const char *given, const char *path, MbsExperiment *experiment) {
  MbsCsv csv;
  double *times;
  files->reader.file = path;
  MBS_TRY(mbs_csv_read(&files->reader, path, &csv));
  if (csv.row_count == 0) {
    return mbs_fail(files->context, MBS_ERROR_INPUT, mbs_nowhere, "%s has no numbers", path);
  }
  MBS_TAKE(files->context, files->arena, times, csv.row_count);
  MBS_TRY(take_times(files, &csv, times));
  *experiment = (MbsExperiment){.name = csv.path, .row_count = csv.row_count, .times = times};
  MBS_TRY(take_measurements(files, &csv, experiment));
  MBS_TRY(take_known(files, given, experiment));
  if (experiment->measurement_count > 0) {
    return MBS_OK;
  }
  if (files->sought[0].is_required) {
    return refuse_column(files, &files->sought[0], path, false);
  }
  char known[512] = "";
  for (int k = 0; k < csv.header_count; ++k) {
    mbs_reader_append_name(known, sizeof known, csv.header[k].text);
  }
  return mbs_reader_fail(&files->reader, NULL, (MbsPlace){.file = path, .line = 1, .column = 1},
                         "no column is called like an output of %s%s%.300s; the section identification "
                         "says which column is which output",
                         files->model->file, known[0] ? "; there are " : ", or has a name", known);
}

// those of the section, or what an optimisation may change
static MbsStatus choose_parameters(Files *files) {
  const MbsMeasuredSection *section = &files->section;
  const char **names;
  if (section->parameter_count == 0) {
    return mbs_design_names(files->context, files->arena, files->model, &files->result.parameter_count,
                            &files->result.parameters);
  }
  MBS_TAKE(files->context, files->arena, names, section->parameter_count);
  for (int i = 0; i < section->parameter_count; ++i) {
    names[i] = section->parameters[i].text;
  }
  files->result.parameter_count = section->parameter_count;
  files->result.parameters = names;
  return MBS_OK;
}

static MbsStatus read_all(Files *files, const MbsRequest *request, const MbsMeasuredOptions *options) {
  MbsBlueprint *blueprint;
  MbsExperiment *experiments;
  const MbsMeasuredSection *section = &files->section;
  MBS_TRY(mbs_blueprint_create(files->context, files->arena, files->model, &blueprint));
  MBS_TRY(mbs_measured_section_read(files->context, blueprint, &files->section));
  int count = options->file_count > 0 ? options->file_count : section->data_count;
  if (count == 0) {
    return mbs_fail(files->context, MBS_ERROR_INPUT, mbs_nowhere,
                    "nothing was measured: no data files are given, and the section identification of %s names none",
                    files->model->file);
  }
  MBS_TRY(find_sought(files, request, options));
  MBS_TAKE(files->context, files->arena, experiments, count);
  files->result.experiments = experiments;
  files->result.experiment_count = count;
  for (int i = 0; i < count; ++i) {
    const char *given = options->file_count > 0 ? options->files[i] : section->data[i].text;
    const char *path = options->file_count > 0 ? mbs_arena_copy_text(files->arena, given)
                                               : mbs_csv_beside(files->arena, files->model->file, given);
    if (!path) {
      return mbs_fail(files->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
    MBS_TRY(read_file(files, given, path, &experiments[i]));
  }
  MBS_TRY(check_found(files));
  MBS_TRY(choose_parameters(files));
  files->result.confidence = section->confidence;
  files->result.tolerance = section->tolerance;
  files->result.iterations = section->iterations;
  return MBS_OK;
}

MbsStatus mbs_measured_read(MbsContext *context, const MbsModel *model, const MbsRequest *request,
                            const MbsMeasuredOptions *options, MbsMeasured **measured) {
  MBS_CALL_BEGIN(context, "mbs_measured_read", {"model", model}, {"request", request}, {"measured", measured});
  static const MbsMeasuredOptions nothing = {.file_count = 0};
  *measured = NULL;
  MBS_TRY(mbs_request_check(context, request));
  MbsArena *arena = mbs_arena_create_for(context);
  Files *files = arena ? mbs_arena_take(arena, 1, sizeof *files) : NULL;
  if (!files) {
    mbs_arena_destroy(arena);
    return mbs_call_end(context, mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory"));
  }
  *files = (Files){.context = context,
                   .arena = arena,
                   .model = model,
                   .reader = {.context = context, .arena = arena, .dimension = model->dimension}};
  MbsStatus status = mbs_call_end(context, read_all(files, request, options ? options : &nothing));
  if (status != MBS_OK) {
    mbs_arena_destroy(arena);
    return status;
  }
  *measured = &files->result;
  return MBS_OK;
}

void mbs_measured_destroy(MbsMeasured *measured) {
  if (measured) {
    mbs_arena_destroy(((Files *)(void *)measured)->arena);
  }
}
