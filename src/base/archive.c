#include "base/archive.h"

#include <limits.h>
#include <string.h>

enum { WORD = 8 };

static void put(unsigned char* at, uint64_t word)
{
    for (int k = 0; k < WORD; k++) at[k] = (unsigned char)(word >> 8 * k);
}

static uint64_t get(const unsigned char* at)
{
    uint64_t word = 0;
    for (int k = 0; k < WORD; k++) word |= (uint64_t)at[k] << 8 * k;
    return word;
}

static uint64_t mix(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * 0x9e3779b97f4a7c15ULL;
    return digest ^ digest >> 29;
}

uint64_t sari_archive_digest(uint64_t digest, const void* bytes, size_t count)
{
    const unsigned char* at = bytes;
    digest = mix(digest, count);
    for (; count >= WORD; count -= WORD, at += WORD) digest = mix(digest, get(at));
    for (; count > 0; count--, at++) digest = mix(digest, *at);
    return digest;
}

/* The next bytes, which are used from now on; NULL: there are none to be written or read. */
static unsigned char* take(sari_archive* a, size_t bytes)
{
    unsigned char* at = NULL;
    if (a->failed || a->use == SARI_ARCHIVE_DIGEST) return NULL;
    if (a->use != SARI_ARCHIVE_COUNT) {
        a->failed = bytes > a->room - a->used;
        at = a->failed ? NULL : a->at + a->used;
    }
    if (!a->failed) a->used += bytes;
    return at;
}

static uint64_t archive_word(sari_archive* a, unsigned char* at, uint64_t word)
{
    if (a->use == SARI_ARCHIVE_DIGEST) a->digest = mix(a->digest, word);
    if (at && a->use == SARI_ARCHIVE_WRITE) put(at, word);
    return at && a->use == SARI_ARCHIVE_READ ? get(at) : word;
}

void sari_archive_numbers(sari_archive* a, double* x, size_t count)
{
    unsigned char* at = x ? take(a, count * WORD) : NULL;
    if (!x || (!at && a->use != SARI_ARCHIVE_DIGEST)) return;
    for (size_t k = 0; k < count; k++) {
        uint64_t word;
        memcpy(&word, &x[k], sizeof word);
        word = archive_word(a, at ? at + k * WORD : NULL, word);
        if (a->use == SARI_ARCHIVE_READ) memcpy(&x[k], &word, sizeof word);
    }
}

static int64_t archive_integer(sari_archive* a, int64_t x)
{
    return (int64_t)archive_word(a, take(a, WORD), (uint64_t)x);
}

void sari_archive_longs(sari_archive* a, long* x, size_t count)
{
    for (size_t k = 0; x && k < count; k++) {
        const int64_t found = archive_integer(a, x[k]);
        if (found < LONG_MIN || found > LONG_MAX) a->failed = 1;
        if (sari_archive_reads(a)) x[k] = (long)found;
    }
}

int sari_archive_range(sari_archive* a, int x, int least, int most)
{
    const int64_t found = archive_integer(a, x);
    if (a->use != SARI_ARCHIVE_READ) return x;
    if (!(found >= least && found <= most)) a->failed = 1;
    return a->failed ? least : (int)found;
}

int sari_archive_flag(sari_archive* a, int x)
{
    return sari_archive_range(a, x != 0, 0, 1);
}

void sari_archive_ints(sari_archive* a, int* x, size_t count)
{
    for (size_t k = 0; x && k < count; k++) {
        const int found = sari_archive_range(a, x[k], INT_MIN, INT_MAX);
        if (sari_archive_reads(a)) x[k] = found;
    }
}

void sari_archive_bytes(sari_archive* a, void* x, size_t count)
{
    unsigned char* at = x ? take(a, count) : NULL;
    if (x && a->use == SARI_ARCHIVE_DIGEST) a->digest = sari_archive_digest(a->digest, x, count);
    if (!at) return;
    if (a->use == SARI_ARCHIVE_READ)
        memcpy(x, at, count);
    else
        memcpy(at, x, count);
}

void sari_archive_text(sari_archive* a, char* x, size_t room)
{
    sari_archive_bytes(a, x, room);
    if (a->use == SARI_ARCHIVE_READ) x[room - 1] = 0;
}

void sari_archive_each_number(sari_archive* a, size_t count, double* const* x)
{
    for (size_t k = 0; k < count; k++) sari_archive_numbers(a, x[k], 1);
}

void sari_archive_each_int(sari_archive* a, size_t count, int* const* x)
{
    for (size_t k = 0; k < count; k++) sari_archive_ints(a, x[k], 1);
}

void sari_archive_each_long(sari_archive* a, size_t count, long* const* x)
{
    for (size_t k = 0; k < count; k++) sari_archive_longs(a, x[k], 1);
}
