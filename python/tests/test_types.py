"""Type hints: mypy finds nothing to say, strictly."""
import pathlib
import subprocess
import sys

import pytest

import scdc

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_mypy():
    pytest.importorskip("mypy")
    package = pathlib.Path(scdc.__file__).parent
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir",
                           "/dev/null", str(package)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_marked_as_typed():
    assert (pathlib.Path(scdc.__file__).parent / "py.typed").exists()
