// See mesh.h.
#include "mesh.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../memory.h"
#include "../values.h"

enum { MOST_TRIANGLES = 20000, STL_HEAD = 84, STL_TRIANGLE = 50 };

static MbsStatus fail(MbsContext *context, MbsText name, const char *trouble) {
  return mbs_fail(context, MBS_ERROR_INPUT, name.place, "mesh %.200s: %s", name.text, trouble);
}

static char *path_of(MbsText name) {
  const char *slash = name.place.file && name.text[0] != '/' ? strrchr(name.place.file, '/') : NULL;
  size_t folder = slash ? (size_t)(slash - name.place.file) + 1 : 0, room = folder + strlen(name.text) + 1;
  char *path = cli_memory_take(room, 1);
  (void)snprintf(path, room, "%.*s%s", (int)folder, folder ? name.place.file : "", name.text);
  return path;
}

// all of it, with a zero behind
static unsigned char *read_bytes(const char *path, size_t *count) {
  struct stat entry;
  errno = 0;
  FILE *file = stat(path, &entry) == 0 && S_ISREG(entry.st_mode) ? fopen(path, "rb") : NULL;
  if (!file) {
    return NULL;
  }
  unsigned char *bytes = cli_memory_take((size_t)entry.st_size + 1, 1);
  *count = fread(bytes, 1, (size_t)entry.st_size, file);
  (void)fclose(file);
  return bytes;
}

static void add_corner(CliMesh *mesh, size_t corner, const float *p) {
  if (corner % 3 == 0) {
    mesh->corners = cli_memory_resize(mesh->corners, 9 * (corner / 3 + 1), sizeof *mesh->corners);
  }
  memcpy(mesh->corners + 3 * corner, p, 3 * sizeof *p);
  mesh->triangle_count = corner / 3 + 1;
}

static uint32_t number_of(const unsigned char *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

// three numbers of text; where they end, or NULL
static const char *read_three(const char *text, float *p) {
  for (int k = 0; k < 3; ++k) {
    char *end;
    p[k] = strtof(text, &end);
    if (end == text) {
      return NULL;
    }
    text = end;
  }
  return text;
}

static bool starts_with(const char *line, const char *word) {
  size_t length = strlen(word);
  return strncmp(line, word, length) == 0 && isspace((unsigned char)line[length]);
}

static const char *skip_blanks(const char *text) { return text + strspn(text, " \t"); }

static const char *next_line(const char *text) {
  const char *end = strchr(text, '\n');
  return end ? end + 1 : text + strlen(text);
}

// ---- formats ----
static const char *read_stl(const unsigned char *bytes, size_t count, CliMesh *mesh) {
  size_t corner = 0;
  float p[3];
  if (count >= STL_HEAD && STL_HEAD + (size_t)number_of(bytes + 80) * STL_TRIANGLE == count) {
    size_t triangles = number_of(bytes + 80);
    for (size_t i = 0; i < 3 * triangles && triangles <= MOST_TRIANGLES; ++i) {
      const unsigned char *from = bytes + STL_HEAD + i / 3 * STL_TRIANGLE + 12 + i % 3 * 12;
      for (int k = 0; k < 3; ++k) {
        uint32_t bits = number_of(from + (ptrdiff_t)(4 * k));
        memcpy(&p[k], &bits, sizeof bits);
      }
      add_corner(mesh, i, p);
    }
    mesh->triangle_count = triangles;
    return NULL;
  }
  if (!starts_with((const char *)bytes, "solid")) {
    return "is no STL file";
  }
  for (const char *line = (const char *)bytes; *line; line = next_line(line)) {
    line = skip_blanks(line);
    if (starts_with(line, "vertex")) {
      if (!read_three(line + 6, p)) {
        return "has a vertex that is no three numbers";
      }
      add_corner(mesh, corner++, p);
    }
  }
  return corner % 3 == 0 ? NULL : "ends within a triangle";
}

// v x y z; f 1 2 3 4, f 1/5/2 ..., f -1 -2 -3: a fan of triangles
static const char *read_obj(const char *text, CliMesh *mesh) {
  float *points = NULL;
  size_t point_count = 0, corner = 0;
  const char *trouble = NULL;
  for (const char *line = text; *line && !trouble; line = next_line(line)) {
    line = skip_blanks(line);
    if (starts_with(line, "v")) {
      points = cli_memory_resize(points, 3 * (point_count + 1), sizeof *points);
      trouble = read_three(line + 1, points + 3 * point_count++) ? NULL : "has a vertex that is no three numbers";
    } else if (starts_with(line, "f")) {
      long fan[2] = {0, 0};
      const char *at = skip_blanks(line + 1);
      for (int k = 0; *at && *at != '\n' && *at != '\r' && !trouble; ++k) {
        char *end;
        long index = strtol(at, &end, 10);
        index = index < 0 ? (long)point_count + index : index - 1;
        if (end == at || index < 0 || index >= (long)point_count) {
          trouble = "has a face with a vertex that is not there";
          break;
        }
        if (k >= 2) {
          add_corner(mesh, corner++, points + 3 * fan[0]);
          add_corner(mesh, corner++, points + 3 * fan[1]);
          add_corner(mesh, corner++, points + 3 * index);
        }
        fan[k == 0 ? 0 : 1] = index;
        at = skip_blanks(end + strcspn(end, " \t\r\n"));
      }
    }
  }
  free(points);
  return trouble;
}

MbsStatus cli_mesh_read(MbsContext *context, MbsText name, CliMesh *mesh) {
  char *path = path_of(name);
  size_t count = 0;
  const char *trouble = NULL;
  bool is_stl = cli_path_ends_in(path, ".stl") || cli_path_ends_in(path, ".STL");
  bool is_obj = cli_path_ends_in(path, ".obj") || cli_path_ends_in(path, ".OBJ");
  unsigned char *bytes = is_stl || is_obj ? read_bytes(path, &count) : NULL;
  *mesh = (CliMesh){0};
  if (!bytes) {
    trouble = is_stl || is_obj ? "cannot be opened" : "is no .stl or .obj file";
  } else {
    trouble = is_stl ? read_stl(bytes, count, mesh) : read_obj((const char *)bytes, mesh);
  }
  for (size_t i = 0; !trouble && i < 9 * mesh->triangle_count && mesh->triangle_count <= MOST_TRIANGLES; ++i) {
    trouble = isfinite(mesh->corners[i]) ? NULL : "has a number that is not finite";
  }
  trouble = trouble                                 ? trouble
            : mesh->triangle_count == 0             ? "has no triangles"
            : mesh->triangle_count > MOST_TRIANGLES ? "has more than 20000 triangles, which are too many for a report"
                                                    : NULL;
  free(bytes);
  free(path);
  return trouble ? fail(context, name, trouble) : MBS_OK;
}
