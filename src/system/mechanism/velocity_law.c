#include "system/mechanism/velocity_law.h"

#include "model/model.h"

#include <math.h>
#include <string.h>

/* Scalar of R_jc in the list of a spin that begins at `first`. */
static int entry(int first, int j, int c)
{
    return first + 3 * (j % 3) + c;
}

double sari_velocity_spin(int first, int i, const double* s, const double* ds)
{
    double w = 0.0;
    for (int c = 0; c < 3; c++) w += s[entry(first, i + 1, c)] * ds[entry(first, i + 2, c)];
    return w;
}

void sari_velocity_add_spin(int first, int i, double factor, double rate, const double* s,
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

void sari_velocity_linear(const sari_velocity_row* row, const double* s, const double* ds,
                          sari_velocity_value* out)
{
    (void)s, (void)ds;
    for (int j = 0; j < row->scalars; j++) out->a[j] = row->coefficient[j];
}

static void set_variables(const sari_velocity_row* row, double t, const double* s, const double* ds,
                          double* variables)
{
    variables[SARI_VARIABLE_T] = t;
    for (int i = 0; i < row->variables; i++) {
        const sari_velocity_variable* v = &row->variable[i];
        double x = s[v->at];
        if (v->level == 1) x = ds ? ds[v->at] : 0.0;
        if (v->level == SARI_VELOCITY_SPIN)
            x = ds ? sari_velocity_spin(v->at, v->component, s, ds) : 0.0;
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
                sari_velocity_add_spin(v->at, v->component, gradient[i], rate, s, ds, out);
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
    if (row->law)
        row->law(row, s, ds, out);
    else
        expression(row, t, s, ds, variables, direction, out);
}
