// What a job has computed, in the order in which it came: a file that is only ever appended to, by one thread, and
// whose records each say by a checksum that they are whole. Who is killed loses what was not appended yet; the next one
// that opens the file goes on behind the last whole record.
//
//   head     "mbsens sweep 1\n\0" (the job's name), its signature, samples, numbers of each: 40 bytes
//   record   index, status and length of a sentence, numbers (of a sample that did not fail), sentence, checksum
#ifndef MBS_CLI_JOURNAL_H
#define MBS_CLI_JOURNAL_H

#include "job.h"

typedef struct CliJournal {
  const CliJob *job;
  char *path;       // NULL: without a name, gone with the process
  int exit_status;  // of a write that failed, which has been told
  int file;
  uint64_t *places;  // by sample: where its record is; 0: nowhere
  uint64_t total, done, failed;
  size_t width;
  uint64_t size;           // of the file
  uint64_t dropped;        // bytes behind the last whole record that were there
  size_t waiting, room;    // bytes of records that are not written yet
  unsigned char *records;  // these
  double written;          // when they last went to the disk, s
} CliJournal;

// All return 0, or the exit status after a sentence on standard error. To be closed in any case.
// path NULL: a temporary file.
int cli_journal_open(CliJournal *journal, const CliJob *job, const char *path);
int cli_journal_add(CliJournal *journal, const CliSample *sample);
// What was added is in the file; `is_safe`: and on the disk.
int cli_journal_flush(CliJournal *journal, bool is_safe);
static inline bool cli_journal_has(const CliJournal *journal, uint64_t index) { return journal->places[index] != 0; }
// One that it has.
int cli_journal_read(CliJournal *journal, CliSample *sample);
void cli_journal_close(CliJournal *journal);
// The same, and the file is gone: its results are safe elsewhere.
void cli_journal_remove(CliJournal *journal);

#endif
