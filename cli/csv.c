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

static MbsStatus note_error(CliCsv *csv) {
  csv->error = errno ? errno : EIO;
  return MBS_ERROR_FILE;
}

// names with commas, quotes or line breaks go between quotes, inner quotes doubled (RFC 4180)
static void put_name(FILE *file, const char *name) {
  if (!strpbrk(name, ",\"\r\n")) {
    (void)fputs(name, file);
    return;
  }
  (void)fputc('"', file);
  for (const char *c = name; *c; ++c) {
    (void)fputs(*c == '"' ? "\"\"" : (char[]){*c, '\0'}, file);
  }
  (void)fputc('"', file);
}

static MbsStatus write_header(void *user, int column_count, const char *const *names) {
  CliCsv *csv = user;
  csv->column_count = column_count;
  errno = 0;
  for (int j = 0; j < column_count; ++j) {
    put_name(csv->file, names[j]);
    (void)fputc(j + 1 < column_count ? ',' : '\n', csv->file);
  }
  return ferror(csv->file) ? note_error(csv) : MBS_OK;
}

static MbsStatus write_row(void *user, const double *values) {
  CliCsv *csv = user;
  errno = 0;
  for (int j = 0; j < csv->column_count; ++j) {
    // printf gives some NaNs a sign
    (void)(isnan(values[j]) ? fputs("nan", csv->file) : fprintf(csv->file, "%.17g", values[j]));
    (void)fputc(j + 1 < csv->column_count ? ',' : '\n', csv->file);
  }
  ++csv->row_count;
  return ferror(csv->file) ? note_error(csv) : MBS_OK;
}

int cli_csv_fail(const CliCsv *csv) {
  return cli_fail(MBS_ERROR_FILE, "cannot write %s: %s", csv->path, strerror(csv->error));
}

int cli_csv_open(CliCsv *csv, const char *path) {
  *csv = (CliCsv){.path = path};
  csv->recorder = (MbsRecorder){.user = csv, .begin = write_header, .row = write_row};
  // renaming would silently replace a read-only file or a device
  struct stat target;
  if (stat(path, &target) == 0) {
    if (!S_ISREG(target.st_mode)) {
      return cli_fail(MBS_ERROR_FILE, "cannot write %s: it exists and is not a regular file", path);
    }
    if (access(path, W_OK) != 0) {
      (void)note_error(csv);
      return cli_csv_fail(csv);
    }
  }
  size_t size = strlen(path) + 40;
  char *partial = cli_memory_take(size, 1);
  (void)snprintf(partial, size, "%s.partial-%ld", path, (long)getpid());
  int descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    (void)note_error(csv);
    int exit_status =
        csv->error == EEXIST
            ? cli_fail(MBS_ERROR_FILE, "cannot write %s: %s is left from another run; remove it", path, partial)
            : cli_csv_fail(csv);
    free(partial);
    return exit_status;
  }
  csv->partial = partial;
  csv->file = fdopen(descriptor, "w");
  if (!csv->file) {
    (void)note_error(csv);
    (void)close(descriptor);
    return cli_csv_fail(csv);
  }
  return 0;
}

int cli_csv_commit(CliCsv *csv) {
  if (csv->column_count == 0) {
    return cli_fail(MBS_ERROR_NOT_OFFERED, "-o %s: time histories of this method are not offered", csv->path);
  }
  errno = 0;
  // some file systems know no fsync and say EINVAL
  bool is_written = fflush(csv->file) == 0 && !ferror(csv->file) && (fsync(fileno(csv->file)) == 0 || errno == EINVAL);
  if (!is_written) {
    (void)note_error(csv);
    return cli_csv_fail(csv);
  }
  FILE *file = csv->file;
  csv->file = NULL;
  if (fclose(file) != 0 || rename(csv->partial, csv->path) != 0) {
    (void)note_error(csv);
    return cli_csv_fail(csv);
  }
  free(csv->partial);
  csv->partial = NULL;
  return 0;
}

void cli_csv_close(CliCsv *csv) {
  if (csv->file) {
    (void)fclose(csv->file);
  }
  if (csv->partial) {
    (void)unlink(csv->partial);
  }
  free(csv->partial);
  *csv = (CliCsv){0};
}
