/* Collects what is wrong with a text, or what is worth a note, and shows each at its line:
 *
 *     crank.yaml:4:12: error: a body has no key 'mas'
 *         4 |   crank: {mas: 1}
 *           |           ^
 *     hint: did you mean 'mass'?
 */
#ifndef SARI_DIAGNOSTICS_H
#define SARI_DIAGNOSTICS_H

#include "base/printf.h"

#include <stdbool.h>
#include <stddef.h>

enum { SARI_DIAGNOSTICS_MOST = 20 };

/// A text that is read, mostly a file.
typedef struct sari_source {
    const char* name;
    const char* text;
    size_t length;
    int number; ///< errors are shown in this order
} sari_source;

/// A place in a text: line and column count from 1, `byte` from 0. Line 0: no place.
typedef struct sari_place {
    int line, column;
    size_t byte;
    const sari_source* source; ///< NULL: the one of the diagnostics
} sari_place;

typedef struct sari_diagnostic {
    sari_place place;
    char* source; ///< shown instead of the text's line when the error is not in the text
    char message[512];
    char hint[320];
    char used[320]; ///< who uses the file; "": it is the first one
} sari_diagnostic;

typedef struct sari_diagnostics {
    const char* kind; ///< "error" or "note"
    sari_source source;
    const char* used;      ///< what is added now is in a file that is used there; NULL: in `source`
    int count;             ///< kept
    int dropped;           ///< beyond SARI_DIAGNOSTICS_MOST
    sari_diagnostic* last; ///< NULL when the last one was not kept
    sari_diagnostic list[SARI_DIAGNOSTICS_MOST];
} sari_diagnostics;

void sari_diagnostics_init(sari_diagnostics* d, const char* kind, const char* name,
                           const char* text, size_t length);
void sari_diagnostics_clear(sari_diagnostics* d);

/// One error per place: a second one at the same place is a consequence of the first and is not
/// kept.
SARI_PRINTF(3, 4)
void sari_diagnostics_add(sari_diagnostics* d, sari_place place, const char* format, ...);

/// Is there one whose message begins so?
bool sari_diagnostics_has(const sari_diagnostics* d, const char* beginning);

/// An error that is not in the text but in `source`, at its character `offset` (-1: nowhere), like
/// `--set m=1/`.
SARI_PRINTF(4, 5)
void sari_diagnostics_add_outside(sari_diagnostics* d, const char* source, int offset,
                                  const char* format, ...);

/// What to do about the error that was added last.
SARI_PRINTF(2, 3)
void sari_diagnostics_hint(sari_diagnostics* d, const char* format, ...);

/// Place of a byte at or after `from`.
sari_place sari_place_forward(const sari_diagnostics* d, sari_place from, size_t byte);

/// All errors in the order of their places. NULL when there is none or no memory. sari_release it.
char* sari_diagnostics_format(sari_diagnostics* d);

#endif
