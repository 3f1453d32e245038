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
    bool absolute; /* of Linux only */
} wait_method;

/** A wait_method by index. */
tool_at wait_method_at;

/** Whether this system has what it needs. */
bool wait_method_is_here(const wait_method *method);

#endif
