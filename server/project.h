/* A project: its store with settings and records, and a folder for what fits leave (runs/). The
 * store is project.db in that folder, or a database whose address is in store.txt there; servers
 * that share one have a folder each. */
#ifndef SCDC_SERVER_PROJECT_H
#define SCDC_SERVER_PROJECT_H

#include "board.h"
#include "collect.h"
#include "items.h"
#include "store.h"
#include "writer.h"

#define PROJECT_STORE "project.db"
#define PROJECT_ADDRESS "store.txt"

typedef struct project {
    char *folder;
    int lock;    /* descriptor of the folder, -1: none */
    char *place; /* of the store: path or address */
    bool shared; /* other servers may work with it */
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
/* Where the store of a project's folder is, freed by the caller; `given` (an address, or NULL)
 * comes first. SCDC_ERR_INPUT when the folder is no project. */
int project_place(char **out, const char *folder, const char *given);
/* Writes records and puts them on the board, after what others wrote. Before the writer starts. */
int project_write(project *p, const record *records, size_t count);
/* A new token of a role, in the store and on the board. Before the writer starts. */
int project_add_token(project *p, char out[TOKEN_LENGTH + 1], token_role role);

#endif
