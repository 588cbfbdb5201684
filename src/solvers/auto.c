#include "solvers/solver.h"

#include <string.h>

const sari_solver_ops* const sari_solvers[] = {&sari_solver_dense, &sari_solver_sparse, NULL};

static const sari_solver_ops* choose(const sari_sym* pattern)
{
    (void)pattern;
    return &sari_solver_dense;
}

const sari_solver_ops* sari_solver_find(const char* name, const sari_sym* pattern)
{
    if (strcmp(name, "auto") == 0) return choose(pattern);
    for (int k = 0; sari_solvers[k]; k++)
        if (strcmp(name, sari_solvers[k]->name) == 0) return sari_solvers[k];
    return NULL;
}

sar_status sari_solver_create(const sari_solver_ops* ops, const sari_sym* pattern, sari_solver* out)
{
    *out = (sari_solver){.ops = ops};
    return ops->create(pattern, &out->self);
}

void sari_solver_clear(sari_solver* s)
{
    if (s->ops && s->self) s->ops->destroy(s->self);
    *s = (sari_solver){0};
}
