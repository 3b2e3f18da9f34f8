/* Blocks: small groups of items that are alike, how near they are to each other, and what the
 * answers say about which of them are of one kind. */
#include "asking/asking.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "kmeans/kmeans.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_ITEMS = 4,   /* of a block, on average */
    FIRST_BLOCKS = 48, /* before there are answers */
    ANSWERS_A_BLOCK = 6,
    MOST_BLOCKS = 160, /* before they are cut by clusters */
    MOST_PARTS = 240,  /* after */
    LEAST_PART = 3,    /* items of a block in one cluster that make a block of their own */
    NEIGHBOURS = 8,    /* links of an item */
    MOST_LINKED = 3000 /* items whose links are looked for */
};
/* ---- the blocks ----------------------------------------------------------------------------- */

static size_t how_many(size_t items, size_t answers)
{
    size_t wanted = FIRST_BLOCKS + answers / ANSWERS_A_BLOCK, most = items / LEAST_ITEMS;
    if (wanted > MOST_BLOCKS) wanted = MOST_BLOCKS;
    if (most < 8) most = items < 8 ? items : 8;
    return wanted < most ? wanted : most;
}

static double squared_distance(const float *a, const float *b, size_t width)
{
    double sum = 0;
    for (size_t c = 0; c < width; c++) {
        double d = (double)a[c] - (double)b[c];
        sum += d * d;
    }
    return sum;
}

typedef struct member {
    double distance;
    uint32_t item;
} member;

static int nearer(const void *a, const void *b)
{
    const member *l = a, *r = b;
    if (l->distance != r->distance) return l->distance < r->distance ? -1 : 1;
    return l->item < r->item ? -1 : l->item > r->item;
}

/* Cuts blocks where the model's clusters meet: a block is of one cluster, but for few items. */
static int cut_by_label(uint32_t *block_of, size_t *count, const looked_at *l, size_t most)
{
    size_t k = *count, C = l->clusters;
    uint32_t *size, *number;
    if (C < 2) return SCDC_OK;
    arena scratch = {0};
    size = arena_new(&scratch, k * C, sizeof *size, "parts of blocks");
    number = arena_new(&scratch, k * C, sizeof *number, "parts of blocks");
    int status = arena_status(&scratch);
    if (status != SCDC_OK) goto done;
    for (size_t i = 0; i < l->count; i++) size[block_of[i] * C + l->label[i]]++;
    for (size_t j = 0; j < k; j++) {
        size_t main = 0;
        for (size_t c = 1; c < C; c++) {
            if (size[j * C + c] > size[j * C + main]) main = c;
        }
        for (size_t c = 0; c < C; c++) {
            bool own = c != main && size[j * C + c] >= LEAST_PART && *count < most;
            number[j * C + c] = own ? (uint32_t)(*count)++ : (uint32_t)j;
        }
    }
    for (size_t i = 0; i < l->count; i++) block_of[i] = number[block_of[i] * C + l->label[i]];
done:
    arena_free(&scratch);
    return status;
}

/* Centres of blocks, and what the model says about them. */
static void describe(float *centres, float *cluster, const uint32_t *block_of, size_t k,
                     const looked_at *l, double *size)
{
    memset(centres, 0, k * l->width * sizeof *centres);
    memset(size, 0, k * sizeof *size);
    for (size_t i = 0; i < l->count; i++) size[block_of[i]]++;
    for (size_t i = 0; i < l->count; i++) {
        size_t j = block_of[i];
        for (size_t c = 0; c < l->width; c++)
            centres[j * l->width + c] += l->x[i * l->width + c] / (float)size[j];
        for (size_t c = 0; c < l->clusters && l->proba; c++)
            cluster[j * l->clusters + c] += l->proba[i * l->clusters + c] / (float)size[j];
    }
}

/* Renumbers blocks so that none is empty; lists their members, the most typical first. */
static int list_members(blocks *b, const looked_at *l, const float *centres, size_t k)
{
    arena scratch = {0};
    uint32_t *size = arena_new(&scratch, k, sizeof *size, "sizes of blocks");
    uint32_t *number = arena_new(&scratch, k, sizeof *number, "numbers of blocks");
    member *all = arena_new(&scratch, l->count, sizeof *all, "members of blocks");
    int status = arena_status(&scratch);
    if (status != SCDC_OK) goto done;
    for (size_t i = 0; i < l->count; i++) size[b->block_of[i]]++;
    for (size_t j = 0, at = 0; j < k; j++) {
        number[j] = (uint32_t)b->count;
        if (!size[j]) continue;
        b->mass[b->count] = size[j] / (double)l->count;
        b->start[b->count++] = (uint32_t)at;
        at += size[j];
        b->start[b->count] = (uint32_t)at;
    }
    memset(size, 0, k * sizeof *size);
    for (size_t i = 0; i < l->count; i++) {
        size_t old = b->block_of[i], j = number[old];
        b->block_of[i] = (uint32_t)j;
        all[b->start[j] + size[j]++] = (member){
            squared_distance(l->x + i * l->width, centres + old * l->width, l->width), (uint32_t)i};
    }
    for (size_t j = 0; j < b->count; j++)
        qsort(all + b->start[j], b->start[j + 1] - b->start[j], sizeof *all, nearer);
    for (size_t i = 0; i < l->count; i++) b->member[i] = all[i].item;
done:
    arena_free(&scratch);
    return status;
}

/* ---- bonds ---------------------------------------------------------------------------------- */

typedef struct linking {
    const looked_at *items;
    size_t step, count; /* every step-th item, so many of them */
    uint32_t *nearest;  /* [count][NEIGHBOURS] */
} linking;

static void find_nearest(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const linking *k = context;
    const looked_at *l = k->items;
    for (size_t i = begin; i < end; i++) {
        member best[NEIGHBOURS];
        size_t have = 0;
        const float *x = l->x + i * k->step * l->width;
        for (size_t j = 0; j < k->count; j++) {
            if (j == i) continue;
            double d = squared_distance(x, l->x + j * k->step * l->width, l->width);
            if (have == NEIGHBOURS && d >= best[have - 1].distance) continue;
            size_t at = have < NEIGHBOURS ? have++ : have - 1;
            for (; at > 0 && best[at - 1].distance > d; at--) best[at] = best[at - 1];
            best[at] = (member){d, (uint32_t)(j * k->step)};
        }
        for (size_t j = 0; j < NEIGHBOURS; j++)
            k->nearest[i * NEIGHBOURS + j] = j < have ? best[j].item : (uint32_t)(i * k->step);
    }
}

/* The chance that two blocks are of one cluster of the model. */
static double one_cluster(const blocks *b, const looked_at *l, size_t i, size_t j)
{
    double sum = 0;
    for (size_t c = 0; c < l->clusters; c++)
        sum += (double)b->cluster[i * l->clusters + c] * (double)b->cluster[j * l->clusters + c];
    return sum;
}

/* Which share of a block's kin another one is: by the model's clusters, and by neighbours. Compared
 * with what chance would give, as modularity does. */
static int find_bonds(blocks *b, const looked_at *l)
{
    size_t step = (l->count + MOST_LINKED - 1) / MOST_LINKED, B = b->count;
    linking k = {l, step, (l->count + step - 1) / step, NULL};
    arena scratch = {0};
    k.nearest = arena_new(&scratch, k.count * NEIGHBOURS, sizeof *k.nearest, "nearest items");
    double *links = arena_new(&scratch, B * B, sizeof *links, "links of blocks");
    double *degree = arena_new(&scratch, B, sizeof *degree, "links of blocks");
    double *kin = arena_new(&scratch, B * B, sizeof *kin, "kin of blocks");
    double *family = arena_new(&scratch, B, sizeof *family, "kin of blocks");
    int status = arena_status(&scratch);
    if (status != SCDC_OK) goto done;
    parallel_for(k.count, 64, find_nearest, &k);
    for (size_t i = 0; i < k.count * NEIGHBOURS; i++) {
        size_t from = b->block_of[i / NEIGHBOURS * step], to = b->block_of[k.nearest[i]];
        links[from * B + to]++;
        links[to * B + from]++;
        degree[from]++;
        degree[to]++; /* also what stays inside: a block that is a world of its own has no bonds */
    }
    for (size_t i = 0; i < B; i++) {
        for (size_t j = 0; j < B && l->proba; j++) {
            kin[i * B + j] = i == j ? 0 : one_cluster(b, l, i, j);
            family[i] += kin[i * B + j] * b->mass[j];
        }
    }
    double linked = l->proba ? .5 : 1; /* the part of neighbours in a bond */
    for (size_t i = 0; i < B; i++) {
        for (size_t j = 0; j < B; j++) {
            double share = links[i * B + j] * (.5 / fmax(degree[i], 1) + .5 / fmax(degree[j], 1));
            double chance = .5 * (b->mass[i] + b->mass[j]);
            double known =
                kin[i * B + j] * .5 *
                (b->mass[j] / fmax(family[i], .5 / B) + b->mass[i] / fmax(family[j], .5 / B));
            if (i != j) b->bond[i * B + j] = linked * share + (1 - linked) * known - chance;
        }
    }
done:
    arena_free(&scratch);
    return status;
}

static int make_blocks(blocks *out, const looked_at *l, size_t k, size_t most, uint64_t seed)
{
    float *centres;
    double *size;
    arena scratch = {0};
    centres = arena_new(&scratch, most * l->width, sizeof *centres, "centres");
    size = arena_new(&scratch, most, sizeof *size, "sizes of blocks");
    int status = arena_status(&scratch);
    kmeans_options o = {.k = k, .starts = 1, .max_iterations = 20, .tolerance = 1e-3, .seed = seed};
    if (status == SCDC_OK)
        status = kmeans_fit(out->block_of, centres, NULL, l->x, l->count, l->width, &o);
    if (status == SCDC_OK) status = cut_by_label(out->block_of, &k, l, most);
    if (status == SCDC_OK) {
        describe(centres, out->cluster, out->block_of, k, l, size);
        status = list_members(out, l, centres, k);
    }
    if (status == SCDC_OK) { /* once more: some may have gone */
        memset(out->cluster, 0, most * l->clusters * sizeof *out->cluster);
        describe(centres, out->cluster, out->block_of, out->count, l, size);
        status = find_bonds(out, l);
    }
    arena_free(&scratch);
    return status;
}

int blocks_make(blocks *out, const looked_at *l, size_t answers, uint64_t seed)
{
    size_t k = how_many(l->count, answers), most = 2 * k < l->count ? 2 * k : l->count;
    if (most > MOST_PARTS) most = MOST_PARTS;
    *out = (blocks){0};
    out->block_of = arena_new(&out->memory, l->count, sizeof *out->block_of, "blocks of items");
    out->member = arena_new(&out->memory, l->count, sizeof *out->member, "members of blocks");
    out->start = arena_new(&out->memory, most + 1, sizeof *out->start, "blocks");
    out->mass = arena_new(&out->memory, most, sizeof *out->mass, "blocks");
    out->cluster = arena_new(&out->memory, most * l->clusters, sizeof *out->cluster, "blocks");
    out->bond = arena_new(&out->memory, most * most, sizeof *out->bond, "bonds of blocks");
    out->evidence = arena_new(&out->memory, most * most, sizeof *out->evidence, "evidence");
    int status = arena_status(&out->memory);
    if (status == SCDC_OK) status = make_blocks(out, l, k, most, seed);
    if (status != SCDC_OK) blocks_free(out);
    return status;
}

/* ---- answers -------------------------------------------------------------------------------- */

int answers_of_tasks(uint32_t **out, const scdc_answer *answers, size_t count)
{
    size_t tasks = 0;
    for (size_t i = 0; i < count; i++) {
        if (answers[i].task != SCDC_NO_TASK && answers[i].task >= tasks)
            tasks = (size_t)answers[i].task + 1;
    }
    SCDC_TRY(mem_zeroed(out, tasks, sizeof **out, "answers of tasks"));
    for (size_t i = 0; i < count; i++) {
        if (answers[i].task != SCDC_NO_TASK) (*out)[answers[i].task]++;
    }
    return SCDC_OK;
}

double answer_worth(const scdc_answer *a, const uint32_t *of_task)
{
    if (a->task == SCDC_NO_TASK || of_task[a->task] < 3) return 1;
    double items = (1 + sqrt(1 + 8.0 * of_task[a->task])) / 2;
    return 2 / items;
}

int blocks_hear(blocks *b, const looked_at *l, const scdc_crowd *crowd, const coins *of_worker,
                size_t count)
{
    size_t all = 0, B = b->count;
    uint32_t *of_task;
    const scdc_answer *answers = crowd ? scdc_crowd_answers(crowd, &all) : NULL;
    if (count > all) count = all;
    SCDC_TRY(answers_of_tasks(&of_task, answers, count));
    for (size_t i = 0; i < count; i++) {
        const scdc_answer *a = &answers[i];
        size_t left = looked_at_find(l, a->left), right = looked_at_find(l, a->right);
        if (left == SIZE_MAX || right == SIZE_MAX) continue;
        const coins *c = &of_worker[a->worker];
        double ratio = a->same ? log(c->sensitivity / (1 - c->specificity))
                               : log((1 - c->sensitivity) / c->specificity);
        size_t p = b->block_of[left], q = b->block_of[right];
        b->evidence[p * B + q] += ratio * answer_worth(a, of_task);
        if (p != q) b->evidence[q * B + p] += ratio * answer_worth(a, of_task);
    }
    mem_free(of_task);
    return SCDC_OK;
}
