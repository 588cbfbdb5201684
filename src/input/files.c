#include "input/files.h"

#include "base/memory.h"
#include "base/status.h"
#include "sarrus/load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void forget(sari_file* file)
{
    sari_scratch_clear(&file->nodes);
    if (file->text) file->source.text = NULL;
    sari_release(file->text);
    file->text = NULL;
    file->root = NULL;
    file->flawed = false;
}

void sari_files_begin(sari_files* files)
{
    files->reading++;
    files->opened = 0;
    sari_scratch_reset(&files->texts);
    sari_scratch_reset(&files->scopes);
    for (int k = 0; k < files->count; k++)
        if (files->at[k]->flawed) forget(files->at[k]);
}

void sari_files_clear(sari_files* files)
{
    for (int k = 0; k < files->count; k++) {
        forget(files->at[k]);
        sari_release(files->at[k]->path);
        sari_release(files->at[k]);
    }
    sari_release((void*)files->at);
    sari_numbers_clear(&files->numbers);
    for (int k = 0; k < files->dimensions.count; k++)
        sari_release((void*)files->dimensions.at[k].name);
    sari_release(files->dimensions.at);
    sari_release((void*)files->dimensions.node);
    sari_release(files->found);
    sari_scratch_clear(&files->texts);
    sari_scratch_clear(&files->scopes);
    sari_hash_release(&files->by_path);
    *files = (sari_files){0};
}

sari_file* sari_files_find(const sari_files* files, const char* path)
{
    const sari_hash* hash = &files->by_path;
    for (int k = sari_hash_first(hash, sari_hash_code(path, strlen(path))); k >= 0;
         k = sari_hash_next(hash, k))
        if (strcmp(files->at[k]->path, path) == 0) return files->at[k];
    return NULL;
}

sari_file* sari_files_add(sari_files* files, const char* path)
{
    void* list = (void*)files->at;
    const bool grown = sari_grow(&list, files->count, &files->capacity, sizeof files->at[0]);
    files->at = list;
    sari_file* file = grown ? SARI_NEW(sari_file) : NULL;
    if (file) file->path = sari_copy_string(path);
    if (!file || !file->path ||
        !sari_hash_add(&files->by_path, sari_hash_code(path, strlen(path)))) {
        if (file) sari_release(file->path);
        sari_release(file);
        return NULL;
    }
    file->source.name = file->path;
    return files->at[files->count++] = file;
}

sar_status sari_files_add_first(sari_files* files, const char* text, size_t length,
                                const char* name)
{
    static const char mark[] = "\xef\xbb\xbf"; // some editors start a text with it
    const size_t skip = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    sari_file* first = sari_files_add(files, name ? name : "model");
    if (!first) return SAR_E_NOMEM;
    first->source.text = text + skip;
    first->source.length = length - skip;
    sari_file_identify(first);
    return SAR_OK;
}

bool sari_files_open(sari_files* files, sari_file* file)
{
    if (file->reading == files->reading) return false;
    file->reading = files->reading;
    file->source.number = files->opened++;
    return true;
}

/* ---- texts ---------------------------------------------------------------------------------- */

bool sari_is_special(const char* path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

char* sari_read_file(const char* path, size_t* length, const char** why)
{
    size_t used = 0, size = 64 * 1024;
    char* text = NULL;
    *why = NULL;
    FILE* file = fopen(path, "rb");
    if (!file) {
        *why = strerror(errno);
        return NULL;
    }
    while (!*why) {
        char* bigger = sari_allocate(size, 1);
        if (bigger && used) memcpy(bigger, text, used);
        sari_release(text);
        text = bigger;
        if (!text) break;
        used += fread(text + used, 1, size - used, file);
        if (ferror(file)) *why = strerror(errno);
        if (used > SAR_MODEL_BYTES) *why = "it is larger than 64 MiB";
        if (used < size) break;
        size = 2 * size <= SAR_MODEL_BYTES ? 2 * size : SAR_MODEL_BYTES + 1;
    }
    fclose(file);
    *length = used;
    if (text && !*why) return text;
    if (!*why) *why = sar_status_text(SAR_E_NOMEM);
    sari_release(text);
    return NULL;
}

bool sari_file_read(sari_file* file, const char** why)
{
    if (file->source.text) return true;
    *why = "it is not a regular file";
    file->text =
        sari_is_special(file->path) ? NULL : sari_read_file(file->path, &file->source.length, why);
    file->source.text = file->text;
    return file->text != NULL;
}

void sari_file_drop(const sari_files* files, sari_file* file)
{
    if (!files->keeps) forget(file);
}

void sari_file_identify(sari_file* file)
{
    struct stat about;
    if (stat(file->path, &about) != 0) return;
    file->device = (unsigned long long)about.st_dev;
    file->inode = (unsigned long long)about.st_ino;
}

bool sari_file_is(const sari_file* a, const sari_file* b)
{
    if (a->inode && b->inode) return a->inode == b->inode && a->device == b->device;
    return strcmp(a->path, b->path) == 0;
}
