// The words of an expression, one at a time, and errors that quote it. Private to the parser.
#ifndef MBS_SCANNER_H
#define MBS_SCANNER_H

#include "base/context.h"

enum { MBS_EXPRESSION_LENGTH_LIMIT = 10000, MBS_EXPRESSION_NAME_LIMIT = 255 };

typedef enum MbsTokenKind {
  MBS_TOKEN_START,  // before the first
  MBS_TOKEN_NUMBER,
  MBS_TOKEN_NAME,    // identifiers joined by dots; parts after the first may start with a digit; [3] may follow
  MBS_TOKEN_SYMBOL,  // one of + - * / ^ ( ) [ ] , . < > <= >=
  MBS_TOKEN_END
} MbsTokenKind;

typedef struct MbsToken {
  MbsTokenKind kind;
  int offset, length;  // in the text
  double number;
} MbsToken;

typedef struct MbsScanner {
  MbsContext *context;
  const char *owner;  // whose expression it is, for messages; may be NULL
  MbsText text;
  int length;
  MbsToken token, previous;  // the current one and the one before it
} MbsScanner;

// Checks the length and reads the first token.
MbsStatus mbs_scanner_start(MbsScanner *scanner, MbsContext *context, const char *owner, MbsText text);
MbsStatus mbs_scanner_next(MbsScanner *scanner);
bool mbs_scanner_is_at(const MbsScanner *scanner, char symbol);

// A token as text, shortened where it is long.
typedef struct MbsTokenText {
  char text[64];
} MbsTokenText;
MbsTokenText mbs_scanner_text(const MbsScanner *scanner, MbsToken token);

// The place in the file of a byte of the expression.
MbsPlace mbs_scanner_place(const MbsScanner *scanner, int offset);
// <owner>: in "<the expression>": <sentence>, at that place
MbsStatus mbs_scanner_fail(const MbsScanner *scanner, int offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
