"""An annotation team with a csv of groupings: everybody sorted some cards into piles.

    python groupings.py [items.csv groupings.csv]

items.csv has a first column of names; groupings.csv the columns worker,task,item,group. Without files, made-up ones serve.
"""
import sys

import numpy as np
import pandas as pd

import scdc

if len(sys.argv) > 2:
    items, groupings = pd.read_csv(sys.argv[1], index_col=0), pd.read_csv(sys.argv[2])
else:
    X, truth = scdc.make_blobs(n_clusters=4, n_items=300, n_features=8, separation=3, random_state=2)
    items = pd.DataFrame(X, index=[f"card-{n:03}" for n in range(len(X))])
    random, rows = np.random.RandomState(2), []
    for worker in ("ann", "bob", "cleo"):
        for task in range(6):
            for number in random.choice(len(X), 10, replace=False):
                pile = truth[number] if random.rand() < (0.95 if worker != "bob" else 0.7) else random.randint(4)
                rows.append((worker, task, items.index[number], f"pile {pile}"))
    groupings = pd.DataFrame(rows, columns=["worker", "task", "item", "group"])

answers = scdc.Answers(groupings)
print(answers)

# Items are found by the index of the table.
model = scdc.SCDC(random_state=1).fit(items, annotations=answers)
result = pd.DataFrame({"cluster": model.labels_, "probability": model.probabilities_}, index=items.index)
print(result.head().round(3).to_string())
print(result["cluster"].value_counts().rename("items").to_string())

# Who needs help, and which cards should be looked at again?
print(model.workers_[["answers", "sensitivity", "specificity", "weight"]].round(2).to_string())
print("least certain:", ", ".join(result["probability"].nsmallest(5).index))
