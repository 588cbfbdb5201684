/* A particle is a body that nothing turns and whose orientation nothing knows: its points are its
 * centre, and no direction of it is used. The polynomials of the mechanism show it: none that a row
 * or a force is made of may contain the axes of a particle, but those of the joint that holds it.
 * Loads, which have no polynomials, are checked where they are added. */
#include "base/status.h"
#include "model/parts.h"
#include "system/mechanism/mechanism.h"

/* The particle whose axes variable i of the placements belongs to; 0: none. */
static int particle_at(const sari_mechanism* m, int i)
{
    const int body = i / m->nx, axes = m->dimension;
    return i % m->nx >= axes && m->model->bodies[body].def.particle ? body : 0;
}

static int in_polynomial(const sari_mechanism* m, int k)
{
    const struct sari_polynomial* row = &m->poly.row[k];
    int found = 0;
    for (int t = row->linear; t < row->linear_end && !found; t++)
        if (m->poly.linear[t].c != 0.0) found = particle_at(m, m->poly.linear[t].i);
    for (int t = row->product; t < row->product_end && !found; t++) {
        const struct sari_product_term* term = &m->poly.product[t];
        if (term->c == 0.0) continue;
        found = particle_at(m, term->i);
        if (!found) found = particle_at(m, term->j);
    }
    return found;
}

static int in_flow(const sari_mechanism* m, const sari_flow* flow)
{
    int found = 0;
    for (int k = 0; k < 2 * flow->terms && !found; k++) found = in_polynomial(m, flow->poly[k]);
    return found;
}

static int in_scalar(const sari_mechanism* m, int number);

static int in_composite(const sari_mechanism* m, const sari_composite* composite)
{
    int found = 0;
    for (int k = 0; k < composite->terms && !found; k++) found = in_scalar(m, composite->scalar[k]);
    return found;
}

static int in_scalar(const sari_mechanism* m, int number)
{
    const sari_scalar* s = &m->scalars[number];
    if (s->kind == SARI_SCALAR_STATE) return 0;
    if (s->kind == SARI_SCALAR_COMPOSITE) return in_composite(m, &m->composites[s->a]);
    if (s->kind == SARI_SCALAR_FLOW) return in_flow(m, &m->flows[s->a]);
    const int found = in_polynomial(m, s->a);
    return found || !sari_scalar_has_two(s) ? found : in_polynomial(m, s->b);
}

static sar_status refuse(const sari_mechanism* m, int particle, const char* kind, const char* name,
                         sar_error* error)
{
    return sari_fail(error, SAR_E_MODEL, name,
                     "\"%s\" is a particle, which does not rotate, but %s \"%s\" turns it, or "
                     "depends on how it is turned; make it a body with an inertia",
                     m->model->bodies[particle].name, kind, name);
}

static sar_status check_joints(const sari_mechanism* m, sar_error* error)
{
    for (int c = 0; c < m->conditions_count; c++) {
        const sari_condition* condition = &m->conditions[c];
        int found = 0;
        if (sari_holds_particle(m->model, condition->joint)) continue;
        for (int k = condition->poly; k < condition->poly_end && !found; k++)
            found = in_polynomial(m, k);
        if (found)
            return refuse(m, found, "the joint", m->model->joints[condition->joint].name, error);
    }
    for (int r = 0; r < m->relations_count; r++) {
        const sari_relation* relation = &m->relations[r];
        int found = 0;
        for (int k = 0; k < relation->terms && !found; k++)
            found = in_scalar(m, relation->scalar[k]);
        if (found)
            return refuse(m, found, "the condition", m->model->joints[relation->joint].name, error);
    }
    for (int r = 0; r < m->velocity_rows_count; r++) {
        const sari_velocity_row* row = &m->velocity_rows[r];
        int found = 0;
        for (int k = 0; k < row->scalars && !found; k++) found = in_scalar(m, row->scalar[k]);
        if (found)
            return refuse(m, found, "the condition", m->model->joints[row->joint].name, error);
    }
    return SAR_OK;
}

static sar_status check_forces(const sari_mechanism* m, sar_error* error)
{
    for (int t = 0; t < SARI_FORCE_TYPES; t++) {
        const sari_force_list* list = &m->model->forces[t];
        const int n = sari_force_scalars(sari_force_types[t], m->dimension);
        for (int i = 0; i < n * list->count; i++) {
            const int scalar = m->force_scalar[t][i], found = scalar < 0 ? 0 : in_scalar(m, scalar);
            if (found) return refuse(m, found, "the force", list->at[i / n].name, error);
        }
    }
    return SAR_OK;
}

sar_status sari_mechanism_check_particles(const sari_mechanism* m, sar_error* error)
{
    int particles = 0;
    for (int b = 1; b < m->bodies; b++) particles += m->model->bodies[b].def.particle != 0;
    if (particles == 0) return SAR_OK;
    SARI_TRY(check_joints(m, error));
    return check_forces(m, error);
}
