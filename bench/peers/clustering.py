"""Our k-means, Gaussian mixture, PCA and scores beside scikit-learn's, on the same arrays in one
process: clustering.py BUILD [--quick]. Both get one thread (processor time) and then all cores (wall
time); the better of the two counts. Prints one JSON object per figure. Optional: needs NumPy and
scikit-learn (Debian: python3-sklearn); ends with status 77 without them."""
import ctypes
import json
import os
import sys
import time
import warnings

try:
    import numpy
    import sklearn
    from sklearn import cluster, decomposition, metrics, mixture
    from threadpoolctl import threadpool_limits
except ImportError:
    print("clustering.py: no scikit-learn here, skipped", file=sys.stderr)
    sys.exit(77)

FLOAT32 = 4  # SCDC_F32
ROOM = 4096  # more than any options struct takes


class Scores(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("items", "clusters", "classes")] + \
               [(name, ctypes.c_double) for name in ("acc", "nmi", "ami", "ari")]


class Library:
    """The few functions of libscdc that are compared."""

    def __init__(self, build):
        self.lib = ctypes.CDLL(os.path.join(build, "libscdc.so"))
        self.lib.scdc_last_error.restype = ctypes.c_char_p

    def need(self, status):
        if status:
            raise RuntimeError(self.lib.scdc_last_error().decode())

    def data(self, x):
        out = ctypes.c_void_p()
        self.need(self.lib.scdc_data_from_memory(
            ctypes.byref(out), ctypes.c_void_p(x.ctypes.data), FLOAT32, ctypes.c_size_t(x.shape[0]),
            ctypes.c_size_t(x.shape[1]), 0))
        return out

    def baseline(self, method, x, threads, **options):
        data, found = self.data(x), ctypes.c_void_p()
        chosen = ctypes.create_string_buffer(ROOM)
        self.lib.scdc_baseline_options_init(chosen)
        for key, value in {**options, "threads": threads}.items():
            self.need(self.lib.scdc_baseline_set(chosen, key.encode(), str(value).encode()))
        self.need(self.lib.scdc_baseline(ctypes.byref(found), method.encode(), data, None, chosen))
        self.lib.scdc_clustering_free(found)
        self.lib.scdc_data_free(data)

    def pca(self, x, components):
        data, out = self.data(x), ctypes.c_void_p()
        self.need(self.lib.scdc_data_pca(ctypes.byref(out), data, ctypes.c_size_t(components)))
        self.lib.scdc_data_free(out)
        self.lib.scdc_data_free(data)

    def score(self, labels, truth):
        out = Scores()
        self.need(self.lib.scdc_score(ctypes.byref(out), ctypes.c_void_p(labels.ctypes.data),
                                      ctypes.c_void_p(truth.ctypes.data), ctypes.c_size_t(len(labels))))
        return out


def best_of(action, threads, rounds):
    clock = time.process_time if threads == 1 else time.perf_counter
    least = float("inf")
    for _ in range(rounds):
        begin = clock()
        action(threads)
        least = min(least, clock() - begin)
    return least


def compare(name, ours, theirs, rounds):
    """ours and theirs are functions of a number of threads."""
    counts = sorted({1, len(os.sched_getaffinity(0))})
    times = {"ours": [], "peer": []}
    for threads in counts:
        times["ours"].append(best_of(ours, threads, rounds))
        with threadpool_limits(threads):
            times["peer"].append(best_of(theirs, threads, rounds))
    mine, other = min(times["ours"]), min(times["peer"])
    print(json.dumps({"name": name, "peer": f"scikit-learn {sklearn.__version__}",
                      "seconds": round(mine, 4), "peer_seconds": round(other, 4),
                      "times_faster": round(other / mine, 2), "rounds": rounds}), flush=True)


def main():
    build, quick = sys.argv[1], "--quick" in sys.argv
    warnings.simplefilter("ignore")  # about iterations that end before convergence: they are meant to
    lib, rounds = Library(build), 1 if quick else 3
    items = 500 if quick else 10000
    random = numpy.random.default_rng(1)
    centres = random.normal(size=(10, 784)) * 0.5
    x = numpy.ascontiguousarray((centres[random.integers(10, size=items)]
                                 + random.normal(size=(items, 784))).astype(numpy.float32))
    low = numpy.ascontiguousarray(x[:, :20])
    # Iterations that end early would compare starts, not speed: both do all of them.
    compare("peer, k-means, K 50, 20 iterations",
            lambda n: lib.baseline("kmeans", x, n, k=50, starts=1, max_iterations=20, tolerance=0),
            lambda n: cluster.KMeans(50, n_init=1, max_iter=20, tol=0, algorithm="lloyd",
                                     random_state=0).fit(x), rounds)
    compare("peer, gmm, full covariances, 20 values, K 10, 20 iterations",
            lambda n: lib.baseline("gmm", low, n, k=10, starts=1, max_iterations=20, tolerance=0,
                                   covariance="full"),
            lambda n: mixture.GaussianMixture(10, max_iter=20, tol=0, random_state=0).fit(low), rounds)
    compare("peer, pca, 20 components",
            lambda n: lib.pca(x, 20),
            lambda n: decomposition.PCA(20, svd_solver="full").fit_transform(x), rounds)
    for clusters in (12, 100):
        count = 10000 if quick else 1000000
        truth = random.integers(10 if clusters == 12 else clusters, size=count)
        labels = numpy.where(random.random(count) < 0.8, truth, random.integers(clusters, size=count))
        score = lib.score(labels, truth)
        for name in ("nmi", "ami", "ari"):
            theirs = {"nmi": metrics.normalized_mutual_info_score, "ami": metrics.adjusted_mutual_info_score,
                      "ari": metrics.adjusted_rand_score}[name](truth, labels)
            if abs(theirs - getattr(score, name)) > 1e-8:
                raise RuntimeError(f"{name} is {getattr(score, name)}, scikit-learn says {theirs}")
        compare(f"peer, NMI, AMI and ARI, {clusters} clusters",
                lambda n, a=labels, b=truth: lib.score(a, b),
                lambda n, a=labels, b=truth: (metrics.normalized_mutual_info_score(b, a),
                                              metrics.adjusted_mutual_info_score(b, a),
                                              metrics.adjusted_rand_score(b, a)), rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
