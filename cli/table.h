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
void cli_table_error(CliTable *table, double number);    // 2 significant digits: errors and residuals
void cli_table_short(CliTable *table, double number);    // 3 significant digits: orders, seconds
void cli_table_word(CliTable *table, const char *text);  // a number as it is written, or else a text
void cli_table_blank(CliTable *table);                   // a number that is not there
// Prints the table, indented, with an empty line behind it, and destroys it. Where it is wider than the terminal it is
// printed in parts, each with the first column.
void cli_table_print(CliTable *table, FILE *out);

// Other ways to print it: comma-separated values with 17 digits, what is no number empty; Markdown; LaTeX (tabular).
typedef enum CliTableFormat { CLI_TABLE_TEXT, CLI_TABLE_CSV, CLI_TABLE_MARKDOWN, CLI_TABLE_LATEX } CliTableFormat;
void cli_table_print_as(CliTable *table, CliTableFormat format, FILE *out);

#endif
