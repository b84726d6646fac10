// Memory for the small lists and tables of the command. When there is none left the command ends with a sentence, so
// these never return NULL; they are not for use while a file is half written. Free with free().
#ifndef MBS_CLI_MEMORY_H
#define MBS_CLI_MEMORY_H

#include <stddef.h>

void *cli_memory_take(size_t count, size_t size);  // zeroed
void *cli_memory_resize(void *block, size_t count, size_t size);
char *cli_memory_copy_text(const char *text, size_t length);

// For others who found that there is none left.
_Noreturn void cli_memory_is_out(void);

#endif
