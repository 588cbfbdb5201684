#include "base/memory.h"
#include "base/status.h"
#include "studies/sweep_range.h"

#include <string.h>

/// More points than anyone waits for; also keeps products and files within bounds.
static const long most_points = 10000000;

typedef struct grid_axis {
    char* name;
    sari_range range;
} grid_axis;

struct sar_grid {
    grid_axis* axes;
    int count, capacity;
    long points;
};

sar_status sar_grid_create(sar_grid** out)
{
    *out = SARI_NEW(sar_grid);
    if (!*out) return SAR_E_NOMEM;
    (*out)->points = 1;
    return SAR_OK;
}

void sar_grid_destroy(sar_grid* g)
{
    if (!g) return;
    for (int k = 0; k < g->count; k++) {
        sari_release(g->axes[k].name);
        sari_range_clear(&g->axes[k].range);
    }
    sari_release(g->axes);
    sari_release(g);
}

static sar_status check_axis(const sar_grid* g, const grid_axis* a, sar_error* error)
{
    for (int k = 0; k < g->count; k++)
        if (strcmp(g->axes[k].name, a->name) == 0)
            return sari_fail(error, SAR_E_ARG, a->name, "%s is varied already", a->name);
    if (a->range.count > most_points / g->points)
        return sari_fail(error, SAR_E_ARG, a->name, "that makes more than %ld points", most_points);
    return SAR_OK;
}

static sar_status read_axis(const sar_grid* g, const char* text, grid_axis* a, sar_error* error)
{
    size_t length = strcspn(text, "=");
    if (length == 0 || !text[length] || !text[length + 1])
        return sari_fail(error, SAR_E_ARG, NULL,
                         "expected name=values, as in alpha=log:1e6:1e8.5:6");
    a->name = sari_allocate(length + 1, 1);
    if (!a->name) return SAR_E_NOMEM;
    memcpy(a->name, text, length);
    SARI_TRY(sari_range_read(text + length + 1, &a->range, error));
    return check_axis(g, a, error);
}

sar_status sar_grid_vary(sar_grid* g, const char* text, sar_error* error)
{
    grid_axis a = {0};
    sar_status st = read_axis(g, text, &a, error);
    if (st == SAR_OK && !sari_grow((void**)&g->axes, g->count, &g->capacity, sizeof a))
        st = SAR_E_NOMEM;
    if (st != SAR_OK) {
        if (st == SAR_E_NOMEM) sari_fail(error, st, NULL, "out of memory for the points");
        sari_release(a.name);
        sari_range_clear(&a.range);
        return st;
    }
    g->axes[g->count++] = a;
    g->points *= a.range.count;
    return SAR_OK;
}

int sar_grid_axes(const sar_grid* g)
{
    return g->count;
}

const char* sar_grid_name(const sar_grid* g, int axis)
{
    return g->axes[axis].name;
}

sar_scale sar_grid_scale(const sar_grid* g, int axis)
{
    return g->axes[axis].range.scale;
}

int sar_grid_count(const sar_grid* g, int axis)
{
    return g->axes[axis].range.count;
}

const char* sar_grid_text(const sar_grid* g, int axis, int k)
{
    return g->axes[axis].range.texts[k];
}

double sar_grid_value(const sar_grid* g, int axis, int k)
{
    return g->axes[axis].range.values[k];
}

long sar_grid_points(const sar_grid* g)
{
    return g->points;
}

void sar_grid_point(const sar_grid* g, long point, int* index)
{
    for (int k = g->count - 1; k >= 0; k--) {
        index[k] = (int)(point % g->axes[k].range.count);
        point /= g->axes[k].range.count;
    }
}
