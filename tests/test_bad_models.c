// Models that are written well and mean something wrong, or cannot be computed: tests/bad/*.yaml whose first line is
//
//   # expect-compile: <exit status>: <line>:<column>: <part of the message>       (the place may be absent)
//
// mbs_check must refuse each with that status, place and message; where the second line is "# simulate" or
// "# gradient" the failure may also come from mbs_run. Status 0: a model at the edge that must still work.
#include <dirent.h>
#include <mbsens/mbsens.h>

#include "ensure.h"
#include "sensitivities/request.h"

static int exit_status(MbsStatus status) {
#define EXIT_STATUS(name, text, code) code,
  static const int codes[] = {MBS_STATUS_LIST(EXIT_STATUS)};
#undef EXIT_STATUS
  return codes[status];
}

// reads, checks and, if wanted, runs
static MbsStatus try_model(MbsContext *context, const char *path, bool is_simulated, bool is_differentiated) {
  MbsModel *model;
  MbsRequest request;
  MbsCheck *check = NULL;
  MbsResult *result = NULL;
  MbsStatus status = mbs_model_read_file(context, path, &model);
  ENSURE(status == MBS_OK);  // else it belongs to test_reader, with "# expect:"
  status = mbs_request_default(context, model, &request);
  if (status == MBS_OK) {
    status = mbs_check(context, model, &request, &check);
    ENSURE((status == MBS_OK) == (check != NULL));
  }
  if (status == MBS_OK && (is_simulated || is_differentiated)) {
    request.method = is_differentiated ? MBS_METHOD_DIRECT : MBS_METHOD_NONE;
    status = mbs_run(context, model, &request, &result);
    ENSURE((status == MBS_OK) == (result && result->is_complete));
  }
  mbs_result_destroy(result);
  mbs_check_destroy(check);
  mbs_model_destroy(model);
  return status;
}

// "12:7: rest" -> "<path>:12:7: error: ", and the rest; without a place, an empty start
static const char *split_place(const char *path, const char *expected, char *start, size_t size) {
  int line, column, length = 0;
  start[0] = '\0';
  if (sscanf(expected, "%d:%d: %n", &line, &column, &length) == 2 && length > 0) {
    (void)snprintf(start, size, "%s:%d:%d: error: ", path, line, column);
    return expected + length;
  }
  return expected;
}

// false: not a file of this test
static bool test_file(MbsContext *context, const char *path) {
  char first[1024], second[64] = "";
  FILE *file = fopen(path, "rb");
  ENSURE(file != NULL);
  ENSURE(fgets(first, sizeof first, file) != NULL);
  if (!fgets(second, sizeof second, file)) {
    second[0] = '\0';
  }
  (void)fclose(file);
  static const char prefix[] = "# expect-compile: ";
  if (strncmp(first, prefix, strlen(prefix)) != 0) {
    return false;
  }
  first[strcspn(first, "\n")] = '\0';
  int wanted, length = 0;
  ENSURE(sscanf(first + strlen(prefix), "%d:%n", &wanted, &length) == 1 && length > 0);
  const char *expected = first + strlen(prefix) + length;
  expected += *expected == ' ';
  char start[1200];
  const char *part = split_place(path, expected, start, sizeof start);
  int got =
      exit_status(try_model(context, path, strcmp(second, "# simulate\n") == 0, strcmp(second, "# gradient\n") == 0));
  const char *message = got ? mbs_context_message(context) : "";
  bool has_place = strstr(message, ": error: ") != NULL;
  bool is_good = got == wanted && strncmp(message, start, strlen(start)) == 0 && strstr(message, part) &&
                 has_place == (start[0] != '\0') && !strchr(message, '\n');
  if (!is_good) {
    (void)fprintf(stderr, "%s\nexpected %d %s%s\n     got %d %s\n", path, wanted, start, part, got, message);
    exit(1);
  }
  ENSURE(wanted == 0 || strlen(part) > 10);  // an expectation that says something
  return true;
}

int main(void) {
  MbsContext *context = mbs_context_create();
  ENSURE(context != NULL);
  DIR *directory = opendir("tests/bad");
  ENSURE(directory != NULL);
  int count = 0;
  for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
    if (strstr(entry->d_name, ".yaml")) {
      char path[512];
      (void)snprintf(path, sizeof path, "tests/bad/%.255s", entry->d_name);
      count += test_file(context, path);
    }
  }
  (void)closedir(directory);
  mbs_context_destroy(context);
  ENSURE(count >= 100);  // the folder was really read
  return 0;
}
