#include "system/velocity_law.h"

#include "model/model.h"

#include <math.h>
#include <string.h>

/* Scalar of R_jc in the list of a spin that begins at `first`. */
static int entry(int first, int j, int c)
{
    return first + 3 * (j % 3) + c;
}

/* (3) */
static double spin(int first, int i, const double* s, const double* ds)
{
    double w = 0.0;
    for (int c = 0; c < 3; c++) w += s[entry(first, i + 1, c)] * ds[entry(first, i + 2, c)];
    return w;
}

/* The row gets `factor` times a spin; `rate` is how fast the factor changes. */
static void add_spin(int first, int i, double factor, double rate, const double* s,
                     const double* ds, sari_velocity_value* out)
{
    for (int c = 0; c < 3; c++) {
        const int j = entry(first, i + 1, c), k = entry(first, i + 2, c);
        out->a[k] += factor * s[j];
        if (!ds) continue;
        out->by_s[j] += factor * ds[k];
        out->a_rate[k] += rate * s[j] + factor * ds[j];
    }
}

/* (1): sign = -1 along t1, with W_2 and e_2; +1 along t2, with W_1 and e_1 */
static void roll(const sari_velocity_row* row, const double* s, const double* ds,
                 sari_velocity_value* out)
{
    enum { R = 1 };
    const double sign = row->along ? 1.0 : -1.0, f = sign * row->radius;
    const int w = row->along ? 0 : 1, across = entry(R, w, 2), normal = entry(R, 2, 2);
    out->a[0] = 1.0;
    if (!row->disc) {
        add_spin(R, w, f, 0.0, s, ds, out);
        return;
    }
    const double e = s[across], e3 = s[normal], sigma = sqrt(1.0 - e3 * e3);
    const double by_e = f * e3 / sigma, by_e3 = f * e / (sigma * sigma * sigma);
    double turn_rate = 0.0, twist_rate = 0.0; // of the factors of W_w and W_3
    if (ds) {
        turn_rate = -f * e3 / sigma * ds[normal];
        twist_rate = by_e * ds[across] + by_e3 * ds[normal];
        const double W = spin(R, w, s, ds), W3 = spin(R, 2, s, ds);
        out->by_s[across] += by_e * W3;
        out->by_s[normal] += by_e3 * W3 - f * e3 / sigma * W;
    }
    add_spin(R, w, f * sigma, turn_rate, s, ds, out);
    add_spin(R, 2, f * e3 * e / sigma, twist_rate, s, ds, out);
}

static void glide(const double* s, const double* ds, sari_velocity_value* out)
{
    enum { C1, C2, U1, U2 };
    out->a[C2] = s[U1];
    out->a[C1] = -s[U2];
    if (!ds) return;
    out->by_s[U1] = ds[C2];
    out->by_s[U2] = -ds[C1];
    out->a_rate[C2] = ds[U1];
    out->a_rate[C1] = -ds[U2];
}

static void set_variables(const sari_velocity_row* row, double t, const double* s, const double* ds,
                          double* variables)
{
    variables[SARI_VARIABLE_T] = t;
    for (int i = 0; i < row->variables; i++) {
        const sari_velocity_variable* v = &row->variable[i];
        double x = s[v->at];
        if (v->level == 1) x = ds ? ds[v->at] : 0.0;
        if (v->level == SARI_VELOCITY_SPIN) x = ds ? spin(v->at, v->component, s, ds) : 0.0;
        variables[v->variable] = x;
    }
}

/* How fast the coefficient of rate or spin k changes: the mixed second derivative by it and along
 * the motion of everything else. The row is linear in rates, so that this is a quarter of the
 * difference of two second derivatives along straight lines, exactly. */
static double coefficient_rate(const sari_velocity_row* row, const double* ds,
                               const double* variables, double* direction, int k)
{
    double after[3], before[3];
    direction[SARI_VARIABLE_T] = 1.0;
    for (int i = 0; i < row->variables; i++) {
        const sari_velocity_variable* v = &row->variable[i];
        direction[v->variable] = v->level == 0 ? ds[v->at] : 0.0;
    }
    direction[row->variable[k].variable] = 1.0;
    sari_expression_series_along(row->value, variables, direction, after);
    direction[row->variable[k].variable] = -1.0;
    sari_expression_series_along(row->value, variables, direction, before);
    return 0.25 * (after[2] - before[2]);
}

static void expression(const sari_velocity_row* row, double t, const double* s, const double* ds,
                       double* variables, double* direction, sari_velocity_value* out)
{
    double gradient[SARI_FORCE_VARIABLES];
    const int* used;
    set_variables(row, t, s, ds, variables);
    out->b = sari_expression_gradient(row->value, variables, gradient);
    const int n = sari_expression_variables(row->value, &used);
    for (int i = 0, k = 0; i < n; i++) {
        if (used[i] == SARI_VARIABLE_T) {
            out->by_t = gradient[i];
            continue;
        }
        const sari_velocity_variable* v = &row->variable[k];
        if (v->level == 0) {
            if (ds) out->by_s[v->at] += gradient[i];
        } else {
            const double rate = ds ? coefficient_rate(row, ds, variables, direction, k) : 0.0;
            out->b -= gradient[i] * variables[v->variable];
            if (v->level == SARI_VELOCITY_SPIN) {
                add_spin(v->at, v->component, gradient[i], rate, s, ds, out);
            } else {
                out->a[v->at] += gradient[i];
                if (ds) out->a_rate[v->at] += rate;
            }
        }
        k++;
    }
}

void sari_velocity_law(const sari_velocity_row* row, double t, const double* s, const double* ds,
                       double* variables, double* direction, sari_velocity_value* out)
{
    const size_t bytes = (size_t)row->scalars * sizeof(double);
    out->b = out->by_t = 0.0;
    memset(out->a, 0, bytes);
    if (ds) memset(out->by_s, 0, bytes), memset(out->a_rate, 0, bytes);
    switch (row->kind) {
    case SARI_VELOCITY_LINEAR:
        for (int j = 0; j < row->scalars; j++) out->a[j] = row->coefficient[j];
        break;
    case SARI_VELOCITY_ROLL:
        roll(row, s, ds, out);
        break;
    case SARI_VELOCITY_GLIDE:
        glide(s, ds, out);
        break;
    case SARI_VELOCITY_EXPRESSION:
        expression(row, t, s, ds, variables, direction, out);
        break;
    }
}
