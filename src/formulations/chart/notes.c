/* Places of the last step in the numbers of the next: with the q, v and T of a place, which are the
 * same in every chart, and x(q) and A(q) of the present one,
 *
 *     z = V'G x,   dz/dt = V'G A v,   T~ = A T (V'G A T)^-1,   T~'G T~ = C C',   u = C' dz/dt   (1)
 *
 * T~ = V + W D are the tangents as (4) of chart.c has them at this base, and C is that of (6) there. */
#include "formulations/chart/chart.h"

#include "linalg/cholesky.h"

#include <math.h>
#include <string.h>

void sari_chart_take_notes(sari_chart* c, sari_arena* memory, int d)
{
    for (int k = 0; k < SARI_FIRST_ORDER_NOTES; k++)
        c->note[k] = (sari_chart_note){.q = SARI_TAKE(memory, double, c->np),
                                       .v = SARI_TAKE(memory, double, c->n),
                                       .T = SARI_TAKE(memory, double, (size_t)c->n*(size_t)d)};
}

void sari_chart_take_note(void* self, int k)
{
    sari_chart* c = self;
    sari_chart_note* note = &c->note[k];
    note->valid = !c->bridged; // q is that of the last place across, then
    if (!note->valid) return;
    memcpy(note->q, c->q, (size_t)c->np * sizeof(double));
    memcpy(note->v, c->v, (size_t)c->n * sizeof(double));
    memcpy(note->T, c->at.T, (size_t)(c->n * c->d) * sizeof(double));
}

/* X = A X, n x k, where q is that of the note. */
static void apply_turn_map(sari_chart* c, const double* q, int k, double* X)
{
    const sari_coordinates* space = c->sys->space;
    for (int j = 0; c->turns && j < k; j++) {
        for (int i = 0; i < c->n; i++) c->work.vector[i] = X[i * k + j];
        sari_coordinates_position_rates(space, q, c->work.vector, c->work.position);
        sari_coordinates_velocities(space, c->base.q, c->work.position, c->work.vector);
        int next = 0; // only turns change their meaning
        for (int b = 0; b < c->turns; b++)
            for (next = c->turn[b]; next < c->turn[b] + 3; next++)
                X[next * k + j] = c->work.vector[next];
    }
}

/* u = C' zd, where C C' = T'GT. 0: the tangents cannot be distinguished. */
static int quasi_velocities(sari_chart* c, const double* T, const double* zd, double* u)
{
    const int n = c->n, d = c->d;
    double *C = c->C, *GT = c->work.Dd;
    for (int j = 0; j < d; j++) {
        for (int i = 0; i < n; i++) c->work.vector[i] = T[i * d + j];
        c->engine->metric_times(c, c->work.vector, GT);
        for (int k = 0; k <= j; k++) {
            double sum = 0.0;
            for (int i = 0; i < n; i++) sum += GT[i] * T[i * d + k];
            C[j * d + k] = sum;
        }
    }
    if (sari_cholesky(d, C, 0.0) > 0) return 0;
    for (int j = 0; j < d; j++) {
        u[j] = 0.0;
        for (int k = j; k < d; k++) u[j] += C[k * d + j] * zd[k];
    }
    return 1;
}

int sari_chart_recall(void* self, int k, double* y)
{
    sari_chart* c = self;
    const sari_chart_note* note = &c->note[k];
    const int n = c->n, d = c->d;
    double *x = c->x, *T = c->work.Z, *zd = c->zdd;
    if (!note->valid) return 0;
    for (int i = 0; i < c->np; i++) c->work.position[i] = note->q[i] - c->base.q[i];
    sari_coordinates_velocities(c->sys->space, c->base.q, c->work.position, x);
    sari_chart_quasi_velocities(c, x, y);
    memcpy(x, note->v, (size_t)n * sizeof(double));
    apply_turn_map(c, note->q, 1, x);
    sari_chart_quasi_velocities(c, x, zd);
    memcpy(y + d, zd, (size_t)d * sizeof(double));
    if (c->mv) return 1; // u is dz/dt
    memcpy(T, note->T, (size_t)(n * d) * sizeof(double));
    apply_turn_map(c, note->q, d, T);
    return sari_chart_normalise(c, T) && quasi_velocities(c, T, zd, y + d);
}
