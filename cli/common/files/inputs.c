#include "common/files/inputs.h"

#include "common/command.h"
#include "common/text.h"

#include <stdlib.h>
#include <sys/stat.h>

typedef struct input {
    dev_t device;
    ino_t inode;
} input;

static input* inputs; // of this process, for as long as it runs
static int count;

const char* const cli_endings_of_result[] = {"", ".part", ".json", ".json.part", NULL};
const char* const cli_endings_of_sweep[] = {"", ".part", ".journal", NULL};
const char* const cli_endings_of_file[] = {"", ".part", NULL};

static const input* find(const struct stat* about)
{
    for (int k = 0; k < count; k++)
        if (inputs[k].device == about->st_dev && inputs[k].inode == about->st_ino)
            return &inputs[k];
    return NULL;
}

/* Pipes and devices can be read and written at the same time. */
static void add(const struct stat* about)
{
    if (!S_ISREG(about->st_mode) || find(about)) return;
    inputs = cli_resize(inputs, (size_t)(count + 1) * sizeof *inputs);
    inputs[count++] = (input){about->st_dev, about->st_ino};
}

void cli_inputs_add(const char* path)
{
    struct stat about;
    if (path && stat(path, &about) == 0) add(&about);
}

void cli_inputs_add_stream(int file)
{
    struct stat about;
    if (fstat(file, &about) == 0) add(&about);
}

int cli_inputs_refuse(const char* command, const char* path, const char* const* endings)
{
    for (; path && *endings; endings++) {
        struct stat about;
        char* name = cli_format("%s%s", path, *endings);
        int known = stat(name, &about) == 0 && find(&about);
        if (known) {
            cli_error(command, "%s is an input of this command and would be overwritten", name);
            cli_hint("Choose another name for what is written.");
        }
        free(name);
        if (known) return CLI_USAGE;
    }
    return 0;
}
