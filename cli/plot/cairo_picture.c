#include "cairo_picture.h"

#include <errno.h>

#ifdef MBS_WITH_CAIRO
#include <cairo-pdf.h>
#include <cairo.h>

static const double dots_per_point = 2;

static void set_colour(cairo_t *cairo, unsigned colour) {
  cairo_set_source_rgb(cairo, (colour >> 16 & 0xFFu) / 255.0, (colour >> 8 & 0xFFu) / 255.0, (colour & 0xFFu) / 255.0);
}

static void draw_line(cairo_t *cairo, const CliDrawing *drawing, const CliShape *shape) {
  double dashes[4];
  int count = cli_dash_counts[shape->pen.dashes];
  for (int k = 0; k < count; ++k) {
    dashes[k] = cli_dashes[shape->pen.dashes][k] * shape->pen.width;
  }
  cairo_set_dash(cairo, dashes, count, 0);
  cairo_new_path(cairo);  // text leaves a point
  cairo_set_line_width(cairo, shape->pen.width);
  cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
  for (size_t i = 0; i < shape->count; ++i) {
    cairo_line_to(cairo, drawing->corners[shape->first + i].x, drawing->corners[shape->first + i].y);
  }
  cairo_stroke(cairo);
}

static void draw_text(cairo_t *cairo, const CliShape *shape) {
  static const double parts[] = {0, 0.5, 1};
  cairo_text_extents_t extents;
  cairo_set_font_size(cairo, shape->height);
  cairo_text_extents(cairo, shape->text, &extents);
  cairo_save(cairo);
  cairo_translate(cairo, shape->x, shape->y);
  cairo_rotate(cairo, shape->is_turned ? -1.5707963267948966 : 0);
  cairo_move_to(cairo, -parts[shape->anchor] * extents.x_advance, 0);
  cairo_show_text(cairo, shape->text);
  cairo_restore(cairo);
}

static void draw_shape(cairo_t *cairo, const CliDrawing *drawing, const CliShape *shape) {
  cairo_save(cairo);
  if (shape->clip >= 0) {
    const CliShape *clip = &drawing->clips[shape->clip];
    cairo_rectangle(cairo, clip->x, clip->y, clip->width, clip->height);
    cairo_clip(cairo);
  }
  set_colour(cairo, shape->pen.colour);
  switch (shape->kind) {
    case CLI_SHAPE_LINE: draw_line(cairo, drawing, shape); break;
    case CLI_SHAPE_RECTANGLE:
      cairo_rectangle(cairo, shape->x, shape->y, shape->width, shape->height);
      cairo_fill(cairo);
      break;
    case CLI_SHAPE_DISC:
      cairo_new_path(cairo);
      cairo_arc(cairo, shape->x, shape->y, shape->width, 0, 6.283185307179586);
      cairo_fill(cairo);
      break;
    case CLI_SHAPE_TEXT: draw_text(cairo, shape); break;
  }
  cairo_restore(cairo);
}

static cairo_status_t put_bytes(void *user, const unsigned char *bytes, unsigned count) {
  return fwrite(bytes, 1, count, user) == count ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

const char *cli_cairo_version(void) { return cairo_version_string(); }

int cli_cairo_write(const CliDrawing *drawing, CliPicture kind, FILE *file) {
  errno = 0;
  bool is_png = kind == CLI_PICTURE_PNG;
  double scale = is_png ? dots_per_point : 1;
  cairo_surface_t *surface =
      is_png ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(scale * drawing->width),
                                          (int)(scale * drawing->height))
             : cairo_pdf_surface_create_for_stream(put_bytes, file, drawing->width, drawing->height);
  cairo_t *cairo = cairo_create(surface);
  cairo_scale(cairo, scale, scale);
  cairo_set_source_rgb(cairo, 1, 1, 1);
  cairo_paint(cairo);
  cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  for (size_t i = 0; i < drawing->shape_count; ++i) {
    draw_shape(cairo, drawing, &drawing->shapes[i]);
  }
  cairo_status_t status = cairo_status(cairo);
  cairo_destroy(cairo);
  if (status == CAIRO_STATUS_SUCCESS && is_png) {
    status = cairo_surface_write_to_png_stream(surface, put_bytes, file);
  }
  cairo_surface_finish(surface);
  status = status == CAIRO_STATUS_SUCCESS ? cairo_surface_status(surface) : status;
  cairo_surface_destroy(surface);
  return status == CAIRO_STATUS_SUCCESS ? 0 : status == CAIRO_STATUS_NO_MEMORY ? ENOMEM : errno ? errno : EIO;
}

#else

const char *cli_cairo_version(void) { return NULL; }

int cli_cairo_write(const CliDrawing *drawing, CliPicture kind, FILE *file) {
  (void)drawing;
  (void)kind;
  (void)file;
  return ENOSYS;
}

#endif
