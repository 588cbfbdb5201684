/* The state of a simulation as one block of bytes.
 *
 * What a method remembers from step to step is spread over its objects: histories of integrators,
 * tangents that are used for several steps, charts, multipliers, angles that count revolutions. All
 * of it lies in memory that the simulation's ledger lists, so that this memory is the state. A block
 * holds it as it is; when it is loaded, a simulation of the same model and options is created, whose
 * memory has the same pieces, and is overwritten. Words that are addresses are translated:
 *
 *     into a piece               to the same place of the same piece               (1)
 *     into the code of Sarrus    by the distance between the two places of it      (2)
 *     anywhere else              not at all: the new simulation has its own there  (3)
 *
 * (3) are names and tables of the user's model, and what other libraries keep: integrators that have
 * their memory there start afresh after a block was made, in the simulation that was saved and in
 * the one that is loaded. Which words are addresses is known from the map of the process: nothing
 * else has such values, since as floating-point numbers they would be below 1e-307.
 *
 * A block is for the same build of the library, model and options, which are compared. */
#include "base/memory.h"
#include "base/status.h"
#include "simulation/simulation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 2 };
static const char MAGIC[8] = "SARSTATE";
static const uint64_t LARGEST = (uint64_t)1
                                << 37; ///< range of addresses that somebody uses [bytes]

typedef struct header {
    char magic[8];
    uint64_t version, length; ///< of the block
    uint64_t checksum;        ///< of all that follows
    uint64_t build, identity; ///< of the code; of the model and the options
    uint64_t code, code_end;  ///< where it was
    uint64_t pieces, next;
    uint64_t assembled;
} header;

typedef struct entry {
    uint64_t at, size, number;
    uint64_t set;  ///< bytes that are part of the block, from the beginning of the piece
    uint64_t kept; ///< how many words are those of (3); their places follow the piece
} entry;

/* ---- what is an address --------------------------------------------------------------------- */

typedef struct range {
    uint64_t from, to;
} range;

/// The map of the process, of /proc/self/maps.
typedef struct map {
    range* ranges; ///< ascending
    int count, capacity;
    range code, text; ///< all of the library's own; its instructions
} map;

static void anchor(void)
{
}

/* A line: "from-to rwxp offset device inode path". Parts of one file have the same inode. */
static int read_line(map* m, const char* line, unsigned long* inode)
{
    range r;
    char rights[8];
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %lu", &r.from, &r.to, rights, inode) != 4)
        return 0;
    if (rights[0] != 'r' || r.to - r.from > LARGEST)
        r.to = r.from; // nobody's: reserved, or of a sanitizer
    void* ranges = m->ranges;
    const int room = sari_grow(&ranges, m->count, &m->capacity, sizeof *m->ranges);
    m->ranges = ranges;
    if (room) m->ranges[m->count++] = r;
    return room;
}

/* SAR_E_BUILD: this system does not tell. */
static sar_status read_map(map* m)
{
    *m = (map){0};
    FILE* file = fopen("/proc/self/maps", "re");
    if (!file) return SAR_E_BUILD;
    char line[512];
    const uint64_t here = (uint64_t)(uintptr_t)anchor;
    unsigned long inode, own = 0;
    int failed = 0;
    for (int pass = 0; pass < 2 && !failed; pass++, rewind(file)) {
        m->count = 0;
        while (fgets(line, sizeof line, file)) {
            if (!strchr(line, '\n')) { // a long path
                for (int c = 0; c != '\n' && c != EOF;) c = fgetc(file);
            }
            if (!read_line(m, line, &inode)) failed = 1;
            if (failed) break;
            const range* r = &m->ranges[m->count - 1];
            if (here >= r->from && here < r->to) own = inode, m->text = *r;
            if (pass == 1 && inode == own && own != 0) {
                if (m->code.from == 0) m->code.from = r->from;
                m->code.to = r->to;
            }
        }
    }
    fclose(file);
    return failed || own == 0 ? SAR_E_BUILD : SAR_OK;
}

static int is_mapped(const map* m, uint64_t word)
{
    if (m->count == 0 || word < m->ranges[0].from) return 0;
    int low = 0, high = m->count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (word >= m->ranges[middle].from)
            low = middle;
        else
            high = middle;
    }
    return word < m->ranges[low].to;
}

static int by_place(const void* a, const void* b)
{
    const entry *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* The piece that a word points into, or just behind; NULL: none. `sorted` by place. */
static const entry* piece_of(const entry* sorted, size_t count, uint64_t word)
{
    if (count == 0 || word < sorted[0].at) return NULL;
    size_t low = 0, high = count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (word >= sorted[middle].at)
            low = middle;
        else
            high = middle;
    }
    return word <= sorted[low].at + sorted[low].size ? &sorted[low] : NULL;
}

static uint64_t word_at(const char* at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* ---- what a block is for -------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
    return h ^ h >> 29;
}

static uint64_t checksum_of(const char* bytes, size_t length)
{
    uint64_t h = 14695981039346656037ULL;
    size_t k = 0;
    for (; k + 8 <= length; k += 8) h = mix(h, word_at(bytes + k));
    for (; k < length; k++) h = mix(h, (unsigned char)bytes[k]);
    return h;
}

/* Is it a number in every process? Programs that are not position-independent have their memory at low
 * addresses, so that small integers may be addresses here and none elsewhere. */
static int is_number(uint64_t word)
{
    const uint64_t LOWEST = 1 << 16;
    return word >> 48 != 0 || word < LOWEST;
}

/* All numbers in a simulation that was just created, in whatever order: memory begins at other
 * places of a cache line in every process. */
static uint64_t identity_of(const sari_ledger* ledger)
{
    uint64_t sum = mix(1, ledger->next);
    for (int k = 0; k < ledger->count; k++) {
        const sari_piece* p = &ledger->pieces[k];
        uint64_t words = 0;
        for (size_t i = 0; i + 8 <= sari_piece_set(p); i += 8) {
            const uint64_t word = word_at(p->at + i);
            if (word && is_number(word)) words += mix(7, word);
        }
        sum = mix(sum, words) + mix(p->number, p->size);
    }
    return sum;
}

static sar_status describe(const sar_simulation* fresh, const map* m, header* h)
{
    memcpy(h->magic, MAGIC, sizeof MAGIC);
    h->version = VERSION;
    h->build = checksum_of((const char*)(uintptr_t)m->text.from, m->text.to - m->text.from);
    h->identity = identity_of(fresh->ledger);
    h->code = m->code.from, h->code_end = m->code.to;
    return SAR_OK;
}

/* ---- save ----------------------------------------------------------------------------------- */

static size_t padded(size_t size)
{
    return (size + 7) / 8 * 8;
}

static entry* entries_of(const sari_ledger* ledger)
{
    entry* entries = SARI_NEW_ARRAY(entry, ledger->count + 1);
    for (int k = 0; entries && k < ledger->count; k++)
        entries[k] = (entry){(uint64_t)(uintptr_t)ledger->pieces[k].at, ledger->pieces[k].size,
                             ledger->pieces[k].number, 0, 0};
    return entries;
}

/* Is it an address that only this process knows? */
static int is_kept(const map* m, const entry* sorted, size_t count, uint64_t word)
{
    if (!is_mapped(m, word) || (word >= m->code.from && word < m->code.to)) return 0;
    return piece_of(sorted, count, word) == NULL;
}

/* Pieces one after the other: an entry, the bytes, the places of words that are kept. With `to` NULL
 * the length alone. */
static size_t write_pieces(const sari_ledger* ledger, const map* m, const entry* sorted, char* to)
{
    size_t length = 0;
    for (int k = 0; k < ledger->count; k++) {
        const sari_piece* p = &ledger->pieces[k];
        const size_t set = sari_piece_set(p);
        entry e = {(uint64_t)(uintptr_t)p->at, p->size, p->number, set, 0};
        const size_t begin = length, places = length + sizeof e + padded(set);
        for (size_t i = 0; i + 8 <= set; i += 8) {
            if (!is_kept(m, sorted, (size_t)ledger->count, word_at(p->at + i))) continue;
            if (to) memcpy(to + places + 8 * e.kept, &(uint64_t){i}, 8);
            e.kept++;
        }
        if (to) {
            memset(to + begin, 0, places - begin);
            memcpy(to + begin, &e, sizeof e);
            memcpy(to + begin + sizeof e, p->at, set);
        }
        length = places + 8 * e.kept;
    }
    return length;
}

/* What (3) cannot translate starts afresh from here, in this simulation too. */
static void forget_others(sar_simulation* s)
{
    if (s->assembled && s->integrator->elsewhere) s->at_breakpoint = 1;
}

sar_status sar_simulation_save(sar_simulation* s, void* block, size_t room, size_t* length,
                               sar_error* error)
{
    map m;
    header h = {.assembled = (uint64_t)s->assembled,
                .pieces = (uint64_t)s->ledger->count,
                .next = s->ledger->next};
    sar_simulation* fresh = NULL;
    if (s->looks_back) SARI_TRY(sar_simulation_look(s, INFINITY));
    forget_others(s);
    sar_status st = sar_simulation_create(s->user_model, &s->user_options, &fresh, error);
    entry* sorted = st == SAR_OK ? entries_of(s->ledger) : NULL;
    if (st == SAR_OK && !sorted) st = sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    if (st == SAR_OK && read_map(&m) != SAR_OK)
        st = sari_fail(error, SAR_E_BUILD, NULL,
                       "states can be saved on Linux only: there is no /proc/self/maps");
    if (st == SAR_OK) {
        qsort(sorted, (size_t)s->ledger->count, sizeof *sorted, by_place);
        describe(fresh, &m, &h);
        h.length = sizeof h + write_pieces(s->ledger, &m, sorted, NULL);
        *length = h.length;
        if (block && room < h.length)
            st = sari_fail(error, SAR_E_ARG, "room", "the state has %zu bytes", (size_t)h.length);
        if (block && st == SAR_OK) {
            write_pieces(s->ledger, &m, sorted, (char*)block + sizeof h);
            memcpy(block, &h, sizeof h);
            const size_t first = offsetof(header, build);
            h.checksum = checksum_of((char*)block + first, h.length - first);
            memcpy(block, &h, sizeof h);
        }
        sari_release(m.ranges);
    }
    sari_release(sorted);
    sar_simulation_destroy(fresh);
    return st;
}

/* ---- load ----------------------------------------------------------------------------------- */

static sar_status check_block(const char* block, size_t length, header* h, sar_error* error)
{
    if (length < sizeof *h || memcmp(block, MAGIC, sizeof MAGIC) != 0)
        return sari_fail(error, SAR_E_ARG, "block", "this is not a state of a simulation");
    memcpy(h, block, sizeof *h);
    if (h->version != VERSION)
        return sari_fail(error, SAR_E_ARG, "block", "this state has version %d, wanted is %d",
                         (int)h->version, VERSION);
    const size_t first = offsetof(header, build);
    if (h->length != length || h->checksum != checksum_of(block + first, length - first))
        return sari_fail(error, SAR_E_ARG, "block", "this state is damaged or incomplete");
    return SAR_OK;
}

/* All entries of a block, which is whole; `data` are the places of their bytes. */
static int list_entries(const char* block, const header* h, entry* entries, const char** data)
{
    size_t at = sizeof *h;
    for (uint64_t k = 0; k < h->pieces; k++) {
        if (at + sizeof(entry) > h->length) return 0;
        memcpy(&entries[k], block + at, sizeof(entry));
        data[k] = block + at + sizeof(entry);
        const uint64_t most = h->length - at - sizeof(entry);
        if (entries[k].set > entries[k].size || entries[k].set > most || entries[k].kept > most / 8)
            return 0;
        at += sizeof(entry) + padded(entries[k].set) + 8 * entries[k].kept;
    }
    return at == h->length;
}

/* The piece of the new simulation for each one of the block: its own, or a new one; what it has
 * beyond is released. */
static sar_status match(sari_ledger* ledger, const entry* entries, size_t count, char** target)
{
    size_t own = 0;
    sari_piece* pieces = SARI_NEW_ARRAY(sari_piece, count + 1);
    if (!pieces) return SAR_E_NOMEM;
    for (size_t k = 0; k < count; k++) {
        for (; own < (size_t)ledger->count && ledger->pieces[own].number < entries[k].number; own++)
            sari_release(ledger->pieces[own].at);
        const int same = own < (size_t)ledger->count &&
                         ledger->pieces[own].number == entries[k].number &&
                         ledger->pieces[own].size == entries[k].size;
        sari_piece piece = {NULL, entries[k].size, entries[k].number, 0, NULL};
        if (same) piece = ledger->pieces[own++];
        target[k] = same ? piece.at : sari_allocate(1, entries[k].size);
        if (!target[k]) {
            sari_release(pieces);
            return SAR_E_NOMEM;
        }
        pieces[k] = piece;
        pieces[k].at = target[k];
    }
    for (; own < (size_t)ledger->count; own++) sari_release(ledger->pieces[own].at);
    sari_release(ledger->pieces);
    ledger->pieces = pieces;
    ledger->count = ledger->capacity = (int)count;
    return SAR_OK;
}

typedef struct translation {
    const entry *entries, *sorted; ///< sorted: `number` is the index in `entries`
    char* const* target;
    size_t count;
    header h;
    uint64_t moved; ///< of the code
} translation;

static uint64_t translate(const translation* t, uint64_t word)
{
    const entry* e = piece_of(t->sorted, t->count, word);
    if (e) return (uint64_t)(uintptr_t)t->target[e->number] + (word - e->at);
    return word >= t->h.code && word < t->h.code_end ? word + t->moved : word;
}

static void fill(const translation* t, size_t k, const char* data)
{
    const entry* e = &t->entries[k];
    const char* places = data + padded(e->set);
    uint64_t left = 0;
    for (size_t i = 0; i < e->set; i += 8) {
        if (left < e->kept && word_at(places + 8 * left) == i) {
            left++;
            continue;
        }
        if (i + 8 > e->set) {
            memcpy(t->target[k] + i, data + i, e->set - i);
            break;
        }
        const uint64_t word = translate(t, word_at(data + i));
        memcpy(t->target[k] + i, &word, sizeof word);
    }
}

static sar_status overwrite(sar_simulation* s, const char* block, const header* h, const map* m)
{
    const size_t count = h->pieces;
    const sari_sharing sharing = s->sharing; // of this machine
    sari_ledger* ledger = s->ledger;
    entry *entries = SARI_NEW_ARRAY(entry, count), *sorted = SARI_NEW_ARRAY(entry, count);
    const char** data = SARI_NEW_ARRAY(const char*, count);
    char** target = SARI_NEW_ARRAY(char*, count);
    sar_status st = entries && sorted && data && target ? SAR_OK : SAR_E_NOMEM;
    if (st == SAR_OK && !list_entries(block, h, entries, data)) st = SAR_E_ARG;
    if (st == SAR_OK) st = match(ledger, entries, count, target);
    if (st == SAR_OK) {
        for (size_t k = 0; k < count; k++) sorted[k] = entries[k], sorted[k].number = k;
        qsort(sorted, count, sizeof *sorted, by_place);
        const translation t = {entries, sorted, target, count, *h, m->code.from - h->code};
        for (size_t k = 0; k < count; k++) fill(&t, k, data[k]);
        ledger->next = h->next;
        s->sharing = sharing;
    }
    sari_release(entries);
    sari_release(sorted);
    sari_release((void*)data);
    sari_release((void*)target);
    return st;
}

static sar_status check_origin(const sar_simulation* fresh, const header* h, const map* m,
                               sar_error* error)
{
    header own = {0};
    describe(fresh, m, &own);
    if (own.build != h->build)
        return sari_fail(error, SAR_E_ARG, "block",
                         "this state was saved by another build of Sarrus");
    if (own.identity != h->identity)
        return sari_fail(error, SAR_E_ARG, "block",
                         "this state was saved with another model, other parameters or options");
    return SAR_OK;
}

sar_status sar_simulation_load(const sar_model* model, const sar_options* options,
                               const void* block, size_t length, sar_simulation** out,
                               sar_error* error)
{
    header h;
    map m = {0};
    sar_simulation* s = NULL;
    *out = NULL;
    SARI_TRY(check_block(block, length, &h, error));
    SARI_TRY(sar_simulation_create(model, options, &s, error));
    sar_status st = read_map(&m);
    if (st != SAR_OK) sari_fail(error, st, NULL, "states can be loaded on Linux only");
    if (st == SAR_OK) st = check_origin(s, &h, &m, error);
    if (st == SAR_OK && h.assembled) {
        st = sar_simulation_assemble(s, NULL);
        if (st != SAR_OK) sari_fail(error, st, NULL, "%s", sar_simulation_failure(s));
    }
    if (st == SAR_OK) {
        st = overwrite(s, block, &h, &m);
        if (st != SAR_OK)
            sari_fail(error, st, "block",
                      st == SAR_E_NOMEM ? "out of memory" : "this state is damaged");
    }
    sari_release(m.ranges);
    if (st == SAR_OK)
        *out = s;
    else
        sar_simulation_destroy(s);
    return st;
}
