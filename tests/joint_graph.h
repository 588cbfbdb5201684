/* Matrices [P J'; J -D] of bodies and joints as they come: chains, trees, stars, ladders, grids.
 * The numbers are random, the same everywhere. For tests and benchmarks of solvers. */
#ifndef JOINT_GRAPH_H
#define JOINT_GRAPH_H

#include "linalg/solver.h"
#include "linalg/sym_tools.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPH_MOST = 4 };

/// Rows that meet up to four bodies; fewer: the rest is -1.
typedef struct graph_joint {
    int body[GRAPH_MOST];
    int rows;
    int like; ///< numbers of this joint: give two the same for a redundant one
} graph_joint;

typedef struct joint_graph {
    int bodies, size; ///< variables per body
    int joints, capacity;
    graph_joint* joint;
    int springs, spring_capacity;
    int (*spring)[2]; ///< pairs of bodies
    double D;
} joint_graph;

static inline joint_graph graph_of(int bodies, int size)
{
    return (joint_graph){.bodies = bodies, .size = size, .D = 1e-6};
}

static inline void graph_free(joint_graph* g)
{
    free(g->joint);
    free(g->spring);
}

static inline void graph_row(joint_graph* g, int a, int b, int c, int d, int rows)
{
    if (g->joints == g->capacity) {
        g->capacity = 2 * g->capacity + 8;
        g->joint = realloc(g->joint, sizeof *g->joint * (size_t)g->capacity);
    }
    g->joint[g->joints] = (graph_joint){{a, b, c, d}, rows, g->joints};
    g->joints++;
}

/// A joint between a and b; b = -1: to the ground.
static inline void graph_join(joint_graph* g, int a, int b, int rows)
{
    graph_row(g, a, b, -1, -1, rows);
}

static inline void graph_spring(joint_graph* g, int a, int b)
{
    if (g->springs == g->spring_capacity) {
        g->spring_capacity = 2 * g->spring_capacity + 8;
        g->spring = realloc(g->spring, sizeof *g->spring * (size_t)g->spring_capacity);
    }
    g->spring[g->springs][0] = a;
    g->spring[g->springs++][1] = b;
}

/* ---- shapes --------------------------------------------------------------------------------- */

static inline joint_graph graph_chain(int n, int size, int rows)
{
    joint_graph g = graph_of(n, size);
    for (int k = 0; k < n; k++) graph_join(&g, k, k - 1, rows);
    return g;
}

/// Body k hangs on body (k - 1) / branches.
static inline joint_graph graph_tree(int n, int branches, int size, int rows)
{
    joint_graph g = graph_of(n, size);
    for (int k = 0; k < n; k++) graph_join(&g, k, k ? (k - 1) / branches : -1, rows);
    return g;
}

/// n sections of two rails and a rung each: n loops.
static inline joint_graph graph_ladder(int n, int size, int rows)
{
    joint_graph g = graph_of(3 * n, size);
    for (int k = 0; k < n; k++) {
        for (int side = 0; side < 2; side++) {
            graph_join(&g, 3 * k + side, k ? 3 * (k - 1) + side : -1, rows);
            graph_join(&g, 3 * k + side, 3 * k + 2, rows);
        }
    }
    return g;
}

static inline joint_graph graph_grid(int width, int height, int size, int rows)
{
    joint_graph g = graph_of(width * height, size);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int k = y * width + x;
            if (x) graph_join(&g, k, k - 1, rows);
            if (y) graph_join(&g, k, k - width, rows);
        }
    graph_join(&g, 0, -1, rows);
    return g;
}

/* ---- the matrix ----------------------------------------------------------------------------- */

typedef struct graph_matrix {
    sari_sym A;
    sari_structure structure;
    int* block;
} graph_matrix;

// In (-1, 1), by three numbers.
static inline double graph_number(int a, int b, int c)
{
    uint64_t h = (uint64_t)(a + 1) * 0x9E3779B97F4A7C15u ^ (uint64_t)(b + 7) * 0xC2B2AE3D27D4EB4Fu ^
                 (uint64_t)(c + 3) * 0x165667B19E3779F9u;
    h ^= h >> 31, h *= 0xBF58476D1CE4E5B9u, h ^= h >> 29, h *= 0x94D049BB133111EBu, h ^= h >> 32;
    return (double)(int64_t)h / 9223372036854775808.0;
}

static inline void graph_pattern(const joint_graph* g, sari_pattern* p)
{
    const int size = g->size;
    for (int b = 0; b < g->bodies; b++)
        for (int i = 0; i < size; i++)
            for (int k = 0; k < i; k++) sari_pattern_add(p, b * size + i, b * size + k);
    for (int s = 0; s < g->springs; s++)
        for (int i = 0; i < size; i++)
            for (int k = 0; k < size; k++)
                sari_pattern_add(p, g->spring[s][0] * size + i, g->spring[s][1] * size + k);
    for (int j = 0, row = g->bodies * size; j < g->joints; row += g->joint[j++].rows)
        for (int e = 0; e < GRAPH_MOST; e++)
            for (int r = 0; g->joint[j].body[e] >= 0 && r < g->joint[j].rows; r++)
                for (int k = 0; k < size; k++)
                    sari_pattern_add(p, row + r, g->joint[j].body[e] * size + k);
}

// Bodies are diagonally dominant, springs K (x_a - x_b) with K = 1/2 on the diagonal and 0.1
// beside.
static inline void graph_values(const joint_graph* g, sari_sym* A)
{
    const int size = g->size;
    for (int b = 0; b < g->bodies; b++)
        for (int i = 0; i < size; i++)
            for (int k = 0; k <= i; k++)
                A->x[sari_sym_find(A, b * size + i, b * size + k)] =
                    i == k ? 1 + fabs(graph_number(b, i, i)) : 0.15 * graph_number(b, i, k);
    for (int s = 0; s < g->springs; s++)
        for (int i = 0; i < size; i++)
            for (int k = 0; k < size; k++) {
                const int a = g->spring[s][0] * size, b = g->spring[s][1] * size;
                const double stiffness = i == k ? 0.5 : 0.05;
                A->x[sari_sym_find(A, a + i, b + k)] -= stiffness;
                if (k > i) continue;
                A->x[sari_sym_find(A, a + i, a + k)] += stiffness;
                A->x[sari_sym_find(A, b + i, b + k)] += stiffness;
            }
    for (int j = 0, row = g->bodies * size; j < g->joints; row += g->joint[j++].rows)
        for (int r = 0; r < g->joint[j].rows; r++) {
            A->x[A->p[row + r]] = -g->D;
            for (int e = 0; e < GRAPH_MOST; e++)
                for (int k = 0; g->joint[j].body[e] >= 0 && k < size; k++)
                    A->x[sari_sym_find(A, row + r, g->joint[j].body[e] * size + k)] +=
                        graph_number(g->joint[j].like, 16 * r + e, k);
        }
}

static inline graph_matrix graph_make(const joint_graph* g, int threads)
{
    graph_matrix m = {0};
    const int primal = g->bodies * g->size;
    int n = primal;
    for (int j = 0; j < g->joints; j++) n += g->joint[j].rows;
    sari_pattern p;
    sari_pattern_init(&p, n, n);
    graph_pattern(g, &p);
    if (sari_pattern_make_sym(&p, &m.A) != SAR_OK) abort();
    sari_pattern_clear(&p);
    graph_values(g, &m.A);
    m.block = malloc(sizeof(int) * ((size_t)primal + 1));
    for (int v = 0; v < primal; v++) m.block[v] = v / g->size;
    m.structure = (sari_structure){primal, m.block, threads};
    return m;
}

static inline void graph_matrix_free(graph_matrix* m)
{
    sari_sym_clear(&m->A);
    free(m->block);
}

#endif
