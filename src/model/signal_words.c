/* The words of signals: of bodies, joints, forces and energies as listed, of rotations by their rules. */
#include "base/memory.h"
#include "elements/element.h"
#include "model/parts.h"
#include "model/signal_names.h"

#include <stdarg.h>
#include <stdio.h>

bool sari_refuse_name(const sari_query* q, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(q->why, q->size, format, args);
    va_end(args);
    return false;
}

const char* sari_suggest_name(sari_word w, const char* const* words, int count, char hint[96])
{
    char text[SARI_NAME_LENGTH + 1];
    snprintf(text, sizeof text, "%.*s", SARI_SHOW(w));
    const char* near = words ? sari_nearest_word(text, words, count) : NULL;
    hint[0] = '\0';
    if (near) snprintf(hint, 96, " (did you mean \"%s\"?)", near);
    return hint;
}

/* ---- words ---------------------------------------------------------------------------------- */

#define LIST(...) __VA_ARGS__
#define SIGNAL_TYPE(kind, owner, words, units, length, mass, vector, coordinate, dimension, use,   \
                    what)                                                                          \
    [SARI_SIGNAL_##                                                                                \
        kind] = {SARI_OF_##owner,      {LIST words}, {LIST units}, length,         mass,           \
                 SARI_VECTOR_##vector, coordinate,   dimension,    SARI_USE_##use, what},
const sari_signal_type sari_signal_types[SARI_SIGNALS] = {SARI_SIGNAL_LIST(SIGNAL_TYPE)};
#undef SIGNAL_TYPE
#undef LIST

const char* const sari_turn_sequences[SARI_TURN_SEQUENCES] = {
    "zyx", "xyz", "yzx", "zxy", "xzy", "yxz", "zxz", "zyz", "xyx", "xzx", "yxy", "yzy"};

enum { LEVELS = 3, COMPONENTS = 3, WORDS = LEVELS * COMPONENTS * SARI_SIGNALS };

bool sari_find_word(sari_signal_owner of, sari_word w, int first, sari_signal* out)
{
    for (int kind = first; kind < SARI_SIGNALS; kind++)
        for (int k = 0; sari_signal_types[kind].of == of && k < LEVELS * COMPONENTS; k++) {
            const char* text = sari_signal_types[kind].word[k / COMPONENTS][k % COMPONENTS];
            if (!text || !sari_word_is(w, text)) continue;
            out->kind = (sari_signal_kind)kind;
            out->level = k / COMPONENTS, out->component = k % COMPONENTS;
            return true;
        }
    return false;
}

const char* sari_suggest_word(const sari_query* q, sari_signal_owner of, sari_word w, char hint[96])
{
    const char* words[WORDS];
    int count = 0;
    for (int kind = 0; kind < SARI_SIGNALS; kind++) {
        const sari_signal_type* type = &sari_signal_types[kind];
        if (type->of != of || (type->dimension && type->dimension != q->model->dimension)) continue;
        for (int k = 0; k < LEVELS * COMPONENTS; k++)
            if (type->word[k / COMPONENTS][k % COMPONENTS])
                words[count++] = type->word[k / COMPONENTS][k % COMPONENTS];
    }
    return sari_suggest_name(w, words, count, hint);
}

sari_signal_unit sari_unit_of_signal(const sari_signal* signal)
{
    const sari_signal_type* type = &sari_signal_types[signal->kind];
    if (type->of != SARI_OF_FORCE_TYPE)
        return (sari_signal_unit){type->unit[signal->level], type->length, type->mass};
    const sari_force_shown* shown = &sari_force_types[signal->type]->shown[signal->component];
    return (sari_signal_unit){shown->unit, shown->length, shown->mass};
}

bool sari_find_vector(sari_signal_owner of, const char* text, sari_vector_words* out)
{
    sari_signal s;
    if (!sari_find_word(of, (sari_word){text, strlen(text)}, 0, &s)) return false;
    const sari_signal_type* type = &sari_signal_types[s.kind];
    *out = (sari_vector_words){.word = type->word[s.level],
                               .component = s.component,
                               .place = type->vector == SARI_VECTOR_PLACE && s.level == 0,
                               .axial = type->vector == SARI_VECTOR_AXIAL};
    return type->vector != SARI_VECTOR_NO;
}

/* ---- rotations ------------------------------------------------------------------------------ */

/// Takes "_rate" off its end: 1 where it was there.
static int take_rate(sari_word* w)
{
    static const char RATE[] = "_rate";
    const size_t tail = sizeof RATE - 1;
    if (w->length <= tail || memcmp(w->text + w->length - tail, RATE, tail) != 0) return 0;
    w->length -= tail;
    return 1;
}

/// yaw, pitch, roll, or a sequence and the number of one of its angles: zxz2; with _rate their rates.
static bool find_turn(sari_word w, sari_signal* out)
{
    static const char* const plain[] = {"yaw", "pitch", "roll"};
    out->kind = SARI_SIGNAL_TURN;
    out->level = take_rate(&w);
    for (out->component = 0; out->component < 3; out->component++)
        if (sari_word_is(w, plain[out->component])) return true;
    for (int k = 0; w.length == 4 && k < SARI_TURN_SEQUENCES; k++)
        if (memcmp(w.text, sari_turn_sequences[k], 3) == 0 && w.text[3] >= '1' &&
            w.text[3] <= '3') {
            out->component = 3 * k + w.text[3] - '1';
            return true;
        }
    return false;
}

/// The quaternion of a rotation, or its vector, axis times angle; with _rate the rates of the latter.
/// Outputs have the vector from the quaternion, which is as good at half a turn as elsewhere.
static bool find_quaternion(const sari_query* q, sari_word w, sari_signal* out)
{
    static const char* const words[] = {"qw", "qx", "qy", "qz", "rx", "ry", "rz"};
    out->level = take_rate(&w);
    for (int k = out->level ? 4 : 0; k < 7; k++) {
        if (!sari_word_is(w, words[k])) continue;
        const bool scalar = k >= 4 && (out->level || !(q->use & SARI_USE_ALL));
        out->kind = scalar ? SARI_SIGNAL_ROTATION_VECTOR : SARI_SIGNAL_QUATERNION;
        out->component = scalar ? k - 4 : k;
        return true;
    }
    return false;
}

int sari_turn_axis(const char* word)
{
    const sari_query outputs = {.use = SARI_USE_ALL};
    const sari_word w = {word, strlen(word)};
    sari_signal s;
    if (find_turn(w, &s)) return sari_turn_sequences[s.component / 3][s.component % 3] - 'x';
    if (!find_quaternion(&outputs, w, &s)) return -1;
    if (s.kind == SARI_SIGNAL_ROTATION_VECTOR) return s.component;
    return s.component < 4 ? s.component - 1 : s.component - 4;
}

bool sari_find_rotation(const sari_query* q, sari_word w, sari_signal* out)
{
    return q->model->dimension == 3 && (find_turn(w, out) || find_quaternion(q, w, out));
}
