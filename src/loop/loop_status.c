/* SPDX-License-Identifier: Zlib
 *
 * What a loop knows, as a line for people.
 */
#include "loop.h"

#include <stdarg.h>
#include <stdio.h>

/* Appends to a text that is cut at its size. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

const char *es_loop_status(const es_loop *loop, char *text, size_t size)
{
    static const char *const names[] = {[ES_DISPLAY_UNKNOWN] = "display not known yet",
            [ES_DISPLAY_BLOCKS] = "display",
            [ES_DISPLAY_FREE] = "timer",
            [ES_DISPLAY_VARIABLE] = "variable refresh",
            [ES_DISPLAY_HOST] = "host"};
    if (text == NULL || size == 0) {
        return "";
    }
    const es_display display = es_loop_get_display(loop);
    const char *problem = es_loop_problem(loop);
    text[0] = '\0';
    append(text, size, "%s", es__is_initialised(loop) ? names[display.mode] : "no loop");
    if (display.period_ns > 0) {
        append(text, size, " %.2f Hz", 1e9 / display.period_ns);
    }
    if (display.queue > 0) {
        append(text, size, ", queue %d", (int)display.queue);
    }
    append(text, size, "%s%s", display.feedback ? ", screen times" : "",
            display.targets ? ", targets" : "");
    if (display.frames_per_s > 0) {
        append(text, size, "; %.1f frames per s", display.frames_per_s);
    }
    if (display.speed_change < 0 || display.speed_change > 0) {
        append(text, size, "; speed %+.2f %%", 100 * display.speed_change);
    }
    append(text, size, "; %s", problem != NULL ? problem : "no problem");
    return text;
}
