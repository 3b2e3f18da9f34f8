/* The made-up people: a small state machine each, all on one epoll. */
#include "collect_load.h"

#include "../server/base.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TASKS = 4, BUFFER = 8192, EVENTS = 256 };

typedef enum stage { IDLE, ASKING, ANSWERING } stage;

typedef struct person {
    int fds[MOST_SERVERS]; /* -1: none */
    size_t at, turn;       /* the server that is asked, and whose turn is next */
    stage stage;
    double due, sent;
    char in[BUFFER];
    size_t have;
    struct {
        long long task;
        char seal[SEAL_LENGTH + 1];
    } tasks[MOST_TASKS];
    size_t n_tasks;
    char answer[33]; /* id on its way; "": none */
    int tries;
} person;

struct load {
    load_setup setup;
    int epoll;
    person *people;
    int *idle;
    size_t n_idle;
    id128 *acknowledged;
    size_t n_acknowledged, room_acknowledged;
    double *times;
    size_t n_times, room_times;
    load_figures sums;
    uint64_t random;
    double started;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double chance(load *l)
{
    l->random = l->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(l->random >> 11) * 0x1p-53;
}

/* ---- connections ---------------------------------------------------------------------------- */

static int dial(const load *l, size_t server)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)l->setup.ports[server])};
    const int on = 1;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    /* Loopback connects at once or not at all. */
    if (connect(fd, (void *)&a, sizeof a) != 0) {
        close(fd);
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

static void hang_up(load *l, person *p, size_t server)
{
    if (p->fds[server] >= 0) {
        close(p->fds[server]);
        l->sums.lost_connections++;
    }
    p->fds[server] = -1;
    if (p->at != server) return;
    p->stage = IDLE;
    p->have = 0;
    p->due = now() + .05 + .2 * chance(l);
}

/* The server whose turn it is; false when it does not answer: the next one is tried soon. */
static bool call_in(load *l, person *p)
{
    p->at = p->turn++ % l->setup.servers;
    if (p->fds[p->at] >= 0) return true;
    p->fds[p->at] = dial(l, p->at);
    if (p->fds[p->at] < 0) {
        p->due = now() + .05 + .2 * chance(l);
        return false;
    }
    struct epoll_event e = {.events = EPOLLIN,
                            .data.u64 = (uint64_t)(p - l->people) * MOST_SERVERS + p->at};
    epoll_ctl(l->epoll, EPOLL_CTL_ADD, p->fds[p->at], &e);
    return true;
}

/* ---- sending -------------------------------------------------------------------------------- */

static void post(load *l, person *p, const char *path, const char *body, stage next)
{
    char text[2048];
    int size = snprintf(text, sizeof text,
                        "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                        "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                        path, l->setup.tokens[p - l->people], strlen(body), body);
    p->sent = now();
    if (send(p->fds[p->at], text, (size_t)size, MSG_NOSIGNAL) != size) {
        hang_up(l, p, p->at);
        return;
    }
    p->stage = next;
}

static void act(load *l, person *p)
{
    char body[512];
    if (!call_in(l, p)) return;
    if (p->n_tasks == 0) {
        post(l, p, "/api/tasks", "{\"want\":4,\"have\":[]}", ASKING);
        return;
    }
    if (!p->answer[0]) {
        id128 id = {(uint64_t)(chance(l) * 0x1p53) << 11 ^ l->random, 0};
        id.low = (uint64_t)(chance(l) * 0x1p53) << 11 ^ (uint64_t)(p - l->people);
        id128_print(p->answer, id);
        p->tries = 0;
    }
    l->sums.repeated += p->tries++ > 0;
    snprintf(body, sizeof body,
             "{\"answers\":[{\"id\":\"%s\",\"task\":%lld,\"seal\":\"%s\",\"value\":\"%d\","
             "\"took\":1500}]}",
             p->answer, p->tasks[0].task, p->tasks[0].seal, (int)(p->answer[0] & 1));
    post(l, p, "/api/answers", body, ANSWERING);
}

/* ---- receiving ------------------------------------------------------------------------------ */

static void take_tasks(load *l, person *p, const json_t *reply)
{
    const json_t *list = json_object_get(reply, "tasks"), *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        if (p->n_tasks == MOST_TASKS) break;
        p->tasks[p->n_tasks].task = json_integer_value(json_object_get(one, "task"));
        snprintf(p->tasks[p->n_tasks].seal, SEAL_LENGTH + 1, "%s",
                 json_string_value(json_object_get(one, "seal")));
        p->n_tasks++;
    }
    p->due = now() + (p->n_tasks ? l->setup.interval * chance(l) * .2 : 1);
}

static void drop_task(person *p)
{
    p->answer[0] = '\0';
    p->n_tasks--;
    memmove(p->tasks, p->tasks + 1, p->n_tasks * sizeof *p->tasks);
}

static void take_kept(load *l, person *p, const json_t *reply)
{
    const json_t *kept = json_array_get(json_object_get(reply, "kept"), 0);
    const char *id = json_string_value(kept);
    if (id && strcmp(id, p->answer) == 0) {
        l->acknowledged = need_room(l->acknowledged, &l->room_acknowledged, l->n_acknowledged,
                                    sizeof *l->acknowledged);
        id128_parse(&l->acknowledged[l->n_acknowledged++], id);
        l->times = need_room(l->times, &l->room_times, l->n_times, sizeof *l->times);
        l->times[l->n_times++] = now() - p->sent;
    } else {
        l->sums.refused++;
    }
    drop_task(p);
    p->due += l->setup.interval;
    if (p->due < now()) p->due = now() + l->setup.interval * chance(l);
}

static void take_reply(load *l, person *p, int status, const char *body, size_t size)
{
    stage was = p->stage;
    p->stage = IDLE;
    if (status == 200) {
        json_t *reply = json_loadb(body, size, 0, NULL);
        if (was == ASKING) take_tasks(l, p, reply);
        if (was == ANSWERING) take_kept(l, p, reply);
        json_decref(reply);
    } else {
        l->sums.told_to_wait++;
        p->due = now() + 1;
    }
}

static void receive(load *l, person *p, size_t server)
{
    bool awaited = server == p->at && p->stage != IDLE;
    char rest[64];
    ssize_t got = recv(p->fds[server], awaited ? p->in + p->have : rest,
                       awaited ? BUFFER - 1 - p->have : sizeof rest, 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) hang_up(l, p, server);
    if (got <= 0 || !awaited) return;
    p->have += (size_t)got;
    p->in[p->have] = '\0';
    char *end = strstr(p->in, "\r\n\r\n"), *length = strcasestr(p->in, "content-length:");
    if (!end || !length) return;
    size_t head = (size_t)(end + 4 - p->in), size = strtoul(length + 15, NULL, 10);
    if (p->have < head + size) return;
    int status = atoi(p->in + 9);
    p->have = 0;
    take_reply(l, p, status, end + 4, size);
}

/* ---- the loop ------------------------------------------------------------------------------- */

load *load_start(const load_setup *setup)
{
    load *l = need_zeroed(1, sizeof *l);
    l->setup = *setup;
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->random = (uint64_t)clock_wall();
    l->people = need_zeroed(setup->workers, sizeof *l->people);
    l->idle = need_zeroed(setup->idle, sizeof *l->idle);
    l->started = now();
    for (size_t i = 0; i < setup->workers; i++) {
        for (size_t n = 0; n < MOST_SERVERS; n++) l->people[i].fds[n] = -1;
        l->people[i].turn = i;
        l->people[i].due = now() + setup->interval * chance(l);
    }
    for (size_t i = 0; i < setup->idle; i++) {
        int fd = dial(l, i % setup->servers);
        if (fd >= 0) l->idle[l->n_idle++] = fd;
    }
    return l;
}

void load_run(load *l, double seconds)
{
    double end = now() + seconds;
    struct epoll_event events[EVENTS];
    while (now() < end) {
        int count = epoll_wait(l->epoll, events, EVENTS, 2);
        for (int i = 0; i < count; i++)
            receive(l, &l->people[events[i].data.u64 / MOST_SERVERS],
                    events[i].data.u64 % MOST_SERVERS);
        double time = now();
        for (size_t i = 0; i < l->setup.workers; i++) {
            person *p = &l->people[i];
            if (p->due <= time && p->stage == IDLE) act(l, p);
        }
    }
}

const id128 *load_acknowledged(const load *l, size_t *count)
{
    *count = l->n_acknowledged;
    return l->acknowledged;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Does an idle connection still serve? */
static bool alive(int fd)
{
    static const char ask[] = "GET /page/icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n";
    char text[64] = "";
    fcntl(fd, F_SETFL, 0);
    if (send(fd, ask, sizeof ask - 1, MSG_NOSIGNAL) < 0) return false;
    return recv(fd, text, sizeof text - 1, 0) > 12 && strncmp(text, "HTTP/1.1 200", 12) == 0;
}

void load_measure(load *l, load_figures *out)
{
    *out = l->sums;
    out->acknowledged = l->n_acknowledged;
    out->seconds = now() - l->started;
    qsort(l->times, l->n_times, sizeof *l->times, by_size);
    if (l->n_times) {
        out->median = l->times[l->n_times / 2];
        out->p99 = l->times[(size_t)((double)l->n_times * .99)];
        out->worst = l->times[l->n_times - 1];
    }
    for (size_t i = 0; i < l->n_idle; i++) out->held += alive(l->idle[i]);
}

void load_stop(load *l)
{
    for (size_t i = 0; i < l->setup.workers; i++) {
        for (size_t n = 0; n < MOST_SERVERS; n++) {
            if (l->people[i].fds[n] >= 0) close(l->people[i].fds[n]);
        }
    }
    for (size_t i = 0; i < l->n_idle; i++) close(l->idle[i]);
    close(l->epoll);
    free(l->people);
    free(l->idle);
    free(l->acknowledged);
    free(l->times);
    free(l);
}
