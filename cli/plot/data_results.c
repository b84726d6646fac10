// Results as HDF5 (docs/results.md, written by ../results.c) as columns: see data.h.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../hdf5.h"
#include "../memory.h"
#include "../outcome.h"
#include "data.h"

static double *add_column(CliData *data, const char *name, const char *unit) {
  data->columns = cli_memory_resize(data->columns, (size_t)data->column_count + 1, sizeof *data->columns);
  CliColumn *column = &data->columns[data->column_count++];
  *column = (CliColumn){.name = cli_memory_copy_text(name, strlen(name)),
                        .unit = unit && *unit ? cli_memory_copy_text(unit, strlen(unit)) : NULL,
                        .values = cli_memory_take((size_t)data->row_count + 1, sizeof(double))};
  return column->values;
}

// What a group has, of which a file of another program may have anything.
typedef struct Group {
  size_t sizes[3], name_count, unit_count;
  double *values, *derivatives;
  char **names, **units;
} Group;

static void add_group(CliData *data, const Group *group, size_t parameter_count, char **parameters) {
  size_t rows = (size_t)data->row_count, width = group->name_count;
  for (size_t j = 0; j < width; ++j) {
    double *to = add_column(data, group->names[j], j < group->unit_count ? group->units[j] : NULL);
    for (size_t i = 0; i < rows; ++i) {
      to[i] = group->values[i * width + j];
    }
  }
  for (size_t k = 0; group->derivatives && k < parameter_count; ++k) {
    for (size_t j = 0; j < width; ++j) {
      size_t room = strlen(group->names[j]) + strlen(parameters[k]) + 12;
      char *name = cli_memory_take(room, 1);
      (void)snprintf(name, room, "d(%s)/d(%s)", group->names[j], parameters[k]);
      double *to = add_column(data, name, NULL);
      for (size_t i = 0; i < rows; ++i) {
        to[i] = group->derivatives[(i * width + j) * parameter_count + k];
      }
      free(name);
    }
  }
}

// False: there is such a group, and it is not as the layout says.
static bool read_group(CliData *data, int64_t file, const char *name, size_t parameter_count, char **parameters) {
  char path[80];
  size_t sizes[3];
  Group group = {0};
  (void)snprintf(path, sizeof path, "/%s/value", name);
  if (!cli_hdf5_read_array(file, path, 2, group.sizes, &group.values)) {
    return true;
  }
  (void)snprintf(path, sizeof path, "/%s/name", name);
  bool is_good = cli_hdf5_read_texts(file, path, &group.name_count, &group.names);
  (void)snprintf(path, sizeof path, "/%s/unit", name);
  (void)cli_hdf5_read_texts(file, path, &group.unit_count, &group.units);
  is_good = is_good && group.sizes[0] == (size_t)data->row_count && group.sizes[1] == group.name_count;
  (void)snprintf(path, sizeof path, "/%s/derivative", name);
  if (is_good && cli_hdf5_read_array(file, path, 3, sizes, &group.derivatives)) {
    is_good = sizes[0] == group.sizes[0] && sizes[1] == group.sizes[1] && sizes[2] == parameter_count;
  }
  if (is_good) {
    add_group(data, &group, parameter_count, parameters);
  }
  free(group.values);
  free(group.derivatives);
  cli_hdf5_free_texts(group.name_count, group.names);
  cli_hdf5_free_texts(group.unit_count, group.units);
  return is_good;
}

int cli_data_read_results(CliData *data, const char *path) {
  static const char *const groups[] = {"outputs",    "coordinates", "velocities", "accelerations", "multipliers",
                                       "objectives", "points",      "reactions",  "frames",        "residuals"};
  size_t rows = 0, parameter_count = 0;
  double layout = 0, *time = NULL;
  char **parameters = NULL;
  *data = (CliData){0};
  FILE *there = fopen(path, "r");
  if (!there) {
    return cli_fail(MBS_ERROR_FILE, "cannot open %s", path);
  }
  (void)fclose(there);
  if (!cli_hdf5_version()) {
    return cli_fail(MBS_ERROR_NOT_OFFERED, "%s: this mbsens was built without HDF5", path);
  }
  int64_t file = cli_hdf5_open(path);
  if (file < 0) {
    return cli_fail(MBS_ERROR_INPUT, "%s is no HDF5 file", path);
  }
  bool has_layout = cli_hdf5_read_attribute(file, "/", "layout", &layout);
  bool has_time = cli_hdf5_read_array(file, "/time", 1, &rows, &time);
  int failure = 0;
  if (!has_layout || !has_time) {
    failure = cli_fail(MBS_ERROR_INPUT, "%s has no results over time of mbsens", path);
  } else if (layout < 1 || layout > 1) {
    char *version = cli_hdf5_read_attribute_text(file, "/", "mbsens");
    failure = cli_fail(MBS_ERROR_INPUT, "%s has results in layout %g, of mbsens %s; this is %s, which knows layout 1",
                       path, layout, version ? version : "?", mbs_version());
    free(version);
  } else {
    (void)cli_hdf5_read_texts(file, "/parameters/name", &parameter_count, &parameters);
    data->row_count = (long)rows;
    memcpy(add_column(data, "t", "s"), time, rows * sizeof *time);
    for (size_t g = 0; g < sizeof groups / sizeof groups[0] && !failure; ++g) {
      if (!read_group(data, file, groups[g], parameter_count, parameters)) {
        failure = cli_fail(MBS_ERROR_INPUT, "%s: group \"%s\" is damaged", path, groups[g]);
      }
    }
    cli_hdf5_free_texts(parameter_count, parameters);
  }
  free(time);
  cli_hdf5_close(file);
  return failure;
}
