#include "base/ledger.h"

#include "base/memory.h"

#include <string.h>

static _Thread_local sari_ledger* the_open;

sari_ledger* sari_ledger_open(sari_ledger* ledger)
{
    sari_ledger* before = the_open;
    the_open = ledger;
    return before;
}

sari_ledger* sari_ledger_create(void)
{
    sari_ledger* before = sari_ledger_open(NULL);
    sari_ledger* ledger = SARI_NEW(sari_ledger);
    sari_ledger_open(before);
    return ledger;
}

void sari_ledger_destroy(sari_ledger* ledger)
{
    if (!ledger) return;
    sari_release(ledger->pieces);
    sari_release(ledger);
}

int sari_ledger_enter(void* memory, size_t size, size_t head, const size_t* used)
{
    sari_ledger* ledger = sari_ledger_open(NULL); // its own memory is not in it
    if (!ledger) return 1;
    void* pieces = ledger->pieces;
    const int room = sari_grow(&pieces, ledger->count, &ledger->capacity, sizeof *ledger->pieces);
    ledger->pieces = pieces;
    if (room)
        ledger->pieces[ledger->count++] = (sari_piece){memory, size, ledger->next++, head, used};
    sari_ledger_open(ledger);
    return room;
}

size_t sari_piece_set(const sari_piece* piece)
{
    return piece->used ? piece->head + *piece->used : piece->size;
}

/* From the end: what lives shortly was entered last. */
void sari_ledger_strike(const void* memory)
{
    sari_ledger* ledger = the_open;
    if (!ledger || !memory) return;
    int k = ledger->count - 1;
    while (k >= 0 && ledger->pieces[k].at != memory) k--;
    if (k < 0) return;
    memmove(ledger->pieces + k, ledger->pieces + k + 1,
            (size_t)(ledger->count - k - 1) * sizeof *ledger->pieces);
    ledger->count--;
}
