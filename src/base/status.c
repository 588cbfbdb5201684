#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char* sar_status_text(sar_status status)
{
    switch (status) {
#define SAR_STATUS_TEXT(name, value, text)                                                         \
    case name:                                                                                     \
        return text;
        SAR_STATUS_LIST(SAR_STATUS_TEXT)
#undef SAR_STATUS_TEXT
    }
    return "unknown status";
}

sar_status sari_fail(sar_error* error, sar_status status, const char* field, const char* format,
                     ...)
{
    if (!error) return status;
    error->status = status;
    error->offset = -1;
    snprintf(error->field, sizeof error->field, "%s", field ? field : "");
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}

/* Edit distance with neighbouring letters swapped counted once (optimal string alignment). */
static int edit_distance(const char* a, const char* b)
{
    enum { MOST = 40 };
    int row[3][MOST + 1];
    int na = (int)strlen(a), nb = (int)strlen(b);
    if (na > MOST || nb > MOST) return MOST;
    for (int j = 0; j <= nb; j++) row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int* now = row[i % 3];
        const int* last = row[(i + 2) % 3];
        const int* before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[na % 3][nb];
}

const char* sari_nearest_word(const char* word, const char* const* words, int count)
{
    int length = (int)strlen(word);
    int best = length <= 3 ? 2 : 1 + length / 3; // farther is not a typo
    const char* nearest = NULL;
    for (int k = 0; k < count; k++) {
        int d = edit_distance(word, words[k]);
        if (d < best) {
            best = d;
            nearest = words[k];
        }
    }
    return nearest;
}
