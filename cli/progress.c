/* Drawing the progress of a fit. The live line holds as many fields as the terminal is wide. */
#include "progress.h"

#include "output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double redraw_seconds = 0.1;

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void format_duration(char *out, size_t size, double seconds)
{
    if (!(seconds >= 0 && seconds < 1e9)) {
        snprintf(out, size, "?");
        return;
    }
    unsigned long whole = (unsigned long)(seconds + 0.5);
    if (seconds < 9.95) {
        snprintf(out, size, "%.1f s", seconds);
    } else if (whole < 60) {
        snprintf(out, size, "%lu s", whole);
    } else if (whole < 3600) {
        snprintf(out, size, "%lu min %02lu s", whole / 60, whole % 60);
    } else {
        snprintf(out, size, "%lu h %02lu min", whole / 3600, whole % 3600 / 60);
    }
}

void progress_begin(progress_line *line, bool quiet, size_t items)
{
    const char *term = getenv("TERM");
    *line = (progress_line){.quiet = quiet, .items = items ? items : 1};
    line->live = isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
}

static bool is_main(const scdc_progress *p)
{
    return !p->stage || strcmp(p->stage, "fit") == 0;
}

/* ---- the live line -------------------------------------------------------------------------- */

static size_t terminal_columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}

/* Adds a field with two blanks before it when it still fits; the last column stays free, because
 * some terminals wrap there. */
static void add_field(char *text, size_t columns, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_field(char *text, size_t columns, const char *format, ...)
{
    char field[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(field, sizeof field, format, arguments);
    va_end(arguments);
    size_t used = strlen(text), gap = used ? 2 : 0;
    if (used + gap + strlen(field) + 1 > columns) return;
    memset(text + used, ' ', gap);
    strcpy(text + used + gap, field);
}

/* The start of the components and a classifier's lessons have parts of different length, and no
 * epochs. */
static bool has_epochs(const scdc_progress *p)
{
    return !p->stage || (strcmp(p->stage, "start") != 0 && strcmp(p->stage, "classifier") != 0);
}

/* Seconds left of this stage at the pace of this stage so far; negative when not known yet. */
static double seconds_left(progress_line *line, const scdc_progress *p)
{
    size_t step = (p->epoch - 1) * p->batches + p->batch, steps = p->epochs * p->batches;
    if (line->stage != p->stage || line->restart != p->restart) {
        line->stage = p->stage;
        line->restart = p->restart;
        line->first_step = step;
        line->first_seconds = p->seconds;
    }
    double elapsed = p->seconds - line->first_seconds;
    if (!has_epochs(p)) return -1;
    if (step <= line->first_step || elapsed < 0.5 || steps < step) return -1;
    return elapsed / (double)(step - line->first_step) * (double)(steps - step);
}

/* How much of an epoch is done tells something only when it lasts longer than a glance. */
static bool epoch_is_slow(progress_line *line, const scdc_progress *p)
{
    if (line->drawn_epoch != p->epoch) {
        line->drawn_epoch = p->epoch;
        line->epoch_began = p->seconds;
    }
    return p->seconds - line->epoch_began > 1;
}

static void draw(progress_line *line, const scdc_progress *p)
{
    enum { WIDEST = 400 };
    char text[WIDEST + 1] = "", left[40];
    size_t columns = terminal_columns();
    if (columns > WIDEST) columns = WIDEST;
    double remaining = seconds_left(line, p), n = (double)line->items;
    const scdc_epoch *e = &line->epoch;
    if (p->restarts > 1) add_field(text, columns, "start %zu/%zu", p->restart, p->restarts);
    if (!is_main(p)) add_field(text, columns, "%s", p->stage);
    if (!has_epochs(p)) {
        if (p->batches) add_field(text, columns, "%zu/%zu", p->batch, p->batches);
    } else if (epoch_is_slow(line, p) && p->batches) {
        add_field(text, columns, "epoch %zu/%zu %3.0f %%", p->epoch, p->epochs,
                  100.0 * (double)p->batch / (double)p->batches);
    } else {
        add_field(text, columns, "epoch %zu/%zu", p->epoch, p->epochs);
    }
    if (line->has_epoch) {
        add_field(text, columns, "bound %.4f", e->bound / n);
        add_field(text, columns, "%zu clusters", e->clusters);
    }
    if (remaining >= 0) {
        format_duration(left, sizeof left, remaining);
        add_field(text, columns, "%s left%s%s", left, is_main(p) ? "" : " of ",
                  is_main(p) ? "" : p->stage);
    }
    if (p->items_per_second > 0) add_field(text, columns, "%.0f items/s", p->items_per_second);
    if (line->has_epoch) {
        add_field(text, columns, "data %.4f", e->reconstruction / n);
        add_field(text, columns, "z %.4f", 0 - e->kl_z / n);
        add_field(text, columns, "x %.4f", 0 - e->kl_x / n);
        add_field(text, columns, "answers %.4f", e->answers / n);
        add_field(text, columns, "global %.4f", 0 - e->kl_global / n);
        if (e->skipped > 0) add_field(text, columns, "skipped %.1e", e->skipped);
    }
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
    line->drawn = true;
}

bool progress_due(const progress_line *line)
{
    return line->live && !line->quiet &&
           !(line->drawn && seconds_now() - line->last_drawn < redraw_seconds);
}

void progress_text(progress_line *line, const char *text)
{
    line->last_drawn = seconds_now();
    fprintf(stderr, "\r%.*s\033[K", (int)terminal_columns() - 1, text);
    fflush(stderr);
    line->drawn = true;
}

void progress_clear(progress_line *line)
{
    if (!line->drawn) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    line->drawn = false;
}

/* ---- plain lines ---------------------------------------------------------------------------- */

/* "start 2/3, warm-up, " or less. */
static void format_place(char *out, size_t size, const scdc_progress *p)
{
    size_t used = 0;
    out[0] = '\0';
    if (p->restarts > 1)
        used = (size_t)snprintf(out, size, "start %zu/%zu, ", p->restart, p->restarts);
    if (!is_main(p)) snprintf(out + used, size - used, "%.20s, ", p->stage);
}

static void say_epoch(const progress_line *line, const scdc_progress *p)
{
    const scdc_epoch *e = p->done;
    double n = (double)line->items;
    char place[80], took[40], skipped[40] = "";
    format_place(place, sizeof place, p);
    format_duration(took, sizeof took, e->seconds);
    if (e->skipped > 0) snprintf(skipped, sizeof skipped, ", skipped %.1e of q(z)", e->skipped);
    say("%sepoch %zu/%zu: bound %.4f per item (data %.4f, z %.4f, x %.4f, answers %.4f, global "
        "%.4f), %zu clusters%s, %s",
        place, e->epoch, p->epochs, e->bound / n, e->reconstruction / n, 0 - e->kl_z / n,
        0 - e->kl_x / n, e->answers / n, 0 - e->kl_global / n, e->clusters, skipped, took);
}

/* The stages before the fit proper keep no record; that they move on is all there is to say, and
 * not too often. */
static void say_stage(const scdc_progress *p)
{
    char place[80];
    size_t every = (p->epochs + 9) / 10;
    if (p->epoch % every && p->epoch != p->epochs) return;
    format_place(place, sizeof place, p);
    say("%sepoch %zu/%zu", place, p->epoch, p->epochs);
}

void progress_show(progress_line *line, const scdc_progress *p)
{
    if (line->quiet) return;
    if (p->done) {
        line->epoch = *p->done;
        line->has_epoch = true;
    }
    if (!line->live) {
        if (p->done) {
            say_epoch(line, p);
        } else if (!is_main(p) && has_epochs(p) && p->batch == p->batches) {
            say_stage(p);
        }
        return;
    }
    double time = seconds_now();
    if (line->drawn && time - line->last_drawn < redraw_seconds) return;
    line->last_drawn = time;
    draw(line, p);
}

/* ---- other long work ------------------------------------------------------------------------ */

static progress_line watched;
static double watched_since;

static int show_work(const scdc_work *work, void *user)
{
    static const double patience = 1; /* seconds: what is shorter needs no line */
    progress_line *line = user;
    char text[120], share[16] = "";
    if (!progress_due(line) || seconds_now() - watched_since < patience) return 0;
    if (work->total)
        snprintf(share, sizeof share, " %3.0f %%",
                 100.0 * (double)work->done / (double)work->total);
    /* Where the line is too narrow for both, the share stays. */
    size_t room = terminal_columns() - 1, taken = strlen(share);
    snprintf(text, sizeof text, "%.*s%s", room > taken ? (int)(room - taken) : 0, work->what,
             share);
    progress_text(line, text);
    return 0;
}

void progress_watch_begin(bool quiet)
{
    progress_begin(&watched, quiet, 1);
    if (watched_since == 0) watched_since = seconds_now(); /* many short calls are long, too */
    if (watched.live && !quiet) scdc_watch(show_work, &watched);
}

void progress_watch_end(void)
{
    scdc_watch(NULL, NULL);
    progress_clear(&watched);
}
