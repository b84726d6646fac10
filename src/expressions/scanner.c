// Characters are judged as ASCII, whatever the locale of the program that uses the library.
#include "expressions/scanner.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_LENGTH_LIMIT = 100, QUOTE_LENGTH = 80 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// a byte in the middle of a UTF-8 character
static bool is_continuation(char c) { return ((unsigned char)c & 0xC0U) == 0x80U; }

// ---- errors ----

MbsPlace mbs_scanner_place(const MbsScanner *scanner, int offset) {
  MbsPlace place = scanner->text.place;
  place.column += offset;
  return place;
}

MbsTokenText mbs_scanner_text(const MbsScanner *scanner, MbsToken token) {
  MbsTokenText result = {{0}};
  int room = (int)sizeof result.text - 4;
  int length = token.length <= room ? token.length : room;
  memcpy(result.text, scanner->text.text + token.offset, (size_t)length);
  if (length < token.length) {
    memcpy(result.text + length, "...", 4);
  }
  return result;
}

// the expression on one line, or the part of it around `offset`
static void quote(const MbsScanner *scanner, int offset, char result[QUOTE_LENGTH + 8]) {
  const char *text = scanner->text.text;
  int begin = 0;
  int end = scanner->length;
  if (end > QUOTE_LENGTH) {
    begin = offset > QUOTE_LENGTH / 2 ? offset - QUOTE_LENGTH / 2 : 0;
    begin = begin > scanner->length - QUOTE_LENGTH ? scanner->length - QUOTE_LENGTH : begin;
    end = begin + QUOTE_LENGTH;
  }
  while (begin < end && begin > 0 && is_continuation(text[begin])) {
    ++begin;
  }
  while (end > begin && end < scanner->length && is_continuation(text[end])) {
    --end;
  }
  char *to = result;
  if (begin > 0) {
    memcpy(to, "...", 3);
    to += 3;
  }
  for (int k = begin; k < end; ++k) {
    *to++ = (unsigned char)text[k] < 0x20 || text[k] == 0x7F ? ' ' : text[k];
  }
  memcpy(to, "...", 4);
  if (end == scanner->length) {
    *to = '\0';
  }
}

MbsStatus mbs_scanner_fail(const MbsScanner *scanner, int offset, const char *format, ...) {
  char sentence[1024];
  char quoted[QUOTE_LENGTH + 8];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  quote(scanner, offset, quoted);
  return mbs_fail(scanner->context, MBS_ERROR_INPUT, mbs_scanner_place(scanner, offset), "%s%sin \"%s\": %s",
                  scanner->owner ? scanner->owner : "", scanner->owner ? ": " : "", quoted, sentence);
}

// ---- tokens ----

static const char *skip_digits(const char *c) {
  while (is_digit(*c)) {
    ++c;
  }
  return c;
}

// The number is written again without its decimal point ("1.5e-3" as "15e-4"), because strtod expects
// the decimal point of the locale.
static MbsStatus scan_number(MbsScanner *scanner) {
  MbsToken *token = &scanner->token;
  const char *start = scanner->text.text + token->offset;
  if (start[0] == '0' && (start[1] == 'x' || start[1] == 'X')) {
    return mbs_scanner_fail(scanner, token->offset, "hexadecimal numbers are not accepted: write a decimal number");
  }
  const char *point = skip_digits(start);
  const char *end = *point == '.' ? skip_digits(point + 1) : point;
  const char *mantissa_end = end;
  if (*end == 'e' || *end == 'E') {
    const char *digits = end[1] == '+' || end[1] == '-' ? end + 2 : end + 1;
    end = is_digit(*digits) ? skip_digits(digits) : end;
  }
  token->kind = MBS_TOKEN_NUMBER;
  token->length = (int)(end - start);
  if (token->length > NUMBER_LENGTH_LIMIT) {
    return mbs_scanner_fail(scanner, token->offset, "the number \"%s\" has more than %d characters",
                            mbs_scanner_text(scanner, *token).text, NUMBER_LENGTH_LIMIT);
  }

  char plain[NUMBER_LENGTH_LIMIT + 24];
  int length = 0;
  long exponent = 0;
  for (const char *c = start; c < mantissa_end; ++c) {
    if (*c != '.') {
      plain[length++] = *c;
      exponent -= c > point;
    }
  }
  if (end > mantissa_end) {
    // strtol saturates, and anything of a million digits or so is infinite or zero all the same
    long written = strtol(mantissa_end + 1, NULL, 10);
    exponent += written > 1000000 ? 1000000 : written < -1000000 ? -1000000 : written;
  }
  (void)snprintf(plain + length, sizeof plain - (size_t)length, "e%ld", exponent);
  token->number = strtod(plain, NULL);
  if (!isfinite(token->number)) {
    return mbs_scanner_fail(scanner, token->offset, "the number %s is too large",
                            mbs_scanner_text(scanner, *token).text);
  }
  return MBS_OK;
}

static MbsStatus scan_name(MbsScanner *scanner) {
  MbsToken *token = &scanner->token;
  const char *start = scanner->text.text + token->offset;
  const char *c = start;
  while (is_letter(*c) || is_digit(*c) || (*c == '.' && (is_letter(c[1]) || is_digit(c[1])))) {
    ++c;
  }
  const char *digits = *c == '[' ? skip_digits(c + 1) : c;  // u[3]
  if (*c == '[' && digits > c + 1 && *digits == ']') {
    c = digits + 1;
  }
  token->kind = MBS_TOKEN_NAME;
  token->length = (int)(c - start);
  if (token->length > MBS_EXPRESSION_NAME_LIMIT) {
    return mbs_scanner_fail(scanner, token->offset, "the name \"%s\" has more than %d characters",
                            mbs_scanner_text(scanner, *token).text, MBS_EXPRESSION_NAME_LIMIT);
  }
  return MBS_OK;
}

// what other languages write, and what to write here
static const struct {
  const char *symbol, *advice;
} foreign[] = {
    {"=<", "write <="},
    {"=>", "write >="},
    {"=", "numbers that move are equal at single times only: write abs(a - b) < d, with a width d"},
    {"!=", "numbers that move differ but at single times: write abs(a - b) > d, with a width d"},
    {"!", "write not(a)"},
    {"&", "write and(a, b)"},
    {"|", "write or(a, b)"},
    {"%", "write mod(a, b)"},
};

static MbsStatus fail_at_character(MbsScanner *scanner) {
  const char *c = scanner->text.text + scanner->token.offset;
  for (size_t k = 0; k < sizeof foreign / sizeof foreign[0]; ++k) {
    size_t length = strlen(foreign[k].symbol);
    if (strncmp(c, foreign[k].symbol, length) == 0) {
      bool is_doubled = length == 1 && *c != '!' && *c != '%' && c[1] == *c;  // == && ||
      return mbs_scanner_fail(scanner, scanner->token.offset, "\"%s%s\" is not offered: %s", foreign[k].symbol,
                              is_doubled ? foreign[k].symbol : "", foreign[k].advice);
    }
  }
  if ((unsigned char)*c < 0x20 || *c == 0x7F) {
    return mbs_scanner_fail(scanner, scanner->token.offset, "unexpected character with code %d", *c);
  }
  scanner->token.length = 1;
  while (is_continuation(c[scanner->token.length]) && scanner->token.length < 4) {
    ++scanner->token.length;
  }
  return mbs_scanner_fail(scanner, scanner->token.offset, "unexpected character \"%s\"",
                          mbs_scanner_text(scanner, scanner->token).text);
}

MbsStatus mbs_scanner_next(MbsScanner *scanner) {
  scanner->previous = scanner->token;
  MbsToken *token = &scanner->token;
  token->offset += token->length;
  token->length = 0;
  const char *text = scanner->text.text;
  while (is_space(text[token->offset])) {
    ++token->offset;
  }
  char c = text[token->offset];
  if (c == '\0') {
    token->kind = MBS_TOKEN_END;
    return MBS_OK;
  }
  if (is_digit(c) || (c == '.' && is_digit(text[token->offset + 1]))) {
    return scan_number(scanner);
  }
  if (is_letter(c)) {
    return scan_name(scanner);
  }
  if (!strchr("+-*/^()[],.<>", c)) {
    return fail_at_character(scanner);
  }
  token->kind = MBS_TOKEN_SYMBOL;
  token->length = (c == '<' || c == '>') && text[token->offset + 1] == '=' ? 2 : 1;
  return MBS_OK;
}

MbsStatus mbs_scanner_start(MbsScanner *scanner, MbsContext *context, const char *owner, MbsText text) {
  MBS_CHECK(context, text.text);
  *scanner = (MbsScanner){.context = context, .owner = owner, .text = text};
  scanner->length = (int)strnlen(text.text, MBS_EXPRESSION_LENGTH_LIMIT + 1);
  if (scanner->length > MBS_EXPRESSION_LENGTH_LIMIT) {
    return mbs_scanner_fail(scanner, 0, "an expression may have at most %d characters", MBS_EXPRESSION_LENGTH_LIMIT);
  }
  return mbs_scanner_next(scanner);
}

bool mbs_scanner_is_at(const MbsScanner *scanner, char symbol) {
  return scanner->token.kind == MBS_TOKEN_SYMBOL && scanner->text.text[scanner->token.offset] == symbol;
}
