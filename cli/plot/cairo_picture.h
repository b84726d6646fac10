// Drawings as PNG (144 dots an inch) and PDF, by cairo, where it is built in.
#ifndef MBS_CLI_CAIRO_PICTURE_H
#define MBS_CLI_CAIRO_PICTURE_H

#include "drawing.h"

// NULL: it is not.
const char *cli_cairo_version(void);
// Returns 0 or the errno of what failed.
int cli_cairo_write(const CliDrawing *drawing, CliPicture kind, FILE *file);

#endif
