/* A hash index: the things 0, 1, 2, ... of some array by a code made of their content.
 *
 * The array stays with its owner, who also compares: a chain holds every thing whose code may be
 * the one asked for.
 *
 *     for (int k = sari_hash_first(&h, code); k >= 0; k = sari_hash_next(&h, k))
 *         if (same(things[k], wanted)) ...
 *
 * A lookup costs the same however many things there are. */
#ifndef SARI_HASH_H
#define SARI_HASH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sari_hash {
    int* heads;      ///< by chain: the newest thing in it, -1: none
    int* next;       ///< by thing: the next older one of its chain, -1: none
    unsigned* codes; ///< by thing
    int count;
    int capacity; ///< things that have room; a power of two, and the number of chains
} sari_hash;

/// Code of some bytes, such as a name (FNV-1a, with its bits mixed).
unsigned sari_hash_code(const void* bytes, size_t length);

/// Take in the thing number `count`. False when out of memory: nothing has changed then.
bool sari_hash_add(sari_hash* hash, unsigned code);
int sari_hash_first(const sari_hash* hash, unsigned code);
int sari_hash_next(const sari_hash* hash, int thing);
/// Forget all things from number `count` on.
void sari_hash_cut(sari_hash* hash, int count);
void sari_hash_release(sari_hash* hash);

#endif
