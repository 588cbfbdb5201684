/* Where the runtime is. */
#define _GNU_SOURCE // dladdr
#include "fmu/export.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#ifndef SARRUS_FMU_FOLDER
#define SARRUS_FMU_FOLDER "../lib/sarrus" // from the program's folder, when installed
#endif

int sari_fmu_find_runtime(char* path, size_t room)
{
    // in a build; of a program; of a library, or one for certain processors; of a program for these
    static const char* const folders[] = {".", SARRUS_FMU_FOLDER, "sarrus", "../../sarrus", ".."};
    char here[4096] = "";
    Dl_info about;
    if (dladdr(folders, &about) && about.dli_fname && strstr(about.dli_fname, ".so"))
        snprintf(here, sizeof here, "%s", about.dli_fname);
    else if (readlink("/proc/self/exe", here, sizeof here - 1) < 0)
        return 0;
    char* slash = strrchr(here, '/');
    if (!slash) return 0;
    *slash = 0;
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        snprintf(path, room, "%s/%s/sarrus-fmu.so", here, folders[k]);
        if (access(path, R_OK) == 0) return 1;
    }
    return 0;
}
