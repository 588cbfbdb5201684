/* Mass, centre and inertia of a body that is all of one material, from its shapes.
 *
 * A shape is a sum of pieces with a volume V, a centroid g and a spread T = integral of
 * (x - g)(x - g)' dV / V. Pieces add up to
 *
 *     m = rho sum V,   m c = rho sum V g,   J = rho sum V (T + g g') - m c c',   I = tr(J) 1 - J
 *
 * In the plane an area takes the place of the volume, and rho is the mass of a unit of it. */
#include "math/vec3.h"
#include "model/parts.h"

static const double PI = 3.14159265358979323846;
static const double OPEN = 1e-6; ///< of its area: so much a mesh may be open, by rounded corners

typedef struct pieces {
    int dimension;
    double V, first[3], second[9]; ///< sums of V, V g and V (T + g g')
} pieces;

static void add_outer(double A[9], double factor, const double u[3], const double v[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A[3 * i + j] += factor * u[i] * v[j];
}

static void add(pieces* sum, double V, const double g[3], const double T[9])
{
    sum->V += V;
    for (int k = 0; k < 3; k++) sum->first[k] += V * g[k];
    for (int k = 0; k < 9; k++) sum->second[k] += V * T[k];
    add_outer(sum->second, V, g, g);
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* p[0] is its middle, the others those of three faces. A planar one ends with its face above. */
static void add_box(pieces* sum, const double (*p)[3])
{
    double h[3][3], across[3], T[9] = {0};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) h[k][i] = p[k + 1][i] - p[0][i];
    for (int k = 0; k < sum->dimension; k++) add_outer(T, 1.0 / 3, h[k], h[k]);
    sari_cross(h[0], h[1], across);
    add(sum, sum->dimension == 2 ? 4 * sari_norm3(across) : 8 * fabs(sari_dot(across, h[2])), p[0],
        T);
}

/* A tensor with one value along u and another across it, within the dimension. */
static void spread_about(int dimension, const double u[3], double along, double across, double T[9])
{
    memset(T, 0, 9 * sizeof *T);
    for (int k = 0; k < dimension; k++) T[4 * k] = across;
    add_outer(T, along - across, u, u);
}

static void add_ball(pieces* sum, const double middle[3], double r)
{
    const int plane = sum->dimension == 2;
    double T[9];
    spread_about(sum->dimension, (double[3]){0}, 0, plane ? r * r / 4 : r * r / 5, T);
    add(sum, plane ? PI * r * r : 4 * PI / 3 * r * r * r, middle, T);
}

/* The half of a ball, or of a disc, beyond the end e along u. */
static void add_half(pieces* sum, const double e[3], const double u[3], double r)
{
    const int plane = sum->dimension == 2;
    const double out = plane ? 4 * r / (3 * PI) : 3 * r / 8, all = plane ? r * r / 4 : r * r / 5;
    double g[3], T[9];
    for (int k = 0; k < 3; k++) g[k] = e[k] + out * u[k];
    spread_about(sum->dimension, u, all - out * out, all, T);
    add(sum, plane ? PI * r * r / 2 : 2 * PI / 3 * r * r * r, g, T);
}

/* Seen from its end a planar one is a disc. */
static void add_round(pieces* sum, const double (*p)[3], double r, bool round_ends)
{
    const int plane = sum->dimension == 2;
    double u[3], back[3], middle[3], T[9];
    for (int k = 0; k < 3; k++)
        u[k] = plane && k == 2 ? 0.0 : p[1][k] - p[0][k], middle[k] = (p[0][k] + p[1][k]) / 2;
    const double L = sari_norm3(u);
    if (L == 0.0) {
        add_ball(sum, middle, r);
        return;
    }
    for (int k = 0; k < 3; k++) u[k] /= L, back[k] = -u[k];
    spread_about(sum->dimension, u, L * L / 12, plane ? r * r / 3 : r * r / 4, T);
    add(sum, plane ? 2 * r * L : PI * r * r * L, middle, T);
    if (!round_ends) return;
    add_half(sum, p[1], u, r);
    add_half(sum, p[0], back, r);
}

/* A triangle or a tetrahedron with n corners, whose volume has a sign. */
static void add_simplex(pieces* sum, double V, int n, const double* const* corner, const double* T0)
{
    double g[3] = {0}, T[9] = {0};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) g[k] += corner[i][k] / n;
    for (int i = 0; i < n; i++) add_outer(T, 1.0 / (n * (n + 1)), corner[i], corner[i]);
    add_outer(T, -1.0 / (n + 1), g, g);
    for (int k = 0; k < 9 && T0; k++) T[k] += T0[k];
    add(sum, V, g, T);
}

/* ---- polygons and meshes -------------------------------------------------------------------- */

static void area_of(const double a[3], const double b[3], const double c[3], double out[3])
{
    double p[3], q[3];
    for (int k = 0; k < 3; k++) p[k] = b[k] - a[k], q[k] = c[k] - a[k];
    sari_cross(p, q, out);
    for (int k = 0; k < 3; k++) out[k] /= 2;
}

/* A plate: triangles around the first corner, those outside counted back. */
static sar_status add_polygon(pieces* sum, const sar_shape_def* shape, sar_error* error)
{
    const double(*p)[3] = shape->point;
    const double thick = sum->dimension == 2 ? 1.0 : 2 * shape->radius;
    double normal[3] = {0}, T[9] = {0}, area[3];
    if (!(thick > 0.0))
        return sari_fail(error, SAR_E_MODEL, "density",
                         "a polygon without a thickness has no mass; give it one");
    for (int k = 1; k + 1 < shape->points; k++) {
        area_of(p[0], p[k], p[k + 1], area);
        for (int i = 0; i < 3; i++) normal[i] += area[i];
    }
    sari_normalise(normal);
    if (sum->dimension == 3) add_outer(T, thick * thick / 12, normal, normal);
    for (int k = 1; k + 1 < shape->points; k++) {
        const double* const corner[3] = {p[0], p[k], p[k + 1]};
        area_of(p[0], p[k], p[k + 1], area);
        add_simplex(sum, thick * sari_dot(area, normal), 3, corner, T);
    }
    return SAR_OK;
}

/* Tetrahedra from the first corner to every triangle. */
static sar_status add_mesh(pieces* sum, const sar_shape_def* shape, sar_error* error)
{
    const double(*p)[3] = shape->point;
    double open[3] = {0}, all = 0.0, area[3], to[3];
    pieces mesh = {.dimension = 3};
    if (sum->dimension == 2)
        return sari_fail(error, SAR_E_MODEL, "density",
                         "a mesh has no area in the plane; give the body its mass and inertia");
    for (int t = 0; t < shape->triangles; t++) {
        const int* c = shape->triangle[t];
        const double* const corner[4] = {p[0], p[c[0]], p[c[1]], p[c[2]]};
        area_of(corner[1], corner[2], corner[3], area);
        for (int k = 0; k < 3; k++) open[k] += area[k], to[k] = corner[1][k] - p[0][k];
        all += sari_norm3(area);
        add_simplex(&mesh, sari_dot(area, to) / 3, 4, corner, NULL);
    }
    if (!(sari_norm3(open) <= OPEN * all) || mesh.V == 0.0)
        return sari_fail(error, SAR_E_MODEL, "density",
                         "the mesh is not closed, so that it has no volume; close it, or give the "
                         "body its mass and inertia");
    const double sense = mesh.V < 0 ? -1.0 : 1.0; // faces may look inwards
    sum->V += sense * mesh.V;
    for (int k = 0; k < 3; k++) sum->first[k] += sense * mesh.first[k];
    for (int k = 0; k < 9; k++) sum->second[k] += sense * mesh.second[k];
    return SAR_OK;
}

static sar_status add_shape(pieces* sum, const sar_shape_def* shape, sar_error* error)
{
    switch (shape->kind) {
    case SAR_SHAPE_BOX:
        add_box(sum, shape->point);
        return SAR_OK;
    case SAR_SHAPE_SPHERE:
        add_ball(sum, shape->point[0], shape->radius);
        return SAR_OK;
    case SAR_SHAPE_POLYGON:
        return add_polygon(sum, shape, error);
    case SAR_SHAPE_MESH:
        return add_mesh(sum, shape, error);
    default:
        add_round(sum, shape->point, shape->radius, shape->kind == SAR_SHAPE_CAPSULE);
        return SAR_OK;
    }
}

/* ---- bodies --------------------------------------------------------------------------------- */

static void fill(sari_body* body, const pieces* sum, double density)
{
    sar_body_def* def = &body->def;
    double J[9];
    def->mass = density * sum->V;
    for (int k = 0; k < 3; k++) def->center[k] = sum->first[k] / sum->V;
    for (int k = 0; k < 9; k++) J[k] = density * sum->second[k];
    add_outer(J, -def->mass, def->center, def->center);
    const double I[6] = {J[4] + J[8], J[0] + J[8], J[0] + J[4], -J[1], -J[2], -J[5]};
    memset(def->inertia, 0, sizeof def->inertia);
    if (sum->dimension == 2)
        def->center[2] = 0.0, def->inertia[2] = I[2];
    else
        memcpy(def->inertia, I, sizeof I);
    sari_body_center_moved(body);
}

sar_status sar_model_set_density(sar_model* model, sar_body_id body, double density,
                                 sar_error* error)
{
    SARI_TRY(sari_check_body(model, body, "body", error));
    SARI_TRY(sari_check_positive(density, "density", error));
    sari_body* b = &model->bodies[body.i];
    pieces sum = {.dimension = model->dimension};
    if (b->shapes_count == 0)
        return sari_fail(error, SAR_E_MODEL, "density",
                         "\"%s\" has no shape, so that a density says nothing of its mass; give it "
                         "a shape, or its mass and inertia",
                         b->name);
    for (int k = 0; k < b->shapes_count; k++) SARI_TRY(add_shape(&sum, &b->shapes[k], error));
    fill(b, &sum, density);
    return SAR_OK;
}
