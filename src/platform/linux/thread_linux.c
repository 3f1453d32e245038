/* SPDX-License-Identifier: Zlib
 *
 * A separate file: where threads are a separate library (glibc before 2.34), only programs that
 * start one need it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../thread_posix.inc.h"
