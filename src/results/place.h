/* The place of a result: the name that was asked for, and how files get there.
 *
 * A file is written as a draft, "NAME.part" in the same folder, and takes the name when it is good:
 * what had the name before is untouched until then. A writer holds locks (flock, as HDF5
 * does) on all files involved, so that a second writer is refused.
 */
#ifndef SARI_RESULTS_PLACE_H
#define SARI_RESULTS_PLACE_H

#include "sarrus/base.h"

#include <sys/stat.h>

/// A file of ours, under the name or beside it. Its lock lives as long as `file` is open.
typedef struct sari_draft {
    int file;         ///< -1: none
    struct stat seen; ///< as we left it, to notice changes by others
} sari_draft;

typedef struct sari_place {
    const char* asked; ///< as the caller spells it, for messages
    char *name, *part; ///< links followed; "<name>.part"
    int direct;        ///< a pipe or a device: nothing to rename, nothing to lock
    int old;           ///< lock on what is to be replaced; -1: nothing is
    mode_t mode;       ///< of that
} sari_place;

extern const sari_draft sari_no_draft;

/// Find the place and lock what is there. SAR_E_IO after "cannot create ...": no folder, no
/// permission, another program has it open.
sar_status sari_place_open(sari_place* place, const char* path, sar_error* error);
/// Removes a draft that has not got the name.
void sari_place_close(sari_place* place);

/// Create the part, empty and locked.
sar_status sari_draft_create(sari_draft* draft, const sari_place* place, sar_error* error);
void sari_draft_close(sari_draft* draft);
/// It has been written: remember how it looks now.
void sari_draft_note(sari_draft* draft);
/// Is it as it was noted, under the name `path`? Else another program has been at it.
int sari_draft_is_whole(const sari_draft* draft, const char* path);

/// The part gets the name. What had it is gone; or, if that is `before`, becomes the part.
sar_status sari_place_show(sari_place* place, sari_draft* part, sari_draft* before,
                           sar_error* error);
/// SAR_E_IO: "... was changed, moved or removed by another program while it was written".
sar_status sari_place_changed(const sari_place* place, sar_error* error);

#endif
