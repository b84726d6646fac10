#include "assets.h"

// MBS_WEB is the folder, as a text of C. An end lies behind each, before what is aligned next.
#define INCLUDE(file) ".incbin \"" MBS_WEB "/" file "\"\n.ascii \"\\n\"\n"
#define BEGIN(name) ".globl " name "_begin\n.hidden " name "_begin\n" name "_begin:\n"
#define END(name) ".globl " name "_end\n.hidden " name "_end\n" name "_end:\n"

// clang-format off
__asm__(".pushsection .rodata, \"a\"\n"
        BEGIN("cli_style") INCLUDE("vendor/uPlot.min.css") INCLUDE("report.css") END("cli_style")
        BEGIN("cli_body") INCLUDE("body.html") END("cli_body")
        BEGIN("cli_script")
        INCLUDE("vendor/libraries.min.js")
        INCLUDE("app/data.js")
        INCLUDE("app/shapes.js")
        INCLUDE("app/mechanism.js")
        INCLUDE("app/scene.js")
        INCLUDE("app/plots.js")
        INCLUDE("app/tables.js")
        INCLUDE("app/main.js")
        END("cli_script")
        ".popsection\n");
// clang-format on

extern const unsigned char cli_style_begin[], cli_style_end[], cli_body_begin[], cli_body_end[], cli_script_begin[],
    cli_script_end[];

CliAsset cli_asset_style(void) { return (CliAsset){cli_style_begin, (size_t)(cli_style_end - cli_style_begin)}; }
CliAsset cli_asset_body(void) { return (CliAsset){cli_body_begin, (size_t)(cli_body_end - cli_body_begin)}; }
CliAsset cli_asset_script(void) { return (CliAsset){cli_script_begin, (size_t)(cli_script_end - cli_script_begin)}; }
