"""Data for the tests: small, with a known outcome."""
import os

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info

import scdc  # noqa: F401  (loads OpenBLAS)

# The program takes the matrix products that this Python has: with others the last bits differ.
for library in threadpool_info():
    if library["internal_api"] == "openblas":
        os.environ.setdefault("OPENBLAS_CORETYPE", library["architecture"])


@pytest.fixture(scope="session")
def blobs():
    """Three far groups of 50 items each, and their numbers."""
    random = np.random.RandomState(0)
    truth = np.repeat(np.arange(3), 50)
    return 6 * random.randn(3, 4)[truth] + random.randn(150, 4), truth


@pytest.fixture(scope="session")
def answers(blobs):
    """Right answers of two workers about 200 random pairs."""
    truth = blobs[1]
    random = np.random.RandomState(1)
    left = random.randint(0, 150, 200)
    right = (left + random.randint(1, 150, 200)) % 150
    return pd.DataFrame({
        "worker": np.where(np.arange(200) % 2, "ann", "bob"),
        "left": left,
        "right": right,
        "label": (truth[left] == truth[right]).astype(int),
    })
