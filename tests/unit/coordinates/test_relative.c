/* Relative coordinates: which joints make up the tree, the same inertia as with all other
 * coordinates, and the way from places to coordinates and back. */
#include "neck_fixture.h"

#include "coordinates/tree.h"
#include "sarrus/simulation.h"

/* ---- random trees --------------------------------------------------------------------------- */

static int any_below(int n)
{
    const int k = (int)(0.5 * (any() + 1.0) * n);
    return k < n ? k : n - 1;
}

/* Any rotation; in the plane one about z. */
static void any_rotation(int dimension, double R[9])
{
    double x[3], y[3], along = 0.0, length = 0.0;
    any_direction(x);
    if (dimension == 2) {
        const double angle = 3.0 * any(), c = cos(angle), s = sin(angle);
        memcpy(R, (double[9]){c, -s, 0, s, c, 0, 0, 0, 1}, 9 * sizeof *R);
        return;
    }
    do {
        any_direction(y);
        along = dot(x, y, 3);
    } while (fabs(along) > 0.9);
    for (int k = 0; k < 3; k++) y[k] -= along * x[k];
    length = sqrt(dot(y, y, 3));
    for (int k = 0; k < 3; k++) R[3 * k] = x[k], R[3 * k + 1] = y[k] / length;
    for (int k = 0; k < 3; k++)
        R[3 * k + 2] =
            x[(k + 1) % 3] * y[(k + 2) % 3] / length - x[(k + 2) % 3] * y[(k + 1) % 3] / length;
}

static sar_body_id add_drawn_body(sar_model* model, int number)
{
    char name[16];
    sar_body_def def = sar_body_def_default();
    sar_body_id id;
    const int d = sar_model_dimension(model);
    snprintf(name, sizeof name, "b%d", number);
    def.name = name, def.mass = 2.0 + any();
    def.has_position = def.has_rotation = 1;
    for (int k = 0; k < d; k++) def.center[k] = any(), def.position[k] = any();
    for (int k = 0; k < 3; k++) def.inertia[k] = d == 3 || k == 2 ? 2.0 + 0.5 * any() : 0.0;
    for (int k = 3; k < 6; k++) def.inertia[k] = d == 3 ? 0.3 * any() : 0.0;
    any_rotation(d, def.rotation);
    CHECK_STATUS(sar_model_add_body(model, &def, &id, NULL), SAR_OK);
    return id;
}

static void drawn_end(int dimension, sar_body_id body, sar_end* end)
{
    end->body = body;
    any_direction(end->axis);
    for (int k = 0; k < dimension; k++) end->point[k] = any();
    if (dimension == 2) end->axis[2] = 0.0;
}

static int any_joint(sar_model* model, sar_joint_type type, sar_body_id a, sar_body_id b, int cut)
{
    char name[16];
    sar_joint_def def = sar_joint_def_default();
    sar_joint_id id;
    sar_error error = {0};
    const int d = sar_model_dimension(model);
    snprintf(name, sizeof name, "j%d", sar_model_joints(model));
    def.name = name, def.type = type, def.pitch = 0.4, def.distance = 1.0, def.cut = cut;
    drawn_end(d, a, &def.a), drawn_end(d, b, &def.b);
    if (d == 2 && (type == SAR_JOINT_REVOLUTE || type == SAR_JOINT_FIXED))
        for (int k = 0; k < 3; k++) def.a.axis[k] = def.b.axis[k] = k == 2;
    if (sar_model_add_joint(model, &def, &id, &error) != SAR_OK) fail_msg("%s", error.message);
    return id.i;
}

enum { FLOATS = -1 };

static const int SPATIAL[] = {
    SAR_JOINT_REVOLUTE,      SAR_JOINT_PRISMATIC,      SAR_JOINT_SPHERICAL,
    SAR_JOINT_UNIVERSAL,     SAR_JOINT_CYLINDRICAL,    SAR_JOINT_SCREW,
    SAR_JOINT_PLANAR,        SAR_JOINT_FIXED,          FLOATS,
    SAR_JOINT_POINT_ON_LINE, SAR_JOINT_POINT_ON_PLANE, SAR_JOINT_REVOLUTE};
static const int PLANAR[] = {SAR_JOINT_REVOLUTE, SAR_JOINT_PRISMATIC, SAR_JOINT_POINT_ON_LINE,
                             SAR_JOINT_FIXED, FLOATS};

enum { SPATIALS = sizeof SPATIAL / sizeof *SPATIAL, PLANARS = sizeof PLANAR / sizeof *PLANAR };

/* A body more, on any of those before it by a joint of the type, which leads there or from there.
 */
static void grow(sar_model* model, int type, int on, int back)
{
    sar_body_id from = {on}, b = add_drawn_body(model, sar_model_bodies(model));
    if (type == FLOATS) return;
    any_joint(model, (sar_joint_type)type, back ? b : from, back ? from : b, 0);
}

static sar_model* any_tree(int dimension, int bodies, int chain)
{
    sar_model* model = sar_model_create("random tree", dimension);
    for (int b = 0; b < bodies; b++) {
        const int type = dimension == 2 ? PLANAR[any_below(PLANARS)] : SPATIAL[any_below(SPATIALS)];
        grow(model, type, chain ? b : any_below(b + 1), any() > 0.0);
    }
    return model;
}

/* ---- places --------------------------------------------------------------------------------- */

/// A tree somewhere, moving somehow, and the motion of its bodies.
typedef struct scene {
    place p;
    const sari_tree* tree;
    const sari_mechanism* m;
    int nx; ///< of all bodies
    double *X, *Xd, *w;
} scene;

static scene scene_of(const sar_model* model)
{
    scene s = {.p = place_create(model, &sari_coordinates_relative)};
    s.tree = s.p.sys->coordinates.tree, s.m = s.p.sys->mechanism;
    CHECK(s.tree != NULL);
    s.nx = s.m->nx * s.m->bodies;
    s.X = vector(s.nx), s.Xd = vector(s.nx), s.w = vector(3 * s.m->bodies);
    return s;
}

static void scene_clear(scene* s)
{
    free(s->X), free(s->Xd), free(s->w);
    place_clear(&s->p);
}

/* Anywhere, not only near the drawing. */
static void scene_anywhere(scene* s)
{
    for (int i = 0; i < s->tree->nodes; i++) {
        const sari_tree_node* node = &s->tree->node[i];
        double* q = s->p.q + node->p;
        if (node->motion == SARI_BALL)
            for (int k = 0; k < 4; k++) q[k] = any();
        else
            *q = (node->motion == SARI_TURN ? 3.1 : 1.0) * any();
    }
    sari_coordinates_normalise(&s->p.sys->coordinates, s->p.q);
    for (int k = 0; k < s->p.n; k++) s->p.v[k] = any();
}

/* Motion of the bodies at (q, v). */
static void move_bodies(scene* s, const double* q, const double* v)
{
    sari_kinematics* k = s->p.sys->kinematics;
    sari_kinematics_update(k, q, v, 1);
    memcpy(s->X, k->X, (size_t)s->nx * sizeof *s->X);
    memcpy(s->Xd, k->Xd, (size_t)s->nx * sizeof *s->Xd);
    for (int b = 1; b < s->m->bodies; b++)
        sari_spin_of(s->m, s->X + s->m->nx * b, s->Xd + s->m->nx * b, s->w + 3 * b);
}

static void from_placement(sari_system* sys, const scene* s, double* q, double* v)
{
    sys->coordinates.ops->from_placement(&sys->coordinates, s->X, s->Xd, s->w, q, v);
}

/* ---- inertia -------------------------------------------------------------------------------- */

/* R: velocities in other coordinates for unit speeds in relative ones, column after column. The
 * kinetic energy is the same, so that M = R' M_other R. */
static void check_mass(scene* s, const double* M, const sari_coordinates_ops* ops)
{
    const int n = s->p.n;
    place other = place_create(s->p.sys->model, ops);
    double *R = vector(n * other.n), *MR = vector(other.n), *got = vector(n * n), *e = vector(n);
    for (int k = 0; k < n; k++) {
        e[k] = 1.0;
        move_bodies(s, s->p.q, e);
        from_placement(other.sys, s, other.q, R + k * other.n);
        e[k] = 0.0;
    }
    sari_equations_eval(&other.sys->equations, SARI_EVAL_MASS, 0.0, other.q, NULL);
    for (int k = 0; k < n; k++) {
        sari_equations_mass_times(&other.sys->equations, R + k * other.n, MR);
        for (int i = 0; i < n; i++) got[n * i + k] = dot(R + i * other.n, MR, other.n);
    }
    check_same(&other, "R'MR of a tree", n, n, M, got, 1e-12, 0.0);
    free(R), free(MR), free(got), free(e);
    place_clear(&other);
}

static void check_inertia(int dimension, int bodies, int chain)
{
    sar_model* model = any_tree(dimension, bodies, chain);
    scene s = scene_of(model);
    scene_anywhere(&s);
    sari_equations_eval(&s.p.sys->equations, SARI_EVAL_MASS, 0.0, s.p.q, NULL);
    double* M = dense_sym(&s.p.sys->M);
    check_mass(&s, M, &sari_coordinates_increments);
    check_mass(&s, M, &sari_coordinates_cartesian);
    CHECK(s.p.n < 3 || largest_of(M, s.p.n * s.p.n) > 0.0);
    free(M);
    scene_clear(&s);
    sar_model_destroy(model);
}

TEST(inertia_is_that_of_the_free_bodies)
{
    for (int round = 0; round < 20; round++) {
        check_inertia(3, 50, round % 4 == 3);
        check_inertia(2, 50, round % 4 == 3);
    }
}

/* ---- there and back ------------------------------------------------------------------------- */

/* Coordinates that are found for the places of bodies put them there again, and so for velocities.
 */
static void check_back(scene* s, double tolerance)
{
    place* p = &s->p;
    double *q = vector(p->sys->np), *v = vector(p->n), *X = vector(s->nx), *Xd = vector(s->nx);
    scene_anywhere(s);
    move_bodies(s, p->q, p->v);
    memcpy(X, s->X, (size_t)s->nx * sizeof *X), memcpy(Xd, s->Xd, (size_t)s->nx * sizeof *Xd);
    from_placement(p->sys, s, q, v);
    move_bodies(s, q, v);
    check_same(p, "placement", s->nx, 1, s->X, X, tolerance, 1.0);
    check_same(p, "motion", s->nx, 1, s->Xd, Xd, tolerance, 1.0);
    free(q), free(v), free(X), free(Xd);
}

/* The joints hold wherever the tree is: their conditions, written for free bodies, are met. */
static void check_conditions(scene* s)
{
    place other = place_create(s->p.sys->model, &sari_coordinates_increments);
    const sari_system* sys = other.sys;
    move_bodies(s, s->p.q, s->p.v);
    from_placement(other.sys, s, other.q, other.v);
    sari_equations_eval(&other.sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T, 0.0, other.q,
                        NULL);
    double *rate = vector(other.m), scale = 1.0 + largest_of(s->X, s->nx);
    sari_equations_phi_dot(&sys->equations, other.v, rate);
    scale = fmax(scale, largest_of(s->Xd, s->nx));
    for (int r = sys->own_rows; r < sys->own_rows + sys->polynomial_rows; r++) {
        CHECK_NEAR(sys->Phi[r], 0.0, 1e-12 * scale * scale);
        CHECK_NEAR(rate[r], 0.0, 1e-12 * scale * scale);
    }
    free(rate);
    place_clear(&other);
}

static void check_there_and_back(sar_model* model, double tolerance)
{
    scene s = scene_of(model);
    for (int k = 0; k < 5; k++) {
        check_back(&s, tolerance);
        check_conditions(&s);
    }
    CHECK(s.p.m == s.m->relations_count); // a screw's advance is all that is left
    scene_clear(&s);
    sar_model_destroy(model);
}

TEST(every_joint_leads_there_and_back)
{
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int k = 0; k < (dimension == 2 ? PLANARS : SPATIALS); k++)
            for (int way = 0; way < 4; way++) {
                const int type = dimension == 2 ? PLANAR[k] : SPATIAL[k];
                char name[64];
                snprintf(name, sizeof name, "type %d in %dD, way %d", type, dimension, way);
                sar_model* model = sar_model_create(name, dimension);
                grow(model, type, 0, way & 1);
                grow(model, type, 1, way & 2);
                check_there_and_back(model, 1e-12);
            }
}

TEST(trees_lead_there_and_back)
{
    for (int round = 0; round < 10; round++)
        for (int dimension = 2; dimension <= 3; dimension++)
            check_there_and_back(any_tree(dimension, 50, round % 2), 1e-11);
}

/* ---- the choice ----------------------------------------------------------------------------- */

/// What joints have become of.
typedef struct choice {
    sar_model* model;
    scene s;
} choice;

static choice choose(sar_model* model)
{
    return (choice){model, scene_of(model)};
}

static void choice_clear(choice* c)
{
    scene_clear(&c->s);
    sar_model_destroy(c->model);
}

static const sari_tree_joint* holder(const choice* c, int body)
{
    for (int k = 0; k < c->s.tree->joints; k++)
        if (c->s.tree->joint[k].child == body) return &c->s.tree->joint[k];
    fail_msg("body %d is not in the tree", body);
    return NULL;
}

static int in_tree(const choice* c, int joint)
{
    for (int k = 0; k < c->s.tree->joints; k++)
        if (c->s.tree->joint[k].joint == joint) return 1;
    return 0;
}

static int depth(const choice* c, int body)
{
    int n = 0;
    for (; body > 0; n++) body = holder(c, body)->parent;
    return n;
}

static void check_problem(const char* path, int coordinates, int cut)
{
    choice c = choose(load_model(path, NULL));
    int out = 0;
    for (int j = 0; j < sar_model_joints(c.model); j++) out += !in_tree(&c, j);
    CHECK(c.s.p.n == coordinates);
    CHECK(out == cut);
    CHECK(c.s.tree->joints == sar_model_bodies(c.model) - 1);
    choice_clear(&c);
}

TEST(a_loop_is_cut_once)
{
    check_problem(SARRUS_ROOT "/problems/four-bar/model.yaml", 3, 1);
    check_problem(SARRUS_ROOT "/problems/n-four-bar/model.yaml", 5, 2);
    check_problem(SARRUS_ROOT "/problems/bricard/model.yaml", 5, 1);
    check_problem(SARRUS_ROOT "/problems/ladder/model.yaml", 10, 4); // two hinges on the ground
    check_problem(SARRUS_ROOT "/problems/andrews/model.yaml", 7, 3);
}

/* bodies 1 ... n in a ring with the ground; joint k between bodies k and k + 1 */
static sar_model* ring(int n, const sar_joint_type* type, int cut)
{
    sar_model* model = sar_model_create("ring", 3);
    for (int b = 0; b < n; b++) add_drawn_body(model, b);
    for (int k = 0; k <= n; k++)
        any_joint(model, type[k], (sar_body_id){k}, (sar_body_id){k < n ? k + 1 : 0}, k == cut);
    return model;
}

TEST(of_equal_joints_the_farthest_is_cut)
{
    static const sar_joint_type hinges[8] = {0};
    CHECK(hinges[0] == SAR_JOINT_REVOLUTE);
    for (int n = 2; n <= 7; n++) {
        choice c = choose(ring(n, hinges, -1));
        for (int b = 1; b <= n; b++) CHECK(depth(&c, b) <= (n + 1) / 2);
        choice_clear(&c);
    }
}

TEST(the_joint_with_the_fewest_rows_is_cut)
{
    static const sar_joint_type few[] = {
        SAR_JOINT_SPHERICAL,     SAR_JOINT_UNIVERSAL,      SAR_JOINT_CYLINDRICAL, SAR_JOINT_PLANAR,
        SAR_JOINT_POINT_ON_LINE, SAR_JOINT_POINT_ON_PLANE, SAR_JOINT_DISTANCE};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        for (int at = 0; at < 4; at++) {
            sar_joint_type types[4] = {SAR_JOINT_REVOLUTE, SAR_JOINT_REVOLUTE, SAR_JOINT_PRISMATIC,
                                       SAR_JOINT_REVOLUTE};
            types[at] = few[i];
            choice c = choose(ring(3, types, -1));
            for (int k = 0; k < 4; k++) CHECK(in_tree(&c, k) == (k != at));
            CHECK(c.s.p.n == 3);
            choice_clear(&c);
        }
}

TEST(a_wish_to_cut_is_obeyed)
{
    static const sar_joint_type types[4] = {SAR_JOINT_REVOLUTE, SAR_JOINT_REVOLUTE,
                                            SAR_JOINT_SPHERICAL, SAR_JOINT_REVOLUTE};
    for (int cut = 0; cut < 4; cut++) {
        choice c = choose(ring(3, types, cut));
        for (int k = 0; k < 4; k++) CHECK(in_tree(&c, k) == (k != cut));
        CHECK(c.s.p.n == (cut == 2 ? 3 : 5));
        CHECK(c.s.p.m == (cut == 2 ? 3 : 5));
        choice_clear(&c);
    }
}

TEST(without_a_loop_nothing_is_cut)
{
    sar_model* model = sar_model_create("open", 3);
    sar_body_id a = add_drawn_body(model, 1), b = add_drawn_body(model, 2),
                c = add_drawn_body(model, 3);
    any_joint(model, SAR_JOINT_REVOLUTE, SAR_GROUND, a, 1);
    any_joint(model, SAR_JOINT_SPHERICAL, b, a, 1);
    any_joint(model, SAR_JOINT_PRISMATIC, b, c, 0);
    choice chosen = choose(model);
    for (int k = 0; k < 3; k++) CHECK(in_tree(&chosen, k));
    CHECK(chosen.s.p.n == 5 && chosen.s.p.m == 0);
    CHECK(holder(&chosen, b.i)->parent == a.i && holder(&chosen, c.i)->parent == b.i);
    choice_clear(&chosen);
}

/* Nothing at all, joints that have no coordinates, joints among each other only. */
TEST(what_nothing_holds_floats)
{
    sar_model* model = sar_model_create("floating", 3);
    sar_body_id b[6];
    for (int k = 0; k < 6; k++) b[k] = add_drawn_body(model, k);
    model->bodies[b[4].i].def.mass = 9.0; // the heaviest of its group is the base
    any_joint(model, SAR_JOINT_REVOLUTE, SAR_GROUND, b[0], 0);
    any_joint(model, SAR_JOINT_DISTANCE, SAR_GROUND, b[1], 0);
    any_joint(model, SAR_JOINT_SPHERICAL, b[3], b[4], 0);
    any_joint(model, SAR_JOINT_REVOLUTE, b[3], b[5], 0);
    choice c = choose(model);
    const int floats[6] = {0, 1, 1, 0, 1, 0};
    for (int k = 0; k < 6; k++) {
        const sari_tree_joint* j = holder(&c, b[k].i);
        CHECK((j->joint < 0) == floats[k]);
        CHECK(!floats[k] || (j->parent == 0 && j->count == 4));
    }
    CHECK(c.s.p.n == 1 + 6 + 6 + (6 + 3 + 1));
    CHECK(c.s.p.m == 1);
    CHECK(holder(&c, b[5].i)->parent == b[3].i && holder(&c, b[3].i)->parent == b[4].i);
    choice_clear(&c);
}

/* ---- seen by users -------------------------------------------------------------------------- */

static sar_simulation* simulate(const sar_model* model, const char* coordinates)
{
    sar_simulation* s = NULL;
    sar_error error = {0};
    sar_options options = sar_options_default();
    CHECK_STATUS(sar_options_set(&options, "coordinates", coordinates, NULL), SAR_OK);
    if (sar_simulation_create(model, &options, &s, &error) != SAR_OK) fail_msg("%s", error.message);
    return s;
}

TEST(users_see_the_tree)
{
    enum { MOST = 8 };
    static const sar_joint_type types[4] = {SAR_JOINT_SCREW, SAR_JOINT_UNIVERSAL,
                                            SAR_JOINT_POINT_ON_LINE, SAR_JOINT_SPHERICAL};
    sar_model* model = ring(3, types, 3);
    sar_tree_joint list[MOST], one = {.joint = 77};
    sar_simulation* s = simulate(model, "relative");
    CHECK(sar_simulation_tree(s, NULL, 0) == 4);
    CHECK(sar_simulation_tree(s, &one, 1) == 4 && one.joint == 0);
    CHECK(sar_simulation_tree(s, list, MOST) == 4);
    for (int k = 0; k < 3; k++) CHECK(list[k].joint == k && list[k].parent == k);
    for (int k = 0; k < 3; k++) CHECK(list[k].body == k + 1 && list[k].motions == 2);
    CHECK(list[0].motion[0] == SAR_TREE_SLIDE && list[0].motion[1] == SAR_TREE_TURN);
    CHECK(list[1].motion[0] == SAR_TREE_TURN && list[1].motion[1] == SAR_TREE_TURN);
    CHECK(list[2].motion[0] == SAR_TREE_SLIDE && list[2].motion[1] == SAR_TREE_BALL);
    CHECK(list[0].rows == 1 && list[1].rows == 0 && list[2].rows == 0); // the screw's advance
    CHECK(list[3].joint == 3 && list[3].parent == -1 && list[3].body == -1);
    CHECK(list[3].motions == 0 && list[3].rows == 3);
    sar_simulation_destroy(s);
    s = simulate(model, "cartesian");
    CHECK(sar_simulation_tree(s, list, MOST) == 0);
    sar_simulation_destroy(s);
    sar_model_destroy(model);
}

/* ---- repetition and memory ------------------------------------------------------------------ */

/* Everything at one state, after another state and in another system. */
TEST(same_state_same_bits)
{
    sar_model* model = any_tree(3, 50, 0);
    sar_model_set_gravity(model, (double[3]){0.3, -9.81, 0.2});
    scene s[2] = {scene_of(model), scene_of(model)};
    scene_anywhere(&s[0]);
    const int n = s[0].p.n;
    double *q = vector(s[0].p.sys->np), *v = vector(n), *first = NULL;
    memcpy(q, s[0].p.q, (size_t)s[0].p.sys->np * sizeof *q);
    memcpy(v, s[0].p.v, (size_t)n * sizeof *v);
    for (int round = 0; round < 4; round++) {
        sari_system* sys = s[round % 2].p.sys;
        sari_equations_eval(&sys->equations, SARI_EVAL_DYNAMICS | SARI_EVAL_TANGENT, 0.3, q, v);
        const int size[] = {sys->M.p[n], n, sys->nc, sys->Phi_q.p[sys->nc]};
        const double* part[] = {sys->M.x, sys->Q, sys->bias, sys->Phi_q.x};
        double* all = vector(size[0] + size[1] + size[2] + size[3]);
        int used = 0;
        for (int k = 0; k < 4; used += size[k++])
            memcpy(all + used, part[k], (size_t)size[k] * sizeof *all);
        if (!first) first = all;
        CHECK(memcmp(first, all, (size_t)used * sizeof *all) == 0);
        if (first != all) free(all);
        scene_anywhere(&s[round % 2]);
        sari_equations_eval(&sys->equations, SARI_EVAL_DYNAMICS, 0.1, s[round % 2].p.q,
                            s[round % 2].p.v);
    }
    free(q), free(v), free(first);
    scene_clear(&s[0]), scene_clear(&s[1]);
    sar_model_destroy(model);
}

typedef struct counter {
    long left, live;
} counter;

static void* some_memory(void* context, size_t bytes)
{
    counter* c = context;
    void* memory = c->left-- > 0 ? calloc(1, bytes ? bytes : 1) : NULL;
    c->live += memory != NULL;
    return memory;
}

static void release_memory(void* context, void* memory)
{
    ((counter*)context)->live -= memory != NULL;
    free(memory);
}

/* A loop, all kinds of motion, a floating body: whichever allocation fails, nothing is left. */
TEST(without_memory_nothing_is_left_behind)
{
    static const sar_joint_type types[5] = {SAR_JOINT_SCREW, SAR_JOINT_UNIVERSAL,
                                            SAR_JOINT_POINT_ON_LINE, SAR_JOINT_SPHERICAL,
                                            SAR_JOINT_REVOLUTE};
    sar_model* model = ring(4, types, -1);
    add_drawn_body(model, 9);
    sar_status status = SAR_E_NOMEM;
    for (long most = 0; status == SAR_E_NOMEM && most < 5000; most++) {
        counter count = {.left = most};
        const sar_allocator scarce = {some_memory, release_memory, &count};
        sari_system* sys = NULL;
        sar_set_allocator(&scarce);
        status = sari_system_create(model, &sari_coordinates_relative, &sys, NULL);
        CHECK((status == SAR_OK) == (sys != NULL));
        sari_system_destroy(sys);
        sar_set_allocator(NULL);
        CHECK(count.live == 0);
        CHECK(most > 20 || status == SAR_E_NOMEM);
    }
    CHECK_STATUS(status, SAR_OK);
    sar_model_destroy(model);
}
