/* Which joints hold what others hold too: states of self-stress, by the wrenches W of the rows (reactions.c). */
#include "base/memory.h"
#include "linalg/rank.h"
#include "simulation/reactions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double REDUNDANT =
    1e-13; ///< of the largest row: what others make up, but for rounding

/* W as a dense matrix, rows scaled to length 1 so that lengths and angles weigh alike. */
static void fill_dense(sari_reactions* r, const double* X, double* dense)
{
    int columns = r->W.cols;
    sari_reactions_fill_W(r, X);
    memset(dense, 0, (size_t)r->rows * (size_t)columns * sizeof(double));
    for (int row = 0; row < r->rows; row++) {
        double square = 0.0;
        for (int k = r->W.p[row]; k < r->W.p[row + 1]; k++) square += r->W.x[k] * r->W.x[k];
        double f = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
        for (int k = r->W.p[row]; k < r->W.p[row + 1]; k++)
            dense[columns * row + r->W.i[k]] = f * r->W.x[k];
    }
}

/* Which rows depend on earlier ones at a position: W' = Q R, columns in order, so that dependent
 * rows are combinations of the first `rank` in `order`. */
typedef struct dependence {
    sari_arena memory;
    int rank;
    int* order;
    double* R; ///< [6 bodies][rows]
} dependence;

/* `slack`: rows of a drawing with finite digits that are known to depend on others, more or less.
 */
static int find_dependence(sari_reactions* r, const double* X, int slack, dependence* d)
{
    enum { ROWS_MOST = 1200 }; // some seconds
    const int columns = r->W.cols;
    if (r->rows > ROWS_MOST) return 0;
    const size_t entries = (size_t)r->rows * (size_t)columns;
    double* dense = SARI_TAKE(&d->memory, double, entries);
    d->order = SARI_TAKE(&d->memory, int, r->rows);
    d->R = SARI_TAKE(&d->memory, double, entries);
    if (d->memory.failed) {
        sari_arena_clear(&d->memory);
        return 0;
    }
    fill_dense(r, X, dense);
    d->rank = r->rows + 1;
    for (double zero = 1e-9; d->rank > r->rows - slack && zero < 0.5; zero *= 10.0) {
        for (int row = 0; row < r->rows; row++)
            for (int c = 0; c < columns; c++) d->R[r->rows * c + row] = dense[columns * row + c];
        d->rank = sari_independent_columns(columns, r->rows, d->R, zero, d->order);
    }
    return 1;
}

/* A name more, if it is a new one. Returns how many there are. */
static int add_name(const char* name, const char** names, int most, int found)
{
    for (int i = 0; i < found && i < most; i++)
        if (names[i] == name) return found;
    if (found < most) names[found] = name;
    return found + 1;
}

int sari_reactions_redundant(sari_reactions* r, const double* X, int slack, const char** names,
                             int most)
{
    int found = 0;
    dependence d = {0};
    if (!find_dependence(r, X, slack, &d)) return -1;
    for (int k = d.rank; k < r->rows; k++)
        found = add_name(r->sys->model->joints[r->joint[d.order[k]]].name, names, most, found);
    sari_arena_clear(&d.memory);
    return found;
}

/* The state of self-stress that makes row `of` dependent, by back substitution in R: largest entry
 * of each joint into `share`, if it is larger than what is there. */
static void add_stress(const sari_reactions* r, const dependence* d, int of, double* c,
                       double* share)
{
    const int n = r->rows;
    for (int i = d->rank - 1; i >= 0; i--) {
        double sum = d->R[n * i + of];
        for (int k = i + 1; k < d->rank; k++) sum -= d->R[n * i + d->order[k]] * c[k];
        c[i] = sum / d->R[n * i + d->order[i]];
    }
    share[r->joint[of]] = fmax(share[r->joint[of]], 1.0);
    for (int i = 0; i < d->rank; i++) {
        double* to = &share[r->joint[d->order[i]]];
        *to = fmax(*to, fabs(c[i]));
    }
}

int sari_reactions_indeterminate(sari_reactions* r, const double* X, int slack, const char** names,
                                 int most)
{
    const double NOTHING = 1e-6; // rows have length 1: what is left of a joint without stress
    const sar_model* model = r->sys->model;
    int found = 0;
    dependence d = {0};
    if (!find_dependence(r, X, slack, &d)) return -1;
    double* c = SARI_TAKE(&d.memory, double, r->rows);
    double* share = SARI_TAKE(&d.memory, double, model->joints_count);
    if (d.memory.failed) found = -1;
    for (int k = d.rank; !found && k < r->rows; k++) add_stress(r, &d, d.order[k], c, share);
    for (int j = 0; found >= 0 && j < model->joints_count; j++)
        if (share[j] > NOTHING) found = add_name(model->joints[j].name, names, most, found);
    sari_arena_clear(&d.memory);
    return found;
}

void sari_reactions_weakest(sari_reactions* r, const double* X, int drop, char* text, size_t size)
{
    text[0] = 0;
    if (!r->dense || drop <= 0) return;
    int columns = r->W.cols, least = r->rows < columns ? r->rows : columns, rank = 0;
    fill_dense(r, X, r->dense);
    sari_left_vectors(r->rows, columns, r->dense, REDUNDANT, r->sigma, r->U, r->work);
    while (rank < least && r->sigma[rank] > 1e-9 * r->sigma[0]) rank++;
    double largest = 0.0;
    for (int row = 0; row < r->rows; row++)
        for (int k = rank > drop ? rank - drop : 0; k < rank; k++)
            largest = fmax(largest, fabs(r->U[least * row + k]));
    for (int j = 0; j < r->sys->model->joints_count; j++) {
        double part = 0.0;
        for (int row = 0; row < r->rows; row++)
            for (int k = rank > drop ? rank - drop : 0; r->joint[row] == j && k < rank; k++)
                part = fmax(part, fabs(r->U[least * row + k]));
        size_t used = strlen(text);
        if (part > 0.05 * largest && used + 1 < size)
            snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                     r->sys->model->joints[j].name);
    }
}
