// The hash of FIPS 180-4, by which a content security policy names the scripts and styles that may be used.
#ifndef MBS_CLI_HTML_SHA256_H
#define MBS_CLI_HTML_SHA256_H

#include <stddef.h>

enum { CLI_SHA256_BYTES = 32, CLI_SHA256_TEXT = 45 };

// As base64, with its end.
void cli_sha256(const unsigned char *bytes, size_t count, char text[CLI_SHA256_TEXT]);

#endif
