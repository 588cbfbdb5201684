/* The contract of a joint type (elements/element.h), for all of them in the plane and in space: its
 * rows are independent in all coordinates, its motions are the null space of its conditions, its
 * coordinates can be observed and tell the motions apart, it attaches or refuses to. */
#include "linalg/rank.h"
#include "neck_fixture.h"
#include "sarrus/simulation.h"

enum { ABSENT = 1, LOOSE = 2 }; ///< not there at first and attaches; its second body drawn nowhere

typedef struct pair {
    const sari_joint_type* type;
    const sari_joint_form* form;
    int dimension, all; ///< freedoms of a body
    char label[100];
    sar_model* model;
} pair;

/* Two bodies and a joint from the heavier to the other, or back. The tree goes from the heavier. */
static pair pair_of(int type, int dimension, int back, int how)
{
    pair p = {.type = sari_joint_types[type], .dimension = dimension};
    p.form = dimension == 2 ? &p.type->plane : &p.type->space;
    p.all = dimension == 2 ? 3 : 6;
    snprintf(p.label, sizeof p.label, "%s, dimension %d%s", p.type->word, dimension,
             back ? ", from the second body" : "");
    p.model = sar_model_create("pair", dimension);
    sar_body_id heavy = add_any_body(p.model, "heavy"), light = add_any_body(p.model, "light");
    sari_body* bodies = p.model->bodies;
    bodies[heavy.i].def.mass = 5.0, bodies[light.i].def.mass = 3.0;
    if (how & LOOSE) bodies[light.i].def.has_position = bodies[light.i].def.has_rotation = 0;
    sar_joint_def def = sar_joint_def_default();
    def.type = (sar_joint_type)type, def.name = "joint";
    for (const sari_joint_size* size = p.type->size; size->word; size++)
        *sari_size_in(&def, size) = 0.7;
    if (p.type->curved) def.curve = any_curve();
    ends_of(p.model, &def, back ? light : heavy, back ? heavy : light);
    def.absent = def.attach_here = (how & ABSENT) != 0;
    sar_error error = {0};
    sar_status status = sar_model_add_joint(p.model, &def, NULL, &error);
    if (status == SAR_OK) return p;
    if (!(how & ABSENT) || !(p.type->on_velocities || p.type->locks))
        fail_msg("%s: %s", p.label, error.message);
    sar_model_destroy(p.model);
    p.model = NULL;
    return p;
}

static void with_all(int how, void (*check)(pair* p))
{
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int type = 0; type < SARI_JOINT_TYPES; type++)
            for (int back = 0; back < 2 && joint_exists(type, dimension); back++) {
                pair p = pair_of(type, dimension, back, how);
                check(&p);
                sar_model_destroy(p.model);
            }
}

/* ---- rows ----------------------------------------------------------------------------------- */

static int rows_of(const sar_model* model)
{
    sari_mechanism* m;
    CHECK_STATUS(sari_mechanism_create(model, NULL, &m, NULL), SAR_OK);
    int rows = m->relations_count + m->velocity_rows_count;
    for (int k = 0; k < m->conditions_count; k++)
        rows += m->conditions[k].poly_end - m->conditions[k].poly;
    sari_mechanism_destroy(m);
    return rows;
}

static sar_simulation* assembled(const pair* p, const char* coordinates)
{
    sar_options options = sar_options_default();
    sar_simulation* s;
    sar_error error = {0};
    options.end = 0.03, options.step = 0.005;
    sar_options_set(&options, "coordinates", coordinates, NULL);
    if (sar_simulation_create(p->model, &options, &s, &error) != SAR_OK)
        fail_msg("%s, %s: %s", p->label, coordinates, error.message);
    sar_assembly report;
    if (sar_simulation_assemble(s, &report) != SAR_OK)
        fail_msg("%s, %s: not assembled: %s", p->label, coordinates, sar_simulation_failure(s));
    return s;
}

static void check_rows(pair* p)
{
    const int rows = rows_of(p->model);
    CHECK(rows > 0 && rows <= p->all);
    for (int c = 0; sari_coordinates_types[c]; c++) {
        sar_simulation* s = assembled(p, sari_coordinates_types[c]->name);
        const sar_rank rank = sar_simulation_rank(s);
        if (rank.dof != 2 * p->all - rows || rank.redundant != 0)
            fail_msg("%s, %s: %d degrees of freedom, %d redundant, wanted %d and none", p->label,
                     sari_coordinates_types[c]->name, rank.dof, rank.redundant, 2 * p->all - rows);
        sar_simulation_destroy(s);
    }
}

TEST(rows_are_independent_in_all_coordinates)
{
    with_all(LOOSE, check_rows);
}

/* ---- motions -------------------------------------------------------------------------------- */

static int rank_of(int m, int n, const double* A)
{
    double *sigma = vector(m < n ? m : n), *work = vector((int)sari_svd_workspace(m, n));
    int rank = 0;
    sari_svd(m, n, A, sigma, NULL, NULL, work);
    while (rank < m && rank < n && sigma[rank] > 1e-6) rank++;
    free(sigma), free(work);
    return rank;
}

static void placement(place* p, double t, const double* q, const double* v, double* X)
{
    (void)t, (void)v;
    const sari_mechanism* m = p->sys->mechanism;
    sari_kinematics_update(p->sys->kinematics, q, NULL, 1);
    memcpy(X, p->sys->kinematics->X, (size_t)(m->nx * m->bodies) * sizeof *X);
}

/* A joint that is in the tree: wherever its motions lead its conditions are met, and these leave no
 * more than the motions. The others hang on all the motions of a free body. */
static void check_motions(pair* p)
{
    place at = place_create(p->model, &sari_coordinates_relative);
    const sari_mechanism* m = at.sys->mechanism;
    const int freedom = sari_motions_freedom(&p->form->motions);
    int rows = 0;
    for (int k = 0; k < m->conditions_count; k++)
        rows += m->conditions[k].poly_end - m->conditions[k].poly;
    if (rows + freedom != p->all) CHECK(freedom == 0);
    const int spans = rows + freedom == p->all;
    if (at.n != p->all + (spans ? freedom : p->all)) fail_msg("%s: %d coordinates", p->label, at.n);
    CHECK(sari_motions_freedom(&p->form->back) == (sari_form_symmetric(p->form) ? 0 : freedom));
    for (int k = 0; spans && k < 5; k++) {
        place_anywhere(&at);
        for (int i = 0; i < m->conditions_count; i++)
            for (int j = m->conditions[i].poly; j < m->conditions[i].poly_end; j++) {
                const double left = sari_polynomial_value(&m->poly, j, at.sys->kinematics->X);
                if (!(fabs(left) < 1e-13))
                    fail_msg("%s: condition %d, row %d is %g", p->label, i, j, left);
            }
        double* T = vector(m->nx * m->bodies * at.n);
        jacobian_of(placement, &at, 0, m->nx * m->bodies, T);
        CHECK(rank_of(m->nx * m->bodies, at.n, T) == at.n);
        free(T);
    }
    place_clear(&at);
}

TEST(motions_are_what_conditions_leave)
{
    with_all(0, check_motions);
}

/* ---- coordinates ---------------------------------------------------------------------------- */

static const char* const WORDS[] = {"angle", "displacement", "distance", "angle2", "displacement2"};

static void signals(place* p, double t, const double* q, const double* v, double* out)
{
    (void)t, (void)v;
    sari_kinematics_update(p->sys->kinematics, q, NULL, 1);
    for (int k = 0; k < p->sys->model->signals_count; k++) {
        sari_scalar_value value = {0};
        sari_scalar_eval(p->sys->kinematics, p->sys->mechanism->signal_scalar[k], 0, &value);
        out[k] = value.value;
    }
}

static void check_coordinates(pair* p)
{
    int shown = 0;
    for (int c = 0; c < 5; c++) {
        char name[32], text[64];
        snprintf(name, sizeof name, "out_%s", WORDS[c]);
        snprintf(text, sizeof text, "joint.%s", WORDS[c]);
        const int shows = sari_type_shows(p->type, (sar_coordinate)c);
        const sar_status status = sar_model_add_output(p->model, name, text, NULL);
        if ((status == SAR_OK) != shows) fail_msg("%s: %s is %d", p->label, text, (int)status);
        shown += shows;
    }
    CHECK(shown == p->type->coordinates);
    for (int c = 0; sari_coordinates_types[c]; c++) {
        place at = place_create(p->model, sari_coordinates_types[c]);
        double* slopes = vector(shown * at.n);
        place_anywhere(&at);
        jacobian_of(signals, &at, 0, shown, slopes);
        if (shown && rank_of(shown, at.n, slopes) != shown)
            fail_msg("%s: its coordinates depend on each other", at.label);
        free(slopes);
        place_clear(&at);
    }
}

TEST(coordinates_can_be_observed_and_are_independent)
{
    with_all(0, check_coordinates);
}

/* ---- phases --------------------------------------------------------------------------------- */

static void check_attaching(pair* p)
{
    if (!p->model) return; // it refuses, as it should
    CHECK(!p->type->on_velocities && !p->type->locks);
    sar_phase_def phase = sar_phase_def_default();
    const sar_joint_id joint = {0};
    phase.at = 0.01, phase.adds = 1, phase.add = &joint;
    CHECK_STATUS(sar_model_add_phase(p->model, &phase, NULL), SAR_OK);
    for (int c = 0; sari_coordinates_types[c]; c++) {
        const char* coordinates = sari_coordinates_types[c]->name;
        sar_simulation* s = assembled(p, coordinates);
        while (!sar_simulation_done(s)) {
            const sar_status status = sar_simulation_advance(s);
            if (status < 0)
                fail_msg("%s, %s: status %d: %s", p->label, coordinates, (int)status,
                         sar_simulation_failure(s));
        }
        const sar_switch* done;
        CHECK(sar_simulation_switches(s, &done) == 1);
        CHECK_AT_MOST(done->moved + done->turned, 1e-9);
        sar_simulation_destroy(s);
    }
}

TEST(joints_attach_where_they_are_or_refuse)
{
    with_all(ABSENT, check_attaching);
}
