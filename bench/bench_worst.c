/* The worst step: how long steps take, one by one, and how far the longest is from the usual one.
 *
 *     bench_worst [PROBLEM ...]
 *
 * A real-time loop cares for the longest step, and so do tables of means for nothing. Every step of a
 * run is timed by the CPU time of its thread, less what reading that clock takes. The same steps are
 * made RUNS times, with the same bits: the least time of a step is its own, what the others take more
 * is the machine's (caches that others have emptied, interrupts, a host that takes the processor). A
 * piece of work that is always the same is timed in the same way beside: its longest time is all the
 * machine's. The tables are in Markdown, for docs/real-time.md. */
#include "sarrus/sarrus.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { RUNS = 7, REHEARSAL = 100, MOST_STEPS = 20000, MOST_PROBLEMS = 64, SAMPLES = 20000 };
static const double SECONDS = 0.5; ///< of CPU time for a run, about
static const double US = 1e6;

typedef struct variant {
    const char *title, *options;
} variant;

static const variant variants[] = {
    {"As in real time: three iterations in every step, no search for singular configurations",
     "iterations=fixed:3 monitor=0"},
    {"The same with the search, for a drawing that is exact",
     "iterations=fixed:3 monitor=1 drawing=0"},
    {"By default: iterations until they converge, singular configurations found and passed", ""},
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double clock_cost(void)
{
    double least = 1.0;
    for (int k = 0; k < SAMPLES; k++) {
        const double begun = seconds();
        least = fmin(least, seconds() - begun);
    }
    return least;
}

static int by_size(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

typedef struct summary {
    double mean, median, p999, worst;
    long at; ///< the worst
} summary;

static summary summarise(const double* times, long n)
{
    double* sorted = malloc((size_t)n * sizeof *sorted);
    summary s = {0};
    if (!sorted) exit(1);
    memcpy(sorted, times, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    for (long k = 0; k < n; k++) s.mean += sorted[k] / (double)n;
    s.median = sorted[n / 2];
    s.p999 = sorted[(long)fmin((double)(n - 1), ceil(0.999 * (double)n))];
    s.worst = sorted[n - 1];
    while (times[s.at] < s.worst) s.at++;
    free(sorted);
    return s;
}

/* Work that is always the same, of about a microsecond. */
static summary machine(double cost)
{
    static double times[SAMPLES];
    volatile double keep = 0.0;
    for (int k = 0; k < SAMPLES; k++) {
        const double begun = seconds();
        double x = 2.0;
        for (int i = 0; i < 150; i++) x = sqrt(x + 1.0);
        keep = x;
        times[k] = seconds() - begun - cost;
    }
    (void)keep;
    return summarise(times, SAMPLES);
}

static int apply(sar_options* o, const char* text)
{
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", text);
    for (char* word; (word = strtok_r(rest, " ", &rest));) {
        char* value = strchr(word, '=');
        sar_error error;
        *value++ = 0;
        if (sar_options_set(o, word, value, &error) != SAR_OK) return 0;
    }
    return 1;
}

typedef struct timing {
    long steps;
    long passes;
    double least[MOST_STEPS], first[MOST_STEPS]; ///< of all runs, and in the first alone
} timing;

/* As before a run in real time: code and caches are warm. */
static void rehearse(const sar_model* model, const sar_options* o)
{
    sar_simulation* s = NULL;
    sar_error error;
    if (sar_simulation_create(model, o, &s, &error) != SAR_OK) return;
    sar_status st = sar_simulation_assemble(s, NULL);
    for (int k = 0; k < REHEARSAL && st == SAR_OK && !sar_simulation_done(s); k++)
        st = sar_simulation_advance(s);
    sar_simulation_destroy(s);
}

/* One run, up to t->steps; the first finds how many fit into its time. 0: it does not run. */
static int time_run(const sar_model* model, const sar_options* o, int run, double cost, timing* t)
{
    sar_simulation* s = NULL;
    sar_error error;
    double total = 0.0;
    long k = 0;
    if (sar_simulation_create(model, o, &s, &error) != SAR_OK) return 0;
    sar_status st = sar_simulation_assemble(s, NULL);
    const long most = run > 0 ? t->steps : MOST_STEPS;
    rehearse(model, o);
    while (st == SAR_OK && k < most && !sar_simulation_done(s)) {
        const double begun = seconds();
        st = sar_simulation_advance(s);
        const double took = fmax(0.0, seconds() - begun - cost);
        if (st != SAR_OK) break;
        if (run == 0) t->first[k] = t->least[k] = took;
        t->least[k] = fmin(t->least[k], took);
        total += took;
        k++;
        if (run == 0 && total > SECONDS) break;
    }
    if (run == 0) t->steps = k;
    t->passes = sar_simulation_statistics(s).singular_passes;
    sar_simulation_destroy(s);
    return k > 100 && k == t->steps;
}

static void time_problem(const char* name, const variant* v, double cost)
{
    static timing t;
    char path[512], *messages = NULL;
    sar_model* model = NULL;
    sar_options o = sar_options_default();
    snprintf(path, sizeof path, "%s/problems/%s/model.yaml", SARRUS_ROOT, name);
    const sar_status st = sar_model_load(path, NULL, 0, &model, &o, &messages);
    sar_text_free(messages);
    if (st != SAR_OK) return;
    o.given = 0;
    int ok = apply(&o, "formulation=al3 integrator=trapezoidal coordinates=natural") &&
             apply(&o, v->options);
    for (int run = 0; ok && run < RUNS; run++) ok = time_run(model, &o, run, cost, &t);
    sar_model_destroy(model);
    if (!ok) return;
    const summary own = summarise(t.least, t.steps), seen = summarise(t.first, t.steps);
    printf("| `%s` | %ld | %ld | %.2f | %.2f | %.2f | %.2f | **%.1f** | %ld | %.1f |\n", name,
           t.steps, t.passes, US * own.mean, US * own.median, US * own.p999, US * own.worst,
           own.worst / own.median, own.at + 1, US * seen.worst);
    fflush(stdout);
}

static int is_problem(const struct dirent* entry)
{
    return entry->d_name[0] != '.' && !strchr(entry->d_name, '.');
}

int main(int argc, char** argv)
{
    const int locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0; // as in real time: no page is new
    const double cost = clock_cost();
    struct dirent** list = NULL;
    const int count = scandir(SARRUS_ROOT "/problems", &list, is_problem, alphasort);
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        const summary m = machine(cost);
        printf("\n%s (times in us; least of %d runs; memory%s locked):\n\n", variants[k].title,
               RUNS, locked ? "" : " not");
        printf("| problem | steps | passes | mean | median | 99.9 %% | worst | worst/median | ");
        printf("at step | worst of one run |\n|");
        for (int column = 0; column < 10; column++) printf(" --- |");
        printf("\n");
        for (int i = 0; i < count; i++) {
            int wanted = argc < 2;
            for (int a = 1; a < argc; a++) wanted |= strcmp(argv[a], list[i]->d_name) == 0;
            if (wanted) time_problem(list[i]->d_name, &variants[k], cost);
        }
        printf(
            "| *the machine, work that is always the same* | %d | | %.2f | %.2f | | | | | %.1f |\n",
            SAMPLES, US * m.mean, US * m.median, US * m.worst);
    }
    for (int i = 0; i < count; i++) free(list[i]);
    free(list);
    return 0;
}
