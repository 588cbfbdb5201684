/* Natural coordinates: points and unit vectors, shared by the bodies that meet at a joint
 * [garciadejalon1994].
 *
 * A body's frame is an affine function of what it is made of: an origin o and three independent
 * vectors v_i (planar: one), each a shared point minus o, a shared joint axis, or a private unit
 * vector. With b_i the same vectors in body axes,
 *
 *     A = [v1 v2 v3] [b1 b2 b3]^-1,   r = o + A (s - s_o)                                     (1)
 *     v_i . v_j = b_i . b_j           (rigid-body constraints)                                (2)
 *
 * so X = X0 + T q with constant T, the mass matrix is constant, and all joint conditions are
 * quadratic in q.
 *
 * Sharing makes most joint conditions vanish identically. Points and axes of the ground are
 * constants; a point on a line or plane of the ground has one or two coordinates; bodies joined by
 * a prismatic or fixed joint share one orientation. Joints that come or go while the mechanism runs
 * are not built in: whatever is there, the coordinates are the same. Points and axes of a body
 * beyond those of (1) are not coordinates but follow from (1). */
#include "base/memory.h"
#include "base/status.h"
#include "coordinates/natural_nodes.h"
#include "math/vec3.h"
#include "system/coordinates.h"

typedef struct builder {
    sari_arena memory;
    sari_coordinates* c;
    const sari_mechanism* m;
    int d; ///< dimension
    sari_node_list points, axes;
    sari_orientations turned;
    char* framed;   ///< per group root: A is set
    sari_affine* A; ///< per group root: 9, column c component k at [3 c + k]
    sari_affine* X; ///< per body: nx
    int q_capacity;
} builder;

/* ---- classes -------------------------------------------------------------------------------- */

/* Are the two axes drawn in the same sense? Opposite ones are left to their constraint rows. */
static int same_sense(const builder* b, const sar_end* e, const sar_end* f)
{
    double Ra[9], Rb[9], u[3], w[3];
    sari_rotation_of(b->m, b->m->X0 + b->m->nx * e->body.i, Ra);
    sari_rotation_of(b->m, b->m->X0 + b->m->nx * f->body.i, Rb);
    sari_rotate(Ra, e->axis, u);
    sari_rotate(Rb, f->axis, w);
    return sari_dot(u, w) > 0.0;
}

static int make_classes(builder* b)
{
    const sari_mechanism* m = b->m;
    for (int x = 0; x < m->bodies; x++) {
        b->turned.group[x] = b->turned.mate[x] = x;
        for (int k = 0; k < 9; k += 4) b->turned.R[9 * x + k] = 1.0;
    }
    for (int i = 0; i < m->conditions_count; i++) {
        const sari_condition* c = &m->conditions[i];
        int pa = -1, pb = -1;
        if (m->model->joints[c->joint].phased) continue;
        if (c->kind == SARI_COINCIDE || c->kind == SARI_ON_LINE || c->kind == SARI_ON_PLANE ||
            c->kind == SARI_DISTANCE) {
            pa = sari_nodes_add(&b->points, c->a.body.i, c->a.point);
            pb = sari_nodes_add(&b->points, c->b.body.i, c->b.point);
            if (pa < 0 || pb < 0) return 0;
        }
        if (c->kind == SARI_COINCIDE) sari_nodes_join(&b->points, pa, pb);
        if ((c->kind == SARI_ON_LINE || c->kind == SARI_ON_PLANE) && c->a.body.i == 0) {
            sari_natural_node* root = &b->points.at[sari_node_root(&b->points, pb)];
            if (root->guide < 0) root->guide = i;
        }
        if (c->kind == SARI_PARALLEL || c->kind == SARI_PERPENDICULAR) {
            pa = sari_nodes_add(&b->axes, c->a.body.i, c->a.axis);
            pb = sari_nodes_add(&b->axes, c->b.body.i, c->b.axis);
            if (pa < 0 || pb < 0) return 0;
            if (c->kind == SARI_PARALLEL && same_sense(b, &c->a, &c->b))
                sari_nodes_join(&b->axes, pa, pb);
        }
        if (c->kind == SARI_SAME_ORIENTATION)
            b->c->met[i] = (char)sari_orientations_join(&b->turned, b->d, &c->a, &c->b);
    }
    return 1;
}

/* ---- new coordinates ------------------------------------------------------------------------ */

/* `reading` tells what it is of bodies placed by X. */
static int new_coordinate(builder* b, const sari_affine* reading)
{
    sari_coordinates* c = b->c;
    if (!sari_grow((void**)&c->reading, c->nq, &b->q_capacity, sizeof *c->reading)) return -1;
    c->reading[c->nq] = *reading;
    return c->nq++;
}

/* A point (axis: a direction) of a body, from its placement. */
static void read_vector(const builder* b, int body, const double local[3], int axis,
                        sari_affine at[3])
{
    for (int k = 0; k < 3; k++)
        at[k] =
            axis ? sari_axis_affine(b->m, body, local, k) : sari_point_affine(b->m, body, local, k);
}

/* A vector of d new coordinates. */
static int new_vector(builder* b, const sari_affine at[3], sari_affine value[3])
{
    for (int k = 0; k < b->d; k++) {
        int q = new_coordinate(b, &at[k]);
        if (q < 0) return 0;
        value[k] = (sari_affine){.n = 1, .index = {q}, .coefficient = {1.0}};
    }
    return 1;
}

/* p = p_a + sum_i s_i e_i with the directions e_i of a line or plane of the ground */
static int new_guided_point(builder* b, const sari_condition* guide, const sari_affine at[3],
                            sari_affine value[3])
{
    double e[3][3];
    int directions = 1;
    memcpy(e[0], guide->a.axis, sizeof e[0]);
    if (guide->kind == SARI_ON_PLANE) {
        double* u = e[2];
        memcpy(u, guide->a.axis, sizeof e[2]);
        double other[3] = {fabs(u[0]) < 0.7, fabs(u[0]) >= 0.7, 0};
        sari_cross(u, other, e[0]);
        double length = sari_norm3(e[0]);
        for (int k = 0; k < 3; k++) e[0][k] /= length;
        sari_cross(u, e[0], e[1]);
        directions = 2;
    }
    for (int k = 0; k < 3; k++) value[k] = (sari_affine){.c = guide->a.point[k]};
    for (int i = 0; i < directions; i++) {
        sari_affine along = {.c = -sari_dot(guide->a.point, e[i])};
        for (int k = 0; k < 3; k++) sari_affine_accumulate(&along, e[i][k], &at[k]);
        int q = new_coordinate(b, &along);
        if (q < 0) return 0;
        for (int k = 0; k < b->d; k++) sari_affine_add(&value[k], e[i][k], q);
    }
    return 1;
}

static int new_point(builder* b, sari_natural_node* n)
{
    sari_affine at[3];
    sari_natural_node* root = &b->points.at[sari_node_root(&b->points, (int)(n - b->points.at))];
    read_vector(b, n->body, n->local, 0, at);
    root->known = 1;
    if (root->guide >= 0)
        return new_guided_point(b, &b->m->conditions[root->guide], at, root->value);
    return new_vector(b, at, root->value);
}

/* ---- the frame of a body -------------------------------------------------------------------- */

/* The vectors that (1) is made of. */
typedef struct basis {
    int body, count, wanted;
    double origin[3]; ///< s_o
    sari_affine o[3];
    double local[3][3]; ///< b_i, body axes
    double clear[3][3]; ///< orthonormalised, to test independence
    sari_affine v[3][3];
    int unit[3]; ///< axes: the class (to constrain its length once), -1 for others
} basis;

/* Is `local` independent enough of the chosen ones? Then it becomes the next. */
static int accept(basis* s, const double local[3])
{
    double rest[3], size = sari_norm3(local);
    memcpy(rest, local, sizeof rest);
    for (int i = 0; i < s->count; i++) {
        double along = sari_dot(rest, s->clear[i]);
        for (int k = 0; k < 3; k++) rest[k] -= along * s->clear[i][k];
    }
    double length = sari_norm3(rest);
    if (s->count == s->wanted || size < 1e-9 || length < 0.2 * size) return 0;
    memcpy(s->local[s->count], local, sizeof rest);
    for (int k = 0; k < 3; k++) s->clear[s->count][k] = rest[k] / length;
    s->unit[s->count] = -1;
    return 1;
}

static int take_points(builder* b, basis* s, int known)
{
    for (int i = b->points.first[s->body]; i >= 0 && s->count < s->wanted;
         i = b->points.at[i].next) {
        sari_natural_node* n = &b->points.at[i];
        sari_natural_node* root = &b->points.at[sari_node_root(&b->points, i)];
        if (root->known != known) continue;
        double away[3];
        for (int k = 0; k < 3; k++) away[k] = n->local[k] - s->origin[k];
        if (!accept(s, away)) continue;
        if (!known && !new_point(b, n)) return 0;
        for (int k = 0; k < 3; k++) {
            s->v[s->count][k] = root->value[k];
            if (!sari_affine_accumulate(&s->v[s->count][k], -1.0, &s->o[k])) return 0;
        }
        s->count++;
    }
    return 1;
}

static int take_axes(builder* b, basis* s, int known)
{
    if (b->d != 3) return 1;
    for (int i = b->axes.first[s->body]; i >= 0 && s->count < s->wanted; i = b->axes.at[i].next) {
        sari_natural_node* n = &b->axes.at[i];
        int r = sari_node_root(&b->axes, i);
        sari_natural_node* root = &b->axes.at[r];
        if (root->known != known || !accept(s, n->local)) continue;
        if (!known) {
            sari_affine at[3];
            read_vector(b, n->body, n->local, 1, at);
            if (!new_vector(b, at, root->value)) return 0;
            root->known = 1;
        }
        memcpy(s->v[s->count], root->value, sizeof root->value);
        s->unit[s->count++] = r;
    }
    return 1;
}

/* Planar: a second point, the centre of mass if it is away from the origin. Spatial: unit vectors.
 */
static int take_private(builder* b, basis* s)
{
    const sar_body_def* def = &b->m->model->bodies[s->body].def;
    sari_affine at[3];
    if (b->d == 2 && s->count == 0) {
        double away[3] = {def->center[0] - s->origin[0], def->center[1] - s->origin[1], 0};
        if (sari_norm3(away) < 1e-6) away[0] = 1.0, away[1] = 0.0;
        double point[3] = {s->origin[0] + away[0], s->origin[1] + away[1], 0};
        accept(s, away);
        read_vector(b, s->body, point, 0, at);
        if (!new_vector(b, at, s->v[0])) return 0;
        for (int k = 0; k < 2; k++)
            if (!sari_affine_accumulate(&s->v[0][k], -1.0, &s->o[k])) return 0;
        s->count = 1;
    }
    while (s->count < s->wanted) {
        double best[3] = {0}, most = -1.0;
        for (int e = 0; e < 3;
             e++) { // the body axis with the largest part outside of the chosen ones
            double rest[3] = {e == 0, e == 1, e == 2};
            for (int i = 0; i < s->count; i++) {
                double along = sari_dot(rest, s->clear[i]);
                for (int k = 0; k < 3; k++) rest[k] -= along * s->clear[i][k];
            }
            double length = sari_norm3(rest);
            if (length <= most + 1e-9) continue;
            most = length;
            for (int k = 0; k < 3; k++) best[k] = rest[k] / length;
        }
        accept(s, best);
        read_vector(b, s->body, best, 1, at);
        if (!new_vector(b, at, s->v[s->count])) return 0;
        s->count++;
    }
    return 1;
}

/* (2), each once, those that hold identically left out */
static int add_rigid_rows(builder* b, const basis* s)
{
    sari_polynomials* own = &b->c->own;
    for (int i = 0; i < s->count; i++)
        for (int j = 0; j <= i; j++) {
            if (i == j && s->unit[i] >= 0) {
                sari_natural_node* axis = &b->axes.at[s->unit[i]];
                if (axis->unit) continue;
                axis->unit = 1;
            }
            if (sari_polynomials_new(own) < 0) return 0;
            for (int k = 0; k < b->d; k++)
                if (!sari_polynomials_add_product(own, 1.0, &s->v[i][k], &s->v[j][k])) return 0;
            double size = sari_norm3(s->local[i]) * sari_norm3(s->local[j]);
            sari_polynomials_add_constant(own, -sari_dot(s->local[i], s->local[j]));
            if (sari_polynomial_is_zero(own, own->count - 1, size))
                own->count--;
            else if (!sari_coordinates_own(b->c, s->body))
                return 0;
        }
    return 1;
}

/* (1): A of the body's group; vectors are first turned into the group's axes. */
static int set_frame(builder* b, const basis* s)
{
    int g = b->turned.group[s->body];
    sari_affine* A = b->A + 9 * g;
    double in_group[3][3];
    for (int i = 0; i < s->count && i < 3; i++)
        sari_rotate(b->turned.R + 9 * s->body, s->local[i], in_group[i]);
    if (b->d == 2) { // v = R(phi) w  =>  cos = v.w/w^2, sin = (w x v)/w^2
        const double* w = in_group[0];
        double f = 1.0 / (w[0] * w[0] + w[1] * w[1]);
        sari_affine c = {0}, sn = {0};
        if (!sari_affine_accumulate(&c, f * w[0], &s->v[0][0]) ||
            !sari_affine_accumulate(&c, f * w[1], &s->v[0][1]) ||
            !sari_affine_accumulate(&sn, f * w[0], &s->v[0][1]) ||
            !sari_affine_accumulate(&sn, -f * w[1], &s->v[0][0]))
            return 0;
        A[0] = A[4] = c, A[1] = sn;
        A[3] = (sari_affine){0};
        sari_affine_accumulate(&A[3], -1.0, &sn);
    } else {
        double B[9], inv[9];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) B[3 * k + i] = in_group[i][k];
        sari_invert3(B, inv);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) {
                A[3 * c + k] = (sari_affine){0};
                for (int i = 0; i < 3; i++)
                    if (!sari_affine_accumulate(&A[3 * c + k], inv[3 * i + c], &s->v[i][k]))
                        return 0;
            }
    }
    b->framed[g] = 1;
    return 1;
}

/* out_k = component k of A_b local */
static int along(const builder* b, int body, const double local[3], sari_affine out[3])
{
    double u[3];
    const sari_affine* A = b->A + 9 * b->turned.group[body];
    sari_rotate(b->turned.R + 9 * body, local, u);
    for (int k = 0; k < 3; k++) {
        out[k] = (sari_affine){0};
        for (int c = 0; c < b->d; c++)
            if (!sari_affine_accumulate(&out[k], u[c], &A[3 * c + k])) return 0;
    }
    return 1;
}

/* Everything else on the body follows from its frame: (1) for its other points and axes, and X. */
static int derive(builder* b, const basis* s)
{
    int body = s->body;
    enum {
        SHORT = 12
    }; // longer expressions would cost sparsity: such a point gets coordinates of its own
    for (int i = b->points.first[body]; i >= 0; i = b->points.at[i].next) {
        sari_natural_node* root = &b->points.at[sari_node_root(&b->points, i)];
        if (root->known) continue;
        double away[3];
        sari_affine p[3];
        for (int k = 0; k < 3; k++) away[k] = b->points.at[i].local[k] - s->origin[k];
        int fits = along(b, body, away, p);
        for (int k = 0; k < b->d && fits; k++)
            fits = sari_affine_accumulate(&p[k], 1.0, &s->o[k]) && p[k].n <= SHORT;
        if (!fits) continue;
        memcpy(root->value, p, sizeof p);
        root->known = 1;
    }
    for (int i = b->d == 3 ? b->axes.first[body] : -1; i >= 0; i = b->axes.at[i].next) {
        sari_natural_node* root = &b->axes.at[sari_node_root(&b->axes, i)];
        if (root->known) continue;
        sari_affine u[3];
        if (!along(b, body, b->axes.at[i].local, u)) continue;
        memcpy(root->value, u, sizeof u);
        root->known = root->unit = 1;
    }
    sari_affine* X = b->X + b->m->nx * body;
    const double* center = b->m->model->bodies[body].def.center;
    double away[3];
    for (int k = 0; k < 3; k++) away[k] = center[k] - s->origin[k];
    sari_affine r[3];
    if (!along(b, body, away, r)) return 0;
    for (int k = 0; k < b->d; k++) {
        X[k] = r[k];
        if (!sari_affine_accumulate(&X[k], 1.0, &s->o[k])) return 0;
    }
    for (int c = 0; c < (b->d == 3 ? 3 : 1); c++) {
        double unit[3] = {c == 0, c == 1, c == 2};
        if (!along(b, body, unit, r)) return 0;
        for (int k = 0; k < b->d; k++) X[b->d + b->d * c + k] = r[k];
    }
    return 1;
}

/* The origin: a known point of the body, else a shared one, else its centre of mass. */
static int choose_origin(builder* b, basis* s)
{
    sari_natural_node *known = NULL, *shared = NULL;
    for (int i = b->points.first[s->body]; i >= 0; i = b->points.at[i].next) {
        sari_natural_node* n = &b->points.at[i];
        if (!known && b->points.at[sari_node_root(&b->points, i)].known) known = n;
        if (!shared) shared = n;
    }
    sari_natural_node* n = known ? known : shared;
    if (!n) {
        int i = sari_nodes_add(&b->points, s->body, b->m->model->bodies[s->body].def.center);
        if (i < 0) return 0;
        n = &b->points.at[i];
    }
    if (n != known && !new_point(b, n)) return 0;
    memcpy(s->origin, n->local, sizeof s->origin);
    memcpy(s->o, b->points.at[sari_node_root(&b->points, (int)(n - b->points.at))].value,
           sizeof s->o);
    return 1;
}

static int build_body(builder* b, int body)
{
    basis s = {.body = body, .wanted = b->d == 3 ? 3 : 1};
    if (!choose_origin(b, &s)) return 0;
    if (!b->framed[b->turned.group[body]]) {
        if (!take_axes(b, &s, 1) || !take_points(b, &s, 1) || !take_points(b, &s, 0) ||
            !take_axes(b, &s, 0) || !take_private(b, &s))
            return 0;
        if (!add_rigid_rows(b, &s) || !set_frame(b, &s)) return 0;
    }
    return derive(b, &s);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Who is joined to whom: the neighbours of a body are list[begin[body]] ... list[begin[body + 1] -
 * 1], in the order of the joints. */
typedef struct neighbours {
    int *begin, *list;
} neighbours;

static int is_built_in(const sari_joint* joint)
{
    return !joint->relation && !joint->phased;
}

static int find_neighbours(builder* b, neighbours* all)
{
    const sar_model* model = b->m->model;
    const int n = b->m->bodies;
    all->begin = SARI_TAKE(&b->memory, int, n + 2);
    all->list = SARI_TAKE(&b->memory, int, 2 * model->joints_count);
    if (b->memory.failed) return 0;
    int* end = all->begin + 1; // where the next one of a body goes; its begin in the end
    for (int j = 0; j < model->joints_count; j++) {
        const sar_joint_def* pair = &model->joints[j].pair;
        if (!is_built_in(&model->joints[j])) continue;
        end[pair->a.body.i + 1]++;
        end[pair->b.body.i + 1]++;
    }
    for (int k = 1; k <= n; k++) end[k] += end[k - 1];
    for (int j = 0; j < model->joints_count; j++) {
        const sar_joint_def* pair = &model->joints[j].pair;
        if (!is_built_in(&model->joints[j])) continue;
        all->list[end[pair->a.body.i]++] = pair->b.body.i;
        all->list[end[pair->b.body.i]++] = pair->a.body.i;
    }
    return 1;
}

/* From the ground outwards, so that a body finds what its neighbours have made. */
static int build_bodies(builder* b)
{
    int n = b->m->bodies, queued = 1, next = 1;
    int* queue = SARI_TAKE(&b->memory, int, n);
    char* seen = SARI_TAKE(&b->memory, char, n);
    neighbours all = {0};
    int ok = find_neighbours(b, &all);
    if (ok) seen[0] = 1;
    for (int head = 0; ok && head < n; head++) {
        if (head == queued) { // nothing reachable is left: a free body starts anew
            while (seen[next]) next++;
            seen[next] = 1;
            queue[queued++] = next;
        }
        int body = queue[head];
        if (body) ok = build_body(b, body);
        for (int k = all.begin[body]; k < all.begin[body + 1]; k++) {
            if (seen[all.list[k]]) continue;
            seen[all.list[k]] = 1;
            queue[queued++] = all.list[k];
        }
    }
    return ok;
}

/* T and X0 from the affine expressions. */
static int write_map(builder* b, int body)
{
    int nx = b->m->nx, list[SARI_AFFINE_TERMS * 12] = {0}, n = 0;
    const sari_affine* X = b->X + nx * body;
    for (int a = 0; a < nx; a++)
        for (int i = 0; i < X[a].n; i++) {
            int k = 0, q = X[a].index[i];
            while (k < n && list[k] < q) k++;
            if (k < n && list[k] == q) continue;
            for (int l = n++; l > k; l--) list[l] = list[l - 1];
            list[k] = q;
        }
    if (!sari_body_map_init(b->c, body, n, list, 0)) return 0;
    for (int a = 0; a < nx; a++) {
        b->c->X0[nx * body + a] = X[a].c;
        for (int i = 0; i < X[a].n; i++)
            for (int k = 0; k < n; k++)
                if (list[k] == X[a].index[i]) b->c->body[body].T[n * a + k] += X[a].coefficient[i];
    }
    return 1;
}

/* Axes made parallel by sharing: identical expressions. */
static void mark_met(builder* b)
{
    for (int i = 0; i < b->m->conditions_count; i++) {
        const sari_condition* c = &b->m->conditions[i];
        if (c->kind != SARI_PARALLEL || b->m->model->joints[c->joint].phased) continue;
        sari_affine u[3], w[3];
        if (!along(b, c->a.body.i, c->a.axis, u) || !along(b, c->b.body.i, c->b.axis, w)) continue;
        int same = 1;
        for (int k = 0; k < 3; k++) same = same && sari_affine_equal(&u[k], &w[k]);
        b->c->met[i] = (char)same;
    }
}

static double largest(const double v[3], double than)
{
    for (int k = 0; k < 3; k++) than = fmax(than, fabs(v[k]));
    return than;
}

/* The largest component of any point that can become a node. */
static double extent_of(const sari_mechanism* m)
{
    double extent = 0.0;
    for (int b = 0; b < m->bodies; b++) extent = largest(m->model->bodies[b].def.center, extent);
    for (int i = 0; i < m->conditions_count; i++)
        extent = largest(m->conditions[i].b.point, largest(m->conditions[i].a.point, extent));
    return extent;
}

static sar_status create(sari_coordinates* c, sar_error* error)
{
    (void)error; // running out of memory is reported by the caller
    const sari_mechanism* m = c->mechanism;
    int n = m->bodies;
    builder b = {.c = c, .m = m, .d = m->dimension};
    c->constant = 1;
    b.turned.group = SARI_TAKE(&b.memory, int, n);
    b.turned.mate = SARI_TAKE(&b.memory, int, n);
    b.turned.R = SARI_TAKE(&b.memory, double, 9 * n);
    b.framed = SARI_TAKE(&b.memory, char, n);
    b.A = SARI_TAKE(&b.memory, sari_affine, 9 * n);
    b.X = SARI_TAKE(&b.memory, sari_affine, m->nx * n);
    int ok = !b.memory.failed && sari_nodes_init(&b.points, n, extent_of(m)) &&
             sari_nodes_init(&b.axes, n, 1.0);
    if (ok) { // the ground's frame is the world's
        b.framed[0] = 1;
        for (int k = 0; k < 9; k += 4) b.A[k].c = 1.0;
    }
    ok = ok && make_classes(&b) && build_bodies(&b);
    for (int body = 1; ok && body < n; body++) ok = write_map(&b, body);
    if (ok) mark_met(&b);
    sari_nodes_release(&b.points);
    sari_nodes_release(&b.axes);
    sari_arena_clear(&b.memory);
    return ok ? SAR_OK : SAR_E_NOMEM;
}

static void from_placement(const sari_coordinates* c, const double* X, const double* Xd,
                           const double* w, double* q, double* v)
{
    (void)w; // Xd says all of points and axes
    for (int i = 0; i < c->nq - c->states; i++) {
        const sari_affine* f = &c->reading[i];
        q[i] = f->c, v[i] = 0.0;
        for (int k = 0; k < f->n; k++) {
            q[i] += f->coefficient[k] * X[f->index[k]];
            v[i] += f->coefficient[k] * Xd[f->index[k]];
        }
    }
}

const sari_coordinates_ops sari_coordinates_natural = {
    .name = "natural",
    .cite = "garciadejalon1994",
    .text = "points and unit vectors shared at the joints; constant mass matrix",
    .create = create,
    .from_placement = from_placement,
};
