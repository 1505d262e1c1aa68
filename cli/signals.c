/* signals.c: how the tool stops on Ctrl-C and other signals.  SPDX-License-Identifier: BSD-3-Clause
 *
 * The first SIGINT, SIGTERM or SIGHUP sets a flag, which the progress callback returns: the library cancels its call
 * and leaves no partial result. If it does not return within 0.9 s, the process exits from the watchdog. */
#include "cli.h"

#include <math.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t stopped; /* the signal, or 0 */
static volatile sig_atomic_t drawn;   /* a bar is on the terminal */
static volatile sig_atomic_t quiet;   /* print no message */
static volatile sig_atomic_t writing; /* the library has a temporary file open, which it will remove */

int stop_signal(void) {
    quiet |= stopped != 0; /* the caller prints the message */
    return stopped;
}
void writing_now(int on) { writing = on; }
int stop_asked(void) { return stopped; }
void signals_know_bar(int on) { drawn = on; }

static void set_watchdog(double seconds) {
    struct itimerval limit = {.it_value = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)(1e6 * fmod(seconds, 1))}};
    setitimer(ITIMER_REAL, &limit, NULL);
}

/* The watchdog: exits. If a file is being written, it first waits ten seconds for it to be removed. */
static void on_alarm(int sig) {
    (void)sig;
    if (writing) {
        writing = 0;
        set_watchdog(10);
        return;
    }
    ssize_t ignored = write(STDERR_FILENO, "\r\033[K", drawn ? 4 : 0);
    ignored = write(STDERR_FILENO, "rkhs: stopped\n", quiet ? 0 : 14);
    (void)ignored;
    _exit(128 + stopped);
}

/* A precomputed Gram is mapped from its file. This signal comes if the file is truncated meanwhile. */
static void on_bus(int sig) {
    static const char words[] =
        "rkhs: a file was cut short while it was read: make it again, and leave it alone in the meantime\n";
    (void)sig;
    ssize_t ignored = write(STDERR_FILENO, "\r\033[K", drawn ? 4 : 0);
    ignored = write(STDERR_FILENO, words, sizeof words - 1);
    (void)ignored;
    _exit(EXIT_FAILED);
}

static void on_stop(int sig) {
    if (stopped != 0) return;
    stopped = sig;
    set_watchdog(0.9);
}

void catch_signals(int quietly) {
    struct sigaction action = {0}, before;
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_stop; /* without SA_RESTART: a blocked read returns */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, NULL, &before);
    if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL); /* keep nohup's setting */
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = on_bus;
    sigaction(SIGBUS, &action, NULL);
    quiet = quietly;
}
