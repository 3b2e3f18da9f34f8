/* scdc collect under load, on loopback: how long an answer takes, how many connections are held,
 * how much memory it needs, and whether every acknowledged answer is there after kill -9.
 *
 * Usage: bench_collect SCDC [--quick] [--workers N] [--connections N] [--seconds S] [--interval S]
 *                      [--kills N] [--items N]
 * Prints JSON objects; ends with 1 when an acknowledged answer is missing or one is there twice. */
#include "collect_load.h"

#include "../server/board.h"
#include "../server/project.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

typedef struct setting {
    const char *program;
    size_t workers, connections, kills, items, values;
    double seconds, interval;
    char folder[64], data[96], project[96], listen[32], log[96];
    char (*tokens)[TOKEN_LENGTH + 1];
    unsigned port;
    pid_t server;
} setting;

static void need(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "bench_collect: %s: %s\n", what, server_error());
    exit(1);
}

/* ---- a project with workers ----------------------------------------------------------------- */

static void make_items(const setting *s)
{
    size_t size = s->items * s->values;
    unsigned char *bytes = need_resize(NULL, size, 1);
    for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    scdc_data *data;
    need(scdc_data_from_memory(&data, bytes, SCDC_U8, s->items, s->values, 0) == SCDC_OK &&
             scdc_data_write_npy(data, s->data) == SCDC_OK,
         "making items");
    scdc_data_free(data);
    free(bytes);
}

static void hire(setting *s, project *p)
{
    record *list = need_zeroed(2 * s->workers, sizeof *list);
    s->tokens = need_zeroed(s->workers, sizeof *s->tokens);
    for (size_t i = 0; i < s->workers; i++) {
        record *w = &list[2 * i], *t = w + 1;
        *w = (record){.kind = RECORD_WORKER, .time = 1};
        w->worker.number = (uint32_t)i + 1;
        w->worker.name = text_format("w%zu", i + 1);
        w->worker.source = text_copy("link");
        w->worker.outside = text_copy("");
        *t = (record){.kind = RECORD_TOKEN, .time = 1};
        token_make(s->tokens[i]);
        token_hash_of(&t->token.hash, s->tokens[i]);
        t->token.role = ROLE_WORKER;
        t->token.worker = (uint32_t)i + 1;
    }
    need(store_write(p->store, list, 2 * s->workers) == SCDC_OK, "adding workers");
    for (size_t i = 0; i < 2 * s->workers; i++) record_clear(&list[i]);
    free(list);
}

static unsigned free_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t size = sizeof a;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool good =
        fd >= 0 && bind(fd, (void *)&a, sizeof a) == 0 && getsockname(fd, (void *)&a, &size) == 0;
    need(good, "looking for a port");
    close(fd);
    return ntohs(a.sin_port);
}

static void prepare(setting *s)
{
    const char *root = getenv("TMPDIR");
    snprintf(s->folder, sizeof s->folder, "%.40s/scdc-load-XXXXXX", root ? root : P_tmpdir);
    need(mkdtemp(s->folder) != NULL, "making a folder");
    snprintf(s->data, sizeof s->data, "%s/items.npy", s->folder);
    snprintf(s->project, sizeof s->project, "%s/project", s->folder);
    snprintf(s->log, sizeof s->log, "%s/log", s->folder);
    make_items(s);
    collect_options o;
    collect_options_init(&o);
    o.data = s->data;
    o.project = s->project;
    o.strategy = COLLECT_RANDOM;
    project *p;
    need(project_open(&p, &o) == SCDC_OK, "making a project");
    hire(s, p);
    project_close(p);
    s->port = free_port();
    snprintf(s->listen, sizeof s->listen, "127.0.0.1:%u", s->port);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

/* ---- the server ----------------------------------------------------------------------------- */

static bool answers(const setting *s)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)s->port)};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool good = connect(fd, (void *)&a, sizeof a) == 0;
    close(fd);
    return good;
}

static void start_server(setting *s)
{
    char most[24];
    snprintf(most, sizeof most, "%zu", s->connections + 100);
    const char *words[] = {"scdc",     "collect",  s->data,         "-o", s->project,
                           "--listen", s->listen,  "--per-address", "0",  "--connections",
                           most,       "--no-fit", "--quiet",       NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 2, s->log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    need(posix_spawn(&s->server, s->program, &files, NULL, (char *const *)(uintptr_t)words,
                     environ) == 0,
         "starting the server");
    posix_spawn_file_actions_destroy(&files);
    for (int i = 0; i < 2000 && !answers(s); i++) {
        struct timespec pause = {.tv_nsec = 5000000};
        nanosleep(&pause, NULL);
        need(waitpid(s->server, NULL, WNOHANG) == 0, "the server has ended");
    }
}

static void end_server(setting *s, int signal_number)
{
    kill(s->server, signal_number);
    waitpid(s->server, NULL, 0);
}

/* A line of /proc/PID/status in MB. */
static double memory(const setting *s, const char *line)
{
    char path[64], text[256];
    double kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)s->server);
    FILE *f = fopen(path, "r");
    while (f && fgets(text, sizeof text, f)) {
        if (strncmp(text, line, strlen(line)) == 0) kilobytes = atof(text + strlen(line) + 1);
    }
    if (f) fclose(f);
    return kilobytes / 1024;
}

/* Seconds of the processor the server has used. */
static double processor(const setting *s)
{
    char path[64], text[1024] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)s->server);
    FILE *f = fopen(path, "r");
    if (f && !fgets(text, sizeof text, f)) text[0] = '\0';
    if (f) fclose(f);
    const char *at = strrchr(text, ')');
    unsigned long user = 0, system = 0;
    if (at) sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What the disk takes for a commit of nothing but a few pages: no answer can be faster. */
static void measure_disk(const setting *s)
{
    enum { TIMES = 100 };
    double seconds[TIMES];
    char path[128];
    static const char pages[16384];
    snprintf(path, sizeof path, "%s/sync", s->folder);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    need(fd >= 0, "measuring the disk");
    for (int i = 0; i < TIMES; i++) {
        struct timespec a, b;
        bool good = pwrite(fd, pages, sizeof pages, (off_t)i * (off_t)sizeof pages) > 0;
        clock_gettime(CLOCK_MONOTONIC, &a);
        good = good && fdatasync(fd) == 0;
        clock_gettime(CLOCK_MONOTONIC, &b);
        need(good, "measuring the disk");
        seconds[i] = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    }
    close(fd);
    qsort(seconds, TIMES, sizeof *seconds, by_size);
    printf(", \"bare_sync_median_ms\": %.2f, \"bare_sync_p99_ms\": %.2f", 1e3 * seconds[TIMES / 2],
           1e3 * seconds[TIMES - 2]);
}

/* ---- is everything there? ------------------------------------------------------------------- */

typedef struct audit {
    idmap ids, pairs;
    size_t answers, twice;
} audit;

static int look(const record *r, void *user)
{
    audit *a = user;
    if (r->kind != RECORD_ANSWER) return SCDC_OK;
    a->answers++;
    bool fresh = idmap_add(&a->ids, r->answer.id, 1);
    bool first = idmap_add(&a->pairs, (id128){r->answer.task, r->answer.worker}, 1);
    a->twice += !fresh || !first;
    return SCDC_OK;
}

/* Acknowledged answers that are missing, and answers that are there twice. */
static bool complete(const setting *s, const load *l)
{
    audit a = {0};
    store *st;
    char *path = project_path(s->project, PROJECT_STORE);
    size_t count, missing = 0;
    need(store_open(&st, path, STORE_WRITE) == SCDC_OK && store_read(st, look, &a) == SCDC_OK,
         "reading the project");
    const id128 *ids = load_acknowledged(l, &count);
    for (size_t i = 0; i < count; i++) missing += !idmap_get(&a.ids, ids[i]);
    printf(", \"stored\": %zu, \"missing\": %zu, \"twice\": %zu", a.answers, missing, a.twice);
    store_close(st);
    free(path);
    idmap_free(&a.ids);
    idmap_free(&a.pairs);
    return missing == 0 && a.twice == 0;
}

/* ---- the run -------------------------------------------------------------------------------- */

static bool run(setting *s)
{
    load_setup setup = {.port = s->port,
                        .tokens = (const char(*)[TOKEN_LENGTH + 1]) s->tokens,
                        .workers = s->workers,
                        .idle = s->connections > s->workers ? s->connections - s->workers : 0,
                        .interval = s->interval};
    start_server(s);
    load *l = load_start(&setup);
    for (size_t i = 0; i < s->kills; i++) {
        load_run(l, s->seconds / (double)(s->kills + 1));
        end_server(s, SIGKILL);
        start_server(s);
    }
    load_run(l, s->seconds / (double)(s->kills + 1));
    double peak = memory(s, "VmHWM"), own = memory(s, "RssAnon"), busy = processor(s);
    load_figures f;
    load_measure(l, &f);
    end_server(s, SIGTERM);
    printf("{\"name\": \"collect, %zu workers%s\", \"seconds\": %.1f, \"interval_s\": %.2f, "
           "\"acknowledged\": %zu, \"answers_per_s\": %.0f, \"median_ms\": %.2f, \"p99_ms\": %.2f, "
           "\"worst_ms\": %.1f, \"connections\": %zu, \"held\": %zu, \"peak_mb\": %.1f, "
           "\"own_mb\": %.1f, \"items\": %zu, \"kills\": %zu, \"sent_again\": %zu, "
           "\"refused\": %zu, \"told_to_wait\": %zu, \"server_cpu_s\": %.2f",
           s->workers, s->kills ? ", killed" : "", f.seconds, s->interval, f.acknowledged,
           (double)f.acknowledged / f.seconds, 1e3 * f.median, 1e3 * f.p99, 1e3 * f.worst,
           s->workers + setup.idle, s->workers + f.held, peak, own, s->items, s->kills, f.repeated,
           f.refused, f.told_to_wait, busy);
    measure_disk(s);
    bool good = complete(s, l) && f.acknowledged > 0;
    printf("}\n");
    load_stop(l);
    return good;
}

static bool read_number(double *out, int argc, char **argv, int *at, const char *name)
{
    if (strcmp(argv[*at], name) != 0 || *at + 1 >= argc) return false;
    *out = atof(argv[++*at]);
    return true;
}

int main(int argc, char **argv)
{
    double workers = 1000, connections = 5000, seconds = 20, interval = 2, kills = 0, items = 60000;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_collect SCDC [--quick] [--workers N] [--connections N] "
                        "[--seconds S] [--interval S] [--kills N] [--items N]\n");
        return 2;
    }
    bool quick = false;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            quick = true;
            workers = 100, connections = 300, seconds = 3, interval = .2, items = 2000;
        } else if (!read_number(&workers, argc, argv, &i, "--workers") &&
                   !read_number(&connections, argc, argv, &i, "--connections") &&
                   !read_number(&seconds, argc, argv, &i, "--seconds") &&
                   !read_number(&interval, argc, argv, &i, "--interval") &&
                   !read_number(&kills, argc, argv, &i, "--kills") &&
                   !read_number(&items, argc, argv, &i, "--items")) {
            fprintf(stderr, "bench_collect: unknown option %s\n", argv[i]);
            return 2;
        }
    }
    setting s = {.program = argv[1],
                 .workers = (size_t)workers,
                 .connections = (size_t)connections,
                 .kills = (size_t)kills,
                 .items = (size_t)items,
                 .values = quick ? 64 : 784,
                 .seconds = seconds,
                 .interval = interval};
    struct rlimit files = {.rlim_cur = s.connections + 200, .rlim_max = s.connections + 200};
    struct rlimit before;
    getrlimit(RLIMIT_NOFILE, &before);
    files.rlim_max = before.rlim_max;
    if (files.rlim_cur > before.rlim_cur) setrlimit(RLIMIT_NOFILE, &files);
    prepare(&s);
    bool good = run(&s);
    nftw(s.folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(s.tokens);
    return good ? 0 : 1;
}
