/* SARRUS_EQUATIONS  The equations of motion in Octave and MATLAB, as docs/equations.md describes them.
 *
 *   mkoctfile --mex sarrus_equations.c $(pkg-config --cflags --libs sarrus)      % in MATLAB: mex ... -lsarrus
 *
 *   e = sarrus_equations('model.yaml', 'natural')       e.id, e.t, e.q, e.v: the start; names of all numbers
 *   at = sarrus_equations(e.id, t, q, v)                at.M, at.K, at.C, at.Phi_q, at.Phi_q_rate,
 *                                                       at.Q, at.Phi, at.Phi_t, at.bias, at.kinetic, at.potential
 *
 * and at the state that was evaluated last
 *
 *   [y, by_q, by_v, by_t] = sarrus_equations(e.id, 'output', 'theta')
 *   [R, r, s, M, Q] = sarrus_equations(e.id, 'independent', [1 3])     numbers of velocities, from 1
 *   J = sarrus_equations(e.id, 'jacobian', 'rod', [0 0 0])
 *   [center, mass, inertia] = sarrus_equations(e.id, 'inertia', 'rod')
 *   H = sarrus_equations(e.id, 'hessian', lambda)
 *   q = sarrus_equations(e.id, 'move', q0, d)
 *
 *   sarrus_equations(e.id, 'close') */
#include "mex.h"

#include "sarrus/equations.h"
#include "sarrus/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static struct opened {
    sar_model* model;
    sar_equations* equations;
} table[MOST];

static void close_one(struct opened* o)
{
    sar_equations_destroy(o->equations);
    sar_model_destroy(o->model);
    *o = (struct opened){0};
}

static void close_all(void)
{
    for (int k = 0; k < MOST; k++) close_one(&table[k]);
}

/* ---- arguments -------------------------------------------------------------------------------- */

static char* text_of(const mxArray* a, const char* what)
{
    char* text = mxIsChar(a) ? mxArrayToString(a) : NULL;
    if (!text) mexErrMsgIdAndTxt("sarrus:argument", "sarrus_equations: %s must be a text", what);
    return text;
}

static const double* numbers_of(const mxArray* a, int count, const char* what)
{
    if (!mxIsDouble(a) || mxIsComplex(a) || mxIsSparse(a) ||
        mxGetNumberOfElements(a) != (size_t)count)
        mexErrMsgIdAndTxt("sarrus:argument", "sarrus_equations: %s must have %d real numbers", what,
                          count);
    return mxGetPr(a);
}

static void need(int count, int wanted, const char* what)
{
    if (count != wanted) mexErrMsgIdAndTxt("sarrus:argument", "sarrus_equations: %s", what);
}

/* ---- results ---------------------------------------------------------------------------------- */

/* From rows, as the library has them. */
static mxArray* matrix(const double* x, int rows, int columns)
{
    mxArray* out = mxCreateDoubleMatrix((mwSize)rows, (mwSize)columns, mxREAL);
    double* to = mxGetPr(out);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) to[c * rows + r] = x[r * columns + c];
    return out;
}

static mxArray* names(const sar_equations* e, sar_equations_label of, int count)
{
    mxArray* out = mxCreateCellMatrix((mwSize)count, 1);
    char name[256];
    for (int k = 0; k < count; k++) {
        sar_equations_name(e, of, k, name, sizeof name);
        mxSetCell(out, (mwIndex)k, mxCreateString(name));
    }
    return out;
}

static void set(mxArray* to, const char* name, mxArray* value)
{
    mxAddField(to, name);
    mxSetField(to, 0, name, value);
}

static void fail(sar_status status, const char* why)
{
    mexErrMsgIdAndTxt("sarrus:failed", "sarrus_equations: %s",
                      *why ? why : sar_status_text(status));
}

/* ---- opening ---------------------------------------------------------------------------------- */

static mxArray* describe(int id)
{
    const sar_equations* e = table[id].equations;
    const sar_equations_size n = sar_equations_sizes(e);
    mxArray *out = mxCreateStructMatrix(1, 1, 0, NULL),
            *q = mxCreateDoubleMatrix((mwSize)n.positions, 1, mxREAL),
            *v = mxCreateDoubleMatrix((mwSize)n.velocities, 1, mxREAL);
    double t;
    sar_equations_start(e, &t, mxGetPr(q), mxGetPr(v));
    set(out, "id", mxCreateDoubleScalar(id + 1));
    set(out, "t", mxCreateDoubleScalar(t));
    set(out, "q", q);
    set(out, "v", v);
    set(out, "positions", names(e, SAR_LABEL_POSITION, n.positions));
    set(out, "velocities", names(e, SAR_LABEL_VELOCITY, n.velocities));
    set(out, "constraints", names(e, SAR_LABEL_CONSTRAINT, n.constraints));
    set(out, "nonholonomic", mxCreateDoubleScalar(n.nonholonomic));
    set(out, "states", mxCreateDoubleScalar(n.states));
    return out;
}

static mxArray* open_model(const char* path, const char* coordinates)
{
    int id = 0;
    while (id < MOST && table[id].model) id++;
    if (id == MOST) fail(SAR_E_ARG, "too many are open; close some");
    char *messages = NULL, why[2000] = "";
    sar_error error = {0};
    sar_status st = sar_model_load(path, NULL, 0, &table[id].model, NULL, &messages);
    if (st != SAR_OK) snprintf(why, sizeof why, "%s", messages ? messages : "");
    sar_text_free(messages);
    if (st == SAR_OK) {
        st = sar_equations_create(table[id].model, coordinates, &table[id].equations, &error);
        if (st != SAR_OK) snprintf(why, sizeof why, "%s", error.message);
    }
    if (st != SAR_OK) {
        close_one(&table[id]);
        fail(st, why);
    }
    return describe(id);
}

/* ---- evaluation ------------------------------------------------------------------------------- */

static mxArray* dense(const sar_equations* e, sar_equations_matrix which)
{
    const sar_csr A = sar_equations_sparse(e, which);
    double* x = mxCalloc((mwSize)(A.rows * A.columns + 1), sizeof *x);
    sar_equations_dense(e, which, x);
    mxArray* out = matrix(x, A.rows, A.columns);
    mxFree(x);
    return out;
}

static mxArray* evaluate(sar_equations* e, const mxArray* t, const mxArray* q, const mxArray* v)
{
    static const char* const matrices[] = {"M", "K", "C", "Phi_q", "Phi_q_rate"};
    static const char* const vectors[] = {"Q", "Phi", "Phi_t", "bias"};
    const sar_equations_size n = sar_equations_sizes(e);
    const sar_status st =
        sar_equations_evaluate(e, *numbers_of(t, 1, "t"), numbers_of(q, n.positions, "q"),
                               numbers_of(v, n.velocities, "v"));
    if (st != SAR_OK) fail(st, "a force or a drive has no finite value there");
    mxArray* out = mxCreateStructMatrix(1, 1, 0, NULL);
    for (int k = 0; k < 5; k++) set(out, matrices[k], dense(e, (sar_equations_matrix)k));
    for (int k = 0; k < 4; k++)
        set(out, vectors[k],
            matrix(sar_equations_get(e, (sar_equations_vector)k),
                   k == 0 ? n.velocities : n.constraints, 1));
    set(out, "kinetic", mxCreateDoubleScalar(sar_equations_kinetic_energy(e)));
    set(out, "potential", mxCreateDoubleScalar(sar_equations_potential_energy(e)));
    return out;
}

/* ---- at the state that was evaluated last ----------------------------------------------------- */

static int find(const sar_model* model, const char* name, int count,
                const char* (*name_of)(const sar_model*, int), const char* what)
{
    for (int k = 0; k < count; k++)
        if (strcmp(name_of(model, k), name) == 0) return k;
    mexErrMsgIdAndTxt("sarrus:argument", "sarrus_equations: there is no %s '%s'", what, name);
    return -1;
}

static sar_body_id body_of(const struct opened* o, const mxArray* name)
{
    return (sar_body_id){find(o->model, text_of(name, "the body"), sar_model_bodies(o->model),
                              sar_model_body_name, "body")};
}

static void output(struct opened* o, int results, mxArray** out, const mxArray* name)
{
    const int k = find(o->model, text_of(name, "the output"), sar_model_outputs(o->model),
                       sar_model_output_name, "output");
    const mwSize n = (mwSize)sar_equations_sizes(o->equations).velocities;
    mxArray* all[4] = {mxCreateDoubleMatrix(1, 1, mxREAL), mxCreateDoubleMatrix(n, 1, mxREAL),
                       mxCreateDoubleMatrix(n, 1, mxREAL), mxCreateDoubleMatrix(1, 1, mxREAL)};
    sar_error error = {0};
    const sar_status st = sar_equations_output(o->equations, k, mxGetPr(all[0]), mxGetPr(all[1]),
                                               mxGetPr(all[2]), mxGetPr(all[3]), &error);
    if (st != SAR_OK) fail(st, error.message);
    for (int i = 0; i < (results > 1 ? results : 1) && i < 4; i++) out[i] = all[i];
}

static void independent(struct opened* o, int results, mxArray** out, const mxArray* chosen)
{
    const int n = sar_equations_sizes(o->equations).velocities;
    const int count = (int)mxGetNumberOfElements(chosen);
    const double* numbers = numbers_of(chosen, count, "the numbers of the velocities");
    int* index = mxCalloc((mwSize)count + 1, sizeof *index);
    double *R = mxCalloc((mwSize)(n * count + 2 * n + count * count + count + 1), sizeof *R),
           *r = R + n * count, *s = r + n, *M = s + n, *Q = M + count * count;
    for (int k = 0; k < count; k++) {
        index[k] = (int)numbers[k] - 1;
        if (index[k] < 0 || index[k] >= n) fail(SAR_E_ARG, "there is no velocity of that number");
    }
    const sar_status st = sar_equations_independent(o->equations, count, index, R, r, s, M, Q);
    if (st != SAR_OK)
        fail(st, "these velocities are not independent there, or do not determine all others");
    mxArray* all[5] = {matrix(R, n, count), matrix(r, n, 1), matrix(s, n, 1),
                       matrix(M, count, count), matrix(Q, count, 1)};
    for (int i = 0; i < (results > 1 ? results : 1) && i < 5; i++) out[i] = all[i];
}

static void ask(struct opened* o, int results, mxArray** out, int given, const mxArray** in)
{
    sar_equations* e = o->equations;
    const sar_equations_size n = sar_equations_sizes(e);
    const char* what = text_of(in[0], "the second argument");
    if (strcmp(what, "close") == 0) {
        close_one(o);
    } else if (strcmp(what, "output") == 0) {
        need(given, 2, "'output' needs a name");
        output(o, results, out, in[1]);
    } else if (strcmp(what, "independent") == 0) {
        need(given, 2, "'independent' needs numbers of velocities");
        independent(o, results, out, in[1]);
    } else if (strcmp(what, "jacobian") == 0) {
        need(given, 3, "'jacobian' needs a body and a point");
        double* J = mxCalloc((mwSize)(6 * n.velocities + 1), sizeof *J);
        sar_equations_body_jacobian(e, body_of(o, in[1]), numbers_of(in[2], 3, "the point"), J);
        out[0] = matrix(J, 6, n.velocities);
    } else if (strcmp(what, "inertia") == 0) {
        need(given, 2, "'inertia' needs a body");
        double center[3], mass, inertia[9];
        sar_equations_body_inertia(e, body_of(o, in[1]), center, &mass, inertia);
        out[0] = matrix(center, 3, 1);
        if (results > 1) out[1] = mxCreateDoubleScalar(mass);
        if (results > 2) out[2] = matrix(inertia, 3, 3);
    } else if (strcmp(what, "hessian") == 0) {
        need(given, 2, "'hessian' needs multipliers");
        double* H = mxCalloc((mwSize)(n.velocities * n.velocities + 1), sizeof *H);
        sar_equations_hessian(e, numbers_of(in[1], n.constraints, "lambda"), H);
        out[0] = matrix(H, n.velocities, n.velocities);
    } else if (strcmp(what, "move") == 0) {
        need(given, 3, "'move' needs q and a change");
        out[0] = mxCreateDoubleMatrix((mwSize)n.positions, 1, mxREAL);
        sar_equations_move(e, numbers_of(in[1], n.positions, "q"),
                           numbers_of(in[2], n.velocities, "the change"), mxGetPr(out[0]));
    } else {
        mexErrMsgIdAndTxt("sarrus:argument",
                          "sarrus_equations: there is no '%s': output, independent, jacobian, "
                          "inertia, hessian, move, close",
                          what);
    }
}

void mexFunction(int results, mxArray** out, int given, const mxArray** in)
{
    mexAtExit(close_all);
    if (given == 2 && mxIsChar(in[0])) {
        out[0] = open_model(text_of(in[0], "the model"), text_of(in[1], "the coordinates"));
        return;
    }
    if (given < 2) need(0, 1, "give a model and coordinates, or an id and a state");
    const int id = (int)*numbers_of(in[0], 1, "the id") - 1;
    if (id < 0 || id >= MOST || !table[id].model) need(0, 1, "there are no equations of that id");
    if (given == 4 && !mxIsChar(in[1]))
        out[0] = evaluate(table[id].equations, in[1], in[2], in[3]);
    else
        ask(&table[id], results, out, given - 1, in + 1);
}
