/* Growth of the formulation `chart` with the size of the mechanism: microseconds of an evaluation by
 * the dense and the sparse algebra, beside index 1 (al1), all driven by dop853 at 1e-6 in natural
 * coordinates. A run of n loops for `end` seconds; CPU time of its steps. -1: not measured. */
#include "sarrus/sarrus.h"

#include <stdio.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void set(sar_options* options, const char* name, const char* value)
{
    sar_error error = {0};
    if (sar_options_set(options, name, value, &error) != SAR_OK) puts(error.message);
}

/* us of an evaluation; negative: it did not run. */
static double measure(const char* path, const char* loops, const char* formulation,
                      const char* solver, const char* end)
{
    const sar_setting setting = {"n", loops};
    sar_model* model = NULL;
    sar_simulation* s = NULL;
    sar_options options = sar_options_default();
    sar_assembly assembly;
    sar_error error = {0};
    char* messages = NULL;
    double used = -1.0;
    if (sar_model_load(path, &setting, 1, &model, &options, &messages) != SAR_OK) return -1.0;
    set(&options, "coordinates", "natural");
    set(&options, "formulation", formulation);
    set(&options, "integrator", "dop853");
    set(&options, "solver", solver);
    set(&options, "tolerance", "1e-6");
    set(&options, "end", end);
    if (formulation[0] == 'a') set(&options, "omega", "0"), set(&options, "project", "1");
    if (sar_simulation_create(model, &options, &s, &error) == SAR_OK &&
        sar_simulation_assemble(s, &assembly) == SAR_OK) {
        const double before = seconds();
        sar_status st = SAR_OK;
        while (st == SAR_OK && !sar_simulation_done(s)) st = sar_simulation_advance(s);
        if (st == SAR_OK)
            used = 1e6 * (seconds() - before) / (double)sar_simulation_statistics(s).iterations;
    }
    sar_simulation_destroy(s);
    sar_model_destroy(model);
    sar_text_free(messages);
    return used;
}

int main(void)
{
    static const struct {
        const char *name, *path, *loops, *end;
        int dense; ///< small enough for it
    } CASES[] = {
        {"n-four-bar", SARRUS_ROOT "/problems/n-four-bar/model.yaml", "10", "10", 1},
        {"n-four-bar", SARRUS_ROOT "/problems/n-four-bar/model.yaml", "40", "10", 1},
        {"n-four-bar", SARRUS_ROOT "/problems/n-four-bar/model.yaml", "100", "2", 1},
        {"n-four-bar", SARRUS_ROOT "/problems/n-four-bar/model.yaml", "200", "2", 0},
        {"n-four-bar", SARRUS_ROOT "/problems/n-four-bar/model.yaml", "1000", "2", 0},
        {"ladder", SARRUS_ROOT "/problems/ladder/model.yaml", "3", "1", 1},
        {"ladder", SARRUS_ROOT "/problems/ladder/model.yaml", "10", "1", 1},
        {"ladder", SARRUS_ROOT "/problems/ladder/model.yaml", "40", "0.2", 0},
        {"ladder", SARRUS_ROOT "/problems/ladder/model.yaml", "100", "0.05", 0},
    };
    printf("us per evaluation          dense    sparse       al1\n");
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        const double dense =
            CASES[k].dense ? measure(CASES[k].path, CASES[k].loops, "chart", "dense", CASES[k].end)
                           : -1.0;
        printf("%-12s %6s %12.0f", CASES[k].name, CASES[k].loops, dense);
        printf(" %9.0f", measure(CASES[k].path, CASES[k].loops, "chart", "sparse", CASES[k].end));
        printf(" %9.0f\n", measure(CASES[k].path, CASES[k].loops, "al1", "sparse", CASES[k].end));
        fflush(stdout);
    }
    return 0;
}
