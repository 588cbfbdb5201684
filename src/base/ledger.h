/* A list of the memory that belongs to one simulation, so that it can be stored as a whole
 * (simulation/image.h). While a ledger is open in a thread, all that the thread allocates is entered,
 * with a number that counts allocations, and what it releases is struck out. */
#ifndef SARI_LEDGER_H
#define SARI_LEDGER_H

#include <stddef.h>
#include <stdint.h>

typedef struct sari_piece {
    char* at;
    size_t size;
    uint64_t number;    ///< the same in every simulation that was created from the same model
    size_t head;        ///< of a list (base/list_memory.h): bytes that are set in any case
    const size_t* used; ///< and how many behind them; NULL: all are
} sari_piece;

typedef struct sari_ledger {
    sari_piece* pieces; ///< in the order of their numbers
    int count, capacity;
    uint64_t next; ///< number
} sari_ledger;

sari_ledger* sari_ledger_create(void); ///< NULL: out of memory
void sari_ledger_destroy(sari_ledger* ledger);
/// Open it in this thread; NULL: none. Returns the one that was open.
sari_ledger* sari_ledger_open(sari_ledger* ledger);

/// Bytes of a piece that are set, from its beginning.
size_t sari_piece_set(const sari_piece* piece);

/* for memory.c */
int sari_ledger_enter(void* memory, size_t size, size_t head,
                      const size_t* used); ///< 0: out of memory
void sari_ledger_strike(const void* memory);

#endif
