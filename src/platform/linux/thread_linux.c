/* SPDX-License-Identifier: Zlib
 *
 * A file of its own: where threads are a library of their own (glibc before 2.34), only programs
 * that have one made need that.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../thread_posix.inc.h"
