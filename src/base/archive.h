/* The state of an object as bytes: one walk over its members, in one order, for three purposes. It counts
 * their bytes, writes them or reads them back, so that the three cannot differ.
 *
 *     void sari_predictor_archive(sari_predictor* p, sari_archive* a)
 *     {
 *         SARI_ARCHIVE_NUMBERS(a, &p->h, &p->turn);
 *         sari_archive_numbers(a, p->e, p->n);
 *     }
 *
 * Numbers have eight bytes (IEEE 754), integers eight, characters one; all with the lowest byte first,
 * whatever the machine, the compiler and the addresses are. A walk names what an object knows from one
 * step to the next. It leaves out what follows from the model and the options, what is written before it
 * is read (scratch), and caches that are made anew with the same bits. Reading stops at the first thing
 * that does not fit: the members that follow stay as they are, and `failed` is set. */
#ifndef SARI_ARCHIVE_H
#define SARI_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

typedef enum sari_archive_use {
    SARI_ARCHIVE_COUNT, ///< bytes alone
    SARI_ARCHIVE_WRITE,
    SARI_ARCHIVE_READ,
    SARI_ARCHIVE_DIGEST ///< they are mixed into one number, which distinguishes objects
} sari_archive_use;

typedef struct sari_archive {
    sari_archive_use use;
    unsigned char* at; ///< the bytes; READ leaves them alone
    size_t room, used;
    uint64_t digest;
    int failed; ///< there are fewer bytes than are asked for, or a number is out of its range
} sari_archive;

/// NULL has no bytes: memory that this model or method has no use for.
void sari_archive_numbers(sari_archive* a, double* x, size_t count);
void sari_archive_ints(sari_archive* a, int* x, size_t count);
void sari_archive_longs(sari_archive* a, long* x, size_t count);
void sari_archive_bytes(sari_archive* a, void* x, size_t count); ///< flags
void sari_archive_text(sari_archive* a, char* x, size_t room);
/// An integer that says how much of something there is, or which it is: from `least` to `most`. Reading
/// another one fails, and leaves `least`.
int sari_archive_range(sari_archive* a, int x, int least, int most);
/// The same for 0 or 1.
int sari_archive_flag(sari_archive* a, int x);

/// The digest of some bytes: from 0, or going on.
uint64_t sari_archive_digest(uint64_t digest, const void* bytes, size_t count);

/// Members of one type, one after the other.
#define SARI_ARCHIVE_NUMBERS(a, ...)                                                               \
    sari_archive_each_number(a, sizeof((double*[]){__VA_ARGS__}) / sizeof(double*),                \
                             (double*[]){__VA_ARGS__})
#define SARI_ARCHIVE_INTS(a, ...)                                                                  \
    sari_archive_each_int(a, sizeof((int*[]){__VA_ARGS__}) / sizeof(int*), (int*[]){__VA_ARGS__})
#define SARI_ARCHIVE_LONGS(a, ...)                                                                 \
    sari_archive_each_long(a, sizeof((long*[]){__VA_ARGS__}) / sizeof(long*),                      \
                           (long*[]){__VA_ARGS__})

/* for these macros */
void sari_archive_each_number(sari_archive* a, size_t count, double* const* x);
void sari_archive_each_int(sari_archive* a, size_t count, int* const* x);
void sari_archive_each_long(sari_archive* a, size_t count, long* const* x);

static inline int sari_archive_reads(const sari_archive* a)
{
    return a->use == SARI_ARCHIVE_READ && !a->failed;
}

#endif
