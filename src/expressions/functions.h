// The built-in functions and operators of expressions. Private to the parser.
#ifndef MBS_FUNCTIONS_H
#define MBS_FUNCTIONS_H

#include <stddef.h>

#include "expressions/external.h"
#include "expressions/parse.h"
#include "expressions/scanner.h"

enum { MBS_BUILT_IN_ARGUMENT_LIMIT = 3, MBS_ANY_COUNT = -1 };

// One of them; MbsFunction (terms/signal_bank.h) is what the model makes of signals.
typedef struct MbsBuiltIn {
  const char *name;
  int argument_count;      // MBS_ANY_COUNT: piecewise()
  int number_count;        // how many of them, from the first, must be numbers; of the others it takes each component
  MbsOperation operation;  // MBS_OP_CONSTANT: one of the two below
  MbsNode (*of_numbers)(MbsGraph *graph, const MbsNode *arguments);
  void (*of_vectors)(MbsGraph *graph, const MbsExpression *arguments, MbsExpression *value);
} MbsBuiltIn;

const MbsBuiltIn *mbs_built_in_find(const char *name);  // NULL: not built in

// value = function(arguments), of which there must be argument_count. false: they are of the wrong kind,
// and `trouble` says so.
bool mbs_built_in_apply(const MbsBuiltIn *function, MbsGraph *graph, const MbsExpression *arguments,
                        MbsExpression *value, char *trouble, size_t trouble_size);

// Arguments as they were read, with their places in the text.
typedef struct MbsArguments {
  int count;
  const MbsExpression *values;
  const int *offsets;
} MbsArguments;
// piecewise(arguments), of which there must be an even number, from four (piecewise.c); says itself what is wrong
MbsStatus mbs_piecewise_apply(const MbsScanner *scanner, MbsGraph *graph, const MbsScope *scope,
                              const MbsArguments *arguments, MbsExpression *value);

// ---- rest_product.c ----
// a b and a^exponent, which have derivatives where a norm among their factors is zero and they have one
MbsNode mbs_rest_product(MbsGraph *graph, MbsNode a, MbsNode b);
MbsNode mbs_rest_power(MbsGraph *graph, MbsNode a, MbsNode exponent);

// ---- calls (call.c) ----
// Where a call stands.
typedef struct MbsCall {
  const MbsScanner *scanner;
  MbsGraph *graph;
  const MbsScope *scope;  // NULL: nothing but numbers is known
  int offset;             // of the function's name in the text
  int nesting;            // of brackets around it
} MbsCall;
// What is called: a built-in function, one or a table of the model, or one of the program.
typedef struct MbsCallee {
  const char *name;
  const MbsBuiltIn *built_in;
  const MbsFormula *formula;
  const void *table;  // of the scope
  int table_arguments;
  const MbsExternal *external;
} MbsCallee;
// MBS_ANY_COUNT: piecewise()
int mbs_callee_argument_count(const MbsCallee *callee);
bool mbs_callee_find(const MbsScope *scope, const char *name, MbsCallee *callee);
// Says itself what is wrong, as of their number.
MbsStatus mbs_callee_apply(const MbsCall *call, const MbsCallee *callee, const MbsArguments *arguments,
                           MbsExpression *value);
// d(d(f, 1), 2, x, y): what d() differentiates, and by which arguments, from 1.
enum { MBS_DERIVATIVE_ORDER = 4, MBS_DERIVATIVE_ARGUMENTS = 32 };
typedef struct MbsDerivative {
  MbsCallee callee;
  int order;
  int by[MBS_DERIVATIVE_ORDER];
} MbsDerivative;
MbsStatus mbs_callee_differentiate(const MbsCall *call, const MbsDerivative *derivative, const MbsArguments *arguments,
                                   MbsExpression *value);

// value = a (symbol) b for + - * / ^, with the same use of `trouble`
bool mbs_operator_apply(char symbol, MbsGraph *graph, const MbsExpression *a, const MbsExpression *b,
                        MbsExpression *value, char *trouble, size_t trouble_size);

typedef enum MbsComparison {
  MBS_COMPARISON_LESS,
  MBS_COMPARISON_NOT_GREATER,
  MBS_COMPARISON_GREATER,
  MBS_COMPARISON_NOT_LESS
} MbsComparison;
// value = a < b and so on, 1 or 0, with the same use of `trouble`
bool mbs_comparison_apply(MbsComparison comparison, MbsGraph *graph, const MbsExpression *a, const MbsExpression *b,
                          MbsExpression *value, char *trouble, size_t trouble_size);

// "a number", "a vector of 2"
const char *mbs_expression_kind(int size);

#endif
