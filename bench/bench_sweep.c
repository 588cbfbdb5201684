/* Instances of a sweep per second on one core, and where their time goes: reading the model with other
 * parameters, creating and destroying its simulation, assembling it, steps, and what watching for singular
 * positions adds to these. Thread CPU time, least of several rounds. tools/bench_sweep.py times whole
 * commands, beside another release. */
#include "sarrus/sarrus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct row {
    const char *problem, *parameter;
} row;

static const row rows[] = {
    {"slider-crank-1", "m1"}, {"n-four-bar", "m"}, {"four-bar", "m"}, {"bricard", "m"}};

enum { TOGETHER = 16, ROUNDS = 5 };
enum { READ, CREATE, ASSEMBLE, STEP, DESTROY, PARTS };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct group {
    sar_model* model[TOGETHER];
    sar_options options[TOGETHER];
    sar_simulation* simulation[TOGETHER];
} group;

static int read_models(sar_source* source, const row* r, group* g)
{
    for (int k = 0; k < TOGETHER; k++) {
        char value[32], *messages = NULL;
        snprintf(value, sizeof value, "%.17g", 0.5 + 1.5 * k / TOGETHER);
        const sar_setting setting = {r->parameter, value};
        g->options[k] = sar_options_default();
        const sar_status st =
            sar_source_model(source, &setting, 1, &g->model[k], &g->options[k], &messages);
        if (messages) fputs(messages, stderr);
        sar_text_free(messages);
        if (st != SAR_OK) return 0;
        g->options[k].threads = 1;
    }
    return 1;
}

static int create(group* g, int monitor)
{
    int ok = 1;
    for (int k = 0; k < TOGETHER && ok; k++) {
        g->options[k].monitor = monitor;
        ok = sar_simulation_create(g->model[k], &g->options[k], &g->simulation[k], NULL) == SAR_OK;
    }
    return ok;
}

static int step(group* g, long* in_lanes)
{
    sar_batch* batch = NULL;
    if (sar_batch_create(g->simulation, TOGETHER, 1, &batch, NULL) != SAR_OK) return 0;
    (void)sar_batch_run(batch, INFINITY);
    sar_batch_steps(batch, in_lanes);
    sar_batch_destroy(batch);
    return 1;
}

/* One round; its times are added to the least. */
static int measure(sar_source* source, const row* r, int monitor, double* least, long* in_lanes,
                   long* steps)
{
    group g = {0};
    double at[PARTS + 1];
    int ok = 1;
    at[READ] = now();
    ok = read_models(source, r, &g);
    at[CREATE] = now();
    ok = ok && create(&g, monitor);
    at[ASSEMBLE] = now();
    for (int k = 0; k < TOGETHER && ok; k++)
        ok = sar_simulation_assemble(g.simulation[k], NULL) == SAR_OK;
    at[STEP] = now();
    ok = ok && step(&g, in_lanes);
    at[DESTROY] = now();
    *steps = ok ? sar_simulation_statistics(g.simulation[0]).steps : 0;
    for (int k = 0; k < TOGETHER; k++) {
        sar_simulation_destroy(g.simulation[k]);
        sar_model_destroy(g.model[k]);
    }
    at[PARTS] = now();
    for (int k = READ; k < PARTS; k++)
        least[k] = fmin(least[k], 1e6 * (at[k + 1] - at[k]) / TOGETHER);
    return ok;
}

static sar_source* open_source(const char* problem)
{
    static char text[1 << 16];
    char path[512];
    sar_source* source = NULL;
    snprintf(path, sizeof path, "%s/problems/%s/model.yaml", SARRUS_ROOT, problem);
    FILE* file = fopen(path, "rb");
    if (!file) return NULL;
    const size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    (void)sar_source_open(text, length, path, &source);
    return source;
}

static int print(const row* r)
{
    double with[PARTS], without[PARTS], all = 0.0;
    long in_lanes = 0, steps = 0;
    sar_source* source = open_source(r->problem);
    int ok = source != NULL;
    for (int k = 0; k < PARTS; k++) with[k] = without[k] = INFINITY;
    for (int k = 0; k < ROUNDS && ok; k++) {
        ok = measure(source, r, 0, without, &in_lanes, &steps);
        ok = ok && measure(source, r, 1, with, &in_lanes, &steps);
    }
    sar_source_close(source);
    if (!ok) {
        fprintf(stderr, "bench_sweep: %s cannot be run\n", r->problem);
        return 1;
    }
    for (int k = READ; k < PARTS; k++) all += with[k];
    printf("%-16s %9.0f %7ld %6.1f %% %8.1f %8.1f %8.1f %8.1f %9.1f %9.1f\n", r->problem, 1e6 / all,
           steps, 100.0 * (double)in_lanes / (double)(TOGETHER * steps), with[READ], with[CREATE],
           with[ASSEMBLE], with[DESTROY], without[STEP], with[STEP] - without[STEP]);
    return 0;
}

int main(void)
{
    int failed = 0;
    printf("%-16s %9s %7s %8s %8s %8s %8s %8s %9s %9s\n", "[us per instance]", "inst./s", "steps",
           "lanes", "read", "create", "assemble", "destroy", "steps", "watching");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) failed |= print(&rows[k]);
    return failed;
}
