/* Mass, centre and inertia from shapes and a density: closed forms of handbooks, sums over a fine
 * lattice of what is inside, and shapes that are made of others. */
#include "model_fixture.h"
#include "sarrus/shape.h"

static const double PI = 3.14159265358979323846;

static const sar_body_def* filled(sar_model* m, int shapes, const sar_shape_def* shape,
                                  double density)
{
    sar_body_def def = sar_body_def_default();
    sar_body_id id;
    def.name = "body";
    CHECK_STATUS(sar_model_add_body(m, &def, &id, NULL), SAR_OK);
    for (int k = 0; k < shapes; k++)
        CHECK_STATUS(sar_model_add_shape(m, id, &shape[k], NULL), SAR_OK);
    sar_error error = {0};
    if (sar_model_set_density(m, id, density, &error) != SAR_OK) fail_msg("%s", error.message);
    return &m->bodies[id.i].def;
}

static void check(const sar_body_def* def, double mass, const double center[3],
                  const double inertia[6], double error)
{
    CHECK_NEAR(def->mass, mass, error * mass);
    for (int k = 0; k < 3; k++) CHECK_NEAR(def->center[k], center[k], error);
    for (int k = 0; k < 6; k++) CHECK_NEAR(def->inertia[k], inertia[k], error * mass);
}

static sar_shape_def shape_of(sar_shape_kind kind, int points, const double (*point)[3], double r)
{
    sar_shape_def shape = sar_shape_def_default();
    shape.kind = kind, shape.points = points, shape.point = point, shape.radius = r;
    return shape;
}

TEST(handbooks_agree)
{
    sar_model* m = sar_model_create("shapes", 3);
    const double box[4][3] = {{1, 2, 3}, {1.5, 2, 3}, {1, 3, 3}, {1, 2, 4.5}}; // edges 1, 2, 3
    const double ends[2][3] = {{0, 1, 0}, {0, 5, 0}}, middle[1][3] = {{1, -1, 2}};
    const sar_shape_def b = shape_of(SAR_SHAPE_BOX, 4, box, 0),
                        c = shape_of(SAR_SHAPE_CYLINDER, 2, ends, 0.5),
                        s = shape_of(SAR_SHAPE_SPHERE, 1, middle, 0.3);
    check(filled(m, 1, &b, 10), 60, box[0], (double[6]){65, 50, 25}, 1e-14);
    sar_model_destroy(m), m = sar_model_create("shapes", 3);
    const double M = 7 * PI;
    check(filled(m, 1, &c, 7), M, (double[3]){0, 3, 0},
          (double[6]){M * (0.75 / 12 + 16.0 / 12), M * 0.125, M * (0.75 / 12 + 16.0 / 12)}, 1e-14);
    sar_model_destroy(m), m = sar_model_create("shapes", 3);
    const double ball = 4 * PI / 3 * 0.027, I = 0.4 * ball * 0.09;
    check(filled(m, 1, &s, 1), ball, middle[0], (double[6]){I, I, I}, 1e-14);
    sar_model_destroy(m);
}

/* ---- sums over a lattice -------------------------------------------------------------------- */

static int in_capsule(const double x[3])
{
    static const double a[3] = {-0.4, -0.2, 0.1}, b[3] = {0.3, 0.4, -0.2}, r = 0.35;
    double along = 0, length = 0, gap = 0;
    for (int k = 0; k < 3; k++)
        along += (x[k] - a[k]) * (b[k] - a[k]), length += (b[k] - a[k]) * (b[k] - a[k]);
    const double s = fmin(1, fmax(0, along / length));
    for (int k = 0; k < 3; k++) gap += pow(x[k] - a[k] - s * (b[k] - a[k]), 2);
    return gap < r * r;
}

/* An angle of two legs in the plane z = 0.3. */
static int in_plate(const double x[3])
{
    const int low = x[0] > -0.5 && x[0] < 0.7 && x[1] > -0.6 && x[1] < -0.2;
    const int left = x[0] > -0.5 && x[0] < -0.1 && x[1] > -0.6 && x[1] < 0.8;
    return (low || left) && fabs(x[2] - 0.3) < 0.1;
}

static sar_body_def by_lattice(int (*inside)(const double x[3]))
{
    enum { N = 120 };
    const double h = 2.0 / N, V = h * h * h;
    sar_body_def sum = sar_body_def_default();
    double second[6] = {0};
    for (int i = 0; i < N * N * N; i++) {
        const double x[3] = {-1 + h * (i % N + 0.5), -1 + h * (i / N % N + 0.5),
                             -1 + h * (i / N / N + 0.5)};
        if (!inside(x)) continue;
        sum.mass += V;
        for (int k = 0; k < 3; k++) sum.center[k] += V * x[k], second[k] += V * x[k] * x[k];
        second[3] += V * x[0] * x[1], second[4] += V * x[0] * x[2], second[5] += V * x[1] * x[2];
    }
    double* c = sum.center;
    for (int k = 0; k < 3; k++) c[k] /= sum.mass;
    for (int k = 0; k < 3; k++) second[k] -= sum.mass * c[k] * c[k];
    second[3] -= sum.mass * c[0] * c[1], second[4] -= sum.mass * c[0] * c[2];
    second[5] -= sum.mass * c[1] * c[2];
    for (int k = 0; k < 3; k++)
        sum.inertia[k] = second[(k + 1) % 3] + second[(k + 2) % 3],
        sum.inertia[3 + k] = -second[3 + k];
    return sum;
}

static void check_lattice(int (*inside)(const double x[3]), const sar_shape_def* shape)
{
    sar_model* m = sar_model_create("shapes", 3);
    const sar_body_def sum = by_lattice(inside);
    check(filled(m, 1, shape, 1), sum.mass, sum.center, sum.inertia, 4e-3); // of the lattice
    sar_model_destroy(m);
}

static const double angle[6][3] = {{-0.5, -0.6, 0.3}, {0.7, -0.6, 0.3}, {0.7, -0.2, 0.3},
                                   {-0.1, -0.2, 0.3}, {-0.1, 0.8, 0.3}, {-0.5, 0.8, 0.3}};

TEST(lattices_agree)
{
    const double ends[2][3] = {{-0.4, -0.2, 0.1}, {0.3, 0.4, -0.2}};
    const sar_shape_def capsule = shape_of(SAR_SHAPE_CAPSULE, 2, ends, 0.35),
                        plate = shape_of(SAR_SHAPE_POLYGON, 6, angle, 0.1);
    check_lattice(in_capsule, &capsule);
    check_lattice(in_plate, &plate);
}

/* ---- shapes made of others ------------------------------------------------------------------ */

static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0},
                                    {0, 0, 3}, {1, 0, 3}, {1, 2, 3}, {0, 2, 3}};
static const int face[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

static sar_shape_def mesh_of(int triangles)
{
    sar_shape_def mesh = shape_of(SAR_SHAPE_MESH, 8, corner, 0);
    mesh.triangles = triangles, mesh.triangle = face;
    return mesh;
}

TEST(a_mesh_is_the_box_that_it_shows)
{
    sar_model *m = sar_model_create("mesh", 3), *n = sar_model_create("box", 3);
    const double box[4][3] = {{0.5, 1, 1.5}, {1, 1, 1.5}, {0.5, 2, 1.5}, {0.5, 1, 3}};
    const sar_shape_def mesh = mesh_of(12), open = mesh_of(11),
                        b = shape_of(SAR_SHAPE_BOX, 4, box, 0);
    const sar_body_def* want = filled(n, 1, &b, 2.5);
    check(filled(m, 1, &mesh, 2.5), want->mass, want->center, want->inertia, 1e-14);
    sar_model_destroy(m), m = sar_model_create("open", 3);
    sar_body_def def = sar_body_def_default();
    sar_body_id id;
    def.name = "open";
    CHECK_STATUS(sar_model_add_body(m, &def, &id, NULL), SAR_OK);
    CHECK_REFUSED(m, sar_model_set_density(m, id, 1, &error), "density", "no shape");
    CHECK_STATUS(sar_model_add_shape(m, id, &open, NULL), SAR_OK);
    CHECK_REFUSED(m, sar_model_set_density(m, id, 1, &error), "density", "not closed");
    CHECK_REFUSED(m, sar_model_set_density(m, id, -1, &error), "density", "positive");
    sar_model_destroy(m), sar_model_destroy(n);
}

/* In the plane: an angle is two boxes, a long capsule a box and a disc. */
TEST(areas_count_in_the_plane)
{
    sar_model *m = sar_model_create("angle", 2), *n = sar_model_create("boxes", 2);
    double flat[6][3];
    memcpy(flat, angle, sizeof flat);
    for (int k = 0; k < 6; k++) flat[k][2] = 0;
    const double low[4][3] = {{0.1, -0.4, 0}, {0.7, -0.4, 0}, {0.1, -0.2, 0}, {0.1, -0.4, 1}},
                 high[4][3] = {{-0.3, 0.3, 0}, {-0.1, 0.3, 0}, {-0.3, 0.8, 0}, {-0.3, 0.3, 1}};
    const sar_shape_def whole = shape_of(SAR_SHAPE_POLYGON, 6, (const double(*)[3])flat, 0),
                        two[2] = {shape_of(SAR_SHAPE_BOX, 4, low, 0),
                                  shape_of(SAR_SHAPE_BOX, 4, high, 0)};
    const sar_body_def* want = filled(n, 2, two, 3);
    check(filled(m, 1, &whole, 3), want->mass, want->center, want->inertia, 1e-14);
    sar_model_destroy(m), sar_model_destroy(n);

    m = sar_model_create("capsule", 2), n = sar_model_create("disc", 2);
    const double near[2][3] = {{-1e-9, 0, 0}, {1e-9, 0, 0}}, seen[2][3] = {{0, 0, -1}, {0, 0, 1}};
    const sar_shape_def capsule = shape_of(SAR_SHAPE_CAPSULE, 2, near, 0.5),
                        disc = shape_of(SAR_SHAPE_CYLINDER, 2, seen, 0.5);
    const sar_body_def* round = filled(n, 1, &disc, 3);
    CHECK_NEAR(round->inertia[2], 0.5 * round->mass * 0.25, 1e-15);
    check(filled(m, 1, &capsule, 3), round->mass, round->center, round->inertia, 1e-8);
    sar_model_destroy(m), sar_model_destroy(n);
}
