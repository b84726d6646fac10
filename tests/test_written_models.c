// Every model of the repository, written as a file and read again, is the same tree, and lists the same contents.
#include <mbsens/build.h>

#include "same_tree.h"
#include "support.h"

static MbsContext *context;

static void test_written(const char *path, void *user) {
  (void)user;
  MbsModel *read = read_model(context, path);
  char *text, *twice;
  ENSURE_OK(context, mbs_model_write(context, read, &text));
  MbsModel *again = read_text(context, path, text);
  ENSURE(again->dimension == read->dimension);
  ENSURE(is_same_record(path, &mbs_model_type, &read->root, &again->root));
  ENSURE_OK(context, mbs_model_write(context, again, &twice));
  ENSURE(strcmp(text, twice) == 0);
  MbsContents *contents, *same;
  ENSURE_OK(context, mbs_contents_create(context, read, &contents));
  ENSURE_OK(context, mbs_contents_create(context, again, &same));
  ENSURE(contents->parameter_count == same->parameter_count && contents->body_count == same->body_count);
  for (int i = 0; i < contents->parameter_count; ++i) {
    ENSURE(strcmp(contents->parameters[i], same->parameters[i]) == 0);
    ENSURE(contents->parameter_values[i] == same->parameter_values[i]);
    ENSURE(contents->is_derived[i] == same->is_derived[i]);
  }
  mbs_contents_destroy(same);
  mbs_contents_destroy(contents);
  mbs_text_destroy(twice);
  mbs_text_destroy(text);
  mbs_model_destroy(again);
  mbs_model_destroy(read);
}

// what YAML would take for something else
static void test_quoting(void) {
  MbsModel *model;
  ENSURE_OK(context, mbs_model_create(context, "a: \"b\" # c\\d, \xc3\xa9 ", 3, &model));
  ENSURE_OK(context, mbs_model_add_parameter(context, model, "u[1]", "1"));
  ENSURE_OK(context, mbs_model_add_parameter(context, model, "x", "-u[1]"));
  ENSURE_OK(context, mbs_model_add_parameter(context, model, "u[2]", "max(x, u[1])"));
  ENSURE_OK(context, mbs_model_add_function(context, model, "f(a, b)", "a*b - 1"));
  ENSURE_OK(context, mbs_model_add_hardpoint(context, model, "P", "1", "x", "0"));
  char *text;
  ENSURE_OK(context, mbs_model_write(context, model, &text));
  MbsModel *again = read_text(context, "again", text);
  ENSURE(strcmp(mbs_record_text(&again->root, MBS_MODEL_NAME).text, "a: \"b\" # c\\d, \xc3\xa9 ") == 0);
  MbsContents *contents;
  ENSURE_OK(context, mbs_contents_create(context, again, &contents));
  const char *names[] = {"u[1]", "u[2]", "x", "P.x", "P.y", "P.z"};
  const double values[] = {1, 1, -1, 1, -1, 0};
  ENSURE(contents->parameter_count == 6 && contents->dimension == 3);
  for (int i = 0; i < contents->parameter_count; ++i) {
    ENSURE(strcmp(contents->parameters[i], names[i]) == 0);
    ENSURE(contents->parameter_values[i] == values[i]);
    ENSURE(contents->is_derived[i] == (i == 1 || i == 2 || i == 4));
  }
  mbs_contents_destroy(contents);
  mbs_text_destroy(text);
  mbs_model_destroy(again);
  mbs_model_destroy(model);
}

static void test_refused(void) {
  MbsModel *model = read_text(context, "m", "mbsens: 1\nparameters: {a: b, b: a}\n");
  MbsContents *contents;
  ENSURE(mbs_contents_create(context, model, &contents) == MBS_ERROR_INPUT && !contents);
  ENSURE(strstr(mbs_context_message(context), "depends on itself"));
  ENSURE(mbs_contents_create(context, NULL, &contents) == MBS_ERROR_INPUT);
  ENSURE(mbs_model_write(context, model, NULL) == MBS_ERROR_INPUT);
  mbs_contents_destroy(NULL);
  mbs_text_destroy(NULL);
  mbs_model_destroy(model);
}

int main(void) {
  context = mbs_context_create();
  ENSURE(context);
  ENSURE(for_each_file("models/*.yaml", test_written, NULL) >= 3);
  ENSURE(for_each_file("tests/models/*.yaml", test_written, NULL) >= 20);
  test_quoting();
  test_refused();
  mbs_context_destroy(context);
  return 0;
}
