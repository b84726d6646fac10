// mbsens list: what model files may contain, from the same tables that read them.
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "io/catalogue.h"
#include "memory.h"
#include "options.h"
#include "outcome.h"

int cli_run_list(const CliOptions *options) {
  const char *topic = options->operand;
  if (!topic) {
    for (int i = 0; mbs_catalogue_topics[i]; ++i) {
      (void)printf("%s\n", mbs_catalogue_topics[i]);
    }
    (void)printf("options\n");
    return 0;
  }
  if (strcmp(topic, "options") == 0) {  // of the command, which the library does not know
    if (options->is_markdown) {
      cli_options_print_table(stdout);
    } else {
      cli_options_print_help(stdout, ~0U);
    }
    return 0;
  }
  MbsContext *context = mbs_context_create();
  if (!context) {
    cli_memory_is_out();
  }
  MbsStatus status = mbs_catalogue_print(context, stdout, topic, options->is_markdown);
  int exit_status = status == MBS_OK ? 0 : cli_fail_library(context, status);
  mbs_context_destroy(context);
  return exit_status;
}
