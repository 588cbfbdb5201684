/* CPU time of the automatic method for small mechanisms: the steps of a run and 1001 samples, without
 * the program's start and without reading the model. The least of several runs.
 *
 *     bench_automatic [tolerance [runs [coordinates [problem]]]] */
#include "sarrus/sarrus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_OUTPUTS = 64 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ms of the steps and samples of a run; negative: it did not run. */
static double run_once(sar_model* model, const sar_options* options, sar_statistics* statistics)
{
    sar_simulation* s = NULL;
    double values[MOST_OUTPUTS], t, used = -1.0;
    if (sar_simulation_create(model, options, &s, NULL) == SAR_OK &&
        sar_simulation_assemble(s, NULL) == SAR_OK) {
        const sar_sampling plan = sar_sampling_of(options, 10000);
        const double before = seconds();
        sar_run run = sar_run_begin(s, &plan);
        do
            while (sar_run_sample(&run, &t)) sar_simulation_outputs_at(s, t, values);
        while (sar_run_step(&run));
        if (run.status == SAR_OK) used = 1e3 * (seconds() - before);
        *statistics = sar_simulation_statistics(s);
    }
    sar_simulation_destroy(s);
    return used;
}

static void measure(const char* problem, const char* tolerance, const char* coordinates, int runs)
{
    char path[512];
    sar_model* model = NULL;
    sar_options options = sar_options_default();
    sar_statistics statistics = {0};
    sar_error error = {0};
    char* messages = NULL;
    double least = -1.0;
    snprintf(path, sizeof path, SARRUS_ROOT "/problems/%s/model.yaml", problem);
    if (sar_model_load(path, NULL, 0, &model, &options, &messages) == SAR_OK &&
        sar_options_set(&options, "coordinates", coordinates, &error) == SAR_OK &&
        sar_options_set(&options, "formulation", "auto", &error) == SAR_OK &&
        sar_options_set(&options, "integrator", "dop853-radau", &error) == SAR_OK &&
        sar_options_set(&options, "tolerance", tolerance, &error) == SAR_OK &&
        sar_options_choose(&options, model, NULL, 0, &error) == SAR_OK &&
        sar_model_outputs(model) <= MOST_OUTPUTS)
        for (int k = 0; k < runs; k++) {
            const double used = run_once(model, &options, &statistics);
            if (least < 0.0 || used < least) least = used;
        }
    printf("%-22s %8.2f ms %8ld steps %8ld evaluations\n", problem, least, (long)statistics.steps,
           (long)statistics.iterations);
    fflush(stdout);
    sar_model_destroy(model);
    sar_text_free(messages);
}

int main(int count, char** words)
{
    static const char* const PROBLEMS[] = {"slider-crank-1", "slider-crank-2", "slider-crank-3",
                                           "n-four-bar",     "bricard",        "four-bar",
                                           "andrews"};
    const char* tolerance = count > 1 ? words[1] : "1e-8";
    const char* coordinates = count > 3 ? words[3] : "auto";
    const int runs = count > 2 ? atoi(words[2]) : 30;
    for (size_t k = 0; k < sizeof PROBLEMS / sizeof *PROBLEMS; k++)
        if (count < 5 || strcmp(words[4], PROBLEMS[k]) == 0)
            measure(PROBLEMS[k], tolerance, coordinates, runs);
    return 0;
}
