// See mat.h. A file is a header of 128 bytes and elements: a tag (type, bytes) and data, padded to 8 bytes. A variable
// is an element of elements: flags and class, dimensions, name, real parts, imaginary parts; numbers by columns, the
// first dimension varying fastest.
#include "mat.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum { INT8 = 1, UINT16 = 4, INT32 = 5, UINT32 = 6, DOUBLE = 9, MATRIX = 14 };  // of data
enum { CELL = 1, CHARACTERS = 4, DOUBLES = 6 };                                 // classes
enum { COMPLEX_FLAG = 0x0800, MOST_DIMENSIONS = 4 };

// errno is of what is written between the two
static FILE *start(const CliOutputFile *output) {
  errno = 0;
  return output->file;
}

static void note(CliOutputFile *output) { (void)cli_output_has_failed(output); }

static size_t padded(size_t bytes) { return (bytes + 7) / 8 * 8; }
static size_t element_size(size_t bytes) { return 8 + padded(bytes); }

static void put_tag(FILE *file, uint32_t type, size_t bytes) {
  const uint32_t tag[2] = {type, (uint32_t)bytes};
  (void)fwrite(tag, sizeof tag, 1, file);
}

static void pad(FILE *file, size_t bytes) {
  static const char zeros[8];
  (void)fwrite(zeros, 1, padded(bytes) - bytes, file);
}

static void put_element(FILE *file, uint32_t type, size_t bytes, const void *data) {
  put_tag(file, type, bytes);
  (void)fwrite(data, 1, bytes, file);
  pad(file, bytes);
}

void cli_mat_begin(CliOutputFile *output) {
  char text[124];
  const uint16_t version[2] = {0x0100, 'M' << 8 | 'I'};
  FILE *file = start(output);
  memset(text, ' ', sizeof text);
  static const char name[] = "MATLAB 5.0 MAT-file, written by mbsens";
  memcpy(text, name, sizeof name - 1);
  memset(text + 116, 0, 8);
  (void)fwrite(text, sizeof text, 1, file);
  (void)fwrite(version, sizeof version, 1, file);
  note(output);
}

// what every variable begins with; `data`: bytes of the elements that follow
static void begin(FILE *file, const char *name, uint32_t class, int dimension_count, const int32_t *dimensions,
                  size_t data) {
  const uint32_t flags[2] = {class, 0};
  size_t dimension_bytes = (size_t)dimension_count * sizeof *dimensions;
  put_tag(file, MATRIX, element_size(sizeof flags) + element_size(dimension_bytes) + element_size(strlen(name)) + data);
  put_element(file, UINT32, sizeof flags, flags);
  put_element(file, INT32, dimension_bytes, dimensions);
  put_element(file, INT8, strlen(name), name);
}

// the parts (0: real, 1: imaginary), by columns
static void put_part(FILE *file, int dimension_count, const int32_t *dimensions, const double *values, int stride,
                     int part) {
  size_t count = 1, place[MOST_DIMENSIONS] = {0}, step[MOST_DIMENSIONS];
  for (int i = dimension_count - 1; i >= 0; --i) {
    step[i] = count;
    count *= (size_t)dimensions[i];
  }
  put_tag(file, DOUBLE, count * sizeof *values);
  for (size_t k = 0; k < count; ++k) {
    size_t from = 0;
    for (int i = 0; i < dimension_count; ++i) {
      from += place[i] * step[i];
    }
    (void)fwrite(&values[from * (size_t)stride + (size_t)part], sizeof *values, 1, file);
    for (int i = 0; i < dimension_count && ++place[i] == (size_t)dimensions[i]; ++i) {
      place[i] = 0;
    }
  }
}

void cli_mat_array(CliOutputFile *output, const char *name, int dimension_count, const int *given, const double *values,
                   int stride) {
  int32_t dimensions[MOST_DIMENSIONS];
  size_t count = 1;
  FILE *file = start(output);
  for (int i = 0; i < dimension_count; ++i) {
    dimensions[i] = given[i];
    count *= (size_t)given[i];
  }
  begin(file, name, DOUBLES | (stride == 2 ? COMPLEX_FLAG : 0), dimension_count, dimensions,
        (size_t)stride * element_size(count * sizeof *values));
  for (int part = 0; part < stride; ++part) {
    put_part(file, dimension_count, dimensions, values, stride, part);
  }
  note(output);
}

static size_t text_size(size_t length) {
  return element_size(8) + element_size(8) + element_size(0) + element_size(2 * length);
}

void cli_mat_texts(CliOutputFile *output, const char *name, int count, const char *const *texts) {
  const int32_t cells[] = {count, 1};
  size_t data = 0;
  FILE *file = start(output);
  for (int i = 0; i < count; ++i) {
    data += 8 + text_size(strlen(texts[i]));
  }
  begin(file, name, CELL, 2, cells, data);
  for (int i = 0; i < count; ++i) {
    size_t length = strlen(texts[i]);
    const int32_t dimensions[] = {length > 0, (int32_t)length};
    begin(file, "", CHARACTERS, 2, dimensions, element_size(2 * length));
    put_tag(file, UINT16, 2 * length);
    for (size_t k = 0; k < length; ++k) {
      const uint16_t letter = (unsigned char)texts[i][k];
      (void)fwrite(&letter, sizeof letter, 1, file);
    }
    pad(file, 2 * length);
  }
  note(output);
}
