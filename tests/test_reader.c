// The model reader: what it makes of good files, that every mistake in tests/bad is told at its place,
// its limits, and that 5,000 damaged models neither crash nor leak (run with the address sanitizer).
// usage: test_reader tests/bad, from the root of the sources
#include <dirent.h>
#include <mbsens/mbsens.h>

#include "ensure.h"
#include "model/force.h"
#include "model/joint.h"

static MbsStatus read_text(MbsContext *context, const char *text, MbsModel **model) {
  return mbs_model_read_text(context, text, strlen(text), "m.yaml", model);
}

static MbsModel *read_good(MbsContext *context, const char *text) {
  MbsModel *model;
  if (read_text(context, text, &model) != MBS_OK) {
    (void)fprintf(stderr, "%s\n", mbs_context_message(context));
    exit(1);
  }
  return model;
}

static void ensure_place(MbsPlace place, int line, int column) {
  ENSURE_TEXT(place.file, "m.yaml");
  ENSURE(place.line == line);
  ENSURE(place.column == column);
}

static void test_values(MbsContext *context) {
  MbsModel *model = read_good(context,
                              "mbsens: 1\n"
                              "name: two words\n"
                              "gravity: [0, '-g']\n"
                              "parameters: {g: 9.81, k: \"2*g\"}\n"
                              "bodies:\n"
                              "  A1: {mass: 1e0, points: {P: [0, 0], Q: [k, .5]}}\n"
                              "  A2: {}\n"
                              "joints:\n"
                              "  - revolute: [A1.P, ground.O]\n"
                              "  - {name: elbow, revolute: [A1.Q, A2.Q]}\n"
                              "initial:\n"
                              "  points: {A1.Q: [1, 2], P: [0, 0]}\n"
                              "  independent: [{coordinate: angle(A1)}, {coordinate: r(Q).x, value: 2}]\n"
                              "objectives: {psi: {final: \"r(Q).x\"}}\n");
  const MbsRecord *root = &model->root;
  ENSURE(model->dimension == 2);
  ENSURE_TEXT(model->file, "m.yaml");
  ENSURE_TEXT(mbs_record_text(root, MBS_MODEL_NAME).text, "two words");
  const MbsValue *gravity = mbs_record_value(root, MBS_MODEL_GRAVITY);
  ENSURE(gravity->is_given && gravity->count == 2);
  ensure_place(gravity->place, 3, 1);
  ENSURE_TEXT(gravity->texts[1].text, "-g");
  ensure_place(gravity->texts[1].place, 3, 15);  // after the quote

  const MbsValue *parameters = mbs_record_value(root, MBS_MODEL_PARAMETERS);
  ENSURE(parameters->count == 2);
  ENSURE_TEXT(parameters->records[1].name.text, "k");
  ensure_place(parameters->records[1].name.place, 4, 23);
  ENSURE_TEXT(parameters->records[1].values[0].texts[0].text, "2*g");
  ensure_place(parameters->records[1].values[0].texts[0].place, 4, 27);

  const MbsValue *bodies = mbs_record_value(root, MBS_MODEL_BODIES);
  ENSURE(bodies->count == 2);
  const MbsRecord *a1 = &bodies->records[0];
  ENSURE_TEXT(mbs_record_text(a1, MBS_BODY_MASS).text, "1e0");
  const MbsValue *points = mbs_record_value(a1, MBS_BODY_POINTS);
  ENSURE(points->count == 2);
  ENSURE_TEXT(points->records[1].name.text, "Q");
  ENSURE(points->records[1].values[0].count == 2);
  ENSURE_TEXT(points->records[1].values[0].texts[0].text, "k");

  // absent: a default that fills a vector, nothing where there is no default
  const MbsValue *com = mbs_record_value(a1, MBS_BODY_COM);
  ENSURE(!com->is_given && com->count == 2);
  ENSURE_TEXT(com->texts[1].text, "0");
  ENSURE(com->texts[1].place.line == 0);
  ensure_place(com->place, 6, 3);  // of the body
  ENSURE(!mbs_record_value(a1, MBS_BODY_INERTIA)->is_given);
  ENSURE(mbs_record_value(a1, MBS_BODY_INERTIA)->count == 0);
  ENSURE(mbs_record_text(a1, MBS_BODY_INERTIA).text == NULL);
  ENSURE_TEXT(mbs_record_text(&bodies->records[1], MBS_BODY_MASS).text, "0");

  const MbsValue *joints = mbs_record_value(root, MBS_MODEL_JOINTS);
  ENSURE(joints->count == 2);
  ENSURE_TEXT(mbs_joint_types[joints->records[0].type]->record.name, "revolute");
  ENSURE_TEXT(joints->records[0].name.text, "revolute 1");
  ensure_place(joints->records[0].name.place, 9, 5);
  ENSURE_TEXT(joints->records[1].name.text, "elbow");
  ENSURE(joints->records[1].values[0].count == 2);
  ENSURE_TEXT(joints->records[1].values[0].texts[1].text, "A2.Q");
  ENSURE(mbs_record_value(root, MBS_MODEL_FORCES)->count == 0);

  // absent records stand there with their defaults
  const MbsRecord *simulation = mbs_record_child(root, MBS_MODEL_SIMULATION);
  ENSURE(simulation != NULL);
  ENSURE(!mbs_record_value(root, MBS_MODEL_SIMULATION)->is_given);
  ENSURE_TEXT(mbs_record_text(simulation, MBS_SIMULATION_STEP).text, "0.01");
  const MbsRecord *ground = mbs_record_child(root, MBS_MODEL_GROUND);
  ENSURE(ground != NULL && mbs_record_value(ground, MBS_GROUND_POINTS)->count == 0);

  const MbsValue *guesses = mbs_record_value(mbs_record_child(root, MBS_MODEL_INITIAL), MBS_INITIAL_POINTS);
  ENSURE(guesses->count == 2);
  ENSURE_TEXT(guesses->records[0].name.text, "A1.Q");  // a name of a point, not a new one
  const MbsValue *independent = mbs_record_value(mbs_record_child(root, MBS_MODEL_INITIAL), MBS_INITIAL_INDEPENDENT);
  ENSURE(independent->count == 2);
  ENSURE_TEXT(independent->records[1].name.text, "independent coordinate 2");
  ENSURE_TEXT(mbs_record_text(&independent->records[1], MBS_INDEPENDENT_COORDINATE).text, "r(Q).x");
  ENSURE_TEXT(mbs_record_text(&independent->records[1], MBS_INDEPENDENT_VELOCITY).text, "0");
  ENSURE(mbs_record_text(&independent->records[0], MBS_INDEPENDENT_VALUE).text == NULL);
  const MbsRecord *psi = &mbs_record_value(root, MBS_MODEL_OBJECTIVES)->records[0];
  ENSURE_TEXT(mbs_record_text(psi, MBS_OBJECTIVE_FINAL).text, "r(Q).x");
  ENSURE(mbs_record_text(psi, MBS_OBJECTIVE_INTEGRAL).text == NULL);
  mbs_model_destroy(model);
}

// Texts over several lines, beyond ASCII, with Windows line ends, and JSON.
static void test_spellings(MbsContext *context) {
  MbsModel *model = read_good(context,
                              "\xef\xbb\xbf---\r\nmbsens: 1\r\n"
                              "name: \"M\xc3\xbchle\"   # UTF-8\r\n"
                              "objectives:\r\n"
                              "  psi:\r\n"
                              "    integral: >-\r\n"
                              "      r(P).x\r\n"
                              "      + 1\r\n"
                              "...\r\n");
  ENSURE_TEXT(mbs_record_text(&model->root, MBS_MODEL_NAME).text, "M\xc3\xbchle");
  const MbsRecord *psi = &mbs_record_value(&model->root, MBS_MODEL_OBJECTIVES)->records[0];
  MbsText integral = mbs_record_text(psi, MBS_OBJECTIVE_INTEGRAL);
  ENSURE_TEXT(integral.text, "r(P).x + 1");
  ensure_place(integral.place, 7, 7);
  mbs_model_destroy(model);

  model = read_good(context,
                    "{\"mbsens\": 1, \"gravity\": [0, -9.81],\n"
                    "\"bodies\": {\"A1\": {\n\t\"mass\": 1.5}}\n}\n");
  const MbsValue *bodies = mbs_record_value(&model->root, MBS_MODEL_BODIES);
  ENSURE_TEXT(mbs_record_text(&bodies->records[0], MBS_BODY_MASS).text, "1.5");
  mbs_model_destroy(model);
}

// The registry decides what an element is, so this mistake is made from the registry.
static void test_two_types(MbsContext *context) {
  char text[256];
  const char *first = mbs_joint_types[0]->record.name;
  const char *second = mbs_joint_types[1]->record.name;
  (void)snprintf(text, sizeof text, "mbsens: 1\njoints:\n  - %s: [A.P, B.P]\n    %s: [A.P, B.P]\n", first, second);
  MbsModel *model;
  ENSURE(read_text(context, text, &model) == MBS_ERROR_INPUT);
  ENSURE(model == NULL);
  ENSURE_CONTAINS(mbs_context_message(context), "m.yaml:4:5: error: joints: a joint has one type, found both ");
}

// "# expect: <line>:<column>: <part of the message>" on the first line of a file
static void test_bad_file(MbsContext *context, const char *path) {
  FILE *file = fopen(path, "rb");
  ENSURE(file != NULL);
  char line[512];
  ENSURE(fgets(line, sizeof line, file) != NULL);
  (void)fclose(file);
  if (strncmp(line, "# expect-compile:", 17) == 0) {
    return;  // wrong in what it means, not in how it is written
  }
  line[strcspn(line, "\n")] = '\0';
  const char prefix[] = "# expect: ";
  ENSURE(strncmp(line, prefix, strlen(prefix)) == 0);
  const char *place = line + strlen(prefix);
  const char *part = strstr(place, ": ");
  ENSURE(part != NULL);
  char start[1024];
  (void)snprintf(start, sizeof start, "%s:%.*s: error: ", path, (int)(part - place), place);
  part += 2;
  MbsModel *model;
  MbsStatus status = mbs_model_read_file(context, path, &model);
  const char *message = mbs_context_message(context);
  if (status == MBS_OK || model || strncmp(message, start, strlen(start)) != 0 || !strstr(message, part)) {
    (void)fprintf(stderr, "expected %s... %s\n     got %s\n", start, part, status ? message : "no error");
    exit(1);
  }
  ENSURE(status == (strstr(part, "not offered") ? MBS_ERROR_NOT_OFFERED : MBS_ERROR_INPUT));
}

static void test_bad_folder(MbsContext *context, const char *folder) {
  DIR *directory = opendir(folder);
  ENSURE(directory != NULL);
  int count = 0;
  for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
    if (strstr(entry->d_name, ".yaml")) {
      char path[512];
      (void)snprintf(path, sizeof path, "%s/%.255s", folder, entry->d_name);
      test_bad_file(context, path);
      ++count;
    }
  }
  (void)closedir(directory);
  ENSURE(count >= 60);  // the folder was really read
}

static void test_limits(MbsContext *context) {
  MbsModel *model;
  // one byte too many
  size_t size = 16 * 1024 * 1024 + 1;
  char *text = malloc(size);
  ENSURE(text != NULL);
  memset(text, ' ', size);
  ENSURE(mbs_model_read_text(context, text, size, "m.yaml", &model) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "m.yaml:1:1: error: larger than 16 MiB");
  // more values than any model has, in a file that is not too large
  const char start[] = "mbsens: 1\nname: [";
  memcpy(text, start, strlen(start));
  for (size_t i = strlen(start); i + 1 < size - 1; i += 2) {
    text[i] = '1';
    text[i + 1] = ',';
  }
  ENSURE(mbs_model_read_text(context, text, size - 1, "m.yaml", &model) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "more than 1000000 values");
  free(text);
  // a long name does not push the sentence out of the message
  char *long_key = malloc(100000);
  ENSURE(long_key != NULL);
  (void)snprintf(long_key, 100000, "mbsens: 1\n%099000d: 1\n", 1);
  ENSURE(mbs_model_read_text(context, long_key, strlen(long_key), "m.yaml", &model) == MBS_ERROR_INPUT);
  ENSURE_CONTAINS(mbs_context_message(context), "unknown key \"0000");
  free(long_key);

  ENSURE(mbs_model_read_file(context, "tests/bad/there_is_none.yaml", &model) == MBS_ERROR_FILE);
  ENSURE_CONTAINS(mbs_context_message(context), "tests/bad/there_is_none.yaml");
  ENSURE(mbs_model_read_file(context, "tests", &model) == MBS_ERROR_FILE);
  ENSURE(model == NULL);
}

// The example of the documentation is a model.
static void test_documented_example(MbsContext *context) {
  FILE *file = fopen("docs/model-file.md", "rb");
  ENSURE(file != NULL);
  char page[32 * 1024];
  page[fread(page, 1, sizeof page - 1, file)] = '\0';
  (void)fclose(file);
  char *example = strstr(page, "```yaml\nmbsens: 1");
  ENSURE(example != NULL);
  example = strchr(example, '\n') + 1;
  *strstr(example, "```") = '\0';
  MbsModel *model = read_good(context, example);
  ENSURE(mbs_record_value(&model->root, MBS_MODEL_JOINTS)->count == 4);
  ENSURE(mbs_record_value(&model->root, MBS_MODEL_OBJECTIVES)->count == 3);
  mbs_model_destroy(model);
}

static unsigned next_random(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

// Damages `text` in one to four places: a byte replaced, cut, or put in; a piece removed or repeated.
static size_t damage(unsigned *state, const char *text, size_t length, char *out) {
  static const char bytes[] = "\0\t\n -:,[]{}#&*!|>'\"%@`?~<=.()1aA\\\x7f\x80\xc3\xff";
  memcpy(out, text, length);
  for (unsigned round = 0, rounds = 1 + next_random(state) % 4; round < rounds; ++round) {
    size_t at = next_random(state) % length;
    size_t piece = 1 + next_random(state) % 40;
    piece = piece > length - at ? length - at : piece;
    switch (next_random(state) % 4) {
      case 0: out[at] = bytes[next_random(state) % (sizeof bytes - 1)]; break;
      case 1:
        memmove(out + at, out + at + piece, length - at - piece);
        length -= piece;
        break;
      case 2:
        memmove(out + at + 1, out + at, length - at);
        out[at] = bytes[next_random(state) % (sizeof bytes - 1)];
        ++length;
        break;
      default: memmove(out + at + piece, out + at, length - at); length += piece;
    }
  }
  return length;
}

static void test_damaged(MbsContext *context) {
  FILE *file = fopen("models/five_bar.yaml", "rb");
  ENSURE(file != NULL);
  char text[16 * 1024];
  size_t length = fread(text, 1, sizeof text, file);
  ENSURE(feof(file));
  (void)fclose(file);
  unsigned state = 1;
  int good = 0, bad = 0;
  for (int i = 0; i < 5000; ++i) {
    char *out = malloc(length + (size_t)4 * 40);  // just as long, so that the sanitizer sees a read beyond the end
    ENSURE(out != NULL);
    size_t size = damage(&state, text, length, out);
    MbsModel *model;
    context->message[0] = '\0';
    MbsStatus status = mbs_model_read_text(context, out, size, "m.yaml", &model);
    if (status == MBS_OK) {
      ++good;
      mbs_model_destroy(model);
    } else {
      ++bad;
      ENSURE(model == NULL);
      ENSURE(status == MBS_ERROR_INPUT || status == MBS_ERROR_NOT_OFFERED);
      ENSURE(strncmp(mbs_context_message(context), "m.yaml:", 7) == 0);
    }
    free(out);
  }
  // the damage must neither be harmless nor always fatal
  ENSURE(good > 250 && bad > 2000);
}

int main(int count, char **arguments) {
  ENSURE(count == 2);
  MbsContext *context = mbs_context_create();
  ENSURE(context != NULL);
  test_values(context);
  test_spellings(context);
  test_two_types(context);
  test_bad_folder(context, arguments[1]);
  test_limits(context);
  test_documented_example(context);
  test_damaged(context);
  mbs_context_destroy(context);
  return 0;
}
