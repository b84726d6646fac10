// The files of web/ that are in every report, put into the program as they are by the assembler.
#ifndef MBS_CLI_HTML_ASSETS_H
#define MBS_CLI_HTML_ASSETS_H

#include <stddef.h>

typedef struct CliAsset {
  const unsigned char *bytes;
  size_t count;
} CliAsset;

CliAsset cli_asset_style(void);
CliAsset cli_asset_body(void);
CliAsset cli_asset_script(void);

#endif
