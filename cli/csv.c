#include "csv.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "outcome.h"
#include "stop.h"

static MbsStatus note_error(CliCsv *csv) {
  csv->error = errno ? errno : EIO;
  return MBS_ERROR_FILE;
}

static void put_text(FILE *file, const char *text) {
  for (const char *c = text; *c; ++c) {
    (void)fputs(*c == '"' ? "\"\"" : (char[]){*c, '\0'}, file);
  }
}

// A name, or name [unit]. Those with commas, quotes or line breaks go between quotes, inner quotes doubled (RFC 4180).
static void put_name(FILE *file, const char *name, const char *unit) {
  static const char special[] = ",\"\r\n";
  const char *quote = strpbrk(name, special) || (unit && strpbrk(unit, special)) ? "\"" : "";
  (void)fputs(quote, file);
  put_text(file, name);
  if (unit) {
    (void)fputs(" [", file);
    put_text(file, unit);
    (void)fputs("]", file);
  }
  (void)fputs(quote, file);
}

// the time is in seconds, and has always been called t
static MbsStatus keep_units(void *user, int column_count, const char *const *units, const char *const *descriptions) {
  CliCsv *csv = user;
  (void)descriptions;  // which a line of names has no place for
  csv->units = cli_memory_take((size_t)column_count, sizeof *csv->units);
  csv->column_count = column_count;
  for (int j = 1; j < column_count; ++j) {
    csv->units[j] = units[j] ? cli_memory_copy_text(units[j], strlen(units[j])) : NULL;
  }
  return MBS_OK;
}

static MbsStatus write_header(void *user, int column_count, const char *const *names) {
  CliCsv *csv = user;
  csv->column_count = column_count;
  csv->names = cli_memory_take((size_t)column_count, sizeof *csv->names);
  errno = 0;
  for (int j = 0; j < column_count; ++j) {
    csv->names[j] = cli_memory_copy_text(names[j], strlen(names[j]));
    put_name(csv->file, names[j], csv->units ? csv->units[j] : NULL);
    (void)fputc(j + 1 < column_count ? ',' : '\n', csv->file);
  }
  return ferror(csv->file) ? note_error(csv) : MBS_OK;
}

static void note_empty(CliCsv *csv, int column, double time) {
  if (csv->empty_count++ == 0) {
    csv->empty_column = column;
    csv->empty_time = time;
  }
}

static MbsStatus write_row(void *user, const double *values) {
  CliCsv *csv = user;
  errno = 0;
  for (int j = 0; j < csv->column_count; ++j) {
    if (isfinite(values[j])) {
      (void)fprintf(csv->file, "%.17g", values[j]);
    } else {
      note_empty(csv, j, values[0]);
    }
    (void)fputc(j + 1 < csv->column_count ? ',' : '\n', csv->file);
  }
  ++csv->row_count;
  return ferror(csv->file) ? note_error(csv) : MBS_OK;
}

int cli_csv_fail(const CliCsv *csv) {
  return cli_fail(MBS_ERROR_FILE, "cannot write %s: %s", csv->path, strerror(csv->error));
}

// ---- the target ----
// what a symbolic link says, seen from where the link is
static char *read_link(const char *link) {
  enum { LONGEST = 4096 };
  char *said = cli_memory_take(LONGEST + 1, 1);
  ssize_t length = readlink(link, said, LONGEST);
  if (length < 0) {
    free(said);
    return NULL;
  }
  const char *slash = strrchr(link, '/');
  size_t folder = said[0] != '/' && slash ? (size_t)(slash - link) + 1 : 0;
  char *path = cli_memory_take(folder + (size_t)length + 1, 1);
  memcpy(path, link, folder);
  memcpy(path + folder, said, (size_t)length);
  free(said);
  return path;
}

// where the path leads, through symbolic links; also where that is not there yet
static bool find_target(CliCsv *csv) {
  enum { MOST_LINKS = 40 };
  csv->target = cli_memory_copy_text(csv->path, strlen(csv->path));
  for (int i = 0; i <= MOST_LINKS; ++i) {
    struct stat entry;
    if (lstat(csv->target, &entry) != 0 || !S_ISLNK(entry.st_mode)) {
      return true;
    }
    char *next = read_link(csv->target);
    if (!next) {
      return false;
    }
    free(csv->target);
    csv->target = next;
  }
  errno = ELOOP;
  return false;
}

// the file takes the place of an older one, as which it appears
static bool take_over(int descriptor, const struct stat *older) {
  struct stat own;
  if (fstat(descriptor, &own) != 0) {
    return false;
  }
  bool is_other = own.st_uid != older->st_uid || own.st_gid != older->st_gid;
  if (is_other && fchown(descriptor, older->st_uid, older->st_gid) != 0) {
    // who may write to another's file need not be allowed to give one away
  }
  return fchmod(descriptor, older->st_mode & 07777) == 0;
}

static int create_partial(CliCsv *csv, const struct stat *older) {
  size_t size = strlen(csv->target) + 40;
  char *partial = cli_memory_take(size, 1);
  (void)snprintf(partial, size, "%s.partial-%ld", csv->target, (long)getpid());
  cli_stop_hold();
  int descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor >= 0) {
    csv->partial = partial;
    cli_stop_remove(partial);
  }
  cli_stop_release();
  if (descriptor < 0) {
    (void)note_error(csv);
    int exit_status =
        csv->error == EEXIST
            ? cli_fail(MBS_ERROR_FILE, "cannot write %s: %s is left from another run; remove it", csv->path, partial)
            : cli_csv_fail(csv);
    free(partial);
    return exit_status;
  }
  if (older && !take_over(descriptor, older)) {
    (void)note_error(csv);
    (void)close(descriptor);
    return cli_csv_fail(csv);
  }
  csv->file = fdopen(descriptor, "w");
  if (!csv->file) {
    bool is_memory = errno == ENOMEM;
    (void)note_error(csv);
    (void)close(descriptor);
    return is_memory ? cli_fail(MBS_ERROR_MEMORY, "out of memory") : cli_csv_fail(csv);
  }
  return 0;
}

int cli_csv_open(CliCsv *csv, const char *path) {
  *csv = (CliCsv){.path = path};
  csv->recorder = (MbsRecorder){.user = csv, .describe = keep_units, .begin = write_header, .row = write_row};
  if (!find_target(csv)) {
    (void)note_error(csv);
    return cli_csv_fail(csv);
  }
  // renaming would silently replace a read-only file or a device
  struct stat older;
  bool is_there = stat(csv->target, &older) == 0;
  if (is_there && !S_ISREG(older.st_mode)) {
    return cli_fail(MBS_ERROR_FILE, "cannot write %s: it exists and is not a regular file", path);
  }
  if (is_there && access(csv->target, W_OK) != 0) {
    (void)note_error(csv);
    return cli_csv_fail(csv);
  }
  return create_partial(csv, is_there ? &older : NULL);
}

int cli_csv_finish(CliCsv *csv) {
  if (csv->column_count == 0 && !csv->is_binary) {
    return cli_fail(MBS_ERROR_NOT_OFFERED, "-o %s: time histories of this method are not offered", csv->path);
  }
  errno = 0;
  // some file systems know no fsync and say EINVAL
  bool is_written = fflush(csv->file) == 0 && !ferror(csv->file) && (fsync(fileno(csv->file)) == 0 || errno == EINVAL);
  FILE *file = csv->file;
  csv->file = NULL;
  int error = is_written ? 0 : errno ? errno : EIO;
  if (fclose(file) != 0 || error) {
    csv->error = error ? error : errno ? errno : EIO;
    return cli_csv_fail(csv);
  }
  return 0;
}

void cli_csv_call_incomplete(CliCsv *csv) {
  const char *slash = strrchr(csv->path, '/'), *name = slash ? slash + 1 : csv->path;
  const char *dot = strrchr(name, '.');
  size_t length = strlen(csv->path), stem = dot && dot > name ? (size_t)(dot - csv->path) : length;
  csv->incomplete = cli_memory_take(length + sizeof ".incomplete", 1);
  (void)sprintf(csv->incomplete, "%.*s.incomplete%s", (int)stem, csv->path, csv->path + stem);
  csv->path = csv->incomplete;
}

int cli_csv_commit(CliCsv *csv) {
  errno = 0;
  cli_stop_hold();
  bool is_renamed = rename(csv->partial, csv->incomplete ? csv->incomplete : csv->target) == 0;
  if (is_renamed) {
    cli_stop_remove(NULL);
    free(csv->partial);
    csv->partial = NULL;
  } else {
    (void)note_error(csv);
    cli_stop_release();
    return cli_csv_fail(csv);
  }
  if (csv->empty_count > 0) {
    (void)fprintf(stderr, "mbsens: %s: %ld values are no finite numbers and stay empty, the first %s at t = %.10g\n",
                  csv->path, csv->empty_count, csv->names[csv->empty_column], csv->empty_time);
  }
  return 0;  // signals stay held: all is done, and nobody should be told otherwise
}

void cli_csv_close(CliCsv *csv) {
  if (csv->file) {
    (void)fclose(csv->file);
  }
  if (csv->partial) {
    (void)unlink(csv->partial);
    cli_stop_remove(NULL);
  }
  for (int j = 0; j < csv->column_count; ++j) {
    free(csv->names ? csv->names[j] : NULL);
    free(csv->units ? csv->units[j] : NULL);
  }
  free(csv->names);
  free(csv->units);
  free(csv->partial);
  free(csv->target);
  free(csv->incomplete);
  *csv = (CliCsv){0};
}
