/* A folder that tests may fill; make it before a group of them, remove it behind it. */
#ifndef TEMPORARY_FOLDER_H
#define TEMPORARY_FOLDER_H

#include "sar_test.h"

#include <unistd.h>

static char test_folder[64];

/// A path in it; the last four stay valid.
static inline const char* in_folder(const char* name)
{
    static char path[4][160];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", test_folder, name);
    return path[next];
}

static inline int make_folder(void** state)
{
    (void)state;
    snprintf(test_folder, sizeof test_folder, "/tmp/sarrus-test-XXXXXX");
    return mkdtemp(test_folder) ? 0 : -1;
}

static inline int remove_folder(void** state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", test_folder);
    return system(command);
}

#endif
