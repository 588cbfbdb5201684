/* Products of the rows of joints body by body and entry by entry: the same bits. */
#include "problem_run.h"

#include "simulation/reactions.h"

static void check(const char* path, const char* coordinates)
{
    char options[128];
    problem_run run;
    sari_reactions* r = NULL;
    snprintf(options, sizeof options, "coordinates=%s formulation=chart integrator=dop853",
             coordinates);
    problem_start(&run, path, NULL, options);
    sar_simulation* s = run.simulation;
    CHECK_STATUS(sari_reactions_create(s->system, &s->form, &r), SAR_OK);
    const size_t entries = (size_t)r->A.p[r->rows];
    double by_entries[2000];
    CHECK(entries <= 2000 && r->product.by_bodies);
    for (int k = 0; k < 5; k++) {
        CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
        CHECK_STATUS(sari_reactions_balance(r, &s->state), SAR_OK);
        memcpy(by_entries, r->A.x, entries * sizeof(double));
        r->product.by_bodies = 0;
        CHECK_STATUS(sari_reactions_balance(r, &s->state), SAR_OK);
        r->product.by_bodies = 1;
        for (size_t e = 0; e < entries; e++) CHECK(by_entries[e] == r->A.x[e]);
    }
    sari_reactions_destroy(r);
    problem_free(&run);
}

TEST(bodies_and_entries_agree)
{
    check(PROBLEM("four-bar"), "relative");
    check(PROBLEM("bricard"), "natural");
    check(PROBLEM("slider-crank-1"), "natural");
    check(PROBLEM("andrews"), "relative");
}
