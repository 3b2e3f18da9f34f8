/* Long work tells how far it is, on terminals of any width: each command is called with a terminal
 * for its complaints, and what it draws there is looked at. Commands draw only after a second of
 * work; here that second has passed before they begin. */
#include "support/check.h"
#include "support/files.h"

#include "../../cli/commands.h"
#include "../../cli/progress.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { ROOM = 1 << 20, MOST_WORDS = 16 };

static struct {
    int master, before;
    pthread_t reader;
    char text[ROOM];
    size_t size;
} terminal;

static void *read_all(void *user)
{
    (void)user;
    ssize_t got;
    while (terminal.size < ROOM - 1 && (got = read(terminal.master, terminal.text + terminal.size,
                                                   ROOM - 1 - terminal.size)) > 0)
        terminal.size += (size_t)got;
    terminal.text[terminal.size] = '\0';
    return NULL;
}

/* Standard error becomes a terminal of so many columns. */
static void terminal_begin(unsigned short columns)
{
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    terminal.size = 0;
    terminal.master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal.master >= 0);
    assert_int_equal(grantpt(terminal.master), 0);
    assert_int_equal(unlockpt(terminal.master), 0);
    int slave = open(ptsname(terminal.master), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
    fflush(stderr);
    terminal.before = dup(STDERR_FILENO);
    dup2(slave, STDERR_FILENO);
    close(slave);
    assert_int_equal(pthread_create(&terminal.reader, NULL, read_all, NULL), 0);
}

static void terminal_end(void)
{
    fflush(stderr);
    dup2(terminal.before, STDERR_FILENO);
    close(terminal.before);
    pthread_join(terminal.reader, NULL);
    close(terminal.master);
}

/* A command by its words; its results go nowhere. Returns its exit code. */
static int run(int (*function)(int, char **), const char *words)
{
    char copy[1024], *argv[MOST_WORDS + 1], *rest = NULL;
    int argc = 0;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok_r(copy, " ", &rest); word && argc < MOST_WORDS;
         word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    argv[argc] = NULL;
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    int code = function(argc, argv);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(nowhere);
    return code;
}

/* What stands between a carriage return and the erasing of the rest of the line was drawn: none of
 * it as wide as the terminal, all of it taken off at the end. */
static void check_drawn(const char *name, size_t columns)
{
    size_t drawn = 0, shares = 0;
    char last[ROOM / 64] = "?";
    for (char *at = terminal.text; (at = strchr(at, '\r')); at++) {
        char *end = strstr(at, "\033[K"), *line = strchr(at, '\n');
        if (!end || (line && line < end)) continue;
        snprintf(last, sizeof last, "%.*s", (int)(end - at - 1), at + 1);
        if (!*last) continue;
        drawn++;
        shares += last[strlen(last) - 1] == '%';
        if (strlen(last) >= columns) fail_msg("%s: '%s' does not fit %zu", name, last, columns);
    }
    if (!drawn) fail_msg("%s drew nothing on %zu columns: '%s'", name, columns, terminal.text);
    if (!shares) fail_msg("%s never said how much is done on %zu columns", name, columns);
    if (*last) fail_msg("%s left '%s' on the terminal", name, last);
}

static void each_width(const char *name, int (*function)(int, char **), const char *words)
{
    static const unsigned short widths[] = {12, 20, 80};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        terminal_begin(widths[i]);
        int code = run(function, words);
        terminal_end();
        if (code != EXIT_GOOD) fail_msg("%s %s: exit %d: %s", name, words, code, terminal.text);
        check_drawn(name, widths[i]);
    }
}

static void predict_shows_progress(void **state)
{
    (void)state;
    each_width("predict", cmd_predict, "RUN items.npy -o predicted.csv");
    each_width("predict", cmd_predict, "RUN items.npy -a answers.csv -o predicted.csv");
}

static void baselines_show_progress(void **state)
{
    (void)state;
    each_width("baseline", cmd_baseline, "kmeans items.npy -k 3 -o labels.csv");
    each_width("baseline", cmd_baseline, "gmm items.npy -k 3 -o labels.csv");
}

static void reports_show_progress(void **state)
{
    (void)state;
    each_width("report", cmd_report, "RUN");
}

static void updates_show_progress(void **state)
{
    (void)state;
    each_width("update", cmd_update, "RUN -a answers.csv --again");
}

/* Nothing is drawn where nobody wants it. */
static void quiet_commands_draw_nothing(void **state)
{
    (void)state;
    terminal_begin(80);
    int code = run(cmd_predict, "RUN items.npy -o predicted.csv -q");
    terminal_end();
    assert_int_equal(code, EXIT_GOOD);
    assert_string_equal(terminal.text, "");
}

static int begin(void **state)
{
    setenv("TERM", "xterm", 1);
    if (scratch_begin(state) != 0 || chdir(scratch_dir) != 0) return -1;
    if (run(cmd_simulate_blobs, "-n 3000 -d 4 -k 3 -o items.npy -l truth.csv -q") != EXIT_GOOD ||
        run(cmd_simulate_answers, "truth.csv -w 3 -p 100 -o answers.csv -q") != EXIT_GOOD ||
        run(cmd_fit,
            "items.npy -a answers.csv -o RUN --net mlp --hidden 8 --epochs 1 --set warmup=1 -q") !=
            EXIT_GOOD)
        return -1;
    progress_watch_begin(false);
    usleep(1100 * 1000);
    progress_watch_end();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predict_shows_progress),      cmocka_unit_test(baselines_show_progress),
        cmocka_unit_test(reports_show_progress),       cmocka_unit_test(updates_show_progress),
        cmocka_unit_test(quiet_commands_draw_nothing),
    };
    return cmocka_run_group_tests(tests, begin, scratch_end);
}
