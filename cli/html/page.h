// A report as one HTML file that needs nothing else: style, script and data stand in it. The data are JSON; a content
// security policy lets this one script and this one style be used, and nothing be fetched.
//
//   CliJson json = cli_page_begin(file, title);   members of the data
//   cli_page_end(&json);
#ifndef MBS_CLI_HTML_PAGE_H
#define MBS_CLI_HTML_PAGE_H

#include "../json.h"

CliJson cli_page_begin(FILE *out, const char *title);
void cli_page_end(CliJson *json);

#endif
