/* SPDX-License-Identifier: Zlib */
#ifndef _DARWIN_C_SOURCE
#define _DARWIN_C_SOURCE
#endif
#include "../thread_posix.inc.h"
