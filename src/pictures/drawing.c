/* Putting a drawing together, and reading it. */
#include "pictures/marks.h"

/* The axis of the world that is most against gravity. */
static void find_up(sar_drawing* d)
{
    const double* g = d->model->gravity;
    int k = d->model->dimension - 1;
    for (int i = 0; i < 3; i++)
        if (fabs(g[i]) > fabs(g[k])) k = i;
    d->up[k] = g[k] > 0.0 ? -1.0 : 1.0;
}

static void include(sar_drawing* d, const double place[3])
{
    for (int k = 0; k < 3; k++) {
        d->least[k] = fmin(d->least[k], place[k]);
        d->most[k] = fmax(d->most[k], place[k]);
    }
}

/* Origins at first, so that there is a size at all; then all points of the outlines. */
static void find_bounds(sar_drawing* d)
{
    const double origin[3] = {0};
    for (int row = 0; row < d->rows; row++)
        for (int b = 0; b < d->model->bodies_count; b++) {
            double place[3];
            const int points = d->outlines ? d->outlines[b].count : 0;
            for (int k = 0; k < points; k++) {
                sari_place_point(d, row, b, (const double*)d->outlines[b].points[k], place);
                include(d, place);
            }
            if (points || (b == 0 && d->outlines)) continue;
            sari_place_point(d, row, b, origin, place);
            include(d, place);
        }
    for (int k = 0; k < 3 && !(d->least[k] <= d->most[k]); k++) d->least[k] = d->most[k] = 0.0;
}

/* What marks cover, at some times from the start to the end. */
static void include_marks(sar_drawing* d)
{
    const int stride = d->rows > 8 ? (d->rows - 1) / 8 : 1;
    for (int m = 0; m < d->count; m++) {
        const sar_mark* mark = &d->marks[m];
        const int solid = mark->role == SAR_ROLE_BODY || mark->role == SAR_ROLE_GROUND;
        for (int k = 0; k < mark->count; k++)
            for (int row = 0; row < d->rows; row += stride) {
                double place[3], edge[3];
                const int body = k == 1 && mark->other >= 0 ? mark->other : mark->body;
                sari_place_point(d, row, body, mark->points[k], place);
                for (int e = -1; e <= 1; e += 2) {
                    for (int i = 0; i < 3; i++)
                        edge[i] = place[i] + (solid ? e * mark->radius : 0.0);
                    include(d, edge);
                }
            }
    }
}

static sar_status make(sar_drawing* d)
{
    for (int k = 0; k < 3; k++) d->least[k] = INFINITY, d->most[k] = -INFINITY;
    find_up(d);
    find_bounds(d);
    SARI_TRY(sari_outlines_find(d));
    for (int k = 0; k < 3; k++) d->least[k] = INFINITY, d->most[k] = -INFINITY;
    find_bounds(d);
    sari_draw_joints(d);
    sari_draw_forces(d);
    sari_draw_floors(d);
    sari_drop_made_up(d);
    sari_draw_bodies(d);
    include_marks(d);
    return d->arena.failed ? SAR_E_NOMEM : SAR_OK;
}

sar_status sar_drawing_create(const sar_model* model, const double* poses, int rows,
                              sar_drawing** out, sar_error* error)
{
    *out = NULL;
    if (rows < 1) return sari_fail(error, SAR_E_ARG, "rows", "a drawing needs a row of poses");
    for (size_t k = 0, n = (size_t)rows * (size_t)model->bodies_count * SAR_POSE; k < n; k++)
        if (!isfinite(poses[k]))
            return sari_fail(error, SAR_E_ARG, "poses", "a pose is not finite");
    sar_drawing* d = SARI_NEW(sar_drawing);
    if (!d) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    d->model = model;
    d->poses = poses;
    d->rows = rows;
    if (make(d) != SAR_OK) {
        sar_drawing_destroy(d);
        return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    }
    d->poses = NULL;
    *out = d;
    return SAR_OK;
}

void sar_drawing_destroy(sar_drawing* d)
{
    if (!d) return;
    for (int b = 0; d->outlines && b < d->model->bodies_count; b++)
        sari_release(d->outlines[b].points);
    sari_release(d->marks);
    sari_arena_clear(&d->arena);
    sari_release(d);
}

int sar_drawing_marks(const sar_drawing* d)
{
    return d->count;
}

const sar_mark* sar_drawing_mark(const sar_drawing* d, int k)
{
    return k >= 0 && k < d->count ? &d->marks[k] : NULL;
}

double sar_drawing_size(const sar_drawing* d)
{
    return d->size;
}

void sar_drawing_bounds(const sar_drawing* d, double min[3], double max[3])
{
    memcpy(min, d->least, sizeof d->least);
    memcpy(max, d->most, sizeof d->most);
}

void sar_drawing_up(const sar_drawing* d, double up[3])
{
    memcpy(up, d->up, sizeof d->up);
}

const char* sar_mark_kind_word(sar_mark_kind kind)
{
    static const char* const words[] = {
#define WORD(name, word) word,
        SAR_MARK_LIST(WORD)
#undef WORD
    };
    return words[kind];
}

const char* sar_mark_role_word(sar_mark_role role)
{
    static const char* const words[] = {
#define WORD(name, word) word,
        SAR_ROLE_LIST(WORD)
#undef WORD
    };
    return words[role];
}

const char* sar_style_word(sar_style style)
{
    static const char* const words[] = {
#define WORD(name, word) word,
        SAR_STYLE_LIST(WORD)
#undef WORD
    };
    return words[style];
}
