/* SPDX-License-Identifier: Zlib */
#if !defined(_WIN32)
#define _FILE_OFFSET_BITS 64 /* recordings may be longer than 2 GB */
#define _POSIX_C_SOURCE   200809L
#endif
#include "evenstep/bytes.h"
#include "evenstep/record.h"

#include "record_file.h"

#include <errno.h>
#include <limits.h>
#if !defined(_WIN32)
#include <sys/stat.h>
#include <sys/types.h>
#endif

static es_result fail(es_record_file *file)
{
    if (file->failed == 0) {
        file->failed = errno != 0 ? errno : EIO;
    }
    return ES_ERR_IO;
}

es_result es_record_file_create(es_record_file *file, const char *path)
{
    if (file == NULL || path == NULL) {
        return ES_ERR_INVALID;
    }
    *file = (es_record_file){0};
    errno = 0;
    file->file = fopen(path, "wbx");
    if (file->file == NULL) {
        (void)fail(file);
        return file->failed == EEXIST ? ES_ERR_REFUSED : ES_ERR_IO;
    }
    /* Batches are large already; what is kept back here would be lost with the program. */
    (void)setvbuf(file->file, NULL, _IONBF, 0);
    return ES_OK;
}

/* Opening a pipe by its name waits for somebody who writes to it; and it does not support seeking. */
static bool is_pipe(const char *path)
{
#if defined(_WIN32)
    (void)path;
    return false;
#else
    struct stat status;
    return stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
#endif
}

es_result es_record_file_open(es_record_file *file, const char *path)
{
    if (file == NULL || path == NULL) {
        return ES_ERR_INVALID;
    }
    *file = (es_record_file){0};
    if (is_pipe(path)) {
        errno = ESPIPE;
        return fail(file);
    }
    errno = 0;
    file->file = fopen(path, "rb");
    return file->file != NULL ? ES_OK : fail(file);
}

static es_result write_file(void *user, const void *bytes, size_t size)
{
    es_record_file *file = user;
    if (file->file == NULL || file->failed != 0) {
        return fail(file);
    }
    size_t written = 0;
    do { /* a signal may have come in between */
        errno = 0;
        clearerr(file->file);
        written += fwrite((const unsigned char *)bytes + written, 1, size - written, file->file);
    } while (written < size && errno == EINTR);
    file->bytes += written;
    return written == size ? ES_OK : fail(file);
}

static es_result flush_file(void *user)
{
    es_record_file *file = user;
    errno = 0;
    return file->file != NULL && fflush(file->file) == 0 ? ES_OK : fail(file);
}

es_sink es_record_file_sink(es_record_file *file)
{
    return (es_sink){.user = file, .write = write_file, .flush = flush_file};
}

static int seek(FILE *file, uint64_t offset)
{
#if defined(_WIN32)
    return offset > (uint64_t)LLONG_MAX ? -1 : _fseeki64(file, (long long)offset, SEEK_SET);
#else
    return offset > (uint64_t)LLONG_MAX ? -1 : fseeko(file, (off_t)offset, SEEK_SET);
#endif
}

static es_result read_file(void *user, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    es_record_file *file = user;
    *got = 0;
    errno = 0;
    if (file->file == NULL || seek(file->file, offset) != 0) {
        return fail(file);
    }
    *got = fread(bytes, 1, size, file->file);
    if (*got < size && ferror(file->file) != 0) {
        *got = 0;
        return fail(file);
    }
    return ES_OK;
}

es_source es_record_file_source(es_record_file *file)
{
    return (es_source){.user = file, .read = read_file};
}

es_result es_record_file_close(es_record_file *file)
{
    if (file->file != NULL) {
        errno = 0;
        if (fclose(file->file) != 0) {
            (void)fail(file);
        }
        file->file = NULL;
    }
    return file->failed == 0 ? ES_OK : ES_ERR_IO;
}
