#define _GNU_SOURCE /* TIOCGWINSZ */
#include "engine/cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <uv.h>

enum { BAR = 24, COLUMNS_DEFAULT = 80 };
static const uint64_t first_after_ns = 1000000000, then_every_ns = 100000000;

static struct {
    pleach_monitor monitor;
    const char *name;
    uint64_t total, before; /* bytes of this work; those that were added */
    uint64_t began;         /* this work */
    uint64_t due;           /* when the bar is drawn next */
    bool visible;
} progress;

static int columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : COLUMNS_DEFAULT;
}

/* A share from 0 to 1, or a negative one if it is not known. */
static void draw(double share, const char *text)
{
    char bar[BAR + 1] = "", line[512] = "";
    const int percent = share < 1 ? (int)(100 * share) : 100;
    if (share >= 0) {
        memset(bar, '.', BAR);
        memset(bar, '#', (size_t)(percent * BAR / 100));
        (void)snprintf(line, sizeof line, "[%s] %3d%%  ", bar, percent);
    }
    size_t length = strlen(line);
    (void)snprintf(line + length, sizeof line - length, "%s", text);
    (void)fprintf(stderr, "\r%.*s\033[K", columns() - 1, line);
    (void)fflush(stderr);
    progress.visible = true;
}

/* Whether the bar is to be drawn now. */
static bool is_due(uint64_t now)
{
    if (now < progress.due)
        return false;
    progress.due = now + then_every_ns;
    return true;
}

static void report(void *context, uint64_t done, uint64_t total)
{
    (void)context;
    (void)total;
    char text[400];
    const uint64_t now = uv_hrtime();
    if (!is_due(now))
        return;
    const double megabytes = (double)(progress.before + done) / 1e6, seconds = (double)(now - progress.began) / 1e9;
    (void)snprintf(text, sizeof text, "%.1f MB  %.0f MB/s  %s", megabytes, megabytes / seconds, progress.name);
    draw(progress.total > 0 ? megabytes * 1e6 / (double)progress.total : -1, text);
}

void pleach__progress_open(void)
{
    progress.due = uv_hrtime() + first_after_ns;
    progress.monitor.progress = isatty(STDERR_FILENO) == 1 ? report : NULL;
}

pleach_monitor *pleach__progress(const char *name, uint64_t total)
{
    progress.name = name;
    progress.total = total;
    progress.before = 0;
    progress.began = uv_hrtime();
    return &progress.monitor;
}

void pleach__progress_add(uint64_t done)
{
    progress.before += done;
    if (progress.monitor.progress != NULL)
        report(NULL, 0, 0);
}

void pleach__progress_share(const char *name, double share)
{
    if (progress.monitor.progress != NULL && is_due(uv_hrtime()))
        draw(share, name);
}

static void report_share(void *name, uint64_t done, uint64_t total)
{
    pleach__progress_share(name, total > 0 ? (double)done / (double)total : 0);
}

pleach_monitor pleach__progress_monitor(const char *name)
{
    return (pleach_monitor){.progress = report_share, .context = (void *)name};
}

void pleach__progress_clear(void)
{
    if (progress.visible)
        (void)fputs("\r\033[K", stderr);
    progress.visible = false;
}
