#include "json.h"

#include <math.h>

enum { LEVELS_WITH_LINES = 2 };

// Everything but quote, backslash and control characters may stand in a JSON string as it is.
static void put_text(FILE *out, const char *text) {
  (void)fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)text; *c; ++c) {
    if (*c == '"' || *c == '\\') {
      (void)fprintf(out, "\\%c", *c);
    } else if (*c == '\n') {
      (void)fputs("\\n", out);
    } else if (*c == '\t') {
      (void)fputs("\\t", out);
    } else if (*c < 0x20) {
      (void)fprintf(out, "\\u%04x", (unsigned)*c);
    } else {
      (void)fputc(*c, out);
    }
  }
  (void)fputc('"', out);
}

static void put_line(const CliJson *json) { (void)fprintf(json->out, "\n%*s", 2 * json->depth, ""); }

// What comes before a value: comma, line, key.
static void begin_member(CliJson *json, const char *key) {
  bool *has_members = &json->has_members[json->depth - 1];
  if (*has_members) {
    (void)fputc(',', json->out);
  }
  if (json->depth <= LEVELS_WITH_LINES && !json->is_line) {
    put_line(json);
  } else if (*has_members) {
    (void)fputc(' ', json->out);
  }
  *has_members = true;
  if (key) {
    put_text(json->out, key);
    (void)fputs(": ", json->out);
  }
}

static void open_level(CliJson *json, char opener, char closer) {
  (void)fputc(opener, json->out);
  json->closer[json->depth] = closer;
  json->has_members[json->depth] = false;
  ++json->depth;
}

CliJson cli_json_begin(FILE *out) {
  CliJson json = {.out = out};
  open_level(&json, '{', '}');
  return json;
}

CliJson cli_json_begin_line(FILE *out) {
  CliJson json = {.out = out, .is_line = true};
  open_level(&json, '{', '}');
  return json;
}

void cli_json_end(CliJson *json) {
  cli_json_close(json);
  (void)fputc('\n', json->out);
}

void cli_json_open_object(CliJson *json, const char *key) {
  begin_member(json, key);
  open_level(json, '{', '}');
}

void cli_json_open_array(CliJson *json, const char *key) {
  begin_member(json, key);
  open_level(json, '[', ']');
}

void cli_json_close(CliJson *json) {
  --json->depth;
  if (json->depth < LEVELS_WITH_LINES && json->has_members[json->depth] && !json->is_line) {
    put_line(json);
  }
  (void)fputc(json->closer[json->depth], json->out);
}

void cli_json_text(CliJson *json, const char *key, const char *text) {
  begin_member(json, key);
  put_text(json->out, text);
}

void cli_json_number(CliJson *json, const char *key, double number) {
  begin_member(json, key);
  if (isfinite(number)) {
    (void)fprintf(json->out, "%.17g", number);
  } else {
    (void)fputs("null", json->out);
  }
}

void cli_json_integer(CliJson *json, const char *key, long number) {
  begin_member(json, key);
  (void)fprintf(json->out, "%ld", number);
}

void cli_json_boolean(CliJson *json, const char *key, bool value) {
  begin_member(json, key);
  (void)fputs(value ? "true" : "false", json->out);
}
