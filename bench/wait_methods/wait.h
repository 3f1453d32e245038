/* SPDX-License-Identifier: Zlib
 *
 * wait: ways to wait for a deadline: ours, the system's own, fixed margins, and those of other
 * projects, rewritten from their sources.
 */
#ifndef BENCH_WAIT_H
#define BENCH_WAIT_H

#include "tool.h"

#define WAIT_COMMAND "bench_wait_methods"

enum { WAIT_METHODS_MAX = 16 };

typedef struct wait_method {
    const char *name;
    void (*wait)(int64_t deadline_ns);
} wait_method;

/** A wait_method by index. */
tool_at wait_method_at;

#endif
