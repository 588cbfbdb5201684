/* Numbers and words of robot files. */
#include "expression/token.h"
#include "import/importer.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',';
}

/* "inf", "-Infinity": only limits and ranges have them. */
static int read_infinity(const char* text, double* out)
{
    if (strncasecmp(text, "infinity", 8) == 0) return *out = INFINITY, 8;
    if (strncasecmp(text, "inf", 3) == 0) return *out = INFINITY, 3;
    return 0;
}

/* One number at the beginning of a text: the bytes that it has, 0: none. The decimal point does not depend on the
 * locale. */
static int read_number(const char* text, double* out)
{
    const int sign = text[0] == '-' || text[0] == '+';
    int used = read_infinity(text + sign, out);
    if (used == 0 && (isdigit((unsigned char)text[sign]) ||
                      (text[sign] == '.' && isdigit((unsigned char)text[sign + 1])))) {
        sari_token token;
        if (sari_token_read(text, sign, &token, NULL) != SAR_OK || token.kind != SARI_TOKEN_NUMBER)
            return 0;
        *out = token.number;
        used = token.length;
    }
    if (used == 0) return 0;
    if (text[0] == '-') *out = -*out;
    return sign + used;
}

static void refuse_number(sari_importer* im, const char* text, sari_place place, const char* what)
{
    if (strstr(text, "${") || strstr(text, "$(")) {
        sari_import_error(im, place, "%s is an expression of xacro: '%.60s'", what, text);
        sari_import_hint(im, "run 'xacro FILE > robot.urdf' first, and import what it writes");
        return;
    }
    sari_import_error(im, place, "%s: '%.60s' is not a number", what, text);
}

int sari_import_numbers(sari_importer* im, const char* text, sari_place place, const char* what,
                        int least, int most, double* out)
{
    double found[16] = {0};
    int count = 0;
    for (const char* at = text;;) {
        while (is_blank(*at)) at++;
        if (!*at) break;
        double value;
        const int used = read_number(at, &value);
        if (used == 0 || (at[used] && !is_blank(at[used]))) {
            refuse_number(im, at, place, what);
            return -1;
        }
        if (count < 16) found[count] = value;
        count++;
        at += used;
    }
    if (count < least || count > most) {
        sari_import_error(im, place, "%s: expected %d number%s, here %s %d", what, least,
                          least == 1 ? "" : "s", count == 1 ? "is" : "are", count);
        return -1;
    }
    for (int k = 0; k < count; k++) out[k] = found[k];
    return count;
}

static bool are_finite(sari_importer* im, const double* v, int count, sari_place place,
                       const char* what)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(v[k])) {
            sari_import_error(im, place, "%s must be finite", what);
            return false;
        }
    return true;
}

int sari_import_attribute(sari_importer* im, const sari_xml* node, const char* attribute, int least,
                          int most, double* out)
{
    const char* text = sari_xml_get(node, attribute);
    double found[16];
    if (!text) return 0;
    const int before = im->failures;
    const int count = sari_import_numbers(im, text, node->place, attribute, least, most, found);
    if (im->failures != before) // the place of the attribute costs a search
        return -1;
    if (!are_finite(im, found, count, node->place, attribute)) return -1;
    memcpy(out, found, (size_t)count * sizeof *out);
    return count;
}

double sari_import_number(sari_importer* im, const sari_xml* node, const char* attribute,
                          double fallback)
{
    const char* text = sari_xml_get(node, attribute);
    double value = fallback;
    if (text && sari_import_numbers(im, text, node->place, attribute, 1, 1, &value) < 0)
        return fallback;
    return value;
}

int sari_import_child_numbers(sari_importer* im, const sari_xml* node, const char* child, int least,
                              int most, double* out)
{
    const sari_xml* found = sari_xml_child(node, child);
    double v[16];
    if (!found) return 0;
    const int count = sari_import_numbers(im, found->text, found->place, child, least, most, v);
    if (count < 0 || !are_finite(im, v, count, found->place, child)) return -1;
    memcpy(out, v, (size_t)count * sizeof *out);
    return count;
}

double sari_import_child_number(sari_importer* im, const sari_xml* node, const char* child,
                                double fallback)
{
    const sari_xml* found = sari_xml_child(node, child);
    double value = fallback;
    if (found && sari_import_numbers(im, found->text, found->place, child, 1, 1, &value) < 0)
        return fallback;
    return value;
}

bool sari_import_truth(const char* text, bool fallback)
{
    if (!text) return fallback;
    return strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0 || strcasecmp(text, "yes") == 0;
}

const char* sari_import_name(sari_importer* im, const sari_xml* node, const char* attribute)
{
    const char* name = sari_xml_get(node, attribute);
    if (name && *name) {
        if (strstr(name, "${")) refuse_number(im, name, node->place, attribute);
        return name;
    }
    sari_import_error(im, node->place, "<%.60s> lacks the attribute '%s'", node->name, attribute);
    return "";
}

void sari_import_limits(sari_importer* im, sari_place place, const char* name, double lower,
                        double upper, sari_robot_travel* travel)
{
    if (isnan(lower) || isnan(upper)) return;
    if (lower > upper) {
        const double other = lower;
        lower = upper, upper = other;
        sari_import_note_at(im, place, "limits whose lower one is above the upper one: exchanged",
                            "joint '%.60s'", name);
    }
    travel->limited = lower > -SARI_NO_LIMIT || upper < SARI_NO_LIMIT;
    travel->lower = lower > -SARI_NO_LIMIT ? lower : -INFINITY;
    travel->upper = upper < SARI_NO_LIMIT ? upper : INFINITY;
}

bool sari_import_direction(sari_importer* im, sari_place place, const char* name, double axis[3])
{
    if (sari_pose_normalise(axis)) return true;
    sari_import_error(im, place, "joint '%.60s': the axis is zero: it has no direction", name);
    axis[0] = 1, axis[1] = axis[2] = 0;
    return false;
}
