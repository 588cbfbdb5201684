/* A model file, run to its end: the time and all outputs at every sample, with all digits.
 *
 *     cc -std=c17 -O2 run_model.c sarrus.c -lm -o run_model && ./run_model slider-crank.yaml [NAME=VALUE of the method ...]
 */
#include "sarrus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv)
{
    sar_model* model = NULL;
    sar_simulation* s = NULL;
    sar_options options = sar_options_default();
    sar_error error = {0};
    char* messages = NULL;
    const char *names[32], *values[32];
    int count = 0;
    for (int k = 2; k < argc && count < 32; k++) {
        char* equal = strchr(argv[k], '=');
        if (!equal) continue;
        *equal = 0, names[count] = argv[k], values[count++] = equal + 1;
    }
    if (argc < 2 || sar_model_load(argv[1], NULL, 0, &model, &options, &messages) != SAR_OK)
        return fprintf(stderr, "%s\n", messages ? messages : "which model?"), 1;
    if (sar_options_apply(&options, names, values, count, 0, NULL, &error) != SAR_OK ||
        sar_simulation_create(model, &options, &s, &error) != SAR_OK)
        return fprintf(stderr, "%s\n", error.message), 1;
    if (sar_simulation_assemble(s, NULL) != SAR_OK)
        return fprintf(stderr, "it cannot be assembled\n"), 1;
    double* outputs = calloc((size_t)sar_model_outputs(model) + 1, sizeof *outputs);
    sar_sampling plan = sar_sampling_of(&options, 1000);
    sar_run run = sar_run_begin(s, &plan);
    double t;
    do {
        while (sar_run_sample(&run, &t)) {
            sar_simulation_outputs_at(s, t, outputs);
            printf("%.17g", t);
            for (int k = 0; k < sar_model_outputs(model); k++) printf(" %.17g", outputs[k]);
            puts("");
        }
    } while (sar_run_step(&run));
    if (run.status != SAR_OK) fprintf(stderr, "%s\n", sar_simulation_failure(s));
    free(outputs), sar_simulation_destroy(s), sar_model_destroy(model), sar_text_free(messages);
    return run.status != SAR_OK;
}
