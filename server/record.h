/* What a project remembers, one record at a time. The store keeps records; the board is what they
 * add up to. Nothing is ever changed or removed: a worker who is blocked is one more record. */
#ifndef SCDC_SERVER_RECORD_H
#define SCDC_SERVER_RECORD_H

#include "idmap.h"
#include "secret.h"

typedef enum record_kind {
    RECORD_WORKER = 1,
    RECORD_TOKEN,
    RECORD_TASK,
    RECORD_ANSWER,
    RECORD_STANDING,
    /* What servers that share a store tell each other; a file does not keep it. */
    RECORD_WISH,
    RECORD_LEASE
} record_kind;

typedef enum token_role { ROLE_NONE, ROLE_WORKER, ROLE_JOIN, ROLE_OWNER } token_role;
typedef enum standing { STANDING_GOOD, STANDING_BLOCKED, STANDING_FORGIVEN } standing;

/* Numbers of workers and tasks count from 1. Texts belong to the record. */
typedef struct record {
    record_kind kind;
    int64_t time; /* when, milliseconds since 1970 */
    union {
        struct {
            uint32_t number;
            char *name;    /* unique */
            char *source;  /* "link", "open", "prolific", "mturk", "demo" */
            char *outside; /* what the platform calls the worker and the session; may be "" */
        } worker;
        struct {
            token_hash hash;
            token_role role;
            uint32_t worker; /* 0 for other roles */
        } token;
        struct {
            uint32_t number;
            char *items; /* numbers separated by blanks */
            char *truth; /* the right answer of a check, in the form of an answer's value; or "" */
            char *reason;
        } task;
        struct {
            id128 id; /* made by the page: sent twice is kept once */
            uint32_t task, worker;
            char *value;   /* pairs: "1", "0", "?"; piles: "0 0 1 ? 2", one entry per item */
            char *names;   /* of the piles, as a JSON list; or "" */
            uint32_t took; /* milliseconds */
        } answer;
        struct {
            uint32_t worker;
            standing standing;
        } standing;
        struct {
            uint32_t task, worker; /* who is to get it before others; 0: anybody */
            uint32_t again;        /* 1: one more answer is wanted than before */
        } wish;
        struct {
            uint32_t task, worker;
            int64_t left; /* milliseconds until it is over; 0 or less: given back */
        } lease;
    };
} record;

void record_clear(record *r);
/* A record of its own, with copies of the texts. */
record record_copy(const record *r);

#endif
