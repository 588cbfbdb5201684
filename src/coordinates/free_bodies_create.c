/* Which rows of Phi_q the conditions of the joints become, and where their entries are. */
#include "base/memory.h"
#include "base/status.h"
#include "coordinates/free_bodies.h"
#include "math/vec3.h"

static sari_free_end end_of(const sari_mechanism* m, const sar_end* from, const double* axis)
{
    sari_free_end e = {.body = from->body.i, .at = -1};
    const double* center = m->model->bodies[e.body].def.center;
    for (int k = 0; k < 3; k++) {
        e.point[k] = from->point[k] - (e.body ? center[k] : 0.0);
        e.axis[k] = axis ? axis[k] : 0.0;
    }
    return e;
}

/* Where the columns of the row's bodies are, and what never changes in them. */
static int locate(sari_free_row* r, const sari_csr* Phi_q)
{
    sari_free_end* end[2] = {&r->a, &r->b};
    const int first = Phi_q->p[r->row];
    r->width = Phi_q->p[r->row + 1] - first;
    for (int e = 0; e < 2; e++) {
        if (!end[e]->body) continue;
        for (int k = 0; k < r->width; k++)
            if (Phi_q->i[first + k] == 6 * (end[e]->body - 1)) end[e]->at = first + k;
        if (end[e]->at < 0) return 0;
        for (int k = 0; r->kind == SARI_FREE_POINTS && k < 3; k++)
            Phi_q->x[end[e]->at + r->width * k + k] = e ? 1.0 : -1.0;
    }
    return 1;
}

static void add(sari_free* s, sari_free_kind kind, const sari_condition* c, const double* u,
                const double* w, int* row)
{
    sari_free_row* r = &s->rows[s->count++];
    *r = (sari_free_row){.kind = kind, .row = *row};
    r->a = end_of(s->mechanism, &c->a, u);
    r->b = end_of(s->mechanism, &c->b, w);
    r->constant = kind == SARI_FREE_DISTANCE ? c->distance * c->distance : c->distance;
    *row += kind == SARI_FREE_POINTS ? 3 : 1;
}

/* The same rows in the same order as the polynomials of mechanism.c. */
static void add_condition(sari_free* s, const sari_condition* c, int* row)
{
    double n[3], o[3];
    switch (c->kind) {
    case SARI_NO_CONDITION:
        break;
    case SARI_COINCIDE:
        add(s, SARI_FREE_POINTS, c, NULL, NULL, row);
        break;
    case SARI_PARALLEL:
        sari_perpendiculars(s->mechanism, &c->b, n, o);
        add(s, SARI_FREE_DOT, c, c->a.axis, n, row);
        add(s, SARI_FREE_DOT, c, c->a.axis, o, row);
        break;
    case SARI_SAME_ORIENTATION:
        sari_cross(c->b.axis, c->b.normal, o);
        add(s, SARI_FREE_DOT, c, c->a.axis, c->b.normal, row);
        add(s, SARI_FREE_DOT, c, c->a.axis, o, row);
        add(s, SARI_FREE_DOT, c, c->a.normal, o, row);
        break;
    case SARI_ON_LINE:
        sari_across_line(s->mechanism, c, n, o);
        add(s, SARI_FREE_OFFSET, c, n, NULL, row);
        add(s, SARI_FREE_OFFSET, c, o, NULL, row);
        break;
    case SARI_ON_PLANE:
    case SARI_AT_HEIGHT:
        add(s, SARI_FREE_OFFSET, c, c->a.axis, NULL, row);
        break;
    case SARI_PERPENDICULAR:
        add(s, SARI_FREE_DOT, c, c->a.axis, c->b.axis, row);
        break;
    case SARI_DISTANCE:
        add(s, SARI_FREE_DISTANCE, c, NULL, NULL, row);
        break;
    }
}

/* J = tr(P) 1 - P of the second moments P */
static void set_inertia(sari_free* s, int b)
{
    const double* P = s->mechanism->second_moment + 9 * b;
    double* J = s->inertia + 9 * b;
    for (int k = 0; k < 9; k++) J[k] = (k % 4 == 0 ? P[0] + P[4] + P[8] : 0.0) - P[k];
    s->gyroscopic[b] = J[0] != J[4] || J[4] != J[8] || J[1] != 0.0 || J[2] != 0.0 || J[5] != 0.0;
    s->gyroscopic[0] |= s->gyroscopic[b];
}

/* The rows that meet every body. */
static sar_status list_incidence(sari_free* s, sari_arena* memory)
{
    int* first = s->incident = SARI_TAKE(memory, int, s->mechanism->bodies + 2);
    s->incidence = SARI_TAKE(memory, int, 2 * s->count);
    if (memory->failed) return SAR_E_NOMEM;
    for (int k = 0; k < 2 * s->count; k++)
        first[(k % 2 ? s->rows[k / 2].b : s->rows[k / 2].a).body + 2]++;
    for (int b = 1; b < s->mechanism->bodies + 2; b++) first[b] += first[b - 1];
    for (int k = 0; k < 2 * s->count; k++) // first[b + 1] moves on to where b + 1 begins
        s->incidence[first[(k % 2 ? s->rows[k / 2].b : s->rows[k / 2].a).body + 1]++] = k;
    return SAR_OK;
}

/* Rows of joined points have one translation of each body, those of directions none. */
static sar_status list_zeros(sari_free* s, const sari_csr* Phi_q, sari_arena* memory)
{
    s->zero = SARI_TAKE(memory, char, Phi_q->p[Phi_q->rows]);
    if (!s->zero) return SAR_E_NOMEM;
    for (int i = 0; i < s->count; i++) {
        const sari_free_row* r = &s->rows[i];
        const int at[2] = {r->a.at, r->b.at};
        for (int e = 0; e < 2; e++)
            for (int k = 0; at[e] >= 0 && k < 9; k++) {
                if (r->kind == SARI_FREE_POINTS && k / 3 != k % 3)
                    s->zero[at[e] + r->width * (k / 3) + k % 3] = 1;
                if (r->kind == SARI_FREE_DOT && k < 3) s->zero[at[e] + k] = 1;
            }
    }
    return SAR_OK;
}

/* All entries but those of the translations in joined points. */
static sar_status list_varying(sari_free* s, const sari_csr* Phi_q, sari_arena* memory)
{
    const int entries = Phi_q->p[Phi_q->rows];
    char* fixed = SARI_NEW_ARRAY(char, entries);
    s->varying = SARI_TAKE(memory, int, entries);
    for (int i = 0; fixed && i < s->count; i++) {
        const sari_free_row* r = &s->rows[i];
        const int at[2] = {r->a.at, r->b.at};
        for (int e = 0; e < 2 && r->kind == SARI_FREE_POINTS; e++)
            for (int k = 0; at[e] >= 0 && k < 9; k++) fixed[at[e] + r->width * (k / 3) + k % 3] = 1;
    }
    for (int k = 0; fixed && s->varying && k < entries; k++)
        if (!fixed[k]) s->varying[s->varying_count++] = k;
    sar_status st = fixed && s->varying ? SAR_OK : SAR_E_NOMEM;
    sari_release(fixed);
    return st;
}

int sari_free_rewrite(sari_free* s, const sari_csr* Phi_q, int first)
{
    int row = first;
    s->count = 0;
    for (int k = 0; k < s->mechanism->conditions_count; k++)
        add_condition(s, &s->mechanism->conditions[k], &row);
    for (int i = 0; i < s->count; i++)
        if (!locate(&s->rows[i], Phi_q)) return 0;
    return 1;
}

sar_status sari_free_create(const sari_coordinates* c, const sari_csr* Phi_q, int first,
                            sari_arena* memory, sari_free** out)
{
    const sari_mechanism* m = c->mechanism;
    sari_free* s = *out = SARI_TAKE(memory, sari_free, 1);
    if (!s) return SAR_E_NOMEM;
    s->mechanism = m;
    s->threads = 1;
    s->rows = SARI_TAKE(memory, sari_free_row, m->poly.count);
    s->inertia = SARI_TAKE(memory, double, 9 * m->bodies);
    s->gyroscopic = SARI_TAKE(memory, char, m->bodies);
    s->turns = SARI_TAKE(memory, int, m->bodies);
    if (memory->failed) return SAR_E_NOMEM;
    for (int b = 1; b < m->bodies; b++) set_inertia(s, b);
    for (int b = 1; b < m->bodies; b++) s->turns[b - 1] = c->body[b].q[3];
    if (!sari_free_rewrite(s, Phi_q, first)) return SAR_E_ARG;
    SARI_TRY(list_incidence(s, memory));
    SARI_TRY(list_zeros(s, Phi_q, memory));
    return list_varying(s, Phi_q, memory);
}
