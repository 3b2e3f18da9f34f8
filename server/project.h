/* A project's folder: project.db with settings and records, and runs/ for what fits leave. */
#ifndef SCDC_SERVER_PROJECT_H
#define SCDC_SERVER_PROJECT_H

#include "board.h"
#include "collect.h"
#include "items.h"
#include "store.h"
#include "writer.h"

#define PROJECT_STORE "project.db"

typedef struct project {
    char *folder;
    int lock; /* descriptor of the folder, -1: none */
    store *store;
    board *board;
    item_set *items;
    /* Settings */
    char *data, *title, *instructions, *examples, *completion;
    char *secret;   /* seals tasks */
    char *item_key; /* in the addresses of items */
    char *id;       /* tells projects apart in a browser */
    bool sets;
    size_t set_size, redundancy, quota, lease;
    collect_strategy strategy;
    uint64_t seed;
} project;

/* Opens or makes the folder, takes its lock, reads everything. */
int project_open(project **out, const collect_options *o);
void project_close(project *p);

char *project_path(const char *folder, const char *name);
/* A new token of a role, in the store and on the board. Before the writer starts. */
int project_add_token(project *p, char out[TOKEN_LENGTH + 1], token_role role);

#endif
