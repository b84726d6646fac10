// A copy of the model file with other numbers for some parameters, all else as it stands (mbs_model_revise). What --set
// says is written too, so that the copy is the model that ran.
#ifndef MBS_CLI_IMPROVED_MODEL_H
#define MBS_CLI_IMPROVED_MODEL_H

#include "session.h"

enum { CLI_NUMBER_ROOM = 32 };

// As short as it may be to be read as the same number.
void cli_number_text(double number, char text[CLI_NUMBER_ROOM]);

// The text of the model file with these values, and those of --set. Returns 0, or the exit status after a sentence on
// standard error: they cannot be written there. To be destroyed by mbs_text_destroy.
int cli_improved_model_text(const CliOptions *options, int count, const char *const *names, const double *values,
                            char **text);

// With -o, before a search: opens that file, and finds out whether the parameters of the session's request can be
// written there, so that it is known before. Returns 0, or the exit status after a sentence on standard error.
int cli_improved_model_open(CliSession *session);
// With -o: the copy, to be committed when all is printed (session.h). Returns likewise.
int cli_improved_model_write(CliSession *session, int count, const char *const *names, const double *values);

// " --set 'u[1]=3'", for a shell.
void cli_improved_model_print_option(FILE *out, const char *name, double value);

#endif
