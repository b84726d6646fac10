// Status codes of mbsens. Every function that can fail because of data returns one of these and
// leaves a sentence in the context (mbs_context_message) that names the element and the number.
#ifndef MBSENS_STATUS_H
#define MBSENS_STATUS_H

// name, meaning, exit status of the command
#define MBS_STATUS_LIST(X)                             \
  X(OK, "done", 0)                                     \
  X(ERROR_INPUT, "the input is wrong", 2)              \
  X(ERROR_NOT_OFFERED, "not offered", 2)               \
  X(ERROR_FILE, "a file cannot be read or written", 2) \
  X(ERROR_NUMERICAL, "numerical failure", 3)           \
  X(ERROR_MEMORY, "out of memory", 3)                  \
  X(ERROR_INTERNAL, "mbsens is broken", 4)             \
  X(ERROR_INTERRUPTED, "stopped before the end", 130)

typedef enum MbsStatus {
#define MBS_STATUS_ENUM(name, text, exit_status) MBS_##name,
  MBS_STATUS_LIST(MBS_STATUS_ENUM)
#undef MBS_STATUS_ENUM
} MbsStatus;

#endif
