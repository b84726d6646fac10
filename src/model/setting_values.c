// Texts in and out of a request, by the table of settings.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "model/field.h"
#include "model/settings.h"

static void *member_of(const MbsField *field, MbsRequest *request) { return (char *)request + field->setting->member; }
static const void *look_at(const MbsField *field, const MbsRequest *request) {
  return (const char *)request + field->setting->member;
}

// ---- numbers ----
static bool is_in_range(const MbsSetting *setting, double value) {
  bool is_low = setting->is_least_excluded ? !(value > setting->least) : !(value >= setting->least);
  bool is_high = setting->is_most_excluded ? !(value < setting->most) : !(value <= setting->most);
  return isfinite(value) && !is_low && !(setting->most > 0 && is_high);
}

MbsStatus mbs_setting_check(MbsContext *context, const MbsField *field, const char *owner, MbsPlace place,
                            const char *text, double value) {
  return is_in_range(field->setting, value)
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, place, "%s must be %s, got %s", owner, field->setting->range, text);
}

static const MbsSettingWord *find_word(const MbsSetting *setting, const char *text) {
  for (const MbsSettingWord *word = setting->words; word && word->word; ++word) {
    if (strcmp(word->word, text) == 0) {
      return word;
    }
  }
  return NULL;
}

bool mbs_setting_is_word(const MbsSetting *setting, const char *text, double *value) {
  const MbsSettingWord *word = find_word(setting, text);
  *value = word ? word->value : *value;
  return word != NULL;
}

// a plain decimal number; of bytes with a letter behind it
static bool read_number(const char *text, bool is_of_bytes, double *value) {
  static const char letters[] = "kMGT";
  char *end;
  *value = strtod(text, &end);
  const char *letter = is_of_bytes && *end ? strchr(letters, *end) : NULL;
  for (const char *l = letters; letter && l <= letter; ++l) {
    *value *= 1000;
  }
  size_t digits = strspn(text, "+-.0123456789eE");
  return end != text && digits == (size_t)(end - text) && (letter ? end[1] : end[0]) == '\0';
}

void mbs_setting_store(const MbsField *field, double value, MbsRequest *request) {
  void *member = member_of(field, request);
  switch (field->setting->type) {
    case MBS_SETTING_WHOLE: *(long *)member = (long)value; break;
    case MBS_SETTING_ITERATIONS: *(int *)member = (int)value; break;
    default: *(double *)member = value; break;
  }
  if (member == &request->settings.end) {
    request->settings.end_in_model = 0;
  }
}

static bool is_whole(const MbsSetting *setting) {
  return setting->type == MBS_SETTING_WHOLE || setting->type == MBS_SETTING_ITERATIONS;
}

static MbsStatus parse_number(MbsContext *context, const MbsField *field, const char *owner, MbsPlace place,
                              const char *text, MbsRequest *request) {
  const MbsSetting *setting = field->setting;
  bool is_of_bytes = setting->type == MBS_SETTING_BYTES;
  double value = 0;
  if (!mbs_setting_is_word(setting, text, &value)) {
    if (!read_number(text, is_of_bytes, &value)) {
      char others[64] = "";
      for (const MbsSettingWord *word = setting->words; word && word->word; ++word) {
        (void)snprintf(others + strlen(others), sizeof others - strlen(others), ", or %s", word->word);
      }
      return mbs_fail(context, MBS_ERROR_INPUT, place, "%s must be a %s%s, got \"%s\"", owner,
                      is_of_bytes         ? "number of bytes such as 500k, 100M or 2G"
                      : is_whole(setting) ? "whole number"
                                          : "number such as 0.01 or 1e-3",
                      others, text);
    }
    MBS_TRY(mbs_setting_check(context, field, owner, place, text, value));
    if (is_whole(setting) && value != floor(value)) {  // real
      return mbs_fail(context, MBS_ERROR_INPUT, place, "%s must be %s, got %s", owner, setting->range, text);
    }
  }
  mbs_setting_store(field, value, request);
  return MBS_OK;
}

// ---- words and names ----
// "analytical, automatic or numerical"; returns how many there are
static int list_choices(const MbsField *field, size_t room, char *text) {
  int count = 0;
  text[0] = '\0';
  while (field->choices[count]) {
    ++count;
  }
  for (int i = 0; i < count; ++i) {
    size_t used = strlen(text);
    (void)snprintf(text + used, room - used, "%s%s", i == 0 ? "" : i == count - 1 ? " or " : ", ", field->choices[i]);
  }
  return count;
}

static MbsStatus parse_choice(MbsContext *context, const MbsField *field, const char *owner, MbsPlace place,
                              const char *text, int *choice) {
  const char *nearest = NULL;
  char all[256];
  for (int i = 0; field->choices[i]; ++i) {
    if (strcmp(field->choices[i], text) == 0) {
      *choice = i;
      return MBS_OK;
    }
    mbs_name_nearest(text, field->choices[i], &nearest);
  }
  (void)list_choices(field, sizeof all, all);
  return mbs_fail(context, MBS_ERROR_INPUT, place, "%s must be %s, got \"%s\"%s%s%s", owner, all, text,
                  nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static MbsStatus parse_text(MbsContext *context, const char *owner, MbsPlace place, const char *text, size_t room,
                            char *member) {
  if (strlen(text) >= room) {
    return room == MBS_NAME_LENGTH
               ? mbs_fail(context, MBS_ERROR_INPUT, place, "%s: unknown name \"%.60s...\"", owner, text)
               : mbs_fail(context, MBS_ERROR_INPUT, place, "%s: the list is longer than %d letters", owner,
                          (int)room - 1);
  }
  memcpy(member, text, strlen(text) + 1);
  return MBS_OK;
}

// with commas between; written where all of them fit
static MbsStatus join(MbsContext *context, const char *owner, int count, const char *const *names, char *member) {
  char text[MBS_LIST_LENGTH] = "";
  size_t length = 0;
  for (int i = 0; i < count; ++i) {
    if (!names[i]) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s: the name %d of %d is NULL", owner, i + 1, count);
    }
    int written = snprintf(text + length, sizeof text - length, "%s%s", i > 0 ? ", " : "", names[i]);
    if (written < 0 || (size_t)written >= sizeof text - length) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s: the list is longer than %d letters", owner,
                      MBS_LIST_LENGTH - 1);
    }
    length += (size_t)written;
  }
  memcpy(member, text, length + 1);
  return MBS_OK;
}

MbsStatus mbs_setting_names(MbsContext *context, const MbsField *field, const char *owner, int count,
                            const char *const *names, MbsRequest *request) {
  if (field->setting->type == MBS_SETTING_LIST) {
    return join(context, owner, count, names, member_of(field, request));
  }
  const char **copies;
  MBS_CHECK(context, request->arena);
  MBS_TAKE(context, request->arena, copies, count);
  for (int i = 0; i < count; ++i) {
    if (!names[i] || !names[i][0]) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s: the name %d of %d is %s", owner, i + 1, count,
                      names[i] ? "empty; names are separated by single commas" : "NULL");
    }
    for (int j = 0; j < i; ++j) {
      if (strcmp(names[i], names[j]) == 0) {
        return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s: \"%s\" stands twice among the names", owner,
                        names[i]);
      }
    }
    copies[i] = mbs_arena_copy_text(request->arena, names[i]);
    if (!copies[i]) {
      return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
  }
  bool is_objectives = member_of(field, request) == (void *)&request->objective_count;
  *(is_objectives ? &request->objective_count : &request->parameter_count) = count;
  *(is_objectives ? &request->objectives : &request->parameters) = names ? copies : NULL;
  return MBS_OK;
}

static MbsStatus parse_names(MbsContext *context, const MbsField *field, const char *owner, const char *text,
                             MbsRequest *request) {
  bool is_none = strcmp(text, "none") == 0;
  int count = text[0] && !is_none ? 1 : 0;
  for (const char *c = text; *c; ++c) {
    count += *c == ',';
  }
  MBS_CHECK(context, request->arena);
  char *letters = mbs_arena_copy_text(request->arena, text);
  const char **names;
  MBS_TAKE(context, request->arena, names, count);
  if (!letters) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  for (int i = 0; i < count; ++i) {
    names[i] = letters;
    letters += strcspn(letters, ",");
    *letters++ = '\0';
  }
  return mbs_setting_names(context, field, owner, count, text[0] ? names : NULL, request);
}

// ---- all of them ----
MbsStatus mbs_setting_parse(MbsContext *context, const MbsField *field, const char *owner, MbsPlace place,
                            const char *text, MbsRequest *request) {
  void *member = member_of(field, request);
  int choice = 0;
  switch (field->setting->type) {
    case MBS_SETTING_FLAG:
      MBS_TRY(parse_choice(context, field, owner, place, text, &choice));
      *(bool *)member = choice == 1;
      return MBS_OK;
    case MBS_SETTING_CHOICE:
      MBS_TRY(parse_choice(context, field, owner, place, text, &choice));
      *(unsigned *)member = (unsigned)choice;
      return MBS_OK;
    case MBS_SETTING_NAME: return parse_text(context, owner, place, text, MBS_NAME_LENGTH, member);
    case MBS_SETTING_LIST: return parse_text(context, owner, place, text, MBS_LIST_LENGTH, member);
    case MBS_SETTING_NAMES: return parse_names(context, field, owner, text, request);
    default: return parse_number(context, field, owner, place, text, request);
  }
}

static double number_of(const MbsField *field, const MbsRequest *request) {
  const void *member = look_at(field, request);
  switch (field->setting->type) {
    case MBS_SETTING_WHOLE: return (double)*(const long *)member;
    case MBS_SETTING_ITERATIONS: return *(const int *)member;
    default: return *(const double *)member;
  }
}

static const MbsSettingWord *word_of(const MbsSetting *setting, double value) {
  for (const MbsSettingWord *word = setting->words; word && word->word; ++word) {
    if (value == word->value) {
      return word;
    }
  }
  return NULL;
}

// the shortest of these that reads back as the same
static int print_number(double value, size_t room, char *text) {
  int digits = 15, length = 0;
  do {
    length = snprintf(text, room, "%.*g", digits, value);
  } while (strtod(text, NULL) != value && ++digits <= 17);  // NaN: to the end
  return length;
}

bool mbs_setting_print(const MbsField *field, const MbsRequest *request, size_t room, char *text) {
  const MbsSetting *setting = field->setting;
  const void *member = look_at(field, request);
  int length = 0;
  switch (setting->type) {
    case MBS_SETTING_FLAG: length = snprintf(text, room, "%s", field->choices[*(const bool *)member ? 1 : 0]); break;
    case MBS_SETTING_CHOICE: length = snprintf(text, room, "%s", field->choices[*(const unsigned *)member]); break;
    case MBS_SETTING_NAME:
    case MBS_SETTING_LIST: length = snprintf(text, room, "%s", (const char *)member); break;
    case MBS_SETTING_NAMES: {
      bool is_objectives = member == (const void *)&request->objective_count;
      int count = is_objectives ? request->objective_count : request->parameter_count;
      const char *const *names = is_objectives ? request->objectives : request->parameters;
      length = snprintf(text, room, "%s", count == 0 && names ? "none" : "");
      for (int i = 0; i < count && (size_t)length < room; ++i) {
        length += snprintf(text + length, room - (size_t)length, "%s%s", i > 0 ? "," : "", names[i]);
      }
      break;
    }
    default: {
      double value = number_of(field, request);
      const MbsSettingWord *word = word_of(setting, value);
      length = word ? snprintf(text, room, "%s", word->word) : print_number(value, room, text);
    }
  }
  return length >= 0 && (size_t)length < room;
}

MbsStatus mbs_settings_check(MbsContext *context, const MbsRequest *request) {
  for (int i = 0; i < mbs_settings_count; ++i) {
    const MbsField *field = &mbs_settings[i];
    const MbsSetting *setting = field->setting;
    char text[32];
    if (setting->type == MBS_SETTING_CHOICE) {
      char all[256];
      int choice = (int)*(const unsigned *)look_at(field, request);
      int count = list_choices(field, sizeof all, all);
      if (choice < 0 || choice >= count) {
        return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s must be %s, got %d of the enumeration", field->name,
                        all, choice);
      }
    } else if (setting->range) {
      double value = number_of(field, request);
      (void)snprintf(text, sizeof text, "%.10g", value);
      if (!word_of(setting, value)) {
        MBS_TRY(mbs_setting_check(context, field, field->name, mbs_nowhere, text, value));
      }
    } else if (setting->type == MBS_SETTING_NAME || setting->type == MBS_SETTING_LIST) {
      size_t room = setting->type == MBS_SETTING_NAME ? MBS_NAME_LENGTH : MBS_LIST_LENGTH;
      if (!memchr(look_at(field, request), '\0', room)) {
        return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s: the text does not end within its %d letters",
                        field->name, (int)room);
      }
    }
  }
  return MBS_OK;
}

MbsStatus mbs_setting_number(MbsContext *context, const MbsField *field, const MbsRequest *request, double *value) {
  const MbsSetting *setting = field->setting;
  char text[64] = "";
  if (setting->type > MBS_SETTING_ITERATIONS) {
    (void)mbs_setting_print(field, request, sizeof text, text);
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s is no number, but \"%s\"", field->name, text);
  }
  double number = number_of(field, request);
  const MbsSettingWord *word = word_of(setting, number);
  if (word) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s is no number, but %s", field->name, word->word);
  }
  *value = number;
  return MBS_OK;
}

const char *mbs_setting_type_name(const MbsField *field) {
  switch (field->setting->type) {
    case MBS_SETTING_NUMBER: return "number";
    case MBS_SETTING_BYTES: return "bytes";
    case MBS_SETTING_WHOLE:
    case MBS_SETTING_ITERATIONS: return "whole number";
    case MBS_SETTING_FLAG:
    case MBS_SETTING_CHOICE: return "choice";
    case MBS_SETTING_NAME: return "name";
    default: return "names";
  }
}

MbsStatus mbs_request_create_empty(MbsContext *context, MbsRequest **request) {
  MbsArena *arena = mbs_arena_create_for(context);
  MbsRequest *created = arena ? mbs_arena_take(arena, 1, sizeof *created) : NULL;
  *request = created;
  if (!created) {
    mbs_arena_destroy(arena);
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  *created = (MbsRequest){.method = MBS_METHOD_DIRECT, .arena = arena};
  return MBS_OK;
}
