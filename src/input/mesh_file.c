#include "input/mesh_file.h"

#include "base/memory.h"
#include "expression/token.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- the mesh ------------------------------------------------------------------------------- */

#define FAIL(mesh, ...) (snprintf((mesh)->why, sizeof(mesh)->why, __VA_ARGS__), false)

static bool add_point(sari_mesh* mesh, const double p[3])
{
    void* points = mesh->point;
    const int grown = sari_grow(&points, mesh->points, &mesh->points_capacity, sizeof *mesh->point);
    mesh->point = points;
    if (grown) memcpy(mesh->point[mesh->points++], p, sizeof *mesh->point);
    return grown;
}

/* The point at this place, which triangles of STL files name anew each time. -1: no memory. */
static int point_at(sari_mesh* mesh, const double place[3])
{
    const double p[3] = {place[0] + 0.0, place[1] + 0.0, place[2] + 0.0}; // -0 is 0
    const unsigned code = sari_hash_code(p, sizeof p);
    for (int k = sari_hash_first(&mesh->by_place, code); k >= 0;
         k = sari_hash_next(&mesh->by_place, k))
        if (memcmp(mesh->point[k], p, sizeof p) == 0) return k;
    return add_point(mesh, p) && sari_hash_add(&mesh->by_place, code) ? mesh->points - 1 : -1;
}

static bool add_triangle(sari_mesh* mesh, const int corner[3])
{
    if (mesh->triangles == SARI_MESH_TRIANGLES)
        return FAIL(mesh, "it has more than %d triangles; save it with fewer",
                    (int)SARI_MESH_TRIANGLES);
    void* triangles = mesh->triangle;
    const int grown =
        sari_grow(&triangles, mesh->triangles, &mesh->triangles_capacity, sizeof *mesh->triangle);
    mesh->triangle = triangles;
    if (grown) memcpy(mesh->triangle[mesh->triangles++], corner, sizeof *mesh->triangle);
    return grown;
}

static bool add_facet(sari_mesh* mesh, double (*corner)[3])
{
    int at[3];
    for (int k = 0; k < 3; k++)
        if ((at[k] = point_at(mesh, corner[k])) < 0) return false;
    return add_triangle(mesh, at);
}

/* ---- words of a text ------------------------------------------------------------------------ */

typedef struct words {
    const char *at, *end;
    int line; ///< from 1
} words;

enum { WORD = 64 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of the line; false at its end. Words that are too long are cut: they are none that
 * we know. */
static bool next_word(words* w, char out[WORD])
{
    while (w->at < w->end && is_blank(*w->at)) w->at++;
    size_t length = 0;
    for (; w->at < w->end && !is_blank(*w->at) && *w->at != '\n'; w->at++)
        if (length < WORD - 1) out[length++] = *w->at;
    out[length] = '\0';
    return length > 0;
}

static bool next_line(words* w)
{
    while (w->at < w->end && *w->at != '\n') w->at++;
    if (w->at == w->end) return false;
    w->at++;
    w->line++;
    return true;
}

static bool read_number(const char* text, double* out)
{
    sari_token token;
    const int sign = text[0] == '-' || text[0] == '+';
    if (!text[sign] || sari_token_read(text, sign, &token, NULL) != SAR_OK) return false;
    if (token.kind != SARI_TOKEN_NUMBER || token.offset != sign || text[sign + token.length])
        return false;
    *out = text[0] == '-' ? -token.number : token.number;
    return isfinite(*out);
}

static bool read_place(sari_mesh* mesh, words* w, double out[3])
{
    char word[WORD];
    for (int k = 0; k < 3; k++) {
        if (!next_word(w, word)) return FAIL(mesh, "line %d: a point has three numbers", w->line);
        if (!read_number(word, &out[k]))
            return FAIL(mesh, "line %d: '%.40s' is not a finite number", w->line, word);
    }
    return true;
}

/* ---- STL ------------------------------------------------------------------------------------ */

static bool read_text_stl(sari_mesh* mesh, const char* text, size_t length)
{
    words w = {text, text + length, 1};
    double corner[3][3];
    int corners = 0;
    char word[WORD];
    do {
        if (!next_word(&w, word)) continue;
        if (strcmp(word, "vertex") == 0) {
            if (corners == 3) return FAIL(mesh, "line %d: a facet has three corners", w.line);
            if (!read_place(mesh, &w, corner[corners++])) return false;
        } else if (strcmp(word, "endloop") == 0) {
            if (corners != 3)
                return FAIL(mesh, "line %d: a facet with %d corners; it has three", w.line,
                            corners);
            if (!add_facet(mesh, corner)) return false;
            corners = 0;
        }
    } while (next_line(&w));
    return corners == 0 || FAIL(mesh, "it ends within a facet, at line %d", w.line);
}

static uint32_t four_bytes(const char* at)
{
    const unsigned char* b = (const unsigned char*)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* 80 bytes of anything, how many triangles, and for each its normal, three corners and two bytes. */
enum { STL_HEAD = 84, STL_FACET = 50 };

static bool read_binary_stl(sari_mesh* mesh, const char* text, size_t length)
{
    const uint32_t count = four_bytes(text + 80);
    for (uint32_t t = 0; t < count; t++) {
        double corner[3][3];
        for (int k = 0; k < 9; k++) {
            const uint32_t bits =
                four_bytes(text + STL_HEAD + (size_t)STL_FACET * t + 12 + 4 * (size_t)k);
            float value;
            memcpy(&value, &bits, sizeof value);
            corner[k / 3][k % 3] = (double)value;
            if (!isfinite(value))
                return FAIL(mesh, "triangle %u of %u: a corner is not finite", (unsigned)t + 1,
                            (unsigned)count);
        }
        if (!add_facet(mesh, corner)) return false;
    }
    (void)length;
    return true;
}

static bool read_stl(sari_mesh* mesh, const char* text, size_t length)
{
    const bool head = length >= STL_HEAD;
    const size_t wanted = head ? STL_HEAD + (size_t)STL_FACET * four_bytes(text + 80) : 0;
    if (head && wanted == length) return read_binary_stl(mesh, text, length);
    if (length >= 5 && memcmp(text, "solid", 5) == 0) return read_text_stl(mesh, text, length);
    if (!head)
        return FAIL(mesh, "it is no STL file: it does not begin with 'solid', and is too short");
    return FAIL(mesh, "its head says %u triangles, which are %zu bytes; it has %zu",
                (unsigned)four_bytes(text + 80), wanted, length);
}

/* ---- OBJ ------------------------------------------------------------------------------------ */

/* "7", "7/1", "7//3", "-1": a point by its number from 1, or from the last. */
static bool read_corner(sari_mesh* mesh, const words* w, char* word, int* out)
{
    double number;
    char* slash = strchr(word, '/');
    if (slash) *slash = '\0';
    if (!read_number(word, &number) || number != floor(number))
        return FAIL(mesh, "line %d: '%.40s' is not the number of a point", w->line, word);
    const double at = number < 0 ? mesh->points + number : number - 1;
    if (!(at >= 0 && at < mesh->points))
        return FAIL(mesh, "line %d: there is no point %g; so far there are %d", w->line, number,
                    mesh->points);
    *out = (int)at;
    return true;
}

static bool read_face(sari_mesh* mesh, words* w)
{
    char word[WORD];
    int corner[3], count = 0, next;
    for (; next_word(w, word); count++) {
        if (!read_corner(mesh, w, word, &next)) return false;
        if (count >= 2) {
            corner[2] = next;
            if (!add_triangle(mesh, corner)) return false;
            corner[1] = next; // the next triangle of the fan
        } else {
            corner[count] = next;
        }
    }
    return count >= 3 || FAIL(mesh, "line %d: a face has three corners or more", w->line);
}

static bool read_obj(sari_mesh* mesh, const char* text, size_t length)
{
    words w = {text, text + length, 1};
    char word[WORD];
    double place[3];
    do {
        if (!next_word(&w, word)) continue;
        if (strcmp(word, "v") == 0) {
            if (!read_place(mesh, &w, place) || !add_point(mesh, (const double*)place))
                return false;
        } else if (strcmp(word, "f") == 0) {
            if (!read_face(mesh, &w)) return false;
        }
    } while (next_line(&w));
    return true;
}

/* ---- both ----------------------------------------------------------------------------------- */

bool sari_mesh_read(sari_mesh* mesh, const char* text, size_t length, bool obj)
{
    *mesh = (sari_mesh){0};
    if (!(obj ? read_obj : read_stl)(mesh, text, length)) return false;
    return mesh->triangles > 0 || FAIL(mesh, "it has no triangles");
}

void sari_mesh_clear(sari_mesh* mesh)
{
    sari_release(mesh->point);
    sari_release(mesh->triangle);
    sari_hash_release(&mesh->by_place);
    *mesh = (sari_mesh){0};
}
