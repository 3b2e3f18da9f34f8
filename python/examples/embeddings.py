"""A data scientist with embeddings: clusters them, with the answers of a few colleagues about some pairs.

    python embeddings.py [embeddings.npy]

Without a file, made-up embeddings serve: 600 items in 6 groups, 32 values each.
"""
import sys
import tempfile

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import scdc

truth = None
if len(sys.argv) > 1:
    X = np.load(sys.argv[1], mmap_mode="r")  # read in place, also when it is larger than memory
    colleagues = pd.read_csv("answers.csv")  # worker,left,right,label
else:
    X, truth = scdc.make_blobs(n_clusters=6, n_items=600, n_features=32, separation=0.6, random_state=1)
    colleagues = scdc.simulate_answers(truth, n_workers=4, n_pairs=800, n_items=150, random_state=1).to_frame()

# Alone, and as the last step of a pipeline.
model = scdc.SCDC(random_state=1).fit(X, annotations=colleagues)
pipe = make_pipeline(StandardScaler(), PCA(16), scdc.SCDC(random_state=1))
pipe.fit(X, scdc__annotations=colleagues)

print(f"{model.n_clusters_} clusters after {model.n_iter_} epochs; with PCA before: {pipe[-1].n_clusters_}")
print(model.workers_[["answers", "sensitivity", "specificity"]].round(2).to_string())
if truth is not None:
    print("accuracy:", round(scdc.metrics.accuracy(model.labels_, truth), 3),
          "without answers:", round(scdc.metrics.accuracy(scdc.SCDC(random_state=1).fit_predict(X), truth), 3))

with tempfile.TemporaryDirectory() as folder:  # somewhere of yours
    model.report(f"{folder}/report.html", truth=truth)  # one page to look at and to send around
    model.save(f"{folder}/model.safetensors")  # what `scdc predict` reads, too
    new = scdc.SCDC.load(f"{folder}/model.safetensors").predict(X[:5])
print("clusters of five items:", new)
