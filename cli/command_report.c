// mbsens report: everything about a run as one HTML file, with the motion to be watched.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "html/document.h"
#include "memory.h"
#include "outcome.h"
#include "output_file.h"
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
    ghost->options.assignment_count = 0;  // --set is of the other
    return stat(options->ghost, &entry) == 0 && !S_ISREG(entry.st_mode)
               ? cli_fail(MBS_ERROR_INPUT, "--ghost: %s is no regular file", options->ghost)
               : 0;
  }
  return read_values(options, ghost);
}

int cli_run_report(const CliOptions *options) {
  Ghost ghost = {0};
  CliOutputFile output = {0};
  CliDocument document = {.options = options, .ghost_label = options->ghost};
  int failure = check_options(options);
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
  return failure;
}
