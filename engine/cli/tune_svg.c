#include "engine/cli/tune.h"

/* In pixels. */
enum {
    WIDTH = 760,
    LEFT = 64,
    RIGHT = 24,
    TOP = 76,
    PLOT = 320,
    AXIS = 52,
    LEGEND = 22,
    MARGIN = 20,
    PLOT_WIDTH = WIDTH - LEFT - RIGHT
};

enum { COLOURS = 8, TICKS_X = 20, TICKS_Y = 10 };

/* Colours that stand out from a light and from a dark page; the shapes of points tell them apart too. */
static const char style[] =
    "  <style>\n"
    "    svg { color-scheme: light dark; }\n"
    "    text { font-family: system-ui, 'DejaVu Sans', sans-serif; font-size: 12px; fill: #5b6777; }\n"
    "    .title { font-size: 16px; font-weight: 600; fill: #1f2a37; }\n"
    "    .legend { fill: #1f2a37; }\n"
    "    .page { fill: #fbfcfa; }\n"
    "    .grid { stroke: #dde3e8; }\n"
    "    .axis { stroke: #8292a4; }\n"
    "    .ideal { fill: none; stroke: #8292a4; stroke-dasharray: 2 5; }\n"
    "    .line path { fill: none; stroke-width: 2; }\n"
    "    .line .efficiency { stroke-dasharray: 6 4; }\n"
    "    .best { fill: none; stroke-width: 1.5; }\n"
    "    .c0 { stroke: #2f7dd1; } .c0 .point { fill: #2f7dd1; }\n"
    "    .c1 { stroke: #cf6425; } .c1 .point { fill: #cf6425; }\n"
    "    .c2 { stroke: #3c9657; } .c2 .point { fill: #3c9657; }\n"
    "    .c3 { stroke: #a05bcf; } .c3 .point { fill: #a05bcf; }\n"
    "    .c4 { stroke: #c9406e; } .c4 .point { fill: #c9406e; }\n"
    "    .c5 { stroke: #8c7a1a; } .c5 .point { fill: #8c7a1a; }\n"
    "    .c6 { stroke: #2a8f96; } .c6 .point { fill: #2a8f96; }\n"
    "    .c7 { stroke: #78808a; } .c7 .point { fill: #78808a; }\n"
    "    @media (prefers-color-scheme: dark) {\n"
    "      .page { fill: #161b20; }\n"
    "      text { fill: #9aa7b4; }\n"
    "      .title, .legend { fill: #e6ebf0; }\n"
    "      .grid { stroke: #2b333b; }\n"
    "      .axis, .ideal { stroke: #66737f; }\n"
    "    }\n"
    "  </style>\n";

typedef struct canvas {
    const pleach__tune_report *report;
    FILE *file;
    unsigned workers; /* at the right end */
    double speedup;   /* at the top */
    unsigned lines;
} canvas;

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static double x_of(const canvas *c, double workers)
{
    return LEFT + 16 + (c->workers > 1 ? (workers - 1) / (c->workers - 1) : 0.5) * (PLOT_WIDTH - 32);
}

static double y_of(const canvas *c, double speedup)
{
    return TOP + PLOT * (1 - speedup / c->speedup);
}

/* A tenth of 1, 2, 5, 10, 20, ...: so that there are no more than so many ticks up to `most`. */
static double tick_step(double most, unsigned ticks)
{
    static const double factors[] = {2, 2.5, 2};
    double step = 0.1;
    for (unsigned i = 0; most / step > ticks; i++)
        step *= factors[i % 3];
    return step;
}

/* Finds how far the axes go; how many lines there are. */
static void measure(canvas *c)
{
    const pleach__tune_report *report = c->report;
    c->workers = 1;
    c->speedup = 1;
    for (size_t i = 0; i < report->count; i++) {
        const pleach__tune_outcome *outcome = &report->outcome[i];
        for (size_t j = 0; j < outcome->count; j++) {
            const unsigned workers = pleach__tune_workers(&outcome->setting[j]);
            c->workers = workers > c->workers ? workers : c->workers;
            c->speedup = greater(c->speedup, pleach__tune_speedup(outcome, j));
            c->lines += j == 0 || outcome->setting[j].slots != outcome->setting[j - 1].slots;
        }
    }
    const double step = tick_step(c->speedup, TICKS_Y);
    c->speedup = step * (1 + (unsigned)(c->speedup / step));
}

static void draw_horizontal_grid(const canvas *c)
{
    const double step = tick_step(c->speedup, TICKS_Y + 1);
    for (int i = 0; i * step <= c->speedup * 1.001; i++) {
        const double y = y_of(c, i * step);
        (void)fprintf(c->file,
                      "  <path class=\"grid\" d=\"M%d %.1fH%d\"/>"
                      "<text text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%g</text>\n",
                      LEFT, y, WIDTH - RIGHT, LEFT - 8, y + 4, i * step);
    }
}

static void draw_axes(const canvas *c)
{
    const unsigned step = (unsigned)greater(1, tick_step(c->workers, TICKS_X) + 0.5), bottom = TOP + PLOT;
    draw_horizontal_grid(c);
    (void)fprintf(c->file, "  <path class=\"axis\" d=\"M%d %uH%d\"/>\n", LEFT, bottom, WIDTH - RIGHT);
    for (unsigned n = 1; n <= c->workers; n = n == 1 && step > 1 ? step : n + step)
        (void)fprintf(c->file, "  <text text-anchor=\"middle\" x=\"%.1f\" y=\"%u\">%u</text>\n", x_of(c, n),
                      bottom + 18, n);
    (void)fprintf(
        c->file,
        "  <text text-anchor=\"middle\" x=\"%d\" y=\"%u\">workers, those of efficiency cores included</text>\n"
        "  <text text-anchor=\"middle\" transform=\"translate(18 %d) rotate(-90)\">"
        "times as fast as one worker</text>\n",
        LEFT + PLOT_WIDTH / 2, bottom + 40, TOP + PLOT / 2);
}

/* What workers that cost nothing would bring, as far as the plot goes. */
static void draw_ideal(const canvas *c)
{
    const double end = c->workers < c->speedup ? c->workers : c->speedup;
    if (c->workers > 1)
        (void)fprintf(c->file, "  <path class=\"ideal\" d=\"M%.1f %.1fL%.1f %.1f\"><title>ideal</title></path>\n",
                      x_of(c, 1), y_of(c, 1), x_of(c, end), y_of(c, end));
}

static void draw_shape(const canvas *c, unsigned line, double x, double y)
{
    static const char *const shapes[] = {"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "M-4 -4h8v8h-8z", "M0 -5l5 9h-10z",
                                         "M0 -5l5 5l-5 5l-5 -5z"};
    (void)fprintf(c->file, "<path class=\"point\" transform=\"translate(%.1f %.1f)\" d=\"%s\">", x, y,
                  shapes[line % 4]);
}

static void draw_point(const canvas *c, const pleach__tune_outcome *outcome, size_t index, unsigned line)
{
    const double x = x_of(c, pleach__tune_workers(&outcome->setting[index]));
    const double y = y_of(c, pleach__tune_speedup(outcome, index));
    char words[2 * PLEACH__TUNE_NAME], time[PLEACH__TUNE_NAME];
    pleach__tune_setting_words(&outcome->setting[index], words);
    pleach__tune_time(outcome->timing[index].ns, time);
    (void)fputs("    ", c->file);
    draw_shape(c, line, x, y);
    (void)fprintf(c->file, "<title>%s: %s: %s, %.2f times as fast as one worker%s</title></path>\n",
                  outcome->work->text, words, time, pleach__tune_speedup(outcome, index),
                  index == outcome->best ? "; best" : "");
    if (index == outcome->best)
        (void)fprintf(c->file, "    <circle class=\"best\" cx=\"%.1f\" cy=\"%.1f\" r=\"9\"/>\n", x, y);
}

/* Through settings of equally many slots, [begin, end): without efficiency cores if base is 0; or from so many workers
   on through those that have some on top. */
static void draw_path(const canvas *c, const pleach__tune_outcome *outcome, size_t begin, size_t end, unsigned base)
{
    char move = 'M';
    for (size_t i = begin; i < end; i++) {
        const pleach__tune_setting *setting = &outcome->setting[i];
        if (base > 0 ? setting->workers != base : setting->efficiency > 0)
            continue;
        if (move == 'M')
            (void)fprintf(c->file, "    <path%s d=\"", base > 0 ? " class=\"efficiency\"" : "");
        (void)fprintf(c->file, "%c%.1f %.1f", move, x_of(c, pleach__tune_workers(setting)),
                      y_of(c, pleach__tune_speedup(outcome, i)));
        move = 'L';
    }
    if (move == 'L')
        (void)fputs("\"/>\n", c->file);
}

static void draw_legend(const canvas *c, const pleach__tune_outcome *outcome, size_t begin, size_t end, unsigned line)
{
    const int y = TOP + PLOT + AXIS + MARGIN + (int)line * LEGEND;
    const unsigned slots = outcome->setting[begin].slots;
    char time[PLEACH__TUNE_NAME], best[2 * PLEACH__TUNE_NAME];
    pleach__tune_time(outcome->timing[begin].ns, time);
    pleach__tune_setting_words(&outcome->setting[outcome->best], best);
    (void)fprintf(c->file, "    <path d=\"M%d %dh32\"/>", LEFT, y);
    draw_shape(c, line, LEFT + 16, y);
    (void)fprintf(c->file, "</path><text class=\"legend\" stroke=\"none\" x=\"%d\" y=\"%d\">%s", LEFT + 42, y + 4,
                  outcome->work->text);
    if (outcome->streaming_backend != NULL)
        (void)fprintf(c->file, ", %u slot%s", slots, slots == 1 ? "" : "s");
    if (begin == 0)
        (void)fprintf(c->file, "; one worker: %s", time);
    if (outcome->best >= begin && outcome->best < end)
        (void)fprintf(c->file, "; best: %s", best);
    (void)fputs("</text>\n", c->file);
}

/* Whether the setting is the first of its number of workers with some for efficiency cores on top. */
static bool branches(const pleach__tune_outcome *outcome, size_t begin, size_t index)
{
    const pleach__tune_setting *setting = &outcome->setting[index], *before = setting - 1;
    return setting->efficiency > 0 &&
           (index == begin || before->efficiency == 0 || before->workers != setting->workers);
}

/* Settings [begin, end) have equally many slots. */
static void draw_line(const canvas *c, const pleach__tune_outcome *outcome, size_t begin, size_t end, unsigned line)
{
    (void)fprintf(c->file, "  <g class=\"line c%u\">\n", line % COLOURS);
    draw_path(c, outcome, begin, end, 0);
    for (size_t i = begin; i < end; i++)
        if (branches(outcome, begin, i))
            draw_path(c, outcome, begin, end, outcome->setting[i].workers);
    for (size_t i = begin; i < end; i++)
        draw_point(c, outcome, i, line);
    draw_legend(c, outcome, begin, end, line);
    (void)fputs("  </g>\n", c->file);
}

static void draw_outcome(const canvas *c, const pleach__tune_outcome *outcome, unsigned *line)
{
    for (size_t begin = 0, end; begin < outcome->count; begin = end) {
        for (end = begin + 1; end < outcome->count && outcome->setting[end].slots == outcome->setting[begin].slots;)
            end++;
        draw_line(c, outcome, begin, end, (*line)++);
    }
}

void pleach__tune_draw(const pleach__tune_report *report, FILE *file)
{
    canvas c = {.report = report, .file = file};
    unsigned line = 0;
    measure(&c);
    const int height = TOP + PLOT + AXIS + MARGIN + (int)c.lines * LEGEND + MARGIN;
    (void)fprintf(file,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                  "role=\"img\">\n"
                  "  <title>Workers and speed</title>\n"
                  "  <desc>How many times as fast as one worker each setting is, by number of workers.</desc>\n"
                  "%s"
                  "  <rect class=\"page\" width=\"%d\" height=\"%d\"/>\n"
                  "  <text class=\"title\" x=\"%d\" y=\"34\">What more workers bring</text>\n"
                  "  <text x=\"%d\" y=\"56\">%u usable processor%s; ring: best setting; dotted: ideal%s</text>\n",
                  WIDTH, height, WIDTH, height, style, WIDTH, height, LEFT, LEFT, report->topology->processors,
                  report->topology->processors == 1 ? "" : "s",
                  report->sweep->has_efficiency ? "; dashed: more for efficiency cores" : "");
    draw_axes(&c);
    draw_ideal(&c);
    for (size_t i = 0; i < report->count; i++)
        draw_outcome(&c, &report->outcome[i], &line);
    (void)fputs("</svg>\n", file);
}
