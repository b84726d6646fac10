// A line of an evaluation is
//     STATUS RUNS IS_PATH_OWN HAS_GRADIENT x[n] values[m] gradient[m n] MESSAGE CHECKSUM
// with numbers in hexadecimal, which are exact; of a failure without values. The checksum is FNV-1a (Fowler, Noll, Vo)
// of what stands before it, as is the number that stands for the problem: settings, objectives, bounds, limits,
// tolerances.
#include "optimization/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"

#define FIRST_LINE "mbsens optimize, what has been computed so far"
enum { NUMBER_ROOM = 28, TEXT_ROOM = 4096, CHECKSUM_LENGTH = 16 };
enum { LARGEST_FILE = 1 << 30 };

struct MbsJournal {
  MbsArena *arena;
  const char *path;
  int descriptor;
  char *head;  // first lines, as they must be, up to the method
  char *next;  // of the lines that were there; NULL: there are none left
  char *line;  // being written, with its room
  size_t room;
  MbsMethod method;  // none: not yet begun
  long recalled;     // lines
};

static MbsStatus fail(MbsContext *context, const MbsJournal *journal, const char *what) {
  return mbs_fail(context, MBS_ERROR_FILE, mbs_nowhere, "cannot %s %s: %s", what, journal->path, strerror(errno));
}

static MbsStatus refuse(MbsContext *context, const MbsJournal *journal, const char *why) {
  return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                  "%s %s: give the state another name, or remove the file to begin anew", journal->path, why);
}

// ---- which problem it is ----
static uint64_t hash_number(uint64_t hash, double number) { return mbs_checksum(hash, &number, sizeof number); }

uint64_t mbs_journal_signature(const MbsDesignProblem *problem) {
  const MbsDesign *design = &problem->design;
  uint64_t hash = mbs_checksum_text(MBS_CHECKSUM_START, MBS_VERSION);
  for (int i = 0; i < mbs_settings_count; ++i) {
    char text[TEXT_ROOM] = "";
    bool is_of_model = strcmp(mbs_settings[i].name, "method") != 0;
    if (is_of_model && mbs_setting_print(&mbs_settings[i], &problem->request, sizeof text, text)) {
      hash = mbs_checksum_text(hash, text);
    }
  }
  for (int i = 0; i < problem->n; ++i) {
    const MbsDesignVariable *variable = &problem->variables[i];
    hash = mbs_checksum_text(hash, problem->names[i]);
    hash = hash_number(hash_number(hash, variable->lower), variable->upper);
    hash = hash_number(hash_number(hash, variable->value), problem->scale[i]);
  }
  for (int k = 0; k < problem->objective_count; ++k) {
    hash = hash_number(mbs_checksum_text(hash, problem->objectives[k]), problem->weights[k]);
  }
  for (int j = 0; j < problem->row_count; ++j) {
    const MbsConstraintRow *row = &problem->rows[j];
    hash = hash_number(hash_number(hash, row->bound), problem->design.limits[row->limit].scale);
    hash = hash_number(hash_number(hash, row->sign), row->objective);
  }
  const double numbers[] = {problem->algorithm,
                            design->evaluations,
                            design->starts,
                            design->seed,
                            design->tolerance,
                            design->feasibility,
                            design->target,
                            problem->request.settings.is_equilibrium,
                            problem->request.settings.is_kinematic};
  return mbs_checksum(hash, numbers, sizeof numbers);
}

// ---- writing ----
static MbsStatus add_line(MbsContext *context, MbsJournal *journal, const char *line, size_t length) {
  off_t before = lseek(journal->descriptor, 0, SEEK_END);
  for (size_t done = 0; done < length;) {
    ssize_t count = write(journal->descriptor, line + done, length - done);
    if (count <= 0 && errno != EINTR) {
      int error = count < 0 ? errno : ENOSPC;
      if (ftruncate(journal->descriptor, before) != 0) {
        // the half line is dropped when the file is read
      }
      errno = error;
      return fail(context, journal, "write");
    }
    done += count > 0 ? (size_t)count : 0;
  }
  return MBS_OK;
}

MbsMethod mbs_journal_method(const MbsJournal *journal) { return journal ? journal->method : MBS_METHOD_NONE; }

MbsStatus mbs_journal_begin(MbsContext *context, MbsJournal *journal, MbsMethod method) {
  if (!journal || journal->method != MBS_METHOD_NONE) {
    return MBS_OK;
  }
  const char *text =
      mbs_arena_print(journal->arena, "%smethod %s\n", journal->head, mbs_setting_word("method", (int)method));
  if (!text) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  journal->method = method;
  return ftruncate(journal->descriptor, 0) == 0 ? add_line(context, journal, text, strlen(text))
                                                : fail(context, journal, "write");
}

static char *print_numbers(char *to, int count, const double *numbers) {
  for (int i = 0; i < count; ++i) {
    to += sprintf(to, " %a", numbers[i]);
  }
  return to;
}

MbsStatus mbs_journal_keep(MbsContext *context, MbsJournal *journal, const MbsDesignProblem *problem,
                           const MbsDesignPoint *point, MbsStatus status) {
  if (!journal) {
    return MBS_OK;
  }
  int n = problem->n, m = problem->objective_count;
  bool has_gradient = status == MBS_OK && point->has_gradient;
  char *end =
      journal->line + sprintf(journal->line, "%d %d %d %d", (int)status, point->runs, point->is_path_own, has_gradient);
  end = print_numbers(end, n, point->x);
  end = print_numbers(end, status == MBS_OK ? m : 0, point->values);
  end = print_numbers(end, has_gradient ? m * n : 0, point->gradient);
  if (status != MBS_OK) {
    end += sprintf(end, " %.*s", TEXT_ROOM - 1, mbs_context_message(context));
  }
  for (char *c = journal->line; c < end; ++c) {
    *c = *c == '\n' ? ' ' : *c;
  }
  end +=
      sprintf(end, " %016" PRIx64 "\n", mbs_checksum(MBS_CHECKSUM_START, journal->line, (size_t)(end - journal->line)));
  return add_line(context, journal, journal->line, (size_t)(end - journal->line));
}

// ---- reading ----
// Is the line, which ends at `end`, as it was written?
static bool is_whole(const char *line, const char *end) {
  if (end - line < CHECKSUM_LENGTH + 2 || end[-CHECKSUM_LENGTH - 1] != ' ') {
    return false;
  }
  const char *sum = end - CHECKSUM_LENGTH;
  return strtoull(sum, NULL, 16) == mbs_checksum(MBS_CHECKSUM_START, line, (size_t)(sum - 1 - line));
}

static bool scan_numbers(char **from, int count, double *numbers) {
  for (int i = 0; i < count; ++i) {
    char *end;
    numbers[i] = strtod(*from, &end);
    if (end == *from) {
      return false;
    }
    *from = end;
  }
  return true;
}

MbsStatus mbs_journal_recall(MbsContext *context, MbsJournal *journal, const MbsDesignProblem *problem,
                             MbsDesignPoint *point, bool *is_known, MbsStatus *status) {
  *is_known = journal && journal->next && *journal->next;
  *status = MBS_OK;
  if (!*is_known) {
    return MBS_OK;
  }
  int n = problem->n, m = problem->objective_count;
  double *x;
  char *from = journal->next, *end = strchr(journal->next, '\n');
  *end = '\0';
  end[-CHECKSUM_LENGTH - 1] = '\0';
  journal->next = end + 1;
  journal->recalled += 1;
  MBS_TAKE(context, journal->arena, x, n);
  *status = (MbsStatus)strtol(from, &from, 10);
  point->runs = (int)strtol(from, &from, 10);
  point->is_path_own = strtol(from, &from, 10) != 0;
  point->has_gradient = strtol(from, &from, 10) != 0;
  bool is_good = scan_numbers(&from, n, x) && memcmp(x, point->x, (size_t)n * sizeof *x) == 0;
  if (*status == MBS_OK) {
    is_good = is_good && scan_numbers(&from, m, point->values);
    is_good = is_good && (!point->has_gradient || scan_numbers(&from, m * n, point->gradient));
  } else if (is_good) {
    (void)mbs_fail(context, *status, mbs_nowhere, "%s", *from ? from + 1 : "");
  }
  return is_good ? MBS_OK
                 : refuse(context, journal, "was computed for other designs, by another version of mbsens or machine");
}

// The lines that are whole; what follows is cut off.
static MbsStatus take_lines(MbsContext *context, MbsJournal *journal, char *text, char *line) {
  journal->next = line;
  for (char *end = strchr(line, '\n'); end && is_whole(line, end); end = strchr(line, '\n')) {
    line = end + 1;
  }
  bool is_cut = *line != '\0';
  *line = '\0';
  return is_cut && ftruncate(journal->descriptor, (off_t)(line - text)) != 0 ? fail(context, journal, "write") : MBS_OK;
}

static MbsStatus understand(MbsContext *context, MbsJournal *journal, char *text) {
  size_t length = strlen(text), head = strlen(journal->head), first = strlen(FIRST_LINE);
  if (strncmp(text, FIRST_LINE, length < first ? length : first) != 0) {
    return refuse(context, journal, "is no state of mbsens optimize");
  }
  if (strncmp(text, journal->head, length < head ? length : head) != 0) {
    return refuse(context, journal, "is the state of another problem (other settings, objectives, bounds or numbers)");
  }
  char *method = text + head, *end = length > head ? strchr(method, '\n') : NULL;
  if (!end || strncmp(method, "method ", 7) != 0) {
    return MBS_OK;  // a kill has cut it before anything was computed
  }
  *end = '\0';
  for (int i = MBS_METHOD_NONE; i <= MBS_METHOD_IDAS_ADJOINT; ++i) {
    journal->method = strcmp(method + 7, mbs_setting_word("method", i)) == 0 ? (MbsMethod)i : journal->method;
  }
  return take_lines(context, journal, text, end + 1);
}

static MbsStatus read_all(MbsContext *context, MbsJournal *journal) {
  struct stat file;
  if (fstat(journal->descriptor, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size > LARGEST_FILE) {
    return refuse(context, journal, "is no state of mbsens optimize");
  }
  size_t size = (size_t)file.st_size, done = 0;
  char *text;
  MBS_TAKE(context, journal->arena, text, size + 1);
  while (done < size) {
    ssize_t count = read(journal->descriptor, text + done, size - done);
    if (count < 0 && errno != EINTR) {
      return fail(context, journal, "read");
    }
    if (count == 0) {
      break;
    }
    done += count > 0 ? (size_t)count : 0;
  }
  return size == 0 ? MBS_OK : understand(context, journal, text);
}

MbsStatus mbs_journal_open(MbsContext *context, MbsArena *arena, const char *path, const MbsDesignProblem *problem,
                           MbsJournal **result) {
  MbsJournal *journal;
  size_t numbers = (size_t)problem->n + (size_t)problem->objective_count * (size_t)(problem->n + 1);
  *result = NULL;
  if (!path) {
    return MBS_OK;
  }
  MBS_TAKE(context, arena, journal, 1);
  *journal = (MbsJournal){.arena = arena, .path = path, .descriptor = -1, .method = MBS_METHOD_NONE};
  journal->room = numbers * NUMBER_ROOM + TEXT_ROOM + 100;
  MBS_TAKE(context, arena, journal->line, journal->room);
  const char *name = mbs_record_text(&problem->model->root, MBS_MODEL_NAME).text;
  journal->head =
      mbs_arena_print(arena, "%s\nmodel %s\nproblem %016" PRIx64 ", %d parameters, %d objectives\n", FIRST_LINE, name,
                      mbs_journal_signature(problem), problem->n, problem->objective_count);
  if (!journal->head) {
    return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  journal->descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (journal->descriptor < 0) {
    return fail(context, journal, "write");
  }
  *result = journal;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(journal->descriptor, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN)) {
    return refuse(context, journal, "is in use by another search");
  }
  return read_all(context, journal);
}

void mbs_journal_close(MbsJournal *journal) {
  if (journal && journal->descriptor >= 0) {
    (void)close(journal->descriptor);
  }
}
