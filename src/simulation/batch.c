/* Many simulations at once, shared between threads: each thread runs its own one after the other. */
#include "sarrus/batch.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "simulation/simulation.h"

struct sar_batch {
    int count, threads;
    sar_run* run;
    double until; ///< of the present call
};

/* Does a run want to go on? Rounding of its own grid does not count. */
static int wants(const sar_run* run, double until)
{
    const sar_simulation* s = run->simulation;
    return run->status == SAR_OK && !sar_simulation_done(s) &&
           run->t < until - 1e-9 * s->options.step;
}

static void run_range(void* batch, int first, int end)
{
    const sar_batch* b = batch;
    for (int k = first; k < end; k++)
        while (wants(&b->run[k], b->until) && sar_run_step(&b->run[k])) {
        }
}

sar_status sar_batch_run(sar_batch* batch, double t)
{
    batch->until = t;
    for (int k = 0; k < batch->count; k++) {
        sar_run* run = &batch->run[k];
        if (run->simulation->looks_back) (void)sar_simulation_look(run->simulation, INFINITY);
        run->t = sar_simulation_time(run->simulation);
    }
    sari_parallel(batch->threads, batch->count, run_range, batch);
    return SAR_OK;
}

sar_run* sar_batch_at(sar_batch* batch, int k)
{
    return &batch->run[k];
}

long sar_batch_steps(const sar_batch* batch)
{
    long steps = 0;
    for (int k = 0; k < batch->count; k++) steps += batch->run[k].steps;
    return steps;
}

sar_status sar_batch_create(sar_simulation* const* simulations, int count, int threads,
                            sar_batch** out, sar_error* error)
{
    const sar_sampling none = {0};
    sar_batch* b = SARI_NEW(sar_batch);
    if (b) b->run = SARI_NEW_ARRAY(sar_run, count);
    if (!b || !b->run) {
        sar_batch_destroy(b);
        *out = NULL;
        return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for a batch");
    }
    b->count = count;
    b->threads = threads > 1 ? threads : 1;
    for (int k = 0; k < count; k++) b->run[k] = sar_run_begin(simulations[k], &none);
    *out = b;
    return SAR_OK;
}

void sar_batch_destroy(sar_batch* b)
{
    if (!b) return;
    sari_release(b->run);
    sari_release(b);
}
