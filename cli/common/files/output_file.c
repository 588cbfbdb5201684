#include "common/files/output_file.h"

#include "common/command.h"
#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char* real_name(const char* path)
{
    char* real = realpath(path, NULL);
    return real ? real : strdup(path); // there is nothing yet
}

static int is_special(const char* path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

char* cli_output_part(const char* path)
{
    char* name = real_name(path);
    if (!name || is_special(name)) return name;
    size_t bytes = strlen(name) + sizeof ".part";
    char* part = malloc(bytes);
    if (part) snprintf(part, bytes, "%s.part", name);
    free(name);
    return part;
}

int cli_output_check(const char* path)
{
    struct stat about;
    if (stat(path, &about) == 0) {
        if (S_ISDIR(about.st_mode)) return errno = EISDIR, -1;
        if (access(path, W_OK) != 0) return -1;
        if (!S_ISREG(about.st_mode)) return 0;
    }
    char* part = cli_output_part(path);
    int file = part ? open(part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666) : -1;
    int why = errno;
    if (file >= 0) {
        close(file);
        unlink(part);
    }
    free(part);
    errno = why;
    return file >= 0 ? 0 : -1;
}

int cli_output_open(cli_output_file* out, const char* path)
{
    *out = (cli_output_file){.name = real_name(path), .part = cli_output_part(path)};
    struct stat about;
    int folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    if (folder) errno = EISDIR;
    if (out->name && out->part && !folder) out->to = fopen(out->part, "wb");
    if (out->to) return 0;
    int why = errno;
    free(out->name);
    free(out->part);
    errno = why;
    return -1;
}

int cli_output_close(cli_output_file* out)
{
    errno = 0;
    int special = strcmp(out->name, out->part) == 0;
    int failed = fflush(out->to) != 0 || ferror(out->to);
    int why = errno;
    if (fclose(out->to) != 0 && !failed) failed = 1, why = errno;
    if (!failed && !special && rename(out->part, out->name) != 0) failed = 1, why = errno;
    if (failed && !special) unlink(out->part);
    free(out->name);
    free(out->part);
    errno = why ? why : EIO;
    return failed ? -1 : 0;
}

static int report(int failed, const char* command, const char* path)
{
    if (failed) cli_error(command, "cannot write '%s': %s", path, strerror(errno));
    return failed ? CLI_FAILED : 0;
}

int cli_output_begin(cli_output_file* out, const char* command, const char* path)
{
    return report(cli_output_open(out, path), command, path);
}

int cli_output_end(cli_output_file* out, const char* command, const char* path)
{
    return report(cli_output_close(out), command, path);
}

int cli_output_rename(const char* path)
{
    char *name = real_name(path), *part = cli_output_part(path);
    int failed = !name || !part || (strcmp(name, part) != 0 && rename(part, name) != 0);
    int why = errno;
    free(name);
    free(part);
    errno = why;
    return failed ? -1 : 0;
}
