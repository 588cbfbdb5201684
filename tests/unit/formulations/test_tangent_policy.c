/* How long tangents of many coordinates serve. */
#include "formulations/al3/tangent_policy.h"
#include "sar_test.h"

#include <math.h>

static const double CA = 4e6;

static sari_tangent_policy expensive(void)
{
    sari_tangent_policy p = {0};
    const sari_equations sys = {.nq = 1000};
    sari_tangent_choose(&p, &sys, -1, 1, 0);
    CHECK(p.expensive);
    return p;
}

/* A step of so many corrections, each a hundredth of the one before. Did S of before serve it? */
static int step(sari_tangent_policy* p, int before, int corrections, double ca)
{
    sari_tangent_begin(p, before);
    const int good = sari_tangent_good(p, 1, ca);
    for (int k = 1; k <= corrections; k++) {
        if (!sari_tangent_good(p, k, ca)) {
            (void)sari_tangent_wants_slopes(p, k, 0);
            sari_tangent_factored(p, 1.0, ca);
        } else {
            p->age++;
        }
        sari_tangent_corrected(p, k, 1e-6 * pow(0.01, k));
    }
    return good;
}

TEST(S_serves_while_it_costs_nothing)
{
    sari_tangent_policy p = expensive();
    int served = 0;
    CHECK(!step(&p, 0, 1, CA));
    while (served < 1000 && step(&p, 1, 1, CA)) served++;
    CHECK(served >= 4 && served < 1000); // but not for ever
    CHECK(step(&p, 1, 1, CA));           // the next one does
    CHECK(!step(&p, 1, 1, 4.0 * CA));    // not with another step
    CHECK(step(&p, 1, 1, 4.0 * CA * (1.0 + 1e-13)));
    sari_tangent_forget(&p);
    CHECK(!step(&p, 1, 1, 4.0 * CA)); // nor after a new beginning
}

TEST(S_does_not_serve_where_corrections_are_added)
{
    sari_tangent_policy p = expensive();
    CHECK(!step(&p, 0, 1, CA));
    CHECK(step(&p, 1, 3, CA)); // two more than with an S of its own
    CHECK(!step(&p, 3, 1, CA));
}
