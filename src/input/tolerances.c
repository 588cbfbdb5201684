/* Numbers with tolerances: {value: 0.3, tolerance: 1e-4}. */
#include "base/memory.h"
#include "input/reader.h"

#include <stdio.h>

/* A dimension is known by its node. Returns by what it is changed. */
static double note_dimension(sari_reader* r, const sari_node* node, const char* what, double value,
                             double tolerance)
{
    sari_dimensions* d = &r->files->dimensions;
    int k = 0;
    while (k < d->count && d->node[k] != node) k++;
    if (k == d->count) {
        char name[160];
        void *at = d->at, *nodes = (void*)d->node;
        const bool grown = sari_grow(&at, d->count, &d->capacity, sizeof *d->at);
        d->at = at;
        const bool more = sari_grow(&nodes, d->count, &d->node_capacity, sizeof *d->node);
        d->node = nodes;
        snprintf(name, sizeof name, "%.100s, line %d", what, node->place.line);
        char* copy = grown && more ? sari_copy_string(name) : NULL;
        if (!copy) {
            sari_fail_memory(r);
            return 0.0;
        }
        d->node[d->count] = node;
        d->at[d->count++] = (sar_dimension){.name = copy};
    }
    d->at[k].value = value;
    d->at[k].tolerance = tolerance;
    return d->changed == node ? d->change : 0.0;
}

/* {value: 0.3, tolerance: 1e-4}; instead: another value, NULL: none */
static double read_dimension(sari_reader* r, const sari_node* node, const char* what,
                             const double* instead)
{
    const sari_node *value = sari_node_get(node, "value"),
                    *allowed = sari_node_get(node, "tolerance");
    if (!value || !allowed || node->count != 2) {
        sari_report(r, node, "%s with a tolerance is {value: NUMBER, tolerance: NUMBER}", what);
        return 0.0;
    }
    const double tolerance = sari_read_number(r, allowed, "tolerance");
    const sari_dimension kind = r->measured;
    const double given = sari_read_number(r, value, what), number = instead ? *instead : given;
    char found[96], wanted[96];
    if (!(tolerance >= 0.0)) sari_report(r, allowed, "a tolerance must not be negative");
    if (sari_dimension_contradicts(kind, r->measured))
        sari_report(r, allowed, "tolerance: %s expected, as its value is, not %s",
                    sari_dimension_describe(r->measured, wanted, sizeof wanted),
                    sari_dimension_describe(kind, found, sizeof found));
    return number + note_dimension(r, node, what, number, tolerance);
}

bool sari_has_tolerance(const sari_node* node)
{
    return node->kind == SARI_NODE_MAP && sari_node_get(node, "tolerance");
}

double sari_read_toleranced(sari_reader* r, const sari_node* node, const char* what)
{
    return read_dimension(r, node, what, NULL);
}

double sari_keep_tolerance(sari_reader* r, const sari_node* node, const char* what, double value)
{
    if (!sari_has_tolerance(node)) return value;
    const sari_dimension measured = r->measured;
    const double changed = read_dimension(r, node, what, &value);
    r->measured = measured;
    return changed;
}
