/* Names of a file that others use, as the model knows them.
 *
 * A file writes arm.P; used as rear.left, the model has a body "rear.left.arm". Ports stand for
 * what the file was given, and the ground is the ground with points and axes of the assembly's:
 * ground.O is "ground" with the point "rear.left.O". From outside it is rear.left.ground.O. */
#include "base/memory.h"
#include "expression/token.h"
#include "input/reader.h"
#include "model/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void* sari_take(sari_reader* r, size_t count, size_t size)
{
    void* memory = sari_scratch_allocate(&r->texts, count * size);
    if (!memory) sari_fail_memory(r);
    return memory;
}

const char* sari_print(sari_reader* r, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char* text = length < 0 ? NULL : sari_take(r, (size_t)length + 1, 1);
    if (!text) return NULL;
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

const char* sari_full_name(sari_reader* r, const char* name)
{
    return r->scope->prefix[0] ? sari_print(r, "%s%s", r->scope->prefix, name) : name;
}

static bool is_word(const char* text, size_t length, const char* word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

const sari_port* sari_find_port(const sari_scope* scope, const char* name, size_t length)
{
    for (int k = 0; k < scope->ports_count; k++)
        if (is_word(name, length, scope->ports[k].name)) return &scope->ports[k];
    return NULL;
}

/* Is it a point or an axis that the file itself adds to the port? */
static bool adds(const sari_port* port, const char* name, size_t length)
{
    static const char* const sections[] = {"points", "axes"};
    for (int k = 0; port->map && k < 2; k++) {
        const sari_node* map = sari_node_get(port->map, sections[k]);
        for (int i = 0; map && map->kind == SARI_NODE_MAP && i < map->count; i++)
            if (is_word(name, length, map->keys[i]->text)) return true;
    }
    return false;
}

const char* sari_full_path(sari_reader* r, const char* path)
{
    const sari_scope* s = r->scope;
    const size_t head = strcspn(path, ".");
    if (is_word(path, head, "energy")) return path;
    const sari_port* port = sari_find_port(s, path, head);
    if (!port) return sari_full_name(r, path);
    if (!port->path) { // was reported
        sari_fail_silently(r);
        return NULL;
    }
    if (path[head] == '.' && adds(port, path + head + 1, strcspn(path + head + 1, ".")))
        return sari_print(r, "%s.%s%s", port->path, s->prefix, path + head + 1);
    return sari_print(r, "%s%s", port->path, path + head);
}

/* Characters of the assemblies at the beginning, with the dot after the last of them. */
static size_t assemblies_of(const sari_reader* r, const char* path)
{
    size_t known = 0;
    for (size_t k = 0; path[k] && r->scopes > 1; k++) {
        if (path[k] != '.') continue;
        const char* kind = sari_model_kind_of(r->model, path, k);
        if (!kind || strcmp(kind, "assembly") != 0) break;
        known = k + 1;
    }
    return known;
}

bool sari_split_path(sari_reader* r, const char* path, const char** head, const char** tail)
{
    const size_t inside = assemblies_of(r, path);
    const char* name = path + inside;
    const size_t length = strcspn(name, ".");
    const char* rest = name[length] ? name + length + 1 : NULL;
    if (is_word(name, length, "ground")) {
        *head = "ground";
        *tail =
            inside == 0 ? rest : sari_print(r, "%.*s%s", (int)inside, path, rest ? rest : "origin");
        return inside == 0 || *tail;
    }
    *head = rest ? sari_scratch_text(&r->texts, path, inside + length) : path;
    *tail = rest;
    if (!*head) sari_fail_memory(r);
    return *head != NULL;
}

/* ---- writing an expression anew ------------------------------------------------------------- */

/// The new text, and where its characters came from.
typedef struct writer {
    sari_reader* r;
    char* text;
    int* origin;
    size_t used, room;
    bool failed;
} writer;

static void make_room(writer* w, size_t bytes)
{
    if (w->failed || w->used + bytes + 1 <= w->room) return;
    const size_t room = 2 * (w->used + bytes + 64);
    char* text = sari_take(w->r, room, 1);
    int* origin = sari_take(w->r, room, sizeof *origin);
    if (!text || !origin) {
        w->failed = true;
        return;
    }
    if (w->used) {
        memcpy(text, w->text, w->used);
        memcpy(origin, w->origin, w->used * sizeof *origin);
    }
    w->text = text, w->origin = origin, w->room = room;
}

/* `at` is where it came from: one place for all of it, or with `step` 1 character by character. */
static void put(writer* w, const char* text, size_t length, int at, int step)
{
    make_room(w, length);
    for (size_t k = 0; k < length && !w->failed; k++) {
        w->origin[w->used] = at + step * (int)k;
        w->text[w->used++] = text[k];
    }
}

static void put_new(writer* w, const char* text, int at)
{
    if (text) put(w, text, strlen(text), at, 0);
}

/* ---- signals -------------------------------------------------------------------------------- */

/* A number times BASE.WORD, as a further term of a sum. */
static void put_term(writer* w, double factor, const char* base, const char* word, double from,
                     int at)
{
    char number[80];
    if (factor == 0.0) return;
    snprintf(number, sizeof number, "%+.17g*(", factor);
    put_new(w, factor == 1.0 ? "+(" : factor == -1.0 ? "-(" : number, at);
    put_new(w, base, at);
    put_new(w, ".", at);
    put_new(w, word, at);
    snprintf(number, sizeof number, "-(%.17g)", from);
    if (from != 0.0) put_new(w, number, at);
    put_new(w, ")", at);
}

/* Component of a vector in the frame of the file: A' (x - d), of an axial one det(A) A' w. */
static void put_component(writer* w, const char* base, const sari_vector_words* vector,
                          double sense, int at)
{
    const sari_placement* p = &w->r->scope->placement;
    const double sign = vector->axial && p->mirrored ? -sense : sense;
    const int k = vector->component;
    if (!p->moved) {
        put_new(w, base, at), put_new(w, ".", at), put_new(w, vector->word[k], at);
        return;
    }
    put_new(w, "(", at);
    for (int j = 0; j < 3; j++)
        put_term(w, sign * p->A[3 * j + k], base, vector->word[j], vector->place ? p->d[j] : 0.0,
                 at);
    put_new(w, ")", at);
}

/* Angles of a planar body count from the x axis of the file. */
static bool put_angle(writer* w, const char* base, const char* word, int at)
{
    const sari_placement* p = &w->r->scope->placement;
    const bool angle = strcmp(word, "angle") == 0;
    if (!p->moved || (!angle && strcmp(word, "rate") != 0)) return false;
    put_new(w, "(", at);
    put_term(w, p->mirrored ? -1.0 : 1.0, base, word, angle ? sari_turn_of(p) : 0.0, at);
    put_new(w, ")", at);
    return true;
}

/* A joint that counts the other way, or its drive. */
static bool put_reversed(writer* w, const char* base, const char* word, int at)
{
    static const char* const words[] = {"angle", "rate", "force", "torque"};
    sar_joint_id joint;
    if (sar_model_find_joint(w->r->model, base, strlen(base), &joint) != SAR_OK ||
        sari_sense(w->r, joint, SAR_COORD_ANGLE) > 0)
        return false;
    for (int k = 0; k < 4; k++) {
        if (strcmp(word, words[k]) != 0) continue;
        put_new(w, "(", at);
        put_term(w, -1.0, base, word, 0.0, at);
        put_new(w, ")", at);
        return true;
    }
    return false;
}

/* Angles of a joint's rotation in a file that is mirrored: the image of a turn about axis k is one by
 * -S_k of its angle about that axis, as the axes of bodies are those of the file. */
static bool put_mirrored_turn(writer* w, const char* base, const char* word, int at)
{
    const sari_placement* p = &w->r->scope->placement;
    const int axis = p->mirrored ? sari_turn_axis(word) : -1;
    if (axis < 0) return false;
    put_new(w, "(", at);
    put_term(w, -p->S[axis], base, word, 0.0, at);
    put_new(w, ")", at);
    return true;
}

/* A force: what its type shows is in its own axes; a torque counts as the angle of its joint does. */
static bool put_force(writer* w, const char* base, const char* word, int at)
{
    const sari_part* part = sari_model_find_part(w->r->model, base, strlen(base));
    const int number = part ? part->kind - SARI_PART_FORCE : -1;
    if (number < 0) return false;
    const sari_force_type* type = sari_force_types[number];
    const void* def = w->r->model->forces[number].at[part->index].def;
    const sar_joint_id joint = {sari_force_joint(type, def)};
    bool own = false;
    for (int k = 0; type->show && type->shown[k].word; k++)
        own = own || strcmp(word, type->shown[k].word) == 0;
    const bool reversed =
        strcmp(word, "torque") == 0 && joint.i >= 0 && sari_sense(w->r, joint, SAR_COORD_ANGLE) < 0;
    if (!own && !reversed) return false;
    put_new(w, reversed ? "(-" : "", at);
    put_new(w, base, at), put_new(w, ".", at), put_new(w, word, at);
    put_new(w, reversed ? ")" : "", at);
    return true;
}

/// A signal of the model: BASE.WORD, of a body or of something else.
typedef struct signal_path {
    const char *head, *tail;
    const char *base, *word; ///< base: the head, or the head and a point
    sari_signal_owner of;
} signal_path;

static sari_signal_owner owner_of(sari_reader* r, const char* head, const char* point)
{
    double p[3];
    sar_body_id body;
    sar_joint_id joint;
    if (sari_model_frame(r->model, head, strlen(head)))
        return !point ? SARI_OF_BODY : strcmp(point, "origin") == 0 ? SARI_OF_POINT : SARI_OF_AXIS;
    if (sar_model_find_body(r->model, head, strlen(head), &body) == SAR_OK)
        return !point ? SARI_OF_BODY
               : sar_model_find_point(r->model, body, point, strlen(point), p) == SAR_OK
                   ? SARI_OF_POINT
                   : SARI_OF_AXIS;
    return sar_model_find_joint(r->model, head, strlen(head), &joint) == SAR_OK ? SARI_OF_JOINT
                                                                                : SARI_OF_FORCE;
}

/* The axes x, y and z of bodies and frames of a mirrored file are mirrored too: as the model has them
 * they have the sign S_k. */
static double sense_of(const sari_reader* r, const signal_path* s)
{
    const sari_scope* scope = r->scope;
    const bool axis = s->of == SARI_OF_AXIS && strcmp(s->head, "ground") != 0 &&
                      strchr("xyz", s->tail[0]) && s->tail[1] == '.';
    return axis ? scope->placement.S[s->tail[0] - 'x'] : 1.0;
}

static bool find_signal(sari_reader* r, const char* local, signal_path* out)
{
    const char* path = local ? sari_full_path(r, local) : NULL;
    if (!path || !sari_split_path(r, path, &out->head, &out->tail)) return false;
    const char* dot = out->tail ? strrchr(out->tail, '.') : NULL;
    out->word = dot ? dot + 1 : out->tail;
    out->base =
        dot ? sari_print(r, "%s.%.*s", out->head, (int)(dot - out->tail), out->tail) : out->head;
    const char* point =
        dot ? sari_scratch_text(&r->texts, out->tail, (size_t)(dot - out->tail)) : NULL;
    if (dot && !point) return false;
    out->of = owner_of(r, out->head, point);
    return out->base != NULL;
}

/* SIGNAL@BODY does not depend on where the file is. Mirrored, body axis k has the sign S_k, and axial
 * vectors turn the other way. */
static void put_along(writer* w, const char* name, const char* frame, int at)
{
    const sari_scope* scope = w->r->scope;
    const char* full = sari_full_path(w->r, frame);
    signal_path s;
    sari_vector_words vector;
    if (!full || !find_signal(w->r, name, &s)) {
        w->failed = true;
        return;
    }
    const bool own = strncmp(full, scope->prefix, strlen(scope->prefix)) == 0;
    double sign = 1.0;
    if (own && scope->placement.mirrored && s.word && sari_find_vector(s.of, s.word, &vector))
        sign = scope->placement.S[vector.component] * (vector.axial ? -1.0 : 1.0);
    else if (own && scope->placement.mirrored && s.word && sari_turn_axis(s.word) >= 0)
        sign = -scope->placement.S[sari_turn_axis(s.word)];
    else if (own && scope->placement.mirrored && s.word && s.of == SARI_OF_BODY &&
             strcmp(s.word, "clearance") != 0) // of the plane
        sign = -1.0;
    put_new(w, sign < 0.0 ? "(-" : "", at);
    put_new(w, s.head, at), put_new(w, s.tail ? "." : "", at), put_new(w, s.tail, at);
    put_new(w, "@", at), put_new(w, full, at), put_new(w, sign < 0.0 ? ")" : "", at);
}

static void put_signal(writer* w, const char* name, size_t length, int at)
{
    signal_path s;
    sari_vector_words vector;
    const char* along = memchr(name, '@', length);
    if (along) {
        const size_t before = (size_t)(along - name);
        const char* base = sari_scratch_text(&w->r->texts, name, before);
        const char* frame = sari_scratch_text(&w->r->texts, along + 1, length - before - 1);
        if (base && frame) put_along(w, base, frame, at);
        w->failed |= !base || !frame;
        return;
    }
    if (!find_signal(w->r, sari_scratch_text(&w->r->texts, name, length), &s)) {
        w->failed = true;
        return;
    }
    if (!s.word || (s.of == SARI_OF_BODY && put_angle(w, s.base, s.word, at)) ||
        put_reversed(w, s.base, s.word, at) ||
        (s.of == SARI_OF_JOINT && put_mirrored_turn(w, s.base, s.word, at)) ||
        (s.of == SARI_OF_FORCE && put_force(w, s.base, s.word, at)))
        return;
    if (sari_find_vector(s.of, s.word, &vector))
        put_component(w, s.base, &vector, sense_of(w->r, &s), at);
    else
        put_new(w, s.head, at), put_new(w, ".", at), put_new(w, s.tail, at);
}

/* ---- start conditions ----------------------------------------------------------------------- */

/* A component of a vector that is one of another vector: *value becomes that of the model. */
static const char* start_component(sari_reader* r, const sari_node* key, const signal_path* s,
                                   double* value)
{
    const sari_placement* p = &r->scope->placement;
    sari_vector_words vector;
    if (!sari_find_vector(s->of, s->word, &vector)) return sari_print(r, "%s.%s", s->base, s->word);
    const int k = vector.component;
    int j = 0;
    while (j < 2 && p->A[3 * j + k] == 0.0) j++;
    if (p->A[3 * j + k] != 1.0 && p->A[3 * j + k] != -1.0) {
        sari_report(r, key,
                    "a component can be demanded at the start where the file is turned by quarter "
                    "turns only");
        sari_hint(r, "demand a coordinate of a joint, or draw the body so");
        return NULL;
    }
    *value *= p->A[3 * j + k] * (vector.axial && p->mirrored ? -1.0 : 1.0);
    if (vector.place) *value += p->d[j];
    return sari_print(r, "%s.%s", s->base, vector.word[j]);
}

const char* sari_start_signal(sari_reader* r, const sari_node* key, const char* name, double* value)
{
    const sari_placement* p = &r->scope->placement;
    signal_path s;
    sar_joint_id joint;
    if (!find_signal(r, name, &s)) return NULL;
    if (!s.word) return s.head;
    const bool angle = strcmp(s.word, "angle") == 0, rate = strcmp(s.word, "rate") == 0;
    if (s.of == SARI_OF_BODY && p->moved && (angle || rate))
        *value = (p->mirrored ? -*value : *value) + (angle ? sari_turn_of(p) : 0.0);
    else if ((angle || rate) &&
             sar_model_find_joint(r->model, s.base, strlen(s.base), &joint) == SAR_OK)
        *value *= sari_sense(r, joint, SAR_COORD_ANGLE);
    else if (s.of == SARI_OF_JOINT && p->mirrored && sari_turn_axis(s.word) >= 0)
        *value *= -p->S[sari_turn_axis(s.word)];
    else if (p->moved)
        return start_component(r, key, &s, value);
    return sari_print(r, "%s.%s", s.head, s.tail);
}

/* ---- expressions ---------------------------------------------------------------------------- */

/* Names that mean the same in every file. */
static bool is_own(const char* name, size_t length, unsigned with)
{
    static const char* const constants[] = {"pi", "e", "inf"};
    for (int k = 0; k < 3; k++)
        if (is_word(name, length, constants[k])) return true;
    const bool place = with & (SARI_WITH_SPRING | SARI_WITH_PLACE | SARI_WITH_SURFACE);
    return ((with & SARI_WITH_TIME) && is_word(name, length, "t")) ||
           (place && is_word(name, length, "x")) ||
           ((with & SARI_WITH_SPRING) && is_word(name, length, "v")) ||
           ((with & SARI_WITH_SURFACE) && is_word(name, length, "y")) ||
           ((with & SARI_WITH_CURVE) && is_word(name, length, "s"));
}

bool sari_is_state(sari_reader* r, const char* name, size_t length)
{
    const char* local = sari_scratch_text(&r->texts, name, length);
    const char* full = local && r->model ? sari_full_name(r, local) : NULL;
    return full && sari_model_is_state(r->model, full, strlen(full));
}

/* A table of this file, or one that it was given; functions stay what they are. */
static void put_function(writer* w, const char* name, size_t length, int at)
{
    const char* local = sari_scratch_text(&w->r->texts, name, length);
    const char* path = local ? sari_full_path(w->r, local) : NULL;
    const sari_table_list tables = sari_model_tables(w->r->model);
    if (path && sari_table_find(&tables, path, strlen(path)))
        put_new(w, path, at);
    else
        put(w, name, length, at, 1);
}

static void put_name(writer* w, const char* text, const sari_token* token, unsigned with)
{
    const sari_scope* s = w->r->scope;
    const char* name = text + token->offset;
    const size_t length = (size_t)token->length;
    const char* after = name + length;
    while (*after == ' ') after++;
    const bool constant =
        (s->index && is_word(name, length, s->index)) || sari_find_constant(w->r, name, length);
    if (*after == '(') {
        put_function(w, name, length, token->offset);
    } else if (is_own(name, length, with)) {
        put(w, name, length, token->offset, 1);
    } else if (constant) {
        put_new(w, s->prefix, token->offset);
        put(w, name, length, token->offset, 1);
    } else if (sari_is_state(w->r, name, length)) {
        put_new(w, s->prefix, token->offset);
        put(w, name, length, token->offset, 1);
    } else if (memchr(name, '.', length)) {
        put_signal(w, name, length, token->offset);
    } else {
        put(w, name, length, token->offset, 1);
    }
}

/// What hides units here, as in the parser.
static bool hides_unit(void* context, const char* name, size_t length)
{
    const unsigned with = *(const unsigned*)context;
    return length == 1 && strchr("ts", name[0]) && is_own(name, length, with);
}

/* Characters of a unit, with the blanks before it, after a number. */
static int unit_after(const char* text, int end, unsigned with)
{
    sari_unit unit;
    int start = end;
    while (text[start] == ' ') start++;
    const int length = start > end ? sari_unit_read(text + start, hides_unit, &with, &unit) : 0;
    return length ? start - end + length : 0;
}

/* Call for every token; false where the text is no expression, which the compiler will say. */
static bool each_token(const char* text, int* at, sari_token* token)
{
    return sari_token_read(text, *at, token, NULL) == SAR_OK && token->kind != SARI_TOKEN_END;
}

bool sari_depends_on_time(sari_reader* r, const char* text)
{
    sari_token token;
    int at = 0;
    while (each_token(text, &at, &token)) {
        const char* name = text + token.offset;
        const size_t length = (size_t)token.length;
        at = token.offset + token.length;
        if (token.kind == SARI_TOKEN_NUMBER) at += unit_after(text, at, SARI_WITH_TIME);
        if (token.kind != SARI_TOKEN_NAME) continue;
        const char* local = sari_scratch_text(&r->texts, name, length);
        const char* full = local ? sari_full_name(r, local) : NULL;
        if (is_word(name, length, "t") || (full && sar_model_find_input(r->model, full) >= 0))
            return true;
    }
    return false;
}

/* Bodies, joints, frames, or an assembly with one of these. */
static bool is_there(sari_reader* r, const char* name)
{
    const char *full = name ? sari_full_path(r, name) : NULL, *head, *tail;
    if (!full || !sari_split_path(r, full, &head, &tail)) return false;
    const char* kind = sari_model_kind_of(r->model, head, strlen(head));
    return strcmp(head, "ground") == 0 || (kind && strcmp(kind, "force") != 0);
}

bool sari_names_are_there(sari_reader* r, const char* text)
{
    sari_token token;
    int at = 0;
    while (each_token(text, &at, &token)) {
        const char* name = text + token.offset;
        const size_t length = (size_t)token.length;
        at = token.offset + token.length;
        if (token.kind != SARI_TOKEN_NAME || !memchr(name, '.', length)) continue;
        if (!is_there(r,
                      sari_scratch_text(&r->texts, name,
                                        strcspn(name, "@") < length ? strcspn(name, "@") : length)))
            return false;
    }
    return true;
}

sari_text sari_rewrite(sari_reader* r, sari_text text, unsigned with)
{
    if (r->scopes < 2 || !r->model) return text;
    writer w = {.r = r};
    sari_token token;
    int at = 0;
    while (each_token(text.text, &at, &token)) {
        put(&w, text.text + at, (size_t)(token.offset - at), at, 1);
        at = token.offset + token.length;
        if (token.kind == SARI_TOKEN_NAME)
            put_name(&w, text.text, &token, with);
        else
            put(&w, text.text + token.offset, (size_t)token.length, token.offset, 1);
        if (token.kind != SARI_TOKEN_NUMBER) continue;
        const int unit = unit_after(text.text, at, with);
        put(&w, text.text + at, (size_t)unit, at, 1);
        at += unit;
    }
    const size_t left = strlen(text.text + at);
    put(&w, text.text + at, left + 1, at, 1); // with its end
    if (w.failed) return (sari_text){"", NULL};
    for (size_t k = 0; k < w.used && text.origin; k++) w.origin[k] = text.origin[w.origin[k]];
    return (sari_text){w.text, w.origin};
}

const char* sari_replace_name(sari_reader* r, const char* text, const char* name, const char* by)
{
    writer w = {.r = r};
    sari_token token;
    int at = 0;
    while (each_token(text, &at, &token)) {
        const bool is = token.kind == SARI_TOKEN_NAME &&
                        is_word(text + token.offset, (size_t)token.length, name);
        const char* part = is ? by : text + token.offset;
        put(&w, text + at, (size_t)(token.offset - at), at, 1);
        put(&w, part, is ? strlen(by) : (size_t)token.length, token.offset, 0);
        at = token.offset + token.length;
    }
    put(&w, text + at, strlen(text + at) + 1, at, 1);
    return w.failed ? NULL : w.text;
}
