/* SPDX-License-Identifier: Zlib  See mach/mach_time.h. */
#ifndef STUB_ERRNO_H
#define STUB_ERRNO_H

int *__error(void);
#define errno (*__error())

enum { EINTR = 4, EIO = 5 };

#endif
