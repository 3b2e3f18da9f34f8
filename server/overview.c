/* The overview as JSON. */
#include "overview.h"

#include "piles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HOURS = 48, SHOWN_ITEMS = 9, MOST_CLUSTERS = 60, MOST_DISPUTED = 12, ACTIVE_MS = 120000 };

void overview_free(overview *o)
{
    if (!o) return;
    free(o->json);
    free(o);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* ---- answers -------------------------------------------------------------------------------- */

static json_t *hours_json(const board *b, int64_t now)
{
    const int64_t hour = 3600000;
    size_t counts[HOURS] = {0};
    for (size_t i = b->n_answers; i-- > 0;) {
        int64_t ago = now / hour - b->answers[i].time / hour;
        if (ago >= 0 && ago < HOURS) counts[HOURS - 1 - ago]++;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < HOURS; i++)
        json_array_append_new(list, json_integer((json_int_t)counts[i]));
    return list;
}

static json_t *dispute_json(uint32_t left, uint32_t right, size_t same, size_t different)
{
    return json_pack("{s:I,s:I,s:I,s:I}", "left", (json_int_t)left, "right", (json_int_t)right,
                     "same", (json_int_t)same, "different", (json_int_t)different);
}

/* The pair of a task that is most disputed: of piles any two items, with how many people had them
 * on one pile. NULL when all agree. */
static json_t *task_dispute(const board *b, const board_task *t)
{
    unsigned char piles[MOST_COMPARED][LARGEST_SET] = {{0}};
    const board_answer *answers[MOST_COMPARED];
    size_t count = board_live_answers(answers, b, t), most = 0, best[4] = {0};
    const uint32_t *items = board_items(b, t);
    for (size_t n = 0; n < count; n++) {
        const char *value = board_text(b, answers[n]->value);
        if (b->rules.sets) piles_read(piles[n], t->count, value);
        /* Of a pair: both on pile 0, on two piles, or left over. */
        else piles[n][1] = *value == '1' ? 0 : *value == '0' ? 1 : PILE_UNSURE;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        for (uint32_t j = i + 1; j < t->count; j++) {
            size_t same = 0, seen = 0;
            for (size_t n = 0; n < count; n++) {
                if (piles[n][i] == PILE_UNSURE || piles[n][j] == PILE_UNSURE) continue;
                seen++;
                same += piles[n][i] == piles[n][j];
            }
            size_t fewer = same < seen - same ? same : seen - same;
            if (fewer <= most) continue;
            most = fewer;
            best[0] = i, best[1] = j, best[2] = same, best[3] = seen - same;
        }
    }
    return most ? dispute_json(items[best[0]], items[best[1]], best[2], best[3]) : NULL;
}

static json_t *disputed_json(const board *b)
{
    json_t *list = json_array();
    for (size_t t = b->n_tasks; t-- > 1 && json_array_size(list) < MOST_DISPUTED;) {
        json_t *one = b->tasks[t].answered < 2 ? NULL : task_dispute(b, &b->tasks[t]);
        if (one) json_array_append_new(list, one);
    }
    return list;
}

/* ---- workers -------------------------------------------------------------------------------- */

static json_t *rate_json(double mean, double low, double high)
{
    return json_pack("[o,o,o]", number(mean), number(low), number(high));
}

static json_t *worker_json(const project *p, const findings *f, uint32_t n, const habit *h,
                           const habit *crowd)
{
    static const char *const standings[] = {"good", "blocked", "forgiven"};
    const board *b = p->board;
    const board_worker *w = &b->workers[n];
    const found_worker *found = findings_worker(f, w->name);
    json_t *out = json_pack(
        "{s:I,s:s,s:s,s:s,s:I,s:o,s:I,s:I,s:I,s:I,s:I,s:o,s:I,s:o}", "number", (json_int_t)n,
        "name", w->name, "source", w->source, "standing", standings[w->standing], "answers",
        (json_int_t)w->answers, "seconds", number(h->seconds), "same", (json_int_t)h->same,
        "different", (json_int_t)h->different, "unsure", (json_int_t)h->unsure, "checks",
        (json_int_t)w->checks, "checksRight", (json_int_t)w->checks_right, "agreement",
        h->compared ? number(h->agreed / (double)h->compared) : json_null(), "last",
        (json_int_t)h->last, "flags", suspicions(b, w, h, crowd, found, p->set_size));
    if (found) {
        json_object_set_new(
            out, "sensitivity",
            rate_json(found->sensitivity, found->sensitivity_low, found->sensitivity_high));
        json_object_set_new(
            out, "specificity",
            rate_json(found->specificity, found->specificity_low, found->specificity_high));
    }
    return out;
}

static json_t *workers_json(const project *p, const findings *f)
{
    const board *b = p->board;
    habit *h = habits_of(b), crowd = {0};
    for (size_t n = 1; n < b->n_workers; n++) {
        crowd.same += h[n].same;
        crowd.different += h[n].different;
    }
    json_t *list = json_array();
    for (size_t n = 1; n < b->n_workers; n++) {
        if (b->workers[n].name)
            json_array_append_new(list, worker_json(p, f, (uint32_t)n, &h[n], &crowd));
    }
    free(h);
    return list;
}

/* ---- clusters ------------------------------------------------------------------------------- */

static json_t *cluster_json(const findings *f, size_t k)
{
    json_t *shown = json_array(), *doubtful = json_array();
    const uint32_t *items = f->by_cluster + f->starts[k];
    size_t size = f->sizes[k], step = size / SHOWN_ITEMS / 2;
    double sum = 0;
    for (size_t i = 0; i < size; i++) sum += f->probability[items[i]];
    /* Spread over the surer half, so that not all are the one prototype. */
    for (size_t i = 0; i < SHOWN_ITEMS && i < size; i++)
        json_array_append_new(shown, json_integer(items[step ? i * step : i]));
    for (size_t i = 0; i < 4 && size > SHOWN_ITEMS + i; i++)
        json_array_append_new(doubtful, json_integer(items[size - 1 - i]));
    return json_pack("{s:I,s:I,s:f,s:o,s:o}", "cluster", (json_int_t)k, "size", (json_int_t)size,
                     "certainty", size ? sum / (double)size : 0, "items", shown, "doubtful",
                     doubtful);
}

static json_t *clusters_json(const findings *f)
{
    if (!f) return json_null();
    json_t *list = json_array();
    size_t filled = 0;
    for (size_t k = 0; k < f->clusters; k++) {
        filled += f->sizes[k] > 0;
        if (f->sizes[k] && json_array_size(list) < MOST_CLUSTERS)
            json_array_append_new(list, cluster_json(f, k));
    }
    return json_pack("{s:o,s:I,s:f,s:f,s:I,s:I,s:f}", "list", list, "count", (json_int_t)filled,
                     "certainty", f->certainty, "moved", f->moved, "answers",
                     (json_int_t)f->answers, "time", (json_int_t)f->time, "seconds", f->seconds);
}

/* Whether to go on: what scdc plan says, and how much the last two fits differ. Without a plan
 * these alone. */
static json_t *advice_json(const board *b, const findings *f)
{
    static const char *const planned[] = {"advice",   "sentence", "accuracy",
                                          "interval", "needed",   "points"};
    const char *word = "early";
    if (f && f->moved >= 0) {
        bool calm = f->moved < .01 && f->certainty > .97;
        word = calm ? "stop" : f->moved < .03 && f->certainty > .93 ? "soon" : "go on";
    }
    json_t *out =
        json_pack("{s:s,s:f,s:f,s:I}", "advice", word, "moved", f ? f->moved : -1, "certainty",
                  f ? f->certainty : 0, "answers", (json_int_t)b->live_answers);
    for (size_t i = 0; f && i < sizeof planned / sizeof *planned; i++) {
        json_t *part = json_object_get(f->plan, planned[i]);
        if (part) json_object_set(out, planned[i], part);
    }
    if (f && f->questions.count)
        json_object_set_new(out, "gain", number(f->questions.list[0].gain));
    return out;
}

/* ---- all ------------------------------------------------------------------------------------ */

static json_t *project_json(const project *p)
{
    static const char *const kinds[] = {"picture", "text", "file", "profile"};
    static const char *const strategies[] = {"suggest", "random", "grid"};
    char *base = text_format("/item/%s/", p->item_key);
    size_t width, height;
    items_size(&width, &height, p->items);
    json_t *out = json_pack("{s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:s,s:I,s:I}", "title", p->title,
                            "task", p->sets ? "sets" : "pairs", "kind", kinds[items_kind(p->items)],
                            "itemBase", base, "width", (json_int_t)width, "height",
                            (json_int_t)height, "items", (json_int_t)items_count(p->items),
                            "setSize", (json_int_t)p->set_size, "strategy", strategies[p->strategy],
                            "redundancy", (json_int_t)p->redundancy, "quota", (json_int_t)p->quota);
    free(base);
    return out;
}

static json_t *totals_json(const board *b, planner *pl, writer *w)
{
    char trouble[256] = "";
    planner_state state = {0};
    if (w) writer_trouble(w, trouble, sizeof trouble);
    if (pl) planner_look(pl, &state);
    size_t annotated = 0, full = 0;
    for (size_t i = 0; i < b->rules.items; i++) annotated += b->uses[i] > 0;
    for (size_t t = 1; t < b->n_tasks; t++) full += b->tasks[t].answered >= b->rules.redundancy;
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:s,s:b,s:I,s:I,s:b}", "answers",
                     (json_int_t)b->live_answers, "active",
                     (json_int_t)board_active(b, clock_steady() - ACTIVE_MS), "tasks",
                     (json_int_t)(b->n_tasks - 1), "fullTasks", (json_int_t)full, "askedItems",
                     (json_int_t)annotated, "checks", (json_int_t)b->n_checks, "trouble",
                     *trouble ? trouble : state.trouble, "fitting", (int)state.fitting, "fits",
                     (json_int_t)state.fits, "failedFits", (json_int_t)state.failed_fits,
                     "exhausted", (int)state.exhausted);
}

json_t *overview_json(project *p, planner *pl, writer *w)
{
    board *b = p->board;
    json_t *out = json_object();
    int64_t now = clock_wall();
    const findings *f = pl ? planner_findings_lock(pl) : NULL;
    pthread_mutex_lock(&b->lock);
    json_object_set_new(out, "project", project_json(p));
    json_object_set_new(out, "totals", totals_json(b, pl, w));
    json_object_set_new(out, "hours", hours_json(b, now));
    json_object_set_new(out, "workers", workers_json(p, f));
    json_object_set_new(out, "disputed", disputed_json(b));
    json_object_set_new(out, "advice", advice_json(b, f));
    pthread_mutex_unlock(&b->lock);
    json_object_set_new(out, "clusters", clusters_json(f));
    json_object_set_new(out, "now", json_integer((json_int_t)now));
    if (pl) planner_findings_unlock(pl);
    return out;
}
