#define _GNU_SOURCE // renameat2
#include "results/place.h"

#include "base/memory.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

const sari_draft sari_no_draft = {.file = -1};

/* ---- locks ---------------------------------------------------------------------------------- */

static int same_file(const struct stat* a, const struct stat* b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* File systems without locks are no reason to fail. */
static int is_locked_elsewhere(int file)
{
    return flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/* Open and lock. Another writer may have renamed the file between the two: then what we hold is no
 * longer what has the name, and we try again. -1 with errno; EWOULDBLOCK: another writer has it. */
static int open_locked(const char* path, int flags)
{
    for (;;) {
        int file = open(path, flags | O_RDWR | O_CLOEXEC, 0666);
        if (file < 0) return -1;
        struct stat ours, named;
        int busy = is_locked_elsewhere(file);
        if (!busy && fstat(file, &ours) == 0 && stat(path, &named) == 0 && same_file(&ours, &named))
            return file;
        close(file);
        errno = EWOULDBLOCK;
        if (busy) return -1;
    }
}

/* ---- the place ------------------------------------------------------------------------------ */

static sar_status cannot_create(const sari_place* place, int why, sar_error* error)
{
    return sari_fail(error, SAR_E_IO, NULL, "cannot create %s: %s", place->asked,
                     why == EWOULDBLOCK ? "another program has it open" : strerror(why));
}

static sar_status name_place(sari_place* place, sar_error* error)
{
    char* real = realpath(place->asked, NULL); // through links; NULL: there is nothing yet
    place->name = sari_copy_string(real ? real : place->asked);
    free(real);
    size_t bytes = place->name ? strlen(place->name) + sizeof ".part" : 0;
    place->part = bytes ? sari_allocate(bytes, 1) : NULL;
    if (!place->part) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    snprintf(place->part, bytes, "%s.part", place->name);
    return SAR_OK;
}

sar_status sari_place_open(sari_place* place, const char* path, sar_error* error)
{
    *place = (sari_place){.asked = path, .old = -1};
    SARI_TRY(name_place(place, error));
    struct stat there;
    if (stat(place->name, &there) != 0)
        return errno == ENOENT ? SAR_OK : cannot_create(place, errno, error);
    if (S_ISDIR(there.st_mode)) return cannot_create(place, EISDIR, error);
    place->direct = !S_ISREG(there.st_mode);
    if (place->direct) return SAR_OK;
    place->mode = there.st_mode & 07777;
    place->old = open_locked(place->name, 0);
    return place->old >= 0 ? SAR_OK : cannot_create(place, errno, error);
}

void sari_place_close(sari_place* place)
{
    if (place->old >= 0) close(place->old);
    sari_release(place->name);
    sari_release(place->part);
    *place = (sari_place){.old = -1};
}

/* ---- drafts --------------------------------------------------------------------------------- */

/* One that a killed program left behind has no lock and is used again. */
sar_status sari_draft_create(sari_draft* draft, const sari_place* place, sar_error* error)
{
    draft->file = open_locked(place->part, O_CREAT | O_NOFOLLOW);
    if (draft->file < 0) return cannot_create(place, errno, error);
    if (place->mode && fchmod(draft->file, place->mode) != 0)
        errno = 0; // not ours to change: the new file has the usual permissions
    if (ftruncate(draft->file, 0) != 0) {
        int why = errno;
        sari_draft_close(draft);
        return cannot_create(place, why, error);
    }
    sari_draft_note(draft);
    return SAR_OK;
}

void sari_draft_close(sari_draft* draft)
{
    if (draft->file >= 0) close(draft->file);
    *draft = sari_no_draft;
}

/* Clocks of file systems are coarse: a change right after ours could have the same time. So the
 * file gets a time that no clock of theirs shows. */
void sari_draft_note(sari_draft* draft)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
    if (clock_gettime(CLOCK_REALTIME, &times[1]) == 0 && futimens(draft->file, times) != 0)
        errno = 0; // a file system that cannot: the coarse time it is
    if (fstat(draft->file, &draft->seen) != 0) memset(&draft->seen, 0, sizeof draft->seen);
}

int sari_draft_is_whole(const sari_draft* draft, const char* path)
{
    struct stat now;
    const struct stat* then = &draft->seen;
    return stat(path, &now) == 0 && same_file(&now, then) && now.st_size == then->st_size &&
           now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == then->st_mtim.tv_nsec;
}

sar_status sari_place_changed(const sari_place* place, sar_error* error)
{
    return sari_fail(error, SAR_E_IO, NULL,
                     "%s was changed, moved or removed by another program while it was written",
                     place->asked);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* At once where the system can. Else in three steps, between which the name is missing for a moment
 * and "<part>.old" has the file. */
static int exchange(const char* name, const char* part)
{
#ifdef RENAME_EXCHANGE
    if (renameat2(AT_FDCWD, part, AT_FDCWD, name, RENAME_EXCHANGE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return -1;
#endif
    size_t bytes = strlen(part) + sizeof ".old";
    char* aside = sari_allocate(bytes, 1);
    if (!aside) return errno = ENOMEM, -1;
    snprintf(aside, bytes, "%s.old", part);
    int failed = rename(name, aside) || rename(part, name) || rename(aside, part);
    sari_release(aside);
    return failed ? -1 : 0;
}

sar_status sari_place_show(sari_place* place, sari_draft* part, sari_draft* before,
                           sar_error* error)
{
    if (!sari_draft_is_whole(part, place->part)) return sari_place_changed(place, error);
    if (before && !sari_draft_is_whole(before, place->name))
        return sari_place_changed(place, error);
    int failed = before ? exchange(place->name, place->part) : rename(place->part, place->name);
    if (failed) return cannot_create(place, errno, error);
    if (place->old >= 0) close(place->old);
    place->old = -1;
    return SAR_OK;
}
