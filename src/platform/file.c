/* SPDX-License-Identifier: Zlib
 *
 * Files by the C library. A written byte is with the operating system: it survives the program,
 * however that ends. A machine that loses power may lose the last seconds.
 */
#if !defined(_WIN32)
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64 /* more than 2 GB */
#endif
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#endif
#include "platform.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#else
#include <sys/types.h>
#endif

static es_result file_failed(es__file *file)
{
    if (file->failed == 0) {
        file->failed = errno != 0 ? errno : EIO;
    }
    return ES_ERR_IO;
}

/* A new file, or NULL: what is there already stays. */
static FILE *file_create(const char *path)
{
#if defined(_WIN32) /* where the older C library, msvcrt, knows no x and would write over it */
    int number = _open(path, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY, _S_IREAD | _S_IWRITE);
    FILE *file = number >= 0 ? _fdopen(number, "wb") : NULL;
    if (number >= 0 && file == NULL) {
        (void)_close(number);
    }
    return file;
#else
    return fopen(path, "wbx");
#endif
}

bool es__file_open(es__file *file, const char *path, bool create)
{
    *file = (es__file){0};
    errno = 0;
    file->handle = create ? file_create(path) : fopen(path, "rb");
    if (file->handle == NULL) {
        (void)file_failed(file);
        return false;
    }
    if (create) { /* the recording's batch is the buffer */
        (void)setvbuf(file->handle, NULL, _IONBF, 0);
    }
    return true;
}

es_result es__file_write(void *user, const void *bytes, size_t size)
{
    es__file *file = user;
    size_t written = 0;
    if (file->failed != 0) {
        return ES_ERR_IO;
    }
    do { /* a signal may have come in between */
        errno = 0;
        clearerr(file->handle);
        written += fwrite((const unsigned char *)bytes + written, 1, size - written, file->handle);
    } while (written < size && errno == EINTR);
    return written == size ? ES_OK : file_failed(file);
}

static int file_seek(FILE *file, uint64_t offset)
{
    if (offset > (uint64_t)LLONG_MAX) {
        return -1;
    }
#if defined(_WIN32)
    return _fseeki64(file, (long long)offset, SEEK_SET);
#else
    return fseeko(file, (off_t)offset, SEEK_SET);
#endif
}

es_result es__file_read(void *user, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    es__file *file = user;
    *got = 0;
    file->failed = 0; /* a read may be tried again: the reason is that of the last one */
    do {              /* a signal may have come in between */
        errno = 0;
        if (file_seek(file->handle, offset + *got) != 0) {
            *got = 0;
            return file_failed(file);
        }
        *got += fread((unsigned char *)bytes + *got, 1, size - *got, file->handle);
    } while (*got < size && ferror((FILE *)file->handle) != 0 && errno == EINTR);
    if (*got < size && ferror((FILE *)file->handle) != 0) {
        *got = 0;
        return file_failed(file);
    }
    return ES_OK;
}

void es__file_close(es__file *file)
{
    errno = 0;
    if (file->handle != NULL && fclose(file->handle) != 0) {
        (void)file_failed(file);
    }
    file->handle = NULL;
}

void es__file_discard(es__file *file, const char *path)
{
    if (file->handle != NULL) {
        es__file_close(file);
        (void)remove(path);
    }
}

const char *es__file_reason(const es__file *file)
{
    return file->failed != 0 ? strerror(file->failed) : NULL;
}
