/* The point v of A - B that is nearest to the origin, by the supports of both [gilbert1988]: with a simplex of up to four
 * points w = s_A(-v) - s_B(v), v is the point of it that is nearest to the origin, and
 *
 *     |v| - v.w/|v|                                                                           (1)
 *
 * bounds the error of the distance |v|. The nearest point of a simplex is found by looking at all of its faces: of those
 * whose weights are not negative the one with the least |v|. The last simplex of two hulls is exact; where ends are round,
 * points crowd and (1) falls until rounding ends it.
 *
 * Where the origin is inside, the simplex is blown up to a polytope in A - B [vandenbergen2001]: the face nearest to the
 * origin is split at the support along its normal, until that is no farther than the face. */
#include "math/convex.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 400, CORNERS = 200, FACES = 2 * CORNERS };
static const double EXACT = 1e-15; ///< of |v|, in (1)
static const double FLAT = 1e-14;  ///< squared sine below which a face has no weights of its own

/// A point of A - B and what it is made of.
typedef struct corner {
    double w[3], a[3], b[3];
} corner;

/// Both shapes, in the axes of the world from the place of the first.
typedef struct pair {
    const sari_convex *A, *B;
    double shift[3];
    double size; ///< of the points seen so far
    double tall; ///< planar shapes that overlap: as if the first were a high prism
} pair;

/* ---- supports ------------------------------------------------------------------------------- */

/* The point of a cylinder that is farthest along d. */
static void support_cylinder(const sari_convex* s, const double d[3], double out[3])
{
    double axis[3], across[3];
    for (int k = 0; k < 3; k++) axis[k] = s->point[1][k] - s->point[0][k];
    const double square = sari_dot(axis, axis), along = sari_dot(d, axis);
    for (int k = 0; k < 3; k++) across[k] = d[k] - along / square * axis[k];
    const double left = sari_dot(across, axis) / square; // rounding, of which little may be left
    for (int k = 0; k < 3; k++) across[k] -= left * axis[k];
    const double length = sari_norm3(across), *end = s->point[along > 0.0];
    const double out_by = length > 1e-14 * sari_norm3(d) ? s->radius / length : 0.0;
    for (int k = 0; k < 3; k++) out[k] = end[k] + out_by * across[k];
}

static void support(const sari_convex* s, const double d[3], double out[3])
{
    double local[3], x[3];
    const double up = s->planar ? 0.0 : d[2];
    for (int k = 0; k < 3; k++) local[k] = s->R[k] * d[0] + s->R[3 + k] * d[1] + s->R[6 + k] * up;
    if (s->cylinder) {
        support_cylinder(s, local, x);
    } else {
        int best = 0;
        for (int i = 1; i < s->points; i++)
            if (sari_dot(local, s->point[i]) > sari_dot(local, s->point[best])) best = i;
        const double side = sari_dot(local, s->thick) > 0.0 ? 1.0 : -1.0;
        for (int k = 0; k < 3; k++) x[k] = s->point[best][k] + side * s->thick[k];
    }
    sari_rotate(s->R, x, out);
    if (s->planar) out[2] = 0.0;
}

/* The corner of A - B that is farthest along d. */
static corner find_corner(pair* at, const double d[3])
{
    corner c;
    const double back[3] = {-d[0], -d[1], -d[2]};
    support(at->A, d, c.a);
    support(at->B, back, c.b);
    for (int k = 0; k < 3; k++) {
        c.b[k] += at->shift[k];
        c.w[k] = c.a[k] - c.b[k];
        at->size = fmax(at->size, fmax(fabs(c.a[k]), fabs(c.b[k])));
    }
    if (at->tall > 0.0) c.w[2] = d[2] > 0.0 ? at->tall : -at->tall;
    return c;
}

/* ---- the nearest point of a simplex --------------------------------------------------------- */

/// Of the corners of a simplex those that count, with their weights.
typedef struct nearest {
    int count, corner[4];
    double weight[4], v[3], square;
} nearest;

/* Weights of the edges from the first corner of the face: G m = g, by Cholesky. 0: the face is flat. */
static int solve_edges(int n, double G[3][3], double g[3])
{
    for (int i = 0; i < n; i++) {
        const double whole = G[i][i];
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++) G[i][j] -= G[i][k] * G[j][k];
            G[i][j] /= G[j][j];
            G[i][i] -= G[i][j] * G[i][j];
        }
        if (!(G[i][i] > FLAT * whole)) return 0;
        G[i][i] = sqrt(G[i][i]);
        for (int k = 0; k < i; k++) g[i] -= G[i][k] * g[k];
        g[i] /= G[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) g[i] -= G[k][i] * g[k];
        g[i] /= G[i][i];
    }
    return 1;
}

/* The face of the corners in `mask`, if its nearest point is inside and nearer than before. */
static void try_face(const corner* c, int count, unsigned mask, nearest* best)
{
    nearest f = {0};
    double G[3][3], g[3], edge[3][3];
    for (int i = count - 1; i >= 0; i--)
        if (mask & 1u << i) f.corner[f.count++] = i;
    const double* origin = c[f.corner[0]].w;
    const int n = f.count - 1;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) edge[i][k] = c[f.corner[i + 1]].w[k] - origin[k];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) G[i][j] = sari_dot(edge[i], edge[j]);
        g[i] = -sari_dot(edge[i], origin);
    }
    if (!solve_edges(n, G, g)) return;
    f.weight[0] = 1.0;
    memcpy(f.v, origin, sizeof f.v);
    for (int i = 0; i < n; i++) {
        if (!(g[i] >= 0.0)) return;
        f.weight[i + 1] = g[i];
        f.weight[0] -= g[i];
        for (int k = 0; k < 3; k++) f.v[k] += g[i] * edge[i][k];
    }
    f.square = sari_dot(f.v, f.v);
    if (f.weight[0] >= 0.0 && (best->count == 0 || f.square < best->square)) *best = f;
}

static nearest find_nearest(const corner* c, int count)
{
    nearest best = {0};
    for (unsigned mask = 1; mask < 1u << count; mask++) try_face(c, count, mask, &best);
    return best;
}

/* ---- overlapping ---------------------------------------------------------------------------- */

/// A triangle of the polytope, its normal outwards and how far it is from the origin.
typedef struct face {
    int corner[3];
    double n[3], distance;
} face;

typedef struct polytope {
    corner c[CORNERS];
    face f[FACES];
    int corners, faces;
    double middle[3]; ///< a point inside
} polytope;

/* 0: it has no area, or there is no room. */
static int add_face(polytope* t, int i, int j, int k)
{
    face* f = &t->f[t->faces];
    double e1[3], e2[3], out[3];
    if (t->faces == FACES) return 0;
    *f = (face){.corner = {i, j, k}};
    for (int x = 0; x < 3; x++) {
        e1[x] = t->c[j].w[x] - t->c[i].w[x];
        e2[x] = t->c[k].w[x] - t->c[i].w[x];
        out[x] = t->c[i].w[x] - t->middle[x];
    }
    sari_cross(e1, e2, f->n);
    const double area = sari_norm3(f->n);
    if (!(area > 1e-14 * sari_norm3(e1) * sari_norm3(e2))) return 0;
    const double side = sari_dot(f->n, out) < 0.0 ? -1.0 : 1.0;
    for (int x = 0; x < 3; x++) f->n[x] *= side / area;
    f->distance = sari_dot(f->n, t->c[i].w);
    t->faces++;
    return 1;
}

/* Faces that corner `new` sees go; their rim is joined to it. */
static int split(polytope* t, int new)
{
    int edge[FACES][2], edges = 0;
    for (int i = t->faces - 1; i >= 0; i--) {
        const face* f = &t->f[i];
        if (!(sari_dot(f->n, t->c[new].w) > f->distance + 1e-14 * fabs(f->distance))) continue;
        for (int e = 0; e < 3; e++) {
            const int from = f->corner[e], to = f->corner[(e + 1) % 3];
            int twin = 0;
            while (twin < edges && !((edge[twin][0] == to && edge[twin][1] == from) ||
                                     (edge[twin][0] == from && edge[twin][1] == to)))
                twin++;
            if (twin < edges) {
                edges--;
                memcpy(edge[twin], edge[edges], sizeof edge[0]);
            } else if (edges < FACES) {
                edge[edges][0] = from, edge[edges++][1] = to;
            }
        }
        t->f[i] = t->f[--t->faces];
    }
    for (int e = 0; e < edges; e++)
        if (!add_face(t, edge[e][0], edge[e][1], new)) return 0;
    return edges > 0;
}

/* How much the corners, two to four, span: a length, an area or a volume, in those of the size. */
static double span(const pair* at, const polytope* t, int count)
{
    double e[3][3] = {{0}}, across[3];
    for (int i = 1; i < count; i++)
        for (int x = 0; x < 3; x++) e[i - 1][x] = (t->c[i].w[x] - t->c[0].w[x]) / at->size;
    if (count == 2) return sari_norm3(e[0]);
    sari_cross(e[0], e[1], across);
    return count == 3 ? sari_norm3(across) : fabs(sari_dot(across, e[2]));
}

/* Four corners around the origin from those of a simplex that has it inside or on a face. 0: A - B is flat. */
static int fill_simplex(pair* at, polytope* t)
{
    static const double way[][3] = {{1, 0, 0},  {0, 1, 0},   {0, 0, 1},    {-1, 0, 0},  {0, -1, 0},
                                    {0, 0, -1}, {1, 2, 3},   {-2, 1, 3},   {-1, -2, 3}, {2, -1, 3},
                                    {1, 2, -3}, {-2, 1, -3}, {-1, -2, -3}, {2, -1, -3}};
    for (size_t k = 0; k < sizeof way / sizeof *way && t->corners < 4; k++) {
        t->c[t->corners] = find_corner(at, way[k]);
        t->corners += t->corners == 0 || span(at, t, t->corners + 1) > 1e-9;
    }
    return t->corners == 4;
}

static const face* nearest_face(const polytope* t)
{
    const face* best = &t->f[0];
    for (int i = 1; i < t->faces; i++)
        if (t->f[i].distance < best->distance) best = &t->f[i];
    return best;
}

/* Across what is flat. */
static void find_normal(const polytope* t, double n[3])
{
    double e[2][3] = {{0}};
    for (int i = 1; i < 3 && i < t->corners; i++)
        for (int x = 0; x < 3; x++) e[i - 1][x] = t->c[i].w[x] - t->c[0].w[x];
    if (t->corners == 2) e[1][fabs(e[0][0]) > fabs(e[0][1])] = 1.0;
    sari_cross(e[0], e[1], n);
    const double length = sari_norm3(n);
    for (int x = 0; x < 3; x++) n[x] = length > 0.0 ? n[x] / length : x == 0;
}

/* Out through the side of a cylinder: n across its axis, where that is shorter. */
static double across_axis(pair* at, const sari_convex* s, double depth, double n[3])
{
    double axis[3], local[3], m[3];
    if (!s->cylinder) return depth;
    for (int k = 0; k < 3; k++) local[k] = s->point[1][k] - s->point[0][k];
    sari_rotate(s->R, local, axis);
    const double along = sari_dot(n, axis) / sari_dot(axis, axis);
    for (int k = 0; k < 3; k++) m[k] = n[k] - along * axis[k];
    const double length = sari_norm3(m);
    if (!(length > 0.5)) return depth;
    for (int k = 0; k < 3; k++) m[k] /= length;
    const corner c = find_corner(at, m);
    if (!(sari_dot(c.w, m) < depth)) return depth;
    memcpy(n, m, sizeof m);
    return sari_dot(c.w, m);
}

/* n and depth of the shortest way out. Of all normals that were examined it is the one with the nearest support: where it
 * ends early, since a round side is equally near all around, that is far better than the faces, which are inside. */
static double find_depth(pair* at, const corner* simplex, int count, double n[3])
{
    polytope t = {.corners = count};
    memcpy(t.c, simplex, (size_t)count * sizeof *simplex);
    if (!fill_simplex(at, &t)) {
        find_normal(&t, n);
        return 0.0;
    }
    for (int i = 0; i < 4; i++)
        for (int x = 0; x < 3; x++) t.middle[x] += 0.25 * t.c[i].w[x];
    for (int i = 0; i < 4; i++)
        if (!add_face(&t, i, (i + 1) % 4, (i + 2) % 4)) return 0.0;
    double depth = INFINITY;
    while (t.faces > 0 && t.corners < CORNERS) {
        const face f = *nearest_face(&t);
        t.c[t.corners] = find_corner(at, f.n);
        const double out = sari_dot(t.c[t.corners].w, f.n);
        if (out < depth) depth = out, memcpy(n, f.n, sizeof f.n);
        if (out - f.distance <= 1e-12 * at->size) break;
        if (!split(&t, t.corners++)) break;
    }
    depth = across_axis(at, at->B, across_axis(at, at->A, depth, n), n);
    return depth > 0.0 && depth < INFINITY ? depth : 0.0;
}

/* ---- both ----------------------------------------------------------------------------------- */

/* Points of the two on the line between their cores; n from the first to the second. */
static void place_points(const pair* at, const double a[3], const double b[3], const double n[3],
                         sari_gap* out)
{
    const double ra = at->A->cylinder ? 0.0 : at->A->radius,
                 rb = at->B->cylinder ? 0.0 : at->B->radius;
    for (int k = 0; k < 3; k++) {
        out->a[k] = at->A->p[k] + a[k] + ra * n[k];
        out->b[k] = at->A->p[k] + b[k] - rb * n[k];
    }
    out->distance -= ra + rb;
}

static void overlap(pair* at, const corner* simplex, int count, sari_gap* out)
{
    double n[3] = {1, 0, 0}, a[3], b[3];
    at->tall = at->A->planar ? 8.0 * at->size : 0.0;
    const double depth = find_depth(at, simplex, at->tall > 0.0 ? 0 : count, n);
    if (at->A->planar) n[2] = 0.0; // rounding
    const double back[3] = {-n[0], -n[1], -n[2]};
    support(at->B, back, b);
    for (int k = 0; k < 3; k++) {
        b[k] += at->shift[k];
        a[k] = b[k] + depth * n[k];
    }
    out->distance = -depth;
    place_points(at, a, b, n, out);
}

void sari_convex_gap(const sari_convex* A, const sari_convex* B, sari_gap* out)
{
    pair at = {.A = A, .B = B};
    corner c[5];
    double d[3] = {1, 0, 0};
    for (int k = 0; k < 3; k++) at.shift[k] = A->planar && k == 2 ? 0.0 : B->p[k] - A->p[k];
    if (sari_norm3(at.shift) > 0.0) memcpy(d, at.shift, sizeof d);
    c[0] = find_corner(&at, d);
    int count = 1;
    nearest v = find_nearest(c, 1);
    for (int it = 0; it < ITERATIONS; it++) {
        if (v.square <= 1e-28 * at.size * at.size || v.count == 4) {
            overlap(&at, c, count, out);
            return;
        }
        const double back[3] = {-v.v[0], -v.v[1], -v.v[2]};
        c[count] = find_corner(&at, back);
        if (v.square - sari_dot(v.v, c[count].w) <= EXACT * v.square) break; // (1)
        const nearest next = find_nearest(c, count + 1);
        if (next.count == 0 || !(next.square < v.square)) break; // rounding
        corner kept[4];
        v = next;
        for (int k = 0; k < v.count; k++) kept[k] = c[v.corner[k]];
        for (int k = 0; k < v.count; k++) v.corner[k] = k;
        count = v.count;
        memcpy(c, kept, (size_t)count * sizeof *kept);
    }
    double a[3] = {0}, b[3] = {0}, n[3];
    out->distance = sqrt(v.square);
    for (int i = 0; i < v.count; i++)
        for (int k = 0; k < 3; k++) {
            a[k] += v.weight[i] * c[v.corner[i]].a[k];
            b[k] += v.weight[i] * c[v.corner[i]].b[k];
        }
    for (int k = 0; k < 3; k++) n[k] = -v.v[k] / out->distance;
    place_points(&at, a, b, n, out);
}
