#include "hdf5.h"

#include <errno.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

// of HDF5's own printing and of what it does at the exit of the program there must be nothing
static void be_quiet(void) {
  (void)H5dont_atexit();
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

const char *cli_hdf5_version(void) {
#define TEXT_OF(x) #x
#define DOTTED(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)
  return DOTTED(H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
#undef DOTTED
#undef TEXT_OF
}

// ---- what fails ----
// Is there something to write to? errno is then of what comes.
static bool is_good(const CliHdf5 *hdf5) {
  errno = 0;
  return hdf5->output && !hdf5->output->error && hdf5->file >= 0;
}

// a status, or an identifier, which is negative where a call failed
static hid_t noted(CliHdf5 *hdf5, hid_t result) {
  if (result < 0 && !hdf5->output->error) {
    hdf5->output->error = errno ? errno : EIO;
  }
  return result;
}

static void close_dataset(CliHdf5 *hdf5, hid_t dataset) {
  if (dataset >= 0) {
    (void)noted(hdf5, H5Dclose(dataset));
  }
}

// ---- the file ----
void cli_hdf5_begin(CliHdf5 *hdf5, CliOutputFile *output) {
  *hdf5 = (CliHdf5){.output = output, .file = -1};
  be_quiet();
  errno = 0;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  // datasets that are still open would keep a file open that is told to close
  (void)H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  hdf5->file = noted(hdf5, H5Fcreate(output->partial, H5F_ACC_TRUNC, H5P_DEFAULT, access));
  (void)H5Pclose(access);
}

void cli_hdf5_end(CliHdf5 *hdf5) {
  if (hdf5->output && hdf5->file >= 0) {
    errno = 0;
    (void)noted(hdf5, H5Fclose(hdf5->file));
  }
  *hdf5 = (CliHdf5){.file = -1};
}

void cli_hdf5_group(CliHdf5 *hdf5, const char *path) {
  if (is_good(hdf5)) {
    hid_t group = noted(hdf5, H5Gcreate2(hdf5->file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    if (group >= 0) {
      (void)noted(hdf5, H5Gclose(group));
    }
  }
}

// ---- texts ----
// Texts are UTF-8, and are called ASCII where they are no more than that: Octave reads no others.
static hid_t text_type(size_t length, size_t byte_count, const char *bytes) {
  H5T_cset_t set = H5T_CSET_ASCII;
  for (size_t i = 0; i < byte_count; ++i) {
    set = (unsigned char)bytes[i] > 127 ? H5T_CSET_UTF8 : set;
  }
  hid_t type = H5Tcopy(H5T_C_S1);
  (void)H5Tset_size(type, length > 0 ? length : 1);  // there is no type of length 0
  (void)H5Tset_strpad(type, H5T_STR_NULLPAD);
  (void)H5Tset_cset(type, set);
  return type;
}

// ---- attributes ----
static void put_attribute(CliHdf5 *hdf5, const char *path, const char *name, hid_t type, const void *value) {
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute =
      noted(hdf5, H5Acreate_by_name(hdf5->file, path, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  if (attribute >= 0) {
    (void)noted(hdf5, H5Awrite(attribute, type, value));
    (void)noted(hdf5, H5Aclose(attribute));
  }
  (void)H5Sclose(space);
}

void cli_hdf5_attribute(CliHdf5 *hdf5, const char *path, const char *name, double value) {
  if (is_good(hdf5)) {
    put_attribute(hdf5, path, name, H5T_NATIVE_DOUBLE, &value);
  }
}

void cli_hdf5_attribute_text(CliHdf5 *hdf5, const char *path, const char *name, const char *text) {
  if (is_good(hdf5)) {
    hid_t type = text_type(strlen(text), strlen(text), text);
    put_attribute(hdf5, path, name, type, text[0] ? text : "\0");
    (void)H5Tclose(type);
  }
}

// ---- whole datasets ----
enum { CHUNK_NUMBERS = 32768 };  // 256 kB, a quarter of what HDF5 keeps of a dataset

// with numbers by the chunk, deflated where this HDF5 can
static hid_t chunked(int dimension_count, const hsize_t *chunk) {
  hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  (void)H5Pset_chunk(properties, dimension_count, chunk);
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    (void)H5Pset_shuffle(properties);
    (void)H5Pset_deflate(properties, 4);
  }
  return properties;
}

static void put_dataset(CliHdf5 *hdf5, const char *path, hid_t type, hid_t space, hid_t properties,
                        const void *values) {
  hid_t dataset = noted(hdf5, H5Dcreate2(hdf5->file, path, type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  if (dataset >= 0 && values) {
    (void)noted(hdf5, H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  }
  close_dataset(hdf5, dataset);
}

void cli_hdf5_array(CliHdf5 *hdf5, const char *path, int dimension_count, const size_t *dimensions,
                    const double *values) {
  if (!is_good(hdf5)) {
    return;
  }
  hsize_t size[CLI_HDF5_DIMENSIONS] = {0}, chunk[CLI_HDF5_DIMENSIONS] = {0}, behind = 1, count = 1;
  for (int i = dimension_count - 1; i >= 0; --i) {
    hsize_t most = CHUNK_NUMBERS / behind > 0 ? CHUNK_NUMBERS / behind : 1;
    size[i] = dimensions[i];
    count *= size[i];
    chunk[i] = size[i] < most ? size[i] : most;
    behind *= chunk[i] > 0 ? chunk[i] : 1;
  }
  // a few numbers take less room as they are
  bool is_chunked = count > 64;
  hid_t properties = is_chunked ? chunked(dimension_count, chunk) : H5P_DEFAULT;
  hid_t space = H5Screate_simple(dimension_count, size, NULL);
  put_dataset(hdf5, path, H5T_NATIVE_DOUBLE, space, properties, count > 0 ? values : NULL);
  (void)H5Sclose(space);
  if (is_chunked) {
    (void)H5Pclose(properties);
  }
}

void cli_hdf5_text(CliHdf5 *hdf5, const char *path, const char *text) {
  if (is_good(hdf5)) {
    hid_t type = text_type(strlen(text), strlen(text), text), space = H5Screate(H5S_SCALAR);
    put_dataset(hdf5, path, type, space, H5P_DEFAULT, text[0] ? text : "\0");
    (void)H5Sclose(space);
    (void)H5Tclose(type);
  }
}

void cli_hdf5_texts(CliHdf5 *hdf5, const char *path, int count, const char *const *texts) {
  if (!is_good(hdf5)) {
    return;
  }
  size_t longest = 1;
  for (int i = 0; i < count; ++i) {
    size_t length = texts[i] ? strlen(texts[i]) : 0;
    longest = length > longest ? length : longest;
  }
  char *all = cli_memory_take((size_t)count * longest, 1);
  for (int i = 0; i < count; ++i) {
    if (texts[i]) {
      memcpy(all + (size_t)i * longest, texts[i], strlen(texts[i]));
    }
  }
  const hsize_t size = (hsize_t)count;
  hid_t type = text_type(longest, (size_t)count * longest, all), space = H5Screate_simple(1, &size, NULL);
  bool is_chunked = (size_t)count * longest > 1024;
  hid_t properties = is_chunked ? chunked(1, &size) : H5P_DEFAULT;
  put_dataset(hdf5, path, type, space, properties, count > 0 ? all : NULL);
  if (is_chunked) {
    (void)H5Pclose(properties);
  }
  (void)H5Sclose(space);
  (void)H5Tclose(type);
  free(all);
}

// ---- series ----
void cli_hdf5_series_begin(CliHdf5Series *series, CliHdf5 *hdf5, const char *path, int row_dimension_count,
                           const size_t *row_dimensions) {
  *series =
      (CliHdf5Series){.hdf5 = hdf5, .dataset = -1, .row_dimension_count = row_dimension_count, .width = 1, .chunk = 1};
  hsize_t size[3] = {0}, most[3] = {H5S_UNLIMITED}, chunk[3];
  for (int i = 0; i < row_dimension_count; ++i) {
    series->row_dimensions[i] = row_dimensions[i];
    size[1 + i] = most[1 + i] = chunk[1 + i] = row_dimensions[i];
    series->width *= row_dimensions[i];
  }
  series->chunk = CHUNK_NUMBERS / series->width;
  series->chunk = series->chunk < 1 ? 1 : series->chunk > 4096 ? 4096 : series->chunk;
  chunk[0] = series->chunk;
  series->buffer = cli_memory_take(series->chunk * series->width, sizeof *series->buffer);
  if (is_good(hdf5)) {
    hid_t space = H5Screate_simple(1 + row_dimension_count, size, most);
    hid_t properties = chunked(1 + row_dimension_count, chunk);
    series->dataset =
        noted(hdf5, H5Dcreate2(hdf5->file, path, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    (void)H5Pclose(properties);
    (void)H5Sclose(space);
  }
}

static void write_buffer(CliHdf5Series *series) {
  CliHdf5 *hdf5 = series->hdf5;
  if (series->buffered > 0 && is_good(hdf5) && series->dataset >= 0) {
    hsize_t first[3] = {series->row_count}, count[3] = {series->buffered}, size[3] = {first[0] + count[0]};
    for (int i = 0; i < series->row_dimension_count; ++i) {
      count[1 + i] = size[1 + i] = series->row_dimensions[i];
    }
    if (noted(hdf5, H5Dset_extent(series->dataset, size)) >= 0) {
      hid_t space = H5Dget_space(series->dataset);
      hid_t own = H5Screate_simple(1 + series->row_dimension_count, count, NULL);
      (void)noted(hdf5, H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL));
      (void)noted(hdf5, H5Dwrite(series->dataset, H5T_NATIVE_DOUBLE, own, space, H5P_DEFAULT, series->buffer));
      (void)H5Sclose(own);
      (void)H5Sclose(space);
    }
  }
  series->row_count += series->buffered;
  series->buffered = 0;
}

double *cli_hdf5_series_row(CliHdf5Series *series) { return series->buffer + series->buffered * series->width; }

void cli_hdf5_series_next(CliHdf5Series *series) {
  if (++series->buffered == series->chunk) {
    write_buffer(series);
  }
}

void cli_hdf5_series_end(CliHdf5Series *series) {
  if (series->buffer) {
    write_buffer(series);
    close_dataset(series->hdf5, series->dataset);
  }
  free(series->buffer);
  *series = (CliHdf5Series){.dataset = -1};
}

// ---- reading ----
void cli_hdf5_free_texts(size_t count, char **texts) {
  for (size_t i = 0; i < count; ++i) {
    free(texts[i]);
  }
  free(texts);
}

int64_t cli_hdf5_open(const char *path) {
  be_quiet();
  return H5Fis_hdf5(path) > 0 ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
}

void cli_hdf5_close(int64_t file) {
  if (file >= 0) {
    (void)H5Fclose(file);
  }
}

// Opens only what is there, links of its path one after the other; -1: nothing.
static hid_t open_dataset(hid_t file, const char *path) {
  char part[200];
  for (const char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
    size_t length = slash ? (size_t)(slash - path) : strlen(path);
    if (length >= sizeof part) {
      return -1;
    }
    memcpy(part, path, length);
    part[length] = '\0';
    if (H5Lexists(file, part, H5P_DEFAULT) <= 0) {
      return -1;
    }
    if (!slash) {
      return H5Dopen2(file, path, H5P_DEFAULT);
    }
  }
}

bool cli_hdf5_read_array(int64_t file, const char *path, int dimension_count, size_t *dimensions, double **values) {
  hid_t dataset = open_dataset(file, path);
  hsize_t size[CLI_HDF5_DIMENSIONS] = {0}, count = 1;
  *values = NULL;
  if (dataset < 0) {
    return false;
  }
  hid_t space = H5Dget_space(dataset);
  bool is_good = H5Sget_simple_extent_ndims(space) == dimension_count &&
                 H5Sget_simple_extent_dims(space, size, NULL) == dimension_count;
  for (int i = 0; i < dimension_count && is_good; ++i) {
    dimensions[i] = size[i];
    count *= size[i];
  }
  if (is_good) {
    *values = cli_memory_take(count > 0 ? count : 1, sizeof **values);
    is_good = count == 0 || H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0;
  }
  if (!is_good) {
    free(*values);
    *values = NULL;
  }
  (void)H5Sclose(space);
  (void)H5Dclose(dataset);
  return is_good;
}

bool cli_hdf5_read_texts(int64_t file, const char *path, size_t *count, char ***texts) {
  hid_t dataset = open_dataset(file, path);
  *count = 0;
  *texts = NULL;
  if (dataset < 0) {
    return false;
  }
  hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
  hssize_t points = H5Sget_simple_extent_npoints(space);
  size_t length = H5Tget_size(type);
  bool is_good = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && points >= 0;
  if (is_good) {
    char *all = cli_memory_take((size_t)points * length + 1, 1);
    is_good = points == 0 || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0;
    *texts = cli_memory_take((size_t)points + 1, sizeof **texts);
    for (; is_good && *count < (size_t)points; ++*count) {
      (*texts)[*count] = cli_memory_copy_text(all + *count * length, strnlen(all + *count * length, length));
    }
    free(all);
  }
  (void)H5Tclose(type);
  (void)H5Sclose(space);
  (void)H5Dclose(dataset);
  return is_good;
}

bool cli_hdf5_read_attribute(int64_t file, const char *path, const char *name, double *value) {
  if (H5Aexists_by_name(file, path, name, H5P_DEFAULT) <= 0) {
    return false;
  }
  hid_t attribute = H5Aopen_by_name(file, path, name, H5P_DEFAULT, H5P_DEFAULT);
  bool is_good = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_DOUBLE, value) >= 0;
  (void)H5Aclose(attribute);
  return is_good;
}

char *cli_hdf5_read_attribute_text(int64_t file, const char *path, const char *name) {
  if (H5Aexists_by_name(file, path, name, H5P_DEFAULT) <= 0) {
    return NULL;
  }
  hid_t attribute = H5Aopen_by_name(file, path, name, H5P_DEFAULT, H5P_DEFAULT), type = H5Aget_type(attribute);
  char *text = NULL;
  if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
    text = cli_memory_take(H5Tget_size(type) + 1, 1);
    (void)H5Aread(attribute, type, text);
  }
  (void)H5Tclose(type);
  (void)H5Aclose(attribute);
  return text;
}
