/* The motion through the ends of steps: polynomials of degree 11 are told exactly, others as well as the
 * last term says, and nothing is told across a change of the state. */
#include "sar_test.h"

#include "integrators/track.h"

enum { N = 2 };

typedef struct fixture {
    sari_arena memory;
    sari_track track;
    double q[N], v[N], a[N];
    sari_state s;
} fixture;

static void take(fixture* f)
{
    *f = (fixture){0};
    sari_track_take(&f->track, &f->memory, N);
    CHECK(!f->memory.failed);
    f->s = (sari_state){.np = N, .n = N, .q = f->q, .v = f->v, .a = f->a};
}

/* c t^power, and far from zero, so that rounding would show. */
static void put(fixture* f, double t, int power)
{
    for (int i = 0; i < N; i++) {
        const double c = 1.0 + 0.5 * i;
        f->q[i] = 1e3 + c * pow(t, power);
        f->v[i] = c * power * pow(t, power - 1);
        f->a[i] = c * power * (power - 1) * pow(t, power - 2);
    }
    f->s.t = t;
}

static void walk(fixture* f, const double* t, int count, int power)
{
    for (int k = 0; k + 1 < count; k++) {
        put(f, t[k], power);
        sari_track_begin(&f->track, &f->s);
        put(f, t[k + 1], power);
        sari_track_end(&f->track, &f->s);
    }
}

static const double TIMES[] = {0.3, 0.4, 0.65, 0.8, 1.0};

/* The largest error of q and v in the last step, in parts of what the track says of q; or absolute. */
static double worst(fixture* f, int power, int relative)
{
    double factor, most = 0.0, q[N], v[N];
    const double* last = sari_track_error(&f->track, &factor);
    for (int k = 0; k <= 10; k++) {
        const double t = 0.8 + 0.02 * k;
        sari_track_at(&f->track, t, q, v);
        put(f, t, power);
        for (int i = 0; i < N; i++) {
            const double said = relative ? fabs(factor * last[i]) : 1.0;
            most = fmax(most, fabs(q[i] - f->q[i]) / said);
            if (!relative) most = fmax(most, fabs(v[i] - f->v[i]));
        }
    }
    return most;
}

TEST(degree_eleven_is_exact)
{
    for (int power = 2; power <= 11; power++) {
        fixture f;
        take(&f);
        walk(&f, TIMES, 5, power);
        CHECK_NEAR(worst(&f, power, 0), 0.0, 2e-11);
        sari_arena_clear(&f.memory);
    }
}

TEST(the_last_term_tells_the_error)
{
    for (int power = 12; power <= 20; power++) {
        fixture f;
        take(&f);
        walk(&f, TIMES, 5, power);
        const double part = worst(&f, power, 1);
        CHECK(part > 1e-3 && part < 2.0);
        sari_arena_clear(&f.memory);
    }
}

TEST(a_state_that_was_changed_begins_anew)
{
    double factor;
    fixture f;
    take(&f);
    CHECK(!sari_track_error(&f.track, &factor));
    walk(&f, TIMES, 4, 3);
    CHECK(sari_track_error(&f.track, &factor) != NULL);
    put(&f, 0.8, 3);
    f.v[1] = -f.v[1]; // an impact
    sari_track_begin(&f.track, &f.s);
    put(&f, 1.0, 3);
    sari_track_end(&f.track, &f.s);
    CHECK(!sari_track_error(&f.track, &factor));
    sari_arena_clear(&f.memory);
}
