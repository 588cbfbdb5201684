#include "import/model/write_text.h"

#include "base/memory.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(sari_model_text* t, size_t bytes)
{
    if (t->failed) return false;
    if (t->used + bytes + 1 <= t->room) return true;
    const size_t room = 2 * (t->used + bytes + 4096);
    char* bigger = sari_allocate(room, 1);
    if (!bigger) {
        t->failed = true;
        return false;
    }
    if (t->used) memcpy(bigger, t->text, t->used);
    sari_release(t->text);
    t->text = bigger, t->room = room;
    return true;
}

void sari_text_put(sari_model_text* t, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !make_room(t, (size_t)length)) return;
    va_start(args, format);
    vsnprintf(t->text + t->used, (size_t)length + 1, format, args);
    va_end(args);
    t->used += (size_t)length;
}

void sari_text_number(sari_model_text* t, double x)
{
    char text[40];
    if (isinf(x)) {
        sari_text_put(t, "%sinf", x < 0 ? "-" : "");
        return;
    }
    if (x == 0.0) x = 0.0; // no -0
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        for (char* c = text; *c; c++)
            if (*c == ',') *c = '.'; // whatever the locale has
        if (digits == 17 || fabs(strtod(text, NULL) - x) <= DBL_EPSILON * fabs(x)) break;
    }
    sari_text_put(t, "%s", text);
}

void sari_text_numbers(sari_model_text* t, const double* x, int count)
{
    sari_text_put(t, "[");
    for (int k = 0; k < count; k++) {
        if (k) sari_text_put(t, ", ");
        sari_text_number(t, x[k]);
    }
    sari_text_put(t, "]");
}

void sari_text_quoted(sari_model_text* t, const char* text)
{
    sari_text_put(t, "'");
    for (const char* c = text; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte == '\'')
            sari_text_put(t, "''");
        else
            sari_text_put(t, "%c", byte < 0x20 || byte == 0x7f ? ' ' : byte);
    }
    sari_text_put(t, "'");
}

/* Rounding that a product of rotations leaves. */
static double tidy(double x)
{
    return fabs(x) < 4 * DBL_EPSILON ? 0.0 : x;
}

void sari_text_rotation(sari_model_text* t, const double R[9])
{
    double rpy[3], back[9], worst = 0.0, q[4];
    sari_pose_angles(R, rpy);
    for (int k = 0; k < 3; k++) rpy[k] = tidy(rpy[k]);
    sari_rotation_rpy(rpy, back);
    for (int k = 0; k < 9; k++) worst = fmax(worst, fabs(back[k] - R[k]));
    if (worst < 1e-14) {
        sari_text_put(t, ", rotation: {rpy: ");
        sari_text_numbers(t, rpy, 3);
    } else {
        sari_quaternion_of_rotation(R, q);
        sari_text_put(t, ", rotation: {quaternion: ");
        sari_text_numbers(t, q, 4);
    }
    sari_text_put(t, "}");
}

void sari_text_direction(sari_model_text* t, const char* body, const double u[3])
{
    double v[3];
    for (int k = 0; k < 3; k++) v[k] = tidy(u[k]);
    for (int k = 0; k < 3; k++)
        if (v[k] > 0 && v[(k + 1) % 3] == 0 && v[(k + 2) % 3] == 0) {
            sari_text_put(t, "%s.%c", body, 'x' + k);
            return;
        }
    sari_text_numbers(t, v, 3);
}
