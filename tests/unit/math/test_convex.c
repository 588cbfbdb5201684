/* Distances of convex shapes, proven: the two points that were found are in the shapes, by tests written here, which bounds
 * the distance from above; and the slab between the planes through them, across their line, is empty of both, by supports
 * written here, which bounds it from below. Both bounds must agree to 1e-9. Overlapping shapes are moved apart by their depth,
 * and then touch. */
#include "math/convex.h"
#include "math/random.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "sar_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KINDS = 6, MOST = 24 };
enum { BOX, CYLINDER, SPHERE, CAPSULE, PLATE, HULL };

/// A random shape and its numbers.
typedef struct solid {
    int kind;
    double point[MOST][3], half[3], R[9], p[3];
    sari_convex shape;
} solid;

static void make(int kind, uint64_t* seed, double apart, solid* s)
{
    memset(s, 0, sizeof *s);
    s->kind = kind;
    double q[4], size = 0.0;
    for (int k = 0; k < 4; k++) q[k] = sari_random(seed), size += q[k] * q[k];
    for (int k = 0; k < 4; k++) q[k] /= sqrt(size);
    sari_rotation_of_quaternion(q, s->R);
    for (int k = 0; k < 3; k++) s->p[k] = apart * sari_random(seed);
    for (int k = 0; k < 3; k++) s->half[k] = 0.05 + 0.5 * fabs(sari_random(seed));
    sari_convex* c = &s->shape;
    *c = (sari_convex){.point = (const double(*)[3])s->point, .R = s->R, .p = s->p};
    c->radius = kind == CYLINDER || kind == SPHERE || kind == CAPSULE
                    ? 0.05 + 0.4 * fabs(sari_random(seed))
                    : 0.0;
    c->cylinder = kind == CYLINDER;
    c->points = kind == BOX                           ? 8
                : kind == SPHERE                      ? 1
                : kind == CAPSULE || kind == CYLINDER ? 2
                : kind == PLATE                       ? 4
                                                      : MOST;
    if (kind == PLATE) c->thick[2] = s->half[2];
    for (int i = 0; i < c->points; i++) {
        const double side[3] = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
        for (int k = 0; k < 3; k++)
            s->point[i][k] = kind == HULL     ? 0.6 * sari_random(seed)
                             : kind == SPHERE ? 0.0
                             : kind == CAPSULE || kind == CYLINDER
                                 ? (k == 0 ? side[0] * s->half[0] : 0.0)
                             : kind == PLATE && k == 2 ? 0.0
                                                       : side[k] * s->half[k];
    }
}

/* How far the solid reaches along a unit vector of the world: from its numbers, not from its sari_convex. */
static double reach(const solid* s, const double n[3])
{
    double d[3], most = -INFINITY;
    sari_rotate_back(s->R, n, d);
    const double at = sari_dot(n, s->p), r = s->shape.radius;
    if (s->kind == BOX || s->kind == PLATE)
        return at + s->half[0] * fabs(d[0]) + s->half[1] * fabs(d[1]) + s->half[2] * fabs(d[2]);
    if (s->kind == SPHERE) return at + r;
    if (s->kind == CAPSULE) return at + s->half[0] * fabs(d[0]) + r;
    if (s->kind == CYLINDER)
        return at + s->half[0] * fabs(d[0]) + r * sqrt(d[1] * d[1] + d[2] * d[2]);
    for (int i = 0; i < MOST; i++) most = fmax(most, sari_dot(d, s->point[i]));
    return at + most;
}

/* How far a point of the world is from the solid, at least; 0: it is inside. Of a hull a bound by many planes. */
static double outside(const solid* s, const double x[3])
{
    double d[3], away[3], off[3];
    for (int k = 0; k < 3; k++) away[k] = x[k] - s->p[k];
    sari_rotate_back(s->R, away, d);
    const double r = s->shape.radius, beyond = fmax(0.0, fabs(d[0]) - s->half[0]),
                 across = sqrt(d[1] * d[1] + d[2] * d[2]);
    for (int k = 0; k < 3; k++) off[k] = fmax(0.0, fabs(d[k]) - s->half[k]);
    if (s->kind == BOX || s->kind == PLATE) return sari_norm3(off);
    if (s->kind == SPHERE) return fmax(0.0, sari_norm3(d) - r);
    if (s->kind == CAPSULE) return fmax(0.0, sqrt(beyond * beyond + across * across) - r);
    if (s->kind == CYLINDER) return fmax(beyond, fmax(0.0, across - r));
    double most = 0.0;
    uint64_t seed = 7;
    for (int i = 0; i < 60; i++) {
        double n[3] = {sari_random(&seed), sari_random(&seed), sari_random(&seed)};
        const double length = sari_norm3(n);
        for (int k = 0; k < 3; k++) n[k] /= length;
        most = fmax(most, sari_dot(n, x) - reach(s, n));
    }
    return most;
}

static double worst, deepest;

static void check_apart(const solid* a, const solid* b, const sari_gap* gap)
{
    double n[3], back[3], length;
    for (int k = 0; k < 3; k++) n[k] = gap->b[k] - gap->a[k];
    length = sari_norm3(n);
    if (length < 1e-6) return; // the direction is lost in rounding
    for (int k = 0; k < 3; k++) n[k] /= length, back[k] = -n[k];
    const double below = -reach(b, back) - reach(a, n);
    worst = fmax(worst, fabs(length - gap->distance));
    worst = fmax(worst, length - below);
    worst = fmax(worst, fmax(outside(a, gap->a), outside(b, gap->b)));
}

/* Moved out by the depth along the line of the points, they touch; and no random direction is shorter. */
static void check_overlap(const solid* a, solid* b, const sari_gap* gap, uint64_t* seed)
{
    double n[3];
    for (int k = 0; k < 3; k++) n[k] = gap->a[k] - gap->b[k];
    const double length = sari_norm3(n);
    for (int i = 0; i < 20; i++) {
        double d[3] = {sari_random(seed), sari_random(seed), sari_random(seed)}, back[3];
        const double size = sari_norm3(d);
        for (int k = 0; k < 3; k++) d[k] /= size, back[k] = -d[k];
        CHECK(reach(a, d) + reach(b, back) >= -gap->distance - 1e-9);
    }
    if (length < 1e-6) return;
    sari_gap after;
    for (int k = 0; k < 3; k++) b->p[k] += n[k];
    sari_convex_gap(&a->shape, &b->shape, &after);
    deepest = fmax(deepest, fabs(after.distance));
    for (int k = 0; k < 3; k++) b->p[k] -= n[k];
}

TEST(distances_of_random_pairs_are_proven)
{
    enum { PAIRS = 100000 };
    uint64_t seed = 11;
    int overlapping = 0;
    solid a, b;
    for (int i = 0; i < PAIRS; i++) {
        sari_gap gap;
        make(i % KINDS, &seed, 1.2, &a);
        make(i / KINDS % KINDS, &seed, 1.2, &b);
        sari_convex_gap(&a.shape, &b.shape, &gap);
        if (gap.distance > 0.0)
            check_apart(&a, &b, &gap);
        else if (overlapping++ % 10 == 0)
            check_overlap(&a, &b, &gap, &seed);
    }
    printf("%d apart to %.1e, %d overlap, apart again to %.1e\n", PAIRS - overlapping, worst,
           overlapping, deepest);
    CHECK(worst < 1e-9);
    CHECK(deepest < 1e-6);
    CHECK(overlapping > PAIRS / 20 && overlapping < PAIRS);
}

TEST(places_and_sizes_do_not_matter)
{
    uint64_t seed = 5;
    solid a, b;
    for (int i = 0; i < 200; i++) {
        sari_gap here, there;
        make(i % KINDS, &seed, 2.0, &a);
        make(i / KINDS % KINDS, &seed, 2.0, &b);
        sari_convex_gap(&a.shape, &b.shape, &here);
        for (int k = 0; k < 3; k++) a.p[k] += 1000.0, b.p[k] += 1000.0;
        sari_convex_gap(&a.shape, &b.shape, &there);
        CHECK_NEAR(here.distance, there.distance, 1e-9);
    }
}

TEST(planar_shapes_overlap_in_their_plane)
{
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                 square[4][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    const double here[3] = {0, 0, 0}, there[3] = {1.75, 0.5, 0}, far[3] = {4, 3, 0};
    sari_convex a = {.point = square, .points = 4, .planar = 1, .R = one, .p = here}, b = a;
    sari_gap gap;
    b.p = there;
    sari_convex_gap(&a, &b, &gap);
    CHECK_NEAR(gap.distance, -0.25, 1e-12);
    b.p = far;
    sari_convex_gap(&a, &b, &gap);
    CHECK_NEAR(gap.distance, sqrt(4.0 + 1.0), 1e-12);
}
