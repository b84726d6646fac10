// mbsens list: what model files may contain, from the same tables that read them.
#include <stdio.h>

#include "base/names.h"
#include "command.h"
#include "io/catalogue.h"
#include "outcome.h"

int cli_run_list(const CliOptions *options) {
  const char *topic = options->operand;
  if (!topic) {
    for (int i = 0; mbs_catalogue_topics[i]; ++i) {
      (void)printf("%s\n", mbs_catalogue_topics[i]);
    }
    return 0;
  }
  if (mbs_catalogue_print(stdout, topic, options->is_markdown)) {
    return 0;
  }
  const char *nearest = NULL;
  for (int i = 0; mbs_catalogue_topics[i]; ++i) {
    mbs_name_nearest(topic, mbs_catalogue_topics[i], &nearest);
  }
  if (nearest) {
    return cli_fail(MBS_ERROR_INPUT, "list: unknown topic \"%s\", did you mean %s?", topic, nearest);
  }
  return cli_fail(MBS_ERROR_INPUT, "list: unknown topic \"%s\"; mbsens list prints the topics", topic);
}
