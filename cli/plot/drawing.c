#include "drawing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "cairo_picture.h"

const double cli_dashes[CLI_DASH_PATTERNS][4] = {{0}, {4.5, 2.5}, {1.2, 1.8}, {6, 2, 1.2, 2}};
const int cli_dash_counts[CLI_DASH_PATTERNS] = {0, 2, 2, 4};

// ---- the list ----
CliDrawing *cli_drawing_create(double width, double height, const char *title) {
  CliDrawing *drawing = cli_memory_take(1, sizeof *drawing);
  drawing->width = width;
  drawing->height = height;
  drawing->title = cli_memory_copy_text(title, strlen(title));
  drawing->clip = -1;
  return drawing;
}

void cli_drawing_destroy(CliDrawing *drawing) {
  if (!drawing) {
    return;
  }
  for (size_t i = 0; i < drawing->shape_count; ++i) {
    free(drawing->shapes[i].text);
  }
  free(drawing->shapes);
  free(drawing->corners);
  free(drawing->clips);
  free(drawing->title);
  free(drawing);
}

void cli_draw_within(CliDrawing *drawing, double x, double y, double width, double height) {
  drawing->clips = cli_memory_resize(drawing->clips, (size_t)drawing->clip_count + 1, sizeof *drawing->clips);
  drawing->clip = drawing->clip_count++;
  drawing->clips[drawing->clip] = (CliShape){.x = x, .y = y, .width = width, .height = height};
}

void cli_draw_anywhere(CliDrawing *drawing) { drawing->clip = -1; }

static CliShape *add_shape(CliDrawing *drawing, CliShapeKind kind) {
  if (drawing->shape_count == drawing->shape_capacity) {
    drawing->shape_capacity = 2 * drawing->shape_capacity + 64;
    drawing->shapes = cli_memory_resize(drawing->shapes, drawing->shape_capacity, sizeof *drawing->shapes);
  }
  CliShape *shape = &drawing->shapes[drawing->shape_count++];
  *shape = (CliShape){.kind = kind, .clip = drawing->clip, .first = drawing->corner_count};
  return shape;
}

void cli_draw_line(CliDrawing *drawing, CliPen pen) { add_shape(drawing, CLI_SHAPE_LINE)->pen = pen; }

void cli_draw_to(CliDrawing *drawing, double x, double y) {
  if (drawing->corner_count == drawing->corner_capacity) {
    drawing->corner_capacity = 2 * drawing->corner_capacity + 256;
    drawing->corners = cli_memory_resize(drawing->corners, drawing->corner_capacity, sizeof *drawing->corners);
  }
  drawing->corners[drawing->corner_count++] = (CliCorner){x, y};
  ++drawing->shapes[drawing->shape_count - 1].count;
}

void cli_draw_segment(CliDrawing *drawing, CliPen pen, double x0, double y0, double x1, double y1) {
  cli_draw_line(drawing, pen);
  cli_draw_to(drawing, x0, y0);
  cli_draw_to(drawing, x1, y1);
}

void cli_draw_rectangle(CliDrawing *drawing, unsigned colour, double x, double y, double width, double height) {
  CliShape *shape = add_shape(drawing, CLI_SHAPE_RECTANGLE);
  shape->pen.colour = colour;
  shape->x = x;
  shape->y = y;
  shape->width = width;
  shape->height = height;
}

void cli_draw_disc(CliDrawing *drawing, unsigned colour, double x, double y, double radius) {
  CliShape *shape = add_shape(drawing, CLI_SHAPE_DISC);
  shape->pen.colour = colour;
  shape->x = x;
  shape->y = y;
  shape->width = radius;
}

void cli_draw_text(CliDrawing *drawing, const char *text, double size, unsigned colour, double x, double y,
                   CliAnchor anchor, bool is_turned) {
  CliShape *shape = add_shape(drawing, CLI_SHAPE_TEXT);
  shape->pen.colour = colour;
  shape->text = cli_memory_copy_text(text, strlen(text));
  shape->height = size;
  shape->x = x;
  shape->y = y;
  shape->anchor = anchor;
  shape->is_turned = is_turned;
}

// letters of a sans-serif font, roughly: narrow, wide, and all others
double cli_text_width(const char *text, double size) {
  double width = 0;
  for (const char *c = text; *c; ++c) {
    bool is_continued = ((unsigned char)*c & 0xC0u) == 0x80u;  // of UTF-8
    width += is_continued ? 0 : strchr("iljtfrI.,:;'|!()[] ", *c) ? 0.32 : strchr("mwMW@", *c) ? 0.88 : 0.57;
  }
  return width * size;
}

// ---- SVG ----
// Names of a model may contain anything: what means something in XML is escaped, what XML cannot hold is replaced.
static void put_escaped(FILE *file, const char *text) {
  for (const char *c = text; *c; ++c) {
    switch (*c) {
      case '&': (void)fputs("&amp;", file); break;
      case '<': (void)fputs("&lt;", file); break;
      case '>': (void)fputs("&gt;", file); break;
      case '"': (void)fputs("&quot;", file); break;
      default: (void)fputc((unsigned char)*c < ' ' ? ' ' : *c, file); break;
    }
  }
}

static void put_line(const CliDrawing *drawing, const CliShape *shape, FILE *file) {
  (void)fprintf(file, "<polyline fill=\"none\" stroke=\"#%06x\" stroke-width=\"%g\"", shape->pen.colour,
                shape->pen.width);
  for (int k = 0; k < cli_dash_counts[shape->pen.dashes]; ++k) {
    (void)fprintf(file, "%s%.3g", k ? "," : " stroke-dasharray=\"",
                  cli_dashes[shape->pen.dashes][k] * shape->pen.width);
  }
  (void)fputs(shape->pen.dashes ? "\" points=\"" : " stroke-linejoin=\"round\" points=\"", file);
  for (size_t i = 0; i < shape->count; ++i) {
    const CliCorner *corner = &drawing->corners[shape->first + i];
    (void)fprintf(file, "%s%.2f,%.2f", i ? (i % 8 ? " " : "\n") : "", corner->x, corner->y);
  }
  (void)fputs("\"/>\n", file);
}

static void put_shape(const CliDrawing *drawing, const CliShape *shape, FILE *file) {
  static const char *const anchors[] = {"start", "middle", "end"};
  switch (shape->kind) {
    case CLI_SHAPE_LINE: put_line(drawing, shape, file); break;
    case CLI_SHAPE_RECTANGLE:
      (void)fprintf(file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\"/>\n", shape->x,
                    shape->y, shape->width, shape->height, shape->pen.colour);
      break;
    case CLI_SHAPE_DISC:
      (void)fprintf(file, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"#%06x\"/>\n", shape->x, shape->y,
                    shape->width, shape->pen.colour);
      break;
    case CLI_SHAPE_TEXT:
      (void)fprintf(file, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" fill=\"#%06x\" text-anchor=\"%s\"", shape->x,
                    shape->y, shape->height, shape->pen.colour, anchors[shape->anchor]);
      if (shape->is_turned) {
        (void)fprintf(file, " transform=\"rotate(-90 %.2f %.2f)\"", shape->x, shape->y);
      }
      (void)fputs(" xml:space=\"preserve\">", file);
      put_escaped(file, shape->text);
      (void)fputs("</text>\n", file);
      break;
  }
}

static void write_svg(const CliDrawing *drawing, FILE *file) {
  (void)fprintf(file,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%gpt\" height=\"%gpt\" viewBox=\"0 0 %g %g\" "
                "role=\"img\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n<title>",
                drawing->width, drawing->height, drawing->width, drawing->height);
  put_escaped(file, drawing->title);
  (void)fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", file);
  for (int i = 0; i < drawing->clip_count; ++i) {
    const CliShape *clip = &drawing->clips[i];
    (void)fprintf(file,
                  "<clipPath id=\"clip%d\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/></clipPath>\n",
                  i, clip->x, clip->y, clip->width, clip->height);
  }
  int clip = -1;
  for (size_t i = 0; i < drawing->shape_count; ++i) {
    const CliShape *shape = &drawing->shapes[i];
    if (shape->clip != clip) {
      (void)fputs(clip >= 0 ? "</g>\n" : "", file);
      clip = shape->clip;
      if (clip >= 0) {
        (void)fprintf(file, "<g clip-path=\"url(#clip%d)\">\n", clip);
      }
    }
    put_shape(drawing, shape, file);
  }
  (void)fputs(clip >= 0 ? "</g>\n</svg>\n" : "</svg>\n", file);
}

// ---- files ----
bool cli_picture_kind(const char *path, CliPicture *kind) {
  static const char *const endings[] = {".svg", ".png", ".pdf"};
  size_t length = strlen(path);
  for (int i = 0; i < CLI_PICTURE_COUNT; ++i) {
    if (length > 4 && strcmp(path + length - 4, endings[i]) == 0) {
      *kind = (CliPicture)i;
      return true;
    }
  }
  return false;
}

bool cli_picture_is_offered(CliPicture kind) { return kind == CLI_PICTURE_SVG || cli_cairo_version() != NULL; }

int cli_drawing_write(const CliDrawing *drawing, CliPicture kind, FILE *file) {
  if (kind != CLI_PICTURE_SVG) {
    return cli_cairo_write(drawing, kind, file);
  }
  errno = 0;
  write_svg(drawing, file);
  return ferror(file) ? errno ? errno : EIO : 0;
}
