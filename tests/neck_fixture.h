/* For tests of the neck: every model of the tree, places to look at it, and derivatives by
 * differences. */
#ifndef NECK_FIXTURE_H
#define NECK_FIXTURE_H

#include "elements/element.h"
#include "linalg/sym_tools.h"
#include "sar_test.h"
#include "sarrus/load.h"
#include "stored_forces.h"
#include "system/system.h"
#include "system/turns.h"

#include <dirent.h>

/* ---- random numbers: the same on every machine ---------------------------------------------- */

static uint64_t random_state = 88172645463325252u;

/// Uniform in [-1, 1].
static inline double any(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) / 4503599627370496.0 - 1.0;
}

static inline void any_direction(double u[3])
{
    double length = 0.0;
    while (length < 0.2 || length > 1.0) {
        for (int k = 0; k < 3; k++) u[k] = any();
        length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    for (int k = 0; k < 3; k++) u[k] /= length;
}

static inline double* vector(int n)
{
    return calloc((size_t)(n > 0 ? n : 1), sizeof(double));
}

static inline double largest_of(const double* x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        if (fabs(x[i]) > most || isnan(x[i])) most = fabs(x[i]);
    return most;
}

/* ---- models --------------------------------------------------------------------------------- */

static inline int by_name(const void* a, const void* b)
{
    return strcmp(a, b);
}

enum { MODEL_PATH = 300 };

/// Paths of problems/*/model.yaml and tests/models/*.yaml, in the order of their names; free() the
/// list.
static inline int list_models(char (**out)[MODEL_PATH])
{
    static const char* const folder[2] = {SARRUS_ROOT "/problems", SARRUS_ROOT "/tests/models"};
    char(*list)[MODEL_PATH] = NULL;
    int n = 0;
    for (int f = 0; f < 2; f++) {
        DIR* d = opendir(folder[f]);
        CHECK(d != NULL);
        for (struct dirent* e; (e = readdir(d));) {
            const char* end = strrchr(e->d_name, '.');
            char path[MODEL_PATH];
            if (e->d_name[0] == '.' || (f == 1 && (!end || strcmp(end, ".yaml") != 0))) continue;
            int length = snprintf(path, sizeof path, "%s/%s%s", folder[f], e->d_name,
                                  f == 0 ? "/model.yaml" : "");
            FILE* file = length < MODEL_PATH ? fopen(path, "r") : NULL;
            if (!file) continue; // a problem's folder may lack one
            fclose(file);
            list = realloc(list, (size_t)(n + 1) * sizeof *list);
            memcpy(list[n++], path, sizeof path);
        }
        closedir(d);
    }
    qsort(list, (size_t)n, sizeof *list, by_name);
    *out = list;
    return n;
}

/// Differences by all coordinates cost the square of their number: a large model is looked at in
/// fewer places.
static inline int is_large(const sar_model* model)
{
    return sar_model_bodies(model) > 20;
}

static inline int places_of(const sar_model* model, int places)
{
    return is_large(model) ? 1 : places;
}

/// Large models draw from numbers of their own: they come and go without a change to the others.
static inline void draw_for(int large)
{
    static uint64_t sequence[2] = {0, 2685821657736338717u};
    static int now;
    sequence[now] = random_state;
    now = large;
    random_state = sequence[now];
}

static inline sar_model* load_model(const char* path, sar_options* options)
{
    sar_model* model = NULL;
    char* messages = NULL;
    if (sar_model_load(path, NULL, 0, &model, options, &messages) != SAR_OK)
        fail_msg("%s: %s", path, messages ? messages : "(no message)");
    sar_text_free(messages);
    draw_for(is_large(model));
    return model;
}

static inline sar_model* parse_model(const char* text)
{
    sar_model* model = NULL;
    char* messages = NULL;
    if (sar_model_parse(text, strlen(text), "text", NULL, 0, &model, NULL, &messages) != SAR_OK)
        fail_msg("%s", messages ? messages : "(no message)");
    sar_text_free(messages);
    return model;
}

/// A view of `model` without gravity and forces. It shares everything else: never destroy it.
static inline sar_model without_forces(const sar_model* model)
{
    sar_model bare = *model;
    for (int type = 0; type < SARI_FORCE_TYPES; type++) bare.forces[type].count = 0; // signals stay
    for (int k = 0; k < 3; k++) bare.gravity[k] = 0.0;
    return bare;
}

/* ---- joints between bodies drawn at random -------------------------------------------------- */

static inline sar_body_id add_any_body(sar_model* model, const char* name)
{
    sar_body_def def = sar_body_def_default();
    sar_body_id id;
    double p[4], size = 0.0;
    int spatial = sar_model_dimension(model) == 3;
    def.name = name;
    def.mass = 2.0 + any();
    for (int k = 0; k < 2 + spatial; k++) def.center[k] = any(), def.position[k] = any();
    for (int k = spatial ? 0 : 2; k < 3; k++) def.inertia[k] = 2.0 + 0.5 * any();
    for (int k = 3; spatial && k < 6; k++) def.inertia[k] = 0.3 * any();
    for (int k = 0; k < 4; k++) p[k] = spatial || k == 0 || k == 3 ? any() : 0.0;
    for (int k = 0; k < 4; k++) size += p[k] * p[k];
    for (int k = 0; k < 4; k++) p[k] /= sqrt(size);
    double w = p[0], x = p[1], y = p[2], z = p[3];
    double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                   2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                   2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(def.rotation, R, sizeof R);
    def.has_position = def.has_rotation = 1;
    CHECK_STATUS(sar_model_add_body(model, &def, &id, NULL), SAR_OK);
    return id;
}

static inline void any_end(const sar_model* model, sar_body_id body, sar_end* end)
{
    int spatial = sar_model_dimension(model) == 3;
    end->body = body;
    for (int k = 0; k < 3; k++) end->point[k] = spatial || k < 2 ? any() : 0.0;
    any_direction(end->axis);
    if (!spatial) {
        double length = hypot(end->axis[0], end->axis[1]);
        end->axis[0] /= length, end->axis[1] /= length, end->axis[2] = 0.0;
    }
}

static inline int joint_exists(int type, int dimension)
{
    const sari_joint_type* t = sari_joint_types[type];
    return sari_form_exists(dimension == 2 ? &t->plane : &t->space);
}

/// An ellipse beside the origin, for types that take a curve.
static inline sar_curve any_curve(void)
{
    return (sar_curve){
        .x = "0.2 + 2*cos(s)", .y = "0.1 + 1.5*sin(s)", .to = 6.283185307179586, .closed = 1};
}

/// Any points and directions of two bodies; in the plane z where the type takes no axis.
static inline void ends_of(const sar_model* model, sar_joint_def* def, sar_body_id a, sar_body_id b)
{
    const int dimension = sar_model_dimension(model);
    any_end(model, a, &def->a), any_end(model, b, &def->b);
    if (dimension == 3 || sari_form_of(def, dimension)->axis) return;
    memcpy(def->a.axis, (double[3]){0, 0, 1}, sizeof def->a.axis);
    memcpy(def->b.axis, (double[3]){0, 0, 1}, sizeof def->b.axis);
}

/* ---- a system at a place -------------------------------------------------------------------- */

typedef struct place {
    char label[200]; ///< for messages: model and coordinates
    sari_system* sys;
    int n, m;
    double t, *q, *v;
    double* lambda; ///< any: what contractions use
    double* weight; ///< any, n of them
} place;

static inline place place_create(const sar_model* model, const sari_coordinates_ops* ops)
{
    place p = {0};
    sar_error error = {0};
    snprintf(p.label, sizeof p.label, "%s, %s", sar_model_name(model), ops->name);
    if (sari_system_create(model, ops, &p.sys, &error) != SAR_OK)
        fail_msg("%s: %s", p.label, error.message);
    p.n = p.sys->nq, p.m = p.sys->nc;
    p.q = vector(p.sys->np), p.v = vector(p.n), p.weight = vector(p.n), p.lambda = vector(p.m);
    return p;
}

static inline void place_clear(place* p)
{
    free(p->q), free(p->v), free(p->weight), free(p->lambda);
    sari_system_destroy(p->sys);
}

/* Differences say nothing next to a length of zero, an angle of a vanished vector or a kink of a
 * table. */
static inline int is_regular(const place* p)
{
    const sari_kinematics* k = p->sys->kinematics;
    const sar_model* model = p->sys->model;
    sari_scalar_value value = {0};
    for (int s = 0; s < k->scalars; s++) {
        if (sari_scalar_is_rate(&k->scalar[s])) continue;
        double a = sari_poly_value(k, k->scalar[s].a), b = sari_poly_value(k, k->scalar[s].b);
        if (k->scalar[s].kind == SARI_SCALAR_ROOT && a < 0.03 * 0.03) return 0;
        const sari_scalar_kind kind = k->scalar[s].kind;
        if ((kind == SARI_SCALAR_COMPLEMENT || kind == SARI_SCALAR_ARC) && fabs(a) > 0.95) return 0;
        if (k->scalar[s].kind == SARI_SCALAR_ANGLE && a * a + b * b < 0.05) return 0;
        if (k->scalar[s].kind == SARI_SCALAR_CURVE) {
            const sari_curve_foot foot =
                sari_curve_find(k->scalar[s].curve, (double[2]){a, b}, k->scalar[s].last);
            if (!(fabs(foot.bend) < 3.0)) return 0; // near a centre of curvature
        }
    }
    for (int i = 0; i < model->forces[SARI_FORCE_SPRING].count; i++) {
        const sar_spring_def* def = spring_of(model, i);
        sari_scalar_eval(k, p->sys->mechanism->force_scalar[SARI_FORCE_SPRING][i], 1, &value);
        if (spring_text(model, i) && fabs(value.rate) < 0.01) return 0; // abs(v)
        for (int j = 0; j < def->table_length; j++)
            if (fabs(value.value - def->free - def->table_x[j]) < 0.01) return 0;
    }
    return 1;
}

/// A random regular place near the drawn start: off the constraints, with any velocity.
static inline void place_anywhere(place* p)
{
    const double* q0 = p->sys->coordinates.q0;
    for (int attempt = 0; attempt < 200; attempt++) {
        p->t = 0.5 + 0.4 * any();
        double* away = vector(p->n);
        for (int i = 0; i < p->n; i++) {
            // farther, where the start itself is not regular
            away[i] = (attempt < 100 ? 0.1 : 0.4) * any();
            p->v[i] = any(), p->weight[i] = any();
        }
        sari_coordinates_move(&p->sys->coordinates, q0, away, p->q);
        free(away);
        for (int r = 0; r < p->m; r++) p->lambda[r] = any();
        sari_kinematics_update(p->sys->kinematics, p->q, p->v, 1);
        if (!is_regular(p)) continue;
        sari_turns_commit(p->sys->kinematics, p->t); // angles are counted on from here
        return;
    }
    fail_msg("%s: no regular place near the start", p->label);
}

/* ---- differences ---------------------------------------------------------------------------- */

typedef void quantity(place* p, double t, const double* q, const double* v, double* out);

static double difference_step = 2e-4;

/// Derivative of `f` (size numbers) along (dt, dq, dv), NULL being zero: central, fourth order.
static inline void slope_of(quantity* f, place* p, double dt, const double* dq, const double* dv,
                            int size, double* out)
{
    static const double at[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    const double h = difference_step;
    double *q = vector(p->sys->np), *v = vector(p->n), *d = vector(p->n), *value = vector(size);
    for (int i = 0; i < size; i++) out[i] = 0.0;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < p->n; i++) {
            d[i] = dq ? at[k] * h * dq[i] : 0.0;
            v[i] = p->v[i] + (dv ? at[k] * h * dv[i] : 0.0);
        }
        sari_coordinates_move(&p->sys->coordinates, p->q, d, q);
        f(p, p->t + at[k] * h * dt, q, v, value);
        for (int i = 0; i < size; i++) out[i] += weight[k] * value[i] / (12.0 * h);
    }
    free(q), free(v), free(d), free(value);
}

/// Jacobian of `f` by q (or by v), size x n, row-major.
static inline void jacobian_of(quantity* f, place* p, int by_v, int size, double* out)
{
    double *unit = vector(p->n), *column = vector(size);
    for (int j = 0; j < p->n; j++) {
        unit[j] = 1.0;
        slope_of(f, p, 0.0, by_v ? NULL : unit, by_v ? unit : NULL, size, column);
        for (int i = 0; i < size; i++) out[p->n * i + j] = column[i];
        unit[j] = 0.0;
    }
    free(unit), free(column);
}

/// Are two arrays the same, relative to the largest wanted number (at least `floor`)?
static inline int are_same(int size, const double* got, const double* wanted, double tolerance,
                           double floor)
{
    double scale = fmax(floor, largest_of(wanted, size));
    for (int i = 0; i < size; i++)
        if (!(fabs(got[i] - wanted[i]) <= tolerance * scale)) return 0;
    return 1;
}

/// Compares two arrays, relative to the largest wanted number (at least `floor`).
static inline void check_same(const place* p, const char* what, int rows, int cols,
                              const double* got, const double* wanted, double tolerance,
                              double floor)
{
    double scale = fmax(floor, largest_of(wanted, rows * cols));
    for (int i = 0; i < rows * cols; i++)
        if (!(fabs(got[i] - wanted[i]) <= tolerance * scale))
            fail_msg("%s: %s [%d, %d] = %.15g, wanted %.15g (off by %.2e of %.2e)", p->label, what,
                     i / cols, i % cols, got[i], wanted[i], fabs(got[i] - wanted[i]), scale);
}

/* ---- dense copies --------------------------------------------------------------------------- */

static inline double* dense_csr(const sari_csr* A)
{
    double* out = vector(A->rows * A->cols);
    for (int r = 0; r < A->rows; r++)
        for (int k = A->p[r]; k < A->p[r + 1]; k++) out[A->cols * r + A->i[k]] = A->x[k];
    return out;
}

static inline double* dense_sym(const sari_sym* A)
{
    double* out = vector(A->n * A->n);
    for (int c = 0; c < A->n; c++)
        for (int k = A->p[c]; k < A->p[c + 1]; k++)
            out[A->n * A->i[k] + c] = out[A->n * c + A->i[k]] = A->x[k];
    return out;
}

static inline double dot(const double* a, const double* b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

#endif
