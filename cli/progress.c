/* progress.c: the progress bar.  SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int drawn; /* a bar is on the terminal */

/* The state of the bar between two callbacks. */
static struct {
    int shown; /* whether to draw at all */
    char stage[32];
    double since, last; /* seconds: when the stage began, when the bar was last drawn */
    int64_t first;      /* `done` when the stage began */
} bar;

void progress_erase(void) {
    if (!drawn) return;
    drawn = 0;
    signals_know_bar(0);
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

/* Writes "1234", "12.3k", "4.5M" to buffer and returns it. */
static const char *count_text(double value, char buffer[32]) {
    static const char unit[] = {0, 'k', 'M', 'G', 'T'};
    int u = 0;
    while (value >= 9999.5 && u < 4) value /= 1000, u++;
    snprintf(buffer, 32, u > 0 || (value < 10 && value != floor(value)) ? "%.1f%c" : "%.0f%c", value, unit[u]);
    return buffer;
}

/* Writes "12 s", "3:05", "2:03:05" to buffer and returns it. */
static const char *time_text(double seconds, char buffer[32]) {
    long s = seconds < 1e7 ? (long)ceil(seconds) : 9999999;
    if (s < 60)
        snprintf(buffer, 32, "%ld s", s);
    else if (s < 3600)
        snprintf(buffer, 32, "%ld:%02ld", s / 60, s % 60);
    else
        snprintf(buffer, 32, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    return buffer;
}

/* Draws one line, cut at the terminal's width: stage, bar, share, rate, time left; without a total, count and time so
 * far. */
static void draw(const rkhs_progress *p, double now) {
    enum { WIDTH = 30 };
    char line[256], fill[WIDTH + 1], rate[32], left[32];
    struct winsize window;
    double elapsed = now - bar.since, made = (double)(p->done - bar.first);
    double speed = elapsed > 0 ? made / elapsed : 0;
    int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
    if (p->total > 0 && p->done >= 0 && p->done <= p->total) {
        double share = (double)p->done / (double)p->total;
        int full = (int)(share * WIDTH);
        memset(fill, '.', WIDTH);
        memset(fill, '=', (size_t)full);
        fill[WIDTH] = 0;
        int length = snprintf(line, sizeof line, "%-12s [%s] %3.0f%%", bar.stage, fill, floor(100 * share));
        if (speed > 0) {
            snprintf(line + length, sizeof line - (size_t)length, "  %s/s  %s left", count_text(speed, rate),
                     time_text((double)(p->total - p->done) / speed, left));
        }
    } else {
        snprintf(line, sizeof line, "%-12s %s, %s so far", bar.stage, count_text((double)p->done, rate),
                 time_text(elapsed, left));
    }
    fprintf(stderr, "\r\033[K%.*s", columns - 1, line);
    fflush(stderr);
    drawn = 1;
    signals_know_bar(1);
}

/* The library's callback: draws at most about ten times a second. Returns nonzero to stop. */
static int on_progress(const rkhs_progress *p, void *payload) {
    const cli *c = payload;
    const char *stage = p->stage != NULL ? p->stage : "working";
    double now = rk_seconds();
    if (stop_asked()) return 1;
    if (!bar.shown) return 0;
    if (strncmp(stage, bar.stage, sizeof bar.stage - 1) != 0 || (p->total > 0 && p->done < bar.first)) {
        snprintf(bar.stage, sizeof bar.stage, "%s", stage);
        bar.since = now;
        bar.first = p->done;
    }
    if (now - c->started > 0.3 && now - bar.last > 0.09) { /* no bar for what is over at once */
        bar.last = now;
        draw(p, now);
    }
    return stop_asked();
}

void progress_start(cli *c) {
    const char *term = getenv("TERM");
    bar.shown = isatty(STDERR_FILENO) && !c->quiet && (term == NULL || strcmp(term, "dumb") != 0);
    rkhs_env_set_progress(c->env, on_progress, c);
}
