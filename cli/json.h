// Writes JSON. The outer two levels take a line per member, deeper ones stay on theirs.
//
//   CliJson json = cli_json_begin(stdout);                 {
//   cli_json_text(&json, "model", "five-bar linkage");       "model": "five-bar linkage",
//   cli_json_open_array(&json, "rows");                      "rows": [
//   cli_json_number(&json, NULL, 1);                           1
//   cli_json_close(&json);                                   ]
//   cli_json_end(&json);                                   }
#ifndef MBS_CLI_JSON_H
#define MBS_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CLI_JSON_DEPTH = 8 };

typedef struct CliJson {
  FILE *out;
  bool is_line;
  int depth;
  char closer[CLI_JSON_DEPTH];  // of each open level
  bool has_members[CLI_JSON_DEPTH];
  bool is_in_html;  // it stands in a script element: nothing in it may end that, or be read as markup
} CliJson;

CliJson cli_json_begin(FILE *out);       // opens the one object
CliJson cli_json_begin_line(FILE *out);  // one that stays on its line, as a program that reads line by line needs it
void cli_json_end(CliJson *json);        // closes it, with a newline

// In objects `key` names the member, in arrays it is NULL.
void cli_json_open_object(CliJson *json, const char *key);
void cli_json_open_array(CliJson *json, const char *key);
void cli_json_close(CliJson *json);
void cli_json_text(CliJson *json, const char *key, const char *text);  // UTF-8
void cli_json_number(CliJson *json, const char *key, double number);   // 17 digits; null where not finite
void cli_json_integer(CliJson *json, const char *key, long number);
// Numbers of 4 and 8 bytes, the lowest first, as base64: a quarter of what they take as digits.
void cli_json_floats(CliJson *json, const char *key, size_t count, const float *numbers);
void cli_json_doubles(CliJson *json, const char *key, size_t count, const double *numbers);
void cli_json_boolean(CliJson *json, const char *key, bool value);
// An array of texts, one of numbers, and an object of numbers by name.
void cli_json_texts(CliJson *json, const char *key, int count, const char *const *texts);
void cli_json_numbers(CliJson *json, const char *key, int count, const double *numbers);
void cli_json_map(CliJson *json, const char *key, int count, const char *const *names, const double *numbers);

#endif
