"""A crowd-kit user: a table task, worker, label, as crowd-kit's aggregations take it.

    python crowd_kit.py [labels.csv features.npy]

Majority vote and Dawid-Skene say something about tasks that were labelled; with the tasks' features, scdc says something about all
of them. Without files, made-up ones serve: 400 images' features, 120 of which were labelled by 3 workers each.
"""
import sys

import numpy as np
import pandas as pd

import scdc

truth = None
if len(sys.argv) > 2:
    labels = pd.read_csv(sys.argv[1])
    X = np.load(sys.argv[2])  # row n is task n
else:
    X, truth = scdc.make_blobs(n_clusters=4, n_items=400, n_features=10, separation=2, random_state=3)
    random, rows = np.random.RandomState(3), []
    for task in range(120):
        for worker in random.choice(6, 3, replace=False):
            right = random.rand() < (0.9 if worker else 0.4)  # w0 hardly looks
            rows.append((task, f"w{worker}", "abcd"[truth[task] if right else random.randint(4)]))
    labels = pd.DataFrame(rows, columns=["task", "worker", "label"])

# Two tasks with the same label of a worker are "same" to that worker: names of labels need not agree between workers.
model = scdc.SCDC(random_state=1).fit(X, annotations=labels)
print(model.workers_[["answers", "sensitivity", "specificity"]].round(2).to_string())

# A name for every cluster: the label most often given to its tasks.
voted = labels.assign(cluster=model.labels_[labels["task"]]).groupby("cluster")["label"].agg(lambda x: x.value_counts().index[0])
named = pd.Series(model.labels_, name="cluster").map(voted)
print(named.value_counts().rename("tasks").to_string())
if truth is not None:
    majority = labels.groupby("task")["label"].agg(lambda x: x.value_counts().index[0])
    print("majority vote, 120 labelled tasks:", round((majority == [*map("abcd".__getitem__, truth[:120])]).mean(), 3))
    print("scdc, the same tasks:", round(scdc.metrics.accuracy(model.labels_[:120], truth[:120]), 3),
          "- all 400 tasks:", round(scdc.metrics.accuracy(model.labels_, truth), 3))
