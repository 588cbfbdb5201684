#include "linalg/tree/generated_kernels.h"

#include "base/memory.h"

#include <string.h>

/* ---- construction --------------------------------------------------------------------------- */

sari_generated* sari_generated_create(int nodes, int variables, int planar)
{
    sari_generated* g = SARI_NEW(sari_generated);
    if (!g) return NULL;
    *g = (sari_generated){.nodes = nodes, .variables = variables, .width = planar ? 3 : 6};
    g->turning = planar ? 1 : 3;
    g->node = SARI_TAKE(&g->memory, sari_generated_node, nodes);
    g->at = SARI_TAKE(&g->memory, sari_generator, nodes);
    g->diagonal = SARI_TAKE(&g->memory, double, variables);
    g->motion = SARI_TAKE(&g->memory, double, nodes * g->width);
    g->force = SARI_TAKE(&g->memory, double, nodes * g->width);
    if (!g->memory.failed) return g;
    sari_generated_destroy(g);
    return NULL;
}

sari_generated* sari_generated_copy(const sari_generated* from)
{
    sari_generated* g = sari_generated_create(from->nodes, from->variables, from->width == 3);
    if (!g) return NULL;
    g->sloped = from->sloped;
    memcpy(g->node, from->node, (size_t)g->nodes * sizeof *g->node);
    sari_generated_assign(g, from);
    if (!from->regularisation) return g;
    g->regularisation =
        sari_arena_copy(&g->memory, from->regularisation, (size_t)g->variables, sizeof(double));
    if (g->regularisation) return g;
    sari_generated_destroy(g);
    return NULL;
}

void sari_generated_destroy(sari_generated* g)
{
    if (!g) return;
    sari_arena_clear(&g->memory);
    sari_release(g);
}

void sari_generated_assign(sari_generated* to, const sari_generated* from)
{
    memcpy(to->at, from->at, (size_t)to->nodes * sizeof *to->at);
    memcpy(to->diagonal, from->diagonal, (size_t)to->variables * sizeof(double));
}

void sari_generated_archive(sari_generated* g, sari_archive* a)
{
    for (int k = 0; k < g->nodes; k++) {
        sari_generator* at = &g->at[k];
        sari_archive_numbers(a, at->arm, 3);
        sari_archive_numbers(a, &at->S[0][0], 18);
        sari_archive_numbers(a, at->A, 21);
        sari_archive_numbers(a, &at->slope[0][0], 9);
        sari_archive_numbers(a, at->own, 6);
    }
    sari_archive_numbers(a, g->diagonal, (size_t)g->variables);
}

double sari_generated_entry(const sari_generated* g, double slopes, int i, int c)
{
    static const int own[3] = {0, 2, 5};
    return g->diagonal[g->node[i].first + c] + slopes * g->at[i].own[own[c]];
}

/* ---- product -------------------------------------------------------------------------------- */

/* o x of a node, for its c-th variable */
static double own_part(const sari_generator* at, int count, int c, const double* x)
{
    static const int own[3][3] = {{0, 1, 3}, {1, 2, 4}, {3, 4, 5}};
    double sum = 0.0;
    for (int k = 0; k < count; k++) sum += at->own[own[c][k]] * x[k];
    return sum;
}

SARI_INLINE void multiply_add(const int w, const sari_generated* g, double slopes, const double* b,
                              double* y)
{
    const int turning = w / 2;
    for (int i = 0; i < g->nodes; i++) {
        const sari_generated_node* node = &g->node[i];
        const double* lower = g->at[i].A;
        double *U = g->motion + i * w, *F = g->force + i * w;
        sari_generated_carry(w, &g->at[i], node->count, b + node->first,
                             node->parent < 0 ? NULL : g->motion + node->parent * w, U);
        for (int k = 0; k < w; k++) F[k] = 0.0;
        for (int r = 0; r < w; r++) {
            double sum = 0.0;
            for (int c = 0; c < r; c++, lower++) sum += *lower * U[c], F[c] += *lower * U[r];
            F[r] += sum + *lower++ * U[r];
        }
    }
    for (int i = g->nodes - 1; i >= 0; i--) {
        const sari_generated_node* node = &g->node[i];
        const sari_generator* at = &g->at[i];
        const double* x = b + node->first;
        const double* U = node->parent < 0 ? NULL : g->motion + node->parent * w;
        double *F = g->force + i * w, *to = U ? g->force + node->parent * w : NULL;
        for (int c = 0; c < node->count; c++) {
            double sum = 0.0;
            for (int k = 0; k < w; k++) sum += at->S[c][k] * F[k];
            if (slopes != 0.0) sum += slopes * own_part(at, node->count, c, x);
            for (int k = 0; U && slopes != 0.0 && k < turning; k++) {
                sum += slopes * at->slope[c][k] * U[k];
                to[k] += slopes * at->slope[c][k] * x[c];
            }
            y[node->first + c] += sum;
        }
        if (!to) continue;
        sari_generated_shift(w, at->arm, 1, F);
        for (int k = 0; k < w; k++) to[k] += F[k];
    }
}

void sari_generated_multiply_add(const sari_generated* g, double slopes, const double* b, double* y)
{
    if (g->width == 3)
        multiply_add(3, g, slopes, b, y);
    else
        multiply_add(6, g, slopes, b, y);
}
