// mbsens plot: curves of runs and of files, and ranked sensitivities, as a picture.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "memory.h"
#include "outcome.h"
#include "output_file.h"
#include "plot/figure.h"
#include "plot/source.h"
#include "session.h"

// ---- the figure of some runs ----
typedef struct Picture {
  CliFigure figure;
  char *label_x;
  char **labels;  // of panels
  char **legends;
  int legend_count;
} Picture;

static char *join(const char *before, const char *between, const char *behind) {
  size_t room = strlen(before) + strlen(between) + strlen(behind) + 1;
  char *text = cli_memory_take(room, 1);
  (void)snprintf(text, room, "%s%s%s", before, between, behind);
  return text;
}

// "name [unit]"
static char *with_unit(const char *name, const char *unit) {
  char *text = join(name, unit ? (*name ? " [" : "[") : "", unit ? unit : "");
  if (unit) {
    char *whole = join(text, "]", "");
    free(text);
    return whole;
  }
  return text;
}

static int distinct_labels(const CliRuns *runs, const CliWords *words, int panel) {
  int count = 0;
  const CliRun *run = &runs->items[0];
  for (int k = 0; k < run->series_count; ++k) {
    count += words->items[run->series[k].word].panel == panel;
  }
  return count;
}

// The label of the axis: the column that all curves show, or the unit that all have.
static char *panel_label(const CliRuns *runs, const CliWords *words, int panel) {
  const CliSeries *first = NULL;
  const char *unit = NULL;
  bool has_one_name = true, has_one_unit = true;
  for (int r = 0; r < runs->count; ++r) {
    for (int k = 0; k < runs->items[r].series_count; ++k) {
      const CliSeries *series = &runs->items[r].series[k];
      const char *own = runs->items[r].data.columns[series->column].unit;
      if (words->items[series->word].panel != panel) {
        continue;
      }
      if (!first) {
        first = series;
        unit = own;
      }
      has_one_name = has_one_name && strcmp(first->label, series->label) == 0;
      has_one_unit = has_one_unit && strcmp(unit ? unit : "", own ? own : "") == 0;
    }
  }
  return with_unit(first && has_one_name ? first->label : "", has_one_unit ? unit : NULL);
}

static const char *keep_legend(Picture *picture, char *legend) {
  picture->legends = cli_memory_resize(picture->legends, (size_t)picture->legend_count + 1, sizeof *picture->legends);
  return picture->legends[picture->legend_count++] = legend;
}

// Several columns of several runs: a colour for each column, dashes for each run. Else a colour for each curve.
static void add_curves(Picture *picture, const CliRuns *runs, const CliWords *words, int p) {
  CliPanel *panel = &picture->figure.panels[p];
  int column_count = distinct_labels(runs, words, p), most = 0;
  for (int r = 0; r < runs->count; ++r) {
    most += runs->items[r].series_count;
  }
  panel->curves = cli_memory_take((size_t)most, sizeof *panel->curves);
  for (int r = 0; r < runs->count; ++r) {
    const CliRun *run = &runs->items[r];
    int place = 0;
    for (int k = 0; k < run->series_count; ++k) {
      const CliSeries *series = &run->series[k];
      if (words->items[series->word].panel != p) {
        continue;
      }
      bool has_both = column_count > 1 && runs->count > 1;
      char *legend = has_both ? join(series->label, ", ", run->label)
                              : join(column_count > 1 ? series->label : run->label, "", "");
      panel->curves[panel->curve_count++] = (CliCurve){.label = keep_legend(picture, legend),
                                                       .count = run->data.row_count,
                                                       .x = run->data.columns[run->x].values,
                                                       .y = run->data.columns[series->column].values,
                                                       .colour = column_count > 1 ? place : r,
                                                       .dashes = column_count > 1 ? r : 0};
      ++place;
    }
  }
}

static void add_events(Picture *picture, const CliRuns *runs) {
  int count = 0;
  for (int r = 0; r < runs->count; ++r) {
    count += runs->items[r].moment_count;
  }
  picture->figure.marks = cli_memory_take((size_t)count, sizeof *picture->figure.marks);
  for (int r = 0; r < runs->count; ++r) {
    const CliRun *run = &runs->items[r];
    for (int i = 0; i < run->moment_count && strcmp(run->x_name, "t") == 0; ++i) {
      picture->figure.marks[picture->figure.mark_count++] = (CliFigureMark){run->moments[i].time, run->moments[i].name};
    }
  }
}

static void compose(Picture *picture, const CliRuns *runs, const CliAsked *asked) {
  const CliOptions *options = asked->options;
  const CliRun *first = &runs->items[0];
  CliFigure *figure = &picture->figure;
  picture->label_x = with_unit(first->x_name, first->data.columns[first->x].unit);
  figure->title = options->title ? options->title : "";
  figure->label_x = picture->label_x;
  figure->is_equal = options->is_equal;
  figure->has_discs = options->has_discs;
  figure->panel_count = asked->words.panel_count;
  figure->panels = cli_memory_take((size_t)figure->panel_count, sizeof *figure->panels);
  picture->labels = cli_memory_take((size_t)figure->panel_count, sizeof *picture->labels);
  for (int p = 0; p < figure->panel_count; ++p) {
    picture->labels[p] = panel_label(runs, &asked->words, p);
    figure->panels[p].label = picture->labels[p];
    add_curves(picture, runs, &asked->words, p);
  }
  add_events(picture, runs);
}

static void free_picture(Picture *picture) {
  for (int p = 0; p < picture->figure.panel_count; ++p) {
    free(picture->figure.panels[p].curves);
    free(picture->labels[p]);
  }
  for (int i = 0; i < picture->legend_count; ++i) {
    free(picture->legends[i]);
  }
  free(picture->figure.panels);
  free(picture->figure.marks);
  free(picture->labels);
  free(picture->legends);
  free(picture->label_x);
}

// ---- options ----
static int read_scales(const CliOptions *options, CliFigure *figure) {
  const char *log = options->log;
  char after;
  if (log && strcmp(log, "x") != 0 && strcmp(log, "y") != 0 && strcmp(log, "xy") != 0) {
    return cli_fail(MBS_ERROR_INPUT, "--log: must be x, y or xy, got \"%s\"", log);
  }
  figure->is_log_x = log && strchr(log, 'x');
  figure->is_log_y = log && strchr(log, 'y');
  if (log && options->is_equal) {
    return cli_fail(MBS_ERROR_INPUT, "--equal: is for two linear axes, and not for --log %s", log);
  }
  double *width = &figure->width, *height = &figure->height;
  bool is_size = !options->size || (sscanf(options->size, "%lfx%lf%c", width, height, &after) == 2 && *width >= 150 &&
                                    *width <= 5000 && *height >= 100 && *height <= 5000);
  return is_size ? 0
                 : cli_fail(MBS_ERROR_INPUT,
                            "--size: must be WIDTHxHEIGHT in points (1/72 inch), from 150x100 to 5000x5000, got \"%s\"",
                            options->size);
}

static int check_picture(const CliOptions *options, CliPicture *kind) {
  if (!options->output) {
    return cli_fail(MBS_ERROR_INPUT, "plot needs -o FILE.svg (or .png, .pdf): the picture");
  }
  if (!cli_picture_kind(options->output, kind)) {
    return cli_fail(MBS_ERROR_INPUT, "-o: \"%s\" is not offered; the name must end in .svg, .png or .pdf",
                    options->output);
  }
  return cli_picture_is_offered(*kind)
             ? 0
             : cli_fail(MBS_ERROR_NOT_OFFERED,
                        "-o %s: this mbsens was built without cairo, and writes pictures as .svg alone; on Debian: "
                        "apt-get install libcairo2-dev, and build again",
                        options->output);
}

static bool is_file(const char *operand) {
  return cli_path_ends_in(operand, ".csv") || cli_path_ends_in(operand, ".h5");
}

// What belongs to models or to files alone.
static int check_operands(const CliOptions *options) {
  bool has_models = false, has_files = false;
  for (int i = 0; i < options->operand_count; ++i) {
    has_files = has_files || is_file(options->operands[i]);
    has_models = has_models || !is_file(options->operands[i]);
  }
  if (options->by && has_models) {
    return cli_fail(MBS_ERROR_INPUT,
                    "--by: groups rows of a .csv file; for runs of a model with several values: --vary");
  }
  const char *of_model = options->variation_count > 0    ? "vary"
                         : options->has_bars             ? "bars"
                         : options->is_kinematic         ? "kinematics"
                         : options->assignment_count > 0 ? "set"
                                                         : NULL;
  for (int i = 0; i < mbs_settings_count && !of_model; ++i) {
    of_model = options->given[i] ? mbs_settings[i].setting->option : NULL;
  }
  if (has_files && !has_models && of_model) {
    return cli_fail(MBS_ERROR_INPUT, "--%s: is for models, and %s is a file of results", of_model,
                    options->operands[0]);
  }
  return 0;
}

// ---- the picture goes out ----
static int write_picture(const CliDrawing *drawing, CliPicture kind, CliOutputFile *output) {
  int error = cli_drawing_write(drawing, kind, output->file);
  if (error) {
    return cli_fail(MBS_ERROR_FILE, "cannot write %s: %s", output->path, strerror(error));
  }
  return cli_output_finish(output);
}

static void put_range(CliJson *json, const char *key, const double *values, long count) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (long i = 0; i < count; ++i) {
    least = isfinite(values[i]) ? fmin(least, values[i]) : least;
    most = isfinite(values[i]) ? fmax(most, values[i]) : most;
  }
  cli_json_open_array(json, key);
  cli_json_number(json, NULL, least);
  cli_json_number(json, NULL, most);
  cli_json_close(json);
}

static void print_json(const CliFigure *figure, const char *path) {
  CliJson json = cli_json_begin(stdout);
  cli_json_text(&json, "file", path);
  cli_json_text(&json, "x", figure->label_x);
  cli_json_open_array(&json, "panels");
  for (int p = 0; p < figure->panel_count; ++p) {
    const CliPanel *panel = &figure->panels[p];
    cli_json_open_object(&json, NULL);
    cli_json_text(&json, "label", panel->label);
    cli_json_open_array(&json, "curves");
    for (int c = 0; c < panel->curve_count; ++c) {
      const CliCurve *curve = &panel->curves[c];
      cli_json_open_object(&json, NULL);
      cli_json_text(&json, "label", curve->label[0] ? curve->label : panel->label);
      cli_json_integer(&json, "values", curve->count);
      put_range(&json, "x", curve->x, curve->count);
      put_range(&json, "y", curve->y, curve->count);
      cli_json_close(&json);
    }
    cli_json_close(&json);
    cli_json_close(&json);
  }
  cli_json_close(&json);
  cli_json_open_array(&json, "events");
  for (int i = 0; i < figure->mark_count; ++i) {
    cli_json_open_object(&json, NULL);
    cli_json_text(&json, "name", figure->marks[i].name);
    cli_json_number(&json, "time", figure->marks[i].x);
    cli_json_close(&json);
  }
  cli_json_close(&json);
  cli_json_end(&json);
}

static void print_words(const CliFigure *figure, const char *path) {
  int curves = 0;
  for (int p = 0; p < figure->panel_count; ++p) {
    curves += figure->panels[p].curve_count;
  }
  (void)printf("picture: %s, %d panel%s, %d curve%s\n", path, figure->panel_count, figure->panel_count == 1 ? "" : "s",
               curves, curves == 1 ? "" : "s");
}

static int fail_lacking(const CliFigure *figure, int lacks) {
  bool is_log = lacks < 0 ? figure->is_log_x : figure->is_log_y;
  const char *label = lacks < 0 ? figure->label_x : figure->panels[lacks - 1].label;
  const char *curve = lacks < 0 ? "" : figure->panels[lacks - 1].curves[0].label;
  return cli_fail(MBS_ERROR_INPUT, "%s has no %svalues to show%s", *label ? label : curve,
                  is_log ? "positive " : "finite ", is_log ? " on a logarithmic axis" : "");
}

static int plot_curves(const CliOptions *options, CliPicture kind, CliOutputFile *output) {
  CliAsked asked = {.options = options, .x = options->x};
  CliRuns runs = {0};
  Picture picture = {0};
  int failure = options->y ? cli_words_read("--y", options->y, &asked.words) : 0;
  failure = failure ? failure : read_scales(options, &picture.figure);
  for (int i = 0; i < options->operand_count && !failure; ++i) {
    const char *operand = options->operands[i];
    int before = runs.count;
    failure =
        is_file(operand) ? cli_source_read_file(&asked, operand, &runs) : cli_source_read_model(&asked, operand, &runs);
    for (int r = before; r < runs.count && options->operand_count > 1; ++r) {  // whose it is
      CliRun *run = &runs.items[r];
      const char *slash = strrchr(operand, '/');
      char *label = join(slash ? slash + 1 : operand, *run->label ? ", " : "", run->label);
      free(run->label);
      run->label = label;
    }
  }
  if (!failure) {
    compose(&picture, &runs, &asked);
    int lacks = cli_figure_lacks(&picture.figure);
    failure = lacks ? fail_lacking(&picture.figure, lacks) : 0;
  }
  if (!failure) {
    CliDrawing *drawing = cli_figure_draw(&picture.figure);
    failure = write_picture(drawing, kind, output);
    cli_drawing_destroy(drawing);
  }
  if (!failure && options->is_json) {
    print_json(&picture.figure, options->output);
  } else if (!failure && !options->is_quiet) {
    print_words(&picture.figure, options->output);
  }
  free_picture(&picture);
  cli_runs_free(&runs);
  cli_words_free(&asked.words);
  return failure;
}

// ---- bars ----
// p/psi dpsi/dp for each objective; where psi is 0, p dpsi/dp.
static void fill_bars(const MbsResult *result, int objective, CliBarPanel *panel, char *title, size_t room) {
  double value = result->values[objective];
  bool is_relative = cli_ranked_is_relative(result, objective);
  const char *name = result->objectives[objective];
  panel->bars = cli_memory_take((size_t)result->parameter_count, sizeof *panel->bars);
  panel->count = cli_ranked_list(result, objective, panel->bars);
  if (is_relative) {
    (void)snprintf(title, room, "%s = %.6g:  (p / %s) d%s/dp", name, value, name, name);
  } else {
    (void)snprintf(title, room, "%s = 0:  p d%s/dp", name, name);
  }
  panel->title = title;
}

static void print_bars(const MbsResult *result, const CliBarPanel *panels, const char *path, bool is_json) {
  if (!is_json) {
    (void)printf("picture: %s, relative sensitivities of %d objective%s by %d parameters that are not 0\n", path,
                 result->objective_count, result->objective_count == 1 ? "" : "s", panels[0].count);
    return;
  }
  CliJson json = cli_json_begin(stdout);
  cli_json_text(&json, "file", path);
  cli_json_open_object(&json, "relative_sensitivities");
  for (int i = 0; i < result->objective_count; ++i) {
    cli_json_open_object(&json, result->objectives[i]);
    for (int k = 0; k < panels[i].count; ++k) {
      cli_json_number(&json, panels[i].bars[k].name, panels[i].bars[k].value);
    }
    cli_json_close(&json);
  }
  cli_json_close(&json);
  cli_json_end(&json);
}

static int draw_bars(const MbsResult *result, const CliOptions *options, CliPicture kind, CliOutputFile *output) {
  enum { ROOM = 400 };
  int count = result->objective_count, bars = 0, failure = 0;
  CliFigure sizes = {0};
  CliBarPanel *panels = cli_memory_take((size_t)count, sizeof *panels);
  char *titles = cli_memory_take((size_t)count, ROOM);
  for (int i = 0; i < count; ++i) {
    fill_bars(result, i, &panels[i], titles + (size_t)i * ROOM, ROOM);
    bars += panels[i].count;
  }
  failure = read_scales(options, &sizes);
  if (!failure && bars == 0) {
    failure = cli_fail(MBS_ERROR_INPUT,
                       "--bars: all parameters are 0 or there are none, and nothing has a relative "
                       "sensitivity; choose some with --wrt");
  }
  if (!failure) {
    CliDrawing *drawing = cli_bars_draw(options->title ? options->title : result->model, count, panels, sizes.width);
    failure = write_picture(drawing, kind, output);
    cli_drawing_destroy(drawing);
  }
  if (!failure && !options->is_quiet) {
    print_bars(result, panels, options->output, options->is_json);
  }
  for (int i = 0; i < count; ++i) {
    free(panels[i].bars);
  }
  free(panels);
  free(titles);
  return failure;
}

static int plot_bars(const CliOptions *options, CliPicture kind, CliOutputFile *output) {
  CliSession session;
  MbsResult *result = NULL;
  if (options->operand_count > 1 || options->y || options->x || options->log || options->variation_count > 0) {
    return cli_fail(MBS_ERROR_INPUT,
                    "--bars: takes one model, with --objective and --wrt, and none of --y, --x, --log, "
                    "--vary");
  }
  CliOptions own = *options;
  own.output = NULL;  // no histories
  int failure = cli_session_open(&session, &own);
  failure =
      failure ? failure : cli_session_run(&session, session.request->method, "run with sensitivities", false, &result);
  if (!failure && result->objective_count == 0) {
    failure = cli_fail(MBS_ERROR_INPUT, "--bars: %s has no objectives", options->operand);
  }
  failure = failure ? failure : draw_bars(result, options, kind, output);
  mbs_result_destroy(result);
  cli_session_close(&session);
  return failure;
}

int cli_run_plot(const CliOptions *options) {
  CliPicture kind = CLI_PICTURE_SVG;
  CliOutputFile output = {0};
  int failure = check_picture(options, &kind);
  failure = failure ? failure : check_operands(options);
  failure = failure ? failure : cli_output_open(&output, options->output);  // what cannot be written is known before
  if (!failure) {
    failure = options->has_bars ? plot_bars(options, kind, &output) : plot_curves(options, kind, &output);
  }
  failure = failure ? failure : cli_finish_output(0);
  failure = failure ? failure : cli_output_commit(&output);
  cli_output_close(&output);
  return failure;
}
