/* A first step is a guess. So some explicit steps are made, and judged where they have reached their size, as in the
 * run itself (stiff_watch.c). */
#include "simulation/start/stiff_start.h"

#include "base/arena.h"
#include "integrators/dop853.h"
#include "integrators/first_order.h"
#include "integrators/stiff_watch.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>

enum { STEPS = 16 }; ///< after which a first step that was a tenth or ten times too long is right

/* rho and the pace Omega of the motion. */
static double radius_at(sar_simulation* s, double* pace)
{
    sari_arena memory = {0};
    const sari_first_order ode =
        sari_first_order_of(&s->system->equations, &s->form, &s->options, &memory);
    double rho = NAN;
    int size = memory.failed ? 0 : ode.ops->most(ode.self), evaluations;
    double* y = SARI_TAKE(&memory, double, 5 * size);
    if (size && y && ode.ops->base(ode.self, &s->state, y, y + size, &size) == SAR_OK) {
        *pace = ode.ops->pace(ode.self);
        rho = sari_first_order_radius(&ode, size, s->state.t, y, y + size, y + 2 * (ptrdiff_t)size,
                                      &evaluations);
    }
    sari_arena_clear(&memory);
    return rho;
}

int sari_stiff_start(const sar_model* model, const sar_options* options, double* product)
{
    sar_options trial = *options;
    sar_simulation* s = NULL;
    int limited = 0;
    sari_stiff_watch watch = sari_stiff_watch_of_ida(SARI_IDA_SHARPER * options->tolerance);
    *product = 0.0;
    snprintf(trial.integrator, sizeof trial.integrator, "dop853");
    trial.monitor = 0;
    if (sar_simulation_create(model, &trial, &s, NULL) == SAR_OK &&
        sar_simulation_assemble(s, NULL) == SAR_OK) {
        int steps = 0;
        double pace, h;
        while (steps < STEPS && !sar_simulation_done(s) && sar_simulation_advance(s) == SAR_OK)
            steps++;
        const double rho = steps == STEPS ? radius_at(s, &pace) : NAN;
        if (isfinite(rho)) {
            h = sari_dop853_next_step(s->integrator_self);
            *product = h * rho;
            watch.rho = rho;
            limited = sari_stiff_watch_seems_stiff(&watch, h, pace);
        }
    }
    sar_simulation_destroy(s);
    return limited;
}
