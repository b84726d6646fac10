// Tables for the terminal: cells are added row by row, the first row being the header; printing lines them up.
// Columns with numbers are set to the right.
#ifndef MBS_CLI_TABLE_H
#define MBS_CLI_TABLE_H

#include <stdio.h>

typedef struct CliTable CliTable;

CliTable *cli_table_create(int column_count);
void cli_table_text(CliTable *table, const char *text);
void cli_table_number(CliTable *table, double number);  // 10 significant digits
void cli_table_integer(CliTable *table, long number);
void cli_table_error(CliTable *table, double number);  // 2 significant digits: errors and residuals
// Prints the table, indented, with an empty line behind it, and destroys it.
void cli_table_print(CliTable *table, FILE *out);

#endif
