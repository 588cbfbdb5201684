/* A formulation of a plug-in behind the contracts of formulations: it is shown the equations at a state, and
 * answers with accelerations, or with corrections of an implicit step. */
#include "base/status.h"
#include "plugins/plugins.h"
#include "simulation/equations/equations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct plugged {
    sari_arena memory;
    const sar_plugin_formulation* plugin;
    sari_equations* system;
    sar_equations equations;
    sar_equations_view view;
    void* own; ///< object of the plug-in
    char why[256];
} plugged;

static const sar_plugin_formulation* registered[SARI_PLUGGED];
static sari_formulation_ops tables[SARI_PLUGGED];
static int count;

/* ---- the view --------------------------------------------------------------------------------- */

static void hessian(const sar_equations_view* at, const double* lambda, double* out)
{
    sar_equations_hessian(at->context, lambda, out);
}

static void make_view(plugged* self)
{
    const sar_equations* e = &self->equations;
    self->view = (sar_equations_view){
        .size = sar_equations_sizes(e),
        .M = sar_equations_sparse(e, SAR_MATRIX_MASS),
        .K = sar_equations_sparse(e, SAR_MATRIX_STIFFNESS),
        .C = sar_equations_sparse(e, SAR_MATRIX_DAMPING),
        .Phi_q = sar_equations_sparse(e, SAR_MATRIX_JACOBIAN),
        .Phi_q_rate = sar_equations_sparse(e, SAR_MATRIX_JACOBIAN_RATE),
        .Q = self->system->Q,
        .Phi = self->system->Phi,
        .Phi_t = self->system->Phi_t,
        .bias = self->system->bias,
        .hessian = hessian,
        .context = &self->equations,
    };
}

static sar_status set_state(plugged* self, const sari_state* s, unsigned what)
{
    SARI_TRY(sari_equations_eval(self->system, what, s->t, s->q, s->v));
    sari_equations_refresh(&self->equations);
    self->view.t = s->t, self->view.q = s->q, self->view.v = s->v;
    return SAR_OK;
}

/* What a plug-in answers is checked: a status that there is, and finite numbers. */
static sar_status answer(sar_status st, const double* x, int n)
{
    if (st < SAR_E_BUILD || st > SAR_R_VIOLATED) return SAR_E_ARG;
    for (int k = 0; st == SAR_OK && k < n; k++)
        if (!isfinite(x[k])) return SAR_R_NOT_FINITE;
    return st;
}

enum { ALL = SARI_EVAL_PHI | SARI_EVAL_DYNAMICS | SARI_EVAL_TANGENT | SARI_EVAL_JACOBIAN_RATE };

/* ---- rates ------------------------------------------------------------------------------------ */

static sar_status evaluate(void* self_, sari_state* s)
{
    plugged* self = self_;
    self->why[0] = '\0';
    SARI_TRY(set_state(self, s, ALL));
    const sar_status st = self->plugin->accelerations(self->own, &self->view, s->a, s->lambda,
                                                      self->why, sizeof self->why);
    return answer(st, s->a, self->system->nq);
}

static sar_status accept(void* self, sari_state* s, int* changed)
{
    (void)self, (void)s;
    *changed = 0;
    return SAR_OK;
}

static const sari_rates_ops rates = {evaluate, accept};

/* ---- corrections ------------------------------------------------------------------------------ */

static sar_status correct(void* self_, const sari_state* s, double cv, double ca, double* dq)
{
    plugged* self = self_;
    self->why[0] = '\0';
    SARI_TRY(set_state(self, s, ALL));
    const sar_status st = self->plugin->correct(self->own, &self->view, s->a, s->lambda, cv, ca, dq,
                                                self->why, sizeof self->why);
    return answer(st, dq, self->system->nq);
}

static void update(void* self_, sari_state* s, double ca)
{
    plugged* self = self_;
    if (!self->plugin->update) return;
    if (set_state(self, s, SARI_EVAL_PHI) != SAR_OK) return; // the next correction says so
    self->plugin->update(self->own, &self->view, ca, s->lambda);
}

static sar_status project(void* self_, sari_state* s, double cv, double ca)
{
    plugged* self = self_;
    SARI_TRY(set_state(self, s, ALL));
    if (!self->plugin->project) return SAR_OK;
    sar_status st = self->plugin->project(self->own, &self->view, cv, ca, s->v, s->a, self->why,
                                          sizeof self->why);
    SARI_TRY(answer(st, s->v, self->system->nq));
    SARI_TRY(answer(st, s->a, self->system->nq));
    return set_state(self, s, SARI_EVAL_PHI | SARI_EVAL_DYNAMICS);
}

static const sari_correction_ops corrections = {
    .correct = correct, .update = update, .project = project};

/* ---- the table -------------------------------------------------------------------------------- */

static sar_status create(void* self_, sari_equations* system, const sar_options* options,
                         sar_error* error)
{
    plugged* self = self_;
    int k = 0;
    while (strcmp(registered[k]->name, options->formulation) != 0) k++;
    self->plugin = registered[k];
    self->system = system;
    SARI_TRY(sari_equations_show(&self->equations, (sari_system*)system));
    make_view(self);
    if (!self->plugin->create) return SAR_OK;
    const sar_status st = self->plugin->create(self->plugin->context, &self->view.size, options,
                                               &self->own, self->why, sizeof self->why);
    if (st == SAR_OK) return st;
    return sari_fail(error, st < 0 && st >= SAR_E_BUILD ? st : SAR_E_ARG, "formulation", "%s: %s",
                     self->plugin->name,
                     self->why[0] ? self->why : "the plug-in refused the model");
}

static void clear(void* self_)
{
    plugged* self = self_;
    if (self->plugin && self->plugin->destroy && self->own) self->plugin->destroy(self->own);
    sari_arena_clear(&self->equations.memory);
}

static void begin(void* self, const sari_state* s)
{
    (void)self, (void)s;
}

static double no_penalty(const void* self)
{
    (void)self;
    return 0.0;
}

static const char* solver(const void* self)
{
    (void)self;
    return "own";
}

static void explain(const void* self_, char* text, size_t size)
{
    const plugged* self = self_;
    if (self->why[0]) snprintf(text, size, "%s: %s", self->plugin->name, self->why);
}

const sari_formulation_ops* sari_plug_formulation(const sar_plugin_formulation* plugin)
{
    if (count == SARI_PLUGGED) return NULL;
    registered[count] = plugin;
    tables[count] = (sari_formulation_ops){
        .name = plugin->name,
        .cite = plugin->cite ? plugin->cite : "",
        .text = plugin->text ? plugin->text : "",
        .options = plugin->options ? plugin->options : "",
        .capabilities = SARI_FORM_OWN_ALGEBRA | (plugin->singular ? SARI_FORM_RANK_DROP : 0u),
        .rates = &rates,
        .corrections = plugin->correct ? &corrections : NULL,
        .size = SARI_OBJECT(plugged, memory),
        .create = create,
        .start = evaluate,
        .begin = begin,
        .alpha = no_penalty,
        .solver = solver,
        .explain = explain,
        .clear = clear,
    };
    return &tables[count++];
}
