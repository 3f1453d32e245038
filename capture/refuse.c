/* SPDX-License-Identifier: Zlib
 *
 * Refusals: the name of the file, the line, the reason.
 */
#include "capture/reader.h"

#include <stdarg.h>
#include <stdio.h>

es_result lab_capture_refuse(
        const lab_capture *capture, lab_capture_error *error, size_t line, const char *format, ...)
{
    if (error != NULL) {
        char reason[200];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reason, sizeof reason, format, arguments);
        va_end(arguments);
        error->line = line;
        char place[24] = "";
        if (line > 0) {
            snprintf(place, sizeof place, ":%zu", line);
        }
        snprintf(error->text, sizeof error->text, "%.80s%s: %s", capture->name, place, reason);
        lab_make_printable(error->text);
    }
    return ES_ERR_INVALID;
}

es_result lab_refuse_as(lab_capture_error *error, const lab_capture_error *why)
{
    if (error != NULL) {
        *error = *why;
    }
    return ES_ERR_INVALID;
}

es_result lab_refuse_found(
        const lab_capture *c, lab_found found, size_t line, lab_capture_error *error)
{
    return found == LAB_FOUND_LONG
                   ? lab_capture_refuse(c, error, line, "longer than %d bytes", LAB_RECORD_MAX)
           : found == LAB_FOUND_UNCLOSED
                   ? lab_capture_refuse(c, error, line, "a quote is not closed")
                   : lab_capture_refuse(c, error, 0, "cannot be read");
}
