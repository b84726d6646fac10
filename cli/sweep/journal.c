#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "cli/memory.h"
#include "cli/outcome.h"

enum { ROOM = 1 << 18 };                // bytes that wait at most
static const double safe_interval = 5;  // s

typedef struct Head {
  char magic[16];
  uint64_t signature, total, width;
} Head;

typedef struct RecordHead {
  uint64_t index;
  uint32_t status, length;  // of the sentence
} RecordHead;

static int fail(const CliJournal *journal, const char *what) {
  return cli_fail(MBS_ERROR_FILE, "cannot %s %s: %s", what, journal->path ? journal->path : "a temporary file",
                  strerror(errno ? errno : EIO));
}

// ---- bytes ----
static bool read_at(const CliJournal *journal, uint64_t place, void *bytes, size_t count) {
  for (size_t at = 0; at < count;) {
    ssize_t got = pread(journal->file, (char *)bytes + at, count - at, (off_t)(place + at));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      errno = got == 0 ? EIO : errno;
      return false;
    }
    at += (size_t)got;
  }
  return true;
}

static bool write_all(const CliJournal *journal, uint64_t place, const void *bytes, size_t count) {
  for (size_t at = 0; at < count;) {
    ssize_t put = pwrite(journal->file, (const char *)bytes + at, count - at, (off_t)(place + at));
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put <= 0) {
      errno = put == 0 ? ENOSPC : errno;
      return false;
    }
    at += (size_t)put;
  }
  return true;
}

static size_t numbers_of(const CliJournal *journal, uint32_t status) {
  return status == MBS_OK ? journal->width * sizeof(double) : 0;
}

static size_t size_of(const CliJournal *journal, const RecordHead *head) {
  return sizeof *head + numbers_of(journal, head->status) + head->length + sizeof(uint64_t);
}

// ---- what is there already ----
// Reads the file by large pieces: from `place` on there are `count` bytes in the buffer.
typedef struct Window {
  uint64_t place;
  size_t count, room;
  unsigned char *bytes;
} Window;

// NULL: so much is not there
static const unsigned char *look(const CliJournal *journal, Window *window, uint64_t place, size_t count) {
  if (place + count > journal->size) {
    return NULL;
  }
  if (place < window->place || place + count > window->place + window->count) {
    if (count > window->room) {
      window->room = 2 * count;
      window->bytes = cli_memory_resize(window->bytes, window->room, 1);
    }
    uint64_t left = journal->size - place;
    window->place = place;
    window->count = left < window->room ? (size_t)left : window->room;
    if (!read_at(journal, place, window->bytes, window->count)) {
      window->count = 0;
      return NULL;
    }
  }
  return window->bytes + (place - window->place);
}

// the size of a whole record; 0: there is none
static size_t check_record(const CliJournal *journal, Window *window, uint64_t place, RecordHead *head) {
  const unsigned char *bytes = look(journal, window, place, sizeof *head);
  if (!bytes) {
    return 0;
  }
  memcpy(head, bytes, sizeof *head);
  if (head->index >= journal->total || head->length >= CLI_SAMPLE_MESSAGE) {
    return 0;
  }
  size_t size = size_of(journal, head);
  uint64_t sum;
  bytes = look(journal, window, place, size);
  if (!bytes) {
    return 0;
  }
  memcpy(&sum, bytes + size - sizeof sum, sizeof sum);
  return sum == mbs_checksum(MBS_CHECKSUM_START, bytes, size - sizeof sum) ? size : 0;
}

static int read_records(CliJournal *journal) {
  Window window = {.room = 1 << 20, .bytes = cli_memory_take(1 << 20, 1)};
  RecordHead head;
  uint64_t place = sizeof(Head);
  for (size_t size; (size = check_record(journal, &window, place, &head)) > 0; place += size) {
    if (!cli_journal_has(journal, head.index)) {
      journal->places[head.index] = place;
      journal->done += 1;
      journal->failed += head.status != MBS_OK;
    }
  }
  free(window.bytes);
  journal->dropped = journal->size - place;
  journal->size = place;
  return journal->dropped > 0 && ftruncate(journal->file, (off_t)place) != 0 ? fail(journal, "write") : 0;
}

static Head head_of(const CliJob *job) {
  Head head = {.signature = job->signature, .total = job->total, .width = job->width};
  (void)snprintf(head.magic, sizeof head.magic, "mbsens %s 1\n", job->name);
  return head;
}

// ---- opening ----
static int open_file(CliJournal *journal) {
  if (!journal->path) {
    FILE *file = tmpfile();
    journal->file = file ? dup(fileno(file)) : -1;
    if (file) {
      (void)fclose(file);
    }
    return journal->file >= 0 ? 0 : fail(journal, "create");
  }
  journal->file = open(journal->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (journal->file < 0) {
    return fail(journal, "write");
  }
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(journal->file, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN)) {
    return cli_fail(MBS_ERROR_FILE, "%s: another %s is writing it", journal->path, journal->job->name);
  }
  return 0;
}

static int check_head(CliJournal *journal, const Head *own) {
  Head head;
  if (!read_at(journal, 0, &head, sizeof head)) {
    return fail(journal, "read");
  }
  if (memcmp(head.magic, own->magic, sizeof head.magic) != 0) {
    return cli_fail(MBS_ERROR_INPUT, "%s: is no journal of a %s; remove it, or choose another name", journal->path,
                    journal->job->name);
  }
  if (memcmp(&head, own, sizeof head) != 0) {
    return cli_fail(MBS_ERROR_INPUT,
                    "%s: is of another %s (the model, the options or the version differ): give the command that "
                    "began it, to go on; or remove it, to begin anew",
                    journal->path, journal->job->name);
  }
  return 0;
}

int cli_journal_open(CliJournal *journal, const CliJob *job, const char *path) {
  *journal = (CliJournal){
      .job = job, .file = -1, .total = job->total, .width = job->width, .room = ROOM, .written = cli_seconds()};
  journal->path = path ? cli_memory_copy_text(path, strlen(path)) : NULL;
  journal->places = cli_memory_take((size_t)job->total, sizeof *journal->places);
  journal->records = cli_memory_take(journal->room, 1);
  Head head = head_of(job);
  struct stat status;
  int exit_status = open_file(journal);
  if (exit_status) {
    return exit_status;
  }
  if (fstat(journal->file, &status) != 0) {
    return fail(journal, "read");
  }
  if (!S_ISREG(status.st_mode)) {
    return cli_fail(MBS_ERROR_FILE, "cannot write %s: it exists and is not a regular file", journal->path);
  }
  journal->size = (uint64_t)status.st_size;
  if (journal->size < sizeof head) {  // new, or killed while it was begun
    if (!write_all(journal, 0, &head, sizeof head)) {
      return fail(journal, "write");
    }
    journal->size = sizeof head;
    return 0;
  }
  exit_status = check_head(journal, &head);
  return exit_status ? exit_status : read_records(journal);
}

void cli_journal_close(CliJournal *journal) {
  if (journal->file >= 0) {
    (void)close(journal->file);
  }
  free(journal->path);
  free(journal->places);
  free(journal->records);
  *journal = (CliJournal){.file = -1};
}

void cli_journal_remove(CliJournal *journal) {
  if (journal->path) {
    (void)unlink(journal->path);
  }
  cli_journal_close(journal);
}

// ---- records ----
static int fail_to_write(CliJournal *journal) {
  journal->exit_status = fail(journal, "write");
  return journal->exit_status;
}

int cli_journal_flush(CliJournal *journal, bool is_safe) {
  if (journal->exit_status) {
    return journal->exit_status;
  }
  errno = 0;
  if (journal->waiting > 0) {
    if (!write_all(journal, journal->size, journal->records, journal->waiting)) {
      int error = errno;
      // a record that is half there would end the file for whoever reads it
      (void)!ftruncate(journal->file, (off_t)journal->size);
      errno = error;
      return fail_to_write(journal);
    }
    journal->size += journal->waiting;
    journal->waiting = 0;
  }
  double time = cli_seconds();
  if (journal->path && (is_safe || time - journal->written > safe_interval)) {
    journal->written = time;
    if (fsync(journal->file) != 0 && errno != EINVAL) {
      return fail_to_write(journal);
    }
  }
  return 0;
}

int cli_journal_add(CliJournal *journal, const CliSample *sample) {
  if (cli_journal_has(journal, sample->index)) {
    return 0;
  }
  RecordHead head = {.index = sample->index, .status = sample->status, .length = (uint32_t)strlen(sample->message)};
  size_t numbers = numbers_of(journal, head.status), size = size_of(journal, &head);
  if (journal->waiting + size > journal->room) {
    int exit_status = cli_journal_flush(journal, false);
    if (exit_status) {
      return exit_status;
    }
    if (size > journal->room) {
      journal->room = 2 * size;
      journal->records = cli_memory_resize(journal->records, journal->room, 1);
    }
  }
  unsigned char *record = journal->records + journal->waiting;
  memcpy(record, &head, sizeof head);
  memcpy(record + sizeof head, sample->numbers, numbers);
  memcpy(record + sizeof head + numbers, sample->message, head.length);
  uint64_t sum = mbs_checksum(MBS_CHECKSUM_START, record, size - sizeof sum);
  memcpy(record + size - sizeof sum, &sum, sizeof sum);
  journal->places[sample->index] = journal->size + journal->waiting;
  journal->waiting += size;
  journal->done += 1;
  journal->failed += head.status != MBS_OK;
  return 0;
}

int cli_journal_read(CliJournal *journal, CliSample *sample) {
  RecordHead head;
  uint64_t place = journal->places[sample->index];
  errno = 0;
  if (!read_at(journal, place, &head, sizeof head)) {
    return fail(journal, "read");
  }
  size_t numbers = numbers_of(journal, head.status);
  sample->status = head.status;
  for (size_t i = 0; numbers == 0 && i < journal->width; ++i) {
    sample->numbers[i] = (double)NAN;
  }
  if (head.length >= sizeof sample->message || !read_at(journal, place + sizeof head, sample->numbers, numbers) ||
      !read_at(journal, place + sizeof head + numbers, sample->message, head.length)) {
    return fail(journal, "read");
  }
  sample->message[head.length] = '\0';
  return 0;
}
