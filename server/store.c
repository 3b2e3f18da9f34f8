/* Choosing the kind of store by its place, and what is the same for all kinds. */
#include "store.h"

#ifdef SCDC_HAVE_POSTGRESQL
#include "postgres_link.h"
#endif

#include <string.h>

bool store_is_address(const char *place)
{
    return strncmp(place, "postgresql://", 13) == 0 || strncmp(place, "postgres://", 11) == 0;
}

#ifdef SCDC_HAVE_POSTGRESQL
int store_address_shown(char **out, const char *address)
{
    return postgres_shown(out, address);
}

int store_open(store **out, const char *place, store_mode mode)
{
    return (store_is_address(place) ? store_postgres : store_sqlite).open(out, place, mode);
}
#else
int store_address_shown(char **out, const char *address)
{
    (void)out;
    (void)address;
    return server_fail(SCDC_ERR_ARGUMENT, "this scdc was built without PostgreSQL (libpq): answers "
                                          "can only be kept in a project's folder");
}

int store_open(store **out, const char *place, store_mode mode)
{
    if (store_is_address(place)) return store_address_shown(NULL, place);
    return store_sqlite.open(out, place, mode);
}
#endif

void store_close(store *s)
{
    if (s) s->kind->close(s);
}

bool store_is_shared(const store *s)
{
    return s->kind->shared;
}

int store_read(store *s, store_each_fn each, void *user)
{
    return s->kind->read(s, each, user);
}

int store_follow(store *s, store_each_fn each, void *user)
{
    return s->kind->follow(s, each, user);
}

int store_begin(store *s, store_each_fn each, void *user)
{
    return s->kind->begin(s, each, user);
}

int store_commit(store *s, const record *records, size_t count)
{
    return s->kind->commit(s, records, count);
}

static int ignore(const record *r, void *user)
{
    (void)r;
    (void)user;
    return SCDC_OK;
}

int store_write(store *s, const record *records, size_t count)
{
    SERVER_TRY(store_begin(s, ignore, NULL));
    return store_commit(s, records, count);
}

bool store_lead(store *s)
{
    return s->kind->lead(s);
}

int store_set(store *s, const char *name, const char *value)
{
    return s->kind->set(s, name, value);
}

int store_keep(char **out, store *s, const char *name, const char *value)
{
    return s->kind->keep(out, s, name, value);
}

char *store_get(store *s, const char *name)
{
    return s->kind->get(s, name);
}

int store_copy(store *s, const char *path)
{
    return s->kind->copy(s, path);
}
