// A report as a whole: a model is run with its derivatives, once more to be drawn, and everything goes into one page;
// beside it another design, if there is one, as a ghost; and how a search went that found the first.
#ifndef MBS_CLI_HTML_DOCUMENT_H
#define MBS_CLI_HTML_DOCUMENT_H

#include <mbsens/optimize.h>

#include "../options.h"
#include "../output_file.h"

// A search that found the design: every better one, in their order.
typedef struct CliSearchStep {
  int start, evaluations;
  double value, violation;
  double *parameters;
} CliSearchStep;

typedef struct CliSearch {
  const MbsOptimum *optimum;
  int count;
  CliSearchStep *steps;
} CliSearch;

void cli_search_add(CliSearch *search, const MbsIterate *iterate);
void cli_search_free(CliSearch *search);

// Numbers of a file of results, which the run must give again.
typedef struct CliExpected {
  const char *path, *version;  // of the file, and of the mbsens that wrote it
  size_t count;
  char **names;
  double *values;
} CliExpected;

typedef struct CliDocument {
  const CliOptions *options;  // of the design
  const CliOptions *ghost;    // of the other; NULL: there is none
  const char *ghost_label;
  const CliSearch *search;      // NULL: there was none
  const CliExpected *expected;  // NULL: nothing is
} CliDocument;

// Writes the page, and completes the file, which is to be committed when all is printed; says on standard output what
// is in it. Return 0, or the exit status after a sentence on standard error.
int cli_document_write(const CliDocument *document, CliOutputFile *output);

#endif
