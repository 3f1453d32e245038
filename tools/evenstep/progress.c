/* SPDX-License-Identifier: Zlib */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include "evenstep/clock.h"

#include <stdio.h>
#include <unistd.h>

enum { BAR = 40 };

static const int64_t redraw_ns = 100 * ES_NS_PER_MS;

/* 0 where this build has no clock: then the first picture of the bar stays. */
static int64_t now_ns(void)
{
    es_clock clock;
    return es_clock_system(&clock) == ES_OK ? clock.now_ns(clock.user) : 0;
}

void progress_begin(progress *bar, const char *what)
{
    bar->what = what;
    bar->visible = isatty(STDERR_FILENO) == 1;
    bar->started_ns = bar->visible ? now_ns() : 0;
    bar->drawn_ns = 0;
}

void progress_show(progress *bar, size_t done, size_t count)
{
    if (!bar->visible || count == 0) {
        return;
    }
    int64_t now = now_ns();
    if (now - bar->drawn_ns < redraw_ns && done < count) {
        return;
    }
    bar->drawn_ns = now;
    double share = (double)done / (double)count;
    double gone_s = (double)(now - bar->started_ns) / 1e9;
    double left_s = share > 0.0 ? gone_s / share - gone_s : 0.0;
    char line[BAR + 1];
    for (int i = 0; i < BAR; ++i) {
        line[i] = i < (int)(share * BAR) ? '#' : '.';
    }
    line[BAR] = '\0';
    fprintf(stderr, "\r%s [%s] %3.0f %%  %zu of %zu  %.0f s left\033[K", bar->what, line,
            100.0 * share, done, count, left_s);
    fflush(stderr);
}

void progress_end(progress *bar)
{
    if (bar->visible) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
}
