/* A number that distinguishes models: all that a motion depends on, field by field, in the order in which the
 * model has it. Names count, pictures do not. */
#include "model/fingerprint.h"

#include "base/archive.h"
#include "elements/element.h"
#include "expression/program.h"
#include "model/model.h"

#include <string.h>

/* Archives read into what they walk over; digests do not. */
static void numbers(sari_archive* a, const double* x, size_t count)
{
    sari_archive_numbers(a, (double*)x, count);
}

static void integer(sari_archive* a, long x)
{
    sari_archive_longs(a, &x, 1);
}

static void text(sari_archive* a, const char* x)
{
    if (x) sari_archive_bytes(a, (char*)x, strlen(x));
    integer(a, x != NULL);
}

/* ---- functions ------------------------------------------------------------------------------ */

static void digest_expression(sari_archive* a, const sari_expression* e);

static void digest_table(sari_archive* a, const sari_table* t)
{
    integer(a, t != NULL);
    if (!t) return;
    text(a, t->name);
    integer(a, t->intervals);
    integer(a, t->extend);
    numbers(a, t->x, t->x ? (size_t)t->intervals + 1 : 0);
    for (int k = 0; t->c && k < t->intervals; k++) numbers(a, t->c[k], 4);
    digest_expression(a, t->by);
}

/* Branches that are held are no part of it. */
static void digest_expression(sari_archive* a, const sari_expression* e)
{
    integer(a, e ? e->count : -1);
    for (int k = 0; e && k < e->count; k++) {
        const sari_instruction* i = &e->code[k];
        integer(a, i->op);
        if (i->op == SARI_OP_TABLE)
            digest_table(a, i->table);
        else if (!sari_op_branches((sari_op)i->op))
            integer(a, i->jump);
        for (int n = 0; n < SARI_OPERANDS; n++) integer(a, i->in[n]);
        integer(a, i->to);
        if (i->op == SARI_OP_VARIABLE) integer(a, i->index);
        if (i->op == SARI_OP_CONSTANT || i->op == SARI_OP_POWER || i->op == SARI_OP_SCALE ||
            i->op == SARI_OP_SHIFT || i->op == SARI_OP_FROM || i->op == SARI_OP_OVER ||
            i->op == SARI_OP_INTO)
            numbers(a, &i->number, 1);
    }
}

/* ---- parts ---------------------------------------------------------------------------------- */

static void digest_end(sari_archive* a, const sar_end* end)
{
    integer(a, end->body.i);
    numbers(a, end->point, 3);
    numbers(a, end->axis, 3);
    numbers(a, end->normal, 3);
}

static void digest_body(sari_archive* a, const sari_body* body)
{
    const sar_body_def* d = &body->def;
    text(a, body->name);
    numbers(a, &d->mass, 1);
    numbers(a, d->center, 3);
    numbers(a, d->inertia, 6);
    numbers(a, d->position, 3);
    numbers(a, d->rotation, 9);
    numbers(a, d->winding, 3);
    numbers(a, d->velocity, 3);
    numbers(a, d->angular_velocity, 3);
    integer(a, d->has_position + 2 * d->has_rotation + 4 * d->particle);
}

static void digest_joint(sari_archive* a, const sari_joint* j)
{
    const sar_joint_def* pair = &j->pair;
    text(a, j->name);
    integer(a, j->relation != NULL);
    integer(a, j->on_positions + 2 * j->bounded + 4 * j->absent + 8 * j->attaches +
                   16 * j->zero_as_drawn);
    if (!j->relation) {
        integer(a, pair->type);
        digest_end(a, &pair->a), digest_end(a, &pair->b);
        numbers(a, (double[]){pair->pitch, pair->distance, pair->radius}, 3);
        numbers(a, pair->compliance, 6);
        integer(a, (long)pair->locked), integer(a, pair->cut);
        numbers(a, (double[]){j->curve.from, j->curve.to}, 2);
        integer(a, j->curve.closed);
        for (int k = 0; k < 2; k++) {
            digest_expression(a, j->curve.expression[k]);
            digest_table(a, j->curve.table[k]);
        }
    }
    for (int k = 0; j->relation && k < j->coupling.terms; k++) {
        integer(a, j->coupling.joint[k].i), integer(a, j->coupling.coordinate[k]);
        numbers(a, (double[]){j->coupling.coefficient[k], j->coupling.offset}, 2);
        integer(a, j->coupling.has_offset);
    }
    if (j->relation) {
        integer(a, j->drive.joint.i), integer(a, j->drive.coordinate);
        digest_end(a, &j->drive.a), digest_end(a, &j->drive.b);
    }
    digest_expression(a, j->value);
    numbers(a, (double[]){j->lower, j->upper, j->restitution}, 3);
}

/* How many numbers a key has; 0: it is read into something else. */
static size_t numbers_of(sari_key_kind kind)
{
    switch (kind) {
    case SARI_READ_NUMBER:
    case SARI_READ_PRELOAD:
    case SARI_READ_FREE:
        return 1;
    case SARI_READ_PAIR:
        return 2;
    case SARI_READ_DIRECTION:
        return 3;
    case SARI_READ_MATRIX:
        return 36;
    case SARI_READ_TYRE_FILE:
    case SARI_READ_COEFFICIENTS:
        return SAR_MAGIC_COUNT;
    default:
        return 0;
    }
}

static int is_integer(sari_key_kind kind)
{
    return kind == SARI_READ_AXES || kind == SARI_READ_AXIS || kind == SARI_READ_ANSWER ||
           kind == SARI_READ_SIDE || kind == SARI_READ_END || kind == SARI_READ_BODY;
}

/* What the keys of its type name. */
static void digest_keys(sari_archive* a, const sari_force_type* type, const char* def)
{
    for (const sari_file_word* w = type->is.word; w->word; w++)
        for (const sari_file_key* key = w->key; key->word; key++) {
            numbers(a, (const double*)(def + key->member), numbers_of(key->kind));
            if (is_integer(key->kind)) integer(a, *(const int*)(def + key->member));
        }
}

static void digest_force(sari_archive* a, const sari_force_type* type, const sari_force* f)
{
    const char* def = f->def;
    text(a, f->name);
    integer(a, f->absent + 2 * f->smooth);
    digest_keys(a, type, def);
    for (int k = 0; k < SARI_FORCE_TEXTS; k++) digest_expression(a, f->expression[k]);
    for (int k = 0; type->is.length && k < 2; k++) {
        const int length = *(const int*)(def + type->is.length);
        numbers(a, *(double* const*)(def + type->is.array[k]), (size_t)length);
    }
    const sar_end* ends = sari_force_ends(type, f->def);
    for (int k = 0; k < sari_force_ends_count(type, def); k++) digest_end(a, &ends[k]);
    if (type->is.body) integer(a, sari_force_body(type, def));
    if (type->is.point) numbers(a, sari_force_point(type, f->def), 3);
    integer(a, sari_force_joint(type, def)), integer(a, sari_force_other_joint(type, def));
    if (type->is.coordinate) integer(a, *(const sar_coordinate*)(def + type->is.coordinate));
    if (type->is.by_reaction) integer(a, *(const int*)(def + type->is.by_reaction));
    if (type->scale) numbers(a, (const double*)(def + type->scale), 1);
}

static void digest_signal(sari_archive* a, const sari_signal* s)
{
    const int each[] = {(int)s->kind, s->level, s->body, s->joint, s->component, s->frame,
                        s->axes,      s->own,   s->type, s->force, s->starts};
    for (size_t k = 0; k < sizeof each / sizeof *each; k++) integer(a, each[k]);
    numbers(a, s->point, 3);
}

static void digest_phase(sari_archive* a, const sari_phase* p)
{
    const sar_phase_def* d = &p->def;
    const int each[] = {(int)d->crossing, d->repeats,    d->move,         d->adds,
                        d->removes,       d->force_adds, d->force_removes};
    for (size_t k = 0; k < sizeof each / sizeof *each; k++) integer(a, each[k]);
    if (!p->when) numbers(a, &d->at, 1);
    digest_expression(a, p->when);
    digest_expression(a, p->provided);
    for (int k = 0; k < d->adds; k++) integer(a, d->add[k].i);
    for (int k = 0; k < d->removes; k++) integer(a, d->remove[k].i);
    for (int k = 0; k < d->force_adds; k++) integer(a, d->force_add[k].i);
    for (int k = 0; k < d->force_removes; k++) integer(a, d->force_remove[k].i);
}

static void digest_output(sari_archive* a, const sari_output* o)
{
    text(a, o->name);
    integer(a, o->integral);
    digest_expression(a, o->value);
    digest_expression(a, o->over);
    numbers(a, &o->time_constant, 1);
}

/* ---- the model ------------------------------------------------------------------------------ */

static void digest_forces(sari_archive* a, const sar_model* m)
{
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        for (int k = 0; k < m->forces[t].count; k++)
            integer(a, t), digest_force(a, sari_force_types[t], &m->forces[t].at[k]);
}

uint64_t sari_forces_fingerprint(const sar_model* m)
{
    sari_archive a = {.use = SARI_ARCHIVE_DIGEST};
    digest_forces(&a, m);
    return a.digest;
}

uint64_t sari_model_fingerprint(const sar_model* m)
{
    sari_archive a = {.use = SARI_ARCHIVE_DIGEST};
    integer(&a, m->dimension);
    numbers(&a, m->gravity, 3);
    for (int k = 0; k < m->bodies_count; k++) digest_body(&a, &m->bodies[k]);
    for (int k = 0; k < m->frames_count; k++) {
        integer(&a, m->frames[k].body);
        numbers(&a, m->frames[k].point, 3);
        numbers(&a, m->frames[k].R, 9);
    }
    for (int k = 0; k < m->joints_count; k++) digest_joint(&a, &m->joints[k]);
    digest_forces(&a, m);
    for (int k = 0; k < m->signals_count; k++) digest_signal(&a, &m->signals[k]);
    for (int k = 0; k < m->phases_count; k++) digest_phase(&a, &m->phases[k]);
    for (int k = 0; k < m->outputs_count; k++) digest_output(&a, &m->outputs[k]);
    for (int k = 0; k < m->inputs_count; k++) {
        digest_table(&a, m->tables[m->inputs[k].table]);
        numbers(&a, &m->inputs[k].start, 1);
        digest_expression(&a, m->inputs[k].by);
    }
    for (int k = 0; k < m->starts_count; k++) {
        integer(&a, m->starts[k].signal);
        numbers(&a, &m->starts[k].value, 1);
    }
    numbers(&a, m->breakpoints, (size_t)m->breakpoints_count);
    return a.digest;
}
