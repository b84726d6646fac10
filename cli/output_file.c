#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "outcome.h"
#include "stop.h"

static void note_error(CliOutputFile *output) { output->error = errno ? errno : EIO; }

bool cli_output_has_failed(CliOutputFile *output) {
  if (!output->error && ferror(output->file)) {
    note_error(output);
  }
  return output->error != 0;
}

int cli_output_fail(const CliOutputFile *output) {
  return cli_fail(MBS_ERROR_FILE, "cannot write %s: %s", output->path, strerror(output->error));
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
static bool find_target(CliOutputFile *output) {
  enum { MOST_LINKS = 40 };
  output->target = cli_memory_copy_text(output->path, strlen(output->path));
  for (int i = 0; i <= MOST_LINKS; ++i) {
    struct stat entry;
    if (lstat(output->target, &entry) != 0 || !S_ISLNK(entry.st_mode)) {
      return true;
    }
    char *next = read_link(output->target);
    if (!next) {
      return false;
    }
    free(output->target);
    output->target = next;
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

static int create_partial(CliOutputFile *output, const struct stat *older) {
  size_t size = strlen(output->target) + 40;
  char *partial = cli_memory_take(size, 1);
  (void)snprintf(partial, size, "%s.partial-%ld", output->target, (long)getpid());
  cli_stop_hold();
  int descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor >= 0) {
    output->partial = partial;
    cli_stop_remove(partial);
  }
  cli_stop_release();
  if (descriptor < 0) {
    note_error(output);
    int exit_status =
        output->error == EEXIST
            ? cli_fail(MBS_ERROR_FILE, "cannot write %s: %s is left from another run; remove it", output->path, partial)
            : cli_output_fail(output);
    free(partial);
    return exit_status;
  }
  if (older && !take_over(descriptor, older)) {
    note_error(output);
    (void)close(descriptor);
    return cli_output_fail(output);
  }
  output->file = fdopen(descriptor, "w");
  if (!output->file) {
    bool is_memory = errno == ENOMEM;
    note_error(output);
    (void)close(descriptor);
    return is_memory ? cli_fail(MBS_ERROR_MEMORY, "out of memory") : cli_output_fail(output);
  }
  return 0;
}

int cli_output_open(CliOutputFile *output, const char *path) {
  *output = (CliOutputFile){.path = path};
  if (!find_target(output)) {
    note_error(output);
    return cli_output_fail(output);
  }
  // renaming would silently replace a read-only file or a device
  struct stat older;
  bool is_there = stat(output->target, &older) == 0;
  if (is_there && !S_ISREG(older.st_mode)) {
    return cli_fail(MBS_ERROR_FILE, "cannot write %s: it exists and is not a regular file", path);
  }
  if (is_there && access(output->target, W_OK) != 0) {
    note_error(output);
    return cli_output_fail(output);
  }
  return create_partial(output, is_there ? &older : NULL);
}

int cli_output_finish(CliOutputFile *output) {
  if (cli_output_has_failed(output)) {
    return cli_output_fail(output);
  }
  errno = 0;
  // some file systems know no fsync and say EINVAL
  bool is_written =
      fflush(output->file) == 0 && !ferror(output->file) && (fsync(fileno(output->file)) == 0 || errno == EINVAL);
  FILE *file = output->file;
  output->file = NULL;
  int error = is_written ? 0 : errno ? errno : EIO;
  if (fclose(file) != 0 || error) {
    output->error = error ? error : errno ? errno : EIO;
    return cli_output_fail(output);
  }
  return 0;
}

void cli_output_call_incomplete(CliOutputFile *output) {
  const char *slash = strrchr(output->path, '/'), *name = slash ? slash + 1 : output->path;
  const char *dot = strrchr(name, '.');
  size_t length = strlen(output->path), stem = dot && dot > name ? (size_t)(dot - output->path) : length;
  output->incomplete = cli_memory_take(length + sizeof ".incomplete", 1);
  (void)sprintf(output->incomplete, "%.*s.incomplete%s", (int)stem, output->path, output->path + stem);
  output->path = output->incomplete;
}

int cli_output_commit(CliOutputFile *output) {
  errno = 0;
  cli_stop_hold();
  if (rename(output->partial, output->incomplete ? output->incomplete : output->target) != 0) {
    note_error(output);
    cli_stop_release();
    return cli_output_fail(output);
  }
  cli_stop_remove(NULL);
  free(output->partial);
  output->partial = NULL;
  return 0;
}

void cli_output_close(CliOutputFile *output) {
  if (output->file) {
    (void)fclose(output->file);
  }
  if (output->partial) {
    (void)unlink(output->partial);
    cli_stop_remove(NULL);
  }
  free(output->partial);
  free(output->target);
  free(output->incomplete);
  *output = (CliOutputFile){0};
}
