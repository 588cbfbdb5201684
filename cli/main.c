/* The program is installed more than once: in this file's program for every processor, and as modules
 * for those that have wider vectors (cmake/processors.cmake). All compute the same bits; the fastest one
 * that the processor can run is taken. SARRUS_CPU names another one: baseline, x86-64-v3. */
#include "program.h"

#ifdef SARRUS_LEVELS

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int program_function(int argc, char** argv);

/// What processors of a kind of x86-64 have. Without fused multiply-adds, which no program here uses.
static int has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
}

static int has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

static const struct {
    const char* name;
    int (*there)(void);
} LEVELS[] = {{"x86-64-v4", has_v4}, {"x86-64-v3", has_v3}, {"baseline", NULL}}; // fastest first
enum { LEVEL_COUNT = (int)(sizeof LEVELS / sizeof *LEVELS) };

/// Where the user says so, the one to begin with.
static int first_level(void)
{
    const char* wanted = getenv("SARRUS_CPU");
    for (int k = 0; wanted && k < LEVEL_COUNT; k++)
        if (strcmp(wanted, LEVELS[k].name) == 0) return k;
    if (wanted && *wanted)
        fprintf(stderr,
                "sarrus: warning: SARRUS_CPU is '%s', not baseline, x86-64-v3 or x86-64-v4\n",
                wanted);
    return 0;
}

/// NULL: this one
static program_function* program_of_this_processor(void)
{
    char folder[4096], path[5000];
    const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = 0;
    char* slash = strrchr(folder, '/');
    if (!slash) return NULL;
    *slash = 0;
    __builtin_cpu_init();
    for (int k = first_level(); LEVELS[k].there; k++) {
        if (!LEVELS[k].there()) continue;
        snprintf(path, sizeof path, "%s/" SARRUS_LEVELS "/%s/program.so", folder, LEVELS[k].name);
        void* module = access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW) : NULL;
        void* begin = module ? dlsym(module, "sarrus_main") : NULL;
        program_function* function;
        memcpy(&function, &begin, sizeof function); // ISO C has no cast from the one to the other
        if (begin) return function;
    }
    return NULL;
}

int main(int argc, char** argv)
{
    program_function* other = program_of_this_processor();
    return other ? other(argc, argv) : sarrus_main(argc, argv);
}

#else

int main(int argc, char** argv)
{
    return sarrus_main(argc, argv);
}

#endif
