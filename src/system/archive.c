/* What a system knows from step to step. Matrices and rows are those of the last evaluation: some methods go on
 * with them. Places of bodies are caches, and made anew. */
#include "system/attach.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

static void archive_angles(sari_kinematics* k, sari_archive* a)
{
    SARI_ARCHIVE_NUMBERS(a, &k->time, &k->counted);
    sari_archive_numbers(a, k->counted_q, (size_t)k->coordinates->np);
    for (int i = 0; i < k->scalars; i++) {
        sari_scalar* s = &k->scalar[i];
        if (s->kind != SARI_SCALAR_ANGLE && s->kind != SARI_SCALAR_CURVE) continue;
        SARI_ARCHIVE_NUMBERS(a, &s->last, &s->last_a, &s->last_b, &s->rate);
        sari_archive_numbers(a, k->slope[i], (size_t)k->scalar_depends[i].n);
    }
    if (sari_archive_reads(a)) k->placed = k->mapped = k->moving = k->tree_moving = 0;
}

static int is_same(const sar_end* x, const sar_end* y)
{
    return memcmp(x->point, y->point, sizeof x->point) == 0 &&
           memcmp(x->axis, y->axis, sizeof x->axis) == 0 &&
           memcmp(x->normal, y->normal, sizeof x->normal) == 0;
}

static void archive_attached(sari_system* s, sari_archive* a)
{
    for (int j = 0; j < s->model->joints_count; j++) {
        if (!s->model->joints[j].attaches) continue;
        const sar_joint_def* pair = &s->mechanism->pair[j];
        sar_end end = pair->a;
        double distance = pair->distance;
        sari_archive_end(a, &end);
        SARI_ARCHIVE_NUMBERS(a, &distance);
        if (!sari_archive_reads(a) || (is_same(&end, &pair->a) && distance == pair->distance))
            continue;
        if (sari_system_attach(s, j, &end, distance) != SAR_OK) a->failed = 1;
    }
}

void sari_archive_end(sari_archive* a, sar_end* end)
{
    sari_archive_numbers(a, end->point, 3);
    sari_archive_numbers(a, end->axis, 3);
    sari_archive_numbers(a, end->normal, 3);
}

void sari_system_archive(sari_system* s, sari_archive* a)
{
    const size_t n = (size_t)s->nq, m = (size_t)s->nc, tangent = (size_t)s->K.p[s->nq];
    double* const rows[] = {s->Phi, s->Phi_t, s->bias};
    long tangents = (long)s->tangents;
    archive_attached(s, a);
    archive_angles(s->kinematics, a);
    for (int i = 0; i < s->relation_rows; i++) SARI_ARCHIVE_NUMBERS(a, &s->relation[i].offset);
    SARI_ARCHIVE_LONGS(a, &tangents);
    s->tangents = (unsigned long)tangents;
    sari_archive_numbers(a, s->K.x, tangent);
    sari_archive_numbers(a, s->C.x, tangent);
    if (!s->constant_mass) sari_sym_archive(&s->M, a);
    if (!s->constant_force) sari_archive_numbers(a, s->Q, n);
    sari_archive_numbers(a, s->Phi_q.x, (size_t)s->Phi_q.p[s->nc]);
    for (int k = 0; k < 3; k++) sari_archive_numbers(a, rows[k], m);
    SARI_ARCHIVE_NUMBERS(a, &s->relation_t, &s->slack.gap);
    if (sari_archive_reads(a)) s->undefined.what = NULL;
}
