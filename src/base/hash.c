#include "base/hash.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

enum { SMALLEST = 16 };

unsigned sari_hash_code(const void* bytes, size_t length)
{
    const unsigned char* b = bytes;
    uint64_t h = 14695981039346656037ULL;
    for (size_t k = 0; k < length; k++) h = (h ^ b[k]) * 1099511628211ULL;
    h ^= h >> 32; // chains are chosen by the low bits, which the last bytes alone decide
    h *= 0x9e3779b97f4a7c15ULL;
    return (unsigned)(h >> 32);
}

static int* chain_of(const sari_hash* hash, unsigned code)
{
    return &hash->heads[code & (unsigned)(hash->capacity - 1)];
}

static void link_thing(sari_hash* hash, int thing)
{
    int* head = chain_of(hash, hash->codes[thing]);
    hash->next[thing] = *head;
    *head = thing;
}

static bool enlarge(sari_hash* hash)
{
    sari_hash bigger = {.count = hash->count,
                        .capacity = hash->capacity ? 2 * hash->capacity : SMALLEST};
    bigger.heads = SARI_NEW_ARRAY(int, bigger.capacity);
    bigger.next = SARI_NEW_ARRAY(int, bigger.capacity);
    bigger.codes = SARI_NEW_ARRAY(unsigned, bigger.capacity);
    if (!bigger.heads || !bigger.next || !bigger.codes) {
        sari_hash_release(&bigger);
        return false;
    }
    for (int k = 0; k < bigger.capacity; k++) bigger.heads[k] = -1;
    if (hash->count) memcpy(bigger.codes, hash->codes, (size_t)hash->count * sizeof(unsigned));
    for (int k = 0; k < hash->count; k++) link_thing(&bigger, k);
    sari_hash_release(hash);
    *hash = bigger;
    return true;
}

bool sari_hash_add(sari_hash* hash, unsigned code)
{
    if (hash->count == hash->capacity && !enlarge(hash)) return false;
    hash->codes[hash->count] = code;
    link_thing(hash, hash->count++);
    return true;
}

int sari_hash_first(const sari_hash* hash, unsigned code)
{
    return hash->count ? *chain_of(hash, code) : -1;
}

int sari_hash_next(const sari_hash* hash, int thing)
{
    return hash->next[thing];
}

void sari_hash_cut(sari_hash* hash, int count)
{
    // The newest of all is the first of its chain: links were made in this order.
    while (hash->count > count) {
        hash->count--;
        *chain_of(hash, hash->codes[hash->count]) = hash->next[hash->count];
    }
}

void sari_hash_release(sari_hash* hash)
{
    sari_release(hash->heads);
    sari_release(hash->next);
    sari_release(hash->codes);
    *hash = (sari_hash){0};
}
