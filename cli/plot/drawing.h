// A picture as a list of lines, rectangles, discs and texts, and the files it goes to: SVG, written here; PNG and PDF
// by cairo, where that is built in. Lengths are points (1/72 inch), from the left and from the top.
#ifndef MBS_CLI_DRAWING_H
#define MBS_CLI_DRAWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum CliAnchor { CLI_LEFT, CLI_MIDDLE, CLI_RIGHT } CliAnchor;

// Colours are 0xRRGGBB.
typedef struct CliPen {
  unsigned colour;
  double width;
  int dashes;  // 0: solid; 1 to 3: patterns that can be told apart
} CliPen;

enum { CLI_DASH_PATTERNS = 4 };
// lengths of line and gap, in widths of the pen; of pattern 0 none
extern const double cli_dashes[CLI_DASH_PATTERNS][4];
extern const int cli_dash_counts[CLI_DASH_PATTERNS];

typedef enum CliShapeKind { CLI_SHAPE_LINE, CLI_SHAPE_RECTANGLE, CLI_SHAPE_DISC, CLI_SHAPE_TEXT } CliShapeKind;

typedef struct CliShape {
  CliShapeKind kind;
  int clip;  // rectangle it is cut off by, among the drawing's clips; -1: none
  CliPen pen;
  size_t first, count;         // line: its corners, in `corners`
  double x, y, width, height;  // rectangle; disc: its centre, and width is its radius; text: where it stands, and
                               // height is the size of its letters
  char *text;
  CliAnchor anchor;
  bool is_turned;  // text that runs upwards
} CliShape;

typedef struct CliCorner {
  double x, y;
} CliCorner;

typedef struct CliDrawing {
  double width, height;
  char *title;
  size_t shape_count, shape_capacity, corner_count, corner_capacity;
  CliShape *shapes;
  CliCorner *corners;
  int clip_count, clip;  // the one that shapes get now
  CliShape *clips;       // rectangles
} CliDrawing;

// `title`: for those who cannot see it.
CliDrawing *cli_drawing_create(double width, double height, const char *title);
void cli_drawing_destroy(CliDrawing *drawing);

// From now on shapes are cut off at this rectangle; or no more.
void cli_draw_within(CliDrawing *drawing, double x, double y, double width, double height);
void cli_draw_anywhere(CliDrawing *drawing);
// A line from corner to corner, begun and then continued.
void cli_draw_line(CliDrawing *drawing, CliPen pen);
void cli_draw_to(CliDrawing *drawing, double x, double y);
void cli_draw_segment(CliDrawing *drawing, CliPen pen, double x0, double y0, double x1, double y1);
void cli_draw_rectangle(CliDrawing *drawing, unsigned colour, double x, double y, double width, double height);
void cli_draw_disc(CliDrawing *drawing, unsigned colour, double x, double y, double radius);
// y: of the line that the letters stand on
void cli_draw_text(CliDrawing *drawing, const char *text, double size, unsigned colour, double x, double y,
                   CliAnchor anchor, bool is_turned);
// About how wide it will be.
double cli_text_width(const char *text, double size);

typedef enum CliPicture { CLI_PICTURE_SVG, CLI_PICTURE_PNG, CLI_PICTURE_PDF, CLI_PICTURE_COUNT } CliPicture;

// By the ending of a file's name. False: none of them.
bool cli_picture_kind(const char *path, CliPicture *kind);
// Can it be written here? PNG and PDF need cairo.
bool cli_picture_is_offered(CliPicture kind);
// Writes it. Returns 0 or the errno of what failed.
int cli_drawing_write(const CliDrawing *drawing, CliPicture kind, FILE *file);

#endif
