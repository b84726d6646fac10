#include "json.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

enum { LEVELS_WITH_LINES = 2 };

// In HTML: < > & and the line separators U+2028 and U+2029, which old JavaScript takes for ends of lines.
static bool put_escaped_for_html(FILE *out, const unsigned char **c) {
  if (**c == '<' || **c == '>' || **c == '&') {
    (void)fprintf(out, "\\u%04x", (unsigned)**c);
    return true;
  }
  if (**c == 0xe2 && (*c)[1] == 0x80 && ((*c)[2] == 0xa8 || (*c)[2] == 0xa9)) {
    (void)fprintf(out, "\\u%04x", 0x2000u + (*c)[2] - 0x80u);
    *c += 2;
    return true;
  }
  return false;
}

// Everything but quote, backslash and control characters may stand in a JSON string as it is.
static void put_text(const CliJson *json, const char *text) {
  FILE *out = json->out;
  (void)fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)text; *c; ++c) {
    if (json->is_in_html && put_escaped_for_html(out, &c)) {
      continue;
    }
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
    put_text(json, key);
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
  put_text(json, text);
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

// ---- numbers as bytes ----
static void put_bytes(CliJson *json, const char *key, const unsigned char *bytes, size_t count) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  begin_member(json, key);
  (void)fputc('"', json->out);
  for (size_t i = 0; i < count; i += 3) {
    size_t left = count - i < 3 ? count - i : 3;
    unsigned word = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0u) |
                    (left > 2 ? (unsigned)bytes[i + 2] : 0u);
    const char text[4] = {digits[word >> 18], digits[word >> 12 & 63], left > 1 ? digits[word >> 6 & 63] : '=',
                          left > 2 ? digits[word & 63] : '='};
    (void)fwrite(text, 1, sizeof text, json->out);
  }
  (void)fputc('"', json->out);
}

// the lowest byte first, whatever the machine does
static void put_numbers(CliJson *json, const char *key, size_t count, size_t size, const void *numbers) {
  const unsigned one = 1;
  bool is_little = *(const unsigned char *)&one == 1;
  unsigned char *bytes = cli_memory_take(count * size, 1);
  for (size_t i = 0; i < count * size; ++i) {
    size_t at = i % size, from = is_little ? i : i - at + (size - 1 - at);
    bytes[i] = ((const unsigned char *)numbers)[from];
  }
  put_bytes(json, key, bytes, count * size);
  free(bytes);
}

void cli_json_floats(CliJson *json, const char *key, size_t count, const float *numbers) {
  put_numbers(json, key, count, sizeof *numbers, numbers);
}

void cli_json_doubles(CliJson *json, const char *key, size_t count, const double *numbers) {
  put_numbers(json, key, count, sizeof *numbers, numbers);
}

void cli_json_texts(CliJson *json, const char *key, int count, const char *const *texts) {
  cli_json_open_array(json, key);
  for (int i = 0; i < count; ++i) {
    cli_json_text(json, NULL, texts[i]);
  }
  cli_json_close(json);
}

void cli_json_numbers(CliJson *json, const char *key, int count, const double *numbers) {
  cli_json_open_array(json, key);
  for (int i = 0; i < count; ++i) {
    cli_json_number(json, NULL, numbers[i]);
  }
  cli_json_close(json);
}

void cli_json_map(CliJson *json, const char *key, int count, const char *const *names, const double *numbers) {
  cli_json_open_object(json, key);
  for (int i = 0; i < count; ++i) {
    cli_json_number(json, names[i], numbers[i]);
  }
  cli_json_close(json);
}
