// mbs_model_set_function: see mbsens/function.h.
#include <mbsens/function.h>
#include <string.h>

#include "base/names.h"
#include "expressions/external.h"
#include "expressions/parse.h"
#include "model/model.h"

static MbsStatus check(MbsContext *context, const MbsModel *model, const char *name, const MbsModelFunction *function) {
  const struct {
    const char *what;
    int section;
  } taken[] = {{"function", MBS_MODEL_FUNCTIONS}, {"table", MBS_MODEL_TABLES}, {"parameter", MBS_MODEL_PARAMETERS}};
  if (!mbs_name_is_identifier(name) || mbs_expression_is_reserved(name)) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "\"%s\" cannot name a function: letters, digits and _ do, beginning with a letter, but what has a "
                    "meaning in expressions",
                    name);
  }
  for (int i = 0; i < MBS_COUNT(taken); ++i) {
    const MbsValue *section = mbs_record_value(&model->root, taken[i].section);
    for (int k = 0; k < section->count; ++k) {
      const char *other = section->records[k].name.text;
      size_t length = strcspn(other, "(");
      if (strlen(name) == length && strncmp(name, other, length) == 0) {
        return mbs_fail(context, MBS_ERROR_INPUT, section->records[k].name.place,
                        "function \"%s\": a %s of the model has this name", name, taken[i].what);
      }
    }
  }
  if (function->argument_count < 1 || function->argument_count > MBS_MOST_FUNCTION_ARGUMENTS ||
      function->result_count < 1 || function->result_count > MBS_MOST_FUNCTION_RESULTS) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                    "function \"%s\": 1 to %d arguments and 1 to %d results are offered, got %d and %d", name,
                    MBS_MOST_FUNCTION_ARGUMENTS, MBS_MOST_FUNCTION_RESULTS, function->argument_count,
                    function->result_count);
  }
  return function->evaluate
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "function \"%s\": evaluate is NULL", name);
}

// A list of its own each time: what uses the model now keeps the one that it has.
static MbsStatus set(MbsContext *context, MbsModel *model, const char *name, const MbsModelFunction *function) {
  MbsExternal *list;
  int count = model->external_count, at = count;
  MBS_TAKE(context, model->arena, list, count + 1);
  for (int i = 0; i < count; ++i) {
    list[i] = model->externals[i];
    at = strcmp(list[i].name, name) == 0 ? i : at;
  }
  const char *copied = mbs_arena_copy_text(model->arena, name);
  if (!copied) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  list[at] = (MbsExternal){.name = copied, .function = *function};
  model->externals = list;
  model->external_count = at == count ? count + 1 : count;
  return MBS_OK;
}

MbsStatus mbs_model_set_function(MbsContext *context, MbsModel *model, const char *name,
                                 const MbsModelFunction *function) {
  MBS_CALL_BEGIN(context, "mbs_model_set_function", {"model", model}, {"name", name}, {"function", function});
  MBS_TRY(check(context, model, name, function));
  return mbs_call_end(context, set(context, model, name, function));
}
