/* distance(A, B): the distance of the shapes of two bodies, which is a signal. */
#include "expression/expression.h"

#include <string.h>

static const char WORD[] = "distance(", SIGNAL[] = ".clearance@";
static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.{}";

/* Both have the same length, but for blanks. */
static void spell(char* at)
{
    const size_t word = sizeof WORD - 1, signal = sizeof SIGNAL - 1;
    char* a = at + word + strspn(at + word, " ");
    const size_t m = strspn(a, LETTERS);
    const char* b = a + m + strspn(a + m, " ");
    if (m == 0 || *b++ != ',') return;
    b += strspn(b, " ");
    const size_t n = strspn(b, LETTERS);
    const char* end = b + n + strspn(b + n, " ");
    if (n == 0 || *end != ')') return;
    const size_t from = (size_t)(b - at), whole = (size_t)(end + 1 - at);
    memmove(at, a, m);
    memmove(at + m + signal, at + from, n);
    memcpy(at + m, SIGNAL, signal);
    memset(at + m + signal + n, ' ', whole - m - signal - n);
}

void sari_spell_distances(char* text)
{
    for (char* at = text; (at = strstr(at, WORD)); at++)
        if (at == text || !strchr(LETTERS, at[-1])) spell(at);
}
