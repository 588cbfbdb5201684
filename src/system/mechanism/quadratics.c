#include "system/mechanism/quadratics.h"

#include "base/memory.h"
#include "base/status.h"
#include "system/mechanism/quadratics_kernels.h"

sar_status sari_quadratics_create(sari_quadratics* f, sari_arena* memory, int rows, int linear,
                                  int products)
{
    size_t entries = (size_t)linear + 2 * (size_t)products;
    *f = (sari_quadratics){
        .p = SARI_TAKE(memory, int, rows + 1),
        .row = SARI_TAKE(memory, struct sari_quadratic_row, rows),
        .entry = SARI_TAKE(memory, sari_quadratic_entry, entries),
        .h = SARI_TAKE(memory, int, entries + 1),
        .term = SARI_TAKE(memory, struct sari_second_derivative, 2 * (size_t)products),
    };
    return memory->failed ? SAR_E_NOMEM : SAR_OK;
}

static int place_of(const sari_quadratic_entry* list, int n, int i)
{
    int k = 0;
    while (k < n && list[k].i != i) k++;
    return k;
}

/* The row of H of entry e. */
static void add_terms(sari_quadratics* f, const sari_polynomials* p, int k, int e, int n)
{
    const struct sari_polynomial* row = &p->row[k];
    const sari_quadratic_entry* list = f->entry + f->p[f->rows];
    sari_quadratic_entry* entry = f->entry + e;
    int end = f->h[e];
    for (int t = row->product; t < row->product_end; t++) {
        const struct sari_product_term* product = &p->product[t];
        int i = product->i, j = product->j;
        if (i != entry->i && j != entry->i) continue;
        int other = i == entry->i ? j : i;
        double c = i == j ? 2.0 * product->c : product->c;
        f->term[end++] = (struct sari_second_derivative){c, other, place_of(list, n, other)};
    }
    f->h[e + 1] = end;
    entry->more = f->h[e] + 2 < end ? f->h[e] + 2 : end;
    entry->end = end;
    if (entry->more < end) f->row[f->rows].is_long = 1;
    for (int t = 0; t < 2; t++) {
        int there = f->h[e] + t < end;
        entry->x[t] = there ? f->term[f->h[e] + t].i : entry->i;
        entry->c[t] = there ? f->term[f->h[e] + t].c : 0.0;
    }
}

sar_status sari_quadratics_add(sari_quadratics* f, const sari_polynomials* p, int k)
{
    const struct sari_polynomial* row = &p->row[k];
    const int first = f->p[f->rows];
    sari_quadratic_entry* list = f->entry + first;
    int most = (row->linear_end - row->linear) + 2 * (row->product_end - row->product);
    int* variable = SARI_NEW_ARRAY(int, most);
    if (!variable) return SAR_E_NOMEM;
    int n = sari_polynomial_variables(p, k, variable, most);
    for (int e = 0; e < n; e++) list[e].i = variable[e];
    sari_release(variable);
    f->row[f->rows].c = row->c;
    f->row[f->rows].end = list + n;
    for (int t = row->linear; t < row->linear_end; t++)
        list[place_of(list, n, p->linear[t].i)].b += p->linear[t].c;
    for (int e = 0; e < n; e++) add_terms(f, p, k, first + e, n);
    f->rows++;
    f->p[f->rows] = first + n;
    return SAR_OK;
}

/* H_ij += c of the row whose entries are `list`. */
static int add_second(sari_quadratics* f, const sari_quadratic_entry* list, int n, int i, int j,
                      double c)
{
    int at = place_of(list, n, i);
    if (at == n) return 0;
    int e = (int)(list - f->entry) + at, t = f->h[e];
    while (t < f->h[e + 1] && f->term[t].i != j) t++;
    if (t == f->h[e + 1]) return 0;
    f->term[t].c += c;
    return 1;
}

static int set_terms(sari_quadratics* f, sari_quadratic_entry* list, int n,
                     const sari_polynomials* p, int k)
{
    for (int t = p->row[k].linear; t < p->row[k].linear_end; t++) {
        int at = place_of(list, n, p->linear[t].i);
        if (at == n) return 0;
        list[at].b += p->linear[t].c;
    }
    for (int t = p->row[k].product; t < p->row[k].product_end; t++) {
        int i = p->product[t].i, j = p->product[t].j;
        double c = p->product[t].c;
        if (!add_second(f, list, n, i, j, i == j ? 2.0 * c : c)) return 0;
        if (i != j && !add_second(f, list, n, j, i, c)) return 0;
    }
    return 1;
}

int sari_quadratics_set(sari_quadratics* f, int row, const sari_polynomials* p, int k)
{
    const int first = f->p[row], n = f->p[row + 1] - first;
    sari_quadratic_entry* list = f->entry + first;
    f->row[row].c = p->row[k].c;
    for (int e = 0; e < n; e++) list[e].b = 0.0;
    for (int t = f->h[first]; t < f->h[first + n]; t++) f->term[t].c = 0.0;
    if (!set_terms(f, list, n, p, k)) return 0;
    for (int e = 0; e < n; e++)
        for (int t = 0; t < 2 && f->h[first + e] + t < f->h[first + e + 1]; t++)
            list[e].c[t] = f->term[f->h[first + e] + t].c;
    return 1;
}

double sari_quadratics_value(const sari_quadratics* f, int r, const double* x)
{
    const sari_quadratic_entry* e = f->entry + f->p[r];
    double twice = 0.0;
    for (; e < f->row[r].end; e++)
        twice += x[e->i] * (e->b + (e->b + sari_quadratics_times(f, e, x, 1)));
    return f->row[r].c + 0.5 * twice; // (3)
}

SARI_INLINE double gradient(const sari_quadratics* f, const sari_quadratic_entry* e,
                            const sari_quadratic_entry* end, const double* x, const int is_long,
                            double* restrict g)
{
    double twice = 0.0;
    for (; e < end; e++) {
        double sum = e->b + sari_quadratics_times(f, e, x, is_long); // (2)
        *g++ = sum;
        twice += x[e->i] * (e->b + sum);
    }
    return twice;
}

void sari_quadratics_gradient(const sari_quadratics* f, int first, int end, const double* x,
                              double* restrict value, double* restrict g)
{
    const sari_quadratic_entry* e = f->entry + f->p[first];
    for (const struct sari_quadratic_row* row = f->row + first; row < f->row + end; row++) {
        const long n = row->end - e;
        const double twice = row->is_long ? gradient(f, e, row->end, x, 1, g)
                             : n == 4     ? gradient(f, e, e + 4, x, 0, g) // bars in the plane
                             : n == 2     ? gradient(f, e, e + 2, x, 0, g) // and to the ground
                                          : gradient(f, e, row->end, x, 0, g);
        *value++ = row->c + 0.5 * twice; // (3)
        g += row->end - e;
        e = row->end;
    }
}

void sari_quadratics_gradient_rate(const sari_quadratics* f, int first, int end, const double* v,
                                   double* restrict out)
{
    const sari_quadratic_entry* last = f->entry + f->p[end];
    for (const sari_quadratic_entry* e = f->entry + f->p[first]; e < last; e++)
        *out++ = sari_quadratics_times(f, e, v, 1);
}

SARI_INLINE double curvature(const sari_quadratics* f, const sari_quadratic_entry* e,
                             const sari_quadratic_entry* end, const double* v, const int is_long)
{
    double sum = 0.0;
    for (; e < end; e++) sum += v[e->i] * sari_quadratics_times(f, e, v, is_long);
    return sum; // (4)
}

void sari_quadratics_curvature(const sari_quadratics* f, int first, int end, const double* v,
                               double* restrict out)
{
    const sari_quadratic_entry* e = f->entry + f->p[first];
    for (const struct sari_quadratic_row* row = f->row + first; row < f->row + end; row++) {
        *out++ = row->is_long ? curvature(f, e, row->end, v, 1) : curvature(f, e, row->end, v, 0);
        e = row->end;
    }
}
