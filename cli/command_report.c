// mbsens report: everything about a run as one HTML file, with the motion to be watched.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "hdf5.h"
#include "html/document.h"
#include "memory.h"
#include "outcome.h"
#include "output_file.h"
#include "plot/data.h"
#include "plot/words.h"

static int check_options(const CliOptions *options) {
  struct stat entry;
  if (!options->output || !cli_path_ends_in(options->output, ".html")) {
    return options->output
               ? cli_fail(MBS_ERROR_INPUT, "-o: \"%s\" is not offered; a report is FILE.html", options->output)
               : cli_fail(MBS_ERROR_INPUT, "report needs -o FILE.html");
  }
  if (stat(options->operand, &entry) == 0 && !S_ISREG(entry.st_mode)) {
    return cli_fail(MBS_ERROR_INPUT, "%s is no regular file, and a report reads its model more than once",
                    options->operand);
  }
  return 0;
}

// ---- the ghost: another model file, or the same model with other values, A=1,B=2 ----
typedef struct Ghost {
  CliOptions options;
  CliWords words;  // with '\0' in the place of '='
} Ghost;

static int read_values(const CliOptions *options, Ghost *ghost) {
  int failure = cli_words_read("--ghost", options->ghost, &ghost->words);
  if (failure) {
    return failure;
  }
  size_t count = (size_t)options->assignment_count + (size_t)ghost->words.count;
  ghost->options.assignments = cli_memory_take(count, sizeof *ghost->options.assignments);
  if (options->assignment_count > 0) {
    memcpy(ghost->options.assignments, options->assignments, (size_t)options->assignment_count * sizeof(CliAssignment));
  }
  for (int i = 0; i < ghost->words.count; ++i) {
    char *equals = strchr(ghost->words.items[i].text, '=');
    if (!equals || equals == ghost->words.items[i].text || !equals[1]) {
      return cli_fail(MBS_ERROR_INPUT, "--ghost: must be NAME=VALUE,... or a model file, got \"%s\"", options->ghost);
    }
    *equals = '\0';
    ghost->options.assignments[ghost->options.assignment_count++] =
        (CliAssignment){ghost->words.items[i].text, equals + 1};
  }
  return 0;
}

static int read_ghost(const CliOptions *options, Ghost *ghost) {
  ghost->options = *options;
  ghost->options.assignments = NULL;
  if (!strchr(options->ghost, '=')) {
    struct stat entry;
    ghost->options.operand = options->ghost;
    ghost->options.model_text = NULL;
    ghost->options.assignment_count = 0;  // --set is of the other
    return stat(options->ghost, &entry) == 0 && !S_ISREG(entry.st_mode)
               ? cli_fail(MBS_ERROR_INPUT, "--ghost: %s is no regular file", options->ghost)
               : 0;
  }
  return read_values(options, ghost);
}

// ---- results as HDF5: the model in the file is run again as it was, and must give the same ----
typedef struct Kept {
  CliOptions options;
  CliExpected expected;
  char *text, *version, *settings[5];
} Kept;

static const char *const kept_settings[] = {"formulation", "coordinates", "integrator", "step", "end"};

static void keep_setting(Kept *kept, int64_t file, int k) {
  double number;
  char text[40];
  kept->settings[k] = cli_hdf5_read_attribute_text(file, "/", kept_settings[k]);
  if (!kept->settings[k] && cli_hdf5_read_attribute(file, "/", kept_settings[k], &number)) {
    (void)snprintf(text, sizeof text, "%.17g", number);
    kept->settings[k] = cli_memory_copy_text(text, strlen(text));
  }
  for (int i = 0; i < mbs_settings_count; ++i) {
    if (kept->settings[k] && !kept->options.given[i] && strcmp(mbs_settings[i].name, kept_settings[k]) == 0) {
      kept->options.given[i] = kept->settings[k];
    }
  }
}

static int read_kept(const CliOptions *options, Kept *kept) {
  CliData data;
  int failure = cli_data_read_results(&data, options->operand);  // is it such a file?
  cli_data_free(&data);
  int64_t file = failure ? -1 : cli_hdf5_open(options->operand);
  size_t text_count = 0, value_count = 0;
  char **texts = NULL, *command = NULL;
  if (failure) {
    return failure;
  }
  kept->options = *options;
  kept->options.given = cli_memory_take((size_t)mbs_settings_count, sizeof *kept->options.given);
  memcpy(kept->options.given, options->given, (size_t)mbs_settings_count * sizeof *kept->options.given);
  command = cli_hdf5_read_attribute_text(file, "/", "command");
  kept->version = cli_hdf5_read_attribute_text(file, "/", "mbsens");
  if (!cli_hdf5_read_texts(file, "/model/whole", &text_count, &texts) || text_count != 1) {
    failure = cli_fail(MBS_ERROR_INPUT, "%s has no model", options->operand);
  } else if (options->assignment_count > 0) {
    failure =
        cli_fail(MBS_ERROR_INPUT, "--set: %s has results with other values; --ghost shows both", options->operand);
  } else {
    kept->text = texts[0];
    texts[0] = NULL;
    kept->options.model_text = kept->text;
    kept->options.is_kinematic = options->is_kinematic || (command && strcmp(command, "kinematics") == 0);
    for (int k = 0; k < 5; ++k) {
      keep_setting(kept, file, k);
    }
    (void)cli_hdf5_read_texts(file, "/final/objective", &kept->expected.count, &kept->expected.names);
    bool has_values = cli_hdf5_read_array(file, "/final/value", 1, &value_count, &kept->expected.values);
    if (!has_values || value_count != kept->expected.count) {
      cli_hdf5_free_texts(kept->expected.count, kept->expected.names);
      kept->expected.names = NULL;
      kept->expected.count = 0;
    }
    kept->expected.path = options->operand;
    kept->expected.version = kept->version ? kept->version : "?";
  }
  cli_hdf5_free_texts(text_count, texts);
  free(command);
  cli_hdf5_close(file);
  return failure;
}

static void free_kept(Kept *kept) {
  for (int k = 0; k < 5; ++k) {
    free(kept->settings[k]);
  }
  cli_hdf5_free_texts(kept->expected.count, kept->expected.names);
  free(kept->expected.values);
  free(kept->options.given);
  free(kept->text);
  free(kept->version);
}

int cli_run_report(const CliOptions *asked) {
  const CliOptions *options = asked;
  Ghost ghost = {0};
  Kept kept = {0};
  CliOutputFile output = {0};
  int failure = check_options(asked);
  if (!failure && cli_path_ends_in(asked->operand, ".csv")) {
    failure = cli_fail(MBS_ERROR_INPUT, "a report is of a model, or of results as HDF5; %s is drawn by mbsens plot",
                       asked->operand);
  }
  if (!failure && cli_path_ends_in(asked->operand, ".h5")) {
    failure = read_kept(asked, &kept);
    options = &kept.options;
  }
  CliDocument document = {
      .options = options, .ghost_label = asked->ghost, .expected = options == asked ? NULL : &kept.expected};
  if (!failure && options->ghost) {
    failure = read_ghost(options, &ghost);
    document.ghost = &ghost.options;
  }
  failure = failure ? failure : cli_output_open(&output, options->output);  // what cannot be written is known before
  failure = failure ? failure : cli_document_write(&document, &output);
  failure = failure ? failure : cli_finish_output(0);
  failure = failure ? failure : cli_output_commit(&output);
  cli_output_close(&output);
  free(ghost.options.assignments);
  cli_words_free(&ghost.words);
  free_kept(&kept);
  return failure;
}
