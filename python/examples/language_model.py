"""A language model as one worker among people: its answers come from a function.

    python language_model.py

`ask` stands for the call of a model of yours; it gets two texts and says yes, no or nothing. scdc finds out how far it can be
trusted, beside the people who answered too.
"""
import numpy as np

import scdc

X, truth = scdc.make_blobs(n_clusters=4, n_items=300, n_features=16, separation=2, random_state=4)
texts = [f"text {number} about subject {subject}" for number, subject in enumerate(truth)]
random = np.random.RandomState(4)


def ask(left: str, right: str):
    """Replace this by your model: 'Are these two about the same subject? Answer yes, no or unsure.'"""
    same = left.split()[-1] == right.split()[-1]
    if random.rand() < 0.05:
        return None  # it said neither yes nor no
    return same if random.rand() < (0.95 if same else 0.85) else not same


pairs = [tuple(random.choice(len(texts), 2, replace=False)) for _ in range(600)]
machine = scdc.Answers.from_function(lambda i, j: ask(texts[i], texts[j]), pairs, worker="language model")
people = scdc.simulate_answers(truth, n_workers=3, n_pairs=90, random_state=4)

model = scdc.SCDC(random_state=1).fit(X, annotations=[machine, people])
print(f"{machine.n_answers} answers of the model ({machine.unsure} times unsure), {people.n_answers} of people")
print(model.workers_[["answers", "sensitivity", "specificity", "weight"]].round(2).to_string())
print("clusters:", model.n_clusters_, " accuracy:", round(scdc.metrics.accuracy(model.labels_, truth), 3))
