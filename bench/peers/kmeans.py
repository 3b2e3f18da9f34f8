"""Seconds of scikit-learn's KMeans on the file bench_kmeans is timed on: kmeans.py DATA [K [STARTS
[ITERATIONS]]]. DATA is an IDX file (gzipped or not) or .npy. Prints one JSON object. Optional: the
benchmarks do not need it. Set OMP_NUM_THREADS to the threads bench_kmeans has; with 1, seconds are
those of the processor, as bench_kmeans counts them."""
import gzip
import json
import os
import struct
import sys
import time

import numpy as np
from sklearn.cluster import KMeans


def load(path):
    if path.endswith(".npy"):
        x = np.load(path)
    else:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            dims = struct.unpack(">I", file.read(4))[0] & 0xFF
            shape = struct.unpack(">" + "I" * dims, file.read(4 * dims))
            x = np.frombuffer(file.read(), dtype=np.uint8).reshape(shape[0], -1)
    scale = 255 if x.dtype == np.uint8 else 1
    return x.reshape(len(x), -1).astype(np.float32) / np.float32(scale)


def main():
    numbers = [int(a) for a in sys.argv[2:]] + [50, 1, 100][len(sys.argv) - 2:]
    x = load(sys.argv[1])
    clock = time.process_time if os.environ.get("OMP_NUM_THREADS") == "1" else time.perf_counter
    begin = clock()
    model = KMeans(numbers[0], n_init=numbers[1], max_iter=numbers[2], tol=0, random_state=0,
                   algorithm="lloyd").fit(x)
    print(json.dumps({"peer": "scikit-learn", "items": len(x), "k": numbers[0], "starts": numbers[1],
                      "iterations": int(model.n_iter_), "inertia": float(model.inertia_),
                      "seconds": round(clock() - begin, 3)}))


main()
