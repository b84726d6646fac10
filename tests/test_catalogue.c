// `mbsens list`: every topic prints, in text and in markdown, and leaves nothing out.
#include <mbsens/mbsens.h>

#include "ensure.h"
#include "expressions/parse.h"
#include "io/catalogue.h"
#include "model/force.h"
#include "model/joint.h"

static MbsContext *context;

static char *print(const char *topic, bool markdown) {
  char *text;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  ENSURE(out != NULL);
  ENSURE(mbs_catalogue_print(context, out, topic, markdown) == MBS_OK);
  ENSURE(fclose(out) == 0);
  ENSURE(length > 0 && text[length - 1] == '\n');
  return text;
}

static void ensure_fields(const char *text, const MbsRecordType *type, bool markdown) {
  ENSURE_CONTAINS(text, type->summary);
  for (int i = 0; i < type->field_count; ++i) {
    ENSURE_CONTAINS(text, type->fields[i].name);
    if (markdown) {  // in text the summary may be broken over lines
      ENSURE_CONTAINS(text, type->fields[i].summary);
    }
    if (type->fields[i].unit) {
      ENSURE_CONTAINS(text, type->fields[i].unit);
    }
    if (type->fields[i].record) {
      ensure_fields(text, type->fields[i].record, markdown);
    }
  }
}

// Lines fit a terminal and end where their text ends.
static void ensure_neat(const char *text) {
  for (const char *line = text; *line;) {
    size_t length = strcspn(line, "\n");
    ENSURE(length <= 100);
    ENSURE(length == 0 || line[length - 1] != ' ');
    line += length + 1;
  }
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context != NULL);
  for (int i = 0; mbs_catalogue_topics[i]; ++i) {
    char *text = print(mbs_catalogue_topics[i], false);
    char *markdown = print(mbs_catalogue_topics[i], true);
    if (strcmp(mbs_catalogue_topics[i], "schema") == 0) {
      ENSURE_TEXT(markdown, text);
    } else {
      ensure_neat(text);
    }
    free(text);
    free(markdown);
  }
  for (int markdown = 0; markdown < 2; ++markdown) {
    char *elements = print("elements", markdown);
    char *joints = print("joints", markdown);
    char *functions = print("functions", markdown);
    ensure_fields(elements, &mbs_model_type, markdown);
    for (int i = 0; mbs_joint_types[i]; ++i) {
      ensure_fields(joints, &mbs_joint_types[i]->record, markdown);
      ensure_fields(elements, &mbs_joint_types[i]->record, markdown);
    }
    for (int i = 0; mbs_force_types[i]; ++i) {
      ensure_fields(elements, &mbs_force_types[i]->record, markdown);
    }
    for (const MbsFunctionHelp *help = mbs_function_help; help->name; ++help) {
      ENSURE_CONTAINS(functions, help->name);
    }
    free(elements);
    free(joints);
    free(functions);
  }
  char *formulations = print("formulations", true);
  ENSURE_CONTAINS(formulations, "projections of velocities and accelerations (the default)");
  ENSURE(strstr(strstr(formulations, "(the default)") + 1, "(the default)") == NULL);
  free(formulations);
  ENSURE(mbs_catalogue_print(context, stdout, "nonsense", false) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "nonsense");
  mbs_context_destroy(context);
  return 0;
}
