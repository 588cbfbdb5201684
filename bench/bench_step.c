/* Time per step on models read from files, next to the published figures. Ratios within one run are
 * what counts: absolute times depend on the machine and on what else it does. Thread CPU time,
 * least of several blocks. */
#include "sarrus/sarrus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct row {
    const char* problem;
    const char* options; ///< "name=value ..."
    const char* set;     ///< a parameter, or ""
    double end;
    double published_us; ///< 0: none
    const char* source;
} row;

static const row rows[] = {
    {"slider-crank-1", "step=1e-3 alpha=1e9 newton-tolerance=1e-5 solver=dense", "", 10, 7,
     "gonzalez2016 Table 2"},
    {"slider-crank-1", "step=1e-3 solver=dense", "", 10, 7, "gonzalez2016 Table 2"},
    {"slider-crank-1", "step=1e-3 alpha=inf", "", 10, 7, "gonzalez2016 Table 2"},
    {"slider-crank-1", "step=1e-3 coordinates=cartesian", "", 10, 7, "gonzalez2016 Table 2"},
    {"n-four-bar", "step=1e-2 alpha=1e9 newton-tolerance=1e-7 solver=dense", "", 10, 20,
     "gonzalez2016 Table 3"},
    {"n-four-bar", "step=1e-2 solver=dense", "", 10, 20, "gonzalez2016 Table 3"},
    {"n-four-bar", "step=1e-2 solver=sparse", "", 10, 20, "gonzalez2016 Table 3"},
    {"n-four-bar", "step=1e-2 alpha=inf", "", 10, 20, "gonzalez2016 Table 3"},
    {"n-four-bar", "step=1e-2 coordinates=cartesian", "", 10, 20, "gonzalez2016 Table 3"},
    {"n-four-bar", "step=1e-2 solver=dense", "n=10", 10, 0, ""},
    {"n-four-bar", "step=1e-2 solver=sparse", "n=10", 10, 0, ""},
    {"n-four-bar", "step=1e-2 solver=sparse", "n=40", 10, 0, ""},
    {"bricard", "step=1e-3", "", 10, 0, ""},
    {"bricard", "step=1e-3 coordinates=cartesian", "", 10, 0, ""},
    {"andrews", "step=1e-5", "", 0.05, 0, ""},
    {"chain", "step=1e-2", "n=16", 2, 0, ""},
    {"chain", "step=1e-2", "n=128", 2, 0, ""},
    {"chain", "step=1e-2", "n=1024", 0.2, 0, ""},
};

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int apply(sar_options* o, const char* text)
{
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", text);
    for (char* word; (word = strtok_r(rest, " ", &rest));) {
        char* value = strchr(word, '=');
        *value++ = 0;
        sar_error error;
        if (sar_options_set(o, word, value, &error) != SAR_OK) {
            fprintf(stderr, "%s\n", error.message);
            return 0;
        }
    }
    return 1;
}

/* Microseconds per step, the least of `blocks` runs; negative when the run fails. */
static double measure(const sar_model* model, const sar_options* o, int blocks, sar_statistics* z)
{
    double best = -1.0;
    for (int b = 0; b < blocks; b++) {
        sar_simulation* s = NULL;
        sar_error error;
        if (sar_simulation_create(model, o, &s, &error) != SAR_OK) return -1.0;
        if (sar_simulation_assemble(s, NULL) != SAR_OK) {
            sar_simulation_destroy(s);
            return -1.0;
        }
        double begin = cpu_seconds();
        sar_status st = SAR_OK;
        while (!sar_simulation_done(s) && st == SAR_OK) st = sar_simulation_advance(s);
        double us = 1e6 * (cpu_seconds() - begin);
        *z = sar_simulation_statistics(s);
        sar_simulation_destroy(s);
        if (st != SAR_OK) return -1.0;
        us /= (double)z->steps;
        if (best < 0.0 || us < best) best = us;
    }
    return best;
}

int main(int argc, char** argv)
{
    const char* only = argc > 1 ? argv[1] : NULL;
    printf("%-16s %-7s %-62s %9s %6s %8s %9s %7s  %s\n", "problem", "set", "options", "us/step",
           "iter", "drift J", "published", "ratio", "source");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const row* r = &rows[k];
        if (only && strcmp(only, r->problem) != 0) continue;
        char path[512], name[32] = "";
        snprintf(path, sizeof path, "%s/problems/%s/model.yaml", SARRUS_ROOT, r->problem);
        snprintf(name, sizeof name, "%s", r->set);
        char* value = strchr(name, '=');
        if (value) *value++ = 0;
        sar_setting setting = {name, value};
        sar_model* model = NULL;
        char* messages = NULL;
        sar_options o = sar_options_default();
        if (sar_model_load(path, &setting, value ? 1 : 0, &model, &o, &messages) != SAR_OK) {
            fprintf(stderr, "%s\n", messages ? messages : path);
            sar_text_free(messages);
            return 1;
        }
        sar_text_free(messages);
        o.given = 0;
        o.end = r->end;
        if (!apply(&o, r->options)) return 1;
        sar_statistics z = {0};
        double us = measure(model, &o, r->end < 1 ? 2 : 5, &z);
        printf("%-16s %-7s %-62s ", r->problem, r->set, r->options);
        if (us < 0)
            printf("%9s\n", "failed");
        else {
            printf("%9.3f %6.2f %8.1e ", us, (double)z.iterations / (double)z.steps,
                   z.energy_max_drift);
            if (r->published_us > 0)
                printf("%9.1f %7.1f  %s\n", r->published_us, r->published_us / us, r->source);
            else
                printf("%9s %7s\n", "-", "-");
        }
        fflush(stdout);
        sar_model_destroy(model);
    }
    return 0;
}
