/* Opening projects: folder, lock, settings, records. */
#include "project.h"

#include "checks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_INSTRUCTIONS = 64 * 1024 };

char *project_path(const char *folder, const char *name)
{
    return text_format("%s/%s", folder, name);
}

static bool folder_has(const char *folder, const char *name)
{
    struct stat st;
    char *path = project_path(folder, name);
    bool has = stat(folder, &st) == 0 && S_ISDIR(st.st_mode) && stat(path, &st) == 0;
    free(path);
    return has;
}

bool collect_is_project(const char *path)
{
    return folder_has(path, PROJECT_STORE) || folder_has(path, PROJECT_ADDRESS);
}

/* ---- where the store is --------------------------------------------------------------------- */

static int read_address(char **out, const char *folder)
{
    char *path = project_path(folder, PROJECT_ADDRESS), line[4096] = "";
    FILE *f = fopen(path, "r");
    bool good = f && fgets(line, sizeof line, f);
    if (f) fclose(f);
    line[strcspn(line, "\n")] = '\0';
    int status = SCDC_OK;
    if (!good || !store_is_address(line))
        status = server_fail(SCDC_ERR_INPUT, "%s: holds no address of a database", path);
    else *out = text_copy(line);
    free(path);
    return status;
}

/* The password is left out: it belongs into ~/.pgpass. */
static int keep_address(const char *folder, const char *address)
{
    char *path = project_path(folder, PROJECT_ADDRESS), *shown = NULL;
    int status = store_address_shown(&shown, address);
    if (status == SCDC_OK) {
        char *line = text_format("%s\n", shown);
        status = scdc_write_file(path, line, strlen(line));
        if (status != SCDC_OK) status = server_fail_lib(status);
        free(line);
    }
    free(shown);
    free(path);
    return status;
}

int project_place(char **out, const char *folder, const char *given)
{
    if (given) {
        *out = text_copy(given);
        return SCDC_OK;
    }
    if (folder_has(folder, PROJECT_ADDRESS)) return read_address(out, folder);
    if (!folder_has(folder, PROJECT_STORE))
        return server_fail(SCDC_ERR_INPUT, "%s: is no project of scdc collect", folder);
    *out = project_path(folder, PROJECT_STORE);
    return SCDC_OK;
}

/* ---- the folder ----------------------------------------------------------------------------- */

static bool is_empty(const char *folder)
{
    DIR *stream = opendir(folder);
    if (!stream) return false;
    bool empty = true;
    for (struct dirent *e; empty && (e = readdir(stream));)
        empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
                strcmp(e->d_name, DEMO_ITEMS) == 0 || strcmp(e->d_name, DEMO_TRUTH) == 0;
    closedir(stream);
    return empty;
}

static int claim_folder(project *p, bool *fresh)
{
    *fresh = !collect_is_project(p->folder);
    if (*fresh && mkdir(p->folder, 0700) != 0) {
        if (errno != EEXIST)
            return server_fail(SCDC_ERR_OUTPUT, "%s: %s", p->folder, strerror(errno));
        if (!is_empty(p->folder))
            return server_fail(SCDC_ERR_OUTPUT, "%s: is not empty and no project of scdc collect",
                               p->folder);
    }
    p->lock = open(p->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (p->lock < 0) return server_fail(SCDC_ERR_OUTPUT, "%s: %s", p->folder, strerror(errno));
    if (flock(p->lock, LOCK_EX | LOCK_NB) == 0) return SCDC_OK;
    return server_fail(SCDC_ERR_OUTPUT, "%s: another server works with this project", p->folder);
}

/* ---- settings ------------------------------------------------------------------------------- */

/* The given value, else the kept one, else the default; what is new is kept. */
static int keep_text(char **out, store *s, const char *key, const char *given, const char *usual)
{
    char *kept = NULL;
    if (given) SERVER_TRY(store_set(s, key, given));
    else SERVER_TRY(store_keep(&kept, s, key, usual));
    free(*out);
    *out = given ? text_copy(given) : kept;
    return SCDC_OK;
}

static int keep_count(size_t *out, store *s, const char *key, size_t given, size_t usual)
{
    char number[24], *text = NULL;
    snprintf(number, sizeof number, "%zu", given);
    char fallback[24];
    snprintf(fallback, sizeof fallback, "%zu", usual);
    SERVER_TRY(keep_text(&text, s, key, given ? number : NULL, fallback));
    *out = strtoul(text, NULL, 10);
    free(text);
    return SCDC_OK;
}

static int keep_token(char **out, store *s, const char *key)
{
    char token[TOKEN_LENGTH + 1];
    token_make(token);
    return keep_text(out, s, key, NULL, token);
}

static int read_instructions(char **out, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return server_fail(SCDC_ERR_INPUT, "%s: %s", path, strerror(errno));
    char *text = need_zeroed(LARGEST_INSTRUCTIONS + 1, 1);
    size_t size = fread(text, 1, LARGEST_INSTRUCTIONS + 1, f);
    fclose(f);
    char *checked = text_copy(size ? text : " ");
    bool good =
        size <= LARGEST_INSTRUCTIONS && !memchr(text, 0, size) && text_clean(checked, size + 1);
    free(checked);
    if (!good) {
        free(text);
        return server_fail(SCDC_ERR_INPUT, "%s: must be UTF-8 text of at most %d KiB", path,
                           LARGEST_INSTRUCTIONS / 1024);
    }
    *out = text;
    return SCDC_OK;
}

static int keep_instructions(project *p, const char *path)
{
    static const char pairs[] = "Look at the two items. Are they of the **same kind**?\n\n"
                                "There is no trick. If you cannot tell, say *not sure*.";
    static const char piles[] = "Sort the items into piles, so that each pile holds items of the "
                                "**same kind**.\n\nLeave aside what you cannot tell.";
    char *text = NULL;
    if (path) SERVER_TRY(read_instructions(&text, path));
    int status =
        keep_text(&p->instructions, p->store, "instructions", text, p->sets ? piles : pairs);
    free(text);
    return status;
}

/* Exports read names from here: they need not open the data again. */
static int keep_items(project *p)
{
    char count[24], *names = NULL, *kept = NULL;
    size_t size = 0, n = items_count(p->items);
    snprintf(count, sizeof count, "%zu", n);
    SERVER_TRY(keep_text(&kept, p->store, "items", NULL, count));
    free(kept);
    if (!scdc_data_name(items_data(p->items), 0)) return SCDC_OK;
    FILE *stream = open_memstream(&names, &size);
    if (!stream) return server_fail(SCDC_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const char *name = items_name(p->items, i);
        if (strchr(name, '\n')) {
            fclose(stream);
            free(names);
            return server_fail(SCDC_ERR_INPUT, "item %zu: its name has a line break", i);
        }
        fprintf(stream, "%s\n", name);
    }
    fclose(stream);
    kept = NULL;
    int status = keep_text(&kept, p->store, "item_names", NULL, names);
    free(kept);
    free(names);
    return status;
}

/* What a project was made for cannot change under its answers. */
static int keep_purpose(project *p, const collect_options *o)
{
    char checksum[16], *kept = NULL, *kind = NULL;
    snprintf(checksum, sizeof checksum, "%08lx", (unsigned long)items_checksum(p->items));
    SERVER_TRY(keep_text(&kept, p->store, "data_crc32", NULL, checksum));
    bool agrees = strcmp(kept, checksum) == 0;
    free(kept);
    if (!agrees)
        return server_fail(SCDC_ERR_INPUT, "%s: not the items that project %s was made for",
                           o->data, p->folder);
    SERVER_TRY(keep_items(p));
    SERVER_TRY(keep_text(&kind, p->store, "task", NULL, o->sets == 1 ? "sets" : "pairs"));
    p->sets = strcmp(kind, "sets") == 0;
    free(kind);
    if (o->sets >= 0 && (o->sets == 1) != p->sets)
        return server_fail(SCDC_ERR_ARGUMENT, "%s: was made for %s; a project has one kind of task",
                           p->folder, p->sets ? "sets" : "pairs");
    SERVER_TRY(keep_count(&p->set_size, p->store, "set_size", o->set_size, p->sets ? 8 : 2));
    if (!p->sets) p->set_size = 2;
    size_t n = items_count(p->items);
    if (p->set_size < 2 || p->set_size > LARGEST_SET || p->set_size > n)
        return server_fail(SCDC_ERR_ARGUMENT, "a set has 2 to %zu items, not %zu",
                           n < LARGEST_SET ? n : (size_t)LARGEST_SET, p->set_size);
    return SCDC_OK;
}

static int keep_settings(project *p, const collect_options *o)
{
    static const char *const strategies[] = {"suggest", "random", "grid"};
    char *data = realpath(o->data, NULL), *strategy = NULL;
    int status = keep_text(&p->data, p->store, "data", data ? data : o->data, "");
    free(data);
    SERVER_TRY(status);
    SERVER_TRY(keep_text(&p->title, p->store, "title", o->title, "Which belong together?"));
    SERVER_TRY(keep_instructions(p, o->instructions));
    SERVER_TRY(keep_text(&p->completion, p->store, "completion", o->completion, ""));
    SERVER_TRY(keep_token(&p->secret, p->store, "secret"));
    SERVER_TRY(keep_token(&p->item_key, p->store, "item_key"));
    SERVER_TRY(keep_token(&p->id, p->store, "id"));
    SERVER_TRY(keep_count(&p->redundancy, p->store, "redundancy", o->redundancy, 2));
    SERVER_TRY(keep_count(&p->quota, p->store, "quota", o->quota, 0));
    SERVER_TRY(keep_count(&p->lease, p->store, "lease", o->lease, p->sets ? 900 : 180));
    SERVER_TRY(keep_text(&strategy, p->store, "strategy",
                         o->strategy >= 0 ? strategies[o->strategy] : NULL, strategies[0]));
    for (int i = 0; i < 3; i++) {
        if (strcmp(strategies[i], strategy) == 0) p->strategy = (collect_strategy)i;
    }
    free(strategy);
    p->seed = o->seed;
    char *text = NULL;
    if (o->examples) SERVER_TRY(examples_json(&text, p->items, o->examples));
    status = keep_text(&p->examples, p->store, "examples", text, "[]");
    free(text);
    return status;
}

/* ---- records -------------------------------------------------------------------------------- */

static int apply(const record *r, void *user)
{
    return board_apply(user, r);
}

int project_write(project *p, const record *records, size_t count)
{
    SERVER_TRY(store_begin(p->store, apply, p->board));
    SERVER_TRY(store_commit(p->store, records, count));
    for (size_t i = 0; i < count; i++) SERVER_TRY(board_apply(p->board, &records[i]));
    return SCDC_OK;
}

int project_add_token(project *p, char out[TOKEN_LENGTH + 1], token_role role)
{
    record r = {.kind = RECORD_TOKEN, .time = clock_wall(), .token = {.role = role}};
    token_make(out);
    token_hash_of(&r.token.hash, out);
    return project_write(p, &r, 1);
}

static int open_store(project *p, const collect_options *o, bool fresh)
{
    if (o->store && !store_is_address(o->store))
        return server_fail(SCDC_ERR_ARGUMENT, "--store: no address of a database such as "
                                              "postgresql://user@host/database");
    if (o->store && folder_has(p->folder, PROJECT_STORE))
        return server_fail(SCDC_ERR_ARGUMENT,
                           "%s: keeps its answers in " PROJECT_STORE "; --store needs another "
                           "folder",
                           p->folder);
    if (fresh && !o->store) p->place = project_path(p->folder, PROJECT_STORE);
    else SERVER_TRY(project_place(&p->place, p->folder, o->store));
    /* A new folder may belong to a database that other servers have been at work with. */
    store_mode mode = !fresh ? STORE_WRITE : o->store ? STORE_JOIN : STORE_CREATE;
    SERVER_TRY(store_open(&p->store, p->place, mode));
    p->shared = store_is_shared(p->store);
    if (o->store) SERVER_TRY(keep_address(p->folder, o->store));
    SERVER_TRY(keep_purpose(p, o));
    return keep_settings(p, o);
}

static int fill(project *p, const collect_options *o)
{
    bool fresh;
    SERVER_TRY(items_open(&p->items, o->data, o->show));
    SERVER_TRY(claim_folder(p, &fresh));
    SERVER_TRY(open_store(p, o, fresh));
    board_rules rules = {.sets = p->sets,
                         .items = items_count(p->items),
                         .redundancy = (uint32_t)p->redundancy,
                         .quota = (uint32_t)p->quota,
                         .check_every = 10,
                         .lease_ms = (int64_t)p->lease * 1000};
    p->board = board_create(&rules);
    SERVER_TRY(store_read(p->store, apply, p->board));
    return o->checks ? checks_add(p, o->checks) : SCDC_OK;
}

int project_open(project **out, const collect_options *o)
{
    project *p = need_zeroed(1, sizeof *p);
    p->lock = -1;
    p->folder = text_copy(o->project);
    int status = fill(p, o);
    if (status != SCDC_OK) {
        project_close(p);
        return status;
    }
    *out = p;
    return SCDC_OK;
}

void project_close(project *p)
{
    if (!p) return;
    store_close(p->store);
    board_free(p->board);
    items_free(p->items);
    if (p->lock >= 0) close(p->lock);
    char *texts[] = {p->folder,   p->place,      p->data,   p->title,    p->instructions,
                     p->examples, p->completion, p->secret, p->item_key, p->id};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    free(p);
}
