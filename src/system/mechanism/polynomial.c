#include "system/mechanism/polynomial.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

int sari_affine_add(sari_affine* a, double s, int index)
{
    if (s == 0.0) return 1;
    int k = 0;
    while (k < a->n && a->index[k] != index) k++;
    if (k == a->n) {
        if (k == SARI_AFFINE_TERMS) return 0;
        a->index[k] = index;
        a->coefficient[k] = 0.0;
        a->n++;
    }
    a->coefficient[k] += s;
    return 1;
}

int sari_affine_accumulate(sari_affine* a, double s, const sari_affine* b)
{
    a->c += s * b->c;
    for (int k = 0; k < b->n; k++)
        if (!sari_affine_add(a, s * b->coefficient[k], b->index[k])) return 0;
    return 1;
}

int sari_affine_equal(const sari_affine* a, const sari_affine* b)
{
    double scale = 1.0;
    for (int k = 0; k < a->n; k++) scale = fmax(scale, fabs(a->coefficient[k]));
    sari_affine d = *a;
    if (!sari_affine_accumulate(&d, -1.0, b)) return 0;
    if (fabs(d.c) > 1e-12 * fmax(1.0, fabs(a->c))) return 0;
    for (int k = 0; k < d.n; k++)
        if (fabs(d.coefficient[k]) > 1e-12 * scale) return 0;
    return 1;
}

void sari_polynomials_clear(sari_polynomials* p)
{
    sari_release(p->row);
    sari_release(p->linear);
    sari_release(p->product);
    memset(p, 0, sizeof *p);
}

int sari_polynomials_new(sari_polynomials* p)
{
    if (!sari_grow((void**)&p->row, p->count, &p->count_capacity, sizeof *p->row)) return -1;
    p->row[p->count] = (struct sari_polynomial){0.0, p->linear_count, p->linear_count,
                                                p->product_count, p->product_count};
    return p->count++;
}

int sari_polynomials_add_constant(sari_polynomials* p, double c)
{
    p->row[p->count - 1].c += c;
    return 1;
}

static int add_linear(sari_polynomials* p, double c, int i)
{
    if (c == 0.0) return 1;
    struct sari_polynomial* row = &p->row[p->count - 1];
    for (int k = row->linear; k < row->linear_end; k++)
        if (p->linear[k].i == i) {
            p->linear[k].c += c;
            return 1;
        }
    if (!sari_grow((void**)&p->linear, p->linear_count, &p->linear_capacity, sizeof *p->linear))
        return 0;
    p->linear[p->linear_count++] = (struct sari_linear_term){c, i};
    row->linear_end++;
    return 1;
}

static int add_product(sari_polynomials* p, double c, int i, int j)
{
    if (c == 0.0) return 1;
    if (i > j) {
        int swap = i;
        i = j, j = swap;
    }
    struct sari_polynomial* row = &p->row[p->count - 1];
    for (int k = row->product; k < row->product_end; k++)
        if (p->product[k].i == i && p->product[k].j == j) {
            p->product[k].c += c;
            return 1;
        }
    if (!sari_grow((void**)&p->product, p->product_count, &p->product_capacity, sizeof *p->product))
        return 0;
    p->product[p->product_count++] = (struct sari_product_term){c, i, j};
    row->product_end++;
    return 1;
}

int sari_polynomials_add_affine(sari_polynomials* p, double s, const sari_affine* a)
{
    sari_polynomials_add_constant(p, s * a->c);
    for (int k = 0; k < a->n; k++)
        if (!add_linear(p, s * a->coefficient[k], a->index[k])) return 0;
    return 1;
}

int sari_polynomials_add_product(sari_polynomials* p, double s, const sari_affine* a,
                                 const sari_affine* b)
{
    sari_polynomials_add_constant(p, s * a->c * b->c);
    for (int k = 0; k < a->n; k++)
        if (!add_linear(p, s * a->coefficient[k] * b->c, a->index[k])) return 0;
    for (int k = 0; k < b->n; k++)
        if (!add_linear(p, s * b->coefficient[k] * a->c, b->index[k])) return 0;
    for (int k = 0; k < a->n; k++)
        for (int l = 0; l < b->n; l++)
            if (!add_product(p, s * a->coefficient[k] * b->coefficient[l], a->index[k],
                             b->index[l]))
                return 0;
    return 1;
}

int sari_polynomial_is_zero(const sari_polynomials* p, int k, double scale)
{
    const struct sari_polynomial* row = &p->row[k];
    double tolerance = 1e-12 * scale;
    if (fabs(row->c) > tolerance) return 0;
    for (int i = row->linear; i < row->linear_end; i++)
        if (fabs(p->linear[i].c) > tolerance) return 0;
    for (int i = row->product; i < row->product_end; i++)
        if (fabs(p->product[i].c) > tolerance) return 0;
    return 1;
}

/* Terms that cancelled but for rounding would spoil the sparsity: drop them. */
static void drop_cancelled(sari_polynomials* p, double scale)
{
    struct sari_polynomial* row = &p->row[p->count - 1];
    int kept = row->linear;
    for (int k = row->linear; k < row->linear_end; k++)
        if (fabs(p->linear[k].c) > 1e-14 * scale) p->linear[kept++] = p->linear[k];
    row->linear_end = p->linear_count = kept;
    kept = row->product;
    for (int k = row->product; k < row->product_end; k++)
        if (fabs(p->product[k].c) > 1e-14 * scale) p->product[kept++] = p->product[k];
    row->product_end = p->product_count = kept;
}

int sari_polynomial_substitute(const sari_polynomials* p, int k, const sari_affine* map,
                               sari_polynomials* out)
{
    int made = sari_polynomials_new(out);
    if (made < 0) return -1;
    const struct sari_polynomial* row = &p->row[k];
    double scale = 0.0;
    sari_polynomials_add_constant(out, row->c);
    for (int i = row->linear; i < row->linear_end; i++) {
        scale = fmax(scale, fabs(p->linear[i].c));
        if (!sari_polynomials_add_affine(out, p->linear[i].c, &map[p->linear[i].i])) return -1;
    }
    for (int i = row->product; i < row->product_end; i++) {
        const struct sari_product_term* t = &p->product[i];
        scale = fmax(scale, fabs(t->c));
        if (!sari_polynomials_add_product(out, t->c, &map[t->i], &map[t->j])) return -1;
    }
    drop_cancelled(out, scale);
    return made;
}

int sari_polynomial_assign(sari_polynomials* p, int k, const sari_polynomials* from, int l)
{
    struct sari_polynomial* row = &p->row[k];
    const struct sari_polynomial* source = &from->row[l];
    const int linear = source->linear_end - source->linear;
    const int products = source->product_end - source->product;
    const int last = k + 1 == p->count;
    if (row->linear + linear > (last ? p->linear_count : row[1].linear)) return 0;
    if (row->product + products > (last ? p->product_count : row[1].product)) return 0;
    row->c = source->c;
    row->linear_end = row->linear + linear;
    row->product_end = row->product + products;
    for (int i = 0; i < linear; i++) p->linear[row->linear + i] = from->linear[source->linear + i];
    for (int i = 0; i < products; i++)
        p->product[row->product + i] = from->product[source->product + i];
    return 1;
}

static int insert_sorted(int* list, int n, int most, int value)
{
    int k = 0;
    while (k < n && list[k] < value) k++;
    if (k < n && list[k] == value) return n;
    if (n < most) {
        for (int m = n; m > k; m--) list[m] = list[m - 1];
        list[k] = value;
    }
    return n + 1;
}

int sari_polynomial_variables(const sari_polynomials* p, int k, int* list, int most)
{
    const struct sari_polynomial* row = &p->row[k];
    int n = 0;
    for (int i = row->linear; i < row->linear_end && n <= most; i++)
        n = insert_sorted(list, n, most, p->linear[i].i);
    for (int i = row->product; i < row->product_end && n <= most; i++) {
        n = insert_sorted(list, n, most, p->product[i].i);
        n = insert_sorted(list, n, most, p->product[i].j);
    }
    return n;
}

double sari_polynomial_value(const sari_polynomials* p, int k, const double* x)
{
    const struct sari_polynomial* row = &p->row[k];
    double value = row->c;
    for (int i = row->linear; i < row->linear_end; i++) value += p->linear[i].c * x[p->linear[i].i];
    for (int i = row->product; i < row->product_end; i++)
        value += p->product[i].c * x[p->product[i].i] * x[p->product[i].j];
    return value;
}
