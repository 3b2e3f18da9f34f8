/* scdc collect under load, on loopback: how long an answer takes, how many connections are held,
 * how much memory it needs, and whether every acknowledged answer is there after kill -9.
 *
 * Usage: bench_collect SCDC [--quick] [--workers N] [--connections N] [--seconds S] [--interval S]
 *                      [--kills N] [--items N] [--servers N] [--store-kills N]
 * With $SCDC_TEST_STORE (tests/server/postgres.py) several servers share that database, and the
 * commands in $SCDC_TEST_STORE_KILL and _START kill it and start it again. Prints JSON objects;
 * ends with 1 when an acknowledged answer is missing or one is there twice, or when servers with
 * one database have asked a pair twice or more people than they should. */
#include "collect_load.h"

#include "../server/board.h"
#include "../server/project.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pthread.h>
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
    const char *store; /* address of a database, or NULL */
    size_t workers, connections, kills, store_kills, items, values, servers;
    double seconds, interval;
    char folder[64], data[96], log[96];
    char (*tokens)[TOKEN_LENGTH + 1];
    struct {
        char project[96], listen[32];
        unsigned port;
        pid_t pid;
    } server[MOST_SERVERS];
} setting;

enum { WANTED = 2 }; /* answers of each task */

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
    snprintf(s->log, sizeof s->log, "%s/log", s->folder);
    make_items(s);
    collect_options o;
    collect_options_init(&o);
    o.data = s->data;
    o.store = s->store;
    o.redundancy = WANTED;
    o.strategy = COLLECT_RANDOM;
    for (size_t i = 0; i < s->servers; i++) {
        snprintf(s->server[i].project, sizeof s->server[i].project, "%s/project%zu", s->folder, i);
        s->server[i].port = free_port();
        snprintf(s->server[i].listen, sizeof s->server[i].listen, "127.0.0.1:%u",
                 s->server[i].port);
    }
    o.project = s->server[0].project;
    project *p;
    need(project_open(&p, &o) == SCDC_OK, "making a project");
    hire(s, p);
    project_close(p);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

/* ---- the server ----------------------------------------------------------------------------- */

static bool answers(unsigned port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool good = connect(fd, (void *)&a, sizeof a) == 0;
    close(fd);
    return good;
}

static void start_server(setting *s, size_t i)
{
    char most[24];
    snprintf(most, sizeof most, "%zu", s->connections + 100);
    const char *words[] = {"scdc",
                           "collect",
                           s->data,
                           "-o",
                           s->server[i].project,
                           "--listen",
                           s->server[i].listen,
                           "--per-address",
                           "0",
                           "--connections",
                           most,
                           "--no-fit",
                           "--quiet",
                           s->store ? "--store" : NULL,
                           s->store,
                           NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 2, s->log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    need(posix_spawn(&s->server[i].pid, s->program, &files, NULL, (char *const *)(uintptr_t)words,
                     environ) == 0,
         "starting the server");
    posix_spawn_file_actions_destroy(&files);
}

/* False when it cannot start just now: the database is away. */
static bool server_answers(setting *s, size_t i)
{
    for (int n = 0; n < 4000 && !answers(s->server[i].port); n++) {
        struct timespec pause = {.tv_nsec = 5000000};
        nanosleep(&pause, NULL);
        if (waitpid(s->server[i].pid, NULL, WNOHANG) != 0) return false;
    }
    return true;
}

static void end_server(setting *s, size_t i, int signal_number)
{
    kill(s->server[i].pid, signal_number);
    waitpid(s->server[i].pid, NULL, 0);
}

/* A line of /proc/PID/status in MB. */
static double memory(pid_t pid, const char *line)
{
    char path[64], text[256];
    double kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(text, sizeof text, f)) {
        if (strncmp(text, line, strlen(line)) == 0) kilobytes = atof(text + strlen(line) + 1);
    }
    if (f) fclose(f);
    return kilobytes / 1024;
}

/* Seconds of the processor a server has used. */
static double processor(pid_t pid)
{
    char path[64], text[1024] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
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
    idmap ids, pairs, asked;
    size_t answers, twice;
    size_t tasks, same_pair;
    uint32_t *given; /* by task */
    size_t room, beyond;
} audit;

static int look(const record *r, void *user)
{
    audit *a = user;
    if (r->kind == RECORD_TASK) {
        uint64_t left = 0, right = 0;
        sscanf(r->task.items, "%" SCNu64 " %" SCNu64, &left, &right);
        id128 pair = left < right ? (id128){left, right} : (id128){right, left};
        a->same_pair += !idmap_add(&a->asked, pair, 1);
        if (r->task.number > a->tasks) a->tasks = r->task.number;
    }
    if (r->kind != RECORD_ANSWER) return SCDC_OK;
    while (r->answer.task >= a->room) {
        size_t before = a->room;
        a->given = need_room(a->given, &a->room, a->room, sizeof *a->given);
        memset(a->given + before, 0, (a->room - before) * sizeof *a->given);
    }
    a->answers++;
    bool fresh = idmap_add(&a->ids, r->answer.id, 1);
    bool first = idmap_add(&a->pairs, (id128){r->answer.task, r->answer.worker}, 1);
    a->twice += !fresh || !first;
    a->beyond += ++a->given[r->answer.task] > WANTED;
    return SCDC_OK;
}

/* Acknowledged answers that are missing, answers that are there twice, pairs that two tasks ask
 * about, and answers beyond those wanted. One server with a file forgets its leases when it is
 * killed, so there may be some of the last. */
static bool complete(const setting *s, const load *l)
{
    audit a = {0};
    store *st;
    char *path = NULL;
    size_t count, missing = 0;
    need(project_place(&path, s->server[0].project, s->store) == SCDC_OK &&
             store_open(&st, path, STORE_WRITE) == SCDC_OK && store_read(st, look, &a) == SCDC_OK,
         "reading the project");
    const id128 *ids = load_acknowledged(l, &count);
    for (size_t i = 0; i < count; i++) missing += !idmap_get(&a.ids, ids[i]);
    printf(", \"stored\": %zu, \"missing\": %zu, \"twice\": %zu, \"tasks\": %zu, "
           "\"pairs_asked_twice\": %zu, \"answers_beyond_wanted\": %zu",
           a.answers, missing, a.twice, a.tasks, a.same_pair, a.beyond);
    store_close(st);
    free(path);
    idmap_free(&a.ids);
    idmap_free(&a.pairs);
    idmap_free(&a.asked);
    free(a.given);
    return missing == 0 && a.twice == 0 && a.same_pair == 0 && (!s->store || a.beyond == 0);
}

/* ---- the run -------------------------------------------------------------------------------- */

static bool run_command_in(const char *variable)
{
    const char *command = getenv(variable);
    return command && system(command) == 0;
}

static void *kill_store(void *user)
{
    *(bool *)user =
        run_command_in("SCDC_TEST_STORE_KILL") && run_command_in("SCDC_TEST_STORE_START");
    return NULL;
}

/* In the middle of the load: a server, or the database, and both come back. */
static void disturb(setting *s, load *l, size_t number, double seconds)
{
    size_t total = s->kills + s->store_kills;
    if (number >= total) {
        load_run(l, seconds);
        return;
    }
    bool store_too = (number + 1) * s->store_kills / total > number * s->store_kills / total;
    load_run(l, seconds / 2);
    if (store_too) {
        pthread_t thread;
        bool good = false;
        need(pthread_create(&thread, NULL, kill_store, &good) == 0, "killing the database");
        load_run(l, seconds / 2);
        pthread_join(thread, NULL);
        need(good, "killing the database");
        return;
    }
    size_t which = number % s->servers;
    end_server(s, which, SIGKILL);
    start_server(s, which);
    if (s->servers == 1) need(server_answers(s, which), "the server has ended");
    load_run(l, seconds / 2); /* the others go on at once */
    need(server_answers(s, which), "the server has ended");
}

static bool run(setting *s)
{
    load_setup setup = {.servers = s->servers,
                        .tokens = (const char(*)[TOKEN_LENGTH + 1]) s->tokens,
                        .workers = s->workers,
                        .idle = s->connections > s->workers ? s->connections - s->workers : 0,
                        .interval = s->interval};
    for (size_t i = 0; i < s->servers; i++) {
        setup.ports[i] = s->server[i].port;
        start_server(s, i);
    }
    for (size_t i = 0; i < s->servers; i++) need(server_answers(s, i), "a server has ended");
    load *l = load_start(&setup);
    size_t parts = s->kills + s->store_kills + 1;
    for (size_t i = 0; i < parts; i++) disturb(s, l, i, s->seconds / (double)parts);
    double peak = 0, own = 0, busy = 0;
    for (size_t i = 0; i < s->servers; i++) {
        peak += memory(s->server[i].pid, "VmHWM");
        own += memory(s->server[i].pid, "RssAnon");
        busy += processor(s->server[i].pid);
    }
    load_figures f;
    load_measure(l, &f);
    for (size_t i = 0; i < s->servers; i++) end_server(s, i, SIGTERM);
    printf("{\"name\": \"collect, %zu workers%s\", \"servers\": %zu, \"store\": \"%s\", "
           "\"seconds\": %.1f, \"interval_s\": %.2f, "
           "\"acknowledged\": %zu, \"answers_per_s\": %.0f, \"median_ms\": %.2f, \"p99_ms\": %.2f, "
           "\"worst_ms\": %.1f, \"connections\": %zu, \"held\": %zu, \"peak_mb\": %.1f, "
           "\"own_mb\": %.1f, \"items\": %zu, \"kills\": %zu, \"store_kills\": %zu, "
           "\"sent_again\": %zu, \"refused\": %zu, \"told_to_wait\": %zu, "
           "\"server_cpu_s\": %.2f",
           s->workers, s->kills + s->store_kills ? ", killed" : "", s->servers,
           s->store ? "PostgreSQL" : "SQLite", f.seconds, s->interval, f.acknowledged,
           (double)f.acknowledged / f.seconds, 1e3 * f.median, 1e3 * f.p99, 1e3 * f.worst,
           s->workers + setup.idle, s->workers + f.held, peak, own, s->items, s->kills,
           s->store_kills, f.repeated, f.refused, f.told_to_wait, busy);
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
    double workers = 1000, connections = 5000, seconds = 20, interval = 2, kills = 0, items = 60000,
           servers = 1, store_kills = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_collect SCDC [--quick] [--workers N] [--connections N] "
                        "[--seconds S] [--interval S] [--kills N] [--items N] [--servers N] "
                        "[--store-kills N]\n");
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
                   !read_number(&servers, argc, argv, &i, "--servers") &&
                   !read_number(&store_kills, argc, argv, &i, "--store-kills") &&
                   !read_number(&items, argc, argv, &i, "--items")) {
            fprintf(stderr, "bench_collect: unknown option %s\n", argv[i]);
            return 2;
        }
    }
    setting s = {.program = argv[1],
                 .workers = (size_t)workers,
                 .connections = (size_t)connections,
                 .store = getenv("SCDC_TEST_STORE"),
                 .kills = (size_t)kills,
                 .store_kills = (size_t)store_kills,
                 .servers = (size_t)servers,
                 .items = (size_t)items,
                 .values = quick ? 64 : 784,
                 .seconds = seconds,
                 .interval = interval};
    if (s.servers < 1 || s.servers > MOST_SERVERS || (s.servers > 1 && !s.store)) {
        fprintf(stderr,
                "bench_collect: 1 to %d servers; several need a database: "
                "tests/server/postgres.py bench_collect ...\n",
                MOST_SERVERS);
        return 2;
    }
    struct rlimit files, before;
    getrlimit(RLIMIT_NOFILE, &before);
    files.rlim_cur = s.connections + s.workers * s.servers + 200;
    files.rlim_max = before.rlim_max;
    if (files.rlim_cur > before.rlim_cur) setrlimit(RLIMIT_NOFILE, &files);
    prepare(&s);
    bool good = run(&s);
    nftw(s.folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(s.tokens);
    return good ? 0 : 1;
}
