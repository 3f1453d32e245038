/* SPDX-License-Identifier: Zlib */
#include "common.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void stop_program(void *user, const char *message)
{
    (void)user;
    (void)fprintf(stderr, "%s\n", message);
    abort();
}

static struct {
    es_assert_handler call;
    void *user;
} handler = {stop_program, NULL};

void es_set_assert_handler(es_assert_handler call, void *user)
{
    handler.call = call != NULL ? call : stop_program;
    handler.user = user;
}

void es__assert_failed(const char *file, int line, const char *expression, const char *format, ...)
{
    char values[160], message[512];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(values, sizeof values, format, list);
    va_end(list);
    (void)snprintf(message, sizeof message, "%s:%d: evenstep assertion: %s (%s)", file, line,
            expression, values);
    handler.call(handler.user, message);
}
