/* The baselines on real items and answers: NMI and seconds, one JSON object per line.
 *
 * bench_baselines face|face100 DIR [RUNS [ANSWERS [THREADS [METHOD...]]]]
 *     All of them on CMU faces, in the setting of reproduce/face_setting.h; DIR holds the data
 * sets, as for scdc reproduce. ANSWERS of each worker (0: 200 to 2,000 in steps) about all items or
 *     about 100 of them. Scores are over the items that have a label: all, but the annotated ones
 *     for crowdclustering.
 * bench_baselines dogs DIR [RUNS]
 *     Crowdclustering of real answers about dogs (DIR holds pairs.csv and truth.csv), beside how
 *     often a single answer is right. */
#include "bench.h"
#include "reproduce/face_setting.h"
#include "reproduce/stats.h"

#include <scdc/baselines.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_CLUSTERS = 10 };

static void need(int status, const char *what)
{
    if (status == SCDC_OK) return;
    fprintf(stderr, "bench_baselines: %s: %s\n", what, scdc_last_error());
    exit(1);
}

/* Mean absolute error of the workers' estimated sensitivities and specificities. */
static double worker_error(const scdc_clustering *c)
{
    const double *a = scdc_clustering_sensitivity(c), *b = scdc_clustering_specificity(c);
    double sum = 0;
    if (!a) return NAN;
    for (size_t w = 0; w < FACE_WORKERS; w++)
        sum += fabs(a[w] - face_quality[w]) + fabs(b[w] - face_quality[w]);
    return sum / (2 * FACE_WORKERS);
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
    stats nmi = {0}, acc = {0}, seconds = {0}, error = {0};
    size_t converged = 0;
    for (size_t run = 0; run < runs; run++) {
        scdc_crowd *crowd = NULL;
        scdc_baseline_options o;
        scdc_clustering *c = NULL;
        scdc_clustering_info info;
        scdc_scores scores;
        need(faces_ask(&crowd, f, each, annotated, run), "simulated answers");
        scdc_baseline_options_init(&o);
        o.k = strcmp(method, "crowdclustering") == 0 ? MOST_CLUSTERS : FACE_POSES;
        o.seed = run;
        o.threads = threads;
        need(scdc_baseline(&c, method, f->items, crowd, &o), method);
        need(scdc_clustering_get_info(&info, c), method);
        score_labelled(&scores, c, f->poses);
        stats_add(&nmi, scores.nmi);
        stats_add(&acc, scores.acc);
        stats_add(&seconds, info.seconds);
        stats_add(&error, worker_error(c));
        converged += info.converged != 0;
        scdc_clustering_free(c);
        scdc_crowd_free(crowd);
    }
    printf(
        "{\"bench\":\"face\",\"method\":\"%s\",\"answers_each\":%zu,\"annotated\":%zu,\"runs\":%zu,"
        "\"nmi\":%.4f,\"nmi_spread\":%.4f,\"acc\":%.4f,\"converged\":%zu,\"seconds\":%.3f",
        method, each, annotated ? annotated : scdc_labels_count(f->poses), runs, nmi.mean,
        stats_spread(&nmi), acc.mean, converged, seconds.mean);
    if (error.count) printf(",\"worker_error\":%.4f", error.mean);
    printf("}\n");
    fflush(stdout);
}

/* annotated: items with answers, 0 = all. only: answers per worker, 0 = all steps. */
static void bench_face(const char *folder, size_t annotated, size_t runs, size_t only, int threads,
                       char **methods, size_t n_methods)
{
    faces f;
    need(faces_open(&f, folder), folder);
    for (size_t m = 0; m < scdc_baseline_count(); m++) {
        const char *method = scdc_baseline_name(m);
        size_t asked = n_methods == 0;
        for (size_t i = 0; i < n_methods; i++) asked += strcmp(methods[i], method) == 0;
        if (!asked) continue;
        bool answers = scdc_baseline_needs_answers(m);
        for (size_t e = 0; e < FACE_STEPS; e++) {
            if (answers ? only && only != face_answers[e] : e > 0) continue;
            bench_setting(&f, method, face_answers[e], annotated, runs, threads);
        }
    }
    faces_close(&f);
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
        bench_face(argv[2], few ? FACE_FEW : 0, runs, argc > 4 ? strtoul(argv[4], NULL, 10) : 0,
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
