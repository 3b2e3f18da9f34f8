/* scdc collect, as the program sees it. Functions return an scdc_status; collect_error tells why.
 */
#ifndef SCDC_SERVER_COLLECT_H
#define SCDC_SERVER_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct collect collect;

typedef enum collect_strategy { COLLECT_SUGGEST, COLLECT_RANDOM, COLLECT_GRID } collect_strategy;

/* NULL, 0 and -1 leave a setting as it is in an existing project, or take the default in a new one;
 * what a running server is (address, limits) is not kept. */
typedef struct collect_options {
    const char *data;    /* what is clustered */
    const char *project; /* the folder */
    const char *store;   /* address of a database instead of a file in the folder */
    const char *show;    /* folder or csv to show instead of the values */
    int sets;            /* 1: piles, 0: pairs */
    size_t set_size;
    int strategy; /* collect_strategy */
    size_t redundancy;
    size_t quota; /* answers of one worker */
    const char *title;
    const char *instructions; /* a Markdown file */
    const char *examples, *checks;
    const char *completion; /* code or address workers get at their end */
    size_t lease;           /* seconds */
    uint64_t seed;
    const char *listen; /* ADDRESS:PORT */
    const char *public_url;
    const char *cert, *key;
    size_t per_address; /* connections; 0: any number */
    size_t connections;
    size_t threads;
    size_t refit; /* new answers between two fits */
    bool fits;    /* cluster in the background */
    bool proxied; /* believe X-Forwarded-For */
    size_t demo;  /* made-up workers */
    const char *demo_truth;
    const char *program; /* this program, for fits */
} collect_options;

void collect_options_init(collect_options *o);

/* What the server runs with, as scdc_about: name and value of fact `index`, NULL after the last. */
const char *collect_about(size_t index, const char **value);

/* Opens the project, or makes it, and serves. */
int collect_start(collect **out, const collect_options *o);
/* Addresses of the running server; they hold tokens. */
const char *collect_url(const collect *c);
const char *collect_owner_url(const collect *c);
const char *collect_worker_url(const collect *c);
/* Ends after the last commit. */
void collect_stop(collect *c);

/* For a look without data: pictures of five shapes in PROJECT/demo-items.npy, and what they are in
 * PROJECT/demo-truth.csv. Leaves them alone when they are there. */
#define DEMO_ITEMS "demo-items.npy"
#define DEMO_TRUTH "demo-truth.csv"
int collect_demo_data(const char *folder, uint64_t seed);

/* Whether a path is a project's folder. */
bool collect_is_project(const char *path);
typedef struct collect_counts {
    size_t answers, workers, tasks;
} collect_counts;
/* The answers as csv, for scdc fit; `everybody` also takes blocked workers. `address` is that of
 * the project's database, or NULL: as the folder says. Works while a server runs. */
int collect_export(collect_counts *counts, const char *folder, const char *address,
                   const char *output, bool everybody);
const char *collect_error(void);

#endif
