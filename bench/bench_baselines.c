/* The baselines on real items and answers: NMI and seconds, one JSON object per line.
 *
 * bench_baselines face|face100 DIR [RUNS [ANSWERS [THREADS [METHOD...]]]]
 *     CMU faces (DIR holds faces_4/ and index.csv): 20 principal components, 4 poses, 5 simulated
 *     workers of sensitivity = specificity .95 .9 .85 .8 .75, ANSWERS each (0: 200 to 2,000 in
 *     steps), as many truly same as truly different pairs, on all items or on 100 of them. Scores
 *     are over the items that have a label: all, but the annotated ones for crowdclustering.
 * bench_baselines dogs DIR [RUNS]
 *     Crowdclustering of real answers about dogs (DIR holds pairs.csv and truth.csv), beside how
 *     often a single answer is right. */
#include "bench.h"

#include <scdc/scdc.h>
#include <stdbool.h>
#include <string.h>

enum { COMPONENTS = 20, POSES = 4, WORKERS = 5, MOST_CLUSTERS = 10 };
static const double QUALITY[WORKERS] = {.95, .9, .85, .8, .75};
static const size_t ANSWERS_EACH[] = {200, 500, 1000, 1500, 2000};
enum { FEW = 100 };

static void need(int status, const char *what)
{
    if (status == SCDC_OK) return;
    fprintf(stderr, "bench_baselines: %s: %s\n", what, scdc_last_error());
    exit(1);
}

typedef struct summary {
    double sum, squares;
    size_t count;
} summary;

static void add(summary *s, double value)
{
    s->sum += value;
    s->squares += value * value;
    s->count++;
}
static double mean(const summary *s)
{
    return s->sum / (double)s->count;
}
/* Of the runs themselves, as error bars in papers are drawn. */
static double spread(const summary *s)
{
    return sqrt(fmax(0, s->squares / (double)s->count - mean(s) * mean(s)));
}

typedef struct faces {
    scdc_data *images, *items;
    scdc_labels *poses;
} faces;

static faces open_faces(const char *folder)
{
    faces f;
    char path[4096];
    snprintf(path, sizeof path, "%s/faces_4", folder);
    need(scdc_data_open(&f.images, path), path);
    snprintf(path, sizeof path, "%s/index.csv:pose", folder);
    need(scdc_labels_open(&f.poses, path, f.images), path);
    need(scdc_data_pca(&f.items, f.images, COMPONENTS), "principal components");
    return f;
}

static scdc_crowd *simulate(const faces *f, size_t each, size_t annotated, uint64_t seed)
{
    scdc_simulation s;
    scdc_crowd *crowd = NULL;
    scdc_simulation_init(&s);
    s.workers = WORKERS;
    s.sensitivity = s.specificity = QUALITY;
    s.n_sensitivity = s.n_specificity = WORKERS;
    s.pairs = each * WORKERS;
    s.items = annotated;
    s.scheme = SCDC_SCHEME_BALANCED;
    s.seed = seed;
    need(scdc_simulate_answers(&crowd, f->poses, &s), "simulated answers");
    return crowd;
}

/* Mean absolute error of the workers' estimated sensitivities and specificities. */
static double worker_error(const scdc_clustering *c)
{
    const double *a = scdc_clustering_sensitivity(c), *b = scdc_clustering_specificity(c);
    double sum = 0;
    if (!a) return NAN;
    for (size_t w = 0; w < WORKERS; w++) sum += fabs(a[w] - QUALITY[w]) + fabs(b[w] - QUALITY[w]);
    return sum / (2 * WORKERS);
}

/* Items the method could not label are left out. */
static void score_labelled(scdc_scores *out, const scdc_clustering *c, const scdc_labels *truth)
{
    const int64_t *labels = scdc_clustering_labels(c), *classes = scdc_labels_values(truth);
    size_t n = scdc_labels_count(truth), kept = 0;
    int64_t *both = malloc(2 * n * sizeof *both);
    need(both ? SCDC_OK : SCDC_ERR_MEMORY, "labels");
    for (size_t i = 0; i < n; i++) {
        if (labels[i] < 0) continue;
        both[kept] = labels[i];
        both[n + kept++] = classes[i];
    }
    need(scdc_score(out, both, both + n, kept), "scores");
    free(both);
}

static void bench_setting(const faces *f, const char *method, size_t each, size_t annotated,
                          size_t runs, int threads)
{
    summary nmi = {0}, acc = {0}, seconds = {0}, error = {0};
    size_t converged = 0;
    for (size_t run = 0; run < runs; run++) {
        scdc_crowd *crowd = simulate(f, each, annotated, run);
        scdc_baseline_options o;
        scdc_clustering *c = NULL;
        scdc_clustering_info info;
        scdc_scores scores;
        scdc_baseline_options_init(&o);
        o.k = strcmp(method, "crowdclustering") == 0 ? MOST_CLUSTERS : POSES;
        o.seed = run;
        o.threads = threads;
        need(scdc_baseline(&c, method, f->items, crowd, &o), method);
        need(scdc_clustering_get_info(&info, c), method);
        score_labelled(&scores, c, f->poses);
        add(&nmi, scores.nmi);
        add(&acc, scores.acc);
        add(&seconds, info.seconds);
        add(&error, worker_error(c));
        converged += info.converged != 0;
        scdc_clustering_free(c);
        scdc_crowd_free(crowd);
    }
    printf(
        "{\"bench\":\"face\",\"method\":\"%s\",\"answers_each\":%zu,\"annotated\":%zu,\"runs\":%zu,"
        "\"nmi\":%.4f,\"nmi_spread\":%.4f,\"acc\":%.4f,\"converged\":%zu,\"seconds\":%.3f",
        method, each, annotated ? annotated : scdc_labels_count(f->poses), runs, mean(&nmi),
        spread(&nmi), mean(&acc), converged, mean(&seconds));
    if (!isnan(mean(&error))) printf(",\"worker_error\":%.4f", mean(&error));
    printf("}\n");
    fflush(stdout);
}

/* annotated: items with answers, 0 = all. only: answers per worker, 0 = all steps. */
static void bench_face(const char *folder, size_t annotated, size_t runs, size_t only, int threads,
                       char **methods, size_t n_methods)
{
    faces f = open_faces(folder);
    for (size_t m = 0; m < scdc_baseline_count(); m++) {
        const char *method = scdc_baseline_name(m);
        size_t asked = n_methods == 0;
        for (size_t i = 0; i < n_methods; i++) asked += strcmp(methods[i], method) == 0;
        if (!asked) continue;
        bool answers = scdc_baseline_needs_answers(m);
        for (size_t e = 0; e < sizeof ANSWERS_EACH / sizeof *ANSWERS_EACH; e++) {
            if (answers ? only && only != ANSWERS_EACH[e] : e > 0) continue;
            bench_setting(&f, method, ANSWERS_EACH[e], annotated, runs, threads);
        }
    }
    scdc_labels_free(f.poses);
    scdc_data_free(f.items);
    scdc_data_free(f.images);
}

static double share_right(const scdc_crowd *crowd, const int64_t *truth)
{
    size_t count, right = 0;
    const scdc_answer *answers = scdc_crowd_answers(crowd, &count);
    for (size_t t = 0; t < count; t++) {
        uint32_t same = truth[answers[t].left] == truth[answers[t].right];
        right += same == answers[t].same;
    }
    return (double)right / (double)count;
}

static void bench_dogs(const char *folder, size_t runs)
{
    char pairs[4096], truth_path[4096];
    scdc_crowd *crowd = NULL;
    scdc_labels *truth = NULL;
    snprintf(pairs, sizeof pairs, "%s/pairs.csv", folder);
    snprintf(truth_path, sizeof truth_path, "%s/truth.csv", folder);
    const char *paths[] = {pairs};
    need(scdc_crowd_open(&crowd, paths, 1, NULL), pairs);
    need(scdc_labels_open(&truth, truth_path, NULL), truth_path);
    for (size_t run = 0; run < runs; run++) {
        scdc_baseline_options o;
        scdc_clustering *c = NULL;
        scdc_clustering_info info;
        scdc_scores scores;
        scdc_baseline_options_init(&o);
        o.k = MOST_CLUSTERS;
        o.seed = run;
        need(scdc_baseline(&c, "crowdclustering", NULL, crowd, &o), pairs);
        need(scdc_clustering_get_info(&info, c), pairs);
        need(scdc_score(&scores, scdc_clustering_labels(c), scdc_labels_values(truth), info.items),
             truth_path);
        printf("{\"bench\":\"dogs\",\"method\":\"crowdclustering\",\"seed\":%zu,\"clusters\":%zu,"
               "\"acc\":%.4f,\"nmi\":%.4f,\"single_answers_right\":%.4f,\"bound\":%.1f,"
               "\"converged\":%d,\"seconds\":%.2f}\n",
               run, info.clusters, scores.acc, scores.nmi,
               share_right(crowd, scdc_labels_values(truth)), info.objective, info.converged,
               info.seconds);
        fflush(stdout);
        scdc_clustering_free(c);
    }
    scdc_labels_free(truth);
    scdc_crowd_free(crowd);
}

int main(int argc, char **argv)
{
    size_t runs = argc > 3 ? strtoul(argv[3], NULL, 10) : 10;
    bool few = argc > 1 && strcmp(argv[1], "face100") == 0;
    if (argc > 2 && runs > 0 && (few || strcmp(argv[1], "face") == 0)) {
        bench_face(argv[2], few ? FEW : 0, runs, argc > 4 ? strtoul(argv[4], NULL, 10) : 0,
                   argc > 5 ? atoi(argv[5]) : 0, argv + 6, argc > 6 ? (size_t)argc - 6 : 0);
    } else if (argc > 2 && runs > 0 && strcmp(argv[1], "dogs") == 0) {
        bench_dogs(argv[2], runs);
    } else {
        fprintf(stderr, "usage: bench_baselines face|face100|dogs DIR [RUNS [ANSWERS [THREADS "
                        "[METHOD...]]]]\n");
        return 2;
    }
    return 0;
}
